r"""Inertia: the gyroscopic forces of rigid bodies, and the product of a constant mass matrix with accelerations.

A rigid body with its centre of mass as reference and body-fixed angular velocity has the constant mass diag(m I, J);
what is left of the Newton-Euler equations is

.. math:: r_\theta \mathrel{+}= \Omega \times J \Omega, \qquad D_\theta = \tilde\Omega J - \widetilde{J\Omega}.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State, Work
from flexmbs.core.jit import kernel

__all__ = [
    "RigidGroup", "add_block_damping", "add_rows_product", "clear_forces", "clear_wrenches", "gyroscopic_force",
    "gyroscopic_tangent", "inertia_force",
]  # fmt: skip


class RigidGroup(NamedTuple):
    """``dofs (n, 3)``: angular velocities in v; ``b1``; ``J (n, 3, 3)`` about the centre of mass, body axes."""

    dofs: IntArray
    b1: int
    J: FloatArray


@kernel
def gyroscopic_force(group: RigidGroup, state: State, env: Env, work: Work | MarkerWork) -> int:
    """r += Omega x J Omega."""
    v, r, J, dofs = state.v, work.r, group.J, group.dofs
    for i in range(dofs.shape[0]):
        k = dofs[i, 0]
        x, y, z = v[k], v[k + 1], v[k + 2]
        a = J[i, 0, 0] * x + J[i, 0, 1] * y + J[i, 0, 2] * z
        b = J[i, 1, 0] * x + J[i, 1, 1] * y + J[i, 1, 2] * z
        c = J[i, 2, 0] * x + J[i, 2, 1] * y + J[i, 2, 2] * z
        r[k] += y * c - z * b
        r[k + 1] += z * a - x * c
        r[k + 2] += x * b - y * a
    return -1


@kernel
def gyroscopic_tangent(
    group: RigidGroup, state: State, env: Env, work: Work | MarkerWork, weights: tuple[float, float]
) -> int:
    """The same, and wv (Omega~ J - (J Omega)~)."""
    v, r, B, J, dofs, w = state.v, work.r, work.B, group.J, group.dofs, weights[1]
    for i in range(dofs.shape[0]):
        k, o = dofs[i, 0], group.b1 + 9 * i
        x, y, z = v[k], v[k + 1], v[k + 2]
        a = J[i, 0, 0] * x + J[i, 0, 1] * y + J[i, 0, 2] * z
        b = J[i, 1, 0] * x + J[i, 1, 1] * y + J[i, 1, 2] * z
        c = J[i, 2, 0] * x + J[i, 2, 1] * y + J[i, 2, 2] * z
        r[k] += y * c - z * b
        r[k + 1] += z * a - x * c
        r[k + 2] += x * b - y * a
        for m in range(3):
            B[o + m] = w * (y * J[i, 2, m] - z * J[i, 1, m])
            B[o + 3 + m] = w * (z * J[i, 0, m] - x * J[i, 2, m])
            B[o + 6 + m] = w * (x * J[i, 1, m] - y * J[i, 0, m])
        B[o + 1] += w * c
        B[o + 2] -= w * b
        B[o + 3] -= w * c
        B[o + 5] += w * a
        B[o + 6] += w * b
        B[o + 7] -= w * a
    return -1


@kernel
def inertia_force(
    indptr: IntArray, indices: IntArray, data: FloatArray, a: FloatArray, given: FloatArray, r: FloatArray
) -> None:
    """r = given, and r += M a on the velocities; M in compressed rows."""
    for i in range(given.shape[0]):
        r[i] = given[i]
    moving = False
    for i in range(a.shape[0]):
        if a[i] != 0.0:
            moving = True
            break
    if not moving:
        return
    for i in range(indptr.shape[0] - 1):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * a[indices[k]]
        r[i] += s


@kernel
def add_rows_product(indptr: IntArray, indices: IntArray, data: FloatArray, v: FloatArray, r: FloatArray) -> None:
    """r += C v; C in compressed rows."""
    for i in range(indptr.shape[0] - 1):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * v[indices[k]]
        r[i] += s


@kernel
def add_block_damping(damped: FloatArray, B: FloatArray, weights: tuple[float, float]) -> None:
    """B += wv C for blocks of damping that come first in the buffer."""
    for i in range(damped.shape[0]):
        B[i] += weights[1] * damped[i]


@kernel
def clear_wrenches(W: FloatArray) -> None:
    """W = 0, before everything that acts on markers adds to it."""
    W[:] = 0.0


@kernel
def clear_forces(r: FloatArray) -> None:
    """r = 0, before forces on bodies in a numbering of their own add to it."""
    for i in range(r.shape[0]):
        r[i] = 0.0
