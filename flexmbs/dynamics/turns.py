"""What a run remembers of turns: the angles from which whole turns are counted, and reference frames of markers.

An angle is known from a pose up to whole turns; the one nearest to its value at the last accepted step is meant. Frames
of markers that follow a tangent exist near a reference frame only, which is based anew before the tangent is too far.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, MarkerWork
from flexmbs.kernels.pairs import update_angles
from flexmbs.kernels.rows.rows import KINDS, kind_of
from flexmbs.kernels.sensing import follow_turns
from flexmbs.system.build import Mechanics

if TYPE_CHECKING:
    from flexmbs.dynamics.readings import Readings

__all__ = ["Turns"]

COUNTED = frozenset(kind.number for kind in KINDS if kind.counts_turns)
"""Kinds of rows whose values go over full turns."""
NOTHING = np.zeros(0)
REBASE = 1.5
"""Angle [rad] by which a tangent turns before the frame of its marker is based anew."""


class Turns:
    """The memory of one run; it lives in the tables of its workspace.

    ``based``: kinds and groups of markers with reference frames; ``angular``: tables that hold angles.
    """

    def __init__(self, mechanics: Mechanics) -> None:
        self._mechanics = mechanics
        self.based = [pair for pair in mechanics.markers.groups if pair[0].rebase]
        self._tables: list[Any] = [mechanics.joints, mechanics.forces]
        self.readings: list[Readings] = []
        self.angular = [t for t in self._tables if not COUNTED.isdisjoint(t.kind.tolist())]

    def follow(self, readings: list[Readings]) -> None:
        """Count the turns of the angles that sensors of first-order states read, too."""
        self.readings = readings

    def memory(self) -> FloatArray:
        """Values of all angles at the last accepted step, and the reference frames: what `restore` takes."""
        return np.concatenate([part.ravel() for part in self._parts()] or [np.zeros(0)])

    def restore(self, memory: FloatArray) -> None:
        """Set what `memory` returned."""
        start = 0
        for part in self._parts():
            part[...] = memory[start : start + part.size].reshape(part.shape)
            start += part.size

    @property
    def counted(self) -> FloatArray:
        """Values of the angles of joints and forces, as they are counted now."""
        return np.concatenate([table.near for table in self.angular]) if self.angular else NOTHING

    def count_at(self, values: FloatArray) -> None:
        """Set what `counted` returned."""
        start = 0
        for table in self.angular:
            table.near[:] = values[start : start + len(table.near)]
            start += len(table.near)

    def reset(self) -> None:
        """As before any run."""
        for table in self._tables:
            table.near[:] = 0.0
        for readings in self.readings:
            readings.group.near[:] = 0.0
        for _, group in self.based:
            group.R0[:] = [self._mechanics.markers.markers[i].node_frame for i in group.mk]

    def count_from(self, motion: FloatArray, driven: Iterable[int]) -> None:
        """Count the turns of driven angles from their motions (n_c, 3); ``driven``: those constraints."""
        m = self._mechanics
        joints, n_v = m.joints, m.markers.coordinates.n_v
        for i in driven:
            rows = np.flatnonzero(joints.eq == n_v + i)
            if m.equations[i].equation.level == 0 and len(rows) == 1 and kind_of(joints.kind[rows[0]]).counts_turns:
                joints.near[rows[0]] = motion[i, 0] / joints.factor[rows[0]]

    def accept(self, q: FloatArray, markers: MarkerWork) -> None:
        """After an accepted step: the present angles, at the poses in ``markers``, are those to count turns from."""
        for kind, group in self.based:
            kind.rebase(group, q, REBASE)  # type: ignore[misc]
        for table in self.angular:
            update_angles(table.mA, table.mB, table.ptr, table.kind, table.c, table.near, markers.p, markers.R)
        for readings in self.readings:
            follow_turns(readings.group, readings.work)

    def _parts(self) -> list[FloatArray]:
        """The arrays that hold the memory."""
        angles = [table.near for table in self._tables] + [readings.group.near for readings in self.readings]
        return angles + [group.R0 for _, group in self.based]
