"""Markers without rotation: point masses, and nodes of flexible bodies of which only the position matters.

p = o + q[dofs],   R_M constant,   J = [I; 0] of two or three columns.

There is nothing else: no d(J v)/dq, no pullback stiffness, no coordinates that turn anything.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = ["POINT", "PointMarkers", "point_constants", "point_place", "point_place_tangent", "point_pull"]


class PointMarkers(NamedTuple):
    """Markers that are points.

    ``mk, row (n,)``, ``dofs (n, 2)`` or ``(n, 3)``, ``pdofs (n, 0)`` and ``b1`` as in `flexmbs.kernels.markers.kind`;
    ``o (n, 3)``: what is added to the coordinates (zero where they are positions, the stress-free position where they
    are displacements); ``R_BM (n, 3, 3)``: the orientation, which never changes.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    o: FloatArray
    R_BM: FloatArray


def point_constants(group: PointMarkers, work: MarkerWork) -> None:
    """All of J and R."""
    constant_rows(group, work, group.dofs.shape[1])
    work.twist[group.mk] = 0.0
    work.R[group.mk] = group.R_BM


@kernel
def point_place(group: PointMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Position and velocity."""
    for i in range(group.mk.shape[0]):
        m = group.mk[i]
        work.p[m, 2] = group.o[i, 2]
        for j in range(group.dofs.shape[1]):
            k = group.dofs[i, j]
            work.p[m, j] = group.o[i, j] + state.q[k]
            work.twist[m, j] = state.v[k]
    return -1


@kernel
def point_place_tangent(group: PointMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Nothing more: J is constant."""
    return point_place(group, state, env, work)


@kernel
def point_pull(group: PointMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]) -> int:
    """No blocks: J is constant."""
    return -1


POINT = MarkerKind("point", PointMarkers, point_constants, point_place, point_place_tangent, point_pull)
