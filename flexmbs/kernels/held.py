"""Forces of actuators whose value is held: constant while a controller rests, whatever moves."""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel

__all__ = ["HeldGroup", "held_forces"]


class HeldGroup(NamedTuple):
    """Actuators without a law: ``number (n,)`` of the held value; ``low``, ``high``: limits of the force.

    ``row``: row of ``given`` of those that act on a row of two markers; ``place``: load factor of those that are
    wrenches; -1 where it is not that.
    """

    number: IntArray
    row: IntArray
    place: IntArray
    low: FloatArray
    high: FloatArray


@kernel
def held_forces(group: HeldGroup, held: FloatArray, given: FloatArray, scale: FloatArray) -> None:
    """The forces for the values ``held`` into ``given (n_given, 4)`` and the load factors ``scale``."""
    for i in range(group.number.shape[0]):
        force = held[group.number[i]]
        if force < group.low[i]:
            force = group.low[i]
        if force > group.high[i]:
            force = group.high[i]
        if group.row[i] >= 0:
            row = group.row[i]
            given[row, 0], given[row, 1], given[row, 2], given[row, 3] = -force, 0.0, 0.0, 0.0
        if group.place[i] >= 0:
            scale[group.place[i]] = force
