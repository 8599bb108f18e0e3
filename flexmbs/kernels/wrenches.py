"""Wrenches on single markers in the common buffer: forces into ``W``, stiffness through the chain rule."""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork
from flexmbs.core.jit import kernel

__all__ = ["WrenchGroup", "wrench_force", "wrench_stiffness", "wrench_tangent", "wrench_value"]


class WrenchGroup(NamedTuple):
    """Markers ``mk (n,)``, ``F (n, 3)``, ``M (n, 3)``, ``follower (n,)`` 0 or 1, load factors ``load (n,)``."""

    mk: IntArray
    F: FloatArray
    M: FloatArray
    follower: IntArray
    load: IntArray


@kernel
def wrench_force(group: WrenchGroup, R: FloatArray, scale: FloatArray, W: FloatArray) -> int:
    """Add all wrenches of the group to ``W (n_m, 6)``."""
    for i in range(group.mk.shape[0]):
        wrench_value(i, group, R, scale, W)
    return -1


@kernel
def wrench_value(i: int, group: WrenchGroup, R: FloatArray, scale: FloatArray, W: FloatArray) -> None:
    """Add wrench i to the row of its marker in ``W (n_m, 6)``; ``R (n_m, 3, 3)``, ``scale (n_loads,)``."""
    k, s = group.mk[i], scale[group.load[i]]
    if group.follower[i]:
        for a in range(3):
            W[k, a] -= s * (R[k, a, 0] * group.F[i, 0] + R[k, a, 1] * group.F[i, 1] + R[k, a, 2] * group.F[i, 2])
            W[k, 3 + a] -= s * group.M[i, a]
    else:
        for a in range(3):
            W[k, a] -= s * group.F[i, a]
            W[k, 3 + a] -= s * (R[k, 0, a] * group.M[i, 0] + R[k, 1, a] * group.M[i, 1] + R[k, 2, a] * group.M[i, 2])


@kernel
def wrench_stiffness(i: int, group: WrenchGroup, R: FloatArray, scale: FloatArray, X: FloatArray) -> bool:
    """d(w)/d(pose) of wrench i into ``X (6, 6)``; returns whether it is not zero.

    Follower: (force, rotation) block R F~. Dead: (moment, rotation) block -(R^T M)~. Both unsymmetric.
    """
    k, s = group.mk[i], scale[group.load[i]]
    X[:6, :6] = 0.0
    if group.follower[i]:
        x, y, z = s * group.F[i, 0], s * group.F[i, 1], s * group.F[i, 2]
        for a in range(3):
            X[a, 3] = R[k, a, 1] * z - R[k, a, 2] * y
            X[a, 4] = R[k, a, 2] * x - R[k, a, 0] * z
            X[a, 5] = R[k, a, 0] * y - R[k, a, 1] * x
        return bool(x != 0.0 or y != 0.0 or z != 0.0)
    x = s * (R[k, 0, 0] * group.M[i, 0] + R[k, 1, 0] * group.M[i, 1] + R[k, 2, 0] * group.M[i, 2])
    y = s * (R[k, 0, 1] * group.M[i, 0] + R[k, 1, 1] * group.M[i, 1] + R[k, 2, 1] * group.M[i, 2])
    z = s * (R[k, 0, 2] * group.M[i, 0] + R[k, 1, 2] * group.M[i, 1] + R[k, 2, 2] * group.M[i, 2])
    X[3, 4], X[3, 5] = z, -y
    X[4, 3], X[4, 5] = -z, x
    X[5, 3], X[5, 4] = y, -x
    return bool(x != 0.0 or y != 0.0 or z != 0.0)


@kernel
def wrench_tangent(
    group: WrenchGroup, offsets: IntArray, mptr: IntArray, scale: FloatArray, work: MarkerWork, wq: float
) -> None:
    """All wrenches into ``W`` and their blocks wq J^T X Jc into ``B``."""
    X, JT, JcT, B = work.S, work.JT, work.JcT, work.B
    for n in range(group.mk.shape[0]):
        i, o = group.mk[n], offsets[n]
        wrench_value(n, group, work.R, scale, work.W)
        a0 = mptr[i]
        N = mptr[i + 1] - a0
        B[o : o + N * N] = 0.0
        if not wrench_stiffness(n, group, work.R, scale, X):
            continue
        for col in range(N):
            for axis in range(6):
                x = 0.0
                for m in range(6):
                    x += X[axis, m] * JcT[a0 + col, m]
                x *= wq
                for row in range(N):
                    B[o + row * N + col] += JT[a0 + row, axis] * x
