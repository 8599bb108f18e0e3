r"""The signed distance of a point from a surface z = h(x, y) of bicubic pieces, positive above it.

Along a line through nodes h is :math:`w \cdot (h_i, h_{i+1}, h'_i, h'_{i+1})` between two nodes, with the polynomials
of Hermite; beyond the last node it goes on straight. With the surface s(u, v) = (u, v, h), its tangents
t_1 = (1, 0, h_u) and t_2 = (0, 1, h_v), :math:`g = t^T t`, the upward normal n and the second derivatives H of h, the
nearest place to x is where

.. math:: f = t^T (x - s) = 0, \qquad -f' = M = g - (x_3 - h) H ,

which Newton's method finds, by shorter steps where the distance would grow, and with g in place of M where M is not
positive definite. It begins with the nearest of the nodes in a window and of the place straight below: farther away
than the window, what is found need not be the nearest place. The distance is n . (x - s), its gradient n, and that
changes by

.. math:: -\tfrac1W\, t\, g^{-1} H M^{-1} t^T, \qquad W = \sqrt{1 + h_u^2 + h_v^2}.

A table begins at ``at`` in ``data``: half the width of the window, how many nodes there are along x and y (1: h does
not depend on y), their places x and y, and for each node, y running faster, h, h_x, h_y and h_xy.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Vector, dot, mixed, outer
from flexmbs.kernels.distances import Distance

__all__ = ["height_field_distance", "height_of", "heights_of"]

MOST = 50
"""Iterations at most; from where there is one nearest point, a few are enough."""
SHORTEST = 1e-3
"""Part of a step that is still tried."""
NEAR, CLOSE = 1e-6, 1e-14
"""Sizes of a step, over that of the point, from which the digits of distances tell no more, and from which it ends."""

Four = tuple[float, float, float, float]
Weights = tuple[int, Four, Four, Four]
Height = tuple[float, float, float, float, float, float]
NO: Four = (0.0, 0.0, 0.0, 0.0)


@kernel
def _nodes_before(x: float, data: FloatArray, at: int, n: int) -> int:
    """The last node that is not beyond x, or the first one."""
    low, high = 0, n - 1
    while low < high:
        middle = (low + high + 1) // 2
        if data[at + middle] <= x:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def _weights(x: float, data: FloatArray, at: int, n: int) -> Weights:
    """The first node of a piece, and the weights of (h_i, h_{i+1}, h'_i, h'_{i+1}) in h, h' and h'' at x."""
    if n == 1:
        return 0, (1.0, 0.0, 0.0, 0.0), NO, NO
    low = min(_nodes_before(x, data, at, n), n - 2)
    length = data[at + low + 1] - data[at + low]
    inner = min(max(x, data[at]), data[at + n - 1])
    past = x - inner
    s = (inner - data[at + low]) / length
    w0, w1 = (1.0 - s) * (1.0 - s) * (1.0 + 2.0 * s), s * s * (3.0 - 2.0 * s)
    w2, w3 = length * s * (1.0 - s) * (1.0 - s), length * s * s * (s - 1.0)
    d = 6.0 * s * (s - 1.0) / length
    d2, d3 = (1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)
    value = (w0 + past * d, w1 - past * d, w2 + past * d2, w3 + past * d3)
    if past != 0.0:
        return low, value, (d, -d, d2, d3), NO
    b = (12.0 * s - 6.0) / (length * length)
    return low, value, (d, -d, d2, d3), (b, -b, (6.0 * s - 4.0) / length, (6.0 * s - 2.0) / length)


@kernel
def _sum(data: FloatArray, at: int, along_x: int, along_y: int, w: Four, c: Four) -> float:
    """The sum over the four nodes of a piece of products of weights along x and along y."""
    total = 0.0
    for a in range(2):
        wa, da = (w[0], w[2]) if a == 0 else (w[1], w[3])
        for b in range(2):
            cb, db = (c[0], c[2]) if b == 0 else (c[1], c[3])
            o = at + a * along_x + b * along_y
            total += wa * (cb * data[o] + db * data[o + 2]) + da * (cb * data[o + 1] + db * data[o + 3])
    return total


@kernel
def height_of(u: float, v: float, data: FloatArray, at: int) -> Height:
    """h, h_u, h_v, h_uu, h_uv and h_vv at a place."""
    nx, ny = int(data[at + 1]), int(data[at + 2])
    i, w, dw, ddw = _weights(u, data, at + 3, nx)
    k, c, dc, ddc = _weights(v, data, at + 3 + nx, ny)
    o, x, y = at + 3 + nx + ny + 4 * (i * ny + k), 4 * ny, 4 if ny > 1 else 0
    return (
        _sum(data, o, x, y, w, c),
        _sum(data, o, x, y, dw, c),
        _sum(data, o, x, y, w, dc),
        _sum(data, o, x, y, ddw, c),
        _sum(data, o, x, y, dw, dc),
        _sum(data, o, x, y, w, ddc),
    )


