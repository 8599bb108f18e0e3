"""Shape of contacts: a solid within a closed surface of triangles."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from flexmbs.core.checks import as_array, as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.kernels.rows.mesh_rows import MESH_GAP, MESH_SLIP
from flexmbs.meshes.read import read_mesh
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.contacts.closed_surface import BENT, ClosedSurface
from flexmbs.model.contacts.shapes import GAP, Shape, ShapeRows, SharpEdges, Vertex, placed, rows_with

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["TriangleMesh"]

FLAT = 1e-9
"""Height over the size of points below which they are in a plane."""
LINES = 4000
"""Edges by which it is shown, at most."""


@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    r"""The solid within a closed surface of triangles.

    The gap to a ball is the signed distance of its centre from the surface, negative inside, less its radius; the
    normal is along the line from the nearest place, on a face, an edge or a vertex, and within the solid that of the
    nearest face. Over edges about which the surface is flat there is no jump.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
        In whose axes the vertices are given.
    vertices : (n, 3) array
        [length]. Equal ones are one, as STL files have them; afterwards sorted, with triangles that count so.
    triangles : (m, 3) array of int
        Numbers of vertices, from 0, counter-clockwise from outside.

    Raises
    ------
    ModelError
        If the surface, or a piece of it that is no cavity, is open, inside out, or not one sheet (an edge with three
        faces, two parts that touch at a vertex); if a piece is within another one; if a triangle has no area, or names
        a vertex that is not there; of a ball or a tube, if the solid is not convex, by notches of more than 1e-4 rad:
        it would touch at two places, of which one is seen; in a planar model.

    Notes
    -----
    Partners: `Sphere`, `Vertex`, `Tube`, `Skin`. On a `Plane`, and against another mesh, give its corners,
    `TriangleMesh.corners`: edges that cross each other, with no corner in either solid, go through each other. The
    normal turns at once where a point within it comes nearer to another face, which costs steps. Where the faces of two
    solids on one body go on in a plane, a ball on the seam touches both, and feels the forces of both. A
    surface that goes through itself is told by a warning.

    Examples
    --------
    A wedge:

    >>> import flexmbs as fx
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    >>> wedge = fx.contact.TriangleMesh(fx.ground.marker((0, 0, 0)), vertices=corners, triangles=faces)
    >>> round(wedge.volume, 9), wedge.convex, len(wedge.corners)
    (0.166666667, True, 4)
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    vertices: Any = field(kw_only=True)
    triangles: Any = field(kw_only=True)
    surface: ClosedSurface = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        vertices = as_array(owner, "vertices", self.vertices, (None, 3), unit="length")
        triangles = _numbers(owner, self.triangles, len(vertices))
        surface = ClosedSurface(owner, vertices, triangles)
        for name, value in (("vertices", surface.vertices), ("triangles", surface.triangles), ("surface", surface)):
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, marker: Any, path: str | PathLike[str], *, scale: float = 1.0) -> TriangleMesh:
        """The triangles of a file.

        Parameters
        ----------
        marker
            As above.
        path : path-like
            STL, OBJ, PLY, or another file that `flexmbs.meshes.read_mesh` reads.
        scale : float, default 1
            Length of its unit, positive: 1e-3 of a file in millimetres, for lengths in metres.

        Raises
        ------
        ReadError
            If the file cannot be read.
        ModelError
            If it has no triangles, or other faces beside them, or they are refused.
        """
        factor = as_number("TriangleMesh.read", "scale", scale, above=0.0)
        mesh = read_mesh(path, dim=3)
        faces = [block for block in mesh.cells if not block.cell_type.startswith(("line", "vertex"))]
        if {block.cell_type for block in faces} != {"triangle"}:
            raise ModelError(f"TriangleMesh: {path} must have triangles and no other faces, but it is a {mesh!r}.")
        return cls(marker, vertices=factor * mesh.points, triangles=np.concatenate([block.nodes for block in faces]))

    @classmethod
    def hull(cls, marker: Any, points: Any) -> TriangleMesh:
        """The smallest convex solid that holds points (n, 3), four or more that are not in a plane [length].

        Raises
        ------
        ModelError
            If they are in a plane.

        Examples
        --------
        >>> import flexmbs as fx
        >>> points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)]
        >>> len(fx.contact.TriangleMesh.hull(fx.ground.marker((0, 0, 0)), points).vertices)
        4
        """
        owner = "TriangleMesh.hull"
        points = as_array(owner, "points", points, (None, 3), unit="length")
        flat = len(points) < 4
        if not flat:
            size = float(np.ptp(points, axis=0).max())
            flat = size == 0.0 or np.linalg.matrix_rank(points - points.mean(axis=0), tol=FLAT * size) < 3
        if flat:
            raise ModelError(f"{owner}: a solid needs four points that are not in a plane; {len(points)} are given.")
        try:
            found = ConvexHull(points)
        except QhullError as error:
            raise ModelError(f"{owner}: Qhull finds none: {str(error).splitlines()[0]}") from error
        t = found.simplices.astype(np.int64)
        a, b, c = points[t].transpose(1, 0, 2)
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
        t[inward] = t[inward][:, ::-1]
        used, number = np.unique(t, return_inverse=True)
        return cls(marker, vertices=points[used], triangles=number.reshape(t.shape))

    @property
    def substitutes(self) -> str:
        """Its corners."""
        return "TriangleMesh.corners"

    @property
    def fits_all(self) -> bool:
        """Whether it is convex."""
        return self.convex

    @property
    def convex(self) -> bool:
        """Whether it is one piece without notches, which a ball touches at one place."""
        return self.surface.convex

    @property
    def volume(self) -> float:
        """[length^3]."""
        return self.surface.volume

    def mass_properties(self, density: float) -> tuple[float, FloatArray, FloatArray]:
        """Mass, centre of mass (3,), and inertia (3, 3) about it, in the axes of the marker; for `flexmbs.RigidBody`.

        Parameters
        ----------
        density : float
            [mass/length^3], positive.

        Examples
        --------
        A stone whose body begins where its centre of mass is:

        >>> import numpy as np
        >>> import flexmbs as fx
        >>> points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
        >>> hull = fx.contact.TriangleMesh.hull(fx.ground.marker((0, 0, 0)), points)
        >>> mass, centre, inertia = hull.mass_properties(density=6.0)
        >>> stone = fx.RigidBody(mass, inertia, position=centre, name="stone")
        >>> shape = fx.contact.TriangleMesh.hull(stone.centre, points - centre)
        >>> round(mass, 9), centre.round(9).tolist(), round(float(inertia[0, 0]), 9)
        (1.0, [0.25, 0.25, 0.25], 0.075)
        """
        rho = as_number(str(self), "density", density, above=0.0, unit="mass/length^3")
        centre, about = self.surface.inertia
        return rho * self.volume, centre, rho * (np.trace(about) * np.eye(3) - about)

    @property
    def corners(self) -> tuple[Vertex, ...]:
        """A point at each vertex that sticks out; a node of a flexible body carries none."""
        at = self.marker
        if at.point is None:
            raise ModelError(f"{self}: a node has no corners; give them on a rigid body.")
        out = np.unique(self.surface.edges.ends[self.surface.edges.angle > BENT])
        return tuple(Vertex(Marker(at.body, at.point + at.frame @ self.vertices[k], at.frame)) for k in out)

    @property
    def reach(self) -> float:
        """Distance of its farthest vertex."""
        return float(np.linalg.norm(self.vertices, axis=1).max())

    def table_for(self, other: Shape, radius: float) -> tuple[float, ...]:
        """What the kernels read, if nothing can touch it at two places."""
        if radius > 0.0 and not self.convex:
            where = "it has several pieces"
            if not self.surface.piece.any():
                worst = int(self.surface.edges.angle.argmin())
                ends = self.vertices[self.surface.edges.ends[worst]]
                place = ", ".join(f"{x:.4g}" for x in ends.mean(axis=0))
                where = f"at ({place}) it has a notch of {np.degrees(-self.surface.edges.angle[worst]):.3g} degrees"
            raise ModelError(
                f"{self}: it is not convex, {where}: {other} of radius {radius:.4g} would touch it at two places, of "
                f"which one is seen. Give it as several convex solids, each a shape on the same body, a smooth hollow "
                f"as a HeightField or the inside of a Cylinder; points (Vertex) may touch it as it is."
            )
        return self.surface.table

    @property
    def edges(self) -> SharpEdges:
        """Those about which the surface is not flat."""
        edges = self.surface.edges
        bent = np.abs(edges.angle) > BENT
        out = self.surface.normals[edges.faces[bent]].sum(axis=1)
        inwards = -out / np.linalg.norm(out, axis=1)[:, None]
        return SharpEdges(self.vertices[edges.ends[bent]], np.pi - edges.angle[bent], inwards)

    def outline(self, near: FloatArray) -> FloatArray:
        """Its edges."""
        ends = self.edges.ends
        ends = ends[:: max(1, len(ends) // LINES)]
        return np.concatenate((ends, np.tile(GAP, (len(ends), 1, 1))), axis=1).reshape(-1, 3)

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls and points."""
        ball = other.ball_radius
        if ball is None:
            return None
        if self.marker.planar and other.marker.planar:
            raise ModelError(f"{self}: a solid of triangles is not for planar models; take a Box or a HeightField.")
        return rows_with(self, other, MESH_GAP, MESH_SLIP, (0.0, 0.0, 0.0, ball))


def _numbers(owner: str, given: Any, count: int) -> IntArray:
    """Numbers of vertices (m, 3), checked."""
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.zeros(0)
    if found.ndim != 2 or found.shape[1] != 3 or found.dtype.kind not in "iu" or len(found) < 4:
        raise ModelError(f"{owner}: triangles must be four or more rows of three whole numbers, not {show(given)}.")
    wrong = np.flatnonzero(((found < 0) | (found >= count)).any(axis=1))
    if len(wrong):
        raise ModelError(
            f"{owner}: triangle {wrong[0]} is {found[wrong[0]].tolist()}, but there are the vertices 0 to {count - 1}."
        )
    return found.astype(np.int64)
