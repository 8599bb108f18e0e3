"""Conditions of events that sensors tell: their values, and whether one may have passed its level in a compiled step.

Values are those of the sensors but for round-off. One that is near its level, or not finite, counts as passing: whether
an event has happened, and when, is found by `flexmbs.model.control.events.locate`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel

__all__ = ["QUANTITIES", "Conditions", "measure", "passing"]

QUANTITIES = ("position", "velocity", "angular velocity", "distance", "rate of distance")
POSITION, VELOCITY, SPIN, DISTANCE, RATE = range(len(QUANTITIES))
NEAR = 1e-9
"""Distance from the level, relative to what a value is summed up of, below which its sign is not believed."""


class Conditions(NamedTuple):
    """One row a condition: what is measured, of which marker, seen from which (-1: the inertial frame).

    ``direction (n, 3)``; ``sense``: 1 upwards, -1 downwards, 0 both; ``value (n,)``: value minus level at the last
    state that was looked at.
    """

    quantity: IntArray
    a: IntArray
    b: IntArray
    direction: FloatArray
    level: FloatArray
    sense: IntArray
    value: FloatArray


@kernel
def measure(table: Conditions, p: FloatArray, R: FloatArray, twist: FloatArray) -> None:
    """All values minus their levels, with the kinematics of the markers in place."""
    for n in range(table.quantity.shape[0]):
        table.value[n] = _measured(table, n, p, R, twist)[0] - table.level[n]


@kernel
def passing(table: Conditions, p: FloatArray, R: FloatArray, twist: FloatArray, first: int) -> bool:
    """Whether a condition may have passed its level since it was looked at last; ``first``: there is no last time."""
    found = False
    for n in range(table.quantity.shape[0]):
        value, size = _measured(table, n, p, R, twist)
        value -= table.level[n]
        near = NEAR * (size + abs(table.level[n]))
        if not abs(value) > near:
            found = True
        elif first == 0:
            before = table.value[n]
            if (before > 0.0) != (value > 0.0) and (table.sense[n] == 0 or (value > 0.0) == (table.sense[n] > 0)):
                found = True
        table.value[n] = value
    return found


@kernel
def _measured(table: Conditions, n: int, p: FloatArray, R: FloatArray, twist: FloatArray) -> tuple[float, float]:
    """A value, and the sum of the sizes of what it is summed up of."""
    kind, a, b = table.quantity[n], table.a[n], table.b[n]
    if kind >= DISTANCE:
        x, y, z = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], p[b, 2] - p[a, 2]
        length, size = math.sqrt(x * x + y * y + z * z), 0.0
        if kind == DISTANCE:
            for i in range(3):
                size += abs(p[a, i]) + abs(p[b, i])
            return length, size
        u, v, w = twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2]
        for i in range(3):
            size += abs(twist[a, i]) + abs(twist[b, i])
        return (x * u + y * v + z * w) / length, size
    # The direction in inertial axes; those of a spin without frame are the axes of its marker.
    value, size = 0.0, 0.0
    axes = a if kind == SPIN and b < 0 else b
    for i in range(3):
        along = table.direction[n, i]
        if axes >= 0:
            along = 0.0
            for k in range(3):
                along += R[axes, i, k] * table.direction[n, k]
        if kind == SPIN:
            part = R[a, i, 0] * twist[a, 3] + R[a, i, 1] * twist[a, 4] + R[a, i, 2] * twist[a, 5]
            size += abs(part)
        elif kind == POSITION:
            part = p[a, i] - (p[b, i] if b >= 0 else 0.0)
            size += abs(p[a, i]) + (abs(p[b, i]) if b >= 0 else 0.0)
        else:
            part = twist[a, i]
            if b >= 0:
                # R^T (v - v_F) - w_F x R^T (p - p_F), in inertial axes
                j, k = (i + 1) % 3, (i + 2) % 3
                wj = R[b, j, 0] * twist[b, 3] + R[b, j, 1] * twist[b, 4] + R[b, j, 2] * twist[b, 5]
                wk = R[b, k, 0] * twist[b, 3] + R[b, k, 1] * twist[b, 4] + R[b, k, 2] * twist[b, 5]
                turned = wj * (p[a, k] - p[b, k]) - wk * (p[a, j] - p[b, j])
                part -= twist[b, i] + turned
                size += abs(twist[b, i]) + abs(wj * p[a, k]) + abs(wj * p[b, k]) + abs(wk * p[a, j]) + abs(wk * p[b, j])
            size += abs(twist[a, i])
        value += along * part
    return value, size
