"""Optimisers of other libraries: they ask for numbers at values they choose, and every run is a row of the file."""

from __future__ import annotations

import atexit
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.checks import is_list, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.io.sealed import as_target
from flexmbs.studies.family import Family
from flexmbs.studies.jobs import Analysis
from flexmbs.studies.journal import Journal
from flexmbs.studies.measures import History, Measure
from flexmbs.studies.outcomes import Ended, Job, Outcome, Plan, key_of
from flexmbs.studies.parameters import Between
from flexmbs.studies.results import StudyResults
from flexmbs.studies.runner import Task, run_all
from flexmbs.studies.samples import Points
from flexmbs.studies.study import Study
from flexmbs.studies.study_file import Kept, open_kept, write_kept
from flexmbs.system.layout import Layouts

__all__ = ["Evaluations"]

RARELY = 20.0
"""The file is written anew after so many times the time that it took the last time."""
ROUND_OFF = 1e-9
"""How far a share may lie outside of 0 to 1: what optimisers leave there that keep to bounds only to round-off."""


class Evaluations:
    """Runs on demand, by values or by vectors, kept in one file.

    ``evaluations(values)`` returns the numbers of the measures for a list of values: what an optimiser that asks and
    tells (pymoo, Optuna, Nevergrad) needs. ``evaluations.vector(x)`` takes vectors between 0 and 1, one of them (k,) or
    columns (k, n) as `scipy.optimize.differential_evolution` with ``vectorized=True`` gives them. Runs that the file
    has already are not made again, so that an optimisation that was killed goes on at once through what it had.

    Every run is in a journal beside the file at once. The file is written anew when that takes little of the time that
    has passed since the last writing, when ``results`` is asked for, and when the object or the program ends.

    Parameters
    ----------
    family : Family
    measures : Measure or History, or a sequence of them
        At least one `Measure`: optimisers get numbers; histories are only kept in the file.
    analysis : Simulation, Statics, ...
    file : path-like
        Where runs are kept.
    failed : float, default infinity
        What a run that fails has as number.
    workers : int or dask.distributed.Client
        As for `Study.run`. Several calls share a client that is given; a number starts processes at every call.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> from scipy.optimize import minimize_scalar
    >>> def ball(x=0.5):
    ...     return fx.Model(fx.PointMass(1.0, position=(x, 0, 0), name="ball"))
    >>> far = fx.studies.Measure("far", lambda run: (run.position("ball")[-1, 0] - 2.3) ** 2)
    >>> family = fx.studies.Family(ball, x=fx.studies.Between(0.0, 10.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     runs = fx.studies.Evaluations(family, far, fx.studies.Simulation(until=0.0), f"{folder}/runs.h5")
    ...     found = minimize_scalar(lambda x: runs([{"x": x}])[0, 0], bounds=(0, 10), method="bounded")
    ...     best = runs.results.best("far").values["x"]
    >>> round(float(found.x), 4), bool(abs(best - found.x) < 1e-4)
    (2.3, True)
    """

    def __init__(
        self,
        family: Family,
        measures: Measure | History | Sequence[Measure | History],
        analysis: Analysis,
        file: str | PathLike[str],
        *,
        failed: float = float("inf"),
        workers: Any = 0,
    ) -> None:
        if not isinstance(family, Family):
            raise ModelError(f"Evaluations: expected a Family, not {show(family)}.")
        if isinstance(measures, History) or (is_list(measures) and all(isinstance(m, History) for m in measures)):
            raise ModelError(
                "Evaluations: there is no Measure among the measures; a History is kept in the file, but is no number "
                "for an optimiser. Make a Measure of it, such as a sum of squares of differences from a record."
            )
        self.family, self.file, self.workers = family, file, workers
        self.failed = float(failed)
        self._study = Study(family, Points([family.centre]), measures, analysis)
        self._rows = _Rows(self._study, as_target("Evaluations", file, (".h5", ".nc")))
        weakref.finalize(self, self._rows.end).atexit = False
        # What is registered last is called first: here it is after h5py, which writes nothing once it was called, and
        # after the finalizers of weakref, which remove temporary folders.
        atexit.register(self._rows.write)

    def __call__(self, values: Iterable[Mapping[str, Any]]) -> FloatArray:
        """Numbers (n, n_measures) for a list of values; ``failed`` where a run has none.

        Raises
        ------
        ModelError
            If values are missing, unknown or out of their ranges, or the builder gives different models for the same
            values.
        """
        listed = list(values) if isinstance(values, Iterable) and not isinstance(values, Mapping | str) else None
        if listed is None or any(not isinstance(row, Mapping) for row in listed):
            raise ModelError(
                f"Evaluations: expected a list of values by name, such as [{{{self.family.names[0]!r}: ...}}], not "
                f"{show(values)}."
            )
        rows = [self.family.values(row) for row in listed]
        found = self._rows.numbers(rows, self.workers)
        return np.where(np.isfinite(found), found, self.failed)

    @property
    def results(self) -> StudyResults | None:
        """All runs so far, which are written to the file; None before the first."""
        self._rows.begun()
        self._rows.write()
        return StudyResults.of_file(self._rows.target, self._study) if self._rows.target.exists() else None

    def vector(self, x: Any) -> Any:
        """The first measure at shares ``x`` of the ranges, (k,) or (k, n): a number, or numbers (n,).

        Raises
        ------
        ModelError
            If x has another shape, or a share is not between 0 and 1.
        """
        shares = np.asarray(x, dtype=float)
        names = list(self.family.names)
        if shares.ndim not in (1, 2) or len(shares) != len(names):
            raise ModelError(f"Evaluations: expected {len(names)} shares, not an array {shares.shape}.")
        columns = shares.reshape(len(shares), -1).T
        outside = np.argwhere(~((columns >= -ROUND_OFF) & (columns <= 1.0 + ROUND_OFF)))
        if len(outside):
            row, k = outside[0]
            raise ModelError(
                f"Evaluations: the share of the range of {names[k]!r} must be between 0 and 1, not "
                f"{columns[row, k]:.6g}; give the optimiser the bounds 0 and 1 of every share."
            )
        columns = np.clip(columns, 0.0, 1.0)
        rows = [
            {n: p.at(float(s)) for (n, p), s in zip(self.family.parameters.items(), c, strict=True)} for c in columns
        ]
        numbers = self(rows)[:, 0]
        return numbers if shares.ndim == 2 else float(numbers[0])

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Bounds of the parameters, for optimisers that take values instead of shares.

        Raises
        ------
        ModelError
            If a parameter is no `Between`.
        """
        for name, parameter in self.family.parameters.items():
            if not isinstance(parameter, Between):
                raise ModelError(f"Evaluations: {name!r} is no range between two bounds; use shares (vector).")
        return [(p.low, p.high) for p in self.family.parameters.values() if isinstance(p, Between)]


class _Rows:
    """The runs that were asked for: their numbers here, all else in the journal and the file."""

    def __init__(self, study: Study, target: Path) -> None:
        self.study, self.target = study, target
        self.names = [m.name for m in study.measures if isinstance(m, Measure)]
        self._layouts = Layouts()
        self._known: dict[str, tuple[float, ...]] = {}
        self._order: dict[str, None] = {}
        self._journal: Journal | None = None
        self._took, self._last = 0.0, time.monotonic()

    def numbers(self, rows: Sequence[dict[str, Any]], workers: Any) -> FloatArray:
        """Numbers (n, n_measures) at some values, NaN where a run has none; what is not known is run."""
        journal = self.begun()
        keys = [key_of(row) for row in rows]
        missing = {key: i for i, key in reversed(list(enumerate(keys))) if key not in self._known}
        if missing:
            study = self.study
            study.family.check_repeats()
            alike = len(missing) + len(self._order)
            plan = Plan(study.family, study.analysis, study.measures, None, alike, self._layouts)
            jobs: list[Task] = [Job(i, rows[i], plan) for i in sorted(missing.values())]
            self._order.update(dict.fromkeys(keys))
            journal.open()
            try:
                run_all(jobs, lambda index, outcome: self._keep(journal, outcome), workers, journal.spool)
            finally:
                journal.close()
            if time.monotonic() - self._last >= RARELY * self._took:
                self.write()
        return np.array([self._known[key] for key in keys]).reshape(len(keys), len(self.names))

    def write(self) -> None:
        """Write the file, if something is not in it."""
        if self._journal is None or not self._journal.path.exists():
            return
        began = time.monotonic()
        kept = Kept(self.target, self._journal)
        order = list(dict.fromkeys((*(key for key in self._order if key in kept.ended), *kept.ended)))
        write_kept(self.target, self._journal.header, kept, order)
        self._journal.remove()
        self._last = time.monotonic()
        self._took = self._last - began

    def end(self) -> None:
        """Write the file for the last time, and leave the program nothing to write when it ends."""
        atexit.unregister(self.write)
        self.write()

    def begun(self) -> Journal:
        """The journal, once it and the file have been looked at."""
        if self._journal is not None:
            return self._journal
        self._journal = Journal(self.target, self.study.header)
        kept = open_kept("Evaluations", self.target, self._journal)
        for key, outcome in zip(kept.ended, kept.outcomes(kept.ended), strict=True):
            self._order[key] = None
            if outcome is not None and outcome.ended is not Ended.KILLED:  # which is tried again
                self._note(outcome)
        return self._journal

    def _keep(self, journal: Journal, outcome: Outcome) -> None:
        journal.append(outcome)
        self._note(outcome)

    def _note(self, outcome: Outcome) -> None:
        ended_well = outcome.ended is Ended.DONE
        self._known[outcome.key] = tuple(outcome.numbers[n] if ended_well else np.nan for n in self.names)
