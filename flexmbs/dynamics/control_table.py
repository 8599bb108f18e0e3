"""The sampled controllers of a system as tables: what compiled steps sample, and what must be left to Python."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.identity import IdentityMap
from flexmbs.core.user_calls import of_the_package
from flexmbs.dynamics.readings import Readings
from flexmbs.dynamics.stage_calls import Direct, Prepared, state_of
from flexmbs.dynamics.stages import ENV, STATE, Stage
from flexmbs.dynamics.written_laws import called_controller, samples_with
from flexmbs.kernels.control_laws import CALLED, ENTERED, ControlGroup, control_samples
from flexmbs.kernels.sensing import follow_turns, read_sensors
from flexmbs.model.control.controller import Controller
from flexmbs.model.control.packed import Packed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flexmbs.dynamics.control_loop import ControlLoop
    from flexmbs.dynamics.python_stages import PythonStages
    from flexmbs.system.system import System

__all__ = ["ControlTable"]


IN_PYTHON = Packed(ENTERED, (), lambda t: (), True, 0)
NO_LOADS = Env(0.0, np.zeros(0))


class Entered:
    """Controllers that Python evaluates, as compiled steps call them at their samples; so they read sensors, too.

    Where one fails, the step before is made anew by the loop in Python, which evaluates it again and tells.
    """

    def __init__(self, table: ControlTable, python: PythonStages) -> None:
        self._table, self._viewer = table, python.viewer
        self._read: IdentityMap[Any, FloatArray] = IdentityMap()
        self._read_at = np.nan
        for i, packed in enumerate(table.packed):
            if packed is IN_PYTHON:
                places, sample = table.places[i], self._sample(i)
                if places is None:
                    number = python.number(partial(self._of_view, i, sample))
                else:
                    number = python.entry(_of_readings(sample, table.readings.u, places))
                table.group.entry[i] = number

    def _sample(self, i: int) -> Callable[[FloatArray], None]:
        """What samples controller i with its readings, into the scratch of the group."""
        table, loop, group = self._table, self._table.loop, self._table.group
        seen = group.seen[: len(loop.controllers[i].start)]
        time = group.time
        f_new, x_new = (part[ends[i] : ends[i + 1]] for part, ends in ((group.f_new, group.f), (group.x_new, group.x)))

        def sample(u: FloatArray) -> None:
            f_new[:], following = loop.computed(i, seen, u, time.item(), table)
            if len(following):
                x_new[:] = following

        return sample

    def _of_view(
        self, i: int, sample: Callable[[FloatArray], None], state: State, env: Env, weights: tuple[float, float]
    ) -> None:  # fmt: skip
        """Sample controller i, whose sensors Python reads."""
        sample(self._inputs(i, state, env))

    def _inputs(self, i: int, state: State, env: Env) -> FloatArray:
        """Readings of a controller whose sensors a kernel has not all read; each sensor is read once."""
        table, view = self._table, self._viewer.view(env.t, *state)
        controller, where, u = table.loop.controllers[i], table.readings.where, table.readings.u
        if env.t != self._read_at:
            self._read, self._read_at = IdentityMap(), env.t
        for sensor in controller.sensors:
            if sensor not in self._read:
                found = u[where[sensor]].copy() if sensor in where else table.loop.read(controller, sensor, view)
                self._read[sensor] = found
        return np.concatenate([self._read[sensor] for sensor in controller.sensors])


def _of_readings(sample: Callable[[FloatArray], None], u: FloatArray, places: IntArray) -> Callable[[float], None]:
    """Sample a controller whose sensors a kernel has read, into ``places`` of ``u``; whatever the time is."""
    return lambda t: sample(u[places])


class ControlTable:
    """Controllers and their sensors, compiled as far as they can be.

    Attributes
    ----------
    held : array
        Values of all actuators, as they are at any time.
    readings : Readings
        Of all sensors that a kernel can read.
    packed : list of Packed
        Controllers as numbers.
    places : list of int array or None
        Where the readings of each controller are; None where Python has to read a sensor.
    in_python : str
        The first sensor or controller that Python evaluates, for which compiled steps call it at a sample.
    of_users : bool
        Whether something is evaluated that a user wrote.
    group : ControlGroup
        The tables.
    python : PythonCalls
        With which kernels call Python.
    samples : kernel
        `control_laws.control_samples`, or one that also calls compiled functions of users.
    called : IdentityMap
        By controller the kernel around functions of a user's that numba compiles.
    signals : (n_s,) array
        References of all controllers, then errors of sensors, at one sample.
    steady : bool
        Whether signals are the same at all times.
    """

    def __init__(
        self, system: System, loop: ControlLoop, held_names: tuple[str, ...], held: FloatArray, python: PythonStages
    ) -> None:  # fmt: skip
        self.loop, self.held = loop, held
        self.called: IdentityMap[Any, Any] = IdentityMap()
        self.packed = [_packed(c) or self._called(c) or IN_PYTHON for c in loop.controllers]
        ends = np.cumsum([0, *(p.n_signals for p in self.packed)])
        self.slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        sensors = [s for c in loop.controllers for s in c.sensors]
        self.readings = Readings(system, sensors, held_names, int(ends[-1]))
        last = max([int(ends[-1]), *(part.stop for part, _ in self.readings.errors)])
        self.signals = np.zeros(last)
        self.steady = self.readings.steady and all(p.steady for p in self.packed)
        self.places = [self._places(c) for c in loop.controllers]
        pairs = zip(self.packed, self.places, strict=True)
        self.packed = [IN_PYTHON if places is None else packed for packed, places in pairs]
        self.in_python = self._in_python()
        self.of_users = bool(self.in_python or self.called)
        self.group, self.python = self._group(ends), python.calls
        Entered(self, python)
        kernels = list(self.called.values())
        self.samples = samples_with(kernels) if kernels else control_samples
        self._told, self._bad = False, -1
        r = self.readings
        place = [
            Stage("sensors", kind.place_tangent if r.tangent else kind.place, (group, STATE, ENV, r.work))
            for kind, group in r.markers.groups
        ]
        arguments = r.group, STATE, held, self.signals, r.work, r.u
        self._place = Prepared(tuple(place), NO_LOADS.scale)
        self._read = Prepared((Stage("sensors", read_sensors, arguments, self._note),), NO_LOADS.scale)
        self._follow = Direct(follow_turns, r.group, r.work)

    def _places(self, controller: Any) -> IntArray | None:
        """Where the readings of a controller are; None if Python has to read one of its sensors."""
        where = self.readings.where
        if any(sensor not in where for sensor in controller.sensors):
            return None
        return _whole([k for s in controller.sensors for k in range(where[s].start, where[s].stop)])

    def _called(self, controller: Any) -> Packed | None:
        """A controller of functions that numba compiles, as numbers: which of them it is, and how much it reads."""
        if type(controller) is not Controller:
            return None
        update = None if controller.stays else controller.update
        found = called_controller(f"controller {controller.name!r}", controller.output, update)
        if found is None:
            return None
        self.called[controller] = found
        size = sum(s.size for s in controller.sensors)
        return Packed(CALLED, (float(len(self.called) - 1), float(size)), lambda t: (), True, 0)

    def _in_python(self) -> str:
        for c, packed in zip(self.loop.controllers, self.packed, strict=True):
            for sensor in c.sensors:
                if sensor not in self.readings.where:
                    return f"sensor {sensor.name!r} of controller {c.name!r}"
            if packed is IN_PYTHON:
                return f"controller {c.name!r}"
        return ""

    def _group(self, signals: Any) -> ControlGroup:
        loop, data, where = self.loop, list[float](), list[int]()
        for packed in self.packed:
            where.append(len(data))
            data += packed.data
        sizes = [0 if part is None else len(part) for part in self.places]
        n_x, n_f = sum(len(c.start) for c in loop.controllers), len(loop.actuators)
        widest = max([*(n + len(c.start) for n, c in zip(sizes, loop.controllers, strict=True)), n_f, 1])
        places = [np.zeros(0, dtype=np.int64), *(part for part in self.places if part is not None)]
        return ControlGroup(
            law=_whole([p.law for p in self.packed]), data=np.array(data), where=_whole(where),
            x=_ends([len(c.start) for c in loop.controllers]), f=_ends([len(c.actuators) for c in loop.controllers]),
            d=_ends([c.delay * len(c.actuators) for c in loop.controllers]), u=_ends(sizes),
            s=np.array(signals, dtype=np.int64), reading=np.concatenate(places),
            period=np.array([float(c.period) for c in loop.controllers]),
            offset=np.array([float(c.offset) for c in loop.controllers]), time=np.zeros(1),
            entry=np.zeros(len(loop.controllers), dtype=np.int64),
            u_own=np.zeros(widest), seen=np.zeros(widest), f_new=np.zeros(n_f), x_new=np.zeros(n_x),
        )  # fmt: skip

    def tell(self, t: float, due: Sequence[int], times: Sequence[float]) -> None:
        """All signals at a sample: those of the controllers ``due`` at their own ``times``, errors of sensors at t."""
        if self.steady and self._told:
            return
        for i, own in zip(due, times, strict=True):
            packed = self.packed[i]
            if packed.n_signals:
                self.signals[self.slices[i]] = packed.signals(own)
        self.tell_errors(t)
        self._told = len(due) == len(self.packed)

    @property
    def told(self) -> bool:
        """Whether all signals have been told for good: they never change."""
        return self.steady and self._told

    def tell_errors(self, t: float) -> None:
        """Errors of noisy sensors at t."""
        for part, errors in self.readings.errors:
            self.signals[part] = errors(t)

    def place(self, state: Any) -> None:
        """Kinematics of the markers of all sensors."""
        self._place.run(state_of(state.q, state.v, state.a, state.lam), NO_LOADS)

    def follow(self) -> None:
        """After an accepted step whose markers are in place: angles are counted from their present values."""
        self._follow()

    def read(self, state: Any) -> Any:
        """Readings of a state or view, the markers being in place; the sensor whose reading is not finite, or None."""
        self._bad = -1
        self._read.run(state_of(state.q, state.v, state.a, state.lam), NO_LOADS)
        return None if self._bad < 0 else self.readings.sensors[self._bad]

    def _note(self, bad: int) -> None:
        self._bad = bad


def _packed(controller: Any) -> Packed | None:
    """A controller as numbers, if it comes with flexmbs and has a law of its own."""
    if not of_the_package(controller):
        return None
    found: Packed | None = getattr(controller, "packed", None)
    return found


def _whole(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int64)


def _ends(lengths: list[int]) -> IntArray:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
