"""Lines of three nodes from lines of two, two by two."""

from __future__ import annotations

import numpy as np

from flexmbs.core.errors import MeshError
from flexmbs.meshes.block import CellBlock
from flexmbs.meshes.mesh import Mesh

__all__ = ["three_node"]


def three_node(mesh: Mesh) -> Mesh:
    """A mesh of ``line`` cells with every two consecutive ones as one ``line3`` cell.

    The point between the two becomes the middle node, so a curve stays as exact as its points are, unlike with
    ``mesh.quadratic()``, whose new points lie on the chords. Points, their sets and data are kept; a set of cells keeps
    those of which it had both halves.

    Parameters
    ----------
    mesh : Mesh
        With an even number of ``line`` cells, of which cells 0 and 1, 2 and 3, ... follow each other.

    Raises
    ------
    MeshError
        If there are other cells, an odd number, or two that do not follow each other.

    Examples
    --------
    >>> from flexmbs.meshes import line, three_node
    >>> three_node(line((0, 0), (1, 0), 4)).cells[0].nodes.tolist()
    [[0, 2, 1], [2, 4, 3]]
    """
    if not isinstance(mesh, Mesh) or any(block.cell_type != "line" for block in mesh.cells):
        raise MeshError(f"three_node: expected a mesh of line cells only, not {mesh!r}.")
    blocks = []
    for block in mesh.cells:
        if block.n_cells % 2:
            raise MeshError(
                f"three_node: {block.n_cells} line cells cannot be taken two by two; make an even number of them."
            )
        first, second = block.nodes[::2], block.nodes[1::2]
        apart = np.flatnonzero(first[:, 1] != second[:, 0])
        if len(apart):
            i = 2 * int(apart[0])
            raise MeshError(
                f"three_node: cell {i + 1} does not begin at point {first[apart[0], 1]}, where cell {i} ends; number "
                f"the cells along the line, all in one direction."
            )
        blocks.append(CellBlock("line3", np.column_stack((first[:, 0], second[:, 1], first[:, 1]))))
    sets = {
        name: tuple(np.array([i for i in np.unique(part // 2) if {2 * i, 2 * i + 1} <= set(part.tolist())], dtype=int)
                    for part in parts)
        for name, parts in mesh.cell_sets.items()
    }  # fmt: skip
    return Mesh(mesh.points, tuple(blocks), mesh.node_sets, {k: v for k, v in sets.items() if sum(map(len, v))},
                mesh.point_data)  # fmt: skip
