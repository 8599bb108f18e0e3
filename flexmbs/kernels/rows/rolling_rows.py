"""The rows of rolling: a thin disk, or a ball, on the plane z = 0 of marker A.

The disk is marker B: its centre, and its axis w = C z in the axes of A. With n = z the normal of the plane and
s = sqrt(1 - w_z^2) the sine of the angle between the axis and the normal::

    u = (w w_z - n) / s        from the centre down to the lowest point, unit vector in the plane of the disk
    height  = del_z - radius s
    slip    = e . (velocity of the material point of B at the lowest point - that of A there), in the axes of A

A disk that lies flat (s = 0) has no lowest point: the rows become NaN. Contacts, which also know of what has not
touched yet, take one of its points then (`tilted`). Of a ball u = -n. Gradients are with respect to (dth_A, dth_B),
Hessians the blocks (th_A, th_A), (th_A, th_B), (th_B, th_A), (th_B, th_B); what the translations add is that of the row
ALONG.
"""

from __future__ import annotations

import math

from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import (
    IDENTITY,
    NULL,
    Matrix,
    Vector,
    applied,
    applied_back,
    back_product,
    cross,
    mixed,
    outer,
    plus,
    product,
    scaled,
    skew,
    times,
    transposed,
)
from flexmbs.kernels.rows.kind import RowKind

__all__ = [
    "BALL_SLIP",
    "HEIGHT",
    "KINDS",
    "SLIP",
    "ball_slip_gradient",
    "ball_slip_hessian",
    "height",
    "height_gradient",
    "height_hessian",
    "slip_gradient",
    "slip_hessian",
    "tilted",
]

HEIGHT = 6
SLIP = 7
BALL_SLIP = 8
FLAT = 1e-12
"""Sine of the angle between the axis of a disk and the normal below which any point of a rim is its lowest."""
Z: Vector = (0.0, 0.0, 1.0)


@kernel
def tilted(A: Matrix, B: Matrix) -> Matrix:
    """The axes of a disk, its axis inclined by `FLAT` where it lies flat."""
    w = applied_back(A, (B[2], B[5], B[8]))
    if w[0] * w[0] + w[1] * w[1] >= FLAT * FLAT:
        return B
    return (
        B[0], B[1], B[2] + FLAT * A[0],
        B[3], B[4], B[5] + FLAT * A[3],
        B[6], B[7], B[8] + FLAT * A[6],
    )  # fmt: skip


@kernel
def height(radius: float, delta: Vector, A: Matrix, B: Matrix) -> float:
    """Height of the lowest point above the plane."""
    w = applied_back(A, (B[2], B[5], B[8]))
    return delta[2] - radius * math.sqrt(w[0] * w[0] + w[1] * w[1])


@kernel
def height_gradient(radius: float, delta: Vector, A: Matrix, B: Matrix) -> tuple[Vector, Vector]:
    """Gradient by the rotations; by the translations it is that of del_z."""
    w, a = applied_back(A, (B[2], B[5], B[8])), applied_back(B, (A[2], A[5], A[8]))
    f = radius * w[2] / math.sqrt(w[0] * w[0] + w[1] * w[1])
    return plus(cross(Z, delta), f, cross(Z, w)), scaled(f, cross(Z, a))


