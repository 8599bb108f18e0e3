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
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.bdf_dense import Polynomial
from flexmbs.integrators.bdf_history import History
from flexmbs.integrators.bdf_motion import advance, motion
from flexmbs.integrators.bdf_plan import Plan
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.implicit_step import CLOSED, EPS, FAR, GROWING, MET, MET_RATE, PATIENT, settled
from flexmbs.integrators.iteration_matrix import CorrectorOptions, IterationMatrix
from flexmbs.integrators.stepper import Stepper, turned_too_far
from flexmbs.kernels.steps import hold_back, largest_gap, largest_part, position_norm, put_back, retract, yielded

__all__ = ["BDF"]

HIGHEST = 5
"""Largest order."""
LEAST_DAMPING = {2: 0.0} | {k: math.cos(math.radians(a)) for k, a in ((3, 86.03), (4, 73.35), (HIGHEST, 51.84))}
"""Damping ratio from which an order is stable for a vibration whatever the step, by its angle of stability."""
CONVERGED = 0.02
"""Error left by the iteration, over the tolerance."""
FIXED_CONVERGED = 1e-4
"""The same for fixed steps, over the change of the positions by the iteration."""
SECOND, STALLED = 0.9, 0.6
"""Rates from which the matrix is made anew after the second iteration, which owes much to multipliers that were not
predicted, and from which round-off is reached."""
STATES = 1e-6
"""Relative error of first-order states left by the iteration."""
LEAST_GAIN, MOST_GAIN = 1.2, 2.0
"""Gain of the step from which it is changed, and the largest."""
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

    Raises
    ------
    ModelError
        If a value is out of bounds.

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
        memory = History.begin(t, len(q), a, h).pack(np.empty(0))
        return StepState(t, q, v, a, a, lam, v, 0.0, memory)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> _Stepper:
        """What makes the steps; a ``tolerance`` of 1 or more says that steps are fixed and errors only reported."""
        return _Stepper(self, dynamics, tolerance)


