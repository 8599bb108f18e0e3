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
def cross(s: float, a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """out += s a x b."""
    out[0] += s * (a[1] * b[2] - a[2] * b[1])
    out[1] += s * (a[2] * b[0] - a[0] * b[2])
    out[2] += s * (a[0] * b[1] - a[1] * b[0])


@kernel
def apply(s: float, A: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out += s A x."""
    for i in range(3):
        for j in range(3):
            out[i] += s * A[i, j] * x[j]


@kernel
def back(s: float, A: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out += s A^T x."""
    for i in range(3):
        for j in range(3):
            out[i] += s * A[j, i] * x[j]


@kernel
def axial(s: float, A: FloatArray, out: FloatArray) -> None:
    """out += s (sum of y x z), where A is the sum of y z^T."""
    out[0] += s * (A[1, 2] - A[2, 1])
    out[1] += s * (A[2, 0] - A[0, 2])
    out[2] += s * (A[0, 1] - A[1, 0])


@kernel
def add(s: float, x: FloatArray, out: FloatArray) -> None:
    """out += s x, three numbers."""
    for i in range(3):
        out[i] += s * x[i]


@kernel
def dot(a: FloatArray, b: FloatArray) -> float:
    """The scalar product."""
    total: float = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return total


@kernel
def trace_of(A: FloatArray) -> float:
    """A_xx + A_yy + A_zz."""
    total: float = A[0, 0] + A[1, 1] + A[2, 2]
    return total


@kernel
def rates(N: FloatArray, s: FloatArray, out: FloatArray) -> None:
    """out += sum_k s_k N_k, (4, 3)."""
    for k in range(s.shape[0]):
        for a in range(4):
            for b in range(3):
                out[a, b] += s[k] * N[k, a, b]


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
    rates(N, rate, E)
    rates(Nd, rate, A)
    x = np.zeros(3)
    ww = dot(w, w)
    out[:] = 0.0
    # w (w.c) - c w.w + 2 w x c' + sum p' eta'
    add(dot(w, c), w, x)
    add(-ww, c, x)
    cross(2.0, w, E[0], x)
    add(1.0, A[0], x)
    apply(1.0, R, x, out[:3])
    # w x J w + 2 (w tr E - E^T w) - c x g + axial of sum N' eta'
    x[:] = 0.0
    apply(1.0, J, w, x)
    turn = out[3:6]
    cross(1.0, w, x, turn)
    add(2.0 * trace_of(E[1:]), w, turn)
    back(-2.0, E[1:], w, turn)
    cross(-1.0, c, g, turn)
    axial(1.0, A[1:], turn)
    for k in range(eta.shape[0]):
        x[:] = 0.0
        apply(1.0, N[k, 1:], w, x)
        out[6 + k] = dot(w, x) - ww * trace_of(N[k, 1:]) - dot(N[k, 0], g)


@kernel
def acceleration(X: FloatArray, W: FloatArray, p: FloatArray, pd: FloatArray, pdd: FloatArray, x: FloatArray) -> None:
    """x = X p + 2 W p' + p'' of a moment p."""
    x[:] = 0.0
    apply(1.0, X, p, x)
    apply(2.0, W, pd, x)
    add(1.0, pdd, x)


@kernel
def tilde(a: FloatArray, out: FloatArray) -> None:
    """out = a~."""
    out[:] = 0.0
    out[0, 1], out[1, 0] = -a[2], a[2]
    out[0, 2], out[2, 0] = a[1], -a[1]
    out[1, 2], out[2, 1] = -a[0], a[0]


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
    rates(N, rate, E)
    rates(Nd, rate, A)
    rates(N, rate2, A)
    W, X = np.empty((3, 3)), np.empty((3, 3))
    tilde(w, W)
    tilde(wd, X)
    for a in range(3):
        add(w[a], w, X[a])
        X[a, a] -= dot(w, w)
    total, wc, Jw, x, y = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    acceleration(X, W, c, E[0], A[0], total)
    cross(1.0, w, c, wc)
    apply(1.0, J, w, Jw)
    e, f = np.zeros(3), np.zeros(3)
    for b in range(3):
        # column b: a rotation T_b, or a change e_b of the angular velocity
        e[:] = 0.0
        e[b] = 1.0
        t = T[:, b]
        x[:] = 0.0
        cross(-wq, total, t, x)
        cross(-wv, wc, e, x)
        f[:] = 0.0
        cross(1.0, c, e, f)
        cross(-wv, w, f, x)
        cross(-2.0 * wv, E[0], e, x)
        y[:] = 0.0
        apply(1.0, R, x, y)
        x[:] = 0.0
        f[:] = 0.0
        cross(1.0, u, t, f)
        cross(wq, c, f, x)
        f[:] = 0.0
        add(1.0, J[:, b], f)
        cross(wv, w, f, x)
        cross(-wv, Jw, e, x)
        back(-2.0 * wv, E[1:], e, x)
        x[b] += 2.0 * wv * trace_of(E[1:])
        for a in range(3):
            B[a, 3 + b] += y[a]
            B[3 + a, 3 + b] += x[a]
    for k in range(m):
        p, F, Fd = N[k, 0], N[k, 1:], Nd[k, 1:]
        acceleration(X, W, p, Nd[k, 0], Ndd[k, 0], x)
        y[:] = 0.0
        apply(wq, R, x, y)
        x[:] = 0.0
        cross(1.0, w, p, x)
        add(1.0, Nd[k, 0], x)
        apply(2.0 * wv, R, x, y)
        # e = J_k wd, f = J_k w with J_k = 2 tr F - F - F^T
        e[:], f[:] = 0.0, 0.0
        for v, out in ((wd, e), (w, f)):
            add(2.0 * trace_of(F), v, out)
            apply(-1.0, F, v, out)
            back(-1.0, F, v, out)
        x[:] = 0.0
        cross(wq, p, u, x)
        add(wq, e, x)
        cross(wq, w, f, x)
        add(2.0 * wq * trace_of(Fd), w, x)
        back(-2.0 * wq, Fd, w, x)
        axial(wq, Ndd[k, 1:], x)
        add(2.0 * wv * trace_of(F), w, x)
        back(-2.0 * wv, F, w, x)
        axial(2.0 * wv, Fd, x)
        e[:] = 0.0
        cross(1.0, p, u, e)
        for a in range(3):
            B[a, 6 + k] += y[a]
            B[3 + a, 6 + k] += x[a]
            B[6 + k, 3 + a] += wq * dot(e, T[:, a]) - wv * f[a]
        for j in range(m):
            s = dot(Z[j, k, 0], u)
            for a in range(3):
                for b in range(3):
                    s += X[a, b] * Z[j, k, 1 + b, a]
            B[6 + k, 6 + j] += wq * s
