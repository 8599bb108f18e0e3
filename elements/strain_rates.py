"""Rates of strains that are functions of vectors at the nodes, for the viscous part of stress resultants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.core.contracts import FloatArray

__all__ = ["strain_rates"]

STEP = 1e-6
"""How far a difference moves the vectors of an element, by their sizes."""


def strain_rates(
    strains: Callable[[FloatArray], FloatArray], x: FloatArray, rate: FloatArray, places: slice, size: FloatArray
) -> FloatArray:
    """Rates (n_e, n, k) of ``strains(x)``, which do not change in a translation, where x (n_e, m, c) moves with rate.

    Central differences, each element with its own step: neither the unit of length, nor the distance from the origin,
    nor other bodies play a part. ``places`` are the vectors that are positions; ``size`` (n_e, 1) or (n_e, m) is that
    of the vectors: lengths of the element, one for directors.
    """
    x, rate = x.copy(), rate.copy()
    for vectors in (x, rate):
        vectors[:, places] -= vectors[:, places].mean(axis=1, keepdims=True)
    fastest = (np.linalg.norm(rate, axis=2) / size).max(axis=1)
    step = (STEP / np.where(fastest > 0.0, fastest, 1.0))[:, None, None]
    return np.asarray((strains(x + step * rate) - strains(x - step * rate)) / (2.0 * step))
