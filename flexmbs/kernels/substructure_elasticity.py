r"""Elastic and viscous forces of a substructure whose end moves by bending alone.

.. math:: \tilde z_c = z_c - \tfrac12 z^T G_c z - e_c\, g(z), \quad E = \partial\tilde z/\partial z, \quad
   U = \tfrac12\tilde z^T K\tilde z, \quad f = E^T s, \quad s = K\tilde z + D E\dot z, \\
   \partial f/\partial z = E^T K E + E^T D Y - \sum_c s_c (G_c + e_c \nabla^2 g), \quad
   Y_{c} = -(G_c\dot z + e_c \nabla^2 g\,\dot z)^T, \quad \partial f/\partial\dot z = E^T D E .

G are displacements of second order. With the slopes :math:`y' = S z` of a line that keeps its length and :math:`c =
\sqrt{1 - |y'|^2}`, g is the integral of :math:`c - 1`, its gradient that of :math:`-S^T y'/c`, and its second
derivative that of :math:`-S^T (1/c + y' y'^T / c^3) S`. `flexmbs.kernels.substructure_curvature` adds the curvature
of a line that is bent far.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack
from flexmbs.kernels.substructure_curvature import (
    Bending,
    curvature_energy,
    curvature_force,
    curvature_tangent,
)

__all__ = ["elastic_energy", "elastic_force", "elastic_tangent"]


@kernel
def strains(bend: Bending, z: FloatArray, out: FloatArray, E: FloatArray) -> None:
    """z~ and its derivative."""
    m = z.shape[0]
    E[:] = 0.0
    for c in range(m):
        out[c] = z[c]
        E[c, c] = 1.0
    for c in range(bend.G.shape[0]):
        for j in range(m):
            s = 0.0
            for k in range(m):
                s += bend.G[c, j, k] * z[k]
            E[c, j] -= s
            out[c] -= 0.5 * s * z[j]
    shorter = 0.0
    for i in range(bend.weight.shape[0]):
        S = bend.slope[i]
        x, y = 0.0, 0.0
        for k in range(m):
            x += S[0, k] * z[k]
            y += S[1, k] * z[k]
        bent = x * x + y * y
        c = np.sqrt(1.0 - bent)
        shorter -= bend.weight[i] * bent / (c + 1.0)  # c - 1 without the loss of digits
        u0, u1 = bend.weight[i] * x / c, bend.weight[i] * y / c
        for j in range(m):
            s = S[0, j] * u0 + S[1, j] * u1
            for k in range(3):
                E[k, j] += bend.along[k] * s
    for k in range(3):
        out[k] -= bend.along[k] * shorter


@kernel
def second(bend: Bending, z: FloatArray, out: FloatArray) -> None:
    """Second derivative of g (m, m)."""
    m = z.shape[0]
    out[:] = 0.0
    for i in range(bend.weight.shape[0]):
        S = bend.slope[i]
        x, y = 0.0, 0.0
        for k in range(m):
            x += S[0, k] * z[k]
            y += S[1, k] * z[k]
        c = np.sqrt(1.0 - x * x - y * y)
        w, v = bend.weight[i] / c, bend.weight[i] / (c * c * c)
        for j in range(m):
            a, b, t = S[0, j], S[1, j], S[0, j] * x + S[1, j] * y
            for k in range(m):
                out[j, k] -= w * (a * S[0, k] + b * S[1, k]) + v * t * (S[0, k] * x + S[1, k] * y)


@kernel
def stresses(
    K: FloatArray, D: FloatArray, bend: Bending, z: FloatArray, rate: FloatArray, E: FloatArray, s: FloatArray
) -> None:
    """s = K z~ + D E z', and E."""
    m = z.shape[0]
    x, y = on_stack((m,)), on_stack((m,))
    strains(bend, z, x, E)
    for c in range(m):
        t = 0.0
        for k in range(m):
            t += E[c, k] * rate[k]
        y[c] = t
    for c in range(m):
        t = 0.0
        for k in range(m):
            t += K[c, k] * x[k] + D[c, k] * y[k]
        s[c] = t


@kernel
def elastic_force(
    K: FloatArray, D: FloatArray, bend: Bending, z: FloatArray, rate: FloatArray, out: FloatArray
) -> None:
    """out (m,) = E^T s."""
    m = z.shape[0]
    E, s = bend.squares[0], on_stack((m,))
    stresses(K, D, bend, z, rate, E, s)
    for j in range(m):
        t = 0.0
        for c in range(m):
            t += E[c, j] * s[c]
        out[j] = t
    curvature_force(bend, z, rate, out)


@kernel
def elastic_tangent(
    K: FloatArray, D: FloatArray, bend: Bending, z: FloatArray, rate: FloatArray, KF: FloatArray, DF: FloatArray
) -> None:
    """Add df/dz and df/dz' to the lower right parts of KF and DF (6 + m, 6 + m)."""
    m = z.shape[0]
    E, H, KE, DE, Y = bend.squares[0], bend.squares[1], bend.squares[2], bend.squares[3], bend.squares[4]
    s = on_stack((m,))
    Y[:6] = 0.0
    stresses(K, D, bend, z, rate, E, s)
    second(bend, z, H)
    G, e = bend.G, bend.along
    for j in range(m):
        t = 0.0
        for k in range(m):
            t += H[j, k] * rate[k]
        for c in range(3):
            Y[c, j] = -e[c] * t
        for c in range(G.shape[0]):
            t = 0.0
            for k in range(m):
                t += G[c, j, k] * rate[k]
            Y[c, j] -= t
    pull = s[0] * e[0] + s[1] * e[1] + s[2] * e[2]
    for a in range(m):
        for b in range(m):
            x, y, w = 0.0, 0.0, 0.0
            for k in range(m):
                x += K[a, k] * E[k, b]
                y += D[a, k] * E[k, b]
            for k in range(6):
                w += D[a, k] * Y[k, b]
            KE[a, b], DE[a, b] = x + w, y
    for a in range(m):
        for b in range(m):
            x, y = -pull * H[a, b], 0.0
            for k in range(m):
                x += E[k, a] * KE[k, b]
                y += E[k, a] * DE[k, b]
            for c in range(G.shape[0]):
                x -= s[c] * G[c, a, b]
            KF[6 + a, 6 + b] += x
            DF[6 + a, 6 + b] += y
    curvature_tangent(bend, z, rate, KF, DF)


@kernel
def elastic_energy(K: FloatArray, bend: Bending, z: FloatArray) -> float:
    """z~ K z~ / 2, and that of the curvature of a line."""
    m = z.shape[0]
    E, x = bend.squares[0], on_stack((m,))
    strains(bend, z, x, E)
    total = curvature_energy(bend, z)
    for a in range(m):
        for b in range(m):
            total += 0.5 * x[a] * K[a, b] * x[b]
    return total
