"""Arguments of time integration that mean nothing: refused with object, value and what was expected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx


def pendulum(*more) -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -9.81)), *more)


@pytest.fixture(scope="module")
def run() -> fx.TimeSolution:
    return fx.simulate(pendulum(), 0.05, step=0.01)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("until", [-1, -1e-9, NAN, INF, "2", None, True, [1], 1j, np.array([1.0])])
def test_until(until) -> None:
    with pytest.raises(fx.ModelError, match="simulate: until must be"):
        fx.simulate(pendulum(), until, step=0.01)


def test_until_before_the_end_of_the_start(run: fx.TimeSolution) -> None:
    with pytest.raises(fx.ModelError, match=r"until must be at least 0\.05"):
        fx.simulate(run.model, 0.04, step=0.01, start=run)


@pytest.mark.parametrize(
    "step", [0, -1, NAN, INF, 1e-300, 1e-30, "2", True, [1], fx.FixedStep, fx.GeneralizedAlpha(), fx.FixedStep(1e-20)]
)
def test_step(step) -> None:
    with pytest.raises(fx.ModelError, match=r"simulate: step must be"):
        fx.simulate(pendulum(), 0.1, step=step)


WRONG = {
    "integrator": ["x", 5, fx.GeneralizedAlpha, fx.FixedStep(0.1), fx.NewtonOptions(), False],
    "output": ["x", 5, fx.Output, {"every": 0.1}, 0.01, False],
    "start": ["x", 5, fx.TimeSolution, (0, 1), False],
    "events": ["x", 5, None, [5], [fx.control.Event], fx.control.Event(lambda view: 1.0)],
    "progress": ["x", None, 1],
    "throw": ["x", None, 1],
    "file": [5, "run.txt", ""],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_options(name: str, value) -> None:
    with pytest.raises(fx.ModelError, match=rf"simulate: {name}"):
        fx.simulate(pendulum(), 0.1, step=0.01, **{name: value})


@pytest.mark.parametrize("model", ["x", None, fx.Model, 5])
def test_model(model) -> None:
    with pytest.raises(fx.ModelError, match="simulate: expected a Model"):
        fx.simulate(model, 0.1)


def test_events_of_one_name() -> None:
    with pytest.raises(fx.ModelError, match=r"used twice.*'event'.*must differ"):
        fx.simulate(pendulum(), 0.1, events=[fx.control.Event(lambda view: 1.0), fx.control.Event(lambda view: 2.0)])


@pytest.mark.parametrize(
    "options",
    [{"every": 0}, {"every": -1}, {"every": "x"}, {"every": NAN}, {"every": True}, {"at": (2, 1)}, {"at": (1, 1)},
    {"at": "x"},     {"at": 5}, {"at": None}, {"at": (NAN,)}, {"at": ((1,),)}, {"energy": 1}, {"energy": None}],
)  # fmt: skip
def test_output(options) -> None:
    with pytest.raises(fx.ModelError, match=f"Output: {next(iter(options))} must"):
        fx.Output(**options)


def test_output_without_end() -> None:
    with pytest.raises(fx.ModelError, match="Output: every = 1e-12 makes more than"):
        fx.simulate(pendulum(), 1.0, step=0.01, output=fx.Output(every=1e-12))


@pytest.mark.parametrize("arguments", [(0,), (-1,), ("x",), (NAN,), (1, -3), (1, "a"), (1, 1.5), (1, 99), (1, None)])
def test_fixed_step(arguments) -> None:
    with pytest.raises(fx.ModelError, match=r"FixedStep: (h|max_halvings) must be"):
        fx.FixedStep(*arguments)


@pytest.mark.parametrize(
    "options",
    [{"rtol": 0}, {"rtol": 1}, {"rtol": NAN}, {"rtol": "x"}, {"initial_step": 0}, {"min_step": -1},
    {"max_step": "x"},     {"initial_step": 1e-4, "min_step": 1e-2}, {"initial_step": 1e-2, "max_step": 1e-3},
     {"min_step": 1e-2, "max_step": 1e-3}],
)  # fmt: skip
def test_error_control(options) -> None:
    with pytest.raises(fx.ModelError, match=r"ErrorControl: \w+ .*must"):
        fx.ErrorControl(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"rtol": 0},
        {"rtol": 1},
        {"rtol": "x"},
        {"jacobian_update": "x"},
        {"jacobian_update": None},
        {"jacobian_update": np.zeros(3)},
        {"max_iterations": 1},
        {"max_iterations": "x"},
        {"max_iterations": 2.5},
    ],
)
def test_newton_options(options) -> None:
    with pytest.raises(fx.ModelError, match=f"NewtonOptions: {next(iter(options))} must be"):
        fx.NewtonOptions(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"rho_inf": -0.1},
        {"rho_inf": 1.1},
        {"rho_inf": "x"},
        {"rho_inf": NAN},
        {"index": 1},
        {"index": "3"},
        {"index": True},
        {"newton": 5},
        {"coefficients": 0.25},
        {"coefficients": (0.0, 0.0, 0.25)},
    ],
)
def test_generalized_alpha(options) -> None:
    with pytest.raises(fx.ModelError, match=f"GeneralizedAlpha: {next(iter(options))} must be"):
        fx.GeneralizedAlpha(**options)


@pytest.mark.parametrize("alpha", [-0.1, 0.5, "x", NAN])
def test_hht(alpha) -> None:
    with pytest.raises(fx.ModelError, match=r"GeneralizedAlpha\.hht: alpha must be"):
        fx.GeneralizedAlpha.hht(alpha)


@pytest.mark.parametrize("arguments", [(0, 0.5), (0.25, 0.4), ("x", 0.5), (0.25, "x"), (0.25, NAN)])
def test_newmark(arguments) -> None:
    with pytest.raises(fx.ModelError, match=r"GeneralizedAlpha\.newmark: (beta|gamma) must be"):
        fx.GeneralizedAlpha.newmark(*arguments)


@pytest.mark.parametrize("name", ["nope", 5, None, slice(0, 1)])
def test_unknown_names(run: fx.TimeSolution, name) -> None:
    with pytest.raises(fx.ModelError, match=r"no joint named .*Known: 'hinge'"):
        run[name]
    for ask in (run.position, run.velocity, run.rotation, run.angle, run.reaction, run.coordinates, run.multipliers):
        with pytest.raises(fx.ModelError):
            ask(name)


def test_near_names_are_offered(run: fx.TimeSolution) -> None:
    with pytest.raises(fx.ModelError, match="did you mean 'hinge'"):
        run["hing"]


def test_coordinates_a_joint_does_not_have(run: fx.TimeSolution) -> None:
    with pytest.raises(fx.ModelError, match=r"'hinge' has no displacement; it has angle"):
        run.translation("hinge")
    with pytest.raises(fx.ModelError, match="expected a body such as"):
        run.shape(run.model.body("bar"), step=-1)


def test_bodies_of_other_models(run: fx.TimeSolution) -> None:
    stranger = fx.RigidBody(1.0, (1, 1, 1), name="stranger")
    for ask in (run.position, run.coordinates):
        with pytest.raises(fx.ModelError, match="'stranger' is not the one in this model"):
            ask(stranger)


numbers = st.one_of(st.floats(), st.integers(-5, 5), st.booleans(), st.none(), st.text(max_size=3))


@settings(max_examples=150, deadline=None)
@given(a=numbers, b=numbers, c=numbers)
def test_any_numbers_make_an_object_or_an_error_of_ours(a, b, c) -> None:
    makers = (
        lambda: fx.FixedStep(a, b), lambda: fx.ErrorControl(a, b, None, c), lambda: fx.ErrorControl(1e-6, a, b, c),
        lambda: fx.NewtonOptions(rtol=a, max_iterations=b, jacobian_update=c), lambda: fx.Output(every=a, at=(b, c)),
        lambda: fx.GeneralizedAlpha(rho_inf=a, index=b), lambda: fx.GeneralizedAlpha.newmark(a, b),
    )  # fmt: skip
    for make in makers:
        try:
            made = make()
        except fx.FlexmbsError:
            continue
        if isinstance(made, fx.FixedStep):
            assert 0 < made.h < INF
            assert made.smallest(1.0) <= made.h
        elif isinstance(made, fx.ErrorControl):
            assert 0 < made.rtol <= 0.1
            assert made.smallest(1.0) > 0
        elif isinstance(made, fx.GeneralizedAlpha):
            assert made.gamma >= 0.5
            assert made.beta > 0
