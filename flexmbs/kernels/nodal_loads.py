"""The power of loads on nodes that depend on the state: moments on slopes and directors, followers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, State, Work

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["NodalLoads"]


class NodalLoads:
    """These loads of one `Dynamics`; dead ones have a potential and do not count. False where there are none."""

    def __init__(self, dynamics: Dynamics) -> None:
        self._terms = [t for t in dynamics.terms if hasattr(t.group, "load") and not t.support]
        self._work = Work(np.zeros(len(dynamics.r)), np.zeros(0))
        self._none = np.zeros(0)

    def __bool__(self) -> bool:
        return bool(self._terms)

    def power(self, q: FloatArray, v: FloatArray, scale: FloatArray) -> float:
        """What they feed into the system at a state, with the factors ``scale`` of all loads."""
        if not self._terms:
            return 0.0
        self._work.r[:] = 0.0
        for term in self._terms:
            term.force(term.group, State(q, v, v, self._none), Env(0.0, scale), self._work)
        return -float(self._work.r[: len(v)] @ v)
