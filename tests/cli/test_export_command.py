"""The command ``flexmbs export``, on a small model and on mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.cli.main import main
from flexmbs.reduction.export import FORMATS


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    mesh = fx.meshes.line((0, 0, 0), (1.0, 0, 0), 4)
    element = fx.elements.Frame(section=fx.Rectangle(width=0.02, height=0.03), up=(0, 0, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, fx.steel)], name="strut")
    return fx.reduction.reduce(part, ["start", "end"], 4).save(tmp_path_factory.mktemp("export") / "strut.h5")


def run(*words):
    return main(["export", *map(str, words)])


def test_formats_into_a_folder(file, tmp_path, capsys):
    assert run(file, "--to", "npz", "mtx", "-o", tmp_path / "out", "--nodes", "all") == 0
    out = capsys.readouterr().out
    assert f"npz: {tmp_path / 'out' / 'strut.npz'}" in out
    assert "  lost: inertia invariants of the shapes" in out
    assert np.load(tmp_path / "out" / "strut.npz")["basis"].shape == (5, 6, 16)
    assert (tmp_path / "out" / "strut_mtx" / "K.mtx").is_file()


def test_the_suffix_tells_the_format_and_files_are_kept(file, tmp_path, capsys):
    words = (file, "-o", tmp_path / "strut.npz", "--nodes", "2")
    assert run(*words) == 0
    assert run(*words) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert run(*words, "--overwrite") == 0


def test_list(capsys):
    assert run("--list") == 0
    out = capsys.readouterr().out
    assert all(name in out for name in FORMATS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give the file"),
        (["nowhere.h5", "--to", "npz"], "no such file"),
        (["FILE"], "tells no format"),
        (["FILE", "--to", "docx"], "no format named"),
        (["FILE", "--to", "npz", "--nodes", "NOWHERE"], "no node set"),
        (["FILE", "--to", "npz", "--fixed", "start"], "no option named 'fixed'"),
    ],
)
def test_mistakes_are_one_line(file, tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    assert run(*[file if w == "FILE" else w for w in words]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_values_of_options(capsys):
    with pytest.raises(SystemExit):
        run("x.h5", "--damping", "-1")
    assert "at least 0" in capsys.readouterr().err
