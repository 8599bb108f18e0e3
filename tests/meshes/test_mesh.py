"""The container: validation, sizes, sets, immutability, transforms and the way to space."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from flexmbs.core.errors import MeshError, ModelError
from flexmbs.meshes import CellBlock, Mesh, arc, box, line, rectangle
from flexmbs.meshes.cells import CELL_TYPES

SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
QUAD = [("quad", [[0, 1, 2, 3]])]


def single(name, mapping=lambda x: x):
    """One cell of a type whose reference nodes are mapped."""
    kind = CELL_TYPES[name]
    nodes = np.hstack([kind.nodes, np.zeros((kind.n_nodes, max(0, 2 - kind.dim)))])
    return Mesh(mapping(nodes), [(name, [list(range(kind.n_nodes))])])


@pytest.mark.parametrize("name", sorted(CELL_TYPES))
def test_size_of_an_affine_cell(name):
    kind = CELL_TYPES[name]
    matrix = np.array([[2.0, 0.3, 0.1], [0.0, 1.5, -0.4], [0.0, 0.0, 0.7]])[: max(2, kind.dim), : max(2, kind.dim)]
    reference = {"line": 2.0, "triangle": 0.5, "quad": 4.0, "tetra": 1 / 6, "hexahedron": 8.0}[kind.linear]
    stretch = {1: 2.0, 2: 3.0, 3: 2.1}[kind.dim]
    mesh = single(name, lambda x: x @ matrix.T + 5)
    assert mesh.cell_sizes[0][0] == pytest.approx(reference * stretch, rel=1e-13)
    np.testing.assert_allclose(mesh.cell_centres[0][0], matrix @ _centre(kind, mesh.dim) + 5, atol=1e-13)


def _centre(kind, dim):
    centre = np.zeros(dim)
    centre[: kind.dim] = 1 / (kind.dim + 1) if kind.linear in ("triangle", "tetra") else 0.0
    return centre


@pytest.mark.parametrize(("name", "expected"), [("hexahedron20", 8.0), ("tetra10", 1 / 6 + 0.4 / 24)])
def test_volume_of_a_curved_solid(name, expected):
    # x -> x + 0.2 x^2 has the Jacobian 1 + 0.4 x: its integral is 8 over [-1, 1]^3; over the unit simplex, where x
    # integrates to 1/24, it is 1/6 + 0.4/24. The shift of z along x^2 changes no volume.
    def bend(x):
        out = x.copy()
        out[:, 0] += 0.2 * x[:, 0] ** 2
        out[:, 2] += 0.3 * x[:, 0] ** 2
        return out

    assert single(name, bend).cell_sizes[0][0] == pytest.approx(expected, rel=1e-13)


def test_area_of_a_quadrilateral_with_a_bulge():
    # the segment of a parabola of height 0.3 over a base of length 1 has 2/3 of their product
    points = [*SQUARE, (0.5, -0.3), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)]
    mesh = Mesh(points, [("quad8", [list(range(8))])])
    assert mesh.cell_sizes[0][0] == pytest.approx(1.2, rel=1e-14)


def test_length_of_a_parabola():
    mesh = Mesh([(-1.0, 0.2), (1.0, 0.2), (0.0, 0.0)], [("line3", [[0, 1, 2]])])
    # y = x^2 / 5 from -1 to 1: 2 (sqrt(1 + c^2)/2 + asinh(c)/(2c)) with c = 2/5
    assert mesh.cell_sizes[0][0] == pytest.approx(np.sqrt(1.16) + np.arcsinh(0.4) / 0.4, rel=1e-9)


def test_sizes_are_negative_for_inverted_cells():
    assert Mesh(SQUARE, [("quad", [[0, 3, 2, 1]])]).cell_sizes[0][0] == -1.0
    assert Mesh(SQUARE, [("triangle", [[0, 2, 1]])]).cell_sizes[0][0] == -0.5


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"points": np.zeros((0, 2))}, "any > 0"),
        ({"points": np.zeros((4, 1))}, "must have shape"),
        ({"points": [(0, 0), (1, 0), (np.nan, 1), (0, 1)]}, r"entry \(2, 0\) is nan"),
        ({"points": "abc"}, "array of numbers"),
        ({"cells": []}, "no cells"),
        ({"cells": 3}, "must be a sequence"),
        ({"cells": [("quad",)]}, "CellBlock objects or"),
        ({"cells": [("quat", [[0, 1, 2, 3]])]}, "did you mean 'quad"),
        ({"cells": [("quad", [[0, 1, 2]])]}, r"shape \(any, 4\)"),
        ({"cells": [("quad", [])]}, r"shape \(any, 4\)"),
        ({"cells": [("quad", [[0.0, 1.0, 2.0, 3.0]])]}, "whole numbers"),
        ({"cells": [("quad", [[0, 1, 2, 4]])]}, "last of the 4 points is 3"),
        ({"cells": [("quad", [[0, 1, 2, -1]])]}, "cell 0 names the point -1"),
        ({"cells": [("quad", [[0, 1, 2, 2]])]}, "names a point twice"),
        ({"cells": [("tetra", [[0, 1, 2, 3]])]}, "need points in space"),
        ({"node_sets": {"a": [4]}}, "number 4 is out of range 0 ... 3"),
        ({"node_sets": {"a": [-1]}}, "number -1 is out of range"),
        ({"node_sets": {"a": []}}, "'a' is empty"),
        ({"node_sets": {"a": [0.5]}}, "whole numbers"),
        ({"node_sets": {"a": [True, False, True, False]}}, "whole numbers"),
        ({"node_sets": {"": [0]}}, "non-empty string"),
        ({"node_sets": [0]}, "mapping"),
        ({"cell_sets": {"a": [[0], [0]]}}, "each of the 1 blocks"),
        ({"cell_sets": {"a": [0]}}, "each of the 1 blocks"),
        ({"cell_sets": {"a": [[1]]}}, "number 1 is out of range 0 ... 0"),
        ({"cell_sets": {"a": [[]]}}, "'a' is empty"),
        ({"point_data": {"t": np.zeros((3, 1))}}, "must have shape"),
        ({"point_data": {"tangent": np.ones((4, 2))}}, "unit vectors"),
        ({"point_data": {"tangent": np.ones((4, 3))}}, "shape"),
        ({"point_data": {"t": [[np.inf]] * 4}}, "finite"),
    ],
)
def test_a_bad_mesh_is_refused(changes, words):
    with pytest.raises(ModelError, match=words):
        Mesh(**{"points": SQUARE, "cells": QUAD, **changes})


def test_nothing_can_be_changed_and_nothing_is_shared():
    points, nodes, members = np.array(SQUARE), np.array([[0, 1, 2, 3]]), np.array([3, 0, 0])
    mesh = Mesh(points, [("quad", nodes)], {"a": members}, {"b": (np.array([0]),)}, {"c": np.ones((4, 1))})
    points[0], nodes[0, 0], members[0] = 7.0, 1, 2
    np.testing.assert_array_equal(mesh.points, SQUARE)
    assert mesh.cells[0].nodes.tolist() == [[0, 1, 2, 3]]
    assert mesh.node_set("a").tolist() == [0, 3]
    for array in (mesh.points, mesh.cells[0].nodes, mesh.node_sets["a"], mesh.cell_sets["b"][0], mesh.point_data["c"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        mesh.node_sets["d"] = members
    with pytest.raises(AttributeError):
        mesh.points = points


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda mesh: pickle.loads(pickle.dumps(mesh))])
def test_a_mesh_can_be_copied_and_sent(clone):
    mesh = rectangle((0, 0), (1, 1), (2, 2)).with_cell_set("first", [0])
    other = clone(mesh)
    np.testing.assert_array_equal(other.points, mesh.points)
    assert repr(other) == repr(mesh)
    assert not other.points.flags.writeable


def test_unknown_sets_are_answered_with_the_known_ones():
    mesh = rectangle((0, 0), (1, 1), (2, 2))
    with pytest.raises(MeshError, match="no node set named 'lefft'; did you mean 'left'"):
        mesh.node_set("lefft")
    with pytest.raises(MeshError, match=r"no cell set named 'left'\. Known: none"):
        mesh.cell_set("left")


def test_sets_by_numbers_and_by_functions():
    mesh = rectangle((0, 0), (4, 2), (4, 2))
    assert mesh.with_node_set("low", lambda p: p[:, 1] == 0).node_set("low").tolist() == [0, 1, 2, 3, 4]
    assert mesh.with_node_set("left", [7]).node_set("left").tolist() == [7]
    for cells in ([2, 6], np.array([2, 6]), ([2, 6],), lambda c: abs(c[:, 0] - 2.5) < 0.1):
        assert mesh.with_cell_set("column", cells).cell_set("column")[0].tolist() == [2, 6]
    assert "low" not in mesh.node_sets


def test_sets_of_cells_in_several_blocks():
    mesh = Mesh([*SQUARE, (2, 0)], [("quad", [[0, 1, 2, 3]]), ("triangle", [[1, 4, 2]]), ("line", [[0, 1], [1, 4]])])
    chosen = mesh.with_cell_set("right", lambda c: c[:, 0] > 1).cell_set("right")
    assert [part.tolist() for part in chosen] == [[], [0], [1]]
    with pytest.raises(MeshError, match="each of the 3 blocks"):
        mesh.with_cell_set("a", [0])


@pytest.mark.parametrize("mask", [lambda p: p[:, :1] > 0, lambda p: p[:, 0], lambda p: True, lambda p: [0, 1]])
def test_functions_that_do_not_return_a_mask_are_refused(mask):
    mesh = rectangle((0, 0), (4, 2), (4, 2))
    with pytest.raises(MeshError, match="must return a bool mask of shape"):
        mesh.with_node_set("a", mask)
    with pytest.raises(MeshError, match="must return a bool mask of shape"):
        mesh.with_cell_set("a", mask)


def test_an_empty_choice_is_refused():
    with pytest.raises(MeshError, match="'far' is empty"):
        rectangle((0, 0), (4, 2), (4, 2)).with_node_set("far", lambda p: p[:, 0] > 100)


def test_in_space_adds_a_zero():
    mesh = arc((0, 0), radius=1.0, start_angle=0.0, end_angle=1.0, elements=3)
    space = mesh.in_space()
    assert space.dim == 3
    np.testing.assert_array_equal(space.points, np.column_stack([mesh.points, np.zeros(4)]))
    assert space.point_data["tangent"].shape == (4, 3)
    assert space.node_set("end").tolist() == [3]
    assert space.in_space() is space


@given(
    angles=st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    shift=st.lists(st.floats(-10, 10), min_size=3, max_size=3),
    scale=st.floats(0.01, 100),
)
@settings(max_examples=40, deadline=None)
def test_transforms_keep_shape_and_can_be_undone(angles, shift, scale):
    mesh = box((0, 0, 0), (1, 2, 3), (2, 1, 1), "tetra").merged(box((1, 0, 0), (1, 2, 3), (1, 1, 1)))
    R = Rotation.from_euler("xyz", angles).as_matrix()
    moved = mesh.transformed(R, shift, scale)
    for before, after in zip(mesh.cell_sizes, moved.cell_sizes, strict=True):
        np.testing.assert_allclose(after, before * scale**3, rtol=1e-9)
    back = moved.transformed(translation=[-x for x in shift]).transformed(R.T, scale=1 / scale)
    np.testing.assert_allclose(back.points, mesh.points, atol=1e-12 * (1 + 10 / scale) + 1e-13)
    assert moved.node_sets.keys() == mesh.node_sets.keys()


def test_transform_turns_tangents():
    mesh = line((0, 0), (2, 0), 2).transformed([[0, -1], [1, 0]], translation=(5, 5), scale=2)
    np.testing.assert_allclose(mesh.point_data["tangent"], [[0, 1]] * 3)
    np.testing.assert_allclose(mesh.points, [(5, 5), (5, 7), (5, 9)])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rotation": [[1, 0], [0, -1]]}, "det R = -1"),
        ({"rotation": [[2, 0], [0, 2]]}, "orthogonal"),
        ({"rotation": np.eye(3)}, r"shape \(2, 2\)"),
        ({"translation": (1, 2, 3)}, r"shape \(2,\)"),
        ({"scale": 0.0}, "greater than 0"),
        ({"scale": -1.0}, "greater than 0"),
        ({"scale": np.inf}, "finite"),
    ],
)
def test_bad_transforms_are_refused(arguments, words):
    with pytest.raises(ModelError, match=words):
        line((0, 0), (1, 0), 2).transformed(**arguments)


def test_block_repr_and_count():
    block = CellBlock("line", [[0, 1], [1, 2]])
    assert (repr(block), block.n_cells) == ("CellBlock(2 x line)", 2)
