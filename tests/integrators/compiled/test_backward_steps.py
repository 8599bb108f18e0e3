"""Compiled steps of backward differentiation: the bits of the loop in Python, with its orders, sizes and work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.chunks import CHECKPOINT
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators import CorrectorOptions
from tests.integrators.compiled.conftest import same
from tests.integrators.compiled.test_control import Cart, controllers, same_samples
from tests.integrators.compiled.test_runs import fail_alike
from tests.integrators.compiled.test_user_functions import as_in_python, machine
from tests.models.flexible_trees import arm
from tests.models.floating import bar

C = fx.control
G = 9.81
OUTPUTS = {"few": fx.Output(every=0.1, energy=False), "between": fx.Output(every=0.0233), "every": fx.Output()}
CONTROLLED = fx.ErrorControl(1e-6)


def schemes(**settings: Any) -> list[fx.BDF]:
    """In Python and compiled."""
    return [fx.BDF(compiled=c, **settings) for c in (False, True)]


def same_work(runs: list[fx.TimeSolution]) -> None:
    """States, orders and work agree, and what a run that goes on needs."""
    same(*runs)
    names = ["residuals", "matrices", "tangents", *(f"steps_of_order_{k}" for k in range(1, 6))]
    python, compiled = ([run.counts.get(name) for name in names] for run in runs)
    assert python == compiled
    for one, other in zip(runs[0].last, runs[1].last, strict=True):
        assert np.array_equal(one, other)


@pytest.fixture
def compared() -> Callable[..., fx.TimeSolution]:
    """Makes a run on both roads, and compares them; returns the compiled one."""

    def make(model: fx.Model, until: float, step: object, most: float = 0.9, **rest: Any) -> fx.TimeSolution:
        settings = {name: rest.pop(name) for name in ("max_order", "corrector") if name in rest}
        system = fx.compile_model(model)
        runs = [fx.simulate(system, until, step=step, integrator=s, **rest) for s in schemes(**settings)]
        same_work(runs)
        assert runs[1].counts["compiled_steps"] > most * len(runs[1].steps)
        assert [(e.name, e.t) for e in runs[0].events] == [(e.name, e.t) for e in runs[1].events]
        return runs[1]

    return make


def pulled(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.SpringDamper:
    """A spring that moves the slider-crank."""
    return fx.SpringDamper(fx.ground.marker((0.8, 0, 0)), block.centre, stiffness=60.0, free_length=0.4, name="spring")


def plate(body: Any) -> tuple[Any, ...]:
    """A planar body at the end of a cable, with springs, and loads that vary."""
    tip = fx.PlanarRigidBody(0.5, 0.01, position=(1.25, 0), name="plate")
    hinge = fx.RevoluteJoint(body.end, tip, at=(1.2, 0), name="hinge")
    spring = fx.SpringDamper(fx.ground.marker((1.2, -1, 0)), tip.centre, stiffness=300.0, damping=2.0, name="spring")
    coil = fx.TorsionSpring(hinge, stiffness=2.0, damping=0.01, name="coil")
    return tip, hinge, spring, coil


def passages(model: fx.Model) -> list[Any]:
    """The block of the slider-crank passes a place, and turns back."""
    block = model.body("block")
    return [
        C.Event(C.PositionSensor(block, (1, 0, 0)), level=0.21, name="there"),
        C.Event(C.VelocitySensor(block, (1, 0, 0)), name="turns"),
    ]


def double_pendulum() -> fx.Model:
    """Two rods in the plane."""
    rods = [
        fx.PlanarRigidBody(1.0, 1 / 12, position=(0.5 + i, 0), velocity=(0, 0.5 + i), angular_velocity=1.0, name=f"{i}")
        for i in range(2)
    ]
    hinges = [
        fx.RevoluteJoint(a, b, at=(float(i), 0), name=f"hinge {i}")
        for i, (a, b) in enumerate(((fx.ground, rods[0]), rods))
    ]
    return fx.Model(*rods, *hinges, fx.Gravity((0, -G)), name="double pendulum")


# --- the same bits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_slider_crank(compared, models, output: fx.Output) -> None:
    """Over a checkpoint; the crank turns over, where steps are rejected. All orders are met."""
    run = compared(models.slider_crank(pulled), 4.0, CONTROLLED, output=output)
    assert len(run.steps) > CHECKPOINT
    assert run.counts["rejected"] > 0
    assert all(run.counts[f"steps_of_order_{k}"] for k in range(1, 6))
    assert not run.counts["kept_in_python"]


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-10])
def test_tolerances(compared, rtol: float) -> None:
    """A planar double pendulum."""
    run = compared(double_pendulum(), 2.0, fx.ErrorControl(rtol), output=OUTPUTS["between"])
    assert run.counts["steps_of_order_3"] > 0


def test_a_free_body(compared) -> None:
    """Without constraints."""
    body = fx.RigidBody(1.0, (1.0, 1.5, 1.8), angular_velocity=(0.01, 60.0, 0.01), name="body")
    run = compared(fx.Model(body), 1.0, fx.ErrorControl(1e-5), output=OUTPUTS["between"])
    assert run.counts["rejected"] > 0


@pytest.mark.parametrize("max_order", [1, 2, 3, 4, 5])
def test_fixed_steps(compared, models, max_order: int) -> None:
    """From order 4 on the first are divided, each of them a call; over a checkpoint, and a last one cut short."""
    run = compared(models.slider_crank(), 0.3005, 1e-3, max_order=max_order, output=OUTPUTS["between"])
    assert len(run.steps) == 301 if max_order < 4 else len(run.steps) > 310
    assert run.counts["compiled_steps"] == len(run.steps)


def test_chain(compared, models) -> None:
    compared(models.chain(6), 0.2, CONTROLLED, output=OUTPUTS["few"])


@pytest.mark.parametrize("step", [CONTROLLED, 1e-3], ids=["controlled", "fixed"])
def test_cable(compared, models, step: object) -> None:
    """Springs with a joint, whose angles are counted; a flexible body without damping, at order 2."""
    run = compared(models.cable(8, plate), 0.1, step, output=fx.Output(every=0.0071))
    assert abs(run.energy.dissipated[-1]) > 1e-4


@pytest.mark.parametrize("step", [CONTROLLED, 1e-3], ids=["controlled", "fixed"])
def test_loads_and_motions_that_vary(compared, models, step: object) -> None:
    """Functions of time; under error control, where sizes are not known beforehand, each step is a call."""

    def motor(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.RotationDriver:
        return fx.RotationDriver(axle, lambda t: 9.0 * np.sin(2.5 * t) ** 2)

    def push(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.PointForce:
        return fx.PointForce(block.centre, (3.0, 0, 0), follower=True, history=lambda t: np.sin(40 * t))

    run = compared(models.slider_crank(motor, push), 0.3, step, output=fx.Output(every=0.051))
    assert abs(run.energy.work_drivers[-1]) > 1e-3


def test_a_body_in_a_floating_frame(compared) -> None:
    part = fx.FloatingBody(bar(modes=2), reference="left", damping=0.02, name="bar")
    hinge = fx.RevoluteJoint(fx.ground, part.interface("left", axis=(0, 1, 0)), name="hinge")
    compared(fx.Model(part, hinge, fx.Gravity((0, 0, -G))), 0.1, CONTROLLED, output=fx.Output(every=0.0071))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.AccuracyWarning")  # start, stiffness
def test_a_mass_that_changes(compared) -> None:
    compared(arm(), 0.05, CONTROLLED, output=fx.Output(every=0.0071))


def test_frames_that_are_based_anew(compared, models) -> None:
    """A spatial cable, whose hinge follows its tangent."""
    compared(models.ball_on_a_cable(), 0.2, CONTROLLED, output=fx.Output(every=0.0123))


@pytest.mark.parametrize("step", [fx.ErrorControl(1e-6, max_step=1e-3), 1e-3], ids=["controlled", "fixed"])
def test_first_order_states(compared, step: object) -> None:
    """Those of bristles, with rates in a kernel."""
    block = fx.RigidBody(2.0, (1, 1, 1), position=(0, 0, 0), velocity=(0.5, 0, 0), name="block")
    slide = fx.PrismaticJoint(fx.ground, block, at=(0, 0, 0), axis=(1, 0, 0), name="slide")
    friction = fx.BristleFriction(slide, coefficient=0.3, load=5.0, deflection=1e-3, damping=0.0, name="friction")
    run = compared(fx.Model(block, slide, friction), 0.2, step, output=fx.Output(every=0.02))
    assert run.energy.dissipated[-1] > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("make", [machine, as_in_python])
def test_functions_of_users(compared, make: Callable[[], fx.Model]) -> None:
    """Forces, states and controllers that numba compiles, and the same called in Python from within the steps."""
    run = compared(make(), 0.05, CONTROLLED, output=fx.Output(every=0.01))
    assert bool(run.counts["calls"]) == (make is as_in_python)


@pytest.mark.parametrize(("step", "max_order"), [(CONTROLLED, 5), (5e-4, 2), (5e-4, 5)])
def test_controllers(step: object, max_order: int) -> None:
    """All kinds; after samples that change held forces Python finds the accelerations, and the formulas start again."""
    runs = []
    for scheme in schemes(max_order=max_order):
        setup = Cart()
        model = setup.model(*controllers(setup))
        runs.append(fx.simulate(model, 0.05, step=step, integrator=scheme, output=fx.Output(every=0.01)))
    same_work(runs)
    same_samples(runs)
    assert runs[1].counts["compiled_steps"] == len(runs[1].steps) + runs[1].counts["rejected"]


@pytest.mark.parametrize("step", [CONTROLLED, 1e-3], ids=["controlled", "fixed"])
def test_events(compared, models, step: object) -> None:
    """Located on the polynomial of the formula, several a swing; and one that Python alone knows, at single steps."""
    model = models.slider_crank(pulled)
    events = passages(model)
    run = compared(model, 0.7, step, output=fx.Output(every=0.0233, energy=False), events=events)
    assert {event.name for event in run.events} == {"there", "turns"}
    late = C.Event(lambda view: view.t - 0.1234, name="late")
    again = compared(model, 0.2, step, events=[late])
    assert again.events[0].t == pytest.approx(0.1234)


def test_contact(compared) -> None:
    """Under error control contacts are looked at after every step, so each is a call; sizes follow the first touch."""
    ball = fx.RigidBody(1.0, (0.01, 0.01, 0.01), position=(0, 0, 0.5), angular_velocity=(0, 3.0, 0), name="ball")
    floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    law = fx.contact.HuntCrossleyLaw(stiffness=1e4, damping=0.5)
    touch = fx.Contact((floor, fx.contact.Sphere(ball, radius=0.1)), law, name="touch")
    compared(fx.Model(ball, touch, fx.Gravity((0, 0, -G))), 0.6, CONTROLLED, output=fx.Output(every=0.0233))


def test_going_on_is_bitwise(models, tmp_path) -> None:
    """Over a checkpoint, from memory and from a file, in Python from what the driver began and the other way round."""
    model, (python, compiled) = models.slider_crank(pulled), schemes()
    whole = fx.simulate(model, 4.0, step=CONTROLLED, integrator=python)
    assert len(whole.steps) > CHECKPOINT
    for first, second in ((compiled, compiled), (compiled, python), (python, compiled)):
        begun = fx.simulate(model, 0.3217, step=CONTROLLED, integrator=first)
        ends = [fx.simulate(model, 1.0, step=CONTROLLED, integrator=s, start=begun) for s in (second, python)]
        assert np.array_equal(ends[0].q, ends[1].q)
        assert np.array_equal(ends[0].steps, ends[1].steps)
    part = fx.ErrorControl(1e-6, max_steps=300)
    fx.simulate(model, 4.0, step=part, integrator=compiled, file=tmp_path / "begun.h5", throw=False)
    rest = fx.simulate(model, 4.0, step=CONTROLLED, integrator=compiled, start=fx.load(tmp_path / "begun.h5"))
    for name in ("q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name)[1:], getattr(whole, name)[1 - len(rest.t) :]), name


def test_going_on_from_another_scheme(models) -> None:
    """The memory of another scheme is no past."""
    model = models.slider_crank(pulled)
    for other in (fx.GeneralizedAlpha(), fx.RadauIIA()):
        begun = fx.simulate(model, 0.1, step=CONTROLLED, integrator=other)
        same_work([fx.simulate(model, 0.3, step=CONTROLLED, integrator=s, start=begun) for s in schemes()])


def test_back_in_time(models) -> None:
    """Steps of negative size, from a state with a past in the other direction."""
    dyn = Dynamics(fx.compile_model(models.slider_crank()))
    begun = fx.simulate(dyn.system, 0.1, step=CONTROLLED, integrator=fx.BDF(compiled=False)).last
    found = []
    for scheme in schemes():
        stepper = scheme.stepper(dyn, 1e-6)
        state = begun
        for _ in range(20):
            state = stepper.step(state, -1e-4).state
        found.append(state)
    assert dyn.compiled_steps == 20
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


# --- what Python makes -----------------------------------------------------------------------------------------------


def test_steps_that_fail_are_left_to_python(models) -> None:
    """Newton's method is given few iterations; sizes and orders after failures are the same."""
    few = CorrectorOptions(max_iterations=2)
    runs = [
        fx.simulate(models.slider_crank(pulled), 2.0, step=CONTROLLED, integrator=s) for s in schemes(corrector=few)
    ]
    same_work(runs)
    assert runs[1].counts["rejected"] > 10
    assert runs[1].counts["compiled_steps"] > 0.5 * len(runs[1].steps)


