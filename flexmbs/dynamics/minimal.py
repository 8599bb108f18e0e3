r"""Minimal coordinates: the directions that the constraints allow, G N = 0.

With :math:`\delta q = N z` the linearised equations become :math:`N^T (M \delta a + D \delta v + K \delta q) = 0`: the
multipliers are gone. Two bases: an orthonormal one, and one in which z are some of the coordinates themselves.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import ConstrainedLinearisation

__all__ = ["DENSE", "basis_with", "dependent_first", "orthonormal_basis", "partitioned_basis"]

DENSE = 1_500
"""Number of free velocities up to which matrices are made dense."""
RANK = 1e-9
"""Pivot, relative to the largest, below which a constraint follows from the others."""


def orthonormal_basis(G: FloatArray) -> FloatArray:
    """Orthonormal N (n, n - rank) with G N = 0."""
    A = _rows_of_one_size(G)
    if not len(A):
        return np.eye(G.shape[1])
    Q, R, _ = qr(A.T, pivoting=True)
    return np.ascontiguousarray(Q[:, _rank(R) :])


def partitioned_basis(G: FloatArray, last: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """N with unit rows at the independent coordinates, pseudo-inverse P of G on the others, and the independent ones.

    Coordinates with a large entry of ``last`` (n,) become dependent first.
    """
    n = G.shape[1]
    A = _rows_of_one_size(G)
    if not len(A):
        return np.eye(n), np.zeros((n, len(G))), np.arange(n)
    _, R, _ = qr(A.T, mode="economic", pivoting=True)
    rank = _rank(R)
    _, _, order = qr(A * last, mode="economic", pivoting=True)
    dependent, independent = np.sort(order[:rank]), np.sort(order[rank:])
    inverse = np.linalg.pinv(G[:, dependent], rcond=RANK)
    N, P = np.zeros((n, n - rank)), np.zeros((n, len(G)))
    N[independent, np.arange(n - rank)] = 1.0
    N[dependent] = -inverse @ G[:, independent]
    P[dependent] = inverse
    return N, P, independent


def basis_with(G: FloatArray, independent: IntArray) -> tuple[FloatArray, FloatArray] | None:
    """N and P as `partitioned_basis` gives them, for given independent coordinates; None where these do not suffice."""
    n = G.shape[1]
    dependent = np.setdiff1d(np.arange(n), independent)
    N, P = np.zeros((n, len(independent))), np.zeros((n, len(G)))
    N[independent, np.arange(len(independent))] = 1.0
    if len(dependent) > len(G):
        return None
    if len(dependent):
        part = G[:, dependent]
        size = np.linalg.norm(part, axis=0)
        if not size.all() or np.linalg.matrix_rank(part / size, tol=RANK) < len(dependent):
            return None
        inverse = np.linalg.pinv(part, rcond=RANK)
        N[dependent], P[dependent] = -inverse @ G[:, independent], inverse
    left = np.abs(G @ N).max(initial=0.0)
    return None if left > 1e-6 * np.abs(G).max(initial=0.0) * max(1.0, np.abs(N).max(initial=0.0)) else (N, P)


def dependent_first(dyn: Dynamics, lin: ConstrainedLinearisation) -> FloatArray:
    """Weights (n,) by which translations become dependent before rotations, and later bodies before earlier ones."""
    weight = np.full(dyn.n_v, 1e-3 / dyn.length)
    weight[dyn.coordinates.displacements] = 1.0
    return np.asarray((weight * (1.0 + 1e-6 * np.arange(dyn.n_v)))[lin.free])


def _rows_of_one_size(G: FloatArray) -> FloatArray:
    size = np.linalg.norm(G, axis=1)
    return np.asarray(G[size > 0.0] / size[size > 0.0, None])


def _rank(R: FloatArray) -> int:
    pivots = np.abs(np.diag(R))
    return int((pivots > RANK * pivots[0]).sum())
