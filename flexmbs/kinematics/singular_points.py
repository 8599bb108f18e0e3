r"""Singular positions found to round-off, by Newton's method on extended systems.

At a turning point of time the drivers cannot go on (a lock-up): with a left null vector :math:`\psi` of G

.. math:: g(q, t) = 0, \qquad G^T \psi = 0, \qquad \psi^T \psi = 1, \qquad \psi^T g_t \ne 0.

At a simple bifurcation :math:`\psi` is a left null vector of :math:`[G\ g_t]`, and curves of positions cross. There
are more equations than unknowns; with a number :math:`\mu` that is zero in the end

.. math:: g + \mu\psi = 0, \qquad G^T\psi = 0, \qquad g_t^T\psi = 0, \qquad \psi^T\psi = 1 .

Both are regular at simple points, so that Newton's method converges quadratically. The derivative of :math:`G^T\psi` is
exact: it is what multipliers :math:`\psi` would bring to the stiffness. Where equations follow from others, unknowns
:math:`\varepsilon` are added to g, and :math:`V^T\psi = 0`, as in `position_equations`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.kinematics.position_equations import MET, PositionEquations

__all__ = ["SingularPoint", "bifurcation_point", "turning_point"]

DENSE = 600
"""Unknowns of a position up to which extended systems, three times as large, are solved."""
MOST = 30
LONGEST = 0.3
"""Longest correction at once [rad, or lengths of the model]."""


class SingularPoint(NamedTuple):
    """A singular position: time, coordinates, left null vector psi (m,)."""

    t: float
    q: FloatArray
    psi: FloatArray
    iterations: int


def turning_point(
    eq: PositionEquations, V: FloatArray, q: FloatArray, t: float, scale: float = 1.0
) -> SingularPoint | None:
    """The turning point of time near a position; None if the iteration finds none. ``scale``: of time."""
    return _newton(eq, V, q, t, scale, branching=False)


def bifurcation_point(
    eq: PositionEquations, V: FloatArray, q: FloatArray, t: float, scale: float = 1.0
) -> SingularPoint | None:
    """The simple bifurcation near a position; None if the iteration finds none."""
    return _newton(eq, V, q, t, scale, branching=True)


def _newton(
    eq: PositionEquations, V: FloatArray, q: FloatArray, t: float, scale: float, branching: bool
) -> SingularPoint | None:
    n, m, k = eq.n, eq.m, eq.m - eq.n
    if m > DENSE or V.shape[1] != k:
        return None
    psi, mu, slack = np.zeros(0), 0.0, np.zeros(k)
    for iteration in range(MOST):
        values = eq.at(q, t)
        G, g_t = values.G.toarray() * eq.size, values.g_t * scale
        g_tt = eq.acceleration() * scale * scale
        if not len(psi):
            U, sigma, _ = np.linalg.svd(np.column_stack((G, V, g_t) if branching else (G, V)))
            psi = U[:, int(np.argmin(sigma))]
        H = eq.size[:, None] * eq.curvature(q, t, psi) * eq.size
        # unknowns: q (n), t, slack (k), mu, psi (m)
        J = np.zeros((2 * m + 2, 2 * m + 2))
        J[:m, :n], J[:m, n], J[:m, n + 1 : m + 1] = G, g_t, V
        J[m : m + n, :n], J[m : m + n, m + 2 :] = H, G.T
        J[m + n : 2 * m, m + 2 :] = V.T
        J[2 * m + 1, m + 2 :] = 2.0 * psi
        r: FloatArray = np.concatenate((values.g + V @ slack, G.T @ psi, V.T @ psi, np.array([mu, psi @ psi - 1.0])))
        if branching:
            r[:m] += mu * psi
            r[2 * m] = g_t @ psi
            J[:m, m + 1], J[:m, m + 2 :] = psi, mu * np.eye(m)
            J[2 * m, n], J[2 * m, m + 2 :] = g_tt @ psi, g_t
        else:
            J[2 * m, m + 1] = 1.0
        try:
            d = np.linalg.solve(J, -r)
        except np.linalg.LinAlgError:
            return None
        size = float(np.abs(d[: n + 1]).max())
        if not np.isfinite(size):
            return None
        d *= min(1.0, LONGEST / max(size, 1e-300))
        q, t = eq.moved(q, eq.size * d[:n]), t + scale * float(d[n])
        slack, mu, psi = slack + d[n + 1 : m + 1], mu + float(d[m + 1]), psi + d[m + 2 :]
        if size < 1e-11:
            met = eq.gap(eq.at(q, t).g) <= 1e3 * MET
            return SingularPoint(t, q, psi, iteration + 1) if met else None
    return None
