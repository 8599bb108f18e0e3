"""What actuators and controllers did during a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.control.actuators import JointTarget, RowTarget, WrenchTarget
from flexmbs.model.control.calling import only_label
from flexmbs.results.held_values import actuators_of, held_history
from flexmbs.results.joint_history import rows_over_time
from flexmbs.results.kinematics import kinematics

if TYPE_CHECKING:
    from flexmbs.model.forces.wrench import Wrench
    from flexmbs.model.joints.contracts import Row
    from flexmbs.results.states import States

__all__ = [
    "ActuatorHistory",
    "actuator_history",
    "actuator_row",
    "held_by",
    "is_actuator",
    "is_controlling",
    "meant_actuator",
    "of_model",
]


class ActuatorHistory(NamedTuple):
    """Histories (n_t,) of an actuator, as they acted in the stored states.

    ``force``: force or torque after law and limits, positive where it drives the coordinate up, which is the sign of
    the actuator and not that of a spring; ``power``: what it feeds into the system, force times rate; ``value``: what
    is held for it; ``coordinate``, ``rate``: where it acts; of moments and followers there is no coordinate (None), and
    the rate is the velocity along the force, or about the axis of the moment.

    A state that is stored at the time of a sample is the one before it, as its accelerations are.
    """

    coordinate: FloatArray | None
    rate: FloatArray
    force: FloatArray
    power: FloatArray
    value: FloatArray

    def __repr__(self) -> str:
        least, most = float(self.force.min()), float(self.force.max())
        return f"<history of an actuator: {len(self.force)} states, force from {least:.4g} to {most:.4g}>"


def is_actuator(thing: Any) -> bool:
    """Whether a thing is an actuator of a controller or of first-order states."""
    return hasattr(thing, "acts_on") and hasattr(thing, "given")


def is_controlling(thing: Any) -> bool:
    """Whether a thing is an actuator, or a controller or first-order states that have some."""
    return is_actuator(thing) or hasattr(thing, "actuators")


def of_model(solution: States, thing: Any) -> Any:
    """The actuator, controller or first-order states of the model that a thing is, or is like in the file of a run.

    None if there is none.
    """
    model = solution.model
    known = [*actuators_of(model), *model.controllers, *model.states]
    alike = (one for one in known if type(one) is type(thing) and one.name == thing.name)
    return next((one for one in known if one is thing), next(alike, None))


def meant_actuator(solution: States, actuator: Any) -> Any:
    """The actuator of the model that is meant by itself or by its name; else None."""
    if is_actuator(actuator):
        return of_model(solution, actuator)
    return next((one for one in actuators_of(solution.model) if one.name == actuator), None)


def actuator_history(solution: States, actuator: Any) -> ActuatorHistory:
    """What an actuator of the model did at all stored times.

    Raises
    ------
    ModelError
        If it drives nothing, or the solution is no motion.
    """
    target = actuator.acts_on
    if target is None:
        raise ModelError(f"actuator {actuator.name!r} drives nothing; run.held({actuator.name!r}) gives its values.")
    value = held_by(solution, [actuator])[:, 0]
    s = None
    if isinstance(target, WrenchTarget):
        rate = _along(solution, target.wrench)
    else:
        s, rate = _row_history(solution, target)
    at = np.zeros_like(rate) if s is None else s
    seen = at if s is None else rate  # of a wrench the law knows neither
    F = np.array([actuator.force(*map(float, x)) for x in zip(value, at, seen, solution.t, strict=True)])
    return ActuatorHistory(s, rate, F, F * rate, value)


def held_by(solution: States, actuators: Any) -> FloatArray:
    """Values (n, k) held for some actuators of the model."""
    if not solution.over_time:
        raise ModelError("what actuators do is known of motions only.")
    numbers = [next(i for i, a in enumerate(actuators_of(solution.model)) if a is one) for one in actuators]
    return np.asarray(held_history(solution)[:, numbers])


def actuator_row(solution: States, actuator: Any) -> tuple[Row, Any] | None:
    """The row that an actuator drives and its side b; None of moments and followers."""
    target = actuator.acts_on
    if isinstance(target, JointTarget):
        joint = solution.model.joint(target.joint)
        pair = joint.coordinates[only_label(joint, target.label)]
        return pair.rows[0], pair.b
    return (target.row, target.b) if isinstance(target, RowTarget) else None


def _row_history(solution: States, target: Any) -> tuple[FloatArray, FloatArray]:
    """Coordinate and rate (n,) of a joint, or of a row between two markers."""
    if isinstance(target, JointTarget):
        joint = solution.model.joint(target.joint)
        label = only_label(joint, target.label)
        s, rate = (ask(joint, label) for ask in (solution.coordinate, solution.coordinate_rate))
        return np.asarray(s), np.asarray(rate)
    s, rate = rows_over_time(solution, target.a, target.b, [target.row], [0.0])
    return s[:, 0] * target.row.factor, rate[:, 0] * target.row.factor


def _along(solution: States, wrench: Wrench) -> FloatArray:
    """Power (n,) of a wrench for a factor of one: velocity along its force and about its moment."""
    found = kinematics(solution, wrench.marker)
    R, twist = found.R[:, 0], found.twist[:, 0]
    F, M = (np.broadcast_to(np.asarray(part), (len(R), 3)) for part in (wrench.force, wrench.moment))
    if wrench.follower:
        F = np.einsum("nij,nj->ni", R, F)
    else:
        M = np.einsum("nji,nj->ni", R, M)
    return np.asarray(np.einsum("ni,ni->n", F, twist[:, :3]) + np.einsum("ni,ni->n", M, twist[:, 3:]))
