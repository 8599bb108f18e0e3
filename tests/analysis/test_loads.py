"""Loads and springs: exact tangents in the nodal frames, potentials, and factors over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.dynamics.evaluation import Dynamics
from tests.models.at_coordinates import forces, held, linearised

Maker = Callable[..., fx.FlexibleBody]
SOFT = fx.BeamStiffness(
    EA=7.0, EI_z=0.3, GJ=0.2, GA_y=5.0, GA_z=4.0, mass_per_length=1.3, rhoI_y=0.01, rhoI_z=0.02, retardation_time=0.4
)
SPRING = np.array([[3.0, 0.5], [0.5, 2.0]])

PLANAR: dict[str, Callable[[fx.FlexibleBody], tuple[Any, ...]]] = {
    "dead force": lambda b: (fx.PointForce(b.end, (2.0, -3.0)),),
    "follower force": lambda b: (fx.PointForce(b.end, (2.0, -3.0), follower=True),),
    "follower forces on all nodes": lambda b: (fx.PointForce(fx.Attachment(b, (0, 1, 2), "all"), (1.0, 2.0), True),),
    "moment": lambda b: (fx.Moment(b.end, 1.7),),
    "distributed load and gravity": lambda b: (fx.DistributedLoad(b, (0.3, -2.0)), fx.Gravity((1.0, -9.81))),
    "springs": lambda b: (fx.ElasticSupport(b.end, SPRING, rotation=1.3),),
    "everything": lambda b: (
        fx.ElasticSupport(b.end, (3.0, 0.0), rotation=1.3), fx.Moment(b.node(1), -2.0), fx.Gravity((0.0, -2.0)),
        fx.PointForce(b.end, (2.0, -3.0), follower=True), fx.PointForce(b.node(1), (2.0, 1.0)),
    ),
}  # fmt: skip
SPATIAL: dict[str, Callable[[fx.FlexibleBody], tuple[Any, ...]]] = {
    "dead force": lambda b: (fx.PointForce(b.end, (2.0, -3.0, 1.0)),),
    "follower force": lambda b: (fx.PointForce(b.end, (2.0, -3.0, 1.0), follower=True),),
    "moment": lambda b: (fx.Moment(b.end, (1.7, -0.4, 2.0)),),
    "springs": lambda b: (fx.ElasticSupport(b.end, np.diag([1.0, 2.0, 3.0]) + 0.2),),
    "everything": lambda b: (
        fx.Gravity((0.0, 1.0, -2.0)), fx.DistributedLoad(b, (0.1, 0.2, 0.3)), fx.Moment(b.node(1), (1.0, 2.0, 3.0)),
        fx.PointForce(b.end, (2.0, -3.0, 1.0), follower=True),
    ),
}  # fmt: skip
CASES = [(2, n) for n in PLANAR] + [(3, n) for n in SPATIAL]


def system_with(line: Maker, dim: int, name: str, supports: bool = True) -> fx.System:
    """A compiled model of two elements in a general direction, with inclined supports."""
    if dim == 2:
        body = line((0.1, 0.2), (0.9, 0.8), elements=2, stiffness=SOFT)
        fixed = (fx.Clamp(body.start), fx.Roller(body.end, (1.0, 2.0)))
        loads = PLANAR[name](body)
    else:
        body = line((0.1, 0.2, 0.0), (0.9, 0.8, 0.5), elements=2, stiffness=SOFT)
        fixed = (fx.Clamp(body.start), fx.Roller(body.end, (1.0, 2.0, 3.0)))
        loads = SPATIAL[name](body)
    return fx.compile_model(fx.Model(body, *(fixed if supports else ()), *loads))


def random_state(system: fx.System, seed: int, size: float = 0.25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, velocities and factors of loads."""
    rng = np.random.default_rng(seed)
    n = system.coordinates.n
    q = system.coordinates.reference + size * rng.uniform(-1, 1, n)
    return q, rng.uniform(-1, 1, n), rng.uniform(-1, 1, len(system.model.loads))


