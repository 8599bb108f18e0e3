r"""Steps of generalized-alpha over arrays alone: `flexmbs.integrators.implicit_step.advance`, compiled.

`advance` is not called here. Its statements become part of a generated function (`flexmbs.integrators.compiled.text`),
in which the fields of its arguments are plain variables, since compilers handle large tuples slowly. The text of
`implicit_step.advance` takes the place of its call, and the functions within `advance` here, which do what the methods
of `generalized_alpha.NewmarkStepper` do, that of its operations (`flexmbs.integrators.compiled.inline`); in place of
the functions that stand here without a body are calls of the kernels of one set of types. So the loop in Python and the
compiled one take the same decisions from the same numbers, and give the same bits. Sizes of steps are chosen by the
functions of `flexmbs.integrators.step_control`; one that is rejected for its error is made again here. A step that
fails, or a fixed one that would not be accepted, ends the call before it: the loop in Python makes that step, with its
further attempts and messages.
"""

# ruff: noqa: F841  # the decisions that are written into `advance` use its variables

from __future__ import annotations

import math

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.linsolve.static_band import band_factorise, band_solve
from flexmbs.core.sparsity import clear_blocks, rotate_blocks
from flexmbs.dynamics.step_matrix import scatter
from flexmbs.integrators import generalized_alpha, implicit_step, step_control
from flexmbs.integrators.compiled.step_arrays import (
    EVALUATIONS,
    FACTORISATIONS,
    FAILED,
    HAPPENS,
    MADE,
    REJECTED,
    ControlArrays,
    Numbers,
    Sizes,
    StepArrays,
)
from flexmbs.integrators.implicit_step import CLOSED, DONE, EPS, FAR, MET, MET_RATE, NOISE, ImplicitStep
from flexmbs.integrators.step_control import JUMP, NEAR, SUSPECT, WRONG
from flexmbs.integrators.stepper import MOST_TURN, TURN
from flexmbs.kernels.steps import (
    begin,
    finish,
    hold_back,
    largest_gap,
    largest_part,
    largest_turn,
    put_back,
    reduce,
    retract,
    spread,
    tangent_operators,
)
from flexmbs.kernels.steps import correct as add

__all__ = ["advance", "solve", "stands", "states_settled"]

ENDLESS = math.inf


def residual(state: State, env: Env, given: FloatArray) -> bool:
    """`Dynamics.residual`; whether an item was refused. Written for each set of types, as are the next six."""
    raise NotImplementedError


def tangent(state: State, env: Env, given: FloatArray, weights: tuple[float, float], on_rates: int) -> bool:
    """`Dynamics.tangent`; whether an item was refused."""
    raise NotImplementedError


def rates(rate: FloatArray) -> None:
    """Add G v of all constraints."""
    raise NotImplementedError


def rate_coupling(y: FloatArray, out: FloatArray) -> None:
    """`Dynamics.rate_coupling`."""
    raise NotImplementedError


def watch(state: State, env: Env, first: int) -> bool:
    """Whether an event may have happened since this was asked before; ``first``: it was not."""
    raise NotImplementedError


def account(i: int, state: State, env: Env) -> None:
    """After step i of a chunk: the powers of forces, if wanted, and turns."""
    raise NotImplementedError


def curvature(state: State, env: Env, out: FloatArray) -> None:
    """Place the markers; `Dynamics.gamma_here` added to ``out``."""
    raise NotImplementedError


def sample(i: int, state: State, env: Env) -> tuple[bool, int]:
    """After step i: turns that sensors count, and the controllers that are due.

    Whether a reading or an output was refused, with nothing changed; and whether a held value has changed (0 or 1).
    """
    raise NotImplementedError


step_weights = inlined(generalized_alpha.step_weights)
error_factor = inlined(generalized_alpha.error_factor)
next_end = inlined(step_control.next_end)
planned_size = inlined(step_control.planned_size)
size_after = kernel(step_control.size_after)
size_again = kernel(step_control.size_again)
"""What the loop in Python calls, compiled."""


@inlined
def stands(error: float, before: float) -> bool:
    """`FixedStep.accepts`."""
    return error <= WRONG and not (error > SUSPECT and before > 0.0 and error > JUMP * before)


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


@kernel
def solve(
    r: FloatArray, order: IntArray, frame_dofs: IntArray, frames: FloatArray, n_v: int, scale: float, position: float,
    velocity: float, velocity_rows: IntArray, b: FloatArray, data: FloatArray, solution: FloatArray,
    width: tuple[float, ...], d: FloatArray,
) -> None:  # fmt: skip
    """`Dynamics.solve`, into ``d``."""
    n, W = b.shape[0], len(width)
    reduce(r, order, frame_dofs, frames, n_v, scale, position, velocity, velocity_rows, b)
    band_solve(data, n, solution, b, width)
    spread(solution[W : W + n], order, frame_dofs, frames, d)


