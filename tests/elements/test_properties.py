"""What holds for every element of lines without quaternions, straight and curved, damped and undamped."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flexmbs.core.contracts import Env, State, Work
from flexmbs.elements import LinearBeam2D, LinearBeam3D

EPS = np.finfo(float).eps
XI = np.linspace(-1.0, 1.0, 4001)


def round_off(chain, q) -> float:
    """Bound for the round-off of forces: a modest multiple of eps times the stiffness times the coordinates."""
    _, K = chain.matrix(q)
    return 200 * EPS * np.abs(K).max() * max(1.0, np.abs(q).max())


def along(chain, field) -> np.ndarray:
    """Integral of a field (n_e, n_s, ...) on XI over the length of the stress-free shape, by Simpson's rule."""
    r = chain.element.positions(chain.group, chain.reference, XI)
    metric = np.linalg.norm(np.gradient(r, XI, axis=1, edge_order=2), axis=-1)
    w = np.full(len(XI), 4.0)
    w[::2], w[[0, -1]] = 2.0, 1.0
    w *= (XI[1] - XI[0]) / 3.0
    return np.einsum("g,eg,eg...->...", w, metric, field)


def omegas(dim):
    return np.eye(3) if dim == 3 else np.array([[0.0, 0.0, 1.0]])


def normal(chain):
    """Unit normal of the plane of an arc."""
    n = np.cross(*(chain.points[[1, 2]] - chain.points[0]))
    return n / np.linalg.norm(n)


def directors_inertia(chain, omega):
    """Integral of rhoI_z |omega x d2|^2 + rhoI_y |omega x d3|^2, the directors being polynomials in xi."""
    layout = chain.element.layout
    nodes = chain.reference[chain.group.dofs].reshape(len(chain.cells), chain.cells.shape[1], len(layout.names))
    shapes = np.stack((0.5 * XI * (XI - 1), 0.5 * XI * (XI + 1), 1 - XI**2))
    if chain.cells.shape[1] == 2:
        shapes = np.stack((0.5 * (1 - XI), 0.5 * (1 + XI)))
    d2, d3 = (
        np.einsum("ig,eic->egc", shapes, nodes[..., list(part)])
        for part in (layout.directors[:3], layout.directors[3:])
    )
    rho = chain.stiffness
    return along(
        chain, rho.rhoI_z * (np.cross(omega, d2) ** 2).sum(-1) + rho.rhoI_y * (np.cross(omega, d3) ** 2).sum(-1)
    )


# --- description ----------------------------------------------------------------------------------------------------


def test_layout_and_resultants_fit_each_other(element, build):
    chain, layout = build(element), element.layout
    used = sorted(layout.position + layout.slope + layout.rotation + layout.directors)
    assert used == list(range(len(layout.names)))
    assert chain.group.dofs.shape[1] == chain.cells.shape[1] * len(layout.names)
    values = element.stress_resultants(chain.group, chain.reference, 0 * chain.reference, np.array([0.0, 0.5]))
    assert values.shape == (3, 2, len(element.resultants))
    assert {r.dimension for r in element.resultants} <= {"force", "moment"}
    assert set(element.shared) <= set(chain.group._fields)


def test_group_has_a_row_per_element_unless_shared(element, build):
    group = build(element).group
    for name in set(group._fields) - set(element.shared) - {"b1"}:
        assert len(getattr(group, name)) == 3, name


def test_empty_group_is_legal(element, build):
    n = build(element).cells.shape[1]
    dim, k = element.layout.dim, n * len(element.layout.names)
    empty = np.zeros((0, k))
    group = element.tabulate(np.zeros((0, n, dim)), empty, empty.astype(np.int64), build(element).stiffness, 0)
    state, work = State(*(np.zeros(0) for _ in range(4))), Work(np.zeros(0), np.zeros(0))
    assert element.force(group, state, Env(0.0, np.zeros(0)), work) == -1
    assert element.tangent(group, state, Env(0.0, np.zeros(0)), work, (1.0, 0.0)) == -1
    assert element.mass(group).shape == (0, k, k)


# --- interpolation, mass, loads -------------------------------------------------------------------------------------


def test_interpolation_is_nodal(element, curved, build, rng):
    chain = build(element, curved)
    q, _ = chain.random(rng)
    nodes = q.reshape(len(chain.points), -1)[:, list(element.layout.position)]
    if not element.layout.absolute:
        nodes = nodes + chain.points
    ends = element.positions(chain.group, q, np.array([-1.0, 1.0]))
    np.testing.assert_allclose(ends[:, 0], nodes[chain.cells[:, 0]], atol=1e-14)
    np.testing.assert_allclose(ends[:, 1], nodes[chain.cells[:, 1]], atol=1e-14)


