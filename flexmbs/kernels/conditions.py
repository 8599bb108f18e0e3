"""Conditions of events, whose values sensors tell: whether one has passed its level since it was looked at last."""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel

__all__ = ["Conditions", "passing"]


class Conditions(NamedTuple):
    """One row a condition.

    ``reading``: its place among the readings; ``level``; ``sense``: 1 upwards, -1 downwards, 0 both; ``value``: reading
    minus level when it was looked at last; all (n,).
    """

    reading: IntArray
    level: FloatArray
    sense: IntArray
    value: FloatArray


@kernel
def passing(table: Conditions, u: FloatArray, first: int) -> bool:
    """Whether a condition is at its level, or has passed it since the last call; ``first``: there was none.

    These are the cases in which `flexmbs.model.control.events.locate` has something to find, or to remember.
    """
    found = False
    for n in range(table.reading.shape[0]):
        value, before = u[table.reading[n]] - table.level[n], table.value[n]
        if value == 0.0:
            found = True
        elif first == 0 and (before > 0.0) != (value > 0.0):
            found = found or table.sense[n] == 0 or (value > 0.0) == (table.sense[n] > 0)
        table.value[n] = value
    return found
