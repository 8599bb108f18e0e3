"""Splitting every cell of a mesh into 2, 4 or 8 children of its own type, on plain arrays.

A new point at the reference coordinates xi of a cell is x = sum_a N_a(xi) x_a. Neighbours find that they made the
same point by its key: the corners with non-zero weight, and these weights, in the linear shape functions at xi. They
agree on a shared edge or face, whatever the types on its two sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import frozen_copy
from flexmbs.meshes.cells import CELL_TYPES, CellType, gradients, shapes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["hermite_middle", "refine"]

# the weights of corners at new points are multiples of 1/64 in every cell type
WEIGHTS = 64
# the three diagonals of the octahedron inside a tetrahedron, each with the ring of the four other edge middles
DIAGONALS = (
    ((0, 1), (2, 3), ((0, 2), (1, 2), (1, 3), (0, 3))),
    ((1, 2), (0, 3), ((0, 1), (0, 2), (2, 3), (1, 3))),
    ((0, 2), (1, 3), ((0, 1), (1, 2), (2, 3), (0, 3))),
)


def refine(
    points: NDArray[np.float64],
    blocks: Sequence[tuple[str, NDArray[np.int64]]],
    node_sets: Mapping[str, NDArray[np.int64]],
    cell_sets: Mapping[str, Sequence[NDArray[np.int64]]],
    point_data: Mapping[str, NDArray[np.float64]],
) -> tuple[
    NDArray[np.float64],
    list[tuple[str, NDArray[np.int64]]],
    dict[str, NDArray[np.int64]],
    dict[str, list[NDArray[np.int64]]],
    dict[str, NDArray[np.float64]],
]:
    """One refinement of everything that makes a mesh; see `flexmbs.meshes.Mesh.refined` for the rules."""
    numbers, first = _number_new_points([_keys(CELL_TYPES[name], nodes) for name, nodes in blocks], len(points))
    n_new = sum(len(rows) for rows in first)
    position = np.empty((n_new, points.shape[1]))
    data = {name: np.empty((n_new, values.shape[1])) for name, values in point_data.items()}
    inside = {name: np.ones(n_new, dtype=bool) for name in node_sets}
    masks = {name: _mask(len(points), members) for name, members in node_sets.items()}
    children = []
    for (name, nodes), number, rows in zip(blocks, numbers, first, strict=True):
        table = _table(name)
        cell, local = np.divmod(rows, max(len(table.xi), 1))
        target = number.ravel()[rows] - len(points)
        weights = table.weights[local]
        position[target] = np.einsum("pa,pad->pd", weights, points[nodes[cell]])
        for key, values in point_data.items():
            data[key][target] = np.einsum("pa,pak->pk", weights, values[nodes[cell]])
        for key, mask in masks.items():
            inside[key][target] = (mask[nodes[cell]] | ~table.owners[local]).all(axis=1)
        if "tangent" in data:
            start, end = nodes[cell, 0], nodes[cell, 1]
            if name == "line":
                tangents = point_data["tangent"]
                position[target], data["tangent"][target] = hermite_middle(
                    points[start], points[end], tangents[start], tangents[end]
                )
            elif name == "line3":
                slope = np.einsum("pa,pad->pd", table.slopes[local], points[nodes[cell]])
                along = np.sign((slope * data["tangent"][target]).sum(axis=1, keepdims=True))
                data["tangent"][target] = slope * np.where(along == 0.0, 1.0, along)
            lengths = np.linalg.norm(data["tangent"][target], axis=1, keepdims=True)
            data["tangent"][target] /= np.where(lengths == 0.0, 1.0, lengths)
        variant = _shortest_diagonal(points, nodes) if len(table.children) > 1 else np.zeros(len(nodes), dtype=np.int64)
        every = np.hstack([nodes, number])
        made = np.take_along_axis(every, table.children[variant].reshape(len(nodes), -1), axis=1)
        children.append((name, made.reshape(-1, nodes.shape[1])))
    grown_nodes = {
        name: np.concatenate([node_sets[name], len(points) + np.flatnonzero(inside[name])]) for name in node_sets
    }
    grown_cells = {
        set_name: [
            (members[:, None] * _table(name).children.shape[1] + np.arange(_table(name).children.shape[1])).ravel()
            for (name, _), members in zip(blocks, parts, strict=True)
        ]
        for set_name, parts in cell_sets.items()
    }
    grown_data = {name: np.vstack([values, data[name]]) for name, values in point_data.items()}
    return np.vstack([points, position]), children, grown_nodes, grown_cells, grown_data


def hermite_middle(
    start: NDArray[np.float64], end: NDArray[np.float64], t_start: NDArray[np.float64], t_end: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The middle (n, dim) and its unit tangent on cubic Hermite curves between points with unit tangents (n, dim).

    The end slopes are the tangents times c / cos(theta/4)^2 with the chord c and the angle theta between the tangents:
    the choice that puts the middle of a circular arc exactly on the circle.
    """
    chord = end - start
    total = t_start + t_end
    # tangents that run against the cell describe the same curve
    sign = np.where((chord * total).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    half_cosine = np.linalg.norm(total, axis=1, keepdims=True) / 2
    slope = np.linalg.norm(chord, axis=1, keepdims=True) * 2 / (1 + half_cosine)
    middle = (start + end) / 2 + sign * slope * (t_start - t_end) / 8
    tangent = sign * (1.5 * chord - sign * slope * total / 4)
    return middle, tangent / np.linalg.norm(tangent, axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class _Table:
    """How one cell is split: new points (m, dim), their weights, the nodes they hang on and the children's nodes."""

    xi: NDArray[np.float64]
    weights: NDArray[np.float64]
    slopes: NDArray[np.float64]
    corner_weights: NDArray[np.int64]
    owners: NDArray[np.bool_]
    children: NDArray[np.int64]


@cache
def _table(name: str) -> _Table:
    """The table of a cell type; ``children`` (variants, children, n_a) counts the old nodes, then the new points."""
    kind = CELL_TYPES[name]
    linear = CELL_TYPES[kind.linear]
    corner_shapes = shapes(linear, kind.nodes)
    variants = np.array([[corner_shapes @ corners for corners in cells] for cells in _child_corners(kind)])
    known: dict[tuple[float, ...], int] = {_key(node): i for i, node in enumerate(kind.nodes)}
    for node in variants.reshape(-1, kind.dim):
        known.setdefault(_key(node), len(known))
    children = np.array([known[_key(node)] for node in variants.reshape(-1, kind.dim)]).reshape(variants.shape[:-1])
    xi = np.array(list(known))[kind.n_nodes :].reshape(-1, kind.dim)
    corner_weights = np.rint(WEIGHTS * shapes(linear, xi)).astype(np.int64)
    hangs_on = np.rint(WEIGHTS * corner_shapes).astype(np.int64) != 0
    owners = ~((hangs_on[None, :, :] & (corner_weights == 0)[:, None, :]).any(axis=2))
    return _Table(
        xi, shapes(kind, xi), gradients(kind, xi)[:, :, 0], frozen_copy(corner_weights), owners, frozen_copy(children)
    )


def _key(xi: NDArray[np.float64]) -> tuple[float, ...]:
    """Reference coordinates free of round-off, to look them up."""
    return tuple(float(x) for x in np.rint(xi * WEIGHTS) / WEIGHTS)


def _child_corners(kind: CellType) -> list[list[NDArray[np.float64]]]:
    """The reference coordinates of the corners of each child, for each way of splitting."""
    corners = CELL_TYPES[kind.linear].nodes
    at_corners = [(corners + corner) / 2 for corner in corners]
    if kind.linear == "triangle":
        return [[*at_corners, (corners + np.roll(corners, -1, axis=0)) / 2]]
    if kind.linear != "tetra":
        return [at_corners]
    out = []
    for one, other, ring in DIAGONALS:
        inner = []
        for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
            tetra = np.array([corners[list(edge)].mean(axis=0) for edge in (one, other, a, b)])
            if np.linalg.det(tetra[1:] - tetra[0]) < 0:
                tetra = tetra[[0, 1, 3, 2]]
            inner.append(tetra)
        out.append([*at_corners, *inner])
    return out


def _shortest_diagonal(points: NDArray[np.float64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per tetrahedron the shortest diagonal of the inner octahedron, which keeps the children well shaped."""
    x = points[nodes]
    lengths = [
        np.linalg.norm(x[:, list(one)].mean(axis=1) - x[:, list(other)].mean(axis=1), axis=1)
        for one, other, _ in DIAGONALS
    ]
    # equal lengths must not be told apart by round-off
    rounded = np.array(lengths) > np.min(lengths, axis=0) * (1 + 1e-9)
    return np.asarray(np.argmin(rounded, axis=0))


def _keys(kind: CellType, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The keys (n_c, m, n_corners) of the new points of a block, and which of them lie inside a solid cell."""
    weights = _table(kind.name).corner_weights
    keys = np.where(weights == 0, -1, nodes[:, None, : kind.n_corners] * (WEIGHTS + 1) + weights)
    return keys, (weights != 0).all(axis=1) & (kind.dim == 3)


def _number_new_points(
    blocks: Sequence[tuple[NDArray[np.int64], NDArray[np.bool_]]], start: int
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Number the new points: per block their numbers (n_c, m) and the flat places where a number appears first."""
    numbers = [np.full(keys.shape[:2], -1, dtype=np.int64) for keys, _ in blocks]
    first: list[list[NDArray[np.int64]]] = [[] for _ in blocks]
    gathered: dict[int, list[tuple[int, NDArray[np.int64], NDArray[np.int64]]]] = {}
    for b, (keys, inner) in enumerate(blocks):
        n_c, m = keys.shape[:2]
        supports = (keys[0] >= 0).sum(axis=1)
        for k in np.unique(supports):
            local = np.flatnonzero((supports == k) & ~inner)
            if len(local):
                columns = np.array([np.flatnonzero(keys[0, j] >= 0) for j in local])
                rows = np.sort(keys[:, local[:, None], columns].reshape(-1, k), axis=1)
                flat = (np.arange(n_c)[:, None] * m + local).ravel()
                gathered.setdefault(int(k), []).append((b, flat, rows))
    for parts in gathered.values():
        found, inverse = _unique_rows(np.vstack([rows for _, _, rows in parts]))
        owner = np.concatenate([np.full(len(flat), b) for b, flat, _ in parts])
        flats = np.concatenate([flat for _, flat, _ in parts])
        for b in np.unique(owner):
            numbers[b].reshape(-1)[flats[owner == b]] = start + inverse[owner == b]
            first[b].append(flats[found[owner[found] == b]])
        start += len(found)
    for b, (keys, inner) in enumerate(blocks):
        n_c, m = keys.shape[:2]
        local = np.flatnonzero(inner)
        numbers[b][:, local] = start + np.arange(n_c * len(local)).reshape(n_c, len(local))
        first[b].append((np.arange(n_c)[:, None] * m + local).ravel())
        start += n_c * len(local)
    return numbers, [np.concatenate(parts) for parts in first]


def _unique_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First places of the different rows, and for each row its number among them; columns are folded in one by one."""
    _, first, code = np.unique(rows[:, 0], return_index=True, return_inverse=True)
    for column in rows.T[1:]:
        _, rank = np.unique(column, return_inverse=True)
        _, first, code = np.unique(code * (int(rank.max()) + 1) + rank, return_index=True, return_inverse=True)
    return first, code


def _mask(n: int, members: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True at the members."""
    mask = np.zeros(n, dtype=bool)
    mask[members] = True
    return mask
