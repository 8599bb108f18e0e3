"""Shapes of contacts: a solid within a closed surface of triangles, and the convex hull of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull as Hull
from scipy.spatial import QhullError

from flexmbs.core.checks import as_array, as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.kernels.rows.mesh_rows import MESH_GAP, MESH_SLIP
from flexmbs.meshes.read import read_mesh
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.contacts.shapes import GAP, Shape, ShapeRows, Vertex, placed, rows_with

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["ConvexHull", "TriangleMesh"]

LEAF = 4
"""Faces in a leaf of the tree of boxes, at most."""
THIN = 1e-9
"""Height over the longest edge below which the corners of a triangle are on a line."""
BENT = 1e-6
"""Angle between two faces from which their edge is one."""
LINES = 4000
"""Edges by which it is shown, at most."""


class _Edges(NamedTuple):
    """Of each edge: ``ends (n, 2)``, ``faces (n, 2)``; ``angle (n,)`` between their normals, below 0 in a notch."""

    ends: IntArray
    faces: IntArray
    angle: FloatArray


class _Solid(Shape):
    """What both shapes here have in common; ``vertices (n, 3)`` and ``triangles (m, 3)`` in the axes of the marker."""

    vertices: Any
    triangles: Any

    @property
    def substitutes(self) -> str:
        """Its corners."""
        return f"{type(self).__name__}.corners"

    @property
    def fits_all(self) -> bool:
        """Whether it is convex."""
        return self.convex

    @cached_property
    def _corners_of_faces(self) -> FloatArray:
        return np.asarray(self.vertices[self.triangles])

    @cached_property
    def _normals(self) -> FloatArray:
        a, b, c = self._corners_of_faces.transpose(1, 0, 2)
        area = np.cross(b - a, c - a)
        return np.asarray(area / np.linalg.norm(area, axis=1)[:, None])

    @cached_property
    def _edges(self) -> _Edges:
        """All edges; every one of the closed surface has two faces, in opposite directions."""
        t = self.triangles
        directed = np.concatenate((t[:, (0, 1)], t[:, (1, 2)], t[:, (2, 0)]))
        face = np.tile(np.arange(len(t)), 3)
        order = np.lexsort(np.sort(directed, axis=1).T)
        first, second = order[::2], order[1::2]
        faces = np.column_stack((face[first], face[second]))
        n, m = self._normals[faces[:, 0]], self._normals[faces[:, 1]]
        ends = directed[first]
        e = self.vertices[ends[:, 1]] - self.vertices[ends[:, 0]]
        side = np.einsum("ij,ij->i", np.cross(n, m), e)  # along the edge of the first face where it is a ridge
        angle = np.arctan2(np.linalg.norm(np.cross(n, m), axis=1), np.einsum("ij,ij->i", n, m))
        return _Edges(ends, faces, np.where(side >= 0.0, angle, -angle))

    @cached_property
    def _parts(self) -> int:
        """How many surfaces there are that do not touch each other."""
        i, k = self._edges.faces.T
        n = len(self.triangles)
        return int(connected_components(coo_array((np.ones(len(i)), (i, k)), shape=(n, n)), directed=False)[0])

    @property
    def convex(self) -> bool:
        """Whether it is one piece without notches, which a ball touches at one place."""
        return self._parts == 1 and bool(self._edges.angle.min() > -BENT)

    @property
    def volume(self) -> float:
        """[length^3]."""
        a, b, c = self._corners_of_faces.transpose(1, 0, 2)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)

    @property
    def corners(self) -> tuple[Vertex, ...]:
        """A point at each vertex that sticks out; a node of a flexible body carries none."""
        at = self.marker
        if at.point is None:
            raise ModelError(f"{self}: a node has no corners; give them on a rigid body.")
        out = np.unique(self._edges.ends[self._edges.angle > BENT])
        return tuple(Vertex(Marker(at.body, at.point + at.frame @ self.vertices[k], at.frame)) for k in out)

    @property
    def reach(self) -> float:
        """Distance of its farthest vertex."""
        return float(np.linalg.norm(self.vertices, axis=1).max())

    @cached_property
    def table(self) -> tuple[float, ...]:
        """What `flexmbs.kernels.triangle_meshes` reads, once for all that touches."""
        corners, normals = self._corners_of_faces, self._normals
        depth = max(0, int(np.ceil(np.log2(len(corners) / LEAF))))
        order, starts = _leaves(corners.mean(axis=1), depth)
        boxes = _boxes(corners[order], starts, depth)
        at_vertices = np.zeros((len(self.vertices), 3))
        edges = np.roll(corners, -1, axis=1) - corners
        long = edges / np.linalg.norm(edges, axis=2)[:, :, None]
        angles = np.arccos(np.clip(-np.einsum("ijk,ijk->ij", long, np.roll(long, 1, axis=1)), -1.0, 1.0))
        for k in range(3):
            np.add.at(at_vertices, self.triangles[:, k], angles[:, k : k + 1] * normals)
        at_edges = np.zeros((len(corners), 3, 3))
        both = normals[self._edges.faces].sum(axis=1)
        for f, start in zip(self._edges.faces.T, self._edges.ends.T, strict=True):  # the second has it the other way
            at_edges[f, (self.triangles[f] == start[:, None]).argmax(axis=1)] = both
        around = at_vertices[self.triangles]
        faces = np.concatenate([x.reshape(len(corners), -1) for x in (corners, normals, at_edges, around)], axis=1)
        return (float(depth), *starts.tolist(), *boxes.ravel().tolist(), *faces[order].ravel().tolist())

    def table_for(self, other: Shape, radius: float) -> tuple[float, ...]:
        """What the kernels read, if nothing can touch it at two places."""
        if radius > 0.0 and not self.convex:
            where = "it has several pieces"
            if self._parts == 1:
                worst = int(self._edges.angle.argmin())
                ends = self.vertices[self._edges.ends[worst]]
                place = ", ".join(f"{x:.4g}" for x in ends.mean(axis=0))
                where = f"at ({place}) it has a notch of {np.degrees(-self._edges.angle[worst]):.3g} degrees"
            raise ModelError(
                f"{self}: it is not convex, {where}: {other} of radius {radius:.4g} would touch it at two places, of "
                f"which one is seen. Give it as several convex solids, each a shape on the same body, a smooth hollow "
                f"as a HeightField or the inside of a Cylinder; points (Vertex) may touch it as it is."
            )
        return self.table

    def outline(self, near: FloatArray) -> FloatArray:
        """Its edges."""
        edges = self._edges
        bent = np.abs(edges.angle) > BENT
        ends = edges.ends[bent][:: max(1, int(bent.sum()) // LINES)]
        lines = np.stack((self.vertices[ends[:, 0]], self.vertices[ends[:, 1]], np.tile(GAP, (len(ends), 1))), axis=1)
        return np.asarray(lines.reshape(-1, 3))

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls and points."""
        ball = other.ball_radius
        if ball is None:
            return None
        if self.marker.planar and other.marker.planar:
            raise ModelError(f"{self}: a solid of triangles is not for planar models; take a Box or a HeightField.")
        return rows_with(self, other, MESH_GAP, MESH_SLIP, (0.0, 0.0, 0.0, ball))