@pytest.mark.parametrize("step", [1e-3, fx.ErrorControl(1e-6, max_step=1e-3, min_step=1e-5)])
def test_a_failure_keeps_what_was_found(step: object) -> None:
    fail_alike(schemes(), step)


def test_it_is_told_where_compiled_steps_fail(models) -> None:
    """The matrix of a mechanism with redundant constraints needs pivots."""
    runs = [fx.simulate(models.four_bar(), 0.5, step=CONTROLLED, integrator=s) for s in schemes()]
    same_work(runs)
    assert len(runs[1].redundant) == 3
    counts = runs[1].counts
    told = any("compiled ones failed" in reason for reason in counts["kept_in_python"])
    assert told == (2 * counts["compiled_steps"] < counts["steps"])


def test_what_prevents_a_driver_is_named(models) -> None:
    for settings, reason in (
        ({"reuse": True}, "the iteration matrix is kept over steps"),
        ({"jacobian": "grouped"}, "the iteration matrix is made by differences"),
    ):
        corrector = CorrectorOptions(**settings)
        with pytest.raises(fx.ModelError, match=f"cannot be compiled: {reason}"):
            fx.simulate(models.slider_crank(), 0.01, integrator=fx.BDF(compiled=True, corrector=corrector))
        run = fx.simulate(models.slider_crank(), 0.15, step=1e-3, integrator=fx.BDF(corrector=corrector))
        assert run.counts["kept_in_python"][0].startswith(f"all steps: {reason}")
    with pytest.raises(fx.ModelError, match="compiled"):
        fx.BDF(compiled="yes")


def test_the_driver_is_taken_where_it_pays(models) -> None:
    """By default, once it is at hand; before, the reason is told."""
    system = fx.compile_model(models.slider_crank(pulled))
    fx.simulate(system, 0.5, step=CONTROLLED, integrator=fx.BDF(compiled=True))
    runs = [fx.simulate(system, 1.5, step=CONTROLLED, integrator=s) for s in (fx.BDF(compiled=False), fx.BDF())]
    same_work(runs)
    assert 0 < runs[1].counts["compiled_steps"] < len(runs[1].steps)
    few = fx.simulate(system, 0.01, step=CONTROLLED, integrator=fx.BDF())
    assert few.counts["kept_in_python"] == ("all steps: compiled steps pay from 100 steps on",)
