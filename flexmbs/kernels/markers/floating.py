r"""Markers on bodies in floating frames.

With the frame x_0, R, the point y = s + Phi eta, the small rotation th = Psi eta of the material there, E = exp(th~),
the tangent operator T(th) of `flexmbs.kernels.markers.spatial_linear`, the sum of wrenches W = (F, M), u = R^T F, M' =
R_BM M:

    p = x_0 + R y,   R_M = R E R_BM,   z = w x y + Phi etadot,
    twist = (v + R z,  R_BM^T (E^T w + T Psi etadot)),
    J = [I, -R y~, R Phi;  0, R_BM^T E^T, R_BM^T T Psi],
    d(J v)/dtheta = [-R z~; 0],   d(J v)/deta = [R w~ Phi;  R_BM^T ((E^T w)~ T + d(T Psi etadot)/dth) Psi],
    J^T W: y x u + E M' on the rotation, Phi^T u + Psi^T T^T M' on the shapes, and its derivative
    (theta, theta): y~ u~;  (theta, eta): -u~ Phi - E M'~ T Psi;  (eta, theta): Phi^T u~;
    (eta, eta): Psi^T d(T^T M')/dth Psi.

With fields of second order (`flexmbs.reduction.stiffening`) the point is y = s + Phi eta + sum_kl Z_kl eta_k eta_l / 2,
and th likewise. Then Phi and Psi stand for Phi + Z eta and Psi + Z eta, and d(J v)/deta and (eta, eta) have one more
term, with Z etadot, and with (u, T^T M') . Z. So a force at an interface stiffens the body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack, square
from flexmbs.kernels.frame_rotation import frame_rotation
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows
from flexmbs.kernels.markers.spatial_linear import coefficients, column
from flexmbs.kernels.small_matrices import add_product, add_transposed, cross_matrix, fill, multiply

__all__ = ["FLOATING", "FloatingMarkers"]


class FloatingMarkers(NamedTuple):
    """Markers on floating bodies with m shapes.

    ``mk, row (n,)``, ``dofs (n, 6 + m)`` (translation, rotation, shapes), ``pdofs (n, 3 + m)`` and ``b1`` as in
    `flexmbs.kernels.markers.kind`; ``qi (n,)``: first entry of the frame in q; ``rot (n,)``: its number in ``work.T``;
    ``s (n, 3)``, ``R_BM (n, 3, 3)``: point and frame of the undeformed body, axes of the frame; ``Phi, Psi (n, 3, m)``;
    ``Z (n, 6, m, m)``: displacement and rotation of second order, (n, 6, 0, 0) without.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    qi: IntArray
    rot: IntArray
    s: FloatArray
    R_BM: FloatArray
    Phi: FloatArray
    Psi: FloatArray
    Z: FloatArray = np.zeros((0, 6, 0, 0))


def floating_constants(group: FloatingMarkers, work: MarkerWork) -> None:
    """Unit rows of the translations."""
    constant_rows(group, work, 3)


@kernel
def exponential(th: FloatArray, hh: float, E: FloatArray, T: FloatArray) -> None:
    """E = exp(th~) and T = I - b th~ + c th~^2."""
    a, b, c, _, _ = coefficients(hh)
    for i in range(3):
        for j in range(3):
            E[i, j] = b * th[i] * th[j]
            T[i, j] = c * th[i] * th[j]
        E[i, i] += 1.0 - b * hh
        T[i, i] += 1.0 - c * hh
    x, y, z = th[0], th[1], th[2]
    E[0, 1] -= a * z
    E[0, 2] += a * y
    E[1, 0] += a * z
    E[1, 2] -= a * x
    E[2, 0] -= a * y
    E[2, 1] += a * x
    T[0, 1] += b * z
    T[0, 2] -= b * y
    T[1, 0] -= b * z
    T[1, 2] += b * x
    T[2, 0] += b * y
    T[2, 1] -= b * x


