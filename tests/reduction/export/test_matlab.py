"""MATLAB files: read by SciPy, used by python-control; the layout of Simscape's block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import io, linalg

import flexmbs as fx
from flexmbs.reduction.export.linear_system import modal_system

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")


def test_state_space_is_bit_equal(strut, tmp_path):
    [written] = fx.reduction.export(strut, tmp_path / "x.mat", "mat", fixed="start", damping=0.01)
    found = io.loadmat(written.path)
    A, B, C, F = modal_system(strut, "start", damping=0.01).first_order()
    for name, value in {"A": A, "B": B, "C": C, "Dft": F}.items():
        assert np.array_equal(found[name], value)
    assert found["inputs"][2, 0][0] == "end.force: force along z"
    assert np.sort(np.abs(linalg.eigvals(found["A"])))[::2][:10] == pytest.approx(
        strut.angular_frequencies("start")[:10], rel=1e-9
    )


def test_state_space_in_python_control(strut, tmp_path):
    """Static gain and resonance of a transfer function, against the matrices of the model."""
    control = pytest.importorskip("control")
    [written] = fx.reduction.export(strut, tmp_path / "x.mat", "mat", fixed="start", damping=0.01)
    s = io.loadmat(written.path)
    system = control.ss(s["A"], s["B"], s["C"], s["Dft"])
    poles = np.sort(np.abs(system.poles()))[::2]
    assert poles[:10] == pytest.approx(strut.angular_frequencies("start")[:10], rel=1e-9)
    gain = np.real(system(0.0))[2, 2]
    assert gain == pytest.approx(np.linalg.inv(strut.K[6:, 6:])[2, 2], rel=1e-9)


def test_a_mechanism_as_state_space(tmp_path):
    cart = fx.PointMass(2.0, position=(0.0, 0.0), name="cart")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), cart, (8.0, 8.0), damping=(0.4, 0.4))
    push = fx.PointForce(cart, (1.0, 0.0))
    linear = fx.linearise(fx.Model(cart, spring, push), [push], [fx.control.PositionSensor(cart, (1, 0))])
    [written] = linear.export(tmp_path / "cart.mat", "mat", name="cart", units={"length": "m"})
    found = io.loadmat(written.path)
    assert np.array_equal(found["A"], linear.A)
    assert "length m" in found["description"][0]
    with pytest.raises(fx.ModelError, match="not linear models"):
        linear.export(tmp_path / "cart.npz")


def test_simscape_layout(lug, tmp_path):
    """Frames first, six each, translations before rotations: rigid motions of all frames together cost no energy."""
    [written] = fx.reduction.export(lug, tmp_path, "simscape")
    assert written.path.name == "lug_simscape.mat"
    s = io.loadmat(written.path)
    assert s["origins"].shape == (2, 3)
    assert np.array_equal(s["quaternions"], [[1, 0, 0, 0], [1, 0, 0, 0]])
    K, M = s["stiffness"], s["mass"]
    assert K.shape == (12 + 8, 12 + 8)
    rigid = np.zeros((20, 6))
    for k, (x, y, z) in enumerate(s["origins"]):
        rigid[6 * k : 6 * k + 6] = np.eye(6)
        rigid[6 * k : 6 * k + 3, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    assert np.abs(K @ rigid).max() < 1e-9 * np.abs(K).max()
    inertia = rigid.T @ M @ rigid
    assert inertia[:3, :3] == pytest.approx(lug.inertia.mass * np.eye(3), rel=1e-9, abs=1e-12)
    assert inertia[3:, 3:] == pytest.approx(lug.inertia.tensor, rel=1e-7, abs=1e-12)
    w = np.sqrt(linalg.eigh(K, M, eigvals_only=True)[6:16])
    assert w == pytest.approx(lug.angular_frequencies()[6:16], rel=1e-9)


def test_what_simscape_cannot_hold(lug, tmp_path):
    part = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel)
    nodes = fx.reduction.reduce(part, ["ROOT", fx.reduction.Interface("TIP", kind="nodes")], 2, progress=False)
    for model, message in (
        (nodes, "six coordinates"),
        (replace(lug, frames=(), n_interface=0), "six coordinates"),
        (replace(lug, K=lug.K + 1e3 * np.eye(lug.size)), "rigid motions strain"),
    ):
        with pytest.raises(fx.ModelError, match=message):
            fx.reduction.export(model, tmp_path, "simscape")
    assert not list(tmp_path.iterdir())
