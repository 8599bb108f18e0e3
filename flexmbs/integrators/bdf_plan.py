"""What a step of a backward differentiation formula is made with: its order, what the past predicts, alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.integrators.bdf_history import History, data_in_chart, error_constants, leading, nodes, weights
from flexmbs.integrators.contracts import StepState

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["Plan"]


class Plan:
    """A step of size h from a state.

    ``order`` of the formula and its ``alpha``; ``degree`` of the predictor, with its ``theta_p``, ``rate_p``, ``v_p``,
    ``vd_p`` at the new time; ``values``: those of the predictors of all degrees; ``constants`` of their errors.
    """

    def __init__(
        self, state: StepState, h: float, history: History, most: int, fixed: bool, dynamics: Dynamics
    ) -> None:
        self.history = history
        s = nodes(history, state.t, h)
        self.double = len(history.slope) > 0
        self.theta, self.vel = data_in_chart(history, state.q, state.v, h, dynamics.n_linear)
        n = len(s)
        W, D = np.zeros((n, n)), np.zeros((n, n))
        weights(s, self.double, 0.0, W, D)
        self.values = W @ self.theta, W @ self.vel  # by degree
        self.constants = error_constants(s)
        self.order = min(most, n) if fixed else min(history.order, most, n - 1)
        if not fixed and state.h_old and abs(h) < 0.5 * abs(state.h_old):
            self.order = self._expected_best(self.order, dynamics)
        degree = min(self.order, n - 1)
        self.degree = degree
        self.alpha = leading(s, self.order) / h
        self.theta_p, self.v_p = self.values[0][degree], self.values[1][degree]
        self.rate_p, self.vd_p = D[degree] @ self.theta / h, D[degree] @ self.vel / h

    def _expected_best(self, order: int, dynamics: Dynamics) -> int:
        """After a failure: the order, not above the present one, for which the past says the least error."""
        q = self.values[0]
        sizes = [dynamics.size_of(q[m + 1] - q[m]) * self.constants[m] for m in range(1, min(order, len(q) - 2) + 1)]
        best = int(np.argmin(sizes)) + 1 if sizes else order
        return best if best < len(sizes) else order
