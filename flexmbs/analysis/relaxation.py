r"""Relaxation to a stable equilibrium, where Newton's method alone fails.

.. math:: \begin{bmatrix} K + \mu M & G^T \\ G & 0 \end{bmatrix}
   \begin{bmatrix} \delta q \\ \delta\lambda \end{bmatrix} = - \begin{bmatrix} r \\ g \end{bmatrix}

With mu every increment is an implicit step 1/mu of the flow :math:`M \dot q = -r`, which runs down to a *stable*
equilibrium; mu falls while the steps are short (pseudo-transient continuation: C. T. Kelley, D. E. Keyes, SIAM J.
Numer. Anal. 35 (1998) 508-523). A mechanism that its loads do not hold where it is comes to rest in this way.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.newton import ROUND, SMALL, STAGNANT, NewtonResult
from flexmbs.analysis.passed_contacts import PassedContacts
from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.results.records import Iteration
from flexmbs.system.system import EvaluationError

__all__ = ["NOISE", "relax"]

MOST = 400
"""Iterations."""
SHORT, LONG = 0.2, 0.5
"""Increments, in radians and in sizes of the model, below which mu falls, and above which a step is refused."""
FALL = 1e-10
"""How far mu falls."""
LOST = 30.0
"""Way, in sizes of the model or radians, after which nothing will hold the model if it is still driven as before."""
DRIVEN = 0.99
"""Share of the accelerations up to which they have fallen on such a way."""
NOISE = 1e-12
"""Accelerations relative to the largest K_ii / M_ii, in sizes of the model, that are round-off."""


def relax(equations: EquationsOfRest, parameter: float, start: Point, frames: FloatArray, rtol: float) -> NewtonResult:
    """Run down from ``start`` under what the equations hold; turns are as before where that leads nowhere."""
    out = NewtonResult(start, relaxed=True)
    memory = equations.memory()
    try:
        equations.arrive(start)
        _run_down(equations, parameter, frames, rtol, out)
    except (EvaluationError, SingularError) as error:
        out.message = str(error)
    if not out.converged:
        equations.restore(memory)
    return out


def _run_down(eq: EquationsOfRest, parameter: float, frames: FloatArray, rtol: float, out: NewtonResult) -> None:
    """Iterate until ``out`` has converged or says why not."""
    acceleration, out.point = eq.unbalanced(out.point)
    stiffest = eq.stiffest(out.point)
    mu = top = max(acceleration, 1e-14 * stiffest) / SHORT
    if mu == 0.0:
        out.converged = True
        return
    last, way, most, found, contacts = np.inf, 0.0, 0.0, "", PassedContacts(eq)
    direction = np.zeros(eq.dyn.n_v + eq.dyn.n_c)
    for number in range(1, MOST + 1):
        r = eq.tangent(out.point)
        eq.accept(out.point)
        rest, _ = eq.reduced(r, frames)
        try:
            eq.factorise(out.point, frames, mu)
            step = eq.solve(-rest)
        except SingularError:  # nothing holds some motion, which is only told apart by mu
            break
        direction = eq.whole(step, frames)
        far, of_states = eq.sizes(direction)
        size = max(far, of_states)
        uphill = float(np.where(eq.velocities, step, -step) @ rest)
        out.rows.append(Iteration(parameter, number, float(np.sqrt(abs(uphill))), size, np.nan, np.nan, 1.0))
        if not far <= LONG:
            mu *= max(4.0, far / SHORT) if np.isfinite(far) else 100.0
            continue
        if uphill > 0.0 and far > SMALL and not len(eq.states):
            mu *= 4.0
            continue
        there = eq.moved(out.point, direction)
        if far > SMALL and (passed := contacts.between(out.point, there)):
            found, mu = passed, 10.0 * mu
            continue
        found, top, out.point = "", max(top, mu), there
        way, most = way + far, max(most, far)
        if mu <= FALL * top and _done(size, last, most, number, rtol):
            out.converged = True
            return
        if way > LOST:  # unless what drives it falls on the way, as of a nut that is pressed against a spring
            left = eq.unbalanced(out.point)[0]
            if left > DRIVEN * acceleration:
                break
            acceleration, way = left, 0.0
        last = size
        if far < SHORT:
            mu = max(0.2 * mu, FALL * top)
    else:
        found = found or f"after {MOST} iterations {_moving(eq, direction)} still moves towards an equilibrium"
    if eq.unbalanced(out.point)[0] <= NOISE * stiffest:
        out.converged = True
        return
    out.message = found or f"nothing holds {_moving(eq, direction)}"


def _done(size: float, last: float, way: float, number: int, rtol: float) -> bool:
    """Whether increments have come to their end."""
    if size <= max(ROUND, 0.1 * rtol * way) and number > 1:
        return True
    return size <= ROUND or (number > 4 and size <= SMALL and size > STAGNANT * last)


def _moving(eq: EquationsOfRest, direction: FloatArray) -> str:
    """The coordinates that move most in an increment, in words."""
    share = np.abs(direction[: eq.dyn.n_v] / eq.scale)
    share[eq.states] = 0.0
    worst = [int(i) for i in np.argsort(-share)[:3] if share[i] > 0.1 * share.max()]
    return "; ".join(eq.dyn.coordinates.describe(i) for i in worst) or "the model"
