"""Small tables of numbers in text files: rows with their places, for messages that name the line."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ReadError
from flexmbs.core.written_numbers import written_number

__all__ = ["numbers", "open_file", "table"]


def open_file(path: Path) -> None:
    """Refuse what is no file with something in it."""
    if path.is_dir():
        raise ReadError(f"{path} is a folder, not a file.")
    if not path.is_file():
        raise ReadError(f"there is no file {path}.")
    if path.stat().st_size == 0:
        raise ReadError(f"{path} is empty.")


def table(path: Path, columns: tuple[str, ...]) -> list[tuple[list[str], str]]:
    """The rows of a file as words, each with its place; separators are commas, semicolons or blanks.

    Empty lines and what follows ``#`` are left out. A first row without any number is a head, by whose names, with or
    without a unit in brackets, columns are put in their order.

    Raises
    ------
    ReadError
        If the file is missing or empty, its head has other names, or a row has another length.
    """
    open_file(path)
    rows: list[tuple[list[str], str]] = []
    order, head = list(range(len(columns))), True
    for number, raw in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), start=1):
        text = raw.split("#")[0].strip()
        if not text:
            continue
        words = [word.strip() for word in (re.split("[,;]", text) if re.search("[,;]", text) else text.split())]
        place = f"{path}, line {number}"
        if head and not any(re.match(r"[-+.]?\d", word) for word in words):
            order, head = _order(words, columns, place), False
            continue
        head = False
        if len(words) != len(columns):
            raise ReadError(f"{place}: expected {', '.join(columns)}, not {text[:60]!r}.")
        rows.append(([words[k] for k in order], place))
    if not rows:
        raise ReadError(f"{path}: there are no rows of {', '.join(columns)} in it.")
    return rows


def _order(head: list[str], columns: tuple[str, ...], place: str) -> list[int]:
    """Where the columns are in a file with this head."""
    names = [re.sub(r"\s*[\[(].*[\])]$", "", word.strip("\"'")).lower() for word in head]
    if sorted(names) != sorted(columns):
        raise ReadError(
            f"{place}: the head of a table of {', '.join(columns)} must have these names, in any order, not "
            f"{', '.join(head)[:60]!r}. Rename its columns; lines that are no head begin with #."
        )
    return [names.index(column) for column in columns]


def numbers(path: Path, columns: int, skip: int = 0) -> FloatArray:
    """All numbers of a file of rows of equal length (n, columns) after its first ``skip`` lines, read at once.

    Raises
    ------
    ReadError
        If the file is missing or empty, ends within a line, or holds something else; the message names the line.
    """
    open_file(path)
    with path.open("rb") as file:
        file.seek(-1, 2)
        complete = file.read(1) == b"\n"
    if not complete:
        raise ReadError(f"{path}: the last line has no end; the file is cut off. If it is complete, add a line end.")
    try:
        found = np.loadtxt(path, dtype=np.float64, comments=None, ndmin=2, skiprows=skip)
    except ValueError:
        raise ReadError(_wrong_line(path, columns, skip)) from None
    if found.shape[1] != columns:
        raise ReadError(_wrong_line(path, columns, skip))
    return np.asarray(found)


def _wrong_line(path: Path, columns: int, skip: int) -> str:
    """Where a table of numbers is none."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if number <= skip:
                continue
            words = line.split()
            if len(words) not in (0, columns) or any(math.isnan(written_number(word)) for word in words):
                return f"{path}, line {number}: expected {columns} numbers, not {line.strip()[:60]!r}."
    return f"{path}: there are no numbers in it."
