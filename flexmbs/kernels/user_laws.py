"""Kernels around functions of users that numba compiles: the texts that `flexmbs.dynamics.written_laws` completes.

``function``, ``derivatives``, ``output``, ``jacobian`` and ``update`` stand for compiled functions; what is written for
one model imports these under the same names, and has the text of one of the kernels here. They get copies of arrays, so
nothing that they do to their arguments reaches the state. Each kernel returns -1, or 0 where a value is not finite or
has not the shape that it should have; Python then finds out what is wrong.

Derivatives that are not given are central differences, with the steps that are taken for functions in Python.
"""

# ruff: noqa: SIM110  # kernels have loops

from __future__ import annotations

import math
from typing import Any, NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import exponential, matrix_quaternion, quaternion_matrix, quaternion_product
from flexmbs.core.values_of_functions import put, put_matrix
from flexmbs.kernels.row_forces import RowForceGroup, measure

__all__ = [
    "ActuatorLaw", "RowLaw", "StateLaw", "WrenchLaw", "actuator_law", "changed", "control_function", "control_output",
    "derivatives", "differ", "function", "jacobian", "moved", "output", "pull_wrenches", "row_law", "row_law_given",
    "state_block", "state_block_given", "state_rates", "state_rates_output", "take", "take_poses", "take_states",
    "turn_pose", "update", "wrench_block", "wrench_block_given", "wrench_law",
]  # fmt: skip

STEP, STATE_STEP = 3e-7, 3e-6
"""Steps of differences, relative to the larger of the argument and its size (`RowLaw.size`; 1 of states)."""


def function(*arguments: Any) -> Any:
    """What a user wrote; so are the next ones."""
    raise NotImplementedError


derivatives = output = jacobian = update = function


class RowLaw(NamedTuple):
    """``force``: number of a force on a row; ``row``: its row of ``given``; ``sign`` of what the function returns.

    ``size``: what the coordinate counts by.
    """

    force: int
    row: int
    sign: float
    size: float


class ActuatorLaw(NamedTuple):
    """``force, row`` as in `RowLaw`; ``number`` of the held value; ``low``, ``high``: limits of the force; ``size``."""

    force: int
    row: int
    number: int
    low: float
    high: float
    size: float


class StateLaw(NamedTuple):
    """First-order states of one item.

    ``places (n,)`` in v; ``x (n,)``, ``u (n_u,)``, ``f (n,)``, ``y (n_y,)``: scratch; ``read (n_u,)``: readings of its
    sensors; ``first``: number of the first value that it holds; ``offset``: of its block; ``idle (1,)``: whether held
    values stay as they are, and nothing is evaluated.
    """

    places: IntArray
    x: FloatArray
    u: FloatArray
    f: FloatArray
    y: FloatArray
    J: FloatArray
    read: FloatArray
    first: int
    offset: int
    idle: IntArray


class WrenchLaw(NamedTuple):
    """Wrenches on n markers by one function.

    ``markers (n,)``; ``offset``: of its block; ``p, R, twist``: what the function gets; ``W``, ``V (n, 6)``: wrenches;
    ``X, Y (6 n, 6 n)``: derivatives by poses and by twists; ``ptr``: rows of all markers;
    ``own (n,)``: where the coordinates of a marker begin in the block; ``size`` of the block; ``length`` of the model;
    ``q (4,)``: scratch.
    """

    markers: IntArray
    offset: int
    p: FloatArray
    R: FloatArray
    twist: FloatArray
    W: FloatArray
    V: FloatArray
    X: FloatArray
    Y: FloatArray
    ptr: IntArray
    own: IntArray
    size: int
    length: float
    q: FloatArray


# --- forces on rows ---------------------------------------------------------------------------------------------------


def row_law(law: RowLaw, forces: RowForceGroup, work: MarkerWork, env: Env, wanted: bool) -> int:
    """F(s, ds/dt, t) into ``given``, and, where ``wanted``, its derivatives."""
    measure(law.force, forces, work)
    s, rate, t, given = work.S[24, 0], work.S[25, 0], env.t, forces.given
    F, Fs, Fv = float(function(s, rate, t)), 0.0, 0.0
    if wanted:
        hs, hv = STEP * max(law.size, abs(s)), STEP * max(law.size, abs(rate))
        Fs = (float(function(s + hs, rate, t)) - float(function(s - hs, rate, t))) / (2.0 * hs)
        Fv = (float(function(s, rate + hv, t)) - float(function(s, rate - hv, t))) / (2.0 * hv)
    i = law.row
    given[i, 0], given[i, 1], given[i, 2], given[i, 3] = law.sign * F, law.sign * Fs, law.sign * Fv, 0.0
    return -1 if abs(F) + abs(Fs) + abs(Fv) < math.inf else 0


