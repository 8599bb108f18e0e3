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

Contacts have kinds of their own: of shapes with a signed distance (`flexmbs.kernels.rows.contact_rows`), which
`shape_distance` knows, and others, which `contact_row_gradient` knows.

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
from collections.abc import Callable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import flexmbs.kernels.rows
from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import Choice, kernel
from flexmbs.core.triples import Matrix, Vector, add_block, applied_back, product, rotation, skew, transposed
from flexmbs.kernels.rows.angle_rows import ANGLE, VECTOR
from flexmbs.kernels.rows.axis_rows import ORTHOGONAL
from flexmbs.kernels.rows.choice import choice, fact
from flexmbs.kernels.rows.contact_rows import PLANE_GAP, USUAL
from flexmbs.kernels.rows.kind import RowKind
from flexmbs.kernels.rows.position_rows import ALONG, DISTANCE, INERTIAL
from flexmbs.kernels.rows.rolling_rows import BALL_SLIP, HEIGHT, SLIP, tilted
from flexmbs.kernels.rows.swing_rows import SWING

__all__ = [
    "ALONG",
    "ANGLE",
    "BALL_SLIP",
    "DISTANCE",
    "HEIGHT",
    "INERTIAL",
    "KINDS",
    "ORTHOGONAL",
    "SLIP",
    "SWING",
    "VECTOR",
    "b_of",
    "between",
    "collected",
    "contact_row_gradient",
    "contact_row_hessian",
    "counts_turns",
    "curvature",
    "e_of",
    "has_distance",
    "kind_of",
    "moves",
    "row_gradient",
    "row_hessian",
    "row_value",
    "shape_distance",
    "turns",
    "write_row",
]


def collected() -> tuple[RowKind, ...]:
    """The kinds of all families in this folder, by number."""
    folder = flexmbs.kernels.rows
    families = [m.name for m in iter_modules(folder.__path__) if m.name.endswith("_rows")]
    kinds = [kind for name in families for kind in import_module(f"{folder.__name__}.{name}").KINDS]
    numbers: dict[int, RowKind] = {}
    for kind in kinds:
        other = numbers.setdefault(kind.number, kind)
        if other is not kind:
            raise ImportError(f"the kinds of rows {other.name} and {kind.name} have the same number {kind.number}")
    return tuple(numbers[number] for number in sorted(numbers))


KINDS = collected()
"""All kinds of rows."""
_BY_NUMBER = {kind.number: kind for kind in KINDS}


def kind_of(number: int) -> RowKind:
    """What is known of the kind with a number."""
    return _BY_NUMBER[number]


Z: Vector = (0.0, 0.0, 1.0)
UNKNOWN: Vector = (math.nan, math.nan, math.nan)
_POSE = "near, e, b, radius, d, A, B"
_RELATIVE = {"delta": (applied_back, "A, d")}

_COMMON = [kind for kind in KINDS if kind.number <= ANGLE]
"""Kinds that most joints consist of. A model that has no others compiles kernels of these alone (`Choice`)."""
_ANY = [kind for kind in KINDS if not kind.contact]
_TOUCHING = [kind for kind in KINDS if (kind.contact and not kind.distance) or kind.number in (HEIGHT, SLIP)]
"""Kinds that contacts consist of, besides those of a distance."""
_ROLLING = [kind for kind in _TOUCHING if kind.number <= USUAL]
"""Those of a rim on a plane."""


def _chosen(
    suffix: str, kinds: Sequence[RowKind], last: int
) -> tuple[Callable[..., float], Callable[..., tuple[float, Vector, Vector, Vector]], Any, Any]:
    """Value, gradient, Hessian by rotations, and Hessians of their own, of some kinds."""
    names = globals()
    value = choice(
        names, f"_value{suffix}", kinds, "value", _POSE, derived=_RELATIVE, otherwise="math.nan", inline=True
    )
    gradient = choice(
        names, f"_gradient{suffix}", kinds, "gradient", _POSE, derived=_RELATIVE,
        otherwise="math.nan, UNKNOWN, UNKNOWN, UNKNOWN", inline=True,
    )  # fmt: skip
    by_turns = choice(
        names, f"_rotation_hessian{suffix}", kinds, "hessian", "e, b, radius, d, A, B", derived=_RELATIVE, last=last
    )
    own = choice(
        names, f"_add_hessian{suffix}", kinds, "add_hessian", "e, b, radius, d, A, B, factor, H", derived=_RELATIVE,
        inline=True,
    )  # fmt: skip
    return value, gradient, by_turns, own


_value, _gradient, _rotation_hessian, _add_hessian = _chosen("", _ANY, ALONG)
_common_value, _common_gradient, _common_rotation_hessian, _common_add_hessian = _chosen("_common", _COMMON, ALONG)
_, _touching_gradient, _touching_rotation_hessian, _touching_add_hessian = _chosen("_touching", _TOUCHING, HEIGHT)
_, _rolling_gradient, _rolling_rotation_hessian, _ = _chosen("_rolling", _ROLLING, HEIGHT)


