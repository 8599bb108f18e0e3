r"""Shapes that change over time as a few targets with weights, by a singular value decomposition made piece by piece.

Displacements (n, 3) of the points of a body at the key frames are the columns of a matrix :math:`D`, which may be too
large to be kept. A basis with orthonormal columns :math:`Q` grows with what pieces of :math:`D` have beyond it, until
what is left is small everywhere; kept are Q and the coefficients :math:`C = Q^T D`. At the end
:math:`C = U\,\Sigma\,V^T`, the targets are the first columns of :math:`Q\,U`, their weights the rows of
:math:`\Sigma\,V^T`. The number of targets is the least for which no point at any key frame is further off than allowed.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["MorphBasis", "needed_modes"]

BLOCK = 64
"""Key frames whose remaining errors are found together."""


class MorphBasis:
    """Collects displacements and finds targets.

    Parameters
    ----------
    tolerance : float
        Distance from the true place that is allowed for every point, as a share of the largest displacement.
    floor : float
        Distance that is always allowed [length]: what is round-off.
    """

    def __init__(self, tolerance: float, floor: float) -> None:
        self.tolerance, self.floor, self.largest = tolerance, floor, 0.0
        self._Q = np.zeros((0, 0))
        self._C: list[FloatArray] = []

    @property
    def allowed(self) -> float:
        """[length]."""
        return max(self.floor, self.tolerance * self.largest)

    def add(self, displacements: FloatArray) -> None:
        """Displacements (n_f, n, 3) at more key frames."""
        D = displacements.reshape(len(displacements), -1).T
        if not self._Q.size:
            self._Q = np.zeros((len(D), 0))
        self.largest = max(self.largest, float(np.linalg.norm(displacements, axis=2).max(initial=0.0)))
        rest = D - self._Q @ (self._Q.T @ D)
        if _farthest(rest) > 0.5 * self.allowed:
            rest -= self._Q @ (self._Q.T @ rest)
            U, s, Vt = np.linalg.svd(rest, full_matrices=False)
            n = _least(U, s[:, None] * Vt, 0.5 * self.allowed)
            self._Q = np.hstack((self._Q, U[:, :n]))
        self._C.append(self._Q.T @ D)

    def targets(self) -> tuple[FloatArray, FloatArray]:
        """Targets (m, n, 3) [length] and their weights (n_f, m), of which the largest of each target is 1 or -1."""
        r = self._Q.shape[1]
        C = np.hstack([np.pad(c, ((0, r - len(c)), (0, 0))) for c in self._C])
        U, s, Vt = np.linalg.svd(C, full_matrices=False)
        shapes, weights = self._Q @ U, s[:, None] * Vt
        m = _least(shapes, weights, 0.5 * self.allowed)
        shapes, weights = shapes[:, :m], weights[:m]
        size = np.abs(weights).max(axis=1, initial=0.0)
        size[size == 0.0] = 1.0
        return (shapes * size).T.reshape(m, len(self._Q) // 3, 3), (weights / size[:, None]).T


def needed_modes(shapes: FloatArray, weights: FloatArray, allowed: float) -> IntArray:
    """Numbers of the shapes (n, 3, m) without which, at weights (n_f, m), no point moves by more than ``allowed``.

    What a shape adds is at most its largest displacement times its largest weight; the smallest of these are left out
    as long as they stay below ``allowed`` together.
    """
    most = np.linalg.norm(shapes, axis=1).max(axis=0, initial=0.0) * np.abs(weights).max(axis=0, initial=0.0)
    order = np.argsort(most, kind="stable")
    out = order[np.cumsum(most[order]) <= allowed]
    return np.setdiff1d(np.arange(shapes.shape[2]), out)


def _farthest(columns: FloatArray) -> float:
    """The largest distance in displacements (3 n, n_f) of points."""
    return float(np.linalg.norm(columns.reshape(-1, 3, columns.shape[1]), axis=1).max(initial=0.0))


def _least(shapes: FloatArray, weights: FloatArray, allowed: float) -> int:
    """The least number of leading shapes (3 n, r) without which the rest of the sum nowhere exceeds ``allowed``."""

    def error(m: int) -> float:
        pieces = range(0, weights.shape[1], BLOCK)
        return max((_farthest(shapes[:, m:] @ weights[m:, i : i + BLOCK]) for i in pieces), default=0.0)

    low, high = 0, shapes.shape[1]
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if error(middle) <= allowed else (middle + 1, high)
    return low
