"""Refinement: sizes, counts, conformity between neighbours, sets, tangents."""

from __future__ import annotations

import time

import numpy as np
import pytest

from flexmbs.core.errors import ModelError
from flexmbs.meshes import Mesh, arc, box, line, quality, rectangle
from flexmbs.meshes.cells import CELL_TYPES

CHILDREN = {"line": 2, "triangle": 4, "quad": 4, "tetra": 8, "hexahedron": 8}
# points of one cell refined once: the regular lattice of its node order on half the spacing
LATTICE = {
    "line": 3,
    "line3": 5,
    "triangle": 6,
    "triangle6": 15,
    "quad": 9,
    "quad8": 21,
    "quad9": 25,
    "tetra": 10,
    "tetra10": 35,
    "hexahedron": 27,
    "hexahedron20": 81,
}


def curved(x):
    """A smooth quadratic map."""
    out = x.copy()
    out[:, 0] += 0.1 * x[:, 1] ** 2
    out[:, -1] += 0.15 * x[:, 0] * x[:, 1] + 0.1 * x[:, 0] ** 2
    return out


@pytest.mark.parametrize("name", sorted(CELL_TYPES))
@pytest.mark.parametrize("mapping", [lambda x: x, curved])
def test_one_cell_of_each_type(name, mapping):
    kind = CELL_TYPES[name]
    points = mapping(np.hstack([kind.nodes, np.zeros((kind.n_nodes, max(0, 2 - kind.dim)))]))
    mesh = Mesh(points, [(name, [range(kind.n_nodes)])], {"all": range(kind.n_nodes), "one": [0]}, {"cells": [[0]]})
    once = mesh.refined()
    assert (once.n_cells, once.n_points) == (CHILDREN[kind.linear], LATTICE[name])
    assert once.node_set("all").tolist() == list(range(once.n_points))
    assert once.node_set("one").tolist() == [0]
    assert once.cell_set("cells")[0].tolist() == list(range(once.n_cells))
    if kind.dim > 1:
        # lengths of curved lines are integrals of roots, areas and volumes are polynomials
        assert once.cell_sizes[0].sum() == pytest.approx(mesh.cell_sizes[0].sum(), rel=1e-12)
        assert (once.cell_sizes[0] > 0).all()
    np.testing.assert_array_equal(once.points[: mesh.n_points], mesh.points)


@pytest.mark.parametrize("cell_type", ["hexahedron", "tetra"])
def test_a_box_becomes_the_finer_box(cell_type):
    mesh = box((0, 0, 0), (2, 1, 3), (2, 1, 3), cell_type).refined()
    finer = box((0, 0, 0), (2, 1, 3), (4, 2, 6), cell_type)
    assert (mesh.n_points, mesh.n_cells) == (finer.n_points, finer.n_cells)
    np.testing.assert_allclose(sorted(map(tuple, mesh.points)), sorted(map(tuple, finer.points)), atol=1e-15)
    for name in finer.node_sets:
        here, there = (sorted(map(tuple, m.points[m.node_set(name)])) for m in (mesh, finer))
        np.testing.assert_allclose(here, there, atol=1e-15)
    np.testing.assert_allclose(mesh.cell_sizes[0], mesh.cell_sizes[0].mean(), rtol=1e-12)


def test_neighbours_agree_however_their_nodes_are_numbered():
    mesh = box((0, 0, 0), (1, 1, 1), (3, 3, 3), "tetra")
    rng = np.random.default_rng(4)
    even = [(0, 1, 2, 3), (1, 2, 0, 3), (2, 0, 1, 3), (1, 0, 3, 2), (3, 2, 1, 0), (0, 2, 3, 1)]
    nodes = np.array([cell[list(even[rng.integers(6)])] for cell in mesh.cells[0].nodes])
    mixed = Mesh(mesh.points, [("tetra", nodes[rng.permutation(len(nodes))])]).refined(2)
    assert mixed.n_points == 13**3
    assert len(quality(mixed).coincident) == 0
    assert mixed.cell_sizes[0].min() > 0
    assert mixed.cell_sizes[0].sum() == pytest.approx(1.0)


def test_repeated_refinement_keeps_tetrahedra_well_shaped():
    mesh = Mesh([(0, 0, 0), (1, 0, 0), (0.3, 1, 0), (0.1, 0.2, 0.8)], [("tetra", [[0, 1, 2, 3]])])
    worst = [quality(mesh.refined(n)).blocks[0].worst_aspect for n in (1, 4)]
    assert worst[1] <= 1.0001 * worst[0]


def test_a_surface_and_the_solid_under_it_share_their_new_points():
    solid = box((0, 0, 0), (1, 1, 1), (2, 2, 2))
    top = solid.node_set("top")[[[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]]]
    edge = solid.node_set("top")[[[0, 1], [1, 2]]]
    mesh = Mesh(solid.points, [*solid.cells, ("quad", top), ("line", edge)], solid.node_sets).refined()
    assert mesh.n_points == 125
    assert set(mesh.cells[1].nodes.ravel()) == set(mesh.node_set("top"))


