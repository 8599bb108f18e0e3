"""Where steps end: at the end of the run, whatever the step, and never in an endless loop of attempts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.analysis.grid import Grid

G = 9.81
SCHEMES = (
    fx.GeneralizedAlpha(), fx.RungeKutta(), fx.BDF(), fx.RadauIIA(), fx.AugmentedLagrangian(), fx.EnergyMomentum(),
)  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("until", "step"), [(0.05, 0.1), (0.25, 0.1), (0.1, 0.03), (0.3, 0.1), (1e-3, 5.0)])
def test_a_fall_ends_where_the_run_ends(scheme: object, until: float, step: float) -> None:
    """Free fall is exact for schemes of second order; BDF begins with first order, so that it is near only."""
    ball = fx.PointMass(1.0, (0, 0, 2.0), velocity=(0.3, 0, 1.0))
    run = fx.simulate(fx.Model(ball, fx.Gravity((0, 0, -G))), until, step=step, integrator=scheme, progress=False)
    assert run.t[-1] == until
    assert run.steps[:, 1].sum() == pytest.approx(until, rel=1e-12)
    assert run.steps[:, 1].max() <= min(step, until) * (1 + 1e-9)
    assert run.q[-1] == pytest.approx((0.3 * until, 0, 2 + until - 0.5 * G * until**2), abs=0.5 * G * until**2 * 0.05)
    if not isinstance(scheme, fx.BDF):
        assert run.q[-1] == pytest.approx((0.3 * until, 0, 2 + until - 0.5 * G * until**2), abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_rejected_step_longer_than_the_run_is_divided(scheme: object) -> None:
    """A bar whose first step is too far to turn; the number of steps is limited by the halvings."""
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), angular_velocity=(0, 30.0, 0),
                           velocity=(0, 0, -15.0), name="bar")  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model = fx.Model(bar, hinge, fx.Gravity((0, 0, -G)))
    run = fx.simulate(model, 0.1, step=0.2, integrator=scheme, throw=False, progress=False)
    assert run.counts["rejected"] > 0
    assert run.t[-1] == 0.1
    assert run.steps[:, 1].max() < 0.1


@settings(max_examples=200, deadline=None)
@given(h=st.floats(1e-3, 10.0), until=st.floats(1e-3, 10.0), halvings=st.integers(0, 50), begin=st.floats(-1.0, 1.0))
def test_what_is_asked_for_is_not_exceeded(h: float, until: float, halvings: int, begin: float) -> None:
    """Attempts get smaller each time, down to the round-off of time, and end at or before the barrier."""
    grid, t, end = Grid(h, begin), begin, begin + until
    wanted = h
    for _ in range(halvings + 1):
        size, to = grid.next(t, wanted, end)
        assert size <= wanted * (1 + 2e-9) + 4 * np.spacing(max(abs(end), abs(t)))
        assert to <= end
        assert abs(size - (to - t)) <= 2e-9 * size + 4 * np.spacing(max(abs(end), abs(t)))
        wanted *= 0.5
