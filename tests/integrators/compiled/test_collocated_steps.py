"""Compiled steps of Radau IIA: the bits of the loop in Python, with its sizes, its matrices and its work."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.chunks import CHECKPOINT
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators import complex_system
from flexmbs.integrators.radau_matrix import RadauMatrix
from flexmbs.integrators.stepper import Stepper
from flexmbs.verification.cases.mechanisms import integrators as known
from tests.integrators.compiled.conftest import same
from tests.integrators.compiled.test_backward_steps import double_pendulum, passages, plate, pulled
from tests.integrators.compiled.test_border import belt, wheel
from tests.integrators.compiled.test_control import Cart, controllers, same_samples
from tests.integrators.compiled.test_runs import fail_alike
from tests.integrators.compiled.test_user_functions import as_in_python, machine

C = fx.control
G = 9.81
OUTPUTS = {"few": fx.Output(every=0.1, energy=False), "between": fx.Output(every=0.0233), "every": fx.Output()}
CONTROLLED = fx.ErrorControl(1e-6)


def schemes(**settings: Any) -> list[fx.RadauIIA]:
    """In Python and compiled."""
    return [fx.RadauIIA(compiled=c, **settings) for c in (False, True)]


def same_work(runs: list[fx.TimeSolution]) -> None:
    """States and work agree, and what a run that goes on needs."""
    same(*runs)
    for one, other in zip(runs[0].last, runs[1].last, strict=True):
        assert np.array_equal(one, other)


@pytest.fixture
def compared() -> Callable[..., fx.TimeSolution]:
    """Makes a run on both roads, and compares them; returns the compiled one."""

    def make(model: fx.Model, until: float, step: object, most: float = 0.9, **rest: Any) -> fx.TimeSolution:
        settings = {name: rest.pop(name) for name in ("max_iterations", "strictness") if name in rest}
        system = fx.compile_model(model)
        runs = [fx.simulate(system, until, step=step, integrator=s, **rest) for s in schemes(**settings)]
        same_work(runs)
        assert runs[1].counts["compiled_steps"] > most * len(runs[1].steps)
        assert [(e.name, e.t) for e in runs[0].events] == [(e.name, e.t) for e in runs[1].events]
        return runs[1]

    return make


def falling_cable() -> fx.Model:
    """Its axial stiffness limits Newton's method."""
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=10.0, mass_per_length=1.0)
    rod = fx.FlexibleBody.line(
        (0, 0), (10, 0), elements=20, element=fx.elements.ANCFCable2D(), stiffness=stiffness, name="rod"
    )
    return fx.Model(rod, fx.Pin(rod.start), fx.Gravity((0, -G)))


# --- the same bits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_slider_crank(compared, models, output: fx.Output) -> None:
    """The crank turns over, where steps are rejected."""
    run = compared(models.slider_crank(pulled), 4.0, CONTROLLED, output=output)
    assert run.counts["rejected"] > 0
    assert not run.counts["kept_in_python"]


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-10])
def test_tolerances(compared, rtol: float) -> None:
    """A planar double pendulum."""
    compared(double_pendulum(), 2.0, fx.ErrorControl(rtol), output=OUTPUTS["between"])


def test_a_free_body(compared) -> None:
    """Without constraints; it tumbles, so the Jacobian is not kept for long."""
    body = fx.RigidBody(1.0, (1.0, 1.5, 1.8), angular_velocity=(0.01, 60.0, 0.01), name="body")
    compared(fx.Model(body), 1.0, fx.ErrorControl(1e-5), output=OUTPUTS["between"])


def test_fixed_steps(compared, models) -> None:
    """Over a checkpoint, where Jacobians are forgotten; a last step is cut short."""
    until = 1e-3 * (CHECKPOINT + 100.5)
    run = compared(models.slider_crank(), until, 1e-3, output=OUTPUTS["between"])
    assert run.counts["compiled_steps"] == len(run.steps) == CHECKPOINT + 101


def test_a_jacobian_that_is_kept(compared) -> None:
    """A mass on a spring has one for ever, and one pair of factors for each size of step."""
    mass = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker_at((-50.0, 0, 0)), mass.centre, stiffness=4.0, free_length=50.0, name="spring"
    )
    run = compared(fx.Model(mass, spring), 5.0, 0.05)
    assert run.counts["factorisations"] < 10


