"""Files of operators that are cut off or changed anywhere: read, or refused with an exception of flexmbs."""

from __future__ import annotations

import importlib.util
import shutil
import warnings
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from flexmbs.core.errors import FlexmbsError
from flexmbs.linear.files import read_operators, write_operators_matrix_market, write_operators_npz
from flexmbs.linear.from_inp import part_from_inp
from flexmbs.linear.operators import DofMap, Operators

REFERENCE = Path(str(resources.files("flexmbs.verification.reference") / "calculix"))
K = np.array([[5.0, -2.0], [-2.0, 4.0]])
DMIG = """DMIG    KAAX    0       6       2       0
DMIG*   KAAX                           3               1
*                      3               1 5.000000000D+00
*                      3               2-2.000000000D+00
DMIG*   KAAX                           3               2
*                      3               2 4.000000000D+00
DMIG    MAAX    0       6       2       0
DMIG*   MAAX                           3               1
*                      3               1 1.000000000D+00
DMIG*   MAAX                           3               2
*                      3               2 3.000000000D+00
GRID    3               2.      0.      0.
"""
INP = """*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 0., 1., 0.
4, 0., 0., 1.
*ELEMENT, TYPE=C3D4, ELSET=SOLID
1, 1, 2, 3, 4
*MATERIAL, NAME=STEEL
*ELASTIC
2.1E11, 0.29
*DENSITY
7850.
*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder with small operators in every format."""
    out = tmp_path_factory.mktemp("files")
    two = Operators(K, np.diag([1.0, 3.0]), DofMap([1, 0], [0, 1]), np.eye(2, 3), sparse.eye(2), node_sets={"A": [1]})
    write_operators_matrix_market(two, out / "mm")
    write_operators_npz(two, out / "own.npz")
    (out / "job.sti").write_text("1 1 5.0\n1 2 -2.0\n2 2 4.0\n")
    (out / "job.mas").write_text("1 1 1.0\n1 2 0.0\n2 2 3.0\n")
    (out / "job.dof").write_text("1.1\n2.2\n")
    (out / "job.inp").write_text(INP)
    (out / "part.inp").write_text(INP)
    (out / "nas.pch").write_text(DMIG)
    return out


def attempt(read, path, data):
    original = path.read_bytes()
    size = len(original)
    cut = data.draw(st.booleans())
    at = data.draw(st.integers(0, size - 1))
    changed = original[:at]
    if not cut:
        changed += data.draw(st.binary(max_size=6)) + original[at + data.draw(st.integers(0, 4)) :]
    path.write_bytes(changed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read()
    except FlexmbsError:
        pass
    finally:
        path.write_bytes(original)


LIGHT = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", ["job.sti", "job.mas", "job.dof", "job.inp"])
@LIGHT
@given(data=st.data())
def test_calculix(folder, name, data):
    attempt(lambda: read_operators(folder / "job.sti"), folder / name, data)


@pytest.mark.parametrize("name", ["K.mtx", "D.mtx", "nodes.csv", "dofs.csv", "node_sets.csv"])
@LIGHT
@given(data=st.data())
def test_matrix_market(folder, name, data):
    attempt(lambda: read_operators(folder / "mm"), folder / "mm" / name, data)


@LIGHT
@given(data=st.data())
def test_npz(folder, data):
    attempt(lambda: read_operators(folder / "own.npz"), folder / "own.npz", data)


@LIGHT
@given(data=st.data())
def test_input_file(folder, data):
    attempt(lambda: part_from_inp(folder / "part.inp"), folder / "part.inp", data)


@pytest.mark.skipif(importlib.util.find_spec("pyNastran") is None, reason="pyNastran is not installed")
@LIGHT
@given(data=st.data())
def test_dmig(folder, data):
    attempt(lambda: read_operators(folder / "nas.pch"), folder / "nas.pch", data)


@pytest.mark.parametrize("suffix", [".sti", ".mas", ".dof"])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 0.99999])
def test_a_file_of_calculix_that_ends_early_is_noticed(tmp_path, suffix, share):
    for part in (".sti", ".mas", ".dof", ".inp"):
        shutil.copy(REFERENCE / f"operators_block{part}", tmp_path)
    path = tmp_path / f"operators_block{suffix}"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(FlexmbsError, match=r"empty|cut off|expected|lies outside"):
        read_operators(path)
    # at the end of a line, too
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: int(share * len(lines))]))
    with pytest.raises(FlexmbsError, match=r"empty|cut off|lies outside"):
        read_operators(path)
