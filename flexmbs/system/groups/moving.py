"""Bodies whose mass changes with the state: what their groups have in common."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.model.forces.items import Items
from flexmbs.system.groups.contract import BodyGroup

__all__ = ["MovingBodies"]


class MovingBodies(BodyGroup):
    """All mass is in blocks that ``write`` renews; gravity depends on the place, so that the stages apply it."""

    def mass_from(self, start: int, end: int, q: FloatArray) -> FloatArray:
        """The mass at q in the blocks from ``start`` to ``end``."""
        blocks = np.zeros(end)
        self.write(q, blocks)
        return blocks[start:]

    @property
    def diagonal(self) -> tuple[IntArray, FloatArray]:
        """None: all mass is in the blocks."""
        return np.zeros(0, dtype=np.int64), np.zeros(0)

    def weights(self, acceleration: FloatArray, index: int) -> list[Items]:
        """None: the stages apply gravity."""
        return []
