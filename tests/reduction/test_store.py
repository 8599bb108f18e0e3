"""Reduced models in files: nothing is lost, and damaged files are refused."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core.errors import FlexmbsError, ReadError
from flexmbs.reduction.store import seal
from tests.models.lattice import tower


@pytest.fixture(scope="module")
def model():
    mesh = fx.meshes.read_mesh(fx.meshes.sample("lug.inp"))
    lug = fx.linear.Part(
        mesh, material=fx.Elastic(youngs_modulus=7e10, density=2700.0, retardation_time=1e-6), name="lug/ä"
    )
    return fx.reduction.reduce(
        lug,
        ["ROOT", fx.reduction.Interface("BORE", kind="averaged")],
        4,
        stresses="TIP",
        units={"length": "m", "mass": "kg", "time": "s"},
    )


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    return model.save(tmp_path_factory.mktemp("store") / "deep" / "lug.h5")


def same(a, b):
    """Equal to the last bit, at any depth."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind == "f")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if hasattr(a, "items"):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return a == b


NAMES = (
    "name", "K", "M", "D", "labels", "n_interface", "frames", "frequencies", "shapes", "points", "cells", "node_sets",
    "units", "provenance", "stress_nodes", "stress_shapes", "stress_names",
)  # fmt: skip


def test_round_trip_is_exact(model, file):
    loaded = fx.reduction.load_reduced(file)
    assert loaded.D is not None
    for name in NAMES:
        assert same(getattr(model, name), getattr(loaded, name)), name
    assert same(model.dofs.node, loaded.dofs.node)
    assert same(model.dofs.component, loaded.dofs.component)
    assert same(model.inertia.arrays(), loaded.inertia.arrays())
    assert loaded.source is None
    assert repr(loaded) == repr(model)


def test_shapes_may_stay_on_disk(model, file):
    lazy = fx.reduction.load_reduced(file, in_memory=False)
    assert isinstance(lazy.shapes, h5py.Dataset)
    q = np.random.default_rng(0).standard_normal((model.size, 2))
    assert same(lazy.reconstruct(q), model.reconstruct(q))
    assert same(lazy.stresses(q), model.stresses(q))
    assert same(lazy.force(3, [1.0, 2.0, 3.0]), model.force(3, [1.0, 2.0, 3.0]))
    lazy.shapes.file.close()


def test_a_loaded_model_can_be_saved_again(file, tmp_path):
    again = fx.reduction.load_reduced(file).save(tmp_path / "again.h5")
    first, second = fx.reduction.load_reduced(file), fx.reduction.load_reduced(again)
    assert all(same(getattr(first, name), getattr(second, name)) for name in NAMES)


def test_least_model(tmp_path):
    """Without damping, stresses, cells and units."""
    model = fx.reduction.reduce(tower(2), ["FOOT"], 3)
    loaded = fx.reduction.load_reduced(model.save(tmp_path / "small.h5"))
    assert all(same(getattr(model, name), getattr(loaded, name)) for name in NAMES)
    assert loaded.D is None
    assert loaded.report_text is None


def test_other_tools_find_the_matrices(model, file):
    with h5py.File(file) as content:
        assert same(content["K"][()], np.asarray(model.K))
        assert content["labels"][0] == b"ROOT ux"
        assert content["units"].attrs["length"] == "m"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: None, "there is no such file"),
        (lambda p: p.write_bytes(b"solid nonsense"), "not an HDF5 file"),
        (lambda p: p.write_bytes(b""), "not an HDF5 file"),
        (lambda p: p.mkdir(), "not an HDF5 file"),
        (lambda p: h5py.File(p, "w").close(), "no reduced model"),
    ],
)
def test_other_files_are_refused(tmp_path, make, message):
    path = tmp_path / "x.h5"
    make(path)
    with pytest.raises(ReadError, match=message):
        fx.reduction.load_reduced(path)


def changed(file, tmp_path, change):
    path = tmp_path / "changed.h5"
    path.write_bytes(file.read_bytes())
    with h5py.File(path, "r+") as content:
        change(content)
    seal(path)
    return path


def test_changes_are_noticed(file, tmp_path):
    """A byte anywhere, an end that is missing, and a change by HDF5 itself."""
    whole = file.read_bytes()
    path = tmp_path / "x.h5"
    for at in (9, len(whole) // 2, len(whole) - 100, len(whole) - 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ReadError, match="damaged"):
            fx.reduction.load_reduced(path)
        path.write_bytes(whole[:at])
        with pytest.raises(ReadError, match=r"ends early|damaged"):
            fx.reduction.load_reduced(path)
    path.write_bytes(whole)
    with h5py.File(path, "r+") as content:
        content["more"] = 1.0
    with pytest.raises(ReadError, match=r"changed after it was written|damaged"):
        fx.reduction.load_reduced(path)


@pytest.mark.parametrize("name", ["K", "labels", "shapes", "dof_node", "sets", "interfaces", "units", "provenance"])
def test_missing_pieces_are_said(file, tmp_path, name):
    def drop(content):
        del content[name]

    with pytest.raises(ReadError, match="damaged"):
        fx.reduction.load_reduced(changed(file, tmp_path, drop))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("K", np.eye(3), "K"),
        ("K", np.triu(np.ones((16, 16))), "not symmetric"),
        ("M", np.full((16, 16), np.nan), "M"),
        ("frequencies", np.zeros(3), "frequencies"),
        ("shapes", np.zeros((7, 16)), "displacements"),
        ("dof_component", np.full(1851, 9), "components"),
        ("labels", np.zeros(16), "damaged"),
        ("report", np.zeros(2), "damaged"),
    ],
)
def test_contents_that_do_not_fit_are_refused(file, tmp_path, name, value, message):
    def change(content):
        if name in content:
            del content[name]
        content[name] = value

    with pytest.raises(ReadError, match=message):
        fx.reduction.load_reduced(changed(file, tmp_path, change))


def test_a_later_version_is_refused(file, tmp_path):
    with pytest.raises(ReadError, match="version 99"):
        fx.reduction.load_reduced(changed(file, tmp_path, lambda content: content.attrs.modify("version", 99)))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return fx.reduction.reduce(tower(2), ["FOOT"], 3).save(tmp_path_factory.mktemp("small") / "small.h5")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0.0, 0.999))
def test_a_file_that_ends_early_is_refused(small, tmp_path, share):
    data = small.read_bytes()
    path = tmp_path / "cut.h5"
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ReadError):
        fx.reduction.load_reduced(path)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_bytes_give_a_model_or_a_read_error(small, tmp_path, data):
    """Flipped bytes of numbers cannot be seen; of the structure they must not cause anything but a ReadError."""
    content = bytearray(small.read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    piece = data.draw(st.binary(min_size=1, max_size=16))
    content[start : start + len(piece)] = piece
    path = tmp_path / "damaged.h5"
    path.write_bytes(content)
    try:
        loaded = fx.reduction.load_reduced(path)
    except ReadError:
        return
    assert loaded.K.shape == (loaded.size, loaded.size)


def test_unwritable_places_are_said(model, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FlexmbsError, match="cannot write"):
        model.save(tmp_path / "file" / "lug.h5")
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
