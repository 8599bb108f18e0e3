"""S02: a cantilever rolled up by a tip moment, and the same beam under a follower force."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import cantilever, draw_shapes, figure, measured, tip_error
from flexmbs.verification.reference.elastica import cantilever_tip_moment
from flexmbs.verification.reference.rod_problems import cantilever_follower_tip

TURNS = (0.25, 0.5, 1.0, 2.0)
ELEMENTS = (8, 16, 32, 64)
AXIAL = 1e5
ARC = "circular arc, closed form"
ROD = "elastica with follower force, boundary-value problem by Chebyshev collocation"
FOLLOWER = (1.0, 5.0, 10.0)


def _rolled(elements: int, turns: float, steps: int | None = None) -> tuple[fx.FlexibleBody, fx.StaticSolution]:
    beam = cantilever(elements, AXIAL)
    model = fx.Model(beam, fx.Clamp(beam.start), fx.Moment(beam.end, 2.0 * math.pi * turns))
    at = [t / turns for t in TURNS if t <= turns]
    return beam, fx.solve_static(model, fx.StaticOptions(steps=steps) if steps else fx.StaticOptions(at=at))


def run_moment(progress: Progress) -> Outcome:
    """Roll up by a quarter, a half, one and two turns."""
    quantities, studies, shapes = [], [], []
    errors: dict[float, list[float]] = {t: [] for t in TURNS}
    for elements in ELEMENTS:
        progress(f"{elements} elements")
        beam, solution = _rolled(elements, TURNS[-1])
        for turns in TURNS:
            step = solution.at_parameter(turns / TURNS[-1])
            tip = cantilever_tip_moment(2.0 * math.pi * turns)
            position = solution.position(beam.end, step)[:2]
            errors[turns].append(float(np.hypot(position[0] - tip.x, position[1] - tip.y)))
            if elements == 64:  # tolerance: fourth order in the angle of an element
                quantities.append(
                    measured(f"{turns:g} turns, 64 elements: tip rotation", "rad", solution.angle(beam.end, step),
                             tip.theta, ARC, 1e-12, rtol=(2.0 * math.pi * turns / elements) ** 4 / 100.0)
                )  # fmt: skip
            if elements == 32:
                shapes.append((f"{turns:g} turns", solution.shape(beam, step)[..., :2]))
    for elements, allowed in ((16, 1.5e-4), (32, 1e-5)):
        beam, solution = _rolled(elements, 1.0, steps=10)
        gap = float(np.hypot(*solution.position(beam.end, step=-1)[:2]))
        quantities.append(
            measured(f"one turn in 10 steps, {elements} elements: distance of the tip from the clamp", "L", gap, 0.0,
                     ARC, atol=allowed)
        )  # fmt: skip
        quantities.append(
            measured(f"one turn, {elements} elements: load steps beyond ten", "-", max(0, solution.n_steps - 11), 0.0,
                     "count", atol=0.5)
        )  # fmt: skip
    for turns in TURNS[1:]:
        studies.append(
            ConvergenceStudy(
                f"tip position, {turns:g} turns", ELEMENTS, errors[turns], 4.0, 3.8, floor=1e-11, counts=True
            )
        )
    drawing, axes = figure()
    draw_shapes(axes, shapes)
    return Outcome(quantities, studies, (), [("Shapes with 32 elements.", drawing)])


def run_follower(progress: Progress) -> Outcome:
    """Follower force up to P L²/EI = 10."""
    quantities, shapes, exact = [], [], []
    errors = []
    references = {p: cantilever_follower_tip(p, AXIAL) for p in FOLLOWER}
    for elements in ELEMENTS:
        progress(f"{elements} elements")
        beam = cantilever(elements, AXIAL)
        model = fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0.0, FOLLOWER[-1]), follower=True))
        solution = fx.solve_static(model, fx.StaticOptions(at=[p / FOLLOWER[-1] for p in FOLLOWER]))
        errors.append(tip_error(solution.position(beam.end, step=-1)[:2], references[FOLLOWER[-1]]))
        if elements != 32:
            continue
        for load in FOLLOWER:
            step = solution.at_parameter(load / FOLLOWER[-1])
            x, y, theta = references[load].tip
            position = solution.position(beam.end, step)[:2]
            for name, unit, value, reference in (
                ("tip x/L", "-", position[0], x), ("tip y/L", "-", position[1], y),
                ("tip rotation", "rad", solution.angle(beam.end, step), theta),
            ):  # fmt: skip
                quantities.append(
                    measured(f"P L²/EI = {load:g}: {name}", unit, value, reference, ROD, 1e-12, atol=1e-5)
                )
            shapes.append((f"P L²/EI = {load:g}", solution.shape(beam, step)[..., :2]))
            exact.append((references[load].x, references[load].y))
    drawing, axes = figure()
    draw_shapes(axes, shapes, exact)
    study = ConvergenceStudy("tip position, P L²/EI = 10", ELEMENTS, errors, 4.0, 3.8, floor=1e-11, counts=True)
    return Outcome(quantities, [study], (), [("Shapes with 32 elements (colours) and reference (dashed).", drawing)])


MOMENT = Case(
    id="s02-rollup",
    title="Cantilever rolled up by a tip moment",
    area="statics",
    summary=(
        "A moment M at the free end bends a straight cantilever to an arc of M L/EI. At 2 pi it closes to a circle, at "
        "4 pi it goes round twice. Rod without shear; EA L²/EI = 1e5, which a pure moment does not feel."
    ),
    run=run_moment,
    source="Closed form: x = L sin(a)/a, y = L (1 - cos a)/a, rotation a = M L/EI.",
    equations=(r"\theta(s) = \dfrac{M s}{EI}",),
)

FOLLOWER_CASE = Case(
    id="s02-follower",
    title="Cantilever under a follower force",
    area="statics",
    summary=(
        "The tip force turns with the tip and stays normal to it, so the problem has no potential and its tangent "
        "matrix is not symmetric. EA L²/EI = 1e5."
    ),
    run=run_follower,
    source="Own reference: two-point boundary-value problem of the extensible elastica.",
    equations=(r"M' = -\lambda\, n_\nu, \quad \theta' = M/EI, \quad \lambda = 1 + n_t/EA",),
    limits=(
        "Static equilibria only: a cantilever under a follower force loses its stability by flutter, not by buckling.",
    ),
    basic=True,
)
