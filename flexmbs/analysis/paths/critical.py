r"""Limit points and bifurcations between two points of a path: which there are, where they lie, and their kernels.

Where the parameter turns back, :math:`dp/ds` changes its sign and one eigenvalue of the stiffness with it: a limit
point. Where eigenvalues change their sign and the parameter goes on, paths cross: a bifurcation. On a branch that meets
a path symmetrically, the parameter turns and no eigenvalue stays changed: the same bifurcation, seen along the other
path. A piece in which more than one of these happens is halved until they are apart, or so short (`TOGETHER`) that they
count as one point with a kernel of several directions. Where forces have no potential two eigenvalues may also meet on
the real axis, or leave it, away from zero: the number of unstable directions changes by two there, and no path crosses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from flexmbs.analysis.paths.between import Piece
from flexmbs.analysis.paths.curve import Curve, PathPoint
from flexmbs.analysis.paths.inertia import UNKNOWN, directions_left
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.system.symmetry import without_potential

__all__ = ["BIFURCATION", "LIMIT", "Critical", "critical_points", "root", "settled"]

LIMIT, BIFURCATION = "limit point", "bifurcation"
TOGETHER = 1e-5
"""Share of a step within which several changes are one point."""
CLOSE = 1e-9
"""Share of a step to which points are located."""
BESIDE = 0.0, CLOSE, -CLOSE, 100.0 * CLOSE, -100.0 * CLOSE
"""Where else a point is looked for, in shares of the step, if the matrix is singular where it should be."""
MOST = 25
NOISE = 1e-15
"""Eigenvalue, relative to the diagonal, that is round-off."""
NEAR_ZERO, NEARER = 1e-12, 0.1
"""Eigenvalue at a point found where it passes zero: relative to the diagonal, or to those at the ends of the piece."""
REAL = 1e-6
"""Imaginary part, relative to the size, of eigenvalues that are real: two of one value may have one of round-off."""
SWEEPS, AGAIN = 12, 4
"""Inverse iterations of a block of vectors, at the first point and at others near it."""


class Critical(NamedTuple):
    """A limit point or a bifurcation: ``kernel (n, k)`` its critical directions."""

    kind: str
    at: PathPoint
    kernel: FloatArray


def critical_points(curve: Curve, a: PathPoint, b: PathPoint) -> list[Critical]:
    """All those between two points of a path, in their order."""
    return list(_within(curve, Piece(curve, a, b), 1.0))


def settled(curve: Curve, a: PathPoint, b: PathPoint) -> PathPoint:
    """The second point, with the count of the first where the eigenvalue that may have changed is round-off."""
    if UNKNOWN in (a.unstable, b.unstable) or a.unstable == b.unstable or a.rate * b.rate < 0.0:
        return b
    block = _Block(curve, abs(a.unstable - b.unstable))
    return b._replace(unstable=a.unstable) if block.crossing(b, a.unstable, b.unstable) == 0.0 else b


def _within(curve: Curve, piece: Piece, share: float) -> Iterator[Critical]:
    a, b = piece.a, piece.b
    known = a.unstable != UNKNOWN and b.unstable != UNKNOWN
    change = b.unstable - a.unstable if known else 0
    turns = a.rate * b.rate < 0.0
    if not change and not turns:
        return
    if turns and (abs(change) == 1 or not known):
        yield _located(curve, piece, LIMIT, 1)
        return
    if abs(change) == 1:
        yield _located(curve, piece, BIFURCATION, 1)
        return
    middle = piece.at(0.5) if share > TOGETHER else None
    if middle is None:
        if turns or _passes_zero(curve, piece):
            yield _located(curve, piece, BIFURCATION, max(1, abs(change)))
        return
    for half in (Piece(curve, a, middle), Piece(curve, middle, b)):
        yield from _within(curve, half, 0.5 * share)


def _located(curve: Curve, piece: Piece, kind: str, size: int) -> Critical:
    """The point, to round-off where that goes."""
    block = _Block(curve, size)
    value: Callable[[PathPoint], float]
    if kind == LIMIT or piece.a.unstable == piece.b.unstable:

        def value(point: PathPoint) -> float:
            return point.rate
    else:

        def value(point: PathPoint) -> float:
            return block.crossing(point, piece.a.unstable, piece.b.unstable)

    found = root(piece, value)
    vectors = block.kernel(found)
    if kind == BIFURCATION:
        found = _with_tangent(piece, found)
    return Critical(kind, found._replace(unstable=max(piece.a.unstable, piece.b.unstable)), vectors)


def _passes_zero(curve: Curve, piece: Piece) -> bool:
    """Whether an eigenvalue is zero where the number of unstable directions changes."""
    a, b = piece.a, piece.b
    block = _Block(curve, abs(b.unstable - a.unstable))

    def value(point: PathPoint) -> float:
        return block.crossing(point, a.unstable, b.unstable)

    ends = min(abs(value(a)), abs(value(b)))
    return abs(value(root(piece, value))) <= max(NEAR_ZERO, NEARER * ends)


def _with_tangent(piece: Piece, point: PathPoint) -> PathPoint:
    """A point where the stiffness is singular, and its own tangent thus lost in the kernel, with that of the cubic."""
    measure, a, b = piece.curve.measure, piece.a, piece.b
    share = piece.share(point)
    parts = [(1.0 - share, a), (share, b)]
    sizes = [measure.length(x.tangent, x.rate) for _, x in parts]
    tangent = sum(w / size * x.tangent for size, (w, x) in zip(sizes, parts, strict=True))
    rate = sum(w / size * x.rate for size, (w, x) in zip(sizes, parts, strict=True))
    return point._replace(tangent=np.asarray(tangent), rate=float(rate))


def root(piece: Piece, value: Callable[[PathPoint], float]) -> PathPoint:
    """Where a value that has different signs at the ends is zero (regula falsi of Illinois)."""
    low, high = 0.0, 1.0
    at_low, at_high = value(piece.a), value(piece.b)
    best, least, place = (piece.a, abs(at_low), 0.0) if abs(at_low) < abs(at_high) else (piece.b, abs(at_high), 1.0)
    side = 0
    for _ in range(MOST if least > 0.0 else 0):
        share = high - at_high * (high - low) / (at_high - at_low) if at_high != at_low else 0.5 * (low + high)
        share = min(max(share, low + 0.01 * (high - low)), high - 0.01 * (high - low))
        point = _beside(piece, share)
        if point is None:
            break
        now = value(point)
        if abs(now) < least:
            best, least = point, abs(now)
        done = abs(share - place) <= CLOSE or now == 0.0
        place = share
        if (now > 0.0) == (at_high > 0.0):
            high, at_high = share, now
            at_low *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            low, at_low = share, now
            at_high *= 0.5 if side == -1 else 1.0
            side = -1
        if done or high - low <= CLOSE:
            break
    return best


def _beside(piece: Piece, share: float) -> PathPoint | None:
    """The point at a share of the piece, or beside it where the stiffness is singular to the last digit."""
    found = (piece.at(min(max(share + off, 0.0), 1.0)) for off in BESIDE)
    return next((point for point in found if point is not None), None)


class _Block:
    """The real eigenvalues of the stiffness nearest zero, relative to its diagonal, and their vectors."""

    def __init__(self, curve: Curve, size: int) -> None:
        self.curve, self.size = curve, size
        eq = curve.equations
        self.symmetric = not without_potential(eq.dyn)
        self.weight = np.where(eq.velocities, curve.diagonal, 0.0)
        n = int((self.weight > 0.0).sum())
        random = np.random.default_rng(1)
        self.fresh = True
        self.vectors = random.standard_normal((len(eq.free), min(size + 3, n)))

    def at(self, point: PathPoint) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues, by size, and vectors (n, k)."""
        curve, root = self.curve, np.sqrt(self.weight)
        if self.fresh:
            self.vectors = self.vectors[:, : directions_left(curve.equations, point.point, self.vectors.shape[1])]
        curve.recall(point)
        curve.tangent_at(point.point, point.p)
        V, values = self.vectors, np.zeros(0)
        for _ in range(SWEEPS if self.fresh else AGAIN):
            Q = np.linalg.qr(root[:, None] * V)[0]
            Z = np.column_stack([curve.equations.solve(root * q) for q in Q.T])
            values, turn = self._modes(Q.T @ (root[:, None] * Z))
            V = Z @ turn
            V /= np.linalg.norm(root[:, None] * V, axis=0)
        real = np.flatnonzero(np.abs(values.imag) <= REAL * np.abs(values))
        order = real[np.argsort(-np.abs(values[real]))]
        self.vectors, self.fresh = V, False
        with np.errstate(divide="ignore"):
            return 1.0 / values.real[order], V[:, order]

    def _modes(self, H: FloatArray) -> tuple[Any, FloatArray]:
        """Eigenvalues (k,) of a small matrix and real vectors (k, k) that span what its eigenvectors do."""
        if self.symmetric:
            return np.linalg.eigh(0.5 * (H + H.T))
        values, vectors = np.linalg.eig(H)
        return values, np.where(values.imag < 0.0, vectors.imag, vectors.real)

    def crossing(self, point: PathPoint, before: int, after: int) -> float:
        """The eigenvalue that changes its sign between points with so many unstable directions, positive before.

        Of a matrix that is not symmetric an odd number of changes is told by the sign of the determinant, which a pair
        that meets or leaves the real axis does not change.
        """
        sign = 1.0 if after > before else -1.0
        by_determinant = not self.symmetric and (after - before) % 2 == 1
        if by_determinant:
            near_before = (point.unstable - before) % 2 == 0
        else:
            near_before = abs(point.unstable - before) <= abs(point.unstable - after)
        try:
            values = sign * self.at(point)[0]
        except SingularError:
            return 0.0
        if np.abs(values).min(initial=np.inf) <= NOISE:
            return 0.0
        if by_determinant:
            values = np.abs(values) if near_before else -np.abs(values)
        mine = values[values > 0.0] if near_before else values[values < 0.0]
        return float(mine[np.argmin(np.abs(mine))]) if len(mine) else (1.0 if near_before else -1.0)

    def kernel(self, point: PathPoint) -> FloatArray:
        """The critical directions (n, size); none where the matrix is singular to the last digit."""
        try:
            return self.at(point)[1][:, : self.size]
        except SingularError:
            return np.zeros((len(self.weight), 0))
