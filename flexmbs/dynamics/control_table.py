"""The sampled controllers of a system as tables: what compiled steps sample, and what must be left to Python."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray
from flexmbs.dynamics.readings import Readings, of_the_package
from flexmbs.dynamics.stages import state_of
from flexmbs.kernels.control_laws import ControlGroup
from flexmbs.kernels.sensing import follow_turns, read_sensors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flexmbs.dynamics.control_loop import ControlLoop
    from flexmbs.model.control.packed import Packed
    from flexmbs.system.system import System

__all__ = ["ControlTable"]


class ControlTable:
    """Controllers and their sensors, compiled as far as they can be.

    Attributes
    ----------
    held : array
        Values of all actuators, as they are at any time.
    readings : Readings
        Of all sensors that a kernel can read.
    packed : list of Packed or None
        Controllers as numbers; None those whose output is a function in Python.
    in_python : str
        The first controller or sensor that Python has to evaluate; empty if there is none.
    group : ControlGroup
        The tables; only where nothing is left to Python.
    signals : (n_s,) array
        References of all controllers, then errors of sensors, at one sample.
    steady : bool
        Whether signals are the same at all times.
    """

    def __init__(self, system: System, loop: ControlLoop, held_names: tuple[str, ...], held: FloatArray) -> None:
        self.loop, self.held = loop, held
        self.packed: list[Packed | None] = [_packed(c) for c in loop.controllers]
        ends = np.cumsum([0, *(0 if p is None else p.n_signals for p in self.packed)])
        self.slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        sensors = [s for c in loop.controllers for s in c.sensors]
        self.readings = Readings(system, sensors, held_names, int(ends[-1]))
        last = max([int(ends[-1]), *(part.stop for part, _ in self.readings.errors)])
        self.signals = np.zeros(last)
        self.steady = self.readings.steady and all(p is None or p.steady for p in self.packed)
        self.in_python = self._in_python()
        if not self.in_python:
            self.group = self._group(ends)
        self._told = False

    def _in_python(self) -> str:
        for c, packed in zip(self.loop.controllers, self.packed, strict=True):
            if packed is None:
                return f"controller {c.name!r}"
            for sensor in c.sensors:
                if sensor not in self.readings.where:
                    return f"sensor {sensor.name!r} of controller {c.name!r}"
        return ""

    def _group(self, signals: Any) -> ControlGroup:
        loop, data, where = self.loop, list[float](), list[int]()
        for packed in self.packed:
            assert packed is not None  # noqa: S101
            where.append(len(data))
            data += packed.data
        reading = [list(range(self.readings.where[s].start, self.readings.where[s].stop))
                   for c in loop.controllers for s in c.sensors]  # fmt: skip
        sizes = [sum(s.size for s in c.sensors) for c in loop.controllers]
        n_x, n_f = sum(len(c.start) for c in loop.controllers), len(loop.actuators)
        widest = max([*sizes, n_f, 1])
        return ControlGroup(
            law=_whole([p.law for p in self.packed if p is not None]), data=np.array(data), where=_whole(where),
            x=_ends([len(c.start) for c in loop.controllers]), f=_ends([len(c.actuators) for c in loop.controllers]),
            d=_ends([c.delay * len(c.actuators) for c in loop.controllers]), u=_ends(sizes),
            s=np.array(signals, dtype=np.int64), reading=_whole([k for part in reading for k in part]),
            u_own=np.zeros(widest), seen=np.zeros(widest), f_new=np.zeros(n_f), x_new=np.zeros(n_x),
        )  # fmt: skip

    def tell(self, t: float, due: Sequence[int], times: Sequence[float]) -> None:
        """All signals at a sample: those of the controllers ``due`` at their own ``times``, errors of sensors at t."""
        if self.steady and self._told:
            return
        for i, own in zip(due, times, strict=True):
            packed = self.packed[i]
            if packed is not None and packed.n_signals:
                self.signals[self.slices[i]] = packed.signals(own)
        self.tell_errors(t)
        self._told = len(due) == len(self.packed)

    def tell_errors(self, t: float) -> None:
        """Errors of noisy sensors at t."""
        for part, errors in self.readings.errors:
            self.signals[part] = errors(t)

    def place(self, state: Any) -> None:
        """Kinematics of the markers of all sensors."""
        readings = self.readings
        given = state_of(state.q, state.v, state.a, state.lam)
        for kind, group in readings.markers.groups:
            place = kind.place_tangent if readings.tangent else kind.place
            place(group, given, Env(state.t, np.zeros(0)), readings.work)

    def follow(self) -> None:
        """After an accepted step whose markers are in place: angles are counted from their present values."""
        follow_turns(self.readings.group, self.readings.work)

    def read(self, state: Any) -> Any:
        """Readings of a state or view, the markers being in place; the sensor whose reading is not finite, or None."""
        readings = self.readings
        given = state_of(state.q, state.v, state.a, state.lam)
        bad = read_sensors(readings.group, given, self.held, self.signals, readings.work, readings.u)
        return None if bad < 0 else readings.sensors[bad]


def _packed(controller: Any) -> Packed | None:
    """A controller as numbers, if it comes with flexmbs and has a law of its own."""
    if not of_the_package(controller) or not of_the_package(getattr(controller, "controller", controller)):
        return None
    found: Packed | None = getattr(controller, "packed", None)
    return found


def _whole(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int64)


def _ends(lengths: list[int]) -> IntArray:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
