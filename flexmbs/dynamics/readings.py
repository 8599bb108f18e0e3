"""Sensors of a system compiled to tables, which one kernel reads (`flexmbs.kernels.sensing`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import IntArray
from flexmbs.core.distinct_names import number_meant
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.core.user_calls import of_the_package
from flexmbs.kernels.rows.rows import ANGLE
from flexmbs.kernels.sensing import ROW, SensorGroup
from flexmbs.model.control.calling import only_label
from flexmbs.system.marker_set import MarkerSet

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.control.sensed import Sensed
    from flexmbs.model.joints.contracts import Pair
    from flexmbs.system.system import System

__all__ = ["Readings"]


SENSOR = ""
"""In place of the name of a joint, which is never empty."""


class Readings:
    """Sensors, each once, as far as a kernel can read them.

    Parameters
    ----------
    system : System
    sensors : sensors
        Those of all controllers.
    held_names : names of actuators
        In the order of the held values.
    signals : int
        How many signals there are before the errors of these sensors.

    Attributes
    ----------
    where : IdentityMap
        By sensor the slice of its numbers; without those that are read in Python.
    group : SensorGroup
    markers : MarkerSet
    work : MarkerWork
        Kinematics of the markers.
    tangent : bool
        Whether accelerations are read.
    errors : list of (slice, function)
        Where among the signals the errors of noisy sensors are, and what tells them.
    """

    def __init__(
        self, system: System, sensors: Iterable[Any], held_names: tuple[str, ...], first_signal: int
    ) -> None:  # fmt: skip
        self.system, self._names = system, held_names
        self._numbers: IdentityMap[Marker, int] = IdentityMap()
        self._asked: tuple[str, str] | None = None
        self.where: IdentityMap[Any, slice] = IdentityMap()
        self.sensors: list[Any] = []
        self.errors: list[tuple[slice, Any]] = []
        self.steady = True
        found: list[Sensed] = []
        self._coordinates: list[tuple[str, str] | None] = []  # that sensors read
        noise, size = [], 0
        for sensor in sensors:
            if sensor in self.where:
                continue
            entry = self._entry(sensor)
            if entry is None:
                continue
            self.where[sensor] = slice(size, size + sensor.size)
            self.sensors.append(sensor)
            found.append(entry)
            self._coordinates.append(self._asked if entry.what == ROW else None)
            size += sensor.size
            noise.append(-1)
            if entry.errors is not None:
                noise[-1] = first_signal
                self.errors.append((slice(first_signal, first_signal + sensor.size), entry.errors))
                first_signal += sensor.size
                self.steady &= entry.steady
        self.u = np.zeros(size)
        self.tangent = any(entry.sees_forces for entry in found)
        self.markers = MarkerSet(system.coordinates, list(self._numbers), set(), 0)
        self.work = self.markers.work(np.zeros(system.coordinates.n_v), np.zeros(self.markers.size))
        constants = np.zeros((len(found), 12))
        for i, entry in enumerate(found):
            constants[i, : len(entry.constants)] = entry.constants
        self.group = SensorGroup(
            what=_whole([e.what for e in found]), out=_whole([self.where[s].start for s in self.sensors]),
            a=_whole([e.a for e in found]), b=_whole([e.b for e in found]), rate=_whole([int(e.rate) for e in found]),
            along=_whole([int(e.direction is not None) for e in found]),
            data=np.array([e.data for e in found], dtype=np.float64).reshape(len(found), 6),
            kind=numbers_of_kinds([e.kind for e in found], ANGLE), c=constants, near=np.zeros(len(found)),
            noise=_whole(noise), ptr=self.markers.ptr, dof=self.markers.dof, S=np.zeros((1, 12)),
        )  # fmt: skip
        self.turns = any(e.what == ROW for e in found)

    def _entry(self, sensor: Any) -> Sensed | None:
        """A sensor as numbers; None where it must be read in Python, with the error that this may bring."""
        if not of_the_package(sensor) or getattr(sensor, "sensed", None) is None:
            return None
        try:
            found: Sensed | None = sensor.sensed(self)
        except ModelError:
            return None
        return found

    def count_from(self, before: Any) -> None:
        """Count the turns of angles from those of joints, by name and label."""
        for i, key in enumerate(self._coordinates):
            if key is not None:
                self.group.near[i] = before.get(key, 0.0)

    def turned(self) -> dict[tuple[str, str], float]:
        """Values from which the turns of angles are counted, by a mark and the number of the sensor."""
        return {(SENSOR, str(i)): float(x) for i, x in enumerate(self.group.near) if self.group.what[i] == ROW}

    def restored(self, near: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
        """Set what `turned` returned; what else there is."""
        for (mark, number), value in near.items():
            if mark == SENSOR:
                self.group.near[int(number)] = value
        return {key: value for key, value in near.items() if key[0] != SENSOR}

    # --- what sensors ask (`flexmbs.model.control.sensed.Places`) -------------------------------------------------

    def marker(self, marker: Marker) -> int:
        return self._numbers.setdefault(marker, len(self._numbers))

    def pair(self, joint: str, label: str) -> Pair:
        found = self.system.model.joint(joint)
        offered: dict[str, Pair] = getattr(found, "coordinates", {})
        label = only_label(found, label)
        if label not in offered:
            raise ModelError(f"joint {joint!r} has no coordinate {label!r}.")
        self._asked = joint, label
        return offered[label]

    def multiplier(self, joint: str, component: int) -> int:
        numbers = self.system.mechanics.equations_of(self.system.model.joint(joint))
        if component >= len(numbers):
            raise ModelError(f"joint {joint!r} has {len(numbers)} multipliers.")
        return int(numbers[component])

    def coordinate(self, body: str, index: int) -> tuple[int, int]:
        c = self.system.coordinates
        found = self.system.model.body(body)
        in_q, in_v = c.in_q(found), c.velocities(found)
        if (found.has_mesh and len(in_q) != len(in_v)) or not 0 <= index < len(in_v):
            raise ModelError(f"body {body!r} has no coordinate {index} with a rate.")
        return int(in_q[index]), int(in_v[index])

    def state(self, name: str, index: int) -> int:
        for item in self.system.model.states:
            if item.name == name and index < item.size:
                return int(self.system.coordinates.state_places(item)[index])
        raise ModelError(f"there is no state {index} of {name!r}.")

    def held(self, actuator: str) -> int:
        return number_meant("held", "actuator", actuator, self._names)


def _whole(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int64)
