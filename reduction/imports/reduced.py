"""Reduced models from any file that has one: complete ones, bodies in a floating frame, and matrices alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.checks import as_counts, as_name, as_path, show
from flexmbs.core.errors import ModelError
from flexmbs.core.units import Units
from flexmbs.linear.files import read_operators
from flexmbs.linear.files.npz import npz_arrays
from flexmbs.linear.operators import Operators
from flexmbs.reduction.imports.mbdyn import read_mbdyn
from flexmbs.reduction.imports.neutral import is_neutral, read_neutral
from flexmbs.reduction.imports.sid import read_sid
from flexmbs.reduction.interfaces import Interface
from flexmbs.reduction.methods.full_basis import MOST, full_basis
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.reduce import reduce
from flexmbs.reduction.store import load_reduced

__all__ = ["read_reduced"]

WHOLE = {".h5": load_reduced, ".hdf5": load_reduced, ".fem": read_mbdyn, ".sid_fem": read_sid, ".sid": read_sid}


def read_reduced(
    path: str | Path,
    interfaces: Mapping[str, Any] | None = None,
    *,
    name: str | None = None,
    units: Units | Mapping[str, str] | None = None,
    **options: Any,
) -> ReducedModel:
    """Read a reduced model that flexmbs or another program has made; the suffix tells the format.

    - ``.h5``: `load_reduced`; the neutral ``.npz``, without the mesh; ``.SID_FEM``: `read_sid`; ``.fem`` of MBDyn:
      `read_mbdyn`. These know the inertia of the moving shapes, and serve as `FloatingBody`.
    - All that `read_operators` reads: DMIG, OP4, Matrix Market, ``*MATRIX INPUT`` of Abaqus. Matrices of Craig-Bampton
      and other methods become the model as they are, without another reduction: unknowns of nodes are interfaces,
      scalar ones modes. They serve as `LinearBody`; the integrals of the shapes that a floating frame needs are not in
      K and M, so that `FloatingBody` refuses them.

    Parameters
    ----------
    path : path
        A file, or a folder as in `read_operators`.
    interfaces : mapping of str to int or sequence of int, optional
        Names of interfaces and the numbers that their nodes have in the file, for all nodes. By default every node is
        one, under the name that tables of flexmbs beside the file give it, or "node 12".
    name : str, optional
        Of the model; that of the file by default.
    units : Units or mapping of str to str, optional
        Names of the units of ``length``, ``mass``, ``time`` and ``force``, which these files do not say.
    **options
        Of `read_operators`.

    Returns
    -------
    ReducedModel

    Raises
    ------
    ReadError
        If the file is damaged or of an unknown format.
    ModelError
        If there are more than 2000 unknowns, which is no reduced model: `read_operators` and `reduce` are for these; an
        unknown has no mass; a node is unknown.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> small = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [written] = small.export(folder, "mtx")
    ...     again = fx.reduction.read_reduced(written.path)
    >>> [frame.name for frame in again.frames], bool((again.K == small.K).all())
    (['ROOT', 'BORE'], True)
    """
    path = as_path("read_reduced", "path", path)
    if (path / "body.fem").is_file():  # beside a deck for MBDyn
        path = path / "body.fem"
    reader = WHOLE.get(path.suffix.lower())
    if reader is not None:
        _alone(path, interfaces, name, units, options)
        return reader(path)
    if path.suffix.lower() == ".npz" and is_neutral(arrays := npz_arrays(path)):
        _alone(path, interfaces, name, units, options)
        return read_neutral(path, arrays)
    operators = read_operators(path, **options)
    if operators.n > MOST:
        raise ModelError(
            f"read_reduced: {path} has {operators.n} unknowns, more than {MOST}, which is no reduced model; use "
            f"read_operators and reduce."
        )
    said = _said(path)
    if interfaces is None:
        interfaces = said.get("interfaces", {}) or _every_node(operators)
    faces = _interfaces(operators, interfaces)
    title = as_name("read_reduced", "name", name if name is not None else said.get("name", path.stem))
    found = said.get("units", {}) if units is None else units
    return reduce(operators, faces, method=full_basis, name=title, units=found, progress=False)


def _alone(path: Path, *given: Any) -> None:
    """Refuse what a file says itself."""
    if any(value is not None and value != {} for value in given):
        raise ModelError(f"read_reduced: {path.name} says everything itself; give the path only.")


def _said(path: Path) -> dict[str, Any]:
    """Name, units and interfaces of our own tables beside a file; empty where there are none, or others."""
    beside = (path if path.is_dir() else path.parent) / "model.json"
    try:
        text = json.loads(beside.read_text(encoding="utf-8"))
        places = list(text["places"])
        faces = {
            str(f["name"]): [
                k + 1 for k, p in enumerate(places) if p == f["name"] or p.startswith(f"{f['name']} node ")
            ]
            for f in text["interfaces"]
        }
        return {"name": str(text["name"]), "units": {str(k): str(v) for k, v in text["units"].items()},
                "interfaces": faces}  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _every_node(operators: Operators) -> dict[str, int]:
    """Each node with unknowns by its number in the file."""
    used = np.unique(operators.dofs.node[operators.dofs.node >= 0])
    labels = used if operators.node_labels is None else operators.node_labels[used]
    return {f"node {int(label)}": int(label) for label in labels}


def _interfaces(operators: Operators, given: Any) -> list[Interface]:
    """Interfaces by rows of the points; a single node with all six components has a frame."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"read_reduced: interfaces must map names to numbers of nodes, not {show(given)}.")
    labels = np.arange(len(operators.points)) if operators.node_labels is None else operators.node_labels
    rows = {int(label): row for row, label in enumerate(labels)}
    out = []
    for name, nodes in given.items():
        owner = f"read_reduced: interface {show(name)}"
        wanted = as_counts(owner, "each of nodes", nodes).tolist()
        missing = [n for n in wanted if n not in rows]
        if missing:
            raise ModelError(f"{owner}: there is no node {missing[0]}.")
        if not wanted:
            raise ModelError(f"{owner}: name one node or more.")
        mine = [rows[n] for n in wanted]
        whole = len(mine) == 1 and len(operators.dofs.of(mine[0])) == 6
        out.append(Interface(name, nodes=mine, kind="rigid" if whole else "nodes"))
    named = {node for face in out for node in face.nodes}
    others = set(operators.dofs.node[operators.dofs.node >= 0].tolist()) - named
    if others:
        first = int(labels[min(others)])
        raise ModelError(
            f"read_reduced: {len(others)} nodes belong to no interface, the first is {first}; name all, or none."
        )
    return out
