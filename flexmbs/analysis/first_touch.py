"""Contacts that a step would miss: found by the gaps at both ends of a step, whose size is then chosen to touch.

Error control sees what acts within a step, not what it has jumped over. Where an open contact is closed at the end of
a step, the step is repeated to end just behind the touch, which is found on the cubic of the gap and its rate at both
ends; from there the error estimate decides. Where it is open at both ends, but closing at the first and opening at the
second, the tangents of the gap at the ends are a lower bound of it, exact for what flies straight through a centre. A
contact that is being closed at the start of a step may not be open at its end. Of a contact along a body counts the
least gap of its points: further points may close where others are closed.

Where bodies turn far in a step, which uniform rotation lets error control do, gaps are no such curves, and the step is
looked at piece by piece.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.dynamics.gaps import Gaps
from flexmbs.integrators.dense import Interpolant
from flexmbs.kernels.steps import largest_turn

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState

__all__ = ["FirstTouch"]

BEHIND = 1e-6
"""Part of the step by which it ends behind the touch."""
DEEP = 1e-4
"""Depth at the end of a step, over the way made in it, from which a first touch is made in a step of its own."""

TURN = 0.3
"""Angle of a piece of a step [rad]."""
MOST = 100
"""Pieces of a step."""
QUARTER = 0.25
"""Next size, over this one, of a step in which a contact that is being closed was opened again."""


class FirstTouch:
    """Follows the gaps of one run from step to step; ways below ``fine`` [length] do not count.

    ``looks``: whether there are contacts; ``closed``: whether one has closed in the step that was looked at last.
    """

    def __init__(self, dynamics: Dynamics, fine: float) -> None:
        self.gaps, self.fine = Gaps(dynamics), fine
        self.looks, self.closed = self.gaps.exist, False
        self._dynamics = dynamics
        self._of: object = None
        self._at: StepState | None = None
        self._start = np.zeros((2, 0))
        self._end = np.zeros((2, 0))

    def shorter(self, old: StepState, new: StepState) -> float | None:
        """The size of a step that ends at the first touch, if the step from ``old`` to ``new`` has gone too far."""
        if not self.looks:
            return None
        gaps = self.gaps
        self._place(new)
        gaps.follow(new.t)
        if self._at is not old or self._of is not gaps.of:
            self._place(old)
            self._start = gaps.read()
            self._place(new)
        self._of = gaps.of
        self._end = gaps.read()
        found = self._first(old, new)
        if found < math.inf:
            self._at = old
            return found
        self.closed = bool(((self._start[0] > 0.0) & (self._end[0] <= 0.0)).any())
        self._start, self._at = self._end, new
        return None

    def _first(self, old: StepState, new: StepState) -> float:
        """Size of the step to the first touch; infinite if there is none."""
        h, start, end = new.t - old.t, self._start, self._end
        pieces = self._pieces(old, new)
        between = Interpolant(old, new, self._dynamics.n_linear)
        found, begin = math.inf, start
        for i in range(pieces):
            stop = end
            if i + 1 < pieces:
                self._place(between(old.t + (i + 1) / pieces * h))
                stop = self.gaps.read()
            for k in _changed(begin, stop, whole=pieces == 1).tolist():
                found = min(found, self._touch(begin[:, k], stop[:, k], h, i, pieces))
            if found < math.inf:
                break
            begin = stop
        if pieces > 1:
            self._place(new)
            if found == math.inf:  # a contact that is closed at the start, and open at the end
                for k in np.flatnonzero((start[0] <= 0.0) & (end[0] > 0.0)).tolist():
                    found = min(found, self._touch(start[:, k], end[:, k], h, 0, 1))
        return found

    def _pieces(self, old: StepState, new: StepState) -> int:
        """Number of pieces of a step in each of which no body turns far."""
        dyn, h = self._dynamics, new.t - old.t
        turn = h * max(largest_turn(v, dyn.n_linear, dyn.angles_of_bodies) for v in (old.v, new.v))
        return max(1, min(MOST, math.ceil(turn / TURN))) if math.isfinite(turn) else 1

    def _place(self, state: StepState) -> None:
        self.gaps.place(state.q, state.v, state.a, state.lam)

    def _touch(self, start: FloatArray, end: FloatArray, whole: float, i: int, pieces: int) -> float:
        """Size of the step to the first touch, by gap and rate at both ends of its piece i; infinite if there is none.

        So it is if the step may stand: it ends just behind the touch, or not deep in the contact.
        """
        (g0, r0), (g1, r1), h, last = start, end, whole / pieces, i + 1 == pieces
        if not (math.isfinite(g0) and math.isfinite(g1)):  # of a pair of tubes that is left out
            return math.inf
        if g0 <= 0.0:  # all of a contact in one step
            return QUARTER * h if g1 > 0.0 and -r0 * h > self.fine else math.inf
        if g1 > 0.0:
            if not r0 < 0.0 < r1:
                return math.inf
            meeting = (g0 - g1 + r1 * h) / (r1 - r0)  # of the tangents at both ends
            if g0 + r0 * meeting >= -self.fine:
                return math.inf
        elif last and -g1 <= max(self.fine, DEEP * max(abs(r0), abs(r1)) * whole):
            return math.inf
        # the cubic g0 + h r0 x + c2 x^2 + c3 x^3 in x = t/h
        c2, c3 = 3.0 * (g1 - g0) - h * (2.0 * r0 + r1), 2.0 * (g0 - g1) + h * (r0 + r1)
        roots = np.roots((c3, c2, h * r0, g0))
        inside = [float(x.real) for x in roots if abs(x.imag) < 1e-9 and 0.0 < x.real < 1.0]
        way = h * min(inside) if inside else min(g0 / max(abs(r0), 1e-300), h)
        wanted = (i * h + way) + BEHIND * whole
        return wanted if wanted < 0.99 * whole else math.inf


def _changed(start: FloatArray, end: FloatArray, whole: bool) -> IntArray:
    """Contacts that have closed, or may have closed and opened; of a ``whole`` step also those that have opened."""
    (g0, r0), (g1, r1) = start, end
    return np.flatnonzero(np.where(g0 <= 0.0, whole & (g1 > 0.0), (g1 <= 0.0) | ((r0 < 0.0) & (r1 > 0.0))))
