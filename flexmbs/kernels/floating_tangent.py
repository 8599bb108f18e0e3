r"""Derivatives of the forces on bodies in floating frames (`flexmbs.kernels.floating`), exact.

A change of the coordinate :math:`\eta_k` changes y by :math:`y_k = \phi_k + A_k^T\psi`
(`flexmbs.kernels.floating_moments`) and the acceleration by

.. math:: \frac{\partial\alpha}{\partial\eta_k} = X y_k + (2\,\dot A_k \tilde\omega^T + B_k)^T\psi, \qquad
   \frac{\partial\alpha}{\partial\dot\eta_k} = 2\,\tilde\omega\,y_k + 2\,\dot A_k^T\psi, \qquad
   B_k = \frac{\partial\ddot A}{\partial\eta_k} .

Both weights together, :math:`Z = w_q X + 2 w_v\tilde\omega` and the affine field :math:`V_k = A_k Z^T + w_q(B_k + 2
\dot A_k\tilde\omega^T) + 2 w_v\dot A_k`, give the change :math:`Z\phi_k + V_k^T\psi`, whose integrals with psi, y and
:math:`y_l` are the columns of the matrix. To these come the changes of y and :math:`y_l`, on which the acceleration
works; of the latter, :math:`A_{kl} = C_{kl} - \tfrac14\{E, C_{kl}\} - \tfrac12\{C_k, C_l\}`.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, State
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import square
from flexmbs.kernels.floating import affine_accelerations, inertia_of
from flexmbs.kernels.floating_moments import FloatingGroup, affine_place, moments, own_rates, own_shapes
from flexmbs.kernels.frame_rotation import frame_rotation
from flexmbs.kernels.shape_stacks import (
    add_axial,
    add_both_sides,
    add_left,
    add_over,
    add_pairs,
    add_products,
    add_right,
    add_scaled,
    add_sum,
    add_twice,
    clear,
)
from flexmbs.kernels.small_matrices import add_product, apply, cross_matrix, fill, multiply

__all__ = ["floating_blocks"]


@kernel
def frame_tangent(
    mass: float, room: FloatArray, vectors: FloatArray, L: FloatArray, T: FloatArray, weights: tuple[float, float],
    B: FloatArray,
) -> None:  # fmt: skip
    """Rows of the frame by its rotation and spin into B.

    ``room (11, 3, 3)`` begins with R, J, w~ and E; ``vectors (5, 3)`` holds c, its rate, u, w and scratch; ``L[0]``:
    the integral of the acceleration.
    """
    R, J, W, E = room[0], room[1], room[2], room[3]
    theta, rotation, by_w, F, A, H = room[5], room[6], room[7], room[8], room[9], room[10]
    c, cd, u, w, x = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    wq, wv = weights
    cross_matrix(c[0], c[1], c[2], F)
    cross_matrix(u[0], u[1], u[2], H)
    multiply(F, H, rotation)
    cross_matrix(mass * u[0] - L[0, 0], mass * u[1] - L[0, 1], mass * u[2] - L[0, 2], A)
    multiply(R, A, theta)
    apply(W, c, x)
    cross_matrix(-x[0] - 2.0 * cd[0], -x[1] - 2.0 * cd[1], -x[2] - 2.0 * cd[2], A)
    add_product(-1.0, W, F, A)
    multiply(R, A, by_w)
    apply(J, w, x)
    cross_matrix(-x[0], -x[1], -x[2], H)
    add_product(1.0, W, J, H)
    trace = E[0, 0] + E[1, 1] + E[2, 2]
    for a in range(3):
        H[a, a] += 2.0 * trace
        for b in range(3):
            H[a, b] -= 2.0 * E[b, a]
    multiply(theta, T, A)
    multiply(rotation, T, F)
    for a in range(3):
        for b in range(3):
            B[a, 3 + b] = wq * A[a, b] + wv * by_w[a, b]
            B[3 + a, 3 + b] = wq * F[a, b] + wv * H[a, b]


@kernel
def shape_rows(
    F: FloatArray, N: FloatArray, Nd: FloatArray, u: FloatArray, w: FloatArray, T: FloatArray,
    weights: tuple[float, float], B: FloatArray,
) -> None:  # fmt: skip
    """Rows of the shapes by rotation and spin of the frame; F, N, Nd with y_k."""
    wq, wv = weights
    for k in range(F.shape[2]):
        P0, P1, P2 = F[0, 0, k], F[0, 1, k], F[0, 2, k]
        h0, h1, h2 = P1 * u[2] - P2 * u[1], P2 * u[0] - P0 * u[2], P0 * u[1] - P1 * u[0]
        trace = N[0, 0, k] + N[1, 1, k] + N[2, 2, k]
        for b in range(3):
            c, d = (b + 1) % 3, (b + 2) % 3
            t = 2.0 * (Nd[c, d, k] - Nd[d, c, k] - w[b] * trace)
            for a in range(3):
                t += w[a] * (N[a, b, k] + N[b, a, k])
            B[6 + k, 3 + b] = wq * (h0 * T[0, b] + h1 * T[1, b] + h2 * T[2, b]) + wv * t


@kernel
def affine_rates(
    group: FloatingGroup, i: int, rate: FloatArray, rate2: FloatArray, C: FloatArray, Ak: FloatArray, Cd: FloatArray,
    E: FloatArray, Ed: FloatArray, Cdd: FloatArray, Bk: FloatArray, Add: FloatArray, Edd: FloatArray,
) -> None:  # fmt: skip
    """B_k, and sum_k A_k x_k of the accelerations of the shapes."""
    clear(Cdd)
    add_over(group.C[i], rate2, Cdd)
    fill(Add, 0.0)
    add_sum(1.0, C, rate2, Add)
    add_sum(1.0, Cd, rate, Add)
    for a in range(3):
        for b in range(3):
            Edd[a, b] = Add[1 + a, b]
    clear(Bk)
    add_scaled(1.0, Cdd, Bk)
    add_both_sides(-0.25, E, Cdd, Bk)
    add_both_sides(-0.5, Edd, C, Bk)
    add_both_sides(-1.0, Ed, Cd, Bk)
    fill(Add, 0.0)
    add_sum(1.0, Ak, rate2, Add)


@kernel
def close_shapes(
    group: FloatingGroup, i: int, wq: float, L: FloatArray, E: FloatArray, C: FloatArray, U: FloatArray, B: FloatArray
) -> None:
    """B[6 + k, 6 + l] += wq A_kl : L; ``U`` is scratch."""
    H, Lt = np.empty((4, 3)), np.empty((3, 3))
    for a in range(3):
        H[0, a] = wq * L[0, a]
        for b in range(3):
            Lt[b, a] = wq * L[1 + a, b]
            s = 0.0
            for c in range(3):
                s += E[c, a] * L[1 + c, b] + L[1 + a, c] * E[b, c]
            H[1 + a, b] = wq * (L[1 + a, b] - 0.25 * s)
    add_twice(H, group.C[i], B)
    clear(U)
    add_both_sides(1.0, Lt, C, U)
    add_products(-0.5, U, C, B)


@kernel
def floating_blocks(
    group: FloatingGroup, state: State, env: Env, operators: FloatArray, weights: tuple[float, float],
    blocks: FloatArray,
) -> None:  # fmt: skip
    """wq d(M a + ...)/dq T + wv d(...)/dv into the blocks; ``operators``: T of all frames."""
    wq, wv = weights
    room, vectors = np.zeros((17, 3, 3)), np.empty((6, 3))
    R, J, W, E, S = room[0], room[1], room[2], room[3], room[4]
    X, Z, Zt, grad, Ed, Edd = room[11], room[12], room[13], room[14], room[15], room[16]
    c, cd, u, w, wd, x = vectors[0], vectors[1], vectors[2], vectors[3], vectors[5], vectors[4]
    tall = np.zeros((9, 4, 3))
    A, Y, Ad, Yd, Add, Ydd, L, U, H = (
        tall[0], tall[1], tall[2], tall[3], tall[4], tall[5], tall[6], tall[7], tall[8],
    )  # fmt: skip
    second = group.C.shape[1] > 0
    C, Ak, F, Cd, Akd = group.work4[0], group.work4[1], group.work4[2], group.work4[3], group.work4[4]
    Cdd, Bk, V, P = group.work4[5], group.work4[6], group.work4[7], group.work4[8]
    N, Nd, Ndd, T1 = group.work[0], group.work[1], group.work[2], group.work[6]
    whole, wholed = group.work[3] if second else N, group.work[4] if second else Nd
    wholedd, T2 = group.work[5] if second else Ndd, group.work[7]
    n, size = group.dofs.shape
    m = size - 6
    q, v, acc = state.q, state.v, state.a
    for i in range(n):
        frame_rotation(q, group.qi[i], R)
        d, T = group.dofs[i], operators[group.rot[i]]
        first = d[6] if m else 0
        eta, rate, rate2 = q[first : first + m], v[first : first + m], acc[first : first + m]
        if second:
            own_shapes(group, i, eta, C, Ak, F, A, grad)
            own_rates(group, i, rate, C, Ak, grad, Cd, Akd, Ad, H, Ed)
            affine_rates(group, i, rate, rate2, C, Ak, Cd, grad, Ed, Cdd, Bk, Add, Edd)
            for a in range(4):
                for b in range(3):
                    Add[a, b] += H[a, b]
        else:
            F = group.F[i]
            fill(A, 0.0)
            affine_place(grad, A)
        moments(group, i, A, eta, Y, N, Ak, second, whole)
        moments(group, i, Ad, rate, Yd, Nd, Ak, second, wholed)
        moments(group, i, Add, rate2, Ydd, Ndd, Ak, second, wholedd)
        inertia_of(A, Y, N, eta, S, J)
        fill(E, 0.0)
        add_sum(1.0, whole, rate, E)
        for a in range(3):
            c[a], cd[a], w[a], wd[a], x[a] = Y[0, a], Yd[0, a], v[d[3 + a]], acc[d[3 + a]], acc[d[a]]
            for k in range(group.load.shape[0]):
                x[a] -= env.scale[group.load[k]] * group.g[k, a]
        for a in range(3):
            u[a] = R[0, a] * x[0] + R[1, a] * x[1] + R[2, a] * x[2]
        cross_matrix(w[0], w[1], w[2], W)
        cross_matrix(wd[0], wd[1], wd[2], X)
        add_product(1.0, W, W, X)
        for a in range(4):
            for b in range(3):
                L[a, b] = Ydd[a, b]
        affine_accelerations(group.G[i], Y, Yd, u, X, W, L)
        o = group.b1 + i * size * size
        B = square(blocks, o, size)
        fill(B, 0.0)
        frame_tangent(group.G[i, 0, 0], room, vectors, L, T, weights, B)
        shape_rows(F, whole, wholed, u, w, T, weights, B)
        # the change of the acceleration by the shapes, and its integrals P with psi and T2 with y
        for a in range(3):
            for b in range(3):
                Z[a, b] = wq * X[a, b] + 2.0 * wv * W[a, b]
                Zt[b, a] = Z[a, b]
        clear(P)
        add_right(group.F[i], Zt, P)
        clear(T2)
        add_right(N, Zt, T2)
        clear(T1)
        for a in range(3):
            U[0, a] = u[a]
            for b in range(3):
                S[b, a] = X[a, b]
                J[a, b] = -2.0 * W[a, b]
        add_left(U, F, T1)
        add_left(S, whole, T1)
        add_left(J, wholed, T1)
        add_scaled(1.0, wholedd, T1)
        for k in range(m):
            for j in range(m):
                B[6 + k, 6 + j] = wq * group.K[i, k, j] + wv * group.D[i, k, j]
        add_twice(Z, group.R[i], B)
        if second:
            for a in range(3):
                for b in range(3):
                    S[a, b] = -2.0 * wq * W[a, b]
                S[a, a] += 2.0 * wv
            clear(V)
            add_right(Ak, Zt, V)
            add_right(Akd, S, V)
            add_scaled(wq, Bk, V)
            add_left(group.G[i], V, P)
            add_left(Y, V, T2)
            add_pairs(group.F[i], V, B)
            add_pairs(Ak, P, B)
            close_shapes(group, i, wq, L, grad, C, V, B)
        for a in range(3):
            for k in range(m):
                B[a, 6 + k] = R[a, 0] * P[0, 0, k] + R[a, 1] * P[0, 1, k] + R[a, 2] * P[0, 2, k]
        add_axial(1.0, T2, B)
        add_axial(-wq, T1, B)
