"""The tables of a comparison of schemes, for the terminal and for the page."""

from __future__ import annotations

from flexmbs.verification.outcome import Table
from flexmbs.verification.work_precision.bench import Bench
from flexmbs.verification.work_precision.measure import Curve
from flexmbs.verification.work_precision.problems import Problem
from flexmbs.verification.work_precision.ranking import TARGETS, Cost, cost, ranked, recommended
from flexmbs.verification.work_precision.schemes import CONTROLS

__all__ = ["cut", "problem_table", "recommendation", "run_table"]

NONE = "–"


def problem_table(bench: Bench, problem: Problem) -> Table:
    """What the accuracies cost on one problem: a row a curve, the fastest at the first accuracy reached on top."""
    header = ["scheme", "control", "runs", "finest error"]
    for target in TARGETS:
        header += [f"CPU at {target:g}", "by best", "evaluations"]
    header.append("remark")
    costs = {target: {id(c.curve): c for c in ranked(bench.of(problem), target)} for target in TARGETS}
    best = {target: min((c.seconds for c in found.values()), default=0.0) for target, found in costs.items()}

    def order(curve: Curve) -> tuple[float, ...]:
        return tuple(c.seconds if (c := costs[target].get(id(curve))) else float("inf") for target in TARGETS)

    rows = []
    for curve in sorted(bench.of(problem), key=order):
        errors = [run.error for run in curve.points if run.error is not None]
        row = [curve.title, CONTROLS[curve.control], str(len(errors)), f"{min(errors):.1e}" if errors else NONE]
        for target in TARGETS:
            c = costs[target].get(id(curve))
            row += [NONE] * 3 if c is None else [_time(c), f"{c.seconds / best[target]:.1f}", f"{c.evaluations:.0f}"]
        rows.append([*row, _remark(curve)])
    part = "" if bench.effort.part == 1.0 else f", the first {bench.effort.part:.0%} of it"
    return Table(f"{problem.title}{part} ({problem.kind})", header, rows)


def recommendation(bench: Bench) -> Table:
    """For each class of problems and accuracy: the cheapest scheme, and the others with their ratios."""
    rows = []
    for kind in dict.fromkeys(problem.kind for problem in bench.problems):
        for target in TARGETS:
            places = recommended(bench, kind, target)
            text = [f"{p.title}, {CONTROLS[p.control]}{' (~)' if p.extrapolated else ''}" for p in places]
            ratios = [f"{p.ratio / places[0].ratio:.1f} {t}" for p, t in zip(places, text, strict=True)]
            others = "; ".join(ratios[1:4])
            rows.append([kind, f"{target:g}", text[0] if places else "none reaches it", others or NONE])
    title = "Recommended: the least CPU time on all problems of a class; how many times longer the next ones take"
    return Table(title, ("class", "error", "cheapest", "next"), rows)


def run_table(curve: Curve) -> Table:
    """Every run of a curve."""
    rows: list[list[str | float]] = []
    for run in curve.runs:
        kept = [NONE if x is None else f"{x:.1e}" for x in (run.error, run.gap, run.drift)]
        rows.append(
            [f"{run.level:.3g}", kept[0], f"{1e3 * run.seconds:.1f}", str(run.evaluations), str(run.factorisations),
             str(run.steps), str(run.rejected), kept[1], kept[2], run.failure]
        )  # fmt: skip
    level = "step in s" if curve.control == "step" else "tolerance"
    header = (
        level,
        "error",
        "CPU in ms",
        "evaluations",
        "factorisations",
        "steps",
        "rejected",
        "gap",
        "energy",
        "failure",
    )
    return Table(f"{curve.title}, {CONTROLS[curve.control]}", header, rows)


def cut(text: str, width: int = 90) -> str:
    """Text no longer than ``width``."""
    return text if len(text) <= width else text[: width - 1] + "…"


def _time(c: Cost) -> str:
    """Seconds with their mark."""
    return f"{c.mark}{1e3 * c.seconds:.3g} ms"


def _remark(curve: Curve) -> str:
    """Why a curve is missing or incomplete."""
    if curve.refused:
        return f"refused: {curve.refused}"
    failed = [run for run in curve.runs if run.failure]
    if failed:
        return f"{len(failed)} of {len(curve.runs)} runs failed, the last: {failed[-1].failure}"
    never = [f"{target:g}" for target in TARGETS if cost(curve, target) is None]
    return f"{' and '.join(never)} not reached: {curve.ended}" if never else ""
