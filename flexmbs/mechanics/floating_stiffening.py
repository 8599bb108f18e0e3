r"""Geometric stiffening of bodies in floating frames: what fields of second order add to inertia and gravity.

With :math:`y = x + \sum_k \phi_k \eta_k + \frac12 \sum_{kl} \phi^{(2)}_{kl} \eta_k \eta_l` (`flexmbs.reduction.
stiffening`) and the moments

.. math:: Z_{kl} = \int (1, x) \otimes \phi^{(2)}_{kl}\, dm, \qquad p_k = \sum_l \int \phi^{(2)}_{kl}\, dm\; \eta_l,
   \qquad N_{kab} = \sum_l \int x_a \phi^{(2)}_{b,kl}\, dm\; \eta_l,

the integrals of `flexmbs.mechanics.floating` grow by :math:`c \mathrel{+}= \frac12 \sum_k p_k \eta_k`,
:math:`P_k \mathrel{+}= p_k`, :math:`N_k \mathrel{+}= N_k`, :math:`S \mathrel{+}= \frac12 \sum_k (N_k + N_k^T)\eta_k`.
All forces are linear in them, so what is added has the same form. New are only the accelerations of second order,
:math:`\sum_k \dot p_k \dot\eta_k` on the frame and the axial vector of :math:`\sum_k \dot N_k \dot\eta_k` on its
rotation. Left out are products of :math:`\phi^{(2)}` with shapes (third order in the energy), so that the mass of the
shapes stays constant. The equations are those of Lagrange for the kinetic energy with these integrals; so energy and
momentum are kept.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = ["second_order_force", "second_order_mass", "second_order_shift", "second_order_tangent"]


@kernel
def contract(Z: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out[k] = sum_l Z[l, k] x_l, (m, 4, 3)."""
    out[:] = 0.0
    m = x.shape[0]
    for j in range(m):
        s = x[j]
        if s != 0.0:
            for k in range(m):
                for a in range(4):
                    for b in range(3):
                        out[k, a, b] += s * Z[j, k, a, b]


@kernel
def second_order_shift(Z: FloatArray, eta: FloatArray, c: FloatArray) -> None:
    """c += sum_kl Z_kl eta_k eta_l / 2 of the mass."""
    for k in range(eta.shape[0]):
        for j in range(eta.shape[0]):
            for a in range(3):
                c[a] += 0.5 * Z[k, j, 0, a] * eta[k] * eta[j]


@kernel
def changes(N: FloatArray, eta: FloatArray, c: FloatArray, J: FloatArray) -> None:
    """What is added to c and J."""
    c[:], J[:] = 0.0, 0.0
    for k in range(eta.shape[0]):
        s = 0.5 * eta[k]
        for a in range(3):
            c[a] += s * N[k, 0, a]
            for b in range(3):
                J[a, b] -= s * (N[k, 1 + a, b] + N[k, 1 + b, a])
    trace = -(J[0, 0] + J[1, 1] + J[2, 2])
    for a in range(3):
        J[a, a] += trace


@kernel
def second_order_mass(Z: FloatArray, N: FloatArray, eta: FloatArray, R: FloatArray, B: FloatArray) -> None:
    """Into the upper triangle of the mass matrix of a body; ``N (m, 4, 3)`` is scratch."""
    contract(Z, eta, N)
    c, J = np.empty(3), np.empty((3, 3))
    changes(N, eta, c, J)
    for a in range(3):
        B[a, 3] += R[a, 2] * c[1] - R[a, 1] * c[2]
        B[a, 4] += R[a, 0] * c[2] - R[a, 2] * c[0]
        B[a, 5] += R[a, 1] * c[0] - R[a, 0] * c[1]
        for b in range(3):
            B[3 + a, 3 + b] += J[a, b]
        for k in range(eta.shape[0]):
            B[a, 6 + k] += R[a, 0] * N[k, 0, 0] + R[a, 1] * N[k, 0, 1] + R[a, 2] * N[k, 0, 2]
    for k in range(eta.shape[0]):
        B[3, 6 + k] += N[k, 2, 2] - N[k, 3, 1]
        B[4, 6 + k] += N[k, 3, 0] - N[k, 1, 2]
        B[5, 6 + k] += N[k, 1, 1] - N[k, 2, 0]


@kernel
def axial(A: FloatArray) -> FloatArray:
    """Sum of y x z where A = sum of y z^T."""
    return np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]])


