"""What holds for every format: models from files, names, places of files, failures."""

from __future__ import annotations

import ast
import resource
import sys
import warnings
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import flexmbs as fx
from flexmbs.reduction import store
from flexmbs.reduction.export import FORMATS
from flexmbs.reduction.export.formats import collected, file_name

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")
EVERY = pytest.mark.parametrize("to", FORMATS)
DATED = {"hdf5", "mat", "simscape", "fmu2", "fmu3", "uff", "uff58", "npz", "exudyn", "op4bin"}
"""Formats whose files tell the time."""
PLAIN = {"binary": False}  # compiling is tested elsewhere


def contents(path):
    """All bytes below a path, without what tells the time."""
    if path.is_dir():
        return {p.name: p.read_bytes() for p in sorted(path.iterdir())}
    return path.read_bytes()


@pytest.fixture(scope="module")
def file(lug, tmp_path_factory):
    return lug.save(tmp_path_factory.mktemp("formats") / "lug.h5")


def options(to):
    return PLAIN if "binary" in FORMATS[to].options else {}


@EVERY
def test_models_from_files_give_the_same(lug, file, tmp_path, to):
    """With all arrays in memory, or with the shapes left on disk."""
    lazy = fx.reduction.load_reduced(file, in_memory=False)
    [a] = fx.reduction.export(fx.reduction.load_reduced(file), tmp_path / "a", to, **options(to))
    [b] = fx.reduction.export(lazy, tmp_path / "b", to, **options(to))
    if to not in (
        "hdf5",
        "mat",
        "simscape",
        "fmu2",
        "fmu3",
        "uff",
        "uff58",
        "npz",
        "exudyn",
        "op4bin",
    ):  # these tell the time
        assert contents(a.path) == contents(b.path)
    assert a.losses == b.losses
    lazy.shapes.file.close()


@EVERY
def test_files_are_kept_and_replaced(strut, tmp_path, to):
    more = options(to)
    [written] = fx.reduction.export(strut, tmp_path, to, **more)
    assert written.format == to
    assert [p.name for p in tmp_path.iterdir()] == [f"strut{FORMATS[to].suffix}"]
    before = contents(written.path)
    with pytest.raises(fx.FlexmbsError, match="overwrite"):
        fx.reduction.export(strut, tmp_path, to, **more)
    assert contents(written.path) == before
    fx.reduction.export(strut, tmp_path, to, overwrite=True, **more)
    assert [p.name for p in tmp_path.iterdir()] == [f"strut{FORMATS[to].suffix}"]


@EVERY
def test_places_that_cannot_be_written(strut, tmp_path, to):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(fx.FlexmbsError, match="cannot write"):
        fx.reduction.export(strut, tmp_path / "file" / "below", to, **options(to))
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@contextmanager
def full_disk(size):
    """Files grow to so many bytes and no further."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@EVERY
@pytest.mark.parametrize("size", [0, 1000])
def test_a_disk_that_gets_full_leaves_nothing_behind(strut, tmp_path, to, size):
    """Neither a half file, nor a change of an older one."""
    if to == "hdf5" and size:
        pytest.skip("HDF5 ends the process when it cannot close a file")
    with full_disk(size), pytest.raises(fx.FlexmbsError, match="cannot write"):
        fx.reduction.export(strut, tmp_path, to, **options(to))
    assert not list(tmp_path.iterdir())
    [written] = fx.reduction.export(strut, tmp_path, to, **options(to))
    before = contents(written.path)
    with full_disk(size), pytest.raises(fx.FlexmbsError, match="cannot write"):
        fx.reduction.export(strut, tmp_path, to, overwrite=True, **options(to))
    assert [p.name for p in tmp_path.iterdir()] == [written.path.name]
    assert contents(written.path) == before


def test_hdf5_looks_for_room_first(strut, tmp_path, monkeypatch):
    monkeypatch.setattr(store.shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with pytest.raises(fx.FlexmbsError, match=r"cannot write .* MB free"):
        strut.save(tmp_path / "x.h5")
    assert not list(tmp_path.iterdir())


@EVERY
def test_an_interrupt_while_writing_leaves_nothing_behind(strut, tmp_path, monkeypatch, to):
    """Ctrl-C at the moment when the file is complete, but not yet at its place."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fx.reduction.export(strut, tmp_path, to, **options(to))
    assert not list(tmp_path.iterdir())


HOSTILE = '"""\nimport os\n"""\x00 é</a>&;,#*/'


