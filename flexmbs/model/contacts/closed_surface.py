"""Closed surfaces of triangles, with the tables that `flexmbs.kernels.triangle_meshes` reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from flexmbs.core.checks import show, warn_user
from flexmbs.core.errors import ModelError
from flexmbs.meshes.crossing import crossing_triangles

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["BENT", "ClosedSurface", "check_pieces", "pieces_of"]

LEAF = 4
"""Faces in a leaf of the tree of boxes, at most."""
THIN = 1e-9
"""Height over the longest edge below which the corners of a triangle are on a line."""
BENT = 1e-6
"""Angle between two faces from which their edge is one."""
NOTCH = 1e-4
"""Angle up to which an edge that goes inwards is none: the numbers of STL files have seven digits."""
TOUCHING = 1e-3
"""Part of a full solid angle by which a point that is not on a surface may seem to be."""
FOLDED = 1e-9
"""Less than half a turn between two faces by so little, they lie on each other."""


class Edges(NamedTuple):
    """Of each edge: ``ends (n, 2)``, ``faces (n, 2)``; ``angle (n,)`` between their normals, below 0 in a notch."""

    ends: IntArray
    faces: IntArray
    angle: FloatArray


class ClosedSurface:
    """A surface of ``triangles (m, 3)``, counter-clockwise from outside, of ``vertices (n, 3)``; equal ones become one.

    Raises
    ------
    ModelError
        If it is open, inside out, or no sheet, if a piece lies within another one or touches it, or if a triangle has
        no area; ``owner`` is whose it is, in words.

    Warns
    -----
    RuntimeWarning
        If it goes through itself.
    """

    def __init__(self, owner: str, vertices: FloatArray, triangles: IntArray) -> None:
        self.vertices, number = np.unique(vertices + 0.0, axis=0, return_inverse=True)
        self.triangles: IntArray = number.reshape(-1)[triangles]
        self._check_sheet(owner)
        check_pieces(owner, self.corners, self.piece, lambda corners: corners[0, :1])
        self._say_crossing(owner)

    @cached_property
    def corners(self) -> FloatArray:
        """Of all triangles (m, 3, 3)."""
        return np.asarray(self.vertices[self.triangles])

    @cached_property
    def normals(self) -> FloatArray:
        """Of all triangles (m, 3), outwards."""
        a, b, c = self.corners.transpose(1, 0, 2)
        area = np.cross(b - a, c - a)
        return np.asarray(area / np.linalg.norm(area, axis=1)[:, None])

    @cached_property
    def edges(self) -> Edges:
        """All edges; every one of the closed surface has two faces, in opposite directions."""
        t = self.triangles
        directed = np.concatenate((t[:, (0, 1)], t[:, (1, 2)], t[:, (2, 0)]))
        face = np.tile(np.arange(len(t)), 3)
        order = np.lexsort(np.sort(directed, axis=1).T)
        first, second = order[::2], order[1::2]
        faces = np.column_stack((face[first], face[second]))
        n, m = self.normals[faces[:, 0]], self.normals[faces[:, 1]]
        ends = directed[first]
        e = self.vertices[ends[:, 1]] - self.vertices[ends[:, 0]]
        side = np.einsum("ij,ij->i", np.cross(n, m), e)  # along the edge of the first face where it is a ridge
        angle = np.arctan2(np.linalg.norm(np.cross(n, m), axis=1), np.einsum("ij,ij->i", n, m))
        return Edges(ends, faces, np.where(side >= 0.0, angle, -angle))

    @cached_property
    def piece(self) -> IntArray:
        """Of each triangle (m,) the number of the surface it belongs to, of those that have no edge in common."""
        return pieces_of(self.edges.faces, len(self.triangles))

    @property
    def convex(self) -> bool:
        """Whether it is one piece without notches, which a ball touches at one place."""
        return not self.piece.any() and bool(self.edges.angle.min() > -NOTCH)

    @cached_property
    def middle(self) -> FloatArray:
        """Mean (3,) of the corners of all triangles: integrals about it do not cancel where the solid is far away."""
        return np.asarray(self.corners.mean(axis=(0, 1)))

    @cached_property
    def sizes(self) -> FloatArray:
        """Six times the volumes (m,) of the tetrahedra from the middle to all triangles."""
        a, b, c = (self.corners - self.middle).transpose(1, 0, 2)
        return np.asarray(np.einsum("ij,ij->i", a, np.cross(b, c)))

    @property
    def volume(self) -> float:
        """[length^3]."""
        return float(self.sizes.sum() / 6.0)

    @property
    def inertia(self) -> tuple[FloatArray, FloatArray]:
        """Centre (3,), and the integral (3, 3) of x x^T about it, over the solid."""
        own, volume = self.corners - self.middle, self.volume
        total = own.sum(axis=1)
        centre = self.sizes @ total / (24.0 * volume)
        second = np.einsum("i,ijk,ijl->kl", self.sizes, own, own) + np.einsum("i,ik,il->kl", self.sizes, total, total)
        return self.middle + centre, np.asarray(second / 120.0 - volume * np.outer(centre, centre))

    @cached_property
    def table(self) -> tuple[float, ...]:
        """What `flexmbs.kernels.triangle_meshes` reads, once for all that touches."""
        corners, normals = self.corners, self.normals
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
        bent = np.abs(self.edges.angle) > BENT
        both = np.where(bent[:, None], normals[self.edges.faces].sum(axis=1), 0.0)
        round_vertices = np.zeros(len(self.vertices), dtype=bool)
        round_vertices[self.edges.ends[bent]] = True
        at_vertices[~round_vertices] = 0.0
        for f, start in zip(self.edges.faces.T, self.edges.ends.T, strict=True):  # the second has it the other way
            at_edges[f, (self.triangles[f] == start[:, None]).argmax(axis=1)] = both
        around = at_vertices[self.triangles]
        faces = np.concatenate([x.reshape(len(corners), -1) for x in (corners, normals, at_edges, around)], axis=1)
        return (float(depth), *starts.tolist(), *boxes.ravel().tolist(), *faces[order].ravel().tolist())

    def _check_sheet(self, owner: str) -> None:
        """Refuse what is not closed, or no sheet."""
        t, corners = self.triangles, self.corners
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
        folded = np.flatnonzero(np.abs(self.edges.angle) > np.pi - FOLDED)
        if len(folded):
            i, k = self.edges.faces[folded[0]]
            raise ModelError(f"{owner}: triangles {i} and {k} lie on each other, with nothing between them.")
        vertex = self._pinched()
        if vertex is not None:
            raise ModelError(
                f"{owner}: at the vertex {show(self.vertices[vertex].tolist())} two parts of the surface touch that "
                f"have no edge in common there. Give them as solids of their own, or join them."
            )

    def _say_crossing(self, owner: str) -> None:
        """Warn of triangles that go through each other."""
        crossing = crossing_triangles(self.vertices, self.triangles)
        if len(crossing):
            i, k = crossing[0].tolist()
            place = show(self.corners[i].mean(axis=0).round(6).tolist())
            warn_user(
                f"{owner}: the surface goes through itself: {len(crossing)} pairs of triangles cross, the first are "
                f"{i} and {k}, near {place}. What comes near the faces that lie within the solid there is pushed to "
                f"where they point; join the parts to one surface (union).",
                RuntimeWarning,
            )

    def _pinched(self) -> int | None:
        """A vertex whose faces are no single fan about it."""
        t, (ends, faces, _) = self.triangles, self.edges
        sides = [[3 * f + (t[f] == v[:, None]).argmax(axis=1) for v in ends.T] for f in faces.T]
        i, k = (np.concatenate(side) for side in sides)  # corners of faces that an edge joins
        fan = _together(i, k, t.size)
        vertex = np.full(int(fan.max()) + 1, -1)
        vertex[fan] = t.ravel()
        used, count = np.unique(vertex, return_counts=True)
        return int(used[count > 1][0]) if (count > 1).any() else None


def pieces_of(neighbours: IntArray, n: int) -> IntArray:
    """Of each of n triangles the number of the surface it belongs to; pairs (k, 2) have an edge in common."""
    return _together(neighbours[:, 0], neighbours[:, 1], n)


def check_pieces(owner: str, corners: FloatArray, piece: IntArray, probe: Callable[[FloatArray], FloatArray]) -> None:
    """Refuse pieces that are inside out, but for cavities, and those that are within each other.

    ``corners (m, 3, 3)`` of the triangles of closed surfaces, each of the ``piece (m,)``; ``probe`` gives the places
    (k, 3) of a piece with these corners at which is counted how often the others surround it.
    """
    boxes = [
        (corners[piece == n].min(axis=(0, 1)), corners[piece == n].max(axis=(0, 1))) for n in range(piece.max() + 1)
    ]
    low, high = (np.array(side) for side in zip(*boxes, strict=True))
    for n in range(len(boxes)):
        own = corners[piece == n]
        first = own[0, 0]
        name = f"the piece with a vertex at {show(first.tolist())}"
        a, b, c = (own - own.mean(axis=(0, 1))).transpose(1, 0, 2)
        size = float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0
        near = (low <= high[n]).all(axis=1) & (high >= low[n]).all(axis=1)  # others do not surround any place of it
        near[n] = False
        others = corners[near[piece]]
        for place in probe(own) if len(others) else own[0, :1]:
            turns = _turns(others - place)
            around = round(turns)
            if abs(turns - around) > TOUCHING:
                raise ModelError(
                    f"{owner}: {name} touches another one there; give them as solids of their own, or as one surface."
                )
            if size <= 0.0 and around == 0:
                which = "the surface" if len(boxes) == 1 else name
                raise ModelError(
                    f"{owner}: {which} is inside out; its volume would be {size:.4g}. Reverse the order of the "
                    f"vertices of its triangles, as triangles[:, ::-1]."
                )
            if around != (0 if size > 0.0 else 1):
                raise ModelError(f"{owner}: {name} lies within another one; leave it out.")


def _together(i: IntArray, k: IntArray, n: int) -> IntArray:
    """Numbers (n,) of the groups of items that pairs i, k join."""
    joined = coo_array((np.ones(len(i)), (i, k)), shape=(n, n))
    return np.asarray(connected_components(joined, directed=False)[1])


def _turns(corners: FloatArray) -> float:
    """How often triangles (m, 3, 3) surround the origin, by their solid angles (Van Oosterom and Strackee, 1983)."""
    a, b, c = corners.transpose(1, 0, 2)
    x, y, z = (np.linalg.norm(p, axis=1) for p in (a, b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
    size = np.einsum("ij,ij->i", a, np.cross(b, c))
    return float(np.arctan2(size, x * y * z + ab * z + bc * x + ca * y).sum() / (2.0 * np.pi))


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
