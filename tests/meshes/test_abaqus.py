"""Abaqus input files: what is read, and what is refused with a reason."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.core.errors import MeshError, ReadError
from flexmbs.meshes import Mesh, line, read_mesh, rectangle, write_mesh
from flexmbs.meshes.cells import CELL_TYPES

NODES = """*NODE
10, 0., 0.
20, 1., 0.
30, 1., 1.
40, 0., 1.
50, 2., 0.
60, 2., 1.
"""
QUADS = """*ELEMENT, TYPE=CPS4
1, 10, 20, 30, 40
"""
MORE = """*ELEMENT, TYPE=CPS4R, ELSET=RIGHT
7, 20, 50, 60, 30
"""


@pytest.fixture
def read(tmp_path):
    def reader(text, **options):
        path = tmp_path / "part.inp"
        path.write_text(text)
        return read_mesh(path, **options)

    return reader


def test_numbers_of_the_file_become_numbers_from_zero(read):
    mesh = read("*HEADING\nsome text, with commas\n** a comment\n" + NODES + QUADS + MORE)
    assert mesh.points.tolist() == [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1]]
    assert mesh.cells[0].cell_type == "quad"
    assert mesh.cells[0].nodes.tolist() == [[0, 1, 2, 3], [1, 4, 5, 2]]


def test_a_set_named_on_the_second_block_belongs_to_it(read):
    assert read(NODES + QUADS + MORE).cell_set("RIGHT")[0].tolist() == [1]


def test_several_blocks_of_nodes_add_up(read):
    first, second = NODES[: NODES.index("50,")], "*NODE, NSET=TIP\n" + NODES[NODES.index("50,") :]
    mesh = read(first + QUADS + second + MORE)
    assert mesh.n_points == 6
    assert mesh.node_set("TIP").tolist() == [4, 5]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("*NSET, NSET=A\n10, 20,\n60\n", [0, 1, 5]),
        ("*Nset, nset=A, generate\n10, 50, 20\n", [0, 2, 4]),
        ("*NSET, NSET=A, GENERATE\n10, 10\n*NSET, NSET=A, UNSORTED\n60\n", [0, 5]),
        ("*NSET, NSET=B\n10\n*NSET, NSET=A\nB, 60\n", [0, 5]),
        ("*NSET, NSET=b\n10\n*NSET, NSET=A\n 60, B\n", [0, 5]),
        ("*NSET, NSET=A, ELSET=RIGHT\n", [1, 2, 4, 5]),
        ('*NSET, NSET="A"\n10\n', [0]),
        ("*NSET,\nNSET=A\n10\n", [0]),
        ("*NSET, NSET=A, GENERATE\n10, 20, 10\n50, 60, 10\n", [0, 1, 4, 5]),
    ],
)
def test_node_sets(read, data, expected):
    assert read(NODES + QUADS + MORE + data).node_set("A").tolist() == expected


def test_a_set_is_known_by_its_first_spelling_whatever_the_case(read):
    mesh = read(NODES + QUADS + MORE + "*NSET, NSET=Tip\n10\n*NSET, NSET=TIP\n20\n")
    assert mesh.node_set("Tip").tolist() == [0, 1]


def test_element_sets_before_and_over_several_types(read):
    text = NODES + QUADS + "*ELSET, ELSET=A\n1\n" + MORE + "*ELEMENT, TYPE=T2D2\n9, 10, 20\n*ELSET, ELSET=A\n9, RIGHT\n"
    assert [part.tolist() for part in read(text).cell_set("A")] == [[0, 1], [0]]


def test_one_part_with_one_instance(read):
    text = (
        "*PART, NAME=Lug\n" + NODES + QUADS + MORE + "*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=Lug-1, PART=Lug\n"
        "*END INSTANCE\n*NSET, NSET=HUB, INSTANCE=Lug-1\n10, 40\n*NSET, NSET=TIP\nLug-1.50, Lug-1.60\n*END ASSEMBLY\n"
        "*MATERIAL, NAME=STEEL\n*ELASTIC\n2.1e11, 0.3\n*STEP\n*NODE PRINT, NSET=TIP\nU\n*END STEP\n"
    )
    mesh = read(text)
    assert (mesh.node_set("HUB").tolist(), mesh.node_set("TIP").tolist()) == ([0, 3], [4, 5])


def test_includes_are_followed_from_the_folder_of_the_file(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "nodes.txt").write_text(NODES)
    (tmp_path / "sub" / "main.inp").write_text("*INCLUDE, INPUT=nodes.txt\n" + QUADS + MORE)
    assert read_mesh(tmp_path / "sub" / "main.inp").n_points == 6


@pytest.mark.parametrize("order", [(1, 2, 3), (1, 3, 2), (3, 1, 2)])
def test_the_middle_node_of_a_line_is_found_by_its_place(read, order):
    # Abaqus beams have it second, other programs last
    mesh = read(f"*NODE\n1, 0, 0\n2, 1, 0.1\n3, 2, 0\n*ELEMENT, TYPE=B22\n1, {', '.join(map(str, order))}\n")
    assert mesh.cells[0].nodes[0, 2] == 1


def test_rows_may_go_on_and_exponents_may_be_in_fortran(read):
    numbers = ",\n".join(", ".join(map(str, range(i, min(i + 8, 21)))) for i in range(1, 21, 8))
    points = CELL_TYPES["hexahedron20"].nodes
    nodes = "".join(f"{i}, {x:g}D0, {y:g}d+0, {z:g}\n" for i, (x, y, z) in enumerate(points, start=1))
    mesh = read(f"*NODE\n{nodes}*ELEMENT, TYPE=C3D20R, ELSET=ALL\n99, {numbers}\n")
    assert mesh.cell_sizes[0][0] == pytest.approx(8.0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("B31", "line"),
        ("t3d2", "line"),
        ("B33", "line"),
        ("B32", "line3"),
        ("CPS6", "triangle6"),
        ("CPE6M", "triangle6"),
        ("STRI65", "triangle6"),
        ("S3R", "triangle"),
        ("R3D4", "quad"),
        ("S4R5", "quad"),
        ("S8R", "quad8"),
        ("CPE8RH", "quad8"),
        ("S9R5", "quad9"),
        ("M3D9R", "quad9"),
        ("C3D4", "tetra"),
        ("C3D10MH", "tetra10"),
        ("C3D10HS", "tetra10"),
        ("C3D8I", "hexahedron"),
        ("SC8R", "hexahedron"),
        ("C3D20RH", "hexahedron20"),
    ],
)
def test_element_types(read, name, expected):
    kind = CELL_TYPES[expected]
    points = np.hstack([kind.nodes, np.zeros((kind.n_nodes, 3 - kind.dim))])
    nodes = "".join(f"{i}, {', '.join(map(str, p))}\n" for i, p in enumerate(points.tolist(), start=1))
    order = [1, 3, 2] if expected == "line3" else range(1, kind.n_nodes + 1)
    mesh = read(f"*NODE\n{nodes}*ELEMENT, TYPE={name}\n1, {', '.join(map(str, order))}\n")
    assert mesh.cells[0].cell_type == expected
    assert mesh.cells[0].nodes.tolist() == [list(range(kind.n_nodes))]


@pytest.mark.parametrize(
    ("name", "nodes"),
    [("MASS", 1), ("ROTARYI", 1), ("SPRING1", 1), ("DASHPOT1", 1), ("SPRING2", 2), ("SpringA", 2), ("DASHPOT2", 2),
     ("DASHPOTA", 2)],
)  # fmt: skip
def test_elements_without_extent_are_counted_and_left_out(read, name, nodes):
    """Two of them; a set of cells with one of them has the cell only."""
    ends = "10, 30"[: 4 * nodes - 2]
    text = f"*ELEMENT, TYPE={name}, ELSET=D\n8, {ends}\n9, {ends}\n*ELSET, ELSET=BOTH\n1, 9\n"
    with pytest.warns(UserWarning, match=rf"part\.inp: .*: 2 of type {name.upper()}\. Their mass, stiffness"):
        mesh = read(NODES + QUADS + text)
    assert mesh.n_cells == 1
    assert list(mesh.cell_sets) == ["BOTH"]
    assert mesh.cell_set("BOTH")[0].tolist() == [0]
    with pytest.raises(ReadError, match=f"{name.upper()} needs {nodes + 1} numbers"):
        read(NODES + QUADS + f"*ELEMENT, TYPE={name}\n8\n")
    with pytest.raises(ReadError, match="element 1 is there twice"):
        read(NODES + QUADS + f"*ELEMENT, TYPE={name}\n1, {ends}\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no keyword\n", "data before the first keyword"),
        ("*HEADING\nx\n", r"no \*NODE"),
        (NODES, r"no \*ELEMENT"),
        (NODES + "*ELEMENT, TYPE=C3D6\n1, 10, 20, 30, 40, 50, 60\n", "type 'C3D6' have no cell type"),
        (NODES + "*ELEMENT\n1, 10, 20\n", "type '' have no cell type"),
        (NODES + "*ELEMENT, TYPE=S4\n1, 10, 20, 30\n", "needs 5 numbers for each element"),
        (NODES + "*ELEMENT, TYPE=S4\n1, 10, 20, 30, 99\n", "names the node 99, which is not in the file"),
        (NODES + "*ELEMENT, TYPE=S4\n1, 10, 20, x, 40\n", "line 9: expected whole numbers"),
        (NODES + QUADS + QUADS, "element 1 is there twice"),
        (NODES + "10, 5., 5.\n" + QUADS, "node 10 is there twice"),
        ("*NODE\n1, a, b\n" + QUADS, "line 2: expected numbers"),
        ("*NODE\n1\n" + QUADS, "up to 3 coordinates"),
        ("*NODE\n1.5, 0, 0\n" + QUADS, "whole number"),
        ("*NODE\n1, nan, 0\n" + QUADS, "expected numbers"),
        ("*NODE, SYSTEM=C\n1, 1, 0\n" + QUADS, "cylindrical"),
        ("*NODE, INPUT=n.txt\n" + QUADS, "INPUT= is not supported"),
        (NODES + "*NGEN\n10, 20, 1\n" + QUADS, r"\*NGEN is not supported"),
        (NODES + QUADS + "*NSET, NSET=A\n11\n", "node set 'A' names 11"),
        (NODES + QUADS + "*ELSET, ELSET=A\n2\n", "element set 'A' names 2"),
        (NODES + QUADS + "*NSET, NSET=A\nB\n", "'B' is neither a number nor a NSET"),
        (NODES + QUADS + "*NSET, NSET=A, GENERATE\n10\n", "GENERATE needs"),
        (NODES + QUADS + "*NSET, NSET=A, GENERATE\n20, 10, 5\n", "GENERATE needs"),
        (NODES + QUADS + "*NSET, NSET=A, GENERATE\n10, 20, 0\n", "GENERATE needs"),
        (NODES + QUADS + "*NSET, NSET=A, ELSET=B\n", "unknown element set 'B'"),
        (NODES + QUADS + "*NSET\n10\n", "without the name NSET="),
        (NODES + QUADS + "*INCLUDE, INPUT=nowhere.inp\n", "'nowhere.inp'"),
        (NODES + QUADS + "*INCLUDE, INPUT=part.inp\n", "includes go in a circle|there twice"),
        (NODES + QUADS + "*NSET,", "ends within the keyword line"),
        ("*PART, NAME=A\n*END PART\n*PART, NAME=B\n", r"a second \*PART"),
        ("*PART, NAME=A\n*INSTANCE, NAME=A-1\n*INSTANCE, NAME=A-2\n", r"a second \*INSTANCE"),
        ("*PART, NAME=A\n*INSTANCE, NAME=A-1\n1., 0., 0.\n", "moves its part"),
        (NODES + "*ELEMENT, TYPE=S4\n1, 10, 20, 30, 30\n", "names a point twice"),
        ("*NODE\n1, 0, \0", "not a text file"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(read, text, words):
    with pytest.raises(ReadError, match=words):
        read(text)


def test_empty_sets_and_unused_nodes_are_named_in_warnings(read):
    with pytest.warns(UserWarning, match="empty sets are left out: 'A'"):
        assert not read(NODES + QUADS + MORE + "*NSET, NSET=A\n").node_sets
    text = NODES + QUADS + "*NSET, NSET=REF\n50\n*NSET, NSET=MIX\n10, 60\n"
    with pytest.warns(UserWarning, match="points without cells dropped: 2, among them .* 'REF', 'MIX'"):
        mesh = read(text)
    assert {name: m.tolist() for name, m in mesh.node_sets.items()} == {"MIX": [0]}
    assert read(text, keep_unused=True).node_set("REF").tolist() == [4]


@pytest.mark.parametrize("name", sorted(CELL_TYPES))
@pytest.mark.parametrize("dim", [2, 3])
def test_every_cell_type_comes_back(tmp_path, name, dim):
    kind = CELL_TYPES[name]
    if kind.dim > dim:
        return
    points = np.hstack([kind.nodes, np.zeros((kind.n_nodes, dim - kind.dim))]) / 3
    mesh = Mesh(points, [(name, [range(kind.n_nodes)])], {"a b": [0, 1]}, {"all": [[0]]})
    write_mesh(mesh, tmp_path / "m.inp")
    again = read_mesh(tmp_path / "m.inp", dim=dim)
    np.testing.assert_array_equal(again.points, points)
    assert repr(again) == repr(mesh)
    np.testing.assert_array_equal(again.cells[0].nodes, mesh.cells[0].nodes)


def test_long_sets_are_wrapped_and_come_back(tmp_path):
    mesh = rectangle((0, 0), (1, 1), (20, 20)).with_cell_set("most", range(390))
    write_mesh(mesh, tmp_path / "m.inp")
    assert max(map(len, (tmp_path / "m.inp").read_text().splitlines())) < 120
    again = read_mesh(tmp_path / "m.inp")
    np.testing.assert_array_equal(again.cell_set("most")[0], range(390))
    np.testing.assert_array_equal(again.node_set("right"), mesh.node_set("right"))


def test_point_data_has_no_place_and_names_must_fit(tmp_path):
    with pytest.warns(UserWarning, match="does not hold the point data 'tangent'"):
        write_mesh(line((0, 0), (1, 0), 2), tmp_path / "m.inp")
    mesh = rectangle((0, 0), (1, 1), (1, 1))
    for bad in ({"LEFT": [0]}, {'a"b': [0]}, {"a\nb": [0]}, {" a": [0]}):
        with pytest.raises(MeshError, match="cannot be kept in an Abaqus file"):
            write_mesh(Mesh(mesh.points, mesh.cells, {"left": [1], **bad}), tmp_path / "n.inp")
    assert not (tmp_path / "n.inp").exists()
