"""Contacts that a step would miss: found by the gaps at both ends of a step, whose size is then chosen to touch.

Error control sees what acts within a step, not what it has jumped over. Where an open contact is closed at the end of
a step, the step is repeated to end just behind the touch, which is found on the cubic of the gap and its rate at both
ends; from there the error estimate decides. Where it is open at both ends, but closing at the first and opening at the
second, the tangents of the gap at the ends are a lower bound of it, exact for what flies straight through a centre. A
contact that is being closed at the start of a step may not be open at its end. Of a contact along a body counts the
least gap of its points: further points may close where others are closed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.dynamics.gaps import Gaps

if TYPE_CHECKING:
    from flexmbs.core.contracts import IntArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState

__all__ = ["FirstTouch"]

BEHIND = 1e-6
"""Part of the step by which it ends behind the touch."""
DEEP = 1e-4
"""Depth at the end of a step, over the way made in it, from which a first touch is made in a step of its own."""

QUARTER = 0.25
"""Next size, over this one, of a step in which a contact that is being closed was opened again."""


class FirstTouch:
    """Follows the gaps of one run from step to step; ways below ``fine`` [length] do not count.

    ``looks``: whether there are contacts.
    """

    def __init__(self, dynamics: Dynamics, fine: float) -> None:
        self.gaps, self.fine = Gaps(dynamics), fine
        self.looks = self.gaps.exist
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
        h = new.t - old.t
        found = min((self._touch(int(k), h) for k in self._changed()), default=math.inf)
        if found < math.inf:
            self._at = old
            return found
        self._start, self._at = self._end, new
        return None

    def _place(self, state: StepState) -> None:
        self.gaps.place(state.q, state.v, state.a, state.lam)

    def _changed(self) -> IntArray:
        """Contacts that have closed or opened, or may have done both."""
        (g0, r0), (g1, r1) = self._start, self._end
        return np.flatnonzero(np.where(g0 <= 0.0, g1 > 0.0, (g1 <= 0.0) | ((r0 < 0.0) & (r1 > 0.0))))

    def _touch(self, k: int, h: float) -> float:
        """Size of the step to the first touch of contact k; infinite if there is none, or it may stand."""
        (g0, r0), (g1, r1) = self._start[:, k], self._end[:, k]
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
        elif -g1 <= max(self.fine, DEEP * max(abs(r0), abs(r1)) * h):
            return math.inf
        # the cubic g0 + h r0 x + c2 x^2 + c3 x^3 in x = t/h
        c2, c3 = 3.0 * (g1 - g0) - h * (2.0 * r0 + r1), 2.0 * (g0 - g1) + h * (r0 + r1)
        roots = np.roots((c3, c2, h * r0, g0))
        inside = [float(x.real) for x in roots if abs(x.imag) < 1e-9 and 0.0 < x.real < 1.0]
        wanted = h * (min(inside) + BEHIND) if inside else g0 / abs(r0) * (1.0 + BEHIND)
        return wanted if wanted < 0.99 * h else math.inf
