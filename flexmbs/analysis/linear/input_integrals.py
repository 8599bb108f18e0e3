r"""Integrals of inputs among the states: displacement and rate of a prescribed motion whose acceleration is an input.

States i that only integrals feed, with a nilpotent :math:`A_{ii}`, drive the others, z, and are not driven by them:

.. math:: \dot z = A_{zz} z + A_{zi} i + B_z u, \qquad \dot i = A_{ii} i + B_i u, \qquad y = C_z z + C_i i + D u.

With :math:`z = \tilde z + X i`, :math:`A_{zz} X - X A_{ii} = -A_{zi}`, both are apart: :math:`\tilde z` decays as
:math:`A_{zz}` does, and an output sees the integrals by :math:`C_i + C_z X` alone. That is zero of relative motions and
of accelerations over a shaken base: there the base may have gone anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import block_diag, lu_factor, lu_solve

from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.analysis.linear_model import LinearModel

__all__ = ["Apart", "integrals_apart", "integrals_of_inputs", "states_seen"]

UNSEEN = 1e-7
"""Of an integral in an output, relative to what it is added up from; differences of sensors are known to 1e-9."""


@dataclass(frozen=True, eq=False)
class Apart:
    """A linear model in two: ``settling`` without the integrals, and these.

    ``A (n_i, n_i)``, ``B (n_i, n_u)``: of the integrals; ``C (n_y, n_i)``: what outputs see of them, zeros where it is
    round-off; ``names (n_i)``: which states they are.
    """

    settling: LinearModel
    A: FloatArray
    B: FloatArray
    C: FloatArray
    names: tuple[str, ...]

    def seen(self, j: int) -> tuple[int, int] | None:
        """An output and an integral in it that input j moves; None if there is none."""
        moved = self.B[:, j] != 0.0
        for _ in moved:
            moved = moved | np.any((self.A != 0.0) & moved, axis=1)
        found = np.argwhere((self.C != 0.0) & moved)
        return (int(found[0, 0]), int(found[0, 1])) if len(found) else None

    def together(self) -> LinearModel:
        """The model with the integrals as its last states, apart from the others."""
        one = self.settling
        return replace(
            one, A=block_diag(one.A, self.A), B=np.vstack((one.B, self.B)), C=np.hstack((one.C, self.C)),
            states=(*one.states, *self.names), energy=None,
        )  # fmt: skip


def states_seen(linear: LinearModel) -> LinearModel:
    """The model without states that no output sees, by zeros in A and C."""
    seen = np.any(linear.C != 0.0, axis=0)
    for _ in seen:
        more = seen | np.any(linear.A[seen] != 0.0, axis=0)
        if np.array_equal(more, seen):
            break
        seen = more
    return _with_states(linear, np.flatnonzero(seen))


def integrals_of_inputs(A: FloatArray) -> list[int]:
    """States that are integrals of inputs, by zeros in A; each is fed by those before it only."""
    found: list[int] = []
    others = np.ones(len(A), dtype=bool)
    while True:
        new = np.flatnonzero(others & ~np.any(A[:, others] != 0.0, axis=1))
        if not len(new):
            return found
        found += new.tolist()
        others[new] = False


def integrals_apart(linear: LinearModel) -> Apart:
    """The two parts of a model; what is left beside the integrals must have no pole at zero."""
    i = integrals_of_inputs(linear.A)
    z = np.setdiff1d(np.arange(len(linear.A)), i)
    A, B, C = linear.A, linear.B, linear.C
    N, X = A[np.ix_(i, i)], np.zeros((len(z), len(i)))
    lu = lu_factor(A[np.ix_(z, z)]) if len(z) and i else None
    for k in reversed(range(len(i))):
        if lu is not None:
            X[:, k] = lu_solve(lu, X @ N[:, k] - A[z, i[k]])
    rest = _with_states(linear, z)
    rest = replace(rest, B=rest.B - X @ B[i])
    seen = C[:, i] + rest.C @ X
    # Round-off of X goes along the chain with 1 / A_zz, which is the slowest time of what settles.
    slowest = 1.0 / np.abs(rest.poles).min() if len(z) else 0.0
    size = (np.abs(C[:, i]) + np.abs(rest.C) @ np.abs(X)) @ np.linalg.inv(np.eye(len(i)) - slowest * np.abs(N))
    seen[np.abs(seen) <= UNSEEN * size] = 0.0
    return Apart(rest, N, B[i], seen, tuple(linear.states[k] for k in i))


def _with_states(linear: LinearModel, kept: IntArray) -> LinearModel:
    if len(kept) == len(linear.A):
        return linear
    return replace(
        linear, A=linear.A[np.ix_(kept, kept)], B=linear.B[kept], C=linear.C[:, kept],
        states=tuple(linear.states[k] for k in kept), energy=None,
    )  # fmt: skip
