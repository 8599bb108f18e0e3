"""Triangles of a surface that go through each other: edges of one that pierce another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["crossing_triangles"]

CLEAR = 1e-6
"""Part of the size of triangles by which an edge must go through: what only touches does not cross."""
CHUNK = 100_000
"""Pairs of triangles that are looked at together."""


def crossing_triangles(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs (k, 2) of triangles without a common corner of which one has an edge that goes through the other.

    Faces and edges that only touch do not count.

    Parameters
    ----------
    points : (n_p, 3) array
    triangles : (m, 3) array of int

    Examples
    --------
    >>> points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, -1), (0.2, 0.2, 1), (0.9, 0.9, 2.0)])
    >>> crossing_triangles(points, np.array([(0, 1, 2), (3, 4, 5)])).tolist()
    [[0, 1]]
    """
    corners = points[triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    found = [np.empty((0, 2), dtype=np.int64)]
    for i, k in _near(corners):
        meet = ((low[i] <= high[k]) & (high[i] >= low[k])).all(axis=1)
        i, k = i[meet], k[meet]
        apart = (triangles[i][:, :, None] != triangles[k][:, None, :]).all(axis=(1, 2))
        i, k = i[apart], k[apart]
        if len(i):
            through = _pierces(corners[i], corners[k]) | _pierces(corners[k], corners[i])
            found.append(np.sort(np.column_stack((i[through], k[through])), axis=1))
    return np.unique(np.concatenate(found), axis=0)


def _near(corners: NDArray[np.float64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs of triangles whose balls meet, in chunks: of classes by size, each asks the larger ones around it.

    So a large triangle does not ask for all small ones near its ball, most of which are far from its face.
    """
    from scipy.spatial import cKDTree  # slow to import, seldom needed

    middle = corners.mean(axis=1)
    radius = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    size = np.frexp(radius)[1]  # 2^(size - 1) <= radius < 2^size
    for large in np.unique(size):
        inside = np.flatnonzero(size == large)
        tree, most = cKDTree(middle[inside]), float(radius[inside].max())
        asking = np.flatnonzero(size <= large)
        for start in range(0, len(asking), CHUNK // 10):
            some = asking[start : start + CHUNK // 10]
            lists = tree.query_ball_point(middle[some], radius[some] + most)
            i = np.repeat(some, [len(one) for one in lists])
            k = inside[np.concatenate(lists).astype(np.int64)]
            other = (size[i] < size[k]) | (i < k)  # of one size each pair once
            i, k = i[other], k[other]
            for part in range(0, len(i), CHUNK):
                yield i[part : part + CHUNK], k[part : part + CHUNK]


def _pierces(edges: NDArray[np.float64], faces: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether an edge of triangles (m, 3, 3) goes through the inside of others (m, 3, 3)."""
    a, b, c = faces.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    span = np.linalg.norm(np.ptp(np.concatenate((edges, faces), axis=1), axis=1), axis=1)
    height = np.einsum("mki,mi->mk", edges - a[:, None], normal)
    clear = CLEAR * area * span
    out = np.zeros(len(edges), dtype=bool)
    for first, last in ((0, 1), (1, 2), (2, 0)):
        h0, h1 = height[:, first], height[:, last]
        opposite = (np.minimum(h0, h1) < -clear) & (np.maximum(h0, h1) > clear)
        x0, x1 = edges[opposite, first], edges[opposite, last]
        t = h0[opposite] / (h0 - h1)[opposite]
        place = x0 + t[:, None] * (x1 - x0)
        n, scale = normal[opposite], area[opposite] ** 2
        parts = [
            np.einsum("mi,mi->m", np.cross(q - p, place - p), n) / scale
            for p, q in ((a[opposite], b[opposite]), (b[opposite], c[opposite]), (c[opposite], a[opposite]))
        ]
        out[opposite] |= np.min(parts, axis=0) > CLEAR
    return out
