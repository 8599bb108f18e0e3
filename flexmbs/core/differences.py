"""Derivatives of a function known by its values alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Slopes", "slopes"]

LARGEST = 4e-3
"""First half-width of the differences."""

RATIO = 1.618033988749895
"""Of one half-width to the next; irrational, so that no frequency fits two of them."""

LEVELS = 16
"""The last half-width is 3e-6: periods down to 2e-5 are resolved."""


class Slopes(NamedTuple):
    """Value, first and second derivative, and the estimated errors of the two."""

    value: float
    first: float
    second: float
    first_error: float
    second_error: float


def slopes(function: Callable[[float], float], t: float) -> Slopes:
    """Value and two derivatives at ``t`` by extrapolated central differences (Ridders).

    With half-widths h_k = h_0 / r^k the table a(k, j) = (r^2j a(k, j-1) - a(k-1, j-1)) / (r^2j - 1) gains two orders a
    column; the entry that changes least is taken, and its change is the estimate of the error.

    Examples
    --------
    >>> import math
    >>> found = slopes(math.sin, 0.5)
    >>> abs(found.first - math.cos(0.5)) < 1e-11, abs(found.second + math.sin(0.5)) < 1e-8
    (True, True)
    """
    middle = function(t)
    first: list[float] = []
    second: list[float] = []
    h = LARGEST
    for _ in range(LEVELS):
        left, right = function(t - h), function(t + h)
        first.append((right - left) / (2.0 * h))
        second.append(((right - middle) - (middle - left)) / (h * h))
        h /= RATIO
    (a, da), (b, db) = _extrapolated(first), _extrapolated(second)
    return Slopes(middle, a, b, da, db)


def _extrapolated(raw: list[float]) -> tuple[float, float]:
    """The entry of the extrapolation table that changes least, and its change."""
    best, error = raw[-1], float("inf")
    above: list[float] = []
    for value in raw:
        row, factor = [value], 1.0
        for previous in above[:5]:
            factor *= RATIO * RATIO
            row.append((factor * row[-1] - previous) / (factor - 1.0))
            change = max(abs(row[-1] - row[-2]), abs(row[-1] - previous))
            if change < error:
                best, error = row[-1], change
        above = row
    return best, error