def differences(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, h: float) -> np.ndarray:
    """Jacobian by central differences of fourth order."""
    columns = []
    for i in range(len(x)):
        e = np.zeros(len(x))
        e[i] = h
        near, far = function(x + e) - function(x - e), function(x + 2 * e) - function(x - 2 * e)
        columns.append((8.0 * near - far) / (12.0 * h))
    return np.array(columns).T


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("dim", "name"), CASES)
def test_tangent_in_nodal_frames_equals_differences(line: Maker, dim: int, name: str, seed: int) -> None:
    system = system_with(line, dim, name)
    q, v, scales = random_state(system, seed)
    dyn = held(system, scales)
    fixation, free = system.fixation, np.sort(system.free)
    frames = fixation.frames(np.zeros(len(fixation.drives)))
    s0, v0 = fixation.to_frames(q, frames), fixation.to_frames(v, frames)

    def residual(s_free: np.ndarray, v_free: np.ndarray) -> np.ndarray:
        s, w = s0.copy(), v0.copy()
        s[free], w[free] = s_free, v_free
        r = forces(dyn, fixation.from_frames(s, frames), fixation.from_frames(w, frames))
        return fixation.to_frames(r, frames)[free]

    lin = linearised(dyn, q, v)
    K = differences(lambda x: residual(x, v0[free]), s0[free], 2e-3)
    D = differences(lambda x: residual(s0[free], x), v0[free], 1e-1)
    scale = np.abs(K).max()
    assert np.array_equal(lin.free, free)
    assert np.allclose(lin.K.toarray(), K, rtol=0, atol=2e-7 * scale)
    assert np.allclose(lin.D.toarray(), D, rtol=0, atol=1e-9 * scale)
    for weights in ((1.0, 0.0, 0.0), (0.7, -2.0, 3.0)):
        wanted = weights[0] * lin.K + weights[1] * lin.D + weights[2] * lin.M
        assert np.array_equal(lin.combine(weights).toarray(), wanted.toarray())
    # What Newton's method uses: the same matrix, through the solver's own storage, with the same residual.
    equations, point = EquationsOfRest(dyn), Point(q, v, np.zeros(0))
    r = equations.tangent(point).copy()
    assert np.allclose(r, forces(dyn, q, v), rtol=0, atol=1e-13 * scale)
    equations.tangent(point)
    x = np.random.default_rng(seed).standard_normal(system.n)
    whole = np.zeros(system.coordinates.n)
    whole[free] = x
    plain = fixation.to_frames(equations.product(fixation.from_frames(whole, frames)), frames)[free]
    equations.factorise(point, frames)
    through = equations.solver.product(x[np.argsort(np.argsort(system.free))])[np.argsort(system.free)]
    # At v != 0 the tangent has viscous parts; at rest both agree with K.
    assert np.allclose(through, lin.K @ x, atol=1e-11 * scale)
    assert np.allclose(plain, through, atol=1e-11 * scale)


@pytest.mark.parametrize(("dim", "name"), CASES)
def test_symmetry_is_claimed_exactly_where_it_holds(line: Maker, dim: int, name: str) -> None:
    """Follower forces and moments in space have no potential; everything else has one."""
    system = system_with(line, dim, name, supports=False)
    q, _, scales = random_state(system, 1)
    K = linearised(held(system, scales), q).K.toarray()
    asymmetry = np.abs(K - K.T).max() / np.abs(K).max()
    conservative = "follower" not in name and name != "everything" and not (dim == 3 and name == "moment")
    assert system.symmetric == conservative
    assert (asymmetry < 1e-14) == conservative


@pytest.mark.parametrize("name", ["dead force", "moment", "distributed load and gravity", "springs"])
def test_residual_is_the_gradient_of_the_potential(line: Maker, name: str) -> None:
    """Work written down by hand: F . u, M theta, integral of load . u, and spring energies."""
    system = system_with(line, 2, name, supports=False)
    body = system.model.bodies[0]
    q, _, _ = random_state(system, 2, 0.1)
    dofs = system.coordinates.node_dofs[0]
    tangent = np.array([0.8, 0.6])
    end = np.array([0.9, 0.8])

    def potential(q: np.ndarray) -> np.ndarray:
        moved, slope = q[dofs[-1, :2]] - end, q[dofs[-1, 2:]]
        angle = np.arctan2(tangent[0] * slope[1] - tangent[1] * slope[0], tangent @ slope)
        energy = system.strain_energy(q)
        if name == "dead force":
            energy -= moved @ (2.0, -3.0)
        elif name == "moment":
            energy -= 1.7 * angle
        elif name == "springs":
            energy += 0.5 * moved @ SPRING @ moved + 0.5 * 1.3 * angle**2
        else:
            load = np.array([0.3, -2.0]) + 1.3 * np.array([1.0, -9.81])
            xi, w = np.polynomial.legendre.leggauss(4)
            group = body.tabulate(dofs, 0)
            energy -= 0.25 * np.einsum("egc,g,c->", body.element.positions(group, q, xi), w, load)
        return np.array([energy])

    gradient = differences(potential, q, 1e-3)[0]
    found = forces(held(system, np.ones(len(system.model.loads))), q)
    assert np.allclose(found, gradient, rtol=0, atol=1e-8)


