r"""Radau IIA with three stages, order 5, on the manifold, in the stabilised index-2 form (Gear, Gupta, Leimkuhler).

In the chart at the start of a step, :math:`q = q_n \circ \exp\theta`, with the velocities v and two sets of multipliers,

.. math:: \dot\theta = T^{-1}(\theta)\, v + N \eta, \qquad M \dot v + f(q, v, t) + G^T \lambda = 0, \qquad
   g(q, t) = 0, \qquad G v + g_t = 0

is an equation of index 2 of which the three stages are collocated. The directions :math:`N = W^{-1} G^T`, in which
:math:`\eta` (zero but for errors) keeps the positions on their constraints, are those of the real matrix of Newton's method
and do not change within a step. The method is stiffly accurate: the last stage is the end of the step, so that both
constraints hold there. E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (2nd ed. 1996), sections IV.8 and
VII.4; E. Hairer, C. Lubich, M. Roche, The Numerical Solution of Differential-Algebraic Systems by Runge-Kutta Methods
(1989): order 5 in positions and velocities, 3 in the multipliers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.integrators.collocation import (
    COMPLEX,
    COMPLEX_LEFT,
    ESTIMATE,
    FROM_START,
    NODES,
    RADAU,
    RADAU_INVERSE,
    REAL,
    REAL_LEFT,
    CollocationInterpolant,
    by_stage,
    increments,
    through,
)
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.radau_matrix import RadauMatrix
from flexmbs.integrators.radau_memory import RadauMemory
from flexmbs.integrators.turning import TURN, longest_step, turned_too_far
from flexmbs.mechanics.steps import largest, largest_turn, local, retract
from flexmbs.system import EvaluationError

if TYPE_CHECKING:
    from flexmbs.dynamics import Dynamics

__all__ = ["RadauIIA"]

EPS = float(np.finfo(float).eps)
FIXED = 1e-11
"""Error of Newton's method in steps of fixed size, over the size of a body."""
STATES = 1e-9
"""Error of Newton's method in first-order states, relative to each, where the tolerance is below it."""
KEEP = 1e-3
"""Rate of convergence up to which the Jacobian is kept for the next step."""
CLOSED, RATE_CLOSED = 1e-13, 1e-12
"""Violation of positions over the size of the model, of velocities over the largest, that counts as round-off."""
CLOSINGS = 6
MIDDLE = 0.7
"""Where in the step the Jacobian is made, over the step."""
UNSURE = 0.05
"""Rate that is assumed after two iterations at least: the first increment has parts that vanish at once."""
SAFETY, SHRINK, GROW = 0.9, 0.125, 5.0
SAME = 1.2
"""Growth of a step up to which it stays as it is where the factors can then be used again."""


