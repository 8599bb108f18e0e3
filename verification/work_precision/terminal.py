"""A comparison of schemes on the terminal: a line for every curve as it is done, then the tables."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from flexmbs.verification.outcome import Table
from flexmbs.verification.terminal import text_table
from flexmbs.verification.work_precision.bench import Bench, run_bench
from flexmbs.verification.work_precision.files import write_json, write_page
from flexmbs.verification.work_precision.measure import Curve
from flexmbs.verification.work_precision.problems import Problem
from flexmbs.verification.work_precision.schemes import CONTROLS, Scheme
from flexmbs.verification.work_precision.tables import cut, problem_table, recommendation

__all__ = ["list_tables", "report"]


def list_tables(problems: Sequence[Problem], schemes: Sequence[Scheme]) -> str:
    """Problems and schemes with their ids."""
    width = max(len(name) for name in (*(p.id for p in problems), *(s.id for s in schemes)))
    lines = ["problems", *(f"  {p.id:<{width}}  {p.title} ({p.kind})" for p in problems)]
    return "\n".join([*lines, "schemes", *(f"  {s.id:<{width}}  {s.title}" for s in schemes)])


def report(
    problems: Sequence[Problem],
    schemes: Sequence[Scheme],
    out: Path | None,
    *,
    quick: bool,
    jobs: int,
    minutes: float | None = None,
    stream: TextIO,
    apart: bool = True,
) -> Bench:
    """Measure, show and write; the JSON file is written anew after every curve, so that it is kept whatever happens."""
    began = time.monotonic()

    def heard(bench: Bench, curve: Curve) -> None:
        done = len(bench.curves)
        left = (time.monotonic() - began) * (bench.planned - done) / done
        print(f"[{done}/{bench.planned}, about {left:.0f} s left] {_line(curve)}", file=stream, flush=True)
        if out is not None:
            write_json(bench, out)

    bench = run_bench(problems, schemes, quick=quick, minutes=minutes, jobs=jobs, apart=apart, heard=heard)
    for table in (*(problem_table(bench, p) for p in problems if bench.of(p)), recommendation(bench)):
        print("", *text_table(_narrow(table)), sep="\n", file=stream)
    if bench.interrupted:
        print("interrupted; what was measured is kept.", file=stream)
    if out is not None:
        print(f"Results: {write_json(bench, out)}", f"Page: {write_page(bench, out)}", sep="\n", file=stream)
    print(f"{len(bench.curves)} curves in {time.monotonic() - began:.0f} s", file=stream)
    return bench


def _line(curve: Curve) -> str:
    """What came of a curve."""
    head = f"{curve.problem}, {curve.title}, {CONTROLS[curve.control]}: "
    if curve.reason:
        return cut(f"{head}no point: {curve.reason}", 160)
    errors = [run.error for run in curve.points if run.error is not None]
    return f"{head}{len(errors)} runs, error {errors[0]:.1e} to {min(errors):.1e}, {curve.ended}"


def _narrow(table: Table) -> Table:
    """With texts short enough for a line."""
    rows = [[cut(entry, 60) if isinstance(entry, str) else entry for entry in row] for row in table.rows]
    return Table(table.title, table.header, rows)
