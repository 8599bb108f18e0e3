r"""A step of Newmark's family over arrays alone: `flexmbs.integrators.implicit_step.advance`, compiled.

It is that of generalized-alpha, and, with the projections behind it, that of the augmented Lagrangian.

The functions within `operations` are what the loop (`flexmbs.integrators.compiled.loop`) asks of a scheme, and what
`implicit_step.advance` asks of a step: they do what the methods of `newmark_steps.NewmarkStepper` do. None of them
is called: they are written into the places of their calls, and so is the text of `implicit_step.advance`
(`flexmbs.integrators.compiled.inline`). So the loop in Python and the compiled one take the same decisions from the
same numbers, and give the same bits.
"""

# ruff: noqa: F841  # the decisions that are written into the loop use these variables

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.sparsity import clear_blocks
from flexmbs.integrators import augmented_lagrangian, implicit_step, newmark_steps
from flexmbs.integrators.augmented_lagrangian import LESS, PROJECTIONS
from flexmbs.integrators.compiled.form import Form
from flexmbs.integrators.compiled.loop import factorise, size_after, size_again, solve
from flexmbs.integrators.compiled.step_arrays import ControlArrays, Numbers, Sizes, StepArrays
from flexmbs.integrators.compiled.written import (
    account,
    constraint_product,
    curvature,
    rate_coupling,
    rates,
    residual,
    tangent,
)
from flexmbs.integrators.implicit_step import CLOSED, DONE, EPS, FAR, MET, MET_RATE, NOISE, REFUSED
from flexmbs.integrators.stepper import MOST_TURN
from flexmbs.kernels.steps import (
    begin,
    finish,
    hold_back,
    largest,
    largest_gap,
    largest_part,
    largest_turn,
    put_back,
    retract,
    stretch,
    tangent_operators,
    untwist,
    yielded,
)
from flexmbs.kernels.steps import correct as add

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState
    from flexmbs.integrators.implicit_step import NewtonOptions
    from flexmbs.integrators.newmark_steps import Coefficients

__all__ = ["NewtonForm", "NewtonTable", "ProjectedForm", "ProjectionTable", "operations", "states_settled"]

DECISIONS = implicit_step
"""The module whose `advance` is written into the step."""
ENDLESS = math.inf

step_weights = inlined(newmark_steps.step_weights)
error_factor = inlined(newmark_steps.error_factor)


class NewtonTable(NamedTuple):
    """Numbers and choices (0 or 1) of the scheme, and its scratch.

    ``prepared (1,)``: 1 if the first step begins with the factors that are there.
    """

    beta: float
    gamma: float
    alpha_m: float
    alpha_f: float
    rtol: float
    closed: float
    position_size: float
    most: int
    two_levels: int
    full: int
    states: IntArray
    resolutions: FloatArray
    velocity_sizes: FloatArray
    dq: FloatArray
    aux: FloatArray
    held: FloatArray
    prepared: IntArray


class ProjectionTable(NamedTuple):
    """Of the augmented Lagrangian: the compliance of its steps, and scratch.

    ``least (1,)``: 1 where multipliers are not determined, so that they are those of least norm; ``gamma (n_c,)``: what
    G a leaves of the second derivative of the constraints; ``twist (n_m, 6)``: of the markers.
    """

    compliance: FloatArray
    least: IntArray
    gamma: FloatArray
    twist: FloatArray


@kernel
def states_settled(
    k: IntArray, resolutions: FloatArray, d: FloatArray, v1: FloatArray, vd1: FloatArray, wv: float, h: float,
    rtol: float,
) -> bool:  # fmt: skip
    """`implicit_step.settled`: whether the last increments of the first-order states at ``k`` are small."""
    for n in range(k.shape[0]):
        i = k[n]
        if not abs(wv) * abs(d[i]) <= rtol * (abs(v1[i]) + abs(h * vd1[i])) + resolutions[n]:
            return False
    return True


