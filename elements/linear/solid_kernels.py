"""Batched kernels of isoparametric solids: one loop over elements and points of a quadrature, nothing allocated in it.

Arguments that all of them share: ``x (n_e, n_a, 3)`` nodes, ``slopes (n_g, n_a, 3)`` derivatives of the shape functions
on the reference cell, ``weights (n_g,)``, ``C (6, 6)`` elasticity. With J = dx/dxi the gradients are
``dN_a/dx = J^-T dN_a/dxi``; strains and stresses are in the order xx, yy, zz, xy, yz, xz with engineering shear.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack

__all__ = [
    "add_stiffness",
    "elastic_column",
    "geometric_stiffness",
    "gradients_at",
    "jacobians",
    "mass",
    "mirror",
    "strain_load",
    "strains",
]


@kernel
def gradients_at(x: FloatArray, e: int, slopes: FloatArray, g: int, G: FloatArray) -> float:
    """Gradients ``G (n_a, 3)`` of the shape functions of element e at point g; returns det J."""
    j00 = j01 = j02 = j10 = j11 = j12 = j20 = j21 = j22 = 0.0
    for a in range(x.shape[1]):
        x0, x1, x2 = x[e, a, 0], x[e, a, 1], x[e, a, 2]
        s0, s1, s2 = slopes[g, a, 0], slopes[g, a, 1], slopes[g, a, 2]
        j00 += x0 * s0
        j01 += x0 * s1
        j02 += x0 * s2
        j10 += x1 * s0
        j11 += x1 * s1
        j12 += x1 * s2
        j20 += x2 * s0
        j21 += x2 * s1
        j22 += x2 * s2
    c00, c01, c02 = j11 * j22 - j12 * j21, j12 * j20 - j10 * j22, j10 * j21 - j11 * j20
    c10, c11, c12 = j02 * j21 - j01 * j22, j00 * j22 - j02 * j20, j01 * j20 - j00 * j21
    c20, c21, c22 = j01 * j12 - j02 * j11, j02 * j10 - j00 * j12, j00 * j11 - j01 * j10
    det = j00 * c00 + j01 * c01 + j02 * c02
    for a in range(x.shape[1]):
        s0, s1, s2 = slopes[g, a, 0], slopes[g, a, 1], slopes[g, a, 2]
        G[a, 0] = (c00 * s0 + c01 * s1 + c02 * s2) / det
        G[a, 1] = (c10 * s0 + c11 * s1 + c12 * s2) / det
        G[a, 2] = (c20 * s0 + c21 * s1 + c22 * s2) / det
    return det


@kernel
def jacobians(x: FloatArray, slopes: FloatArray, det: FloatArray) -> None:
    """det J (n_e, n_g)."""
    G = on_stack((x.shape[1], 3))
    for e in range(x.shape[0]):
        for g in range(slopes.shape[0]):
            det[e, g] = gradients_at(x, e, slopes, g, G)


@kernel
def elastic_column(C: FloatArray, s: float, g0: float, g1: float, g2: float, D: FloatArray) -> None:
    """``D (6, 3)``: s times the stresses of the strains that the three coordinates of a node with gradient g cause."""
    for r in range(6):
        D[r, 0] = s * (C[r, 0] * g0 + C[r, 3] * g1 + C[r, 5] * g2)
        D[r, 1] = s * (C[r, 1] * g1 + C[r, 3] * g0 + C[r, 4] * g2)
        D[r, 2] = s * (C[r, 2] * g2 + C[r, 4] * g1 + C[r, 5] * g0)


@kernel
def add_stiffness(x: FloatArray, slopes: FloatArray, weights: FloatArray, C: FloatArray, K: FloatArray) -> None:
    """Add the stiffness to the upper triangles of ``K (n_e, 3 n_a, 3 n_a)``; `mirror` fills the lower ones."""
    n_a = x.shape[1]
    G, D = on_stack((n_a, 3)), np.empty((6, 3))
    for e in range(x.shape[0]):
        for g in range(slopes.shape[0]):
            det = gradients_at(x, e, slopes, g, G)
            for b in range(n_a):
                elastic_column(C, weights[g] * det, G[b, 0], G[b, 1], G[b, 2], D)
                for a in range(b + 1):
                    h0, h1, h2 = G[a, 0], G[a, 1], G[a, 2]
                    for c in range(3):
                        K[e, 3 * a, 3 * b + c] += h0 * D[0, c] + h1 * D[3, c] + h2 * D[5, c]
                        K[e, 3 * a + 1, 3 * b + c] += h1 * D[1, c] + h0 * D[3, c] + h2 * D[4, c]
                        K[e, 3 * a + 2, 3 * b + c] += h2 * D[2, c] + h1 * D[4, c] + h0 * D[5, c]


@kernel
def mirror(K: FloatArray) -> None:
    """Copy the upper triangles of ``K (n_e, k, k)`` into the lower ones."""
    for e in range(K.shape[0]):
        for i in range(K.shape[1]):
            for j in range(i):
                K[e, i, j] = K[e, j, i]


@kernel
def mass(shapes: FloatArray, masses: FloatArray, M: FloatArray) -> None:
    """Add the mass of points ``masses (n_e, n_g)`` to ``M (n_e, 3 n_a, 3 n_a)``, both triangles."""
    n_a = shapes.shape[1]
    for e in range(masses.shape[0]):
        for a in range(n_a):
            for b in range(a + 1):
                total = 0.0
                for g in range(shapes.shape[0]):
                    total += masses[e, g] * (shapes[g, a] * shapes[g, b])
                for c in range(3):
                    M[e, 3 * a + c, 3 * b + c] += total
                    if a != b:
                        M[e, 3 * b + c, 3 * a + c] += total


@kernel
def strains(x: FloatArray, slopes: FloatArray, u: FloatArray, out: FloatArray) -> None:
    """Strains ``out (n_e, n_g, 6)`` of the coordinates ``u (n_e, 3 n_a)``."""
    n_a = x.shape[1]
    G = on_stack((n_a, 3))
    for e in range(x.shape[0]):
        for g in range(slopes.shape[0]):
            gradients_at(x, e, slopes, g, G)
            e0 = e1 = e2 = e3 = e4 = e5 = 0.0
            for a in range(n_a):
                u0, u1, u2 = u[e, 3 * a], u[e, 3 * a + 1], u[e, 3 * a + 2]
                e0 += G[a, 0] * u0
                e1 += G[a, 1] * u1
                e2 += G[a, 2] * u2
                e3 += G[a, 1] * u0 + G[a, 0] * u1
                e4 += G[a, 2] * u1 + G[a, 1] * u2
                e5 += G[a, 2] * u0 + G[a, 0] * u2
            out[e, g, 0] = e0
            out[e, g, 1] = e1
            out[e, g, 2] = e2
            out[e, g, 3] = e3
            out[e, g, 4] = e4
            out[e, g, 5] = e5


@kernel
def geometric_stiffness(
    x: FloatArray, slopes: FloatArray, weights: FloatArray, stress: FloatArray, K: FloatArray
) -> None:
    """Add ``sum_g w det J (dN_a . s dN_b)`` on the three diagonals of each block; both triangles."""
    n_a = x.shape[1]
    G = on_stack((n_a, 3))
    for e in range(x.shape[0]):
        for g in range(slopes.shape[0]):
            s = weights[g] * gradients_at(x, e, slopes, g, G)
            xx, yy, zz = s * stress[e, g, 0], s * stress[e, g, 1], s * stress[e, g, 2]
            xy, yz, xz = s * stress[e, g, 3], s * stress[e, g, 4], s * stress[e, g, 5]
            for b in range(n_a):
                t0 = xx * G[b, 0] + xy * G[b, 1] + xz * G[b, 2]
                t1 = xy * G[b, 0] + yy * G[b, 1] + yz * G[b, 2]
                t2 = xz * G[b, 0] + yz * G[b, 1] + zz * G[b, 2]
                for a in range(b + 1):
                    both = G[a, 0] * t0 + G[a, 1] * t1 + G[a, 2] * t2
                    for c in range(3):
                        K[e, 3 * a + c, 3 * b + c] += both
                        if a != b:
                            K[e, 3 * b + c, 3 * a + c] += both


@kernel
def strain_load(
    x: FloatArray, slopes: FloatArray, weights: FloatArray, stress: FloatArray, size: FloatArray, f: FloatArray
) -> None:
    """Add the nodal forces of a stress ``size[e] * stress (6,)``, constant in each element, to ``f (n_e, 3 n_a)``."""
    n_a = x.shape[1]
    G = on_stack((n_a, 3))
    for e in range(x.shape[0]):
        for g in range(slopes.shape[0]):
            s = size[e] * weights[g] * gradients_at(x, e, slopes, g, G)
            for a in range(n_a):
                g0, g1, g2 = G[a, 0], G[a, 1], G[a, 2]
                f[e, 3 * a] += s * (g0 * stress[0] + g1 * stress[3] + g2 * stress[5])
                f[e, 3 * a + 1] += s * (g1 * stress[1] + g0 * stress[3] + g2 * stress[4])
                f[e, 3 * a + 2] += s * (g2 * stress[2] + g1 * stress[4] + g0 * stress[5])
