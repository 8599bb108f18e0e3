"""E01 and E02 with the frame element of parts: all standard ends, slender and with shear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.eigen import lowest_modes
from flexmbs.elements import Frame
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

ENDS = (
    ("pinned-pinned", "pinned-pinned", 0),
    ("clamped-free", "clamped-free", 0),
    ("clamped-clamped", "clamped-clamped (= free-free elastic)", 0),
    ("free-free", "clamped-clamped (= free-free elastic)", 2),
    ("clamped-pinned", "clamped-pinned (= free-pinned elastic)", 0),
    ("pinned-free", "clamped-pinned (= free-pinned elastic)", 1),
    ("clamped-guided", "clamped-guided (= free-guided elastic)", 0),
    ("guided-free", "clamped-guided (= free-guided elastic)", 1),
    ("pinned-guided", "pinned-guided", 0),
    ("guided-guided", "guided-guided elastic", 1),
)
"""Ends, name of the reference, number of rigid motions in the plane."""

FIVE = 5
HELD = {"pinned": (0,), "clamped": (0, 1), "guided": (1,), "free": ()}
"""Of the deflection (0) and the rotation (1) of an end."""

SLENDER = fx.BeamStiffness(EA=1e7, EI_z=1.0, mass_per_length=1.0, GJ=1.0)


def bending(part: Part, ends: str, rigid: int, count: int) -> tuple[FloatArray, FloatArray]:
    """The first elastic bending frequencies of a beam along x in its x-y plane, and the deflections of the nodes."""
    operators = part.assemble()
    plane = np.flatnonzero(np.isin(operators.dofs.component, (1, 5)))
    start, end = ends.split("-")
    held = [*HELD[start], *(len(plane) - 2 + i for i in HELD[end])]
    free = np.delete(plane, held)
    pairs = lowest_modes(
        operators.K[free][:, free], operators.M[free][:, free], count + rigid, shift=-1.0 * (rigid > 0)
    )
    shapes = np.zeros((operators.n, count))
    shapes[free] = pairs.vectors[:, rigid:]
    return np.sqrt(pairs.values[rigid:]), shapes[operators.dofs.component == 1]


def _line(element: Frame, length: float, elements: int, material: Any = None) -> Part:
    """A beam along x."""
    mesh = fx.meshes.line((0, 0, 0), (length, 0, 0), elements)
    return Part(mesh, regions=[Region(None, element, material)], name="beam")


def run(progress: Progress) -> Outcome:
    """Euler-Bernoulli with all ends, then Timoshenko."""
    stored = load_reference("e01")
    quantities, studies, rows = [], [], []
    counts = (10, 20, 40)
    for ends, name, rigid in ENDS:
        progress(ends)
        element = Frame(section=SLENDER, shear=False)
        roots = {n: np.sqrt(bending(_line(element, 1.0, n), ends, rigid, FIVE)[0]) for n in counts}
        references = [stored.reference(f"{name} beta_n L, n=1..5", i) for i in range(FIVE)]
        for i, reference in enumerate(references):
            # the error of the Hermite cubic is (beta h)^4 / 1440 of beta
            allowed = 2.0 * (reference.value / 40) ** 4 / 1440 + 1e-9
            quantities.append(
                measured(f"{ends}: beta L of mode {i + 1}", "-", roots[40][i], reference.value, stored.source,
                         reference.uncertainty, rtol=allowed)
            )  # fmt: skip
        errors = [abs(roots[n][4] / references[4].value - 1.0) for n in counts]
        studies.append(ConvergenceStudy(f"{ends}, mode 5", counts, errors, 4.0, 3.8, counts=True))
        rows.append((ends, *(f"{r:.7f}" for r in roots[40])))
    thick, more = _shear(progress)
    table = Table("Frame element without shear, 40 elements: beta L", ("ends", "1", "2", "3", "4", "5"), rows)
    remark = (
        "With shear the order is 2, not 4: the shear strain of the element is constant, so its energy is only matched "
        "to second order once inertia makes the shear force vary. In statics the element is exact at its nodes."
    )
    return Outcome([*quantities, *thick], [*studies, *more], [table], [("Clamped and free.", _drawing())], [remark])


def _shear(progress: Progress) -> tuple[Sequence[Any], Sequence[ConvergenceStudy]]:
    """E02."""
    stored = load_reference("e02")
    data = stored.parameters
    section = fx.Rectangle(width=data["b"], height=data["h"])
    material = fx.Elastic(youngs_modulus=data["E"], poissons_ratio=data["nu"], density=data["rho"])
    quantities, studies = [], []
    counts = (40, 80, 160, 320)
    for ends, name, count in (
        ("pinned-pinned", "SS bending branch omega_1..5", 5),
        ("clamped-free", "CF omega_1..4", 4),
    ):
        progress(f"{ends} with shear")
        found = [bending(_line(Frame(section=section), data["L"], n, material), ends, 0, count)[0] for n in counts]
        references = [stored.reference(name, i) for i in range(count)]
        for i, reference in enumerate(references):
            quantities.append(
                measured(f"{ends} with shear: omega of mode {i + 1}", "rad/s", found[-1][i], reference.value,
                         stored.source, reference.uncertainty, rtol=1e-4)
            )  # fmt: skip
        errors = [abs(omega[-1] / references[-1].value - 1.0) for omega in found]
        studies.append(ConvergenceStudy(f"{ends} with shear, mode {count}", counts, errors, 2.0, 1.9, counts=True))
    progress("second branch")
    fine = [_line(Frame(section=section), data["L"], n, material).assemble() for n in counts]
    second = [[_harmonic(operators, k) for operators in fine] for k in (0, 1, 2)]
    for k, name, index in (
        (0, "pure thickness-shear cut-off sqrt(ks G A/(rho I))", None),
        (1, "SS shear (second) branch omega_1..2", 0),
        (2, "SS shear (second) branch omega_1..2", 1),
    ):
        reference = stored.reference(name, index)
        label = f"pinned-pinned, second branch, {k} half-waves" if k else "sections turning against each other"
        quantities.append(
            measured(f"{label}: omega, extrapolated", "rad/s", (4 * second[k][-1] - second[k][-2]) / 3, reference.value,
                     stored.source, reference.uncertainty, rtol=1e-6)
        )  # fmt: skip
        errors = [abs(omega / reference.value - 1.0) for omega in second[k]]
        studies.append(ConvergenceStudy(label, counts, errors, 2.0, 1.9, counts=True))
    return quantities, studies


def _harmonic(operators: Operators, k: int) -> float:
    """Highest frequency with k half-waves in a pinned beam of equal elements.

    The nodal values w = sin, theta = cos are exact modes of the elements: continued oddly, the beam has no ends.
    """
    x = operators.points[operators.dofs.node, 0] / operators.points[-1, 0]
    across, turning = operators.dofs.component == 1, operators.dofs.component == 5
    V = np.column_stack([across * np.sin(k * np.pi * x), turning * np.cos(k * np.pi * x)])[:, 0 if k else 1 :]
    return float(np.sqrt(linalg.eigh(V.T @ (operators.K @ V), V.T @ (operators.M @ V), eigvals_only=True)[-1]))


def _drawing() -> Any:
    """The first three modes of a cantilever."""
    part = _line(Frame(section=SLENDER, shear=False), 1.0, 40)
    _, deflections = bending(part, "clamped-free", 0, 3)
    drawing, axes = figure(6.4, 2.8)
    for i in range(3):
        w = deflections[:, i]
        axes.plot(part.mesh.points[:, 0], w / np.abs(w).max(), color=COLOURS[i], label=f"mode {i + 1}")
    axes.set_xlabel("x / L")
    axes.set_ylabel("deflection")
    axes.legend(frameon=False)
    return drawing


CASE = Case(
    id="frame-modes",
    title="Frame element: beams with all standard ends, slender and with shear",
    area="modes",
    summary=(
        "A part of frame elements: the first five bending frequencies of a slender Euler-Bernoulli beam with every "
        "pair of pinned, clamped, guided and free ends, and those of a steel Timoshenko beam ten times as long as high."
    ),
    run=run,
    source=(
        "R. D. Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1; S. P. Timoshenko, Phil. Mag. 41 "
        "(1921) 744-746, and the exact transfer matrix for the cantilever."
    ),
    equations=(r"\omega_n = \dfrac{(\beta_n L)^2}{L^2} \sqrt{\dfrac{EI}{\rho A}}",),
    basic=True,
)
