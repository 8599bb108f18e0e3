"""What a study found: a table of values and numbers, the runs that failed, the best one and its model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import is_among, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.data_frames import data_frame
from flexmbs.core.errors import LossWarning, ModelError, ReadError, unknown_name
from flexmbs.studies.outcomes import Ended, Outcome
from flexmbs.studies.parameters import Value
from flexmbs.studies.study_file import Kept, Stored, read_study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.model.model import Model
    from flexmbs.studies.study import Study

__all__ = ["StudyResults", "StudyRun", "load"]

GOALS = ("least", "greatest")


@dataclass(frozen=True, eq=False)
class StudyRun:
    """One run of a study.

    ``number``: its place among the runs; ``values``: of the parameters; ``numbers``: of the measures.
    """

    number: int
    values: dict[str, Value]
    numbers: dict[str, float]
    ended: Ended
    message: str
    warned: tuple[str, ...]
    seconds: float
    study: Study | None

    @property
    def model(self) -> Model:
        """The model of the run, made anew.

        Raises
        ------
        ModelError
            If the results were read from a file without its study.
        """
        return self._of_study("model").family.model(**self.values)

    def result(self) -> Any:
        """The result of the analysis, computed again: all of what measures were read off."""
        return self._of_study("result").analysis.perform(self.model)

    def _of_study(self, what: str) -> Study:
        if self.study is None:
            raise ModelError(
                f"Run {self.number}: its {what} needs the function that makes it, which a file does not hold. Read the "
                f"file with load(file, study)."
            )
        return self.study

    def __repr__(self) -> str:
        both = {**self.values, **self.numbers}
        shown = ", ".join(f"{k} = {v if isinstance(v, str) else format(v, '.6g')}" for k, v in both.items())
        return f"<run {self.number}: {shown}; {self.ended.name.lower()}>"


class _NoSuchRunError(ModelError, IndexError):
    """As sequences raise it."""


class StudyResults(Sequence[StudyRun]):
    """Runs of a study, in the order of its samples.

    ``results[name]`` is the array (n_runs,) of a parameter or a measure, NaN where a run has none; ``results[i]`` a
    `StudyRun`.

    Attributes
    ----------
    columns : dict
        Arrays (n_runs,): parameters, measures, ``status``, ``message``, ``warned``, ``seconds``, ``key``.
    path : Path or None
        The file.
    """

    def __init__(
        self, columns: dict[str, Any], header: Mapping[str, Any], study: Study | None, histories: Any, path: Path | None
    ) -> None:
        self.columns, self.header, self.study, self.path = columns, dict(header), study, path
        self._histories = histories

    @classmethod
    def of_outcomes(cls, outcomes: Mapping[str, Outcome], study: Study, keys: list[str]) -> StudyResults:
        """Of what was kept in memory."""
        header = study.header
        runs = [outcomes[key] for key in keys]
        columns: dict[str, Any] = {n: _array([r.values[n] for r in runs]) for n in header["parameters"]}
        columns |= {
            n: np.array([r.numbers.get(n, np.nan) for r in runs])
            for kind, n, *_ in header["measures"]
            if kind == "Measure"
        }
        columns |= {
            "status": np.array([r.ended for r in runs], dtype=np.int8),
            "message": _array([r.message for r in runs]),
            "warned": _array(["\n".join(r.warned) for r in runs]),
            "seconds": np.array([r.seconds for r in runs]),
            "key": _array([r.key for r in runs]),
        }
        return cls(columns, header, study, lambda name, i: runs[i].histories.get(name, np.empty(0)), None)

    @classmethod
    def of_file(cls, path: Path, study: Study | None = None, keys: list[str] | None = None) -> StudyResults:
        """Of a file; only the runs with given keys, in their order."""
        stored: Stored = read_study(path)
        rows = np.arange(len(stored.columns["key"]))
        if keys is not None:
            where = {key: i for i, key in enumerate(stored.columns["key"])}
            rows = np.array([where[key] for key in keys], dtype=np.int64)
        columns = {name: values[rows] for name, values in stored.columns.items()}

        def history(name: str, i: int) -> FloatArray:
            at, values = stored.rows("at", rows[i]), stored.rows(name, rows[i])
            return np.asarray(values[: int(np.isfinite(at).sum())])

        return cls(columns, stored.header, study, history, path)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self.header["parameters"])

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures that are numbers."""
        return tuple(name for kind, name, *_ in self.header["measures"] if kind == "Measure")

    @property
    def histories(self) -> tuple[str, ...]:
        """Names of what was kept along the runs."""
        return tuple(name for kind, name, *_ in self.header["measures"] if kind == "History")

    def unit(self, name: str) -> str:
        """Unit of a measure or history, as it was given."""
        return next((unit for _, known, unit, _ in self.header["measures"] if known == name), "")

    def __len__(self) -> int:
        return len(self.columns["key"])

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, str):
            return self._column(item).copy()
        if isinstance(item, slice):
            return [self[i] for i in range(*item.indices(len(self)))]
        i = self._number(item)
        c = self.columns
        warned = str(c["warned"][i])
        return StudyRun(
            i,
            {n: _plain(c[n][i]) for n in self.parameters},
            {n: float(c[n][i]) for n in self.measures},
            Ended(int(c["status"][i])),
            str(c["message"][i]),
            tuple(warned.split("\n")) if warned else (),
            float(c["seconds"][i]),
            self.study,
        )

    def __iter__(self) -> Iterator[StudyRun]:
        return (self[i] for i in range(len(self)))

    def _number(self, run: Any) -> int:
        """The number of a run, from the end where it is negative."""
        if isinstance(run, bool) or not isinstance(run, int | np.integer):
            raise ModelError(f"Study: a run is asked for by its number, a column by its name, not {show(run)}.")
        if not -len(self) <= run < len(self):
            raise _NoSuchRunError(f"Study: there is no run {run}; there are {len(self)}, counted from 0.")
        return int(run) % len(self)

    def _column(self, name: str) -> Any:
        known = (*self.parameters, *self.measures, "seconds")
        if not is_among(name, known):
            where = " (a history; ask with history(name, run))" if name in self.histories else ""
            raise ModelError(f"Study: {unknown_name('parameter or measure', name, known)}{where}")
        return self.columns[name]

    def history(self, name: str, run: int) -> tuple[FloatArray, FloatArray]:
        """Where (n,) and what (n,) was kept along a run, up to its end.

        Raises
        ------
        ModelError
            If there is no such history.
        """
        if not is_among(name, self.histories):
            raise ModelError(f"Study: {unknown_name('history', name, self.histories)}")
        i = self._number(run)
        return self._histories("at", i), self._histories(name, i)

    @property
    def done(self) -> Any:
        """Whether each run (n_runs,) ended well."""
        return self.columns["status"] == Ended.DONE

    @property
    def failed(self) -> list[StudyRun]:
        """The runs that did not."""
        return [self[int(i)] for i in np.flatnonzero(~self.done)]

    def best(self, measure: str, goal: str = "least") -> StudyRun:
        """The run with the least or greatest number among those that ended well.

        Raises
        ------
        ModelError
            If there is no such measure or goal, or no run ended well.
        """
        if not is_among(goal, GOALS):
            raise ModelError(f"best: goal must be 'least' or 'greatest', not {show(goal)}.")
        numbers = np.where(self.done, self._column(measure).astype(float), np.nan)
        if not np.isfinite(numbers).any():
            why = "look at failed[0].message" if self.failed else "there is no number to compare"
            raise ModelError(f"best: no run of {len(self)} ended well with a number of {measure!r}; {why}.")
        best: StudyRun = self[int(np.nanargmin(numbers) if goal == "least" else np.nanargmax(numbers))]
        return best

    def pareto(self, *names: str, **goals: str) -> list[StudyRun]:
        """Runs that no other run beats in one measure without being worse in another.

        Parameters
        ----------
        *names : str
            Measures or parameters of which the least is best.
        **goals : 'least' or 'greatest'
            What is best, by name of the measure or parameter; names that are no words go in as
            ``**{"peak force": "greatest"}``.

        Raises
        ------
        ModelError
            If no name is given, or one twice, or there is no such measure or goal.

        Examples
        --------
        >>> import flexmbs as fx
        >>> def ball(x=0.5):
        ...     return fx.Model(fx.PointMass(1.0, position=(x, 0, 0), name="ball"))
        >>> family = fx.studies.Family(ball, x=fx.studies.Between(0.0, 1.0))
        >>> measures = [
        ...     fx.studies.Measure("near", lambda run: run.position("ball")[-1, 0]),
        ...     fx.studies.Measure("middle", lambda run: abs(run.position("ball")[-1, 0] - 0.5)),
        ... ]
        >>> study = fx.studies.Study(family, fx.studies.Grid(x=5), measures, fx.studies.Simulation(until=0.0))
        >>> [run.values["x"] for run in study.run().pareto("near", "middle")]
        [0.0, 0.25, 0.5]
        >>> [run.values["x"] for run in study.run().pareto("middle", near="greatest")]
        [0.5, 0.75, 1.0]
        """
        asked = [*((name, "least") for name in names), *goals.items()]
        if not asked:
            raise ModelError("pareto: name at least one measure, for example 'mass' or mass='greatest'.")
        columns = []
        for i, (name, goal) in enumerate(asked):
            if not is_among(goal, GOALS):
                raise ModelError(f"pareto: the goal of {name!r} must be 'least' or 'greatest', not {show(goal)}.")
            column = self._column(name)
            if name in [other for other, _ in asked[:i]]:
                raise ModelError(f"pareto: {name!r} is named twice.")
            if column.dtype.kind not in "biuf":
                raise ModelError(f"pareto: {name!r} has words for values; only numbers can be compared.")
            columns.append(column.astype(float) * (1.0 if goal == "least" else -1.0))
        cost = np.column_stack(columns)
        kept = np.flatnonzero(self.done & np.isfinite(cost).all(axis=1))
        front = [
            int(i) for i in kept if not ((cost[kept] <= cost[i]).all(axis=1) & (cost[kept] < cost[i]).any(axis=1)).any()
        ]
        return [self[i] for i in front]

    def table(self, most: int = 20) -> str:
        """Values, numbers and status as text, the first ``most`` runs."""
        names = (*self.parameters, *self.measures)
        head = [f"{n} [{self.unit(n)}]" if self.unit(n) else n for n in names]
        rows = [["run", *head, "ended"]]
        for i in range(min(most, len(self))):
            cells = [_cell(self.columns[n][i]) for n in names]
            rows.append([str(i), *cells, Ended(int(self.columns["status"][i])).name.lower()])
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join(lines + ([f"... and {len(self) - most} more"] if len(self) > most else []))

    def to_dataframe(self) -> Any:
        """All columns as a data frame of pandas, which must be installed; ``status`` tells how each run ended.

        Raises
        ------
        ModelError
            If it is not.
        """
        columns = {n: self.columns[n] for n in (*self.parameters, *self.measures)}
        last = {n: self.columns[n] for n in ("seconds", "message")}
        return data_frame({**columns, "status": [run.ended.name for run in self], **last})

    def plot(self, measure: str, over: str | None = None, ax: Axes | None = None) -> Axes:
        """A measure over a parameter (default: the first), coloured by the next one where there are more."""
        from flexmbs.studies.plots import response

        return response(self, measure, over, ax)

    def plot_pareto(self, first: str, second: str, goals: tuple[str, str] = ("least", "least"), ax: Any = None) -> Axes:
        """Two measures against each other, the runs that none beats joined by a line."""
        from flexmbs.studies.plots import front

        return front(self, first, second, goals, ax)

    def plot_matrix(self, *names: str) -> Any:
        """Every pair of parameters and measures against each other; returns the figure."""
        from flexmbs.studies.plots import matrix

        return matrix(self, names)

    def __repr__(self) -> str:
        failed = int((~self.done).sum())
        return f"<study of {self.header['builder']!r}: {len(self)} runs, {failed} failed>"


