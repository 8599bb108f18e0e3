"""Derivatives of the forces on substructures (`flexmbs.kernels.substructure`), exact, column by column."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, State
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack, square
from flexmbs.kernels.substructure import SubstructureGroup, bending, gather
from flexmbs.kernels.substructure_elasticity import elastic_tangent
from flexmbs.kernels.substructure_frames import (
    amplitudes,
    couple,
    cross_add,
    place_column,
    pull,
    rate_columns,
    second_column,
    turn_add,
)

__all__ = ["pulled_tangent"]


@kernel
def rate_column(
    group: SubstructureGroup, i: int, j: int, state: State, change: FloatArray, x: FloatArray, X: FloatArray
) -> None:
    """Changes ``change (6,)`` of z'' by velocity j < 12."""
    room, line, d = group.room[i], group.line[i], group.dofs[i]
    A, P, Pd = room[0], room[1], room[2]
    e, ed = line[0], line[1]
    w, W = state.v[d[3] : d[3] + 3], state.v[d[9] : d[9] + 3]
    none = line[8]
    x[:], X[:] = 0.0, 0.0
    unit, du, db, y = x[0], x[1], x[2], x[3]
    dPd, dPdd = X[0], X[1]
    k = j % 3
    if j < 3 or 6 <= j < 9:
        for a in range(3):
            du[a] = -A[k, a] if j < 3 else A[k, a]
    elif j < 6:
        unit[k] = 1.0
        cross_add(-1.0, unit, e, du)
        cross_add(-2.0, unit, ed, db)
        cross_add(1.0, w, e, y)
        cross_add(-1.0, unit, y, db)
        y[:] = 0.0
        cross_add(1.0, unit, e, y)
        cross_add(-1.0, w, y, db)
        turn_add(P, none, unit, P, dPd)
        turn_add(Pd, none, unit, Pd, dPdd)
    else:
        unit[k] = 1.0
        turn_add(P, unit, none, P, dPd)
        turn_add(Pd, unit, none, Pd, dPdd)
    cross_add(-2.0, w, du, db)
    turn_add(dPd, W, w, dPd, dPdd)
    amplitudes(group.s[i], group.C[i], db, dPdd, change)


@kernel
def pulled_tangent(
    group: SubstructureGroup, state: State, floating: State, force: FloatArray, mass: FloatArray, elastic: FloatArray,
    stiffness: FloatArray, damping: FloatArray, T: FloatArray, weights: tuple[float, float], B: FloatArray,
) -> None:  # fmt: skip
    """wq d(M a + ...)/dq T + wv d(...)/dv into the blocks, after `pulled_force`.

    ``stiffness, damping``: derivatives by q and v of the floating bodies, to which the elastic ones are added here.
    """
    wq, wv = weights
    fq, fv, fa = floating.q, floating.v, floating.a
    n, size = group.dofs.shape
    m = size - 6
    J, F, out = np.empty((6, 12)), on_stack((size,)), on_stack((size,))
    Gamma, change, by_rate = np.empty((3, 3)), np.empty((3, 6)), np.empty(6)
    x, X, y, Y = np.empty((5, 3)), np.empty((3, 3, 3)), np.empty((4, 3)), np.empty((2, 3, 3))
    column = on_stack((size,))
    for i in range(n):
        o = i * size * size
        M, KF, DF = square(mass, o, size), square(stiffness, o, size), square(damping, o, size)
        z, zd = fq[i * m : i * m + m], fv[i * m : i * m + m]
        elastic_tangent(group.K[i], group.D[i], bending(group, i), z, zd, KF, DF)
        gather(force, n, m, i, F)
        gather(fa, n, m, i, column)
        for a in range(size):
            for k in range(size):
                F[a] += M[a, k] * column[k]
        for k in range(m):
            F[6 + k] += elastic[i, k]
        rate_columns(group, i, J)
        couple(group, i, F, Gamma)
        blocks = square(B, group.b1 + o, size)
        for j in range(size):
            if j < 12:
                place_column(group, i, j, state, T, change, x, X)
                rate_column(group, i, j, state, by_rate, y, Y)
                for a in range(size):
                    s = wq * KF[a, j] + wv * DF[a, j] if j < 6 else 0.0
                    for k in range(6):
                        s += wq * (KF[a, 6 + k] * change[0, k] + DF[a, 6 + k] * change[1, k])
                        s += M[a, 6 + k] * (wq * change[2, k] + wv * by_rate[k]) + wv * DF[a, 6 + k] * J[k, j]
                    column[a] = s
                pull(J, column, out)
                column[:] = 0.0
                second_column(group, i, F, Gamma, x[0], x[1], X[0], column)
                for a in range(size):
                    blocks[a, j] = out[a] + wq * column[a]
            else:
                for a in range(size):
                    column[a] = wq * KF[a, j] + wv * DF[a, j]
                pull(J, column, out)
                for a in range(size):
                    blocks[a, j] = out[a]
