"""Backward differentiation: orders, restarts, error control, against closed forms and reference solutions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.bdf_history import History
from flexmbs.integrators.bdf_motion import motion
from flexmbs.integrators.bdf_polynomials import error_constants, leading, weights
from flexmbs.integrators.contracts import StepState
from flexmbs.verification.cases.mechanisms.integrators import cone, driven
from flexmbs.verification.reference import pendulums

J, J3, OMEGA = 1.0, 1.8, np.array([2.0, 0.0, 5.0])


def top() -> tuple[fx.Model, fx.RigidBody]:
    body = fx.RigidBody(1.0, (J, J, J3), angular_velocity=OMEGA, name="body")
    return fx.Model(body), body


def attitude(t: float) -> Rotation:
    """Of the free symmetric body, in closed form."""
    momentum = np.array([J, J, J3]) * OMEGA
    return Rotation.from_rotvec(momentum / J * t) * Rotation.from_rotvec((0.0, 0.0, (1.0 - J3 / J) * OMEGA[2] * t))


def double_pendulum(spatial: bool = False) -> fx.Model:
    if spatial:
        pins = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.1, 0.0]])
        spins = np.array([[0.0, 0.5, 0.1], [0.3, -0.5, 1.0], [0.3, -0.5, 2.0]])
        bodies, speed = [], np.zeros(3)  # of the pin, so that the velocities fit the joints
        for i, (pin, spin) in enumerate(zip(pins, spins, strict=True)):
            place, turned = np.array((i + 0.5, 0.1 * i, 0.0)), fx_rotation(i)
            body = fx.RigidBody(
                1.0 + i, (0.2, 0.3, 0.4), position=place, rotation=turned, velocity=speed + np.cross(spin, place - pin),
                angular_velocity=turned.T @ spin, name=f"body {i}",
            )  # fmt: skip
            bodies.append(body)
            speed = speed + np.cross(spin, pins[(i + 1) % 3] - pin)
        sides = [fx.ground, *bodies]
        joints = [
            fx.RevoluteJoint(sides[0], sides[1], at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.2), name="hinge"),
            fx.SphericalJoint(sides[1], sides[2], at=(1.0, 0.0, 0.0), name="ball 1"),
            fx.SphericalJoint(sides[2], sides[3], at=(2.0, 0.1, 0.0), name="ball 2"),
        ]
        return fx.Model(*bodies, *joints, fx.Gravity((0.0, 0.0, -9.81)))
    a = fx.PointMass(1.0, position=(1.0, 0.0), name="a")
    b = fx.PointMass(1.0, position=(2.0, 0.0), name="b")
    rods = [
        fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), a.centre, name="upper"),
        fx.DistanceConstraint(a.centre, b.centre, name="lower"),
    ]
    return fx.Model(a, b, *rods, fx.Gravity((0.0, -9.81)))


def fx_rotation(i: int) -> Any:
    return Rotation.from_rotvec((0.3 * i, 0.2, -0.1 * i)).as_matrix()


# --- polynomials and kinematics --------------------------------------------------------------------------------------


@pytest.mark.parametrize("double", [False, True])
def test_weights_reproduce_polynomials(double: bool) -> None:
    s = np.array([-1.0, -1.4, -2.6, -3.1, -4.5])
    if double:
        s = np.append(s, s[-1])
    n = len(s)
    W, D = np.zeros((n, n)), np.zeros((n, n))
    for at in (0.0, -0.4):
        weights(s, double, at, W, D)
        for m in range(n):
            p = np.poly1d(np.arange(1.0, m + 2.0))
            data = p(s[: m + 1])
            if double and m == n - 1:
                data[-1] = p.deriv()(s[-1])
            scale = np.abs(W[m, : m + 1] * data).sum() + np.abs(D[m, : m + 1] * data).sum()
            assert W[m, : m + 1] @ data == pytest.approx(p(at), abs=1e-14 * scale)
            assert D[m, : m + 1] @ data == pytest.approx(p.deriv()(at), abs=1e-13 * scale)


def test_constants_of_equal_steps() -> None:
    """alpha h = 1 + 1/2 + ... + 1/k, and the error constants 1/((k + 1) alpha h) of the formulas."""
    s = -np.arange(1.0, 8.0)
    harmonic = np.cumsum(1.0 / np.arange(1.0, 7.0))
    constants = np.empty(7)
    error_constants(s, 7, constants)
    for k in range(1, 6):
        assert leading(s, k) == pytest.approx(harmonic[k - 1], rel=1e-15)
        assert constants[k] == pytest.approx(1.0 / ((k + 1) * harmonic[k - 1]), rel=1e-15)


@pytest.mark.parametrize("angle", [1e-9, 0.1, 0.499, 0.501, 2.0])
def test_increments_change_velocities_by_alpha(angle: float) -> None:
    rng = np.random.default_rng(3)
    theta, zero, rate = np.zeros(6), np.zeros(6), rng.standard_normal(6)
    theta[3:] = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    T, Q, v, a, alpha = np.zeros((1, 3, 3)), np.zeros((1, 3, 3)), np.zeros(6), np.zeros(6), 3.0
    motion(theta, zero, zero, rate, zero, zero, alpha, 0, v, a, T, Q)
    held, poses = Q.copy(), T.copy()
    turned = Rotation.from_rotvec(theta[3:])
    for j in range(3):
        h = 1e-6
        step = np.zeros(6)
        step[3:] = h * held[0][:, j]
        sides = []
        for sign in (1.0, -1.0):
            motion(theta + sign * step, zero, zero, rate, zero, zero, alpha, 0, v, a, T, Q)
            sides.append((v.copy(), a.copy(), turned.inv() * Rotation.from_rotvec((theta + sign * step)[3:])))
        unit = np.eye(3)[j]
        np.testing.assert_allclose((sides[0][0] - sides[1][0])[3:] / (2.0 * h), alpha * unit, atol=2e-8)
        np.testing.assert_allclose((sides[0][1] - sides[1][1])[3:] / (2.0 * h), alpha**2 * unit, atol=6e-8)
        np.testing.assert_allclose(sides[0][2].as_rotvec() / h, poses[0][:, j], atol=1e-5)


def test_memory_keeps_the_history() -> None:
    rng = np.random.default_rng(0)
    history = History.begin(0.5, 7, 2, rng.standard_normal(6), 0.1)
    for i in range(7):
        q, v, a, lam = (rng.standard_normal(n) for n in (7, 6, 6, 2))
        state = StepState(0.5 + 0.1 * i, q, v, a, a, lam, v, 0.1)
        history = history.after(state, min(i + 1, 5), i, i < 3, 0.2)
        assert (len(history.slope) > 0) == (i < 5)
        again, point = History.unpack(history.pack(np.arange(3.0)), 7, 6, 2)
        for one, two in zip(history, again, strict=True):
            np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(point, np.arange(3.0))
    assert len(history.t) == 5


# --- orders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_order_on_the_conical_pendulum(order: int) -> None:
    known = cone()
    steps = {1: (2.5e-3, 1.25e-3), 3: (1e-2, 5e-3, 2.5e-3)}.get(order, (2e-2, 1e-2, 5e-3))
    scheme = fx.BDF(max_order=order)
    errors = np.array([known.errors(fx.simulate(known.model, 2.0, step=h, integrator=scheme)) for h in steps])
    slopes = np.log2(errors[:-1] / errors[1:])
    assert slopes.min() > order - (0.45 if order > 1 else 0.2), slopes


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_order_on_a_free_spinning_body(order: int) -> None:
    model, body = top()
    errors = []
    for h in (2e-2, 1e-2, 5e-3):
        run = fx.simulate(model, 2.0, step=h, integrator=fx.BDF(max_order=order))
        errors.append((attitude(2.0).inv() * Rotation.from_matrix(run.rotation(body)[-1])).magnitude())
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert slopes.min() > order - 0.2, slopes


def test_constraints_of_positions_and_velocities_hold() -> None:
    run = fx.simulate(double_pendulum(spatial=True), 1.0, step=1e-2, integrator=fx.BDF(max_order=3))
    assert run.residuals[:, 0].max() < 1e-10
    assert run.residuals[:, 1].max() < 1e-8
    run = fx.simulate(driven().model, 1.0, step=fx.ErrorControl(rtol=1e-7), integrator=fx.BDF())
    assert run.residuals[:, 0].max() < 1e-8
    assert run.residuals[:, 1].max() < 1e-6


def test_constraints_of_velocities_alone() -> None:
    """A disk that rolls straight on: the point of contact rests, the centre moves at radius times spin."""
    from flexmbs.verification.cases.mechanisms.rolling import DISK, disk

    body, model = disk(0.0, 4.0, (0.0, 0.0, 0.0))
    run = fx.simulate(model, 1.0, step=fx.ErrorControl(rtol=1e-8), integrator=fx.BDF())
    way = float(np.linalg.norm((run.position(body)[-1] - run.position(body)[0])[:2]))
    assert way == pytest.approx(4.0 * DISK.radius, rel=1e-9)
    assert run.residuals[:, 1].max() < 1e-9


# --- error control ---------------------------------------------------------------------------------------------------


def test_error_follows_the_tolerance() -> None:
    exact = pendulums.simple_pendulum(math.pi / 2.0, np.array([2.0]))[0, 0]
    ball = fx.PointMass(1.0, position=(-1.0, 0.0), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")
    system = fx.compile_model(fx.Model(ball, rod, fx.Gravity((0.0, -9.81))))
    errors, steps = [], []
    for rtol in (1e-5, 1e-7, 1e-9):
        run = fx.simulate(system, 2.0, step=fx.ErrorControl(rtol=rtol), integrator=fx.BDF())
        place = np.array([-np.sin(exact), -np.cos(exact)])
        errors.append(float(np.linalg.norm(run.position(ball)[-1, :2] - place)))
        steps.append(len(run.steps))
    assert errors[0] > 5.0 * errors[1] > 25.0 * errors[2]
    assert errors[2] < 1e-6
    other = fx.simulate(system, 2.0, step=fx.ErrorControl(rtol=1e-7))
    assert steps[1] < 0.5 * len(other.steps)


def test_work_is_bounded() -> None:
    run = fx.simulate(double_pendulum(), 2.0, step=fx.ErrorControl(rtol=1e-7), integrator=fx.BDF())
    steps = len(run.steps) + run.counts["rejected"]
    assert run.counts["tangents"] <= 1.2 * steps
    assert run.counts["residuals"] <= 2.0 * steps
    assert run.counts["rejected"] <= 0.1 * steps
    assert max(k for k in range(1, 6) if f"steps_of_order_{k}" in run.counts) >= 4


def test_a_jump_of_a_force_inside_a_step_is_resolved() -> None:
    ball = fx.PointMass(2.0, position=(0.0, 0.0), name="ball")
    push = fx.UserForce(
        [ball], lambda p, R, twist, t: np.array([[3.0 if t > 0.5 else 0.0, 0, 0, 0, 0, 0]]), name="push"
    )
    run = fx.simulate(fx.Model(ball, push), 1.0, step=fx.ErrorControl(rtol=1e-7), integrator=fx.BDF())
    # A step over the jump is accepted if h times the error of the velocity, 1.5 h, is 1e-7: 2 10^-4 m/s for 0.5 s.
    assert run.position(ball)[-1, 0] == pytest.approx(0.5 * 1.5 * 0.5**2, abs=2e-4)


def test_a_start_has_no_past() -> None:
    dyn = Dynamics(fx.compile_model(double_pendulum()))
    start = _first_state(dyn, fx.BDF(), 0.1)
    history, point = History.unpack(start.memory, dyn.n_q, dyn.n_v, dyn.n_c)
    assert (history.order, len(history.t), len(point), start.h_old) == (1, 0, 0, 0.0)
    np.testing.assert_array_equal(history.slope, start.a)


# --- going on --------------------------------------------------------------------------------------------------------


CORRECTORS = {
    "fresh": fx.integrators.CorrectorOptions(),
    "kept": fx.integrators.CorrectorOptions(reuse=True),
    "combined": fx.integrators.CorrectorOptions(reuse=True, alpha_update=True),
    "grouped": fx.integrators.CorrectorOptions(reuse=True, alpha_update=True, jacobian="grouped"),
}


@pytest.mark.parametrize("step", [2e-2, fx.ErrorControl(rtol=1e-6)], ids=["fixed", "controlled"])
@pytest.mark.parametrize("corrector", CORRECTORS)
def test_interrupted_runs_go_on_bitwise(step: Any, corrector: str, tmp_path: Path, interrupt_at) -> None:
    model, scheme = double_pendulum(spatial=True), fx.BDF(corrector=CORRECTORS[corrector])
    whole = fx.simulate(model, 1.0, step=step, integrator=scheme)
    file = tmp_path / "first.h5"
    first = fx.simulate(model, 1.0, step=step, integrator=scheme, events=[interrupt_at(12)], file=file)
    assert first.status is fx.Status.INTERRUPTED
    for start in (first, fx.load(file)):
        rest = fx.simulate(start.model, 1.0, step=step, integrator=scheme, start=start)
        n = len(rest.t)
        np.testing.assert_array_equal(rest.t, whole.t[-n:])
        np.testing.assert_array_equal(rest.q, whole.q[-n:])
        np.testing.assert_array_equal(rest.v, whole.v[-n:])
        np.testing.assert_array_equal(rest.lam, whole.lam[-n:])


def _first_state(dyn: Dynamics, scheme: fx.BDF, h: float) -> StepState:
    from flexmbs.dynamics.consistent_state import assemble

    c = dyn.coordinates
    dyn.start_turns(0.0)
    found = assemble(dyn, 0.0, c.reference.copy(), c.velocity.copy())
    return scheme.start(dyn, 0.0, found.q, found.v, h)


def test_back_in_time_to_the_start() -> None:
    """The trapezoidal rule, with which fixed steps begin, is its own inverse in a vector space."""
    ball = fx.PointMass(2.0, position=(1.5, 0.0), velocity=(0.0, 1.0), name="ball")
    spring = fx.SpringDamper(
        ball.centre, fx.ground.marker_at((0.0, 0.0)), stiffness=50.0, free_length=1.0, name="spring"
    )
    dyn = Dynamics(fx.compile_model(fx.Model(ball, spring)))
    scheme = fx.BDF(max_order=2)
    state = _first_state(dyn, scheme, 0.05)
    stepper = scheme.stepper(dyn, 1.0)
    there = stepper.step(state, 0.05).state
    assert there is not None
    back = stepper.step(there, -0.05).state
    assert back is not None
    np.testing.assert_allclose(back.q, state.q, atol=1e-11)
    np.testing.assert_allclose(back.v, state.v, atol=1e-9)
    np.testing.assert_allclose(back.a, state.a, atol=1e-7)
    assert back.t == pytest.approx(0.0, abs=1e-16)


def test_back_in_time_with_rotations_and_joints() -> None:
    """Charts at both ends differ: the way back misses the start by the local error, of third order."""
    dyn = Dynamics(fx.compile_model(top()[0]))
    scheme = fx.BDF()
    missed = []
    for h in (0.02, 0.01):
        stepper, state = scheme.stepper(dyn, 1.0), _first_state(dyn, scheme, h)
        there = stepper.step(state, h).state
        assert there is not None
        back = stepper.step(there, -h).state
        assert back is not None
        missed.append(float(np.abs(back.q - state.q).max()))
    assert math.log2(missed[0] / missed[1]) > 2.8


def test_steps_depend_on_the_state_alone() -> None:
    """Whatever was tried before, and after the factors were dropped."""
    scheme = fx.BDF(corrector=fx.integrators.CorrectorOptions(reuse=True, alpha_update=True))
    dyn = Dynamics(fx.compile_model(double_pendulum(spatial=True)))
    stepper = scheme.stepper(dyn, 1e-6)
    state = _first_state(dyn, scheme, 1e-4)
    for _ in range(12):
        state = stepper.step(state, 1e-4).state
    one = stepper.step(state, 1.5e-4).state
    stepper.step(one, 4e-4)
    stepper.step(state, 0.3)
    two = stepper.step(state, 1.5e-4).state
    stepper.forget()
    three = stepper.step(state, 1.5e-4).state
    for part in ("q", "v", "a", "lam", "memory"):
        np.testing.assert_array_equal(getattr(one, part), getattr(two, part))
        np.testing.assert_array_equal(getattr(one, part), getattr(three, part))


def test_a_run_of_no_length() -> None:
    run = fx.simulate(double_pendulum(), 0.0, integrator=fx.BDF())
    assert len(run.t) == 1
    assert run.a[0, 1] == pytest.approx(-9.81)


# --- between the steps -----------------------------------------------------------------------------------------------


def test_dense_output_meets_both_ends_and_is_as_accurate_as_the_steps() -> None:
    model, body = top()
    errors = []
    for h in (4e-2, 2e-2):
        run = fx.simulate(model, 2.0, step=h, integrator=fx.BDF(max_order=4), output=fx.Output(every=h / 3.0))
        late = run.t > 1.0
        exact = Rotation.concatenate([attitude(t) for t in run.t[late]])
        errors.append((exact.inv() * Rotation.from_matrix(run.rotation(body)[late])).magnitude().max())
    assert math.log2(errors[0] / errors[1]) > 3.6
    dyn = Dynamics(fx.compile_model(model))
    scheme = fx.BDF()
    stepper = scheme.stepper(dyn, 1e-6)
    old = _first_state(dyn, scheme, 1e-2)
    for _ in range(8):
        new = stepper.step(old, 1e-2).state
        between = stepper.between(old, new)
        for end, s in ((old, 1e-13), (new, 1.0 - 1e-13)):
            found = between(old.t + s * 1e-2)
            for part in ("q", "v", "a", "lam"):
                np.testing.assert_allclose(getattr(found, part), getattr(end, part), atol=1e-11)
        old = new


# --- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_order": 6}, "max_order must be 1 to 5, not 6"),
        ({"max_order": 0}, "max_order"),
        ({"max_order": 2.5}, "max_order"),
        ({"corrector": "fast"}, "corrector must be CorrectorOptions, not 'fast'"),
    ],
)
def test_bad_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        fx.BDF(**settings)
