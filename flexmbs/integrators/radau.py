r"""Radau IIA with three stages, order 5, on the manifold, in the stabilised index-2 form (Gear, Gupta, Leimkuhler).

In the chart at the start of a step, :math:`q = q_n \circ \exp\theta`, with velocities v and two sets of multipliers,

.. math:: \dot\theta = T^{-1}(\theta)\, v + N \eta, \qquad M \dot v + f(q, v, t) + G^T \lambda = 0, \qquad
   g(q, t) = 0, \qquad G v + g_t = 0

is an equation of index 2 of which the three stages are collocated. The directions :math:`N = W^{-1} G^T`, in which
:math:`\eta` (zero but for errors) keeps the positions on their constraints, are those of the real matrix of Newton's
method and do not change within a step. The method is stiffly accurate: the last stage is the end of the step, so that
both constraints hold there. E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (2nd ed. 1996), sections
IV.8 and VII.4; E. Hairer, C. Lubich, M. Roche, The Numerical Solution of Differential-Algebraic Systems by Runge-Kutta
Methods (1989): order 5 in positions and velocities, 3 in the multipliers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.integrators.collocation import (
    ESTIMATE,
    FROM_START,
    NODES,
    REAL,
    CollocationInterpolant,
    through,
)
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.radau_matrix import RadauMatrix
from flexmbs.integrators.radau_memory import RadauMemory
from flexmbs.integrators.radau_newton import NotConvergedError, RadauNewton, Stages
from flexmbs.integrators.stepper import TURN, Stepper, turned_too_far
from flexmbs.kernels.steps import largest_turn, local, retract
from flexmbs.system.refusals import refuse_searched

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["RadauIIA"]

EPS = float(np.finfo(float).eps)
FIXED = 1e-11
"""Error of Newton's method in steps of fixed size, over the size of a body."""
LOOSEST = 1e-7
"""The same with error control at most: what is left along stiff directions is a large force."""
KEEP = 1e-3
"""Rate of convergence up to which the Jacobian is kept for the next step."""
FOREMOST = 0.7
"""Where in the step the Jacobian is made, over the step: in the middle of the last two stages and the end."""
SAFETY, SHRINK, GROW = 0.9, 0.125, 5.0
BRISK = 0.1
"""Rate of convergence from which steps do not grow; it rises with the square of the step or faster."""
SAME = 1.2
"""Growth of a step up to which it stays as it is where the factors can then be used again."""


