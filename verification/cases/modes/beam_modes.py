"""E01 and E02: natural frequencies of beams with all standard ends, slender and with shear."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.elements import ANCFCable2D, ANCFCable3D, LinearBeam2D, LinearBeam3D
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, bending_only, figure, measured
from flexmbs.verification.reference.data import load_reference

ENDS = (
    ("pinned-pinned", "pinned-pinned"),
    ("clamped-free", "clamped-free"),
    ("clamped-clamped", "clamped-clamped (= free-free elastic)"),
    ("free-free", "clamped-clamped (= free-free elastic)"),
    ("clamped-pinned", "clamped-pinned (= free-pinned elastic)"),
    ("pinned-free", "clamped-pinned (= free-pinned elastic)"),
    ("clamped-guided", "clamped-guided (= free-guided elastic)"),
    ("guided-free", "clamped-guided (= free-guided elastic)"),
    ("pinned-guided", "pinned-guided"),
    ("guided-guided", "guided-guided elastic"),
)
FIVE = 5
ALONG = (1.0, 0.0)
SLENDER = fx.BeamStiffness(EA=1e7, EI_z=1.0, mass_per_length=1.0, GJ=1.0)
SUPPORTS: dict[str, Callable[[fx.Attachment], Any]] = {
    "pinned": fx.Pin,
    "clamped": fx.Clamp,
    "guided": lambda at: fx.Guide(at, normal=ALONG),
    "free": lambda at: fx.Roller(at, normal=ALONG),  # along the beam only: the rest of the end is free
}


def _bending(element: Any, ends: str, elements: int) -> np.ndarray:
    """The first five elastic bending roots beta L of a planar beam; all other motions lie above or are rigid."""
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=elements, element=element, stiffness=SLENDER, name="beam")
    start, end = ends.split("-")
    model = fx.Model(beam, SUPPORTS[start](beam.start), SUPPORTS[end](beam.end))
    modes = fx.solve_modal(model, modes=FIVE + 3)
    elastic = modes.angular_frequencies[modes.angular_frequencies > 1.0]
    return np.sqrt(elastic[:FIVE])


def run_ends(progress: Progress) -> Outcome:
    """All standard ends with the planar cable and the linear beam; spatial elements for three of them."""
    stored = load_reference("e01")
    quantities, studies, rows = [], [], []
    counts = (10, 20, 40)
    for ends, name in ENDS:
        progress(ends)
        roots = {n: _bending(ANCFCable2D(), ends, n) for n in counts}
        linear = _bending(LinearBeam2D(), ends, 40)
        exact = np.array([stored.value(f"{name} beta_n L, n=1..5", i) for i in range(FIVE)])
        for i in range(FIVE):
            reference = stored.reference(f"{name} beta_n L, n=1..5", i)
            for label, value in (("cable", roots[40][i]), ("linear beam", linear[i])):
                quantities.append(
                    measured(f"{ends}, {label}: beta L of mode {i + 1}", "-", value, reference.value, stored.source,
                             reference.uncertainty, rtol=2e-6 * (i + 1) ** 4 / 25)
                )  # fmt: skip
        errors = [abs(roots[n][4] / exact[4] - 1.0) for n in counts]
        studies.append(ConvergenceStudy(f"{ends}, mode 5", counts, errors, 4.0, 3.8, floor=1e-12, counts=True))
        rows.append((ends, *(f"{r:.7f}" for r in roots[40])))
    for ends in ("clamped-free", "pinned-pinned", "clamped-clamped"):
        progress(f"{ends} in space")
        quantities += _in_space(ends)
    table = Table("Planar cable, 40 elements: beta L", ("ends", "1", "2", "3", "4", "5"), rows)
    return Outcome(quantities, studies, [table], [("Modes 1 to 3 of a clamped-free beam.", _shapes())])


def _in_space(ends: str) -> list[Any]:
    """In space every bending mode comes twice, in both directions; cable and beam must agree with the plane."""
    found = []
    exact = _bending(ANCFCable2D(), ends, 20)
    held: dict[str, Callable[[fx.Attachment], Any]] = {
        "pinned": fx.Pin,
        "clamped": fx.Clamp,
        "free": lambda at: fx.Roller(at, normal=(1.0, 0.0, 0.0)),
    }
    start, end = ends.split("-")
    for label, element in (("spatial cable", ANCFCable3D()), ("spatial beam", LinearBeam3D())):
        beam = fx.FlexibleBody.line(
            (0, 0, 0), (1, 0, 0), elements=20, element=element,
            stiffness=fx.BeamStiffness(EA=1e7, EI_z=1.0, mass_per_length=1.0, GJ=10.0, rhoI_y=1e-7, rhoI_z=1e-7),
        )  # fmt: skip
        supports = [held[start](beam.start), held[end](beam.end)]
        # Two pins let a beam with torsional inertia spin about its axis: one rigid motion more.
        spinning = 1 if label == "spatial beam" and ends == "pinned-pinned" else 0
        modes = fx.solve_modal(fx.Model(beam, *supports), modes=4 + spinning)
        for i in range(2):
            for twin in range(2):
                value = math.sqrt(modes.angular_frequencies[2 * i + twin + spinning])
                found.append(
                    measured(f"{ends}, {label}: beta L of mode {i + 1}, twin {twin + 1}", "-", value, exact[i],
                             "planar cable, same mesh", 0.0, rtol=4e-6)
                )  # fmt: skip
    return found


def _shapes() -> Any:
    """Modes of the cantilever."""
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=20, element=ANCFCable2D(), stiffness=SLENDER)
    modes = fx.solve_modal(fx.Model(beam, fx.Clamp(beam.start)), modes=3)
    drawing, axes = figure(6.4, 2.8)
    for i in range(3):
        line = modes.shape(beam, i, 1.0)[..., :2].reshape(-1, 2)
        axes.plot(line[:, 0], line[:, 1] / np.abs(line[:, 1]).max(), color=COLOURS[i], label=f"mode {i + 1}")
    axes.set_xlabel("x / L")
    axes.set_ylabel("deflection")
    axes.legend(frameon=False)
    return drawing


def run_shear(progress: Progress) -> Outcome:
    """Simply supported and clamped-free Timoshenko beam."""
    stored = load_reference("e02")
    data = stored.parameters
    section = fx.Rectangle(width=data["b"], height=data["h"])
    material = fx.Elastic(youngs_modulus=data["E"], poissons_ratio=data["nu"], density=data["rho"])
    quantities, studies = [], []
    counts = (40, 80, 160, 320)
    for label, name, count in (
        ("pinned-pinned", "SS bending branch omega_1..5", 5),
        ("clamped-free", "CF omega_1..4", 4),
    ):
        errors: list[list[float]] = [[] for _ in range(count)]
        for elements in counts:
            progress(f"{label}, {elements} elements")
            beam = fx.FlexibleBody.line(
                (0, 0), (data["L"], 0), elements=elements, element=LinearBeam2D(), section=section, material=material
            )
            ends = (fx.Pin(beam.start), fx.Pin(beam.end)) if label == "pinned-pinned" else (fx.Clamp(beam.start),)
            modes = fx.solve_modal(fx.Model(beam, *ends), modes=12)
            bending = bending_only(modes, count, beam).angular_frequencies
            for i in range(count):
                reference = stored.reference(name, i)
                errors[i].append(abs(bending[i] / reference.value - 1.0))
                if elements == 320:
                    quantities.append(
                        measured(f"{label}: omega of bending mode {i + 1}", "rad/s", bending[i], reference.value,
                                 stored.source, reference.uncertainty, rtol=1e-4)
                    )  # fmt: skip
        studies.append(
            ConvergenceStudy(f"{label}, mode {count}", counts, errors[-1], 2.0, 1.9, floor=1e-9, counts=True)
        )
    remark = (
        "Order 2: the shear strain of the element is constant, so its energy, unlike that of bending, is only matched "
        "to second order once inertia makes the shear force vary. In statics the element is exact at its nodes."
    )
    return Outcome(quantities, studies, remarks=[remark])


BEAM_ENDS = Case(
    id="e01-beam-ends",
    title="Bernoulli-Euler beams with all standard ends",
    area="modes",
    summary=(
        "The first five bending frequencies of a slender beam with every pair of pinned, clamped, guided and free "
        "ends, by the absolute-nodal cable and the linear beam, in the plane and in space. The elements have no rotary "
        "inertia here. EA L²/EI = 1e7 keeps axial vibration above."
    ),
    run=run_ends,
    source="R. D. Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1; characteristic equations.",
    equations=(r"\omega_n = \dfrac{(\beta_n L)^2}{L^2} \sqrt{\dfrac{EI}{\rho A}}",),
    basic=True,
)

SHEAR = Case(
    id="e02-timoshenko",
    title="Timoshenko beam, simply supported and clamped",
    area="modes",
    summary=(
        "A steel beam ten times as long as high, where shear deformation and rotary inertia lower the fifth bending "
        "frequency by a third. Linear beam element with shear."
    ),
    run=run_shear,
    source="S. P. Timoshenko, Phil. Mag. 41 (1921) 744-746; clamped-free by the exact transfer matrix.",
    equations=(
        r"\dfrac{\rho A\, \rho I}{k G A}\,\omega^4 - \left(\rho A + \rho I k_n^2 + "
        r"\dfrac{EI\,\rho A\,k_n^2}{k G A}\right)\omega^2 + EI\,k_n^4 = 0",
    ),
)
