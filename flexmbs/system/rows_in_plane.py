"""Which rows between planar markers depend on what: constraints that cannot change in the plane are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.kernels.rows.rows import kind_of, row_gradient

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Joint, Pair, Row
    from flexmbs.model.model import Model

__all__ = ["RowsInPlane"]

VANISHING = 1e-12
_TURNS = ((0.0, 0.0), (0.3, -0.7), (-1.1, 0.45))
"""Angles of the two sides at which rows are sampled [rad]."""


class RowsInPlane:
    """What the rows of one model depend on; every row between two markers is sampled once."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._ends: IdentityMap[Marker, IdentityMap[Marker, _Ends]] = IdentityMap()

    def vanishes(self, joint: Joint, pair: Pair, row: Row) -> bool:
        """Whether a row between planar markers cannot change; refuses one that is violated for good."""
        ends = self._between(pair.a, pair.b)
        value, reach = ends.sampled(row)
        if reach > VANISHING:
            return False
        if abs(value) > 1e-9 * ends.size:
            raise ModelError(
                f"Model {self.model.name!r}: {joint.equations[row.equation].label!r} of joint {joint.name!r} can never "
                f"be met: its sides are planar and not in one plane (off by {value:.3g}); move one of them."
            )
        return True

    def note_ends(self, a: Marker, b: Marker, rows: tuple[Row, ...], turning: IdentityMap[Marker, bool]) -> None:
        """Enter both ends of a pair into ``turning``, and whether their orientation counts."""
        turning.setdefault(a, False)
        turning.setdefault(b, False)
        flat = a.planar and b.planar
        for row in rows:
            kind = kind_of(row.kind)
            if kind.turns and not (flat and self._between(a, b).sampled(row)[1] <= VANISHING):
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
        moves = [not marker.body.is_ground for marker in (a, b)]
        turns = [moves[i] and marker.rotates for i, marker in enumerate((a, b))]
        origin, frame = (a.position0(), b.position0()), (a.rotation0(), b.rotation0())
        self.size = max(1.0, float(np.abs(origin[0]).max()), float(np.abs(origin[1]).max()))
        self._poses = []
        for angles in _TURNS:
            p, R = np.empty((2, 3)), np.empty((2, 3, 3))
            for i, angle in enumerate(angles):
                turn = angle if turns[i] else 0.0
                c, s = np.cos(turn), np.sin(turn)
                p[i] = origin[i] + np.array([angle, 2 * angle, 0.0]) if moves[i] else origin[i]
                R[i] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ frame[i]
            self._poses.append((p, R))
        self._moves, self._turns = moves, turns
        self._found: IdentityMap[Row, tuple[float, float]] = IdentityMap()

    def sampled(self, row: Row) -> tuple[float, float]:
        """Value of a row in the first pose, and the largest derivative by a motion in the plane in any."""
        if row in self._found:
            return self._found[row]
        c, G = np.zeros((1, 12)), np.zeros((1, 12))
        c[0, : len(row.constants)] = row.constants
        values, largest = [], 0.0
        for p, R in self._poses:
            G[:] = 0.0
            values.append(row_gradient(row.kind, 0, c, np.zeros(1), 0, 1, p, R, G, 0))
            g = G[0]
            for i in (0, 1):
                k = 6 * i
                if self._moves[i]:
                    largest = max(largest, abs(g[k]), abs(g[k + 1]))
                if self._turns[i]:  # spin about the inertial z
                    largest = max(largest, abs(g[k + 3 : k + 6] @ R[i][2]))
        self._found[row] = float(values[0]), float(largest)
        return self._found[row]
