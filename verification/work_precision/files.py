"""The files of a comparison: JSON for machines, a page with figures and tables for readers."""

from __future__ import annotations

import json
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from flexmbs.core.info import version, versions
from flexmbs.core.page import definition_list, html_table, page, paragraphs
from flexmbs.core.svg import figure_svg
from flexmbs.verification.outcome import Table
from flexmbs.verification.work_precision.bench import Bench
from flexmbs.verification.work_precision.measure import Curve
from flexmbs.verification.work_precision.pictures import diagram
from flexmbs.verification.work_precision.problems import Problem
from flexmbs.verification.work_precision.ranking import TARGETS, cost
from flexmbs.verification.work_precision.tables import problem_table, recommendation, run_table

__all__ = ["JSON", "PAGE", "write_json", "write_page"]

JSON, PAGE = "bench.json", "index.html"

LEAD = (
    "Every scheme runs every problem from coarse to fine. The error is the largest, relative to the size of the "
    "problem, at the ends of all steps of a run, against a solution that flexmbs did not integrate. CPU time is that "
    "of the whole run without the evaluation of energies, the median of three for short runs, kernels compiled before. "
    "Costs at an error are interpolated between two runs in logarithms; < means that the coarsest run is already more "
    "accurate, ~ that the last two runs were extended by up to one decade."
)


def write_json(bench: Bench, folder: Path) -> Path:
    """All runs of all curves, and the costs derived from them; never a half-written file."""
    path, fresh = folder / JSON, folder / f"{JSON}.new"
    content = {
        "flexmbs": version(), "versions": versions(), "started": bench.started, "jobs": bench.jobs,
        "planned": bench.planned, "interrupted": bench.interrupted, "effort": asdict(bench.effort),
        "problems": [_problem(problem) for problem in bench.problems],
        "schemes": [{"id": s.id, "title": s.title, "settings": repr(s.integrator)} for s in bench.schemes],
        "curves": [_curve(curve) for curve in bench.curves],
    }  # fmt: skip
    fresh.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    fresh.replace(path)
    return path


def write_page(bench: Bench, folder: Path) -> Path:
    """The page; it needs no file beside it."""
    body = [
        "<header><p class=kicker>flexmbs bench</p><h1>What the accuracy of a motion costs</h1></header><main>",
        paragraphs(LEAD),
        _facts(bench),
        _section(recommendation(bench)),
    ]
    if bench.interrupted:
        body.append("<p>The run was interrupted; curves are missing.</p>")
    for problem in bench.problems:
        curves = bench.of(problem)
        if not curves:
            continue
        caption = f"{problem.title}: error over CPU time and over evaluations."
        body.append(_section(problem_table(bench, problem), figure_svg(diagram(problem, curves), caption), problem))
        tables = "".join(f"<h3>{escape(t.title)}</h3>{_html(t)}" for t in map(run_table, curves) if t.rows)
        body.append(f"<details><summary>All runs</summary>{tables}</details>")
    path = folder / PAGE
    path.write_text(page("What the accuracy of a motion costs", "".join([*body, "</main>"])), encoding="utf-8")
    return path


def _problem(problem: Problem) -> dict[str, Any]:
    """A problem in words."""
    names = ("id", "title", "kind", "until", "step", "observed", "reference", "accuracy")
    return {name: getattr(problem, name) for name in names}


def _curve(curve: Curve) -> dict[str, Any]:
    """A curve with its costs."""
    costs = {f"{target:g}": cost(curve, target) for target in TARGETS}
    return asdict(curve) | {
        "cost": {
            target: c and {"seconds": c.seconds, "evaluations": c.evaluations, "found": c.kind}
            for target, c in costs.items()
        }
    }


def _facts(bench: Bench) -> str:
    """When and with what."""
    facts = [("flexmbs", version()), ("started", bench.started), ("processes", str(bench.jobs))]
    return definition_list([*facts, ("seconds per curve", f"{bench.effort.seconds:.1f}"), *versions().items()])


def _section(table: Table, figure: str = "", problem: Problem | None = None) -> str:
    """A heading, what is compared, the figure and the table."""
    words = "" if problem is None else paragraphs(f"Compared: {problem.observed}. Reference: {problem.reference}.")
    drawing = f"<figure>{figure}</figure>" if figure else ""
    return f"<section><h2>{escape(table.title)}</h2>{words}{drawing}{_html(table)}</section>"


def _html(table: Table) -> str:
    """A table whose numbers are texts already."""
    rows = [[escape(str(entry)) for entry in row] for row in table.rows]
    return html_table([escape(text) for text in table.header], rows, css="wide")
