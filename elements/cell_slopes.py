r"""Slope discontinuities: stress-free slopes of cells, and their components in the frames of the nodes.

Two cells that meet at an angle have different tangents along a common node, so that their slopes cannot be nodal
coordinates. Those are the derivatives :math:`d_j = r_{,X_j}` of the position by the axes :math:`f_j` of one frame per
node (Mikkola and Shabana's body parameterisation). With the stress-free tangents :math:`t_i` of a cell at a corner its
own slopes are

.. math:: r_{,i} = \sum_j \frac{\partial X_j}{\partial x_i}\,d_j = \sum_j (t_i\cdot f_j)\,d_j ,

constant in time. In the stress-free shape d_j = f_j, and the slopes are the t_i. A smooth surface is no special case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, SurfaceShape
from flexmbs.meshes.surface import KINK, corner_normals

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FOLD", "corner_slopes", "folds", "in_frames", "turned"]

EDGES = np.array([[0, 1], [3, 2], [0, 3], [1, 2]])
"""Edges of a cell: two along x, two along y, each in the direction of its parameter."""
ALONG = np.array([[0, 2], [0, 3], [1, 3], [1, 2]])
"""Edges along x and along y that meet at a corner."""
FOLD = 10.0
"""Length, in thicknesses, of a plate or beam whose shear stiffness holds the angle between slopes at a kink.

