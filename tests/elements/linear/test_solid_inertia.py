"""Mass of solids: total, moments and matrices against closed forms and against a far finer quadrature."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from flexmbs.core.material import Elastic
from flexmbs.elements import Hexahedron8, Hexahedron20, Tetra4, Tetra10
from flexmbs.elements.linear.solid import SolidElement
from flexmbs.elements.linear.solid_rules import hexahedron_points, tetra_points
from flexmbs.meshes.cells import cell_type, gradients, shapes

RHO = 2.5
MATERIAL = Elastic(youngs_modulus=1.0, density=RHO)
EXACT: tuple[SolidElement, ...] = (Tetra4(), Tetra10(), Hexahedron8(), Hexahedron8(incompatible=False), Hexahedron20())
CORNERS = {"tetra": np.array([[0.1, 0.0, 0.2], [1.4, 0.3, 0.1], [0.2, 1.1, 0.0], [0.4, 0.2, 0.9]])}


def straight(kind: str, brick: bool = False) -> NDArray[np.float64]:
    """Nodes (1, n_a, 3) of a distorted cell with straight edges, or of a parallelepiped."""
    cell = cell_type(kind)
    corners = CORNERS.get(cell.linear)
    if corners is None:
        corners = cell_type("hexahedron").nodes @ np.array([[1.0, 0.1, 0.3], [-0.2, 0.8, 0.1], [0.2, 0.4, 1.5]])
        if not brick:
            corners = corners + np.random.default_rng(3).uniform(-0.3, 0.3, corners.shape)
    return (shapes(cell_type(cell.linear), cell.nodes) @ corners)[None]


def integrated(kind: str, points: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mass, its moments (4, 4) of (1, x) and its matrix (n_a, n_a) by a product rule of 8 points each way."""
    cell = cell_type(kind)
    x, w = np.polynomial.legendre.leggauss(8)
    xi = np.array(list(product(x, repeat=3)))
    weights = np.array(list(product(w, repeat=3))).prod(axis=1)
    if cell.simplex:  # the cube collapsed onto the tetrahedron
        u = 0.5 * (xi + 1.0)
        weights = weights / 8.0 * (1.0 - u[:, 0]) ** 2 * (1.0 - u[:, 1])
        xi = np.column_stack([u[:, 0], u[:, 1] * (1 - u[:, 0]), u[:, 2] * (1 - u[:, 0]) * (1 - u[:, 1])])
    N = shapes(cell, xi)
    m = RHO * weights * np.linalg.det(np.einsum("ai,gaj->gij", points[0], gradients(cell, xi)))
    one = np.column_stack([np.ones(len(xi)), N @ points[0]])
    return m.sum(), np.einsum("g,gi,gj->ij", m, one, one), np.einsum("g,ga,gb->ab", m, N, N)


@pytest.mark.parametrize("element", [*EXACT, Tetra10(reduced_mass=True)], ids=lambda e: e.name)
def test_moments_of_straight_cells(element: SolidElement) -> None:
    points = straight(element.cell_type)
    group = element.tabulate("test", points, MATERIAL, np.arange(1))
    total, moments, _ = integrated(element.cell_type, points)
    found = element.mass_points(group)
    one = np.column_stack([np.ones(found.weights.shape[1]), found.positions[0]])
    assert found.weights.sum() == pytest.approx(total, rel=1e-13)
    assert np.abs(np.einsum("g,gi,gj->ij", found.weights[0], one, one) - moments).max() <= 1e-13 * moments.max()


@pytest.mark.parametrize("element", EXACT, ids=lambda e: e.name)
def test_matrix_of_straight_cells(element: SolidElement) -> None:
    points = straight(element.cell_type)
    group = element.tabulate("test", points, MATERIAL, np.arange(1))
    _, _, expected = integrated(element.cell_type, points)
    expected = np.kron(expected, np.eye(3))
    assert np.abs(element.mass(group)[0] - expected).max() <= 1e-13 * expected.max()


