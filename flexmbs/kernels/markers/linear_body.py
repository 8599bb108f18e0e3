r"""Markers on linear bodies.

With the modal coordinates eta, p_0 + Phi eta the place and th = Psi eta the small rotation there, both in inertial
axes, E = exp(th~) and the tangent operator T(th) of `flexmbs.kernels.markers.spatial_linear`:

    p = p_0 + Phi eta,   R_M = E R_BM,   J = [Phi; R_BM^T T Psi],   d(J v)/deta = [0; R_BM^T d(T Psi etadot)/dth Psi],
    d(J^T W)/deta = Psi^T d(T^T R_BM M)/dth Psi.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import square
from flexmbs.kernels.markers.floating import exponential
from flexmbs.kernels.markers.kind import MarkerKind
from flexmbs.kernels.markers.spatial_linear import coefficients, column

__all__ = ["LINEAR_BODY", "LinearBodyMarkers"]


class LinearBodyMarkers(NamedTuple):
    """Markers on linear bodies with m modes.

    ``mk, row (n,)``, ``dofs (n, m)``, ``pdofs (n, m)`` (``(n, 0)`` where nothing depends on the orientation) and ``b1``
    as in `flexmbs.kernels.markers.kind`; ``o (n, 3)``, ``R_BM (n, 3, 3)``: place and orientation of the undeformed
    body; ``Phi, Psi (n, 3, m)``; all in inertial axes.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    o: FloatArray
    R_BM: FloatArray
    Phi: FloatArray
    Psi: FloatArray


def linear_body_constants(group: LinearBodyMarkers, work: MarkerWork) -> None:
    """The shapes of displacement."""
    rows = group.row[:, None] + np.arange(group.dofs.shape[1])
    for array in (work.JT, work.JcT, work.JvT):
        array[rows] = 0.0
    for array in (work.JT, work.JcT):
        array[rows, :3] = group.Phi.transpose(0, 2, 1)


@kernel
def linear_body_place(group: LinearBodyMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist, and the rotational part of J."""
    q, v, JT = state.q, state.v, work.JT
    E, T = np.empty((3, 3)), np.empty((3, 3))
    th, pd = np.empty(3), np.empty(3)
    m = group.dofs.shape[1]
    for i in range(group.mk.shape[0]):
        d, k, row = group.dofs[i], group.mk[i], group.row[i]
        Phi, Psi, R_BM = group.Phi[i], group.Psi[i], group.R_BM[i]
        for a in range(3):
            y, z, th[a], pd[a] = group.o[i, a], 0.0, 0.0, 0.0
            for j in range(m):
                eta, rate = q[d[j]], v[d[j]]
                y += Phi[a, j] * eta
                z += Phi[a, j] * rate
                th[a] += Psi[a, j] * eta
                pd[a] += Psi[a, j] * rate
            work.p[k, a], work.twist[k, a] = y, z
        exponential(th, th[0] * th[0] + th[1] * th[1] + th[2] * th[2], E, T)
        for n in range(3):
            # column n of T^T R_BM
            t0 = T[0, 0] * R_BM[0, n] + T[1, 0] * R_BM[1, n] + T[2, 0] * R_BM[2, n]
            t1 = T[0, 1] * R_BM[0, n] + T[1, 1] * R_BM[1, n] + T[2, 1] * R_BM[2, n]
            t2 = T[0, 2] * R_BM[0, n] + T[1, 2] * R_BM[1, n] + T[2, 2] * R_BM[2, n]
            work.twist[k, 3 + n] = t0 * pd[0] + t1 * pd[1] + t2 * pd[2]
            for a in range(3):
                work.R[k, a, n] = E[a, 0] * R_BM[0, n] + E[a, 1] * R_BM[1, n] + E[a, 2] * R_BM[2, n]
            for j in range(m):
                JT[row + j, 3 + n] = Psi[0, j] * t0 + Psi[1, j] * t1 + Psi[2, j] * t2
        if not np.isfinite(work.p[k, 0] + work.p[k, 1] + work.p[k, 2]):
            return i
    return -1


@kernel
def linear_body_place_tangent(group: LinearBodyMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with (J T)^T and (d(J v)/dq T)^T."""
    bad = linear_body_place(group, state, env, work)
    if bad >= 0:
        return bad
    q, v, JT, JcT, JvT = state.q, state.v, work.JT, work.JcT, work.JvT
    th, pd, D = np.empty(3), np.empty(3), np.empty((3, 3))
    m = group.dofs.shape[1]
    for i in range(group.mk.shape[0]):
        d, row, Psi, R_BM = group.dofs[i], group.row[i], group.Psi[i], group.R_BM[i]
        for a in range(3):
            th[a], pd[a] = 0.0, 0.0
            for j in range(m):
                th[a] += Psi[a, j] * q[d[j]]
                pd[a] += Psi[a, j] * v[d[j]]
        hh = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            D[0, j], D[1, j], D[2, j] = column(j, (th[0], th[1], th[2]), (pd[0], pd[1], pd[2]), hh, b, c, db, dc)
        for n in range(3):
            # row n of R_BM^T D
            x0 = R_BM[0, n] * D[0, 0] + R_BM[1, n] * D[1, 0] + R_BM[2, n] * D[2, 0]
            x1 = R_BM[0, n] * D[0, 1] + R_BM[1, n] * D[1, 1] + R_BM[2, n] * D[2, 1]
            x2 = R_BM[0, n] * D[0, 2] + R_BM[1, n] * D[1, 2] + R_BM[2, n] * D[2, 2]
            for j in range(m):
                JcT[row + j, 3 + n] = JT[row + j, 3 + n]
                JvT[row + j, 3 + n] = x0 * Psi[0, j] + x1 * Psi[1, j] + x2 * Psi[2, j]
    return -1


@kernel
def linear_body_pull(
    group: LinearBodyMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] Psi^T d(T^T R_BM M)/dth Psi."""
    m = group.pdofs.shape[1]
    if m == 0:
        return -1
    q, W = state.q, work.W
    th, M, C = np.empty(3), np.empty(3), np.empty((3, 3))
    for i in range(group.mk.shape[0]):
        d, k, Psi, R_BM = group.dofs[i], group.mk[i], group.Psi[i], group.R_BM[i]
        B = square(work.B, group.b1 + i * m * m, m)
        for a in range(3):
            th[a], M[a] = 0.0, 0.0
            for j in range(m):
                th[a] += Psi[a, j] * q[d[j]]
            for n in range(3):
                M[a] += weights[0] * R_BM[a, n] * W[k, 3 + n]
        if M[0] == 0.0 and M[1] == 0.0 and M[2] == 0.0:
            B[:] = 0.0
            continue
        hh = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            C[0, j], C[1, j], C[2, j] = column(j, (th[0], th[1], th[2]), (M[0], M[1], M[2]), hh, -b, c, -db, dc)
        for j in range(m):
            f0 = C[0, 0] * Psi[0, j] + C[0, 1] * Psi[1, j] + C[0, 2] * Psi[2, j]
            f1 = C[1, 0] * Psi[0, j] + C[1, 1] * Psi[1, j] + C[1, 2] * Psi[2, j]
            f2 = C[2, 0] * Psi[0, j] + C[2, 1] * Psi[1, j] + C[2, 2] * Psi[2, j]
            for n in range(m):
                B[n, j] = Psi[0, n] * f0 + Psi[1, n] * f1 + Psi[2, n] * f2
    return -1


LINEAR_BODY = MarkerKind(
    "linear body", LinearBodyMarkers, linear_body_constants, linear_body_place, linear_body_place_tangent,
    linear_body_pull,
)  # fmt: skip