class _Stepper(Stepper):
    """Steps on one system."""

    retreat = 0.25

    def __init__(self, scheme: BDF, dynamics: Dynamics, tolerance: float) -> None:
        super().__init__(scheme, dynamics, tolerance)
        self.fixed = tolerance >= 1.0
        self.most = scheme.order_for(dynamics)
        self.two_levels = dynamics.n_c > 0
        self.matrix = IterationMatrix(dynamics, scheme.corrector, int(self.two_levels))
        self._residuals = 0
        self._orders = [0] * (HIGHEST + 1)
        n_v = dynamics.n_v
        self._held, self._y, self._none = np.empty(n_v), np.zeros(n_v), np.zeros(n_v)
        self._Q = np.zeros_like(dynamics.T)
        self._rate_gap = 0.0

    @property
    def counts(self) -> dict[str, float]:
        """Work so far: residuals of iterations, what the matrix cost, and the steps made with each order."""
        found: dict[str, float] = {"residuals": self._residuals, "groups": self.matrix.groups, **self.matrix.counts}
        return found | {f"steps_of_order_{k}": n for k, n in enumerate(self._orders) if n}

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
        dyn, limit = self.dynamics, super().longest(state)
        past, _ = self._past(state, 0.0)
        if not self.fixed:
            if len(past.t):
                return min(limit, past.target)
            size = dyn.size_of(state.a)
            return min(limit, math.sqrt(self.tolerance / size)) if size > 0.0 else limit
        if self.most in DIVIDED and past.target > 0.0:
            parts = DIVIDED[self.most]
            number = int((state.t - past.origin) / past.target + 1e-6)
            if 0 <= number < len(parts):
                return min(limit, past.target / parts[number])
        return limit

    def _past(self, state: StepState, h: float) -> tuple[History, FloatArray]:
        """What the scheme remembers; after a step of another scheme it starts as if with steps of that size."""
        dyn = self.dynamics
        if History.is_in(state.memory):
            return History.unpack(state.memory, dyn.n_q, dyn.n_v)
        return History.begin(state.t, dyn.n_q, state.a, abs(state.h_old or h)), np.empty(0)

    def at_onset(self, state: StepState) -> StepState:
        """As at the start of a run: points of a long flight say nothing of the forces from here on."""
        return state._replace(h_old=0.0, memory=np.empty(0))

    def between(self, old: StepState, new: StepState) -> Polynomial:
        """The polynomial of the formula."""
        return Polynomial(old, new, self.dynamics.n_linear)

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        dyn = self.dynamics
        history, point = self._past(state, h)
        if len(history.t) and (state.t - history.t[0]) * h < 0.0:  # back in time there is no past
            history, point = History.begin(state.t, dyn.n_q, state.a, abs(h)), np.empty(0)
        plan = Plan(state, h, history, self.most, self.fixed, dyn)
        return self._iterate(state, h, plan, point)

    def _recall(self, lam: FloatArray, position: float, velocity: float) -> None:
        """What the guess of the multipliers has yielded, into the constraints; later iterations close them."""
        dyn = self.dynamics
        yielded(lam, dyn.multiplier_compliance, dyn.velocity_rows, dyn.n_v, position, velocity, dyn.r)

    def _iterate(self, state: StepState, h: float, plan: Plan, point: FloatArray) -> StepResult:
        dyn, matrix, t = self.dynamics, self.matrix, state.t + h
        n_v, n_linear = dyn.n_v, dyn.n_linear
        alpha = plan.alpha
        wa = alpha * alpha
        theta, y, none = plan.theta_p.copy(), np.zeros(n_v), self._none
        q1, v1, a1, lam = np.empty(dyn.n_q), np.empty(n_v), np.empty(n_v), state.lam.copy()
        size_of_all = max(1.0, position_norm(state.q, dyn.mass, n_linear) / max(dyn.position_size, 1e-300))
        floor = 8.0 * EPS * size_of_all
        fresh = not (matrix.restore(point) and matrix.serves(alpha, t))
        renewed = False
        last = math.inf
        closed = CLOSED if self.fixed else MET
        dyn.set_time(t)
        for number in range(1, self.scheme.corrector.max_iterations + 1):
            began = perf_counter()
            self._move(state, plan, theta, y, q1, v1, a1)
            if fresh:
                matrix.evaluate(t, q1, v1, a1, lam, alpha)
                fresh, renewed = False, True
            else:
                dyn.residual(q1, v1, a1, lam)
                self._residuals += 1
            dyn.seconds["evaluation"] += perf_counter() - began
            gap = largest_gap(dyn.r, n_v, dyn.equation_sizes, dyn.velocity_rows, h) if self.two_levels else 0.0
            dy = none
            if self.two_levels:
                dy = self._correction(alpha)
                if number == 1:
                    self._recall(lam, 1.0 / wa, 1.0 / wa)
                x = dyn.solve(1.0 / wa, -1.0, -1.0)
            else:
                if number == 1:
                    self._recall(lam, -1.0 / wa, -alpha / wa)
                x = dyn.solve(1.0 / wa, 1.0, 1.0 / alpha)
            x = x * matrix.scale(alpha)
            lam += wa * x[n_v:]
            x = x[:n_v]
            advance(theta, y, x, dy, self._Q, n_linear)
            size = dyn.size_of(x) + dyn.size_of(dy)
            if not size < FAR * size_of_all:
                return self.failed(StepStatus.DIVERGED, number)
            rate = size / last if last > 0.0 else 0.0
            wanted = CONVERGED * self.tolerance
            if self.fixed:
                wanted = FIXED_CONVERGED * dyn.size_of(theta - plan.theta_p)
            small = number > 1 and rate < 1.0 and size * rate <= wanted * (1.0 - rate)
            small = small or (number == 1 and not self.fixed and size <= 0.3 * wanted)
            done = size <= floor or (small and gap <= closed)
            done = done or (number > 2 and rate > STALLED and size <= 30.0 * floor)
            done = done and gap <= MET and self._rates_met(v1, h)
            done = done and settled(dyn.states, dyn.system.state_resolutions, x, v1, a1, alpha, h, STATES)
            if done and turned_too_far(dyn, theta):
                return self.failed(StepStatus.TURNED, number)
            if done:
                self._move(state, plan, theta, y, q1, v1, a1)
                return self._accept(state, h, plan, theta, q1, v1, a1, lam, number)
            if number > PATIENT and rate > GROWING:
                return self.failed(StepStatus.DIVERGED, number)
            if number > 1 and rate > (SECOND if number == 2 else matrix.slow):
                fresh = not renewed or number % 3 == 0
            last = size
        return self.failed(StepStatus.SLOW, self.scheme.corrector.max_iterations)

    def _move(
        self, state: StepState, plan: Plan, theta: FloatArray, y: FloatArray, q: FloatArray, v: FloatArray,
        a: FloatArray,
    ) -> None:  # fmt: skip
        """Positions, velocities, accelerations at an increment, and the metric of further ones."""
        dyn = self.dynamics
        motion(
            theta, y, plan.theta_p, plan.rate_p, plan.v_p, plan.vd_p, plan.alpha, dyn.n_linear, v, a, dyn.T, self._Q
        )  # fmt: skip
        retract(state.q, theta, dyn.n_linear, q)

    def _correction(self, alpha: float) -> FloatArray:
        """The correction of positions by what the increment of the motion will leave of g; then the right side of that.

        As in the stabilised form of generalized-alpha: G v + g_t is met by the motion, with what the correction does
        to it.
        """
        dyn = self.dynamics
        rate = dyn.rates()
        self._rate_gap = largest_part(rate, dyn.equation_sizes)
        hold_back(dyn.r, rate, dyn.velocity_rows, dyn.n_v, alpha, self._held)
        y = dyn.solve(0.0, 1.0, 1.0)[: dyn.n_v].copy()
        self.matrix.rate_coupling(y, rate)
        self._y[:] = 0.0
        put_back(self._held, rate, dyn.n_v, y, dyn.r, self._y)
        return y

    def _rates_met(self, v: FloatArray, h: float) -> bool:
        """Whether the velocities met their constraints before the last increment, or nearly so."""
        if not self.two_levels:
            return True
        dyn = self.dynamics
        return self._rate_gap <= MET_RATE * largest_part(v, dyn.velocity_sizes) + MET / abs(h)

    def _accept(
        self, state: StepState, h: float, plan: Plan, theta: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray,
        lam: FloatArray, iterations: int,
    ) -> StepResult:  # fmt: skip
        """The new state if its error allows, and what comes next."""
        history = plan.history
        k = plan.order

        def error(m: int) -> float:
            """Local error of order m over the tolerance; infinite if the past does not tell it."""
            if not 1 <= m < len(plan.constants):
                return math.inf
            c = abs(plan.constants[m])
            c = c / (1.0 + c) if m == k else c
            by_q = self.dynamics.size_of(theta - plan.values[0][m])
            by_v = abs(h) * self.dynamics.size_of(v - plan.values[1][m])
            return float(c * max(by_q, by_v) / self.tolerance)

        found = error(min(k, plan.degree))
        order, calm, rising, factor = k, 0, False, None
        if not self.fixed and found <= 1.0:
            order, calm, rising, factor = self._next(history, k, found, error)
        elif not self.fixed:
            factor = 0.25 if not math.isfinite(found) else max(0.25, 0.9 * (2.0 * found) ** (-1.0 / (k + 1)))
        if self.fixed or found <= 1.0:
            self._orders[k] += 1
        target = history.target
        if factor is not None:
            cut = len(history.t) > 0 and factor >= 1.0 and abs(h) < 0.99 * target  # by a sample, say
            target = max(abs(h) * factor, target if cut else 0.0)
        past = history.after(state.t, state.q, state.v, order, calm, rising, target)
        memory = past.pack(self.matrix.point)
        new = StepState(state.t + h, q, v, a, a, lam, state.v, h, memory)
        return StepResult(new, found, iterations, StepStatus.DONE, exponent=1.0 / (k + 1), factor=factor)

    def _next(
        self, history: History, k: int, found: float, error: Callable[[int], float]
    ) -> tuple[int, int, bool, float]:
        """Order, steps since it changed, whether all still rises, and ratio of the next step to this one."""

        def gain(e: float, m: int, safety: float) -> float:
            return float((safety * max(e, 1e-12)) ** (-1.0 / (m + 1)))

        same = gain(found, k, 2.0)
        below = gain(error(k - 1), k - 1, 2.0) if k > 1 else 0.0
        if history.rising:
            if k < self.most and same > 1.0 and below <= same:
                return k + 1, 0, True, min(MOST_GAIN, same)
            if same >= MOST_GAIN and below <= same:
                return k, 0, True, MOST_GAIN
        calm = history.calm + 1
        if calm <= k:
            return k, calm, False, self._gain(same) if same < 1.0 else 1.0
        above = gain(error(k + 1), k + 1, 3.0) if k < self.most else 0.0
        best, order = max((same, k), (below, k - 1), (above, k + 1))
        if order != k and best < LEAST_GAIN:
            best, order = same, k
        factor = self._gain(best)
        return order, 0 if order != k or factor != 1.0 else calm, False, factor

    @staticmethod
    def _gain(gain: float) -> float:
        """The ratio of steps for a gain that the errors allow; small gains are left alone."""
        if gain >= LEAST_GAIN:
            return min(gain, MOST_GAIN)
        return 1.0 if gain >= 1.0 else max(0.5, 0.9 * gain)
