"""Moves of the coordinates of a tree by itself: steps along velocities, and the step from one position to another."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import logarithm, quaternion_product, retract_quaternion
from flexmbs.kernels.trees.group import SCREW, TreeGroup

__all__ = ["not_unit", "step_between", "stepped"]

UNIT = 1e-8
"""By how much the square of the length of a quaternion may differ from one."""


@kernel
def not_unit(group: TreeGroup, q: FloatArray) -> int:
    """The first column of a rotation whose quaternion is not of unit length (nor a number), or -1."""
    for c in range(group.kind.shape[0]):
        if group.kind[c] == 1:
            i = group.qi[c]
            s = q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]
            if not abs(s - 1.0) <= UNIT:
                return c
    return -1


@kernel
def stepped(group: TreeGroup, q: FloatArray, d: FloatArray, out: FloatArray) -> None:
    """out (n_q,): q moved by d (n_v,), a rotation R to R exp(d~)."""
    for c in range(group.kind.shape[0]):
        i = group.qi[c]
        if group.kind[c] == SCREW:
            out[i] = q[i] + d[c]
        elif group.kind[c] == 1:
            retract_quaternion(q, i, d[c], d[c + 1], d[c + 2], out, i)


@kernel
def step_between(group: TreeGroup, q: FloatArray, other: FloatArray, out: FloatArray) -> None:
    """out (n_v,): the d with which `stepped` moves q to the other position; of rotations the shorter way."""
    for c in range(group.kind.shape[0]):
        i = group.qi[c]
        if group.kind[c] == SCREW:
            out[c] = other[i] - q[i]
        elif group.kind[c] == 1:
            back = (q[i], -q[i + 1], -q[i + 2], -q[i + 3])
            turn = quaternion_product(back, (other[i], other[i + 1], other[i + 2], other[i + 3]))
            out[c], out[c + 1], out[c + 2] = logarithm(turn)
