"""A pair of shapes that may touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.kernels.rows.rows import contact_row_gradient

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.contacts.shapes import Shape
    from flexmbs.model.forces.row_force import RowForce

__all__ = ["ContactPair", "gap_of"]


class ContactPair(NamedTuple):
    """Two shapes that may touch, the side A first, and the force between their markers."""

    a: Shape
    b: Shape
    force: RowForce

    def __str__(self) -> str:
        return f"{self.a} and {self.b}"


def gap_of(pair: ContactPair, p: FloatArray, R: FloatArray) -> float:
    """The gap of a pair with its markers at p (2, 3) and R (2, 3, 3)."""
    row = pair.force.rows[0]
    c = np.zeros((1, 12))
    c[0, : len(row.constants)] = row.constants
    found = contact_row_gradient(row.kind, 0, c, 0, 1, p, R, np.zeros((1, 12)), 0)
    return float(found) - pair.force.data[0]
