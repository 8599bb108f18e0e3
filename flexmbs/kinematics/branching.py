r"""Directions of the curves that cross at a simple bifurcation.

With the left null vector :math:`\psi` of F = [G g_t] and an orthonormal basis :math:`\Phi` of its null space, which
has two dimensions there, the curves leave along :math:`\Phi x` with

.. math:: x^T\,\Phi^T\!\begin{bmatrix} H(\psi) & \\ & \psi^T g_{tt}\end{bmatrix}\!\Phi\; x = 0 .
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.kinematics.singular_points import SingularPoint
from flexmbs.kinematics.tracing import Tracer

__all__ = ["branch_directions"]

FLAT = 1e-9
"""Discriminant, relative to the size of the form, below which the curves do not cross."""


def branch_directions(tracer: Tracer, point: SingularPoint) -> list[FloatArray]:
    """Unit tangents (n + 1,) of the two curves through a bifurcation; none where they do not cross in a simple way."""
    eq = tracer.equations
    _, F = tracer.matrix(point.t, point.q)
    g_tt = float(point.psi @ eq.acceleration()) * tracer.scale**2
    _, sigma, W = np.linalg.svd(F)
    basis = W[tracer.n - 1 :].T
    if sigma[tracer.n - 1] > 1e-6 * sigma[0] or sigma[tracer.n - 2] < 1e-6 * sigma[0]:
        return []
    H = eq.size[:, None] * eq.curvature(point.q, point.t, point.psi) * eq.size
    upper = basis[:-1]
    form = upper.T @ (0.5 * (H + H.T)) @ upper + g_tt * np.outer(basis[-1], basis[-1])
    a, b, c = form[0, 0], form[0, 1], form[1, 1]
    root = b * b - a * c
    if root <= FLAT * float(np.abs(form).max()) ** 2:
        return []
    values, axes = np.linalg.eigh(form)  # of different signs: -v0, v1 > 0
    x, y = np.sqrt(values[1]), np.sqrt(-values[0])
    found = []
    for side in (1.0, -1.0):
        direction = basis @ (axes[:, 0] * x + side * axes[:, 1] * y)
        found.append(direction / np.linalg.norm(direction))
    return found
