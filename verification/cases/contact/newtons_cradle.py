"""Newton's cradle of Hertzian spheres."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import STEEL, beside
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

RADIUS, MASS = 0.02, 0.25
GAP = 0.02 * RADIUS
"""The flight over it lasts longer than a contact, whose depth is 0.002 of the radius."""
FINE, LEFT = 1e-11, 1e-5
"""Error control with gaps, and tolerance of speeds. Largest errors for one that comes, with rtol = 1e-8, ... 1e-12:
7.2e-4, 7.6e-5, 2.2e-5, 2.8e-6, 1.3e-6; with half the gap 1.8e-4, 1.5e-5, 7.3e-6, 5.9e-6, 1.5e-6."""


def _cradle(n: int, moving: int, gap: float, until: float, rtol: float) -> tuple[fx.TimeSolution, FloatArray]:
    """Speeds (n_t, n) of n spheres on a line, of which the first ones come with 1 m/s."""
    balls = [
        fx.RigidBody.sphere(radius=RADIUS, mass=MASS, position=((2.0 * RADIUS + gap) * i, 0, 0),
                            velocity=(1.0 if i < moving else 0.0, 0, 0), name=f"ball {i}")
        for i in range(n)
    ]  # fmt: skip
    shapes = [fx.contact.Sphere(ball, radius=RADIUS) for ball in balls]
    pairs = list(pairwise(shapes))
    touch = fx.Contact(shapes, fx.contact.HertzLaw(material=STEEL), pairs=pairs)
    run = fx.simulate(fx.Model(*balls, touch), until, step=fx.ErrorControl(rtol=rtol))
    return run, np.column_stack([run.velocity(ball)[:, 0] for ball in balls])


def run(progress: Progress) -> Outcome:
    """Touching, and with gaps."""
    figures = load_reference("newtons-cradle")
    quantities, curves = [], []
    for name, n, moving in (("(c) N = 3", 3, 1), ("(c) N = 5", 5, 1), ("(c) N = 5, two in", 5, 2)):
        progress(name)
        motion, speeds = _cradle(n, moving, 0.0, 5e-4, 1e-10)
        quantities += beside(figures, name, speeds[-1], atol=5e-4)
        if name == "(c) N = 5":
            curves = [(f"ball {i}", 1e3 * motion.t, speeds[:, i]) for i in range(n)]
    for name, moving in (("(a) N = 5, one in", 1), ("(a) N = 5, two in", 2)):
        progress(name)
        _, speeds = _cradle(5, moving, GAP, 5e-3, FINE)
        quantities += beside(figures, name, speeds[-1], label=f"with gaps, {name[4:]}", atol=LEFT)
    drawing = over_time(curves, "speed in m/s")
    drawing.axes[0].set_xlim(0.0, 0.6)
    drawing.axes[0].set_xlabel("t in ms")
    return Outcome(quantities, [], [], [("Five spheres that touch, one comes.", drawing)])


CASE = Case(
    id="newtons-cradle",
    title="Newton's cradle of Hertzian spheres",
    area="contact",
    summary=(
        "Equal steel spheres on a line, free and without gravity; the first one or two come with 1 m/s. Where "
        "they touch at the start, the speeds afterwards depend on nothing but their number; where there are gaps,"
        " the speed passes from sphere to sphere."
    ),
    run=run,
    source="V. F. Nesterenko (chains of Hertz contacts); integration with DOP853.",
)
