"""Whether the forces of a state balance, at rest or in the frame of an observer, and in words where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.minimal import DENSE, Sizes, graded_basis

if TYPE_CHECKING:
    from flexmbs.analysis.operating_point import OperatingPoint

__all__ = ["SPINNING", "unbalanced"]

BALANCED = 1e-5
"""Force that is left, relative to what cancels, up to which a state is steady; in the metric of the inverse mass."""
NOISE = 1e-12
"""The same relative to |K| |q|."""
NEAR = 1e-10
"""Distance of an equilibrium, in the sizes of increments, up to which a state is one, whatever forces act there."""
SOLVED = 1e-6
"""Share of the forces up to which the stiffness need not balance them by such a small move."""


def unbalanced(point: OperatingPoint) -> str:
    """What the forces of a state that should be steady leave over, in words; empty if it is nothing."""
    dyn, state, lin = point.dyn, point.state, point.lin
    E, still = lin.directions, ~lin.states
    left = (E.T @ dyn.residual(state.q, state.v, state.a, state.lam)[: dyn.n_v].copy()) * still
    needed = (E.T @ dyn.residual(state.q, state.v, state.a, np.zeros(dyn.n_c))[: dyn.n_v].copy()) * still
    internal, loads = _parts(point)
    heavy = lin.M.diagonal() > 0.0
    M = np.where(heavy, lin.M.diagonal(), 1.0)
    x = np.abs(state.q[: dyn.n_linear])
    place = np.ones(dyn.n_v)
    place[: dyn.n_linear] = x
    place[dyn.coordinates.displacements] = np.maximum(place[dyn.coordinates.displacements], dyn.length)
    noise = NOISE * (abs(lin.K) @ np.abs(E.T @ place)) * still
    inertia = (lin.M @ (E.T @ state.a)) * still
    for some in (heavy, ~heavy):
        sizes = [
            float(np.sqrt((f[some] ** 2 / M[some]).sum())) for f in (left, noise, needed, internal, loads, inertia)
        ]
        if sizes[0] <= BALANCED * max(sizes[2:]) + sizes[1]:
            continue
        if point.seen_by is None and _beside_equilibrium(point, left):
            return ""
        if not dyn.n_c:
            worst = int(np.argmax(np.where(some, np.abs(left), 0.0)))
            what = f"the force on {dyn.coordinates.describe(int(lin.free[worst]))} is {left[worst]:.3g}"
        else:
            a = (E.T @ (accelerations(dyn, state.t, state.q, state.v)[0] - state.a)) * still
            worst = int(np.argmax(np.abs(a)))
            what = f"{dyn.coordinates.describe(int(lin.free[worst]))} accelerates with {a[worst]:.3g}"
            if point.seen_by is not None:
                what += " against the motion of the others"
        name = f"Model {dyn.system.model.name!r}: the state is not an equilibrium"
        if point.seen_by is None:
            return f"{name}: {what}. Take the result of solve_static."
        return f"{name} in the frame that turns with it: {what}. {SPINNING}"
    return ""


SPINNING = (
    "About a steady motion, pass the model with its initial velocities (angular_velocity of its bodies, "
    "InitialVelocity of flexible ones, drivers at a constant rate): the shape in which it turns is found from there."
)
"""What to do."""


def _beside_equilibrium(point: OperatingPoint, left: FloatArray) -> bool:
    """Whether a move that is none, measured by the model, balances all forces.

    Where a run has settled at an unstressed place no force acts that what is left over could be compared with.
    """
    dyn, lin = point.dyn, point.lin
    if len(lin.free) > DENSE:
        return False
    still = ~lin.states
    sizes = Sizes.of(dyn, lin.free[still])
    N = graded_basis(lin.G.toarray()[:, still], sizes, lin.M.diagonal()[still])
    force = N.T @ left[still]
    if not force.any():
        return True
    K = N.T @ lin.K.toarray()[np.ix_(still, still)] @ N
    move = np.linalg.lstsq(K, force, rcond=NOISE)[0]
    held = np.linalg.norm(K @ move - force) <= SOLVED * np.linalg.norm(force)
    return bool(held and np.abs(N @ move / sizes.columns).max() <= NEAR)


def _parts(point: OperatingPoint) -> tuple[FloatArray, FloatArray]:
    """Forces without loads, and those of loads, on the free velocities."""
    dyn, state, lin = point.dyn, point.state, point.lin
    zero, still = np.zeros(dyn.n_c), ~lin.states
    whole = dyn.residual(state.q, state.v, state.a, zero)[: dyn.n_v].copy()
    scale, given = dyn.env.scale, dyn.given
    kept = scale.copy(), given[: dyn.n_v].copy()
    scale[: len(dyn.system.model.loads)], given[: dyn.n_v] = 0.0, 0.0
    internal = dyn.residual(state.q, state.v, state.a, zero)[: dyn.n_v].copy()
    scale[:], given[: dyn.n_v] = kept
    dyn.residual(state.q, state.v, state.a, state.lam)
    E = lin.directions
    return (E.T @ internal) * still, (E.T @ (whole - internal)) * still
