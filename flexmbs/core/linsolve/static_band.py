r"""Band LU without interchanges, for matrices whose order is known to be good; it notices when it is not.

Eliminating bodies before the constraints that hold them needs no pivoting: the pivots are inertias and, with the other
sign, inverse inertias felt by constraints. Then half the work of partial pivoting is left, in loops of one length.
Every pivot is compared with what was taken from it,

.. math:: |d_j| > \varepsilon \sum_k |l_{jk} u_{kj}|, \qquad \varepsilon = 10^{-10},

which does not depend on units; where this fails the factorisation is given up, for a solver with interchanges.

A few bodies that touch very many others, such as the drums of a belt or the hub of a wheel, are eliminated last. Their
rows and columns, full ones, are the border of the band:

.. math:: \begin{pmatrix} A & C \\ R & D \end{pmatrix} = \begin{pmatrix} L & \\ R U^{-1} & L_D \end{pmatrix}
   \begin{pmatrix} U & L^{-1} C \\ & U_D \end{pmatrix}, \qquad L_D U_D = D - R U^{-1} L^{-1} C.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.wide import back_substitute, eliminate, forward_substitute

__all__ = ["BandShape", "StaticBand"]

LOST = 1e-10
"""Smallest pivot relative to what was taken from it; long chains come down to 1e-6, redundant constraints to 1e-16."""
WIDTHS = (8, 12, 16, 24, 32, 48)


class BandShape(NamedTuple):
    """What a matrix of order n has of a band with a border of its last unknowns, whatever its numbers.

    ``W``: the half bandwidth rounded up to one of `WIDTHS`; ``reach (m,)``: how many columns of the band behind each
    pivot its row can touch.
    """

    n: int
    border: int
    W: int
    reach: IntArray

    @classmethod
    def of(cls, n: int, row: IntArray, col: IntArray, border: int = 0) -> BandShape | None:
        """That of a matrix with these entries; None if its band is too wide."""
        inner = (row < n - border) & (col < n - border)
        half_band = int(np.abs(row - col)[inner].max(initial=0))
        if half_band > WIDTHS[-1]:
            return None
        width = next(w for w in WIDTHS if w >= half_band)
        return cls(n, border, width, _reach(n - border, row[inner], col[inner]))

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Positions of entries in ``data`` of a `StaticBand`."""
        m, k, ld = self.n - self.border, self.border, 2 * self.W + 1
        inside = col * ld + self.W + row - col
        if not k:
            return inside
        edge = (m + self.W + 1) * ld
        of_row, of_column = edge + col * k + row - m, edge + (m + row) * k + col - m
        corner = edge + (m + col) * k + row - m
        return np.where(row < m, np.where(col < m, inside, of_column), np.where(col < m, of_row, corner))


