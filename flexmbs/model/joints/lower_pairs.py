"""Lower pairs: joints by contact of surfaces, from the fixed joint (no freedom) to the planar one (three).

All are made of the same rows between a marker on each side. Where bodies are named, the joint frame is put to the point
``at`` with its third axis (z) along ``axis``, both in the inertial frame at the start, and is fixed to both sides; so
angles and displacements begin at zero. Where markers are named, their frames are the joint frames: z is the axis. If
one side is a marker, the other gets the same frame. The sides may also be given as a pair, ``FixedJoint((a, b))``.

Symbols: p, R position and orientation of the frames; x, y, z their axes; d = p_B - p_A. With the multipliers lam of the
rows "position x, y, z" the joint exerts the force -lam on B in inertial axes, with those of "position along" along the
axes of A, and with those of "rotation about" the moment -lam about the axes of the joint frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from flexmbs.core.references import Description
from flexmbs.kernels.rows.rows import ALONG, ANGLE, INERTIAL, ORTHOGONAL
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.joints.contracts import Equation, Pair, Row
from flexmbs.model.joints.sides import Side, as_sides, check_carried, check_parallel, joint_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "CylindricalJoint",
    "FixedJoint",
    "LowerPair",
    "ParallelAxesConstraint",
    "PlanarJoint",
    "PrismaticJoint",
    "RevoluteJoint",
    "SphericalJoint",
]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
MINUS_X, MINUS_Y, MINUS_Z = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
"""With these signs a row of rotation is to first order the small angle of B about the axis of its label."""

Condition = tuple[int, tuple[float, ...], str]
"""Kind of a row, its constants, and the label of its equation."""

SAME_POINT: tuple[Condition, ...] = (
    (INERTIAL, X, "position x"),
    (INERTIAL, Y, "position y"),
    (INERTIAL, Z, "position z"),
)
ON_LINE: tuple[Condition, ...] = ((ALONG, X, "position along x"), (ALONG, Y, "position along y"))
ON_PLANE: tuple[Condition, ...] = ((ALONG, Z, "position along z"),)
PARALLEL: tuple[Condition, ...] = (
    (ORTHOGONAL, (*MINUS_Y, *Z), "rotation about x"),
    (ORTHOGONAL, (*X, *Z), "rotation about y"),
)
SAME_FRAME: tuple[Condition, ...] = (
    (ORTHOGONAL, (*MINUS_Y, *Z), "rotation about x"),
    (ORTHOGONAL, (*MINUS_Z, *X), "rotation about y"),
    (ORTHOGONAL, (*MINUS_X, *Y), "rotation about z"),
)
COORDINATES: dict[str, Row] = {"angle": Row(ANGLE), "displacement": Row(ALONG, Z)}


@cache
def _compiled(conditions: tuple[Condition, ...]) -> tuple[tuple[Row, ...], tuple[Equation, ...]]:
    """Rows and equations, which all joints of a kind share."""
    rows = tuple(Row(kind, constants, k) for k, (kind, constants, _) in enumerate(conditions))
    return rows, tuple(Equation(label) for _, _, label in conditions)


@two_ended
@dataclass(frozen=True, eq=False)
class LowerPair(Description):
    """What all lower pairs share; use one of them."""

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    at: InitVar[ArrayLike | None] = None
    axis: InitVar[ArrayLike | None] = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)
    markers: tuple[Marker, Marker] = field(init=False, repr=False)

    word: ClassVar[str] = "joint"
    conditions: ClassVar[tuple[Condition, ...]] = ()
    free: ClassVar[tuple[str, ...]] = ()
    needs_axis: ClassVar[bool] = True
    planar_axis: ClassVar[bool] = True
    anywhere: ClassVar[bool] = False

    def __post_init__(self, at: ArrayLike | None, axis: ArrayLike | None) -> None:
        cls = type(self).__name__
        name = joint_name(cls, self.word, self.name, self.a, self.b)
        owner = f"{cls} {name!r}"
        a, b = as_sides(
            owner,
            self.a,
            self.b,
            at,
            axis,
            needs_axis=self.needs_axis,
            planar_axis=self.planar_axis,
            anywhere=self.anywhere,
        )
        given = isinstance(self.a, Marker) and isinstance(self.b, Marker)  # else both were put to one frame
        if given and PARALLEL[0] in self.conditions:
            check_parallel(owner, a, b, frames=SAME_FRAME[2] in self.conditions)
        rows, equations = _compiled(self.conditions)
        # of z_A = z_B alone B needs the axis only, so a cable, which has no more, becomes side B
        swap = PARALLEL[1] in self.conditions and a.spin_axis is not None and b.spin
        pairs = (Pair(b, a, rows) if swap else Pair(a, b, rows),)
        check_carried(owner, pairs)
        vars(self).update(a=a, b=b, name=name, markers=(a, b), pairs=pairs, equations=equations)

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """What the joint leaves free and can be measured, driven and coupled: ``angle``, ``displacement``.

        Each is one row between the two frames: the angle of B about the z axis of A [rad], over all turns; the
        displacement z_A . d of B along it [length].
        """
        found = {key: Pair(*self.markers, (COORDINATES[key],)) for key in self.free}
        if not all(marker.spin for marker in self.markers):
            found.pop("angle", None)
        return found


@two_ended
@dataclass(frozen=True, eq=False)
class FixedJoint(LowerPair):
    """Two bodies as one: p_A = p_B and R_A = R_B (6 equations).

    The rows are p_B - p_A = 0 in inertial axes and y_A.z_B = z_A.x_B = x_A.y_B = 0. The reaction refers to the joint
    point; by default that is the origin of body b (of a, if b is the ground).

    Parameters
    ----------
    a, b : body, Marker or Attachment of one node
    at : (3,) array, optional
        Joint point at the start, inertial frame [length]; two components where everything is planar.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If a side has no orientation or lacks the spin about its axis (points, spatial cables), both sides are the same
        body, or the frames of two markers are not parallel at the start.

    Examples
    --------
    >>> import flexmbs as fx
    >>> box = fx.RigidBody.box(size=(1, 1, 1), mass=1.0, position=(0, 0, 2), name="box")
    >>> fx.FixedJoint(fx.ground, box).name
    'fixed of ground and box'
    """

    word = "fixed"
    conditions = SAME_POINT + SAME_FRAME
    needs_axis = False
    anywhere = True


@two_ended
@dataclass(frozen=True, eq=False)
class RevoluteJoint(LowerPair):
    """A hinge: p_A = p_B and z_A = z_B; free is the rotation about the axis (5 equations).

    The rows are p_B - p_A = 0 in inertial axes and y_A.z_B = x_A.z_B = 0. Its coordinate is ``angle``, of B about z_A.
    On a spatial cable with the axis along the tangent it clamps position and direction.

    Parameters
    ----------
    a, b : body, Marker or Attachment of one node
    at : (3,) array, optional
        Joint point at the start, inertial frame [length]; not needed if a side is a node, a point mass or a marker. Two
        components suffice where both sides are planar (the ground counts as planar).
    axis : (3,) array, optional
        Direction of the joint axis at the start, inertial frame; by default z where both sides are planar.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If point or axis are missing or wrong, a side cannot carry the joint, or both sides are the same body.

    Examples
    --------
    >>> import flexmbs as fx
    >>> crank = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
    >>> hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    >>> [equation.label for equation in hinge.equations]
    ['position x', 'position y', 'position z', 'rotation about x', 'rotation about y']
    """

    word = "revolute"
    conditions = SAME_POINT + PARALLEL
    free = ("angle",)


@two_ended
@dataclass(frozen=True, eq=False)
class PrismaticJoint(LowerPair):
    """A slider: B moves along the z axis of A without turning (5 equations).

    The rows are x_A.d = y_A.d = 0 and y_A.z_B = z_A.x_B = x_A.y_B = 0. Its coordinate is ``displacement``.
    Parameters as in `RevoluteJoint`; the axis has no default. The reaction force acts at the point of B.

    Examples
    --------
    >>> import flexmbs as fx
    >>> block = fx.PlanarRigidBody(1.0, 0.1, position=(2, 0), name="block")
    >>> slider = fx.PrismaticJoint(fx.ground, block, at=(2, 0), axis=(1, 0))
    >>> slider.name, list(slider.coordinates)
    ('prismatic of ground and block', ['displacement'])
    """

    word = "prismatic"
    conditions = ON_LINE + SAME_FRAME
    free = ("displacement",)
    planar_axis = False


@two_ended
@dataclass(frozen=True, eq=False)
class CylindricalJoint(LowerPair):
    """A shaft in a sleeve: B slides along and turns about the z axis of A (4 equations).

    The rows are x_A.d = y_A.d = 0 and y_A.z_B = x_A.z_B = 0. Its coordinates are ``angle`` and ``displacement``.
    Parameters as in `RevoluteJoint`. The reaction force acts at the point of B. Where A is a spatial cable and B is
    not, the sides are exchanged in the rows.

    Examples
    --------
    >>> import flexmbs as fx
    >>> shaft = fx.RigidBody.box(size=(1, 0.1, 0.1), mass=1.0, position=(0, 0, 0), name="shaft")
    >>> list(fx.CylindricalJoint(fx.ground, shaft, at=(0, 0, 0), axis=(1, 0, 0)).coordinates)
    ['angle', 'displacement']
    """

    word = "cylindrical"
    conditions = ON_LINE + PARALLEL
    free = ("angle", "displacement")


@two_ended
@dataclass(frozen=True, eq=False)
class SphericalJoint(LowerPair):
    """A ball joint: p_A = p_B (3 equations); in the plane a hinge.

    The rows are p_B - p_A = 0 in inertial axes. Parameters as in `RevoluteJoint` without the axis. Both sides may be
    points.

    Examples
    --------
    >>> import flexmbs as fx
    >>> box = fx.RigidBody.box(size=(1, 1, 1), mass=1.0, position=(0, 0, 0), name="box")
    >>> len(fx.SphericalJoint(fx.ground, box, at=(0.5, 0.5, 0.5)).equations)
    3
    """

    word = "spherical"
    conditions = SAME_POINT
    needs_axis = False


@two_ended
@dataclass(frozen=True, eq=False)
class PlanarJoint(LowerPair):
    """A plate on a table: the point of B stays in the plane of A with the normal z_A, and z_B = z_A (3 equations).

    The rows are z_A.d = 0 and y_A.z_B = x_A.z_B = 0. Its coordinate is ``angle``. Parameters as in `RevoluteJoint`,
    ``axis`` is the normal.

    Examples
    --------
    >>> import flexmbs as fx
    >>> plate = fx.RigidBody.box(size=(1, 1, 0.1), mass=1.0, position=(0, 0, 0), name="plate")
    >>> fx.PlanarJoint(fx.ground, plate, at=(0, 0, 0), axis=(0, 0, 1)).name
    'planar of ground and plate'
    """

    word = "planar"
    conditions = ON_PLANE + PARALLEL
    free = ("angle",)


@two_ended
@dataclass(frozen=True, eq=False)
class ParallelAxesConstraint(LowerPair):
    """The third axes of both sides stay parallel (2 equations); nothing is said of their points.

    The rows are y_A.z_B = x_A.z_B = 0. Its coordinate is ``angle``. Parameters as in `RevoluteJoint`; the point is
    where nothing acts and may be left out.

    Examples
    --------
    >>> import flexmbs as fx
    >>> box = fx.RigidBody.box(size=(1, 1, 1), mass=1.0, position=(0, 0, 2), name="box")
    >>> [equation.label for equation in fx.ParallelAxesConstraint(fx.ground, box, axis=(0, 0, 1)).equations]
    ['rotation about x', 'rotation about y']
    """

    word = "parallel axes"
    conditions = PARALLEL
    free = ("angle",)
    anywhere = True
