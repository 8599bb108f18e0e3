"""Optimisers of other libraries: they ask for numbers at values they choose, and every run is a row of the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.studies.family import Family
from flexmbs.studies.jobs import Analysis
from flexmbs.studies.measures import History, Measure
from flexmbs.studies.parameters import Between
from flexmbs.studies.results import StudyResults
from flexmbs.studies.samples import Points
from flexmbs.studies.study import Study

__all__ = ["Evaluations"]


class Evaluations:
    """Runs on demand, by values or by vectors, kept in one file.

    ``evaluations(values)`` returns the numbers of the measures for a list of values: what an optimiser that asks and
    tells (pymoo, Optuna, Nevergrad) needs. ``evaluations.vector(x)`` takes vectors between 0 and 1, one of them (k,) or
    columns (k, n) as `scipy.optimize.differential_evolution` with ``vectorized=True`` gives them. Runs that the file
    has already are not made again, so that an optimisation that was killed goes on at once through what it had.

    Parameters
    ----------
    family : Family
    measures : Measure or History, or a sequence of them
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
        self.family, self.analysis, self.file, self.workers = family, analysis, file, workers
        self.measures: Any = measures
        self.failed = float(failed)
        self.results: StudyResults | None = None

    def __call__(self, values: Iterable[Mapping[str, Any]]) -> FloatArray:
        """Numbers (n, n_measures) for a list of values; ``failed`` where a run has none."""
        rows = [dict(row) for row in values]
        study = Study(self.family, Points(rows), self.measures, self.analysis)
        done = study.run(self.file, workers=self.workers, progress=False)
        self.results = StudyResults.of_file(done.path, study)  # type: ignore[arg-type]
        numbers = np.column_stack([done[name] for name in done.measures])
        return np.where(np.isfinite(numbers) & done.done[:, None], numbers, self.failed)

    def vector(self, x: Any) -> Any:
        """The first measure at shares ``x`` of the ranges, (k,) or (k, n): a number, or numbers (n,).

        Raises
        ------
        ModelError
            If x has another shape.
        """
        shares = np.asarray(x, dtype=float)
        if shares.ndim not in (1, 2) or len(shares) != len(self.family.names):
            raise ModelError(f"Evaluations: expected {len(self.family.names)} shares, not an array {shares.shape}.")
        columns = shares.reshape(len(shares), -1).T
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
