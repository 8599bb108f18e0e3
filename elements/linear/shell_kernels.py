"""Kernels that all shells share: from generalised strains to matrices, over batches of elements."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = ["inertia_matrices", "internal_stiffness", "turned_matrices"]


@kernel
def internal_stiffness(
    B: FloatArray, weights: FloatArray, C: FloatArray, k: int, K: FloatArray, internal: FloatArray
) -> None:
    """Upper triangles of local stiffness matrices, and the internal coordinates by those of the nodes.

    The strains ``B (n_e, n_g, n_s, m)`` belong to k coordinates of nodes and m - k internal ones, which carry no load:
    they are eliminated. Output: ``K (n_e, k, k)`` and ``internal (n_e, m - k, k)``.
    """
    n_e, n_g, n_s, m = B.shape
    S = np.empty((m, m))
    stress = np.empty((n_s, m))
    for e in range(n_e):
        S[:] = 0.0
        for g in range(n_g):
            b = B[e, g]
            stress[:] = 0.0
            for i in range(n_s):
                for s in range(n_s):
                    c = weights[e, g] * C[i, s]
                    if c != 0.0:
                        for j in range(m):
                            stress[i, j] += c * b[s, j]
            for i in range(n_s):
                for r in range(m):
                    f = b[i, r]
                    if f != 0.0:
                        for j in range(r, m):
                            S[r, j] += f * stress[i, j]
        for p in range(m - 1, k - 1, -1):
            for i in range(p):
                f = S[i, p] / S[p, p]
                for j in range(i, p):
                    S[i, j] -= f * S[j, p]
        for p in range(k, m):
            for j in range(k):
                value = S[j, p]
                for i in range(k, p):
                    value += S[i, p] * internal[e, i - k, j]
                internal[e, p - k, j] = -value / S[p, p]
        for i in range(k):
            for j in range(i, k):
                K[e, i, j] = S[i, j]


@kernel
def turned_matrices(frames: FloatArray, K: FloatArray) -> None:
    """Local matrices, given by their upper triangles, in inertial axes in place; exactly symmetric."""
    n_e, k, _ = K.shape
    n_b = k // 3
    half = np.empty((3, 3))
    for e in range(n_e):
        R = frames[e]
        for i in range(k):
            for j in range(i):
                K[e, i, j] = K[e, j, i]
        for a in range(n_b):
            for b in range(a, n_b):
                for r in range(3):
                    for c in range(3):
                        value = 0.0
                        for s in range(3):
                            value += K[e, 3 * a + r, 3 * b + s] * R[s, c]
                        half[r, c] = value
                for r in range(3):
                    for c in range(3):
                        value = 0.0
                        for s in range(3):
                            value += R[s, r] * half[s, c]
                        K[e, 3 * a + r, 3 * b + c] = value
        for i in range(k):
            for j in range(i):
                K[e, i, j] = K[e, j, i]


@kernel
def inertia_matrices(shares: FloatArray, moments: FloatArray, normals: FloatArray, M: FloatArray) -> None:
    """The matrices of sum ``shares_ab (m_0 u_a u_b + m_1 (u_a p_b + p_a u_b) + m_2 p_a p_b)`` with p = theta x n.

    ``shares (n_e, n_a, n_a)`` symmetric, ``moments (3,)``, ``normals (n_e, 3)``; output ``M (n_e, 6 n_a, 6 n_a)``.
    """
    n_e, n_a, _ = shares.shape
    m_0, m_1, m_2 = moments[0], moments[1], moments[2]
    block = np.zeros((6, 6))
    for e in range(n_e):
        x, y, z = normals[e, 0], normals[e, 1], normals[e, 2]
        for i in range(3):
            block[i, i] = m_0
        # theta x n = X theta with X = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
        block[0, 4], block[0, 5] = m_1 * z, -m_1 * y
        block[1, 3], block[1, 5] = -m_1 * z, m_1 * x
        block[2, 3], block[2, 4] = m_1 * y, -m_1 * x
        block[3, 3], block[4, 4], block[5, 5] = m_2 * (y * y + z * z), m_2 * (x * x + z * z), m_2 * (x * x + y * y)
        block[3, 4], block[3, 5], block[4, 5] = -m_2 * x * y, -m_2 * x * z, -m_2 * y * z
        for i in range(6):
            for j in range(i):
                block[i, j] = block[j, i]
        for a in range(n_a):
            for b in range(n_a):
                for i in range(6):
                    for j in range(6):
                        M[e, 6 * a + i, 6 * b + j] = shares[e, a, b] * block[i, j]
