"""Run verification cases, one after another or in several processes, and keep whatever happens to each of them.

A case that raises, or even takes its process down with it, becomes an ``"error"`` and does not disturb the others.
"""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Literal

from flexmbs.core.checks import as_count, show
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.verification.case import Case, CaseEntry, Progress
from flexmbs.verification.outcome import ConvergenceStudy, Measured, Outcome, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CaseResult", "Listener", "Status", "VerificationRun", "run_case", "run_cases"]

Status = Literal["pass", "fail", "error"]


@dataclass(frozen=True)
class CaseResult:
    """What came of one case: plain numbers and texts only.

    ``status`` is ``"pass"``, ``"fail"`` (a quantity or a rate is off) or ``"error"`` (it raised, measured nothing, or
    compared with a reference too uncertain for its tolerance; ``error`` and ``traceback`` say what happened).
    ``wall_s`` is the time inside the case, of which ``compile_s`` went into compiling kernels; reading modules and
    drawing are not in it. ``pictures`` are (caption, SVG); ``equations`` and ``convergence_pictures`` go with the
    equations of the case and its studies.
    """

    entry: CaseEntry
    case: Case | None
    status: Status
    wall_s: float = 0.0
    compile_s: float = 0.0
    quantities: tuple[Measured, ...] = ()
    convergence: tuple[ConvergenceStudy, ...] = ()
    tables: tuple[Table, ...] = ()
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str | None = None
    traceback: str | None = None
    equations: tuple[str, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    convergence_pictures: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[str, ...]:
        """What is wrong, a line each; empty for a case that passed."""
        lines = [] if self.error is None else [self.error]
        lines += [
            f"{quantity.name}: {quantity.value:.10g} against {quantity.reference.value:.10g}{quantity.unit_text}, "
            f"error {quantity.error:.2e} > {quantity.allowed:.2e}"
            for quantity in self.quantities
            if not quantity.passed
        ]
        lines += [
            f"{study.name}: order {study.rate:.2f}, expected {study.expected:g}, least {study.minimum:g}"
            for study in self.convergence
            if not study.passed
        ]
        return tuple(lines)


@dataclass(frozen=True)
class VerificationRun:
    """The results of several cases, in the order they were asked for, and what was left out by an interruption."""

    results: tuple[CaseResult, ...]
    started: str
    wall_s: float
    jobs: int
    interrupted: bool = False
    not_run: tuple[CaseEntry, ...] = ()

    def count(self, status: Status) -> int:
        """How many cases ended so."""
        return sum(result.status == status for result in self.results)

    @property
    def passed(self) -> bool:
        """Whether every case was run and passed."""
        return not self.interrupted and all(result.status == "pass" for result in self.results)


class Listener:
    """What hears of the course of a run; override what you need."""

    def begin(self, entry: CaseEntry) -> None:
        """A case has begun."""

    def progress(self, entry: CaseEntry, message: str) -> None:
        """A case says what it is doing."""

    def end(self, result: CaseResult) -> None:
        """A case is done."""


def run_case(case: Case | CaseEntry, *, draw: bool = False, progress: Progress | None = None) -> CaseResult:
    """Run one case in this process and measure it.

    Parameters
    ----------
    case : Case or CaseEntry
        What to run.
    draw : bool
        Draw its equations, figures and convergence plots as well, for the report.
    progress : callable, optional
        Called with a few words now and then.

    Returns
    -------
    CaseResult
        Also when the case raises: only KeyboardInterrupt passes through.

    Examples
    --------
    >>> result = run_case(CaseEntry("s99", "No such thing", "statics", "flexmbs.verification.cases.absent:CASE"))
    >>> result.status, result.error
    ('error', "verification case 's99': there is no module flexmbs.verification.cases.absent.")
    """
    from flexmbs.core.jit import compile_seconds

    entry = _entry(case)
    result = CaseResult(entry, case if isinstance(case, Case) else None, "error")
    compiled = compile_seconds()
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            loaded = case if isinstance(case, Case) else case.load()
            result = replace(result, case=loaded)
            compiled, start = compile_seconds(), time.perf_counter()
            outcome = loaded.run(progress or _silent)
            result = replace(result, wall_s=time.perf_counter() - start, compile_s=compile_seconds() - compiled)
            if not isinstance(outcome, Outcome):
                raise ModelError(f"verification case {entry.id!r}: run must return an Outcome, not {show(outcome)}.")
            result = _judge(result, outcome)
            if draw:
                result = _draw(result, outcome)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a case does, the others go on
            spent = result.wall_s or time.perf_counter() - start
            result = _broken(replace(result, wall_s=spent), _describe(error), traceback.format_exc())
        said = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    return replace(result, warnings=tuple(said))


def run_cases(
    cases: Sequence[Case | CaseEntry], *, jobs: int = 1, draw: bool = False, listener: Listener | None = None
) -> VerificationRun:
    """Run cases and collect their results.

    Parameters
    ----------
    cases : sequence of Case or CaseEntry
        What to run.
    jobs : int
        Number of processes, each with a single BLAS thread; 1 runs everything in this process.
    draw : bool
        Draw pictures for the report.
    listener : Listener, optional
        Hears of each beginning, message and end.

    Returns
    -------
    VerificationRun
        An interruption from the keyboard keeps what is done.

    Examples
    --------
    >>> run = run_cases([CaseEntry("s99", "No such thing", "statics", "flexmbs.verification.cases.absent:CASE")])
    >>> run.passed, run.count("error")
    (False, 1)
    """
    jobs = min(as_count("verification", "jobs", jobs, minimum=1), max(len(cases), 1))
    for case in cases:
        if not isinstance(case, Case | CaseEntry):
            raise ModelError(f"verification: each case must be a Case or a CaseEntry, not {show(case)}.")
    listener = listener or Listener()
    started = datetime.now(UTC).isoformat(timespec="seconds")
    start = time.perf_counter()
    done: dict[int, CaseResult] = {}
    interrupted = False
    try:
        for index, result in _run_here(cases, draw, listener) if jobs == 1 else _run_apart(cases, jobs, draw, listener):
            done[index] = result
            listener.end(result)
    except KeyboardInterrupt:
        interrupted = True
    return VerificationRun(
        results=tuple(done[index] for index in sorted(done)),
        started=started,
        wall_s=time.perf_counter() - start,
        jobs=jobs,
        interrupted=interrupted,
        not_run=tuple(_entry(case) for index, case in enumerate(cases) if index not in done),
    )


def _run_here(cases: Sequence[Case | CaseEntry], draw: bool, listener: Listener) -> Iterator[tuple[int, CaseResult]]:
    """The cases one after another in this process."""
    for index, case in enumerate(cases):
        entry = _entry(case)
        listener.begin(entry)
        yield index, run_case(case, draw=draw, progress=partial(listener.progress, entry))


def _run_apart(
    cases: Sequence[Case | CaseEntry], jobs: int, draw: bool, listener: Listener
) -> Iterator[tuple[int, CaseResult]]:
    """The cases in ``jobs`` processes, as they finish."""
    from flexmbs.verification.workers import Lost, run_in_workers

    for index, event in run_in_workers(cases, jobs, draw):
        entry = _entry(cases[index])
        if event is None:
            listener.begin(entry)
        elif isinstance(event, str):
            listener.progress(entry, event)
        elif isinstance(event, CaseResult):
            yield index, event
        elif isinstance(event, Lost):
            yield index, _broken(CaseResult(entry, None, "error"), event.reason)


def _judge(result: CaseResult, outcome: Outcome) -> CaseResult:
    """Compare what was measured with what it should be."""
    result = replace(
        result,
        quantities=tuple(outcome.quantities),
        convergence=tuple(outcome.convergence),
        tables=tuple(outcome.tables),
        remarks=tuple(outcome.remarks),
    )
    problems = [quantity.problem for quantity in outcome.quantities if quantity.problem]
    if not outcome.quantities and not outcome.convergence:
        problems.append("the case measured nothing: neither a quantity nor a convergence study.")
    if problems:
        return _broken(result, " ".join(problems))
    passed = all(quantity.passed for quantity in outcome.quantities) and all(s.passed for s in outcome.convergence)
    return replace(result, status="pass" if passed else "fail")


def _draw(result: CaseResult, outcome: Outcome) -> CaseResult:
    """Add the pictures of the report."""
    from flexmbs.core.svg import figure_svg
    from flexmbs.verification.drawing import convergence_svg, equation_svg

    result = replace(
        result,
        equations=tuple(equation_svg(latex) for latex in (result.case.equations if result.case else ())),
        pictures=tuple((caption, figure_svg(figure, caption)) for caption, figure in outcome.figures),
        convergence_pictures=tuple(convergence_svg(study) for study in result.convergence),
    )
    _close([figure for _, figure in outcome.figures])
    return result


def _close(figures: list[Figure]) -> None:
    """Let go of figures made through pyplot, which would keep them."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        for figure in figures:
            pyplot.close(figure)


def _broken(result: CaseResult, message: str, trace: str | None = None) -> CaseResult:
    """The result as an error."""
    return replace(result, status="error", error=message, traceback=trace)


def _describe(error: BaseException) -> str:
    """One line about an exception: our own speak for themselves, others need their kind."""
    text = " ".join(str(error).split())
    return text if isinstance(error, FlexmbsError) and text else f"{type(error).__name__}: {text}".rstrip(": ")


def _entry(case: Case | CaseEntry) -> CaseEntry:
    """The list entry of a case."""
    if isinstance(case, CaseEntry):
        return case
    target = f"{getattr(case.run, '__module__', '?')}:{getattr(case.run, '__qualname__', '?')}"
    return CaseEntry(case.id, case.title, case.area, target, case.slow, case.basic)


def _silent(message: str) -> None:
    """Progress nobody listens to."""
