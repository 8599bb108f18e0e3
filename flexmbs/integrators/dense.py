r"""Between the steps: cubic Hermite interpolation on the manifold, with positions and velocities of both ends.

In the chart at the start of the step, with the increment :math:`\delta = q_n^{-1} \circ q_{n+1}`, a cubic with the end
slopes :math:`h v_n` and :math:`h T^{-1}(\delta) v_{n+1}`; velocities are those of this curve, T(theta) dtheta/dt, so
both ends are met. Accelerations and multipliers are interpolated by straight lines.
"""

from __future__ import annotations

import numpy as np

from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.steps import local, retract, tangent_operators

__all__ = ["Interpolant"]


class Interpolant:
    """States within one accepted step."""

    def __init__(self, old: StepState, new: StepState, n_linear: int) -> None:
        self.old, self.new, self.n_linear = old, new, n_linear
        self.h = new.t - old.t
        n_v = len(old.v)
        self.n_rot = (n_v - n_linear) // 6
        self.delta = np.empty(n_v)
        local(old.q, new.q, n_linear, self.delta)
        self.end = self.h * new.v
        if self.n_rot:
            T = np.empty((self.n_rot, 3, 3))
            tangent_operators(self.delta, n_linear, T)
            spin = self.end[n_linear:].reshape(-1, 6)[:, 3:]
            self.end = self.end.copy()
            self.end[n_linear:].reshape(-1, 6)[:, 3:] = np.linalg.solve(T, spin[:, :, None])[:, :, 0]
        self.begin = self.h * old.v

    def __call__(self, t: float) -> StepState:
        """The state at a time within the step."""
        s = (t - self.old.t) / self.h
        if s <= 0.0:
            return self.old
        if s >= 1.0:
            return self.new
        c1, c2, c3 = s * s * (3.0 - 2.0 * s), s * (1.0 - s) ** 2, s * s * (s - 1.0)
        theta = c1 * self.delta + c2 * self.begin + c3 * self.end
        rate = 6.0 * s * (1.0 - s) * self.delta
        rate += (1.0 - s) * (1.0 - 3.0 * s) * self.begin + s * (3.0 * s - 2.0) * self.end
        rate /= self.h
        q = np.empty_like(self.old.q)
        retract(self.old.q, theta, self.n_linear, q)
        if self.n_rot:
            T = np.empty((self.n_rot, 3, 3))
            tangent_operators(theta, self.n_linear, T)
            spin = rate[self.n_linear :].reshape(-1, 6)[:, 3:]
            spin[:] = np.einsum("bij,bj->bi", T, spin)
        a = (1.0 - s) * self.old.a + s * self.new.a
        aux = (1.0 - s) * self.old.aux + s * self.new.aux
        lam = (1.0 - s) * self.old.lam + s * self.new.lam
        return StepState(t, q, rate, a, aux, lam, self.old.v, 0.0)
