"""Cells of one type: the piece a mesh is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import frozen_copy
from flexmbs.core.errors import MeshError
from flexmbs.meshes.cells import cell_type
from flexmbs.meshes.sets import as_indices

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CellBlock"]


@dataclass(frozen=True, eq=False)
class CellBlock:
    """Cells of one type.

    Parameters
    ----------
    cell_type : str
        The name as meshio has it: ``line``, ``line3``, ``triangle``, ``triangle6``, ``quad``, ``quad8``, ``quad9``,
        ``tetra``, ``tetra10``, ``hexahedron`` or ``hexahedron20``.
    nodes : (n_c, n_a) array of int
        The points of each cell, numbered as in VTK: corners first, then the middles of the edges.

    Raises
    ------
    MeshError
        If the type is unknown, the shape does not fit it, there is no cell, or a cell names a point twice.

    Examples
    --------
    >>> CellBlock("line", [[0, 1], [1, 2]]).n_cells
    2
    """

    cell_type: str
    nodes: NDArray[np.int64]

    def __post_init__(self) -> None:
        kind = cell_type(self.cell_type)
        owner = f"cells of type {self.cell_type!r}"
        nodes = as_indices(owner, "nodes", self.nodes, ndim=2)
        if nodes.shape[1] != kind.n_nodes or not len(nodes):
            raise MeshError(f"{owner}: nodes must have shape (any, {kind.n_nodes}), any > 0, not {nodes.shape}.")
        if nodes.min() < 0:
            raise MeshError(f"{owner}: cell {int(np.argmin(nodes.min(axis=1)))} names the point {nodes.min()}.")
        ordered = np.sort(nodes, axis=1)
        twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if len(twice):
            raise MeshError(
                f"{owner}: cell {int(twice[0])} names a point twice: {nodes[twice[0]].tolist()}"
                f"{f' (and {len(twice) - 1} more cells do)' if len(twice) > 1 else ''}; remove collapsed cells."
            )
        object.__setattr__(self, "nodes", frozen_copy(nodes))

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"CellBlock({self.n_cells} x {self.cell_type})"
