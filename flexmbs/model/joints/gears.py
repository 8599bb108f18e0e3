"""Joints that couple the coordinates of others: gears, rack and pinion, screw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from flexmbs.core.checks import as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description, refers_to
from flexmbs.kernels.rows.rows import ALONG, ANGLE
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.forces.coordinate import Coordinate, coordinate, start_value
from flexmbs.model.joints.contracts import Coordinates, Equation, Joint, Pair, Row
from flexmbs.model.joints.lower_pairs import COORDINATES, ON_LINE, PARALLEL
from flexmbs.model.joints.sides import Side, as_sides, check_carried, check_different, check_parallel, joint_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Coupled", "Gear", "RackAndPinion", "ScrewJoint", "as_coordinate"]

Coupled: TypeAlias = Joint | Coordinates | tuple[Marker, Marker]
"""A joint (of a tree, too) with the coordinate in question, or two markers between which it is measured."""


@dataclass(frozen=True, eq=False)
class Gear(Description):
    """Two rotations in a constant ratio: angle_2 - ratio angle_1 = const (1 equation).

    angle_1 and angle_2 are the angles of two joints, of their side b against their side a [rad], over all turns; the
    constant is the value at the start. For spur gears whose shafts turn in the same frame the ratio is -r_1/r_2 with
    outer and r_1/r_2 with inner toothing, both axes pointing to the same side. In an epicyclic gear both joints have
    the carrier as side a. With the multiplier lam the gear turns side b of joint 2 with the moment -lam and
    that of joint 1 with ratio lam about their axes, and the sides a with the opposite.

    Parameters
    ----------
    first, second : joint with an angle, or two markers (a, b)
        Such as `RevoluteJoint` or `CylindricalJoint`. Between markers the angle is that of b about the z axis of a.
    ratio : float
        dangle_2/dangle_1, not zero.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If a joint has no angle, the ratio is zero, or both are the same joint.

    Examples
    --------
    >>> import flexmbs as fx
    >>> wheels = [fx.PlanarRigidBody(1.0, 0.1, position=(x, 0), name=f"wheel {x}") for x in (0, 3)]
    >>> shafts = [fx.RevoluteJoint(fx.ground, wheel, at=wheel.position) for wheel in wheels]
    >>> gear = fx.Gear(*shafts, ratio=-0.5)
    >>> [row.factor for pair in gear.pairs for row in pair.rows]
    [0.5, 1.0]
    """

    role: ClassVar[str] = "joint"
    first: Coupled = field(metadata=refers_to("joint"))
    second: Coupled = field(metadata=refers_to("joint"))
    ratio: float
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _couple(
            self, "Gear", "gear", ("angle", "angle"), as_number(_called(self), "ratio", self.ratio), "ratio of angles"
        )


@dataclass(frozen=True, eq=False)
class RackAndPinion(Description):
    """A pinion that rolls on a rack: displacement - radius angle = const (1 equation).

    The angle [rad, over all turns] and the displacement [length] are those of two joints, of side b against side a; the
    constant is the value at the start. With the multiplier lam the rack is pushed with -lam along its axis and the
    pinion turned with radius lam.

    Parameters
    ----------
    pinion : joint with an angle, or two markers (a, b)
        Such as `RevoluteJoint`.
    rack : joint with a displacement, or two markers (a, b)
        Such as `PrismaticJoint`. Between markers it is that of b along the z axis of a.
    radius : float
        d(displacement)/d(angle) [length], with sign, not zero.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If a joint lacks the coordinate or the radius is zero.

    Examples
    --------
    >>> import flexmbs as fx
    >>> wheel = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0.5), name="wheel")
    >>> bar = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="bar")
    >>> drive = fx.RackAndPinion(fx.RevoluteJoint(fx.ground, wheel, at=(0, 0.5)),
    ...                          fx.PrismaticJoint(fx.ground, bar, at=(0, 0), axis=(1, 0)), radius=0.5)
    >>> drive.name
    'rack and pinion of wheel and bar'
    """

    role: ClassVar[str] = "joint"
    pinion: Coupled = field(metadata=refers_to("joint"))
    rack: Coupled = field(metadata=refers_to("joint"))
    _: KW_ONLY
    radius: float
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        factor = as_number(_called(self), "radius", self.radius, unit="length")
        _couple(self, "RackAndPinion", "rack and pinion", ("angle", "displacement"), factor, "rolling of the pinion")


@two_ended
@dataclass(frozen=True, eq=False)
class ScrewJoint(Description):
    """A nut on a spindle: B turns about z_A and advances along it by ``pitch`` per turn (5 equations).

    The rows are x_A.d = y_A.d = 0, y_A.z_B = x_A.z_B = 0 and z_A.d - pitch/(2 pi) angle = its value at the start. Its
    coordinates are ``angle`` and ``displacement``.

    Parameters
    ----------
    a, b : body, Marker or Attachment of one node
    pitch : float
        Advance per turn [length]; positive for a right-handed thread, not zero.
    at, axis : (3,) arrays, optional
        A point on the axis and its direction at the start, inertial frame.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If point or axis are missing or wrong, the pitch is zero, or a side cannot carry the joint.

    Examples
    --------
    >>> import flexmbs as fx
    >>> nut = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0), name="nut")
    >>> screw = fx.ScrewJoint(fx.ground, nut, pitch=0.01, at=(0, 0, 0), axis=(0, 0, 1))
    >>> screw.equations[4].label
    'advance of the thread'
    """

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    pitch: float
    at: InitVar[ArrayLike | None] = None
    axis: InitVar[ArrayLike | None] = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self, at: ArrayLike | None, axis: ArrayLike | None) -> None:
        name = joint_name("ScrewJoint", "screw", self.name, self.a, self.b)
        owner = f"ScrewJoint {name!r}"
        factor = _not_zero(owner, "pitch", as_number(owner, "pitch", self.pitch, unit="length")) / (2.0 * math.pi)
        a, b = as_sides(owner, self.a, self.b, at, axis, planar_axis=False)
        check_parallel(owner, a, b)
        held = ON_LINE + PARALLEL
        rows = [Row(kind, constants, k) for k, (kind, constants, _) in enumerate(held)]
        rows += [Row(ALONG, (0.0, 0.0, 1.0), 4), Row(ANGLE, (), 4, -factor)]
        pairs = (Pair(a, b, tuple(rows)),)
        check_carried(owner, pairs)
        offset = sum(start_value(a, b, row) for row in rows[4:])
        equations = (*(Equation(label) for *_, label in held), Equation("advance of the thread", offset=offset))
        for key, value in (("a", a), ("b", b), ("name", name), ("pairs", pairs), ("equations", equations)):
            object.__setattr__(self, key, value)

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """``angle`` [rad] and ``displacement`` [length]."""
        pair = self.pairs[0]
        return {key: Pair(pair.a, pair.b, (row,)) for key, row in COORDINATES.items()}


def as_coordinate(owner: str, of: Coupled, key: str) -> Coordinate:
    """The coordinate of a joint, or between two markers whose axes point the same way."""
    found = coordinate(owner, of, key)
    check_different(owner, found.a, found.b)
    if key == "angle":
        check_parallel(owner, found.a, found.b)
    return found


def _couple(joint: Gear | RackAndPinion, cls: str, word: str, keys: tuple[str, str], factor: float, label: str) -> None:
    """Fill in a joint whose equation is: second coordinate - factor * first coordinate = const."""
    names = ("first", "second") if isinstance(joint, Gear) else ("pinion", "rack")
    found = [as_coordinate(_called(joint), getattr(joint, n), key) for n, key in zip(names, keys, strict=True)]
    name = joint_name(cls, word, joint.name, *(c.b for c in found))
    owner = f"{cls} {name!r}"
    _not_zero(owner, "ratio" if isinstance(joint, Gear) else "radius", factor)
    if getattr(joint, names[0]) is getattr(joint, names[1]):
        raise ModelError(
            f"{owner}: {names[0]} and {names[1]} are the same, {show(getattr(joint, names[0]))}; name two."
        )
    factors = (-factor, 1.0)
    pairs = [
        Pair(c.a, c.b, (Row(c.row.kind, c.row.constants, 0, f * c.row.factor),))
        for c, f in zip(found, factors, strict=True)
    ]
    offset = sum(f * c.start for c, f in zip(found, factors, strict=True))
    object.__setattr__(joint, "name", name)
    object.__setattr__(joint, "pairs", tuple(pairs))
    object.__setattr__(joint, "equations", (Equation(label, offset=offset),))


def _called(joint: Gear | RackAndPinion) -> str:
    """The joint in messages, before it has a name of its own."""
    return type(joint).__name__ + (f" {joint.name!r}" if joint.name else "")


def _not_zero(owner: str, name: str, value: float) -> float:
    """Refuse zero."""
    if value == 0.0:
        raise ModelError(f"{owner}: {name} must not be zero; hold the joint with a driver at rest instead.")
    return value