def load(path: str | PathLike[str], study: Study | None = None) -> StudyResults:
    """All runs that the file of a study holds.

    Runs of a program that goes on, or was killed, may still be in the journal beside the file: `Study.run` or
    `Evaluations` with this file take them up, and until then a warning tells of them.

    Parameters
    ----------
    path : path-like
    study : Study, optional
        With it, runs can make their models again; without, the numbers can be looked at anywhere.

    Raises
    ------
    ReadError
        If the file is missing, damaged, of another kind, or of another study than the given one.

    Warns
    -----
    LossWarning
        If there are runs in a journal beside the file that it lacks.
    """
    from flexmbs.studies.journal import Journal, check_identity

    target = Path(path)
    results = StudyResults.of_file(target, study)
    journal = Journal(target, results.header)
    more = 0
    with suppress(ReadError):  # of a journal of another study
        more = len(Kept(target, journal).ended) - sum(run.ended is not Ended.MISSING for run in results)
    if more > 0:
        warnings.warn(
            f"Study: {target} lacks {more} runs that are in {journal.path.name} beside it, of a program that goes on "
            f"or was killed; run the study again with this file, or ask its Evaluations for results.",
            LossWarning,
            stacklevel=2,
        )
    if study is not None:
        check_identity(target, results.header, study.header)
    return results


def _array(values: list[Any]) -> Any:
    return np.array(values, dtype=object if any(isinstance(v, str) for v in values) else float)


def _plain(value: Any) -> Value:
    return value if isinstance(value, str) else float(value)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else format(float(value), ".6g")
