"""Many models of one family, analysed one by one or side by side, and kept in one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from typing import Any

from flexmbs.core.checks import as_number, is_list, show
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.progress import Progress
from flexmbs.io.sealed import as_target
from flexmbs.studies.digest import source_digest
from flexmbs.studies.family import Family
from flexmbs.studies.jobs import Analysis, analysis_in_words
from flexmbs.studies.journal import FORMAT, Journal
from flexmbs.studies.measures import History, Measure, described
from flexmbs.studies.outcomes import Ended, Job, Outcome, Plan, key_of
from flexmbs.studies.results import StudyResults
from flexmbs.studies.runner import Task, run_all
from flexmbs.studies.samples import Samples
from flexmbs.studies.spool import Spool
from flexmbs.studies.study_file import Kept, open_kept, write_kept

__all__ = ["Study"]


class Study:
    """A family, which values it takes, what is done with every model, and what is read off.

    Parameters
    ----------
    family : Family
    samples : Grid, Points, LatinHypercube, Sobol, Morris or Saltelli
    measures : Measure or History, or a sequence of them
    analysis : Simulation, Statics, Frequencies, Linearised or Kinematics
    time_limit : float, optional
        Longest wall time of a motion [s]; one that takes longer is ended between two steps, and counts as failed. A run
        whose builder alone took longer counts as failed, too; a builder that never comes back is not ended.

    Raises
    ------
    ModelError
        If something is of a foreign kind, or two measures or parameters share a name.

    Examples
    --------
    >>> import flexmbs as fx
    >>> def pendulum(length=1.0):
    ...     bob = fx.PointMass(2.0, position=(length, 0, 0), name="bob")
    ...     rod = fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), bob, name="rod")
    ...     return fx.Model(bob, rod, fx.Gravity((0, 0, -9.81)))
    >>> family = fx.studies.Family(pendulum, length=fx.studies.Between(0.5, 2.0))
    >>> lowest = fx.studies.Measure("lowest", lambda run: run.position("bob")[:, 2].min(), unit="m")
    >>> study = fx.studies.Study(family, fx.studies.Grid(length=3), lowest, fx.studies.Simulation(until=2.0, step=0.01))
    >>> done = study.run(progress=False)
    >>> done["lowest"].round(2).tolist(), done.failed
    ([-0.5, -1.25, -2.0], [])
    """

    def __init__(
        self,
        family: Family,
        samples: Samples,
        measures: Measure | History | Sequence[Measure | History],
        analysis: Analysis,
        *,
        time_limit: float | None = None,
    ) -> None:
        if not isinstance(family, Family):
            raise ModelError(f"Study: expected a Family, not {show(family)}.")
        if not hasattr(samples, "draw"):
            raise ModelError(f"Study: samples must be such as Grid, Points or LatinHypercube, not {show(samples)}.")
        if not hasattr(analysis, "perform"):
            raise ModelError(
                f"Study: analysis must be such as Simulation(until=1.0) or Statics(), not {show(analysis)}."
            )
        self.family, self.samples, self.analysis = family, samples, analysis
        if not isinstance(measures, Measure | History) and not is_list(measures):
            raise ModelError(f"Study: measures must be a Measure or History, or a list of them, not {show(measures)}.")
        self.measures = (measures,) if isinstance(measures, Measure | History) else tuple(measures)
        self.time_limit = (
            None if time_limit is None else as_number("Study", "time_limit", time_limit, above=0.0, unit="s")
        )
        self._check_names()

    def _check_names(self) -> None:
        """Names of variables of one file."""
        reserved = {"run", "sample", "at", "status", "message", "warned", "seconds", "key"}
        seen = set(self.family.names)
        for name in seen & reserved:
            raise ModelError(
                f"Study: a parameter cannot be called {name!r}; the file of a study has that name already."
            )
        for measure in self.measures:
            if not isinstance(measure, Measure | History):
                raise ModelError(f"Study: measures must be Measure or History, not {show(measure)}.")
            if measure.name in seen | reserved:
                raise ModelError(f"Study: there are two of the name {measure.name!r}; rename the measure.")
            seen.add(measure.name)

    @property
    def header(self) -> dict[str, Any]:
        """What the study is, as plain data."""
        plain: dict[str, Any] = {
            "flexmbs study": FORMAT,
            "builder": self.family.name,
            "parameters": {name: repr(p) for name, p in self.family.parameters.items()},
            "words": [name for name, p in self.family.parameters.items() if isinstance(p.centre, str)],
            "analysis": analysis_in_words(self.analysis),
            "measures": [described(measure) for measure in self.measures],
        }
        # what is shown of long arrays in an analysis does not tell them apart
        text = json.dumps([plain, self.family.identity, source_digest(self.analysis)], sort_keys=True)
        return plain | {"identity": hashlib.sha256(text.encode()).hexdigest()}

    def run(
        self,
        file: str | PathLike[str] | None = None,
        *,
        workers: Any = 0,
        anew: bool = False,
        progress: bool = True,
    ) -> StudyResults:
        """Make the runs that are missing, and return all.

        Parameters
        ----------
        file : path-like, optional
            HDF5 (.h5, .nc) in the layout of netCDF-4. Runs that it holds already are not made again, so that a study
            that was interrupted or killed goes on, and one with more samples makes only those. Left out, nothing is
            kept.
        workers : int or dask.distributed.Client
            0: in this process. A number: so many processes on this machine. A client: whatever cluster it has; its
            workers need flexmbs, and ``distributed.scheduler.allowed-failures`` should be 0.
        anew : bool
            Whether to forget what the file holds.
        progress : bool
            Whether to show progress on standard error.

        Returns
        -------
        StudyResults
            Runs in the order of the samples. Ctrl-C ends the study: what was done is in the file, and
            KeyboardInterrupt goes on.

        Raises
        ------
        ModelError
            If a sample is out of its range, or the builder gives different models for the same values in the middle of
            its ranges. Where it fails there, this is checked in the runs, which count as failed.
        ReadError
            If the file is of another study.
        FlexmbsError
            If several workers are wanted and dask.distributed is not installed, or the file cannot be written.
        """
        values = list(self.samples.draw(self.family))
        keys = [key_of(v) for v in values]
        self.family.check_repeats()
        header = self.header
        if file is None:
            memory: dict[str, Outcome] = {}
            self._make(values, keys, set(), memory.__setitem__, workers, progress, None)
            return StudyResults.of_outcomes(memory, self, keys)
        target = as_target("Study", file, (".h5", ".nc"))
        journal = Journal(target, header)
        kept = open_kept("Study", target, journal, anew)
        done = {key for key, ended in kept.ended.items() if ended is not Ended.KILLED}
        order = list(dict.fromkeys((*keys, *kept.ended)))
        if anew or not target.exists() or journal.path.exists() or not done.issuperset(keys):
            journal.open()
            try:
                keep = lambda key, outcome: journal.append(outcome)  # noqa: E731
                self._make(values, keys, done, keep, workers, progress, journal.spool)
            except BaseException:
                journal.close()
                with suppress(FlexmbsError):  # the journal has all; what ended the study is what matters
                    write_kept(target, header, Kept(target, journal, anew), order)
                raise
            journal.close()
            write_kept(target, header, Kept(target, journal, anew), order)
            journal.remove()
        return StudyResults.of_file(target, self, keys)

    def _make(
        self, values: list[dict[str, Any]], keys: list[str], done: set[str], sink: Any, workers: Any, progress: bool,
        spool: Spool | None,
    ) -> None:  # fmt: skip
        """Make the runs that are missing."""
        missing: dict[str, int] = {}
        for i, key in enumerate(keys):
            if key not in done:
                missing.setdefault(key, i)
        plan = Plan(self.family, self.analysis, self.measures, self.time_limit, len(missing))
        todo: list[Task] = [Job(i, values[i], plan) for i in missing.values()]
        with Progress(f"study of {self.family.name!r}", progress) as shown:
            made = [0, 0]

            def keep(index: int, outcome: Outcome) -> None:
                sink(outcome.key, outcome)
                made[0] += 1
                made[1] += outcome.ended is not Ended.DONE
                shown.show(made[0] / len(todo), f"{made[0]} of {len(todo)} runs, {made[1]} failed")

            if todo:
                run_all(todo, keep, workers, spool)
