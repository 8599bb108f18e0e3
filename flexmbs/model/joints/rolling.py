"""Rolling without slip: a thin disk, or a ball, on a plane."""

from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_flag, as_number
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.rows.rows import ALONG, BALL_SLIP, HEIGHT, SLIP
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.frames import as_axis, as_point
from flexmbs.model.bodies.marker import Body, Marker, as_marker, joint_frame
from flexmbs.model.joints.contracts import Equation, Pair, Row
from flexmbs.model.joints.sides import Side, check_carried, check_different, joint_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.core.contracts import FloatArray

__all__ = ["RollingBall", "RollingDisk"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@two_ended
@dataclass(frozen=True, eq=False)
class RollingDisk(Description):
    """A thin disk that rolls on a plane without slip and never leaves it (3 equations).

    With the centre d of the disk relative to the point of the plane, the normal n = z_A, the axis w = z_B and
    s = |n x w|, the lowest point lies at d + radius u with u = ((n.w) w - n)/s, and

        height  n.d - radius s = 0        (position)
        slip    e.(velocity of the material of B at the lowest point - that of A there) = 0  (velocity), e = x_A, y_A

    The multipliers are minus the contact force on the disk along n, x_A, y_A; it acts at the lowest point. The normal
    force may change its sign: the disk is held down too.

    Parameters
    ----------
    a : body or Marker
        That the plane is fixed to, such as ``flexmbs.ground``. The plane is z = 0 of a marker.
    b : body, Marker or Attachment of one node
        The wheel. The axis is the third axis of a marker, and its centre the point.
    radius : float
        [length], positive.
    axis : (3,) array, optional
        Axis of the wheel at the start, inertial frame; not used, and refused, with two markers. By default z where the
        wheel is planar.
    normal : (3,) array, optional
        Normal of the plane at the start, inertial frame, to the side of the wheel. By default z, and y where the wheel
        is planar. The plane lies so that the wheel touches it.
    centre : (3,) array, optional
        Centre of the wheel at the start, inertial frame [length]; by default the origin of the wheel body or the node.
    sliding : bool, default False
        Leave out the two slip equations: a smooth plane.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If the radius is not positive, the wheel lies flat on the plane, or a side cannot carry the joint.

    Notes
    -----
    Limit: a disk that lies flat (s = 0) has no lowest point.

    Source: the velocity of the contact point of a disk as in the textbook treatment of nonholonomic systems (Neimark
    and Fufaev).

    Examples
    --------
    >>> import flexmbs as fx
    >>> wheel = fx.RigidBody(1.0, (0.01, 0.02, 0.01), position=(0, 0, 0.2), name="wheel")
    >>> rolling = fx.RollingDisk(fx.ground, wheel, radius=0.2, axis=(0, 1, 0))
    >>> [(equation.label, equation.level) for equation in rolling.equations]
    [('height', 0), ('slip along x', 1), ('slip along y', 1)]
    """

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    _: KW_ONLY
    radius: float
    axis: InitVar[ArrayLike | None] = None
    normal: InitVar[ArrayLike | None] = None
    centre: InitVar[ArrayLike | None] = None
    sliding: bool = False
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self, axis: ArrayLike | None, normal: ArrayLike | None, centre: ArrayLike | None) -> None:
        name = joint_name("RollingDisk", "rolling disk", self.name, self.a, self.b)
        owner = f"RollingDisk {name!r}"
        radius = as_number(owner, "radius", self.radius, above=0.0, unit="length")
        if isinstance(self.a, Marker) and isinstance(self.b, Marker):
            _refuse(owner, axis=axis, normal=normal, centre=centre)
            a, b = check_different(owner, self.a, self.b)
            _steepness(owner, a.rotation0()[:, 2], b.rotation0()[:, 2])
        else:
            flat = _planar(owner, self.b)
            if axis is None and not flat:
                raise ModelError(f"{owner}: axis is missing; give the axis of the wheel in the inertial frame.")
            w = as_axis(owner, "axis", (0, 0, 1) if axis is None else axis, flat)
            n = _normal(owner, normal, flat)
            s = _steepness(owner, n, w)
            p = _centre(owner, self.b, centre, flat)
            a, b = _two(owner, self.a, self.b, p + radius * ((n @ w) * w - n) / s, n, p, joint_frame(w))
        constants = (*Z, 0.0, 0.0, 0.0, radius)
        _finish(self, owner, name, a, b, Row(HEIGHT, constants), 0.0, SLIP, radius)


