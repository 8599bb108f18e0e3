"""DMIG and OP4 through pyNastran, from files made by hand; and what is said without pyNastran."""

from __future__ import annotations

import importlib.util
import struct
import sys

import numpy as np
import pytest

from flexmbs.core.errors import ModelError, ReadError
from flexmbs.linear.files import read_operators

needed = pytest.mark.skipif(importlib.util.find_spec("pyNastran") is None, reason="pyNastran is not installed")

GRIDS = """GRID    3               2.      0.      0.
GRID    7               0.      0.      0.
SPOINT  50
"""
HEAD = "DMIG    {name}    0       {ifo}       {tin}       0\n"
K_COLUMNS = """DMIG*   KAAX                           3               1
*                      3               1 5.000000000D+00
*                      7               2-2.000000000D+00
DMIG*   KAAX                           7               2
*                      7               2 4.000000000D+00
"""
M_COLUMNS = """DMIG*   MAAX                           3               1
*                      3               1 1.000000000D+00
DMIG*   MAAX                           7               2
*                      7               2 3.000000000D+00
"""


def header(name, ifo=6, tin=2):
    return HEAD.format(name=name, ifo=ifo, tin=tin)


K = header("KAAX") + K_COLUMNS
M = header("MAAX") + M_COLUMNS

OP4 = """       2       2       6       2KAA     1P,3E23.16
       1       1       2
 5.0000000000000000E+00-2.0000000000000000E+00
       2       1       2
-2.0000000000000000E+00 4.0000000000000000E+00
       3       1       1
 1.0000000000000000E+00
       2       2       6       2MAA     1P,3E23.16
       1       1       1
 1.0000000000000000E+00
       2       2       1
 3.0000000000000000E+00
       3       1       1
 1.0000000000000000E+00
"""


@pytest.fixture
def write(tmp_path):
    def writer(text, name="job.pch"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return writer


def check(two):
    assert two.K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]
    assert two.M.toarray().tolist() == [[1.0, 0.0], [0.0, 3.0]]
    assert two.node_labels.tolist() == [3, 7]
    assert two.points.tolist() == [[2, 0, 0], [0, 0, 0]]
    assert two.dofs.node.tolist() == [0, 1]
    assert two.dofs.component.tolist() == [0, 1]


@needed
def test_dmig_of_one_triangle(write):
    check(read_operators(write(K + M + GRIDS)))


@needed
def test_dmig_of_the_other_triangle(write):
    upper = """DMIG*   KAAX                           3               1
*                      3               1 5.000000000D+00
DMIG*   KAAX                           7               2
*                      3               1-2.000000000D+00
*                      7               2 4.000000000D+00
"""
    check(read_operators(write(header("KAAX") + upper + M + GRIDS)))


@needed
def test_dmig_of_both_triangles(write):
    square = K_COLUMNS.replace(
        "DMIG*   KAAX                           7               2\n",
        "DMIG*   KAAX                           7               2\n*                      3               1-2.0\n",
    )
    check(read_operators(write(header("KAAX", ifo=1) + square + M + GRIDS)))
    with pytest.warns(UserWarning, match="KAAX: only one triangle"):
        check(read_operators(write(header("KAAX", ifo=1) + K_COLUMNS + M + GRIDS)))
    with pytest.raises(ReadError, match=r"is there twice \(of the two triangles"):
        read_operators(write(header("KAAX", ifo=6) + square + M + GRIDS))


@needed
def test_short_fields(write):
    # the second entry of a column stands in the same fields of the next line
    short = "DMIG,KAAX,3,1,,3,1,5.0,,\n,7,2,-2.0\nDMIG,KAAX,7,2,,7,2,4.0\n"
    check(read_operators(write(header("KAAX") + short + M + GRIDS)))


