r"""Exudyn: data and a script that loads them, as a linear second-order system and as a floating frame.

A folder with ``exudyn_load.py`` (functions ``linear`` and ``floating``), ``linear.npz`` (K, M, D, labels) and, for
models with exact inertia, ``floating.npz``: the modes in a floating frame and the integrals that Exudyn's object
``ObjectFFRFreducedOrder`` takes, from `InertiaInvariants` rather than from a mass matrix of nodes. With
:math:`\tilde\phi_k` the skew matrix of a shape,

.. math:: \int\tilde\phi_j^T\phi_k, \quad \int\tilde\phi_j^T\tilde\phi_k, \quad \int\phi_k, \quad
          \int\tilde\phi_k, \quad \int\tilde r^T\phi_k, \quad \int\tilde r^T\tilde\phi_k .

Source of the definitions: A. Zwoelfer, J. Gerstmayr, The nodal-based floating frame of reference formulation with modal
reduction, Acta Mechanica 232 (2021) 835-851.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.exposed import Nodes, expose, further_nodes
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.frame import FrameModes, frame_modes
from flexmbs.reduction.export.tables import write_tables
from flexmbs.reduction.export.written import ExportResult, left_out, placed_folder
from flexmbs.reduction.free_parts import HELD
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_exudyn"]


def write_exudyn(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    reference: str = "mean",
    nodes: Nodes = (),
    modes: int | None = None,
) -> ExportResult:
    """Write a folder with data and a loader.

    Parameters
    ----------
    model : ReducedModel
    path : path
        Of the folder; one that an export wrote is replaced with ``overwrite``.
    overwrite : bool, default False
    reference : str, default "mean"
        What the floating frame is fixed to: the name of an interface, or "mean" for the centre of mass and mean axes.
    nodes : str or sequence, default ()
        Nodes of the floating body beside those of the interfaces.
    modes : int, optional
        How many the floating body has; all by default.

    Raises
    ------
    ModelError
        If the reference is unknown or does not hold the part.
    """
    places = expose(model, nodes)
    losses = ["rotations of nodes in the floating body", *left_out(model)]
    floating: FrameModes | None = None
    if model.inertia is None or not model.inertia.exact:
        losses[0] = "motion in a floating frame: the model has no exact inertia"
    elif HELD in model.provenance:
        losses[0] = "motion in a floating frame: the part is held by its own stiffness"
    else:
        floating = frame_modes("Exudyn", model, reference, modes)
    script = (files("flexmbs.reduction.export") / "scripts" / "exudyn_load.py.in").read_text("utf-8")
    units = _harmless(", ".join(f"{k} {v}" for k, v in model.units.items())) or "not said"
    script = script.replace("LOST: LOSSES", f"Not in these files: {'; '.join(losses)}.").replace("UNITS", units)
    with placed_folder(path, overwrite) as folder:
        zero = np.zeros_like(model.K)
        np.savez(
            folder / "linear.npz", allow_pickle=False, K=model.K, M=model.M,
            D=zero if model.D is None else model.D, labels=np.array(model.labels, dtype=np.str_),
        )  # fmt: skip
        if floating is not None:
            np.savez(folder / "floating.npz", allow_pickle=False, **_floating(model, floating, nodes))
        (folder / "exudyn_load.py").write_text(script, encoding="utf-8")
        write_tables(folder, model, places, tuple(losses))
    return ExportResult("exudyn", path, tuple(losses))


def _harmless(text: str) -> str:
    """Words that cannot end the text of a script."""
    return " ".join("".join(c if c.isalnum() or c in " .,^/*-+()" else " " for c in text).split())


def _floating(model: ReducedModel, f: FrameModes, nodes: Nodes) -> dict[str, Any]:
    """The integrals, and nodes with their shapes."""
    faces = [frame.nodes for frame in model.frames]
    numbers = np.unique(np.concatenate([*faces, np.array(further_nodes(model, nodes), dtype=np.int64)])).astype(int)
    table = model.dofs.table(len(model.points))[numbers, :3]
    numbers, table = numbers[(table >= 0).all(axis=1)], table[(table >= 0).all(axis=1)]
    shapes = np.asarray(model.shapes)[table.ravel()] @ f.shapes if len(table) else np.zeros((0, f.shapes.shape[1]))
    i = f.inertia
    P, Q, R = np.asarray(i.P), np.asarray(i.Q), np.asarray(i.R)
    n = P.shape[1]
    one = np.eye(3)
    # [p, q, k] of the last two axes in front: blocks of three columns for each mode
    r_phi = one[:, :, None] * np.einsum("aak->k", Q) - np.swapaxes(Q, 0, 1)
    phi_phi = one[:, :, None, None] * np.einsum("aajk->jk", R) - np.swapaxes(R, 0, 1)  # [p, q, j, k]
    members = [np.searchsorted(numbers, nodes_of[np.isin(nodes_of, numbers)]) for nodes_of in faces]
    return {
        "K": np.diag(f.values),
        "M": np.eye(n),
        "D": f.damping,
        "mass": np.array(i.mass),
        "inertia": i.tensor,
        "centerOfMass": i.centre,
        "mPsiTildePsi": -np.swapaxes(i.gyroscopic(), 0, 1).reshape(3 * n, n),
        "mPsiTildePsiTilde": phi_phi.transpose(2, 0, 3, 1).reshape(3 * n, 3 * n),
        "mPhitTPsi": P,
        "mPhitTPsiTilde": _blocks(np.stack([np.cross(P[:, k], one).T for k in range(n)], axis=2)),
        "mXRefTildePsi": -np.asarray(i.rotation),
        "mXRefTildePsiTilde": _blocks(r_phi),
        "modeBasis": shapes,
        "xRef": (model.points[numbers] - f.origin).ravel(),
        "origin": f.origin,
        "nodes": numbers,
        "interface_names": np.array([frame.name for frame in model.frames], dtype=np.str_),
        "interface_ptr": np.cumsum([0, *(len(m) for m in members)]),
        "interface_nodes": np.concatenate([np.empty(0, np.int64), *members]),
    }


def _blocks(A: FloatArray) -> FloatArray:
    """(3, 3, n) as n blocks of three columns."""
    return np.asarray(np.moveaxis(A, 2, 1).reshape(3, -1))


FORMATS = {
    "exudyn": Format("_exudyn", "data and loader for Exudyn, linear and in a floating frame", write_exudyn),
}