@pytest.mark.parametrize("kind", ["tetra", "tetra10"])
def test_matrix_of_tetrahedra_in_closed_form(kind: str) -> None:
    """int L1^a L2^b L3^c L4^d dV = 6 V a! b! c! d! / (a + b + c + d + 3)!, written out for products of shapes."""
    points = straight(kind)
    volume = np.linalg.det(points[0, 1:4] - points[0, 0]) / 6.0
    if kind == "tetra":
        expected = (np.ones((4, 4)) + np.eye(4)) / 20.0
    else:
        edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
        expected = np.zeros((10, 10))
        expected[:4, :4] = 1.0 + 5.0 * np.eye(4)
        for i, one in enumerate(edges):
            for a in range(4):
                expected[a, 4 + i] = expected[4 + i, a] = -4.0 if a in one else -6.0
            for j, other in enumerate(edges):
                expected[4 + i, 4 + j] = {0: 8.0, 1: 16.0, 2: 32.0}[len(set(one) & set(other))]
        expected /= 420.0
    element = Tetra4() if kind == "tetra" else Tetra10()
    M = element.mass(element.tabulate("test", points, MATERIAL, np.arange(1)))[0]
    assert np.abs(M - RHO * volume * np.kron(expected, np.eye(3))).max() <= 1e-14 * RHO * volume


@pytest.mark.parametrize("element", [Hexahedron8(), Hexahedron20()], ids=lambda e: e.name)
def test_moments_of_a_brick_in_closed_form(element: SolidElement) -> None:
    """Inertia about the centre of a parallelepiped with edges a, b, c: m (a a^T + b b^T + c c^T) / 12."""
    points = straight(element.cell_type, brick=True)
    found = element.mass_points(element.tabulate("test", points, MATERIAL, np.arange(1)))
    edges = np.array([points[0, i] - points[0, 0] for i in (1, 3, 4)])
    total = RHO * np.linalg.det(edges)
    arm = found.positions[0] - points[0, :8].mean(axis=0)
    second = np.einsum("g,gi,gj->ij", found.weights[0], arm, arm)
    assert found.weights.sum() == pytest.approx(total, rel=1e-13)
    assert np.abs(found.weights[0] @ arm).max() <= 1e-13 * total
    assert np.abs(second - total / 12.0 * edges.T @ edges).max() <= 1e-13 * total


@pytest.mark.parametrize("element", [*EXACT, Tetra10(reduced_mass=True)], ids=lambda e: e.name)
def test_points_make_the_matrix_also_of_curved_cells(element: SolidElement) -> None:
    kind = cell_type(element.cell_type)
    points = straight(element.cell_type) + np.random.default_rng(5).uniform(-0.03, 0.03, (3, kind.n_nodes, 3))
    group = element.tabulate("test", points, MATERIAL, np.arange(3))
    w, x, H = element.mass_points(group)[:3]
    M = element.mass(group)
    assert np.abs(np.einsum("eg,egik,egil->ekl", w, H, H, optimize=True) - M).max() <= 1e-14 * np.abs(M).max() * 10
    assert np.abs(np.einsum("egik,ek->egi", H, points.reshape(3, -1)) - x).max() <= 1e-14 * 10
    assert (w > 0).all()


@pytest.mark.parametrize(("degree", "count"), [(1, 1), (2, 4), (5, 15)])
def test_rules_on_tetrahedra_are_exact_up_to_their_degree(degree: int, count: int) -> None:
    xi, w = tetra_points(degree)
    factorial = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0]
    errors: dict[int, float] = {}
    for a, b, c in product(range(degree + 2), repeat=3):
        exact = factorial[a] * factorial[b] * factorial[c] / factorial[min(a + b + c + 3, 9)]
        if a + b + c <= degree + 1:
            found = w @ (xi[:, 0] ** a * xi[:, 1] ** b * xi[:, 2] ** c)
            errors[a + b + c] = max(errors.get(a + b + c, 0.0), abs(found - exact))
    assert len(w) == count
    assert max(errors[d] for d in range(degree + 1)) <= 1e-16 * 5
    assert errors[degree + 1] > 1e-5


def test_rules_on_hexahedra_are_products() -> None:
    xi, w = hexahedron_points(3)
    exact = (2 / 5) * (2 / 3) * 2
    assert w @ (xi[:, 0] ** 4 * xi[:, 1] ** 2) == pytest.approx(exact, rel=1e-14)
    assert w @ (xi[:, 2] ** 4 * xi[:, 0] ** 2) == pytest.approx(exact, rel=1e-14)


def test_unknown_rule() -> None:
    with pytest.raises(ValueError, match="no rule"):
        tetra_points(3)
