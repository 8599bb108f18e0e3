r"""Inertia of bodies in floating frames, exact for the shapes they move in, from their inertia invariants.

A point of the body is at :math:`x_0 + R\,y`, :math:`y = x + \sum_k \phi_k \eta_k`, with the frame :math:`x_0, R` and
the angular velocity :math:`\omega` of the frame in its own axes. With :math:`\dot y = \phi\dot\eta`, gravity g and the
acceleration in frame axes

.. math:: \alpha = u + \dot\omega\times y + \omega\times(\omega\times y) + 2\omega\times\dot y + \phi\ddot\eta,
   \qquad u = R^T(\ddot x_0 - g),

virtual work gives :math:`r_x = R\int\alpha`, :math:`r_\theta = \int y\times\alpha`,
:math:`r_{\eta k} = \int\phi_k\cdot\alpha + (K\eta + D\dot\eta)_k`, all integrals over the mass. They need

.. math:: c = \int y, \qquad N_{kab} = \int y_a\phi_{bk} = Q_{abk} + \sum_l R_{ablk}\eta_l, \qquad
   S_{ab} = \int y_a y_b, \qquad \dot N_{kab} = \int \dot y_a \phi_{bk},

so that the cost per evaluation is that of two products with R, 9 m^2 each, whatever the mesh: J = tr(S) 1 - S, and the
mass matrix is

.. math:: M = \begin{bmatrix} m & -R\tilde c & R P \\ & J & H \\ & & \int\phi\cdot\phi \end{bmatrix}, \qquad
   H_k = \int y\times\phi_k .

Derivatives are exact. Nothing is neglected but what the shapes cannot tell: foreshortening of second order in eta.
Where the reduced model has it, `flexmbs.mechanics.floating_stiffening` adds it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.mechanics.floating_stiffening import (
    second_order_force,
    second_order_mass,
    second_order_shift,
    second_order_tangent,
)
from flexmbs.mechanics.frame_rotation import frame_rotation
from flexmbs.mechanics.small_matrices import apply, cross_matrix, multiply

__all__ = ["FloatingGroup", "floating_energy", "floating_force", "floating_mass", "floating_tangent"]


class FloatingGroup(NamedTuple):
    """Bodies of m shapes each.

    ``dofs (n, 6 + m)``: translation, rotation, shapes in v; ``b1``; ``qi (n,)``: first entry of the frame in q;
    ``rot (n,)``: number of the frame in ``work.T``. Invariants about the origin of the frame: ``mass (n,)``, ``first
    (n, 3)``, ``second (n, 3, 3)``, ``P (n, 3, m)``, ``Q (n, m, 3, 3)`` by (k, a, b), ``R (n, m, m, 3, 3)`` by
    (l, k, a, b), ``M, K, D (n, m, m)`` of the shapes. ``g (n_g, 3)``: gravity of the loads numbered ``load (n_g,)``.
    ``work (3, m, 3, 3)``: scratch. ``Z (n, m, m, 4, 3)``: moments of second order, (n, 0, 0, 4, 3) without geometric
    stiffening; ``work2 (3, m, 4, 3)``: scratch for them.
    """

    dofs: IntArray
    b1: int
    qi: IntArray
    rot: IntArray
    mass: FloatArray
    first: FloatArray
    second: FloatArray
    P: FloatArray
    Q: FloatArray
    R: FloatArray
    M: FloatArray
    K: FloatArray
    D: FloatArray
    load: IntArray
    g: FloatArray
    work: FloatArray
    Z: FloatArray = np.zeros((0, 0, 0, 4, 3))
    work2: FloatArray = np.zeros((3, 0, 4, 3))


@kernel
def moments(group: FloatingGroup, i: int, x: FloatArray, start: bool, N: FloatArray) -> None:
    """N[k] = (Q[k] if start) + sum_l x_l R[l, k]."""
    m = x.shape[0]
    if start:
        N[:] = group.Q[i]
    else:
        N[:] = 0.0
    for j in range(m):
        s, block = x[j], group.R[i, j]
        for k in range(m):
            for a in range(3):
                N[k, a, 0] += s * block[k, a, 0]
                N[k, a, 1] += s * block[k, a, 1]
                N[k, a, 2] += s * block[k, a, 2]


@kernel
def integrals(group: FloatingGroup, i: int, eta: FloatArray, N: FloatArray, c: FloatArray, J: FloatArray) -> None:
    """c and J of the deformed body, and N."""
    m = eta.shape[0]
    moments(group, i, eta, True, N)
    for a in range(3):
        s = group.first[i, a]
        for k in range(m):
            s += group.P[i, a, k] * eta[k]
        c[a] = s
    for a in range(3):
        for b in range(3):
            s = group.second[i, a, b]
            for k in range(m):  # integral of y_a x_b, and of y_a phi_b eta
                s += (group.Q[i, k, b, a] + N[k, a, b]) * eta[k]
            J[a, b] = -s
    trace = -(J[0, 0] + J[1, 1] + J[2, 2])
    for a in range(3):
        J[a, a] += trace


@kernel
def floating_mass(group: FloatingGroup, q: FloatArray, blocks: FloatArray) -> None:
    """The mass matrices at q into the blocks."""
    R, c, J = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    N = group.work[0]
    n, size = group.dofs.shape
    m = size - 6
    for i in range(n):
        frame_rotation(q, group.qi[i], R)
        eta = q[group.dofs[i, 6] : group.dofs[i, 6] + m] if m else q[:0]
        integrals(group, i, eta, N, c, J)
        o = group.b1 + i * size * size
        B = blocks[o : o + size * size].reshape(size, size)
        B[:] = 0.0
        for a in range(3):
            B[a, a] = group.mass[i]
            # -R c~
            B[a, 3] = R[a, 2] * c[1] - R[a, 1] * c[2]
            B[a, 4] = R[a, 0] * c[2] - R[a, 2] * c[0]
            B[a, 5] = R[a, 1] * c[0] - R[a, 0] * c[1]
            for k in range(m):
                B[a, 6 + k] = R[a, 0] * group.P[i, 0, k] + R[a, 1] * group.P[i, 1, k] + R[a, 2] * group.P[i, 2, k]
            for b in range(3):
                B[3 + a, 3 + b] = J[a, b]
        for k in range(m):
            B[3, 6 + k] = N[k, 1, 2] - N[k, 2, 1]
            B[4, 6 + k] = N[k, 2, 0] - N[k, 0, 2]
            B[5, 6 + k] = N[k, 0, 1] - N[k, 1, 0]
            for j in range(m):
                B[6 + k, 6 + j] = group.M[i, k, j]
        if group.Z.shape[1]:
            second_order_mass(group.Z[i], group.work2[0], eta, R, B)
        for a in range(size):
            for b in range(a):
                B[a, b] = B[b, a]


@kernel
def floating_force(group: FloatingGroup, state: State, env: Env, work: MarkerWork) -> int:
    """r += all of the inertia that is not M a, gravity, and the forces of the shapes; M a is added elsewhere."""
    R, c, J = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    N, Nd = group.work[0], group.work[1]
    n, size = group.dofs.shape
    m = size - 6
    q, v, r = state.q, state.v, work.r
    for i in range(n):
        frame_rotation(q, group.qi[i], R)
        d = group.dofs[i]
        first = d[6] if m else 0
        eta, rate = q[first : first + m], v[first : first + m]
        integrals(group, i, eta, N, c, J)
        moments(group, i, rate, False, Nd)
        w0, w1, w2 = v[d[3]], v[d[4]], v[d[5]]
        # gravity in frame axes
        g0, g1, g2 = 0.0, 0.0, 0.0
        for k in range(group.load.shape[0]):
            s = env.scale[group.load[k]]
            h0, h1, h2 = s * group.g[k, 0], s * group.g[k, 1], s * group.g[k, 2]
            g0 += R[0, 0] * h0 + R[1, 0] * h1 + R[2, 0] * h2
            g1 += R[0, 1] * h0 + R[1, 1] * h1 + R[2, 1] * h2
            g2 += R[0, 2] * h0 + R[1, 2] * h1 + R[2, 2] * h2
        p0, p1, p2 = 0.0, 0.0, 0.0  # P etadot
        E = np.zeros((3, 3))  # integral of y_a ydot_b
        for k in range(m):
            s = rate[k]
            p0 += group.P[i, 0, k] * s
            p1 += group.P[i, 1, k] * s
            p2 += group.P[i, 2, k] * s
            for a in range(3):
                for b in range(3):
                    E[a, b] += N[k, a, b] * s
        ww = w0 * w0 + w1 * w1 + w2 * w2
        wc = w0 * c[0] + w1 * c[1] + w2 * c[2]
        A0 = w0 * wc - c[0] * ww + 2.0 * (w1 * p2 - w2 * p1) - group.mass[i] * g0
        A1 = w1 * wc - c[1] * ww + 2.0 * (w2 * p0 - w0 * p2) - group.mass[i] * g1
        A2 = w2 * wc - c[2] * ww + 2.0 * (w0 * p1 - w1 * p0) - group.mass[i] * g2
        for a in range(3):
            r[d[a]] += R[a, 0] * A0 + R[a, 1] * A1 + R[a, 2] * A2
        l0 = J[0, 0] * w0 + J[0, 1] * w1 + J[0, 2] * w2
        l1 = J[1, 0] * w0 + J[1, 1] * w1 + J[1, 2] * w2
        l2 = J[2, 0] * w0 + J[2, 1] * w1 + J[2, 2] * w2
        t = E[0, 0] + E[1, 1] + E[2, 2]
        r[d[3]] += (
            w1 * l2 - w2 * l1 + 2.0 * (w0 * t - E[0, 0] * w0 - E[1, 0] * w1 - E[2, 0] * w2) - (c[1] * g2 - c[2] * g1)
        )
        r[d[4]] += (
            w2 * l0 - w0 * l2 + 2.0 * (w1 * t - E[0, 1] * w0 - E[1, 1] * w1 - E[2, 1] * w2) - (c[2] * g0 - c[0] * g2)
        )
        r[d[5]] += (
            w0 * l1 - w1 * l0 + 2.0 * (w2 * t - E[0, 2] * w0 - E[1, 2] * w1 - E[2, 2] * w2) - (c[0] * g1 - c[1] * g0)
        )
        for k in range(m):
            spread = (
                w0 * (w0 * N[k, 0, 0] + w1 * (N[k, 0, 1] + N[k, 1, 0]) + w2 * (N[k, 0, 2] + N[k, 2, 0]))
                + w1 * (w1 * N[k, 1, 1] + w2 * (N[k, 1, 2] + N[k, 2, 1]))
                + w2 * w2 * N[k, 2, 2]
                - ww * (N[k, 0, 0] + N[k, 1, 1] + N[k, 2, 2])
            )
            turning = 2.0 * (
                w0 * (Nd[k, 1, 2] - Nd[k, 2, 1]) + w1 * (Nd[k, 2, 0] - Nd[k, 0, 2]) + w2 * (Nd[k, 0, 1] - Nd[k, 1, 0])
            )
            weight = group.P[i, 0, k] * g0 + group.P[i, 1, k] * g1 + group.P[i, 2, k] * g2
            s = spread + turning - weight
            for j in range(m):
                s += group.K[i, k, j] * eta[j] + group.D[i, k, j] * rate[j]
            r[d[6 + k]] += s
        if group.Z.shape[1]:
            g, w, more = np.array([g0, g1, g2]), np.array([w0, w1, w2]), np.empty(size)
            second_order_force(group.Z[i], group.work2, eta, rate, w, g, R, more)
            for k in range(size):
                r[d[k]] += more[k]
    return -1


@kernel
def frame_tangent(
    mass: float,
    room: FloatArray,
    vectors: FloatArray,
    T: FloatArray,
    w: FloatArray,
    weights: tuple[float, float],
    B: FloatArray,
) -> None:
    """Rows of the frame by its rotation and spin into B.

    ``room (12, 3, 3)`` begins with R, J, X, w~, its rate and E; ``vectors (5, 3)`` holds c, scratch, u, P etadot and P
    etaddot.
    """
    R, J, X, W, E = room[0], room[1], room[2], room[3], room[5]
    theta, rotation, by_w, F, A, G = room[6], room[7], room[8], room[9], room[10], room[11]
    c, x, u, Pv, Pa = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    wq, wv = weights
    cross_matrix(c[0], c[1], c[2], F)
    cross_matrix(u[0], u[1], u[2], G)
    multiply(F, G, rotation)
    for a in range(3):
        x[a] = mass * u[a] + Pa[a]
        for b in range(3):
            x[a] += X[a, b] * c[b] + 2.0 * W[a, b] * Pv[b]
    cross_matrix(x[0], x[1], x[2], A)
    for a in range(3):
        for b in range(3):
            G[a, b] = mass * G[a, b] - A[a, b]
    multiply(R, G, theta)
    apply(W, c, x)
    cross_matrix(x[0] + 2.0 * Pv[0], x[1] + 2.0 * Pv[1], x[2] + 2.0 * Pv[2], A)
    multiply(W, F, G)
    for a in range(3):
        for b in range(3):
            G[a, b] = -A[a, b] - G[a, b]
    multiply(R, G, by_w)
    apply(J, w, x)
    cross_matrix(x[0], x[1], x[2], A)
    multiply(W, J, G)
    trace = E[0, 0] + E[1, 1] + E[2, 2]
    for a in range(3):
        G[a, a] += 2.0 * trace
        for b in range(3):
            G[a, b] -= A[a, b] + 2.0 * E[b, a]
    for a in range(3):
        for b in range(3):
            s = theta[a, 0] * T[0, b] + theta[a, 1] * T[1, b] + theta[a, 2] * T[2, b]
            t = rotation[a, 0] * T[0, b] + rotation[a, 1] * T[1, b] + rotation[a, 2] * T[2, b]
            B[a, 3 + b] = wq * s + wv * by_w[a, b]
            B[3 + a, 3 + b] = wq * t + wv * G[a, b]


@kernel
def floating_tangent(
    group: FloatingGroup, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """The same, and wq d(M a + ...)/dq T + wv d(...)/dv into the blocks."""
    floating_force(group, state, env, work)
    wq, wv = weights
    room, vectors = np.empty((12, 3, 3)), np.empty((5, 3))
    R, J, X, W, Wd, E = room[0], room[1], room[2], room[3], room[4], room[5]
    c, x, u, Pv, Pa = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    N, Nd, Ndd = group.work[0], group.work[1], group.work[2]
    n, size = group.dofs.shape
    m = size - 6
    q, v, acc, T = state.q, state.v, state.a, work.T
    for i in range(n):
        frame_rotation(q, group.qi[i], R)
        d = group.dofs[i]
        first = d[6] if m else 0
        eta, rate, rate2 = q[first : first + m], v[first : first + m], acc[first : first + m]
        integrals(group, i, eta, N, c, J)
        moments(group, i, rate, False, Nd)
        moments(group, i, rate2, False, Ndd)
        o = group.b1 + i * size * size
        B = work.B[o : o + size * size].reshape(size, size)
        B[:] = 0.0
        w = v[d[3] : d[3] + 3]
        wd = acc[d[3] : d[3] + 3]
        for a in range(3):
            x[a], Pv[a], Pa[a] = acc[d[a]], 0.0, 0.0
            for b in range(3):
                E[a, b] = 0.0
        for k in range(group.load.shape[0]):
            for a in range(3):
                x[a] -= env.scale[group.load[k]] * group.g[k, a]
        for a in range(3):
            u[a] = R[0, a] * x[0] + R[1, a] * x[1] + R[2, a] * x[2]
        for k in range(m):
            for a in range(3):
                Pv[a] += group.P[i, a, k] * rate[k]
                Pa[a] += group.P[i, a, k] * rate2[k]
                for b in range(3):
                    E[a, b] += N[k, a, b] * rate[k]
        cross_matrix(w[0], w[1], w[2], W)
        cross_matrix(wd[0], wd[1], wd[2], Wd)
        multiply(W, W, X)
        for a in range(3):
            for b in range(3):
                X[a, b] += Wd[a, b]  # acceleration of a point at rest in the frame is u + X y
        frame_tangent(group.mass[i], room, vectors, T[group.rot[i]], w, weights, B)
        RX, RW = room[6], room[7]
        multiply(R, X, RX)
        multiply(R, W, RW)
        for k in range(m):
            for a in range(3):
                s, t = 0.0, 0.0
                for b in range(3):
                    s += RX[a, b] * group.P[i, b, k]
                    t += RW[a, b] * group.P[i, b, k]
                B[a, 6 + k] = wq * s + 2.0 * wv * t
        for k in range(m):
            P0, P1, P2 = group.P[i, 0, k], group.P[i, 1, k], group.P[i, 2, k]
            tn = N[k, 0, 0] + N[k, 1, 1] + N[k, 2, 2]
            te = Nd[k, 0, 0] + Nd[k, 1, 1] + Nd[k, 2, 2]
            for a in range(3):
                # J_k = 2 tr(N_k) - N_k - N_k^T applied to wd and w
                s, t, e, f = 2.0 * tn * wd[a], 2.0 * tn * w[a], te * w[a], tn * w[a]
                for b in range(3):
                    both = N[k, a, b] + N[k, b, a]
                    s -= both * wd[b]
                    t -= both * w[b]
                    e -= Nd[k, a, b] * w[b]  # E_k^T w with E_k[a, b] = Nd[k, b, a]
                    f -= N[k, b, a] * w[b]  # N_k^T w
                x[a] = t
                B[3 + a, 6 + k] = wq * (s + 2.0 * e) + 2.0 * wv * f
            B[3, 6 + k] += wq * (P1 * u[2] - P2 * u[1] + w[1] * x[2] - w[2] * x[1] + Ndd[k, 2, 1] - Ndd[k, 1, 2])
            B[4, 6 + k] += wq * (P2 * u[0] - P0 * u[2] + w[2] * x[0] - w[0] * x[2] + Ndd[k, 0, 2] - Ndd[k, 2, 0])
            B[5, 6 + k] += wq * (P0 * u[1] - P1 * u[0] + w[0] * x[1] - w[1] * x[0] + Ndd[k, 1, 0] - Ndd[k, 0, 1])
            # row of the shape: P_k . u by the rotation, and what the angular velocity does
            h0, h1, h2 = P1 * u[2] - P2 * u[1], P2 * u[0] - P0 * u[2], P0 * u[1] - P1 * u[0]  # P x u
            for b in range(3):
                s = h0 * T[group.rot[i], 0, b] + h1 * T[group.rot[i], 1, b] + h2 * T[group.rot[i], 2, b]
                t = -2.0 * w[b] * tn
                for a in range(3):
                    t += w[a] * (N[k, a, b] + N[k, b, a])
                B[6 + k, 3 + b] = wq * s + wv * t
            B[6 + k, 3] += 2.0 * wv * (Nd[k, 1, 2] - Nd[k, 2, 1])
            B[6 + k, 4] += 2.0 * wv * (Nd[k, 2, 0] - Nd[k, 0, 2])
            B[6 + k, 5] += 2.0 * wv * (Nd[k, 0, 1] - Nd[k, 1, 0])
        Y = room[8]
        for a in range(3):
            for b in range(3):
                Y[a, b] = wq * X[a, b] + 2.0 * wv * W[a, b]
        for k in range(m):
            for j in range(m):
                block = group.R[i, k, j]
                s = wq * group.K[i, k, j] + wv * group.D[i, k, j]
                for a in range(3):
                    for b in range(3):
                        s += Y[a, b] * block[a, b]
                B[6 + k, 6 + j] += s
        if group.Z.shape[1]:
            frames = (R, T[group.rot[i]])
            second_order_tangent(group.Z[i], group.work2, eta, rate, rate2, w, wd, u, frames, weights, B)
    return -1


@kernel
def floating_energy(group: FloatingGroup, q: FloatArray, scale: FloatArray, energy: FloatArray) -> None:
    """Strain energy and potential of gravity (n, 2)."""
    R, c = np.empty((3, 3)), np.empty(3)
    m = group.dofs.shape[1] - 6
    for i in range(group.dofs.shape[0]):
        frame_rotation(q, group.qi[i], R)
        first = group.dofs[i, 6] if m else 0
        eta = q[first : first + m]
        s = 0.0
        for k in range(m):
            for j in range(m):
                s += 0.5 * eta[k] * group.K[i, k, j] * eta[j]
        energy[i, 0] = s
        s = 0.0
        for a in range(3):
            c[a] = group.first[i, a]
            for k in range(m):
                c[a] += group.P[i, a, k] * eta[k]
        if group.Z.shape[1]:
            second_order_shift(group.Z[i], eta, c)
        for k in range(group.load.shape[0]):
            for a in range(3):
                place = group.mass[i] * q[group.qi[i] + a] + R[a, 0] * c[0] + R[a, 1] * c[1] + R[a, 2] * c[2]
                s -= scale[group.load[k]] * group.g[k, a] * place
        energy[i, 1] = s
