r"""Motions given by Python functions, as a run evaluates them: one call a step, derivatives of polynomials.

Time is cut into cells of a power of two, :math:`[j, j + 1]\,2^{-k}`, and in each a Chebyshev series is laid through the
function,

.. math:: f(t) \approx \sum_{i=0}^{n} c_i T_i(x), \qquad x = 2 (t - t_j) / w - 1,

from its values at the n + 1 = 17 extrema of T_16. A cell stands where the coefficients have fallen to round-off: the
sum of the last three, by which the error of the series is bounded for a smooth function, is then below 1e-13 of the
largest value, and the error of the second derivative below n^4 (2/w)^2/3 times that. Else it is cut in halves, from
the unit of time on. Cells depend on the function and on nothing else: not on the steps, the scheme, or where a run was
begun.

The values of some functions are round-off of larger numbers: those of 1 - cos(0.001 t) at the start, or of 1 + tanh(t -
20). The last coefficients are their **noise** then: much smaller than the values at other times, and no smaller in
cells 64 times as narrow. They need not fall further; and if they do not tell the second derivative, a wider cell is
looked for that does, and has the same values.

At every time asked for the function itself is called, too. Its value is the one prescribed, and must be that of the
series: what lies between the nodes of a cell, and a function that does not return the same value twice, is found there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

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
NARROWEST = 20
"""Cells are 2**-k wide for k from 0 to this [time]."""
WIDER = tuple(range(-2, -21, -2))
"""The same k of those that are looked for where a second derivative is not told."""
RESOLVED = 1e-13
"""Sum of the last three coefficients, over the largest value in the cell, with which a series is the function."""
NOISE, SAME, NARROWER = 1e-14, 4.0, 6
"""The same sum, over the largest value in any cell about, up to which it may be noise; how much of it is left then at
least (its inverse) in cells narrower by so many powers of two."""
BENT = 1e-6
"""Error of the second derivative, over its largest value, with which it is told."""
TRUE = 100.0
"""Difference of the function and its series, over what the last coefficients may be, that is round-off."""


class _Cell(NamedTuple):
    """Coefficients of value, rate and acceleration (3, n + 1); start, width, and round-off of the value."""

    series: FloatArray
    start: float
    width: float
    noise: float

    def at(self, t: float) -> Three:
        """Value, rate and acceleration."""
        found: Three = clenshaw(self.series, 2.0 * (t - self.start) / self.width - 1.0)
        return found

    @property
    def bent(self) -> bool:
        """Whether it tells the second derivative."""
        error = self.noise * DEGREE**4 / 3.0 * (2.0 / self.width) ** 2
        return bool(error <= BENT * float(np.abs(self.series[2]).sum()))


class _Sample(NamedTuple):
    """A cell as it was tried: values at its nodes, none where the function failed, and the coefficients of them."""

    start: float
    width: float
    values: FloatArray
    series: FloatArray

    @property
    def size(self) -> float:
        """The largest value."""
        return float(np.abs(self.values).max(initial=0.0))

    @property
    def tail(self) -> float:
        """Sum of the last coefficients."""
        return float(np.abs(self.series[-3:]).sum())

    def cell(self, noise: float) -> _Cell:
        """With this round-off."""
        rows = np.zeros((3, DEGREE + 1))
        rows[0] = np.where(np.abs(self.series) < 1e-17 * self.size, 0.0, self.series)
        for m in (1, 2):
            rows[m, : DEGREE + 1 - m] = chebyshev.chebder(rows[0], m) * (2.0 / self.width) ** m
        return _Cell(rows, self.start, self.width, noise)


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
        self._samples: dict[tuple[int, int], _Sample] = {}
        self._standing: dict[tuple[int, int], _Cell | None] = {}
        self._last: tuple[float, float, _Cell] | None = None
        self.cells = 0

    def at(self, t: float, value: float) -> Three | None:
        """``value``, which the function has at t, with its derivatives."""
        last = self._last
        if last is None or not last[0] <= t < last[1]:
            last = self._find(t)
        while last is not None:
            start, end, cell = last
            there, rate, acceleration = cell.at(t)
            if abs(there - value) <= TRUE * cell.noise:
                self._last = last
                return value, rate, acceleration
            width = end - start  # of the cell for which it stands; one wider than a unit of time goes with it
            self._standing[round(-math.log2(width)), math.floor(t / width)] = None
            last = self._find(t)
        return None

    def _find(self, t: float) -> tuple[float, float, _Cell] | None:
        """The cell that stands for t, and from when to when."""
        for k in range(NARROWEST + 1):
            sample = self._sample(k, t)
            key = k, math.floor(t / sample.width)
            if key not in self._standing:
                self._standing[key] = self._chosen(k, t)
            cell = self._standing[key]
            if cell is not None:
                return sample.start, sample.start + sample.width, cell
        return None

    def _chosen(self, k: int, t: float) -> _Cell | None:
        """The cell of level k about t, if it stands, or a wider one with the same values, if that tells more."""
        sample, noise = self._sample(k, t), self._round_off(k, t)
        if noise is None:
            return None
        own = sample.cell(noise)
        if own.bent:
            return own
        times = sample.start + 0.5 * sample.width * (1.0 + NODES)
        for level in WIDER:
            other = self._sample(level, t)
            least = max(RESOLVED * other.size, noise)
            if len(other.values) and other.tail <= least:
                wide, same = other.cell(least), TRUE * max(noise, EPS * other.size)
                if wide.bent and all(abs(wide.at(x)[0] - y) <= same for x, y in zip(times, sample.values, strict=True)):
                    return wide._replace(noise=same / TRUE)
        return own

    def _round_off(self, k: int, t: float) -> float | None:
        """What the last coefficients of the cell of level k about t may be; None if they are more."""
        sample = self._sample(k, t)
        if not len(sample.values):
            return None
        if sample.tail <= RESOLVED * sample.size:
            return RESOLVED * sample.size
        about = max(self._sample(level, t).size for level in (*WIDER, *range(k)))
        if sample.tail > NOISE * about:
            return None
        # Narrower cells anywhere within would do: about t they would depend on the way.
        middle = self._sample(k + NARROWER, sample.start + 0.5 * sample.width)
        if not len(middle.values) or middle.tail <= RESOLVED * middle.size or sample.tail > SAME * middle.tail:
            return None
        return sample.tail

    def _sample(self, k: int, t: float) -> _Sample:
        """The cell of level k about t, tried once."""
        width = 2.0**-k
        key = k, math.floor(t / width)
        if key not in self._samples:
            self._samples[key] = self._made(key[1] * width, width)
        return self._samples[key]

    def _made(self, start: float, width: float) -> _Sample:
        """Values at the nodes of a cell."""
        self.cells += 1
        values = np.empty(DEGREE + 1)
        try:
            with np.errstate(all="ignore"):  # it may not be meant for all these times
                for i, x in enumerate(NODES):
                    values[i] = self._function(start + 0.5 * width * (1.0 + float(x)))
        except (ArithmeticError, ValueError, LookupError, FlexmbsError):  # not there, it may be
            values[:] = math.nan
        if not np.isfinite(values).all():
            return _Sample(start, width, NONE, NONE)
        return _Sample(start, width, values, TO_SERIES @ values)


EPS = float(np.finfo(np.float64).eps)
NONE: FloatArray = np.zeros(0)


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
