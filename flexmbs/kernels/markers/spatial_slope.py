"""Markers on nodes with a slope, in space (absolute nodal coordinates).

The frame of the node is the smallest rotation that takes the reference tangent t0 into the tangent t, applied to the
reference frame R0 = (t0, b, c). With the slope s = dr/ds, l = |s|, t = s / l, D = l + t0.s and the stereographic
coordinates of the tangent

    y = b.s / D,   z = c.s / D,   k = 2 / (1 + y^2 + z^2),

that rotation is, in the axes of R0, the one with the quaternion (1, 0, -z, y) sqrt(k / 2), and the angular velocity in
the axes of the node is

    w = a_y dy/dt + a_z dz/dt,   a_y = k (z, 0, 1),   a_z = -k (y, 1, 0).

With g = t0 + t and P = I - t t^T the derivatives by the slope are

    dy/ds = (b - y g) / D,   d2y/ds2 = -(b g^T + g b^T - 2 y g g^T) / D^2 - y P / (l D),   z with c alike,

and J, d(J v)/dq and d(J^T W)/dq follow by the chain rule, exactly. The spin of this frame about the tangent is a
convention and no motion of the material: the cable has none. A moment about the tangent would do work on it, so what
applies one has to refuse it.

Limits: the frame does not exist where t = -t0; a marker with 1 + t.t0 < 1e-3 (within 2.6 degrees) is refused. `rebase`,
called between steps, makes the present frame the reference, after which any further turn of less than 177 degrees is
possible. Pose and tangential motion are continuous there; the conventional spin is not.

Source of the stereographic form of a rotation between two directions: M. D. Shuster, A survey of attitude
representations, Journal of the Astronautical Sciences 41 (1993).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = [
    "SPATIAL_SLOPE",
    "SpatialSlopeMarkers",
    "rebase",
    "spatial_slope_constants",
    "spatial_slope_place",
    "spatial_slope_place_tangent",
    "spatial_slope_pull",
]

NEAREST = 1e-3
"""Smallest 1 + t.t0 that is accepted."""


class SpatialSlopeMarkers(NamedTuple):
    """Markers on spatial nodes with slopes.

    ``mk, row (n,)``, ``dofs (n, 6)`` (position, slope), ``pdofs (n, 3)`` (the slope) and ``b1`` as in
    `flexmbs.kernels.markers.kind`; ``R0 (n, 3, 3)``: reference frame of the node, first column the reference tangent;
    changed by `rebase`, so it belongs to one system; ``R_BM (n, 3, 3)``: the marker's axes in those of the node.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    R0: FloatArray
    R_BM: FloatArray


