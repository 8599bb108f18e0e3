"""Nodes of operators from elsewhere: their numbers, their places and the sets they are in."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.core.written_numbers import written_number
from flexmbs.linear.files.tables import open_file, table
from flexmbs.meshes import Mesh
from flexmbs.meshes.abaqus_format import read_nodes

__all__ = ["NASTRAN_SUFFIXES", "Places", "as_places", "read_sets"]

NASTRAN_SUFFIXES = (".pch", ".bdf", ".dat", ".nas", ".dmig")


class Places(NamedTuple):
    """``labels (n,)`` numbers of the nodes in the file, ``points (n, 3)``, ``node_sets`` by rows, and ``source``.

    ``counted``: the labels are not given, but those of an array or mesh, counted from 0.
    """

    labels: IntArray
    points: FloatArray
    node_sets: dict[str, IntArray]
    source: str
    counted: bool = False

    def rows(self, labels: IntArray) -> IntArray:
        """Rows of nodes by their labels, -1 for those that are not there."""
        order = np.argsort(self.labels)
        at = np.searchsorted(self.labels[order], labels)
        found = order[np.minimum(at, len(order) - 1)]
        return np.where(self.labels[found] == labels, found, -1)


def as_places(owner: str, nodes: Any) -> Places:
    """Nodes from a mesh, an array (n, 3), or a file: ``.csv``, ``.inp``, or Nastran bulk data.

    A mesh or an array numbers its nodes from 0.
    """
    if isinstance(nodes, Mesh):
        mesh = nodes.in_space()
        return Places(np.arange(mesh.n_points), mesh.points, dict(mesh.node_sets), "the mesh", counted=True)
    if isinstance(nodes, str | PathLike):
        return _from_file(owner, Path(nodes))
    if nodes is None or not is_list(nodes):
        raise ModelError(
            f"{owner}: nodes must be a Mesh, an array (n, 3) or a file (.csv with node, x, y, z; .inp; .bdf), not "
            f"{show(nodes)}."
        )
    points = as_array(owner, "nodes", nodes, (None, 3), unit="length")
    return Places(np.arange(len(points)), points, {}, "the array of nodes", counted=True)


def read_sets(path: Path, places: Places) -> Places:
    """The same nodes with the sets of a table: name of the set, node."""
    members: dict[str, list[int]] = {}
    for (name, node), place in table(path, ("set", "node")):
        members.setdefault(name, []).append(whole(node, place))
    sets = {}
    for name, labels in members.items():
        rows = places.rows(np.array(labels))
        if (rows < 0).any():
            raise ReadError(f"{path}: set {name!r} names node {labels[int(np.argmin(rows))]}, which is not there.")
        sets[name] = rows
    return places._replace(node_sets=sets)


def whole(word: str, place: str) -> int:
    """A whole number."""
    if not re.fullmatch(r"[-+]?[0-9]{1,15}", word):
        raise ReadError(f"{place}: expected a whole number, not {word[:40]!r}.")
    return int(word)


def _from_file(owner: str, path: Path) -> Places:
    suffix = path.suffix.lower()
    if suffix == ".inp":
        open_file(path)
        labels, points, sets = read_nodes(path)
        return Places(labels, points, {name: rows for name, rows in sets.items() if len(rows)}, str(path))
    if suffix in NASTRAN_SUFFIXES:
        from flexmbs.linear.files.nastran import read_grids

        return read_grids(path)
    if suffix not in (".csv", ".txt"):
        raise ReadError(
            f"{owner}: nodes in {path}: the suffix {suffix!r} is none of .csv, .txt, .inp, "
            f"{', '.join(NASTRAN_SUFFIXES)}. For other meshes give nodes=flexmbs.meshes.read_mesh(file), "
            "numbered from 0."
        )
    numbers: list[int] = []
    coordinates: list[list[float]] = []
    for (label, *xyz), place in table(path, ("node", "x", "y", "z")):
        numbers.append(whole(label, place))
        coordinates.append([written_number(x) for x in xyz])
        if np.isnan(coordinates[-1]).any():
            raise ReadError(f"{place}: expected three coordinates, not {', '.join(xyz)}.")
    values, count = np.unique(numbers, return_counts=True)
    if (count > 1).any():
        raise ReadError(f"{path}: node {values[np.argmax(count > 1)]} is there twice.")
    return Places(np.array(numbers, dtype=np.int64), np.array(coordinates), {}, str(path))
