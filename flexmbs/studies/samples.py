"""Which values a study takes: all of a grid, given ones, or those that fill the ranges evenly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.stats import qmc

from flexmbs.core.checks import as_count, show, warn_user
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.studies.family import Family
from flexmbs.studies.parameters import Value

__all__ = ["Grid", "LatinHypercube", "Points", "Samples", "Sobol"]


class Samples(Protocol):
    """Contract: the values of every run, in their order; drawn anew they are the same."""

    def draw(self, family: Family) -> Iterator[dict[str, Value]]:
        """Values of all parameters, run by run."""


@dataclass(frozen=True, init=False)
class Grid:
    """Every combination of evenly spaced values; the last parameter varies fastest.

    Parameters
    ----------
    **counts : int
        How many values of each range are taken, both ends included. `Choices` are taken all, and need not be named.

    Examples
    --------
    >>> from flexmbs.studies import Between, Choices, Family, Grid, Points
    >>> family = Family(lambda a, b: None, a=Between(0.0, 1.0), b=Choices(10, 20))
    >>> [tuple(values.values()) for values in Grid(a=3).draw(family)]
    [(0.0, 10), (0.0, 20), (0.5, 10), (0.5, 20), (1.0, 10), (1.0, 20)]
    """

    counts: dict[str, int]

    def __init__(self, **counts: int) -> None:
        checked = {name: as_count("Grid", name, count, minimum=1) for name, count in counts.items()}
        object.__setattr__(self, "counts", checked)

    def draw(self, family: Family) -> Iterator[dict[str, Value]]:
        for name in self.counts:
            if name not in family.parameters:
                raise ModelError(f"Grid: {unknown_name(f'parameter of {family.owner}', name, family.parameters)}")
        axes = [p.grid(f"Grid: parameter {name!r}", self.counts.get(name)) for name, p in family.parameters.items()]
        for values in itertools.product(*axes):
            yield dict(zip(family.parameters, values, strict=True))


@dataclass(frozen=True, init=False)
class Points:
    """Given values; those that repeat are run once, which a warning says.

    Parameters
    ----------
    table : mapping of name to values, sequence of mappings, or a data frame
        One entry, row or line per run.

    Examples
    --------
    >>> from flexmbs.studies import Between, Choices, Family, Grid, Points
    >>> family = Family(lambda a, b: None, a=Between(0.0, 1.0), b=Choices(10, 20))
    >>> list(Points({"a": [0.1, 0.2], "b": [10, 20]}).draw(family))
    [{'a': 0.1, 'b': 10}, {'a': 0.2, 'b': 20}]
    """

    rows: tuple[dict[str, Any], ...] = field(repr=False)

    def __init__(self, table: Any) -> None:
        if hasattr(table, "columns") and hasattr(table, "to_dict"):  # of pandas or the like
            table = {str(name): list(table[name]) for name in table.columns}
        if isinstance(table, Mapping):
            columns = {name: list(values) for name, values in table.items()}
            if len({len(c) for c in columns.values()}) != 1:
                sizes = ", ".join(f"{name}: {len(c)}" for name, c in columns.items())
                raise ModelError(
                    f"Points: every parameter needs as many values as there are runs; given {sizes or 'none'}."
                )
            rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        elif isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
            rows = [dict(row) for row in table]
        else:
            raise ModelError(f"Points: expected values by name, such as {{'mass': [1.0, 2.0]}}, not {show(table)}.")
        object.__setattr__(self, "rows", tuple(rows))

    def draw(self, family: Family) -> Iterator[dict[str, Value]]:
        first: dict[tuple[Any, ...], int] = {}
        repeated: list[int] = []
        for i, row in enumerate(self.rows):
            values = family.values(row)
            if first.setdefault(tuple(values.items()), i) == i:
                yield values
            else:
                repeated.append(i)
        if repeated:
            i = repeated[0]
            again = first[tuple(family.values(self.rows[i]).items())]
            warn_user(
                f"Points: {len(repeated)} of {len(self.rows)} rows repeat others, row {i} row {again}; each is run "
                f"once, so that there are {len(first)} runs.",
                UserWarning,
            )


@dataclass(frozen=True)
class LatinHypercube:
    """``n`` values that fill every range evenly: one in each n-th of it, in random order (scipy.stats.qmc).

    Parameters
    ----------
    n : int
    seed : int
        The same seed draws the same values.
    """

    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        _check(type(self).__name__, self.n, self.seed)

    def draw(self, family: Family) -> Iterator[dict[str, Value]]:
        yield from spread(family, qmc.LatinHypercube(len(family.parameters), rng=self.seed).random(self.n))


@dataclass(frozen=True)
class Sobol:
    """The first ``n`` points of a scrambled Sobol sequence, which fill the ranges evenly together (scipy.stats.qmc).

    A power of two keeps the balance of the sequence. `Saltelli` draws the points that indices of Sobol need.

    Parameters
    ----------
    n : int
    seed : int
        Of the scrambling.

    Examples
    --------
    >>> from flexmbs.studies import Between, Family, Sobol
    >>> family = Family(lambda a, b: None, a=Between(0.0, 1.0), b=Between(0.0, 1.0))
    >>> sum(values["a"] < 0.5 for values in Sobol(64).draw(family))
    32
    """

    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        _check(type(self).__name__, self.n, self.seed)

    def draw(self, family: Family) -> Iterator[dict[str, Value]]:
        power = max(int(np.ceil(np.log2(self.n))), 0)
        points = qmc.Sobol(len(family.parameters), rng=self.seed).random_base2(power)[: self.n]
        yield from spread(family, points)


def spread(family: Family, points: Any) -> Iterator[dict[str, Value]]:
    """Values of a family at points (n, n_parameters) of the unit cube."""
    for point in points:
        yield {name: p.at(float(s)) for (name, p), s in zip(family.parameters.items(), point, strict=True)}


def _check(owner: str, n: int, seed: int) -> None:
    as_count(owner, "n", n, minimum=1)
    as_count(owner, "seed", seed)