class StaticBand:
    """Matrix of order n, a band with a border, for factorisations in place.

    ``data``: a row of 2 W + 1 numbers per column of the band; entry (i, j) lies at j (2 W + 1) + W + i - j.

    ``edge (2 m + k, k)``: None without a border, else the end of ``data``: for each of m unknowns of the band the
    entries of its column in the k rows of the border, then those of its row in the k columns, and then the columns of
    the border in its own rows. ``pivot_sizes`` and ``solution`` are work arrays, the former for what was taken from
    each pivot.
    """

    def __init__(self, shape: BandShape) -> None:
        self.n, border, self.W, self.reach = shape
        m, self.ld = self.n - border, 2 * self.W + 1
        edge = (m + self.W + 1) * self.ld
        self.data = np.zeros(edge + (2 * m + border) * border)
        self.edge = self.data[edge:].reshape(-1, border) if border else None
        self._width = (0.0,) * self.W
        self.pivot_sizes = np.zeros(self.n + self.W)
        self.solution = np.zeros(self.n + 2 * self.W)

    def refactor(self) -> bool:
        """Factorise ``data`` in place; False if that lost too many digits."""
        return bool(band_factorise(self.data, self.n, self.reach, self.pivot_sizes, self._width, self.edge) < 0)

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution, in an array that the next call overwrites."""
        W, n = self.W, self.n
        band_solve(self.data, n, self.solution, b, self._width, self.edge)
        return self.solution[W : W + n]


def _reach(n: int, row: IntArray, col: IntArray) -> IntArray:
    """How many columns behind each pivot its row can touch, with fill (n,)."""
    end = np.arange(n, dtype=np.int64)
    np.maximum.at(end, np.minimum(row, col), np.maximum(row, col))
    return np.asarray(np.maximum.accumulate(end) - np.arange(n))


@kernel
def band_factorise(
    data: FloatArray, n: int, reach: IntArray, sizes: FloatArray, width: tuple[float, ...], edge: FloatArray | None
) -> int:  # fmt: skip
    """L and U in place with the reciprocals of the pivots; the number of the first bad pivot, or -1."""
    W = len(width)
    ld = 2 * W + 1
    sizes[:] = 0.0
    for j in range(reach.shape[0]):
        o = j * ld + W
        d = data[o]
        if not abs(d) > LOST * sizes[j]:
            return j
        f = 1.0 / d
        data[o] = f
        eliminate(data, o + 1, f, ld - 1, reach[j], sizes, j + 1, width)
        if edge is not None:
            eliminate_in_border(edge, data, o, ld - 1, j, reach[j], f, sizes)
    if edge is not None:
        return int(corner_factorise(edge, n, sizes))
    return -1


@kernel
def eliminate_in_border(
    edge: FloatArray, data: FloatArray, o: int, step: int, j: int, reach: int, f: float, sizes: FloatArray
) -> None:  # fmt: skip
    """What pivot j of the band, with the reciprocal f and at place o of ``data``, takes from the border."""
    k = edge.shape[1]
    m = (edge.shape[0] - k) // 2
    for i in range(k):
        edge[j, i] *= f
    for c in range(1, reach + 1):
        u, low = data[o + c * step], data[o + c]
        for i in range(k):
            edge[j + c, i] -= u * edge[j, i]
            edge[m + j + c, i] -= low * edge[m + j, i]
    for c in range(k):
        u = edge[m + j, c]
        if u != 0.0:
            for i in range(k):
                edge[2 * m + c, i] -= u * edge[j, i]
            sizes[m + c] += abs(u * edge[j, c])


@kernel
def corner_factorise(edge: FloatArray, n: int, sizes: FloatArray) -> int:
    """L and U of what is left of the border; the number of the first bad pivot, or -1."""
    k = edge.shape[1]
    m = n - k
    for j in range(k):
        d = edge[2 * m + j, j]
        if not abs(d) > LOST * sizes[m + j]:
            return m + j  # type: ignore[no-any-return]
        f = 1.0 / d
        for i in range(j + 1, k):
            edge[2 * m + j, i] *= f
        edge[2 * m + j, j] = f
        for c in range(j + 1, k):
            u = edge[2 * m + c, j]
            for i in range(j + 1, k):
                edge[2 * m + c, i] -= u * edge[2 * m + j, i]
            sizes[m + c] += abs(u * edge[2 * m + j, c])
    return -1


@kernel
def band_solve(
    data: FloatArray, n: int, x: FloatArray, b: FloatArray, width: tuple[float, ...], edge: FloatArray | None
) -> None:  # fmt: skip
    """Solve with the factors of `band_factorise`; ``x`` has W more places on both sides."""
    W = len(width)
    ld = 2 * W + 1
    for i in range(W):
        x[i] = x[W + n + i] = 0.0
    for i in range(n):
        x[W + i] = b[i]
    m = n
    if edge is not None:
        m = n - edge.shape[1]
    forward_substitute(x, W, data, W + 1, ld, m, width)
    if edge is not None:
        border_solve(edge, x, W, m)
    back_substitute(x, W + m - 1, data, (m - 1) * ld, ld, m, width)


@kernel
def border_solve(edge: FloatArray, x: FloatArray, W: int, m: int) -> None:
    """The unknowns of the border, and what they take from the m rows of the band before, which ``x`` holds from W."""
    k = edge.shape[1]
    o = W + m
    for j in range(m):
        u = x[W + j]
        for i in range(k):
            x[o + i] -= u * edge[j, i]
    for j in range(k):
        u = x[o + j]
        for i in range(j + 1, k):
            x[o + i] -= u * edge[2 * m + j, i]
    for j in range(k - 1, -1, -1):
        u = x[o + j] * edge[2 * m + j, j]
        x[o + j] = u
        for i in range(j):
            x[o + i] -= u * edge[2 * m + j, i]
    for j in range(m):
        s = 0.0
        for i in range(k):
            s += edge[m + j, i] * x[o + i]
        x[W + j] -= s
