"""The compiled model: arrays, groups and slot maps. What an analysis sees.

`compile_model` numbers the coordinates, gathers all items of one type into one group, finds the sparsity pattern and
the slots once. A `System` is constant: what evaluations write to is in a `flexmbs.workspace.Workspace`, one for
every run.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array

from flexmbs.coordinates import Coordinates
from flexmbs.core import linsolve, sparsity
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Term, Work
from flexmbs.core.errors import FlexmbsError
from flexmbs.core.history import value_at
from flexmbs.core.sparsity import Blocks, Pattern
from flexmbs.fixation import Fixation
from flexmbs.gather import gather
from flexmbs.mechanics.build import Mechanics
from flexmbs.mechanics.mass import as_rows, mass_matrix
from flexmbs.mechanics.moving_mass import structure
from flexmbs.mechanics.sizes import body_sizes, model_length
from flexmbs.workspace import Workspace

if TYPE_CHECKING:
    from flexmbs.body import FlexibleBody
    from flexmbs.core.linsolve import LinearSolver
    from flexmbs.model import Model

__all__ = ["EvaluationError", "Linearisation", "System", "compile_model"]


class EvaluationError(FlexmbsError, ArithmeticError):
    """A kernel refused an item: an element turned inside out, an angle out of range, a number that overflowed."""


class Linearisation(NamedTuple):
    """K = dr/dq, D = dr/dv and M on the free coordinates, as data on one pattern."""

    pattern: Pattern
    K: FloatArray
    D: FloatArray
    M: FloatArray

    def combine(self, weights: tuple[float, float, float]) -> csc_array:
        """wq K + wv D + wa M, without evaluating anything."""
        wq, wv, wa = weights
        return self.matrix(wq * self.K + wv * self.D + wa * self.M)

    def matrix(self, data: FloatArray) -> csc_array:
        """Data on the pattern as a sparse matrix."""
        n = self.pattern.n
        return csc_array((data, self.pattern.indices, self.pattern.indptr), shape=(n, n))


def compile_model(model: Model) -> System:
    """Compile a model.

    Raises
    ------
    ModelError
        If supports contradict each other or the model has no free coordinate.
    """
    return System(model)


class System:
    """A compiled model; made by `compile_model`.

    Attributes
    ----------
    coordinates : Coordinates
    fixation : Fixation
    terms : tuple of Term
        One per type of item.
    free : (n,) int array
        Entries of (v, multipliers) that are unknown, in the order of the unknowns.
    mechanics : Mechanics
        What acts between markers, and the inertia of bodies that are not meshed.
    symmetric : bool
        Whether the matrix of statics is symmetric and may be definite: no item says otherwise, and there are neither
        multipliers nor rotations.
    solver : LinearSolver
        Owns the storage that `assemble` fills.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.coordinates = Coordinates.of(model, model.extra_coordinates)
        self.fixation = Fixation.of(model, self.coordinates)
        self.terms, self.mass_blocks, size, self.n_element_terms = gather(model, self.coordinates)
        self.mechanics = Mechanics.of(model, self.coordinates, size)
        n_v, n_c = self.coordinates.n_v, self.mechanics.n_c
        mask = np.ones(n_v, dtype=bool)
        mask[self.fixation.fixed] = False
        mask[self.coordinates.idle] = False
        self.blocks = [Blocks(t.group.dofs, t.group.b1) for t in self.terms if t.tangent is not None]
        self.blocks += self.mechanics.blocks
        self.mass_blocks = np.concatenate((self.mass_blocks, self.mechanics.mass))
        self.size = size = self.mechanics.size
        rotates = self.coordinates.n_rotating > 0
        self.symmetric = self.mechanics.symmetric and not rotates and all(t.symmetric for t in self.terms)
        self.free, self.half_band = sparsity.saddle_order(
            self.blocks, self.coordinates.node_of, np.flatnonzero(mask), n_c
        )
        self.unknown = np.full(n_v + n_c, -1, dtype=np.int64)
        self.unknown[self.free] = np.arange(len(self.free))
        self.pattern = Pattern.of(self.blocks, self.unknown, len(self.free))
        self.solver: LinearSolver = linsolve.choose(self.pattern, self.half_band, self.symmetric, self.multipliers)
        self.entry_rows, self.entry_columns = sparsity.entries(self.blocks, self.unknown, size)
        self._slots: tuple[IntArray, IntArray] | None = None
        self.turned_blocks = self._blocks_in_frames()
        self._work = Work(np.zeros(n_v + n_c), np.zeros(size))
        self._zero = np.zeros(n_v)
        self._no_multipliers = np.zeros(n_c)

    def workspace(self, *, symmetric: bool | None = None, in_place: bool = False) -> Workspace:
        """Arrays, tables and a solver for one run.

        ``symmetric``: whether a narrow matrix is tried by Cholesky, default as the system says; ``in_place``: whether
        its factors overwrite it, for large matrices of which nothing but the solution is asked.
        """
        return Workspace(self, symmetric=self.symmetric if symmetric is None else symmetric, in_place=in_place)

    @cached_property
    def mass_matrix(self) -> Any:
        """Mass in compressed rows over all velocities, with an entry wherever the mass can differ from zero."""
        return mass_matrix(self, structure(self))

    @cached_property
    def mass_rows(self) -> tuple[IntArray, IntArray, FloatArray]:
        """The same as kernels take it."""
        return as_rows(self.mass_matrix)

    @cached_property
    def states(self) -> IntArray:
        """Places in v of first-order states."""
        c = self.coordinates
        first = c.n_linear - len(c.extra)
        return np.array([first + i for i, e in enumerate(c.extra) if e.mass > 0.0], dtype=np.int64)

    @cached_property
    def mass_diagonal(self) -> FloatArray:
        """Weights (n_v,) of norms; zero for first-order states, which have units of their own."""
        mass = np.ascontiguousarray(self.mass_matrix.diagonal())
        mass[self.states] = 0.0
        return mass

    @cached_property
    def length(self) -> float:
        """Largest extent of the model in its initial configuration [length]."""
        return model_length(self.coordinates, self.mechanics)

    @cached_property
    def body_sizes(self) -> tuple[IntArray, FloatArray]:
        """Number of the body of each velocity, and sum m s^2 of each body; see `flexmbs.mechanics.sizes`."""
        return body_sizes(self.coordinates, self.mass_diagonal, self.length)

    def slots(self, solver: LinearSolver) -> tuple[IntArray, IntArray]:
        """Places of all entries of the blocks, and of the diagonal, in the storage of a solver of a workspace.

        All solvers of a system have the same, so they are found once.
        """
        if self._slots is None:
            unknowns = np.arange(self.n)
            self._slots = solver.slots(self.entry_rows, self.entry_columns), solver.slots(unknowns, unknowns)
        return self._slots

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.free)

    @property
    def multipliers(self) -> IntArray:
        """Which unknowns are multipliers of constraints."""
        rows = self.unknown[self.coordinates.n_v :]
        return rows[rows >= 0]

    def env(self, t: float, ramp: float) -> Env:
        """Load factors at t; loads without history are at ``ramp``."""
        loads = self.model.loads
        return Env(t, np.array([value_at(load.label, load.history, t, ramp) for load in loads], dtype=np.float64))

    def impose(self, q: FloatArray, old: FloatArray, new: FloatArray, drives: FloatArray) -> FloatArray:
        """q with the fixed entries at their prescribed values; frames turn from ``old`` to ``new`` and take q along."""
        s = self.fixation.to_frames(q, old)
        s[self.fixation.fixed] = self.fixation.values(drives)
        return self.fixation.from_frames(s, new)

    def residual(
        self, q: FloatArray, env: Env, v: FloatArray | None = None, elastic_supports: bool = True
    ) -> FloatArray:
        """Internal minus applied forces (n_q,), a view that the next call overwrites; inertia is not included.

        Without ``elastic_supports`` their forces are left out, so that in equilibrium those of all supports remain.
        """
        work = self._work
        work.r[:] = 0.0
        state = State(q, self._zero if v is None else v, self._zero, self._no_multipliers)
        for term in self.terms:
            if term.support and not elastic_supports:
                continue
            bad = term.force(term.group, state, env, work)
            if bad >= 0:
                raise EvaluationError(self.refusal(term, bad))
        return work.r

    def tangent(
        self, q: FloatArray, env: Env, weights: tuple[float, float] = (1.0, 0.0), v: FloatArray | None = None
    ) -> FloatArray:
        """The residual, and ``wq K + wv D`` into the work blocks for `assemble`, `product` and `magnitude`."""
        work = self._work
        work.r[:] = 0.0
        state = State(q, self._zero if v is None else v, self._zero, self._no_multipliers)
        for term in self.terms:
            if term.tangent is None:
                bad = term.force(term.group, state, env, work)
            else:
                bad = term.tangent(term.group, state, env, work, weights)
            if bad >= 0:
                raise EvaluationError(self.refusal(term, bad))
        return work.r

    def product(self, x: FloatArray) -> FloatArray:
        """Work blocks times a vector over all coordinates; before `assemble` turns them."""
        y = np.zeros_like(x)
        for block in self.blocks:
            sparsity.block_product(self._work.B, block.dofs, block.b1, x, y)
        return y

    def magnitude(self, x: FloatArray) -> FloatArray:
        """|K| |x| with the work blocks; before `assemble` turns them."""
        y = np.zeros_like(x)
        for block in self.blocks:
            sparsity.block_magnitude(self._work.B, block.dofs, block.b1, x, y)
        return y

    def work_blocks(self, block: Blocks) -> FloatArray:
        """A copy of the work blocks of one group (n k k,); before `assemble` turns them."""
        n, k = block.dofs.shape
        return self._work.B[block.b1 : block.b1 + n * k * k].copy()

    def assemble(self, frames: FloatArray) -> None:
        """Turn the work blocks into the nodal frames and add them up in the solver's storage."""
        if len(self.turned_blocks):
            sparsity.rotate_blocks(self._work.B, self.turned_blocks, frames)
        sparsity.scatter(self._work.B, self.slots(self.solver)[0], self.solver.data)

    def mass_product(self, x: FloatArray) -> FloatArray:
        """M x over all coordinates."""
        y = np.zeros_like(x)
        for block in self.blocks:
            sparsity.block_product(self.mass_blocks, block.dofs, block.b1, x, y)
        return y

    def linearise(
        self, q: FloatArray, env: Env, frames: FloatArray | None = None, v: FloatArray | None = None
    ) -> Linearisation:
        """K, D and M at a state, on the free coordinates in the order of the unknowns.

        ``frames`` are the nodal frames of the state; left out, those without any prescribed motion.
        """
        if frames is None:
            frames = self.fixation.frames0
        slot = self.pattern.slots(self.entry_rows, self.entry_columns)
        parts = []
        for weights in ((1.0, 0.0), (0.0, 1.0), None):
            if weights is None:
                self._work.B[:] = self.mass_blocks
            else:
                self.tangent(q, env, weights, v)
            if len(self.turned_blocks):
                sparsity.rotate_blocks(self._work.B, self.turned_blocks, frames)
            data = np.zeros(len(self.pattern.indices) + 1)
            sparsity.scatter(self._work.B, slot, data)
            parts.append(data[:-1])
        return Linearisation(self.pattern, *parts)

    def strain_energy(self, q: FloatArray) -> float:
        """Strain energy of all bodies [force length]; springs of supports are not included."""
        return float(sum(group.strain_energy(q) for group in self.coordinates.groups))

    def group(self, body: FlexibleBody) -> Any:
        """The element group of one body."""
        return self.coordinates.elements[self.coordinates.index(body)]

    def refusal(self, term: Term, item: int) -> str:
        where = self.coordinates.describe(int(term.group.dofs[item, 0]))
        reason = term.diagnosis or "its forces are not finite numbers"
        return f"{term.name}, item {item} ({where}): {reason}"

    def _blocks_in_frames(self) -> IntArray:
        """Rows (offset, size, frame, positions) of the blocks that hold coordinates in frames."""
        frame_of = np.full(len(self.unknown), -1, dtype=np.int64)
        place = np.zeros(len(self.unknown), dtype=np.int64)
        dofs = self.fixation.frame_dofs
        for c in range(dofs.shape[1]):
            frame_of[dofs[:, c]] = np.arange(len(dofs))
            place[dofs[:, c]] = c
        rows: list[list[Any]] = []
        dim = dofs.shape[1]
        for block in self.blocks:
            k = block.dofs.shape[1]
            for item in np.flatnonzero((frame_of[block.dofs] >= 0).any(axis=1)):
                frames = frame_of[block.dofs[item]]
                for f in np.unique(frames[frames >= 0]):
                    where = np.flatnonzero(frames == f)
                    where = where[np.argsort(place[block.dofs[item][where]])]
                    rows.append([block.b1 + item * k * k, k, f, *where])
        return np.array(rows, dtype=np.int64).reshape(len(rows), 3 + dim)
