r"""A mass on a spring under sampled feedback of position and velocity: the exact motion.

.. math:: m \ddot x + c \dot x + k x = f_k \quad \text{for } t_k \le t < t_{k+1}, \; t_k = k T, \qquad
          f_k = P (r - x_{k-d}) - D \dot x_{k-d}

with the delay d = 0, 1, 2 ... in periods and f_k = 0 before the first output. Between two samples the force is held, so
with :math:`\sigma = c / 2m`, :math:`\nu^2 = k/m - \sigma^2`, :math:`C = e^{-\sigma s} \cos \nu s`,
:math:`S = e^{-\sigma s} \sin(\nu s) / \nu` (imaginary :math:`\nu`: hyperbolic functions; :math:`\nu = 0`: S = s C)

.. math:: \begin{pmatrix} x \\ \dot x \end{pmatrix}(t_k + s) =
          \begin{pmatrix} C + \sigma S & S \\ -(k/m) S & C - \sigma S \end{pmatrix}
          \begin{pmatrix} x_k \\ \dot x_k \end{pmatrix} +
          \begin{pmatrix} (1 - C - \sigma S) / k \\ S / m \end{pmatrix} f_k ,

where without a spring (1 - C - sigma S)/k is (s - S)/c, and s^2/(2m) for a free mass. With the outputs that wait as
further states, a period is one matrix and the motion its powers.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.verification.reference.motion import FloatArray

__all__ = ["SampledMass"]


@dataclass(frozen=True)
class SampledMass:
    """A mass, spring and damper with a sampled PD controller.

    Parameters
    ----------
    mass, stiffness, damping : float
        m, k, c.
    proportional, derivative : float
        P and D.
    period : float
        T.
    delay : int, default 0
        d.
    target : float, default 0
        r.

    Examples
    --------
    A free mass, T = 1, m = 1, P = 0, D = 1: the velocity is zero after one period.

    >>> SampledMass(1.0, 0.0, 0.0, 0.0, 1.0, 1.0).motion([0.0, 1.0], [0.5, 1.0, 7.25]).tolist()
    [[0.375, 0.5], [0.5, 0.0], [0.5, 0.0]]
    """

    mass: float
    stiffness: float
    damping: float
    proportional: float
    derivative: float
    period: float
    delay: int = 0
    target: float = 0.0

    def held(self, s: float) -> tuple[FloatArray, FloatArray]:
        """What a time s does under a constant force: matrix (2, 2) of the state, column (2,) of the force."""
        sigma = self.damping / (2.0 * self.mass)
        nu = cmath.sqrt(self.stiffness / self.mass - sigma * sigma)
        C = (cmath.exp(-sigma * s) * cmath.cos(nu * s)).real
        S = (cmath.exp(-sigma * s) * (cmath.sin(nu * s) / nu if nu else s)).real
        state = np.array([[C + sigma * S, S], [-self.stiffness / self.mass * S, C - sigma * S]])
        if self.stiffness:
            way = (1.0 - C - sigma * S) / self.stiffness
        elif self.damping:
            way = (s - S) / self.damping
        else:
            way = s * s / (2.0 * self.mass)
        return state, np.array([way, S / self.mass])

    @property
    def step(self) -> FloatArray:
        """The matrix of one period for (x, xdot, the outputs that wait, oldest first, and 1)."""
        n = 3 + self.delay
        state, force = self.held(self.period)
        output = np.zeros(n)
        output[:2], output[-1] = (-self.proportional, -self.derivative), self.proportional * self.target
        acting = output if not self.delay else np.eye(n)[2]
        A = np.zeros((n, n))
        A[:2, :2] = state
        A[:2] += np.outer(force, acting)
        for k in range(2, n - 2):
            A[k, k + 1] = 1.0
        if self.delay:
            A[n - 2] = output
        A[-1, -1] = 1.0
        return A

    @property
    def largest_eigenvalue(self) -> float:
        """Of the feedback over one period, in magnitude: below 1 the motion dies out."""
        return float(np.abs(np.linalg.eigvals(self.step[:-1, :-1])).max())

    def samples(self, start: Sequence[float], count: int) -> FloatArray:
        """Position and velocity (count + 1, 2) at the sample times 0, T, ..."""
        z = np.array([*start, *[0.0] * self.delay, 1.0])
        return np.array([(np.linalg.matrix_power(self.step, k) @ z)[:2] for k in range(count + 1)])

    def motion(self, start: Sequence[float], times: Sequence[float] | FloatArray) -> FloatArray:
        """Position and velocity (n_t, 2) at any times."""
        z = np.array([*start, *[0.0] * self.delay, 1.0])
        found = []
        for t in times:
            k = int(t / self.period * (1.0 + 1e-14))
            now = np.linalg.matrix_power(self.step, k) @ z
            force = now[2] if self.delay else self.proportional * (self.target - now[0]) - self.derivative * now[1]
            state, column = self.held(max(t - k * self.period, 0.0))
            found.append(state @ now[:2] + column * force)
        return np.array(found)
