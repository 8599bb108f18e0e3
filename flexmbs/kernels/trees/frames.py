"""Where a column takes what is behind it: rotations and translations as numbers, compiled into their callers."""

from __future__ import annotations

import math

from flexmbs.core.jit import inlined
from flexmbs.core.triples import Matrix, Vector

__all__ = ["screw_frame", "turned_frame"]


@inlined
def screw_frame(v: Vector, w: Vector, q: float) -> tuple[Matrix, Vector]:
    """Rotation and translation of exp(s q), |w| being one or zero."""
    a, b, c = w
    if a == 0.0 and b == 0.0 and c == 0.0:
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (v[0] * q, v[1] * q, v[2] * q)
    sine, versine = math.sin(q), 2.0 * math.sin(0.5 * q) ** 2
    e = 1.0 - versine
    e0, e1, e2 = e + versine * a * a, versine * a * b - sine * c, versine * a * c + sine * b
    e3, e4, e5 = versine * a * b + sine * c, e + versine * b * b, versine * b * c - sine * a
    e6, e7, e8 = versine * a * c - sine * b, versine * b * c + sine * a, e + versine * c * c
    # point on the axis r = w x v, and the advance along it
    r0, r1, r2 = b * v[2] - c * v[1], c * v[0] - a * v[2], a * v[1] - b * v[0]
    along = (a * v[0] + b * v[1] + c * v[2]) * q
    t0 = r0 - (e0 * r0 + e1 * r1 + e2 * r2) + a * along
    t1 = r1 - (e3 * r0 + e4 * r1 + e5 * r2) + b * along
    t2 = r2 - (e6 * r0 + e7 * r1 + e8 * r2) + c * along
    return (e0, e1, e2, e3, e4, e5, e6, e7, e8), (t0, t1, t2)


@inlined
def turned_frame(w: float, a: float, b: float, c: float) -> Matrix:
    """The rotation of a unit quaternion."""
    return (
        1.0 - 2.0 * (b * b + c * c), 2.0 * (a * b - w * c), 2.0 * (a * c + w * b),
        2.0 * (a * b + w * c), 1.0 - 2.0 * (a * a + c * c), 2.0 * (b * c - w * a),
        2.0 * (a * c - w * b), 2.0 * (b * c + w * a), 1.0 - 2.0 * (a * a + b * b),
    )  # fmt: skip
