r"""Contacts distributed over elements: force per length of a line, or per area of a surface, at points of elements.

A point of an element is x = N_b x_b with the vectors x_b among the coordinates (positions, slopes); its velocity is
w = N_b v_b. It meets a shape at a marker A with the signed distance phi, of gradient n and derivative H
(`flexmbs.kernels.distances`). In the axes of A, with the rotation R and the twist (v_A, omega)::

    delta = R^T (x - p_A),   y = R^T (w - v_A),   c = y - omega x delta
    gap = phi(delta) - r,    gap' = n . c,        u_k = e_k . (c - (n . c) n)

r: radius of the tube, half the thickness of the skin. `flexmbs.kernels.contact_laws` makes of these rows and rates the
force f(delta, c) on the point per unit of length or area, in the axes of A; -f acts on A at the same place. With the
weight w of the point, which is a length or an area of the stress-free shape,

.. math:: r_b \mathrel{-}= w N_b R f, \qquad W_A \mathrel{+}= w\,(R f, \delta \times f),

.. math:: \mathrm d\delta = R^T (\mathrm dx - \mathrm dp_A) + \delta \times \mathrm d\theta, \qquad
   \mathrm dc = y \times \mathrm d\theta - \omega \times \mathrm d\delta
   + R^T (\mathrm dw - \mathrm dv_A) + \delta \times \mathrm d\omega,

from which the tangents follow without approximation: the place of contact on A is a function of delta, so that it
wanders with it. An open point without states costs its distance. The block of an element holds the coordinates of A,
the vectors, and the states of its points, in this order.

Scratch: that of the law, `flexmbs.kernels.contact_laws`.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.core.triples import (
    NULL,
    Matrix,
    Vector,
    applied,
    applied_back,
    combination,
    cross,
    dot,
    mixed,
    outer,
    plus,
    product,
    rotation,
    scaled,
    skew,
    times,
    transposed,
)
from flexmbs.kernels.contact_laws import contact_law
from flexmbs.kernels.distances import tangential
from flexmbs.kernels.rows.rows import shape_distance

__all__ = [
    "DistributedGroup", "distributed_energy", "distributed_force", "distributed_gaps", "distributed_states",
    "distributed_tangent", "evaluate_point", "state_of_point",
]  # fmt: skip

Z: Vector = (0.0, 0.0, 1.0)
F, K, C, BY_STATE, RATE = 26, 27, 33, 6, 57
"""Places in the scratch of the law."""
Motion = tuple[Vector, Vector, Vector]


class DistributedGroup(NamedTuple):
    """Elements against shapes: n items, of n_p points and n_x vectors in all.

    ``mA, pair, dim (n,)``: marker of the shape, number of the pair of body and shape, 2 or 3; ``off, order (n,)``:
    block; ``points, vectors (n + 1,)``: where those of an item begin; ``iq, iv (n_x,)``: first places of a vector in q
    and v; ``N (n_p, widest)``, ``w (n_p,)``: weights of the vectors, and of the point; ``kind, m (n,)``, ``b (n, 3)``,
    ``e (n, 3, 3)``: shape, number of rows, numbers of the shape, directions of slip; ``where (n,)``: where the numbers
    of a contact begin in ``data``, the first one being r; ``state, n_states (n,)``: place in v of the first state of
    the first point, and how many each point has.
    """

    mA: IntArray
    pair: IntArray
    dim: IntArray
    off: IntArray
    order: IntArray
    points: IntArray
    vectors: IntArray
    iq: IntArray
    iv: IntArray
    N: FloatArray
    w: FloatArray
    kind: IntArray
    m: IntArray
    b: FloatArray
    e: FloatArray
    where: IntArray
    data: FloatArray
    state: IntArray
    n_states: IntArray
    mptr: IntArray


@kernel
def _combined(i: int, g: int, group: DistributedGroup, places: IntArray, x: FloatArray) -> Vector:
    """N_b x_b at point g of item i; z is 0 in the plane."""
    first = group.vectors[i]
    s0 = s1 = s2 = 0.0
    for a in range(group.vectors[i + 1] - first):
        N, k = group.N[g, a], places[first + a]
        s0 += N * x[k]
        s1 += N * x[k + 1]
        if group.dim[i] == 3:
            s2 += N * x[k + 2]
    return s0, s1, s2


@kernel
def _delta(i: int, g: int, group: DistributedGroup, q: FloatArray, work: MarkerWork) -> Vector:
    """The place of point g in the axes of the shape."""
    A, p = group.mA[i], work.p
    x = _combined(i, g, group, group.iq, q)
    return applied_back(rotation(work.R, A), (x[0] - p[A, 0], x[1] - p[A, 1], x[2] - p[A, 2]))


@kernel
def _motion(i: int, g: int, delta: Vector, group: DistributedGroup, v: FloatArray, work: MarkerWork) -> Motion:
    """y, omega and c of point g."""
    A, t = group.mA[i], work.twist
    w = _combined(i, g, group, group.iv, v)
    y = applied_back(rotation(work.R, A), (w[0] - t[A, 0], w[1] - t[A, 1], w[2] - t[A, 2]))
    omega = (t[A, 3], t[A, 4], t[A, 5])
    return y, omega, plus(y, -1.0, cross(omega, delta))


@kernel
def _numbers(i: int, group: DistributedGroup) -> Vector:
    return group.b[i, 0], group.b[i, 1], group.b[i, 2]


@kernel
def _direction(i: int, k: int, group: DistributedGroup) -> Vector:
    return group.e[i, k, 0], group.e[i, k, 1], group.e[i, k, 2]


@kernel
def _evaluate(
    i: int, g: int, phi: float, n: Vector, c: Vector, group: DistributedGroup, v: FloatArray, S: FloatArray
) -> float:
    """Rows, rates and the law of point g, into the scratch; returns the energy stored per length or area."""
    m = group.m[i]
    S[24, 0], S[25, 0] = phi, dot(n, c)
    for k in range(1, m):
        S[24, k], S[25, k] = 0.0, dot(tangential(n, _direction(i, k - 1, group)), c)
    return float(contact_law(group.where[i], group.data, m, state_of_point(i, g, group), v, S))


@kernel
def evaluate_point(i: int, g: int, group: DistributedGroup, state: State, work: MarkerWork) -> None:
    """`_evaluate` at a state."""
    delta = _delta(i, g, group, state.q, work)
    phi, n, _ = shape_distance(group.kind[i], _numbers(i, group), delta, group.data, group.where[i])
    _evaluate(i, g, phi, n, _motion(i, g, delta, group, state.v, work)[2], group, state.v, work.S)


@kernel
def state_of_point(i: int, g: int, group: DistributedGroup) -> int:
    """Place in v of the first state of point g."""
    return int(group.state[i] + (g - group.points[i]) * group.n_states[i])


@kernel
def _push(i: int, n: Vector, group: DistributedGroup, S: FloatArray) -> Vector:
    """The force on the point per length or area, in the axes of the shape."""
    f = scaled(-S[F, 0], n)
    for k in range(1, group.m[i]):
        f = plus(f, -S[F, k], tangential(n, _direction(i, k - 1, group)))
    return f


@kernel
def _apply(i: int, g: int, delta: Vector, f: Vector, group: DistributedGroup, work: MarkerWork) -> None:
    """The forces on the element and on the shape, and the rates of the states."""
    A, W, r, S = group.mA[i], work.W, work.r, work.S
    state, first = state_of_point(i, g, group), group.vectors[i]
    for z in range(group.n_states[i]):
        r[state + z] -= S[RATE + z, 0]
    force = scaled(group.w[g], applied(rotation(work.R, A), f))
    for a in range(group.vectors[i + 1] - first):
        N, k = group.N[g, a], group.iv[first + a]
        r[k] -= N * force[0]
        r[k + 1] -= N * force[1]
        if group.dim[i] == 3:
            r[k + 2] -= N * force[2]
    if group.mptr[A + 1] > group.mptr[A]:
        moment = scaled(group.w[g], cross(delta, f))
        for axis in range(3):
            W[A, axis] += force[axis]
            W[A, 3 + axis] += moment[axis]


@kernel
def distributed_force(group: DistributedGroup, state: State, env: Env, work: MarkerWork) -> int:
    """Forces of all points into ``r`` and ``W``."""
    S = work.S
    for i in range(group.mA.shape[0]):
        for g in range(group.points[i], group.points[i + 1]):
            delta = _delta(i, g, group, state.q, work)
            phi, n, _ = shape_distance(group.kind[i], _numbers(i, group), delta, group.data, group.where[i])
            if not abs(phi) < 1e300:
                return i
            if phi > group.data[group.where[i]] and group.n_states[i] == 0:
                continue
            _, _, c = _motion(i, g, delta, group, state.v, work)
            _evaluate(i, g, phi, n, c, group, state.v, S)
            if not abs(S[F, 0]) < 1e300:
                return i
            _apply(i, g, delta, _push(i, n, group, S), group, work)
    return -1


@kernel
def distributed_energy(
    group: DistributedGroup, state: State, work: MarkerWork, energy: FloatArray, power: FloatArray
) -> None:  # fmt: skip
    """Energy (n_pairs,) stored in each pair and the power that it feeds into the system."""
    S = work.S
    energy[:] = 0.0
    power[:] = 0.0
    for i in range(group.mA.shape[0]):
        for g in range(group.points[i], group.points[i + 1]):
            delta = _delta(i, g, group, state.q, work)
            phi, n, _ = shape_distance(group.kind[i], _numbers(i, group), delta, group.data, group.where[i])
            if phi > group.data[group.where[i]] and group.n_states[i] == 0:
                continue
            _, _, c = _motion(i, g, delta, group, state.v, work)
            energy[group.pair[i]] += group.w[g] * _evaluate(i, g, phi, n, c, group, state.v, S)
            for k in range(group.m[i]):
                power[group.pair[i]] -= group.w[g] * S[F, k] * S[25, k]


@kernel
def distributed_gaps(
    group: DistributedGroup, state: State, work: MarkerWork, gap: FloatArray, rate: FloatArray
) -> None:  # fmt: skip
    """The least gap (n_pairs,) of the points of each pair, and its rate."""
    gap[:] = 1e300
    rate[:] = 0.0
    for i in range(group.mA.shape[0]):
        for g in range(group.points[i], group.points[i + 1]):
            delta = _delta(i, g, group, state.q, work)
            phi, n, _ = shape_distance(group.kind[i], _numbers(i, group), delta, group.data, group.where[i])
            here = phi - group.data[group.where[i]]
            if not here >= gap[group.pair[i]]:
                gap[group.pair[i]] = here
                rate[group.pair[i]] = dot(n, _motion(i, g, delta, group, state.v, work)[2])


@kernel
def distributed_states(group: DistributedGroup, state: State, work: MarkerWork, out: FloatArray) -> None:
    """All points at one state: ``out (n_p, 14)``.

    Place (3), gap and its rate, N, force on the point (3), slip velocity (3), energy and power; in inertial axes,
    forces, energy and power per length or area.
    """
    S = work.S
    for i in range(group.mA.shape[0]):
        R = rotation(work.R, group.mA[i])
        for g in range(group.points[i], group.points[i + 1]):
            x = _combined(i, g, group, group.iq, state.q)
            delta = _delta(i, g, group, state.q, work)
            phi, n, _ = shape_distance(group.kind[i], _numbers(i, group), delta, group.data, group.where[i])
            _, _, c = _motion(i, g, delta, group, state.v, work)
            energy = _evaluate(i, g, phi, n, c, group, state.v, S)
            force = applied(R, _push(i, n, group, S))
            slip = applied(R, tangential(n, c))
            power = 0.0
            for k in range(group.m[i]):
                power -= S[F, k] * S[25, k]
            for axis in range(3):
                out[g, axis], out[g, 6 + axis], out[g, 9 + axis] = x[axis], force[axis], slip[axis]
            out[g, 3], out[g, 4], out[g, 5] = phi - group.data[group.where[i]], S[25, 0], -S[F, 0]
            out[g, 12], out[g, 13] = energy, power


@kernel
def _slip_by_place(n: Vector, e: Vector, c: Vector, H: Matrix) -> Vector:
    """d(u_k)/d(delta)."""
    return combination(-dot(n, e), applied(H, c), -dot(n, c), applied(H, e))


@kernel
def _by_place_and_velocity(
    i: int, n: Vector, H: Matrix, c: Vector, group: DistributedGroup, S: FloatArray
) -> tuple[Matrix, Matrix]:  # fmt: skip
    """df/d(delta) at fixed c, and df/dc, from what the law left in the scratch."""
    m = group.m[i]
    by_place, by_velocity = times(-S[F, 0], H), NULL
    Hc = applied(H, c)
    for a in range(m):
        # derivatives of the force on row a
        place, velocity = combination(S[K + a, 0], n, S[C + a, 0], Hc), scaled(S[C + a, 0], n)
        for k in range(1, m):
            e = _direction(i, k - 1, group)
            place = plus(place, S[C + a, k], _slip_by_place(n, e, c, H))
            velocity = plus(velocity, S[C + a, k], tangential(n, e))
        along = n
        if a > 0:
            e = _direction(i, a - 1, group)
            along = tangential(n, e)
            turn = mixed(-dot(n, e), H, -1.0, outer(n, applied(H, e)))
            by_place = mixed(1.0, by_place, -S[F, a], turn)
        by_place = mixed(1.0, by_place, -1.0, outer(along, place))
        by_velocity = mixed(1.0, by_velocity, -1.0, outer(along, velocity))
    return by_place, by_velocity


@kernel
def distributed_tangent(
    group: DistributedGroup, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:  # fmt: skip
    """Forces, and blocks wq K + wv D."""
    S, B = work.S, work.B
    for i in range(group.mA.shape[0]):
        o = group.off[i]
        B[o : o + group.order[i] * group.order[i]] = 0.0
        for g in range(group.points[i], group.points[i + 1]):
            delta = _delta(i, g, group, state.q, work)
            phi, n, H = shape_distance(group.kind[i], _numbers(i, group), delta, group.data, group.where[i])
            if not abs(phi) < 1e300:
                return i
            if phi > group.data[group.where[i]] and group.n_states[i] == 0:
                continue
            y, omega, c = _motion(i, g, delta, group, state.v, work)
            _evaluate(i, g, phi, n, c, group, state.v, S)
            if not abs(S[F, 0]) < 1e300:
                return i
            f = _push(i, n, group, S)
            _apply(i, g, delta, f, group, work)
            by_place, by_velocity = _by_place_and_velocity(i, n, H, c, group, S)
            _blocks(i, g, delta, (y, omega, c), f, by_place, by_velocity, group, work, weights)
            if group.n_states[i] > 0:
                _state_blocks(i, g, (delta, n, c), H, (y, omega, c), group, work, weights)
    return -1


@kernel
def _blocks(
    i: int, g: int, delta: Vector, motion: Motion, f: Vector, by_place: Matrix, by_velocity: Matrix,
    group: DistributedGroup, work: MarkerWork, weights: tuple[float, float],
) -> None:  # fmt: skip
    """What the force of a point adds to the blocks of its element."""
    wq, wv = weights
    y, omega, _ = motion
    A, o, order, dim, first = group.mA[i], group.off[i], group.order[i], group.dim[i], group.vectors[i]
    n_x, rA = group.vectors[i + 1] - first, group.mptr[A]
    nA, B, JT = group.mptr[A + 1] - rA, work.B, work.JT
    w, R = group.w[g], rotation(work.R, A)
    whole = times(w, mixed(1.0, by_place, -1.0, product(by_velocity, skew(omega))))
    damping = times(w, by_velocity)
    T, Tc = product(product(R, whole), transposed(R)), product(product(R, damping), transposed(R))
    M = mixed(wq, T, wv, Tc)
    for a in range(n_x):
        for b in range(n_x):
            s = group.N[g, a] * group.N[g, b]
            at = o + (nA + a * dim) * order + nA + b * dim
            for row in range(dim):
                for col in range(dim):
                    B[at + row * order + col] -= s * M[3 * row + col]
    if nA == 0:
        return
    arm, push = skew(delta), times(w, skew(f))
    turned = mixed(1.0, product(whole, arm), 1.0, product(damping, skew(y)))
    U, Uc = product(R, mixed(1.0, turned, -1.0, push)), product(R, product(damping, arm))
    V = product(mixed(1.0, product(arm, whole), -1.0, push), transposed(R))
    Vc = product(product(arm, damping), transposed(R))
    Q, Qc = mixed(1.0, product(arm, turned), -1.0, product(push, arm)), product(arm, product(damping, arm))
    MV = mixed(wq, V, wv, Vc)
    for j in range(nA):
        a1, a2, h1, h2 = _column(rA + j, wq, wv, work)
        force = plus(plus(applied(T, a1), -1.0, applied(U, a2)), 1.0, plus(applied(Tc, h1), -1.0, applied(Uc, h2)))
        moment = plus(plus(applied(Q, a2), -1.0, applied(V, a1)), 1.0, plus(applied(Qc, h2), -1.0, applied(Vc, h1)))
        for a in range(n_x):
            for row in range(dim):
                B[o + (nA + a * dim + row) * order + j] += group.N[g, a] * force[row]
        for k in range(nA):
            J1, J2 = _row(JT, rA + k)
            B[o + k * order + j] += dot(J2, moment) - dot(J1, force)
        J1, J2 = _row(JT, rA + j)
        back = plus(applied_back(M, J1), 1.0, applied_back(MV, J2))
        for b in range(n_x):
            for col in range(dim):
                B[o + j * order + nA + b * dim + col] += group.N[g, b] * back[col]


@kernel
def _row(J: FloatArray, u: int) -> tuple[Vector, Vector]:
    """Both halves of a row."""
    return (J[u, 0], J[u, 1], J[u, 2]), (J[u, 3], J[u, 4], J[u, 5])


@kernel
def _column(u: int, wq: float, wv: float, work: MarkerWork) -> tuple[Vector, Vector, Vector, Vector]:
    """Displacement and turn of a marker, and what its twist changes by, for one coordinate; weighted."""
    a1, a2 = _row(work.JcT, u)
    d1, d2 = _row(work.JT, u)
    s1, s2 = _row(work.JvT, u)
    return scaled(wq, a1), scaled(wq, a2), combination(wv, d1, wq, s1), combination(wv, d2, wq, s2)


@kernel
def _state_blocks(
    i: int, g: int, place: Motion, H: Matrix, motion: Motion, group: DistributedGroup, work: MarkerWork,
    weights: tuple[float, float],
) -> None:  # fmt: skip
    """Columns and rows of the states of a point."""
    wq, wv = weights
    delta, n, c = place
    y, omega, _ = motion
    S, B, JT = work.S, work.B, work.JT
    A, o, order, dim, first = group.mA[i], group.off[i], group.order[i], group.dim[i], group.vectors[i]
    n_x, rA, n_z, m = group.vectors[i + 1] - first, group.mptr[A], group.n_states[i], group.m[i]
    nA, R = group.mptr[A + 1] - rA, rotation(work.R, A)
    at = nA + n_x * dim + (g - group.points[i]) * n_z
    for z in range(n_z):
        f = (0.0, 0.0, 0.0)
        by_place, by_velocity = scaled(S[RATE + z, 9], n), scaled(S[RATE + z, 5], n)
        by_place = plus(by_place, S[RATE + z, 5], applied(H, c))
        for k in range(1, m):
            e = _direction(i, k - 1, group)
            f = plus(f, -S[K + k, BY_STATE + z], tangential(n, e))
            by_velocity = plus(by_velocity, S[RATE + z, 5 + k], tangential(n, e))
            by_place = plus(by_place, S[RATE + z, 5 + k], _slip_by_place(n, e, c, H))
        by_place = plus(by_place, 1.0, cross(omega, by_velocity))
        f = scaled(wv * group.w[g], f)
        force, moment = applied(R, f), cross(delta, f)
        through = applied(R, combination(wq, by_place, wv, by_velocity))
        for a in range(n_x):
            N = group.N[g, a]
            for axis in range(dim):
                k = nA + a * dim + axis
                B[o + k * order + at + z] -= N * force[axis]
                B[o + (at + z) * order + k] -= N * through[axis]
        for j in range(nA):
            a1, a2, h1, h2 = _column(rA + j, wq, wv, work)
            J1, J2 = _row(JT, rA + j)
            B[o + j * order + at + z] += dot(J1, force) + dot(J2, moment)
            moved = plus(cross(delta, a2), -1.0, applied_back(R, a1))
            changed = plus(plus(cross(delta, h2), 1.0, cross(y, a2)), -1.0, applied_back(R, h1))
            B[o + (at + z) * order + j] -= dot(by_place, moved) + dot(by_velocity, changed)
        for x in range(n_z):
            B[o + (at + z) * order + at + x] -= wv * S[RATE + z, 1 + x]
