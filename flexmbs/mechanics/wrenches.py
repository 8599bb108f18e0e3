"""Wrenches on single markers in the common buffer: forces into ``W``, stiffness through the chain rule."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork
from flexmbs.core.jit import kernel
from flexmbs.forces.wrench import WrenchGroup, wrench_stiffness, wrench_value

__all__ = ["wrench_tangent"]


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
