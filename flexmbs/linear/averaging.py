r"""Which elements may be averaged at a node: those whose stresses are values of one continuous field.

An average is reported only where it means something. Within one region

- stresses of solids are averaged over all elements of the node,
- stresses of shells over those that follow each other across edges that the surface passes smoothly, folded by no more
  than ``SMOOTH``. What lies beyond a fold, a junction of three sheets or a mere corner is kept apart.
- stress resultants (of frames, trusses) are not averaged at all. They are reported in local axes of each element, and
  jump where a force or a third member stands on the node.

Neighbouring shells may have opposite node order, so that the top of one is the bottom of the other. Top and bottom are
then exchanged, and named as by the cell of lowest number of the smooth surface. Where the exchange would change the
structure (an offset from the nodes, layers), or the surface has only one side, the two are kept apart where the node
order changes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.elements.linear.contract import STRESS_NAMES
from flexmbs.elements.linear.shell import Shell
from flexmbs.meshes.cells import cell_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flexmbs.linear.part import Part, Piece
    from flexmbs.linear.region import Region

__all__ = ["SMOOTH", "Averages", "PieceRows", "averages", "other_faces", "rows_of", "tensors"]

SMOOTH = math.radians(20.0)
"""Fold between neighbouring shells up to which they are one surface; shell normals are averaged up to the same angle
by Abaqus and by Nastran (SNORM). A uniform bending stress across folds of this angle is reported 5 % too low."""

MARGIN = 1e-6
"""Folds of ``SMOOTH`` by design, such as those of a circle of 18 equal segments, are smooth however they are rounded
[rad]."""


class PieceRows(NamedTuple):
    """For the cells of a piece: the ``rows (n_e, n_a)`` in which their nodal values are, and whose faces change names.

    ``turned (n_e,)`` is true where top and bottom are to be exchanged.
    """

    piece: Piece
    rows: IntArray
    turned: IntArray


class Averages(NamedTuple):
    """The averages in one region: row by row their ``nodes (n,)``, ascending, and how many elements ``counts (n,)``.

    ``cells (n,)`` are the numbers, in their block of the mesh, of the first elements of the rows. A node stands in as
    many rows as it has groups of elements that are kept apart, in the order of their first elements.
    """

    region: Region
    nodes: IntArray
    cells: IntArray
    counts: IntArray
    pieces: tuple[PieceRows, ...]


def averages(part: Part) -> list[Averages]:
    """The averages of each region of a part, in the order of its pieces."""
    regions: list[Region] = []
    for piece in part.pieces:
        if piece.region not in regions:
            regions.append(piece.region)
    return [_of_region(part, region, [p for p in part.pieces if p.region == region]) for region in regions]


def other_faces(names: Sequence[str]) -> IntArray:
    """For each component (n_c,) of shells the number of the same one on the other face."""
    opposite = {"top": "bottom", "bottom": "top"}
    wanted = [" ".join(opposite.get(word, word) for word in name.split(" ")) for name in names]
    return np.array([list(names).index(name) for name in wanted])


def rows_of(known: Any, wanted: Any) -> tuple[IntArray, IntArray]:
    """Rows in ``known (s,)`` of the nodes ``wanted (n,)``, node by node, as often as they stand there.

    First which of the wanted (k,) each row is of, then the rows (k,).

    Examples
    --------
    >>> rows_of([4, 5, 5, 7], [5, 4])
    (array([0, 0, 1]), array([1, 2, 0]))
    """
    known, wanted = np.asarray(known, dtype=np.int64), np.asarray(wanted, dtype=np.int64)
    order = np.argsort(known, kind="stable")
    begin = np.searchsorted(known, wanted, sorter=order)
    count = np.searchsorted(known, wanted, side="right", sorter=order) - begin
    asked = np.repeat(np.arange(len(wanted)), count)
    within = np.arange(len(asked)) - np.repeat(np.cumsum(count) - count, count)
    return asked, order[begin[asked] + within]


def tensors(names: Sequence[str]) -> list[int]:
    """Where complete stress tensors begin among components such as ``"xx top"``; none among resultants."""
    first = [name.split(" ")[0] for name in names]
    starts = range(0, len(names), len(STRESS_NAMES))
    return list(starts) if tuple(first) == STRESS_NAMES * len(starts) and names else []


def _of_region(part: Part, region: Region, pieces: list[Piece]) -> Averages:
    cells = np.vstack([piece.cells for piece in pieces])
    dim = cell_type(region.element.cell_type).dim
    turned = np.zeros(len(cells), dtype=bool)
    if not tensors(region.element.stress_names):
        groups = np.arange(cells.size)
    elif dim == 3:
        groups = cells.ravel()
    else:
        groups, turned = _smooth_groups(region, part.nodes.points, cells)
    _, first, found = np.unique(groups, return_index=True, return_inverse=True)
    node = cells.ravel()[first]
    order = np.lexsort((first, node))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    rows = place[found.reshape(cells.shape)]
    numbers = np.concatenate([piece.numbers for piece in pieces])
    ends = np.cumsum([len(piece.cells) for piece in pieces])[:-1]
    return Averages(
        region,
        node[order],
        numbers[first[order] // cells.shape[1]],
        np.bincount(rows.ravel(), minlength=len(order)),
        tuple(map(PieceRows, pieces, np.split(rows, ends), np.split(turned, ends))),
    )


def _smooth_groups(region: Region, points: FloatArray, cells: IntArray) -> tuple[IntArray, IntArray]:
    """Numbers (n_e n_a,) of the groups of the elements at their nodes, and which elements (n_e,) are turned over."""
    one, two, same = _smooth_neighbours(points, cells, cell_type(region.element.cell_type).n_corners)
    element = region.element
    if isinstance(element, Shell) and (element.offset != 0.0 or element.layers):
        one, two, same = one[same], two[same], same[same]
    # each element twice, either way up: a surface with two sides falls into its two sides
    n = len(cells)
    links = np.concatenate([one, one + n]), np.concatenate([two + np.where(same, 0, n), two + np.where(same, n, 0)])
    sides = _components(2 * n, *links)
    single = sides[:n] == sides[n:]
    kept = same | ~single[one]
    one, two = one[kept], two[kept]
    patches = _components(n, one, two)
    _, lowest = np.unique(patches, return_index=True)
    turned = ~single & (sides[:n] != sides[lowest[patches]])
    link, a, b = np.nonzero(cells[one][:, :, None] == cells[two][:, None, :])
    width = cells.shape[1]
    return _components(cells.size, one[link] * width + a, two[link] * width + b), turned


def _smooth_neighbours(points: FloatArray, cells: IntArray, corners: int) -> tuple[IntArray, IntArray, IntArray]:
    """Pairs of elements (k,) that follow each other smoothly across an edge, and which have the same node order."""
    begin, end = cells[:, :corners].ravel(), np.roll(cells[:, :corners], -1, axis=1).ravel()
    edges = np.sort(np.stack([begin, end], axis=1), axis=1)
    _, edge, count = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    edge = edge.ravel()
    order = np.argsort(edge, kind="stable")
    found = []
    for apart in range(1, int(count.max(initial=1))):  # more than two elements meet at junctions
        one, two = order[:-apart], order[apart:]
        found.append(np.stack([one, two], axis=1)[edge[one] == edge[two]])
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
    along = points[edges[:, 1]] - points[edges[:, 0]]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    # from the edge into the element, normal to the edge
    inward = np.repeat(points[cells[:, :corners]].mean(axis=1), corners, axis=0) - points[edges[:, 0]]
    inward -= np.einsum("ij,ij->i", inward, along)[:, None] * along
    inward /= np.linalg.norm(inward, axis=1, keepdims=True)
    one, two = pairs.T
    smooth = np.einsum("ij,ij->i", inward[one], inward[two]) <= -math.cos(SMOOTH + MARGIN)
    one, two = one[smooth], two[smooth]
    return one // corners, two // corners, begin[one] != begin[two]


def _components(n: int, one: IntArray, two: IntArray) -> IntArray:
    """Numbers (n,) of the connected components of a graph."""
    graph = sparse.coo_matrix((np.ones(len(one), dtype=np.int8), (one, two)), (n, n))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1])
