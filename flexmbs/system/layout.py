"""Order of the unknowns, pattern of the matrix and places of the entries: what models of one structure share.

None of it depends on values. Models of a family differ in numbers, so that it is found once and compared afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from flexmbs.core import sparsity
from flexmbs.core.checks import write_protected
from flexmbs.core.contracts import IntArray
from flexmbs.core.sparsity import Blocks, Pattern

__all__ = ["Layout", "Layouts", "layouts_kept", "shared_layouts"]

T = TypeVar("T")

MOST = 4
"""Layouts that are kept: choices of a family may change the structure. As many are kept of what follows from one."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Where everything of a system lies in its matrix.

    ``blocks``: coordinates and places of the blocks of all items, in a buffer of ``size`` numbers; ``node_of``: node or
    body of each velocity; ``moves``: which velocities are unknown; ``n_c``: number of constraints. All else follows:
    ``free``, the entries of (v, multipliers) in the order of the unknowns, ``unknown``, the reverse, ``half_band``
    of all but the last ``border`` unknowns, ``pattern``, and row and column of every entry of the buffer.
    """

    blocks: tuple[Blocks, ...]
    node_of: IntArray
    moves: NDArray[np.bool_]
    n_c: int
    size: int
    free: IntArray
    half_band: int
    border: int
    unknown: IntArray
    pattern: Pattern
    entry_rows: IntArray
    entry_columns: IntArray
    _found: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Which entries of the buffer have a place in the matrix."""
        return (self.entry_rows >= 0) & (self.entry_columns >= 0)

    def once(self, find: Callable[..., T], *of: Hashable) -> T:
        """``find(layout, *of)``, which depends on nothing else: kept for the next system of this layout.

        The last `MOST` results are kept.
        """
        key = (find, *of)
        found = self._found.get(key)
        if found is None:
            found = find(self, *of)
            for oldest in [*self._found][: 1 - MOST]:
                self._found.pop(oldest, None)  # another thread may have done it
            self._found[key] = found
        return cast(T, found)

    @classmethod
    def of(cls, blocks: list[Blocks], node_of: IntArray, moves: NDArray[np.bool_], n_c: int, size: int) -> Layout:
        """Find the order, and what follows from it."""
        free, half_band, border = sparsity.saddle_order(blocks, node_of, np.flatnonzero(moves), n_c)
        unknown = np.full(len(node_of) + n_c, -1, dtype=np.int64)
        unknown[free] = np.arange(len(free))
        pattern = Pattern.of(blocks, unknown, len(free))
        rows, columns = sparsity.entries(blocks, unknown, size)
        write_protected(rows, columns, unknown, pattern.indptr, pattern.indices)
        return cls(tuple(blocks), node_of, moves, n_c, size, free, half_band, border, unknown, pattern, rows, columns)

    def suits(
        self, blocks: list[Blocks], node_of: IntArray, moves: NDArray[np.bool_], n_c: int, size: int
    ) -> bool:  # fmt: skip
        """Whether another system has the same structure, so that `of` would find the same."""
        return (
            (self.n_c, self.size, len(self.blocks)) == (n_c, size, len(blocks))
            and _same(self.node_of, node_of)
            and _same(self.moves, moves)
            and all(
                mine.b1 == other.b1 and _same(mine.dofs, other.dofs)
                for mine, other in zip(self.blocks, blocks, strict=True)
            )
        )


def _same(mine: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays of whole numbers or flags, of one type, are equal: by their bytes, as most are short."""
    return mine is other or (mine.shape == other.shape and mine.tobytes() == other.tobytes())


class Layouts:
    """The layouts that were found last; ``renewed`` counts the systems that took one, ``found`` those that did not."""

    def __init__(self) -> None:
        self.renewed = self.found = 0
        self._kept: list[Layout] = []

    def of(self, blocks: list[Blocks], node_of: IntArray, moves: NDArray[np.bool_], n_c: int, size: int) -> Layout:
        """One that suits, or a new one."""
        for layout in self._kept:
            if layout.suits(blocks, node_of, moves, n_c, size):
                self.renewed += 1
                return layout
        self.found += 1
        layout = Layout.of(blocks, node_of, moves, n_c, size)
        self._kept = [layout, *self._kept[: MOST - 1]]
        return layout

    @classmethod
    def holding(cls, layout: Layout) -> Layouts:
        """Those that begin with a given one."""
        made = cls()
        made._kept.append(layout)
        return made


_SHARED: ContextVar[Layouts | None] = ContextVar("layouts", default=None)


def shared_layouts() -> Layouts:
    """The layouts of the family that is being analysed; without one, none."""
    return _SHARED.get() or Layouts()


@contextmanager
def layouts_kept(layouts: Layouts) -> Iterator[None]:
    """Systems compiled within take layouts that suit, and leave theirs for the next."""
    token = _SHARED.set(layouts)
    try:
        yield
    finally:
        _SHARED.reset(token)