@dataclass(frozen=True, kw_only=True)
class RadauIIA:
    r"""Radau IIA of order 5: for stiff systems, and for small errors.

    Numerical damping: what is not resolved is gone after a step (L-stable). With `ErrorControl` the steps are chosen by an
    embedded formula of order 3 that is filtered by the real matrix, and by the predictive controller of K. Gustafsson.

    Parameters
    ----------
    most : int
        Iterations of the simplified Newton method before a step is given up.
    strictness : float
        Error of Newton's method over the tolerance of error control; smaller is safer and dearer.

    Raises
    ------
    ModelError
        If a value is out of bounds.

    Notes
    -----
    Order 5 in positions and velocities, 3 in multipliers and accelerations, 3 between the steps (errors of :math:`h^4`,
    with positions and velocities that meet both ends). The local error is that of positions and, times the step, of
    velocities. Since the estimate is of a lower order than the solution, the tolerance r of error control is applied to it
    as :math:`r^{2/3}/10` where that is larger, as in the program RADAU5. First-order states do not enter the estimate.

    Every step solves three stages at once, with a real and a complex matrix; where forces are cheap to evaluate and
    10 000 coordinates move smoothly with moderate accuracy, `GeneralizedAlpha` is faster.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="ball")
    >>> rod = fx.Distance(fx.ground.marker_at((0.0, 0.0, 0.0)), ball.centre, name="rod")
    >>> model = fx.Model(ball, rod, fx.Gravity((0.0, 0.0, -9.81)))
    >>> run = fx.simulate(model, until=2.0, integrator=fx.RadauIIA())
    >>> len(run) < 80, bool(abs(run.energy.balance).max() < 1e-5), bool(run.residuals.max() < 1e-12)
    (True, True, True)
    """

    most: int = 10
    strictness: float = 0.03
    order: int = field(init=False, default=5)
    index: int = field(init=False, default=2)
    reference: str = field(init=False, default="Hairer and Wanner 1996, IV.8; Hairer, Lubich and Roche 1989")

    def __post_init__(self) -> None:
        as_count("RadauIIA", "most", self.most, minimum=3)
        as_number("RadauIIA", "strictness", self.strictness, above=0.0, maximum=0.3)

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Everything can be treated."""

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """State at t with the accelerations and multipliers that agree with it."""
        from flexmbs.assembly import accelerations

        a, lam = accelerations(dynamics, t, q, v)
        return StepState(t, q, v, a, a, lam, v, 0.0)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> _Stepper:
        """What makes the steps; ``tolerance`` of error estimates, relative to the size of the positions."""
        return _Stepper(self, dynamics, tolerance)


class _Failed(Exception):
    """An attempt of Newton's method that did not converge; ``factor``: the step to take instead, over this one."""

    def __init__(self, status: StepStatus, factor: float, iterations: int) -> None:
        super().__init__(status.value)
        self.status, self.factor, self.iterations = status, factor, iterations


class _Stages:
    """The unknowns of a step: increments of velocities and corrections of positions (3, n_v), multipliers (3, n_c)."""

    def __init__(self, dyn: Dynamics, state: StepState) -> None:
        n_v = dyn.n_v
        self.V, self.Y, self.theta = np.zeros((3, n_v)), np.zeros((3, n_v)), np.zeros((3, n_v))
        self.lam = np.tile(state.lam, (3, 1))
        self.a = np.zeros((3, n_v))
        self.rate, self.iterations = 0.0, 0


