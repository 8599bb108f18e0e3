"""Results for ParaView: XDMF files with lines and facets of all bodies, made by meshio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.results.deformation import chosen_states
from flexmbs.results.modal import ModalSolution
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.visualization.body_parts import Parts, mode_parts, parts_at
from flexmbs.visualization.sampling import PIECES, Curves, drawn_at, facets, label_of, symbols
from flexmbs.visualization.xdmf import write_xdmf

if TYPE_CHECKING:
    from flexmbs.model.model import Model

__all__ = ["write_modes", "write_series"]


def write_series(solution: StaticSolution | TimeSolution, path: str | PathLike[str], steps: Any = slice(None)) -> Path:
    """Write equilibria as a series over the load factor, or a motion as one over time.

    Every element becomes a line of 8 pieces, on surfaces 4 by 4 facets, with points of its own, in the stress-free
    shape; other bodies, strings and springs become lines, and the faces of their meshes triangles, where they are in
    the model. Point data, each with its unit in the name, are ``displacement`` (the filter Warp By Vector shows the
    deformed shape) and all stress resultants (straight through the points of each element where they are good; NaN on
    bodies that do not have them); cell data are ``body`` and ``element``,
    counted from 0, flexible bodies on meshes first. The numbers are in a second
    file, named ``<path>.h5``, which must stay beside the first.

    Parameters
    ----------
    solution : StaticSolution or TimeSolution
    path : path-like
        Its name must end in ``.xdmf``. Both files are replaced if they exist.
    steps : slice, array of int, or array of bool, optional
        Which stored states; all by default.

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
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel)
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = bent.to_paraview(f"{folder}/bent.xdmf")
    ...     sorted(file.name for file in path.parent.iterdir())
    ['bent.xdmf', 'bent.xdmf.h5']
    """
    if not isinstance(solution, StaticSolution | TimeSolution):
        raise ModelError(f"write_series: expected a StaticSolution or a TimeSolution, not {show(solution)}.")
    model, curves, chosen = solution.model, Curves(solution), chosen_states("write_series", solution, steps)
    rest = parts_at(solution.system, curves.reference)
    pieces = _Pieces(model, rest)
    length = model.units.of("length")
    beside = len(pieces.points) - sum(shape.size // 3 for shape in rest.shapes)

    def series() -> Iterator[tuple[float, dict[str, FloatArray]]]:
        names = list(dict.fromkeys(s for body in model.flexible_bodies for s in symbols(body)))
        for i in np.arange(len(solution))[chosen]:
            q, v = np.array(solution.q[i]), np.array(solution.v[i])
            moved = pieces.stack(parts_at(solution.system, q).arrays())
            data = {f"displacement [{length}]": moved - pieces.points}
            for symbol in names:
                found = [
                    curves.resultant(body, symbol, q, v).ravel()
                    if symbol in symbols(body)
                    else np.full(len(body.cells) * len(drawn_at(body)), np.nan)
                    for body in model.flexible_bodies
                ]
                data[label_of(model, symbol)] = np.concatenate([*found, np.full(beside, np.nan)])
            yield float(solution.t[i]), data

    return _write("write_series", path, pieces, series())


def write_modes(modes: ModalSolution, path: str | PathLike[str], share: float = 0.1) -> Path:
    """Write modes as displacement fields over the state they belong to.

    Point data are one field of displacements per mode, named by its number and frequency (real part for complex
    modes): choose one in the filter Warp By Vector. Lines and the second file are as for `write_series`.

    Parameters
    ----------
    modes : ModalSolution
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
    if not isinstance(modes, ModalSolution):
        raise ModelError(f"write_modes: expected a ModalSolution, not {show(modes)}.")
    share = as_number("write_modes", "share", share, above=0.0)
    unit = modes.model.units.of("frequency")
    state = parts_at(modes.system, modes.q)
    pieces = _Pieces(modes.model, state)
    data = {}
    for i, frequency in enumerate(modes.frequencies):
        found = mode_parts(modes, i, share=share)
        data[f"mode {i}: {frequency:.5g} {unit}"] = pieces.stack(found.displacements)
    return _write("write_modes", path, pieces, iter([(0.0, data)]))


class _Pieces:
    """Cells of all parts: lines and facets of elements, each with points of its own, lines and triangles of the others.

    Elements have their own points because resultants may jump between them. Gaps in lines have no points.
    """

    def __init__(self, model: Model, rest: Parts) -> None:
        self.kept = [np.isfinite(points).all(axis=-1).ravel() for points in rest.arrays()]
        self.points = self.stack(rest.arrays())
        self.cells: list[tuple[str, IntArray]] = []
        self.numbers: dict[str, list[IntArray]] = {"body": [], "element": []}
        found: dict[str, list[tuple[IntArray, IntArray, IntArray]]] = {}
        first = number = 0
        for body, shape in zip(model.flexible_bodies, rest.shapes, strict=True):
            starts = np.arange(PIECES, dtype=np.int64)
            own = facets() if body.surface else np.column_stack((starts, starts + 1))
            n_e, n_p = shape.shape[:2]
            cells = (first + n_p * np.arange(n_e)[:, None, None] + own).reshape(-1, own.shape[1])
            which = np.repeat(np.arange(n_e), len(own))
            kind = "quad" if body.surface else "line"
            found.setdefault(kind, []).append((cells, np.full(len(cells), number), which))
            first, number = first + n_e * n_p, number + 1
        for (*_, points), kept in zip(rest.lines, self.kept[len(rest.shapes) :], strict=False):
            place = first + np.cumsum(kept) - 1
            joined = np.flatnonzero(kept[:-1] & kept[1:])
            cells = np.column_stack((place[joined], place[joined + 1])) if len(points) > 1 else np.full((1, 2), first)
            if len(cells):
                found.setdefault("line", []).append((cells, np.full(len(cells), number), np.arange(len(cells))))
            first, number = first + int(kept.sum()), number + 1
        for _, points, triangles in rest.faces:
            numbers = np.full(len(triangles), number)
            found.setdefault("triangle", []).append((first + triangles, numbers, np.arange(len(triangles))))
            first, number = first + len(points), number + 1
        for kind, parts in found.items():
            cells, bodies, elements = (np.concatenate(column) for column in zip(*parts, strict=True))
            self.cells.append((kind, cells))
            self.numbers["body"].append(bodies)
            self.numbers["element"].append(elements)

    def stack(self, arrays: list[FloatArray]) -> FloatArray:
        """Points (n, 3), or their displacements, of all parts, without those of gaps."""
        flat = [points.reshape(-1, 3)[kept] for points, kept in zip(arrays, self.kept, strict=True)]
        return np.ascontiguousarray(np.concatenate([np.zeros((0, 3)), *flat]))


def _write(
    owner: str, path: str | PathLike[str], pieces: _Pieces, steps: Iterator[tuple[float, Mapping[str, FloatArray]]]
) -> Path:
    """Pieces with their numbers as cell data."""
    return write_xdmf(
        owner, path, pieces.points, pieces.cells, ((time, fields, pieces.numbers) for time, fields in steps)
    )
