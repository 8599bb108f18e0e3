"""Slopes of force functions that modes and linear models take, where one difference does not find them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import flexmbs as fx

MASS, STIFFNESS, GAP = 1e-9, 0.2, 10e-9
PULL = 0.5 * STIFFNESS * GAP / 2
"""At the gap; it takes half of the stiffness, k - 2 F / gap."""


def tip(size: float, force: Callable[[float, float, float], float], preload: float = 0.0) -> fx.Model:
    """A tip on a spring, along z, in a model of a size."""
    body = fx.RigidBody(MASS, (1e-18, 1e-18, 1e-18), position=(size, 0, 0), name="tip")
    guide = fx.PrismaticJoint(fx.ground, body, at=(size, 0, 0), axis=(0, 0, 1), name="guide")
    spring = fx.Bushing(
        fx.ground.marker((0, 0, 0)), body.marker((0, 0, 0)), stiffness=(0, 0, STIFFNESS), preload=(0, 0, preload)
    )
    return fx.Model(body, guide, spring, fx.JointForce(guide, force, name="pull"))


@pytest.mark.parametrize("size", [1e-7, 1e-4, 0.1, 10.0])
def test_an_attraction_over_a_short_gap(size: float) -> None:
    """omega^2 = (k - 2 F / gap) / m, however large the model is."""
    expected = math.sqrt(0.5 * STIFFNESS / MASS)
    model = tip(size, lambda s, rate, t: PULL * (GAP / (GAP - s)) ** 2, PULL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fx.solve_modal(model).angular_frequencies[0] == pytest.approx(expected, rel=2e-5)
        assert np.abs(fx.linearise(model).poles[0]) == pytest.approx(expected, rel=2e-5)


def test_drag_that_is_quadratic() -> None:
    """|v| v has no slope at rest, and none of the steps is blamed for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fx.solve_modal(tip(0.1, lambda s, rate, t: -1e-3 * abs(rate) * rate)).roots[0]
    assert found.imag == pytest.approx(math.sqrt(STIFFNESS / MASS), rel=1e-6)
    assert abs(found.real) < 1e-6 * found.imag


def test_a_jump_is_told() -> None:
    """The slope of a sign does not exist; the warning names the force and what to give."""
    with pytest.warns(fx.AccuracyWarning, match=r"'pull' by its rate.*derivatives="):
        fx.solve_modal(tip(0.1, lambda s, rate, t: -1e-9 * float(np.sign(rate))))


def test_a_law_of_an_actuator() -> None:
    """Likewise where the force is the law of a motor."""
    body = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="body")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0), name="hinge")
    motor = fx.control.JointActuator(hinge, law=lambda h, s, rate, t: -1e-6 * math.sin(1e7 * s), name="motor")
    hold = fx.control.FirstOrder([0.0], lambda x, u, t: -x, actuators=motor, name="hold")
    found = fx.solve_modal(fx.Model(body, hinge, hold)).roots
    assert np.abs(found).max() == pytest.approx(math.sqrt(10.0 / 0.1), rel=1e-4)
