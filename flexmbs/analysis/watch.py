"""Events within a run: found on the interpolant of a step, recorded, and acted on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flexmbs.core.checks import show
from flexmbs.core.distinct_names import repeated
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.watched import Watched, watch
from flexmbs.model.control.calling import call
from flexmbs.model.control.evaluation_order import hold_outputs, may_read_outputs
from flexmbs.model.control.events import Located, locate
from flexmbs.results.records import Happened

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState
    from flexmbs.model.control.events import Event
    from flexmbs.system.view import Viewer

__all__ = ["Watch", "as_events"]


def as_events(value: object) -> tuple[Event, ...]:
    """Events of one run, whose names differ."""
    if not isinstance(value, list | tuple):
        raise ModelError(f"simulate: events must be a list of Event objects, not {show(value)}.")
    for event in value:
        if isinstance(event, type) or not hasattr(event, "condition"):
            raise ModelError(f"simulate: events must be Event objects, not {show(event)}.")
    twice = repeated(value)
    if twice:
        raise ModelError(f"simulate: names of events are used twice: {twice}; names must differ.")
    return tuple(value)


class _Condition:
    """An event as `locate` asks it, with a state in the place of a view.

    ``watched``: what reads the condition; None where Python does, once for the state ``end`` at the end of a step,
    where the next one begins. What first-order states hold is that of the state, which no evaluation has left there.
    """

    def __init__(self, number: int, event: Event, watched: Watched | None, viewer: Viewer) -> None:
        self.direction, self.pieces = event.direction, event.pieces
        self.end: StepState | None = None
        self._number, self._event, self._watched, self._viewer = number, event, watched, viewer
        self._kept: tuple[StepState | None, float] = None, math.nan
        states = viewer.system.model.states
        self._outputs_of = states if may_read_outputs(event.condition, states) else ()

    def value(self, s: StepState) -> float:
        """Condition minus level; what is not finite is told by the sensor."""
        if self._watched is not None:
            value = self._watched.value(self._number, s)
            return value if math.isfinite(value) else self._read(s)
        if s is self._kept[0]:
            return self._kept[1]
        value = self._read(s)
        if s is self.end:
            self._kept = s, value
        return value

    def _read(self, s: StepState) -> float:
        view, held = self._viewer.view(s.t, s.q, s.v, s.a, s.lam), self._viewer.held
        if not self._outputs_of:
            return self._event.value(view)
        kept = held.copy()
        try:
            hold_outputs(self._outputs_of, view, held)
            return self._event.value(view)
        finally:
            held[:] = kept


class Watch:
    """The events of a run."""

    def __init__(self, dynamics: Dynamics, viewer: Viewer, events: tuple[Event, ...]) -> None:
        self.dynamics, self.viewer, self.events = dynamics, viewer, events
        self.hindrance = ""
        """Why steps are not made several at a time; the conditions of events are compiled where it is empty."""
        self._watched: Watched | None = None
        if events:
            found = watch(dynamics, events)
            if isinstance(found, str):
                self.hindrance = found
            else:
                dynamics.watched = self._watched = found
        self._conditions = tuple(_Condition(i, event, self._watched, viewer) for i, event in enumerate(events))
        self.record: list[Happened] = []
        self.angles: list[FloatArray] = []  # that turns are counted of, at the events
        self.resting: frozenset[int] = frozenset()
        self.factors: dict[str, float] = {}
        self.changes: list[tuple[float | None, dict[str, float]]] = []  # by time; those before the run without
        self.changed = False

    def count_from(self, before: Any) -> None:
        """Count the turns that conditions read from those of joints, by name and label."""
        if self._watched is not None:
            self._watched.readings.count_from(before)

    def memory(self) -> dict[str, Any]:
        """What a resumed run needs: factors of loads that actions have set, and the events that rest, by name.

        And what the states of this run need: when which factors were set.
        """
        resting = [self.events[i].name for i in sorted(self.resting)]
        turned = [] if self._watched is None else self._watched.turned().tolist()
        changes = [[t, dict(some)] for t, some in self.changes]
        return {"factors": dict(self.factors), "resting": resting, "turned": turned, "changes": changes}

    def restore(self, memory: Mapping[str, Any]) -> None:
        """Set what `memory` returned."""
        if memory:
            self.factors = {str(name): float(factor) for name, factor in memory["factors"].items()}
            self.changes = [(None, dict(self.factors))] if self.factors else []
            turned = memory.get("turned", [])
            if self._watched is not None and len(turned) == len(self._watched.turned()):
                self._watched.turned()[:] = turned
            self.resting = frozenset(i for i, e in enumerate(self.events) if e.name in memory["resting"])
            self.dynamics.prescribed.change_loads(self.factors, "simulate: start")

    def first(
        self,
        old: StepState,
        new: StepState,
        interpolation: Callable[[StepState, StepState], Callable[[float], StepState]],
    ) -> Located:
        """The first events within a step, whose states ``interpolation`` knows."""
        if not self.events:
            return Located(None, (), frozenset())
        for condition in self._conditions:
            condition.end = new
        found = locate(self._conditions, interpolation(old, new), old.t, new.t, self.resting)  # type: ignore[arg-type]
        self.resting = found.resting
        return found

    def accept(self, state: StepState) -> None:
        """After an accepted step: angles are counted from their present values."""
        if self._watched is not None:
            self._watched.accept(state)

    def happen(self, number: int, state: StepState) -> bool:
        """Record an event and do what it asks for; whether the run ends."""
        event = self.events[number]
        self.record.append(Happened(event.name, state.t, state))
        self.angles.append(self.dynamics.turns.counted)
        if event.action is not None:
            view = self.viewer.view(state.t, state.q, state.v, state.a, state.lam)
            changes = call(f"Event {event.name!r}", f"its action at t = {state.t:g}", event.action, view)
            self._apply(event, state.t, changes)
        return event.terminal

    def _apply(self, event: Event, t: float, changes: Any) -> None:
        """New factors of loads from a time on."""
        if changes is None:
            return
        if not isinstance(changes, Mapping):
            raise ModelError(
                f"Event {event.name!r}: its action must return nothing or the factors of loads, themselves or by name, "
                f"such as {{'gravity': 0.0}}, not {show(changes)}."
            )
        found = self.dynamics.prescribed.change_loads(changes, f"Event {event.name!r}")
        self.factors |= found
        self.changes.append((t, found))
        self.changed = True
