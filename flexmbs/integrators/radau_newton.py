r"""The simplified Newton method for the three stages of a step of Radau IIA, as the loop in Python makes it.

Unknowns are the increments V of the velocities, from which the accelerations :math:`A^{-1} V / h` and the increments of
the positions follow exactly, corrections Y of the positions along :math:`W^{-1} G^T`, and the multipliers. An iteration
finds what Y must add so that the stages lie on their constraints after it, by three solutions with the real matrix, and
then V and the multipliers by one real and one complex solution.

What is decided stands in `radau_step`, which asks for the methods of `RadauNewton`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.integrators.collocation import NODES
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.implicit_step import SLOW
from flexmbs.integrators.radau_memory import RadauMemory
from flexmbs.integrators.radau_stages import (
    FOREMOST,
    against,
    ahead,
    change_stages,
    filtered,
    follow,
    keep_stage,
    larger,
    left_of_positions,
    prolong,
    put,
    rest,
    right_sides,
    slopes_at_start,
    states_small,
    take,
    widened,
    without_velocity_rows,
)
from flexmbs.integrators.stepper import turned_too_far
from flexmbs.kernels.inertia import inertia_force
from flexmbs.kernels.steps import largest_part, retract

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.radau_matrix import RadauMatrix

__all__ = ["CLOSED", "MET", "MET_RATE", "RATE_CLOSED", "ROUNDED", "STATES", "RadauNewton"]

STATES = 1e-9
"""Error in first-order states, relative to each, where the tolerance is below it."""
CLOSED, RATE_CLOSED = 1e-13, 1e-12
"""Violation of positions over the size of the model, of velocities over the largest, that counts as round-off."""
ROUNDED = 1e-15
"""What positions may be off by round-off, over the size of the model: over a step, what velocities at rest may be."""
MET, MET_RATE = 1e-7, 1e-4
"""The same with which no step is accepted."""


class RadauNewton:
    """The operations of `radau_step.advance`, with the factors of a `RadauMatrix`.

    ``most``: iterations; ``limit``: error of an increment that is accepted, as `Dynamics.size_of` measures it;
    ``tolerance``: of the estimate of the error of a step.

    Attributes
    ----------
    V, Y, theta, a : arrays (3, n_v)
        The stages: unknowns, and the increments of the positions and the accelerations that follow from them.
    lam : array (3, n_c)
    q1, v1 : arrays
        The end of the step.
    """

    def __init__(self, dynamics: Dynamics, matrix: RadauMatrix, most: int, limit: float, tolerance: float) -> None:
        self.dynamics, self.matrix, self.most, self.limit = dynamics, matrix, most, limit
        self.tolerance = tolerance
        n_v, n_c = dynamics.n_v, dynamics.n_c
        self.V, self.Y, self.theta, self.a, self._v, self._change, self._r = np.zeros((7, 3, n_v))
        self.lam, self._gap, self._rate, self._left = np.zeros((4, 3, n_c))
        self._re, self._im, self._whole = np.zeros((3, n_v + n_c))
        self._slope, self._second, self._momentum, self._way, self._still = np.zeros((5, n_v))
        self._positions = bool((dynamics.velocity_rows == 0).any())

    def begin(self, state: StepState, h: float) -> None:
        """A step of size h from a state."""
        self.state, self.h, self.memory = state, h, RadauMemory.of(state)
        self.q1, self.v1 = np.empty(self.dynamics.n_q), np.empty(self.dynamics.n_v)
        self.at = state
        self._end = self.theta[2]

    # --- what `radau_step.advance` asks for --------------------------------------------------------------------------

    def prepare(self, attempt: int, status: int) -> bool:
        dyn, matrix, state, memory, h = self.dynamics, self.matrix, self.state, self.memory, self.h
        if attempt == 1 and status == SLOW:
            self.at = self._ahead()
            self.Y[:] = 0.0
        else:
            rest(state.lam, self.V, self.Y, self.theta, self.lam)
            self.at = state
            if attempt == 0 and memory is not None:
                prolong(h, state.h_old, state.v_old, memory.v, state.v, memory.lam, state.lam, self.V, self.lam)
                self.at = self._ahead() if memory.kept_at is None else memory.kept_at
        if not matrix.is_at(self.at):
            matrix.linearise(self.at)
        matrix.factorise(h)
        if dyn.compliant:  # else what every iteration adds there would add up over the steps
            for i in range(3):
                put(self.lam[i], self._whole)
                force = matrix.product(0, self._whole)
                against(force, dyn.n_v, dyn.r)
                self.lam[i] = matrix.solve_real()[dyn.n_v :]
        return False

    def evaluate(self) -> bool:
        dyn, state = self.dynamics, self.state
        follow(self.h, state.v, self.V, self.Y, dyn.n_linear, self._v, self.a, self.theta)
        for i in range(3):
            retract(state.q, self.theta[i], dyn.n_linear, self.q1)
            dyn.set_time(state.t + NODES[i] * self.h)
            dyn.residual(self.q1, self._v[i], self.a[i], self.lam[i])
            keep_stage(i, dyn.r, dyn.rates(), self._r, self._gap, self._rate)
        return False

    def correct(self) -> float:
        dyn, matrix, h, size = self.dynamics, self.matrix, self.h, 0.0
        if self._positions:
            left_of_positions(h, self._gap, self._rate, dyn.velocity_rows, self._left)
            for i in range(3):
                put(self._left[i], dyn.r)
                d = matrix.solve_real()
                take(d, self.Y[i])
                size = larger(size, dyn.size_of(d[: dyn.n_v]))
        right_sides(h, self._r, self._rate, dyn.r, self._re, self._im)
        d = matrix.solve_real()
        matrix.solve_complex(self._re, self._im)
        change_stages(h, d, matrix.d_re, matrix.d_im, self.V, self.lam, self._change)
        for i in range(3):
            size = larger(size, abs(h) * dyn.size_of(self._change[i]))
        return size

    def settled(self) -> bool:
        dyn, rtol = self.dynamics, max(STATES, self.limit)
        resolutions = dyn.system.state_resolutions
        return bool(states_small(dyn.states, resolutions, self.state.v, self.V, self._change, rtol))

    def conclude(self) -> float:
        dyn, state, h = self.dynamics, self.state, self.h
        n_v = dyn.n_v
        follow(h, state.v, self.V, self.Y, dyn.n_linear, self._v, self.a, self.theta)
        slope = self._slope
        slopes_at_start(h, state.v, state.a, self.theta, self.V, slope, self._second)
        inertia_force(*dyn.mass_rows, self._second, self._still, self._momentum)
        self._whole[:n_v], self._whole[n_v:] = slope, 0.0
        filtered(h, self._momentum, self.matrix.product(2, self._whole), dyn.r)
        d = self.matrix.solve_real()
        widened(h, d, slope)
        size = larger(dyn.size_of(slope), abs(h) * dyn.size_of(d[:n_v]))
        self._end, self.v1[:] = self.theta[2].copy(), self._v[2]
        return size / self.tolerance if math.isfinite(size) else math.inf

    def arrive(self) -> bool:
        dyn, sizes = self.dynamics, self.dynamics.equation_sizes
        retract(self.state.q, self._end, dyn.n_linear, self.q1)
        dyn.residual(self.q1, self.v1, self.a[2], self.lam[2])
        self._gaps = np.empty(dyn.n_c)
        without_velocity_rows(dyn.r, dyn.n_v, dyn.velocity_rows, self._gaps)
        self._rates = dyn.rates()
        self._off, self._rate_off = largest_part(self._gaps, sizes), largest_part(self._rates, sizes)
        self._speed = largest_part(self.v1, dyn.velocity_sizes)
        return False

    def closed(self) -> bool:
        return bool(self._off <= CLOSED and self._rate_off <= RATE_CLOSED * self._speed + ROUNDED / abs(self.h))

    def met(self) -> bool:
        return bool(self._off <= MET and self._rate_off <= MET_RATE * self._speed + MET / abs(self.h))

    def close(self) -> bool:
        put(self._gaps, self.dynamics.r)
        take(self.matrix.solve_real(), self._end)
        put(self._rates, self.dynamics.r)
        take(self.matrix.solve_real(), self.v1)
        return True

    def turned(self) -> bool:
        return turned_too_far(self.dynamics, self.theta[2])

    # --- the matrix of a step ----------------------------------------------------------------------------------------

    def _ahead(self) -> StepState:
        """A state within the step that is expected, whose Jacobian suits all stages."""
        dyn, state, h = self.dynamics, self.state, self.h
        follow(h, state.v, self.V, self.Y, dyn.n_linear, self._v, self.a, self.theta)
        q, v, a, lam = np.empty(dyn.n_q), np.empty(dyn.n_v), np.empty(dyn.n_v), np.empty(dyn.n_c)
        ahead(state.q, state.v, self.V, self.theta, self.a, self.lam, dyn.n_linear, self._way, q, v, a, lam)
        return StepState(state.t + FOREMOST * h, q, v, a, a, lam, state.v, 0.0)
