"""What is looked at in every step, compiled: the conditions of events, which sensors tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import Env, FloatArray
from flexmbs.dynamics.readings import Readings
from flexmbs.dynamics.stage_calls import Prepared, state_of
from flexmbs.dynamics.stages import ENV, STATE, Stage
from flexmbs.kernels.conditions import Conditions
from flexmbs.kernels.sensing import follow_turns, read_sensors
from flexmbs.model.control.evaluation_order import may_read_outputs

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState
    from flexmbs.model.control.events import Event

__all__ = ["Watched", "watch"]

NO_LOADS = Env(0.0, np.zeros(0))


def watch(dynamics: Dynamics, events: Sequence[Event]) -> Watched | str:
    """The conditions of events, compiled; or why Python has to look at one of them."""
    found = Watched(dynamics, events)
    for event in events:
        if event.condition not in found.readings.where:
            what = "sensor" if hasattr(event.condition, "read") else "function"
            return f"the condition of event {event.name!r} is a {what} that Python evaluates"
        if may_read_outputs(event.condition, dynamics.system.model.states):
            return f"the condition of event {event.name!r} reads what first-order states hold"
        if event.pieces > 1:
            return f"event {event.name!r} is looked for in {event.pieces} pieces of a step"
    if found.readings.errors:
        return f"{found.readings.sensors[0].name!r} has errors that Python evaluates"
    for kind, group in found.readings.markers.groups:
        if kind.rebase is not None:
            marker = found.readings.markers.markers[group.mk[0]]
            return f"an event refers to {marker}, whose frame is based anew as it turns"
    found.compile(events)
    return found


class Watched:
    """Conditions of events that kernels can read.

    Attributes
    ----------
    readings : Readings
        Their sensors.
    table : Conditions
    place, read : tuple of Stage
        Kinematics of the markers, and the sensors.
    """

    def __init__(self, dynamics: Dynamics, events: Sequence[Event]) -> None:
        names = tuple(actuator.name for actuator in dynamics.mechanics.actuators)
        self.readings = Readings(dynamics.system, [event.condition for event in events], names, 0)
        self._held = dynamics.mechanics.held

    def compile(self, events: Sequence[Event]) -> None:
        """Tables and stages, which there are if all conditions are read."""
        r = self.readings
        self.table = Conditions(
            reading=np.array([r.where[event.condition].start for event in events], dtype=np.int64),
            level=np.array([event.level for event in events]),
            sense=np.array([event.direction for event in events], dtype=np.int64),
            value=np.zeros(len(events)),
        )
        self.place = tuple(
            Stage("events", k.place_tangent if r.tangent else k.place, (g, STATE, ENV, r.work))
            for k, g in r.markers.groups
        )
        arguments = r.group, STATE, self._held, np.zeros(0), r.work, r.u
        self.read = Stage("events", read_sensors, arguments, self._refuse)
        self._all = Prepared((*self.place, self.read), np.zeros(0))
        self._state: StepState | None = None
        self._finite = True

    def value(self, number: int, state: StepState) -> float:
        """A condition minus its level at a state; NaN where a reading is not finite."""
        if state is not self._state:
            self._finite = True
            self._all.run(state_of(state.q, state.v, state.a, state.lam), NO_LOADS)
            self._state = state
        if not self._finite:
            return float("nan")
        return float(self.readings.u[self.table.reading[number]] - self.table.level[number])

    def forget(self) -> None:
        """The readings are no longer those of the last state."""
        self._state = None

    def accept(self, state: StepState) -> None:
        """After an accepted step: angles are counted from their present values."""
        if self.readings.turns:
            self.value(0, state)
            follow_turns(self.readings.group, self.readings.work)
            self.forget()

    def turned(self) -> FloatArray:
        """Values from which turns of angles are counted, one a sensor."""
        return self.readings.group.near

    def _refuse(self, bad: int) -> None:
        self._finite = False
