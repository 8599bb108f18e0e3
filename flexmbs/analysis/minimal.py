r"""Minimal coordinates: the directions that the constraints allow, G N = 0.

With :math:`\delta q = N z` the linearised equations become :math:`N^T (M \delta a + D \delta v + K \delta q) = 0`: the
multipliers are gone. Two bases: an orthonormal one, and one in which z are some of the coordinates themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, eigh, qr

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics import Dynamics
from flexmbs.linearisation import ConstrainedLinearisation

__all__ = ["DENSE", "Stability", "dependent_first", "orthonormal_basis", "partitioned_basis", "stability"]

DENSE = 1_500
"""Number of free velocities up to which matrices are made dense."""
RANK = 1e-9
"""Pivot, relative to the largest, below which a constraint follows from the others."""
LEVEL = 1e-12
"""Eigenvalue of the stiffness, relative to the largest, below which it may be round-off."""
NOISE = 100.0 * float(np.finfo(float).eps)
"""Share of x^T K x, all its terms taken positive, below which it is round-off."""


class Stability(NamedTuple):
    """Whether no direction is unstable, and the coordinates that move most in directions that nothing holds."""

    stable: bool
    free: tuple[str, ...]


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


def dependent_first(dyn: Dynamics, lin: ConstrainedLinearisation) -> FloatArray:
    """Weights (n,) by which translations become dependent before rotations, and later bodies before earlier ones."""
    weight = np.full(dyn.n_v, 1e-3 / dyn.length)
    weight[dyn.coordinates.displacements] = 1.0
    return np.asarray((weight * (1.0 + 1e-6 * np.arange(dyn.n_v)))[lin.free])


def stability(dyn: Dynamics, lin: ConstrainedLinearisation) -> Stability:
    """Signs of the eigenvalues of the stiffness on the directions that the constraints allow."""
    still = ~lin.states
    G = lin.G.toarray()[:, still]
    N = orthonormal_basis(G)
    if not N.shape[1]:
        return Stability(True, ())
    K, M = (x.toarray()[np.ix_(still, still)] for x in (lin.K, lin.M))
    K, M = N.T @ K @ N, N.T @ M @ N
    try:
        values, vectors = eigh(0.5 * (K + K.T), M)
    except LinAlgError:
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    low = np.abs(values) <= LEVEL * float(np.abs(values).max())
    # what the solver cannot tell from zero, it may be in itself: bending of thin shells and beams beside their stiff
    # thickness
    small, turn = np.linalg.eigh(vectors[:, low].T @ (0.5 * (K + K.T)) @ vectors[:, low])
    directions = np.abs(vectors[:, low] @ turn)
    noise = NOISE * np.einsum("ij,ik,kj->j", directions, np.abs(K), directions, optimize=True)
    idle = N @ (vectors[:, low] @ turn)[:, np.abs(small) <= noise]
    free = lin.free[still]
    names = [dyn.coordinates.describe(int(free[i])) for i in np.flatnonzero(_share(idle) > 0.3)[:6]]
    stable = values[~low].min(initial=0.0) >= 0.0 and (small >= -noise).all()
    return Stability(bool(stable), tuple(names))


def _share(vectors: FloatArray) -> FloatArray:
    """Size of the entries of some directions, relative to the largest."""
    size = np.sqrt((vectors**2).sum(axis=1))
    return np.asarray(size / max(float(size.max(initial=0.0)), 1e-300))


def _rows_of_one_size(G: FloatArray) -> FloatArray:
    size = np.linalg.norm(G, axis=1)
    return np.asarray(G[size > 0.0] / size[size > 0.0, None])


def _rank(R: FloatArray) -> int:
    pivots = np.abs(np.diag(R))
    return int((pivots > RANK * pivots[0]).sum())
