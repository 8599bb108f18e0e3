r"""Markers on bodies in floating frames.

With the frame x_0, R, the point y = s + Phi eta, the small rotation th = Psi eta of the material there, E = exp(th~),
the tangent operator T(th) of `flexmbs.markers.spatial_linear`, the sum of wrenches W = (F, M), u = R^T F, M' = R_BM M:

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
from flexmbs.markers.kind import MarkerKind, constant_rows
from flexmbs.markers.spatial_linear import coefficients, column
from flexmbs.mechanics.frame_rotation import frame_rotation

__all__ = ["FLOATING", "FloatingMarkers"]


class FloatingMarkers(NamedTuple):
    """Markers on floating bodies with m shapes.

    ``mk, row (n,)``, ``dofs (n, 6 + m)`` (translation, rotation, shapes), ``pdofs (n, 3 + m)`` and ``b1`` as in
    `flexmbs.markers.kind`; ``qi (n,)``: first entry of the frame in q; ``rot (n,)``: its number in ``work.T``; ``s (n,
    3)``, ``R_BM (n, 3, 3)``: point and frame of the undeformed body, axes of the frame; ``Phi, Psi (n, 3, m)``;
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
def gradient(Z: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out += Z x, (3, m), for displacements or rotations Z (3, m, m)."""
    for a in range(3):
        for j in range(x.shape[0]):
            for n in range(x.shape[0]):
                out[a, j] += Z[a, n, j] * x[n]


@kernel
def halved(shapes: FloatArray, linear: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out -= (shapes - linear) x / 2: with shapes = linear + Z x this leaves linear x + x Z x / 2."""
    for a in range(3):
        for j in range(x.shape[0]):
            out[a] -= 0.5 * (shapes[a, j] - linear[a, j]) * x[j]


@kernel
def floating_place(group: FloatingMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist, and what changes of J."""
    q, v, JT = state.q, state.v, work.JT
    R, E, T, S = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    y, th, zd, pd = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    m = group.dofs.shape[1] - 6
    for i in range(group.mk.shape[0]):
        d, k, row = group.dofs[i], group.mk[i], group.row[i]
        Phi, Psi, R_BM = group.Phi[i], group.Psi[i], group.R_BM[i]
        second = group.Z.shape[2] > 0
        eta = q[d[6] : d[6] + m] if second else q[:0]
        if second:
            Phi, Psi = Phi.copy(), Psi.copy()
            gradient(group.Z[i, :3], eta, Phi)
            gradient(group.Z[i, 3:], eta, Psi)
        frame_rotation(q, group.qi[i], R)
        for a in range(3):
            y[a], th[a], zd[a], pd[a] = group.s[i, a], 0.0, 0.0, 0.0
            for j in range(m):
                y[a] += Phi[a, j] * q[d[6 + j]]
                th[a] += Psi[a, j] * q[d[6 + j]]
                zd[a] += Phi[a, j] * v[d[6 + j]]
                pd[a] += Psi[a, j] * v[d[6 + j]]
        if second:
            halved(Phi, group.Phi[i], eta, y)
            halved(Psi, group.Psi[i], eta, th)
        hh = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
        exponential(th, hh, E, T)
        w0, w1, w2 = v[d[3]], v[d[4]], v[d[5]]
        z0, z1, z2 = w1 * y[2] - w2 * y[1] + zd[0], w2 * y[0] - w0 * y[2] + zd[1], w0 * y[1] - w1 * y[0] + zd[2]
        for a in range(3):
            work.p[k, a] = q[group.qi[i] + a] + R[a, 0] * y[0] + R[a, 1] * y[1] + R[a, 2] * y[2]
            work.twist[k, a] = v[d[a]] + R[a, 0] * z0 + R[a, 1] * z1 + R[a, 2] * z2
            JT[row + 3, a] = R[a, 2] * y[1] - R[a, 1] * y[2]
            JT[row + 4, a] = R[a, 0] * y[2] - R[a, 2] * y[0]
            JT[row + 5, a] = R[a, 1] * y[0] - R[a, 0] * y[1]
            for j in range(m):
                JT[row + 6 + j, a] = R[a, 0] * Phi[0, j] + R[a, 1] * Phi[1, j] + R[a, 2] * Phi[2, j]
        for a in range(3):
            for n in range(3):
                S[a, n] = E[a, 0] * R_BM[0, n] + E[a, 1] * R_BM[1, n] + E[a, 2] * R_BM[2, n]  # E R_BM
        for n in range(3):
            # column n of T^T R_BM
            t0 = T[0, 0] * R_BM[0, n] + T[1, 0] * R_BM[1, n] + T[2, 0] * R_BM[2, n]
            t1 = T[0, 1] * R_BM[0, n] + T[1, 1] * R_BM[1, n] + T[2, 1] * R_BM[2, n]
            t2 = T[0, 2] * R_BM[0, n] + T[1, 2] * R_BM[1, n] + T[2, 2] * R_BM[2, n]
            work.twist[k, 3 + n] = S[0, n] * w0 + S[1, n] * w1 + S[2, n] * w2 + t0 * pd[0] + t1 * pd[1] + t2 * pd[2]
            for a in range(3):
                work.R[k, a, n] = R[a, 0] * S[0, n] + R[a, 1] * S[1, n] + R[a, 2] * S[2, n]
                JT[row + 3 + a, 3 + n] = S[a, n]
            for j in range(m):
                JT[row + 6 + j, 3 + n] = Psi[0, j] * t0 + Psi[1, j] * t1 + Psi[2, j] * t2
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
    R, E, T, D = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    th, y, zd, pd, x = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    m = group.dofs.shape[1] - 6
    dPhi, dPsi = np.empty((3, m)), np.empty((3, m))
    for i in range(group.mk.shape[0]):
        d, row, o = group.dofs[i], group.row[i], group.rot[i]
        Phi, Psi, R_BM = group.Phi[i], group.Psi[i], group.R_BM[i]
        second = group.Z.shape[2] > 0
        eta = q[d[6] : d[6] + m] if second else q[:0]
        if second:
            Phi, Psi = Phi.copy(), Psi.copy()
            gradient(group.Z[i, :3], eta, Phi)
            gradient(group.Z[i, 3:], eta, Psi)
        frame_rotation(q, group.qi[i], R)
        for a in range(3):
            y[a], th[a], zd[a], pd[a] = group.s[i, a], 0.0, 0.0, 0.0
            for j in range(m):
                y[a] += Phi[a, j] * q[d[6 + j]]
                th[a] += Psi[a, j] * q[d[6 + j]]
                zd[a] += Phi[a, j] * v[d[6 + j]]
                pd[a] += Psi[a, j] * v[d[6 + j]]
        if second:
            halved(Phi, group.Phi[i], eta, y)
            halved(Psi, group.Psi[i], eta, th)
        hh = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
        exponential(th, hh, E, T)
        w0, w1, w2 = v[d[3]], v[d[4]], v[d[5]]
        z0, z1, z2 = w1 * y[2] - w2 * y[1] + zd[0], w2 * y[0] - w0 * y[2] + zd[1], w0 * y[1] - w1 * y[0] + zd[2]
        # D = (E^T w)~ T + d(T pd)/dth
        for a in range(3):
            x[a] = E[0, a] * w0 + E[1, a] * w1 + E[2, a] * w2
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            e0, e1, e2 = column(j, (th[0], th[1], th[2]), (pd[0], pd[1], pd[2]), hh, b, c, db, dc)
            D[0, j] = e0 + x[1] * T[2, j] - x[2] * T[1, j]
            D[1, j] = e1 + x[2] * T[0, j] - x[0] * T[2, j]
            D[2, j] = e2 + x[0] * T[1, j] - x[1] * T[0, j]
        if second:
            rate = v[d[6] : d[6] + m]
            dPhi[:], dPsi[:] = 0.0, 0.0
            gradient(group.Z[i, :3], rate, dPhi)
            gradient(group.Z[i, 3:], rate, dPsi)
        for a in range(3):
            h0 = R[a, 2] * z1 - R[a, 1] * z2
            h1 = R[a, 0] * z2 - R[a, 2] * z0
            h2 = R[a, 1] * z0 - R[a, 0] * z1
            W0 = R[a, 1] * w2 - R[a, 2] * w1  # row a of R w~
            W1 = R[a, 2] * w0 - R[a, 0] * w2
            W2 = R[a, 0] * w1 - R[a, 1] * w0
            for n in range(3):
                t0, t1, t2 = step[o, 0, n], step[o, 1, n], step[o, 2, n]
                JcT[row + 3 + n, a] = JT[row + 3, a] * t0 + JT[row + 4, a] * t1 + JT[row + 5, a] * t2
                JcT[row + 3 + n, 3 + a] = JT[row + 3, 3 + a] * t0 + JT[row + 4, 3 + a] * t1 + JT[row + 5, 3 + a] * t2
                JvT[row + 3 + n, a] = h0 * t0 + h1 * t1 + h2 * t2
            # row a of R_BM^T D
            D0 = R_BM[0, a] * D[0, 0] + R_BM[1, a] * D[1, 0] + R_BM[2, a] * D[2, 0]
            D1 = R_BM[0, a] * D[0, 1] + R_BM[1, a] * D[1, 1] + R_BM[2, a] * D[2, 1]
            D2 = R_BM[0, a] * D[0, 2] + R_BM[1, a] * D[1, 2] + R_BM[2, a] * D[2, 2]
            for j in range(m):
                JcT[row + 6 + j, a] = JT[row + 6 + j, a]
                JcT[row + 6 + j, 3 + a] = JT[row + 6 + j, 3 + a]
                JvT[row + 6 + j, a] = W0 * Phi[0, j] + W1 * Phi[1, j] + W2 * Phi[2, j]
                JvT[row + 6 + j, 3 + a] = D0 * Psi[0, j] + D1 * Psi[1, j] + D2 * Psi[2, j]
            if second:
                for j in range(m):
                    JvT[row + 6 + j, a] += R[a, 0] * dPhi[0, j] + R[a, 1] * dPhi[1, j] + R[a, 2] * dPhi[2, j]
                    for n in range(3):  # column a of T^T R_BM
                        t = T[0, n] * R_BM[0, a] + T[1, n] * R_BM[1, a] + T[2, n] * R_BM[2, a]
                        JvT[row + 6 + j, 3 + a] += t * dPsi[n, j]
    return -1


@kernel
def floating_pull(
    group: FloatingMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] d(J^T W)/dq T on the rotation and the shapes."""
    q, step, W = state.q, work.T, work.W
    R, E, T, F = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    A, H, C = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    th, y, M = np.empty(3), np.empty(3), np.empty(3)
    size = group.pdofs.shape[1]
    m = size - 3
    for i in range(group.mk.shape[0]):
        d, k, o = group.dofs[i], group.mk[i], group.rot[i]
        Phi, Psi, R_BM = group.Phi[i], group.Psi[i], group.R_BM[i]
        B = work.B[group.b1 + i * size * size : group.b1 + (i + 1) * size * size].reshape(size, size)
        second = group.Z.shape[2] > 0
        eta = q[d[6] : d[6] + m] if second else q[:0]
        if second:
            Phi, Psi = Phi.copy(), Psi.copy()
            gradient(group.Z[i, :3], eta, Phi)
            gradient(group.Z[i, 3:], eta, Psi)
        frame_rotation(q, group.qi[i], R)
        for a in range(3):
            y[a], th[a], M[a] = group.s[i, a], 0.0, 0.0
            for j in range(m):
                y[a] += Phi[a, j] * q[d[6 + j]]
                th[a] += Psi[a, j] * q[d[6 + j]]
            for n in range(3):
                M[a] += weights[0] * R_BM[a, n] * W[k, 3 + n]
        if second:
            halved(Phi, group.Phi[i], eta, y)
            halved(Psi, group.Psi[i], eta, th)
        f0, f1, f2 = weights[0] * W[k, 0], weights[0] * W[k, 1], weights[0] * W[k, 2]
        u0 = R[0, 0] * f0 + R[1, 0] * f1 + R[2, 0] * f2
        u1 = R[0, 1] * f0 + R[1, 1] * f1 + R[2, 1] * f2
        u2 = R[0, 2] * f0 + R[1, 2] * f1 + R[2, 2] * f2
        su = y[0] * u0 + y[1] * u1 + y[2] * u2
        for n in range(3):
            t0, t1, t2 = step[o, 0, n], step[o, 1, n], step[o, 2, n]
            st = y[0] * t0 + y[1] * t1 + y[2] * t2
            B[0, n] = u0 * st - su * t0
            B[1, n] = u1 * st - su * t1
            B[2, n] = u2 * st - su * t2
            # (eta, theta): Phi^T u~ T
            x0, x1, x2 = u1 * t2 - u2 * t1, u2 * t0 - u0 * t2, u0 * t1 - u1 * t0
            for j in range(m):
                B[3 + j, n] = Phi[0, j] * x0 + Phi[1, j] * x1 + Phi[2, j] * x2
        hh = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
        exponential(th, hh, E, T)
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            C[0, j], C[1, j], C[2, j] = column(j, (th[0], th[1], th[2]), (M[0], M[1], M[2]), hh, -b, c, -db, dc)
            # M'~ T
            A[0, j] = M[1] * T[2, j] - M[2] * T[1, j]
            A[1, j] = M[2] * T[0, j] - M[0] * T[2, j]
            A[2, j] = M[0] * T[1, j] - M[1] * T[0, j]
        for a in range(3):
            for n in range(3):
                H[a, n] = E[a, 0] * A[0, n] + E[a, 1] * A[1, n] + E[a, 2] * A[2, n]
        for j in range(m):
            p0, p1, p2 = Phi[0, j], Phi[1, j], Phi[2, j]
            s0, s1, s2 = Psi[0, j], Psi[1, j], Psi[2, j]
            B[0, 3 + j] = u2 * p1 - u1 * p2 - (H[0, 0] * s0 + H[0, 1] * s1 + H[0, 2] * s2)
            B[1, 3 + j] = u0 * p2 - u2 * p0 - (H[1, 0] * s0 + H[1, 1] * s1 + H[1, 2] * s2)
            B[2, 3 + j] = u1 * p0 - u0 * p1 - (H[2, 0] * s0 + H[2, 1] * s1 + H[2, 2] * s2)
            F[0, 0] = C[0, 0] * s0 + C[0, 1] * s1 + C[0, 2] * s2
            F[0, 1] = C[1, 0] * s0 + C[1, 1] * s1 + C[1, 2] * s2
            F[0, 2] = C[2, 0] * s0 + C[2, 1] * s1 + C[2, 2] * s2
            for n in range(m):
                B[3 + n, 3 + j] = Psi[0, n] * F[0, 0] + Psi[1, n] * F[0, 1] + Psi[2, n] * F[0, 2]
        if second:
            for a in range(3):
                f = u0 if a == 0 else u1 if a == 1 else u2
                t = T[0, a] * M[0] + T[1, a] * M[1] + T[2, a] * M[2]  # of T^T M'
                for n in range(m):
                    for j in range(m):
                        B[3 + n, 3 + j] += group.Z[i, a, n, j] * f + group.Z[i, 3 + a, n, j] * t
    return -1


FLOATING = MarkerKind(
    "floating body", FloatingMarkers, floating_constants, floating_place, floating_place_tangent, floating_pull
)
