"""Products of 3x3 matrices on arrays; numba compiles these loops in a fraction of the time that ``@`` takes."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = ["apply", "cross_matrix", "multiply"]


@kernel
def cross_matrix(a0: float, a1: float, a2: float, out: FloatArray) -> None:
    """a~."""
    out[0, 0], out[0, 1], out[0, 2] = 0.0, -a2, a1
    out[1, 0], out[1, 1], out[1, 2] = a2, 0.0, -a0
    out[2, 0], out[2, 1], out[2, 2] = -a1, a0, 0.0


@kernel
def multiply(A: FloatArray, B: FloatArray, out: FloatArray) -> None:
    """out = A B."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@kernel
def apply(A: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = A x."""
    for i in range(3):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]