def row_law_given(law: RowLaw, forces: RowForceGroup, work: MarkerWork, env: Env, wanted: bool) -> int:
    """The same with derivatives by a function."""
    measure(law.force, forces, work)
    s, rate, t, given = work.S[24, 0], work.S[25, 0], env.t, forces.given
    F, Fs, Fv = float(function(s, rate, t)), 0.0, 0.0
    if wanted:
        by = derivatives(s, rate, t)
        if len(by) != 2:
            return 0
        Fs, Fv = float(by[0]), float(by[1])
    i = law.row
    given[i, 0], given[i, 1], given[i, 2], given[i, 3] = law.sign * F, law.sign * Fs, law.sign * Fv, 0.0
    return -1 if abs(F) + abs(Fs) + abs(Fv) < math.inf else 0


def actuator_law(
    law: ActuatorLaw, forces: RowForceGroup, work: MarkerWork, env: Env, held: FloatArray, wanted: bool
) -> int:
    """Minus the force of an actuator, F(value, s, ds/dt, t) within its limits, into ``given``, as `row_law`."""
    measure(law.force, forces, work)
    s, rate, t, given, value = work.S[24, 0], work.S[25, 0], env.t, forces.given, held[law.number]
    raw = float(function(value, s, rate, t))
    F, Fs, Fv = min(max(raw, law.low), law.high), 0.0, 0.0
    if wanted:
        hs, hv = STEP * max(law.size, abs(s)), STEP * max(law.size, abs(rate))
        up = min(max(float(function(value, s + hs, rate, t)), law.low), law.high)
        down = min(max(float(function(value, s - hs, rate, t)), law.low), law.high)
        Fs = (up - down) / (2.0 * hs)
        up = min(max(float(function(value, s, rate + hv, t)), law.low), law.high)
        down = min(max(float(function(value, s, rate - hv, t)), law.low), law.high)
        Fv = (up - down) / (2.0 * hv)
    i = law.row
    given[i, 0], given[i, 1], given[i, 2], given[i, 3] = -F, -Fs, -Fv, 0.0
    return -1 if abs(raw) + abs(Fs) + abs(Fv) < math.inf else 0


# --- first-order states -----------------------------------------------------------------------------------------------


@kernel
def take_states(law: StateLaw, v: FloatArray) -> None:
    """Copies of the states and of the readings."""
    for k in range(law.x.shape[0]):
        law.x[k] = v[law.places[k]]
    for k in range(law.u.shape[0]):
        law.u[k] = law.read[k]


@kernel
def changed(law: StateLaw, v: FloatArray) -> bool:
    """Whether a function has written to its arguments."""
    for k in range(law.x.shape[0]):
        if law.x[k] != v[law.places[k]]:
            return True
    for k in range(law.u.shape[0]):
        if law.u[k] != law.read[k]:
            return True
    return False


def state_rates(law: StateLaw, state: State, env: Env, held: FloatArray, r: FloatArray) -> int:
    """Rates f(x, u, t) of states into the residual; the first states are what is held for their actuators."""
    if law.idle[0] == 1:
        return -1
    take_states(law, state.v)
    for k in range(law.y.shape[0]):
        held[law.first + k] = law.x[k]
    if not put(function(law.x, law.u, env.t), law.f) or changed(law, state.v):
        return 0
    for k in range(law.f.shape[0]):
        if not abs(law.f[k]) < math.inf:
            return 0
        r[law.places[k]] -= law.f[k]
    return -1


