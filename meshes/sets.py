"""Checks of the numbers, names and sets that a mesh is given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import MOST, as_count, as_name, frozen_copy, is_list, show
from flexmbs.core.errors import MeshError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "as_cell_sets",
    "as_divisions",
    "as_indices",
    "as_named",
    "as_node_sets",
    "as_pairs",
    "as_sequence",
    "chosen",
]


def as_divisions(owner: str, value: object, dim: int) -> tuple[int, ...]:
    """Numbers of elements along each of ``dim`` directions, with no more of them in all than a mesh may have."""
    if not is_list(value, dim):
        raise MeshError(f"{owner}: elements must be {dim} whole numbers, one along each axis, not {show(value)}.")
    counts = tuple(as_count(owner, f"elements[{i}]", n, minimum=1) for i, n in enumerate(value))
    if math.prod(counts) > MOST:
        raise MeshError(f"{owner}: elements = {show(value)} are {math.prod(counts)} in all; at most {MOST} are made.")
    return counts


def as_indices(owner: str, name: str, value: object, ndim: int) -> NDArray[np.int64]:
    """A new array of whole numbers with ``ndim`` axes; masks and floats are refused, an empty list is fine."""
    try:
        array = np.array(value)
    except (TypeError, ValueError):
        raise MeshError(f"{owner}: {name} must be an array of whole numbers, not {show(value)}.") from None
    if array.size == 0 and array.ndim == 1:
        array = np.zeros((0,) * ndim, dtype=np.int64)
    if array.ndim != ndim or array.dtype.kind not in "iu":
        raise MeshError(
            f"{owner}: {name} must be an array of whole numbers with {ndim} axes, not of type {array.dtype} and shape "
            f"{array.shape}: {show(value)}."
        )
    return array.astype(np.int64)


def as_node_sets(sets: object, n_points: int) -> dict[str, NDArray[np.int64]]:
    """Named sets of points: sorted, without repetition, in range and not empty."""
    out = {}
    for name, members in as_named("node set", sets).items():
        out[name] = _members(f"node set {name!r}", members, n_points)
        if not len(out[name]):
            raise MeshError(f"mesh: node set {name!r} is empty; leave it out or choose points.")
    return out


def as_cell_sets(sets: object, sizes: Sequence[int]) -> dict[str, tuple[NDArray[np.int64], ...]]:
    """Named sets of cells: one array per block, sorted, without repetition, in range and not empty as a whole."""
    out = {}
    for name, value in as_named("cell set", sets).items():
        parts = as_sequence(f"cell set {name!r}", value)
        if len(parts) != len(sizes) or any(np.ndim(part) != 1 for part in parts):
            raise MeshError(
                f"mesh: cell set {name!r} must hold one array of cell numbers for each of the {len(sizes)} blocks of "
                f"cells (empty ones where it has none), not {show(value)}."
            )
        out[name] = tuple(
            _members(f"cell set {name!r} in block {i}", part, size)
            for i, (part, size) in enumerate(zip(parts, sizes, strict=True))
        )
        if not sum(map(len, out[name])):
            raise MeshError(f"mesh: cell set {name!r} is empty; leave it out or choose cells.")
    return out


def as_named(what: str, value: object) -> dict[str, Any]:
    """A dictionary whose keys are names."""
    if not isinstance(value, Mapping):
        raise MeshError(f"mesh: {what}s must be a mapping from names to arrays, not {show(value)}.")
    return {as_name("mesh", f"the name of a {what}", name): entry for name, entry in value.items()}


def as_pairs(value: object) -> list[Any]:
    """The blocks of cells: a list of blocks or of pairs, at least one."""
    blocks = as_sequence("mesh: cells", value)
    if not blocks:
        raise MeshError("mesh: there are no cells; give one block or more, such as [('line', [[0, 1]])].")
    for block in blocks:
        paired = isinstance(block, tuple | list) and len(block) == 2 and isinstance(block[0], str)
        if not (paired or hasattr(block, "cell_type")):
            raise MeshError(f"mesh: cells must hold CellBlock objects or (type, nodes) pairs, not {show(block)}.")
    return blocks


def as_sequence(owner: str, value: object) -> list[Any]:
    """A list of the entries of a sequence or array."""
    if not isinstance(value, list | tuple | np.ndarray | range) or (isinstance(value, np.ndarray) and value.ndim == 0):
        raise MeshError(f"{owner} must be a sequence, not {show(value)}.")
    return list(value)


def chosen(owner: str, mask: object, n: int) -> NDArray[np.int64]:
    """The numbers that a mask (n,) chooses."""
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (n,):
        raise MeshError(
            f"{owner}: the function must return a bool mask of shape ({n},), not {array.dtype} of shape {array.shape}."
        )
    return np.flatnonzero(array)


def _members(owner: str, value: object, n: int) -> NDArray[np.int64]:
    """Numbers below n, sorted and without repetition."""
    members = np.unique(as_indices(owner, "its numbers", value, ndim=1))
    if len(members) and (members[0] < 0 or members[-1] >= n):
        wrong = members[0] if members[0] < 0 else members[-1]
        raise MeshError(f"{owner}: number {wrong} is out of range 0 ... {n - 1} (numbers start at 0).")
    return np.asarray(frozen_copy(members))
