r"""The equations of rest on the unknowns: what Newton's method and relaxation evaluate, factorise and solve.

.. math:: r(q, \lambda) = 0, \qquad g(q) = 0, \qquad \dot x = f(q, 0, x) = 0

with the residual r of `flexmbs.dynamics.evaluation.Dynamics` at zero velocity and acceleration, constraints g and
first-order states x. A model without joints has no multipliers, nothing else is different. The matrix is stored for the
solver that suits it: `flexmbs.core.linsolve` takes Cholesky where it is symmetric and definite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, lu_factor, lu_solve

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.band import Band
from flexmbs.core.sparsity import block_magnitude, block_product, rotate_blocks, scatter
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import linearise_state, moved, state_places
from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.steps import local
from flexmbs.system.refusals import refuse_searched, singular

__all__ = ["DENSE", "EquationsOfRest", "Point", "TurnMemory"]

DENSE = 1_500
"""Unknowns up to which matrices are made dense."""


class Point(NamedTuple):
    """A state at rest: ``q (n_q,)``, ``v (n_v,)`` zero but for first-order states, ``lam (n_c,)``."""

    q: FloatArray
    v: FloatArray
    lam: FloatArray


class TurnMemory(NamedTuple):
    """From which angles turns are counted: in the tables (`flexmbs.dynamics.turns`), and those read in Python."""

    turns: FloatArray
    read: dict[tuple[str, str], float]


class EquationsOfRest:
    """Residual, tangent and factors of one `Dynamics` at rest.

    Vectors over all velocities and multipliers (n_v + n_c,) are *whole*; those over the unknowns (n,), in nodal frames
    and in the order of ``system.free``, are *reduced*.

    Attributes
    ----------
    length : float
        Size of the model.
    states : int array
        Places of first-order states in v. With them the matrix is dense.
    elastic : (n,) bool array
        Unknowns of flexible bodies, which a stiffness resists.
    rigid : (n_v + n_c,) bool array
        Velocities of everything else: rigid bodies, trees, shapes, states.
    velocities : (n,) bool array
        Unknowns that are no multipliers.
    scale : (n_v,) array
        Size of an increment that is of the size of the model: its length, or one.
    """

    def __init__(self, dyn: Dynamics) -> None:
        system = dyn.system
        refuse_searched(system, "an analysis of rest")
        self.dyn, self.system, self.fixation = dyn, system, system.fixation
        self.free = system.free
        self.states = state_places(dyn)
        self.solver = dyn.solver
        if isinstance(self.solver, Band):  # refinement needs the matrix beside its factors
            self.solver.in_place, self.solver.symmetric = False, system.symmetric
        self._slot, self._diagonal = system.slots(self.solver)
        self._dense: tuple[FloatArray, IntArray] | None = None
        self._still, self._one = np.zeros(dyn.n_v), np.eye(3)
        self._remembers, self._nothing = bool(dyn.turns.based or dyn.turns.angular), np.zeros(0)
        self._flat = dyn.n_q == dyn.n_v and not dyn.n_c and not len(self.states)
        self.length = dyn.length
        own = np.zeros(dyn.n_v + dyn.n_c, dtype=bool)
        for dofs in dyn.coordinates.node_dofs:
            own[dofs.ravel()] = True
        self.elastic = own[self.free]
        self.rigid = ~own
        self.rigid[dyn.n_v :] = False
        self.velocities = self.free < dyn.n_v
        self._equations = self.free[~self.velocities] - dyn.n_v
        self.scale = dyn.system.increment_sizes
        self.lengths = dyn.coordinates.displacements

    # --- forces ------------------------------------------------------------------------------------------------------

    def residual(self, point: Point) -> FloatArray:
        """Forces and violations (n_v + n_c,), a view that the next call overwrites."""
        return self._without_rates(self.dyn.residual(point.q, point.v, self._still, point.lam))

    def tangent(self, point: Point) -> FloatArray:
        """The same, and the tangent in the blocks of `factorise`, `product` and `magnitude`."""
        self.dyn.T[:] = self._one
        return self._without_rates(self.dyn.tangent(point.q, point.v, self._still, point.lam, (1.0, 0.0)))

    def _without_rates(self, r: FloatArray) -> FloatArray:
        """Constraints on velocities hold at rest, whatever first-order states there are."""
        if self.dyn.n_c:
            r[self.dyn.n_v :][self.dyn.velocity_rows == 1] = 0.0
        return r

    def reduced(self, whole: FloatArray, frames: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A whole vector on the unknowns, and on what supports hold."""
        turned = self.fixation.to_frames(whole, frames)
        return turned[self.free], turned[self.fixation.fixed]

    def whole(self, reduced: FloatArray, frames: FloatArray) -> FloatArray:
        """A reduced vector on all velocities and multipliers."""
        out = np.zeros(self.dyn.n_v + self.dyn.n_c)
        out[self.free] = reduced
        return self.fixation.from_frames(out, frames)

    # --- turns -------------------------------------------------------------------------------------------------------

    def memory(self) -> TurnMemory:
        """What is remembered of turns, for `restore`."""
        turns = self.dyn.turns.memory() if self._remembers else self._nothing
        return TurnMemory(turns, dict(self.dyn.python.viewer.near))

    def restore(self, memory: TurnMemory) -> None:
        """Remember what `memory` returned."""
        if self._remembers:
            self.dyn.turns.restore(memory.turns)
        near = self.dyn.python.viewer.near
        near.clear()
        near.update(memory.read)

    def accept(self, point: Point) -> None:
        """Count turns from the point that was evaluated last."""
        if self._remembers or self.dyn.python.viewer.near:
            self.dyn.accept(point.q)

    def arrive(self, point: Point) -> None:
        """Evaluate a point and count turns from it."""
        if self._remembers or self.dyn.python.viewer.near:
            self.residual(point)
            self.dyn.accept(point.q)

    # --- places ------------------------------------------------------------------------------------------------------

    def moved(self, point: Point, step: FloatArray) -> Point:
        """The point after a whole increment."""
        if self._flat:
            return Point(point.q + step, point.v, point.lam)
        dyn = self.dyn
        by, lam = step[: dyn.n_v], point.lam + step[dyn.n_v :] if dyn.n_c else point.lam
        if not len(self.states):
            return Point(moved(dyn, point.q, by), point.v, lam)
        v, by = point.v.copy(), by.copy()
        v[self.states] += by[self.states]
        by[self.states] = 0.0
        return Point(moved(dyn, point.q, by), v, lam)

    def between(self, a: Point, b: Point) -> FloatArray:
        """The whole increment from one point to another."""
        if self._flat:
            return np.asarray(b.q - a.q)
        dyn = self.dyn
        out = np.zeros(dyn.n_v + dyn.n_c)
        local(a.q, b.q, dyn.n_linear, out[: dyn.n_v])
        out[self.states] = b.v[self.states] - a.v[self.states]
        out[dyn.n_v :] = b.lam - a.lam
        return out

    def imposed(self, point: Point, old: FloatArray, new: FloatArray, drives: FloatArray) -> Point:
        """The point with prescribed coordinates where they go; frames turn from ``old`` to ``new`` and take it along.

        Nodes with quaternions, which no support moves, lie behind the vector spaces and stay.
        """
        if not len(drives):
            return point
        fixation, n = self.fixation, self.dyn.n_linear
        dofs = fixation.frame_dofs
        mine = dofs[:, 0] < n
        s = point.q.copy()
        s[dofs[mine]] = np.einsum("fij,fi->fj", old[mine], point.q[dofs[mine]])
        held = fixation.fixed < n
        s[fixation.fixed[held]] = fixation.values(drives)[held]
        out = s.copy()
        out[dofs[mine]] = np.einsum("fij,fj->fi", new[mine], s[dofs[mine]])
        return point._replace(q=out)

    def places(self, point: Point) -> FloatArray:
        """Coordinates and multipliers as a whole vector, rotations as one."""
        dyn, n = self.dyn, self.dyn.n_linear
        x = np.ones(dyn.n_v + dyn.n_c)
        x[:n] = point.q[:n]
        for i in range(3):
            x[n + i : dyn.n_v : 6] = point.q[n + i :: 7]
        x[dyn.n_v :] = point.lam
        return x

    def sizes(self, step: FloatArray) -> tuple[float, float]:
        """Largest part of a whole increment, in sizes of the model or radians, and of states, relative to them."""
        by = np.abs(step[: self.dyn.n_v]) / self.scale
        if not len(self.states):
            return float(by.max(initial=0.0)), 0.0
        of_states = float(by[self.states].max())
        by[self.states] = 0.0
        return float(by.max(initial=0.0)), of_states

    # --- the matrix --------------------------------------------------------------------------------------------------

    def product(self, x: FloatArray) -> FloatArray:
        """Tangent times a whole vector; before `factorise`."""
        y = np.zeros_like(x)
        for block in self.system.blocks:
            block_product(self.dyn.B, block.dofs, block.b1, x, y)
        return y

    def magnitude(self, point: Point) -> FloatArray:
        """|K| |q| (n_v + n_c,): the sum of what cancels in the residual."""
        x = self.places(point)
        y = np.zeros_like(x)
        for block in self.system.blocks:
            block_magnitude(self.dyn.B, block.dofs, block.b1, x, y)
        return y

    def factorise(self, point: Point, frames: FloatArray, mu: float = 0.0, soft: float = 0.0) -> FloatArray:
        """Factorise K + mu M with the constraints beside it, as `tangent` left it; |K_ii| (n,), 1 where that is zero.

        ``soft``: share of the diagonal that is added to it.

        Raises
        ------
        SingularError
        """
        if len(self.states):
            return self._factorise_dense(point, mu)
        dyn, system, solver = self.dyn, self.system, self.solver
        B = dyn.B
        if mu:
            B = B.copy()
            B[: len(system.mass_blocks)] += mu * dyn.mass_blocks
        if len(system.turned_blocks):
            rotate_blocks(B, system.turned_blocks, frames)
        scatter(B, self._slot, solver.data)
        D = np.abs(solver.data[self._diagonal])
        if dyn.n_c:
            solver.data[self._diagonal[~self.velocities]] -= dyn.multiplier_compliance[self._equations]
        if soft:
            size = np.where(D > 0.0, D, D.max(initial=1.0))
            solver.data[self._diagonal[self.velocities]] += soft * size[self.velocities]
        try:
            solver.refactor()
        except SingularError as error:
            raise singular(system, error) from None
        return np.where(D > 0.0, D, 1.0)

    def _factorise_dense(self, point: Point, mu: float) -> FloatArray:
        """The same with first-order states and all that they read and drive: their columns hold D instead of K."""
        dyn = self.dyn
        lin = linearise_state(dyn, StepState.unaccelerated(dyn.env.t, point.q, point.v, point.lam))
        n = len(lin.free)
        if n > DENSE:
            raise ModelError(
                f"Model {self.system.model.name!r}: statics with first-order states goes up to {DENSE} "
                f"unknowns, and here are {n}."
            )
        J = lin.K.toarray()
        J[:, lin.states] = lin.D.toarray()[:, lin.states]
        G = lin.G.toarray()
        A = np.block([[J + mu * lin.M.toarray(), G.T], [G, -np.diag(dyn.multiplier_compliance)]])
        order = np.where(self.velocities, np.searchsorted(lin.free, self.free), n + self.free - dyn.n_v)
        A = A[np.ix_(order, order)]
        try:
            self._dense = lu_factor(A, check_finite=True)
        except (LinAlgError, ValueError):
            raise SingularError("the stiffness matrix is singular") from None
        if not np.abs(np.diag(self._dense[0])).min(initial=1.0) > 0.0:
            raise SingularError("the stiffness matrix is singular")
        D = np.abs(np.diag(A))
        return np.where(D > 0.0, D, 1.0)

    def solve(self, b: FloatArray) -> FloatArray:
        """Solution for a reduced right side, refined."""
        return np.asarray(lu_solve(self._dense, b)) if self._dense is not None else self.solver.solve(b)

    def is_positive_definite(self) -> bool:
        """Whether Cholesky's method succeeded in the last factorisation."""
        return self.system.symmetric and self._dense is None and self.solver.is_positive_definite()

    # --- what the start needs ----------------------------------------------------------------------------------------

    def unbalanced(self, point: Point) -> tuple[float, Point]:
        """Largest acceleration from rest, scaled, and the point with the multipliers of least squares."""
        dyn = self.dyn
        dyn.T[:] = np.eye(3)
        dyn.tangent(point.q, point.v, self._still, point.lam, (0.0, 0.0))
        dyn.factorise(1.0)
        d = dyn.solve(1.0, 0.0, 0.0)
        a = np.abs(d[: dyn.n_v]) / self.scale
        a[self.states] = 0.0
        return float(a.max(initial=0.0)), point._replace(lam=point.lam + d[dyn.n_v :])

    def least(self, point: Point) -> Point:
        """The point with the multipliers of least norm that do the same, where constraints are redundant."""
        if not self.dyn.compliant:
            return point
        return self.unbalanced(point._replace(lam=np.zeros(self.dyn.n_c)))[1]

    def stiffest(self, point: Point) -> float:
        """Largest K_ii / M_ii of what has a mass."""
        dyn = self.dyn
        self.tangent(point)
        diagonal = np.zeros(dyn.n_v)
        for block in self.system.blocks:
            n, k = block.dofs.shape
            own = dyn.B[block.b1 : block.b1 + n * k * k].reshape(n, k, k)[:, np.arange(k), np.arange(k)]
            inside = block.dofs < dyn.n_v
            np.add.at(diagonal, block.dofs[inside], own[inside])
        heavy = dyn.mass > 0.0
        return float((np.abs(diagonal[heavy]) / dyn.mass[heavy]).max(initial=0.0))
