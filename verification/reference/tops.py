r"""A free rigid body, tops with a fixed point, and a disk rolling on a plane.

Angular velocities are in body axes, but for the disk in inertial axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ellipkm1

from flexmbs.verification.reference.motion import FloatArray, integrate

__all__ = ["RollingDisk", "free_body_period", "free_body_rates", "precession_rates", "top", "top_support"]


def free_body_period(inertia: Sequence[float], omega: Sequence[float]) -> float:
    """Period of the angular velocity in body axes, J1 < J2 < J3 (Landau and Lifshitz, Mechanics, section 37).

    Examples
    --------
    >>> round(free_body_period((1.0, 1.000001, 2.0), (1e-6, 0.0, 1.0)) / (2.0 * math.pi), 5)
    1.0
    """
    J1, J2, J3 = inertia
    squares = [w * w for w in omega]
    # L^2 - 2 E J for J = J2 and, after the exchange that makes it positive, for J1; as sums, against cancellation.
    middle = J1 * (J1 - J2) * squares[0] + J3 * (J3 - J2) * squares[2]
    if middle < 0.0:
        J1, J3 = J3, J1
        squares = squares[::-1]
    lower = J2 * (J2 - J1) * squares[1] + J3 * (J3 - J1) * squares[2]
    complement = (J3 - J1) * middle / ((J3 - J2) * lower)  # 1 - k^2
    return float(4.0 * math.sqrt(J1 * J2 * J3 / ((J3 - J2) * lower)) * ellipkm1(complement))


def free_body_rates(
    inertia: Sequence[float], omega: Sequence[float], times: Sequence[float] | FloatArray
) -> FloatArray:
    r"""Angular velocity (n_t, 3) in principal axes: :math:`J \dot\omega + \omega \times J \omega = 0`."""
    J = np.asarray(inertia, dtype=np.float64)
    return integrate(lambda _, w: -np.cross(w, J * w) / J, omega, times)


def precession_rates(
    axial: float, transverse: float, spin: float, tilt: float, weight_moment: float
) -> tuple[float, float]:
    r"""Slow and fast steady precession of a symmetric top, and how they come about.

    .. math:: J_t \cos\vartheta\, \dot\varphi^2 - J_a \omega_3 \dot\varphi + m g l = 0

    ``transverse`` is about the fixed point, ``spin`` the component of the angular velocity along the axis, ``tilt`` the
    angle of the axis from the upward vertical (Goldstein, Classical Mechanics, section 5.7).
    """
    a, b = transverse * math.cos(tilt), axial * spin
    root = math.sqrt(b * b - 4.0 * a * weight_moment)
    return 2.0 * weight_moment / (b + root), (b + root) / (2.0 * a)


def top(
    inertia: ArrayLike,
    mass: float,
    centre: Sequence[float],
    omega: Sequence[float],
    times: Sequence[float] | FloatArray,
    rotation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
    gravity: float = 9.81,
) -> FloatArray:
    r"""Centre of mass, quaternion (scalar first) and angular velocity (n_t, 10) of a body with a fixed point.

    .. math:: J \dot\omega + \omega \times J \omega = m\, c \times R^T g, \qquad J = J_c + m (c^2 I - c c^T)

    ``inertia`` (3,) or (3, 3) is about the centre of mass c; the fixed point is the origin; gravity acts along -z.
    """
    c = np.asarray(centre, dtype=np.float64)
    J = np.asarray(inertia, dtype=np.float64)
    J = (np.diag(J) if J.ndim == 1 else J) + mass * (c @ c * np.eye(3) - np.outer(c, c))
    solve = np.linalg.inv(J)

    def rates(_: float, y: FloatArray) -> FloatArray:
        e, w = y[:4], y[4:]
        down = -gravity * _matrix(e)[2]
        e_rate = 0.5 * np.concatenate([[-e[1:] @ w], e[0] * w + np.cross(e[1:], w)])
        return np.concatenate([e_rate, solve @ (mass * np.cross(c, down) - np.cross(w, J @ w))])

    states = integrate(rates, [*rotation, *omega], times)
    centres = np.array([_matrix(state[:4]) @ c for state in states])
    return np.concatenate([centres, states], axis=1)


def top_support(
    inertia: ArrayLike, mass: float, centre: Sequence[float], states: FloatArray, gravity: float = 9.81
) -> FloatArray:
    """Force (n_t, 3) of the support on the body, inertial axes, in states (n_t, 10) of `top`: m (a - g)."""
    c = np.asarray(centre, dtype=np.float64)
    J = np.asarray(inertia, dtype=np.float64)
    J = (np.diag(J) if J.ndim == 1 else J) + mass * (c @ c * np.eye(3) - np.outer(c, c))
    forces = []
    for state in states:
        R, w = _matrix(state[3:7]), state[7:]
        w_rate = np.linalg.solve(J, mass * np.cross(c, -gravity * R[2]) - np.cross(w, J @ w))
        acceleration = R @ (np.cross(w_rate, c) + np.cross(w, np.cross(w, c)))
        forces.append(mass * (acceleration + np.array([0.0, 0.0, gravity])))
    return np.array(forces)


def _matrix(e: FloatArray) -> FloatArray:
    """Rotation of a quaternion, scalar first, of any length."""
    s, x, y, z = e / math.sqrt(e @ e)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)],
            [2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)],
            [2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@dataclass(frozen=True)
class RollingDisk:
    r"""A thin disk that rolls without slip on the plane z = 0, gravity along -z.

    With n the axis, e the unit vector of the disk plane that points up, and the contact at x - R e:

    .. math:: \dot x = R\, w \times e, \quad \dot n = w \times n, \quad
              \frac{d}{dt}(J w) = -R\, e \times m\, (\ddot x + g e_z)

    ``diametral`` and ``axial`` are the moments of inertia about the centre.
    """

    mass: float = 1.0
    radius: float = 0.5
    diametral: float = 0.0625
    axial: float = 0.125
    gravity: float = 9.81

    def acceleration(self, n: FloatArray, w: FloatArray) -> FloatArray:
        """Angular acceleration of the state (n, w)."""
        up = np.array([0.0, 0.0, 1.0])
        length = math.sqrt(1.0 - n[2] ** 2)
        e = (up - n[2] * n) / length
        n_rate = np.cross(w, n)
        e_rate = -(n_rate[2] * n + n[2] * n_rate) / length + (up - n[2] * n) * n[2] * n_rate[2] / length**3
        # With a = dw/dt: J a + (Ja - Jd)(n.w) n' = -m R e x (R a x e + R w x e' + g ez).
        m, R = self.mass, self.radius
        matrix = self.diametral * np.eye(3) + (self.axial - self.diametral) * np.outer(n, n)
        matrix += m * R * R * (np.eye(3) - np.outer(e, e))
        right = -m * R * np.cross(e, R * np.cross(w, e_rate) + self.gravity * up)
        right -= (self.axial - self.diametral) * (n @ w) * n_rate
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)

    def motion(self, tilt: float, omega: Sequence[float], times: Sequence[float] | FloatArray) -> FloatArray:
        """Centre, axis and angular velocity (n_t, 9); the axis starts as (0, cos(tilt), sin(tilt))."""

        def rates(_: float, y: FloatArray) -> FloatArray:
            n, w = y[3:6], y[6:]
            e = (np.array([0.0, 0.0, 1.0]) - n[2] * n) / math.sqrt(1.0 - n[2] ** 2)
            return np.concatenate([self.radius * np.cross(w, e), np.cross(w, n), self.acceleration(n, w)])

        start = [0.0, 0.0, self.radius * math.cos(tilt), 0.0, math.cos(tilt), math.sin(tilt), *omega]
        return integrate(rates, start, times)

    def steady_precession(self, tilt: float, spin: float) -> float:
        """Slow rate about ez for which the disk rolls in a circle with constant tilt; w = spin n + rate ez."""
        n = np.array([0.0, math.cos(tilt), math.sin(tilt)])

        def unbalance(rate: float) -> float:
            w = spin * n + np.array([0.0, 0.0, rate])
            # Steady means dw/dt = rate ez x w; only the component about the tangent (x) can be violated.
            return float(self.acceleration(n, w)[0] + rate * w[1])

        return float(brentq(unbalance, 0.0, abs(spin) / 4.0, xtol=1e-14, rtol=1e-14))

    def stable_spin(self) -> float:
        r"""Least spin of stable upright rolling (Neimark, Fufaev): :math:`\omega^2 J_a (J_a + m R^2) = m g R J_d`."""
        m, R = self.mass, self.radius
        return math.sqrt(m * self.gravity * R * self.diametral / (self.axial * (self.axial + m * R * R)))
