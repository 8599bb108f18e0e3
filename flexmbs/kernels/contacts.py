r"""Contacts of pairs of markers: a gap and components of slip as rows, forces by a law of all of them.

With the rows s of gradients G_i (6 + 6 numbers), their rates G_i x and the forces F(s, s', z) of
`flexmbs.kernels.contact_laws` with states z, of which dz/dt = r(s, s', z):

.. math:: W = G^T F, \qquad X = F_i H_i + G_i^T F_{i,s_j} G_j + G_i^T F_{i,\dot s_j} (x^T H_j), \qquad
   D_{12} = G_i^T F_{i,\dot s_j} G_j,

and the blocks are :math:`w_q (J^T X J + J^T D_{12} (Jv)_q) + w_v J^T D_{12} J`, with a column and a row for each state,
which is the rate of an extra coordinate. The matrices are not symmetric where there is friction. An open contact costs
the evaluation of its gap. Between a ball and a shape with a signed distance F_i H_i and x^T H are written at once;
other rows are differentiated one by one.

Scratch: rows 0-11 a matrix of the pair, transposed, 12-15 G, 18-21 x^T H, 24 s, 25 ds/dt, 26-36 and 57-60 of the law,
39-50 H of a row, 63 what a column of a block does on the rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import Vector, applied_back, dot, plus, rotation, triple
from flexmbs.kernels.contact_laws import contact_law
from flexmbs.kernels.rows.contact_rows import (
    add_forces_changes,
    gap_rate_change,
    gap_row,
    motion,
    slip_rate_change,
    slip_row,
)
from flexmbs.kernels.rows.rows import (
    b_of,
    between,
    contact_row_gradient,
    contact_row_hessian,
    e_of,
    has_distance,
    shape_distance,
    write_row,
)

__all__ = [
    "ContactGroup", "contact_energy", "contact_force", "contact_gaps", "contact_states", "contact_tangent",
    "measure_contact",
]  # fmt: skip


ZERO: Vector = (0.0, 0.0, 0.0)


class ContactGroup(NamedTuple):
    """``mA, mB, ptr, off, order, kind, c, mptr`` as in `flexmbs.kernels.pairs.JointGroup`.

    ``where (n_p,)``: where the numbers of a contact begin in ``data``; ``state, n_states (n_p,)``: place in v of its
    first state, and how many there are; they are the last coordinates of its block, one after the other.
    """

    mA: IntArray
    mB: IntArray
    ptr: IntArray
    off: IntArray
    order: IntArray
    kind: IntArray
    c: FloatArray
    mptr: IntArray
    where: IntArray
    data: FloatArray
    state: IntArray
    n_states: IntArray


@kernel
def _rate(a: int, i: int, k: int, S: FloatArray, twist: FloatArray) -> float:
    """The rate of the row a, whose gradient is in the scratch."""
    rate = 0.0
    for axis in range(6):
        rate += S[12 + a, axis] * twist[i, axis] + S[12 + a, 6 + axis] * twist[k, axis]
    return rate


@kernel
def _row(j: int, a: int, i: int, k: int, group: ContactGroup, work: MarkerWork) -> None:
    """Gradient, value and rate of row j into the scratch, as row a of its contact; not of a shape with a distance."""
    S = work.S
    S[24, a] = contact_row_gradient(group.kind[j], j, group.c, i, k, work.p, work.R, S, 12 + a)
    S[25, a] = _rate(a, i, k, S, work.twist)


@inlined
def _ball_rows(m: int, n_c: int, most: float, group: ContactGroup, work: MarkerWork) -> bool:
    """The first m rows of a shape with a distance and a ball; False, and the value alone, where the gap is > most."""
    S, c, i, k, first = work.S, group.c, group.mA[n_c], group.mB[n_c], group.ptr[n_c]
    A, B, radius = rotation(work.R, i), rotation(work.R, k), c[first, 6]
    delta = applied_back(A, between(work.p, i, k))
    found = shape_distance(group.kind[first], b_of(c, first), delta, group.data, group.where[n_c])
    S[24, 0] = found[0] - radius
    if S[24, 0] > most:
        return False
    n, a, b = gap_row(found, delta, A)
    write_row(S, 12, n, a, b)
    S[25, 0] = _rate(0, i, k, S, work.twist)
    for r in range(1, m):
        n, a, b = slip_row(found, e_of(c, first + r), radius, delta, A, B)
        write_row(S, 12 + r, n, a, b)
        S[24, r], S[25, r] = 0.0, _rate(r, i, k, S, work.twist)
    return True


@inlined
def _rows(m: int, n: int, most: float, group: ContactGroup, work: MarkerWork) -> bool:
    """The first m rows of contact n; False, and the value of the first one alone, where this is > most."""
    i, k, first = group.mA[n], group.mB[n], group.ptr[n]
    if has_distance(group.kind[first]):
        return bool(_ball_rows(m, n, most, group, work))
    _row(first, 0, i, k, group, work)
    if work.S[24, 0] > most:
        return False
    for a in range(1, m):
        _row(first + a, a, i, k, group, work)
    return True


@inlined
def measure_contact(n: int, group: ContactGroup, work: MarkerWork) -> int:
    """The rows of contact n into the scratch; returns their number, 0 where it is open and has no states."""
    m = group.ptr[n + 1] - group.ptr[n]
    most = group.data[group.where[n]] if group.n_states[n] == 0 else math.inf
    return int(m) if _rows(m, n, most, group, work) else 0


@inlined
def _apply(n: int, m: int, v: FloatArray, group: ContactGroup, work: MarkerWork) -> float:
    """Wrenches into ``W``, rates of states into ``r``; returns the energy stored."""
    S, W = work.S, work.W
    energy = contact_law(group.where[n], group.data, m, group.state[n], v, S)
    for z in range(group.n_states[n]):
        work.r[group.state[n] + z] -= S[57 + z, 0]
    i, k = group.mA[n], group.mB[n]
    for a in range(m):
        f = S[26, a]
        for axis in range(6):
            W[i, axis] += f * S[12 + a, axis]
            W[k, axis] += f * S[12 + a, 6 + axis]
    return energy


@kernel
def contact_force(group: ContactGroup, state: State, env: Env, work: MarkerWork) -> int:
    """Wrenches of all contacts into ``W``."""
    for n in range(group.mA.shape[0]):
        m = measure_contact(n, group, work)
        if m > 0:
            _apply(n, m, state.v, group, work)
        elif not abs(work.S[24, 0]) < 1e300:
            return n
        if m > 0 and not abs(work.S[26, 0]) < 1e300:
            return n
    return -1


@kernel
def contact_energy(
    group: ContactGroup, v: FloatArray, work: MarkerWork, energy: FloatArray, power: FloatArray
) -> None:  # fmt: skip
    """Energy (n_p,) stored in the contacts and the power -F ds/dt (n_p,) that they feed into the system."""
    for n in range(group.mA.shape[0]):
        m = measure_contact(n, group, work)
        energy[n] = power[n] = 0.0
        if m > 0:
            energy[n] = contact_law(group.where[n], group.data, m, group.state[n], v, work.S)
            for a in range(m):
                power[n] -= work.S[26, a] * work.S[25, a]


@kernel
def contact_gaps(group: ContactGroup, work: MarkerWork, gap: FloatArray, rate: FloatArray) -> None:
    """Gap (n_p,) and rate of the gap of each contact."""
    for n in range(group.mA.shape[0]):
        _rows(1, n, math.inf, group, work)
        gap[n], rate[n] = work.S[24, 0] - group.data[group.where[n]], work.S[25, 0]


@kernel
def contact_states(
    group: ContactGroup, p: FloatArray, R: FloatArray, twist: FloatArray, z: FloatArray, work: MarkerWork,
    out: FloatArray, normal: FloatArray,
) -> None:  # fmt: skip
    """A single contact, between the markers 0 and 1 of ``work``, at n states.

    ``p (n, 2, 3), R (n, 2, 3, 3), twist (n, 2, 6), z (n, n_states)``; ``out (n, 11)``: gap, its rate, N, the force on
    B, the slip velocity, energy, power; ``normal (n, 3)``: of the gap.
    """
    S = work.S
    m = group.ptr[1]
    for i in range(p.shape[0]):
        work.p[:], work.R[:], work.twist[:] = p[i], R[i], twist[i]
        _rows(m, 0, math.inf, group, work)
        out[i, 9] = contact_law(0, group.data, m, 0, z[i], S)
        out[i, 0], out[i, 1], out[i, 2] = S[24, 0] - group.data[0], S[25, 0], -S[26, 0]
        out[i, 3:9] = 0.0
        out[i, 10] = 0.0
        for a in range(m):
            out[i, 10] -= S[26, a] * S[25, a]
            for axis in range(3):
                out[i, 3 + axis] -= S[26, a] * S[12 + a, 6 + axis]
                if a > 0:
                    out[i, 6 + axis] += S[25, a] * S[12 + a, 6 + axis]
        normal[i] = S[12, 6:9]


@kernel
def contact_tangent(group: ContactGroup, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> int:
    """Wrenches, and blocks wq K + wv D."""
    wq, wv = weights
    S, B, JT, JcT, JvT, mptr = work.S, work.B, work.JT, work.JcT, work.JvT, group.mptr
    for n in range(group.mA.shape[0]):
        i, k, first, o, N = group.mA[n], group.mB[n], group.ptr[n], group.off[n], group.order[n]
        m = measure_contact(n, group, work)
        B[o : o + N * N] = 0.0
        if m == 0:
            if not abs(S[24, 0]) < 1e300:
                return n
            continue
        _apply(n, m, state.v, group, work)
        if not abs(S[26, 0]) < 1e300:
            return n
        S[0:12] = 0.0
        if has_distance(group.kind[first]):
            _ball_changes(m, n, group, work)
        else:
            _row_changes(m, first, i, k, group, work)
        _add_block(o, N, m, wq, wv, i, k, mptr, S, JT, JcT, JvT, B)
        if group.n_states[n] > 0:
            _state_blocks(n, m, wq, wv, group, work)
    return -1


@kernel
def _row_changes(m: int, first: int, i: int, k: int, group: ContactGroup, work: MarkerWork) -> None:
    """(F_i H_i)^T into S[0:12] and x^T H into S[18:] of any rows, one after the other."""
    S, twist = work.S, work.twist
    for a in range(m):
        S[39:51] = 0.0
        contact_row_hessian(group.kind[first + a], first + a, group.c, i, k, work.p, work.R, 1.0, S[39:51])
        f = S[26, a]
        for c in range(12):
            x = 0.0
            for axis in range(6):
                x += twist[i, axis] * S[39 + axis, c] + twist[k, axis] * S[45 + axis, c]
            S[18 + a, c] = x
            for axis in range(12):
                S[c, axis] += f * S[39 + axis, c]


@inlined
def _ball_changes(m: int, n_c: int, group: ContactGroup, work: MarkerWork) -> None:
    """(F_i H_i)^T into S[0:12] and x^T H into S[18:] of a shape with a distance and a ball."""
    S, c, twist, i, k, first = work.S, group.c, work.twist, group.mA[n_c], group.mB[n_c], group.ptr[n_c]
    A, B, radius = rotation(work.R, i), rotation(work.R, k), c[first, 6]
    delta = applied_back(A, between(work.p, i, k))
    found = shape_distance(group.kind[first], b_of(c, first), delta, group.data, group.where[n_c])
    force = ZERO
    for r in range(1, m):
        force = plus(force, S[26, r], e_of(c, first + r))
    add_forces_changes(found, S[26, 0], force, radius, delta, A, B, S)
    v = (twist[k, 0] - twist[i, 0], twist[k, 1] - twist[i, 1], twist[k, 2] - twist[i, 2])
    moving = motion(
        delta, A, B, v, (twist[i, 3], twist[i, 4], twist[i, 5]), (twist[k, 3], twist[k, 4], twist[k, 5])
    )  # fmt: skip
    n, a, b = gap_rate_change(found, delta, A, moving)
    write_row(S, 18, n, a, b)
    for r in range(1, m):
        n, a, b = slip_rate_change(found, e_of(c, first + r), radius, delta, A, B, moving)
        write_row(S, 18 + r, n, a, b)


@kernel
def _add_block(
    o: int, N: int, m: int, wq: float, wv: float, i: int, k: int, mptr: IntArray, S: FloatArray, JT: FloatArray,
    JcT: FloatArray, JvT: FloatArray, B: FloatArray,
) -> None:  # fmt: skip
    """Blocks of a contact of m rows, column by column: S[0:12] holds (F_i H_i)^T, S[12:] G, S[18:] x^T H.

    Most markers are the frames of rigid bodies, and move with a coordinate in one component: the others are left out.
    """
    a0, nA = mptr[i], mptr[i + 1] - mptr[i]
    b0, nB = mptr[k], mptr[k + 1] - mptr[k]
    s = S[63]
    for col in range(nA + nB):
        row, base = (a0 + col, 0) if col < nA else (b0 + col - nA, 6)
        t0 = t1 = t2 = t3 = ZERO
        s[:] = 0.0
        for axis in range(6):
            here, moved, rate = JT[row, axis], JcT[row, axis], JvT[row, axis]
            if moved != 0.0:
                moved *= wq
                from_row = base + axis
                t0, t1 = plus(t0, moved, triple(S, from_row, 0)), plus(t1, moved, triple(S, from_row, 3))
                t2, t3 = plus(t2, moved, triple(S, from_row, 6)), plus(t3, moved, triple(S, from_row, 9))
                for b in range(m):
                    s[b] += moved * S[12 + b, from_row]
                    s[6 + b] += moved * S[18 + b, from_row]
            both = wq * rate + wv * here
            if both != 0.0:
                for b in range(m):
                    s[6 + b] += both * S[12 + b, base + axis]
        for a in range(m):
            f = 0.0
            for b in range(m):
                f += S[27 + a, b] * s[b] + S[33 + a, b] * s[6 + b]
            if f != 0.0:
                t0, t1 = plus(t0, f, triple(S, 12 + a, 0)), plus(t1, f, triple(S, 12 + a, 3))
                t2, t3 = plus(t2, f, triple(S, 12 + a, 6)), plus(t3, f, triple(S, 12 + a, 9))
        o_col = o + col
        for a in range(nA):
            B[o_col + a * N] = dot(triple(JT, a0 + a, 0), t0) + dot(triple(JT, a0 + a, 3), t1)
        for b in range(nB):
            B[o_col + (nA + b) * N] = dot(triple(JT, b0 + b, 0), t2) + dot(triple(JT, b0 + b, 3), t3)


@kernel
def _state_blocks(n: int, m: int, wq: float, wv: float, group: ContactGroup, work: MarkerWork) -> None:
    """Columns and rows of the states of contact n."""
    S, B, JT, JcT, JvT, mptr = work.S, work.B, work.JT, work.JcT, work.JvT, group.mptr
    i, k, o, N, n_z = group.mA[n], group.mB[n], group.off[n], group.order[n], group.n_states[n]
    nA = mptr[i + 1] - mptr[i]
    n_m = nA + mptr[k + 1] - mptr[k]
    for col in range(n_m):
        u = mptr[i] + col if col < nA else mptr[k] + col - nA
        side = 0 if col < nA else 6
        for b in range(m):
            here = moved = rate = 0.0
            for axis in range(6):
                here += S[12 + b, side + axis] * JT[u, axis]
                moved += S[12 + b, side + axis] * JcT[u, axis]
                rate += S[18 + b, side + axis] * JcT[u, axis] + S[12 + b, side + axis] * JvT[u, axis]
            for z in range(n_z):
                B[o + col * N + n_m + z] += wv * S[27 + b, 6 + z] * here
                entry = S[57 + z, 5 + b] * (wq * rate + wv * here)
                if b == 0:
                    entry += wq * S[57 + z, 9] * moved
                B[o + (n_m + z) * N + col] -= entry
    for z in range(n_z):
        for y in range(n_z):
            B[o + (n_m + z) * N + n_m + y] -= wv * S[57 + z, 1 + y]