def test_planar_follower_turns_with_the_tangent(line: Maker) -> None:
    system = system_with(line, 2, "follower force", supports=False)
    q = system.coordinates.reference.copy()
    dofs = system.coordinates.node_dofs[0]
    angle = 2.5  # from the stress-free tangent
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s], [s, c]])
    zero, full = held(system), held(system, np.ones(1))
    q[dofs[-1, 2:]] = 1.7 * R @ (0.8, 0.6)
    force = forces(zero, q) - forces(full, q)
    wanted = np.zeros(len(q))
    wanted[dofs[-1, :2]] = R @ (2.0, -3.0)
    assert np.allclose(force, wanted, atol=1e-13)


def test_spatial_follower_turns_by_the_smallest_rotation(line: Maker) -> None:
    """By Rodrigues' formula with the axis t0 x t; half a turn is refused by name."""
    system = system_with(line, 3, "follower force", supports=False)
    body = system.model.bodies[0]
    dofs = system.coordinates.node_dofs[0]
    t0 = body.reference[-1, 3:]
    axis = np.cross(t0, [0.2, -0.5, 0.9])
    axis /= np.linalg.norm(axis)
    zero, full = held(system), held(system, np.ones(1))
    F = np.array([2.0, -3.0, 1.0])

    def turned(x: np.ndarray, angle: float) -> np.ndarray:
        return x * np.cos(angle) + np.cross(axis, x) * np.sin(angle) + axis * (axis @ x) * (1 - np.cos(angle))

    for angle in (0.0, 0.3, 2.0, 3.1):
        q = system.coordinates.reference.copy()
        q[dofs[-1, 3:]] = 1.3 * turned(t0, angle)
        force = forces(zero, q) - forces(full, q)
        assert np.allclose(force[dofs[-1, :3]], turned(F, angle), atol=1e-10)
    q[dofs[-1, 3:]] = -t0
    with pytest.raises(fx.FlexmbsError, match="half a turn"):
        forces(full, q)


def test_a_spatial_moment_works_on_the_rotation_of_the_tangent(line: Maker) -> None:
    """r . dt = -M . w for every turn w of the tangent: dt = w x t, w across t."""
    system = system_with(line, 3, "moment", supports=False)
    q, _, _ = random_state(system, 3)
    dofs = system.coordinates.node_dofs[0][-1, 3:]
    M, t = np.array([1.7, -0.4, 2.0]), q[dofs]
    load = forces(held(system), q) - forces(held(system, np.ones(1)), q)
    for w in np.eye(3):
        across = w - t * (t @ w) / (t @ t)
        assert load[dofs] @ np.cross(across, t) == pytest.approx(M @ across, abs=1e-13)
    assert load[dofs] @ t == pytest.approx(0.0, abs=1e-13)  # stretching the slope is no work


def test_an_angle_spring_refuses_half_a_turn_by_name(line: Maker) -> None:
    system = system_with(line, 2, "springs", supports=False)
    q = system.coordinates.reference.copy()
    q[system.coordinates.node_dofs[0][-1, 2:]] = (-0.8, -0.6)
    with pytest.raises(fx.FlexmbsError, match=r"rotational spring, item 0 .*node 2.*half a turn"):
        forces(held(system), q)


