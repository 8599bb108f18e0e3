"""Operators of Abaqus as text: `*MATRIX INPUT` in an input file, or a file of entries for each matrix.

A data line is "node, degree of freedom, node, degree of freedom, entry"; of a symmetric matrix (the default) one
triangle, or both. Abaqus writes such lines to ``<job>_STIF<step>.mtx`` and ``<job>_MASS<step>.mtx``. Degrees of freedom
1 to 6 are displacements and rotations along the inertial axes. In an input file `*MATRIX ASSEMBLE` says which matrix is
stiffness, mass and viscous damping, and the nodes of a set whose name ends in ``_MODES`` are none: their degree of
freedom 1 is a scalar, as `flexmbs.reduction.export.abaqus` writes modes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, ReadError, unknown_name
from flexmbs.core.written_numbers import written_number
from flexmbs.linear.files.build import Matrices, built, from_entries
from flexmbs.linear.files.places import as_places
from flexmbs.linear.files.tables import open_file
from flexmbs.linear.files.unknowns import Unknowns
from flexmbs.linear.operators import Operators
from flexmbs.meshes.abaqus_format import read_nodes
from flexmbs.meshes.abaqus_keywords import keywords

__all__ = ["is_abaqus_text", "read_abaqus_matrices", "read_abaqus_texts"]

ROLES = {"STIFFNESS": "K", "MASS": "M", "VISCOUS DAMPING": "D"}
MODES = "_MODES"
"""End of the name of the set of nodes that stand for modes."""
MOST_LABEL = 10**9


class _Entries(NamedTuple):
    """Node and degree of freedom of rows and columns (n, 2), the entries (n,), and whether one triangle is enough."""

    row: IntArray
    col: IntArray
    values: FloatArray
    symmetric: bool


def is_abaqus_text(path: Path) -> bool:
    """Whether a file of entries is Abaqus's, not Matrix Market, by how it begins."""
    with path.open("rb") as file:
        return re.match(rb"\s*(\*|\d+\s*,)", file.read(80)) is not None


def read_abaqus_matrices(path: Path, names: Mapping[str, str] | None, definite: bool) -> Operators:
    """Operators of an input file with `*MATRIX INPUT`."""
    owner = f"operators {path}"
    open_file(path)
    found: dict[str, _Entries] = {}
    roles: dict[str, str] = {}
    for keyword, options, rows, place in keywords(path):
        if keyword == "MATRIX INPUT":
            name = options.get("NAME", "").upper()
            if not name or name in found:
                raise ReadError(f"{place}: *MATRIX INPUT without a NAME=, or with one that is there twice.")
            found[name] = _input(path, options, rows, place)
        elif keyword == "MATRIX ASSEMBLE":
            roles |= {ROLES[key]: str(value).upper() for key, value in options.items() if key in ROLES}
    roles = {k: v.upper() for k, v in names.items()} if names is not None else roles
    if not {"K", "M"} <= set(roles):
        raise ReadError(
            f"{owner}: which matrix is stiffness and which mass is not said by *MATRIX ASSEMBLE; give names={{'K': "
            f"..., 'M': ...}}. There are: {', '.join(found) or 'none'}."
        )
    for name in roles.values():
        if name not in found:
            raise ReadError(f"{owner}: {unknown_name('matrix', name, list(found))}")
    labels, points, sets = read_nodes(path)
    modal = {int(labels[row]) for name, rows in sets.items() if name.upper().endswith(MODES) for row in rows}
    kept = np.array([label not in modal for label in labels.tolist()])
    order = np.cumsum(kept) - 1
    places = as_places(owner, path)._replace(
        labels=labels[kept], points=points[kept],
        node_sets={n: order[r[kept[r]]] for n, r in sets.items() if len(r) and kept[r].all()},
    )  # fmt: skip
    return _operators(owner, {role: found[name] for role, name in roles.items()}, modal, places, path.name, definite)


def read_abaqus_texts(path: Path, mass: Path | None, damping: Path | None, nodes: Any, definite: bool) -> Operators:
    """Operators of a file of entries for each matrix; the mass by the name of the stiffness where it is not given."""
    owner = f"operators {path}"
    if mass is None:
        mass = path.with_name(re.sub(r"STIF(?=\d*\.mtx$)", "MASS", path.name, flags=re.IGNORECASE))
        if mass == path:
            raise ModelError(f"{owner}: give mass= with the file of the mass matrix.")
    if nodes is None:
        raise ModelError(f"{owner}: there are no places of nodes in it; give nodes=, such as the .inp of the job.")
    given = {"K": path, "M": mass} | ({} if damping is None else {"D": damping})
    return _operators(
        owner, {role: _text(p) for role, p in given.items()}, set(), as_places(owner, nodes),
        ", ".join(p.name for p in given.values()), definite,
    )  # fmt: skip