@kernel
def second_order_force(
    Z: FloatArray,
    work: FloatArray,
    eta: FloatArray,
    rate: FloatArray,
    w: FloatArray,
    g: FloatArray,
    R: FloatArray,
    out: FloatArray,
) -> None:
    """Forces (6 + m,) of one body but M a; w and gravity g in axes of the frame, ``work (3, m, 4, 3)`` scratch."""
    N, Nd = work[0], work[1]
    contract(Z, eta, N)
    contract(Z, rate, Nd)
    c, J, E, A = np.empty(3), np.empty((3, 3)), np.zeros((4, 3)), np.zeros((4, 3))
    changes(N, eta, c, J)
    for k in range(eta.shape[0]):
        E += rate[k] * N[k]
        A += rate[k] * Nd[k]
    force = w * np.dot(w, c) - c * np.dot(w, w) + 2.0 * np.cross(w, E[0]) + A[0]
    out[:3] = R @ force
    trace = E[1, 0] + E[2, 1] + E[3, 2]
    out[3:6] = np.cross(w, J @ w) + 2.0 * (w * trace - E[1:].T @ w) - np.cross(c, g) + axial(A[1:])
    for k in range(eta.shape[0]):
        trace = N[k, 1, 0] + N[k, 2, 1] + N[k, 3, 2]
        out[6 + k] = np.dot(w, N[k, 1:] @ w) - np.dot(w, w) * trace - np.dot(N[k, 0], g)


@kernel
def tilde(a: FloatArray) -> FloatArray:
    """a~."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@kernel
def second_order_tangent(
    Z: FloatArray,
    work: FloatArray,
    eta: FloatArray,
    rate: FloatArray,
    rate2: FloatArray,
    w: FloatArray,
    wd: FloatArray,
    u: FloatArray,
    frames: tuple[FloatArray, FloatArray],
    weights: tuple[float, float],
    B: FloatArray,
) -> None:
    """Derivatives of these forces and of M a; ``u = R^T (a - g)``, ``frames``: R and the tangent operator of a step."""
    R, T = frames
    wq, wv = weights
    N, Nd, Ndd = work[0], work[1], work[2]
    contract(Z, eta, N)
    contract(Z, rate, Nd)
    contract(Z, rate2, Ndd)
    m = eta.shape[0]
    c, J, E, A = np.empty(3), np.empty((3, 3)), np.zeros((4, 3)), np.zeros((4, 3))
    changes(N, eta, c, J)
    for k in range(m):
        E += rate[k] * N[k]
        A += rate[k] * Nd[k] + rate2[k] * N[k]
    W, Wd = tilde(w), tilde(wd)
    X = Wd + W @ W
    total = X @ c + 2.0 * (W @ E[0]) + A[0]
    B[:3, 3:6] -= wq * (R @ (tilde(total) @ T))
    B[:3, 3:6] -= wv * (R @ (tilde(W @ c) + W @ tilde(c) + 2.0 * tilde(E[0])))
    B[3:6, 3:6] += wq * (tilde(c) @ (tilde(u) @ T))
    turn = W @ J - tilde(J @ w) - 2.0 * E[1:].T
    trace = E[1, 0] + E[2, 1] + E[3, 2]
    for a in range(3):
        turn[a, a] += 2.0 * trace
    B[3:6, 3:6] += wv * turn
    for k in range(m):
        F, Fd, Fdd = N[k, 1:], Nd[k, 1:], Ndd[k, 1:]
        p = N[k, 0]
        trace, trace_d = F[0, 0] + F[1, 1] + F[2, 2], Fd[0, 0] + Fd[1, 1] + Fd[2, 2]
        moved = wq * (X @ p + 2.0 * (W @ Nd[k, 0]) + Ndd[k, 0]) + wv * 2.0 * (W @ p + Nd[k, 0])
        B[:3, 6 + k] += R @ moved
        both = F + F.T
        by_place = np.cross(p, u) + 2.0 * trace * wd - both @ wd + np.cross(w, 2.0 * trace * w - both @ w)
        by_place += 2.0 * (w * trace_d - Fd.T @ w) + axial(Fdd)
        by_rate = 2.0 * (w * trace - F.T @ w) + 2.0 * axial(Fd)
        B[3:6, 6 + k] += wq * by_place + wv * by_rate
        B[6 + k, 3:6] += wq * (np.cross(p, u) @ T) + wv * (both @ w - 2.0 * trace * w)
        for j in range(m):
            s = 0.0
            for a in range(3):
                s += Z[j, k, 0, a] * u[a]
                for b in range(3):
                    s += X[a, b] * Z[j, k, 1 + b, a]
            B[6 + k, 6 + j] += wq * s