@kernel
def heights_of(places: FloatArray, data: FloatArray, out: FloatArray) -> None:
    """h and its derivatives (n, 6) at places (n, 2)."""
    for i in range(places.shape[0]):
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5] = height_of(
            places[i, 0], places[i, 1], data, 0
        )


@kernel
def _step(x: Vector, u: float, v: float, found: Height) -> tuple[float, float]:
    """Newton's step towards the nearest point."""
    h, hu, hv, huu, huv, hvv = found
    e = x[2] - h
    f0, f1 = x[0] - u + e * hu, x[1] - v + e * hv
    a, b, c = 1.0 + hu * hu - e * huu, hu * hv - e * huv, 1.0 + hv * hv - e * hvv
    if a <= 0.0 or a * c - b * b <= 0.0:
        a, b, c = 1.0 + hu * hu, hu * hv, 1.0 + hv * hv
    det = a * c - b * b
    return (c * f0 - b * f1) / det, (a * f1 - b * f0) / det


@kernel
def _square(x: Vector, u: float, v: float, h: float) -> float:
    """Square of the distance of x from a point of the surface."""
    return (x[0] - u) * (x[0] - u) + (x[1] - v) * (x[1] - v) + (x[2] - h) * (x[2] - h)


@kernel
def _nearest_node(x: Vector, data: FloatArray, at: int, square: float) -> tuple[float, float]:
    """Place of the node in the window that is nearer than ``square`` tells, and nearest; else the place below x."""
    window, nx, ny = data[at], int(data[at + 1]), int(data[at + 2])
    at_x, at_y, values = at + 3, at + 3 + nx, at + 3 + nx + ny
    u, v = x[0], x[1]
    k0 = 0 if ny == 1 else _nodes_before(x[1] - window, data, at_y, ny)
    for i in range(_nodes_before(x[0] - window, data, at_x, nx), nx):
        d0 = data[at_x + i] - x[0]
        if d0 > window:
            break
        for k in range(k0, ny):
            d1 = 0.0 if ny == 1 else data[at_y + k] - x[1]
            if d1 > window:
                break
            d2 = data[values + 4 * (i * ny + k)] - x[2]
            found = d0 * d0 + d1 * d1 + d2 * d2
            if found < square:
                square, u, v = found, data[at_x + i], x[1] + d1
    return u, v


@kernel
def height_field_distance(b: Vector, x: Vector, data: FloatArray, where: int) -> Distance:
    """Surface whose table begins b[0] behind ``where`` in ``data``."""
    at = where + int(b[0])
    below = x[2] - height_of(x[0], x[1], data, at)[0]
    u, v = _nearest_node(x, data, at, below * below)
    found = height_of(u, v, data, at)
    square = _square(x, u, v, found[0])
    size = math.sqrt(dot(x, x)) + math.sqrt(square)
    last = math.inf
    for _ in range(MOST):
        du, dv = _step(x, u, v, found)
        step = abs(du) + abs(dv)
        if not step > CLOSE * size or (step <= NEAR * size and step > 0.5 * last):
            break
        last = step
        if step <= NEAR * size:
            u, v = u + du, v + dv
            found = height_of(u, v, data, at)
            continue
        part, shorter = 1.0, found
        while part >= SHORTEST:
            shorter = height_of(u + part * du, v + part * dv, data, at)
            other = _square(x, u + part * du, v + part * dv, shorter[0])
            if other < square:
                break
            part *= 0.5
        if part < SHORTEST:
            break
        u, v, found, square = u + part * du, v + part * dv, shorter, other
    h, hu, hv, huu, huv, hvv = found
    W = math.sqrt(1.0 + hu * hu + hv * hv)
    n = (-hu / W, -hv / W, 1.0 / W)
    e = x[2] - h
    phi = n[0] * (x[0] - u) + n[1] * (x[1] - v) + n[2] * e
    g0, g1, g2 = 1.0 + hu * hu, hu * hv, 1.0 + hv * hv
    a, c, d = g0 - e * huu, g1 - e * huv, g2 - e * hvv
    det, size_of_g = a * d - c * c, g0 * g2 - g1 * g1
    k00, k01 = huu * d - huv * c, huv * a - huu * c  # H adj(M)
    k10, k11 = huv * d - hvv * c, hvv * a - huv * c
    f = -1.0 / (W * det * size_of_g)  # of g^-1 H M^-1, which is symmetric
    q00, q01 = f * (g2 * k00 - g1 * k10), f * (g2 * k01 - g1 * k11)
    q11 = f * (g0 * k11 - g1 * k01)
    t0, t1 = (1.0, 0.0, hu), (0.0, 1.0, hv)
    first = mixed(q00, outer(t0, t0), q11, outer(t1, t1))
    both = mixed(q01, outer(t0, t1), q01, outer(t1, t0))
    return phi, n, mixed(1.0, first, 1.0, both)
