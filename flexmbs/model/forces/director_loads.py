"""Dead moments and follower forces on nodes with directors, which tell the rotation of their section.

Forces on the directors do the work of a moment M on the rotation of the frame of `flexmbs.core.directors`; a follower
force turns with that frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.directors import director_moment, director_moment_change, frame_of, growth, spin
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import Vector, applied, applied_back, cross
from flexmbs.model.forces.items import Kind

__all__ = ["DIRECTOR_FOLLOWER", "DIRECTOR_MOMENT", "DirectorFollowerGroup", "DirectorMomentGroup"]


class DirectorMomentGroup(NamedTuple):
    """``dofs (n, 6)`` of the directors, ``M (n, 3)`` in inertial axes, ``load (n,)``."""

    dofs: IntArray
    b1: int
    M: FloatArray
    load: IntArray


class DirectorFollowerGroup(NamedTuple):
    """``dofs (n, 9)``: position, directors; ``F (n, 3)`` in the axes of the section; ``load (n,)``."""

    dofs: IntArray
    b1: int
    F: FloatArray
    load: IntArray


@inlined
def _at(q: FloatArray, dofs: IntArray, i: int, k: int) -> Vector:
    return q[dofs[i, k]], q[dofs[i, k + 1]], q[dofs[i, k + 2]]


@kernel
def director_moment_force(group: DirectorMomentGroup, state: State, env: Env, work: Work) -> int:
    """r -= (dtheta/dq)^T M."""
    dofs, q, r = group.dofs, state.q, work.r
    for i in range(dofs.shape[0]):
        s = env.scale[group.load[i]]
        A, shape = frame_of(_at(q, dofs, i, 0), _at(q, dofs, i, 3))
        if not np.isfinite(A[0]):
            return i
        fu, fw = director_moment(shape, applied_back(A, (s * group.M[i, 0], s * group.M[i, 1], s * group.M[i, 2])))
        fu, fw = applied(A, fu), applied(A, fw)
        for j in range(3):
            r[dofs[i, j]] -= fu[j]
            r[dofs[i, 3 + j]] -= fw[j]
    return -1


@kernel
def director_moment_tangent(
    group: DirectorMomentGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """The same with its derivative; the moment turns against the section, so the matrix is not symmetric."""
    bad = director_moment_force(group, state, env, work)
    if bad >= 0:
        return bad
    dofs, q, B = group.dofs, state.q, work.B
    zero = (0.0, 0.0, 0.0)
    for i in range(dofs.shape[0]):
        s, o = -weights[0] * env.scale[group.load[i]], group.b1 + 36 * i
        A, shape = frame_of(_at(q, dofs, i, 0), _at(q, dofs, i, 3))
        m = applied_back(A, (s * group.M[i, 0], s * group.M[i, 1], s * group.M[i, 2]))
        for j in range(6):
            e = (A[3 * (j % 3)], A[3 * (j % 3) + 1], A[3 * (j % 3) + 2])
            eu, ew = e if j < 3 else zero, e if j >= 3 else zero
            by = spin(shape, eu, ew)
            fu, fw = director_moment_change(shape, m, cross(m, by), by, growth(shape, by, eu, ew))
            fu, fw = applied(A, fu), applied(A, fw)
            for n in range(3):
                B[o + 6 * n + j], B[o + 6 * (n + 3) + j] = fu[n], fw[n]
    return -1


@kernel
def director_follower_force(group: DirectorFollowerGroup, state: State, env: Env, work: Work) -> int:
    """r -= R F."""
    dofs, q = group.dofs, state.q
    for i in range(dofs.shape[0]):
        s = env.scale[group.load[i]]
        A, _ = frame_of(_at(q, dofs, i, 3), _at(q, dofs, i, 6))
        if not np.isfinite(A[0]):
            return i
        f = applied(A, (s * group.F[i, 0], s * group.F[i, 1], s * group.F[i, 2]))
        for j in range(3):
            work.r[dofs[i, j]] -= f[j]
    return -1


@kernel
def director_follower_tangent(
    group: DirectorFollowerGroup, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:
    """The same with d(R F) = R (theta x F)."""
    bad = director_follower_force(group, state, env, work)
    if bad >= 0:
        return bad
    dofs, q, B = group.dofs, state.q, work.B
    zero = (0.0, 0.0, 0.0)
    for i in range(dofs.shape[0]):
        s, o = -weights[0] * env.scale[group.load[i]], group.b1 + 81 * i
        A, shape = frame_of(_at(q, dofs, i, 3), _at(q, dofs, i, 6))
        F = (s * group.F[i, 0], s * group.F[i, 1], s * group.F[i, 2])
        B[o : o + 81] = 0.0
        for j in range(6):
            e = (A[3 * (j % 3)], A[3 * (j % 3) + 1], A[3 * (j % 3) + 2])
            f = applied(A, cross(spin(shape, e if j < 3 else zero, e if j >= 3 else zero), F))
            for n in range(3):
                B[o + 9 * n + 3 + j] = f[n]
    return -1


DIRECTOR_MOMENT = Kind(
    "moment on directors", DirectorMomentGroup, director_moment_force, director_moment_tangent, symmetric=False,
    diagnosis="the directors have become parallel",
)  # fmt: skip
DIRECTOR_FOLLOWER = Kind(
    "follower force on a node with directors", DirectorFollowerGroup, director_follower_force,
    director_follower_tangent, symmetric=False, diagnosis="the directors have become parallel",
)  # fmt: skip
