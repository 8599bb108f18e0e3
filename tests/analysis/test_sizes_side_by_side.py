"""Bodies of very different sizes in one model: each has the frequencies that it has alone."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fx

LENGTH, MASS, WEIGHT = 1e-3, 1e-6, 9.81


def small(cubic: float) -> list:
    """A rod of 1 mm and 1 mg on a hinge with a cubic spring."""
    rod = fx.PlanarRigidBody.rod((0, 0), (LENGTH, 0), mass=MASS, name="small")
    pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="pin")
    return [rod, pin, fx.TorsionSpring(pin, stiffness=(0, 0, cubic), name="cubic spring")]


@pytest.mark.parametrize("mass", [1.0, 1e2, 1e3, 1e4, 1e6])
def test_two_pendulums_that_share_nothing(mass: float) -> None:
    """Beside a large one: cubic * x^3 = -m g l / 2 cos x, and J omega^2 = 3 cubic x^2 - m g l / 2 sin x."""
    cubic = 3 * MASS * WEIGHT * LENGTH
    torque = MASS * WEIGHT * LENGTH / 2
    angle = brentq(lambda x: -cubic * x**3 - torque * math.cos(x), -1.5, 0.0, xtol=1e-15)
    inertia = MASS * LENGTH**2 / 3
    expected = math.sqrt((3 * cubic * angle**2 - torque * math.sin(angle)) / inertia) / 2 / math.pi
    rod = fx.PlanarRigidBody.rod((0, 0), (3, 0), mass=mass, name="large")
    pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="large pin")
    spring = fx.TorsionSpring(pin, stiffness=1e3 * mass, name="spring")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a statics that calls the place unstable or not held
        rest = fx.solve_static(fx.Model(*small(cubic), rod, pin, spring, fx.Gravity((0, -WEIGHT))))
        found = fx.solve_modal(rest).frequencies
    assert len(found) == 2
    assert found[1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("damping", [0.0, 1e-3])
@pytest.mark.parametrize("mass", [1.0, 1e4, 1e8])
@pytest.mark.parametrize("small_first", [True, False])
def test_a_small_pendulum_on_a_large_one(small_first: bool, mass: float, damping: float) -> None:
    """Hinged to it, whatever the order of the bodies: the large one does not notice, the small one is on a rest."""
    large = fx.PlanarRigidBody.rod((0, 0), (3, 0.2), mass=mass, name="large")
    rod = fx.PlanarRigidBody.rod((3, 0.2), (3 + LENGTH, 0.2), mass=MASS, name="small")
    pin = fx.RevoluteJoint(fx.ground, large, at=(0, 0), name="large pin")
    hinge = fx.RevoluteJoint(large, rod, at=(3, 0.2), name="hinge")
    stiffness, inertia = 3e-8, MASS * LENGTH**2 / 3
    springs = [
        fx.TorsionSpring(pin, stiffness=1e3 * mass, damping=1e3 * mass * damping, name="spring"),
        fx.TorsionSpring(hinge, stiffness=stiffness, damping=stiffness * damping / 100, name="hair"),
    ]
    model = fx.Model(*((rod, large) if small_first else (large, rod)), pin, hinge, *springs)
    found = np.abs(fx.solve_modal(model).roots).max()
    assert found == pytest.approx(math.sqrt(stiffness / inertia), rel=3e-6 / mass + 1e-9)
