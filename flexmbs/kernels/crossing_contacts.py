r"""Contact of elements of two lines that cross: one force at the points of their axes that are nearest to each other.

With the axes x(s) = P_a(s) x_a and y(t) = P_b(t) y_b, cubic polynomials of the natural coordinates, and
d = y(t) - x(s), the places s and t are unknowns of the pair alone, from

.. math:: -d \cdot x' = 0, \qquad d \cdot y' = 0,

by Newton's method from the nearest points of the chords. The gap is g = |d| - R, R the sum of the radii; where it is
closed the force N = k (-g)^n acts along d/|d|. Since dg is zero along s and t, its derivative by the coordinates is
n . (P_b dy_b - P_a dx_a); in the second derivative s and t wander,

.. math:: \begin{pmatrix} \mathrm ds \\ \mathrm dt \end{pmatrix} = -\begin{pmatrix} x'x' - d\,x'' & -x'y' \\
   -x'y' & y'y' + d\,y'' \end{pmatrix}^{-1} \begin{pmatrix} \mathrm d(-d\cdot x') \\ \mathrm d(d\cdot y') \end{pmatrix},

which is condensed exactly. The stiffness is symmetric: the force has the potential k (-g)^(n+1)/(n+1). An element owns
its end s = -1, and not s = 1, so that a place on a node counts once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Vector, dot, plus, scaled

__all__ = [
    "CrossingGroup", "crossing_energy", "crossing_force", "crossing_gaps", "crossing_place", "crossing_states",
    "crossing_tangent",
]  # fmt: skip

NONE, CLOSED, PARALLEL = 0, 1, 2
EDGE = 1e-9
"""Width of the border between two elements in natural coordinates."""
LEAST = 0.03
"""Square of the sine of the angle between two tubes that touch at a point: 10 degrees."""
MOST = 40
FAR = 3.0
OPEN = 1e-3
"""Gap, over the sum of the radii, of elements that do not cross, at least."""
Curve = tuple[Vector, Vector, Vector]
Nearest = tuple[int, float, float, Vector, Curve, Curve]
ZERO: Vector = (0.0, 0.0, 0.0)


class CrossingGroup(NamedTuple):
    """Pairs of elements: ``dofs (n, 3 n_a + 3 n_b)``, ``b1``; ``iq (n, n_a + n_b)``: first places of the vectors in q.

    ``P (n, n_a + n_b, 4)``: coefficients of the polynomials, from the constant on; ``sides (n, 2)``: n_a, n_b;
    ``law (n, 3)``: R, k, n; ``pair (n,)``: number of the pair of tubes.
    """

    dofs: IntArray
    b1: int
    iq: IntArray
    P: FloatArray
    sides: IntArray
    law: FloatArray
    pair: IntArray


@kernel
def _value(P: FloatArray, i: int, b: int, s: float) -> float:
    return float(P[i, b, 0] + s * (P[i, b, 1] + s * (P[i, b, 2] + s * P[i, b, 3])))


@kernel
def _slope(P: FloatArray, i: int, b: int, s: float) -> float:
    return float(P[i, b, 1] + s * (2.0 * P[i, b, 2] + s * 3.0 * P[i, b, 3]))


@kernel
def _curve(i: int, first: int, count: int, s: float, group: CrossingGroup, q: FloatArray) -> Curve:
    """Point of an axis and its derivatives by s."""
    x, x1, x2 = ZERO, ZERO, ZERO
    for b in range(first, first + count):
        k = group.iq[i, b]
        e = (q[k], q[k + 1], q[k + 2])
        x = plus(x, _value(group.P, i, b, s), e)
        x1 = plus(x1, _slope(group.P, i, b, s), e)
        x2 = plus(x2, 2.0 * group.P[i, b, 2] + 6.0 * s * group.P[i, b, 3], e)
    return x, x1, x2


@kernel
def _chords(i: int, group: CrossingGroup, q: FloatArray) -> tuple[Vector, Vector, Vector]:
    """From the middle of one element to that of the other, and half the chords of both."""
    nA, nB = group.sides[i, 0], group.sides[i, 1]
    m = plus(_curve(i, nA, nB, 0.0, group, q)[0], -1.0, _curve(i, 0, nA, 0.0, group, q)[0])
    a = scaled(0.5, plus(_curve(i, 0, nA, 1.0, group, q)[0], -1.0, _curve(i, 0, nA, -1.0, group, q)[0]))
    b = scaled(0.5, plus(_curve(i, nA, nB, 1.0, group, q)[0], -1.0, _curve(i, nA, nB, -1.0, group, q)[0]))
    return m, a, b


@kernel
def _is_far(m: Vector, a: Vector, b: Vector, R: float) -> bool:
    """Whether two elements are too far from each other to touch, however they are bent."""
    return math.sqrt(dot(m, m)) > 1.5 * (math.sqrt(dot(a, a)) + math.sqrt(dot(b, b))) + R


@kernel
def _of_chords(m: Vector, a: Vector, b: Vector) -> tuple[float, float]:
    """The places where the straight lines through both chords are nearest."""
    aa, bb, ab = dot(a, a), dot(b, b), dot(a, b)
    det = aa * bb - ab * ab
    if det < 1e-6 * aa * bb:
        return 0.0, 0.0
    am, bm = dot(a, m), dot(b, m)
    return (am * bb - ab * bm) / det, (am * ab - aa * bm) / det


@kernel
def _stationary(i: int, m: Vector, a: Vector, b: Vector, group: CrossingGroup, q: FloatArray) -> Nearest:
    """Whether the distance of the axes is stationary within both elements: s, t, d, and both curves there."""
    nA, nB = group.sides[i, 0], group.sides[i, 1]
    s, t = _of_chords(m, a, b)
    s, t = min(max(s, -1.5), 1.5), min(max(t, -1.5), 1.5)
    one, two, d = _curve(i, 0, nA, s, group, q), _curve(i, nA, nB, t, group, q), m
    for _ in range(MOST):
        one, two = _curve(i, 0, nA, s, group, q), _curve(i, nA, nB, t, group, q)
        d = plus(two[0], -1.0, one[0])
        f1, f2 = -dot(d, one[1]), dot(d, two[1])
        h11, h12, h22 = _second(d, one, two)
        det = h11 * h22 - h12 * h12
        if abs(det) < 1e-9 * dot(one[1], one[1]) * dot(two[1], two[1]):
            break
        ds, dt = -(h22 * f1 - h12 * f2) / det, -(h11 * f2 - h12 * f1) / det
        if abs(ds) + abs(dt) < 1e-15:
            break
        s, t = s + ds, t + dt
        if abs(s) > FAR or abs(t) > FAR:
            break
    inside = -1.0 - EDGE <= s < 1.0 - EDGE and -1.0 - EDGE <= t < 1.0 - EDGE
    return CLOSED if inside else NONE, s, t, d, one, two


@kernel
def _nearest(i: int, group: CrossingGroup, q: FloatArray) -> Nearest:
    """Whether pair i is closed, s, t, d, and both curves there."""
    R = group.law[i, 0]
    m, a, b = _chords(i, group, q)
    nothing = (NONE, 0.0, 0.0, m, (m, a, b), (m, a, b))
    if _is_far(m, a, b, R):
        return nothing
    status, s, t, d, one, two = _stationary(i, m, a, b, group, q)
    if status == NONE or not dot(d, d) < R * R:
        return nothing
    ab = dot(one[1], two[1])
    if 1.0 - ab * ab / (dot(one[1], one[1]) * dot(two[1], two[1])) < LEAST:
        status = PARALLEL
    return status, s, t, d, one, two


@kernel
def _second(d: Vector, one: Curve, two: Curve) -> tuple[float, float, float]:
    """Second derivatives of d . d/2 by s and t."""
    h11 = dot(one[1], one[1]) - dot(d, one[2])
    return h11, -dot(one[1], two[1]), dot(two[1], two[1]) + dot(d, two[2])


@kernel
def _push(i: int, s: float, t: float, f: Vector, group: CrossingGroup, r: FloatArray) -> None:
    """The force f on the second line, and -f on the first, into ``r``."""
    nA = group.sides[i, 0]
    for b in range(nA + group.sides[i, 1]):
        w = _value(group.P, i, b, s) if b < nA else -_value(group.P, i, b, t)
        for axis in range(3):
            r[group.dofs[i, 3 * b + axis]] += w * f[axis]


@kernel
def crossing_force(group: CrossingGroup, state: State, env: Env, work: Work) -> int:
    """Forces of all pairs into ``r``."""
    for i in range(group.dofs.shape[0]):
        status, s, t, d, _, _ = _nearest(i, group, state.q)
        if status == NONE:
            continue
        size = math.sqrt(dot(d, d))
        if status == PARALLEL or not size > 0.0:
            return i
        N = group.law[i, 1] * (group.law[i, 0] - size) ** group.law[i, 2]
        _push(i, s, t, scaled(N / size, d), group, work.r)
    return -1


@kernel
def crossing_tangent(group: CrossingGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Forces, and blocks wq K."""
    wq, _ = weights
    B, k = work.B, group.dofs.shape[1]
    for i in range(group.dofs.shape[0]):
        o = group.b1 + i * k * k
        B[o : o + k * k] = 0.0
        status, s, t, d, one, two = _nearest(i, group, state.q)
        if status == NONE:
            continue
        size = math.sqrt(dot(d, d))
        if status == PARALLEL or not size > 0.0:
            return i
        depth, n = group.law[i, 0] - size, scaled(1.0 / size, d)
        N = group.law[i, 1] * depth ** group.law[i, 2]
        stiffness = N * group.law[i, 2] / depth
        _push(i, s, t, scaled(N, n), group, work.r)
        h11, h12, h22 = _second(d, one, two)
        det = h11 * h22 - h12 * h12
        nA = group.sides[i, 0]
        count = nA + group.sides[i, 1]
        for b in range(count):
            side = 1.0 if b >= nA else -1.0
            P = _value(group.P, i, b, t) if b >= nA else _value(group.P, i, b, s)
            P1 = _slope(group.P, i, b, t) if b >= nA else _slope(group.P, i, b, s)
            for axis in range(3):
                e = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
                f1, f2 = -side * P * one[1][axis], side * P * two[1][axis]
                if side > 0.0:
                    f2 += P1 * d[axis]
                else:
                    f1 -= P1 * d[axis]
                ds, dt = -(h22 * f1 - h12 * f2) / det, -(h11 * f2 - h12 * f1) / det
                moved = plus(plus(scaled(side * P, e), dt, two[1]), -ds, one[1])
                along = dot(n, moved)
                df = plus(scaled(-stiffness * along, n), N / size, plus(moved, -along, n))
                col = 3 * b + axis
                for c in range(count):
                    if c < nA:
                        w, w1 = _value(group.P, i, c, s), _slope(group.P, i, c, s) * ds
                    else:
                        w, w1 = -_value(group.P, i, c, t), -_slope(group.P, i, c, t) * dt
                    for row in range(3):
                        B[o + (3 * c + row) * k + col] += wq * (w * df[row] + w1 * N * n[row])
    return -1


