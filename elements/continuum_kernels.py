"""Kernels of elements whose deformation gradient is linear in vectors at the nodes; St. Venant-Kirchhoff material.

With the columns a_k = sum_i phi[k, i] X_i of the deformation gradient at a point, X_i the vectors of the nodes,

    E_kl = (a_k . a_l - delta_kl) / 2,   S = C (E + tau dE/dt),   F_i = sum_kl W S_kl phi[k, i] a_l

are Green's strain, the second Piola-Kirchhoff stress and the force on X_i. Strains are in the order 11, 22, 33, 12, 23,
13 with doubled shears.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import inlined, kernel

__all__ = ["ContinuumGroup", "continuum_force", "continuum_tangent"]


class ContinuumGroup(NamedTuple):
    """Tables of n_e elements with n_p points and m vectors at their nodes.

    ``dofs (n_e, 3 m)``; ``phi (n_e, n_p, 3, m)``; ``W (n_e, n_p)`` volumes of the points; ``kind (n_p,)``: which
    elasticity matrix of ``C (n_e, n, 6, 6)`` a point has; ``tau`` retardation time; ``L`` lengths; ``size (n_e, 2)``
    height and width of the section; ``rho (n_e, 3)``: mass, rhoI_z and rhoI_y per length; ``slopes (n_e, 2, 3, 3)`` the
    stress-free slopes of the cells in the frames of their nodes (`flexmbs.elements.cell_slopes`).
    """

    dofs: IntArray
    b1: int
    phi: FloatArray
    W: FloatArray
    kind: IntArray
    C: FloatArray
    tau: FloatArray
    L: FloatArray
    size: FloatArray
    rho: FloatArray
    slopes: FloatArray
    reference: FloatArray


@inlined
def _columns(u: FloatArray, group: ContinuumGroup, e: int, p: int, a: FloatArray) -> None:
    """a (3, 3): row k is a_k of the coordinates u."""
    for k in range(3):
        x = y = z = 0.0
        for i in range(group.phi.shape[3]):
            f = group.phi[e, p, k, i]
            x += f * u[group.dofs[e, 3 * i]]
            y += f * u[group.dofs[e, 3 * i + 1]]
            z += f * u[group.dofs[e, 3 * i + 2]]
        a[k, 0], a[k, 1], a[k, 2] = x, y, z


@inlined
def _product(a: FloatArray, k: int, b: FloatArray, n: int) -> float:
    x: float = a[k, 0] * b[n, 0] + a[k, 1] * b[n, 1] + a[k, 2] * b[n, 2]
    return x


@inlined
def _stress(a: FloatArray, b: FloatArray, group: ContinuumGroup, e: int, p: int, E: FloatArray, S: FloatArray) -> None:
    """Strains E (6,) and stresses S (3, 3) times the volume; ``b`` are the rates of a."""
    tau = group.tau[e]
    for k in range(3):
        E[k] = 0.5 * (_product(a, k, a, k) - 1.0) + tau * _product(a, k, b, k)
    E[3] = _product(a, 0, a, 1) + tau * (_product(a, 0, b, 1) + _product(a, 1, b, 0))
    E[4] = _product(a, 1, a, 2) + tau * (_product(a, 1, b, 2) + _product(a, 2, b, 1))
    E[5] = _product(a, 0, a, 2) + tau * (_product(a, 0, b, 2) + _product(a, 2, b, 0))
    which, W = group.kind[p], group.W[e, p]
    for k in range(6):
        s = 0.0
        for n in range(6):
            s += group.C[e, which, k, n] * E[n]
        s *= W
        if k < 3:
            S[k, k] = s
        elif k == 3:
            S[0, 1] = S[1, 0] = s
        elif k == 4:
            S[1, 2] = S[2, 1] = s
        else:
            S[0, 2] = S[2, 0] = s


@inlined
def _add_force(r: FloatArray, a: FloatArray, S: FloatArray, group: ContinuumGroup, e: int, p: int) -> None:
    for c in range(3):
        P0 = S[0, 0] * a[0, c] + S[0, 1] * a[1, c] + S[0, 2] * a[2, c]
        P1 = S[1, 0] * a[0, c] + S[1, 1] * a[1, c] + S[1, 2] * a[2, c]
        P2 = S[2, 0] * a[0, c] + S[2, 1] * a[1, c] + S[2, 2] * a[2, c]
        for i in range(group.phi.shape[3]):
            r[group.dofs[e, 3 * i + c]] += (
                group.phi[e, p, 0, i] * P0 + group.phi[e, p, 1, i] * P1 + group.phi[e, p, 2, i] * P2
            )


@kernel
def continuum_force(group: ContinuumGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    a, b, E, S = np.empty((3, 3)), np.zeros((3, 3)), np.empty(6), np.empty((3, 3))
    for e in range(group.dofs.shape[0]):
        for p in range(group.W.shape[1]):
            _columns(state.q, group, e, p, a)
            if group.tau[e] > 0.0:
                _columns(state.v, group, e, p, b)
            _stress(a, b, group, e, p, E, S)
            if not np.isfinite(S[0, 0] + S[1, 1] + S[2, 2] + S[0, 1] + S[1, 2] + S[0, 2]):
                return e
            _add_force(work.r, a, S, group, e, p)
    return -1


@inlined
def _strain_rows(a: FloatArray, Z: FloatArray) -> None:
    """Z (6, 9): strains by the nine numbers of a, E_kk = a_k . a_k / 2, doubled shears."""
    Z[:, :] = 0.0
    for c in range(3):
        for k in range(3):
            Z[k, 3 * k + c] = a[k, c]
        Z[3, c], Z[3, 3 + c] = a[1, c], a[0, c]
        Z[4, 3 + c], Z[4, 6 + c] = a[2, c], a[1, c]
        Z[5, c], Z[5, 6 + c] = a[2, c], a[0, c]


@kernel
def continuum_tangent(group: ContinuumGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``."""
    wq, wv = weights
    B = work.B
    m = group.phi.shape[3]
    n = 3 * m
    a, b, E, S = np.empty((3, 3)), np.zeros((3, 3)), np.empty(6), np.empty((3, 3))
    rows, cols, CZ = np.empty((6, 9)), np.empty((6, 9)), np.empty((6, 9))
    A, T, c = np.empty((9, 9)), np.empty((9, n)), np.empty((3, 3))
    for e in range(group.dofs.shape[0]):
        o, tau = group.b1 + n * n * e, group.tau[e]
        B[o : o + n * n] = 0.0
        for p in range(group.W.shape[1]):
            _columns(state.q, group, e, p, a)
            if tau > 0.0:
                _columns(state.v, group, e, p, b)
            _stress(a, b, group, e, p, E, S)
            if not np.isfinite(S[0, 0] + S[1, 1] + S[2, 2] + S[0, 1] + S[1, 2] + S[0, 2]):
                return e
            _add_force(work.r, a, S, group, e, p)
            for k in range(3):
                for j in range(3):
                    c[k, j] = (wq + wv * tau) * a[k, j] + wq * tau * b[k, j]
            _strain_rows(a, rows)
            _strain_rows(c, cols)
            which, W = group.kind[p], group.W[e, p]
            for i in range(6):
                for j in range(9):
                    x = 0.0
                    for k in range(6):
                        x += group.C[e, which, i, k] * cols[k, j]
                    CZ[i, j] = W * x
            for i in range(9):
                for j in range(9):
                    x = 0.0
                    for k in range(6):
                        x += rows[k, i] * CZ[k, j]
                    A[i, j] = x
            for k in range(3):
                for l in range(3):  # noqa: E741
                    for j in range(3):
                        A[3 * k + j, 3 * l + j] += wq * S[k, l]
            for i in range(9):
                for j in range(m):
                    for d in range(3):
                        T[i, 3 * j + d] = (
                            A[i, d] * group.phi[e, p, 0, j]
                            + A[i, 3 + d] * group.phi[e, p, 1, j]
                            + A[i, 6 + d] * group.phi[e, p, 2, j]
                        )
            for i in range(m):
                f, g, h = group.phi[e, p, 0, i], group.phi[e, p, 1, i], group.phi[e, p, 2, i]
                for d in range(3):
                    row = o + n * (3 * i + d)
                    for j in range(n):
                        B[row + j] += f * T[d, j] + g * T[3 + d, j] + h * T[6 + d, j]
    return -1