def state_rates_output(law: StateLaw, state: State, env: Env, held: FloatArray, r: FloatArray) -> int:
    """The same where a function of (x, u, t) tells what is held."""
    if law.idle[0] == 1:
        return -1
    take_states(law, state.v)
    if not put(function(law.x, law.u, env.t), law.f) or changed(law, state.v):
        return 0
    if not put(output(law.x, law.u, env.t), law.y) or changed(law, state.v):
        return 0
    for k in range(law.f.shape[0]):
        if not abs(law.f[k]) < math.inf:
            return 0
        r[law.places[k]] -= law.f[k]
    for k in range(law.y.shape[0]):
        if not abs(law.y[k]) < math.inf:
            return 0
        held[law.first + k] = law.y[k]
    return -1


def state_block(law: StateLaw, state: State, env: Env, B: FloatArray, weights: tuple[float, float]) -> int:
    """Minus df/dx of states into their block, by differences; the readings are those of the rates."""
    n = law.x.shape[0]
    for j in range(n):
        h = STATE_STEP * max(1.0, abs(state.v[law.places[j]]))
        for side in range(2):
            take_states(law, state.v)
            law.x[j] += h if side == 0 else -h
            if not put(function(law.x, law.u, env.t), law.f):
                return 0
            for k in range(n):
                if side == 0:
                    law.J[k, j] = law.f[k]
                else:
                    law.J[k, j] = (law.J[k, j] - law.f[k]) / (2.0 * h)
    for k in range(n):
        for j in range(n):
            if not abs(law.J[k, j]) < math.inf:
                return 0
            B[law.offset + k * n + j] = -weights[1] * law.J[k, j]
    return -1


def state_block_given(law: StateLaw, state: State, env: Env, B: FloatArray, weights: tuple[float, float]) -> int:
    """The same with df/dx by a function."""
    n = law.x.shape[0]
    take_states(law, state.v)
    if not put_matrix(jacobian(law.x, law.u, env.t), law.J):
        return 0
    for k in range(n):
        for j in range(n):
            if not abs(law.J[k, j]) < math.inf:
                return 0
            B[law.offset + k * n + j] = -weights[1] * law.J[k, j]
    return -1


# --- wrenches ---------------------------------------------------------------------------------------------------------


def wrench_law(law: WrenchLaw, work: MarkerWork, env: Env, applied: FloatArray) -> int:
    """Minus the wrenches of a function (p, R, twist, t) into ``applied`` and ``W``."""
    take_poses(law, work)
    if not put_matrix(function(law.p, law.R, law.twist, env.t), law.W) or moved(law, work):
        return 0
    for n in range(law.markers.shape[0]):
        for k in range(6):
            if not abs(law.W[n, k]) < math.inf:
                return 0
            applied[law.markers[n], k] -= law.W[n, k]
            work.W[law.markers[n], k] -= law.W[n, k]
    return -1


def wrench_block(law: WrenchLaw, work: MarkerWork, env: Env, weights: tuple[float, float]) -> int:
    """Its block, by differences."""
    n = law.markers.shape[0]
    for column in range(12 * n):
        i, axis = (column % (6 * n)) // 6, column % 6
        rates = column >= 6 * n
        size = law.length if axis < 3 else 1.0
        if rates:
            h = STEP * max(size, abs(work.twist[law.markers[i], axis]))
        else:
            h = STEP * (max(size, abs(work.p[law.markers[i], axis])) if axis < 3 else 1.0)
        for side in range(2):
            d = h if side == 0 else -h
            take_poses(law, work)
            if rates:
                law.twist[i, axis] += d
            elif axis < 3:
                law.p[i, axis] += d
            else:
                turn_pose(law, i, axis - 3, d)
            if not put_matrix(function(law.p, law.R, law.twist, env.t), law.W if side == 0 else law.V):
                return 0
        for m in range(n):
            for k in range(6):
                value = (law.V[m, k] - law.W[m, k]) / (2.0 * h)
                if not abs(value) < math.inf:
                    return 0
                if rates:
                    law.Y[6 * m + k, 6 * i + axis] = value
                else:
                    law.X[6 * m + k, 6 * i + axis] = value
    pull_wrenches(law, work, weights)
    return -1


