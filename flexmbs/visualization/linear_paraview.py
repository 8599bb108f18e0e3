"""Results of linear structures for ParaView: VTU files with cells, displacements, modes and stresses, by meshio."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.io.sealed import as_target, replaced
from flexmbs.linear.linear_modes import LinearModes
from flexmbs.linear.linear_solution import LinearSolution
from flexmbs.linear.operators import Operators
from flexmbs.linear.prestress import BucklingLoads
from flexmbs.linear.stresses import STRESS_NAMES, element_stresses

__all__ = ["write_vtu"]


def write_vtu(result: LinearSolution | LinearModes | BucklingLoads, path: str | PathLike[str]) -> Path:
    """Write a result of a linear structure to a file for ParaView.

    Point data are ``displacement`` (the filter Warp By Vector shows the deformed shape), ``rotation`` where nodes have
    some, and ``von Mises`` (averaged, nan where there is none); or one field of displacements per mode, named by its
    number and frequency or load factor. Cell data are ``region``, counted from 0 in the order of the part, and for
    static solutions the mean stress of each solid cell, ``xx`` to ``xz`` (nan for others). Operators without elements
    become loose points.

    Parameters
    ----------
    result : LinearSolution, LinearModes or BucklingLoads
    path : path-like
        Its name must end in ``.vtu``; an existing file is replaced.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError
        If ``result`` is of another kind or the suffix is another one.
    FlexmbsError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fx.visualization.write_vtu(fx.linear.vibration_modes(lug, 8), f"{folder}/modes.vtu").name
    'modes.vtu'
    """
    import meshio

    owner = "write_vtu"
    if not isinstance(result, LinearSolution | LinearModes | BucklingLoads):
        raise ModelError(
            f"{owner}: expected what static_response, vibration_modes or buckling_loads return, not {show(result)}."
        )
    target = as_target(owner, path, (".vtu",))
    operators = result.solution.operators if isinstance(result, BucklingLoads) else result.operators
    cells, regions = _cells(operators)
    cell_data: dict[str, list[Any]] = {"region": regions}
    if isinstance(result, LinearSolution):
        point_data = {"displacement": result.displacements[:, :3]}
        if result.displacements[:, 3:].any():
            point_data["rotation"] = result.displacements[:, 3:]
        if operators.part is not None:
            point_data["von Mises"] = result.von_mises
            cell_data |= _cell_stresses(result)
    else:
        values = result.factors if isinstance(result, BucklingLoads) else result.frequencies
        word = "load factor " if isinstance(result, BucklingLoads) else ""
        point_data = {f"mode {i}: {word}{v:.5g}": result.shape(i)[:, :3] for i, v in enumerate(values)}
    mesh = meshio.Mesh(
        np.array(operators.points),
        cells,
        point_data={name: np.ascontiguousarray(field) for name, field in point_data.items()},
        cell_data=cell_data,
    )
    with replaced(owner, target) as (draft,):
        meshio.write(draft, mesh, file_format="vtu")
    return target


def _cells(operators: Operators) -> tuple[list[tuple[str, Any]], list[Any]]:
    """Cells by piece, and the number of the region of each."""
    if operators.part is None:
        points = np.arange(len(operators.points))[:, None]
        return [("vertex", points)], [np.zeros(len(points), dtype=np.int64)]
    pieces = operators.part.pieces
    known: list[Any] = []
    numbers = []
    for piece in pieces:
        if piece.region not in known:
            known.append(piece.region)
        numbers.append(np.full(len(piece.cells), known.index(piece.region), dtype=np.int64))
    return [(p.region.element.cell_type, np.array(p.cells)) for p in pieces], numbers


def _cell_stresses(solution: LinearSolution) -> dict[str, list[FloatArray]]:
    """Mean stresses of the cells of each piece, by component."""
    part = solution.operators.part
    assert part is not None  # noqa: S101  # the caller asked
    found = element_stresses(part, solution.operators.expand(solution.u), solution.thermal)
    means: dict[str, list[FloatArray]] = {name: [] for name in STRESS_NAMES}
    for stress in found:
        solid = stress.names == STRESS_NAMES
        for c, name in enumerate(STRESS_NAMES):
            mean = stress.values[:, :, c].mean(axis=1) if solid else np.full(len(stress.cells), np.nan)
            means[name].append(mean)
    return means
