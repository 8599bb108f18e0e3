"""Flexible bodies of surface elements: the middle surface, each element as a grid of flat triangles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.output.extent import natural_grid

if TYPE_CHECKING:
    from flexmbs.body import FlexibleBody
    from flexmbs.system import System

__all__ = ["Sheet"]

WANTED = 400
"""Squares of a body that make a surface look smooth; large elements are divided."""
MOST = 5


class Sheet:
    """The middle surface of a flexible body of quadrilaterals.

    Attributes
    ----------
    triangles : (m, 3) int array
    xi : (k, 2) array
        Natural coordinates of the points of an element, which are numbered element by element.
    """

    def __init__(self, system: System, body: FlexibleBody) -> None:
        self._element, self._group = body.element, system.group(body)
        n = 1 + int(np.clip(math.ceil(math.sqrt(WANTED / len(body.cells))), 1, MOST))
        self.xi = natural_grid(body, n)
        i, j = np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij")
        a = (i * n + j).ravel()
        squares = np.vstack((np.column_stack((a, a + n, a + n + 1)), np.column_stack((a, a + n + 1, a + 1))))
        starts = n * n * np.arange(len(body.cells))
        self.triangles: IntArray = (starts[:, None, None] + squares).reshape(-1, 3).astype(np.int64)

    def points(self, q: FloatArray) -> FloatArray:
        """Points (n, 3) at a state."""
        return np.asarray(self._element.positions(self._group, q, self.xi).reshape(-1, 3))
