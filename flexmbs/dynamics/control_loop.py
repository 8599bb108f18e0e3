"""All sampled controllers of a model together: when they sample, and what their states and held values become.

A `ControlLoop` keeps nothing: it makes a new `ControlState` from an old one and a view of the system. So a step can be
given up and made again, and a run can be resumed from the arrays of the state, to the last bit.

Sample k of a controller is at ``offset + k * period`` with its integer k, rounded once or twice, never summed up.
Samples of several controllers that differ by round-off only count as one time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.distinct_names import repeated
from flexmbs.core.errors import ModelError, ReadError, unknown_name
from flexmbs.core.identity import IdentityMap
from flexmbs.core.user_calls import UserCalls, of_the_package
from flexmbs.core.user_functions import can_be_compiled, refuse_writing
from flexmbs.model.control.calling import as_values, call, copies
from flexmbs.model.control.controller import SampledController, check_controller
from flexmbs.model.control.packed import evaluated
from flexmbs.model.control.sensors import read_sensor

if TYPE_CHECKING:
    from flexmbs.dynamics.control_table import ControlTable
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.control.actuator import Actuator
    from flexmbs.model.control.sensors import Sensor
    from flexmbs.model.control.view import View

__all__ = ["ControlLoop", "ControlState"]

SAME_TIME = 64.0 * float(np.finfo(np.float64).eps)
"""Sample times that differ by less, relative to the larger of the time and the smallest period, are one."""


@dataclass(frozen=True, eq=False)
class ControlState:
    """What all controllers remember; arrays cannot be written to.

    ``x (n_x,)``: the states of all controllers; ``held (n_f,)``: a value per actuator; ``pending (n_d,)``: outputs of
    controllers with a delay that do not act yet; ``count (n,)``: number of the next sample of each controller.
    """

    x: FloatArray
    held: FloatArray
    pending: FloatArray
    count: IntArray

    def __post_init__(self) -> None:
        for name in ("x", "held", "pending", "count"):
            array = np.array(getattr(self, name), dtype=np.int64 if name == "count" else np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Copies of the arrays by name, for a checkpoint; `ControlLoop.restored` is the way back."""
        return {f"control.{name}": getattr(self, name).copy() for name in ("x", "held", "pending", "count")}


