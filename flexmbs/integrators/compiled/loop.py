r"""Many steps over arrays alone: the loop around the steps of a scheme, compiled.

`advance` is not called here. Its statements become part of a generated function (`flexmbs.integrators.compiled.text`),
in which the fields of its arguments are plain variables, since compilers handle large tuples slowly. The operations of
a scheme (`newton_step`, `explicit_stages`, `backward_step`) take the places of their calls (`inline`), and calls of the
kernels of one set of types those of what is `written`. Sizes of steps are chosen by the functions of
`flexmbs.integrators.step_control`, or by the scheme; one that is rejected for its error is made again here. A step that
fails, or a fixed one that would not be accepted, ends the call before it: the loop in Python makes that step, with its
further attempts and messages.
"""

# ruff: noqa: F841  # the operations that are written into `advance` use its variables

from __future__ import annotations

import math
from typing import Any

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.linsolve.static_band import band_factorise, band_solve
from flexmbs.core.sparsity import rotate_blocks
from flexmbs.dynamics.step_matrix import scatter
from flexmbs.integrators import step_control
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
from flexmbs.integrators.compiled.written import account, sample, watch
from flexmbs.integrators.implicit_step import DONE
from flexmbs.integrators.step_control import JUMP, NEAR, SUSPECT, WRONG
from flexmbs.integrators.stepper import TURN
from flexmbs.kernels.steps import largest_turn, reduce, spread

__all__ = ["advance", "factorise", "solve", "stands"]

ENDLESS = math.inf

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
def solve(
    r: FloatArray, order: IntArray, frame_dofs: IntArray, frames: FloatArray, n_v: int, scale: float, position: float,
    velocity: float, velocity_rows: IntArray, b: FloatArray, data: FloatArray, solution: FloatArray,
    width: tuple[float, ...], edge: FloatArray | None, d: FloatArray,
) -> None:  # fmt: skip
    """`Dynamics.solve`, into ``d``."""
    n, W = b.shape[0], len(width)
    reduce(r, order, frame_dofs, frames, n_v, scale, position, velocity, velocity_rows, b)
    band_solve(data, n, solution, b, width, edge)
    spread(solution[W : W + n], order, frame_dofs, frames, d)


@kernel
def factorise(
    B: FloatArray, turned: IntArray, frames: FloatArray, source: Any, slots: Any, masses: FloatArray, mass_slots: Any,
    compliance: FloatArray, equations: IntArray, diagonal: Any, data: FloatArray, n: int, reach: IntArray,
    pivots: FloatArray, width: tuple[float, ...], edge: FloatArray | None,
) -> bool:  # fmt: skip
    """`Dynamics.factorise`, of blocks with the mass; whether it needs pivots, which Python looks for."""
    if turned.shape[0] > 0:
        rotate_blocks(B, turned, frames)
    scatter(B, source, slots, masses, 1.0, mass_slots, compliance, equations, diagonal, data)
    return band_factorise(data, n, reach, pivots, width, edge) >= 0


def advance(s: Numbers, c: Sizes, x: StepArrays, y: ControlArrays, step: Any) -> int:
    """Up to ``c.n`` steps; how many were made. The operations of ``step`` use and set the variables in here."""
    h, n_v, n_linear = s.h, c.n_v, c.n_linear
    h_old, before, planned, begun = s.h_old, s.error_before, s.h, s.t
    evaluations, factorisations = 0, 0
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
            longest = step.limited(longest)
            if c.controlled == 1:
                if s.barrier - begun <= NEAR * planned:
                    break
                h, end = next_end(begun, min(planned, s.largest, longest), s.barrier)
                x.times[i], x.ends[i], x.sizes[i] = begun + h, end, h
            elif longest < h:
                x.counts[FAILED] = 1
                break
        q, a, aux, lam0 = x.Q[i], x.A[i], x.AUX[i], x.LAM[i]
        evaluations = factorisations = 0
        if c.samples == 1:
            y.renewed[i] = anew
            if anew == 1:
                refused = step.restart()
                if refused:
                    x.counts[FAILED] = 1
                    break
                a, aux, lam0, h_old = y.A0[i], y.AUX0[i], y.LAM0[i], -h
        q1, v1, vd1, lam = x.Q[i + 1], x.V[i + 1], x.A[i + 1], x.LAM[i + 1]
        status, number, error = step.make()
        if status != DONE:
            x.counts[FAILED] = 1
            break
        if c.controlled == 1:
            if not error <= 1.0:
                again = step.again()
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
        h_old, before, begun = h, error, x.ends[i]
        i += 1
        x.counts[MADE] = i  # what a user's function raises ends the call in the next one
        if c.controlled == 1:
            planned = planned_size(planned, s.largest, h, step.proposed())
            x.planned[0] = planned
            if begun >= s.pause or begun >= s.barrier:
                break
    x.planned[0] = planned
    if c.samples == 1:
        y.anew[0] = anew
    return i
