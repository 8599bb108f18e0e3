"""Iterative refinement: the residual is checked after every solve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.core.contracts import FloatArray

__all__ = ["refined"]

GOOD = 1e-13
"""A normwise backward error that asks for no refinement."""


def refined(
    direct: Callable[[FloatArray], FloatArray], product: Callable[[FloatArray], FloatArray], b: FloatArray
) -> FloatArray:
    """Solve, then refine while the relative residual is above `GOOD` and still falls by half (at most three times)."""
    x = direct(b)
    size = float(np.abs(b).max(initial=0.0))
    if size == 0.0:
        return x
    rest = b - product(x)
    error = float(np.abs(rest).max())
    for _ in range(3):
        if not error > GOOD * size:
            break
        better = x + direct(rest)
        rest = b - product(better)
        smaller = float(np.abs(rest).max())
        if not smaller < 0.5 * error:
            break
        x, error = better, smaller
    return x