class ControlLoop:
    """Controllers compiled to flat arrays.

    Parameters
    ----------
    controllers : sequence of controllers
        Names of controllers and of actuators must differ.

    Attributes
    ----------
    controllers : tuple of controllers
    actuators : tuple of actuators
        In the order of the held values.
    calls : UserCalls
        Of controllers that Python evaluates.
    markers, joints : tuple
        What the sensors refer to: markers, and names of joints.

    Raises
    ------
    ModelError
        If something is no controller, or a name or an actuator is used twice.

    Examples
    --------
    >>> import flexmbs as fx
    >>> drive = fx.control.Command(fx.control.Signal("voltage"), period=0.1, values=lambda t: 2.0 * t, name="drive")
    >>> loop = ControlLoop([drive])
    >>> state = loop.initial()
    >>> loop.due_time(state), loop.next_time(0.3)
    (0.0, 0.4)
    """

    def __init__(self, controllers: Sequence[SampledController]) -> None:
        self.controllers = tuple(check_controller(c) for c in controllers)
        self.actuators: tuple[Actuator, ...] = tuple(a for c in self.controllers for a in c.actuators)
        for what, items in (("controllers", self.controllers), ("actuators", self.actuators)):
            twice = repeated(items)
            if twice:
                raise ModelError(
                    f"controllers: {len(twice)} names of {what} are used twice: {twice}; names must differ, and an "
                    f"actuator has one controller."
                )
        sensors = [s for c in self.controllers for s in c.sensors]
        self.markers: tuple[Marker, ...] = tuple(dict.fromkeys(m for s in sensors for m in getattr(s, "markers", ())))
        self.joints: tuple[str, ...] = tuple(dict.fromkeys(j for s in sensors for j in getattr(s, "joints", ())))
        self._x = _slices([len(c.start) for c in self.controllers])
        self._f = _slices([len(c.actuators) for c in self.controllers])
        self._d = _slices([c.delay * len(c.actuators) for c in self.controllers])
        self.calls = UserCalls()
        self._owners = [f"controller {c.name!r}" for c in self.controllers]
        self._stays = [of_the_package(c) and getattr(c, "stays", False) is True for c in self.controllers]
        self._packed = [of_the_package(c) and getattr(c, "packed", None) is not None for c in self.controllers]
        self._plain = [
            not packed and not any(map(can_be_compiled, (c.output, c.update)))
            for c, packed in zip(self.controllers, self._packed, strict=True)
        ]
        self._shortest = min((c.period for c in self.controllers), default=1.0)

    def initial(self, t: float = 0.0) -> ControlState:
        """The state at the start of a run at time t: the first samples are the first at or after t."""
        pending = [np.tile(c.initial, c.delay) for c in self.controllers]
        return ControlState(
            _joined([np.asarray(c.start) for c in self.controllers]),
            _joined([c.initial for c in self.controllers]),
            _joined(pending),
            np.array([self._first(c, t) for c in self.controllers], dtype=np.int64),
        )

    def next_time(self, t: float) -> float:
        """The first sample time after t; infinity without controllers. A sample at t itself does not count."""
        limit = t + self.tolerance(t)
        times = []
        for c in self.controllers:
            k = max(0, math.floor((t - c.offset) / c.period) - 1)
            while _time(c, k) <= limit:
                k += 1
            times.append(_time(c, k))
        return min(times, default=math.inf)

    def due_time(self, state: ControlState) -> float:
        """The time of the first sample that was not made; infinity without controllers."""
        return min((_time(c, int(k)) for c, k in zip(self.controllers, state.count, strict=True)), default=math.inf)

    def sample(self, state: ControlState, view: View, table: ControlTable | None = None) -> ControlState:
        """The state after the samples that are due at the time of the view; the same object if none is.

        All sensors are read first, then each controller computes from its readings; it is told its own time
        offset + k period. ``state`` is not changed. With a ``table``, in which markers are in place, a kernel reads
        the sensors that it can read.

        Raises
        ------
        ModelError
            If a sensor or a controller fails, or gives values of wrong shape or not finite (named, with the time); if
            an earlier sample was left out.
        """
        limit = view.t + self.tolerance(view.t)
        due = [i for i, c in enumerate(self.controllers) if _time(c, int(state.count[i])) <= limit]
        if not due:
            return state
        for i in due:
            c, k = self.controllers[i], int(state.count[i])
            if _time(c, k) < view.t - self.tolerance(view.t):
                raise ModelError(
                    f"controller {c.name!r}: its sample {k} at t = {_time(c, k):.12g} was left out; it is t = "
                    f"{view.t:.12g} already."
                )
        read = self._readings(due, view, table)
        x, held, pending, count = state.x.copy(), state.held.copy(), state.pending.copy(), state.count.copy()
        for i in due:
            t = _time(self.controllers[i], int(state.count[i]))
            output, x[self._x[i]] = self.computed(i, state.x[self._x[i]], read[i], t, table)
            queue = np.concatenate((state.pending[self._d[i]], output))
            held[self._f[i]], pending[self._d[i]] = queue[: len(output)], queue[len(output) :]
            count[i] += 1
        return ControlState(x, held, pending, count)

    def refuse_what_differs(self, one: ControlState, other: ControlState, t: float) -> None:
        """Refuse a controller that gave two results for the same state and readings."""
        for c, x, f, d in zip(self.controllers, self._x, self._f, self._d, strict=True):
            for part in ("x", "held", "pending"):
                place = {"x": x, "held": f, "pending": d}[part]
                a, b = getattr(one, part)[place], getattr(other, part)[place]
                if not np.array_equal(a, b):
                    raise ModelError(
                        f"controller {c.name!r}: {'update' if part == 'x' else 'output'} at t = {t:g} gives "
                        f"{show(a.tolist())} and, called again with the same x, u and t, {show(b.tolist())}. It must "
                        f"not remember or draw anything: make what it remembers its state x, and take noise such as "
                        f"WhiteNoise(...)."
                    )

    def upcoming(self, state: ControlState) -> Upcoming:
        """The samples that follow on a state."""
        return Upcoming(self, state)

    def due_at(self, state: ControlState, ends: FloatArray) -> IntArray | None:
        """Which controllers sample (n, n_controllers) at the next times; None if a sample is not exactly at one."""
        due = np.zeros((len(ends), len(self.controllers)), dtype=np.int64)
        last = ends[-1] + self.tolerance(float(ends[-1]))
        for i, c in enumerate(self.controllers):
            first = int(state.count[i])
            most = max(0, math.ceil((last - _time(c, first)) / c.period) + 2)
            times = c.offset + np.arange(first, first + most) * c.period
            times = times[times <= last]
            where = np.minimum(np.searchsorted(ends, times), len(ends) - 1)
            if not np.array_equal(ends[where], times):
                return None
            due[where, i] = 1
        return due

    def tolerance(self, t: float) -> float:
        """Times about t that differ by less are one."""
        return SAME_TIME * max(abs(t), self._shortest)

    def outputs(self, state: ControlState) -> FloatArray:
        """The held values (n_f,), one per actuator; cannot be written to."""
        return state.held

    def controller_state(self, state: ControlState, name: str) -> FloatArray:
        """The state (n_x,) of the controller of that name."""
        names = [c.name for c in self.controllers]
        if name not in names:
            raise ModelError(f"controllers: {unknown_name('controller', name, names)}")
        return state.x[self._x[names.index(name)]]

    def restored(self, arrays: Mapping[str, Any]) -> ControlState:
        """The state from `ControlState.arrays`, among which there may be others.

        Raises
        ------
        ReadError
            If arrays are missing, or belong to other controllers.
        """
        like = self.initial()
        found: dict[str, Any] = {}
        for name, expected in like.arrays().items():
            if name not in arrays:
                raise ReadError(f"state of the controllers: array {name!r} is missing.")
            given = np.asarray(arrays[name])
            if given.shape != expected.shape or given.dtype.kind != expected.dtype.kind:
                raise ReadError(
                    f"state of the controllers: array {name!r} has shape {given.shape} and type {given.dtype}, but "
                    f"these controllers need {expected.shape} and {expected.dtype}; take the controllers that wrote it."
                )
            if not np.all(np.isfinite(given)):
                raise ReadError(f"state of the controllers: array {name!r} has entries that are not finite.")
            found[name.removeprefix("control.")] = given
        return ControlState(**found)

    def read(self, controller: SampledController, sensor: Sensor, view: View) -> FloatArray:
        """What a sensor reads, in Python."""
        try:
            return read_sensor(sensor, view)
        except ModelError as error:
            raise ModelError(f"controller {controller.name!r}: {error}") from error

    def _readings(self, due: list[int], view: View, table: ControlTable | None) -> dict[int, FloatArray]:
        """What the controllers that are due read, by their number; each sensor is read once."""
        found: dict[int, FloatArray] = {}
        where: IdentityMap[Sensor, slice] = IdentityMap()
        if table is not None:
            if table.readings.errors:
                call(f"sensors at t = {view.t:g}", "their errors", table.tell_errors, view.t)
            if table.read(view) is None:  # else Python reads them, and tells which
                where = table.readings.where
                found = {i: table.readings.u[p] for i in due if (p := table.places[i]) is not None}
        seen: IdentityMap[Sensor, FloatArray] = IdentityMap()
        for i in due:
            if i in found:
                continue
            c = self.controllers[i]
            for sensor in c.sensors:
                if sensor not in seen:
                    if table is not None and sensor in where:
                        seen[sensor] = table.readings.u[where[sensor]].copy()
                    else:
                        seen[sensor] = self.read(c, sensor, view)
            found[i] = _joined([seen[s] for s in c.sensors])
        return found

    def computed(
        self, i: int, x: FloatArray, u: FloatArray, t: float, table: ControlTable | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Output and next state of controller i from its state, its readings, and its own time."""
        if self._plain[i]:
            found = self._without_messages(i, x, u, t)
            if found is not None:
                return found
        c, owner, at = self.controllers[i], self._owners[i], f"at t = {t:g}"
        what = f"output {at}"
        if self._packed[i]:
            f, following = call(owner, what, evaluated, c, x, u, t)
            return as_values(owner, what, f, len(f)), as_values(owner, f"update {at}", following, len(x))
        if table is not None and c in table.called:
            found = called_once(table.called[c], c, x, u, t)
            if found is not None:
                return found
        began = perf_counter()
        try:
            output = as_values(owner, what, call(owner, what, c.output, *copies(x, u), t), len(c.actuators))
            what, following = f"update {at}", x
            if not self._stays[i]:
                following = as_values(owner, what, call(owner, what, c.update, *copies(x, u), t), len(x))
            if table is not None and c in table.called:
                for what in ("output", "update"):
                    refuse_writing(f"{owner}: {what} {at}", getattr(c, what), x, u, t)
        except ModelError as error:
            raise ModelError(f"{error} It was called with x = {show(x.tolist())}, u = {show(u.tolist())}.") from error
        self.calls.add(c.name, began)
        return output, following

    def _without_messages(
        self, i: int, x: FloatArray, u: FloatArray, t: float
    ) -> tuple[FloatArray, FloatArray] | None:  # fmt: skip
        """The same of functions in Python; None where something is wrong, which is told when they are called again."""
        c, began, following = self.controllers[i], perf_counter(), x
        try:
            output = as_values("", "", c.output(x.copy(), u.copy(), t), len(c.actuators))
            if not self._stays[i]:
                following = as_values("", "", c.update(x.copy(), u.copy(), t), len(x))
        except Exception:  # noqa: BLE001
            return None
        self.calls.add(c.name, began)
        return output, following

    def _first(self, controller: SampledController, t: float) -> int:
        """Number of the first sample at or after t."""
        if not math.isfinite(t):
            raise ModelError(f"controllers: the start must be a finite time, not {show(t)}.")
        k = max(0, math.floor((t - controller.offset) / controller.period) - 1)
        while _time(controller, k) < t - self.tolerance(t):
            k += 1
        return k


class Upcoming:
    """Samples one after the other, without making them.

    ``next``: the time of the first that is not passed; infinity without controllers.
    """

    def __init__(self, loop: ControlLoop, state: ControlState) -> None:
        self._loop, self._count = loop, state.count.tolist()
        self._times = [_time(c, k) for c, k in zip(loop.controllers, self._count, strict=True)]
        self.next = min(self._times, default=math.inf)

    def passed(self, t: float) -> tuple[list[int], list[float]]:
        """The controllers that sample at t, by number, and their own times for it."""
        limit = t + self._loop.tolerance(t)
        if self.next > limit:
            return [], []
        due = [i for i, time in enumerate(self._times) if time <= limit]
        own = [self._times[i] for i in due]
        for i in due:
            self._count[i] += 1
            self._times[i] = _time(self._loop.controllers[i], self._count[i])
        self.next = min(self._times)
        return due, own


def called_once(
    kernel: Any, controller: Any, x: FloatArray, u: FloatArray, t: float
) -> tuple[FloatArray, FloatArray] | None:
    """Output and next state of a controller of compiled functions; None where Python has to tell what is wrong."""
    f, following = np.empty(len(controller.actuators)), np.empty(len(x))
    x, u = np.array(x), np.array(u)
    try:
        bad = kernel(x, u, t, np.empty_like(x), np.empty_like(u), f, following)
    except Exception:  # noqa: BLE001  # Python raises it again
        return None
    return (f, following) if bad < 0 and np.isfinite(f).all() and np.isfinite(following).all() else None


def _time(controller: SampledController, k: int) -> float:
    """The time of sample k."""
    return controller.offset + k * controller.period


def _slices(lengths: list[int]) -> list[slice]:
    return [slice(a, b) for a, b in pairwise(accumulate(lengths, initial=0))]


def _joined(parts: list[FloatArray]) -> FloatArray:
    return np.concatenate([np.zeros(0), *parts])
