"""Kernels of the plate with corner frames (`flexmbs.elements.corotational_shell`, `flexmbs.elements.corner_frame`).

Columns by rotations are multiplied by the tangent operator T of the step, as in `flexmbs.elements.exact_kernels`. What
the rates of damped elements change by the positions is a central difference of the first derivatives, to about 1e-10.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import kernel
from flexmbs.core.triples import cross
from flexmbs.elements.corner_frame import add_geometric, add_second, add_spins, evaluate, fold, row, turns

__all__ = ["CornerGroup", "corner_plate_force", "corner_plate_tangent"]

SHIFT = 1e-5
"""Of the central differences, relative to the size of an element."""


class CornerGroup(NamedTuple):
    """Tables of n_e plates of four corners.

    ``dofs (n_e, 24)``: places in v; ``n_linear``, ``T`` as in `flexmbs.elements.exact_kernels`; ``x (n_e, 4, 3)``:
    corners in the element's axes without stress; ``c (n_e, 4, 3, 3)``: these axes in the axes of the corners, as rows;
    ``K (n_e, 24, 24)``: stiffness of small displacements in the element's axes; ``tau (n_e,)``; ``size (n_e,)``.

    For results: ``C (n_e, 9, 9)`` stiffness per area in the element's axes, with drilling; ``turn (n_e, 8, 8)``:
    strains along the axes of the material from those along the element's; ``rho (n_e, 2)`` mass and rotary inertia per
    area; ``reference (n_e, 28)``.
    """

    dofs: IntArray
    b1: int
    n_linear: int
    T: FloatArray
    x: FloatArray
    c: FloatArray
    K: FloatArray
    tau: FloatArray
    size: FloatArray
    C: FloatArray
    turn: FloatArray
    rho: FloatArray
    reference: FloatArray


@kernel
def _gather(
    q: FloatArray, group: CornerGroup, e: int, R: FloatArray, r: FloatArray, t: FloatArray
) -> None:  # fmt: skip
    """Positions, rotations, and the images of the element's axes."""
    for k in range(4):
        v = group.dofs[e, 6 * k]
        o = group.n_linear + 7 * ((v - group.n_linear) // 6)
        w, x, y, z = q[o + 3], q[o + 4], q[o + 5], q[o + 6]
        R[k, 0, 0], R[k, 0, 1], R[k, 0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        R[k, 1, 0], R[k, 1, 1], R[k, 1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        R[k, 2, 0], R[k, 2, 1], R[k, 2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        for i in range(3):
            r[k, i] = q[o + i]
            for b in range(3):
                t[k, b, i] = (
                    R[k, i, 0] * group.c[e, k, b, 0]
                    + R[k, i, 1] * group.c[e, k, b, 1]
                    + R[k, i, 2] * group.c[e, k, b, 2]
                )


@kernel
def _forces(
    group: CornerGroup, e: int, v: FloatArray, Q: FloatArray, u: FloatArray, S: FloatArray, rate: FloatArray,
    F: FloatArray, f: FloatArray,
) -> None:  # fmt: skip
    """Forces F on u, elastic and viscous, and f on w; ``rate (24,)`` is that of w."""
    tau = group.tau[e]
    rate[:] = 0.0
    if tau > 0.0:
        for at in range(24):
            for k in range(4):
                for i in range(6):
                    rate[at] += Q[at, 6 * k + i] * v[group.dofs[e, 6 * k + i]]
    for at in range(24):
        f[at] = u[at]
    if tau > 0.0:
        for k in range(4):
            for a in range(3):
                f[6 * k + a] += tau * rate[6 * k + a]
                for b in range(3):
                    f[6 * k + 3 + a] += tau * S[k, a, b] * rate[6 * k + 3 + b]
    for at in range(24):
        F[at] = 0.0
        for col in range(24):
            F[at] += group.K[e, at, col] * f[col]
    for k in range(4):
        for a in range(3):
            f[6 * k + a] = F[6 * k + a]
            f[6 * k + 3 + a] = S[k, 0, a] * F[6 * k + 3] + S[k, 1, a] * F[6 * k + 4] + S[k, 2, a] * F[6 * k + 5]


@kernel
def corner_plate_force(group: CornerGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    R, r, t = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((4, 3, 3))
    E, Y, w, W = np.empty((3, 3)), np.empty((3, 2, 3, 3)), np.empty(24), np.empty((24, 12))
    Q, u, S = np.empty((24, 24)), np.empty(24), np.empty((4, 3, 3))
    rate, F, f = np.empty(24), np.empty(24), np.empty(24)
    for e in range(group.dofs.shape[0]):
        _gather(state.q, group, e, R, r, t)
        evaluate(r, t, group.x[e], E, Y, w, W)
        if not turns(w, u, S, t, E):
            return e
        fold(W, E, R, group.c[e], Q)
        _forces(group, e, state.v, Q, u, S, rate, F, f)
        for at in range(24):
            for col in range(24):
                work.r[group.dofs[e, col]] += Q[at, col] * f[at]
    return -1


@kernel
def _material(group: CornerGroup, e: int, S: FloatArray, Q: FloatArray, P: FloatArray, X: FloatArray) -> None:
    """P = Sigma Q, the derivatives of u, and X = K P."""
    for k in range(4):
        for col in range(24):
            for a in range(3):
                P[6 * k + a, col] = Q[6 * k + a, col]
                P[6 * k + 3 + a, col] = (
                    S[k, a, 0] * Q[6 * k + 3, col] + S[k, a, 1] * Q[6 * k + 4, col] + S[k, a, 2] * Q[6 * k + 5, col]
                )
    _times(group.K[e], P, X)


@kernel
def _times(A: FloatArray, B: FloatArray, C: FloatArray) -> None:
    """C = A B for (24, 24)."""
    for i in range(24):
        for j in range(24):
            C[i, j] = 0.0
        for k in range(24):
            a = A[i, k]
            if a != 0.0:
                for j in range(24):
                    C[i, j] += a * B[k, j]


@kernel
def _back_times(A: FloatArray, B: FloatArray, s: float, C: FloatArray) -> None:
    """C += s A^T B for (24, 24)."""
    for k in range(24):
        for i in range(24):
            a = s * A[k, i]
            if a != 0.0:
                for j in range(24):
                    C[i, j] += a * B[k, j]


@kernel
def corner_plate_tangent(group: CornerGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same and ``wq K T + wv D`` into ``work.B``."""
    wq, wv = weights
    v, B, dofs, Ts = state.v, work.B, group.dofs, group.T
    R, r, t = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((4, 3, 3))
    E, Y, w, W = np.empty((3, 3)), np.empty((3, 2, 3, 3)), np.empty(24), np.empty((24, 12))
    Q, u, S = np.empty((24, 24)), np.empty(24), np.empty((4, 3, 3))
    rate, F, f = np.empty(24), np.empty(24), np.empty(24)
    P, X, M, H = np.empty((24, 24)), np.empty((24, 24)), np.empty((24, 24)), np.empty((24, 24))
    m, G, Z = np.empty((3, 3)), np.empty((6, 6)), np.empty((3, 3))
    A, W2, E2 = np.empty((24, 24)), np.empty((24, 12)), np.empty((3, 3))
    r2, t2, Y2, w2 = np.empty((4, 3)), np.empty((4, 3, 3)), np.empty((3, 2, 3, 3)), np.empty(24)
    for e in range(dofs.shape[0]):
        tau = group.tau[e]
        _gather(state.q, group, e, R, r, t)
        evaluate(r, t, group.x[e], E, Y, w, W)
        if not turns(w, u, S, t, E):
            return e
        fold(W, E, R, group.c[e], Q)
        _forces(group, e, v, Q, u, S, rate, F, f)
        for at in range(24):
            for col in range(24):
                work.r[dofs[e, col]] += Q[at, col] * f[at]
        _material(group, e, S, Q, P, X)
        M[:, :] = 0.0
        _back_times(P, X, 1.0, M)
        H[:, :] = 0.0
        add_second(w, F, H)
        _times(H, Q, A)
        _back_times(Q, A, 1.0, M)
        add_geometric(r, t, R, group.c[e], E, Y, f, m, G, Z, M)
        if tau > 0.0:
            _rates_by_place(group, e, v, R, r, t, Q, S, w, rate, W2, E2, r2, t2, Y2, w2, H, A)
            _back_times(X, H, tau, M)
        o = group.b1 + 576 * e
        for j in range(4):
            rot = (dofs[e, 6 * j] - group.n_linear) // 6
            for at in range(24):
                for i in range(6):
                    B[o + 24 * at + 6 * j + i] = wq * M[at, 6 * j + i]
                if Ts.shape[0] > 0:
                    a, b, c = M[at, 6 * j + 3], M[at, 6 * j + 4], M[at, 6 * j + 5]
                    for i in range(3):
                        B[o + 24 * at + 6 * j + 3 + i] = wq * (
                            a * Ts[rot, 0, i] + b * Ts[rot, 1, i] + c * Ts[rot, 2, i]
                        )
        if tau > 0.0 and wv != 0.0:
            M[:, :] = 0.0
            _back_times(P, X, wv * tau, M)
            for at in range(24):
                for col in range(24):
                    B[o + 24 * at + col] += M[at, col]
    return -1


@kernel
def _rates_by_place(
    group: CornerGroup, e: int, v: FloatArray, R: FloatArray, r: FloatArray, t: FloatArray, Q: FloatArray,
    S: FloatArray, w: FloatArray, rate: FloatArray, W2: FloatArray, E2: FloatArray, r2: FloatArray, t2: FloatArray,
    Y2: FloatArray, w2: FloatArray, H: FloatArray, A: FloatArray,
) -> None:  # fmt: skip
    """H (24, 24): derivatives of the rates of u by positions and rotations at constant velocities."""
    c = group.c[e]
    fastest = 0.0
    for k in range(4):
        o = group.dofs[e, 6 * k]
        for i in range(3):
            fastest = max(fastest, abs(v[o + i]) / group.size[e], abs(v[o + 3 + i]))
    H[:, :] = 0.0
    if fastest > 0.0:
        step = SHIFT / fastest
        for sign in (1.0, -1.0):
            for k in range(4):
                o = group.dofs[e, 6 * k]
                spin = (v[o + 3], v[o + 4], v[o + 5])
                for i in range(3):
                    r2[k, i] = r[k, i] + sign * step * v[o + i]
                for b in range(3):
                    a = cross(spin, row(c[k], b))
                    for i in range(3):
                        t2[k, b, i] = t[k, b, i] + sign * step * (
                            R[k, i, 0] * a[0] + R[k, i, 1] * a[1] + R[k, i, 2] * a[2]
                        )
            evaluate(r2, t2, group.x[e], E2, Y2, w2, W2)
            fold(W2, E2, R, c, A)
            for at in range(24):
                for col in range(24):
                    H[at, col] += 0.5 * sign / step * A[at, col]
    # the vectors turn with the corners, and so do their rates: th x (spin x c)
    evaluate(r, t, group.x[e], E2, Y2, w2, W2)
    for k in range(4):
        o = group.dofs[e, 6 * k]
        spin = (v[o + 3], v[o + 4], v[o + 5])
        for b in range(3):
            a = cross(spin, row(c[k], b))
            t2[k, b, 0], t2[k, b, 1], t2[k, b, 2] = a[0], a[1], a[2]
        add_spins(E2, R, t2, k, 6 * k, H)
    # of theta = s w': d2theta/dw'2 . rate . Q + S . H
    A[:, :] = 0.0
    add_second(w, rate, A)
    for k in range(4):
        o = 6 * k + 3
        for col in range(24):
            x, y, z = H[o, col], H[o + 1, col], H[o + 2, col]
            for i in range(3):
                H[o + i, col] = S[k, i, 0] * x + S[k, i, 1] * y + S[k, i, 2] * z
                for h in range(3):
                    H[o + i, col] += A[o + i, o + h] * Q[o + h, col]
