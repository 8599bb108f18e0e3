"""The bilinear shell with a director: what must hold exactly, on flat, curved, warped and folded meshes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.contracts import SURFACE_MEMBERS, Env, State, SurfaceShape, Work
from flexmbs.core.shell_section import ShellStiffness, sheet_stiffness
from flexmbs.elements import ANCFShell
from flexmbs.meshes.surface import node_frames

EPS = np.finfo(float).eps
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
CENTRE = np.zeros((1, 2))
_A = np.random.default_rng(3).standard_normal((8, 8))
GENERAL = ShellStiffness(
    matrix=_A @ _A.T + 4.0 * np.eye(8), thickness=0.1, mass_per_area=1.3, rotary_inertia=0.02, axis=(1.0, 0.3, 0.1)
)
"""Everything coupled with everything."""
PLATE = sheet_stiffness(
    "plate", fx.ShellSection(0.05), fx.Elastic(youngs_modulus=1000.0, poissons_ratio=0.3, density=2.0)
)


def flat(u, v):
    return u + 0.15 * np.sin(4.0 * v), 1.2 * v + 0.1 * u * v, 0.0 * u


def curved(u, v):
    return np.sin(1.1 * u), 1.2 * v + 0.05 * u * u, np.cos(1.1 * u) + 0.2 * v * v


SHAPES = {"flat": flat, "curved": curved}


class Sheets:
    """A body of shells with coordinates of its own, node by node."""

    def __init__(self, points, cells, stiffness=GENERAL, element=None, b1=5):
        self.element = element or ANCFShell()
        self.stiffness, self.b1 = stiffness, b1
        mesh = fx.meshes.Mesh(points, [("quad", cells)])
        self.cells = np.asarray(cells)
        frames, kinks = node_frames("test", mesh, self.cells, stiffness.axis)
        self.shape = SurfaceShape(mesh.points, frames, kinks, self.cells, np.zeros((0, 9)), np.zeros((0, 2)))
        nodes = self.element.surface_reference(self.shape)
        self.q = nodes.ravel()
        dofs = np.arange(self.q.size).reshape(nodes.shape)[self.cells].reshape(len(self.cells), -1)
        rows = nodes[self.cells].reshape(len(self.cells), -1)
        self.group = self.element.tabulate_surface(self.shape, rows, dofs, stiffness, b1)

    def force(self, q, v=None):
        r = np.zeros(len(q))
        state = State(np.ascontiguousarray(q), np.zeros(len(q)) if v is None else v, np.zeros(len(q)), np.zeros(0))
        assert self.element.force(self.group, state, Env(0.0, np.zeros(0)), Work(r, np.zeros(0))) == -1
        return r

    def matrix(self, q, v=None, wq=1.0, wv=0.0):
        n, n_e = len(q), len(self.cells)
        r, B = np.zeros(n), np.full(self.b1 + 576 * n_e, np.nan)  # NaN: blocks are overwritten, not added to
        state = State(np.ascontiguousarray(q), np.zeros(n) if v is None else v, np.zeros(n), np.zeros(0))
        assert self.element.tangent(self.group, state, Env(0.0, np.zeros(0)), Work(r, B), (wq, wv)) == -1
        assert np.isnan(B[: self.b1]).all()
        return r, self.assembled(B[self.b1 :].reshape(n_e, 24, 24))

    def assembled(self, blocks):
        full = np.zeros((len(self.q), len(self.q)))
        for dofs, block in zip(self.group.dofs, blocks, strict=True):
            full[np.ix_(dofs, dofs)] += block
        return full

    def energy(self, q):
        return float(self.element.energy(self.group, q).sum())

    def resultants(self, q, v=None, xi=CENTRE):
        return self.element.stress_resultants(self.group, q, 0.0 * q if v is None else v, xi)

    def vectors(self, q=None):
        return (self.q if q is None else q).reshape(-1, 2, 3)

    def inner(self):
        """Coordinates of the nodes that all of their neighbours surround."""
        count = np.bincount(self.cells.ravel())
        return np.flatnonzero(np.repeat(count == 4, 6))


def body(shape="curved", n=(3, 2), stiffness=GENERAL, element=None, noise=0.02):
    u, v = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, n[0] + 1), np.linspace(0, 1, n[1] + 1)))
    points = np.stack(SHAPES[shape](u, v), axis=1)
    shake = noise * np.random.default_rng(5).standard_normal(points.shape)
    points += shake * [1.0, 1.0, 0.0 if shape == "flat" else 1.0]
    i = np.arange(len(points)).reshape(n[1] + 1, n[0] + 1)
    cells = np.stack((i[:-1, :-1], i[:-1, 1:], i[1:, 1:], i[1:, :-1]), axis=-1).reshape(-1, 4)
    return Sheets(points, cells, stiffness, element)


def fold(angle, stiffness=PLATE):
    """Two rows of two cells that meet at y = 0 and an angle [degrees] between their normals."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    lines = [(0.0, -2.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 0.0), (0.0, c, s), (0.0, 2 * c, 2 * s)]
    points = np.array([(x, p[1], p[2]) for p in lines for x in (0.0, 1.0)])
    cells = [[2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2] for i in range(4)]
    return Sheets(points, np.array(cells), stiffness)


