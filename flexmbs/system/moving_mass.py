"""Masses that change with the state, of floating bodies, substructures and trees, where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.system.mass import mass_matrix

if TYPE_CHECKING:
    from flexmbs.dynamics.step_matrix import StepMatrix
    from flexmbs.system.build import Mechanics
    from flexmbs.system.groups import MovingBlocks
    from flexmbs.system.system import System

__all__ = ["MovingMass", "copy_entries", "mass_moves", "moving_entries", "renew_masses", "structure", "sum_entries"]


def mass_moves(mechanics: Mechanics) -> bool:
    """Whether the mass matrix depends on the state."""
    return any(group.moving is not None for group in mechanics.groups)


def structure(system: System) -> FloatArray:
    """Mass blocks in which every entry that can differ from zero does."""
    blocks = system.mass_blocks
    m = system.mechanics
    if not mass_moves(m):
        return blocks
    blocks = blocks.copy()
    for moving in _moving(m):
        for offset, pattern in zip(moving.offsets, moving.pattern, strict=True):
            part = blocks[offset : offset + pattern.size]
            part[(part == 0.0) & pattern.ravel()] = 1.0
    return blocks


def moving_entries(system: System) -> NDArray[np.bool_]:
    """Which entries of the mass blocks (n_mass,) change with the state."""
    found = np.zeros(len(system.mass_blocks), dtype=bool)
    for moving in _moving(system.mechanics):
        for offset, pattern in zip(moving.offsets, moving.pattern, strict=True):
            found[offset : offset + pattern.size] = True
    return found


def _moving(mechanics: Mechanics) -> list[MovingBlocks]:
    return [group.moving for group in mechanics.groups if group.moving is not None]


@kernel
def copy_entries(blocks: FloatArray, source: IntArray, target: IntArray, data: FloatArray) -> None:
    """Entries of blocks to their places."""
    for i in range(source.shape[0]):
        data[target[i]] = blocks[source[i]]


@kernel
def renew_masses(blocks: FloatArray, places: IntArray, masses: FloatArray) -> None:
    """`StepMatrix.renew_mass`: the masses of a step that change, from their places in the blocks."""
    for i in range(places.shape[0]):
        masses[i] = blocks[places[i]]


@kernel
def sum_entries(blocks: FloatArray, constant: FloatArray, source: IntArray, target: IntArray, data: FloatArray) -> None:
    """Sums of entries of blocks that have places in common, and of what is ``constant`` at the place of each."""
    for i in range(target.shape[0]):
        data[target[i]] = constant[i]
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

    def __init__(self, system: System, mechanics: Mechanics, matrix: Any, step: StepMatrix) -> None:
        self._blocks = system.mass_blocks.copy()
        self._whole, self.rows, self._step = matrix, matrix.copy(), step
        self._q = system.coordinates.reference.copy()
        self._stale = True
        numbered = matrix.copy()
        numbered.data = np.arange(1, len(matrix.data) + 1, dtype=np.float64)
        numbered = numbered.tocsr()
        moving = _moving(mechanics)
        self._writes = [m.write for m in moving if not m.recursive]
        self._recursive = [m.write for m in moving if m.recursive]
        self._own = _Copies(numbered, [m for m in moving if not (m.recursive or m.shared)])
        self._trees = _Copies(numbered, [m for m in moving if m.recursive])
        self._shared = _Copies(numbered, [m for m in moving if m.shared])
        self.rows.data[self._trees.target] = 0.0
        still = system.mass_blocks.copy()
        still[self._shared.source] = 0.0
        where = matrix.tocoo()
        constant = np.asarray(mass_matrix(system, still)[where.row, where.col]).ravel()
        self._constant = constant[self._shared.target]  # of other bodies at the same places

    def update(self, q: FloatArray) -> None:
        """The mass that multiplies accelerations at q; the rest is made when it is asked for."""
        self._q[:] = q
        self._stale = True
        for write in self._writes:
            write(q, self._blocks)
        self._own.copy(self._blocks, self.rows.data)
        self._add_shared(self.rows.data)

    def _add_shared(self, data: FloatArray) -> None:
        if len(self._shared.source):
            sum_entries(self._blocks, self._constant, self._shared.source, self._shared.target, data)

    def _refresh(self) -> None:
        if self._stale:
            for write in self._recursive:
                write(self._q, self._blocks)
            self._own.copy(self._blocks, self._whole.data)
            self._trees.copy(self._blocks, self._whole.data)
            self._add_shared(self._whole.data)
            self._step.renew_mass(self._blocks)
            self._stale = False

    def moved(self, q: FloatArray) -> None:
        """The mass was renewed elsewhere, last for coordinates near q: make it anew when it is asked for."""
        self._q[:] = q
        self._stale = True

    @property
    def buffer(self) -> FloatArray:
        """The mass blocks that compiled steps renew."""
        return self._blocks

    @property
    def row_arrays(self) -> tuple[Any, ...]:
        """The arguments of `copy_entries` for the mass that multiplies accelerations."""
        return self._blocks, self._own.source, self._own.target, self.rows.data

    @property
    def shared_arrays(self) -> tuple[Any, ...]:
        """The arguments of `sum_entries` for the same."""
        return self._blocks, self._constant, self._shared.source, self._shared.target, self.rows.data

    @property
    def step_arrays(self) -> tuple[Any, ...]:
        """The arguments of `renew_masses`."""
        return self._blocks, *self._step.moving

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


class _Copies:
    """Which entries of blocks go where in a sparse matrix, whose entries are ``numbered`` from 1."""

    def __init__(self, numbered: Any, moving: list[MovingBlocks]) -> None:
        source, target = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for blocks in moving:
            for dofs, offset in zip(blocks.dofs, blocks.offsets, strict=True):
                places = numbered[dofs][:, dofs].toarray().ravel().astype(np.int64) - 1
                there = np.flatnonzero(places >= 0)
                source.append(offset + there)
                target.append(places[there])
        self.source, self.target = np.concatenate(source), np.concatenate(target)

    def copy(self, blocks: FloatArray, data: FloatArray) -> None:
        """Entries that nothing else adds to."""
        data[self.target] = blocks[self.source]