@kernel
def height_hessian(radius: float, A: Matrix, B: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """What the disk adds to the Hessian of del_z: radius w_z/s d2w_z + radius/s^3 dw_z dw_z^T."""
    w, a = applied_back(A, (B[2], B[5], B[8])), applied_back(B, (A[2], A[5], A[8]))
    s = math.sqrt(w[0] * w[0] + w[1] * w[1])
    f, h = radius * w[2] / s, radius / (s * s * s)
    wa, wb, z = cross(Z, w), cross(Z, a), skew(Z)  # gradient of w_z
    coupling = product(z, product(back_product(A, B), z))
    return (
        mixed(f, product(z, skew(w)), h, outer(wa, wa)),
        mixed(-f, coupling, h, outer(wa, wb)),
        mixed(-f, transposed(coupling), h, outer(wb, wa)),
        mixed(f, product(z, skew(a)), h, outer(wb, wb)),
    )


@kernel
def slip_gradient(radius: float, e: Vector, delta: Vector, A: Matrix, B: Matrix) -> tuple[Vector, Vector]:
    """The row of the slip velocity by the angular velocities: e x (del + radius u), radius C^T (u x e)."""
    w = applied_back(A, (B[2], B[5], B[8]))
    return _arm_gradient(radius, e, _down(w), delta, A, B)


@kernel
def slip_hessian(
    radius: float, e: Vector, delta: Vector, A: Matrix, B: Matrix
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Derivative of the row, with du = P dw and dw = w~ dth_A - C z~ dth_B."""
    w = applied_back(A, (B[2], B[5], B[8]))
    s, u = math.sqrt(w[0] * w[0] + w[1] * w[1]), _down(w)
    P = mixed(w[2] / s, IDENTITY, 1.0 / s, outer(plus(w, w[2] / s, u), Z))
    C, E = back_product(A, B), skew(e)
    ua, ub = product(P, skew(w)), product(P, product(C, skew(Z)))  # du = ua dth_A - ub dth_B
    y = cross(u, e)
    return (
        product(E, mixed(1.0, skew(delta), radius, ua)),
        times(-radius, product(E, ub)),
        mixed(-radius, back_product(C, skew(y)), -radius, back_product(C, product(E, ua))),
        mixed(radius, skew(applied_back(C, y)), radius, back_product(C, product(E, ub))),
    )


@kernel
def ball_slip_gradient(radius: float, e: Vector, delta: Vector, A: Matrix, B: Matrix) -> tuple[Vector, Vector]:
    """The row of the slip velocity of a ball by the angular velocities."""
    return _arm_gradient(radius, e, (0.0, 0.0, -1.0), delta, A, B)


@kernel
def ball_slip_hessian(
    radius: float, e: Vector, delta: Vector, A: Matrix, B: Matrix
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Derivative of the row of a ball."""
    C, y = back_product(A, B), cross(e, Z)
    return (
        product(skew(e), skew(delta)),
        NULL,
        times(-radius, back_product(C, skew(y))),
        times(radius, skew(applied_back(C, y))),
    )


@kernel
def _down(w: Vector) -> Vector:
    """From the centre of the disk towards its lowest point."""
    s = math.sqrt(w[0] * w[0] + w[1] * w[1])
    return w[0] * w[2] / s, w[1] * w[2] / s, -s


@kernel
def _arm_gradient(radius: float, e: Vector, u: Vector, delta: Vector, A: Matrix, B: Matrix) -> tuple[Vector, Vector]:
    """e x (del + radius u) and radius C^T (u x e)."""
    return cross(e, plus(delta, radius, u)), applied_back(back_product(A, B), scaled(radius, cross(u, e)))


@inlined
def _height_row(radius: float, delta: Vector, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector, Vector]:
    ga, gb = height_gradient(radius, delta, A, B)
    return height(radius, delta, A, B), applied(A, Z), ga, gb


@inlined
def _height_blocks(radius: float, delta: Vector, A: Matrix, B: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    aa, ab, ba, bb = height_hessian(radius, A, B)
    return mixed(1.0, product(skew(Z), skew(delta)), 1.0, aa), ab, ba, bb


@inlined
def _slip_row(radius: float, e: Vector, delta: Vector, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector, Vector]:
    ga, gb = slip_gradient(radius, e, delta, A, B)
    return 0.0, applied(A, e), ga, gb


@inlined
def _ball_slip_row(
    radius: float, e: Vector, delta: Vector, A: Matrix, B: Matrix
) -> tuple[float, Vector, Vector, Vector]:
    ga, gb = ball_slip_gradient(radius, e, delta, A, B)
    return 0.0, applied(A, e), ga, gb


KINDS = (
    RowKind(
        number=HEIGHT, name="HEIGHT", unit="length", uses=("z", "z"), normal="z",
        value=height, gradient=_height_row, hessian=_height_blocks,
    ),
    RowKind(
        number=SLIP, name="SLIP", unit="velocity", uses=("all", "all"), normal="first", velocity_only=True,
        gradient=_slip_row, hessian=slip_hessian,
    ),
    RowKind(
        number=BALL_SLIP, name="BALL_SLIP", unit="velocity", uses=("all", "all"), normal="first", velocity_only=True,
        gradient=_ball_slip_row, hessian=ball_slip_hessian,
    ),
)  # fmt: skip
