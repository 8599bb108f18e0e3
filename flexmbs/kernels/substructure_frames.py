r"""Two frames A and B, and what their relative place does to the amplitudes of static modes between them.

With the velocities of the frames in v (translation inertial, rotation :math:`\omega, \Omega` in body axes) and

.. math:: e = A^T (r_B - r_A), \quad P = A^T B, \quad \dot e = A^T(\dot r_B - \dot r_A) - \omega\times e, \quad
   \dot P = P\tilde\Omega - \tilde\omega P, \\
   \ddot e = A^T(\ddot r_B - \ddot r_A) - 2\omega\times\dot e - \dot\omega\times e - \omega\times(\omega\times e), \quad
   \ddot P = \dot P\tilde\Omega + P\tilde{\dot\Omega} - \tilde{\dot\omega} P - \tilde\omega\dot P,

the amplitudes are linear in e and P: :math:`d = e + P s_B - d_0`, :math:`\theta = \tfrac12\,\mathrm{ax}(P C)` with
:math:`\mathrm{ax}(X)_1 = X_{32} - X_{23}` and so on round. Their rates are :math:`\dot z = J v`, their accelerations
:math:`J a + \gamma`. Derivatives are exact: those of :math:`z, \dot z, \ddot z` follow those of e and P column by
column, and

.. math:: J^T F: \quad \dot r_B: A F_d, \quad \dot r_A: -A F_d, \quad
   \omega: F_d\times e - \mathrm{ax}(\Gamma P^T), \quad \Omega: \mathrm{ax}(P^T\Gamma), \\
   \Gamma = F_d s_B^T + \tfrac12\tilde F_\theta C^T .
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.frame_rotation import frame_rotation
from flexmbs.kernels.small_matrices import cross_matrix

__all__ = [
    "FramePairs", "amplitudes", "couple", "cross_add", "place_column", "pull", "rate_columns", "relative",
    "relative_place", "second_column", "turn_add",
]  # fmt: skip


class FramePairs(Protocol):
    """What the kernels of both frames need of a group: of substructures, or of points of these."""

    @property
    def dofs(self) -> IntArray: ...
    @property
    def qa(self) -> IntArray: ...
    @property
    def qb(self) -> IntArray: ...
    @property
    def ra(self) -> IntArray: ...
    @property
    def rb(self) -> IntArray: ...
    @property
    def s(self) -> FloatArray: ...
    @property
    def d0(self) -> FloatArray: ...
    @property
    def C(self) -> FloatArray: ...
    @property
    def room(self) -> FloatArray: ...
    @property
    def line(self) -> FloatArray: ...


@kernel
def cross_add(sign: float, a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """out += sign a x b."""
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    out[0] += sign * x
    out[1] += sign * y
    out[2] += sign * z


@kernel
def turn_add(P: FloatArray, right: FloatArray, left: FloatArray, X: FloatArray, out: FloatArray) -> None:
    """out += P right~ - left~ X."""
    for a in range(3):
        out[a, 0] += P[a, 1] * right[2] - P[a, 2] * right[1]
        out[a, 1] += P[a, 2] * right[0] - P[a, 0] * right[2]
        out[a, 2] += P[a, 0] * right[1] - P[a, 1] * right[0]
        out[0, a] -= left[1] * X[2, a] - left[2] * X[1, a]
        out[1, a] -= left[2] * X[0, a] - left[0] * X[2, a]
        out[2, a] -= left[0] * X[1, a] - left[1] * X[0, a]


@kernel
def amplitudes(s: FloatArray, C: FloatArray, e: FloatArray, P: FloatArray, z: FloatArray) -> None:
    """z = (e + P s, ax(P C) / 2)."""
    for a in range(3):
        z[a] = e[a] + P[a, 0] * s[0] + P[a, 1] * s[1] + P[a, 2] * s[2]
        b, c = (a + 1) % 3, (a + 2) % 3
        x = 0.0
        for k in range(3):
            x += P[c, k] * C[k, b] - P[b, k] * C[k, c]
        z[3 + a] = 0.5 * x


@kernel
def relative_place(group: FramePairs, i: int, q: FloatArray) -> None:
    """A, P and e of one pair into its scratch."""
    room = group.room[i]
    A, P, B, e = room[0], room[1], room[5], group.line[i, 0]
    qa, qb = group.qa[i], group.qb[i]
    frame_rotation(q, qa, A)
    frame_rotation(q, qb, B)
    for m in range(3):
        e[m] = 0.0
        for k in range(3):
            e[m] += A[k, m] * (q[qb + k] - q[qa + k])
        for n in range(3):
            P[m, n] = A[0, m] * B[0, n] + A[1, m] * B[1, n] + A[2, m] * B[2, n]


@kernel
def relative(group: FramePairs, i: int, q: FloatArray, v: FloatArray, a: FloatArray) -> None:
    """Fill the scratch of one pair.

    ``room``: A, P, P', J-part of P'', gamma-part of P'', Gamma; ``line``: e, e', J-part of e'', gamma-part of e'', A^T
    times the differences of velocities and accelerations.
    """
    relative_place(group, i, q)
    room, line, d = group.room[i], group.line[i], group.dofs[i]
    A, P, Pd, PJ, Pg = room[0], room[1], room[2], room[3], room[4]
    e, ed, eJ, eg, u, b = line[0], line[1], line[2], line[3], line[4], line[5]
    for m in range(3):
        u[m], b[m] = 0.0, 0.0
        for k in range(3):
            u[m] += A[k, m] * (v[d[6 + k]] - v[d[k]])
            b[m] += A[k, m] * (a[d[6 + k]] - a[d[k]])
    w, W = v[d[3] : d[3] + 3], v[d[9] : d[9] + 3]
    for m in range(3):  # not by slices: numba compiles the text of an error of shapes for these
        ed[m], eJ[m], eg[m] = u[m], b[m], 0.0
    cross_add(-1.0, w, e, ed)
    cross_add(-1.0, a[d[3] : d[3] + 3], e, eJ)
    cross_add(-2.0, w, ed, eg)
    we = line[6]
    we[:] = 0.0
    cross_add(1.0, w, e, we)
    cross_add(-1.0, w, we, eg)
    Pd[:], PJ[:], Pg[:] = 0.0, 0.0, 0.0
    turn_add(P, W, w, P, Pd)
    turn_add(P, a[d[9] : d[9] + 3], a[d[3] : d[3] + 3], P, PJ)
    turn_add(Pd, W, w, Pd, Pg)


@kernel
def rate_columns(group: FramePairs, i: int, J: FloatArray) -> None:
    """J (6, 12): rates of the six static amplitudes by the velocities of both frames."""
    room, line = group.room[i], group.line[i]
    A, P, X = room[0], room[1], room[6]
    e, x, unit, none = line[0], line[6], line[7], line[8]
    z = np.empty(6)
    for j in range(12):
        x[:], X[:], unit[:] = 0.0, 0.0, 0.0
        k = j % 3
        unit[k] = 1.0
        if j < 3 or 6 <= j < 9:
            for a in range(3):
                x[a] = -A[k, a] if j < 3 else A[k, a]
        elif j < 6:
            cross_add(-1.0, unit, e, x)
            turn_add(P, none, unit, P, X)
        else:
            turn_add(P, unit, none, P, X)
        amplitudes(group.s[i], group.C[i], x, X, z)
        for m in range(6):
            J[m, j] = z[m]


@kernel
def pull(J: FloatArray, F: FloatArray, out: FloatArray) -> None:
    """out (12 + k) = J^T F for F (6 + m) of the floating body."""
    m = F.shape[0] - 6
    for j in range(12):
        s = F[j] if j < 6 else 0.0
        for k in range(6):
            s += J[k, j] * F[6 + k]
        out[j] = s
    for k in range(6, m):
        out[6 + k] = F[6 + k]


@kernel
def couple(group: FramePairs, i: int, F: FloatArray, out: FloatArray) -> None:
    """Gamma (3, 3) of F (6 + m)."""
    X, s, C = group.room[i, 7], group.s[i], group.C[i]
    cross_matrix(0.5 * F[9], 0.5 * F[10], 0.5 * F[11], X)
    for a in range(3):
        for b in range(3):
            out[a, b] = F[6 + a] * s[b] + X[a, 0] * C[b, 0] + X[a, 1] * C[b, 1] + X[a, 2] * C[b, 2]


@kernel
def second_column(
    group: FramePairs, i: int, F: FloatArray, Gamma: FloatArray, alpha: FloatArray, de: FloatArray,
    dP: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    """Add the derivative of J^T F at fixed F by a rotation alpha of A and the changes de, dP."""
    A = group.room[i, 0]
    x, y, Fd = group.line[i, 6], group.line[i, 7], F[6:9]
    x[:], y[:] = 0.0, 0.0
    cross_add(1.0, alpha, Fd, x)
    cross_add(1.0, Fd, de, y)
    for a in range(3):
        s = A[a, 0] * x[0] + A[a, 1] * x[1] + A[a, 2] * x[2]
        out[a] -= s
        out[6 + a] += s
        b, c = (a + 1) % 3, (a + 2) % 3
        left, right = 0.0, 0.0
        for k in range(3):
            left += Gamma[c, k] * dP[b, k] - Gamma[b, k] * dP[c, k]
            right += dP[k, c] * Gamma[k, b] - dP[k, b] * Gamma[k, c]
        out[3 + a] += y[a] - left
        out[9 + a] += right


@kernel
def place_column(
    group: FramePairs, i: int, j: int, state: State, T: FloatArray, change: FloatArray, x: FloatArray,
    X: FloatArray,
) -> None:  # fmt: skip
    """Changes by coordinate j < 12: ``change (3, 6)`` of z, z' and z''.

    ``x (5, 3)`` begins with the rotation of A and the change of e, ``X (3, 3, 3)`` with that of P.
    """
    room, line, d = group.room[i], group.line[i], group.dofs[i]
    A, P = room[0], room[1]
    e, u, b = line[0], line[4], line[5]
    w, W = state.v[d[3] : d[3] + 3], state.v[d[9] : d[9] + 3]
    wd, Wd = state.a[d[3] : d[3] + 3], state.a[d[9] : d[9] + 3]
    none = line[8]
    x[:], X[:] = 0.0, 0.0
    alpha, de, du, db, y = x[0], x[1], x[2], x[3], x[4]
    dP, dPd, dPdd = X[0], X[1], X[2]
    k = j % 3
    if j < 3 or 6 <= j < 9:
        for a in range(3):
            de[a] = -A[k, a] if j < 3 else A[k, a]
    elif j < 6:
        for a in range(3):
            alpha[a] = T[group.ra[i], a, k]
        cross_add(-1.0, alpha, e, de)
        cross_add(-1.0, alpha, u, du)
        cross_add(-1.0, alpha, b, db)
        turn_add(P, none, alpha, P, dP)
    else:
        for a in range(3):
            y[a] = T[group.rb[i], a, k]
        turn_add(P, y, none, P, dP)
    cross_add(-1.0, w, de, du)
    cross_add(-2.0, w, du, db)
    cross_add(-1.0, wd, de, db)
    y[:] = 0.0
    cross_add(1.0, w, de, y)
    cross_add(-1.0, w, y, db)
    turn_add(dP, W, w, dP, dPd)
    turn_add(dPd, W, w, dPd, dPdd)
    turn_add(dP, Wd, wd, dP, dPdd)
    amplitudes(group.s[i], group.C[i], de, dP, change[0])
    amplitudes(group.s[i], group.C[i], du, dPd, change[1])
    amplitudes(group.s[i], group.C[i], db, dPdd, change[2])