There the slope along one cell is the slope across another, on which its bending moment acts. The shears of the cells
alone resist over a part of their length, so that the kink would give way, the more the finer the mesh is.
"""
SAME = 1e-3
"""Share of a second eigenvalue above which normals at an edge span a plane."""


def corner_slopes(owner: str, shape: SurfaceShape) -> FloatArray:
    """Stress-free slopes (n_e, 4, 3, 3) at the corners: rows are by x and by y, both in [0, 1], and the unit normal.

    An edge leaves a node in the direction of its chord within the tangent planes of all cells that share it, with the
    length of the circle that does so; where these planes differ, it runs along their intersection.
    """
    cells = shape.cells
    normals = _cell_normals(owner, shape)
    ends = cells[:, EDGES]  # (n_e, 4, 2)
    unique, which = np.unique(np.sort(ends.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    which = which.reshape(len(cells), 4)
    tensor = np.zeros((len(unique), 2, 3, 3))
    later = (ends[..., 0] > ends[..., 1]).astype(np.int64)  # which end of the sorted edge the first node is
    for side in range(2):
        n = normals[:, EDGES[:, side]]
        np.add.at(tensor, (which, later ^ side), n[..., :, None] * n[..., None, :])
    chord = shape.points[unique[:, 1]] - shape.points[unique[:, 0]]
    leaving = _leaving(tensor, chord)
    length = np.linalg.norm(chord, axis=1)
    cosine = np.clip((leaving * chord[:, None]).sum(axis=2) / length[:, None], -1.0, 1.0)
    length = length / np.sinc(np.arccos(cosine) / np.pi).mean(axis=1)
    slopes = np.empty((len(cells), 4, 3, 3))
    for corner in range(4):
        for k, edge in enumerate(ALONG[corner]):
            side = int(EDGES[edge, 1] == corner)
            flip = later[:, edge]
            at = leaving[which[:, edge], flip ^ side]
            slopes[:, corner, k] = np.where(flip, -1.0, 1.0)[:, None] * length[which[:, edge], None] * at
    slopes[:, :, 2] = normals
    return slopes


def folds(shape: SurfaceShape) -> NDArray[np.bool_]:
    """Which edges (n_e, 4) of the cells, in the order of `EDGES`, are folds: cells at an angle, or more than two."""
    cells, points = shape.cells, shape.points
    ends = cells[:, EDGES]
    _, which = np.unique(np.sort(ends.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    which = which.reshape(len(cells), 4)
    edge = points[ends[..., 1]] - points[ends[..., 0]]
    edge /= np.linalg.norm(edge, axis=2, keepdims=True)
    inward = points[cells].mean(axis=1)[:, None] - points[ends[..., 0]]
    inward -= (inward * edge).sum(axis=2, keepdims=True) * edge
    inward /= np.linalg.norm(inward, axis=2, keepdims=True)
    n = int(which.max(initial=-1)) + 1
    total = np.zeros((n, 3))
    np.add.at(total, which, inward)
    count = np.bincount(which.ravel(), minlength=n)
    turned_by = np.linalg.norm(total, axis=1) > 2.0 * np.sin(0.5 * np.radians(KINK))
    return np.asarray(((count > 2) | ((count == 2) & turned_by))[which])


def in_frames(slopes: FloatArray, frames: FloatArray) -> FloatArray:
    """Components (n_e, n, 3, 3) of slopes (rows) in frames (n_e, n, 3, 3), whose columns are axes: rows slopes."""
    return np.ascontiguousarray(np.einsum("enic,encj->enij", slopes, frames))


def turned(functions: FloatArray, slopes: FloatArray) -> FloatArray:
    """Functions (n_e or 1, ..., 4 n) of the slopes of cells of n nodes as those of the nodal coordinates: F T.

    Each node has r, r_x, r_y, r_z in this order; ``slopes (n_e, n, 3, 3)`` are those of `in_frames`.
    """
    F = np.broadcast_to(functions, (len(slopes), *functions.shape[1:]))
    found = F.copy()
    for n in range(slopes.shape[1]):
        own = slice(4 * n + 1, 4 * n + 4)
        found[..., own] = np.einsum("e...i,eij->e...j", F[..., own], slopes[:, n])
    return found


def _leaving(tensor: FloatArray, chord: FloatArray) -> FloatArray:
    """Unit directions (n, 2, 3) of edges at their ends, nearest to the chord (n, 3) and normal to all normals."""
    values, vectors = np.linalg.eigh(tensor)  # ascending
    c = np.repeat(chord[:, None], 2, axis=1)
    share = np.einsum("nsck,nsc->nsk", vectors, c)
    share[..., 2] = 0.0
    share[..., 1] *= values[..., 1] <= SAME * values[..., 2]
    found = np.einsum("nsck,nsk->nsc", vectors, share)
    size = np.linalg.norm(found, axis=2, keepdims=True)
    length = np.linalg.norm(c, axis=2, keepdims=True)
    lost = size < 0.1 * length
    return np.asarray(np.where(lost, c / length, found / np.where(lost, 1.0, size)))


def _cell_normals(owner: str, shape: SurfaceShape) -> FloatArray:
    """Unit normals (n_e, 4, 3) of the cells at their corners.

    Cells alike at a node have one. That of the node's frame is taken inside of a smooth surface, and where it is not
    the mean of the cells, but was given. At borders and kinks it is that of a neighbour with more cells, mirrored at
    the middle of the chord, which is exact on cylinders and spheres.
    """
    cells, points = shape.cells, shape.points
    facets = corner_normals(owner, points, cells)
    label = _alike(shape)
    n = int(label.max(initial=-1)) + 1
    first = np.zeros((n, 3))
    first[label.ravel()[::-1]] = facets.reshape(-1, 3)[::-1]
    sign = np.sign((facets * first[label]).sum(axis=2))[..., None]
    mean = _means(label, sign * _corner_angles(points[cells])[..., None] * facets, n)
    kinked = np.zeros(len(points), dtype=bool)
    kinked[shape.kinks] = True
    given = shape.frames[cells, :, 2]
    given *= np.sign((given * first[label]).sum(axis=2))[..., None]
    known = ~kinked[cells] & ((np.linalg.norm(given - mean[label], axis=2) > 1e-9) | _inside(cells, len(points)))
    mean[label[known]] = given[known]
    count = np.bincount(label.ravel(), minlength=n)
    whole = np.zeros(n, dtype=bool)
    whole[label[known]] = True
    for take, give in ((~whole & (count > 1), whole), (~whole & (count == 1), whole | (count > 1))):
        found = np.zeros((*cells.shape, 3))
        for step in (-1, 1):
            chord = np.roll(points[cells], step, axis=1) - points[cells]
            chord /= np.linalg.norm(chord, axis=2, keepdims=True)
            other = np.roll(label, step, axis=1)
            normal = np.roll(sign, step, axis=1) * mean[other]
            mirrored = normal - 2.0 * (normal * chord).sum(axis=2, keepdims=True) * chord
            found += np.where((take[label] & give[other])[..., None], mirrored, 0.0)
        better = _means(label, sign * found, n)
        use = np.linalg.norm(better, axis=1) > 0.5
        mean[use] = better[use]
    return np.asarray(sign * mean[label])


def _inside(cells: IntArray, n_points: int) -> NDArray[np.bool_]:
    """Corners (n_e, 4) at nodes that have cells all around them: as many edges as cells."""
    edges = np.unique(np.sort(np.stack((cells, np.roll(cells, -1, axis=1)), axis=2).reshape(-1, 2), axis=1), axis=0)
    closed = np.bincount(edges.ravel(), minlength=n_points) == np.bincount(cells.ravel(), minlength=n_points)
    return np.asarray(closed[cells])


def _corner_angles(x: FloatArray) -> FloatArray:
    """Angles (n_e, 4) of the corners of cells x (n_e, 4, 3)."""
    ahead, behind = np.roll(x, -1, axis=1) - x, np.roll(x, 1, axis=1) - x
    size = np.linalg.norm(ahead, axis=2) * np.linalg.norm(behind, axis=2)
    return np.asarray(np.arccos(np.clip((ahead * behind).sum(axis=2) / size, -1.0, 1.0)))


def _means(label: IntArray, vectors: FloatArray, n: int) -> FloatArray:
    """Directions (n, 3) of the sums of vectors with one label; zero where all are."""
    total = np.zeros((n, 3))
    np.add.at(total, label, vectors)
    size = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(np.divide(total, size, out=np.zeros_like(total), where=size > 0.0))


def _alike(shape: SurfaceShape) -> IntArray:
    """Labels (n_e, 4): corners at a node whose cells have one normal; at kinks those that go on over their edges."""
    cells = shape.cells
    label = cells.copy()
    nodes = cells.ravel()
    order = np.argsort(nodes, kind="stable")
    bounds = (np.searchsorted(nodes[order], shape.kinks, side=side) for side in ("left", "right"))
    sides = np.stack((np.roll(cells, -1, axis=1), np.roll(cells, 1, axis=1)), axis=2).reshape(-1, 2)
    new = len(shape.points)
    for start, end, node in zip(*bounds, shape.kinks, strict=True):
        todo = list(order[start:end])
        while todo:
            group = [todo.pop(0)]
            for member in group:  # grows while it is gone through
                near = [c for c in todo if _goes_on(shape.points, node, sides[member], sides[c])]
                group += near
                todo = [c for c in todo if c not in near]
            label.ravel()[group] = new
            new += 1
    return label


def _goes_on(points: FloatArray, node: int, one: IntArray, other: IntArray) -> bool:
    """Whether two cells at a node share an edge, and go on over it by less than `KINK`, whatever their orientation.

    ``one`` and ``other`` are the neighbours of the node in the cells.
    """
    for a, c in ((one[0], one[1]), (one[1], one[0])):
        if a in other:
            edge, d = points[a] - points[node], other[0] if other[1] == a else other[1]
            across = [
                v - (v @ edge) / (edge @ edge) * edge for v in (points[c] - points[node], points[d] - points[node])
            ]
            size = np.linalg.norm(across[0]) * np.linalg.norm(across[1])
            if across[0] @ across[1] < -np.cos(np.radians(KINK)) * size:
                return True
    return False