@kernel
def rebase(group: SpatialSlopeMarkers, q: FloatArray, beyond: float = 0.0) -> int:
    """Make the present frames of the nodes the reference frames ``group.R0``; poses do not change.

    Parameters
    ----------
    group : SpatialSlopeMarkers
        Whose ``R0`` is overwritten. It is part of the state of an analysis from then on.
    q : (n_q,) array
        Coordinates, of a step that has been accepted.
    beyond : float, default 0
        Angle from the reference tangent [rad] up to which a marker is left as it is.

    Returns
    -------
    int
        How many have been changed.
    """
    dofs, R0 = group.dofs, group.R0
    least, changed = math.cos(beyond), 0
    R = np.empty((3, 3))
    for i in range(dofs.shape[0]):
        x, y, z = q[dofs[i, 3]], q[dofs[i, 4]], q[dofs[i, 5]]
        length = math.sqrt(x * x + y * y + z * z)
        t = (x / length, y / length, z / length)
        cosine = t[0] * R0[i, 0, 0] + t[1] * R0[i, 1, 0] + t[2] * R0[i, 2, 0]
        if not (cosine < least if beyond > 0.0 else abs(cosine) < math.inf):
            continue
        # The smallest rotation from t0 to t is a half turn about t0, then one about the direction half way between.
        g = (t[0] + R0[i, 0, 0], t[1] + R0[i, 1, 0], t[2] + R0[i, 2, 0])
        factor = 2.0 / (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        for b in range(3):
            along = g[0] * R0[i, 0, b] + g[1] * R0[i, 1, b] + g[2] * R0[i, 2, b]
            sign = 1.0 if b == 0 else -1.0
            for a in range(3):
                R[a, b] = sign * (factor * g[a] * along - R0[i, a, b])
        # One step of Newton's iteration for the polar factor keeps round-off from adding up over many calls.
        for b in range(3):
            for a in range(3):
                value = 3.0 * R[a, b]
                for c in range(3):
                    value -= R[a, c] * (R[0, c] * R[0, b] + R[1, c] * R[1, b] + R[2, c] * R[2, b])
                R0[i, a, b] = 0.5 * value
        changed += 1
    return changed


def spatial_slope_constants(group: SpatialSlopeMarkers, work: MarkerWork) -> None:
    """The translations, and zeros."""
    constant_rows(group, work, 3)


@kernel
def spatial_slope_place(group: SpatialSlopeMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist and the rotational part of J."""
    dofs, R0, R_BM, q, v = group.dofs, group.R0, group.R_BM, state.q, state.v
    p, R, twist, JT = work.p, work.R, work.twist, work.JT
    for i in range(group.mk.shape[0]):
        m, row = group.mk[i], group.row[i] + 3
        s0, s1, s2 = q[dofs[i, 3]], q[dofs[i, 4]], q[dofs[i, 5]]
        l = math.sqrt(s0 * s0 + s1 * s1 + s2 * s2)  # noqa: E741
        D = l + R0[i, 0, 0] * s0 + R0[i, 1, 0] * s1 + R0[i, 2, 0] * s2
        if not NEAREST * l < D:
            return i
        y = (R0[i, 0, 1] * s0 + R0[i, 1, 1] * s1 + R0[i, 2, 1] * s2) / D
        z = (R0[i, 0, 2] * s0 + R0[i, 1, 2] * s1 + R0[i, 2, 2] * s2) / D
        k = 2.0 / (1.0 + y * y + z * z)
        dy, dz = 0.0, 0.0
        for j in range(3):
            g = R0[i, j, 0] + q[dofs[i, 3 + j]] / l
            rate = v[dofs[i, 3 + j]]
            dy += (R0[i, j, 1] - y * g) / D * rate
            dz += (R0[i, j, 2] - z * g) / D * rate
            p[m, j] = q[dofs[i, j]]
            twist[m, j] = v[dofs[i, j]]
        for n in range(3):
            x0, x1, x2 = R_BM[i, 0, n], R_BM[i, 1, n], R_BM[i, 2, n]
            ay, az = k * (z * x0 + x2), -k * (y * x0 + x1)
            twist[m, 3 + n] = ay * dy + az * dz
            f = y * x1 + z * x2
            o0, o1, o2 = (k - 1.0) * x0 - k * f, k * y * (x0 - f) + x1, k * z * (x0 - f) + x2
            for j in range(3):
                g = R0[i, j, 0] + q[dofs[i, 3 + j]] / l
                R[m, j, n] = R0[i, j, 0] * o0 + R0[i, j, 1] * o1 + R0[i, j, 2] * o2
                JT[row + j, 3 + n] = (ay * (R0[i, j, 1] - y * g) + az * (R0[i, j, 2] - z * g)) / D
    return -1


@kernel
def spatial_slope_place_tangent(group: SpatialSlopeMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with d(J v)/dq."""
    bad = spatial_slope_place(group, state, env, work)
    if bad >= 0:
        return bad
    dofs, R0, R_BM, q, v = group.dofs, group.R0, group.R_BM, state.q, state.v
    JT, JcT, JvT = work.JT, work.JcT, work.JvT
    for i in range(group.mk.shape[0]):
        row = group.row[i] + 3
        s0, s1, s2 = q[dofs[i, 3]], q[dofs[i, 4]], q[dofs[i, 5]]
        u0, u1, u2 = v[dofs[i, 3]], v[dofs[i, 4]], v[dofs[i, 5]]
        l = math.sqrt(s0 * s0 + s1 * s1 + s2 * s2)  # noqa: E741
        D = l + R0[i, 0, 0] * s0 + R0[i, 1, 0] * s1 + R0[i, 2, 0] * s2
        y = (R0[i, 0, 1] * s0 + R0[i, 1, 1] * s1 + R0[i, 2, 1] * s2) / D
        z = (R0[i, 0, 2] * s0 + R0[i, 1, 2] * s1 + R0[i, 2, 2] * s2) / D
        k = 2.0 / (1.0 + y * y + z * z)
        tu = (s0 * u0 + s1 * u1 + s2 * u2) / l
        gu = tu + R0[i, 0, 0] * u0 + R0[i, 1, 0] * u1 + R0[i, 2, 0] * u2
        bu = R0[i, 0, 1] * u0 + R0[i, 1, 1] * u1 + R0[i, 2, 1] * u2
        cu = R0[i, 0, 2] * u0 + R0[i, 1, 2] * u1 + R0[i, 2, 2] * u2
        dy, dz = (bu - y * gu) / D, (cu - z * gu) / D
        spin = z * dy - y * dz
        for j in range(3):
            t = q[dofs[i, 3 + j]] / l
            g, b, c = R0[i, j, 0] + t, R0[i, j, 1], R0[i, j, 2]
            across = (v[dofs[i, 3 + j]] - t * tu) / l
            gy, gz = (b - y * g) / D, (c - z * g) / D
            hy = -((b * gu + g * (bu - 2.0 * y * gu)) / D + y * across) / D  # d2y/ds2 ds/dt
            hz = -((c * gu + g * (cu - 2.0 * z * gu)) / D + z * across) / D
            dk = -k * (y * gy + z * gz)  # dk/ds = k dk
            w0 = k * (dk * spin - dz * gy + dy * gz + z * hy - y * hz)
            w1, w2 = -k * (dk * dz + hz), k * (dk * dy + hy)
            for n in range(3):
                JvT[row + j, 3 + n] = R_BM[i, 0, n] * w0 + R_BM[i, 1, n] * w1 + R_BM[i, 2, n] * w2
                JcT[row + j, 3 + n] = JT[row + j, 3 + n]
    return -1


@kernel
def spatial_slope_pull(
    group: SpatialSlopeMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] d(dy/ds a_y.M + dz/ds a_z.M)/ds on the slope."""
    dofs, R0, R_BM, q, W, B = group.dofs, group.R0, group.R_BM, state.q, work.W, work.B
    for i in range(group.mk.shape[0]):
        m, o = group.mk[i], group.b1 + 9 * i
        s0, s1, s2 = q[dofs[i, 3]], q[dofs[i, 4]], q[dofs[i, 5]]
        l = math.sqrt(s0 * s0 + s1 * s1 + s2 * s2)  # noqa: E741
        D = l + R0[i, 0, 0] * s0 + R0[i, 1, 0] * s1 + R0[i, 2, 0] * s2
        y = (R0[i, 0, 1] * s0 + R0[i, 1, 1] * s1 + R0[i, 2, 1] * s2) / D
        z = (R0[i, 0, 2] * s0 + R0[i, 1, 2] * s1 + R0[i, 2, 2] * s2) / D
        k = weights[0] * 2.0 / (1.0 + y * y + z * z)
        m0 = k * (R_BM[i, 0, 0] * W[m, 3] + R_BM[i, 0, 1] * W[m, 4] + R_BM[i, 0, 2] * W[m, 5])
        m1 = k * (R_BM[i, 1, 0] * W[m, 3] + R_BM[i, 1, 1] * W[m, 4] + R_BM[i, 1, 2] * W[m, 5])
        m2 = k * (R_BM[i, 2, 0] * W[m, 3] + R_BM[i, 2, 1] * W[m, 4] + R_BM[i, 2, 2] * W[m, 5])
        k = 2.0 / (1.0 + y * y + z * z)
        ay, az = z * m0 + m2, -y * m0 - m1
        for j in range(3):
            tj = q[dofs[i, 3 + j]] / l
            gj, bj, cj = R0[i, j, 0] + tj, R0[i, j, 1], R0[i, j, 2]
            yj, zj = (bj - y * gj) / D, (cj - z * gj) / D
            for n in range(3):
                tn = q[dofs[i, 3 + n]] / l
                gn, bn, cn = R0[i, n, 0] + tn, R0[i, n, 1], R0[i, n, 2]
                yn, zn = (bn - y * gn) / D, (cn - z * gn) / D
                P = ((1.0 if j == n else 0.0) - tj * tn) / l
                hy = -((bj * gn + gj * (bn - 2.0 * y * gn)) / D + y * P) / D
                hz = -((cj * gn + gj * (cn - 2.0 * z * gn)) / D + z * P) / D
                dk = -k * (y * yn + z * zn)
                B[o + 3 * j + n] = yj * (dk * ay + m0 * zn) + zj * (dk * az - m0 * yn) + ay * hy + az * hz
    return -1


SPATIAL_SLOPE = MarkerKind(
    "spatial node with slope",
    SpatialSlopeMarkers,
    spatial_slope_constants,
    spatial_slope_place,
    spatial_slope_place_tangent,
    spatial_slope_pull,
    diagnosis="its tangent has turned by nearly 180 degrees from its reference, or its slope has shrunk to zero",
    rebase=rebase,
)