def rotation(vector):
    angle = np.linalg.norm(vector)
    k = np.cross(np.eye(3), np.asarray(vector) / -angle)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def moved(sheets, q, R, shift=(0.0, 0.0, 0.0)):
    x = sheets.vectors(q) @ R.T
    x[:, 0] += shift
    return x.ravel()


def disturbed(sheets, rng, size=0.03):
    return sheets.q + size * rng.standard_normal(len(sheets.q)), rng.standard_normal(len(sheets.q))


def difference(f, x, h):
    """Derivative of f by x, by central differences of order 4."""
    columns = []
    for e in h * np.eye(len(x)):
        columns.append((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h))
    return np.stack(columns, axis=-1)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(params=list(SHAPES))
def shape(request):
    return request.param


@pytest.fixture(params=[0, 4, 7])
def element(request):
    return ANCFShell(enhanced=request.param)


# --- description ----------------------------------------------------------------------------------------------------


def test_it_fulfils_the_contract():
    element = ANCFShell()
    assert all(hasattr(element, name) for name in SURFACE_MEMBERS)
    sheets = body()
    assert all(len(getattr(sheets.group, name)) == 6 for name in sheets.group._fields if name != "b1")
    assert sheets.resultants(sheets.q, xi=CORNERS).shape == (6, 4, len(element.resultants))
    layout = element.layout
    assert sorted(layout.position + layout.slope) == list(range(len(layout.names)))


def test_empty_group_is_legal():
    element, sheets = ANCFShell(), body()
    shape = sheets.shape._replace(cells=np.zeros((0, 4), dtype=np.int64))
    empty = np.zeros((0, 24))
    group = element.tabulate_surface(shape, empty, empty.astype(np.int64), GENERAL, 0)
    state, work = State(*(np.zeros(0) for _ in range(4))), Work(np.zeros(0), np.zeros(0))
    assert element.tangent(group, state, Env(0.0, np.zeros(0)), work, (1.0, 0.0)) == -1
    assert element.mass(group).shape == (0, 24, 24)


@pytest.mark.parametrize("enhanced", [3, -1, True, "7", None])
def test_other_numbers_of_enhanced_strains_are_refused(enhanced):
    with pytest.raises(fx.ModelError, match="enhanced must be one of"):
        ANCFShell(enhanced=enhanced)


def test_forces_that_are_not_finite_are_refused():
    sheets = body()
    q = sheets.q.copy()
    q[-1] = np.nan
    work = Work(np.zeros(len(q)), np.zeros(0))
    state = State(q, 0 * q, 0 * q, np.zeros(0))
    assert sheets.element.force(sheets.group, state, Env(0.0, np.zeros(0)), work) == 5


# --- geometry, mass, loads ------------------------------------------------------------------------------------------


