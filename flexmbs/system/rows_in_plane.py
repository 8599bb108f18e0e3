"""Which rows between planar markers depend on what: constraints that cannot change in the plane are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.kernels.rows.in_plane import reaches_in_plane
from flexmbs.kernels.rows.rows import ANGLE, kind_of
from flexmbs.system.row_table import padded

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Joint, Pair, Row
    from flexmbs.model.model import Model

__all__ = ["RowsInPlane"]

VANISHING = 1e-12
_TURNS = np.array([(0.0, 0.0), (0.3, -0.7), (-1.1, 0.45)])
"""Angles of the two sides at which rows are sampled [rad]."""


class RowsInPlane:
    """What the rows of one model depend on; every row between two markers is sampled once."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._ends: IdentityMap[Marker, IdentityMap[Marker, _Ends]] = IdentityMap()

    def changing(self, joint: Joint, pair: Pair) -> set[int]:
        """Equations with a row of a pair that can change; refuses a row that cannot, and is violated for good."""
        if not (pair.a.planar and pair.b.planar):
            return {row.equation for row in pair.rows}
        ends, found = self._between(pair.a, pair.b), set()
        for row, (value, reach) in zip(pair.rows, ends.sampled(pair.rows), strict=True):
            if reach > VANISHING:
                found.add(row.equation)
            elif abs(value) > 1e-9 * ends.size:
                raise ModelError(
                    f"Model {self.model.name!r}: {joint.equations[row.equation].label!r} of joint {joint.name!r} can "
                    f"never be met: its sides are planar and not in one plane (off by {value:.3g}); move one of them."
                )
        return found

    def note_ends(self, a: Marker, b: Marker, rows: tuple[Row, ...], turning: IdentityMap[Marker, bool]) -> None:
        """Enter both ends of a pair into ``turning``, and whether their orientation counts."""
        turning.setdefault(a, False)
        turning.setdefault(b, False)
        found = self._between(a, b).sampled(rows) if a.planar and b.planar else None
        for j, row in enumerate(rows):
            kind = kind_of(row.kind)
            if kind.turns and not (found is not None and found[j][1] <= VANISHING):
                turning[a] = True
                if kind.uses[1]:
                    turning[b] = True

    def _between(self, a: Marker, b: Marker) -> _Ends:
        others = self._ends.setdefault(a, IdentityMap())
        if b not in others:
            others[b] = _Ends(a, b)
        return others[b]


class _Ends:
    """Two planar markers, moved in the plane; ``size``: how far from the origin they are, at least one."""

    def __init__(self, a: Marker, b: Marker) -> None:
        moves = not a.body.is_ground, not b.body.is_ground
        turns = moves[0] and a.rotates, moves[1] and b.rotates
        self._moves, self._turns = np.array(moves, dtype=np.int64), np.array(turns, dtype=np.int64)
        (p_a, R_a), (p_b, R_b) = a.pose0(), b.pose0()
        self._origin, self._frame = np.array((p_a, p_b)), np.array((R_a, R_b))
        self.size = max(1.0, *map(abs, self._origin.ravel().tolist()))
        self._sampled: list[tuple[tuple[Row, ...], list[tuple[float, float]]]] = []

    def sampled(self, rows: tuple[Row, ...]) -> list[tuple[float, float]]:
        """Value of each row in the first pose, and its largest derivative by a motion in the plane in any."""
        for asked, found in self._sampled:
            if rows is asked:
                return found
        n = len(rows)
        c = np.array([padded(row.constants) for row in rows], dtype=np.float64).reshape(n, 12)
        out = np.empty((n, 2))
        reaches_in_plane(
            numbers_of_kinds([row.kind for row in rows], ANGLE), c, np.zeros(n), _TURNS, self._moves, self._turns,
            self._origin, self._frame, np.empty((2, 3)), np.empty((2, 3, 3)), np.empty((1, 12)), out,
        )  # fmt: skip
        found = [(value, reach) for value, reach in out.tolist()]
        self._sampled.append((rows, found))
        return found
