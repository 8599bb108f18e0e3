"""Nastran's OUTPUT4 files (OP4), as text or in binary records, with tables of what their rows are.

A folder: ``matrices.op4`` with KAAX, MAAX, BAAX (symmetric, all entries) and PHIX, the displacements of the places for
each coordinate; and the tables of `flexmbs.reduction.export.tables`. All are dense and real, in double precision (type
2); text has 17 digits, so that both forms are read back to the last bit. Zeros at the ends of a column are left out.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.dmig import NAMES
from flexmbs.reduction.export.exposed import Nodes, expose
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.neutral import lost
from flexmbs.reduction.export.tables import write_tables
from flexmbs.reduction.export.written import ExportResult, placed_folder
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_op4", "write_op4_binary"]

SYMMETRIC, RECTANGULAR = 6, 2
DOUBLE = 2


def write_op4(model: ReducedModel, path: Path, overwrite: bool = False, nodes: Nodes = ()) -> ExportResult:
    """Write the matrices as text.

    Parameters
    ----------
    model : ReducedModel
    path : path
        Of the folder; one that an export wrote is replaced with ``overwrite``.
    overwrite : bool, default False
    nodes : str or sequence, default ()
        Places to tell the motion of beside the interfaces.
    """
    return _write(model, path, overwrite, nodes, "op4")


def write_op4_binary(model: ReducedModel, path: Path, overwrite: bool = False, nodes: Nodes = ()) -> ExportResult:
    """Write the matrices in Fortran records, little-endian, with 32-bit integers; parameters as in `write_op4`."""
    return _write(model, path, overwrite, nodes, "op4bin")


def _write(model: ReducedModel, path: Path, overwrite: bool, nodes: Nodes, kind: str) -> ExportResult:
    places = expose(model, nodes)
    losses = lost(model, invariants=False)
    put = _text if kind == "op4" else _records
    with placed_folder(path, overwrite) as folder:
        with (folder / "matrices.op4").open("wb") as stream:
            for role, name in NAMES.items():
                matrix = getattr(model, role)
                if matrix is not None:
                    put(stream, name, matrix, SYMMETRIC)
            put(stream, "PHIX", places.shapes[places.rows()], RECTANGULAR)
        write_tables(folder, model, places, losses)
    return ExportResult(kind, path, losses)


def _columns(A: FloatArray) -> list[tuple[int, int, FloatArray]]:
    """Number of a column, number of its first row, and its entries from the first to the last that is not zero."""
    out = []
    for j in range(A.shape[1]):
        filled = np.flatnonzero(A[:, j])
        if len(filled):
            out.append((j + 1, int(filled[0]) + 1, A[filled[0] : filled[-1] + 1, j]))
    return out


def _text(stream: BinaryIO, name: str, A: FloatArray, form: int) -> None:
    lines = [f"{A.shape[1]:8d}{A.shape[0]:8d}{form:8d}{DOUBLE:8d}{name:<8}1P,3E23.16"]
    for column, row, values in [*_columns(A), (A.shape[1] + 1, 1, np.ones(1))]:  # the last one ends the matrix
        lines.append(f"{column:8d}{row:8d}{len(values):8d}")
        words = [f"{x:23.16E}" for x in values.tolist()]
        lines += ["".join(words[i : i + 3]) for i in range(0, len(words), 3)]
    stream.write(("\n".join(lines) + "\n").encode("ascii"))


def _records(stream: BinaryIO, name: str, A: FloatArray, form: int) -> None:
    def record(data: bytes) -> None:
        length = struct.pack("<i", len(data))
        stream.write(length + data + length)

    record(struct.pack("<4i", A.shape[1], A.shape[0], form, DOUBLE) + f"{name:<8}".encode("ascii"))
    for column, row, values in _columns(A):
        record(struct.pack("<3i", column, row, 2 * len(values)) + np.ascontiguousarray(values, "<f8").tobytes())
    record(struct.pack("<3id", A.shape[1] + 1, 1, 1, 1.0))  # as Nastran ends a matrix


FORMATS = {
    "op4": Format("_op4", "Nastran OUTPUT4 as text, with tables", write_op4, family="nastran"),
    "op4bin": Format("_op4bin", "Nastran OUTPUT4 in binary records, with tables", write_op4_binary),
}
