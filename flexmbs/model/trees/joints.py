r"""Joints of trees: what one link may do against the link before it, as motions along screws and about points.

A joint is a sequence of *columns*, each a coordinate with a screw :math:`s = (s_v, s_w)` that is constant in the frame
before it (velocity of the point at the origin of the joint frame, angular velocity). A coordinate q moves what follows
by :math:`\exp(s\,q)`:

==================== ============================= =====================================================
joint                coordinates                   columns
==================== ============================= =====================================================
`Fixed`              none
`Revolute`           angle                         (0, e)
`Prismatic`          displacement                  (e, 0)
`Helical`            angle                         (pitch e / 2 pi, e)
`Cylindrical`        displacement, angle           (e, 0), (0, e)
`Universal`          angle 1, angle 2              (0, e1), (0, e2)
`Planar`             x, y, angle                   (x, 0), (y, 0), (0, normal)
`Screws`             1, 2, ...                     as given
`Spherical`          unit quaternion               rotation about a point
`PrismaticSpherical` displacement, unit quaternion (e, 0), rotation about a point
`Free`               x, y, z, unit quaternion      three displacements, rotation about a point
==================== ============================= =====================================================

Joints of several coordinates have no massless bodies in between: only screws are added (Bernier, Dequidt and Valdes).
The velocities of quaternions are the relative angular velocity in axes of the link that is turned; so q and v differ
in length, and nothing is singular.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import (
    as_array,
    as_direction,
    as_name,
    as_number,
    as_turns,
    frozen_copy,
    has_shape,
    shape_of,
    show,
)
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import RotationLike, as_rotation, to_quaternion
from flexmbs.model.bodies.frames import joint_frame

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Helical",
    "Planar",
    "Prismatic",
    "PrismaticSpherical",
    "Revolute",
    "Screws",
    "Spherical",
    "TreeJoint",
    "Universal",
    "checked_joint",
]

UNIT = 1e-9
"""By how much the length of the rotational part of a screw may differ from one."""


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """What all joints of trees have: columns with names, and whether a rotation by quaternion comes last.

    Attributes
    ----------
    screws : (k, 6) array
        Of the columns before the rotation, each in the frame that the one before leads to.
    names : tuple of str
        Of all velocities, k or k + 3.
    ball : bool
        Whether a rotation by quaternion comes behind the screws.
    """

    screws: FloatArray = field(init=False, repr=False)
    names: tuple[str, ...] = field(init=False, repr=False)
    ball: bool = field(init=False, repr=False, default=False)

    def _set(self, screws: list[FloatArray], names: tuple[str, ...], ball: bool = False) -> None:
        object.__setattr__(self, "screws", frozen_copy(np.array(screws, dtype=np.float64).reshape(len(screws), 6)))
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "ball", ball)
        for given in fields(self):  # what was given, kept from being changed
            value = getattr(self, given.name)
            if given.init and isinstance(value, list | tuple | np.ndarray) and given.name != "labels":
                object.__setattr__(self, given.name, frozen_copy(np.array(value, dtype=np.float64)))

    @property
    def n_v(self) -> int:
        """Number of its velocities."""
        return len(self.screws) + 3 * self.ball

    @property
    def rotational(self) -> tuple[bool, ...]:
        """For each velocity whether it is an angular one."""
        return (*(bool(np.any(s[3:])) for s in self.screws), *(True,) * (3 * self.ball))

    def start(self, owner: str, value: Any) -> FloatArray:
        """Coordinates at the start from what a user gives; quaternions scalar first."""
        k = len(self.screws)
        if not self.ball:
            value = np.zeros(k) if value is None else value
            given = as_array(owner, "start", value if shape_of(value) else [value], (k,))
            for x, turns in zip(given.tolist(), self.rotational, strict=True):
                if turns:
                    as_turns(owner, "start", x)
            return given
        if not k:
            return _quaternion(owner, value)
        if value is None:
            return np.concatenate((np.zeros(k), (1.0, 0.0, 0.0, 0.0)))
        if has_shape(value, (k + 4,)):
            value = (value[:k], value[k:])
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ModelError(f"{owner}: start must be (position, rotation), not {show(value)}.")
        return np.concatenate((as_array(owner, "start", value[0], (k,), unit="length"), _quaternion(owner, value[1])))

    def moved(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Place (3,) and orientation (3, 3) of what is behind the joint, in the joint frame, at coordinates q."""
        place, R = np.zeros(3), np.eye(3)
        for s, x in zip(self.screws, q, strict=False):
            E, t = screw_motion(s, float(x))
            place, R = place + R @ t, R @ E
        if self.ball:
            R = R @ as_rotation("joint", "quaternion", q[len(self.screws) :])
        return place, R

    def screws_at(self, q: FloatArray) -> FloatArray:
        """Screws (n_v, 6) of its velocities at coordinates q, about the origin of the link frame and in its axes."""
        rows, place, R = [], np.zeros(3), np.eye(3)
        for s, x in zip(self.screws, q, strict=False):
            w = R @ s[3:]
            rows.append((R @ s[:3] - np.cross(w, place), w))  # about the origin of the joint frame
            E, t = screw_motion(s, float(x))
            place, R = place + R @ t, R @ E
        if self.ball:
            R = R @ as_rotation("joint", "quaternion", q[len(self.screws) :])
        moving = [np.concatenate((R.T @ (v + np.cross(w, place)), R.T @ w)) for v, w in rows]
        turns = [np.concatenate((np.zeros(3), e)) for e in np.eye(3)] if self.ball else []
        return np.array(moving + turns).reshape(self.n_v, 6)

    def independent(self, q: FloatArray) -> bool:
        """Whether no column does at q what the others do together."""
        return self.n_v == 0 or np.linalg.matrix_rank(self.screws_at(q), tol=UNIT) == self.n_v


