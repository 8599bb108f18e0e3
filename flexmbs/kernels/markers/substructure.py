r"""Points of substructures between their frames, moved by the amplitudes z of `flexmbs.kernels.substructure_frames`.

With the frames A and B, z(A, B, \xi), the point y = s + Phi z in axes of A, the sum of forces f at it and u = A^T f:

    p = r_A + A y,   velocity = v_A + A (w x y + Phi z'),
    J^T f: F = (f, y x u, Phi^T u), then the pullback J_z^T F of the floating body,
    d(J v)/dq: A (alpha x (w x y + Phi z') + w x (Phi dz) + Phi dz'),
    d(J^T f)/dq: J_z^T dF + (dJ_z)^T F,  dF = (0, (Phi dz) x u + y x du, Phi^T du),  du = u x alpha,

where alpha, dz, dz' are the rotation of A and the changes of z and z' by one coordinate. The point has no orientation:
its axes stay those of the inertial frame, and moments on it are refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack, square
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows
from flexmbs.kernels.substructure_frames import (
    amplitudes,
    couple,
    cross_add,
    place_column,
    pull,
    rate_columns,
    relative,
    second_column,
)

__all__ = ["SUBSTRUCTURE_POINT", "SubstructurePoints"]


class SubstructurePoints(NamedTuple):
    """Points of substructures with m = 6 + k amplitudes.

    ``mk, row (n,)``, ``dofs, pdofs (n, 12 + k)`` and ``b1`` as in `flexmbs.kernels.markers.kind`; ``at (n, 3)``: the
    undeformed point in axes of A; ``Phi (n, 3, m)``; all else as in `SubstructureGroup`, whose kernels take this group.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    at: FloatArray
    Phi: FloatArray
    qa: IntArray
    qb: IntArray
    ra: IntArray
    rb: IntArray
    s: FloatArray
    d0: FloatArray
    C: FloatArray
    room: FloatArray
    line: FloatArray


def point_constants(group: SubstructurePoints, work: MarkerWork) -> None:
    """Nothing of J is constant but its zeros; the axes are inertial."""
    constant_rows(group, work, 0)
    work.twist[group.mk] = 0.0
    work.R[group.mk] = np.eye(3)


@kernel
def moved(group: SubstructurePoints, i: int, state: State, z: FloatArray, local: FloatArray) -> None:
    """Amplitudes and rates ``z (2, m)``; y, Phi z' and w x y + Phi z' are the rows of ``local (3, 3)``."""
    q, v, d = state.q, state.v, group.dofs[i]
    relative(group, i, q, v, v)
    room, line = group.room[i], group.line[i]
    amplitudes(group.s[i], group.C[i], line[0], room[1], z[0])
    amplitudes(group.s[i], group.C[i], line[1], room[2], z[1])
    for k in range(3):
        z[0, k] -= group.d0[i, k]
    for k in range(6, z.shape[1]):
        z[0, k], z[1, k] = q[d[6 + k]], v[d[6 + k]]
    for a in range(3):
        local[0, a], local[1, a] = group.at[i, a], 0.0
        for k in range(z.shape[1]):
            local[0, a] += group.Phi[i, a, k] * z[0, k]
            local[1, a] += group.Phi[i, a, k] * z[1, k]
        local[2, a] = local[1, a]
    cross_add(1.0, v[d[3] : d[3] + 3], local[0], local[2])


@kernel
def force_on_body(
    group: SubstructurePoints, i: int, y: FloatArray, f: tuple[float, float, float], u: FloatArray, F: FloatArray
) -> None:
    """u = A^T f and F = (f, y x u, Phi^T u)."""
    A = group.room[i, 0]
    for a in range(3):
        u[a] = A[0, a] * f[0] + A[1, a] * f[1] + A[2, a] * f[2]
    F[0], F[1], F[2] = f
    F[3:6] = 0.0
    cross_add(1.0, y, u, F[3:6])
    for k in range(F.shape[0] - 6):
        F[6 + k] = group.Phi[i, 0, k] * u[0] + group.Phi[i, 1, k] * u[1] + group.Phi[i, 2, k] * u[2]


@kernel
def point_place(group: SubstructurePoints, state: State, env: Env, work: MarkerWork) -> int:
    """Position, velocity and J."""
    size = group.dofs.shape[1]
    z, local, u = on_stack((2, size - 6)), np.empty((3, 3)), np.empty(3)
    J, F, out = np.empty((6, 12)), on_stack((size,)), on_stack((size,))
    for i in range(group.mk.shape[0]):
        k, row, d = group.mk[i], group.row[i], group.dofs[i]
        moved(group, i, state, z, local)
        A = group.room[i, 0]
        rate_columns(group, i, J)
        for a in range(3):
            work.p[k, a] = state.q[group.qa[i] + a]
            work.twist[k, a] = state.v[d[a]]
            for n in range(3):
                work.p[k, a] += A[a, n] * local[0, n]
                work.twist[k, a] += A[a, n] * local[2, n]
            force_on_body(
                group, i, local[0], (1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0), u, F
            )
            pull(J, F, out)
            for j in range(size):
                work.JT[row + j, a] = out[j]
        if not np.isfinite(work.p[k, 0] + work.p[k, 1] + work.p[k, 2]):
            return i
    return -1


