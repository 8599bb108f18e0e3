"""Radau IIA: orders, dense output, stiff forces, error control, redundant constraints, restarts, bounded work."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.integrators import collocation
from flexmbs.verification.cases.mechanisms import integrators as known
from flexmbs.verification.cases.mechanisms.spatial_mechanisms import bricard, bricard_path
from tests.models.overconstrained import LOOPS

G = 9.81
RADAU = fx.RadauIIA()


def orders(errors) -> list[float]:
    return [math.log2(a / b) for a, b in itertools.pairwise(errors)]


def pendulum() -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -G)))


def in_space() -> fx.Model:
    """Two bars on spherical joints, so that bodies turn about changing axes."""
    one = fx.RigidBody.box(size=(1.0, 0.1, 0.05), mass=2.0, position=(0.5, 0, 0), angular_velocity=(0, 0, 2.0),
                           velocity=(0, 1.0, 0), name="one")  # fmt: skip
    two = fx.RigidBody.box(size=(0.1, 1.0, 0.05), mass=1.0, position=(1.0, 0.5, 0), angular_velocity=(0, 0, 2.0),
                           velocity=(-1.0, 2.0, 0), name="two")  # fmt: skip
    joints = (
        fx.SphericalJoint(fx.ground, one, at=(0, 0, 0), name="a"),
        fx.SphericalJoint(one, two, at=(1, 0, 0), name="b"),
    )
    return fx.Model(one, two, *joints, fx.Gravity((0, 0, -G)))


# --- coefficients ----------------------------------------------------------------------------------------------------


def test_coefficients_satisfy_the_simplifying_conditions() -> None:
    """B(5), C(3) and D(2) of Butcher, which give order 5."""
    A, c = collocation.RADAU, collocation.NODES
    b = A[2]
    for k in range(1, 6):
        assert b @ c ** (k - 1) == pytest.approx(1.0 / k, rel=1e-14)
    for k in range(1, 4):
        assert A @ c ** (k - 1) == pytest.approx(c**k / k, rel=1e-13)
    for k in range(1, 3):
        assert (b * c ** (k - 1)) @ A == pytest.approx(b * (1.0 - c**k) / k, rel=1e-12)


def test_modes_and_estimate_are_those_of_the_literature() -> None:
    """Eigenvalues in closed form, and the weights (-13 -+ 7 sqrt 6, -1)/3: Hairer and Wanner, IV.8."""
    x, y = 3.0 ** (2.0 / 3.0), 3.0 ** (1.0 / 3.0)
    assert pytest.approx(3.0 + x - y, rel=1e-14) == collocation.REAL
    assert pytest.approx(3.0 + 0.5 * (y - x), rel=1e-13) == collocation.COMPLEX.real
    assert pytest.approx(0.5 * (3.0 ** (5.0 / 6.0) + 3.0 ** (7.0 / 6.0)), rel=1e-13) == collocation.COMPLEX.imag
    s = 7.0 * math.sqrt(6.0)
    assert pytest.approx(np.array([-13.0 - s, -13.0 + s, -1.0]) / 3.0, rel=1e-13) == collocation.ESTIMATE


# --- order -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [known.cone, known.driven])
def test_constrained_motions_are_of_order_5_and_multipliers_of_order_3(problem) -> None:
    given, steps = problem(), (0.05, 0.025, 0.0125)
    runs = [fx.simulate(given.model, 2.0, step=h, integrator=RADAU) for h in steps]
    errors = np.array([given.errors(run) for run in runs])
    for i, least in ((0, 4.7), (1, 4.7), (2, 2.9)):
        if i in given.prescribed[2]:
            assert errors[:, i].max() < 1e-13
        else:
            assert min(orders(errors[:, i])) > least, (i, errors[:, i])
    for run in runs:
        assert run.residuals[:, 0].max() < 1e-12
        assert run.residuals[:, 1].max() < 1e-11
        assert run.counts["rejected"] == 0


def test_free_symmetric_body_is_of_order_5() -> None:
    errors = [known.spinning(h, RADAU)[0] for h in (0.1, 0.05, 0.025)]
    assert min(orders(errors)) > 4.8, errors
    assert errors[-1] < 1e-8


def test_between_steps_errors_are_of_order_4_and_both_ends_are_met(started) -> None:
    given = known.cone()
    errors = []
    for h in (0.08, 0.04, 0.02):
        stepper, state, _ = started(given.model, RADAU, 1e-3)
        new = stepper.step(state, h).state
        inside = stepper.between(state, new)
        assert np.array_equal(inside(state.t).q, state.q)
        assert np.array_equal(inside(new.t).v, new.v)
        for t, end in ((state.t + 1e-9 * h, state), (new.t - 1e-9 * h, new)):
            near = inside(t)
            for one, two in ((near.q, end.q), (near.v, end.v), (near.a, end.a), (near.lam, end.lam)):
                assert np.abs(one - two).max() < 1e-6 * max(1.0, np.abs(two).max())
        rate = math.sqrt(G / math.cos(1.0))
        t = 0.4 * h
        exact = np.array([math.sin(1.0) * math.cos(rate * t), math.sin(1.0) * math.sin(rate * t), -math.cos(1.0)])
        errors.append(np.abs(inside(t).q - exact).max())
    assert min(orders(errors)) > 3.8, errors


def test_back_in_time(started) -> None:
    """Forth and back differ by the local error, of sixth order; the method is not symmetric."""
    gaps = []
    for h in (0.04, 0.02, 0.01):
        stepper, state, _ = started(in_space(), RADAU, 1e-3)
        back = stepper.step(stepper.step(state, h).state, -h).state
        assert back.t == pytest.approx(0.0, abs=1e-15)
        gaps.append(np.abs(back.q - state.q).max())
    assert min(orders(gaps)) > 5.3, gaps
    assert gaps[-1] < 1e-7


# --- stiff forces ----------------------------------------------------------------------------------------------------


def prothero(stiffness: float, h: float) -> tuple[float, fx.TimeSolution]:
    """Error of a mass on a stiff damped spring with the force under which it moves as sin t (Prothero, Robinson)."""
    damping = 2.0 * math.sqrt(stiffness)
    push = lambda t: (stiffness - 1.0) * math.sin(t) + damping * math.cos(t)  # noqa: E731
    mass = fx.PlanarRigidBody(1.0, 1.0, position=(0.0, 0.0), velocity=(1.0, 0.0), name="mass")
    mount = fx.Bushing(
        fx.ground, mass, stiffness=(stiffness, stiffness), damping=(damping, damping), at=(0, 0), name="mount"
    )
    run = fx.simulate(
        fx.Model(mass, mount, fx.PointForce(mass.centre, (1.0, 0.0), history=push)), 2.0, step=h, integrator=RADAU
    )
    return float(np.abs(run.position(mass)[:, 0] - np.sin(run.t)).max()), run


@pytest.mark.parametrize("stiffness", [1e8, 1e12])
def test_stiff_bushing_is_followed_with_large_steps(stiffness: float) -> None:
    """Steps of 5e2 to 2e5 time constants: the error falls with the step by the stage order, and with the stiffness."""
    found = [prothero(stiffness, h) for h in (0.2, 0.1, 0.05)]
    errors = [error for error, _ in found]
    assert errors[0] < 1e-6 * 1e8 / stiffness + 1e-9
    if stiffness == 1e8:
        assert min(orders(errors)) > 2.8, errors
    for _, run in found:
        assert run.counts["rejected"] == 0
        assert run.steps[:, 2].max() <= 4


def test_first_order_states_of_a_stiff_circuit() -> None:
    """i' = 1e6 (sin t - i): the state follows with steps 1e4 times its time constant."""
    body = fx.PointMass(1.0, position=(0.0, 0.0), name="body")
    lag = fx.control.FirstOrder([0.0], lambda x, u, t: 1e6 * (math.sin(t) - x), name="lag")
    run = fx.simulate(fx.Model(body, lag), 1.0, step=1e-2, integrator=RADAU)
    assert run.last.v[-1] == pytest.approx(math.sin(1.0), abs=1e-5)


