"""Sparse LU by SuperLU: unsymmetric or indefinite structures by minimum degree, saddle points in their own order."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve.refine import refined
from flexmbs.core.sparsity import Pattern

__all__ = ["SuperLU"]


class SuperLU:
    """Compressed-column storage; a new order is found at every factorisation, since SuperLU cannot keep one."""

    name = "SuperLU"

    def __init__(self, pattern: Pattern, natural: bool = False) -> None:
        self.pattern, self.n = pattern, pattern.n
        self._order = "NATURAL" if natural else "MMD_AT_PLUS_A"
        self.data = np.zeros(len(pattern.indices) + 1)
        indices, indptr = pattern.indices.astype(np.int32), pattern.indptr.astype(np.int32)
        self.matrix = csc_array((self.data[:-1], indices, indptr), shape=(self.n, self.n), copy=False)
        self.matrix.has_sorted_indices = True
        self._diagonal = pattern.slots(np.arange(self.n), np.arange(self.n))

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Position in the compressed columns."""
        return self.pattern.slots(row, col)

    def refactor(self) -> None:
        """LU of what ``data`` holds."""
        try:
            self._lu = splu(
                self.matrix, permc_spec=self._order, diag_pivot_thresh=0.01, options={"SymmetricMode": True}
            )
        except RuntimeError:  # "Factor is exactly singular", without saying where
            raise SingularError("the matrix is singular") from None

    def product(self, x: FloatArray) -> FloatArray:
        """Matrix times vector."""
        return np.asarray(self.matrix @ x)

    def solve(self, b: FloatArray) -> FloatArray:
        """Solution of the system for one right-hand side (n,)."""
        return refined(self._lu.solve, self.product, b, self.size)

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution as the factors give it, neither checked nor refined."""
        return np.asarray(self._lu.solve(b))

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
