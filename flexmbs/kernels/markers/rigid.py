"""Markers on rigid bodies.

With the centre of mass x, the orientation R of the body, the point s and the frame R_BM in body axes, the angular
velocity w in body axes, and the sum of wrenches W = (F, M), u = R^T F:

    p = x + R s,   R_M = R R_BM,   twist = (v + R (w x s), R_BM^T w),   J = [I, -R s~; 0, R_BM^T],
    d(J v)/dtheta = [-R (w x s)~; 0],   d(J^T W)/dtheta = s~ u~ = u s^T - (s.u) I   (rows and columns of the rotation).
"""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = ["RIGID", "RigidMarkers", "rigid_constants", "rigid_place", "rigid_place_tangent", "rigid_pull"]


class RigidMarkers(NamedTuple):
    """Markers on rigid bodies.

    ``mk, row (n,)``, ``dofs (n, 6)``, ``pdofs (n, 3)`` and ``b1`` as in `flexmbs.kernels.markers.kind`; ``qi (n,)``:
    first of the seven entries of q (position, unit quaternion scalar first); ``rot (n,)``: number of the body in
    ``work.T``; ``s (n, 3)``, ``R_BM (n, 3, 3)``: point and frame in body axes.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    qi: IntArray
    rot: IntArray
    s: FloatArray
    R_BM: FloatArray


def rigid_constants(group: RigidMarkers, work: MarkerWork) -> None:
    """Unit rows of the translations and the rotational part of J."""
    constant_rows(group, work, 3, group.R_BM)


@kernel
def rigid_place(group: RigidMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist, and what changes of J."""
    mk, row, dofs, qi, s, R_BM = group.mk, group.row, group.dofs, group.qi, group.s, group.R_BM
    q, v, p, R_M, twist, JT = state.q, state.v, work.p, work.R, work.twist, work.JT
    for i in range(mk.shape[0]):
        c, m, a = qi[i], mk[i], row[i]
        w, x, y, z = q[c + 3], q[c + 4], q[c + 5], q[c + 6]
        s0, s1, s2 = s[i, 0], s[i, 1], s[i, 2]
        w0, w1, w2 = v[dofs[i, 3]], v[dofs[i, 4]], v[dofs[i, 5]]
        z0, z1, z2 = w1 * s2 - w2 * s1, w2 * s0 - w0 * s2, w0 * s1 - w1 * s0
        for j in range(3):
            if j == 0:
                r0, r1, r2 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
            elif j == 1:
                r0, r1, r2 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
            else:
                r0, r1, r2 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
            k = dofs[i, j]
            p[m, j] = q[c + j] + r0 * s0 + r1 * s1 + r2 * s2
            twist[m, j] = v[k] + r0 * z0 + r1 * z1 + r2 * z2
            twist[m, 3 + j] = R_BM[i, 0, j] * w0 + R_BM[i, 1, j] * w1 + R_BM[i, 2, j] * w2
            for n in range(3):
                R_M[m, j, n] = r0 * R_BM[i, 0, n] + r1 * R_BM[i, 1, n] + r2 * R_BM[i, 2, n]
            JT[a + 3, j] = r2 * s1 - r1 * s2
            JT[a + 4, j] = r0 * s2 - r2 * s0
            JT[a + 5, j] = r1 * s0 - r0 * s1
    return -1


@kernel
def rigid_place_tangent(group: RigidMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with (J T)^T and (d(J v)/dq T)^T."""
    rigid_place(group, state, env, work)
    row, dofs, qi, rot, s, R_BM = group.row, group.dofs, group.qi, group.rot, group.s, group.R_BM
    q, v, JT, JcT, JvT, T = state.q, state.v, work.JT, work.JcT, work.JvT, work.T
    for i in range(row.shape[0]):
        c, a, o = qi[i], row[i], rot[i]
        w, x, y, z = q[c + 3], q[c + 4], q[c + 5], q[c + 6]
        s0, s1, s2 = s[i, 0], s[i, 1], s[i, 2]
        w0, w1, w2 = v[dofs[i, 3]], v[dofs[i, 4]], v[dofs[i, 5]]
        z0, z1, z2 = w1 * s2 - w2 * s1, w2 * s0 - w0 * s2, w0 * s1 - w1 * s0
        for j in range(3):
            if j == 0:
                r0, r1, r2 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
            elif j == 1:
                r0, r1, r2 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
            else:
                r0, r1, r2 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
            g0, g1, g2 = JT[a + 3, j], JT[a + 4, j], JT[a + 5, j]
            h0, h1, h2 = r2 * z1 - r1 * z2, r0 * z2 - r2 * z0, r1 * z0 - r0 * z1
            b0, b1, b2 = R_BM[i, 0, j], R_BM[i, 1, j], R_BM[i, 2, j]
            for n in range(3):
                t0, t1, t2 = T[o, 0, n], T[o, 1, n], T[o, 2, n]
                JcT[a + 3 + n, j] = g0 * t0 + g1 * t1 + g2 * t2
                JcT[a + 3 + n, 3 + j] = b0 * t0 + b1 * t1 + b2 * t2
                JvT[a + 3 + n, j] = h0 * t0 + h1 * t1 + h2 * t2
    return -1


@kernel
def rigid_pull(group: RigidMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> int:
    """Blocks weights[0] (u s^T - (s.u) I) T on the rotations."""
    for i in range(group.mk.shape[0]):
        c, m, o, b = group.qi[i], group.mk[i], group.rot[i], group.b1 + 9 * i
        w, x, y, z = state.q[c + 3], state.q[c + 4], state.q[c + 5], state.q[c + 6]
        f0, f1, f2 = weights[0] * work.W[m, 0], weights[0] * work.W[m, 1], weights[0] * work.W[m, 2]
        s0, s1, s2 = group.s[i, 0], group.s[i, 1], group.s[i, 2]
        u0 = f0 * (1.0 - 2.0 * (y * y + z * z)) + 2.0 * (f1 * (x * y + w * z) + f2 * (x * z - w * y))
        u1 = f1 * (1.0 - 2.0 * (x * x + z * z)) + 2.0 * (f0 * (x * y - w * z) + f2 * (y * z + w * x))
        u2 = f2 * (1.0 - 2.0 * (x * x + y * y)) + 2.0 * (f0 * (x * z + w * y) + f1 * (y * z - w * x))
        su = s0 * u0 + s1 * u1 + s2 * u2
        for n in range(3):
            t0, t1, t2 = work.T[o, 0, n], work.T[o, 1, n], work.T[o, 2, n]
            st = s0 * t0 + s1 * t1 + s2 * t2
            work.B[b + n] = u0 * st - su * t0
            work.B[b + 3 + n] = u1 * st - su * t1
            work.B[b + 6 + n] = u2 * st - su * t2
    return -1


RIGID = MarkerKind("rigid body", RigidMarkers, rigid_constants, rigid_place, rigid_place_tangent, rigid_pull)
