"""Reduced models in HDF5 files: what is in them, writing and reading; nothing in a file is executed.

Attributes of the file: ``format`` ("flexmbs reduced model"), ``version``, ``name``, ``method`` and the other entries of
the provenance under ``provenance/``. Datasets (m coordinates, N displacements, n_nodes nodes):

===========================  =================================================================================
``K``, ``M``, ``D``          (m, m) reduced matrices; ``D`` only where there is damping
``labels``, ``frequencies``  (m,) what each coordinate is; angular frequency of modes, nan for others
``shapes``                   (N, m) displacements of the part for each coordinate
``dof_node``                 (N,) row of ``points`` that each displacement belongs to
``dof_component``            (N,) 0 to 5: ux, uy, uz, rx, ry, rz, inertial axes
``points``                   (n_nodes, 3) undeformed places
``cells/<type>``             cells of the mesh, nodes in VTK's order
``sets/<number>``            rows of ``points``; attribute ``name``
``interfaces/<number>``      ``nodes``, ``origin``, ``coordinates``, ``node``, ``component``; ``name``, ``kind``
``inertia``                  ``mass``, ``first``, ``second``, ``P``, ``Q``, ``R`` (`InertiaInvariants`)
``stress``                   ``nodes`` (s,), ``shapes`` (s, n_c, m), ``names`` (n_c,)
``stiffening``               ``moments``, ``interfaces``, ``frames``; ``only`` (`flexmbs.reduction.stiffening`)
``units``                    attributes ``length``, ``mass``, ``time``, ``force``, as far as known
``report``                   JSON of the report (`flexmbs.reduction.report.data`), where one was made
===========================  =================================================================================

Texts are UTF-8. Behind the end of HDF5 stands the SHA-256 of all before it, in words. To read it in other tools:
``h5py.File("part.h5")["K"][()]`` gives the stiffness.
"""

from __future__ import annotations

import hashlib
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.core.hdf5 import RESULT_LINE, new_hdf5
from flexmbs.linear.operators import DofMap
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.line_moments import LineMoments
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.stiffening import Stiffening

__all__ = ["FORMAT", "VERSION", "load_reduced", "save"]

FORMAT = "flexmbs reduced model"
VERSION = 1
SIGNATURE = b"\x89HDF\r\n\x1a\n"
SEAL = b"\nflexmbs sha256 "
"""Before the digest at the end of a file."""
BLOCK = 1 << 20
ROOM = 10_000_000
"""Bytes for all that is not the shapes."""


def save(model: ReducedModel, path: str | Path) -> Path:
    """Write a model; the file appears under its name when it is complete.

    Raises
    ------
    FlexmbsError
        If it cannot be written.
    """
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_room(model, path)
        with new_hdf5(part) as file:
            _write(model, file)
        seal(part)
        part.replace(path)
    except (OSError, ValueError) as error:  # a name with a zero character is a ValueError
        if isinstance(error, FlexmbsError):
            raise
        raise FlexmbsError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}.") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return path


def seal(path: Path) -> None:
    """Put the digest of a file behind it, where HDF5 does not look."""
    with path.open("r+b") as stream:
        digest: Any = hashlib.file_digest(stream, "sha256")  # type: ignore[arg-type,unused-ignore]
        stream.write(SEAL + digest.hexdigest().encode("ascii") + b"\n")


def _check_seal(path: Path) -> None:
    """Refuse what is not as it was written: HDF5 may not come back from a damaged file."""
    length = len(SEAL) + 65
    with path.open("rb") as stream:
        begin = stream.read(len(RESULT_LINE))
        if begin == RESULT_LINE:
            raise ReadError(
                f"{path}: it holds the result of an analysis, which flexmbs.load reads, and no reduced model."
            )
        if not begin.startswith(SIGNATURE):
            raise ReadError(
                f"{path}: it is not an HDF5 file, or it ends early; flexmbs.reduction.read_reduced reads other formats."
            )
        size = stream.seek(0, 2)
        stream.seek(max(0, size - length))
        found = stream.read()
        if not found.startswith(SEAL):
            raise ReadError(
                f"{path}: it holds no reduced model, ends early, or was changed after it was written, since the digest "
                f"at its end is missing; a model is written by ReducedModel.save(...)."
            )
        stream.seek(0)
        digest = hashlib.sha256()
        left = size - length
        while left > 0:
            block = stream.read(min(left, BLOCK))
            digest.update(block)
            left -= len(block)
    if found[len(SEAL) : -1] != digest.hexdigest().encode("ascii"):
        raise ReadError(f"{path}: it is damaged: its digest is another one.")


def _check_room(model: ReducedModel, path: Path) -> None:
    """Refuse a full disk before the time that writing takes."""
    wanted = 8 * int(np.prod(model.shapes.shape)) + ROOM
    if model.stress_shapes is not None:
        wanted += 8 * int(np.prod(np.shape(model.stress_shapes)))
    if shutil.disk_usage(path.parent).free < wanted:
        raise FlexmbsError(f"cannot write {path}: the disk has less than the {wanted / 1e6:.0f} MB free that it needs.")


