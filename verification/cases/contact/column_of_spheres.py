"""Ten spheres on each other under their weight, at rest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import figure
from flexmbs.verification.cases.contact.beside import FLOOR, beside, weight
from flexmbs.verification.reference.data import load_reference

NUMBER, RADIUS, MASS = 10, 0.05, 1.0
SOFT = fx.Elastic(youngs_modulus=5e6, poissons_ratio=0.3, density=1000.0, name="soft")
GUESS = 1e-3
"""Overlap from which the equilibrium is sought: where spheres just touch, nothing has stiffness."""


def run(progress: Progress) -> Outcome:
    """One equilibrium."""
    figures = load_reference("column-of-spheres")
    progress("equilibrium")
    balls = [
        fx.RigidBody.sphere(
            radius=RADIUS, mass=MASS, position=(0, 0, RADIUS - GUESS + (2.0 * RADIUS - GUESS) * i), name=f"ball {i}"
        )
        for i in range(NUMBER)
    ]
    guides = [
        fx.PrismaticJoint(fx.ground, ball, at=(0, 0, 0), axis=(0, 0, 1), name=f"guide {i}")
        for i, ball in enumerate(balls)
    ]
    shapes = [FLOOR, *(fx.contact.Sphere(ball, radius=RADIUS) for ball in balls)]
    pairs = list(pairwise(shapes))
    law = fx.contact.HertzLaw(material=SOFT)
    touch = fx.Contact(shapes, law, pairs=pairs, allow_overlap=True, name="touch")
    rest = fx.solve_static(fx.Model(*balls, *guides, touch, weight()))
    found = rest.contact(touch)
    quantities = [
        *beside(figures, "contact forces from the plane upwards", found.normal[-1], rtol=1e-8),
        *beside(figures, "depths from the plane upwards", -found.gap[-1], rtol=1e-7),
        *beside(figures, "height of the centre of the top sphere", rest.position(balls[-1])[-1, 2], rtol=1e-10),
    ]
    drawing, axes = figure()
    axes.plot(np.arange(1, NUMBER + 1), found.normal[-1], "o-", linewidth=1.2)
    axes.set_xlabel("contact, from the plane upwards")
    axes.set_ylabel("normal force in N")
    return Outcome(quantities, [], [], [("Forces between the spheres.", drawing)])


CASE = Case(
    id="column-of-spheres",
    title="Column of ten spheres under their weight",
    area="contact",
    summary=(
        "Ten equal spheres of a soft elastic material stand on each other on a plane, guided on a vertical line. "
        "The static analysis finds forces, which statics alone gives, and depths, which follow from Hertz."
    ),
    run=run,
    source="Closed form.",
    equations=(r"N_i = (n - i + 1)\, m g, \quad d_i = (N_i / k_i)^{2/3}",),
)
