"""E06: a long steel strip under tension, whose waves run almost as on a string, in flexion and in torsion."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.elements import ShellQuad, ShellTriangle
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.statics.plates import square
from flexmbs.verification.reference.data import load_reference

TENSION = 24000.0
COUNT = 4


def _frequencies(element: Any, along: int, across: int, p: dict[str, Any]) -> tuple[list[float], list[float], float]:
    """The first flexions and torsions [Hz] of a strip of ``along`` times ``across`` cells, and its tension [N]."""
    mesh = square(element.cell_type, along, (p["L"], p["b"]), across)
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=p["rho"])
    strip = fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, material)]).assemble()
    middle = int(np.argmin(np.linalg.norm(mesh.points[mesh.node_set("left")] - [0, 0.5 * p["b"], 0], axis=1)))
    ends = {"left": ("ux", "uz"), "right": ("uz",)}
    root = int(mesh.node_set("left")[middle])
    elongation = TENSION * p["L"] / (p["E"] * p["b"] * p["t"])
    held: dict[Any, Any] = {
        "left": ("ux", "uz", "rz"), "right": {"ux": elongation, "uz": 0.0, "rz": 0.0}, root: ("uy",),
    }  # fmt: skip
    stretched = fx.linear.static_response(strip, held)
    # vibration across the strip only: its own plane is stiff and has modes of its own
    modes = fx.linear.vibration_modes(strip, 2 * COUNT, {**ends, "all": ("ux", "uy", "rz")}, prestress=stretched)
    w = modes.shapes[:, 2]
    y = mesh.points[:, 1] - 0.5 * p["b"]
    far, near = (w[np.abs(y - side) < 1e-9] for side in (0.5 * p["b"], -0.5 * p["b"]))
    together = np.einsum("im,im->m", far, near)  # of one sign in flexion, of opposite signs in torsion
    flexion, torsion = modes.frequencies[together > 0], modes.frequencies[together < 0]
    return list(flexion[:COUNT]), list(torsion[:COUNT]), float(stretched.reaction("right")[0])


def run(progress: Progress) -> Outcome:
    """Static tension, then vibration about it."""
    stored = load_reference("e06")
    p = stored.parameters
    quantities, studies = [], []
    counts = (50, 100, 200)
    names = ("T=24000 N flexion f1..4 (pinned, constant T)", "T=24000 N torsion f1..4 (constant T)")
    errors: list[list[float]] = [[], []]
    for along in counts:
        progress(f"{along} cells along the strip")
        *found, tension = _frequencies(ShellQuad(thickness=p["t"]), along, 2, p)
        for which, name in enumerate(names):
            errors[which].append(abs(found[which][3] / stored.value(name, 3) - 1.0))
    progress("triangles")
    *others, _ = _frequencies(ShellTriangle(thickness=p["t"]), 60, 12, p)
    for which, name in enumerate(names):
        motion = ("flexion", "torsion")[which]
        for label, values, rtol in (("quad", found, 1e-3), ("triangle", others, 1e-2)):
            for i in range(COUNT):
                known = stored.reference(name, i)
                quantities.append(
                    measured(f"{label}: {motion} {i + 1}", "Hz", values[which][i], known.value, stored.source,
                             known.uncertainty, rtol=rtol)
                )  # fmt: skip
        studies.append(ConvergenceStudy(f"quad: {motion} 4", counts, errors[which], 2.0, 1.8, floor=1e-5, counts=True))
    quantities.append(measured("quad: tension", "N", tension, TENSION, "E A times the strain", rtol=1e-9))
    remark = (
        "Quadrilaterals are exact across the strip with any number of cells. Triangles take the deflection as linear, "
        "which for torsion under tension has the relative error 1/m² with m cells across (12 here)."
    )
    return Outcome(quantities, studies, remarks=[remark])


CASE = Case(
    id="e06-strip",
    title="Tensioned strip of a galvanizing line",
    area="modes",
    summary=(
        "A steel strip 50 m long, 1 m wide and 1 mm thick hangs between two rollers under a tension of 24 kN. The "
        "static solution under tension gives the stress stiffness, without which the strip would be limp. Torsion lies "
        "0.7 % above flexion because of the torsional stiffness of the section itself."
    ),
    run=run,
    source="Beam under tension, and torsion of a tensioned strip with warping left out.",
    equations=(
        r"f_n = \dfrac{n}{2L}\sqrt{\dfrac{T}{\rho A}\left(1 + \dfrac{n^2 \pi^2 EI}{T L^2}\right)}, \quad"
        r" f_n^t = \dfrac{n}{2L}\sqrt{\dfrac{GJ + \sigma I_p}{\rho I_p}}",
    ),
)
