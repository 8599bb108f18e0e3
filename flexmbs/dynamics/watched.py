"""What is looked at in every step, compiled: the markers and conditions of events that sensors tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import Env, FloatArray
from flexmbs.dynamics.stages import ENV, STATE, Prepared, Stage, state_of
from flexmbs.kernels.conditions import QUANTITIES, Conditions, measure
from flexmbs.system.marker_set import MarkerSet

if TYPE_CHECKING:
    from flexmbs.integrators.contracts import StepState
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.control.events import Event
    from flexmbs.model.control.sensors import Measured
    from flexmbs.system.system import System

__all__ = ["Watched", "watch"]

NO_LOADS = Env(0.0, np.zeros(0))


def watch(system: System, events: Sequence[Event]) -> Watched | str:
    """The conditions of events, compiled; or why Python has to look at one of them."""
    for event in events:
        if getattr(event.condition, "measured", None) is None:
            what = "sensor" if hasattr(event.condition, "read") else "function"
            return f"the condition of event {event.name!r} is a {what} that Python reads"
        if event.pieces > 1:
            return f"event {event.name!r} is looked for in {event.pieces} pieces of a step"
    found = Watched(system, events)
    for kind, group in found.markers.groups:
        if kind.rebase is not None:
            return f"an event refers to {found.markers.markers[group.mk[0]]}, whose frame is based anew as it turns"
    return found


class Watched:
    """Conditions of events, all of which sensors tell, with the kinematics of their markers."""

    def __init__(self, system: System, events: Sequence[Event]) -> None:
        measured: list[Measured] = [event.condition.measured for event in events]  # type: ignore[union-attr]
        seen: list[Marker] = list(dict.fromkeys(m for one in measured for m in (one.a, one.b) if m is not None))
        self.markers = MarkerSet(system.coordinates, seen, set(), 0)
        self.work = self.markers.work(np.zeros(system.coordinates.n_v), np.zeros(self.markers.size))
        number = self.markers.number
        self.table = Conditions(
            quantity=np.array([QUANTITIES.index(one.quantity) for one in measured], dtype=np.int64),
            a=np.array([number[one.a] for one in measured], dtype=np.int64),
            b=np.array([-1 if one.b is None else number[one.b] for one in measured], dtype=np.int64),
            direction=np.array([one.direction for one in measured], dtype=np.float64).reshape(-1, 3),
            level=np.array([event.level for event in events], dtype=np.float64),
            sense=np.array([event.direction for event in events], dtype=np.int64),
            value=np.zeros(len(measured)),
        )
        work = self.work
        self.stages = tuple(Stage("events", kind.place, (g, STATE, ENV, work)) for kind, g in self.markers.groups)
        look = Stage("events", measure, (self.table, work.p, work.R, work.twist))
        self._read = Prepared((*self.stages, look), np.zeros(0))
        self._state: StepState | None = None

    def values(self, state: StepState) -> FloatArray:
        """Conditions minus their levels at a state, overwritten by the next call with another one."""
        if state is not self._state:
            self._read.run(state_of(state.q, state.v, state.a, state.lam), NO_LOADS)
            self._state = state
        return self.table.value

    def forget(self) -> None:
        """The values are no longer those of the last call."""
        self._state = None
