"""A compiled system evaluated at coordinates, its loads times given factors: what tests of forces and tangents read."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import ConstrainedLinearisation
from flexmbs.integrators.contracts import StepState


def held(system: fx.System, scales: np.ndarray | None = None) -> Dynamics:
    """The equations of motion with loads times ``scales`` (by default none acts) and supports where they begin."""
    dyn = Dynamics(system)
    dyn.hold(np.zeros(len(system.model.loads)) if scales is None else scales, system.fixation.drives_at(0.0, 0.0), 0.0)
    return dyn


def forces(dyn: Dynamics, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
    """Internal minus applied forces (n_v,), no body being accelerated and no constraint pulling."""
    return dyn.residual(*_arguments(dyn, q, v))[: dyn.n_v].copy()


def linearised(dyn: Dynamics, q: np.ndarray, v: np.ndarray | None = None) -> ConstrainedLinearisation:
    """K, D and M there, on the free velocities in ascending order."""
    q, v, _, lam = _arguments(dyn, q, v)
    return dyn.linearise(StepState.unaccelerated(0.0, q, v, lam))


def _arguments(
    dyn: Dynamics, q: np.ndarray, v: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    still = np.zeros(dyn.n_v)
    return q, still if v is None else v, still, np.zeros(dyn.n_c)
