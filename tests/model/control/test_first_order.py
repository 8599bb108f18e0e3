"""First-order states: against scipy's linear simulation, derivatives, errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.model.control.first_order import linear_states, transfer_function

ANGLE, MOTOR = fx.control.JointSensor("hinge"), fx.control.JointActuator("hinge", name="motor")


@pytest.mark.parametrize(
    ("b", "a"),
    [([2.0], [1.0, 0.3]), ([1.0, 2.0, 3.0], [2.0, 0.5, 40.0]), ([1.0, 4.0], [1.0, 3.0, 2.0, 5.0])],
)
def test_transfer_function_answers_as_in_lsim(b: list[float], a: list[float]) -> None:
    system = transfer_function(b, a, ANGLE, MOTOR)

    def u(t: float) -> np.ndarray:
        return np.array([math.sin(3 * t)])

    solved = solve_ivp(
        lambda t, x: system.rates_at(x, u(t), t), (0, 4), system.start, rtol=1e-10, atol=1e-12, dense_output=True
    )
    found = [system.output_at(solved.sol(t), u(t), t)[0] for t in (1.0, 2.5, 4.0)]
    times = np.linspace(0, 4, 8001)
    _, y, _ = signal.lsim((b, a), np.sin(3 * times), times)
    assert found == pytest.approx(np.interp([1.0, 2.5, 4.0], times, y), abs=1e-6)
    poles = np.linalg.eigvals(system.jacobian_at(system.start, u(0.0), 0.0))
    assert np.sort_complex(poles) == pytest.approx(np.sort_complex(np.roots(a)))


def test_linear_states_and_default_output() -> None:
    A, B = [[0.0, 1.0], [-4.0, -0.5]], [[0.0], [2.0]]
    states = linear_states(A, B, ANGLE, start=[1.0, 2.0], name="lag")
    assert states.rates_at(states.start, np.array([3.0]), 0.0) == pytest.approx([2.0, 1.0])
    driving = fx.control.FirstOrder([5.0, 6.0], lambda x, u, t: -x, actuators=MOTOR)
    assert driving.output_at(driving.start, np.zeros(0), 0.0).tolist() == [5.0]
    through = linear_states(A, B, ANGLE, C=[[1.0, 0.0]], D=[[0.5]], actuators=MOTOR)
    assert through.output_at([2.0, 0.0], np.array([4.0]), 0.0).tolist() == [4.0]


def test_jacobian_by_differences_is_the_given_one() -> None:
    def rates(x: np.ndarray, u: np.ndarray, t: float) -> list[float]:
        return [math.sin(x[1]) * u[0], x[0] * x[1] + t]

    x, u = np.array([0.3, -0.7]), np.array([2.0])
    exact = [[0.0, 2.0 * math.cos(-0.7)], [-0.7, 0.3]]
    assert fx.control.FirstOrder(x, rates, ANGLE).jacobian_at(x, u, 1.0) == pytest.approx(np.array(exact), abs=1e-9)
    given = fx.control.FirstOrder(x, rates, ANGLE, jacobian=lambda x, u, t: exact)
    assert given.jacobian_at(x, u, 1.0).tolist() == exact
    single = fx.control.FirstOrder([1.0], lambda x, u, t: -3 * x, jacobian=lambda x, u, t: -3.0)
    assert single.jacobian_at([1.0], np.zeros(0), 0.0).tolist() == [[-3.0]]


def test_inputs_are_read_from_the_view(fake_view) -> None:
    view = fake_view(rows={("hinge", "angle"): (0.2, -0.3)}, values={"voltage": 12.0})
    states = fx.control.FirstOrder([0.0], lambda x, u, t: x, (ANGLE, fx.control.HeldSensor("voltage")))
    assert states.read(view).tolist() == [0.2, 12.0]
    assert fx.control.FirstOrder([0.0], lambda x, u, t: x).read(view).shape == (0,)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fx.control.FirstOrder([], lambda x, u, t: x), "start is empty"),
        (lambda: fx.control.FirstOrder([math.nan], lambda x, u, t: x), "start must be finite"),
        (lambda: fx.control.FirstOrder([1.0], 3.0), "rates must be a function of"),
        (lambda: fx.control.FirstOrder([1.0], lambda x, u, t: x, "angle"), "expected a sensor"),
        (lambda: fx.control.FirstOrder([1.0], lambda x, u, t: x, output=2), "output must be a function of"),
        (
            lambda: fx.control.FirstOrder([1.0], lambda x, u, t: x, actuators=(MOTOR, fx.control.Signal("s"))),
            "2 actuators, but 1 states",
        ),
        (lambda: linear_states([[1.0]], [[1.0, 2.0]], ANGLE), r"B must have shape \(1, 1\)"),
        (lambda: linear_states([[1.0, 2.0]], [[1.0]], ANGLE), r"A must have shape \(1, 1\)"),
        (lambda: linear_states([[1.0]], [[1.0]], ANGLE, actuators=MOTOR), "C is missing"),
        (lambda: transfer_function([1, 0], [2.0], ANGLE), "degree 1, more than the 0"),
        (lambda: transfer_function([1.0], [2.0], ANGLE), "no pole"),
        (lambda: transfer_function([1.0], [0.0, 2.0], ANGLE), "must not be zero|must not start with zero"),
    ],
)
def test_bad_states(make, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        make()


def test_rates_get_copies_which_they_may_write_to() -> None:
    def rates(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        x *= -2.0
        return x

    states = fx.control.FirstOrder([1.0, 2.0], rates)
    x = np.array(states.start)
    assert np.array_equal(states.rates_at(x, np.zeros(0), 0.0), [-2.0, -4.0])
    assert np.array_equal(x, states.start)


def test_failing_rates_are_named_with_the_time() -> None:
    for rates, match in (
        (lambda x, u, t: 1 / 0, "failed with ZeroDivisionError"),
        (lambda x, u, t: [1.0, math.inf], "must be finite"),
        (lambda x, u, t: [1.0], r"must have shape \(2,\)"),
    ):
        states = fx.control.FirstOrder([0.0, 0.0], rates, name="coil")
        with pytest.raises(ModelError, match=rf"FirstOrder 'coil': rates at t = 0\.5.*{match}"):
            states.rates_at(states.start, np.zeros(0), 0.5)
    states = fx.control.FirstOrder([0.0, 0.0], lambda x, u, t: x, jacobian=lambda x, u, t: [1.0], name="coil")
    with pytest.raises(ModelError, match=r"FirstOrder 'coil': jacobian at t = 0\.5"):
        states.jacobian_at(states.start, np.zeros(0), 0.5)
