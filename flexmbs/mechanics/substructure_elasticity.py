r"""Elastic and viscous forces of a substructure whose end moves to second order in its amplitudes.

.. math:: \tilde z_c = z_c - \tfrac12 z^T G_c z \ (c < 6), \quad E = \partial\tilde z/\partial z, \quad
   U = \tfrac12\tilde z^T K\tilde z, \quad f = E^T s, \quad s = K\tilde z + D E\dot z, \\
   \partial f/\partial z = E^T K E + E^T D Y - \sum_c s_c G_c, \quad Y_{c} = -(G_c\dot z)^T, \quad
   \partial f/\partial\dot z = E^T D E .
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = ["elastic_energy", "elastic_force", "elastic_tangent"]


@kernel
def gradient(G: FloatArray, z: FloatArray, start: float, E: FloatArray) -> None:
    """E = start 1 - (G z)."""
    m = z.shape[0]
    E[:] = 0.0
    for c in range(m):
        E[c, c] = start
    for c in range(G.shape[0]):
        for j in range(m):
            s = 0.0
            for k in range(m):
                s += G[c, j, k] * z[k]
            E[c, j] -= s


@kernel
def stretched(E: FloatArray, z: FloatArray, out: FloatArray) -> None:
    """out = (z + E z) / 2, which is z - z G z / 2."""
    m = z.shape[0]
    for c in range(m):
        s = z[c]
        for k in range(m):
            s += E[c, k] * z[k]
        out[c] = 0.5 * s


@kernel
def stresses(K: FloatArray, D: FloatArray, E: FloatArray, z: FloatArray, rate: FloatArray, s: FloatArray) -> None:
    """s = K z~ + D E z'."""
    m = z.shape[0]
    x, y = np.empty(m), np.empty(m)
    stretched(E, z, x)
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
    K: FloatArray, D: FloatArray, G: FloatArray, z: FloatArray, rate: FloatArray, out: FloatArray
) -> None:
    """out (m,) = E^T s."""
    m = z.shape[0]
    E, s = np.empty((m, m)), np.empty(m)
    gradient(G, z, 1.0, E)
    stresses(K, D, E, z, rate, s)
    for j in range(m):
        t = 0.0
        for c in range(m):
            t += E[c, j] * s[c]
        out[j] = t


@kernel
def elastic_tangent(
    K: FloatArray, D: FloatArray, G: FloatArray, z: FloatArray, rate: FloatArray, KF: FloatArray, DF: FloatArray
) -> None:
    """Add df/dz and df/dz' to the lower right parts of KF and DF (6 + m, 6 + m)."""
    m = z.shape[0]
    E, Y, s = np.empty((m, m)), np.empty((m, m)), np.empty(m)
    KE, DE, DY = np.empty((m, m)), np.empty((m, m)), np.empty((m, m))
    gradient(G, z, 1.0, E)
    gradient(G, rate, 0.0, Y)
    stresses(K, D, E, z, rate, s)
    for a in range(m):
        for b in range(m):
            x, y, w = 0.0, 0.0, 0.0
            for k in range(m):
                x += K[a, k] * E[k, b]
                y += D[a, k] * E[k, b]
                w += D[a, k] * Y[k, b]
            KE[a, b], DE[a, b], DY[a, b] = x, y, w
    for a in range(m):
        for b in range(m):
            x, y = 0.0, 0.0
            for k in range(m):
                x += E[k, a] * (KE[k, b] + DY[k, b])
                y += E[k, a] * DE[k, b]
            for c in range(G.shape[0]):
                x -= s[c] * G[c, a, b]
            KF[6 + a, 6 + b] += x
            DF[6 + a, 6 + b] += y


@kernel
def elastic_energy(K: FloatArray, G: FloatArray, z: FloatArray) -> float:
    """z~ K z~ / 2."""
    m = z.shape[0]
    E, x = np.empty((m, m)), np.empty(m)
    gradient(G, z, 1.0, E)
    stretched(E, z, x)
    total = 0.0
    for a in range(m):
        for b in range(m):
            total += 0.5 * x[a] * K[a, b] * x[b]
    return total
