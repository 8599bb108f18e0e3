"""Static and modal results in HDF5 files that need no script: arrays with units and meaning, and the whole model.

Layout, beside the attributes of the file (kind, version of flexmbs, units)::

    model                JSON: description of the model, whatever it is made of (`flexmbs.io.model_description`)
    bodies/<i>/          points, cells, sets and point data of the mesh; which entries of q its nodes have
    constants/<name>     arrays of the description: meshes, reduced models
    results/             the arrays of the result, each with attributes ``unit`` and ``description``
    results/extra/       arrays that go on from the last equilibrium: turns, held values
    options              JSON: the options of the analysis, and what else is no array

Nothing in a file is ever executed: objects are made of a closed list of classes only. Files of version 0.1, whose
``model`` lists bodies, supports, hinges and loads apart, are read as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import h5py
import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.describe import Plain, Vocabulary, from_plain, to_plain
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.core.info import version
from flexmbs.core.nodes import dimension
from flexmbs.core.renamed import present_plain
from flexmbs.io.model_data import CLASSES, Sampler, model_from_plain, read_mesh
from flexmbs.io.model_description import check_same_model, describe_model, rebuild_model
from flexmbs.io.sealed import VERSION, as_target, opened, replaced, sealed
from flexmbs.results.modal import ModalSolution, OperatingState, roots_of, which_grow
from flexmbs.results.records import Iteration
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.system.system import System, compile_model

if TYPE_CHECKING:
    from flexmbs.core.contracts import NodeLayout
    from flexmbs.core.units import Units
    from flexmbs.model.model import Model

__all__ = ["SUFFIXES", "load", "save"]

SUFFIXES = (".h5", ".hdf5")


class Quantity(NamedTuple):
    """An array of a result: its name, dimension (in the words of `Units.of`, or a text in brackets) and meaning."""

    name: str
    dimension: str
    description: str


SOLUTION = (
    Quantity("load_factors", "number", "load factor of each equilibrium"),
    Quantity("q", "[by coordinate]", "all coordinates (row: equilibrium); bodies/<i>/coordinates says whose they are"),
    Quantity("v", "[by coordinate]", "velocities (row: equilibrium): those of first-order states, else zero"),
    Quantity("lam", "[by constraint]", "multipliers of the constraints (row: equilibrium)"),
    Quantity("scales", "number", "factor of each load (row: equilibrium)"),
    Quantity("drives", "number", "factor of each prescribed motion of supports (row: equilibrium)"),
    Quantity("stable", "number", "whether each equilibrium is stable"),
    Quantity("iterations", "number", f"rows of the Newton iterations: {', '.join(Iteration._fields)}"),
    Quantity("accuracy", "number", "estimated relative round-off error of the displacements; NaN if unknown"),
    Quantity("time", "time", "time at which drivers and histories of joints are held"),
)
FACTORS = ("load_factors", "scales", "drives")
"""What functions of the load factor are tabulated with."""
MODES = (
    Quantity("roots", "angular frequency", "roots s of the motions exp(s t)"),
    Quantity("vectors", "[by coordinate]", "mode shapes (column: mode) over all velocities, of unit modal mass"),
    Quantity("state_vectors", "[by coordinate]", "rates of the mode shapes; amplitudes of first-order states"),
    Quantity("growing", "number", "whether each mode grows"),
)
STATE = (
    Quantity("q", "[by coordinate]", "coordinates of the state that the modes are about"),
    Quantity("v", "[by coordinate]", "velocities of that state"),
    Quantity("lam", "[by constraint]", "multipliers of that state"),
    Quantity("t", "time", "time of that state"),
)
ROUNDING = 100.0 * float(np.finfo(float).eps)
"""Error of omega^2 in files of flexmbs 0.1, relative to the largest."""
REFERENCE = Quantity("reference", "[by coordinate]", "all coordinates in the stress-free shape")


def save(result: StaticSolution | ModalSolution, path: str | PathLike[str]) -> Path:
    """Write a result to an HDF5 file that can be read without the script that made it.

    An older file of that name is replaced at the very end, so that an interruption leaves it as it was. Histories of
    loads and supports that are functions are stored as tables through the load factors of the result; the attribute
    ``sampled_histories`` of the file names them. Other Python functions of a model have no plain form: its results are
    loaded with the model, ``load(path, model=model)``.

    Parameters
    ----------
    result : StaticSolution or ModalSolution
    path : path-like
        Its name must end in ``.h5`` or ``.hdf5``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError
        If ``result`` is not a result or the suffix is another one.
    FlexmbsError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel)
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = bent.save(f"{folder}/bent.h5")
    ...     again = fx.load(path)
    >>> bool((again.q == bent.q).all())
    True
    """
    if not isinstance(result, StaticSolution | ModalSolution):
        raise ModelError(f"save: expected a StaticSolution or ModalSolution, not {show(result)}.")
    target = as_target("save", path, SUFFIXES)
    static = isinstance(result, StaticSolution)
    factors = [getattr(result, name) for name in FACTORS] if static else []
    sampler = Sampler.of(result.system, *factors) if static else Sampler()
    model, constants = describe_model(result.model, sampler)
    with replaced("save", target) as (draft,), sealed(draft) as file:
        units: Units = result.model.units
        file.attrs["format"] = "flexmbs result"
        file.attrs["format_version"] = VERSION
        file.attrs["flexmbs_version"] = version()
        file.attrs["kind"] = "static" if static else "modal"
        file.attrs["model"] = result.model.name
        for label in ("length", "mass", "time", "force"):
            file.attrs[f"unit_of_{label}"] = getattr(units, label)
        file.attrs["sampled_histories"] = (
            f"stored as tables in place of functions: {'; '.join(sampler.sampled)}" if sampler.sampled else "none"
        )
        _write_text(file, "model", model)
        for name, array in constants.items():
            file.create_dataset(f"constants/{name}", data=array)
        for i in range(len(result.model.flexible_bodies)):
            _write_body(file.create_group(f"bodies/{i}"), result.system, i)
        group = file.create_group("results")
        _write_array(group, REFERENCE, result.system.coordinates.reference, units)
        if isinstance(result, StaticSolution):
            _write_static(file, group, result, units)
        else:
            _write_modal(file, group, result, units)
    return target


def _write_static(file: h5py.File, group: h5py.Group, solution: StaticSolution, units: Units) -> None:
    """The arrays of equilibria, and what is no array."""
    for quantity in SOLUTION:
        _write_array(group, quantity, getattr(solution, quantity.name), units)
    group.attrs["status"] = solution.status.name
    group.attrs["message"] = solution.message
    for name, value in sorted(solution.extra.items()):
        if isinstance(value, np.ndarray):
            group.create_dataset(f"extra/{name}", data=value)
    settings = solution.settings
    options = to_plain("options", settings) if is_dataclass(settings) and not isinstance(settings, type) else None
    _write_text(file, "options", options)
    _write_text(file, "meta", {"free": list(solution.free), "redundant": list(solution.redundant)})


def _write_modal(file: h5py.File, group: h5py.Group, modes: ModalSolution, units: Units) -> None:
    """The arrays of modes, of the state they are about, and what is no array."""
    for quantity in MODES:
        _write_array(group, quantity, getattr(modes, quantity.name), units)
    state = group.create_group("state")
    for quantity in STATE:
        _write_array(state, quantity, getattr(modes.state, quantity.name), units)
    group.attrs["conservative"] = bool(modes.conservative)
    _write_text(file, "options", None)
    _write_text(file, "meta", {"frame": modes.frame, "whirl": [str(word) for word in modes.whirl]})


def load(
    path: str | PathLike[str], own: Iterable[type] = (), known: Iterable[type] = (), model: Model | None = None
) -> StaticSolution | ModalSolution:
    """Read a result, with its model rebuilt and compiled.

    Parameters
    ----------
    path : path-like
    own : iterable of type
        Classes of the user's elements and of their choices, sections, loads and supports.
    known : iterable of type
        The same for elements of flexmbs, which this module does not know; `flexmbs.load` gives all of them.
    model : Model, optional
        That of the result, where it has Python functions.

    Raises
    ------
    ReadError
        If the file is missing, empty, truncated, damaged, foreign or of a newer format, a class is not known, or the
        result is of another model.
    """
    if isinstance(own, type) or not isinstance(own, Iterable):
        raise ModelError(f"load: classes must be a tuple of classes such as (MyElement,), not {show(own)}.")
    classes = (*known, *own)
    with opened(path) as file:
        try:
            return _read(file, classes, model)
        except ReadError as error:
            raise ReadError(f"load: {path}: {error}") from error
        except FlexmbsError:
            raise
        except (OSError, LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise ReadError(f"load: {path} does not hold what a result file should: {error}") from error


def _read(file: h5py.File, classes: tuple[type, ...], model: Model | None) -> StaticSolution | ModalSolution:
    """The result in an open file."""
    kind, plain, group = file.attrs["kind"], _read_text(file, "model"), file["results"]
    if kind not in ("static", "modal"):
        raise ReadError(f"it holds a result of the kind {show(kind)}.")
    older = isinstance(plain, Mapping) and "items" not in plain
    if older:  # flexmbs 0.1
        meshes = [read_mesh(file[f"bodies/{i}"]) for i in range(len(file["bodies"]))]
        made = model_from_plain(plain, meshes, classes)
    elif model is None:
        made = rebuild_model(plain, _arrays(file["constants"]) if "constants" in file else {}, classes)
    else:
        made = model
    try:
        system = compile_model(made)
    except FlexmbsError as error:
        raise ReadError(f"the model cannot be compiled: {error}") from error
    if model is not None and not older:
        factors = [group[name][()] for name in FACTORS] if kind == "static" else []
        check_same_model("the result", plain, model, Sampler.of(system, *factors) if factors else Sampler())
    _check_numbering(file, system)
    if kind == "modal":
        return _read_older_modes(group, system) if older else _read_modes(file, group, system)
    options = _read_text(file, "options")
    settings = None if options is None else from_plain("options", options, Vocabulary((*CLASSES, *classes)), {})
    return _read_equilibria(file, group, system, settings, older)


def _read_equilibria(file: h5py.File, group: h5py.Group, system: System, settings: Any, older: bool) -> StaticSolution:
    """The static solution of a file."""
    names = {"load_factors": "parameters", "iterations": "history"} if older else {}
    missing = ("v", "lam", "time") if older else ()
    arrays = {q.name: group[names.get(q.name, q.name)][()] for q in SOLUTION if q.name not in missing}
    if older:
        n = len(arrays["q"])
        arrays |= {"v": np.zeros((n, system.coordinates.n_v)), "lam": np.zeros((n, 0)), "time": 0.0}
    accuracy, time = float(arrays.pop("accuracy")), float(arrays.pop("time"))
    for name in ("q", "v", "lam", "scales", "drives"):
        _check_rows(system, name, arrays[name])
    meta = {} if older else _read_text(file, "meta")
    return StaticSolution(
        system=system, accuracy=accuracy, time=time, status=Status[group.attrs["status"]],
        message=str(group.attrs.get("message", "")), settings=settings, free=tuple(meta.get("free", ())),
        redundant=tuple(meta.get("redundant", ())), extra=_arrays(group["extra"]) if "extra" in group else {}, **arrays,
    )  # fmt: skip


def _read_modes(file: h5py.File, group: h5py.Group, system: System) -> ModalSolution:
    """The modal solution of a file."""
    arrays = {quantity.name: group[quantity.name][()] for quantity in MODES}
    state = {quantity.name: group["state"][quantity.name][()] for quantity in STATE}
    for name in ("q", "v", "lam"):
        _check_rows(system, name, state[name][None])
    for name in ("vectors", "state_vectors"):
        _check_rows(system, name, arrays[name].T)
    meta = _read_text(file, "meta")
    whirl = np.array([str(word) for word in meta["whirl"]], dtype="<U8")
    if not len(arrays["roots"]) == len(arrays["growing"]) == len(whirl) == arrays["vectors"].shape[1]:
        raise ReadError("the numbers of its roots and vectors differ.")
    return ModalSolution(
        system=system, state=OperatingState(state["q"], state["v"], state["lam"], float(state["t"])),
        conservative=bool(group.attrs["conservative"]), frame=str(meta["frame"]), whirl=whirl, **arrays,
    )  # fmt: skip


def _read_older_modes(group: h5py.Group, system: System) -> ModalSolution:
    """Modes of flexmbs 0.1, which stored omega^2: of their error it is known that it is one of the largest."""
    q, values, vectors = (group[name][()] for name in ("q", "eigenvalues", "vectors"))
    _check_rows(system, "q", q[None])
    _check_rows(system, "vectors", vectors.T)
    roots = roots_of(values)
    state = OperatingState(q, np.zeros(system.coordinates.n_v), np.zeros(0), 0.0)
    error = float(np.sqrt(ROUNDING * np.abs(values).max(initial=0.0)))
    return ModalSolution(
        system=system, state=state, roots=roots, vectors=vectors, state_vectors=vectors * roots,
        conservative=bool(group.attrs["conservative"]), frame="inertial", whirl=np.full(len(roots), "", dtype="<U8"),
        growing=which_grow(roots, error),
    )  # fmt: skip


def _check_numbering(file: h5py.File, system: System) -> None:
    """Refuse a file whose coordinates are not those of the model as it is compiled here."""
    stored = file["results/reference"][()]
    mine = system.coordinates.reference
    same = stored.shape == mine.shape and np.allclose(
        stored, mine, rtol=1e-12, atol=1e-12 * np.abs(mine).max(initial=0.0)
    )
    for i, (body, dofs) in enumerate(zip(system.coordinates.bodies, system.coordinates.node_dofs, strict=True)):
        same = same and np.array_equal(file[f"bodies/{i}/coordinates"][()], dofs)
        same = same and np.array_equal(file[f"bodies/{i}/points"][()], body.mesh.points)
    if not same:
        raise ReadError(
            f"flexmbs {file.attrs['flexmbs_version']}, which wrote it, numbered the coordinates differently; read it "
            f"with that version."
        )


def _check_rows(system: System, name: str, array: Any) -> None:
    """Refuse an array whose rows do not fit the compiled model."""
    c = system.coordinates
    wanted = {
        "q": c.n,
        "v": c.n_v,
        "vectors": c.n_v,
        "state_vectors": c.n_v,
        "lam": system.mechanics.n_c,
        "scales": len(system.model.loads),
        "drives": len(system.fixation.drives),
    }[name]
    if array.ndim != 2 or array.shape[1] != wanted:
        raise ReadError(f"{name} has the shape {array.shape}, but the model needs rows of {wanted}.")


def _arrays(group: h5py.Group) -> dict[str, Any]:
    """All arrays of a group by their names in it."""
    found: dict[str, Any] = {}

    def collect(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    group.visititems(collect)
    return found


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


def _write_array(group: h5py.Group, quantity: Quantity, values: Any, units: Units) -> None:
    """An array of a result with its unit in words."""
    special = {
        "[by coordinate]": "by coordinate, see bodies/<i>/coordinates",
        "[by constraint]": "by constraint",
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
    return units.of(dimension(layout, coordinate))


def _write_text(file: h5py.File, name: str, plain: Plain) -> None:
    """Plain data as JSON text."""
    file.create_dataset(name, data=json.dumps(plain, allow_nan=False, indent=1))


def _read_text(file: h5py.File, name: str) -> Plain:
    """Plain data from JSON text."""
    try:
        return present_plain(json.loads(file[name].asstr()[()]))
    except (ValueError, RecursionError) as error:
        raise ReadError(f"its {name} is not JSON: {error}") from error
