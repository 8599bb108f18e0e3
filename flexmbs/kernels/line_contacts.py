r"""Contact of two lines that lie on each other in the plane: force per length at points of the first one.

At a point x = P_a(s) x_a of the axis of A, s fixed, the place t on the axis y(t) = P_b(t) y_b of B, cubic polynomials
of the natural coordinates, is the foot of the perpendicular: with d = x - y,

.. math:: d \cdot y'(t) = 0, \qquad \mathrm dt = \frac{(\mathrm dx - \partial y) \cdot y' + d \cdot \partial y'}
   {y' \cdot y' - d \cdot y''}

by Newton's method from the foot on the chord. With n = d/|d|, the tangent tau = (n_y, -n_x) and the distances r_a and
r_b of the surfaces from the axes,

.. math:: g = |d| - r_a - r_b, \quad \dot g = n \cdot (\dot x - \dot y), \quad
   u = \tau \cdot (\dot x - \dot y) + (r_a + g/2)\,\omega_a + (r_b + g/2)\,\omega_b, \quad
   \omega_a = \frac{x' \times \dot x'}{x' \cdot x'}

are the gap and the slip velocity of A over B at the interface: at one point, half-way between both surfaces, where the
sections that turn with their axes have it. The law gives N and T per length; the rows of g and u in the velocities are
the generalised forces of both, so that force and moment act and react at that point, and a common motion of both
lines feels nothing. The rows change with x, y and t; all of it is in the tangent. An element of B owns its end t = -1,
and not t = 1; what lies beyond the ends of B does not touch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import kernel
from flexmbs.kernels.contact_laws import COULOMB, FRICTION_OF_CONTACT, normal_force
from flexmbs.kernels.laws import friction_law

__all__ = [
    "LineContactGroup", "line_energy", "line_force", "line_gaps", "line_power", "line_states", "line_tangent",
]  # fmt: skip

MOST = 40
FAR = 3.0
EDGE = 1e-9
"""Width of the border between two elements in natural coordinates."""
OPEN = 1e-3
"""Gap, over the sum of the radii, of a point that has no foot on an element, at least."""
LEAST = 0.1
"""Distance of the axes, over the sum of the radii, below which the side on which a line lies is in doubt."""
Two = tuple[float, float]
Curve = tuple[Two, Two, Two]
Foot = tuple[bool, float, Two, Curve]
Rows = tuple[Two, Two, float, float, float, float, Two, Two, float, float]
Force = tuple[float, float, float, float, float, float, float]


class LineContactGroup(NamedTuple):
    """Pairs of elements: ``dofs (n, 2 n_a + 2 n_b)``, ``b1``; ``iq (n, n_a + n_b)``: first places of the vectors.

    ``P (n, n_a + n_b, 4)``: coefficients of the polynomials, from the constant on; ``sides (n, 2)``: n_a, n_b;
    ``s, w (n, n_s)``: points of A and the lengths that belong to them; ``radii (n, 2)``: r_a, r_b; ``law (n, 12)``:
    numbers of the contact (`flexmbs.kernels.contact_laws`); ``pair (n,)``: number of the pair of lines.
    """

    dofs: IntArray
    b1: int
    iq: IntArray
    P: FloatArray
    sides: IntArray
    s: FloatArray
    w: FloatArray
    radii: FloatArray
    law: FloatArray
    pair: IntArray


@kernel
def _dot(a: Two, b: Two) -> float:
    return a[0] * b[0] + a[1] * b[1]


@kernel
def _plus(a: Two, k: float, b: Two) -> Two:
    """a + k b."""
    return a[0] + k * b[0], a[1] + k * b[1]


@kernel
def _shape(P: FloatArray, i: int, c: int, s: float) -> tuple[float, float, float]:
    """A polynomial and its derivatives."""
    p1, p2, p3 = P[i, c, 1], P[i, c, 2], P[i, c, 3]
    return P[i, c, 0] + s * (p1 + s * (p2 + s * p3)), p1 + s * (2.0 * p2 + s * 3.0 * p3), 2.0 * p2 + 6.0 * s * p3


@kernel
def _combined(
    i: int, side: int, s: float, group: LineContactGroup, places: IntArray, step: int, x: FloatArray
) -> Curve:  # fmt: skip
    """Sum of the vectors of an element with the polynomials, and its derivatives by s."""
    first = 0 if side == 0 else group.sides[i, 0]
    a0 = a1 = b0 = b1 = c0 = c1 = 0.0
    for c in range(first, first + group.sides[i, side]):
        p, p1, p2 = _shape(group.P, i, c, s)
        k = places[i, step * c]
        a0, a1 = a0 + p * x[k], a1 + p * x[k + 1]
        b0, b1 = b0 + p1 * x[k], b1 + p1 * x[k + 1]
        c0, c1 = c0 + p2 * x[k], c1 + p2 * x[k + 1]
    return (a0, a1), (b0, b1), (c0, c1)


@kernel
def _curve(i: int, side: int, s: float, group: LineContactGroup, q: FloatArray) -> Curve:
    """Point of an axis and its derivatives."""
    return _combined(i, side, s, group, group.iq, 1, q)


@kernel
def _velocity(i: int, side: int, s: float, group: LineContactGroup, v: FloatArray) -> Curve:
    """Velocity of the point of an axis at s, and its derivatives."""
    return _combined(i, side, s, group, group.dofs, 2, v)


@kernel
def _chord(i: int, side: int, group: LineContactGroup, q: FloatArray) -> tuple[Two, Two]:
    """Middle of the chord of an element, and half the chord."""
    one = _curve(i, side, -1.0, group, q)[0]
    two = _curve(i, side, 1.0, group, q)[0]
    return (0.5 * (one[0] + two[0]), 0.5 * (one[1] + two[1])), (0.5 * (two[0] - one[0]), 0.5 * (two[1] - one[1]))


@kernel
def _is_far(i: int, group: LineContactGroup, q: FloatArray) -> bool:
    """Whether two elements are too far from each other to touch, however they are bent."""
    (m, a), (p, b) = _chord(i, 0, group, q), _chord(i, 1, group, q)
    d: Two = _plus(m, -1.0, p)
    reach: float = 1.5 * (math.sqrt(_dot(a, a)) + math.sqrt(_dot(b, b))) + group.law[i, 0]
    return _dot(d, d) > reach * reach


@kernel
def _foot(i: int, x: Two, group: LineContactGroup, q: FloatArray) -> Foot:
    """Whether the perpendicular from x has its foot on the element of B; t, d and the curve of B there."""
    m, b = _chord(i, 1, group, q)
    t = _dot(_plus(x, -1.0, m), b) / _dot(b, b)
    t = min(max(t, -1.5), 1.5)
    for _ in range(MOST):
        two = _curve(i, 1, t, group, q)
        d = _plus(x, -1.0, two[0])
        slope = _dot(two[1], two[1])
        det = slope - _dot(d, two[2])
        if det < 1e-3 * slope:  # beyond the centre of curvature, where the distance is not least
            return False, t, d, two
        dt = _dot(d, two[1]) / det
        t += dt
        if abs(dt) < 1e-9 or abs(t) > FAR:  # the next one would be below round-off
            break
    two = _curve(i, 1, t, group, q)
    return -1.0 - EDGE <= t < 1.0 - EDGE, t, _plus(x, -1.0, two[0]), two


@kernel
def _rows(i: int, t: float, one: Curve, two: Curve, size: float, n: Two, xdot: Curve, ydot: Curve,
          group: LineContactGroup) -> Rows:  # fmt: skip
    """Vectors h and k of the turns, arms, rates of gap and slip, relative velocity, tangent, and turns omega."""
    gap = size - group.law[i, 0]
    a, b = group.radii[i, 0] + 0.5 * gap, group.radii[i, 1] + 0.5 * gap
    xx, yy = _dot(one[1], one[1]), _dot(two[1], two[1])
    h, k = (-one[1][1] / xx, one[1][0] / xx), (-two[1][1] / yy, two[1][0] / yy)
    tau = (n[1], -n[0])
    relative = _plus(xdot[0], -1.0, ydot[0])
    turn_a, turn_b = _dot(h, xdot[1]), _dot(k, ydot[1])
    slip = _dot(tau, relative) + a * turn_a + b * turn_b
    return h, k, a, b, _dot(n, relative), slip, relative, tau, turn_a, turn_b


@kernel
def _law(i: int, gap: float, rate: float, slip: float, group: LineContactGroup) -> Force:
    """N, its derivatives by gap and rate, T, the ratio T/N, its derivative by the slip, and the energy per length."""
    law = group.law[i]
    N, N_g, N_r, energy = normal_force(0, law, gap, rate)
    ratio, slope = 0.0, 0.0
    if law[FRICTION_OF_CONTACT] == COULOMB and N > 0.0:
        size, _, slope, _ = friction_law(FRICTION_OF_CONTACT + 1, law, abs(slip))
        ratio = size if slip > 0.0 else -size
    return N, N_g, N_r, N * ratio, ratio, slope, energy


@kernel
def _push(i: int, s: float, t: float, f: Two, one: Two, two: Two, group: LineContactGroup, r: FloatArray) -> None:
    """The force f on A and -f on B into ``r``, with the forces ``one`` and ``two`` on the slopes of the axes."""
    nA = group.sides[i, 0]
    for c in range(nA + group.sides[i, 1]):
        p, p1, _ = _shape(group.P, i, c, s if c < nA else t)
        side, m = (1.0, one) if c < nA else (-1.0, two)
        r[group.dofs[i, 2 * c]] -= side * p * f[0] + p1 * m[0]
        r[group.dofs[i, 2 * c + 1]] -= side * p * f[1] + p1 * m[1]


@kernel
def line_force(group: LineContactGroup, state: State, env: Env, work: Work) -> int:
    """Forces of all pairs into ``r``."""
    q, v = state.q, state.v
    for i in range(group.dofs.shape[0]):
        if _is_far(i, group, q):
            continue
        R = group.law[i, 0]
        for g in range(group.s.shape[1]):
            s = group.s[i, g]
            one = _curve(i, 0, s, group, q)
            found, t, d, two = _foot(i, one[0], group, q)
            size = math.sqrt(_dot(d, d))
            if not found or size >= R:
                continue
            if size < LEAST * R:
                return i
            n = (d[0] / size, d[1] / size)
            h, k, a, b, rate, slip, _, tau, _, _ = _rows(
                i, t, one, two, size, n, _velocity(i, 0, s, group, v), _velocity(i, 1, t, group, v), group
            )
            N, _, _, T, _, _, _ = _law(i, size - R, rate, slip, group)
            w = group.w[i, g]
            f = (w * (N * n[0] - T * tau[0]), w * (N * n[1] - T * tau[1]))
            A, B = -w * T * a, -w * T * b
            _push(i, s, t, f, (A * h[0], A * h[1]), (B * k[0], B * k[1]), group, work.r)
    return -1


@kernel
def line_tangent(
    group: LineContactGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:  # fmt: skip
    """Forces, and blocks wq K + wv D."""
    q, v, B, order = state.q, state.v, work.B, group.dofs.shape[1]
    for i in range(group.dofs.shape[0]):
        o = group.b1 + i * order * order
        B[o : o + order * order] = 0.0
        if _is_far(i, group, q):
            continue
        R = group.law[i, 0]
        for g in range(group.s.shape[1]):
            s = group.s[i, g]
            one = _curve(i, 0, s, group, q)
            found, t, d, two = _foot(i, one[0], group, q)
            size = math.sqrt(_dot(d, d))
            if not found or size >= R:
                continue
            if size < LEAST * R:
                return i
            _block(i, g, t, size, d, (one, two), group, v, work, weights)
    return -1


@kernel
def _turned(x1: Two, h: Two, dx1: Two) -> Two:
    """Change of h = J x'/|x'|^2."""
    square = _dot(x1, x1)
    along = 2.0 * _dot(x1, dx1)
    return (-dx1[1] - along * h[0]) / square, (dx1[0] - along * h[1]) / square


@kernel
def _block(
    i: int, g: int, t: float, size: float, d: Two, curves: tuple[Curve, Curve], group: LineContactGroup,
    v: FloatArray, work: Work, weights: tuple[float, float],
) -> None:  # fmt: skip
    """Force of one point, and what it adds to the block of its pair."""
    wq, wv = weights
    one, two = curves
    s, w, nA = group.s[i, g], group.w[i, g], group.sides[i, 0]
    order, count, B = group.dofs.shape[1], nA + group.sides[i, 1], work.B
    o = group.b1 + i * order * order
    n = (d[0] / size, d[1] / size)
    xdot, ydot = _velocity(i, 0, s, group, v), _velocity(i, 1, t, group, v)
    h, k, a, b, rate, slip, relative, tau, turn_a, turn_b = _rows(i, t, one, two, size, n, xdot, ydot, group)
    N, N_g, N_r, T, ratio, slope, _ = _law(i, size - group.law[i, 0], rate, slip, group)
    f = (w * (N * n[0] - T * tau[0]), w * (N * n[1] - T * tau[1]))
    fa, fb = -w * T * a, -w * T * b
    _push(i, s, t, f, (fa * h[0], fa * h[1]), (fb * k[0], fb * k[1]), group, work.r)
    det = _dot(two[1], two[1]) - _dot(d, two[2])
    for c in range(count):
        first = c < nA
        p, p1, _ = _shape(group.P, i, c, s if first else t)
        side = 1.0 if first else -1.0
        for axis in range(2):
            e = (1.0, 0.0) if axis == 0 else (0.0, 1.0)
            # the coordinate moves x or y by p e, and x' or y' by p1 e, the place t following
            dt = side * p * two[1][axis]
            if not first:
                dt += p1 * d[axis]
            dt /= det
            dd = (side * p * e[0] - two[1][0] * dt, side * p * e[1] - two[1][1] * dt)
            dg = side * p * n[axis]
            dn = ((dd[0] - dg * n[0]) / size, (dd[1] - dg * n[1]) / size)
            dtau = (dn[1], -dn[0])
            dx1 = (p1 * e[0], p1 * e[1]) if first else (0.0, 0.0)
            dy1 = (two[2][0] * dt, two[2][1] * dt)
            if not first:
                dy1 = _plus(dy1, p1, e)
            dh, dk = _turned(one[1], h, dx1), _turned(two[1], k, dy1)
            rate_q = _dot(dn, relative) - _dot(n, ydot[1]) * dt
            slip_q = _dot(dtau, relative) - _dot(tau, ydot[1]) * dt + 0.5 * dg * (turn_a + turn_b)
            slip_q += a * _dot(dh, xdot[1]) + b * (_dot(dk, ydot[1]) + _dot(k, ydot[2]) * dt)
            slip_v = side * p * tau[axis] + p1 * (a * h[axis] if first else b * k[axis])
            dN = wq * N_g * dg + N_r * (wq * rate_q + wv * dg)
            dT = ratio * dN + N * slope * (wq * slip_q + wv * slip_v)
            # changes of the force on the axes, and of those on the slopes
            df = (
                w * (dN * n[0] - dT * tau[0] + wq * (N * dn[0] - T * dtau[0])),
                w * (dN * n[1] - dT * tau[1] + wq * (N * dn[1] - T * dtau[1])),
            )
            arm = 0.5 * dg * wq
            da, db = -w * (dT * a + T * arm), -w * (dT * b + T * arm)
            ma = (da * h[0] + wq * fa * dh[0], da * h[1] + wq * fa * dh[1])
            mb = (db * k[0] + wq * fb * dk[0], db * k[1] + wq * fb * dk[1])
            col = 2 * c + axis
            for m in range(count):
                at = o + 2 * m * order + col
                if m < nA:
                    z, z1, _ = _shape(group.P, i, m, s)
                    B[at] -= z * df[0] + z1 * ma[0]
                    B[at + order] -= z * df[1] + z1 * ma[1]
                else:
                    z, z1, z2 = _shape(group.P, i, m, t)
                    move = wq * dt
                    B[at] -= -z * df[0] - z1 * move * f[0] + z1 * mb[0] + z2 * move * fb * k[0]
                    B[at + order] -= -z * df[1] - z1 * move * f[1] + z1 * mb[1] + z2 * move * fb * k[1]


@kernel
def line_states(group: LineContactGroup, state: State, out: FloatArray) -> None:
    """The pair as a whole into ``out (14,)``: where it acts, N, force on B, slip, energy and power.

    As rows of the histories of contacts: place (3), gap, its rate, N, force on the second line (3), slip velocity of it
    (3), energy and power; place and slip are means with the weight of N. Gap and rate are those of `line_gaps`.
    """
    q, v = state.q, state.v
    out[:] = 0.0
    for i in range(group.dofs.shape[0]):
        if _is_far(i, group, q):
            continue
        R = group.law[i, 0]
        for g in range(group.s.shape[1]):
            s = group.s[i, g]
            one = _curve(i, 0, s, group, q)
            found, t, d, two = _foot(i, one[0], group, q)
            size = math.sqrt(_dot(d, d))
            if not found or size >= R or not size > 0.0:
                continue
            n = (d[0] / size, d[1] / size)
            _, _, a, _, rate, slip, _, tau, _, _ = _rows(
                i, t, one, two, size, n, _velocity(i, 0, s, group, v), _velocity(i, 1, t, group, v), group
            )
            N, _, _, T, _, _, energy = _law(i, size - R, rate, slip, group)
            w = group.w[i, g]
            out[5] += w * N
            out[12] += w * energy
            out[13] += w * (N * rate - T * slip)
            for axis in range(2):
                out[axis] += w * N * (one[0][axis] - a * n[axis])
                out[6 + axis] += w * (T * tau[axis] - N * n[axis])
                out[9 + axis] -= w * N * slip * tau[axis]
    if out[5] > 0.0:
        for axis in range(2):
            out[axis] /= out[5]
            out[9 + axis] /= out[5]


@kernel
def line_energy(group: LineContactGroup, q: FloatArray) -> float:
    """Energy stored in all pairs."""
    total = 0.0
    for i in range(group.dofs.shape[0]):
        if _is_far(i, group, q):
            continue
        for g in range(group.s.shape[1]):
            found, _, d, _ = _foot(i, _curve(i, 0, group.s[i, g], group, q)[0], group, q)
            gap = math.sqrt(_dot(d, d)) - group.law[i, 0]
            if found and gap < 0.0:
                total += group.w[i, g] * normal_force(0, group.law[i], gap, 0.0)[3]
    return total


@kernel
def line_power(group: LineContactGroup, state: State) -> float:
    """Power that friction and damping feed into the system, which is not positive where they only take."""
    q, v = state.q, state.v
    total = 0.0
    for i in range(group.dofs.shape[0]):
        if _is_far(i, group, q):
            continue
        R = group.law[i, 0]
        for g in range(group.s.shape[1]):
            s = group.s[i, g]
            one = _curve(i, 0, s, group, q)
            found, t, d, two = _foot(i, one[0], group, q)
            size = math.sqrt(_dot(d, d))
            if not found or size >= R or not size > 0.0:
                continue
            _, _, _, _, rate, slip, _, _, _, _ = _rows(
                i, t, one, two, size, (d[0] / size, d[1] / size), _velocity(i, 0, s, group, v),
                _velocity(i, 1, t, group, v), group,
            )  # fmt: skip
            N, _, _, T, _, _, energy = _law(i, size - R, rate, slip, group)
            elastic = energy * (group.law[i, 3] + 1.0) / (R - size)
            total += group.w[i, g] * ((N - elastic) * rate - T * slip)
    return total


@kernel
def line_gaps(group: LineContactGroup, state: State, gap: FloatArray, rate: FloatArray) -> None:
    """The least gap (n_pairs,) of the points of each pair, and its rate, where less than what is there.

    A point without a foot on an element counts with the nearest place of its chord, and as open.
    """
    q, v = state.q, state.v
    for i in range(group.dofs.shape[0]):
        pair, R = group.pair[i], group.law[i, 0]
        far = _is_far(i, group, q)
        for g in range(group.s.shape[1]):
            s = group.s[i, g]
            x = _curve(i, 0, s, group, q)[0]
            found, t, d = False, 0.0, x
            if not far:
                found, t, d, _ = _foot(i, x, group, q)
            if not found:
                m, b = _chord(i, 1, group, q)
                t = min(max(_dot(_plus(x, -1.0, m), b) / _dot(b, b), -1.0), 1.0)
                d = _plus(x, -1.0, _curve(i, 1, t, group, q)[0])
            size = math.sqrt(_dot(d, d))
            here = size - R
            if not found:
                here = max(here, OPEN * R)
            if not here < gap[pair]:
                continue
            gap[pair] = here
            relative = _plus(_velocity(i, 0, s, group, v)[0], -1.0, _velocity(i, 1, t, group, v)[0])
            rate[pair] = _dot(d, relative) / size if size > 0.0 else 0.0
