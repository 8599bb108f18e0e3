"""The mass matrix of a system in compressed rows, and damping in proportion to the mass of flexible bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.core.sparsity import Blocks
    from flexmbs.system.system import System

__all__ = ["as_matrix", "as_rows", "mass_damping", "mass_matrix", "mass_rows"]

Rows = tuple[IntArray, IntArray, FloatArray]


def mass_matrix(system: System, blocks: FloatArray) -> Any:
    """Blocks in the layout of ``system.mass_blocks`` as a sparse matrix over all velocities."""
    return as_matrix(mass_rows(system, blocks))


def mass_rows(system: System, blocks: FloatArray, kept: NDArray[np.bool_] | None = None) -> Rows:
    """The same as kernels take it: row pointers, columns, values; without entries whose sum is zero.

    ``kept``: which entries of the blocks have a place whatever their sum is, as those that change with the state:
    where substructures have a frame in common, their parts may cancel in one state and not in the next.
    """
    n_v = system.coordinates.n_v
    kept = np.zeros(len(blocks), dtype=bool) if kept is None else kept
    parts = [(b, slice(b.b1, b.b1 + b.dofs.size * b.dofs.shape[1])) for b in system.blocks if _within(b, blocks)]
    found = [(b.dofs, blocks[at], kept[at]) for b, at in parts if blocks[at].any()]
    if n_v <= FEW:
        return _of_few(n_v, found)
    rows, cols, data, stay = [], [], [], []
    for dofs, part, keep in found:
        k = dofs.shape[1]
        rows.append(np.repeat(dofs, k, axis=1).ravel())
        cols.append(np.tile(dofs, (1, k)).ravel())
        data.append(part)
        stay.append(keep)
    row, col, values, stays = (np.concatenate(x) if x else np.zeros(0) for x in (rows, cols, data, stay))
    places = row.astype(int), col.astype(int)
    matrix = coo_array((values, places), shape=(n_v, n_v)).tocsr()
    there = (matrix.data != 0.0) | (coo_array((stays.astype(float), places), shape=(n_v, n_v)).tocsr().data != 0.0)
    of = np.repeat(np.arange(n_v), np.diff(matrix.indptr))[there]
    return _ends(of, n_v), matrix.indices[there].astype(np.int64), matrix.data[there]


def _ends(rows: IntArray, n_v: int) -> IntArray:
    """Row pointers of entries in the rows (n,), ascending."""
    ends = np.zeros(n_v + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_v), out=ends[1:])
    return ends


def _within(block: Blocks, blocks: FloatArray) -> bool:
    """Whether blocks of one kind are among those of the mass, which come first."""
    return bool(block.b1 + block.dofs.size * block.dofs.shape[1] <= len(blocks))


FEW = 100
"""Velocities up to which entries are added up in a whole matrix, a tenth of what scipy takes to sort them."""


def _of_few(n_v: int, found: list[tuple[IntArray, FloatArray, NDArray[np.bool_]]]) -> Rows:
    """The rows of few velocities, of places (n, k), values (n k k,) of blocks, and which of these are kept."""
    whole, stay = np.zeros((n_v, n_v)), np.zeros((n_v, n_v), dtype=bool)
    for dofs, part, keep in found:
        k = dofs.shape[1]
        places = dofs[:, :, None], dofs[:, None, :]
        np.add.at(whole, places, part.reshape(-1, k, k))
        np.logical_or.at(stay, places, keep.reshape(-1, k, k))
    row, col = np.nonzero((whole != 0.0) | stay)
    return _ends(row, n_v), np.ascontiguousarray(col), whole[row, col]


def mass_damping(system: System) -> FloatArray:
    """Blocks of sum alpha M over the damped bodies, in the layout of the mass blocks; empty where none is damped."""
    damping = [d for d in system.model.damping if d.mass_factor]
    if not damping:
        return np.zeros(0)
    c, blocks = system.coordinates, system.mass_blocks.copy()
    factor = np.zeros(c.n_v)
    for d in damping:
        factor[c.node_dofs[c.index(d.body)].ravel()] += d.mass_factor
    for block in system.blocks:
        n, k = block.dofs.shape
        if block.b1 + n * k * k <= len(blocks):
            # An element has the factor of its body; a hinged position, which belongs to two, may have a larger one.
            alpha = factor[np.minimum(block.dofs, c.n_v - 1)].min(axis=1)
            blocks[block.b1 : block.b1 + n * k * k] *= np.repeat(alpha, k * k)
    return blocks


def as_matrix(rows: Rows) -> Any:
    """The reverse of `as_rows`; the values are shared."""
    ends, columns, data = rows
    n = len(ends) - 1
    return csr_array((data, columns.astype(np.int32), ends.astype(np.int32)), shape=(n, n))


def as_rows(matrix: Any) -> Rows:
    """A sparse matrix as the kernels take it: row pointers, columns, values."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data
