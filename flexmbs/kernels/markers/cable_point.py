"""Markers that slide along a planar absolute-nodal cable: the place s on it is a coordinate of its own.

With the cubic Hermite functions phi_a(s) of the element that holds s, s = start of the element + x L, 0 <= x <= 1, its
nodal vectors q_a (position, slope, position, slope), r = sum phi_a q_a, and a prime for d/ds:

    p = r(s),   u = r'(s),   theta = atan2(u_y, u_x),   R_M = Rz(theta) R_BM,   e = R_BM^T e_z,
    dp = sum phi_a dq_a + r' ds,   dtheta = g . du,   du = sum phi_a' dq_a + r'' ds,   g = (-u_y, u_x) / |u|^2.

J holds these coefficients; d(J v)/dq and d(J^T W)/dq are exact, with the second derivatives of theta by u, r'' and
r'''. The coordinates are those of all nodes of the cable and s, so that the pattern never changes; the rows of elements
without s are zero. So the cost of such a marker grows with the number of nodes, that of its tangent blocks with the
square: meant for cables of up to some 50 elements.

s is the coordinate of the material, the arc length of the stress-free shape (exactly where that is straight). The
coordinate s has no mass: in the equation of motion it stands for F . r' + (moment about z) g . r'' = 0, no force along
a smooth cable. Position and tangent are continuous where s passes a node; r'' and with it the rotation per ds is not.

Limits: a marker is refused when s leaves the cable (by more than 1e-9 of its length, for round-off) and where the
tangent vanishes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = [
    "CABLE_POINT",
    "CablePointMarkers",
    "cable_point_constants",
    "cable_point_place",
    "cable_point_place_tangent",
    "cable_point_pull",
]

BEYOND = 1e-9
"""How far s may lie beyond the ends, relative to the length of the cable."""


class CablePointMarkers(NamedTuple):
    """Markers that slide along cables of n_e elements.

    ``mk, row (n,)``, ``dofs (n, 4 n_e + 5)`` (x, y, x_s, y_s of the nodes in the order along the cable, then s),
    ``pdofs`` (the same) and ``b1`` as in `flexmbs.kernels.markers.kind`; ``start (n, n_e + 1)``: values of s at the
    nodes, increasing; ``R_BM (n, 3, 3)``: the marker's axes in those of the point (x along the tangent, z inertial).
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    start: FloatArray
    R_BM: FloatArray


def cable_point_constants(group: CablePointMarkers, work: MarkerWork) -> None:
    """Zeros."""
    constant_rows(group, work, 0)


