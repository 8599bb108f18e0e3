"""Signed distances of a point from shapes: value, unit gradient n and its derivative H, in the axes of the shape.

A shape lies at the origin of a marker; the distance is negative inside. ``b``: its numbers.

========= ========================================== =====================================
shape     distance of x                              numbers
========= ========================================== =====================================
plane     x_3
sphere    |x| - R                                    R
cylinder  f (sqrt(x_1^2 + x_2^2) - R), about z,      R, f = 1 outside, -1 inside
          without ends
capsule   distance from the segment |x_3| <= L, - R  R, L
box       Euclidean outside, nearest face inside     half lengths
ring      distance from the circle of radius R in    R, r
          the plane x_3 = 0, - r
triangle  distance from (0, 0), (l, 0), (u, v) in    l, u, v; v > 0
          the plane x_3 = 0, on both sides
========= ========================================== =====================================

n is not defined at the centre of a sphere, on the axis of a cylinder, a capsule or a ring, and on the circle of a ring:
it becomes NaN there; so it does on the edges of a triangle, and in its face it is z. H of a box and of a triangle jumps
where the nearest face, edge or corner changes.
"""

from __future__ import annotations

import math

from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import IDENTITY, NULL, Matrix, Vector, dot, mixed, outer, plus, scaled, times

__all__ = [
    "Distance", "box_distance", "capsule_distance", "cylinder_distance", "plane_distance", "ring_distance",
    "sphere_distance", "triangle_distance",
]  # fmt: skip

Distance = tuple[float, Vector, Matrix]
PLANE: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)


@inlined
def plane_distance(b: Vector, x: Vector) -> Distance:
    """The half-space x_3 < 0."""
    return x[2], Z, NULL


@inlined
def sphere_distance(b: Vector, x: Vector) -> Distance:
    """Sphere of radius b[0]."""
    length = math.sqrt(dot(x, x))
    n = scaled(1.0 / length, x)
    return length - b[0], n, mixed(1.0 / length, IDENTITY, -1.0 / length, outer(n, n))


@inlined
def cylinder_distance(b: Vector, x: Vector) -> Distance:
    """Cylinder of radius b[0] about z, from outside (b[1] = 1) or inside (-1)."""
    length = math.sqrt(x[0] * x[0] + x[1] * x[1])
    n = (x[0] / length, x[1] / length, 0.0)
    f = b[1]
    return f * (length - b[0]), scaled(f, n), mixed(f / length, PLANE, -f / length, outer(n, n))


@inlined
def capsule_distance(b: Vector, x: Vector) -> Distance:
    """All points within b[0] of the segment from -b[1] to b[1] along z."""
    past = x[2] - min(max(x[2], -b[1]), b[1])
    y = (x[0], x[1], past)
    length = math.sqrt(dot(y, y))
    n = scaled(1.0 / length, y)
    if past == 0.0:
        return length - b[0], n, mixed(1.0 / length, PLANE, -1.0 / length, outer(n, n))
    return length - b[0], n, mixed(1.0 / length, IDENTITY, -1.0 / length, outer(n, n))


@kernel
def box_distance(b: Vector, x: Vector) -> Distance:
    """Box of the half lengths b."""
    s0, s1, s2 = math.copysign(1.0, x[0]), math.copysign(1.0, x[1]), math.copysign(1.0, x[2])
    q0, q1, q2 = abs(x[0]) - b[0], abs(x[1]) - b[1], abs(x[2]) - b[2]
    if q0 <= 0.0 and q1 <= 0.0 and q2 <= 0.0:
        if q0 >= q1 and q0 >= q2:
            return q0, (s0, 0.0, 0.0), NULL
        if q1 >= q2:
            return q1, (0.0, s1, 0.0), NULL
        return q2, (0.0, 0.0, s2), NULL
    y = (s0 * max(q0, 0.0), s1 * max(q1, 0.0), s2 * max(q2, 0.0))
    length = math.sqrt(dot(y, y))
    n = scaled(1.0 / length, y)
    i0, i1, i2 = 1.0 if q0 > 0.0 else 0.0, 1.0 if q1 > 0.0 else 0.0, 1.0 if q2 > 0.0 else 0.0
    active = (i0, 0.0, 0.0, 0.0, i1, 0.0, 0.0, 0.0, i2)
    return length, n, mixed(1.0 / length, active, -1.0 / length, outer(n, n))


@inlined
def ring_distance(b: Vector, x: Vector) -> Distance:
    """All points within b[1] of the circle of radius b[0] in the plane x_3 = 0."""
    radius = math.sqrt(x[0] * x[0] + x[1] * x[1])
    e = (x[0] / radius, x[1] / radius, 0.0)
    y = (x[0] - b[0] * e[0], x[1] - b[0] * e[1], x[2])
    length = math.sqrt(dot(y, y))
    n = scaled(1.0 / length, y)
    # dy/dx = I - R (P - e e^T)/radius, and n' = (I - n n^T)/length dy/dx, with n . (P - e e^T) = 0
    turning = mixed(1.0, PLANE, -1.0, outer(e, e))
    H = mixed(1.0, mixed(1.0, IDENTITY, -1.0, outer(n, n)), -b[0] / radius, turning)
    return length - b[1], n, times(1.0 / length, H)


@inlined
def _from_edge(p0: float, p1: float, e0: float, e1: float, x: Vector) -> tuple[Vector, Vector]:
    """x less the nearest point of the edge from p to p + e, and its direction: null where that is an end."""
    size = math.sqrt(e0 * e0 + e1 * e1)
    t0, t1 = e0 / size, e1 / size
    along = (x[0] - p0) * t0 + (x[1] - p1) * t1
    held = min(max(along, 0.0), size)
    inner = 1.0 if held == along else 0.0
    return (x[0] - p0 - held * t0, x[1] - p1 - held * t1, x[2]), (inner * t0, inner * t1, 0.0)


@kernel
def triangle_distance(b: Vector, x: Vector) -> Distance:
    """Triangle (0, 0), (b[0], 0), (b[1], b[2]) in the plane x_3 = 0; b[2] > 0."""
    base, u, v = b
    if x[1] >= 0.0 and (u - base) * x[1] >= v * (x[0] - base) and v * x[0] >= u * x[1]:
        return abs(x[2]), (0.0, 0.0, math.copysign(1.0, x[2])), NULL
    y, t = _from_edge(0.0, 0.0, base, 0.0, x)
    for other, direction in (_from_edge(base, 0.0, u - base, v, x), _from_edge(u, v, -u, -v, x)):
        if dot(other, other) < dot(y, y):
            y, t = other, direction
    length = math.sqrt(dot(y, y))
    n = scaled(1.0 / length, y)
    # dn = (I - t t^T - n n^T) dx / length: along an edge nothing changes
    return length, n, mixed(1.0 / length, mixed(1.0, IDENTITY, -1.0, outer(t, t)), -1.0 / length, outer(n, n))


@inlined
def tangential(n: Vector, e: Vector) -> Vector:
    """e without its part along n."""
    return plus(e, -dot(n, e), n)
