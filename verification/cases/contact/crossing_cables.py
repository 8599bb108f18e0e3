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
STIFF = 1e7
"""Of the contact [force/length^1.5]: a depth below 1e-4 m under the force of the cables, 1e-6 m of that of the beams."""


def _crossing(lowered: float, bending: tuple[float, float], pulled: bool, stiffness: float) -> tuple[Any, ...]:
    """Equilibria while the ends of B are lowered; A, B, and their contact."""
    lines = []
    for i, (name, along) in enumerate((("A", (1.0, 0.0, 0.0)), ("B", (0.0, 1.0, 0.0)))):
        # stress-free shorter by the strain of the pretension, so that it is taut between its ends
        short = LENGTH / (1.0 + PULL[i] / AXIAL[i]) if pulled else LENGTH
        end = 0.5 * short * np.array(along) + np.array((0.0, 0.0, 2.0 * RADIUS * i))
        start = end - short * np.array(along)
        stiff = fx.BeamStiffness(EA=AXIAL[i], EI_z=bending[i], EI_y=bending[i], mass_per_length=0.1)
        lines.append(
            fx.FlexibleBody.line(start, end, elements=20, element=fx.elements.ANCFCable3D(), stiffness=stiff, name=name)
        )
    a, b = lines
    law = fx.contact.HuntCrossleyLaw(stiffness=stiffness)
    tubes = (fx.contact.Tube(line, radius=RADIUS) for line in lines)
    touch = fx.Contact(tuple(tubes), law, allow_overlap=True, name="crossing")
    held: list[Any] = []
    for line, sign, down in ((a, 0, 0.0), (b, 1, -lowered)):
        for place, side in ((line.start, -1.0), (line.end, 1.0)):
            out = np.zeros(3)
            out[sign] = side * 0.5 * LENGTH - line.reference[0 if side < 0 else -1, sign]
            pulls = fx.Prescribe(place, tuple(out), history=fx.Table([0.0, 0.5, 1.0], [0.0, 1.0, 1.0]))
            held.append((place, pulls, out, down))
    supports = [
        fx.Prescribe(place, (*out[:2], down) if down else tuple(out)) for place, _, out, down in held
    ]
    found = fx.solve_static(fx.Model(a, b, touch, *supports, name="crossing"))
    return found, a, b, touch


def _middle(found: fx.StaticSolution, line: Any) -> FloatArray:
    at = np.argmin(np.abs(line.mesh.points[:, :2]).sum(axis=1))
    return np.asarray(found.displacement(line.nodes([int(at)]) if hasattr(line, "nodes") else line.start, step=-1))


def run(progress: Progress) -> Outcome:
    print([x for x in dir(fx.FlexibleBody) if not x.startswith("_")])
    figures = load_reference("crossing-cables")
    found, a, b, touch = _crossing(DEEP, (1e-4, 1e-4), True, STIFF)
    print(found, found.contact(touch).force[-1], found.contact(touch).normal[-1], found.resultant(a, "N", step=-1).mean(), found.resultant(b, "N", step=-1).mean())
    found, a, b, touch = _crossing(DEEP_BEAMS, BENDING, False, 1e9)
    print(found, found.contact(touch).force[-1])
    return Outcome([], [], [], [])
