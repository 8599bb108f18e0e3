"""Sliding: a bead on a stiff arc, which is a pendulum, and D09, a bead on a taut cable without mass."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D
from flexmbs.kernels.rows.rows import DISTANCE
from flexmbs.meshes import arc
from flexmbs.model.joints.contracts import Equation, Pair, Row
from flexmbs.model.joints.sliding import SlidingJoint
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import CONSERVED, G, against, extrapolated, on_paths, orders, over_time, worst
from flexmbs.verification.reference.ellipse import Bead
from flexmbs.verification.reference.pendulums import simple_pendulum

# --- a bead on a stiff arc -------------------------------------------------------------------------------------------

MASS, START, UNTIL, EVERY = 1.0, 1.0, 2.0, 0.05
"""Angle of the bead from the lowest point [rad]; the radius is 1 m."""
PENDULUM = "simple pendulum, elliptic functions"


def _on_arc(elements: int, step: float, EI: float = 1e6) -> tuple[fx.TimeSolution, FloatArray, FloatArray]:
    """The motion, path (n_t, 2) and force of the joint (n_t, 2) every 50 ms."""
    down = -math.pi / 2.0
    wire = fx.FlexibleBody(
        arc((0.0, 0.0), radius=1.0, start_angle=down - 2.0 * START, end_angle=down + 2.0 * START, elements=elements),
        ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e3 * EI, EI_z=EI, mass_per_length=0.1), name="wire",
    )  # fmt: skip
    # A node for all multiples of four elements: elsewhere the wire lies off the circle by the error of interpolation.
    place = (math.sin(START), -math.cos(START))
    bead = fx.PointMass(MASS, position=place, name="bead")
    joint = SlidingJoint(wire, bead, name="bead on wire")
    model = fx.Model(wire, bead, joint, fx.Clamp(wire.start), fx.Clamp(wire.end), fx.Gravity((0.0, -G)))
    run = fx.simulate(
        model, UNTIL, step=step, integrator=fx.GeneralizedAlpha(rho_inf=0.5), output=fx.Output(every=EVERY)
    )
    return run, run.position(bead)[:, :2], run.reaction(joint)[:, :2]


def run_arc(progress: Progress) -> Outcome:
    """Slide to and fro for two seconds."""
    times = np.arange(0.0, UNTIL + EVERY / 2.0, EVERY)
    exact = simple_pendulum(START, times)
    angle, rate = exact[:, 0], exact[:, 1]
    path = np.column_stack([np.sin(angle), -np.cos(angle)])
    force = -path * (MASS * (G * np.cos(angle) + rate**2))[:, None]
    quantities, studies, limits = [], [], {}
    for elements in (4, 8, 12, 16):
        progress(f"{elements} elements")
        (_, coarse, _), (run, fine, pull) = (_on_arc(elements, h) for h in (4e-3, 2e-3))
        limits[elements] = extrapolated(coarse, fine)
    gap = worst(limits[16], path)
    quantities.append(
        measured("16 elements: largest distance from the pendulum", "m", gap, 0.0, PENDULUM, 1e-12, atol=2e-4)
    )
    late = times >= 0.2
    quantities += [
        measured("16 elements, step 2 ms: largest error of the force from 0.2 s / (m g)", "-",
                 worst(pull[late], force[late]) / (MASS * G), 0.0, PENDULUM, 1e-12, atol=0.05),
        measured("change of energy / (m g)", "m", float(np.abs(run.energy.balance).max()) / (MASS * G), 0.0, CONSERVED,
                 atol=1e-3),
    ]  # fmt: skip
    studies.append(
        ConvergenceStudy("path, over the elements of the arc", (4, 8, 12), [worst(limits[n], path) for n in (4, 8, 12)],
                         4.0, 3.0, counts=True)
    )  # fmt: skip
    steps = (1.6e-2, 8e-3, 4e-3)
    by_step = []
    for step in steps:
        progress(f"step {step:g} s")
        by_step.append(worst(_on_arc(8, step)[1], limits[8]))
    studies.append(orders("path, 8 elements", steps, by_step))
    drawing = over_time(
        [("x", times, fine[:, 0]), ("y", times, fine[:, 1])],
        "position in m",
        [(times, path[:, 0]), (times, path[:, 1])],
    )
    return Outcome(quantities, studies, (), [("The bead and the pendulum.", drawing)])


ARC = Case(
    id="bead-on-arc",
    title="Bead sliding on a stiff arc",
    area="flexible motion",
    summary=(
        "A bead slides without friction along a wire that is a circular arc and nearly rigid. It moves as a simple "
        "pendulum, crosses the elements of the wire and comes back; the force of the joint is that of the rod of the "
        "pendulum."
    ),
    run=run_arc,
    source="Simple pendulum by elliptic functions.",
    equations=(r"\mathbf{r}(s, t) = \mathbf{r}_b, \quad \mathbf{\lambda} \cdot \mathbf{r}'(s) = 0",),
    limits=("The arc is interpolated by cubics, which is an error of the fourth order in the length of an element.",),
)

# --- D09: a bead on a taut cable -------------------------------------------------------------------------------------

TIMES = (0.25, 0.5, 1.0, 2.0)


@dataclass(frozen=True, eq=False)
class Rope:
    """A taut rope without mass from one marker through a ring on the second to the third: its length is constant."""

    ends: tuple[fx.Marker, fx.Marker]
    ring: fx.Marker
    length: float
    name: str = "rope"

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(Pair(end, self.ring, (Row(DISTANCE),)) for end in self.ends)

    @property
    def equations(self) -> tuple[Equation, ...]:
        return (Equation("length", offset=self.length),)


def _on_rope(step: float) -> tuple[fx.TimeSolution, FloatArray]:
    """The motion, and the path (n_t, 2) every 10 ms."""
    bead = Bead(2.5, 2.0, 0.3, G)
    ball = fx.PointMass(2.0, position=bead.start, name="bead")
    supports = fx.ground.marker_at((-1.0, 0.0)), fx.ground.marker_at((1.0, 0.0))
    model = fx.Model(ball, Rope(supports, ball.centre, bead.cable), fx.Gravity((0.0, -G)))
    run = fx.simulate(model, 2.6, step=step, output=fx.Output(every=0.01))
    return run, run.position(ball)[:, :2]


def run_rope(progress: Progress) -> Outcome:
    """A full swing."""
    bead = Bead(2.5, 2.0, 0.3, G)
    steps = (1e-2, 5e-3, 2.5e-3, 1.25e-3)
    runs = []
    for step in steps:
        progress(f"step {step:g} s")
        runs.append(_on_rope(step))
    run, path = runs[-1]
    exact = bead.positions(run.t)
    better = extrapolated(runs[-2][1], path)
    quantities = []
    for t in TIMES:
        name, k = f"t={t:g} s position", round(100 * t)
        quantities += against("d09", name, f"step 1.25 ms: {name}", path[k], 2e-5)
        quantities += against("d09", name, f"extrapolated to step 0: {name}", better[k], 2e-7)
    late = run.t > 2.5  # there x grows up to the end of the swing and falls after it
    period = float(np.interp(0.0, -run.velocity("bead")[late, 0], run.t[late]))
    quantities += against("d09", "period", "period", [period], 1e-4)
    sums = sum(np.hypot(path[:, 0] - x, path[:, 1]) for x in (-1.0, 1.0))
    change = float(np.abs(sums - bead.cable).max())
    quantities += [
        measured("largest change of the length of the rope", "m", change, 0.0, CONSERVED, atol=1e-7),
        measured("change of energy / (m g)", "m", float(np.abs(run.energy.balance).max()) / (2.0 * G), 0.0, CONSERVED,
                 atol=1e-5),
    ]  # fmt: skip
    errors = [worst(p, exact) for _, p in runs]
    return Outcome(
        quantities, [orders("path over a full swing", steps, errors)], (),
        [("Path of the bead; points: reference every 0.1 s.", on_paths([("bead", path)], exact[::10]))],
    )  # fmt: skip


ROPE = Case(
    id="d09-bead",
    title="Bead sliding on a taut cable without mass",
    area="mechanisms",
    summary=(
        "A bead slides without friction along a massless inextensible cable between two supports. Both parts of the "
        "cable together keep their length, so the bead moves on an ellipse. The cable is one equation with two "
        "distances, a joint defined in the case itself."
    ),
    run=run_rope,
    source="Lagrange's equation on the ellipse; period by quadrature.",
    equations=(r"|\mathbf{r} - \mathbf{r}_1| + |\mathbf{r} - \mathbf{r}_2| = \ell",),
    limits=(
        "A cable of elements with continuous slope does not take the place of this rope: it rounds the corner at the "
        "bead, and the corner, passing over the elements, leaves vibrations behind which brake the bead.",
    ),
)
