"""Nastran's DMIG and OP4: by strict readers written from their descriptions, by pyNastran and by pyYeti."""

from __future__ import annotations

import csv
import re
import struct
from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.linear.files import read_operators
from flexmbs.reduction.export.dmig import field

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")
ROLES = {"K": "KAAX", "M": "MAAX", "D": "BAAX"}


def ten(K, M):
    return np.sqrt(np.maximum(linalg.eigh(K, M, eigvals_only=True), 0.0))[6:16]


def close(A, B):
    """To eleven digits, and to round-off where entries nearly vanish."""
    assert np.abs(A - B).max() <= 5e-11 * np.abs(B).max()
    assert pytest.approx(B, rel=5e-10, abs=1e-15 * np.abs(B).max()) == A


def number(text):
    return float(text.replace("D", "E"))


def read_dmig(path):
    """Grids, scalar points and matrices by (point, component), by the columns of large fields."""
    grids, points, matrices = {}, [], {}
    lines = [line for line in path.read_text("ascii").splitlines() if not line.startswith("$")]
    k = 0
    while k < len(lines):
        line = lines[k]
        assert len(line) <= 80
        if line.startswith("GRID*"):
            more = lines[k + 1]
            assert line[72] == more[0] == "*"
            grids[int(line[8:24])] = [number(t) for t in (line[40:56], line[56:72], more[8:24])]
            k += 1
        elif line.startswith("SPOINT"):
            points.append(int(line[8:]))
        elif line.startswith("DMIG  "):
            assert [int(line[i : i + 8]) for i in (16, 24, 32)] == [0, 6, 2]
            matrices[line[8:16].strip()] = {}
        else:
            assert line.startswith("DMIG*")
            name, column = line[8:24].strip(), (int(line[24:40]), int(line[40:56]))
            while k + 1 < len(lines) and lines[k + 1].startswith("* "):
                k += 1
                row = (int(lines[k][8:24]), int(lines[k][24:40]))
                assert (row, column) not in matrices[name]
                assert (column, row) not in matrices[name] or row == column
                matrices[name][row, column] = number(lines[k][40:56])
        k += 1
    return grids, points, matrices


def square(entries, keys):
    where = {key: k for k, key in enumerate(keys)}
    out = np.zeros((len(keys),) * 2)
    for (row, column), value in entries.items():
        out[where[row], where[column]] = out[where[column], where[row]] = value
    return out


def test_dmig_by_its_columns(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "lug.pch")
    grids, points, matrices = read_dmig(written.path)
    assert list(grids) == [1, 2]
    assert np.array(list(grids.values())) == pytest.approx(np.array([f.origin for f in lug.frames]), rel=1e-11)
    assert points == list(range(3, 11))
    keys = [(g, c) for g in (1, 2) for c in range(1, 7)] + [(p, 0) for p in points]
    found = {role: square(matrices[name], keys) for role, name in ROLES.items()}
    for role, matrix in found.items():
        close(matrix, getattr(lug, role))
    K, M = (found[role][6:, 6:] for role in "KM")
    w = np.sqrt(linalg.eigh(K, M, eigvals_only=True))[:10]
    assert w == pytest.approx(lug.angular_frequencies("ROOT")[:10], rel=1e-9)
    assert ten(found["K"], found["M"]) == pytest.approx(ten(lug.K, lug.M), rel=1e-6)
    text = written.path.read_text()
    assert "$ lost: digits" in text
    assert "GRID 2: BORE" in text
    assert "all digits" in written.notes[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "              0."), (1.0, " 1.00000000000D0"), (-1.5, "-1.50000000000D0"), (-1.5e-3, "-1.5000000000D-3"),
        (1e300, "1.0000000000D300"), (-1.25e-300, "-1.25000000D-300"),
    ],
)  # fmt: skip
def test_fields(value, text):
    assert len(field(value)) == 16
    assert number(field(value)) == value
    assert number(text) == value


def test_fields_keep_eleven_digits():
    for value in np.random.default_rng(0).standard_normal(500) * 10.0 ** np.arange(-25, 25).repeat(10):
        assert len(field(value)) == 16
        assert number(field(value)) == pytest.approx(value, rel=5e-11)


def test_dmig_in_pynastran(lug, strut, tmp_path):
    pytest.importorskip("pyNastran")
    from pyNastran.bdf.bdf import BDF

    for model in (lug, strut):
        [written] = fx.reduction.export(model, tmp_path / f"{model.name}.pch")
        bulk = BDF(debug=None)
        bulk.read_bdf(str(written.path), punch=True, xref=False, validate=False)
        found = {}
        for role, name in ROLES.items():
            if getattr(model, role) is None:
                assert name not in bulk.dmig
                continue
            A, rows, _ = bulk.dmig[name].get_matrix(is_sparse=False, apply_symmetry=True)
            order = sorted(rows, key=lambda k: (rows[k][1] == 0, rows[k]))
            found[role] = A[np.ix_(order, order)]
            close(found[role], getattr(model, role))
        assert ten(found["K"], found["M"]) == pytest.approx(ten(model.K, model.M), rel=1e-6)
        again = read_operators(written.path)
        close(again.K.toarray(), model.K)