def advance(
    s: Numbers, c: Sizes, x: StepArrays, y: ControlArrays, width: tuple[float, ...], step: ImplicitStep
) -> int:  # fmt: skip
    """Up to ``c.n`` steps; how many were made. The members of ``step`` are the variables and functions in here."""
    h, n_v, n_linear = s.h, c.n_v, c.n_linear
    wv, wa = step_weights(h, s.alpha_m, s.alpha_f, s.beta, s.gamma)
    weights = (1.0 / wa, wv / wa)
    estimate = error_factor(h, s.alpha_m, s.alpha_f, s.beta)
    h_old, before, planned, begun = s.h_old, s.error_before, s.h, s.t
    most, full, exact = c.most, c.full == 1, False
    closed, met = CLOSED, MET
    rate_gap, evaluations, factorisations = 0.0, 0, 0

    def linearise() -> bool:
        nonlocal evaluations, factorisations
        evaluations += 1
        tangent_operators(x.dq, n_linear, x.T)
        if x.turned.shape[0] > 0:
            clear_blocks(x.B, x.turned)
        refused = tangent(state, env, given, weights, c.two_levels)
        if not refused:
            if x.turned.shape[0] > 0:
                rotate_blocks(x.B, x.turned, x.frames)
            factorisations += 1
            scatter(x.B, x.source, x.slots, x.masses, 1.0, x.mass_slots, x.slack, x.diagonal, x.data)
            refused = band_factorise(x.data, x.b.shape[0], x.reach, x.pivots, width) >= 0
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
        if c.two_levels == 1:
            for k in range(c.n_c):
                x.rate[k] = -x.motion[row, k, 1]
            rates(x.rate)
            rate_gap = largest_part(x.rate, x.equation_sizes)
            hold_back(x.r, x.rate, x.velocity_rows, n_v, wv, x.held)
            solve(
                x.r, x.order, x.frame_dofs, x.frames, n_v, 0.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution,
                width, x.d,
            )  # fmt: skip
            rate_coupling(x.d, x.rate)
            put_back(x.held, x.rate, n_v, x.d, x.r, x.dq)
            position = velocity = -1.0
        solve(
            x.r, x.order, x.frame_dofs, x.frames, n_v, scale, position, velocity, x.velocity_rows, x.b, x.data,
            x.solution, width, x.d,
        )  # fmt: skip
        moved = add(x.d, x.mass, wv, wa, wa, n_v, x.dq, v1, vd1, lam)
        retract(q, x.dq, n_linear, q1)
        return moved

    def rates_met() -> bool:
        return c.two_levels == 0 or rate_gap <= (MET_RATE * largest_part(v1, x.velocity_sizes) + MET / abs(h))

    def turned() -> bool:
        return largest_turn(x.dq, n_linear, x.angles) > MOST_TURN

    def settled() -> bool:
        return states_settled(x.states, x.resolutions, x.d, v1, vd1, wv, h, s.rtol)

    def restart() -> bool:  # `consistent_state.accelerations`, with the blocks and the factors of a step
        nonlocal evaluations, factorisations
        for k in range(x.T.shape[0]):
            for row in range(3):
                for column in range(3):
                    x.T[k, row, column] = 1.0 if row == column else 0.0
        row = i if y.given.shape[0] > 1 else 0
        given, env = y.given[row], Env(y.starts[i], y.scale[row])
        a, lam = y.A0[i], y.LAM0[i]
        for k in range(n_v):
            a[k] = 0.0
        for k in range(c.n_c):
            lam[k] = 0.0
            x.rate[k] = -y.motion[row, k, 2]
        state = State(q, v, v, lam)
        curvature(state, env, x.rate)
        if x.turned.shape[0] > 0:
            clear_blocks(x.B, x.turned)
        state, smooth = State(q, v, a, lam), (s.beta * h * h, s.gamma * h)
        evaluations += 1
        refused = tangent(state, env, given, smooth, 0)
        if not refused:
            if x.turned.shape[0] > 0:
                rotate_blocks(x.B, x.turned, x.frames)
            factorisations += 1
            scatter(x.B, x.source, x.slots, x.masses, 1.0, x.mass_slots, x.slack, x.diagonal, x.data)
            refused = band_factorise(x.data, x.b.shape[0], x.reach, x.pivots, width) >= 0
        if not refused:
            for k in range(c.n_c):
                x.r[n_v + k] = x.rate[k]
            solve(
                x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution,
                width, x.d,
            )  # fmt: skip
            for k in range(n_v + c.n_c):
                refused = refused or not abs(x.d[k]) < ENDLESS
                if k < n_v:
                    a[k] += x.d[k]
                else:
                    lam[k - n_v] += x.d[k]
            evaluations += c.powers  # which Python makes to have them
            account(x.Q.shape[0] - 1 + i, state, env)
        return refused

    i = 0
    anew = 0
    if c.samples == 1:
        anew = y.anew[0]
    if c.chunk == 1:
        state, env = State(x.Q[0], x.V[0], x.A[0], x.LAM[0]), Env(s.t, x.scale[0])
        happens = watch(state, env, 1)
        if happens:
            x.counts[HAPPENS] = 1
            return 0
    while i < c.n:
        v = x.V[i]
        if c.chunk == 1:
            turn = largest_turn(v, n_linear, x.angles)
            longest = TURN / turn if turn > 0.0 else ENDLESS
            if c.controlled == 1:
                if s.barrier - begun <= NEAR * planned:
                    break
                h, end = next_end(begun, min(planned, s.largest, longest), s.barrier)
                x.times[i], x.ends[i], x.sizes[i] = begun + h, end, h
                wv, wa = step_weights(h, s.alpha_m, s.alpha_f, s.beta, s.gamma)
                weights = (1.0 / wa, wv / wa)
                estimate = error_factor(h, s.alpha_m, s.alpha_f, s.beta)
            elif longest < h:
                x.counts[FAILED] = 1
                break
        q, a, aux, lam0 = x.Q[i], x.A[i], x.AUX[i], x.LAM[i]
        evaluations = factorisations = 0
        if c.samples == 1:
            y.renewed[i] = anew
            if anew == 1:
                refused = step.restart()  # type: ignore[attr-defined]
                if refused:
                    x.counts[FAILED] = 1
                    break
                a, aux, lam0, h_old = y.A0[i], y.A0[i], y.LAM0[i], 0.0
        q1, v1, vd1, lam = x.Q[i + 1], x.V[i + 1], x.A[i + 1], x.LAM[i + 1]
        row = i if x.given.shape[0] > 1 else 0
        given = x.given[row]
        state, env = State(q1, v1, vd1, lam), Env(x.times[i], x.scale[row])
        if h_old != 0.0 and h_old != h:  # as kernels have it
            aux = x.aux
            for k in range(n_v):
                aux[k] = a[k] + (h / h_old) * (x.AUX[i, k] - a[k])
        for k in range(c.n_c):
            lam[k] = lam0[k]
        acceleration, speed, place = begin(
            q, v, aux, a, a, h, s.beta, s.gamma, s.alpha_m, s.alpha_f, x.mass, n_linear, x.dq, v1, vd1, q1
        )
        reach = max(acceleration / wa, 1e-3 * abs(h) * speed)
        allowed = s.rtol * reach
        floor = 8.0 * EPS * max(place, s.position_size)
        noise, far = NOISE * floor, FAR * (floor / EPS + reach)
        rate_gap, renew = 0.0, True
        status, number = implicit_step.advance(step)
        if status != DONE:
            x.counts[FAILED] = 1
            break
        v_old = x.v_old if i == 0 else x.V[i - 1]
        third = finish(
            v, a, aux, v_old, h, h_old, s.alpha_m, s.alpha_f, x.mass, x.body_of, x.body_sizes, x.sums, v1, vd1,
            x.AUX[i + 1],
        )  # fmt: skip
        error = estimate * third / s.tolerance
        if c.controlled == 1:
            if not error <= 1.0:
                again = size_again(h, error, 1.0 / 3.0)
                if again < s.smallest:
                    x.counts[FAILED] = 1
                    break
                planned = again
                x.counts[EVALUATIONS] += evaluations
                x.counts[FACTORISATIONS] += factorisations
                x.counts[REJECTED] += 1
                continue
        elif c.chunk == 1 and not stands(error, before):
            x.counts[FAILED] = 1
            break
        if c.chunk == 1:
            happens = watch(state, env, 0)
            if happens:
                x.counts[HAPPENS] = 1
                break
        if c.samples == 1:
            refused, anew = False, 0
            if c.chunk == 1:
                refused, anew = sample(i, state, env)
            if refused:
                x.counts[FAILED], anew = 1, y.renewed[i]
                break
        x.errors[i], x.iterations[i] = error, number
        x.counts[EVALUATIONS] += evaluations
        x.counts[FACTORISATIONS] += factorisations
        if c.chunk == 1:
            account(i, state, env)
        if c.samples == 1:
            y.anew[0] = anew
        h_old, before = h, error
        i += 1
        x.counts[MADE] = i  # what a user's function raises ends the call in the next one
        if c.controlled == 1:
            begun = end
            planned = planned_size(planned, s.largest, h, size_after(h, error, 1.0 / 3.0, number))
            x.planned[0] = planned
            if end >= s.pause or end >= s.barrier:
                break
    x.planned[0] = planned
    if c.samples == 1:
        y.anew[0] = anew
    return i
