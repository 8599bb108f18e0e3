"""Where the bodies of a model are, and how they move, at its consistent start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.poses import Pose
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.start import warn_of_changes
from flexmbs.kernels.trees.group import V_
from flexmbs.kernels.trees.motion import outwards, place_columns
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.model import Model
from flexmbs.model.trees.columns import columns_of, free_standing, start_of
from flexmbs.model.trees.tree import Tree
from flexmbs.system.marker_set import MarkerSet
from flexmbs.system.system import compile_model

__all__ = ["FIXED", "ConsistentStart", "described_poses", "start_poses"]


FIXED = Pose(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))
"""The ground."""


def described_poses(tree: Tree) -> list[Pose]:
    """Poses of the frames of all links of a tree of rigid links, as they are described."""
    group, columns = free_standing(tree), columns_of(tree)
    q, v = start_of(tree)
    place_columns(group, q)
    outwards(group, q, v, group.rest, np.zeros(1), False)
    poses = []
    for link, c in zip(tree.bodies, columns.behind, strict=True):
        p, R = link.place
        twist = np.zeros(6) if c < 0 else group.work[c, V_ : V_ + 6]
        poses.append(Pose(p, R, twist[:3] + np.cross(twist[3:], p - group.origin[0]), twist[3:].copy()))
    return poses


class ConsistentStart:
    """The start of a model once positions and velocities agree with the joints.

    Raises
    ------
    ModelError
        As `flexmbs.simulate`, if the joints cannot be assembled.
    """

    def __init__(self, model: Model) -> None:
        system = compile_model(model)
        dyn = Dynamics(system)
        dyn.start_turns(0.0)
        start_q, start_v = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
        start = assemble(dyn, 0.0, start_q, start_v)
        warn_of_changes(dyn, start_q, start_v, start.q, start.v, kept=False)
        self.coordinates, self.q, self.v = system.coordinates, start.q, start.v

    def poses(self, markers: Sequence[Marker]) -> list[Pose]:
        """Of markers."""
        found = MarkerSet(self.coordinates, list(markers), set(), 0)
        work = found.work(np.zeros(self.coordinates.n_v), np.zeros(found.size))
        found.poses(work, self.q, self.v)
        return [
            Pose(p.copy(), R.copy(), t[:3].copy(), R @ t[3:])
            for p, R, t in zip(work.p, work.R, work.twist, strict=False)
        ]

    def deformation(self, body: Any) -> tuple[FloatArray, FloatArray]:
        """Modal coordinates (m,) of a body, and their rates."""
        places = self.coordinates.shapes(body)
        return self.q[places], self.v[places]


def start_poses(model: Model, markers: Sequence[Marker]) -> list[Pose]:
    """Poses of markers at the `ConsistentStart`."""
    return ConsistentStart(model).poses(markers) if markers else []