def test_dmig_in_pyyeti(lug, tmp_path):
    pytest.importorskip("pyyeti")
    from pyyeti.nastran import bulk

    [written] = fx.reduction.export(lug, tmp_path / "lug.pch")
    found = bulk.rddmig(str(written.path), square=True)
    for role, name in ROLES.items():
        A = found[name.lower()].to_numpy() if name.lower() in found else found[name].to_numpy()
        close(A, getattr(lug, role))


def test_dmig_needs_an_interface(lug, tmp_path):
    bare = replace(lug, frames=(), n_interface=0)
    with pytest.raises(fx.ModelError, match="no interface"):
        fx.reduction.export(bare, tmp_path / "x.pch")


def read_text_op4(path):
    """Matrices by name, from the columns of the text."""
    lines, k, found = path.read_text("ascii").splitlines(), 0, {}
    while k < len(lines):
        columns, rows, form, kind = (int(lines[k][i : i + 8]) for i in (0, 8, 16, 24))
        name = lines[k][32:40].strip()
        assert (kind, lines[k][40:]) == (2, "1P,3E23.16")
        A = np.zeros((rows, columns))
        k += 1
        while True:
            column, row, count = (int(lines[k][i : i + 8]) for i in (0, 8, 16))
            words = [w for line in lines[k + 1 : k + 1 + -(-count // 3)] for w in re.findall(r".{23}", line)]
            assert len(words) == count
            k += 1 + -(-count // 3)
            if column > columns:
                break
            A[row - 1 : row - 1 + count, column - 1] = [float(w) for w in words]
        found[name] = (form, A)
    return found


def read_binary_op4(path):
    """Matrices by name, from Fortran records."""
    data, at, found = path.read_bytes(), 0, {}

    def record():
        nonlocal at
        (n,) = struct.unpack_from("<i", data, at)
        out = data[at + 4 : at + 4 + n]
        assert struct.unpack_from("<i", data, at + 4 + n) == (n,)
        at += n + 8
        return out

    while at < len(data):
        head = record()
        columns, rows, form, kind = struct.unpack("<4i", head[:16])
        assert kind == 2
        A = np.zeros((rows, columns))
        while True:
            body = record()
            column, row, words = struct.unpack("<3i", body[:12])
            if column > columns:
                break
            assert len(body) == 12 + 4 * words
            A[row - 1 : row - 1 + words // 2, column - 1] = np.frombuffer(body[12:], "<f8")
        found[head[16:].decode().strip()] = (form, A)
    return found


@pytest.mark.parametrize(("to", "read"), [("op4", read_text_op4), ("op4bin", read_binary_op4)])
def test_op4_by_its_records(lug, tmp_path, to, read):
    [written] = fx.reduction.export(lug, tmp_path, to, nodes="TIP")
    found = read(written.path / "matrices.op4")
    for role, name in ROLES.items():
        assert found[name][0] == 6
        assert np.array_equal(found[name][1], getattr(lug, role))
    assert ten(found["KAAX"][1], found["MAAX"][1]) == pytest.approx(ten(lug.K, lug.M), rel=1e-12)
    with (written.path / "basis_rows.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert found["PHIX"][1].shape == (len(rows), lug.size)
    node = int(lug.node_sets["TIP"][0])
    assert np.array_equal(found["PHIX"][1][12:15], np.asarray(lug.shapes)[lug.dofs.of(node)])


@pytest.mark.parametrize("to", ["op4", "op4bin"])
def test_op4_in_pynastran(lug, tmp_path, to):
    pytest.importorskip("pyNastran")
    from pyNastran.op4.op4 import OP4

    [written] = fx.reduction.export(lug, tmp_path, to)
    found = OP4(debug=None).read_op4(str(written.path / "matrices.op4"))
    for role, name in ROLES.items():
        A = found[name][1] if isinstance(found[name], tuple) else found[name].data
        assert np.array_equal(np.asarray(A), getattr(lug, role))
    again = read_operators(
        written.path / "matrices.op4", nodes=written.path / "nodes.csv", dofs=written.path / "dofs.csv"
    )
    assert np.array_equal(again.M.toarray(), lug.M)


@pytest.mark.parametrize("to", ["op4", "op4bin"])
def test_op4_in_pyyeti(lug, tmp_path, to):
    pytest.importorskip("pyyeti")
    from pyyeti.nastran import op4

    [written] = fx.reduction.export(lug, tmp_path, to, nodes="TIP")
    found = op4.read(str(written.path / "matrices.op4"))
    for role, name in ROLES.items():
        assert np.array_equal(found[name.lower()], getattr(lug, role))
    assert found["phix"].shape[1] == lug.size
