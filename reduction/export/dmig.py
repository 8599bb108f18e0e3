"""Nastran's direct matrix input (DMIG): a superelement as bulk data.

Places of interfaces are GRIDs 1, 2, ..., modes are SPOINTs behind them; KAAX, MAAX and BAAX are stiffness, mass and
viscous damping, each one triangle (IFO 6), real, in double precision. In the case control: ``K2GG = KAAX``, ``M2GG =
MAAX``, ``B2GG = BAAX``. A field of 16 columns holds 12 digits, 11 of negative numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.info import version
from flexmbs.reduction.export.exposed import Exposed, expose
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.written import ExportResult, left_out, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "NAMES", "write_dmig"]

NAMES = {"K": "KAAX", "M": "MAAX", "D": "BAAX"}
"""As Nastran names the matrices of external superelements."""
FREE = "Rigid motions of a free part keep a stiffness of 1e-11 of the largest; an OP4 file keeps all digits"


def write_dmig(model: ReducedModel, path: Path, overwrite: bool = False) -> ExportResult:
    """Write the matrices at the interfaces and modes as a punch file.

    Parameters
    ----------
    model : ReducedModel
        With interfaces.
    path : path
    overwrite : bool, default False

    Raises
    ------
    ModelError
        If there is no interface.
    """
    places = expose(model)
    if not len(places):
        raise ModelError(f"DMIG of {model.name!r}: it has no interface, so that nothing could be joined to it.")
    losses = ("digits of matrices beyond the eleventh", "motion inside of the part", *left_out(model))
    with placed(path, overwrite) as part, part.open("w", encoding="ascii") as stream:
        stream.writelines(f"$ {line}\n" for line in _head(model, places, losses))
        for k, point in enumerate(places.points.tolist()):
            x, y, z = (field(value) for value in point)
            stream.write(f"GRID*   {k + 1:16d}{'':16}{x}{y}*\n*       {z}\n")
        modes = int((places.place < 0).sum())
        stream.writelines(f"SPOINT  {len(places) + k + 1:8d}\n" for k in range(modes))
        for role, name in NAMES.items():
            matrix = getattr(model, role)
            if matrix is not None:
                _write_matrix(stream, name, matrix, _points(places))
    return ExportResult("dmig", path, losses, (FREE,) if model.K.size and _is_free(model) else ())


def field(value: float) -> str:
    """A real number in 16 columns, with as many digits as there is room for."""
    if value == 0.0:
        return f"{'0.':>16}"
    for digits in range(12, 5, -1):
        mantissa, exponent = f"{value:.{digits}E}".split("E")
        text = f"{mantissa}D{int(exponent)}"
        if len(text) <= 16:
            return f"{text:>16}"
    raise AssertionError  # an exponent of three digits leaves room for eight


def _head(model: ReducedModel, places: Exposed, losses: tuple[str, ...]) -> Iterator[str]:
    yield f"{_plain(model.name)}: reduced to {model.size} coordinates; written by flexmbs {version()}"
    yield "case control: K2GG = KAAX, M2GG = MAAX" + ("" if model.D is None else ", B2GG = BAAX")
    yield "units: " + (_plain(", ".join(f"{k} {v}" for k, v in model.units.items())) or "not said")
    for k, name in enumerate(places.names):
        yield f"GRID {k + 1}: {_plain(name)}"
    for text in losses:
        yield f"lost: {text}"


def _plain(text: str) -> str:
    return " ".join(text.encode("ascii", "replace").decode().split())[:60]


def _is_free(model: ReducedModel) -> bool:
    """Whether it has rigid motions."""
    values = np.linalg.eigvalsh(model.K)
    return bool(values[0] <= 1e-9 * values[-1])


def _points(places: Exposed) -> list[tuple[int, int]]:
    """Number and component of each coordinate; modes follow the grids."""
    number, out = len(places), []
    for p, c in zip(places.place.tolist(), places.component.tolist(), strict=True):
        if p < 0:
            number += 1
        out.append((number, 0) if p < 0 else (p + 1, c + 1))
    return out


def _write_matrix(stream: TextIO, name: str, A: FloatArray, points: list[tuple[int, int]]) -> None:
    """The lower triangle, column by column; zeros are left out."""
    stream.write(f"DMIG    {name:<8}{0:8d}{6:8d}{2:8d}{0:8d}\n")
    for j, (grid, component) in enumerate(points):
        rows = np.flatnonzero(A[j:, j]) + j
        if len(rows):
            stream.write(f"DMIG*   {name:<16}{grid:16d}{component:16d}{'':16}*\n")
            stream.writelines(f"*       {points[i][0]:16d}{points[i][1]:16d}{field(float(A[i, j]))}\n" for i in rows)


FORMATS = {
    "dmig": Format(".pch", "Nastran DMIG (bulk data)", write_dmig, family="nastran"),
}
