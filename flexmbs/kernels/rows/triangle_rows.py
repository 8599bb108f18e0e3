"""Rows of contact between a triangle, which both sides touch, and a ball: those of `contact_rows` with its distance."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import inlined
from flexmbs.core.triples import Matrix, Vector
from flexmbs.kernels.distances import triangle_distance
from flexmbs.kernels.rows.contact_rows import Row, add_gap, add_slip, gap_row, slip_row
from flexmbs.kernels.rows.kind import RowKind

__all__ = ["KINDS", "TRIANGLE_GAP", "TRIANGLE_SLIP"]

TRIANGLE_GAP, TRIANGLE_SLIP = 22, 23


@inlined
def _triangle_gap(b: Vector, radius: float, delta: Vector) -> float:
    return triangle_distance(b, delta)[0] - radius


@inlined
def _triangle_gap_row(b: Vector, radius: float, delta: Vector, A: Matrix) -> Row:
    return gap_row(triangle_distance(b, delta), radius, delta, A)


@inlined
def _triangle_slip_row(e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix) -> Row:
    return slip_row(triangle_distance(b, delta), e, radius, delta, A, B)


@inlined
def _add_triangle_gap(b: Vector, delta: Vector, A: Matrix, factor: float, H: FloatArray) -> None:
    add_gap(triangle_distance(b, delta), delta, A, factor, H)


@inlined
def _add_triangle_slip(
    e: Vector, b: Vector, radius: float, delta: Vector, A: Matrix, B: Matrix, factor: float, H: FloatArray
) -> None:
    add_slip(triangle_distance(b, delta), e, radius, delta, A, B, factor, H)


KINDS = (
    RowKind(
        number=TRIANGLE_GAP, name="TRIANGLE_GAP", unit="length", uses=("all", ""), normal="own", contact=True,
        value=_triangle_gap, gradient=_triangle_gap_row, add_hessian=_add_triangle_gap,
    ),
    RowKind(
        number=TRIANGLE_SLIP, name="TRIANGLE_SLIP", unit="velocity", uses=("all", "all"), normal="own", contact=True,
        velocity_only=True, gradient=_triangle_slip_row, add_hessian=_add_triangle_slip,
    ),
)  # fmt: skip