@kernel
def cable_point_place(group: CablePointMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist and J."""
    dofs, R_BM, q, v, JT = group.dofs, group.R_BM, state.q, state.v, work.JT
    last = dofs.shape[1] - 1
    for i in range(group.mk.shape[0]):
        m, row = group.mk[i], group.row[i]
        s, ds = q[dofs[i, last]], v[dofs[i, last]]
        e = element_at(group.start, i, s)
        if e < 0:
            return i
        f0, f1, f2, _ = hermite(s - group.start[i, e], group.start[i, e + 1] - group.start[i, e])
        x, y = along(f0, q, dofs, i, e)
        ux, uy = along(f1, q, dofs, i, e)
        wx, wy = along(f2, q, dofs, i, e)
        n = ux * ux + uy * uy
        if not n > 0.0:
            return i
        vx, vy = along(f0, v, dofs, i, e)
        dux, duy = along(f1, v, dofs, i, e)
        gx, gy, cos, sin = -uy / n, ux / n, ux / math.sqrt(n), uy / math.sqrt(n)
        turn = gx * wx + gy * wy
        rate = gx * dux + gy * duy + turn * ds
        work.p[m, 0], work.p[m, 1], work.p[m, 2] = x, y, 0.0
        work.twist[m, 0], work.twist[m, 1], work.twist[m, 2] = vx + ux * ds, vy + uy * ds, 0.0
        for k in range(row, row + last):
            for j in range(6):
                JT[k, j] = 0.0
        JT[row + last, 0], JT[row + last, 1] = ux, uy
        for a in range(4):
            k = row + 4 * e + 2 * a
            JT[k, 0] = JT[k + 1, 1] = f0[a]
        for j in range(3):
            ez = R_BM[i, 2, j]
            work.R[m, 0, j] = cos * R_BM[i, 0, j] - sin * R_BM[i, 1, j]
            work.R[m, 1, j] = sin * R_BM[i, 0, j] + cos * R_BM[i, 1, j]
            work.R[m, 2, j] = ez
            work.twist[m, 3 + j] = rate * ez
            JT[row + last, 3 + j] = turn * ez
            for a in range(4):
                k = row + 4 * e + 2 * a
                JT[k, 3 + j], JT[k + 1, 3 + j] = gx * f1[a] * ez, gy * f1[a] * ez
    return -1


@kernel
def cable_point_place_tangent(group: CablePointMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with d(J v)/dq."""
    bad = cable_point_place(group, state, env, work)
    if bad >= 0:
        return bad
    dofs, q, v, JT, JcT, JvT = group.dofs, state.q, state.v, work.JT, work.JcT, work.JvT
    last = dofs.shape[1] - 1
    for i in range(group.mk.shape[0]):
        row, s, ds = group.row[i], q[dofs[i, last]], v[dofs[i, last]]
        e = element_at(group.start, i, s)
        _, f1, f2, f3 = hermite(s - group.start[i, e], group.start[i, e + 1] - group.start[i, e])
        ux, uy = along(f1, q, dofs, i, e)
        wx, wy = along(f2, q, dofs, i, e)
        zx, zy = along(f3, q, dofs, i, e)
        dux, duy = along(f1, v, dofs, i, e)
        dwx, dwy = along(f2, v, dofs, i, e)
        dux, duy, dwx, dwy = dux + wx * ds, duy + wy * ds, dwx + zx * ds, dwy + zy * ds
        n = ux * ux + uy * uy
        gx, gy, hxx, hxy = -uy / n, ux / n, 2.0 * ux * uy / (n * n), (uy * uy - ux * ux) / (n * n)
        hx, hy = hxx * dux + hxy * duy, hxy * dux - hxx * duy
        for k in range(row, row + last + 1):
            for j in range(6):
                JcT[k, j] = JT[k, j]
                JvT[k, j] = 0.0
        JvT[row + last, 0], JvT[row + last, 1] = dux, duy
        for a in range(4):
            k = row + 4 * e + 2 * a
            JvT[k, 0] = JvT[k + 1, 1] = f1[a] * ds
        for j in range(3):
            ez = group.R_BM[i, 2, j]
            JvT[row + last, 3 + j] = (hx * wx + hy * wy + gx * dwx + gy * dwy) * ez
            for a in range(4):
                k = row + 4 * e + 2 * a
                JvT[k, 3 + j] = (hx * f1[a] + gx * f2[a] * ds) * ez
                JvT[k + 1, 3 + j] = (hy * f1[a] + gy * f2[a] * ds) * ez
    return -1


@kernel
def cable_point_pull(
    group: CablePointMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] times the second derivatives of F . p + M theta."""
    dofs, q, W, B = group.dofs, state.q, work.W, work.B
    k = dofs.shape[1]
    last = k - 1
    for i in range(group.mk.shape[0]):
        m, o, s = group.mk[i], group.b1 + i * k * k, q[dofs[i, last]]
        for j in range(o, o + k * k):
            B[j] = 0.0
        e = element_at(group.start, i, s)
        if e < 0:
            return i
        _, f1, f2, f3 = hermite(s - group.start[i, e], group.start[i, e + 1] - group.start[i, e])
        ux, uy = along(f1, q, dofs, i, e)
        wx, wy = along(f2, q, dofs, i, e)
        zx, zy = along(f3, q, dofs, i, e)
        n = ux * ux + uy * uy
        moment = 0.0
        for j in range(3):
            moment += weights[0] * group.R_BM[i, 2, j] * W[m, 3 + j]
        fx, fy, gx, gy = weights[0] * W[m, 0], weights[0] * W[m, 1], -moment * uy / n, moment * ux / n
        hxx, hxy = 2.0 * moment * ux * uy / (n * n), moment * (uy * uy - ux * ux) / (n * n)
        hx, hy = hxx * wx + hxy * wy, hxy * wx - hxx * wy
        B[o + k * k - 1] = fx * wx + fy * wy + hx * wx + hy * wy + gx * zx + gy * zy
        for a in range(4):
            c = 4 * e + 2 * a
            x, y = (fx + hx) * f1[a] + gx * f2[a], (fy + hy) * f1[a] + gy * f2[a]
            B[o + c * k + last] = B[o + last * k + c] = x
            B[o + (c + 1) * k + last] = B[o + last * k + c + 1] = y
            for b in range(4):
                d = 4 * e + 2 * b
                ff = f1[a] * f1[b]
                B[o + c * k + d], B[o + (c + 1) * k + d + 1] = hxx * ff, -hxx * ff
                B[o + c * k + d + 1] = B[o + (c + 1) * k + d] = hxy * ff
    return -1


@kernel
def element_at(start: FloatArray, i: int, s: float) -> int:
    """The element of cable i that holds s, at a node the one behind it; -1 if there is none."""
    low, high = 0, start.shape[1] - 1
    first, end = start[i, 0], start[i, high]
    slack = BEYOND * (end - first)
    if not (s >= first - slack and s <= end + slack):
        return -1
    while high - low > 1:
        middle = (low + high) // 2
        if s >= start[i, middle]:
            low = middle
        else:
            high = middle
    return low


Quadruple = tuple[float, float, float, float]


@kernel
def hermite(s: float, L: float) -> tuple[Quadruple, Quadruple, Quadruple, Quadruple]:
    """The functions of position, slope, position, slope at s from the start of an element, and three derivatives."""
    x = s / L
    y, LL = 1.0 - x, L * L
    return (
        (y * y * (1.0 + 2.0 * x), s * y * y, x * x * (3.0 - 2.0 * x), -s * x * y),
        (-6.0 * x * y / L, y * (1.0 - 3.0 * x), 6.0 * x * y / L, x * (3.0 * x - 2.0)),
        ((12.0 * x - 6.0) / LL, (6.0 * x - 4.0) / L, (6.0 - 12.0 * x) / LL, (6.0 * x - 2.0) / L),
        (12.0 / (LL * L), 6.0 / LL, -12.0 / (LL * L), 6.0 / LL),
    )


@kernel
def along(f: Quadruple, q: FloatArray, dofs: IntArray, i: int, e: int) -> tuple[float, float]:
    """sum f_a q_a over the nodal vectors of element e."""
    x = y = 0.0
    for a in range(4):
        c = 4 * e + 2 * a
        x += f[a] * q[dofs[i, c]]
        y += f[a] * q[dofs[i, c + 1]]
    return x, y


CABLE_POINT = MarkerKind(
    "point sliding on a cable",
    CablePointMarkers,
    cable_point_constants,
    cable_point_place,
    cable_point_place_tangent,
    cable_point_pull,
    diagnosis="it has left the cable at one of its ends",
    wanders=True,
)
