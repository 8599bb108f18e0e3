"""Loads that jump, or have kinks, in time: steps meet them, and every scheme keeps its order."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx

MASS, STIFFNESS = 1.0, 400.0
W = math.sqrt(STIFFNESS / MASS)
ON, OFF = 0.1 / math.pi, 0.23456
SCHEMES = {
    "generalized-alpha": fx.GeneralizedAlpha(), "single steps": fx.GeneralizedAlpha(compiled=False),
    "Runge-Kutta 4": fx.RungeKutta(order=4), "Runge-Kutta 5": fx.RungeKutta(order=5), "Radau": fx.RadauIIA(),
    "BDF": fx.BDF(), "augmented": fx.AugmentedLagrangian(),
}  # fmt: skip


def oscillator(history) -> fx.Model:
    ball = fx.PointMass(MASS, position=(1.0, 0.0), name="ball")
    spring = fx.SpringDamper(fx.ground.marker((0, 0)), ball.centre, stiffness=STIFFNESS, name="spring")
    return fx.Model(
        ball, spring, fx.CoordinateJoint(ball, "y"), fx.PointForce(ball.centre, (10.0, 0.0), history=history)
    )


def pulse(t: float) -> float:
    """On at ON, off behind OFF: closed on the left and on the right."""
    return 1.0 if ON <= t <= OFF else 0.0


def of_pulse(t: np.ndarray) -> np.ndarray:
    """x - 1 = F/k ((1 - cos w (t - ON)) - (1 - cos w (t - OFF)))."""
    rise = [np.where(t > at, 1.0 - np.cos(W * (t - at)), 0.0) for at in (ON, OFF)]
    return 10.0 / STIFFNESS * (rise[0] - rise[1])


def error(history, scheme, step, exact=of_pulse) -> float:
    run = fx.simulate(oscillator(history), 0.5, step=step, integrator=scheme, progress=False)
    return float(np.abs(run.position("ball")[:, 0] - 1.0 - exact(run.t)).max()) / (10.0 / STIFFNESS)


@pytest.mark.parametrize("name", SCHEMES)
def test_jumps_of_a_function_are_met(name: str) -> None:
    """Second order and more: a phase of (w h)^2/12 w t for the trapezoidal rule, 0.005. Over a jump: w h/2, 0.04."""
    errors = [error(pulse, SCHEMES[name], h) for h in (4e-3, 2e-3)]
    assert errors[0] < 1e-2
    assert errors[1] < 0.35 * errors[0]
    assert errors[1] < {"Runge-Kutta 4": 1e-6, "Runge-Kutta 5": 1e-7, "Radau": 1e-6}.get(name, 3e-3)


@pytest.mark.parametrize("name", ["generalized-alpha", "Runge-Kutta 4", "Runge-Kutta 5", "Radau", "BDF"])
def test_error_control_meets_them_too(name: str) -> None:
    run = fx.simulate(
        oscillator(pulse), 0.5, step=fx.ErrorControl(1e-7), integrator=SCHEMES[name], progress=False
    )  # fmt: skip
    for at in (ON, OFF):
        assert np.abs(run.t - at).min() < 1e-15
    assert np.abs(run.position("ball")[:, 0] - 1.0 - of_pulse(run.t)).max() < 3.0 * 1e-7 * len(run.steps)
    assert run.counts["rejected"] < 10


@pytest.mark.parametrize("name", SCHEMES)
def test_steep_parts_of_a_table_are_met(name: str) -> None:
    """The same pulse, as one draws it with straight lines; 1e-7 s are 1e-6 of it."""
    table = fx.Table((0.0, ON, ON + 1e-7, OFF, OFF + 1e-7, 1.0), (0.0, 0.0, 1.0, 1.0, 0.0, 0.0))
    assert error(table, SCHEMES[name], 2e-3) < {"Runge-Kutta 4": 1e-5, "Runge-Kutta 5": 1e-5}.get(name, 2e-3)


def of_kink(t: np.ndarray) -> np.ndarray:
    """F = (t - ON)/T from ON on: x - 1 = F/k (tau - sin(w tau)/w)/T."""
    tau = np.maximum(t - ON, 0.0)
    return 10.0 / STIFFNESS * (tau - np.sin(W * tau) / W) / (1.0 - ON)


@pytest.mark.parametrize(("name", "bound"), [("Runge-Kutta 4", 1e-6), ("Runge-Kutta 5", 1e-8), ("Radau", 1e-7)])
def test_kinks_of_a_table_are_met_by_schemes_of_higher_order(name: str, bound: float) -> None:
    table = fx.Table((0.0, ON, 1.0), (0.0, 0.0, 1.0))
    errors = [error(table, SCHEMES[name], h, of_kink) for h in (4e-3, 2e-3)]
    assert errors[1] < bound
    assert errors[1] < 0.12 * errors[0] or errors[1] < 1e-11


def test_steps_are_not_changed_by_what_is_smooth_or_on_their_grid() -> None:
    for history in (
        lambda t: math.sin(30.0 * t),
        fx.Table((0.0, 0.1, 0.4), (0.0, 1.0, 0.5)),
        lambda t: float(t >= 0.1),
    ):
        run = fx.simulate(oscillator(history), 0.5, step=1e-2, progress=False)
        assert run.t == pytest.approx(np.arange(51) * 1e-2, abs=1e-14)


def test_a_jump_on_the_grid_acts_from_its_time_on() -> None:
    """With the value on the left, and on the right, at the jump."""

    def exact(t: np.ndarray) -> np.ndarray:
        return 10.0 / STIFFNESS * np.where(t > 0.1, 1.0 - np.cos(W * (t - 0.1)), 0.0)

    for history in (lambda t: float(t >= 0.1), lambda t: float(t > 0.1)):
        assert error(history, fx.RungeKutta(order=5), 2e-3, exact) < 1e-7


def test_a_function_that_jumps_all_the_time_is_said() -> None:
    noise = np.random.default_rng(3).standard_normal(1000)
    with pytest.warns(fx.AccuracyWarning, match="jumps in nearly every step.*order 1"):
        run = fx.simulate(oscillator(lambda t: noise[int(t / 1e-3)]), 0.5, step=2e-3, progress=False)
    assert run.t[-1] == 0.5


def test_runs_with_jumps_are_resumed_bitwise(interrupt_at) -> None:
    model = oscillator(pulse)
    options = {"step": 2e-3, "integrator": fx.GeneralizedAlpha(), "progress": False}
    full = fx.simulate(model, 0.5, **options)
    first = fx.simulate(model, 0.5, events=[interrupt_at(40)], **options)
    rest = fx.simulate(model, 0.5, start=first, **options)
    assert np.array_equal(rest.q[-1], full.q[-1])
    assert np.array_equal(rest.t[-50:], full.t[-50:])


@pytest.mark.parametrize("scheme", [fx.GeneralizedAlpha(), fx.RungeKutta(order=5)])
def test_the_account_of_energy_is_closed(scheme: object) -> None:
    run = fx.simulate(oscillator(pulse), 0.5, step=5e-4, integrator=scheme, progress=False)
    assert np.abs(run.energy.balance).max() < 1e-3 * run.energy.kinetic.max()


@pytest.mark.parametrize("width", [0.03, 0.001])
@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_error_control_sees_the_pulse_of_a_table(scheme, width: float) -> None:
    """A triangle of force in the midst of nothing: its impulse over the mass is the velocity."""
    ball = fx.PointMass(2.0, position=(0.0, 0.0, 0.0), name="ball")
    history = fx.Table([0.0, 1.0, 1.0 + width / 2, 1.0 + width, 3.0], [0.0, 0.0, 1.0, 0.0, 0.0])
    model = fx.Model(ball, fx.PointForce(ball, (1.0 / width, 0.0, 0.0), history=history))
    run = fx.simulate(model, until=2.0, integrator=scheme, progress=False)
    assert run.velocity(ball)[-1, 0] == pytest.approx(0.25, rel=5e-3)


@pytest.mark.parametrize("samples", [50, 105, 1000])
@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_error_control_sees_one_sample_among_many(scheme, samples: int) -> None:
    """A long table that is zero but for one sample, with the impulse 1."""
    times = np.linspace(0.0, 10.0, samples)
    values = np.zeros(samples)
    values[3 * samples // 4] = 1.0 / (times[1] - times[0])
    ball = fx.PointMass(2.0, position=(0.0, 0.0, 0.0), name="ball")
    model = fx.Model(ball, fx.PointForce(ball, (1.0, 0.0, 0.0), history=fx.Table(times, values)))
    run = fx.simulate(model, until=9.99, integrator=scheme, progress=False)
    assert run.velocity(ball)[-1, 0] == pytest.approx(0.5, rel=1e-2)


@pytest.mark.parametrize("name", ["generalized-alpha", "BDF", "Runge-Kutta 5"])
def test_a_run_goes_on_at_a_corner_as_if_it_had_not_ended_there(name: str) -> None:
    history = fx.Table([0.0, 0.1, 0.13, 0.16, 3.0], [0.0, 0.0, 1.0, 0.0, 0.0])
    model, given = oscillator(history), {"integrator": SCHEMES[name], "progress": False}
    control = fx.ErrorControl(rtol=1e-8, initial_step=1e-4, max_step=0.02)
    whole = fx.simulate(model, until=0.3, step=control, **given)
    first = fx.simulate(model, until=0.13, step=control, **given)
    rest = fx.simulate(model, until=0.3, step=control, start=first, **given)
    assert np.array_equal(rest.q[-1], whole.q[-1])
    assert np.array_equal(rest.v[-1], whole.v[-1])
