"""Frames that move: where they are, how they are turned, and how fast, in one state or in many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray

__all__ = ["Pose"]


class Pose(NamedTuple):
    """Place (..., 3) and axes (..., 3, 3) of a frame, velocity and angular velocity (..., 3), in inertial components.

    Examples
    --------
    A frame that turns at 2 about z, and a place on it at a distance of 3:

    >>> still = np.zeros(3)
    >>> turning = Pose(still, np.eye(3), still, np.array([0.0, 0.0, 2.0]))
    >>> turning.of(np.array([3.0, 0.0, 0.0]), np.eye(3)).v.tolist()
    [0.0, 6.0, 0.0]
    """

    p: FloatArray
    R: FloatArray
    v: FloatArray
    w: FloatArray

    def of(self, point: FloatArray, axes: FloatArray) -> Pose:
        """Of a frame that is fixed to this one."""
        arm = self.R @ point
        return Pose(self.p + arm, self.R @ axes, self.v + np.cross(self.w, arm), self.w)

    def seen_from(self, base: Pose) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Place and rotation in the frame ``base``, velocity in its axes, angular velocity in the own ones."""
        d = self.p - base.p
        v = self.v - base.v - np.cross(base.w, d)
        back = np.swapaxes(base.R, -1, -2)
        return _turned(back, d), back @ self.R, _turned(back, v), _turned(np.swapaxes(self.R, -1, -2), self.w - base.w)


def _turned(R: FloatArray, x: FloatArray) -> FloatArray:
    return np.asarray((R @ x[..., None])[..., 0])
