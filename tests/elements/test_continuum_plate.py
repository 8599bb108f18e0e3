"""The fully parameterised plate: derivatives, rigid motion, mass, loads, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.core.contracts import Env, State, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.laminate import Ply
from flexmbs.core.material import Elastic, Orthotropic
from flexmbs.core.shell_section import Layup, ShellSection, sheet_stiffness
from flexmbs.elements import ANCFPlateFullyParameterized
from tests.models.plate_sample import GRID, NU, SHAPES, VARIANTS, Sample, build, curvature, flat, membrane


@pytest.fixture(params=VARIANTS)
def name(request):
    return request.param


@pytest.fixture(params=SHAPES)
def shape(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def rotation(vector):
    angle = np.linalg.norm(vector)
    k = np.asarray(vector) / angle
    K = np.cross(np.eye(3), -k)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


# --- derivatives and rigid motion -----------------------------------------------------------------------------------


def test_stress_free_shape_has_neither_force_nor_energy(name, shape):
    s = build(name, shape)
    assert np.abs(s.force(s.q0)).max() < 1e-14
    assert s.energy(s.q0) < 1e-28
    assert np.abs(s.resultants(0 * s.q0)).max() < 1e-14


def test_finite_rigid_motion_gives_no_force(name, shape):
    s = build(name, shape)
    q = s.turned(s.q0, rotation([1.0, -2.0, 0.7]), np.array([1.0, -2.0, 3.0]))
    assert np.abs(s.force(q)).max() < 1e-14


def test_it_is_objective(name, shape, rng):
    s = build(name, shape, 0.3)
    q, v = s.random(rng)
    R = rotation([0.4, 1.3, -0.8])
    np.testing.assert_allclose(s.force(s.turned(q, R, 1.0), s.turned(v, R)), s.turned(s.force(q, v), R), atol=1e-13)


def test_tangent_is_the_derivative_of_the_force(name, shape, rng):
    s = build(name, shape, 0.3)
    q, v = s.random(rng)
    r, A = s.matrix(q, v, 0.6, -1.7)
    np.testing.assert_allclose(r, s.force(q, v), atol=1e-14)
    p, h = rng.standard_normal(s.n), 1e-3
    step = [s.force(q + i * h * 0.6 * p, v - i * h * 1.7 * p) for i in (-2, -1, 1, 2)]
    by_difference = (step[0] - 8 * step[1] + 8 * step[2] - step[3]) / (12 * h)
    np.testing.assert_allclose(A @ p, by_difference, atol=1e-9 * np.abs(A @ p).max())


def test_force_is_the_derivative_of_the_energy_and_the_tangent_symmetric(name, shape, rng):
    s = build(name, shape)
    q, _ = s.random(rng)
    p, h = rng.standard_normal(s.n), 1e-3
    U = [s.energy(q + i * h * p) for i in (-2, -1, 1, 2)]
    assert s.force(q) @ p == pytest.approx((U[0] - 8 * U[1] + 8 * U[2] - U[3]) / (12 * h), rel=1e-8)
    _, K = s.matrix(q)
    np.testing.assert_allclose(K, K.T, atol=1e-14 * np.abs(K).max())


def test_damping_takes_energy(name, shape, rng):
    s = build(name, shape, 0.3)
    q, v = s.random(rng)
    _, D = s.matrix(q, v, 0.0, 1.0)
    assert np.linalg.eigvalsh(0.5 * (D + D.T)).min() > -1e-12 * np.abs(D).max()
    np.testing.assert_allclose(D, D.T, atol=1e-13 * np.abs(D).max())


@pytest.mark.parametrize("n", [1, 2])
def test_only_rigid_motions_are_free(name, shape, n):
    s = build(name, shape) if n == 2 else Sample(VARIANTS[name], SHAPES[shape] if shape != "folded" else flat, 1)
    _, K = s.matrix(s.q0)
    values = np.linalg.eigvalsh(K)
    assert (np.abs(values) < 1e-10 * values[-1]).sum() == 6


# --- mass and loads -------------------------------------------------------------------------------------------------


def test_mass_of_rigid_motions(shape):
    s = build("cured", shape)
    M = s.mass()
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0.0
    area = s.element.areas(s.group).sum()
    direction = np.zeros((s.n // 12, 4, 3))
    direction[:, 0] = (1.0, -2.0, 0.5)
    total = s.stiffness.mass_per_area * area
    assert direction.ravel() @ M @ direction.ravel() == pytest.approx(5.25 * total, rel=1e-13)
    omega = np.array([0.3, -1.0, 0.7])
    v = np.cross(omega, s.q0.reshape(-1, 3)).ravel()
    xi, w = np.polynomial.legendre.leggauss(8)
    grid = np.array([(a, b) for b in xi for a in xi])
    N, dN = s.element.interpolation(s.group, grid)
    nodes = s.q0[s.group.dofs].reshape(-1, 16, 3)
    r = np.einsum("epi,eic->epc", N, nodes)
    G = np.einsum("epki,eic->epkc", dN, nodes)
    normal = np.cross(G[:, :, 0], G[:, :, 1])
    dA = np.linalg.norm(normal, axis=2) * np.outer(w, w).ravel()
    rho = s.stiffness
    inertia = (dA * rho.mass_per_area * (np.cross(omega, r) ** 2).sum(axis=2)).sum()
    across = np.cross(omega, normal / np.linalg.norm(normal, axis=2, keepdims=True))
    inertia += (dA * rho.rotary_inertia * (across**2).sum(axis=2)).sum()
    # the metric is no polynomial where it is curved, and interpolated normals are shorter than 1
    assert v @ M @ v == pytest.approx(inertia, rel=1e-13 if shape != "warped" else 1e-4)


def test_gravity_is_mass_times_acceleration(shape):
    s = build("cured", shape)
    g = np.array([0.3, -1.0, 2.0])
    f = np.zeros(s.n)
    np.add.at(f, s.group.dofs, s.element.body_load(s.group, g, True))
    a = np.zeros((s.n // 12, 4, 3))
    a[:, 0] = g
    np.testing.assert_allclose(f, s.mass() @ a.ravel(), atol=1e-13)
    per_area = s.element.body_load(s.group, g, False)
    np.testing.assert_allclose(s.element.body_load(s.group, g, True), s.stiffness.mass_per_area * per_area, atol=1e-15)


def test_positions_are_nodal_and_interpolation_gives_their_derivatives(rng):
    s = build("cured", "folded")
    q, _ = s.random(rng)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    np.testing.assert_allclose(s.element.positions(s.group, q, corners), q.reshape(-1, 4, 3)[:, 0][s.cells], atol=1e-14)
    h = 1e-5
    _, dN = s.element.interpolation(s.group, GRID)
    for k in range(2):
        after, before = (s.element.positions(s.group, q, GRID + i * h * np.eye(2)[k]) for i in (1, -1))
        by_difference = (after - before) / (2 * h)
        slope = np.einsum("epi,eic->epc", dN[:, :, k], q[s.group.dofs].reshape(-1, 16, 3))
        np.testing.assert_allclose(slope, by_difference, atol=1e-9)


# --- material, resultants, geometry ---------------------------------------------------------------------------------


def test_resultants_are_in_the_axes_of_the_material():
    c = np.sqrt(0.5)
    s = Sample(ANCFPlateFullyParameterized(), flat, 2, axis=(c, c, 0.0))
    u = s.given(lambda x, y: (1e-7 * x, 0, 0), lambda x, y: np.diag([1e-7, 0, -1e-7 * NU / (1 - NU)]))
    A = s.stiffness.matrix[:3, :3]
    expected = A @ np.array([0.5, 0.5, -1.0]) * 1e-7
    np.testing.assert_allclose(s.resultants(u)[0, 0, :3], expected, rtol=1e-6)


def test_orthotropic_sheets_bend_about_their_own_axes():
    wood = Orthotropic(
        E_1=10.0, E_2=1.0, E_3=1.0, nu_12=0.3, nu_13=0.3, nu_23=0.3, G_12=0.7, G_13=0.5, G_23=0.6, density=1.0
    )
    stiffness = sheet_stiffness("test", ShellSection(0.02, axis=(0.0, 1.0, 0.0)), wood)
    s = Sample(ANCFPlateFullyParameterized(), flat, 2, stiffness=stiffness)
    u = curvature(s, 1.0)
    assert u @ s.matrix(s.q0)[1] @ u == pytest.approx(stiffness.matrix[4, 4], rel=1e-9)


def test_viscous_parts_of_resultants():
    s = build("cured", "flat", 0.3)
    v = membrane(s, 1e-6)
    rates = s.element.stress_resultants(s.group, s.q0, v, GRID)
    np.testing.assert_allclose(rates, 0.3 * s.resultants(v), atol=1e-5 * np.abs(rates).max())


def test_empty_group_is_legal():
    s = build("cured", "flat")
    empty = np.zeros((0, 48))
    shape = s.shape._replace(cells=np.zeros((0, 4), dtype=np.int64))
    group = s.element.tabulate_surface(shape, empty, empty.astype(np.int64), s.stiffness, 0)
    state, work = State(*(np.zeros(0) for _ in range(4))), Work(np.zeros(0), np.zeros(0))
    assert s.element.force(group, state, Env(0.0, np.zeros(0)), work) == -1
    assert s.element.tangent(group, state, Env(0.0, np.zeros(0)), work, (1.0, 0.0)) == -1
    assert s.element.mass(group).shape == (0, 48, 48)


def test_rows_of_the_group():
    group = build("cured", "flat").group
    for field in set(group._fields) - set(ANCFPlateFullyParameterized.shared) - {"b1"}:
        assert len(getattr(group, field)) == 4, field


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["split", "nodal", "assumed_shear", "twist"])
def test_choices_are_flags(choice):
    with pytest.raises(ModelError, match=f"ANCFPlateFullyParameterized: {choice}"):
        ANCFPlateFullyParameterized(**{choice: 1})


def test_layups_are_refused():
    soft, stiff = (Elastic(youngs_modulus=e, density=1.0, poissons_ratio=0.3) for e in (1.0, 5.0))
    for plies, why in (((soft, stiff), "couples"), ((stiff, soft, stiff), r"times h\^2/12")):
        stiffness = sheet_stiffness("test", Layup(tuple(Ply(m, 0.01) for m in plies)), None)
        with pytest.raises(ModelError, match=why):
            Sample(ANCFPlateFullyParameterized(), flat, stiffness=stiffness)


def test_incompressible_membranes_are_refused():
    stiffness = sheet_stiffness(
        "test", ShellSection(0.1), Elastic(youngs_modulus=1.0, density=1.0, poissons_ratio=0.4999)
    )
    with pytest.raises(ModelError, match=r"above 0\.499"):
        Sample(ANCFPlateFullyParameterized(), flat, stiffness=stiffness)


def test_a_shell_thicker_than_its_radius_is_refused():
    with pytest.raises(ModelError, match="radius of curvature"):
        Sample(ANCFPlateFullyParameterized(), lambda x, y: (np.sin(1.5 * x), y, 1 - np.cos(1.5 * x)), h=2.4)
