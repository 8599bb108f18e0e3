"""Abaqus: the matrices of a part as `*MATRIX INPUT`, to be included in an input file.

Places are nodes 1, 2, ... with a set for each interface; modes are nodes behind them, of which degree of freedom 1 is
the modal coordinate. Each matrix is one triangle, an entry on a line: node and degree of freedom of the row, of the
column, and the value. Items of a line may have 20 characters, which is 13 to 16 digits.

Source: Abaqus keywords reference guide, `*MATRIX INPUT` and `*MATRIX ASSEMBLE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.info import version
from flexmbs.reduction.export.exposed import Exposed, expose
from flexmbs.reduction.export.fmu_variables import identifier, unique
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.written import ExportResult, left_out, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_abaqus"]

LONGEST = 20
ROLES = {"K": "STIFFNESS", "M": "MASS", "D": "VISCOUS DAMPING"}


def write_abaqus(model: ReducedModel, path: Path, overwrite: bool = False) -> ExportResult:
    """Write nodes, sets and matrices.

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
        raise ModelError(f"Abaqus file of {model.name!r}: it has no interface, so that nothing could be joined to it.")
    losses = ["digits of matrices beyond the thirteenth", "motion inside of the part", *left_out(model)]
    with placed(path, overwrite) as part, part.open("w", encoding="ascii") as stream:
        stream.writelines(line + "\n" for line in _lines(model, places, losses))
    return ExportResult("abaqus", path, tuple(losses))


def real(value: float) -> str:
    """A number in 20 characters, with as many digits as there is room for."""
    for digits in range(16, 9, -1):
        mantissa, exponent = f"{value:.{digits}E}".split("E")
        text = f"{mantissa}E{int(exponent)}"
        if len(text) <= LONGEST:
            return text
    raise AssertionError  # ten digits always fit


def _lines(model: ReducedModel, places: Exposed, losses: list[str]) -> Iterator[str]:
    used: set[str] = set()
    title = _label(model.name, used)
    yield f"** {_plain(model.name)}: {model.size} coordinates; written by flexmbs {version()}"
    yield "** units: " + (_plain(", ".join(f"{k} {v}" for k, v in model.units.items())) or "not said")
    for text in losses:
        yield f"** lost: {text}"
    yield "*NODE"
    points = _degrees(places)
    modes = [node for node, _ in points if node > len(places)]
    where = [*places.points.tolist(), *([places.points[0].tolist()] * len(modes))]
    for k, point in enumerate(where):
        yield f"{k + 1}, {', '.join(map(real, point))}"
    if modes:
        yield "** modes: their coordinates are degree of freedom 1"
        yield from _set(_label(f"{title}_MODES", used), modes)
    for frame in model.frames:
        yield f"** interface {_plain(frame.name)}"
        yield from _set(_label(frame.name, used), sorted({points[c][0] for c in frame.coordinates.tolist()}))
    names = {}
    for role in ROLES:
        matrix = getattr(model, role)
        if matrix is not None:
            names[role] = f"{title}_{role}"
            yield f"*MATRIX INPUT, NAME={names[role]}, TYPE=SYMMETRIC"
            yield from _entries(matrix, points)
    yield "*MATRIX ASSEMBLE, " + ", ".join(f"{ROLES[role]}={name}" for role, name in names.items())


def _set(name: str, nodes: list[int]) -> Iterator[str]:
    """A set, eight nodes on a line."""
    yield f"*NSET, NSET={name}"
    for k in range(0, len(nodes), 8):
        yield ", ".join(map(str, nodes[k : k + 8]))


def _degrees(places: Exposed) -> list[tuple[int, int]]:
    """Node and degree of freedom of each coordinate."""
    number, out = len(places), []
    for p, c in zip(places.place.tolist(), places.component.tolist(), strict=True):
        if p < 0:
            number += 1
        out.append((number, 1) if p < 0 else (p + 1, c + 1))
    return out


def _entries(A: FloatArray, points: list[tuple[int, int]]) -> Iterator[str]:
    """The lower triangle without zeros."""
    for i, j in np.argwhere(np.tril(A)).tolist():
        yield f"{points[i][0]},{points[i][1]}, {points[j][0]},{points[j][1]}, {real(float(A[i, j]))}"


def _label(text: str, used: set[str]) -> str:
    """A label: letters, digits and underscores, a letter first, not used before."""
    word = identifier(text.replace(".", "_")).upper()[:60]
    return unique(word if word[0].isalpha() else f"P{word}", used)


def _plain(text: str) -> str:
    return " ".join(text.encode("ascii", "replace").decode().split())[:100]


FORMATS = {
    "abaqus": Format("_matrices.inp", "Abaqus matrix input", write_abaqus),
}
