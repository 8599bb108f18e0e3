r"""Rows of contact with round shapes: the gap between a shape A and a ball B, and the velocity with which B slips.

The shape lies at the marker A, with a signed distance of gradient n and derivative H (`flexmbs.kernels.distances`); the
ball of radius r (0: a point) is marker B. With del = A^T (p_B - p_A), all in the axes of A::

    gap     distance(del) - r
    slip    e . (I - n n^T) (velocity of the material of B at del - r n - that of A there)

With the part tau of e in the tangent plane, y = n x e and the relative angular velocity, the slip is
tau . d(del)/dt + ... = the row (-A tau, tau x del + r y, A tau, -r C^T y) of the twists. Its derivative follows from
d tau = T d(del), T = -(n . e) H - n e^T H, and dy = -e~ H d(del): the wandering of the contact point is in it.

The three rows for e = x, y, z of A describe the slip without a tangent frame, which no sphere has everywhere. On planes
the rows ALONG and BALL_SLIP say the same.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import (
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
    outer,
    plus,
    product,
    scaled,
    skew,
    times,
    transposed,
)
from flexmbs.kernels.distances import (
    Distance,
    box_distance,
    capsule_distance,
    cylinder_distance,
    ring_distance,
    sphere_distance,
    tangential,
)
from flexmbs.kernels.rows.kind import RowKind

__all__ = [
    "BOX_GAP",
    "BOX_SLIP",
    "CAPSULE_GAP",
    "CAPSULE_SLIP",
    "CYLINDER_GAP",
    "CYLINDER_SLIP",
    "KINDS",
    "RING_GAP",
    "RING_SLIP",
    "SPHERE_GAP",
    "SPHERE_SLIP",
    "Row",
    "add_gap",
    "add_slip",
    "gap_row",
    "slip_row",
]  # fmt: skip

SPHERE_GAP, SPHERE_SLIP = 10, 11
CYLINDER_GAP, CYLINDER_SLIP = 12, 13
CAPSULE_GAP, CAPSULE_SLIP = 14, 15
BOX_GAP, BOX_SLIP = 16, 17
RING_GAP, RING_SLIP = 18, 19

ZERO: Vector = (0.0, 0.0, 0.0)
Row = tuple[float, Vector, Vector, Vector]


@kernel
def gap_row(found: Distance, radius: float, delta: Vector, A: Matrix) -> Row:
    """Value and gradient of a gap."""
    phi, n, _ = found
    return phi - radius, applied(A, n), cross(n, delta), ZERO


@kernel
def slip_row(found: Distance, e: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    """The row of a slip velocity."""
    _, n, _ = found
    tau, y = tangential(n, e), cross(n, e)
    b = applied_back(back_product(A, B), scaled(-radius, y))
    return 0.0, applied(A, tau), plus(cross(tau, delta), radius, y), b


@kernel
def add_gap(found: Distance, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    """The Hessian of a gap."""
    _, n, curvature = found
    _add_field(n, curvature, NULL, delta, A, factor, H)


@kernel
def add_slip(
    found: Distance, e: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    """The derivative of the row of a slip velocity."""
    _, n, curvature = found
    along = dot(n, e)
    # e^T H as a vector: H is symmetric
    T = mixed(-along, curvature, -1.0, outer(n, applied(curvature, e)))
    Y = times(-1.0, product(skew(e), curvature))
    _add_field(tangential(n, e), T, times(radius, Y), delta, A, factor, H)
    # b = -r C^T y: db = -r (C^T dy + (C^T y)~ dth_B - C^T y~ dth_A), dy = Y d(del)
    C, y = back_product(A, B), cross(n, e)
    CY = back_product(C, Y)
    through = product(CY, transposed(A))
    add_block(H, 9, 0, factor * radius, through)
    add_block(H, 9, 6, -factor * radius, through)
    add_block(H, 9, 3, -factor * radius, mixed(1.0, product(CY, skew(delta)), -1.0, back_product(C, skew(y))))
    add_block(H, 9, 9, -factor * radius, skew(applied_back(C, y)))


@kernel
def _add_field(tau: Vector, T: Matrix, Y: Matrix, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    """What the rows (-A tau, tau x del + y, A tau, .) change by, with d tau = T d(del) and dy = Y d(del)."""
    # d(del) = A^T dd + del~ dth_A;  d(A tau) = A T A^T dd + A (T del~ - tau~) dth_A
    shift = product(product(A, T), transposed(A))
    turn = product(A, mixed(1.0, product(T, skew(delta)), -1.0, skew(tau)))
    for row, sign in ((0, -factor), (6, factor)):
        add_block(H, row, 0, -sign, shift)
        add_block(H, row, 6, sign, shift)
        add_block(H, row, 3, sign, turn)
    Q = mixed(1.0, mixed(-1.0, product(skew(delta), T), 1.0, skew(tau)), 1.0, Y)
    through = product(Q, transposed(A))
    add_block(H, 3, 0, -factor, through)
    add_block(H, 3, 6, factor, through)
    add_block(H, 3, 3, factor, product(Q, skew(delta)))


@inlined
def _sphere_gap(b: Vector, radius: float, delta: Vector) -> float:
    return sphere_distance(b, delta)[0] - radius


@inlined
def _sphere_gap_row(b: Vector, radius: float, delta: Vector, A: Matrix) -> Row:
    return gap_row(sphere_distance(b, delta), radius, delta, A)


@inlined
def _sphere_slip_row(e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    return slip_row(sphere_distance(b, delta), e, radius, delta, A, B)


@inlined
def _add_sphere_gap(b: Vector, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    add_gap(sphere_distance(b, delta), delta, A, factor, H)


@inlined
def _add_sphere_slip(
    e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    add_slip(sphere_distance(b, delta), e, radius, delta, A, B, factor, H)


@inlined
def _cylinder_gap(b: Vector, radius: float, delta: Vector) -> float:
    return cylinder_distance(b, delta)[0] - radius


@inlined
def _cylinder_gap_row(b: Vector, radius: float, delta: Vector, A: Matrix) -> Row:
    return gap_row(cylinder_distance(b, delta), radius, delta, A)


@inlined
def _cylinder_slip_row(e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    return slip_row(cylinder_distance(b, delta), e, radius, delta, A, B)


@inlined
def _add_cylinder_gap(b: Vector, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    add_gap(cylinder_distance(b, delta), delta, A, factor, H)


@inlined
def _add_cylinder_slip(
    e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    add_slip(cylinder_distance(b, delta), e, radius, delta, A, B, factor, H)


@inlined
def _capsule_gap(b: Vector, radius: float, delta: Vector) -> float:
    return capsule_distance(b, delta)[0] - radius


@inlined
def _capsule_gap_row(b: Vector, radius: float, delta: Vector, A: Matrix) -> Row:
    return gap_row(capsule_distance(b, delta), radius, delta, A)


@inlined
def _capsule_slip_row(e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    return slip_row(capsule_distance(b, delta), e, radius, delta, A, B)


@inlined
def _add_capsule_gap(b: Vector, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    add_gap(capsule_distance(b, delta), delta, A, factor, H)


@inlined
def _add_capsule_slip(
    e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    add_slip(capsule_distance(b, delta), e, radius, delta, A, B, factor, H)


@inlined
def _box_gap(b: Vector, radius: float, delta: Vector) -> float:
    return box_distance(b, delta)[0] - radius


@inlined
def _box_gap_row(b: Vector, radius: float, delta: Vector, A: Matrix) -> Row:
    return gap_row(box_distance(b, delta), radius, delta, A)


@inlined
def _box_slip_row(e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    return slip_row(box_distance(b, delta), e, radius, delta, A, B)


@inlined
def _add_box_gap(b: Vector, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    add_gap(box_distance(b, delta), delta, A, factor, H)


@inlined
def _add_box_slip(
    e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    add_slip(box_distance(b, delta), e, radius, delta, A, B, factor, H)


@inlined
def _ring_gap(b: Vector, radius: float, delta: Vector) -> float:
    return ring_distance(b, delta)[0] - radius


@inlined
def _ring_gap_row(b: Vector, radius: float, delta: Vector, A: Matrix) -> Row:
    return gap_row(ring_distance(b, delta), radius, delta, A)


@inlined
def _ring_slip_row(e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    return slip_row(ring_distance(b, delta), e, radius, delta, A, B)


@inlined
def _add_ring_gap(b: Vector, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    add_gap(ring_distance(b, delta), delta, A, factor, H)


@inlined
def _add_ring_slip(
    e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    add_slip(ring_distance(b, delta), e, radius, delta, A, B, factor, H)


KINDS = (
    RowKind(
        number=SPHERE_GAP, name="SPHERE_GAP", unit="length", uses=("", ""), normal="own", contact=True,
        value=_sphere_gap, gradient=_sphere_gap_row, add_hessian=_add_sphere_gap,
    ),
    RowKind(
        number=SPHERE_SLIP, name="SPHERE_SLIP", unit="velocity", uses=("all", "all"), normal="own", contact=True,
        velocity_only=True, gradient=_sphere_slip_row, add_hessian=_add_sphere_slip,
    ),
    RowKind(
        number=CYLINDER_GAP, name="CYLINDER_GAP", unit="length", uses=("all", ""), normal="own", contact=True,
        value=_cylinder_gap, gradient=_cylinder_gap_row, add_hessian=_add_cylinder_gap,
    ),
    RowKind(
        number=CYLINDER_SLIP, name="CYLINDER_SLIP", unit="velocity", uses=("all", "all"), normal="own", contact=True,
        velocity_only=True, gradient=_cylinder_slip_row, add_hessian=_add_cylinder_slip,
    ),
    RowKind(
        number=CAPSULE_GAP, name="CAPSULE_GAP", unit="length", uses=("all", ""), normal="own", contact=True,
        value=_capsule_gap, gradient=_capsule_gap_row, add_hessian=_add_capsule_gap,
    ),
    RowKind(
        number=CAPSULE_SLIP, name="CAPSULE_SLIP", unit="velocity", uses=("all", "all"), normal="own", contact=True,
        velocity_only=True, gradient=_capsule_slip_row, add_hessian=_add_capsule_slip,
    ),
    RowKind(
        number=BOX_GAP, name="BOX_GAP", unit="length", uses=("all", ""), normal="own", contact=True,
        value=_box_gap, gradient=_box_gap_row, add_hessian=_add_box_gap,
    ),
    RowKind(
        number=BOX_SLIP, name="BOX_SLIP", unit="velocity", uses=("all", "all"), normal="own", contact=True,
        velocity_only=True, gradient=_box_slip_row, add_hessian=_add_box_slip,
    ),
    RowKind(
        number=RING_GAP, name="RING_GAP", unit="length", uses=("all", ""), normal="own", contact=True,
        value=_ring_gap, gradient=_ring_gap_row, add_hessian=_add_ring_gap,
    ),
    RowKind(
        number=RING_SLIP, name="RING_SLIP", unit="velocity", uses=("all", "all"), normal="own", contact=True,
        velocity_only=True, gradient=_ring_slip_row, add_hessian=_add_ring_slip,
    ),
)  # fmt: skip
