r"""Two plane bars on bushings: a pendulum with elastic, strongly damped joints, in the coordinates of its bars.

With :math:`s = (R_a^T (p_b - p_a), \theta_b - \theta_a)` of every bushing, relative to its value at the start,

.. math:: M \ddot q = Q_g - \sum \left(\frac{\partial s}{\partial q}\right)^T (K s + C \dot s), \qquad
          q = (x_1, y_1, \theta_1, x_2, y_2, \theta_2) .
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.verification.reference.motion import FloatArray, integrate

__all__ = ["BushedBars"]


@dataclass(frozen=True)
class BushedBars:
    """Bars of length ``length`` and mass ``mass`` along x at rest, the first one hung from the origin.

    ``stiffness`` and ``damping`` (x, y, angle) are those of both bushings, in the axes of the inner side.
    """

    length: float = 0.5
    mass: float = 1.0
    stiffness: tuple[float, float, float] = (1e6, 1e6, 5.0)
    damping: tuple[float, float, float] = (4e3, 4e3, 0.02)
    gravity: float = 9.81

    def accelerations(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Of both bars (6,)."""
        half, J = self.length / 2.0, self.mass * self.length**2 / 12.0
        force = np.array([0.0, -self.mass * self.gravity, 0.0] * 2)
        K, C = np.array(self.stiffness), np.array(self.damping)
        for joint in (0, 1):
            s, S = self.strain(q, joint, half)
            force -= S.T @ (K * s + C * (S @ v))
        return np.asarray(force / np.array([self.mass, self.mass, J] * 2), dtype=np.float64)

    def motion(self, times: Sequence[float] | FloatArray, rtol: float = 1e-11) -> FloatArray:
        """Coordinates and velocities (n_t, 12), by an implicit method for stiff equations."""
        start = np.zeros(12)
        start[0], start[3] = 0.5 * self.length, 1.5 * self.length
        return integrate(
            lambda _, y: np.concatenate([y[6:], self.accelerations(y[:6], y[6:])]), start, times, rtol, "Radau"
        )

    @staticmethod
    def strain(q: FloatArray, joint: int, half: float) -> tuple[FloatArray, FloatArray]:
        """s (3,) of a bushing and its derivative (3, 6)."""
        k = 3 * joint
        c, n = math.cos(q[k + 2]), math.sin(q[k + 2])
        inner = q[k : k + 2] - half * np.array([c, n])  # end of the bar nearer to the ground
        S = np.zeros((3, 6))
        if joint == 0:
            S[:2, :2] = np.eye(2)
            S[:2, 2] = -half * np.array([-n, c])
            S[2, 2] = 1.0
            return np.append(inner, q[2]), S
        c1, n1 = math.cos(q[2]), math.sin(q[2])
        R, turned = np.array([[c1, -n1], [n1, c1]]), np.array([[-n1, -c1], [c1, -n1]])
        gap = inner - q[:2] - half * np.array([c1, n1])
        S[:2, 3:5] = R.T
        S[:2, 5] = R.T @ (-half * np.array([-n, c]))
        S[:2, :2] = -R.T
        S[:2, 2] = R.T @ (-half * np.array([-n1, c1])) + turned.T @ gap
        S[2, 5], S[2, 2] = 1.0, -1.0
        return np.append(R.T @ gap, q[5] - q[2]), S
