"""Compiled steps of explicit Runge-Kutta: the bits of the loop in Python, and the motions of independent references."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from tests.integrators.compiled.conftest import same
from tests.integrators.compiled.test_control import Cart, controllers, same_samples
from tests.models.flexible_trees import arm
from tests.models.floating import chain

C = fx.control
G = 9.81
ORDERS = (2, 4, 5)
OUTPUTS = {"few": fx.Output(every=0.1, energy=False), "between": fx.Output(every=0.0233), "every": fx.Output()}
STEPS = {2: 1e-3, 4: 1e-3, 5: fx.ErrorControl(1e-8)}


def schemes(order: int = 4) -> list[fx.RungeKutta]:
    """In Python and compiled."""
    return [fx.RungeKutta(order=order, compiled=c) for c in (False, True)]


@pytest.fixture
def compared() -> Callable[..., fx.TimeSolution]:
    """Makes a run on both roads, and compares them; returns the compiled one."""

    def make(model: fx.Model, until: float, step: object, order: int = 4, **rest: object) -> fx.TimeSolution:
        system = fx.compile_model(model)
        runs = [fx.simulate(system, until, step=step, integrator=s, **rest) for s in schemes(order)]
        same(*runs)
        assert runs[1].counts["compiled_steps"] > 0.9 * len(runs[1].steps)
        assert not runs[1].counts["kept_in_python"]
        assert [(e.name, e.t) for e in runs[0].events] == [(e.name, e.t) for e in runs[1].events]
        return runs[1]

    return make


# --- the same bits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_slider_crank(compared, models, order: int, output: fx.Output) -> None:
    """Constraints, which are met again after each step; over a checkpoint, and a last step that is not a whole one."""
    step = {2: 1e-3, 4: 1e-3, 5: fx.ErrorControl(1e-9, max_step=2e-3)}[order]
    run = compared(models.slider_crank(), 0.6005, step, order, output=output)
    assert run.t[-1] == 0.6005
    assert len(run.steps) > 256
    assert output.energy is False or abs(run.residuals[:, 0]).max() < 1e-12


@pytest.mark.parametrize("rtol", [1e-6, 1e-10])
@pytest.mark.parametrize("order", ORDERS)
def test_error_control(compared, rtol: float, order: int) -> None:
    """A free body that spins fast: constant mass without constraints, whose factors are made once."""
    body = fx.RigidBody(1.0, (1.0, 1.5, 1.8), angular_velocity=(20.0, 0.1, 5.0), name="body")
    step = fx.ErrorControl(rtol, initial_step=0.03)
    run = compared(fx.Model(body), {2: 0.2, 4: 1.0, 5: 2.0}[order], step, order, output=fx.Output(every=0.0233))
    assert run.counts["rejected"] > 0
    assert run.counts["factorisations"] < 0.1 * len(run.steps) + 10


@pytest.mark.parametrize("order", ORDERS)
def test_cable_with_varying_loads(compared, models, order: int) -> None:
    """Functions of time at every stage; powers of springs, dampers and loads."""

    def plate(body):
        tip = fx.PlanarRigidBody(0.5, 0.01, position=(1.25, 0), name="plate")
        hinge = fx.RevoluteJoint(body.end, tip, at=(1.2, 0), name="hinge")
        spring = fx.SpringDamper(
            fx.ground.marker((1.2, -1, 0)), tip.centre, stiffness=300.0, damping=2.0, name="spring"
        )
        blow = fx.PointForce(tip.marker((0.05, 0)), (3.0, 0), follower=True, history=lambda t: np.sin(40 * t))
        push = fx.PointForce(body.end, (0.0, 20.0), history=lambda t: min(1.0, 10 * t))
        return tip, hinge, spring, blow, push

    run = compared(models.cable(10, plate), 0.03, 5e-5 if order == 2 else 1e-4, order, output=fx.Output(every=0.00333))
    assert abs(run.energy.dissipated[-1]) > 1e-6
    assert abs(run.energy.balance).max() < 1e-3 * abs(run.energy.kinetic).max()


@pytest.mark.parametrize("step", [1e-3, fx.ErrorControl(1e-6)], ids=["fixed", "controlled"])
def test_driven_mechanism(compared, models, step: object) -> None:
    """A motion over full turns; under error control, where sizes are not known beforehand, each step is a call."""
    motor = lambda axle, block: fx.RotationDriver(axle, lambda t: 9.0 * np.sin(2.5 * t) ** 2)  # noqa: E731
    run = compared(models.slider_crank(motor), 0.3, step, 5, output=fx.Output(every=0.051))
    assert abs(run.energy.work_drivers[-1]) > 1e-3


def pendulum_tree(links: int) -> fx.Model:
    rods = [
        fx.trees.Link(f"rod {i}", 1.0, (0.01, 1 / 12, 1 / 12), (0.5, 0, 0), f"rod {i - 1}" if i else None,
                      fx.trees.Revolute((0, 1, 0)), (float(i > 0), 0, 0)) for i in range(links)
    ]  # fmt: skip
    return fx.Model(fx.trees.Tree(*rods, name="rods"), fx.Gravity((0, 0, -G)))


@pytest.mark.parametrize("order", ORDERS)
def test_tree(compared, order: int) -> None:
    """Its mass is made anew at every stage, without the tangent that generalized-alpha has it from."""
    step = STEPS[order]
    run = compared(pendulum_tree(3), 0.3, step, order, output=fx.Output(every=0.0233))
    assert abs(run.energy.balance).max() < (1e-4 if order == 2 else 1e-7)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.AccuracyWarning")  # start, stiffness
@pytest.mark.parametrize("make", [chain, lambda: arm(True)], ids=["floating", "flexible tree"])
def test_masses_that_change(compared, make: Callable[[], fx.Model]) -> None:
    run = compared(make(), 0.002, 2e-6, output=fx.Output(every=0.000233))
    assert np.abs(np.diff(run.q, axis=0)).max() > 0.0


def test_controllers(compared) -> None:
    """All kinds of controllers, whose samples begin steps anew; with steps between samples, too."""
    runs = []
    for scheme in schemes():
        setup = Cart()
        model = setup.model(*controllers(setup))
        runs.append(fx.simulate(model, 0.1, step=5e-4, integrator=scheme, output=fx.Output(every=0.01)))
    same(*runs)
    same_samples(runs)
    assert runs[1].counts["compiled_steps"] == len(runs[1].steps)


@pytest.mark.parametrize("order", [4, 5])
def test_events(compared, models, order: int) -> None:
    """Located on the interpolant of the scheme; several a swing."""

    def pulled(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.SpringDamper:
        return fx.SpringDamper(
            fx.ground.marker((0.8, 0, 0)), block.centre, stiffness=60.0, free_length=0.4, name="spring"
        )

    model = models.slider_crank(pulled)
    block = model.body("block")
    events = [
        C.Event(C.PositionSensor(block, (1, 0, 0)), level=0.21, name="there"),
        C.Event(C.VelocitySensor(block, (1, 0, 0)), name="turns"),
    ]
    run = compared(model, 0.7, STEPS[order], order, output=fx.Output(every=0.0233, energy=False), events=events)
    assert {event.name for event in run.events} == {"there", "turns"}


def test_going_on_is_bitwise(models, tmp_path) -> None:
    """Over a checkpoint, from memory and from a file, in Python from what the driver began and the other way round."""
    model, (python, compiled) = models.slider_crank(), schemes()
    whole = fx.simulate(model, 0.9, step=1e-3, integrator=compiled)
    for first, second in ((compiled, compiled), (compiled, python), (python, compiled)):
        begun = fx.simulate(model, 0.3217, step=1e-3, integrator=first)
        ends = [fx.simulate(model, 0.9, step=1e-3, integrator=s, start=begun) for s in (second, python)]
        assert np.array_equal(ends[0].q, ends[1].q)
    fx.simulate(model, 0.6, step=1e-3, integrator=compiled, file=tmp_path / "begun.h5")
    rest = fx.simulate(model, 0.9, step=1e-3, integrator=compiled, start=fx.load(tmp_path / "begun.h5"))
    for name in ("q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name)[1:], getattr(whole, name)[1 - len(rest.t) :]), name


# --- what Python makes -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::flexmbs.AccuracyWarning")
def test_a_failure_keeps_what_was_found(models) -> None:
    """The same steps, and the same words: steps that must not be divided do not resolve the axial waves of a cable."""
    found = []
    for scheme in schemes():
        with pytest.raises(fx.FlexmbsError) as caught:
            fx.simulate(models.cable(20), 1.0, step=fx.FixedStep(5e-3, max_halvings=0), integrator=scheme)
        found.append((str(caught.value), caught.value.solution))
    assert found[0][0] == found[1][0]
    assert "grows without bound" in found[0][0]
    assert len(found[0][1]) == len(found[1][1]) > 1
    assert np.array_equal(found[0][1].q, found[1][1].q)


@pytest.mark.filterwarnings("ignore::flexmbs.AccuracyWarning")
def test_steps_that_grow_are_divided_in_python(models) -> None:
    """Steps of 5 ms do not resolve the axial waves of a cable."""
    runs = [fx.simulate(models.cable(20), 0.1, step=5e-3, integrator=s) for s in schemes()]
    same(*runs)
    assert runs[1].counts["rejected"] > 0


def test_what_prevents_a_driver_is_named(models) -> None:
    for model, scheme, reason in (
        (models.four_bar(), {}, "constraints follow from others"),
        (models.slider_crank(), {"constraints": fx.integrators.NullSpace()}, "constraints are kept by NullSpace"),
    ):
        with pytest.raises(fx.ModelError, match=f"cannot be compiled: {reason}"):
            fx.simulate(model, 0.01, step=1e-3, integrator=fx.RungeKutta(compiled=True, **scheme))
        run = fx.simulate(model, 0.12, step=1e-3, integrator=fx.RungeKutta(**scheme))
        assert run.counts["kept_in_python"][0].startswith(f"all steps: {reason}")
    with pytest.raises(fx.ModelError, match="compiled"):
        fx.RungeKutta(compiled="yes")


def test_without_constraints_whatever_keeps_them(compared) -> None:
    body = fx.RigidBody(1.0, (1.0, 1.5, 1.8), angular_velocity=(2.0, 0.1, 5.0), name="body")
    runs = [
        fx.simulate(
            fx.Model(body), 0.2, step=1e-3,
            integrator=fx.RungeKutta(constraints=fx.integrators.Baumgarte(time_constant=0.1), compiled=c),
        )
        for c in (False, True)
    ]  # fmt: skip
    same(*runs)
    assert runs[1].counts["compiled_steps"] == len(runs[1].steps)


def test_no_tangent_is_written(models) -> None:
    """Nor anything of the other scheme: what a text does not name is not compiled (tests/test_first_run.py)."""
    texts = {}
    for scheme in (fx.RungeKutta(compiled=True), fx.GeneralizedAlpha(compiled=True)):
        system = fx.compile_model(models.slider_crank())
        dyn = Dynamics(system)
        dyn.set_time(0.0)
        texts[type(scheme)] = scheme.stepper(dyn, 1.0).choice.driver.module.text
    assert "joint_gamma" in texts[fx.RungeKutta]
    assert "joint_coupling" not in texts[fx.RungeKutta]
    assert "newton_step" not in texts[fx.RungeKutta]
    assert "gyroscopic_tangent" in texts[fx.GeneralizedAlpha]
    assert "gyroscopic_tangent" not in texts[fx.RungeKutta]
    assert "explicit_stages" not in texts[fx.GeneralizedAlpha]


# --- independent references ------------------------------------------------------------------------------------------


def angle(t: float, rate: float) -> float:
    """Of a uniform rod of length 1 that falls from the horizontal about its end, by SciPy."""
    found = solve_ivp(
        lambda t, x: (x[1], -1.5 * G * np.cos(x[0])), (0.0, t), (0.0, rate), method="DOP853", rtol=1e-13, atol=1e-13
    )  # fmt: skip
    return float(found.y[0, -1])


def hinged(rate: float) -> tuple[fx.Model, object]:
    rod = fx.PlanarRigidBody(
        1.0, 1 / 12, position=(0.5, 0), velocity=(0, 0.5 * rate), angular_velocity=rate, name="rod"
    )
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge")
    return fx.Model(rod, hinge, fx.Gravity((0, -G))), hinge


def relative(rate: float) -> tuple[fx.Model, object]:
    link = fx.trees.Link(
        "rod", 1.0, (0.01, 1 / 12, 1 / 12), (0.5, 0, 0), None, fx.trees.Revolute((0, -1, 0)), (0, 0, 0), rate=rate
    )
    tree = fx.trees.Tree(link, name="tree")
    return fx.Model(tree, fx.Gravity((0, 0, -G))), None


@pytest.mark.parametrize("make", [hinged, relative], ids=["constraints", "tree"])
@pytest.mark.parametrize("order", ORDERS)
def test_order_on_a_pendulum(order: int, make: Callable[..., tuple[fx.Model, object]]) -> None:
    """The angle against SciPy: errors fall with the order of the method."""
    (model, hinge), until = make(1.0), 0.5
    exact, errors = angle(until, 1.0), []
    for h in (0.01, 0.005):
        run = fx.simulate(model, until, step=float(h), integrator=fx.RungeKutta(order=order, compiled=True))
        assert run.counts["compiled_steps"] == len(run.steps)
        found = run.q[-1, 0] if hinge is None else run.coordinate(hinge, "angle")[-1]
        errors.append(abs(found - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)