@kernel
def point_place_tangent(group: SubstructurePoints, state: State, env: Env, work: MarkerWork) -> int:
    """The same with (J T)^T and (d(J v)/dq T)^T."""
    bad = point_place(group, state, env, work)
    if bad >= 0:
        return bad
    size = group.dofs.shape[1]
    m = size - 6
    z, local, moving = on_stack((2, m)), np.empty((3, 3)), np.empty((3, 3))
    change, x, X = np.empty((3, 6)), np.empty((5, 3)), np.empty((3, 3, 3))
    JT, JcT = work.JT, work.JcT
    for i in range(group.mk.shape[0]):
        row, d = group.row[i], group.dofs[i]
        moved(group, i, state, z, local)
        A, w = group.room[i, 0], state.v[d[3] : d[3] + 3]
        for j in range(size):
            moving[:] = 0.0  # Phi dz, Phi dz', their sum with alpha x ... and w x ...
            if j < 12:
                place_column(group, i, j, state, work.T, change, x, X)
                for a in range(3):
                    for k in range(6):
                        moving[0, a] += group.Phi[i, a, k] * change[0, k]
                        moving[1, a] += group.Phi[i, a, k] * change[1, k]
                cross_add(1.0, x[0], local[2], moving[2])
            else:
                for a in range(3):
                    moving[0, a] = group.Phi[i, a, j - 6]
            for a in range(3):
                moving[2, a] += moving[1, a]
            cross_add(1.0, w, moving[0], moving[2])
            o = -1
            if 3 <= j < 6:
                o = group.ra[i]
            elif 9 <= j < 12:
                o = group.rb[i]
            for a in range(3):
                work.JvT[row + j, a] = A[a, 0] * moving[2, 0] + A[a, 1] * moving[2, 1] + A[a, 2] * moving[2, 2]
                if o < 0:
                    JcT[row + j, a] = JT[row + j, a]
                    continue
                first = 3 if j < 6 else 9
                s = 0.0
                for k in range(3):
                    s += JT[row + first + k, a] * work.T[o, k, j - first]
                JcT[row + j, a] = s
    return -1


@kernel
def point_pull(
    group: SubstructurePoints, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] d(J^T f)/dq T."""
    size = group.dofs.shape[1]
    m = size - 6
    z, local, room = on_stack((2, m)), np.empty((3, 3)), np.empty((4, 3))
    change, x, X = np.empty((3, 6)), np.empty((5, 3)), np.empty((3, 3, 3))
    J, Gamma = np.empty((6, 12)), np.empty((3, 3))
    F, dF, out = on_stack((size,)), on_stack((size,)), on_stack((size,))
    u, du, dy = room[0], room[1], room[2]
    for i in range(group.mk.shape[0]):
        k = group.mk[i]
        moved(group, i, state, z, local)
        rate_columns(group, i, J)
        f = (weights[0] * work.W[k, 0], weights[0] * work.W[k, 1], weights[0] * work.W[k, 2])
        force_on_body(group, i, local[0], f, u, F)
        couple(group, i, F, Gamma)
        B = square(work.B, group.b1 + i * size * size, size)
        for j in range(size):
            du[:], dy[:], dF[:] = 0.0, 0.0, 0.0
            if j < 12:
                place_column(group, i, j, state, work.T, change, x, X)
                cross_add(1.0, u, x[0], du)
                for a in range(3):
                    for n in range(6):
                        dy[a] += group.Phi[i, a, n] * change[0, n]
            else:
                for a in range(3):
                    dy[a] = group.Phi[i, a, j - 6]
            cross_add(1.0, dy, u, dF[3:6])
            cross_add(1.0, local[0], du, dF[3:6])
            for n in range(m):
                dF[6 + n] = group.Phi[i, 0, n] * du[0] + group.Phi[i, 1, n] * du[1] + group.Phi[i, 2, n] * du[2]
            pull(J, dF, out)
            if j < 12:
                dF[:] = 0.0
                second_column(group, i, F, Gamma, x[0], x[1], X[0], dF)
                for a in range(12):
                    out[a] += dF[a]
            for a in range(size):
                B[a, j] = out[a]
    return -1


SUBSTRUCTURE_POINT = MarkerKind(
    "point of a substructure", SubstructurePoints, point_constants, point_place, point_place_tangent, point_pull,
    scratch=("room", "line"),
)  # fmt: skip
