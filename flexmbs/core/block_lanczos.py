r"""Block Lanczos with full reorthogonalisation, for operators that serve many right-hand sides at little more than one.

For a pencil :math:`A x = \theta^{-1} M x` with factorised A the operator :math:`A^{-1} M` is symmetric in the inner
product of M. From a block V_0 of random vectors

.. math:: A^{-1} M V_j = \sum_{i \le j} V_i H_{ij} + V_{j+1} \beta_j, \qquad V^T M V = 1,

and the Ritz values of the small matrix H are the eigenvalues; :math:`|\beta_j s|/\theta` with the last rows s of an
eigenvector of H is the relative residual of a pair in the norm of M. Sparse triangular solutions are bound by memory,
so that 8 at once take a quarter of the time of 8 single ones; a block also finds multiple eigenvalues at once.

Source: R. G. Grimes, J. G. Lewis, H. D. Simon, A shifted block Lanczos algorithm for solving sparse symmetric
generalized eigenproblems, SIAM J. Matrix Anal. Appl. 15 (1994) 228-272; here without restarts, so that all vectors stay
in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError

__all__ = ["block_lanczos"]

DROPPED = 1e-10
"""Directions of a new block whose norm falls below this part of the largest are old ones and round-off."""


def block_lanczos(
    solve: Callable[[FloatArray], FloatArray], M: Any, count: int, block: int, tolerance: float = 1e-12
) -> tuple[FloatArray, FloatArray]:
    """The ``count`` largest eigenvalues of A^-1 M (descending) and their M-orthonormal vectors (n, count).

    Parameters
    ----------
    solve : callable
        A^-1 for right-hand sides (n, p).
    M : sparse matrix (n, n)
        Symmetric, positive semidefinite.
    count : int
        How many.
    block : int
        Vectors at once.
    tolerance : float
        Largest relative residual of a pair, in the norm of M.

    Raises
    ------
    ConvergenceError
        If all vectors of the space have been used up, which only a matrix with entries that are not finite can cause.
    """
    n = M.shape[0]
    random = np.random.default_rng(0)  # the same digits in every run
    basis = np.empty((n, 0), order="F")
    H = np.empty((0, 0))
    # one application takes the start out of the null space of M
    start = solve(M @ random.standard_normal((n, block)))
    new, M_new, beta = _orthonormal(start, M @ start, M)
    size = 0
    while size < n and new.shape[1]:
        begin, size = size, size + new.shape[1]
        if size > basis.shape[1]:
            basis = _wider(basis, begin, max(size, min(n, 2 * size, begin + count + 4 * block)))
        basis[:, begin:size] = new
        V = basis[:, :size]
        W = solve(M_new)
        C = V.T @ (M @ W)
        W -= V @ C
        M_W = M @ W
        again = V.T @ M_W
        W -= V @ again
        grown = np.zeros((size, size))
        grown[:begin, :begin] = H
        grown[:, begin:] = C + again
        grown[begin:, :begin] = grown[:begin, begin:].T
        H = grown
        new, M_new, beta = _orthonormal(W, M_W, M)
        if size >= count + block or not new.shape[1] or size >= n:
            theta, S = linalg.eigh(0.5 * (H + H.T))
            theta, S = theta[::-1][:count], S[:, ::-1][:, :count]
            rest = np.linalg.norm(beta @ S[begin:], axis=0) if new.shape[1] else np.zeros(len(theta))
            if len(theta) == count and (rest <= tolerance * np.abs(theta)).all():
                return theta, V @ S
        if not new.shape[1] and size < count:  # an invariant space that is too small: go on beside it
            fresh = solve(M @ random.standard_normal((n, block)))
            for _ in range(2):
                fresh -= V @ (V.T @ (M @ fresh))
            new, M_new, _ = _orthonormal(fresh, M @ fresh, M)
    raise ConvergenceError(f"block Lanczos: {count} eigenvalues were not found among {size} vectors.")


def _wider(basis: FloatArray, used: int, width: int) -> FloatArray:
    """Room for more vectors."""
    out = np.empty((len(basis), width), order="F")
    out[:, :used] = basis[:, :used]
    return out


def _orthonormal(W: FloatArray, M_W: FloatArray, M: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """M-orthonormal Q, M Q, and R with W = Q R, without directions that are lost; twice, since once loses digits.

    ``M_W`` may be that of W before its last small correction.
    """
    Q, M_Q, R = W, M_W, np.eye(W.shape[1])
    for last in (False, True):
        values, vectors = linalg.eigh(Q.T @ M_Q)
        keep = values > DROPPED**2 * max(float(values[-1]), 0.0)
        root = np.sqrt(values[keep])
        turn = vectors[:, keep] / root
        Q, R = Q @ turn, (root[:, None] * vectors[:, keep].T) @ R
        M_Q = M_Q @ turn if last else M @ Q
    return Q, M_Q, R
