"""Markers on nodes with a small rotation, planar (linear beams).

With the coordinates (u_x, u_y, phi), the stress-free point o and e = R_BM^T e_z:

    p = o + (u_x, u_y, 0),   R_M = Rz(phi) R_BM,   J = [e_x, e_y, 0; 0, 0, e], constant.

The frame turns by the angle phi exactly, although the beam is linear: so axes stay orthogonal, and joints see a frame.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = [
    "PLANAR_LINEAR",
    "PlanarLinearMarkers",
    "planar_linear_constants",
    "planar_linear_place",
    "planar_linear_place_tangent",
    "planar_linear_pull",
]


class PlanarLinearMarkers(NamedTuple):
    """Markers on planar nodes with a small rotation.

    ``mk, row (n,)``, ``dofs (n, 3)`` (u_x, u_y, phi), ``pdofs (n, 0)`` and ``b1`` as in `flexmbs.kernels.markers.kind`;
    ``o (n, 3)``: point in the stress-free shape; ``R_BM (n, 3, 3)``: the marker's orientation there, R0 R_BM.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    o: FloatArray
    R_BM: FloatArray


def planar_linear_constants(group: PlanarLinearMarkers, work: MarkerWork) -> None:
    """All of J."""
    constant_rows(group, work, 2, group.R_BM[:, 2:])


@kernel
def planar_linear_place(group: PlanarLinearMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose and twist."""
    R_BM = group.R_BM
    for i in range(group.mk.shape[0]):
        m = group.mk[i]
        kx, ky, kt = group.dofs[i, 0], group.dofs[i, 1], group.dofs[i, 2]
        cos, sin, rate = math.cos(state.q[kt]), math.sin(state.q[kt]), state.v[kt]
        work.p[m, 0], work.p[m, 1] = group.o[i, 0] + state.q[kx], group.o[i, 1] + state.q[ky]
        work.p[m, 2] = group.o[i, 2]
        work.twist[m, 0], work.twist[m, 1], work.twist[m, 2] = state.v[kx], state.v[ky], 0.0
        for j in range(3):
            work.R[m, 0, j] = cos * R_BM[i, 0, j] - sin * R_BM[i, 1, j]
            work.R[m, 1, j] = sin * R_BM[i, 0, j] + cos * R_BM[i, 1, j]
            work.R[m, 2, j] = R_BM[i, 2, j]
            work.twist[m, 3 + j] = rate * R_BM[i, 2, j]
    return -1


@kernel
def planar_linear_place_tangent(group: PlanarLinearMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Nothing more: J is constant."""
    return planar_linear_place(group, state, env, work)


@kernel
def planar_linear_pull(
    group: PlanarLinearMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """No blocks: J is constant."""
    return -1


PLANAR_LINEAR = MarkerKind(
    "planar node with rotation",
    PlanarLinearMarkers,
    planar_linear_constants,
    planar_linear_place,
    planar_linear_place_tangent,
    planar_linear_pull,
)
