r"""The simplified Newton method for the three stages of a step of Radau IIA.

Unknowns are the increments V of the velocities, from which the accelerations :math:`A^{-1} V / h` and the increments of
the positions follow exactly, corrections Y of the positions along :math:`W^{-1} G^T`, and the multipliers. An iteration
finds what Y must add so that the stages lie on their constraints after it, by three solutions with the real matrix, and
then V and the multipliers by one real and one complex solution.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.integrators.collocation import (
    COMPLEX,
    COMPLEX_LEFT,
    NODES,
    RADAU,
    RADAU_INVERSE,
    REAL,
    REAL_LEFT,
    by_stage,
    increments,
)
from flexmbs.integrators.contracts import StepStatus
from flexmbs.kernels.steps import largest_part, retract

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState
    from flexmbs.integrators.radau_matrix import RadauMatrix

__all__ = ["NotConvergedError", "RadauNewton", "Stages"]

FLOOR = 16.0 * float(np.finfo(float).eps)
STATES = 1e-9
"""Error in first-order states, relative to each, where the tolerance is below it."""
UNSURE = 0.05
"""Rate that is assumed after two iterations at least: the first increment has parts that vanish at once."""
FAR = 1e6
"""An increment this many times the size of a body is divergence."""
CLOSED, RATE_CLOSED = 1e-13, 1e-12
"""Violation of positions over the size of the model, of velocities over the largest, that counts as round-off."""
MET, MET_RATE = 1e-7, 1e-4
"""The same with which no step is accepted."""
CLOSINGS = 6


class NotConvergedError(Exception):
    """An attempt that did not converge; ``factor``: the step to take instead, over this one."""

    def __init__(self, status: StepStatus, factor: float, iterations: int) -> None:
        super().__init__(status.value)
        self.status, self.factor, self.iterations = status, factor, iterations


class Stages:
    """The unknowns of a step, at rest: V, Y and the increments theta of positions (3, n_v), multipliers (3, n_c).

    ``a``: accelerations; ``rate``: of the last convergence; ``iterations`` made.
    """

    def __init__(self, dyn: Dynamics, state: StepState) -> None:
        n_v = dyn.n_v
        self.V, self.Y, self.theta = np.zeros((3, n_v)), np.zeros((3, n_v)), np.zeros((3, n_v))
        self.a = np.zeros((3, n_v))
        self.lam = np.tile(state.lam, (3, 1))
        self.rate, self.iterations = 0.0, 0

    def follow(self, state: StepState, h: float, n_linear: int) -> FloatArray:
        """Accelerations and increments of the positions of V and Y; returned are the velocities (3, n_v)."""
        np.matmul(RADAU_INVERSE, self.V, out=self.a)
        self.a /= h
        v = state.v + self.V
        increments(h, RADAU, v, self.Y, n_linear, self.theta)
        return v


class RadauNewton:
    """Iterates with the factors of a `RadauMatrix`.

    ``most``: iterations; ``limit``: error of an increment that is accepted, as `Dynamics.size_of` measures it.
    """

    def __init__(self, dynamics: Dynamics, matrix: RadauMatrix, most: int, limit: float) -> None:
        self.dynamics, self.matrix, self.most, self.limit = dynamics, matrix, most, limit
        n_v, n_c = dynamics.n_v, dynamics.n_c
        self._r, self._rate, self._gap = np.empty((3, n_v)), np.zeros((3, n_c)), np.zeros((3, n_c))
        self._right, self._pair = np.empty(n_v + n_c), np.empty(n_v + n_c, dtype=complex)
        self._positions = dynamics.velocity_rows == 0

    def solve(self, stages: Stages, state: StepState, h: float) -> None:
        """Iterate the stages to convergence, or raise `NotConvergedError`."""
        most, last = self.most, math.inf
        stages.rate = 0.0
        for number in range(1, most + 1):
            stages.iterations = number
            self._evaluate(stages, state, h)
            moved = self._correct_positions(stages, h) if self._positions.any() else 0.0
            change = self._correct(stages, h)
            sizes = [moved, *(abs(h) * self.dynamics.size_of(np.ascontiguousarray(row)) for row in change)]
            size = float(np.max(sizes))
            if not size < FAR:
                raise NotConvergedError(StepStatus.DIVERGED, 0.5, number)
            p = size / last if last > 0.0 else 0.0
            last = size
            if number == 1 and size > FLOOR:
                continue
            stages.rate = max(p, stages.rate) if number < 4 else p
            if self._is_done(stages, state, size, p, change):
                stages.follow(state, h, self.dynamics.n_linear)
                return
            if p >= 1.0 and number > 2:
                raise NotConvergedError(StepStatus.DIVERGED, 0.5, number)
            left = most - 1 - number
            expected = size * p ** (left + 1) / ((1.0 - p) * self.limit) if p < 1.0 else 0.0
            if expected >= 1.0 and number > 2:
                raise NotConvergedError(StepStatus.SLOW, 0.8 * min(20.0, expected) ** (-1.0 / (4.0 + left)), number)
        raise NotConvergedError(StepStatus.SLOW, 0.5, most)

    def _evaluate(self, stages: Stages, state: StepState, h: float) -> None:
        """Residuals of the equations of motion and the constraints in the stages."""
        dyn = self.dynamics
        v = stages.follow(state, h, dyn.n_linear)
        q = np.empty(dyn.n_q)
        for i in range(3):
            retract(state.q, stages.theta[i], dyn.n_linear, q)
            dyn.set_time(state.t + NODES[i] * h)
            out = dyn.residual(q, v[i], stages.a[i], stages.lam[i])
            self._r[i] = out[: dyn.n_v]
            if dyn.n_c:
                self._gap[i] = out[dyn.n_v :]
                self._rate[i] = dyn.rates()

    def _correct_positions(self, stages: Stages, h: float) -> float:
        """Add to Y what the increments of the velocities will leave of the positions; returned is its size."""
        dyn, right = self.dynamics, self._right
        left = (self._gap - h * (RADAU @ self._rate)) * self._positions
        right[: dyn.n_v] = 0.0
        sizes = []
        for i in range(3):
            np.negative(left[i], out=right[dyn.n_v :])
            y = self.matrix.solve_real(right)[: dyn.n_v]
            stages.Y[i] += y
            sizes.append(dyn.size_of(y))
        return float(np.max(sizes))

    def _correct(self, stages: Stages, h: float) -> FloatArray:
        """Change the velocities and multipliers; returned is the change of the velocities."""
        n_v, right, pair = self.dynamics.n_v, self._right, self._pair
        w, z = h / REAL, h / COMPLEX
        right[:n_v] = -w * (REAL_LEFT @ self._r)
        pair[:n_v] = -z * (COMPLEX_LEFT @ self._r)
        right[n_v:] = -(REAL_LEFT @ self._rate)
        pair[n_v:] = -(COMPLEX_LEFT @ self._rate)
        one = self.matrix.solve_real(right).copy()
        two = self.matrix.solve_complex(pair)
        change = by_stage(one[:n_v], two[:n_v])
        stages.V += change
        stages.lam += by_stage(one[n_v:] / w, two[n_v:] / z)
        return change

    def _is_done(self, stages: Stages, state: StepState, size: float, p: float, change: FloatArray) -> bool:
        """Whether what is left after an increment is small, or round-off."""
        if size <= FLOOR or (p >= 0.5 and size <= 100.0 * FLOOR):
            return True
        sure = max(p, UNSURE) if stages.iterations == 2 else p
        if sure >= 1.0 or size * sure > self.limit * (1.0 - sure):
            return False
        k = self.dynamics.states
        if not len(k):
            return True
        values = np.abs(state.v[k]) + np.abs(stages.V[:, k]).max(axis=0)
        small = max(STATES, self.limit) * values + self.dynamics.system.state_resolutions
        return bool(np.all(np.abs(change[:, k]).max(axis=0) <= small))

    def close(self, stages: Stages, state: StepState, h: float) -> tuple[FloatArray, FloatArray]:
        """The end of the step, with what the iteration has left of the constraints taken off."""
        dyn, matrix, right = self.dynamics, self.matrix, np.zeros(len(self._right))
        n_v = dyn.n_v
        theta, v1, q1 = stages.theta[2], state.v + stages.V[2], np.empty(dyn.n_q)
        for number in range(CLOSINGS):
            retract(state.q, theta, dyn.n_linear, q1)
            out = dyn.residual(q1, v1, stages.a[2], stages.lam[2])
            if not dyn.n_c:
                return q1, v1
            gap, rate = out[n_v:] * self._positions, dyn.rates()
            off, rate_off = largest_part(gap, dyn.equation_sizes), largest_part(rate, dyn.equation_sizes)
            speed = largest_part(v1, dyn.velocity_sizes)
            if off <= CLOSED and rate_off <= RATE_CLOSED * speed + CLOSED / abs(h):
                return q1, v1
            if number < CLOSINGS - 1:
                right[n_v:] = -gap
                theta = theta + matrix.solve_real(right)[:n_v]
                right[n_v:] = -rate
                v1 = v1 + matrix.solve_real(right)[:n_v]
        if not (off <= MET and rate_off <= MET_RATE * speed + MET / abs(h)):
            raise NotConvergedError(StepStatus.SLOW, 0.5, stages.iterations)
        return q1, v1
