"""Matrices of Craig-Bampton come back from every format that holds them, and serve as bodies."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ReadError
from flexmbs.reduction.imports import reduced as read_reduced

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")
MATRICES = pytest.mark.parametrize(
    ("to", "bound"), [("mtx", 0.0), ("op4", 0.0), ("op4bin", 0.0), ("dmig", 1e-11), ("abaqus", 1e-13)]
)


def written(model, tmp_path, to, **options):
    if to in ("dmig", "op4", "op4bin"):
        pytest.importorskip("pyNastran")
    return fx.reduction.export(model, tmp_path, to, **options)[0].path


@MATRICES
def test_matrices_and_inertia(lug, tmp_path, to, bound):
    path = written(lug, tmp_path, to)
    again = fx.reduction.read_reduced(path)
    for role in "KMD":
        expected = getattr(lug, role)
        assert np.abs(getattr(again, role) - expected).max() <= bound * np.abs(expected).max(), role
    assert [len(f.coordinates) for f in again.frames] == [6, 6]
    names = ["ROOT", "BORE"] if to in ("mtx", "op4", "op4bin") else ["node 1", "node 2"]
    assert [f.name for f in again.frames] == names
    for mine, other in zip(again.frames, lug.frames, strict=True):
        assert mine.origin == pytest.approx(other.origin, rel=1e-11)
    if to in ("mtx", "op4"):
        assert again.units == lug.units
        assert again.name == "lug"
    # what K and M tell of the inertia, against the integrals over the mesh
    assert not again.inertia.exact
    assert again.inertia.mass == pytest.approx(lug.inertia.mass, rel=1e-9)
    assert again.inertia.first == pytest.approx(lug.inertia.first, rel=1e-7)
    assert again.inertia.tensor == pytest.approx(lug.inertia.tensor, rel=1e-7, abs=1e-7 * lug.inertia.tensor.max())
    P, H = lug.inertia.P, lug.inertia.rotation
    assert np.abs(again.inertia.P - P).max() < 1e-8 * np.abs(P).max()
    assert np.abs(again.inertia.rotation - H).max() < 1e-7 * np.abs(H).max()


@MATRICES
def test_bodies_sag_under_gravity_as_the_part_does(lug, tmp_path, to, bound):
    """Clamped at one interface: the static deflection by the weights that the inertia gives."""
    again = fx.reduction.read_reduced(written(lug, tmp_path, to))
    free = np.setdiff1d(np.arange(lug.size), lug.frame("ROOT").coordinates)
    block = np.ix_(free, free)

    def by_hand(model):
        return np.linalg.solve(model.K[block], -9.81 * model.inertia.P[2][free])

    expected = by_hand(lug)
    assert by_hand(again) == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())
    body = fx.LinearBody(again)
    assert body.mass == pytest.approx(lug.inertia.mass, rel=1e-9)
    with pytest.raises(fx.ModelError, match="exact inertia"):
        fx.FloatingBody(again)


def test_complete_files_give_complete_bodies(lug, tmp_path):
    paths = {
        "hdf5": {}, "sid": {"reference": "ROOT"}, "mbdyn": {"reference": "ROOT"}
    }  # fmt: skip
    for to, options in paths.items():
        again = fx.reduction.read_reduced(written(lug, tmp_path, to, **options))
        assert again.inertia.exact
        assert fx.FloatingBody(again, reference="ROOT" if to == "hdf5" else "frame").modes == 14


@pytest.mark.parametrize("name", ["lug", "strut"])
def test_neutral_arrays_give_the_same_model(name, tmp_path, request):
    model = request.getfixturevalue(name)
    again = fx.reduction.read_reduced(written(model, tmp_path, "npz", nodes="all"))
    for role in ("K", "M", "frequencies"):
        assert np.array_equal(getattr(again, role), getattr(model, role), equal_nan=True)
    for key, value in model.inertia.arrays().items():
        assert np.array_equal(getattr(again.inertia, key), value)
    assert again.labels == model.labels
    assert again.units == model.units
    for mine, other in zip(again.frames, model.frames, strict=True):
        assert (mine.name, mine.kind) == (other.name, other.kind)
        assert np.array_equal(mine.coordinates, other.coordinates)
        assert np.array_equal(mine.component, other.component)
        assert np.array_equal(again.points[mine.node[0]], other.origin)
    body = fx.FloatingBody(again, reference=model.frames[0].name)
    assert body.frequencies == pytest.approx(model.angular_frequencies(model.frames[0].name), rel=1e-9)
    q = np.random.default_rng(0).standard_normal(model.size)
    last = model.points[np.unique(model.dofs.node[model.dofs.node >= 0])[-1]]
    [mine] = np.flatnonzero((again.points == last).all(axis=1))[-1:]
    [other] = np.flatnonzero((model.points == last).all(axis=1))[:1]
    assert again.reconstruct(q)[mine] == pytest.approx(model.reconstruct(q)[other], rel=1e-12)


def test_names_of_interfaces(lug, tmp_path):
    path = written(lug, tmp_path, "abaqus")
    again = fx.reduction.read_reduced(path, {"A": 1, "B": [2]}, name="other", units={"length": "mm"})
    assert ([f.name for f in again.frames], again.name, dict(again.units)) == (["A", "B"], "other", {"length": "mm"})
    for wrong, message in (
        ({"A": 1}, "belong to no interface"), ({"A": 1, "B": 7}, "no node 7"), ({}, "must map"), ([1], "must map"),
        ({"A": 1.5, "B": [2]}, "interface 'A': each of nodes must be a whole number, not 1.5"),
        ({"A": 1, "B": []}, "interface 'B': name one node or more"),
    ):  # fmt: skip
        with pytest.raises(fx.ModelError, match=message):
            fx.reduction.read_reduced(path, wrong)
    with pytest.raises(fx.ModelError, match="says everything"):
        fx.reduction.read_reduced(tmp_path / "x.h5", {"A": 1})


def test_abaqus_texts_of_single_matrices(lug, tmp_path):
    """As Abaqus writes them: an entry on a line, both triangles or one, a file for each matrix."""
    small = lug.K[:12, :12], lug.M[:12, :12]
    for A, name in zip(small, ("STIF", "MASS"), strict=True):
        rows = [
            f"{i // 6 + 1},{i % 6 + 1}, {j // 6 + 1},{j % 6 + 1},  {float(A[i, j])!r}"
            for i in range(12) for j in range(12 if name == "MASS" else i + 1)
        ]  # fmt: skip
        (tmp_path / f"job_{name}1.mtx").write_text("\n".join(["** comment", *rows]) + "\n")
    (tmp_path / "nodes.csv").write_text("".join(f"{k + 1},{x},{y},{z}\n" for k, (x, y, z) in enumerate(lug.points[:2])))
    found = fx.linear.read_operators(tmp_path / "job_STIF1.mtx", nodes=tmp_path / "nodes.csv")
    assert np.array_equal(found.K.toarray(), small[0])
    assert np.array_equal(found.M.toarray(), small[1])


BAD = {
    "an index of zero": ("1,1, 1,1,", "0,1, 1,1,", "expected node"),
    "a negative index": ("1,1, 1,1,", "-1,1, 1,1,", "expected node"),
    "a degree of freedom of none": ("1,1, 1,1,", "1,8, 1,1,", "degree of freedom 8"),
    "a word for a number": ("1,1, 1,1, ", "1,1, 1,1, x", "expected a number"),
    "a matrix that is not there": ("STIFFNESS=LUG_K", "STIFFNESS=LUG_X", "LUG_X"),
    "no roles": ("*MATRIX ASSEMBLE", "** MATRIX ASSEMBLE", "MATRIX ASSEMBLE"),
    "an entry twice": ("1,1, 1,1,", "1,2, 1,1, 1.0\n1,1, 1,1,", "twice"),
    "an unknown kind": ("TYPE=SYMMETRIC", "TYPE=COMPLEX", "not supported"),
}


@pytest.mark.parametrize("what", BAD)
def test_damaged_abaqus_files(lug, tmp_path, what):
    path = written(lug, tmp_path, "abaqus")
    old, new, message = BAD[what]
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ReadError, match=message):
        fx.linear.read_operators(path)


def test_full_models_are_refused(lug, tmp_path, monkeypatch):
    monkeypatch.setattr(read_reduced, "MOST", 19)
    with pytest.raises(fx.ModelError, match="no reduced model"):
        fx.reduction.read_reduced(written(lug, tmp_path, "mtx"))
