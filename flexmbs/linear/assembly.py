"""Assembly of element matrices into sparse ones, by a pattern of nodes made once.

Rows of the matrix are stored node by node: for neighbours j of node i (itself included, ascending), ``before[p]`` is
the number of entries of one row ahead of neighbour p. All d_i rows of a node have one length. The matrices are
symmetric, so compressed rows are compressed columns as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel

__all__ = ["NodePattern", "add_blocks", "node_pattern", "sparse_matrix"]


class NodePattern(NamedTuple):
    """Which nodes are neighbours, and where their blocks lie in the data of the matrix.

    ``n_dofs (n_nodes,)`` unknowns of a node (0, 3 or 6), ``first (n_nodes,)`` the first of them; ``ptr (n_nodes + 1,)``
    and ``neighbour (n_pairs,)`` the graph, ``before (n_pairs,)`` entries of a row ahead of a neighbour, ``start
    (n_nodes,)`` where the first row of a node begins, ``length (n_nodes,)`` how long its rows are.
    """

    n_dofs: IntArray
    first: IntArray
    ptr: IntArray
    neighbour: IntArray
    before: IntArray
    start: IntArray
    length: IntArray


def node_pattern(count: IntArray, cells: list[IntArray]) -> NodePattern:
    """The pattern of nodes with these numbers of unknowns and cells (n_e, n_a)."""
    n = len(count)
    graph: Any = sparse.csr_matrix((n, n), dtype=bool)
    used = np.flatnonzero(count)
    graph = graph + sparse.csr_matrix((np.ones(len(used), dtype=bool), (used, used)), shape=(n, n))
    for nodes in cells:
        n_e, n_a = nodes.shape
        incidence = sparse.csr_matrix(
            (np.ones(nodes.size, dtype=bool), nodes.ravel(), np.arange(0, nodes.size + 1, n_a)), shape=(n_e, n)
        )
        graph = graph + incidence.T @ incidence
    graph = graph.tocsr()
    graph.sort_indices()
    ptr, neighbour = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    entries = count[neighbour]
    total = np.concatenate([[0], np.cumsum(entries)])
    length = total[ptr[1:]] - total[ptr[:-1]]
    before = total[:-1] - np.repeat(total[ptr[:-1]], np.diff(ptr))
    start = np.concatenate([[0], np.cumsum(length * count)])[:-1]
    first = np.concatenate([[0], np.cumsum(count)])[:-1]
    return NodePattern(count, first, ptr, neighbour, before, start, length)


def sparse_matrix(pattern: NodePattern, data: FloatArray) -> Any:
    """The matrix (n, n) with these entries, in compressed columns."""
    n = int(pattern.n_dofs.sum())
    of_row = np.repeat(np.arange(len(pattern.n_dofs)), pattern.n_dofs)
    indptr = np.concatenate([[0], np.cumsum(pattern.length[of_row])])
    kind: Any = np.int32 if indptr[-1] < np.iinfo(np.int32).max else np.int64
    indices: Any = np.empty(int(indptr[-1]), dtype=kind)
    fill_columns(pattern.n_dofs, pattern.first, pattern.ptr, pattern.neighbour, pattern.start, pattern.length, indices)
    return sparse.csc_matrix((data, indices, indptr.astype(kind)), shape=(n, n))


@kernel
def fill_columns(
    count: IntArray,
    first: IntArray,
    ptr: IntArray,
    neighbour: IntArray,
    start: IntArray,
    length: IntArray,
    indices: IntArray,
) -> None:
    """Column of every entry."""
    for i in range(count.shape[0]):
        for a in range(count[i]):
            k = start[i] + a * length[i]
            for p in range(ptr[i], ptr[i + 1]):
                j = neighbour[p]
                for b in range(count[j]):
                    indices[k] = first[j] + b
                    k += 1


def add_blocks(pattern: NodePattern, nodes: IntArray, blocks: FloatArray, data: FloatArray) -> None:
    """Add element matrices (n_e, k, k) of cells ``nodes (n_e, n_a)`` to the data of the matrix."""
    n_c = blocks.shape[1] // nodes.shape[1]
    scatter(
        np.ascontiguousarray(nodes), np.ascontiguousarray(blocks), n_c, pattern.ptr, pattern.neighbour, pattern.before,
        pattern.start, pattern.length, data,
    )  # fmt: skip


@kernel
def scatter(
    nodes: IntArray,
    blocks: FloatArray,
    n_c: int,
    ptr: IntArray,
    neighbour: IntArray,
    before: IntArray,
    start: IntArray,
    length: IntArray,
    data: FloatArray,
) -> None:
    """Every 3x3 or 6x6 block of every element to its place; neighbours are found by bisection."""
    n_a = nodes.shape[1]
    for e in range(nodes.shape[0]):
        for a in range(n_a):
            i = nodes[e, a]
            for b in range(n_a):
                j = nodes[e, b]
                low, high = ptr[i], ptr[i + 1] - 1
                while low < high:
                    middle = (low + high) // 2
                    if neighbour[middle] < j:
                        low = middle + 1
                    else:
                        high = middle
                k = start[i] + before[low]
                for r in range(n_c):
                    for c in range(n_c):
                        data[k + c] += blocks[e, a * n_c + r, b * n_c + c]
                    k += length[i]
