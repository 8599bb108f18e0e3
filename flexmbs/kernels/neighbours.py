r"""Search for neighbours: which of n balls, or of the cubes around them, overlap; in a time that grows as n.

Balls are put into grids of cubic cells, one for each size: those of radius r belong to level l with
:math:`2^l \le r / r_{min} < 2^{l+1}`, whose cells are as wide as its largest ball, or up to twice that where they would
be mostly empty. Each ball looks into the cells around it of its own level and of every coarser one; small balls beside
large ones do not fill the cells of the latter. Cells that lie beside each other along x are beside each other in the
table as well: a ball reads at most nine runs of a level.

Cell (i, j, k) has place :math:`(i + a j + b k) \bmod 2^m` in the table of its level, with a and b the numbers of cells
in a row and in a layer: where the table is large enough it holds the grid as it is, else layers lie on each other, and
what is found from other cells is told by the cell that it is in. Balls are put in by counting, in the order of their
numbers, and the pairs come out sorted, so that nothing depends on what was before.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel

__all__ = ["MOST_LEVELS", "neighbours"]

MOST_LEVELS = 24
"""Levels of size; balls beyond are in cells of the last, and points in the first."""
Ends = NDArray[np.int32]
WIDER = 1.0 + 1e-12
"""Width of a cell over that of its largest ball: round-off of places does not count."""
FARTHEST = 1e15
"""Cells that are counted from the lowest corner at most; balls beyond share the last."""


def neighbours(
    x: FloatArray, radius: FloatArray, *, boxes: bool = False, effort: IntArray | None = None
) -> IntArray:  # fmt: skip
    """Pairs (m, 2) of balls that overlap, i < j, sorted by i and then j.

    Parameters
    ----------
    x : (n, 3) array
        Centres [length], finite.
    radius : (n,) array
        [length], zero or positive.
    boxes : bool, default False
        Pairs whose axis-parallel boxes overlap, in place of balls.
    effort : (2,) int array, optional
        Gets how many runs of cells were read, and how many balls were found in them.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [1.5, 0.0, 0.0], [4.0, 1.5, 0.0]])
    >>> neighbours(x, np.ones(4)).tolist()
    [[0, 2], [1, 3]]
    """
    n = len(x)
    x, radius = np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(radius, dtype=np.float64)
    if n < 2:
        return np.zeros((0, 2), dtype=np.int64)
    bits = max(4, math.ceil(math.log2(n)) + 1)
    cell, level, place = np.empty((n, 3), dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    start = np.zeros((MOST_LEVELS, (1 << bits) + 1), dtype=np.int32)
    ball, at = np.empty((n, 4)), np.empty((n, 5), dtype=np.int64)
    grid, extent = np.zeros((MOST_LEVELS, 3), dtype=np.int64), np.zeros((MOST_LEVELS, 2))
    lowest = x.min(axis=0)
    put_into_cells(x, radius, lowest, x.max(axis=0), cell, level, place, start, grid, extent, ball, at)
    room = 8 * n
    effort = np.zeros(2, dtype=np.int64) if effort is None else effort
    while True:
        found = np.empty((room, 2), dtype=np.int64)
        m = int(look_around(ball, at, lowest, start, grid, extent, boxes, found, effort))
        if m <= room:
            break
        room = m
    out, count = np.empty((m, 2), dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    sort_pairs(found, m, count, out)
    return out


@kernel
def cell_of(x: float, width: float) -> int:
    """Number of the cell at the distance x from the lowest corner."""
    return math.floor(min(max(x / width, -FARTHEST), FARTHEST))


@kernel
def put_into_cells(
    x: FloatArray, radius: FloatArray, lowest: FloatArray, highest: FloatArray, cell: IntArray, level: IntArray,
    place: IntArray, start: Ends, grid: IntArray, extent: FloatArray, ball: FloatArray, at: IntArray,
) -> None:  # fmt: skip
    """Balls in the order of the tables.

    ``start (levels, 2^m + 1)``: zeros; the balls of place b of level l are those from ``start[l, b]`` on;
    ``grid (levels, 3)``: zeros; number of balls, and the strides of rows and layers; ``extent (levels, 2)``: zeros;
    width of the cells, and largest radius; ``ball (n, 4)``: centre and radius; ``at (n, 5)``: cell, level, number.
    """
    n, mask, top = x.shape[0], start.shape[1] - 2, start.shape[0] - 1
    smallest = math.inf
    for i in range(n):
        if 0.0 < radius[i] < smallest:
            smallest = radius[i]
    if smallest == math.inf:
        smallest = 1.0
    for i in range(n):
        k = math.floor(math.log2(radius[i] / smallest)) if radius[i] > smallest else 0
        k = min(k, top)
        level[i] = k
        grid[k, 0] += 1
        extent[k, 1] = max(extent[k, 1], radius[i])
    volume = (highest[0] - lowest[0]) * (highest[1] - lowest[1]) * (highest[2] - lowest[2])
    for k in range(top + 1):
        if grid[k, 0] == 0:
            continue
        if extent[k, 1] == 0.0:  # points alone
            extent[k, 1] = smallest
        wide = 2.0 * WIDER * extent[k, 1]
        extent[k, 0] = min(max(wide, (volume / grid[k, 0]) ** (1.0 / 3.0)), 2.0 * wide)
        rows = cell_of(highest[0] - lowest[0], extent[k, 0]) + 1
        columns = cell_of(highest[1] - lowest[1], extent[k, 0]) + 1
        grid[k, 1] = rows | 1  # odd, so that rows of any number of cells are spread over the table
        grid[k, 2] = (((rows | 1) & mask) * (columns & mask)) & mask | 1
    for i in range(n):
        k = level[i]
        for axis in range(3):
            cell[i, axis] = cell_of(x[i, axis] - lowest[axis], extent[k, 0])
        place[i] = (cell[i, 0] + grid[k, 1] * cell[i, 1] + grid[k, 2] * cell[i, 2]) & mask
        start[k, place[i] + 1] += 1
    total = 0
    for k in range(top + 1):
        if grid[k, 0] == 0:
            continue
        start[k, 0] = total
        for b in range(1, mask + 2):
            total += start[k, b]
            start[k, b] = total
    for i in range(n - 1, -1, -1):  # from behind: places are filled downwards, and begin where they end
        k = level[i]
        p = start[k, place[i] + 1] - 1
        start[k, place[i] + 1] = p
        for axis in range(3):
            ball[p, axis], at[p, axis] = x[i, axis], cell[i, axis]
        ball[p, 3], at[p, 3], at[p, 4] = radius[i], k, i
    end = n
    for k in range(top, -1, -1):  # place b now ends where b + 1 begins
        if grid[k, 0] > 0:
            for b in range(mask + 1):
                start[k, b] = start[k, b + 1]
            start[k, mask + 1] = end
            end = start[k, 0]


@kernel
def look_around(
    ball: FloatArray, at: IntArray, lowest: FloatArray, start: Ends, grid: IntArray, extent: FloatArray,
    boxes: bool, found: IntArray, effort: IntArray,
) -> int:  # fmt: skip
    """Pairs of balls into ``found``, as far as there is room, i < j; returns how many there are."""
    mask, m = start.shape[1] - 2, 0
    rows = seen = 0
    for q in range(ball.shape[0]):
        x0, x1, x2, r, own = ball[q, 0], ball[q, 1], ball[q, 2], ball[q, 3], at[q, 3]
        y0, y1, y2 = x0 - lowest[0], x1 - lowest[1], x2 - lowest[2]
        for k in range(own, start.shape[0]):
            if grid[k, 0] == 0:
                continue
            w, reach = extent[k, 0], WIDER * (r + extent[k, 1])
            a0, a1 = cell_of(y0 - reach, w), cell_of(y0 + reach, w)
            b0, b1 = cell_of(y1 - reach, w), cell_of(y1 + reach, w)
            c0, c1 = cell_of(y2 - reach, w), cell_of(y2 + reach, w)
            if k == own:  # half of the cells around, the others look here; of the own cell those behind
                c0 = at[q, 2]
            for c in range(c0, c1 + 1):
                first = at[q, 1] if k == own and c == c0 else b0
                for b in range(first, b1 + 1):
                    here = k == own and c == c0 and b == first
                    left = at[q, 0] if here else a0
                    u, count = (left + grid[k, 1] * b + grid[k, 2] * c) & mask, a1 - left + 1
                    while count > 0:  # in two parts where the row goes over the end of the table
                        part = min(count, mask + 1 - u)
                        rows += 1
                        seen += start[k, u + part] - start[k, u]
                        for p in range(start[k, u], start[k, u + part]):
                            d0, d1, d2 = ball[p, 0] - x0, ball[p, 1] - x1, ball[p, 2] - x2
                            s = r + ball[p, 3]
                            if not (abs(d0) < s and abs(d1) < s and abs(d2) < s):
                                continue
                            if not boxes and not d0 * d0 + d1 * d1 + d2 * d2 < s * s:
                                continue
                            if at[p, 1] != b or at[p, 2] != c or at[p, 0] < left or at[p, 0] > a1:
                                continue
                            if here and at[p, 0] == left and p <= q:
                                continue
                            if m < found.shape[0]:
                                i, j = at[q, 4], at[p, 4]
                                found[m, 0], found[m, 1] = min(i, j), max(i, j)
                            m += 1
                        count -= part
                        u = 0
    effort[0], effort[1] = rows, seen
    return m


@kernel
def sort_pairs(found: IntArray, m: int, count: IntArray, out: IntArray) -> None:
    """The first m pairs in order into ``out (m, 2)``; ``count (n + 1,)``: zeros."""
    n = count.shape[0] - 1
    for p in range(m):
        count[found[p, 0] + 1] += 1
    for i in range(n):
        count[i + 1] += count[i]
    for p in range(m):
        i = found[p, 0]
        at = count[i]
        count[i] += 1
        out[at, 0], out[at, 1] = i, found[p, 1]
    first = 0
    for i in range(n):
        end = count[i]
        for p in range(first + 1, end):
            j = out[p, 1]
            q = p
            while q > first and out[q - 1, 1] > j:
                out[q, 1] = out[q - 1, 1]
                q -= 1
            out[q, 1] = j
        first = end
