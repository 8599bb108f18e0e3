r"""Rows between two states: gradients whose products with the increments are exactly the changes of the rows.

With the ends of a step (suffix 0 and 1), their means (bar) and a rotation by the Cayley vector c, in inertial axes,

.. math:: R_1 - R_0 = \tilde c\, \bar R, \qquad \bar R = \tfrac12 (R_0 + R_1),

a row that is linear or quadratic in positions and axes changes by its formal gradient at the means, which are no
rotations any more. With e, b axes of A and B in inertial axes, d = p_B - p_A, and (n, m) force and moment on B,

    INERTIAL    n = e
    ALONG       n = E                                 m_A = E x D
    ORTHOGONAL                                        m_A = E x B = -m_B
    DISTANCE    n = (d0 + d1) / (|d0| + |d1|)
    ANGLE       m_A = s (W M_u - U M_w) = -m_B        u = y_A.x_B - x_A.y_B, w = x_A.x_B + y_A.y_B

(capitals: means; M_u, M_w like ORTHOGONAL), where the angle is that of the complex number w + i u, which turns by
x = atan2(w0 u1 - u0 w1, w0 w1 + u0 u1), and s = x / (w0 u1 - u0 w1). These gradients sum to no force and no moment, as
the rows change in no rigid motion, so that both momenta are kept. Moments are in inertial axes, at the mean points.

`row_change` also gives the gradient at the end alone, and the derivative of the mean gradient by an infinitesimal
motion of the end, in inertial axes.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import (
    IDENTITY,
    Matrix,
    Vector,
    add_block,
    applied,
    combination,
    cross,
    dot,
    mixed,
    outer,
    plus,
    product,
    rotation,
    scaled,
    skew,
)
from flexmbs.kernels.rows.rows import ALONG, ANGLE, DISTANCE, INERTIAL, ORTHOGONAL

__all__ = ["EXACT", "row_change"]

EXACT = (INERTIAL, ALONG, ORTHOGONAL, DISTANCE, ANGLE)
"""Kinds of rows that are treated here."""
X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
ZERO: Vector = (0.0, 0.0, 0.0)
SMALL = 1e-3


@kernel
def row_change(
    kind: int, j: int, c: FloatArray, i: int, k: int, p0: FloatArray, R0: FloatArray, p1: FloatArray, R1: FloatArray,
    S: FloatArray,
) -> None:  # fmt: skip
    """Row j between the markers i (A) and k (B), on (p_A, turn of A, p_B, turn of B) in inertial axes.

    Its mean gradient into ``S[12]``, its gradient at the end into ``S[13]``, and the derivative of the mean gradient by
    the end into ``S[0:12, 0:12]``.
    """
    S[0:14] = 0.0
    e: Vector = (c[j, 0], c[j, 1], c[j, 2])
    d0: Vector = (p0[k, 0] - p0[i, 0], p0[k, 1] - p0[i, 1], p0[k, 2] - p0[i, 2])
    d1: Vector = (p1[k, 0] - p1[i, 0], p1[k, 1] - p1[i, 1], p1[k, 2] - p1[i, 2])
    if kind == INERTIAL:
        _set(S, 12, e, ZERO, ZERO)
        _set(S, 13, e, ZERO, ZERO)
    elif kind == ALONG:
        e1 = applied(rotation(R1, i), e)
        E, D = combination(0.5, applied(rotation(R0, i), e), 0.5, e1), combination(0.5, d0, 0.5, d1)
        _set(S, 12, E, cross(E, D), ZERO)
        _set(S, 13, e1, cross(e1, d1), ZERO)
        T = skew(e1)
        add_block(S, 6, 3, -0.5, T)
        add_block(S, 0, 3, 0.5, T)
        add_block(S, 3, 3, 0.5, product(skew(D), T))
        T = skew(E)
        add_block(S, 3, 6, 0.5, T)
        add_block(S, 3, 0, -0.5, T)
    elif kind == ORTHOGONAL:
        b: Vector = (c[j, 3], c[j, 4], c[j, 5])
        e1, b1 = applied(rotation(R1, i), e), applied(rotation(R1, k), b)
        E = combination(0.5, applied(rotation(R0, i), e), 0.5, e1)
        B = combination(0.5, applied(rotation(R0, k), b), 0.5, b1)
        m, m1 = cross(E, B), cross(e1, b1)
        _set(S, 12, ZERO, m, scaled(-1.0, m))
        _set(S, 13, ZERO, m1, scaled(-1.0, m1))
        _turn(S, 1.0, E, B, e1, b1)
    elif kind == DISTANCE:
        l0, l1 = math.sqrt(dot(d0, d0)), math.sqrt(dot(d1, d1))
        s = 1.0 / (l0 + l1)
        n, n1 = combination(s, d0, s, d1), scaled(1.0 / l1, d1)
        _set(S, 12, n, ZERO, ZERO)
        _set(S, 13, n1, ZERO, ZERO)
        N = mixed(s, IDENTITY, -s, outer(n, n1))
        add_block(S, 0, 0, 1.0, N)
        add_block(S, 0, 6, -1.0, N)
        add_block(S, 6, 0, -1.0, N)
        add_block(S, 6, 6, 1.0, N)
    else:
        _angle(rotation(R0, i), rotation(R0, k), rotation(R1, i), rotation(R1, k), S)


@kernel
def _set(S: FloatArray, row: int, n: Vector, a: Vector, b: Vector) -> None:
    """The gradient (-n, a, n, b)."""
    for m in range(3):
        S[row, m], S[row, 3 + m], S[row, 6 + m], S[row, 9 + m] = -n[m], a[m], n[m], b[m]


@kernel
def _turn(S: FloatArray, s: float, E: Vector, B: Vector, e1: Vector, b1: Vector) -> None:
    """Add s times the derivative of the moments E x B on A and -E x B on B, whose ends turn with A and B."""
    by_a, by_b = product(skew(B), skew(e1)), product(skew(E), skew(b1))
    add_block(S, 3, 3, 0.5 * s, by_a)
    add_block(S, 3, 9, -0.5 * s, by_b)
    add_block(S, 9, 3, -0.5 * s, by_a)
    add_block(S, 9, 9, 0.5 * s, by_b)


@kernel
def _angle(A0: Matrix, B0: Matrix, A1: Matrix, B1: Matrix, S: FloatArray) -> None:
    """ANGLE, with D = w0 u1 - u0 w1 and E = w0 w1 + u0 u1 (so D = r sin x, E = r cos x) and s = f(x) / r."""
    xa0, ya0, xb0, yb0 = applied(A0, X), applied(A0, Y), applied(B0, X), applied(B0, Y)
    xa1, ya1, xb1, yb1 = applied(A1, X), applied(A1, Y), applied(B1, X), applied(B1, Y)
    xa, ya, xb, yb = (
        combination(0.5, xa0, 0.5, xa1),
        combination(0.5, ya0, 0.5, ya1),
        combination(0.5, xb0, 0.5, xb1),
        combination(0.5, yb0, 0.5, yb1),
    )
    u0, w0 = dot(ya0, xb0) - dot(xa0, yb0), dot(xa0, xb0) + dot(ya0, yb0)
    u1, w1 = dot(ya1, xb1) - dot(xa1, yb1), dot(xa1, xb1) + dot(ya1, yb1)
    U, W = 0.5 * (u0 + u1), 0.5 * (w0 + w1)
    D, E = w0 * u1 - u0 * w1, w0 * w1 + u0 * u1
    r, x = math.sqrt(D * D + E * E), math.atan2(D, E)
    if abs(x) < SMALL:
        f, f_x = 1.0 + x * x / 6.0, x / 3.0
    else:
        sin = math.sin(x)
        f, f_x = x / sin, (sin - x * math.cos(x)) / (sin * sin)
    s = f / r
    mu, mw = plus(cross(ya, xb), -1.0, cross(xa, yb)), plus(cross(xa, xb), 1.0, cross(ya, yb))
    u_1, w_1 = plus(cross(ya1, xb1), -1.0, cross(xa1, yb1)), plus(cross(xa1, xb1), 1.0, cross(ya1, yb1))
    m = combination(W, mu, -U, mw)
    D_1, E_1 = combination(w0, u_1, -u0, w_1), combination(w0, w_1, u0, u_1)
    s_1 = combination(f_x * E / r**3 - f * D / r**3, D_1, -f_x * D / r**3 - f * E / r**3, E_1)
    n2 = u1 * u1 + w1 * w1
    _set(S, 12, ZERO, scaled(s, m), scaled(-s, m))
    end = combination(w1 / n2, u_1, -u1 / n2, w_1)
    _set(S, 13, ZERO, end, scaled(-1.0, end))
    H = mixed(1.0, outer(m, s_1), 1.0, mixed(0.5 * s, outer(mu, w_1), -0.5 * s, outer(mw, u_1)))
    add_block(S, 3, 3, 1.0, H)
    add_block(S, 3, 9, -1.0, H)
    add_block(S, 9, 3, -1.0, H)
    add_block(S, 9, 9, 1.0, H)
    _turn(S, s * W, ya, xb, ya1, xb1)
    _turn(S, -s * W, xa, yb, xa1, yb1)
    _turn(S, -s * U, xa, xb, xa1, xb1)
    _turn(S, -s * U, ya, yb, ya1, yb1)
