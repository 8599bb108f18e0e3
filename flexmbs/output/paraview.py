"""Results for ParaView: XDMF files with lines and facets of all bodies, made by meshio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import SubElement

import numpy as np

from flexmbs.analysis.modal import Modes
from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.hdf5 import new_hdf5
from flexmbs.output.sampling import PIECES, Curves, drawn_at, facets, label_of, model_size, symbols
from flexmbs.output.sealed import as_target, replaced
from flexmbs.solution import Solution

if TYPE_CHECKING:
    from flexmbs.model import Model

__all__ = ["write_modes", "write_series", "write_xdmf"]


def write_series(solution: Solution, path: str | PathLike[str]) -> Path:
    """Write the equilibria as a series over the load parameter.

    Every element becomes a line of 8 pieces, on surfaces 4 by 4 facets, with points of its own, in the stress-free
    shape. Point data, each with its unit in the name, are ``displacement`` (the filter Warp By Vector shows the
    deformed shape) and all stress resultants (straight through the points of each element where they are good; NaN on
    bodies that do not have them); cell data are ``body`` and ``element``, counted from 0. The numbers are in a second
    file, named ``<path>.h5``, which must stay beside the first.

    Parameters
    ----------
    solution : Solution
    path : path-like
        Its name must end in ``.xdmf``. Both files are replaced if they exist.

    Returns
    -------
    Path
        The file to open in ParaView (reader: Xdmf3).

    Raises
    ------
    ModelError
        If ``solution`` is not a solution or the suffix is another one.
    FlexmbsError
        If the files cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.PlanarCable(),
    ...                             section=fx.Rectangle(0.02, 0.002), material=fx.steel)
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = bent.to_paraview(f"{folder}/bent.xdmf")
    ...     sorted(file.name for file in path.parent.iterdir())
    ['bent.xdmf', 'bent.xdmf.h5']
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"write_series: expected a Solution, not {show(solution)}.")
    model, curves = solution.model, Curves(solution)
    pieces = _Pieces(model, [curves.shape(body, curves.reference) for body in model.flexible_bodies])
    length = model.units.of("length")

    def steps() -> Iterator[tuple[float, dict[str, FloatArray]]]:
        names = list(dict.fromkeys(s for body in model.flexible_bodies for s in symbols(body)))
        for parameter, q in zip(solution.parameters, solution.q, strict=True):
            moved = pieces.stack([curves.shape(body, q) for body in model.flexible_bodies])
            data = {f"displacement [{length}]": moved - pieces.points}
            for symbol in names:
                data[label_of(model, symbol)] = np.concatenate(
                    [
                        curves.resultant(body, symbol, q).ravel()
                        if symbol in symbols(body)
                        else np.full(len(body.cells) * len(drawn_at(body)), np.nan)
                        for body in model.flexible_bodies
                    ]
                )
            yield float(parameter), data

    return _write("write_series", path, pieces, steps())


def write_modes(modes: Modes, path: str | PathLike[str], share: float = 0.1) -> Path:
    """Write modes as displacement fields over the state they belong to.

    Point data are one field of displacements per mode, named by its number and frequency (real part for complex
    modes): choose one in the filter Warp By Vector. Lines and the second file are as for `write_series`.

    Parameters
    ----------
    modes : Modes
    path : path-like
        Its name must end in ``.xdmf``.
    share : float
        Largest displacement of each mode as a share of the size of the model, positive.

    Returns
    -------
    Path
        The file to open in ParaView (reader: Xdmf3).

    Raises
    ------
    ModelError, FlexmbsError
        As for `write_series`.
    """
    if not isinstance(modes, Modes):
        raise ModelError(f"write_modes: expected Modes, not {show(modes)}.")
    largest = as_number("write_modes", "share", share, above=0.0) * model_size(modes.model)
    bodies, unit = modes.model.flexible_bodies, modes.model.units.of("frequency")
    curves = Curves(modes)
    pieces = _Pieces(modes.model, [curves.shape(body, modes.q) for body in bodies])
    data = {}
    for i, frequency in enumerate(modes.frequencies):
        q = modes.q + np.real(modes.vectors[:, i])
        moved = pieces.stack([curves.shape(body, q) for body in bodies]) - pieces.points
        size = float(np.linalg.norm(moved, axis=1).max())
        data[f"mode {i}: {frequency:.5g} {unit}"] = moved * (largest / size if size > 0.0 else 0.0)
    return _write("write_modes", path, pieces, iter([(0.0, data)]))


