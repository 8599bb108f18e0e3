"""Shape functions of rectangles in parameters (u, v): bicubic Hermite, 16 of them, or the incomplete cubic, 12.

With x = (u - u0) / a and y = (v - v0) / b in [0, 1] the surface is r = sum_i N_i d_i. The vectors d of a node are r,
a dr/du, b dr/dv and, for the bicubic, a b d2r/dudv; nodes are at (0, 0), (1, 0), (1, 1), (0, 1). The bicubic functions
are the products of the cubic Hermite polynomials of both directions. The 12 others span

    1, x, y, x^2, xy, y^2, x^3, x^2 y, x y^2, y^3, x^3 y, x y^3

(Melosh, Adini and Clough): the position is continuous between elements, the slope across an edge is so at the nodes
only.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.elements.hermite import shape

__all__ = ["PlateShape", "plate_shape"]

CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
POWERS = np.array([(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (3, 1), (1, 3)])
"""Exponents of x and y in the 12 monomials."""


class PlateShape(NamedTuple):
    """Values ``N (n, nv)`` and derivatives by x, y, xx, yy, xy, ``D (n, 5, nv)``, at n points."""

    N: FloatArray
    D: FloatArray


def plate_shape(xi: FloatArray, mixed: bool) -> PlateShape:
    """The 16 (``mixed``) or 12 functions at natural coordinates ``xi (n, 2)`` in [-1, 1]."""
    x, y = 0.5 * (1.0 + np.asarray(xi, dtype=float).reshape(-1, 2).T)
    orders = ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
    if mixed:
        h, g = shape(x), shape(y)
        parts = [_products(h[i], g[j]) for i, j in orders]
    else:
        parts = [_monomials(x, y, i, j) @ _coefficients() for i, j in orders]
    return PlateShape(np.ascontiguousarray(parts[0]), np.ascontiguousarray(np.stack(parts[1:], axis=1)))


def _products(h: FloatArray, g: FloatArray) -> FloatArray:
    """h_i(x) g_j(y) in the order of nodes, and at a node value, slope by x, by y, mixed; h and g (n, 4)."""
    columns = []
    for i, j in ((0, 0), (2, 0), (2, 2), (0, 2)):
        columns += [h[:, i] * g[:, j], h[:, i + 1] * g[:, j], h[:, i] * g[:, j + 1], h[:, i + 1] * g[:, j + 1]]
    return np.stack(columns, axis=-1)


def _monomials(x: FloatArray, y: FloatArray, i: int, j: int) -> FloatArray:
    """The derivatives of order i by x and j by y of the 12 monomials, (n, 12)."""
    return _power(x, POWERS[:, 0], i) * _power(y, POWERS[:, 1], j)


def _power(x: FloatArray, p: FloatArray, order: int) -> FloatArray:
    factor = np.ones(len(p))
    for k in range(order):
        factor = factor * (p - k)
    return np.asarray(factor * x[:, None] ** np.maximum(p - order, 0))


@cache
def _coefficients() -> FloatArray:
    """Coefficients (12, 12) of the monomials: column k is one at nodal value k and zero at the others."""
    x, y = CORNERS.T
    rows = np.stack([_monomials(x, y, *order) for order in ((0, 0), (1, 0), (0, 1))], axis=1)
    return np.round(np.linalg.inv(rows.reshape(12, 12)), 9) + 0.0  # they are whole numbers
