"""The models of the README do what the README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flexmbs.verification.reference.frequencies import beam_roots
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
NUMBER = re.compile(r"-?\d+\.\d+")
EI, EA, RHO_A = 2.1e11 * 0.02 * 0.002**3 / 12, 2.1e11 * 4e-5, 7850 * 4e-5
ROD_MASS = 7850 * 0.02 * 0.004 * 0.5


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def run(name: str, code: str, folder: Path, cwd: Path | None = None) -> list[str]:
    """What a script of the README prints."""
    script = folder / name
    script.write_text(code, "utf-8")
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=cwd or folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def printed(folder: Path) -> list[str]:
    return run("strip.py", blocks("python")[0], folder)


@pytest.fixture(scope="module")
def moved(folder: Path) -> list[str]:
    return run("crank.py", blocks("python")[1], folder)


@pytest.fixture(scope="module")
def swung(folder: Path) -> list[str]:
    return run("lug.py", blocks("python")[2], folder, ROOT)


def numbers(lines: list[str], start: str) -> list[float]:
    (line,) = [line for line in lines if line.startswith(start)]
    return [float(x) for x in NUMBER.findall(line)]


def test_models_are_short() -> None:
    strip, crank, _ = blocks("python")
    assert len([line for line in strip.splitlines() if line.strip()]) <= 12
    assert len(crank.splitlines()) <= 20


def test_prints_what_the_readme_shows(printed: list[str], moved: list[str], swung: list[str]) -> None:
    for lines, shown in zip((printed, moved, swung), blocks("text"), strict=True):
        assert [line.split() for line in lines] == [line.split() for line in shown.splitlines()]


def test_tip_is_that_of_the_extensible_rod(printed: list[str]) -> None:
    exact = cantilever_dead_tip(8.4 / EI, EA / EI)
    x, y, _ = exact.tip
    assert numbers(printed, "tip") == pytest.approx([x, -y], abs=6e-5)
    assert numbers(printed, "clamp") == pytest.approx([8.4 * x], abs=2e-4)


def test_frequencies_of_the_straight_strip(printed: list[str]) -> None:
    exact = beam_roots("clamped", "free", 3) ** 2 * np.sqrt(EI / RHO_A) / (2 * np.pi)
    assert numbers(printed, "straight") == pytest.approx(exact.tolist(), abs=6e-3)


def test_picture_is_made(printed: list[str], folder: Path) -> None:
    picture = folder / "strip.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 5_000


def test_crank_turns_by_the_integral_of_its_rate_and_moves_the_slider_by_twice_its_length(moved: list[str]) -> None:
    assert numbers(moved, "turned") == pytest.approx([50.0 * (0.3 / 2.0 + 0.3)])
    assert numbers(moved, "stroke") == pytest.approx([2.0 * 0.15], abs=1e-4)


def test_work_of_the_motor_is_the_energy_of_a_rigid_mechanism_but_for_the_vibration_of_the_rod(
    moved: list[str],
) -> None:
    r, length, angle, speed, rod, slider = 0.15, 0.5, 22.5, 50.0, ROD_MASS, 0.5
    sine, cosine = np.sin(angle), np.cos(angle)
    tilt = np.arcsin(r * sine / length)  # of the rod, against the line of the slider
    turning = speed * r * cosine / (length * np.cos(tilt))
    moving = -r * speed * sine - length * turning * np.sin(tilt)
    middle = np.array([-r * speed * sine - 0.5 * length * turning * np.sin(tilt), 0.5 * r * speed * cosine])
    rigid = (
        0.5 * 0.5 * r**2 / 3.0 * speed**2
        + 0.5 * slider * moving**2
        + 0.5 * rod * (middle @ middle)
        + 0.5 * rod * length**2 / 12.0 * turning**2
    )
    work, balance = numbers(moved, "work")
    assert work == pytest.approx(rigid, rel=0.02)
    assert balance < 0.01


def test_film_is_made(moved: list[str], folder: Path) -> None:
    assert (folder / "crank.gif").read_bytes().startswith(b"GIF8")


def test_it_begins_with_the_moving_picture_the_install_line_and_code() -> None:
    text = README.read_text("utf-8")
    order = [text.index(word) for word in ("crank.gif)", "pip install", "```python", "make verify", "make test")]
    assert order == sorted(order)
    assert text.index("```python") < 2000
    assert (ROOT / "docs/_static/crank.gif").read_bytes().startswith(b"GIF8")


def test_links_lead_to_files() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8"))
    missing = [target for target in targets if "://" not in target and not (ROOT / target).exists()]
    assert not missing