class _Pieces:
    """Lines and facets of all elements, each with points of its own, because resultants may jump between elements."""

    def __init__(self, model: Model, shapes: list[FloatArray]) -> None:
        self.points = self.stack(shapes)
        self.cells: list[tuple[str, IntArray]] = []
        self.numbers: dict[str, list[IntArray]] = {"body": [], "element": []}
        found: dict[str, list[tuple[IntArray, IntArray, IntArray]]] = {}
        first = 0
        for number, (body, shape) in enumerate(zip(model.flexible_bodies, shapes, strict=True)):
            starts = np.arange(PIECES, dtype=np.int64)
            own = facets() if body.surface else np.column_stack((starts, starts + 1))
            n_e, n_p = shape.shape[:2]
            cells = (first + n_p * np.arange(n_e)[:, None, None] + own).reshape(-1, own.shape[1])
            which = np.repeat(np.arange(n_e), len(own))
            kind = "quad" if body.surface else "line"
            found.setdefault(kind, []).append((cells, np.full(len(cells), number), which))
            first += n_e * n_p
        for kind, parts in found.items():
            cells, bodies, elements = (np.concatenate(column) for column in zip(*parts, strict=True))
            self.cells.append((kind, cells))
            self.numbers["body"].append(bodies)
            self.numbers["element"].append(elements)

    @staticmethod
    def stack(shapes: list[FloatArray]) -> FloatArray:
        """Points (n, 3) of elements (n_e, n_p, dim) of all bodies; planar ones get z = 0."""
        flat = np.concatenate([shape.reshape(-1, shape.shape[-1]) for shape in shapes])
        return np.ascontiguousarray(np.pad(flat, ((0, 0), (0, 3 - flat.shape[1]))))


def _write(
    owner: str, path: str | PathLike[str], pieces: _Pieces, steps: Iterator[tuple[float, Mapping[str, FloatArray]]]
) -> Path:
    """Pieces with their numbers as cell data."""
    return write_xdmf(
        owner, path, pieces.points, pieces.cells, ((time, fields, pieces.numbers) for time, fields in steps)
    )


def _mixed(writer: Any, cells: list[tuple[str, IntArray]], grid: Any) -> None:
    """Cells of several types with lines among them, which meshio cannot write: type, 2 before lines, and nodes."""
    from meshio.xdmf.common import meshio_type_to_xdmf_index

    parts = []
    for kind, nodes in cells:
        heads = [meshio_type_to_xdmf_index[kind]] + ([2] if kind == "line" else [])
        parts.append(np.hstack((np.tile(heads, (len(nodes), 1)), nodes)).ravel())
    data = np.concatenate(parts).astype(np.int64)
    count = str(sum(len(nodes) for _, nodes in cells))
    topology = SubElement(grid, "Topology", TopologyType="Mixed", NumberOfElements=count)
    item = SubElement(
        topology, "DataItem", DataType="Int", Dimensions=str(len(data)), Format=writer.data_format, Precision="8"
    )
    item.text = writer.numpy_to_xml_string(data)


def write_xdmf(
    owner: str,
    path: str | PathLike[str],
    points: FloatArray,
    cells: list[tuple[str, IntArray]],
    steps: Iterator[tuple[float, Mapping[str, FloatArray], Mapping[str, list[Any]]]],
) -> Path:
    """A series of times with data of points and cells through meshio, both files as a whole or not at all."""
    from meshio.xdmf import TimeSeriesWriter

    target = as_target(owner, path, (".xdmf",))
    if ":" in target.name:
        raise ModelError(f"{owner}: the name {target.name!r} must not hold a colon, which XDMF puts between names.")
    data = target.with_name(target.name + ".h5")
    with replaced(owner, data, target) as (data_draft, draft):
        writer = TimeSeriesWriter(draft)
        if len(cells) > 1 and any(kind == "line" for kind, _ in cells):
            writer.cells = lambda blocks, grid: _mixed(writer, blocks, grid)
        # meshio would put this file into the working folder, under a name that results may have
        writer.h5_filename = data.name
        with new_hdf5(data_draft) as writer.h5_file:
            writer.write_points_cells(points, cells)
            for time, fields, numbers in steps:
                writer.write_data(time, point_data=dict(fields), cell_data=dict(numbers))
            writer.__exit__()
    return target
