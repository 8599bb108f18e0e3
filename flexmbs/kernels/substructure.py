r"""Kernels of substructures: a floating body whose amplitudes of static modes are the relative place of a second frame.

With the frames A and B, their velocities in v (translation inertial, rotation :math:`\omega, \Omega` in body axes) and

.. math:: e = A^T (r_B - r_A), \quad P = A^T B, \quad \dot e = A^T(\dot r_B - \dot r_A) - \omega\times e, \quad
   \dot P = P\tilde\Omega - \tilde\omega P, \\
   \ddot e = A^T(\ddot r_B - \ddot r_A) - 2\omega\times\dot e - \dot\omega\times e - \omega\times(\omega\times e), \quad
   \ddot P = \dot P\tilde\Omega + P\tilde{\dot\Omega} - \tilde{\dot\omega} P - \tilde\omega\dot P,

the amplitudes are linear in e and P: :math:`d = e + P s_B - d_0`, :math:`\theta = \tfrac12\,\mathrm{ax}(P C)` with
:math:`\mathrm{ax}(X)_1 = X_{32} - X_{23}` and so on round. Their rates are :math:`\dot z = J v`, their accelerations
:math:`J a + \gamma`. The floating body in A with the amplitudes z has the mass :math:`M_f` and the forces
:math:`h_f` (`flexmbs.kernels.floating`), so that

.. math:: M = J^T M_f J, \qquad r = M a + J^T F_r, \quad F_r = h_f + M_f\gamma + f_{el}(z, \dot z) .

With the velocities :math:`B_{FEM} v` of the mesh this is :math:`B_{FEM}^T M_{FEM} B_{FEM}` and :math:`B_{FEM}^T M_{FEM}
\dot B_{FEM} v`: the sums over the mesh are taken beforehand, and J leads from the frames to the amplitudes. Derivatives
are exact: the derivatives of :math:`z, \dot z, \ddot z` follow those of e and P column by column, and

.. math:: J^T F: \quad \dot r_B: A F_d, \quad \dot r_A: -A F_d, \quad
   \omega: F_d\times e - \mathrm{ax}(\Gamma P^T), \quad \Omega: \mathrm{ax}(P^T\Gamma), \\
   \Gamma = F_d s_B^T + \tfrac12\tilde F_\theta C^T .
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.frame_rotation import frame_rotation
from flexmbs.kernels.small_matrices import cross_matrix
from flexmbs.kernels.substructure_curvature import Bending
from flexmbs.kernels.substructure_elasticity import elastic_force, elastic_tangent

__all__ = ["SubstructureGroup", "lift", "pulled_force", "pulled_mass", "pulled_tangent"]


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


class SubstructureGroup(NamedTuple):
    """Substructures of m = 6 + k amplitudes each.

    ``dofs (n, 12 + k)``: frame A, frame B, inner modes in v; ``b1``; ``qa, qb (n,)``: first entries of the frames in q;
    ``ra, rb (n,)``: numbers of the frames in ``work.T``; ``s, d0 (n, 3)``: end of the part in B, and in A undeformed;
    ``C (n, 3, 3)``: B to A undeformed; ``K, D (n, m, m)``; what bending does to the end
    (`flexmbs.kernels.substructure_elasticity`): ``G (n, 6 or 0, m, m)``, ``along (n, 3)``, ``weight (n, g)``,
    ``slope, curve (n, g, 2, m)``, ``EI (n, 2, 2)``, ``tau (n,)``. Scratch: ``room (n, 8, 3, 3)``, and ``line (n, 9,
    3)``, whose last row stays zero.
    """

    dofs: IntArray
    b1: int
    qa: IntArray
    qb: IntArray
    ra: IntArray
    rb: IntArray
    s: FloatArray
    d0: FloatArray
    C: FloatArray
    K: FloatArray
    D: FloatArray
    G: FloatArray
    along: FloatArray
    weight: FloatArray
    slope: FloatArray
    curve: FloatArray
    EI: FloatArray
    tau: FloatArray
    room: FloatArray
    line: FloatArray


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
def amplitudes(group: FramePairs, i: int, e: FloatArray, P: FloatArray, z: FloatArray) -> None:
    """z = (e + P s, ax(P C) / 2)."""
    s, C = group.s[i], group.C[i]
    for a in range(3):
        z[a] = e[a] + P[a, 0] * s[0] + P[a, 1] * s[1] + P[a, 2] * s[2]
        b, c = (a + 1) % 3, (a + 2) % 3
        x = 0.0
        for k in range(3):
            x += P[c, k] * C[k, b] - P[b, k] * C[k, c]
        z[3 + a] = 0.5 * x


@kernel
def relative(group: FramePairs, i: int, q: FloatArray, v: FloatArray, a: FloatArray) -> None:
    """Fill the scratch of one substructure.

    ``room``: A, P, P', J-part of P'', gamma-part of P'', Gamma; ``line``: e, e', J-part of e'', gamma-part of e'', A^T
    times the differences of velocities and accelerations.
    """
    room, line, d = group.room[i], group.line[i], group.dofs[i]
    A, P, Pd, PJ, Pg, B = room[0], room[1], room[2], room[3], room[4], room[5]
    e, ed, eJ, eg, u, b = line[0], line[1], line[2], line[3], line[4], line[5]
    qa, qb = group.qa[i], group.qb[i]
    frame_rotation(q, qa, A)
    frame_rotation(q, qb, B)
    for m in range(3):
        e[m], u[m], b[m] = 0.0, 0.0, 0.0
        for k in range(3):
            e[m] += A[k, m] * (q[qb + k] - q[qa + k])
            u[m] += A[k, m] * (v[d[6 + k]] - v[d[k]])
            b[m] += A[k, m] * (a[d[6 + k]] - a[d[k]])
        for n in range(3):
            P[m, n] = A[0, m] * B[0, n] + A[1, m] * B[1, n] + A[2, m] * B[2, n]
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
def lift(
    group: SubstructureGroup, state: State, fq: FloatArray, fv: FloatArray, fa: FloatArray, gamma: FloatArray
) -> None:
    """Coordinates of the floating bodies: amplitudes first, m each, then the frames; ``gamma (n, m)``."""
    q, v, acc = state.q, state.v, state.a
    n, size = group.dofs.shape
    m = size - 6
    for i in range(n):
        relative(group, i, q, v, acc)
        room, line, d = group.room[i], group.line[i], group.dofs[i]
        z, zd, za, g = fq[i * m : i * m + m], fv[i * m : i * m + m], fa[i * m : i * m + m], gamma[i]
        amplitudes(group, i, line[0], room[1], z)
        amplitudes(group, i, line[1], room[2], zd)
        amplitudes(group, i, line[2], room[3], za)
        amplitudes(group, i, line[3], room[4], g)
        for k in range(3):
            z[k] -= group.d0[i, k]
        for k in range(6, m):
            z[k], zd[k], za[k], g[k] = q[d[6 + k]], v[d[6 + k]], acc[d[6 + k]], 0.0
        for k in range(6):
            za[k] += g[k]
        iq, iv = n * m + 7 * i, n * m + 6 * i
        for k in range(7):
            fq[iq + k] = q[group.qa[i] + k]
        for k in range(6):
            fv[iv + k] = v[d[k]]
            fa[iv + k] = acc[d[k]]


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
        amplitudes(group, i, x, X, z)
        for m in range(6):
            J[m, j] = z[m]


@kernel
def pull(group: FramePairs, i: int, J: FloatArray, F: FloatArray, out: FloatArray) -> None:
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
def pulled_mass(group: SubstructureGroup, state: State, mass: FloatArray, blocks: FloatArray) -> None:
    """J^T M_f J into the blocks; ``mass (n, 6 + m, 6 + m)``; after `lift`."""
    n, size = group.dofs.shape
    J, row, column = np.empty((6, 12)), np.empty(size), np.empty(size)
    half = np.empty((size, size))
    for i in range(n):
        rate_columns(group, i, J)
        for a in range(size):  # M_f is as large as the block: 6 + m = 12 + k
            pull(group, i, J, mass[i, a], row)
            half[a] = row
        B = blocks[group.b1 + i * size * size : group.b1 + (i + 1) * size * size].reshape(size, size)
        for a in range(size):
            for b in range(size):
                column[b] = half[b, a]
            pull(group, i, J, column, row)
            B[a] = row
        for a in range(size):
            for b in range(a):
                B[a, b] = B[b, a]


@kernel
def pulled_force(
    group: SubstructureGroup, fq: FloatArray, fv: FloatArray, gamma: FloatArray, force: FloatArray, mass: FloatArray,
    r: FloatArray,
) -> None:  # fmt: skip
    """r += J^T (h_f + M_f gamma + elastic forces); ``force``: h_f of all floating bodies, in their numbering."""
    n, size = group.dofs.shape
    m = size - 6
    J, F, out, el = np.empty((6, 12)), np.empty(size), np.empty(size), np.empty(m)
    for i in range(n):
        rate_columns(group, i, J)
        z, zd = fq[i * m : i * m + m], fv[i * m : i * m + m]
        elastic_force(group.K[i], group.D[i], bending(group, i), z, zd, el)
        gather(group, i, force, F)
        for a in range(size):
            for k in range(6):
                F[a] += mass[i, a, 6 + k] * gamma[i, k]
        for k in range(m):
            F[6 + k] += el[k]
        pull(group, i, J, F, out)
        for a in range(size):
            r[group.dofs[i, a]] += out[a]


@kernel
def bending(group: SubstructureGroup, i: int) -> Bending:
    """What bending does to the end of one of them."""
    return Bending(
        group.G[i], group.along[i], group.weight[i], group.slope[i], group.curve[i], group.EI[i], group.tau[i]
    )


@kernel
def gather(group: SubstructureGroup, i: int, force: FloatArray, F: FloatArray) -> None:
    """Entries of one floating body: frame, then amplitudes."""
    n, size = group.dofs.shape
    m = size - 6
    for k in range(6):
        F[k] = force[n * m + 6 * i + k]
    for k in range(m):
        F[6 + k] = force[i * m + k]


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
    amplitudes(group, i, de, dP, change[0])
    amplitudes(group, i, du, dPd, change[1])
    amplitudes(group, i, db, dPdd, change[2])


@kernel
def rate_column(
    group: SubstructureGroup, i: int, j: int, state: State, change: FloatArray, x: FloatArray, X: FloatArray
) -> None:
    """Changes ``change (6,)`` of z'' by velocity j < 12."""
    room, line, d = group.room[i], group.line[i], group.dofs[i]
    A, P, Pd = room[0], room[1], room[2]
    e, ed = line[0], line[1]
    w, W = state.v[d[3] : d[3] + 3], state.v[d[9] : d[9] + 3]
    none = line[8]
    x[:], X[:] = 0.0, 0.0
    unit, du, db, y = x[0], x[1], x[2], x[3]
    dPd, dPdd = X[0], X[1]
    k = j % 3
    if j < 3 or 6 <= j < 9:
        for a in range(3):
            du[a] = -A[k, a] if j < 3 else A[k, a]
    elif j < 6:
        unit[k] = 1.0
        cross_add(-1.0, unit, e, du)
        cross_add(-2.0, unit, ed, db)
        cross_add(1.0, w, e, y)
        cross_add(-1.0, unit, y, db)
        y[:] = 0.0
        cross_add(1.0, unit, e, y)
        cross_add(-1.0, w, y, db)
        turn_add(P, none, unit, P, dPd)
        turn_add(Pd, none, unit, Pd, dPdd)
    else:
        unit[k] = 1.0
        turn_add(P, unit, none, P, dPd)
        turn_add(Pd, unit, none, Pd, dPdd)
    cross_add(-2.0, w, du, db)
    turn_add(dPd, W, w, dPd, dPdd)
    amplitudes(group, i, db, dPdd, change)


@kernel
def pulled_tangent(
    group: SubstructureGroup, state: State, T: FloatArray, fq: FloatArray, fv: FloatArray, fa: FloatArray,
    force: FloatArray, mass: FloatArray, KF: FloatArray, DF: FloatArray, weights: tuple[float, float], B: FloatArray,
) -> None:  # fmt: skip
    """wq d(M a + ...)/dq T + wv d(...)/dv into the blocks.

    ``KF, DF (n, 6 + m, 6 + m)``: those of the floating bodies, to which the elastic ones are added here.
    """
    wq, wv = weights
    n, size = group.dofs.shape
    m = size - 6
    J, F, out, el = np.empty((6, 12)), np.empty(size), np.empty(size), np.empty(m)
    Gamma, change, by_rate = np.empty((3, 3)), np.empty((3, 6)), np.empty(6)
    x, X, y, Y = np.empty((5, 3)), np.empty((3, 3, 3)), np.empty((4, 3)), np.empty((2, 3, 3))
    column = np.empty(size)
    for i in range(n):
        z, zd = fq[i * m : i * m + m], fv[i * m : i * m + m]
        elastic_force(group.K[i], group.D[i], bending(group, i), z, zd, el)
        elastic_tangent(group.K[i], group.D[i], bending(group, i), z, zd, KF[i], DF[i])
        gather(group, i, force, F)
        gather(group, i, fa, column)
        for a in range(size):
            for k in range(size):
                F[a] += mass[i, a, k] * column[k]
        for k in range(m):
            F[6 + k] += el[k]
        rate_columns(group, i, J)
        couple(group, i, F, Gamma)
        blocks = B[group.b1 + i * size * size : group.b1 + (i + 1) * size * size].reshape(size, size)
        for j in range(size):
            if j < 12:
                place_column(group, i, j, state, T, change, x, X)
                rate_column(group, i, j, state, by_rate, y, Y)
                for a in range(size):
                    s = wq * KF[i, a, j] + wv * DF[i, a, j] if j < 6 else 0.0
                    for k in range(6):
                        s += wq * (KF[i, a, 6 + k] * change[0, k] + DF[i, a, 6 + k] * change[1, k])
                        s += mass[i, a, 6 + k] * (wq * change[2, k] + wv * by_rate[k]) + wv * DF[i, a, 6 + k] * J[k, j]
                    column[a] = s
                pull(group, i, J, column, out)
                column[:] = 0.0
                second_column(group, i, F, Gamma, x[0], x[1], X[0], column)
                for a in range(size):
                    blocks[a, j] = out[a] + wq * column[a]
            else:
                for a in range(size):
                    column[a] = wq * KF[i, a, j] + wv * DF[i, a, j]
                pull(group, i, J, column, out)
                for a in range(size):
                    blocks[a, j] = out[a]
