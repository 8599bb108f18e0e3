"""Kernels and tables of the three-node beam with two directors; see `flexmbs.elements.ancf_beam`.

Nodes are in the order of the cell: start, end, middle. The forces of the strains are those of
`flexmbs.elements.rod_kernels`; what keeps sections rigid is added here, node by node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import inlined, kernel
from flexmbs.elements.rod_kernels import rod_force, rod_tangent

__all__ = ["DirectorGroup", "director_beam_force", "director_beam_tangent"]


class DirectorGroup(NamedTuple):
    """Tables of n_e beams: points of the strains (g) and nodes, where the directors are kept orthonormal.

    ``C (n_e, 6, 6)`` section matrix, ``c (n_e, 3)`` stiffnesses against stretch of d2, of d3 and their shear, ``tau``
    retardation time; ``w (n_g,)`` weights, ``N, N1 (n_g, 3)``: shape functions and their derivatives by xi; ``J (n_e,
    n_g)``: metric ds/dxi, ``e0 (n_e, n_g, 6)``: strains of the stress-free shape; ``wJ (n_e, 3)`` weights of the nodes;
    ``rho (n_e, 3)``: mass, rhoI_z (of d2) and rhoI_y (of d3) per length.
    """

    dofs: IntArray
    b1: int
    C: FloatArray
    c: FloatArray
    tau: FloatArray
    w: FloatArray
    N: FloatArray
    N1: FloatArray
    J: FloatArray
    e0: FloatArray
    wJ: FloatArray
    rho: FloatArray
    reference: FloatArray


@inlined
def _section_force(q: FloatArray, v: FloatArray, r: FloatArray, group: DirectorGroup, e: int, i: int) -> None:
    """Forces that keep the directors of node i orthonormal: E_yy, E_zz and 2 E_yz of Green, each with its stiffness."""
    dofs, tau, s = group.dofs, group.tau[e], group.wJ[e, i]
    k = 9 * i + 3
    A = B = D = At = Bt = Dt = 0.0
    for j in range(3):
        y, z = q[dofs[e, k + j]], q[dofs[e, k + 3 + j]]
        A, B, D = A + y * y, B + z * z, D + y * z
        yt, zt = v[dofs[e, k + j]], v[dofs[e, k + 3 + j]]
        At, Bt, Dt = At + y * yt, Bt + z * zt, Dt + yt * z + y * zt
    A = s * group.c[e, 0] * (0.5 * (A - 1.0) + tau * At)
    B = s * group.c[e, 1] * (0.5 * (B - 1.0) + tau * Bt)
    D = s * group.c[e, 2] * (D + tau * Dt)
    for j in range(3):
        y, z = q[dofs[e, k + j]], q[dofs[e, k + 3 + j]]
        r[dofs[e, k + j]] += A * y + D * z
        r[dofs[e, k + 3 + j]] += B * z + D * y


@inlined
def _section_tangent(
    q: FloatArray, v: FloatArray, B: FloatArray, o: int, group: DirectorGroup, e: int, i: int, wq: float, wv: float
) -> None:
    """Derivatives of the forces of `_section_force`, added to the block at o."""
    dofs, tau, s = group.dofs, group.tau[e], group.wJ[e, i]
    k = 9 * i + 3
    cy, cz, cs = s * group.c[e, 0], s * group.c[e, 1], s * group.c[e, 2]
    A = E = D = At = Et = Dt = 0.0
    for j in range(3):
        y, z = q[dofs[e, k + j]], q[dofs[e, k + 3 + j]]
        yt, zt = v[dofs[e, k + j]], v[dofs[e, k + 3 + j]]
        A, E, D = A + y * y, E + z * z, D + y * z
        At, Et, Dt = At + y * yt, Et + z * zt, Dt + yt * z + y * zt
    A, E, D = wq * cy * (0.5 * (A - 1.0) + tau * At), wq * cz * (0.5 * (E - 1.0) + tau * Et), wq * cs * (D + tau * Dt)
    m, n = wq + wv * tau, wq * tau
    for j in range(3):
        y, z = q[dofs[e, k + j]], q[dofs[e, k + 3 + j]]
        row, low = o + 27 * (k + j) + k, o + 27 * (k + 3 + j) + k
        for l in range(3):  # noqa: E741
            yl, zl = q[dofs[e, k + l]], q[dofs[e, k + 3 + l]]
            yt, zt = v[dofs[e, k + l]], v[dofs[e, k + 3 + l]]
            gy, gz, sy, sz = m * yl + n * yt, m * zl + n * zt, m * zl + n * zt, m * yl + n * yt
            B[row + l] += cy * y * gy + cs * z * sy
            B[row + 3 + l] += cs * z * sz
            B[low + l] += cs * y * sy
            B[low + 3 + l] += cz * z * gz + cs * y * sz
        B[row + j] += A
        B[row + 3 + j] += D
        B[low + j] += D
        B[low + 3 + j] += E


@kernel
def director_beam_force(group: DirectorGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    q, v, r, dofs = state.q, state.v, work.r, group.dofs
    X, V, F = np.empty(27), np.empty(27), np.empty(27)
    for e in range(dofs.shape[0]):
        for i in range(27):
            X[i], V[i], F[i] = q[dofs[e, i]], v[dofs[e, i]], 0.0
        if not rod_force(X, V, F, e, group.C, group.w, group.N, group.N1, group.J, group.e0, group.tau[e]):
            return e
        for i in range(27):
            r[dofs[e, i]] += F[i]
        for i in range(3):
            _section_force(q, v, r, group, e, i)
    return -1


@kernel
def director_beam_tangent(
    group: DirectorGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``."""
    wq, wv = weights
    q, v, r, B, dofs = state.q, state.v, work.r, work.B, group.dofs
    X, V, F = np.empty(27), np.empty(27), np.empty(27)
    H, T = np.empty((15, 15)), np.empty((27, 15))
    for e in range(dofs.shape[0]):
        for i in range(27):
            X[i], V[i], F[i] = q[dofs[e, i]], v[dofs[e, i]], 0.0
        o = group.b1 + 729 * e
        B[o : o + 729] = 0.0
        if not rod_tangent(
            X, V, F, B, o, e, group.C, group.w, group.N, group.N1, group.J, group.e0, group.tau[e], wq, wv, H, T
        ):
            return e
        for i in range(27):
            r[dofs[e, i]] += F[i]
        for i in range(3):
            _section_force(q, v, r, group, e, i)
            _section_tangent(q, v, B, o, group, e, i, wq, wv)
    return -1
