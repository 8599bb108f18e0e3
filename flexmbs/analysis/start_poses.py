"""Where the bodies of a model are, and how they move, at its consistent start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmbs.analysis.simulate import simulate
from flexmbs.bodies.marker import Marker
from flexmbs.core.contracts import FloatArray
from flexmbs.mechanics.marker_set import MarkerSet
from flexmbs.model import Model
from flexmbs.system import compile_model

__all__ = ["Pose", "start_poses"]


class Pose(NamedTuple):
    """Place (3,) and axes (3, 3) of a frame, velocity (3,) and angular velocity (3,), all in inertial components."""

    p: FloatArray
    R: FloatArray
    v: FloatArray
    w: FloatArray

    def of(self, point: FloatArray, frame: FloatArray) -> Pose:
        """Of a frame that is fixed to this one."""
        arm = self.R @ point
        return Pose(self.p + arm, self.R @ frame, self.v + np.cross(self.w, arm), self.w)

    def seen_from(self, base: Pose) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Place and rotation in the frame ``base``, velocity in its axes, angular velocity in the own ones."""
        d = self.p - base.p
        v = self.v - base.v - np.cross(base.w, d)
        return base.R.T @ d, base.R.T @ self.R, base.R.T @ v, self.R.T @ (self.w - base.w)


FIXED = Pose(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))
"""The ground."""


def start_poses(model: Model, markers: Sequence[Marker]) -> list[Pose]:
    """Poses of markers once positions and velocities agree with the joints.

    Raises
    ------
    ModelError
        As `flexmbs.simulate`, if the joints cannot be assembled.
    """
    if not markers:
        return []
    system = compile_model(model)
    run = simulate(system, until=0.0, step=1.0, progress=False)
    found = MarkerSet(system.coordinates, list(markers), set(), 0)
    q, v = np.array(run.q[0]), np.array(run.v[0])
    work = found.work(np.zeros(system.coordinates.n_v), np.zeros(found.size))
    found.poses(work, q, v)
    return [
        Pose(p.copy(), R.copy(), t[:3].copy(), R @ t[3:]) for p, R, t in zip(work.p, work.R, work.twist, strict=False)
    ]
