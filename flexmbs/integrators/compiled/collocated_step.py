r"""A step of Radau IIA over arrays alone: `flexmbs.integrators.radau_step.advance`, compiled.

The functions within `operations` are what the loop (`flexmbs.integrators.compiled.loop`) asks of a scheme, and what
`radau_step.advance` asks of a step: they do what the methods of `flexmbs.integrators.radau_newton.RadauNewton` do. None
of them is called: they are written into the places of their calls, and so is the text of `radau_step.advance`
(`flexmbs.integrators.compiled.inline`).

Jacobian and factors are those of the `RadauMatrix` of the stepper, which has them in arrays with where they were made:
either road goes on with what the other has left. What a step remembers has a row for each state, so that a step that is
rejected leaves nothing to be undone but a Jacobian.
"""

# ruff: noqa: F841, RUF059  # the decisions that are written into the loop use these variables

from __future__ import annotations

import math
from typing import Any, NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.linsolve.complex_band import complex_band_factorise, complex_band_solve
from flexmbs.core.linsolve.static_band import band_factorise
from flexmbs.core.sparsity import clear_blocks, rotate_blocks
from flexmbs.dynamics.step_matrix import scatter
from flexmbs.integrators import radau_step
from flexmbs.integrators.collocation import NODES
from flexmbs.integrators.compiled.loop import solve
from flexmbs.integrators.compiled.step_arrays import ControlArrays, Numbers, Sizes, StepArrays
from flexmbs.integrators.compiled.written import rates, residual, tangent
from flexmbs.integrators.implicit_step import DONE, SLOW
from flexmbs.integrators.radau_newton import CLOSED, MET, MET_RATE, RATE_CLOSED, ROUNDED
from flexmbs.integrators.radau_stages import (
    EXPONENT,
    FOREMOST,
    KEEP,
    LATEST,
    against,
    ahead,
    change_stages,
    combine,
    copy_state,
    filtered,
    follow,
    keep_stage,
    larger,
    left_of_positions,
    next_factor,
    overwrite,
    product,
    prolong,
    put,
    rest,
    right_sides,
    same_state,
    scatter_complex,
    slopes_at_start,
    split,
    states_small,
    take,
    widened,
    without_velocity_rows,
)
from flexmbs.integrators.stepper import MOST_TURN, TURN
from flexmbs.kernels.inertia import inertia_force
from flexmbs.kernels.steps import (
    largest_of_bodies,
    largest_part,
    largest_turn,
    local,
    reduce,
    retract,
    spread,
    untwist,
)

__all__ = ["KEPT", "KNOWN", "REMEMBERED", "CollocatedTable", "operations"]

DECISIONS = radau_step
"""The module whose `advance` is written into the step."""
ENDLESS, UNKNOWN = math.inf, math.nan
REMEMBERED = KNOWN, KEPT, SIZE, ERROR, PROPOSED = range(5)
"""Columns of what is remembered with a state: whether a step led to it, whether its Jacobian is kept, and numbers."""
AT_START, AT_FOREMOST, AT_STAGES, AT_END = 0, 1, 2, 4
"""Rows of what is given for a step: at its start, where the Jacobian is made, in the stages, the last at the end."""


class CollocatedTable(NamedTuple):
    """Numbers of the scheme, its matrices, what it remembers, and its scratch.

    By row of the states ``remembered`` (`REMEMBERED`), the first two stages (2, n) of the step before as ``*_before``,
    and the place ``kept_*`` of a Jacobian kept. ``at_*``: where that of the matrix was made; ``aim_*``: where it is
    wanted. ``tried (1,)``: row of the state from which a step was tried last; ``found (1,)``: whether the Jacobian that
    it wanted was there, and ``found_for`` which step its factors, NaN for none.
    """

    limit: float
    rtol: float
    tolerated: float
    most: int
    states: IntArray
    resolutions: FloatArray
    velocity_sizes: FloatArray
    mass_ends: IntArray
    mass_columns: IntArray
    mass_values: FloatArray
    kinds: IntArray
    rows: IntArray
    columns: IntArray
    powers: FloatArray
    both: FloatArray
    combined: FloatArray
    re: FloatArray
    im: FloatArray
    sizes: FloatArray
    part_re: FloatArray
    part_im: FloatArray
    there: IntArray
    made_for: FloatArray
    at_t: FloatArray
    at_q: FloatArray
    at_v: FloatArray
    at_a: FloatArray
    at_lam: FloatArray
    softer: FloatArray
    compliant: IntArray
    linearised: IntArray
    tried: IntArray
    found: IntArray
    found_for: FloatArray
    remembered: FloatArray
    theta_before: FloatArray
    v_before: FloatArray
    a_before: FloatArray
    lam_before: FloatArray
    kept_t: FloatArray
    kept_q: FloatArray
    kept_v: FloatArray
    kept_a: FloatArray
    kept_lam: FloatArray
    aim_q: FloatArray
    aim_v: FloatArray
    aim_a: FloatArray
    aim_lam: FloatArray
    V: FloatArray
    Y: FloatArray
    theta: FloatArray
    a: FloatArray
    v: FloatArray
    change: FloatArray
    r: FloatArray
    lam: FloatArray
    gap: FloatArray
    rate: FloatArray
    left: FloatArray
    x: FloatArray
    y: FloatArray
    d_re: FloatArray
    d_im: FloatArray
    right_re: FloatArray
    right_im: FloatArray
    slope: FloatArray
    second: FloatArray
    momentum: FloatArray
    way: FloatArray
    still: FloatArray
    end: FloatArray
    gaps: FloatArray
    factor: FloatArray


