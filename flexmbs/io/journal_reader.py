"""Reading journals, whole or torn: every record that was handed over before the end, and nothing else."""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from collections.abc import Mapping
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import as_name, show
from flexmbs.core.contracts import IntArray
from flexmbs.core.describe import Plain
from flexmbs.core.errors import FlexmbsError, ReadError
from flexmbs.core.renamed import present_plain
from flexmbs.io.journal import (
    CONSTANTS,
    DATA,
    DONE,
    END,
    HEAD,
    MAGIC,
    START,
    STEP,
    TAIL,
    VERSION,
    JournalWriter,
    step_dtype,
)
from flexmbs.io.named_arrays import NamedArrays, unpack
from flexmbs.io.time_data import Column, TimeData

__all__ = ["Journal", "continue_journal", "is_journal", "read_journal"]

CANDIDATES = 10_000
"""Places behind a bad record that are tried, to tell damage from an end in the middle of a record."""


class Journal:
    """An open journal: steps on the disk, everything else in memory.

    Attributes
    ----------
    path : Path
    columns : tuple of Column
    meta, model : plain data
    n_rows : int
        Number of whole steps.
    whole_bytes, torn_bytes : int
        Bytes up to the end of the last whole record, and behind it.
    complete : bool
    damage : str
        What is wrong if records follow behind a bad one; empty if the file merely ends within a record.
    """

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self.path, self._data = path, data
        owner = f"read_journal: {path}"
        header = _header(owner, data)
        try:
            self.columns = tuple(Column(**{**c, "shape": tuple(c["shape"])}) for c in header["columns"])
            self.meta: dict[str, Plain] = dict(header["meta"])
            self.model: Plain = header["model"]
            self._dtype = step_dtype(self.columns)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ReadError(f"{owner}: its header does not say what a journal should: {error}") from error
        self._latest: dict[str, tuple[int, int, int]] = {}  # label: first byte and length of the payload, record
        self._offsets, self.whole_bytes = self._scan(START + int.from_bytes(data[16:START], "little"))
        self.n_rows = len(self._offsets)
        self.torn_bytes = len(data) - self.whole_bytes
        self.damage = self._damage() if self.torn_bytes else ""
        if self.complete:
            self.meta |= self.latest(END).meta

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that named arrays were recorded under."""
        return tuple(self._latest)

    @property
    def complete(self) -> bool:
        """Whether the run was finished."""
        return END in self._latest and self._latest[END][2] == self._number - 1 and not self.torn_bytes

    @property
    def constants(self) -> dict[str, NDArray[Any]]:
        """The arrays that belong to the whole run."""
        wanted = (CONSTANTS, END) if self.complete else (CONSTANTS,)
        return {name: a for label in wanted if label in self._latest for name, a in self.latest(label).arrays.items()}

    @property
    def note(self) -> str:
        """What happened to the journal, for the result that is made of it; empty if the run was finished."""
        if self.complete:
            return ""
        torn = f"; {self.torn_bytes} bytes of an unfinished record were left out" if self.torn_bytes else ""
        loss = f"; {self.damage}" if self.damage else torn
        return f"read from a journal that was not closed, with {self.n_rows} stored states{loss}"

    def latest(self, label: str) -> NamedArrays:
        """The latest named arrays of a label.

        Raises
        ------
        ReadError
            If there are none.
        """
        if label not in self._latest:
            raise ReadError(f"{self.path} has no {label!r}; it has {list(self._latest)}.")
        return NamedArrays(*self._unpacked(*self._latest[label][:2])[::2])

    def up_to(self, label: str) -> tuple[int, int, int]:
        """Bytes, records and steps up to the latest named arrays of a label, these included."""
        begin, length, number = self._latest[label]
        end = begin + length + TAIL.itemsize
        return end, number + 1, int(np.searchsorted(self._offsets, end))

    def rows(self, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """The values (stop - start, ...) of some steps, by name; new arrays."""
        start, stop, _ = slice(start, stop).indices(self.n_rows)
        n = max(stop - start, 0)
        made = {c.name: np.empty((n, *c.shape), c.dtype) for c in self.columns}
        # Steps that lie side by side are copied at once.
        breaks = np.flatnonzero(np.diff(self._offsets[start:stop]) != self._dtype.itemsize) + 1
        edges = [0, *breaks.tolist(), n] if n else []
        for a, b in pairwise(edges):
            block = np.frombuffer(self._data, self._dtype, b - a, int(self._offsets[start + a]))
            for name, array in made.items():
                array[a:b] = block[f"column {name}"]
        return made

    def to_time_data(self) -> TimeData:
        """Everything in memory."""
        return TimeData(self.rows(0, self.n_rows), self.meta, self.model, self.constants, self.columns, self.note)

    def _scan(self, begin: int) -> tuple[IntArray, int]:
        """Offsets of all whole steps, and the end of the last whole record."""
        offsets, number = [], 0
        while (found := self._record(begin, number)) is not None:
            kind, end = found
            if kind == STEP:
                offsets.append(begin)
            else:
                payload = (begin + HEAD.itemsize, end - begin - HEAD.itemsize - TAIL.itemsize)
                label = str(self._unpacked(*payload)[1].get("label"))
                self._latest[label] = (*payload, number)
            begin, number = end, number + 1
        self._number = number
        return np.array(offsets, dtype=np.int64), begin

    def _record(self, begin: int, number: int | None) -> tuple[int, int] | None:
        """Kind and end of the record that begins at a byte; None if there is no whole one."""
        if begin + HEAD.itemsize + TAIL.itemsize > len(self._data):
            return None
        kind, zero, length, its = struct.unpack_from("<IIQQ", self._data, begin)
        end = begin + HEAD.itemsize + length + TAIL.itemsize
        if zero or kind not in (STEP, DATA) or (number is not None and its != number) or end > len(self._data):
            return None
        if kind == STEP and end - begin != self._dtype.itemsize:
            return None
        crc, done = struct.unpack_from("<II", self._data, end - TAIL.itemsize)
        with memoryview(self._data) as view, view[begin : end - TAIL.itemsize] as content:
            return (kind, end) if done == DONE and zlib.crc32(content) == crc else None

    def _unpacked(self, begin: int, length: int) -> tuple[dict[str, NDArray[Any]], dict[str, Plain], dict[str, Plain]]:
        """Arrays, own words and the caller's words of a DATA record."""
        arrays, words = unpack(f"read_journal: {self.path}", self._data[begin : begin + length])
        meta = words.get("meta")
        return arrays, words, dict(meta) if isinstance(meta, Mapping) else {}

    def _damage(self) -> str:
        """Whether whole records follow behind the first bad one."""
        for word in (STEP, DATA):
            at = self.whole_bytes
            for _ in range(CANDIDATES):
                at = self._data.find(word.to_bytes(4, "little"), at + 1)
                if at < 0:
                    break
                if self._record(at, None) is not None:
                    return (
                        f"the file is damaged: the record at byte {self.whole_bytes} is not what was written, and "
                        f"{self.torn_bytes} bytes from there on were left out"
                    )
        return ""


