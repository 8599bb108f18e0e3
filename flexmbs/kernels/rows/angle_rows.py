"""The rows ANGLE and VECTOR: how far marker B is turned against marker A.

Each kind has a function for value and gradient and one for the Hessian; ``A`` and ``B`` are the orientations of the
markers and C = A^T B. Gradients are with respect to (dth_A, dth_B), Hessians the four blocks (th_A, th_A),
(th_A, th_B), (th_B, th_A), (th_B, th_B).
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import (
    IDENTITY,
    Matrix,
    Vector,
    add_block,
    applied,
    applied_back,
    back_product,
    combination,
    cross,
    dot,
    mixed,
    negative,
    outer,
    plus,
    product,
    scaled,
    skew,
    transposed,
)
from flexmbs.kernels.rows.changes import add_turn, set_gradient
from flexmbs.kernels.rows.kind import RowKind

__all__ = [
    "ANGLE",
    "KINDS",
    "VECTOR",
    "angle",
    "angle_gradient",
    "angle_hessian",
    "rotation_vector",
    "vector_gradient",
    "vector_hessian",
]

ANGLE = 4
VECTOR = 5
X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)
ZERO: Vector = (0.0, 0.0, 0.0)
SMALL = 1e-3
"""Turn in a step below which a series is used [rad]."""
TURN = 2.0 * math.pi


@kernel
def angle(near: float, A: Matrix, B: Matrix) -> float:
    """The angle of B about z_A, within half a turn of ``near``: atan2(C_10 - C_01, C_00 + C_11)."""
    c00 = A[0] * B[0] + A[3] * B[3] + A[6] * B[6]
    c01 = A[0] * B[1] + A[3] * B[4] + A[6] * B[7]
    c10 = A[1] * B[0] + A[4] * B[3] + A[7] * B[6]
    c11 = A[1] * B[1] + A[4] * B[4] + A[7] * B[7]
    value = math.atan2(c10 - c01, c00 + c11)
    return value + TURN * math.floor((near - value) / TURN + 0.5)


@kernel
def angle_gradient(A: Matrix, B: Matrix) -> tuple[Vector, Vector]:
    """Gradient (-(z + w)/n, (z + u)/n) with u = C^T z, w = C z, n = 1 + z.C z."""
    u, w = applied_back(B, (A[2], A[5], A[8])), applied_back(A, (B[2], B[5], B[8]))
    n = 1.0 + u[2]
    return scaled(-1.0 / n, plus(w, 1.0, Z)), scaled(1.0 / n, plus(u, 1.0, Z))


@kernel
def angle_hessian(A: Matrix, B: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Derivative of the gradient: du = u~ dth_B - C^T z~ dth_A, dw = w~ dth_A - C z~ dth_B."""
    u, w = applied_back(B, (A[2], A[5], A[8])), applied_back(A, (B[2], B[5], B[8]))
    f = 1.0 / (1.0 + u[2])
    ga, gb = scaled(-f, plus(w, 1.0, Z)), scaled(f, plus(u, 1.0, Z))
    na, nb = cross(Z, w), cross(Z, u)  # gradient of n
    C, z = back_product(A, B), skew(Z)
    return (
        mixed(-f, skew(w), -f, outer(ga, na)),
        mixed(f, product(C, z), -f, outer(ga, nb)),
        mixed(-f, back_product(C, z), -f, outer(gb, na)),
        mixed(f, skew(u), -f, outer(gb, nb)),
    )


@kernel
def rotation_vector(A: Matrix, B: Matrix) -> Vector:
    """The logarithm of C, by way of the quaternion whose largest component is found first."""
    C = back_product(A, B)
    trace = C[0] + C[4] + C[8]
    if trace >= C[0] and trace >= C[4] and trace >= C[8]:
        q0 = 1.0 + trace
        q = (C[7] - C[5], C[2] - C[6], C[3] - C[1])
    elif C[0] >= C[4] and C[0] >= C[8]:
        q0 = C[7] - C[5]
        q = (1.0 + C[0] - C[4] - C[8], C[1] + C[3], C[2] + C[6])
    elif C[4] >= C[8]:
        q0 = C[2] - C[6]
        q = (C[1] + C[3], 1.0 + C[4] - C[0] - C[8], C[5] + C[7])
    else:
        q0 = C[3] - C[1]
        q = (C[2] + C[6], C[5] + C[7], 1.0 + C[8] - C[0] - C[4])
    if q0 < 0.0:
        q0, q = -q0, (-q[0], -q[1], -q[2])
    size = math.sqrt(dot(q, q))
    if size < 1e-9 * q0:  # the next term of the series is below round-off
        return scaled(2.0 / q0, q)
    return scaled(2.0 * math.atan2(size, q0) / size, q)


