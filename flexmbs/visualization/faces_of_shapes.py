"""Triangles for what has edges or a centre line alone: wireframes, bars, coils, marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError

from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["Faces", "bar", "box_faces", "coil", "faces_of_edges", "mark", "ring_faces", "together", "tube"]

SIDES = 8
"""Of tubes that stand for lines."""
ROUND = 32
"""Points of an outline from which on it may be a sphere, and the meridians of that."""
COILS, PER_COIL = 8, 12


class Faces(NamedTuple):
    """Points (n, 3) [length] and triangles (m, 3) between them."""

    points: FloatArray
    triangles: IntArray


def together(parts: Sequence[Faces]) -> Faces:
    """Several as one."""
    starts = np.cumsum([0, *(len(part.points) for part in parts)])[:-1]
    points = np.vstack([np.zeros((0, 3)), *(part.points for part in parts)])
    triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True)]
    return Faces(points, np.vstack([np.zeros((0, 3), dtype=np.int64), *triangles]))


def ring_faces(rings: int, sides: int) -> IntArray:
    """Triangles of a tube of rings with so many points each, closed at both ends by fans."""
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(sides), indexing="ij")
    a, b = i * sides + j, i * sides + (j + 1) % sides
    walls = np.concatenate((np.stack((a, b, b + sides), axis=-1), np.stack((a, b + sides, a + sides), axis=-1)))
    fan = np.column_stack((np.zeros(sides - 2), np.arange(2, sides), np.arange(1, sides - 1)))
    ends = np.vstack((fan, fan[:, [0, 2, 1]] + (rings - 1) * sides))
    return np.vstack((walls.reshape(-1, 3), ends)).astype(np.int64)


def tube(line: FloatArray, radius: float, sides: int = SIDES) -> Faces:
    """A tube about a line of points (n, 3) of which neighbours differ."""
    tangent = np.gradient(line, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    across = np.cross(tangent, np.eye(3)[np.argmin(np.abs(tangent).max(axis=0))])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    angle = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    second = np.cross(tangent, across)
    rings = across[:, None] * np.cos(angle)[:, None] + second[:, None] * np.sin(angle)[:, None]
    return Faces((line[:, None] + radius * rings).reshape(-1, 3), ring_faces(len(line), sides))


def bar(radius: float) -> Faces:
    """A round bar of unit length from the origin along x."""
    return tube(np.array([[0.0, 0, 0], [1.0, 0, 0]]), radius)


def coil(radius: float) -> Faces:
    """A coil of unit length from the origin along x; ``radius`` is that of the coil."""
    x = np.concatenate(([0.0], np.linspace(0.1, 0.9, COILS * PER_COIL + 1), [1.0]))
    angle = 2.0 * np.pi * COILS * np.clip((x - 0.1) / 0.8, 0.0, 1.0)
    wide = radius * np.clip(np.minimum(angle, angle[-1] - angle) / np.pi, 0.0, 1.0)
    return tube(np.column_stack((x, wide * np.cos(angle), wide * np.sin(angle))), 0.18 * radius, 6)


def box_faces(corners: FloatArray) -> Faces:
    """A box by its corners (8, 3), of which z changes first, then y."""
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [part for a, b, c, d in sides for part in ((a, b, c), (a, c, d))]
    return Faces(np.asarray(corners, dtype=np.float64), np.array(triangles, dtype=np.int64))


def mark(radius: float) -> Faces:
    """An octahedron about the origin."""
    points = radius * np.vstack((np.eye(3), -np.eye(3)))
    upper = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2)]
    return Faces(points, np.array(upper + [(b, a, 5) for a, b, _ in upper], dtype=np.int64))


def faces_of_edges(points: FloatArray, edges: IntArray, radius: float) -> Faces:
    """Faces of a wireframe: closed convex outlines are filled, all other edges become bars.

    An outline that hangs together is filled where all its edges lie on its convex hull and nothing else of the shape
    lies inside; one of arcs that are all equally far from its middle, such as three great circles, is a sphere.
    """
    if not len(edges):
        return together([])
    size = float(np.abs(points).max()) or 1.0
    _, first, same = np.unique(np.round(points / (1e-9 * size)), axis=0, return_index=True, return_inverse=True)
    points, edges = points[first], same.ravel()[edges]  # outlines that touch hang together
    pairs = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(points), len(points)))
    label = connected_components(pairs, directed=False)[1]
    parts: list[Faces] = []
    for number in np.unique(label[edges[:, 0]]):
        own = edges[label[edges[:, 0]] == number]
        used = np.unique(own)
        others = points[np.setdiff1d(np.unique(edges), used)]
        filled = _filled(points[used], np.searchsorted(used, own), others)
        if filled is None:
            lengths = np.linalg.norm(points[own[:, 1]] - points[own[:, 0]], axis=1)
            parts += [tube(points[edge], radius) for edge in own[lengths > 0.0]]
        else:
            parts.append(filled)
    return together(parts)


def _filled(points: FloatArray, edges: IntArray, others: FloatArray) -> Faces | None:
    """The convex hull of an outline, or the sphere through it; None if it is not filled."""
    centre = points.mean(axis=0)
    distance = np.linalg.norm(points - centre, axis=1)
    size = float(distance.max())
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):  # flat, or a line
        return None
    normals, offsets = hull.equations[:, :3], hull.equations[:, 3]
    depth = (points[edges].mean(axis=1) @ normals.T + offsets).max(axis=1)
    middle = np.linalg.norm(points[edges].mean(axis=1) - centre, axis=1)
    if len(points) >= ROUND and np.ptp(distance) < 1e-6 * size and middle.min() > 0.9 * size:
        return _sphere(centre, size)
    if (depth < -1e-6 * size).any():
        return None
    if len(others) and ((others @ normals.T + offsets).max(axis=1) < -1e-6 * size).any():
        return None
    triangles = hull.simplices.astype(np.int64)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0.0
    triangles[inward] = triangles[inward][:, [0, 2, 1]]
    return Faces(points, triangles)


def _sphere(centre: FloatArray, radius: float) -> Faces:
    """Meridians and circles."""
    polar = np.linspace(0.0, np.pi, ROUND // 2 + 1)[1:-1]
    angle = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)
    rings = np.stack(
        (
            np.sin(polar)[:, None] * np.cos(angle),
            np.sin(polar)[:, None] * np.sin(angle),
            np.broadcast_to(np.cos(polar)[:, None], (len(polar), ROUND)),
        ),
        axis=-1,
    )
    return Faces(centre + radius * rings.reshape(-1, 3), ring_faces(len(polar), ROUND)[:, [0, 2, 1]])