def read_journal(path: str | PathLike[str]) -> Journal:
    """Open a journal, whole, torn or still being written to.

    Nothing in the file is executed. All sums are checked; the steps stay on the disk until they are asked for.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    ReadError
        If the file is missing, foreign, of a newer format, or its header is not whole.
    """
    owner = f"read_journal: {path}"
    if not isinstance(path, str | PathLike) or not str(path):
        raise ReadError(f"read_journal: path must be a string or a path such as 'run.journal', not {show(path)}.")
    source = Path(path)
    if source.is_dir():
        raise ReadError(f"{owner} is a folder; give the name of a file in it.")
    try:
        with source.open("rb") as file:
            if not source.stat().st_size:
                raise ReadError(f"{owner} is empty.")
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise ReadError(f"{owner}: there is no such file.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, FlexmbsError):
            raise
        raise ReadError(f"{owner}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    return Journal(source, data)


def continue_journal(path: str | PathLike[str], label: str, **options: Any) -> tuple[JournalWriter, Journal]:
    """Go on with a journal from the latest named arrays of a label; steps behind them are cut off.

    Parameters
    ----------
    path : path-like
    label : str
        That of the checkpoints.
    **options
        ``flush_seconds``, ``flush_records`` and ``sync`` of `JournalWriter`.

    Returns
    -------
    JournalWriter, Journal
        To go on with, and what it holds up to the checkpoint.

    Raises
    ------
    ReadError
        If the journal cannot be read or has nothing under that label.
    FlexmbsError
        If the file cannot be written.
    """
    journal = read_journal(path)
    journal.latest(as_name("continue_journal", "label", label))
    end, number, rows = journal.up_to(label)
    writer = JournalWriter.continued(journal.path, journal.columns, end, number, rows, **options)
    del journal  # its map reaches beyond the new end of the file
    return writer, read_journal(path)


def is_journal(path: str | PathLike[str]) -> bool:
    """Whether a file begins as journals do."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, TypeError, ValueError):
        return False


def _header(owner: str, data: mmap.mmap) -> dict[str, Any]:
    """The header, after a look at the first bytes."""
    first = data[:START]
    if first[: len(MAGIC)] != MAGIC[: len(first)]:
        raise ReadError(f"{owner} is not a journal of flexmbs.")
    version, crc = struct.unpack_from("<II", first.ljust(START, b"\0"), 8)
    if len(first) == START and version > VERSION and version < 1 << 16:
        raise ReadError(
            f"{owner} has format version {version}, but this flexmbs reads versions up to {VERSION}; use a newer "
            f"flexmbs."
        )
    length = int.from_bytes(first[16:], "little")
    if len(first) < START or len(data) < START + length:
        raise ReadError(f"{owner} ends within its header, before anything was recorded, or its header is damaged.")
    text = data[START : START + length]
    if zlib.crc32(text) != crc or version != VERSION:
        raise ReadError(f"{owner}: its header is damaged, so that its records cannot be read.")
    try:
        header = present_plain(json.loads(text.decode("utf-8")))
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{owner}: its header is not JSON: {error}.") from error
    if not isinstance(header, dict):
        raise ReadError(f"{owner}: its header must be an object, not {show(header)}.")
    return header
