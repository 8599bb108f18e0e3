"""Shape functions, their derivatives and the quadrature of every cell type."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.core.errors import MeshError
from flexmbs.meshes.cells import CELL_TYPES, cell_type, gradients, measures, quadrature, shapes

REFERENCE_SIZE = {"line": 2.0, "triangle": 0.5, "quad": 4.0, "tetra": 1 / 6, "hexahedron": 8.0}
# corner pairs of the nodes after the corners, from the VTK file format documentation
VTK_EDGES = {
    "line3": [(0, 1)],
    "triangle6": [(0, 1), (1, 2), (2, 0)],
    "quad8": [(0, 1), (1, 2), (2, 3), (3, 0)],
    "tetra10": [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)],
    "hexahedron20": [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
}


@pytest.fixture(params=sorted(CELL_TYPES))
def kind(request):
    return CELL_TYPES[request.param]


def test_each_shape_function_is_one_at_its_node_and_zero_at_the_others(kind):
    np.testing.assert_allclose(shapes(kind, kind.nodes), np.eye(kind.n_nodes), atol=1e-13)


def test_shape_functions_sum_to_one_and_carry_positions(kind):
    xi = np.random.default_rng(1).uniform(-0.4, 0.7, (9, kind.dim))
    np.testing.assert_allclose(shapes(kind, xi).sum(axis=1), 1.0, atol=1e-13)
    np.testing.assert_allclose(shapes(kind, xi) @ kind.nodes, xi, atol=1e-13)


def test_gradients_are_the_differences_of_the_shape_functions(kind):
    xi, h = np.random.default_rng(2).uniform(0.1, 0.3, (5, kind.dim)), 1e-5
    for axis in range(kind.dim):
        step = h * np.eye(kind.dim)[axis]
        differences = (shapes(kind, xi + step) - shapes(kind, xi - step)) / (2 * h)
        np.testing.assert_allclose(gradients(kind, xi)[:, :, axis], differences, atol=1e-9)


def test_weights_add_up_to_the_reference_size_and_points_lie_inside(kind):
    points, weights = quadrature(kind.name)
    assert weights.sum() == pytest.approx(REFERENCE_SIZE[kind.linear], rel=1e-14)
    linear = shapes(CELL_TYPES[kind.linear], points)
    assert (linear > 0).all()


@pytest.mark.parametrize("name", ["triangle6", "tetra10"])
def test_quadrature_of_simplices_integrates_cubics(name):
    points, weights = quadrature(name)
    # integral of x^a y^b z^c over the unit simplex is a! b! c! / (a + b + c + dim)!
    expected = 6 / 120 if name == "triangle6" else 6 / 720
    assert weights @ points[:, 0] ** 3 == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("name", sorted(VTK_EDGES))
def test_nodes_are_numbered_as_in_vtk(name):
    kind = CELL_TYPES[name]
    middles = [(kind.nodes[a] + kind.nodes[b]) / 2 for a, b in VTK_EDGES[name]]
    np.testing.assert_array_equal(kind.nodes[kind.n_corners :], middles)


def test_the_ideal_simplices_are_equilateral():
    for name in ("triangle", "tetra"):
        kind = CELL_TYPES[name]
        corners = kind.nodes @ kind.ideal.T
        lengths = [np.linalg.norm(a - b) for i, a in enumerate(corners) for b in corners[:i]]
        np.testing.assert_allclose(lengths, 1.0, atol=1e-14)


def test_measures_are_signed_where_a_cell_fills_its_space():
    assert measures(np.array([[0.0, 1.0], [1.0, 0.0]])) == -1.0
    assert measures(np.diag([1.0, 2.0, -3.0])) == -6.0
    assert measures(np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])) == 6.0
    assert measures(np.array([[3.0], [4.0]])) == 5.0


def test_an_unknown_type_is_named_with_the_known_ones():
    with pytest.raises(MeshError, match=r"no cell type named 'tetra4'; did you mean 'tetra'"):
        cell_type("tetra4")
