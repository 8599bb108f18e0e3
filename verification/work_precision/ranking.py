"""What an accuracy costs with each scheme, and which one is to be recommended, from the measured runs alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from flexmbs.verification.work_precision.bench import Bench
from flexmbs.verification.work_precision.measure import Curve, Run
from flexmbs.verification.work_precision.schemes import Control

__all__ = ["TARGETS", "Cost", "Place", "cost", "ranked", "recommended"]

TARGETS = (1e-3, 1e-6)
REACH = 10.0
"""How far below the most accurate run a cost is still extrapolated."""

Kind = Literal["between runs", "at most", "extrapolated"]


@dataclass(frozen=True)
class Cost:
    """CPU seconds and evaluations of a scheme at an accuracy; how they were found."""

    curve: Curve
    seconds: float
    evaluations: float
    kind: Kind

    @property
    def mark(self) -> str:
        """Before the number, where it is no interpolation: ``<`` the coarsest run is better, ``~`` extrapolated."""
        return {"between runs": "", "at most": "<", "extrapolated": "~"}[self.kind]


@dataclass(frozen=True)
class Place:
    """A scheme on all problems of a class: geometric mean of its times by those of the fastest."""

    title: str
    control: Control
    ratio: float
    extrapolated: bool


def cost(curve: Curve, target: float) -> Cost | None:
    """What an error costs: between the two runs, in logarithms, where the curve first falls below it.

    Where already the coarsest run is more accurate its cost is an upper bound; up to one decade below the most accurate
    run the last two runs are extended. None where that does not reach, or there are no runs.
    """
    points = [run for run in curve.points if run.error]
    if not points:
        return None
    if points[0].error <= target:  # type: ignore[operator]
        return Cost(curve, points[0].seconds, points[0].evaluations, "at most")
    for coarse, fine in pairwise(points):
        if coarse.error > target >= fine.error:  # type: ignore[operator]
            return _along(curve, coarse, fine, target, "between runs")
    if len(points) < 2:
        return None
    coarse, fine = points[-2:]
    falls = coarse.error > 1.5 * fine.error  # type: ignore[operator]
    return _along(curve, coarse, fine, target, "extrapolated") if falls and fine.error <= REACH * target else None  # type: ignore[operator]


def _along(curve: Curve, coarse: Run, fine: Run, target: float, kind: Kind) -> Cost:
    """On the line through two runs in logarithmic axes."""
    before, after = float(coarse.error or 0.0), float(fine.error or 0.0)
    part = math.log(target / before) / math.log(after / before)

    def at(first: float, last: float) -> float:
        return math.exp((1.0 - part) * math.log(max(first, 1e-9)) + part * math.log(max(last, 1e-9)))

    return Cost(curve, at(coarse.seconds, fine.seconds), at(coarse.evaluations, fine.evaluations), kind)


def ranked(curves: Sequence[Curve], target: float) -> list[Cost]:
    """The schemes that reach an accuracy, the fastest first."""
    found = [c for c in (cost(curve, target) for curve in curves) if c is not None]
    return sorted(found, key=lambda c: c.seconds)


def recommended(bench: Bench, kind: str, target: float) -> list[Place]:
    """The schemes that reach an accuracy on every problem of a class, the best first."""
    ratios: dict[tuple[str, Control], list[Cost]] = {}
    best: list[float] = []
    problems = [p for p in bench.problems if p.kind == kind]
    for problem in problems:
        costs = ranked(bench.of(problem), target)
        best.append(costs[0].seconds if costs else math.nan)
        for c in costs:
            ratios.setdefault((c.curve.title, c.curve.control), []).append(c)
    places = []
    for (title, control), costs in ratios.items():
        if len(costs) == len(problems):
            logs = [math.log(c.seconds / b) for c, b in zip(costs, best, strict=True)]
            extrapolated = any(c.kind == "extrapolated" for c in costs)
            places.append(Place(title, control, math.exp(sum(logs) / len(logs)), extrapolated))
    return sorted(places, key=lambda place: place.ratio)
