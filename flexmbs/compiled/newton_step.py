r"""Steps of generalized-alpha over arrays alone: the iteration of `flexmbs.integrators.generalized_alpha`, compiled.

`advance` is not called here. Its text becomes part of a generated module (`flexmbs.compiled.text`), in which the four
functions that stand here without a body, `residual`, `tangent`, `rates` and `account`, call the kernels of the groups
of one set of types. It takes the decisions of ``_Stepper._attempt`` in the same order from the same numbers, so both
give the same bits. A step that fails, or that step control would not accept, ends the call before it: the loop in
Python makes that step, with its further attempts and messages.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import inlined
from flexmbs.core.linsolve.static_band import band_factorise, band_solve
from flexmbs.core.sparsity import clear_blocks, rotate_blocks
from flexmbs.integrators.generalized_alpha import (
    CLOSED,
    EPS,
    FAR,
    GROWING,
    MET,
    MET_RATE,
    PATIENT,
    RATE,
)
from flexmbs.integrators.step_control import JUMP, SUSPECT, WRONG
from flexmbs.integrators.turning import MOST_TURN, TURN
from flexmbs.mechanics.step_matrix import scatter
from flexmbs.mechanics.steps import (
    begin,
    correct,
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

__all__ = ["Numbers", "Sizes", "StepArrays", "advance", "attempt", "settled", "solve", "stands"]


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
    """States: row i is the one before step i; what is given for each step (one row where it never changes); results
    of each step; constants of the system; its residual, blocks and matrix; scratch.
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


def residual(tables: Any, state: State, env: Env, given: FloatArray) -> bool:
    """`Dynamics.residual`; whether all items could be evaluated. Generated."""
    raise NotImplementedError


def tangent(
    tables: Any, state: State, env: Env, given: FloatArray, weights: tuple[float, float], on_rates: int
) -> bool:
    """`Dynamics.tangent`; whether all items could be evaluated. Generated."""
    raise NotImplementedError


def rates(tables: Any, rate: FloatArray) -> None:
    """Add G v of all constraints. Generated."""
    raise NotImplementedError


def rate_coupling(tables: Any, y: FloatArray, out: FloatArray) -> None:
    """`Dynamics.rate_coupling`. Generated."""
    raise NotImplementedError


def account(tables: Any, i: int, state: State, env: Env, powers: int) -> None:
    """After step i of a chunk: the powers of forces, if wanted, and turns. Generated."""
    raise NotImplementedError


@inlined
def stands(error: float, before: float) -> bool:
    """`FixedStep.accepts`."""
    return error <= WRONG and not (error > SUSPECT and before > 0.0 and error > JUMP * before)


@inlined
def settled(k: IntArray, d: FloatArray, v1: FloatArray, vd1: FloatArray, wv: float, h: float, rtol: float) -> bool:
    """Whether the last increments of the first-order states at ``k`` are small against the states."""
    for i in k:
        if not wv * abs(d[i]) <= rtol * (abs(v1[i]) + abs(h * vd1[i])):
            return False
    return True


@inlined
def solve(
    x: StepArrays, n_v: int, scale: float, position: float, velocity: float, width: tuple[float, ...]
) -> None:  # fmt: skip
    """`Dynamics.solve`, into ``x.d``."""
    n, W = x.b.shape[0], len(width)
    reduce(x.r, x.order, x.frame_dofs, x.frames, n_v, scale, position, velocity, x.velocity_rows, x.b)
    band_solve(x.data, n, x.solution, x.b, width)
    spread(x.solution[W : W + n], x.order, x.frame_dofs, x.frames, x.d)


