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
HEIGHT     lowest point of disk B above plane A    radius = c[6]
SLIP       velocity row of a rolling disk along e  e = c[0:3], axes of A, in the plane; radius = c[6]
BALL_SLIP  velocity row of a rolling ball along e  e = c[0:3], axes of A, in the plane; radius = c[6]
SWING      e . (tilt of the axis n of B against A) e = c[0:3], n = c[3:6], axes of A and of B; e . n = 0
========== ======================================= ==========================================

ANGLE is the twist 2 atan2(q_3, q_0) of the quaternion of C = atan2(C_10 - C_01, C_00 + C_11): the rotation of B about
the common z axis, where the axes differ the rotation that is left after turning z_A into z_B the shortest way. Swapping
the sides changes its sign. It is not defined where z_B = -z_A. Of all values 2 pi apart the one within pi of the
reference ``near[j]`` (its value at the last accepted step) is taken.

VECTOR is the part of the rotation vector (axis times angle in [0, pi], which has the same components in A and in B)
along e; it jumps at half a turn. SWING is the part of a tilt that does not depend on the turn about the axis
(`flexmbs.kernels.rows.swing_rows`). DISTANCE has no gradient where d = 0: it becomes NaN there.

HEIGHT, SLIP and BALL_SLIP are told in `flexmbs.kernels.rows.rolling_rows`. The last two exist as velocities only: their
"gradient" is the row that gives the slip velocity from the twists, their value is 0.

