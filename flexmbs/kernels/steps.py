"""Operations of a time step on plain arrays: retract, predict, correct, measure. No allocation, no objects.

Coordinates of vector spaces come first, ``n_linear`` of them with the same place in q and v; then rigid bodies, 7 in q
(position, unit quaternion with its scalar first) and 6 in v (velocity of the centre of mass, angular velocity in body
axes). An increment dq has the layout of v; rotations are composed on the right, R <- R exp(dq~).
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import logarithm, quaternion_product, retract_quaternion, tangent_operator

__all__ = [
    "begin",
    "correct",
    "finish",
    "hold_back",
    "largest",
    "largest_gap",
    "largest_of_bodies",
    "largest_part",
    "largest_turn",
    "local",
    "norm",
    "position_norm",
    "predict",
    "put_back",
    "reduce",
    "retract",
    "spread",
    "stretch",
    "tangent_operators",
    "untwist",
    "yielded",
]


@kernel
def retract(q: FloatArray, dq: FloatArray, n_linear: int, out: FloatArray) -> None:
    """out = q o exp(dq), quaternions normalised."""
    for i in range(n_linear):
        out[i] = q[i] + dq[i]
    n = (q.shape[0] - n_linear) // 7
    for b in range(n):
        i, k = n_linear + 7 * b, n_linear + 6 * b
        for c in range(3):
            out[i + c] = q[i + c] + dq[k + c]
        retract_quaternion(q, i + 3, dq[k + 3], dq[k + 4], dq[k + 5], out, i + 3)


@kernel
def local(q0: FloatArray, q: FloatArray, n_linear: int, out: FloatArray) -> None:
    """The increment with q0 o exp(out) = q, rotations up to pi."""
    for i in range(n_linear):
        out[i] = q[i] - q0[i]
    n = (q.shape[0] - n_linear) // 7
    for b in range(n):
        i, k = n_linear + 7 * b, n_linear + 6 * b
        for c in range(3):
            out[k + c] = q[i + c] - q0[i + c]
        back = (q0[i + 3], -q0[i + 4], -q0[i + 5], -q0[i + 6])
        turn = quaternion_product(back, (q[i + 3], q[i + 4], q[i + 5], q[i + 6]))
        out[k + 3], out[k + 4], out[k + 5] = logarithm(turn)


@kernel
def tangent_operators(dq: FloatArray, n_linear: int, T: FloatArray) -> None:
    """T(th) of every rigid body, th the rotation in ``dq``."""
    for b in range(T.shape[0]):
        k = n_linear + 6 * b + 3
        a = tangent_operator(dq[k], dq[k + 1], dq[k + 2])
        T[b, 0, 0], T[b, 0, 1], T[b, 0, 2] = a[0], a[1], a[2]
        T[b, 1, 0], T[b, 1, 1], T[b, 1, 2] = a[3], a[4], a[5]
        T[b, 2, 0], T[b, 2, 1], T[b, 2, 2] = a[6], a[7], a[8]


@kernel
def untwist(T: FloatArray) -> None:
    """All operators the identity: coordinates are those of the state itself."""
    for k in range(T.shape[0]):
        for i in range(3):
            for j in range(3):
                T[k, i, j] = 1.0 if i == j else 0.0


@kernel
def predict(
    q: FloatArray, v: FloatArray, a: FloatArray, vd: FloatArray, h: float, beta: float, gamma: float, am: float,
    af: float, first: FloatArray, dq: FloatArray, v1: FloatArray, vd1: FloatArray,
) -> None:  # fmt: skip
    """Generalized-alpha from the guess ``first`` of the new acceleration: increment, velocity, acceleration."""
    for i in range(v.shape[0]):
        vd1[i] = first[i]
        a1 = ((1.0 - af) * vd1[i] + af * vd[i] - am * a[i]) / (1.0 - am)
        v1[i] = v[i] + h * ((1.0 - gamma) * a[i] + gamma * a1)
        dq[i] = h * v[i] + h * h * ((0.5 - beta) * a[i] + beta * a1)


@kernel
def begin(
    q: FloatArray, v: FloatArray, a: FloatArray, vd: FloatArray, first: FloatArray, h: float, beta: float, gamma: float,
    am: float, af: float, mass: FloatArray, n_linear: int, dq: FloatArray, v1: FloatArray, vd1: FloatArray,
    q1: FloatArray,
) -> tuple[float, float, float]:  # fmt: skip
    """Predict with the acceleration ``first``, retract; sizes of the old acceleration, the velocity, the positions."""
    predict(q, v, a, vd, h, beta, gamma, am, af, first, dq, v1, vd1)
    retract(q, dq, n_linear, q1)
    return norm(vd, mass), norm(v1, mass), position_norm(q, mass, n_linear)


@kernel
def stretch(h: float, h_old: float) -> float:
    """What the distance of the auxiliary acceleration from the true one is multiplied by, before a step of size h.

    It belongs to a time that depends on the step. ``h_old``: the size that it belongs to, negative behind a jump of
    held forces (`finish`); 0 where there is no distance.
    """
    if h_old == 0.0:
        return 1.0
    return h / h_old if h_old > 0.0 else abs(h / h_old)


@kernel
def finish(
    v: FloatArray, vd: FloatArray, a: FloatArray, v_old: FloatArray, h: float, h_old: float, am: float, af: float,
    mass: FloatArray, body: IntArray, size: FloatArray, sums: FloatArray, v1: FloatArray, vd1: FloatArray,
    a1: FloatArray,
) -> float:  # fmt: skip
    """The new auxiliary acceleration, and the largest third derivative of the positions of a body, over its size.

    That is a second difference of velocities; in a first step (h_old = 0), and behind a jump of forces (h_old = -h),
    with the acceleration at its start. ``body`` (n_v,) numbers the bodies, of ``size`` sum m s^2 with the length s of
    the model for translations and 1 for others.
    """
    sums[:] = 0.0
    first = h * h_old <= 0.0
    span = h if first else h + h_old
    for i in range(v.shape[0]):
        a1[i] = ((1.0 - af) * vd1[i] + af * vd[i] - am * a[i]) / (1.0 - am)
        mean = (v1[i] - v[i]) / h
        before = vd[i] if first else (v[i] - v_old[i]) / h_old
        third = (mean - before) * (2.0 / span)
        sums[body[i]] += mass[i] * third * third
    largest = 0.0
    for b in range(size.shape[0]):
        if sums[b] > largest * size[b]:
            largest = sums[b] / size[b]
        elif not sums[b] >= 0.0:
            return math.nan
    return math.sqrt(largest)


@kernel
def largest_of_bodies(
    x: FloatArray, mass: FloatArray, body: IntArray, size: FloatArray, sums: FloatArray
) -> float:  # fmt: skip
    """Largest sqrt(sum m x^2) of a body over its size, as in `finish`; NaN if a number is not finite."""
    sums[:] = 0.0
    for i in range(x.shape[0]):
        sums[body[i]] += mass[i] * x[i] * x[i]
    most = 0.0
    for b in range(size.shape[0]):
        if sums[b] > most * size[b]:
            most = sums[b] / size[b]
        elif not sums[b] >= 0.0:
            return math.nan
    return math.sqrt(most)


@kernel
def largest_turn(x: FloatArray, n_linear: int, angles: IntArray) -> float:
    """Largest rotation of a rigid body in a vector over the velocities; ``angles``: those of planar bodies."""
    largest = 0.0
    for b in range((x.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        largest = max(largest, x[k] * x[k] + x[k + 1] * x[k + 1] + x[k + 2] * x[k + 2])
    for k in angles:
        largest = max(largest, x[k] * x[k])
    return math.sqrt(largest)


@kernel
def hold_back(
    r: FloatArray, rate: FloatArray, velocity_rows: IntArray, n_v: int, wv: float, held: FloatArray
) -> None:  # fmt: skip
    """Leave in ``r`` the positions alone, as the motion will leave them: r = (0, g - rate / wv); rate = -rate / wv.

    ``held`` keeps the momentum.
    """
    for i in range(n_v):
        held[i] = r[i]
        r[i] = 0.0
    for k in range(rate.shape[0]):
        rate[k] = -rate[k] / wv
        r[n_v + k] = 0.0 if velocity_rows[k] == 1 else r[n_v + k] + rate[k]


@kernel
def put_back(held: FloatArray, rate: FloatArray, n_v: int, y: FloatArray, r: FloatArray, dq: FloatArray) -> None:
    """r = (held, rate), and dq += y."""
    for i in range(n_v):
        r[i] = held[i]
        dq[i] += y[i]
    for k in range(rate.shape[0]):
        r[n_v + k] = rate[k]


@kernel
def yielded(
    lam: FloatArray, compliance: FloatArray, velocity_rows: IntArray, n_v: int, position: float, velocity: float,
    r: FloatArray,
) -> None:  # fmt: skip
    """Add ``position`` or ``velocity`` times C lam to the constraints, so that the compliance acts on all of lam.

    If it acted on the increments only, errors of the iteration along redundant constraints would accumulate over the
    steps.
    """
    for k in range(lam.shape[0]):
        r[n_v + k] += (velocity if velocity_rows[k] == 1 else position) * (compliance[k] * lam[k])


@kernel
def reduce(
    r: FloatArray, order: IntArray, frame_dofs: IntArray, F: FloatArray, n_v: int, scale: float,
    position: float, velocity: float, velocity_rows: IntArray, b: FloatArray,
) -> None:  # fmt: skip
    """Right side of a step in the order of the unknowns: b = -scale r, -position g, -velocity (G v + b).

    The components of supported nodes are turned into their frames first.
    """
    dim = frame_dofs.shape[1]
    for f in range(frame_dofs.shape[0]):
        x, y = r[frame_dofs[f, 0]], r[frame_dofs[f, 1]]
        z = r[frame_dofs[f, 2]] if dim == 3 else 0.0
        for c in range(dim):
            s = F[f, 0, c] * x + F[f, 1, c] * y
            r[frame_dofs[f, c]] = s + F[f, 2, c] * z if dim == 3 else s
    for i in range(order.shape[0]):
        k = order[i]
        if k < n_v:
            b[i] = -scale * r[k]
        elif velocity_rows[k - n_v] == 1:
            b[i] = -velocity * r[k]
        else:
            b[i] = -position * r[k]


@kernel
def spread(x: FloatArray, order: IntArray, frame_dofs: IntArray, F: FloatArray, d: FloatArray) -> None:
    """The solution on all coordinates and equations; fixed ones get zero."""
    d[:] = 0.0
    for i in range(order.shape[0]):
        d[order[i]] = x[i]
    dim = frame_dofs.shape[1]
    for f in range(frame_dofs.shape[0]):
        x0, x1 = d[frame_dofs[f, 0]], d[frame_dofs[f, 1]]
        x2 = d[frame_dofs[f, 2]] if dim == 3 else 0.0
        for c in range(dim):
            s = F[f, c, 0] * x0 + F[f, c, 1] * x1
            d[frame_dofs[f, c]] = s + F[f, c, 2] * x2 if dim == 3 else s


@kernel
def correct(
    d: FloatArray, mass: FloatArray, wv: float, wa: float, wl: float, n_v: int,
    dq: FloatArray, v1: FloatArray, vd1: FloatArray, lam: FloatArray,
) -> float:  # fmt: skip
    """Add a Newton increment to the step and return its size sqrt(sum m d^2); NaN if it is not finite."""
    size = 0.0
    for i in range(n_v):
        x = d[i]
        dq[i] += x
        v1[i] += wv * x
        vd1[i] += wa * x
        size += mass[i] * x * x
    for i in range(lam.shape[0]):
        lam[i] += wl * d[n_v + i]
        size += 0.0 * d[n_v + i]
    return math.sqrt(size)


@kernel
def norm(x: FloatArray, mass: FloatArray) -> float:
    """sqrt(sum m x^2)."""
    s = 0.0
    for i in range(mass.shape[0]):
        s += mass[i] * x[i] * x[i]
    return math.sqrt(s)


@kernel
def position_norm(q: FloatArray, mass: FloatArray, n_linear: int) -> float:
    """sqrt(sum m q^2), rotations of rigid bodies counted as one."""
    s = 0.0
    for i in range(n_linear):
        s += mass[i] * q[i] * q[i]
    for b in range((q.shape[0] - n_linear) // 7):
        i, k = n_linear + 7 * b, n_linear + 6 * b
        for c in range(3):
            s += mass[k + c] * q[i + c] * q[i + c] + mass[k + 3 + c]
    return math.sqrt(s)


@kernel
def largest_part(x: FloatArray, sizes: FloatArray) -> float:
    """Largest absolute value over the size of each."""
    m = 0.0
    for i in range(x.shape[0]):
        m = max(m, abs(x[i]) / sizes[i])
    return m


@kernel
def largest_gap(r: FloatArray, start: int, sizes: FloatArray, velocity_rows: IntArray, h: float) -> float:
    """Largest violation of constraints, from ``start`` on in r, over their sizes; of a velocity times the step.

    Free of units, so that what is decided by it does not depend on them.
    """
    m = 0.0
    for i in range(sizes.shape[0]):
        gap = abs(r[start + i]) / sizes[i]
        if velocity_rows[i] == 1:
            gap *= abs(h)
        m = max(m, gap)
    return m


@kernel
def largest(x: FloatArray, start: int) -> float:
    """Largest absolute value from ``start`` on; 0 if there is none, NaN if one is."""
    m = 0.0
    for i in range(start, x.shape[0]):
        y = abs(x[i])
        if y > m:
            m = y
        elif not y >= 0.0:
            return math.nan
    return m
