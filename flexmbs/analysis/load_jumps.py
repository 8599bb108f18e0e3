"""Where loads and motions jump or have kinks in time: steps end there, so that the order of the scheme holds.

A step over a jump is wrong by the jump times its length, whatever the scheme. A history says at which times it, or one
of its derivatives, jumps (``breaks``); in a Python function jumps are found by bisection when its values at the ends of
a step differ. The step that ends at a jump takes the value on the left, and the scheme starts anew with that on the
right.
"""

from __future__ import annotations

import bisect
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning
from flexmbs.core.history import Constant, History, Table, value_at
from flexmbs.model.motions.values import motion_at

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["LoadJumps"]

MANY = 100
"""Kinks of one history in a run from which it is a table of samples, of which only those beside rest are events."""
STEEP = 10.0
"""Slope over those of its neighbours from which a straight part of a table is a jump that someone has drawn."""
HALF = 0.55
"""Part of a change that one half of an interval must hold for it to be a jump rather than a slope."""
ULPS = 4.0
"""Numbers next to each other between which a jump is not looked for any closer."""
SEEN = 1e-6
"""Change of a prescribed acceleration, over the largest, that counts as a jump."""
OFTEN, WITHIN = 20, 40
"""So many jumps of one function within so many steps are no events any more."""


class LoadJumps:
    """The jumps and kinks of the histories of all loads in one run.

    ``kinks``: whether steps end at kinks as well. They disturb schemes of an order above the second; and where steps
    are chosen by their errors, a pulse between two of them would not be seen. ``steps``: accepted so far.
    """

    def __init__(self, dynamics: Dynamics, kinks: bool, begin: float, until: float) -> None:
        self.times: list[float] = []
        self._begins_at: float | None = None
        self.jumps: set[float] = set()
        self._names = dynamics.prescribed.names
        self._functions: dict[int, History] = {}  # these by the number of the load
        self._before: dict[int, tuple[float, float]] = {}
        self._found: dict[int, list[int]] = {}
        loads, histories = dynamics.system.model.loads, dynamics.prescribed.histories
        for number, (load, history) in enumerate(zip(loads, histories, strict=True)):
            breaks = getattr(load.history, "breaks", None)
            if breaks is None and load.history is not None and not isinstance(load.history, Constant):
                self._functions[number] = history
            elif breaks is not None:
                self._add_breaks(load.history, np.asarray(breaks, dtype=np.float64), kinks, begin, until)
        for _, active in dynamics.prescribed.moving:
            breaks = getattr(active.equation.motion, "breaks", None)
            if breaks is not None:
                breaks = np.asarray(breaks, dtype=np.float64)
                self._add_breaks(active.equation.motion, breaks, kinks, begin, until)
                self.jumps |= _jumps_of_acceleration(active.label, active.equation.motion, breaks, begin, until)
        self.times = sorted({*self.times, *self.jumps})
        self.steps = 0

    def _add_breaks(self, history: Any, breaks: FloatArray, kinks: bool, begin: float, until: float) -> None:
        inside = breaks[(breaks > begin) & (breaks < until)]
        steep = inside[np.isin(inside, _steep_ends(history))] if isinstance(history, Table) else inside[:0]
        self.jumps |= set(steep.tolist())  # an algorithmic acceleration does not follow in the moment between
        if kinks and len(inside) > MANY and isinstance(history, Table):
            rest = _ends_of_rest(history)
            inside = np.union1d(steep, inside[np.isin(inside, rest)] if len(rest) <= MANY else steep)
        elif not kinks or len(inside) > MANY:
            inside = steep
        if kinks and begin in breaks and len(inside) <= MANY:
            self._begins_at = begin  # where a run that goes on begins, the whole one has ended a step
        self.times = sorted({*self.times, *inside.tolist()})

    def next_time(self, t: float) -> float:
        """The first known jump or kink after t; infinite if there is none."""
        i = bisect.bisect_right(self.times, t)
        return self.times[i] if i < len(self.times) else np.inf

    def is_jump(self, t: float) -> bool:
        """Whether a load jumps at this time."""
        return t in self.jumps

    def is_known(self, t: float) -> bool:
        """Whether a load or a motion is known to jump or to have a kink at this time."""
        i = bisect.bisect_left(self.times, t)
        return t == self._begins_at or (i < len(self.times) and self.times[i] == t)

    @staticmethod
    def left(t: float) -> float:
        """The end of a step to a jump, for whoever evaluates loads: just before it."""
        return float(t - ULPS * np.spacing(abs(t)))

    def look(self, t: float, end: float) -> float | None:
        """The first jump of a function after t up to ``end``; it is known from now on."""
        first: float | None = None
        for number, history in list(self._functions.items()):
            name = self._names[number]
            at, value = self._before.get(number, (np.nan, 0.0))
            if at != t:
                value = value_at(name, history, t, 1.0)
            after = value_at(name, history, end, 1.0)
            self._before[number] = end, after
            found = None if after == value else _jump(name, history, (t, value), (end, after))
            if found is None:
                continue
            self._before[number] = found
            self._count(number, found[0])
            first = found[0] if first is None else min(first, found[0])
            if found[0] not in self.jumps and number in self._functions:
                self.jumps.add(found[0])
                bisect.insort(self.times, found[0])
        return first

    def clear(self, t: float, ends: FloatArray) -> FloatArray:
        """Those of the ends of the next steps from t that come before any jump of a function."""
        if not self._functions:
            return ends
        for k, end in enumerate(ends.tolist()):
            try:
                if self.look(t, end) is not None:
                    return ends[:k]
            except Exception:  # noqa: BLE001  # of whatever kind, the step that comes there raises it again
                return ends[:k]
            t = end
        return ends

    def _count(self, number: int, t: float) -> None:
        """Give up on a function that jumps all the time, aloud."""
        found = self._found.setdefault(number, [])
        found.append(self.steps)
        if len(found) >= OFTEN and found[-1] - found[-OFTEN] < WITHIN:
            del self._functions[number]
            warnings.warn(
                f"{self._names[number]}: its history jumps in nearly every step about t = {t:.6g}. Steps no longer "
                f"end at its jumps, and each is wrong by the jump times its length: the scheme has order 1. Take "
                f"smaller steps, or a history that is smooth.",
                AccuracyWarning,
                stacklevel=2,
            )


