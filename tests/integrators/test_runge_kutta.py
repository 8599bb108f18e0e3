"""Explicit Runge-Kutta methods: order on closed forms, work, resuming, step control, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.integrators.tableaux import CLASSICAL, DORMAND_PRINCE, MIDPOINT

G = 9.81
ORDERS = (2, 4, 5)
KEPT = (
    fx.integrators.SuccessiveProjection(),
    fx.integrators.StandardProjection(),
    fx.integrators.AscherProjection(),
    fx.integrators.NullSpace(),
    fx.integrators.CoordinatePartitioning(),
    fx.integrators.Baumgarte(time_constant=0.1),
)
named = pytest.mark.parametrize("kept", KEPT, ids=lambda k: type(k).__name__)


def cone() -> tuple[fx.Model, fx.PointMass, float, float]:
    """A mass on a rod on a level circle; its radius and rate."""
    tilt = 1.0
    radius, depth = math.sin(tilt), math.cos(tilt)
    rate = math.sqrt(G / depth)
    ball = fx.PointMass(2.0, position=(radius, 0, -depth), velocity=(0, radius * rate, 0), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0, 0, 0)), ball.centre, name="rod")
    return fx.Model(ball, rod, fx.Gravity((0, 0, -G))), ball, radius, rate


def hinged_bar() -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -G)))


def spinning() -> tuple[fx.Model, fx.RigidBody]:
    """A free symmetric body, inertia 1, 1, 1.8."""
    body = fx.RigidBody(1.0, (1.0, 1.0, 1.8), angular_velocity=(2.0, 0.0, 5.0), name="body")
    return fx.Model(body), body


def attitude(t: float) -> Rotation:
    """Of the spinning body: it turns about its momentum, and about its axis."""
    momentum = np.array([2.0, 0.0, 9.0])
    return Rotation.from_rotvec(momentum * t) * Rotation.from_rotvec((0.0, 0.0, -0.8 * 5.0 * t))


def slope(steps, errors) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


# --- order -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tableau", "order"), [(MIDPOINT, 2), (CLASSICAL, 4), (DORMAND_PRINCE, 5)])
def test_conditions_of_order(tableau, order) -> None:
    """Quadrature conditions sum b c^k = 1/(k + 1), row sums, and sum b A c = 1/6 (order 3 of the trees)."""
    c, A, b = tableau.c, tableau.A, tableau.b
    assert A.sum(axis=1) == pytest.approx(c, abs=1e-14)
    for k in range(order):
        assert b @ c**k == pytest.approx(1.0 / (k + 1), abs=1e-14)
    if order > 2:
        assert b @ A @ c == pytest.approx(1.0 / 6.0, abs=1e-14)
    if len(tableau.e):
        embedded = np.append(b, 0.0) - tableau.e
        nodes = np.append(c, 1.0)
        for k in range(4):
            assert embedded @ nodes**k == pytest.approx(1.0 / (k + 1), abs=1e-14)
        assert abs(embedded @ nodes**4 - 0.2) > 1e-4


@pytest.mark.parametrize("order", ORDERS)
@named
def test_order_on_a_conical_pendulum(order: int, kept) -> None:
    model, ball, radius, rate = cone()
    system = fx.compile_model(model)
    steps, errors = [0.04, 0.02, 0.01] if order == 4 else [0.02, 0.01, 0.005], []
    for h in steps:
        run = fx.simulate(system, 1.0, step=h, integrator=fx.RungeKutta(order=order, constraints=kept))
        assert run.counts["rejected"] == 0
        angle = rate * run.t
        exact = radius * np.column_stack([np.cos(angle), np.sin(angle)])
        gap = np.linalg.norm(run.position(ball)[:, :2] - exact, axis=1).max()
        pull = np.linalg.norm(run.reaction("rod"), axis=1)
        errors.append((gap, np.abs(pull - 2.0 * G / math.cos(1.0)).max()))
        if not isinstance(kept, fx.integrators.Baumgarte):
            assert run.residuals[:, 0].max() <= 1e-10
    assert slope(steps, np.array(errors)[:, 0]) > order - 0.2
    if isinstance(kept, fx.integrators.Baumgarte):  # a projected mass has the tension of its radius at any phase
        assert slope(steps, np.array(errors)[:, 1]) > order - 0.2


@pytest.mark.parametrize("order", ORDERS)
def test_order_on_a_free_spinning_body(order: int) -> None:
    """Rotations have the full order, in which errors of the chart would show."""
    model, body = spinning()
    steps, errors = [0.04, 0.02, 0.01], []
    for h in steps:
        run = fx.simulate(model, 2.0, step=fx.FixedStep(h), integrator=fx.RungeKutta(order=order))
        off = attitude(2.0).inv() * Rotation.from_matrix(run.rotation(body)[-1])
        errors.append(off.magnitude())
        assert np.abs(np.linalg.norm(run.q[:, 3:], axis=1) - 1.0).max() < 1e-15
    assert slope(steps, errors) > order - 0.2


@named
def test_rolling_and_driven(kept) -> None:
    """A ball on a turntable circles with 2/7 of its rate about a point of its own: rolling, a motor, redundancy."""
    w, r, v = 2.0, 0.1, 0.3
    plate = fx.RigidBody(1.0, (1, 1, 1), angular_velocity=(0, 0, w), name="plate")
    p = np.array([0.4, 0.0, r])
    spin = ((w * p[0] - v) / r, 0.0, 0.0)
    ball = fx.RigidBody(1.0, 3 * (0.4 * r**2,), position=p, velocity=(0, v, 0), angular_velocity=spin, name="ball")
    hinge = fx.RevoluteJoint(fx.ground, plate, at=(0, 0, 0), axis=(0, 0, 1))
    model = fx.Model(
        plate,
        ball,
        hinge,
        fx.RotationDriver(hinge, rate=w),
        fx.RollingBall(plate, ball, radius=r),
        fx.Gravity((0, 0, -G)),
    )
    run = fx.simulate(model, 1.0, step=2e-2, integrator=fx.RungeKutta(order=4, constraints=kept))
    rate = 2.0 / 7.0 * w
    radius = v / rate
    exact = p[:2] + radius * np.column_stack([np.cos(rate * run.t) - 1.0, np.sin(rate * run.t)])
    assert np.linalg.norm(run.position(ball)[:, :2] - exact, axis=1).max() < 2e-5
    if not isinstance(kept, fx.integrators.Baumgarte):
        assert run.residuals[:, 0].max() < 1e-10
        assert run.residuals[:, 1].max() < 1e-7


@named
def test_redundant_constraints(kept) -> None:
    """A door on two hinges has five equations too many; it swings like a physical pendulum, by its energy."""
    door = fx.RigidBody.box(size=(1.0, 0.05, 2.0), mass=3.0, position=(0.5, 0, 0), name="door")
    hinges = [fx.RevoluteJoint(fx.ground, door, at=(0, 0, z), axis=(0, 0, 1), name=f"hinge {z}") for z in (-0.8, 0.8)]
    model = fx.Model(door, *hinges, fx.Gravity((0, -G, 0)))
    run = fx.simulate(model, 0.5, step=1e-2, integrator=fx.RungeKutta(order=4, constraints=kept))
    assert len(run.redundant) == 5
    angle, rate = run.angle("hinge 0.8"), run.angular_velocity(door)[:, 2]
    J = 3.0 * (1.0 + 0.05**2) / 12.0 + 3.0 * 0.25
    assert 0.5 * J * rate**2 == pytest.approx(-3.0 * G * 0.5 * np.sin(angle), abs=2e-5)


def supported(turn: float) -> tuple[fx.Model, fx.PlanarRigidBody]:
    """A soft beam on a roller, with a bob; all of it turned, gravity too."""
    R = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    beam = fx.FlexibleBody.line(
        (0, 0), R @ (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=20.0, EI_z=0.05, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    bob = fx.PlanarRigidBody(0.5, 0.01, position=R @ (1.0, -0.2), name="bob")
    spring = fx.SpringDamper(fx.ground.marker_at(R @ (-0.5, 0.3)), beam.start, stiffness=30.0)
    hinge = fx.RevoluteJoint(beam.end, bob, at=R @ (1.0, 0.0), name="hinge")
    return fx.Model(beam, bob, hinge, fx.Roller(beam.start, normal=R @ (0, 1)), spring, fx.Gravity(R @ (0, -G))), bob


@pytest.fixture(scope="module")
def implicit() -> np.ndarray:
    """Where generalized-alpha takes the bob of the model that is not turned, extrapolated to the step zero."""
    model, bob = supported(0.0)
    coarse, fine = (fx.simulate(model, 0.2, step=h).position(bob)[-1] for h in (1e-3, 5e-4))
    return (4.0 * fine - coarse) / 3.0


@pytest.mark.parametrize("kept", KEPT[:5], ids=lambda k: type(k).__name__)
def test_flexible_body_with_an_inclined_support(kept, implicit) -> None:
    """Every way to keep the constraints gives one motion, that of an implicit scheme."""
    turn = 0.7
    model, bob = supported(turn)
    run = fx.simulate(model, 0.2, step=2e-3, integrator=fx.RungeKutta(order=4, constraints=kept))
    back = Rotation.from_rotvec((0, 0, -turn)).apply(run.position(bob)[-1])
    assert back == pytest.approx(implicit, abs=1e-5)
    assert run.residuals[:, 0].max() < 1e-12


def test_supports_turn_the_mass_too(implicit) -> None:
    """The same of the matrix that all schemes share: implicit steps of the turned model."""
    model, bob = supported(0.7)
    coarse, fine = (fx.simulate(model, 0.2, step=h).position(bob)[-1] for h in (1e-3, 5e-4))
    back = Rotation.from_rotvec((0, 0, -0.7)).apply((4.0 * fine - coarse) / 3.0)
    assert back == pytest.approx(implicit, abs=1e-8)


# --- steps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "stages"), [(2, 2), (4, 4), (5, 6)])
def test_bounded_work(order: int, stages: int, started) -> None:
    """Evaluations and factorisations per step, counted."""
    model, *_ = cone()
    counts = {}
    for kept in KEPT[:2]:
        stepper, state, dyn = started(model, fx.RungeKutta(order=order, constraints=kept))
        evaluations, factorisations = dyn.evaluations, dyn.factorisations
        for _ in range(5):
            state = stepper.step(state, 1e-2).state
        counts[type(kept)] = (dyn.factorisations - factorisations) / 5, (dyn.evaluations - evaluations) / 5
    assert counts[fx.integrators.SuccessiveProjection] == (stages + 1, stages - 1 + 5)
    assert counts[fx.integrators.StandardProjection][0] <= stages - 1 + 5 + 1
    assert counts[fx.integrators.StandardProjection][0] >= stages + 1


def test_without_constraints_the_mass_is_factorised_once(started) -> None:
    """At the start."""
    model, _ = spinning()
    stepper, state, dyn = started(model, fx.RungeKutta(order=4))
    before = dyn.factorisations
    for _ in range(10):
        state = stepper.step(state, 1e-2).state
    assert dyn.factorisations == before
    stepper.forget()
    stepper.step(state, 1e-2)
    assert dyn.factorisations == before + 1


@pytest.mark.parametrize("order", ORDERS)
def test_back_in_time(order: int, started) -> None:
    """A step forth and back misses the start by the local errors, h^(order + 1)."""
    steps, errors = [0.08, 0.04, 0.02], []
    for h in steps:
        stepper, state, _ = started(spinning()[0], fx.RungeKutta(order=order))
        there = stepper.step(state, h).state
        back = stepper.step(there, -h).state
        assert back.t == pytest.approx(0.0, abs=1e-15)
        errors.append(np.abs(back.q - state.q).max() + np.abs(back.v - state.v).max())
    assert slope(steps, errors) > order + 0.7


def test_a_run_of_no_length() -> None:
    run = fx.simulate(hinged_bar(), 0.0, step=0.1, integrator=fx.RungeKutta())
    assert len(run) == 1
    assert run.status is fx.Status.DONE


@pytest.mark.parametrize("step", [7e-3, fx.ErrorControl(1e-7)], ids=["fixed", "controlled"])
@named
def test_resumed_runs_are_bitwise(tmp_path, step, kept, interrupt_at) -> None:
    """To the middle, into a file, on to the end: as if it had not been interrupted."""
    model = hinged_bar()
    options = {"step": step, "integrator": fx.RungeKutta(order=5, constraints=kept)}
    full = fx.simulate(model, 1.0, **options)
    first = fx.simulate(model, 1.0, events=[interrupt_at(len(full.steps) // 2)], **options)
    assert first.status is fx.Status.INTERRUPTED
    loaded = fx.load(first.save(tmp_path / "a.h5"), model=model)
    rest = fx.simulate(model, 1.0, start=loaded, **options)
    n = len(rest.steps)
    assert 0 < n < len(full.steps)
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name)[1:], getattr(full, name)[-n:]), name


@pytest.mark.parametrize("order", ORDERS)
def test_error_control(order: int) -> None:
    """Errors follow the tolerance, about in proportion; the work grows with its power -1 / (order of the estimate)."""
    model, ball, radius, rate = cone()
    errors, steps = [], []
    tolerances = (1e-6, 1e-8) if order > 2 else (1e-5, 1e-7)
    for rtol in tolerances:
        run = fx.simulate(model, 1.0, step=fx.ErrorControl(rtol), integrator=fx.RungeKutta(order=order))
        exact = radius * np.column_stack([np.cos(rate * run.t), np.sin(rate * run.t)])
        errors.append(np.linalg.norm(run.position(ball)[:, :2] - exact, axis=1).max())
        steps.append(len(run.steps))
        assert run.counts["rejected"] < 0.1 * len(run.steps) + 5
    assert errors[0] < 1e3 * tolerances[0]
    assert 5.0 < errors[0] / errors[1] < 2000.0
    expected = 100.0 ** (1.0 / 3.0 if order == 2 else 1.0 / 5.0)
    assert 0.6 * expected < steps[1] / steps[0] < 1.6 * expected


def test_first_order_states() -> None:
    """dx/dt = -3 x + sin t beside a swinging bar, with the full order."""
    model = hinged_bar()
    lag = fx.control.FirstOrder([1.0], lambda x, u, t: -3.0 * x + math.sin(t), name="lag")
    model = fx.Model(*model.bodies, *model.joints, lag, fx.Gravity((0, 0, -G)))
    (place,) = fx.compile_model(model).coordinates.state_places(lag)
    exact = (1.0 + 0.1) * math.exp(-3.0) + 0.3 * math.sin(1.0) - 0.1 * math.cos(1.0)
    steps, errors = [0.04, 0.02, 0.01], []
    for h in steps:
        run = fx.simulate(model, 1.0, step=h, integrator=fx.RungeKutta(order=4))
        errors.append(abs(float(run.v[-1, place]) - exact))
    assert slope(steps, errors) > 3.8


# --- what is refused, and what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fx.RungeKutta(order=3), "order must be 2, 4 or 5"),
        (lambda: fx.RungeKutta(order=True), "order"),
        (lambda: fx.RungeKutta(constraints=fx.integrators.NullSpace), "constraints must be an object"),
        (fx.integrators.Baumgarte, "time_constant"),
        (lambda: fx.integrators.Baumgarte(alpha=1.0, beta=1.0, time_constant=1.0), "not both"),
        (lambda: fx.integrators.Baumgarte(alpha=-1.0, beta=1.0), "alpha"),
        (lambda: fx.integrators.Baumgarte(time_constant=0.0), "time_constant"),
        (lambda: fx.integrators.StandardProjection(atol=0.0), "atol"),
        (lambda: fx.integrators.StandardProjection(max_iterations=0), "max_iterations"),
        (lambda: fx.integrators.NullSpace(max_iterations=0), "max_iterations"),
        (lambda: fx.integrators.CoordinatePartitioning(atol=1.0), "atol"),
        (lambda: fx.integrators.AscherProjection(times=0), "times"),
    ],
)
def test_bad_settings(make, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        make()


def test_states_that_read_accelerations_are_refused() -> None:
    bar = hinged_bar()
    body = bar.rigid_bodies[0]
    felt = fx.control.AccelerationSensor(body.centre, (0, 0, 1))
    lag = fx.control.FirstOrder([0.0], lambda x, u, t: u - x, felt, name="filter")
    model = fx.Model(*bar.bodies, *bar.joints, lag, fx.Gravity((0, 0, -G)))
    with pytest.raises(fx.ModelError, match=r"'filter' reads accelerations.*GeneralizedAlpha"):
        fx.simulate(model, 0.1, step=1e-2, integrator=fx.RungeKutta())


def test_steps_beyond_the_limit_of_stability() -> None:
    """h omega = 10: growth by some hundred times a step ends with advice, and what was computed is kept."""
    ball = fx.PointMass(1.0, position=(0.1, 0.0), name="ball")
    spring = fx.SpringDamper(fx.ground.marker_at((0.0, 0.0)), ball.centre, stiffness=1e6, free_length=0.05)
    model = fx.Model(ball, spring)
    with pytest.raises(fx.ConvergenceError, match=r"grows without bound.*GeneralizedAlpha") as caught:
        fx.simulate(model, 1.0, step=fx.FixedStep(1e-2, max_halvings=0), integrator=fx.RungeKutta())
    assert len(caught.value.solution) >= 1


def test_a_coordinate_without_mass_is_named() -> None:
    """The place of a bead on a cable has none: what needs the inverse of the mass says so, and what to take."""
    cable = fx.FlexibleBody.line(
        (0, 0), (2, 0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=50.0, EI_z=0.5, mass_per_length=0.5), name="cable",
    )  # fmt: skip
    bead = fx.PointMass(0.5, position=(0.8, 0), name="bead")
    model = fx.Model(
        cable, bead, fx.Pin(cable.start), fx.Pin(cable.end), fx.SlidingJoint(cable, bead), fx.Gravity((0, -G))
    )
    for kept in (fx.integrators.NullSpace(), fx.integrators.CoordinatePartitioning()):
        with pytest.raises(fx.ModelError, match=r"has no mass.*SuccessiveProjection"):
            fx.simulate(model, 0.1, step=1e-3, integrator=fx.RungeKutta(constraints=kept))
    run = fx.simulate(model, 0.02, step=1e-3, integrator=fx.RungeKutta())
    fine = fx.simulate(model, 0.02, step=2.5e-4)
    assert run.position(bead)[-1] == pytest.approx(fine.position(bead)[-1], abs=1e-6)