@needed
def test_grids_and_names_from_elsewhere(write):
    bulk = write("SOL 103\nCEND\nBEGIN BULK\n" + GRIDS + "SET1    4       7\nENDDATA\n", "model.bdf")
    path = write(K + M + M.replace("MAAX", "MXXX"))
    with pytest.raises(ReadError, match=r"which matrix is M cannot be told.*KAAX, MAAX, MXXX"):
        read_operators(path, nodes=bulk)
    two = read_operators(path, nodes=bulk, names={"K": "KAAX", "M": "MXXX", "D": "KAAX"})
    check(two)
    assert (two.D != two.K).nnz == 0
    assert two.node_set("SET1_4").tolist() == [1]


@needed
def test_scalar_points(write):
    text = (K + M).replace("               7               2", "              50               0")
    text = text.replace("*                      7               2", "*                     50               0")
    two = read_operators(write(text + GRIDS))
    assert two.dofs.node.tolist() == [0, -1]
    assert two.K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]


@needed
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (K + GRIDS, r"which matrix is M cannot be told.*There are: KAAX"),
        (K + M + GRIDS.replace("GRID    7", "GRID    8"), r"uy of node 7 is an unknown"),
        (
            K + M + GRIDS.replace("2.      0.      0.\n", "2.      0.      0.      5\n"),
            r"directions of grid 3 are turned",
        ),
        (
            K + M + GRIDS.replace("7               0.", "7       9       0."),
            r"in a coordinate system that is not there",
        ),
        (header("KAAX", ifo=2).replace("\n", f"{2:26d}\n") + K_COLUMNS + M + GRIDS, r"KAAX is rectangular \(IFO 2\)"),
        (K.replace(" 5.0", "-5.0") + M + GRIDS, r"K is indefinite: its diagonal entry of ux of node 3"),
        (K.replace("5.000000000D+00", "NaN            ") + M + GRIDS, r"K has the entry nan at ux of node 3"),
        (K[:-34] + M + GRIDS, r"cannot be read: it is cut off, damaged"),
        ((K + GRIDS + M)[:-5], r"the last line has no end; the file is cut off"),
        (K + K_COLUMNS + M + GRIDS, r"is there twice"),
        ("hello\nworld\n", r"which matrix is K cannot be told.*There are: none"),
        ("", r"is empty"),
    ],
)
def test_dmig_refused(write, text, message):
    with pytest.raises(ReadError, match=message):
        read_operators(write(text))


@needed
def test_dmig_without_grids(write):
    with pytest.raises(ModelError, match=r"no GRID cards in it; give nodes="):
        read_operators(write(K + M))


@needed
def test_names_of_another_kind(write):
    path = write(K + M + GRIDS)
    with pytest.raises(ModelError, match=r"names must be \{'K': 'KAAX'"):
        read_operators(path, names={"K": "KAAX"})
    with pytest.raises(ReadError, match=r"no matrix named 'KAA'; did you mean 'KAAX'"):
        read_operators(path, names={"K": "KAA", "M": "MAAX"})


@needed
def test_op4(write, tmp_path):
    path = write(OP4, "job.op4")
    (tmp_path / "dofs.csv").write_text("3,1\n7,2\n")
    check(read_operators(path, nodes=write(GRIDS, "grids.bdf"), dofs=tmp_path / "dofs.csv"))


@needed
@pytest.mark.parametrize("part", [1.0, 0.8, 0.55])
def test_binary_op4(tmp_path, part):
    def record(content):
        length = struct.pack("<i", len(content))
        return length + content + length

    data = b""
    for name, A in (("KAA", [[5.0, -2.0], [-2.0, 4.0]]), ("MAA", [[1.0, 0.0], [0.0, 3.0]])):
        data += record(struct.pack("<4i8s", 2, 2, 6, 2, name.encode().ljust(8)))
        for i, column in enumerate(A, start=1):
            data += record(struct.pack("<3i2d", i, 1, 4, *column))  # doubles count as two words
        data += record(struct.pack("<3id", 3, 1, 2, 1.0))
    path = tmp_path / "job.op4"
    path.write_bytes(data[: int(part * len(data))])
    options = {"nodes": [[0, 0, 0]], "dofs": _two()}
    if part < 1.0:
        with pytest.raises(ReadError, match="cut off"):
            read_operators(path, **options)
    else:
        two = read_operators(path, **options)
        assert two.K.toarray().tolist() == [[5.0, -2.0], [-2.0, 4.0]]
        assert two.M.toarray().tolist() == [[1.0, 0.0], [0.0, 3.0]]


