"""What a backward differentiation formula knows of the past, and how it is kept in the state of a run."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.contracts import StepState, is_memory_of, mark

__all__ = ["NOTHING", "POINTS", "History", "is_sloped", "past_of", "points_after"]

SCHEME = "BDF, with accelerations and multipliers"
POINTS = 6
"""Points kept, the present one included: what the predictor of order five passes through."""


NOTHING = np.empty(0)


class History(NamedTuple):
    """Past points, newest first, and the scheme's counters.

    ``t (n,)``, ``q (n, n_q)``, ``v (n, n_v)``, from which steps go on; ``a (n, n_v)``, ``lam (n, n_c)`` for the states
    within a step.

    ``slope (n_v,)``: acceleration at the oldest point, if that is the start; else empty. ``order``: of the next step;
    ``calm``: steps made since the order changed; ``origin``: time of the start; ``rising``: whether order and step
    still grow from there; ``target``: step wanted, there if steps are fixed, else next.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    slope: FloatArray
    order: int
    calm: int
    origin: float
    rising: bool
    target: float

    @classmethod
    def begin(cls, t: float, n_q: int, n_c: int, a: FloatArray, target: float) -> History:
        """That of a start at t with acceleration ``a``."""
        q, v, lam = np.empty((0, n_q)), np.empty((0, len(a))), np.empty((0, n_c))
        return cls(np.empty(0), q, v, v, lam, a, 1, 0, t, True, target)

    def pack(self, point: FloatArray) -> FloatArray:
        """One flat array; ``point``: what else the scheme remembers, behind it."""
        head = [
            mark(SCHEME),
            len(self.t),
            len(self.slope) > 0,
            self.order,
            self.calm,
            self.origin,
            self.rising,
            self.target,
        ]
        points = self.q.ravel(), self.v.ravel(), self.a.ravel(), self.lam.ravel()
        return np.concatenate((head, self.t, *points, self.slope, point))

    @classmethod
    def unpack(cls, memory: FloatArray, n_q: int, n_v: int, n_c: int) -> tuple[History, FloatArray]:
        """What `pack` took."""
        _, points, sloped, order, calm, origin, rising, target = memory[:8].tolist()
        n = int(points)
        cuts = list(accumulate((8, n, n * n_q, n * n_v, n * n_v, n * n_c, n_v if sloped else 0)))
        t, *points, slope = (memory[i:j] for i, j in pairwise(cuts))
        q, v, a, lam = (x.reshape(n, size) for x, size in zip(points, (n_q, n_v, n_v, n_c), strict=True))
        history = cls(t, q, v, a, lam, slope, int(order), int(calm), origin, bool(rising), target)
        return history, memory[cuts[-1] :]

    @staticmethod
    def is_in(memory: FloatArray) -> bool:
        """Whether a memory is one that `pack` made, not that of another scheme."""
        return is_memory_of(SCHEME, memory)

    def after(self, state: StepState, order: int, calm: int, rising: bool, target: float) -> History:
        """The history at the end of a step from a state."""
        keep = points_after(len(self.t), 1) - 1
        new, old = (state.q, state.v, state.a, state.lam), (self.q, self.v, self.a, self.lam)
        q, v, a, lam = (np.vstack((x, y[:keep])) for x, y in zip(new, old, strict=True))
        return History(
            np.concatenate(([state.t], self.t[:keep])), q, v, a, lam,
            self.slope if is_sloped(True, len(self.t), 1) else NOTHING, order, calm, self.origin, rising, target,
        )  # fmt: skip


def points_after(points: int, steps: int) -> int:
    """How many past points are known after further steps."""
    return min(points + steps, POINTS - 1)


def is_sloped(sloped: bool, points: int, steps: int) -> bool:
    """Whether the acceleration at the start is still known after further steps."""
    return sloped and points + steps < POINTS


def past_of(state: StepState, h: float, n_q: int, n_v: int) -> tuple[History, FloatArray]:
    """What the scheme remembers for a step of size h, and what else is in the memory.

    After a step of another scheme it starts as if with steps of that size, and back in time there is no past.
    """
    n_c = len(state.lam)
    if not History.is_in(state.memory):
        return History.begin(state.t, n_q, n_c, state.a, abs(state.h_old or h)), np.empty(0)
    history, point = History.unpack(state.memory, n_q, n_v, n_c)
    if len(history.t) and (state.t - history.t[0]) * h < 0.0:
        return History.begin(state.t, n_q, n_c, state.a, abs(h)), np.empty(0)
    return history, point
