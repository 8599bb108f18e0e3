r"""Between the steps of a backward differentiation formula: polynomials through the states it knows.

In the chart at the start of a step, through both its ends and as many points before as its order asks for. Positions,
velocities, accelerations and multipliers have a polynomial each, so that all are those of the states at both ends; the
velocity is the derivative of the position, and the acceleration that of the velocity, but for errors of the order of
the formula. Over the ends they are continuous, not their derivatives.
"""

from __future__ import annotations

import numpy as np

from flexmbs.integrators.bdf_history import History
from flexmbs.integrators.bdf_polynomials import weights
from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.steps import local, retract

__all__ = ["Polynomial"]


class Polynomial:
    """States within one accepted step."""

    def __init__(self, old: StepState, new: StepState, n_linear: int) -> None:
        self.old, self.new, self.n_linear = old, new, n_linear
        n_v = len(old.v)
        history, _ = History.unpack(new.memory, len(old.q), n_v, len(old.lam))
        n = min(len(history.t), max(2, history.order))  # the start of the step is the first of them
        self.h = new.t - old.t
        self.s = np.concatenate(([1.0], (history.t[:n] - old.t) / self.h))
        self.theta, self.v = np.zeros((n + 1, n_v)), np.vstack((new.v, history.v[:n]))
        self.a, self.lam = np.vstack((new.a, history.a[:n])), np.vstack((new.lam, history.lam[:n]))
        local(old.q, new.q, n_linear, self.theta[0])
        for j in range(1, n):
            local(old.q, np.ascontiguousarray(history.q[j]), n_linear, self.theta[j + 1])

    def __call__(self, t: float) -> StepState:
        """The state at a time within the step."""
        old, new = self.old, self.new
        s = (t - old.t) / self.h
        if s <= 0.0:
            return old
        if s >= 1.0:
            return new
        n = len(self.s)
        W, D = np.zeros((n, n)), np.zeros((n, n))
        weights(self.s, False, s, W, D)
        q = np.empty_like(old.q)
        retract(old.q, W[-1] @ self.theta, self.n_linear, q)
        a = W[-1] @ self.a
        return StepState(t, q, W[-1] @ self.v, a, a, W[-1] @ self.lam, old.v, 0.0)
