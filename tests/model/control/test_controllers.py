"""PID, linear controllers and filters against sequences that scipy computes."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
import pytest
from scipy import signal

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.model.control.filters import DiscreteSystem, bilinear, delay_line, low_pass, moving_average, state_space

ANGLE, RATE = fx.control.JointSensor("hinge"), fx.control.JointSensor("hinge", rate=True)
RNG = np.random.default_rng(3)


def motor(name: str = "motor") -> fx.control.JointActuator:
    return fx.control.JointActuator("hinge", name=name)


def run(controller, readings) -> np.ndarray:
    """Outputs (n, n_f) for readings (n, n_u), by the recursion alone."""
    x, found = np.asarray(controller.start), []
    for k, u in enumerate(readings):
        t = k * controller.period
        found.append(np.array(controller.output(x, u, t)))
        x = np.asarray(controller.update(x, u, t))
    return np.array(found)


def respond(system: DiscreteSystem, u: np.ndarray) -> np.ndarray:
    """Outputs of a filter."""
    x, found = np.zeros(system.n_states), []
    for value in u:
        found.append(system.output_of(x, value))
        x = system.state_after(x, value)
    return np.array(found)


def test_pid_is_its_transfer_function() -> None:
    T, P, K, D, Tf = 0.01, 3.0, 7.0, 0.4, 0.025
    e = RNG.normal(size=60)
    e[0] = 0.0
    controller = fx.control.PID(ANGLE, motor(), T, P, K, D, filter_time=Tf)
    # P + K T/(z - 1) + D (z - 1)/((Tf + T) z - Tf), on one denominator
    integral, lag = np.array([1.0, -1.0]), np.array([Tf + T, -Tf])
    denominator = np.polymul(integral, lag)
    numerator = np.polyadd(P * denominator, np.polyadd(K * T * lag, D * np.polymul(integral, [1.0, -1.0])))
    _, expected = signal.dlsim((numerator, denominator, T), e)
    assert run(controller, -e[:, None]) == pytest.approx(expected, abs=1e-12)


def test_pid_with_measured_rate_follows_a_motion() -> None:
    path = fx.motions.Sine(0.3, frequency=2.0)
    controller = fx.control.PID(ANGLE, motor(), 0.01, 5.0, derivative=0.7, rate=RATE, reference=path)
    readings = RNG.normal(size=(20, 2))
    t = 0.01 * np.arange(20)
    w = 4 * np.pi
    expected = 5.0 * (0.3 * np.sin(w * t) - readings[:, 0]) + 0.7 * (0.3 * w * np.cos(w * t) - readings[:, 1])
    assert run(controller, readings)[:, 0] == pytest.approx(expected, abs=1e-12)


def test_pid_has_no_kick_at_the_first_sample_and_one_at_a_step_of_the_reference() -> None:
    controller = fx.control.PID(ANGLE, motor(), 0.1, derivative=1.0, reference=lambda t: 1.0 if t > 0.15 else 0.0)
    assert run(controller, np.ones((4, 1)))[:, 0] == pytest.approx([0.0, 0.0, 10.0, 0.0])


def test_integral_stops_at_the_limit_and_comes_back_at_once() -> None:
    T, gain = 0.1, 2.0
    controller = fx.control.PID(ANGLE, motor(), T, integral=gain, limits=(-1.0, 1.0))
    e = np.concatenate((np.full(40, 1.0), np.full(10, -1.0)))

    def integrated(total: float, error: float) -> float:
        beyond = (total > 1.0 and error > 0) or (total < -1.0 and error < 0)
        return total if beyond else total + gain * T * error

    wanted = np.array(list(accumulate(e[:-1], integrated, initial=0.0)))
    found = run(controller, -e[:, None])[:, 0]
    assert found == pytest.approx(np.clip(wanted, -1, 1), abs=1e-12)
    assert found.max() == 1.0
    assert found[42] < 1.0  # without anti-windup it would stay at the limit for 35 more samples
    assert np.abs(found).max() <= 1.0


def test_negative_integral_gain_does_not_wind_up_either() -> None:
    controller = fx.control.PID(ANGLE, motor(), 0.1, integral=-2.0, limits=(-1.0, 1.0))
    found = run(controller, np.concatenate((np.full(40, -1.0), np.full(10, 1.0)))[:, None])[:, 0]
    assert found[39] == -1.0
    assert found[43] > -1.0


def test_state_feedback() -> None:
    K, r = np.array([[1.0, 2.0], [-3.0, 0.5]]), [0.3, lambda t: 2 * t]
    controller = fx.control.StateFeedback((ANGLE, RATE), (motor("a"), motor("b")), 0.5, K, r, feedforward=[7.0, 8.0])
    y = np.array([0.9, -0.4])
    expected = np.array([7.0, 8.0]) - K @ (y - np.array([0.3, 3.0]))
    assert controller.output(controller.start, y, 1.5) == pytest.approx(expected)


@pytest.mark.parametrize("reference", [None, 0.25])
def test_state_space_is_dlsim(reference: float | None) -> None:
    A, B = 0.4 * RNG.normal(size=(3, 3)), RNG.normal(size=(3, 2))
    C, D = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 2))
    start, y = RNG.normal(size=3), RNG.normal(size=(30, 2))
    system = DiscreteSystem(A, B, C, D)
    controller = fx.control.DiscreteStateSpace(
        (ANGLE, RATE), (motor("a"), motor("b")), 0.1, system, reference=reference, start=start
    )
    w = y if reference is None else reference - y
    _, expected, _ = signal.dlsim((A, B, C, D, 0.1), w, x0=start)
    assert run(controller, y) == pytest.approx(expected, abs=1e-12)


def test_command_and_generic_controller() -> None:
    command = fx.control.Command((fx.control.Signal("a"), fx.control.Signal("b")), 0.5, [lambda t: t * t, 3.0])
    assert run(command, np.zeros((3, 0))) == pytest.approx(np.array([[0.0, 3.0], [0.25, 3.0], [1.0, 3.0]]))
    counter = fx.control.Controller(
        (), fx.control.Signal("c"), 1.0, lambda x, u, t: x[0] ** 2, lambda x, u, t: x + 1, start=[2.0]
    )
    assert run(counter, np.zeros((3, 0))).ravel().tolist() == [4.0, 9.0, 16.0]


@pytest.mark.parametrize(("order", "cutoff"), [(1, 30.0), (2, 30.0), (1, 480.0), (2, 480.0)])
def test_low_pass_is_the_butterworth_filter(order: int, cutoff: float) -> None:
    u = RNG.normal(size=(50, 1))
    expected = signal.lfilter(*signal.butter(order, cutoff, fs=1000.0), u[:, 0])
    assert respond(low_pass(cutoff, 1e-3, order), u)[:, 0] == pytest.approx(expected, abs=1e-12)


def test_damped_low_pass_at_its_cutoff() -> None:
    f, T, zeta = 20.0, 1e-3, 0.1
    s = low_pass(f, T, 2, damping=zeta)
    z = np.exp(2j * np.pi * f * T)
    gain = (s.C @ np.linalg.solve(z * np.eye(2) - s.A, s.B) + s.D)[0, 0]
    assert abs(gain) == pytest.approx(1 / (2 * zeta), rel=1e-12)  # 1/(1 + 2 zeta i - 1)
    assert np.angle(gain) == pytest.approx(-np.pi / 2, abs=1e-12)


def test_average_delay_and_series() -> None:
    u = RNG.normal(size=(20, 1))
    padded = np.concatenate((np.zeros(3), u[:, 0]))
    average = np.array([padded[k : k + 4].mean() for k in range(20)])
    assert respond(moving_average(4), u)[:, 0] == pytest.approx(average, abs=1e-14)
    late = np.concatenate((np.zeros(3), average[:-3]))
    assert respond(moving_average(4).then(delay_line(3)), u)[:, 0] == pytest.approx(late, abs=1e-14)
    assert respond(delay_line(0), u) == pytest.approx(u)
    two = RNG.normal(size=(20, 2))
    both = np.stack([respond(moving_average(3), two[:, [k]])[:, 0] for k in (0, 1)], axis=1)
    assert respond(moving_average(3).repeated(2), two) == pytest.approx(both, abs=1e-14)


def test_bilinear_transform_and_transfer_function_in_z() -> None:
    u = RNG.normal(size=(40, 1))
    b, a = signal.bilinear([0.1, 1.0], [0.001, 0.02, 1.0], fs=500.0)
    assert respond(bilinear([0.1, 1.0], [0.001, 0.02, 1.0], 0.002), u)[:, 0] == pytest.approx(
        signal.lfilter(b, a, u[:, 0]), abs=1e-10
    )
    undershooting = bilinear([-1.0, 4.0], [1.0, 1.0], 0.5)  # a zero at s = 2/T: no numerator at z
    assert undershooting.D[0][0] == 0.0
    # (4 - s)/(1 + s), s = 4 (z - 1)/(z + 1): (8)/(5 z - 3)
    assert respond(undershooting, u)[:, 0] == pytest.approx(signal.lfilter([0.0, 8.0], [5.0, -3.0], u[:, 0]), abs=1e-12)
    b, a = [2.0, -1.0, 0.5, 0.25], [2.0, 0.3]
    assert respond(state_space(b, a), u)[:, 0] == pytest.approx(signal.lfilter(b, a, u[:, 0]), abs=1e-12)


def test_filtered_controller_is_filter_then_controller() -> None:
    inner = fx.control.PID(
        ANGLE, motor(), 1e-3, 4.0, 2.0, 0.1, rate=None, filter_time=0.01, name="arm", delay=1, offset=0.5
    )
    outer = fx.control.FilteredController(inner, low_pass(50.0, 1e-3, 2))
    assert (outer.name, outer.period, outer.delay, outer.offset) == ("arm", 1e-3, 1, 0.5)
    u = RNG.normal(size=(30, 1))
    assert run(outer, u) == pytest.approx(run(inner, respond(low_pass(50.0, 1e-3, 2), u)), abs=1e-13)
    vector = fx.control.StateFeedback((ANGLE, RATE), motor(), 1e-3, [[1.0, 2.0]])
    assert fx.control.FilteredController(vector, moving_average(2)).filter.n_inputs == 2


SYSTEM = low_pass(10.0, 0.01)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fx.control.PID(ANGLE, motor(), 0.0, 1.0), "period must be greater than 0"),
        (lambda: fx.control.PID(ANGLE, motor(), 0.1), "all gains are zero"),
        (lambda: fx.control.PID(ANGLE, motor(), 0.1, 1.0, limits=(1, -1)), r"limits must be \(smallest, largest\)"),
        (lambda: fx.control.PID(ANGLE, (motor("a"), motor("b")), 0.1, 1.0), "actuator must be one"),
        (
            lambda: fx.control.PID(fx.control.PositionSensor(fx.ground.marker((0, 0, 0))), motor(), 0.1, 1.0),
            "gives 3 numbers",
        ),
        (
            lambda: fx.control.PID(ANGLE, motor(), 0.1, 1.0, rate=RATE, filter_time=0.1),
            "filter_time is for differences",
        ),
        (
            lambda: fx.control.Command([motor(), fx.control.Signal("s")], 0.1, (1.0, 2.0, 3.0)),
            "values must have 2 components, one for each actuator, not 3",
        ),
        (lambda: fx.control.Command(motor(), 0.1, "up"), "values must be a number, a function"),
        (
            lambda: fx.control.StateFeedback(ANGLE, motor(), 0.1, [[1.0]], feedforward=(1.0, 2.0)),
            "feedforward must have 1 components, one for each actuator, not 2",
        ),
        (lambda: fx.control.PID(ANGLE, motor(), 0.1, 1.0, reference="up"), "reference must be a number, a function"),
        (lambda: fx.control.PID(ANGLE, motor(), 0.1, 1.0, delay=0.5), "delay must be a whole number"),
        (lambda: fx.control.PID(ANGLE, motor(), 0.1, math.inf), "proportional must be finite"),
        (lambda: fx.control.StateFeedback(ANGLE, motor(), 0.1, [[1.0, 2.0]]), r"gain must have shape \(1, 1\)"),
        (lambda: fx.control.StateFeedback(ANGLE, motor(), 0.1, [[1.0]], reference=[1, 2]), "must have 1 components"),
        (lambda: fx.control.StateFeedback(ANGLE, (), 0.1, [[1.0]]), "there is no actuator"),
        (lambda: fx.control.StateFeedback("angle", motor(), 0.1, [[1.0]]), "expected a sensor such as"),
        (lambda: fx.control.StateFeedback(ANGLE, "motor", 0.1, [[1.0]]), "expected an actuator such as"),
        (lambda: fx.control.DiscreteStateSpace((ANGLE, RATE), motor(), 0.1, SYSTEM), "must have 2 inputs"),
        (lambda: fx.control.DiscreteStateSpace(ANGLE, motor(), 0.1, [[1.0]]), "system must be a DiscreteSystem"),
        (
            lambda: fx.control.DiscreteStateSpace(ANGLE, motor(), 0.1, SYSTEM, start=[1, 2]),
            r"start must have shape \(1,\)",
        ),
        (lambda: fx.control.Controller(ANGLE, motor(), 0.1, 3.0), "output must be a function of"),
        (
            lambda: fx.control.Controller(ANGLE, motor(), 0.1, lambda x, u, t: 0, update=3),
            "update must be a function of",
        ),
        (
            lambda: fx.control.Controller(ANGLE, motor(), 0.1, lambda x, u, t: 0, initial=[1, 2]),
            r"initial must have shape",
        ),
        (lambda: fx.control.FilteredController(ANGLE, SYSTEM), "expected a controller such as"),
        (
            lambda: fx.control.FilteredController(fx.control.PID(ANGLE, motor(), 0.1, 1.0), SYSTEM.repeated(2)),
            "filter must have 1",
        ),
        (lambda: low_pass(600.0, 1e-3), "cutoff must be less than 500"),
        (lambda: low_pass(10.0, 1e-3, 3), "order must be 1 or 2"),
        (lambda: bilinear([1, 0, 0], [1, 1], 0.1), "degree 2, more than the 1"),
        (lambda: state_space([1.0], [0.0, 1.0]), "must not start with zero"),
        (lambda: moving_average(0), "count must be at least 1"),
        (lambda: SYSTEM.then(SYSTEM.repeated(2)), "has 2 inputs, but this one has 1"),
        (lambda: DiscreteSystem([[1.0]], [[1.0, 2.0]], [[1.0]], [[0.0]]), r"B must have shape \(1, 1\)"),
    ],
)
def test_bad_controllers(make, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        make()
