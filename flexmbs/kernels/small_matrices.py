"""Products of small matrices on arrays; numba compiles these loops in a fraction of the time that ``@`` takes."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = ["add_product", "add_transposed", "apply", "cross_matrix", "fill", "multiply"]


@kernel
def cross_matrix(a0: float, a1: float, a2: float, out: FloatArray) -> None:
    """a~."""
    out[0, 0], out[0, 1], out[0, 2] = 0.0, -a2, a1
    out[1, 0], out[1, 1], out[1, 2] = a2, 0.0, -a0
    out[2, 0], out[2, 1], out[2, 2] = -a1, a0, 0.0


@kernel
def fill(out: FloatArray, value: float) -> None:
    """All entries of a matrix."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = value


@kernel
def add_product(s: float, A: FloatArray, B: FloatArray, out: FloatArray) -> None:
    """out += s A B."""
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            t = 0.0
            for k in range(B.shape[0]):
                t += A[i, k] * B[k, j]
            out[i, j] += s * t


@kernel
def add_transposed(s: float, A: FloatArray, B: FloatArray, out: FloatArray) -> None:
    """out += s A^T B."""
    for i in range(A.shape[1]):
        for j in range(B.shape[1]):
            t = 0.0
            for k in range(A.shape[0]):
                t += A[k, i] * B[k, j]
            out[i, j] += s * t


@kernel
def multiply(A: FloatArray, B: FloatArray, out: FloatArray) -> None:
    """out = A B."""
    fill(out, 0.0)
    add_product(1.0, A, B, out)


@kernel
def apply(A: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = A x."""
    for i in range(3):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]