class _Stepper:
    """Steps on one system. All that decides about a step is in the state: the Jacobian kept, too, can be made anew."""

    def __init__(self, scheme: RadauIIA, dynamics: Dynamics, tolerance: float) -> None:
        self.scheme, self.dynamics = scheme, dynamics
        controlled = tolerance < 1.0
        self.tolerance = max(tolerance, 0.1 * tolerance ** (2.0 / 3.0)) if controlled else tolerance
        share = min(scheme.strictness, math.sqrt(self.tolerance))
        self.limit = max(share * self.tolerance, 100.0 * EPS) if controlled else FIXED
        self.matrix = RadauMatrix(dynamics)

    @property
    def jacobians(self) -> int:
        """Linearisations so far."""
        return self.matrix.jacobians

    def forget(self) -> None:
        self.matrix.forget()

    def longest(self, state: StepState) -> float:
        """Step in which no body turns too far for its turns to be counted."""
        return longest_step(self.dynamics, state)

    def between(self, old: StepState, new: StepState) -> CollocationInterpolant:
        """The collocation polynomial."""
        m = RadauMemory.of(new.memory, self.dynamics)
        return CollocationInterpolant(old, new, self.dynamics.n_linear, m.theta, m.v, m.a, m.lam)

    def step(self, state: StepState, h: float) -> StepResult:
        memory = RadauMemory.of(state.memory, self.dynamics) if len(state.memory) else None
        try:
            stages, at = _Stages(self.dynamics, state), state
            if memory is not None:
                self._extrapolate(stages, state, h, memory)
                at = memory.jacobian if memory.keep else self._middle(stages, state, h)
            try:
                return self._attempt(state, h, memory, stages, at)
            except _Failed as failed:
                if failed.status is StepStatus.TURNED:
                    raise
                spent = failed.iterations
                if failed.status is StepStatus.SLOW:  # with the matrix of where it was going
                    at = self._middle(stages, state, h)
                    stages.Y[:] = 0.0
                else:  # extrapolation may be what was wrong
                    stages, at = _Stages(self.dynamics, state), state
            try:
                result = self._attempt(state, h, memory, stages, at)
            except _Failed as failed:
                failed.iterations += spent
                raise
            result.iterations += spent
            return result
        except _Failed as failed:
            return StepResult(None, math.inf, failed.iterations, failed.status, factor=failed.factor)
        except EvaluationError as error:
            self.forget()
            return StepResult(None, math.inf, 0, StepStatus.REFUSED, str(error), factor=0.25)
        except SingularError as error:
            self.forget()
            return StepResult(None, math.inf, 0, StepStatus.SINGULAR, str(error), factor=0.25)

    def _attempt(
        self, state: StepState, h: float, memory: RadauMemory | None, stages: _Stages, at: StepState
    ) -> StepResult:
        """A step from a guess of its stages, with the Jacobian at the state ``at``."""
        dyn, matrix = self.dynamics, self.matrix
        if not matrix.is_at(at):
            matrix.linearise(at)
        matrix.factorise(h)
        if dyn.compliant:  # else what every iteration adds there would add up over the steps
            for i in range(3):
                stages.lam[i] = matrix.least(stages.lam[i])
        self._iterate(stages, state, h)
        error = self._estimate(stages, state, h)
        q1, v1 = self._close(stages, state, h)
        end = np.empty(dyn.n_v)
        local(state.q, q1, dyn.n_linear, end)
        if turned_too_far(dyn, stages.theta[2]):
            raise _Failed(StepStatus.TURNED, 0.5, stages.iterations)
        factor = self._factor(error, h, memory, stages)
        keep = stages.rate <= KEEP and self._near(at, q1)
        if keep and 1.0 <= factor <= SAME:
            factor = 1.0
        new = RadauMemory(
            keep, h, max(1e-2, error), stages.theta[:2], stages.V[:2], stages.a[:2], stages.lam[:2],
            at if keep else None,
        )  # fmt: skip
        result = StepState(
            state.t + h, q1, v1, stages.a[2].copy(), stages.a[2].copy(), stages.lam[2].copy(), state.v, h,
            new.pack(dyn),
        )  # fmt: skip
        return StepResult(result, error, stages.iterations, StepStatus.DONE, exponent=0.25, factor=factor)

    def _extrapolate(self, stages: _Stages, state: StepState, h: float, memory: RadauMemory) -> None:
        """The polynomials of the step before, prolonged."""
        old_h = state.h_old
        v = np.vstack((state.v_old, state.v_old + memory.v, state.v))
        lam = np.vstack((memory.lam, state.lam))
        for i, c in enumerate(NODES):
            s = 1.0 + c * h / old_h
            stages.V[i] = through(FROM_START, s) @ v - state.v
            if lam.shape[1]:
                stages.lam[i] = through(NODES, s) @ lam

    def _middle(self, stages: _Stages, state: StepState, h: float) -> StepState:
        """The extrapolated state in the middle of the step, whose Jacobian suits all stages."""
        n_linear = self.dynamics.n_linear
        weights = through(FROM_START, MIDDLE)[1:]
        increments(h, RADAU, state.v + stages.V, stages.Y, n_linear, stages.theta)
        q = np.empty_like(state.q)
        retract(state.q, weights @ stages.theta, n_linear, q)
        a = (RADAU_INVERSE @ stages.V / h)[1]
        return StepState(
            state.t + MIDDLE * h,
            q,
            state.v + weights @ stages.V,
            a,
            a,
            through(NODES, MIDDLE) @ stages.lam,
            state.v,
            0.0,
        )

    def _iterate(self, stages: _Stages, state: StepState, h: float) -> None:
        """The simplified Newton method."""
        dyn, matrix, most = self.dynamics, self.matrix, self.scheme.most
        stages.rate = 0.0
        n_v, n_c = dyn.n_v, dyn.n_c
        w, z = h / REAL, h / COMPLEX
        q = np.empty(dyn.n_q)
        r, rate, gap = np.empty((3, n_v)), np.zeros((3, n_c)), np.zeros((3, n_c))
        right, pair = np.empty(n_v + n_c), np.empty(n_v + n_c, dtype=complex)
        positions = dyn.velocity_rows == 0
        constrained = bool(positions.any())
        floor = 16.0 * EPS
        last = math.inf
        for number in range(1, most + 1):
            stages.iterations = number
            np.matmul(RADAU_INVERSE, stages.V, out=stages.a)
            stages.a /= h
            v = state.v + stages.V
            increments(h, RADAU, v, stages.Y, dyn.n_linear, stages.theta)
            for i in range(3):
                retract(state.q, stages.theta[i], dyn.n_linear, q)
                dyn.set_time(state.t + NODES[i] * h)
                out = dyn.residual(q, v[i], stages.a[i], stages.lam[i])
                r[i] = out[:n_v]
                if n_c:
                    gap[i] = out[n_v:]
                    rate[i] = dyn.rates()
            size = 0.0
            if constrained:
                left = (gap - h * (RADAU @ rate)) * positions
                right[:n_v] = 0.0
                for i in range(3):
                    np.negative(left[i], out=right[n_v:])
                    y = matrix.solve_real(right)[:n_v]
                    stages.Y[i] += y
                    size = max(size, dyn.size_of(y))
            right[:n_v] = -w * (REAL_LEFT @ r)
            pair[:n_v] = -z * (COMPLEX_LEFT @ r)
            right[n_v:] = -(REAL_LEFT @ rate)
            pair[n_v:] = -(COMPLEX_LEFT @ rate)
            one = matrix.solve_real(right).copy()
            two = matrix.solve_complex(pair)
            change = by_stage(one[:n_v], two[:n_v])
            stages.V += change
            stages.lam += by_stage(one[n_v:] / w, two[n_v:] / z)
            for i in range(3):
                size = max(size, abs(h) * dyn.size_of(np.ascontiguousarray(change[i])))
            if not size < 1e6:
                raise _Failed(StepStatus.DIVERGED, 0.5, number)
            if number == 1 and size > floor:
                last = size
                continue
            p = size / last if last > 0.0 else 0.0
            stages.rate = max(p, stages.rate) if number < 4 else p
            if size <= floor or (p >= 0.5 and size <= 100.0 * floor):
                self._finish(stages, state, h)
                return
            if p >= 1.0 and number > 2:
                raise _Failed(StepStatus.DIVERGED, 0.5, number)
            if p < 1.0:
                sure = max(p, UNSURE) if number == 2 else p
                left_over = size * sure / (1.0 - sure)
                if left_over <= self.limit and self._settled(stages, state, change):
                    self._finish(stages, state, h)
                    return
                expected = left_over * p ** (most - 1 - number) / self.limit
                if expected >= 1.0 and number > 2:
                    factor = 0.8 * min(20.0, expected) ** (-1.0 / (4.0 + most - 1 - number))
                    raise _Failed(StepStatus.SLOW, factor, number)
            last = size
        raise _Failed(StepStatus.SLOW, 0.5, most)

    def _finish(self, stages: _Stages, state: StepState, h: float) -> None:
        """Increments and accelerations after the last change."""
        np.matmul(RADAU_INVERSE, stages.V, out=stages.a)
        stages.a /= h
        increments(h, RADAU, state.v + stages.V, stages.Y, self.dynamics.n_linear, stages.theta)

    def _settled(self, stages: _Stages, state: StepState, change: FloatArray) -> bool:
        """Whether the last changes of first-order states are small against the states, each in its own unit."""
        k = self.dynamics.states
        if not len(k):
            return True
        size = np.abs(state.v[k]) + np.abs(stages.V[:, k]).max(axis=0)
        return bool(np.all(np.abs(change[:, k]).max(axis=0) <= max(STATES, self.limit) * size))

    def _estimate(self, stages: _Stages, state: StepState, h: float) -> float:
        """Error of positions and velocities over the tolerance: the embedded formula, filtered by the real matrix."""
        dyn, w = self.dynamics, h / REAL
        n_v = dyn.n_v
        right = np.zeros(n_v + dyn.n_c)
        slope = state.v + ESTIMATE @ stages.theta / h
        right[:n_v] = w * (dyn.mass_matrix @ (state.a + ESTIMATE @ stages.V / h))
        right -= (w * w) * self.matrix.stiffness_times(slope)
        speed = self.matrix.solve_real(right)[:n_v].copy()
        size = max(dyn.size_of(w * (speed + slope)), abs(h) * dyn.size_of(speed))
        return size / self.tolerance if math.isfinite(size) else math.inf

    def _close(self, stages: _Stages, state: StepState, h: float) -> tuple[FloatArray, FloatArray]:
        """The end of the step, with what Newton's method has left of the constraints taken off."""
        dyn, matrix = self.dynamics, self.matrix
        n_v, n_c, w = dyn.n_v, dyn.n_c, h / REAL
        theta, v1 = stages.theta[2], state.v + stages.V[2]
        q1, right = np.empty(dyn.n_q), np.zeros(n_v + n_c)
        positions = dyn.velocity_rows == 0
        retract(state.q, theta, dyn.n_linear, q1)
        for number in range(CLOSINGS):
            out = dyn.residual(q1, v1, stages.a[2], stages.lam[2])
            if not n_c:
                return q1, v1
            rate, gap = dyn.rates(), out[n_v:] * positions
            speed = largest(v1, 0) * max(1.0, dyn.length)
            if largest(gap, 0) <= CLOSED * dyn.length and largest(rate, 0) <= RATE_CLOSED * speed + CLOSED * dyn.length:
                break
            if number == CLOSINGS - 1:
                break
            right[n_v:] = -gap
            y = matrix.solve_real(right)[:n_v].copy()
            right[n_v:] = -rate
            v1 = v1 + matrix.solve_real(right)[:n_v]
            theta = theta + y
            retract(state.q, theta, dyn.n_linear, q1)
        if largest(gap, 0) > 1e-7 * dyn.length:
            raise _Failed(StepStatus.SLOW, 0.5, stages.iterations)
        return q1, v1

    def _factor(self, error: float, h: float, memory: RadauMemory | None, stages: _Stages) -> float:
        """The next step over this one; the predictive controller after two steps."""
        most = self.scheme.most
        safety = min(SAFETY, SAFETY * (1.0 + 2.0 * most) / (stages.iterations + 2.0 * most))
        error = max(error, 1e-10)
        factor = safety * error**-0.25
        if memory is not None and error <= 1.0:
            predicted = SAFETY * abs(h / memory.h) * (memory.error / (error * error)) ** 0.25
            factor = min(factor, predicted)
        elif memory is None and error > 1.0:
            return 0.1
        return min(GROW, max(SHRINK, factor))

    def _near(self, at: StepState, q: FloatArray) -> bool:
        """Whether no body has turned far from where the Jacobian was made."""
        dyn = self.dynamics
        way = np.empty(dyn.n_v)
        local(at.q, q, dyn.n_linear, way)
        return largest_turn(way, dyn.n_linear, dyn.angles_of_bodies) < TURN
