r"""Rows of contact with shapes that have a signed distance: the gap between a shape A and a ball B, and its slip.

The shape lies at the marker A, with a signed distance of gradient n and derivative D (`flexmbs.kernels.distances`); the
ball of radius r (0: a point) is marker B. With del = A^T (p_B - p_A), all in the axes of A::

    gap     distance(del) - r
    slip    e . (I - n n^T) (velocity of the material of B at del - r n - that of A there)

With the part tau of e in the tangent plane, y = n x e and the relative angular velocity, the slip is
tau . d(del)/dt + ... = the row (-A tau, tau x del + r y, A tau, -r C^T y) of the twists. Its derivative follows from
d tau = T d(del), T = -(n . e) D - n e^T D, and dy = -e~ D d(del): the wandering of the contact point is in it.

The rows for e = x, y, z of A describe the slip without a tangent frame, which no sphere has everywhere; of a plane two
are enough. They are linear in e, so that the forces of all of them are differentiated as one (`add_forces_changes`).

With the relative velocity w = d(del)/dt, the angular velocities u_A, Omega = C u_B and q = u_A - Omega in the axes of
A, the slip velocity is (I - n n^T) w + r q x n. The change of a rate at fixed twists is its gradient by the increments
of both poses (`gap_rate_change`, `slip_rate_change`)::

    g = u_A x n + D w                                                gap
    g = u_A x tau - D ((n . w) e + (n . e) w - r e x q)              slip
    (-A g, n x v + g x del, A g, 0)                                  gap; v = A^T (v_B - v_A)
    (-A g, tau x v - r y x Omega + g x del, A g, r C^T y x u_B)      slip
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import (
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
    plane_distance,
    ring_distance,
    sphere_distance,
    tangential,
)
from flexmbs.kernels.rows.kind import RowKind, Use

__all__ = [
    "BOX_GAP",
    "BOX_SLIP",
    "CAPSULE_GAP",
    "CAPSULE_SLIP",
    "CYLINDER_GAP",
    "CYLINDER_SLIP",
    "KINDS",
    "PLANE_GAP",
    "PLANE_SLIP",
    "RING_GAP",
    "RING_SLIP",
    "SPHERE_GAP",
    "SPHERE_SLIP",
    "USUAL",
    "Motion",
    "Row",
    "add_forces_changes",
    "gap_rate_change",
    "gap_row",
    "kinds_of_distance",
    "motion",
    "slip_rate_change",
    "slip_row",
]

PLANE_GAP, PLANE_SLIP = 10, 11
SPHERE_GAP, SPHERE_SLIP = 12, 13
CYLINDER_GAP, CYLINDER_SLIP = 14, 15
CAPSULE_GAP, CAPSULE_SLIP = 16, 17
BOX_GAP, BOX_SLIP = 18, 19
RING_GAP, RING_SLIP = 20, 21
USUAL = CYLINDER_SLIP
"""The last of the kinds that most contacts consist of; a model that has no others compiles these alone (`Choice`)."""

ZERO: Vector = (0.0, 0.0, 0.0)
Row = tuple[Vector, Vector, Vector]
"""(n, a, b) of a row (-n, a, n, b)."""
Motion = tuple[Vector, Vector, Vector, Vector, Vector]


@kernel
def gap_row(found: Distance, delta: Vector, A: Matrix) -> Row:
    """The gradient of a gap."""
    _, n, _ = found
    return applied(A, n), cross(n, delta), ZERO


@kernel
def slip_row(found: Distance, e: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    """The row of a slip velocity."""
    _, n, _ = found
    tau, y = tangential(n, e), cross(n, e)
    b = applied_back(B, applied(A, scaled(-radius, y)))
    return applied(A, tau), plus(cross(tau, delta), radius, y), b


@kernel
def motion(delta: Vector, A: Matrix, B: Matrix, v: Vector, turn_a: Vector, turn_b: Vector) -> Motion:
    """What the changes of rates need of the relative velocity v = v_B - v_A and the twists: v, w, u_A, u_B, Omega."""
    v = applied_back(A, v)
    return v, plus(v, 1.0, cross(delta, turn_a)), turn_a, turn_b, applied_back(A, applied(B, turn_b))


@kernel
def gap_rate_change(found: Distance, delta: Vector, A: Matrix, moving: Motion) -> Row:
    """The gradient of the rate of a gap at fixed twists."""
    _, n, D = found
    v, w, turn_a, _, _ = moving
    g = plus(applied(D, w), 1.0, cross(turn_a, n))
    return applied(A, g), plus(cross(n, v), 1.0, cross(g, delta)), ZERO


@kernel
def slip_rate_change(
    found: Distance, e: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, moving: Motion
) -> Row:
    """The gradient of a slip velocity at fixed twists."""
    _, n, D = found
    v, w, turn_a, turn_b, spin = moving
    tau, y = tangential(n, e), cross(n, e)
    bent = plus(plus(scaled(dot(n, w), e), dot(n, e), w), -radius, cross(e, plus(turn_a, -1.0, spin)))
    g = plus(cross(turn_a, tau), -1.0, applied(D, bent))
    a = plus(plus(cross(tau, v), -radius, cross(y, spin)), 1.0, cross(g, delta))
    return applied(A, g), a, scaled(radius, cross(applied_back(B, applied(A, y)), turn_b))


@kernel
def add_forces_changes(
    found: Distance, f: float, e: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, H: FloatArray
) -> None:
    """f times the Hessian of the gap and the derivative of the row of the slip along e (any vector), transposed.

    ``H[c, axis]`` grows by what the increment c changes in component ``axis`` of the row.
    """
    _, n, D = found
    along = dot(n, e)
    tau = plus(tangential(n, e), f, n)
    T = mixed(f - along, D, -1.0, outer(n, applied(D, e)))  # e^T D as a vector: D is symmetric
    Y = times(-radius, product(skew(e), D))
    y = scaled(radius, cross(n, e))
    # d(del) = A^T dd + del~ dth_A;  d(A tau) = A T A^T dd + A (T del~ - tau~) dth_A
    back, turned = transposed(A), skew(delta)
    shift = transposed(product(product(A, T), back))
    turn = transposed(product(A, mixed(1.0, product(T, turned), -1.0, skew(tau))))
    for axis, sign in ((0, -1.0), (6, 1.0)):
        add_block(H, 0, axis, -sign, shift)
        add_block(H, 6, axis, sign, shift)
        add_block(H, 3, axis, sign, turn)
    Q = mixed(1.0, mixed(-1.0, product(turned, T), 1.0, skew(tau)), 1.0, Y)
    through = transposed(product(Q, back))
    add_block(H, 0, 3, -1.0, through)
    add_block(H, 6, 3, 1.0, through)
    add_block(H, 3, 3, 1.0, transposed(product(Q, turned)))
    # b = -C^T y: db = -(C^T dy + (C^T y)~ dth_B - C^T y~ dth_A), dy = Y d(del)
    C = back_product(A, B)
    CY = back_product(C, Y)
    through = transposed(product(CY, back))
    add_block(H, 0, 9, 1.0, through)
    add_block(H, 6, 9, -1.0, through)
    add_block(H, 3, 9, -1.0, transposed(mixed(1.0, product(CY, turned), -1.0, back_product(C, skew(y)))))
    add_block(H, 9, 9, 1.0, skew(applied_back(C, y)))


def kinds_of_distance(
    number: int, name: str, distance: Callable[..., Distance], turns: Use = "all"
) -> tuple[RowKind, RowKind]:
    """The kinds of the gap, ``number``, and of the slip, the next one, of a shape of this signed distance.

    ``turns``: what of the orientation of the shape counts for its distance.
    """
    common: dict[str, Any] = {"normal": "own", "contact": True, "distance": distance}
    return (
        RowKind(number=number, name=f"{name}_GAP", unit="length", uses=(turns, ""), **common),
        RowKind(
            number=number + 1, name=f"{name}_SLIP", unit="velocity", uses=("all", "all"), velocity_only=True, **common
        ),
    )


KINDS = (
    *kinds_of_distance(SPHERE_GAP, "SPHERE", sphere_distance, turns=""),
    *kinds_of_distance(CYLINDER_GAP, "CYLINDER", cylinder_distance),
    *kinds_of_distance(CAPSULE_GAP, "CAPSULE", capsule_distance),
    *kinds_of_distance(BOX_GAP, "BOX", box_distance),
    *kinds_of_distance(RING_GAP, "RING", ring_distance),
    *kinds_of_distance(PLANE_GAP, "PLANE", plane_distance),
)
