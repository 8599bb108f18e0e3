"""Lines of three nodes from lines of two."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.meshes import CellBlock, Mesh, arc, line, rectangle, three_node


def test_points_sets_and_tangents_stay():
    curve = arc((0, 0), radius=1.0, start_angle=0.0, end_angle=1.0, elements=6)
    found = three_node(curve)
    np.testing.assert_array_equal(found.points, curve.points)
    assert found.cells[0].cell_type == "line3"
    assert found.cells[0].nodes.tolist() == [[0, 2, 1], [2, 4, 3], [4, 6, 5]]
    np.testing.assert_array_equal(found.node_sets["end"], curve.node_sets["end"])
    np.testing.assert_array_equal(found.point_data["tangent"], curve.point_data["tangent"])


def test_a_ring_closes():
    ring = three_node(arc((0, 0), radius=1.0, start_angle=0.0, end_angle=2 * np.pi, elements=6, closed=True))
    assert ring.cells[0].nodes[-1].tolist() == [4, 0, 5]


def test_sets_of_cells_keep_whole_pairs():
    mesh = line((0, 0), (1, 0), 6)
    mesh = Mesh(mesh.points, mesh.cells, cell_sets={"left": (np.array([0, 1, 2]),), "none": (np.array([3]),)})
    found = three_node(mesh)
    assert {k: [p.tolist() for p in v] for k, v in found.cell_sets.items()} == {"left": [[0]]}


@pytest.mark.parametrize(
    ("mesh", "why"),
    [
        (line((0, 0), (1, 0), 3), "3 line cells cannot be taken two by two"),
        (rectangle((0, 0), (1, 1), (2, 2)), "line cells only"),
        (Mesh(np.eye(3), (CellBlock("line", np.array([[0, 1], [2, 1]])),)), "cell 1 does not begin at point 1"),
    ],
)
def test_what_is_refused(mesh, why):
    with pytest.raises(fx.MeshError, match=why):
        three_node(mesh)
