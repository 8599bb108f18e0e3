"""Inputs of linear models: what they are, and what a unit of each adds to the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import is_list, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.distinct_names import distinct_names, number_meant
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import held_columns
from flexmbs.integrators.contracts import StepState
from flexmbs.model.control.actuator import RowTarget
from flexmbs.model.control.linear import Command
from flexmbs.model.forces.joint_force import JointForce
from flexmbs.model.model import Model
from flexmbs.system.system import compile_model

__all__ = ["Input", "find_inputs", "load_column", "outside_columns", "without_inputs"]


class Input(NamedTuple):
    """An input: "load", "actuator", "motion" or "outside" the model, its number among its kind, and its name.

    ``thing`` is what was given for it; ``item`` the load or actuator that stands for it where it is outside. Names
    differ: loads, actuators, joints and joint forces of the model that are called alike are numbered in this order,
    then what is outside.
    """

    kind: str
    number: int
    name: str
    thing: Any
    item: Any = None


def find_inputs(model: Model, inputs: Sequence[Any] | str) -> list[Input]:
    """Inputs by object or name; loads, actuators and joint forces need not be in the model.

    Raises
    ------
    ModelError
        If a name is unknown or several bear it, an object is no input, or one is given twice.
    """
    if not isinstance(inputs, str) and not is_list(inputs):
        raise ModelError(
            f"linearise: inputs must be a list of loads, actuators, driven joints or names, not {show(inputs)}."
        )
    known = _in_the_model(model)
    things, labels = [x.thing for x in known], [x.name for x in known]
    names = distinct_names(labels)
    chosen: list[int] = []
    for item in (inputs,) if isinstance(inputs, str) else map(model.present, inputs):
        if isinstance(item, str):
            number = number_meant("linearise", "load, actuator or prescribed motion", item, names, things)
        else:
            number = next((k for k, thing in enumerate(things) if thing is item), len(things))
        if number in chosen:
            raise ModelError(f"linearise: the input {show(item)} is given twice.")
        if number == len(things):
            things.append(item)
            labels.append(_label(item, names))
        chosen.append(number)
    names = distinct_names(labels)
    found: list[Input] = []
    for number in chosen:
        if number < len(known) and known[number].kind != "force":
            found.append(known[number]._replace(name=names[number]))
        else:
            count = sum(i.kind == "outside" for i in found)
            found.append(Input("outside", count, names[number], things[number], _outside(things[number])))
    return found


def _in_the_model(model: Model) -> list[Input]:
    """What can be an input, with its own name; joint forces as "force"."""
    actuators = [a for owner in model.controllers + model.states for a in owner.actuators]
    found = [Input("load", i, x.label, x) for i, x in enumerate(model.loads)]
    found += [Input("actuator", i, x.name, x) for i, x in enumerate(actuators)]
    for i, joint in enumerate(model.joints):
        if any(e.motion is not None for e in joint.equations):
            found.append(Input("motion", i, joint.name, joint))
    return found + [Input("force", i, x.name, x) for i, x in enumerate(model.forces) if isinstance(x, JointForce)]


def _label(item: Any, known: Sequence[str]) -> str:
    """What an input is called that is not in the model."""
    if not isinstance(item, type):
        if all(hasattr(item, member) for member in ("items", "history", "label")):
            return str(item.label)
        if isinstance(item, JointForce) or all(hasattr(item, member) for member in ("acts_on", "given", "law")):
            return str(item.name)
    name = getattr(item, "name", getattr(item, "label", show(item)))
    raise ModelError(f"linearise: {unknown_name('load, actuator or prescribed motion', name, known)}")


def _outside(item: Any) -> Any:
    """The load or actuator that stands for an input that is not among the loads and actuators of the model."""
    if isinstance(item, JointForce):
        if callable(item.force):
            raise ModelError(
                f"linearise: the force of JointForce {item.name!r} is a function, so a factor of it is no input; take "
                f"JointForce(on, 1.0) or a JointActuator."
            )
        if item.force == 0.0:
            raise ModelError(
                f"linearise: JointForce {item.name!r} is of size zero, so that no factor of it does anything; take "
                f"JointForce(on, 1.0) for an input in its unit, or a JointActuator."
            )
        return _JointForceActuator(item)
    return item


def without_inputs(model: Model, inputs: Sequence[Input]) -> Model:
    """The model without its joint forces that are inputs, so that they do not act at its initial state."""
    given = [i.item.of for i in inputs if isinstance(i.item, _JointForceActuator)]
    if not any(x is force for x in given for force in model.forces):
        return model
    kept = [x for x in model.items if not any(x is force for force in given)]
    return Model(*kept, units=model.units, name=model.name)


class _JointForceActuator:
    """A constant joint force as an actuator: the held value is its factor."""

    law: ClassVar[None] = None

    def __init__(self, item: JointForce) -> None:
        (row,) = item.row_forces
        self.of, self.name = item, item.name
        self.acts_on = RowTarget(row.a, row.b, row.rows[0])
        self.size = -row.data[3]

    def force(self, value: float, s: float = 0.0, rate: float = 0.0, t: float = 0.0) -> float:
        return self.size * value

    def given(
        self, value: float, s: float, rate: float, t: float, size: float = 1.0
    ) -> tuple[float, float, float, float]:
        return -self.size * value, 0.0, 0.0, 0.0


def _named(actuator: Any, name: str) -> Any:
    """The same actuator under another name."""
    found = copy(actuator)
    object.__setattr__(found, "name", name)
    return found


def load_column(dyn: Dynamics, s: StepState, number: int) -> FloatArray:
    """d r / d(factor) (n_v,) of a load: exact, since it is linear."""
    load, prescribed = dyn.system.model.loads[number], dyn.prescribed
    factors, scales, held = (
        prescribed.factors.copy(),
        prescribed.scale[: len(prescribed.factors)].copy(),
        prescribed.held,
    )

    def force(extra: float) -> tuple[float, FloatArray]:
        """The factor of the load, and the residual, with another factor beside its history, or in its place."""
        if held:
            changed = scales.copy()
            changed[number] = extra
            prescribed.hold(changed, s.t)
        else:
            prescribed.factors[number], prescribed.changed = extra, True
            dyn.set_time(s.t)
        return float(prescribed.scale[number]), dyn.residual(s.q, s.v, s.a, s.lam)[: dyn.n_v].copy()

    (full, with_it), (none, without) = force(1.0), force(0.0)
    force(float((scales if held else factors)[number]))
    if full == none:
        raise ModelError(
            f"linearise: the history of {prescribed.names[number]!r} is zero at t = {s.t:g}, so that it cannot be an "
            f"input; leave its history out ({load.history!r})."
        )
    return np.asarray((with_it - without) / (full - none))


def outside_columns(model: Model, state: StepState, inputs: Sequence[Input]) -> FloatArray:
    """d r / d(input) (n_v, k) of inputs that are not in the model, in a model with them.

    They bring no coordinates and no constraints, so the state is the same there.
    """
    loads = [i for i in inputs if not hasattr(i.item, "acts_on")]
    actuators = [i for i in inputs if hasattr(i.item, "acts_on")]
    name, owners = "inputs", model.controllers + model.states
    while any(x.name.startswith(name) for owner in owners for x in (owner, *owner.actuators)):
        name += " of the linear model"
    own = [_named(i.item, f"{name} {k}") for k, i in enumerate(actuators)]  # theirs may be equal
    command = (Command(own, period=1.0, values=0.0, name=name),) if actuators else ()
    dyn = Dynamics(compile_model(model.with_(*(i.item for i in loads), *command)))
    dyn.set_time(state.t)
    dyn.accept(state.q)
    columns = np.zeros((dyn.n_v, len(inputs)))
    for k, item in enumerate(loads, len(model.loads)):
        columns[:, item.number] = load_column(dyn, state, k)
    if actuators:
        first = sum(len(c.actuators) for c in model.controllers)
        numbers = list(range(first, first + len(actuators)))
        columns[:, [i.number for i in actuators]] = held_columns(dyn, state, numbers)
    return columns
