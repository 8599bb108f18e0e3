"""Drivers: coordinates of joints as prescribed functions of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description, refers_to
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.joints.contracts import Equation, Motion, Pair
from flexmbs.model.joints.distance import distance_pair
from flexmbs.model.joints.gears import Coupled, as_coordinate
from flexmbs.model.joints.sides import Side, joint_name
from flexmbs.model.motions.functions import as_motion

__all__ = ["DistanceDriver", "RotationDriver", "TranslationDriver"]

Given: TypeAlias = Motion | Callable[[float], float] | float
"""A motion, a function of time, or a number."""


@two_ended
@dataclass(frozen=True, eq=False)
class RotationDriver(Description):
    """A motor that turns a joint as prescribed: angle = motion(t), or d(angle)/dt = rate(t) (1 equation).

    The angle is that of side b about the z axis of side a [rad], over all turns. With ``motion`` the angle itself is
    prescribed, so the motion must begin with the angle at the start: zero, unless the frames of markers say otherwise.
    Whole turns more do not matter, but to a joint of a tree, which counts them; what else differs, the mechanism is
    turned by at the start, with a warning.
    With ``rate`` the equation is one of velocities, and the angle begins where it is. With the multiplier lam the motor
    turns b with the moment -lam about the axis, and a with lam.

    Parameters
    ----------
    joint : joint with an angle, or two markers (a, b)
        Such as `RevoluteJoint`; it remains a joint of its own.
    motion : Motion, function of time or number, optional
        Angle [rad].
    rate : Motion, function of time or number, optional
        Angular velocity [rad/time], in its place.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If neither or both of motion and rate are given, or the joint has no angle.

    Examples
    --------
    >>> import flexmbs as fx
    >>> crank = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="crank")
    >>> motor = fx.RotationDriver(fx.RevoluteJoint(fx.ground, crank, at=(0, 0)), rate=10.0)
    >>> motor.name, motor.equations[0].level
    ('rotation driver of ground and crank', 1)
    """

    role: ClassVar[str] = "joint"
    joint: Coupled = field(metadata=refers_to("joint"))
    motion: Given | None = None
    rate: Given | None = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _drive(self, "rotation driver", _pair(self, self.joint, "angle"), "angle")

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """``angle`` [rad]."""
        return {"angle": self.pairs[0]}


@two_ended
@dataclass(frozen=True, eq=False)
class TranslationDriver(Description):
    """A linear motor: displacement = motion(t), or d(displacement)/dt = rate(t) (1 equation).

    The displacement is that of side b along the z axis of side a [length]. Motion, rate and multiplier as in
    `RotationDriver`; the motor pushes b with the force -lam along the axis. Parameters likewise.

    Parameters
    ----------
    joint : joint with a displacement, or two markers (a, b)
        Such as `PrismaticJoint`; it remains a joint of its own.
    motion : Motion, function of time or number, optional
        Displacement [length].
    rate : Motion, function of time or number, optional
        Velocity [length/time], in its place.
    name : str, optional
        For messages and results.

    Examples
    --------
    >>> import flexmbs as fx
    >>> block = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="block")
    >>> slider = fx.PrismaticJoint(fx.ground, block, at=(0, 0), axis=(1, 0))
    >>> fx.TranslationDriver(slider, fx.motions.Sine(0.1, frequency=2.0)).equations[0].label
    'displacement'
    """

    role: ClassVar[str] = "joint"
    joint: Coupled = field(metadata=refers_to("joint"))
    motion: Given | None = None
    rate: Given | None = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _drive(self, "translation driver", _pair(self, self.joint, "displacement"), "displacement")

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """``displacement`` [length]."""
        return {"displacement": self.pairs[0]}


@two_ended
@dataclass(frozen=True, eq=False)
class DistanceDriver(Description):
    """A cylinder between two points: |p_B - p_A| = motion(t), or its rate = rate(t) (1 equation).

    A ``motion`` must begin with the distance at the start and stay positive. With the multiplier lam it pulls the
    points together with the force lam.

    Parameters
    ----------
    a, b : Marker, Attachment of one node, or PointMass
    motion : Motion, function of time or number, optional
        Distance [length].
    rate : Motion, function of time or number, optional
        [length/time], in its place.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If neither or both of motion and rate are given, or the points coincide.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0, -1), name="ball")
    >>> fx.DistanceDriver(fx.ground.marker((0, 0, 0)), ball, lambda t: 1.0 + 0.1 * t * t).name
    'distance driver of ground and ball'
    """

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    motion: Given | None = None
    rate: Given | None = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pair, _ = distance_pair(_owner(self), self.a, self.b)
        _drive(self, "distance driver", pair, "distance")
        object.__setattr__(self, "a", pair.a)
        object.__setattr__(self, "b", pair.b)

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """``distance`` [length]."""
        return {"distance": self.pairs[0]}


@dataclass(frozen=True)
class _Integral:
    """The motion whose rate is given; its value is not needed, and is zero."""

    rate: Motion

    def at(self, t: float) -> tuple[float, float, float]:
        rate, acceleration, _ = self.rate.at(t)
        return 0.0, rate, acceleration


def _owner(driver: RotationDriver | TranslationDriver | DistanceDriver) -> str:
    """The driver in messages, before it has a name of its own."""
    return type(driver).__name__ + (f" {driver.name!r}" if driver.name else "")


def _pair(driver: RotationDriver | TranslationDriver, joint: Coupled, key: str) -> Pair:
    """The coordinate that is driven."""
    found = as_coordinate(_owner(driver), joint, key)
    return Pair(found.a, found.b, (found.row,))


def _drive(driver: RotationDriver | TranslationDriver | DistanceDriver, word: str, pair: Pair, label: str) -> None:
    """Fill in pairs and equations; a rate makes the equation one of velocities."""
    name = joint_name(type(driver).__name__, word, driver.name, pair.a, pair.b)
    owner = f"{type(driver).__name__} {name!r}"
    if (driver.motion is None) == (driver.rate is None):
        given = "neither" if driver.motion is None else "both"
        raise ModelError(f"{owner}: give either motion or rate, not {given}.")
    if driver.rate is None:
        equation = Equation(label, 0, as_motion(owner, "motion", driver.motion))
    else:
        equation = Equation(f"rate of {label}", 1, _Integral(as_motion(owner, "rate", driver.rate)))
    object.__setattr__(driver, "name", name)
    object.__setattr__(driver, "pairs", (pair,))
    object.__setattr__(driver, "equations", (equation,))
