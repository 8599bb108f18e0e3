r"""Least squares with linear inequalities: the step of a Gauss-Newton method that keeps limits.

.. math:: \min_z |A z - b|^2 \quad \text{with}\quad C z \ge d

A has full column rank. With A = Q R and y = R z - Q^T b this is the least y with
:math:`C R^{-1} y \ge d - C R^{-1} Q^T b`, which follows from non-negative least squares (Lawson and Hanson, Solving
Least Squares Problems, chapter 23).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from flexmbs.core.contracts import FloatArray

__all__ = ["limited_step"]

EMPTY = 1e-12
"""Residual of the dual problem up to which no z meets the inequalities."""


def limited_step(A: FloatArray, b: FloatArray, C: FloatArray, d: FloatArray) -> FloatArray | None:
    """z (n,); None if no z meets the inequalities."""
    Q, R = np.linalg.qr(A)
    middle = Q.T @ b
    if not len(C):
        return np.asarray(solve_triangular(R, middle))
    K = solve_triangular(R, C.T, trans="T").T  # C R^-1
    h = d - K @ middle
    size = np.linalg.norm(K, axis=1)
    size[size == 0.0] = 1.0
    K, h = K / size[:, None], h / size
    scale = max(1.0, float(np.abs(h).max()))
    E = np.vstack((K.T, h / scale))
    f = np.zeros(len(E))
    f[-1] = 1.0
    u, _ = nnls(E, f)
    r = E @ u - f
    if float(r @ r) <= EMPTY:
        return None
    y = -scale * r[:-1] / r[-1]
    return np.asarray(solve_triangular(R, middle + y))
