"""What a run remembers of turns: the angles from which whole turns are counted, and reference frames of markers.

An angle is known from a pose up to whole turns; the one nearest to its value at the last accepted step is meant. Frames
of markers that follow a tangent exist near a reference frame only, which is based anew before the tangent is too far.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork
from flexmbs.kernels.pairs import update_angles
from flexmbs.kernels.rows.rows import KINDS, kind_of
from flexmbs.kernels.sensing import follow_turns
from flexmbs.model.forces.coordinate import start_value
from flexmbs.model.joints.contracts import Row
from flexmbs.system.build import Mechanics

if TYPE_CHECKING:
    from flexmbs.dynamics.readings import Readings
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.system.system import System

__all__ = ["Angle", "CountedRow", "Turns", "angles_by_name", "counted_in_memory", "counted_rows"]

COUNTED = frozenset(kind.number for kind in KINDS if kind.counts_turns)
"""Kinds of rows whose values go over full turns."""
IS_COUNTED = np.isin(np.arange(max(kind.number for kind in KINDS) + 1), list(COUNTED))
"""By the number of a kind whether it is one of these."""
NOTHING = np.zeros(0)
WHOLE = 2.0 * np.pi
REBASE = 1.5
"""Angle [rad] by which a tangent turns before the frame of its marker is based anew."""


class CountedRow(NamedTuple):
    """A row whose turns a run counts, between two markers, with its constants (12,).

    ``coupled``: of a gear or screw, to which whole turns of a motion are nothing (`Turns.count_from`).
    """

    a: Marker
    b: Marker
    kind: int
    constants: FloatArray
    coupled: bool


class Angle(NamedTuple):
    """The value of an angle between two markers, over full turns, and the kind of its row."""

    a: Marker
    b: Marker
    kind: int
    value: float


def counted_rows(system: System) -> tuple[CountedRow, ...]:
    """The rows whose turns are counted, of joints, forces and free angles, in the order of `Turns.counted`."""
    m = system.mechanics
    found, n_v = [], m.markers.coordinates.n_v
    for table in (m.joints, m.forces, m.angles):
        markers = m.markers.markers
        pair = np.repeat(np.arange(len(table.mA)), np.diff(table.ptr))
        for j in counted_places(table):
            i, k = int(table.mA[pair[j]]), int(table.mB[pair[j]])
            coupled = table is m.joints and m.equations[table.eq[j] - n_v].equation.motion is None
            found.append(CountedRow(markers[i], markers[k], int(table.kind[j]), table.c[j], coupled))
    return tuple(found)


def counted_in_memory(system: System, memory: FloatArray) -> FloatArray:
    """`Turns.counted` among what `Turns.memory` returned."""
    m, start, found = system.mechanics, 0, [NOTHING]
    for table in (m.joints, m.forces, m.angles):
        found.append(memory[start : start + len(table.near)][counted_places(table)])
        start += len(table.near)
    return np.concatenate(found)


def counted_places(table: Any) -> IntArray:
    """Which rows of a table are angles over full turns."""
    return np.flatnonzero(IS_COUNTED[table.kind])


def angles_by_name(model: Any, angles: Iterable[Angle]) -> dict[tuple[str, str], float]:
    """Angles by name of the joint and label, of all joints between their markers."""
    known = {(id(angle.a), id(angle.b), angle.kind): angle.value for angle in angles}
    found: dict[tuple[str, str], float] = {}
    for joint in model.joints if known else ():
        for label, pair in getattr(joint, "coordinates", {}).items():
            value = known.get((id(pair.a), id(pair.b), pair.rows[0].kind))
            if value is not None:
                found[joint.name, label] = value
    return found


def _ends(table: Any) -> IntArray:
    """Numbers (n, 2) of the markers between which the rows of a table are."""
    return np.repeat(np.column_stack((table.mA, table.mB)), np.diff(table.ptr), axis=0)


class Turns:
    """The memory of one run; it lives in the tables of its workspace.

    ``based``: kinds and groups of markers with reference frames; ``angular``: tables that hold angles, their
    ``places`` there, and the ``owners`` of the tables in a word.
    """

    def __init__(self, mechanics: Mechanics) -> None:
        self._mechanics = mechanics
        self.based = [pair for pair in mechanics.markers.groups if pair[0].rebase]
        named: dict[str, Any] = {"joints": mechanics.joints, "forces": mechanics.forces, "angles": mechanics.angles}
        self._tables: list[Any] = list(named.values())
        self.readings: list[Readings] = []
        self.owners = [name for name, table in named.items() if not COUNTED.isdisjoint(table.kind.tolist())]
        self.angular = [named[name] for name in self.owners]
        self.places = [counted_places(table) for table in self.angular]

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
        """The angles (n,) as they are counted now, row by row of `counted_rows`: what results keep of every state."""
        found = [table.near[places] for table, places in zip(self.angular, self.places, strict=True)]
        return np.concatenate(found) if found else NOTHING

    def count_at(self, values: FloatArray) -> None:
        """Set what `counted` returned."""
        start = 0
        for table, places in zip(self.angular, self.places, strict=True):
            table.near[places] = values[start : start + len(places)]
            start += len(places)

    def reset(self) -> None:
        """As before any run."""
        for table in self._tables:
            table.near[:] = 0.0
        for readings in self.readings:
            readings.group.near[:] = 0.0
        for _, group in self.based:
            group.R0[:] = [self._mechanics.markers.markers[i].node_frame for i in group.mk]

    def driven(self, motion: FloatArray, driven: Iterable[int]) -> dict[int, Angle]:
        """Driven angles from their motions (n_c, 3), by row of the joints; ``driven``: those constraints."""
        m = self._mechanics
        joints, n_v = m.joints, m.markers.coordinates.n_v
        found = {}
        for i in driven:
            rows = np.flatnonzero(joints.eq == n_v + i)
            if m.equations[i].equation.level == 0 and len(rows) == 1 and kind_of(joints.kind[rows[0]]).counts_turns:
                a, b = (m.markers.markers[k] for k in _ends(joints)[rows[0]])
                value = float(motion[i, 0] / joints.factor[rows[0]])
                found[int(rows[0])] = Angle(a, b, int(joints.kind[rows[0]]), value)
        return found

    def count_from(
        self, angles: Iterable[Angle], begun: Mapping[int, Angle], driven: Mapping[int, Angle]
    ) -> None:  # fmt: skip
        """Count turns from angles, of springs, motors and free angles between their markers; `driven` ones come last.

        Equations of gears and screws hold with the turns that they were described with: those of ``angles``, of others
        those that are told by the markers. Whole turns between these and the motions at time zero, ``begun``, are
        nothing to them; those of a motion since then are.
        """
        joints, told = self._mechanics.joints, set()
        single = np.repeat(np.diff(joints.ptr) == 1, np.diff(joints.ptr))  # not of a screw, which is made of more
        for angle in angles:
            self._set(angle)
            there = np.flatnonzero(self._between(joints, angle) & single)
            joints.near[there] = angle.value
            told.update(there.tolist())
        for row, angle in driven.items():
            self._set(angle)
            for j in np.flatnonzero(self._between(joints, angle)).tolist():
                described = joints.near[j] if j in told else start_value(angle.a, angle.b, Row(angle.kind))
                joints.near[j] = angle.value - WHOLE * round((begun[row].value - described) / WHOLE)
            joints.near[row] = angle.value

    def _set(self, angle: Angle) -> None:
        """Count the turns of forces and free angles from an angle."""
        for table in self._tables[1:]:
            table.near[self._between(table, angle)] = angle.value

    def _between(self, table: Any, angle: Angle) -> Any:
        """Which rows of a table are that angle."""
        number = self._mechanics.markers.number
        ends = number.get(angle.a, -1), number.get(angle.b, -1)
        return (_ends(table) == ends).all(axis=1) & (table.kind == angle.kind)

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
