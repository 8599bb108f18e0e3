r"""Rows of contact of two capsules: the gap between two segments with a radius each, and the velocity of slip.

The segments lie along the z axes e of the markers A and B, from -l to l. With a = A e, b = B e, the nearest points s a
and d + t b, d = p_B - p_A, and r = d + t b - s a, n = r/|r|, the gap is |r| - r_A - r_B. Since it does not change with
s and t, its gradient is that of two points of the bodies::

    (-n, -s e x A^T n, n, t e x B^T n)

The slip is measured r_B n before the point of B; with x = s e + (|r| - r_B) A^T n and y = t e - r_B B^T n, in the axes
of A and of B, and tau = (I - n n^T) A e_k for a direction e_k of A, its row is (-tau, -x x A^T tau, tau, y x B^T tau).

In derivatives the places wander: where they lie within the segments, r . a = 0 and r . b = 0 give

.. math:: \begin{pmatrix} 1 & -a\cdot b \\ -a\cdot b & 1 \end{pmatrix} \begin{pmatrix} \mathrm ds \\ \mathrm dt
   \end{pmatrix} = \begin{pmatrix} w\cdot a + r\cdot\mathrm da \\ -w\cdot b - r\cdot\mathrm db \end{pmatrix},
   \qquad w = \mathrm dd + t\,\mathrm db - s\,\mathrm da ;

an end stays an end. Parallel segments touch along a line: the place is then the middle of what they have in common, and
s is held. The columns of the Hessians are these differentials for unit increments.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Matrix, Vector, applied, applied_back, combination, cross, dot, plus, scaled
from flexmbs.kernels.distances import tangential
from flexmbs.kernels.rows.kind import RowKind

__all__ = ["KINDS", "SEGMENTS_GAP", "SEGMENTS_SLIP", "nearest_places"]

SEGMENTS_GAP, SEGMENTS_SLIP = 22, 23

PARALLEL = 1e-12
"""Square of the sine of the angle below which two segments count as parallel."""
Z: Vector = (0.0, 0.0, 1.0)
ZERO: Vector = (0.0, 0.0, 0.0)
UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
Row = tuple[float, Vector, Vector, Vector]
Places = tuple[float, float, bool, bool]


@kernel
def nearest_places(b: Vector, d: Vector, A: Matrix, B: Matrix) -> Places:
    """s and t of the nearest points of the segments, and whether each may wander."""
    x, y = applied(A, Z), applied(B, Z)
    c, along, across = dot(x, y), dot(x, d), dot(y, d)
    det = 1.0 - c * c
    if det > PARALLEL:
        s = min(max((along - c * across) / det, -b[1]), b[1])
    else:
        reach = b[2]
        s = min(max(0.5 * (max(-b[1], along - reach) + min(b[1], along + reach)), -b[1]), b[1])
    t = c * s - across
    if abs(t) > b[2]:
        t = min(max(t, -b[2]), b[2])
        s = min(max(c * t + along, -b[1]), b[1])
    return s, t, det > PARALLEL and abs(s) < b[1], abs(t) < b[2]


@kernel
def _between(places: Places, d: Vector, A: Matrix, B: Matrix) -> Vector:
    """r, from the point of A to that of B."""
    return plus(plus(d, places[1], applied(B, Z)), -places[0], applied(A, Z))


@kernel
def _segments_gap(b: Vector, radius: float, d: Vector, A: Matrix, B: Matrix) -> float:
    r = _between(nearest_places(b, d, A, B), d, A, B)
    return math.sqrt(dot(r, r)) - b[0] - radius


@kernel
def _segments_gap_row(b: Vector, radius: float, d: Vector, A: Matrix, B: Matrix) -> Row:
    places = nearest_places(b, d, A, B)
    r = _between(places, d, A, B)
    size = math.sqrt(dot(r, r))
    n = scaled(1.0 / size, r)
    first = scaled(-places[0], cross(Z, applied_back(A, n)))
    return size - b[0] - radius, n, first, scaled(places[1], cross(Z, applied_back(B, n)))


@kernel
def _segments_slip_row(e: Vector, b: Vector, radius: float, d: Vector, A: Matrix, B: Matrix) -> Row:
    places = nearest_places(b, d, A, B)
    r = _between(places, d, A, B)
    size = math.sqrt(dot(r, r))
    n = scaled(1.0 / size, r)
    inner, outer = applied_back(A, n), applied_back(B, n)
    tau = applied(A, tangential(inner, e))
    x, y = combination(places[0], Z, size - radius, inner), combination(places[1], Z, -radius, outer)
    return 0.0, tau, scaled(-1.0, cross(x, applied_back(A, tau))), cross(y, applied_back(B, tau))


@kernel
def _moved(
    k: int, u: Vector, places: Places, r: Vector, A: Matrix, B: Matrix
) -> tuple[Vector, Vector, float, float, Vector]:
    """The rotations of A and B, ds, dt and dr for the increment k of (dp_A, dth_A, dp_B, dth_B) along u."""
    s, t, s_wanders, t_wanders = places
    a, b = applied(A, Z), applied(B, Z)
    turn_a, turn_b = u if k == 1 else ZERO, u if k == 3 else ZERO
    da, db = applied(A, cross(turn_a, Z)), applied(B, cross(turn_b, Z))
    w = plus(scaled(t, db), -s, da)
    if k == 0:
        w = plus(w, -1.0, u)
    elif k == 2:
        w = plus(w, 1.0, u)
    f1, f2 = dot(w, a) + dot(r, da), -dot(w, b) - dot(r, db)
    ds = dt = 0.0
    if s_wanders and t_wanders:
        c = dot(a, b)
        det = 1.0 - c * c
        ds, dt = (f1 + c * f2) / det, (c * f1 + f2) / det
    elif s_wanders:
        ds = f1
    elif t_wanders:
        dt = f2
    return turn_a, turn_b, ds, dt, plus(plus(w, dt, b), -ds, a)


@kernel
def _turned(A: Matrix, n: Vector, dn: Vector, turn: Vector) -> Vector:
    """d(A^T n)."""
    return plus(applied_back(A, dn), 1.0, cross(applied_back(A, n), turn))


@kernel
def _add_column(H: FloatArray, col: int, factor: float, n: Vector, a: Vector, b: Vector) -> None:
    """The change of a row (-n, a, n, b)."""
    for i in range(3):
        H[i, col] -= factor * n[i]
        H[3 + i, col] += factor * a[i]
        H[6 + i, col] += factor * n[i]
        H[9 + i, col] += factor * b[i]


@kernel
def _add_segments_gap(b: Vector, d: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray) -> None:
    places = nearest_places(b, d, A, B)
    r = _between(places, d, A, B)
    size = math.sqrt(dot(r, r))
    n = scaled(1.0 / size, r)
    inner, outer = applied_back(A, n), applied_back(B, n)
    for col in range(12):
        turn_a, turn_b, ds, dt, dr = _moved(col // 3, UNITS[col % 3], places, r, A, B)
        dn = scaled(1.0 / size, plus(dr, -dot(n, dr), n))
        first = combination(-ds, cross(Z, inner), -places[0], cross(Z, _turned(A, n, dn, turn_a)))
        second = combination(dt, cross(Z, outer), places[1], cross(Z, _turned(B, n, dn, turn_b)))
        _add_column(H, col, factor, dn, first, second)


@kernel
def _add_segments_slip(
    e: Vector, b: Vector, radius: float, d: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    places = nearest_places(b, d, A, B)
    r = _between(places, d, A, B)
    size = math.sqrt(dot(r, r))
    n = scaled(1.0 / size, r)
    inner, outer = applied_back(A, n), applied_back(B, n)
    along = dot(inner, e)
    tangent = tangential(inner, e)  # tau in the axes of A
    tau = applied(A, tangent)
    seen = applied_back(B, tau)
    x, y = combination(places[0], Z, size - radius, inner), combination(places[1], Z, -radius, outer)
    for col in range(12):
        turn_a, turn_b, ds, dt, dr = _moved(col // 3, UNITS[col % 3], places, r, A, B)
        dsize = dot(n, dr)
        dn = scaled(1.0 / size, plus(dr, -dsize, n))
        d_inner, d_outer = _turned(A, n, dn, turn_a), _turned(B, n, dn, turn_b)
        d_tangent = combination(-along, d_inner, -dot(d_inner, e), inner)
        d_tau = applied(A, plus(d_tangent, 1.0, cross(turn_a, tangent)))
        dx = plus(combination(ds, Z, size - radius, d_inner), dsize, inner)
        dy = combination(dt, Z, -radius, d_outer)
        first = combination(-1.0, cross(dx, tangent), -1.0, cross(x, d_tangent))
        second = plus(cross(dy, seen), 1.0, cross(y, _turned(B, tau, d_tau, turn_b)))
        _add_column(H, col, factor, d_tau, first, second)


KINDS = (
    RowKind(
        number=SEGMENTS_GAP, name="SEGMENTS_GAP", unit="length", uses=("all", "all"), normal="own", contact=True,
        value=_segments_gap, gradient=_segments_gap_row, add_hessian=_add_segments_gap,
    ),
    RowKind(
        number=SEGMENTS_SLIP, name="SEGMENTS_SLIP", unit="velocity", uses=("all", "all"), normal="own", contact=True,
        velocity_only=True, gradient=_segments_slip_row, add_hessian=_add_segments_slip,
    ),
)  # fmt: skip
