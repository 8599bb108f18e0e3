"""All schemes of time integration find the same motions: those of independent references, and each other's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.results.status import Status
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.work_precision.problems import PROBLEMS, Problem
from flexmbs.verification.work_precision.schemes import SCHEMES, Scheme

QUICK = {
    "double-pendulum": 1e-6, "squeezer": 2e-5, "slider-crank": 2e-6, "falling-cable": 1e-6, "bushings": 1e-5,
    "engine": 1e-5,
}  # fmt: skip
"""Problems of the fast case, and the relative error that is allowed after extrapolation."""
PART, HALVES, MORE = 0.15, 2, 5
"""Part of the motions in the fast case, and how often the coarsest step is halved in the fast and the slow one."""
RTOL, STIFF = 1e-11, 1e-8
"""Tolerance of schemes that are run with error control alone, and of those that need it where forces are stiff.

Tolerances are for the error of one step, and those of all steps add up: some thousand of them in the whole motions. The
largest errors fall as they should, so that these tolerances leave less than what is allowed: BDF on the top, 2 000 to
4 000 steps, has 7e-5, 1.3e-5, 2.6e-6 with 1e-9, 1e-10, 1e-11 (of order 5: with the power 5/6); the explicit midpoint
rule on the governor, whose 2 500 steps are as long as is stable, 2.2e-4, 2.5e-5, 3.3e-6 with 1e-6, 1e-7, 1e-8.
"""


def run(progress: Progress) -> Outcome:
    """The beginning of six motions."""
    chosen = [problem for problem in PROBLEMS if problem.id in QUICK]
    schemes = [scheme for scheme in SCHEMES if scheme.quick]
    return _agree(chosen, schemes, PART, HALVES, [QUICK[p.id] for p in chosen], progress)


def run_all(progress: Progress) -> Outcome:
    """All of all motions, with smaller steps."""
    return _agree(PROBLEMS, SCHEMES, 1.0, MORE, [1e-5] * len(PROBLEMS), progress)


def _agree(
    problems: Sequence[Problem],
    schemes: Sequence[Scheme],
    part: float,
    halves: int,
    allowed: Sequence[float],
    progress: Progress,
) -> Outcome:
    """Every scheme on every problem, against the reference and each other."""
    quantities: list[Measured] = []
    rows: list[list[str | float]] = []
    failed = 0
    drawing, axes = figure(6.4, 3.6)
    for problem, bound in zip(problems, allowed, strict=True):
        ends: dict[str, FloatArray] = {}
        exact = problem.ready(part).exact(np.array([part * problem.until]))[0]
        for number, scheme in enumerate(schemes):
            progress(f"{problem.id}, {scheme.title}")
            try:
                plain, error, ends[scheme.title] = _solved(problem, scheme, part, halves)
            except (ModelError, _NotDoneError) as reason:
                failed += isinstance(reason, _NotDoneError)
                rows.append([problem.id, scheme.title, "–", "–", str(reason)])
                continue
            rows.append([problem.id, scheme.title, f"{plain:.1e}", f"{error:.1e}", ""])
            label = f"{problem.id}, {scheme.title}: largest relative error"
            quantities.append(measured(label, "-", error, 0.0, problem.reference, problem.accuracy, atol=bound))
            axes.semilogy(problems.index(problem) + 0.02 * number, error, "o", color=COLOURS[number % len(COLOURS)],
                          markersize=4, label=scheme.title if problem is problems[0] else None)  # fmt: skip
        apart = max((float(np.abs(a - b).max()) for a, b in combinations(ends.values(), 2)), default=0.0)
        label = f"{problem.id}: largest difference of two schemes at the end"
        quantities.append(measured(label, "-", apart, 0.0, "each other", atol=2.0 * bound))
        rows.append([problem.id, "two schemes at the end", "–", f"{apart:.1e}", f"size {np.abs(exact).max():.2g}"])
    quantities.append(
        measured("runs that failed without a refusal before the first step", "-", failed, 0.0, "all or none", atol=0.5)
    )
    axes.set_xticks(range(len(problems)), [p.id for p in problems], rotation=20, fontsize="small")
    axes.set_ylabel("relative error")
    axes.legend(frameon=False, fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    header = ("problem", "scheme", "error", "extrapolated", "remark")
    caption = "Errors after extrapolation of two fixed steps (schemes with error control: as they are)."
    return Outcome(quantities, (), [Table("Errors relative to the sizes", header, rows)], [(caption, drawing)])


def _solved(problem: Problem, scheme: Scheme, part: float, halves: int) -> tuple[float, float, FloatArray]:
    """Largest error of the finer run, of the extrapolated ones, and their values at the end.

    Where fixed steps do not come to the end (explicit schemes with stiff forces), the scheme is run with error control.
    """
    ready, until, integrator = problem.ready(part), part * problem.until, scheme.on(problem.step)
    tolerance = RTOL
    if scheme.controls[0] == "step":
        h = until / round(until / (problem.step / 2**halves))
        try:
            steps = [fx.FixedStep(step, max_halvings=0) for step in (h, h / 2.0)]
            coarse, fine = (_run(ready.system, until, step, integrator) for step in steps)
        except _NotDoneError:
            if "tolerance" not in scheme.controls:
                raise
            tolerance = STIFF
        else:
            factor = 2.0**integrator.order
            rough, better = ready.observe(coarse), ready.observe(fine)[::2]
            exact = ready.exact(coarse.t)
            best = (factor * better - rough) / (factor - 1.0)
            return float(np.abs(better - exact).max()), float(np.abs(best - exact).max()), best[-1]
    run = _run(ready.system, until, fx.ErrorControl(rtol=tolerance), integrator)
    found = ready.observe(run)
    error = float(np.abs(found - ready.exact(run.t)).max())
    return error, error, found[-1]


def _run(system: fx.System, until: float, step: fx.FixedStep | fx.ErrorControl, integrator: Any) -> fx.TimeSolution:
    """A run that has come to its end."""
    run = fx.simulate(system, until, step=step, integrator=integrator, output=fx.Output(energy=False),
                      progress=False, throw=False)  # fmt: skip
    if run.status is not Status.DONE or not np.isfinite(run.q[-1]).all():
        raise _NotDoneError(run.message)
    return run


class _NotDoneError(Exception):
    """A run that failed on the way."""


EQUATIONS = (r"x = \dfrac{2^p\, x_{h/2} - x_h}{2^p - 1}",)
LIMITS = (
    "A scheme that refuses a problem before the first step is listed with its reason; that is no failure.",
    "With index 3 the speed of the engine has an error from the start, of second order, that no extrapolation takes "
    "off: it fades by the step.",
    "Positions (and the speed of the engine) are compared; orders and forces are in the case integrators.",
)

CASE = Case(
    id="schemes-agree",
    title="All schemes of time integration agree",
    area="mechanisms",
    summary=(
        "The double pendulum, the squeezer, the spatial slider-crank, a falling cable on a given mesh, two bars on "
        "stiff bushings and the engine with redundant equations, integrated by every scheme there is, a line each in "
        "one table. Results at two steps are extrapolated with the order that the scheme claims, so that they meet the "
        "reference only if the order is right too."
    ),
    run=run,
    source="Minimal coordinates, closed forms, and SciPy's integrators on the equations of the nodes.",
    equations=EQUATIONS,
    limits=LIMITS,
    basic=True,
)

ALL_MOTIONS = Case(
    id="schemes-agree-all",
    title="All schemes of time integration agree, all motions",
    area="mechanisms",
    summary="As schemes-agree, with the governor, a pendulum over ten periods and a fast top, and the whole motions.",
    run=run_all,
    source=CASE.source,
    equations=EQUATIONS,
    limits=LIMITS,
    slow=True,
)
