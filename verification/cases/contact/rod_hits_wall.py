"""An elastic rod flies lengthwise against a wall and leaves it again after a wave has run to its end and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.reference.data import load_reference

LENGTH, AREA, SPEED, ELEMENTS = 1.0, 1e-4, 1.0, 100
STEEL = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.0, density=7800.0, name="steel without lateral contraction")
WALL = 3e9
"""Stiffness of the wall [force/length]: 1.4 times that of an element, whose period it does not shorten by much."""


def run(progress: Progress) -> Outcome:
    """The flight against the wall."""
    figures = load_reference("rod-hits-wall")
    c = float(np.sqrt(STEEL.youngs_modulus / STEEL.density))
    rod = fx.FlexibleBody.line(
        (0, 0), (LENGTH, 0), elements=ELEMENTS, element=fx.elements.ANCFCable2D(),
        section=fx.Rectangle(width=AREA**0.5, height=AREA**0.5), material=STEEL, name="rod",
    )  # fmt: skip
    wall = fx.contact.Plane(fx.ground.marker((0, 0), axis=(1, 0)))
    law = fx.contact.HuntCrossleyLaw(stiffness=WALL, exponent=1.0)
    touch = fx.Contact((wall, fx.contact.Vertex(rod.start)), law, name="wall")
    model = fx.Model(rod, touch, fx.InitialVelocity(rod, velocity=(-SPEED, 0.0)))
    progress("flies")
    steps = 2000
    until = 3.0 * LENGTH / c
    scheme = fx.GeneralizedAlpha(rho_inf=0.5)
    found = fx.simulate(model, until, step=until / steps, integrator=scheme, output=fx.Output(every=until / steps))
    t, normal = found.t, found.contact(touch).normal[:, 0]
    closed = normal > 0.05 * normal.max()
    last = t[np.flatnonzero(closed)[-1]]
    inside = (t > 0.2 * LENGTH / c) & (t < 1.8 * LENGTH / c)
    momentum = float(np.trapezoid(normal, t))
    free = found.momentum()[0][-1, 0] / rod.mass
    moved = 0.5 * rod.mass * free**2
    energy = found.energy
    kept = (energy.kinetic[-1] + energy.strain[-1] - moved) / moved
    ends = [found.displacement(end)[:, 0] for end in (rod.start, rod.end)]
    near, far = (float(np.interp(LENGTH / c, t, x)) for x in ends)
    drawing, axes = figure(6.4, 2.6)
    axes.plot(1e3 * t, 1e-3 * normal, color=COLOURS[0], lw=1.0)
    axes.plot([0, 2e3 * LENGTH / c], [1e-3 * STEEL.density * c * AREA * SPEED] * 2, "--", color="black", lw=0.8)
    axes.set_xlabel("t in ms")
    axes.set_ylabel("force in kN")
    name = "displacement of the free end at L/c, against stress-free motion from the touch"
    quantities: list[Any] = [
        *beside(figures, "duration of contact", last, rtol=0.02),
        *beside(figures, "force, mean from 0.2 to 1.8 L/c", float(normal[inside].mean()), rtol=0.02),
        *beside(figures, "momentum handed to the wall", momentum, rtol=0.002),
        *beside(figures, "mean speed afterwards", -free, rtol=0.002),
        *beside(figures, "energy of vibration afterwards over the kinetic energy", kept, atol=0.02),
        *beside(figures, name, -far, rtol=0.01),
        *beside(figures, "compression of the whole rod at L/c", near - far, rtol=0.01),
    ]
    return Outcome(quantities, [], [], [("Force on the wall.", drawing)])


CASE = Case(
    id="rod-hits-wall",
    title="Elastic rod hits a rigid wall",
    area="contact",
    summary=(
        "A steel rod of 1 m flies lengthwise against a wall. A wave runs to its free end and back, the force is "
        "constant meanwhile, and the rod leaves with its speed turned round. 100 planar cables, whose end touches as a "
        "vertex."
    ),
    run=run,
    source="B. de Saint-Venant, 1867; W. Goldsmith, Impact, 1960.",
    equations=(r"F = \rho c A v, \quad T = 2 L/c, \quad c = \sqrt{E/\rho}",),
)
