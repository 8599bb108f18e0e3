"""The command ``flexmbs reduce``, on sample parts and on mistakes."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.cli.main import main
from flexmbs.linear.files import write_operators_npz
from flexmbs.reduction.report.report import ReductionReport

LUG = str(fx.meshes.sample("lug.inp"))
QUICK = ["--bounds-only", "--modes", "4"]


def run(*words):
    return main(["reduce", *map(str, words)])


def test_from_mesh_to_model_and_report(tmp_path, capsys):
    status = run(
        LUG, "--interface", "ROOT", "--interface", "BORE:averaged", "--material", "steel", "--modes", 5,
        "--stresses", "TIP", "--fix-interface", "ROOT", "--band", 8000, "-o", tmp_path / "lug.h5",
        "--report", tmp_path / "out", "--json", tmp_path / "lug.json", "--checkpoint-dir", tmp_path / "work",
    )  # fmt: skip
    out = capsys.readouterr().out
    assert status == 0
    assert "Reduction of lug: Craig-Bampton, 17 coordinates" in out
    assert "Frequencies with ROOT held [Hz]" in out
    model = fx.reduction.load_reduced(tmp_path / "lug.h5")
    assert model.size == 17
    assert model.units == {"length": "m", "mass": "kg", "time": "s"}
    assert model.stress_nodes is not None
    assert [f.kind for f in model.frames] == ["rigid", "averaged"]
    found = ReductionReport.from_json((tmp_path / "lug.json").read_text())
    assert found == model.report()
    assert found.transfer.band == 8000.0
    assert (tmp_path / "out" / "index.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "out" / "report.json").read_text())["name"] == "lug"
    assert any((tmp_path / "work").iterdir())


@pytest.mark.parametrize(
    ("words", "method"),
    [
        (["--method", "guyan", "--interface", "ROOT", "--interface", "BORE", "--bounds-only"], "Guyan"),
        (["--method", "rubin", "--interface", "ROOT", *QUICK], "Rubin"),
        (["--method", "modal", *QUICK], "modal truncation"),
        (["--max-frequency", "30000", "--interface", "ROOT", "--bounds-only"], "Craig-Bampton"),
    ],
)
def test_methods(capsys, words, method):
    assert run(LUG, "--material", "210e9,0.3,7850", *words) == 0
    assert method.lower() in capsys.readouterr().out.splitlines()[0].lower()


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ([LUG], f"flexmbs reduce {LUG} --material steel --interface ROOT --interface TIP --interface BORE -o lug.h5"),
        ([LUG, "--material", "aluminium"], f"reduce {LUG} --material aluminium --interface ROOT"),
        ([LUG, "--material", "7e10,0.3,2700"], f"reduce {LUG} --material 7e+10,0.3,2700 --interface ROOT"),
    ],
)
def test_without_interfaces_a_command_is_proposed_that_runs(tmp_path, monkeypatch, capsys, words, command):
    assert run(*words) == 2
    said = capsys.readouterr().err
    assert "ROOT (37 nodes), TIP (37 nodes), BORE (130 nodes)" in said
    assert command in said
    proposed = shlex.split(said.partition("For example: ")[2])
    monkeypatch.chdir(tmp_path)
    assert main([*proposed[1:], *QUICK]) == 0
    assert [f.name for f in fx.reduction.load_reduced("lug.h5").frames] == ["ROOT", "TIP", "BORE"]


def test_sets_of_everything_and_of_a_node_are_told_apart(tmp_path, capsys):
    mesh = fx.meshes.read_mesh(LUG)
    mesh = mesh.with_node_set("WHOLE", range(mesh.n_points)).with_node_set("PIN HERE", [5])
    fx.meshes.write_mesh(mesh, tmp_path / "my lug.inp")
    assert run(tmp_path / "my lug.inp") == 2
    said = capsys.readouterr().err
    proposed = shlex.split(said.partition("For example: ")[2])
    assert "WHOLE (617 nodes)" in said
    assert not any("WHOLE" in word for word in proposed)
    assert any(word.upper().endswith(":NODES") for word in proposed)
    bare = fx.meshes.Mesh(mesh.points, mesh.cells)
    fx.meshes.write_mesh(bare, tmp_path / "bare.inp")
    assert run(tmp_path / "bare.inp") == 2
    assert "has no node sets" in capsys.readouterr().err
    (tmp_path / "bad.inp").write_text("*NODE\n1, 0.0, zero\n")
    assert run(tmp_path / "bad.inp") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_sets_of_operators_are_named(tmp_path, capsys):
    part = fx.linear.Part(fx.meshes.read_mesh(LUG), material=fx.steel)
    write_operators_npz(part.assemble(), tmp_path / "lug.npz")
    assert run(tmp_path / "lug.npz") == 2
    assert f"flexmbs reduce {tmp_path}/lug.npz --interface ROOT" in capsys.readouterr().err


def test_the_model_is_there_when_nobody_reads(tmp_path):
    """As with ``| head -1``, and with a reader that is gone before the first line."""
    words = [sys.executable, "-m", "flexmbs", "reduce", LUG, "--material", "steel", "--interface", "ROOT", *QUICK]
    for name in ("one", "none"):
        made = subprocess.Popen(
            [*words, "-o", str(tmp_path / f"{name}.h5"), "--json", str(tmp_path / f"{name}.json")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert made.stdout is not None
        assert made.stderr is not None
        if name == "one":
            assert made.stdout.readline().startswith(b"Reduction of lug")
        made.stdout.close()
        said = made.stderr.read().decode()
        made.wait()
        assert "Traceback" not in said
        assert "Exception ignored" not in said
        assert fx.reduction.load_reduced(tmp_path / f"{name}.h5").size == 10
        assert json.loads((tmp_path / f"{name}.json").read_text())["mesh"]["cells"] == {"tetra10": 286}


def test_linear_tetrahedra_are_warned_of(tmp_path, capsys):
    mesh = fx.meshes.box((0, 0, 0), (1.0, 0.1, 0.1), (8, 1, 1), "tetra")
    root = np.flatnonzero(mesh.points[:, 0] == 0.0)
    for name, one in (("linear", mesh), ("quadratic", mesh.quadratic())):
        fx.meshes.write_mesh(one.with_node_set("ROOT", root), tmp_path / f"{name}.inp")
        assert run(tmp_path / f"{name}.inp", "--interface", "ROOT", "--material", "steel", *QUICK) == 0
        out = capsys.readouterr().out
        assert "what the mesh misses is not in them. Estimate for" in out
        assert ("linear tetrahedra (C3D4)" in out) == (name == "linear")
        assert "too high; refine it" in out or name == "quadratic"


def test_up_to_keeps_modes_beyond_it(tmp_path):
    run(
        LUG,
        "--material",
        "steel",
        "--interface",
        "ROOT",
        "--max-frequency",
        20000,
        "--bounds-only",
        "-o",
        tmp_path / "a.h5",
    )
    kept = fx.reduction.load_reduced(tmp_path / "a.h5").frequencies
    kept = kept[np.isfinite(kept)] / (2 * np.pi)
    assert 20000 < kept.max() <= 30000


def test_materials_of_the_file_and_of_gmsh(tmp_path, capsys):
    text = (fx.meshes.sample("lug.inp")).read_text()
    text += "*MATERIAL, NAME=MINE\n*ELASTIC\n7e10, 0.3\n*DENSITY\n2700.\n*SOLID SECTION, ELSET=SOLID, MATERIAL=MINE\n"
    text += "*BOUNDARY\nROOT, 1, 3\n"
    (tmp_path / "own.inp").write_text(text)
    assert run(tmp_path / "own.inp", "--interface", "ROOT", "--units", "m-kg-s", *QUICK) == 0
    captured = capsys.readouterr()
    assert "Reduction of own" in captured.out
    assert [line for line in captured.err.splitlines() if line.startswith("flexmbs: warning:") and "*BOUNDARY" in line]
    assert "UserWarning" not in captured.err
    mesh = fx.meshes.read_mesh(LUG)
    fx.meshes.write_mesh(mesh, tmp_path / "lug.msh")
    assert run(tmp_path / "lug.msh", "--method", "modal", "--material", "aluminium", *QUICK) == 0


def test_operators_from_a_file(tmp_path, capsys):
    part = fx.linear.Part(fx.meshes.read_mesh(LUG), material=fx.steel)
    write_operators_npz(part.assemble(), tmp_path / "lug.npz")
    assert run(tmp_path / "lug.npz", "--interface", "ROOT", "--name", "mine", *QUICK) == 0
    assert "Reduction of mine" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.inp", "--interface", "A"], "there is no such file"),
        ([LUG, "--material", "steel"], "--interface SET"),
        ([LUG, "--interface", "ROOT"], "--material steel"),
        ([LUG, "--interface", "NOPE", "--material", "steel"], "no node set named 'NOPE'"),
        ([LUG, "--interface", "ROOT", "--interface", "ROOT", "--material", "steel"], "named twice"),
        ([LUG, "--interface", "ROOT", "--material", "steel", "--modes", "99999"], "99999 modes were asked for"),
        (
            [LUG, "--interface", "ROOT", "--material", "steel", "--method", "guyan", *QUICK],
            "guyan has no modes",
        ),
        ([LUG, "--interface", "ROOT", "--material", "steel", "--fix-interface", "TIP", *QUICK], "TIP"),
        ([LUG, "--interface", "ROOT", "--material", "steel", "--stresses", "NOPE", *QUICK], "NOPE"),
        ([LUG, "--interface", "ROOT", "--material", "steel", "-o", "/proc/nowhere/x.h5"], "cannot write"),
    ],
)
def test_mistakes_are_one_line(capsys, words, message):
    assert run(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert captured.err.startswith("flexmbs: ")
    assert message in captured.err


def test_damaged_files_are_said(tmp_path, capsys):
    (tmp_path / "bad.inp").write_text("*NODE\n1, 0.0, zero\n")
    (tmp_path / "bad.npz").write_bytes(b"PK nonsense")
    for name in ("bad.inp", "bad.npz"):
        assert run(tmp_path / name, "--interface", "A", "--material", "steel") == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--interface", "ROOT:soft", "kind must be"),
        ("--interface", "", "name"),
        ("--material", "cheese", "E,nu,rho"),
        ("--material", "2_1E11,0.3,7850", "E,nu,rho"),
        ("--material", "1,2,3", "poissons_ratio"),
        ("--modes", "-3", "whole number"),
        ("--max-frequency", "0", "positive number"),
        ("--band", "inf", "positive number"),
        ("--units", "m-kg", "three names"),
        ("--method", "magic", "invalid choice"),
    ],
)
def test_options_are_checked(capsys, option, value, message):
    with pytest.raises(SystemExit) as stop:
        run(LUG, option, value)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_a_name_with_a_colon_is_a_name(capsys):
    assert run(LUG, "--interface", "PART:ROOT", "--material", "steel") == 2
    assert "'PART:ROOT'" in capsys.readouterr().err


def test_older_options_do_the_same_and_say_so(tmp_path, capsys):
    older = ["--no-full", "--up-to", "20000", "--held", "TIP", "--work", tmp_path / "work"]
    present = ["--bounds-only", "--max-frequency", "20000", "--fix-interface", "TIP"]
    found = []
    for name, options in (("older", older), ("present", present)):
        path = tmp_path / f"{name}.json"
        run(LUG, "--material", "steel", "--interface", "ROOT", "--interface", "TIP", *options, "--json", path)
        found.append(ReductionReport.from_json(path.read_text()))
    assert found[0].frequencies == found[1].frequencies
    assert any((tmp_path / "work").iterdir())
    said = capsys.readouterr().err
    pairs = [("no-full", "bounds-only"), ("up-to", "max-frequency"), ("held", "fix-interface")]
    for was, now in [*pairs, ("work", "checkpoint-dir")]:
        assert f"--{was} is now --{now};" in said
