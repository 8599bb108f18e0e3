r"""What round-off leaves of a static solution.

Two things are lost in fine meshes. The residual is only known up to the noise of its own evaluation, which grows
slowly. And a solution x of K x = b loses the digits of the condition number, which grows with the fourth power of the
number of elements of a chain; Newton's method repairs that as iterative refinement does, as long as a digit is left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.analysis.newton import EPS
from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.core.nodes import vectors_of_section
from flexmbs.system.system import EvaluationError

__all__ = ["ACCURATE", "HOPELESS", "estimated_accuracy", "solution_error"]

ACCURATE = 1e-6
"""Estimated relative accuracy of the displacements below which nothing is said."""
HOPELESS = 0.02
"""Relative error of a solution with the tangent from which a failure may be due to round-off."""
STILL = 1e-13
"""Displacement by the size of the largest body up to which nothing has moved."""
SAMPLES = 4
"""Evaluations whose round-off is sampled to estimate the accuracy."""
STAGNANT_SHARE = 5.0
"""Error of the displacements by the last increment where increments stagnate (measured on chains: 0.1 to 6)."""


def estimated_accuracy(
    equations: EquationsOfRest, path: Sequence[Point], frames: FloatArray, last_step: float
) -> float:
    """Estimated round-off error of the last displacements of flexible bodies, relative to the largest of the path.

    The residual of a perfect equilibrium is the noise of its own evaluation. Samples of it come from coordinates moved
    by about eps: the increment back is that move, and what it differs by is noise, solved for with the last
    factorisation. Its largest displacement, or that of the last increment if it stagnated, is compared with the largest
    of all equilibria. Good to about a factor of ten. NaN without flexible bodies, or where nothing moves.
    """
    eq, c = equations, equations.dyn.coordinates
    if not c.bodies or len(eq.states):
        return np.nan
    reference = path[0]._replace(q=c.reference)
    steps = np.abs([eq.between(reference, point) for point in path])
    moved, last = float(steps[:, c.translations].max(initial=0.0)), path[-1]
    for body, dofs in zip(c.bodies, c.node_dofs, strict=True):
        turned = steps[:, dofs[:, list(vectors_of_section(body.element.layout))].ravel()]
        # where sections turn, points beside the axis move, too: a beam may be twisted and nothing else
        moved = max(moved, float(turned.max(initial=0.0)) * float(np.ptp(body.mesh.points, axis=0).max()))
    size = max(float(np.ptp(body.mesh.points, axis=0).max()) for body in c.bodies)
    if moved <= STILL * size:  # as of a plate that is heated between its edges: what moves is round-off itself
        return np.nan
    rng, worst = np.random.default_rng(0), STAGNANT_SHARE * last_step
    places = eq.fixation.to_frames(eq.places(last), frames)
    for _ in range(SAMPLES):
        shift = (EPS * rng.uniform(-2.0, 2.0, len(places)) * places)[eq.free] * eq.velocities
        near = eq.moved(last, eq.whole(shift, frames))
        by, _ = eq.reduced(eq.between(last, near), frames)
        noise = eq.solve(eq.reduced(eq.residual(near), frames)[0]) - by
        worst = max(worst, float(np.abs(eq.whole(noise, frames)[c.translations]).max()))
    return worst / moved


def solution_error(equations: EquationsOfRest, point: Point, frames: FloatArray) -> float:
    """Relative error of a solution with the tangent at a point: |K^-1 (K x) - x| / |x|, for an x of the loads' kind.

    Zero where that cannot be told (no load, a singular tangent).
    """
    eq = equations
    if len(eq.states):
        return 0.0
    try:
        loads, _ = eq.reduced(eq.residual(point._replace(q=eq.dyn.coordinates.reference)), frames)
        rest, _ = eq.reduced(eq.tangent(point), frames)
        eq.factorise(point, frames)
        x = eq.solve(loads if np.any(loads) else rest)
        size = float(np.abs(x[eq.velocities]).max(initial=0.0))
        back = eq.solve(eq.solver.product(x)) - x
        return float(np.abs(back[eq.velocities]).max()) / size if size > 0.0 else 0.0
    except (SingularError, EvaluationError):
        return 0.0
