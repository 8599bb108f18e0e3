r"""Minimal coordinates: the directions that the constraints allow, G N = 0.

With :math:`\delta q = N z` the linearised equations become :math:`N^T (M \delta a + D \delta v + K \delta q) = 0`: the
multipliers are gone. Two bases: an orthonormal one, and one in which z are some of the coordinates themselves.

What counts as zero in G is told by numbers of one size: increments are counted in the length of the model or
in 1 (`flexmbs.dynamics.linearisation.increment_sizes`), and each constraint is divided by the size of its row. So
nothing hangs on the unit of length in which a model is described.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import ConstrainedLinearisation

__all__ = [
    "DENSE",
    "basis_with",
    "dependent_first",
    "orthonormal_basis",
    "partitioned_basis",
    "pseudo_inverse",
]

DENSE = 1_500
"""Number of free velocities up to which matrices are made dense."""
RANK = 1e-9
"""Pivot, relative to the largest, below which a constraint follows from the others."""


def orthonormal_basis(G: FloatArray, sizes: FloatArray) -> FloatArray:
    """N (n, n - rank) with G N = 0, orthonormal in coordinates counted in ``sizes`` (n,)."""
    A, _ = _of_one_size(G, sizes)
    if not len(A):
        return np.diag(sizes)
    Q, R, _ = qr(A.T, pivoting=True)
    return np.ascontiguousarray(sizes[:, None] * Q[:, _rank(R) :])


def pseudo_inverse(G: FloatArray, sizes: FloatArray) -> FloatArray:
    """P (n, n_c): the least increment, in ``sizes`` (n,), that closes a gap; its transpose finds multipliers."""
    A, rows = _of_one_size(G, sizes)
    P = np.zeros((G.shape[1], len(G)))
    at = rows > 0.0
    if at.any():
        P[:, at] = sizes[:, None] * np.linalg.pinv(A, rcond=RANK) / rows[at]
    return P


def partitioned_basis(
    G: FloatArray, sizes: FloatArray, last: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:  # fmt: skip
    """N with unit rows at the independent coordinates, pseudo-inverse P of G on the others, and the independent ones.

    Coordinates, counted in ``sizes`` (n,), with a large entry of ``last`` (n,) become dependent first.
    """
    n = G.shape[1]
    A, _ = _of_one_size(G, sizes)
    if not len(A):
        return np.eye(n), np.zeros((n, len(G))), np.arange(n)
    _, R, _ = qr(A.T, mode="economic", pivoting=True)
    rank = _rank(R)
    _, _, order = qr(A * last, mode="economic", pivoting=True)
    return *_with(G, sizes, np.sort(order[:rank]), np.sort(order[rank:])), np.sort(order[rank:])


def basis_with(G: FloatArray, sizes: FloatArray, independent: IntArray) -> tuple[FloatArray, FloatArray] | None:
    """N and P as `partitioned_basis` gives them, for given independent coordinates; None where these do not suffice."""
    dependent = np.setdiff1d(np.arange(G.shape[1]), independent)
    A, _ = _of_one_size(G, sizes)
    if len(dependent) > len(A):
        return None
    if len(dependent):
        part = A[:, dependent]
        size = np.linalg.norm(part, axis=0)
        if not size.all() or np.linalg.matrix_rank(part / size, tol=RANK) < len(dependent):
            return None
    N, P = _with(G, sizes, dependent, independent)
    scaled = N / sizes[:, None] * sizes[independent]
    left = np.abs(A @ scaled).max(initial=0.0)
    return None if left > 1e-6 * max(1.0, np.abs(scaled).max(initial=0.0)) else (N, P)


def _with(
    G: FloatArray, sizes: FloatArray, dependent: IntArray, independent: IntArray
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """N and P for coordinates that depend on others."""
    N, P = np.zeros((G.shape[1], len(independent))), np.zeros((G.shape[1], len(G)))
    N[independent, np.arange(len(independent))] = 1.0
    P[dependent] = inverse = pseudo_inverse(G[:, dependent], sizes[dependent])
    N[dependent] = -inverse @ G[:, independent]
    return N, P


def dependent_first(dyn: Dynamics, lin: ConstrainedLinearisation) -> FloatArray:
    """Weights (n,) by which translations become dependent before rotations, and later bodies before earlier ones."""
    weight = np.full(dyn.n_v, 1e-3)
    weight[dyn.coordinates.displacements] = 1.0
    return np.asarray((weight * (1.0 + 1e-6 * np.arange(dyn.n_v)))[lin.free])


def _of_one_size(G: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows of G that are not zero, for coordinates counted in sizes, each of length 1; and the lengths of all."""
    A = G * sizes
    rows = np.linalg.norm(A, axis=1)
    return np.asarray(A[rows > 0.0] / rows[rows > 0.0, None]), rows


def _rank(R: FloatArray) -> int:
    pivots = np.abs(np.diag(R))
    return int((pivots > RANK * pivots[0]).sum())
