"""Compiled steps of the augmented Lagrangian, with their projections: the bits of the loop in Python, and its work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.integrators.implicit_step import NewtonOptions
from tests.integrators.compiled.conftest import same
from tests.integrators.compiled.test_backward_steps import passages, plate, pulled
from tests.integrators.compiled.test_control import Cart, controllers, same_samples
from tests.integrators.compiled.test_runs import fail_alike
from tests.integrators.compiled.test_user_functions import as_in_python, machine
from tests.models.floating import bar

G = 9.81
BETWEEN = fx.Output(every=0.0233)
STEPS = {"fixed": 1e-3, "controlled": fx.ErrorControl(1e-6, max_step=2e-3)}
either = pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())


def schemes(**settings: Any) -> list[fx.AugmentedLagrangian]:
    """In Python and compiled."""
    return [fx.AugmentedLagrangian(compiled=c, **settings) for c in (False, True)]


@pytest.fixture
def compared() -> Callable[..., fx.TimeSolution]:
    """Makes a run on both roads, and compares states, accounts and work; returns the compiled one."""

    def make(model: fx.Model, until: float, step: object, most: float = 0.9, **rest: Any) -> fx.TimeSolution:
        settings = {name: rest.pop(name) for name in ("penalty", "newton") if name in rest}
        system = fx.compile_model(model)
        python, compiled = (
            fx.simulate(system, until, step=step, integrator=s, output=BETWEEN, **rest) for s in schemes(**settings)
        )
        same(python, compiled)
        assert compiled.counts["compiled_steps"] > most * len(compiled.steps)
        assert [(e.name, e.t) for e in python.events] == [(e.name, e.t) for e in compiled.events]
        return compiled

    return make


# --- the same bits ---------------------------------------------------------------------------------------------------


@either
def test_slider_crank(compared, models, step: object) -> None:
    """The crank turns over; the equations are met where steps end."""
    run = compared(models.slider_crank(pulled), 0.4, step)
    assert run.residuals[-1].max() < 1e-10


@pytest.mark.parametrize("settings", [{"penalty": 1e4}, {"newton": NewtonOptions(jacobian_update="full")}])
def test_settings(compared, models, settings: dict[str, Any]) -> None:
    """A weak penalty takes more iterations; a matrix in every iteration takes more factors."""
    run, usual = (compared(models.slider_crank(pulled), 0.2, 1e-3, **more) for more in (settings, {}))
    work = [(r.counts["evaluations"], r.counts["factorisations"]) for r in (run, usual)]
    assert sum(work[0]) > sum(work[1])


def test_a_free_body(compared) -> None:
    """Without constraints there is nothing to be projected, and the forces are those at the end."""
    body = fx.RigidBody(1.0, (1.0, 1.5, 1.8), angular_velocity=(0.01, 6.0, 0.01), name="body")
    compared(fx.Model(body), 1.0, 2e-3)


@either
def test_cable(compared, models, step: object) -> None:
    """Springs with a joint, whose angles are counted, on a flexible body in the plane."""
    run = compared(models.cable(8, plate), 0.1, step)
    assert abs(run.energy.dissipated[-1]) > 1e-4


@either
def test_loads_and_motions_that_vary(compared, models, step: object) -> None:
    """The rates and accelerations of constraints are those of the driver at the end of each step."""

    def motor(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.RotationDriver:
        return fx.RotationDriver(axle, lambda t: 9.0 * np.sin(2.5 * t) ** 2)

    def push(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.PointForce:
        return fx.PointForce(block.centre, (3.0, 0, 0), follower=True, history=lambda t: np.sin(40 * t))

    run = compared(models.slider_crank(motor, push), 0.2, step)
    assert abs(run.energy.work_drivers[-1]) > 1e-3


def test_redundant_constraints(compared, models) -> None:
    """Multipliers that are not determined are those of least norm."""
    run = compared(models.four_bar(), 0.3, 1e-3, most=0.0)
    assert len(run.redundant) == 3


@pytest.mark.slow
def test_a_body_in_a_floating_frame(compared) -> None:
    """The mass of both matrices changes with the state."""
    part = fx.FloatingBody(bar(modes=2), reference="left", damping=0.02, name="bar")
    hinge = fx.RevoluteJoint(fx.ground, part.interface("left", axis=(0, 1, 0)), name="hinge")
    compared(fx.Model(part, hinge, fx.Gravity((0, 0, -G))), 0.1, 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("make", [machine, as_in_python])
def test_functions_of_users(compared, make: Callable[[], fx.Model]) -> None:
    """Forces, states and controllers that numba compiles, and the same called in Python from within the steps."""
    run = compared(make(), 0.05, 1e-3)
    assert bool(run.counts["calls"]) == (make is as_in_python)


@either
def test_controllers(step: object) -> None:
    """All kinds; after samples that change held forces, accelerations are found anew with the constraints rigid."""
    runs = []
    for scheme in schemes():
        setup = Cart()
        model = setup.model(*controllers(setup))
        runs.append(fx.simulate(model, 0.05, step=step, integrator=scheme, output=fx.Output(every=0.01)))
    same(*runs)
    same_samples(runs)
    assert runs[1].counts["compiled_steps"] == len(runs[1].steps) + runs[1].counts["rejected"]


@pytest.mark.slow
@either
def test_events(compared, models, step: object) -> None:
    """Located between projected states."""
    model = models.slider_crank(pulled)
    run = compared(model, 0.7, step, events=passages(model))
    assert {event.name for event in run.events} == {"there", "turns"}


def test_going_on_is_bitwise(models) -> None:
    """In Python from what the driver began, and the other way round."""
    model, (python, compiled) = models.slider_crank(pulled), schemes()
    for first, second in ((compiled, compiled), (compiled, python), (python, compiled)):
        begun = fx.simulate(model, 0.2, step=1e-3, integrator=first)
        ends = [fx.simulate(model, 0.4, step=1e-3, integrator=s, start=begun) for s in (second, python)]
        same(*ends)


# --- what Python makes -----------------------------------------------------------------------------------------------


def test_a_failure_keeps_what_was_found() -> None:
    fail_alike(schemes())


def test_compiled_is_checked() -> None:
    with pytest.raises(fx.ModelError, match="compiled"):
        fx.AugmentedLagrangian(compiled="yes")