def operations(
    s: Numbers, c: Sizes, x: StepArrays, y: ControlArrays, z: CollocatedTable, width: tuple[float, ...], step: Any,
    i: int, n_v: int, n_linear: int, h: float, h_old: float, begun: float, q: FloatArray, v: FloatArray, a: FloatArray,
    lam0: FloatArray, q1: FloatArray, v1: FloatArray, vd1: FloatArray, lam: FloatArray, evaluations: int,
    factorisations: int, state: State, env: Env, given: FloatArray, weights: tuple[float, float], number: int,
    spent: int, rate: float, error: float, aim_t: float, aim_row: int,
) -> None:  # fmt: skip
    """What the loop and the decisions ask for; arguments from ``i`` on are variables of these."""
    most, limit, factor = z.most, z.limit, 1.0
    first = -1
    off, rate_off, speed = 0.0, 0.0, 0.0

    def limited(longest: float) -> float:
        return longest

    def again() -> float:
        return h * factor

    def proposed() -> float:
        return h * factor

    def make() -> tuple[int, int, float]:
        nonlocal first, state, env, factor, number
        first = i * c.rows if x.given.shape[0] > 1 else -1
        z.tried[0] = i
        status, number, spent, rate, error, back = radau_step.advance(step)
        if status == DONE:
            local(z.at_q, q1, n_linear, z.way)
            keep = rate <= KEEP and largest_turn(z.way, n_linear, x.angles) < TURN
            factor = next_factor(
                error, h, z.remembered[i, KNOWN] == 1.0, z.remembered[i, SIZE], z.remembered[i, ERROR],
                z.remembered[i, PROPOSED], number, most, rate, keep, EXPONENT,
            )  # fmt: skip
            z.factor[0] = factor
            z.remembered[i + 1, KNOWN], z.remembered[i + 1, KEPT] = 1.0, 1.0 if keep else 0.0
            z.remembered[i + 1, SIZE], z.remembered[i + 1, ERROR] = h, max(LATEST, error)
            z.remembered[i + 1, PROPOSED] = factor * h
            for stage in range(2):
                copy_state(
                    z.theta[stage], z.V[stage], z.a[stage], z.lam[stage], z.theta_before[i + 1, stage],
                    z.v_before[i + 1, stage], z.a_before[i + 1, stage], z.lam_before[i + 1, stage],
                )  # fmt: skip
            if keep:
                z.kept_t[i + 1] = z.at_t[0]
                copy_state(
                    z.at_q, z.at_v, z.at_a, z.at_lam, z.kept_q[i + 1], z.kept_v[i + 1], z.kept_a[i + 1],
                    z.kept_lam[i + 1],
                )  # fmt: skip
            overwrite(vd1, x.AUX[i + 1])
            number = spent
        return status, number, error

    def prepare(attempt: int, status: int) -> bool:
        nonlocal aim_row, aim_t
        refused, expected_one, known = False, attempt == 1 and status == SLOW, z.remembered[i, KNOWN] == 1.0
        kept = attempt == 0 and known and z.remembered[i, KEPT] == 1.0
        if not expected_one:
            rest(lam0, z.V, z.Y, z.theta, z.lam)
            if attempt == 0 and known:
                v_old = x.v_old if i == 0 else x.V[i - 1]
                prolong(h, h_old, v_old, z.v_before[i], v, z.lam_before[i], lam0, z.V, z.lam)
                expected_one = not kept
        if expected_one:
            follow(h, v, z.V, z.Y, n_linear, z.v, z.a, z.theta)
            ahead(
                q, v, z.V, z.theta, z.a, z.lam, n_linear, z.way, z.aim_q, z.aim_v, z.aim_a, z.aim_lam
            )  # fmt: skip
            aim_t, aim_row = begun + FOREMOST * h, AT_FOREMOST
            if attempt == 1:
                for stage in range(3):
                    overwrite(z.still, z.Y[stage])
        elif kept:
            copy_state(
                z.kept_q[i], z.kept_v[i], z.kept_a[i], z.kept_lam[i], z.aim_q, z.aim_v, z.aim_a, z.aim_lam
            )  # fmt: skip
            aim_t, aim_row = z.kept_t[i], AT_START
        else:
            copy_state(q, v, a, lam0, z.aim_q, z.aim_v, z.aim_a, z.aim_lam)
            aim_t, aim_row = begun, AT_START
        aim_row = first + aim_row if first >= 0 else 0
        here = z.there[0] == 1 and z.at_t[0] == aim_t
        here = here and same_state(z.at_q, z.at_v, z.at_a, z.at_lam, z.aim_q, z.aim_v, z.aim_a, z.aim_lam)
        if attempt == 0:
            z.found[0], z.found_for[0] = 1 if here else 0, z.made_for[0]
        if not here:
            refused = kept and first >= 0  # what was given at that time is not known here
            if not refused:
                refused = step.linearise()
        if not refused and z.made_for[0] != h:
            refused = step.decompose()
        if not refused and z.compliant[0] == 1:
            for stage in range(3):
                put(z.lam[stage], z.right_re)
                reduce(
                    z.right_re, x.order, x.frame_dofs, x.frames, n_v, -1.0, -1.0, -1.0, x.velocity_rows, z.x
                )  # fmt: skip
                product(z.powers[0], x.source, z.rows, z.columns, z.x, z.y)
                spread(z.y, x.order, x.frame_dofs, x.frames, z.right_re)
                against(z.right_re, n_v, x.r)
                taken = step.solved()
                for k in range(c.n_c):
                    z.lam[stage, k] = x.d[n_v + k]
        return refused

    def linearise() -> bool:
        nonlocal evaluations, state, env, given, weights
        untwist(x.T)
        z.there[0], z.made_for[0] = 0, UNKNOWN
        given, env = x.given[aim_row], Env(aim_t, x.scale[aim_row])
        state = State(z.aim_q, z.aim_v, z.aim_a, z.aim_lam)
        refused, weights = False, (1.0, 1.0)
        for part in range(2):
            if x.turned.shape[0] > 0:
                clear_blocks(x.B, x.turned)
            evaluations += 1
            refused = tangent(state, env, given, weights, 1)
            if refused:
                break
            if part == 0:
                overwrite(x.B, z.both)
                weights = (0.0, 1.0)
        if not refused:
            split(z.kinds, z.both, x.B, z.powers)
            if x.turned.shape[0] > 0:
                for part in range(3):
                    rotate_blocks(z.powers[part], x.turned, x.frames)
            z.at_t[0], z.there[0] = aim_t, 1
            copy_state(z.aim_q, z.aim_v, z.aim_a, z.aim_lam, z.at_q, z.at_v, z.at_a, z.at_lam)
            z.linearised[0] += 1
        return refused

    def decompose() -> bool:
        nonlocal factorisations
        z.made_for[0] = UNKNOWN
        combine(z.powers, x.source, h, z.combined)
        factorisations += 1
        scatter(
            z.combined, x.source, x.slots, x.masses, 1.0, x.mass_slots, z.softer, x.equations, x.diagonal, x.data
        )  # fmt: skip
        refused = band_factorise(x.data, x.b.shape[0], x.reach, x.pivots, width, x.edge) >= 0
        if not refused:
            factorisations += 1
            scatter_complex(
                z.powers, x.source, x.slots, h, x.masses, x.mass_slots, z.softer, x.equations, x.diagonal, z.re, z.im
            )  # fmt: skip
            refused = complex_band_factorise(z.re, z.im, x.b.shape[0], x.reach, z.sizes, width, x.edge) >= 0
            if not refused:
                z.made_for[0] = h
        return refused

    def solved() -> bool:  # of minus x.r, into x.d; always true, as a call has to be assigned
        solve(
            x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution, width,
            x.edge, x.d,
        )  # fmt: skip
        return True

    def evaluate() -> bool:
        nonlocal evaluations, state, env, given
        refused = False
        follow(h, v, z.V, z.Y, n_linear, z.v, z.a, z.theta)
        for stage in range(3):
            retract(q, z.theta[stage], n_linear, q1)
            row = first + AT_STAGES + stage if first >= 0 else 0
            given, env = x.given[row], Env(begun + NODES[stage] * h, x.scale[row])
            state = State(q1, z.v[stage], z.a[stage], z.lam[stage])
            evaluations += 1
            refused = residual(state, env, given)
            if refused:
                break
            if c.constrained == 1:
                for k in range(c.n_c):
                    x.rate[k] = -x.motion[row, k, 1]
                rates(x.rate)
            keep_stage(stage, x.r, x.rate, z.r, z.gap, z.rate)
        return refused

    def correct() -> float:
        size = 0.0
        if c.constrained == 1:
            left_of_positions(h, z.gap, z.rate, x.velocity_rows, z.left)
            for stage in range(3):
                put(z.left[stage], x.r)
                taken = step.solved()
                take(x.d, z.Y[stage])
                overwrite(x.d, z.way)
                size = larger(size, largest_of_bodies(z.way, x.mass, x.body_of, x.body_sizes, x.sums))
        right_sides(h, z.r, z.rate, x.r, z.right_re, z.right_im)
        taken = step.solved()
        reduce(z.right_re, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, z.x)
        reduce(z.right_im, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, z.y)
        complex_band_solve(z.re, z.im, x.b.shape[0], z.part_re, z.part_im, z.x, z.y, width, x.edge)
        spread(z.x, x.order, x.frame_dofs, x.frames, z.d_re)
        spread(z.y, x.order, x.frame_dofs, x.frames, z.d_im)
        change_stages(h, x.d, z.d_re, z.d_im, z.V, z.lam, z.change)
        for stage in range(3):
            moved = abs(h) * largest_of_bodies(z.change[stage], x.mass, x.body_of, x.body_sizes, x.sums)
            size = larger(size, moved)
        return size

    def settled() -> bool:
        return states_small(z.states, z.resolutions, v, z.V, z.change, z.rtol)

    def conclude() -> float:
        follow(h, v, z.V, z.Y, n_linear, z.v, z.a, z.theta)
        slopes_at_start(h, v, a, z.theta, z.V, z.slope, z.second)
        inertia_force(z.mass_ends, z.mass_columns, z.mass_values, z.second, z.still, z.momentum)
        for k in range(n_v):
            z.right_re[k] = z.slope[k]
        for k in range(c.n_c):
            z.right_re[n_v + k] = 0.0
        reduce(z.right_re, x.order, x.frame_dofs, x.frames, n_v, -1.0, -1.0, -1.0, x.velocity_rows, z.x)
        product(z.powers[2], x.source, z.rows, z.columns, z.x, z.y)
        spread(z.y, x.order, x.frame_dofs, x.frames, z.right_re)
        filtered(h, z.momentum, z.right_re, x.r)
        taken = step.solved()
        overwrite(x.d, z.way)
        widened(h, z.way, z.slope)
        size = largest_of_bodies(z.slope, x.mass, x.body_of, x.body_sizes, x.sums)
        size = larger(size, abs(h) * largest_of_bodies(z.way, x.mass, x.body_of, x.body_sizes, x.sums))
        copy_state(z.theta[2], z.v[2], z.a[2], z.lam[2], z.end, v1, vd1, lam)
        error = size / z.tolerated if size < ENDLESS else ENDLESS
        return error  # noqa: RET504  # the call is replaced by statements

    def arrive() -> bool:
        nonlocal evaluations, state, env, given, off, rate_off, speed
        row = first + AT_END if first >= 0 else 0
        retract(q, z.end, n_linear, q1)
        given, env = x.given[row], Env(x.times[i], x.scale[row])
        state = State(q1, v1, vd1, lam)
        evaluations += 1
        refused = residual(state, env, given)
        if not refused:
            if c.constrained == 1:
                for k in range(c.n_c):
                    x.rate[k] = -x.motion[row, k, 1]
                rates(x.rate)
                without_velocity_rows(x.r, n_v, x.velocity_rows, z.gaps)
                off, rate_off = largest_part(z.gaps, x.equation_sizes), largest_part(x.rate, x.equation_sizes)
            speed = largest_part(v1, z.velocity_sizes)
        return refused

    def closed() -> bool:
        return off <= CLOSED and rate_off <= RATE_CLOSED * speed + ROUNDED / abs(h)

    def met() -> bool:
        return off <= MET and rate_off <= MET_RATE * speed + MET / abs(h)

    def close() -> bool:
        put(z.gaps, x.r)
        taken = step.solved()
        take(x.d, z.end)
        put(x.rate, x.r)
        taken = step.solved()
        take(x.d, v1)
        return True

    def turned() -> bool:
        return largest_turn(z.theta[2], n_linear, x.angles) > MOST_TURN

    def restart() -> bool:  # Python finds the accelerations after a jump of held forces
        return True
