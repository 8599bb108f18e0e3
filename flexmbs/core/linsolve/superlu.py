"""Sparse LU by SuperLU, for unsymmetric or indefinite structures.

In order of minimum degree, saddle points in their own, and large ones in that of nested dissection: minimum degree of
nodes with several coordinates fills three times as much there, and the order of a band fills the band.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve.order import Reordered, elimination_order
from flexmbs.core.linsolve.refine import refined
from flexmbs.core.sparsity import Pattern

__all__ = ["SuperLU"]

LARGE = 1_000
"""Order above which nested dissection, found once, is faster than minimum degree and than the order of a band."""


class SuperLU:
    """Compressed-column storage; a new order of minimum degree is found at every factorisation, others are kept.

    Parameters
    ----------
    pattern : Pattern
    natural : bool
        Small ones keep the order of their unknowns.
    constraints : (m,) int array, optional
        Unknowns whose diagonal is zero.
    """

    name = "SuperLU"

    def __init__(self, pattern: Pattern, natural: bool = False, constraints: IntArray | None = None) -> None:
        self.pattern, self.n = pattern, pattern.n
        self._own_order = "NATURAL" if natural else "MMD_AT_PLUS_A"
        self._constraints = constraints
        self.data = np.zeros(len(pattern.indices) + 1)
        indices, indptr = pattern.indices.astype(np.int32), pattern.indptr.astype(np.int32)
        self.matrix = csc_array((self.data[:-1], indices, indptr), shape=(self.n, self.n), copy=False)
        self.matrix.has_sorted_indices = True
        self._diagonal = pattern.slots(np.arange(self.n), np.arange(self.n))

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Position in the compressed columns."""
        return self.pattern.slots(row, col)

    @cached_property
    def _reordered(self) -> Reordered | None:
        """The matrix in an order that is kept; None where SuperLU finds one, or keeps that of the unknowns."""
        order = self.kept_order() if self.n > LARGE else None
        return None if order is None else Reordered(self.pattern, order)

    def kept_order(self) -> IntArray | None:
        """The order of a large matrix (n,)."""
        return elimination_order(self.pattern, self._constraints)

    def refactor(self) -> None:
        """LU of what ``data`` holds."""
        moved = self._reordered
        if moved is not None:
            moved.renew(self.data)
        matrix, by = (self.matrix, self._own_order) if moved is None else (moved.matrix, "NATURAL")
        try:
            self._lu = splu(matrix, permc_spec=by, diag_pivot_thresh=0.01, options={"SymmetricMode": True})
        except RuntimeError:  # "Factor is exactly singular", without saying where
            raise SingularError("the matrix is singular") from None

    def product(self, x: FloatArray) -> FloatArray:
        """Matrix times vector."""
        return np.asarray(self.matrix @ x)

    def solve(self, b: FloatArray) -> FloatArray:
        """Solution of the system for one right-hand side (n,)."""
        return refined(self._solved, self.product, b, self.size)

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution as the factors give it, neither checked nor refined."""
        return self._solved(b)

    def _solved(self, b: FloatArray) -> FloatArray:
        moved = self._reordered
        return np.asarray(self._lu.solve(b)) if moved is None else moved.solve(self._lu, b)

    @property
    def size(self) -> float:
        """Largest entry of the diagonal, which stands for the size of the matrix."""
        return float(np.abs(self.data[self._diagonal]).max(initial=0.0))

    def is_positive_definite(self) -> bool:
        """Whether the symmetric matrix in ``data`` has positive pivots when none is exchanged."""
        try:
            lu = splu(self.matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        except RuntimeError:
            return False
        return bool(np.array_equal(lu.perm_r, lu.perm_c) and lu.U.diagonal().min() > 0.0)
