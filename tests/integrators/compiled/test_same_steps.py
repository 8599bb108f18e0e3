"""Steps by the driver are those of the loop in Python, to the last bit."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics

BAR = Path(__file__).parents[3] / "docs" / "extending" / "planar_bar.py"
G = 9.81
BRIEF = fx.Output(every=0.1, energy=False)


def planar_bar():
    """The module of an element of a user's own."""
    if "planar_bar_of_a_user" not in sys.modules:
        spec = importlib.util.spec_from_file_location("planar_bar_of_a_user", BAR)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return sys.modules["planar_bar_of_a_user"]


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("output", [BRIEF, fx.Output(every=0.0233), fx.Output()], ids=["few", "between", "every"])
def test_slider_crank(both, models, index: int, output: fx.Output) -> None:
    """Long enough for a checkpoint within, and a last step that is not a whole one."""
    run = both(models.slider_crank(), 0.6005, 1e-3, index, output=output)
    assert len(run.steps) == 601
    assert run.t[-1] == 0.6005


@pytest.mark.parametrize("index", [2, 3])
def test_chain(both, models, index: int) -> None:
    both(models.chain(10), 0.3, 1e-3, index, output=BRIEF)


def test_cable(both, models) -> None:
    both(models.cable(20), 0.3, 1e-3, output=fx.Output(every=0.05))


@pytest.mark.parametrize("index", [2, 3])
def test_cable_with_joint_spring_and_varying_loads(both, models, index: int) -> None:
    """Powers of springs, dampers, dead and following loads; the spring turns with the plate by an angle."""

    def plate(body):
        tip = fx.PlanarRigidBody(0.5, 0.01, position=(1.25, 0), name="plate")
        hinge = fx.RevoluteJoint(body.end, tip, at=(1.2, 0), name="hinge")
        spring = fx.SpringDamper(
            fx.ground.marker((1.2, -1, 0)), tip.centre, stiffness=300.0, damping=2.0, name="spring"
        )
        coil = fx.TorsionSpring(hinge, stiffness=2.0, name="coil")
        blow = fx.PointForce(tip.marker((0.05, 0)), (3.0, 0), follower=True, history=lambda t: np.sin(40 * t))
        push = fx.PointForce(body.end, (0.0, 20.0), history=lambda t: min(1.0, 10 * t))
        return tip, hinge, spring, coil, blow, push

    run = both(models.cable(10, plate), 0.2, 1e-3, index, output=fx.Output(every=0.0333))
    assert abs(run.energy.dissipated[-1]) > 1e-3
    assert abs(run.energy.balance).max() < 0.05


@pytest.mark.parametrize("index", [2, 3])
def test_driven_mechanism(both, models, index: int) -> None:
    """A motion over full turns, which `Output` meets in between: turns are those of its time."""
    motor = lambda axle, block: fx.RotationDriver(axle, lambda t: 9.0 * np.sin(2.5 * t) ** 2)  # noqa: E731
    run = both(models.slider_crank(motor), 0.6, 1e-3, index, output=fx.Output(every=0.051))
    assert abs(run.residuals[:, 0]).max() < 1e-8
    assert abs(run.energy.work_drivers[-1]) > 1e-3


def test_rolling(both) -> None:
    wheel = fx.RigidBody(
        1.0, (0.01, 0.02, 0.01), position=(0, 0, 0.2), velocity=(1.0, 0, 0), angular_velocity=(0.3, 5.0, 0.2),
        name="wheel",
    )  # fmt: skip
    rolling = fx.RollingDisk(fx.ground, wheel, radius=0.2, axis=(0, 1, 0))
    with pytest.warns(RuntimeWarning):  # its spin about x and z lifts it, so velocities are adapted
        both(fx.Model(wheel, rolling, fx.Gravity((0, 0, -G))), 0.2, 2e-3)


def test_redundant_constraints(both, models) -> None:
    run = both(models.four_bar(), 0.5, 5e-3)
    assert len(run.redundant) == 3


def test_bristle_friction(both) -> None:
    """Its states are of first order, with rates in a kernel."""
    block = fx.RigidBody(2.0, (1, 1, 1), position=(0, 0, 0), velocity=(0.5, 0, 0), name="block")
    slide = fx.PrismaticJoint(fx.ground, block, at=(0, 0, 0), axis=(1, 0, 0), name="slide")
    friction = fx.BristleFriction(slide, coefficient=0.3, load=5.0, deflection=1e-3, damping=0.0, name="friction")
    run = both(fx.Model(block, slide, friction), 0.2, 1e-3, output=fx.Output(every=0.02))
    assert run.energy.dissipated[-1] > 0.01


def test_element_of_a_user(both, models) -> None:
    bar = planar_bar().PlanarBar()
    both(models.cable(4, element=bar), 0.1, 1e-4, output=BRIEF)


def test_an_element_without_damping_refuses_a_retardation_time() -> None:
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0, retardation_time=0.01)
    with pytest.raises(fx.ModelError, match=r"planar bar has no material damping.*retardation time is 0.01"):
        fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=planar_bar().PlanarBar(), stiffness=stiffness)


@pytest.mark.parametrize("output", [BRIEF, fx.Output(every=0.0123), fx.Output()], ids=["few", "between", "every"])
def test_frames_that_are_based_anew(both, models, output: fx.Output) -> None:
    """Markers on a spatial cable that turns over by half a turn, about one of its own ends."""
    run = both(models.ball_on_a_cable(), 0.9, 1e-3, output=output)
    frames = run.extra["near"][-9:].reshape(3, 3)
    assert abs(frames - np.eye(3)).max() > 0.1


@pytest.mark.parametrize("index", [2, 3])
def test_error_control_and_events(both, models, index: int) -> None:
    """Each step is a call; the event ends a step at its time."""
    stop = fx.control.Event(lambda view: view.t - 0.1234, name="late")
    control = fx.ErrorControl(1e-6)
    run = both(models.slider_crank(), 0.3, control, index, events=[stop])
    assert run.events[0].t == pytest.approx(0.1234)
    both(models.slider_crank(), 0.2, 1e-3, index, events=[stop])


def test_output_times(both, models) -> None:
    both(models.slider_crank(), 0.05, fx.FixedStep(1e-3), output=fx.Output(at=(0.0101, 0.0102, 0.03)))


def test_newton_options(both, models) -> None:
    model = fx.compile_model(models.chain(3))
    options = fx.NewtonOptions(jacobian_update="full")
    runs = [
        fx.simulate(model, 0.1, step=1e-3, integrator=fx.GeneralizedAlpha.hht(0.1, newton=options, compiled=c))
        for c in (False, True)
    ]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert runs[0].counts["factorisations"] == runs[1].counts["factorisations"]


def test_back_in_time(models) -> None:
    """Steps of negative size, from a state of its own."""
    dyn = Dynamics(fx.compile_model(models.slider_crank()))
    begun = fx.simulate(dyn.system, 0.1, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=False)).last
    found = []
    for compiled in (False, True):
        stepper = fx.GeneralizedAlpha(compiled=compiled).stepper(dyn, 1.0)
        state = begun
        for _ in range(20):
            state = stepper.step(state, -1e-3).state
        found.append(state)
    assert found[0].t < 0.0801
    for name in ("q", "v", "a", "aux", "lam"):
        assert np.array_equal(getattr(found[0], name), getattr(found[1], name)), name