# --- error control ---------------------------------------------------------------------------------------------------


def test_error_falls_with_the_tolerance_and_work_grows_slowly() -> None:
    """Double pendulum against scipy, over six decades of the tolerance."""
    a = fx.PointMass(1.0, position=(1.0, 0.0), name="a")
    b = fx.PointMass(1.0, position=(2.0, 0.0), name="b")
    rods = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), a.centre), fx.DistanceConstraint(a.centre, b.centre)
    model = fx.Model(a, b, *rods, fx.Gravity((0.0, -G)))

    def rates(t, y):
        p, q, u, w = y
        s, c = math.sin(p - q), math.cos(p - q)
        M = np.array([[2.0, c], [c, 1.0]])
        f = np.array([-w * w * s - 2.0 * G * math.cos(p), u * u * s - G * math.cos(q)])
        return np.concatenate(([u, w], np.linalg.solve(M, f)))

    p, q = solve_ivp(rates, (0.0, 1.5), [0.0, 0.0, 0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-13).y[:2, -1]
    exact = np.array([math.cos(p) + math.cos(q), math.sin(p) + math.sin(q)])
    errors, work = [], []
    for r in (1e-4, 1e-6, 1e-8, 1e-10):
        run = fx.simulate(model, 1.5, step=fx.ErrorControl(r), integrator=RADAU)
        errors.append(np.abs(run.position(b)[-1, :2] - exact).max())
        work.append(run.counts["evaluations"])
        assert run.counts["rejected"] <= 0.2 * len(run.steps) + 3
    assert all(one > 5.0 * two for one, two in itertools.pairwise(errors)), errors
    assert errors[-1] < 1e-8
    assert work[-1] < 6 * work[0]
    assert work[-1] < 3000


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_stiff_cable_is_followed_with_few_failures(tolerance: float) -> None:
    """A falling cable whose axial stiffness limits Newton's method, against generalized-alpha with small errors."""
    from flexmbs.elements import ANCFCable2D

    stiffness = fx.BeamStiffness(EA=1e6, EI_z=10.0, mass_per_length=1.0)
    rod = fx.FlexibleBody.line((0, 0), (10, 0), elements=20, element=ANCFCable2D(), stiffness=stiffness, name="rod")
    model = fx.Model(rod, fx.Pin(rod.start), fx.Gravity((0, -G)))
    run = fx.simulate(model, 1.0, step=fx.ErrorControl(tolerance), integrator=RADAU)
    fine = fx.simulate(model, 1.0, step=fx.ErrorControl(1e-9), output=fx.Output(every=1.0))
    assert np.abs(run.position(rod.end)[-1] - fine.position(rod.end)[-1]).max() < 1e-3
    assert np.abs(run.energy.balance).max() < 1e-3 * run.energy.kinetic.max()
    assert run.counts["rejected"] <= 0.2 * len(run.steps)
    assert run.counts["evaluations"] < 30 * len(run.steps)


def test_smooth_linear_motion_keeps_its_matrix(started) -> None:
    """A mass on a spring has one Jacobian for ever."""
    mass = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker_at((-50.0, 0, 0)), mass.centre, stiffness=4.0, free_length=50.0, name="spring"
    )
    model = fx.Model(mass, spring)
    stepper, state, _ = started(model, RADAU, 1e-3)
    for _ in range(20):
        state = stepper.step(state, 0.05).state
    assert stepper.jacobians <= 2
    assert stepper.dynamics.factorisations <= 1 + 2 * stepper.jacobians
    assert state.q[0] == pytest.approx(math.cos(2.0), abs=1e-6)