def _write(model: ReducedModel, file: Any) -> None:
    file.attrs.update({"format": FORMAT, "version": VERSION, "name": model.name, "n_interface": model.n_interface})
    file.create_group("provenance", track_order=True).attrs.update(model.provenance)
    file.create_group("units", track_order=True).attrs.update(model.units)
    for name in ("K", "M", "D", "frequencies", "points"):
        if getattr(model, name) is not None:
            file[name] = getattr(model, name)
    file["labels"] = _texts(model.labels)
    file.create_dataset("shapes", data=np.asarray(model.shapes), chunks=True)
    file["dof_node"], file["dof_component"] = model.dofs.node, model.dofs.component
    cells = file.create_group("cells", track_order=True)
    for kind, nodes in model.cells.items():
        cells[kind] = nodes
    sets = file.create_group("sets")
    for number, (name, nodes) in enumerate(model.node_sets.items()):
        data = sets.create_dataset(str(number), data=nodes)  # a name may hold a slash
        data.attrs["name"] = name
    faces = file.create_group("interfaces")
    for number, frame in enumerate(model.frames):
        group = faces.create_group(str(number))
        group.attrs.update({"name": frame.name, "kind": frame.kind})
        for name in ("nodes", "origin", "coordinates", "node", "component"):
            group[name] = getattr(frame, name)
    if model.inertia is not None:
        group = file.create_group("inertia")
        for name, value in model.inertia.arrays().items():
            group[name] = value
    if model.line is not None:
        group = file.create_group("line")
        for name, value in model.line.arrays().items():
            group[name] = value
    if model.stress_shapes is not None:
        group = file.create_group("stress")
        group["nodes"], group["shapes"] = model.stress_nodes, np.asarray(model.stress_shapes)
        group["names"] = _texts(model.stress_names)
    if model.stiffening is not None:
        group = file.create_group("stiffening")
        group["moments"], group["interfaces"] = model.stiffening.moments, model.stiffening.interfaces
        group["frames"] = _texts(model.stiffening.frames)
        if model.stiffening.only is not None:
            group.attrs["only"] = model.stiffening.only
    if model.report_text is not None:
        file.create_dataset("report", data=model.report_text, dtype=h5py.string_dtype())


def is_reduced(path: str | Path) -> bool:
    """Whether a file says that it is a reduced model."""
    try:
        with h5py.File(path, "r") as file:
            return bool(file.attrs.get("format") == FORMAT)
    except OSError:
        return False


def load_reduced(path: str | Path, *, in_memory: bool = True) -> ReducedModel:
    """Read a reduced model.

    Parameters
    ----------
    path : path
        A file that `ReducedModel.save` wrote.
    in_memory : bool
        False leaves the shapes on disk; they are read where they are used, and the file stays open.

    Raises
    ------
    ReadError
        If the file is missing, of another kind or version, or ends early.
    ModelError
        If its contents do not fit together.
    """
    path = Path(path)
    if not path.exists():
        raise ReadError(f"{path}: there is no such file.")
    try:
        _check_seal(path)
        file = h5py.File(path, "r")
    except OSError as error:
        if isinstance(error, FlexmbsError):
            raise
        raise ReadError(f"{path}: it is not an HDF5 file, or it ends early.") from None
    try:
        if file.attrs.get("format") != FORMAT:
            raise ReadError(f"{path}: it holds no reduced model; one is written by ReducedModel.save(...).")
        if file.attrs.get("version") != VERSION:
            raise ReadError(f"{path}: it has version {file.attrs.get('version')} of the format, not {VERSION}.")
        model = _read(file, in_memory)
    except ModelError as error:
        file.close()
        raise ReadError(f"{path}: {error}") from None
    except (KeyError, OSError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        file.close()
        raise ReadError(f"{path}: it is damaged: {error}.") from None
    if in_memory:
        file.close()
    return model


def _read(file: Any, in_memory: bool) -> ReducedModel:
    sets = {file["sets"][k].attrs["name"]: file["sets"][k][()] for k in sorted(file["sets"], key=int)}
    frames = []
    for number in sorted(file["interfaces"], key=int):
        group = file["interfaces"][number]
        arrays = [group[n][()] for n in ("nodes", "origin", "coordinates", "node", "component")]
        frames.append(Frame(group.attrs["name"], group.attrs["kind"], *arrays))
    inertia = None
    if "inertia" in file:
        given = {name: data[()] for name, data in file["inertia"].items()}
        inertia = InertiaInvariants(**(given | {"mass": float(given["mass"]), "exact": bool(given["exact"])}))
    line = None
    if "line" in file:
        given = {name: data[()] for name, data in file["line"].items()}
        line = LineMoments(**(given | {"length": float(given["length"])}))
    stress = file.get("stress")
    second = file.get("stiffening")
    return ReducedModel(
        name=file.attrs["name"],
        K=file["K"][()],
        M=file["M"][()],
        D=file["D"][()] if "D" in file else None,
        labels=_words(file["labels"]),
        n_interface=int(file.attrs["n_interface"]),
        frames=tuple(frames),
        frequencies=file["frequencies"][()],
        shapes=file["shapes"][()] if in_memory else file["shapes"],
        dofs=DofMap(file["dof_node"][()], file["dof_component"][()]),
        points=file["points"][()],
        inertia=inertia,
        cells={kind: data[()] for kind, data in file["cells"].items()} if "cells" in file else {},
        node_sets=sets,
        units=dict(file["units"].attrs),
        provenance=dict(file["provenance"].attrs),
        stress_nodes=None if stress is None else stress["nodes"][()],
        stress_shapes=None if stress is None else stress["shapes"][()] if in_memory else stress["shapes"],
        stress_names=() if stress is None else _words(stress["names"]),
        stiffening=None
        if second is None
        else Stiffening(
            second["moments"][()], _words(second["frames"]), second["interfaces"][()], second.attrs.get("only")
        ),
        line=line,
        report_text=file["report"][()].decode() if "report" in file else None,
    )


def _texts(words: Any) -> Any:
    return np.array(list(words), dtype=h5py.string_dtype())


def _words(data: Any) -> tuple[str, ...]:
    return tuple(word.decode() for word in data[()])
