"""Iterative refinement: the residual is checked after every solve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError

__all__ = ["refined"]

GOOD = 1e-14
"""Backward error |b - A x| / (|A| |x| + |b|) that asks for no refinement."""

USELESS = 1e-6
"""Backward error of a solution that is none."""


def refined(
    direct: Callable[[FloatArray], FloatArray],
    product: Callable[[FloatArray], FloatArray],
    b: FloatArray,
    size: float,
) -> FloatArray:
    """Solve and refine while the backward error is above `GOOD` and falls by half, at most three times.

    ``size`` stands for |A|: its largest diagonal entry.
    """
    x = direct(b)
    rest = b - product(x)
    error = _backward(rest, x, b, size)
    for _ in range(3):
        if error <= GOOD:
            break
        better = x + direct(rest)
        rest = b - product(better)
        smaller = _backward(rest, better, b, size)
        if not smaller < 0.5 * error:
            break
        x, error = better, smaller
    if not error <= USELESS:
        raise SingularError(f"the matrix is singular to working precision (backward error {error:.1e})")
    return x


def _backward(rest: FloatArray, x: FloatArray, b: FloatArray, size: float) -> float:
    """Normwise backward error; 0 for a zero right-hand side."""
    scale = size * float(np.abs(x).max(initial=0.0)) + float(np.abs(b).max(initial=0.0))
    return 0.0 if scale == 0.0 else float(np.abs(rest).max(initial=0.0)) / scale  # NaN stays NaN
