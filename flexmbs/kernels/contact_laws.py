r"""The laws of contact: normal force, and friction in the directions of slip under that force, with all derivatives.

A contact has the rows s = (g, .) and the rates (g', u): the gap, and one to three components of the slip velocity. The
forces on the rows have the sign of `flexmbs.kernels.laws` (a positive one pulls its row down): (-N, T). Numbers of a
contact in ``data`` from ``j`` on:

======= =====================================================================================
0       offset: the gap is the row minus this
1       normal law: HUNT_CROSSLEY or IMPACT
2 .. 5  k, n, c, h
6       friction: NONE, COULOMB, BRISTLE or DWELL
7 ..    its numbers: mu, mu_s, u_1, u_0, 0 / k_0, k_1, mu, mu_s, u_1, b / k, sigma, mu, mu_s, v_s, v_d, tau
======= =====================================================================================

.. math::

   \text{HUNT\_CROSSLEY}\quad N = k d^n (1 + c \dot d) \ge 0, \qquad
   \text{IMPACT}\quad N = k d^n + c\,(3 x^2 - 2 x^3)\,\dot d \ge 0,\ x = \min(d/h, 1)

with the depth d = -g. The frictions are told in `flexmbs.model.contacts`: of the slip velocity u, and of states: the
deflection z of the bristle, one component for each of u, and in DWELL the state of rest behind them.

What is found goes into the scratch S: 26 forces; 27 .. 30 their derivatives by the rows (from column 0 on) and by the
states (from 6 on); 33 .. 36 by the rates; 57 .. 60, one for each state: its rate, the derivatives of the rate by the
states (1 ..), by the rates of the rows (5 ..), and by the gap (9).
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.laws import friction_law

__all__ = [
    "BRISTLE", "COULOMB", "DWELL", "FRICTION_OF_CONTACT", "HUNT_CROSSLEY", "IMPACT", "NONE", "SECANT", "contact_law",
    "normal_force",
]  # fmt: skip

HUNT_CROSSLEY = 0
IMPACT = 1

FRICTION_OF_CONTACT = 6
"""Where the law of friction stands in the numbers of a contact."""
NONE = 0
COULOMB = 1
BRISTLE = 2
DWELL = 3
SECANT = 4
"""COULOMB with half the secant T/u in place of slopes by u below it: where Newton's method goes to and fro over u = 0.

