r"""Pendulums: one mass on a rod in the plane and in space, chains of links of point masses or of uniform bars.

Gravity g acts along -y in the plane and along -z in space.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ellipj, ellipk

from flexmbs.verification.reference.motion import FloatArray, integrate

__all__ = ["LinkChain", "bars", "masses", "simple_pendulum", "simple_period", "spherical_pendulum"]


def simple_period(amplitude: float, length: float = 1.0, gravity: float = 9.81) -> float:
    r"""Period of a pendulum released at rest at the angle ``amplitude``: :math:`4\sqrt{L/g}\,K(\sin^2(\alpha/2))`.

    Examples
    --------
    >>> round(simple_period(1e-6) / (2 * math.pi * math.sqrt(1 / 9.81)), 9)
    1.0
    """
    return float(4.0 * math.sqrt(length / gravity) * ellipk(math.sin(amplitude / 2.0) ** 2))


def simple_pendulum(amplitude: float, times: Sequence[float] | FloatArray, gravity: float = 9.81) -> FloatArray:
    r"""Angle from the downward vertical and its rate (n_t, 2) of a pendulum of length 1, released at rest.

    .. math:: \sin(\theta/2) = k\, \mathrm{cd}(\omega_0 t, k), \quad k = \sin(\alpha/2)

    with Jacobi's cd = cn/dn; angle and rate at t = 0 are ``amplitude`` and 0.
    """
    k, omega = math.sin(amplitude / 2.0), math.sqrt(gravity)
    sn, cn, dn, _ = ellipj(omega * np.asarray(times, dtype=np.float64), k * k)
    theta = 2.0 * np.arcsin(k * cn / dn)
    rate = -2.0 * k * (1.0 - k * k) * omega * sn / dn**2 / np.sqrt(1.0 - (k * cn / dn) ** 2)
    return np.stack([theta, rate], axis=-1)


def spherical_pendulum(
    position: Sequence[float],
    velocity: Sequence[float],
    times: Sequence[float] | FloatArray,
    gravity: float = 9.81,
) -> FloatArray:
    r"""Position and velocity (n_t, 6) of a mass on a rod of length 1 about the origin.

    .. math:: \ddot r = -g e_z - (\dot r^2 - g z)\, r, \qquad |r| = 1
    """

    def rates(_: float, y: FloatArray) -> FloatArray:
        r = y[:3] / math.sqrt(y[:3] @ y[:3])
        a = -(y[3:] @ y[3:] - gravity * r[2]) * r
        a[2] -= gravity
        return np.concatenate([y[3:], a])

    return integrate(rates, [*position, *velocity], times)


@dataclass(frozen=True)
class LinkChain:
    r"""A plane chain of hinged links, its first link hinged at the origin.

    .. math:: \sum_j M_{ij} \left[\cos(\theta_i - \theta_j) \ddot\theta_j + \sin(\theta_i - \theta_j)
              \dot\theta_j^2\right] + J_i \ddot\theta_i + g_i \cos\theta_i = 0

    Angles are measured from the x axis. ``coupling`` (n, n) and ``moment`` (n,) are M and g, ``inertia`` (n,) is J.
    """

    lengths: FloatArray
    coupling: FloatArray
    inertia: FloatArray
    moment: FloatArray

    def motion(
        self, angles: Sequence[float], rates: Sequence[float], times: Sequence[float] | FloatArray, rtol: float = 1e-13
    ) -> FloatArray:
        """Angles and their rates (n_t, 2 n)."""
        n = len(self.lengths)

        def state_rates(_: float, y: FloatArray) -> FloatArray:
            difference = y[:n, None] - y[None, :n]
            matrix = self.coupling * np.cos(difference) + np.diag(self.inertia)
            force = -(self.coupling * np.sin(difference)) @ y[n:] ** 2 - self.moment * np.cos(y[:n])
            return np.concatenate([y[n:], cho_solve(cho_factor(matrix, check_finite=False), force, check_finite=False)])

        return integrate(state_rates, [*angles, *rates], times, rtol)

    def joints(self, angles: FloatArray) -> FloatArray:
        """Ends of the links (n_t, n, 2) from the angles (n_t, n)."""
        steps = self.lengths[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        return np.asarray(np.cumsum(steps, axis=1), dtype=np.float64)

    def energy(self, state: FloatArray) -> float:
        """Kinetic and potential energy of angles and rates (2 n,)."""
        n = len(self.lengths)
        theta, rate = state[:n], state[n:]
        kinetic = rate @ (self.coupling * np.cos(theta[:, None] - theta[None]) + np.diag(self.inertia)) @ rate / 2.0
        return float(kinetic + self.moment @ np.sin(theta))


def bars(count: int, length: float, mass: float, gravity: float = 9.81) -> LinkChain:
    """Equal uniform bars, each of ``length`` and ``mass``.

    Examples
    --------
    >>> chain = bars(1, 1.0, 3.0)
    >>> float(chain.coupling[0, 0] + chain.inertia[0])
    1.0
    """
    reach = length * (np.tril(np.ones((count, count)), -1) + 0.5 * np.eye(count))  # of centre i by link j
    return LinkChain(
        np.full(count, length),
        mass * reach.T @ reach,
        np.full(count, mass * length**2 / 12.0),
        mass * gravity * reach.sum(axis=0),
    )


def masses(count: int, length: float = 1.0, mass: float = 1.0, gravity: float = 9.81) -> LinkChain:
    """Equal point masses at the ends of massless links."""
    reach = length * np.tril(np.ones((count, count)))
    return LinkChain(
        np.full(count, length), mass * reach.T @ reach, np.zeros(count), mass * gravity * reach.sum(axis=0)
    )
