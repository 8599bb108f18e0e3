"""Joining two meshes and taking a part of one, on plain arrays."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Plain", "extract", "join"]

Ints = NDArray[np.int64]
#: points, (type, nodes) blocks, node sets, cell sets, point data
Plain = tuple[
    NDArray[np.float64],
    Sequence[tuple[str, Ints]],
    Mapping[str, Ints],
    Mapping[str, Sequence[Ints]],
    Mapping[str, NDArray[np.float64]],
]


def extract(mesh: Plain, parts: Sequence[Ints]) -> Plain:
    """The cells of ``parts`` (numbers per block) with the points they use; see `flexmbs.meshes.Mesh.extracted`."""
    points, blocks, node_sets, cell_sets, point_data = mesh
    used = np.unique(np.concatenate([nodes[part].ravel() for (_, nodes), part in zip(blocks, parts, strict=True)]))
    number = np.full(len(points), -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    kept = [i for i, part in enumerate(parts) if len(part)]
    nodes_left = {name: number[members][number[members] >= 0] for name, members in node_sets.items()}
    # parts are sorted, so the place of a cell in its part is its new number
    cells_left = {
        name: [np.flatnonzero(np.isin(parts[i], members[i])) for i in kept] for name, members in cell_sets.items()
    }
    return (
        points[used],
        [(blocks[i][0], number[blocks[i][1][parts[i]]]) for i in kept],
        {name: members for name, members in nodes_left.items() if len(members)},
        {name: members for name, members in cells_left.items() if sum(map(len, members))},
        {name: values[used] for name, values in point_data.items()},
    )


def join(one: Plain, other: Plain, tolerance: float | None) -> Plain:
    """Both meshes with the coincident points of one and the other joined; see `flexmbs.meshes.Mesh.merged`."""
    points, more = one[0], other[0]
    if tolerance is None:
        tolerance = 1e-9 * float(np.linalg.norm(np.ptp(np.vstack([points, more]), axis=0)))
    from scipy.spatial import cKDTree  # slow to import, seldom needed

    distance, nearest = cKDTree(points).query(more, distance_upper_bound=np.nextafter(tolerance, np.inf))
    joined = np.isfinite(distance)
    number = np.empty(len(more), dtype=np.int64)
    number[joined] = nearest[joined]
    number[~joined] = len(points) + np.arange(np.count_nonzero(~joined))

    blocks: dict[str, list[Ints]] = {}
    places: list[list[tuple[str, int]]] = [[], []]
    for which, (mesh, renumber) in enumerate(((one, np.arange(len(points))), (other, number))):
        for name, nodes in mesh[1]:
            group = blocks.setdefault(name, [])
            places[which].append((name, sum(map(len, group))))
            group.append(renumber[nodes])

    node_sets = {name: [members] for name, members in one[2].items()}
    for name, members in other[2].items():
        node_sets.setdefault(name, []).append(number[members])
    cell_sets: dict[str, dict[str, list[Ints]]] = {}
    for mesh, offsets in zip((one, other), places, strict=True):
        for set_name, parts in mesh[3].items():
            gathered = cell_sets.setdefault(set_name, {name: [] for name in blocks})
            for (name, offset), part in zip(offsets, parts, strict=True):
                gathered[name].append(part + offset)
    return (
        np.vstack([points, more[~joined]]),
        [(name, np.vstack(group)) for name, group in blocks.items()],
        {name: np.concatenate(groups) for name, groups in node_sets.items()},
        {
            set_name: [np.concatenate([np.zeros(0, dtype=np.int64), *gathered[name]]) for name in blocks]
            for set_name, gathered in cell_sets.items()
        },
        _joined_data(one[4], other[4], joined, nearest[joined]),
    )


def _joined_data(
    one: Mapping[str, Any], other: Mapping[str, Any], joined: NDArray[np.bool_], nearest: Ints
) -> dict[str, NDArray[np.float64]]:
    """The point data that both meshes have and agree on at the joined points; a warning names the rest."""
    out, dropped = {}, []
    for name in sorted(set(one) | set(other)):
        a, b = one.get(name), other.get(name)
        if a is None or b is None or a.shape[1] != b.shape[1] or not _agree(name, a[nearest], b[joined]):
            dropped.append(name)
        else:
            out[name] = np.vstack([a, b[~joined]])
    if dropped:
        warnings.warn(
            f"merged: the point data {', '.join(map(repr, dropped))} is dropped: only one mesh has it, or the two "
            "differ at joined points (as tangents do at a kink).",
            stacklevel=4,
        )
    return out


def _agree(name: str, a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Whether the values at joined points are equal up to round-off; tangents may be opposite."""
    limit = 1e-9 * max(1.0, float(np.abs(a).max(initial=0.0)))
    differences = np.abs(a - b).max(axis=1, initial=0.0)
    if name == "tangent":
        differences = np.minimum(differences, np.abs(a + b).max(axis=1, initial=0.0))
    return bool((differences <= limit).all())