@dataclass(frozen=True, eq=False)
class TriangleMesh(_Solid):
    r"""The solid within a closed surface of triangles.

    The gap to a ball is the signed distance of its centre from the surface, negative inside, less its radius; the
    normal is along the line from the nearest place, on a face, an edge or a vertex, and within the solid that of the
    nearest face. Over edges about which the surface is flat there is no jump.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
        In whose axes the vertices are given.
    vertices : (n, 3) array
        [length]. Equal ones are one, as STL files have them.
    triangles : (m, 3) array of int
        Numbers of vertices, from 0, counter-clockwise from outside.

    Raises
    ------
    ModelError
        If the surface is open, inside out, or not one sheet (an edge with three faces); if a triangle has no area, or
        names a vertex that is not there; of a ball or a tube, if the solid is not convex: it would touch at two places,
        of which one is seen; in a planar model.

    Notes
    -----
    Partners: `Sphere`, `Vertex`, `Tube`, `Skin`. On a `Plane`, and against another mesh, give its corners,
    `TriangleMesh.corners`: edges that cross each other, with no corner in either solid, go through each other. The
    normal turns at once where a point within it comes nearer to another face, which costs steps. That the surface does
    not cross itself is not checked. One search takes 0.2 microseconds among
    12 triangles, 0.9 among 2 000, and 3 among 30 000.

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

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        vertices = as_array(owner, "vertices", self.vertices, (None, 3), unit="length")
        triangles = _numbers(owner, self.triangles, len(vertices))
        vertices, number = np.unique(vertices + 0.0, axis=0, return_inverse=True)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", number.reshape(-1)[triangles])
        self._check(owner)

    @classmethod
    def read(cls, marker: Any, path: str | PathLike[str], *, scale: float = 1.0) -> TriangleMesh:
        """The triangles of a file (STL, OBJ, PLY, ...; `flexmbs.read_mesh`), whose numbers times ``scale`` are lengths.

        Raises
        ------
        ReadError
            If the file cannot be read.
        ModelError
            If it has no triangles, or they are refused.
        """
        factor = as_number("TriangleMesh.read", "scale", scale, above=0.0)
        mesh = read_mesh(path, dim=3)
        blocks = [block.nodes for block in mesh.cells if block.cell_type == "triangle"]
        if not blocks:
            raise ModelError(f"TriangleMesh: {path} has no triangles, but {mesh!r}.")
        return cls(marker, vertices=factor * mesh.points, triangles=np.concatenate(blocks))

    def _check(self, owner: str) -> None:
        """Refuse what is no closed surface that points outwards."""
        t, corners = self.triangles, self._corners_of_faces
        edges = np.roll(corners, -1, axis=1) - corners
        longest = np.linalg.norm(edges, axis=2).max(axis=1)
        area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
        thin = np.flatnonzero(area <= THIN * longest**2)
        if len(thin):
            raise ModelError(
                f"{owner}: triangle {thin[0]} has no area; its corners are {show(corners[thin[0]].tolist())}. Leave "
                f"such triangles out, and join what they leave open."
            )
        directed = np.concatenate((t[:, (0, 1)], t[:, (1, 2)], t[:, (2, 0)]))
        face = np.tile(np.arange(len(t)), 3)
        ends, place, count = np.unique(np.sort(directed, axis=1), axis=0, return_inverse=True, return_counts=True)
        wrong = np.flatnonzero(count != 2)
        if len(wrong):
            n, at = int(count[wrong[0]]), self.vertices[ends[wrong[0]]].tolist()
            what = "the surface is open: one triangle" if n == 1 else f"the surface is no sheet: {n} triangles"
            raise ModelError(
                f"{owner}: {what} at the edge from {show(at[0])} to {show(at[1])}, of {len(wrong)} such edges. A "
                f"solid needs a closed surface; ground is given as a HeightField, and a plate by its two sides."
            )
        turns = np.bincount(place.reshape(-1), weights=np.where(directed[:, 0] < directed[:, 1], 1.0, -1.0))
        against = np.flatnonzero(turns != 0.0)
        if len(against):
            pair = face[np.flatnonzero(place.reshape(-1) == against[0])]
            raise ModelError(
                f"{owner}: triangles {pair[0]} and {pair[1]} are turned against each other: one of them is clockwise "
                f"from outside. Reverse the order of its vertices."
            )
        if self.volume <= 0.0:
            raise ModelError(
                f"{owner}: the surface is inside out; its volume would be {self.volume:.4g}. Reverse the order of the "
                f"vertices of all triangles: triangles[:, ::-1]."
            )


@dataclass(frozen=True, eq=False)
class ConvexHull(_Solid):
    """The smallest convex solid that holds points, as a `TriangleMesh`.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
        In whose axes the points are given.
    points : (n, 3) array
        Four or more, not in a plane [length].

    Raises
    ------
    ModelError
        If there are too few points, or they lie in a plane; in a planar model.

    Notes
    -----
    Partners: as of `TriangleMesh`. The hull is that of Qhull (SciPy).

    Examples
    --------
    >>> import flexmbs as fx
    >>> stone = fx.contact.ConvexHull(fx.ground.marker((0, 0, 0)), points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> len(stone.triangles), round(stone.volume, 9)
    (4, 0.166666667)
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    points: Any = field(kw_only=True)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        points = as_array(owner, "points", self.points, (None, 3), unit="length")
        object.__setattr__(self, "points", points)
        flat = len(points) < 4
        if not flat:
            size = float(np.ptp(points, axis=0).max())
            flat = np.linalg.matrix_rank(points - points.mean(axis=0), tol=THIN * max(size, 1e-300)) < 3
        if flat:
            raise ModelError(
                f"{owner}: a solid needs four points or more that are not in a plane; there are {len(points)}."
            )
        self._made  # noqa: B018  # refused now, if Qhull fails

    @cached_property
    def _made(self) -> tuple[FloatArray, IntArray, FloatArray]:
        """Vertices, triangles and their normals."""
        try:
            hull = Hull(self.points)
        except QhullError as error:
            raise ModelError(f"{self}: Qhull finds no hull of its points: {str(error).splitlines()[0]}") from error
        t = hull.simplices.astype(np.int64)
        a, b, c = self.points[t].transpose(1, 0, 2)
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
        t[inward] = t[inward][:, ::-1]
        used, number = np.unique(t, return_inverse=True)
        return self.points[used], number.reshape(t.shape), hull.equations[:, :3].copy()

    @property
    def vertices(self) -> FloatArray:
        """(n, 3) [length]."""
        return self._made[0]

    @property
    def triangles(self) -> IntArray:
        """(m, 3), counter-clockwise from outside."""
        return self._made[1]

    @cached_property
    def _normals(self) -> FloatArray:
        """Those of Qhull, which slivers have, too."""
        return self._made[2]

    @property
    def convex(self) -> bool:
        """It is, whatever round-off says."""
        return True


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


def _leaves(centres: FloatArray, depth: int) -> tuple[IntArray, IntArray]:
    """An order of faces in which leaves are runs, and where these begin (2^depth + 1,), by halves."""
    order = np.arange(len(centres))
    parts = [order]
    for _ in range(depth):
        halves: list[IntArray] = []
        for part in parts:
            axis = int(np.ptp(centres[part], axis=0).argmax()) if len(part) else 0
            middle = (len(part) + 1) // 2
            by = part[np.argsort(centres[part, axis], kind="stable")]
            halves += [by[:middle], by[middle:]]
        parts = halves
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])


def _boxes(corners: FloatArray, starts: Sequence[int] | IntArray, depth: int) -> FloatArray:
    """Lowest and highest corners (2^(depth + 1) - 1, 6) of all boxes of the tree."""
    leaves = 1 << depth
    boxes = np.empty((2 * leaves - 1, 6))
    for k in range(leaves):
        inside = corners[starts[k] : starts[k + 1]].reshape(-1, 3)
        boxes[leaves - 1 + k] = (
            (*inside.min(axis=0), *inside.max(axis=0)) if len(inside) else (*[np.inf] * 3, *[-np.inf] * 3)
        )
    for i in range(leaves - 2, -1, -1):
        left, right = boxes[2 * i + 1], boxes[2 * i + 2]
        boxes[i] = (*np.minimum(left[:3], right[:3]), *np.maximum(left[3:], right[3:]))
    return boxes
