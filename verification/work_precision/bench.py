"""All schemes on all problems, one curve after another or in several processes; what is done is kept."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context

from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.verification.work_precision.measure import Curve, Effort, measure
from flexmbs.verification.work_precision.problems import PROBLEMS, Problem
from flexmbs.verification.work_precision.schemes import SCHEMES, Control, Scheme
from flexmbs.verification.workers import single_threaded

__all__ = ["Bench", "effort", "pick_problems", "pick_schemes", "run_bench"]

TOTAL, QUICK_TOTAL = 240.0, 8.0
"""CPU seconds that all curves together may take, about."""
LEAST, MOST = 0.4, 3.0
"""Bounds of the seconds of one curve."""

Task = tuple[Problem, Scheme, Control]


Heard = Callable[["Bench", Curve], None]
"""Called with every curve as it is done, and all that are."""


@dataclass(frozen=True)
class Bench:
    """What came out so far, in the order of the tables; ``planned`` is the number of all curves."""

    problems: tuple[Problem, ...]
    schemes: tuple[Scheme, ...]
    curves: tuple[Curve, ...]
    effort: Effort
    jobs: int
    started: str
    planned: int
    interrupted: bool = False

    def of(self, problem: Problem) -> list[Curve]:
        """The curves of a problem."""
        return [curve for curve in self.curves if curve.problem == problem.id]


def pick_problems(names: Sequence[str], quick: bool = False) -> tuple[Problem, ...]:
    """Problems by id, or all of them; for a quick run the first of each class.

    Raises
    ------
    ModelError
        For an unknown name.
    """
    firsts = {problem.kind: problem.id for problem in reversed(PROBLEMS)}
    wanted = list(firsts.values()) if quick and not names else names
    return tuple(p for p in PROBLEMS if p.id in _known("problem", wanted, [p.id for p in PROBLEMS]))


def pick_schemes(names: Sequence[str]) -> tuple[Scheme, ...]:
    """Schemes by id, or all of them."""
    return tuple(s for s in SCHEMES if s.id in _known("scheme", names, [s.id for s in SCHEMES]))


def effort(count: int, jobs: int = 1, quick: bool = False, minutes: float | None = None) -> Effort:
    """How much each of ``count`` curves may cost for all of them to stay within some minutes, or 20 s if ``quick``."""
    if minutes is not None:
        return Effort(seconds=60.0 * minutes * jobs / max(count, 1))
    if quick:
        return Effort(seconds=QUICK_TOTAL * jobs / max(count, 1), stride=2, most=4, repeats=1, part=0.1)
    return Effort(seconds=min(MOST, max(LEAST, TOTAL * jobs / max(count, 1))))


def run_bench(
    problems: Sequence[Problem],
    schemes: Sequence[Scheme],
    *,
    quick: bool = False,
    minutes: float | None = None,
    jobs: int = 1,
    apart: bool = True,
    heard: Heard | None = None,
) -> Bench:
    """Measure every scheme on every problem.

    Parameters
    ----------
    problems, schemes : sequences of Problem and Scheme
    quick : bool
        Few runs a curve, the last of the controls of each scheme alone, a tenth of the motions.
    minutes : float, optional
        How long all curves together may take; by default about four, and 20 s if ``quick``. All have the same share.
    jobs : int
        Processes at a time. More than there are processors, or processors that share their cache, blur the times.
    apart : bool
        Whether to use processes of their own, each with one thread of linear algebra; otherwise all runs here.
    heard : callable, optional
        Hears of every curve.

    Returns
    -------
    Bench
        An interruption from the keyboard keeps the curves that are done.
    """
    tasks: list[Task] = [(p, s, c) for p in problems for s in schemes for c in s.controls[-1 if quick else 0 :]]
    allowed = effort(len(tasks), jobs, quick, minutes)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    so_far = Bench(tuple(problems), tuple(schemes), (), allowed, jobs, started, len(tasks))
    done: dict[int, Curve] = {}
    try:
        for index, curve in (_apart if apart else _here)(tasks, allowed, jobs):
            done[index] = curve
            so_far = replace(so_far, curves=tuple(done[i] for i in sorted(done)))
            if heard is not None:
                heard(so_far, curve)
    except KeyboardInterrupt:
        return replace(so_far, interrupted=True)
    return so_far


def _here(tasks: Sequence[Task], allowed: Effort, jobs: int) -> Iterator[tuple[int, Curve]]:
    """One curve after another in this process."""
    for index, (problem, scheme, control) in enumerate(tasks):
        yield index, measure(problem, scheme, control, allowed)


def _apart(tasks: Sequence[Task], allowed: Effort, jobs: int) -> Iterator[tuple[int, Curve]]:
    """The curves in ``jobs`` processes, as they are done."""
    with single_threaded():
        pool = ProcessPoolExecutor(
            jobs, get_context("spawn"), initializer=partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
        )
        try:
            futures: dict[Future[Curve], int] = {
                pool.submit(measure, problem, scheme, control, allowed): index
                for index, (problem, scheme, control) in enumerate(tasks)
            }
            for future in as_completed(futures):
                index = futures[future]
                problem, scheme, control = tasks[index]
                error = future.exception()
                if isinstance(error, KeyboardInterrupt):
                    raise error
                if error is not None:  # the process died, or the curve cannot travel
                    why = f"{type(error).__name__}: {error}"
                    yield index, Curve(problem.id, scheme.id, scheme.title, control, refused=why)
                else:
                    yield index, future.result()
        finally:
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    """The names asked for, all if none; unknown ones are refused."""
    for name in names:
        if name not in known:
            raise ModelError(unknown_name(what, name, known))
    return names or known
