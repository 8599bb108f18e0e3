"""Operators as npz files, of our own and of others. Nothing in a file is ever executed (no pickled objects).

Keys of our own: ``flexmbs_operators`` (version, 1); for each matrix A of K, M, D, expansion that there is ``A_data``,
``A_indices``, ``A_indptr``, ``A_shape`` (compressed columns; expansion: compressed rows); ``points``; ``dof_node`` and
``dof_component`` of the unknowns, ``all_dof_node`` and ``all_dof_component`` of all displacements with an expansion;
``node_labels`` where there are; ``set_names``, ``set_ptr``, ``set_nodes`` (set i is nodes ptr[i]:ptr[i+1]); ``origin``.

Of others: K and M in one file as ``K_data``, ``K_indices``, ``K_indptr`` and so on, or one file for each matrix
as ``scipy.sparse.save_npz`` writes it.
"""

from __future__ import annotations

import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from flexmbs.core.checks import as_path, show
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.linear.files.build import Matrices, built, mirrored
from flexmbs.linear.files.places import as_places
from flexmbs.linear.files.tables import open_file
from flexmbs.linear.files.unknowns import as_unknowns
from flexmbs.linear.operators import DofMap, Operators

__all__ = ["npz_arrays", "read_npz", "write_operators_npz"]

MARK = "flexmbs_operators"
VERSION = 1
MOST_BYTES, MOST_RATIO = 1 << 28, 100
"""A packed file may become so large, and so many times as large as it is; packed zeros are a thousand times smaller."""
DAMAGE = (
    zipfile.BadZipFile, zlib.error, ValueError, TypeError, KeyError, EOFError, OSError, IndexError, MemoryError,
    NotImplementedError, OverflowError,
)  # fmt: skip


def write_operators_npz(operators: Operators, path: str | PathLike[str]) -> None:
    """Write operators to an npz file; `flexmbs.linear.files.read_operators` reads the same bits back.

    The part they were assembled from is not kept: with it go stresses, and inertia of parts with rotations.

    Parameters
    ----------
    operators : Operators
        What to write.
    path : path-like
        The file, with the suffix ``.npz``.

    Raises
    ------
    ModelError
        If it is none, or the suffix is another one.

    Examples
    --------
    >>> import tempfile, scipy.sparse as sp
    >>> from flexmbs.linear.files import read_operators
    >>> from flexmbs.linear.operators import DofMap, Operators
    >>> two = Operators(sp.diags([1.0, 2.0]), sp.eye(2), DofMap([0, 1], [0, 0]), [[0, 0, 0], [1, 0, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_operators_npz(two, folder + "/two.npz")
    ...     print(read_operators(folder + "/two.npz").K.diagonal())
    [1. 2.]
    """
    if not isinstance(operators, Operators):
        raise ModelError(f"write_operators_npz: operators must be Operators, not {show(operators)}.")
    path = as_path("write_operators_npz", "path", path)
    if path.suffix.lower() != ".npz":
        raise ModelError(f"write_operators_npz: the suffix of {path} must be .npz.")
    arrays: dict[str, Any] = {MARK: np.array(VERSION), "points": operators.points, "origin": np.array(operators.origin)}
    for name in ("K", "M", "D", "expansion"):
        A = getattr(operators, name)
        if A is not None:
            arrays |= {f"{name}_{key}": getattr(A, key) for key in ("data", "indices", "indptr")}
            arrays[f"{name}_shape"] = np.array(A.shape)
    arrays |= {"dof_node": operators.dofs.node, "dof_component": operators.dofs.component}
    if operators.expansion is not None and operators.all_dofs is not None:
        arrays |= {"all_dof_node": operators.all_dofs.node, "all_dof_component": operators.all_dofs.component}
    if operators.node_labels is not None:
        arrays["node_labels"] = operators.node_labels
    sets = operators.node_sets
    arrays["set_names"] = np.array(list(sets), dtype=np.str_)
    arrays["set_ptr"] = np.cumsum([0, *(len(m) for m in sets.values())])
    arrays["set_nodes"] = np.concatenate([np.empty(0, dtype=np.int64), *sets.values()])
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_npz(path: Path, mass: Path | None, damping: Path | None, nodes: Any, dofs: Any, definite: bool) -> Operators:
    """Operators of an npz file of any of the kinds above."""
    owner = f"operators {path}"
    found = npz_arrays(path)
    if MARK in found:
        if nodes is not None or dofs is not None or mass is not None or damping is not None:
            raise ModelError(f"{owner}: the file says itself what its nodes and unknowns are; leave the others out.")
        return _own(owner, found)
    if nodes is None or dofs is None:
        raise ModelError(f"{owner}: the file holds matrices only; give nodes= and dofs=.")
    places = as_places(owner, nodes)
    unknowns = as_unknowns(owner, dofs, places)
    K, M, D = (_foreign(path, found, name, other) for name, other in (("K", None), ("M", mass), ("D", damping)))
    if M is None:
        raise ModelError(f"{owner}: there is no M_data in it; give mass= with the file of the mass matrix.")
    return built(owner, Matrices(K, M, D), unknowns, places, f"read from {path.name}", definite)


