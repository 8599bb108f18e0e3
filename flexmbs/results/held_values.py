"""What actuators hold at stored states: samples of controllers, outputs of first-order states.

A state that is stored at the time of a sample is the one before it, as its accelerations and reactions are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.control.evaluation_order import hold_outputs
from flexmbs.system.view import SystemView, Viewer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flexmbs.results.states import States

__all__ = ["actuators_of", "held_history", "views"]

SAME_TIME = 256.0 * float(np.finfo(np.float64).eps)
"""Times that differ by less, relative to the later one and the shortest period, are one."""


def actuators_of(model: Any) -> list[Any]:
    """Actuators of a model: those of controllers, then those of first-order states."""
    return [a for item in model.controllers + model.states for a in item.actuators]


def held_history(solution: States) -> FloatArray:
    """Values (n, n_a) held for all actuators, which acted in the stored states.

    Raises
    ------
    ModelError
        If the solution keeps no samples, or first-order states read sensors in a long tree integrated as rigid bodies.
    """
    model = solution.model
    if any(item.actuators for item in model.states):
        return np.array([view.all_held for view in views(solution, after=False)]).reshape(len(solution), -1)
    return _of_controllers(solution, after=False)


def views(solution: States, after: bool) -> Iterator[SystemView]:
    """The stored states as sensors see them, with the values held; ``after``: after samples at their times.

    Turns of angles are counted from state to state, as in the run.
    """
    model, viewer, turns = solution.model, Viewer(solution.system), _Turns(solution)
    actuators = actuators_of(model)
    viewer.before, viewer.held_names = turns, tuple(a.name for a in actuators)
    sampled = sum(len(c.actuators) for c in model.controllers)
    held = np.zeros((len(solution), len(actuators)))
    if sampled and solution.extra.get("samples") is not None:
        held[:, :sampled] = _of_controllers(solution, after)
    for i, t in enumerate(solution.t):
        turns.state, viewer.held = i, held[i]
        viewer.near.clear()
        view = viewer.view(float(t), *(np.array(x[i]) for x in (solution.q, solution.v, solution.a, solution.lam)))
        if sampled < len(actuators):
            hold_outputs(model.states, view, held[i])
        yield view


def _of_controllers(solution: States, after: bool) -> FloatArray:
    """Values (n, n_f) held for the actuators of controllers."""
    model, extra = solution.model, solution.extra
    count = sum(len(c.actuators) for c in model.controllers)
    samples, first = extra.get("samples"), extra.get("held_first")
    if not count:
        return np.zeros((len(solution), 0))
    if samples is None:
        raise ModelError(f"model {model.name!r}: this solution keeps no samples of controllers; simulate the model.")
    rows = np.asarray(samples)
    if first is not None:
        rows = np.vstack((first, rows[rows[:, 0] > first[0]]))
    if not len(rows):
        raise ModelError(f"model {model.name!r}: the file of this run keeps no values held before the first sample.")
    near = SAME_TIME * np.maximum(np.abs(solution.t), min(c.period for c in model.controllers))
    if after:
        numbers = np.searchsorted(rows[:, 0], solution.t + near, side="right") - 1
    else:
        numbers = np.searchsorted(rows[:, 0], solution.t - near, side="left") - 1
    return np.asarray(rows[np.maximum(numbers, 0), 1:])


class _Turns:
    """Coordinates of joints at one state, with the turns that the solution counts between its states."""

    def __init__(self, solution: States) -> None:
        self.state = 0
        self._solution = solution
        self._kept: dict[tuple[str, str], FloatArray] = {}

    def get(self, key: tuple[str, str], default: float = 0.0) -> float:
        if key not in self._kept:
            name, label = key
            self._kept[key] = np.asarray(self._solution.coordinate(self._solution.model.joint(name), label))
        return float(self._kept[key][self.state])
