"""The first model of the README does what the README says."""

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


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


@pytest.fixture(scope="module")
def printed(folder: Path) -> list[str]:
    (code,) = blocks("python")
    script = folder / "strip.py"
    script.write_text(code, "utf-8")
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, script.name],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def numbers(lines: list[str], start: str) -> list[float]:
    (line,) = [line for line in lines if line.startswith(start)]
    return [float(x) for x in NUMBER.findall(line)]


def test_first_model_has_less_than_twenty_lines() -> None:
    (code,) = blocks("python")
    assert len(code.splitlines()) < 20


def test_prints_what_the_readme_shows(printed: list[str]) -> None:
    (shown,) = blocks("text")
    assert [line.split() for line in printed] == [line.split() for line in shown.splitlines()]


def test_tip_is_that_of_the_extensible_rod(printed: list[str]) -> None:
    exact = cantilever_dead_tip(8.4 / EI, EA / EI)
    x, y, theta = exact.tip
    assert numbers(printed, "tip") == pytest.approx([x, -y], abs=6e-5)
    assert numbers(printed, "turned") == pytest.approx([-np.degrees(theta)], abs=6e-3)
    assert numbers(printed, "clamp") == pytest.approx([8.4 * x], abs=2e-4)


def test_frequencies_of_the_straight_strip(printed: list[str]) -> None:
    exact = beam_roots("clamped", "free", 3) ** 2 * np.sqrt(EI / RHO_A) / (2 * np.pi)
    assert numbers(printed, "straight") == pytest.approx(exact.tolist(), abs=6e-3)


def test_picture_is_made(printed: list[str], folder: Path) -> None:
    picture = folder / "strip.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 5_000


def test_links_lead_to_files() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8"))
    missing = [target for target in targets if "://" not in target and not (ROOT / target).exists()]
    assert not missing