@EVERY
def test_names_of_any_kind(strut, tmp_path, to):
    """Names end up within comments, texts and labels; they begin no line of their own and end no text."""
    bad = HOSTILE if to != "hdf5" else HOSTILE.replace("\x00", "")  # which HDF5 cannot hold
    units = {"length": f"m{bad}", "mass": "kg", "time": "s"}
    frames = tuple(f._replace(name=f"{f.name}{bad}") for f in strut.frames)
    odd = replace(strut, name=f"../{bad}", units=units, frames=frames)
    [written] = fx.reduction.export(odd, tmp_path, to, **options(to))
    assert written.path.parent == tmp_path
    assert written.path.name.startswith(file_name(odd.name))
    for path in [written.path] if written.path.is_file() else written.path.iterdir():
        if to.startswith("fmu"):
            with zipfile.ZipFile(path) as archive:
                ElementTree.fromstring(archive.read("modelDescription.xml"))
        elif path.suffix not in (".h5", ".npz", ".mat", ".json"):
            text = path.read_bytes().replace(b"\r", b"\n")
            assert b"\nimport os" not in text
        if path.suffix == ".py":
            tree = ast.parse(path.read_text())
            names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
            assert "os" not in names


def test_names_that_hdf5_cannot_hold(strut, tmp_path):
    with pytest.raises(fx.FlexmbsError, match="cannot write"):
        fx.reduction.export(replace(strut, name="a\x00b"), tmp_path, "hdf5")
    assert not list(tmp_path.iterdir())


@EVERY
def test_what_is_lost_is_said(lug, tmp_path, to):
    """A loss is in the result, in a warning, and in some file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        [written] = fx.reduction.export(lug, tmp_path, to, **options(to))
    assert [w.category for w in found] == [fx.LossWarning] * bool(written.losses)
    files = [written.path] if written.path.is_file() else list(written.path.iterdir())
    if written.losses and to not in ("mat", "simscape", "npz"):  # compressed or escaped
        text = b"".join(p.read_bytes() for p in files).decode("utf-8", "replace")
        assert all(loss[:20] in text for loss in written.losses)


def test_warnings_point_at_the_caller(strut, tmp_path):
    with pytest.warns(fx.LossWarning) as found:
        strut.export(tmp_path, "dmig")
    assert found[0].filename == __file__


def test_several_formats_at_once(strut, tmp_path):
    """Of each of the 12 168 functions between all nodes a few lines."""
    written = fx.reduction.export(
        strut, tmp_path / "out", list(FORMATS), binary=False, fixed="start", nodes="all", modes=5, lines=8
    )
    assert len(written) == len(FORMATS) == len(list((tmp_path / "out").iterdir()))
    assert "dmig: " in str(written[list(FORMATS).index("dmig")])


def test_families_of_formats(strut, tmp_path):
    written = fx.reduction.export(strut, tmp_path, ["nastran", "matlab", "dmig"])
    assert [w.format for w in written] == ["dmig", "op4", "mat"]
    assert len(fx.reduction.export(strut, tmp_path / "all", "all", **PLAIN)) == len(FORMATS)


@pytest.mark.parametrize(("name", "to"), [("x.inp", "abaqus"), ("x.FMU", "fmu2"), ("x.unv", "uff"), ("x.mat", "mat")])
def test_suffixes_tell_the_format(strut, tmp_path, name, to):
    assert fx.reduction.export(strut, tmp_path / name, **options(to))[0].format == to


def test_meshes_are_safe_from_exports(strut, tmp_path):
    """The mesh of a part has the name that its export would have."""
    (tmp_path / "strut.inp").write_text("mesh")
    fx.reduction.export(strut, tmp_path, "abaqus", overwrite=True)
    assert (tmp_path / "strut.inp").read_text() == "mesh"


def test_a_new_file_is_a_new_format(lug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export_package = sys.modules["flexmbs.reduction.export"]
    (tmp_path / "masses.py").write_text(
        "from flexmbs.reduction.export.format import Format\n"
        "from flexmbs.reduction.export.written import ExportResult\n\n"
        "def write_mass(model, path, overwrite, digits=6):\n"
        "    path.write_text(f'{model.M[0, 0]:.{digits}g}')\n    return ExportResult('mass', path, ())\n\n"
        "FORMATS = {'mass': Format('.mass', 'the first entry of the mass matrix', write_mass,)}\n", "utf-8"
    )  # fmt: skip
    monkeypatch.setattr(export_package, "__path__", [*export_package.__path__, str(tmp_path)])
    found = collected(export_package)
    assert set(found) == {*FORMATS, "mass"}
    assert found["mass"].options == ("digits",)
    found["mass"].write(lug, tmp_path / "lug.mass", False)
    assert float((tmp_path / "lug.mass").read_text()) == pytest.approx(lug.M[0, 0], rel=1e-5)
    (tmp_path / "again.py").write_text((tmp_path / "masses.py").read_text(), "utf-8")
    with pytest.raises(ImportError, match=r"masses: there is a format named mass already"):
        collected(export_package)


def test_vtu_is_a_name_of_an_export(tmp_path, lug):
    [written] = fx.reduction.export(lug, tmp_path / "modes.vtu", to="vtu")
    assert written.format == "paraview"
    assert written.path.read_text().startswith('<?xml version="1.0"?>')


def test_programs_are_told_the_format_that_they_read(lug, tmp_path):
    with pytest.raises(fx.ModelError, match="no format named 'simpack'; take to='sid', Standard Input Data of SIMPACK"):
        fx.reduction.export(lug, tmp_path / "lug", to="simpack")
