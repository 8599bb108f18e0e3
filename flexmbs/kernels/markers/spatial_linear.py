"""Markers on nodes with small rotations, in space (linear beams).

With the coordinates (u, phi), phi a rotation vector in inertial axes, the stress-free point o and h = |phi|:

    p = o + u,   R_M = exp(phi~) R_BM,   J = [I, 0; 0, R_BM^T T(phi)],   T = I - b phi~ + c phi~^2,
    b = (1 - cos h) / h^2,   c = (h - sin h) / h^3.

The beam is linear, but the frame turns by exp(phi~) exactly: so axes stay orthogonal, and joints see a frame. Since

    d(T a)/dphi = b a~ + c ((phi.a) I + phi a^T - 2 a phi^T) + (-b' (phi x a) + c' (phi (phi.a) - h^2 a)) phi^T

at constant a, with b' = (db/dh) / h and c' alike, d(J v)/dq is R_BM^T times this with a = dphi/dt, and d(J^T W)/dq,
where T^T stands, is this with the signs of b and b' reversed and a = R_BM M.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = [
    "SPATIAL_LINEAR",
    "SpatialLinearMarkers",
    "spatial_linear_constants",
    "spatial_linear_place",
    "spatial_linear_place_tangent",
    "spatial_linear_pull",
]


class SpatialLinearMarkers(NamedTuple):
    """Markers on spatial nodes with small rotations.

    ``mk, row (n,)``, ``dofs (n, 6)`` (displacement, rotation), ``pdofs (n, 3)`` (the rotation) and ``b1`` as in
    `flexmbs.kernels.markers.kind`; ``o (n, 3)``: point in the stress-free shape; ``R_BM (n, 3, 3)``: the marker's
    orientation there, R0 R_BM.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    o: FloatArray
    R_BM: FloatArray


def spatial_linear_constants(group: SpatialLinearMarkers, work: MarkerWork) -> None:
    """The translations, and zeros."""
    constant_rows(group, work, 3)


