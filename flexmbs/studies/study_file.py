"""The file of a study: HDF5 in the layout of netCDF-4, which xarray opens, and the journal beside it.

While a study is under way every outcome is a line of the journal ``NAME.h5.journal``, written as it comes; a killed
process leaves at most half a line. What workers had finished and not handed over by then is found beside it
(`flexmbs.studies.spool`). The file is made of the journal when the study ends, however it ends, and replaces
an older one as a whole. The journal stays until all runs have been made.

Layout: dimension ``run``; variables ``(run,)``: parameters, ``status`` with the meanings of its numbers, ``message``,
``warned``, ``seconds``, ``key``, one per measure; ``(run, sample)``: ``at`` and one per history, NaN beyond the end of
a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.core.hdf5 import new_hdf5
from flexmbs.io.sealed import replaced
from flexmbs.studies.journal import FORMAT, Journal, check_identity, header_of
from flexmbs.studies.outcomes import Ended, Outcome

__all__ = [
    "Kept",
    "Stored",
    "check_target",
    "open_kept",
    "progress_of",
    "read_study",
    "write_kept",
    "write_study",
]

SAMPLES = 4096
"""Most numbers of a history in a chunk of the file."""


class Stored:
    """Arrays of a study, read from its file; histories are read when they are asked for.

    Attributes
    ----------
    header : dict
    columns : dict
        Parameters, measures and the rest, (n_runs,) each.
    """

    def __init__(self, path: Path, header: dict[str, Any], columns: dict[str, Any]) -> None:
        self.path, self.header, self.columns = path, header, columns

    def rows(self, name: str, at: Any = slice(None)) -> Any:
        """A variable, or some runs of it."""
        with _opened(self.path) as file:
            return file[name][at]


def write_study(target: Path, header: Mapping[str, Any], outcomes: Iterator[Outcome | None], count: int) -> None:
    """Write the file of ``count`` runs; None where there is no outcome."""
    parameters = tuple(header["parameters"])
    words = header["words"]
    numbers = [name for kind, name, *_ in header["measures"] if kind == "Measure"]
    histories = [name for kind, name, *_ in header["measures"] if kind == "History"]
    units = {name: unit for _, name, unit, _ in header["measures"]}
    with replaced("Study", target) as (draft,), new_hdf5(draft) as file:
        file.attrs["flexmbs_study"] = json.dumps(dict(header))
        file.attrs["Conventions"] = "CF-1.8"
        run = _dimension(file, "run", count)
        columns: dict[str, Any] = {name: np.full(count, np.nan) for name in (*parameters, "seconds", *numbers)}
        columns |= {name: np.full(count, "", dtype=object) for name in (*words, "message", "warned", "key")}
        status = np.full(count, Ended.MISSING, dtype=np.int8)
        sample: Any = None
        for i, outcome in enumerate(outcomes):
            if outcome is None:
                continue
            status[i] = outcome.ended
            row = outcome.values | outcome.numbers | {"seconds": outcome.seconds, "message": outcome.message}
            for name, value in (row | {"key": outcome.key, "warned": "\n".join(outcome.warned)}).items():
                columns[name][i] = value
            for name, values in outcome.histories.items():
                if sample is None:
                    sample = _dimension(file, "sample", 0)
                    for each in ("at", *histories):
                        shape = (count, 0)
                        _variable(file, each, shape, (run, sample), units.get(each, ""), "history", len(values))
                if len(values) > sample.shape[0]:
                    for each in (sample, *(file[n] for n in ("at", *histories))):
                        each.resize(len(values), axis=each.ndim - 1)
                file[name][i, : len(values)] = values
        for name, values in columns.items():
            meaning = "parameter" if name in parameters else "measure" if name in numbers else name
            _variable(file, name, values, (run,), "s" if name == "seconds" else units.get(name, ""), meaning)
        flags = _variable(file, "status", status, (run,), "", "how the run ended").attrs
        flags["flag_values"] = np.array([e.value for e in Ended], dtype=np.int8)
        flags["flag_meanings"] = " ".join(e.name for e in Ended)


def _dimension(file: h5py.File, name: str, size: int) -> Any:
    """A dimension of netCDF-4 without coordinates."""
    scale = file.create_dataset(name, (size,), np.int32, maxshape=(None,), chunks=(1024,))
    scale.make_scale(f"This is a netCDF dimension but not a netCDF variable. {size:10d}")
    return scale


def _variable(file: h5py.File, name: str, values: Any, scales: Any, unit: str, long_name: str, row: int = 1) -> Any:
    """A variable over dimensions: of values (n_runs,), or of a shape, to be filled in rows of about ``row`` numbers.

    What is not written is NaN.
    """
    if isinstance(values, tuple):
        shape, data, kind = values, None, np.dtype(float)
    else:
        shape, data, kind = values.shape, values, values.dtype
    kind = h5py.string_dtype() if kind.kind == "O" else kind
    chunks = (min(max(shape[0], 1), 1024),) if len(shape) == 1 else (1, min(max(row, 16), SAMPLES))
    fill = {} if data is not None else {"fillvalue": np.nan}
    made = file.create_dataset(name, shape, kind, data=data, maxshape=(None,) * len(shape), chunks=chunks, **fill)
    for axis, scale in enumerate(scales):
        made.dims[axis].attach_scale(scale)
    made.attrs["long_name"] = long_name
    if unit:
        made.attrs["units"] = unit
    return made


def _opened(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r", locking="best-effort")
    except OSError as error:
        what = "is not there" if not path.exists() else "is damaged, or no file of a study"
        raise ReadError(f"Study: {path} {what}.") from error


def read_study(path: Path) -> Stored:
    """Header and columns of a file.

    Raises
    ------
    ReadError
        If it is missing, damaged or of another kind.
    """
    with _opened(path) as file:
        try:
            header = json.loads(file.attrs["flexmbs_study"])
            if header["flexmbs study"] != FORMAT:
                raise KeyError
            measures = [name for kind, name, *_ in header["measures"] if kind == "Measure"]
            names = [*header["parameters"], "status", "message", "warned", "key", "seconds", *measures]
            columns = {name: _column(file[name]) for name in names}
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ReadError(f"Study: {path} is no file of a study of this format.") from error
        except OSError as error:
            raise ReadError(f"Study: {path} is damaged.") from error
    return Stored(path, header, columns)


def outcome_of(stored: Stored, file: h5py.File, row: int) -> Outcome:
    """What a row of a file holds."""
    columns, header = stored.columns, stored.header
    arrays = {}
    if "at" in file:
        at = file["at"][row]
        length = int(np.isfinite(at).sum())
        histories = [name for kind, name, *_ in header["measures"] if kind == "History"]
        arrays = {n: np.asarray(file[n][row][:length]) for n in ("at", *histories) if length}
    numbers = {name: float(columns[name][row]) for kind, name, *_ in header["measures"] if kind == "Measure"}
    warned = columns["warned"][row]
    return Outcome(
        str(columns["key"][row]), {n: _plain(columns[n][row]) for n in header["parameters"]},
        Ended(int(columns["status"][row])), str(columns["message"][row]), float(columns["seconds"][row]),
        numbers, arrays, tuple(warned.split("\n")) if warned else (),
    )  # fmt: skip


class Kept:
    """What the file and the journal of a study hold together; the journal is newer. Outcomes are read one by one.

    ``ended``: how each run ended, by its key, in the order of the file and then the journal.
    """

    def __init__(self, target: Path, journal: Journal, anew: bool = False) -> None:
        self.target, self.journal = target, journal
        self.ended: dict[str, Ended] = {}
        self._rows: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        if target.exists() and not anew:
            columns = read_study(target).columns
            for row, (key, status) in enumerate(zip(columns["key"], columns["status"], strict=True)):
                if status != Ended.MISSING:
                    self._rows[key], self.ended[key] = row, Ended(int(status))
        for place, outcome in journal.read():
            self._lines[outcome.key], self.ended[outcome.key] = place, outcome.ended

    def outcomes(self, keys: Iterable[str]) -> Iterator[Outcome | None]:
        """Of given runs; None where there is none."""
        if not self._rows:
            yield from (self.journal.at(self._lines[key]) if key in self._lines else None for key in keys)
            return
        stored = read_study(self.target)
        with _opened(self.target) as file:
            for key in keys:
                if key in self._lines:
                    yield self.journal.at(self._lines[key])
                else:
                    yield outcome_of(stored, file, self._rows[key]) if key in self._rows else None


def write_kept(target: Path, header: dict[str, Any], kept: Kept, order: list[str]) -> None:
    """Make the file of all that is kept.

    Raises
    ------
    FlexmbsError
        If the system refuses, such as for want of space.
    """
    try:
        write_study(target, header, kept.outcomes(order), len(order))
    except (OSError, FlexmbsError) as error:
        what = f"cannot write {target}: {error.strerror or error}." if isinstance(error, OSError) else str(error)
        raise FlexmbsError(
            f"Study: {what.removeprefix('Study: ')} What was done is kept in {kept.journal.path}; run the study again "
            f"when there is room."
        ) from error


def open_kept(owner: str, target: Path, journal: Journal, anew: bool = False) -> Kept:
    """What is there of a study; with ``anew``, nothing.

    Raises
    ------
    ModelError
        If the file holds something else.
    ReadError
        If file or journal are of another study.
    """
    if anew:
        journal.remove()
    else:
        check_target(owner, target)
        if target.exists():
            check_identity(target, read_study(target).header, journal.header)
        journal.absorb()
    return Kept(target, journal, anew)


def progress_of(path: Path) -> str:
    """How far a study is, in a line: from its journal while it is under way, else from its file.

    Raises
    ------
    ReadError
        If there is neither.
    """
    counts: dict[Ended, int] = {}
    journal = path.with_name(f"{path.name}.journal")
    ended: dict[str, Ended] = {}
    if path.exists():
        columns = read_study(path).columns
        for key, status in zip(columns["key"], columns["status"], strict=True):
            ended[str(key) or f"missing {len(ended)}"] = Ended(int(status))
    elif not journal.exists():
        raise ReadError(f"Study: {path} is not there, nor a journal of it.")
    if journal.exists():
        with journal.open("rb") as lines:
            header = header_of(journal, lines.readline())
        ended |= {outcome.key: outcome.ended for _, outcome in Journal(path, header).read()}
    for each in ended.values():
        counts[each] = counts.get(each, 0) + 1
    words = ", ".join(f"{counts[e]} {e.name.lower().replace('_', ' ')}" for e in Ended if e in counts)
    return f"{path}: {words or 'no runs yet'}{'; under way, or was interrupted' if journal.exists() else ''}"


def _column(data: Any) -> Any:
    """Values of a variable; words as str."""
    return data.asstr()[:] if h5py.check_string_dtype(data.dtype) else data[:]


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else float(value)


def check_target(owner: str, target: Path) -> None:
    """Refuse a file that holds something else."""
    if target.exists() and target.stat().st_size:
        try:
            read_study(target)
        except ReadError as error:
            what = str(error).removeprefix("Study: ")
            raise ModelError(f"{owner}: {what} Give another name; nothing was written.") from error
