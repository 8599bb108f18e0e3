"""Band solver by LAPACK: Cholesky where a symmetric matrix is definite, else LU with partial pivoting."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import SingularError
from flexmbs.core.jit import kernel
from flexmbs.core.linsolve.refine import refined

__all__ = ["Band"]


class Band:
    """Band matrix of order n and half bandwidth b; ``data`` is LAPACK's array, one row of length 3 b + 1 per column.

    With ``symmetric`` Cholesky is tried at every factorisation, never assumed to succeed. With ``in_place`` the factors
    of LU overwrite ``data``: no copy of a large matrix, but only `direct` may be asked for then.
    """

    name = "LAPACK band"

    def __init__(self, n: int, half_band: int, symmetric: bool) -> None:
        self.n, self.b, self.ld, self.symmetric = n, half_band, 3 * half_band + 1, symmetric
        self.in_place = False
        self.data = np.zeros(n * self.ld + 1)
        self._factor: FloatArray = np.empty((0, 0))
        self._pivot: IntArray | None = None
        self._size = 0.0

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Entry (i, j) lies at j * ld + 2 b + i - j."""
        free = (row >= 0) & (col >= 0)
        return np.where(free, col * self.ld + 2 * self.b + row - col, len(self.data) - 1)

    @property
    def _ab(self) -> FloatArray:
        return self.data[:-1].reshape(self.n, self.ld).T

    def refactor(self) -> None:
        """Factorise what ``data`` holds; `SingularError` carries the number of the first bad unknown."""
        if not self.in_place:
            self._size = float(np.abs(self._ab[2 * self.b]).max(initial=0.0))
        if self.symmetric:
            self._factor, info = lapack.dpbtrf(self._ab[2 * self.b :], lower=1)
            self._pivot = None
            if info == 0:
                return
        self._factor, self._pivot, info = lapack.dgbtrf(self._ab, self.b, self.b, overwrite_ab=self.in_place)
        if info > 0 or not np.isfinite(self._factor[2 * self.b].sum()):
            bad = info - 1 if info > 0 else int(np.argmin(np.isfinite(self._factor[2 * self.b])))
            raise SingularError("the matrix is singular", unknown=bad)

    def _direct(self, b: FloatArray) -> FloatArray:
        if self._pivot is None:
            return np.asarray(lapack.dpbtrs(self._factor, b, lower=1)[0])
        return np.asarray(lapack.dgbtrs(self._factor, self.b, self.b, b, self._pivot)[0])

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution as the factors give it, neither checked nor refined; ``b`` may be overwritten."""
        if self._pivot is None:
            return np.asarray(lapack.dpbtrs(self._factor, b, lower=1, overwrite_b=1)[0])
        return np.asarray(lapack.dgbtrs(self._factor, self.b, self.b, b, self._pivot, overwrite_b=1)[0])

    def product(self, x: FloatArray) -> FloatArray:
        """Matrix times vector."""
        y = np.zeros(self.n)
        band_product(self.data, self.b, np.ascontiguousarray(x, dtype=np.float64), y)
        return y

    def solve(self, b: FloatArray) -> FloatArray:
        """Solution of the system for one right-hand side (n,)."""
        return refined(self._direct, self.product, b, self._size)

    def is_positive_definite(self) -> bool:
        """Whether Cholesky succeeded in the last factorisation."""
        return self.symmetric and self._pivot is None


@kernel
def band_product(data: FloatArray, b: int, x: FloatArray, y: FloatArray) -> None:
    """y += A x for LAPACK's band storage."""
    n = x.shape[0]
    for j in range(n):
        o = j * (3 * b + 1) + 2 * b - j
        for i in range(max(0, j - b), min(n, j + b + 1)):
            y[i] += data[o + i] * x[j]
