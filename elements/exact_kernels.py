"""Kernels and tables of the geometrically exact beam; see `flexmbs.elements.geometrically_exact_beam`.

A node has a position and a quaternion in q, the velocity of its point and its angular velocity in section axes in v.
The directors of node i are columns of its rotation, d_k = R_i e_k, so that

    dd_k/dt = R (W x e_k),   delta d_k = R (th x e_k),   delta (dd_k/dt) = R (th x (W x e_k))

with the angular velocity W and the increment th, and forces f_k on the directors are the moment
sum e_k x R^T f_k, in section axes, whose change at constant f_k is sum e_k x (R^T f_k x th). Columns of K by rotations
are multiplied by the tangent operator T of the step. Rotary inertia is that of the nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import inlined, kernel
from flexmbs.elements.rod_kernels import rod_force, rod_tangent

__all__ = ["ExactGroup", "exact_beam_force", "exact_beam_tangent"]


class ExactGroup(NamedTuple):
    """Tables of n_e beams of nn nodes.

    ``dofs (n_e, 6 nn)``: places in v; ``n_linear``: coordinates of vector spaces, which come first; ``T (n_rot, 3,
    3)``: tangent operators of the step, empty where they are identities; ``C (n_e, 6, 6)``, ``tau``, ``w``, ``N``,
    ``N1``, ``J``, ``e0`` as in `flexmbs.elements.director_kernels`; ``inertia (n_e, nn, 3)``: rotary inertia of the
    nodes about the axes of the section; ``rhoA (n_e,)``; ``reference (n_e, 7 nn)``.
    """

    dofs: IntArray
    b1: int
    n_linear: int
    T: FloatArray
    C: FloatArray
    tau: FloatArray
    w: FloatArray
    N: FloatArray
    N1: FloatArray
    J: FloatArray
    e0: FloatArray
    inertia: FloatArray
    rhoA: FloatArray
    reference: FloatArray


@inlined
def _gather(
    q: FloatArray, v: FloatArray, dofs: IntArray, e: int, n_linear: int, count: int, R: FloatArray, X: FloatArray,
    V: FloatArray,
) -> None:  # fmt: skip
    """Rotations of the nodes, and positions, directors and their rates."""
    for i in range(count):
        k = dofs[e, 6 * i]
        c = n_linear + 7 * ((k - n_linear) // 6)
        w, x, y, z = q[c + 3], q[c + 4], q[c + 5], q[c + 6]
        R[i, 0, 0], R[i, 0, 1], R[i, 0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        R[i, 1, 0], R[i, 1, 1], R[i, 1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        R[i, 2, 0], R[i, 2, 1], R[i, 2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        w1, w2, w3 = v[k + 3], v[k + 4], v[k + 5]
        for j in range(3):
            X[9 * i + j], V[9 * i + j] = q[c + j], v[k + j]
            X[9 * i + 3 + j], X[9 * i + 6 + j] = R[i, j, 1], R[i, j, 2]
            V[9 * i + 3 + j] = R[i, j, 2] * w1 - R[i, j, 0] * w3
            V[9 * i + 6 + j] = R[i, j, 0] * w2 - R[i, j, 1] * w1


@inlined
def _moments(F: FloatArray, R: FloatArray, i: int, f: FloatArray) -> None:
    """f (2, 3): the forces on the directors of node i in its axes."""
    for k in range(2):
        for j in range(3):
            f[k, j] = (
                R[i, 0, j] * F[9 * i + 3 + 3 * k]
                + R[i, 1, j] * F[9 * i + 4 + 3 * k]
                + R[i, 2, j] * F[9 * i + 5 + 3 * k]
            )


@inlined
def _add_force(
    v: FloatArray, r: FloatArray, F: FloatArray, R: FloatArray, group: ExactGroup, e: int, count: int, f: FloatArray
) -> None:
    """Forces on positions, moments on rotations and the gyroscopic moments of the nodes."""
    for i in range(count):
        k = group.dofs[e, 6 * i]
        _moments(F, R, i, f)
        w1, w2, w3 = v[k + 3], v[k + 4], v[k + 5]
        J1, J2, J3 = group.inertia[e, i, 0], group.inertia[e, i, 1], group.inertia[e, i, 2]
        for j in range(3):
            r[k + j] += F[9 * i + j]
        # e_y x f = (f_z, 0, -f_x), e_z x f = (-f_y, f_x, 0)
        r[k + 3] += f[0, 2] - f[1, 1] + (J3 - J2) * w2 * w3
        r[k + 4] += f[1, 0] + (J1 - J3) * w3 * w1
        r[k + 5] += -f[0, 0] + (J2 - J1) * w1 * w2


@kernel
def exact_beam_force(group: ExactGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces and gyroscopic moments of all elements into ``work.r``."""
    q, v, dofs = state.q, state.v, group.dofs
    count = group.N.shape[1]
    X, V, F = np.empty(27), np.empty(27), np.empty(27)
    R, f = np.empty((3, 3, 3)), np.empty((2, 3))
    for e in range(dofs.shape[0]):
        _gather(q, v, dofs, e, group.n_linear, count, R, X, V)
        F[:] = 0.0
        if not rod_force(X, V, F, e, group.C, group.w, group.N, group.N1, group.J, group.e0, group.tau[e]):
            return e
        _add_force(v, work.r, F, R, group, e, count, f)
    return -1