def checked_joint(owner: str, joint: object, parent: str | None) -> TreeJoint:
    """The joint of a link, by default a hinge about z; a free one at the root only."""
    if joint is None:
        joint = Revolute()
    if not isinstance(joint, TreeJoint):
        raise ModelError(f"{owner}: joint must be one of flexmbs.trees, such as trees.Revolute(), not {show(joint)}.")
    if parent is not None:
        as_name(owner, "parent", parent)
        if isinstance(joint, Free):
            raise ModelError(f"{owner}: a free joint is for a link at the root; leave parent={parent!r} out.")
    return joint


def screw_motion(s: FloatArray, q: float) -> tuple[FloatArray, FloatArray]:
    """Rotation E (3, 3) and translation t (3,) of exp(s q), |s_w| being one or zero."""
    v, w = s[:3], s[3:]
    if not w.any():
        return np.eye(3), v * q
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    E = np.eye(3) + np.sin(q) * K + (1.0 - np.cos(q)) * K @ K
    return E, (np.eye(3) - E) @ np.cross(w, v) + w * (w @ v) * q


def _quaternion(owner: str, value: RotationLike) -> FloatArray:
    """The unit quaternion of a rotation; one that is given as such stays as it is."""
    R = as_rotation(owner, "start", value)
    if has_shape(value, (4,)):
        given = np.asarray(value, dtype=np.float64)
        return given / (np.linalg.norm(given) if abs(np.linalg.norm(given) - 1.0) > 1e-15 else 1.0)
    return to_quaternion(R)


def _along(owner: str, axis: ArrayLike, linear: float = 0.0, angular: float = 0.0) -> FloatArray:
    e = as_direction(owner, "axis", axis, 3)
    return np.concatenate((linear * e, angular * e))


@dataclass(frozen=True, eq=False)
class Fixed(TreeJoint):
    """No motion: the link is one with the link before it.

    Examples
    --------
    >>> Fixed().n_v
    0
    """

    def __post_init__(self) -> None:
        self._set([], ())


@dataclass(frozen=True, eq=False)
class Revolute(TreeJoint):
    """Rotation about an axis through the origin of the joint frame; 1 coordinate, the angle [rad].

    Parameters
    ----------
    axis : (3,) array, default z
        In axes of the joint frame; its length does not matter. Positive by the right-hand rule.

    Examples
    --------
    >>> Revolute((0, 2, 0)).screws.tolist()
    [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
    """

    axis: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        self._set([_along("trees.Revolute", self.axis, angular=1.0)], ("angle",))


@dataclass(frozen=True, eq=False)
class Prismatic(TreeJoint):
    """Displacement along an axis; 1 coordinate [length].

    Parameters
    ----------
    axis : (3,) array, default z
        In axes of the joint frame.
    """

    axis: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        self._set([_along("trees.Prismatic", self.axis, linear=1.0)], ("displacement",))


@dataclass(frozen=True, eq=False)
class Helical(TreeJoint):
    """A screw: rotation about an axis with a displacement of ``pitch`` a turn; 1 coordinate, the angle [rad].

    Parameters
    ----------
    pitch : float
        Displacement along the axis per turn [length]; negative for left-handed threads.
    axis : (3,) array, default z
    """

    pitch: float
    axis: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        pitch = as_number("trees.Helical", "pitch", self.pitch, unit="length")
        self._set([_along("trees.Helical", self.axis, pitch / (2.0 * np.pi), 1.0)], ("angle",))


@dataclass(frozen=True, eq=False)
class Cylindrical(TreeJoint):
    """Displacement along and rotation about one axis; 2 coordinates.

    Parameters
    ----------
    axis : (3,) array, default z
    """

    axis: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        owner = "trees.Cylindrical"
        self._set(
            [_along(owner, self.axis, linear=1.0), _along(owner, self.axis, angular=1.0)], ("displacement", "angle")
        )


