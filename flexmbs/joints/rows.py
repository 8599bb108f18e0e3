"""Rows: scalar functions of the poses of two markers with exact first and second derivatives.

Joints set them to zero, drivers to a function of time, springs, stops and sensors use their value and rate. With
positions ``p`` and orientations ``R`` of the markers A (number ``i``) and B (``k``)::

    d = p_B - p_A        del = R_A^T d        C = R_A^T R_B

========== ======================================= ==========================================
kind       value                                   constants ``c``
========== ======================================= ==========================================
INERTIAL   e . d                                   e = c[0:3], inertial axes
ALONG      e . del                                 e = c[0:3], axes of A
ORTHOGONAL a . C b                                 a = c[0:3] axes of A, b = c[3:6] axes of B
DISTANCE   length of d
ANGLE      angle of B about z_A, over all turns
VECTOR     e . (rotation vector of C)              e = c[0:3], axes of A (the same as of B)
========== ======================================= ==========================================

ANGLE is the twist 2 atan2(q_3, q_0) of the quaternion of C = atan2(C_10 - C_01, C_00 + C_11): the rotation of B about
the common z axis, where the axes differ the rotation that is left after turning z_A into z_B the shortest way. Swapping
the sides changes its sign. It is not defined where z_B = -z_A. Of all values 2 pi apart the one within pi of the
reference ``near[j]`` (its value at the last accepted step) is taken.

VECTOR is the part of the rotation vector (axis times angle in [0, pi], which has the same components in A and in B)
along e; it jumps at half a turn. DISTANCE has no gradient where d = 0: it becomes NaN there.

The gradient is with respect to the increments (dp_A, dth_A, dp_B, dth_B): positions in inertial axes, rotations in the
marker's own axes, ``R <- R exp(dth~)``. So the rate of a row is its gradient times the twists of both markers, and
-lam times the gradient are the wrenches (inertial force, moment in the marker's own axes) it exerts with the multiplier
lam. The Hessian is the derivative of the gradient with respect to the same increments, made again at every pose; its
(dth, dth) blocks are not symmetric.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.joints.matrices import (
    IDENTITY,
    Matrix,
    Vector,
    add_block,
    cross,
    dot,
    mixed,
    outer,
    plus,
    product,
    rotation,
    scaled,
    skew,
    to_marker,
    to_world,
    transposed,
)

__all__ = [
    "ALONG",
    "ANGLE",
    "DISTANCE",
    "INERTIAL",
    "ORTHOGONAL",
    "VECTOR",
    "row_gradient",
    "row_hessian",
    "row_value",
]

INERTIAL = 0
ALONG = 1
ORTHOGONAL = 2
DISTANCE = 3
ANGLE = 4
VECTOR = 5

E3: Vector = (0.0, 0.0, 1.0)
TURN = 2.0 * math.pi


@kernel
def row_value(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray
) -> float:
    """Value of row j between the markers i (A) and k (B); NaN for an unknown kind.

    Parameters
    ----------
    kind : int
        One of the constants of this module.
    j : int
        Row of ``c`` and ``near``.
    c : (n, 12) array
        Constants, as the kind has them.
    near : (n,) array
        References of unwrapped angles.
    i, k : int
        Markers A and B.
    p, R : (n_m, 3) and (n_m, 3, 3) arrays
        Positions and orientations of all markers.
    """
    if kind == INERTIAL:
        return dot(_e(c, j), _d(p, i, k))
    if kind == ALONG:
        return dot(to_world(R, i, _e(c, j)), _d(p, i, k))
    if kind == ORTHOGONAL:
        return dot(to_world(R, i, _e(c, j)), to_world(R, k, _b(c, j)))
    if kind == DISTANCE:
        d = _d(p, i, k)
        return math.sqrt(dot(d, d))
    if kind == ANGLE:
        return _angle(near[j], i, k, R)
    if kind == VECTOR:
        return dot(_e(c, j), _rotation_vector(i, k, R))
    return math.nan


@kernel
def row_gradient(
    kind: int,
    j: int,
    c: FloatArray,
    near: FloatArray,
    i: int,
    k: int,
    p: FloatArray,
    R: FloatArray,
    G: FloatArray,
    m: int,
) -> float:
    """Value of a row as `row_value` gives it; its gradient (12,) overwrites ``G[m]``."""
    if kind == ORTHOGONAL:
        a, b = _e(c, j), _b(c, j)
        wa, wb = to_world(R, i, a), to_world(R, k, b)
        _put(G, m, (0.0, 0.0, 0.0), cross(a, to_marker(R, i, wb)), cross(b, to_marker(R, k, wa)))
        return dot(wa, wb)
    if kind == INERTIAL:
        e = _e(c, j)
        _put(G, m, e, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        return dot(e, _d(p, i, k))
    if kind == ALONG:
        e, d = _e(c, j), _d(p, i, k)
        n = to_world(R, i, e)
        _put(G, m, n, cross(e, to_marker(R, i, d)), (0.0, 0.0, 0.0))
        return dot(n, d)
    if kind == DISTANCE:
        d = _d(p, i, k)
        length = math.sqrt(dot(d, d))
        _put(G, m, scaled(1.0 / length, d), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        return length
    if kind == ANGLE:
        u, w = _third(R, k, i), _third(R, i, k)
        n = 1.0 + u[2]
        _put(G, m, (0.0, 0.0, 0.0), scaled(-1.0 / n, plus(w, 1.0, E3)), scaled(1.0 / n, plus(u, 1.0, E3)))
        return _angle(near[j], i, k, R)
    if kind == VECTOR:
        e, v = _e(c, j), _rotation_vector(i, k, R)
        vxe = cross(v, e)
        even = plus(e, _inverse_tangent(dot(v, v))[0], cross(v, vxe))
        _put(G, m, (0.0, 0.0, 0.0), plus(scaled(-1.0, even), -0.5, vxe), plus(even, -0.5, vxe))
        return dot(e, v)
    _put(G, m, (math.nan, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return math.nan


@kernel
def row_hessian(
    kind: int,
    j: int,
    c: FloatArray,
    near: FloatArray,
    i: int,
    k: int,
    p: FloatArray,
    R: FloatArray,
    factor: float,
    H: FloatArray,
) -> None:
    """Add ``factor`` times the Hessian (12, 12) of a row to ``H``: entry (component of the gradient, increment)."""
    if kind == ALONG:
        _along_hessian(_e(c, j), factor, i, k, p, R, H)
    elif kind == ORTHOGONAL:
        _orthogonal_hessian(_e(c, j), _b(c, j), factor, i, k, R, H)
    elif kind == DISTANCE:
        d = _d(p, i, k)
        length = math.sqrt(dot(d, d))
        n = scaled(1.0 / length, d)
        A = mixed(1.0 / length, IDENTITY, -1.0 / length, outer(n, n))
        add_block(H, 0, 0, factor, A)
        add_block(H, 0, 6, -factor, A)
        add_block(H, 6, 0, -factor, A)
        add_block(H, 6, 6, factor, A)
    elif kind == ANGLE:
        _angle_hessian(factor, i, k, R, H)
    elif kind == VECTOR:
        _vector_hessian(_e(c, j), factor, i, k, R, H)


@kernel
def _e(c: FloatArray, j: int) -> Vector:
    """First vector of the constants."""
    return c[j, 0], c[j, 1], c[j, 2]


@kernel
def _b(c: FloatArray, j: int) -> Vector:
    """Second vector of the constants."""
    return c[j, 3], c[j, 4], c[j, 5]


@kernel
def _d(p: FloatArray, i: int, k: int) -> Vector:
    """p_B - p_A."""
    return p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2]


@kernel
def _put(G: FloatArray, m: int, n: Vector, a: Vector, b: Vector) -> None:
    """Write the gradient (-n, a, n, b)."""
    G[m, 0], G[m, 1], G[m, 2] = -n[0], -n[1], -n[2]
    G[m, 3], G[m, 4], G[m, 5] = a
    G[m, 6], G[m, 7], G[m, 8] = n
    G[m, 9], G[m, 10], G[m, 11] = b


@kernel
def _third(R: FloatArray, i: int, k: int) -> Vector:
    """R_i^T z_k: the third axis of marker k in the axes of marker i."""
    return to_marker(R, i, (R[k, 0, 2], R[k, 1, 2], R[k, 2, 2]))


@kernel
def _relative(R: FloatArray, i: int, k: int) -> Matrix:
    """C = R_A^T R_B."""
    return product(transposed(rotation(R, i)), rotation(R, k))


@kernel
def _angle(near: float, i: int, k: int, R: FloatArray) -> float:
    """The angle of B about z_A, within half a turn of ``near``."""
    c00 = R[i, 0, 0] * R[k, 0, 0] + R[i, 1, 0] * R[k, 1, 0] + R[i, 2, 0] * R[k, 2, 0]
    c01 = R[i, 0, 0] * R[k, 0, 1] + R[i, 1, 0] * R[k, 1, 1] + R[i, 2, 0] * R[k, 2, 1]
    c10 = R[i, 0, 1] * R[k, 0, 0] + R[i, 1, 1] * R[k, 1, 0] + R[i, 2, 1] * R[k, 2, 0]
    c11 = R[i, 0, 1] * R[k, 0, 1] + R[i, 1, 1] * R[k, 1, 1] + R[i, 2, 1] * R[k, 2, 1]
    angle = math.atan2(c10 - c01, c00 + c11)
    return angle + TURN * math.floor((near - angle) / TURN + 0.5)


@kernel
def _rotation_vector(i: int, k: int, R: FloatArray) -> Vector:
    """The logarithm of C, by way of the quaternion whose largest component is found first."""
    C = _relative(R, i, k)
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
def _inverse_tangent(x: float) -> tuple[float, float]:
    """f and 2 df/dx of T^-1 = I + v~/2 + f v~^2, where x = |v|^2: f = (1 - (|v|/2) cot(|v|/2)) / x."""
    if x < 1.0:  # the coefficients are |B_2n| / (2n)!; the closed form loses ten digits at |v| = 0.03
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


@kernel
def _along_hessian(e: Vector, factor: float, i: int, k: int, p: FloatArray, R: FloatArray, H: FloatArray) -> None:
    """Of e . del."""
    E = skew(e)
    A = product(rotation(R, i), E)
    add_block(H, 0, 3, factor, A)
    add_block(H, 6, 3, -factor, A)
    A = transposed(A)  # -e~ R_A^T
    add_block(H, 3, 0, factor, A)
    add_block(H, 3, 6, -factor, A)
    add_block(H, 3, 3, factor, product(E, skew(to_marker(R, i, _d(p, i, k)))))


@kernel
def _orthogonal_hessian(a: Vector, b: Vector, factor: float, i: int, k: int, R: FloatArray, H: FloatArray) -> None:
    """Of a . C b."""
    A, B = skew(a), skew(b)
    add_block(H, 3, 3, factor, product(A, skew(to_marker(R, i, to_world(R, k, b)))))
    add_block(H, 9, 9, factor, product(B, skew(to_marker(R, k, to_world(R, i, a)))))
    coupling = product(A, product(_relative(R, i, k), B))
    add_block(H, 3, 9, -factor, coupling)
    add_block(H, 9, 3, -factor, transposed(coupling))


@kernel
def _angle_hessian(factor: float, i: int, k: int, R: FloatArray, H: FloatArray) -> None:
    """Of the angle: its gradient is (-(z + w)/n, (z + u)/n) with u = C^T z, w = C z, n = 1 + z.C z."""
    u, w = _third(R, k, i), _third(R, i, k)
    n = 1.0 + u[2]
    f = factor / n
    ga, gb = scaled(-1.0 / n, plus(w, 1.0, E3)), scaled(1.0 / n, plus(u, 1.0, E3))
    ha, hb = cross(E3, w), cross(E3, u)  # gradient of n
    CZ = product(_relative(R, i, k), skew(E3))
    add_block(H, 3, 3, -f, mixed(1.0, skew(w), 1.0, outer(ga, ha)))
    add_block(H, 3, 9, f, mixed(1.0, CZ, -1.0, outer(ga, hb)))
    ZC = product(transposed(_relative(R, i, k)), skew(E3))
    add_block(H, 9, 3, -f, mixed(1.0, ZC, 1.0, outer(gb, ha)))
    add_block(H, 9, 9, f, mixed(1.0, skew(u), -1.0, outer(gb, hb)))


@kernel
def _vector_hessian(e: Vector, factor: float, i: int, k: int, R: FloatArray, H: FloatArray) -> None:
    """Of e . v, v the rotation vector: dv = T^-1 dth_B - T^-T dth_A, gradient (-T^-1 e, T^-T e)."""
    v = _rotation_vector(i, k, R)
    x = dot(v, v)
    f, g = _inverse_tangent(x)
    V = skew(v)
    odd = mixed(0.5, skew(e), 0.0, V)
    m = cross(v, cross(v, e))
    even = mixed(f, mixed(1.0, outer(v, e), -2.0, outer(e, v)), f * dot(v, e), IDENTITY)
    even = mixed(1.0, even, g, outer(m, v))  # even and odd part of the derivative of T^-T e by v
    inverse = mixed(1.0, mixed(1.0, IDENTITY, 0.5, V), f, product(V, V))
    a, b = mixed(-1.0, even, 1.0, odd), mixed(1.0, even, 1.0, odd)
    add_block(H, 3, 3, -factor, product(a, transposed(inverse)))
    add_block(H, 3, 9, factor, product(a, inverse))
    add_block(H, 9, 3, -factor, product(b, transposed(inverse)))
    add_block(H, 9, 9, factor, product(b, inverse))
