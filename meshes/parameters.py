"""Two smooth parameters on a regular mesh of quadrilaterals, and the slopes that belong to them.

Elements whose nodal coordinates are derivatives by parameters (u, v) need these to run smoothly over the surface. On a
mesh that is regular, so that four cells meet at every inner node, u and v are propagated from the first cell of each
connected part over opposite edges: rows of cells along u, columns along v, also round closed surfaces. All cells of a
column have one extent in u, the mean length of its edges, so that the interpolated surface has continuous tangents.

The slopes are the derivatives of cubic splines through the nodes of each row and column (not-a-knot at free ends,
periodic where they close), or, exactly, the point data ``slopes`` of the mesh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from flexmbs.core.errors import MeshError
from flexmbs.meshes.surface import surface_edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flexmbs.meshes.mesh import Mesh

__all__ = ["surface_parameters", "zigzag"]

MISFIT = 0.3
"""Relative difference of an edge and the mean of the given slopes at its ends from which they do not fit."""
INSTEAD = "Mesh it in rows and columns, or take an element without parameters, such as flexmbs.elements.ANCFShell()."


def surface_parameters(
    owner: str, mesh: Mesh, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Cells whose nodes run (u0, v0), (u1, v0), (u1, v1), (u0, v1), slopes (n, 9) and extents (n_e, 2) in u and v.

    Point data ``slopes (n, 9)`` of the mesh are dr/dp, dr/dq, d2r/dpdq by two parameters that advance by one from node
    to node; they tell the directions of u and v, too.

    Raises
    ------
    MeshError
        If the mesh is not regular, or given slopes do not fit its edges.
    """
    given = mesh.point_data.get("slopes")
    if given is not None and given.shape != (mesh.n_points, 9):
        raise MeshError(f"{owner}: point data 'slopes' must have shape ({mesh.n_points}, 9), not {given.shape}.")
    cells = _aligned(owner, mesh.points, cells, given)
    after = _successors(owner, mesh.points, cells)
    if given is not None:
        return cells, *_given(owner, mesh.points, cells, given)
    sizes, steps = _extents(mesh.points, cells, after)
    r_u, r_v = (_spline(mesh.points, after[k], steps[k]) for k in (0, 1))
    mixed = 0.5 * (_spline(r_u, after[1], steps[1]) + _spline(r_v, after[0], steps[0]))
    return cells, np.hstack((r_u, r_v, mixed)), sizes


def zigzag(owner: str, points: NDArray[np.float64], cells: NDArray[np.int64]) -> tuple[float, int]:
    """How much rows and columns of aligned cells change their turning, and the node where they do most.

    The root mean square over three edges in sequence of |t_3 - 2 t_2 + t_1|, with their unit vectors t: zero of
    straight lines, the square of the angle of a cell on a circle, vanishing as a smooth mesh is refined. Zero without
    such edges.
    """
    found, middle = [np.zeros(0)], [np.zeros(0, np.int64)]
    for after in _successors(owner, points, cells):
        has = np.flatnonzero(after >= 0)
        along = np.zeros_like(points)
        along[has] = points[after[has]] - points[has]
        along[has] /= np.linalg.norm(along[has], axis=1, keepdims=True)
        second = after[has]
        first, second = has[after[second] >= 0], second[after[second] >= 0]
        third = after[second]
        first, second, third = (nodes[after[third] >= 0] for nodes in (first, second, third))
        found.append(np.linalg.norm(along[third] - 2.0 * along[second] + along[first], axis=1))
        middle.append(second)
    change, node = np.concatenate(found), np.concatenate(middle)
    if not len(change):
        return 0.0, 0
    return float(np.sqrt(np.mean(change**2))), int(node[np.argmax(change)])


