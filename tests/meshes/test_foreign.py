"""Files of other programs that are cut off, wait for ever, or point to other folders: refused, and soon."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import h5py
import meshio
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.meshes import foreign, read_mesh, rectangle, write_mesh

SUFFIXES = (".tec", ".dat", ".ply", ".vtk", ".vtu", ".bdf", ".stl", ".mesh", ".off", ".avs", ".med")


def whole(folder: Path, suffix: str) -> bytes:
    """A triangulated plate in a format."""
    path = folder / f"whole{suffix}"
    plate = rectangle((0, 0), (2, 1), (2, 1), "triangle").in_space()
    meshio.write(path, meshio.Mesh(plate.points, [("triangle", plate.cells[0].nodes)]))
    return path.read_bytes()


@pytest.mark.parametrize("suffix", [".tec", ".dat", ".ply"])
@pytest.mark.parametrize("part", [0.05, 0.3, 0.6, 0.9])
@pytest.mark.filterwarnings("ignore")
def test_cut_off_files_do_not_hang(tmp_path: Path, suffix: str, part: float) -> None:
    data = whole(tmp_path, suffix)
    path = tmp_path / f"cut{suffix}"
    path.write_bytes(data[: int(part * len(data))])
    began = time.monotonic()
    with pytest.raises(fx.ReadError, match="cut off, damaged or of another kind"):
        read_mesh(path)
    assert time.monotonic() - began < 30.0


@pytest.mark.parametrize("text", ["\n", "# nothing\n", "4 3 0 0\n"])
def test_a_node_file_without_nodes_does_not_hang(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.node").write_text(text)
    (tmp_path / "a.ele").write_text("\n")
    with pytest.raises(fx.ReadError, match="cut off, damaged or of another kind"):
        read_mesh(tmp_path / "a.node")


def test_a_reader_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.off").write_bytes(whole(tmp_path, ".off"))
    monkeypatch.setattr(foreign, "SECONDS", 0.01)
    with pytest.raises(fx.ReadError, match=r"a\.off cannot be read within 0 s: it is damaged, or too large"):
        read_mesh(tmp_path / "a.off")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore")
def test_damage_of_any_kind(tmp_path: Path, data: st.DataObject) -> None:
    """Cut, changed, doubled: read, or refused in our words, in bounded time."""
    suffix = data.draw(st.sampled_from(SUFFIXES))
    content = bytearray(whole(tmp_path, suffix))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        match data.draw(st.sampled_from(["cut", "change", "double", "digit"])):
            case "cut":
                content = content[:at]
            case "change":
                content[at : at + 1] = data.draw(st.binary(min_size=1, max_size=3))
            case "double":
                content[at:at] = content[at : at + 40]
            case "digit":
                content[at:at] = b"99999999"
    path = tmp_path / f"damaged{suffix}"
    path.write_bytes(bytes(content))
    with suppress(fx.ReadError):
        read_mesh(path)


def series(folder: Path, named: str, kind: str = "HDF") -> Path:
    """An XDMF file whose points are in a file of a name."""
    path = folder / "mesh.xdmf"
    path.write_text(
        '<Xdmf Version="3.0"><Domain><Grid Name="Grid"><Geometry GeometryType="XYZ">'
        f'<DataItem DataType="Float" Dimensions="3 3" Format="{kind}" Precision="8">{named}</DataItem></Geometry>'
        '<Topology TopologyType="Triangle" NumberOfElements="1"><DataItem DataType="Int" Dimensions="1 3" Format="XML" '
        'Precision="8">0 1 2</DataItem></Topology></Grid></Domain></Xdmf>'
    )
    return path


POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 1]])


@pytest.mark.parametrize("inner", ["points.h5", "deeper/points.h5", "./points.h5"])
def test_numbers_beside_an_xdmf_file_are_read(tmp_path: Path, inner: str) -> None:
    (tmp_path / inner).parent.mkdir(exist_ok=True)
    with h5py.File(tmp_path / inner, "w") as file:
        file["x"] = POINTS
    np.testing.assert_array_equal(read_mesh(series(tmp_path, f"{inner}:/x")).points, POINTS)


@pytest.mark.parametrize("kind", ["HDF", "Binary"])
@pytest.mark.parametrize("name", ["../secret", "{folder}/secret", "deeper/../../secret", "link"])
def test_an_xdmf_file_reads_nothing_outside_its_folder(tmp_path: Path, kind: str, name: str) -> None:
    with h5py.File(tmp_path / "secret", "w") as file:
        file["x"] = POINTS
    inner = tmp_path / "inner"
    (inner / "deeper").mkdir(parents=True)
    (inner / "link").symlink_to(tmp_path / "secret")
    named = name.format(folder=tmp_path) + (":/x" if kind == "HDF" else "")
    with pytest.raises(fx.ReadError, match=r"mesh\.xdmf: its numbers are said to be in .*outside its folder"):
        read_mesh(series(inner, named, kind))


@pytest.mark.parametrize("suffix", [".vtu", ".xdmf", ".med"])
def test_point_data_comes_as_it_was(tmp_path: Path, suffix: str) -> None:
    plate = rectangle((0, 0), (2, 1), (2, 1)).in_space()
    values = np.random.default_rng(1).normal(size=(plate.n_points, 3))
    meshio.write(
        tmp_path / f"a{suffix}", meshio.Mesh(plate.points, [("quad", plate.cells[0].nodes)], point_data={"u": values})
    )
    np.testing.assert_array_equal(read_mesh(tmp_path / f"a{suffix}").point_data["u"], values)


@pytest.mark.filterwarnings("ignore:.*does not hold the node sets")
def test_this_process_keeps_its_files(tmp_path: Path) -> None:
    """What the reading process changes for itself is not changed here."""
    write_mesh(rectangle((0, 0), (2, 1), (2, 1)), tmp_path / "a.vtu")
    before = open
    read_mesh(tmp_path / "a.vtu")
    assert open is before


PLY = (
    "ply\nformat ascii 1.0\ncomment version 1_0 of part 1_2\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
)
BULK = (
    "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.5,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\nCTETRA,1,1,1,2,3,4\n"
    "$ part 1_2, version 1_0\nENDDATA\n"
)
DOLFIN = (
    '<dolfin nsmax="1_0">\n<mesh celltype="triangle" dim="2">\n<vertices size="3">\n'
    '<vertex index="0" x="0.0" y="0.0"/>\n'
    '<vertex index="1" x="1.0" y="0.0"/>\n<vertex index="2" x="0.0" y="1.0"/>\n</vertices>\n<cells size="1">\n'
    '<triangle index="0" v0="0" v1="1" v2="2"/>\n</cells>\n</mesh>\n</dolfin>\n'
)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.stl", "solid 1_2\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1_0 0 0\n", "line 5: .* not '1_0'"),
        ("a.obj", "o part 1_2\nv 0 0 0\nv 1 0 0\nv 0 1_0.5 0\nf 1 2 3\n", "line 4: .* not '1_0.5'"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2_0/1 3/1\n", "line 4: .* not '2_0/1'"),
        ("a.ply", PLY.replace("1 0 0", "1_0 0 0"), "line 12: .* not '1_0'"),
        ("a.bdf", BULK.replace("1.5", "1_2.5"), "line 3: .* not '1_2.5'"),
        ("a.nas", BULK.replace("1,1,1,2,3,4", "1,1,1,2,3_0,4"), "line 6: .* not '3_0'"),
        ("a.xml", DOLFIN.replace(' x="1', ' x="1_0'), "line 5: .* not '1_0.0'"),
    ],
)
def test_numbers_with_underscores_are_none(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(fx.ReadError, match=words):
        read_mesh(tmp_path / name)


def test_vertices_counted_backwards_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf -3//1 -2//1 -1//1\n")
    with pytest.raises(
        fx.ReadError, match=r"line 5: the vertex -3 is counted backwards .* numbers of vertices from 1\."
    ):
        read_mesh(tmp_path / "a.obj")


def test_underscores_in_names_are_no_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("o part 1_2\nv 0 0 0\nv 1 0 0\nv 0 1 0\ng f 1_0\nf 1 2 3\n")
    assert read_mesh(tmp_path / "a.obj").n_points == 3
    for name, text, points in (("a.ply", PLY, 3), ("a.bdf", BULK, 4), ("a.xml", DOLFIN, 3)):
        (tmp_path / name).write_text(text)
        assert read_mesh(tmp_path / name).n_points == points
