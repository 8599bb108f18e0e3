"""What a number of a model may be in a study: between two bounds, or one of some values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from flexmbs.core.checks import as_count, as_flag, as_number, show
from flexmbs.core.errors import ModelError

__all__ = ["Between", "Choices", "Parameter", "Value"]

Value = float | int | str
"""A value of a parameter: a number, or a word."""


class Parameter(Protocol):
    """Contract of a range of values."""

    @property
    def centre(self) -> Value:
        """A value in the middle, of which a family makes its model for comparison."""

    def at(self, share: float) -> Value:
        """The value at a share of the range between 0 and 1."""

    def grid(self, owner: str, count: int | None) -> list[Value]:
        """``count`` values that cover the range, or as many as there are."""

    def checked(self, owner: str, value: Any) -> Value:
        """A value as it is kept; refused if it is outside of the range."""


@dataclass(frozen=True)
class Between:
    """A number between two bounds, both included.

    Parameters
    ----------
    low, high : float
    log : bool
        Whether shares of the range are shares of its logarithm; the bounds are positive then.

    Examples
    --------
    >>> Between(1.0, 100.0, log=True).centre
    10.0
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        owner = "Between"
        object.__setattr__(self, "low", as_number(owner, "low", self.low))
        object.__setattr__(self, "high", as_number(owner, "high", self.high))
        as_flag(owner, "log", self.log)
        if not self.low < self.high:
            raise ModelError(f"Between: low must be below high, not {self.low:g} and {self.high:g}.")
        if self.log and self.low <= 0.0:
            raise ModelError(f"Between: with log=True the bounds must be positive, not {self.low:g}.")

    @property
    def centre(self) -> Value:
        return self.at(0.5)

    def at(self, share: float) -> Value:
        low, high = self.low, self.high
        value = low * (high / low) ** share if self.log else low + (high - low) * share
        return float(min(max(value, low), high))

    def grid(self, owner: str, count: int | None) -> list[Value]:
        if count is None:
            raise ModelError(f"{owner} is a range; say how many values the grid takes of it.")
        return [self.at(s) for s in np.linspace(0.0, 1.0, count)] if count > 1 else [self.centre]

    def checked(self, owner: str, value: Any) -> Value:
        return as_number(owner, "its value", value, minimum=self.low, maximum=self.high)


@dataclass(frozen=True, init=False)
class Choices:
    """One of some values: numbers, or words.

    Examples
    --------
    >>> Choices("steel", "aluminium").at(0.7)
    'aluminium'
    """

    values: tuple[Value, ...]

    def __init__(self, *values: Value) -> None:
        if not values:
            raise ModelError("Choices: give at least one value, for example Choices(40.0, 50.0).")
        for value in values:
            if not isinstance(value, str):
                as_number("Choices", "a value", value)
        words = [isinstance(v, str) for v in values]
        if any(words) and not all(words):
            raise ModelError(f"Choices: values must be all numbers or all words, not {show(values)}.")
        if len(set(values)) < len(values):
            raise ModelError(f"Choices: {show(values)} has a value twice.")
        kept = [v if isinstance(v, str) else int(v) if isinstance(v, int | np.integer) else float(v) for v in values]
        object.__setattr__(self, "values", tuple(kept))

    @property
    def centre(self) -> Value:
        return self.values[len(self.values) // 2]

    def at(self, share: float) -> Value:
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def grid(self, owner: str, count: int | None) -> list[Value]:
        if count is not None and as_count(owner, "the number of values", count, minimum=1) != len(self.values):
            raise ModelError(f"{owner} has {len(self.values)} choices, which a grid takes all; leave its number out.")
        return list(self.values)

    def checked(self, owner: str, value: Any) -> Value:
        for known in self.values:
            if value == known and isinstance(value, str) == isinstance(known, str):
                return known
        raise ModelError(f"{owner}: {show(value)} is none of its choices {show(self.values)}.")
