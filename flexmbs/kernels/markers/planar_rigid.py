"""Markers on planar rigid bodies.

With the coordinates (x, y, theta), d = Rz(theta) s and e = R_BM^T e_z:

    p = (x, y, 0) + d,   R_M = Rz(theta) R_BM,   J = [e_x, e_y, e_z x d; 0, 0, e],
    d(J v)/dtheta = -theta_dot (d_x, d_y, 0; 0),   d(J^T W)/dtheta = -(d_x F_x + d_y F_y)   (the angle alone).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = [
    "PLANAR_RIGID",
    "PlanarRigidMarkers",
    "planar_rigid_constants",
    "planar_rigid_place",
    "planar_rigid_place_tangent",
    "planar_rigid_pull",
]


class PlanarRigidMarkers(NamedTuple):
    """Markers on planar rigid bodies.

    ``mk, row (n,)``, ``dofs (n, 3)`` (x, y, angle), ``pdofs (n, 1)`` (the angle) and ``b1`` as in
    `flexmbs.kernels.markers.kind`; ``s (n, 3)``, ``R_BM (n, 3, 3)``: point and frame in body axes.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    s: FloatArray
    R_BM: FloatArray


def planar_rigid_constants(group: PlanarRigidMarkers, work: MarkerWork) -> None:
    """Unit rows of the translations and the rotational part of J."""
    constant_rows(group, work, 2, group.R_BM[:, 2:])


@kernel
def planar_rigid_place(group: PlanarRigidMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist, and what changes of J."""
    s, R_BM = group.s, group.R_BM
    for i in range(group.mk.shape[0]):
        m, k = group.mk[i], group.row[i] + 2
        kx, ky, kt = group.dofs[i, 0], group.dofs[i, 1], group.dofs[i, 2]
        cos, sin, rate = math.cos(state.q[kt]), math.sin(state.q[kt]), state.v[kt]
        dx, dy = cos * s[i, 0] - sin * s[i, 1], sin * s[i, 0] + cos * s[i, 1]
        work.p[m, 0], work.p[m, 1], work.p[m, 2] = state.q[kx] + dx, state.q[ky] + dy, s[i, 2]
        work.twist[m, 0], work.twist[m, 1], work.twist[m, 2] = state.v[kx] - rate * dy, state.v[ky] + rate * dx, 0.0
        work.JT[k, 0], work.JT[k, 1] = -dy, dx
        for j in range(3):
            work.R[m, 0, j] = cos * R_BM[i, 0, j] - sin * R_BM[i, 1, j]
            work.R[m, 1, j] = sin * R_BM[i, 0, j] + cos * R_BM[i, 1, j]
            work.R[m, 2, j] = R_BM[i, 2, j]
            work.twist[m, 3 + j] = rate * R_BM[i, 2, j]
    return -1


@kernel
def planar_rigid_place_tangent(group: PlanarRigidMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with d(J v)/dq."""
    planar_rigid_place(group, state, env, work)
    for i in range(group.mk.shape[0]):
        k, rate = group.row[i] + 2, state.v[group.dofs[i, 2]]
        a, b = work.JT[k, 0], work.JT[k, 1]
        work.JcT[k, 0], work.JcT[k, 1] = a, b
        work.JvT[k, 0], work.JvT[k, 1] = -rate * b, rate * a
    return -1


@kernel
def planar_rigid_pull(
    group: PlanarRigidMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """-weights[0] d.F on the angle."""
    for i in range(group.mk.shape[0]):
        m, k = group.mk[i], group.row[i] + 2
        work.B[group.b1 + i] = weights[0] * (work.JT[k, 0] * work.W[m, 1] - work.JT[k, 1] * work.W[m, 0])
    return -1


PLANAR_RIGID = MarkerKind(
    "planar rigid body",
    PlanarRigidMarkers,
    planar_rigid_constants,
    planar_rigid_place,
    planar_rigid_place_tangent,
    planar_rigid_pull,
)
