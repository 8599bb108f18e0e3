r"""Newton's method for the equilibrium r(q) = 0, with tests that hold from 1 to 20 000 elements.

An increment dq is measured twice: by its energy e = sqrt(|dq . r|), and by its size n = sqrt(sum K_ii dq_i^2), both free
of units and of the numbers of coordinates of a kind. With the rate p = (this / the last) of each, the error left is
about (this) p / (1 - p); the iteration has converged when that is below ``rtol`` times the largest increment of the
analysis in both measures. Rates are measured in this step, so at least two iterations are made.

The residual cannot fall below its own round-off, which is of the size eps |K| |q| (element by element, before anything
cancels). An iteration that has stopped to improve with a residual within a thousand times of it has converged as far as
double precision allows; the usual test on the residual alone fails there. How far that is, is estimated afterwards
(`flexmbs.analysis.static`) from rounded coordinates and from the increment that stagnated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.system import EvaluationError, System

__all__ = ["Iteration", "NewtonResult", "Reference", "equilibrate"]

EPS = float(np.finfo(float).eps)
PLAIN = 15
"""Iterations without line search. Thin beams need the full step: it stretches them at first, and the next undoes it."""
SEARCHED = 30
"""Iterations with line search, tried after the plain ones have failed."""
FAR = 1e3
"""An increment this many times the size of the model is divergence."""
STAGNANT = 0.3
NEAR_FLOOR = 1e3


class Iteration(NamedTuple):
    """A row of the history: load parameter, number, energy, size, residual and its floor, step length."""

    parameter: float
    number: int
    energy: float
    size: float
    residual: float
    floor: float
    length: float


@dataclass
class Reference:
    """The largest increments of an analysis so far, against which errors are measured."""

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


def equilibrate(
    system: System, start: FloatArray, pushed: FloatArray | None, env: Env, old: FloatArray, frames: FloatArray,
    rtol: float, reference: Reference, model_size: float,
) -> NewtonResult:
    """Find the equilibrium near ``start`` under the loads of ``env``, without line search first, then with it.

    ``pushed`` is ``start`` with its prescribed entries moved to where they go; the first increment carries the rest of
    the body along by the tangent at ``start``.
    """
    result = _iterate(system, start, pushed, env, old, frames, rtol, reference, model_size, False)
    if not result.converged and result.singular is None:
        again = _iterate(system, start, pushed, env, old, frames, rtol, reference, model_size, True)
        again.rows = result.rows + again.rows
        return again
    return result


def _iterate(
    system: System, start: FloatArray, pushed: FloatArray | None, env: Env, old: FloatArray, frames: FloatArray,
    rtol: float, reference: Reference, model_size: float, search: bool,
) -> NewtonResult:
    """One attempt; see `equilibrate`."""
    out = NewtonResult(start)
    energy_ref, size_ref = reference.energy, reference.size
    diagonal = np.arange(system.n)
    diagonal = system.solver.slots(diagonal, diagonal)
    last_energy = last_size = np.inf
    rounding = np.zeros_like(start)
    for number in range(SEARCHED if search else PLAIN):
        moving = number == 0 and pushed is not None
        try:
            r = system.tangent(out.q, env)
            if moving:
                r = r + system.product(pushed - start)
            if number == 1:
                rounding = EPS * system.magnitude(out.q)
            here = old if number == 0 else frames
            rest = system.fixation.to_frames(r, here)[system.free]
            system.assemble(here)
            system.solver.refactor()
        except EvaluationError as error:
            out.message = str(error)
            return out
        except SingularError as error:
            out.message, out.singular = str(error), error
            return out
        D = np.abs(system.solver.data[diagonal])
        D = np.where(D > 0.0, D, 1.0)
        step = system.solver.solve(-rest)
        whole = np.zeros_like(out.q)
        whole[system.free] = step
        residual = float(np.sqrt(np.sum(rest**2 / D)))
        floor = float(np.sqrt(np.sum(rounding[system.free] ** 2 / D)))
        energy, size = float(np.sqrt(abs(step @ rest))), float(np.sqrt(np.sum(D * step**2)))
        if not np.isfinite(energy + size):
            out.message = "an increment is not finite"
            return out
        base = pushed if moving else out.q
        direction = system.fixation.from_frames(whole, frames)
        length = _search(system, base, direction, step, float(step @ rest), env, frames) if search else 1.0
        out.q = base + length * direction
        moved = float(np.abs(direction[system.coordinates.translations]).max(initial=0.0))
        energy_ref, size_ref = max(energy_ref, energy), max(size_ref, size)
        out.rows.append(Iteration(env.t, number, energy, size, residual, floor, length))
        if number and length == 1.0:
            small = _left(energy, last_energy) <= rtol * energy_ref and _left(size, last_size) <= rtol * size_ref
            stuck = energy > STAGNANT * last_energy and residual <= NEAR_FLOOR * floor
            if small or stuck:
                out.converged = True
                out.stagnant = 0.0 if small else moved
                reference.energy, reference.size = energy_ref, size_ref
                return out
        elif energy == 0.0:
            out.converged = True
            return out
        if moved > FAR * model_size:
            out.message = "the iteration diverges"
            return out
        last_energy, last_size = energy, size
    out.message = f"no equilibrium after {len(out.rows)} iterations"
    return out


def _left(now: float, before: float) -> float:
    """Error left after an increment: now * p / (1 - p) with p = now / before."""
    if now >= before:
        return np.inf
    return now * now / (before - now)


def _search(
    system: System, q: FloatArray, direction: FloatArray, step: FloatArray, slope: float, env: Env, frames: FloatArray
) -> float:
    """Step length at which the residual along the increment is at most five times as large as at its start.

    The bound is loose on purpose: asking for descent keeps thin beams from moving at all.
    """
    length = 1.0
    for _ in range(8):
        try:
            r = system.residual(q + length * direction, env)
            along = float(step @ system.fixation.to_frames(r, frames)[system.free])
        except EvaluationError:
            along = np.inf
        if along <= 5.0 * abs(slope):
            return length
        length *= max(0.1, min(0.5, -slope / (along - slope)))
    return length
