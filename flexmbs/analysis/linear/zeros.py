r"""Transmission zeros: the s at which inputs move the states and no output sees it.

Those of :math:`[A - s, B; C, D]`, without the infinite ones: outputs without feedthrough are differentiated, and the
states they hold to zero taken out, until the feedthrough has full rank (A. Emami-Naeini and P. Van Dooren, Automatica
18 (1982) 415-430); the same for inputs on the transposed system. What is left has the zeros as eigenvalues of
:math:`A - B D^{-1} C`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import matrix_balance

from flexmbs.core.contracts import FloatArray

__all__ = ["transmission_zeros"]

RANK = 1e-11
"""Singular value, relative to the size of its matrix, below which it is zero."""


def transmission_zeros(A: FloatArray, B: FloatArray, C: FloatArray, D: FloatArray) -> Any:
    """The finite zeros (k,) by ascending size; none where outputs depend on each other or nothing is transmitted."""
    if not len(A) or not B.size or not C.size:
        return np.zeros(0, dtype=complex)
    balanced, (scale, _) = matrix_balance(A, permute=False, separate=True)
    B, C = B / scale[:, None], C * scale
    rate = max(float(np.abs(balanced).max()), 1e-300)  # time in its unit: A of size one
    A, b, c = balanced / rate, np.linalg.norm(B, axis=0), np.linalg.norm(C, axis=1)
    b, c = np.where(b > 0.0, b, 1.0), np.where(c > 0.0, c, 1.0)
    A, B, C, D = _reduced(A, B / b, C / c[:, None], D / np.outer(c, b) * rate)
    A, B, C, D = _reduced(A.T, C.T, B.T, D.T)
    if not len(A) or D.shape[0] != D.shape[1]:
        return np.zeros(0, dtype=complex)
    s = np.linalg.eigvals(A - B @ np.linalg.solve(D, C) if D.size else A) * rate
    return s[np.argsort(np.abs(s), kind="stable")]


def _reduced(
    A: FloatArray, B: FloatArray, C: FloatArray, D: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """A system with the same finite zeros whose D has full row rank."""
    while len(C):
        U, sigma, _ = np.linalg.svd(D)
        rank = int((sigma > RANK).sum())
        C, D = U.T @ C, U.T @ D
        below = C[rank:]
        if not len(below):
            break
        _, sigma, Vt = np.linalg.svd(below)
        held = int((sigma > RANK).sum())
        V = np.vstack((Vt[held:], Vt[:held])).T  # states that the outputs do not see first
        A, B, C = V.T @ A @ V, V.T @ B, C @ V
        n = len(A) - held
        C, D = np.vstack((C[:rank, :n], A[n:, :n])), np.vstack((D[:rank], B[n:]))
        A, B = A[:n, :n], B[:n]
        if not held:
            break
    return A, B, C, D
