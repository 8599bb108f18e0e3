r"""Which constraints follow from the others: decided on the constraints, kept in the stages of a step.

Off the constraints by :math:`\delta`, a row that follows from the others on them differs from their combination by
O(delta). However small, this difference counts as a constraint of its own for whoever decides the rank there, and what
it prescribes is its right side over it, O(delta)/O(delta): wrong accelerations at any step size. So the rows that
follow from the others are found where a step begins, and left out until it has ended. What is left, with independent
rows, is a smooth continuation of the equations of motion off the constraints, and a Runge-Kutta method has its full
order on it.

A row that is dependent at a singular position alone (a linkage stretched out) is not one of them: a step of size
`PROBE` along a motion that the constraints leave free makes it independent to the same order, and a row that follows
from the others everywhere to the second only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import qr, svd

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.integrators.constraints.dense_rows import DenseRows
from flexmbs.integrators.contracts import is_memory_of, mark
from flexmbs.kernels.steps import local, retract

if TYPE_CHECKING:
    from flexmbs.integrators.contracts import StepState
    from flexmbs.integrators.index_one import IndexOne

__all__ = ["Redundancy", "dependent_rows"]

NAME = "redundant constraints"
NONE = np.zeros(0, dtype=np.int64)
MANY = 1_000
"""Constraints from which the decompositions cost more than they are worth: none are left out, as if none depended."""
RANK = 1e-9
PROBE = 1e-5
"""Of the size of a body."""
DEPENDENT = 3e-8
"""Pivot, relative to the largest, between PROBE and its square."""
AGAIN = 0.1
"""Increment, relative to the size of the bodies, after which the rows to leave out are chosen anew."""


class Redundancy:
    """The rows that are left out of the stages of one run; a choice is kept with the state, so that resuming is exact.

    Models whose constraints are independent where they are assembled have none, and cost nothing.
    """

    def __init__(self, equations: IndexOne) -> None:
        self.equations = equations
        self._memory = np.empty(0)

    def begin(self, state: StepState, on_constraints: bool) -> None:
        """Leave out the dependent rows in what follows; the state is at the begin of a step.

        Where a method does not keep the state on the constraints, the rows chosen at the start of the run remain.
        """
        e, n_q = self.equations, len(state.q)
        if not e.dynamics.compliant or e.n_c > MANY:
            return
        if is_memory_of(NAME, state.memory):
            self._memory = state.memory
            if not on_constraints or not self._far(state.q):
                e.leave_out(self._memory[1 + n_q :].astype(np.int64))
                return
        dropped = dependent_rows(e, state.t, state.q, state.v)
        self._memory = np.concatenate(([mark(NAME)], state.q, dropped.astype(np.float64)))
        e.leave_out(dropped)

    def end(self, on_constraints: bool) -> FloatArray:
        """All rows take part again, if the end of the step is on the constraints; the memory for the state there."""
        if on_constraints and len(self.equations.left_out):
            self.equations.leave_out(NONE)
        return self._memory

    def _far(self, q: FloatArray) -> bool:
        """Whether bodies have moved far since the rows were chosen, so that others may suit better."""
        dyn = self.equations.dynamics
        increment = np.empty(dyn.n_v)
        local(self._memory[1 : 1 + len(q)].copy(), q, dyn.n_linear, increment)
        return dyn.size_of(increment) > AGAIN


def dependent_rows(equations: IndexOne, t: float, q: FloatArray, v: FloatArray) -> IntArray:
    """Rows, ascending, that follow from the others on the constraints around q; of velocities rather than positions."""
    dyn, rows = equations.dynamics, DenseRows(equations)
    equations.leave_out(NONE)
    equations.evaluate(t, q, v)
    G = rows.matrix()
    _, S, B = svd(G, check_finite=False)
    rank = int((RANK * S.max(initial=0.0) < S).sum())
    if rank < rows.n:
        random = np.random.default_rng(0).standard_normal(rows.n - rank)
        motion = rows.whole(B[rank:].T @ random)
        size = dyn.size_of(motion)
        moved = np.empty_like(q)
        retract(q, motion * (PROBE / size if size > 0.0 else 0.0), dyn.n_linear, moved)
        equations.evaluate(t, moved, v)
        G = rows.matrix()
    weight = np.where(np.diag(rows.mass) > 0.0, np.diag(rows.mass), 1.0) ** -0.5
    A = G * weight
    size = np.linalg.norm(A, axis=1)
    A = A / np.where(size > 0.0, size, 1.0)[:, None]
    found, span = [], np.zeros((A.shape[1], 0))
    for part in (np.flatnonzero(equations.holonomic), np.flatnonzero(~equations.holonomic)):
        if not len(part):
            continue
        rest = A[part] - (A[part] @ span) @ span.T
        Q, R, order = qr(rest.T, mode="economic", pivoting=True, check_finite=False)
        independent = int((np.abs(np.diag(R)) > DEPENDENT).sum())
        span = np.column_stack((span, Q[:, :independent]))
        found.append(part[order[independent:]])
    return np.sort(np.concatenate(found)).astype(np.int64)
