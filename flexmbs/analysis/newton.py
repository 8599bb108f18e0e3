r"""Newton's method for the equilibrium r(q) = 0, with tests that hold from 1 to 20 000 elements.

An increment dq is measured twice: by its energy e = sqrt(|dq . r|), and by its size n = sqrt(sum K_ii dq_i^2), both
free of units. With the rate p = (this / the last) of each, the error left is about (this) p / (1 - p). The iteration
has converged when that is below ``rtol`` times the largest step from one equilibrium to the next, in both measures: its
size, and the work of its load and of its prescribed motion (single increments may overshoot these by orders). Rates are
measured in this step, so at least two iterations are made.

The residual cannot fall below its own round-off, which is of the size eps |K| |q| (element by element, before anything
cancels). An iteration that has stopped improving, after four increments, with a residual within thirty times of it has
converged as far as double precision allows; the usual test on the residual alone fails there. How far that is, is
estimated afterwards (`flexmbs.analysis.accuracy`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.system import EvaluationError, System

__all__ = ["Iteration", "NewtonResult", "Problem", "Scale", "equilibrate"]

EPS = float(np.finfo(float).eps)
PLAIN = 15
"""Iterations without line search. Thin beams need the full step: it stretches them at first, and the next undoes it."""
SEARCHED = 30
"""Iterations with line search, tried after the plain ones have failed."""
FAR = 1e3
"""An increment this many times the size of the model is divergence."""
STAGNANT = 0.3
NEAR_FLOOR = 30.0
SOFT = 2
"""Iterations with a stiffened matrix, where only stress holds the structure."""


class Iteration(NamedTuple):
    """A row of the history: load parameter, number, energy, size, residual and its floor, step length."""

    parameter: float
    number: int
    energy: float
    size: float
    residual: float
    floor: float
    length: float


class Problem(NamedTuple):
    """An equilibrium to be found near ``start`` under the loads of ``env``; ``last`` is the one before.

    ``pushed``: ``start`` with its prescribed entries moved to where they go, if they move; the first increment then
    carries the rest of the body along. ``old`` and ``frames``: nodal frames at ``start`` and at the equilibrium.
    ``soft``: whether nothing but the stress under the loads holds the structure; its first matrices are then stiffened
    by a millionth of their diagonal.
    """

    system: System
    last: FloatArray
    start: FloatArray
    pushed: FloatArray | None
    env: Env
    old: FloatArray
    frames: FloatArray
    soft: bool = False


@dataclass
class Scale:
    """Tolerance, size of the model, and the largest way of a step so far, against which errors are measured."""

    rtol: float
    model_size: float
    energy: float = 0.0
    size: float = 0.0


@dataclass
class NewtonResult:
    """``q`` of the last iterate, whether it is an equilibrium, why not, and the rows of the history.

    ``stagnant``: largest displacement [length] of a last increment that round-off kept from falling.
    """

    q: FloatArray
    converged: bool = False
    message: str = ""
    rows: list[Iteration] = field(default_factory=list)
    stagnant: float = 0.0
    singular: SingularError | None = None


def equilibrate(problem: Problem, scale: Scale) -> NewtonResult:
    """Iterate without line search first, then with it; ``scale`` takes note of the increments on success."""
    result = _iterate(problem, scale, False)
    if not result.converged and result.singular is None:
        again = _iterate(problem, scale, True)
        again.rows = result.rows + again.rows
        return again
    return result


def _iterate(problem: Problem, scale: Scale, search: bool) -> NewtonResult:
    """One attempt."""
    system = problem.system
    out = NewtonResult(problem.start)
    last_energy = last_size = np.inf
    rounding = np.zeros(system.n)
    try:
        loads = system.fixation.to_frames(system.residual(problem.last, problem.env), problem.frames)[system.free]
    except EvaluationError as error:
        out.message = str(error)
        return out
    for number in range(SEARCHED if search else PLAIN):
        try:
            rest, step, D, reaction = _increment(problem, out.q, number)
        except EvaluationError as error:
            out.message = str(error)
            return out
        except SingularError as error:
            out.message, out.singular = str(error), error
            return out
        if number == 1:
            rounding = EPS * system.magnitude(out.q)[system.free]
        whole = np.zeros_like(out.q)
        whole[system.free] = step
        direction = system.fixation.from_frames(whole, problem.frames)
        base = out.q if number or problem.pushed is None else problem.pushed
        length = _search(problem, base, direction, step, rest) if search else 1.0
        out.q = base + length * direction
        energy, size = float(np.sqrt(abs(step @ rest))), float(np.sqrt(np.sum(D * step**2)))
        residual, floor = float(np.sqrt(np.sum(rest**2 / D))), float(np.sqrt(np.sum(rounding**2 / D)))
        moved = float(np.abs(direction[system.coordinates.translations]).max(initial=0.0))
        way = system.fixation.to_frames(out.q - problem.last, problem.frames)
        work = abs(way[system.free] @ loads) + abs(way[system.fixation.fixed] @ reaction)
        energy_ref = max(scale.energy, float(np.sqrt(work)))
        size_ref = max(scale.size, float(np.sqrt(np.sum(D * way[system.free] ** 2))))
        out.rows.append(Iteration(problem.env.t, number, energy, size, residual, floor, length))
        if not np.isfinite(energy + size) or moved > FAR * scale.model_size:
            out.message = "the iteration diverges"
            return out
        if number and length == 1.0 and not (problem.soft and number < SOFT):
            small = _left(energy, last_energy) <= scale.rtol * energy_ref and (
                _left(size, last_size) <= scale.rtol * size_ref
            )
            stuck = number >= 3 and energy > STAGNANT * last_energy and residual <= NEAR_FLOOR * floor
            if small or stuck:
                out.converged = True
                out.stagnant = 0.0 if small else moved
                scale.energy, scale.size = energy_ref, size_ref
                return out
        elif energy == 0.0:
            out.converged = True
            return out
        last_energy, last_size = energy, size
    out.message = f"no equilibrium after {len(out.rows)} iterations"
    return out


def _increment(problem: Problem, q: FloatArray, number: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Residual and increment on the unknowns, the sizes |K_ii| of the diagonal, and the forces on what is fixed."""
    system = problem.system
    r = system.tangent(q, problem.env)
    if number == 0 and problem.pushed is not None:
        r = r + system.product(problem.pushed - problem.start)
    frames = problem.old if number == 0 else problem.frames
    turned = system.fixation.to_frames(r, frames)
    rest = turned[system.free]
    system.assemble(frames)
    D = np.abs(system.solver.data[system.diagonal])
    if problem.soft and number < SOFT:
        system.solver.data[system.diagonal] += 1e-6 * D
    system.solver.refactor()
    return rest, system.solver.solve(-rest), np.where(D > 0.0, D, 1.0), turned[system.fixation.fixed]


def _left(now: float, before: float) -> float:
    """Error left after an increment: now * p / (1 - p) with p = now / before."""
    if now >= before:
        return np.inf
    return now * now / (before - now)


def _search(problem: Problem, q: FloatArray, direction: FloatArray, step: FloatArray, rest: FloatArray) -> float:
    """Step length at which the residual along the increment is at most five times as large as at its start.

    The bound is loose on purpose: asking for descent keeps thin beams from moving at all.
    """
    system = problem.system
    slope, length = float(step @ rest), 1.0
    for _ in range(8):
        try:
            r = system.residual(q + length * direction, problem.env)
            along = float(step @ system.fixation.to_frames(r, problem.frames)[system.free])
        except EvaluationError:
            along = np.inf
        if along <= 5.0 * abs(slope):
            return length
        length *= max(0.1, min(0.5, -slope / (along - slope)))
    return length
