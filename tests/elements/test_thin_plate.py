"""Thin plates: what holds for both choices of coordinates, flat and curved, damped and undamped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.contracts import Env, State, SurfaceShape, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.shell_section import ShellStiffness, sheet_stiffness
from flexmbs.elements import ANCFThinPlate, Gauss, Lobatto, PlateCurvature
from flexmbs.elements.plate_shape import plate_shape

EPS = np.finfo(float).eps
MATERIAL = fx.Elastic(youngs_modulus=1e4, density=10.0, poissons_ratio=0.3)
SHEET = sheet_stiffness("plate", fx.ShellSection(0.1), MATERIAL)
U, V = np.array([0.0, 0.5, 1.2]), np.array([0.1, 0.5])
RADIUS = 2.0
FLAT, CYLINDER = "flat", "cylinder"


def coupled() -> ShellStiffness:
    """A stiffness in which membrane and bending, normal and shear parts are all coupled."""
    half = np.random.default_rng(3).standard_normal((6, 6))
    C = np.array(SHEET.matrix)
    size = np.sqrt(np.diag(C)[:6])
    C[:6, :6] += 0.03 * (half + half.T) * np.outer(size, size)
    return replace(SHEET, matrix=C)


def surface(kind: str, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and slopes (n, 9) of a skew plane, or of a cylinder, at parameters u, v."""
    o, i = 0 * u, 1 + 0 * u
    if kind == FLAT:
        return np.stack((u + 0.2 * v, 0.1 * u + v, o), 1), np.stack((i, 0.1 * i, o, 0.2 * i, i, o, o, o, o), 1)
    s, c = np.sin(u / RADIUS), np.cos(u / RADIUS)
    return np.stack((RADIUS * s, v, RADIUS * c), 1), np.stack((c, o, -s, o, i, o, o, o, o), 1)


