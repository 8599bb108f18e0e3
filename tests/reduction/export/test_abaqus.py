"""Abaqus's matrix input by a strict reader of its data lines, its nodes and sets by meshio."""

from __future__ import annotations

from dataclasses import replace

import meshio
import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.reduction.export.abaqus import real

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")


def read(path):
    """Options and data lines of each keyword, in their order."""
    found = []
    for line in path.read_text("ascii").splitlines():
        if line.startswith("**"):
            continue
        if line.startswith("*"):
            keyword, *options = [word.strip() for word in line[1:].split(",")]
            found.append((keyword, dict(o.split("=") for o in options), []))
        else:
            words = [word.strip() for word in line.split(",")]
            assert all(len(word) <= 20 for word in words)
            found[-1][2].append(words)
    return found


def matrices(found, keys):
    where = {key: k for k, key in enumerate(keys)}
    out = {}
    for keyword, options, lines in found:
        if keyword == "MATRIX INPUT":
            assert options["TYPE"] == "SYMMETRIC"
            A = np.zeros((len(keys),) * 2)
            for row, a, column, b, value in lines:
                i, j = where[int(row), int(a)], where[int(column), int(b)]
                assert i >= j
                A[i, j] = A[j, i] = float(value)
            out[options["NAME"]] = A
    return out


def test_matrices_and_frequencies(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "lug.inp")
    found = read(written.path)
    assert [k for k, _, _ in found] == ["NODE", "NSET", "NSET", "NSET", *["MATRIX INPUT"] * 3, "MATRIX ASSEMBLE"]
    keys = [(p, c) for p in (1, 2) for c in range(1, 7)] + [(n, 1) for n in range(3, 11)]
    by_name = matrices(found, keys)
    assert found[-1][1] == {"STIFFNESS": "LUG_K", "MASS": "LUG_M", "VISCOUS DAMPING": "LUG_D"}
    for role in "KMD":
        expected = getattr(lug, role)
        assert np.abs(by_name[f"LUG_{role}"] - expected).max() < 1e-13 * np.abs(expected).max()
    w = np.sqrt(linalg.eigh(by_name["LUG_K"], by_name["LUG_M"], eigvals_only=True)[6:16])
    assert w == pytest.approx(lug.angular_frequencies()[6:16], rel=1e-9)


def test_nodes_and_sets_in_meshio(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "lug.inp")
    mesh = meshio.read(written.path)
    assert mesh.points[:2] == pytest.approx(np.array([f.origin for f in lug.frames]), rel=1e-13)
    assert mesh.points.shape == (10, 3)
    assert {"ROOT": [0], "BORE": [1]}.items() <= {k: list(v) for k, v in mesh.point_sets.items()}.items()


def test_numbers_keep_thirteen_digits():
    for value in np.random.default_rng(0).standard_normal(500) * 10.0 ** np.arange(-250, 250, 10).repeat(10):
        assert len(real(value)) <= 20
        assert float(real(value)) == pytest.approx(value, rel=1e-13)
    assert float(real(0.0)) == 0.0


def test_names_are_made_fit(strut, tmp_path):
    frames = (strut.frames[0]._replace(name="1 ä"), strut.frames[1]._replace(name="P_1__"))
    [written] = fx.reduction.export(replace(strut, frames=frames, name="a,b=c"), tmp_path / "x.inp")
    sets = [options["NSET"] for keyword, options, _ in read(written.path) if keyword == "NSET"]
    assert len(set(sets)) == 3
    assert all(s[0].isalpha() and s.replace("_", "").isalnum() for s in sets)


def test_no_interface(lug, tmp_path):
    with pytest.raises(fx.ModelError, match="no interface"):
        fx.reduction.export(replace(lug, frames=(), n_interface=0), tmp_path / "x.inp")
