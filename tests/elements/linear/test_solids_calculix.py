"""Quadratic tetrahedra against CalculiX: the stored matrices, and new ones where ccx is on the path."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import Tetra10
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.verification.cases.linear_parts.tetra_calculix import bracket_operators, difference
from flexmbs.verification.reference import calculix_bracket as bracket

needs_ccx = pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX (ccx) is not on the path")
EVERY = 1e-12  # twenty times half a unit of the last digit that is printed


def test_stored_matrices() -> None:
    operators = bracket_operators(Tetra10(reduced_mass=True))
    assert difference(operators.K, bracket.matrix("sti")) <= EVERY
    assert difference(operators.M, bracket.matrix("mas")) <= EVERY
    assert difference(bracket_operators(Tetra10()).M, bracket.matrix("mas")) > 0.1  # a mass of another quadrature


def written_by_ccx(deck: str, folder: Path) -> list[object]:
    """Stiffness and mass that ccx writes for a deck."""
    (folder / "job.inp").write_text(deck)
    subprocess.run(["ccx", "-i", "job"], cwd=folder, check=True, capture_output=True, timeout=120)
    dofs = (folder / "job.dof").read_text()
    return [bracket.assembled((folder / f"job.{name}").read_text(), dofs) for name in ("sti", "mas")]


@needs_ccx
def test_stored_matrices_are_what_ccx_writes(tmp_path: Path) -> None:
    for ours, name in zip(written_by_ccx(bracket.deck(), tmp_path), ("sti", "mas"), strict=True):
        assert difference(ours, bracket.matrix(name)) <= EVERY


@needs_ccx
@pytest.mark.parametrize(("poisson", "seed"), [(0.0, 1), (0.45, 2)])
def test_another_shape_and_material(tmp_path: Path, poisson: float, seed: int) -> None:
    """All nodes of the deck moved at random by up to 1 mm, another Poisson's ratio."""
    rng = np.random.default_rng(seed)

    def moved(match: re.Match[str]) -> str:
        x = np.array([float(v) for v in match[2].split(",")]) + rng.uniform(-1.0, 1.0, 3)
        return match[1] + ", ".join(f"{v:.6f}" for v in x)

    deck = re.sub(r"^(\d+, )(-?\d+\.\d{6}, -?\d+\.\d{6}, -?\d+\.\d{6})$", moved, bracket.deck(), flags=re.MULTILINE)
    deck = deck.replace("210000., 0.3", f"210000., {poisson}")
    theirs = written_by_ccx(deck, tmp_path)
    mesh = fx.meshes.read_mesh(tmp_path / "job.inp")
    material = fx.Elastic(youngs_modulus=bracket.YOUNGS_MODULUS, poissons_ratio=poisson, density=bracket.DENSITY)
    ours = Part(mesh, regions=[Region(None, Tetra10(reduced_mass=True), material)]).assemble()
    assert difference(bracket_operators(Tetra10()).K, theirs[0]) > 1e-3  # the deck has changed
    assert difference(ours.K, theirs[0]) <= EVERY
    assert difference(ours.M, theirs[1]) <= EVERY
