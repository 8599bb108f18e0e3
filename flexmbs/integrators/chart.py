r"""The chart at the start of a step, q = q_0 o exp(theta), with its first and second derivatives in time.

.. math:: v = T(\theta)\dot\theta, \qquad \dot v = T\ddot\theta + \dot T\dot\theta, \quad \dot T\dot\theta =
   -\dot a\,\theta\times\dot\theta + \dot b\,\theta\times(\theta\times\dot\theta)
   + b\,\dot\theta\times(\theta\times\dot\theta),

with :math:`a = (1 - \cos t)/t^2`, :math:`b = (t - \sin t)/t^3`, :math:`t = |\theta|` (`flexmbs.core.rotations`). Only
rotations of rigid bodies are curved; all other coordinates have T = 1. Vectors have the layout of v.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import inverse_tangent, tangent_operator
from flexmbs.core.triples import Matrix, Vector
from flexmbs.kernels.steps import retract

__all__ = ["curve_motion", "motion_curve", "slopes", "stage"]


@kernel
def stage(
    q0: FloatArray, v0: FloatArray, slope: FloatArray, acceleration: FloatArray, weights: FloatArray, n: int, h: float,
    n_linear: int, theta: FloatArray, v: FloatArray, q: FloatArray,
) -> None:  # fmt: skip
    """theta = h sum w_j slope_j, v = v0 + h sum w_j acceleration_j over the first n stages, q = q0 o exp(theta)."""
    for i in range(v0.shape[0]):
        x = y = 0.0
        for j in range(n):
            x += weights[j] * slope[j, i]
            y += weights[j] * acceleration[j, i]
        theta[i] = h * x
        v[i] = v0[i] + h * y
    retract(q0, theta, n_linear, q)


@kernel
def slopes(theta: FloatArray, v: FloatArray, n_linear: int, out: FloatArray) -> None:
    """out = T(theta)^-1 v, the derivative of theta."""
    out[:] = v
    for b in range((v.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        turned = product(inverse_tangent(theta[k], theta[k + 1], theta[k + 2]), (v[k], v[k + 1], v[k + 2]))
        out[k], out[k + 1], out[k + 2] = turned


@kernel
def product(m: Matrix, x: Vector) -> Vector:
    """A matrix, row by row, times a vector."""
    return (
        m[0] * x[0] + m[1] * x[1] + m[2] * x[2],
        m[3] * x[0] + m[4] * x[1] + m[5] * x[2],
        m[6] * x[0] + m[7] * x[1] + m[8] * x[2],
    )


@kernel
def cross_product(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def tangent_rate(theta: Vector, rate: Vector) -> Vector:
    """(dT/dt) rate, for a rotation vector theta that changes with ``rate``."""
    s = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    if s < 0.25:
        b = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0))))) / 6.0
        da = -1.0 / 12.0 + s * (1.0 / 180.0 + s * (-1.0 / 6720.0 + s * (1.0 / 453600.0 - s / 47900160.0)))
        db = -1.0 / 60.0 + s * (1.0 / 1260.0 + s * (-1.0 / 60480.0 + s * (1.0 / 4989600.0 - s / 622702080.0)))
    else:
        t = math.sqrt(s)
        b = (t - math.sin(t)) / (s * t)
        da = (t * math.sin(t) - 2.0 * (1.0 - math.cos(t))) / (s * s)
        db = (t * (1.0 - math.cos(t)) - 3.0 * (t - math.sin(t))) / (s * s * t)
    change = theta[0] * rate[0] + theta[1] * rate[1] + theta[2] * rate[2]
    once = cross_product(theta, rate)
    twice = cross_product(theta, once)
    last = cross_product(rate, once)
    return (
        change * (db * twice[0] - da * once[0]) + b * last[0],
        change * (db * twice[1] - da * once[1]) + b * last[1],
        change * (db * twice[2] - da * once[2]) + b * last[2],
    )


@kernel
def motion_curve(
    theta: FloatArray, v: FloatArray, a: FloatArray, n_linear: int, rate: FloatArray, second: FloatArray
) -> None:  # fmt: skip
    """Velocity and acceleration of the motion as first and second derivative of theta."""
    rate[:] = v
    second[:] = a
    for b in range((v.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        x = (theta[k], theta[k + 1], theta[k + 2])
        inverse = inverse_tangent(x[0], x[1], x[2])
        d = product(inverse, (v[k], v[k + 1], v[k + 2]))
        c = tangent_rate(x, d)
        dd = product(inverse, (a[k] - c[0], a[k + 1] - c[1], a[k + 2] - c[2]))
        rate[k], rate[k + 1], rate[k + 2] = d
        second[k], second[k + 1], second[k + 2] = dd


@kernel
def curve_motion(
    theta: FloatArray, rate: FloatArray, second: FloatArray, n_linear: int, v: FloatArray, a: FloatArray
) -> None:  # fmt: skip
    """First and second derivative of theta as velocity and acceleration of the motion."""
    v[:] = rate
    a[:] = second
    for b in range((v.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        x = (theta[k], theta[k + 1], theta[k + 2])
        d = (rate[k], rate[k + 1], rate[k + 2])
        T = tangent_operator(x[0], x[1], x[2])
        w, c = product(T, d), tangent_rate(x, d)
        e = product(T, (second[k], second[k + 1], second[k + 2]))
        v[k], v[k + 1], v[k + 2] = w
        a[k], a[k + 1], a[k + 2] = e[0] + c[0], e[1] + c[1], e[2] + c[2]
