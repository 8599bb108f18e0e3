r"""Markers on links of trees.

Of the columns on the way to a link, with their screws (s_v, s_w) about the marker point p (velocity of the point of the
link at p, and angular velocity) and V0 = (v_0, w_0) of what lies before the joint of a column,

    twist = (sum s_v v, R_M^T sum s_w v),   J_k = (s_v; R_M^T s_w)_k,
    x = V0 x S = (w_0 x s_v + v_0 x s_w, w_0 x s_w),   d(J v)/dq_k = (s_w x u + x_v; R_M^T x_w)_k,  u = sum s_v v.

The wrench W = (F, M), n = R_M M, held fixed, gives with m before k (or both of one rotation by quaternion)
d(J_k^T W)/dq_m = F . (s_wm x s_vk), and d(J_m^T W)/dq_k = F . (s_wm x s_vk) + s_wm . (s_wk x n), or without the last
term and with s_wk x s_vm where both are of one rotation. Shapes of a flexible link are columns, too, whose x and
whose forces have further terms (`flexmbs.kernels.trees.modal`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel, only_beyond
from flexmbs.core.kernel_arrays import square
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows
from flexmbs.kernels.trees.group import SCREW
from flexmbs.kernels.trees.modal import (
    MODAL,
    modal_coupling,
    place_shapes,
    rates_of_shapes,
    rotation_of,
    shapes_behind,
)  # fmt: skip
from flexmbs.kernels.trees.motion import behind_column

__all__ = ["TREE", "TreeMarkers"]


class TreeMarkers(NamedTuple):
    """Markers on links of any trees of a model, with up to k columns on their way.

    ``mk, row (n,)``, ``dofs, pdofs (n, k)``, ``b1`` as in `flexmbs.kernels.markers.kind`, where a way of fewer columns
    is filled up with its first; ``ways (n,)``: columns on the way; ``path (n, k)``: their numbers; ``s (n, 3)``, ``R_BM
    (n, 3, 3)``: point and frame behind the last column; ``base_p (n, 3)``, ``base_R (n, 3, 3)``. Then tables of all
    columns as in `flexmbs.kernels.trees.group.TreeGroup`, and ``work (k, 18)``: scratch; ``axes (n, k, 4, 3)``: axes
    and place of flexible links at the interfaces on the way.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    ways: IntArray
    path: IntArray
    s: FloatArray
    R_BM: FloatArray
    base_p: FloatArray
    base_R: FloatArray
    kind: IntArray
    head: IntArray
    screw: FloatArray
    R0: FloatArray
    p0: FloatArray
    qi: IntArray
    dof: IntArray
    rot: IntArray
    work: FloatArray
    axes: FloatArray


def tree_constants(group: TreeMarkers, work: MarkerWork) -> None:
    """Nothing is constant."""
    for i in range(len(group.mk)):
        part = group._replace(row=group.row[i : i + 1], dofs=group.dofs[i : i + 1, : group.ways[i]])
        constant_rows(part, work, 0)


