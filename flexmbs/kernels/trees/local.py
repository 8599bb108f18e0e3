r"""Columns of trees about their own points: frames, velocities and inertia for methods that are linear in the links.

All vectors have inertial axes; those of a column refer to the origin of the frame behind it. So numbers stay of the
size of a link however far from the base it is, and between a column and its parent only the offset d of their points
counts:

.. math:: X\,(v, \omega) = (v + \omega\times d,\; \omega), \qquad X^T(f, n) = (f,\; n + d\times f).

With V0 the velocity before the joint, at the point of the column, a screw S and a rate give

.. math:: V = X V_u + S\dot q, \qquad A = X A_u + S\ddot q + C, \qquad C = V_0\times S\,\dot q,

and the inertia of a column is, in the order (f, n) by (v, omega), three blocks M, N, J of (M, N; N^T, J).
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.trees.frames import screw_frame, turned_frame
from flexmbs.kernels.trees.group import SCREW, TreeGroup

__all__ = ["load_columns", "place_local", "subtract_wrenches"]

R_, P_, D_, S_, V_, C_, M_, N_, J_, F_, U_, W_, A_ = 0, 9, 12, 15, 21, 27, 33, 39, 48, 54, 60, 66, 68
ROOM = 74
"""Where the results of a column lie in its row of room.

