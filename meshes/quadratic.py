"""Linear cells made quadratic by a node in the middle of every edge, on plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import MeshError
from flexmbs.meshes.cells import HEXAHEDRON_EDGES, QUAD_EDGES, TETRA_EDGES, TRIANGLE_EDGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flexmbs.meshes.combine import Plain

__all__ = ["raise_degree"]

RAISED: dict[str, tuple[str, tuple[tuple[int, int], ...]]] = {
    "line": ("line3", ((0, 1),)),
    "triangle": ("triangle6", TRIANGLE_EDGES),
    "quad": ("quad8", QUAD_EDGES),
    "tetra": ("tetra10", TETRA_EDGES),
    "hexahedron": ("hexahedron20", HEXAHEDRON_EDGES),
}
"""The quadratic type of a linear one, and the edges in the order of its new nodes."""


def raise_degree(
    points: NDArray[np.float64],
    blocks: Sequence[tuple[str, NDArray[np.int64]]],
    node_sets: Mapping[str, NDArray[np.int64]],
    cell_sets: Mapping[str, Sequence[NDArray[np.int64]]],
    point_data: Mapping[str, NDArray[np.float64]],
) -> Plain:
    """Everything that makes a mesh with quadratic cells; see `flexmbs.meshes.Mesh.quadratic` for the rules."""
    for name, _ in blocks:
        if name not in RAISED:
            raise MeshError(f"quadratic: {name} cells are quadratic already; only a linear mesh can be raised.")
    edges = [nodes[:, RAISED[name][1]] for name, nodes in blocks]
    ends = np.sort(np.concatenate([pairs.reshape(-1, 2) for pairs in edges]), axis=1)
    key, number = np.unique(ends[:, 0] * len(points) + ends[:, 1], return_inverse=True)
    low, high = np.divmod(key, len(points))
    made, start = [], 0
    for (name, nodes), pairs in zip(blocks, edges, strict=True):
        count = pairs.shape[0] * pairs.shape[1]
        middles = len(points) + number[start : start + count].reshape(pairs.shape[:2])
        made.append((RAISED[name][0], np.hstack([nodes, middles])))
        start += count
    grown = {}
    for name, members in node_sets.items():
        inside = np.zeros(len(points), dtype=bool)
        inside[members] = True
        grown[name] = np.concatenate([members, len(points) + np.flatnonzero(inside[low] & inside[high])])
    data = {name: np.vstack([values, _middle(name, values, low, high, points)]) for name, values in point_data.items()}
    return np.vstack([points, 0.5 * (points[low] + points[high])]), made, grown, cell_sets, data


def _middle(
    name: str, values: NDArray[np.float64], low: NDArray[np.int64], high: NDArray[np.int64], points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Data in the middle of edges; tangents stay of unit length, and are that of the edge where the ends cancel."""
    mean = 0.5 * (values[low] + values[high])
    if name != "tangent":
        return np.asarray(mean)
    along = points[high] - points[low]
    mean = np.where(np.linalg.norm(mean, axis=1, keepdims=True) > 1e-9, mean, along)
    return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True))
