"""Results in HDF5 files that need no script: the arrays with units and meaning, and the description of the model.

Layout, beside the attributes of the file (kind, version of flexmbs, units)::

    model                JSON: bodies, elements, sections, materials, supports, hinges, loads, histories
    bodies/<i>/          points, cells, sets and point data of the mesh; which entries of q its nodes have
    results/             the arrays of the result, each with attributes ``unit`` and ``description``
    options              JSON: the options of the analysis

Nothing in a file is ever executed: objects are made of a closed list of classes only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import is_dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import h5py
import numpy as np

from flexmbs.analysis.modal import Modes
from flexmbs.analysis.newton import Iteration
from flexmbs.core.checks import show
from flexmbs.core.describe import Plain, Vocabulary, from_plain, to_plain
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.core.info import version
from flexmbs.meshes import Mesh
from flexmbs.output.model_data import CLASSES, Sampler, model_from_plain, model_to_plain
from flexmbs.output.sealed import VERSION, as_target, opened, replaced, sealed
from flexmbs.solution import Solution, Status
from flexmbs.system import System, compile_model

if TYPE_CHECKING:
    from flexmbs.core.contracts import NodeLayout
    from flexmbs.core.units import Units

__all__ = ["SUFFIXES", "load", "save"]

SUFFIXES = (".h5", ".hdf5")


class Quantity(NamedTuple):
    """An array of a result: its name, dimension (in the words of `Units.of`, or a text in brackets) and meaning."""

    name: str
    dimension: str
    description: str


SOLUTION = (
    Quantity("parameters", "number", "load parameter of each equilibrium"),
    Quantity("q", "[by coordinate]", "all coordinates (row: equilibrium); bodies/<i>/coordinates says whose they are"),
    Quantity("scales", "number", "factor of each load (row: equilibrium)"),
    Quantity("drives", "number", "factor of each prescribed motion (row: equilibrium)"),
    Quantity("stable", "number", "whether the tangent was positive definite at each equilibrium"),
    Quantity("history", "number", f"rows of the Newton iterations: {', '.join(Iteration._fields)}"),
    Quantity("accuracy", "number", "estimated relative round-off error of the displacements; NaN if unknown"),
)
MODES = (
    Quantity("q", "[by coordinate]", "coordinates of the state that the modes are about"),
    Quantity("eigenvalues", "[square of angular frequency]", "omega squared of each mode"),
    Quantity("vectors", "[by coordinate]", "mode shapes (column: mode) over all coordinates, of unit modal mass"),
)
REFERENCE = Quantity("reference", "[by coordinate]", "all coordinates in the stress-free shape")


def save(result: Solution | Modes, path: str | PathLike[str]) -> Path:
    """Write a result to an HDF5 file that can be read without the script that made it.

    An older file of that name is replaced at the very end, so that an interruption leaves it as it was. Histories of
    loads and supports that are functions are stored as tables through the load parameters of the result; the
    attribute ``sampled_histories`` of the file names them.

    Parameters
    ----------
    result : Solution or Modes
    path : path-like
        Its name must end in ``.h5`` or ``.hdf5``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError
        If ``result`` is not a result, the suffix is another one, or the model has objects of the user's own that are
        not dataclasses.
    FlexmbsError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.PlanarCable(),
    ...                             section=fx.Rectangle(0.02, 0.002), material=fx.steel)
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = bent.save(f"{folder}/bent.h5")
    ...     again = fx.load(path)
    >>> bool((again.q == bent.q).all())
    True
    """
    if not isinstance(result, Solution | Modes):
        raise ModelError(f"save: expected a Solution or Modes, not {show(result)}.")
    target = as_target("save", path, SUFFIXES)
    solution = result if isinstance(result, Solution) else None
    sampler = Sampler(solution)
    model = model_to_plain(result.model, sampler)
    options = to_plain("options", solution.options) if solution is not None and is_dataclass(solution.options) else None
    with replaced("save", target) as (draft,), sealed(draft) as file:
        units: Units = result.model.units
        file.attrs["format"] = "flexmbs result"
        file.attrs["format_version"] = VERSION
        file.attrs["flexmbs_version"] = version()
        file.attrs["kind"] = solution.kind if solution is not None else "modal"
        file.attrs["model"] = result.model.name
        for label in ("length", "mass", "time", "force"):
            file.attrs[f"unit_of_{label}"] = getattr(units, label)
        file.attrs["sampled_histories"] = (
            f"stored as tables in place of functions: {'; '.join(sampler.sampled)}" if sampler.sampled else "none"
        )
        _write_text(file, "model", model)
        _write_text(file, "options", options)
        for i in range(len(result.model.flexible_bodies)):
            _write_body(file.create_group(f"bodies/{i}"), result.system, i)
        group = file.create_group("results")
        for quantity in SOLUTION if solution is not None else MODES:
            _write_array(group, quantity, getattr(result, quantity.name), units)
        _write_array(group, REFERENCE, result.system.coordinates.reference, units)
        if solution is not None:
            group.attrs["status"] = solution.status.name
        else:
            group.attrs["conservative"] = bool(result.conservative)  # type: ignore[union-attr]
    return target


def load(path: str | PathLike[str], own: Iterable[type] = (), known: Iterable[type] = ()) -> Solution | Modes:
    """Read a result, with its model rebuilt and compiled.

    Parameters
    ----------
    path : path-like
    own : iterable of type
        Classes of the user's elements and of their choices, sections, loads and supports.
    known : iterable of type
        The same for elements of flexmbs, which this module does not know; `flexmbs.load` gives all of them.

    Raises
    ------
    ReadError
        If the file is missing, empty, truncated, damaged, foreign or of a newer format, or a class is not known.
    """
    if isinstance(own, type) or not isinstance(own, Iterable):
        raise ModelError(f"load: classes must be a tuple of classes such as (MyElement,), not {show(own)}.")
    classes = (*known, *own)
    with opened(path) as file:
        try:
            return _read(file, classes)
        except ReadError as error:
            raise ReadError(f"load: {path}: {error}") from error
        except FlexmbsError:
            raise
        except (OSError, LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise ReadError(f"load: {path} does not hold what a result file should: {error}") from error


def _read(file: h5py.File, elements: tuple[type, ...]) -> Solution | Modes:
    """The result in an open file."""
    vocabulary = Vocabulary((*CLASSES, *elements))
    meshes = [_read_mesh(file[f"bodies/{i}"]) for i in range(len(file["bodies"]))]
    model = model_from_plain(_read_text(file, "model"), meshes, elements)
    try:
        system = compile_model(model)
    except FlexmbsError as error:
        raise ReadError(f"the model cannot be compiled: {error}") from error
    group = file["results"]
    _check_numbering(file, system)
    if file.attrs["kind"] == "modal":
        arrays = {quantity.name: group[quantity.name][()] for quantity in MODES}
        _check_sizes(system, q=arrays["q"][None], vectors=arrays["vectors"].T)
        return Modes(system=system, conservative=bool(group.attrs["conservative"]), **arrays)
    arrays = {quantity.name: group[quantity.name][()] for quantity in SOLUTION}
    accuracy = float(arrays.pop("accuracy"))
    _check_sizes(system, q=arrays["q"], scales=arrays["scales"], drives=arrays["drives"])
    options = from_plain("options", _read_text(file, "options"), vocabulary, {})
    status, kind = Status[group.attrs["status"]], str(file.attrs["kind"])
    return Solution(kind=kind, system=system, accuracy=accuracy, status=status, options=options, **arrays)


def _check_numbering(file: h5py.File, system: System) -> None:
    """Refuse a file whose coordinates are not those of the model as it is compiled here."""
    stored = file["results/reference"][()]
    mine = system.coordinates.reference
    same = stored.shape == mine.shape and np.allclose(stored, mine, rtol=1e-12, atol=1e-12 * np.abs(mine).max())
    for i, dofs in enumerate(system.coordinates.node_dofs):
        same = same and np.array_equal(file[f"bodies/{i}/coordinates"][()], dofs)
    if not same:
        raise ReadError(
            f"flexmbs {file.attrs['flexmbs_version']}, which wrote it, numbered the coordinates differently; read it "
            f"with that version."
        )


def _check_sizes(system: System, **arrays: Any) -> None:
    """Refuse arrays whose rows do not fit the compiled model."""
    wanted = {
        "q": system.coordinates.n,
        "vectors": system.coordinates.n,
        "scales": len(system.model.loads),
        "drives": len(system.fixation.drives),
    }
    for name, array in arrays.items():
        if array.ndim != 2 or array.shape[1] != wanted[name]:
            raise ReadError(f"{name} has the shape {array.shape}, but the model needs rows of {wanted[name]}.")


def _write_body(group: h5py.Group, system: System, number: int) -> None:
    """The mesh of a body and the places of its nodes in q."""
    body, units = system.model.flexible_bodies[number], system.model.units
    mesh, length = body.mesh, system.model.units.of("length")
    group.attrs["name"] = body.name
    group.attrs["element"] = body.element.name
    _dataset(group, "points", mesh.points, length, "points of the mesh, the stress-free shape (row: node)")
    _dataset(group, "coordinates", system.coordinates.node_dofs[number], "-", "entries of q (row: node)")
    group["coordinates"].attrs["names"] = list(body.element.layout.names)
    group["coordinates"].attrs["units"] = [
        _unit_of(body.element.layout, k, units) for k in range(len(body.element.layout.names))
    ]
    for i, block in enumerate(mesh.cells):
        _dataset(group, f"cells/{i}", block.nodes, "-", f"nodes of the {block.cell_type} cells (row: cell)")
        group[f"cells/{i}"].attrs["cell_type"] = block.cell_type
    for kind, sets in (("node_sets", mesh.node_sets), ("point_data", mesh.point_data)):
        for i, (name, values) in enumerate(sets.items()):
            what = "numbers of the nodes in the set" if kind == "node_sets" else "data (row: node)"
            _dataset(group, f"{kind}/{i}", values, "-" if kind == "node_sets" else "as given", f"{what} {name!r}")
            group[f"{kind}/{i}"].attrs["name"] = name
    for i, (name, parts) in enumerate(mesh.cell_sets.items()):
        for j, cells in enumerate(parts):
            what = f"numbers of the cells of block {j} in the set {name!r}"
            _dataset(group, f"cell_sets/{i}/{j}", cells, "-", what)
        group[f"cell_sets/{i}"].attrs["name"] = name


def _read_mesh(group: h5py.Group) -> Mesh:
    """The mesh that `_write_body` wrote."""
    cells: Any = [(str(block.attrs["cell_type"]), block[()]) for block in _numbered(group, "cells")]
    named = {
        kind: {str(d.attrs["name"]): d[()] for d in _numbered(group, kind)} for kind in ("node_sets", "point_data")
    }
    cell_sets = {
        str(parts.attrs["name"]): tuple(parts[str(j)][()] for j in range(len(parts)))
        for parts in _numbered(group, "cell_sets")
    }
    return Mesh(group["points"][()], cells, named["node_sets"], cell_sets, named["point_data"])


def _numbered(group: h5py.Group, name: str) -> list[Any]:
    """The members 0, 1, ... of a group, which may be missing."""
    return [group[f"{name}/{i}"] for i in range(len(group[name]))] if name in group else []


def _write_array(group: h5py.Group, quantity: Quantity, values: Any, units: Units) -> None:
    """An array of a result with its unit in words."""
    special = {
        "[by coordinate]": "by coordinate, see bodies/<i>/coordinates",
        "[square of angular frequency]": f"({units.of('angular frequency')})^2",
    }
    unit = special[quantity.dimension] if quantity.dimension in special else units.of(quantity.dimension)
    _dataset(group, quantity.name, values, unit, quantity.description)


def _dataset(group: h5py.Group, name: str, values: Any, unit: str, description: str) -> None:
    """A dataset that says what it is."""
    data = group.create_dataset(name, data=np.asarray(values))
    data.attrs["unit"] = unit
    data.attrs["description"] = description


def _unit_of(layout: NodeLayout, coordinate: int, units: Units) -> str:
    """Unit of a nodal coordinate by its meaning."""
    if coordinate in layout.position:
        return units.of("length")
    return units.of("angle") if coordinate in layout.rotation else units.of("number")


def _write_text(file: h5py.File, name: str, plain: Plain) -> None:
    """Plain data as JSON text."""
    file.create_dataset(name, data=json.dumps(plain, allow_nan=False, indent=1))


def _read_text(file: h5py.File, name: str) -> Plain:
    """Plain data from JSON text."""
    try:
        return json.loads(file[name].asstr()[()])
    except (ValueError, RecursionError) as error:
        raise ReadError(f"its {name} is not JSON: {error}") from error