# --- redundant constraints -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0.02, 0.005, fx.ErrorControl(1e-8)])
def test_overconstrained_loop_moves_and_its_multipliers_stay(step) -> None:
    """Bricard's loop: 30 equations of rank 29."""
    model, P3, _ = bricard(None)
    run = fx.simulate(model, 2.0, step=step, integrator=RADAU)
    assert run.redundant
    assert np.abs(run.position(P3)[-1] - bricard_path(None, np.array([2.0]))[-1]).max() < 1e-6
    assert run.residuals[:, :2].max() < 1e-10
    late = run.t >= 1.0
    assert np.abs(run.lam[late]).max() < 3.0 * np.abs(run.lam[0]).max() + 30.0
    assert run.counts["rejected"] == 0


def test_round_off_of_light_links_does_not_hold_steps_back() -> None:
    """Bricard's loop of thin bars: what little inertia about a bar resists keeps increments from falling to zero."""
    model = LOOPS["Bricard"][0]()
    exact = fx.simulate(model, 0.5, step=fx.ErrorControl(1e-8), integrator=fx.BDF())
    run = fx.simulate(model, 0.5, step=fx.ErrorControl(1e-4), integrator=RADAU)
    assert len(run.steps) < 200  # all of the first size that Newton's method had grown to were 2001
    assert np.abs(run.q[-1] - exact.q[-1]).max() < 1e-4