@needed
def test_op4_of_six_at_every_grid(write):
    diagonal = [2.0, 3.0, 4.0, 0.0, 0.0, 0.0]
    text = ""
    for name, factor in (("KGG", 1.0), ("MGG", 0.5)):
        text += f"{6:8d}{6:8d}{6:8d}{2:8d}{name:8s}1P,3E23.16\n"
        for i, value in enumerate(diagonal, start=1):
            if value:
                text += f"{i:8d}{i:8d}{1:8d}\n{factor * value:23.16E}\n"
        text += f"{7:8d}{1:8d}{1:8d}\n{1.0:23.16E}\n"
    with pytest.warns(UserWarning, match="left out: 3, the first one rx of node 0"):
        one = read_operators(write(text, "job.op4"), nodes=[[0, 0, 0]], dofs=6)
    assert one.K.diagonal().tolist() == [2.0, 3.0, 4.0]
    assert one.dofs.component.tolist() == [0, 1, 2]


@needed
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OP4[:200], r"cannot be read: it is cut off"),
        (OP4[:-120], r"cannot be read: it is cut off"),
        (OP4[: OP4.index("       2       2       6       2MAA")], r"which matrix is M cannot be told"),
        ("hello\n", r"cannot be read"),
        (OP4.replace("-2.0000000000000000E+00", "-9.0000000000000000E+00"), r"K is indefinite: its entry"),
        (OP4.replace("4.0000000000000000E+00", "x.0000000000000000E+00"), r"cannot be read"),
    ],
)
def test_op4_refused(write, text, message):
    with pytest.raises(ReadError, match=message):
        read_operators(write(text, "job.op4"), nodes=[[0, 0, 0]], dofs=_two())


def test_op4_needs_its_rows_explained(write):
    with pytest.raises(ModelError, match=r"holds matrices only; give nodes=.*dofs="):
        read_operators(write(OP4, "job.op4"))


@pytest.mark.parametrize("name", ["job.op4", "job.pch"])
def test_without_pynastran(write, monkeypatch, name):
    for module in [*sys.modules, "pyNastran"]:
        if module.split(".")[0] == "pyNastran":
            monkeypatch.setitem(sys.modules, module, None)
    options = {"nodes": np.zeros((1, 3)), "dofs": _two()} if name.endswith("op4") else {}
    with pytest.raises(ModelError, match=r"pip install 'flexmbs\[nastran\]'"):
        read_operators(write("text", name), **options)


def _two():
    from flexmbs.linear.operators import DofMap

    return DofMap([0, 0], [0, 1])


@needed
def test_comments_in_latin_1_do_not_matter(tmp_path):
    text = GRIDS + "$ Prüfstück, 20 °C\n" + K + M
    (tmp_path / "k.pch").write_bytes(text.encode("latin-1"))
    (tmp_path / "u.pch").write_text(text, encoding="utf-8")
    for name in ("k.pch", "u.pch"):
        found = read_operators(tmp_path / name)
        assert found.K.toarray().tolist() == [[5, -2], [-2, 4]]
        assert found.M.diagonal().tolist() == [1, 3]
    (tmp_path / "k.pch").write_bytes(f"{text}INCLUDE 'u.pch'\n".encode("latin-1"))
    with pytest.raises(ReadError, match=r"k\.pch includes other files and is not in UTF-8"):
        read_operators(tmp_path / "k.pch")
