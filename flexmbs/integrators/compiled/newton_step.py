r"""Steps of generalized-alpha over arrays alone: `flexmbs.integrators.implicit_step.advance`, compiled.

`advance` is not called here. Its statements become part of a generated function (`flexmbs.integrators.compiled.text`),
in which the fields of its arguments are plain variables, since compilers handle large tuples slowly. The text of
`implicit_step.advance` takes the place of its call, and the functions within `advance` here, which do what the methods
of `generalized_alpha.NewmarkStepper` do, that of its operations (`flexmbs.integrators.compiled.inline`); in place of
the functions that stand here without a body are calls of the kernels of one set of types. So the loop in Python and the
compiled one take the same decisions from the same numbers, and give the same bits. A step that fails, or that step
control would not accept, ends the call before it: the loop in Python makes that step, with its further attempts and
messages.
"""

# ruff: noqa: F841  # the decisions that are written into `advance` use its variables

from __future__ import annotations

from typing import Any, NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.linsolve.static_band import band_factorise, band_solve
from flexmbs.core.sparsity import clear_blocks, rotate_blocks
from flexmbs.dynamics.step_matrix import scatter
from flexmbs.integrators import implicit_step
from flexmbs.integrators.implicit_step import CLOSED, DONE, EPS, FAR, MET, MET_RATE, NOISE, ImplicitStep
from flexmbs.integrators.step_control import JUMP, SUSPECT, WRONG
from flexmbs.integrators.stepper import MOST_TURN, TURN
from flexmbs.kernels.steps import (
    begin,
    finish,
    hold_back,
    largest,
    largest_turn,
    put_back,
    reduce,
    retract,
    spread,
    tangent_operators,
)
from flexmbs.kernels.steps import correct as add

__all__ = ["Numbers", "Sizes", "StepArrays", "advance", "solve", "stands", "states_settled"]


class Numbers(NamedTuple):
    """Numbers of the scheme and of a call; ``error_factor`` times the third derivative is the error estimate."""

    h: float
    h_old: float
    error_before: float
    beta: float
    gamma: float
    alpha_m: float
    alpha_f: float
    wv: float
    wa: float
    error_factor: float
    tolerance: float
    rtol: float
    length: float
    position_size: float


class Sizes(NamedTuple):
    """Number of steps, sizes of the system, and choices (0 or 1) of the scheme and of a call.

    ``chunk``: several steps, so turns are counted, and steps judged, in between; ``powers``: forces tell their power.
    """

    n: int
    n_v: int
    n_c: int
    n_linear: int
    most: int
    two_levels: int
    full: int
    chunk: int
    powers: int


class StepArrays(NamedTuple):
    """Arrays of a call, in this order.

    States, of which row i is the one before step i; what is given for each step (one row where it never changes);
    results of each step; constants of the system; its residual, blocks and matrix; scratch.
    """

    Q: FloatArray
    V: FloatArray
    A: FloatArray
    AUX: FloatArray
    LAM: FloatArray
    v_old: FloatArray
    times: FloatArray
    given: FloatArray
    motion: FloatArray
    scale: FloatArray
    errors: FloatArray
    iterations: IntArray
    counts: IntArray
    mass: FloatArray
    body_of: IntArray
    body_sizes: FloatArray
    angles: IntArray
    states: IntArray
    resolutions: FloatArray
    velocity_rows: IntArray
    order: IntArray
    frame_dofs: IntArray
    frames: FloatArray
    turned: IntArray
    r: FloatArray
    B: FloatArray
    T: FloatArray
    d: FloatArray
    b: FloatArray
    source: Any
    slots: Any
    masses: FloatArray
    mass_slots: Any
    slack: FloatArray
    diagonal: Any
    data: FloatArray
    reach: IntArray
    pivots: FloatArray
    solution: FloatArray
    dq: FloatArray
    aux: FloatArray
    rate: FloatArray
    held: FloatArray
    sums: FloatArray


