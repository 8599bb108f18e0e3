"""Markers on nodes with a slope, planar (absolute nodal coordinates): the frame turns with the slope.

With the coordinates (x, y, a, b), (a, b) = dr/ds, theta = atan2(b, a), n = a^2 + b^2 and e = R_BM^T e_z:

    p = (x, y, 0),   R_M = Rz(theta) R_BM,   g = dtheta/d(a, b) = (-b, a) / n,   J = [I, 0; 0, e g^T],
    H = d2theta/d(a, b)2 = [2ab, b^2 - a^2; b^2 - a^2, -2ab] / n^2,
    d(J v)/d(a, b) = [0; e (H v_ab)^T],   d(J^T W)/d(a, b) = (R_BM M)_z H   (the slope alone).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = [
    "PLANAR_SLOPE",
    "PlanarSlopeMarkers",
    "planar_slope_constants",
    "planar_slope_place",
    "planar_slope_place_tangent",
    "planar_slope_pull",
]


class PlanarSlopeMarkers(NamedTuple):
    """Markers on planar nodes with slopes.

    ``mk, row (n,)``, ``dofs (n, 4)`` (x, y, x_s, y_s), ``pdofs (n, 2)`` (the slope) and ``b1`` as in
    `flexmbs.kernels.markers.kind`; ``R_BM (n, 3, 3)``: the marker's axes in those of the node (x along the slope, z
    inertial).
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    R_BM: FloatArray


def planar_slope_constants(group: PlanarSlopeMarkers, work: MarkerWork) -> None:
    """The translations, and zeros."""
    constant_rows(group, work, 2)


@kernel
def planar_slope_place(group: PlanarSlopeMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist and the rotational part of J; a slope of length zero is refused."""
    R_BM = group.R_BM
    for i in range(group.mk.shape[0]):
        m, k = group.mk[i], group.row[i]
        kx, ky, ka, kb = group.dofs[i, 0], group.dofs[i, 1], group.dofs[i, 2], group.dofs[i, 3]
        a, b = state.q[ka], state.q[kb]
        n = a * a + b * b
        if not n > 0.0:
            return i
        cos, sin, ga, gb = a / math.sqrt(n), b / math.sqrt(n), -b / n, a / n
        rate = ga * state.v[ka] + gb * state.v[kb]
        work.p[m, 0], work.p[m, 1], work.p[m, 2] = state.q[kx], state.q[ky], 0.0
        work.twist[m, 0], work.twist[m, 1], work.twist[m, 2] = state.v[kx], state.v[ky], 0.0
        for j in range(3):
            e = R_BM[i, 2, j]
            work.R[m, 0, j] = cos * R_BM[i, 0, j] - sin * R_BM[i, 1, j]
            work.R[m, 1, j] = sin * R_BM[i, 0, j] + cos * R_BM[i, 1, j]
            work.R[m, 2, j] = e
            work.twist[m, 3 + j] = rate * e
            work.JT[k + 2, 3 + j], work.JT[k + 3, 3 + j] = ga * e, gb * e
    return -1


@kernel
def planar_slope_place_tangent(group: PlanarSlopeMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with d(J v)/dq."""
    bad = planar_slope_place(group, state, env, work)
    if bad >= 0:
        return bad
    for i in range(group.mk.shape[0]):
        k, ka, kb = group.row[i], group.dofs[i, 2], group.dofs[i, 3]
        a, b, va, vb = state.q[ka], state.q[kb], state.v[ka], state.v[kb]
        nn = (a * a + b * b) ** 2
        haa, hab = 2.0 * a * b / nn, (b * b - a * a) / nn
        ra, rb = haa * va + hab * vb, hab * va - haa * vb
        for j in range(3):
            e = group.R_BM[i, 2, j]
            work.JcT[k + 2, 3 + j], work.JcT[k + 3, 3 + j] = work.JT[k + 2, 3 + j], work.JT[k + 3, 3 + j]
            work.JvT[k + 2, 3 + j], work.JvT[k + 3, 3 + j] = ra * e, rb * e
    return -1


@kernel
def planar_slope_pull(
    group: PlanarSlopeMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] (R_BM M)_z H on the slope."""
    for i in range(group.mk.shape[0]):
        m, o = group.mk[i], group.b1 + 4 * i
        a, b = state.q[group.dofs[i, 2]], state.q[group.dofs[i, 3]]
        moment = 0.0
        for j in range(3):
            moment += group.R_BM[i, 2, j] * work.W[m, 3 + j]
        f = weights[0] * moment / (a * a + b * b) ** 2
        work.B[o], work.B[o + 3] = 2.0 * f * a * b, -2.0 * f * a * b
        work.B[o + 1] = work.B[o + 2] = f * (b * b - a * a)
    return -1


PLANAR_SLOPE = MarkerKind(
    "planar node with slope",
    PlanarSlopeMarkers,
    planar_slope_constants,
    planar_slope_place,
    planar_slope_place_tangent,
    planar_slope_pull,
    diagnosis="its slope has shrunk to zero, so it has no direction",
)