@kernel
def vector_gradient(e: Vector, v: Vector) -> tuple[Vector, Vector]:
    """Gradient (-T^-1 e, T^-T e) of e . v, since dv = T^-1 dth_B - T^-T dth_A for the rotation vector v."""
    x = cross(v, e)
    even = plus(e, _inverse_tangent(dot(v, v))[0], cross(v, x))
    return plus(scaled(-1.0, even), -0.5, x), plus(even, -0.5, x)


@kernel
def vector_hessian(e: Vector, v: Vector) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Derivative of the gradient: by v, and of v by the increments."""
    f, g = _inverse_tangent(dot(v, v))
    V = skew(v)
    odd = skew(scaled(0.5, e))
    even = mixed(f, mixed(1.0, outer(v, e), -2.0, outer(e, v)), f * dot(v, e), IDENTITY)
    even = mixed(1.0, even, g, outer(cross(v, cross(v, e)), v))
    ga, gb = mixed(-1.0, even, 1.0, odd), mixed(1.0, even, 1.0, odd)
    vb = mixed(1.0, mixed(1.0, IDENTITY, 0.5, V), f, product(V, V))
    va = negative(transposed(vb))
    return product(ga, va), product(ga, vb), product(gb, va), product(gb, vb)


@kernel
def _inverse_tangent(x: float) -> tuple[float, float]:
    """f and 2 df/dx in T^-1 = I + v~/2 + f v~^2, x = |v|^2: f = (1 - (|v|/2) cot(|v|/2)) / x."""
    if x < 1.0:  # coefficients |B_2n| / (2n)!; the closed form would lose ten digits at |v| = 0.03
        f = 3617.0 / 10670622842880000.0
        f = 1.0 / 74724249600.0 + x * f
        f = 691.0 / 1307674368000.0 + x * f
        f = 1.0 / 47900160.0 + x * f
        f = 1.0 / 1209600.0 + x * f
        f = 1.0 / 30240.0 + x * f
        f = 1.0 / 720.0 + x * f
        g = 7.0 * 3617.0 / 10670622842880000.0
        g = 6.0 / 74724249600.0 + x * g
        g = 5.0 * 691.0 / 1307674368000.0 + x * g
        g = 4.0 / 47900160.0 + x * g
        g = 3.0 / 1209600.0 + x * g
        g = 2.0 / 30240.0 + x * g
        g = 1.0 / 720.0 + x * g
        return 1.0 / 12.0 + x * f, 2.0 * g
    v = math.sqrt(x)
    s, c = math.sin(0.5 * v), math.cos(0.5 * v)
    return (1.0 - 0.5 * v * c / s) / x, (-2.0 / x + 0.5 * c / (s * v) + 0.25 / (s * s)) / x


@inlined
def _angle_row(near: float, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector, Vector]:
    ga, gb = angle_gradient(A, B)
    return angle(near, A, B), ZERO, ga, gb


@inlined
def _vector(e: Vector, A: Matrix, B: Matrix) -> float:
    return dot(e, rotation_vector(A, B))


@inlined
def _vector_blocks(e: Vector, A: Matrix, B: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    return vector_hessian(e, rotation_vector(A, B))


@inlined
def _vector_row(e: Vector, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector, Vector]:
    v = rotation_vector(A, B)
    ga, gb = vector_gradient(e, v)
    return dot(e, v), ZERO, ga, gb


@kernel
def _angle_change(A0: Matrix, B0: Matrix, A1: Matrix, B1: Matrix, S: FloatArray) -> None:
    """With D = w0 u1 - u0 w1 and E = w0 w1 + u0 u1 (so D = r sin x, E = r cos x) and s = f(x) / r."""
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
    set_gradient(S, 12, ZERO, scaled(s, m), scaled(-s, m))
    end = combination(w1 / n2, u_1, -u1 / n2, w_1)
    set_gradient(S, 13, ZERO, end, scaled(-1.0, end))
    H = mixed(1.0, outer(m, s_1), 1.0, mixed(0.5 * s, outer(mu, w_1), -0.5 * s, outer(mw, u_1)))
    add_block(S, 3, 3, 1.0, H)
    add_block(S, 3, 9, -1.0, H)
    add_block(S, 9, 3, -1.0, H)
    add_block(S, 9, 9, 1.0, H)
    add_turn(S, s * W, ya, xb, ya1, xb1)
    add_turn(S, -s * W, xa, yb, xa1, yb1)
    add_turn(S, -s * U, xa, xb, xa1, xb1)
    add_turn(S, -s * U, ya, yb, ya1, yb1)


KINDS = (
    RowKind(
        number=ANGLE, name="ANGLE", unit="angle", uses=("all", "all"), normal="",
        value=angle, gradient=_angle_row, hessian=angle_hessian, change=_angle_change,
        counts_turns=True, coordinate=("angle", ()),
    ),
    RowKind(
        number=VECTOR, name="VECTOR", unit="angle", uses=("all", "all"), normal="",
        value=_vector, gradient=_vector_row, hessian=_vector_blocks,
    ),
)  # fmt: skip