@inlined
def _turns(R: FloatArray, i: int, P: FloatArray) -> None:
    """P[i] (6, 3): directors of node i by rotations in its axes, R (th x e_k)."""
    for j in range(3):
        P[i, j, 0], P[i, j, 1], P[i, j, 2] = R[i, j, 2], 0.0, -R[i, j, 0]
        P[i, 3 + j, 0], P[i, 3 + j, 1], P[i, 3 + j, 2] = -R[i, j, 1], R[i, j, 0], 0.0


@inlined
def _swings(v: FloatArray, k: int, R: FloatArray, i: int, Q: FloatArray) -> None:
    """Q[i] (6, 3): rates of the directors by rotations at constant angular velocity, R (th x (W x e_k))."""
    w1, w2, w3 = v[k + 3], v[k + 4], v[k + 5]
    for n in range(2):
        # W x e_y = (-w3, 0, w1), W x e_z = (w2, -w1, 0); th x a has the columns e_1 x a, e_2 x a, e_3 x a
        a1, a2, a3 = (-w3, 0.0, w1) if n == 0 else (w2, -w1, 0.0)
        for j in range(3):
            Q[i, 3 * n + j, 0] = -R[i, j, 1] * a3 + R[i, j, 2] * a2
            Q[i, 3 * n + j, 1] = R[i, j, 0] * a3 - R[i, j, 2] * a1
            Q[i, 3 * n + j, 2] = -R[i, j, 0] * a2 + R[i, j, 1] * a1


@inlined
def _fold(K: FloatArray, size: int, i: int, j: int, P: FloatArray, Q: FloatArray, M: FloatArray, s: float) -> None:
    """M (6, 6) += s times the block of nodes i and j of K, rows folded by P and columns by Q."""
    for a in range(3):
        row = size * (9 * i + a) + 9 * j
        for b in range(3):
            M[a, b] += s * K[row + b]
            x = 0.0
            for c in range(6):
                x += K[row + 3 + c] * Q[j, c, b]
            M[a, 3 + b] += s * x
    for b in range(3):
        for a in range(3):
            x = y = 0.0
            for c in range(6):
                row = size * (9 * i + 3 + c) + 9 * j
                x += P[i, c, a] * K[row + b]
                z = 0.0
                for d in range(6):
                    z += K[row + 3 + d] * Q[j, d, b]
                y += P[i, c, a] * z
            M[3 + a, b] += s * x
            M[3 + a, 3 + b] += s * y