def _aligned(
    owner: str, points: NDArray[np.float64], cells: NDArray[np.int64], given: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """The cells with their nodes turned round until edge 0-1 of all runs along u."""
    edges = surface_edges(cells)
    _check_regular(owner, points, cells, edges.nodes[edges.shares == 1], edges.nodes[edges.shares > 2])
    inner = np.flatnonzero(edges.shares == 2)
    a, b = edges.cells[inner].T
    p_a, p_b = (_place(cells[side], edges.nodes[inner]) for side in (a, b))
    turn = np.zeros(len(cells), dtype=np.int64)
    across = {}
    for i, j, p, q in zip(a.tolist(), b.tolist(), p_a.tolist(), p_b.tolist(), strict=True):
        across[i, j], across[j, i] = (p, q), (q, p)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(cells), len(cells))).tocsr()
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    parts, part = connected_components(graph, directed=False)
    for k in range(parts):
        first = int(np.argmax(part == k))
        turn[first] = 0 if given is None else _along(points, cells[first], given)
        order, before = breadth_first_order(graph, first, directed=False)
        for cell in order[1:].tolist():
            p, q = across[int(before[cell]), cell]
            turn[cell] = (q - p + turn[before[cell]] - 2) % 4
    clash = np.flatnonzero((p_a - turn[a] - p_b + turn[b]) % 4 != 2)
    if len(clash):
        node = int(edges.nodes[inner[clash[0]], 0])
        raise MeshError(
            f"{owner}: rows and columns of cells change places, or directions, round a closed path that passes node "
            f"{node} {points[node].tolist()}, so there are no two smooth parameters. {INSTEAD}"
        )
    return np.take_along_axis(cells, (np.arange(4) + turn[:, None]) % 4, axis=1)


