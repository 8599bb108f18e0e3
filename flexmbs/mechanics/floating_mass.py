"""Masses that change with the state, of floating bodies and substructures, where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.mechanics.floating import floating_mass
from flexmbs.mechanics.mass import mass_matrix

if TYPE_CHECKING:
    from flexmbs.mechanics.build import Mechanics
    from flexmbs.mechanics.step_matrix import StepMatrix
    from flexmbs.system import System

__all__ = ["FloatingMass", "structure"]


def structure(system: System) -> FloatArray:
    """Mass blocks in which every entry that can differ from zero does."""
    blocks = system.mass_blocks
    if system.mechanics is None or not (system.mechanics.floating or system.mechanics.substructures):
        return blocks
    blocks = blocks.copy()
    for dofs, b1 in _changing(system.mechanics):
        n, k = dofs.shape
        part = blocks[b1 : b1 + n * k * k]
        part[:] = 1.0
    return blocks


class FloatingMass:
    """Writes the mass of floating bodies and substructures at given coordinates where it is used.

    ``matrix``: the mass matrix in compressed rows, with room for all entries; ``step``: the matrix of a step.
    """

    def __init__(self, system: System, matrix: Any, step: StepMatrix) -> None:
        assert system.mechanics is not None  # noqa: S101  # there are such bodies
        self.groups, self.substructures = system.mechanics.floating, system.mechanics.substructures
        self.blocks = system.mass_blocks.copy()
        self.data = matrix.data
        self.step = step
        numbered = matrix.copy()
        numbered.data = np.arange(1, len(matrix.data) + 1, dtype=np.float64)
        numbered = numbered.tocsr()
        source, target = [], []
        for every, b1 in _changing(system.mechanics):
            k = every.shape[1]
            for i, dofs in enumerate(every):
                source.append(b1 + i * k * k + np.arange(k * k))
                target.append(numbered[dofs][:, dofs].toarray().ravel().astype(np.int64) - 1)
        self.source, self.target = np.concatenate(source), np.concatenate(target)
        still = self.blocks.copy()
        still[self.source] = 0.0
        where = matrix.tocoo()
        self.constant = np.asarray(mass_matrix(system, still)[where.row, where.col]).ravel()

    def update(self, q: FloatArray) -> None:
        """The mass at q."""
        for group in self.groups:
            floating_mass(group, q, self.blocks)
        for shared in self.substructures:
            shared.mass(q, self.blocks)
        self.data[:] = self.constant
        add_entries(self.blocks, self.source, self.target, self.data)
        self.step.renew_mass(self.blocks)


def _changing(mechanics: Mechanics) -> list[tuple[IntArray, int]]:
    """Coordinates (n, k) and first block of all groups whose mass changes."""
    return [(g.dofs, g.b1) for g in mechanics.floating] + [(s.dofs, s.b1) for s in mechanics.substructures]


@kernel
def add_entries(blocks: FloatArray, source: IntArray, target: IntArray, data: FloatArray) -> None:
    """Add entries of blocks at their places; substructures overlap in the frames they share."""
    for i in range(source.shape[0]):
        data[target[i]] += blocks[source[i]]