def test_slope_is_the_derivative_by_arc_length(cable, curved, build, rng):
    chain = build(cable, curved)
    q, _ = chain.random(rng)
    xi = np.linspace(-1.0, 1.0, 4)  # the curve is cubic, so that a cubic through four points is the curve
    slopes = q.reshape(len(chain.points), 2, -1)[:, 1]
    for e, r in enumerate(cable.positions(chain.group, q, xi)):
        derivative = np.polynomial.polynomial.polyder(np.polynomial.polynomial.polyfit(xi, r, 3))
        ends = np.polynomial.polynomial.polyval(np.array([-1.0, 1.0]), derivative).T * 2.0 / chain.group.L[e]
        np.testing.assert_allclose(ends, slopes[e : e + 2], atol=1e-12)


@pytest.mark.parametrize("beam", [LinearBeam2D(shear=False), LinearBeam3D(shear=False)], ids=["plane", "space"])
def test_axis_of_a_beam_rigid_in_shear_turns_with_its_nodes(beam, build, rng):
    chain = build(beam)
    q, _ = chain.random(rng)
    xi = np.linspace(-1.0, 1.0, 4)
    chord = chain.points[1] - chain.points[0]
    phi = q.reshape(len(chain.points), -1)[:, list(beam.layout.rotation)]
    for e, r in enumerate(beam.positions(chain.group, q, xi)):
        derivative = np.polynomial.polynomial.polyder(np.polynomial.polynomial.polyfit(xi, r, 3))
        for x, node in ((-1.0, phi[e]), (1.0, phi[e + 1])):
            tangent = np.polynomial.polynomial.polyval(x, derivative) * 2.0 / np.linalg.norm(chord)
            unit = chord / np.linalg.norm(chord)
            turn = np.cross(node, unit) if len(node) == 3 else node[0] * np.array([-unit[1], unit[0]])
            across = np.eye(len(unit)) - np.outer(unit, unit)
            np.testing.assert_allclose(across @ tangent, turn, atol=1e-12)


def test_rigid_translation_moves_all_points_alike(element, curved, build):
    chain = build(element, curved)
    shift = np.arange(1.0, chain.dim + 1)
    xi = np.linspace(-1, 1, 7)
    before = element.positions(chain.group, chain.reference, xi)
    after = element.positions(chain.group, chain.reference + chain.translation(shift), xi)
    np.testing.assert_allclose(after - before, np.broadcast_to(shift, before.shape), atol=1e-13)


def test_length_is_that_of_the_stress_free_curve(element, curved, build):
    chain = build(element, curved)
    length = along(chain, np.ones((3, len(XI))))
    assert element.lengths(chain.group).sum() == pytest.approx(length, rel=1e-6)


def test_mass_of_a_translation_is_the_total_mass(element, curved, build):
    chain = build(element, curved)
    M = chain.mass()
    direction = np.array([1.0, -2.0, 0.5])[: chain.dim]
    v = chain.translation(direction)
    total = chain.stiffness.mass_per_length * element.lengths(chain.group).sum()
    assert v @ M @ v == pytest.approx(total * direction @ direction, rel=1e-13)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


def test_mass_of_a_rotation_is_the_moment_of_inertia(element, curved, build):
    chain = build(element, curved)
    M, rho = chain.mass(), chain.stiffness
    r = element.positions(chain.group, chain.reference, XI)
    r = np.concatenate((r, np.zeros((*r.shape[:2], 3 - chain.dim))), axis=-1)
    for omega in omegas(chain.dim):
        inertia = rho.mass_per_length * along(chain, (np.cross(omega, r) ** 2).sum(axis=-1))
        if element.layout.directors:
            inertia += directors_inertia(chain, omega)
        elif not chain.is_cable:
            for start, end in zip(chain.points[:-1], chain.points[1:], strict=True):
                if chain.dim == 2:
                    inertia += rho.rhoI_z * np.linalg.norm(end - start)
                    continue
                x = (end - start) / np.linalg.norm(end - start)
                z = np.array([0.0, 0.0, 1.0]) - x[2] * x
                z /= np.linalg.norm(z)
                local = np.stack((x, np.cross(z, x), z)) @ omega
                section = np.array([rho.rhoI_y + rho.rhoI_z, rho.rhoI_y, rho.rhoI_z])
                inertia += np.linalg.norm(end - start) * (section * local**2).sum()
        v = chain.spin(chain.reference, omega)
        assert v @ M @ v == pytest.approx(inertia, rel=1e-6)