def test_positions_follow_the_interpolation(rng):
    sheets = body()
    q, _ = disturbed(sheets, rng)
    xi = rng.uniform(-1, 1, (5, 2))
    N, dN = sheets.element.interpolation(sheets.group, xi)
    e = q[sheets.group.dofs].reshape(6, 8, 3)
    np.testing.assert_allclose(sheets.element.positions(sheets.group, q, xi), N @ e, atol=1e-15)
    corners = sheets.element.positions(sheets.group, q, CORNERS)
    np.testing.assert_allclose(corners, sheets.vectors(q)[sheets.cells, 0], atol=1e-15)
    for a, step in enumerate(1e-3 * np.eye(2)):
        ahead, behind = (sheets.element.interpolation(sheets.group, xi + s * step)[0] for s in (1, -1))
        np.testing.assert_allclose(dN[:, :, a], (ahead - behind) / 2e-3, atol=1e-12)


def test_mass_is_that_of_layers(shape):
    sheets = body(shape)
    M = sheets.assembled(sheets.element.mass(sheets.group))
    rho, area = sheets.stiffness.mass_per_area, sheets.element.areas(sheets.group).sum()
    if shape == "flat":
        x, y = sheets.vectors()[:, 0, :2][sheets.cells].transpose(2, 0, 1)
        shoelace = 0.5 * (x * np.roll(y, -1, 1) - y * np.roll(x, -1, 1)).sum()
        assert area == pytest.approx(shoelace, rel=1e-14)
    v = np.zeros((len(sheets.q) // 6, 2, 3))
    v[:, 0] = direction = np.array([1.0, -2.0, 0.5])
    assert v.ravel() @ M @ v.ravel() == pytest.approx(rho * area * direction @ direction, rel=1e-13)
    v[:, 0], v[:, 1] = 0.0, direction
    inertia = sheets.stiffness.rotary_inertia * area * direction @ direction
    assert v.ravel() @ M @ v.ravel() == pytest.approx(inertia, rel=1e-13)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


def test_gravity_is_mass_times_acceleration(shape):
    sheets = body(shape)
    g = np.array([0.3, -9.81, 2.0])
    a = np.zeros((len(sheets.q) // 6, 2, 3))
    a[:, 0] = g
    blocks = sheets.element.mass(sheets.group)
    weight = sheets.element.body_load(sheets.group, g, True)
    np.testing.assert_allclose(weight, (blocks @ a.ravel()[sheets.group.dofs][..., None])[..., 0], atol=1e-14)
    np.testing.assert_allclose(weight, 1.3 * sheets.element.body_load(sheets.group, g, False), atol=1e-14)


# --- rigid motion, derivatives --------------------------------------------------------------------------------------


def test_finite_rigid_motion_gives_no_force(shape, element):
    sheets = body(shape, element=element)
    _, K = sheets.matrix(sheets.q)
    bound = 200 * EPS * np.abs(K).max() * 3.0
    q = moved(sheets, sheets.q, rotation([1.0, -2.0, 0.7]), (1.0, 2.0, 3.0))
    assert np.abs(sheets.force(sheets.q)).max() <= bound
    assert np.abs(sheets.force(q)).max() <= bound
    assert sheets.energy(q) <= EPS
    assert np.abs(sheets.resultants(q, xi=CORNERS)).max() <= 1e-13


def test_forces_are_objective_and_balanced(rng, shape):
    sheets = body(shape, stiffness=replace(GENERAL, retardation_time=0.3))
    q, v = disturbed(sheets, rng)
    R = rotation([0.4, 1.3, -0.8])
    f = sheets.force(q, v)
    turned = sheets.force(moved(sheets, q, R, (1, 1, 1)), moved(sheets, v, R))
    np.testing.assert_allclose(turned, moved(sheets, f, R), atol=1e-12)
    forces, vectors = sheets.vectors(f), sheets.vectors(q)
    np.testing.assert_allclose(forces[:, 0].sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(vectors, forces).sum(axis=(0, 1)), 0.0, atol=1e-12)


@pytest.mark.parametrize("viscosity", [0.0, 0.3])
def test_tangents_are_derivatives_of_the_force(rng, shape, element, viscosity):
    sheets = body(shape, (2, 1), replace(GENERAL, retardation_time=viscosity), element)
    q, v = disturbed(sheets, rng, 0.1)
    r, K = sheets.matrix(q, v)
    _, D = sheets.matrix(q, v, 0.0, 1.0)
    np.testing.assert_allclose(r, sheets.force(q, v), atol=1e-14 * np.abs(r).max())
    np.testing.assert_allclose(K, difference(lambda x: sheets.force(x, v), q, 1e-3), atol=1e-9 * np.abs(K).max())
    np.testing.assert_allclose(D, difference(lambda x: sheets.force(q, x), v, 0.1), atol=1e-11 * np.abs(K).max())
    _, A = sheets.matrix(q, v, 0.6, -1.7)
    np.testing.assert_allclose(A, 0.6 * K - 1.7 * D, atol=1e-13 * np.abs(K).max())
    if viscosity:
        np.testing.assert_allclose(D, D.T, atol=1e-13 * np.abs(D).max())
        assert np.linalg.eigvalsh(0.5 * (D + D.T)).min() > -1e-13 * np.abs(D).max()
    else:
        np.testing.assert_allclose(K, K.T, atol=1e-13 * np.abs(K).max())


def test_force_is_the_derivative_of_the_energy(rng, shape, element):
    sheets = body(shape, element=element)
    q, _ = disturbed(sheets, rng, 0.1)
    f = sheets.force(q)
    np.testing.assert_allclose(f, difference(sheets.energy, q, 1e-3), atol=1e-8 * np.abs(f).max())


@pytest.mark.parametrize("n", [(1, 1), (3, 2)])
def test_only_rigid_modes_have_no_energy(shape, element, n):
    sheets = body(shape, n, element=element)
    values = np.abs(np.linalg.eigvalsh(sheets.matrix(sheets.q)[1]))
    assert (values < 1e-10 * values.max()).sum() == 6


def test_rigid_rotation_is_free_of_damping(rng):
    sheets = body(stiffness=replace(GENERAL, retardation_time=0.3))
    q, _ = disturbed(sheets, rng)
    v = np.cross([0.3, -1.0, 0.5], sheets.vectors(q)).ravel()
    np.testing.assert_allclose(sheets.force(q, v), sheets.force(q), atol=1e-12)


# --- patch tests ----------------------------------------------------------------------------------------------------


def test_constant_finite_membrane_strain_on_a_distorted_mesh(element):
    """r = F R with any F: Green's strain is constant, forces balance at the inner nodes, resultants are A E."""
    sheets = body("flat", (4, 4), PLATE, element, 0.05)
    F = np.array([[1.2, 0.1], [-0.3, 0.9], [0.2, 0.4]])
    x = sheets.vectors().copy()
    normal = np.cross(F[:, 0], F[:, 1])
    x[:, 0], x[:, 1] = x[:, 0, :2] @ F.T, normal / np.linalg.norm(normal)
    E = 0.5 * (F.T @ F - np.eye(2))
    expected = PLATE.matrix @ np.array([E[0, 0], E[1, 1], 2 * E[0, 1], 0, 0, 0, 0, 0])
    found = sheets.resultants(x.ravel(), xi=CORNERS)
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), atol=1e-12)
    inner = sheets.inner()
    assert len(inner) == 54
    assert np.abs(sheets.force(x.ravel())[inner]).max() < 1e-13


@pytest.mark.parametrize("state", ["k_11", "k_22", "twist", "shear"])
def test_constant_curvature_twist_and_shear_on_a_distorted_mesh(state, element):
    """Small deflections w: directors n - grad w, and for shear n; kappa = -(w,11, w,22, 2 w,12)."""
    sheets = body("flat", (4, 4), PLATE, element, 0.05)
    x, y = sheets.vectors()[:, 0, :2].T
    zero = 0.0 * x
    w, slopes, strain = {
        "k_11": (0.5 * x * x, (x, zero), (0, 0, 0, -1, 0, 0, 0, 0)),
        "k_22": (0.5 * y * y, (zero, y), (0, 0, 0, 0, -1, 0, 0, 0)),
        "twist": (x * y, (y, x), (0, 0, 0, 0, 0, -2, 0, 0)),
        "shear": (x + 2 * y, (zero, zero), (0, 0, 0, 0, 0, 0, 1, 2)),
    }[state]
    u = np.zeros((len(x), 2, 3))
    u[:, 0, 2], u[:, 1, 0], u[:, 1, 1] = w, -slopes[0], -slopes[1]
    forces = sheets.matrix(sheets.q)[1] @ u.ravel()
    inner = sheets.inner() if state != "shear" else sheets.inner()[:0]
    assert np.abs(forces[inner]).max(initial=0.0) < 1e-13
    if state == "shear":  # moments balance constant shear at the directors, forces vanish
        positions = sheets.inner().reshape(-1, 6)[:, :3]
        assert np.abs(forces[positions]).max() < 1e-12
    step = 1e-4 * u.ravel()
    found = (sheets.resultants(sheets.q + step, xi=CORNERS) - sheets.resultants(sheets.q - step, xi=CORNERS)) / 2e-4
    expected = np.broadcast_to(PLATE.matrix @ np.array(strain, dtype=float), found.shape)
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())  # the step is finite


def rolled(n, angle):
    """Moments of a strip of length 1 bent into an arc without stretch of its chords, by those of the exact arc."""
    points = [(x, y, 0.0) for y in (0.0, 0.5) for x in np.linspace(0, 1, n + 1)]
    cells = [[i, i + 1, i + n + 2, i + n + 1] for i in range(n)]
    sheets = Sheets(points, np.array(cells), replace(PLATE, matrix=np.diag(np.diag(PLATE.matrix))))
    a = angle / n
    t = a * (np.arange(n) + 0.5)
    x = np.concatenate(([[0.0, 0.0]], np.cumsum(np.stack((np.cos(t), np.sin(t)), 1), 0) / n))
    turn = a * np.arange(n + 1)
    d = np.stack((-np.sin(turn), 0 * turn, np.cos(turn)), 1)
    q = sheets.vectors().copy()
    q[:, 0, ::2], q[:, 1] = np.tile(x, (2, 1)), np.tile(d, (2, 1))
    return sheets.resultants(q.ravel())[:, 0], -sheets.stiffness.matrix[3, 3] * angle


def test_curvature_of_an_arc_is_exact_to_fourth_order():
    """The chord alone would be off by a^2 / 24 for the angle a of an element; its arcsine to x^3 by 3 a^4 / 640."""
    for n in (4, 8):
        values, exact = rolled(n, 2.0)
        np.testing.assert_allclose(values[:, 3] / exact - 1.0, -3.0 / 40.0 * (1.0 / n) ** 4, rtol=0.1)
        assert np.abs(values[:, :3]).max() < 1e-14 * PLATE.matrix[0, 0]
        assert np.abs(values[:, 6:]).max() < 1e-14 * PLATE.matrix[0, 0]


def test_resultants_are_along_the_axes_of_the_material():
    """A material axis turned by 30 degrees sees the same state in turned components."""
    angle = np.radians(30.0)
    F = np.array([[1.2, 0.1], [-0.3, 0.9]])
    c, s = np.cos(angle), np.sin(angle)
    turned = replace(GENERAL, axis=(c, s, 0.0))
    sheets = body("flat", stiffness=turned)
    x = sheets.vectors().copy()
    x[:, 0, :2] = x[:, 0, :2] @ F.T
    E = 0.5 * (F.T @ F - np.eye(2))
    R = np.array([[c, -s], [s, c]])
    E = R.T @ E @ R
    expected = turned.matrix @ np.array([E[0, 0], E[1, 1], 2 * E[0, 1], 0, 0, 0, 0, 0])
    found = sheets.resultants(x.ravel())
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), atol=1e-12)


