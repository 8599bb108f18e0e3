"""A stiff strip drawn over a smooth roller: where it lifts off, and the line force there."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

R, EI, EA, T = 0.3, 17.5, 2.1e8, 5000.0
"""Radius of the axis on the roller [m]; of a steel strip of 1 mm, by width [N m, N/m]; tension [N/m]."""
BETA = np.radians(60.0)
THICK = 5e-4
FREE = 0.5
STIFFNESS = 1e11
LENGTH2 = EI / T
WINDOW = 8.0
"""Degrees before the edge over which the line force is taken together; beyond, what the even pressure is alone."""
PHI = 2.0 * np.arcsin(0.5 * np.sqrt(LENGTH2) / R)
"""Turn of the strip between where it lifts off and its straight part."""


def strip(elements: int) -> tuple[fx.Model, Any, Any]:
    """Half of it: from the top of the roller, about which it is symmetric, to the end that is pulled."""
    length = R * BETA + FREE
    half = fx.FlexibleBody.line(
        (0.0, R), (length, R), elements=elements, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=7.85), name="strip",
    )  # fmt: skip
    roller = fx.contact.Cylinder(fx.ground.marker((0.0, 0.0)), radius=R - THICK)
    touch = fx.Contact(
        (roller, fx.contact.Tube(half, radius=THICK, points=4)),
        fx.contact.HuntCrossleyLaw(stiffness=STIFFNESS, exponent=1.0), allow_overlap=True, name="roller",
    )  # fmt: skip
    pull = fx.PointForce(half.end, (T * np.cos(BETA), -T * np.sin(BETA)))
    return fx.Model(half, touch, pull, fx.Symmetry(half.start, normal=(1.0, 0.0))), half, touch


def figures(elements: int) -> dict[str, Any]:
    """What is compared."""
    model, half, touch = strip(elements)
    rest = fx.solve_static(model)
    end = rest.position(half.end, step=-1)[:2]
    along = rest.contact(touch).along[0]
    angle = np.arctan2(along.point[-1, :, 0], along.point[-1, :, 1])
    load = along.normal[-1] * along.size  # forces of the points [N]
    N, M = (float(rest.resultant(half, name, step=-1)[0].mean()) for name in ("N", "M"))
    pressure, place = along.normal[-1], np.degrees(angle)
    near = place > np.degrees(BETA - PHI) - WINDOW
    return {
        "offset": float(end @ np.array((np.sin(BETA), np.cos(BETA)))) - R, "tension": N, "moment": abs(M),
        "edge": float(load[near].sum()) - T * np.cos(PHI) * np.radians(WINDOW),
        "last": float(place[pressure > 0.0].max()), "place": place, "pressure": pressure,
    }  # fmt: skip


def run(progress: Progress) -> Outcome:
    """Figures of 160 elements."""
    progress("160 elements")
    found = figures(160)
    how = "elastica between the roller and the straight part"
    quantities = [
        measured("distance of the straight part from the tangent of the roller", "m", found["offset"],
                 0.5 * LENGTH2 / R, how, rtol=1e-3),
        measured("tension on the roller", "N/m", found["tension"], T * np.cos(PHI), how, rtol=1e-4),
        measured("moment on the roller", "N m/m", found["moment"], EI / R, "curvature of the roller", rtol=1e-4),
        measured("line force where it lifts off", "N/m", found["edge"], T * np.sin(PHI), how, rtol=0.02),
        measured("angle from the top where it lifts off", "deg", found["last"], float(np.degrees(BETA - PHI)), how,
                 atol=1.5),
    ]  # fmt: skip
    drawing, axes = figure(6.4, 2.8)
    axes.plot(
        found["place"], 1e-3 * found["pressure"], ".", color=COLOURS[0], markersize=3.0, label="points of elements"
    )
    axes.axhline(1e-3 * T * np.cos(PHI) / R, color="black", lw=1.0, label="tension over radius")
    axes.axvline(float(np.degrees(BETA - PHI)), color="black", lw=0.6, ls="--", label="where it lifts off")
    axes.set_xlim(0.0, 60.0)
    axes.set_xlabel("angle from the top in degrees")
    axes.set_ylabel("pressure in kN/m per m")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Pressure of the roller on the strip.", drawing)])


CASE = Case(
    id="strip-over-roller",
    title="A stiff strip drawn over a roller",
    area="contact",
    summary=(
        "A steel strip of 1 mm under tension goes by 120 degrees over a smooth roller of 0.3 m. Bending keeps it from "
        "lying on it to the tangent: it lifts off before, with a line force beside the even pressure. The elastica of "
        "the free part gives the angle, the line force, the tension on the roller and how far outside the tangent the "
        "straight part runs. The force is spread over (4 EI/k)^(1/4) = 5 mm, 1 degree, by the stiffness k of contact."
    ),
    run=run,
    source="First integral of the elastica, with the curvature of the roller at one end and none at the other.",
    equations=(
        r"\sin\frac{\varphi}{2} = \frac{1}{2R}\sqrt{\frac{EI}{T}},\quad F = T \sin\varphi,\quad "
        r"N = T \cos\varphi,\quad e = \frac{EI}{2 R T}",
    ),
)
