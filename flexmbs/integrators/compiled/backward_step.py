r"""A step of backward differentiation over arrays alone: `flexmbs.integrators.bdf_step.advance`, compiled.

The functions within `operations` are what the loop (`flexmbs.integrators.compiled.loop`) asks of a scheme, and what
`bdf_step.advance` asks of a step: they do what the methods of `flexmbs.integrators.bdf.Backward` do, with a matrix that
is evaluated anew in every step. None of them is called: they are written into the places of their calls, and so is the
text of `bdf_step.advance` (`flexmbs.integrators.compiled.inline`).

The past of a step are the rows of states before it, and those of `BackwardTable` before the first; what is decided of
order and step has a row for each state, too. So a step that is rejected leaves nothing to be undone.
"""

# ruff: noqa: F841  # the decisions that are written into the loop use these variables

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import inlined
from flexmbs.core.sparsity import clear_blocks
from flexmbs.integrators import bdf_history, bdf_step
from flexmbs.integrators.bdf_dense import Polynomial
from flexmbs.integrators.bdf_history import History, past_of
from flexmbs.integrators.bdf_motion import add, motion
from flexmbs.integrators.bdf_order import FACTOR, NUMBERS, ORDER, TARGET, choose, longest_step, order_of
from flexmbs.integrators.bdf_order import size_of_change as size_of
from flexmbs.integrators.bdf_plan import ACCELERATION, POSITION, PREDICTED, RATE, VELOCITY, predict
from flexmbs.integrators.bdf_polynomials import MOST_DATA, collect, extrapolate
from flexmbs.integrators.bdf_step import CONVERGED, FIXED_CONVERGED, STATES
from flexmbs.integrators.compiled.form import Form
from flexmbs.integrators.compiled.loop import factorise, solve
from flexmbs.integrators.compiled.newton_step import states_settled
from flexmbs.integrators.compiled.step_arrays import (
    EVALUATIONS,
    FACTORISATIONS,
    ControlArrays,
    Numbers,
    Sizes,
    StepArrays,
)
from flexmbs.integrators.compiled.written import rate_coupling, rates, residual, tangent
from flexmbs.integrators.implicit_step import CLOSED, DONE, EPS, FAR, MET, MET_RATE
from flexmbs.integrators.stepper import MOST_TURN
from flexmbs.kernels.steps import (
    hold_back,
    largest_gap,
    largest_of_bodies,
    largest_part,
    largest_turn,
    position_norm,
    put_back,
    retract,
    yielded,
)

if TYPE_CHECKING:
    from flexmbs.integrators.bdf import Backward
    from flexmbs.integrators.contracts import StepState

__all__ = ["BackwardForm", "BackwardTable", "operations"]

DECISIONS = bdf_step
"""The module whose `advance` is written into the step."""

points_after = inlined(bdf_history.points_after)
is_sloped = inlined(bdf_history.is_sloped)


class BackwardTable(NamedTuple):
    """Numbers and choices (0 or 1) of the scheme, its past, and its scratch.

    ``known (2,)``: points of the past before the first state, and whether the acceleration at the oldest, ``slope``, is
    known; ``past_t (n,)``, ``past_q (n, n_q)``, ``past_v (n, n_v)``: these points, newest first; ``origin (1,)``: time
    of the start. By row of the states ``times``, and `NUMBERS` of what is ``decided``; by step the ``orders`` of the
    formulas. The rest as in `Plan` and the stepper.
    """

    tolerated: float
    position_size: float
    slow: float
    most: int
    largest_order: int
    fixed: int
    two_levels: int
    states: IntArray
    resolutions: FloatArray
    velocity_sizes: FloatArray
    parts: FloatArray
    known: IntArray
    past_t: FloatArray
    past_q: FloatArray
    past_v: FloatArray
    slope: FloatArray
    origin: FloatArray
    times: FloatArray
    decided: FloatArray
    orders: IntArray
    nodes: FloatArray
    constants: FloatArray
    W: FloatArray
    D: FloatArray
    data: FloatArray
    values: FloatArray
    predicted: FloatArray
    change: FloatArray
    theta: FloatArray
    y: FloatArray
    Q: FloatArray
    held: FloatArray
    dx: FloatArray
    dy: FloatArray


