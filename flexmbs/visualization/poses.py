"""Places and orientations of markers at many states, and arrays of unit quaternions (scalar first)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.identity import IdentityMap
from flexmbs.core.rotations import to_quaternion
from flexmbs.system.marker_set import MarkerSet

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.system.system import System

__all__ = ["Follower", "States", "along", "matrices", "slerp"]


class States(NamedTuple):
    """Some states: times ``t (n,)``, ``q (n, n_q)``; markers at ``p (n, n_m, 3)``, quaternions ``r (n, n_m, 4)``."""

    t: FloatArray
    q: FloatArray
    p: FloatArray
    r: FloatArray


class Follower:
    """Finds the poses of some markers; of ``points`` the places alone."""

    def __init__(self, system: System, frames: Sequence[Marker], points: Sequence[Marker]) -> None:
        markers = [*frames, *points]
        self._turning = len(frames)
        self._set = MarkerSet(system.coordinates, markers, IdentityMap((marker, None) for marker in points), 0)
        self._work = self._set.work(np.zeros(system.coordinates.n_v), np.zeros(self._set.size))
        self._still = np.zeros(system.coordinates.n_v)
        self.number = IdentityMap.numbers(markers)

    def states(self, t: FloatArray, q: FloatArray) -> States:
        """The states with their markers."""
        n, m = len(q), len(self.number)
        p, r = np.zeros((n, m, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n, m, 1))
        for i in range(n) if m else ():
            self._set.poses(self._work, np.ascontiguousarray(q[i]), self._still)
            p[i] = self._work.p
            for k in range(self._turning):
                r[i, k] = to_quaternion(self._work.R[k])
        return States(t, q, p, r)


def matrices(quaternions: FloatArray) -> FloatArray:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def along(directions: FloatArray) -> FloatArray:
    """Quaternions (n, 4) of the smallest rotations that take x to unit vectors (n, 3)."""
    x, y, z = directions.T
    found = np.column_stack((1.0 + x, np.zeros(len(x)), -z, y))
    found[x < -1.0 + 1e-12] = (0.0, 0.0, 0.0, 1.0)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def slerp(a: FloatArray, b: FloatArray, share: FloatArray) -> FloatArray:
    """Quaternions (n, 4) on the shorter arcs from ``a`` to ``b`` (n, 4), at a ``share (n,)`` of the way."""
    cosine = (a * b).sum(axis=1)
    b = np.where(cosine[:, None] < 0.0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    small = sine < 1e-6
    safe = np.where(small, 1.0, sine)
    first = np.where(small, 1.0 - share, np.sin((1.0 - share) * angle) / safe)
    second = np.where(small, share, np.sin(share * angle) / safe)
    mixed = first[:, None] * a + second[:, None] * b
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))
