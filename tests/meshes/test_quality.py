"""The quality report: inverted, degenerate and flat cells, coincident and unused points."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.core.errors import MeshError, ModelError
from flexmbs.meshes import Mesh, box, line, quality, read_mesh, rectangle, sample
from flexmbs.meshes.cells import CELL_TYPES


@pytest.mark.parametrize("name", sorted(CELL_TYPES))
def test_ideal_cells_have_aspect_one(name):
    kind = CELL_TYPES[name]
    points = np.hstack([kind.nodes @ kind.ideal.T, np.zeros((kind.n_nodes, max(0, 2 - kind.dim)))])
    report = quality(Mesh(points, [(name, [range(kind.n_nodes)])]))
    assert report.blocks[0].worst_aspect == pytest.approx(1.0)
    assert report.inverted == ()
    report.check()


def test_a_rectangle_has_the_ratio_of_its_sides():
    block = quality(rectangle((0, 0), (12, 1), (3, 2))).blocks[0]
    assert block.worst_aspect == pytest.approx(8.0)
    assert (block.smallest, block.largest) == pytest.approx((2.0, 2.0))


def test_a_flat_right_triangle_in_space_by_its_singular_values():
    mesh = Mesh([(0, 0, 5), (1, 0, 5), (0, 0.1, 5)], [("triangle", [[0, 1, 2]])])
    # the map from the equilateral triangle (0,0), (1,0), (1/2, sqrt(3)/2)
    matrix = np.diag([1, 0.1]) @ np.linalg.inv([[1, 0.5], [0, np.sqrt(0.75)]])
    assert quality(mesh).blocks[0].worst_aspect == pytest.approx(np.linalg.cond(matrix))


def test_inverted_cells_are_named_by_block_and_number():
    mesh = rectangle((0, 0), (3, 1), (3, 1))
    nodes = mesh.cells[0].nodes.copy()
    nodes[1] = nodes[1, ::-1]
    bad = Mesh(mesh.points, [("line", [[0, 1]]), ("quad", nodes)])
    report = quality(bad)
    assert report.inverted == ((1, 1),)
    assert report.blocks[1].smallest == pytest.approx(-1.0)
    with pytest.raises(MeshError, match="1 cell is inverted or degenerate: quad cell 1 of block 1; number"):
        report.check()


def test_a_cell_that_is_inverted_at_one_corner_only():
    dart = Mesh([(0, 0), (1, 0), (0.2, 0.2), (0, 1)], [("quad", [[0, 1, 2, 3]])])
    assert dart.cell_sizes[0][0] > 0
    assert quality(dart).inverted == ((0, 0),)


def test_an_inverted_middle_node_is_found():
    points = CELL_TYPES["tetra10"].nodes.copy()
    points[4, 0] = 0.95
    assert quality(Mesh(points, [("tetra10", [range(10)])])).inverted == ((0, 0),)


@pytest.mark.parametrize(
    ("points", "name"),
    [
        ([(0, 0), (1, 0), (2, 0)], "triangle"),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 1e-13)], "triangle"),
        ([(0, 0), (0, 0)], "line"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], "tetra"),
        ([(0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)], "quad"),
    ],
)
def test_cells_without_size_or_folded_are_bad(points, name):
    report = quality(Mesh(points, [(name, [range(len(points))])]))
    assert report.inverted == ((0, 0),)
    assert "inverted or degenerate cells: 0 of block 0" in str(report)


def test_scale_does_not_matter():
    for scale in (1e-6, 1.0, 1e6):
        mesh = box((0, 0, 0), (1, 1, 0.01), (3, 3, 2), "tetra").transformed(scale=scale)
        assert quality(mesh).inverted == ()


def test_coincident_and_unused_points_are_listed():
    mesh = Mesh([(0, 0), (1, 0), (1, 1e-12), (2, 0), (9, 9)], [("line", [[0, 1], [2, 3]])])
    report = quality(mesh)
    assert report.coincident.tolist() == [[1, 2]]
    assert report.unused.tolist() == [4]
    assert "coincident points: 1 = 2" in str(report)
    assert "unused points: 4" in str(report)
    assert quality(mesh, tolerance=0.0).coincident.shape == (0, 2)
    assert quality(mesh, tolerance=1.5).coincident.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


def test_the_table_is_tidy():
    text = str(quality(read_mesh(sample("l_bracket.msh"))))
    rows = text.splitlines()[:3]
    assert rows[0].split() == ["cells", "type", "smallest", "largest", "worst", "aspect", "at", "cell", "bad"]
    assert [row.split()[:2] for row in rows[1:]] == [["6", "line"], ["190", "triangle"]]
    assert len({len(row) for row in rows}) == 1


def test_long_lists_are_cut():
    mesh = line((0, 0), (1, 0), 20)
    far = Mesh(np.vstack([mesh.points, mesh.points]), mesh.cells)
    assert "and 16 more" in str(quality(far))


def test_bad_arguments_are_refused():
    with pytest.raises(MeshError, match="must be a Mesh"):
        quality([1, 2])
    with pytest.raises(ModelError, match="at least 0"):
        quality(line((0, 0), (1, 0), 2), tolerance=-1.0)


def test_repeated_cells_are_listed():
    good = box((0, 0, 0), (2, 1, 1), (2, 1, 1))
    cells = good.cells[0].nodes
    turned = cells[1:, [4, 5, 6, 7, 0, 1, 2, 3]]  # the same nodes in another order
    report = quality(Mesh(good.points, [("hexahedron", cells), ("hexahedron", np.vstack((cells[:1], turned)))]))
    assert report.repeated == ((1, 0), (1, 1))
    assert "repeated cells: 0 of block 1, 1 of block 1" in str(report)
    skin = Mesh(good.points, [("hexahedron", cells), ("quad", cells[:, :4])])  # cells of another type are no repetition
    assert quality(skin).repeated == ()