R: orientation behind the column; P: its place; D: offset from the point of the parent; S: screw; V: velocity; C: what
acceleration has without the second derivative; M (xx, xy, xz, yy, yz, zz), N, J (as M): inertia; F: wrench; U: inertia
times screw; W: its inverse product with the screw, and the moving force; A: acceleration.
"""


@kernel
def place_local(group: TreeGroup, q: FloatArray, w: FloatArray) -> None:
    """R, P, D, S of all columns into w (n_c, ROOM)."""
    for tree in range(group.start.shape[0] - 1):
        for c in range(group.start[tree], group.start[tree + 1]):
            kind, u, i = group.kind[c], group.parent[c], group.qi[c]
            if kind > 1:  # the frame is that of the first column of the rotation
                for k in range(12):
                    w[c, k] = w[c - 1, k]
                for k in range(3):
                    w[c, D_ + k] = 0.0
                    w[c, S_ + k] = 0.0
                    w[c, S_ + 3 + k] = w[c, R_ + 3 * k + kind - 1]
                continue
            p0, p1, p2 = group.p0[c, 0], group.p0[c, 1], group.p0[c, 2]
            s0, s1, s2 = group.screw[c, 0], group.screw[c, 1], group.screw[c, 2]
            s3, s4, s5 = group.screw[c, 3], group.screw[c, 4], group.screw[c, 5]
            if kind == SCREW:
                E, t = screw_frame((s0, s1, s2), (s3, s4, s5), q[i])
            else:
                E, t = turned_frame(q[i], q[i + 1], q[i + 2], q[i + 3]), (0.0, 0.0, 0.0)
            for k in range(3):
                if u < 0:
                    b0, b1, b2 = group.base_R[tree, k, 0], group.base_R[tree, k, 1], group.base_R[tree, k, 2]
                    place = group.base_p[tree, k]
                else:
                    b0, b1, b2 = w[u, R_ + 3 * k], w[u, R_ + 3 * k + 1], w[u, R_ + 3 * k + 2]
                    place = w[u, P_ + k]
                x = b0 * group.R0[c, 0, 0] + b1 * group.R0[c, 1, 0] + b2 * group.R0[c, 2, 0]
                y = b0 * group.R0[c, 0, 1] + b1 * group.R0[c, 1, 1] + b2 * group.R0[c, 2, 1]
                z = b0 * group.R0[c, 0, 2] + b1 * group.R0[c, 1, 2] + b2 * group.R0[c, 2, 2]
                d = b0 * p0 + b1 * p1 + b2 * p2 + x * t[0] + y * t[1] + z * t[2]
                w[c, D_ + k] = d
                w[c, P_ + k] = place + d
                x, y, z = x * E[0] + y * E[3] + z * E[6], x * E[1] + y * E[4] + z * E[7], x * E[2] + y * E[5] + z * E[8]
                w[c, R_ + 3 * k], w[c, R_ + 3 * k + 1], w[c, R_ + 3 * k + 2] = x, y, z
                if kind == SCREW:  # a motion leaves its own screw as it is, so the frame behind serves as well
                    w[c, S_ + k] = x * s0 + y * s1 + z * s2
                    w[c, S_ + 3 + k] = x * s3 + y * s4 + z * s5
                else:
                    w[c, S_ + k] = 0.0
                    w[c, S_ + 3 + k] = x


@kernel
def load_columns(group: TreeGroup, v: FloatArray, w: FloatArray) -> None:
    """V, C, the inertia of each link by itself, and its wrench V x* (I V) as F; after `place_local`."""
    o0, o1, o2, o3, o4, o5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(group.kind.shape[0]):
        kind, u = group.kind[c], group.parent[c]
        if kind <= 1:  # the velocity before the joint, which the columns of a rotation share
            if u < 0:
                o0, o1, o2, o3, o4, o5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            else:
                x, y, z = w[c, D_], w[c, D_ + 1], w[c, D_ + 2]
                o3, o4, o5 = w[u, V_ + 3], w[u, V_ + 4], w[u, V_ + 5]
                o0 = w[u, V_] + o4 * z - o5 * y
                o1 = w[u, V_ + 1] + o5 * x - o3 * z
                o2 = w[u, V_ + 2] + o3 * y - o4 * x
            v0, v1, v2, a, b, d = o0, o1, o2, o3, o4, o5
        else:
            v0, v1, v2 = w[u, V_], w[u, V_ + 1], w[u, V_ + 2]
            a, b, d = w[u, V_ + 3], w[u, V_ + 4], w[u, V_ + 5]
        rate = v[group.dof[c]]
        s0, s1, s2 = w[c, S_] * rate, w[c, S_ + 1] * rate, w[c, S_ + 2] * rate
        s3, s4, s5 = w[c, S_ + 3] * rate, w[c, S_ + 4] * rate, w[c, S_ + 5] * rate
        w[c, C_] = o4 * s2 - o5 * s1 + o1 * s5 - o2 * s4
        w[c, C_ + 1] = o5 * s0 - o3 * s2 + o2 * s3 - o0 * s5
        w[c, C_ + 2] = o3 * s1 - o4 * s0 + o0 * s4 - o1 * s3
        w[c, C_ + 3] = o4 * s5 - o5 * s4
        w[c, C_ + 4] = o5 * s3 - o3 * s5
        w[c, C_ + 5] = o3 * s4 - o4 * s3
        v0, v1, v2, a, b, d = v0 + s0, v1 + s1, v2 + s2, a + s3, b + s4, d + s5
        w[c, V_], w[c, V_ + 1], w[c, V_ + 2] = v0, v1, v2
        w[c, V_ + 3], w[c, V_ + 4], w[c, V_ + 5] = a, b, d
        m = group.m[c]
        if m == 0.0:
            for k in range(M_, F_ + 6):
                w[c, k] = 0.0
            continue
        r00, r01, r02, r10, r11, r12 = w[c, 0], w[c, 1], w[c, 2], w[c, 3], w[c, 4], w[c, 5]
        r20, r21, r22 = w[c, 6], w[c, 7], w[c, 8]
        h0 = r00 * group.h[c, 0] + r01 * group.h[c, 1] + r02 * group.h[c, 2]
        h1 = r10 * group.h[c, 0] + r11 * group.h[c, 1] + r12 * group.h[c, 2]
        h2 = r20 * group.h[c, 0] + r21 * group.h[c, 1] + r22 * group.h[c, 2]
        i00, i01, i02 = group.J[c, 0, 0], group.J[c, 0, 1], group.J[c, 0, 2]
        i11, i12, i22 = group.J[c, 1, 1], group.J[c, 1, 2], group.J[c, 2, 2]
        x, y, z = (
            r00 * i00 + r01 * i01 + r02 * i02,
            r00 * i01 + r01 * i11 + r02 * i12,
            r00 * i02 + r01 * i12 + r02 * i22,
        )
        j00, j01, j02 = x * r00 + y * r01 + z * r02, x * r10 + y * r11 + z * r12, x * r20 + y * r21 + z * r22
        x, y, z = (
            r10 * i00 + r11 * i01 + r12 * i02,
            r10 * i01 + r11 * i11 + r12 * i12,
            r10 * i02 + r11 * i12 + r12 * i22,
        )
        j11, j12 = x * r10 + y * r11 + z * r12, x * r20 + y * r21 + z * r22
        x, y, z = (
            r20 * i00 + r21 * i01 + r22 * i02,
            r20 * i01 + r21 * i11 + r22 * i12,
            r20 * i02 + r21 * i12 + r22 * i22,
        )
        j22 = x * r20 + y * r21 + z * r22
        w[c, M_], w[c, M_ + 1], w[c, M_ + 2], w[c, M_ + 3], w[c, M_ + 4], w[c, M_ + 5] = m, 0.0, 0.0, m, 0.0, m
        w[c, N_], w[c, N_ + 1], w[c, N_ + 2] = 0.0, h2, -h1
        w[c, N_ + 3], w[c, N_ + 4], w[c, N_ + 5] = -h2, 0.0, h0
        w[c, N_ + 6], w[c, N_ + 7], w[c, N_ + 8] = h1, -h0, 0.0
        w[c, J_], w[c, J_ + 1], w[c, J_ + 2] = j00, j01, j02
        w[c, J_ + 3], w[c, J_ + 4], w[c, J_ + 5] = j11, j12, j22
        l0, l1, l2 = m * v0 + b * h2 - d * h1, m * v1 + d * h0 - a * h2, m * v2 + a * h1 - b * h0
        k0 = h1 * v2 - h2 * v1 + j00 * a + j01 * b + j02 * d
        k1 = h2 * v0 - h0 * v2 + j01 * a + j11 * b + j12 * d
        k2 = h0 * v1 - h1 * v0 + j02 * a + j12 * b + j22 * d
        w[c, F_] = b * l2 - d * l1
        w[c, F_ + 1] = d * l0 - a * l2
        w[c, F_ + 2] = a * l1 - b * l0
        w[c, F_ + 3] = v1 * l2 - v2 * l1 + b * k2 - d * k1
        w[c, F_ + 4] = v2 * l0 - v0 * l2 + d * k0 - a * k2
        w[c, F_ + 5] = v0 * l1 - v1 * l0 + a * k1 - b * k0


@kernel
def subtract_wrenches(behind: IntArray, p_L: FloatArray, wrenches: FloatArray, w: FloatArray) -> None:
    """F minus ``wrenches (n_links, 6)`` at the origins ``p_L`` of links, which are behind the columns ``behind``."""
    for i in range(wrenches.shape[0]):
        c = behind[i]
        if c < 0:
            continue
        x = w[c, R_] * p_L[i, 0] + w[c, R_ + 1] * p_L[i, 1] + w[c, R_ + 2] * p_L[i, 2]
        y = w[c, R_ + 3] * p_L[i, 0] + w[c, R_ + 4] * p_L[i, 1] + w[c, R_ + 5] * p_L[i, 2]
        z = w[c, R_ + 6] * p_L[i, 0] + w[c, R_ + 7] * p_L[i, 1] + w[c, R_ + 8] * p_L[i, 2]
        f0, f1, f2 = wrenches[i, 0], wrenches[i, 1], wrenches[i, 2]
        w[c, F_] -= f0
        w[c, F_ + 1] -= f1
        w[c, F_ + 2] -= f2
        w[c, F_ + 3] -= wrenches[i, 3] + y * f2 - z * f1
        w[c, F_ + 4] -= wrenches[i, 4] + z * f0 - x * f2
        w[c, F_ + 5] -= wrenches[i, 5] + x * f1 - y * f0
