"""Band LU by LAPACK (dgbtrf, dgbtrs), with partial pivoting: the fastest choice for chains."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve.refine import refined

__all__ = ["BandLU"]


class BandLU:
    """Band matrix of order n and half bandwidth b; ``data`` is LAPACK's array, one row of length 3 b + 1 per column."""

    name = "LAPACK band LU"

    def __init__(self, n: int, half_band: int) -> None:
        self.n, self.b, self.ld = n, half_band, 3 * half_band + 1
        self.data = np.zeros(n * self.ld + 1)
        self._lu: FloatArray = np.empty((0, 0))
        self._pivot: IntArray = np.empty(0, dtype=np.int64)

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Entry (i, j) lies at j * ld + 2 b + i - j."""
        free = (row >= 0) & (col >= 0)
        return np.where(free, col * self.ld + 2 * self.b + row - col, len(self.data) - 1)

    @property
    def _ab(self) -> FloatArray:
        return self.data[:-1].reshape(self.n, self.ld).T

    def refactor(self) -> None:
        """LU of what ``data`` holds; `SingularError` carries the number of the first bad unknown in ``unknown``."""
        self._lu, self._pivot, info = lapack.dgbtrf(self._ab, self.b, self.b)
        if info > 0 or not np.isfinite(self._lu[2 * self.b]).all():
            bad = info - 1 if info > 0 else int(np.argmin(np.isfinite(self._lu[2 * self.b])))
            raise SingularError("the matrix is singular", unknown=bad)

    def _direct(self, b: FloatArray) -> FloatArray:
        x, _ = lapack.dgbtrs(self._lu, self.b, self.b, b, self._pivot)
        return np.asarray(x)

    def product(self, x: FloatArray) -> FloatArray:
        """Matrix times vector."""
        return np.asarray(blas.dgbmv(self.n, self.n, self.b, self.b, 1.0, self._ab[self.b :], x))

    def solve(self, b: FloatArray) -> FloatArray:
        """Solution of the system for one right-hand side (n,)."""
        return refined(self._direct, self.product, b)

    def pivots(self) -> FloatArray:
        """Diagonal of U; a very small one marks an unknown that nothing holds."""
        return self._lu[2 * self.b]

    def is_positive_definite(self) -> bool:
        """Whether a Cholesky factorisation of the symmetric matrix in ``data`` succeeds."""
        _, info = lapack.dpbtrf(self._ab[2 * self.b :], lower=1)
        return bool(info == 0)