def operations(
    s: Numbers, c: Sizes, x: StepArrays, y: ControlArrays, z: NewtonTable, p: ProjectionTable,
    width: tuple[float, ...], step: Any, i: int, n_v: int, n_linear: int, h: float, h_old: float, q: FloatArray,
    v: FloatArray, a: FloatArray, aux: FloatArray, lam0: FloatArray, q1: FloatArray, v1: FloatArray, vd1: FloatArray,
    lam: FloatArray, evaluations: int, factorisations: int, state: State, env: Env, row: int, given: FloatArray,
    wv: float, wa: float, weights: tuple[float, float], number: int, error: float,
) -> None:  # fmt: skip
    """What the loop and the decisions ask for; arguments from ``i`` on are variables of these."""
    most, full, exact = z.most, z.full == 1, False
    closed, met = z.closed, MET
    rate_gap = 0.0
    compliance = x.compliance
    if c.projected == 1:
        compliance = p.compliance

    def make() -> tuple[int, int, float]:
        nonlocal rate_gap, aux, state, env, row, given, wv, wa, weights
        wv, wa = step_weights(h, z.alpha_m, z.alpha_f, z.beta, z.gamma)
        weights = (1.0 / wa, wv / wa)
        row = i if x.given.shape[0] > 1 else 0
        given = x.given[row]
        state, env = State(q1, v1, vd1, lam), Env(x.times[i], x.scale[row])
        longer = stretch(h, h_old)
        if longer != 1.0:  # as kernels have it
            aux = z.aux
            for k in range(n_v):
                aux[k] = a[k] + longer * (x.AUX[i, k] - a[k])
        for k in range(c.n_c):
            lam[k] = lam0[k]
        acceleration, speed, place = begin(
            q, v, aux, a, a, h, z.beta, z.gamma, z.alpha_m, z.alpha_f, x.mass, n_linear, z.dq, v1, vd1, q1
        )
        reach = max(acceleration / wa, 1e-3 * abs(h) * speed)
        allowed = z.rtol * reach
        floor = 8.0 * EPS * max(place, z.position_size)
        noise, far = NOISE * floor, FAR * (floor / EPS + reach)
        rate_gap, renew = 0.0, z.prepared[0] == 0  # the matrix of a restart is that of the step
        z.prepared[0] = 0
        status, number = implicit_step.advance(step)
        if c.projected == 1:  # noqa: SIM102  # it is written for some schemes alone
            if status == DONE:
                refused = step.project()
                if refused:
                    status = REFUSED
        error = 0.0
        if status == DONE:
            v_old = x.v_old if i == 0 else x.V[i - 1]
            third = finish(
                v, a, aux, v_old, h, h_old, z.alpha_m, z.alpha_f, x.mass, x.body_of, x.body_sizes, x.sums, v1, vd1,
                x.AUX[i + 1],
            )  # fmt: skip
            error = error_factor(h, z.alpha_m, z.alpha_f, z.beta) * third / s.tolerance
        return status, number, error

    def limited(longest: float) -> float:
        return longest

    def again() -> float:
        return size_again(h, error, s.exponent)

    def proposed() -> float:
        return size_after(h, error, s.exponent, number)

    def linearise() -> bool:
        nonlocal evaluations, factorisations
        evaluations += 1
        tangent_operators(z.dq, n_linear, x.T)
        if x.turned.shape[0] > 0:
            clear_blocks(x.B, x.turned)
        refused = tangent(state, env, given, weights, z.two_levels)
        if not refused:
            factorisations += 1
            refused = factorise(
                x.B, x.turned, x.frames, x.source, x.slots, x.masses, x.mass_slots, compliance, x.equations,
                x.diagonal, x.data, x.b.shape[0], x.reach, x.pivots, width, x.edge,
            )  # fmt: skip
        return refused

    def evaluate() -> bool:
        nonlocal evaluations
        evaluations += 1
        refused = residual(state, env, given)
        return refused  # noqa: RET504  # the call is replaced by statements

    def violation() -> float:
        return largest_gap(x.r, n_v, x.equation_sizes, x.velocity_rows, h)

    def correct() -> float:
        nonlocal rate_gap
        scale, position, velocity = 1.0 / wa, 1.0, 1.0 / wv
        if z.two_levels == 1:
            for k in range(c.n_c):
                x.rate[k] = -x.motion[row, k, 1]
            rates(x.rate)
            rate_gap = largest_part(x.rate, x.equation_sizes)
            hold_back(x.r, x.rate, x.velocity_rows, n_v, wv, z.held)
            solve(
                x.r, x.order, x.frame_dofs, x.frames, n_v, 0.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution,
                width, x.edge, x.d,
            )  # fmt: skip
            rate_coupling(x.d, x.rate)
            put_back(z.held, x.rate, n_v, x.d, x.r, z.dq)
            position = velocity = -1.0
        if c.recalls == 1:  # noqa: SIM102  # it is written for some schemes alone
            if number == 1:
                of_rates = 1.0 if z.two_levels == 1 else -wv
                yielded(lam, x.compliance, x.velocity_rows, n_v, -position / wa, of_rates / wa, x.r)
        solve(
            x.r, x.order, x.frame_dofs, x.frames, n_v, scale, position, velocity, x.velocity_rows, x.b, x.data,
            x.solution, width, x.edge, x.d,
        )  # fmt: skip
        moved = add(x.d, x.mass, wv, wa, wa, n_v, z.dq, v1, vd1, lam)
        retract(q, z.dq, n_linear, q1)
        return moved

    def project() -> bool:  # `AugmentedLagrangian`: velocities and accelerations onto their constraints
        nonlocal evaluations, factorisations, state
        refused = False
        if c.n_c == 0:
            evaluations += 1
            refused = residual(state, env, given)
        if c.constrained == 1:
            untwist(x.T)
            if x.turned.shape[0] > 0:
                clear_blocks(x.B, x.turned)
            evaluations += 1
            refused = tangent(state, env, given, weights, 0)
            if not refused:
                factorisations += 1
                refused = factorise(
                    x.B, x.turned, x.frames, x.source, x.slots, x.masses, x.mass_slots, compliance, x.equations,
                    x.diagonal, x.data, x.b.shape[0], x.reach, x.pivots, width, x.edge,
                )  # fmt: skip
            if not refused:
                most_left = ENDLESS
                for _ in range(PROJECTIONS):
                    for k in range(c.n_c):
                        x.rate[k] = -x.motion[row, k, 1]
                    rates(x.rate)
                    left = largest(x.rate, 0)
                    if not (LESS * most_left > left and left > 0.0):
                        break
                    most_left = left
                    taken = step.onto()
                    for k in range(n_v):
                        v1[k] += x.d[k]
                    evaluations += 1
                    refused = residual(state, env, given)
                    if refused:
                        break
            if not refused:
                for k in range(c.n_c):
                    p.gamma[k] = -x.motion[row, k, 2]
                state = State(q1, v1, v1, lam)
                curvature(state, env, p.gamma)
                state = State(q1, v1, vd1, lam)
                most_left = ENDLESS
                for _ in range(PROJECTIONS + 1):
                    for k in range(c.n_c):
                        x.rate[k] = p.gamma[k]
                    constraint_product(vd1, p.twist, x.rate)
                    left = largest(x.rate, 0)
                    if not (LESS * most_left > left and left > 0.0):
                        break
                    most_left = left
                    taken = step.onto()
                    for k in range(n_v):
                        vd1[k] += x.d[k]
                if p.least[0] == 1:  # multipliers that are not determined are those of least norm
                    for k in range(c.n_c):
                        lam[k] = 0.0
                evaluations += 1
                refused = residual(state, env, given)
            if not refused:
                for k in range(c.n_c):
                    x.r[n_v + k] = 0.0
                solve(
                    x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution,
                    width, x.edge, x.d,
                )  # fmt: skip
                for k in range(c.n_c):
                    lam[k] += x.d[n_v + k]
        return refused

    def onto() -> bool:  # what takes off a violation of rates; always true, as a call has to be assigned
        for k in range(n_v):
            x.r[k] = 0.0
        for k in range(c.n_c):
            x.r[n_v + k] = x.rate[k]
        solve(
            x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution, width,
            x.edge, x.d,
        )  # fmt: skip
        return True

    def rates_met() -> bool:
        return z.two_levels == 0 or rate_gap <= (MET_RATE * largest_part(v1, z.velocity_sizes) + MET / abs(h))

    def turned() -> bool:
        return largest_turn(z.dq, n_linear, x.angles) > MOST_TURN

    def settled() -> bool:
        return states_settled(z.states, z.resolutions, x.d, v1, vd1, wv, h, z.rtol)

    def restart() -> bool:  # `NewmarkStepper.behind_jump`
        nonlocal evaluations, factorisations, state, env, row, given, wv, wa, weights, a, aux, lam
        refused = False
        untwist(x.T)
        row = i if y.given.shape[0] > 1 else 0
        given, env = y.given[row], Env(y.starts[i], y.scale[row])
        a, aux, lam = y.A0[i], y.AUX0[i], y.LAM0[i]
        wv, wa = step_weights(h, z.alpha_m, z.alpha_f, z.beta, z.gamma)
        weights = (1.0 / wa, wv / wa)
        if x.turned.shape[0] > 0:
            clear_blocks(x.B, x.turned)
        state = State(q, v, x.A[i], x.LAM[i])
        evaluations += 1
        refused = tangent(state, env, given, weights, z.two_levels)
        if not refused:
            factorisations += 1
            refused = factorise(
                x.B, x.turned, x.frames, x.source, x.slots, x.masses, x.mass_slots, x.compliance, x.equations,
                x.diagonal, x.data, x.b.shape[0], x.reach, x.pivots, width, x.edge,
            )  # fmt: skip
        if not refused:
            longer = stretch(h, h_old)
            for k in range(n_v):
                a[k] = x.A[i, k]
                aux[k] = x.AUX[i, k]
            if longer != 1.0:
                for k in range(n_v):
                    aux[k] = x.A[i, k] + longer * (x.AUX[i, k] - x.A[i, k])
            for k in range(c.n_c):
                lam[k] = x.LAM[i, k]
            for part in range(2):
                if part == 1:
                    state = State(q, v, a, lam)
                    evaluations += 1
                    refused = residual(state, env, given)
                    evaluations += c.powers  # which Python makes to have them
                    account(x.Q.shape[0] - 1 + i, state, env)
                for k in range(c.n_c):
                    x.r[n_v + k] = 0.0
                solve(
                    x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, x.b, x.data,
                    x.solution, width, x.edge, x.d,
                )  # fmt: skip
                for k in range(n_v):
                    a[k] += x.d[k]
                    aux[k] += x.d[k]
                for k in range(c.n_c):
                    lam[k] += x.d[n_v + k]
            if c.recalls == 1:  # else steps have another compliance in their matrix
                z.prepared[0] = 1
        for k in range(n_v):
            refused = refused or not abs(a[k]) < ENDLESS
        for k in range(c.n_c):
            refused = refused or not abs(lam[k]) < ENDLESS
        return refused


