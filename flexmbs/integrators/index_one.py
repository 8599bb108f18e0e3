r"""The equations of motion with the constraints on accelerations (index 1), and corrections onto the constraints.

.. math:: \begin{bmatrix} M & G^T \\ G & 0 \end{bmatrix}\begin{bmatrix} a \\ \lambda \end{bmatrix} =
   -\begin{bmatrix} f \\ \gamma + c \end{bmatrix}, \qquad \ddot g = G a + \gamma.

The same matrix gives the smallest corrections in the metric of the mass, which has no mixed units:
:math:`\delta = -M^{-1} G^T (G M^{-1} G^T)^{-1} g`. Beside redundant constraints a small compliance of the multipliers
stands for the pseudo-inverse, as everywhere in flexmbs; off the constraints those are left out that follow from the
others on them (`flexmbs.integrators.redundancy`). No stiffness is evaluated.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.explicit_step import position_gap

__all__ = ["IndexOne"]

LOOSE = 1e22
"""Compliance of a constraint that is left out, over that of one that is not."""


class IndexOne:
    """Explicit evaluation of one system: accelerations, multipliers, corrections.

    Attributes
    ----------
    dynamics : Dynamics
    holonomic : (n_c,) bool array
        Constraints on positions; the others are on velocities (rolling).
    left_out : int array
        Constraints that follow from the others, off which nothing can be told of them; see `Redundancy`.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dynamics
        self.n_v, self.n_c = dynamics.n_v, dynamics.n_c
        self.still, self.free = np.zeros(dynamics.n_v), np.zeros(dynamics.n_c)
        self.holonomic = dynamics.velocity_rows == 0
        self._eye = np.eye(3)
        self.left_out = np.zeros(0, dtype=np.int64)
        self._slack: FloatArray | None = None

    def leave_out(self, rows: IntArray) -> None:
        """Do without these constraints (their numbers) from now on; their multipliers vanish.

        In the sparse matrix they get a compliance beside which what they prescribe is nothing.
        """
        self.left_out = rows
        self._slack = None
        if len(rows):
            self._slack = self.dynamics.multiplier_compliance.copy()
            self._slack[rows] *= LOOSE

    def forget(self) -> None:
        """Drop the factors."""
        self.dynamics.mass_factors = -1

    def evaluate(self, t: float, q: FloatArray, v: FloatArray) -> None:
        """Forces, constraint values and G at a state."""
        dyn = self.dynamics
        dyn.set_time(t)
        began = perf_counter()
        dyn.T[:] = self._eye
        dyn.residual_and_rows(q, v, self.still, self.free)
        dyn.seconds["evaluation"] += perf_counter() - began

    def values(self, q: FloatArray, v: FloatArray) -> None:
        """Forces and constraint values alone; the factors of before stay."""
        dyn = self.dynamics
        began = perf_counter()
        dyn.residual(q, v, self.still, self.free)
        dyn.seconds["evaluation"] += perf_counter() - began

    def decompose(self) -> None:
        """Factorise [M, G^T; G, 0] at the state evaluated last; without constraints, a constant M once."""
        dyn = self.dynamics
        if self.keeps_factors and dyn.mass_factors == dyn.factorisations:
            return
        dyn.factorise(1.0, self._slack)
        if self.keeps_factors:
            dyn.mass_factors = dyn.factorisations

    @property
    def keeps_factors(self) -> bool:
        """Whether the factors are those of a constant mass matrix alone."""
        return self.n_c == 0 and not self.dynamics.mass_changes

    def gap(self) -> float:
        """Largest violation of a position constraint at the state evaluated last, each over its size."""
        dyn = self.dynamics
        return float(position_gap(dyn.r, self.n_v, dyn.equation_sizes, dyn.velocity_rows))

    def accelerations(self, v: FloatArray, added: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """a and lam at the state evaluated last, whose matrix is factorised; ``added (n_c,)``: c of the equations."""
        dyn = self.dynamics
        if self.n_c:
            began = perf_counter()
            gamma = dyn.gamma_here(v)
            dyn.r[self.n_v :] = gamma if added is None else gamma + added
            dyn.seconds["evaluation"] += perf_counter() - began
        x = dyn.solve(1.0, 1.0, 1.0).copy()
        if dyn.compliant:  # what the compliance has yielded is taken back, but for rows that are left out
            dyn.r[: self.n_v] = 0.0
            dyn.r[self.n_v :] = dyn.multiplier_compliance * x[self.n_v :]
            dyn.r[self.n_v :][self.left_out] = 0.0
            x += dyn.solve(1.0, 1.0, 1.0)
        return x[: self.n_v], x[self.n_v :]

    def step_to_positions(self) -> FloatArray:
        """Increment of the positions onto g = 0, linearised where the factors are from, for the values in ``r``."""
        dyn = self.dynamics
        dyn.r[: self.n_v] = 0.0
        return dyn.solve(1.0, 1.0, 0.0)[: self.n_v]

    def step_to_velocities(self) -> FloatArray:
        """Increment of the velocities onto G v + b = 0, at the state evaluated last, with the factors there are."""
        dyn = self.dynamics
        dyn.r[: self.n_v] = 0.0
        dyn.r[self.n_v :] = dyn.rates()
        return dyn.solve(1.0, 1.0, 1.0)[: self.n_v]
