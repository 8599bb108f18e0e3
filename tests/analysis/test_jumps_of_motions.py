"""Prescribed motions whose acceleration jumps: forces of drivers behind the jump, J times the acceleration exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx

INERTIA = 0.5
TIMES = (0.25, 1.0, 1.25)


def trapezoidal() -> Any:
    """From 0 to 1 rad, with a rate that rises to 1 rad/s in 0.25 s, stays, and falls; acceleration 4, 0, -4 rad/s^2."""
    a, b, c = TIMES

    def angle(t: float) -> float:
        return float(
            np.interp(t, (a, b), (0.125, 0.875)) if a <= t <= b else 2 * t * t if t < a else 1 - 2 * (c - t) ** 2
        )

    def rate(t: float) -> float:
        return float(np.interp(t, (0.0, a, b, c), (0.0, 1.0, 1.0, 0.0)))

    def acceleration(t: float) -> float:
        return 4.0 if t < a else 0.0 if t < b else -4.0 if t < c else 0.0

    return fx.motions.Function(lambda t: angle(min(t, c)), rate, acceleration, check=(), breaks=TIMES)


CUBIC = fx.motions.Spline((0.2, 1.0), (0.0, 1.0), degree=3)


@pytest.mark.parametrize(
    "motion", [trapezoidal(), CUBIC, CUBIC + fx.motions.Constant(0.0)], ids=["trapezoid", "cubic", "sum"]
)
@pytest.mark.parametrize(
    ("integrator", "step"),
    [
        (fx.GeneralizedAlpha(), 1e-2),
        (fx.GeneralizedAlpha(rho_inf=0.5), 7e-3),
        (fx.GeneralizedAlpha(), fx.ErrorControl(rtol=1e-7)),
        (fx.RadauIIA(), 1e-2),
        (fx.RungeKutta(), 1e-2),
    ],
    ids=["alpha", "alpha-uneven", "alpha-chosen", "radau", "explicit"],
)
def test_torque_behind_a_jump(motion: Any, integrator: Any, step: Any) -> None:
    """The first accelerations behind it are off by a part of what they change in a step, h times the third derivative.

    That part is 0.1 with ``rho_inf=0.5``. Without the start at the jump it is the jump itself, 2.0 and 4.7 N m.
    """
    wheel = fx.PlanarRigidBody(1.0, INERTIA, position=(0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="hinge")
    driver = fx.RotationDriver(hinge, motion, name="driver")
    run = fx.simulate(fx.Model(wheel, hinge, driver), 1.5, step=step, integrator=integrator)
    torque = -run.multipliers("driver")[:, 0]
    exact = np.array([INERTIA * motion.at(t)[2] for t in run.t])
    jumps = (*TIMES, 0.2)  # a state stored at a jump is the one before it
    between = np.array([min(abs(t - jump) for jump in jumps) > 1e-9 for t in run.t])
    third = 0.0 if isinstance(motion, fx.motions.Function) else 12.0 / 0.8**3
    assert abs(torque - exact)[between].max() < 0.15 * INERTIA * third * run.steps[:, 1].max() + 1e-9


def test_ramps_and_quintic_splines_do_not_jump() -> None:
    """Their third derivatives do: no step ends there by fixed steps of generalized-alpha."""
    wheel = fx.PlanarRigidBody(1.0, INERTIA, position=(0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="hinge")
    for motion in (fx.motions.Ramp(0, 1, duration=0.505, begin=0.305), fx.motions.Spline((0.105, 0.905), (0, 1))):
        run = fx.simulate(fx.Model(wheel, hinge, fx.RotationDriver(hinge, motion)), 1.0, step=1e-2)
        assert len(run.t) == 101


def test_breaks_need_the_acceleration() -> None:
    with pytest.raises(fx.ModelError, match="breaks are given, but not acceleration"):
        fx.motions.Function(lambda t: t, breaks=(0.5,))
