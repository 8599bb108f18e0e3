r"""A step of explicit Runge-Kutta over arrays alone: `flexmbs.integrators.explicit_step.advance`, compiled.

The functions within `operations` are what the loop (`flexmbs.integrators.compiled.loop`) asks of a scheme, and what
`explicit_step.advance` asks of a step: they do what the methods of the stepper of `flexmbs.integrators.runge_kutta` do,
with the constraints kept by `SuccessiveProjection`. None of them is called: they are written into the places of their
calls, and so is the text of `explicit_step.advance` (`flexmbs.integrators.compiled.inline`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import kernel
from flexmbs.integrators import explicit_step
from flexmbs.integrators.chart import slopes, stage
from flexmbs.integrators.compiled.form import Form
from flexmbs.integrators.compiled.loop import factorise, size_after, size_again, solve
from flexmbs.integrators.compiled.step_arrays import ControlArrays, Numbers, Sizes, StepArrays
from flexmbs.integrators.compiled.written import account, constraint_rows, gamma, masses, rates, residual
from flexmbs.integrators.constraints.quaternions import move_straight, renormalise
from flexmbs.integrators.constraints.successive_projection import SWEEPS, SuccessiveProjection
from flexmbs.integrators.explicit_step import DONE, MET, all_finite, estimated_error, position_gap
from flexmbs.integrators.quintic import QuinticInterpolant
from flexmbs.integrators.stepper import MOST_TURN
from flexmbs.kernels.steps import largest_of_bodies, largest_turn, local, untwist

if TYPE_CHECKING:
    from flexmbs.integrators.index_one import IndexOne
    from flexmbs.integrators.runge_kutta import RungeKutta
    from flexmbs.integrators.tableaux import Tableau

__all__ = ["ExplicitForm", "ExplicitTable", "clear", "operations"]

DECISIONS = explicit_step
"""The module whose `advance` is written into the step."""


class ExplicitTable(NamedTuple):
    """The method, and its scratch.

    ``parts (s + 1,)``: times of the stages and of the end, as parts of the step; ``rows``: which row of what is given
    for a step belongs to each; ``weights (s + 1, s)`` of the slopes before; ``e`` of the error estimate.
    """

    stages: int
    parts: FloatArray
    rows: IntArray
    weights: FloatArray
    e: FloatArray
    slope: FloatArray
    acceleration: FloatArray
    theta: FloatArray
    rate: FloatArray
    second: FloatArray
    still: FloatArray
    free: FloatArray
    kept: FloatArray
    moved: FloatArray


@kernel
def clear(x: FloatArray, n: int) -> None:
    """The first n numbers to zero."""
    for i in range(n):
        x[i] = 0.0


def operations(
    s: Numbers, c: Sizes, x: StepArrays, y: ControlArrays, z: ExplicitTable, width: tuple[float, ...], step: Any,
    i: int, n_v: int, n_linear: int, h: float, begun: float, q: FloatArray, v: FloatArray, a: FloatArray,
    q1: FloatArray, v1: FloatArray, vd1: FloatArray, lam: FloatArray, evaluations: int, factorisations: int,
    state: State, env: Env, given: FloatArray, motion: FloatArray, number: int, error: float,
) -> None:  # fmt: skip
    """What the loop and the decisions ask for; arguments from ``i`` on are variables of the loop."""
    stages, first = z.stages, 0

    def make() -> tuple[int, int, float]:
        nonlocal first, state
        first = i * c.rows if x.given.shape[0] > 1 else -1
        for k in range(n_v):
            z.slope[0, k], z.acceleration[0, k] = v[k], a[k]
        status, number, error = explicit_step.advance(step)
        if status == DONE:
            for k in range(n_v):
                x.AUX[i + 1, k] = vd1[k]
            state = State(q1, v1, vd1, lam)
            error = error / s.tolerance
        return status, number, error

    def limited(longest: float) -> float:
        return longest

    def again() -> float:
        return size_again(h, error, s.exponent)

    def proposed() -> float:
        return size_after(h, error, s.exponent, number)

    def place(number: int) -> float:
        stage(q, v, z.slope, z.acceleration, z.weights[number], number, h, n_linear, z.theta, v1, q1)
        size = largest_of_bodies(z.theta, x.mass, x.body_of, x.body_sizes, x.sums)
        return size  # noqa: RET504  # the call is replaced by statements

    def finite() -> bool:
        return all_finite(v1)

    def turned() -> bool:
        return largest_turn(z.theta, n_linear, x.angles) > MOST_TURN

    def project() -> bool:  # `SuccessiveProjection`
        nonlocal evaluations, state, env, given, motion
        refused = False
        if c.constrained == 1:
            untwist(x.T)
            row = first + z.rows[stages] if first >= 0 else 0
            given, motion, env = x.given[row], x.motion[row], Env(begun + z.parts[stages] * h, x.scale[row])
            renormalise(q1, n_linear)
            for sweep in range(2 * SWEEPS):
                state = State(q1, v1, z.still, z.free)
                evaluations += 1
                refused = residual(state, env, given)
                if refused:
                    break
                if sweep == 0:
                    refused = step.decompose()
                    if refused:
                        break
                clear(x.r, n_v)
                if sweep >= SWEEPS:
                    for k in range(c.n_c):
                        x.rate[k] = -motion[k, 1]
                    rates(x.rate)
                    for k in range(c.n_c):
                        x.r[n_v + k] = x.rate[k]
                solve(
                    x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 0.0 if sweep < SWEEPS else 1.0,
                    x.velocity_rows, x.b, x.data, x.solution, width, x.edge, x.d,
                )  # fmt: skip
                if sweep < SWEEPS:
                    move_straight(q1, x.d, n_linear, z.moved)
                    renormalise(z.moved, n_linear)
                    for k in range(q1.shape[0]):
                        q1[k] = z.moved[k]
                else:
                    for k in range(n_v):
                        v1[k] += x.d[k]
        return refused

    def evaluate(number: int) -> bool:
        nonlocal evaluations, state, env, given, motion
        untwist(x.T)
        row = first + z.rows[number] if first >= 0 else 0
        given, motion, env = x.given[row], x.motion[row], Env(begun + z.parts[number] * h, x.scale[row])
        state = State(q1, v1, z.still, z.free)
        evaluations += 1
        refused = residual(state, env, given)
        if number < stages:
            slopes(z.theta, v1, n_linear, z.slope[number])
        return refused

    def apart() -> bool:
        return c.n_c > 0 and position_gap(x.r, n_v, x.equation_sizes, x.velocity_rows) > MET

    def decompose() -> bool:  # G and G^T, masses that change, and the factors; a constant mass alone has its factors
        nonlocal factorisations
        refused = False
        if c.factors == 1:
            clear(x.B, x.B.shape[0])
        if c.constrained == 1:
            for k in range(n_v + c.n_c):
                z.kept[k] = x.r[k]
            refused = constraint_rows(state, env, (0.0, 0.0), 0)
            for k in range(n_v + c.n_c):
                x.r[k] = z.kept[k]
        if c.moves == 1:
            masses(state)
        if c.factors == 1:
            factorisations += 1
            refused = refused or factorise(
                x.B, x.turned, x.frames, x.source, x.slots, x.masses, x.mass_slots, x.compliance, x.equations,
                x.diagonal, x.data, x.b.shape[0], x.reach, x.pivots, width, x.edge,
            )  # fmt: skip
        return refused

    def solution() -> bool:  # accelerations and multipliers at the state evaluated last, into x.d
        refused = step.decompose()
        if c.constrained == 1:
            for k in range(c.n_c):
                x.rate[k] = -motion[k, 2]
            gamma(state, x.rate)
            for k in range(c.n_c):
                x.r[n_v + k] = x.rate[k]
        solve(
            x.r, x.order, x.frame_dofs, x.frames, n_v, 1.0, 1.0, 1.0, x.velocity_rows, x.b, x.data, x.solution, width,
            x.edge, x.d,
        )  # fmt: skip
        return refused  # type: ignore[no-any-return]

    def accelerate(number: int) -> bool:
        refused = step.solution()
        for k in range(n_v):
            z.acceleration[number, k] = x.d[k]
            vd1[k] = x.d[k]
        for k in range(c.n_c):
            lam[k] = x.d[n_v + k]
        return refused  # type: ignore[no-any-return]

    def measure() -> float:
        local(q, q1, n_linear, z.theta)
        size = largest_of_bodies(z.theta, x.mass, x.body_of, x.body_sizes, x.sums)
        return size  # noqa: RET504  # the call is replaced by statements

    def settled() -> bool:
        return all_finite(vd1) and all_finite(lam)

    def estimate() -> float:
        error = estimated_error(
            z.e, h, v, a, z.theta, v1, vd1, n_linear, z.slope, z.acceleration, z.rate, z.second, x.mass, x.body_of,
            x.body_sizes, x.sums,
        )  # fmt: skip
        return error  # noqa: RET504  # the call is replaced by statements

    def restart() -> bool:  # `RungeKutta.start`
        nonlocal evaluations, state, env, given, motion, a, lam
        untwist(x.T)
        row = i if y.given.shape[0] > 1 else 0
        given, motion, env = y.given[row], y.motion[row], Env(y.starts[i], y.scale[row])
        state = State(q, v, z.still, z.free)
        evaluations += 1
        refused = residual(state, env, given)
        if not refused:
            refused = step.solution()
        if not refused:
            a, lam = y.A0[i], y.LAM0[i]
            for k in range(n_v):
                a[k] = y.AUX0[i, k] = x.d[k]
            for k in range(c.n_c):
                lam[k] = x.d[n_v + k]
            refused = not (all_finite(a) and all_finite(lam))
            state = State(q, v, a, lam)
            evaluations += c.powers  # which Python makes to have them
            account(x.Q.shape[0] - 1 + i, state, env)
        return refused


class ExplicitForm(Form):
    """Steps of `RungeKutta`."""

    module, between = sys.modules[__name__], QuinticInterpolant
    written = ("residual", "constraint_rows", "masses", "gamma", "rates")

    def __init__(self, scheme: RungeKutta, equations: IndexOne, tableau: Tableau) -> None:
        self.scheme, self.equations, self.tableau = scheme, equations, tableau
        self.exponent, self.nodes = tableau.exponent, tableau.nodes

    def hindrance(self) -> str:
        dyn = self.equations.dynamics
        if dyn.n_c and type(self.scheme.constraints) is not SuccessiveProjection:
            return f"constraints are kept by {type(self.scheme.constraints).__name__}"
        if dyn.compliant:
            return "constraints follow from others, which are left out of the stages"
        for group in dyn.mechanics.groups:
            if group.moving is not None and group.moving.recursive and not group.moving.alone:
                return f"it has bodies of the kind {group.kind!r}, whose mass is renewed with their tangent alone"
        return ""

    def table(self, most: int) -> ExplicitTable:
        dyn, tableau, n_v = self.equations.dynamics, self.tableau, self.equations.n_v
        n = len(tableau.c)
        parts = np.array([*tableau.c, 1.0])
        rows = np.array([0, *map(self.nodes.index, parts[1:].tolist())], dtype=np.int64)
        return ExplicitTable(
            n, parts, rows, tableau.weights, tableau.e, np.zeros((n + 1, n_v)), np.zeros((n + 1, n_v)), np.zeros(n_v),
            np.zeros(n_v), np.zeros(n_v), np.zeros(n_v), np.zeros(dyn.n_c), np.zeros(n_v + dyn.n_c), np.zeros(dyn.n_q),
        )  # fmt: skip

    def ready(self) -> bool:
        """A constant mass without constraints is factorised once, here."""
        dyn = self.equations.dynamics
        if self.equations.keeps_factors and dyn.mass_factors != dyn.factorisations:
            dyn.B[:] = 0.0
            self.equations.decompose()
        return not (self.equations.keeps_factors and dyn.matrix.pivoting)
