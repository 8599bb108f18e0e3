r"""Motions given by Python functions, as a run evaluates them: one call a step, derivatives of polynomials.

Time is cut into cells of a power of two, :math:`[j, j + 1]\,2^{-k}`, and in each a Chebyshev series is laid through the
function,

.. math:: f(t) \approx \sum_{i=0}^{n} c_i T_i(x), \qquad x = 2 (t - t_j) / w - 1,

from its values at the n + 1 = 17 extrema of T_16. A cell stands where the coefficients have fallen to round-off: the
sum of the last three, by which the error of the series is bounded for a smooth function, is then below 1e-13 of the
largest value, and the error of the second derivative below n^4 (2/w)^2/3 times that. Else it is cut in halves. Cells
depend on the function and on nothing else: not on the steps, the scheme, or where a run was begun.

At every time asked for the function itself is called, too. Its value is the one prescribed, and must be that of the
series: what lies between the nodes of a cell, and a function that does not return the same value twice, is found there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError
from flexmbs.core.jit import kernel

__all__ = ["Pieces", "Three"]

Three = tuple[float, float, float]

DEGREE = 16
NODES = np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
TO_SERIES = np.linalg.inv(chebyshev.chebvander(NODES, DEGREE))
WIDEST, NARROWEST = 0, 20
"""Cells are 2**-k wide for k from the one to the other [time]."""
RESOLVED = 1e-13
"""Sum of the last three coefficients, over the largest value in the cell, with which a series is the function."""
TRUE = 1e-11
"""Difference of the function and its series, over the largest value in the cell, that is round-off."""

Cell = tuple[FloatArray, float, float, float]
"""Coefficients of value, rate and acceleration (3, n + 1); start and width; largest value."""


class Pieces:
    """A function of time in pieces; ``at`` gives value, rate and acceleration, or None where it is not smooth.

    Parameters
    ----------
    function : function t -> float
        It may raise; a cell in which it does is cut further.

    Attributes
    ----------
    cells : int
        Cells tried so far, of 17 calls each.

    Examples
    --------
    >>> pieces = Pieces(math.sin)
    >>> value, rate, acceleration = pieces.at(0.5, math.sin(0.5))
    >>> abs(rate - math.cos(0.5)) < 1e-12, abs(acceleration + math.sin(0.5)) < 1e-10
    (True, True)
    """

    def __init__(self, function: Callable[[float], float]) -> None:
        self._function = function
        self._cells: dict[tuple[int, int], Cell | None] = {}
        self._last: Cell | None = None
        self.cells = 0

    def at(self, t: float, value: float) -> Three | None:
        """``value``, which the function has at t, with its derivatives."""
        cell = self._last
        if cell is None or not 0.0 <= t - cell[1] < cell[2]:
            cell = self._find(t)
        while cell is not None:
            series, start, width, size = cell
            there, rate, acceleration = clenshaw(series, 2.0 * (t - start) / width - 1.0)
            if abs(there - value) <= TRUE * size:
                self._last = cell
                return value, rate, acceleration
            level = round(-math.log2(width))
            self._cells[level, math.floor(t / width)] = None
            cell = self._find(t, level + 1)
        return None

    def _find(self, t: float, level: int = WIDEST) -> Cell | None:
        """The widest cell about t that stands."""
        for k in range(level, NARROWEST + 1):
            width = 2.0**-k
            key = k, math.floor(t / width)
            if key not in self._cells:
                self._cells[key] = self._made(key[1] * width, width)
            found = self._cells[key]
            if found is not None:
                return found
        return None

    def _made(self, start: float, width: float) -> Cell | None:
        """The cell with this start, if it stands."""
        self.cells += 1
        values = np.empty(DEGREE + 1)
        try:
            for i, x in enumerate(NODES):
                values[i] = self._function(start + 0.5 * width * (1.0 + float(x)))
        except (ArithmeticError, ValueError, LookupError, FlexmbsError):  # not there, it may be
            return None
        size = float(np.abs(values).max())
        if not math.isfinite(size):
            return None
        series = TO_SERIES @ values
        if float(np.abs(series[-3:]).sum()) > RESOLVED * size:
            return None
        series[np.abs(series) < 1e-17 * size] = 0.0
        rows = np.zeros((3, DEGREE + 1))
        rows[0] = series
        for m in (1, 2):
            rows[m, : DEGREE + 1 - m] = chebyshev.chebder(series, m) * (2.0 / width) ** m
        return rows, start, width, size


@kernel
def clenshaw(series: FloatArray, x: float) -> tuple[float, float, float]:
    """Three Chebyshev series (3, n) at x."""
    n = series.shape[1]
    a1 = a2 = b1 = b2 = c1 = c2 = 0.0
    for k in range(n - 1, 0, -1):
        a1, a2 = 2.0 * x * a1 - a2 + series[0, k], a1
        b1, b2 = 2.0 * x * b1 - b2 + series[1, k], b1
        c1, c2 = 2.0 * x * c1 - c2 + series[2, k], c1
    return x * a1 - a2 + series[0, 0], x * b1 - b2 + series[1, 0], x * c1 - c2 + series[2, 0]
