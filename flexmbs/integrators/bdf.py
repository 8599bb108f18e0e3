r"""Backward differentiation of variable order and step for the stabilised index-2 form.

With the polynomial through the last positions, seen in the chart at the last of them, and its value :math:`\theta^P`
and rate at the new time, the position :math:`q_{n+1} = q_n \circ \exp\theta` of a step has the rate

.. math:: \dot\theta = \dot\theta^P + \alpha\,(\theta - y - \theta^P), \qquad v = T(\theta)\,\dot\theta, \qquad
   \dot v = \dot v^P + \alpha\,(v - v^P), \qquad \alpha = \sum_{j=1}^{k} \frac{1}{t_{n+1} - t_{n+1-j}},

the formula of order k with variable coefficients. The equations of motion and :math:`G v + g_t = 0` hold at the new
time, and so does g = 0 by the correction y, the least one in the metric of the iteration matrix, which does not enter
the velocity (the stabilisation of C. W. Gear, B. Leimkuhler, G. K. Gupta, J. Comput. Appl. Math. 12/13 (1985) 77-90, in
another metric). Order and step are chosen from estimates of the local error at neighbouring orders, as in K. E. Brenan,
S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value Problems in Differential-Algebraic Equations, SIAM
1996, chapter 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from flexmbs.core.checks import as_count, as_flag, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.bdf_dense import Polynomial
from flexmbs.integrators.bdf_history import History, past_of
from flexmbs.integrators.bdf_motion import add, motion
from flexmbs.integrators.bdf_order import CALM, FACTOR, NUMBERS, ORDER, RISING, TARGET, choose, longest_step
from flexmbs.integrators.bdf_order import size_of_change as size_of
from flexmbs.integrators.bdf_plan import ACCELERATION, POSITION, RATE, VELOCITY, Plan
from flexmbs.integrators.bdf_step import CONVERGED, FIXED_CONVERGED, STATES, advance
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.driven import Driven
from flexmbs.integrators.implicit_step import CLOSED, DONE, ENDS, EPS, FAR, MET, MET_RATE, settled
from flexmbs.integrators.iteration_matrix import CorrectorOptions, IterationMatrix
from flexmbs.integrators.stepper import Stepper, turned_too_far
from flexmbs.kernels.steps import hold_back, largest_gap, largest_part, position_norm, put_back, retract, yielded

__all__ = ["BDF", "Backward"]

HIGHEST = 5
"""Largest order."""
LEAST_DAMPING = {2: 0.0} | {k: math.cos(math.radians(a)) for k, a in ((3, 86.03), (4, 73.35), (HIGHEST, 51.84))}
"""Damping ratio from which an order is stable for a vibration whatever the step, by its angle of stability."""
DIVIDED = {4: (8, 4, 2), 5: (16, 8, 4, 2)}
"""Parts of the first fixed steps, by order: the very first step has an error of order 3 whatever that of the others."""


@dataclass(frozen=True, kw_only=True)
class BDF:
    r"""Backward differentiation formulas of order 1 to 5 with variable order and step.

    .. math:: \dot\theta = \dot\theta^P + \alpha\,(\theta - y - \theta^P), \qquad \dot v = \dot v^P + \alpha\,(v - v^P)

    Made for `ErrorControl`, with which it takes few steps for smooth motions at tolerances of 1e-6 and below, and for
    stiff forces and controllers, which it damps strongly. Constraints hold for positions and for velocities.

    Parameters
    ----------
    max_order : int, optional
        Largest order, 1 to 5. From order 3 on the formulas amplify vibrations of little damping that take less than
        some ten steps. By default it is 2 for models with flexible bodies that have no damping or, of reduced bodies,
        a mode with less than 7 % of the critical one; 3 and 4 below 29 % and 62 %; and 5 for all others.
    corrector : CorrectorOptions
        How the matrix of the iteration is come by.
    compiled : bool, optional
        Whether steps are made by a compiled driver, which gives the same numbers faster (docs/theory/compiled_driver);
        left out, where nothing prevents it and the run is long enough. With True what prevents it is an error.

    Raises
    ------
    ModelError
        If a value is out of bounds, or ``compiled`` neither True nor False.

    Notes
    -----
    With fixed steps every step has the largest order: the first one is made by the trapezoidal rule, of order 2 in one
    step, and from order 4 on the first three or four steps are divided (into 8, 4, 2 parts; 16, 8, 4, 2 for order 5),
    so that the start does not spoil the order. After every jump of a force the formulas start again; for controllers
    with many samples take `GeneralizedAlpha`.

    The local error of positions, and h times that of velocities, is what is controlled; accelerations and multipliers
    are not. Orders above 2 have angles of stability of 86, 73 and 52 degrees (orders 3 to 5).

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(1.0, 0.0), name="ball")
    >>> rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")
    >>> model = fx.Model(ball, rod, fx.Gravity((0.0, -9.81)))
    >>> run = fx.simulate(model, 0.5, step=fx.ErrorControl(rtol=1e-7), integrator=fx.BDF())
    >>> bool(abs(run.position(ball)[-1, 0] - 0.391048791550546) < 1e-4)
    True
    """

    max_order: int | None = None
    corrector: CorrectorOptions = field(default_factory=CorrectorOptions)
    compiled: bool | None = None
    index: int = field(init=False, default=2)
    reference: str = field(init=False, default="Gear, Leimkuhler and Gupta 1985; Brenan, Campbell and Petzold 1996")

    def __post_init__(self) -> None:
        if self.max_order is not None and as_count("BDF", "max_order", self.max_order, minimum=1) > HIGHEST:
            raise ModelError(
                f"BDF: max_order must be 1 to {HIGHEST}, not {self.max_order}: order 6 is hardly stable, and 7 not "
                f"at all. For a higher accuracy lower the tolerance of ErrorControl, or take RadauIIA()."
            )
        if not isinstance(self.corrector, CorrectorOptions):
            raise ModelError(f"BDF: corrector must be CorrectorOptions, not {show(self.corrector)}.")
        if self.compiled is not None:
            as_flag("BDF", "compiled", self.compiled)

    @property
    def order(self) -> int:
        """Largest order."""
        return self.max_order or HIGHEST

    def order_for(self, dynamics: Dynamics) -> int:
        """Largest order for a model."""
        ratio = dynamics.system.damping_ratio
        return self.max_order or max(k for k, least in LEAST_DAMPING.items() if ratio >= least)

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Everything can be treated."""

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """State at t without a past; accelerations of flexible bodies are smoothed as the trapezoidal rule does."""
        smooth = (0.25 * h * h, 0.5 * h) if math.isfinite(dynamics.system.damping_ratio) else (0.0, 0.0)
        a, lam = accelerations(dynamics, t, q, v, smooth)
        memory = History.begin(t, len(q), dynamics.n_c, a, h).pack(np.empty(0))
        return StepState(t, q, v, a, a, lam, v, 0.0, memory)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> Backward:
        """What makes the steps; a ``tolerance`` of 1 or more says that steps are fixed and errors only reported."""
        return Backward(self, dynamics, tolerance)


