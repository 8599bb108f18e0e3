"""A complex matrix with the entries of the step matrix, factorised with interchanges: where no narrow band will do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from flexmbs.core.errors import SingularError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.step_matrix import StepMatrix

    ComplexArray = NDArray[np.complex128]

__all__ = ["ComplexSystem"]

DENSE = 90
"""Unknowns up to which the matrix is dense."""


class ComplexSystem:
    """Matrix of order n with the entries of ``matrix``; dense (LAPACK) up to 90 unknowns, else sparse (SuperLU)."""

    def __init__(self, matrix: StepMatrix, n: int) -> None:
        row, col = (np.asarray(x, dtype=np.int64) for x in matrix.places)
        places, self._slots = np.unique(col * n + row, return_inverse=True)
        self._n, self._flat = n, places  # column by column, as LAPACK wants them
        self._indices = (places % n).astype(np.int32)
        self._indptr = np.searchsorted(places // n, np.arange(n + 1)).astype(np.int32)
        self._dense = n <= DENSE

    def factorise(self, values: ComplexArray) -> None:
        """Factors of the matrix with these values at its places; SingularError."""
        n, m = self._n, len(self._flat)
        data = np.bincount(self._slots, values.real, minlength=m) + 1j * np.bincount(self._slots, values.imag, m)
        if self._dense:
            full = np.zeros(n * n, dtype=complex)
            full[self._flat] = data
            self._lu, self._pivots, info = lapack.zgetrf(full.reshape(n, n).T, overwrite_a=1)
            if info != 0:
                raise SingularError("the complex matrix of the step is singular")
            return
        try:
            self._sparse = splu(csc_array((data, self._indices, self._indptr), shape=(n, n)))
        except RuntimeError as error:
            raise SingularError(f"the complex matrix of the step is singular ({error})") from None

    def solve(self, x: FloatArray, y: FloatArray) -> None:
        """The solution of the right side x + i y (n,), in place."""
        b = x + 1j * y
        found = lapack.zgetrs(self._lu, self._pivots, b)[0] if self._dense else self._sparse.solve(b)
        x[:], y[:] = found.real, found.imag
