"""Actuators: what the held values of controllers drive.

An actuator turns the value h that is held for it into a force (or torque)

    F = clip(law(h, s, ds/dt, t), limits)        or, without a law,        F = clip(h, limits)

with its coordinate s: the coordinate of a joint, the distance of two points, the displacement along a direction. A
positive F drives s up: its power is F ds/dt. ``acts_on`` says where it acts, for the compiler: a coordinate of a joint
(`JointTarget`), a row between two markers (`RowTarget`), a wrench on a marker that is multiplied by F (`WrenchTarget`),
or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_direction, as_flag, as_limits, as_name, as_number, frozen_copy, has_shape, is_among
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description, refers_to
from flexmbs.kernels.rows.rows import DISTANCE, INERTIAL
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.ground import ground
from flexmbs.model.bodies.marker import Marker, as_marker
from flexmbs.model.control.actuator import JointTarget, Law, RowTarget, Target, WrenchTarget
from flexmbs.model.control.calling import as_function, call, joint_coordinate, name_of
from flexmbs.model.forces.user_law import STEP
from flexmbs.model.forces.wrench import Wrench, check_followed
from flexmbs.model.joints.contracts import Row

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = [
    "ForceActuator",
    "JointActuator",
    "JointTarget",
    "LineActuator",
    "MomentActuator",
    "RowTarget",
    "Signal",
    "WrenchTarget",
]

Limits = Sequence[float] | None


class _Force(Description):
    """What actuators share: the law with its limits and derivatives."""

    name: str
    limits: Any = None
    law: Any = None

    @property
    def _owner(self) -> str:
        return f"{type(self).__name__} {self.name!r}"

    def _check(self, name: str) -> None:
        cls = type(self).__name__
        object.__setattr__(self, "name", as_name(cls, "name", name if is_among(self.name, ("",)) else self.name))
        if self.law is not None:
            as_function(self._owner, "law", self.law, "(value, coordinate, rate, t)")
        if self.limits is not None:
            object.__setattr__(self, "limits", as_limits(self._owner, self.limits))

    @property
    def range(self) -> tuple[float, float] | None:
        """Limits of the force where it is the held value but for these; None where a law makes it."""
        if self.law is not None:
            return None
        return (-np.inf, np.inf) if self.limits is None else (self.limits[0], self.limits[1])

    def force(self, value: float, s: float = 0.0, rate: float = 0.0, t: float = 0.0) -> float:
        if self.law is not None:
            what = f"law({value:g}, {s:g}, {rate:g}, {t:g})"
            value = as_number(self._owner, f"the value of {what}", call(self._owner, what, self.law, value, s, rate, t))
        return value if self.limits is None else min(max(value, self.limits[0]), self.limits[1])

    def given(
        self, value: float, s: float, rate: float, t: float, size: float = 1.0
    ) -> tuple[float, float, float, float]:
        if self.law is None:
            return -self.force(value), 0.0, 0.0, 0.0
        hs, hv = STEP * max(size, abs(s)), STEP * max(size, abs(rate))
        by_s = (self.force(value, s + hs, rate, t) - self.force(value, s - hs, rate, t)) / (2.0 * hs)
        by_rate = (self.force(value, s, rate + hv, t) - self.force(value, s, rate - hv, t)) / (2.0 * hv)
        return -self.force(value, s, rate, t), -by_s, -by_rate, 0.0


@dataclass(frozen=True, eq=False)
class JointActuator(_Force):
    """A motor in a joint: a torque about its axis, or a force along it, between its two bodies.

    Parameters
    ----------
    joint : Joint or str
        The joint, or its name.
    label : str, optional
        Which coordinate of the joint it drives: "angle", "displacement", "distance". By default the only one it has.
        Where the joint is given by its name, it is found in the model, and is the angle of a joint with several.
    law : function (value, coordinate, rate, t) -> force, optional
        From the held value to the force [force, or force length]. It must not remember anything.
    limits : (2,) sequence, optional
        Smallest and largest force; either may be infinite: (0, np.inf) of what only pulls.
    name : str, optional

    Raises
    ------
    ModelError
        If the joint has no such coordinate, or the limits are not in order.

    Examples
    --------
    A motor whose torque falls with its speed:

    >>> import flexmbs as fx
    >>> motor = fx.control.JointActuator("hinge", law=lambda h, s, rate, t: 2.0 * h - 0.1 * rate, limits=(-5, 5),
    ...     name="motor")
    >>> motor.force(1.0, rate=2.0), motor.force(10.0)
    (1.8, 5.0)
    """

    joint: Any = field(metadata=refers_to("joint"))
    label: str = ""
    law: Law | None = None
    limits: Limits = None
    name: str = ""

    def __post_init__(self) -> None:
        name, label = joint_coordinate("JointActuator", self.joint, self.label)
        object.__setattr__(self, "label", label)
        self._check(f"actuator of {label or 'coordinate'} of joint {name!r}")

    @property
    def acts_on(self) -> Target:
        return JointTarget(name_of(self.joint), self.label)


@two_ended
@dataclass(frozen=True, eq=False)
class LineActuator(_Force):
    """A strut between two points: a positive force pushes them apart; the coordinate is their distance.

    Parameters
    ----------
    a, b : Marker, Attachment of one node, or a body that is a point
    law, limits, name
        As for `JointActuator`.

    Notes
    -----
    Limit: the points must not meet, where the direction is not defined.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, -0.5), name="ball")
    >>> fx.control.LineActuator(fx.ground.marker((0, 0, 0)), ball, name="strut").force(3.0)
    3.0
    """

    a: Marker
    b: Marker
    law: Law | None = None
    limits: Limits = None
    name: str = ""

    def __post_init__(self) -> None:
        for side in ("a", "b"):
            object.__setattr__(self, side, as_marker("LineActuator", getattr(self, side)))
        if not np.any(self.a.position0() != self.b.position0()):
            raise ModelError(f"LineActuator: {self.a} and {self.b} are at the same place, so it has no direction.")
        self._check(f"strut from {self.a} to {self.b}")

    @property
    def acts_on(self) -> Target:
        return RowTarget(self.a, self.b, Row(DISTANCE))


@dataclass(frozen=True, eq=False)
class ForceActuator(_Force):
    """A force on a marker along a direction.

    Parameters
    ----------
    marker : Marker, Attachment of one node, or a body that is a point
    direction : (3,) or (2,) sequence
        Inertial axes, or marker axes if it follows. Its length does not matter.
    follower : bool, default False
        Whether the direction turns with the marker; on an `ANCFShell` only one along the director does.
    law : function (value, displacement, rate, t) -> force, optional
        With the displacement of the marker along the direction from where it was at the start; not for followers.
    limits, name
        As for `JointActuator`.

    Examples
    --------
    An electromagnet with the gap e = 0.02 - displacement:

    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, 0.0), name="ball")
    >>> magnet = fx.control.ForceActuator(ball, (1, 0), law=lambda i, s, rate, t: 1e-3 * (i / (0.02 - s)) ** 2,
    ...     name="magnet")
    >>> round(magnet.force(2.0), 9)
    10.0
    """

    marker: Marker
    direction: Sequence[float] | FloatArray
    follower: bool = False
    law: Law | None = None
    limits: Limits = None
    name: str = ""

    def __post_init__(self) -> None:
        _check_vector(self, "marker", "direction")
        if self.follower:
            check_followed(f"ForceActuator at {self.marker}", self.marker, np.array(_three(self.direction)))
        if self.follower and self.law is not None:
            raise ModelError(
                f"ForceActuator at {self.marker}: a follower has no coordinate for its law; use a LineActuator, or "
                f"evaluate the law in the controller."
            )
        self._check(f"force on {self.marker}")

    @property
    def acts_on(self) -> Target:
        if self.follower:
            return WrenchTarget(Wrench(self.marker, force=_three(self.direction), follower=True))
        here = ground.marker(self.marker.position0())
        return RowTarget(here, self.marker, Row(INERTIAL, _three(self.direction)))


@dataclass(frozen=True, eq=False)
class MomentActuator(_Force):
    """A moment on a marker about an axis, such as that of a reaction wheel that is not modelled.

    Parameters
    ----------
    marker : Marker or Attachment of one node
        With an orientation.
    axis : (3,) sequence, default (0, 0, 1)
        Inertial axes, or marker axes if it follows; scaled to length 1, so that its length does not matter: the value
        that a controller gives is the moment.
    follower : bool, default False
    limits, name
        As for `JointActuator`; [force length].

    Examples
    --------
    >>> import flexmbs as fx
    >>> craft = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="craft")
    >>> fx.control.MomentActuator(craft.centre, limits=(-1, 1), name="wheel").force(7.0)
    1.0
    """

    marker: Marker
    axis: Sequence[float] | FloatArray = (0.0, 0.0, 1.0)
    follower: bool = False
    limits: Limits = None
    name: str = ""

    def __post_init__(self) -> None:
        _check_vector(self, "marker", "axis")
        if not self.marker.rotates:
            raise ModelError(f"MomentActuator at {self.marker}: it has no orientation, so no moment can act on it.")
        if not self.marker.spin:
            kind, axis, _ = self.marker.spin_words
            raise ModelError(
                f"MomentActuator at {self.marker}: {kind} carries no moment about its {axis}; act on a body joined to "
                f"it."
            )
        self._check(f"moment on {self.marker}")

    @property
    def acts_on(self) -> Target:
        return WrenchTarget(Wrench(self.marker, moment=_three(self.axis), follower=self.follower))


@dataclass(frozen=True, eq=False)
class Signal(_Force):
    """A held value that drives nothing: for a `HeldSensor`, as in cascades and inputs of continuous states.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.control.Signal("voltage").acts_on is None
    True
    """

    name: str
    acts_on: ClassVar[None] = None

    def __post_init__(self) -> None:
        self._check("")


def _check_vector(actuator: Any, place: str, direction: str) -> None:
    """Check marker, direction and ``follower``."""
    owner = type(actuator).__name__
    object.__setattr__(actuator, place, as_marker(owner, getattr(actuator, place)))
    given = getattr(actuator, direction)
    dim = 2 if has_shape(given, (2,)) else 3
    unit = np.zeros(3)
    unit[:dim] = as_direction(f"{owner} at {getattr(actuator, place)}", direction, given, dim)
    object.__setattr__(actuator, direction, frozen_copy(unit))
    as_flag(owner, "follower", actuator.follower)


def _three(vector: object) -> tuple[float, float, float]:
    x, y, z = np.asarray(vector, dtype=np.float64).tolist()
    return x, y, z
