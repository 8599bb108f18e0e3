"""Substructures in compiled steps, to the last bit as in the loop in Python: several sets, joints, springs, events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from tests.integrators.compiled.conftest import same
from tests.models.substructures import branches, tumbling

C = fx.control
BRIEF = fx.Output(every=0.0133)
FIXED, CONTROLLED = 1e-3, fx.ErrorControl(1e-5)


def alpha(compiled: bool) -> fx.GeneralizedAlpha:
    return fx.GeneralizedAlpha(rho_inf=0.8, compiled=compiled)


@pytest.fixture
def compared() -> Callable[..., fx.TimeSolution]:
    """Makes a run on both roads by any scheme, and compares them; returns the compiled one."""

    def make(
        model: fx.Model, until: float, step: object, scheme: Callable[[bool], Any], **rest: Any
    ) -> fx.TimeSolution:
        system = fx.compile_model(model)
        runs = [fx.simulate(system, until, step=step, integrator=scheme(c), **rest) for c in (False, True)]
        same(*runs)
        assert runs[1].counts["compiled_steps"] > 0.9 * len(runs[1].steps)
        return runs[1]

    return make


@pytest.mark.parametrize("step", [FIXED, CONTROLLED], ids=["fixed", "controlled"])
@pytest.mark.parametrize("index", [2, 3])
def test_generalized_alpha(both, index: int, step: object) -> None:
    """Three sets of unequal sizes that share frames, with gravity, joints and a spring at a point between frames."""
    run = both(branches(), 0.04, step, index, output=BRIEF)
    assert run.counts["compiled_steps"] == len(run.steps)
    assert np.diff(run.energy.balance).max() <= 0.0  # but for what the material takes
    assert np.abs(np.diff(run.q, axis=0)).max() > 1e-3


@pytest.mark.parametrize("step", [FIXED, CONTROLLED], ids=["fixed", "controlled"])
def test_backward_differentiation(compared, step: object) -> None:
    compared(branches(), 0.04, step, lambda c: fx.BDF(compiled=c), output=BRIEF)


@pytest.mark.slow
@pytest.mark.parametrize("order", [4, 5])
@pytest.mark.parametrize("make", [branches, tumbling])
def test_explicit_stages(compared, make: Callable[[], fx.Model], order: int) -> None:
    """The mass with what others add at shared frames is made anew at each stage, beside constraints and without."""
    step = 1e-4 if order == 4 else fx.ErrorControl(1e-6)
    compared(make(), 4e-3, step, lambda c: fx.RungeKutta(order=order, compiled=c), output=fx.Output(every=1.33e-3))


@pytest.mark.slow
def test_free_flight(both) -> None:
    """No constraint, and no elasticity but that of substructures: momentum is conserved."""
    run = both(tumbling(), 0.3, 2e-3, output=BRIEF)
    P, L = run.momentum()
    assert np.abs(P - P[0]).max() < 1e-5 * np.abs(P[0]).max()
    assert np.abs(L - L[0]).max() < 1e-5 * np.abs(L[0]).max()


def test_every_state_is_stored(both) -> None:
    both(branches(), 0.02, FIXED, output=fx.Output())


@pytest.mark.parametrize("scheme", [alpha, lambda c: fx.RungeKutta(compiled=c)], ids=["alpha", "explicit"])
def test_gravity_that_varies(compared, scheme: Callable[[bool], Any]) -> None:
    """Its factors are tabulated ahead, and its power is what changes the energy."""
    model = branches(lambda t: 1.0 + 0.5 * np.sin(60.0 * t), damped=False)
    until, step = (0.05, FIXED) if scheme is alpha else (4e-3, 1e-4)
    run = compared(model, until, step, scheme, output=fx.Output(every=until / 7.3))
    assert abs(run.energy.work_loads[-1]) > 1e-4
    assert abs(run.energy.balance).max() < 2e-3 * abs(run.energy.work_loads).max() + 1e-6


@pytest.mark.slow
def test_events_at_a_point_between_frames(both, chunks) -> None:
    """Sensors of a point within a substructure, of a frame, and of a joint."""
    model = branches()
    point = model.substructures[0].node(1)
    events = [
        C.Event(C.PositionSensor(point, (0, 0, 1)), level=-0.001, name="point"),
        C.Event(C.PositionSensor(model.body("tip").centre, (0, 0, 1)), level=-0.02, name="tip"),
        C.Event(C.JointSensor("hinge"), level=9.0, name="never"),
    ]
    run = both(model, 0.08, FIXED, output=BRIEF, events=events)
    assert {event.name for event in run.events} == {"point", "tip"}
    assert sum(chunks) > 0.8 * len(run.steps)


def test_going_on_is_bitwise(tmp_path) -> None:
    """From memory and from a file, in Python from what the driver began and the other way round."""
    model = branches()
    whole = fx.simulate(model, 0.04, step=FIXED, integrator=alpha(True))
    for first in (False, True):
        file = tmp_path / f"begun_{first}.h5"
        begun = fx.simulate(model, 0.02, step=FIXED, integrator=alpha(first), file=file)
        for start in (begun, fx.load(file)):
            for second in (False, True):
                rest = fx.simulate(start.model, 0.04, step=FIXED, integrator=alpha(second), start=start)
                assert np.array_equal(rest.q[-1], whole.q[-1])
                assert rest.energy.total[-1] == pytest.approx(whole.energy.total[-1], abs=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the ball turns freely
def test_linear_analyses_after_compiled_steps() -> None:
    """One system for all: compiled steps leave nothing behind in it."""
    used, fresh = fx.compile_model(branches()), fx.compile_model(branches())
    fx.simulate(used, 0.02, step=FIXED, integrator=alpha(True))
    hanging = [fx.solve_static(system, fx.StaticOptions(progress=False)) for system in (used, fresh)]
    assert np.array_equal(hanging[0].q, hanging[1].q)
    assert np.array_equal(*(fx.solve_modal(found).eigenvalues for found in hanging))
