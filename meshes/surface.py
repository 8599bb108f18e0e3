"""Surfaces: how their cells meet; of quadrilaterals which side is up, and a frame at every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from flexmbs.core.errors import MeshError
from flexmbs.meshes.block import CellBlock
from flexmbs.meshes.mesh import Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "KINK", "SurfaceEdges", "common_edges", "corner_normals", "node_frames", "oriented", "surface_edges",
    "tangents_along",
]  # fmt: skip

KINK = 45.0
"""Degrees between the normals of neighbouring cells from which their common nodes count as a kink."""
PARALLEL = 1e-6
"""Sine of the angle to the normal below which an axis has no projection on the surface."""
FLAT = 1e-9
"""Area at a corner over the square of the longest side below which a cell is degenerate."""


class SurfaceEdges(NamedTuple):
    """The edges of a surface.

    ``nodes (n, 2)``: each edge once, the lower number first; ``cells (n, 2)``: two cells that share it (-1: none);
    ``shares (n,)``: number of cells; ``same (n,)``: whether both cells run along it in one direction, so that their
    normals point to different sides.
    """

    nodes: NDArray[np.int64]
    cells: NDArray[np.int64]
    shares: NDArray[np.int64]
    same: NDArray[np.bool_]


def surface_edges(cells: NDArray[np.int64]) -> SurfaceEdges:
    """The edges of cells ``(n_e, k)`` with k corners, in the order around them."""
    ways = np.column_stack((cells.ravel(), np.roll(cells, -1, axis=1).ravel()))
    return common_edges(ways, np.repeat(np.arange(len(cells)), cells.shape[1]))


def common_edges(ways: NDArray[np.int64], owner: NDArray[np.int64]) -> SurfaceEdges:
    """The edges that cells ``owner (m,)``, of any kinds, pass from node to node: ``ways (m, 2)``."""
    starts, ends = ways.T
    pairs = np.sort(ways, axis=1)
    nodes, which = np.unique(pairs, axis=0, return_inverse=True)
    which = which.ravel()
    count = np.bincount(which, minlength=len(nodes))
    order = np.argsort(which, kind="stable")
    first = np.concatenate(([0], np.cumsum(count)[:-1]))
    forward = starts < ends
    a = order[first]
    b = np.where(count > 1, order[np.minimum(first + 1, len(order) - 1)], a)
    both = np.where(count > 1, owner[b], -1)
    return SurfaceEdges(nodes, np.column_stack((owner[a], both)), count, (count == 2) & (forward[a] == forward[b]))


def corner_normals(owner: str, points: NDArray[np.float64], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Unit normals (n_e, 4, 3) at the corners of the cells; refuses cells that are degenerate or folded.

    Raises
    ------
    MeshError
        If a cell has no area at a corner, or its corners look to opposite sides: inverted, twisted or crossed.
    """
    x = points[cells]
    ahead, behind = np.roll(x, -1, axis=1) - x, np.roll(x, 1, axis=1) - x
    areas = np.cross(ahead, behind)
    size = np.linalg.norm(areas, axis=2)
    longest = np.linalg.norm(ahead, axis=2).max(axis=1, keepdims=True)
    bad = np.argwhere(size <= FLAT * longest**2)
    if len(bad):
        e, i = bad[0]
        raise MeshError(
            f"{owner}: cell {e} has no area at its corner {i}, point {cells[e, i]} {points[cells[e, i]].tolist()}: two "
            f"of its sides are parallel or of length zero there. Remove or merge it."
        )
    normals = areas / size[..., None]
    mean = normals.sum(axis=1)
    down = np.argwhere((normals * mean[:, None]).sum(axis=2) <= 0.1 * np.linalg.norm(mean, axis=1)[:, None])
    if len(down):
        e, i = down[0]
        raise MeshError(
            f"{owner}: cell {e} with the points {cells[e].tolist()} is folded: its normal at point {cells[e, i]} "
            f"points away from that of the others. Number its corners around the cell, or mesh it anew."
        )
    return np.asarray(normals)


def tangents_along(normals: NDArray[np.float64], axis: tuple[float, float, float]) -> NDArray[np.float64]:
    """Unit tangents (..., 3): projections of ``axis`` on the planes of ``normals``, of another axis if it has none.

    Where the axis is along the normal, the next of the inertial axes in turn takes its place.
    """
    found = np.zeros_like(normals)
    todo = np.ones(normals.shape[:-1], dtype=bool)
    given = np.array(axis)
    for candidate in (given, np.roll(given, 1), np.eye(3)[0], np.eye(3)[1]):
        across = candidate - (normals @ candidate)[..., None] * normals
        size = np.linalg.norm(across, axis=-1)
        use = todo & (size > PARALLEL)
        found[use] = across[use] / size[use, None]
        todo &= ~use
    return found


