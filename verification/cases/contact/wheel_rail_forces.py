"""Wheel on rail: virtual penetration, and the creep forces of FASTSIM."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.cases.contact.beside import STEEL, beside
from flexmbs.verification.reference.data import load_reference

RADIUS, RAIL, FORCE, FRICTION = 0.46, 0.3, 8e4, 0.3
WIDTH = (-0.03, 0.03)


def _contact(radius: float) -> fx.contact.WheelOnRail:
    return fx.contact.WheelOnRail(
        radius=RADIUS, profile=lambda y: y**2 / (2.0 * radius), width=WIDTH, material=STEEL
    )  # fmt: skip


def _worn(y: FloatArray) -> FloatArray:
    """A profile that touches in two zones: a second one 12 mm beside, 0.03 mm away."""
    return np.minimum(y**2 / 0.4, 3e-5 + (y - 0.012) ** 2 / 0.3)


def _pure_creep(patch: fx.contact.ContactPatch, creepage: float) -> float:
    """Force of creep along alone, by strips in closed form: q = k s up to where it meets c s (2 a - s)."""
    a, b = patch.semi_axes
    slope = creepage * patch.linear_creep()[0] / (8.0 * a**2 * b / 3.0)
    c = FRICTION * patch.pressure / patch.half_length**2
    length = 2.0 * patch.half_length
    s = np.clip(length - slope / c, 0.0, length)
    sticks = 0.5 * slope * s**2
    slips = c * (length * (length**2 - s**2) / 2.0 - (length**3 - s**3) / 3.0)
    return float(patch.width @ (sticks + slips))


def _areas() -> list[Measured]:
    """Patch of 0.55 of the penetration beside that of Hertz, for a circle."""
    patch = _contact(RADIUS).patch(FORCE, strips=400)
    hertz = math.pi * (3.0 * FORCE * RADIUS * (1.0 - 0.3**2) / (2.0 * STEEL.youngs_modulus)) ** (2.0 / 3.0)
    return [
        measured("area of the patch of 0.55 delta over that of Hertz", "-", patch.area / hertz, 1.0, "Hertz", rtol=0.06)
    ]


def run(progress: Progress) -> Outcome:
    """Normal force, patch, creep."""
    figures = load_reference("wheel-rail-normal-force")
    progress("normal force")
    circle, contact = _contact(RADIUS), _contact(RAIL)
    N = circle.normal_force(1e-4)
    hertz = 2.0 * STEEL.youngs_modulus * math.sqrt(RADIUS) * 1e-4**1.5 / (3.0 * (1.0 - 0.3**2))
    delta = contact.penetration(FORCE)
    whole = contact.patch(FORCE, part=1.0, strips=4001)
    quantities = [
        *beside(figures, "N of the circular case at delta = 1e-4 m", N, rtol=1e-6),
        *beside(figures, "ratio to Hertz", N / hertz, rtol=1e-6),
        *beside(figures, "delta for N = 80 kN, r = 0.3 m", delta.depth, rtol=1e-6),
        *beside(figures, "half width and half length of the region then (full penetration)",
                [0.5 * whole.width.sum(), whole.half_length.max()], rtol=1e-6),
        *_areas(),
    ]  # fmt: skip
    progress("two zones")
    two = fx.contact.WheelOnRail(radius=RADIUS, profile=_worn, width=WIDTH, material=STEEL).patch(FORCE, part=1.0)
    load = float(4.0 / 3.0 * two.width @ (two.pressure * two.half_length))
    quantities += [
        measured("worn profile: zones", "-", two.zones, 2, "two minima below the penetration", atol=1e-9),
        measured("worn profile: integral of the pressure", "N", load, FORCE, "the force given", rtol=1e-12),
    ]
    progress("creep")
    patch = contact.patch(FORCE, strips=200)
    linear = patch.linear_creep()
    small = 1e-7
    pulled = patch.creep_force(small, friction=FRICTION, steps=400).along
    pushed = patch.creep_force(0.0, small, friction=FRICTION, steps=400).across
    spun = patch.creep_force(0.0, 0.0, small, friction=FRICTION, steps=400).across
    gross = patch.creep_force(0.3, 0.4, friction=FRICTION)
    quantities += [
        measured("small creep along over G a b C11", "-", -pulled / small / linear[0], 1.0, "Kalker", rtol=1e-3),
        measured("small creep across over G a b C22", "-", -pushed / small / linear[1], 1.0, "Kalker", rtol=1e-3),
        measured("small spin over G (a b)^1.5 C23", "-", -spun / small / linear[2], 1.0, "Kalker", rtol=1e-3),
        measured(
            "large creep: force over mu N", "-", math.hypot(*gross[:2]) / FRICTION / FORCE, 1.0, "slip", rtol=1e-9
        ),
        measured(
            "large creep: across over along",
            "-",
            gross.across / gross.along,
            4.0 / 3.0 * linear[1] / linear[0],
            "creepages over flexibilities",
            rtol=1e-9,
        ),
    ]
    creepages = np.geomspace(1e-4, 2e-2, 12)
    found = np.array([-patch.creep_force(float(x), friction=FRICTION, steps=400).along for x in creepages])
    exact = np.array([_pure_creep(patch, float(x)) for x in creepages])
    worst = float(np.abs(found - exact).max() / (FRICTION * FORCE))
    quantities.append(
        measured("creep from 1e-4 to 2e-2: largest difference to strips in closed form, over mu N", "-", worst, 0.0,
                 "integrals by hand", atol=1e-3)
    )  # fmt: skip
    drawing, axes = figure()
    axes.semilogx(creepages, exact / 1e3, linewidth=1.4, label="strips in closed form")
    axes.semilogx(creepages, found / 1e3, "o", color="black", markersize=3.5, label="FASTSIM")
    axes.axhline(FRICTION * FORCE / 1e3, color="grey", linewidth=0.8)
    axes.semilogx(creepages[:6], linear[0] * creepages[:6] / 1e3, "--", linewidth=1.0, label="Kalker, linear")
    axes.set_xlabel("creepage")
    axes.set_ylabel("force in kN")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Force of creep along the rail; grey: friction times normal force.", drawing)])


CASE = Case(
    id="wheel-rail-forces",
    title="Wheel on rail: virtual penetration, and the creep forces of FASTSIM",
    area="contact",
    summary=(
        "Normal force of a virtual penetration of wheel and rail in the circular case, where it has a closed form; the "
        "penetration and the patch of a given force; a worn profile with two zones; creep forces between Kalker's "
        "linear limits and full slip."
    ),
    run=run,
    source=(
        "V. N. Yazykov, NATO ASI Virtual Nonlinear Multibody Systems, Prague 2002, eqs. (1) to (8), the last member of "
        "(6) mended; J. J. Kalker 1967 and 1982."
    ),
    limits=("The railcar of the paper has no printed data: its forces and iterations are not compared.",),
    equations=(r"N = \frac{3\pi\sqrt{2}}{16}\,\frac{E \sqrt{R}\,\delta^{3/2}}{1-\nu^2}",),
)