def test_factors_of_loads_follow_their_histories(line: Maker) -> None:
    body = line()
    table = fx.Table((0.2, 0.6), (1.0, 3.0))
    loads = [
        fx.PointForce(body.end, (0, 1)), fx.Moment(body.end, 1.0, table), fx.Gravity((0, -1), fx.Constant(0.5)),
        fx.DistributedLoad(body, (0, 1), lambda t: t**2), fx.ElasticSupport(body.end, (1.0, 1.0)),
    ]  # fmt: skip
    system = fx.compile_model(fx.Model(body, fx.Clamp(body.start), *loads))
    found = fx.solve_static(system, fx.StaticOptions(at=[0.4, 1.0], check_stability=False, progress=False))
    for s, expected in ((0.0, [0, 1, 0.5, 0, 0]), (0.4, [0.4, 2, 0.5, 0.16, 0.4]), (1.0, [1, 3, 0.5, 1, 1])):
        assert np.allclose(found.scales[found.at_parameter(s)], expected, atol=1e-15)
    dyn = Dynamics(system)
    for t, expected in ((0.0, [1, 1, 0.5, 0, 1]), (0.4, [1, 2, 0.5, 0.16, 1]), (9.0, [1, 3, 0.5, 81, 1])):
        dyn.set_time(t)
        assert dyn.env.t == t
        assert np.allclose(dyn.env.scale[: len(loads)], expected, atol=1e-15)


def fails(t: float) -> float:
    return 1.0 / (t - t)


def misses(t: float) -> float:
    return {}[t]


@pytest.mark.parametrize(("history", "message"), [
    (lambda t: float("nan"), "must be finite"), (lambda t: float("inf"), "must be finite"),
    (lambda t: np.zeros(2), "must be a number"), (lambda t: np.zeros(1), "must be a number"),
    (lambda t: None, "must be a number"), (lambda t: "1", "must be a number"), (lambda t: 1j, "must be a number"),
    (fails, "ZeroDivisionError"), (misses, "KeyError"), (lambda: 1.0, "TypeError"), (lambda t: t + "a", "TypeError"),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["force", "motion"])
def test_histories_that_cannot_be_used_are_refused_by_name(line: Maker, kind: str, history: Any, message: str) -> None:
    body = line(name="arm")
    item = (
        fx.PointForce(body.end, (0, 1), history=history)
        if kind == "force"
        else fx.Prescribe(body.end, (None, 0.1), history=history)
    )
    with pytest.raises(fx.ModelError, match=message) as caught:
        fx.solve_static(fx.Model(body, fx.Clamp(body.start), item))
    assert "'end' of body 'arm'" in str(caught.value)
    assert "history(0)" in str(caught.value)


def test_a_history_may_be_a_numpy_number(line: Maker) -> None:
    body = line()
    for history in (np.float32, np.array, int, np.sin):
        solution = fx.solve_static(
            fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, 1e-3), history=history))
        )
        assert solution.scales[-1, 0] == pytest.approx(float(history(1.0)), rel=1e-15)


def test_tables_are_linear_between_and_constant_outside() -> None:
    table = fx.Table((0.0, 1.0, 3.0), (1.0, 2.0, -2.0))
    assert [table(t) for t in (-5.0, 0.0, 0.5, 1.0, 2.0, 3.0, 99.0)] == [1.0, 1.0, 1.5, 2.0, 0.0, -2.0, -2.0]
    for times, values in (((0, 0), (1, 2)), ((1, 0), (1, 2)), ((), ()), ((0, 1), (1,)), ((0, np.nan), (0, 1))):
        with pytest.raises(fx.ModelError, match="Table"):
            fx.Table(times, values)


@pytest.mark.parametrize("wrong", [[[0.0, 0.0], [0.0, 0.0, 0.0]], "down", None, -9.81, [1.0]])
def test_gravity_that_is_no_vector_is_refused(wrong) -> None:
    with pytest.raises(fx.ModelError, match="Gravity: acceleration must"):
        fx.Gravity(wrong)


def test_a_torque_on_a_cable_is_refused() -> None:
    """It would do nothing; one across the tangent, or in between, bends."""
    cable = fx.FlexibleBody.line(
        (0, 0, 0), (1, 2, 0), elements=2, element=fx.elements.ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0), name="cable",
    )  # fmt: skip
    with pytest.raises(fx.ModelError, match="along the slope of node 2, about which a spatial cable carries no moment"):
        fx.Moment(cable.end, (2.0, 4.0, 0.0))
    assert fx.Moment(cable.end, (2.0, 4.0, 1.0)).moment == (2.0, 4.0, 1.0)
    assert fx.Moment(cable.end, (0.0, 0.0, 0.0)).moment == (0.0, 0.0, 0.0)
