"""Compiling linear bodies: constant blocks of stiffness and damping, one for each mode where nothing couples them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Term, Work
from flexmbs.core.jit import kernel

if TYPE_CHECKING:
    from flexmbs.model.bodies.linear import LinearBody

__all__ = ["LinearBlocks", "linear_term"]


class LinearBlocks(NamedTuple):
    """``dofs (n, k)`` and ``b1`` as in `flexmbs.core.contracts.Term`; ``K``, ``D`` (n, k, k); the mass is one."""

    dofs: IntArray
    b1: int
    K: FloatArray
    D: FloatArray


@kernel
def linear_force(group: LinearBlocks, state: State, env: Env, work: Work) -> int:
    """r += K q + D v."""
    n, k = group.dofs.shape
    for e in range(n):
        for i in range(k):
            f = 0.0
            for j in range(k):
                d = group.dofs[e, j]
                f += group.K[e, i, j] * state.q[d] + group.D[e, i, j] * state.v[d]
            work.r[group.dofs[e, i]] += f
    return -1


@kernel
def linear_tangent(
    group: LinearBlocks, state: State, env: Env, work: Work, weights: tuple[float, float]
) -> int:  # fmt: skip
    """The same, and the blocks wq K + wv D."""
    linear_force(group, state, env, work)
    n, k = group.dofs.shape
    for e in range(n):
        o = group.b1 + e * k * k
        for i in range(k):
            for j in range(k):
                work.B[o + i * k + j] = weights[0] * group.K[e, i, j] + weights[1] * group.D[e, i, j]
    return -1


def linear_term(body: LinearBody, dofs: IntArray, b1: int) -> tuple[Term, FloatArray]:
    """The term of a body with its modes at ``dofs`` and its blocks from ``b1`` on, and the mass in these.

    Blocks of modes whose damping is uncoupled are of order one.
    """
    K, D = np.diag(body.frequencies**2), np.asarray(body.viscosity)
    if body.uncoupled:
        group = LinearBlocks(
            dofs[:, None], b1, np.ascontiguousarray(K.diagonal())[:, None, None],
            np.ascontiguousarray(D.diagonal())[:, None, None],
        )  # fmt: skip
        mass = np.ones(body.modes)
    else:
        group = LinearBlocks(dofs[None, :], b1, K[None], np.ascontiguousarray(D)[None])
        mass = np.eye(body.modes).ravel()
    return Term(f"modes of {body}", group, linear_force, linear_tangent), mass