@kernel
def follow(group: TreeMarkers, i: int, q: FloatArray, p: FloatArray, R: FloatArray, R_M: FloatArray) -> None:
    """Position and frame of marker i, and into rows of ``work`` the screws of its columns about it (first six)."""
    w = group.work
    E, B, t, x = R_M, np.empty((3, 3)), np.empty(3), np.empty(3)
    T, room = np.empty((3, 3, 3)), np.empty((8, 3, 3))
    for k in range(3):
        p[k] = group.base_p[i, k]
        for n in range(3):
            R[k, n] = group.base_R[i, k, n]
    for j in range(group.ways[i]):
        c = group.path[i, j]
        kind = group.kind[c]
        s = group.screw[c]
        if group.head[c] == c:
            for k in range(3):
                x[k] = p[k] + R[k, 0] * group.p0[c, 0] + R[k, 1] * group.p0[c, 1] + R[k, 2] * group.p0[c, 2]
                for n in range(3):
                    B[k, n] = R[k, 0] * group.R0[c, 0, n] + R[k, 1] * group.R0[c, 1, n] + R[k, 2] * group.R0[c, 2, n]
            if kind == MODAL:
                place_shapes(group.kind, group.screw, group.qi, c, q, E, t, T, room)
                for k in range(3):
                    group.axes[i, j, 3, k] = x[k] + B[k, 0] * t[0] + B[k, 1] * t[1] + B[k, 2] * t[2]
                    for n in range(3):
                        group.axes[i, j, k, n] = B[k, n]
            else:
                behind_column(kind, s, q, group.qi[c], E, t)
            for k in range(3):
                p[k] = x[k] + B[k, 0] * t[0] + B[k, 1] * t[1] + B[k, 2] * t[2]
                for n in range(3):
                    R[k, n] = B[k, 0] * E[0, n] + B[k, 1] * E[1, n] + B[k, 2] * E[2, n]
        turn = rotation_of(T, 0, s) if kind >= MODAL else (0.0, 0.0, 0.0)
        for k in range(3):
            if kind == SCREW:
                w[j, k] = B[k, 0] * s[0] + B[k, 1] * s[1] + B[k, 2] * s[2]
                w[j, 3 + k] = B[k, 0] * s[3] + B[k, 1] * s[4] + B[k, 2] * s[5]
            elif kind < MODAL:
                w[j, k] = 0.0
                w[j, 3 + k] = R[k, kind - 1]
            else:
                w[j, k] = B[k, 0] * s[0] + B[k, 1] * s[1] + B[k, 2] * s[2]
                w[j, 3 + k] = B[k, 0] * turn[0] + B[k, 1] * turn[1] + B[k, 2] * turn[2]
            w[j, 6 + k] = p[k] if kind >= MODAL else x[k]
    for k in range(3):
        p[k] += R[k, 0] * group.s[i, 0] + R[k, 1] * group.s[i, 1] + R[k, 2] * group.s[i, 2]
        for n in range(3):
            R_M[k, n] = R[k, 0] * group.R_BM[i, 0, n] + R[k, 1] * group.R_BM[i, 1, n] + R[k, 2] * group.R_BM[i, 2, n]
    for j in range(group.ways[i]):
        a, b, c0 = w[j, 3], w[j, 4], w[j, 5]
        d0, d1, d2 = p[0] - w[j, 6], p[1] - w[j, 7], p[2] - w[j, 8]
        w[j, 0] += b * d2 - c0 * d1
        w[j, 1] += c0 * d0 - a * d2
        w[j, 2] += a * d1 - b * d0


