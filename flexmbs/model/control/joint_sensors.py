"""Sensors of joints: coordinates with their rates, multipliers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flexmbs.core.checks import as_count, as_flag
from flexmbs.core.errors import ModelError
from flexmbs.core.references import refers_to
from flexmbs.kernels.sensing import MULTIPLIER, ROW
from flexmbs.model.control.calling import called_name, joint_coordinate, name_of
from flexmbs.model.control.sensed import Places, Sensed
from flexmbs.model.control.sensors import Scalar

if TYPE_CHECKING:
    from flexmbs.model.control.view import View

__all__ = ["JointSensor", "MultiplierSensor"]


@dataclass(frozen=True, eq=False)
class JointSensor(Scalar):
    """A coordinate of a joint (angle, sliding distance, length), or its rate.

    Parameters
    ----------
    joint : Joint or str
        The joint, or its name.
    label : str, optional
        Which coordinate of the joint: "angle", "displacement", "distance". By default the only one it has.
        Where the joint is given by its name, it is found in the model, and is the angle of a joint with several.
    rate : bool, default False
        Whether the rate is read instead.
    name : str, optional

    Raises
    ------
    ModelError
        If it is no joint and no name, or the joint has no such coordinate.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.control.JointSensor("hinge", rate=True).name
    "rate of joint 'hinge'"
    """

    joint: Any = field(metadata=refers_to("joint"))
    label: str = ""
    rate: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        joint, label = joint_coordinate("JointSensor", self.joint, self.label)
        object.__setattr__(self, "label", label)
        as_flag("JointSensor", "rate", self.rate)
        what = "rate" if self.rate and not label else f"{'rate of ' if self.rate else ''}{label or 'coordinate'}"
        self._named(f"{what} of joint {joint!r}")

    @property
    def joints(self) -> tuple[str, ...]:
        return (name_of(self.joint),)

    def sensed(self, places: Places) -> Sensed:
        """As numbers."""
        pair = places.pair(name_of(self.joint), self.label)
        row = pair.rows[0]
        return Sensed(
            what=ROW, a=places.marker(pair.a), b=places.marker(pair.b), rate=self.rate, kind=row.kind,
            constants=row.constants,
        )  # fmt: skip

    def read(self, view: View) -> float:
        value, rate = view.row(name_of(self.joint), self.label)
        return rate if self.rate else value


@dataclass(frozen=True, eq=False)
class MultiplierSensor(Scalar):
    """One multiplier of a joint: the force in one of its equations; the reaction on the system is -G^T lam.

    Parameters
    ----------
    joint : Joint or str
    component : int, default 0
        Number of the equation within the joint.
    name : str, optional

    Notes
    -----
    Limit: at a sample time it is the multiplier before the held forces jump.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.control.MultiplierSensor("hinge", 1).name
    "multiplier 1 of joint 'hinge'"
    """

    joint: Any = field(metadata=refers_to("joint"))
    component: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        joint = called_name("MultiplierSensor", "joint", self.joint)
        object.__setattr__(self, "component", as_count("MultiplierSensor", "component", self.component))
        self._named(f"multiplier {self.component} of joint {joint!r}")

    @property
    def joints(self) -> tuple[str, ...]:
        return (name_of(self.joint),)

    def sensed(self, places: Places) -> Sensed:
        """As numbers."""
        return Sensed(what=MULTIPLIER, a=places.multiplier(name_of(self.joint), self.component))

    def read(self, view: View) -> float:
        lam = view.multiplier(name_of(self.joint))
        if self.component >= len(lam):
            raise ModelError(f"component must be below {len(lam)}, the equations of joint {name_of(self.joint)!r}.")
        return float(lam[self.component])
