r"""Whether an equilibrium is stable.

Where all forces have a potential, by the inertia of the stiffness on the directions that the constraints allow: no
negative eigenvalue, whatever the mass and the damping (Lagrange, Dirichlet; Kelvin, Tait, Chetaev). Where some have
none (`flexmbs.system.symmetry`) the stiffness is not symmetric and its symmetric part says nothing: then by the
roots of the linear equations of motion, none of which may grow. A structure under a follower force is stable until it
flutters or diverges, with any number and kind of elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.sparse import csc_array

from flexmbs.analysis.roots import DIRECT, lowest_roots
from flexmbs.analysis.small_motions import SmallMotions, rounding, rounding_of_parts
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.dynamics.minimal import DENSE, Sizes, graded_basis
from flexmbs.system.symmetry import without_potential

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.dynamics.linearisation import ConstrainedLinearisation

__all__ = ["Stability", "small_motions", "stability_of"]

LEVEL = 1e-12
"""Eigenvalue of the stiffness, relative to the largest, below which it may be round-off."""
NOTABLE = 0.3
"""Share of the largest entry from which a coordinate is named as free."""


class Stability(NamedTuple):
    """Whether no direction is unstable; the coordinates that move most in directions that nothing holds; and how.

    ``how``: "divergence" (something leaves without vibrating), "flutter" (vibrations grow), or empty.
    """

    stable: bool
    free: tuple[str, ...]
    how: str = ""


def small_motions(dyn: Dynamics, lin: ConstrainedLinearisation) -> SmallMotions:
    """The equations of small motions about a state of rest."""
    return SmallMotions(
        lin.M,
        lin.D,
        lin.K,
        lin.G,
        lin.states,
        not without_potential(dyn),
        dyn.multiplier_compliance,
        sizes=Sizes.of(dyn, lin.free),
    )


def stability_of(dyn: Dynamics, lin: ConstrainedLinearisation) -> Stability:
    """Stability of the state of rest at which a system was linearised, with the loads that act.

    Up to 1 500 unknowns all directions are looked at; above, the 10 lowest modes, or of unconstrained conservative
    systems all by a Cholesky factorisation.
    """
    motions = small_motions(dyn, lin)
    n = len(lin.free)
    if not motions.symmetric and (n <= DENSE or not lin.states.any()):
        return _by_roots(dyn, lin, motions)
    if n > DIRECT and not lin.G.shape[0] and not lin.states.any():
        try:
            Definite(0.5 * (lin.K + lin.K.T), "the stiffness")
            return Stability(True, ())
        except SingularError:
            pass
    if n > DENSE:
        return _by_roots(dyn, lin, motions._replace(C=csc_array(lin.D.shape), symmetric=True))
    return _by_inertia(dyn, lin)


def _by_roots(dyn: Dynamics, lin: ConstrainedLinearisation, motions: SmallMotions) -> Stability:
    """From the roots of lowest magnitude."""
    found = lowest_roots(motions, None, dyn.system.model.name)
    growing = found.s[found.growing]
    how = "" if not found.n_growing else "flutter" if len(growing) and np.all(growing.imag > 0.0) else "divergence"
    idle = np.abs(found.s) ** 2 <= rounding(lin.K, found.y)
    return Stability(not found.n_growing, _names(dyn, lin.free, np.real(found.y[:, idle])), how)


def _by_inertia(dyn: Dynamics, lin: ConstrainedLinearisation) -> Stability:
    """From the signs of the eigenvalues of the stiffness on the directions that the constraints allow."""
    still = ~lin.states
    N = graded_basis(lin.G.toarray()[:, still], Sizes.of(dyn, lin.free[still]), lin.M.diagonal()[still])
    if not N.shape[1]:
        return Stability(True, ())
    K, M = (x.toarray()[np.ix_(still, still)] for x in (lin.K, lin.M))
    parts = np.abs(N).T @ np.abs(K) @ np.abs(N)
    K, M = N.T @ K @ N, N.T @ M @ N
    K = 0.5 * (K + K.T)
    try:
        values, vectors = eigh(K, M)
    except LinAlgError:
        values, vectors = np.linalg.eigh(K)
    low = np.abs(values) <= LEVEL * float(np.abs(values).max())
    # what the solver cannot tell from zero, it may be in itself: bending of thin shells and beams beside their stiff
    # thickness
    small, turn = np.linalg.eigh(vectors[:, low].T @ K @ vectors[:, low])
    noise = rounding_of_parts(parts, M, vectors[:, low] @ turn)
    idle = N @ (vectors[:, low] @ turn)[:, np.abs(small) <= noise]
    stable = bool(values[~low].min(initial=0.0) >= 0.0 and (small >= -noise).all())
    return Stability(stable, _names(dyn, lin.free[still], idle), "" if stable else "divergence")


def _names(dyn: Dynamics, free: IntArray, vectors: FloatArray) -> tuple[str, ...]:
    """The coordinates that move most in some directions."""
    size = np.sqrt((vectors**2).sum(axis=1))
    share = size / max(float(size.max(initial=0.0)), 1e-300)
    return tuple(dyn.coordinates.describe(int(free[i])) for i in np.flatnonzero(share > NOTABLE)[:6])
