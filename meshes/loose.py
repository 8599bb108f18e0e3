"""Points that touch a cell without being one of its nodes, so that nothing joins them to it there.

A point hangs if it lies on a side of a cell between the nodes of that side; it is doubled if it lies where a node of
that side is, under another number. Both come from meshes of pieces that were put together: displacements are not
continuous there, and the mesh opens like a crack.

Only cells that others join somewhere are looked at: pieces that no cell joins may touch as they like, since a part is
told of pieces that nothing joins, and a link joins them as it is meant to.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.meshes.cells import CellType, cell_type, gradients, local_faces, shapes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cells = Sequence[tuple[str, NDArray[np.int64]]]

__all__ = ["Loose", "loose_points", "warn_of_loose"]

NEAR = 1e-5
"""Distance, in diameters of a side, below which a point lies on it: files often have six digits."""
AROUND = 6
"""Points beside its own nodes that are looked at near the middle of a side, at first."""
NEWTON = 4
"""Steps to the foot of a point on a side; of plane sides the first is exact."""
CHUNK = 20_000
"""Pairs of points and sides that are measured at once."""
NAMED = 5
"""Points that a warning names at most."""


class Loose(NamedTuple):
    """Points that hang, ``hanging (n,)``, and pairs of coincident points of different cells, ``doubled (m, 2)``."""

    hanging: NDArray[np.int64]
    doubled: NDArray[np.int64]


class _Sides(NamedTuple):
    """Sides of one type: their type, their nodes (n, n_b), the dimension of their cells, and all nodes of these."""

    kind: CellType
    nodes: NDArray[np.int64]
    dim: int
    cells: NDArray[np.int64]


def loose_points(points: NDArray[np.float64], cells: Cells, tied: NDArray[np.int64] | None = None) -> Loose:
    """The points that touch cells which they do not belong to.

    Of solids the outer faces are looked at and the points on them, of surfaces the cells and the points on their
    rims, of lines the cells and their free ends. A point is held against cells of at least the dimension of its own.

    Parameters
    ----------
    points : (n_p, dim) array
    cells : sequence of (str, (n_c, n_a) array of int)
        Types of cells and their nodes.
    tied : array of int, optional
        Points that something else joins: they do not hang, and pairs of them are not doubled.

    Examples
    --------
    >>> from flexmbs.meshes import rectangle
    >>> mesh = rectangle((0, 0), (2, 1), (1, 1)).merged(rectangle((0, 1), (2, 2), (2, 1)))
    >>> loose_points(mesh.points, [(b.cell_type, b.nodes) for b in mesh.cells]).hanging.tolist()
    [4]
    >>> mesh.points[4].tolist()
    [1.0, 1.0]
    """
    sides, free = _sides(points, cells)
    found = [np.empty((0, 3), dtype=np.int64)]
    for side in sides:
        candidates = np.flatnonzero((free > 0) & (free <= side.dim))
        if len(candidates):
            found.append(_on_sides(points, side, candidates))
    rows = np.concatenate(found)
    if len(rows):
        piece = _pieces(len(points), cells)
        rows = rows[piece[rows[:, 0]] == piece[rows[:, 1]]]
    free_of_ties = np.ones(len(points), dtype=bool)
    if tied is not None:
        free_of_ties[tied] = False
    same = rows[:, 2] == 1
    pairs = np.unique(np.sort(rows[same, :2], axis=1), axis=0)
    hanging = np.unique(rows[~same, 0])
    return Loose(hanging[free_of_ties[hanging]], pairs[free_of_ties[pairs].any(axis=1)])


def warn_of_loose(
    owner: str,
    points: NDArray[np.float64],
    cells: Cells,
    tied: NDArray[np.int64] | None = None,
    *,
    remedy: str,
    stacklevel: int,
) -> None:
    """Warn of points that touch cells without being joined to them; ``remedy``: what joins them beside a new mesh."""
    hanging, doubled = loose_points(points, cells, tied)
    said = []
    if len(hanging):
        many = len(hanging) > 1
        said.append(
            f"{len(hanging)} {'nodes hang' if many else 'node hangs'}: {'they lie' if many else 'it lies'} on a side "
            f"of a cell without being among its nodes ({_named([f'{i} {_place(points[i])}' for i in hanging[:NAMED]])}"
            f"{' ...' if len(hanging) > NAMED else ''})"
        )
    if len(doubled):
        some = [f"{a} and {b} {_place(points[a])}" for a, b in doubled[:NAMED].tolist()]
        said.append(
            f"{len(doubled)} {'pairs' if len(doubled) > 1 else 'pair'} of nodes of different cells coincide without "
            f"being joined ({_named(some)}{' ...' if len(doubled) > NAMED else ''})"
        )
    if said:
        warnings.warn(
            f"{owner}: {'; '.join(said)}. Nothing joins the cells there, and they move apart as at a crack. Mesh them "
            f"so that they share their nodes, join coincident ones (mesh.merged, or in the program that made the "
            f"mesh), or {remedy}; leave it if a slit is meant. flexmbs.meshes.quality(mesh) names all.",
            RuntimeWarning,
            stacklevel=stacklevel + 1,
        )


def _named(names: Sequence[str]) -> str:
    return ", ".join(names)


def _place(point: NDArray[np.float64]) -> str:
    """A point in brackets."""
    return f"({', '.join(f'{x:g}' for x in point)})"


def _sides(points: NDArray[np.float64], cells: Cells) -> tuple[list[_Sides], NDArray[np.int64]]:
    """The sides of cells that others can touch, and of each point the lowest dimension of a cell that ends there."""
    free = np.zeros(len(points), dtype=np.int64)
    sides: list[_Sides] = []
    for dim in (3, 2, 1):
        own = [(cell_type(name), nodes) for name, nodes in cells if cell_type(name).dim == dim]
        ends = [_ends(kind) for kind, _ in own]
        faces = [nodes[:, local] for (_, nodes), (_, local) in zip(own, ends, strict=True)]
        single = _single([f[..., :n].reshape(-1, n) for f, (n, _) in zip(faces, ends, strict=True)], len(points))
        for (kind, nodes), face, chosen in zip(own, faces, single, strict=True):
            outer = face.reshape(-1, face.shape[2])[chosen]
            free[outer] = dim
            if dim < 3:
                sides.append(_Sides(kind, nodes, dim, nodes))
            else:
                owner = np.repeat(np.arange(len(nodes)), face.shape[1])[chosen]
                sides.append(_Sides(cell_type(local_faces(kind.name)[0]), outer, dim, nodes[owner]))
    return [side for side in sides if len(side.nodes)], free


def _ends(kind: CellType) -> tuple[int, NDArray[np.int64]]:
    """How many corners the sides of a cell have, and their nodes (n, n_b): faces, edges or ends, corners first."""
    if kind.dim == 3:
        name, faces = local_faces(kind.name)
        return cell_type(name).n_corners, np.array(faces)
    if kind.dim == 1:
        return 1, np.array([[0], [1]])
    i = np.arange(kind.n_corners)
    edges = np.column_stack((i, np.roll(i, -1)))
    # the middle nodes of surfaces follow the corners in the order of the edges
    return 2, np.column_stack((edges, kind.n_corners + i)) if kind.n_nodes > kind.n_corners else edges


def _single(corners: Sequence[NDArray[np.int64]], n_points: int) -> list[NDArray[np.bool_]]:
    """Which sides, by their corners (n, k), belong to one cell only.

    Sides are told apart by sums of random numbers of their corners, which needs no sorting of rows: that two different
    ones agree in 64 bits has a chance of 1e-7 among a million.
    """
    if not corners:
        return []
    number = np.random.default_rng(0).integers(0, 2**63, n_points, dtype=np.uint64)
    keys = np.concatenate([number[c].sum(axis=1, dtype=np.uint64) for c in corners])
    order = np.argsort(keys)
    ordered = keys[order]
    differs = np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))
    single = np.empty(len(keys), dtype=bool)
    single[order] = differs[1:] & differs[:-1]
    return np.split(single, np.cumsum([len(c) for c in corners])[:-1])


def _on_sides(points: NDArray[np.float64], sides: _Sides, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
    """Point, a node of the side, and 1 if it lies at that node (n, 3), of the candidates on sides."""
    from scipy.spatial import cKDTree  # slow to import, seldom needed

    x = points[sides.nodes]
    middle = x.mean(axis=1)
    radius = np.linalg.norm(x - middle[:, None], axis=2).max(axis=1) * (1.0 + 2.0 * NEAR)
    tree = cKDTree(points[candidates])
    k = min(sides.nodes.shape[1] + AROUND, len(candidates))
    # a point between the nodes of a side is nearer to its middle than these
    distance, near = tree.query(middle, k=np.arange(1, k + 1), distance_upper_bound=radius.max())
    side, place = np.nonzero(distance <= radius[:, None])
    rows, hit = _touching(points, sides, side, candidates[near[side, place]])
    if len(hit):
        # where there are some, there may be more than were looked at
        again = np.unique(hit)
        lists = tree.query_ball_point(middle[again], radius[again])
        side = np.repeat(again, [len(found) for found in lists])
        rows, _ = _touching(points, sides, side, candidates[np.concatenate(lists).astype(np.int64)])
    return rows


def _touching(
    points: NDArray[np.float64], sides: _Sides, side: NDArray[np.int64], point: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of pairs of sides and points (m,) those that touch: rows (n, 3) as of `_on_sides`, and the sides (n,)."""
    foreign = (sides.cells[side] != point[:, None]).all(axis=1)
    side, point = side[foreign], point[foreign]
    rows, hit = [np.empty((0, 3), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for i in range(0, len(side), CHUNK):
        s, p = side[i : i + CHUNK], point[i : i + CHUNK]
        x, target = points[sides.nodes[s]], points[p]
        from_nodes = np.linalg.norm(x - target[:, None], axis=2)
        diameter = np.linalg.norm(np.ptp(x, axis=1), axis=1)
        near = NEAR * diameter
        nearest = np.argmin(from_nodes, axis=1)
        doubled = from_nodes[np.arange(len(s)), nearest] <= near
        touches = doubled | _within(sides.kind, x, target, near)
        node = sides.nodes[s, nearest]
        rows.append(np.column_stack((p, node, doubled))[touches])
        hit.append(s[touches])
    return np.concatenate(rows), np.concatenate(hit)


def _within(
    kind: CellType, x: NDArray[np.float64], target: NDArray[np.float64], near: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether points (m, dim) lie on sides with the nodes (m, n_b, dim): Newton's method on the reference cell."""
    centre = kind.nodes[: kind.n_corners].mean(axis=0)
    xi = np.tile(centre, (len(x), 1))
    for _ in range(NEWTON):
        slopes = np.einsum("mad,mai->mdi", x, gradients(kind, xi))
        gap = target - np.einsum("mad,ma->md", x, shapes(kind, xi))
        normal = np.einsum("mdi,mdj->mij", slopes, slopes)
        right = np.einsum("mdi,md->mi", slopes, gap)
        size = np.trace(normal, axis1=1, axis2=2)[:, None, None] + np.finfo(float).tiny
        # a degenerate side has no foot; the shift keeps its matrix regular, and it is refused elsewhere
        step = np.linalg.solve(normal + 1e-14 * size * np.eye(kind.dim), right[..., None])[..., 0]
        xi = np.clip(xi + step, -3.0, 3.0)
    gap = target - np.einsum("mad,ma->md", x, shapes(kind, xi))
    lowest = 0.0 if kind.simplex else -1.0
    inside = (xi >= lowest - NEAR).all(axis=1)
    inside &= (xi.sum(axis=1) if kind.simplex else xi.max(axis=1)) <= 1.0 + NEAR
    return np.asarray(inside & (np.linalg.norm(gap, axis=1) <= near))


def _pieces(n: int, cells: Cells) -> NDArray[np.int64]:
    """The number of the piece, joined by cells, that each point belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = [np.column_stack([np.repeat(c[:, 0], c.shape[1] - 1), c[:, 1:].ravel()]) for _, c in cells]
    both = np.vstack(pairs)
    graph = coo_array((np.ones(len(both), dtype=bool), (both[:, 0], both[:, 1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
