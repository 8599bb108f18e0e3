"""States within a step of Radau IIA, from the two states at its ends alone."""

from __future__ import annotations

import numpy as np

from flexmbs.integrators.collocation import FROM_START, through
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.radau_memory import RadauMemory
from flexmbs.kernels.steps import local, retract

__all__ = ["CollocationInterpolant"]


class CollocationInterpolant:
    """The collocation polynomials of the increments and the velocities of an accepted step.

    Accelerations and multipliers: the cubic through the start and the stages. The stages are in the memory of the new
    state, which is the third of them.
    """

    def __init__(self, old: StepState, new: StepState, n_linear: int) -> None:
        self.old, self.new, self.n_linear = old, new, n_linear
        self.h = new.t - old.t
        stages = RadauMemory.of(new)
        assert stages is not None  # noqa: S101
        end, zero = np.empty(len(old.v)), np.zeros(len(old.v))
        local(old.q, new.q, n_linear, end)
        self._theta = np.vstack((zero, stages.theta, end))
        self._v = np.vstack((old.v, old.v + stages.v, new.v))
        self._a = np.vstack((old.a, stages.a, new.a))
        self._lam = np.vstack((old.lam, stages.lam, new.lam))

    def __call__(self, t: float) -> StepState:
        """The state at a time within the step."""
        s = (t - self.old.t) / self.h
        if s <= 0.0:
            return self.old
        if s >= 1.0:
            return self.new
        weights = through(FROM_START, s)
        q = np.empty_like(self.old.q)
        retract(self.old.q, weights @ self._theta, self.n_linear, q)
        a = weights @ self._a
        return StepState(t, q, weights @ self._v, a, a, weights @ self._lam, self.old.v, 0.0)
