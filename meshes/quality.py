"""What is good and bad in a mesh: sizes, shapes, inverted and repeated cells, coincident, hanging and unused points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_number, frozen_copy, show
from flexmbs.core.errors import MeshError
from flexmbs.meshes.cells import cell_type, gradients, measures, quadrature
from flexmbs.meshes.loose import loose_points
from flexmbs.meshes.mesh import Mesh
from flexmbs.meshes.repeated import repeated_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BlockQuality", "Quality", "quality"]

#: a cell is degenerate if its Jacobian falls below this part of its diameter to the power of its dimension
DEGENERATE = 1e-10


@dataclass(frozen=True, eq=False)
class BlockQuality:
    """The quality of one block of cells.

    Parameters
    ----------
    cell_type : str
        The type of its cells.
    n_cells : int
        Their number.
    smallest, largest : float
        The extreme lengths, areas or volumes (negative for inverted cells).
    worst_aspect : float
        The largest aspect ratio: largest over smallest stretch of the map from the ideal cell (square, cube,
        equilateral simplex) at the centre of a cell; 1 is ideal, a rectangle has the ratio of its sides.
    worst_cell : int
        The number of the cell that has it.
    bad_cells : (n,) array of int
        The inverted and degenerate cells.
    """

    cell_type: str
    n_cells: int
    smallest: float
    largest: float
    worst_aspect: float
    worst_cell: int
    bad_cells: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Quality:
    """The quality of a mesh; made by `quality`, and tidy when printed.

    Parameters
    ----------
    blocks : tuple of BlockQuality
        One entry for each block of cells.
    inverted : tuple of (int, int)
        Block and number of each cell that is turned inside out somewhere, or has (nearly) no length, area or volume.
    coincident : (n, 2) array of int
        Pairs of points at the same place.
    unused : (n,) array of int
        Points that belong to no cell.
    repeated : tuple of (int, int)
        Block and number of each cell with the nodes of an earlier cell of its type, in any order.
    hanging : (n,) array of int
        Points that lie on a side of a cell of their piece, to 1e-5 of its size, without being one of its nodes.
    """

    blocks: tuple[BlockQuality, ...]
    inverted: tuple[tuple[int, int], ...]
    coincident: NDArray[np.int64]
    unused: NDArray[np.int64]
    repeated: tuple[tuple[int, int], ...] = ()
    hanging: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def check(self) -> None:
        """Raise a `MeshError` that names the inverted or degenerate cells, if there are any."""
        if self.inverted:
            named = [f"{self.blocks[block].cell_type} cell {cell} of block {block}" for block, cell in self.inverted]
            raise MeshError(
                f"mesh: {_count(len(named), 'cell')} inverted or degenerate: {_some(named)}; number the corners of "
                "surfaces counter-clockwise and of solids as in VTK, and remove cells without size."
            )

    def __str__(self) -> str:
        head = ("cells", "type", "smallest", "largest", "worst aspect", "at cell", "bad")
        rows = [
            (
                str(b.n_cells),
                b.cell_type,
                f"{b.smallest:.4g}",
                f"{b.largest:.4g}",
                f"{b.worst_aspect:.3g}",
                str(b.worst_cell),
                str(len(b.bad_cells)),
            )
            for b in self.blocks
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
        pairs = [f"{a} = {b}" for a, b in self.coincident[:5]]
        lines += [
            f"inverted or degenerate cells: {_some([f'{cell} of block {block}' for block, cell in self.inverted])}",
            f"repeated cells: {_some([f'{cell} of block {block}' for block, cell in self.repeated])}",
            f"coincident points: {_some(pairs, len(self.coincident))}",
            f"hanging points: {_some([str(p) for p in self.hanging])}",
            f"unused points: {_some([str(p) for p in self.unused])}",
        ]
        return "\n".join(lines)


def quality(mesh: Mesh, tolerance: float | None = None) -> Quality:
    """Measure the quality of a mesh.

    A cell counts as inverted if det(dx/dxi) is not positive at one of its nodes or Gauss points; for lines, and for
    surfaces in space, where the sign has no meaning, only a vanishing measure (and a fold of a surface) can be told.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    tolerance : float, optional
        The distance up to which points count as coincident; by default 1e-9 of the diagonal around the mesh.

    Examples
    --------
    >>> from flexmbs.meshes import Mesh
    >>> bad = quality(Mesh([(0, 0), (1, 0), (1, 1), (0, 1)], [("quad", [[0, 3, 2, 1]])]))
    >>> print(bad)
    cells  type  smallest  largest  worst aspect  at cell  bad
        1  quad        -1       -1             1        0    1
    inverted or degenerate cells: 0 of block 0
    repeated cells: none
    coincident points: none
    hanging points: none
    unused points: none
    """
    if not isinstance(mesh, Mesh):
        raise MeshError(f"quality: mesh must be a Mesh, not {show(mesh)}.")
    if tolerance is None:
        tolerance = 1e-9 * float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
    tolerance = as_number("quality", "tolerance", tolerance, minimum=0.0, unit="length")
    sizes = mesh.cell_sizes
    blocks = tuple(_block(mesh, i, sizes[i]) for i in range(len(mesh.cells)))
    used = np.zeros(mesh.n_points, dtype=bool)
    for block in mesh.cells:
        used[block.nodes] = True
    from scipy.spatial import cKDTree  # slow to import, seldom needed

    pairs = cKDTree(mesh.points).query_pairs(tolerance, output_type="ndarray").astype(np.int64).reshape(-1, 2)
    return Quality(
        blocks,
        tuple((i, int(cell)) for i, block in enumerate(blocks) for cell in block.bad_cells),
        frozen_copy(pairs[np.lexsort(pairs.T[::-1])]),
        frozen_copy(np.flatnonzero(~used)),
        tuple((block, cell) for block, cell, *_ in repeated_cells(mesh.cells).tolist()),
        frozen_copy(loose_points(mesh.points, [(block.cell_type, block.nodes) for block in mesh.cells]).hanging),
    )


def _block(mesh: Mesh, index: int, sizes: NDArray[np.float64]) -> BlockQuality:
    """The quality of one block."""
    block = mesh.cells[index]
    kind = cell_type(block.cell_type)
    x = mesh.points[block.nodes]
    centre = kind.nodes[: kind.n_corners].mean(axis=0, keepdims=True)
    aspect = np.ones(block.n_cells)
    if kind.dim > 1:
        middle = np.einsum("cad,ai->cdi", x, gradients(kind, centre)[0]) @ np.linalg.inv(kind.ideal)
        stretches = np.linalg.svd(middle, compute_uv=False)
        tiny = stretches[:, -1] <= np.finfo(float).eps * stretches[:, 0]
        aspect = np.where(tiny, np.inf, stretches[:, 0] / np.where(tiny, 1.0, stretches[:, -1]))
    diameter = np.linalg.norm(np.ptp(x, axis=1), axis=1)
    lowest = np.full(block.n_cells, np.inf)
    normal = np.zeros((block.n_cells, 3))
    folded = np.zeros(block.n_cells, dtype=bool)
    xi = np.vstack([kind.nodes, quadrature(block.cell_type)[0]])
    for slopes in gradients(kind, xi):
        jacobian = np.einsum("cad,ai->cdi", x, slopes)
        lowest = np.minimum(lowest, measures(jacobian))
        if kind.dim == 2 and mesh.dim == 3:
            here = np.cross(jacobian[:, :, 0], jacobian[:, :, 1])
            folded |= (here * normal).sum(axis=1) < 0
            normal += here
    bad = np.flatnonzero((lowest <= DEGENERATE * diameter**kind.dim) | folded)
    worst = int(np.argmax(aspect))
    return BlockQuality(
        block.cell_type,
        block.n_cells,
        float(sizes.min()),
        float(sizes.max()),
        float(aspect[worst]),
        worst,
        frozen_copy(bad),
    )


def _count(n: int, what: str) -> str:
    """A number with its noun and verb."""
    return f"{n} {what} is" if n == 1 else f"{n} {what}s are"


def _some(names: list[str], total: int | None = None) -> str:
    """The first few of a list of names, and how many more there are."""
    total = len(names) if total is None else total
    more = f" and {total - 5} more" if total > 5 else ""
    return (", ".join(names[:5]) or "none") + more