def _jumps_of_acceleration(name: str, motion: Any, breaks: FloatArray, begin: float, until: float) -> set[float]:
    """Those of the breaks of a prescribed motion at which its acceleration jumps: the first times behind the jumps.

    Generalized-alpha answers a jump with accelerations that swing about the right ones for tens of steps.
    """
    inside = np.unique(breaks[(breaks > begin) & (breaks < until)])
    if len(inside) == 0 or len(inside) > MANY:
        return set()

    def acceleration(t: float) -> float:
        return motion_at(name, motion, t)[2]

    edges = np.array([begin, *inside, until])
    size = max(abs(acceleration(t)) for a, b in pairwise(edges.tolist()) for t in np.linspace(a, b, 6)[1:-1].tolist())
    found = set()
    for t in inside.tolist():
        near = ULPS * np.spacing(abs(t))
        for before, after in ((t - near, t), (t, t + near)):
            if abs(acceleration(after) - acceleration(before)) > SEEN * size:
                found.add(float(after))
                break
    return found


def _steep_ends(table: Table) -> FloatArray:
    """Both ends of the straight parts that are much steeper than what is beside them."""
    times, values = np.asarray(table.times), np.asarray(table.values)
    if len(times) < 2:
        return times[:0]
    slope = np.concatenate(([0.0], np.abs(np.diff(values) / np.diff(times)), [0.0]))
    length = np.concatenate(([np.inf], np.diff(times), [np.inf]))
    steep = slope[1:-1] > STEEP * np.maximum(slope[:-2], slope[2:])
    steep &= length[1:-1] * STEEP < np.minimum(length[:-2], length[2:])
    return np.unique(np.concatenate((times[:-1][steep], times[1:][steep])))


def _ends_of_rest(table: Table) -> FloatArray:
    """Where a table that has been constant begins to change, or the reverse, and the samples beside these.

    Over what is constant steps grow, and a pulse between two of its parts could hide in one.
    """
    times, values = np.asarray(table.times), np.asarray(table.values)
    still = np.abs(np.diff(values)) <= 1e-12 * np.abs(values).max(initial=0.0)
    ends = 1 + np.flatnonzero(still[:-1] != still[1:])
    return times[np.unique(np.concatenate((ends - 1, ends, ends + 1)))]


def _jump(
    name: str, history: History, begin: tuple[float, float], end: tuple[float, float]
) -> tuple[float, float] | None:
    """Time and value behind the jump that most of a change is; None where the change is spread over the interval."""
    (a, fa), (b, fb) = begin, end
    while b - a > ULPS * np.spacing(max(abs(a), abs(b))):
        m = 0.5 * (a + b)
        fm = value_at(name, history, m, 1.0)
        left, right = abs(fm - fa), abs(fb - fm)
        if max(left, right) < HALF * (left + right):
            return None
        if left > right:
            b, fb = m, fm
        else:
            a, fa = m, fm
    return b, fb
