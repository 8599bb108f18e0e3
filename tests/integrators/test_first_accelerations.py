"""The first accelerations and multipliers are wrong by order h^2 at most, whatever they are smoothed by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import control

EXACT = fx.RungeKutta(order=4, constraints=fx.integrators.SuccessiveProjection())
"""It begins with the solution of the equations of motion as they are."""


def rolling() -> fx.Model:
    """A ball of three different moments of inertia that rolls and spins: its slip is a constraint of velocities."""
    ball = fx.RigidBody(
        1.0, (0.01, 0.02, 0.015), position=(0, 0, 0.2), velocity=(1.0, 0, 0), angular_velocity=(0, 5.0, 0.5),
        name="ball",
    )  # fmt: skip
    rolls = fx.RollingBall(fx.ground, ball, radius=0.2, normal=(0, 0, 1), centre=(0, 0, 0.2), name="rolling")
    return fx.Model(ball, rolls, fx.Gravity((0, 0, -9.81)))


def first(make: Callable[[], fx.Model], scheme: Any, h: float) -> tuple[np.ndarray, np.ndarray]:
    run = fx.simulate(make(), 4 * h, step=h, integrator=scheme, progress=False)
    return run.a[0], run.lam[0]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("scheme", [fx.GeneralizedAlpha, fx.AugmentedLagrangian])
def test_of_what_rolls(scheme: Any, compiled: bool) -> None:
    """Rows of velocities were those of Newton's method, whose slopes by the positions count h beta/gamma there."""
    a, lam = first(rolling, EXACT, 1e-3)
    errors = []
    for h in (0.01, 0.005, 0.0025):
        found, held = first(rolling, scheme(compiled=compiled), h)
        errors.append((np.abs(found - a).max(), np.abs(held - lam).max()))
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx(2.0, abs=0.1)


def test_of_states_that_read_accelerations() -> None:
    """A lag of the acceleration of a pendulum that is let go: (a - x) / T at once, not smoothed by its own decay."""
    bar = fx.RigidBody.box(size=(1.0, 0.1, 0.1), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    sensor = control.AccelerationSensor(bar.centre, (0, 0, 1))
    lag = control.FirstOrder([0.5], lambda x, u, t: 4.0 * (u - x), sensor, name="lag")
    model = fx.Model(bar, hinge, lag, fx.Gravity((0, 0, -9.81)))
    wanted = 4.0 * (-9.81 * 0.5**2 / (0.5**2 + bar.inertia[1, 1] / bar.mass) - 0.5)
    errors = []
    for h in (0.02, 0.01, 0.005):
        run = fx.simulate(model, 0.1, step=h, integrator=fx.GeneralizedAlpha(), progress=False)
        errors.append(float(np.abs(run.a[0] - wanted).min()))
    assert errors[0] < 0.04 * 4.0 * 0.02 * abs(wanted)  # of order h it was 4 h gamma
    assert np.log2(errors[0] / errors[-1]) / 2.0 == pytest.approx(2.0, abs=0.1)
