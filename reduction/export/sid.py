"""Standard Input Data (SID): flexible bodies for SIMPACK, Modelica's FlexibleBodies and EMBS libraries, and others.

The text layout is that of public files of finite-element interfaces; what the objects are is said in
`flexmbs.reduction.export.sid_objects`. Numbers have 17 digits, so that they are read back to the last bit. Indices of
order 1 are row, mode, column, as in those files. `flexmbs.reduction.read_sid` reads the files back.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.info import version
from flexmbs.reduction.export.exposed import Nodes
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.sid_objects import UNIT, ZERO, SidData, Taylor, sid_data
from flexmbs.reduction.export.written import ExportResult, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_sid"]

LAYOUTS = ("mode", "axis")
LONGEST = 400
"""Characters of the first line; readers keep no more than 500."""


def write_sid(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    reference: str = "mean",
    nodes: Nodes = (),
    modes: int | None = None,
    ge_layout: str = "mode",
) -> ExportResult:
    """Write a reduced model as Standard Input Data.

    Parameters
    ----------
    model : ReducedModel
        Of a free part; with geometric stiffening if it was made so.
    path : path
    overwrite : bool, default False
    reference : str, default "mean"
        What the body's frame is fixed to: the name of an interface, or "mean" for the centre of mass and mean axes.
    nodes : str or sequence, default ()
        Places beside the interfaces.
    modes : int, optional
        How many, from the lowest; all by default.
    ge_layout : {"mode", "axis"}
        Order of the columns of Ge: blocks of three for each mode, as Wallrapp defines it and EMBSlib reads it, or all
        modes for x, then y, then z, as some files have it.

    Raises
    ------
    ModelError
        If the inertia is not exact, or the reference or the layout is unknown.
    """
    if ge_layout not in LAYOUTS:
        raise ModelError(f"SID: {unknown_name('layout of Ge', ge_layout, LAYOUTS)}")
    data = sid_data(model, reference, nodes, modes)
    if ge_layout == "axis":
        ge = data.objects["Ge"]
        n = len(data.frequencies)
        data.objects["Ge"] = ge._replace(m0=np.swapaxes(ge.m0.reshape(n, n, 3), 1, 2).reshape(n, 3 * n))
    losses: tuple[str, ...] = () if model.stress_shapes is None else ("stresses",)
    if data.without_rotation:
        losses += (f"rotations of {data.without_rotation} places, which have none",)
    notes = () if data.stiffened else ("without geometric stiffening: reduce(..., geometric_stiffening=True) finds it",)
    with placed(path, overwrite) as part, part.open("w", encoding="ascii") as stream:
        _write(stream, data, _comment(model, reference, data, losses))
    return ExportResult("sid", path, losses, notes)


def _comment(model: ReducedModel, reference: str, data: SidData, losses: tuple[str, ...]) -> str:
    units = ", ".join(f"{k} {v}" for k, v in model.units.items()) or "not said"
    text = (
        f"{model.name}; frame: {reference}; units: {units}; "
        f"{'with' if data.stiffened else 'without'} geometric stiffening; "
        f"{'; '.join(f'lost: {x}' for x in losses) + '; ' if losses else ''}flexmbs {version()}"
    )
    return _plain(text)[:LONGEST]


def _plain(text: str) -> str:
    """One line of ASCII."""
    return " ".join(text.encode("ascii", "replace").decode().split())


def _write(stream: TextIO, data: SidData, comment: str) -> None:
    n = len(data.frequencies)
    put = stream.write
    put(f"{len(data.nodes)} {n} : {comment}\n part\n  new modal = {_plain(data.name)}\n   refmod\n")
    put(f"    mass             = {_number(data.mass)}\n    nelastq          = {n}\n")
    for k, w in enumerate(data.frequencies):
        put(f"    ielastq ({k + 1:4d})   = Eigen Mode {k + 1:4d} : {w / (2.0 * np.pi):.12g} Hz\n")
    put("   end refmod\n   frame\n")
    for k, node in enumerate(data.nodes):
        put(f"    new node = {k + 1}\n     rframe = body ref\n")
        for name, taylor in node.objects.items():
            _write_taylor(stream, name, taylor, n, "     ")
        put("    end node\n")
    put("   end frame\n")
    for name, taylor in data.objects.items():
        _write_taylor(stream, name, taylor, n, "   ")
    put("  end modal\n end part\n")


def _write_taylor(stream: TextIO, name: str, t: Taylor, n: int, indent: str) -> None:
    """One object; what is zero is left out."""
    first = t.m1 is not None and bool(np.any(t.m1))
    head = {"order": int(first), "nrow": t.m0.shape[0], "ncol": t.m0.shape[1], "nq": n, "nqn": 0,
            "structure": t.structure}  # fmt: skip
    stream.write(f"{indent}{name}\n" + "".join(f"{indent} {key:<9} = {value}\n" for key, value in head.items()))
    if t.structure not in (ZERO, UNIT):
        stream.writelines(f"{indent} m0({i:4d},{j:4d}) = {x}\n" for (i, j), x in _entries(t.m0))
    if first and t.m1 is not None:
        stream.writelines(f"{indent} m1({i:4d},{k:4d},{j:4d}) = {x}\n" for (i, k, j), x in _entries(t.m1))
    stream.write(f"{indent}end {name}\n")


def _entries(A: FloatArray) -> Iterator[tuple[tuple[int, ...], str]]:
    """Indices from 1, and numbers, of what is not zero."""
    where = np.argwhere(A)
    for index, value in zip((where + 1).tolist(), A[tuple(where.T)].tolist(), strict=True):
        yield tuple(index), _number(value)


def _number(value: float) -> str:
    """With the exponent of Fortran."""
    return f"{value:.16E}".replace("E", "D")


FORMATS = {
    "sid": Format(".SID_FEM", "Standard Input Data of SIMPACK and Modelica libraries", write_sid),
}
