"""Ranking of runs by several goals that do not matter alike: Saaty's analytic hierarchy process.

Weights of goals follow from comparisons of every two of them, as the principal eigenvector of the matrix of comparisons
(T. L. Saaty, The Analytic Hierarchy Process, 1980); its eigenvalue says how consistent the comparisons are. Numbers of
the runs become grades between 0 and 1 by membership functions, and the weighted sum of the grades ranks the runs
(R. Kovalev, parameter scans of multibody models with hierarchies of goals).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_number, is_among, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.studies.results import StudyResults, StudyRun

__all__ = ["Comparisons", "Goal", "Ranking", "rank"]

RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)
"""Mean consistency index of random matrices of 1 to 10 rows (Saaty 1980)."""
INCONSISTENT = 0.1
"""Consistency ratio above which comparisons contradict each other."""


@dataclass(frozen=True, eq=False, init=False)
class Comparisons:
    """How much more each goal matters than each other: ``matrix[i][j]`` times as much.

    Parameters
    ----------
    matrix : (n, n) array
        Positive, with ones on the diagonal and ``matrix[j][i] = 1 / matrix[i][j]``. Saaty's scale: 1 alike, 3 somewhat
        more, 5 clearly, 7 much, 9 entirely.

    Raises
    ------
    ModelError
        If the matrix is not so.

    Examples
    --------
    >>> comfort_over_grip = Comparisons([[1, 3], [1 / 3, 1]])
    >>> comfort_over_grip.weights.round(12).tolist()
    [0.75, 0.25]
    """

    matrix: FloatArray

    def __init__(self, matrix: Any) -> None:
        try:
            kept = np.array(matrix, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(f"Comparisons: expected a square matrix of numbers, not {show(matrix)}.") from None
        if kept.ndim != 2 or kept.shape[0] != kept.shape[1] or not kept.size:
            raise ModelError(f"Comparisons: the matrix must be square, not of shape {kept.shape}.")
        if not (np.isfinite(kept).all() and (kept > 0.0).all()):
            raise ModelError("Comparisons: all entries must be positive.")
        wrong = np.argwhere(np.abs(kept * kept.T - 1.0) > 1e-6)
        if len(wrong):
            i, j = wrong[0]
            raise ModelError(
                f"Comparisons: entry [{i}][{j}] = {kept[i, j]:g} and entry [{j}][{i}] = {kept[j, i]:g} must be "
                f"reciprocal, and the diagonal one."
            )
        object.__setattr__(self, "matrix", kept)

    @classmethod
    def of_pairs(cls, upper: Sequence[float]) -> Comparisons:
        """From the entries above the diagonal, row by row.

        Examples
        --------
        >>> Comparisons.of_pairs([3, 5, 2]).matrix[0].tolist()
        [1.0, 3.0, 5.0]
        """
        given = as_array("Comparisons", "upper", upper, (None,))
        n = round((1 + np.sqrt(1 + 8 * len(given))) / 2)
        if n * (n - 1) // 2 != len(given):
            raise ModelError(
                f"Comparisons: {len(given)} entries are not the half of a matrix; 1, 3, 6, 10 ... would be."
            )
        matrix = np.eye(n)
        matrix[np.triu_indices(n, 1)] = given
        lower = np.tril_indices(n, -1)
        matrix[lower] = 1.0 / matrix.T[lower]
        return cls(matrix)

    def _principal(self) -> tuple[float, FloatArray]:
        """Largest eigenvalue, and its vector with the sum one."""
        values, vectors = np.linalg.eig(self.matrix)
        at = int(np.argmax(values.real))
        vector = vectors[:, at].real
        return float(values[at].real), np.asarray(vector / vector.sum())

    @property
    def weights(self) -> FloatArray:
        """Weights (n,) of the goals; their sum is one."""
        return self._principal()[1]

    @property
    def largest_eigenvalue(self) -> float:
        """n where all comparisons agree, more where they do not."""
        return self._principal()[0]

    @property
    def consistency_index(self) -> float:
        """(largest eigenvalue - n) / (n - 1)."""
        n = len(self.matrix)
        return (self.largest_eigenvalue - n) / (n - 1) if n > 1 else 0.0

    @property
    def consistency_ratio(self) -> float:
        """Consistency index over that of random comparisons; above 0.1 they contradict each other."""
        n = len(self.matrix)
        return self.consistency_index / RANDOM_INDEX[min(n, len(RANDOM_INDEX)) - 1] if n > 2 else 0.0


@dataclass(frozen=True)
class Goal:
    """What is wanted of a measure or parameter, as a grade from 0 to 1.

    Parameters
    ----------
    want : 'least' or 'greatest'
    bad, good : float, optional
        Numbers with the grades 0 and 1, between which the grade is linear. With both the scale is definite: a run
        beyond ``bad`` is rejected. Left out, the worst and best of the runs take their place (an indefinite scale).
    """

    want: str
    bad: float | None = None
    good: float | None = None

    def __post_init__(self) -> None:
        if not is_among(self.want, ("least", "greatest")):
            raise ModelError(f"Goal: want must be 'least' or 'greatest', not {show(self.want)}.")
        for name in ("bad", "good"):
            if getattr(self, name) is not None:
                as_number("Goal", name, getattr(self, name))
        if self.bad is not None and self.good is not None and (self.good > self.bad) is not (self.want == "greatest"):
            raise ModelError(
                f"Goal: for the {self.want} value good must be {'above' if self.want == 'greatest' else 'below'} bad, "
                f"not good = {self.good:g}, bad = {self.bad:g}."
            )

    def grades(self, numbers: FloatArray) -> tuple[FloatArray, Any]:
        """Grades (n,) of numbers, and which of them are rejected."""
        least, most = float(numbers.min()), float(numbers.max())
        worst, best = (most, least) if self.want == "least" else (least, most)
        bad, good = (worst if self.bad is None else self.bad), (best if self.good is None else self.good)
        if good == bad:
            return np.ones(len(numbers)), np.zeros(len(numbers), dtype=bool)
        share = (numbers - bad) / (good - bad)
        return np.clip(share, 0.0, 1.0), (share < 0.0) & (self.bad is not None)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Runs in the order of their grades, the best first.

    ``grades (n,)``: weighted grade of all runs of the study, NaN of those that failed or were rejected; ``weights``: by
    name of the goal; ``rejected``: runs outside of a definite scale.
    """

    results: StudyResults
    grades: FloatArray
    weights: dict[str, float]
    rejected: tuple[int, ...]
    consistency_ratio: float

    @property
    def order(self) -> list[int]:
        """Numbers of the runs, the best first; those without a grade are left out."""
        kept = np.flatnonzero(np.isfinite(self.grades))
        return [int(i) for i in kept[np.argsort(-self.grades[kept], kind="stable")]]

    @property
    def best(self) -> StudyRun:
        """The run with the highest grade.

        Raises
        ------
        ModelError
            If no run has one.
        """
        if not self.order:
            raise ModelError("rank: no run has a grade; all failed or lie outside of the scales of the goals.")
        run: StudyRun = self.results[self.order[0]]
        return run

    def __str__(self) -> str:
        weights = ", ".join(f"{name} {weight:.3f}" for name, weight in self.weights.items())
        lines = [f"weights: {weights}; consistency ratio {self.consistency_ratio:.3f}"]
        return "\n".join(lines + [f"  {self.grades[i]:.4f}  {self.results[i]!r}" for i in self.order[:10]])


