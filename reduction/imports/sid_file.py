"""Standard Input Data as text: the objects of a file, checked for what a file must have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ReadError
from flexmbs.core.written_numbers import written_number
from flexmbs.linear.files.tables import open_file

__all__ = ["Series", "SidFile", "read_sid_file"]

OBJECTS = {"mdcm": "mdCM", "j": "J", "ct": "Ct", "cr": "Cr", "me": "Me", "gr": "Gr", "ge": "Ge", "oe": "Oe",
           "ksigma": "ksigma", "ke": "Ke", "de": "De"}  # fmt: skip
AT_NODES = {"origin": "origin", "phi": "phi", "psi": "psi", "ap": "AP", "sigma": "sigma"}
KEYS = ("order", "nrow", "ncol", "nq", "nqn", "structure")
MOST_MODES, MOST_NODES = 5_000, 1_000_000
MOST_NUMBERS = 100_000_000

_ENTRY = re.compile(r"m([01])\s*\(([^)]*)\)\s*=\s*(\S+)$", re.IGNORECASE)
_KEY = re.compile(r"(\w+)\s*=\s*([-+]?\d+)$")


class Series(NamedTuple):
    """An object of the file: ``m0 (r, c)`` and ``m1 (r, n, c)``, zero where the order is 0."""

    m0: FloatArray
    m1: FloatArray
    order: int


@dataclass
class SidFile:
    """What a file holds."""

    comment: str
    n_nodes: int
    n: int
    name: str = ""
    mass: float = np.nan
    labels: list[str] = field(default_factory=list)
    nodes: list[tuple[str, dict[str, Series]]] = field(default_factory=list)
    objects: dict[str, Series] = field(default_factory=dict)


class _Lines:
    """Lines without blanks around them, with their numbers, for messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self._ended = True
        self._stream = self._read()

    def _read(self) -> Iterator[str]:
        with self.path.open(encoding="latin-1") as stream:
            for number, line in enumerate(stream, 1):
                self.number = number
                self._ended = line.endswith("\n")
                if line.strip():
                    yield line.strip()

    def next(self) -> str:
        line = next(self._stream, None)
        if line is None:
            raise ReadError(f"{self.path}: the file is cut off after line {self.number}.")
        return line

    def fail(self, text: str) -> ReadError:
        where = f"{self.path}, line {self.number}"
        if not self._ended:  # what it would have been is not known
            return ReadError(f"{where}: the last line has no end; the file is cut off ({text.rstrip('.')}).")
        return ReadError(f"{where}: {text}")


def read_sid_file(path: Path) -> SidFile:
    """Read a file.

    Raises
    ------
    ReadError
        If it is no Standard Input Data, is cut off, or contradicts itself.
    """
    open_file(path)
    lines = _Lines(path)
    first = re.match(r"(\d{1,9})\s+(\d{1,9})\s*:?(.*)", lines.next())
    if first is None:
        raise ReadError(f"{path} is no Standard Input Data: its first line does not begin with two whole numbers.")
    file = SidFile(first[3].strip(), int(first[1]), int(first[2]))
    if not 1 <= file.n <= MOST_MODES or file.n_nodes > MOST_NODES:
        raise ReadError(f"{path}: {file.n_nodes} nodes and {file.n} modes are none or too many.")
    _expect(lines, "part")
    named = re.match(r"new\s+modal\s*=?\s*(.*)", lines.next(), re.IGNORECASE)
    if named is None:
        raise lines.fail("expected 'new modal'.")
    file.name = named[1].strip()
    while (word := lines.next().lower()) != "end modal":
        if word == "refmod":
            _refmod(lines, file)
        elif word == "frame":
            _frame(lines, file)
        elif word in OBJECTS:
            if OBJECTS[word] in file.objects:
                raise lines.fail(f"{OBJECTS[word]} is there twice.")
            file.objects[OBJECTS[word]] = _series(lines, word, file.n)
        else:
            raise lines.fail(f"expected the name of an object, not {word[:40]!r}.")
    _expect(lines, "end part")
    missing = [name for name in ("mdCM", "J", "Ct", "Cr", "Me", "Oe", "Ke") if name not in file.objects]
    if missing:
        raise ReadError(f"{path}: {', '.join(missing)} are not in it.")
    if len(file.nodes) != file.n_nodes:
        raise ReadError(f"{path}: its first line promises {file.n_nodes} nodes, but there are {len(file.nodes)}.")
    if not file.mass > 0.0:
        raise ReadError(f"{path}: the mass must be positive, not {file.mass}.")
    return file


