r"""Systems (P + C) x = b with factors of P and a product with C: by GMRES on the left of P.

.. math:: x + P^{-1} C x = P^{-1} b.

Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869. Where C is small beside P, as between bodies whose
masses over the square of the step outweigh what is between them, a few products are enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = ["solve_coupled"]


def solve_coupled(
    solve: Callable[[FloatArray], FloatArray],
    product: Callable[[FloatArray, FloatArray], None],
    b: FloatArray,
    weight: FloatArray,
    basis: FloatArray,
    enough: float,
) -> FloatArray | None:
    """Solution (n,), or None where the room for directions does not do.

    Parameters
    ----------
    solve : callable
        P^-1 of a vector, which it may overwrite; its result may be overwritten by the next call.
    product : callable
        (x, y): y = C x.
    b : (n,) array
        It is left as it is.
    weight : (n,) array
        Of the norm in which what is left is measured; unknowns on which C does not act may have none.
    basis : (k + 1, n) array
        Room for k directions.
    enough : float
        Size of what is left, over that of P^-1 b, with which it ends.
    """
    most = len(basis) - 1
    y = np.empty_like(b)
    first = np.array(solve(b.copy()))
    H, right, turns = np.zeros((most + 1, most)), np.zeros(most + 1), np.zeros((most, 2))
    size = float(begin(first, weight, basis))
    if size == 0.0 or not math.isfinite(size):
        return first
    right[0] = size
    for k in range(most):
        product(basis[k], y)
        left = float(extend(k, solve(y), weight, basis, H, turns, right))
        if not math.isfinite(left):
            return None
        if left <= enough * size:
            combine(k + 1, H, right, basis, first)
            product(first, y)  # once more, for the unknowns without weight
            return np.array(solve(b - y))
    return None


@kernel
def begin(x: FloatArray, weight: FloatArray, basis: FloatArray) -> float:
    """The first direction; returns the size of x."""
    square = 0.0
    for i in range(x.shape[0]):
        square += weight[i] * x[i] * x[i]
    size = math.sqrt(square)
    for i in range(x.shape[0]):
        basis[0, i] = x[i] / size if size > 0.0 else 0.0
    return size


@kernel
def extend(
    k: int, w: FloatArray, weight: FloatArray, basis: FloatArray, H: FloatArray, turns: FloatArray, right: FloatArray
) -> float:
    """A further direction from direction k + ``w``; returns the size of what is left."""
    n, new = w.shape[0], basis[k + 1]
    for i in range(n):
        new[i] = basis[k, i] + w[i]
    for j in range(k + 1):
        along = weighted(weight, basis[j], new)
        for i in range(n):
            new[i] -= along * basis[j, i]
        H[j, k] = along
    square = weighted(weight, new, new)
    length = math.sqrt(square)
    if length > 0.0:
        for i in range(n):
            new[i] /= length
    for j in range(k):
        c, s = turns[j, 0], turns[j, 1]
        H[j, k], H[j + 1, k] = c * H[j, k] + s * H[j + 1, k], c * H[j + 1, k] - s * H[j, k]
    r = math.sqrt(H[k, k] * H[k, k] + square)
    turns[k, 0], turns[k, 1] = H[k, k] / r, length / r
    H[k, k] = r
    right[k + 1], right[k] = -turns[k, 1] * right[k], turns[k, 0] * right[k]
    return float(abs(right[k + 1]))


@kernel
def weighted(weight: FloatArray, x: FloatArray, y: FloatArray) -> float:
    """The scalar product x . W y, in four sums, none of which waits for the others."""
    s0 = s1 = s2 = s3 = 0.0
    n = x.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        s0 += weight[i] * x[i] * y[i]
        s1 += weight[i + 1] * x[i + 1] * y[i + 1]
        s2 += weight[i + 2] * x[i + 2] * y[i + 2]
        s3 += weight[i + 3] * x[i + 3] * y[i + 3]
    for i in range(whole, n):
        s0 += weight[i] * x[i] * y[i]
    return float((s0 + s1) + (s2 + s3))


@kernel
def combine(m: int, H: FloatArray, right: FloatArray, basis: FloatArray, x: FloatArray) -> None:
    """x of the first m directions."""
    x[:] = 0.0
    for k in range(m - 1, -1, -1):
        for j in range(k + 1, m):
            right[k] -= H[k, j] * right[j]
        right[k] /= H[k, k]
        for i in range(x.shape[0]):
            x[i] += right[k] * basis[k, i]