def _place(cells: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which side of each cell (n, 4) is the edge with these ends (n, 2), the lower number first."""
    sides = np.sort(np.stack((cells, np.roll(cells, -1, axis=1)), axis=2), axis=2)
    return np.asarray((sides == ends[:, None]).all(axis=2).argmax(axis=1))


def _check_regular(
    owner: str,
    points: NDArray[np.float64],
    cells: NDArray[np.int64],
    border: NDArray[np.int64],
    shared: NDArray[np.int64],
) -> None:
    """Refuse edges of more than two cells, and inner nodes (not on the border) of other than four."""
    if len(shared):
        raise MeshError(
            f"{owner}: more than two cells share the edge {shared[0].tolist()}, so the surface branches and has no "
            f"smooth parameters there. Make a body of each side, or take an element that carries kinks."
        )
    count = np.bincount(cells.ravel(), minlength=len(points))
    inside = np.ones(len(points), dtype=bool)
    inside[border] = False
    odd = np.flatnonzero(inside & (count != 4) & (count > 0))
    if len(odd):
        raise MeshError(
            f"{owner}: {count[odd[0]]} cells meet at the inner node {odd[0]} {points[odd[0]].tolist()} (and at "
            f"{len(odd) - 1} more nodes not four), so the mesh has no smooth parameters. {INSTEAD}"
        )


def _along(points: NDArray[np.float64], cell: NDArray[np.int64], given: NDArray[np.float64]) -> int:
    """By how many sides to turn a cell so that its edge 0-1 is along the given slopes by u."""
    edges = points[np.roll(cell, -1)] - points[cell]
    slope = given[cell, :3] + given[np.roll(cell, -1), :3]
    cosine = (edges * slope).sum(axis=1) / np.linalg.norm(edges, axis=1) / np.linalg.norm(slope, axis=1)
    return int(np.argmax(cosine))


def _successors(owner: str, points: NDArray[np.float64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The next node (2, n) along u and along v, -1 at the end of a row or column."""
    found = np.full((2, len(points)), -1)
    for k, pairs in enumerate((((0, 1), (3, 2)), ((1, 2), (0, 3)))):
        ends = np.unique(np.concatenate([cells[:, pair] for pair in pairs]), axis=0)
        for side in (0, 1):
            nodes, count = np.unique(ends[:, side], return_counts=True)
            if (count > 1).any():
                node = int(nodes[np.argmax(count > 1)])
                raise MeshError(
                    f"{owner}: a row of cells branches at node {node} {points[node].tolist()}, so the mesh has no "
                    f"smooth parameters. {INSTEAD}"
                )
        found[k, ends[:, 0]] = ends[:, 1]
    return found


def _given(
    owner: str, points: NDArray[np.float64], cells: NDArray[np.int64], given: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Given slopes, by parameters as long as the mean edges, and the extents of the cells."""
    size = []
    for k, pairs in enumerate((((0, 1), (3, 2)), ((1, 2), (0, 3)))):
        ends = np.concatenate([cells[:, pair] for pair in pairs])
        edge = points[ends[:, 1]] - points[ends[:, 0]]
        length = np.linalg.norm(edge, axis=1)
        slope = 0.5 * given[ends, 3 * k : 3 * k + 3].sum(axis=1)
        off = np.linalg.norm(edge - slope, axis=1) > MISFIT * length
        if off.any():
            i, j = ends[np.argmax(off)]
            raise MeshError(
                f"{owner}: point data 'slopes' must be derivatives by parameters that advance by one from node to "
                f"node, but between the nodes {i} and {j} they tell {slope[np.argmax(off)].round(6).tolist()}, and the "
                f"edge is {edge[np.argmax(off)].round(6).tolist()}. Refining a mesh spoils them; leave them out."
            )
        size.append(float(length.mean()))
    a, b = size
    scale = np.repeat([1.0 / a, 1.0 / b, 1.0 / (a * b)], 3)
    return given * scale, np.tile([a, b], (len(cells), 1))


def _extents(
    points: NDArray[np.float64], cells: NDArray[np.int64], after: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Extents (n_e, 2) of the cells, and the step (2, n) of the parameters from each node to the next."""
    n = len(points)
    sizes, steps = np.zeros((len(cells), 2)), np.zeros((2, n))
    for k, (one, other) in enumerate((((0, 1), (3, 2)), ((0, 3), (1, 2)))):
        # an edge is named by its first node, since a row passes a node once
        first, second = cells[:, one[0]], cells[:, other[0]]
        _, strip = connected_components(coo_array((np.ones(len(cells)), (first, second)), shape=(n, n)), directed=False)
        starts = np.flatnonzero(after[k] >= 0)
        length = np.linalg.norm(points[after[k, starts]] - points[starts], axis=1)
        mean = np.bincount(strip[starts], length, minlength=n) / np.maximum(np.bincount(strip[starts], minlength=n), 1)
        sizes[:, k] = mean[strip[first]]
        steps[k, starts] = mean[strip[starts]]
    return sizes, steps


def _spline(values: NDArray[np.float64], after: NDArray[np.int64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Derivatives (n, 3) of cubic splines through the values (n, 3) along all chains of nodes."""
    slopes = np.zeros_like(values)
    todo = np.ones(len(values), dtype=bool)
    before = np.full(len(values), -1)
    before[after[after >= 0]] = np.flatnonzero(after >= 0)
    for start in [*np.flatnonzero(before < 0).tolist(), *range(len(values))]:  # open chains first, then rings
        if not todo[start]:
            continue
        chain = [start]
        while after[chain[-1]] >= 0 and after[chain[-1]] != start:
            chain.append(int(after[chain[-1]]))
        todo[chain] = False
        closed = after[chain[-1]] == start
        nodes = np.array([*chain, start] if closed else chain)
        if len(nodes) < 2:
            continue
        t = np.concatenate(([0.0], np.cumsum(step[nodes[:-1]])))
        from scipy.interpolate import CubicSpline  # slow to import, seldom needed

        rule = CubicSpline(t, values[nodes], bc_type="periodic" if closed else "not-a-knot")
        slopes[chain] = rule(t[: len(chain)], 1)
    return slopes
