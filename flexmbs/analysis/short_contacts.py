"""Contacts that fixed steps do not resolve, or do not see at all: a warning after the run."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import AccuracyWarning
from flexmbs.dynamics.gaps import Gaps
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.dense import Interpolant
from flexmbs.integrators.step_control import FixedStep

if TYPE_CHECKING:
    from collections.abc import Hashable

    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.results.time import TimeSolution

__all__ = ["warn_of_short_contacts"]

ENOUGH = 10
"""Steps that a contact takes at least."""
SLOW = 0.1
"""Closing speed, over the largest of the run, below which a contact among many is a graze that decides nothing."""
LOOKS = 30
"""States within a step at which it is looked whether a contact was passed."""
FINE = 1e-9
"""Overlap, over the size of the model, that is round-off."""


@dataclass
class _Short:
    """A contact that closed and opened: its length in steps, the state before, its closing speed, and what it is."""

    steps: int
    at: int
    speed: float
    searched: bool
    contact: str
    ends: str


@dataclass
class _Watch:
    """Follows the gaps from state to state."""

    gaps: Gaps
    n_linear: int
    fine: float
    began: dict[Hashable, tuple[int, float]] = field(default_factory=dict)
    found: list[_Short] = field(default_factory=list)

    def step(self, i: int, start: FloatArray, end: FloatArray, old: StepState, new: StepState) -> None:
        """The step from state i - 1 to state i."""
        (g0, r0), (g1, r1) = start, end
        closes, opens = (g0 > 0.0) & (g1 <= 0.0), (g0 <= 0.0) & (g1 > 0.0)
        for k in map(int, np.flatnonzero(closes)):
            self.began[self.gaps.key(k)] = (i, float(-min(r0[k], r1[k])))
        for k in map(int, np.flatnonzero(opens)):
            first, speed = self.began.pop(self.gaps.key(k), (0, 0.0))
            if first > 0 and i - first < ENOUGH:
                self._keep(k, i - first, first - 1, speed)
        open_at_both = np.isfinite(g0) & np.isfinite(g1) & (g0 > 0.0) & (g1 > 0.0)
        with np.errstate(invalid="ignore"):
            passing = open_at_both & (r0 < 0.0) & (r1 > 0.0) & (_least(g0, r0, g1, r1, new.t - old.t) < -self.fine)
        for k in map(int, np.flatnonzero(passing)):
            if self._passed(k, start[:, k], end[:, k], old, new):
                self._keep(k, 0, i - 1, float(-r0[k]))
        if passing.any():
            self.gaps.place(new.q, new.v, new.a, new.lam)

    def _keep(self, k: int, steps: int, at: int, speed: float) -> None:
        self.found.append(_Short(steps, at, speed, k >= self.gaps.permanent, *self.gaps.pair(k)))

    def _passed(self, k: int, start: FloatArray, end: FloatArray, old: StepState, new: StepState) -> bool:
        """Whether gap k closes between two states, by its tangents at states between them, which are below it."""
        between = Interpolant(old, new, self.n_linear)
        t0, t1, (g0, r0), (g1, r1) = old.t, new.t, start, end
        for _ in range(LOOKS):
            if not r0 < 0.0 < r1 or _least(g0, r0, g1, r1, t1 - t0) >= -self.fine:
                return False
            t = t0 + (g0 - g1 + r1 * (t1 - t0)) / (r1 - r0)
            middle = between(t)
            self.gaps.place(middle.q, middle.v, middle.a, middle.lam)
            gap, rate = self.gaps.read()[:, k]
            if gap <= -self.fine:
                return True
            if rate < 0.0:
                t0, g0, r0 = t, gap, rate
            else:
                t1, g1, r1 = t, gap, rate
        return False


def _least(g0: FloatArray, r0: FloatArray, g1: FloatArray, r1: FloatArray, h: float) -> FloatArray:
    """Where the tangents of gaps at both ends of a step meet."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(g0 + r0 * (g0 - g1 + r1 * h) / (r1 - r0))


def warn_of_short_contacts(solution: TimeSolution, dynamics: Dynamics) -> None:
    """Warn of contacts that closed and opened again within less than ten steps, or within one.

    Only if every step was stored. Of contacts that are searched those count that close with a tenth of the largest
    closing speed, or more: among many bodies there are always some that graze. ``dynamics``: of the run, which is over.
    """
    gaps = Gaps(dynamics)
    fixed = isinstance(solution.settings.get("step"), FixedStep)
    if not gaps.exist or not fixed or len(solution.t) != len(solution.steps) + 1:
        return
    found = _short(solution, gaps)
    fastest = max((one.speed for one in found if one.searched), default=0.0)
    found = [one for one in found if not one.searched or one.speed >= SLOW * fastest]
    if not found:
        return
    one = min(found, key=lambda short: (short.steps, short.at))
    touch = float(solution.t[one.at + 1])
    span = float(solution.t[one.at + one.steps + 1]) - float(solution.t[one.at])
    if one.steps == 0:
        text = f"passed through each other within the step to t = {touch:.4g}, which did not see it"
        span = touch - float(solution.t[one.at])
    else:
        text = (
            f"touched at t = {touch:.4g}; it lasted {one.steps} steps, about {span:.3g}, too few to tell what it took"
        )
    warnings.warn(
        f"Contact {one.contact!r}: {one.ends} {text}. Take steps of {span / (2 * ENOUGH):.2g} or less, or "
        f"step=None for error control.",
        AccuracyWarning,
        stacklevel=3,
    )


def _short(solution: TimeSolution, gaps: Gaps) -> list[_Short]:
    """All contacts of the run that were short."""
    dyn = gaps.dynamics
    watch = _Watch(gaps, dyn.n_linear, FINE * dyn.length)
    dyn.turns.reset()
    zero, none = np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    old: StepState | None = None
    start, of = np.zeros((2, 0)), gaps.of
    for i, t in enumerate(solution.t):
        q, v = np.array(solution.q[i]), np.array(solution.v[i])
        new = StepState(float(t), q, v, zero, zero, none, v, 0.0)
        gaps.place(q, v, zero, none)
        dyn.accept(q)
        gaps.follow(new.t)
        if old is not None and gaps.of is not of:  # other candidates: how they were
            gaps.place(old.q, old.v, zero, none)
            start = gaps.read()
            gaps.place(q, v, zero, none)
        end = gaps.read()
        if old is not None:
            watch.step(i, start, end, old, new)
        start, of, old = end, gaps.of, new
    return watch.found
