"""Results over time in HDF5 files, and journals of runs that did not end: written, read, turned into each other.

Layout, beside the attributes of the file (format, kind ``time``, versions, note, fingerprint of the model)::

    model                JSON: description of the model (`flexmbs.io.model_description`)
    meta                 JSON: settings, status, statistics
    steps/<name>         (n_t, ...) arrays in compressed pieces, each with attributes ``unit`` and ``description``
    constants/<name>     arrays that do not belong to steps: meshes, places of nodes in q

A file carries a seal over its whole contents (`flexmbs.io.sealed`) and is written as a whole or not at all. Nothing
in it is ever executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import as_count, as_flag, show
from flexmbs.core.describe import Plain
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.core.info import version, versions
from flexmbs.core.renamed import present_plain
from flexmbs.io.journal_reader import Journal, is_journal, read_journal
from flexmbs.io.model_description import check_same_model, fingerprint, rebuild_model
from flexmbs.io.named_arrays import to_json
from flexmbs.io.sealed import VERSION, as_target, opened, replaced, sealed
from flexmbs.io.time_data import Column, Rows, TimeData

if TYPE_CHECKING:
    from flexmbs.model.model import Model

__all__ = ["close_journal", "holds_time", "model_of", "read_time", "write_time"]

SUFFIXES = (".h5", ".hdf5")
KIND = "time"
PIECE = 1 << 19
"""Bytes of a compressed piece of an array, about."""
BATCH = 1 << 25
"""Bytes of steps that are copied at a time."""


def write_time(data: Rows, path: str | PathLike[str], *, compression: int = 1) -> Path:
    """Write results over time to an HDF5 file; an older file of that name is replaced at the very end.

    Parameters
    ----------
    data : TimeData or Journal
        A journal is copied piece by piece, so that it need not fit into the memory.
    path : path-like
        Its name must end in ``.h5`` or ``.hdf5``.
    compression : int
        From 0 (none) to 9 (slow); nothing is lost at any.

    Raises
    ------
    ModelError
        If ``data`` is of another kind, the suffix another one, or ``compression`` out of range.
    FlexmbsError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> data = TimeData({"t": np.linspace(0.0, 1.0, 5), "q": np.zeros((5, 2))}, {"status": "DONE"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = read_time(write_time(data, f"{folder}/run.h5"))
    >>> again.arrays["q"].shape, again.meta["status"]
    ((5, 2), 'DONE')
    """
    if not isinstance(data, TimeData | Journal):
        raise ModelError(f"write_time: expected TimeData or a Journal, not {show(data)}.")
    if as_count("write_time", "compression", compression) > 9:
        raise ModelError(f"write_time: compression must be at most 9, not {compression}.")
    target = as_target("save", path, SUFFIXES)
    with replaced("save", target) as (draft,), sealed(draft) as file:
        file.attrs["format"] = "flexmbs result"
        file.attrs["format_version"] = VERSION
        file.attrs["flexmbs_version"] = version()
        file.attrs["versions"] = json.dumps(versions())
        file.attrs["kind"] = KIND
        file.attrs["note"] = data.note
        file.attrs["model_fingerprint"] = fingerprint(data.model)
        for name, plain in (("model", data.model), ("meta", dict(data.meta))):
            file.create_dataset(name, data=to_json(f"write_time: {name}", plain).decode())
        _write_steps(file.create_group("steps", track_order=True), data, compression)
        constants = file.create_group("constants")
        for name, array in data.constants.items():
            constants.create_dataset(name, data=array)
    return target


def read_time(path: str | PathLike[str]) -> TimeData:
    """Read results over time: an HDF5 file, or the journal that a run left behind.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    TimeData
        Where the run did not come to its end, ``note`` says what is missing.

    Raises
    ------
    ReadError
        If the file is missing, truncated, damaged, foreign, of another kind or of a newer format. A journal may end
        anywhere behind its header.
    """
    if is_journal(path):
        try:
            return read_journal(path).to_time_data()
        except ModelError as error:
            raise ReadError(f"load: {path} does not hold what a journal should: {error}") from error
    with opened(path) as file:
        if file.attrs.get("kind") != KIND:
            raise ReadError(
                f"load: {path} holds a result of the kind {show(file.attrs.get('kind'))}, not results over time."
            )
        try:
            return _read(file)
        except (FlexmbsError, OSError, LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise ReadError(f"load: {path} does not hold what a result file should: {error}") from error


def model_of(
    data: Rows, path: str | PathLike[str] = "the result", model: Model | None = None, classes: Iterable[type] = ()
) -> Model:
    """The model of results: the one that is passed, if they are of it, or else the one that they describe.

    Parameters
    ----------
    data : TimeData or Journal
    path : path-like
        For messages.
    model : Model, optional
        Needed where the model has Python functions.
    classes : iterable of type
        Classes of elements with their choices, and of the user's own objects, where no model is passed.

    Raises
    ------
    ReadError
        If the results are of another model (the message says what differs), or it cannot be rebuilt.
    """
    if model is not None:
        check_same_model(f"load: {path}", data.model, model)
        return model
    try:
        return rebuild_model(data.model, data.constants, classes)
    except ReadError as error:
        raise ReadError(f"load: {path}: {error}") from error


def close_journal(
    journal: str | PathLike[str], path: str | PathLike[str], *, keep: bool = False, compression: int = 1
) -> Path:
    """Turn a journal into an HDF5 file and, once that is there, remove the journal.

    Parameters
    ----------
    journal : path-like
    path : path-like
        Of the HDF5 file.
    keep : bool
        Whether the journal stays.
    compression : int
        As for `write_time`.

    Raises
    ------
    ReadError
        If the journal cannot be read.
    FlexmbsError
        If the file cannot be written; the journal stays.
    """
    keep = as_flag("close_journal", "keep", keep)
    target = write_time(read_journal(journal), path, compression=compression)
    if not keep:
        try:
            Path(journal).unlink()
        except OSError as error:
            raise FlexmbsError(f"close_journal: {target} is written, but {journal} cannot be removed.") from error
    return target


def holds_time(path: str | PathLike[str]) -> bool:
    """Whether `read_time` is the reader of a file: a journal or an HDF5 file of the kind ``time``.

    Raises
    ------
    ReadError
        If it is neither a journal nor a whole file of results.
    """
    if is_journal(path):
        return True
    with opened(path) as file:
        return bool(file.attrs.get("kind") == KIND)


def _write_steps(group: h5py.Group, data: Rows, compression: int) -> None:
    """All columns, in batches of steps."""
    n = data.n_rows
    for column in data.columns:
        width = 8 * column.size
        options: dict[str, Any] = {}
        if n and width:
            rows = min(n, max(1, PIECE // width))
            options = {"chunks": (rows, *column.shape)}
            options |= {"compression": "gzip", "compression_opts": compression, "shuffle": True} if compression else {}
        made = group.create_dataset(column.name, (n, *column.shape), column.dtype, **options)
        made.attrs["unit"] = column.unit
        made.attrs["description"] = column.meaning
    # Batches end where pieces do, or each piece would be compressed several times.
    batch = max(1, BATCH // max(1, sum(8 * c.size for c in data.columns)))
    waiting: dict[str, list[NDArray[Any]]] = {c.name: [] for c in data.columns}
    for start in range(0, n, batch):
        stop = min(n, start + batch)
        for name, array in data.rows(start, stop).items():
            waiting[name].append(array)
            have = sum(len(part) for part in waiting[name])
            piece = group[name].chunks[0] if group[name].chunks else 1
            ready = have if stop == n else have - have % piece
            if ready:
                whole = np.concatenate(waiting[name]) if len(waiting[name]) > 1 else waiting[name][0]
                group[name][stop - have : stop - have + ready] = whole[:ready]
                waiting[name] = [whole[ready:]]


def _read(file: h5py.File) -> TimeData:
    """The results in an open file."""
    arrays, columns = {}, []
    for name, item in file["steps"].items():
        arrays[name] = item[()]
        about = (str(item.attrs["unit"]), str(item.attrs["description"]))
        columns.append(Column(name, item.shape[1:], str(item.dtype), *about))
    constants: dict[str, NDArray[Any]] = {}

    def collect(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            constants[name] = item[()]

    file["constants"].visititems(collect)
    model, meta = _json(file, "model"), _json(file, "meta")
    if fingerprint(model) != file.attrs["model_fingerprint"]:
        raise ReadError("the description of its model is not the one that was written.")
    meta, model = present_plain(meta), present_plain(model)
    return TimeData(arrays, meta, model, constants, tuple(columns), str(file.attrs["note"]))


def _json(file: h5py.File, name: str) -> Plain:
    """Plain data from JSON text."""
    return json.loads(file[name].asstr()[()])
