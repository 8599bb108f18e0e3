r"""What round-off leaves of a static solution.

Two things are lost in fine meshes. The residual is only known up to the noise of its own evaluation, which grows
slowly. And a solution x of K x = b loses the digits of the condition number, which grows with the fourth power of the
number of elements of a chain; Newton's method repairs that as iterative refinement does, as long as a digit is left.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.newton import EPS
from flexmbs.core.contracts import Env, FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.system import EvaluationError, System

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


def estimated_accuracy(system: System, path: FloatArray, env: Env, frames: FloatArray, last_step: float) -> float:
    """Estimated round-off error of the last displacements, relative to the largest of the path (n_s, n_q).

    The residual of a perfect equilibrium is the noise of its own evaluation. Samples of it come from coordinates moved
    by about eps: the increment back is that move, and what it differs by is noise, solved for with the last
    factorisation. Its largest displacement, or that of the last increment if it stagnated, is compared with the largest
    of all equilibria. Good to about a factor of ten.
    """
    moves = np.abs(path - system.coordinates.reference)[:, system.coordinates.translations]
    moved, q = float(moves.max(initial=0.0)), path[-1]
    for body, dofs in zip(system.coordinates.bodies, system.coordinates.node_dofs, strict=True):
        turned = np.abs(path - system.coordinates.reference)[:, dofs[:, list(body.element.layout.directors)].ravel()]
        # where sections turn, points beside the axis move, too: a beam may be twisted and nothing else
        moved = max(moved, float(turned.max(initial=0.0)) * float(np.ptp(body.mesh.points, axis=0).max()))
    size = max(float(np.ptp(body.mesh.points, axis=0).max()) for body in system.coordinates.bodies)
    if moved <= STILL * size:  # as of a plate that is heated between its edges: what moves is round-off itself
        return np.nan
    fixation, free, rng = system.fixation, system.free, np.random.default_rng(0)
    worst = STAGNANT_SHARE * last_step
    for _ in range(SAMPLES):
        shift = np.zeros_like(q)
        shift[free] = (EPS * rng.uniform(-2.0, 2.0, len(q)) * fixation.to_frames(q, frames))[free]
        near = q + fixation.from_frames(shift, frames)
        noise = np.zeros_like(q)
        noise[free] = system.solver.solve(fixation.to_frames(system.residual(near, env), frames)[free])
        noise -= fixation.to_frames(near - q, frames)
        worst = max(worst, float(np.abs(fixation.from_frames(noise, frames)[system.coordinates.translations]).max()))
    return worst / moved


def solution_error(system: System, q: FloatArray, env: Env, frames: FloatArray) -> float:
    """Relative error of a solution with the tangent at ``q``: |K^-1 (K x) - x| / |x|, for an x of the loads' kind.

    Zero where that cannot be told (no load, a singular tangent).
    """
    try:
        rest = system.fixation.to_frames(system.tangent(q, env), frames)[system.free]
        loads = system.fixation.to_frames(system.residual(system.coordinates.reference, env), frames)[system.free]
        system.tangent(q, env)
        system.assemble(frames)
        system.solver.refactor()
        x = system.solver.solve(loads if np.any(loads) else rest)
        size = float(np.abs(x).max(initial=0.0))
        return float(np.abs(system.solver.solve(system.solver.product(x)) - x).max()) / size if size > 0.0 else 0.0
    except (SingularError, EvaluationError):
        return 0.0
