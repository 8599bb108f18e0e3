"""Contacts of many shapes, whose pairs are searched: which may touch at given places, and what acts between them.

Shapes that differ in their places alone are of one kind, and the rows and numbers of a pair depend on the kinds of its
shapes: they are asked for once for every two kinds that meet (`PairRows`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.kernels.neighbours import neighbours

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.model.contacts.pair import ContactPair
    from flexmbs.model.contacts.shapes import Shape

__all__ = [
    "MANY",
    "MOST_DECLARED",
    "PairRows",
    "Places",
    "Sorts",
    "kinds_that_meet",
    "places_of",
    "shapes_near",
    "sorts_that_meet",
]

MANY = 300
"""Pairs that may touch from which they are searched."""
MOST_DECLARED = 5_000
"""Pairs that may be declared one by one where a law of friction cannot be searched."""


def _kind(shape: Shape) -> Hashable:
    """What shapes have in common that have the same rows with every other one."""
    own: Any = shape
    numbers: Any = tuple(getattr(own, f.name) for f in fields(own) if f.name != "marker")
    try:
        hash(numbers)
    except TypeError:
        numbers = id(shape)
    turned = shape.marker.rotation0().tobytes() if shape.marker.planar else b""
    return type(shape), numbers, turned


def _sort(shape: Shape) -> Hashable:
    """What shapes have in common of which all or none have rows with those of another sort, but for exceptions."""
    radius, rim = shape.ball_radius, shape.rim_radius
    return type(shape), radius is None, radius == 0.0, rim is None


class Sorts(NamedTuple):
    """Two sorts of shapes that have rows with each other: one shape of each, and how many pairs there are."""

    a: Shape
    b: Shape
    pairs: int


def sorts_that_meet(parts: Sequence[Shape]) -> list[Sorts]:
    """All of them; shapes on the same body count, but for the ground."""
    sorts: dict[Hashable, list[Shape]] = {}
    for part in parts:
        sorts.setdefault(_sort(part), []).append(part)
    found = []
    for one, other in combinations_with_replacement(sorts.values(), 2):
        a, b = one[0], other[-1]
        if a.rows_against(b) is None and b.rows_against(a) is None:
            continue
        fixed = [sum(part.marker.body.is_ground for part in some) for some in (one, other)]
        if one is other:
            count = (len(one) * (len(one) - 1) - fixed[0] * (fixed[0] - 1)) // 2
        else:
            count = len(one) * len(other) - fixed[0] * fixed[1]
        if count:
            found.append(Sorts(a, b, count))
    return found


def kinds_that_meet(contacts: Iterable[Sequence[Shape]]) -> list[int]:
    """The kinds of rows that pairs of these shapes may have."""
    found: set[int] = set()
    for parts in contacts:
        for a, b, _ in sorts_that_meet(parts):
            rows = a.rows_against(b) or b.rows_against(a)
            found |= {row.kind for row in rows.rows} if rows else set()
    return sorted(found)


class Places(NamedTuple):
    """Shapes as the search sees them.

    ``reach (n,)``: radii of the balls that hold them, infinite of what has no end; ``body (n,)``: numbers of the bodies
    (of the nodes of flexible ones), 0 for the ground; ``endless``: the shapes without end, and whether they stay.
    """

    reach: FloatArray
    body: IntArray
    endless: tuple[tuple[int, Shape, bool], ...]


def places_of(parts: Sequence[Shape]) -> Places:
    """What the search needs of shapes."""
    reach = np.array([np.inf if part.reach is None else part.reach for part in parts])
    numbers: dict[Hashable, int] = {}
    body = np.zeros(len(parts), dtype=np.int64)
    for i, part in enumerate(parts):
        marker = part.marker
        if not marker.body.is_ground:
            body[i] = numbers.setdefault((id(marker.body), marker.node), len(numbers) + 1)
    endless = tuple((i, part, bool(body[i] == 0)) for i, part in enumerate(parts) if part.reach is None)
    return Places(reach, body, endless)


def shapes_near(places: Places, p: FloatArray, R: FloatArray, slack: FloatArray) -> IntArray:
    """Pairs (m, 2) of shapes on different bodies that may touch when each has moved by its slack, i < j, sorted.

    ``p (n, 3), R (n, 3, 3)``: places of the shapes; ``slack (n,)`` [length].
    """
    ends = np.flatnonzero(np.isfinite(places.reach))
    grown = places.reach[ends] + slack[ends]
    found = [ends[neighbours(p[ends], grown)]]
    for number, shape, stays in places.endless:
        near = ends
        if stays:
            near = ends[shape.clearance((p[ends] - p[number]) @ R[number]) < grown]
        found.append(np.sort(np.column_stack((np.full(len(near), number), near)), axis=1))
    pairs: IntArray = np.concatenate(found)
    pairs = pairs[places.body[pairs[:, 0]] != places.body[pairs[:, 1]]]
    if places.endless:
        pairs = pairs[np.argsort(pairs[:, 0] * len(places.reach) + pairs[:, 1], kind="stable")]
    return pairs


class PairRows:
    """Rows and numbers of pairs by the kinds of their shapes, found when they are first asked for.

    ``make(a, b)``: the pair of two shapes, or None where they have no rows with each other.

    Attributes
    ----------
    first, count, where, swapped : (n,) int arrays
        Of every two kinds that have met: their first row and how many there are, where their numbers begin, and whether
        the second shape is side A.
    kind : (n_r,) int array
    constants : (n_r, 12) array
    data : (n_d,) array
    """

    def __init__(self, parts: Sequence[Shape], make: Callable[[Shape, Shape], ContactPair | None]) -> None:
        self.parts, self._make = parts, make
        kinds: dict[Hashable, int] = {}
        self._kind = np.array([kinds.setdefault(_kind(part), len(kinds)) for part in parts], dtype=np.int64)
        self._kinds = len(kinds)
        self._number: dict[int, int] = {}
        none = np.zeros(0, dtype=np.int64)
        self.first, self.count, self.where, self.swapped = none, none, none, none
        self.kind, self.constants, self.data = none, np.zeros((0, 12)), np.zeros(0)

    def numbers(self, pairs: IntArray) -> IntArray:
        """Number (m,) of every pair of shapes (m, 2) in the arrays; -1 of what cannot touch."""
        keys = self._kind[pairs[:, 0]] * self._kinds + self._kind[pairs[:, 1]]
        distinct, at = np.unique(keys, return_inverse=True)
        new = [int(k) for k in distinct if int(k) not in self._number]
        if new:
            example = {int(k): int(i) for i, k in reversed(list(enumerate(keys)))}
            self._add([(k, *pairs[example[k]]) for k in new])
        found = np.array([self._number[int(k)] for k in distinct], dtype=np.int64)
        return found[at] if len(found) else np.zeros(0, dtype=np.int64)

    def _add(self, new: list[tuple[int, Any, Any]]) -> None:
        """Ask for pairs of kinds that meet for the first time."""
        columns: list[list[int]] = [x.tolist() for x in (self.first, self.count, self.where, self.swapped, self.kind)]
        first, count, where, swapped, kind = columns
        constants, data = [self.constants], self.data.tolist()
        rows = len(kind)
        for key, i, j in new:
            pair = self._make(self.parts[i], self.parts[j])
            if pair is None:
                self._number[key] = -1
                continue
            self._number[key] = len(first)
            c = np.zeros((len(pair.force.rows), 12))
            for row, own in zip(pair.force.rows, c, strict=True):
                own[: len(row.constants)] = row.constants
                kind.append(row.kind)
            first.append(rows)
            count.append(len(c))
            where.append(len(data))
            swapped.append(int(pair.a is not self.parts[i]))
            rows += len(c)
            constants.append(c)
            data.extend(pair.force.data)
        ints = [np.array(x, dtype=np.int64) for x in columns]
        self.first, self.count, self.where, self.swapped, self.kind = ints
        self.constants, self.data = np.concatenate(constants), np.array(data, dtype=np.float64)