class Backward(Driven, Stepper):
    """Steps on one system, by a compiled driver or by the loop in Python.

    The operations of `bdf_step.advance` are its methods.
    """

    retreat = 0.25

    def __init__(self, scheme: BDF, dynamics: Dynamics, tolerance: float) -> None:
        from flexmbs.integrators.compiled.backward_step import BackwardForm
        from flexmbs.integrators.compiled.choice import Choice

        super().__init__(scheme, dynamics, tolerance)
        n_v = dynamics.n_v
        self.fixed = tolerance >= 1.0
        self.largest_order = scheme.order_for(dynamics)
        self.parts = np.array(DIVIDED.get(self.largest_order, ()), dtype=float)
        self.two_levels = dynamics.n_c > 0
        self.matrix = IterationMatrix(dynamics, scheme.corrector, int(self.two_levels))
        self.plan = Plan(dynamics, self.largest_order, self.fixed)
        self.residuals, self.orders = 0, [0] * (HIGHEST + 1)
        self.most, self.slow = scheme.corrector.max_iterations, self.matrix.slow
        self.closed = CLOSED if self.fixed else MET
        self._held, self._dx, self._dy = np.empty(n_v), np.empty(n_v), np.zeros(n_v)
        self._theta, self._y, self._Q = np.empty(n_v), np.empty(n_v), np.zeros_like(dynamics.T)
        self._rate_gap = 0.0
        self.choice = Choice(dynamics, scheme, tolerance, BackwardForm(self))

    @property
    def counts(self) -> dict[str, float]:
        """Work so far: residuals of iterations, what the matrix cost, and the steps made with each order."""
        found: dict[str, float] = {"residuals": self.residuals, "groups": self.matrix.groups, **self.matrix.counts}
        return found | {f"steps_of_order_{k}": n for k, n in enumerate(self.orders) if n}

    def forget(self) -> None:
        """Drop the factors; they are made again as the state says."""
        self.matrix.forget()

    def drop(self) -> None:
        self.matrix.drop()

    def longest(self, state: StepState) -> float:
        """Step in which no body turns too far, and what the start asks for.

        That is the parts of the first fixed steps, or a first step whose error is half the tolerance, and growth from
        there.
        """
        dyn = self.dynamics
        past, _ = past_of(state, 0.0, dyn.n_q, dyn.n_v)
        size = 0.0 if self.fixed or len(past.t) else dyn.size_of(state.a)
        return longest_step(
            super().longest(state), self.fixed, len(past.t), past.target, state.t - past.origin, self.parts, size,
            self.tolerance,
        )  # fmt: skip

    def at_onset(self, state: StepState) -> StepState:
        """As at the start of a run: points of a long flight say nothing of the forces from here on."""
        return state._replace(h_old=0.0, memory=np.empty(0))

    def between(self, old: StepState, new: StepState) -> Polynomial:
        """The polynomial of the formula."""
        return Polynomial(old, new, self.dynamics.n_linear)

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        dyn, plan = self.dynamics, self.plan
        history, point = past_of(state, h, dyn.n_q, dyn.n_v)
        plan.lay(state, h, history)
        self.state, self.h, self.t = state, h, state.t + h
        self._theta[:], self._y[:] = plan.predicted[POSITION], 0.0
        self.q1, self.v1, self.a1 = np.empty(dyn.n_q), np.empty(dyn.n_v), np.empty(dyn.n_v)
        self.lam = state.lam.copy()
        size = max(1.0, position_norm(state.q, dyn.mass, dyn.n_linear) / max(dyn.position_size, 1e-300))
        self.floor, self.far = 8.0 * EPS * size, FAR * size
        self.renew = not (self.matrix.restore(point) and self.matrix.serves(plan.alpha, self.t))
        dyn.set_time(self.t)
        self._move()
        status, number = advance(self)
        if status != DONE:
            return self.failed(ENDS[status], number)
        return self._accept(history, number)

    def _move(self) -> None:
        """Positions, velocities, accelerations at the increment, and the metric of further ones."""
        dyn, plan, n_linear = self.dynamics, self.plan, self.dynamics.n_linear
        predicted = plan.predicted
        motion(
            self._theta, self._y, predicted[POSITION], predicted[RATE], predicted[VELOCITY], predicted[ACCELERATION],
            plan.alpha, n_linear, self.v1, self.a1, dyn.T, self._Q,
        )  # fmt: skip
        retract(self.state.q, self._theta, n_linear, self.q1)

    # --- what `bdf_step.advance` asks for ---------------------------------------------------------------------------

    def linearise(self) -> bool:
        began = perf_counter()
        self.matrix.evaluate(self.t, self.q1, self.v1, self.a1, self.lam, self.plan.alpha)
        self.dynamics.seconds["evaluation"] += perf_counter() - began
        return False

    def evaluate(self) -> bool:
        dyn, began = self.dynamics, perf_counter()
        dyn.residual(self.q1, self.v1, self.a1, self.lam)
        self.residuals += 1
        dyn.seconds["evaluation"] += perf_counter() - began
        return False

    def violation(self) -> float:
        dyn = self.dynamics
        return largest_gap(dyn.r, dyn.n_v, dyn.equation_sizes, dyn.velocity_rows, self.h)

    def correct(self, number: int) -> float:
        """One correction, with constraints in two levels, as in the stabilised form of generalized-alpha.

        First the correction y of the positions by what the increment of the motion will leave of g, then that increment
        itself; G v + g_t is met by the motion, with what y does to it.
        """
        dyn, alpha = self.dynamics, self.plan.alpha
        wa = alpha * alpha
        if self.two_levels:
            rate = dyn.rates()
            self._rate_gap = largest_part(rate, dyn.equation_sizes)
            hold_back(dyn.r, rate, dyn.velocity_rows, dyn.n_v, alpha, self._held)
            y = dyn.solve(0.0, 1.0, 1.0)[: dyn.n_v]
            self.matrix.rate_coupling(y, rate)
            self._dy[:] = 0.0
            put_back(self._held, rate, dyn.n_v, y, dyn.r, self._dy)
        if number == 1:
            yielded(self.lam, dyn.multiplier_compliance, dyn.velocity_rows, dyn.n_v, 1.0 / wa, 1.0 / wa, dyn.r)
        d = dyn.solve(1.0 / wa, -1.0, -1.0)
        add(d, self._dy, self._Q, self.matrix.scale(alpha), wa, dyn.n_linear, self._theta, self._y, self._dx, self.lam)
        self._move()
        return dyn.size_of(self._dx) + dyn.size_of(self._dy)

    def allowed(self) -> float:
        if not self.fixed:
            return CONVERGED * self.tolerance
        dyn, plan = self.dynamics, self.plan
        changed = size_of(
            self._theta, plan.predicted[POSITION], dyn.mass, dyn.body_of, dyn.body_sizes, plan.sums, plan.change
        )  # fmt: skip
        return FIXED_CONVERGED * changed

    def rates_met(self) -> bool:
        if not self.two_levels:
            return True
        speed = largest_part(self.v1, self.dynamics.velocity_sizes)
        return self._rate_gap <= MET_RATE * speed + MET / abs(self.h)

    def settled(self) -> bool:
        dyn = self.dynamics
        resolutions = dyn.system.state_resolutions
        return settled(dyn.states, resolutions, self._dx, self.v1, self.a1, self.plan.alpha, self.h, STATES)

    def turned(self) -> bool:
        return turned_too_far(self.dynamics, self._theta)

    # --- the end of a step ------------------------------------------------------------------------------------------

    def _accept(self, history: History, iterations: int) -> StepResult:
        """The new state with its error, and what comes next."""
        dyn, state, plan, h = self.dynamics, self.state, self.plan, self.h
        now, then = np.zeros(len(NUMBERS)), np.zeros(len(NUMBERS))
        now[CALM], now[RISING], now[TARGET] = history.calm, history.rising, history.target
        error = choose(
            now, len(history.t), self.largest_order, self.fixed, plan.order, plan.n, h, self.tolerance, plan.constants,
            plan.values, self._theta, self.v1, dyn.mass, dyn.body_of, dyn.body_sizes, plan.sums, plan.change, then,
        )  # fmt: skip
        self.made(plan.order, error)
        past = history.after(state, int(then[ORDER]), int(then[CALM]), bool(then[RISING]), float(then[TARGET]))
        memory = past.pack(self.matrix.point)
        new = StepState(self.t, self.q1, self.v1, self.a1, self.a1, self.lam, state.v, h, memory)
        factor = None if self.fixed else float(then[FACTOR])
        return StepResult(new, error, iterations, StepStatus.DONE, factor=factor)

    def made(self, order: int, error: float) -> None:
        """Count a step, if its error allows it."""
        if self.fixed or error <= 1.0:
            self.orders[order] += 1
