"""Mode shapes for ParaView: one VTU file with the mesh of the part and a field of displacements for each mode.

The filter Warp By Vector shows a mode. Numbers are written as text with 17 digits. Simulations are written by
``TimeSolution.to_paraview``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from flexmbs.core.contracts import IntArray
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.shapes import mode_shapes
from flexmbs.reduction.export.written import ExportResult, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_paraview"]

CELLS = {
    "vertex": 1, "line": 3, "triangle": 5, "quad": 9, "tetra": 10, "hexahedron": 12, "wedge": 13, "pyramid": 14,
    "line3": 21, "triangle6": 22, "quad8": 23, "tetra10": 24, "hexahedron20": 25, "wedge15": 26, "quad9": 28,
    "hexahedron27": 29,
}  # fmt: skip
"""Numbers of the types of cells in VTK; the order of nodes is VTK's already."""
DEFAULT = 20


def write_paraview(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    fixed: str | Sequence[str] = (),
    modes: int | None = None,
) -> ExportResult:
    """Write mode shapes on the mesh.

    Parameters
    ----------
    model : ReducedModel
        From a `Part`; without cells its nodes become loose points.
    path : path
    overwrite : bool, default False
    fixed : str or sequence of str, default ()
        Interfaces that are held.
    modes : int, optional
        How many; 20, or all if they are fewer, by default.
    """
    hertz, vectors = mode_shapes("VTU file", model, fixed, modes)
    if modes is None:
        hertz, vectors = hertz[:DEFAULT], vectors[:, :DEFAULT]
    moving = model.dofs.node[model.dofs.node >= 0]
    used = np.unique(np.concatenate([moving, *(c.ravel() for c in model.cells.values())]))
    number = np.full(len(model.points), -1)
    number[used] = np.arange(len(used))
    unknown = sorted(set(model.cells) - set(CELLS))
    losses = tuple(f"cells of type {kind}" for kind in unknown)
    cells = {kind: number[nodes] for kind, nodes in model.cells.items() if kind in CELLS}
    if not cells:
        cells = {"vertex": np.arange(len(used))[:, None]}
    with placed(path, overwrite) as part, part.open("w", encoding="utf-8") as stream:
        stream.write('<?xml version="1.0"?>\n')
        stream.write('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian">\n')
        count = sum(len(c) for c in cells.values())
        stream.write(f' <UnstructuredGrid>\n  <Piece NumberOfPoints="{len(used)}" NumberOfCells="{count}">\n')
        stream.write("   <Points>\n")
        stream.writelines(_array("Float64", "Points", model.points[used], 3))
        stream.write("   </Points>\n   <Cells>\n")
        stream.writelines(_cells(cells))
        stream.write("   </Cells>\n   <PointData>\n")
        for k, f in enumerate(hertz):
            moved = model.reconstruct(vectors[:, k])[used, :3]
            stream.writelines(_array("Float64", f"mode {k + 1}: {f:.6g}", moved, 3))
        stream.write("   </PointData>\n  </Piece>\n </UnstructuredGrid>\n</VTKFile>\n")
    return ExportResult("paraview", path, losses)


def _array(kind: str, name: str, values: object, components: int = 1) -> Iterator[str]:
    """One array, a row on a line."""
    size = f' NumberOfComponents="{components}"' if components > 1 else ""
    yield f'    <DataArray type="{kind}" Name={quoteattr(name)}{size} format="ascii">\n'
    for row in np.asarray(values).reshape(-1, components).tolist():
        yield " ".join(map(repr, row)) + "\n"
    yield "    </DataArray>\n"


def _cells(cells: dict[str, IntArray]) -> Iterator[str]:
    """Connectivity, offsets and types."""
    yield from _array("Int64", "connectivity", np.concatenate([c.ravel() for c in cells.values()]))
    lengths = np.concatenate([np.full(len(c), c.shape[1]) for c in cells.values()])
    yield from _array("Int64", "offsets", np.cumsum(lengths))
    yield from _array("UInt8", "types", np.concatenate([np.full(len(c), CELLS[kind]) for kind, c in cells.items()]))


FORMATS = {
    "paraview": Format(".vtu", "mode shapes for ParaView", write_paraview, family="vtu"),
}
