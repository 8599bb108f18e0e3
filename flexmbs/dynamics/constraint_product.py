"""G x of all constraints at the kinematics in place, from what it does to the markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.jit import kernel
from flexmbs.kernels.pairs import JointGroup, joint_rates

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["add_constraint_product", "constraint_product"]


@kernel
def twists_of(ptr: IntArray, dof: IntArray, JT: FloatArray, x: FloatArray, twist: FloatArray) -> None:
    """twist (n_m, 6) = J x of every marker."""
    twist[:] = 0.0
    for i in range(twist.shape[0]):
        for k in range(ptr[i], ptr[i + 1]):
            for c in range(6):
                twist[i, c] += JT[k, c] * x[dof[k]]


@kernel
def constraint_product(
    joints: JointGroup, ptr: IntArray, dof: IntArray, work: MarkerWork, x: FloatArray, twist: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """out (n_c,) += G x; ``twist (n_m, 6)`` is scratch, and the twists of the markers stay what they are."""
    twist[:] = work.twist
    twists_of(ptr, dof, work.JT, x, work.twist)
    joint_rates(joints, work, out)
    work.twist[:] = twist


def add_constraint_product(dyn: Dynamics, x: FloatArray, out: FloatArray) -> None:
    """out (n_c,) += G x for x (n_v,)."""
    m, markers = dyn.mechanics, dyn.markers
    assert m is not None  # noqa: S101
    constraint_product(m.joints, m.markers.ptr, m.markers.dof, markers, x, np.empty_like(markers.twist), out)