The gradient is with respect to the increments (dp_A, dth_A, dp_B, dth_B): positions in inertial axes, rotations in the
marker's own axes, ``R <- R exp(dth~)``. So the rate of a row is its gradient times the twists of both markers, and
-lam times the gradient are the wrenches (inertial force, moment in the marker's own axes) it exerts with the multiplier
lam. The Hessian is the derivative of the gradient with respect to the same increments, made again at every pose; its
(dth, dth) blocks are not symmetric.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import (
    IDENTITY,
    NULL,
    Matrix,
    Vector,
    add_block,
    applied,
    applied_back,
    back_product,
    cross,
    dot,
    mixed,
    negative,
    outer,
    product,
    rotation,
    scaled,
    skew,
    transposed,
)
from flexmbs.kernels.rows.angle_rows import (
    angle,
    angle_gradient,
    angle_hessian,
    rotation_vector,
    vector_gradient,
    vector_hessian,
)
from flexmbs.kernels.rows.rolling_rows import (
    ball_slip_gradient,
    ball_slip_hessian,
    height,
    height_gradient,
    height_hessian,
    slip_gradient,
    slip_hessian,
)
from flexmbs.kernels.rows.swing_rows import swing, swing_gradient, swing_hessian

__all__ = [
    "ALONG",
    "ANGLE",
    "BALL_SLIP",
    "DISTANCE",
    "HEIGHT",
    "INERTIAL",
    "ORTHOGONAL",
    "SLIP",
    "SWING",
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
HEIGHT = 6
SLIP = 7
BALL_SLIP = 8
SWING = 9

Z: Vector = (0.0, 0.0, 1.0)
ZERO: Vector = (0.0, 0.0, 0.0)
UNKNOWN: Vector = (math.nan, math.nan, math.nan)


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
    return _value(kind, near[j], _first(c, j), _second(c, j), c[j, 6], _d(p, i, k), rotation(R, i), rotation(R, k))


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
    value, n, a, b = _gradient(
        kind, near[j], _first(c, j), _second(c, j), c[j, 6], _d(p, i, k), rotation(R, i), rotation(R, k)
    )
    G[m, 0], G[m, 1], G[m, 2] = -n[0], -n[1], -n[2]
    G[m, 3], G[m, 4], G[m, 5] = a[0], a[1], a[2]
    G[m, 6], G[m, 7], G[m, 8] = n[0], n[1], n[2]
    G[m, 9], G[m, 10], G[m, 11] = b[0], b[1], b[2]
    return value


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
    e, radius, d, A, B = _first(c, j), c[j, 6], _d(p, i, k), rotation(R, i), rotation(R, k)
    if kind in (ALONG, HEIGHT, SLIP, BALL_SLIP):
        E = skew(e if kind != HEIGHT else Z)
        AE = product(A, E)
        add_block(H, 0, 3, factor, AE)
        add_block(H, 6, 3, -factor, AE)
        AE = transposed(AE)
        add_block(H, 3, 0, factor, AE)
        add_block(H, 3, 6, -factor, AE)
    if kind == DISTANCE:
        length = math.sqrt(dot(d, d))
        n = scaled(1.0 / length, d)
        N = mixed(1.0 / length, IDENTITY, -1.0 / length, outer(n, n))
        add_block(H, 0, 0, factor, N)
        add_block(H, 0, 6, -factor, N)
        add_block(H, 6, 0, -factor, N)
        add_block(H, 6, 6, factor, N)
    elif kind != INERTIAL:
        aa, ab, ba, bb = _rotation_hessian(kind, e, _second(c, j), radius, d, A, B)
        add_block(H, 3, 3, factor, aa)
        add_block(H, 3, 9, factor, ab)
        add_block(H, 9, 3, factor, ba)
        add_block(H, 9, 9, factor, bb)


@kernel
def _first(c: FloatArray, j: int) -> Vector:
    """First vector of the constants."""
    return c[j, 0], c[j, 1], c[j, 2]


@kernel
def _second(c: FloatArray, j: int) -> Vector:
    """Second vector of the constants."""
    return c[j, 3], c[j, 4], c[j, 5]


@kernel
def _d(p: FloatArray, i: int, k: int) -> Vector:
    """p_B - p_A."""
    return p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2]


@inlined
def _value(kind: int, near: float, e: Vector, b: Vector, radius: float, d: Vector, A: Matrix, B: Matrix) -> float:
    """Value of a row."""
    if kind == INERTIAL:
        return dot(e, d)
    if kind == ALONG:
        return dot(applied(A, e), d)
    if kind == ORTHOGONAL:
        return dot(applied(A, e), applied(B, b))
    if kind == DISTANCE:
        return math.sqrt(dot(d, d))
    if kind == ANGLE:
        return angle(near, A, B)
    if kind == VECTOR:
        return dot(e, rotation_vector(A, B))
    if kind == SWING:
        return swing(e, b, A, B)
    if kind == HEIGHT:
        return height(radius, applied_back(A, d), A, B)
    return 0.0 if kind in (SLIP, BALL_SLIP) else math.nan


@inlined
def _gradient(
    kind: int, near: float, e: Vector, b: Vector, radius: float, d: Vector, A: Matrix, B: Matrix
) -> tuple[float, Vector, Vector, Vector]:
    """Value and gradient (-n, a, n, b) of a row as (value, n, a, b)."""
    if kind == INERTIAL:
        return dot(e, d), e, ZERO, ZERO
    if kind == ALONG:
        delta = applied_back(A, d)
        return dot(e, delta), applied(A, e), cross(e, delta), ZERO
    if kind == ORTHOGONAL:
        wa, wb = applied(A, e), applied(B, b)
        return dot(wa, wb), ZERO, cross(e, applied_back(A, wb)), cross(b, applied_back(B, wa))
    if kind == DISTANCE:
        length = math.sqrt(dot(d, d))
        return length, scaled(1.0 / length, d), ZERO, ZERO
    if kind == ANGLE:
        ga, gb = angle_gradient(A, B)
        return angle(near, A, B), ZERO, ga, gb
    if kind == VECTOR:
        v = rotation_vector(A, B)
        ga, gb = vector_gradient(e, v)
        return dot(e, v), ZERO, ga, gb
    if kind == SWING:
        tilt, ga, gb = swing_gradient(e, b, A, B)
        return tilt, ZERO, ga, gb
    delta = applied_back(A, d)
    if kind == HEIGHT:
        ga, gb = height_gradient(radius, delta, A, B)
        return height(radius, delta, A, B), applied(A, Z), ga, gb
    if kind == SLIP:
        ga, gb = slip_gradient(radius, e, delta, A, B)
        return 0.0, applied(A, e), ga, gb
    if kind == BALL_SLIP:
        ga, gb = ball_slip_gradient(radius, e, delta, A, B)
        return 0.0, applied(A, e), ga, gb
    return math.nan, UNKNOWN, UNKNOWN, UNKNOWN


@kernel
def _rotation_hessian(
    kind: int, e: Vector, b: Vector, radius: float, d: Vector, A: Matrix, B: Matrix
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Blocks (th_A, th_A), (th_A, th_B), (th_B, th_A), (th_B, th_B) of the Hessian of a row."""
    delta = applied_back(A, d)
    if kind == ORTHOGONAL:
        ea, eb = skew(e), skew(b)
        coupling = product(ea, product(back_product(A, B), eb))
        aa = product(ea, skew(applied_back(A, applied(B, b))))
        bb = product(eb, skew(applied_back(B, applied(A, e))))
        return aa, negative(coupling), negative(transposed(coupling)), bb
    if kind == ANGLE:
        return angle_hessian(A, B)
    if kind == VECTOR:
        return vector_hessian(e, rotation_vector(A, B))
    if kind == SWING:
        return swing_hessian(e, b, A, B)
    if kind == HEIGHT:
        aa, ab, ba, bb = height_hessian(radius, A, B)
        return mixed(1.0, product(skew(Z), skew(delta)), 1.0, aa), ab, ba, bb
    if kind == SLIP:
        return slip_hessian(radius, e, delta, A, B)
    if kind == BALL_SLIP:
        return ball_slip_hessian(radius, e, delta, A, B)
    return product(skew(e), skew(delta)), NULL, NULL, NULL
