"""The order in which first-order states are evaluated: those that hold a value before those that read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.core.user_calls import of_the_package
from flexmbs.model.control.function_sensors import FunctionSensor, NoisySensor
from flexmbs.model.control.value_sensors import HeldSensor

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.control.view import View

__all__ = ["evaluation_order", "hold_outputs", "may_read_outputs"]


def evaluation_order(states: Sequence[Any]) -> list[int]:
    """Numbers of `FirstOrder` items so that each comes after those whose outputs its `HeldSensor` inputs read.

    Else they keep their order; those with sensors that are functions, which may read any output, come as late as they
    can. In any other order what is read is that of the evaluation before, which no scheme takes into account.

    Raises
    ------
    ModelError
        If they read each other's outputs, or one its own, in a circle.

    Examples
    --------
    >>> import flexmbs as fx
    >>> current = fx.control.Signal("current")
    >>> last = fx.control.FirstOrder([0.0], lambda x, u, t: u - x, fx.control.HeldSensor(current), name="last")
    >>> first = fx.control.FirstOrder([0.0], lambda x, u, t: -x, actuators=current, name="first")
    >>> evaluation_order([last, first])
    [1, 0]
    """
    owner = {actuator.name: k for k, item in enumerate(states) for actuator in item.actuators}
    needs = [{owner[name] for s in item.inputs for name in _reads(s) if name in owner} for item in states]
    may_read_all = [any(_is_function(s) for s in item.inputs) for item in states]
    left, order = list(range(len(states))), list[int]()
    while left:
        ready = [k for k in left if not needs[k].intersection(left)]
        if not ready:
            raise ModelError(_circle(states, needs, left))
        order.append(min(ready, key=lambda k: may_read_all[k]))
        left.remove(order[-1])
    return order


def hold_outputs(states: Sequence[Any], view: View, held: FloatArray) -> None:
    """Outputs of first-order states at a view, into the values ``held`` for all actuators, of which theirs are last.

    The view must show these values.
    """
    first = len(held) - sum(len(item.actuators) for item in states)
    ends = np.cumsum([first, *(len(item.actuators) for item in states)])
    for k in evaluation_order(states):
        item = states[k]
        if item.actuators:
            held[ends[k] : ends[k + 1]] = item.output_at(view.state(item.name), item.read(view), view.t)


def may_read_outputs(condition: Any, states: Sequence[Any]) -> bool:
    """Whether the condition of an event, a sensor or a function, may read what first-order states hold."""
    outputs = {actuator.name for item in states for actuator in item.actuators}
    if not outputs:
        return False
    return not hasattr(condition, "read") or _is_function(condition) or not outputs.isdisjoint(_reads(condition))


def _reads(sensor: Any) -> tuple[str, ...]:
    """Names of actuators whose held values a sensor reads."""
    if isinstance(sensor, NoisySensor):
        return _reads(sensor.sensor)
    return (str(sensor.actuator),) if isinstance(sensor, HeldSensor) else ()


def _is_function(sensor: Any) -> bool:
    """Whether a sensor may read anything."""
    if isinstance(sensor, NoisySensor):
        return _is_function(sensor.sensor)
    return isinstance(sensor, FunctionSensor) or not of_the_package(sensor)


def _circle(states: Sequence[Any], needs: Sequence[set[int]], left: Sequence[int]) -> str:
    """What to tell of states each of which waits for another one among those that are ``left``."""
    way = [left[0]]
    while way[-1] not in way[:-1]:
        way.append(min(needs[way[-1]].intersection(left)))
    circle = way[way.index(way[-1]) :]
    names = " reads what ".join(repr(states[k].name) for k in circle)
    return (
        f"FirstOrder {names} holds: a circle, in which there is no order to evaluate them. Read a state by "
        f"StateSensor(item, index) in place of one of these held values, or make one FirstOrder of them."
    )
