"""The compiled model: arrays, groups and slot maps. What an analysis sees.

`compile_model` numbers the coordinates, gathers all items of one type into one group, finds the sparsity pattern and
the slots once. A `System` is constant: what evaluations write to is in a `flexmbs.system.workspace.Workspace`, one for
every run. Arrays of its own that no kernel takes are protected against writing; for those that kernels take this
would double what is compiled, so that a test compares all bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import show, write_protected
from flexmbs.core.contracts import FloatArray, IntArray, Term
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.sparsity import Blocks
from flexmbs.system.build import Mechanics
from flexmbs.system.coordinates import Coordinates
from flexmbs.system.fixation import Fixation
from flexmbs.system.gather import gather
from flexmbs.system.layout import Layouts, shared_layouts
from flexmbs.system.mass import as_matrix, mass_rows
from flexmbs.system.moving_mass import moving_entries, structure
from flexmbs.system.sizes import (
    body_sizes,
    equation_sizes,
    increment_sizes,
    model_extent,
    model_reach,
    sizes_of_bodies,
    velocity_sizes,
)
from flexmbs.system.workspace import Workspace

if TYPE_CHECKING:
    from flexmbs.core.linsolve import LinearSolver
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.model import Model

__all__ = ["EvaluationError", "System", "compile_model"]

T = TypeVar("T")


class EvaluationError(FlexmbsError, ArithmeticError):
    """A kernel refused an item: an element turned inside out, an angle out of range, a number that overflowed."""


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
    layout : Layout
        That order, and what follows from it; none of it depends on numbers.
    mechanics : Mechanics
        What acts between markers, and the inertia of bodies that are not meshed.
    symmetric : bool
        Whether the matrix of statics is symmetric and may be definite: no item says otherwise, and there are neither
        multipliers nor rotations.
    """

    def __init__(self, model: Model, *, layouts: Layouts | None = None) -> None:
        if not hasattr(model, "extra_coordinates"):
            raise ModelError(f"compile_model: expected a Model, not {show(model)}.")
        self.model = model
        self.coordinates = Coordinates.of(model, model.extra_coordinates)
        self.fixation = Fixation.of(model, self.coordinates)
        self.terms, self.mass_blocks, size, self.n_element_terms = gather(model, self.coordinates)
        self.mechanics = Mechanics.of(model, self.coordinates, size)
        n_v, n_c = self.coordinates.n_v, self.mechanics.n_c
        if not n_v:
            raise ModelError(
                f"Model {model.name!r}: nothing in it can move, since the joints of its trees are all Fixed. Give one "
                f"of them a joint that moves, or take a RigidBody held by a FixedJoint, whose reactions are computed."
            )
        mask = np.ones(n_v, dtype=bool)
        mask[self.fixation.fixed] = False
        mask[self.coordinates.idle] = False
        self.blocks = [Blocks(t.group.dofs, t.group.b1) for t in self.terms if t.tangent is not None]
        self.blocks += self.mechanics.blocks
        self.mass_blocks = np.concatenate((self.mass_blocks, self.mechanics.mass))
        self.size = size = self.mechanics.size
        rotates = self.coordinates.n_rotating > 0
        self.symmetric = self.mechanics.symmetric and not rotates and all(t.symmetric for t in self.terms)
        layouts = shared_layouts() if layouts is None else layouts
        self.layout = layout = layouts.of(self.blocks, self.coordinates.node_of, mask, n_c, size)
        self.free, self.half_band, self.unknown = layout.free, layout.half_band, layout.unknown
        self.border = layout.border
        self.pattern, self.entry_rows, self.entry_columns = layout.pattern, layout.entry_rows, layout.entry_columns
        self._found: dict[Callable[[System], Any], Any] = {}
        self._slots: tuple[IntArray, IntArray] | None = None
        self.turned_blocks = self._blocks_in_frames()
        write_protected(self.mass_blocks, self.coordinates.node_of)

    def with_numbers(self, model: Model) -> System:
        """The system of another model, with what does not depend on numbers taken over if the structure is the same.

        Order of the unknowns, pattern and places of entries are those of this system if coordinates, supports,
        constraints and blocks are the same, which is compared; otherwise they are found anew. Either way the result is
        that of `compile_model`, bit for bit. ``result.layout is self.layout`` tells which.

        Raises
        ------
        ModelError
            As `compile_model`.
        """
        return System(model, layouts=Layouts.holding(self.layout))

    def workspace(self, *, symmetric: bool | None = None, in_place: bool = False) -> Workspace:
        """Arrays, tables and a solver for one run.

        ``symmetric``: whether a narrow matrix is tried by Cholesky, default as the system says; ``in_place``: whether
        its factors overwrite it, for large matrices of which nothing but the solution is asked.
        """
        return Workspace(self, symmetric=self.symmetric if symmetric is None else symmetric, in_place=in_place)

    @cached_property
    def mass_matrix(self) -> Any:
        """Mass in compressed rows over all velocities, with an entry wherever the mass can differ from zero."""
        return as_matrix(self.mass_rows)

    @cached_property
    def mass_rows(self) -> tuple[IntArray, IntArray, FloatArray]:
        """The same as kernels take it: row pointers, columns, values."""
        blocks = structure(self)
        return mass_rows(self, blocks, moving_entries(self) & (blocks != 0.0))

    @cached_property
    def constraint_entries(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which entries of the buffer of blocks are in rows of constraints, and which in their columns.

        Also those of fixed components, which the matrix has no place for: nodal frames mix them with free ones.
        """
        n_v, rows, columns = self.coordinates.n_v, np.zeros(self.size, dtype=bool), np.zeros(self.size, dtype=bool)
        for block in self.blocks:
            n, k = block.dofs.shape
            part, behind = slice(block.b1, block.b1 + n * k * k), block.dofs >= n_v
            rows[part] = np.repeat(behind, k, axis=1).ravel()
            columns[part] = np.tile(behind, (1, k)).ravel()
        return rows, columns

    @cached_property
    def states(self) -> IntArray:
        """Places in v of first-order states."""
        c = self.coordinates
        first = c.n_linear - len(c.extra)
        return np.array([first + i for i, e in enumerate(c.extra) if e.mass > 0.0], dtype=np.int64)

    @cached_property
    def state_resolutions(self) -> FloatArray:
        """Changes of the first-order states that do not matter."""
        return np.array([e.resolution for e in self.coordinates.extra if e.mass > 0.0], dtype=np.float64)

    @cached_property
    def mass_diagonal(self) -> FloatArray:
        """Weights (n_v,) of norms; zero for first-order states, which have units of their own."""
        ends, columns, values = self.mass_rows
        rows = np.repeat(np.arange(self.coordinates.n_v), ends[1:] - ends[:-1])
        mass, at = np.zeros(self.coordinates.n_v), np.flatnonzero(rows == columns)
        mass[rows[at]] = values[at]
        mass[self.states] = 0.0
        return mass

    @cached_property
    def extent(self) -> float:
        """Largest extent of the model in its initial configuration [length]; 0 for a single point."""
        return model_extent(self.coordinates, self.mechanics)

    @property
    def length(self) -> float:
        """The extent of the model [length], or 1 for a single point."""
        return self.extent or 1.0

    @cached_property
    def body_sizes(self) -> tuple[IntArray, FloatArray]:
        """Number of the body of each velocity, and sum m s^2 of each body; see `flexmbs.system.sizes`."""
        return body_sizes(self._sizes, self.coordinates, self.mechanics, self.length, self.mass_diagonal)

    @cached_property
    def velocity_sizes(self) -> FloatArray:
        """Unit of each velocity, times that of time (n_v,); see `flexmbs.system.sizes`."""
        return velocity_sizes(self._sizes, self.coordinates, self.length)

    @cached_property
    def reach(self) -> float:
        """What places count by in differences [length]; see `flexmbs.system.sizes`."""
        return model_reach(self.coordinates, self.extent)

    @cached_property
    def increment_sizes(self) -> FloatArray:
        """What increments are counted in, finite (n_v,); see `flexmbs.system.sizes`."""
        return increment_sizes(self.velocity_sizes, self.coordinates, self.reach)

    @cached_property
    def _sizes(self) -> Any:
        return sizes_of_bodies(self.coordinates, self.length)

    @cached_property
    def equation_sizes(self) -> FloatArray:
        """Unit of each constraint (n_c,); see `flexmbs.system.sizes`."""
        return equation_sizes(self.mechanics, self.coordinates.n_v, self.length)

    def once(self, find: Callable[[System], T]) -> T:
        """What a function finds of the system, which is constant: computed when it is first asked for, and kept."""
        if find not in self._found:
            self._found[find] = find(self)
        return cast(T, self._found[find])

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

    @property
    def damping_ratio(self) -> float:
        """Least damping of a vibration of a body in itself, over the critical one; infinite where no body deforms."""
        return min(group.damping_ratio for group in self.coordinates.groups)

    def strain_energy(self, q: FloatArray) -> float:
        """Strain energy of all bodies [force length]; springs of supports are not included."""
        return float(sum(group.for_run().strain_energy(q) for group in self.coordinates.groups))

    def group(self, body: FlexibleBody) -> Any:
        """The element group of one body."""
        return self.coordinates.elements[self.coordinates.index(body)]

    def refusal(self, term: Term, item: int) -> str:
        """What is said of an item that its kernel refused: what and where it is, and why."""
        where = self.coordinates.describe(int(term.group.dofs[item, 0]))
        reason = term.diagnosis or "its forces are not finite numbers"
        return f"{term.name}, item {item} ({where}): {reason}"

    def _blocks_in_frames(self) -> IntArray:
        """Rows (offset, size, frame, positions) of the blocks that hold coordinates in frames."""
        dofs = self.fixation.frame_dofs
        dim = dofs.shape[1]
        if not len(dofs):
            return np.zeros((0, 3 + dim), dtype=np.int64)
        frame_of = np.full(len(self.unknown), -1, dtype=np.int64)
        place = np.zeros(len(self.unknown), dtype=np.int64)
        for c in range(dim):
            frame_of[dofs[:, c]] = np.arange(len(dofs))
            place[dofs[:, c]] = c
        rows: list[list[Any]] = []
        for block in self.blocks:
            k = block.dofs.shape[1]
            for item in np.flatnonzero((frame_of[block.dofs] >= 0).any(axis=1)):
                frames = frame_of[block.dofs[item]]
                for f in np.unique(frames[frames >= 0]):
                    where = np.flatnonzero(frames == f)
                    where = where[np.argsort(place[block.dofs[item][where]])]
                    rows.append([block.b1 + item * k * k, k, f, *where])
        return np.array(rows, dtype=np.int64).reshape(len(rows), 3 + dim)
