"""Operators from matrices, the meaning of their rows and the places of nodes: what all formats have in common."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.linear.files.definiteness import check_definite, check_entries
from flexmbs.linear.files.places import Places
from flexmbs.linear.files.unknowns import Unknowns
from flexmbs.linear.operators import DofMap, Operators

__all__ = ["Matrices", "built", "from_entries", "mirrored"]

FROM_ZERO = (
    " A mesh or an array numbers its nodes from 0; where the file counts from 1, give a table of node, x, y, z (.csv)."
)


class Matrices(NamedTuple):
    """Stiffness, mass and damping (or None) as read."""

    K: Any
    M: Any
    D: Any


def from_entries(
    owner: str, row: IntArray, col: IntArray, values: FloatArray, shape: tuple[int, int], triangle: bool
) -> Any:
    """A matrix from its entries, none of them twice; ``triangle``: only one of each pair is given."""
    if len(row) and (min(row.min(), col.min()) < 0 or row.max() >= shape[0] or col.max() >= shape[1]):
        k = int(np.argmax((np.minimum(row, col) < 0) | (row >= shape[0]) | (col >= shape[1])))
        raise ReadError(f"{owner}: entry ({row[k] + 1}, {col[k] + 1}) lies outside of a matrix of shape {shape}.")
    low, high = (np.minimum(row, col), np.maximum(row, col)) if triangle else (row, col)
    key = low * shape[1] + high
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if len(twice):
        k = int(order[twice[0] + 1])
        both = " (of the two triangles only one may be given)" if triangle else ""
        raise ReadError(f"{owner}: entry ({row[k] + 1}, {col[k] + 1}) is there twice{both}.")
    A = sparse.csc_matrix((values, (row, col)), shape=shape)
    return A + sparse.triu(A, 1).T + sparse.tril(A, -1).T if triangle else A


def mirrored(owner: str, A: Any) -> Any:
    """The matrix, with the second triangle filled in where only one holds entries; that is said by a warning."""
    A = sparse.csc_matrix(A)
    if A.shape[0] != A.shape[1]:
        raise ReadError(f"{owner}: a matrix of shape {A.shape} is not square.")
    upper, lower = sparse.triu(A, 1), sparse.tril(A, -1)
    one, other = np.count_nonzero(upper.data), np.count_nonzero(lower.data)
    if (one == 0) == (other == 0):
        return A
    warnings.warn(f"{owner}: only one triangle is stored; the other one is filled in.", stacklevel=5)
    return A + (upper.T if one else lower.T)


def built(owner: str, matrices: Matrices, unknowns: Unknowns, places: Places, origin: str, definite: bool) -> Operators:
    """The operators, after all checks; unknowns with neither stiffness nor mass are left out, with a warning.

    Raises
    ------
    ReadError
        If sizes do not fit, an entry is not finite, a matrix is not symmetric or indefinite, or an unknown belongs to
        a node without a place or occurs twice.
    """
    K, M, D = (None if A is None else sparse.csc_matrix(A) for A in matrices)
    n = len(unknowns.labels)
    for name, A in (("K", K), ("M", M), ("D", D)):
        if A is None:
            continue
        if A.shape != (n, n):
            raise ReadError(
                f"{owner}: {name} has shape {A.shape}, but there are {n} unknowns ({unknowns.source}); the files "
                "belong to different models, or one is cut off."
            )
        A.eliminate_zeros()  # files of CalculiX have the pattern of K in M: without it the components fall apart
        check_entries(owner, name, A, unknowns)
    _check_twice(owner, unknowns)
    held = unknowns.labels >= 0
    rows = np.full(n, -1, dtype=np.int64)
    rows[held] = places.rows(unknowns.labels[held])
    missing = np.flatnonzero(held & (rows < 0))
    if len(missing):
        raise ReadError(
            f"{owner}: {unknowns.name(int(missing[0]))} is an unknown ({len(missing)} such in all), but "
            f"{places.source} has no such node. Solvers make nodes of their own where they expand shells and beams or "
            "treat rigid bodies; export such models as solids, or without them."
            f"{FROM_ZERO if places.counted else ''}"
        )
    if places.counted and held.any() and unknowns.labels[held].min() == 1:
        warnings.warn(
            f"{owner}: the numbers of its nodes begin at 1, and node 1 is taken for the second point of "
            f"{places.source}.{FROM_ZERO}",
            stacklevel=5,
        )
    keep = _with_entries(owner, K, M, unknowns)
    if len(keep) < n:
        K, M, D = (None if A is None else A[keep][:, keep] for A in (K, M, D))
        unknowns = Unknowns(unknowns.labels[keep], unknowns.components[keep], unknowns.source)
    try:
        operators = Operators(
            K, M, DofMap(rows[keep], unknowns.components), places.points, D,
            node_sets=places.node_sets, node_labels=places.labels, origin=origin,
        )  # fmt: skip
    except ModelError as error:
        raise ReadError(f"{owner}: the operators in it cannot be used. {error}") from None
    if definite:
        check_definite(owner, operators.K, operators.M, unknowns)
    return operators


def _check_twice(owner: str, unknowns: Unknowns) -> None:
    """Refuse an unknown that occurs twice."""
    held = np.flatnonzero(unknowns.labels >= 0)
    key = unknowns.labels[held] * 6 + unknowns.components[held]
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if len(twice):
        name = unknowns.name(int(held[order[twice[0]]]))
        raise ReadError(
            f"{owner}: {name} is there twice in {unknowns.source}. CalculiX writes such maps where it has expanded "
            "shells or beams to solids; they cannot be told apart, so export a model of solids."
        )


def _with_entries(owner: str, K: Any, M: Any, unknowns: Unknowns) -> IntArray:
    """Numbers of the unknowns with stiffness or mass."""
    size = np.asarray(abs(K).sum(axis=0)).ravel() + np.asarray(abs(M).sum(axis=0)).ravel()
    empty = np.flatnonzero(size == 0.0)
    if len(empty) == len(size):
        raise ReadError(f"{owner}: all entries are zero.")
    if len(empty):
        warnings.warn(
            f"{owner}: unknowns with neither stiffness nor mass are left out: {len(empty)}, the first one "
            f"{unknowns.name(int(empty[0]))}.",
            stacklevel=5,
        )
    return np.flatnonzero(size > 0.0)
