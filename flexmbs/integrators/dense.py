r"""Between the steps: cubic Hermite interpolation on the manifold, with positions and velocities of both ends.

In the chart at the start of the step, with the increment :math:`\delta = q_n^{-1} \circ q_{n+1}`, a cubic with the end
slopes :math:`h v_n` and :math:`h T^{-1}(\delta) v_{n+1}`; velocities are those of this curve, T(theta) dtheta/dt, so
both ends are met. Accelerations and multipliers are interpolated by straight lines.
"""

from __future__ import annotations

import numpy as np

from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.interpolation import hermite_curve, hermite_state

__all__ = ["Interpolant"]


class Interpolant:
    """States within one accepted step."""

    def __init__(self, old: StepState, new: StepState, n_linear: int) -> None:
        self.old, self.new, self.n_linear = old, new, n_linear
        self.h = new.t - old.t
        self._curve = np.empty((3, len(old.v)))
        self._theta = np.empty(len(old.v))
        hermite_curve(old.q, old.v, new.q, new.v, self.h, n_linear, self._curve)

    def __call__(self, t: float) -> StepState:
        """The state at a time within the step."""
        s = (t - self.old.t) / self.h
        if s <= 0.0:
            return self.old
        if s >= 1.0:
            return self.new
        q, rate = np.empty_like(self.old.q), np.empty_like(self.old.v)
        hermite_state(self.old.q, self._curve, s, self.h, self.n_linear, self._theta, q, rate)
        a = (1.0 - s) * self.old.a + s * self.new.a
        aux = (1.0 - s) * self.old.aux + s * self.new.aux
        lam = (1.0 - s) * self.old.lam + s * self.new.lam
        return StepState(t, q, rate, a, aux, lam, self.old.v, 0.0)