def test_chain(compared, models) -> None:
    compared(models.chain(6), 0.2, CONTROLLED, output=OUTPUTS["few"])


@pytest.mark.parametrize("step", [CONTROLLED, 1e-3], ids=["controlled", "fixed"])
def test_cable(compared, models, step: object) -> None:
    """Springs with a joint, whose angles are counted."""
    run = compared(models.cable(8, plate), 0.1, step, output=fx.Output(every=0.0071))
    assert abs(run.energy.dissipated[-1]) > 1e-4


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_second_attempts(compared, tolerance: float) -> None:
    """Convergence is slow: steps are made again with the matrix of where they were going, or smaller ones."""
    run = compared(falling_cable(), 1.0, fx.ErrorControl(tolerance), most=0.5)
    assert run.steps[:, 2].max() > 10


@pytest.mark.parametrize("step", [CONTROLLED, 1e-3], ids=["controlled", "fixed"])
def test_loads_and_motions_that_vary(compared, models, step: object) -> None:
    """Functions of time; under error control, where sizes are not known beforehand, each step is a call."""

    def motor(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.RotationDriver:
        return fx.RotationDriver(axle, lambda t: 9.0 * np.sin(2.5 * t) ** 2)

    def push(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.PointForce:
        return fx.PointForce(block.centre, (3.0, 0, 0), follower=True, history=lambda t: np.sin(40 * t))

    run = compared(models.slider_crank(motor, push), 0.3, step, output=fx.Output(every=0.051))
    assert abs(run.energy.work_drivers[-1]) > 1e-3


def test_frames_that_are_based_anew(compared, models) -> None:
    """A spatial cable, whose hinge follows its tangent."""
    compared(models.ball_on_a_cable(), 0.2, CONTROLLED, output=fx.Output(every=0.0123))


@pytest.mark.parametrize("step", [CONTROLLED, 2e-3], ids=["controlled", "fixed"])
def test_a_border(compared, step: object) -> None:
    """A hub that touches many bars: its unknowns stand outside of the band, of the complex matrix, too."""
    model = wheel()
    assert Dynamics(fx.compile_model(model)).matrix.static.edge is not None
    compared(model, 0.1, step)


def test_a_belt(compared) -> None:
    """Contacts along it, and pulleys in the border."""
    compared(belt(), 0.02, 2e-4, most=0.5)


def test_constraints_on_velocities(compared) -> None:
    """A driver of a rate alone: no positions are corrected along it."""
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    drive = fx.RotationDriver(hinge, rate=lambda t: 2.0 * math.sin(3.0 * t), name="drive")
    compared(fx.Model(bar, hinge, drive, fx.Gravity((0, 0, -G))), 0.5, 2e-3)


@pytest.mark.parametrize("angle", [0.0, 1.1])
def test_inclined_supports(compared, angle: float) -> None:
    """Blocks are turned into the frames of the supports."""
    along, up = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    beam = fx.FlexibleBody.line(
        (0, 0), tuple(2 * along), elements=8, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=5.0, mass_per_length=1.0),
    )  # fmt: skip
    model = fx.Model(beam, fx.Pin(beam.start), fx.Roller(beam.end, tuple(up)), fx.Gravity(tuple(-G * up)))
    compared(model, 0.05, CONTROLLED)


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


@pytest.mark.parametrize("step", [CONTROLLED, 5e-4], ids=["controlled", "fixed"])
def test_controllers(step: object) -> None:
    """All kinds; after samples that change held forces Python finds the accelerations, and steps begin without past."""
    runs = []
    for scheme in schemes():
        setup = Cart()
        model = setup.model(*controllers(setup))
        runs.append(fx.simulate(model, 0.05, step=step, integrator=scheme, output=fx.Output(every=0.01)))
    same_work(runs)
    same_samples(runs)
    assert runs[1].counts["compiled_steps"] > 0.9 * len(runs[1].steps)


@pytest.mark.parametrize("step", [CONTROLLED, 1e-3], ids=["controlled", "fixed"])
def test_events(compared, models, step: object) -> None:
    """Located on the collocation polynomial, several a swing; and one that Python alone knows, at single steps."""
    model = models.slider_crank(pulled)
    run = compared(model, 0.7, step, output=fx.Output(every=0.0233, energy=False), events=passages(model))
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
    """From memory and from a file, in Python from what the driver began and the other way round."""
    model, (python, compiled) = models.slider_crank(pulled), schemes()
    whole = fx.simulate(model, 1.0, step=CONTROLLED, integrator=python)
    for first, second in ((compiled, compiled), (compiled, python), (python, compiled)):
        begun = fx.simulate(model, 0.3217, step=CONTROLLED, integrator=first)
        ends = [fx.simulate(model, 1.0, step=CONTROLLED, integrator=s, start=begun) for s in (second, python)]
        assert np.array_equal(ends[0].q, ends[1].q)
        assert np.array_equal(ends[0].steps, ends[1].steps)
    part = fx.ErrorControl(1e-6, max_steps=len(whole.steps) // 2)
    fx.simulate(model, 1.0, step=part, integrator=compiled, file=tmp_path / "begun.h5", throw=False)
    rest = fx.simulate(model, 1.0, step=CONTROLLED, integrator=compiled, start=fx.load(tmp_path / "begun.h5"))
    for name in ("q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name)[1:], getattr(whole, name)[1 - len(rest.t) :]), name


def test_going_on_from_another_scheme(models) -> None:
    """The memory of another scheme is no past."""
    model = models.slider_crank(pulled)
    for other in (fx.GeneralizedAlpha(), fx.BDF()):
        begun = fx.simulate(model, 0.1, step=CONTROLLED, integrator=other)
        same_work([fx.simulate(model, 0.3, step=CONTROLLED, integrator=s, start=begun) for s in schemes()])


def test_back_in_time(models) -> None:
    """Steps of negative size, from a state with a past in the other direction."""
    dyn = Dynamics(fx.compile_model(models.slider_crank()))
    begun = fx.simulate(dyn.system, 0.1, step=CONTROLLED, integrator=fx.RadauIIA(compiled=False)).last
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


@pytest.mark.parametrize("problem", [known.cone, known.driven])
def test_order(problem) -> None:
    """5 in positions and velocities, 3 in multipliers."""
    given, scheme = problem(), fx.RadauIIA(compiled=True)
    runs = [fx.simulate(given.model, 2.0, step=h, integrator=scheme) for h in (0.05, 0.025, 0.0125)]
    errors = np.array([given.errors(run) for run in runs])
    assert all(run.counts["compiled_steps"] == len(run.steps) for run in runs)
    for i, least in ((0, 4.7), (1, 4.7), (2, 2.9)):
        if i not in given.prescribed[2]:
            assert min(math.log2(a / b) for a, b in itertools.pairwise(errors[:, i])) > least


# --- what Python makes -----------------------------------------------------------------------------------------------


def test_steps_that_fail_are_left_to_python(models) -> None:
    """Newton's method is given few iterations; sizes after failures are the same."""
    runs = [
        fx.simulate(models.slider_crank(pulled), 2.0, step=CONTROLLED, integrator=s) for s in schemes(max_iterations=3)
    ]
    same_work(runs)
    assert runs[1].counts["rejected"] > 10
    assert runs[1].counts["compiled_steps"] > 0.5 * len(runs[1].steps)


@pytest.mark.parametrize("step", [1e-3, fx.ErrorControl(1e-6, max_step=1e-3, min_step=1e-5)])
def test_a_failure_keeps_what_was_found(step: object) -> None:
    fail_alike(schemes(), step)


def test_redundant_constraints(models) -> None:
    """Whether compiled steps do with the compliance of their multipliers, or not: it is told, and bits are the same."""
    runs = [fx.simulate(models.four_bar(), 0.5, step=CONTROLLED, integrator=s) for s in schemes()]
    same_work(runs)
    assert len(runs[1].redundant) == 3
    counts = runs[1].counts
    told = any("compiled ones failed" in reason for reason in counts["kept_in_python"])
    assert told == (2 * counts["compiled_steps"] < counts["steps"])


def test_wide_matrices_stay_in_python() -> None:
    """A net of point masses is no narrow band; its complex matrix is factorised with interchanges."""
    n = 12
    masses = [
        fx.PointMass(1.0, position=(float(i), float(j), 0.0), name=f"{i} {j}") for i in range(n) for j in range(n)
    ]
    pairs = [(k, k + 1) for k in range(n * n) if k % n < n - 1] + [(k, k + n) for k in range(n * n - n)]
    springs = [
        fx.SpringDamper(
            masses[a].centre, masses[b].centre, stiffness=1e3, damping=1.0, free_length=0.9, name=f"{a}-{b}"
        )
        for a, b in [*pairs, (0, n * n - 1), (n - 1, n * n - n)]
    ]
    model = fx.Model(*masses, *springs)
    with pytest.raises(fx.ModelError, match="cannot be compiled: its matrix is not a narrow band"):
        fx.simulate(model, 0.01, integrator=fx.RadauIIA(compiled=True))
    run = fx.simulate(model, 0.11, step=1e-3, integrator=fx.RadauIIA())
    assert "its matrix is not a narrow band" in run.counts["kept_in_python"][0]


@pytest.mark.parametrize("dense", [90, 0])
def test_interchanges_change_round_off_alone(models, monkeypatch, dense: int) -> None:
    """The complex matrix by LAPACK and by SuperLU, where the band has lost a pivot."""
    model = models.slider_crank(pulled)
    band = fx.simulate(model, 0.1, step=2e-3, integrator=fx.RadauIIA(compiled=False))
    monkeypatch.setattr(complex_system, "DENSE", dense)
    monkeypatch.setattr(RadauMatrix, "_in_band", lambda *_: False)
    other = fx.simulate(model, 0.1, step=2e-3, integrator=fx.RadauIIA(compiled=False))
    assert not np.array_equal(band.q, other.q)
    assert np.abs(band.q - other.q).max() < 1e-11


def test_factors_with_interchanges_are_not_taken_for_those_of_the_band(monkeypatch) -> None:
    """Nor the other way round, nor those that something else has made meanwhile."""
    mass = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker_at((-50.0, 0, 0)), mass.centre, stiffness=4.0, free_length=50.0, name="spring"
    )
    system, h, found = fx.compile_model(fx.Model(mass, spring)), 0.05, []
    for compiled in (True, False):
        dyn = Dynamics(system)
        scheme = fx.RadauIIA(compiled=compiled)
        stepper = scheme.stepper(dyn, 1.0)
        state = stepper.step(scheme.start(dyn, 0.0, dyn.coordinates.reference, np.zeros(dyn.n_v), h), h).state
        for attempt in range(4):  # the Jacobian is the same in all of them
            with monkeypatch.context() as patch:
                if attempt % 2 == 0:
                    patch.setattr(RadauMatrix, "_in_band", lambda *_: False)
                    stepper.matrix.made_for[0] = np.nan
                    state = Stepper.step(stepper, state, h).state
            if not compiled:
                stepper.matrix.made_for[0] = np.nan
            state = stepper.step(state, h).state
            dyn.B[:] = 0.0
            dyn.factorise(1.0)
        found.append(state)
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_bad_settings() -> None:
    with pytest.raises(fx.ModelError, match="compiled"):
        fx.RadauIIA(compiled="yes")


def test_the_driver_is_taken_where_it_pays(models) -> None:
    """By default, once it is at hand; before, the reason is told."""
    system = fx.compile_model(models.slider_crank(pulled))
    fx.simulate(system, 0.5, step=CONTROLLED, integrator=fx.RadauIIA(compiled=True))
    runs = [
        fx.simulate(system, 4.0, step=CONTROLLED, integrator=s) for s in (fx.RadauIIA(compiled=False), fx.RadauIIA())
    ]
    same_work(runs)
    assert 0 < runs[1].counts["compiled_steps"] < len(runs[1].steps)
    few = fx.simulate(system, 0.01, step=CONTROLLED, integrator=fx.RadauIIA())
    assert few.counts["kept_in_python"] == ("all steps: compiled steps pay from 100 steps on",)
