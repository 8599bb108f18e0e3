r"""The motion of the nodes of a flexible model without joints, by a method of SciPy: exact in time, not in space.

What the elements and loads of a model say is taken as it is, :math:`M\ddot q = -f(q, \dot q)`; only the integration in
time is independent of flexmbs. So schemes of time integration can be measured on a given mesh.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse.linalg import splu

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import linearise_state
from flexmbs.integrators.contracts import StepState
from flexmbs.verification.reference.motion import integrate

__all__ = ["motion", "positions"]


def motion(system: fx.System, times: FloatArray, rtol: float = 1e-11) -> FloatArray:
    """All coordinates (n_t, n_q) at ascending ``times``, from the initial state of the model.

    Raises
    ------
    ModelError
        If the model has constraints, or rigid bodies in space, whose coordinates are no vectors.
    """
    dyn = Dynamics(system)
    if dyn.n_c or dyn.n_q != dyn.n_v:
        raise ModelError("semi-discrete reference: only for models of flexible bodies and supports alone.")
    q0, v0, none = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy(), np.empty(0)
    rest = np.zeros(dyn.n_v)
    dyn.set_time(0.0)
    matrices = linearise_state(dyn, StepState(0.0, q0, v0, rest, rest, none, v0, 0.0))
    E, mass = matrices.directions, splu(matrices.M.tocsc())
    n, free = E.shape[1], E.T @ q0

    def rates(_: float, y: FloatArray) -> FloatArray:
        force = dyn.residual(q0 + E @ (y[:n] - free), E @ y[n:], rest, none)[: dyn.n_v]
        return np.concatenate([y[n:], -mass.solve(E.T @ force)])

    start = np.concatenate([free, E.T @ v0])  # coordinates, not displacements: tolerances are relative to their size
    moved = integrate(rates, start, times, rtol)[:, :n] - free
    return np.asarray(q0 + moved @ E.T, dtype=np.float64)


def positions(system: fx.System, at: Sequence[fx.Attachment]) -> Callable[[FloatArray], FloatArray]:
    """Plane positions (n_t, 2 n) of nodes over time."""
    c = system.coordinates

    def path(times: FloatArray) -> FloatArray:
        q = motion(system, times)
        places = [int(k) for a in at for k in c.dofs(a).ravel()[:2]]
        return q[:, places]

    return path
