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
20). The last coefficients are their **noise** then. It is told from content that is not resolved yet by two things: it
is much smaller than the values about, and as large in cells up to 2^18 times as narrow; or, within a unit of time,
values that are close to each other are multiples of one number, the **quantum**. Noise need not fall further; and if it
hides the second derivative, a wider cell is looked for that tells it and has the same values. Cells in which nothing
but noise is left, unrecognised, tell no derivative.

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
EPS = float(np.finfo(np.float64).eps)
LARGEST = 1.0, DEGREE**2, DEGREE**4 / 3.0
"""Of the polynomial of degree 16 and its derivatives: what round-off of one becomes in these."""
RESOLVED = 1e-13
"""Sum of the last three coefficients, over the largest value in the cell, with which a series is the function."""
NOISE = 1e-14
"""The same sum, over the largest value about, up to which it may be noise."""
ABOUT, FINER, SAME = 6, (6, 12, 18), 4.0
"""About are cells up to 2**6 times as wide; last coefficients are noise if those of cells narrower by these powers of
two are not smaller by more than the last factor."""
PLACES = (0.05, 0.5, 0.95)
"""Where in the cell these are looked at."""
FINEST, DISTINCT, QUANTA = 30, 8, 2.0
"""Levels up to which a quantum is looked for; how many values it needs; noise over the quantum at most."""
BENT = 1e-6
"""Error of the second derivative, over its largest value, with which it is told."""
LOST = 1.0
"""The same error with which nothing but noise is left."""
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

    def bends(self, error: float) -> bool:
        """Whether it tells the second derivative with this error, over the largest value."""
        least = self.noise * DEGREE**4 / 3.0 * (2.0 / self.width) ** 2
        return bool(least <= error * float(np.abs(self.series[2]).sum()))


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

    @property
    def times(self) -> FloatArray:
        """Of the nodes."""
        return np.asarray(self.start + 0.5 * self.width * (1.0 + NODES))

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same."""
        return len(self.values) > 0 and bool((self.values == self.values[0]).all())

    def is_noise(self, tail: float) -> bool:
        """Whether nothing but noise of this size, or not even that, is left."""
        if self.is_constant or not len(self.values):
            return self.is_constant
        return self.tail > RESOLVED * self.size and tail <= SAME * self.tail

    def cell(self, noise: float) -> _Cell:
        """With this round-off; a derivative is zero where rounded values cannot tell it from zero anywhere in it."""
        rows = np.zeros((3, DEGREE + 1))
        rows[0] = np.where(np.abs(self.series) < 1e-17 * self.size, 0.0, self.series)
        for m in (1, 2):
            found = chebyshev.chebder(rows[0], m) * (2.0 / self.width) ** m
            if np.abs(found).sum() > EPS * self.size * LARGEST[m] * (2.0 / self.width) ** m:
                rows[m, : DEGREE + 1 - m] = found
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
            if (
                cell is not None
                and k > 0
                and self._may_be_noise(0, t)
                and not (cell.bends(LOST) and cell.series[2].any())
            ):
                return None
            if cell is not None:
                return sample.start, sample.start + sample.width, cell
        return None

    def _chosen(self, k: int, t: float) -> _Cell | None:
        """The cell of level k about t, if it stands, or a wider one with the same values, if that tells more."""
        sample, noise = self._sample(k, t), self._round_off(k, t)
        if noise is None:
            return None
        own = sample.cell(noise)
        if own.bends(BENT):
            return own
        times = sample.start + 0.5 * sample.width * (1.0 + np.cos(np.pi * (np.arange(DEGREE) + 0.5) / DEGREE))
        between = self._values(times)
        for level in WIDER:
            other = self._sample(level, t)
            least = max(RESOLVED * other.size, noise)
            if not (len(other.values) and other.tail <= least and EPS * other.size <= noise and len(between)):
                continue
            wide = other.cell(least)
            if wide.bends(BENT) and all(
                abs(wide.at(x)[0] - y) <= TRUE * noise
                for x, y in zip((*sample.times, *times), (*sample.values, *between), strict=True)
            ):
                return wide._replace(noise=noise)
        return own

    def _round_off(self, k: int, t: float) -> float | None:
        """What the last coefficients of the cell of level k about t may be; None if they are more."""
        sample = self._sample(k, t)
        if not len(sample.values):
            return None
        if sample.tail <= RESOLVED * sample.size:
            return RESOLVED * sample.size
        return sample.tail if self._is_noise(k, t, sample) else None

    def _may_be_noise(self, k: int, t: float) -> bool:
        """Whether the last coefficients of a cell are small beside the largest value in any wider one."""
        sample = self._sample(k, t)
        if not len(sample.values) or sample.tail <= RESOLVED * sample.size:
            return False
        return sample.tail <= NOISE * max(self._sample(level, t).size for level in (*WIDER, *range(k)))

    def _is_noise(self, k: int, t: float, sample: _Sample) -> bool:
        """Whether the last coefficients of a cell are noise."""
        if not self._may_be_noise(k, t):
            return False
        sizes = {level: self._sample(level, t).size for level in (*WIDER, *range(k))}
        if sample.tail <= NOISE * max((sizes[level] for level in sizes if level >= k - ABOUT), default=0.0):
            finer = [
                [self._sample(k + more, sample.start + share * sample.width) for share in PLACES] for more in FINER
            ]
            return all(x.is_noise(sample.tail) for row in finer for x in row) and not finer[0][1].is_constant
        if k > 0:
            return False
        middle = sample.start + 0.5 * sample.width
        quanta = (_quantum(self._sample(level, middle).values) for level in range(k, FINEST + 1))
        return sample.tail <= QUANTA * next((q for q in quanta if q > 0.0), 0.0)

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
        values = self._values(start + 0.5 * width * (1.0 + NODES))
        return _Sample(start, width, values, TO_SERIES @ values if len(values) else NONE)

    def _values(self, times: FloatArray) -> FloatArray:
        """Values at some times, none if one fails: the function may not be meant for all of them."""
        try:
            with np.errstate(all="ignore"):
                values = np.array([self._function(float(t)) for t in times], dtype=np.float64)
        except Exception:  # noqa: BLE001  # of whatever kind; at a time that is asked for it is told
            return NONE
        return values if np.isfinite(values).all() else NONE


NONE: FloatArray = np.zeros(0)


def _quantum(values: FloatArray) -> float:
    """The number of which all differences are small multiples; 0 if there is none, or too few values tell it."""
    gaps = np.diff(np.unique(values))
    if len(gaps) < DISTINCT or gaps.max() > 1e3 * gaps.min():
        return 0.0
    for parts in range(1, 9):
        multiples = gaps / (gaps.min() / parts)
        if (np.abs(multiples - np.round(multiples)) < 0.05).all():
            return float(gaps.min() / parts)
    return 0.0


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