def _input(path: Path, options: Mapping[str, str], rows: Iterable[tuple[str, str]], place: str) -> _Entries:
    """The data of one `*MATRIX INPUT`."""
    kind = options.get("TYPE", "SYMMETRIC").upper()
    if kind not in ("SYMMETRIC", "UNSYMMETRIC") or "MATRIX" in options:
        raise ReadError(
            f"{place}: *MATRIX INPUT of this kind is not supported; TYPE=SYMMETRIC or UNSYMMETRIC as text is."
        )
    scale = 1.0
    for key, value in options.items():
        if key.startswith("SCALE"):
            scale = _number(value, place)
    if "INPUT" in options:
        other = path.parent / options["INPUT"]
        open_file(other)
        found = _text(other)
    else:
        found = _entries(rows, place)
    return found._replace(values=scale * found.values, symmetric=kind == "SYMMETRIC")


def _text(path: Path) -> _Entries:
    """A file of entries, with or without a keyword line before them."""
    open_file(path)
    text = path.read_text(encoding="latin-1")
    if not text.endswith("\n"):
        raise ReadError(f"{path}: the last line has no end; the file is cut off. If it is complete, add a line end.")
    lines = enumerate(text.splitlines(), start=1)
    rows = [(line, f"{path}, line {number}") for number, line in lines if line.strip() and not line.startswith("*")]
    return _entries(rows, str(path))


def _entries(rows: Iterable[tuple[str, str]], place: str) -> _Entries:
    """Entries of data lines."""
    index: list[list[int]] = []
    values: list[float] = []
    for line, at in rows:
        words = [w.strip() for w in line.split(",")] if "," in line else line.split()
        if len(words) != 5 or not all(w.isdecimal() and 0 < int(w[:12]) < MOST_LABEL for w in words[:4]):
            raise ReadError(
                f"{at}: expected node, degree of freedom, node, degree of freedom and entry, not {line[:60]!r}."
            )
        index.append([int(w) for w in words[:4]])
        values.append(_number(words[4], at))
    if not index:
        raise ReadError(f"{place}: there are no entries.")
    both = np.array(index, dtype=np.int64)
    wrong = both[:, [1, 3]] > 6
    if wrong.any():
        raise ReadError(f"{place}: degree of freedom {both[:, [1, 3]].max()} is none of a structure; 1 to 6 are.")
    return _Entries(both[:, :2], both[:, 2:], np.array(values), True)


def _number(word: str, place: str) -> float:
    value = written_number(word, fortran=True)
    if np.isnan(value):
        raise ReadError(f"{place}: expected a number, not {word[:40]!r}.")
    return value


def _operators(
    owner: str, found: Mapping[str, _Entries], modal: set[int], places: Any, files: str, definite: bool
) -> Operators:
    """Operators over all nodes and degrees of freedom that have entries."""
    keys = np.unique(np.vstack([x for e in found.values() for x in (e.row, e.col)]), axis=0)
    scalar = np.array([label in modal for label in keys[:, 0].tolist()])
    if (keys[scalar, 1] != 1).any():
        raise ReadError(f"{owner}: a mode has a degree of freedom beside 1.")
    # modes behind all nodes, as in the order of coordinates
    keys, scalar = (x[np.argsort(scalar, kind="stable")] for x in (keys, scalar))
    where = {key: k for k, key in enumerate(map(tuple, keys.tolist()))}
    n = len(keys)
    matrices = {}
    for role, e in found.items():
        row, col = (np.array([where[key] for key in map(tuple, x.tolist())], dtype=np.int64) for x in (e.row, e.col))
        values = e.values
        one = e.symmetric
        if one and (row > col).any() and (row < col).any():  # both triangles, which must be equal
            one = False
        matrices[role] = from_entries(f"{owner}: {role}", row, col, values, (n, n), triangle=one)
    unknowns = Unknowns(np.where(scalar, -1, keys[:, 0]), np.where(scalar, 0, keys[:, 1] - 1), files)
    return built(
        owner,
        Matrices(matrices["K"], matrices["M"], matrices.get("D")),
        unknowns,
        places,
        f"read from {files}",
        definite,
    )