@kernel
def tree_place(group: TreeMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist and J."""
    v, JT, w = state.v, work.JT, group.work
    R, R_M, p = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for i in range(group.mk.shape[0]):
        mk, row = group.mk[i], group.row[i]
        follow(group, i, state.q, p, R, R_M)
        for k in range(6):
            work.twist[mk, k] = 0.0
        for k in range(3):
            work.p[mk, k] = p[k]
            for n in range(3):
                work.R[mk, k, n] = R_M[k, n]
        for j in range(group.ways[i]):
            rate = v[group.dofs[i, j]]
            for k in range(3):
                JT[row + j, k] = w[j, k]
                JT[row + j, 3 + k] = R_M[0, k] * w[j, 3] + R_M[1, k] * w[j, 4] + R_M[2, k] * w[j, 5]
            for k in range(6):
                work.twist[mk, k] += JT[row + j, k] * rate
        if not np.isfinite(p[0] + p[1] + p[2]):
            return i
    return -1


@kernel
def tree_place_tangent(group: TreeMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with (J T)^T and (d(J v)/dq T)^T."""
    v, JT, JcT, JvT, w = state.v, work.JT, work.JcT, work.JvT, group.work
    R, R_M, p = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    T, room, y = np.empty((3, 3, 3)), np.empty((8, 3, 3)), np.empty((2, 3))
    first = 0
    for i in range(group.mk.shape[0]):
        mk, row, n_k = group.mk[i], group.row[i], group.ways[i]
        follow(group, i, state.q, p, R, R_M)
        for k in range(3):
            work.p[mk, k] = p[k]
            for n in range(3):
                work.R[mk, k, n] = R_M[k, n]
        v0, v1, v2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        x0, x1, x2, y0, y1, y2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(n_k):
            c = group.path[i, j]
            kind = group.kind[c]
            if group.head[c] == c:  # what lies before this joint
                x0, x1, x2, y0, y1, y2 = v0, v1, v2, w0, w1, w2
                first = j
            s0, s1, s2, s3, s4, s5 = w[j, 0], w[j, 1], w[j, 2], w[j, 3], w[j, 4], w[j, 5]
            w[j, 6] = y1 * s2 - y2 * s1 + x1 * s5 - x2 * s4
            w[j, 7] = y2 * s0 - y0 * s2 + x2 * s3 - x0 * s5
            w[j, 8] = y0 * s1 - y1 * s0 + x0 * s4 - x1 * s3
            w[j, 9] = y1 * s5 - y2 * s4
            w[j, 10] = y2 * s3 - y0 * s5
            w[j, 11] = y0 * s4 - y1 * s3
            if kind >= MODAL:
                if kind == MODAL:
                    rates_of_shapes(group.kind, group.screw, group.qi, group.dof, c, state.q, v, v, y, T, room)
                seen_from_link(group.screw[c], T, y, group.axes[i, first], p, w[j])
            rate = v[group.dofs[i, j]]
            v0 += s0 * rate
            v1 += s1 * rate
            v2 += s2 * rate
            w0 += s3 * rate
            w1 += s4 * rate
            w2 += s5 * rate
        work.twist[mk, 0], work.twist[mk, 1], work.twist[mk, 2] = v0, v1, v2
        for k in range(3):
            work.twist[mk, 3 + k] = R_M[0, k] * w0 + R_M[1, k] * w1 + R_M[2, k] * w2
        for j in range(n_k):
            s3, s4, s5 = w[j, 3], w[j, 4], w[j, 5]
            w[j, 12] = s4 * v2 - s5 * v1 + w[j, 6]
            w[j, 13] = s5 * v0 - s3 * v2 + w[j, 7]
            w[j, 14] = s3 * v1 - s4 * v0 + w[j, 8]
            for k in range(3):
                JT[row + j, k] = w[j, k]
                JT[row + j, 3 + k] = R_M[0, k] * s3 + R_M[1, k] * s4 + R_M[2, k] * s5
                w[j, 15 + k] = R_M[0, k] * w[j, 9] + R_M[1, k] * w[j, 10] + R_M[2, k] * w[j, 11]
        for j in range(n_k):
            kind = group.kind[group.path[i, j]]
            if kind == SCREW or kind >= MODAL:
                for k in range(6):
                    JcT[row + j, k] = JT[row + j, k]
                    JvT[row + j, k] = w[j, 12 + k]
            else:
                first, rot = j + 1 - kind, group.rot[group.path[i, j]]
                for k in range(6):
                    c, d = 0.0, 0.0
                    for n in range(3):
                        f = work.T[rot, n, kind - 1]
                        c += JT[row + first + n, k] * f
                        d += w[first + n, 12 + k] * f
                    JcT[row + j, k] = c
                    JvT[row + j, k] = d
        if not np.isfinite(p[0] + p[1] + p[2]):
            return i
    return -1


@kernel
def tree_pull(group: TreeMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> int:
    """Blocks weights[0] d(J^T W)/dq T."""
    w, W, JT = group.work, work.W, work.JT
    R_M = np.empty((3, 3))
    size = group.pdofs.shape[1]
    x = np.empty(3)
    for i in range(group.mk.shape[0]):
        mk, row, n_k = group.mk[i], group.row[i], group.ways[i]
        B = square(work.B, group.b1 + i * size * size, size)
        for k in range(3):
            for n in range(3):
                R_M[k, n] = work.R[mk, k, n]
        f0, f1, f2 = weights[0] * W[mk, 0], weights[0] * W[mk, 1], weights[0] * W[mk, 2]
        for k in range(3):
            x[k] = weights[0] * (R_M[k, 0] * W[mk, 3] + R_M[k, 1] * W[mk, 4] + R_M[k, 2] * W[mk, 5])
        for j in range(n_k):
            for k in range(3):
                w[j, k] = JT[row + j, k]
                w[j, 3 + k] = R_M[k, 0] * JT[row + j, 3] + R_M[k, 1] * JT[row + j, 4] + R_M[k, 2] * JT[row + j, 5]
        for k in range(n_k):
            # F x . below: F . (s_wm x s_vk) = s_wm . (s_vk x F)
            g0, g1, g2 = w[k, 1] * f2 - w[k, 2] * f1, w[k, 2] * f0 - w[k, 0] * f2, w[k, 0] * f1 - w[k, 1] * f0
            # s_wk x n
            h0 = w[k, 4] * x[2] - w[k, 5] * x[1]
            h1 = w[k, 5] * x[0] - w[k, 3] * x[2]
            h2 = w[k, 3] * x[1] - w[k, 4] * x[0]
            for m in range(k + 1):
                s = w[m, 3] * g0 + w[m, 4] * g1 + w[m, 5] * g2
                B[k, m] = s
                if m < k:
                    if group.head[group.path[i, m]] == group.head[group.path[i, k]]:
                        a0, a1 = w[m, 1] * f2 - w[m, 2] * f1, w[m, 2] * f0 - w[m, 0] * f2
                        a2 = w[m, 0] * f1 - w[m, 1] * f0
                        B[m, k] = w[k, 3] * a0 + w[k, 4] * a1 + w[k, 5] * a2
                    else:
                        B[m, k] = s + w[m, 3] * h0 + w[m, 4] * h1 + w[m, 5] * h2
        for j in range(n_k):
            c = group.path[i, j]
            if group.kind[c] == MODAL:
                hold_shapes(group.kind, group, i, j, state.q, work.p[mk], (f0, f1, f2), (x[0], x[1], x[2]), B)
        for j in range(n_k):
            c = group.path[i, j]
            if group.kind[c] == 1:
                for k in range(n_k):
                    for n in range(3):
                        x[n] = 0.0
                        for m in range(3):
                            x[n] += B[k, j + m] * work.T[group.rot[c], m, n]
                    B[k, j], B[k, j + 1], B[k, j + 2] = x[0], x[1], x[2]
    return -1


@kernel
def seen_from_link(
    s: FloatArray, T: FloatArray, y: FloatArray, B: FloatArray, p: FloatArray, w: FloatArray
) -> None:  # fmt: skip
    """Add to x of a shape what its screw changes by as seen from the link, about the marker at p; B as in ``axes``."""
    h0, h1, h2 = rotation_of(T, 0, s)
    d0, d1, d2 = rotation_of(T, 1, s)
    f0, f1, f2 = y[0, 0], y[0, 1], y[0, 2]
    l0, l1, l2 = f1 * h2 - f2 * h1, f2 * h0 - f0 * h2, f0 * h1 - f1 * h0
    a0 = B[0, 0] * d0 + B[0, 1] * d1 + B[0, 2] * d2
    a1 = B[1, 0] * d0 + B[1, 1] * d1 + B[1, 2] * d2
    a2 = B[2, 0] * d0 + B[2, 1] * d1 + B[2, 2] * d2
    p0, p1, p2 = B[3, 0] - p[0], B[3, 1] - p[1], B[3, 2] - p[2]
    w[6] += B[0, 0] * l0 + B[0, 1] * l1 + B[0, 2] * l2 + p1 * a2 - p2 * a1
    w[7] += B[1, 0] * l0 + B[1, 1] * l1 + B[1, 2] * l2 + p2 * a0 - p0 * a2
    w[8] += B[2, 0] * l0 + B[2, 1] * l1 + B[2, 2] * l2 + p0 * a1 - p1 * a0
    w[9] += a0
    w[10] += a1
    w[11] += a2


@kernel
def held_shapes(
    kind: IntArray, group: TreeMarkers, i: int, j: int, q: FloatArray, p: FloatArray, F: tuple[float, float, float],
    n: tuple[float, float, float], block: FloatArray,
) -> None:  # fmt: skip
    """Further terms between the shapes of an interface, from column j of the way on, for a wrench at p."""
    c = group.path[i, j]
    count = shapes_behind(group.kind, c)
    T, room, load, G = np.empty((3, 3, 3)), np.empty((8, 3, 3)), np.empty((3, 3)), np.empty((count, count))
    A = group.axes[i, j]
    r0, r1, r2 = p[0] - A[3, 0], p[1] - A[3, 1], p[2] - A[3, 2]
    m0, m1, m2 = n[0] + r1 * F[2] - r2 * F[1], n[1] + r2 * F[0] - r0 * F[2], n[2] + r0 * F[1] - r1 * F[0]
    for k in range(3):
        load[0, k] = A[0, k] * F[0] + A[1, k] * F[1] + A[2, k] * F[2]
        load[1, k] = A[0, k] * m0 + A[1, k] * m1 + A[2, k] * m2
    modal_coupling(group.kind, group.screw, group.qi, c, q, load[0], load[1], G, T, room)
    for k in range(count):
        for m in range(count):
            block[j + k, j + m] += G[k, m]


hold_shapes = only_beyond(MODAL - 1, held_shapes)

TREE = MarkerKind(
    "link of a tree", TreeMarkers, tree_constants, tree_place, tree_place_tangent, tree_pull, scratch=("work", "axes")
)
