r"""Curvature of a line that is bent far, beyond what is linear in its slopes.

With the slopes :math:`a = y'` across the chord, :math:`b = y''` and :math:`c = \sqrt{1 - a\cdot a}`, a line of constant
length whose sections turn by the smallest rotation has the curvatures

.. math:: \kappa = b + a\,\frac{a\cdot b}{c\,(1 + c)},

b to first order. What the stiffness of the shapes does not know of its energy and its Kelvin-Voigt forces is

.. math:: \Delta U = \tfrac12\int \kappa^T EI\,\kappa - b^T EI\,b\;ds, \qquad
   \Delta f = \int J^T EI(\kappa + \tau\dot\kappa) - EI(b + \tau\dot b)\;ds, \quad J = \partial\kappa/\partial(a, b) .
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.kernel_arrays import on_stack

__all__ = ["Bending", "curvature_energy", "curvature_force", "curvature_tangent"]


class Bending(NamedTuple):
    """Of one substructure.

    ``G (6 or 0, m, m)``: displacements of second order; at points of a line: direction ``along (3,)``, ``weight (g,)``,
    ``slope, curve (g, 2, m)``: y' and y'' of the shapes; ``EI (2, 2)``, ``tau``. Scratch: ``squares (6, 6 + m, 6
    + m)``.
    """

    G: FloatArray
    along: FloatArray
    weight: FloatArray
    slope: FloatArray
    curve: FloatArray
    EI: FloatArray
    tau: float
    squares: FloatArray


@inlined
def curvature(y: FloatArray, k: FloatArray, J: FloatArray) -> None:
    """Curvatures k (2,) and their derivative J (2, 4) by y = (a, b)."""
    p, q = y[0] * y[0] + y[1] * y[1], y[0] * y[2] + y[1] * y[3]
    c = np.sqrt(1.0 - p)
    d = c + c * c
    h, h1 = 1.0 / d, (1.0 + 2.0 * c) / (2.0 * c * d * d)
    for i in range(2):
        k[i] = y[2 + i] + y[i] * q * h
        for j in range(2):
            J[i, j] = y[i] * y[2 + j] * h + 2.0 * y[i] * y[j] * q * h1
            J[i, 2 + j] = y[i] * y[j] * h
        J[i, i] += q * h
        J[i, 2 + i] += 1.0


@inlined
def second_derivative(y: FloatArray, i: int, H: FloatArray) -> None:
    """That of curvature i by y, (4, 4)."""
    p, q = y[0] * y[0] + y[1] * y[1], y[0] * y[2] + y[1] * y[3]
    c = np.sqrt(1.0 - p)
    d = c + c * c
    by_c, by_cc = -(1.0 + 2.0 * c) / (d * d), 2.0 * (1.0 + 2.0 * c) * (1.0 + 2.0 * c) / (d * d * d) - 2.0 / (d * d)
    c1, c2 = -0.5 / c, -0.25 / (c * c * c)
    h, h1, h2 = 1.0 / d, by_c * c1, by_cc * c1 * c1 + by_c * c2
    for j in range(2):
        for k in range(2):
            s = y[i] * (2.0 * h1 * (y[2 + j] * y[k] + y[2 + k] * y[j]) + 4.0 * q * h2 * y[j] * y[k])
            t = 2.0 * y[i] * y[j] * y[k] * h1
            if j == k:
                s += 2.0 * y[i] * q * h1
                t += y[i] * h
            if i == j:
                s += y[2 + k] * h + 2.0 * q * h1 * y[k]
            if i == k:
                s += y[2 + j] * h + 2.0 * q * h1 * y[j]
                t += y[j] * h
            H[j, k] = s
            H[2 + j, k], H[k, 2 + j] = t, t
            H[2 + j, 2 + k] = 0.0


@inlined
def at_point(bend: Bending, g: int, z: FloatArray, y: FloatArray) -> None:
    """y = (a, b) of amplitudes."""
    for i in range(2):
        s, t = 0.0, 0.0
        for k in range(z.shape[0]):
            s += bend.slope[g, i, k] * z[k]
            t += bend.curve[g, i, k] * z[k]
        y[i], y[2 + i] = s, t


@inlined
def moments(bend: Bending, y: FloatArray, yd: FloatArray, J: FloatArray, M: FloatArray, linear: FloatArray) -> None:
    """EI (k + tau k'), and EI (b + tau b')."""
    k = np.empty(2)
    curvature(y, k, J)
    for i in range(2):
        for n in range(4):
            k[i] += bend.tau * J[i, n] * yd[n]
    for i in range(2):
        M[i] = bend.EI[i, 0] * k[0] + bend.EI[i, 1] * k[1]
        linear[i] = bend.EI[i, 0] * (y[2] + bend.tau * yd[2]) + bend.EI[i, 1] * (y[3] + bend.tau * yd[3])


@kernel
def curvature_force(bend: Bending, z: FloatArray, rate: FloatArray, out: FloatArray) -> None:
    """Add the forces (m,)."""
    y, yd, J, M, linear = np.empty(4), np.empty(4), np.empty((2, 4)), np.empty(2), np.empty(2)
    for g in range(bend.weight.shape[0]):
        at_point(bend, g, z, y)
        at_point(bend, g, rate, yd)
        moments(bend, y, yd, J, M, linear)
        for i in range(2):
            s = bend.weight[g] * (J[0, i] * M[0] + J[1, i] * M[1])
            t = bend.weight[g] * (J[0, 2 + i] * M[0] + J[1, 2 + i] * M[1] - linear[i])
            for k in range(z.shape[0]):
                out[k] += bend.slope[g, i, k] * s + bend.curve[g, i, k] * t


@kernel
def curvature_tangent(bend: Bending, z: FloatArray, rate: FloatArray, KF: FloatArray, DF: FloatArray) -> None:
    """Add the derivatives to the lower right parts of KF and DF (6 + m, 6 + m)."""
    m = z.shape[0]
    y, yd, J, M, linear = np.empty(4), np.empty(4), np.empty((2, 4)), np.empty(2), np.empty(2)
    H, A, C, Jd, row = np.empty((2, 4, 4)), np.empty((4, 4)), np.empty((4, 4)), np.empty((2, 4)), on_stack((4, m))
    for g in range(bend.weight.shape[0]):
        at_point(bend, g, z, y)
        at_point(bend, g, rate, yd)
        moments(bend, y, yd, J, M, linear)
        for i in range(2):
            second_derivative(y, i, H[i])
            for n in range(4):
                s = 0.0
                for k in range(4):
                    s += H[i, n, k] * yd[k]
                Jd[i, n] = J[i, n] + bend.tau * s
        w = bend.weight[g]
        for a in range(4):
            u0 = bend.EI[0, 0] * J[0, a] + bend.EI[1, 0] * J[1, a]
            u1 = bend.EI[0, 1] * J[0, a] + bend.EI[1, 1] * J[1, a]
            for b in range(4):
                A[a, b] = w * (u0 * Jd[0, b] + u1 * Jd[1, b] + M[0] * H[0, a, b] + M[1] * H[1, a, b])
                C[a, b] = w * bend.tau * (u0 * J[0, b] + u1 * J[1, b])
                if a > 1 and b > 1:
                    A[a, b] -= w * bend.EI[a - 2, b - 2]
                    C[a, b] -= w * bend.tau * bend.EI[a - 2, b - 2]
        add_product(bend.slope[g], bend.curve[g], A, row, KF)
        if bend.tau > 0.0:
            add_product(bend.slope[g], bend.curve[g], C, row, DF)


@kernel
def add_product(S: FloatArray, C: FloatArray, A: FloatArray, row: FloatArray, out: FloatArray) -> None:
    """Add B^T A B to the lower right part, with B (4, m) of slopes and curvatures at a point."""
    m = row.shape[1]
    for a in range(4):
        s0, s1, t0, t1 = A[a, 0], A[a, 1], A[a, 2], A[a, 3]
        for k in range(m):
            row[a, k] = (s0 * S[0, k] + t0 * C[0, k]) + (s1 * S[1, k] + t1 * C[1, k])
    for j in range(m):
        s0, s1, t0, t1 = S[0, j], S[1, j], C[0, j], C[1, j]
        for k in range(m):
            here = out[6 + j, 6 + k] + (s0 * row[0, k] + t0 * row[2, k])
            out[6 + j, 6 + k] = here + (s1 * row[1, k] + t1 * row[3, k])


@kernel
def curvature_energy(bend: Bending, z: FloatArray) -> float:
    """The energy that the stiffness of the shapes lacks."""
    y, k, J = np.empty(4), np.empty(2), np.empty((2, 4))
    total = 0.0
    for g in range(bend.weight.shape[0]):
        at_point(bend, g, z, y)
        curvature(y, k, J)
        for i in range(2):
            for j in range(2):
                total += 0.5 * bend.weight[g] * bend.EI[i, j] * (k[i] * k[j] - y[2 + i] * y[2 + j])
    return total
