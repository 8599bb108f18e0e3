"""The mass of floating bodies and trees, which changes with their state, in the mass matrix and in that of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.mechanics.floating import floating_mass
from flexmbs.trees.dynamics import tree_mass

if TYPE_CHECKING:
    from flexmbs.mechanics.build import Mechanics
    from flexmbs.mechanics.step_matrix import StepMatrix
    from flexmbs.system import System

__all__ = ["MovingMass", "mass_moves", "structure"]


def mass_moves(mechanics: Mechanics | None) -> bool:
    """Whether the mass matrix depends on the state."""
    return mechanics is not None and bool(mechanics.floating or len(mechanics.trees.kind))


def structure(system: System) -> FloatArray:
    """Mass blocks in which every entry that can differ from zero does."""
    blocks = system.mass_blocks
    m = system.mechanics
    if m is None or not mass_moves(m):
        return blocks
    blocks = blocks.copy()
    for group in m.floating:
        n, k = group.dofs.shape
        part = blocks[group.b1 : group.b1 + n * k * k]
        part[part == 0.0] = 1.0
    for o, places in zip(m.trees.blk, system.coordinates.trees, strict=True):
        related = places.related()
        part = blocks[o : o + related.size]
        part[:] = np.where(part == 0.0, related.ravel(), part)
    return blocks


class MovingMass:
    """Writes the mass of floating bodies and trees at given coordinates where it is used.

    ``matrix``: the mass matrix in compressed rows, with room for all entries; ``step``: the matrix of a step.
    """

    def __init__(self, system: System, matrix: Any, step: StepMatrix) -> None:
        assert system.mechanics is not None  # noqa: S101  # there are such bodies
        self.floating, self.trees = system.mechanics.floating, system.mechanics.trees
        self.blocks = system.mass_blocks.copy()
        self.data = matrix.data
        self.step = step
        numbered = matrix.copy()
        numbered.data = np.arange(1, len(matrix.data) + 1, dtype=np.float64)
        numbered = numbered.tocsr()
        source, target = [], []

        def add(dofs: IntArray, offset: int) -> None:
            k = len(dofs)
            places = numbered[dofs][:, dofs].toarray().ravel().astype(np.int64) - 1
            there = np.flatnonzero(places >= 0)
            source.append(offset + np.arange(k * k)[there])
            target.append(places[there])

        for group in self.floating:
            k = group.dofs.shape[1]
            for i, dofs in enumerate(group.dofs):
                add(dofs, group.b1 + i * k * k)
        for o, places in zip(self.trees.blk, system.coordinates.trees, strict=True):
            add(places.dof, int(o))
        self.source, self.target = np.concatenate(source), np.concatenate(target)

    def update(self, q: FloatArray) -> None:
        """The mass at q."""
        for group in self.floating:
            floating_mass(group, q, self.blocks)
        if len(self.trees.kind):
            tree_mass(self.trees, q, self.blocks)
        self.data[self.target] = self.blocks[self.source]
        self.step.renew_mass(self.blocks)
