"""Contacts that fixed steps do not resolve, or do not see at all: watched from step to step, and told after the run."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.errors import AccuracyWarning
from flexmbs.dynamics.gaps import Gaps
from flexmbs.integrators.dense import Interpolant

if TYPE_CHECKING:
    from collections.abc import Hashable

    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.compiled.made_steps import Steps
    from flexmbs.integrators.contracts import StepState

__all__ = ["ShortContacts"]

ENOUGH = 10
"""Steps that a contact takes at least."""
SLOW = 0.1
"""Closing speed, over the largest of the run, below which a contact among many is a graze that decides nothing."""
LOOKS = 30
"""States within a step at which it is looked whether a contact was passed."""
FINE = 1e-9
"""Overlap, over the size of the model, that is round-off."""


class _Closed(NamedTuple):
    """A contact that has closed.

    ``at``: number of the step in which it did, and the times before it and at its end; its closing speed, whether it is
    searched, and what it is.
    """

    at: int
    before: float
    touch: float
    speed: float
    searched: bool
    contact: str
    ends: str


class _Short(NamedTuple):
    """A contact that was closed for ``steps`` steps, 0 within one; ``opened``: end of the step in which it did."""

    closed: _Closed
    steps: int
    opened: float


class ShortContacts:
    """Follows the gaps of a run of fixed steps.

    Attributes
    ----------
    looks : bool
        Whether there are contacts.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.gaps = Gaps(dynamics)
        self.looks = self.gaps.exist
        self._dynamics, self._fine = dynamics, FINE * dynamics.length
        self._began: dict[Hashable, _Closed] = {}
        self._found: list[_Short] = []
        self._at: FloatArray | None = None  # gaps and rates where the next step begins
        self._number = 0

    @property
    def now(self) -> FloatArray | None:
        """Gaps and their rates (2, n) at the end of the last step."""
        return self._at

    def step(self, old: StepState, new: StepState) -> None:
        """A step has been made, around whose end forces were evaluated last."""
        if not self.looks:
            return
        gaps, of = self.gaps, self.gaps.of
        gaps.after(new)
        self._number += 1
        if self._at is None or gaps.of is not of:  # other candidates: how they were
            self._place(old)
            self._at = gaps.read()
            self._place(new)
            self._open_what_is_far(new.t)
        start, self._at = self._at, gaps.read()
        if self._changed(start, self._at, new.t - old.t).any():
            self._look(start, self._at, old, new)

    def chunk(self, steps: Steps) -> None:
        """Several steps have been made in one call, of pairs that are not searched; it told their gaps."""
        if not self.looks:
            return
        if self._at is None:
            self._place(steps.first)
            self._at = self.gaps.read()
        rows = np.concatenate((self._at[None], steps.gaps))
        starts, ends = rows[:-1], rows[1:]
        h = steps.sizes[:, None]
        changed = self._changed(starts.transpose(1, 0, 2), ends.transpose(1, 0, 2), h)
        before = self._number
        for i in map(int, np.flatnonzero(changed.any(axis=1))):
            self._number = before + i + 1
            self._look(starts[i], ends[i], steps.state(i - 1), steps.state(i))
        self._number, self._at = before + len(steps), rows[-1]

    def _place(self, state: StepState) -> None:
        self.gaps.place(state.q, state.v, state.a, state.lam)

    def _changed(self, start: FloatArray, end: FloatArray, h: FloatArray | float) -> FloatArray:
        """Which gaps closed or opened in a step, or may have done both."""
        (g0, _), (g1, _) = start, end
        return np.asarray(((g0 > 0.0) != (g1 > 0.0)) | self._may_pass(start, end, h))

    def _may_pass(self, start: FloatArray, end: FloatArray, h: FloatArray | float) -> FloatArray:
        """Which gaps are open at both ends of a step, but closing first and opening then, by more than is between."""
        (g0, r0), (g1, r1) = start, end
        turns = np.asarray((r0 < 0.0) & (r1 > 0.0) & (g0 > 0.0) & (g1 > 0.0))
        if not turns.any():  # as in most steps
            return turns
        with np.errstate(invalid="ignore"):
            return np.asarray(turns & np.isfinite(g0) & np.isfinite(g1) & (_least(g0, r0, g1, r1, h) < -self._fine))

    def _look(self, start: FloatArray, end: FloatArray, old: StepState, new: StepState) -> None:
        """What closed and opened in the step of the present number."""
        (g0, r0), (g1, r1) = start, end
        for k in map(int, np.flatnonzero((g0 > 0.0) & (g1 <= 0.0))):
            self._began[self.gaps.key(k)] = self._closed(k, old.t, new.t, float(-min(r0[k], r1[k])))
        for k in map(int, np.flatnonzero((g0 <= 0.0) & (g1 > 0.0))):
            self._opened(self.gaps.key(k), new.t)
        passing = self._may_pass(start, end, new.t - old.t)
        for k in map(int, np.flatnonzero(passing)):
            if self._passed(k, start[:, k], end[:, k], old, new):
                self._found.append(_Short(self._closed(k, old.t, new.t, float(-r0[k])), 0, new.t))
        if passing.any():
            self._place(new)

    def _open_what_is_far(self, t: float) -> None:
        """Searched pairs that were closed and are no candidates any more have opened in the step."""
        searched = [key for key, closed in self._began.items() if closed.searched]
        if searched:
            near = {self.gaps.key(k) for k in range(self.gaps.permanent, self.gaps.count)}
            for key in searched:
                if key not in near:
                    self._opened(key, t)

    def _closed(self, k: int, before: float, touch: float, speed: float) -> _Closed:
        """Gap k in the step of the present number."""
        return _Closed(self._number, before, touch, speed, k >= self.gaps.permanent, *self.gaps.pair(k))

    def _opened(self, key: Hashable, t: float) -> None:
        """A pair has opened in the step of the present number, to t; one that is closed from the start is not known."""
        closed = self._began.pop(key, None)
        if closed is not None and self._number - closed.at < ENOUGH:
            self._found.append(_Short(closed, self._number - closed.at, t))

    def _passed(self, k: int, start: FloatArray, end: FloatArray, old: StepState, new: StepState) -> bool:
        """Whether gap k closes between two states, by its tangents at states between them, which are below it."""
        between = Interpolant(old, new, self._dynamics.n_linear)
        t0, t1, (g0, r0), (g1, r1) = old.t, new.t, start, end
        for _ in range(LOOKS):
            if not r0 < 0.0 < r1 or _least(g0, r0, g1, r1, t1 - t0) >= -self._fine:
                return False
            t = t0 + (g0 - g1 + r1 * (t1 - t0)) / (r1 - r0)
            self._place(between(t))
            gap, rate = self.gaps.read()[:, k]
            if gap <= -self._fine:
                return True
            if rate < 0.0:
                t0, g0, r0 = t, gap, rate
            else:
                t1, g1, r1 = t, gap, rate
        return False

    def warn(self) -> None:
        """Warn of contacts that closed and opened again within less than ten steps, or within one.

        Of contacts that are searched those count that close with a tenth of the largest closing speed, or more: among
        many bodies there are always some that graze.
        """
        fastest = max((one.closed.speed for one in self._found if one.closed.searched), default=0.0)
        found = [one for one in self._found if not one.closed.searched or one.closed.speed >= SLOW * fastest]
        if not found:
            return
        one = min(found, key=lambda short: (short.steps, short.closed.at))
        closed, span = one.closed, one.opened - one.closed.before
        if one.steps == 0:
            text = f"passed through each other within the step to t = {closed.touch:.4g}, which did not see it"
        else:
            text = (
                f"touched at t = {closed.touch:.4g}; it lasted {one.steps} steps, about {span:.3g}, too few to tell "
                "what it took"
            )
        warnings.warn(
            f"Contact {closed.contact!r}: {closed.ends} {text}. Take steps of {span / (2 * ENOUGH):.2g} or less, or "
            f"step=None for error control.",
            AccuracyWarning,
            stacklevel=3,
        )


def _least(g0: FloatArray, r0: FloatArray, g1: FloatArray, r1: FloatArray, h: FloatArray | float) -> FloatArray:
    """Where the tangents of gaps at both ends of a step meet."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(g0 + r0 * (g0 - g1 + r1 * h) / (r1 - r0))
