"""Which number of a model matters: indices of Sobol and effects of Morris, by SALib."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_count, as_flag
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.studies.family import Family
from flexmbs.studies.parameters import Value
from flexmbs.studies.results import StudyResults
from flexmbs.studies.samples import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Indices", "Morris", "Saltelli", "morris_effects", "sobol_indices"]


@dataclass(frozen=True)
class Saltelli:
    """Samples for indices of Sobol: ``n`` points, and those with one parameter exchanged (Saltelli 2002).

    n (k + 2) runs for k parameters, n (2 k + 2) with ``second_order``; n is a power of two. SALib draws them.

    Raises
    ------
    FlexmbsError
        If SALib is not installed.
    """

    n: int
    seed: int = 0
    second_order: bool = False

    def __post_init__(self) -> None:
        n = as_count("Saltelli", "n", self.n, minimum=2)
        as_count("Saltelli", "seed", self.seed)
        as_flag("Saltelli", "second_order", self.second_order)
        if n & (n - 1):
            raise ModelError(f"Saltelli: n must be a power of two such as {2 ** (n.bit_length())}, not {n}.")

    def draw(self, family: Family) -> Iterator[dict[str, Value]]:
        sample = _salib("sample.sobol").sample
        yield from spread(family, sample(_problem(family), self.n, calc_second_order=self.second_order, seed=self.seed))


@dataclass(frozen=True)
class Morris:
    """Samples for effects of Morris: ``n`` ways through the ranges that change one parameter at a time.

    n (k + 1) runs for k parameters. SALib draws them.

    Parameters
    ----------
    n : int
        Ways; 10 to 50 are usual.
    levels : int
        Values of a parameter, even.
    seed : int

    Raises
    ------
    FlexmbsError
        If SALib is not installed.
    """

    n: int
    levels: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        as_count("Morris", "n", self.n, minimum=2)
        as_count("Morris", "seed", self.seed)
        if as_count("Morris", "levels", self.levels, minimum=2) % 2:
            raise ModelError(f"Morris: levels must be even, not {self.levels}.")

    def draw(self, family: Family) -> Iterator[dict[str, Value]]:
        yield from spread(family, self.points(family))

    def points(self, family: Family) -> FloatArray:
        """Points of the unit cube."""
        sample = _salib("sample.morris").sample
        return np.asarray(sample(_problem(family), self.n, num_levels=self.levels, seed=self.seed))


@dataclass(frozen=True, eq=False)
class Indices:
    """Shares of the parameters in what a measure does.

    Attributes
    ----------
    measure : str
    names : tuple of str
        Parameters.
    first, total : (k,) arrays
        Of Sobol: share of the variance that a parameter makes alone, and with all others. Of Morris: mean of the
        effects, and mean of their sizes.
    first_error, total_error : (k,) arrays
        Half widths of intervals of confidence of 95 %; of Morris: standard deviation of the effects, and half width.
    kind : str
        "Sobol" or "Morris".
    """

    measure: str
    names: tuple[str, ...]
    first: FloatArray
    total: FloatArray
    first_error: FloatArray
    total_error: FloatArray
    kind: str

    def __str__(self) -> str:
        heads = ("first", "total") if self.kind == "Sobol" else ("mean effect", "mean size")
        lines = [f"{self.kind} of {self.measure!r}", f"  {'parameter':<16} {heads[0]:>12} {heads[1]:>12} {'+-':>10}"]
        rows = zip(self.names, self.first, self.total, self.total_error, strict=True)
        return "\n".join(lines + [f"  {n:<16} {a:12.4g} {b:12.4g} {e:10.2g}" for n, a, b, e in rows])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Bars, the total ones with their intervals."""
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        at = np.arange(len(self.names))
        heads = ("first order", "total") if self.kind == "Sobol" else ("mean of effects", "mean of sizes")
        ax.bar(at - 0.2, self.first, 0.4, label=heads[0])
        ax.bar(at + 0.2, self.total, 0.4, yerr=self.total_error, capsize=3, label=heads[1])
        ax.set_xticks(at, [as_drawn(name) for name in self.names])
        ax.set_title(as_drawn(f"{self.kind} of {self.measure}"))
        ax.legend()
        return ax


def sobol_indices(results: StudyResults, measure: str) -> Indices:
    """Indices of Sobol, of a study whose samples are `Saltelli`.

    Raises
    ------
    ModelError
        If the samples are others, or runs failed: indices are never computed from what is missing.
    FlexmbsError
        If SALib is not installed.
    """
    study = results.study
    samples = study.samples if study is not None else None
    if study is None or not isinstance(samples, Saltelli):
        raise ModelError("sobol_indices: the study must have been run with samples=Saltelli(n), in this session.")
    numbers = _complete("sobol_indices", results, measure)
    analyze = _salib("analyze.sobol").analyze
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas and scipy within SALib
        found = analyze(
            _problem(study.family),
            numbers,
            calc_second_order=samples.second_order,
            print_to_console=False,
            seed=samples.seed,
        )
    return Indices(
        measure, study.family.names, np.asarray(found["S1"]), np.asarray(found["ST"]), np.asarray(found["S1_conf"]),
        np.asarray(found["ST_conf"]), "Sobol",
    )  # fmt: skip


def morris_effects(results: StudyResults, measure: str) -> Indices:
    """Effects of Morris, of a study whose samples are `Morris`: changes of a measure over the range of a parameter.

    Raises
    ------
    ModelError
        If the samples are others, or runs failed.
    FlexmbsError
        If SALib is not installed.
    """
    study = results.study
    samples = study.samples if study is not None else None
    if study is None or not isinstance(samples, Morris):
        raise ModelError("morris_effects: the study must have been run with samples=Morris(n), in this session.")
    numbers = _complete("morris_effects", results, measure)
    analyze = _salib("analyze.morris").analyze
    problem = _problem(study.family)
    points = samples.points(study.family)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = analyze(problem, points, numbers, num_levels=samples.levels, print_to_console=False, seed=samples.seed)
    return Indices(
        measure, study.family.names, np.asarray(found["mu"]), np.asarray(found["mu_star"]), np.asarray(found["sigma"]),
        np.asarray(found["mu_star_conf"]), "Morris",
    )  # fmt: skip


def _complete(owner: str, results: StudyResults, measure: str) -> FloatArray:
    """The numbers of all runs, none of which may be missing."""
    numbers = results[measure]
    failed = results.failed
    if failed:
        shown = "; ".join(f"run {run.number} {run.ended.name}: {run.message[:80]}" for run in failed[:3])
        raise ModelError(
            f"{owner}: {len(failed)} of {len(results)} runs have no {measure!r}, and indices from the rest would be "
            f"wrong: {shown}. Narrow the ranges of the parameters, or mend the analysis (smaller steps)."
        )
    return np.asarray(numbers, dtype=float)


def _problem(family: Family) -> dict[str, Any]:
    """The parameters as SALib takes them: shares of their ranges."""
    return {"num_vars": len(family.names), "names": list(family.names), "bounds": [[0.0, 1.0]] * len(family.names)}


def _salib(module: str) -> Any:
    """A module of SALib.

    Raises
    ------
    FlexmbsError
        If it is not installed.
    """
    import importlib

    try:
        return importlib.import_module(f"SALib.{module}")
    except ImportError as error:
        raise FlexmbsError("Indices need SALib, which is not installed: pip install flexmbs[studies].") from error
