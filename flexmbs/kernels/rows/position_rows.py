"""The rows INERTIAL, ALONG and DISTANCE: where marker B is, as seen from the ground, from A, or by its distance.

INERTIAL is e . d, ALONG is e . (A^T d), DISTANCE the length of d, with d = p_B - p_A. DISTANCE has no gradient where
d = 0: it becomes NaN there.
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
    combination,
    cross,
    dot,
    mixed,
    outer,
    product,
    scaled,
    skew,
)
from flexmbs.kernels.rows.changes import set_gradient
from flexmbs.kernels.rows.kind import RowKind

__all__ = ["ALONG", "DISTANCE", "INERTIAL", "KINDS"]

INERTIAL = 0
ALONG = 1
DISTANCE = 3
ZERO: Vector = (0.0, 0.0, 0.0)


@inlined
def _inertial(e: Vector, d: Vector) -> float:
    return dot(e, d)


@inlined
def _inertial_gradient(e: Vector, d: Vector) -> tuple[float, Vector, Vector, Vector]:
    return dot(e, d), e, ZERO, ZERO


@kernel
def _inertial_change(e: Vector, S: FloatArray) -> None:
    set_gradient(S, 12, e, ZERO, ZERO)
    set_gradient(S, 13, e, ZERO, ZERO)


@inlined
def _along(e: Vector, d: Vector, A: Matrix) -> float:
    return dot(applied(A, e), d)


@inlined
def _along_gradient(e: Vector, delta: Vector, A: Matrix) -> tuple[float, Vector, Vector, Vector]:
    return dot(e, delta), applied(A, e), cross(e, delta), ZERO


@inlined
def _along_hessian(e: Vector, delta: Vector) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    return product(skew(e), skew(delta)), NULL, NULL, NULL


@kernel
def _along_change(e: Vector, d0: Vector, d1: Vector, A0: Matrix, A1: Matrix, S: FloatArray) -> None:
    e1 = applied(A1, e)
    E, D = combination(0.5, applied(A0, e), 0.5, e1), combination(0.5, d0, 0.5, d1)
    set_gradient(S, 12, E, cross(E, D), ZERO)
    set_gradient(S, 13, e1, cross(e1, d1), ZERO)
    T = skew(e1)
    add_block(S, 6, 3, -0.5, T)
    add_block(S, 0, 3, 0.5, T)
    add_block(S, 3, 3, 0.5, product(skew(D), T))
    T = skew(E)
    add_block(S, 3, 6, 0.5, T)
    add_block(S, 3, 0, -0.5, T)


@inlined
def _distance(d: Vector) -> float:
    return math.sqrt(dot(d, d))


@inlined
def _distance_gradient(d: Vector) -> tuple[float, Vector, Vector, Vector]:
    length = math.sqrt(dot(d, d))
    return length, scaled(1.0 / length, d), ZERO, ZERO


@inlined
def _add_distance_hessian(d: Vector, factor: float, H: FloatArray) -> None:
    length = math.sqrt(dot(d, d))
    n = scaled(1.0 / length, d)
    N = mixed(1.0 / length, IDENTITY, -1.0 / length, outer(n, n))
    add_block(H, 0, 0, factor, N)
    add_block(H, 0, 6, -factor, N)
    add_block(H, 6, 0, -factor, N)
    add_block(H, 6, 6, factor, N)


@kernel
def _distance_change(d0: Vector, d1: Vector, S: FloatArray) -> None:
    l0, l1 = math.sqrt(dot(d0, d0)), math.sqrt(dot(d1, d1))
    s = 1.0 / (l0 + l1)
    n, n1 = combination(s, d0, s, d1), scaled(1.0 / l1, d1)
    set_gradient(S, 12, n, ZERO, ZERO)
    set_gradient(S, 13, n1, ZERO, ZERO)
    N = mixed(s, IDENTITY, -s, outer(n, n1))
    add_block(S, 0, 0, 1.0, N)
    add_block(S, 0, 6, -1.0, N)
    add_block(S, 6, 0, -1.0, N)
    add_block(S, 6, 6, 1.0, N)


KINDS = (
    RowKind(
        number=INERTIAL, name="INERTIAL", unit="length", uses=("", ""), normal="fixed",
        value=_inertial, gradient=_inertial_gradient, change=_inertial_change,
    ),
    RowKind(
        number=ALONG, name="ALONG", unit="length", uses=("first", ""), normal="first",
        value=_along, gradient=_along_gradient, hessian=_along_hessian, change=_along_change,
        coordinate=("displacement", (0.0, 0.0, 1.0)),
    ),
    RowKind(
        number=DISTANCE, name="DISTANCE", unit="length", uses=("", ""), normal="own",
        value=_distance, gradient=_distance_gradient, add_hessian=_add_distance_hessian, change=_distance_change,
        coordinate=("distance", ()), connects=True,
    ),
)  # fmt: skip
