r"""Two plane bodies on a hinge near a circular orbit, in the frame that goes round with it: x outwards, y ahead.

The frame has the rate n. In the linearised field a mass m at (x, y) feels
:math:`m n^2 (3x, 0) + 2 m n (\dot y, -\dot x)`; a body with the moments :math:`A = \int \xi^2 dm` and
:math:`B = \int \eta^2 dm` along its axes feels the torque :math:`\tau`, and the potential is V:

.. math:: \tau = -\tfrac32 n^2 (A - B) \sin 2\varphi, \qquad
          V = -\tfrac32 n^2 \sum \left(m x^2 + A \cos^2\varphi + B \sin^2\varphi\right).

The hinge is at +a on the axis of the first body and at -b on that of the second one. The equations are those of the
angles and of the first centre alone, by projection on what the hinge leaves free.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj

from flexmbs.verification.reference.motion import FloatArray, integrate

__all__ = ["OrbitingPair", "pitch"]


@dataclass(frozen=True)
class OrbitingPair:
    """Data are chosen here: the paper prints none.

    ``masses`` [kg], ``along`` and ``across``: A and B of both bodies [kg m²], ``arms`` a and b [m], ``rate`` n [1/s].
    """

    masses: tuple[float, float] = (4000.0, 2500.0)
    along: tuple[float, float] = (4.0e4, 1.6e4)
    across: tuple[float, float] = (1.2e4, 0.6e4)
    arms: tuple[float, float] = (6.0, 4.5)
    rate: float = 1.1e-3

    def moment(self, body: int) -> float:
        """Moment of inertia about the normal of the plane."""
        return self.along[body] + self.across[body]

    def placed(self, angles: Sequence[float]) -> FloatArray:
        """Centres (2, 2) with the common centre of mass at the origin."""
        gap = sum(a * np.array([math.cos(t), math.sin(t)]) for a, t in zip(self.arms, angles, strict=True))
        share = self.masses[1] / sum(self.masses)
        return np.array([-share * gap, (1.0 - share) * gap])

    def rigid(self) -> tuple[float, float]:
        """A and B of the stretched pair with its hinge locked, about its centre."""
        reduced = self.masses[0] * self.masses[1] / sum(self.masses)
        return sum(self.along) + reduced * sum(self.arms) ** 2, sum(self.across)

    def motion(self, angles: Sequence[float], rates: Sequence[float], times: FloatArray) -> FloatArray:
        """x1, y1, phi1, phi2 and their rates (n_t, 8), from rates of the angles, the centre of mass at rest."""
        n, (m1, m2), (a, b) = self.rate, self.masses, self.arms
        M = np.diag([m1, m1, self.moment(0), m2, m2, self.moment(1)])

        def rates_of(_: float, y: FloatArray) -> FloatArray:
            B, drift = self._free(y[:4], y[4:])
            v = B @ y[4:]
            x = np.array([y[0], y[0] + a * math.cos(y[2]) + b * math.cos(y[3])])
            force = np.empty(6)
            for i, m in enumerate(self.masses):
                u, w = v[3 * i], v[3 * i + 1]
                difference = self.along[i] - self.across[i]
                turn = -1.5 * n * n * difference * math.sin(2.0 * y[2 + i])
                force[3 * i : 3 * i + 3] = m * (3.0 * n * n * x[i] + 2.0 * n * w), -2.0 * m * n * u, turn
            return np.concatenate([y[4:], np.linalg.solve(B.T @ M @ B, B.T @ (force - M @ drift))])

        first = self.placed(angles)[0]
        gap = np.array([-math.sin(angles[0]), math.cos(angles[0])]) * a * rates[0]
        gap = gap + np.array([-math.sin(angles[1]), math.cos(angles[1])]) * b * rates[1]
        return integrate(rates_of, [*first, *angles, *(-m2 / (m1 + m2) * gap), *rates], times)

    def _free(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Velocities of both bodies by the free ones (6, 4), and the accelerations without theirs (6,)."""
        B, drift = np.zeros((6, 4)), np.zeros(6)
        B[:3, :3] = np.eye(3)
        B[3, 0] = B[4, 1] = B[5, 3] = 1.0
        for k, arm in enumerate(self.arms):
            c, s = arm * math.cos(q[2 + k]), arm * math.sin(q[2 + k])
            B[3, 2 + k], B[4, 2 + k] = -s, c
            drift[3] -= c * v[2 + k] ** 2
            drift[4] -= s * v[2 + k] ** 2
        return B, drift


def pitch(ratio: float, rate: float, amplitude: float, times: FloatArray) -> FloatArray:
    r"""Angle (n_t,) of a rigid body released at rest in the orbiting frame, ``ratio`` = (A - B)/(A + B).

    .. math:: \ddot\psi = -3 n^2 \kappa \sin\psi, \quad \psi = 2\varphi

    is that of a pendulum; small angles have :math:`\omega^2 = 3 n^2 \kappa`.
    """
    k, omega = math.sin(amplitude), rate * math.sqrt(3.0 * ratio)
    _, cn, dn, _ = ellipj(omega * np.asarray(times), k * k)
    return np.asarray(np.arcsin(k * cn / dn), dtype=np.float64)
