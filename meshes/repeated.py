"""Cells that a mesh has twice: the same nodes, in any order, in cells of the same type."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.meshes.block import CellBlock

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["repeated_cells", "say_repeated", "warn_of_repeated"]


def repeated_cells(blocks: Sequence[CellBlock], taken: Sequence[NDArray[np.bool_]] | None = None) -> NDArray[np.int64]:
    """Block and number of each cell that an earlier one equals, and of that one (n, 4); of the cells taken, or all.

    Examples
    --------
    >>> repeated_cells([CellBlock("line", [[0, 1], [1, 2]]), CellBlock("line", [[1, 0]])]).tolist()
    [[1, 0, 0, 0]]
    """
    found = [np.empty((0, 4), dtype=np.int64)]
    for kind in sorted({block.cell_type for block in blocks}):
        own = [(b, block) for b, block in enumerate(blocks) if block.cell_type == kind]
        numbers = [np.arange(block.n_cells) if taken is None else np.flatnonzero(taken[b]) for b, block in own]
        places = np.column_stack((np.repeat([b for b, _ in own], [len(k) for k in numbers]), np.concatenate(numbers)))
        nodes = np.sort(np.concatenate([block.nodes[k] for (_, block), k in zip(own, numbers, strict=True)]), axis=1)
        _, first, number = np.unique(nodes, axis=0, return_index=True, return_inverse=True)
        original = first[number.reshape(-1)]
        again = np.flatnonzero(original != np.arange(len(original)))
        found.append(np.column_stack((places[again], places[original[again]])))
    rows = np.concatenate(found)
    return np.asarray(rows[np.lexsort((rows[:, 1], rows[:, 0]))])


def say_repeated(blocks: Sequence[CellBlock], taken: Sequence[NDArray[np.bool_]] | None = None) -> str:
    """The first cell that is there twice, and how many are; nothing if none is."""
    rows = repeated_cells(blocks, taken)
    if not len(rows):
        return ""
    b, cell, b0, cell0 = rows[0].tolist()
    again, first = (f"{k} of block {n}" if len(blocks) > 1 else str(k) for k, n in ((cell, b), (cell0, b0)))
    count = f"{len(rows)} cells are there twice, the first is" if len(rows) > 1 else "one cell is there twice,"
    return (
        f"{count} {blocks[b].cell_type} cell {again}, with the nodes {blocks[b].nodes[cell].tolist()} of cell {first}"
    )


def warn_of_repeated(
    owner: str, blocks: Sequence[CellBlock], taken: Sequence[NDArray[np.bool_]] | None = None, *, stacklevel: int
) -> None:
    """Warn of cells whose stiffness and mass count twice; cells of different types may lie on each other."""
    said = say_repeated(blocks, taken)
    if said:
        warnings.warn(
            f"{owner}: {said}. Stiffness and mass count twice there; remove such cells, which "
            f"flexmbs.meshes.quality(mesh).repeated names, unless two layers of matter are meant.",
            RuntimeWarning,
            stacklevel=stacklevel + 1,
        )
