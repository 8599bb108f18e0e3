r"""Matrices with a border of a few rows and columns: Cholesky of the large part, LU of the Schur complement.

.. math:: \begin{pmatrix} K & B \\ C & E \end{pmatrix}\begin{pmatrix} x \\ y \end{pmatrix} =
   \begin{pmatrix} f \\ g \end{pmatrix}: \qquad S = E - C K^{-1} B, \quad y = S^{-1} (g - C K^{-1} f), \quad
   x = K^{-1} f - (K^{-1} B)\, y.

Meshed surfaces with a few joints: CHOLMOD keeps its fill-reducing order, where an elimination with interchanges has
none to keep. Where K is not symmetric and definite, LU of the whole takes its place.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, lu_factor, lu_solve

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.linsolve.cholmod import Cholmod
from flexmbs.core.linsolve.refine import refined
from flexmbs.core.linsolve.superlu import SuperLU
from flexmbs.core.sparsity import Pattern

__all__ = ["Bordered"]

SYMMETRIC = 1e-12
"""Difference of K and its transpose, relative to the largest entry, up to which it counts as symmetric."""


class Bordered(SuperLU):
    """The unknowns ``border`` are eliminated last, the others by Cholesky."""

    def __init__(self, pattern: Pattern, border: IntArray) -> None:
        super().__init__(pattern, natural=True, constraints=border)
        self._border = border
        inside = np.ones(self.n, dtype=bool)
        inside[border] = False
        self._inner = np.flatnonzero(inside)
        number = np.full(self.n, -1)
        number[self._inner] = np.arange(len(self._inner))
        column = np.repeat(np.arange(self.n), np.diff(pattern.indptr))
        row = pattern.indices
        keep = np.flatnonzero(inside[row] & inside[column])
        rows, columns = number[row[keep]], number[column[keep]]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=len(self._inner)))))
        self._inner_solver = Cholmod(Pattern(len(self._inner), indptr, rows))
        self._taken = keep
        self._mirror = self._inner_solver.slots(columns, rows)
        self._exact = False

    @property
    def name(self) -> str:  # type: ignore[override]
        """For reports."""
        return "CHOLMOD with a border" if self._exact else "SuperLU"

    def refactor(self) -> None:
        """Cholesky and the Schur complement, or LU of the whole."""
        self._exact = self._bordered()
        if not self._exact:
            super().refactor()

    def _bordered(self) -> bool:
        K = self._inner_solver.data
        K[:-1] = self.data[self._taken]
        if not np.abs(K[:-1] - K[self._mirror]).max(initial=0.0) <= SYMMETRIC * np.abs(K[:-1]).max(initial=0.0):
            return False
        if not self._inner_solver.factorised():
            return False
        matrix = self.matrix
        B = matrix[:, self._border]
        self._C = matrix.tocsr()[self._border][:, self._inner]
        E = B[self._border].toarray()
        self._X = np.asarray(self._inner_solver.direct(B[self._inner].toarray()))
        try:
            self._schur = lu_factor(E - self._C @ self._X, check_finite=False)
        except (LinAlgError, ValueError):
            return False
        pivots = np.abs(np.diag(self._schur[0]))
        return bool(pivots.min(initial=np.inf) > 1e-14 * pivots.max(initial=0.0))

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution as the factors give it, neither checked nor refined."""
        if not self._exact:
            return super().direct(b)
        out = np.empty(self.n)
        x = np.asarray(self._inner_solver.direct(b[self._inner]))
        y = lu_solve(self._schur, b[self._border] - self._C @ x, check_finite=False)
        out[self._inner], out[self._border] = x - self._X @ y, y
        return out

    def solve(self, b: FloatArray) -> FloatArray:
        """Solution of the system for one right-hand side (n,)."""
        return refined(self.direct, self.product, b, self.size) if self._exact else super().solve(b)
