"""Work-precision diagrams: error over CPU time and over evaluations, in logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from flexmbs.verification.work_precision.measure import Curve
from flexmbs.verification.work_precision.problems import Problem
from flexmbs.verification.work_precision.schemes import CONTROLS

__all__ = ["diagram"]

COLOURS = ("#1f5fa8", "#c8553d", "#3a7d44", "#8a5a9e", "#b8860b", "#4a4a4a", "#2a9d8f", "#d1488f")
CLOSE = 100.0
"""Axes over less than this ratio have ticks at 1, 2 and 5."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def diagram(problem: Problem, curves: Sequence[Curve]) -> Figure:
    """One figure of a problem: a row for each way of control, CPU time on the left, evaluations on the right.

    A scheme has the same colour and marker in all of it; beyond eight schemes lines are dashed, beyond 16 dotted.
    """
    shown = [curve for curve in curves if curve.points]
    titles = list(dict.fromkeys(curve.title for curve in curves))
    controls = [control for control in CONTROLS if any(curve.control == control for curve in shown)]
    figure = Figure(figsize=(8.6, 3.1 * max(1, len(controls)) + 0.25 * ((len(titles) + 2) // 3)), layout="constrained")
    grid: Any = figure.subplots(max(1, len(controls)), 2, squeeze=False, sharey=True, sharex="col")
    handles: dict[str, Any] = {}
    for row, control in enumerate(controls):
        for curve in shown:
            if curve.control == control:
                handles[curve.title] = _draw(grid[row], curve, titles.index(curve.title))
        grid[row][0].set_ylabel(f"relative error\n{CONTROLS[control]}")
    for axes in grid.flat:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(color="#e3e6ea", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in grid[-1]:
        first, last = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if last < CLOSE * first else (1.0,)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    grid[-1][0].set_xlabel("CPU time in s")
    grid[-1][1].set_xlabel("evaluations")
    figure.suptitle(problem.title, fontsize="medium")
    if handles:
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=3, frameon=False, fontsize="small"
        )
    return figure


def _draw(pair: Any, curve: Curve, number: int) -> Any:
    """One curve in both axes; a handle for the legend."""
    style = {
        "color": COLOURS[number % 8], "marker": MARKERS[number % 8], "markersize": 4.5, "linewidth": 1.3,
        "linestyle": ("-", (0, (5, 2)), (0, (1, 1.5)))[min(number // 8, 2)],
    }  # fmt: skip
    errors = [run.error for run in curve.points]
    handle = None
    for axes, work in zip(pair, ("seconds", "evaluations"), strict=True):
        (handle,) = axes.plot([getattr(run, work) for run in curve.points], errors, **style)
    return handle