def rank(
    results: StudyResults,
    goals: Mapping[str, Goal | str | tuple[Comparisons, Mapping[str, Any]]],
    comparisons: Any = None,
) -> Ranking:
    """Rank the runs of a study by a hierarchy of goals.

    Parameters
    ----------
    results : StudyResults
    goals : mapping
        By name of a measure or parameter: a `Goal`, or 'least' or 'greatest' for one without bounds. A group of goals
        is a pair (comparisons, goals) under any name, to any depth: its weight is shared among its goals.
    comparisons : Comparisons or (n, n) array, optional
        Of these goals, in their order; left out, all matter alike.

    Raises
    ------
    ModelError
        If a name is unknown, or the sizes do not fit, or the comparisons contradict each other (consistency ratio
        above 0.1).

    Examples
    --------
    >>> import flexmbs as fx
    >>> def ball(x=0.5):
    ...     return fx.Model(fx.PointMass(1.0, position=(x, 0, 0), name="ball"))
    >>> near = fx.studies.Measure("near", lambda run: run.position("ball")[-1, 0])
    >>> family = fx.studies.Family(ball, x=fx.studies.Between(0.0, 1.0))
    >>> done = fx.studies.Study(family, fx.studies.Grid(x=5), near, fx.studies.Simulation(until=0.0)).run()
    >>> ranking = fx.studies.rank(done, {"near": "least", "x": "greatest"}, [[1, 3], [1 / 3, 1]])
    >>> ranking.order, ranking.grades.round(3).tolist()
    ([0, 1, 2, 3, 4], [0.75, 0.625, 0.5, 0.375, 0.25])
    """
    if not hasattr(results, "done"):
        raise ModelError(f"rank: expected the results of a study, not {show(results)}.")
    leaves: dict[str, tuple[float, Goal]] = {}
    worst = _collect(goals, comparisons, 1.0, leaves)
    usable = results.done.copy()
    for name in leaves:
        usable &= np.isfinite(np.asarray(results[name], dtype=float))
    grades = np.full(len(results), np.nan)
    grades[usable] = 0.0
    rejected = np.zeros(len(results), dtype=bool)
    for name, (weight, goal) in leaves.items():
        if not usable.any():
            break
        grade, out = goal.grades(np.asarray(results[name], dtype=float)[usable])
        grades[usable] += weight * grade
        rejected[np.flatnonzero(usable)[out]] = True
    grades[rejected] = np.nan
    weights = {name: weight for name, (weight, _) in leaves.items()}
    return Ranking(results, grades, weights, tuple(int(i) for i in np.flatnonzero(rejected)), worst)


