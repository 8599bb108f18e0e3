r"""The generic chain rule: whatever acts between two markers, written in their twists, on the coordinates of any body.

A joint is a set of rows :math:`g_j(p_A, R_A, p_B, R_B)` with gradient :math:`G_j` (12 numbers: translation and rotation
of A, then of B) and :math:`H_j = \partial G_j^T/\partial(\text{pose})`. With the multiplier :math:`\lambda_j` it adds
the wrenches :math:`W = G_j^T \lambda_j` to its two markers and its value to the constraint; then

.. math:: r \mathrel{+}= J^T W, \qquad K \mathrel{+}= J^T (\lambda_j H_j) J + \text{pullback}, \qquad G = G_j J.

A force F(s, ds/dt) along a row adds :math:`W = G_j^T F`,
:math:`K \mathrel{+}= J^T (F H + F_s G^T G + F_{\dot s} G^T (\dot x^T H)) J + F_{\dot s}\, J^T G^T G\,(Jv)_q` and
:math:`D \mathrel{+}= F_{\dot s} (G J)^T (G J)`.

Symbols: i, k markers A and B; o offset of the block of a pair, N its order (coordinates of A, of B, equations); S is
scratch: rows 0-11 the matrix of a pair in twists, from row 12 on its gradients.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.rows.rows import counts_turns, curvature, moves, row_gradient, row_hessian, row_value, turns

__all__ = [
    "AngleGroup",
    "JointGroup",
    "joint_coupling",
    "joint_force",
    "joint_gamma",
    "joint_rates",
    "joint_tangent",
    "pull_down",
    "update_angles",
]


class JointGroup(NamedTuple):
    """All joints: pairs of markers and their rows.

    ``mA, mB (n_p,)`` markers; ``ptr (n_p + 1,)`` rows of a pair; ``off, order (n_p,)`` block of a pair in ``B``; per
    row ``kind``, ``c (n, 12)``, ``near`` (last value of an angle), ``eq`` (place of its equation in ``r``), ``factor``,
    ``level`` (0 position, 1 velocity), ``local`` (column of its equation in the block); ``mptr``: rows of a marker in
    ``JT``; ``n_v``: number of velocities.
    """

    mA: IntArray
    mB: IntArray
    ptr: IntArray
    off: IntArray
    order: IntArray
    kind: IntArray
    c: FloatArray
    near: FloatArray
    eq: IntArray
    factor: FloatArray
    level: IntArray
    local: IntArray
    mptr: IntArray
    n_v: int


class AngleGroup(NamedTuple):
    """Angles that joints leave free and nothing acts on, whose turns are counted: columns as of `JointGroup`."""

    mA: IntArray
    mB: IntArray
    ptr: IntArray
    kind: IntArray
    c: FloatArray
    near: FloatArray


@kernel
def joint_force(group: JointGroup, state: State, env: Env, work: MarkerWork) -> int:
    """Wrenches of all multipliers into ``W``, constraint values (or rates, for velocity rows) into ``r``."""
    p, R, W, S, r, lam, twist = work.p, work.R, work.W, work.S, work.r, state.lam, work.twist
    kind, c, near, eq, factor, level, ptr = (
        group.kind, group.c, group.near, group.eq, group.factor, group.level, group.ptr,
    )  # fmt: skip
    for n in range(group.mA.shape[0]):
        i, k = group.mA[n], group.mB[n]
        for j in range(ptr[n], ptr[n + 1]):
            value = row_gradient(kind[j], j, c, near, i, k, p, R, S, 12)
            f = factor[j]
            if level[j] == 1:
                value = 0.0
                for m in range(6):
                    value += S[12, m] * twist[i, m] + S[12, 6 + m] * twist[k, m]
            r[eq[j]] += f * value
            f *= lam[eq[j] - group.n_v]
            for m in range(6):
                W[i, m] += f * S[12, m]
                W[k, m] += f * S[12, 6 + m]
    return -1


@kernel
def add_product(
    o: int,
    N: int,
    w: float,
    i: int,
    k: int,
    mptr: IntArray,
    S: FloatArray,
    JT: FloatArray,
    JcT: FloatArray,
    B: FloatArray,
) -> None:
    """B += w J^T S[0:12, 0:12] Jc on the coordinates of a pair."""
    a0, nA = mptr[i], mptr[i + 1] - mptr[i]
    b0, nB = mptr[k], mptr[k + 1] - mptr[k]
    t = S[62]
    for col in range(nA + nB):
        if col < nA:
            row, base = a0 + col, 0
        else:
            row, base = b0 + col - nA, 6
        x0, x1, x2 = JcT[row, 0], JcT[row, 1], JcT[row, 2]
        x3, x4, x5 = JcT[row, 3], JcT[row, 4], JcT[row, 5]
        for m in range(12):
            t[m] = w * (
                S[m, base] * x0 + S[m, base + 1] * x1 + S[m, base + 2] * x2
                + S[m, base + 3] * x3 + S[m, base + 4] * x4 + S[m, base + 5] * x5
            )  # fmt: skip
        for a in range(nA):
            u = a0 + a
            B[o + a * N + col] += (
                JT[u, 0] * t[0]
                + JT[u, 1] * t[1]
                + JT[u, 2] * t[2]
                + JT[u, 3] * t[3]
                + JT[u, 4] * t[4]
                + JT[u, 5] * t[5]
            )
        for b in range(nB):
            u = b0 + b
            B[o + (nA + b) * N + col] += (
                JT[u, 0] * t[6]
                + JT[u, 1] * t[7]
                + JT[u, 2] * t[8]
                + JT[u, 3] * t[9]
                + JT[u, 4] * t[10]
                + JT[u, 5] * t[11]
            )


@kernel
def leading_units(first: int, end: int, JT: FloatArray) -> int:
    """3 if the first coordinates of a marker are the translations of its point, as in rigid bodies; else 0."""
    if end - first < 3:
        return 0
    for a in range(3):
        for m in range(6):
            if JT[first + a, m] != (1.0 if m == a else 0.0):
                return 0
    return 3


@kernel
def set_rotation_product(
    o: int, N: int, w: float, sA: int, sB: int, i: int, k: int, mptr: IntArray, S: FloatArray,
    JT: FloatArray, JcT: FloatArray, B: FloatArray,
) -> None:  # fmt: skip
    """B = w J^T S Jc for a matrix in the rotations only, between coordinates from ``sA`` and ``sB`` on."""
    a0, nA = mptr[i], mptr[i + 1] - mptr[i]
    b0, nB = mptr[k], mptr[k + 1] - mptr[k]
    for col in range(sA, nA + nB):
        if col < nA:
            row, base = a0 + col, 3
        else:
            if col < nA + sB:
                continue
            row, base = b0 + col - nA, 9
        x, y, z = w * JcT[row, 3], w * JcT[row, 4], w * JcT[row, 5]
        t0 = S[3, base] * x + S[3, base + 1] * y + S[3, base + 2] * z
        t1 = S[4, base] * x + S[4, base + 1] * y + S[4, base + 2] * z
        t2 = S[5, base] * x + S[5, base + 1] * y + S[5, base + 2] * z
        for a in range(sA, nA):
            B[o + a * N + col] = JT[a0 + a, 3] * t0 + JT[a0 + a, 4] * t1 + JT[a0 + a, 5] * t2
        t0 = S[9, base] * x + S[9, base + 1] * y + S[9, base + 2] * z
        t1 = S[10, base] * x + S[10, base + 1] * y + S[10, base + 2] * z
        t2 = S[11, base] * x + S[11, base + 1] * y + S[11, base + 2] * z
        for b in range(sB, nB):
            B[o + (nA + b) * N + col] = JT[b0 + b, 3] * t0 + JT[b0 + b, 4] * t1 + JT[b0 + b, 5] * t2


@kernel
def add_gradient(
    q: int, u: int, N: int, f: float, moves: bool, turns: bool, units: int, first: int, end: int,
    g0: float, g1: float, g2: float, g3: float, g4: float, g5: float, JT: FloatArray, JcT: FloatArray, B: FloatArray,
) -> None:  # fmt: skip
    """f (g Jc) added to the row of B from ``q`` on and f (g J) to the column from ``u`` on, for one marker."""
    if units == 3 and moves:
        B[q] += f * g0
        B[q + 1] += f * g1
        B[q + 2] += f * g2
        B[u] += f * g0
        B[u + N] += f * g1
        B[u + 2 * N] += f * g2
    for a in range(units, end - first):
        n = first + a
        x = y = 0.0
        if moves:
            x = g0 * JcT[n, 0] + g1 * JcT[n, 1] + g2 * JcT[n, 2]
            y = g0 * JT[n, 0] + g1 * JT[n, 1] + g2 * JT[n, 2]
        if turns:
            x += g3 * JcT[n, 3] + g4 * JcT[n, 4] + g5 * JcT[n, 5]
            y += g3 * JT[n, 3] + g4 * JT[n, 4] + g5 * JT[n, 5]
        B[q + a] += f * x
        B[u + a * N] += f * y


@kernel
def clear_joint(o: int, N: int, m: int, curved: int, S: FloatArray, B: FloatArray) -> None:
    """Zero in the parts of a block that are added up: its m equations, with ``curved`` = 2 all; scratch likewise."""
    if curved == 2:
        B[o : o + N * N] = 0.0
        S[0:12] = 0.0
        return
    k = N - m
    for a in range(k):
        for b in range(k, N):
            B[o + a * N + b] = 0.0
    for a in range(o + k * N, o + N * N):
        B[a] = 0.0
    if curved == 1:
        for a in range(3, 6):
            for b in range(3):
                S[a, 3 + b] = S[a, 9 + b] = S[6 + a, 3 + b] = S[6 + a, 9 + b] = 0.0


@kernel
def change_by_turns(
    kind: int, j: int, c: FloatArray, near: FloatArray, i: int, k: int, p: FloatArray, R: FloatArray,
    twist: FloatArray, first: int, end: int, S: FloatArray,
) -> None:  # fmt: skip
    """The derivative (12,) of the rate of a row by the poses, twists held, into ``S[13]``: twist^T H.

    ``first, end``: which of the six components of a twist count for this kind. H stays in ``S[14:26]``.
    """
    h, H = S[13], S[14:26]
    for m in range(12):
        h[m] = 0.0
    if curvature(kind) == 0:
        return
    for axis in range(first, end):
        for m in range(first, end):
            H[axis, m] = H[axis, 6 + m] = H[6 + axis, m] = H[6 + axis, 6 + m] = 0.0
    row_hessian(kind, j, c, near, i, k, p, R, 1.0, H)
    for axis in range(first, end):
        of_a, of_b = twist[i, axis], twist[k, axis]
        for m in range(first, end):
            h[m] += of_a * H[axis, m] + of_b * H[6 + axis, m]
            h[6 + m] += of_a * H[axis, 6 + m] + of_b * H[6 + axis, 6 + m]


@kernel
def add_second_derivative(f: float, first: int, end: int, S: FloatArray) -> None:
    """f H added to ``S[0:12]``, with the H that `change_by_turns` has left."""
    for axis in range(first, end):
        for m in range(first, end):
            S[axis, m] += f * S[14 + axis, m]
            S[axis, 6 + m] += f * S[14 + axis, 6 + m]
            S[6 + axis, m] += f * S[20 + axis, m]
            S[6 + axis, 6 + m] += f * S[20 + axis, 6 + m]


@kernel
def add_rate_row(
    q: int, u: int, N: int, f: float, ratio: float, first: int, end: int, side: int, start: int, count: int,
    S: FloatArray, JT: FloatArray, JcT: FloatArray, JvT: FloatArray, B: FloatArray,
) -> None:  # fmt: skip
    """f (ratio (Gv)_q T + G) added to the row of B from ``q`` on and f G to the column from ``u`` on, for one marker.

    The gradient is in ``S[12]``, what `change_by_turns` gives in ``S[13]``, those of the marker from ``side`` on.
    """
    for a in range(count):
        n = start + a
        x = y = 0.0
        for m in range(first, end):
            x += S[13, side + m] * JcT[n, m] + S[12, side + m] * JvT[n, m]
            y += S[12, side + m] * JT[n, m]
        B[q + a] += f * (ratio * x + y)
        B[u + a * N] += f * y


@kernel
def joint_tangent(
    group: JointGroup, state: State, env: Env, work: MarkerWork, weights: tuple[float, float], on_rates: int
) -> int:
    """The same as `joint_force`, and the blocks: wq K on the coordinates, G and G^T with unit weight.

    A velocity row G v = 0 becomes (wq / wv) (Gv)_q T + G, so that it, too, has G with unit weight. With ``on_rates``
    = 1 so do the position rows, for a scheme that demands G v + g_t = 0 of them; their values stay those of positions.
    With -1 all rows are G alone, for equations that are linear in the accelerations.
    """
    wq, wv = weights
    ratio = wq / wv if wv != 0.0 and on_rates != -1 else 0.0
    p, R, W, S, r, lam, twist = work.p, work.R, work.W, work.S, work.r, state.lam, work.twist
    JT, JcT, JvT, B, mptr = work.JT, work.JcT, work.JvT, work.B, group.mptr
    kind, c, near, eq, factor, level, ptr = (
        group.kind, group.c, group.near, group.eq, group.factor, group.level, group.ptr,
    )  # fmt: skip
    for n in range(group.mA.shape[0]):
        i, k, o, N = group.mA[n], group.mB[n], group.off[n], group.order[n]
        a0, nA = mptr[i], mptr[i + 1] - mptr[i]
        b0, nB = mptr[k], mptr[k + 1] - mptr[k]
        sA, sB = leading_units(a0, a0 + nA, JT), leading_units(b0, b0 + nB, JT)
        curved = 0  # 0: no second derivatives, 1: in the rotations, 2: everywhere
        for j in range(ptr[n], ptr[n + 1]):
            curved = max(curved, curvature(kind[j]))
        clear_joint(o, N, N - nA - nB, curved, S, B)
        for j in range(ptr[n], ptr[n + 1]):
            value = row_gradient(kind[j], j, c, near, i, k, p, R, S, 12)
            f = factor[j]
            q = o + group.local[j] * N
            u = o + group.local[j]
            g = S[12]
            by_points, by_turns = moves(kind[j]) == 1, turns(kind[j]) == 1
            first, end = 0 if by_points else 3, 6 if by_turns else 3
            by_rates = level[j] == 1 or on_rates == 1
            if by_rates:
                if level[j] == 1:
                    value = 0.0
                    for m in range(6):
                        value += g[m] * twist[i, m] + g[6 + m] * twist[k, m]
                change_by_turns(kind[j], j, c, near, i, k, p, R, twist, first, end, S)
                add_rate_row(q, u, N, f, ratio, first, end, 0, a0, nA, S, JT, JcT, JvT, B)
                add_rate_row(q + nA, u + nA * N, N, f, ratio, first, end, 6, b0, nB, S, JT, JcT, JvT, B)
            else:
                add_gradient(
                    q, u, N, f, by_points, by_turns, sA, a0, a0 + nA, g[0], g[1], g[2], g[3], g[4], g[5], JT, JcT, B
                )  # fmt: skip
                add_gradient(
                    q + nA, u + nA * N, N, f, by_points, by_turns, sB, b0, b0 + nB, g[6], g[7], g[8], g[9], g[10],
                    g[11], JT, JcT, B,
                )  # fmt: skip
            r[eq[j]] += f * value
            f *= lam[eq[j] - group.n_v]
            for m in range(6):
                W[i, m] += f * g[m]
                W[k, m] += f * g[6 + m]
            if f != 0.0 and curvature(kind[j]) > 0:
                if by_rates:
                    add_second_derivative(f, first, end, S)
                else:
                    row_hessian(kind[j], j, c, near, i, k, p, R, f, S)
        if curved == 1:
            set_rotation_product(o, N, wq, sA, sB, i, k, mptr, S, JT, JcT, B)
        elif curved == 2:
            add_product(o, N, wq, i, k, mptr, S, JT, JcT, B)
    return -1


@kernel
def joint_rates(group: JointGroup, work: MarkerWork, rate: FloatArray) -> None:
    """G v of all equations into ``rate (n_c,)``, added to what it holds."""
    S, twist = work.S, work.twist
    for n in range(group.mA.shape[0]):
        i, k = group.mA[n], group.mB[n]
        for j in range(group.ptr[n], group.ptr[n + 1]):
            row_gradient(group.kind[j], j, group.c, group.near, i, k, work.p, work.R, S, 12)
            value = 0.0
            for m in range(6):
                value += S[12, m] * twist[i, m] + S[12, 6 + m] * twist[k, m]
            rate[group.eq[j] - group.n_v] += group.factor[j] * value


@kernel
def joint_coupling(group: JointGroup, dof: IntArray, B: FloatArray, y: FloatArray, out: FloatArray) -> None:
    """out -= (G_rates - G) y, from the blocks that `joint_tangent` made with ``on_rates``: what y does to G v / wv."""
    mptr = group.mptr
    for n in range(group.mA.shape[0]):
        i, k, o, N = group.mA[n], group.mB[n], group.off[n], group.order[n]
        a0, nA = mptr[i], mptr[i + 1] - mptr[i]
        b0, nB = mptr[k], mptr[k + 1] - mptr[k]
        for local in range(nA + nB, N):
            s = 0.0
            for a in range(nA + nB):
                d = dof[a0 + a] if a < nA else dof[b0 + a - nA]
                s += (B[o + local * N + a] - B[o + a * N + local]) * y[d]
            for j in range(group.ptr[n], group.ptr[n + 1]):
                if group.local[j] == local:
                    out[group.eq[j] - group.n_v] -= s
                    break


@kernel
def joint_gamma(group: JointGroup, v: FloatArray, dof: IntArray, work: MarkerWork, gamma: FloatArray) -> None:
    """(dG/dt) v of all equations added to ``gamma (n_c,)``: twist^T H twist + G (dJ/dt) v; (dJ/dt) v = (Jv)_q v."""
    S, twist, kind = work.S, work.twist, group.kind
    for n in range(group.mA.shape[0]):
        i, k = group.mA[n], group.mB[n]
        turning(i, v, dof, group.mptr, work.JvT, S[26])
        turning(k, v, dof, group.mptr, work.JvT, S[27])
        for j in range(group.ptr[n], group.ptr[n + 1]):
            row_gradient(kind[j], j, group.c, group.near, i, k, work.p, work.R, S, 12)
            first, end = 0 if moves(kind[j]) == 1 else 3, 6 if turns(kind[j]) == 1 else 3
            change_by_turns(kind[j], j, group.c, group.near, i, k, work.p, work.R, twist, first, end, S)
            value = 0.0
            for m in range(first, end):
                value += S[13, m] * twist[i, m] + S[13, 6 + m] * twist[k, m]
                value += S[12, m] * S[26, m] + S[12, 6 + m] * S[27, m]
            gamma[group.eq[j] - group.n_v] += group.factor[j] * value


@kernel
def turning(i: int, v: FloatArray, dof: IntArray, mptr: IntArray, JvT: FloatArray, out: FloatArray) -> None:
    """(dJ/dt) v of a marker into ``out (6,)``."""
    for m in range(6):
        out[m] = 0.0
    for a in range(mptr[i], mptr[i + 1]):
        for m in range(6):
            out[m] += JvT[a, m] * v[dof[a]]


@kernel
def pull_down(mptr: IntArray, dof: IntArray, JT: FloatArray, W: FloatArray, r: FloatArray) -> None:
    """r += J^T W for all markers."""
    for i in range(W.shape[0]):
        w0, w1, w2, w3, w4, w5 = W[i, 0], W[i, 1], W[i, 2], W[i, 3], W[i, 4], W[i, 5]
        for k in range(mptr[i], mptr[i + 1]):
            r[dof[k]] += JT[k, 0] * w0 + JT[k, 1] * w1 + JT[k, 2] * w2 + JT[k, 3] * w3 + JT[k, 4] * w4 + JT[k, 5] * w5


@kernel
def update_angles(
    mA: IntArray,
    mB: IntArray,
    ptr: IntArray,
    kind: IntArray,
    c: FloatArray,
    near: FloatArray,
    p: FloatArray,
    R: FloatArray,
) -> None:
    """Present values of all angles into ``near``."""
    for n in range(mA.shape[0]):
        for j in range(ptr[n], ptr[n + 1]):
            if counts_turns(kind[j]) == 1:
                near[j] = row_value(kind[j], j, c, near, mA[n], mB[n], p, R)
