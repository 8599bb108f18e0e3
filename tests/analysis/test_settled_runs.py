"""Runs that have come to rest at an unstressed place, where no force is left to compare round-off with."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

STIFFNESS, DAMPING, INERTIA = 40.0, 0.8, 0.1
ROOT = np.roots([INERTIA, DAMPING, STIFFNESS])[0]


@pytest.mark.parametrize("until", [10.0, 40.0, 100.0])
@pytest.mark.parametrize("kind", ["spring", "latch"])
def test_a_bar_that_has_come_to_rest(kind: str, until: float) -> None:
    """J s^2 + c s + k = 0 about the place, and the pin of the closed latch, which nothing drives any more."""
    bar = fx.PlanarRigidBody(1.0, INERTIA, position=(0, 0), angular_velocity=0.5, name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    spring = fx.TorsionSpring(hinge, stiffness=STIFFNESS, damping=DAMPING, name="spring")
    if kind == "latch":
        spring = fx.Latch(hinge, at=0.0, stiffness=STIFFNESS, damping=DAMPING, closing_time=0.05, name="latch")
    run = fx.simulate(fx.Model(bar, hinge, spring), until=until, step=1e-3, output=fx.Output(every=0.5))
    poles = fx.linearise(run).poles
    for found in (fx.solve_modal(run).roots, poles[poles.imag > 0]):
        pair = found[np.argmin(np.abs(found - ROOT))]
        assert pair == pytest.approx(ROOT, rel=1e-6)


def test_a_turning_point_is_no_rest() -> None:
    """A pendulum that is let go on a stiff mount accelerates, however stiff the mount is."""
    mount = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), name="mount")
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0), name="bar")
    pin = fx.RevoluteJoint(mount, bar, at=(0, 0), name="pin")
    stiff = fx.Bushing(fx.ground, mount, stiffness=(1e9, 1e9, 1e9), at=(0, 0), name="stiff")
    model = fx.Model(mount, bar, pin, stiff, fx.Gravity((0, -9.81)))
    with pytest.raises(fx.ModelError, match="not an equilibrium"):
        fx.solve_modal(model)
