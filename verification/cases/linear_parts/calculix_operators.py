"""Operators that CalculiX has written: read, and solved against its own frequencies."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.eigen import lowest_modes
from flexmbs.linear.files import read_operators
from flexmbs.linear.scalar_mass import scalar_mass
from flexmbs.meshes import read_mesh
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured

FOLDER = Path(str(resources.files("flexmbs.verification.reference") / "calculix"))
SOURCE = "CalculiX 2.20, *FREQUENCY, seven printed digits"
RIGID = 6
DENSITY = 7850.0
FREE = 2e-6
"""Without supports the last digits that CalculiX prints are off, by up to 6e-7; its rigid eigenvalues are not zero."""


def printed(name: str) -> tuple[FloatArray, FloatArray]:
    """Frequencies [Hz] of a ``.dat`` file, and half a unit of their last digit."""
    values, digits = [], []
    for line in (FOLDER / name).read_text().splitlines():
        words = line.split()
        if "P A R T I C I P A T I O N" in line:
            break
        if len(words) == 5 and words[0].isdigit():
            mantissa, exponent = words[3].split("E")
            values.append(float(words[3]))
            digits.append(0.5 * 10.0 ** (int(exponent) - len(mantissa.split(".")[1])))
    return np.array(values), np.array(digits)


def run(progress: Progress) -> Outcome:
    """Free and clamped frequencies, mass and rigid motions of the same matrices."""
    progress("reading")
    block = read_operators(FOLDER / "operators_block.sti")
    quantities: list[Any] = []
    inner = np.setdiff1d(np.arange(block.n), block.dofs.of(block.node_set("ROOT")))
    for label, keep, rigid, rtol, file in (
        ("clamped", inner, 0, 0.0, "operators_clamped.dat"),
        ("free", np.arange(block.n), RIGID, FREE, "operators_free.dat"),
    ):
        progress(label)
        reference, uncertainty = printed(file)
        K, M = (A[keep][:, keep] for A in (block.K, block.M))
        # the lowest elastic eigenvalue of the free block is 1e10
        pairs = lowest_modes(K, M, len(reference), shift=-1e6 if rigid else 0.0)
        values = np.sqrt(np.maximum(pairs.values, 0.0)) / (2.0 * np.pi)
        for i in range(rigid, len(reference)):
            quantities.append(
                measured(f"{label}: frequency {i + 1 - rigid}", "Hz", values[i], reference[i], SOURCE, uncertainty[i],
                         rtol=rtol, atol=0.0 if rtol else 4.0 * uncertainty[i])
            )  # fmt: skip
    progress("mass and rigid motions")
    mesh = read_mesh(FOLDER / "operators_block.inp")
    volume = float(mesh.cell_sizes[0].sum())
    # entries have 14 digits; sums over a row of 135 of them lose two
    mass = scalar_mass(block).sum()
    quantities.append(measured("mass", "kg", mass, DENSITY * volume, "volume of the mesh times density", rtol=1e-12))
    motions = block.rigid_motions(block.points.mean(axis=0))
    forces = np.abs(block.K @ motions).max(axis=0) / (np.abs(block.K) @ np.abs(motions)).max(axis=0)
    quantities.append(
        measured("largest force in rigid motions, relative", "-", forces.max(), 0.0, "free of strain", atol=1e-12)
    )
    remark = (
        "The clamped frequencies are compared with four times half a unit of the last printed digit. The free ones are "
        "compared to 2e-6: without supports some of the last digits that CalculiX prints are off, by up to 6e-7."
    )
    return Outcome(quantities, remarks=[remark])


CASE = Case(
    id="operators-from-calculix",
    title="Stiffness and mass of CalculiX, read and solved",
    area="linear parts",
    summary=(
        "A tapered block of 12 tetrahedra with ten nodes. CalculiX has written its stiffness, mass and map of rows, "
        "which are read with the node numbers and sets of its input file. Clamped at a set of nodes, and free, the "
        "matrices have the frequencies that CalculiX prints for the same block; the free block has no force in rigid "
        "motions, and its mass is that of its volume."
    ),
    run=run,
    source="G. Dhondt, CalculiX CrunchiX user's manual, version 2.20, *FREQUENCY.",
    equations=(r"K \phi = \omega^2 M \phi",),
    basic=True,
)