@dataclass(frozen=True)
class Patch:
    """A few plates with coordinates of their own, numbered node by node."""

    element: ANCFThinPlate
    group: Any
    reference: np.ndarray
    points: np.ndarray
    cells: np.ndarray
    b1: int

    @property
    def n(self) -> int:
        return self.reference.size

    def force(self, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        r = np.zeros(self.n)
        assert self.element.force(self.group, self._state(q, v), ENV, Work(r, np.zeros(0))) == -1
        return r

    def matrix(
        self, q: np.ndarray, v: np.ndarray | None = None, wq: float = 1.0, wv: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        n_e, k = self.group.dofs.shape
        r, B = np.zeros(self.n), np.full(self.b1 + n_e * k * k, np.nan)  # NaN: blocks are overwritten, not added to
        assert self.element.tangent(self.group, self._state(q, v), ENV, Work(r, B), (wq, wv)) == -1
        return r, self.assembled(B[self.b1 :].reshape(n_e, k, k))

    def assembled(self, blocks: np.ndarray) -> np.ndarray:
        full = np.zeros((self.n, self.n))
        for dofs, block in zip(self.group.dofs, blocks, strict=True):
            full[np.ix_(dofs, dofs)] += block
        return full

    def energy(self, q: np.ndarray) -> float:
        return float(self.element.energy(self.group, q).sum())

    def turned(self, R: np.ndarray, shift: np.ndarray) -> np.ndarray:
        q = self.reference.reshape(len(self.points), -1, 3) @ R.T
        q[:, 0] += shift
        return q.ravel()

    def field(self, values: np.ndarray) -> np.ndarray:
        """Coordinates with the position and slopes ``values (n, 12)`` of a surface over (u, v)."""
        return values[:, : self.reference.size // len(self.points)].ravel()

    def _state(self, q: np.ndarray, v: np.ndarray | None) -> State:
        return State(q, np.zeros(self.n) if v is None else v, np.zeros(0), np.zeros(0))


ENV = Env(0.0, np.zeros(0))


def build(
    element: ANCFThinPlate, kind: str = FLAT, stiffness: ShellStiffness = SHEET, u: np.ndarray = U, v: np.ndarray = V
) -> Patch:
    grid_u, grid_v = (x.ravel() for x in np.meshgrid(u, v))
    points, slopes = surface(kind, grid_u, grid_v)
    n = len(u)
    pairs = [(i, j) for j in range(len(v) - 1) for i in range(n - 1)]
    cells = np.array([(j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i) for i, j in pairs])
    sizes = np.array([(u[i + 1] - u[i], v[j + 1] - v[j]) for i, j in pairs])
    shape = SurfaceShape(points, np.zeros((len(points), 3, 3)), np.zeros(0, dtype=np.int64), cells, slopes, sizes)
    reference = element.surface_reference(shape)
    dofs = np.arange(reference.size).reshape(reference.shape)[cells].reshape(len(cells), -1)
    group = element.tabulate_surface(shape, reference[cells].reshape(len(cells), -1), dofs, stiffness, 5)
    return Patch(element, group, reference.ravel(), points, cells, 5)


def rotation(vector: np.ndarray) -> np.ndarray:
    angle = np.linalg.norm(vector)
    k = np.cross(np.eye(3), -np.asarray(vector) / angle)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def difference(f: Any, x: np.ndarray, h: float = 1e-4) -> np.ndarray:
    """Derivative of f by x, by central differences of order 4."""
    unit = h * np.eye(len(x))
    return np.stack([(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in unit], -1)


ELEMENTS = [
    pytest.param(ANCFThinPlate(mixed=mixed, **choice), id=f"{48 if mixed else 36}, {label}")
    for mixed in (True, False)
    for label, choice in (("default", {}), ("full", {"membrane": Gauss(4), "bending": Gauss(4)}))
]


@pytest.fixture(params=ELEMENTS)
def element(request: pytest.FixtureRequest) -> ANCFThinPlate:
    return request.param


@pytest.mark.parametrize("mixed", [True, False])
def test_shape_functions_are_nodal_and_their_derivatives_right(mixed: bool) -> None:
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=float)
    at = plate_shape(corners, mixed)
    count = 16 if mixed else 12
    per = count // 4
    values = np.stack((at.N, at.D[:, 0], at.D[:, 1], at.D[:, 4])[:per], axis=1)
    np.testing.assert_allclose(values.reshape(count, count), np.eye(count), atol=1e-12)
    xi, h = np.array([[0.3, -0.6], [-0.1, 0.8]]), 1e-4
    for axis, first, second in ((0, 0, 2), (1, 1, 3)):
        step = h * np.eye(2)[axis]
        ahead, behind = plate_shape(xi + step, mixed), plate_shape(xi - step, mixed)
        here = plate_shape(xi, mixed)
        np.testing.assert_allclose(here.D[:, first], (ahead.N - behind.N) / h, atol=1e-7)
        np.testing.assert_allclose(here.D[:, second], (ahead.D[:, first] - behind.D[:, first]) / h, atol=1e-7)
        np.testing.assert_allclose(here.D[:, 4], (ahead.D[:, 1 - axis] - behind.D[:, 1 - axis]) / h, atol=1e-7)


@pytest.mark.parametrize("kind", [FLAT, CYLINDER])
def test_rigid_motion_gives_no_force_and_no_energy(element: ANCFThinPlate, kind: str) -> None:
    patch = build(element, kind, coupled())
    q = patch.turned(rotation(np.array([0.5, -1.1, 2.0])), np.array([3.0, -2.0, 1.0]))
    _, K = patch.matrix(q)
    bound = 200 * EPS * np.abs(K).max() * np.abs(q).max()
    assert np.abs(patch.force(q)).max() < bound
    assert patch.energy(q) < bound


@pytest.mark.parametrize("kind", [FLAT, CYLINDER])
@pytest.mark.parametrize("viscosity", [0.0, 0.3])
def test_tangent_is_the_derivative_of_the_force(element: ANCFThinPlate, kind: str, viscosity: float) -> None:
    rng = np.random.default_rng(1)
    patch = build(element, kind, replace(coupled(), retardation_time=viscosity), U[:2] if element.membrane.n > 3 else U)
    q, v = patch.reference + 0.02 * rng.standard_normal(patch.n), rng.standard_normal(patch.n)
    r, K = patch.matrix(q, v)
    np.testing.assert_allclose(r, patch.force(q, v), atol=1e-12 * np.abs(r).max())
    np.testing.assert_allclose(K, difference(lambda x: patch.force(x, v), q), atol=1e-10 * np.abs(K).max())
    _, D = patch.matrix(q, v, 0.0, 1.0)
    np.testing.assert_allclose(D, difference(lambda x: patch.force(q, x), v), atol=1e-9 * np.abs(K).max())
    if viscosity == 0.0:
        assert np.abs(K - K.T).max() <= 1e-13 * np.abs(K).max()


@pytest.mark.parametrize("kind", [FLAT, CYLINDER])
def test_force_is_the_derivative_of_the_energy(element: ANCFThinPlate, kind: str) -> None:
    patch = build(element, kind, coupled())
    q = patch.reference + 0.02 * np.random.default_rng(2).standard_normal(patch.n)
    f = patch.force(q)
    np.testing.assert_allclose(f, difference(patch.energy, q), atol=1e-9 * np.abs(f).max())


def test_simple_curvature_has_exact_derivatives_and_the_same_stiffness_at_rest() -> None:
    for mixed in (True, False):
        simple = build(ANCFThinPlate(mixed=mixed, curvature=PlateCurvature.SIMPLE))
        q = simple.reference + 0.02 * np.random.default_rng(2).standard_normal(simple.n)
        f, K = simple.matrix(q)
        np.testing.assert_allclose(f, difference(simple.energy, q), atol=1e-9 * np.abs(f).max())
        np.testing.assert_allclose(K, difference(simple.force, q), atol=1e-10 * np.abs(K).max())
        _, at_rest = simple.matrix(simple.reference)
        _, exact = build(ANCFThinPlate(mixed=mixed)).matrix(simple.reference)
        across = np.arange(2, simple.n, 3)  # components z of a plate in the plane z = 0
        part = np.ix_(across, across)
        np.testing.assert_allclose(at_rest[part], exact[part], atol=1e-10 * np.abs(exact[part]).max())


@pytest.mark.parametrize("kind", [FLAT, CYLINDER])
def test_rigid_spin_is_not_damped(element: ANCFThinPlate, kind: str) -> None:
    patch = build(element, kind, replace(SHEET, retardation_time=0.3))
    bent = patch.reference + 0.02 * np.random.default_rng(4).standard_normal(patch.n)
    spin = np.cross([0.3, -1.0, 0.7], bent.reshape(-1, 3)).ravel()
    scale = np.abs(patch.force(bent)).max()
    np.testing.assert_allclose(patch.force(bent, spin), patch.force(bent), atol=1e-11 * scale)


@pytest.mark.parametrize("mixed", [True, False])
def test_a_free_patch_moves_without_force_in_six_ways_only(mixed: bool) -> None:
    for u, kind in ((U, FLAT), (U, CYLINDER), (U[:2], FLAT)):
        patch = build(ANCFThinPlate(mixed=mixed), kind, u=u)
        _, K = patch.matrix(patch.reference)
        values = np.linalg.eigvalsh(K)
        assert int((values < 1e-10 * values[-1]).sum()) == 6


@pytest.mark.parametrize("kind", [FLAT, CYLINDER])
def test_total_mass_and_weight(element: ANCFThinPlate, kind: str) -> None:
    patch = build(element, kind)
    area = (U[-1] - U[0]) * (V[-1] - V[0]) * (1 - 0.1 * 0.2 if kind == FLAT else 1.0)
    M = patch.assembled(element.mass(patch.group))
    shift = np.zeros(patch.n)
    shift.reshape(len(patch.points), -1)[:, 1] = 1.0
    # The polynomial surface is the plane exactly, the cylinder to the fourth order of the angle of an element.
    rtol = 1e-12 if kind == FLAT else (0.7 / RADIUS) ** 4
    assert shift @ M @ shift == pytest.approx(10.0 * 0.1 * area, rel=rtol)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert element.areas(patch.group).sum() == pytest.approx(area, rel=rtol)
    weight = element.body_load(patch.group, np.array([0.0, 0.0, -2.0]), True)
    assert weight.reshape(len(weight), 4, -1)[:, :, 2].sum() == pytest.approx(-2.0 * 10.0 * 0.1 * area, rel=rtol)


def test_rotary_inertia_is_that_of_the_thickness() -> None:
    plain, rotary = (build(ANCFThinPlate(rotary_inertia=on)) for on in (False, True))
    spin = np.cross([0.0, 1.0, 0.0], plain.reference.reshape(-1, 3)).ravel()
    extra = rotary.element.mass(rotary.group) - plain.element.mass(plain.group)
    area = (U[-1] - U[0]) * (V[-1] - V[0]) * (1 - 0.1 * 0.2)
    assert spin @ rotary.assembled(extra) @ spin == pytest.approx(10.0 * 0.1**3 / 12.0 * area, rel=1e-12)


def test_interpolation_agrees_with_positions(element: ANCFThinPlate) -> None:
    patch = build(element, CYLINDER)
    xi = np.array([[-0.3, 0.4], [0.9, -1.0]])
    N, dN = element.interpolation(patch.group, xi)
    q = patch.reference + 0.02 * np.random.default_rng(2).standard_normal(patch.n)
    e = q[patch.group.dofs].reshape(len(patch.cells), -1, 3)
    np.testing.assert_allclose(N @ e, element.positions(patch.group, q, xi), atol=1e-14)
    h = 1e-5
    for axis in (0, 1):
        step = h * np.eye(2)[axis]
        slope = (element.positions(patch.group, q, xi + step) - element.positions(patch.group, q, xi - step)) / (2 * h)
        np.testing.assert_allclose(dN[:, :, axis] @ e, slope, atol=1e-9)


def states() -> dict[str, tuple[Any, np.ndarray]]:
    """Small states of constant strain or curvature of the skew plane: functions of x, y, and the resultants."""
    C = SHEET.matrix[:6, :6]
    a = 1e-6
    found = {}
    for k, name in enumerate(("stretch x", "stretch y", "shear", "curvature x", "curvature y", "twist")):
        strain = np.zeros(6)
        strain[k] = a
        found[name] = (strain, C @ strain)
    return found


@pytest.mark.parametrize("name", list(states()))
def test_patch_of_constant_strain_and_curvature(element: ANCFThinPlate, name: str) -> None:
    strain, resultants = states()[name]
    patch = build(element)
    x, y = patch.points[:, 0], patch.points[:, 1]
    e1, e2, g, k1, k2, k12 = strain
    # w = -(k1 x^2 + k2 y^2 + k12 x y) / 2, so that kappa = -w,ij
    F = np.array([[e1, 0.5 * g], [0.5 * g, e2]])
    J = np.array([[1.0, 0.2], [0.1, 1.0]])  # columns: dX/du, dX/dv
    q = patch.reference.reshape(len(patch.points), -1).copy()
    q[:, :2] += patch.points[:, :2] @ F.T
    q[:, 2] -= 0.5 * (k1 * x * x + k2 * y * y + k12 * x * y)
    grad = -np.stack((k1 * x + 0.5 * k12 * y, k2 * y + 0.5 * k12 * x), 1)
    hess = -np.array([[k1, 0.5 * k12], [0.5 * k12, k2]])
    for i in (0, 1):
        q[:, 3 + 3 * i : 5 + 3 * i] += F @ J[:, i]
        q[:, 5 + 3 * i] += grad @ J[:, i]
    if element.mixed:
        q[:, 11] += J[:, 0] @ hess @ J[:, 1]
    values = element.stress_resultants(patch.group, q.ravel(), 0 * q.ravel(), np.array([[-0.5, 0.2], [0.7, 0.7]]))
    size = 1e-6 * np.diag(SHEET.matrix)[:6]  # membrane strains are quadratic in the slopes, some 1e-6
    assert np.all(np.abs(values - resultants) < 2e-5 * size)
    energy = 0.5 * strain @ resultants * element.areas(patch.group).sum()
    assert patch.energy(q.ravel()) == pytest.approx(energy, rel=1e-5)


def test_bad_choices_are_refused() -> None:
    with pytest.raises(ModelError, match="curvature must be a PlateCurvature"):
        ANCFThinPlate(curvature="exact")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="membrane must be Gauss"):
        ANCFThinPlate(membrane=3)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="mixed"):
        ANCFThinPlate(mixed="yes")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="is curved when free of stress"):
        build(ANCFThinPlate(curvature=PlateCurvature.SIMPLE), CYLINDER)
    with pytest.raises(ModelError, match="is viscous"):
        build(ANCFThinPlate(curvature=PlateCurvature.SIMPLE), stiffness=replace(SHEET, retardation_time=1.0))
    with pytest.raises(ModelError, match="couples membrane and bending"):
        build(ANCFThinPlate(curvature=PlateCurvature.SIMPLE), stiffness=coupled())
    with pytest.raises(ModelError, match="element 0 has no neighbour"):
        build(ANCFThinPlate(membrane=Lobatto(3)), u=U[:2])


def test_crossed_tangents_are_reported(element: ANCFThinPlate) -> None:
    patch = build(element)
    q = np.zeros(patch.n)
    r = np.zeros(patch.n)
    state = State(q, q, np.zeros(0), np.zeros(0))
    assert element.force(patch.group, state, ENV, Work(r, np.zeros(0))) == 0
    assert "tangents" in element.diagnosis
