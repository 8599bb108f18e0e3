"""The exact response of a reduced model to held forces, from its K, M and D alone."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def free_of(model, fixed=()):
    """Coordinates that are not held."""
    held = [c for name in fixed for c in model.frame(name).coordinates]
    return np.setdiff1d(np.arange(model.size), held)


def damping_of(model, ratio, free):
    """D with equal modal damping ratios added, for the coordinates that are free."""
    block = np.ix_(free, free)
    K, M = model.K[block], model.M[block]
    D = np.zeros_like(K) if model.D is None else model.D[block]
    values, Phi = linalg.eigh(K, M)
    return D + M @ Phi @ np.diag(2.0 * ratio * np.sqrt(np.maximum(values, 0.0))) @ Phi.T @ M


def held_response(K, D, M, B, u, h):
    """Displacements and velocities (steps + 1, n) of M q'' + D q' + K q = B u, u (steps, n_u) held over steps h.

    The mass-weighted states are scaled by a frequency, so that the exponential works on numbers of one size.
    """
    n, w = len(K), np.sqrt(np.abs(K).max() / np.abs(M).max())
    A = np.zeros((2 * n + B.shape[1],) * 2)
    A[:n, n : 2 * n] = w * np.eye(n)
    A[n : 2 * n] = np.linalg.solve(M, np.hstack([-K / w, -D, B / w]))
    E = linalg.expm(A * h)[: 2 * n]
    out = np.zeros((len(u) + 1, 2 * n))
    for k, held in enumerate(u):
        out[k + 1] = E @ np.concatenate([out[k], held])
    return out[:, :n], w * out[:, n:]