def test_viscous_resultants_are_the_retardation_time_times_their_rate(rng):
    sheets = body(stiffness=replace(GENERAL, retardation_time=0.3))
    q, v = disturbed(sheets, rng)
    rate = (sheets.resultants(q + 1e-5 * v) - sheets.resultants(q - 1e-5 * v)) / 2e-5
    np.testing.assert_allclose(sheets.resultants(q, v), sheets.resultants(q) + 0.3 * rate, rtol=1e-6, atol=1e-8)


# --- folds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [30.0, 60.0, 90.0, 120.0])
def test_directors_at_a_fold_lie_along_the_mitre(angle):
    sheets = fold(angle)
    mitre = sheets.vectors()[4:6, 1]
    one, other = np.array([0, 0, 1.0]), np.array([0, -np.sin(np.radians(angle)), np.cos(np.radians(angle))])
    np.testing.assert_allclose(mitre @ np.stack((one, other), 1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(mitre, axis=1), 1.0 / np.cos(np.radians(angle / 2)), rtol=1e-12)


def test_bending_beside_a_fold_is_that_of_a_flat_plate():
    """Small rotations that grow linearly along the profile: the curvature is the same in all cells, and no shear."""
    sheets = fold(90.0)
    s = np.repeat(np.arange(-2.0, 3.0), 2)
    turn = -np.stack((s, 0 * s, 0 * s), axis=1)
    u = np.zeros((10, 2, 3))
    u[:, 1] = np.cross(turn, sheets.vectors()[:, 1])
    profile = sheets.vectors()[:, 0]
    for i in range(2, 10, 2):  # positions turn with the mean rotation of their side
        u[i : i + 2, 0] = u[i - 2 : i, 0] + np.cross(0.5 * (turn[i] + turn[i - 2]), profile[i] - profile[i - 2])
    step = 1e-6 * u.ravel()
    found = (sheets.resultants(sheets.q + step) - sheets.resultants(sheets.q - step))[:, 0] / 2e-6
    np.testing.assert_allclose(found[:, 4], PLATE.matrix[4, 4], rtol=1e-6)
    assert np.abs(found[:, [0, 1, 2, 6, 7]]).max() < 1e-5 * PLATE.matrix[4, 4]


def branch(stem, side=(1.0, 0.0)):
    """Three cells that meet at y = 0, the first flat, the others of directions (y, z); all share the nodes 2, 3."""
    lines = [(-1.0, 0.0), (0.0, 0.0), side, stem]
    points = np.array([(x, y, z) for y, z in lines for x in (0.0, 1.0)])
    return Sheets(points, np.array([[0, 1, 3, 2], [2, 3, 5, 4], [2, 3, 7, 6]]), PLATE)


def test_director_at_a_branch_has_unit_part_along_all_normals():
    for y, z in ((0.0, 1.0), (0.6, 0.8), (-0.6, 0.8)):
        mitre = branch((y, z)).vectors()[2:4, 1]
        np.testing.assert_allclose(mitre @ np.array([[0.0, 0.0, 1.0], [0.0, -z, y]]).T, 1.0, atol=1e-12)


def test_stretch_of_a_fold_in_all_directions_gives_membrane_forces_only():
    """Directors that stay as they are; exact to first order in the stretch."""
    sheets = fold(90.0)
    u = sheets.vectors().copy()
    u[:, 1] = 0.0
    step = 1e-6 * u.ravel()
    found = (sheets.resultants(sheets.q + step) - sheets.resultants(sheets.q - step))[:, 0] / 2e-6
    np.testing.assert_allclose(found[:, :2], PLATE.matrix[0, 0] + PLATE.matrix[0, 1], rtol=1e-8)
    assert np.abs(found[:, 2:]).max() < 1e-8 * PLATE.matrix[0, 0]


def test_branches_that_no_director_fits_are_refused():
    with pytest.raises(fx.ModelError, match="no common director"):
        branch((0.5, 0.9), (0.5, -0.9))


def test_cells_without_a_common_director_are_refused():
    with pytest.raises(fx.ModelError, match="no common director"):
        fold(175.0)


# --- as a body ------------------------------------------------------------------------------------------------------


def test_thin_cantilever_has_the_deflection_of_a_beam():
    """P L^3 / 3 E I + P L / (5/6 G A), without Poisson's ratio; 2e-3 is (1/16)^2 / 2, the error of halved slopes."""
    material = fx.Elastic(youngs_modulus=1e6, poissons_ratio=0.0, density=1.0)
    for h in (0.1, 1e-3):
        strip = fx.FlexibleBody.plate(
            (1, 0.2), elements=(16, 1), element=ANCFShell(), section=fx.ShellSection(h), material=material
        )
        P = 1e-3 * h**3
        model = fx.Model(strip, fx.Clamp(strip.set("left")), fx.PointForce(strip.set("right"), (0, 0, 0.5 * P)))
        w = fx.solve_static(model).displacement(strip.at((1, 0, 0)), step=-1)[2]
        exact = P / (3 * 1e6 * 0.2 * h**3 / 12) + P / (5 / 6 * 5e5 * 0.2 * h)
        assert w == pytest.approx(exact, rel=2e-3)
