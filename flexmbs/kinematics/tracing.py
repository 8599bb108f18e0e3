r"""Following curves of positions in the space of coordinates and time, by pseudo-arclength.

With :math:`y = (\delta q, \delta t)` scaled, F = [G g_t] and the unit tangent s of the last point, the tangent
:math:`\tau` of the next and the corrections of Newton's method follow from one matrix,

.. math:: \begin{bmatrix} F & V \\ s^T & 0 \end{bmatrix} \begin{bmatrix} \tau \\ 0 \end{bmatrix}
   = \begin{bmatrix} 0 \\ 1 \end{bmatrix}, \qquad
   \begin{bmatrix} F & V \\ s^T & 0 \end{bmatrix} \begin{bmatrix} \delta y \\ \delta\varepsilon \end{bmatrix}
   = -\begin{bmatrix} g + V\varepsilon \\ 0 \end{bmatrix},

which stays regular where G is singular but F is not. The sign of its determinant changes at simple bifurcations, that
of the last entry of :math:`\tau` at turning points of time.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve

from flexmbs.core.contracts import FloatArray
from flexmbs.kernels.steps import local
from flexmbs.kinematics.position_equations import MET, PositionEquations

__all__ = ["PathPoint", "Tracer"]

MOST = 8
BENT = 0.98
"""Cosine of the angle by which the tangent turns in a step at most."""
SMALLEST = 1e-7
"""Smallest step, relative to the largest."""


class PathPoint(NamedTuple):
    """A point of a curve: time, coordinates, unit tangent (n + 1,), border V, sign of the determinant."""

    t: float
    q: FloatArray
    tangent: FloatArray
    V: FloatArray
    sign: float


class Tracer:
    """Steps along curves of one model; ``scale`` is what counts as one unit of time."""

    def __init__(self, equations: PositionEquations, scale: float) -> None:
        self.equations, self.scale = equations, scale
        self.n, self.m = equations.n, equations.m
        angles = np.isin(equations.free, equations.dyn.angles_of_bodies)
        self._angles = np.flatnonzero(angles)

    def start(self, t: float, q: FloatArray, V: FloatArray, along: FloatArray) -> PathPoint | None:
        """The point near a position on the hyperplane across ``along`` (n + 1,), which its tangent goes with."""
        return self._correct(t, q, V, along)

    def step(self, now: PathPoint, h: float) -> PathPoint | None:
        """The point one step h along the tangent, or None if there is none, or the curve bends too much."""
        found = self._correct(*self._ahead(now, h), now.V, now.tangent)
        if found is None or not found.tangent @ now.tangent >= BENT:
            return None
        if self.distance(now, found.t, found.q) > 2.0 * h:
            return None
        return found

    def reach(self, now: PathPoint, t: float) -> PathPoint | None:
        """The point at a time that the tangent leads to."""
        slope = now.tangent[-1]
        h = (t - now.t) / (slope * self.scale)
        fixed = np.zeros(self.n + 1)
        fixed[-1] = np.sign(slope)
        _, q = self._ahead(now, h)
        found = self._correct(t, q, now.V, fixed)
        return found if found is not None and found.tangent @ now.tangent > 0.5 else None

    def distance(self, point: PathPoint, t: float, q: FloatArray) -> float:
        """Scaled distance of another position, angles of planar bodies up to whole turns."""
        eq = self.equations
        d = np.zeros(eq.dyn.n_v)
        local(point.q, q, eq.dyn.n_linear, d)
        d = eq.E.T @ d
        d[self._angles] = np.remainder(d[self._angles] + np.pi, 2.0 * np.pi) - np.pi
        return float(np.linalg.norm(np.append(d / eq.size, (t - point.t) / self.scale)))

    def matrix(self, t: float, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """g (m,) and the scaled F (m, n + 1)."""
        values = self.equations.at(q, t)
        return values.g, np.column_stack((values.G.toarray() * self.equations.size, values.g_t * self.scale))

    def _ahead(self, now: PathPoint, h: float) -> tuple[float, FloatArray]:
        eq = self.equations
        return now.t + h * self.scale * float(now.tangent[-1]), eq.moved(now.q, h * eq.size * now.tangent[:-1])

    def _correct(self, t: float, q: FloatArray, V: FloatArray, along: FloatArray) -> PathPoint | None:
        eq, n, m = self.equations, self.n, self.m
        slack, before = np.zeros(m - n), np.inf
        for iteration in range(MOST):
            g, F = self.matrix(t, q)
            A = np.zeros((m + 1, m + 1))
            A[:m, : n + 1], A[:m, n + 1 :], A[m, : n + 1] = F, V, along
            if not np.isfinite(A).all():
                return None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LinAlgWarning)
                lu = lu_factor(A, check_finite=False)
            if not np.all(np.diag(lu[0])):
                return None
            gap = g + V @ slack
            d = lu_solve(lu, -np.append(gap, 0.0))
            size = float(np.abs(d[: n + 1]).max())
            if not np.isfinite(size):
                return None
            if eq.gap(gap) <= MET and (size <= 1e-11 or size > 0.5 * before):
                if eq.gap(V @ slack) > 1e-7:
                    return None
                return self._point(t, q, V, lu)
            if iteration > 1 and size > 0.5 * before:
                return None
            t, q = t + self.scale * float(d[n]), eq.moved(q, eq.size * d[:n])
            slack, before = slack + d[n + 1 :], size
        return None

    def _point(self, t: float, q: FloatArray, V: FloatArray, lu: tuple[FloatArray, FloatArray]) -> PathPoint:
        n, m, k = self.n, self.m, self.m - self.n
        right = np.zeros(m + 1)
        right[m] = 1.0
        tangent = lu_solve(lu, right)[: n + 1]
        tangent /= np.linalg.norm(tangent)
        if k:
            unit = np.zeros((m + 1, k))
            unit[n + 1 :] = np.eye(k)
            U, _, W = np.linalg.svd(lu_solve(lu, unit, trans=1)[:m], full_matrices=False)
            V = np.ascontiguousarray(U @ W)
        swaps = int((lu[1] != np.arange(m + 1)).sum())
        sign = float(np.prod(np.sign(np.diag(lu[0])))) * (-1.0) ** swaps
        return PathPoint(t, q, tangent, V, sign)