@kernel
def crossing_energy(group: CrossingGroup, q: FloatArray) -> float:
    """Energy stored in all pairs."""
    total = 0.0
    for i in range(group.dofs.shape[0]):
        status, _, _, d, _, _ = _nearest(i, group, q)
        if status != NONE:
            power = group.law[i, 2] + 1.0
            total += group.law[i, 1] * (group.law[i, 0] - math.sqrt(dot(d, d))) ** power / power
    return total


@kernel
def crossing_gaps(group: CrossingGroup, state: State, gap: FloatArray, rate: FloatArray) -> None:
    """The least gap (n_pairs,) of each pair of tubes where they cross, and its rate, where less than what is there.

    Elements whose axes have no nearest points within both count with those of their chords, and as open.
    """
    q, v = state.q, state.v
    for i in range(group.dofs.shape[0]):
        k, R, nA, nB = group.pair[i], group.law[i, 0], group.sides[i, 0], group.sides[i, 1]
        m, a, b = _chords(i, group, q)
        s, t = _of_chords(m, a, b)
        status, d = NONE, m
        if not _is_far(m, a, b, R):
            status, s, t, d, _, _ = _stationary(i, m, a, b, group, q)
        if status == NONE:
            s, t = min(max(s, -1.0), 1.0), min(max(t, -1.0), 1.0)
            d = plus(_curve(i, nA, nB, t, group, q)[0], -1.0, _curve(i, 0, nA, s, group, q)[0])
        size = math.sqrt(dot(d, d))
        here = size - R
        if status == NONE:
            here = max(here, OPEN * R)
        if not here < gap[k]:
            continue
        gap[k], c = here, ZERO
        for j in range(nA + nB):
            w = -_value(group.P, i, j, s) if j < nA else _value(group.P, i, j, t)
            n = group.dofs[i, 3 * j]
            c = plus(c, w, (v[n], v[n + 1], v[n + 2]))
        rate[k] = dot(d, c) / size if size > 0.0 else 0.0


