"""From blocks of items to one sparse matrix: pattern, slot maps, and the jitted loops between them.

Items (elements, springs, followers) deliver dense blocks in one buffer ``B``. The pattern of the assembled matrix and
the position (slot) of every block entry in the matrix's own storage are found once and never depend on values; then an
assembly is one loop over ``B``. Entries of fixed coordinates point to one spare place behind the data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel

__all__ = ["Blocks", "Order", "Pattern", "bandwidth_order", "saddle_order"]

NO_INTERCHANGES = 32
"""Half bandwidth up to which elimination without interchanges is tried, so that a good order may be wider."""

NARROW, MOST_BORDER, MANY_MORE = 48, 64, 2
"""Half bandwidth above which a border is looked for, how many unknowns it has at most, and how many times as many
neighbours as the median of all nodes a node of it has."""


class Blocks(NamedTuple):
    """Where the blocks of one group lie: coordinates ``dofs (n, k)`` and offset ``b1`` of the first block in ``B``."""

    dofs: IntArray
    b1: int


class Pattern(NamedTuple):
    """Compressed columns of the assembled matrix: ``indptr (n+1,)``, ``indices (nnz,)``, rows ascending."""

    n: int
    indptr: IntArray
    indices: IntArray

    @classmethod
    def of(cls, groups: list[Blocks], unknown: IntArray, n: int) -> Pattern:
        """The union of all blocks, with the diagonal; ``unknown (n_q,)`` numbers the free coordinates (-1: fixed)."""
        keys = [np.arange(n, dtype=np.int64) * (n + 1)]
        for group in groups:
            number = unknown[group.dofs]
            row, col = number[:, :, None], number[:, None, :]
            free = (row >= 0) & (col >= 0)
            keys.append(_distinct((col * n + row)[free]))
        merged = _distinct(np.concatenate(keys))
        indptr = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(merged // n, minlength=n), out=indptr[1:])
        return cls(n, indptr, merged % n)

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Positions in the data of entries that the pattern holds; those with a negative row or column go to nnz."""
        keys = np.repeat(np.arange(self.n, dtype=np.int64), np.diff(self.indptr)) * self.n + self.indices
        free = (row >= 0) & (col >= 0)
        return np.where(free, np.searchsorted(keys, np.where(free, col * self.n + row, 0)), len(self.indices))


