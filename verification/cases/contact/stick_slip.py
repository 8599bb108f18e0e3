"""A block on a belt, held by a spring: the limit cycle of sticking and slipping."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import G, beside
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

MASS, SPRING, SPEED = 1.0, 400.0, 0.1
STIFF = 1e10
"""Of the bristle. While it sticks, its elastic slip velocity, the rate of the spring force (40 N/s) over this, must be
small beside FALLING: else the static friction falls before it is reached."""
FALLING = 3e-5
"""Velocity over which static friction falls to that of sliding, small beside that of the belt: the reference drops."""
SLIPS = 2e-5
"""Slip velocity from which on the block counts as slipping."""
LAW = fx.contact.BristleLaw(
    0.3, stiffness=STIFF, damping=2.0 * math.sqrt(STIFF * MASS), static=0.5, falling=FALLING, breakaway=0.999
)
NORMAL = fx.contact.HuntCrossleyLaw(stiffness=1e6, exponent=1.0, damping=2.0)


def _motion() -> tuple[fx.TimeSolution, FloatArray, FloatArray, FloatArray]:
    """Three cycles: the run, the place of the block, the force and the slip velocity along the belt."""
    depth = MASS * G / NORMAL.stiffness
    belt = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), velocity=(SPEED, 0), name="belt")
    guide = fx.PrismaticJoint(fx.ground, belt, at=(0, 0), axis=(1, 0), name="guide")
    drive = fx.TranslationDriver(guide, rate=SPEED)
    block = fx.PointMass(MASS, position=(0, -depth), velocity=(SPEED, 0), name="block")
    spring = fx.SpringDamper(fx.ground.marker((-1, -depth)), block.centre, stiffness=SPRING, free_length=1.0)
    top = fx.contact.Plane(belt.marker((0, 0), axis=(0, 1)))
    touch = fx.Contact((top, fx.contact.Vertex(block)), NORMAL, LAW, allow_overlap=True, name="touch")
    model = fx.Model(belt, guide, drive, block, spring, touch, fx.Gravity((0, -G)))
    run = fx.simulate(model, 1.2, step=fx.ErrorControl(rtol=1e-10, max_step=2e-3))
    history = run.contact(touch)
    return run, run.position(block)[:, 0], history.force[:, 0, 0], np.abs(history.slip[:, 0, 0])


def _crossings(t: FloatArray, slip: FloatArray) -> FloatArray:
    """Times at which the slip velocity passes its bound, straight between stored states: up, down, up, ..."""
    y = slip - SLIPS
    i = np.flatnonzero((y[1:] > 0.0) != (y[:-1] > 0.0))
    return np.asarray(t[i] - y[i] * (t[i + 1] - t[i]) / (y[i + 1] - y[i]))


def run(progress: Progress) -> Outcome:
    """Three cycles; durations and energy are those of the second one."""
    figures = load_reference("stick-slip-on-belt")
    progress("three cycles")
    motion, x, force, slip = _motion()
    t = motion.t
    first, sticks, second, again, third = _crossings(t, slip)[:5]
    grid = np.union1d(t[(t > second) & (t < third)], (second, third))
    taken = float(np.trapezoid(np.interp(grid, t, force), grid)) * SPEED
    swings = x[(t > first) & (t < third)]
    largest = figures.reference("largest and smallest x", 0).value
    quantities = [
        *beside(figures, "time of the first slip", first, rtol=1e-3),
        *beside(figures, "duration of slip, of stick, period", [again - second, second - sticks, third - second],
                rtol=3e-3),
        # the smallest x is the difference of two numbers twenty times as large
        *beside(figures, "largest and smallest x", [swings.max(), swings.min()], atol=2e-3 * largest),
        *beside(figures, "x where it sticks again", float(np.interp(sticks, t, x)), rtol=2e-3, atol=1e-5),
        *beside(figures, "energy taken from the belt in a period", taken, rtol=3e-3),
    ]  # fmt: skip
    drawing = over_time([("block", t, 1e3 * x)], "place in mm")
    return Outcome(quantities, [], [], [("Place of the block.", drawing)])


CASE = Case(
    id="stick-slip-on-belt",
    title="Block on a belt held by a spring: stick-slip limit cycle",
    area="contact",
    summary=(
        "A block on a belt that moves with 0.1 m/s, held by a spring: it sticks until the spring pulls with the static "
        "friction, then slips until it has the velocity of the belt again. Bristles, with friction that falls from 0.5 "
        "to 0.3 within 3e-5 m/s."
    ),
    run=run,
    source="Closed form; the system is classical, e.g. U. Galvanetto, S. R. Bishop, 1999.",
    limits=("The reference drops at once from static to sliding friction; in the model it falls within 3e-5 m/s.",),
    equations=(
        r"T = (\pi + 2\delta)/\omega + 2 e_0/v,\quad e_0 = (\mu_s-\mu) m g/k,\quad \tan\delta = v/(\omega e_0)",
    ),
)