@dataclass(frozen=True, eq=False)
class Universal(TreeJoint):
    """Rotations about a first axis, fixed to the link before, and a second one that the first turns; 2 coordinates.

    Parameters
    ----------
    first, second : (3,) array, default x and y
        In axes of the joint frame, at zero angles; not parallel.
    """

    first: ArrayLike = (1.0, 0.0, 0.0)
    second: ArrayLike = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        a = _along("trees.Universal", self.first, angular=1.0)
        b = _along("trees.Universal", self.second, angular=1.0)
        if np.linalg.norm(np.cross(a[3:], b[3:])) < 1e-6:
            raise ModelError(
                f"trees.Universal: the axes {show(self.first)} and {show(self.second)} are parallel; one would do the "
                f"work of the other."
            )
        self._set([a, b], ("angle 1", "angle 2"))


@dataclass(frozen=True, eq=False)
class Planar(TreeJoint):
    """Displacements in a plane and rotation about its normal; 3 coordinates.

    Parameters
    ----------
    normal : (3,) array, default z
        In axes of the joint frame.
    x : (3,) array, optional
        First direction in the plane, as in `flexmbs.joint_frame`.
    """

    normal: ArrayLike = (0.0, 0.0, 1.0)
    x: ArrayLike | None = None

    def __post_init__(self) -> None:
        x, y, z = joint_frame(self.normal, self.x, "trees.Planar").T
        none = np.zeros(3)
        columns = [np.concatenate(pair) for pair in ((x, none), (y, none), (none, z))]
        self._set(columns, ("x", "y", "angle"))


@dataclass(frozen=True, eq=False)
class Screws(TreeJoint):
    r"""A joint of one's own: a product of motions along constant screws, :math:`\exp(s_1 q_1)\exp(s_2 q_2)\dots`.

    Parameters
    ----------
    columns : (k, 6) array
        Each row (s_v, s_w): velocity of the point at the origin of the joint frame, and angular velocity, for a unit
        rate, in the frame before the column. |s_w| must be one or zero.
    labels : sequence of str, optional
        Names of the coordinates; by default 1, 2, ...

    Raises
    ------
    ModelError
        If a screw is zero or its rotation not of unit length, or screws depend on each other.

    Examples
    --------
    A nut on a thread across the way it slides along:

    >>> Screws([(0.01, 0, 0, 1, 0, 0), (0, 1, 0, 0, 0, 0)]).n_v
    2
    """

    columns: ArrayLike
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        owner = "trees.Screws"
        rows = as_array(owner, "columns", self.columns, (None, 6))
        for i, s in enumerate(rows, 1):
            size = float(np.linalg.norm(s[3:]))
            if not s.any() or (size > 0.0 and abs(size - 1.0) > UNIT):
                raise ModelError(
                    f"{owner}: screw {i}, {s.tolist()}, must turn with a unit angular velocity, or displace; the "
                    f"length of its rotation is {size:.6g}. Divide the screw by it."
                )
        if np.linalg.matrix_rank(rows) < len(rows):
            raise ModelError(f"{owner}: the {len(rows)} screws depend on each other; leave out what adds no motion.")
        names = tuple(str(i) for i in range(1, len(rows) + 1)) if self.labels is None else tuple(self.labels)
        if len(names) != len(rows) or len(set(names)) != len(names):
            raise ModelError(f"{owner}: labels must be {len(rows)} different names, not {show(self.labels)}.")
        self._set(list(rows), names)


@dataclass(frozen=True, eq=False)
class Spherical(TreeJoint):
    """Rotation about the origin of the joint frame, by a unit quaternion; 3 velocities.

    Its velocities are the angular velocity against the link before, in axes of the link.
    """

    def __post_init__(self) -> None:
        self._set([], TURNS, ball=True)


@dataclass(frozen=True, eq=False)
class PrismaticSpherical(TreeJoint):
    """Displacement of a point along an axis and rotation about that point, by a unit quaternion; 4 velocities.

    ``start`` of a link is (displacement,), rotation. The angular velocity is in axes of the link.

    Parameters
    ----------
    axis : (3,) array, default z
        In axes of the joint frame.
    """

    axis: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        self._set([_along("trees.PrismaticSpherical", self.axis, linear=1.0)], ("displacement", *TURNS), ball=True)


@dataclass(frozen=True, eq=False)
class Free(TreeJoint):
    """All motions: a link that floats, such as the base of a satellite or of a walking machine; 6 velocities.

    Coordinates are the place of the link frame in axes of the joint frame and a unit quaternion; velocities that of the
    origin, in axes of the joint frame, and the angular velocity in axes of the link. Only at the root of a tree.
    """

    def __post_init__(self) -> None:
        self._set([np.eye(6)[i] for i in range(3)], ("x", "y", "z", *TURNS), ball=True)


TURNS = ("rotation about x", "rotation about y", "rotation about z")
"""Names of the velocities of a rotation."""