@kernel
def spatial_linear_place(group: SpatialLinearMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist and the rotational part of J."""
    dofs, R_BM, q, v = group.dofs, group.R_BM, state.q, state.v
    p, R, twist, JT = work.p, work.R, work.twist, work.JT
    for i in range(group.mk.shape[0]):
        m, row = group.mk[i], group.row[i] + 3
        x, y, z = q[dofs[i, 3]], q[dofs[i, 4]], q[dofs[i, 5]]
        a, b, c, _, _ = coefficients(x * x + y * y + z * z)
        r0, r1, r2 = v[dofs[i, 3]], v[dofs[i, 4]], v[dofs[i, 5]]
        for j in range(3):
            p[m, j] = group.o[i, j] + q[dofs[i, j]]
            twist[m, j] = v[dofs[i, j]]
        for n in range(3):
            e0, e1, e2 = R_BM[i, 0, n], R_BM[i, 1, n], R_BM[i, 2, n]
            f0, f1, f2 = y * e2 - z * e1, z * e0 - x * e2, x * e1 - y * e0  # phi x e
            g0, g1, g2 = y * f2 - z * f1, z * f0 - x * f2, x * f1 - y * f0
            R[m, 0, n] = e0 + a * f0 + b * g0
            R[m, 1, n] = e1 + a * f1 + b * g1
            R[m, 2, n] = e2 + a * f2 + b * g2
            t0, t1, t2 = e0 + b * f0 + c * g0, e1 + b * f1 + c * g1, e2 + b * f2 + c * g2  # T^T e
            JT[row, 3 + n], JT[row + 1, 3 + n], JT[row + 2, 3 + n] = t0, t1, t2
            twist[m, 3 + n] = t0 * r0 + t1 * r1 + t2 * r2
    return -1


@kernel
def spatial_linear_place_tangent(group: SpatialLinearMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with d(J v)/dq."""
    spatial_linear_place(group, state, env, work)
    dofs, R_BM, q, v = group.dofs, group.R_BM, state.q, state.v
    JT, JcT, JvT = work.JT, work.JcT, work.JvT
    for i in range(group.mk.shape[0]):
        row = group.row[i] + 3
        phi = (q[dofs[i, 3]], q[dofs[i, 4]], q[dofs[i, 5]])
        rate = (v[dofs[i, 3]], v[dofs[i, 4]], v[dofs[i, 5]])
        hh = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            d0, d1, d2 = column(j, phi, rate, hh, b, c, db, dc)
            for n in range(3):
                JvT[row + j, 3 + n] = R_BM[i, 0, n] * d0 + R_BM[i, 1, n] * d1 + R_BM[i, 2, n] * d2
                JcT[row + j, 3 + n] = JT[row + j, 3 + n]
    return -1


@kernel
def spatial_linear_pull(
    group: SpatialLinearMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] d(T^T R_BM M)/dphi on the rotations."""
    dofs, R_BM, q, W, B = group.dofs, group.R_BM, state.q, work.W, work.B
    for i in range(group.mk.shape[0]):
        o = group.b1 + 9 * i
        f, g, h = weights[0] * W[group.mk[i], 3], weights[0] * W[group.mk[i], 4], weights[0] * W[group.mk[i], 5]
        moment = (
            R_BM[i, 0, 0] * f + R_BM[i, 0, 1] * g + R_BM[i, 0, 2] * h,
            R_BM[i, 1, 0] * f + R_BM[i, 1, 1] * g + R_BM[i, 1, 2] * h,
            R_BM[i, 2, 0] * f + R_BM[i, 2, 1] * g + R_BM[i, 2, 2] * h,
        )
        phi = (q[dofs[i, 3]], q[dofs[i, 4]], q[dofs[i, 5]])
        hh = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]
        _, b, c, db, dc = coefficients(hh)
        for j in range(3):
            B[o + j], B[o + 3 + j], B[o + 6 + j] = column(j, phi, moment, hh, -b, c, -db, dc)
    return -1


@kernel
def coefficients(hh: float) -> tuple[float, float, float, float, float]:
    """Of h^2: sin h / h, b = (1 - cos h) / h^2, c = (h - sin h) / h^3, (db/dh) / h, (dc/dh) / h."""
    h = math.sqrt(hh)
    a, half = (math.sin(h) / h, math.sin(0.5 * h) / (0.5 * h)) if h > 0.0 else (1.0, 1.0)
    b = 0.5 * half * half
    if hh > 0.25:
        c = (1.0 - a) / hh
        return a, b, c, (a - 2.0 * b) / hh, (b - 3.0 * c) / hh
    # Series where the closed forms cancel; the first omitted terms are below 1e-17.
    c = 1.0 - hh / 72.0 * (1.0 - hh / 110.0 * (1.0 - hh / 156.0 * (1.0 - hh / 210.0)))
    c = (1.0 - hh / 20.0 * (1.0 - hh / 42.0 * c)) / 6.0
    db = 1.0 - hh * (2.0 / 135.0) * (
        1.0 - hh * (5.0 / 528.0) * (1.0 - hh * (3.0 / 455.0) * (1.0 - hh * (7.0 / 1440.0)))
    )
    db = -(1.0 - hh / 15.0 * (1.0 - hh * (3.0 / 112.0) * db)) / 12.0
    dc = 1.0 - hh * (2.0 / 165.0) * (1.0 - hh * (5.0 / 624.0) * (1.0 - hh / 175.0 * (1.0 - hh * (7.0 / 1632.0))))
    dc = -(1.0 - hh / 21.0 * (1.0 - hh / 48.0 * dc)) / 60.0
    return a, b, c, db, dc


@kernel
def column(
    j: int,
    phi: tuple[float, float, float],
    a: tuple[float, float, float],
    hh: float,
    b: float,
    c: float,
    db: float,
    dc: float,
) -> tuple[float, float, float]:
    """Column j of d(T a)/dphi."""
    pa = phi[0] * a[0] + phi[1] * a[1] + phi[2] * a[2]
    f, g = c * a[j] + dc * phi[j] * pa, -2.0 * c * phi[j] - dc * hh * phi[j]
    d0 = f * phi[0] + g * a[0] - db * phi[j] * (phi[1] * a[2] - phi[2] * a[1])
    d1 = f * phi[1] + g * a[1] - db * phi[j] * (phi[2] * a[0] - phi[0] * a[2])
    d2 = f * phi[2] + g * a[2] - db * phi[j] * (phi[0] * a[1] - phi[1] * a[0])
    if j == 0:
        return d0 + c * pa, d1 + b * a[2], d2 - b * a[1]
    if j == 1:
        return d0 - b * a[2], d1 + c * pa, d2 + b * a[0]
    return d0 + b * a[1], d1 - b * a[0], d2 + c * pa


SPATIAL_LINEAR = MarkerKind(
    "spatial node with rotations",
    SpatialLinearMarkers,
    spatial_linear_constants,
    spatial_linear_place,
    spatial_linear_place_tangent,
    spatial_linear_pull,
)