def wrench_block_given(law: WrenchLaw, work: MarkerWork, env: Env, weights: tuple[float, float]) -> int:
    """The same with derivatives by a function."""
    take_poses(law, work)
    by = jacobian(law.p, law.R, law.twist, env.t)
    if len(by) != 2 or not put_matrix(by[0], law.X) or not put_matrix(by[1], law.Y):
        return 0
    for k in range(law.X.shape[0]):
        for m in range(law.X.shape[0]):
            if not abs(law.X[k, m]) + abs(law.Y[k, m]) < math.inf:
                return 0
            law.X[k, m], law.Y[k, m] = -law.X[k, m], -law.Y[k, m]
    pull_wrenches(law, work, weights)
    return -1


@kernel
def take_poses(law: WrenchLaw, work: MarkerWork) -> None:
    """Poses and twists of the markers."""
    for n in range(law.markers.shape[0]):
        i = law.markers[n]
        for k in range(3):
            law.p[n, k] = work.p[i, k]
            for m in range(3):
                law.R[n, k, m] = work.R[i, k, m]
        for k in range(6):
            law.twist[n, k] = work.twist[i, k]


@kernel
def moved(law: WrenchLaw, work: MarkerWork) -> bool:
    """Whether a function has written to its arguments."""
    for n in range(law.markers.shape[0]):
        i = law.markers[n]
        for k in range(3):
            if law.p[n, k] != work.p[i, k]:
                return True
            for m in range(3):
                if law.R[n, k, m] != work.R[i, k, m]:
                    return True
        for k in range(6):
            if law.twist[n, k] != work.twist[i, k]:
                return True
    return False


@kernel
def turn_pose(law: WrenchLaw, i: int, axis: int, angle: float) -> None:
    """R exp(angle e~) of marker i."""
    a = exponential(
        angle if axis == 0 else 0.0, angle if axis == 1 else 0.0, angle if axis == 2 else 0.0
    )  # fmt: skip
    q = quaternion_product(matrix_quaternion(law.R, i), a)
    for k in range(4):
        law.q[k] = q[k]
    quaternion_matrix(law.q, 0, law.R, i)


@kernel
def pull_wrenches(law: WrenchLaw, work: MarkerWork, weights: tuple[float, float]) -> None:
    """The block J^T [wq (X Jc + Y (Jv)_q) + wv Y J]."""
    wq, wv = weights
    n, size, B = law.markers.shape[0], law.size, work.B
    for a in range(n):
        for b in range(n):
            first, other = law.markers[a], law.markers[b]
            for i in range(law.ptr[first], law.ptr[first + 1]):
                row = law.own[a] + i - law.ptr[first]
                for j in range(law.ptr[other], law.ptr[other + 1]):
                    value = 0.0
                    for k in range(6):
                        part = 0.0
                        for m in range(6):
                            X, Y = law.X[6 * a + k, 6 * b + m], law.Y[6 * a + k, 6 * b + m]
                            part += wq * (X * work.JcT[j, m] + Y * work.JvT[j, m]) + wv * Y * work.JT[j, m]
                        value += work.JT[i, k] * part
                    B[law.offset + row * size + law.own[b] + j - law.ptr[other]] = value


# --- controllers ------------------------------------------------------------------------------------------------------


def control_function(
    x: FloatArray, u: FloatArray, t: float, x_own: FloatArray, u_own: FloatArray, f: FloatArray, following: FloatArray
) -> int:
    """Output and next state of a sampled controller; 0 or 1 where one of them is not what it should be."""
    take(x, x_own)
    take(u, u_own)
    if not put(function(x_own, u_own, t), f) or differ(x, x_own) or differ(u, u_own):
        return 0
    if not put(update(x_own, u_own, t), following) or differ(x, x_own) or differ(u, u_own):
        return 1
    return -1


def control_output(
    x: FloatArray, u: FloatArray, t: float, x_own: FloatArray, u_own: FloatArray, f: FloatArray, following: FloatArray
) -> int:
    """The same for a controller whose state stays."""
    take(x, x_own)
    take(u, u_own)
    if not put(function(x_own, u_own, t), f) or differ(x, x_own) or differ(u, u_own):
        return 0
    take(x, following)
    return -1


@kernel
def take(a: FloatArray, own: FloatArray) -> None:
    """A copy, into the beginning of an array."""
    for k in range(a.shape[0]):
        own[k] = a[k]


@kernel
def differ(a: FloatArray, own: FloatArray) -> bool:
    """Whether a copy was written to."""
    for k in range(a.shape[0]):
        if a[k] != own[k]:
            return True
    return False
