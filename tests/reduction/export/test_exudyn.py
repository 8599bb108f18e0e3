"""Exudyn: what is written is read by NumPy, and loaded and computed with by Exudyn where it is installed."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fx
from tests.reduction.export.zero_order_hold import held_response

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")


@pytest.fixture
def written(lug, tmp_path):
    def make(model=lug, **options):
        return fx.reduction.export(model, tmp_path, "exudyn", overwrite=True, **options)[0].path

    return make


@pytest.fixture
def load(monkeypatch):
    """The loader of a folder, as a module, and an empty system."""
    exudyn = pytest.importorskip("exudyn")

    containers = []

    def make(folder):
        spec = importlib.util.spec_from_file_location("exudyn_load", folder / "exudyn_load.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        containers.append(exudyn.SystemContainer())  # which must outlive its system
        return exudyn, module, containers[-1].AddSystem()

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return make


def test_data_are_read_by_numpy(lug, written):
    with np.load(written() / "linear.npz", allow_pickle=False) as d:
        assert np.array_equal(d["K"], lug.K)
        assert np.array_equal(d["D"], lug.D)
    with np.load(written(reference="ROOT", nodes=[0, 1, 2]) / "floating.npz", allow_pickle=False) as d:
        assert np.sqrt(np.diag(d["K"]))[:10] == pytest.approx(lug.angular_frequencies("ROOT")[:10], rel=1e-12)
        assert set(np.concatenate([lug.frame("ROOT").nodes, [0, 1, 2]])) <= set(d["nodes"])
        a, b = d["interface_ptr"][1:]
        assert np.array_equal(np.sort(d["nodes"][d["interface_nodes"][a:b]]), np.sort(lug.frame("BORE").nodes))
    text = (written() / "exudyn_load.py").read_text()
    assert "length m, mass kg, time s" in text
    assert "rotations of nodes" in text


@pytest.mark.parametrize("reference", ["mean", "ROOT"])
def test_integrals_by_the_mass_matrix_of_the_mesh(lug, written, reference):
    """With explicit skew matrices of all nodes, as they are defined."""
    with np.load(written(reference=reference, nodes="all", modes=4) / "floating.npz") as d:
        d = dict(d)
    M = lug.source.attached.free.M
    assert len(d["xRef"]) == M.shape[0]

    def skew(v):
        x, y, z = v.reshape(-1, 3).T
        o = np.zeros_like(x)
        return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3)

    Psi = d["modeBasis"]
    tilde = np.hstack([skew(Psi[:, k]) for k in range(4)])
    r = skew(d["xRef"])
    Phit = np.tile(np.eye(3), (len(Psi) // 3, 1))
    expected = {
        "mPsiTildePsi": tilde.T @ (M @ Psi), "mPsiTildePsiTilde": tilde.T @ (M @ tilde),
        "mPhitTPsi": Phit.T @ (M @ Psi), "mPhitTPsiTilde": Phit.T @ (M @ tilde),
        "mXRefTildePsi": r.T @ (M @ Psi), "mXRefTildePsiTilde": r.T @ (M @ tilde),
        "inertia": r.T @ (M @ r), "M": Psi.T @ (M @ Psi),
    }  # fmt: skip
    for name, value in expected.items():
        size = max(np.abs(value).max(), 1e-3 * np.sqrt(float(d["mass"])))  # the momentum of mean axes is zero
        assert np.abs(d[name] - value).max() < 1e-9 * size, name


def test_frequencies_in_exudyn(lug, written, load):
    _, module, mbs = load(written())
    part = module.linear(mbs)
    mbs.Assemble()
    values, _ = mbs.ComputeODE2Eigenvalues()
    assert np.sqrt(values[6:16]) == pytest.approx(lug.angular_frequencies()[6:16], rel=1e-8)
    assert part["labels"] == list(lug.labels)


@pytest.mark.parametrize("reference", ["mean", "ROOT"])
def test_floating_frame_in_exudyn(lug, written, load, reference):
    """Frequencies with the frame held: those of the modes; of the free body: those of the free reduced model."""
    _, module, mbs = load(written(reference=reference))
    part = module.floating(mbs)
    mbs.Assemble()
    values, _ = mbs.ComputeODE2Eigenvalues(constrainedCoordinates=list(range(7)), ignoreAlgebraicEquations=True)
    fixed = () if reference == "mean" else reference
    w = lug.angular_frequencies(fixed)
    w = w[6:] if reference == "mean" else w
    assert np.sqrt(np.sort(values)[:10]) == pytest.approx(w[:10], rel=1e-9)
    assert part["interfaces"].keys() == {"ROOT", "BORE"}


def test_transient_in_exudyn(strut, written, load):
    """A step force at the end of the strut, clamped at its start by constraints, against the exact solution."""
    exudyn, module, mbs = load(written(strut))
    n = strut.size

    def forces(mbs, t, number, q, q_t):
        out = np.zeros(n)
        out[8] = 10.0  # end uz
        return out

    part = module.linear(mbs, forces)
    items = exudyn.itemInterface
    ground = mbs.AddNode(items.NodePointGround())
    zero = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for k in range(6):
        marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=part["node"], coordinate=k))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[zero, marker]))
    mbs.Assemble()
    until, steps = 0.02, 4000
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime, settings.timeIntegration.numberOfSteps = until, steps
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    mbs.SolveDynamic(settings)
    found = mbs.GetNodeOutput(part["node"], exudyn.OutputVariableType.Coordinates)[8]
    i = np.arange(6, n)
    block = np.ix_(i, i)
    B = np.zeros((n - 6, 1))
    B[2] = 10.0
    D = np.zeros((n - 6, n - 6))
    q, _ = held_response(strut.K[block], D, strut.M[block], B, np.ones((1, 1)), until)
    assert found == pytest.approx(q[-1, 2], rel=1e-4)


def test_models_without_inertia_are_linear_only(strut, written):
    with pytest.warns(fx.LossWarning, match="motion in a floating frame"):
        folder = written(replace(strut, inertia=None))
    assert not (folder / "floating.npz").exists()


def test_mistakes(lug, tmp_path):
    with pytest.raises(fx.ModelError, match="no interface named 'HUB'"):
        fx.reduction.export(lug, tmp_path, "exudyn", reference="HUB")
    assert not list(tmp_path.iterdir())