def entries(groups: list[Blocks], unknown: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Row and column (size,) of every entry of the buffer of blocks, by number of the unknown."""
    row, col = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    for group in groups:
        n, k = group.dofs.shape
        number = unknown[group.dofs]
        part = slice(group.b1, group.b1 + n * k * k)
        row[part] = np.repeat(number, k, axis=1).ravel()
        col[part] = np.tile(number, (1, k)).ravel()
    return row, col


def bandwidth_order(groups: list[Blocks], node_of: IntArray, free: IntArray) -> tuple[IntArray, int]:
    """Order of the free coordinates with a small half bandwidth, and that half bandwidth.

    Reverse Cuthill-McKee on the graph of nodes, whose coordinates stay together (half band 7 for a chain of planar
    cables, against 9 on the graph of coordinates); the given order is kept where it is at least as narrow.
    """
    n_nodes = int(node_of.max()) + 1 if len(node_of) else 0
    pairs = []
    for group in groups:
        nodes = node_of[group.dofs]
        k = nodes.shape[1]
        pairs.append(_distinct(np.repeat(nodes, k, axis=1).ravel() * n_nodes + np.tile(nodes, (1, k)).ravel()))
    keys = _distinct(np.concatenate(pairs)) if pairs else np.empty(0, dtype=np.int64)
    graph = coo_array((np.ones(len(keys)), (keys // n_nodes, keys % n_nodes)), shape=(n_nodes, n_nodes)).tocsr()
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    rank = np.empty(n_nodes, dtype=np.int64)
    rank[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(n_nodes)
    order = free[np.argsort(rank[node_of[free]], kind="stable")]
    wide, narrow = _half_band(groups, free, len(node_of)), _half_band(groups, order, len(node_of))
    return (order, narrow) if narrow < wide else (free, wide)


class Order(NamedTuple):
    """Order of the unknowns, half bandwidth, and how many of the last ones stand outside of the band, as its border."""

    order: IntArray
    half_band: int
    border: int = 0


def saddle_order(groups: list[Blocks], node_of: IntArray, free: IntArray, n_c: int) -> Order:
    """Order of the free coordinates and of n_c constraints with a small half bandwidth.

    Constraints are numbered behind the coordinates in ``dofs``. Nodes and bodies are ordered by reverse Cuthill-McKee;
    the constraints of several bodies come just before the last of these, those of one body just after it (half band 16
    for a chain of rigid bodies, where Cuthill-McKee on all unknowns gives 20), or also after it. Preferred are orders
    in which constraints never outnumber the coordinates before them, and of a direction and its reverse the one that
    comes late to bodies held by the ground: then elimination needs no interchanges in trees and most loops.

    Where no band is narrow because a few bodies touch very many others, such as drums a belt, these come last, and are
    left out of the band.
    """
    if n_c == 0:
        found = Order(*bandwidth_order(groups, node_of, free))
        if found.half_band <= NARROW:
            return found
    graph, equation, node = _neighbours(groups, node_of, free, n_c)
    if n_c:
        found = _best(groups, graph, equation, node, node_of, free, n_c, np.zeros(0, dtype=np.int64))
        if found.half_band <= NARROW:
            return found
    hubs = _hubs(graph)
    if not len(hubs):
        return found
    bordered = _best(groups, graph, equation, node, node_of, free, n_c, hubs)
    return bordered if bordered.half_band <= NARROW and 0 < bordered.border <= MOST_BORDER else found


def _neighbours(groups: list[Blocks], node_of: IntArray, free: IntArray, n_c: int) -> tuple[Any, IntArray, IntArray]:
    """Graph of the nodes; and of every constraint the nodes it meets, as pairs of equation and node."""
    n_v, n_nodes = len(node_of), int(node_of.max()) + 1
    is_free = np.zeros(n_v, dtype=bool)
    is_free[free] = True
    pairs, touched = [np.zeros(0, dtype=np.int64)], []
    for group in groups:
        low = group.dofs < n_v
        live = low & is_free[np.where(low, group.dofs, 0)]
        nodes = np.where(live, node_of[np.where(low, group.dofs, 0)], -1)
        k = nodes.shape[1]
        a, b = np.repeat(nodes, k, axis=1).ravel(), np.tile(nodes, (1, k)).ravel()
        both = (a >= 0) & (b >= 0)
        pairs.append(_distinct(a[both] * n_nodes + b[both]))
        if (~low).any():
            rows = np.repeat(np.where(low, -1, group.dofs - n_v), k, axis=1).ravel()
            meets = (rows >= 0) & (b >= 0)
            touched.append(_distinct(rows[meets] * n_nodes + b[meets]))
    met = _distinct(np.concatenate(touched)) if touched else np.zeros(0, dtype=np.int64)
    equation, node = met // n_nodes, met % n_nodes
    # One equation may join more than the two bodies of a block, such as those of gears.
    follows = equation[1:] == equation[:-1]
    pairs += [(node[:-1] * n_nodes + node[1:])[follows], (node[1:] * n_nodes + node[:-1])[follows]]
    keys = _distinct(np.concatenate(pairs))
    graph = coo_array((np.ones(len(keys)), (keys // n_nodes, keys % n_nodes)), shape=(n_nodes, n_nodes)).tocsr()
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return graph, equation, node


def _hubs(graph: Any) -> IntArray:
    """Nodes with many more neighbours than others have."""
    degree = np.diff(graph.indptr)
    joined = degree[degree > 1]
    return np.flatnonzero(degree > MANY_MORE * np.median(joined)) if len(joined) else np.zeros(0, dtype=np.int64)


def _best(
    groups: list[Blocks], graph: Any, equation: IntArray, node: IntArray, node_of: IntArray, free: IntArray, n_c: int,
    hubs: IntArray,
) -> Order:  # fmt: skip
    """The preferred of some orders in which ``hubs`` come last."""
    n_v, n_nodes = len(node_of), graph.shape[0]
    count = np.bincount(equation, minlength=n_c)
    anchors = node[count[equation] == 1]
    best: tuple[Order, tuple[bool, int, float]] | None = None
    others = np.setdiff1d(np.arange(n_nodes), hubs)
    found = _inside(graph, others)
    for permutation in (found, found[::-1], others, others[::-1]):
        rank = np.empty(n_nodes, dtype=np.int64)
        rank[permutation] = np.arange(len(others))
        rank[hubs] = len(others) + np.arange(len(hubs))
        last = np.full(n_c, -1, dtype=np.int64)
        np.maximum.at(last, equation, rank[node])
        late = float(rank[anchors].mean()) if len(anchors) else 0.0
        # Before a hub stand no constraints: what it joins may be held already, so that nothing is left of their pivots.
        for several in (0, 2):
            before = np.where(last < len(others), several, 2)
            places = np.concatenate((3 * rank[node_of[free]] + 1, 3 * last + np.where(count > 1, before, 2)))
            by_place = np.argsort(places, kind="stable")
            order = np.concatenate((free, n_v + np.arange(n_c)))[by_place]
            border = int(np.count_nonzero(places >= 3 * len(others)))
            width = _half_band(groups, order, n_v + n_c, border)
            held = width > NO_INTERCHANGES or bool(np.cumsum(np.where(order < n_v, 1, -1)).min() < 0)
            merit = (held, width, -late)
            if best is None or merit < best[1]:
                best = Order(order, width, border), merit
    assert best is not None  # noqa: S101  # the loop runs four times
    return best[0]


def _inside(graph: Any, nodes: IntArray) -> IntArray:
    """Reverse Cuthill-McKee order of some of the nodes."""
    part = graph if len(nodes) == graph.shape[0] else graph[nodes][:, nodes].tocsr()
    part.indices, part.indptr = part.indices.astype(np.int32), part.indptr.astype(np.int32)
    return np.asarray(nodes[reverse_cuthill_mckee(part, symmetric_mode=True)])


def _distinct(keys: IntArray) -> IntArray:
    """Ascending, without repeats; three to ten times as fast as np.unique, which hashes."""
    keys = np.sort(keys)
    return keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys


def _half_band(groups: list[Blocks], order: IntArray, n_q: int, border: int = 0) -> int:
    """Largest distance of two coupled unknowns in this order, but for the last ones, which are the border."""
    number = np.full(n_q, -1, dtype=np.int64)
    number[order[: len(order) - border]] = np.arange(len(order) - border)
    widest = 0
    for group in groups:
        position = number[group.dofs]
        high = position.max(axis=1, initial=-1)
        low = np.where(position >= 0, position, n_q).min(axis=1, initial=n_q)
        widest = max(widest, int((high - low).max(initial=0)))
    return widest


@kernel
def scatter(B: FloatArray, slot: IntArray, data: FloatArray) -> None:
    """Clear ``data`` and add every entry of ``B`` at its slot."""
    data[:] = 0.0
    for i in range(slot.shape[0]):
        data[slot[i]] += B[i]


@kernel
def block_product(B: FloatArray, dofs: IntArray, b1: int, x: FloatArray, y: FloatArray) -> None:
    """y += K x, block by block, on all coordinates."""
    k = dofs.shape[1]
    for e in range(dofs.shape[0]):
        o = b1 + e * k * k
        for i in range(k):
            s = 0.0
            for j in range(k):
                s += B[o + i * k + j] * x[dofs[e, j]]
            y[dofs[e, i]] += s


@kernel
def block_magnitude(B: FloatArray, dofs: IntArray, b1: int, x: FloatArray, y: FloatArray) -> None:
    """y += |K| |x|, block by block: the size of what cancels in K x, hence of its round-off."""
    k = dofs.shape[1]
    for e in range(dofs.shape[0]):
        o = b1 + e * k * k
        for i in range(k):
            s = 0.0
            for j in range(k):
                s += abs(B[o + i * k + j] * x[dofs[e, j]])
            y[dofs[e, i]] += s


@kernel
def clear_blocks(B: FloatArray, where: IntArray) -> None:
    """Zero in all blocks that `rotate_blocks` turns, which spoils their pattern."""
    for m in range(where.shape[0]):
        B[where[m, 0] : where[m, 0] + where[m, 1] ** 2] = 0.0


@kernel
def rotate_blocks(B: FloatArray, where: IntArray, R: FloatArray) -> None:
    """Turn rows and columns of some blocks into nodal frames: K <- F^T K F, in place.

    ``where (m, 3 + dim)``: offset of a block, its size k, number of the frame, and the positions of the turned
    coordinates in the block; ``R (n_f, dim, dim)``: columns are the axes of the frames.
    """
    dim = R.shape[1]
    for m in range(where.shape[0]):
        o, k, f = where[m, 0], where[m, 1], where[m, 2]
        for j in range(k):
            x0, x1 = B[o + where[m, 3] * k + j], B[o + where[m, 4] * k + j]
            x2 = B[o + where[m, 5] * k + j] if dim == 3 else 0.0
            for c in range(dim):
                s = R[f, 0, c] * x0 + R[f, 1, c] * x1
                B[o + where[m, 3 + c] * k + j] = s + R[f, 2, c] * x2 if dim == 3 else s
        for i in range(k):
            x0, x1 = B[o + i * k + where[m, 3]], B[o + i * k + where[m, 4]]
            x2 = B[o + i * k + where[m, 5]] if dim == 3 else 0.0
            for c in range(dim):
                s = R[f, 0, c] * x0 + R[f, 1, c] * x1
                B[o + i * k + where[m, 3 + c]] = s + R[f, 2, c] * x2 if dim == 3 else s
