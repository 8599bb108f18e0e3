"""Compiling linear bodies: constant blocks of stiffness and damping, one for each mode where nothing couples them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from flexmbs.bodies.linear import LinearBody
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Term, Work
from flexmbs.core.jit import kernel

__all__ = ["LinearBlocks", "linear_energy", "linear_terms"]


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


def linear_terms(
    bodies: tuple[LinearBody, ...], modal: Mapping[int, int], size: int
) -> tuple[list[Term], list[tuple[int, FloatArray]], int]:
    """Terms of the bodies with their coordinates from ``modal`` on, their masses as blocks, and where these end.

    Blocks of modes whose damping is uncoupled are of order one.
    """
    terms: list[Term] = []
    masses: list[tuple[int, FloatArray]] = []
    for body in bodies:
        first, m = modal[id(body)], body.modes
        K, D = np.diag(body.frequencies**2), np.asarray(body.viscosity)
        dofs = first + np.arange(m, dtype=np.int64)
        if body.uncoupled:
            group = LinearBlocks(
                dofs[:, None], size, np.ascontiguousarray(K.diagonal())[:, None, None],
                np.ascontiguousarray(D.diagonal())[:, None, None],
            )  # fmt: skip
            masses.append((size, np.ones(m)))
        else:
            group = LinearBlocks(dofs[None, :], size, K[None], np.ascontiguousarray(D)[None])
            masses.append((size, np.eye(m).ravel()))
        terms.append(Term(f"modes of {body}", group, linear_force, linear_tangent))
        size += group.K.size
    return terms, masses, size


def linear_energy(body: LinearBody, first: int, q: FloatArray) -> float:
    """Strain energy of a body whose modes begin at ``first`` [force length]."""
    return 0.5 * float((body.frequencies * q[first : first + body.modes]) ** 2 @ np.ones(body.modes))
