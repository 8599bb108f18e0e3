"""What a step of a backward differentiation formula is made with: its order, what the past predicts, alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.integrators.bdf_order import order_of
from flexmbs.integrators.bdf_polynomials import MOST_DATA, collect, combine, extrapolate, leading

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.bdf_history import History
    from flexmbs.integrators.contracts import StepState

__all__ = ["PREDICTED", "Plan", "predict"]

PREDICTED = POSITION, RATE, VELOCITY, ACCELERATION = range(4)
"""Rows of what is predicted at the new time: increment of the positions and its rate, velocity and its rate."""


@kernel
def predict(
    order: int, n: int, h: float, s: FloatArray, D: FloatArray, data: FloatArray, values: FloatArray,
    predicted: FloatArray,
) -> float:  # fmt: skip
    """What the polynomial through n data, of the degree of the order, says of the new time; alpha of the formula."""
    degree = min(order, n - 1)
    for k in range(2):
        combine(D[degree], degree + 1, data[k], predicted[2 * k + 1])
        for i in range(data.shape[2]):
            predicted[2 * k, i] = values[k, degree, i]
            predicted[2 * k + 1, i] /= h
    return leading(s, order) / h


class Plan:
    """Steps of one system: what each is made with, in arrays that the next one overwrites.

    ``n`` data; ``order`` of the formula and its ``alpha``; ``predicted (4, n_v)``: rows `PREDICTED`; ``values (2,
    MOST_DATA, n_v)``: those of the polynomials of all degrees; ``constants`` of their errors.
    """

    def __init__(self, dynamics: Dynamics, most: int, fixed: bool) -> None:
        n_v, n = dynamics.n_v, MOST_DATA
        self.dynamics, self.most, self.fixed = dynamics, most, fixed
        self.s, self.constants = np.zeros(n), np.zeros(n)
        self.W, self.D = np.zeros((n, n)), np.zeros((n, n))
        self.data, self.values = np.zeros((2, n, n_v)), np.zeros((2, n, n_v))
        self.predicted = np.zeros((len(PREDICTED), n_v))
        self.change, self.sums = np.zeros(n_v), np.zeros(len(dynamics.body_sizes))
        self.n = self.order = 0
        self.alpha = 0.0

    def lay(self, state: StepState, h: float, history: History) -> None:
        """Plan a step of size h from a state."""
        dyn, sloped = self.dynamics, len(history.slope) > 0
        self.n = collect(
            0, np.array([state.t]), state.q[None], state.v[None], history.t, history.q, history.v, history.slope,
            len(history.t), sloped, h, dyn.n_linear, self.s, self.data,
        )  # fmt: skip
        extrapolate(self.s, self.n, sloped, self.data, self.W, self.D, self.values, self.constants)
        self.order = order_of(
            history.order, self.most, self.fixed, self.n, h, state.h_old, self.values, self.constants, dyn.mass,
            dyn.body_of, dyn.body_sizes, self.sums, self.change,
        )  # fmt: skip
        self.alpha = predict(self.order, self.n, h, self.s, self.D, self.data, self.values, self.predicted)
