"""What is stored: it never changes the steps, and between them it is as accurate as the interpolation promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.dense import Interpolant

G = 9.81


def pendulum() -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -G)))


OUTPUTS = {
    "coarse": fx.Output(every=0.1),
    "fine": fx.Output(every=1e-3),
    "odd": fx.Output(every=0.0317, at=(0.011, 0.5, 0.77)),
    "single": fx.Output(at=(0.4,)),
    "no energy": fx.Output(energy=False),
}


@pytest.mark.parametrize("step", [0.01, None])
@pytest.mark.parametrize("output", OUTPUTS)
def test_output_never_changes_the_steps(step, output: str) -> None:
    plain = fx.simulate(pendulum(), 1.0, step=step)
    run = fx.simulate(pendulum(), 1.0, step=step, output=OUTPUTS[output])
    assert np.array_equal(run.steps, plain.steps)
    assert np.array_equal(run.q[-1], plain.q[-1])
    assert np.array_equal(run.lam[-1], plain.lam[-1])


def test_stored_times_are_those_wanted() -> None:
    run = fx.simulate(pendulum(), 1.0, step=0.03, output=fx.Output(every=0.25, at=(0.1, 0.6)))
    assert run.t == pytest.approx([0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 1.0], abs=1e-15)
    run = fx.simulate(pendulum(), 1.0, step=0.03, output=fx.Output(every=0.3))
    assert run.t == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0], abs=1e-15)
    run = fx.simulate(pendulum(), 1.0, step=0.03, output=fx.Output(at=(0.5,)))
    assert run.t == pytest.approx([0.0, 0.5, 1.0])


def test_a_time_that_is_the_end_of_a_step_is_the_step() -> None:
    plain = fx.simulate(pendulum(), 1.0, step=0.01)
    run = fx.simulate(pendulum(), 1.0, step=0.01, output=fx.Output(every=0.1))
    assert run.q == pytest.approx(plain.q[::10], abs=1e-14)
    assert run.lam == pytest.approx(plain.lam[::10], abs=1e-10)


def exact(t: float, h: float) -> StepState:
    """A body that turns about a direction and moves along curves; q as compiled: position, quaternion."""
    angle, rate = 0.8 * math.sin(1.7 * t), 0.8 * 1.7 * math.cos(1.7 * t)
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    q = np.array([math.sin(2 * t), math.cos(t), t**3, math.cos(angle / 2), *(math.sin(angle / 2) * axis)])
    v = np.array([2 * math.cos(2 * t), -math.sin(t), 3 * t**2, *(rate * axis)])
    none = np.zeros(0)
    return StepState(t, q, v, np.zeros(6), np.zeros(6), none, v, h)


def test_interpolation_is_of_fourth_order_in_positions_and_third_in_velocities() -> None:
    """Between exact ends: errors fall with h^4 and h^3."""
    errors = []
    for h in (0.2, 0.1, 0.05):
        between = Interpolant(exact(0.4, h), exact(0.4 + h, h), 0)
        there = [between(0.4 + s * h) for s in np.linspace(0.05, 0.95, 19)]
        q = max(np.abs(state.q - exact(state.t, h).q).max() for state in there)
        v = max(np.abs(state.v - exact(state.t, h).v).max() for state in there)
        errors.append((q, v))
    for column, order in zip(np.array(errors).T, (4, 3), strict=True):
        assert math.log2(column[0] / column[1]) > order - 0.3
        assert math.log2(column[1] / column[2]) > order - 0.3


def test_interpolation_meets_both_ends() -> None:
    old, new = exact(0.4, 0.1), exact(0.5, 0.1)
    between = Interpolant(old, new, 0)
    assert between(0.4) is old
    assert between(0.5) is new
    close = between(0.5 - 1e-9)
    assert close.q == pytest.approx(new.q, abs=1e-8)
    assert close.v == pytest.approx(new.v, abs=1e-7)


def test_quaternions_between_steps_are_unit() -> None:
    run = fx.simulate(pendulum(), 1.0, step=0.05, output=fx.Output(every=0.007))
    assert np.linalg.norm(run.q[:, 3:7], axis=1) == pytest.approx(np.ones(len(run)), abs=1e-14)


positive = st.floats(1e-3, 10.0)


@settings(max_examples=60, deadline=None)
@given(
    every=positive,
    begin=st.floats(0.0, 5.0),
    span=positive,
    at=st.lists(st.floats(-1.0, 20.0), max_size=5, unique=True),
)
def test_times_ascend_within_the_run(every: float, begin: float, span: float, at: list[float]) -> None:
    end = begin + span
    times = fx.Output(every=every, at=sorted(at)).times(begin, end)
    assert times is not None
    assert times[-1] == end
    assert np.all(np.diff(times) > 0)
    assert times[0] > begin
    assert {t for t in at if begin < t <= end} <= set(times)
    assert abs(len(times) - span / every) <= len(at) + 2


def test_times_that_the_run_does_not_reach_are_refused() -> None:
    with pytest.raises(fx.ModelError, match=r"state at 99, but the run ends at 1"):
        fx.simulate(pendulum(), 1.0, step=0.1, output=fx.Output(at=(0.01, 99.0)))
    with pytest.raises(fx.ModelError, match=r"state at -1; runs begin at 0"):
        fx.simulate(pendulum(), 1.0, step=0.1, output=fx.Output(at=(-1.0, 0.5)))
    run = fx.simulate(pendulum(), 0.3, step=0.1, output=fx.Output(at=(0.05, 0.1 + 0.2)))  # round-off behind the end
    assert run.t == pytest.approx([0.0, 0.05, 0.3])
    half = fx.simulate(pendulum(), 0.3, step=0.1)
    rest = fx.simulate(half.model, 0.6, step=0.1, start=half, output=fx.Output(at=(0.05, 0.45)))
    assert rest.t == pytest.approx([0.3, 0.45, 0.6])