@kernel
def exact_beam_tangent(group: ExactGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same and ``wq K T + wv D`` into ``work.B``."""
    wq, wv = weights
    q, v, B, dofs, Ts = state.q, state.v, work.B, group.dofs, group.T
    count = group.N.shape[1]
    size, n = 9 * count, 6 * count
    X, V, F, R, f = np.empty(27), np.empty(27), np.empty(27), np.empty((3, 3, 3)), np.empty((2, 3))
    H, S, K, D = np.empty((15, 15)), np.empty((27, 15)), np.empty(729), np.empty(729)
    F2 = np.empty(27)  # forces once more, not used
    P, Q, M = np.empty((3, 6, 3)), np.empty((3, 6, 3)), np.empty((6, 6))
    for e in range(dofs.shape[0]):
        tau = group.tau[e]
        _gather(q, v, dofs, e, group.n_linear, count, R, X, V)
        F[:] = 0.0
        K[:] = 0.0
        if not rod_tangent(
            X, V, F, K, 0, e, group.C, group.w, group.N, group.N1, group.J, group.e0, tau, 1.0, 0.0, H, S
        ):
            return e
        if tau > 0.0:
            D[:] = 0.0
            rod_tangent(X, V, F2, D, 0, e, group.C, group.w, group.N, group.N1, group.J, group.e0, tau, 0.0, 1.0, H, S)
        _add_force(v, work.r, F, R, group, e, count, f)
        for i in range(count):
            _turns(R, i, P)
            _swings(v, dofs[e, 6 * i], R, i, Q)
        o = group.b1 + n * n * e
        for i in range(count):
            for j in range(count):
                M[:, :] = 0.0
                _fold(K, size, i, j, P, P, M, wq)
                if tau > 0.0:  # rates of directors change with rotations, too
                    for a in range(3):
                        for b in range(3):
                            x = y = 0.0
                            for c in range(6):
                                x += D[size * (9 * i + a) + 9 * j + 3 + c] * Q[j, c, b]
                                z = 0.0
                                for d in range(6):
                                    z += D[size * (9 * i + 3 + c) + 9 * j + 3 + d] * Q[j, d, b]
                                y += P[i, c, a] * z
                            M[a, 3 + b] += wq * x
                            M[3 + a, 3 + b] += wq * y
                if i == j:
                    _moments(F, R, i, f)
                    # sum e_k~ f_k~ = sum f_k e_k^T - (e_k . f_k) I
                    trace = f[0, 1] + f[1, 2]
                    for a in range(3):
                        M[3 + a, 4] += wq * f[0, a]
                        M[3 + a, 5] += wq * f[1, a]
                        M[3 + a, 3 + a] -= wq * trace
                rot = (dofs[e, 6 * j] - group.n_linear) // 6
                if Ts.shape[0] > 0:
                    for a in range(6):
                        x, y, z = M[a, 3], M[a, 4], M[a, 5]
                        for b in range(3):
                            M[a, 3 + b] = x * Ts[rot, 0, b] + y * Ts[rot, 1, b] + z * Ts[rot, 2, b]
                if tau > 0.0 and wv != 0.0:
                    _fold(D, size, i, j, P, P, M, wv)
                if i == j:
                    w1, w2, w3 = v[dofs[e, 6 * i] + 3], v[dofs[e, 6 * i] + 4], v[dofs[e, 6 * i] + 5]
                    a, b, c = group.inertia[e, i, 0], group.inertia[e, i, 1], group.inertia[e, i, 2]
                    M[3, 4] += wv * (c - b) * w3
                    M[3, 5] += wv * (c - b) * w2
                    M[4, 3] += wv * (a - c) * w3
                    M[4, 5] += wv * (a - c) * w1
                    M[5, 3] += wv * (b - a) * w2
                    M[5, 4] += wv * (b - a) * w1
                for a in range(6):
                    for b in range(6):
                        B[o + n * (6 * i + a) + 6 * j + b] = M[a, b]
    return -1