@kernel
def crossing_place(group: CrossingGroup, i: int, q: FloatArray) -> tuple[float, float]:
    """Natural coordinates of the nearest points of the axes of pair i of elements."""
    m, a, b = _chords(i, group, q)
    _, s, t, _, _, _ = _stationary(i, m, a, b, group, q)
    return s, t


@kernel
def crossing_states(group: CrossingGroup, state: State, out: FloatArray) -> None:
    """The pair as a whole into ``out (14,)``: place, N, force and energy.

    As rows of the histories of contacts: place (3), gap, its rate, N, force on the second line (3), slip (3), energy
    and power; what it does not have is zero, and the gap is that of `crossing_gaps`.
    """
    out[:] = 0.0
    for i in range(group.dofs.shape[0]):
        status, _, _, d, one, two = _nearest(i, group, state.q)
        if status == NONE:
            continue
        size = math.sqrt(dot(d, d))
        depth = group.law[i, 0] - size
        N = group.law[i, 1] * depth ** group.law[i, 2]
        out[5] += N
        out[12] += N * depth / (group.law[i, 2] + 1.0)
        for axis in range(3):
            out[axis] += N * 0.5 * (one[0][axis] + two[0][axis])
            out[6 + axis] += N * d[axis] / size
    if out[5] > 0.0:
        for axis in range(3):
            out[axis] /= out[5]