@kernel
def local_motion(group: FloatingMarkers, i: int, state: State, shapes: FloatArray, local: FloatArray) -> None:
    """Phi, Psi at the present place (6, m); y, th, Phi etadot, Psi etadot, z and w are the rows of ``local (6, 3)``."""
    q, v, d = state.q, state.v, group.dofs[i]
    m = d.shape[0] - 6
    second = group.Z.shape[2] > 0
    for a in range(6):
        place, rate = 0.0, 0.0
        for j in range(m):
            linear = group.Phi[i, a, j] if a < 3 else group.Psi[i, a - 3, j]
            s = linear
            if second:
                for n in range(m):
                    s += group.Z[i, a, j, n] * q[d[6 + n]]
            shapes[a, j] = s
            place += 0.5 * (linear + s) * q[d[6 + j]]
            rate += s * v[d[6 + j]]
        local[a // 3, a % 3] = place + group.s[i, a] if a < 3 else place
        local[2 + a // 3, a % 3] = rate
    for a in range(3):
        local[5, a] = v[d[3 + a]]
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        local[4, a] = local[5, b] * local[0, c] - local[5, c] * local[0, b] + local[2, a]


@kernel
def turned(R_BM: FloatArray, th: FloatArray, room: FloatArray) -> None:
    """E, T, E R_BM and T^T R_BM into the first matrices of ``room``."""
    exponential(th, th[0] * th[0] + th[1] * th[1] + th[2] * th[2], room[0], room[1])
    multiply(room[0], R_BM, room[2])
    fill(room[3], 0.0)
    add_transposed(1.0, room[1], R_BM, room[3])


@kernel
def floating_place(group: FloatingMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist, and what changes of J."""
    q, v, JT = state.q, state.v, work.JT
    room, local = np.empty((6, 3, 3)), np.empty((6, 3))
    S, U, R, X = room[2], room[3], room[4], room[5]
    y, th, pd, z, w = local[0], local[1], local[3], local[4], local[5]
    m = group.dofs.shape[1] - 6
    shapes = on_stack((6, m))
    for i in range(group.mk.shape[0]):
        d, k, row = group.dofs[i], group.mk[i], group.row[i]
        local_motion(group, i, state, shapes, local)
        frame_rotation(q, group.qi[i], R)
        turned(group.R_BM[i], th, room)
        multiply(R, S, work.R[k])
        cross_matrix(-y[0], -y[1], -y[2], X)
        for a in range(3):
            work.p[k, a] = q[group.qi[i] + a] + R[a, 0] * y[0] + R[a, 1] * y[1] + R[a, 2] * y[2]
            work.twist[k, a] = v[d[a]] + R[a, 0] * z[0] + R[a, 1] * z[1] + R[a, 2] * z[2]
            s = 0.0
            for n in range(3):
                s += S[n, a] * w[n] + U[n, a] * pd[n]
                JT[row + 3 + n, a] = R[a, 0] * X[0, n] + R[a, 1] * X[1, n] + R[a, 2] * X[2, n]
                JT[row + 3 + n, 3 + a] = S[n, a]
            work.twist[k, 3 + a] = s
            for j in range(m):
                JT[row + 6 + j, a] = R[a, 0] * shapes[0, j] + R[a, 1] * shapes[1, j] + R[a, 2] * shapes[2, j]
                JT[row + 6 + j, 3 + a] = U[0, a] * shapes[3, j] + U[1, a] * shapes[4, j] + U[2, a] * shapes[5, j]
        if not np.isfinite(work.p[k, 0] + work.p[k, 1] + work.p[k, 2]):
            return i
    return -1


@kernel
def floating_place_tangent(group: FloatingMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with (J T)^T and (d(J v)/dq T)^T."""
    bad = floating_place(group, state, env, work)
    if bad >= 0:
        return bad
    q, v, JT, JcT, JvT, step = state.q, state.v, work.JT, work.JcT, work.JvT, work.T
    room, local, x = np.empty((8, 3, 3)), np.empty((6, 3)), np.empty(3)
    E, T, U, R, D, X, H = room[0], room[1], room[3], room[4], room[5], room[6], room[7]
    th, pd, z, w = local[1], local[3], local[4], local[5]
    m = group.dofs.shape[1] - 6
    second = group.Z.shape[2] > 0
    shapes = on_stack((6, m))
    for i in range(group.mk.shape[0]):
        d, row, o = group.dofs[i], group.row[i], group.rot[i]
        local_motion(group, i, state, shapes, local)
        frame_rotation(q, group.qi[i], R)
        turned(group.R_BM[i], th, room)
        # D = R_BM^T ((E^T w)~ T + d(T pd)/dth)
        for a in range(3):
            x[a] = E[0, a] * w[0] + E[1, a] * w[1] + E[2, a] * w[2]
        cross_matrix(x[0], x[1], x[2], X)
        multiply(X, T, H)
        hh = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            e0, e1, e2 = column(j, (th[0], th[1], th[2]), (pd[0], pd[1], pd[2]), hh, b, c, db, dc)
            H[0, j] += e0
            H[1, j] += e1
            H[2, j] += e2
        fill(D, 0.0)
        add_transposed(1.0, group.R_BM[i], H, D)
        # H = -R z~, X = R w~
        fill(H, 0.0)
        cross_matrix(z[0], z[1], z[2], X)
        add_product(-1.0, R, X, H)
        cross_matrix(w[0], w[1], w[2], E)
        multiply(R, E, X)
        for a in range(3):
            for n in range(3):
                s, t, r = 0.0, 0.0, 0.0
                for k in range(3):
                    s += JT[row + 3 + k, a] * step[o, k, n]
                    t += JT[row + 3 + k, 3 + a] * step[o, k, n]
                    r += H[a, k] * step[o, k, n]
                JcT[row + 3 + n, a], JcT[row + 3 + n, 3 + a], JvT[row + 3 + n, a] = s, t, r
            for j in range(m):
                JcT[row + 6 + j, a] = JT[row + 6 + j, a]
                JcT[row + 6 + j, 3 + a] = JT[row + 6 + j, 3 + a]
                s, t = 0.0, 0.0
                for n in range(3):
                    s += X[a, n] * shapes[n, j]
                    t += D[a, n] * shapes[3 + n, j]
                JvT[row + 6 + j, a], JvT[row + 6 + j, 3 + a] = s, t
        if second:
            for c in range(3):
                for j in range(m):
                    s, t = 0.0, 0.0
                    for n in range(m):
                        s += group.Z[i, c, j, n] * v[d[6 + n]]
                        t += group.Z[i, 3 + c, j, n] * v[d[6 + n]]
                    for a in range(3):
                        JvT[row + 6 + j, a] += R[a, c] * s
                        JvT[row + 6 + j, 3 + a] += U[c, a] * t
    return -1


@kernel
def floating_pull(
    group: FloatingMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] d(J^T W)/dq T on the rotation and the shapes."""
    q, step, W = state.q, work.T, work.W
    room, local, u, M = np.empty((9, 3, 3)), np.empty((6, 3)), np.empty(3), np.empty(3)
    E, T, R, X, H, Y, C = room[0], room[1], room[4], room[5], room[6], room[7], room[8]
    y, th = local[0], local[1]
    size = group.pdofs.shape[1]
    m = size - 3
    second = group.Z.shape[2] > 0
    shapes = on_stack((6, m))
    for i in range(group.mk.shape[0]):
        k, o, R_BM = group.mk[i], group.rot[i], group.R_BM[i]
        B = square(work.B, group.b1 + i * size * size, size)
        local_motion(group, i, state, shapes, local)
        frame_rotation(q, group.qi[i], R)
        turned(R_BM, th, room)
        for a in range(3):
            u[a], M[a] = 0.0, 0.0
            for n in range(3):
                u[a] += weights[0] * R[n, a] * W[k, n]
                M[a] += weights[0] * R_BM[a, n] * W[k, 3 + n]
        cross_matrix(u[0], u[1], u[2], X)
        cross_matrix(y[0], y[1], y[2], Y)
        multiply(Y, X, H)
        for a in range(3):
            for n in range(3):
                B[a, n] = H[a, 0] * step[o, 0, n] + H[a, 1] * step[o, 1, n] + H[a, 2] * step[o, 2, n]
        multiply(X, step[o], Y)  # u~ of the step
        # H = E M'~ T
        cross_matrix(M[0], M[1], M[2], C)
        multiply(C, T, R)
        multiply(E, R, H)
        hh = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            C[0, j], C[1, j], C[2, j] = column(j, (th[0], th[1], th[2]), (M[0], M[1], M[2]), hh, -b, c, -db, dc)
        for j in range(m):
            for a in range(3):
                s, t, r = 0.0, 0.0, 0.0
                for n in range(3):
                    s += Y[n, a] * shapes[n, j]
                    t += X[a, n] * shapes[n, j] + H[a, n] * shapes[3 + n, j]
                    r += C[a, n] * shapes[3 + n, j]
                B[3 + j, a], B[a, 3 + j], local[2, a] = s, -t, r
            for n in range(m):
                s = shapes[3, n] * local[2, 0] + shapes[4, n] * local[2, 1] + shapes[5, n] * local[2, 2]
                B[3 + n, 3 + j] = s
        if second:
            for a in range(3):
                t = T[0, a] * M[0] + T[1, a] * M[1] + T[2, a] * M[2]  # of T^T M'
                for n in range(m):
                    for j in range(m):
                        B[3 + n, 3 + j] += group.Z[i, a, n, j] * u[a] + group.Z[i, 3 + a, n, j] * t
    return -1


FLOATING = MarkerKind(
    "floating body", FloatingMarkers, floating_constants, floating_place, floating_place_tangent, floating_pull
)
