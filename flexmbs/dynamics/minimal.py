r"""Minimal coordinates: the directions that the constraints allow, G N = 0.

With :math:`\delta q = N z` the linearised equations become :math:`N^T (M \delta a + D \delta v + K \delta q) = 0`: the
multipliers are gone. Two bases: an orthonormal one, and one in which z are some of the coordinates themselves.

What counts as zero in G is told by numbers of one size: increments are counted in the length of the model or
in 1 (`flexmbs.system.sizes.increment_sizes`), constraints in theirs, and each row is divided by its length
unless that is round-off. So nothing hangs on the unit of length in which a model is described.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.compliance import NOTHING
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import ConstrainedLinearisation

__all__ = [
    "DENSE",
    "Sizes",
    "basis_with",
    "dependent_first",
    "of_one_size",
    "orthonormal_basis",
    "partitioned_basis",
    "pseudo_inverse",
]

DENSE = 1_500
"""Number of free velocities up to which matrices are made dense."""
RANK = 1e-9
"""Pivot, relative to the largest, below which a constraint follows from the others."""


class Sizes(NamedTuple):
    """What increments ``columns (n,)`` and constraints ``rows (n_c,)`` are counted in."""

    columns: FloatArray
    rows: FloatArray

    @classmethod
    def of(cls, dyn: Dynamics, free: IntArray) -> Sizes:
        """Of free velocities and all constraints."""
        return cls(dyn.system.increment_sizes[free], dyn.equation_sizes)

    def at(self, places: Any) -> Sizes:
        """Those of some of the increments."""
        return Sizes(self.columns[places], self.rows)


def orthonormal_basis(G: FloatArray, sizes: Sizes) -> FloatArray:
    """N (n, n - rank) with G N = 0, orthonormal in coordinates counted in their sizes."""
    A, factor = of_one_size(G, sizes)
    if not factor.any():
        return np.diag(sizes.columns)
    Q, R, _ = qr(A[factor > 0.0].T, pivoting=True)
    return np.ascontiguousarray(sizes.columns[:, None] * Q[:, _rank(R) :])


def pseudo_inverse(G: FloatArray, sizes: Sizes) -> FloatArray:
    """P (n, n_c): the least increment, in its sizes, that closes a gap; its transpose finds multipliers."""
    A, factor = of_one_size(G, sizes)
    return np.asarray(sizes.columns[:, None] * np.linalg.pinv(A, rcond=RANK) * factor)


def partitioned_basis(
    G: FloatArray, sizes: Sizes, last: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:  # fmt: skip
    """N with unit rows at the independent coordinates, pseudo-inverse P of G on the others, and the independent ones.

    Coordinates, counted in their sizes, with a large entry of ``last`` (n,) become dependent first.
    """
    n = G.shape[1]
    A, factor = of_one_size(G, sizes)
    if not factor.any():
        return np.eye(n), np.zeros((n, len(G))), np.arange(n)
    _, R, _ = qr(A.T, mode="economic", pivoting=True)
    rank = _rank(R)
    _, _, order = qr(A * last, mode="economic", pivoting=True)
    return *_with(A, factor, sizes, np.sort(order[:rank]), np.sort(order[rank:])), np.sort(order[rank:])


def basis_with(G: FloatArray, sizes: Sizes, independent: IntArray) -> tuple[FloatArray, FloatArray] | None:
    """N and P as `partitioned_basis` gives them, for given independent coordinates; None where these do not suffice."""
    dependent = np.setdiff1d(np.arange(G.shape[1]), independent)
    A, factor = of_one_size(G, sizes)
    if len(dependent) > np.count_nonzero(factor):
        return None
    if len(dependent):
        part = A[:, dependent]
        size = np.linalg.norm(part, axis=0)
        if not size.all() or np.linalg.matrix_rank(part / size, tol=RANK) < len(dependent):
            return None
    N, P = _with(A, factor, sizes, dependent, independent)
    scaled = N / sizes.columns[:, None] * sizes.columns[independent]
    left = np.abs(A @ scaled).max(initial=0.0)
    return None if left > 1e-6 * max(1.0, np.abs(scaled).max(initial=0.0)) else (N, P)


def _with(
    A: FloatArray, factor: FloatArray, sizes: Sizes, dependent: IntArray, independent: IntArray
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """N and P for coordinates that depend on others."""
    units = sizes.columns
    N, P = np.zeros((A.shape[1], len(independent))), np.zeros(A.T.shape)
    N[independent, np.arange(len(independent))] = 1.0
    inverse = units[dependent, None] * np.linalg.pinv(A[:, dependent], rcond=RANK)
    N[dependent], P[dependent] = -inverse @ (A[:, independent] / units[independent]), inverse * factor
    return N, P


def dependent_first(dyn: Dynamics, lin: ConstrainedLinearisation) -> FloatArray:
    """Weights (n,) by which translations become dependent before rotations, and later bodies before earlier ones."""
    weight = np.full(dyn.n_v, 1e-3)
    weight[dyn.coordinates.displacements] = 1.0
    return np.asarray((weight * (1.0 + 1e-6 * np.arange(dyn.n_v)))[lin.free])


def of_one_size(G: FloatArray, sizes: Sizes) -> tuple[FloatArray, FloatArray]:
    """G for coordinates counted in their sizes, its rows of length 1, and by what each row was multiplied.

    Rows that are round-off, as of a constraint that supports in inclined directions meet already, are zero.
    """
    A = G * sizes.columns / sizes.rows[:, None]
    length = np.linalg.norm(A, axis=1)
    there = length > NOTHING
    A = np.where(there[:, None], A / np.where(there, length, 1.0)[:, None], 0.0)
    return A, np.where(there, 1.0 / np.where(there, length * sizes.rows, 1.0), 0.0)


def _rank(R: FloatArray) -> int:
    pivots = np.abs(np.diag(R))
    return int((pivots > RANK * pivots[0]).sum())
