r"""Between the steps: quintic Hermite interpolation with positions, velocities and accelerations of both ends.

In the chart at the start of the step, the increment :math:`\delta = q_n^{-1} \circ q_{n+1}` is reached by a polynomial
of degree five whose first and second derivatives at both ends are those of the motion (`flexmbs.integrators.chart`): it
meets q, v and a of both ends, and is off by O(h^6) in between where the ends are exact. Multipliers are interpolated by
straight lines, unless they are solved for (`flexmbs.integrators.stepper.Stepper.solves`).
"""

from __future__ import annotations

import numpy as np

from flexmbs.integrators.chart import curve_motion, motion_curve
from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.steps import local, retract

__all__ = ["QuinticInterpolant"]


class QuinticInterpolant:
    """States within one accepted step, whose accelerations must be those of the equations of motion."""

    def __init__(self, old: StepState, new: StepState, n_linear: int) -> None:
        self.old, self.new, self.n_linear = old, new, n_linear
        self.h = h = new.t - old.t
        n_v = len(old.v)
        d, rate, second = np.empty(n_v), np.empty(n_v), np.empty(n_v)
        local(old.q, new.q, n_linear, d)
        motion_curve(d, new.v, new.a, n_linear, rate, second)
        v0, a0, v1, a1 = h * old.v, 0.5 * h * h * old.a, h * rate, 0.5 * h * h * second
        d = d - v0 - a0
        v, a = v1 - v0 - 2.0 * a0, a1 - a0
        # theta = v0 s + a0 s^2 + c3 s^3 + c4 s^4 + c5 s^5; a0 and a1 are halves of second derivatives by s.
        self.coefficients = v0, a0, 10.0 * d - 4.0 * v + a, -15.0 * d + 7.0 * v - 2.0 * a, 6.0 * d - 3.0 * v + a

    def __call__(self, t: float) -> StepState:
        """The state at a time within the step."""
        old, new, h = self.old, self.new, self.h
        s = (t - old.t) / h
        if s <= 0.0:
            return old
        if s >= 1.0:
            return new
        c1, c2, c3, c4, c5 = self.coefficients
        theta = s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
        rate = (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * (5.0 * c5))))) / h
        second = (2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * (20.0 * c5)))) / (h * h)
        q, v, a = np.empty_like(old.q), np.empty_like(old.v), np.empty_like(old.v)
        retract(old.q, theta, self.n_linear, q)
        curve_motion(theta, rate, second, self.n_linear, v, a)
        lam = (1.0 - s) * old.lam + s * new.lam
        return StepState(t, q, v, a, a, lam, old.v, 0.0)
