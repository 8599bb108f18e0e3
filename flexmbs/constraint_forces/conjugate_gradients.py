r"""Conjugate gradients with a preconditioner W, :math:`W c_k = e_k`.

.. math:: \beta_k = \frac{e_{k-1}^T c_{k-1}}{e_{k-2}^T c_{k-2}}, \quad d_k = c_{k-1} + \beta_k d_{k-1}, \quad
   \alpha_k = \frac{e_{k-1}^T c_{k-1}}{d_k^T E d_k}, \quad x_k = x_{k-1} + \alpha_k d_k, \quad
   e_k = e_{k-1} - \alpha_k E d_k .

The new direction is made of the preconditioned residual c; with e in its place, as one print of the method has it, the
directions are conjugate for W = 1 only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.core.contracts import FloatArray

__all__ = ["conjugate_gradients"]

Operator = Callable[[FloatArray], FloatArray]


def conjugate_gradients(
    product: Operator, precondition: Operator, b: FloatArray, x: FloatArray, tolerance: float, most: int
) -> tuple[FloatArray, int, float]:
    """x with E x = b from a first guess, iterations, and the norm of the residual by that of b."""
    size = float(np.linalg.norm(b))
    if size == 0.0:
        return np.zeros_like(b), 0, 0.0
    e = b - product(x)
    d, before = np.zeros_like(b), 1.0
    left = float(np.linalg.norm(e)) / size
    for k in range(most):
        if left <= tolerance:
            return x, k, left
        c = precondition(e)
        now = float(e @ c)
        d = c if k == 0 else c + (now / before) * d
        p = product(d)
        alpha = now / float(d @ p)
        x, e, before = x + alpha * d, e - alpha * p, now
        left = float(np.linalg.norm(e)) / size
    return x, most, left
