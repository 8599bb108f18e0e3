"""Which rows between planar markers depend on what: constraints that cannot change in the plane are dropped."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.kernels.rows.in_plane import reaches_in_plane
from flexmbs.kernels.rows.rows import ANGLE, kind_of
from flexmbs.system.row_table import constants_of, padded

if TYPE_CHECKING:
    from flexmbs.core.identity import IdentityMap
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Joint, Pair, Row
    from flexmbs.model.model import Model

    Between = tuple[Marker, Marker, tuple[Row, ...]]

__all__ = ["RowsInPlane"]

VANISHING = 1e-12
_TURNS = np.array([(0.0, 0.0), (0.3, -0.7), (-1.1, 0.45)])
"""Angles of the two sides at which rows are sampled [rad]."""


class RowsInPlane:
    """What the rows of one model depend on; every row between two markers is sampled once."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._known: dict[tuple[int, int, int], _Sampled] = {}

    def changing(self, joint: Joint, pair: Pair) -> set[int]:
        """Equations with a row of a pair that can change; refuses a row that cannot, and is violated for good."""
        if not (pair.a.planar and pair.b.planar):
            return {row.equation for row in pair.rows}
        sampled, found = self._of((pair.a, pair.b, pair.rows)), set()
        for row, (value, reach) in zip(pair.rows, sampled.values, strict=True):
            if reach > VANISHING:
                found.add(row.equation)
            elif abs(value) > 1e-9 * sampled.size:
                raise ModelError(
                    f"Model {self.model.name!r}: {joint.equations[row.equation].label!r} of joint {joint.name!r} can "
                    f"never be met: its sides are planar and not in one plane (off by {value:.3g}); move one of them."
                )
        return found

    def note_ends(self, a: Marker, b: Marker, rows: tuple[Row, ...], turning: IdentityMap[Marker, bool]) -> None:
        """Enter both ends of a pair into ``turning``, and whether their orientation counts."""
        turning.setdefault(a, False)
        turning.setdefault(b, False)
        found = self._of((a, b, rows)).values if a.planar and b.planar else None
        for j, row in enumerate(rows):
            kind = kind_of(row.kind)
            if kind.turns and not (found is not None and found[j][1] <= VANISHING):
                turning[a] = True
                if kind.uses[1]:
                    turning[b] = True

    def sample(self, pairs: Iterable[Between]) -> None:
        """Look at the rows of all pairs of planar markers at once, which takes little longer than at those of one."""
        new = [pair for pair in pairs if pair[0].planar and pair[1].planar and _key(pair) not in self._known]
        if not new:
            return
        poses = [(a.pose0(), b.pose0()) for a, b, _ in new]
        origin = np.array([(a[0], b[0]) for a, b in poses])
        rows = [row for _, _, own in new for row in own]
        ends = [0, *accumulate(len(own) for _, _, own in new)]
        moves = np.array([(not a.body.is_ground, not b.body.is_ground) for a, b, _ in new], dtype=np.int64)
        turns = moves * np.array([(a.rotates, b.rotates) for a, b, _ in new], dtype=np.int64)
        out = np.empty((len(rows), 2))
        reaches_in_plane(
            np.array(ends, dtype=np.int64), numbers_of_kinds([row.kind for row in rows], ANGLE),
            constants_of([padded(row.constants) for row in rows]),
            _TURNS, moves, turns, origin, np.array([(a[1], b[1]) for a, b in poses]), np.zeros(len(rows)), out,
        )  # fmt: skip
        values = [(value, reach) for value, reach in out.tolist()]
        away = np.abs(origin).max(axis=(1, 2)).tolist()
        for pair, (begin, end), size in zip(new, pairwise(ends), away, strict=True):
            self._known[_key(pair)] = _Sampled(pair, max(1.0, size), values[begin:end])

    def _of(self, pair: Between) -> _Sampled:
        """What is known of a pair of planar markers."""
        if _key(pair) not in self._known:
            self.sample([pair])
        return self._known[_key(pair)]


class _Sampled(NamedTuple):
    """Rows between two planar markers; ``of`` keeps them, so that nothing else gets their ids.

    ``size``: how far from the origin the markers are, at least one; ``values``: of each row its value in the first
    pose, and its largest derivative by a motion in the plane in any.
    """

    of: Between
    size: float
    values: list[tuple[float, float]]


def _key(pair: Between) -> tuple[int, int, int]:
    """What a pair goes by."""
    return id(pair[0]), id(pair[1]), id(pair[2])
