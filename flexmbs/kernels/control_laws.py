r"""The laws of sampled controllers: outputs and next states from states, readings and signals, at one sample.

=============  ======================================================  =============================================
law            next state, output                                      data
=============  ======================================================  =============================================
FEEDBACK       -; f = s_f - K (u - s_r)                                n_f, n_u, K (row by row); signals s_r, s_f
STATE_SPACE    x' = A x + B w; f = C x + D w, w = u or s - u           n_x, n_u, n_f, 1 with reference, A, B, C, D
COMMAND        -; f = s                                                n_f
PID            see `flexmbs.model.control.pid.PID`                     K_P, K_I, K_D, T, T_f, low, high, 1 with rate
FILTERED       z' = A z + B u, and the law behind with C z + D u       n_z, n_u, n_y, A, B, C, D, law, its data
CALLED         compiled functions of a user's                          number of the functions, n_u
ENTERED        functions in Python                                     -
=============  ======================================================  =============================================

`control_law` knows all but the last two: for CALLED `flexmbs.dynamics.written_laws` writes another one, and
`control_samples` enters Python for the last. The numbers of all controllers stand one after the other in ``data``;
states of a filter stand before those of what it filters for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.python_calls import PythonCalls, call_python

__all__ = [
    "CALLED",
    "COMMAND",
    "ENTERED",
    "FEEDBACK",
    "FILTERED",
    "PID",
    "STATE_SPACE",
    "ControlGroup",
    "control_law",
    "control_samples",
]

FEEDBACK, STATE_SPACE, COMMAND, PID, FILTERED, CALLED, ENTERED = range(7)


class ControlGroup(NamedTuple):
    """All controllers that have a law here.

    ``law (n,)``, ``data``, ``where (n,)``: where its numbers begin; ``x, f, d, u, s (n + 1,)``: where its states,
    outputs, outputs that wait, readings and signals begin, in the order of all controllers;
    ``reading (n_u,)``: places in the readings of all sensors; ``period, offset (n,)``: times of samples;
    ``entry (n,)``: numbers by which `call_python` has controllers evaluated in Python, from the states in ``seen`` at
    ``time (1,)``. ``u_own, seen, f_new, x_new, time``: scratch.
    """

    law: IntArray
    data: FloatArray
    where: IntArray
    x: IntArray
    f: IntArray
    d: IntArray
    u: IntArray
    s: IntArray
    reading: IntArray
    period: FloatArray
    offset: FloatArray
    time: FloatArray
    entry: IntArray
    u_own: FloatArray
    seen: FloatArray
    f_new: FloatArray
    x_new: FloatArray


@kernel
def control_samples(
    group: ControlGroup, due: IntArray, count: IntArray, u: FloatArray, signals: FloatArray, x: FloatArray,
    held: FloatArray, pending: FloatArray, python: PythonCalls, state: State, env: Env,
) -> tuple[int, int]:  # fmt: skip
    """One sample of the controllers with ``due (n,)``: new states, held values, values that wait, and ``count (n,)``.

    Sample k of a controller is at ``offset + k period``, its number k in ``count``. ``state, env`` are for Python.

    Returns the first controller whose output (2 n) or next state (2 n + 1) is not finite, with nothing changed, else
    -1; and whether a held value has changed (0 or 1).
    """
    n = group.law.shape[0]
    for i in range(n):
        if due[i] == 0:
            continue
        x0, x1, f0, f1, u0 = group.x[i], group.x[i + 1], group.f[i], group.f[i + 1], group.u[i]
        for k in range(u0, group.u[i + 1]):
            group.u_own[k - u0] = u[group.reading[k]]
        t = group.offset[i] + count[i] * group.period[i]
        if group.law[i] == ENTERED:
            for k in range(x0, x1):
                group.seen[k - x0] = x[k]
            group.time[0] = t
            bad = call_python(python, group.entry[i], state, env, (0.0, 0.0))
        else:
            bad = control_law(
                group.law[i], group.where[i], group.data, x[x0:x1], group.u_own, t,
                signals[group.s[i] : group.s[i + 1]], group.f_new[f0:f1], group.x_new[x0:x1], group.seen,
            )  # fmt: skip
        if bad >= 0:
            return 2 * i + bad, 0
        for k in range(f0, f1):
            if not abs(group.f_new[k]) < math.inf:
                return 2 * i, 0
        for k in range(x0, x1):
            if not abs(group.x_new[k]) < math.inf:
                return 2 * i + 1, 0
    changed = 0
    for i in range(n):
        if due[i] == 0:
            continue
        count[i] += 1
        for k in range(group.x[i], group.x[i + 1]):
            x[k] = group.x_new[k]
        f0, m, d0, waiting = group.f[i], group.f[i + 1] - group.f[i], group.d[i], group.d[i + 1] - group.d[i]
        for k in range(m):
            value = pending[d0 + k] if waiting > 0 else group.f_new[f0 + k]
            if value != held[f0 + k]:
                changed = 1
            held[f0 + k] = value
        for k in range(waiting):
            pending[d0 + k] = pending[d0 + m + k] if k + m < waiting else group.f_new[f0 + k + m - waiting]
    return -1, changed


@kernel
def control_law(
    law: int, j: int, data: FloatArray, x: FloatArray, u: FloatArray, t: float, signals: FloatArray, f: FloatArray,
    following: FloatArray, seen: FloatArray,
) -> int:  # fmt: skip
    """Outputs ``f`` and next states of one controller at t, whose numbers begin at j; filters overwrite ``u``.

    Returns -1. One for functions of a user's returns 0 or 1 where the outputs or the next states are not what they
    should be.
    """
    first = 0
    while law == FILTERED:
        n, m, k = int(data[j]), int(data[j + 1]), int(data[j + 2])
        _linear(n, m, k, j + 3, data, x, first, u, seen, following)
        for a in range(k):
            u[a] = seen[a]
        j += 3 + n * n + n * m + k * n + k * m
        first += n
        law = int(data[j])
        j += 1
    if law == FEEDBACK:
        n_f, n_u = int(data[j]), int(data[j + 1])
        for a in range(n_f):
            value = 0.0
            for b in range(n_u):
                value += data[j + 2 + a * n_u + b] * (u[b] - signals[b])
            f[a] = signals[n_u + a] - value
    elif law == STATE_SPACE:
        n, m, k = int(data[j]), int(data[j + 1]), int(data[j + 2])
        if data[j + 3] == 1.0:
            for b in range(m):
                u[b] = signals[b] - u[b]
        _linear(n, m, k, j + 4, data, x, first, u, f, following)
    elif law == COMMAND:
        for a in range(int(data[j])):
            f[a] = signals[a]
    elif law == PID:
        _pid(j, data, x, first, u, signals, f, following)
    return -1


@kernel
def _linear(
    n: int, m: int, k: int, A: int, data: FloatArray, x: FloatArray, first: int, u: FloatArray,
    y: FloatArray, following: FloatArray,
) -> None:  # fmt: skip
    """y = C x + D u (k,) and x' = A x + B u (n,), the matrices one after the other from A on."""
    B, C = A + n * n, A + n * n + n * m
    D = C + k * n
    for a in range(n):
        value = 0.0
        for b in range(n):
            value += data[A + a * n + b] * x[first + b]
        for b in range(m):
            value += data[B + a * m + b] * u[b]
        following[first + a] = value
    for a in range(k):
        value = 0.0
        for b in range(n):
            value += data[C + a * n + b] * x[first + b]
        for b in range(m):
            value += data[D + a * m + b] * u[b]
        y[a] = value


@kernel
def _pid(
    j: int, data: FloatArray, x: FloatArray, first: int, u: FloatArray, signals: FloatArray, f: FloatArray,
    following: FloatArray,
) -> None:  # fmt: skip
    """Proportional, integral and derivative action; states are I, D, the error before, and 1 once there was one."""
    integral, rate, before, begun = x[first], x[first + 1], x[first + 2], x[first + 3]
    period, filter_time, low, high = data[j + 3], data[j + 4], data[j + 5], data[j + 6]
    error = signals[0] - u[0]
    if data[j + 7] == 1.0:
        rate = data[j + 2] * (signals[1] - u[1])
    else:
        change = error - before if begun != 0.0 else 0.0
        rate = (filter_time * rate + data[j + 2] * change) / (filter_time + period)
    wanted = data[j] * error + integral + rate
    f[0] = min(max(wanted, low), high)
    growth = data[j + 1] * period * error
    if not ((wanted > high and growth > 0.0) or (wanted < low and growth < 0.0)):
        integral += growth
    following[first], following[first + 1], following[first + 2], following[first + 3] = integral, rate, error, 1.0
