"""The laws of scalar forces: F(s, sdot, t) with its derivatives and its potential, one kernel for all of them.

A scalar force acts on one row s of two markers (`flexmbs.model.joints.contracts.Row`). Its wrenches are F times the
gradient of s and enter the residual like the derivative of a potential: a positive F pulls s down. Laws:

========  =================================================================  ======================================
law       F                                                                  data
========  =================================================================  ======================================
LINEAR    k (s - s0) + c sdot + F0                                           k, s0, c, F0
CURVES    f(s - s0) + g(sdot) + F0, f and g polynomials or splines           s0, F0, length of f, f, g
STOP      k d^n (1 + c ddot) >= 0 beyond upper, the negative beyond lower    k, n, c, lower, upper
FRICTION  (Fc + (Fs - Fc) exp(-(sdot/v1)^2)) tanh(sdot/v0) + c sdot          Fc, Fs, v1, v0, c
GIVEN     what Python wrote into ``given``                                   row of ``given``
MATRIX    K (s - s0) + C sdot + F0 over n rows: `matrix_law`                 n, K (n*n), C (n*n), s0 (n), F0 (n)
BRISTLE   k0 z + k1 dz/dt + c sdot with a state z: `bristle_law`             k0, k1, c, Fc, Fs, v1, z0
CONTACT   on rows of contact alone: `flexmbs.kernels.contact_laws`
LATCH     z (k (s - a) + c sdot) with a state z: `latch_law`                 k, c, a, side, w, tau
========  =================================================================  ======================================

In STOP d is the depth beyond the limit. A part f or g is either ``n, k_1 .. k_n`` (polynomial k_1 x + k_2 x^2 + ...) or
``-n, x (n), coefficients (n - 1, 4) ascending, integrals (n)`` (spline, continued by straight lines).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

__all__ = [
    "BRISTLE",
    "CONTACT",
    "CURVES",
    "FRICTION",
    "GIVEN",
    "LATCH",
    "LINEAR",
    "MATRIX",
    "STOP",
    "curve_part",
    "friction_law",
    "law",
    "matrix_law",
    "power_part",
    "state_law",
]

LINEAR = 0
CURVES = 1
STOP = 2
FRICTION = 3
GIVEN = 4
MATRIX = 5
BRISTLE = 6
CONTACT = 7
LATCH = 8

Four = tuple[float, float, float, float]
Three = tuple[float, float, float]
Nine = tuple[float, float, float, float, float, float, float, float, float]
CAUGHT = 0.1
"""The part of its way from which on a latch closes wherever the coordinate is."""


@kernel
def law(kind: int, j: int, data: FloatArray, s: float, sdot: float, t: float, given: FloatArray) -> Four:
    """Force, its derivatives by s and by sdot, and its potential energy.

    Parameters
    ----------
    kind : int
        One of the laws above but MATRIX, CONTACT and those with a state, for which the force is NaN.
    j : int
        Where the numbers of this force begin in ``data``.
    data : (n,) array
        The numbers of all forces, one after the other.
    s, sdot, t : float
        Row, its rate, time.
    given : (n_given, 4) array
        Force, derivatives and energy of the forces that are functions in Python, at this s, sdot and t.
    """
    if kind == LINEAR:
        x = s - data[j + 1]
        k, c, preload = data[j], data[j + 2], data[j + 3]
        return k * x + c * sdot + preload, k, c, (0.5 * k * x + preload) * x
    if kind == CURVES:
        x = s - data[j]
        f, f_x, energy = _part(j + 3, data, x)
        g, g_x, _ = _part(j + 3 + int(data[j + 2]), data, sdot)
        return f + g + data[j + 1], f_x, g_x, energy + data[j + 1] * x
    if kind == STOP:
        return _stop(j, data, s, sdot)
    if kind == FRICTION:
        return friction_law(j, data, sdot)
    if kind == GIVEN:
        row = int(data[j])
        return given[row, 0], given[row, 1], given[row, 2], given[row, 3]
    return math.nan, 0.0, 0.0, 0.0


@kernel
def _stop(j: int, data: FloatArray, s: float, sdot: float) -> Four:
    """One-sided contact at either limit; never pulls."""
    k, n, c = data[j], data[j + 1], data[j + 2]
    if s > data[j + 4]:
        sign, depth = 1.0, s - data[j + 4]
    elif s < data[j + 3]:
        sign, depth = -1.0, data[j + 3] - s
    else:
        return 0.0, 0.0, 0.0, 0.0
    force = k * depth**n
    energy = force * depth / (n + 1.0)
    factor = 1.0 + c * sign * sdot
    if factor <= 0.0:
        return 0.0, 0.0, 0.0, energy
    return sign * force * factor, n * force / depth * factor, c * force, energy


@kernel
def friction_law(j: int, data: FloatArray, sdot: float) -> Four:
    """Regularised dry friction with a falling characteristic, and viscous friction."""
    slide, extra, v1, v0, c = data[j], data[j + 1] - data[j], data[j + 2], data[j + 3], data[j + 4]
    bump = extra * np.exp(-((sdot / v1) ** 2))
    turn = np.tanh(sdot / v0)
    slope = (slide + bump) * (1.0 - turn * turn) / v0 - 2.0 * sdot / (v1 * v1) * bump * turn
    return (slide + bump) * turn + c * sdot, 0.0, slope + c, 0.0


@kernel
def _part(o: int, data: FloatArray, x: float) -> Three:
    """Value, slope and integral of a polynomial or a spline."""
    n = int(data[o])
    value, slope, integral = 0.0, 0.0, 0.0
    if n >= 0:
        for i in range(n, 0, -1):
            k = data[o + i]
            slope = slope * x + i * k
            value = (value + k) * x
            integral = integral * x + k / (i + 1.0)
        return value, slope, integral * x * x
    n = -n
    first, table = o + 1, o + 1 + n
    total = table + 4 * (n - 1)
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if data[first + middle] <= x:
            low = middle
        else:
            high = middle
    h = x - data[first + low]
    past = 0.0
    if x < data[first]:
        past, h = h, 0.0
    elif x > data[first + n - 1]:
        past = x - data[first + n - 1]
        h = data[first + n - 1] - data[first + low]
    p = table + 4 * low
    value = data[p] + h * (data[p + 1] + h * (data[p + 2] + h * data[p + 3]))
    slope = data[p + 1] + h * (2.0 * data[p + 2] + 3.0 * h * data[p + 3])
    integral = data[total + low] + h * (
        data[p] + h * (data[p + 1] / 2.0 + h * (data[p + 2] / 3.0 + h * data[p + 3] / 4.0))
    )
    return value + slope * past, slope, integral + past * (value + 0.5 * slope * past)


@kernel
def matrix_law(j: int, data: FloatArray, s: FloatArray, sdot: FloatArray, F: FloatArray) -> float:
    """F = K (s - s0) + C sdot + F0 into ``F (n,)``; returns the energy.

    ``n = int(data[j])``; K begins at ``j + 1``, C at ``j + 1 + n*n``, both row by row.
    """
    n = int(data[j])
    K, C = j + 1, j + 1 + n * n
    s0 = C + n * n
    energy = 0.0
    for a in range(n):
        elastic, damping = 0.0, 0.0
        for b in range(n):
            elastic += data[K + a * n + b] * (s[b] - data[s0 + b])
            damping += data[C + a * n + b] * sdot[b]
        preload = data[s0 + n + a]
        F[a] = elastic + damping + preload
        energy += (0.5 * elastic + preload) * (s[a] - data[s0 + a])
    return energy


@kernel
def state_law(kind: int, j: int, data: FloatArray, s: float, sdot: float, z: float) -> Nine:
    """Laws with a state z: (F, F_s, F_sdot, F_z, zdot, zdot_s, zdot_sdot, zdot_z, energy)."""
    if kind == LATCH:
        return latch_law(j, data, s, sdot, z)
    return bristle_law(j, data, z, sdot)


@kernel
def bristle_law(j: int, data: FloatArray, z: float, sdot: float) -> Nine:
    """Bristle of deflection z, as `state_law`.

    dz/dt = u (1 - a |z|/z1) with u = sdot and the deflection z1 = (Fc + (Fs - Fc) exp(-(u/v1)^2)) / k0 of sliding. The
    slip a is 0 up to |z| = z0 and where z opposes u, 1 beyond z1, and between 1/2 + 1/2 sin(pi (|z| - m)/(z1 - z0)),
    m = (z0 + z1)/2.
    """
    k0, k1, c, slide = data[j], data[j + 1], data[j + 2], data[j + 3]
    v1, z0 = data[j + 5], data[j + 6]
    rate, rate_z, rate_u = sdot, 0.0, 1.0
    depth = abs(z)
    if z * sdot > 0.0 and depth > z0:
        bump = (data[j + 4] - slide) * math.exp(-((sdot / v1) ** 2))
        z1 = (slide + bump) / k0
        z1_u = -2.0 * sdot / (v1 * v1) * bump / k0
        slip, slip_z, slip_z1 = 1.0, 0.0, 0.0
        if depth < z1:
            width = z1 - z0
            angle = math.pi * (depth - 0.5 * (z0 + z1)) / width
            slip = 0.5 + 0.5 * math.sin(angle)
            slip_z = 0.5 * math.cos(angle) * math.pi / width
            slip_z1 = slip_z * (z0 - depth) / width
        sign = 1.0 if z > 0.0 else -1.0
        rate = sdot * (1.0 - slip * depth / z1)
        rate_z = -sdot * sign * (slip_z * depth + slip) / z1
        rate_u = 1.0 - slip * depth / z1 - sdot * depth * (slip_z1 - slip / z1) / z1 * z1_u
    force, energy = k0 * z + k1 * rate + c * sdot, 0.5 * k0 * z * z
    return force, 0.0, k1 * rate_u + c, k0 + k1 * rate_z, rate, 0.0, rate_u, rate_z, energy


@kernel
def _smooth_step(x: float) -> tuple[float, float]:
    """0 below 0, 1 above 1, 3 x^2 - 2 x^3 between; with its slope."""
    if x <= 0.0:
        return 0.0, 0.0
    if x >= 1.0:
        return 1.0, 0.0
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x)


@kernel
def latch_law(j: int, data: FloatArray, s: float, sdot: float, z: float) -> Nine:
    """Latch, closed by z from 0 (open) to 1, as `state_law`.

    F = z (k (s - a) + c sdot) and dz/dt = (h + g - h g)(1 - z)/tau, with h = step(side (s - a)/w), by which it begins
    to close once the coordinate has passed a, and g = step(z/CAUGHT), by which it goes on.
    """
    k, c, w, tau = data[j], data[j + 1], data[j + 4], data[j + 5]
    x = s - data[j + 2]
    h, h_s = _smooth_step(data[j + 3] * x / w)
    g, g_z = _smooth_step(z / CAUGHT)
    drive = h + g - h * g
    rate_s = (1.0 - g) * h_s * data[j + 3] / w * (1.0 - z) / tau
    rate_z = ((1.0 - h) * g_z / CAUGHT * (1.0 - z) - drive) / tau
    pull = k * x + c * sdot
    return z * pull, z * k, z * c, pull, drive * (1.0 - z) / tau, rate_s, 0.0, rate_z, 0.5 * z * k * x * x


def power_part(coefficients: Sequence[float]) -> tuple[float, ...]:
    """Numbers of the polynomial k_1 x + k_2 x^2 + ... for CURVES."""
    return (float(len(coefficients)), *(float(k) for k in coefficients))


def curve_part(points: FloatArray, coefficients: FloatArray, integrals: FloatArray) -> tuple[float, ...]:
    """Numbers of a piecewise cubic for CURVES: points (n,), ascending coefficients (n - 1, 4), integrals (n,)."""
    return (-float(len(points)), *points.tolist(), *coefficients.ravel().tolist(), *integrals.tolist())
