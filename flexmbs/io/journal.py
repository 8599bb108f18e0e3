"""Journals: results over time that survive the end of the process that writes them, whatever ends it.

A journal is only ever appended to. Layout (numbers little-endian)::

    "FMBSJRNL"  version (4)  crc32 of the text (4)  length of the text (8)  header: JSON text, filled up to 8 bytes
    record, record, ...

    record:  kind (4, "STEP" or "DATA")  zero (4)  length of the payload (8)  number of the record (8)
             payload, filled up to 8 bytes
             crc32 of all that (4)  "DONE" (4)

A STEP holds one value of every column of the header, float64 or int64. A DATA holds named arrays under a label
(`flexmbs.io.named_arrays`); of several with one label the latest counts. A record counts if it is whole and its sum
is right; reading ends at the first that does not.

What is safe: a record counts as soon as it has been handed to the operating system, which happens when the buffer is
full, at the first step that is added more than ``flush_seconds`` after the last time, with every DATA record, and by
`JournalWriter.flush`. From then on nothing that happens to the process (kill -9, a crash, no memory) can take it away.
A loss of power can take what the system has not yet written, up to tens of seconds; with ``sync=True`` every hand-over
waits for the disk, so that no more is lost than what was in the buffer.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from flexmbs.core.checks import as_count, as_flag, as_name, as_number, show
from flexmbs.core.describe import Plain
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.io.named_arrays import pack, to_json
from flexmbs.io.time_data import Column

__all__ = ["CONSTANTS", "END", "JournalWriter"]

MAGIC = b"FMBSJRNL"
VERSION = 1
STEP, DATA, DONE = (int.from_bytes(word, "little") for word in (b"STEP", b"DATA", b"DONE"))
HEAD = np.dtype([("kind", "<u4"), ("zero", "<u4"), ("length", "<u8"), ("number", "<u8")])
TAIL = np.dtype([("crc", "<u4"), ("done", "<u4")])
START_NUMBERS = np.dtype([("version", "<u4"), ("crc", "<u4"), ("length", "<u8")])
START = len(MAGIC) + START_NUMBERS.itemsize
"""Bytes before the text of the header."""
BUFFER = 1 << 20
"""Bytes of steps that are collected at most."""
CONSTANTS = "constants"
"""Label of the arrays that belong to the whole run."""
END = "end"
"""Label of what is known at the end of the run only."""


def step_dtype(columns: Sequence[Column]) -> np.dtype[Any]:
    """A whole STEP record."""
    letters = {"float64": "<f8", "int64": "<i8"}
    payload = [(f"column {c.name}", letters[c.dtype], c.shape) for c in columns]
    return np.dtype([*HEAD.descr, *payload, *TAIL.descr])


class JournalWriter:
    """Writes a journal; a context manager.

    Parameters
    ----------
    path : path-like
        A file that does not exist yet, unless ``replace``.
    columns : sequence of Column
        What every step has.
    meta : mapping of str to plain data
        Settings, versions.
    model : plain data
        Description of the model.
    constants : mapping of str to array
        Arrays that belong to the whole run.
    flush_seconds : float
        After this time the next step hands all collected ones to the operating system.
    flush_records : int, optional
        Most steps that are collected; left out, as many as fit into 1 MiB.
    sync : bool
        Whether each hand-over waits until the disk has it.
    replace : bool
        Whether an older file may be overwritten.

    Raises
    ------
    ModelError
        If the columns are not columns with different names, or something is not plain data.
    FlexmbsError
        If the file exists already or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from flexmbs.io.journal_reader import read_journal
    >>> folder = tempfile.TemporaryDirectory()
    >>> with JournalWriter(f"{folder.name}/run.journal", [Column("t"), Column("q", (2,))]) as journal:
    ...     journal.append({"t": 0.0, "q": np.zeros(2)})
    ...     journal.append({"t": 0.1, "q": np.ones(2)})
    >>> read_journal(journal.path).rows(0, 2)["t"]
    array([0. , 0.1])
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: str | PathLike[str],
        columns: Sequence[Column],
        *,
        meta: Mapping[str, Plain] | None = None,
        model: Plain = None,
        constants: Mapping[str, Any] | None = None,
        flush_seconds: float = 0.2,
        flush_records: int | None = None,
        sync: bool = False,
        replace: bool = False,
    ) -> None:
        self._prepare(path, columns, flush_seconds, flush_records, sync)
        layout = [asdict(column) for column in self.columns]
        head = to_json(self._owner, {"columns": layout, "meta": dict(meta or {}), "model": model})
        head += b" " * (-len(head) % 8)
        numbers = np.array((VERSION, zlib.crc32(head), len(head)), START_NUMBERS)
        try:
            mode = os.O_TRUNC if as_flag(self._owner, "replace", replace) else os.O_EXCL
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | mode | getattr(os, "O_BINARY", 0), 0o666)
        except FileExistsError:
            raise FlexmbsError(
                f"{self._owner}: the file exists already, perhaps from a run that was interrupted; read it with "
                f"flexmbs.load, remove it, or take another name."
            ) from None
        except OSError as error:
            raise FlexmbsError(f"{self._owner}: cannot be written: {os.strerror(error.errno or 0)}.") from error
        start = MAGIC + numbers.tobytes() + head
        self._write(start, 0)
        self._state = (len(start), 0, 0, 0)
        if constants:
            self.put(CONSTANTS, constants)

    @classmethod
    def continued(
        cls, path: Path, columns: Sequence[Column], end: int, number: int, rows: int, **options: Any
    ) -> JournalWriter:
        """A writer that goes on after the byte ``end`` of an existing journal; what is behind it is cut off."""
        self = cls.__new__(cls)
        self._prepare(path, columns, **options)
        try:
            self._file = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
            os.ftruncate(self._file, end)
        except OSError as error:
            raise FlexmbsError(f"{self._owner}: cannot be written: {os.strerror(error.errno or 0)}.") from error
        self._state = (end, number, rows, 0)
        return self

    def _prepare(
        self,
        path: str | PathLike[str],
        columns: Sequence[Column],
        flush_seconds: float = 0.2,
        flush_records: int | None = None,
        sync: bool = False,
    ) -> None:
        if not isinstance(path, str | PathLike) or not str(path):
            raise ModelError(f"JournalWriter: path must be a string or a path such as 'run.journal', not {show(path)}.")
        self.path = Path(path)
        self._owner = f"JournalWriter {self.path}"
        self.columns = tuple(columns) if isinstance(columns, Sequence) else ()
        names = [c.name for c in self.columns if isinstance(c, Column)]
        if not names or len(names) < len(self.columns) or len(set(names)) < len(names):
            raise ModelError(f"{self._owner}: columns must be Column objects of different names, not {show(columns)}.")
        self._seconds = as_number(self._owner, "flush_seconds", flush_seconds, minimum=0.0)
        self._sync = as_flag(self._owner, "sync", sync)
        dtype = step_dtype(self.columns)
        most = max(1, BUFFER // dtype.itemsize)
        if flush_records is not None:
            most = min(most, as_count(self._owner, "flush_records", flush_records, minimum=1))
        self._buffer = np.zeros(most, dtype)
        self._buffer["kind"], self._buffer["done"] = STEP, DONE
        self._buffer["length"] = dtype.itemsize - HEAD.itemsize - TAIL.itemsize
        self._bytes: memoryview = self._buffer.view(np.uint8).data
        self._size = dtype.itemsize
        self._targets = [(c.name, self._buffer[f"column {c.name}"], c.shape, c.dtype == "int64") for c in self.columns]
        self._file = -1
        # Bytes written, records and steps so far, steps in the buffer. It is replaced as a whole, after the write that
        # it tells of: an interruption anywhere leaves it valid, and what was half done is done again at the same place.
        self._state = (0, 0, 0, 0)
        self._flushed = time.monotonic()

    def append(self, values: Mapping[str, Any]) -> None:
        """Add a step: a value for every column.

        Raises
        ------
        ModelError
            If a column is missing or unknown, or a value has another shape.
        FlexmbsError
            If the journal is closed or cannot be written.
        """
        if self._file < 0:
            raise FlexmbsError(f"{self._owner} is closed.")
        if self._state[3] == len(self._buffer):  # the last hand-over was interrupted
            self.flush()
        end, number, rows, i = self._state
        if len(values) != len(self._targets):
            raise ModelError(f"{self._owner}: a step has {sorted(c.name for c in self.columns)}, not {sorted(values)}.")
        for name, target, shape, whole in self._targets:
            try:
                value = values[name]
            except KeyError:
                raise ModelError(f"{self._owner}: a step lacks {name!r}; it has {sorted(values)}.") from None
            given = np.asarray(value)
            if given.shape != shape or given.dtype.kind not in ("iub" if whole else "fiub"):
                wanted = f"{'int64' if whole else 'float64'} of shape {shape}"
                raise ModelError(f"{self._owner}: {name} must be {wanted}, not {show(value)}.")
            target[i] = given
        self._buffer["number"][i] = number
        self._buffer["crc"][i] = zlib.crc32(self._bytes[i * self._size : (i + 1) * self._size - TAIL.itemsize])
        self._state = (end, number + 1, rows + 1, i + 1)
        if i + 1 == len(self._buffer) or time.monotonic() - self._flushed >= self._seconds:
            self.flush()

    def put(self, label: str, arrays: Mapping[str, Any], meta: Mapping[str, Plain] | None = None) -> None:
        """Add named arrays, such as a checkpoint of the scheme; the latest of a label counts. Hands all over at once.

        Raises
        ------
        ModelError
            If an array is not made of numbers or ``meta`` is not plain data.
        FlexmbsError
            If the journal is closed or cannot be written.
        """
        words = {"label": as_name(self._owner, "label", label), "rows": self.n_rows, "meta": dict(meta or {})}
        payload = pack(self._owner, arrays, words)
        self.flush()
        end, number, rows, _ = self._state
        head = np.array((DATA, 0, len(payload), number), HEAD).tobytes()
        tail = np.array((zlib.crc32(payload, zlib.crc32(head)), DONE), TAIL).tobytes()
        record = head + payload + tail
        self._write(record, end)
        self._state = (end + len(record), number + 1, rows, 0)

    def flush(self) -> None:
        """Hand all steps to the operating system."""
        end, number, rows, filled = self._state
        if filled:
            self._write(self._bytes[: filled * self._size], end)
            self._state = (end + filled * self._size, number, rows, 0)
        self._flushed = time.monotonic()

    @property
    def n_rows(self) -> int:
        """Number of steps so far."""
        return self._state[2]

    def finish(self, meta: Mapping[str, Plain] | None = None, constants: Mapping[str, Any] | None = None) -> None:
        """Say that the run is complete, with what is known only now, and close the file."""
        self.put(END, constants or {}, meta)
        self.close()

    def close(self) -> None:
        """Hand over what is left, wait until the disk has it, and close the file; twice does no harm."""
        if self._file < 0:
            return
        try:
            self.flush()
            if self._file >= 0:
                os.ftruncate(self._file, self._state[0])  # what an interruption may have left
                os.fsync(self._file)
        except OSError as error:
            if isinstance(error, FlexmbsError):
                raise
            raise FlexmbsError(f"{self._owner}: cannot be written: {os.strerror(error.errno or 0)}.") from error
        finally:
            self._drop()

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", -1) >= 0:
            with suppress(FlexmbsError):
                self.flush()
            self._drop()

    def _write(self, data: bytes | memoryview, place: int) -> None:
        """All bytes to the operating system, which may take them in pieces."""
        if self._file < 0:
            raise FlexmbsError(f"{self._owner} is closed.")
        rest = memoryview(data)
        try:
            while len(rest):
                rest = rest[os.pwrite(self._file, rest, place + len(data) - len(rest)) :]
            if self._sync:
                os.fsync(self._file)
        except OSError as error:
            self._drop()  # a record may be torn now: nothing may come after it
            raise FlexmbsError(
                f"{self._owner}: cannot be written: {os.strerror(error.errno or 0)}. What was written before can be "
                f"read."
            ) from error

    def _drop(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)
