"""Gmsh and other files: sets, dimensions, damage, and round trips."""

from __future__ import annotations

import struct
import subprocess
import sys
import warnings
from pathlib import Path

import meshio
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flexmbs.core.errors import MeshError, ReadError
from flexmbs.meshes import Mesh, arc, box, line, read_mesh, rectangle, sample, write_mesh
from flexmbs.meshes.cells import CELL_TYPES
from flexmbs.meshes.gmsh_format import more_reversed

SAMPLES = ("frame.msh", "l_bracket.msh", "lug.inp")
TWO_TRIANGLES = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "edge"
2 1 "plate"
2 7 "both"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
9 0 1 0
$EndNodes
$Elements
6
1 15 2 5 1 9
2 1 2 1 1 1 2
3 2 2 1 1 1 2 3
4 2 2 7 1 1 2 3
5 2 2 7 1 1 3 9
6 2 2 3 1 1 3 9
$EndElements
"""


def full_mesh():
    """Quadrilaterals, triangles and lines with overlapping sets, and with names used for points, edges and faces."""
    plate = rectangle((0, 0), (2, 1), (2, 1)).merged(rectangle((2, 0), (1, 1), (1, 1), "triangle"))
    mesh = Mesh(plate.points, [*plate.cells, ("line", [[0, 1], [1, 2]])], plate.node_sets)
    mesh = mesh.with_cell_set("all", lambda c: c[:, 0] >= 0).with_cell_set("quads", [[0, 1], [], []])
    return mesh.with_cell_set("left", [[0], [], [0]]).with_node_set("tip", [7])


def same(one, other, extra=()):
    """Whether two meshes are equal, apart from further node sets."""
    np.testing.assert_array_equal(one.points, other.points)
    assert [b.cell_type for b in one.cells] == [b.cell_type for b in other.cells]
    for a, b in zip(one.cells, other.cells, strict=True):
        np.testing.assert_array_equal(a.nodes, b.nodes)
    assert set(one.node_sets) - set(extra) == set(other.node_sets) - set(extra)
    for name in other.node_sets:
        np.testing.assert_array_equal(one.node_sets[name], other.node_sets[name])
    assert set(one.cell_sets) == set(other.cell_sets)
    for name in other.cell_sets:
        for a, b in zip(one.cell_sets[name], other.cell_sets[name], strict=True):
            np.testing.assert_array_equal(a, b)


def test_physical_groups_by_dimension_name_and_number(tmp_path):
    (tmp_path / "m.msh").write_text(TWO_TRIANGLES)
    mesh = read_mesh(tmp_path / "m.msh")
    # the two triangles are listed twice each, once for each of their groups
    assert [(b.cell_type, b.nodes.tolist()) for b in mesh.cells] == [
        ("line", [[0, 1]]),
        ("triangle", [[0, 1, 2], [0, 2, 3]]),
    ]
    cells = {name: [part.tolist() for part in parts] for name, parts in mesh.cell_sets.items()}
    assert cells == {"edge": [[0], []], "plate": [[], [0]], "both": [[], [0, 1]], "surface_3": [[], [1]]}
    nodes = {name: members.tolist() for name, members in mesh.node_sets.items()}
    assert nodes == {
        "edge": [0, 1],
        "plate": [0, 1, 2],
        "both": [0, 1, 2, 3],
        "surface_3": [0, 2, 3],
        "point_5": [3],
    }


def test_one_name_in_two_dimensions_is_one_set_over_two_blocks(tmp_path):
    (tmp_path / "m.msh").write_text(TWO_TRIANGLES.replace('"edge"', '"plate"'))
    assert [part.tolist() for part in read_mesh(tmp_path / "m.msh").cell_set("plate")] == [[0], [0]]


@pytest.mark.parametrize("suffix", [".msh", ".inp"])
def test_sets_survive_a_round_trip(tmp_path, suffix):
    mesh = full_mesh()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_mesh(mesh, tmp_path / f"m{suffix}")
        again = read_mesh(tmp_path / f"m{suffix}")
    same(again, mesh, extra=("all", "quads") if suffix == ".msh" else ())


@pytest.mark.parametrize("suffix", [".msh", ".inp", ".vtu", ".vtk", ".xdmf", ".bdf", ".med"])
def test_points_and_cells_survive_every_format(tmp_path, suffix):
    mesh = box((0, 0, 0), (1, 2, 1 / 3), (2, 2, 1), "tetra")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_mesh(mesh, tmp_path / f"m{suffix}")
    again = read_mesh(tmp_path / f"m{suffix}")
    np.testing.assert_allclose(again.points, mesh.points, rtol=1e-7 if suffix == ".bdf" else 1e-15)
    np.testing.assert_array_equal(again.cells[0].nodes, mesh.cells[0].nodes)


@pytest.mark.parametrize("name", sorted(CELL_TYPES))
def test_gmsh_files_of_every_cell_type_agree_with_meshio(tmp_path, name):
    kind = CELL_TYPES[name]
    points = np.hstack([kind.nodes, np.zeros((kind.n_nodes, 3 - kind.dim))])
    mesh = Mesh(points, [(name, [range(kind.n_nodes)])])
    write_mesh(mesh, tmp_path / "m.msh")
    np.testing.assert_array_equal(meshio.read(tmp_path / "m.msh", "gmsh").cells[0].data, mesh.cells[0].nodes)
    same(read_mesh(tmp_path / "m.msh", dim=3), mesh)


def test_tangents_survive_in_gmsh_and_vtu_files(tmp_path):
    mesh = arc((0, 0), radius=1.0, start_angle=0.0, end_angle=1.0, elements=5)
    mesh = Mesh(mesh.points, mesh.cells, point_data=mesh.point_data)
    for name in ("m.msh", "m.vtu"):
        write_mesh(mesh, tmp_path / name)
        again = read_mesh(tmp_path / name)
        np.testing.assert_array_equal(again.point_data["tangent"], mesh.point_data["tangent"])


def test_formats_without_sets_say_once_what_is_lost(tmp_path):
    mesh = rectangle((0, 0), (1, 1), (1, 1), "triangle").with_cell_set("lower", [0])
    before = repr(mesh)
    with pytest.warns(UserWarning, match="node sets 'left', 'right', 'bottom', 'top', the cell set 'lower'") as caught:
        write_mesh(mesh, tmp_path / "m.vtu")
    assert len(caught) == 1
    assert repr(mesh) == before
    assert not read_mesh(tmp_path / "m.vtu").node_sets


def test_gmsh_cannot_hold_point_data_of_odd_width_or_names_with_quotes(tmp_path):
    mesh = line((0, 0), (1, 0), 1)
    with pytest.warns(UserWarning, match="does not hold the point data 'two'"):
        write_mesh(Mesh(mesh.points, mesh.cells, point_data={"two": np.ones((2, 2))}), tmp_path / "m.msh")
    with pytest.raises(MeshError, match="cannot be kept in a Gmsh file"):
        write_mesh(mesh.with_node_set('a"', [0]), tmp_path / "m.msh")


@pytest.mark.parametrize("z", [0.0, 2.5])
def test_the_dimension_is_found_or_asked_for(tmp_path, z):
    (tmp_path / "m.msh").write_text(TWO_TRIANGLES.replace(" 0\n", f" {z}\n"))
    assert read_mesh(tmp_path / "m.msh").dim == (2 if z == 0 else 3)
    assert read_mesh(tmp_path / "m.msh", dim=2).dim == 2
    assert read_mesh(tmp_path / "m.msh", dim=3).points[0].tolist() == [0, 0, z]


def test_a_dimension_that_does_not_fit_is_refused(tmp_path):
    with pytest.raises(ReadError, match="same z everywhere, but it goes from 0 to 3"):
        read_mesh(sample("frame.msh"), dim=2)
    with pytest.raises(ReadError, match="solid cells"):
        read_mesh(sample("lug.inp"), dim=2)
    with pytest.raises(ReadError, match="dim must be 2, 3 or None"):
        read_mesh(sample("frame.msh"), dim=1)


@pytest.mark.parametrize("suffix", [".msh", ".inp", ".vtu", ".vtk", ".bdf", ".stl", ".mesh", ".xdmf", ".med", ".e"])
@pytest.mark.parametrize("content", [b"", b"\n", b"hello\n", b"\x00\xff\xfe\x01" * 50, b"$MeshFormat\n4.1 0 8\n"])
def test_files_of_another_kind_are_refused_in_words(tmp_path, capfd, suffix, content):
    path = tmp_path / f"m{suffix}"
    path.write_bytes(content)
    with pytest.raises(ReadError) as error:
        read_mesh(path)
    assert path.name in str(error.value)
    assert capfd.readouterr() == ("", "")


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(ReadError, match="there is no file"):
        read_mesh(tmp_path / "none.msh")
    with pytest.raises(ReadError, match="is a folder"):
        read_mesh(tmp_path)
    (tmp_path / "m.xyz").write_text("x")
    with pytest.raises(ReadError, match=r"suffix '.xyz' is of no known mesh format. Known: .*\.inp.*\.msh"):
        read_mesh(tmp_path / "m.xyz")
    with pytest.raises(ReadError, match="path must be a string or a path, not 3"):
        read_mesh(3)


def test_foreign_cells_are_named(tmp_path):
    prism = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)], dtype=float)
    meshio.write(tmp_path / "m.vtu", meshio.Mesh(prism, [("wedge", [[0, 1, 2, 3, 4, 5]])]))
    with pytest.raises(ReadError, match="cells of type wedge are not supported, only line"):
        read_mesh(tmp_path / "m.vtu")


def test_point_data_that_is_not_finite_is_dropped_with_a_warning(tmp_path):
    data = {"T": np.array([1.0, np.nan]), "u": np.array([1.0, 2.0])}
    meshio.write(tmp_path / "m.vtu", meshio.Mesh(np.eye(3)[:2], [("line", [[0, 1]])], point_data=data))
    with pytest.warns(UserWarning, match="point data 'T' is dropped"):
        mesh = read_mesh(tmp_path / "m.vtu")
    assert mesh.point_data["u"].tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("name", SAMPLES)
def test_line_ends_and_byte_order_marks_do_not_matter(tmp_path, name):
    text = sample(name).read_bytes().replace(b"\n", b"\r\n")
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" + text if name.endswith(".inp") else text)
    same(read_mesh(path), read_mesh(sample(name)))


@pytest.mark.parametrize("section", ["Nodes", "Elements", "PhysicalNames"])
def test_gmsh_files_without_an_end_are_refused(tmp_path, section):
    (tmp_path / "m.msh").write_text(TWO_TRIANGLES.split(f"$End{section}")[0])
    with pytest.raises(ReadError, match=f"the section .{section} has no end; the file is cut off"):
        read_mesh(tmp_path / "m.msh")


def test_a_gmsh_cell_that_names_a_missing_node_is_refused(tmp_path):
    (tmp_path / "m.msh").write_text(TWO_TRIANGLES.replace("3 2 2 1 1 1 2 3", "3 2 2 1 1 1 2 8"))
    with pytest.raises(ReadError, match="names the point -1"):
        read_mesh(tmp_path / "m.msh")


@pytest.mark.parametrize("name", SAMPLES)
@given(where=st.floats(0.02, 0.98))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cut_off_samples_are_refused_or_read_in_part(tmp_path, name, where):
    text = sample(name).read_text()
    path = tmp_path / f"cut{Path(name).suffix}"
    path.write_text(text[: int(where * len(text))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name.endswith(".msh"):
            with pytest.raises(ReadError):
                read_mesh(path)
            return
        try:
            mesh = read_mesh(path)
        except ReadError:
            return
    # an Abaqus file has no end mark: cut at the end of a line it is a smaller, complete one
    assert mesh.n_cells <= 286


@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_samples_never_end_in_a_foreign_error(tmp_path, name, data):
    lines = sample(name).read_text().splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = data.draw(
            st.sampled_from(["", "-1", "x y z", "1e400", lines[at] * 2, lines[at][:-2], "$End", "*", "9 9 9 9"])
        )
    path = tmp_path / f"damaged{Path(name).suffix}"
    path.write_text("\n".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            mesh = read_mesh(path)
        except ReadError:
            return
    assert np.isfinite(mesh.points).all()


@pytest.mark.parametrize(
    ("path", "words"),
    [("none/m.msh", "no folder"), ("m.xyz", "no known mesh format"), (".", "is a folder")],
)
def test_bad_targets_are_refused(tmp_path, path, words):
    mesh = line((0, 0), (1, 0), 1)
    with pytest.raises(MeshError, match=words):
        write_mesh(mesh, tmp_path / path)
    with pytest.raises(MeshError, match="mesh must be a Mesh"):
        write_mesh("mesh", tmp_path / "m.msh")
    with pytest.raises(MeshError, match="path must be"):
        write_mesh(mesh, None)


def test_a_format_that_cannot_hold_the_cells_says_so_and_prints_nothing(tmp_path, capfd):
    mesh = Mesh(CELL_TYPES["hexahedron20"].nodes, [("hexahedron20", [range(20)])])
    with pytest.raises(MeshError, match=r"cannot be written as '\.svg'"):
        write_mesh(mesh, tmp_path / "m.svg")
    for suffix in (".off", ".h5m", ".mesh", ".stl"):
        with pytest.raises(MeshError, match="of its cells 1 hexahedron20 the file would have none"):
            write_mesh(mesh, tmp_path / f"m{suffix}")
    with pytest.raises(MeshError, match="of its cells 1 hexahedron20 the file would have 1 hexahedron"):
        write_mesh(mesh, tmp_path / "m.f3grid")
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


def test_a_format_that_holds_some_of_the_cells_is_refused(tmp_path):
    surface = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [("triangle", [[0, 1, 2]]), ("line", [[0, 1]])])
    with pytest.raises(MeshError, match="cells 1 triangle, 1 line the file would have 1 triangle"):
        write_mesh(surface, tmp_path / "m.stl")
    write_mesh(Mesh(surface.points, surface.cells[:1]), tmp_path / "m.stl")
    assert read_mesh(tmp_path / "m.stl").cells[0].n_cells == 1


def test_meshio_is_not_imported_before_it_is_needed():
    code = "import sys, flexmbs.meshes; sys.exit('meshio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_folder_is_not_importable_under_its_bare_name():
    result = subprocess.run([sys.executable, "-c", "import meshes"], check=False, capture_output=True, text=True)
    assert result.returncode != 0
    assert "ImportError" in result.stderr or "ModuleNotFoundError" in result.stderr


HEAD_41 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
2 7 "skin"
2 8 "wet"
3 9 "body"
$EndPhysicalNames
"""
REVERSED = f"""{HEAD_41}$Entities
0 0 2 1
1 0 0 0 1 1 0 2 -7 -8 0
2 0 0 0 1 0 1 1 7 0
1 0 0 0 1 1 1 1 -9 2 1 2
$EndEntities
$Nodes
1 4 1 4
3 1 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
3 3 1 3
2 1 2 1
1 1 2 3
2 2 2 1
2 1 2 4
3 1 4 1
3 1 2 3 4
$EndElements
"""
# the same as Gmsh writes it in version 2.2: cells turned, once for each group, numbers of groups without signs
TURNED_22 = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
2 7 "skin"
2 8 "wet"
3 9 "body"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
4
1 2 2 7 1 1 3 2
2 2 2 8 1 1 3 2
3 2 2 7 2 1 2 4
4 4 2 9 1 1 2 3 4
$EndElements
"""


def test_gmsh_groups_of_reversed_surfaces_keep_their_names(tmp_path):
    (tmp_path / "new.msh").write_text(REVERSED)
    (tmp_path / "old.msh").write_text(TURNED_22)
    new, old = read_mesh(tmp_path / "new.msh"), read_mesh(tmp_path / "old.msh")
    for mesh in (new, old):
        assert [block.nodes.tolist() for block in mesh.cells] == [[[0, 2, 1], [0, 1, 3]], [[0, 1, 2, 3]]]
        found = {name: [part.tolist() for part in parts] for name, parts in mesh.cell_sets.items()}
        assert found == {"skin": [[0, 1], []], "wet": [[0], []], "body": [[], [0]]}
    outwards = new.cells[0].nodes[0]  # the face z = 0 of the solid, seen from outside, against which it was given
    a, b, c = new.points[outwards]
    assert np.cross(b - a, c - a).tolist() == [0, 0, -1]


def test_reversed_groups_are_found_in_binary_and_damage_is_told(tmp_path):
    file = tmp_path / "b.msh"
    begin = b"$MeshFormat\n4.1 1 8\n" + struct.pack("i", 1) + b"\n$EndMeshFormat\n$Entities\n"
    point = struct.pack("<i3dQ", 4, 0, 0, 0, 0)
    surface = struct.pack("<i6dQ2iQ3i", 5, 0, 0, 0, 1, 1, 1, 2, -7, 8, 3, 1, -2, 3)
    file.write_bytes(begin + struct.pack("<4Q", 1, 0, 1, 0) + point + surface + b"\n$EndEntities\n")
    assert more_reversed(file) == {(2, 5): [7]}
    file.write_text(REVERSED.replace("2 0 0 0 1 0 1 1 7 0", "2 0 0 0 1 0 1 99 7 0"))
    with pytest.raises(ReadError, match=r"\$Entities is cut off or damaged"):
        more_reversed(file)
