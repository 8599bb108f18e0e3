"""Flexible bodies of surface elements: the middle surface, each element as a grid of flat triangles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.visualization.sampling import facets

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.system.system import System

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
        pieces = int(np.clip(math.ceil(math.sqrt(WANTED / len(body.cells))), 1, MOST))
        self.xi = body.natural(pieces + 1)
        starts = len(self.xi) * np.arange(len(body.cells))
        squares = (starts[:, None, None] + facets(pieces)).reshape(-1, 4)
        self.triangles: IntArray = np.vstack((squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]))

    def points(self, q: FloatArray) -> FloatArray:
        """Points (n, n_p, 3) at states (n, n_q)."""
        places = [self._element.positions(self._group, np.ascontiguousarray(row), self.xi) for row in q]
        return np.array(places).reshape(len(q), -1, 3)
