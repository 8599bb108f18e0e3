"""Root loci: where models without damping, or with what is free to move, lose their stability."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx


def test_a_sleeping_top_stands_above_its_speed() -> None:
    """Lagrange's top, free to spin and without damping, stands where (C W)^2 > 4 A m g l."""
    mass, length, about, polar = 2.0, 0.3, 0.05, 0.02

    def top(speed: float) -> fx.Model:
        body = fx.RigidBody(
            mass, (about, about, polar), position=(0, 0, length), angular_velocity=(0, 0, speed), name="top"
        )
        return fx.Model(body, fx.SphericalJoint(fx.ground, body, at=(0, 0, 0)), fx.Gravity((0, 0, -9.81)))

    least = 2.0 * np.sqrt((about + mass * length**2) * mass * 9.81 * length) / polar
    found = fx.root_locus(top, [0.6 * least, 0.9 * least, 1.2 * least], "speed")
    assert found.crossings == pytest.approx([least], rel=1e-7)
    assert found.stable.tolist() == [False, False, True]


def test_flutter_without_damping() -> None:
    """Ziegler's column of masses 2 m and m flutters at (7/2 - sqrt 2) k / l."""
    mass, length, stiffness = 1.3, 0.7, 30.0

    def column(force: float) -> fx.Model:
        low = fx.PlanarRigidBody(2.0 * mass, 1e-10, position=(length, 0), name="low")
        high = fx.PlanarRigidBody(mass, 1e-10, position=(2.0 * length, 0), name="high")
        foot = fx.RevoluteJoint(fx.ground, low, at=(0, 0), name="foot")
        knee = fx.RevoluteJoint(low, high, at=(length, 0), name="knee")
        springs = [fx.TorsionSpring(j, stiffness=stiffness, name=f"spring of {j.name}") for j in (foot, knee)]
        return fx.Model(low, high, foot, knee, *springs, fx.PointForce(high.centre, (-force, 0), follower=True))

    found = fx.root_locus(column, [20.0, 70.0, 120.0], "force")
    assert found.crossings == pytest.approx([(3.5 - np.sqrt(2.0)) * stiffness / length], rel=1e-6)


def test_free_motions_do_not_hide_a_crossing() -> None:
    """Two masses on a damper that gives energy below zero; where both go together nothing changes."""

    def pair(damping: float) -> fx.LinearModel:
        inverse, between = np.diag([-1.0, -0.5]), np.array([[1.0, -1.0], [-1.0, 1.0]])
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [100.0 * inverse @ between, damping * inverse @ between]])
        states = ("x", "y", "rate of x", "rate of y")
        return fx.LinearModel(A, np.zeros((4, 0)), np.zeros((0, 4)), np.zeros((0, 0)), states, (), (), np.zeros(0))

    found = fx.root_locus(pair, [-1.0, -0.3, 0.4, 1.1], "damping")
    assert found.crossings == pytest.approx([0.0], abs=1e-8)
    assert found.stable.tolist() == [False, False, True, True]
    assert found.growth[0] == pytest.approx(0.75)
