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

from flexmbs.core.checks import as_count, as_flag, as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.driven import Driven
from flexmbs.integrators.implicit_step import DONE, ENDS
from flexmbs.integrators.radau_dense import CollocationInterpolant
from flexmbs.integrators.radau_matrix import RadauMatrix
from flexmbs.integrators.radau_memory import RadauMemory
from flexmbs.integrators.radau_newton import RadauNewton
from flexmbs.integrators.radau_stages import EXPONENT, KEEP, LATEST, next_factor
from flexmbs.integrators.radau_step import advance
from flexmbs.integrators.stepper import TURN, Stepper
from flexmbs.kernels.steps import largest_turn, local
from flexmbs.system.refusals import refuse_searched

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["RadauIIA"]

EPS = float(np.finfo(float).eps)
FIXED = 1e-11
"""Error of Newton's method in steps of fixed size, over the size of a body."""
LOOSEST = 1e-7
"""The same with error control at most: what is left along stiff directions is a large force."""


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
    compiled : bool, optional
        Whether steps are made by a compiled driver, which gives the same numbers faster (docs/theory/compiled_driver);
        left out, where nothing prevents it and the run is long enough. With True what prevents it is an error.

    Raises
    ------
    ModelError
        If a value is out of bounds, or ``compiled`` neither True nor False.

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
    compiled: bool | None = None
    order: int = field(init=False, default=5)
    index: int = field(init=False, default=2)
    reference: str = field(init=False, default="Hairer and Wanner 1996, IV.8; Hairer, Lubich and Roche 1989")

    def __post_init__(self) -> None:
        as_count("RadauIIA", "max_iterations", self.max_iterations, minimum=3)
        if self.compiled is not None:
            as_flag("RadauIIA", "compiled", self.compiled)
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

    def stepper(self, dynamics: Dynamics, tolerance: float) -> Collocating:
        """What makes the steps; ``tolerance`` of error estimates, relative to the size of the positions."""
        return Collocating(self, dynamics, tolerance)


class Collocating(Driven, Stepper):
    """Steps on one system, by a compiled driver or by the loop in Python.

    All that decides about a step is in the state: the Jacobian kept, too, can be made anew.
    """

    def __init__(self, scheme: RadauIIA, dynamics: Dynamics, tolerance: float) -> None:
        from flexmbs.integrators.compiled.choice import Choice
        from flexmbs.integrators.compiled.collocated_form import CollocatedForm

        super().__init__(scheme, dynamics, tolerance)
        controlled = tolerance < 1.0
        self.tolerance = max(tolerance, 0.1 * tolerance ** (2.0 / 3.0)) if controlled else tolerance
        share = min(scheme.strictness, math.sqrt(self.tolerance))
        self.limit = min(LOOSEST, max(share * self.tolerance, 100.0 * EPS)) if controlled else FIXED
        self.most = scheme.max_iterations
        self.matrix = RadauMatrix(dynamics)
        self.newton = RadauNewton(dynamics, self.matrix, self.most, self.limit, self.tolerance)
        self._way = np.empty(dynamics.n_v)
        self.choice = Choice(dynamics, scheme, tolerance, CollocatedForm(self))

    @property
    def jacobians(self) -> int:
        """Linearisations so far."""
        return self.matrix.jacobians

    def forget(self) -> None:
        self.matrix.forget()

    def between(self, old: StepState, new: StepState) -> CollocationInterpolant:
        """The collocation polynomial."""
        return CollocationInterpolant(old, new, self.dynamics.n_linear)

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        """A step, and where it fails another one: with another matrix, or from another guess."""
        newton = self.newton
        newton.begin(state, h)
        status, number, spent, rate, error, back = advance(newton)
        if status != DONE:
            return StepResult(None, math.inf, spent, ENDS[status], factor=back)
        memory, at = newton.memory, newton.at
        keep = rate <= KEEP and self._near(at, newton.q1)
        known = (False, h, 1.0, h) if memory is None else (True, memory.h, memory.error, memory.proposed)
        factor = float(next_factor(error, h, *known, number, self.most, rate, keep, EXPONENT))
        stages = newton.theta[:2], newton.V[:2], newton.a[:2], newton.lam[:2]
        a, lam = newton.a[2].copy(), newton.lam[2].copy()
        kept = RadauMemory(h, max(LATEST, error), factor * h, *stages, at if keep else None)
        result = StepState(state.t + h, newton.q1, newton.v1, a, a, lam, state.v, h, kept.pack(state.q, state.v, lam))
        return StepResult(result, error, spent, StepStatus.DONE, exponent=EXPONENT, factor=factor)

    def at_onset(self, state: StepState) -> StepState:
        """Without the polynomials of the step before, which say nothing of the forces from here on."""
        return state._replace(memory=np.empty(0))

    def _near(self, at: StepState, q: FloatArray) -> bool:
        """Whether no body has turned far from where the Jacobian was made."""
        dyn = self.dynamics
        local(at.q, q, dyn.n_linear, self._way)
        return bool(largest_turn(self._way, dyn.n_linear, dyn.angles_of_bodies) < TURN)