def test_second_order_cells_stay_joined_on_a_curved_edge():
    half = CELL_TYPES["triangle6"].nodes
    other = 1 - half
    points = np.vstack([half, other[[0, 3, 5]]])
    points[4] += 0.05
    mesh = Mesh(points, [("triangle6", [[0, 1, 2, 3, 4, 5], [6, 2, 1, 7, 4, 8]])]).refined()
    assert mesh.n_points == 25
    assert len(quality(mesh).coincident) == 0
    assert mesh.cell_sizes[0].sum() == pytest.approx(1.0, rel=1e-14)


def test_a_new_point_is_in_a_set_only_if_all_of_its_edge_is():
    mesh = rectangle((0, 0), (2, 1), (2, 1)).with_node_set("diagonal", [0, 4]).refined()
    assert mesh.node_set("diagonal").tolist() == [0, 4]
    assert mesh.node_set("bottom").size == 5
    assert (mesh.points[mesh.node_set("bottom"), 1] == 0).all()


def test_children_inherit_the_sets_of_cells():
    mesh = line((0, 0), (1, 0), 4).with_cell_set("second", [1]).refined(2)
    centres = mesh.cell_centres[0][mesh.cell_set("second")[0], 0]
    np.testing.assert_allclose(np.sort(centres), 0.25 + (np.arange(4) + 0.5) / 16)


def test_an_arc_stays_on_its_circle():
    coarse, fine = (
        arc((1, 2), radius=3.0, start_angle=0.2, end_angle=4.0, elements=3).refined(3),
        arc((1, 2), radius=3.0, start_angle=0.2, end_angle=4.0, elements=24),
    )
    order = np.argsort(np.unwrap(np.arctan2(coarse.points[:, 1] - 2, coarse.points[:, 0] - 1)) % (2 * np.pi))
    np.testing.assert_allclose(coarse.points[order], fine.points, atol=1e-14)
    np.testing.assert_allclose(coarse.point_data["tangent"][order], fine.point_data["tangent"], atol=1e-14)


def test_tangents_that_run_against_the_cells_give_the_same_curve():
    mesh = arc((0, 0), radius=1.0, start_angle=0.0, end_angle=2.0, elements=2)
    against = Mesh(mesh.points, mesh.cells, point_data={"tangent": -mesh.point_data["tangent"]})
    np.testing.assert_allclose(against.refined().points, mesh.refined().points, atol=1e-15)
    np.testing.assert_allclose(
        against.refined().point_data["tangent"], -mesh.refined().point_data["tangent"], atol=1e-15
    )


def test_a_helix_converges_with_fourth_order():
    def error(n):
        s = np.linspace(0, 4, n + 1)
        slope = np.column_stack([-np.sin(s), np.cos(s), 0.5 + 0 * s]) / np.sqrt(1.25)
        points = np.column_stack([np.cos(s), np.sin(s), 0.5 * s])
        nodes = np.column_stack([np.arange(n), np.arange(1, n + 1)])
        fine = Mesh(points, [("line", nodes)], point_data={"tangent": slope}).refined()
        angle = (s[:-1] + s[1:]) / 2
        exact = np.column_stack([np.cos(angle), np.sin(angle), 0.5 * angle])
        return np.abs(fine.points[n + 1 :] - exact).max()

    assert np.log2(error(8) / error(16)) > 3.8


def test_lines_without_tangents_are_split_on_the_chord():
    mesh = Mesh([(0, 0), (2, 1)], [("line", [[0, 1]])]).refined()
    assert mesh.points[2].tolist() == [1.0, 0.5]


def test_three_node_lines_keep_their_curve_and_tangents():
    # y = x^2 through three nodes
    slope = np.array([(1, -2), (1, 2), (1, 0)]) / np.sqrt([[5], [5], [1]])
    mesh = Mesh([(-1, 1), (1, 1), (0, 0)], [("line3", [[0, 1, 2]])], point_data={"tangent": slope}).refined()
    np.testing.assert_allclose(mesh.points[:, 1], mesh.points[:, 0] ** 2, atol=1e-15)
    x, t = mesh.points[:, 0], mesh.point_data["tangent"]
    np.testing.assert_allclose(t[:, 1] / t[:, 0], 2 * x, atol=1e-14)


def test_other_point_data_is_interpolated():
    mesh = rectangle((0, 0), (1, 1), (2, 2))
    field = (3 * mesh.points[:, :1] - mesh.points[:, 1:]) + 1
    fine = Mesh(mesh.points, mesh.cells, point_data={"f": field}).refined()
    np.testing.assert_allclose(fine.point_data["f"][:, 0], 3 * fine.points[:, 0] - fine.points[:, 1] + 1, atol=1e-15)


def test_zero_times_is_the_mesh_and_nonsense_is_refused():
    mesh = line((0, 0), (1, 0), 2)
    assert mesh.refined(0) is mesh
    for times in (-1, 1.0, True, "2"):
        with pytest.raises(ModelError, match="refined: times must be"):
            mesh.refined(times)


def test_a_large_box_is_quick():
    mesh = box((0, 0, 0), (1, 1, 1), (20, 20, 20))
    start = time.perf_counter()
    assert mesh.refined().n_cells == 64_000
    assert time.perf_counter() - start < 2.0
