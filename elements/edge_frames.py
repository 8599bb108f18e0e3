"""Frames of nodes along the edges of the mesh, so that supports of edges hold slopes along them."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, SurfaceShape
from flexmbs.meshes.surface import surface_edges

__all__ = ["edge_frames"]

ONE_LINE = 0.7
"""Cosine between edges at a node from which they are one line, whose direction is the mean of theirs."""
STEEP = 0.1
"""Part of an edge across the normal of its node below which it gives no tangent: at a branch it may be the normal."""


def edge_frames(shape: SurfaceShape) -> FloatArray:
    """Frames (n_nodes, 3, 3) with the normals of ``shape`` and a tangent along an edge of the mesh.

    At borders that is an edge of the border, elsewhere, and where borders meet at a corner, the first one in the order
    of the cells. Of the four tangents along and across it the first is the one nearest to that of ``shape``: but for
    quarters of a turn frames do not depend on the axis of the section. Edges along the normal do not count; nodes
    without others have the frames of ``shape``.
    """
    if not len(shape.cells):
        return shape.frames
    edges = surface_edges(shape.cells)
    node, other = edges.nodes.T.ravel(), edges.nodes[:, ::-1].T.ravel()
    cell, border = np.tile(edges.cells[:, 0], 2), np.tile(edges.shares == 1, 2)
    normal = shape.frames[:, :, 2]
    chord = shape.points[other] - shape.points[node]
    length = np.linalg.norm(chord, axis=1)
    chord -= (chord * normal[node]).sum(axis=1, keepdims=True) * normal[node]
    across = np.linalg.norm(chord, axis=1)
    first = np.lexsort((other, cell, ~border, node))
    first = first[across[first] > STEEP * length[first]]
    node, border, chord = node[first], border[first], chord[first] / across[first, None]
    present, at = np.unique(node, return_index=True)
    leading = np.zeros(len(shape.points), dtype=np.int64)
    leading[present] = at
    leading = leading[node]
    cosine = (chord * chord[leading]).sum(axis=1)
    line = (np.abs(cosine) > ONE_LINE) & (border == border[leading])
    mean = np.zeros_like(normal)
    np.add.at(mean, node[line], np.sign(cosine[line])[:, None] * chord[line])
    mean[present] /= np.linalg.norm(mean[present], axis=1, keepdims=True)
    aside = np.cross(normal, mean)
    tangent = shape.frames[:, :, 0]
    along, beside = (tangent * mean).sum(axis=1), (tangent * aside).sum(axis=1)
    quarter = np.abs(beside) > np.abs(along)
    t1 = np.where(quarter[:, None], np.sign(beside)[:, None] * aside, np.sign(along)[:, None] * mean)
    frames = np.stack((t1, np.cross(normal, t1), normal), axis=2)
    alone = np.setdiff1d(np.arange(len(normal)), present)
    frames[alone] = shape.frames[alone]
    return np.asarray(frames)