def _expect(lines: _Lines, wanted: str) -> None:
    found = lines.next()
    if " ".join(found.lower().split()) != wanted:
        raise lines.fail(f"expected {wanted!r}, not {found[:40]!r}.")


def _refmod(lines: _Lines, file: SidFile) -> None:
    """Mass and what the modes are."""
    while (line := lines.next()).lower() != "end refmod":
        key, equals, value = line.partition("=")
        key = key.strip().lower()
        if not equals:
            raise lines.fail(f"expected an entry of refmod, not {line[:40]!r}.")
        if key == "mass":
            file.mass = _number(lines, value.strip())
        elif key == "nelastq":
            if value.strip() != str(file.n):
                raise lines.fail(f"nelastq is {value.strip()[:20]}, but the first line says {file.n}.")
        elif key.startswith("ielastq"):
            file.labels.append(value.strip())


def _frame(lines: _Lines, file: SidFile) -> None:
    """All nodes."""
    while (line := lines.next()).lower() != "end frame":
        named = re.match(r"new\s+node\s*=\s*(\S.*)", line, re.IGNORECASE)
        if named is None:
            raise lines.fail(f"expected 'new node = ...', not {line[:40]!r}.")
        found: dict[str, Series] = {}
        while (word := lines.next()).lower() != "end node":
            if word.lower().startswith("rframe"):
                continue
            if word.lower() not in AT_NODES:
                raise lines.fail(f"expected an object of a node, not {word[:40]!r}.")
            found[AT_NODES[word.lower()]] = _series(lines, word.lower(), file.n)
        missing = [name for name in ("origin", "phi") if name not in found]
        if missing:
            raise lines.fail(f"node {named[1]} has no {' and no '.join(missing)}.")
        file.nodes.append((named[1].strip(), found))


def _series(lines: _Lines, name: str, n: int) -> Series:
    """One object."""
    head: dict[str, int] = {}
    entries: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([], [])
    values: tuple[list[float], list[float]] = ([], [])
    while (line := lines.next()).lower() != f"end {name}":
        if key := _KEY.match(line):
            head[key[1].lower()] = int(key[2])
            continue
        entry = _ENTRY.match(line)
        if entry is None:
            raise lines.fail(f"expected an entry of {name}, not {line[:40]!r}.")
        order = int(entry[1])
        words = entry[2].split(",")
        if len(words) != 2 + order or not all(w.strip().isdecimal() and len(w) < 10 for w in words):
            raise lines.fail(f"m{order} of {name} needs {2 + order} indices, not ({entry[2][:30]}).")
        entries[order].append(tuple(int(w) - 1 for w in words))
        values[order].append(_number(lines, entry[3]))
    lost = [k for k in KEYS if k not in head]
    if lost:
        raise lines.fail(f"{name} has no {', '.join(lost)}.")
    rows, columns = head["nrow"], head["ncol"]
    if head["nq"] != n or not 0 < rows * columns * n <= MOST_NUMBERS or min(rows, columns) < 1:
        raise lines.fail(f"{name} is {rows} x {columns} for {head['nq']} modes, which does not fit {n} modes.")
    if head["order"] not in (0, 1) or not 0 <= head["structure"] <= 4:
        raise lines.fail(f"{name} has order {head['order']} and structure {head['structure']}.")
    m0 = np.eye(rows, columns) if head["structure"] == 4 else np.zeros((rows, columns))
    m1 = np.zeros((rows, n, columns) if head["order"] or entries[1] else (rows, 0, columns))
    for target, where, what in zip((m0, m1), entries, values, strict=True):
        if where:
            index = np.array(where)
            if (index < 0).any() or (index >= target.shape).any():
                raise lines.fail(f"{name} has an entry outside of its {' x '.join(map(str, target.shape))}.")
            target[tuple(index.T)] = what
    if head["structure"] == 2:  # some write one triangle
        one = np.where(m0 != 0.0, m0, m0.T)
        m0 = one
    if not m1.shape[1]:
        m1 = np.zeros((rows, n, columns))
    return Series(m0, m1, head["order"])


def _number(lines: _Lines, word: str) -> float:
    value = written_number(word, fortran=True)
    if np.isnan(value):
        raise lines.fail(f"expected a number, not {word[:30]!r}.")
    return value
