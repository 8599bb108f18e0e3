"""Modelica text: a strict reader of what the block says, and the compiler rumoca where it is installed."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.reduction.export.linear_system import balanced, modal_system
from tests.reduction.export.zero_order_hold import damping_of, free_of, held_response

RATIO = 0.02


def parameters(text):
    """Vectors and matrices in line."""
    found = {}
    declared = re.compile(r"parameter Real (\w+)\[([\d, ]+)\] = (\{.*?\})(?: \"[^\"]*\")?;", re.DOTALL)
    for name, sizes, body in declared.findall(text):
        shape = [int(n) for n in sizes.split(",")]
        values = [float(word) for word in re.findall(r"[^{},\s]+", body)]
        found[name] = np.array(values).reshape(shape)
    return found


def test_the_text_holds_the_system(strut, tmp_path):
    [written] = fx.reduction.export(strut, tmp_path / "x.mo", fixed="start", damping=RATIO)
    text = written.path.read_text()
    system = modal_system(strut, "start", damping=RATIO)
    found, n = parameters(text), len(system.stiffness)
    expected = {
        "W": system.stiffness, "D": system.damping, "B": system.B, "Cq": system.C[:, :n], "Cv": system.C[:, n:],
        "F": system.F, "offset": system.offset,
    }  # fmt: skip
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[k], expected[k]) for k in expected)
    assert "// u[3]: end.force: force along z" in text
    assert text.startswith("block strut ")
    assert np.sqrt(found["W"][:10]) == pytest.approx(strut.angular_frequencies("start")[:10], rel=1e-12)


def test_coupled_damping_is_first_order(strut, tmp_path):
    L = np.random.default_rng(1).standard_normal(strut.K.shape) * 0.3
    model = replace(strut, D=L @ L.T, name='a "b"\n')
    [written] = fx.reduction.export(model, tmp_path / "x.mo", fixed="start")
    text = written.path.read_text()
    assert np.array_equal(parameters(text)["A"], balanced(modal_system(model, "start")).A)
    assert text.splitlines()[0] == "block a__b__ \"a 'b'\""


def test_response_in_rumoca(strut, tmp_path):
    """A constant force on the block, as a compiler of Modelica integrates it, against the exact solution."""
    rumoca = pytest.importorskip("rumoca")
    [written] = fx.reduction.export(strut, tmp_path / "x.mo", fixed="start", damping=RATIO, modes=6, interfaces="end")
    force = "{0, 0, 10, 0, 0, 0}"
    text = written.path.read_text() + f"model Push\n  strut part(u = {force});\n  Real z = part.y[3];\nend Push;\n"
    model = rumoca.Session().loads(text, model="Push")
    until = 0.05
    result = model.simulate((0.0, until), dt=until / 50, config=rumoca.SimConfig(solver="bdf", rtol=1e-9, atol=1e-12))
    found = np.asarray(result["z"])
    system = modal_system(strut, "start", damping=RATIO, modes=6)
    n = len(system.stiffness)
    load = system.B[:, 2:3] * 10.0
    q, _ = held_response(
        np.diag(system.stiffness), np.diag(system.damping), np.eye(n), load, np.ones((50, 1)), until / 50
    )
    expected = q @ system.C[2, :n]
    assert len(found) == len(expected)
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()
    free = free_of(strut, ["start"])  # and the six modes are nearly all of it
    block = np.ix_(free, free)
    B = np.eye(strut.size)[free][:, strut.frame("end").coordinates[2:3]] * 10.0
    D = damping_of(strut, RATIO, free)
    whole, _ = held_response(strut.K[block], D, strut.M[block], B, np.ones((50, 1)), until / 50)
    assert np.abs(whole[:, 2] - expected).max() < 1e-2 * np.abs(expected).max()
