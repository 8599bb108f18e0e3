"""Neutral files, read by NumPy and SciPy alone; and files in general: places, names, refusals."""

from __future__ import annotations

import csv
import importlib
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import io, linalg

import flexmbs as fx
from flexmbs.linear.files import read_operators
from flexmbs.reduction.export.exposed import expose
from flexmbs.reduction.methods.modal_truncation import modal_truncation


def first_ten(K, M):
    return np.sqrt(np.maximum(linalg.eigh(K, M, eigvals_only=True), 0.0))[6:16]


def ten(model):
    return model.angular_frequencies()[6:16]


def table(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_npz_is_read_by_numpy(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "lug.npz", nodes="TIP")
    assert written.losses == ()
    with np.load(written.path, allow_pickle=False) as file:
        found = dict(file)
    for name in ("K", "M", "D"):
        assert np.array_equal(found[name], getattr(lug, name))
    assert np.array_equal(found["R"], lug.inertia.R)
    assert first_ten(found["K"], found["M"]) == pytest.approx(ten(lug), rel=1e-12)
    text = json.loads(str(found["description"]))
    assert text["units"] == {"length": "m", "mass": "kg", "time": "s"}
    assert text["places"][:2] == ["ROOT", "BORE"]
    q = np.random.default_rng(0).standard_normal(lug.size)
    moved, nodes = lug.reconstruct(q), [int(name.split()[1]) for name in text["places"][2:]]
    assert len(nodes) == len(lug.node_sets["TIP"])
    assert found["basis"][2:] @ q == pytest.approx(moved[nodes], rel=1e-12, abs=1e-14)
    assert np.array_equal((found["basis"][:2] @ q).ravel(), q[:12])


def test_matrix_market_is_read_by_scipy(lug, tmp_path):
    with pytest.warns(fx.LossWarning, match="inertia invariants"):
        [written] = fx.reduction.export(lug, tmp_path / "lug", "mtx")
    folder = written.path
    assert folder.name == "lug_mtx"
    for name in ("K", "M", "D"):
        assert np.array_equal(io.mmread(folder / f"{name}.mtx"), getattr(lug, name))
    basis, rows = io.mmread(folder / "basis.mtx"), table(folder / "basis_rows.csv")
    assert len(rows) == len(basis) == 12
    assert [r["component"] for r in rows[:6]] == ["ux", "uy", "uz", "rx", "ry", "rz"]
    assert np.array_equal(basis[:, :12], np.eye(12))
    found = np.array([[float(r[k]) for k in "xyz"] for r in table(folder / "nodes.csv")])
    assert np.array_equal(found, [f.origin for f in lug.frames])
    text = json.loads((folder / "model.json").read_text())
    assert text["losses"] == list(written.losses)
    assert [c["place"] for c in text["coordinates"]] == [1] * 6 + [2] * 6 + [None] * 8
    again = read_operators(folder)
    assert np.array_equal(again.K.toarray(), lug.K)
    assert again.dofs.node.tolist() == [0] * 6 + [1] * 6 + [-1] * 8


def test_hdf5_is_the_complete_file(lug, tmp_path):
    [written] = lug.export(tmp_path / "lug.h5")
    assert np.array_equal(fx.reduction.load_reduced(written.path).shapes, lug.shapes)


def test_places_of_nodes_with_rotations(strut):
    places = expose(strut, "all")
    assert places.names[:2] == ("start", "end")
    assert len(places) == 13
    assert places.held.all()
    q = np.random.default_rng(1).standard_normal(strut.size)
    nodes = [int(name.split()[1]) for name in places.names[2:]]
    assert places.shapes[2:] @ q == pytest.approx(strut.reconstruct(q)[nodes], rel=1e-12)
    assert places.points[1] == pytest.approx([1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [("NOWHERE", "node set"), ([10**6], "no node 1000000"), ([1.5], "no node 1.5"), (7, "names of node sets")],
)
def test_unknown_nodes_are_refused(lug, tmp_path, nodes, message):
    with pytest.raises(fx.ModelError, match=message):
        fx.reduction.export(lug, tmp_path / "x.npz", nodes=nodes)
    assert not list(tmp_path.iterdir())


def test_interfaces_that_are_no_coordinates_are_refused(tmp_path):
    part = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel)

    def method(a):
        return modal_truncation(a.operators.K, a.operators.M, 4, rigid=a.operators.rigid_motions())

    with pytest.raises(fx.ModelError, match="not among its coordinates"):
        fx.reduction.export(fx.reduction.reduce(part, ["ROOT"], method=method), tmp_path / "x.npz")


def test_files_are_replaced_only_if_told_so(lug, tmp_path):
    path = tmp_path / "lug.npz"
    path.write_text("precious")
    with pytest.raises(fx.FlexmbsError, match="is there already"):
        fx.reduction.export(lug, path)
    assert path.read_text() == "precious"
    fx.reduction.export(lug, path, overwrite=True)
    assert np.load(path)["K"].shape == (lug.size, lug.size)


def test_folders_of_others_are_never_replaced(strut, tmp_path):
    with pytest.warns(fx.LossWarning):
        strut.export(tmp_path, "mtx")
    with pytest.raises(fx.FlexmbsError, match="a folder that is there already"):
        strut.export(tmp_path, "mtx")
    with pytest.warns(fx.LossWarning):
        strut.export(tmp_path, "mtx", overwrite=True)
    (tmp_path / "strut_mtx" / "model.json").unlink()
    with pytest.raises(fx.FlexmbsError, match="left as it is"):
        strut.export(tmp_path, "mtx", overwrite=True)


@pytest.mark.parametrize(("to", "writer"), [("npz", "numpy.savez"), ("mtx", "flexmbs.reduction.export.tables._write")])
def test_a_crash_leaves_nothing(lug, tmp_path, monkeypatch, to, writer):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    room, _, name = writer.rpartition(".")  # by its module: `flexmbs.reduction.export` is the function, too
    monkeypatch.setattr(importlib.import_module(room), name, full)
    with pytest.raises(fx.FlexmbsError, match="No space left"):
        fx.reduction.export(lug, tmp_path, to)
    assert not list(tmp_path.iterdir())


def test_mistakes_in_the_call(lug, tmp_path):
    with pytest.raises(fx.ModelError, match="tells no format"):
        fx.reduction.export(lug, tmp_path / "lug.docx")
    with pytest.raises(fx.ModelError, match="did you mean 'npz'"):
        fx.reduction.export(lug, tmp_path, "npy")
    with pytest.raises(fx.ModelError, match="no option named 'node'"):
        fx.reduction.export(lug, tmp_path, "npz", node="TIP")
    with pytest.raises(fx.ModelError, match="expected a ReducedModel"):
        fx.reduction.export("lug.h5", tmp_path, "npz")
    with pytest.raises(fx.ModelError, match="name a format"):
        fx.reduction.export(lug, tmp_path, [])


def test_names_are_made_fit_for_files(lug, tmp_path):
    named = replace(lug, name="../a:b ä")
    [written] = fx.reduction.export(named, tmp_path, ["npz"])
    assert written.path == tmp_path / "_a_b__.npz"
