"""Kernels and tables of the three-node beam with two directors; see `flexmbs.elements.director_beam`.

Nodes are in the order of the cell: start, end, middle. At a point the strains depend on the 15 numbers (r', d2, d3,
d2', d3'); their Hessian is found column by column in the axes of the section, turned into space, and contracted with
the shape functions N and their derivatives N1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.directors import frame_of
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import Matrix, Vector, applied, applied_back
from flexmbs.elements.director_strain import curvature, force, force_change, increment, rate_change

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
def _value(u: FloatArray, dofs: IntArray, e: int, k: int, N: FloatArray, g: int, s: float) -> Vector:
    """The interpolated vector of the nodal coordinates k, k + 1, k + 2 at point g, times s."""
    a, b, c = s * N[g, 0], s * N[g, 1], s * N[g, 2]
    return (
        a * u[dofs[e, k]] + b * u[dofs[e, k + 9]] + c * u[dofs[e, k + 18]],
        a * u[dofs[e, k + 1]] + b * u[dofs[e, k + 10]] + c * u[dofs[e, k + 19]],
        a * u[dofs[e, k + 2]] + b * u[dofs[e, k + 11]] + c * u[dofs[e, k + 20]],
    )


@inlined
def _row(C: FloatArray, e: int, i: int, a: Vector, b: Vector) -> float:
    """Row i of C_e times (a, b)."""
    return (
        C[e, i, 0] * a[0] + C[e, i, 1] * a[1] + C[e, i, 2] * a[2]
        + C[e, i, 3] * b[0] + C[e, i, 4] * b[1] + C[e, i, 5] * b[2]
    )  # fmt: skip


@inlined
def _times(C: FloatArray, e: int, s: float, a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """s C_e (a, b)."""
    return (
        (s * _row(C, e, 0, a, b), s * _row(C, e, 1, a, b), s * _row(C, e, 2, a, b)),
        (s * _row(C, e, 3, a, b), s * _row(C, e, 4, a, b), s * _row(C, e, 5, a, b)),
    )


@inlined
def _spread(r: FloatArray, dofs: IntArray, e: int, k: int, N: FloatArray, g: int, s: float, f: Vector) -> None:
    """Add s N f to the coordinates k, k + 1, k + 2 of the three nodes."""
    for i in range(3):
        n = s * N[g, i]
        r[dofs[e, k + 9 * i]] += n * f[0]
        r[dofs[e, k + 9 * i + 1]] += n * f[1]
        r[dofs[e, k + 9 * i + 2]] += n * f[2]


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
    q, v, r = state.q, state.v, work.r
    dofs, C, w, N, N1, J, e0 = group.dofs, group.C, group.w, group.N, group.N1, group.J, group.e0
    for e in range(dofs.shape[0]):
        tau = group.tau[e]
        for n in range(w.shape[0]):
            L = 1.0 / J[e, n]
            d2, d3 = _value(q, dofs, e, 3, N, n, 1.0), _value(q, dofs, e, 6, N, n, 1.0)
            R, shape = frame_of(d2, d3)
            g = applied_back(R, _value(q, dofs, e, 0, N1, n, L))
            p = applied_back(R, _value(q, dofs, e, 3, N1, n, L))
            s = applied_back(R, _value(q, dofs, e, 6, N1, n, L))
            k = curvature(shape, p, s)
            a = (g[0] - 1.0 - e0[e, n, 0], g[1] - e0[e, n, 1], g[2] - e0[e, n, 2])
            b = (k[0] - e0[e, n, 3], k[1] - e0[e, n, 4], k[2] - e0[e, n, 5])
            if tau > 0.0:
                x = applied_back(R, _value(v, dofs, e, 0, N1, n, L))
                u = applied_back(R, _value(v, dofs, e, 3, N, n, 1.0))
                z = applied_back(R, _value(v, dofs, e, 6, N, n, 1.0))
                P = applied_back(R, _value(v, dofs, e, 3, N1, n, L))
                S = applied_back(R, _value(v, dofs, e, 6, N1, n, L))
                _, _, dg, _, _, dk = increment(shape, g, p, s, k, x, u, z, P, S)
                a = (a[0] + tau * dg[0], a[1] + tau * dg[1], a[2] + tau * dg[2])
                b = (b[0] + tau * dk[0], b[1] + tau * dk[1], b[2] + tau * dk[2])
            F, M = _times(C, e, w[n] * J[e, n], a, b)
            if not np.isfinite(F[0] + F[1] + F[2] + M[0] + M[1] + M[2]):
                return e
            fu, fw, fP, fS = force(shape, g, p, s, k, F, M)
            _spread(r, dofs, e, 0, N1, n, L, applied(R, F))
            _spread(r, dofs, e, 3, N, n, 1.0, applied(R, fu))
            _spread(r, dofs, e, 6, N, n, 1.0, applied(R, fw))
            _spread(r, dofs, e, 3, N1, n, L, applied(R, fP))
            _spread(r, dofs, e, 6, N1, n, L, applied(R, fS))
        for i in range(3):
            _section_force(q, v, r, group, e, i)
    return -1


@inlined
def _put(H: FloatArray, k: int, i: int, f: Vector) -> None:
    H[k, i], H[k, i + 1], H[k, i + 2] = f[0], f[1], f[2]


@inlined
def _turn(H: FloatArray, i: int, j: int, R: Matrix) -> None:
    """The 3 x 3 block at (i, j) from the axes of the section into space: R A R^T."""
    for k in range(3):
        x = applied(R, (H[i + k, j], H[i + k, j + 1], H[i + k, j + 2]))
        H[i + k, j], H[i + k, j + 1], H[i + k, j + 2] = x[0], x[1], x[2]
    for k in range(3):
        x = applied(R, (H[i, j + k], H[i + 1, j + k], H[i + 2, j + k]))
        H[i, j + k], H[i + 1, j + k], H[i + 2, j + k] = x[0], x[1], x[2]


@kernel
def director_beam_tangent(
    group: DirectorGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``."""
    wq, wv = weights
    q, v, r, B = state.q, state.v, work.r, work.B
    dofs, C, w, N, N1, J, e0 = group.dofs, group.C, group.w, group.N, group.N1, group.J, group.e0
    H, T = np.empty((15, 15)), np.empty((27, 15))
    zero = (0.0, 0.0, 0.0)
    for e in range(dofs.shape[0]):
        tau = group.tau[e]
        o = group.b1 + 729 * e
        B[o : o + 729] = 0.0
        for n in range(w.shape[0]):
            L = 1.0 / J[e, n]
            d2, d3 = _value(q, dofs, e, 3, N, n, 1.0), _value(q, dofs, e, 6, N, n, 1.0)
            R, shape = frame_of(d2, d3)
            g = applied_back(R, _value(q, dofs, e, 0, N1, n, L))
            p = applied_back(R, _value(q, dofs, e, 3, N1, n, L))
            s = applied_back(R, _value(q, dofs, e, 6, N1, n, L))
            k = curvature(shape, p, s)
            a = (g[0] - 1.0 - e0[e, n, 0], g[1] - e0[e, n, 1], g[2] - e0[e, n, 2])
            b = (k[0] - e0[e, n, 3], k[1] - e0[e, n, 4], k[2] - e0[e, n, 5])
            x = u = z = P = S = zero
            if tau > 0.0:
                x = applied_back(R, _value(v, dofs, e, 0, N1, n, L))
                u = applied_back(R, _value(v, dofs, e, 3, N, n, 1.0))
                z = applied_back(R, _value(v, dofs, e, 6, N, n, 1.0))
                P = applied_back(R, _value(v, dofs, e, 3, N1, n, L))
                S = applied_back(R, _value(v, dofs, e, 6, N1, n, L))
            along = increment(shape, g, p, s, k, x, u, z, P, S)
            dg, dk = along[2], along[5]
            a = (a[0] + tau * dg[0], a[1] + tau * dg[1], a[2] + tau * dg[2])
            b = (b[0] + tau * dk[0], b[1] + tau * dk[1], b[2] + tau * dk[2])
            W = w[n] * J[e, n]
            F, M = _times(C, e, W, a, b)
            if not np.isfinite(F[0] + F[1] + F[2] + M[0] + M[1] + M[2]):
                return e
            fu, fw, fP, fS = force(shape, g, p, s, k, F, M)
            _spread(r, dofs, e, 0, N1, n, L, applied(R, F))
            _spread(r, dofs, e, 3, N, n, 1.0, applied(R, fu))
            _spread(r, dofs, e, 6, N, n, 1.0, applied(R, fw))
            _spread(r, dofs, e, 3, N1, n, L, applied(R, fP))
            _spread(r, dofs, e, 6, N1, n, L, applied(R, fS))
            F, M = (wq * F[0], wq * F[1], wq * F[2]), (wq * M[0], wq * M[1], wq * M[2])
            m = W * (wq + wv * tau)
            for j in range(15):
                one = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
                by = increment(
                    shape, g, p, s, k,
                    one if j < 3 else zero, one if 3 <= j < 6 else zero, one if 6 <= j < 9 else zero,
                    one if 9 <= j < 12 else zero, one if j >= 12 else zero,
                )  # fmt: skip
                dN, dM = _times(C, e, m, by[2], by[5])
                if tau > 0.0:
                    ddg, ddk = rate_change(shape, g, p, s, k, x, u, z, P, S, along, by)
                    tN, tM = _times(C, e, W * wq * tau, ddg, ddk)
                    dN = (dN[0] + tN[0], dN[1] + tN[1], dN[2] + tN[2])
                    dM = (dM[0] + tM[0], dM[1] + tM[1], dM[2] + tM[2])
                gx, gu, gw, gP, gS = force_change(shape, g, p, s, k, F, M, by, dN, dM)
                _put(H, j, 0, gx)  # H holds the transposed, column by column
                _put(H, j, 3, gu)
                _put(H, j, 6, gw)
                _put(H, j, 9, gP)
                _put(H, j, 12, gS)
            for i in range(0, 15, 3):
                for j in range(0, 15, 3):
                    _turn(H, i, j, R)
            # T: rows are the nodal coordinates that change, columns the five forces.
            for i in range(3):
                Ni, Di = N[n, i], N1[n, i] * L
                for c in range(3):
                    t = 9 * i + c
                    for l in range(15):  # noqa: E741
                        T[t, l] = Di * H[c, l]
                        T[t + 3, l] = Ni * H[3 + c, l] + Di * H[9 + c, l]
                        T[t + 6, l] = Ni * H[6 + c, l] + Di * H[12 + c, l]
            for i in range(3):
                Ni, Di = N[n, i], N1[n, i] * L
                for c in range(3):
                    row = o + 27 * (9 * i + c)
                    for l in range(27):  # noqa: E741
                        B[row + l] += Di * T[l, c]
                        B[row + 81 + l] += Ni * T[l, 3 + c] + Di * T[l, 9 + c]
                        B[row + 162 + l] += Ni * T[l, 6 + c] + Di * T[l, 12 + c]
        for i in range(3):
            _section_force(q, v, r, group, e, i)
            _section_tangent(q, v, B, o, group, e, i, wq, wv)
    return -1
