"""Time histories by name, to CSV files and to pandas.

A CSV file begins with lines of comment (``# ...``): title, and for every column its name, unit and the frame it is in.
Then comes one line of labels such as ``"crank.position.x [m, inertial]"`` and one line per time. Numbers are written
with as many digits as it takes to read them back exactly.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import as_name, show
from flexmbs.core.data_frames import data_frame
from flexmbs.core.errors import ModelError, ReadError, unknown_name
from flexmbs.core.written_numbers import written_number
from flexmbs.io.sealed import as_target, replaced

__all__ = ["HistoryTable", "components", "read_history_table"]

SUFFIXES = (".csv",)
FIRST_LINE = "# flexmbs time histories"
NO_NUMBERS = ("nan", "inf", "-inf")
"""Words that columns may have in place of a finite number."""
AXES = {3: ("x", "y", "z"), 2: ("x", "y"), 4: ("w", "x", "y", "z"), 6: ("x", "y", "z", "rx", "ry", "rz")}


@dataclass(frozen=True, eq=False)
class HistoryTable(Mapping[str, NDArray[Any]]):
    """Columns of equal length, in order, with units and frames; a mapping of names to arrays.

    Parameters
    ----------
    columns : mapping of str to (n,) array
        Such as ``{"t": ..., "crank.position.x": ...}``; numbers or truth values. Copied.
    units : mapping of str to str, optional
        By name, such as ``"m"``; what is missing counts as a plain number ``"-"``.
    frames : mapping of str to str, optional
        By name, the frame that a component is in, such as ``"inertial"`` or ``"crank"``.
    title : str

    Raises
    ------
    ModelError
        If there is no column, a name is no line of text or holds a bracket, lengths differ, a column is not made of
        real numbers, or a unit or frame belongs to no column.

    Examples
    --------
    >>> table = HistoryTable({"t": [0.0, 0.1], "tip.x": [1.0, 0.5]}, {"t": "s", "tip.x": "m"}, {"tip.x": "inertial"})
    >>> table.labels
    ('t [s]', 'tip.x [m, inertial]')
    >>> table["tip.x"]
    array([1. , 0.5])
    """

    columns: Mapping[str, NDArray[Any]]
    units: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)
    title: str = "time histories"

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not self.columns:
            raise ModelError(f"HistoryTable: columns must map names to arrays, at least one, not {show(self.columns)}.")
        made = {_line("the name of a column", name): _column(name, v) for name, v in self.columns.items()}
        lengths = {name: len(array) for name, array in made.items()}
        if len(set(lengths.values())) > 1:
            raise ModelError(f"HistoryTable: columns must be of one length, not {lengths}.")
        for what, texts in (("units", self.units), ("frames", self.frames)):
            if not isinstance(texts, Mapping):
                raise ModelError(f"HistoryTable: {what} must be a mapping of names to strings, not {show(texts)}.")
            for name, text in texts.items():
                if name not in made:
                    raise ModelError(f"HistoryTable: {what}: {unknown_name('column', name, made)}")
                _line(f"{what} of {name}", text)
        _line("title", self.title, brackets=True)
        object.__setattr__(self, "columns", made)
        object.__setattr__(self, "units", {name: self.units.get(name, "-") for name in made})
        object.__setattr__(self, "frames", {name: self.frames[name] for name in made if name in self.frames})

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise KeyError(unknown_name("column", name, self.columns))
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"<table {self.title!r}: {self.n_rows} rows of {', '.join(self.labels)}>"

    @property
    def n_rows(self) -> int:
        """Number of times."""
        return len(next(iter(self.columns.values())))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names with unit and frame."""
        return tuple(self.label(name) for name in self.columns)

    def label(self, name: str) -> str:
        """A name with unit and frame, such as ``"crank.position.x [m, inertial]"``."""
        frame = f", {self.frames[name]}" if name in self.frames else ""
        return f"{name} [{self.units[name]}{frame}]"

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write a CSV file (UTF-8, separated by commas); an older file of that name is replaced at the very end.

        numpy reads it by ``numpy.loadtxt(path, delimiter=",", comments="#", skiprows=len(table) + 3)``, pandas by
        ``pandas.read_csv(path, skiprows=len(table) + 2)``, `read_history_table` with units and frames. The head has a
        line that begins with # for each column and two more; pandas' ``comment="#"`` would end labels at a # in names.

        Raises
        ------
        ModelError
            If the suffix is not ``.csv``.
        FlexmbsError
            If the file cannot be written.
        """
        target = as_target("to_csv", path, SUFFIXES)
        with replaced("to_csv", target) as (draft,), draft.open("w", encoding="utf-8", newline="") as file:
            file.write(f"{FIRST_LINE}: {self.title}\n")
            for i, name in enumerate(self.columns):
                frame = f", components in the frame {self.frames[name]}" if name in self.frames else ""
                file.write(f"# column {i}: {name}, unit {self.units[name]}{frame}\n")
            file.write("#\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.labels)
            writer.writerows(zip(*(array.tolist() for array in self.columns.values()), strict=True))
        return target

    def to_universal(self, path: str | PathLike[str], time: str = "t") -> Path:
        """Write a universal file, each column a function of time; see `write_universal_histories`."""
        from flexmbs.io.universal_histories import write_universal_histories

        return write_universal_histories(self, path, time)

    def to_pandas(self) -> Any:
        """A pandas DataFrame whose columns are the labels; units and frames also in its ``attrs``.

        Raises
        ------
        ModelError
            If pandas is not installed.
        """
        return data_frame(dict(zip(self.labels, self.columns.values(), strict=True)), None, **self._attributes())

    def to_dataframe(self) -> Any:
        """A pandas DataFrame over the first column, whose other columns are the names; units and frames in ``attrs``.

        Raises
        ------
        ModelError
            If pandas is not installed.
        """
        first, *others = self.columns
        index = (self.label(first).removesuffix(" [-]"), self.columns[first])
        return data_frame({name: self.columns[name] for name in others}, index, **self._attributes())

    def _attributes(self) -> dict[str, Any]:
        return {"title": self.title, "units": dict(self.units), "frames": dict(self.frames)}


def components(name: str, values: Any, axes: tuple[str, ...] | None = None) -> dict[str, NDArray[Any]]:
    """The columns of a history of vectors.

    Parameters
    ----------
    name : str
    values : (n,) or (n, k) array
    axes : tuple of k str, optional
        Left out: x, y, z (and so on for 2, 4 and 6), else numbers.

    Raises
    ------
    ModelError
        If the shape is another one or does not fit ``axes``.

    Examples
    --------
    >>> list(components("crank.position", np.zeros((4, 3))))
    ['crank.position.x', 'crank.position.y', 'crank.position.z']
    """
    array = np.asarray(values)
    if array.ndim == 1 and axes is None:
        return {name: array}
    if array.ndim != 2:
        raise ModelError(f"components of {name}: expected an array (n,) or (n, k), not one of shape {array.shape}.")
    k = array.shape[1]
    axes = AXES.get(k, tuple(str(i) for i in range(k))) if axes is None else tuple(axes)
    if len(axes) != k:
        raise ModelError(f"components of {name}: there are {k} components, but {len(axes)} axes {axes}.")
    return {f"{name}.{axis}": array[:, i] for i, axis in enumerate(axes)}


def read_history_table(path: str | PathLike[str]) -> HistoryTable:
    """The table that `HistoryTable.to_csv` wrote.

    Raises
    ------
    ReadError
        If the file is missing or not such a file.
    """
    owner = f"read_history_table: {path}"
    head: list[list[str]] = []
    rows: list[list[str]] = []
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                (head if row and row[0].startswith("#") and not rows else rows).append(row)
    except (OSError, TypeError, ValueError, csv.Error) as error:
        raise ReadError(f"{owner}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    title = ",".join(head[0]) if head else ""
    if not title.startswith(f"{FIRST_LINE}: ") or not rows:
        raise ReadError(f"{owner} is not a table of time histories of flexmbs.")
    columns: dict[str, NDArray[Any]] = {}
    units: dict[str, str] = {}
    frames: dict[str, str] = {}
    try:
        for i, label in enumerate(rows[0]):
            parts = re.fullmatch(r"(.+) \[([^\[\],]*)(?:, (.*))?\]", label)
            if parts is None:
                raise ReadError(f"{owner}: the label {show(label)} of column {i} lacks a unit in brackets.")
            columns[parts[1]] = _parsed([row[i] for row in rows[1:]])
            units[parts[1]] = parts[2]
            frames |= {parts[1]: parts[3]} if parts[3] is not None else {}
        return HistoryTable(columns, units, frames, title[len(FIRST_LINE) + 2 :])
    except (LookupError, ValueError) as error:
        raise ReadError(f"{owner}: {error}") from error


def _column(name: str, values: Any) -> NDArray[Any]:
    """A read-only copy of a column of real numbers."""
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(None)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise ModelError(f"HistoryTable: {name} must be an array of real numbers of shape (n,), not {show(values)}.")
    array.setflags(write=False)
    return array


def _line(what: str, text: object, brackets: bool = False) -> str:
    """A single line of text, without what has a meaning in labels."""
    line = as_name("HistoryTable", what, text)
    forbidden = "\n\r\"'" if brackets else "\n\r[]\"'"
    if any(c in forbidden for c in line) or line != line.strip():
        raise ModelError(f"HistoryTable: {what} must be one line without brackets and quotes, not {show(text)}.")
    if what.startswith("units") and "," in line:
        raise ModelError(f"HistoryTable: {what} must be without commas, not {show(text)}.")
    return line


def _parsed(texts: list[str]) -> NDArray[Any]:
    """A column of truth values, whole numbers or numbers, as it was written."""
    if texts and set(texts) <= {"True", "False"}:
        return np.array([text == "True" for text in texts])
    if texts and all(re.fullmatch(r"-?\d+", text) for text in texts):
        return np.array([int(text) for text in texts])
    wrong = next((text for text in texts if np.isnan(written_number(text)) and text not in NO_NUMBERS), None)
    if wrong is not None:
        raise ValueError(f"expected a number, not {show(wrong)}.")
    return np.array([float(text) for text in texts])
