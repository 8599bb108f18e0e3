"""Sparse Cholesky by CHOLMOD (scikit-sparse), symbolic once; falls back to SuperLU where the matrix is indefinite."""

from __future__ import annotations

import numpy as np
from sksparse.cholmod import CholmodNotPositiveDefiniteError

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.linsolve.order import analysed
from flexmbs.core.linsolve.refine import refined
from flexmbs.core.linsolve.superlu import SuperLU
from flexmbs.core.sparsity import Pattern

__all__ = ["Cholmod"]


class Cholmod(SuperLU):
    """Symmetric matrices in full compressed columns; definiteness is tried at every factorisation, never assumed."""

    name = "CHOLMOD"

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern)
        self._symbolic = analysed(self.matrix)
        self._definite = False

    def kept_order(self) -> IntArray | None:
        """That of the symbolic factor."""
        return np.asarray(self._symbolic.P(), dtype=np.int64)

    def refactor(self) -> None:
        """Cholesky, or LU if a pivot is not positive."""
        if not self.factorised():
            super().refactor()

    def factorised(self) -> bool:
        """Cholesky of what ``data`` holds, and whether it is positive definite."""
        self._definite = self._try()
        return self._definite

    def _try(self) -> bool:
        try:
            self._symbolic.cholesky_inplace(self.matrix)
        except CholmodNotPositiveDefiniteError:
            return False
        # A supernodal L L^T stops at a negative pivot, but a simplicial L D L^T goes on. NaN compares as False.
        return bool(self._symbolic.D().min(initial=np.inf) > 0.0)

    def solve(self, b: FloatArray) -> FloatArray:
        """Solution of the system for one right-hand side (n,)."""
        if not self._definite:
            return super().solve(b)
        return refined(self._symbolic, self.product, b, self.size)

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution as the factors give it, neither checked nor refined."""
        return np.asarray(self._symbolic(b)) if self._definite else super().direct(b)

    def is_positive_definite(self) -> bool:
        """Whether Cholesky succeeded in the last factorisation."""
        return self._definite
