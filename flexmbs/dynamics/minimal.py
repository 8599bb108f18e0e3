r"""Minimal coordinates: the directions that the constraints allow, G N = 0.

With :math:`\delta q = N z` the linearised equations become :math:`N^T (M \delta a + D \delta v + K \delta q) = 0`: the
multipliers are gone. Two bases: an orthonormal one, and one in which z are some of the coordinates themselves.

What counts as zero in G is told by numbers of one size: increments are counted in the length of the model or
in 1 (`flexmbs.system.sizes.increment_sizes`), constraints in theirs, and each row is divided by its length
unless that is round-off. So nothing hangs on the unit of length in which a model is described.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.compliance import NOTHING
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import ConstrainedLinearisation

__all__ = [
    "DENSE",
    "Sizes",
    "basis_with",
    "dependent_first",
    "graded_basis",
    "of_one_size",
    "orthonormal_basis",
    "partitioned_basis",
    "pseudo_inverse",
]

DENSE = 1_500
"""Number of free velocities up to which matrices are made dense."""
RANK = 1e-9
"""Pivot, relative to the largest, below which a constraint follows from the others."""
LIGHTEST = 1e-24
"""Mass, relative to the largest of a piece, below which one coordinate is as light as another."""


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
    """N (n, n - rank) with G N = 0, orthonormal in coordinates counted in their sizes.

    It is found piece by piece of what constraints connect: what shares none has no direction in common, so that
    round-off of a large body is none of a small one.
    """

    def inner(part: FloatArray, places: IntArray) -> FloatArray:
        Q, R, _ = qr(part.T, pivoting=True)
        return np.asarray(Q[:, _rank(R) :])

    return np.ascontiguousarray(sizes.columns[:, None] * _by_pieces(of_one_size(G, sizes)[0], inner))


def graded_basis(G: FloatArray, sizes: Sizes, mass: FloatArray) -> FloatArray:
    """N (n, n - rank) with G N = 0 for eigenvalue problems: nothing small is a difference of large things.

    Its columns are coordinates with what depends on them, of mass about 1. Light coordinates depend on heavy ones, so
    that what a light body does by itself moves no heavy one; of what no constraint connects nothing is mixed.
    ``mass (n,)``: the diagonal of the mass matrix.
    """

    def inner(part: FloatArray, places: IntArray) -> FloatArray:
        _, R, _ = qr(part.T, mode="economic", pivoting=True)
        rank = _rank(R)
        inertia = (np.abs(mass) * sizes.columns**2)[places]
        weight = np.maximum(inertia / max(float(inertia.max()), 1e-300), LIGHTEST) ** -0.25
        _, _, order = qr(part * weight, mode="economic", pivoting=True)
        dependent, independent = np.sort(order[:rank]), np.sort(order[rank:])
        found = np.zeros((len(places), len(independent)))
        found[independent, np.arange(len(independent))] = 1.0
        found[dependent] = -np.linalg.pinv(part[:, dependent], rcond=RANK) @ part[:, independent]
        return found

    N = sizes.columns[:, None] * _by_pieces(of_one_size(G, sizes)[0], inner)
    moved = (N**2 * np.abs(mass)[:, None]).sum(axis=0)
    _, exponent = np.frexp(np.sqrt(np.where(moved > 0.0, moved, 1.0)))  # powers of two: no digit is touched
    return np.ascontiguousarray(np.ldexp(N, -exponent))


def _by_pieces(A: FloatArray, inner: Callable[[FloatArray, IntArray], FloatArray]) -> FloatArray:
    """Directions (n, k) that constraints A allow, of each piece those that ``inner`` finds for its rows and places."""
    columns = []
    for places in _pieces(A):
        part = A[:, places]
        part = part[part.any(axis=1)]
        found = inner(part, places) if len(part) else np.eye(len(places))
        spread = np.zeros((A.shape[1], found.shape[1]))
        spread[places] = found
        columns.append(spread)
    return np.hstack(columns)


def _pieces(A: FloatArray) -> list[IntArray]:
    """Coordinates of each piece of what constraints A connect, directly or through others."""
    if not A.shape[1]:
        return [np.zeros(0, dtype=np.int64)]
    touched = csr_array((A != 0.0).astype(float))
    count, piece = connected_components(touched.T @ touched, directed=False)
    order = np.argsort(piece, kind="stable")
    return np.split(order, np.searchsorted(piece[order], np.arange(1, count)))


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
