"""Bushings that turn by more than half a turn, where their rotation vector jumps, are told after the run."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import AccuracyWarning
from flexmbs.core.rotations import from_vector

SPIN = 2.0


def run(bushing: Any, spin: tuple[float, float, float] = (0.0, 0.0, SPIN), until: float = 2.0) -> Any:
    """A free body that spins beside a bushing too soft to be felt."""
    body = fx.RigidBody(1.0, (1.0, 1.0, 1.0), angular_velocity=spin, name="body")
    return fx.simulate(fx.Model(body, bushing(body)), until, step=0.01, progress=False)


def soft(*rotations: float) -> Any:
    """A bushing with stiffnesses against rotations."""
    return lambda body: fx.Bushing(fx.ground, body, (1.0, 1.0, 1.0, *rotations), at=(0, 0, 0), name="mount")


def test_what_passes_half_a_turn_is_told_with_its_time() -> None:
    with pytest.warns(AccuracyWarning, match=r"Bushing 'mount': at about t = 1\.5[78] .*half a turn"):
        run(soft(1e-6, 1e-6, 1e-6))  # pi / 2 = 1.5708


def test_a_bearing_tells_of_its_tilt_alone() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(soft(1e-6, 1e-6, 0.0))
        run(soft(1e-6, 1e-6, 1e-6), until=1.5)
    with pytest.warns(AccuracyWarning, match="half a turn"):
        run(soft(1e-6, 1e-6, 0.0), spin=(SPIN, 0.01, 0.0))


def test_angles_in_the_plane_are_counted() -> None:
    body = fx.PlanarRigidBody(1.0, 1.0, angular_velocity=SPIN, name="body")
    mount = fx.Bushing(fx.ground, body, (1.0, 1.0, 1e-6), at=(0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.simulate(fx.Model(body, mount), 2.0, step=0.01, progress=False)


def test_inverse_dynamics_tells_of_it_too() -> None:
    body = fx.RigidBody(1.0, (1.0, 1.0, 1.0), name="body")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    motor = fx.RotationDriver(hinge, fx.motions.Linear(SPIN))
    motion = fx.kinematics.solve_kinematics(fx.Model(body, hinge, motor, soft(0.0, 0.0, 1.0)(body)), until=2.0)
    with pytest.warns(AccuracyWarning, match=r"about t = 1\.[56].*half a turn"):
        fx.kinematics.inverse_dynamics(motion)


def test_rotation_vectors_are_those_of_the_rotations() -> None:
    given = np.array([[0.3, -0.2, 0.5], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [-1.2, 2.0, 0.4]])
    body = fx.RigidBody(1.0, (1.0, 1.0, 1.0), name="body")
    R = np.array([from_vector(v) for v in given])
    assert soft(1.0, 1.0, 1.0)(body).rotation_vectors(R) == pytest.approx(given, abs=1e-12)
    tilts = given * [1.0, 1.0, 0.0]
    turned = np.array([from_vector(v) for v in tilts]) @ from_vector((0.0, 0.0, 2.5))
    assert soft(1.0, 1.0, 0.0)(body).rotation_vectors(turned) == pytest.approx(tilts, abs=1e-12)
    assert not soft()(body).follows_rotation_vector