def operations(
    s: Numbers, c: Sizes, x: StepArrays, y: ControlArrays, z: BackwardTable, width: tuple[float, ...], step: Any,
    i: int, n_v: int, n_linear: int, h: float, h_old: float, begun: float, longest: float, q: FloatArray,
    lam0: FloatArray, q1: FloatArray, v1: FloatArray, vd1: FloatArray, lam: FloatArray, evaluations: int,
    factorisations: int, state: State, env: Env, row: int, given: FloatArray, weights: tuple[float, float],
    number: int, points: int, alpha: float, wa: float, size: float,
) -> None:  # fmt: skip
    """What the loop and the decisions ask for; arguments from ``i`` on are variables of these."""
    most, slow, fixed = z.most, z.slow, z.fixed == 1
    closed = CLOSED if z.fixed == 1 else MET
    rate_gap = 0.0

    def limited(longest: float) -> float:
        points = points_after(z.known[0], i)
        size = 0.0
        if not fixed and points == 0:
            size = largest_of_bodies(x.A[i], x.mass, x.body_of, x.body_sizes, x.sums)
        longest = longest_step(
            longest, fixed, points, z.decided[i, TARGET], begun - z.origin[0], z.parts, size, z.tolerated
        )  # fmt: skip
        return longest  # noqa: RET504  # the call is replaced by statements

    def again() -> float:
        return h * z.decided[i + 1, FACTOR]  # type: ignore[no-any-return]

    def proposed() -> float:  # the step has been counted by now
        return h * z.decided[i, FACTOR]  # type: ignore[no-any-return]

    def make() -> tuple[int, int, float]:
        nonlocal state, env, row, given, weights, points, alpha, wa, rate_gap
        points, sloped = points_after(z.known[0], i), is_sloped(z.known[1] == 1, z.known[0], i)
        z.times[i] = begun
        data = collect(
            i, z.times, x.Q, x.V, z.past_t, z.past_q, z.past_v, z.slope, points, sloped, h, n_linear, z.nodes, z.data
        )
        extrapolate(z.nodes, data, sloped, z.data, z.W, z.D, z.values, z.constants)
        order = order_of(
            int(z.decided[i, ORDER]), z.largest_order, fixed, data, h, h_old, z.values, z.constants, x.mass, x.body_of,
            x.body_sizes, x.sums, z.change,
        )  # fmt: skip
        alpha = predict(order, data, h, z.nodes, z.D, z.data, z.values, z.predicted)
        wa = alpha * alpha
        weights = (1.0 / wa, 1.0 / alpha)
        row = i if x.given.shape[0] > 1 else 0
        given = x.given[row]
        state, env = State(q1, v1, vd1, lam), Env(x.times[i], x.scale[row])
        for k in range(c.n_c):
            lam[k] = lam0[k]
        for k in range(n_v):
            z.theta[k], z.y[k], z.dy[k] = z.predicted[POSITION, k], 0.0, 0.0
        place = max(1.0, position_norm(q, x.mass, n_linear) / max(z.position_size, 1e-300))
        floor, far = 8.0 * EPS * place, FAR * place
        rate_gap, renew = 0.0, True
        moved = step.move()
        status, number = bdf_step.advance(step)
        error = 0.0
        if status == DONE:
            error = choose(
                z.decided[i], points, z.largest_order, fixed, order, data, h, z.tolerated, z.constants, z.values,
                z.theta, v1, x.mass, x.body_of, x.body_sizes, x.sums, z.change, z.decided[i + 1],
            )  # fmt: skip
            z.orders[i] = order
            for k in range(n_v):
                x.AUX[i + 1, k] = vd1[k]
        return status, number, error

    def move() -> bool:  # whether anything moved, which always is so: what is assigned can be written in its place
        motion(
            z.theta, z.y, z.predicted[POSITION], z.predicted[RATE], z.predicted[VELOCITY], z.predicted[ACCELERATION],
            alpha, n_linear, v1, vd1, x.T, z.Q,
        )  # fmt: skip
        retract(q, z.theta, n_linear, q1)
        return True

    def linearise() -> bool:
        nonlocal evaluations, factorisations
        evaluations += 1
        if x.turned.shape[0] > 0:
            clear_blocks(x.B, x.turned)
        refused = tangent(state, env, given, weights, z.two_levels)
        if not refused:
            factorisations += 1
            refused = factorise(
                x.B, x.turned, x.frames, x.source, x.slots, x.masses, x.mass_slots, x.compliance, x.equations,
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

    def correct(number: int) -> float:
        nonlocal rate_gap
        if c.constrained == 1:
            for k in range(c.n_c):
                x.rate[k] = -x.motion[row, k, 1]
            rates(x.rate)
            rate_gap = largest_part(x.rate, x.equation_sizes)
            hold_back(x.r, x.rate, x.velocity_rows, n_v, alpha, z.held)
            solve(
                x.r, x.order, x.frame_dofs, x.frames, n_v, 0.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution,
                width, x.edge, x.d,
            )  # fmt: skip
            rate_coupling(x.d, x.rate)
            for k in range(n_v):
                z.dy[k] = 0.0
            put_back(z.held, x.rate, n_v, x.d, x.r, z.dy)
        if number == 1:
            yielded(lam, x.compliance, x.velocity_rows, n_v, 1.0 / wa, 1.0 / wa, x.r)
        solve(
            x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0 / wa, -1.0, -1.0, x.velocity_rows, x.b, x.data, x.solution,
            width, x.edge, x.d,
        )  # fmt: skip
        add(x.d, z.dy, z.Q, 1.0, wa, n_linear, z.theta, z.y, z.dx, lam)
        moved = step.move()
        size = largest_of_bodies(z.dx, x.mass, x.body_of, x.body_sizes, x.sums)
        size += largest_of_bodies(z.dy, x.mass, x.body_of, x.body_sizes, x.sums)
        return size

    def allowed() -> float:
        wanted = CONVERGED * z.tolerated
        if fixed:
            wanted = FIXED_CONVERGED * size_of(
                z.theta, z.predicted[POSITION], x.mass, x.body_of, x.body_sizes, x.sums, z.change
            )
        return wanted

    def rates_met() -> bool:
        return c.n_c == 0 or rate_gap <= (MET_RATE * largest_part(v1, z.velocity_sizes) + MET / abs(h))

    def settled() -> bool:
        return states_settled(z.states, z.resolutions, z.dx, v1, vd1, alpha, h, STATES)

    def turned() -> bool:
        return largest_turn(z.theta, n_linear, x.angles) > MOST_TURN

    def restart() -> bool:  # Python finds the accelerations after a jump of held forces
        return True


class BackwardForm(Form):
    """Steps of `BDF`, whose errors themselves tell the next size: `exponent` is not asked for."""

    module, exponent, nodes, between = sys.modules[__name__], 0.5, (1.0,), Polynomial
    written = ("residual", "tangent", "rates", "rate_coupling")

    def __init__(self, stepper: Backward) -> None:
        self.stepper = stepper

    def hindrance(self) -> str:
        stepper = self.stepper
        if stepper.matrix.reuse:
            return "the iteration matrix is kept over steps (CorrectorOptions.reuse)"
        if stepper.matrix.groups:
            return "the iteration matrix is made by differences (CorrectorOptions.jacobian)"
        if len(stepper.dynamics.system.turned_blocks) and stepper.two_levels:
            return "supports in inclined directions"
        return ""

    def table(self, most: int) -> BackwardTable:
        stepper, dyn, n = self.stepper, self.stepper.dynamics, MOST_DATA
        n_q, n_v, points = dyn.n_q, dyn.n_v, bdf_history.POINTS - 1
        self._table = BackwardTable(
            stepper.tolerance, dyn.position_size, stepper.slow, stepper.most, stepper.largest_order,
            int(stepper.fixed), int(stepper.two_levels), dyn.states, dyn.system.state_resolutions, dyn.velocity_sizes,
            stepper.parts, np.zeros(2, dtype=np.int64), np.zeros(points), np.zeros((points, n_q)),
            np.zeros((points, n_v)), np.zeros(n_v), np.zeros(1), np.zeros(most + 1),
            np.zeros((most + 1, len(NUMBERS))), np.zeros(most, dtype=np.int64), np.zeros(n), np.zeros(n),
            np.zeros((n, n)), np.zeros((n, n)), np.zeros((2, n, n_v)), np.zeros((2, n, n_v)),
            np.zeros((len(PREDICTED), n_v)), np.zeros(n_v), np.zeros(n_v), np.zeros(n_v), np.zeros_like(dyn.T),
            np.zeros(n_v), np.zeros(n_v), np.zeros(n_v),
        )  # fmt: skip
        return self._table

    def several(self, state: StepState, h: float, anew: bool) -> bool:
        """Not at a start: Python finds its accelerations, and the first steps may be divided."""
        return not anew and self.stepper.longest(state) >= h

    def begin(self, state: StepState, h: float) -> None:
        dyn, z = self.stepper.dynamics, self._table
        history, _ = past_of(state, h, dyn.n_q, dyn.n_v)
        n = len(history.t)
        z.known[:] = n, len(history.slope) > 0
        z.past_t[:n], z.past_q[:n], z.past_v[:n] = history.t, history.q, history.v
        self._past = history
        if len(history.slope):
            z.slope[:] = history.slope
        z.origin[0] = history.origin
        z.decided[0] = history.order, history.calm, history.rising, history.target, math.nan

    def made(self, x: StepArrays, n: int) -> None:
        stepper = self.stepper
        for order, error in zip(self._table.orders[:n].tolist(), x.errors[:n].tolist(), strict=True):
            stepper.made(order, error)
        evaluations, matrices = int(x.counts[EVALUATIONS]), int(x.counts[FACTORISATIONS])
        stepper.residuals += evaluations - matrices
        stepper.matrix.evaluated(matrices)

    def memory(self, x: StepArrays, row: int) -> FloatArray:
        z, first = self._table, int(self._table.known[0])
        several = bdf_history.points_after(first, row)
        ours = min(several, row)  # of these, the rows before
        old, rows = several - ours, slice(row - ours, row)
        order, calm, rising, target, _ = z.decided[row].tolist()
        sloped = bdf_history.is_sloped(bool(z.known[1]), first, row)
        made, past = (z.times, x.Q, x.V, x.A, x.LAM), self._past
        known = past.t, past.q, past.v, past.a, past.lam
        points = [np.concatenate((new[rows][::-1], before[:old])) for new, before in zip(made, known, strict=True)]
        t, q, v, a, lam = points
        history = History(
            t, q, v, a, lam, z.slope if sloped else bdf_history.NOTHING, int(order), int(calm), float(z.origin[0]),
            bool(rising), target,
        )  # fmt: skip
        return history.pack(bdf_history.NOTHING)

    def factor(self) -> float | None:
        return None if self.stepper.fixed else float(self._table.decided[1, FACTOR])