def _collect(goals: Any, comparisons: Any, share: float, leaves: dict[str, tuple[float, Goal]]) -> float:
    """Weights of all leaves of a hierarchy; returns the largest consistency ratio."""
    if not isinstance(goals, Mapping) or not goals:
        raise ModelError(f"rank: goals must be given by name, such as {{'force': 'least'}}, not {show(goals)}.")
    if comparisons is None:
        comparisons = np.ones((len(goals), len(goals)))
    if not isinstance(comparisons, Comparisons):
        comparisons = Comparisons(comparisons)
    if len(comparisons.matrix) != len(goals):
        raise ModelError(f"rank: {len(goals)} goals need comparisons of as many rows, not {len(comparisons.matrix)}.")
    ratio: float = comparisons.consistency_ratio
    worst = ratio
    if ratio > INCONSISTENT:
        raise ModelError(
            f"rank: the comparisons of {', '.join(map(repr, goals))} contradict each other: consistency ratio "
            f"{ratio:.3f}, above {INCONSISTENT}. Look for a triple such as a over b, b over c, c over a."
        )
    for (name, goal), weight in zip(goals.items(), comparisons.weights, strict=True):
        if isinstance(goal, tuple) and len(goal) == 2:
            worst = max(worst, _collect(goal[1], goal[0], share * weight, leaves))
            continue
        if name in leaves:
            raise ModelError(f"rank: {name!r} is a goal twice.")
        leaves[name] = (share * float(weight), goal if isinstance(goal, Goal) else Goal(goal))
    return worst
