"""An order of the unknowns that keeps factors of large patterns sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.linsolve.available import cholmod_available
from flexmbs.core.sparsity import Pattern

__all__ = ["Reordered", "analysed", "elimination_order", "sparse_order"]

LARGE = 10_000
"""Order above which the analysis by nested dissection, three times as long, is worth its better order to CHOLMOD."""

NO_PIVOT = 1e-10
"""Part of the largest entry of its column below which a diagonal entry says nothing of the size of an unknown."""

FEW = 60
"""Unknowns of a constraint up to which it counts as a bond between all of them."""


def sparse_order(A: Any) -> IntArray | None:
    """A permutation (n,) of a symmetric pattern by nested dissection; None without CHOLMOD.

    For solids it halves the factor of minimum degree and takes a quarter of the time to factorise. A CHOLMOD without
    its partition module gives approximate minimum degree.

    Examples
    --------
    >>> from scipy.sparse import eye
    >>> order = sparse_order(eye(3, format="csc"))
    >>> order is None or sorted(order.tolist())
    [0, 1, 2]
    """
    if not cholmod_available():
        return None
    return np.asarray(dissected(A, "simplicial").P(), dtype=np.int64)


def dissected(A: Any, mode: str) -> Any:
    """CHOLMOD's symbolic factor in an order of nested dissection, of minimum degree without its partition module."""
    from sksparse.cholmod import CholmodNotInstalledError, analyze

    try:
        return analyze(A, mode=mode, ordering_method="nesdis")
    except CholmodNotInstalledError:
        return analyze(A, mode=mode)


def analysed(A: Any) -> Any:
    """CHOLMOD's symbolic factor; of large matrices nested dissection keeps the work per unknown constant."""
    from sksparse.cholmod import analyze

    return dissected(A, "auto") if A.shape[0] > LARGE else analyze(A, mode="auto")


def elimination_order(pattern: Pattern, constraints: IntArray | None = None) -> IntArray | None:
    """`sparse_order` of a pattern of blocks, each constraint behind the last of the unknowns that it binds.

    There its diagonal, which is zero in the matrix, has been filled, so that few interchanges spoil the order.
    """
    ones = np.ones(len(pattern.indices))
    A = csc_array((ones, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))
    if constraints is None or not len(constraints):
        return sparse_order(A)
    bound = np.zeros(pattern.n, dtype=bool)
    bound[constraints] = True
    others = np.flatnonzero(~bound)
    G = csr_array(A[constraints][:, others])
    inner = csc_array(A[others][:, others])
    small = G[np.diff(G.indptr) <= FEW]
    first = sparse_order(csc_array(inner + small.T @ small))
    if first is None:
        return None
    rank = np.empty(len(others))
    rank[first] = np.arange(len(others))
    place = np.empty(pattern.n)
    place[others] = rank
    for row, number in enumerate(constraints):
        met = rank[G.indices[G.indptr[row] : G.indptr[row + 1]]]
        place[number] = met.max(initial=-1.0) + 0.5
    return np.argsort(place, kind="stable")


class Reordered:
    r"""A matrix in another order of its rows and columns, scaled, with values that are renewed from those of the first.

    .. math:: B = P\,S A S\,P^T, \qquad s_i = |a_{ii}|^{-1/2},

    rounded to powers of two; of constraints, whose diagonal is zero, so that the largest entry of a row is one. Without
    it small pivots, of slopes beside positions or multipliers beside forces, are exchanged for others although they are
    good, and the order is lost: a plate of 24 x 24 elements on a joint is filled three times as much.

    Parameters
    ----------
    pattern : Pattern
    order : (n,) array
        Old numbers in the new order.
    """

    def __init__(self, pattern: Pattern, order: IntArray) -> None:
        self.order = order
        shape, numbers = (pattern.n, pattern.n), np.arange(1.0, len(pattern.indices) + 1.0)
        moved = csc_array((numbers, pattern.indices, pattern.indptr), shape=shape)[order][:, order].tocsc()
        moved.sort_indices()
        self._from = moved.data.astype(np.int64) - 1
        indices, indptr = moved.indices.astype(np.int32), moved.indptr.astype(np.int32)
        self.matrix = csc_array((np.zeros(len(self._from)), indices, indptr), shape=shape, copy=False)
        self.matrix.has_sorted_indices = True
        self._column = np.repeat(np.arange(pattern.n), np.diff(indptr))
        self._scale = np.ones(pattern.n)

    def renew(self, data: FloatArray) -> None:
        """Take the values of the first matrix."""
        matrix = self.matrix
        values, row, column = matrix.data, matrix.indices, self._column
        np.take(data, self._from, out=values)
        size, diagonal = np.abs(values), np.abs(matrix.diagonal())
        largest = _largest(size, column, len(diagonal))
        good = (diagonal > NO_PIVOT * largest) & np.isfinite(diagonal)
        scale = np.where(good, 1.0 / np.sqrt(np.where(good, diagonal, 1.0)), 1.0)
        beside = _largest(size * scale[row], column, len(diagonal))  # of the others, where they are scaled
        other = ~good & (beside > 0.0) & np.isfinite(beside)
        scale[other] = 1.0 / beside[other]
        self._scale = np.exp2(np.rint(np.log2(scale)))
        values *= self._scale[row]
        values *= self._scale[column]

    def solve(self, lu: Any, b: FloatArray) -> FloatArray:
        """Solution in the old order by factors of the new one."""
        x = np.empty(len(b))
        x[self.order] = self._scale * lu.solve(self._scale * b[self.order])
        return x


def _largest(size: FloatArray, column: IntArray, n: int) -> FloatArray:
    """Largest entry of each column; every one has its diagonal."""
    begins = np.searchsorted(column, np.arange(n))
    return np.maximum.reduceat(size, begins)
