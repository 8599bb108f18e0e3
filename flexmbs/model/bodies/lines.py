"""Bodies of lines: their cells, tangents and stress-free nodal coordinates."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import Element, FloatArray, IntArray
from flexmbs.core.errors import MeshError
from flexmbs.core.nodes import gradient, is_oriented
from flexmbs.core.section_axes import refuse_twisted, section_axes
from flexmbs.meshes import Mesh
from flexmbs.meshes.block import CellBlock

__all__ = ["halves", "kinked_reference", "line_cells", "line_reference"]

SHARPEST = 45.0
"""Degrees between neighbouring cells up to which a line without given tangents counts as smooth."""


def line_cells(owner: str, mesh: Mesh, cells: IntArray) -> IntArray:
    """The cells as they are; refuses those whose nodes coincide, or whose middle node is far from the middle."""
    parts = halves(cells)
    lengths = np.linalg.norm(mesh.points[parts[:, 1]] - mesh.points[parts[:, 0]], axis=1)
    size = float(np.ptp(mesh.points, axis=0).max())
    short = np.flatnonzero(lengths <= 1e-12 * size)
    if len(short):
        raise MeshError(
            f"{owner}: the nodes of element {int(short[0]) % len(cells)} coincide at "
            f"{mesh.points[parts[short[0], 0]].tolist()}; merge them or remove the element."
        )
    if cells.shape[1] == 3:
        start, end, middle = mesh.points[cells.T]
        share = ((middle - start) * (end - start)).sum(axis=1) / ((end - start) ** 2).sum(axis=1)
        off = np.flatnonzero(np.abs(share - 0.5) >= 0.25)
        if len(off):
            raise MeshError(
                f"{owner}: the middle node of element {int(off[0])} is at {share[off[0]]:.3g} of its chord; "
                f"outside of 0.25 to 0.75 the element folds. Are its nodes in the order start, end, middle?"
            )
    return cells


def line_reference(owner: str, mesh: Mesh, element: Element, cells: IntArray) -> FloatArray:
    """Nodal coordinates (n_nodes, n) of the stress-free shape of a body of lines."""
    points, layout = mesh.points, element.layout
    oriented, sections = is_oriented(layout)
    along = tangents(owner, mesh, halves(cells)) if oriented else np.zeros_like(points)
    if "up" in mesh.point_data and not sections and element.layout.rotation and element.layout.dim == 3:
        raise MeshError(
            f"{owner}: the mesh has point data 'up', but {type(element).__name__} has sections along its own direction "
            f"up, the same for all elements; give {type(element).__name__}(up=...), with a body for each direction, or "
            f"an element whose nodes have sections, such as ANCFBeam or GeometricallyExactBeam."
        )
    if sections and "up" in mesh.point_data:
        reference = section_axes(owner, layout, points, along, mesh.point_data["up"])
    else:
        reference = element.reference(points, along)
    refuse_twisted(owner, layout, reference, halves(cells))
    return reference


def kinked_reference(owner: str, mesh: Mesh, element: Element, cells: IntArray) -> tuple[FloatArray, FloatArray]:
    """Nodal coordinates of a line that may have corners and branches, and slopes (n_e, 2, 3, 3) of the cells.

    The line is cut where it is not smooth. Each part has a stress-free shape of its own, which tells the slopes of its
    cells (rows r_x, r_y, r_z); the node has those of the first cell that meets it.
    """
    cut, origin = _cut(mesh, cells)
    points = mesh.points[origin]
    parts = Mesh(
        points, (CellBlock("line", cut),), point_data={k: np.asarray(v)[origin] for k, v in mesh.point_data.items()}
    )
    found = line_reference(owner, parts, element, cut)
    slopes = found[cut][..., list(gradient(element.layout))]
    return found[: mesh.n_points], np.ascontiguousarray(slopes.reshape(len(cells), 2, 3, 3))


def _cut(mesh: Mesh, cells: IntArray) -> tuple[IntArray, IntArray]:
    """Cells with nodes of their own at corners, branches and where they run against each other; the points of those."""
    n = mesh.n_points
    ends, starts = np.bincount(cells[:, 1], minlength=n), np.bincount(cells[:, 0], minlength=n)
    sharp = (ends > 1) | (starts > 1)
    if "tangent" not in mesh.point_data:
        chord = mesh.points[cells[:, 1]] - mesh.points[cells[:, 0]]
        chord /= np.linalg.norm(chord, axis=1, keepdims=True)
        before, after = np.zeros((n, 3)), np.zeros((n, 3))
        before[cells[:, 1]], after[cells[:, 0]] = chord, chord
        cosine = (before * after).sum(axis=1)
        sharp |= (ends == 1) & (starts == 1) & (cosine < np.cos(np.radians(SHARPEST)))
    own = sharp[cells].ravel()
    cut = cells.copy().ravel()
    first = np.unique(cut[own], return_index=True)[1]
    again = np.flatnonzero(own)
    again = np.setdiff1d(again, again[first])
    origin = np.concatenate((np.arange(n), cut[again]))
    cut[again] = n + np.arange(len(again))
    return cut.reshape(cells.shape), origin


def halves(cells: IntArray) -> IntArray:
    """Cells of two nodes as they are; those of three (start, end, middle) as first halves, then second ones."""
    if cells.shape[1] == 2:
        return cells
    return np.vstack((cells[:, [0, 2]], cells[:, [2, 1]]))


def tangents(owner: str, mesh: Mesh, cells: IntArray) -> FloatArray:
    """Unit tangents at the points, given or estimated; refuses branches, opposed cells and corners."""
    count = np.bincount(cells.ravel(), minlength=mesh.n_points)
    if (count > 2).any():
        raise MeshError(
            f"{owner}: {int(count.max())} elements meet at point {int(np.argmax(count))}. An element with slopes needs "
            f"smooth lines without branches: make one body of each branch and join them with Hinge, or use a beam "
            f"element with rotations."
        )
    ends, starts = np.bincount(cells[:, 1], minlength=mesh.n_points), np.bincount(cells[:, 0], minlength=mesh.n_points)
    clash = np.flatnonzero((ends > 1) | (starts > 1))
    if len(clash):
        raise MeshError(
            f"{owner}: the elements at point {int(clash[0])} run against each other; number the nodes of all "
            f"elements in one direction along the line."
        )
    if "tangent" in mesh.point_data:
        given = np.asarray(mesh.point_data["tangent"], dtype=float)
        size = np.linalg.norm(given, axis=1)
        if given.shape != mesh.points.shape or not np.allclose(size, 1.0, atol=1e-6):
            raise MeshError(f"{owner}: point data 'tangent' must hold a unit vector for every point.")
        return np.asarray(given / size[:, None])
    chord = mesh.points[cells[:, 1]] - mesh.points[cells[:, 0]]
    length = np.linalg.norm(chord, axis=1)
    unit = chord / length[:, None]
    before, after = np.full(mesh.n_points, -1), np.full(mesh.n_points, -1)
    before[cells[:, 1]] = np.arange(len(cells))
    after[cells[:, 0]] = np.arange(len(cells))
    inner = np.flatnonzero((before >= 0) & (after >= 0))
    i, j = before[inner], after[inner]
    bend = np.degrees(np.arccos(np.clip((unit[i] * unit[j]).sum(axis=1), -1.0, 1.0)))
    if len(inner) and bend.max() > SHARPEST:
        corner = int(inner[np.argmax(bend)])
        raise MeshError(
            f"{owner}: the line turns by {bend.max():.0f} degrees at point {corner} "
            f"{mesh.points[corner].tolist()}. An element with slopes needs a smooth line: make one body of each side "
            f"and join them with Hinge, give point data 'tangent', refine, or use a beam element with rotations."
        )
    tangent = np.zeros_like(mesh.points)
    # The circle through three points has at the middle one the chords' directions weighted by the other's length.
    tangent[inner] = unit[i] * length[j][:, None] + unit[j] * length[i][:, None]
    for side, other in ((after, cells[:, 1]), (before, cells[:, 0])):
        free = np.flatnonzero((side >= 0) & ((before < 0) | (after < 0)))
        cell = side[free]
        inside = tangent[other[cell]]
        size = np.linalg.norm(inside, axis=1, keepdims=True)
        t = np.divide(inside, size, out=unit[cell].copy(), where=size > 0)
        # At an end: the tangent of the neighbour mirrored at the normal plane of the chord, exact for a circle.
        tangent[free] = 2.0 * (t * unit[cell]).sum(axis=1, keepdims=True) * unit[cell] - t
    return np.asarray(tangent / np.linalg.norm(tangent, axis=1, keepdims=True))
