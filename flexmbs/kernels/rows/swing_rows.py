r"""The row SWING: how far an axis of marker B is tilted against the same axis of marker A, however B turns about it.

With the axis n (components equal in both markers) and u = C n, C = R_A^T R_B, the rotation vector of the shortest way
from n to u is :math:`\theta/\sin\theta\;n\times u`, where :math:`\cos\theta = c = n\cdot u`. Its part along e, at right
angles to n, is

.. math:: f(c)\,s, \qquad f = \theta/\sin\theta, \quad s = (e\times n)\cdot C n,

both products of the kind ORTHOGONAL. The rotation vector of C is the same where there is no turn about n; else it
changes with that turn, by up to pi/2, which a bearing of something that spins does not. With x = 1 - c

.. math:: f = 1 + x/3 + 2x^2/15 + \dots = \sum a_k x^k, \quad a_k = a_{k-1}\,k/(2k+1), \qquad (1-c^2)\,f' = c f - 1.
"""

from __future__ import annotations

import math

from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import (
    Matrix,
    Vector,
    applied,
    applied_back,
    back_product,
    cross,
    dot,
    mixed,
    negative,
    outer,
    product,
    scaled,
    skew,
    transposed,
)
from flexmbs.kernels.rows.kind import RowKind

__all__ = ["KINDS", "SWING", "swing", "swing_gradient", "swing_hessian"]

SWING = 9
ZERO: Vector = (0.0, 0.0, 0.0)
NEAR = 0.05
"""1 - cos of the tilt up to which the series is summed."""
TERMS = 12
"""Terms of the series."""


@kernel
def _factor(c: float) -> tuple[float, float, float]:
    """f and its first two derivatives by c; not a number where the axes are opposite."""
    x = 1.0 - c
    if x < NEAR:
        f, first, second, a, power = 1.0, 0.0, 0.0, 1.0, 1.0  # power: x^(k - 1)
        before = 0.0  # x^(k - 2)
        for k in range(1, TERMS):
            a *= k / (2.0 * k + 1.0)
            second += k * (k - 1.0) * a * before
            first -= k * a * power
            before = power
            power *= x
            f += a * power
        return f, first, second
    if c <= -1.0:
        return math.nan, math.nan, math.nan
    rest = 1.0 - c * c
    f = math.acos(c) / math.sqrt(rest)
    first = (c * f - 1.0) / rest
    return f, first, (f + 3.0 * c * first) / rest


@inlined
def _product(a: Vector, b: Vector, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector]:
    """a . C b and its gradients by the rotations of A and of B."""
    wa, wb = applied(A, a), applied(B, b)
    return dot(wa, wb), cross(a, applied_back(A, wb)), cross(b, applied_back(B, wa))


@kernel
def swing(e: Vector, b: Vector, A: Matrix, B: Matrix) -> float:
    """Value of the row."""
    wb = applied(B, b)
    f, _, _ = _factor(dot(applied(A, b), wb))
    return f * dot(applied(A, cross(e, b)), wb)


@kernel
def swing_gradient(e: Vector, b: Vector, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector]:
    """Value, and gradients by the rotations of A and of B."""
    c, ca, cb = _product(b, b, A, B)
    s, sa, sb = _product(cross(e, b), b, A, B)
    f, first, _ = _factor(c)
    w = first * s
    ga = (w * ca[0] + f * sa[0], w * ca[1] + f * sa[1], w * ca[2] + f * sa[2])
    gb = (w * cb[0] + f * sb[0], w * cb[1] + f * sb[1], w * cb[2] + f * sb[2])
    return f * s, ga, gb


@inlined
def _curvature(a: Vector, b: Vector, A: Matrix, B: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Blocks of the Hessian of a . C b."""
    ea, eb = skew(a), skew(b)
    coupling = product(ea, product(back_product(A, B), eb))
    aa = product(ea, skew(applied_back(A, applied(B, b))))
    bb = product(eb, skew(applied_back(B, applied(A, a))))
    return aa, negative(coupling), negative(transposed(coupling)), bb


@inlined
def _block(
    f: float, first: float, second: float, s: float, C: Matrix, S: Matrix, cx: Vector, cy: Vector, sx: Vector,
    sy: Vector,
) -> Matrix:  # fmt: skip
    """Block (x, y) of the Hessian of f(c) s from those of c and of s."""
    curved = mixed(first * s, C, f, S)
    straight = outer(scaled(second * s, cx), cy)
    crossed = mixed(first, outer(cx, sy), first, outer(sx, cy))
    return mixed(1.0, curved, 1.0, mixed(1.0, straight, 1.0, crossed))


@kernel
def swing_hessian(e: Vector, b: Vector, A: Matrix, B: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Blocks (th_A, th_A), (th_A, th_B), (th_B, th_A), (th_B, th_B)."""
    g = cross(e, b)
    c, ca, cb = _product(b, b, A, B)
    s, sa, sb = _product(g, b, A, B)
    f, first, second = _factor(c)
    caa, cab, cba, cbb = _curvature(b, b, A, B)
    saa, sab, sba, sbb = _curvature(g, b, A, B)
    return (
        _block(f, first, second, s, caa, saa, ca, ca, sa, sa),
        _block(f, first, second, s, cab, sab, ca, cb, sa, sb),
        _block(f, first, second, s, cba, sba, cb, ca, sb, sa),
        _block(f, first, second, s, cbb, sbb, cb, cb, sb, sb),
    )


@inlined
def _swing_row(e: Vector, b: Vector, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector, Vector]:
    tilt, ga, gb = swing_gradient(e, b, A, B)
    return tilt, ZERO, ga, gb


KINDS = (
    RowKind(
        number=SWING, name="SWING", unit="angle", uses=("all", "all"), normal="",
        value=swing, gradient=_swing_row, hessian=swing_hessian,
    ),
)  # fmt: skip
