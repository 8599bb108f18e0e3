"""Factors of symmetric positive definite matrices, for many right-hand sides: CHOLMOD, or SuperLU without it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve.available import cholmod_available
from flexmbs.core.linsolve.order import analysed

__all__ = ["Definite"]

LOST = 1e-13
"""A pivot this much smaller than the diagonal it came from holds no digit: the matrix is singular."""


class Definite:
    """A symmetric positive definite matrix, factorised; the symbolic part serves all matrices of its pattern.

    Parameters
    ----------
    A : sparse matrix (n, n)
        Compressed columns, both triangles.
    what : str
        For messages: what a singular matrix means.

    Raises
    ------
    SingularError
        If the matrix is not positive definite, to working precision.

    Examples
    --------
    >>> from scipy.sparse import diags
    >>> Definite(diags([2.0, 4.0], format="csc")).solve(np.array([2.0, 2.0])).tolist()
    [1.0, 0.5]
    """

    def __init__(self, A: Any, what: str = "the matrix") -> None:
        self.what = what
        self.n = int(A.shape[0])
        self.solves = 0
        self.seconds = 0.0
        self._symbolic: Any = None
        self._lu: Any = None
        if self.n and cholmod_available():
            self._symbolic = analysed(sparse.csc_matrix(A))
        self.refactor(A)

    def refactor(self, A: Any) -> None:
        """Factorise another matrix of the same pattern."""
        A = sparse.csc_matrix(A)
        if not np.isfinite(A.data).all():
            raise SingularError(f"{self.what} has entries that are not finite")
        began = time.perf_counter()
        if self._symbolic is not None:
            self._cholesky(A)
        elif self.n:
            try:
                self._lu = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
            except RuntimeError:
                raise SingularError(f"{self.what} is singular") from None
            pivots = self._lu.U.diagonal()[self._lu.perm_r]
            # a pivot off the diagonal tells nothing about definiteness but that one on it was zero
            self._check(np.where(self._lu.perm_r == self._lu.perm_c, pivots, 0.0), A.diagonal())
        self.seconds = time.perf_counter() - began

    def _cholesky(self, A: Any) -> None:
        from sksparse.cholmod import CholmodNotPositiveDefiniteError

        try:
            self._symbolic.cholesky_inplace(A)
        except CholmodNotPositiveDefiniteError as error:
            unknown = self._column(error)
            raise SingularError(f"{self.what} is not positive definite", unknown) from None
        pivots = np.empty(self.n)
        pivots[self._symbolic.P()] = self._symbolic.D()
        self._check(pivots, A.diagonal())

    def _column(self, error: Exception) -> int | None:
        """The unknown at which CHOLMOD stopped, where it says so."""
        column = getattr(error, "column", None)
        return None if column is None else int(self._symbolic.P()[column])

    def _check(self, pivots: FloatArray, diagonal: FloatArray) -> None:
        lost = ~(pivots > LOST * np.abs(diagonal))
        if lost.any():
            raise SingularError(f"{self.what} is not positive definite to working precision", int(np.argmax(lost)))

    def solve(self, B: FloatArray) -> FloatArray:
        """Solutions for right-hand sides (n,) or (n, m)."""
        self.solves += 1 if B.ndim == 1 else B.shape[1]
        if not self.n or not B.size:
            return np.zeros(B.shape)
        if self._symbolic is not None:
            return np.asarray(self._symbolic(np.asfortranarray(B)))
        return np.asarray(self._lu.solve(np.asarray(B, dtype=float)))

    @property
    def nnz(self) -> int:
        """Entries of the factor; 0 where it cannot be told without a copy."""
        return int(self._lu.L.nnz) if self._lu is not None else 0
