"""Bristle friction whose static level grows with the time at rest."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import FLOOR, beside, peak
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

MASS, LOAD, SPRING, PULL = 1.0, 50.0, 500.0, 0.1
RESTS = (0.3, 1.5)
LAW = fx.contact.DwellLaw(
    0.2, 0.35, stiffness=1e5, damping=1e3, stribeck_speed=4e-3, speed=2e-3, dwell_time=1.5
)  # fmt: skip


def _motion(rest: float, until: float) -> tuple[fx.TimeSolution, FloatArray, FloatArray, fx.Contact]:
    """A point that is pressed on the floor by 50 N and pulled by a spring whose end moves after a rest."""
    depth = LOAD / 1e7
    block = fx.PointMass(MASS, position=(0, 0, -depth), name="block")
    normal = fx.contact.HuntCrossleyLaw(stiffness=1e7, exponent=1.0, damping=1.0)
    touch = fx.Contact((FLOOR, fx.contact.Vertex(block)), normal, LAW, allow_overlap=True, name="touch")
    press = fx.PointForce(block.centre, (0, 0, -LOAD))

    def pulled(p: FloatArray, R: FloatArray, twist: FloatArray, t: float) -> FloatArray:
        w = np.zeros((1, 6))
        w[0, 0] = SPRING * (PULL * max(0.0, t - rest) - p[0, 0])
        return w

    spring = fx.UserForce([block.centre], pulled, name="spring")
    run = fx.simulate(fx.Model(block, touch, press, spring), until, step=5e-4)
    x = run.position(block)[:, 0]
    return run, x, SPRING * (PULL * np.maximum(0.0, run.t - rest) - x), touch


def run(progress: Progress) -> Outcome:
    """Two rests."""
    figures = load_reference("dwell-time-friction")
    largest, times, quantities, curves = [], [], [], []
    for rest in RESTS:
        progress(f"rest of {rest:g} s")
        motion, x, force, touch = _motion(rest, rest + (1.2 if rest == 1.5 else 0.5))
        first = motion.t < rest + 0.45
        at, value = peak(motion.t[first], force[first])
        largest.append(value)
        times.append(at - rest)
        curves.append((f"rest of {rest:g} s", motion.t - rest, force))
        if rest == 1.5:
            states = touch.touching[0].force.states
            r = motion.v[:, motion.system.coordinates.extra_place(states[-1])]
            rows = [int(np.argmin(np.abs(motion.t - t))) for t in (1.6, 1.75, 2.0, 2.7)]
            quantities += beside(figures, "t_h = 1.5 s: x", x[rows], rtol=5e-3, atol=2e-6)
            quantities += beside(figures, "t_h = 1.5 s: s_dw", r[rows], rtol=1e-2, atol=1e-3)
    quantities += [
        *beside(figures, "first largest spring force after rests of 0.3, 1.5, 15 s", largest, rtol=2e-3),
        *beside(figures, "time from the start of pulling to it", times, rtol=2e-3),
    ]
    drawing = over_time(curves, "force of the spring in N")
    drawing.axes[0].set_xlim(-0.1, 0.5)
    drawing.axes[0].set_xlabel("t after the rest in s")
    return Outcome(quantities, [], [], [("Force of the spring.", drawing)])


CASE = Case(
    id="dwell-time-friction",
    title="Bristle friction whose static level grows with the time at rest",
    area="contact",
    summary=(
        "A block rests for 0.3 or 1.5 s under a normal force of 50 N and is then pulled by a spring whose end"
        " moves with 0.1 m/s: the longer it rests, the more it takes to break away."
    ),
    run=run,
    source="Integration of the equations of the law, after Y. Gonthier et al., Multibody Syst. Dyn. 11 (2004).",
    slow=True,
    limits=("The equations are those stated for the law; the figures of the paper are not compared.",),
)
