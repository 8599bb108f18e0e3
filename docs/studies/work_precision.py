"""What the accuracy of a motion costs with each scheme: figures for the page on the choice of a scheme.

    .venv/bin/flexmbs bench integrators --minutes 9 --out build/bench
    .venv/bin/python docs/studies/work_precision.py build/bench/bench.json

The second command writes work_precision.csv beside this file, which the page reads; a row is a run.
"""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from flexmbs.verification.outcome import Table
from flexmbs.verification.work_precision.bench import Bench, effort
from flexmbs.verification.work_precision.measure import Curve, Run
from flexmbs.verification.work_precision.pictures import diagram
from flexmbs.verification.work_precision.problems import PROBLEMS, Problem
from flexmbs.verification.work_precision.ranking import TARGETS, ranked, recommended
from flexmbs.verification.work_precision.schemes import CONTROLS, SCHEMES, Control

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

FILE = Path(__file__).with_suffix(".csv")
FAMILIES = ("alpha-2", "alpha-2-compiled", "alpha-3", "augmented", "bdf", "radau", "energy", "rk5")
CURVE = ("problem", "scheme", "control")
RUN = tuple(field.name for field in fields(Run) if field.name != "repeats")


def write(source: Path) -> Path:
    """The runs in bench.json as rows."""
    content = json.loads(source.read_text(encoding="utf-8"))
    with FILE.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow((*CURVE, *RUN, "refused"))
        for curve in content["curves"]:
            for run in curve["runs"] or [{}]:
                numbers = [_short(run.get(name, "")) for name in RUN]
                rows.writerow([*(curve[name] for name in CURVE), *numbers, curve["refused"]])
    return FILE


def bench() -> Bench:
    """All curves of the file."""
    titles = {scheme.id: scheme.title for scheme in SCHEMES}
    curves = []
    with FILE.open(encoding="utf-8") as file:
        for key, rows in groupby(csv.DictReader(file), key=lambda row: tuple(row[name] for name in CURVE)):
            found = list(rows)
            runs = tuple(_run(row) for row in found if row["level"])
            problem, scheme, control = key
            curves.append(Curve(problem, scheme, titles[scheme], cast("Control", control), runs, found[0]["refused"]))
    return Bench(PROBLEMS, SCHEMES, tuple(curves), effort(len(curves)), 1, "", len(curves))


def picture(found: Bench, problem: Problem, schemes: Sequence[str] = ()) -> Figure:
    """The diagram of some schemes, by default one of each family."""
    wanted = schemes or FAMILIES
    return diagram(problem, [curve for curve in found.of(problem) if curve.scheme in wanted])


def costs(found: Bench, problem: Problem) -> Table:
    """CPU milliseconds and evaluations at both errors: for each scheme the control that is faster at the first one."""
    columns = [{id(c.curve): c for c in ranked(found.of(problem), target)} for target in TARGETS]
    header = ["scheme", "control", *(text for target in TARGETS for text in (f"ms at {target:g}", "evaluations"))]
    best: dict[str, Curve] = {}
    for column in columns:
        for c in column.values():
            best.setdefault(c.curve.title, c.curve)
    rows: list[list[str | float]] = []
    for curve in best.values():
        row: list[str | float] = [curve.title, CONTROLS[curve.control]]
        for column in columns:
            c = column.get(id(curve))
            row += ["-", "-"] if c is None else [f"{c.mark}{1e3 * c.seconds:.3g}", f"{c.evaluations:.0f}"]
        rows.append(row)
    return Table(problem.title, header, rows)


def drifts(found: Bench, problem: Problem, most: int = 4) -> Table:
    """Change of the energy with fixed steps, a column a step; a dash where the scheme stops or its time was up."""
    steps = [problem.step / 2**k for k in range(most)]
    rows: list[list[str | float]] = []
    for curve in found.of(problem):
        if curve.control == "step" and curve.points:
            at = {f"{run.level:.4g}": run.drift for run in curve.points}
            values = [at.get(f"{step:.4g}") for step in steps]
            rows.append([curve.title, *("-" if value is None else f"{value:.0e}" for value in values)])
    return Table(problem.title, ["scheme", *(f"{1e3 * step:g} ms" for step in steps)], rows)


def recommendations(found: Bench, most: int = 4) -> Table:
    """The fastest schemes of every class of problems, with the ratios of their times."""
    rows: list[list[str | float]] = []
    for kind in dict.fromkeys(problem.kind for problem in found.problems):
        for target in TARGETS:
            places = recommended(found, kind, target)
            text = [f"{p.title}, {CONTROLS[p.control]}" for p in places]
            marks = [" ~" if p.extrapolated else "" for p in places]
            listed = [f"{t} ({p.ratio / places[0].ratio:.1f}{m})" for p, t, m in zip(places, text, marks, strict=True)]
            rows.append([kind, f"{target:g}", text[0] if text else "none reaches it", "; ".join(listed[1:most]) or "-"])
    return Table("Recommended", ["class", "error", "fastest", "next, and how many times longer they take"], rows)


def markdown(table: Table) -> str:
    """A table for the page."""
    lines = [list(table.header), ["---"] * len(table.header), *([str(cell) for cell in row] for row in table.rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _run(row: dict[str, str]) -> Run:
    """A row as a run."""
    whole = ("evaluations", "factorisations", "steps", "rejected")
    values: dict[str, Any] = {name: float(row[name]) if row[name] else None for name in RUN if name != "failure"}
    values |= {name: int(row[name]) for name in whole}
    return Run(**values, failure=row["failure"])


def _short(value: Any) -> Any:
    """With the digits that the page needs."""
    return f"{value:.4g}" if isinstance(value, float) else value


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
