"""Vectors of three numbers and 3 x 3 matrices of nine (row by row) as tuples, for kernels that allocate nothing.

Tuples cost nothing in jitted code, whereas every array handed from kernel to kernel may cost the counting of a
reference, which is dearer than a whole row.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = [
    "IDENTITY",
    "NULL",
    "Matrix",
    "Vector",
    "add_block",
    "applied",
    "applied_back",
    "back_product",
    "columns",
    "combination",
    "cross",
    "dot",
    "dyads",
    "mixed",
    "negative",
    "outer",
    "plus",
    "product",
    "rotation",
    "scaled",
    "skew",
    "times",
    "transposed",
    "triple",
]

Vector = tuple[float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

IDENTITY: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
NULL: Matrix = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def scaled(s: float, a: Vector) -> Vector:
    """The vector s a."""
    return s * a[0], s * a[1], s * a[2]


@kernel
def plus(a: Vector, t: float, b: Vector) -> Vector:
    """The vector a + t b."""
    return a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]


@kernel
def combination(s: float, a: Vector, t: float, b: Vector) -> Vector:
    """The vector s a + t b."""
    return s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]


@kernel
def applied(A: Matrix, a: Vector) -> Vector:
    """The vector A a."""
    return (
        A[0] * a[0] + A[1] * a[1] + A[2] * a[2],
        A[3] * a[0] + A[4] * a[1] + A[5] * a[2],
        A[6] * a[0] + A[7] * a[1] + A[8] * a[2],
    )


@kernel
def applied_back(A: Matrix, a: Vector) -> Vector:
    """The vector A^T a."""
    return (
        A[0] * a[0] + A[3] * a[1] + A[6] * a[2],
        A[1] * a[0] + A[4] * a[1] + A[7] * a[2],
        A[2] * a[0] + A[5] * a[1] + A[8] * a[2],
    )


@kernel
def rotation(R: FloatArray, i: int) -> Matrix:
    """The orientation R_i of marker i."""
    return (
        R[i, 0, 0],
        R[i, 0, 1],
        R[i, 0, 2],
        R[i, 1, 0],
        R[i, 1, 1],
        R[i, 1, 2],
        R[i, 2, 0],
        R[i, 2, 1],
        R[i, 2, 2],
    )


@kernel
def triple(a: FloatArray, row: int, col: int) -> Vector:
    """The vector a[row, col : col + 3]."""
    return a[row, col], a[row, col + 1], a[row, col + 2]


@kernel
def skew(a: Vector) -> Matrix:
    """The matrix a~ with a~ b = a x b."""
    return 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0


@kernel
def outer(a: Vector, b: Vector) -> Matrix:
    """The dyad a b^T."""
    return (
        a[0] * b[0],
        a[0] * b[1],
        a[0] * b[2],
        a[1] * b[0],
        a[1] * b[1],
        a[1] * b[2],
        a[2] * b[0],
        a[2] * b[1],
        a[2] * b[2],
    )


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
def columns(x: Vector, y: Vector, z: Vector) -> Matrix:
    """The matrix with these columns."""
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@kernel
def transposed(A: Matrix) -> Matrix:
    """A^T."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@kernel
def negative(A: Matrix) -> Matrix:
    """-A."""
    return -A[0], -A[1], -A[2], -A[3], -A[4], -A[5], -A[6], -A[7], -A[8]


@kernel
def times(s: float, A: Matrix) -> Matrix:
    """The matrix s A."""
    return s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8]


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
def product(A: Matrix, B: Matrix) -> Matrix:
    """The matrix A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def back_product(A: Matrix, B: Matrix) -> Matrix:
    """The matrix A^T B."""
    return product(transposed(A), B)


@kernel
def add_block(H: FloatArray, row: int, col: int, s: float, A: Matrix) -> None:
    """H[row : row + 3, col : col + 3] += s A."""
    H[row, col] += s * A[0]
    H[row, col + 1] += s * A[1]
    H[row, col + 2] += s * A[2]
    H[row + 1, col] += s * A[3]
    H[row + 1, col + 1] += s * A[4]
    H[row + 1, col + 2] += s * A[5]
    H[row + 2, col] += s * A[6]
    H[row + 2, col + 1] += s * A[7]
    H[row + 2, col + 2] += s * A[8]
