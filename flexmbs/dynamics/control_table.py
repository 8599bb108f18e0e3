"""The sampled controllers of a system as tables: what compiled steps sample, and what must be left to Python."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.callbacks import Callback
from flexmbs.core.contracts import Env, FloatArray, IntArray
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
    from collections.abc import Sequence

    from flexmbs.dynamics.control_loop import ControlLoop
    from flexmbs.system.system import System

__all__ = ["ControlTable"]


IN_PYTHON = Packed(ENTERED, (), lambda t: (), True, 0)
NO_LOADS = Env(0.0, np.zeros(0))


class Entered:
    """Controllers of functions in Python, as compiled steps call them at their samples.

    Where one fails, the step before is made anew by the loop in Python, which evaluates it again and tells.
    """

    def __init__(self, loop: ControlLoop, group: ControlGroup) -> None:
        self._loop, self._group = loop, group
        self._n = [(len(c.start), sum(s.size for s in c.sensors)) for c in loop.controllers]
        self._x = [slice(int(a), int(b)) for a, b in itertools.pairwise(group.x)]
        self._f = [slice(int(a), int(b)) for a, b in itertools.pairwise(group.f)]
        self.callback = Callback(self._sample)
        group.python[0] = self.callback.address

    def _sample(self, i: int, t: float) -> None:
        """Output and next state of controller i into the scratch of the group."""
        g, (n_x, n_u) = self._group, self._n[i]
        found = self._loop.computed(i, g.seen[:n_x].copy(), g.u_own[:n_u].copy(), t)
        g.f_new[self._f[i]], g.x_new[self._x[i]] = found


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
    unread : str
        The first sensor that Python has to read, so that no compiled step can sample; empty if there is none.
    in_python : str
        It, or else the first controller that Python evaluates, which compiled steps enter at its samples.
    of_users : bool
        Whether something is evaluated that a user wrote.
    entered : Entered
        What compiled steps call of Python; only where nothing is unread.
    group : ControlGroup
        The tables; only where nothing is unread.
    samples : kernel
        `control_laws.control_samples`, or one that also calls functions of users; likewise.
    called : IdentityMap
        By controller the kernel around functions of a user's that numba compiles.
    signals : (n_s,) array
        References of all controllers, then errors of sensors, at one sample.
    steady : bool
        Whether signals are the same at all times.
    """

    def __init__(self, system: System, loop: ControlLoop, held_names: tuple[str, ...], held: FloatArray) -> None:
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
        self.unread = self._unread()
        entered = [c.name for c, p in zip(loop.controllers, self.packed, strict=True) if p is IN_PYTHON]
        self.in_python = self.unread or (f"controller {entered[0]!r}" if entered else "")
        self.of_users = bool(self.in_python or self.called)
        self.places = [self._places(c) for c in loop.controllers]
        if not self.unread:
            self.group = self._group(ends)
            self.entered = Entered(loop, self.group)
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

    def _unread(self) -> str:
        for c in self.loop.controllers:
            for sensor in c.sensors:
                if sensor not in self.readings.where:
                    return f"sensor {sensor.name!r} of controller {c.name!r}"
        return ""

    def _group(self, signals: Any) -> ControlGroup:
        loop, data, where = self.loop, list[float](), list[int]()
        for packed in self.packed:
            where.append(len(data))
            data += packed.data
        sizes = [sum(s.size for s in c.sensors) for c in loop.controllers]
        n_x, n_f = sum(len(c.start) for c in loop.controllers), len(loop.actuators)
        widest = max([*(n + len(c.start) for n, c in zip(sizes, loop.controllers, strict=True)), n_f, 1])
        places = [np.zeros(0, dtype=np.int64), *(part for part in self.places if part is not None)]
        return ControlGroup(
            law=_whole([p.law for p in self.packed]), data=np.array(data), where=_whole(where),
            x=_ends([len(c.start) for c in loop.controllers]), f=_ends([len(c.actuators) for c in loop.controllers]),
            d=_ends([c.delay * len(c.actuators) for c in loop.controllers]), u=_ends(sizes),
            s=np.array(signals, dtype=np.int64), reading=np.concatenate(places),
            period=np.array([float(c.period) for c in loop.controllers]),
            offset=np.array([float(c.offset) for c in loop.controllers]), python=np.zeros(1, dtype=np.int64),
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
        return self.steady and self._told and not self.unread

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
