r"""Band LU without interchanges, for matrices whose order is known to be good; it notices when it is not.

Eliminating bodies before the constraints that hold them needs no pivoting: the pivots are inertias and, with the other
sign, inverse inertias felt by constraints. Then half the work of partial pivoting is left, in loops of one length.
Every pivot is compared with what was taken from it,

.. math:: |d_j| > \varepsilon \sum_k |l_{jk} u_{kj}|, \qquad \varepsilon = 10^{-10},

which does not depend on units; where this fails the factorisation is given up, for a solver with interchanges.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.wide import back_substitute, eliminate, forward_substitute

__all__ = ["StaticBand"]

LOST = 1e-10
"""Smallest pivot relative to what was taken from it; long chains come down to 1e-6, redundant constraints to 1e-16."""
WIDTHS = (8, 12, 16, 24, 32, 48)


class StaticBand:
    """Band matrix of order n for factorisations in place.

    ``data``: a row of 2 W + 1 numbers per column, W the half bandwidth rounded up to one of `WIDTHS`; entry (i, j) lies
    at j (2 W + 1) + W + i - j. ``row, col``: all entries that can be different from zero.

    ``reach (n,)``: how many columns behind each pivot its row can touch; ``pivot_sizes`` and ``solution`` are work
    arrays, the former for what was taken from each pivot.
    """

    def __init__(self, n: int, row: IntArray, col: IntArray) -> None:
        half_band = int(np.abs(row - col).max(initial=0))
        self.W = next(w for w in WIDTHS if w >= half_band)
        self.n, self.ld = n, 2 * self.W + 1
        self.data = np.zeros((n + self.W + 1) * self.ld)
        self._width = (0.0,) * self.W
        self.pivot_sizes = np.zeros(n + self.W)
        self.solution = np.zeros(n + 2 * self.W)
        self.reach = _reach(n, row, col)

    @staticmethod
    def suits(row: IntArray, col: IntArray) -> bool:
        """Whether the band is narrow enough."""
        return int(np.abs(row - col).max(initial=0)) <= WIDTHS[-1]

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Positions of entries in ``data``."""
        return col * self.ld + self.W + row - col

    def refactor(self) -> bool:
        """Factorise ``data`` in place; False if that lost too many digits."""
        return bool(band_factorise(self.data, self.n, self.reach, self.pivot_sizes, self._width) < 0)

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution, in an array that the next call overwrites."""
        W, n = self.W, self.n
        band_solve(self.data, n, self.solution, b, self._width)
        return self.solution[W : W + n]


def _reach(n: int, row: IntArray, col: IntArray) -> IntArray:
    """How many columns behind each pivot its row can touch, with fill (n,)."""
    end = np.arange(n, dtype=np.int64)
    np.maximum.at(end, np.minimum(row, col), np.maximum(row, col))
    return np.asarray(np.maximum.accumulate(end) - np.arange(n))


@kernel
def band_factorise(data: FloatArray, n: int, reach: IntArray, sizes: FloatArray, width: tuple[float, ...]) -> int:
    """L and U in place with the reciprocals of the pivots; the number of the first bad pivot, or -1."""
    W = len(width)
    ld = 2 * W + 1
    sizes[:] = 0.0
    for j in range(n):
        o = j * ld + W
        d = data[o]
        if not abs(d) > LOST * sizes[j]:
            return j
        f = 1.0 / d
        for i in range(1, W + 1):
            data[o + i] *= f
        data[o] = f
        eliminate(data, o + 1, ld - 1, reach[j], sizes, j + 1, width)
    return -1


@kernel
def band_solve(data: FloatArray, n: int, x: FloatArray, b: FloatArray, width: tuple[float, ...]) -> None:
    """Solve with the factors of `band_factorise`; ``x`` has W more places on both sides."""
    W = len(width)
    ld = 2 * W + 1
    for i in range(W):
        x[i] = x[W + n + i] = 0.0
    for i in range(n):
        x[W + i] = b[i]
    forward_substitute(x, W, data, W + 1, ld, n, width)
    back_substitute(x, W + n - 1, data, (n - 1) * ld, ld, n, width)
