"""Vectors of three numbers and 3 x 3 matrices of nine (row by row) as tuples, for kernels that allocate nothing.

A change here does not reach kernels of other files that numba has kept on disk; the tests use a cache of their own for
every state of the sources.
"""

from __future__ import annotations

from flexmbs.core.jit import kernel

__all__ = [
    "Matrix",
    "Vector",
    "columns",
    "combination",
    "cross",
    "dot",
    "dyads",
    "mixed",
    "plus",
    "scaled",
    "transposed",
]

Vector = tuple[float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def combination(s: float, a: Vector, t: float, b: Vector) -> Vector:
    """The vector s a + t b."""
    return s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]


@kernel
def plus(a: Vector, t: float, b: Vector) -> Vector:
    """The vector a + t b."""
    return a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]


@kernel
def scaled(s: float, a: Vector) -> Vector:
    """The vector s a."""
    return s * a[0], s * a[1], s * a[2]


@kernel
def dyads(s: float, a: Vector, b: Vector, c: Vector, d: Vector) -> Matrix:
    """The matrix s I + a b^T + c d^T."""
    return (
        s + a[0] * b[0] + c[0] * d[0],
        a[0] * b[1] + c[0] * d[1],
        a[0] * b[2] + c[0] * d[2],
        a[1] * b[0] + c[1] * d[0],
        s + a[1] * b[1] + c[1] * d[1],
        a[1] * b[2] + c[1] * d[2],
        a[2] * b[0] + c[2] * d[0],
        a[2] * b[1] + c[2] * d[1],
        s + a[2] * b[2] + c[2] * d[2],
    )


@kernel
def mixed(s: float, A: Matrix, t: float, B: Matrix) -> Matrix:
    """The matrix s A + t B."""
    return (
        s * A[0] + t * B[0],
        s * A[1] + t * B[1],
        s * A[2] + t * B[2],
        s * A[3] + t * B[3],
        s * A[4] + t * B[4],
        s * A[5] + t * B[5],
        s * A[6] + t * B[6],
        s * A[7] + t * B[7],
        s * A[8] + t * B[8],
    )


@kernel
def transposed(A: Matrix) -> Matrix:
    """The transpose."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@kernel
def columns(x: Vector, y: Vector, z: Vector) -> Matrix:
    """The matrix with these columns."""
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]