def _distance(name: str, kinds: Sequence[RowKind]) -> Any:
    """A kernel that gives the signed distance of the shape of some kinds of rows."""
    with_one = [kind for kind in kinds if kind.distance]
    return choice(globals(), name, with_one, "distance", "b, x, data, where", last=PLANE_GAP)


shape_distance = Choice(
    _distance("_usual_distance", [kind for kind in KINDS if kind.number <= USUAL]),
    _distance("_any_distance", KINDS),
    USUAL,
)
"""``shape_distance(kind, b, x, data, where)``: the signed distance of the shape of a kind, as the kind has it."""
has_distance = fact(globals(), "has_distance", KINDS, lambda kind: int(kind.distance is not None))
"""``has_distance(kind)``: whether a kind of rows is one of a shape with a signed distance."""
_axis = fact(globals(), "_axis", KINDS, lambda kind: {"first": 1, "z": 2}.get(kind.normal, 0))
_bends = fact(globals(), "_bends", KINDS, lambda kind: int(kind.hessian is not None))
_has_own_hessian = fact(globals(), "_has_own_hessian", KINDS, lambda kind: int(kind.add_hessian is not None))
curvature = fact(globals(), "curvature", KINDS, lambda kind: kind.curvature)
moves = fact(globals(), "moves", KINDS, lambda kind: int(kind.normal != ""))
turns = fact(globals(), "turns", KINDS, lambda kind: int(kind.turns))
counts_turns = fact(globals(), "counts_turns", KINDS, lambda kind: int(kind.counts_turns))


@kernel
def write_row(G: FloatArray, m: int, n: Vector, a: Vector, b: Vector) -> None:
    """The gradient of a row from its normal n and its parts by rotations of A and B."""
    G[m, 0], G[m, 1], G[m, 2] = -n[0], -n[1], -n[2]
    G[m, 3], G[m, 4], G[m, 5] = a[0], a[1], a[2]
    G[m, 6], G[m, 7], G[m, 8] = n[0], n[1], n[2]
    G[m, 9], G[m, 10], G[m, 11] = b[0], b[1], b[2]


@kernel
def _add_shifts(H: FloatArray, factor: float, AE: Matrix) -> None:
    """Between translations and the rotation of A."""
    add_block(H, 0, 3, factor, AE)
    add_block(H, 6, 3, -factor, AE)
    AE = transposed(AE)
    add_block(H, 3, 0, factor, AE)
    add_block(H, 3, 6, -factor, AE)


@kernel
def _add_turns(H: FloatArray, factor: float, by_turns: tuple[Matrix, Matrix, Matrix, Matrix]) -> None:
    """Between rotations."""
    aa, ab, ba, bb = by_turns
    add_block(H, 3, 3, factor, aa)
    add_block(H, 3, 9, factor, ab)
    add_block(H, 9, 3, factor, ba)
    add_block(H, 9, 9, factor, bb)


@kernel
def _value_of_common(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray
) -> float:
    """`row_value` of the common kinds."""
    return _common_value(
        kind,
        near[j],
        e_of(c, j),
        b_of(c, j),
        c[j, 6],
        between(p, i, k),
        rotation(R, i),
        rotation(R, k),
    )


@kernel
def _gradient_of_common(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, G: FloatArray,
    m: int,
) -> float:  # fmt: skip
    """`row_gradient` of the common kinds."""
    value, n, a, b = _common_gradient(
        kind,
        near[j],
        e_of(c, j),
        b_of(c, j),
        c[j, 6],
        between(p, i, k),
        rotation(R, i),
        rotation(R, k),
    )
    write_row(G, m, n, a, b)
    return value


@kernel
def _hessian_of_common(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, factor: float,
    H: FloatArray,
) -> None:  # fmt: skip
    """`row_hessian` of the common kinds."""
    e, radius, d, A, B = e_of(c, j), c[j, 6], between(p, i, k), rotation(R, i), rotation(R, k)
    axis = _axis(kind)
    if axis > 0:
        _add_shifts(H, factor, product(A, skew(e if axis == 1 else Z)))
    if _has_own_hessian(kind):
        _common_add_hessian(kind, e, b_of(c, j), radius, d, A, B, factor, H)
    elif _bends(kind):
        _add_turns(H, factor, _common_rotation_hessian(kind, e, b_of(c, j), radius, d, A, B))


@kernel
def _value_of_any(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray
) -> float:
    """`row_value` of all kinds."""
    return _value(
        kind,
        near[j],
        e_of(c, j),
        b_of(c, j),
        c[j, 6],
        between(p, i, k),
        rotation(R, i),
        rotation(R, k),
    )


