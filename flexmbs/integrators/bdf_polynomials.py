r"""Polynomials through what a backward differentiation formula knows of the past.

Positions are seen in the chart at the last accepted one, :math:`\theta_j = \log(q_n^{-1} q_j)`; velocities, in body
axes, live in a vector space. The data of a polynomial are the values at :math:`t_n, t_{n-1}, ...` and, as long as few
steps were made, the derivative at the start as the oldest datum (the start counts as two nodes that coincide). With
:math:`\sigma_j = (t_j - t_{n+1})/h` the polynomial through the first m + 1 data has, at the new time,

.. math:: p(0) = \sum_j w_j y_j, \qquad h\,\dot p(0) = \sum_j w'_j y_j,

with weights in closed form (Lagrange's, Hermite's where the start is among them).

The loop in Python and compiled steps call the same functions.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import inverse_tangent
from flexmbs.integrators.bdf_history import POINTS
from flexmbs.kernels.steps import local

__all__ = ["MOST_DATA", "collect", "combine", "error_constants", "extrapolate", "leading", "weights"]

MOST_DATA = POINTS + 1
"""Data at most: all points, and the derivative at the start."""


@kernel
def collect(
    row: int, times: FloatArray, Q: FloatArray, V: FloatArray, past_t: FloatArray, past_q: FloatArray,
    past_v: FloatArray, slope: FloatArray, points: int, sloped: bool, h: float, n_linear: int, s: FloatArray,
    data: FloatArray,
) -> int:  # fmt: skip
    """sigma of all data for a step of size h from a state, and the data, newest first; how many there are.

    The state is that of ``row`` in ``times (n,)``, ``Q (n, n_q)``, ``V (n, n_v)``; before it come ``points`` others:
    the rows before, and before these the past, newest first. ``sloped``: the acceleration at the oldest is ``slope``.
    ``data (2, MOST_DATA, n_v)``: of positions, in the chart at the state, and of velocities; derivatives times h.
    """
    t, q = times[row], Q[row]
    n_v = V.shape[1]
    for j in range(points + 1):
        if j <= row:
            s[j] = (times[row - j] - t) / h - 1.0
            if j > 0:
                local(q, Q[row - j], n_linear, data[0, j])
        else:
            s[j] = (past_t[j - row - 1] - t) / h - 1.0
            local(q, past_q[j - row - 1], n_linear, data[0, j])
        for i in range(n_v):
            data[1, j, i] = V[row - j, i] if j <= row else past_v[j - row - 1, i]
            if j == 0:
                data[0, j, i] = 0.0
    if not sloped:
        return points + 1
    last = points + 1
    s[last] = s[points]
    chart_rate(data[0, points], data[1, points], h, n_linear, data[0, last])
    for i in range(n_v):
        data[1, last, i] = h * slope[i]
    return last + 1


@kernel
def combine(w: FloatArray, n: int, data: FloatArray, out: FloatArray) -> None:
    """out = the sum of n data, each times its weight."""
    for i in range(out.shape[0]):
        out[i] = w[0] * data[0, i]
    for j in range(1, n):
        for i in range(out.shape[0]):
            out[i] += w[j] * data[j, i]


@kernel
def extrapolate(
    s: FloatArray, n: int, sloped: bool, data: FloatArray, W: FloatArray, D: FloatArray, values: FloatArray,
    constants: FloatArray,
) -> None:  # fmt: skip
    """Values (2, MOST_DATA, n_v) of the polynomials of all degrees through n data at the new time.

    With the weights of values and derivatives by degree, and the `error_constants`.
    """
    weights(s[:n], sloped, 0.0, W, D)
    for k in range(2):
        for m in range(n):
            combine(W[m], m + 1, data[k], values[k, m])
    error_constants(s, n, constants)


@kernel
def chart_rate(theta: FloatArray, v: FloatArray, h: float, n_linear: int, out: FloatArray) -> None:
    """out = h T^-1(theta) v, of rotations; h v elsewhere."""
    for i in range(v.shape[0]):
        out[i] = h * v[i]
    for b in range((v.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        a = inverse_tangent(theta[k], theta[k + 1], theta[k + 2])
        x, y, z = h * v[k], h * v[k + 1], h * v[k + 2]
        out[k] = a[0] * x + a[1] * y + a[2] * z
        out[k + 1] = a[3] * x + a[4] * y + a[5] * z
        out[k + 2] = a[6] * x + a[7] * y + a[8] * z


@kernel
def weights(s: FloatArray, double: bool, at: float, W: FloatArray, D: FloatArray) -> None:
    """Rows m of W, D (n, n): weights of value and derivative at ``at`` of the polynomial through the first m + 1 nodes.

    ``double``: the last two of ``s`` coincide and the last datum is a derivative.
    """
    n = s.shape[0]
    for m in range(n):
        hermite = double and m == n - 1 and n > 1
        count = m if hermite else m + 1  # distinct nodes
        e = s[m]
        for j in range(m + 1):
            W[m, j] = 0.0
            D[m, j] = 0.0
        for j in range(count):
            w, d = 1.0, 0.0
            for i in range(count):
                if i != j:
                    f = 1.0 / (s[j] - s[i])
                    d = (d * (at - s[i]) + w) * f
                    w *= (at - s[i]) * f
            if hermite:
                if j < count - 1:  # a further zero at the double node
                    f = 1.0 / (s[j] - e)
                    d = (d * (at - e) + w) * f
                    w *= (at - e) * f
                else:
                    c = 0.0
                    for i in range(count - 1):
                        c += 1.0 / (e - s[i])
                    W[m, count] = (at - e) * w
                    D[m, count] = w + (at - e) * d
                    d = d * (1.0 - (at - e) * c) - w * c
                    w *= 1.0 - (at - e) * c
            W[m, j] = w
            D[m, j] = d


@kernel
def leading(s: FloatArray, order: int) -> float:
    """h alpha of the formula of an order: the sum of 1/(t_{n+1} - t_j) over its data, times h."""
    total = 0.0
    for j in range(order):
        total -= 1.0 / s[j]
    return total


@kernel
def error_constants(s: FloatArray, n: int, out: FloatArray) -> None:
    """c_m, 0 < m < n: the local error of order m is c_m times the error of the polynomial of degree m at the new time.

    With the divided difference d of order m + 1, that is d times the product over m + 1 nodes of the distances to the
    new time, and that of the formula d times the product over m nodes over alpha.
    """
    out[0] = math.nan
    for m in range(1, n):
        out[m] = -1.0 / (leading(s, m) * s[m])