# --- the run ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [7e-3, fx.ErrorControl(1e-6)])
@pytest.mark.parametrize("make", [pendulum, in_space])
def test_a_run_goes_on_bitwise(make, step, tmp_path) -> None:
    model = make()
    full = fx.simulate(model, 1.0, step=step, integrator=RADAU)
    stop = float(full.t[len(full.t) // 2])
    first = fx.simulate(model, stop, step=step, integrator=RADAU, file=tmp_path / "run.h5")
    rest = fx.simulate(model, 1.0, step=step, integrator=RADAU, start=first)
    again = fx.simulate(model, 1.0, step=step, integrator=RADAU, start=fx.load(tmp_path / "run.h5"))
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name), getattr(again, name)), name
        if isinstance(step, float):
            assert np.array_equal(getattr(rest, name)[1:], getattr(full, name)[-len(rest.steps) :]), name


def test_an_interrupted_controlled_run_goes_on_bitwise(interrupt_at) -> None:
    """Interrupted between two steps, which changes none."""
    model = in_space()
    control = fx.ErrorControl(1e-6)
    full = fx.simulate(model, 1.0, step=control, integrator=RADAU)
    first = fx.simulate(model, 1.0, step=control, integrator=RADAU, events=[interrupt_at(9)])
    assert 0 < len(first.steps) < len(full.steps)
    rest = fx.simulate(model, 1.0, step=control, integrator=RADAU, start=first)
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name)[1:], getattr(full, name)[-len(rest.steps) :]), name


def test_run_of_no_length_and_forgotten_factors(started) -> None:
    run = fx.simulate(pendulum(), 0.0, integrator=RADAU)
    assert len(run) == 1
    stepper, state, _ = started(pendulum(), RADAU, 1e-3, 1e-6)
    one = stepper.step(stepper.step(state, 1e-3).state, 1e-3)
    stepper.forget()
    two = stepper.step(stepper.step(state, 1e-3).state, 1e-3)
    assert np.array_equal(one.state.q, two.state.q)
    assert one.error == two.error


def test_a_step_that_must_not_shrink_ends_the_run_with_a_message() -> None:
    control = fx.ErrorControl(1e-10, initial_step=0.05, min_step=0.05, max_step=0.05)
    run = fx.simulate(in_space(), 1.0, step=control, integrator=RADAU, throw=False)
    assert run.status is fx.Status.STEP_TOO_SMALL
    assert "the estimated error is" in run.message
    slow = fx.simulate(
        in_space(), 1.0, step=fx.FixedStep(0.2, 0), integrator=fx.RadauIIA(max_iterations=3), throw=False
    )
    assert slow.status is fx.Status.STEP_TOO_SMALL
    assert "converge" in slow.message
    assert len(run) == len(slow) == 1


@pytest.mark.parametrize(
    "bad", [{"max_iterations": 1}, {"max_iterations": 2.5}, {"strictness": 0.0}, {"strictness": 1.0}]
)
def test_bad_settings(bad) -> None:
    with pytest.raises(fx.ModelError, match="RadauIIA"):
        fx.RadauIIA(**bad)


@pytest.mark.parametrize("support", ["clamp", "roller"])
def test_inclined_supports_take_no_more_steps(support: str) -> None:
    """A beam on supports whose frames are turned, and the same one in line with the axes."""
    found = []
    for angle in (0.0, 1.1):
        along, up = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
        beam = fx.FlexibleBody.line((0, 0), tuple(2 * along), elements=8, element=fx.elements.ANCFCable2D(),
                                    stiffness=fx.BeamStiffness(EA=1e5, EI_z=5.0, mass_per_length=1.0))  # fmt: skip
        held = (fx.Clamp(beam.start),) if support == "clamp" else (fx.Pin(beam.start), fx.Roller(beam.end, tuple(up)))
        run = fx.simulate(fx.Model(beam, *held, fx.Gravity(tuple(-G * up))), until=0.05, integrator=RADAU)
        moved = run.displacement(beam.node(4))[-1, :2]
        found.append((len(run.steps), along @ moved, up @ moved))
    assert found[0][0] == found[1][0]
    assert found[0][1:] == pytest.approx(found[1][1:], abs=1e-7)
