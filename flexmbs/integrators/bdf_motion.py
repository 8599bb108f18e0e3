r"""From the unknowns of a backward differentiation formula to velocities, accelerations and the metric of increments.

The position of a step is :math:`q_n \circ \exp\theta`; its rate in the chart comes from the formula,
:math:`\dot\theta = \dot\theta^P + \alpha(\theta - y - \theta^P)` with the predictor P and a correction y that does not
enter the velocity :math:`v = T(\theta)\dot\theta`; then :math:`\dot v = \dot v^P + \alpha(v - v^P)`.

Newton's method takes increments x of which :math:`\delta v = \alpha x` and :math:`\delta\dot v = \alpha^2 x` exactly:
with :math:`P = \alpha T + \partial(T\dot\theta)/\partial\theta` these are :math:`\delta\theta = \alpha P^{-1} x`, and
the increment of the pose in its own axes is :math:`\alpha T P^{-1} x`.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import tangent_operator

__all__ = ["add", "motion"]


@kernel
def coefficients(s: float) -> tuple[float, float, float, float]:
    """A = (1 - cos t)/t^2, B = (t - sin t)/t^3, A'/t, B'/t for t^2 = s."""
    if s < 0.25:
        a = 0.5 - s / 24.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0)))
        b = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0)))) / 6.0
        da = -(1.0 - s / 15.0 * (1.0 - s / 37.333333333333336 * (1.0 - s / 67.5))) / 12.0
        db = -(1.0 - s / 21.0 * (1.0 - s / 48.0 * (1.0 - s / 82.5))) / 60.0
        return a, b, da, db
    t = math.sqrt(s)
    sin, cos = math.sin(t), math.cos(t)
    a, b = (1.0 - cos) / s, (t - sin) / (s * t)
    return a, b, (sin / t - 2.0 * a) / s, ((1.0 - cos) / s - 3.0 * b) / s


@kernel
def motion(
    theta: FloatArray, y: FloatArray, theta_p: FloatArray, rate_p: FloatArray, v_p: FloatArray, vd_p: FloatArray,
    alpha: float, n_linear: int, v: FloatArray, a: FloatArray, T: FloatArray, Q: FloatArray,
) -> None:  # fmt: skip
    """v and a of an increment; ``T (n_b, 3, 3)``: poses by x; ``Q (n_b, 3, 3)``: theta by x."""
    n_v = theta.shape[0]
    for i in range(n_v):
        v[i] = rate_p[i] + alpha * (theta[i] - y[i] - theta_p[i])
    for n in range((n_v - n_linear) // 6):
        k = n_linear + 6 * n + 3
        x0, x1, x2 = theta[k], theta[k + 1], theta[k + 2]
        r0, r1, r2 = v[k], v[k + 1], v[k + 2]
        t = tangent_operator(x0, x1, x2)
        v[k] = t[0] * r0 + t[1] * r1 + t[2] * r2
        v[k + 1] = t[3] * r0 + t[4] * r1 + t[5] * r2
        v[k + 2] = t[6] * r0 + t[7] * r1 + t[8] * r2
        # P = alpha T + A r~ - B [(x cross r)~ + x~ r~] - A'/t (x cross r) x^T + B'/t (x cross (x cross r)) x^T
        A, B, dA, dB = coefficients(x0 * x0 + x1 * x1 + x2 * x2)
        c0, c1, c2 = x1 * r2 - x2 * r1, x2 * r0 - x0 * r2, x0 * r1 - x1 * r0
        e0, e1, e2 = x1 * c2 - x2 * c1, x2 * c0 - x0 * c2, x0 * c1 - x1 * c0
        f0, f1, f2 = dB * e0 - dA * c0, dB * e1 - dA * c1, dB * e2 - dA * c2
        w = x0 * r0 + x1 * r1 + x2 * r2
        # x~ r~ = r x^T - (x . r) I
        p00 = alpha * t[0] - B * (r0 * x0 - w) + f0 * x0
        p01 = alpha * t[1] - A * r2 - B * (-c2 + r0 * x1) + f0 * x1
        p02 = alpha * t[2] + A * r1 - B * (c1 + r0 * x2) + f0 * x2
        p10 = alpha * t[3] + A * r2 - B * (c2 + r1 * x0) + f1 * x0
        p11 = alpha * t[4] - B * (r1 * x1 - w) + f1 * x1
        p12 = alpha * t[5] - A * r0 - B * (-c0 + r1 * x2) + f1 * x2
        p20 = alpha * t[6] - A * r1 - B * (-c1 + r2 * x0) + f2 * x0
        p21 = alpha * t[7] + A * r0 - B * (c0 + r2 * x1) + f2 * x1
        p22 = alpha * t[8] - B * (r2 * x2 - w) + f2 * x2
        m00, m01, m02 = p11 * p22 - p12 * p21, p02 * p21 - p01 * p22, p01 * p12 - p02 * p11
        m10, m11, m12 = p12 * p20 - p10 * p22, p00 * p22 - p02 * p20, p02 * p10 - p00 * p12
        m20, m21, m22 = p10 * p21 - p11 * p20, p01 * p20 - p00 * p21, p00 * p11 - p01 * p10
        g = alpha / (p00 * m00 + p01 * m10 + p02 * m20)
        Q[n, 0, 0], Q[n, 0, 1], Q[n, 0, 2] = g * m00, g * m01, g * m02
        Q[n, 1, 0], Q[n, 1, 1], Q[n, 1, 2] = g * m10, g * m11, g * m12
        Q[n, 2, 0], Q[n, 2, 1], Q[n, 2, 2] = g * m20, g * m21, g * m22
        for i in range(3):
            for j in range(3):
                T[n, i, j] = t[3 * i] * Q[n, 0, j] + t[3 * i + 1] * Q[n, 1, j] + t[3 * i + 2] * Q[n, 2, j]
    for i in range(n_v):
        a[i] = vd_p[i] + alpha * (v[i] - v_p[i])


@kernel
def add(
    d: FloatArray, dy: FloatArray, Q: FloatArray, scale: float, wa: float, n_linear: int, theta: FloatArray,
    y: FloatArray, dx: FloatArray, lam: FloatArray,
) -> None:  # fmt: skip
    """theta += Q (x + dy), y += Q dy, with dx = x = scale d; wa times that to the multipliers, behind it in d."""
    n_v = theta.shape[0]
    for i in range(n_v):
        dx[i] = scale * d[i]
    for i in range(lam.shape[0]):
        lam[i] += wa * (scale * d[n_v + i])
    for i in range(n_linear):
        theta[i] += dx[i] + dy[i]
        y[i] += dy[i]
    for n in range((n_v - n_linear) // 6):
        k = n_linear + 6 * n
        for i in range(3):
            theta[k + i] += dx[k + i] + dy[k + i]
            y[k + i] += dy[k + i]
            z, w = 0.0, 0.0
            for j in range(3):
                z += Q[n, i, j] * (dx[k + 3 + j] + dy[k + 3 + j])
                w += Q[n, i, j] * dy[k + 3 + j]
            theta[k + 3 + i] += z
            y[k + 3 + i] += w