def residual(state: State, env: Env, given: FloatArray) -> bool:
    """`Dynamics.residual`; whether an item was refused. Written for each set of types, as are the next four."""
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


def account(i: int, state: State, env: Env) -> None:
    """After step i of a chunk: the powers of forces, if wanted, and turns."""
    raise NotImplementedError


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


def advance(s: Numbers, c: Sizes, x: StepArrays, width: tuple[float, ...], step: ImplicitStep) -> int:
    """Up to ``c.n`` steps; how many were made. The members of ``step`` are the variables and functions in here."""
    h, wv, wa, n_v, n_linear = s.h, s.wv, s.wa, c.n_v, c.n_linear
    weights = (1.0 / wa, wv / wa)
    h_old, before = s.h_old, s.error_before
    most, full, exact = c.most, c.full == 1, False
    closed, met = CLOSED * s.length, MET * s.length
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
        return largest(x.r, n_v)

    def correct() -> float:
        nonlocal rate_gap
        scale, position, velocity = 1.0 / wa, 1.0, 1.0 / wv
        if c.two_levels == 1:
            for k in range(c.n_c):
                x.rate[k] = -x.motion[row, k, 1]
            rates(x.rate)
            rate_gap = largest(x.rate, 0)
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
        return c.two_levels == 0 or rate_gap <= (
            MET_RATE * (largest(v1, 0) * max(1.0, s.length)) + MET * s.length / abs(h)
        )

    def turned() -> bool:
        return largest_turn(x.dq, n_linear, x.angles) > MOST_TURN

    def settled() -> bool:
        return states_settled(x.states, x.resolutions, x.d, v1, vd1, wv, h, s.rtol)

    for i in range(c.n):
        v = x.V[i]
        if c.chunk == 1:
            turn = largest_turn(v, n_linear, x.angles)
            if turn > 0.0 and TURN / turn < h:
                return i
        q, a, aux = x.Q[i], x.A[i], x.AUX[i]
        q1, v1, vd1, lam = x.Q[i + 1], x.V[i + 1], x.A[i + 1], x.LAM[i + 1]
        row = i if x.given.shape[0] > 1 else 0
        given = x.given[row]
        state, env = State(q1, v1, vd1, lam), Env(x.times[i], x.scale[row])
        if h_old != 0.0 and h_old != h:  # as kernels have it
            aux = x.aux
            for k in range(n_v):
                aux[k] = a[k] + (h / h_old) * (x.AUX[i, k] - a[k])
        for k in range(c.n_c):
            lam[k] = x.LAM[i, k]
        acceleration, speed, place = begin(
            q, v, aux, a, a, h, s.beta, s.gamma, s.alpha_m, s.alpha_f, x.mass, n_linear, x.dq, v1, vd1, q1
        )
        reach = max(acceleration / wa, 1e-3 * abs(h) * speed)
        allowed = s.rtol * reach
        floor = 8.0 * EPS * max(place, s.position_size)
        noise, far = NOISE * floor, FAR * (floor / EPS + reach)
        rate_gap, renew, evaluations, factorisations = 0.0, True, 0, 0
        status, number = implicit_step.advance(step)
        if status != DONE:
            return i
        v_old = x.v_old if i == 0 else x.V[i - 1]
        third = finish(
            v, a, aux, v_old, h, h_old, s.alpha_m, s.alpha_f, x.mass, x.body_of, x.body_sizes, x.sums, v1, vd1,
            x.AUX[i + 1],
        )  # fmt: skip
        error = s.error_factor * third / s.tolerance
        if c.chunk == 1 and not stands(error, before):
            return i
        x.errors[i], x.iterations[i] = error, number
        x.counts[0] += evaluations
        x.counts[1] += factorisations
        if c.chunk == 1:
            account(i, state, env)
        h_old, before = h, error
    return c.n
