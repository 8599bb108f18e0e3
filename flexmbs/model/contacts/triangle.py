"""Shape of contacts: a triangle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_number
from flexmbs.core.errors import ModelError
from flexmbs.kernels.rows.triangle_rows import TRIANGLE_GAP, TRIANGLE_SLIP
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.contacts.shapes import Shape, ShapeRows, SharpEdges, placed, rows_with

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = ["Triangle"]

THIN = 1e-9
"""Height over the longest edge below which the corners are on a line."""


@dataclass(frozen=True, eq=False)
class Triangle(Shape):
    r"""A triangle, such as a ramp or a plate with edges, which what comes from either side touches.

    With the radius :math:`\rho` it is all that is within :math:`\rho` of it, so that the gap to a ball of radius r is
    the distance of its centre from the triangle less :math:`\rho + r`; the normal is along the line from the nearest
    point of the face, an edge or a corner.

    Parameters
    ----------
    marker : Marker
        In whose axes the corners are given. Afterwards that at the first corner, with x to the second one, and z
        along x cross the way to the third one.
    corners : (3, 3) array
        [length]; afterwards in the axes of the marker that it has then.
    radius : float, default 0
        Half its thickness [length]; with 0 it is thin.

    Raises
    ------
    ModelError
        If the corners are on a line, or the place is a node of a flexible body, which carries no other points.

    Notes
    -----
    Partners: `Sphere`; of one with a radius also `Vertex`. What has gone through it with its centre is pushed on to the
    other side: the depth has to stay below the radii together. Triangles are bodies of their own: over an edge that two
    of them share a ball touches both, with the forces of both, so that they do not make a smooth surface.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ramp = fx.contact.Triangle(fx.ground.marker((0, 0, 0)), corners=((0, 0, 0), (1, 0, 0), (0, 1, 0.5)))
    >>> [round(x, 6) for x in ramp.numbers]
    [1.0, 0.0, 1.118034]
    """

    marker: Any  # a Marker once made; given as one, or a body
    corners: Any = field(kw_only=True)
    radius: float = field(default=0.0, kw_only=True)
    numbers: tuple[float, float, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        at = self.marker
        if at.point is None:
            raise ModelError(f"{owner}: a node has no other points; give the triangle on a rigid body or the ground.")
        object.__setattr__(self, "radius", as_number(owner, "radius", self.radius, minimum=0.0, unit="length"))
        corners = as_array(owner, "corners", self.corners, (3, 3))
        first, way = corners[1] - corners[0], corners[2] - corners[0]
        longest = max(float(np.linalg.norm(x)) for x in (first, way, way - first))
        length = float(np.linalg.norm(first))
        normal = np.cross(first, way)
        if not float(np.linalg.norm(normal)) > THIN * longest * longest:
            raise ModelError(f"{owner}: its corners {corners.tolist()} are on a line; give three that span a face.")
        x, z = first / length, normal / np.linalg.norm(normal)
        axes = np.column_stack((x, np.cross(z, x), z))
        numbers = length, float(way @ axes[:, 0]), float(way @ axes[:, 1])
        object.__setattr__(self, "numbers", numbers)
        # in the axes of the new marker, so that the same triangle comes from what it has now
        object.__setattr__(self, "corners", ((0.0, 0.0, 0.0), (length, 0.0, 0.0), (*numbers[1:], 0.0)))
        object.__setattr__(self, "marker", Marker(at.body, at.point + at.frame @ corners[0], at.frame @ axes))

    @property
    def reach(self) -> float:
        """From its first corner to the farther one of the others, with the radius."""
        length, u, v = self.numbers
        return max(length, float(np.hypot(u, v))) + self.radius

    @property
    def edges(self) -> SharpEdges:
        """Its three edges, thin."""
        corners = np.array(self.corners)
        ends = np.stack((corners, np.roll(corners, -1, axis=0)), axis=1)
        across = np.cross((0.0, 0.0, 1.0), ends[:, 1] - ends[:, 0])
        return SharpEdges(ends, np.zeros(3), across / np.linalg.norm(across, axis=1)[:, None])

    def outline(self, near: FloatArray) -> FloatArray:
        """Its edges."""
        return np.array([*self.corners, self.corners[0]])

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls; points meet a thick one only."""
        ball = other.ball_radius
        if ball is None or (ball == 0.0 and self.radius == 0.0):
            return None
        return rows_with(self, other, TRIANGLE_GAP, TRIANGLE_SLIP, (*self.numbers, ball))._replace(offset=self.radius)
