"""Neutral files: reduced models for any tool that reads numbers, as npz, as Matrix Market with tables, or as HDF5.

**npz** (`write_npz`): arrays ``K``, ``M``, ``D`` (m, m); ``points`` (e, 3) and ``basis`` (e, 6, m), the displacements
and rotations of e places for each coordinate, ``held`` (e, 6) which of these there are; ``place`` and ``component``
(m,), the place (from 0; -1 for modes) and component (0 to 5) that a coordinate is; inertia invariants ``mass``,
``first``, ``second``, ``P``, ``Q``, ``R``; ``stress_nodes`` (a node once for each stress kept apart there) and
``stress_shapes``; and ``description``, a text in JSON.

**Matrix Market** (`write_mtx`), a folder: ``K.mtx``, ``M.mtx``, ``D.mtx``; ``basis.mtx``, whose rows are listed in
``basis_rows.csv`` (place, component); ``nodes.csv`` (node, x, y, z) of the places, numbered from 1; ``dofs.csv`` (node,
component) of the coordinates, with node -1 for modes; ``model.json``. `flexmbs.linear.files.read_operators` reads the
folder as operators, which can be reduced again.

**HDF5** (`write_hdf5`): the file of `flexmbs.reduction.store`, complete; flexmbs itself loads it again.

In all of them numbers are kept to the last bit. Angular frequencies are in rad per unit of time.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.document import description
from flexmbs.reduction.export.exposed import Nodes, expose
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.tables import write_tables
from flexmbs.reduction.export.written import ExportResult, placed, placed_folder
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.store import save

__all__ = ["FORMATS", "lost", "write_hdf5", "write_mtx", "write_npz"]


def write_hdf5(model: ReducedModel, path: Path, overwrite: bool = False) -> ExportResult:
    """Write the complete HDF5 file; see `flexmbs.reduction.store` for what is in it.

    Parameters
    ----------
    model : ReducedModel
    path : path
    overwrite : bool, default False
    """
    with placed(path, overwrite) as part:
        save(model, part)
    return ExportResult("hdf5", path)


def write_npz(model: ReducedModel, path: Path, overwrite: bool = False, nodes: Nodes = ()) -> ExportResult:
    """Write one npz file, without pickled objects.

    Parameters
    ----------
    model : ReducedModel
    path : path
    overwrite : bool, default False
    nodes : str or sequence, default ()
        Places to tell the motion of beside the interfaces; "all" for every node.
    """
    places = expose(model, nodes)
    losses = lost(model, invariants=True)
    arrays: dict[str, Any] = {"K": model.K, "M": model.M}
    if model.D is not None:
        arrays["D"] = model.D
    arrays |= {
        "points": places.points, "basis": places.shapes, "held": places.held,
        "place": places.place, "component": places.component,
    }  # fmt: skip
    if model.inertia is not None:
        arrays |= {name: np.asarray(value) for name, value in model.inertia.arrays().items()}
    if model.stress_shapes is not None:
        arrays |= {"stress_nodes": model.stress_nodes, "stress_shapes": np.asarray(model.stress_shapes)}
        arrays["stress_names"] = np.array(model.stress_names, dtype=np.str_)
    arrays["description"] = np.array(json.dumps(description(model, places, losses)))
    with placed(path, overwrite) as part, part.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    return ExportResult("npz", path, losses)


def write_mtx(model: ReducedModel, path: Path, overwrite: bool = False, nodes: Nodes = ()) -> ExportResult:
    """Write a folder of Matrix Market files and tables.

    Parameters
    ----------
    model : ReducedModel
    path : path
        Of the folder; one that an export wrote is replaced with ``overwrite``.
    overwrite : bool, default False
    nodes : str or sequence, default ()
        Places to tell the motion of beside the interfaces; "all" for every node.
    """
    places = expose(model, nodes)
    losses = lost(model, invariants=False)
    with placed_folder(path, overwrite) as folder:
        for name in ("K", "M", "D"):
            matrix = getattr(model, name)
            if matrix is not None:
                _write_symmetric(folder / f"{name}.mtx", matrix, f"{model.name}: {name}")
        place, component = places.rows()
        _write_general(folder / "basis.mtx", places.shapes[place, component], "displacements of places")
        write_tables(folder, model, places, losses)
    return ExportResult("mtx", path, losses)


def lost(model: ReducedModel, invariants: bool) -> tuple[str, ...]:
    """What is only in the HDF5 file."""
    out = []
    if model.stiffening is not None:
        out.append("second-order fields of geometric stiffening")
    if not invariants and model.inertia is not None:
        out.append("inertia invariants of the shapes")
    if not invariants and model.stress_shapes is not None:
        out.append("stress shapes")
    return tuple(out)


def _one_line(text: str) -> str:
    """A comment of a Matrix Market file, which is ASCII."""
    return " ".join(text.split()).encode("ascii", "replace").decode()[:200]


def _write_symmetric(path: Path, A: FloatArray, comment: str) -> None:
    """The lower triangle, column by column, with digits that give the same bits back."""
    m = len(A)
    values = A.T[np.triu_indices(m)].tolist()
    head = f"%%MatrixMarket matrix array real symmetric\n% {_one_line(comment)}\n{m} {m}\n"
    path.write_text(head + "\n".join(map(repr, values)) + "\n", encoding="ascii")


def _write_general(path: Path, A: FloatArray, comment: str) -> None:
    """A full matrix, column by column."""
    head = f"%%MatrixMarket matrix array real general\n% {_one_line(comment)}\n{A.shape[0]} {A.shape[1]}\n"
    path.write_text(head + "\n".join(map(repr, A.T.ravel().tolist())) + "\n", encoding="ascii")


FORMATS = {
    "hdf5": Format(".h5", "complete file of flexmbs (HDF5)", write_hdf5),
    "npz": Format(".npz", "neutral arrays for NumPy", write_npz),
    "mtx": Format("_mtx", "neutral folder of Matrix Market files and tables", write_mtx),
}
