"""Chebyshev points on an interval: integration, interpolation, change of grid."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["grid", "interpolate", "resample"]

FloatArray = NDArray[np.float64]


@cache
def grid(points: int) -> tuple[FloatArray, FloatArray]:
    """Chebyshev points on [0, 1] and the matrix that integrates from 0 to each of them."""
    angle = np.pi * np.arange(points, -1, -1) / points
    x = np.cos(angle)
    orders = np.arange(points + 1)
    to_values = np.cos(np.outer(angle, orders))
    weights = np.full(points + 1, 2.0 / points)
    weights[[0, -1]] /= 2.0
    to_coefficients = to_values.T * weights
    to_coefficients[[0, -1]] /= 2.0
    integrated = np.zeros((points + 2, points + 1))
    integrated[1, 0] = 1.0
    for k in range(1, points + 1):
        integrated[k + 1, k] += 0.5 / (k + 1)
        if k > 1:
            integrated[k - 1, k] -= 0.5 / (k - 1)
    values = np.cos(np.outer(angle, np.arange(points + 2))) @ integrated
    B = (values - values[0]) @ to_coefficients / 2.0
    S = (x + 1.0) / 2.0
    S[0] = 0.0
    return S, B


def interpolate(points: FloatArray, values: FloatArray, wanted: FloatArray) -> FloatArray:
    """Values (n, m) given at Chebyshev points (n,) of any interval, at wanted places (...): shape (..., m)."""
    weights = (-1.0) ** np.arange(len(points))
    weights[[0, -1]] *= 0.5
    gap = wanted[..., None] - points
    hit = gap == 0.0
    terms = np.where(hit.any(axis=-1, keepdims=True), hit.astype(float), weights / np.where(hit, 1.0, gap))
    return np.asarray((terms @ values) / terms.sum(axis=-1, keepdims=True), dtype=np.float64)


def resample(values: FloatArray, points: int) -> FloatArray:
    """Values at Chebyshev points on a grid of another size."""
    coefficients = np.polynomial.chebyshev.chebfit(2.0 * grid(len(values) - 1)[0] - 1.0, values, len(values) - 1)
    return np.asarray(np.polynomial.chebyshev.chebval(2.0 * grid(points)[0] - 1.0, coefficients), dtype=np.float64)
