r"""Scalar and matrix laws on rows between markers, by the chain rule (`flexmbs.kernels.pairs`).

With rows s_i of gradient G_i (times their factors), rates G_i x of the twists x, and forces
F = law(s, ds/dt): W = G^T F and

.. math:: X = F_i H_i + G_i^T K_{ij} G_j + G_i^T C_{ij} (x^T H_j), \qquad
   D = (G_i J)^T C_{ij} (G_j J), \qquad K = J^T X J + (G_i J)^T C_{ij}\, G_j (Jv)_q.

Scratch: rows 0-11 X, 12-17 G, 18-23 x^T H, 24 s, 25 ds/dt, 26 F, 27-32 K, 33-38 C, 39-50 H of a row, 51-56 G J by
coordinate, 57-61 spare.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.laws import law, matrix_law, state_law
from flexmbs.kernels.pairs import add_product
from flexmbs.kernels.rows.rows import curvature, row_gradient, row_hessian

__all__ = ["RowForceGroup", "measure", "row_force", "row_force_energy", "row_force_tangent"]

MATRIX = 5


class RowForceGroup(NamedTuple):
    """``mA, mB, ptr, off, order, kind, c, near, factor, mptr`` as in `flexmbs.kernels.pairs.JointGroup`.

    ``law, where (n_p,)``: law of each force and where its numbers begin in ``data``; ``given (n_given, 4)``: what
    Python functions returned; ``state (n_p,)``: place in v of the first-order state of a law that has one,
    the last coordinate of its block; -1 for the others.
    """

    mA: IntArray
    mB: IntArray
    ptr: IntArray
    off: IntArray
    order: IntArray
    kind: IntArray
    c: FloatArray
    near: FloatArray
    factor: FloatArray
    mptr: IntArray
    law: IntArray
    where: IntArray
    data: FloatArray
    given: FloatArray
    state: IntArray


@kernel
def measure(n: int, group: RowForceGroup, work: MarkerWork) -> int:
    """Gradients, values and rates of the rows of force n into the scratch; returns their number."""
    S, twist = work.S, work.twist
    i, k, first = group.mA[n], group.mB[n], group.ptr[n]
    m = group.ptr[n + 1] - first
    for a in range(m):
        j = first + a
        f = group.factor[j]
        S[24, a] = f * row_gradient(group.kind[j], j, group.c, group.near, i, k, work.p, work.R, S, 12 + a)
        rate = 0.0
        for axis in range(6):
            rate += S[12 + a, axis] * twist[i, axis] + S[12 + a, 6 + axis] * twist[k, axis]
        S[25, a] = f * rate
    return int(m)


@kernel
def _apply(n: int, m: int, t: float, v: FloatArray, group: RowForceGroup, work: MarkerWork, derivatives: bool) -> float:
    """Forces, and the matrices K and C, into the scratch; wrenches into ``W``; returns the energy."""
    S, W = work.S, work.W
    w = group.where[n]
    if group.law[n] == MATRIX:
        energy = matrix_law(w, group.data, S[24], S[25], S[26])
        if derivatives:
            for a in range(m):
                for b in range(m):
                    S[27 + a, b] = group.data[w + 1 + a * m + b]
                    S[33 + a, b] = group.data[w + 1 + m * m + a * m + b]
    elif group.state[n] >= 0:
        F, Fs, Fv, Fz, rate, rate_s, rate_u, rate_z, energy = state_law(
            group.law[n], w, group.data, S[24, 0], S[25, 0], v[group.state[n]]
        )
        S[26, 0], S[27, 0], S[33, 0] = F, Fs, Fv
        S[57, 0], S[57, 1], S[57, 2], S[57, 3] = Fz, rate_z, rate_u, rate_s
        work.r[group.state[n]] -= rate
    else:
        F, Fs, Fv, energy = law(group.law[n], w, group.data, S[24, 0], S[25, 0], t, group.given)
        S[26, 0], S[27, 0], S[33, 0] = F, Fs, Fv
    i, k = group.mA[n], group.mB[n]
    for a in range(m):
        f = S[26, a] * group.factor[group.ptr[n] + a]
        for axis in range(6):
            W[i, axis] += f * S[12 + a, axis]
            W[k, axis] += f * S[12 + a, 6 + axis]
    return energy


@kernel
def row_force(group: RowForceGroup, state: State, env: Env, work: MarkerWork) -> int:
    """Wrenches of all forces into ``W``."""
    for n in range(group.mA.shape[0]):
        m = measure(n, group, work)
        _apply(n, m, env.t, state.v, group, work, False)
        if not abs(work.S[26, 0]) < 1e300:
            return n
    return -1


@kernel
def row_force_energy(
    group: RowForceGroup, v: FloatArray, env: Env, work: MarkerWork, energy: FloatArray, power: FloatArray
) -> None:
    """Potential energy (n_p,) of the forces and the power -F sdot (n_p,) that they feed into the system."""
    for n in range(group.mA.shape[0]):
        m = measure(n, group, work)
        energy[n] = _apply(n, m, env.t, v, group, work, False)
        power[n] = 0.0
        for a in range(m):
            power[n] -= work.S[26, a] * work.S[25, a]


@kernel
def _zero(S: FloatArray, rows: int) -> bool:
    """Whether the first rows of the scratch are all zero."""
    for axis in range(rows):
        for c in range(12):
            if S[axis, c] != 0.0:
                return False
    return True


@kernel
def row_force_tangent(
    group: RowForceGroup, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Wrenches, and blocks wq K + wv D."""
    wq, wv = weights
    S, twist, B, JT, JvT = work.S, work.twist, work.B, work.JT, work.JvT
    for n in range(group.mA.shape[0]):
        i, k, first, o, N = group.mA[n], group.mB[n], group.ptr[n], group.off[n], group.order[n]
        m = measure(n, group, work)
        _apply(n, m, env.t, state.v, group, work, True)
        if not abs(S[26, 0]) < 1e300:
            return n
        B[o : o + N * N] = 0.0
        varies = group.state[n] >= 0
        straight = not varies
        for a in range(m):
            for b in range(m):
                varies = varies or S[27 + a, b] != 0.0 or S[33 + a, b] != 0.0
            straight = straight and (S[26, a] == 0.0 or curvature(group.kind[first + a]) == 0)
        if straight and not varies:  # a force that is held, along rows that do not turn
            continue
        S[0:12] = 0.0
        for a in range(m):
            j = first + a
            f = group.factor[j]
            S[39:51] = 0.0
            row_hessian(group.kind[j], j, group.c, group.near, i, k, work.p, work.R, f, S[39:51])
            for c in range(12):
                S[12 + a, c] *= f
                for axis in range(12):
                    S[axis, c] += S[26, a] * S[39 + axis, c]
            if not varies:
                continue
            for c in range(12):
                x = 0.0
                for axis in range(6):
                    x += twist[i, axis] * S[39 + axis, c] + twist[k, axis] * S[45 + axis, c]
                S[18 + a, c] = x
        for a in range(m if varies else 0):
            for b in range(m):
                stiffness, damping = S[27 + a, b], S[33 + a, b]
                for c in range(12):
                    x = stiffness * S[12 + b, c] + damping * S[18 + b, c]
                    for axis in range(12):
                        S[axis, c] += S[12 + a, axis] * x
        if not _zero(S, 12):  # a force that is held, in a fixed direction
            add_product(o, N, wq, i, k, group.mptr, S, JT, work.JcT, B)
        nA = group.mptr[i + 1] - group.mptr[i]
        n_m = nA + group.mptr[k + 1] - group.mptr[k]
        for a in range(m if varies else 0):
            for row in range(n_m):
                u = group.mptr[i] + row if row < nA else group.mptr[k] + row - nA
                base = 0 if row < nA else 6
                left = 0.0
                for axis in range(6):
                    left += S[12 + a, base + axis] * JT[u, axis]
                if left == 0.0:
                    continue
                for b in range(m):
                    damping = S[33 + a, b]
                    if damping == 0.0:
                        continue
                    for col in range(n_m):
                        y = group.mptr[i] + col if col < nA else group.mptr[k] + col - nA
                        side = 0 if col < nA else 6
                        x = z = 0.0
                        for axis in range(6):
                            x += S[12 + b, side + axis] * JvT[y, axis]
                            z += S[12 + b, side + axis] * JT[y, axis]
                        B[o + row * N + col] += damping * left * (wq * x + wv * z)
        if group.state[n] >= 0:
            for col in range(n_m):
                u = group.mptr[i] + col if col < nA else group.mptr[k] + col - nA
                side = 0 if col < nA else 6
                x = y = z = 0.0
                for axis in range(6):
                    z += S[12, side + axis] * JT[u, axis]
                    y += (S[57, 2] * S[18, side + axis] + S[57, 3] * S[12, side + axis]) * work.JcT[u, axis]
                    x += S[12, side + axis] * JvT[u, axis]
                B[o + col * N + n_m] += wv * S[57, 0] * z
                B[o + n_m * N + col] -= wq * y + S[57, 2] * (wq * x + wv * z)
            B[o + n_m * N + n_m] -= wv * S[57, 1]
    return -1