def node_frames(
    owner: str, mesh: Mesh, cells: NDArray[np.int64], axis: tuple[float, float, float]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Frames (n_nodes, 3, 3) of the nodes, columns two tangents and the normal, and the nodes at kinks and branches.

    The normal is that of the point data ``normal`` of the mesh, if it has them, or the mean of those of the cells at
    the node, weighted with the angles of their corners; this is exact inside of regular meshes, but at the edge of a
    curved surface it is off by half the angle that a cell spans.

    Raises
    ------
    MeshError
        If a cell is degenerate, neighbouring cells look to different sides, or given normals are not of unit length or
        not on the side of the cells.
    """
    points = mesh.points
    normals = corner_normals(owner, points, cells)
    edges = surface_edges(cells)
    clash = np.flatnonzero(edges.same)
    if len(clash):
        a, b = edges.cells[clash[0]]
        raise MeshError(
            f"{owner}: cells {a} and {b} look to different sides (they number their common edge "
            f"{edges.nodes[clash[0]].tolist()} in one direction); so do {len(clash)} pairs. Take "
            f"flexmbs.meshes.oriented(mesh), which turns cells until all look to one side."
        )
    x = points[cells]
    ahead, behind = np.roll(x, -1, axis=1) - x, np.roll(x, 1, axis=1) - x
    cosine = (ahead * behind).sum(axis=2) / (np.linalg.norm(ahead, axis=2) * np.linalg.norm(behind, axis=2))
    weighted = np.arccos(np.clip(cosine, -1.0, 1.0))[..., None] * normals
    mean = np.zeros((len(points), 3))
    np.add.at(mean, cells.ravel(), weighted.reshape(-1, 3))
    size = np.linalg.norm(mean, axis=1)
    none = np.flatnonzero(size < 1e-6)
    mean[none], size[none] = (0.0, 0.0, 1.0), 1.0  # branches whose normals cancel: any frame does
    n = mean / size[:, None]
    if "normal" in mesh.point_data:
        given = np.asarray(mesh.point_data["normal"], dtype=float)
        if given.shape != n.shape or not np.allclose(np.linalg.norm(given, axis=1), 1.0, atol=1e-6):
            raise MeshError(f"{owner}: point data 'normal' must hold a unit vector for every point.")
        off = np.flatnonzero((given * n).sum(axis=1) < np.cos(np.radians(KINK)))
        if len(off):
            raise MeshError(
                f"{owner}: point data 'normal' at point {off[0]} is {given[off[0]].tolist()}, but the cells there look "
                f"along {n[off[0]].round(6).tolist()}; turn the normals, or the cells."
            )
        n = given / np.linalg.norm(given, axis=1, keepdims=True)
    t = tangents_along(n, axis)
    faces = normals.sum(axis=1)
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    inner = edges.shares >= 2
    turn = (faces[edges.cells[inner, 0]] * faces[edges.cells[inner, 1]]).sum(axis=1)
    sharp = np.zeros(len(edges.nodes), dtype=bool)
    sharp[inner] = turn < np.cos(np.radians(KINK))
    sharp |= edges.shares > 2
    return np.stack((t, np.cross(n, t), n), axis=2), np.unique(edges.nodes[sharp]).astype(np.int64)


def oriented(mesh: Mesh) -> Mesh:
    """The mesh with its quadrilaterals turned until neighbours look to the same side.

    In every connected part the first cell decides. Surfaces on which this cannot be done (a Moebius strip) are refused;
    across branches, where more than two cells share an edge, there is nothing to decide.

    Parameters
    ----------
    mesh : Mesh
        With cells of type ``quad`` only.

    Raises
    ------
    MeshError
        If there are other cells, or the surface has one side only.

    Examples
    --------
    >>> mesh = Mesh([(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)], [("quad", [[0, 1, 4, 3], [1, 4, 5, 2]])])
    >>> oriented(mesh).cells[0].nodes.tolist()
    [[0, 1, 4, 3], [2, 5, 4, 1]]
    """
    foreign = sorted({b.cell_type for b in mesh.cells} - {"quad"})
    if foreign:
        raise MeshError(f"oriented: the mesh has {', '.join(foreign)} cells; extract the quadrilaterals first.")
    cells = np.concatenate([b.nodes for b in mesh.cells])
    edges = surface_edges(cells)
    pairs = np.flatnonzero(edges.shares == 2)
    a, b = edges.cells[pairs].T
    graph = coo_array((np.ones(len(pairs)), (a, b)), shape=(len(cells), len(cells))).tocsr()
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    opposed = {(int(i), int(j)): bool(s) for i, j, s in zip(a, b, edges.same[pairs], strict=True)}
    opposed |= {(j, i): s for (i, j), s in opposed.items()}
    turned = np.zeros(len(cells), dtype=bool)
    parts, part = connected_components(graph, directed=False)
    for k in range(parts):
        order, before = breadth_first_order(graph, int(np.argmax(part == k)), directed=False)
        for cell in order[1:]:
            turned[cell] = turned[before[cell]] ^ opposed[int(before[cell]), int(cell)]
    wrong = np.flatnonzero(turned[a] ^ turned[b] ^ edges.same[pairs])
    if len(wrong):
        raise MeshError(
            f"oriented: the surface has one side only, like a Moebius strip; it closes with a twist at the edge "
            f"{edges.nodes[pairs[wrong[0]]].tolist()}."
        )
    blocks, start = [], 0
    for block in mesh.cells:
        nodes, own = np.array(block.nodes), turned[start : start + len(block.nodes)]
        nodes[own] = nodes[own][:, ::-1]
        blocks.append(CellBlock("quad", nodes))
        start += len(nodes)
    return Mesh(mesh.points, tuple(blocks), mesh.node_sets, mesh.cell_sets, mesh.point_data)
