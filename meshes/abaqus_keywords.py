"""The keywords of Abaqus and CalculiX input files: each with its options and data lines, included files in place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import ReadError
from flexmbs.core.written_numbers import written_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["floats", "integers", "keywords"]

MAX_INCLUDES = 20


def keywords(path: Path) -> Iterator[tuple[str, dict[str, str], list[tuple[str, str]], str]]:
    """Keyword, options, data lines (text and place) and place of each keyword of a file and of those it includes."""
    return _blocks(_lines(path, 0))


def _lines(path: Path, depth: int) -> Iterator[tuple[str, str]]:
    """The lines of a file and of those it includes, without comments, each with its place for messages."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, raw in enumerate(file, start=1):
            line = raw.strip()
            place = f"{path}, line {number}"
            if "\0" in line:
                raise ReadError(f"{place}: this is not a text file; an Abaqus input file is.")
            if not line or line.startswith("**"):
                continue
            if re.match(r"\*\s*INCLUDE\b", line, re.IGNORECASE):
                name = _options(line.split(",")[1:]).get("INPUT", "")
                other = path.parent / name
                if not name or not other.is_file() or depth >= MAX_INCLUDES:
                    raise ReadError(f"{place}: *INCLUDE of {name!r}: {other} is no file, or includes go in a circle.")
                yield from _lines(other, depth + 1)
            else:
                yield line, place


def _blocks(lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, dict[str, str], list[tuple[str, str]], str]]:
    """Keyword, options, data lines and place of each keyword with its data."""
    keyword, options, rows, start = "", dict[str, str](), list[tuple[str, str]](), ""
    head = ""
    for line, place in lines:
        if head or line.startswith("*"):
            if not head:
                if keyword:
                    yield keyword, options, rows, start
                start = place
            head += line
            # a keyword line that ends in a comma goes on
            if not line.endswith(","):
                words = head.lstrip("*").split(",")
                keyword, options, rows, head = " ".join(words[0].upper().split()), _options(words[1:]), [], ""
        elif not keyword:
            raise ReadError(f"{place}: data before the first keyword; this is not an Abaqus input file: {line[:40]!r}.")
        else:
            rows.append((line, place))
    if head:
        raise ReadError(f"{start}: the file ends within the keyword line {head!r}; it is cut off.")
    if keyword:
        yield keyword, options, rows, start


def _options(words: Iterable[str]) -> dict[str, str]:
    """The options of a keyword line, names in capitals, values without quotes."""
    pairs = (word.partition("=") for word in words if word.strip())
    return {name.strip().upper(): value.strip().strip('"') for name, _, value in pairs}


def floats(line: str, place: str) -> list[float]:
    """The numbers of a data line, with D or E before an exponent."""
    numbers = [written_number(word, fortran=True) for word in line.rstrip(",").split(",")]
    if np.isnan(numbers).any():
        raise ReadError(f"{place}: expected numbers separated by commas, not {line[:60]!r}.")
    return numbers


def integers(line: str, place: str) -> list[int]:
    """The whole numbers of a data line."""
    words = [word.strip() for word in line.rstrip(",").split(",")]
    if not all(re.fullmatch(r"[-+]?[0-9]{1,15}", word) for word in words):
        raise ReadError(f"{place}: expected whole numbers separated by commas, not {line[:60]!r}.")
    return [int(word) for word in words]
