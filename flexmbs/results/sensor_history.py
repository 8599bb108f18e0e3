"""What a sensor reads over stored states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.control.sensors import read_sensor
from flexmbs.system.view import Viewer

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["sensor_history"]


def sensor_history(solution: States, sensor: Any) -> FloatArray:
    """Readings (n,) or (n, size); turns of angles are counted from state to state, as in the run.

    Actuators have the values held for them after the sample at a stored time.

    Raises
    ------
    ModelError
        If a long tree was integrated as rigid bodies, whose state is another one than the sensor knows.
    """
    name = getattr(sensor, "name", sensor)
    if "form" in solution.extra:
        raise ModelError(
            f"sensor {name!r}: the tree of the model was integrated as rigid bodies, which sensors do not know; ask "
            f"for the joint or the marker itself."
        )
    viewer, turns = Viewer(solution.system), _Turns(solution)
    viewer.before = turns
    actuators = [a.name for c in solution.model.controllers for a in c.actuators]
    samples = solution.extra.get("samples")
    readings = []
    for i, t in enumerate(solution.t):
        turns.state = i
        viewer.near.clear()
        if samples is not None and actuators:
            viewer.held_names = tuple(actuators)
            now = max(int(np.searchsorted(samples[:, 0], t, side="right")) - 1, 0)
            viewer.held = np.asarray(samples[now, 1:])
        view = viewer.view(float(t), *(np.array(x[i]) for x in (solution.q, solution.v, solution.a, solution.lam)))
        readings.append(read_sensor(sensor, view))
    found = np.array(readings)
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found


class _Turns:
    """Coordinates of joints at one state, with the turns that the solution counts between its states."""

    def __init__(self, solution: States) -> None:
        self.state = 0
        self._solution = solution
        self._kept: dict[tuple[str, str], FloatArray] = {}

    def get(self, key: tuple[str, str], default: float = 0.0) -> float:
        if key not in self._kept:
            self._kept[key] = np.asarray(self._solution.coordinate(*key))
        return float(self._kept[key][self.state])
