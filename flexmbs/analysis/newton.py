r"""Newton's method for the equilibrium r(q) = 0, g(q) = 0, with tests that hold from 1 to 20 000 elements.

An increment dq is measured by its energy e = sqrt(|dq . K dq|), and by its size n = sqrt(sum K_ii dq_i^2) in the
coordinates of flexible bodies, both free of units. With the rate p = (this / the last) of each, the error left is about
(this) p / (1 - p). The iteration has converged when that is below ``rtol`` times the largest step from one equilibrium
to the next, in both measures: its size, and the work of its load and of its prescribed motion (single increments may
overshoot these by orders). Rates are measured in this step, so at least two iterations are made. Of bodies that no
stiffness holds, the largest increment in sizes of the model, radians and values of states is judged in the same way.

The residual cannot fall below its own round-off, which is of the size eps |K| |q| (element by element, before anything
cancels). An iteration that has stopped improving, after four increments, with a residual within thirty times of it has
converged as far as double precision allows; the usual test on the residual alone fails there. How far that is, is
estimated afterwards (`flexmbs.analysis.accuracy`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.results.records import Iteration
from flexmbs.system.system import EvaluationError

__all__ = ["NewtonResult", "Problem", "Scale", "equilibrate", "left", "settled"]

EPS = float(np.finfo(float).eps)
PLAIN = 15
"""Iterations without line search. Thin beams need the full step: it stretches them at first, and the next undoes it."""
SEARCHED = 30
"""Iterations with line search, tried after the plain ones have failed."""
FAR = 1e3
"""An increment this many times the size of the model is divergence."""
LONG = 0.5
"""The same in radians and sizes of the model where nothing but the load may hold the model."""
STAGNANT = 0.3
NEAR_FLOOR = 30.0
SOFT, SOFTENED = 2, 1e-6
"""Iterations with a stiffened matrix, where only stress holds the structure, and share of the diagonal."""
ROUND, SMALL = 1e-13, 1e-7
"""Increment, in sizes of the model, that is round-off; and up to which one that stagnates is so."""


class Problem(NamedTuple):
    """An equilibrium to be found near ``start`` under what the equations hold; ``last`` is the one before.

    ``pushed``: ``start`` with its prescribed entries moved to where they go, if they move; the first increment then
    carries the rest of the body along. ``old`` and ``frames``: nodal frames at ``start`` and at the equilibrium.
    ``soft``: whether nothing but the stress under the loads holds the structure; its first matrices are then stiffened
    by a millionth of their diagonal. ``cautious``: whether the iteration gives up when it goes far, or uphill to an
    equilibrium that is not stable, since relaxation will do better.
    """

    equations: EquationsOfRest
    parameter: float
    last: Point
    start: Point
    pushed: Point | None
    old: FloatArray
    frames: FloatArray
    soft: bool = False
    cautious: bool = False


@dataclass
class Scale:
    """Tolerance, size of the model, and the largest way of a step so far, against which errors are measured."""

    rtol: float
    model_size: float
    energy: float = 0.0
    size: float = 0.0
    way: float = 0.0


@dataclass
class NewtonResult:
    """The last iterate, whether it is an equilibrium, why not, and the rows of the history.

    ``stagnant``: largest displacement [length] of a last increment that round-off kept from falling.
    """

    point: Point
    converged: bool = False
    message: str = ""
    rows: list[Iteration] = field(default_factory=list)
    stagnant: float = 0.0
    singular: SingularError | None = None
    relaxed: bool = False


def equilibrate(problem: Problem, scale: Scale) -> NewtonResult:
    """Iterate without line search first, then with it; ``scale`` takes note of the increments on success."""
    result = _iterate(problem, scale, False)
    if not result.converged and result.singular is None and not problem.cautious:
        again = _iterate(problem, scale, True)
        again.rows = result.rows + again.rows
        return again
    return result


def _iterate(problem: Problem, scale: Scale, search: bool) -> NewtonResult:
    """One attempt."""
    eq = problem.equations
    out = NewtonResult(problem.start)
    memory = eq.memory()
    try:
        loads, _ = eq.reduced(eq.residual(problem.last), problem.frames)
        eq.accept(problem.last)
        _increments(problem, scale, search, loads, out)
    except EvaluationError as error:
        out.message = str(error)
    except SingularError as error:
        out.message, out.singular = str(error), error
    if not out.converged:
        eq.restore(memory)
    return out


def _increments(problem: Problem, scale: Scale, search: bool, loads: FloatArray, out: NewtonResult) -> None:
    """Iterate until ``out`` has converged or says why not."""
    eq, elastic = problem.equations, problem.equations.elastic
    all_elastic, velocities = bool(elastic.all()), eq.velocities
    rest_of = None if all_elastic else velocities & ~elastic
    last_energy = last_size = last_way = np.inf
    rounding = np.zeros(len(elastic))
    for number in range(SEARCHED if search else PLAIN):
        rest, step, D, reaction = _increment(problem, out.point, number)
        if number == 1:
            rounding = EPS * eq.magnitude(out.point)[eq.free]
        direction = eq.whole(step, problem.frames)
        base = out.point if number or problem.pushed is None else problem.pushed
        length = _search(problem, base, direction, step, rest) if search else 1.0
        out.point = eq.moved(base, length * direction)
        gone = eq.between(problem.last, out.point)
        way, held = eq.reduced(gone, problem.frames)
        work = abs(way @ loads if not eq.dyn.n_c else (way * velocities) @ loads) + abs(held @ reaction)
        curved = float(step @ rest if not eq.dyn.n_c else np.where(velocities, step, -step) @ rest)
        if not all_elastic:
            D, step, way = D[elastic], step[elastic], way[elastic]
            rest, floor_of = rest[elastic], rounding[elastic]
        else:
            floor_of = rounding
        energy, size = math.sqrt(abs(curved)), math.sqrt((D * step**2).sum())
        residual, floor = math.sqrt((rest**2 / D).sum()), math.sqrt((floor_of**2 / D).sum())
        shift = float(np.abs(direction[eq.lengths]).max(initial=0.0))
        energy_ref = max(scale.energy, math.sqrt(work))
        size_ref = max(scale.size, math.sqrt((D * way**2).sum()))
        out.rows.append(Iteration(problem.parameter, number, energy, size, residual, floor, length))
        if not math.isfinite(energy + size) or shift > FAR * scale.model_size:
            out.message = "the iteration diverges"
            return
        if problem.cautious:
            far, _ = eq.sizes(direction)
            if not far <= LONG or (curved > 0.0 and far > SMALL and number >= SOFT * problem.soft):
                out.message = "the iteration leaves the neighbourhood"
                return
        whole_way = way_ref = 0.0
        if rest_of is not None:
            whole_way = max(eq.sizes(np.where(eq.rigid, direction, 0.0)))
            way_ref = max(scale.way, *eq.sizes(np.where(eq.rigid, gone, 0.0)))
        if number and length == 1.0 and not (problem.soft and number < SOFT):
            small = left(energy, last_energy) <= scale.rtol * energy_ref and (
                left(size, last_size) <= scale.rtol * size_ref
            )
            stuck = number >= 3 and energy > STAGNANT * last_energy and residual <= NEAR_FLOOR * floor
            if (small or stuck or not elastic.any()) and settled(whole_way, last_way, way_ref, number, scale.rtol):
                out.converged = True
                out.stagnant = 0.0 if small else shift
                scale.energy, scale.size, scale.way = energy_ref, size_ref, way_ref
                return
        elif energy == 0.0 and whole_way == 0.0:
            out.converged = True
            return
        last_energy, last_size, last_way = energy, size, whole_way
    out.message = f"no equilibrium after {len(out.rows)} iterations"


def _increment(problem: Problem, point: Point, number: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Residual and increment on the unknowns, the sizes |K_ii| of the diagonal, and the forces on what is fixed."""
    eq = problem.equations
    r = eq.tangent(point)
    if number:
        eq.accept(point)
    elif problem.pushed is not None:
        r = r + eq.product(eq.between(problem.start, problem.pushed))
    frames = problem.old if number == 0 else problem.frames
    rest, reaction = eq.reduced(r, frames)
    D = eq.factorise(point, frames, soft=SOFTENED if problem.soft and number < SOFT else 0.0)
    return rest, eq.solve(-rest), D, reaction


def left(now: float, before: float) -> float:
    """Error left after an increment: now * p / (1 - p) with p = now / before."""
    if now >= before:
        return np.inf
    return now * now / (before - now)


def settled(now: float, before: float, way: float, number: int, rtol: float) -> bool:
    """Whether increments [sizes of the model] have come to their end: small beside the ``way``, or round-off."""
    return now <= ROUND or left(now, before) <= rtol * way or (number >= 3 and now <= SMALL and now > STAGNANT * before)


def _search(problem: Problem, base: Point, direction: FloatArray, step: FloatArray, rest: FloatArray) -> float:
    """Step length at which the residual along the increment is at most five times as large as at its start.

    The bound is loose on purpose: asking for descent keeps thin beams from moving at all.
    """
    eq = problem.equations
    slope, length = float(step @ rest), 1.0
    for _ in range(8):
        try:
            r = eq.residual(eq.moved(base, length * direction))
            along = float(step @ eq.reduced(r, problem.frames)[0])
        except EvaluationError:
            along = np.inf
        if along <= 5.0 * abs(slope):
            return length
        length *= max(0.1, min(0.5, -slope / (along - slope)))
    return length
