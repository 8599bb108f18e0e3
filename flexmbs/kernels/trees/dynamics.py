r"""Equations of motion of trees: forces, mass and exact tangents by sums over what lies beyond each joint.

With the momentum (p, l) of a link about the origin of reference its wrench of inertia, gravity included, is

.. math:: f = I A + V\times^* (I V), \qquad (v, w)\times^*(p, l) = (w\times p,\; v\times p + w\times l),

and :math:`r_k = S_k^T F_k` with the sum F of all wrenches beyond column k (recursive Newton-Euler). Let M be the sum of
the inertias I beyond a column (composite rigid bodies), and C that of

.. math:: C\,x = x\times^*(I V) + V\times^*(I x) - I\,(V\times x) = \begin{bmatrix} -2\tilde p \\
   \tilde w J - J\tilde w - \widetilde{J w} - 2\tilde h\tilde v \end{bmatrix} x_w .

A change of coordinate m, velocities held, changes velocity and acceleration of all links beyond as seen from these
by X and Y - V x X,

.. math:: X = V_0\times S, \qquad Y = A_0\times S + V_0\times X,

with V0, A0 before the joint. For m before k therefore

.. math:: M_{km} = S_m^T I_k S_k, \qquad D_{km} = S_k^T (C_k S_m + I_k (X_m + \dot S_m)), \qquad
   K_{km} = S_k^T (C_k X_m + I_k Y_m),

.. math:: D_{mk} = S_m^T (C_k S_k + I_k (X_k + \dot S_k)), \qquad
   K_{mk} = S_m^T (C_k X_k + I_k Y_k + S_k\times^* F_k).

These are the composite Jacobians of Pogorelov, in the form that Singh, Russell and Wensing gave them (Efficient
Analytical Derivatives of Rigid-Body Dynamics Using Spatial Vector Algebra, 2022), with the signs that differences
confirm. A rotation by quaternion has three columns fixed to what is turned; its derivatives are along R exp(dtheta~),
and between these columns only the first formulas hold. The cost is of order n times the depth of the tree.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel, only_beyond
from flexmbs.kernels.trees.group import A_, C_, F_, H_, J_, L_, M_, P_, R_, S_, SCREW, V_, X_, Y_, TreeGroup
from flexmbs.kernels.trees.modal import MODAL, modal_coupling, shapes_behind
from flexmbs.kernels.trees.motion import link_axes, outwards, place_columns

__all__ = [
    "composite_mass", "composite_tangent", "inwards", "link_inertia",
    "link_inertias", "momentum_of", "rigid_wrenches", "tree_energy",
    "tree_force", "tree_mass", "tree_mass_behind", "tree_tangent",
]  # fmt: skip


@kernel
def link_inertia(group: TreeGroup, c: int) -> None:
    """Mass, first moment and inertia of the link behind column c about the origin of reference."""
    w, m = group.work, group.m[c]
    w[c, M_] = m
    x, y, z = w[c, P_], w[c, P_ + 1], w[c, P_ + 2]
    h0 = w[c, 0] * group.h[c, 0] + w[c, 1] * group.h[c, 1] + w[c, 2] * group.h[c, 2]
    h1 = w[c, 3] * group.h[c, 0] + w[c, 4] * group.h[c, 1] + w[c, 5] * group.h[c, 2]
    h2 = w[c, 6] * group.h[c, 0] + w[c, 7] * group.h[c, 1] + w[c, 8] * group.h[c, 2]
    w[c, H_], w[c, H_ + 1], w[c, H_ + 2] = m * x + h0, m * y + h1, m * z + h2
    for k in range(3):
        a0 = w[c, 3 * k] * group.J[c, 0, 0] + w[c, 3 * k + 1] * group.J[c, 1, 0] + w[c, 3 * k + 2] * group.J[c, 2, 0]
        a1 = w[c, 3 * k] * group.J[c, 0, 1] + w[c, 3 * k + 1] * group.J[c, 1, 1] + w[c, 3 * k + 2] * group.J[c, 2, 1]
        a2 = w[c, 3 * k] * group.J[c, 0, 2] + w[c, 3 * k + 1] * group.J[c, 1, 2] + w[c, 3 * k + 2] * group.J[c, 2, 2]
        for n in range(3):
            w[c, J_ + 3 * k + n] = a0 * w[c, 3 * n] + a1 * w[c, 3 * n + 1] + a2 * w[c, 3 * n + 2]
    # about the origin: m (xx 1 - x x^T) + 2 x.h 1 - x h^T - h x^T
    both = m * (x * x + y * y + z * z) + 2.0 * (x * h0 + y * h1 + z * h2)
    w[c, J_] += both - m * x * x - 2.0 * x * h0
    w[c, J_ + 4] += both - m * y * y - 2.0 * y * h1
    w[c, J_ + 8] += both - m * z * z - 2.0 * z * h2
    xy, xz, yz = m * x * y + x * h1 + h0 * y, m * x * z + x * h2 + h0 * z, m * y * z + y * h2 + h1 * z
    w[c, J_ + 1] -= xy
    w[c, J_ + 3] -= xy
    w[c, J_ + 2] -= xz
    w[c, J_ + 6] -= xz
    w[c, J_ + 5] -= yz
    w[c, J_ + 7] -= yz


@kernel
def link_inertias(group: TreeGroup) -> None:
    """Mass, first moment and inertia of the links behind all columns."""
    for c in range(group.kind.shape[0]):
        link_inertia(group, c)


@kernel
def momentum_of(w: FloatArray, c: int, x: int, out: FloatArray) -> None:
    """out (6,) = I (what stands at x of row c), with the inertia in the row."""
    m, h0, h1, h2 = w[c, M_], w[c, H_], w[c, H_ + 1], w[c, H_ + 2]
    v0, v1, v2, a, b, d = w[c, x], w[c, x + 1], w[c, x + 2], w[c, x + 3], w[c, x + 4], w[c, x + 5]
    out[0] = m * v0 + b * h2 - d * h1
    out[1] = m * v1 + d * h0 - a * h2
    out[2] = m * v2 + a * h1 - b * h0
    out[3] = h1 * v2 - h2 * v1 + w[c, J_] * a + w[c, J_ + 1] * b + w[c, J_ + 2] * d
    out[4] = h2 * v0 - h0 * v2 + w[c, J_ + 3] * a + w[c, J_ + 4] * b + w[c, J_ + 5] * d
    out[5] = h0 * v1 - h1 * v0 + w[c, J_ + 6] * a + w[c, J_ + 7] * b + w[c, J_ + 8] * d


@kernel
def inertia_wrench(w: FloatArray, c: int, p: FloatArray, f: FloatArray) -> None:
    """I A + V x* (I V) of the link in row c into its place F; p, f (6,) are room, p leaves with I V."""
    momentum_of(w, c, V_, p)
    momentum_of(w, c, A_, f)
    v0, v1, v2, a, b, d = w[c, V_], w[c, V_ + 1], w[c, V_ + 2], w[c, V_ + 3], w[c, V_ + 4], w[c, V_ + 5]
    w[c, F_] = f[0] + b * p[2] - d * p[1]
    w[c, F_ + 1] = f[1] + d * p[0] - a * p[2]
    w[c, F_ + 2] = f[2] + a * p[1] - b * p[0]
    w[c, F_ + 3] = f[3] + v1 * p[2] - v2 * p[1] + b * p[5] - d * p[4]
    w[c, F_ + 4] = f[4] + v2 * p[0] - v0 * p[2] + d * p[3] - a * p[5]
    w[c, F_ + 5] = f[5] + v0 * p[1] - v1 * p[0] + a * p[4] - b * p[3]


@kernel
def velocity_matrix(w: FloatArray, c: int, p: FloatArray) -> None:
    """L and C of the link in row c from its momentum p."""
    for k in range(3):
        w[c, L_ + k] = p[k]
    v0, v1, v2, a, b, d = w[c, V_], w[c, V_ + 1], w[c, V_ + 2], w[c, V_ + 3], w[c, V_ + 4], w[c, V_ + 5]
    h0, h1, h2 = w[c, H_], w[c, H_ + 1], w[c, H_ + 2]
    s0 = w[c, J_] * a + w[c, J_ + 1] * b + w[c, J_ + 2] * d
    s1 = w[c, J_ + 3] * a + w[c, J_ + 4] * b + w[c, J_ + 5] * d
    s2 = w[c, J_ + 6] * a + w[c, J_ + 7] * b + w[c, J_ + 8] * d
    hv = h0 * v0 + h1 * v1 + h2 * v2
    for n in range(3):
        j0, j1, j2 = w[c, J_ + n], w[c, J_ + 3 + n], w[c, J_ + 6 + n]
        # w~ J - 2 h~ v~, the latter v h^T - h.v 1
        h = w[c, H_ + n]
        w[c, C_ + n] = b * j2 - d * j1 - 2.0 * v0 * h
        w[c, C_ + 3 + n] = d * j0 - a * j2 - 2.0 * v1 * h
        w[c, C_ + 6 + n] = a * j1 - b * j0 - 2.0 * v2 * h
    for k in range(3):  # -J w~
        j0, j1, j2 = w[c, J_ + 3 * k], w[c, J_ + 3 * k + 1], w[c, J_ + 3 * k + 2]
        w[c, C_ + 3 * k] -= j1 * d - j2 * b
        w[c, C_ + 3 * k + 1] -= j2 * a - j0 * d
        w[c, C_ + 3 * k + 2] -= j0 * b - j1 * a
        w[c, C_ + 4 * k] += 2.0 * hv
    w[c, C_ + 1] += s2
    w[c, C_ + 2] -= s1
    w[c, C_ + 3] -= s2
    w[c, C_ + 5] += s0
    w[c, C_ + 6] += s1
    w[c, C_ + 7] -= s0


@kernel
def tree_force(group: TreeGroup, state: State, env: Env, work: MarkerWork) -> int:
    """r += inertia and gravity, M a included."""
    place_columns(group, state.q)
    outwards(group, state.q, state.v, state.a, env.scale, False)
    rigid_wrenches(group, work, False)
    inwards(group, work, False)
    return -1


@kernel
def rigid_wrenches(group: TreeGroup, work: MarkerWork, derivatives: bool) -> None:
    """Wrenches of inertia of all rigid links, with ``derivatives`` also L and C; after `outwards`."""
    room = work.S
    for c in range(group.kind.shape[0]):
        link_inertia(group, c)
        inertia_wrench(group.work, c, room[0], room[1])
        if derivatives:
            velocity_matrix(group.work, c, room[0])


@kernel
def inwards(group: TreeGroup, work: MarkerWork, derivatives: bool) -> None:
    """Sums over what lies beyond each column, of wrenches and with ``derivatives`` of all else; and r."""
    w, r = group.work, work.r
    count = 31 if derivatives else 6
    for c in range(group.kind.shape[0] - 1, -1, -1):
        s = 0.0
        for k in range(6):
            s += w[c, S_ + k] * w[c, F_ + k]
        r[group.dof[c]] += s
        u = group.parent[c]
        if u >= 0:
            for k in range(F_, F_ + count):
                w[u, k] += w[c, k]


@kernel
def tree_mass(group: TreeGroup, q: FloatArray, blocks: FloatArray) -> None:
    """The mass matrices of trees of rigid links at q into the blocks."""
    place_columns(group, q)
    for c in range(group.kind.shape[0]):
        link_inertia(group, c)
    composite_mass(group, blocks)


@kernel
def composite_mass(group: TreeGroup, blocks: FloatArray) -> None:
    """Mass matrices from the inertia of each link in ``group.work``, which becomes that of what lies beyond."""
    w = group.work
    for tree in range(group.start.shape[0] - 1):
        first, end = group.start[tree], group.start[tree + 1]
        size, o = group.size[tree], group.blk[tree]
        for i in range(o, o + size * size):
            blocks[i] = 0.0
        for c in range(end - 1, first - 1, -1):
            u = group.parent[c]
            if u >= 0:
                for k in range(M_, M_ + 13):
                    w[u, k] += w[c, k]
            mass_of_column(group, c, o, size, w[c, F_ : F_ + 6], blocks)


@kernel
def tree_mass_behind(group: TreeGroup, blocks: FloatArray) -> None:
    """`tree_mass` behind `tree_tangent` at the same place, which has summed the inertia up."""
    w = group.work
    for tree in range(group.start.shape[0] - 1):
        first, end = group.start[tree], group.start[tree + 1]
        size, o = group.size[tree], group.blk[tree]
        for i in range(o, o + size * size):
            blocks[i] = 0.0
        for c in range(end - 1, first - 1, -1):
            mass_of_column(group, c, o, size, w[c, F_ : F_ + 6], blocks)


@kernel
def mass_of_column(group: TreeGroup, c: int, o: int, size: int, y: FloatArray, blocks: FloatArray) -> None:
    """What a column brings to the mass matrix at o, from the inertia beyond it; y (6,) is room."""
    w = group.work
    momentum_of(w, c, S_, y)
    m = c
    while m >= 0:
        s = 0.0
        for k in range(6):
            s += w[m, S_ + k] * y[k]
        blocks[o + group.place[c] * size + group.place[m]] += s
        if m != c:
            blocks[o + group.place[m] * size + group.place[c]] += s
        m = group.parent[m]


@kernel
def columns_of_tangent(
    group: TreeGroup, c: int, weights: tuple[float, float], T: FloatArray, p: FloatArray, out: FloatArray
) -> None:
    """What column c brings to the tangent, into rows of ``out (5, 6)``; p (6,) is room.

    y = I S; z = C^T S in its second half; b, and a in its second half; e for the rows of columns before.
    """
    w = group.work
    wq, wv = weights
    kind = group.kind[c]
    last = c + 3 - kind if 0 < kind < MODAL else c  # the column behind which the joint ends
    y, z, b, a, e = out[0], out[1], out[2], out[3], out[4]
    momentum_of(w, c, S_, y)
    # C^T S = 2 p x S_v + Cm^T S_w
    s0, s1, s2, s3, s4, s5 = w[c, S_], w[c, S_ + 1], w[c, S_ + 2], w[c, S_ + 3], w[c, S_ + 4], w[c, S_ + 5]
    l0, l1, l2 = w[c, L_], w[c, L_ + 1], w[c, L_ + 2]
    z[3] = 2.0 * (l1 * s2 - l2 * s1) + w[c, C_] * s3 + w[c, C_ + 3] * s4 + w[c, C_ + 6] * s5
    z[4] = 2.0 * (l2 * s0 - l0 * s2) + w[c, C_ + 1] * s3 + w[c, C_ + 4] * s4 + w[c, C_ + 7] * s5
    z[5] = 2.0 * (l0 * s1 - l1 * s0) + w[c, C_ + 2] * s3 + w[c, C_ + 5] * s4 + w[c, C_ + 8] * s5
    # b = wq Y T + wv (X + Sdot), a = (wq X T + wv S)_w; Sdot = V x S behind the joint, of shapes X
    v0, v1, v2 = w[last, V_], w[last, V_ + 1], w[last, V_ + 2]
    r0, r1, r2 = w[last, V_ + 3], w[last, V_ + 4], w[last, V_ + 5]
    b[0] = wv * (w[c, X_] + r1 * s2 - r2 * s1 + v1 * s5 - v2 * s4)
    b[1] = wv * (w[c, X_ + 1] + r2 * s0 - r0 * s2 + v2 * s3 - v0 * s5)
    b[2] = wv * (w[c, X_ + 2] + r0 * s1 - r1 * s0 + v0 * s4 - v1 * s3)
    b[3] = wv * (w[c, X_ + 3] + r1 * s5 - r2 * s4)
    b[4] = wv * (w[c, X_ + 4] + r2 * s3 - r0 * s5)
    b[5] = wv * (w[c, X_ + 5] + r0 * s4 - r1 * s3)
    a[3], a[4], a[5] = wv * s3, wv * s4, wv * s5
    for k in range(6):
        p[k] = 0.0
        if kind >= MODAL:
            b[k] = 2.0 * wv * w[c, X_ + k]
    if kind == SCREW or kind >= MODAL:
        for k in range(6):
            b[k] += wq * w[c, Y_ + k]
            p[k] = wq * w[c, S_ + k]
        for k in range(3, 6):
            a[k] += wq * w[c, X_ + k]
    else:
        rot, first = group.rot[c], c + 1 - kind
        for i in range(3):
            f = wq * T[rot, i, kind - 1]
            for k in range(6):
                b[k] += f * w[first + i, Y_ + k]
                p[k] += f * w[first + i, S_ + k]
            for k in range(3, 6):
                a[k] += f * w[first + i, X_ + k]
    # e = C a + I b + p x* F, p the column of S T times wq
    m, h0, h1, h2 = w[c, M_], w[c, H_], w[c, H_ + 1], w[c, H_ + 2]
    f0, f1, f2, n0, n1, n2 = w[c, F_], w[c, F_ + 1], w[c, F_ + 2], w[c, F_ + 3], w[c, F_ + 4], w[c, F_ + 5]
    e[0] = -2.0 * (l1 * a[5] - l2 * a[4]) + m * b[0] + b[4] * h2 - b[5] * h1 + p[4] * f2 - p[5] * f1
    e[1] = -2.0 * (l2 * a[3] - l0 * a[5]) + m * b[1] + b[5] * h0 - b[3] * h2 + p[5] * f0 - p[3] * f2
    e[2] = -2.0 * (l0 * a[4] - l1 * a[3]) + m * b[2] + b[3] * h1 - b[4] * h0 + p[3] * f1 - p[4] * f0
    for k in range(3):
        s = 0.0
        for n in range(3):
            s += w[c, C_ + 3 * k + n] * a[3 + n] + w[c, J_ + 3 * k + n] * b[3 + n]
        e[3 + k] = s
    e[3] += h1 * b[2] - h2 * b[1] + p[1] * f2 - p[2] * f1 + p[4] * n2 - p[5] * n1
    e[4] += h2 * b[0] - h0 * b[2] + p[2] * f0 - p[0] * f2 + p[5] * n0 - p[3] * n2
    e[5] += h0 * b[1] - h1 * b[0] + p[0] * f1 - p[1] * f0 + p[3] * n1 - p[4] * n0


@kernel
def tree_tangent(group: TreeGroup, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> int:
    """The same, and wq dr/dq T + wv dr/dv at fixed a into the blocks."""
    place_columns(group, state.q)
    outwards(group, state.q, state.v, state.a, env.scale, True)
    rigid_wrenches(group, work, True)
    inwards(group, work, True)
    composite_tangent(group, state.q, work, weights)
    return -1


@kernel
def composite_tangent(group: TreeGroup, q: FloatArray, work: MarkerWork, weights: tuple[float, float]) -> None:
    """Blocks from the sums that `inwards` leaves."""
    w, B, room = group.work, work.B, group.room
    for c in range(group.kind.shape[0]):
        columns_of_tangent(group, c, weights, work.T, work.S[0], room[c])
    for tree in range(group.start.shape[0] - 1):
        first, end = group.start[tree], group.start[tree + 1]
        size, o = group.size[tree], group.blk[tree]
        for i in range(o, o + size * size):
            B[i] = 0.0
        for c in range(first, end):
            row = o + group.place[c] * size
            m = c
            while m >= 0:
                col = group.place[m]
                B[row + col] += lower(room[c], room[m])
                if m != c:
                    if group.head[m] == group.head[c]:
                        B[o + col * size + group.place[c]] += lower(room[m], room[c])
                    else:
                        s = 0.0
                        for k in range(6):
                            s += w[m, S_ + k] * room[c, 4, k]
                        B[o + col * size + group.place[c]] += s
                m = group.parent[m]
            if group.kind[c] == MODAL and weights[0] != 0.0:
                couple_shapes(group.kind, group, tree, c, q, weights[0], B)


@kernel
def lower(row: FloatArray, column: FloatArray) -> float:
    """y . b + z . a, of a column and one before it or of the same joint."""
    y, z, b, a = row[0], row[1], column[2], column[3]
    s: float = y[0] * b[0] + y[1] * b[1] + y[2] * b[2] + y[3] * b[3] + y[4] * b[4] + y[5] * b[5]
    s += z[3] * a[3] + z[4] * a[4] + z[5] * a[5]
    return s


@kernel
def carried_shapes(
    kind: IntArray, group: TreeGroup, tree: int, c: int, q: FloatArray, wq: float, B: FloatArray
) -> None:
    """What the shapes of an interface from column c on do to the forces on each other, a wrench being carried along."""
    w, size, o = group.work, group.size[tree], group.blk[tree]
    n = shapes_behind(group.kind, c)
    T, room, axes, load = np.empty((3, 3, 3)), np.empty((8, 3, 3)), np.empty((3, 3)), np.empty((3, 3))
    G = np.empty((n, n))
    link_axes(group, tree, c, axes)
    x, y, z = w[c, P_], w[c, P_ + 1], w[c, P_ + 2]
    f0, f1, f2 = w[c, F_], w[c, F_ + 1], w[c, F_ + 2]
    load[2, 0] = w[c, F_ + 3] - (y * f2 - z * f1)  # moment about the interface
    load[2, 1] = w[c, F_ + 4] - (z * f0 - x * f2)
    load[2, 2] = w[c, F_ + 5] - (x * f1 - y * f0)
    for k in range(3):
        load[0, k] = axes[0, k] * f0 + axes[1, k] * f1 + axes[2, k] * f2
        load[1, k] = axes[0, k] * load[2, 0] + axes[1, k] * load[2, 1] + axes[2, k] * load[2, 2]
    modal_coupling(group.kind, group.screw, group.qi, c, q, load[0], load[1], G, T, room)
    for k in range(n):
        for m in range(n):
            B[o + group.place[c + k] * size + group.place[c + m]] += wq * G[k, m]


couple_shapes = only_beyond(MODAL - 1, carried_shapes)


@kernel
def tree_energy(group: TreeGroup, q: FloatArray, scale: FloatArray, energy: FloatArray) -> None:
    """Potential of gravity of each tree (n_t,), zero at the origin of the inertial frame."""
    w = group.work
    place_columns(group, q)
    for tree in range(group.start.shape[0] - 1):
        energy[tree] = 0.0
        for c in range(group.start[tree], group.start[tree + 1]):
            m = group.m[c]
            if m == 0.0:
                continue
            for k in range(3):
                place = m * (group.origin[tree, k] + w[c, P_ + k])
                for n in range(3):
                    place += w[c, R_ + 3 * k + n] * group.h[c, n]
                for i in range(group.load.shape[0]):
                    energy[tree] -= scale[group.load[i]] * group.g[i, k] * place
