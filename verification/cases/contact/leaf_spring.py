"""Two equal leaves of a spring, clamped at one end and loaded at the other: without friction, and a loop with it."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

LENGTH, WIDTH, FRICTION, SPEED = 0.5, 0.05, 0.5, 2e-6
THIN, THICK = 0.005, 0.02
"""Thickness of the leaves without friction, and of those with it, whose loop is as wide as THICK/LENGTH."""
STEEL = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.0, density=780.0, name="light steel")
"""A tenth of the mass of steel: the cycle is to be slow."""
DEEPEST, LEAST, STEPS = 4e-3, 0.2, 1000
"""Largest deflection over the length, least load over the largest, and steps of 5 s."""


def stiffness(height: float) -> float:
    """EI of a leaf [force length^2]."""
    return STEEL.youngs_modulus * WIDTH * height**3 / 12.0


def leaf(y: float, length: float, height: float, elements: int, name: str) -> Any:
    """A straight leaf from x = 0 on, at the height y."""
    return fx.FlexibleBody.line(
        (0, y), (length, y), elements=elements, element=fx.elements.ANCFCable2D(), material=STEEL, name=name,
        section=fx.Rectangle(width=WIDTH, height=height),
    )  # fmt: skip


def touching(leaves: tuple[Any, Any], height: float, k: float, friction: Any = None) -> fx.Contact:
    """Contact of two leaves, the first one not longer than the other; k [force/length^2]."""
    tubes = tuple(fx.contact.Tube(body, radius=0.5 * height) for body in leaves)
    law = fx.contact.HuntCrossleyLaw(stiffness=k, exponent=1.0)
    return fx.Contact(tubes, law, friction, name=" on ".join(body.name for body in leaves))


def smooth(elements: int, k: float) -> tuple[float, float]:
    """Tip deflection and normal force over those of two leaves that carry half of the load each."""
    top, low = leaves = (
        leaf(THIN, LENGTH, THIN, elements, "top"),
        leaf(0.0, LENGTH, THIN, elements, "bottom"),
    )
    touch = touching(leaves, THIN, k)
    model = fx.Model(*leaves, touch, fx.Clamp(top.start), fx.Clamp(low.start), fx.PointForce(top.end, (0, -1.0)))
    found = fx.solve_static(model)
    each = LENGTH**3 / (6.0 * stiffness(THIN))
    return -float(found.displacement(top.end, step=-1)[1]) / each, float(found.contact(touch).normal[-1, 0])


def _load(t: float) -> float:
    """Load over the largest: up to the least one within 1 s, then to and fro in 2 s."""
    if t < 1.0:
        return LEAST * float(np.sin(0.5 * np.pi * t)) ** 2
    return LEAST + (1.0 - LEAST) * float(np.sin(0.5 * np.pi * (t - 1.0))) ** 2


def loop(k: float) -> dict[str, Any]:
    """A cycle with friction; loads and deflections over the largest without friction, losses over those by hand."""
    top, low = leaves = leaf(THICK, LENGTH, THICK, 20, "top"), leaf(0.0, LENGTH, THICK, 20, "bottom")
    touch = touching(leaves, THICK, k, fx.contact.CoulombLaw(FRICTION, speed=SPEED))
    rigid = 6.0 * stiffness(THICK) / LENGTH**3
    largest = rigid * DEEPEST * LENGTH
    push = fx.PointForce(top.end, (0, -largest), history=_load)
    model = fx.Model(*leaves, touch, fx.Clamp(top.start), fx.Clamp(low.start), push)
    run = fx.simulate(model, 5.0, step=5.0 / STEPS, integrator=fx.GeneralizedAlpha(rho_inf=0.0))
    d = -run.displacement(top.end)[:, 1] / (DEEPEST * LENGTH)
    P = np.array([_load(t) for t in run.t])
    cycle = run.t >= 3.0 - 1e-9
    lost = float(np.diff(run.energy.dissipated[cycle][[0, -1]])[0]) / (largest * DEEPEST * LENGTH)
    area = -float(np.trapezoid(P[cycle], d[cycle]))
    slopes = [float(np.interp(t, run.t, d / np.where(P > 0.0, P, 1.0))) for t in (1.9, 2.7)]
    return {"P": P[cycle], "d": d[cycle], "lost": lost, "area": abs(area), "slopes": slopes}


def by_hand() -> tuple[float, float, FloatArray]:
    """c, the loss of a cycle, and the corners (4, 2) of the loop: load and deflection."""
    c = 0.75 * FRICTION * THICK / LENGTH
    kappa, half = 3.0 * LENGTH / (8.0 * THICK), 0.5 * FRICTION
    turn = (kappa - half) / (kappa + half)
    corners = np.array([(1.0, 1.0 - c), (turn, turn * (1.0 + c)), (LEAST, LEAST * (1.0 + c)),
                        (LEAST / turn, LEAST / turn * (1.0 - c))])  # fmt: skip
    return c, c * (turn - LEAST**2 / turn), corners


def run(progress: Progress) -> Outcome:
    """Statics, then two cycles with two stiffnesses of the contact."""
    progress("without friction")
    down, force = smooth(20, 1e10)
    c, loss, corners = by_hand()
    progress("with friction")
    soft, hard = loop(1e9), loop(1e10)
    ratio = 10.0**0.25  # of the lengths over which the force at the tip is spread

    def sharp(name: str, i: int = 0) -> float:
        """Extrapolated to a force at the tip itself: the error is of first order in its length."""
        a, b = (np.atleast_1d(found[name])[i] for found in (soft, hard))
        return float((ratio * b - a) / (ratio - 1.0))

    half = "half of the load on each leaf"
    how = "friction 0.5 mu P at the tip, at half the thickness from both axes"
    difference = 0.5 * (sharp("slopes", 1) - sharp("slopes", 0))
    quantities = [
        measured("deflection of the tip over P L^3/6 EI, smooth", "-", down, 1.0, half, rtol=2e-4),
        measured("force between the leaves over P, smooth", "-", force, 0.5, half, rtol=0.02),
        measured("half the difference of the compliances of both ways", "-", difference, c, how, rtol=0.015),
        measured("energy lost in a cycle over that of the largest load", "-", sharp("lost"), loss, how, rtol=0.015),
        measured("area of the loop", "-", sharp("area"), loss, how, rtol=0.015),
        measured("energy lost beside the area, of one run", "-", hard["lost"] / hard["area"], 1.0, "energy", rtol=2e-3),
    ]
    drawing, axes = figure(6.4, 3.0)
    axes.plot(hard["P"], 100.0 * (hard["d"] - hard["P"]), color=COLOURS[0], lw=1.4, label="found")
    closed = np.vstack((corners, corners[:1]))
    axes.plot(closed[:, 0], 100.0 * (closed[:, 1] - closed[:, 0]), "k--", lw=0.8, label="by hand")
    axes.set_xlabel("load over the largest")
    axes.set_ylabel("deflection less that without\nfriction, in % of the largest")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("A cycle: load and what friction does to the deflection.", drawing)])


CASE = Case(
    id="leaf-spring",
    title="Two leaves of a spring that slide on each other",
    area="contact",
    summary=(
        "Two equal leaves lie on each other, clamped at one end; the upper one is pressed down at the other end. They "
        "bend alike, so that all of the contact force P/2 acts at the tip. Bent together they slide there by thickness "
        "times slope, and the friction mu P/2, half the thickness off the axes, makes a loop. At a reversal the tips "
        "stick until the friction has turned round. A stiffness k per length spreads the force at the tip over "
        "(2 EI/k)^(1/4), which makes an error in proportion to this length: the figures with friction are extrapolated "
        "from two stiffnesses."
    ),
    run=run,
    source="Closed form, small deflections.",
    equations=(
        r"\delta = \frac{P L^3}{6 EI}\,(1 \mp c), \quad c = \frac{3 \mu t}{4 L}, \quad "
        r"\mathrm{d}F = \frac{3 L}{8 t}\,\mathrm{d}P \ \mathrm{where\ the\ tips\ stick}",
        r"W = \frac{c\,L^3}{6 EI}\,(P_1 P_s - P_0 P_r), \quad \frac{P_s}{P_1} = \frac{P_0}{P_r} = "
        r"\frac{3L/8t - \mu/2}{3L/8t + \mu/2}",
    ),
)