class NewtonForm(Form):
    """Steps of generalized-alpha; ``refresh``: when the matrix is made.

    ``prepared_for``: size of the step for which `behind_jump` has just made the factors; NaN if it has not.
    """

    module, exponent, nodes = sys.modules[__name__], 1.0 / 3.0, (1.0,)
    written: ClassVar[tuple[str, ...]] = ("residual", "tangent", "rates", "rate_coupling")
    kept: ClassVar[tuple[str, ...]] = ("recalls",)
    closed = CLOSED

    def __init__(
        self, dynamics: Dynamics, coefficients: Coefficients, newton: NewtonOptions, index: int, refresh: str
    ) -> None:  # fmt: skip
        self.prepared_for, self._prepared = math.nan, np.zeros(1, dtype=np.int64)
        self.dynamics, self.coefficients, self.newton, self.refresh = dynamics, coefficients, newton, refresh
        self.two_levels = index == 2 and dynamics.n_c > 0

    def hindrance(self) -> str:
        if self.refresh == "on_demand":
            return "the iteration matrix is made on demand (jacobian_update='on_demand')"
        if len(self.dynamics.system.turned_blocks) and self.two_levels:
            return "supports in inclined directions with index 2"
        return ""

    def table(self, most: int) -> NewtonTable:
        dyn, (alpha_m, alpha_f, beta, gamma), k = self.dynamics, self.coefficients, len(self.dynamics.mass)
        return NewtonTable(
            beta, gamma, alpha_m, alpha_f, self.newton.rtol, self.closed, dyn.position_size,
            self.newton.max_iterations, int(self.two_levels), int(self.refresh == "full"), dyn.states,
            dyn.system.state_resolutions, dyn.velocity_sizes, np.zeros(k), np.zeros(k), np.zeros(k),
            self._prepared,
        )  # fmt: skip

    def begin(self, state: StepState, h: float) -> None:
        self._prepared[0], self.prepared_for = self.prepared_for == h, math.nan


class ProjectedForm(NewtonForm):
    """Steps of the augmented Lagrangian, whose multipliers have a ``compliance (n_c,)`` within a step."""

    kept, closed = ("projected",), augmented_lagrangian.CLOSED
    written = (*NewtonForm.written, "constraint_product", "curvature")

    def __init__(
        self, dynamics: Dynamics, coefficients: Coefficients, newton: NewtonOptions, compliance: FloatArray
    ) -> None:  # fmt: skip
        refresh = "full" if newton.jacobian_update == "full" else "step"
        super().__init__(dynamics, coefficients, newton, 3, refresh)
        self.compliance = compliance

    def further(self) -> dict[str, Any]:
        dyn = self.dynamics
        self._projections = ProjectionTable(
            self.compliance, np.zeros(1, dtype=np.int64), np.zeros(dyn.n_c), np.zeros_like(dyn.markers.twist)
        )
        return {"p": self._projections}

    def begin(self, state: StepState, h: float) -> None:
        self._projections.least[0] = self.dynamics.compliant
