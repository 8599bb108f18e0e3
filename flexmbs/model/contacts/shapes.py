"""Shapes of bodies for contact, each on a marker, and the rows that a pair of them has.

A shape says what it is to others: ``ball_radius``, if it is a ball (a point is one of radius 0), and `rows_against`,
the rows between it, as A, and another one, as B. A contact asks both shapes of a pair. A shape of one's own, with its
kinds of rows (`flexmbs.kernels.rows.contact_rows`), is one file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.rows.contact_rows import PLANE_GAP, PLANE_SLIP, SPHERE_GAP, SPHERE_SLIP
from flexmbs.kernels.rows.rows import HEIGHT, SLIP
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.model.joints.contracts import Row

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = [
    "Plane",
    "Shape",
    "ShapeRows",
    "SharpEdges",
    "Sphere",
    "Vertex",
    "placed",
    "round_rows",
    "rows_with",
    "with_table",
]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NO = (0.0, 0.0, 0.0)
GAP = (np.nan, np.nan, np.nan)
CIRCLE = np.array([*((np.cos(x), np.sin(x), 0.0) for x in np.linspace(0.0, 2.0 * np.pi, 49)), GAP])
"""A circle about z, as a line that a gap ends."""
GRID = 7
"""Lines each way by which planes and cylinders are shown."""


class ShapeRows(NamedTuple):
    """The rows of a pair: the gap is the first one minus ``offset``, the others are components of the slip."""

    rows: tuple[Row, ...]
    offset: float = 0.0


class SharpEdges(NamedTuple):
    """Sharp edges: ``ends (n, 2, 3)``, and of the material at each the ``angle (n,)`` [rad], and what halves it.

    The angle is 0 where it is thin; ``inwards (n, 3)`` is the direction in its middle.
    """

    ends: FloatArray
    angle: FloatArray
    inwards: FloatArray


class Shape(Description):
    """What the shapes of contacts have in common: a marker, and answers about themselves."""

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node

    @property
    def ball_radius(self) -> float | None:
        """Radius of a ball, 0 of a point; None of others."""
        return None

    @property
    def rim_radius(self) -> float | None:
        """Radius of a thin rim about the z axis of its marker; None of others."""
        return None

    @property
    def segment(self) -> tuple[float, float] | None:
        """Radius, and half the length along the z axis of its marker, of a capsule; None of others."""
        return None

    @property
    def substitutes(self) -> str:
        """What stands for it against shapes that it has no contact with, in words; empty where nothing does."""
        return ""

    @property
    def curvature(self) -> float | None:
        """1/radius of a ball, 0 of a plane; None where the law of Hertz needs more."""
        return None

    @property
    def fits_all(self) -> bool:
        """Whether balls of any radius may touch it; else `table_for` or `rows_against` refuse some."""
        return True

    @property
    def edges(self) -> SharpEdges:
        """Its sharp edges, in the axes of its marker."""
        return SharpEdges(np.zeros((0, 2, 3)), np.zeros(0), np.zeros((0, 3)))

    @property
    def round(self) -> bool:
        """Whether it stays the same where it is turned about the z axis of its marker."""
        return False

    @property
    def along(self) -> bool:
        """Whether it goes along a flexible body (`flexmbs.model.contacts.along`) and is on no marker."""
        return False

    @property
    def reach(self) -> float | None:
        """Radius of a ball about its marker that holds it; None of what has no end."""
        return self.ball_radius

    def clearance(self, x: FloatArray) -> FloatArray:
        """Of what has no end: lower bounds (n,) of the distances of points x (n, 3), in its axes, from it."""
        return np.full(len(x), -np.inf)

    def outline(self, near: FloatArray) -> FloatArray:
        """Lines (n, 3) by which pictures show it where it is on the ground, with gaps (NaN), in its axes.

        ``near (m, 3)``: points that are shown beside it, for what has no end.
        """
        return np.zeros((0, 3))

    def table_for(self, other: Shape, radius: float) -> tuple[float, ...]:
        """Numbers behind those of a contact with a ball or a tube of this radius; c[3] of its rows tells where."""
        return ()

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """The rows of this shape, as A, with another one, as B; None where there are none.

        They depend on the numbers of both shapes; between planar markers also on how these are turned at the start.
        """
        return None

    def point(self, other: Shape, p: FloatArray, R: FloatArray, normal: FloatArray) -> FloatArray:
        """Where it touches (3,), as B, another shape as A with this normal; their markers at p (2, 3), R (2, 3, 3)."""
        return np.asarray(p[1] - (self.ball_radius or 0.0) * normal)

    def __str__(self) -> str:
        return f"{type(self).__name__} on {self.marker}"


def placed(shape: Any, place: Any, turns: bool) -> str:
    """The marker of a shape from what was given, and its owner in words."""
    owner = type(shape).__name__
    if not isinstance(place, Marker | Attachment | Body):
        raise ModelError(f"{owner}: it needs a marker, a body or a node of a flexible body, not {show(place)}.")
    marker = place.centre if isinstance(place, Body) and not isinstance(place, Marker) else as_marker(owner, place)
    object.__setattr__(shape, "marker", marker)
    owner = f"{owner} on {marker}"
    if turns and not (marker.rotates or marker.body.is_ground):
        raise ModelError(f"{owner}: its place has no orientation; take a Sphere or a Vertex there, or a rigid body.")
    if turns and marker.spin_axis is not None and not (shape.round and marker.takes_along(np.array(Z))):
        kind, axis, use = marker.spin_words
        along = ", ".join(f"{x:.6g}" for x in marker.node_frame[:, 0] + 0.0)
        raise ModelError(
            f"{owner}: its axes would not turn about the {axis} ({along}), since {kind} has no rotation about it. "
            f"There it must be a Sphere, a Vertex, or round about the {axis}, such as a Plane on "
            f"node.marker(axis=({along})). {use}"
        )
    return owner


def _in_plane(a: Shape, b: Shape) -> bool:
    return bool(a.marker.planar and b.marker.planar)


def _tangents(a: Shape, b: Shape) -> tuple[tuple[float, ...], ...]:
    """Directions of slip in the axes of A: two on a plane, the one in the plane of motion where both are planar."""
    if not _in_plane(a, b):
        return X, Y
    R = a.marker.rotation0()
    n = R[:, 2]
    if abs(n[2]) > 1e-9:
        raise ModelError(f"{a}: its normal {n.round(6).tolist()} must lie in the plane of motion: give axis=(x, y).")
    return (tuple(float(x) for x in R.T @ np.cross((0.0, 0.0, 1.0), n)),)


def round_rows(a: Shape, b: Shape, gap: int, slip: int, numbers: tuple[float, ...]) -> ShapeRows | None:
    """Rows of a round shape and a ball."""
    if b.ball_radius is None:
        return None
    return rows_with(a, b, gap, slip, (*numbers, *(0.0,) * (3 - len(numbers)), b.ball_radius))


def rows_with(a: Shape, b: Shape, gap: int, slip: int, tail: tuple[float, ...]) -> ShapeRows:
    """The gap, and the slip along the axes of A, or those of the plane of motion; ``tail``: their numbers (4,)."""
    R = a.marker.rotation0()
    directions = (
        tuple(tuple(float(x) for x in R.T @ np.array(e)) for e in (X, Y)) if _in_plane(a, b) else (X, Y, Z)
    )  # fmt: skip
    return ShapeRows((Row(gap, (*NO, *tail)), *(Row(slip, (*e, *tail)) for e in directions)))


def with_table(row: Row, begin: int) -> Row:
    """A row of a shape whose table begins there in the numbers of the contact."""
    return Row(row.kind, (*row.constants[:3], float(begin), *row.constants[4:]))


@dataclass(frozen=True, eq=False)
class Plane(Shape):
    """The half-space below the plane z = 0 of a marker; z points out of the material.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
        Such as ``fx.ground.marker((0, 0, 0), axis=(0, 0, 1))``; in planar models the axis lies in the plane.

    Raises
    ------
    ModelError
        If there is no orientation, or it does not turn about all axes across the normal: on nodes of a spatial cable
        and an `ANCFShell` the normal has to be along the tangent or director.

    Notes
    -----
    Partners: `Sphere`, `Vertex`, `Rim`.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1))).curvature
    0.0
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node

    def __post_init__(self) -> None:
        placed(self, self.marker, turns=True)

    @property
    def round(self) -> bool:
        """Yes."""
        return True

    @property
    def curvature(self) -> float:
        """0."""
        return 0.0

    def clearance(self, x: FloatArray) -> FloatArray:
        """Heights."""
        return x[:, 2]

    def outline(self, near: FloatArray) -> FloatArray:
        """A grid below the points."""
        low, high = near[:, :2].min(axis=0), near[:, :2].max(axis=0)
        reach = 0.55 * max(float((high - low).max()), float(np.abs(near[:, 2]).max())) * np.ones(2)
        (x0, y0), (x1, y1) = 0.5 * (low + high) - reach, 0.5 * (low + high) + reach
        across = [((x, y0, 0.0), (x, y1, 0.0), GAP) for x in np.linspace(x0, x1, GRID)]
        along = [((x0, y, 0.0), (x1, y, 0.0), GAP) for y in np.linspace(y0, y1, GRID)]
        return np.array(across + along).reshape(-1, 3)

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls, points and rims."""
        radius = other.ball_radius
        if radius is not None:
            tail = (*NO, radius)
            tangents = _tangents(self, other)
            return ShapeRows((Row(PLANE_GAP, (*NO, *tail)), *(Row(PLANE_SLIP, (*e, *tail)) for e in tangents)))
        rim = other.rim_radius
        if rim is not None:
            tail = (*NO, rim)
            return ShapeRows((Row(HEIGHT, (*Z, *tail)), *(Row(SLIP, (*e, *tail)) for e in _tangents(self, other))))
        return None


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball; in planar models a disk.

    Parameters
    ----------
    marker : Marker, body, or Attachment of one node
        Its centre; a body stands for its centre of mass.
    radius : float
        [length], positive.

    Raises
    ------
    ModelError
        If the radius is not positive.

    Notes
    -----
    Partners: every shape.

    A `PointMass` does not turn: of friction on a ball about one the force acts, its moment about the centre is lost.
    Take a `RigidBody.sphere` for a ball that is to roll. On a node of a spatial cable the moment about the tangent is
    lost, since it carries no torsion, and on one of an `ANCFShell` that about the director, of which contacts with
    friction warn.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, name="ball")
    >>> fx.contact.Sphere(ball, radius=0.1).marker.body.name
    'ball'
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    radius: float = field(kw_only=True)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=False)
        object.__setattr__(self, "radius", as_number(owner, "radius", self.radius, above=0.0, unit="length"))

    @property
    def ball_radius(self) -> float:
        """Its radius."""
        return self.radius

    @property
    def curvature(self) -> float:
        """1/radius."""
        return 1.0 / self.radius

    def outline(self, near: FloatArray) -> FloatArray:
        """A circle in each of the three planes."""
        circle = self.radius * CIRCLE
        return np.concatenate((circle, circle[:, (0, 2, 1)], circle[:, (2, 0, 1)]))

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls and points."""
        return round_rows(self, other, SPHERE_GAP, SPHERE_SLIP, (self.radius,))


@dataclass(frozen=True, eq=False)
class Vertex(Shape):
    """A point of a body, such as a corner or a point of a mesh.

    Parameters
    ----------
    marker : Marker, body that is a point, or Attachment of one node

    Notes
    -----
    Partners: every shape but another vertex. On the edges of a `Box` it is met by a face only.

    Examples
    --------
    >>> import flexmbs as fx
    >>> block = fx.RigidBody.box(size=(0.2, 0.1, 0.1), mass=1.0, name="block")
    >>> fx.contact.Vertex(block.marker((0.1, 0.05, -0.05))).ball_radius
    0.0
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node

    def __post_init__(self) -> None:
        placed(self, self.marker, turns=False)

    @property
    def ball_radius(self) -> float:
        """0."""
        return 0.0
