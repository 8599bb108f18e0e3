"""Contacts that an increment of statics has gone through, to the other side or beyond the middle.

An increment of Newton's method or of relaxation is no motion, but bodies have to have been somewhere between. They go
along the increment with constant twists: where a gap closes at first and is open and opening at the end, and was twice
as deep in between as at the start, it was passed. Where it is closed at the end, but opening, the middle was passed if
the bodies went straight at each other: with a rate that is still the first one half-way to the deepest place, while a
round shape that is slid over has half of it there. The tangents of the gap at both ends are a lower bound of it where
the shapes are convex; what they leave open is looked at on the way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.gaps import Gaps

__all__ = ["PassedContacts"]

LOOKS = 20
"""Places between the ends of an increment at which a gap is looked at."""
FINE = 1e-9
"""Overlap, over the size of the model, that is round-off."""
DEEPER = 2.0
"""Depth that counts as passing, over that at the start."""
STRAIGHT = 0.75
"""Rate of a gap half-way to the deepest place, over that at the start, of bodies that go straight at each other."""


class PassedContacts:
    """Looks at increments between states at rest; of a model without contacts there is nothing to see."""

    def __init__(self, equations: EquationsOfRest) -> None:
        self._equations = equations
        self._gaps = Gaps(equations.dyn)
        self._fine = FINE * equations.length
        self._nothing = np.zeros(equations.dyn.n_v)

    def between(self, old: Point, new: Point) -> str:
        """What has gone through each other on the way from one point to another, in words; empty if nothing has."""
        if not self._gaps.exist:
            return ""
        way = self._equations.between(old, new)
        start, end = self._read(old, way), self._read(new, way)
        passing = np.flatnonzero(self._may_pass(start, end, start[0], 1.0))
        found = next((k for k in map(int, passing) if self._passed(k, old, way, start[:, k], end[:, k])), None)
        self._equations.residual(new)
        if found is None:
            return ""
        contact, ends = self._gaps.pair(found)
        return f"contact {contact!r}: {ends} went through each other"

    def _read(self, point: Point, way: FloatArray) -> FloatArray:
        """Gaps at a point, and their changes (2, n) along an increment."""
        eq = self._equations
        twist = way[: eq.dyn.n_v].copy()
        twist[eq.states] = 0.0
        self._gaps.place(point.q, twist, self._nothing, point.lam)
        return self._gaps.read()

    def _may_pass(self, start: FloatArray, end: FloatArray, first: FloatArray, h: float) -> FloatArray:
        """Which gaps close at the start of a part h of an increment, open at its end, and may be deep in between."""
        (g0, r0), (g1, r1) = start, end
        with np.errstate(invalid="ignore", divide="ignore"):
            least = g0 + r0 * (g0 - g1 + r1 * h) / (r1 - r0)
            turns = (r0 < 0.0) & (r1 > 0.0) & np.isfinite(g0) & np.isfinite(g1)
            return np.asarray(turns & (least < self._floor(first)))

    def _floor(self, first: Any) -> Any:
        """Gap below which a pair is passed that had a gap ``first``."""
        return DEEPER * np.minimum(first, 0.0) - self._fine

    def _passed(self, k: int, old: Point, way: FloatArray, start: FloatArray, end: FloatArray) -> bool:
        """Whether gap k is deep on the way, at the places where the tangents at the ends of a part meet."""
        (first, steep), last, t0, t1 = start, end[0], 0.0, 1.0
        for _ in range(LOOKS):
            if not self._may_pass(start, end, first, t1 - t0):
                return False
            (g0, r0), (g1, r1) = start, end
            t = t0 + (g0 - g1 + r1 * (t1 - t0)) / (r1 - r0)
            found = self._read(self._equations.moved(old, t * way), way)[:, k]
            if found[0] < self._floor(first):
                if last > 0.0:
                    return True
                return bool(self._read(self._equations.moved(old, 0.5 * t * way), way)[1, k] < STRAIGHT * steep)
            if found[1] < 0.0:
                t0, start = t, found
            else:
                t1, end = t, found
        return False
