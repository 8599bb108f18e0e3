"""Products with one small matrix (a, b) of every shape, kept as stacks (a, b, m): the innermost loop runs over shapes.

Loops over the lengths of arrays compile in a fraction of the time of loops that are written out, and over shapes they
are vectorised.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = [
    "add_axial",
    "add_both_sides",
    "add_left",
    "add_over",
    "add_pairs",
    "add_products",
    "add_right",
    "add_scalars",
    "add_scaled",
    "add_sum",
    "add_twice",
    "clear",
]


@kernel
def add_left(A: FloatArray, X: FloatArray, out: FloatArray) -> None:
    """out_k += A^T X_k."""
    for c in range(A.shape[0]):
        for a in range(A.shape[1]):
            s = A[c, a]
            for b in range(X.shape[1]):
                for k in range(X.shape[2]):
                    out[a, b, k] += s * X[c, b, k]


@kernel
def add_right(X: FloatArray, A: FloatArray, out: FloatArray) -> None:
    """out_k += X_k A."""
    for a in range(X.shape[0]):
        for b in range(A.shape[1]):
            for c in range(A.shape[0]):
                s = A[c, b]
                for k in range(X.shape[2]):
                    out[a, b, k] += s * X[a, c, k]


@kernel
def add_over(X: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out_k += sum_l x_l X_lk, with X (m, a, b, m)."""
    for j in range(x.shape[0]):
        s = x[j]
        for a in range(X.shape[1]):
            for b in range(X.shape[2]):
                for k in range(X.shape[3]):
                    out[a, b, k] += s * X[j, a, b, k]


@kernel
def add_sum(s: float, X: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out += s sum_k X_k x_k."""
    for a in range(X.shape[0]):
        for b in range(X.shape[1]):
            t = 0.0
            for k in range(X.shape[2]):
                t += X[a, b, k] * x[k]
            out[a, b] += s * t


@kernel
def add_pairs(U: FloatArray, V: FloatArray, B: FloatArray) -> None:
    """B[6 + k, 6 + j] += U_k : V_j."""
    m = U.shape[2]
    for a in range(U.shape[0]):
        for b in range(U.shape[1]):
            for k in range(m):
                s = U[a, b, k]
                for j in range(m):
                    B[6 + k, 6 + j] += s * V[a, b, j]


@kernel
def add_twice(A: FloatArray, X: FloatArray, B: FloatArray) -> None:
    """B[6 + k, 6 + j] += A : X_kj, with X (m, a, b, m)."""
    m = X.shape[3]
    for k in range(m):
        for a in range(A.shape[0]):
            for b in range(A.shape[1]):
                s = A[a, b]
                for j in range(m):
                    B[6 + k, 6 + j] += s * X[k, a, b, j]


@kernel
def add_axial(s: float, X: FloatArray, B: FloatArray) -> None:
    """B[3:6, 6 + k] += s (sum of y x z), where X_k is the sum of y z^T."""
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for k in range(X.shape[2]):
            B[3 + a, 6 + k] += s * (X[b, c, k] - X[c, b, k])


@kernel
def add_both_sides(s: float, A: FloatArray, X: FloatArray, out: FloatArray) -> None:
    """out_k += s (A Y + Y A) with Y, the last three rows of X_k (4, 3), into the last three rows of out_k."""
    for a in range(3):
        for b in range(3):
            for c in range(3):
                t, r = s * A[a, c], s * A[c, b]
                for k in range(X.shape[2]):
                    out[1 + a, b, k] += t * X[1 + c, b, k] + r * X[1 + a, c, k]


@kernel
def add_products(s: float, U: FloatArray, V: FloatArray, B: FloatArray) -> None:
    """B[6 + k, 6 + j] += s tr(X Y), where X and Y are the last three rows of U_k and V_j."""
    m = U.shape[2]
    for a in range(3):
        for b in range(3):
            for k in range(m):
                t = s * U[1 + a, b, k]
                for j in range(m):
                    B[6 + k, 6 + j] += t * V[1 + b, a, j]


@kernel
def add_scalars(A: FloatArray, X: FloatArray, out: FloatArray) -> None:
    """out_k += A : X_k."""
    for a in range(X.shape[0]):
        for b in range(X.shape[1]):
            s = A[a, b]
            for k in range(X.shape[2]):
                out[k] += s * X[a, b, k]


@kernel
def add_scaled(s: float, X: FloatArray, out: FloatArray) -> None:
    """out_k += s X_k."""
    for a in range(X.shape[0]):
        for b in range(X.shape[1]):
            for k in range(X.shape[2]):
                out[a, b, k] += s * X[a, b, k]


@kernel
def clear(X: FloatArray) -> None:
    """X_k = 0."""
    for a in range(X.shape[0]):
        for b in range(X.shape[1]):
            for k in range(X.shape[2]):
                X[a, b, k] = 0.0
