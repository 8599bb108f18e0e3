"""Markers on nodes whose section is spanned by two directors (absolute nodal coordinates).

The frame of the node is that of `flexmbs.core.directors`, R = (t1, t2, t3) with t3 along d3 and t1 normal to both
directors: it turns with the section, also about the axis. The marker has the axes R R_BM. With the rotation
th = spin(u, w) of increments u, w of the directors in the axes of the node, the angular velocity of the marker is
R_BM^T th, and

    d(J v)/dq   is R_BM^T `spin_change`,   d(J^T W)/dq   is `director_moment_change` of m = R_BM W_moment,

both exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.directors import director_moment_change, frame_of, growth, spin, spin_change
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import Vector, applied, applied_back, product, rotation
from flexmbs.kernels.markers.kind import MarkerKind, constant_rows

__all__ = [
    "DIRECTORS",
    "DirectorMarkers",
    "director_constants",
    "director_place",
    "director_place_tangent",
    "director_pull",
]


class DirectorMarkers(NamedTuple):
    """Markers on nodes with directors.

    ``mk, row (n,)``, ``dofs (n, 9)`` (position, d2, d3), ``pdofs (n, 6)`` (the directors) and ``b1`` as in
    `flexmbs.kernels.markers.kind`; ``R_BM (n, 3, 3)``: the marker's axes in those of the node.
    """

    mk: IntArray
    row: IntArray
    dofs: IntArray
    pdofs: IntArray
    b1: int
    R_BM: FloatArray


def director_constants(group: DirectorMarkers, work: MarkerWork) -> None:
    """The translations, and zeros."""
    constant_rows(group, work, 3)


@inlined
def _at(u: FloatArray, dofs: IntArray, i: int, k: int) -> Vector:
    return u[dofs[i, k]], u[dofs[i, k + 1]], u[dofs[i, k + 2]]


@inlined
def _put(A: FloatArray, row: int, f: Vector) -> None:
    A[row, 3], A[row, 4], A[row, 5] = f[0], f[1], f[2]


@kernel
def director_place(group: DirectorMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """Pose, twist and the rotational part of J."""
    dofs, R_BM, q, v = group.dofs, group.R_BM, state.q, state.v
    p, R, twist, JT = work.p, work.R, work.twist, work.JT
    zero = (0.0, 0.0, 0.0)
    for i in range(group.mk.shape[0]):
        m, row = group.mk[i], group.row[i] + 3
        A, shape = frame_of(_at(q, dofs, i, 3), _at(q, dofs, i, 6))
        if not np.isfinite(A[0]):
            return i
        own = rotation(R_BM, i)
        th = spin(shape, applied_back(A, _at(v, dofs, i, 3)), applied_back(A, _at(v, dofs, i, 6)))
        w, P = applied_back(own, th), product(A, own)
        for j in range(3):
            p[m, j], twist[m, j] = q[dofs[i, j]], v[dofs[i, j]]
            e = (A[3 * j], A[3 * j + 1], A[3 * j + 2])  # the inertial axis j in those of the node
            _put(JT, row + j, applied_back(own, spin(shape, e, zero)))
            _put(JT, row + 3 + j, applied_back(own, spin(shape, zero, e)))
            R[m, j, 0], R[m, j, 1], R[m, j, 2] = P[3 * j], P[3 * j + 1], P[3 * j + 2]
        twist[m, 3], twist[m, 4], twist[m, 5] = w[0], w[1], w[2]
    return -1


@kernel
def director_place_tangent(group: DirectorMarkers, state: State, env: Env, work: MarkerWork) -> int:
    """The same with d(J v)/dq."""
    bad = director_place(group, state, env, work)
    if bad >= 0:
        return bad
    dofs, R_BM, q, v = group.dofs, group.R_BM, state.q, state.v
    zero = (0.0, 0.0, 0.0)
    for i in range(group.mk.shape[0]):
        row = group.row[i] + 3
        A, shape = frame_of(_at(q, dofs, i, 3), _at(q, dofs, i, 6))
        own = rotation(R_BM, i)
        u, w = applied_back(A, _at(v, dofs, i, 3)), applied_back(A, _at(v, dofs, i, 6))
        th = spin(shape, u, w)
        for j in range(6):
            e = (A[3 * (j % 3)], A[3 * (j % 3) + 1], A[3 * (j % 3) + 2])
            eu, ew = e if j < 3 else zero, e if j >= 3 else zero
            by = spin(shape, eu, ew)
            change = spin_change(shape, th, u, w, by, growth(shape, by, eu, ew))
            _put(work.JvT, row + j, applied_back(own, change))
            for k in range(3, 6):
                work.JcT[row + j, k] = work.JT[row + j, k]
    return -1


@kernel
def director_pull(
    group: DirectorMarkers, state: State, env: Env, work: MarkerWork, weights: tuple[float, float]
) -> int:
    """Blocks weights[0] d(J^T M)/dq on the directors, M fixed in the axes of the marker."""
    dofs, R_BM, q, W, B = group.dofs, group.R_BM, state.q, work.W, work.B
    zero = (0.0, 0.0, 0.0)
    for i in range(group.mk.shape[0]):
        k, o = group.mk[i], group.b1 + 36 * i
        A, shape = frame_of(_at(q, dofs, i, 3), _at(q, dofs, i, 6))
        s = weights[0]
        m = applied(rotation(R_BM, i), (s * W[k, 3], s * W[k, 4], s * W[k, 5]))
        for j in range(6):
            e = (A[3 * (j % 3)], A[3 * (j % 3) + 1], A[3 * (j % 3) + 2])
            eu, ew = e if j < 3 else zero, e if j >= 3 else zero
            by = spin(shape, eu, ew)
            fu, fw = director_moment_change(shape, m, zero, by, growth(shape, by, eu, ew))
            fu, fw = applied(A, fu), applied(A, fw)
            for n in range(3):
                B[o + 6 * n + j], B[o + 6 * (n + 3) + j] = fu[n], fw[n]
    return -1


DIRECTORS = MarkerKind(
    "node with directors",
    DirectorMarkers,
    director_constants,
    director_place,
    director_place_tangent,
    director_pull,
    diagnosis="its directors have become parallel, or have shrunk to zero",
)
