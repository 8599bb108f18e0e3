"""Quadratic tetrahedra against CalculiX: matrices entry by entry, and frequencies."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.eigen import lowest_modes
from flexmbs.elements import Tetra10
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.reference import calculix_bracket as bracket

CALCULIX = "CalculiX 2.20, C3D10"
DIGITS = 5e-14
"""Half a unit of the last of 14 digits."""
LANCZOS = 1.5e-6
"""How far the printed frequencies of the free part are from those of the matrices that were written with them."""
CURVED = 1e-5
"""Allowed for two quadratures of one curved volume."""
SHIFT = -1e6
"""Shift for the free part, whose lowest elastic eigenvalue is 3.5e9."""


def bracket_operators(element: Tetra10) -> Operators:
    """The bracket of CalculiX's deck."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bracket.inp"
        file.write_text(bracket.deck(), "utf-8")
        mesh = fx.meshes.read_mesh(file)
    material = fx.Elastic(
        youngs_modulus=bracket.YOUNGS_MODULUS, poissons_ratio=bracket.POISSONS_RATIO, density=bracket.DENSITY
    )
    return Part(mesh, regions=[Region(None, element, material)], name="bracket").assemble()


def difference(ours: Any, theirs: Any) -> float:
    """Largest difference of two matrices, every entry by the root of the product of its two diagonal entries."""
    scale = np.sqrt(theirs.diagonal())
    return float(np.abs((ours - theirs).toarray() / np.outer(scale, scale)).max())


def frequencies(operators: Operators, name: str, count: int) -> FloatArray:
    """Elastic frequencies [Hz], with LEFT held where ``name`` is "clamped"."""
    held = operators.dofs.of(operators.node_set("LEFT")) if name == "clamped" else np.empty(0, dtype=np.int64)
    free = np.setdiff1d(np.arange(operators.n), held)
    K, M = operators.K[free][:, free], operators.M[free][:, free]
    rigid = 0 if len(held) else 6
    return np.sqrt(lowest_modes(K, M, rigid + count, shift=SHIFT if rigid else 0.0).values[rigid:]) / (2.0 * np.pi)


def run(progress: Progress) -> Outcome:
    """Stiffness, mass and frequencies."""
    quantities = []
    progress("matrices")
    same, exact = (bracket_operators(Tetra10(reduced_mass=reduced)) for reduced in (True, False))
    K, M = bracket.matrix("sti"), bracket.matrix("mas")
    for label, ours, theirs in (("stiffness", same.K, K), ("mass", same.M, M)):
        quantities.append(
            measured(f"{label}: largest difference of an entry", "-", difference(ours, theirs), 0.0, CALCULIX,
                     DIGITS, atol=1e-12)
        )  # fmt: skip
    quantities.append(measured("total mass", "t", exact.M.sum() / 3.0, M.sum() / 3.0, CALCULIX, 1e-12, rtol=CURVED))
    rows = []
    for name, rigid, noise, rtol in (("clamped", 0, 0.0, 2e-6), ("free", 6, LANCZOS, 5e-6)):
        progress(f"frequencies, {name}")
        printed = bracket.frequencies(name)[rigid:]
        ours, better = (frequencies(operators, name, len(printed)) for operators in (same, exact))
        for i, value in enumerate(printed):
            last = 0.5 * 10.0 ** (np.floor(np.log10(value)) - 6.0)
            quantities.append(
                measured(f"{name}: frequency {i + 1}", "Hz", ours[i], value, CALCULIX, max(last, noise * value),
                         rtol=rtol)
            )  # fmt: skip
            rows.append((f"{name} {i + 1}", f"{value:.1f}", f"{ours[i]:.3f}", f"{better[i]:.3f}",
                         f"{better[i] / ours[i] - 1.0:+.2e}"))  # fmt: skip
    progress("frequencies of CalculiX's matrices")
    theirs = np.sqrt(lowest_modes(K, M, 16, shift=SHIFT).values[6:]) / (2.0 * np.pi)
    apart = float(np.abs(frequencies(same, "free", 10) / theirs - 1.0).max())
    quantities.append(
        measured("free: largest difference from the frequencies of CalculiX's matrices", "-", apart, 0.0, CALCULIX,
                 1e-11, atol=1e-9)
    )  # fmt: skip
    table = Table("Frequencies [Hz]", ("mode", "CalculiX", "reduced mass", "exact mass", "exact against reduced"), rows)
    remarks = [
        "CalculiX prints 14 digits of an entry: 5e-14 is the least difference that can be expected. Entries are "
        "compared by the root of the product of their two diagonal entries.",
        "CalculiX sums the mass over the four points of the stiffness, as Tetra10(reduced_mass=True) does. The default "
        "element integrates it exactly on straight cells; the last two columns show what that means on this very "
        "coarse mesh. On its curved cells the two total masses differ by 3e-6.",
        "Frequencies of the free part are printed with errors up to 1.2e-6 beyond the digits: the eigenvalues of the "
        "matrices that CalculiX wrote are those of ours to 1e-11, but differ by that much from what it prints.",
    ]
    return Outcome(quantities, tables=[table], remarks=remarks)


CASE = Case(
    id="tet10-calculix",
    title="Quadratic tetrahedra against CalculiX, entry by entry",
    area="linear parts",
    summary=(
        "A curved bracket of 18 tetrahedra with ten nodes. Every entry of its stiffness and mass, and its ten lowest "
        "frequencies, free and held at one end, against those that CalculiX wrote for the same mesh."
    ),
    run=run,
    source="G. Dhondt, CalculiX CrunchiX user's manual, version 2.20.",
    equations=(r"K_{ab} = \sum_g w_g J_g B_a^T C B_b, \qquad M_{ab} = \sum_g w_g J_g\, \rho N_a N_b \mathbf{1}",),
)
