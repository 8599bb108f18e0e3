r"""Kinematics of trees: frames, screws, velocities and accelerations of all columns, from the base outwards.

Velocities are spatial vectors (v, w): velocity of the point of the body that is at the origin of reference, and angular
velocity, in inertial axes. That origin is the base of the tree, or the present place of a root that floats. With the
screw S of a column and V0, A0 of what lies before its joint

.. math:: V = V_0 + S\dot q, \qquad A = A_0 + S\ddot q + V_0\times S\,\dot q, \qquad
   (v, w)\times(s_v, s_w) = (w\times s_v + v\times s_w,\; w\times s_w).

A begins with minus gravity at the base. The columns of a rotation by quaternion are fixed to what is turned.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import inlined, kernel, only_beyond
from flexmbs.core.triples import Vector
from flexmbs.kernels.trees.frames import screw_frame, turned_frame
from flexmbs.kernels.trees.group import A_, P_, R_, S_, SCREW, V_, X_, Y_, TreeGroup
from flexmbs.kernels.trees.modal import MODAL, place_shapes, rates_of_shapes, rotation_of

__all__ = ["behind_column", "gravity", "link_axes", "outwards", "place_columns"]


@inlined
def gravity(group: TreeGroup, scale: FloatArray) -> Vector:
    """The acceleration of all loads of gravity, with their factors."""
    g0, g1, g2 = 0.0, 0.0, 0.0
    for k in range(group.load.shape[0]):
        x = scale[group.load[k]]
        g0 += x * group.g[k, 0]
        g1 += x * group.g[k, 1]
        g2 += x * group.g[k, 2]
    return g0, g1, g2


@kernel
def behind_column(kind: int, s: FloatArray, x: FloatArray, i: int, E: FloatArray, t: FloatArray) -> None:
    """Rotation E (3, 3) and translation t (3,) of a column with the coordinate x[i], or the quaternion from there."""
    if kind == SCREW:
        R, d = screw_frame((s[0], s[1], s[2]), (s[3], s[4], s[5]), x[i])
    else:
        R, d = turned_frame(x[i], x[i + 1], x[i + 2], x[i + 3]), (0.0, 0.0, 0.0)
    E[0, 0], E[0, 1], E[0, 2], E[1, 0], E[1, 1], E[1, 2], E[2, 0], E[2, 1], E[2, 2] = R
    t[0], t[1], t[2] = d


@kernel
def place_columns(group: TreeGroup, q: FloatArray) -> None:
    """Frames and screws of all columns, and the origins of reference, into ``group.work`` and ``group.origin``."""
    w = group.work
    T, room, E, B = group.frames[:3], group.frames[3:11], group.frames[11], group.frames[12]
    t, x = group.frames[13, 0], group.frames[13, 1]
    for tree in range(group.start.shape[0] - 1):
        first = group.start[tree]
        for k in range(3):
            group.origin[tree, k] = group.base_p[tree, k]
        for c in range(first, group.start[tree + 1]):
            kind, parent = group.kind[c], group.parent[c]
            s = group.screw[c]
            if group.head[c] != c:  # the frame is that of the first column of the joint
                for k in range(12):
                    w[c, k] = w[c - 1, k]
            else:
                if parent < 0:
                    for k in range(3):
                        x[k] = 0.0
                        for n in range(3):
                            x[k] += group.base_R[tree, k, n] * group.p0[c, n]
                            B[k, n] = 0.0
                            for j in range(3):
                                B[k, n] += group.base_R[tree, k, j] * group.R0[c, j, n]
                else:
                    for k in range(3):
                        x[k] = w[parent, P_ + k]
                        for n in range(3):
                            x[k] += w[parent, R_ + 3 * k + n] * group.p0[c, n]
                            B[k, n] = (
                                w[parent, R_ + 3 * k] * group.R0[c, 0, n]
                                + w[parent, R_ + 3 * k + 1] * group.R0[c, 1, n]
                                + w[parent, R_ + 3 * k + 2] * group.R0[c, 2, n]
                            )
                if kind == MODAL:
                    place_shapes(group.kind, group.screw, group.qi, c, q, E, t, T, room)
                else:
                    behind_column(kind, s, q, group.qi[c], E, t)
                for k in range(3):
                    w[c, P_ + k] = x[k] + B[k, 0] * t[0] + B[k, 1] * t[1] + B[k, 2] * t[2]
                    for n in range(3):
                        w[c, R_ + 3 * k + n] = B[k, 0] * E[0, n] + B[k, 1] * E[1, n] + B[k, 2] * E[2, n]
            if kind == SCREW:
                for k in range(3):
                    w[c, S_ + k] = B[k, 0] * s[0] + B[k, 1] * s[1] + B[k, 2] * s[2]
                    w[c, S_ + 3 + k] = B[k, 0] * s[3] + B[k, 1] * s[4] + B[k, 2] * s[5]
            elif kind < MODAL:
                for k in range(3):
                    x[k] = w[c, P_ + k]
                    w[c, S_ + k] = 0.0
                    w[c, S_ + 3 + k] = w[c, R_ + 3 * k + kind - 1]
            else:
                t[0], t[1], t[2] = rotation_of(T, 0, s)
                for k in range(3):
                    x[k] = w[c, P_ + k]
                    w[c, S_ + k] = B[k, 0] * s[0] + B[k, 1] * s[1] + B[k, 2] * s[2]
                    w[c, S_ + 3 + k] = B[k, 0] * t[0] + B[k, 1] * t[1] + B[k, 2] * t[2]
            a, b, d = w[c, S_ + 3], w[c, S_ + 4], w[c, S_ + 5]
            w[c, S_] += x[1] * d - x[2] * b
            w[c, S_ + 1] += x[2] * a - x[0] * d
            w[c, S_ + 2] += x[0] * b - x[1] * a
            if group.floats[tree] and c == first + 2:
                for k in range(3):
                    group.origin[tree, k] += w[c, P_ + k]
                    w[c, P_ + k] = 0.0


@kernel
def link_axes(group: TreeGroup, tree: int, c: int, B: FloatArray) -> None:
    """Axes of the flexible link before column c."""
    o, w = group.before[c], group.work
    for k in range(3):
        for n in range(3):
            B[k, n] = 0.0
            for j in range(3):
                B[k, n] += (group.base_R[tree, k, j] if o < 0 else w[o, R_ + 3 * k + j]) * group.R0[c, j, n]


@kernel
def modal_change(
    kind: IntArray, group: TreeGroup, c: int, y: FloatArray, T: FloatArray, B: FloatArray, turn: FloatArray
) -> None:
    """First and second derivative by time of the screw of a shape as seen from its link, about the origin of reference.

    Into rows of ``turn (4, 3)``: velocity and angular velocity of the first, then of the second. About the origin of
    the link the screw is (Phi + y x Theta, Theta), with the place y of the interface.
    """
    w, s, head = group.work, group.screw[c], group.head[c]
    f0, f1, f2 = y[0, 0], y[0, 1], y[0, 2]
    g0, g1, g2 = y[1, 0], y[1, 1], y[1, 2]
    p0, p1, p2 = w[head, P_], w[head, P_ + 1], w[head, P_ + 2]
    h0, h1, h2 = rotation_of(T, 0, s)
    d0, d1, d2 = rotation_of(T, 1, s)
    e0, e1, e2 = rotation_of(T, 2, s)
    # ydot x Theta, and yddot x Theta + 2 ydot x Thetadot
    l0, l1, l2 = f1 * h2 - f2 * h1, f2 * h0 - f0 * h2, f0 * h1 - f1 * h0
    m0 = g1 * h2 - g2 * h1 + 2.0 * (f1 * d2 - f2 * d1)
    m1 = g2 * h0 - g0 * h2 + 2.0 * (f2 * d0 - f0 * d2)
    m2 = g0 * h1 - g1 * h0 + 2.0 * (f0 * d1 - f1 * d0)
    for k in range(3):
        turn[0, k] = B[k, 0] * l0 + B[k, 1] * l1 + B[k, 2] * l2
        turn[1, k] = B[k, 0] * d0 + B[k, 1] * d1 + B[k, 2] * d2
        turn[2, k] = B[k, 0] * m0 + B[k, 1] * m1 + B[k, 2] * m2
        turn[3, k] = B[k, 0] * e0 + B[k, 1] * e1 + B[k, 2] * e2
    for k in range(0, 4, 2):
        a0, a1, a2 = turn[k + 1, 0], turn[k + 1, 1], turn[k + 1, 2]
        turn[k, 0] += p1 * a2 - p2 * a1
        turn[k, 1] += p2 * a0 - p0 * a2
        turn[k, 2] += p0 * a1 - p1 * a0


change_of_shape = only_beyond(MODAL - 1, modal_change)


@kernel
def outwards(
    group: TreeGroup, q: FloatArray, v: FloatArray, a: FloatArray, scale: FloatArray, derivatives: bool
) -> None:  # fmt: skip
    """Velocities and accelerations behind all columns, and X, Y where ``derivatives``; after `place_columns`.

    ``scale``: factors of the loads, for gravity; accelerations begin with minus gravity.
    """
    w = group.work
    T, room, B, y, turn = group.frames[:3], group.frames[3:11], group.frames[12], group.frames[13], group.turn
    g0, g1, g2 = gravity(group, scale)
    tree = 0
    group.rise[0], group.rise[1], group.rise[2] = -g0, -g1, -g2
    for c in range(group.kind.shape[0]):
        u, o = group.parent[c], group.before[c]
        while c >= group.start[tree + 1]:
            tree += 1
        rate, second = v[group.dof[c]], a[group.dof[c]]
        if o < 0:
            x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        else:
            v0, v1, v2, w0, w1, w2 = w[o, V_], w[o, V_ + 1], w[o, V_ + 2], w[o, V_ + 3], w[o, V_ + 4], w[o, V_ + 5]
            s0, s1, s2, s3, s4, s5 = w[c, S_], w[c, S_ + 1], w[c, S_ + 2], w[c, S_ + 3], w[c, S_ + 4], w[c, S_ + 5]
            x0 = w1 * s2 - w2 * s1 + v1 * s5 - v2 * s4
            x1 = w2 * s0 - w0 * s2 + v2 * s3 - v0 * s5
            x2 = w0 * s1 - w1 * s0 + v0 * s4 - v1 * s3
            x3 = w1 * s5 - w2 * s4
            x4 = w2 * s3 - w0 * s5
            x5 = w0 * s4 - w1 * s3
        modal = group.kind[c] >= MODAL
        if modal:
            if group.kind[c] == MODAL:
                rates_of_shapes(group.kind, group.screw, group.qi, group.dof, c, q, v, a, y, T, room)
                link_axes(group, tree, c, B)
            change_of_shape(group.kind, group, c, y, T, B, turn)
            x0 += turn[0, 0]
            x1 += turn[0, 1]
            x2 += turn[0, 2]
            x3 += turn[1, 0]
            x4 += turn[1, 1]
            x5 += turn[1, 2]
        if u < 0:
            for k in range(6):
                w[c, V_ + k] = w[c, S_ + k] * rate
                w[c, A_ + k] = w[c, S_ + k] * second
            w[c, A_] -= g0
            w[c, A_ + 1] -= g1
            w[c, A_ + 2] -= g2
        else:
            for k in range(6):
                w[c, V_ + k] = w[u, V_ + k] + w[c, S_ + k] * rate
                w[c, A_ + k] = w[u, A_ + k] + w[c, S_ + k] * second
        w[c, A_] += x0 * rate
        w[c, A_ + 1] += x1 * rate
        w[c, A_ + 2] += x2 * rate
        w[c, A_ + 3] += x3 * rate
        w[c, A_ + 4] += x4 * rate
        w[c, A_ + 5] += x5 * rate
        if derivatives:
            w[c, X_], w[c, X_ + 1], w[c, X_ + 2] = x0, x1, x2
            w[c, X_ + 3], w[c, X_ + 4], w[c, X_ + 5] = x3, x4, x5
            s3, s4, s5 = w[c, S_ + 3], w[c, S_ + 4], w[c, S_ + 5]
            if o < 0:  # A0 = (-g, 0), V0 = 0
                w[c, Y_] = g2 * s4 - g1 * s5
                w[c, Y_ + 1] = g0 * s5 - g2 * s3
                w[c, Y_ + 2] = g1 * s3 - g0 * s4
                w[c, Y_ + 3], w[c, Y_ + 4], w[c, Y_ + 5] = 0.0, 0.0, 0.0
            else:
                a0, a1, a2, b0, b1, b2 = w[o, A_], w[o, A_ + 1], w[o, A_ + 2], w[o, A_ + 3], w[o, A_ + 4], w[o, A_ + 5]
                v0, v1, v2, w0, w1, w2 = w[o, V_], w[o, V_ + 1], w[o, V_ + 2], w[o, V_ + 3], w[o, V_ + 4], w[o, V_ + 5]
                s0, s1, s2 = w[c, S_], w[c, S_ + 1], w[c, S_ + 2]
                w[c, Y_] = b1 * s2 - b2 * s1 + a1 * s5 - a2 * s4 + w1 * x2 - w2 * x1 + v1 * x5 - v2 * x4
                w[c, Y_ + 1] = b2 * s0 - b0 * s2 + a2 * s3 - a0 * s5 + w2 * x0 - w0 * x2 + v2 * x3 - v0 * x5
                w[c, Y_ + 2] = b0 * s1 - b1 * s0 + a0 * s4 - a1 * s3 + w0 * x1 - w1 * x0 + v0 * x4 - v1 * x3
                w[c, Y_ + 3] = b1 * s5 - b2 * s4 + w1 * x5 - w2 * x4
                w[c, Y_ + 4] = b2 * s3 - b0 * s5 + w2 * x3 - w0 * x5
                w[c, Y_ + 5] = b0 * s4 - b1 * s3 + w0 * x4 - w1 * x3
                if modal:
                    u0, u1, u2, u3, u4, u5 = turn[0, 0], turn[0, 1], turn[0, 2], turn[1, 0], turn[1, 1], turn[1, 2]
                    w[c, Y_] += w1 * u2 - w2 * u1 + v1 * u5 - v2 * u4
                    w[c, Y_ + 1] += w2 * u0 - w0 * u2 + v2 * u3 - v0 * u5
                    w[c, Y_ + 2] += w0 * u1 - w1 * u0 + v0 * u4 - v1 * u3
                    w[c, Y_ + 3] += w1 * u5 - w2 * u4
                    w[c, Y_ + 4] += w2 * u3 - w0 * u5
                    w[c, Y_ + 5] += w0 * u4 - w1 * u3
            if modal:
                for k in range(3):
                    w[c, Y_ + k] += turn[2, k]
                    w[c, Y_ + 3 + k] += turn[3, k]
