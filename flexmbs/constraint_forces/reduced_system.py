r"""Constraint forces from the reduced system, in which only multipliers are unknown.

From :math:`M a + f + G^T\lambda = 0` and :math:`G a + \gamma = 0` follows

.. math:: E\,\lambda = \gamma - G M^{-1} f, \qquad E = G M^{-1} G^T,

symmetric and positive definite, with a block for every pair of joints that share a body. The order of elimination is
chosen on the graph of joints, once for a model; bodies that hold many joints can be split into virtual bodies, fixed to
each other by joints that give :math:`v_1 = v_2`, which turns a full block of E into a chain. After D. Negrut, *On the
issue of iterative linear algorithms for the multi-threaded simulation of mechanical systems represented in Cartesian
coordinates*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import connected_components

from flexmbs.constraint_forces.block_kernels import add_products, factorise_blocks, over_masses, solve_blocks
from flexmbs.constraint_forces.conjugate_gradients import conjugate_gradients
from flexmbs.constraint_forces.constraint_matrix import ConstraintMatrix
from flexmbs.constraint_forces.elimination import Elimination, eliminate, low_fill_order
from flexmbs.constraint_forces.joint_graph import JointGraph
from flexmbs.core.checks import as_array, as_count, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ConvergenceError, ModelError, SingularError
from flexmbs.dynamics.consistent_state import dependent_constraints
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import free_directions
from flexmbs.model.model import Model
from flexmbs.system.system import System, compile_model

__all__ = ["ConstraintForces", "ReducedSystem"]

ROUND_OFF = 1e-13
"""Pivot, relative to the diagonal, that counts as zero; the compliance beside redundant equations is 1e-11."""
LARGEST = 600
"""Coordinates of one body, whose mass is inverted."""


class ConstraintForces(NamedTuple):
    """Accelerations (n_v,) and multipliers (n_c,) at a state; iterations and the relative residual, if iterated."""

    a: FloatArray
    lam: FloatArray
    iterations: int = 0
    residual: float = 0.0


class ReducedSystem:
    """The reduced system of a model, for its constraint forces at any state.

    Parameters
    ----------
    model : Model or System
        Of bodies with mass: rigid bodies, point masses, floating bodies; trees and flexible bodies count as one body
        each.
    order : sequence of str or int, optional
        In which joints are eliminated; default: least fill, none in chains and trees.
    split : int, optional
        Bodies that hold more joints are split into virtual ones, at least 3; default: none are.

    Attributes
    ----------
    graph : JointGraph
        Joints (virtual ones behind) and bodies.
    elimination : Elimination
        Order, fill, and counts of operations on blocks.
    redundant : tuple of str
        Equations that follow from others at the start; multipliers then get the small compliance that integrators give
        them.

    Raises
    ------
    ModelError
        If there are no joints, an order does not fit, or a body has more than 600 coordinates.

    Notes
    -----
    The integrators of flexmbs do not use it: they factorise mass and constraints together, which serves stiff forces,
    massless coordinates and flexible bodies as well, and was quicker in all cases measured except hubs with many joints
    (`docs/theory/constraint_forces.md`).

    Examples
    --------
    >>> import flexmbs as fx
    >>> links = [fx.PlanarRigidBody.rod((i, 0), (i + 1, 0), mass=2.0, name=f"link {i}") for i in range(3)]
    >>> pins = [fx.RevoluteJoint(a, b, at=(i, 0)) for i, (a, b) in enumerate(zip((fx.ground, *links), links))]
    >>> reduced = fx.constraint_forces.ReducedSystem(fx.Model(*links, *pins, fx.Gravity((0, -9.81))))
    >>> reduced.elimination.fill, reduced.graph.topology_index
    (0, 2)
    >>> found = reduced.solve()
    >>> round(float(found.a[1]), 4)  # of the middle of the first link
    -6.2256
    """

    def __init__(
        self, model: Model | System, *, order: Sequence[str | int] | None = None, split: int | None = None
    ) -> None:
        if not isinstance(model, Model | System):
            raise ModelError(f"ReducedSystem: expected a Model, not {show(model)}.")
        system = model if isinstance(model, System) else compile_model(model)
        self._dyn = dyn = Dynamics(system)
        self._name = f"Model {system.model.name!r}"
        if not dyn.n_c:
            raise ModelError(f"ReducedSystem: {self._name} has no joints, and so no constraint forces.")
        free = np.sort(system.free[system.free < dyn.n_v])
        self._E = free_directions(dyn, free)
        self._G = ConstraintMatrix(dyn, free, self._E)
        dyn.start_turns(0.0)
        dyn.set_time(0.0)
        self._start = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
        self.redundant = dependent_constraints(dyn, *self._start)
        dyn.compliance(len(self.redundant) > 0)
        joints = list(dict.fromkeys(e.joint for e in dyn.mechanics.equations))
        self._of_joint = [np.array([i for i, e in enumerate(dyn.mechanics.equations) if e.joint is j]) for j in joints]
        self._find_bodies(free)
        pattern = csr_array(self._evaluate(*self._start, 0.0)[1])
        body_of = np.zeros(len(free), dtype=np.int64)
        for number, places in enumerate(self._bodies):
            body_of[places] = number
        held = [tuple(np.unique(body_of[pattern[rows].indices]).tolist()) for rows in self._of_joint]
        graph = JointGraph(tuple(j.name for j in joints), tuple(held))
        self._parts: tuple[tuple[int, tuple[int, ...]], ...] = ()
        if split is not None:
            graph, self._parts = graph.split(as_count("ReducedSystem", "split", split, minimum=3))
        self.graph = graph
        self.elimination: Elimination = eliminate(graph, low_fill_order(graph) if order is None else order)
        self._lay_out()
        self._factored = False

    @property
    def size(self) -> tuple[int, int]:
        """Unknown multipliers, with those of virtual joints, and blocks of the factor."""
        return int(self._sizes.sum()), len(self._row)

    def solve(self, q: Any = None, v: Any = None, t: float = 0.0) -> ConstraintForces:
        """Accelerations and multipliers by a block Cholesky factorisation, at a state or at the start.

        The factors are kept for `solve_iteratively`.

        Raises
        ------
        SingularError
            If the equations depend on each other there, and did not at the start.
        """
        r, G, gamma = self._evaluate(*self._state(q, v), as_number("ReducedSystem", "t", t, unit="time"))
        self._assemble(G)
        least = ROUND_OFF * self._blocks[self._diagonal]
        bad = factorise_blocks(
            self._column, self._row, self._offset, self._sizes, self._first, self._update, least, self._blocks
        )
        if bad >= 0:
            name = self.graph.names[self.elimination.order[bad]]
            raise SingularError(
                f"{self._name}: the constraints depend on each other at this position; found at joint {name!r}."
            )
        self._factored = True
        lam = self._precondition(self._right(r, G, gamma))
        return self._result(r, G, lam)

    def solve_iteratively(
        self, q: Any = None, v: Any = None, t: float = 0.0, *, guess: Any = None, tolerance: float = 1e-10,
        max_iterations: int | None = None,
    ) -> ConstraintForces:  # fmt: skip
        """The same by conjugate gradients, preconditioned by the factors of the last `solve`.

        E is not formed: its product with a direction is taken body by body.

        Parameters
        ----------
        q, v, t
            As for `solve`.
        guess : (n_c,) array, optional
            Multipliers to begin with.
        tolerance : float
            Residual relative to the right side.
        max_iterations : int, optional
            Default: the number of equations, after which it would be exact without round-off, but at least 50.

        Raises
        ------
        ModelError
            If there are no factors yet, or bodies were split, which direct solutions alone are served by.
        ConvergenceError
            If the tolerance is not met.
        """
        if not self._factored:
            raise ModelError("ReducedSystem: call solve() once before, whose factors precondition the iteration.")
        if self._parts:
            raise ModelError("ReducedSystem: split bodies serve solve() only; leave split out to iterate.")
        tolerance = as_number("ReducedSystem", "tolerance", tolerance, above=0.0)
        n_c = self._dyn.n_c
        most = max(50, n_c) if max_iterations is None else as_count(
            "ReducedSystem", "max_iterations", max_iterations, minimum=1
        )  # fmt: skip
        r, G, gamma = self._evaluate(*self._state(q, v), as_number("ReducedSystem", "t", t, unit="time"))
        x = np.zeros(n_c) if guess is None else as_array("ReducedSystem", "guess", guess, (n_c,))
        compliance = self._dyn.multiplier_compliance
        GT = G.T.tocsc()
        lam, iterations, left = conjugate_gradients(
            lambda d: G @ (self._over_mass @ (GT @ d)) + compliance * d, self._precondition,
            self._right(r, G, gamma), x, tolerance, most,
        )  # fmt: skip
        if left > tolerance:
            raise ConvergenceError(
                f"{self._name}: {iterations} conjugate-gradient iterations left a residual of {left:.3g}; solve() "
                f"near this "
                f"state first, or take a larger tolerance."
            )
        return self._result(r, G, lam)._replace(iterations=iterations, residual=left)

    def _result(self, r: FloatArray, G: csc_array, lam: FloatArray) -> ConstraintForces:
        return ConstraintForces(-np.asarray(self._E @ (self._over_mass @ (r + G.T @ lam))), lam)

    def _state(self, q: Any, v: Any) -> tuple[FloatArray, FloatArray]:
        """A state of the user, or that at the start."""
        dyn = self._dyn
        q = self._start[0] if q is None else as_array("ReducedSystem", "q", q, (dyn.n_q,))
        v = self._start[1] if v is None else as_array("ReducedSystem", "v", v, (dyn.n_v,))
        return np.array(q), np.array(v)

    def _evaluate(self, q: FloatArray, v: FloatArray, t: float) -> tuple[FloatArray, csc_array, FloatArray]:
        """f (n,), G (n_c, n) and gamma (n_c,) on the free velocities."""
        dyn = self._dyn
        dyn.set_time(t)
        dyn.T[:] = np.eye(3)
        gamma = dyn.gamma(q, v)
        r = self._E.T @ dyn.residual_and_rows(q, v, np.zeros(dyn.n_v), np.zeros(dyn.n_c))[: dyn.n_v]
        return np.asarray(r), self._G.read(), gamma

    def _find_bodies(self, free: IntArray) -> None:
        """Free velocities of one rigid body or node, or coupled by the mass: what counts as a body."""
        M = csr_array(self._E.T @ self._dyn.mass_matrix @ self._E)
        node = self._dyn.coordinates.node_of[free]
        n = len(free)
        whole = M.tocoo()
        row, column = np.append(whole.row, np.arange(n)), np.append(whole.col, n + node)
        links = csr_array((np.ones(len(row)), (row, column)), shape=(n + node.max() + 1,) * 2)
        label = np.unique(connected_components(links, directed=False)[1][:n], return_inverse=True)[1]
        count = int(label.max()) + 1
        order = np.argsort(label, kind="stable")
        found = np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])
        largest = max(len(f) for f in found)
        if largest > LARGEST:
            raise ModelError(
                f"ReducedSystem: {self._name} has a body of {largest} coordinates; its mass would be inverted, for "
                f"which "
                f"{LARGEST} are the limit."
            )
        self._bodies = found
        self._mass_at = np.concatenate(([0], np.cumsum([len(f) ** 2 for f in found]))).astype(np.int64)
        rows = np.concatenate([np.repeat(f, len(f)) for f in found])
        columns = np.concatenate([np.tile(f, len(f)) for f in found])
        numbered = csr_array((np.arange(len(rows)) + 1.0, (rows, columns)), shape=M.shape)
        numbered.sort_indices()
        self._in_rows = numbered.data.astype(np.int64) - 1
        self._over_mass = numbered
        self._invert(M)

    def _invert(self, M: csr_array) -> None:
        """The inverse masses of all bodies, one after the other, and as a sparse matrix."""
        found = []
        for places in self._bodies:
            try:
                found.append(np.linalg.inv(M[places][:, places].toarray()).ravel())
            except np.linalg.LinAlgError:
                raise ModelError(
                    f"ReducedSystem: {self._name} has coordinates without mass; for these, use flexmbs.simulate."
                ) from None
        self._inverse = np.concatenate(found)
        self._over_mass.data = self._inverse[self._in_rows]

    def _lay_out(self) -> None:
        """Where blocks of G, of the masses and of E lie."""
        graph, found = self.graph, self.elimination
        place = np.empty(len(found.order), dtype=np.int64)
        place[list(found.order)] = np.arange(len(found.order))
        part_of = {part: (body, len(parts)) for body, parts in self._parts for part in parts}
        sizes = [len(rows) for rows in self._of_joint]
        for joint in range(len(sizes), len(graph.names)):
            sizes.append(len(self._bodies[part_of[graph.bodies[joint][0]][0]]))
        self._sizes = np.array([sizes[j] for j in found.order], dtype=np.int64)
        self._first = np.concatenate(([0], np.cumsum(self._sizes)))[:-1].astype(np.int64)
        self._numbers = np.zeros(self._dyn.n_c, dtype=np.int64)
        for joint, rows in enumerate(self._of_joint):
            self._numbers[rows] = self._first[place[joint]] + np.arange(len(rows))
        # blocks of G, one for each joint and body
        own: dict[tuple[int, int], int] = {}
        at: list[int] = []
        rows_of: list[int] = []
        widths: list[int] = []
        end = 0
        for joint, bodies in enumerate(graph.bodies):
            for body in bodies:
                width = len(self._bodies[part_of.get(body, (body, 1))[0]])
                own[joint, body] = len(at)
                at.append(end)
                rows_of.append(sizes[joint])
                widths.append(width)
                end += sizes[joint] * width
        self._at, self._rows, self._widths = (np.array(x, dtype=np.int64) for x in (at, rows_of, widths))
        self._Gb, self._Hb = np.zeros(end), np.zeros(end)
        owner = [part_of.get(body, (body, 1)) for bodies in graph.bodies for body in bodies]
        self._mass_of = self._mass_at[[body for body, _ in owner]]
        self._share = np.array([1.0 / parts for _, parts in owner])  # of the mass
        for joint in range(len(self._of_joint), len(graph.names)):
            for sign, body in zip((1.0, -1.0), graph.bodies[joint], strict=True):
                n = own[joint, body]
                block = self._Gb[at[n] : at[n] + rows_of[n] * widths[n]].reshape(rows_of[n], widths[n])
                block[:] = sign * np.eye(widths[n])
        self._find_slots(own, at, widths)
        # blocks of E and of its factor
        column, row = [0], list[int]()
        entry: dict[tuple[int, int], int] = {}
        for k, others in enumerate(found.structure):
            for i in (k, *others):
                entry[i, k] = len(row)
                row.append(i)
            column.append(len(row))
        self._column, self._row = np.array(column, dtype=np.int64), np.array(row, dtype=np.int64)
        counts = self._sizes[self._row] * np.repeat(self._sizes, np.diff(self._column))
        self._offset = np.concatenate(([0], np.cumsum(counts)))[:-1].astype(np.int64)
        self._blocks = np.zeros(int(counts.sum()))
        update = []
        for others in found.structure:
            for a, i in enumerate(others):
                update += [self._offset[entry[i, k]] for k in others[: a + 1]]
        self._update = np.array(update, dtype=np.int64)
        first, second, target = [], [], []
        for body, joints in graph.joints_of.items():
            for j in joints:
                for k in joints:
                    if place[j] >= place[k]:
                        first.append(own[j, body])
                        second.append(own[k, body])
                        target.append(self._offset[entry[int(place[j]), int(place[k])]])
        self._pairs = np.array([first, second, target], dtype=np.int64)
        diagonal = [self._offset[column[k]] + np.arange(s) * (s + 1) for k, s in enumerate(self._sizes)]
        self._diagonal = np.concatenate(diagonal)

    def _find_slots(self, own: dict[tuple[int, int], int], at: list[int], widths: list[int]) -> None:
        """Where the entries of G, column by column, belong among its blocks."""
        n = sum(len(places) for places in self._bodies)
        body_of, within = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for number, places in enumerate(self._bodies):
            body_of[places], within[places] = number, np.arange(len(places))
        joint_of, row_of = np.zeros(self._dyn.n_c, dtype=np.int64), np.zeros(self._dyn.n_c, dtype=np.int64)
        for joint, rows in enumerate(self._of_joint):
            joint_of[rows], row_of[rows] = joint, np.arange(len(rows))
        part = {(j, body): body for j, body in own if body < len(self._bodies)}
        for body, parts in self._parts:
            part |= {(j, body): p for j, p in own if p in parts and j < len(self._of_joint)}
        G = self._evaluate(*self._start, 0.0)[1]
        columns = np.repeat(np.arange(G.shape[1]), np.diff(G.indptr))
        numbers = [
            own[j, part[j, b]] for j, b in zip(joint_of[G.indices].tolist(), body_of[columns].tolist(), strict=True)
        ]
        base, width = np.array(at)[numbers], np.array(widths)[numbers]
        self._slot = (base + row_of[G.indices] * width + within[columns]).astype(np.int64)

    def _assemble(self, G: csc_array) -> None:
        """E into the blocks of the factor."""
        if self._dyn.mass_changes:
            self._invert(csr_array(self._E.T @ self._dyn.mass_matrix @ self._E))
        self._Gb[self._slot] = G.data
        over_masses(self._rows, self._widths, self._at, self._mass_of, self._share, self._inverse, self._Gb, self._Hb)
        self._blocks[:] = 0.0
        first, second, target = self._pairs
        add_products(first, second, target, self._rows, self._widths, self._at, self._Gb, self._Hb, self._blocks)
        self._blocks[self._diagonal[self._numbers]] += self._dyn.multiplier_compliance

    def _right(self, r: FloatArray, G: csc_array, gamma: FloatArray) -> FloatArray:
        return np.asarray(gamma - G @ (self._over_mass @ r))

    def _precondition(self, b: FloatArray) -> FloatArray:
        """The multipliers of the equations from their right side, by the factors."""
        x = np.zeros(int(self._sizes.sum()))
        x[self._numbers] = b
        solve_blocks(self._column, self._row, self._offset, self._sizes, self._first, self._blocks, x)
        return x[self._numbers]