With less than half, an iteration may go beyond -u; with more, it is slower where the friction is full.
"""
PART = 0.5

F, K, C, BY_STATE, RATE = 26, 27, 33, 6, 57
Four = tuple[float, float, float, float]


@kernel
def normal_force(j: int, data: FloatArray, gap: float, rate: float) -> Four:
    """N, its derivatives by the gap and by its rate, and the energy stored."""
    depth = -gap
    if not depth > 0.0:
        return 0.0, 0.0, 0.0, 0.0
    k, n, c = data[j + 2], data[j + 3], data[j + 4]
    elastic = k * depth**n
    energy = elastic * depth / (n + 1.0)
    if data[j + 1] == HUNT_CROSSLEY:
        factor = 1.0 - c * rate
        if factor <= 0.0:
            return 0.0, 0.0, 0.0, energy
        return elastic * factor, -n * elastic / depth * factor, -c * elastic, energy
    x = depth / data[j + 5]
    damping, slope = c, 0.0
    if x < 1.0:
        damping, slope = c * x * x * (3.0 - 2.0 * x), 6.0 * c * x * (1.0 - x) / data[j + 5]
    force = elastic - damping * rate
    if force <= 0.0:
        return 0.0, 0.0, 0.0, energy
    return force, -n * elastic / depth + slope * rate, -damping, energy


@kernel
def contact_law(j: int, data: FloatArray, m: int, first: int, v: FloatArray, S: FloatArray) -> float:
    """All of a contact with the rows and rates in ``S[24, :m]``, ``S[25, :m]``; returns the energy stored.

    Parameters
    ----------
    j : int
        Where its numbers begin in ``data``.
    m : int
        Number of rows.
    first : int
        Place of the first state in ``v``.
    S : (64, 12) array
        Scratch, see above.
    """
    N, N_g, N_r, energy = normal_force(j, data, S[24, 0] - data[j], S[25, 0])
    for a in range(m):
        S[F, a] = 0.0
        for b in range(12):
            S[K + a, b] = 0.0
        for b in range(6):
            S[C + a, b] = 0.0
    S[F, 0], S[K, 0], S[C, 0] = -N, -N_g, -N_r
    friction = data[j + 6]
    if friction in (COULOMB, SECANT):
        if N > 0.0:
            _coulomb(j + 7, data, m, N, N_g, N_r, friction == SECANT, S)
    elif friction == BRISTLE:
        energy += _bristle(j + 7, data, m, first, v, N, N_g, N_r, S)
    elif friction == DWELL:
        energy += _dwell(j + 7, data, m, first, v, N, N_g, N_r, S)
    return energy


@kernel
def _speed(m: int, S: FloatArray) -> float:
    """Size of the slip velocity."""
    square = 0.0
    for a in range(1, m):
        square += S[25, a] * S[25, a]
    return math.sqrt(square)


@kernel
def _coulomb(o: int, data: FloatArray, m: int, N: float, N_g: float, N_r: float, secant: bool, S: FloatArray) -> None:
    """Regularised friction: T = N f(|u|) u / |u|."""
    speed = _speed(m, S)
    f, _, slope, _ = friction_law(o, data, speed)
    ratio = f / speed if speed > 1e-9 * data[o + 3] else slope
    square = speed * speed if speed > 0.0 else 1.0
    steep = max(slope, PART * ratio) if secant else slope
    for a in range(1, m):
        u = S[25, a]
        S[F, a] = N * ratio * u
        S[K + a, 0] = N_g * ratio * u
        S[C + a, 0] = N_r * ratio * u
        for b in range(1, m):
            S[C + a, b] = N * (steep - ratio) * u * S[25, b] / square
        S[C + a, a] += N * ratio


@kernel
def _bristle(
    o: int, data: FloatArray, m: int, first: int, v: FloatArray, N: float, N_g: float, N_r: float, S: FloatArray
) -> float:
    r"""Elasto-plastic bristle: T = k_0 z + k_1 z', z' = u - A p e, e = z/|z|, p = max(e . u, 0), A = min(a |z|/z_1, 1).

    Where this is beyond N mu(|u|), T is cut and turned to k_0 z + k_1 u (see `_turn`), and the bristle gives way at the
    rate that goes with it: z' = (T - k_0 z)/k_1.
    """
    k0, k1, mu = data[o], data[o + 1], data[o + 2]
    n = m - 1
    speed = _speed(m, S)
    bump = (data[o + 3] - mu) * math.exp(-((speed / data[o + 4]) ** 2))
    limit = mu + bump
    limit_u = -2.0 * speed / (data[o + 4] * data[o + 4]) * bump
    z1, z1_N, z1_u = N * limit / k0, limit / k0, N * limit_u / k0
    z0, z0_N = data[o + 5] * N * mu / k0, data[o + 5] * mu / k0
    square = 0.0
    for a in range(n):
        square += v[first + a] * v[first + a]
    length = math.sqrt(square)
    along = 0.0  # e . u
    if length > 0.0:
        for a in range(n):
            along += v[first + a] * S[25, 1 + a] / length
    p = max(along, 0.0)
    A = A_z = A_z1 = A_z0 = 0.0
    if length > 0.0 and length >= z1:
        A = 1.0
    elif length > z0:
        width = z1 - z0
        angle = math.pi * (length - 0.5 * (z0 + z1)) / width
        slip, bend = 0.5 + 0.5 * math.sin(angle), 0.5 * math.pi * math.cos(angle) / width
        A = slip * length / z1
        A_z = (bend * length + slip) / z1
        A_z1 = (bend * (z0 - length) / width - slip / z1) * length / z1
        A_z0 = bend * (length - z1) / width * length / z1
    w, w_N, w_u = A * p, p * (A_z1 * z1_N + A_z0 * z0_N), p * A_z1 * z1_u
    for a in range(n):
        e = v[first + a] / length if length > 0.0 else 0.0
        row = S[RATE + a]
        row[:] = 0.0
        u = S[25, 1 + a]
        row[0] = u - w * e
        row[5] = -e * w_N * N_r
        row[9] = -e * w_N * N_g
        row[6 + a] = 1.0
        if length > 0.0:
            for b in range(n):
                eb, ub = v[first + b] / length, S[25, 1 + b]
                same = 1.0 if a == b else 0.0
                w_z = A_z * p * eb
                w_ub = w_u * ub / speed if speed > 0.0 else 0.0
                if along > 0.0:
                    w_z += A * (ub - along * eb) / length
                    w_ub += A * eb
                row[1 + b] = -e * w_z - w * (same - e * eb) / length
                row[6 + b] -= e * w_ub
    for a in range(n):
        S[F, 1 + a] = k0 * v[first + a] + k1 * S[RATE + a, 0]
        _add_rate(a, n, k1, S)
        S[K + 1 + a, BY_STATE + a] += k0
    _turn(n, k0, k1, first, v, N * limit, limit * N_g, limit * N_r, N * limit_u, speed, S)
    if _cut(n, N * limit, limit * N_g, limit * N_r, N * limit_u, 0.0, speed, S):
        for a in range(n):
            row = S[RATE + a]
            row[0] = (S[F, 1 + a] - k0 * v[first + a]) / k1
            row[9] = S[K + 1 + a, 0] / k1
            for b in range(n + 1):
                row[5 + b] = S[C + 1 + a, b] / k1
            for b in range(n):
                row[1 + b] = S[K + 1 + a, BY_STATE + b] / k1
            row[1 + a] -= k0 / k1
    return float(0.5 * k0 * square)


@kernel
def _dwell(
    o: int, data: FloatArray, m: int, first: int, v: FloatArray, N: float, N_g: float, N_r: float, S: FloatArray
) -> float:
    """Bristle with a static limit that grows with the time at rest."""
    k, sigma, mu, rise = data[o], data[o + 1], data[o + 2], data[o + 3] - data[o + 2]
    vs, vd, tau = data[o + 4], data[o + 5], data[o + 6]
    n = m - 1
    speed = _speed(m, S)
    s = math.exp(-((speed / vs) ** 2))
    rest = v[first + n]
    if speed < vd:
        g = (1.5 - 0.5 * (speed / vd) ** 2) / vd
        bend = -1.0 / (vd * vd * vd)
    else:
        g = 1.0 / speed
        bend = -g * g * g
    square = 0.0
    for a in range(n):
        z, u = v[first + a], S[25, 1 + a]
        square += z * z
        row = S[RATE + a]
        row[:] = 0.0
        aim = mu * N * g * u / sigma - k / sigma * z
        row[0] = s * u + (1.0 - s) * aim
        row[1 + a] = -(1.0 - s) * k / sigma
        by_N = (1.0 - s) * mu * g * u / sigma
        row[5], row[9] = by_N * N_r, by_N * N_g
        for b in range(n):
            ub = S[25, 1 + b]
            s_b = -2.0 * ub / (vs * vs) * s
            row[6 + b] = (u - aim) * s_b + (1.0 - s) * mu * N / sigma * bend * u * ub
        row[6 + a] += s + (1.0 - s) * mu * N / sigma * g
        S[F, 1 + a] = k * z + sigma * row[0]
        _add_rate(a, n, sigma, S)
        S[K + 1 + a, BY_STATE + a] += k
    time = tau if s >= rest else sigma / k
    row = S[RATE + n]
    row[:] = 0.0
    row[0] = (s - rest) / time
    row[1 + n] = -1.0 / time
    for b in range(n):
        row[6 + b] = -2.0 * S[25, 1 + b] / (vs * vs) * s / time
    level = mu + rise * rest
    _cut(n, N * level, level * N_g, level * N_r, 0.0, N * rise, speed, S)
    return float(0.5 * k * square)


@kernel
def _add_rate(a: int, n: int, k1: float, S: FloatArray) -> None:
    """k_1 times the derivatives of the rate of state a, to those of the force in its direction."""
    row = S[RATE + a]
    S[K + 1 + a, 0] += k1 * row[9]
    for b in range(n + 1):
        S[C + 1 + a, b] += k1 * row[5 + b]
    for b in range(n):
        S[K + 1 + a, BY_STATE + b] += k1 * row[1 + b]


@kernel
def _turn(
    n: int, k0: float, k1: float, first: int, v: FloatArray, L: float, L_g: float, L_r: float, L_u: float, speed: float,
    S: FloatArray,
) -> None:  # fmt: skip
    """A force F of a bristle beyond L gets the direction of D = L/|F| F + (1 - L/|F|) G, with G = k_0 z + k_1 u.

    F lacks k_1 times the slip along the bristle, which slides; a small slip across it, times k_1, would turn the force
    that is cut to L. G has all of the slip, as has a damper in series with a slider. D is no shorter than F, in line
    with it if z and u are, and F where |F| = L.
    """
    square = 0.0
    for a in range(n):
        square += S[F, 1 + a] * S[F, 1 + a]
    size = math.sqrt(square)
    if size <= L:
        return
    part = L / size
    for col in range(12):
        along = 0.0
        for a in range(n):
            along += S[F, 1 + a] / size * S[K + 1 + a, col]
        change = ((L_g if col == 0 else 0.0) - part * along) / size
        for a in range(n):
            G = k0 * v[first + a] + k1 * S[25, 1 + a]
            S[K + 1 + a, col] = part * S[K + 1 + a, col] + (S[F, 1 + a] - G) * change
        if BY_STATE <= col < BY_STATE + n:
            S[K + 1 + col - BY_STATE, col] += (1.0 - part) * k0
    for col in range(n + 1):
        along = 0.0
        for a in range(n):
            along += S[F, 1 + a] / size * S[C + 1 + a, col]
        L_v = L_r
        if col > 0:
            L_v = L_u * S[25, col] / speed if speed > 0.0 else 0.0
        change = (L_v - part * along) / size
        for a in range(n):
            G = k0 * v[first + a] + k1 * S[25, 1 + a]
            S[C + 1 + a, col] = part * S[C + 1 + a, col] + (S[F, 1 + a] - G) * change
        if col > 0:
            S[C + col, col] += (1.0 - part) * k1
    for a in range(n):
        S[F, 1 + a] = part * S[F, 1 + a] + (1.0 - part) * (k0 * v[first + a] + k1 * S[25, 1 + a])


@kernel
def _cut(n: int, L: float, L_g: float, L_r: float, L_u: float, L_rest: float, speed: float, S: FloatArray) -> bool:
    """A force beyond L becomes L long; L has derivatives by the gap, its rate, the speed, and the last state."""
    square = 0.0
    for a in range(n):
        square += S[F, 1 + a] * S[F, 1 + a]
    size = math.sqrt(square)
    if size <= L:
        return False
    f = L / size
    for col in range(12):  # the same projection for all derivatives, column by column
        along = 0.0
        for a in range(n):
            along += S[F, 1 + a] / size * S[K + 1 + a, col]
        for a in range(n):
            S[K + 1 + a, col] = f * (S[K + 1 + a, col] - S[F, 1 + a] / size * along)
    for col in range(n + 1):
        along = 0.0
        for a in range(n):
            along += S[F, 1 + a] / size * S[C + 1 + a, col]
        for a in range(n):
            S[C + 1 + a, col] = f * (S[C + 1 + a, col] - S[F, 1 + a] / size * along)
    for a in range(n):
        t = S[F, 1 + a] / size
        S[K + 1 + a, 0] += t * L_g
        S[C + 1 + a, 0] += t * L_r
        S[K + 1 + a, BY_STATE + n] += t * L_rest
        if speed > 0.0:
            for b in range(n):
                S[C + 1 + a, 1 + b] += t * L_u * S[25, 1 + b] / speed
        S[F, 1 + a] = L * t
    return True
