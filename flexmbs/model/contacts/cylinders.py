"""Shapes of contacts that are round about an axis: cylinder, seen from outside or inside, and rim."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_flag, as_number
from flexmbs.core.errors import ModelError
from flexmbs.kernels.rows.contact_rows import CYLINDER_GAP, CYLINDER_SLIP, RING_GAP, RING_SLIP
from flexmbs.model.contacts.shapes import CIRCLE, GAP, GRID, Shape, ShapeRows, placed, round_rows

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = ["Cylinder", "Rim"]


@dataclass(frozen=True, eq=False)
class Rim(Shape):
    """The edge of a disk: a circle in the plane z = 0 of a marker, with round stuff of radius ``tube`` about it.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
        The centre; z is the axis of the disk.
    radius : float
        Of the circle [length], positive.
    tube : float, default 0
        [length]; with 0 a thin edge.

    Notes
    -----
    Partners: `Sphere`; of a thin edge also `Plane` (not when it lies flat on it, where every point touches: use several
    `Vertex` there), of a thick one also `Vertex`. A cylinder that may stand on its edges, or lie, has two rims.

    Examples
    --------
    >>> import flexmbs as fx
    >>> wheel = fx.RigidBody.box(size=(0.2, 0.02, 0.2), mass=1.0, position=(0, 0, 0.1), name="wheel")
    >>> fx.contact.Rim(wheel.marker((0, 0, 0), axis=(0, 1, 0)), radius=0.1).radius
    0.1
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    radius: float = field(kw_only=True)
    tube: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        object.__setattr__(self, "radius", as_number(owner, "radius", self.radius, above=0.0, unit="length"))
        object.__setattr__(self, "tube", as_number(owner, "tube", self.tube, minimum=0.0, unit="length"))

    @property
    def round(self) -> bool:
        """Yes."""
        return True

    @property
    def rim_radius(self) -> float | None:
        """Its radius, if it is thin."""
        return self.radius if self.tube == 0.0 else None

    @property
    def reach(self) -> float:
        """Radius and tube."""
        return self.radius + self.tube

    def point(self, other: Shape, p: FloatArray, R: FloatArray, normal: FloatArray) -> FloatArray:
        """The lowest point of the circle."""
        axis = R[1, :, 2]
        down = (axis @ normal) * axis - normal
        size = float(np.linalg.norm(down))
        return np.asarray(p[1] + self.radius / size * down if size > 0.0 else p[1])

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls; points meet a thick one only."""
        if other.ball_radius == 0.0 and self.tube == 0.0:
            return None
        return round_rows(self, other, RING_GAP, RING_SLIP, (self.radius, self.tube))


@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A long cylinder about the z axis of a marker, seen from outside or inside (a bore); its ends are not there.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
    radius : float
        [length], positive.
    inside : bool, default False
        Whether what touches it is in the bore.

    Notes
    -----
    Partners: `Sphere`, `Vertex`, `Tube`, `Skin`. In planar models a circle, whose marker has z along the inertial z; a
    pin with clearance in its hole is a `Sphere` in such a bore.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.contact.Cylinder(fx.ground.marker((0, 0, 0), axis=(1, 0, 0)), radius=0.5, inside=True).inside
    True
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    radius: float = field(kw_only=True)
    inside: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        object.__setattr__(self, "radius", as_number(owner, "radius", self.radius, above=0.0, unit="length"))
        as_flag(owner, "inside", self.inside)

    @property
    def round(self) -> bool:
        """Yes."""
        return True

    @property
    def fits_all(self) -> bool:
        """Not in a bore."""
        return not self.inside

    @property
    def substitutes(self) -> str:
        """Its rims."""
        return "a Rim at each end of the Cylinder"

    def clearance(self, x: FloatArray) -> FloatArray:
        """Distances from its surface."""
        away = np.hypot(x[:, 0], x[:, 1]) - self.radius
        return -away if self.inside else away

    def outline(self, near: FloatArray) -> FloatArray:
        """Circles beside the points, and lines along it."""
        low, high = float(near[:, 2].min()), float(near[:, 2].max())
        circles = [self.radius * CIRCLE + (0.0, 0.0, z) for z in np.unique(np.linspace(low, high, GRID).round(12))]
        lines = [np.array(((*x[:2], low), (*x[:2], high), GAP)) for x in circles[0][:-1:8]]
        return np.concatenate(circles + lines)

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls and points; in a bore they must be smaller than it."""
        if self.inside and other.ball_radius is not None and other.ball_radius >= self.radius:
            raise ModelError(f"{self}: {other} of radius {other.ball_radius:g} does not fit into {self.radius:g}.")
        return round_rows(self, other, CYLINDER_GAP, CYLINDER_SLIP, (self.radius, -1.0 if self.inside else 1.0))
