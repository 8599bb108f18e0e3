"""Files that are cut off, in another order or hostile: read, or refused by our exceptions, in little memory."""

from __future__ import annotations

import importlib.util
import re
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexmbs as fx

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")
NASTRAN = pytest.mark.skipif(importlib.util.find_spec("pyNastran") is None, reason="pyNastran is not installed")
FORMATS = [
    "sid", "mbdyn", "abaqus", "mtx", "npz", "hdf5",
    pytest.param("dmig", marks=NASTRAN), pytest.param("op4", marks=NASTRAN), pytest.param("op4bin", marks=NASTRAN),
]  # fmt: skip
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eEdD][-+]?\d+)?")
HOSTILE = [b"nan", b"inf", b"-1", b"0", b"1e999", b"2147483648", b"999999999", b"9" * 18, b"1e300", b"x", b"-inf", b""]
MUCH = 300e6
"""Bytes; the files have some ten thousand."""
LIGHT = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def files(strut, tmp_path_factory):
    """The strut in each format, with fields of second order in the Standard Input Data."""
    folder = tmp_path_factory.mktemp("hostile")
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1.0, 0, 0), 4),
        regions=[
            fx.linear.Region(
                None, fx.elements.Frame(section=fx.Rectangle(width=0.02, height=0.03), up=(0, 0, 1)), fx.steel
            )
        ],
        name="strut",
    )
    small = fx.reduction.reduce(part, ["start", "end"], 2, geometric_stiffening=True)
    options = {"sid": {"reference": "start"}, "mbdyn": {"reference": "start"}}
    out = {}
    for to in ("sid", "mbdyn", "abaqus", "mtx", "npz", "hdf5", "dmig", "op4", "op4bin"):
        path = small.export(folder, to, **options.get(to, {}))[0].path
        out[to] = path, path / {"mtx": "K.mtx"}.get(to, "matrices.op4") if path.is_dir() else path
    return out


def changed(original, data):
    """Cut, swap lines, put something hostile for a number, repeat a piece, or insert bytes."""
    kind = data.draw(st.sampled_from(["cut", "swap", "number", "repeat", "insert"]))
    at = data.draw(st.integers(0, len(original) - 1))
    if kind == "cut":
        return original[:at]
    if kind == "swap":
        lines = original.splitlines(keepends=True)
        i, j = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        lines[i], lines[j] = lines[j], lines[i]
        return b"".join(lines)
    if kind == "number":
        # the first numbers are counts
        found = list(NUMBER.finditer(original))
        few = data.draw(st.booleans())
        one = found[data.draw(st.integers(0, min(20, len(found) - 1) if few else len(found) - 1))]
        return original[: one.start()] + data.draw(st.sampled_from(HOSTILE)) + original[one.end() :]
    if kind == "repeat":
        return original[:at] + original[max(0, at - 200) :]
    return original[:at] + data.draw(st.binary(max_size=8)) + original[at:]


@pytest.mark.parametrize("to", FORMATS)
@LIGHT
@given(data=st.data())
def test_damaged_files_are_read_or_refused(files, to, data):
    path, file = files[to]
    original = file.read_bytes()
    file.write_bytes(changed(original, data))
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fx.reduction.read_reduced(path)
        assert all(np.isfinite(getattr(model, role)).all() for role in "KM")
    except fx.FlexmbsError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        file.write_bytes(original)
    assert peak < MUCH


def test_a_matrix_that_is_in_a_file_twice_is_refused(files):
    path, file = files["op4"]
    original = file.read_bytes()
    try:
        file.write_bytes(original + original)
        with pytest.raises(fx.ReadError, match="2 times"):
            fx.reduction.read_reduced(path)
    finally:
        file.write_bytes(original)
