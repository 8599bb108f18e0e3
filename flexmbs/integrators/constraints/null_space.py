r"""Velocities split orthogonally into what the constraints leave free and what they prescribe.

With A = G, c = g_t, the projector :math:`P = I - A^+ A` and the velocity of self-motion :math:`v_s = P v`,

.. math:: v = v_s - A^+ c, \qquad \lambda = (A M^{-1} A^T)^{-1}[\dot A v + \dot c - A M^{-1} f], \qquad
   a = -P M^{-1}(f + A^T\lambda) - A^+(\dot A v + \dot c),

only the free part of the velocity is integrated: every stage begins with :math:`v \leftarrow P v - A^+ c`, and after
the step :math:`q \leftarrow q - A^+ g` until g = 0. F. Aghili, J.-C. Piedboeuf, Simulation of constrained multibody
systems based on orthogonal decomposition of generalized coordinates, eqs. 7 to 20; with :math:`Q = A^+\dot A` and
:math:`R = \dot A^T (A A^T)^{-1}` one has :math:`\dot P = -(Q P + P Q^T)` and, on the constraints,
:math:`Q^T v = -R c` (eq. 14 prints the other sign), and the predictor of eq. 20 is :math:`-\int A^+ c`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.constraints.ascher_projection import on_positions
from flexmbs.integrators.constraints.contracts import Plain
from flexmbs.integrators.constraints.dense_rows import DenseRows, Rows, decompose
from flexmbs.integrators.index_one import IndexOne

__all__ = ["NullSpace", "split_accelerations"]


@dataclass(frozen=True, kw_only=True)
class NullSpace:
    r"""Orthogonal decomposition of the velocities; motions prescribed in time included.

    .. math:: v \leftarrow P v - A^+ c, \qquad q \leftarrow q - A^+ g \text{ until } g = 0, \qquad
       P = I - A^+ A, \quad A = G

    F. Aghili, J.-C. Piedboeuf, Simulation of constrained multibody systems based on orthogonal decomposition of
    generalized coordinates, eqs. 7 to 20.

    Parameters
    ----------
    atol : float
        Violation of positions, relative to the size of the model, up to which they are corrected.
    max_iterations : int
        Corrections at most after a step.

    Raises
    ------
    ModelError
        If a value is out of bounds.

    Notes
    -----
    Orthogonal in the sum of squares of the coordinates' rates, whatever their units; the motion does not depend on it,
    the errors of a step do. For up to 1000 constraints: each stage decomposes a dense matrix. Every free coordinate
    needs a mass.

    Examples
    --------
    >>> NullSpace(atol=1e-12).max_iterations
    5
    """

    atol: float = 1e-13
    max_iterations: int = 5

    def __post_init__(self) -> None:
        as_number("NullSpace", "atol", self.atol, above=0.0, maximum=1e-3)
        as_count("NullSpace", "max_iterations", self.max_iterations, minimum=1)

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        """Refuse very many constraints, and coordinates without mass."""
        rows = DenseRows(equations)
        rows.refuse_many("NullSpace")
        rows.refuse_massless("NullSpace")

    def keeper(self, equations: IndexOne) -> _NullSpace:
        """What does the work in one run."""
        return _NullSpace(equations, self.atol, self.max_iterations)


class _NullSpace(Plain):
    """The decomposition of the state evaluated last serves its velocity and its accelerations."""

    def __init__(self, equations: IndexOne, atol: float, most: int) -> None:
        super().__init__(equations)
        self.atol, self.most = atol, most
        self.rows = DenseRows(equations)
        self._found = decompose(np.zeros((0, self.rows.n)))
        self._without = equations.left_out

    def velocity(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        e = self.equations
        e.evaluate(t, q, v)
        if not e.n_c:
            return v
        self._decompose()
        return self._onto(t, q, v)

    def accelerations(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        e, rows = self.equations, self.rows
        if not e.n_c:
            return super().accelerations(v)
        if self._without is not e.left_out:  # all rows take part again
            self._decompose()
        force = rows.reduced(e.dynamics.r[: e.n_v])
        a, lam = split_accelerations(self._found, rows, force, e.dynamics.gamma_here(v))
        return rows.whole(a), lam

    def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        e, rows = self.equations, self.rows
        e.evaluate(t, q, v)
        if not e.n_c:
            return q, v
        G = self._decompose()
        for _ in range(self.most):
            if e.gap() <= self.atol:
                break
            g = e.dynamics.r[e.n_v :][e.holonomic]
            q = self.moved(t, q, v, -rows.whole(on_positions(self._found, G, e).least(g)))
            G = self._decompose()
        return q, self._onto(t, q, v)

    def _decompose(self) -> FloatArray:
        """G at the state evaluated last; its decomposition is kept."""
        self._without = self.equations.left_out
        G = self.rows.matrix()
        self._found = decompose(G)
        return G

    def _onto(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """P v - A^+ c, and the evaluation of the state with it."""
        e = self.equations
        v = v - self.rows.whole(self._found.least(e.dynamics.rates()))
        e.evaluate(t, q, v)
        return v


def split_accelerations(
    found: Rows, rows: DenseRows, force: FloatArray, gamma: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """a (n,) and lam (m,) of least norm from f (n,) and gamma = (dA/dt) v + dc/dt (m,).

    ``rows`` gives M^-1; with A = U S B the multipliers mu = S U^T lam of the independent rows B are found first.
    """
    B = found.B
    prescribed = found.basis(gamma)
    bare = rows.inverse_mass(force)
    spread = rows.inverse_mass(B.T)
    mu = solve(B @ spread, prescribed - B @ bare, assume_a="pos", check_finite=False) if len(B) else np.zeros(0)
    a = found.freely(-bare - spread @ mu) - B.T @ prescribed
    return a, np.asarray(found.U @ (mu / found.S))
