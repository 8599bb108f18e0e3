"""Two taut cables that cross, and two beams that cross."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.reference.data import load_reference

LENGTH, RADIUS, DEEP, DEEP_BEAMS = 1.0, 0.005, 0.05, 0.001
AXIAL, PULL, BENDING = (1e4, 5e3), (100.0, 50.0), (43.75, 12.5)
FINE = 0.05
"""Half length of the part of a cable in the middle that is meshed finely: the kink there is spread over an element."""
STIFF = 1e7, 1e9
"""Of the contact of cables and beams [force/length^1.5]: depths of 8e-5 m and 6e-7 m."""


def _line(name: str, length: float, height: float, along: FloatArray, stiffness: fx.BeamStiffness) -> fx.FlexibleBody:
    """A straight cable about the origin at a height."""
    places = [x * along + (0.0, 0.0, height) for x in (-0.5 * length, -FINE, FINE, 0.5 * length)]
    return fx.FlexibleBody(
        fx.meshes.polyline(places, elements=[8, 24, 8]), fx.elements.ANCFCable3D(), stiffness=stiffness, name=name
    )


def _crossing(lowered: float, bending: tuple[float, float], taut: bool) -> tuple[fx.StaticSolution, list[Any]]:
    """A and B in equilibrium when the ends of B have been lowered; both lines."""
    lines, supports = [], []
    for i, along in enumerate(np.eye(3)[:2]):
        # free of stress when shorter by the strain of the pretension, so that it is taut between its ends
        length = LENGTH / (1.0 + PULL[i] / AXIAL[i]) if taut else LENGTH
        stiffness = fx.BeamStiffness(EA=AXIAL[i], EI_z=bending[i], EI_y=bending[i], mass_per_length=0.1)
        line = _line("AB"[i], length, 2.0 * RADIUS * i, along, stiffness)
        for place, side in ((line.start, -1.0), (line.end, 1.0)):
            moved = 0.5 * side * (LENGTH - length) * along - (0.0, 0.0, lowered * i)
            supports.append(fx.Prescribe(place, tuple(moved)))
        lines.append(line)
    law = fx.contact.HuntCrossleyLaw(stiffness=STIFF[0 if taut else 1])
    tubes = tuple(fx.contact.Tube(line, radius=RADIUS) for line in lines)
    touch = fx.Contact(tubes, law, allow_overlap=True, name="crossing")
    return fx.solve_static(fx.Model(*lines, touch, *supports, name="crossing")), lines


def _measured(found: fx.StaticSolution, lines: list[Any], lowered: float) -> tuple[float, list[float], list[float]]:
    """Force of the contact, deflections of A and B at the crossing, and tensions."""
    moved = [
        float(found.displacement(line.at((0.0, 0.0, 2.0 * RADIUS * i)), step=-1)[2]) for i, line in enumerate(lines)
    ]
    N = [float(found.resultant(line, "N", step=-1)[:6].mean()) for line in lines]
    return float(found.contact("crossing").normal[-1, 0]), [-moved[0], lowered + moved[1]], N


def run(progress: Progress) -> Outcome:
    """Cables, then beams."""
    figures = load_reference("crossing-cables")
    progress("cables")
    found, lines = _crossing(DEEP, (1e-5, 1e-5), taut=True)
    force, sinks, tensions = _measured(found, lines, DEEP)
    quantities = [
        *beside(figures, "contact force of the cables", force, rtol=0.005),
        *beside(figures, "deflection of A and of B at the crossing", sinks, rtol=0.005),
        *beside(figures, "tensions", tensions, rtol=0.005),
    ]
    progress("beams")
    beams, lines = _crossing(DEEP_BEAMS, BENDING, taut=False)
    force, sinks, _ = _measured(beams, lines, DEEP_BEAMS)
    quantities += [
        *beside(figures, "contact force of the beams", force, rtol=0.005),
        *beside(figures, "deflection of both beams", sinks, rtol=0.005),
    ]
    drawing, axes = figure(6.4, 2.4)
    for colour, line in zip(COLOURS, found.model.flexible_bodies, strict=False):
        at = np.array([found.position(line.node(k), step=-1) for k in range(line.mesh.n_points)])
        axes.plot(at[:, 0] + at[:, 1], 1e3 * at[:, 2], color=colour, lw=1.4, label=line.name)
    axes.set_xlabel("place along each cable in m")
    axes.set_ylabel("height in mm")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("The two cables from the side.", drawing)])


CASE = Case(
    id="crossing-cables",
    title="Two taut cables that cross, and two beams that cross",
    area="contact",
    summary=(
        "Two taut cables cross at right angles; the ends of the upper one are lowered by 50 mm. Then two beams, by 1 "
        "mm. Tubes touch at the places of their axes that are nearest to each other, found within the pair of elements."
    ),
    run=run,
    source="Equilibrium of two kinked strings, and of two beams; closed form.",
    equations=(r"F = 2\,T_A\,\frac{2 w_A}{L_A} = 2\,T_B\,\frac{2 w_B}{L_B}, \quad w_A + w_B = d",),
)
