"""Step sizes: by an error estimate, fixed, halved where a step fails, and the end where none succeeds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.integrators.contracts import StepResult, StepStatus

G = 9.81


def pendulum() -> fx.Model:
    bar = fx.PlanarRigidBody(2.0, 1.0 / 6.0, position=(0.5, 0), name="bar")
    return fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge"), fx.Gravity((0, -G)))


def exact_angle(t: float) -> float:
    rates = lambda _, y: [y[1], -1.5 * G * np.cos(y[0])]  # noqa: E731
    return float(solve_ivp(rates, (0, t), [0, 0], method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1])


def test_global_error_follows_the_tolerance() -> None:
    """Local errors of third order held at rtol make steps ~ rtol^(1/3) and a global error ~ rtol^(2/3)."""
    errors, counts = [], []
    for rtol in (1e-4, 1e-6, 1e-8):
        run = fx.simulate(pendulum(), 1.5, step=fx.ErrorControl(rtol, max_step=1.0))
        errors.append(abs(run.angle("hinge")[-1] - exact_angle(1.5)))
        counts.append(len(run.steps))
        assert run.steps[:, 3].max() <= 1.0
    for a, b in ((0, 1), (1, 2)):
        assert 0.45 < math.log(errors[a] / errors[b]) / math.log(100.0) < 1.0
        assert 0.2 < math.log(counts[b] / counts[a]) / math.log(100.0) < 0.45
    assert errors[2] < 1e-4


def test_steps_are_rejected_where_a_force_jumps() -> None:
    """A ball at rest is pushed from t = 0.5 on: x = (t - 0.5)^2 F / 2m.

    The push grows smoothly within 1e-6, so that it is no jump, which steps would meet without being rejected.
    """
    ball = fx.PointMass(2.0, position=(0.0, 0.0), name="ball")
    push = fx.PointForce(ball.centre, (4.0, 0.0), history=lambda t: 0.5 + 0.5 * math.tanh((t - 0.5) / 1e-6))
    run = fx.simulate(fx.Model(ball, push), 1.0, step=fx.ErrorControl(1e-7))
    assert run.counts["rejected"] > 0
    assert run.position(ball)[-1, 0] == pytest.approx(0.25, abs=1e-3)
    ends = run.steps[:, 0]
    assert np.diff(ends[(ends > 0.48) & (ends < 0.52)]).min() < 0.2 * run.steps[:, 1].max()


def test_steps_keep_their_bounds() -> None:
    run = fx.simulate(pendulum(), 1.0, step=fx.ErrorControl(1e-3, initial_step=1e-3, max_step=0.02))
    assert run.steps[0, 1] == pytest.approx(1e-3)
    assert run.steps[:, 1].max() <= 0.02 * (1 + 1e-12)
    assert run.t[-1] == 1.0


def test_fixed_steps_lie_on_multiples_and_end_at_the_end() -> None:
    run = fx.simulate(pendulum(), 1.0, step=0.03)
    assert run.t[:-1] == pytest.approx(0.03 * np.arange(34), abs=1e-15)
    assert run.t[-1] == 1.0
    many = fx.simulate(pendulum(), 3.0, step=1e-3, output=fx.Output(energy=False))
    assert np.array_equal(many.t[:-1], 1e-3 * np.arange(3000))  # multiples, not sums


class Stubborn:
    """Generalized-alpha whose larger steps fail for a while."""

    order, index, reference = 2, 2, "a test"

    def __init__(self, limit: float, begin: float, end: float) -> None:
        self.inner, self.limit, self.begin, self.end = fx.GeneralizedAlpha(rho_inf=0.8), limit, begin, end

    def check(self, *arguments):
        self.inner.check(*arguments)

    def start(self, *arguments):
        return self.inner.start(*arguments)

    def stepper(self, dynamics, tolerance):
        inner, scheme = self.inner.stepper(dynamics, tolerance), self

        class Stepper:
            solves = None

            def forget(self) -> None:
                inner.forget()

            def longest(self, state):
                return inner.longest(state)

            def between(self, old, new):
                return inner.between(old, new)

            def step(self, state, h):
                if scheme.begin <= state.t < scheme.end and h > scheme.limit:
                    return StepResult(None, math.inf, 3, StepStatus.REFUSED, "the spring snapped")
                return inner.step(state, h)

        return Stepper()


def test_a_fixed_step_that_fails_is_halved_and_recovers() -> None:
    scheme = Stubborn(0.003, 0.2, 0.3)
    run = fx.simulate(pendulum(), 1.0, step=0.01, integrator=scheme)
    end, h = run.steps[:, 0], run.steps[:, 1]
    assert h[end < 0.2] == pytest.approx(0.01)
    inside = (end > 0.2 + 1e-9) & (end <= 0.3 + 1e-9)
    assert h[inside] == pytest.approx(0.0025)
    assert h[end > 0.35][:-1] == pytest.approx(0.01)
    assert run.counts["rejected"] >= 2
    assert np.diff(run.t).min() > 0
    assert run.angle("hinge")[-1] == pytest.approx(exact_angle(1.0), abs=2e-3)


@pytest.mark.parametrize("step", [fx.FixedStep(0.01), fx.FixedStep(0.01, max_halvings=0), fx.ErrorControl(1e-5)])
def test_a_step_that_becomes_too_small_keeps_what_was_found(step) -> None:
    with pytest.raises(fx.ConvergenceError, match=r"stopped at t = 0\.2\d*: .*the spring snapped") as caught:
        fx.simulate(pendulum(), 1.0, step=step, integrator=Stubborn(0.0, 0.2, 9.0))
    run = caught.value.solution
    assert run.status is fx.Status.STEP_TOO_SMALL
    assert 0.2 <= run.t[-1] < 0.3
    assert run.angle("hinge")[-1] == pytest.approx(exact_angle(run.t[-1]), abs=1e-3)
    again = fx.simulate(pendulum(), 1.0, step=step, integrator=Stubborn(0.0, 0.2, 9.0), throw=False)
    assert again.status is fx.Status.STEP_TOO_SMALL
    assert "the spring snapped" in again.message
    assert np.array_equal(again.q, run.q)


def test_a_lock_up_names_its_time_and_a_joint() -> None:
    """An arm of length 1 from the origin, its tip driven away from (2, 0): 3 is the largest distance."""
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0.0, 0.5), angle=np.pi / 2, name="arm")
    hinge = fx.RevoluteJoint(fx.ground.marker((0, 0, 0)), bar.marker((-0.5, 0, 0)), name="shoulder")
    strut = fx.DistanceDriver(
        fx.ground.marker((2, 0, 0)), bar.marker((0.5, 0, 0)), lambda t: math.sqrt(5.0) + 0.2 * t, name="strut"
    )
    with pytest.raises(fx.ConvergenceError, match="stopped at t = ") as caught:
        fx.simulate(fx.Model(bar, hinge, strut), 9.0, step=0.02)
    text = str(caught.value)
    assert any(name in text for name in ("strut", "shoulder", "arm"))
    assert (3.0 - math.sqrt(5.0)) / 0.2 - 0.1 < caught.value.solution.t[-1] < (3.0 - math.sqrt(5.0)) / 0.2 + 0.01


def test_a_rejected_estimate_is_told_as_such() -> None:
    with pytest.raises(fx.ConvergenceError, match=r"the estimated error is .* times the tolerance"):
        fx.simulate(pendulum(), 1.0, step=fx.ErrorControl(1e-13, initial_step=0.05, min_step=0.04, max_step=0.1))


@pytest.mark.parametrize("step", [0.01, None])
def test_a_body_at_rest_at_the_origin_stays_there_and_can_be_pushed(step) -> None:
    ball = fx.PointMass(2.0, position=(0.0, 0.0), name="ball")
    run = fx.simulate(fx.Model(ball), 1.0, step=step)
    assert not run.q.any()
    late = fx.PointForce(ball.centre, (4.0, 0.0), history=lambda t: max(0.0, t - 0.5))
    run = fx.simulate(fx.Model(ball, late), 1.0, step=step)
    assert run.position(ball)[-1, 0] == pytest.approx(2.0 * 0.5**3 / 6.0, rel=1e-2)


@pytest.mark.parametrize("step", [fx.FixedStep(0.01, max_steps=30), fx.ErrorControl(1e-6, max_steps=30)])
def test_a_run_ends_when_its_steps_are_used_up_and_can_go_on(step) -> None:
    with pytest.raises(fx.ConvergenceError, match="after 30 steps") as raised:
        fx.simulate(pendulum(), 1.0, step=step)
    first = raised.value.solution
    assert first.status is fx.Status.TOO_MANY_STEPS
    assert len(first.steps) == 30
    free = dataclasses.replace(step, max_steps=None)
    rest = fx.simulate(first.model, 1.0, step=free, start=first)
    whole = fx.simulate(pendulum(), 1.0, step=free)
    assert rest.status is fx.Status.DONE
    assert np.array_equal(rest.q[-1], whole.q[-1])
    enough = fx.simulate(pendulum(), 1.0, step=dataclasses.replace(step, max_steps=len(whole.steps)))
    assert enough.status is fx.Status.DONE


@pytest.mark.parametrize("most", [0, -1, 2.5, "3", True])
def test_the_number_of_steps_is_checked(most) -> None:
    with pytest.raises(fx.ModelError, match="max_steps"):
        fx.FixedStep(0.01, max_steps=most)
    with pytest.raises(fx.ModelError, match="max_steps"):
        fx.ErrorControl(max_steps=most)
