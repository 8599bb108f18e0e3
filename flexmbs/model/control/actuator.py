"""What controllers and the compiler need of an actuator, and where its force acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.forces.wrench import Wrench
    from flexmbs.model.joints.contracts import Row

__all__ = ["Actuator", "JointTarget", "Law", "RowTarget", "Target", "WrenchTarget", "as_actuators"]

Law = Callable[[float, float, float, float], float]
"""(value, coordinate, rate, t) -> force or torque."""


class JointTarget(NamedTuple):
    """A coordinate of a joint, by the name of the joint and the label of the coordinate."""

    joint: str
    label: str


class RowTarget(NamedTuple):
    """A row s between two markers."""

    a: Marker
    b: Marker
    row: Row


class WrenchTarget(NamedTuple):
    """A wrench that is multiplied by the force."""

    wrench: Wrench


Target = JointTarget | RowTarget | WrenchTarget | None


class Actuator(Protocol):
    """What controllers and the compiler need of an actuator."""

    @property
    def name(self) -> str:
        """For messages and results; unique in a model."""

    @property
    def law(self) -> Law | None:
        """None where the force does not depend on coordinate, rate and time."""

    @property
    def acts_on(self) -> Target:
        """Where the force acts."""

    def force(self, value: float, s: float = 0.0, rate: float = 0.0, t: float = 0.0) -> float:
        """The force F that drives the coordinate up."""

    def given(self, value: float, s: float, rate: float, t: float, size: float) -> tuple[float, float, float, float]:
        """-F, its derivatives by s and rate, and 0: with the sign of `flexmbs.kernels.laws`, for the law GIVEN.

        ``size``: what s counts by, the length of the model or 1 rad, for steps of differences.
        """


def as_actuators(owner: str, actuators: object) -> tuple[Actuator, ...]:
    """One or several actuators as a tuple, checked."""
    items = tuple(actuators) if isinstance(actuators, list | tuple) else (actuators,)
    for item in items:
        missing = [n for n in ("name", "law", "acts_on", "force", "given") if not hasattr(item, n)]
        if missing or isinstance(item, type):
            raise ModelError(
                f"{owner}: expected an actuator such as JointActuator(joint) or ForceActuator(marker, direction), "
                f"not {show(item)}."
            )
    if not items:
        raise ModelError(f"{owner}: there is no actuator; give one, or a Signal(name) if it drives nothing.")
    return items
