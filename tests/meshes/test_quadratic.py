"""Linear meshes made quadratic."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.meshes import Mesh, arc, box, line, quality, rectangle
from flexmbs.meshes.cells import cell_type, shapes

MESHES = {
    "line3": line((0, 0, 0), (1, 2, 3), 4),
    "triangle6": rectangle((0, 0), (2, 1), (3, 2), "triangle"),
    "quad8": rectangle((0, 0), (2, 1), (3, 2)),
    "tetra10": box((0, 0, 0), (2, 1, 1), (2, 1, 2), "tetra"),
    "hexahedron20": box((0, 0, 0), (2, 1, 1), (2, 1, 2)),
}


@pytest.mark.parametrize("kind", MESHES)
def test_new_nodes_are_where_the_linear_cell_puts_them(kind: str) -> None:
    mesh = MESHES[kind]
    raised = mesh.quadratic()
    block = raised.cells[0]
    assert block.cell_type == kind
    assert (raised.points[: mesh.n_points] == mesh.points).all()
    corners = shapes(cell_type(mesh.cells[0].cell_type), cell_type(kind).nodes)
    places = np.einsum("ba,cad->cbd", corners, mesh.points[mesh.cells[0].nodes])
    assert np.abs(raised.points[block.nodes] - places).max() <= 1e-15
    assert not len(quality(raised).coincident)  # neighbours share what they have in common
    assert not len(quality(raised).unused)
    assert sum(raised.cell_sizes[0]) == pytest.approx(sum(mesh.cell_sizes[0]), rel=1e-14)


def test_number_of_points_by_eulers_formula() -> None:
    """A cube of n^3 hexahedra has 3 n (n + 1)^2 edges."""
    n = 3
    mesh = box((0, 0, 0), (1, 1, 1), (n, n, n)).quadratic()
    assert mesh.n_points == (n + 1) ** 3 + 3 * n * (n + 1) ** 2


def test_sets_grow_with_the_mesh() -> None:
    mesh = MESHES["tetra10"].with_cell_set("low", lambda c: c[:, 0] < 1.0)
    raised = mesh.quadratic()
    for name, axis, value in (("left", 0, 0.0), ("right", 0, 2.0), ("top", 2, 1.0), ("front", 1, 0.0)):
        assert raised.node_set(name).tolist() == np.flatnonzero(raised.points[:, axis] == value).tolist()
    assert raised.cell_set("low")[0].tolist() == mesh.cell_set("low")[0].tolist()


def test_blocks_share_their_edges() -> None:
    mesh = box((0, 0, 0), (1, 1, 1), (1, 1, 1)).merged(box((1, 0, 0), (1, 1, 1), (1, 1, 1), "tetra")).quadratic()
    assert [block.cell_type for block in mesh.cells] == ["hexahedron20", "tetra10"]
    assert not len(quality(mesh).coincident)


def test_point_data_is_averaged_and_tangents_stay_unit() -> None:
    ring = arc((0, 0), radius=1.0, start_angle=0.0, end_angle=np.pi, elements=3)
    data = {**ring.point_data, "heat": ring.points[:, :1] ** 2}
    raised = Mesh(ring.points, ring.cells, point_data=data).quadratic()
    middle = raised.cells[0].nodes[:, 2]
    ends = ring.cells[0].nodes
    assert np.abs(np.linalg.norm(raised.point_data["tangent"], axis=1) - 1.0).max() <= 1e-15
    outward = raised.points[middle]  # on the chord of an arc around the origin
    assert np.abs((raised.point_data["tangent"][middle] * outward).sum(axis=1)).max() <= 1e-15
    assert (raised.point_data["heat"][middle] == 0.5 * (data["heat"][ends[:, 0]] + data["heat"][ends[:, 1]])).all()


def test_opposite_tangents_give_that_of_the_edge() -> None:
    mesh = Mesh([(0, 0), (2, 0)], [("line", [[0, 1]])], point_data={"tangent": [[1, 0], [-1, 0]]})
    assert mesh.quadratic().point_data["tangent"][2].tolist() == [1.0, 0.0]


def test_refuses_quadratic_cells() -> None:
    with pytest.raises(fx.MeshError, match="tetra10 cells are quadratic already"):
        MESHES["tetra10"].quadratic().quadratic()
