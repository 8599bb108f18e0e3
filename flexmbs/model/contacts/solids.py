"""Shapes of contacts with ends: capsule and box."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_number, has_shape, show
from flexmbs.core.errors import ModelError
from flexmbs.kernels.rows.contact_rows import BOX_GAP, BOX_SLIP, CAPSULE_GAP, CAPSULE_SLIP
from flexmbs.kernels.rows.segment_rows import SEGMENTS_GAP, SEGMENTS_SLIP, nearest_places
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.contacts.shapes import (
    GAP,
    Shape,
    ShapeRows,
    SharpEdges,
    Sphere,
    Vertex,
    placed,
    round_rows,
    rows_with,
)

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = ["Box", "Capsule"]


@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """A cylinder about the z axis of a marker with half balls at its ends.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
        The middle.
    radius : float
        [length], positive.
    length : float
        Between the centres of the half balls [length], positive.

    Notes
    -----
    Partners: `Sphere`, `Vertex`, `Capsule`. On a `Plane` give the two balls at its ends, `Capsule.ends`. Two capsules
    touch at one point, also where they are parallel, in the middle of what they have in common: the contact does not
    keep them parallel.

    Examples
    --------
    >>> import flexmbs as fx
    >>> rod = fx.RigidBody.box(size=(0.05, 0.05, 0.5), mass=1.0, name="rod")
    >>> fx.contact.Capsule(rod.centre, radius=0.025, length=0.45).length
    0.45
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    radius: float = field(kw_only=True)
    length: float = field(kw_only=True)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        for name in ("radius", "length"):
            value = as_number(owner, name, getattr(self, name), above=0.0, unit="length")
            object.__setattr__(self, name, value)

    @property
    def round(self) -> bool:
        """Yes."""
        return True

    @property
    def reach(self) -> float:
        """Half its length, with the half balls."""
        return self.radius + 0.5 * self.length

    @property
    def segment(self) -> tuple[float, float]:
        """Radius, and half the length of its axis."""
        return self.radius, 0.5 * self.length

    @property
    def substitutes(self) -> str:
        """Its ends."""
        return "Capsule.ends"

    @property
    def ends(self) -> tuple[Sphere, Sphere]:
        """The balls at its ends; of a flexible body, whose nodes carry no other points, there are none."""
        at = self.marker
        if at.point is None:
            raise ModelError(f"{self}: a node has no other points; give spheres on a rigid body.")
        half = 0.5 * self.length * at.frame[:, 2]
        low, high = (Sphere(Marker(at.body, at.point + x, at.frame), radius=self.radius) for x in (-half, half))
        return low, high

    def point(self, other: Shape, p: FloatArray, R: FloatArray, normal: FloatArray) -> FloatArray:
        """On its surface, as B, before the point of its axis that is nearest to the axis of A."""
        assert other.segment is not None  # noqa: S101 - balls and points are sides B themselves
        A, B, d = (tuple(map(float, x.ravel())) for x in (R[0], R[1], p[1] - p[0]))
        t = nearest_places((0.0, other.segment[1], 0.5 * self.length), d, A, B)[1]  # type: ignore[arg-type]
        return np.asarray(p[1] + t * R[1, :, 2] - self.radius * normal)

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls, points and capsules."""
        if other.segment is not None:
            radius, half = other.segment
            return rows_with(self, other, SEGMENTS_GAP, SEGMENTS_SLIP, (*self.segment, half, radius))
        return round_rows(self, other, CAPSULE_GAP, CAPSULE_SLIP, self.segment)


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box with its edges along the axes of a marker at its centre.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
    size : (3,) array
        Edges [length], positive.

    Notes
    -----
    Partners: `Sphere`, `Vertex`. On a `Plane` give its corners, `Box.corners`. The normal turns at once where a point
    within it comes nearer to another face, which costs steps.

    Examples
    --------
    >>> import flexmbs as fx
    >>> block = fx.RigidBody.box(size=(0.2, 0.1, 0.1), mass=1.0, name="block")
    >>> [corner.marker.point.tolist() for corner in fx.contact.Box(block.centre, size=(0.2, 0.1, 0.1)).corners][0]
    [-0.1, -0.05, -0.05]
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    size: tuple[float, float, float] = field(kw_only=True)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        if not has_shape(self.size, (3,)):
            raise ModelError(f"{owner}: size must be three numbers, not {show(self.size)}.")
        size = tuple(as_number(owner, "size", x, above=0.0, unit="length") for x in self.size)
        object.__setattr__(self, "size", size)

    @property
    def substitutes(self) -> str:
        """Its corners."""
        return "Box.corners"

    @property
    def corners(self) -> tuple[Vertex, ...]:
        """Its eight corners; of a flexible body, whose nodes carry no other points, there are none."""
        at = self.marker
        if at.point is None:
            raise ModelError(f"{self}: a node has no corners; give them on a rigid body.")
        half = 0.5 * np.array(self.size)
        signs: list[FloatArray] = [np.array((x, y, z)) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        return tuple(Vertex(Marker(at.body, at.point + at.frame @ (s * half), at.frame)) for s in signs)

    @property
    def reach(self) -> float:
        """Half its diagonal."""
        return 0.5 * float(np.linalg.norm(self.size))

    @property
    def edges(self) -> SharpEdges:
        """Its twelve edges."""
        sides = ((-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5))
        ends = [[np.roll((end, *side), axis) for end in (-0.5, 0.5)] for axis in range(3) for side in sides]
        return SharpEdges(np.array(ends) * self.size, np.full(12, 0.5 * np.pi), -np.sqrt(2.0) * np.mean(ends, axis=1))

    def outline(self, near: FloatArray) -> FloatArray:
        """Its edges."""
        return np.concatenate((self.edges.ends, np.tile(GAP, (12, 1, 1))), axis=1).reshape(-1, 3)

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls and points."""
        a, b, c = (0.5 * x for x in self.size)
        return round_rows(self, other, BOX_GAP, BOX_SLIP, (a, b, c))
