"""The command ``flexmbs view``: pages and glTF files of runs, and mistakes."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest

import flexmbs as fx
from flexmbs.cli.main import main


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rod = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
                               section=fx.Circle(diameter=0.02), material=fx.steel, name="rod")  # fmt: skip
    model = fx.Model(rod, fx.Pin(rod.start), fx.Gravity((0, -9.81)), name="pendulum")
    return fx.simulate(model, 0.1, step=1e-3).save(tmp_path_factory.mktemp("run") / "run.h5")


def run(*words: object) -> int:
    return main(["view", *map(str, words)])


def test_page_beside_oneself(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert run(file, "--open", "--factor", "5", "--no-joints", "--speed", "1") == 0
    assert "run.html: 4 key frames, 1 bodies" in capsys.readouterr().out
    text = (tmp_path / "run.html").read_text()
    assert "<title>pendulum</title>" in text
    assert 'data-factor="5.0"' in text
    assert opened == [(tmp_path / "run.html").as_uri()]
    assert run(file) == 2
    assert "there already" in capsys.readouterr().err
    assert run(file, "--overwrite") == 0


def test_gltf_by_the_ending(file: Path, tmp_path: Path, capsys) -> None:
    assert run(file, "-o", tmp_path / "run.glb", "--fps", 100, "--speed", "0.5", "--up", "z") == 0
    assert "21 key frames" in capsys.readouterr().out
    assert (tmp_path / "run.glb").read_bytes()[:4] == b"glTF"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.h5",), "there is no file"),
        (("RUN", "-o", "x.txt"), ".html"),
        (("RUN", "-o", "x.html", "--fps", "0"), "fps"),
        (("RUN", "-o", "x.html", "--up", "w"), "axis up"),
        (("RUN", "-o", "none/x.html"), "no folder"),
    ],
)
def test_mistakes(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, words, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*(file if word == "RUN" else word for word in words)) == 2
    error = capsys.readouterr().err
    assert error.startswith("flexmbs: ")
    assert message in error
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(tmp_path: Path, capsys) -> None:
    mesh = fx.meshes.line((0, 0, 0), (1.0, 0, 0), 4)
    element = fx.elements.Frame(section=fx.Rectangle(width=0.02, height=0.03), up=(0, 0, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, fx.steel)], name="strut")
    reduced = fx.reduction.reduce(part, ["start", "end"], 4, progress=False).save(tmp_path / "strut.h5")
    assert run(reduced, "-o", tmp_path / "x.html") == 2
    assert "flexmbs: " in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("option", ["--fps", "--speed", "--tolerance", "--factor"])
@pytest.mark.parametrize("value", ["1_0", "nan", "inf", "ten"])
def test_what_is_no_number_is_refused(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("run.h5", option, value)
    assert f"argument {option}: must be a number, not '{value}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [("study", "a.py", "--workers", "1_0"), ("export", "a.h5", "--modes", "1_0"), ("export", "a.h5", "--lines", "-3")],
)
def test_what_is_no_whole_number_is_refused(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(list(words))
    assert f"must be a whole number of at least 0, not '{words[-1]}'" in capsys.readouterr().err
