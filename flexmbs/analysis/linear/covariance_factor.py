r"""Covariance of the states of a linear model under white noise, as a product.

.. math:: A X + X A^H + b\,b^H = 0, \qquad X = R R^H

With the factor R mean squares of outputs, the squared lengths of the rows of C R, are known to the digits that R has.
In C X C^H digits are lost twice: of the acceleration of a beam in which 60 elements vibrate up to 600 MHz all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import matrix_balance, schur, solve_triangular

from flexmbs.core.contracts import FloatArray

__all__ = ["covariance_factor"]


def covariance_factor(A: FloatArray, b: FloatArray) -> tuple[Any, Any]:
    """R (n, n) and A R, complex, for a matrix A all of whose poles decay, and b (n,)."""
    if not len(A):
        return np.zeros((0, 0)), np.zeros((0, 0))
    # In units in which rows and columns are of one size: rates of a part of 20 kHz are 1e5 times its displacements.
    balanced, (unit, _) = matrix_balance(A, permute=False, separate=True)
    T, U = schur(balanced, output="complex")
    R = _of_triangular(T, U.conj().T @ (b / unit))
    return unit[:, None] * (U @ R), unit[:, None] * (U @ (T @ R))


def _of_triangular(T: Any, b: Any) -> Any:
    """R, upper triangular, of an upper triangular T (Hammarling)."""
    n = len(b)
    R, b, one = np.zeros((n, n), dtype=complex), b.copy(), np.eye(n)
    for k in reversed(range(n)):
        decay = np.sqrt(-2.0 * T[k, k].real)
        size = abs(b[k]) / decay
        if size > 0.0:
            alpha = b[k] / size
            R[k, k] = size
            R[:k, k] = solve_triangular(
                T[:k, :k] + T[k, k].conjugate() * one[:k, :k], -(alpha.conjugate() * b[:k] + size * T[:k, k])
            )
            b[:k] -= alpha * R[:k, k]
    return R