def test_body_load_has_the_right_resultant_and_moment(element, curved, build):
    chain = build(element, curved)
    load = np.array([0.7, -1.1, 0.4])[: chain.dim]
    f = chain.load(load)
    length = element.lengths(chain.group).sum()
    for direction in np.eye(chain.dim):
        assert f @ chain.translation(direction) == pytest.approx(length * load @ direction, rel=1e-13)
    r = element.positions(chain.group, chain.reference, XI)
    arm = np.append(along(chain, r), np.zeros(3 - chain.dim))
    moment = np.cross(arm, np.append(load, np.zeros(3 - chain.dim)))
    for omega in omegas(chain.dim):
        power = f @ chain.spin(chain.reference, omega)
        assert power == pytest.approx(moment @ omega, rel=1e-6, abs=1e-7)


def test_gravity_is_mass_times_acceleration(element, curved, build):
    chain = build(element, curved)
    g = np.array([0.0, -9.81, 2.0])[: chain.dim]
    weight = chain.load(g, per_mass=True)
    np.testing.assert_allclose(weight, chain.mass() @ chain.translation(g), atol=1e-12)
    np.testing.assert_allclose(weight, chain.stiffness.mass_per_length * chain.load(g), atol=1e-12)


# --- rigid motion ---------------------------------------------------------------------------------------------------


def test_stress_free_shape_has_no_force_and_no_energy(chain):
    assert np.abs(chain.force(chain.reference)).max() <= round_off(chain, chain.reference)
    assert chain.energy(chain.reference) <= EPS
    values = chain.element.stress_resultants(chain.group, chain.reference, 0 * chain.reference, XI[::500])
    assert np.abs(values).max() <= 1e-11


def test_finite_rigid_motion_gives_no_force(absolute, curved, build):
    chain = build(absolute, curved)
    R = chain.turn(2.3) if chain.dim == 2 else chain.rotation([1.0, -2.0, 0.7])
    q = chain.moved(chain.reference, R, np.arange(1.0, chain.dim + 1))
    assert np.abs(chain.force(q)).max() <= round_off(chain, q)


def test_small_rigid_motion_of_a_beam_gives_no_force(beam, curved, build):
    chain = build(beam, curved)
    for omega in omegas(chain.dim):
        q = chain.spin(chain.reference, omega) + chain.translation(np.arange(1.0, chain.dim + 1))
        assert np.abs(chain.force(q)).max() <= round_off(chain, q)


def test_internal_forces_balance_in_every_state(element, curved, build, rng):
    chain = build(element, curved)
    q, _ = chain.random(rng, size=0.02)
    f = chain.force(q)
    bound = round_off(chain, q)
    where = q if chain.finite else chain.reference
    for direction in np.eye(chain.dim):
        assert abs(f @ chain.translation(direction)) <= bound
    for omega in omegas(chain.dim):
        assert abs(f @ chain.spin(where, omega)) <= 10 * bound


def test_absolute_elements_are_objective(absolute, curved, viscosity, build, rng):
    chain = build(absolute, curved, viscosity)
    q, v = chain.random(rng)
    R = chain.turn(-1.1) if chain.dim == 2 else chain.rotation([0.4, 1.3, -0.8])
    turned = chain.force(chain.moved(q, R, np.ones(chain.dim)), chain.moved(v, R, 0.0))
    np.testing.assert_allclose(turned, chain.moved(chain.force(q, v), R, 0.0), atol=1e-10)


# --- derivatives ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [1, 2])
def test_tangent_is_the_derivative_of_the_force(chain, state):
    q, v = chain.random(np.random.default_rng(state))
    _, K = chain.matrix(q, v, 1.0, 0.0)
    by_difference = chain.difference(lambda x: chain.force(x, v), q, 2e-4)
    np.testing.assert_allclose(K, by_difference, atol=1e-8 * np.abs(K).max())


def test_tangent_mixes_stiffness_and_damping_by_the_weights(chain, rng):
    q, v = chain.random(rng)
    _, K = chain.matrix(q, v, 1.0, 0.0)
    _, D = chain.matrix(q, v, 0.0, 1.0)
    _, A = chain.matrix(q, v, 0.6, -1.7)
    np.testing.assert_allclose(A, 0.6 * K - 1.7 * D, atol=1e-12 * np.abs(K).max())
    by_difference = chain.difference(lambda x: chain.force(q, x), v, 0.1)
    np.testing.assert_allclose(D, by_difference, atol=1e-11 * np.abs(K).max())


