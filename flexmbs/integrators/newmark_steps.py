"""Steps of Newmark's family: generalized-alpha, and, with projections behind them, the augmented Lagrangian."""

from __future__ import annotations

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import IDENTITY
from flexmbs.dynamics.candidates import LINEAR
from flexmbs.dynamics.consistent_state import finite
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.implicit_step import CLOSED, DONE, ENDS, EPS, FAR, MET, NOISE, advance, settled
from flexmbs.integrators.stepper import Stepper, turned_too_far
from flexmbs.kernels.steps import begin, correct, finish, largest_gap, retract, tangent_operators, yielded

__all__ = ["Coefficients", "NewmarkStepper", "error_factor", "step_weights"]

PATIENCE = 3
"""Iterations with secants of friction over those with its slopes."""


class Coefficients(NamedTuple):
    """Of one scheme."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float


def step_weights(h: float, alpha_m: float, alpha_f: float, beta: float, gamma: float) -> tuple[float, float]:
    """w_v and w_a of a step; compiled steps have them from here, too."""
    wv = gamma / (beta * h)
    return wv, (1.0 - alpha_m) / ((1.0 - alpha_f) * beta * h * h)


def error_factor(h: float, alpha_m: float, alpha_f: float, beta: float) -> float:
    """Local error of the positions over their third derivative."""
    return abs(1.0 / 6.0 - beta - 0.5 * (alpha_m - alpha_f)) * (abs(h) * h * h)


class NewmarkStepper(Stepper):
    r"""Index 3: equilibrium and g = 0 at the new time. The operations of `implicit_step.advance` are its methods.

    A correction :math:`\delta q` of the positions changes v by :math:`w_v\,\delta q` and :math:`\dot v` by
    :math:`w_a\,\delta q`, with :math:`w_v = \gamma/(\beta h)` and :math:`w_a = (1 - \alpha_m)/((1 - \alpha_f)\beta
    h^2)`.

    A second attempt starts without acceleration, since noisy accelerations of stiff bodies are a bad guess of the new
    ones, makes the matrix in every iteration, and takes half the secants of regularised friction in contacts, over
    whose steep middle Newton's method goes to and fro; where contacts are searched, so does the first.
    """

    most_attempts = 2
    exact = False
    on_rates = 0
    compliance: FloatArray | None = None

    def __init__(self, scheme: Any, dynamics: Dynamics, tolerance: float, coefficients: Coefficients) -> None:
        super().__init__(scheme, dynamics, tolerance)
        self.coefficients = coefficients
        self.most, self.rtol = scheme.newton.max_iterations, scheme.newton.rtol
        self.always = scheme.newton.jacobian_update == "full"
        self.closed, self.met = CLOSED, MET
        self.renew = True
        self._sums = np.empty(len(dynamics.body_sizes))

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        aux = self.auxiliary(state, h)
        self.predict(state, h, aux, state.a if before is None else np.zeros_like(state.a))
        self.full = self.always or before is not None
        self.dynamics.set_time(state.t + h)
        # of many contacts one goes to and fro in almost every step
        patiently = self.dynamics.candidates is not None or (before is not None and self.dynamics.has_secants)
        end, number = self._patiently() if patiently else advance(self)
        if end != DONE:
            return self.failed(ENDS[end], number)
        return self.accept(state, h, aux, number)

    def _patiently(self) -> tuple[int, int]:
        """Iterate with secants of friction, which lead to the end from afar, but slowly."""
        self.dynamics.by_secants(True)
        self.most *= PATIENCE
        try:
            return advance(self)
        finally:
            self.most //= PATIENCE
            self.dynamics.by_secants(False)

    def auxiliary(self, state: StepState, h: float) -> FloatArray:
        """The auxiliary acceleration a at the start of the step."""
        return state.a

    def predict(self, state: StepState, h: float, aux: FloatArray, first: FloatArray) -> None:
        """The step with the acceleration ``first``, and the sizes by which its increments are judged."""
        dyn, (am, af, beta, gamma) = self.dynamics, self.coefficients
        n_v = dyn.n_v
        self.h, self.q0 = h, state.q
        self.wv, self.wa = step_weights(h, am, af, beta, gamma)
        self.weights = (1.0 / self.wa, self.wv / self.wa)
        self.dq, self.v1, self.vd1 = np.empty(n_v), np.empty(n_v), np.empty(n_v)
        self.q1, self.lam, self._guessed = np.empty(dyn.n_q), state.lam.copy(), True
        acceleration, speed, size = begin(
            state.q, state.v, aux, state.a, first, h, beta, gamma, am, af, dyn.mass, dyn.n_linear, self.dq, self.v1,
            self.vd1, self.q1,
        )  # fmt: skip
        reach = max(acceleration / self.wa, 1e-3 * abs(h) * speed)
        self.allowed = self.rtol * reach
        self.floor = 8.0 * EPS * max(size, dyn.position_size)  # a body at rest at the origin has no size of its own
        self.noise = NOISE * self.floor
        self.far = FAR * (self.floor / EPS + reach)

    def linearise(self) -> bool:
        dyn, began = self.dynamics, perf_counter()
        tangent_operators(self.dq, dyn.n_linear, dyn.T)
        dyn.tangent(self.q1, self.v1, self.vd1, self.lam, self.weights, self.on_rates)
        dyn.seconds["evaluation"] += perf_counter() - began
        dyn.factorise(1.0, self.compliance)
        return False

    def evaluate(self) -> bool:
        dyn, began = self.dynamics, perf_counter()
        dyn.residual(self.q1, self.v1, self.vd1, self.lam)
        dyn.seconds["evaluation"] += perf_counter() - began
        return False

    def violation(self) -> float:
        dyn = self.dynamics
        return largest_gap(dyn.r, dyn.n_v, dyn.equation_sizes, dyn.velocity_rows, self.h)

    def correct(self) -> float:
        self.recall(-1.0 / self.wa, -self.wv / self.wa)
        return self.add(self.dynamics.solve(1.0 / self.wa, 1.0, 1.0 / self.wv, LINEAR))

    def recall(self, position: float, velocity: float) -> None:
        """What the guess of the multipliers has yielded, into the constraints; not to a compliance of the scheme's own.

        Later iterations close the constraints, which the compliance to all of the multipliers would leave open.
        """
        if not self._guessed or self.compliance is not None:
            return
        dyn, self._guessed = self.dynamics, False
        yielded(self.lam, dyn.multiplier_compliance, dyn.velocity_rows, dyn.n_v, position, velocity, dyn.r)

    def add(self, d: FloatArray) -> float:
        """Add an increment; its size."""
        dyn, wa = self.dynamics, self.wa
        size = correct(d, dyn.mass, self.wv, wa, wa, dyn.n_v, self.dq, self.v1, self.vd1, self.lam)
        retract(self.q0, self.dq, dyn.n_linear, self.q1)
        return size

    def rates_met(self) -> bool:
        return True

    def turned(self) -> bool:
        return turned_too_far(self.dynamics, self.dq)

    def settled(self) -> bool:
        dyn = self.dynamics
        return settled(dyn.states, dyn.system.state_resolutions, dyn.d, self.v1, self.vd1, self.wv, self.h, self.rtol)

    def behind_jump(self, state: StepState, h: float, same_size: bool = False) -> StepState:
        r"""Accelerations and multipliers move by what the jump of the forces makes of them.

        With the matrix of a step at the state itself, :math:`[M + w_q K + w_v D, G^T; G, 0][\delta a; \delta\lambda] =
        -[r; 0]`, where r is the residual behind the jump, twice: what D and K have taken from the first change is in
        the second residual. The auxiliary acceleration moves with the other, from which it keeps its distance; it
        would cost the second order to begin with both the same at every sample. The size h goes along with it,
        since the step may become a shorter one.
        """
        dyn, (am, af, beta, gamma) = self.dynamics, self.coefficients
        dyn.set_time(state.t)
        dyn.T[:] = IDENTITY
        aux = self.auxiliary(state, h)
        wv, wa = step_weights(h, am, af, beta, gamma)
        dyn.tangent(state.q, state.v, state.a, state.lam, (1.0 / wa, wv / wa), self.on_rates)
        dyn.factorise(1.0)
        a, lam = state.a, state.lam
        for part in range(2):
            if part == 1:
                dyn.residual(state.q, state.v, a, lam)
            dyn.r[dyn.n_v :] = 0.0
            d = dyn.solve(1.0, 1.0, 1.0)
            a, aux, lam = a + d[: dyn.n_v], aux + d[: dyn.n_v], lam + d[dyn.n_v :]
        finite(dyn, state.t, a, lam)
        return StepState(state.t, state.q, state.v, a, aux, lam, state.v, -h)

    def at_onset(self, state: StepState) -> StepState:
        """As at the start of a run: over a long step in flight the change of forces from here on would look small."""
        return state._replace(h_old=0.0, aux=state.a)

    def accept(self, state: StepState, h: float, aux: FloatArray, iterations: int) -> StepResult:
        """The new state, and the estimate of its error."""
        dyn, (am, af, beta, _), v1, vd1 = self.dynamics, self.coefficients, self.v1, self.vd1
        aux1 = np.empty_like(aux)
        third = finish(
            state.v, state.a, aux, state.v_old, h, state.h_old, am, af, dyn.mass, dyn.body_of, dyn.body_sizes,
            self._sums, v1, vd1, aux1,
        )  # fmt: skip
        new = StepState(state.t + h, self.q1, v1, vd1, aux1, self.lam, state.v, h)
        return StepResult(new, error_factor(h, am, af, beta) * third / self.tolerance, iterations, StepStatus.DONE)