@kernel
def _gradient_of_any(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, G: FloatArray,
    m: int,
) -> float:  # fmt: skip
    """`row_gradient` of all kinds."""
    value, n, a, b = _gradient(
        kind,
        near[j],
        e_of(c, j),
        b_of(c, j),
        c[j, 6],
        between(p, i, k),
        rotation(R, i),
        rotation(R, k),
    )
    write_row(G, m, n, a, b)
    return value


@kernel
def _hessian_of_any(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, factor: float,
    H: FloatArray,
) -> None:  # fmt: skip
    """`row_hessian` of all kinds."""
    e, radius, d, A, B = e_of(c, j), c[j, 6], between(p, i, k), rotation(R, i), rotation(R, k)
    axis = _axis(kind)
    if axis > 0:
        _add_shifts(H, factor, product(A, skew(e if axis == 1 else Z)))
    if _has_own_hessian(kind):
        _add_hessian(kind, e, b_of(c, j), radius, d, A, B, factor, H)
    elif _bends(kind):
        _add_turns(H, factor, _rotation_hessian(kind, e, b_of(c, j), radius, d, A, B))


@kernel
def _gradient_of_rolling(
    kind: int, j: int, c: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, G: FloatArray, m: int
) -> float:
    """`contact_row_gradient` of a rim on a plane."""
    A = rotation(R, i)
    value, n, a, b = _rolling_gradient(
        kind, 0.0, e_of(c, j), b_of(c, j), c[j, 6], between(p, i, k), A, tilted(A, rotation(R, k))
    )
    write_row(G, m, n, a, b)
    return value


@kernel
def _gradient_of_touching(
    kind: int, j: int, c: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, G: FloatArray, m: int
) -> float:
    """`contact_row_gradient` of all kinds."""
    A, B = rotation(R, i), rotation(R, k)
    if kind in (HEIGHT, SLIP):
        B = tilted(A, B)
    value, n, a, b = _touching_gradient(kind, 0.0, e_of(c, j), b_of(c, j), c[j, 6], between(p, i, k), A, B)
    write_row(G, m, n, a, b)
    return value


@kernel
def _hessian_of_rolling(
    kind: int, j: int, c: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, factor: float, H: FloatArray
) -> None:
    """`contact_row_hessian` of a rim on a plane."""
    e, radius, d, A = e_of(c, j), c[j, 6], between(p, i, k), rotation(R, i)
    B = tilted(A, rotation(R, k))
    _add_shifts(H, factor, product(A, skew(e if _axis(kind) == 1 else Z)))
    _add_turns(H, factor, _rolling_rotation_hessian(kind, e, b_of(c, j), radius, d, A, B))


@kernel
def _hessian_of_touching(
    kind: int, j: int, c: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray, factor: float, H: FloatArray
) -> None:
    """`contact_row_hessian` of all kinds."""
    e, radius, d, A, B = e_of(c, j), c[j, 6], between(p, i, k), rotation(R, i), rotation(R, k)
    if kind in (HEIGHT, SLIP):
        B = tilted(A, B)
    axis = _axis(kind)
    if axis > 0:
        _add_shifts(H, factor, product(A, skew(e if axis == 1 else Z)))
    if _has_own_hessian(kind):
        _touching_add_hessian(kind, e, b_of(c, j), radius, d, A, B, factor, H)
    elif _bends(kind):
        _add_turns(H, factor, _touching_rotation_hessian(kind, e, b_of(c, j), radius, d, A, B))


contact_row_gradient = Choice(_gradient_of_rolling, _gradient_of_touching, USUAL)
"""``contact_row_gradient(kind, j, c, i, k, p, R, G, m)``: `row_gradient` of the kinds of contacts, besides those of a
distance."""
contact_row_hessian = Choice(_hessian_of_rolling, _hessian_of_touching, USUAL)
"""``contact_row_hessian(kind, j, c, i, k, p, R, factor, H)``: their `row_hessian`."""
row_value = Choice(_value_of_common, _value_of_any, ANGLE)
"""``row_value(kind, j, c, near, i, k, p, R)``: value of row j between the markers i (A) and k (B); NaN for an unknown
kind.

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
row_gradient = Choice(_gradient_of_common, _gradient_of_any, ANGLE)
"""``row_gradient(kind, j, c, near, i, k, p, R, G, m)``: the value as well; the gradient (12,) overwrites ``G[m]``."""
row_hessian = Choice(_hessian_of_common, _hessian_of_any, ANGLE)
"""``row_hessian(kind, j, c, near, i, k, p, R, factor, H)``: ``factor`` times the Hessian (12, 12) of a row is added to
``H``: entry (component of the gradient, increment)."""


@kernel
def e_of(c: FloatArray, j: int) -> Vector:
    """First vector of the constants."""
    return c[j, 0], c[j, 1], c[j, 2]


@kernel
def b_of(c: FloatArray, j: int) -> Vector:
    """Second vector of the constants."""
    return c[j, 3], c[j, 4], c[j, 5]


@kernel
def between(p: FloatArray, i: int, k: int) -> Vector:
    """p_B - p_A."""
    return p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2]