@two_ended
@dataclass(frozen=True, eq=False)
class RollingBall(Description):
    """A ball that rolls on a plane without slip and never leaves it (3 equations); it may spin about the normal.

    As `RollingDisk` with u = -n: n.d - radius = 0, and no velocity of the contact point along x_A and y_A.

    Parameters
    ----------
    a : body or Marker
        That the plane is fixed to.
    b : body, Marker or Attachment of one node
        The ball.
    radius : float
        [length], positive.
    normal, centre : (3,) arrays, optional
        As in `RollingDisk`.
    sliding : bool, default False
        Leave out the two slip equations.
    name : str, optional
        For messages and results.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.5), name="ball")
    >>> fx.RollingBall(fx.ground, ball, radius=0.5).name
    'rolling ball of ground and ball'
    """

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    _: KW_ONLY
    radius: float
    normal: InitVar[ArrayLike | None] = None
    centre: InitVar[ArrayLike | None] = None
    sliding: bool = False
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self, normal: ArrayLike | None, centre: ArrayLike | None) -> None:
        name = joint_name("RollingBall", "rolling ball", self.name, self.a, self.b)
        owner = f"RollingBall {name!r}"
        radius = as_number(owner, "radius", self.radius, above=0.0, unit="length")
        if isinstance(self.a, Marker) and isinstance(self.b, Marker):
            _refuse(owner, normal=normal, centre=centre)
            a, b = check_different(owner, self.a, self.b)
        else:
            flat = _planar(owner, self.b)
            n, p = _normal(owner, normal, flat), _centre(owner, self.b, centre, flat)
            a, b = _two(owner, self.a, self.b, p - radius * n, n, p, np.eye(3))
        _finish(self, owner, name, a, b, Row(ALONG, Z), radius, BALL_SLIP, radius)


def _finish(
    joint: RollingDisk | RollingBall,
    owner: str,
    name: str,
    a: Marker,
    b: Marker,
    height: Row,
    offset: float,
    kind: int,
    radius: float,
) -> None:
    """Fill in pairs and equations."""
    rows, equations = [height], [Equation("height", offset=offset)]
    if not as_flag(owner, "sliding", joint.sliding):
        for k, e in enumerate((X, Y)):
            rows.append(Row(kind, (*e, 0.0, 0.0, 0.0, radius), k + 1))
            equations.append(Equation(f"slip along {'xy'[k]}", level=1))
    pairs = (Pair(a, b, tuple(rows)),)
    check_carried(owner, pairs)
    found = (("a", a), ("b", b), ("radius", radius), ("name", name), ("pairs", pairs), ("equations", tuple(equations)))
    for key, value in found:
        object.__setattr__(joint, key, value)


def _two(
    owner: str, a: Side, b: Side, point: FloatArray, n: FloatArray, centre: FloatArray, frame: FloatArray
) -> tuple[Marker, Marker]:
    """The markers of a plane and a wheel that are named by their bodies."""
    if isinstance(a, Marker) or isinstance(b, Marker):
        raise ModelError(f"{owner}: name two bodies, or two markers: the plane z = 0 of one and the wheel.")
    return check_different(owner, as_marker(owner, a, point, joint_frame(n)), as_marker(owner, b, centre, frame))


def _planar(owner: str, wheel: Side) -> bool:
    """Whether the wheel moves in the plane."""
    return wheel.planar if isinstance(wheel, Body) else as_marker(owner, wheel).planar


def _normal(owner: str, normal: ArrayLike | None, flat: bool) -> FloatArray:
    """The normal of the plane at the start."""
    if normal is None:
        normal = (0.0, 1.0, 0.0) if flat else (0.0, 0.0, 1.0)
    return as_axis(owner, "normal", normal, flat)


def _centre(owner: str, wheel: Side, centre: ArrayLike | None, flat: bool) -> FloatArray:
    """The centre of the wheel at the start."""
    if centre is not None:
        return as_point(owner, "centre", centre, flat, "length")
    return wheel.place[0] if isinstance(wheel, Body) else as_marker(owner, wheel).position0()


def _steepness(owner: str, n: FloatArray, w: FloatArray) -> float:
    """Sine of the angle between the axis and the normal; refuses a disk that lies flat."""
    s = float(np.linalg.norm(np.cross(n, w)))
    if s < 1e-6:
        raise ModelError(
            f"{owner}: the axis of the wheel is normal to the plane, so the disk lies flat and has no lowest point; "
            f"turn axis or normal, or use PlanarJoint."
        )
    return s


def _refuse(owner: str, **given: object) -> None:
    """Refuse what two markers say themselves."""
    for name, value in given.items():
        if value is not None:
            raise ModelError(f"{owner}: {name} is not used with two markers, which say it themselves; leave it out.")
