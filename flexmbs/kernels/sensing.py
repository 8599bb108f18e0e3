r"""What sensors of sampled controllers read of the markers in place, the state and the held values.

With the position p, velocity v, acceleration a, orientation R and angular velocity w of a marker, and those of a frame
of observation F (`flexmbs.model.control.sensors`):

.. math:: p' = R_F^T (p - p_F), \qquad v' = R_F^T (v - v_F) - w_F \times p', \qquad a' = R_F^T (a - g)
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.rows.rows import row_gradient

__all__ = [
    "ACCELERATION",
    "ANGULAR_VELOCITY",
    "COORDINATE",
    "DISTANCE",
    "HELD",
    "MULTIPLIER",
    "POSITION",
    "RATE",
    "ROW",
    "VELOCITY",
    "SensorGroup",
    "follow_turns",
    "read_sensors",
]  # fmt: skip

ROW, POSITION, VELOCITY, ACCELERATION, ANGULAR_VELOCITY, DISTANCE, MULTIPLIER, COORDINATE, RATE, HELD = range(10)


class SensorGroup(NamedTuple):
    """All sensors, in the order of their numbers in u.

    ``what (n,)``: of the list above; ``out``: where its numbers begin in u; ``a``, ``b``: numbers of its markers (of
    the marker and its frame, -1 without), or ``a`` the place in q, v, the multipliers or the held values; ``rate``: 1
    where the rate is read; ``along``: 1 where ``data[:3]`` is a direction; ``data (n, 6)``: direction, and gravity;
    ``kind, c, near``: of a row; ``noise``: place of the first of its errors among the signals, -1 without; ``ptr,
    dof``: rows of the markers and their coordinates; ``S (1, 12)``: scratch.
    """

    what: IntArray
    out: IntArray
    a: IntArray
    b: IntArray
    rate: IntArray
    along: IntArray
    data: FloatArray
    kind: IntArray
    c: FloatArray
    near: FloatArray
    noise: IntArray
    ptr: IntArray
    dof: IntArray
    S: FloatArray


@kernel
def follow_turns(group: SensorGroup, work: MarkerWork) -> None:
    """After an accepted step: angles are counted from their present values."""
    for i in range(group.what.shape[0]):
        if group.what[i] == ROW:
            group.near[i] = row_gradient(
                group.kind[i], i, group.c, group.near, group.a[i], group.b[i], work.p, work.R, group.S, 0
            )  # fmt: skip


@kernel
def read_sensors(
    group: SensorGroup, state: State, held: FloatArray, signals: FloatArray, work: MarkerWork, u: FloatArray
) -> int:
    """The readings into ``u``; the first sensor whose reading is not finite, or -1."""
    for i in range(group.what.shape[0]):
        what, a, b, o = group.what[i], group.a[i], group.b[i], group.out[i]
        count = 1
        if what == ROW:
            value = row_gradient(group.kind[i], i, group.c, group.near, a, b, work.p, work.R, group.S, 0)
            if group.rate[i] == 1:
                value = 0.0
                for k in range(6):
                    value += group.S[0, k] * work.twist[a, k] + group.S[0, 6 + k] * work.twist[b, k]
            u[o] = value
        elif what == DISTANCE:
            u[o] = _distance(a, b, group.rate[i], work)
        elif what == MULTIPLIER:
            u[o] = state.lam[a]
        elif what == COORDINATE:
            u[o] = state.q[a]
        elif what == RATE:
            u[o] = state.v[a]
        elif what == HELD:
            u[o] = held[a]
        else:
            x, y, z = _vector(i, what, group, state, work)
            if group.along[i] == 1:
                u[o] = group.data[i, 0] * x + group.data[i, 1] * y + group.data[i, 2] * z
            else:
                count = 3
                u[o], u[o + 1], u[o + 2] = x, y, z
        for k in range(count):
            if group.noise[i] >= 0:
                u[o + k] += signals[group.noise[i] + k]
            if not abs(u[o + k]) < math.inf:
                return i
    return -1


@kernel
def _distance(a: int, b: int, rate: int, work: MarkerWork) -> float:
    """Distance of two markers, or its rate: NaN where they meet."""
    square = speed = 0.0
    for k in range(3):
        d = work.p[b, k] - work.p[a, k]
        square += d * d
        speed += d * (work.twist[b, k] - work.twist[a, k])
    length = math.sqrt(square)
    if rate == 0:
        return length
    return speed / length if length > 0.0 else math.nan


@kernel
def _vector(i: int, what: int, group: SensorGroup, state: State, work: MarkerWork) -> tuple[float, float, float]:
    """A vector of marker a in the axes of frame b, or in inertial ones."""
    a, b, data = group.a[i], group.b[i], group.data
    p, R, twist = work.p, work.R, work.twist
    if what == ANGULAR_VELOCITY:
        x, y, z = twist[a, 3], twist[a, 4], twist[a, 5]
        if b < 0:
            return x, y, z
        x, y, z = (
            R[a, 0, 0] * x + R[a, 0, 1] * y + R[a, 0, 2] * z,
            R[a, 1, 0] * x + R[a, 1, 1] * y + R[a, 1, 2] * z,
            R[a, 2, 0] * x + R[a, 2, 1] * y + R[a, 2, 2] * z,
        )
        return _turned_back(R, b, x, y, z)
    if what == ACCELERATION:
        x, y, z = 0.0, 0.0, 0.0
        for k in range(group.ptr[a], group.ptr[a + 1]):
            acceleration, velocity = state.a[group.dof[k]], state.v[group.dof[k]]
            x += work.JT[k, 0] * acceleration + work.JvT[k, 0] * velocity
            y += work.JT[k, 1] * acceleration + work.JvT[k, 1] * velocity
            z += work.JT[k, 2] * acceleration + work.JvT[k, 2] * velocity
        x, y, z = x - data[i, 3], y - data[i, 4], z - data[i, 5]
        return (x, y, z) if b < 0 else _turned_back(R, b, x, y, z)
    x, y, z = p[a, 0], p[a, 1], p[a, 2]
    if b >= 0:
        x, y, z = _turned_back(R, b, x - p[b, 0], y - p[b, 1], z - p[b, 2])
    if what == POSITION:
        return x, y, z
    if b < 0:
        return twist[a, 0], twist[a, 1], twist[a, 2]
    wx, wy, wz = twist[b, 3], twist[b, 4], twist[b, 5]
    vx, vy, vz = _turned_back(
        R, b, twist[a, 0] - twist[b, 0], twist[a, 1] - twist[b, 1], twist[a, 2] - twist[b, 2]
    )  # fmt: skip
    return vx - (wy * z - wz * y), vy - (wz * x - wx * z), vz - (wx * y - wy * x)


@kernel
def _turned_back(R: FloatArray, b: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """R_b^T (x, y, z)."""
    return (
        R[b, 0, 0] * x + R[b, 1, 0] * y + R[b, 2, 0] * z,
        R[b, 0, 1] * x + R[b, 1, 1] * y + R[b, 2, 1] * z,
        R[b, 0, 2] * x + R[b, 1, 2] * y + R[b, 2, 2] * z,
    )