def npz_arrays(path: Path) -> dict[str, Any]:
    """All arrays of a file; objects are refused."""
    open_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > max(MOST_BYTES, MOST_RATIO * path.stat().st_size):
            raise ReadError(
                f"{path}: {path.stat().st_size} bytes would unpack to {unpacked}; a file of matrices is not packed so "
                "tightly. If it is meant so, save it without compression."
            )
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except ReadError:
        raise
    except (*DAMAGE, AttributeError) as error:
        raise ReadError(f"{path} cannot be read: it is cut off, damaged or no npz file of arrays ({error}).") from None


def _own(owner: str, found: dict[str, Any]) -> Operators:
    """The operators, as they were written."""
    try:
        version = int(found[MARK])
        if version != VERSION:
            raise ReadError(f"{owner}: the file is of version {version}, but this flexmbs reads version {VERSION}.")
        K, M, D = (_compressed(found, name, sparse.csc_matrix) for name in "KMD")
        expansion = _compressed(found, "expansion", sparse.csr_matrix)
        ptr, members = found["set_ptr"], found["set_nodes"]
        return Operators(
            K, M, DofMap(found["dof_node"], found["dof_component"]), found["points"], D,
            node_sets={str(n): members[a:b] for n, a, b in zip(found["set_names"], ptr[:-1], ptr[1:], strict=True)},
            node_labels=found.get("node_labels"),
            expansion=expansion,
            all_dofs=None if expansion is None else DofMap(found["all_dof_node"], found["all_dof_component"]),
            origin=str(found["origin"]),
        )  # fmt: skip
    except ReadError:
        raise
    except (*DAMAGE, ModelError) as error:
        raise ReadError(f"{owner}: the file is damaged ({type(error).__name__}: {error}).") from None


def _foreign(path: Path, found: dict[str, Any], name: str, other: Path | None) -> Any:
    """A matrix by its name in a file, or as the only one of a file."""
    if other is not None:
        path, found = other, npz_arrays(other)
        name = name if f"{name}_data" in found else ""
    elif f"{name}_data" not in found:
        if name != "K":
            return None
        name = ""
    try:
        if name:
            return mirrored(f"{path}: {name}", _compressed(found, name, sparse.csc_matrix))
        if not {"format", "shape", "data"} <= set(found):
            keys = ", ".join(sorted(found)[:10]) or "nothing"
            raise ReadError(f"{path}: it holds {keys}, but neither K_data, K_indices, K_indptr nor a matrix of SciPy.")
        return mirrored(str(path), sparse.load_npz(path))
    except ReadError:
        raise
    except DAMAGE as error:
        raise ReadError(f"{path}: the matrix in it is damaged ({type(error).__name__}: {error}).") from None


def _compressed(found: dict[str, Any], name: str, kind: Any) -> Any:
    """A compressed matrix by its name, None where there is none; square unless a shape is given."""
    if f"{name}_data" not in found:
        return None
    data, indices, indptr = (np.asarray(found[f"{name}_{key}"]) for key in ("data", "indices", "indptr"))
    if data.dtype.kind not in "iuf" or indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise ValueError(f"{name} is of types {data.dtype}, {indices.dtype} and {indptr.dtype}")
    shape = tuple(int(m) for m in found.get(f"{name}_shape", (len(indptr) - 1,) * 2))
    A = kind((data, indices, indptr), shape=shape)
    A.check_format(full_check=True)
    return A
