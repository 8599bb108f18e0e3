"""Masses that change with the state, of floating bodies, substructures and trees, where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.mechanics.floating import floating_mass
from flexmbs.mechanics.mass import mass_matrix
from flexmbs.trees.dynamics import tree_mass
from flexmbs.trees.group import TreeGroup

if TYPE_CHECKING:
    from flexmbs.mechanics.build import Mechanics
    from flexmbs.mechanics.step_matrix import StepMatrix
    from flexmbs.system import System

__all__ = ["MovingMass", "mass_moves", "renew_step_mass", "structure"]


def mass_moves(mechanics: Mechanics) -> bool:
    """Whether the mass matrix depends on the state."""
    return bool(mechanics.floating or mechanics.substructures or len(mechanics.trees.kind))


def structure(system: System) -> FloatArray:
    """Mass blocks in which every entry that can differ from zero does."""
    blocks = system.mass_blocks
    m = system.mechanics
    if not mass_moves(m):
        return blocks
    blocks = blocks.copy()
    for group in m.floating:
        n, k = group.dofs.shape
        part = blocks[group.b1 : group.b1 + n * k * k]
        part[part == 0.0] = 1.0
    for shared in m.substructures:
        blocks[shared.b1 : shared.end] = 1.0
    for o, places in zip(m.trees.blk, system.coordinates.trees, strict=True):
        related = places.related()
        part = blocks[o : o + related.size]
        part[:] = np.where(part == 0.0, related.ravel(), part)
    return blocks


@kernel
def renew_step_mass(group: TreeGroup, q: FloatArray, blocks: FloatArray, massive: IntArray, masses: FloatArray) -> None:
    """Mass of trees at q into the masses of the matrix of a step, for models without bodies in floating frames."""
    tree_mass(group, q, blocks)
    for i in range(massive.shape[0]):
        masses[i] = blocks[massive[i]]


@kernel
def add_entries(blocks: FloatArray, source: IntArray, target: IntArray, data: FloatArray) -> None:
    """Add entries of blocks at their places."""
    for i in range(source.shape[0]):
        data[target[i]] += blocks[source[i]]


class MovingMass:
    """Writes the mass of floating bodies, substructures and trees at given coordinates where it is used.

    The inertia of floating bodies is evaluated as mass times accelerations, that of trees recursively, so that a matrix
    of mass is made for these only where one is asked for.

    Attributes
    ----------
    rows : sparse matrix
        Mass in compressed rows without trees: what multiplies accelerations.
    """

    def __init__(self, system: System, matrix: Any, step: StepMatrix) -> None:
        self.floating, self.trees = system.mechanics.floating, system.mechanics.trees
        self.flexible = system.mechanics.flexible
        self._blocks = system.mass_blocks.copy()
        self._whole, self.rows, self._step = matrix, matrix.copy(), step
        self._q = system.coordinates.reference.copy()
        self._stale = True
        numbered = matrix.copy()
        numbered.data = np.arange(1, len(matrix.data) + 1, dtype=np.float64)
        numbered = numbered.tocsr()
        found: list[tuple[IntArray, IntArray]] = [(np.zeros(0, dtype=np.int64),) * 2]

        def add(dofs: IntArray, offset: int) -> None:
            k = len(dofs)
            places = numbered[dofs][:, dofs].toarray().ravel().astype(np.int64) - 1
            there = np.flatnonzero(places >= 0)
            found.append((offset + np.arange(k * k)[there], places[there]))

        for group in self.floating:
            k = group.dofs.shape[1]
            for i, dofs in enumerate(group.dofs):
                add(dofs, group.b1 + i * k * k)
        first = len(found)
        for o, places in zip(self.trees.blk, system.coordinates.trees, strict=True):
            add(places.unknowns, int(o))
        self._from, self._to = (np.concatenate([f[k] for f in found]) for k in (0, 1))
        n = sum(len(f[0]) for f in found[:first])
        self._from_floating, self._to_floating = self._from[:n], self._to[:n]
        self.rows.data[self._to[n:]] = 0.0
        self.substructures = system.mechanics.substructures
        self._overlap(system, matrix, numbered)

    def _overlap(self, system: System, matrix: Any, numbered: Any) -> None:
        """Substructures add up in the frames they share, and with the masses of the bodies there."""
        found = [(np.zeros(0, dtype=np.int64),) * 2]
        for shared in self.substructures:
            k = shared.dofs.shape[1]
            for i, dofs in enumerate(shared.dofs):
                places = numbered[dofs][:, dofs].toarray().ravel().astype(np.int64) - 1
                found.append((shared.b1 + i * k * k + np.arange(k * k), places))
        self._from_shared, self._to_shared = (np.concatenate([f[k] for f in found]) for k in (0, 1))
        still = system.mass_blocks.copy()
        still[self._from_shared] = 0.0
        where = matrix.tocoo()
        constant = np.asarray(mass_matrix(system, still)[where.row, where.col]).ravel()
        self._own = constant[self._to_shared]

    def update(self, q: FloatArray) -> None:
        """The mass that multiplies accelerations at q; the rest is made when it is asked for."""
        self._q[:] = q
        self._stale = True
        if self.floating:
            for group in self.floating:
                floating_mass(group, q, self._blocks)
            self.rows.data[self._to_floating] = self._blocks[self._from_floating]
        for shared in self.substructures:
            shared.mass(q, self._blocks)
        self._add_shared(self.rows.data)

    def _add_shared(self, data: FloatArray) -> None:
        if self.substructures:
            data[self._to_shared] = self._own
            add_entries(self._blocks, self._from_shared, self._to_shared, data)

    def _refresh(self) -> None:
        if self._stale:
            if self.flexible is not None:
                self.flexible.mass(self._q, self._blocks)
            elif len(self.trees.kind):
                tree_mass(self.trees, self._q, self._blocks)
            self._whole.data[self._to] = self._blocks[self._from]
            self._add_shared(self._whole.data)
            self._step.renew_mass(self._blocks)
            self._stale = False

    @property
    def step_arrays(self) -> tuple[Any, ...]:
        """What `renew_step_mass` works on: blocks, which of them are in the matrix of a step, and where."""
        return self._blocks, self._step._massive, self._step._mass

    @property
    def matrix(self) -> Any:
        """The mass matrix at the coordinates of the last update."""
        self._refresh()
        return self._whole

    @property
    def blocks(self) -> FloatArray:
        """The same in the layout of the mass blocks; it is in the matrix of a step, too."""
        self._refresh()
        return self._blocks
