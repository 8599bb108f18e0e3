"""The row ORTHOGONAL: the cosine a . C b of an axis of marker A and one of marker B."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import (
    Matrix,
    Vector,
    applied,
    applied_back,
    back_product,
    combination,
    cross,
    dot,
    negative,
    product,
    scaled,
    skew,
    transposed,
)
from flexmbs.kernels.rows.changes import add_turn, set_gradient
from flexmbs.kernels.rows.kind import RowKind

__all__ = ["KINDS", "ORTHOGONAL"]

ORTHOGONAL = 2
ZERO: Vector = (0.0, 0.0, 0.0)


@inlined
def _cosine(e: Vector, b: Vector, A: Matrix, B: Matrix) -> float:
    return dot(applied(A, e), applied(B, b))


@inlined
def _gradient(e: Vector, b: Vector, A: Matrix, B: Matrix) -> tuple[float, Vector, Vector, Vector]:
    wa, wb = applied(A, e), applied(B, b)
    return dot(wa, wb), ZERO, cross(e, applied_back(A, wb)), cross(b, applied_back(B, wa))


@inlined
def _hessian(e: Vector, b: Vector, A: Matrix, B: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    ea, eb = skew(e), skew(b)
    coupling = product(ea, product(back_product(A, B), eb))
    aa = product(ea, skew(applied_back(A, applied(B, b))))
    bb = product(eb, skew(applied_back(B, applied(A, e))))
    return aa, negative(coupling), negative(transposed(coupling)), bb


@kernel
def _change(e: Vector, b: Vector, A0: Matrix, B0: Matrix, A1: Matrix, B1: Matrix, S: FloatArray) -> None:
    e1, b1 = applied(A1, e), applied(B1, b)
    E = combination(0.5, applied(A0, e), 0.5, e1)
    B = combination(0.5, applied(B0, b), 0.5, b1)
    m, m1 = cross(E, B), cross(e1, b1)
    set_gradient(S, 12, ZERO, m, scaled(-1.0, m))
    set_gradient(S, 13, ZERO, m1, scaled(-1.0, m1))
    add_turn(S, 1.0, E, B, e1, b1)


KINDS = (
    RowKind(
        number=ORTHOGONAL, name="ORTHOGONAL", unit="1", uses=("first", "second"), normal="",
        value=_cosine, gradient=_gradient, hessian=_hessian, change=_change,
    ),
)  # fmt: skip