@dataclass(frozen=True, kw_only=True)
class RadauIIA:
    r"""Radau IIA of order 5: for stiff systems, and for small errors.

    .. math:: \dot\theta = T^{-1}(\theta)\, v + N \eta, \quad M \dot v + f + G^T \lambda = 0, \quad g = 0, \quad
       G v + g_t = 0

    are collocated in three stages. E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (2nd ed. 1996),
    sections IV.8 and VII.4.

    Numerical damping: what is not resolved is gone after a step (L-stable). With `ErrorControl` the steps are chosen by
    an embedded formula of order 3 that is filtered by the real matrix, and by the predictive controller of
    K. Gustafsson.

    Parameters
    ----------
    max_iterations : int
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
    velocities. Since the estimate is of a lower order than the solution, the tolerance r of error control is applied to
    it as :math:`r^{2/3}/10` where that is larger, as in the program RADAU5. First-order states do not enter the
    estimate.

    Every step solves three stages at once, with a real and a complex matrix: for low accuracy `GeneralizedAlpha` is
    faster. Vibrations that are not resolved are damped out; to keep them, take small steps or another scheme.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="ball")
    >>> rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0, 0.0)), ball.centre, name="rod")
    >>> model = fx.Model(ball, rod, fx.Gravity((0.0, 0.0, -9.81)))
    >>> run = fx.simulate(model, until=2.0, integrator=fx.RadauIIA())
    >>> len(run) < 80, bool(abs(run.energy.balance).max() < 1e-5), bool(run.residuals[:, :2].max() < 1e-11)
    (True, True, True)
    """

    max_iterations: int = 10
    strictness: float = 0.03
    order: int = field(init=False, default=5)
    index: int = field(init=False, default=2)
    reference: str = field(init=False, default="Hairer and Wanner 1996, IV.8; Hairer, Lubich and Roche 1989")

    def __post_init__(self) -> None:
        as_count("RadauIIA", "max_iterations", self.max_iterations, minimum=3)
        as_number("RadauIIA", "strictness", self.strictness, above=0.0, maximum=0.3)

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Refuses contacts that are searched, and bodies whose mass changes: the stages share one mass matrix."""
        refuse_searched(dynamics.system, "RadauIIA")
        model = dynamics.system.model
        bodies = [body for group in dynamics.coordinates.groups if group.moving is not None for body in group.bodies]
        if bodies:
            raise ModelError(
                f"RadauIIA: model {model.name!r}: {bodies[0]} has a mass that changes, and the stages "
                f"share one. Take GeneralizedAlpha(), BDF(max_order=2) or RungeKutta(...)."
            )

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """State at t with the accelerations and multipliers that agree with it."""
        a, lam = accelerations(dynamics, t, q, v)
        return StepState(t, q, v, a, a, lam, v, 0.0)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> _Stepper:
        """What makes the steps; ``tolerance`` of error estimates, relative to the size of the positions."""
        return _Stepper(self, dynamics, tolerance)


class _Stepper(Stepper):
    """Steps on one system. All that decides about a step is in the state: the Jacobian kept, too, can be made anew."""

    again = (StepStatus.DIVERGED, StepStatus.SLOW)
    most_attempts = 2
    retreat = 0.25

    def __init__(self, scheme: RadauIIA, dynamics: Dynamics, tolerance: float) -> None:
        super().__init__(scheme, dynamics, tolerance)
        controlled = tolerance < 1.0
        self.tolerance = max(tolerance, 0.1 * tolerance ** (2.0 / 3.0)) if controlled else tolerance
        share = min(scheme.strictness, math.sqrt(self.tolerance))
        self.limit = min(LOOSEST, max(share * self.tolerance, 100.0 * EPS)) if controlled else FIXED
        self.matrix = RadauMatrix(dynamics)
        self.newton = RadauNewton(dynamics, self.matrix, scheme.max_iterations, self.limit)

    @property
    def jacobians(self) -> int:
        """Linearisations so far."""
        return self.matrix.jacobians

    def forget(self) -> None:
        self.matrix.forget()

    def between(self, old: StepState, new: StepState) -> CollocationInterpolant:
        """The collocation polynomial."""
        m = RadauMemory.of(new.memory, self.dynamics)
        assert m is not None  # noqa: S101
        return CollocationInterpolant(old, new, self.dynamics.n_linear, m.theta, m.v, m.a, m.lam)

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        """A step, and where it fails another one: with another matrix, or from another guess."""
        memory = RadauMemory.of(state.memory, self.dynamics)
        if before is None:
            self._stages, at = Stages(self.dynamics, state), state
            if memory is not None:
                self._extrapolate(self._stages, state, h, memory)
                at = memory.jacobian if memory.keep else self._ahead(self._stages, state, h)
        elif before.status is StepStatus.SLOW:  # with the matrix of where it was going
            at = self._ahead(self._stages, state, h)
            self._stages.Y[:] = 0.0
        else:  # extrapolation may be what was wrong
            self._stages, at = Stages(self.dynamics, state), state
        try:
            return self._attempt(state, h, memory, self._stages, at)
        except NotConvergedError as failed:
            return StepResult(None, math.inf, failed.iterations, failed.status, factor=failed.factor)

    def _attempt(
        self, state: StepState, h: float, memory: RadauMemory | None, stages: Stages, at: StepState
    ) -> StepResult:
        """A step from a guess of its stages, with the Jacobian at the state ``at``."""
        dyn, matrix = self.dynamics, self.matrix
        if not matrix.is_at(at):
            matrix.linearise(at)
        matrix.factorise(h)
        if dyn.compliant:  # else what every iteration adds there would add up over the steps
            for i in range(3):
                stages.lam[i] = matrix.least(stages.lam[i])
        self.newton.solve(stages, state, h)
        error = self._estimate(stages, state, h)
        q1, v1 = self.newton.close(stages, state, h)
        if turned_too_far(dyn, stages.theta[2]):
            raise NotConvergedError(StepStatus.TURNED, 0.5, stages.iterations)
        factor = self._factor(error, h, memory, stages)
        keep = stages.rate <= KEEP and self._near(at, q1)
        if keep and 1.0 <= factor <= SAME:
            factor = 1.0
        new = RadauMemory(
            keep, h, max(1e-2, error), factor * h, stages.theta[:2], stages.V[:2], stages.a[:2], stages.lam[:2],
            at if keep else None,
        )  # fmt: skip
        result = StepState(
            state.t + h, q1, v1, stages.a[2].copy(), stages.a[2].copy(), stages.lam[2].copy(), state.v, h,
            new.pack(dyn),
        )  # fmt: skip
        return StepResult(result, error, stages.iterations, StepStatus.DONE, exponent=0.25, factor=factor)

    def at_onset(self, state: StepState) -> StepState:
        """Without the polynomials of the step before, which say nothing of the forces from here on."""
        return state._replace(memory=np.empty(0))

    def _extrapolate(self, stages: Stages, state: StepState, h: float, memory: RadauMemory) -> None:
        """The polynomials of the step before, prolonged."""
        old_h = state.h_old
        v = np.vstack((state.v_old, state.v_old + memory.v, state.v))
        lam = np.vstack((memory.lam, state.lam))
        for i, c in enumerate(NODES):
            s = 1.0 + c * h / old_h
            stages.V[i] = through(FROM_START, s) @ v - state.v
            if lam.shape[1]:
                stages.lam[i] = through(NODES, s) @ lam

    def _ahead(self, stages: Stages, state: StepState, h: float) -> StepState:
        """A state within the step that is expected, whose Jacobian suits all stages."""
        n_linear = self.dynamics.n_linear
        stages.follow(state, h, n_linear)
        weights = through(FROM_START, FOREMOST)[1:]
        q = np.empty_like(state.q)
        retract(state.q, weights @ stages.theta, n_linear, q)
        v, lam = state.v + weights @ stages.V, through(NODES, FOREMOST) @ stages.lam
        return StepState(state.t + FOREMOST * h, q, v, stages.a[1].copy(), stages.a[1].copy(), lam, state.v, 0.0)

    def _estimate(self, stages: Stages, state: StepState, h: float) -> float:
        """Error of positions and velocities over the tolerance: the embedded formula, filtered by the real matrix."""
        dyn, w = self.dynamics, h / REAL
        n_v = dyn.n_v
        right = np.zeros(n_v + dyn.n_c)
        slope = state.v + ESTIMATE @ stages.theta / h
        right[:n_v] = w * (dyn.mass_matrix @ (state.a + ESTIMATE @ stages.V / h))
        right -= (w * w) * self.matrix.stiffness_times(slope)
        speed = self.matrix.solve_real(right)[:n_v].copy()
        size = float(np.max((dyn.size_of(w * (speed + slope)), abs(h) * dyn.size_of(speed))))
        return size / self.tolerance if math.isfinite(size) else math.inf

    def _factor(self, error: float, h: float, memory: RadauMemory | None, stages: Stages) -> float:
        """The next step over this one; the predictive controller after two steps."""
        most = self.scheme.max_iterations
        safety = min(SAFETY, SAFETY * (1.0 + 2.0 * most) / (stages.iterations + 2.0 * most))
        error = max(error, 1e-10)
        factor = safety * error**-0.25
        if memory is not None and error <= 1.0:
            predicted = SAFETY * abs(h / memory.h) * (memory.error / (error * error)) ** 0.25
            factor = min(factor, predicted)
        elif memory is None and error > 1.0:
            return 0.1
        if error <= 1.0:  # grow no faster than Newton's method can follow
            factor = min(factor, max(1.0, math.sqrt(BRISK / max(stages.rate, 1e-10))))
            if memory is not None and abs(h) < 0.9 * abs(memory.proposed):
                factor = min(factor, 1.0)
        return float(min(GROW, max(SHRINK, factor)))

    def _near(self, at: StepState, q: FloatArray) -> bool:
        """Whether no body has turned far from where the Jacobian was made."""
        dyn = self.dynamics
        way = np.empty(dyn.n_v)
        local(at.q, q, dyn.n_linear, way)
        return largest_turn(way, dyn.n_linear, dyn.angles_of_bodies) < TURN
