"""What a sensor reads over stored states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.control.sensors import read_sensor
from flexmbs.results.held_values import views

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
    found = np.array([read_sensor(sensor, view) for view in views(solution, after=True)])
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