def test_both_kernels_give_the_same_force(chain, rng):
    q, v = chain.random(rng)
    r, _ = chain.matrix(q, v, 0.3, 0.2)
    np.testing.assert_allclose(r, chain.force(q, v), atol=1e-13 * np.abs(r).max())


def test_force_is_the_derivative_of_the_energy(element, curved, build, rng):
    chain = build(element, curved)
    q, _ = chain.random(rng)
    f = chain.force(q)
    np.testing.assert_allclose(f, chain.difference(chain.energy, q, 5e-4), atol=1e-8 * np.abs(f).max())


def test_stiffness_is_the_second_difference_of_the_energy(element, curved, build, rng):
    chain = build(element, curved)
    q, _ = chain.random(rng)
    _, K = chain.matrix(q)
    h = 1e-3
    for _ in range(5):
        p = rng.standard_normal(chain.n)
        p /= np.linalg.norm(p)
        E = [chain.energy(q + i * h * p) for i in (-2, -1, 0, 1, 2)]
        second = (-E[0] + 16 * E[1] - 30 * E[2] + 16 * E[3] - E[4]) / (12 * h**2)
        assert p @ K @ p == pytest.approx(second, abs=1e-6 * np.abs(K).max())


def test_stiffness_is_symmetric_without_damping(element, curved, build, rng):
    chain = build(element, curved)
    q, _ = chain.random(rng)
    _, K = chain.matrix(q)
    np.testing.assert_allclose(K, K.T, atol=1e-14 * np.abs(K).max())


@settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32 - 1), wq=st.floats(-2, 2), wv=st.floats(-2, 2), size=st.floats(0, 0.01))
def test_tangent_in_random_states(chain, seed, wq, wv, size):
    rng = np.random.default_rng(seed)
    q, v = chain.random(rng, size)
    r, A = chain.matrix(q, v, wq, wv)
    p, h = rng.standard_normal(chain.n), 1e-4
    step = [chain.force(q + i * h * wq * p, v + i * h * wv * p) for i in (-2, -1, 1, 2)]
    by_difference = (step[0] - 8 * step[1] + 8 * step[2] - step[3]) / (12 * h)
    _, K = chain.matrix(q)
    np.testing.assert_allclose(A @ p, by_difference, atol=1e-7 * np.abs(K).max())
    np.testing.assert_allclose(r, chain.force(q, v), atol=1e-12 * np.abs(K).max())


# --- damping --------------------------------------------------------------------------------------------------------


def test_damping_takes_energy_and_never_gives_any(element, curved, build, rng):
    chain = build(element, curved, 0.3)
    q, v = chain.random(rng)
    _, D = chain.matrix(q, v, 0.0, 1.0)
    np.testing.assert_allclose(D, D.T, atol=1e-13 * np.abs(D).max())
    assert np.linalg.eigvalsh(D).min() >= -1e-12 * np.abs(D).max()
    np.testing.assert_allclose(D @ v, chain.force(q, v) - chain.force(q), atol=1e-10)


def test_damping_of_the_stress_free_shape_is_tau_times_stiffness(element, curved, build):
    chain = build(element, curved, 0.3)
    _, K = chain.matrix(chain.reference)
    _, D = chain.matrix(chain.reference, None, 0.0, 1.0)
    if chain.is_cable and chain.dim == 3 and curved:  # out of its plane an arc has damping, but no stiffness
        n = normal(chain)
        part = np.kron(np.eye(chain.n // 3), np.eye(3) - np.outer(n, n))
        K, D = part @ K @ part, part @ D @ part
    np.testing.assert_allclose(D, 0.3 * K, atol=1e-11 * np.abs(K).max())


def test_rigid_rotation_is_free_of_damping(element, curved, build, rng):
    chain = build(element, curved, 0.3)
    q = chain.random(rng)[0] if chain.dim == 2 else chain.reference
    normals = omegas(chain.dim)
    if chain.is_cable and chain.dim == 3 and curved:
        normals = [normal(chain)]  # other axes have a part along the tangent
    for omega in normals:
        v = chain.spin(q if chain.finite else chain.reference, omega)
        assert np.abs(chain.force(q, v) - chain.force(q)).max() <= round_off(chain, q)
