"""Merging and extracting."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbs.core.errors import MeshError, ModelError
from flexmbs.meshes import Mesh, arc, box, line, polyline, rectangle


def cells_by_place(mesh):
    """The cells as sorted lists of rounded coordinates, free of any numbering."""
    return sorted(
        (block.cell_type, *(tuple(p) for p in np.round(mesh.points[cell], 9).tolist()))
        for block in mesh.cells
        for cell in block.nodes
    )


def test_two_rectangles_become_one():
    one = rectangle((0, 0), (1, 1), (2, 2)).merged(rectangle((1, 0), (2, 1), (4, 2)))
    whole = rectangle((0, 0), (3, 1), (6, 2))
    assert (one.n_points, one.n_cells) == (whole.n_points, whole.n_cells)
    assert cells_by_place(one) == cells_by_place(whole)
    assert sorted(one.points[one.node_set("bottom"), 0]) == pytest.approx(np.arange(7) / 2)
    # the right side of the first and the left side of the second are one line of points
    assert set(np.round(one.points[one.node_set("left"), 0], 9)) == {0.0, 1.0}


def test_the_first_mesh_keeps_its_numbers():
    first = rectangle((0, 0), (1, 1), (2, 2))
    both = first.merged(rectangle((1, 0), (1, 1), (2, 2)))
    np.testing.assert_array_equal(both.points[: first.n_points], first.points)
    np.testing.assert_array_equal(both.cells[0].nodes[: first.n_cells], first.cells[0].nodes)


@given(
    mask=st.lists(st.booleans(), min_size=12, max_size=12).filter(lambda m: any(m) and not all(m)), space=st.booleans()
)
@settings(max_examples=40, deadline=None)
def test_what_is_cut_in_two_can_be_merged_again(mask, space):
    mesh = box((0, 0, 0), (3, 2, 2), (3, 2, 2)) if space else rectangle((0, 0), (4, 3), (4, 3), "quad")
    mask = np.array(mask)
    mesh = mesh.with_cell_set("a", np.flatnonzero(mask)).with_cell_set("b", np.flatnonzero(~mask))
    mesh = mesh.with_cell_set("some", [0, 5, 11])
    again = mesh.extracted("a").merged(mesh.extracted("b"))
    assert again.n_points == mesh.n_points
    assert cells_by_place(again) == cells_by_place(mesh)
    for name in mesh.node_sets:
        places = [sorted(map(tuple, m.points[m.node_set(name)])) for m in (mesh, again)]
        assert places[0] == places[1]
    for name in mesh.cell_sets:
        centres = [sorted(map(tuple, m.cell_centres[0][m.cell_set(name)[0]])) for m in (mesh, again)]
        np.testing.assert_allclose(centres[0], centres[1], atol=1e-14)


@given(gap=st.floats(0, 2e-3), tolerance=st.floats(1e-9, 1e-3))
@settings(max_examples=40, deadline=None)
def test_points_are_joined_within_the_tolerance_only(gap, tolerance):
    if abs(gap - tolerance) < 1e-12:
        return
    merged = polyline([(0, 0), (1, 0)], 2).merged(polyline([(1 + gap, 0), (2, 0)], 2), tolerance)
    assert merged.n_points == (5 if gap <= tolerance else 6)


def test_points_of_one_mesh_are_never_joined():
    ends = Mesh([(0, 0), (1, 0), (1, 0), (2, 0)], [("line", [[0, 1], [2, 3]])])
    assert ends.merged(polyline([(5, 5), (6, 5)], 1)).n_points == 6


def test_blocks_of_one_type_are_joined_and_others_kept():
    mesh = rectangle((0, 0), (1, 1), (1, 1)).merged(
        rectangle((1, 0), (1, 1), (1, 1), "triangle").with_cell_set("t", [1])
    )
    mesh = mesh.merged(rectangle((2, 0), (1, 1), (1, 1)).with_cell_set("t", [0]))
    assert [block.cell_type for block in mesh.cells] == ["quad", "triangle"]
    assert [part.tolist() for part in mesh.cell_set("t")] == [[1], [1]]


def test_several_blocks_of_one_type_are_counted_on():
    mesh = Mesh(
        [(0, 0), (1, 0), (2, 0), (3, 0)],
        [("line", [[0, 1]]), ("line", [[1, 2], [2, 3]])],
        cell_sets={"last": [[], [1]], "ends": [[0], [1]]},
    )
    merged = mesh.merged(polyline([(3, 0), (4, 0)], 1).with_cell_set("last", [0]))
    assert [block.n_cells for block in merged.cells] == [4]
    assert merged.cell_set("last")[0].tolist() == [2, 3]
    assert merged.cell_set("ends")[0].tolist() == [0, 2]


def test_tangents_are_kept_where_they_agree():
    smooth = line((0, -1), (1, -1), 2).merged(
        arc((1, 0), radius=1.0, start_angle=-np.pi / 2, end_angle=0.0, elements=4)
    )
    assert smooth.point_data["tangent"].shape == (7, 2)
    against = line((1, -1), (0, -1), 2).merged(
        arc((1, 0), radius=1.0, start_angle=-np.pi / 2, end_angle=0.0, elements=4)
    )
    assert "tangent" in against.point_data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        line((0, 0), (1, 0), 2).merged(line((1, 0), (2, 0), 2))


def test_tangents_are_dropped_with_a_warning_at_a_kink():
    with pytest.warns(UserWarning, match="point data 'tangent' is dropped"):
        kinked = line((0, 0), (1, 0), 2).merged(line((1, 0), (1, 1), 2))
    assert not kinked.point_data
    with pytest.warns(UserWarning, match="only one mesh has it"):
        line((0, 0), (1, 0), 2).merged(polyline([(1, 0), (1, 1)], 2))


def test_bad_merges_are_refused():
    mesh = polyline([(0, 0), (1, 0)], 4)
    with pytest.raises(MeshError, match=r"use in_space\(\)"):
        mesh.merged(mesh.in_space())
    with pytest.raises(MeshError, match="must be a Mesh, not 3"):
        mesh.merged(3)
    with pytest.raises(ModelError, match="at least 0"):
        mesh.merged(mesh, tolerance=-1)
    with pytest.raises(MeshError, match="names a point twice"):
        mesh.merged(polyline([(0, 0.1), (1, 0.1)], 40), tolerance=0.2)


def test_extracted_keeps_what_is_left_of_the_sets():
    mesh = rectangle((0, 0), (4, 2), (4, 2)).with_cell_set("right half", lambda c: c[:, 0] > 2)
    mesh = mesh.with_cell_set("first", [0]).with_cell_set("low", [0, 1, 2, 3])
    half = mesh.extracted("right half")
    assert (half.n_points, half.n_cells) == (9, 4)
    assert set(half.node_sets) == {"right", "bottom", "top"}
    assert set(half.cell_sets) == {"right half", "low"}
    assert half.cell_set("low")[0].tolist() == [0, 1]
    assert half.points[half.node_set("bottom")].tolist() == [[2, 0], [3, 0], [4, 0]]
    with pytest.raises(MeshError, match="did you mean 'right half'"):
        mesh.extracted("right")


def test_extracted_drops_empty_blocks_and_keeps_point_data():
    mesh = Mesh(
        [(0, 0), (1, 0), (1, 1), (0, 1), (9, 9)],
        [("quad", [[0, 1, 2, 3]]), ("line", [[1, 2]])],
        cell_sets={"edge": [[], [0]]},
        point_data={"n": np.arange(5.0)[:, None]},
    )
    edge = mesh.extracted("edge")
    assert [block.cell_type for block in edge.cells] == ["line"]
    assert edge.point_data["n"].tolist() == [[1], [2]]
    assert mesh.without_unused_points().n_points == 4