def attempt(s: Numbers, c: Sizes, x: StepArrays, tables: Any, i: int, aux: FloatArray, width: Any) -> int:
    """Step i, from row i of the states into row i + 1; the number of iterations, 0 if it failed."""
    q, v, a = x.Q[i], x.V[i], x.A[i]
    q1, v1, vd1, lam = x.Q[i + 1], x.V[i + 1], x.A[i + 1], x.LAM[i + 1]
    dq, mass, n_v, wv, wa = x.dq, x.mass, c.n_v, s.wv, s.wa
    row = i if x.given.shape[0] > 1 else 0
    given, motion = x.given[row], x.motion[row]
    state, env = State(q1, v1, vd1, lam), Env(x.times[i], x.scale[row])
    weights = (1.0 / wa, wv / wa)
    lam[:] = x.LAM[i]
    acceleration, speed, size = begin(
        q, v, aux, a, a, s.h, s.beta, s.gamma, s.alpha_m, s.alpha_f, mass, c.n_linear, dq, v1, vd1, q1
    )
    reach = max(acceleration / wa, 1e-3 * abs(s.h) * speed)
    floor = 8.0 * EPS * max(size, s.position_size)
    last = math.inf
    renew = True
    gap = rate_gap = 0.0
    for number in range(1, c.most + 1):
        if renew or c.full == 1:
            tangent_operators(dq, c.n_linear, x.T)
            if x.turned.shape[0] > 0:
                clear_blocks(x.B, x.turned)
            x.counts[0] += 1
            if not tangent(tables, state, env, given, weights, c.two_levels):
                return 0
            if x.turned.shape[0] > 0:
                rotate_blocks(x.B, x.turned, x.frames)
            x.counts[1] += 1
            scatter(x.B, x.source, x.slots, x.masses, 1.0, x.mass_slots, x.slack, x.diagonal, x.data)
            if band_factorise(x.data, x.b.shape[0], x.reach, x.pivots, width) >= 0:
                return 0
        else:
            x.counts[0] += 1
            if not residual(tables, state, env, given):
                return 0
        if c.n_c > 0:
            gap = largest(x.r, n_v)
        if c.two_levels == 1:
            rate = x.rate
            for k in range(c.n_c):
                rate[k] = -motion[k, 1]
            rates(tables, rate)
            rate_gap = largest(rate, 0)
            hold_back(x.r, rate, x.velocity_rows, n_v, wv, x.held)
            solve(x, n_v, 0.0, 1.0, 1.0, width)
            rate_coupling(tables, x.d, rate)
            put_back(x.held, rate, n_v, x.d, x.r, dq)
            solve(x, n_v, 1.0 / wa, -1.0, -1.0, width)
        else:
            solve(x, n_v, 1.0 / wa, 1.0, 1.0 / wv, width)
        size = correct(x.d, mass, wv, wa, wa, n_v, dq, v1, vd1, lam)
        retract(q, dq, c.n_linear, q1)
        if not size < FAR * (floor / EPS + reach):
            return 0
        rate_of = size / last if last > 0.0 else 0.0
        small = rate_of < 1.0 and size * rate_of <= s.rtol * reach * (1.0 - rate_of) and gap <= CLOSED * s.length
        if number > PATIENT and rate_of > GROWING:
            return 0
        done = size <= floor or (number > 1 and (small or (rate_of > RATE and size <= 1e3 * floor)))
        done = done and gap <= MET * s.length
        if done and c.two_levels == 1:
            done = rate_gap <= MET_RATE * (largest(v1, 0) * max(1.0, s.length)) + MET * s.length / abs(s.h)
        if done and largest_turn(dq, c.n_linear, x.angles) > MOST_TURN:
            return 0
        if done and settled(x.states, x.d, v1, vd1, wv, s.h, s.rtol):
            return number
        renew = number > 1 and rate_of > RATE
        last = size
    return 0


def advance(s: Numbers, c: Sizes, x: StepArrays, tables: Any, width: Any) -> int:
    """Up to ``c.n`` steps; how many were made."""
    h_old, before = s.h_old, s.error_before
    for i in range(c.n):
        if c.chunk == 1:
            turn = largest_turn(x.V[i], c.n_linear, x.angles)
            if turn > 0.0 and TURN / turn < s.h:
                return i
        evaluations, factorisations = x.counts[0], x.counts[1]
        aux = x.AUX[i]
        if h_old != 0.0 and h_old != s.h:
            aux = x.aux
            for k in range(c.n_v):
                aux[k] = x.A[i, k] + (s.h / h_old) * (x.AUX[i, k] - x.A[i, k])
        number = attempt(s, c, x, tables, i, aux, width)
        error = math.inf
        if number > 0:
            third = finish(
                x.V[i], x.A[i], aux, x.v_old if i == 0 else x.V[i - 1], s.h, h_old, s.alpha_m, s.alpha_f, x.mass,
                x.body_of, x.body_sizes, x.sums, x.V[i + 1], x.A[i + 1], x.AUX[i + 1],
            )  # fmt: skip
            error = s.error_factor * third / s.tolerance
        if number == 0 or (c.chunk == 1 and not stands(error, before)):
            x.counts[0], x.counts[1] = evaluations, factorisations
            return i
        x.errors[i], x.iterations[i] = error, number
        if c.chunk == 1:
            row = i if x.given.shape[0] > 1 else 0
            state = State(x.Q[i + 1], x.V[i + 1], x.A[i + 1], x.LAM[i + 1])
            account(tables, i, state, Env(x.times[i], x.scale[row]), c.powers)
        h_old, before = s.h, error
    return c.n
