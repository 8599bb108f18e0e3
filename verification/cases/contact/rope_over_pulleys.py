"""A rope over and under three fixed pulleys: the tension grows by Euler's factor at each."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

RADIUS, MU, EA, T0 = 0.1, 0.2, 5e4, 10.0
ARC, STRAND = np.pi * RADIUS, 0.25 * np.pi * RADIUS
THICK = 1e-3
"""Radius of the tube: the pulleys are smaller by it, so that the axis lies on RADIUS."""
DRAWN, SLIP = 1e-3, 2e-5
"""Speed at which the rope is drawn, and that of the regularised friction, 50 times less: 0.02 % of the friction."""
CENTRES = np.array(((0.0, 0.0), (2.0 * RADIUS, -STRAND), (4.0 * RADIUS, 0.0)))
ON_ARC, ON_STRAND = 40, 10


def axis(s: FloatArray) -> FloatArray:
    """The rope from left to right: over the first pulley, down, under the second, up, and over the third."""
    s = np.asarray(s, dtype=np.float64)
    x, y = np.empty_like(s), np.empty_like(s)
    for k, (cx, cy) in enumerate(CENTRES):
        begin, up = k * (ARC + STRAND), 1.0 if k % 2 == 0 else -1.0
        angle = np.clip((s - begin) / RADIUS, 0.0, np.pi)
        beyond = np.clip(s - begin - ARC, 0.0, STRAND)
        here = s >= begin
        x[here] = (cx - RADIUS * np.cos(angle))[here]
        y[here] = (cy + up * (RADIUS * np.sin(angle) - beyond))[here]
    return np.array([x, y])


def model() -> tuple[fx.Model, Any, Any]:
    """The rope, drawn down at its right end by a slide."""
    length = 3 * ARC + 2 * STRAND
    count = 3 * ON_ARC + 2 * ON_STRAND
    rope = fx.FlexibleBody(
        fx.meshes.curve(axis, count, (0.0, length)), fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=5e-6, mass_per_length=0.5, retardation_time=1e-4), name="rope",
    )  # fmt: skip
    pulleys = [fx.contact.Cylinder(fx.ground.marker(tuple(c)), radius=RADIUS - THICK) for c in CENTRES]
    tube = fx.contact.Tube(rope, radius=THICK)
    touch = fx.Contact(
        (*pulleys, tube), fx.contact.HuntCrossleyLaw(stiffness=1e8, exponent=1.0),
        fx.contact.CoulombLaw(MU, speed=SLIP), allow_overlap=True, name="pulleys",
    )  # fmt: skip
    end = tuple(float(x) for x in axis(np.array([length]))[:, 0])
    car = fx.PlanarRigidBody(mass=0.1, inertia=1e-3, position=end, name="car")
    slide = fx.PrismaticJoint(fx.ground, car, at=end, axis=(0, -1), name="slide")
    draw = fx.TranslationDriver(slide, rate=fx.motions.Ramp(0.0, DRAWN, duration=0.05), name="draw")
    pull = fx.PointForce(rope.start, (0.0, -T0), history=fx.Table([0.0, 0.02, 10.0], [0.0, 1.0, 1.0]))
    return fx.Model(rope, car, touch, slide, fx.RevoluteJoint(car, rope.end), draw, pull), rope, touch


def run(progress: Progress) -> Outcome:
    """Tensions in the strands and at the end."""
    progress("drawing")
    described, rope, touch = model()
    scheme = fx.GeneralizedAlpha(rho_inf=0.5)
    found = fx.simulate(described, 1.3, step=1e-3, output=fx.Output(every=0.1), integrator=scheme)
    N = found.resultant(rope, "N", step=-1)[:, 1]
    middle = [ON_ARC + ON_STRAND // 2, 2 * ON_ARC + ON_STRAND + ON_STRAND // 2]
    strands = [float(N[k - 1 : k + 1].mean()) for k in middle]
    drawn = abs(float(found.reaction("draw", step=-1)[1]))
    how = "Euler's formula for each pulley"
    quantities = [
        measured(
            f"tension behind {k} of 3 pulleys over T0", "1", value / T0, float(np.exp(MU * np.pi * k)), how, rtol=0.01
        )
        for k, value in enumerate((*strands, drawn), start=1)
    ]
    pairs = found.contact(touch)
    forces = np.stack([part.size @ part.force[-1] for part in pairs.along])[:, 1]
    ends = np.array((T0, *strands, drawn))
    for k, (force, low, high) in enumerate(zip(forces, ends[:-1], ends[1:], strict=True)):
        sign = 1.0 if k % 2 == 0 else -1.0
        quantities.append(
            measured(f"force of pulley {k + 1}, along its strands", "N", sign * float(force), float(low + high),
                     "equilibrium with the strands", rtol=0.002)
        )  # fmt: skip
    drawing, axes = figure(6.4, 2.8)
    s = (np.arange(len(N)) + 0.5) / len(N)
    axes.semilogy(s, N / T0, color=COLOURS[0], lw=1.2, label="rope")
    for k in range(4):
        axes.axhline(np.exp(MU * np.pi * k), color="black", lw=0.6, ls="--", label="Euler" if k == 0 else None)
    axes.set_xlabel("place along the rope, by elements")
    axes.set_ylabel("tension over T0")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Tension along the rope.", drawing)])


CASE = Case(
    id="rope-over-pulleys",
    title="A rope over and under three pulleys",
    area="contact",
    summary=(
        "A rope pulled by a force at one end is drawn slowly at the other, over, under and over three fixed pulleys of "
        "180 degrees each. Its tension grows by Euler's factor at each pulley and stays between them; each pulley "
        "carries the two strands."
    ),
    run=run,
    source="Euler's formula of belt friction, one factor for each pulley.",
    equations=(r"T_k = T_0\,e^{k \mu \pi}",),
)
