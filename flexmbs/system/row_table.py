"""The rows of pairs of markers, as the columns that joints and forces between markers share."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.kernels.rows.rows import ANGLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Row
    from flexmbs.system.marker_set import MarkerSet

__all__ = ["RowTable", "constants_of", "padded"]

CONSTANTS = (0.0,) * 12


def constants_of(rows: Sequence[tuple[float, ...]]) -> FloatArray:
    """The constants (n, 12) of rows, `padded` already: flat at first, which numpy takes in a third of the time."""
    return np.fromiter(chain.from_iterable(rows), np.float64, 12 * len(rows)).reshape(-1, 12)


def padded(constants: tuple[float, ...]) -> tuple[float, ...]:
    """The constants of a row as they stand in a table, zeros behind them."""
    return (*constants, *CONSTANTS[len(constants) :])


class RowTable:
    """Rows of pairs as columns; ``add_block`` makes room for the block of a pair and returns its offset."""

    def __init__(self, markers: MarkerSet, add_block: Callable[[IntArray], int]) -> None:
        self.markers, self.add_block = markers, add_block
        self.a: list[int] = []
        self.b: list[int] = []
        self.ptr = [0]
        self.off: list[int] = []
        self.order: list[int] = []
        self.kind: list[int] = []
        self.constants: list[tuple[float, ...]] = []
        self.near: list[float] = []
        self.factor: list[float] = []

    def add(self, a: Marker, b: Marker, rows: list[Row], equations: list[int]) -> None:
        """One pair; ``equations`` are further coordinates of its block: places of equations, or of a state."""
        i, k = self.markers.number[a], self.markers.number[b]
        ptr, dof = self.markers.ptr, self.markers.dof
        dofs = np.concatenate((dof[ptr[i] : ptr[i + 1]], dof[ptr[k] : ptr[k + 1]], np.array(equations, dtype=np.int64)))
        self.a.append(i)
        self.b.append(k)
        self.off.append(self.add_block(dofs))
        self.order.append(len(dofs))
        for row in rows:
            self.kind.append(row.kind)
            self.constants.append(padded(row.constants))
            self.near.append(0.0)
            self.factor.append(row.factor)
        self.ptr.append(len(self.kind))

    def columns(self) -> dict[str, Any]:
        """The arrays that joints and forces have in common, by the names of their groups."""
        ints = {"mA": self.a, "mB": self.b, "ptr": self.ptr, "off": self.off, "order": self.order}
        found: dict[str, Any] = {name: np.array(values, dtype=np.int64) for name, values in ints.items()}
        found["kind"] = numbers_of_kinds(self.kind, ANGLE)
        found["c"] = constants_of(self.constants)
        found["near"] = np.array(self.near, dtype=np.float64)
        found["factor"] = np.array(self.factor, dtype=np.float64)
        return found
