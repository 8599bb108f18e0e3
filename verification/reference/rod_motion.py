r"""Motion of a planar rod without shear, by one polynomial over its whole length: independent of any finite element.

The centre line is :math:`\mathbf r(S, t) = \sum_k P_k(2S/L - 1)\,\mathbf c_k(t)` with Legendre polynomials. With
:math:`\lambda = |\mathbf r'|`, :math:`\theta` the direction of :math:`\mathbf r'` and primes by the reference length,
the rod has the kinetic and strain energies

.. math::

    T = \tfrac12 \int \mu\,|\dot{\mathbf r}|^2 + \rho I\,\dot\theta^2 \, dS, \qquad
    U = \tfrac12 \int EA\,(\lambda - 1)^2 + EI\,\theta'^2 \, dS .

Integrals are taken by Gauss points, time by the explicit Runge-Kutta method of order 8 (Dormand and Prince). Where the
motion is smooth the error falls exponentially with the number of polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve

from flexmbs.core.errors import ConvergenceError

__all__ = ["MovingRod", "RodMotion"]

FloatArray = NDArray[np.float64]
History = Callable[[float], float]


@dataclass(frozen=True)
class MovingRod:
    """A straight rod at rest, which then moves under its weight or under loads at its start (S = 0).

    Parameters
    ----------
    start, direction : (float, float)
        The point S = 0 and the unit tangent, at t = 0.
    length, EA, EI, mass : float
        Length, stiffnesses, mass per length.
    rotary : float
        Rotary inertia per length.
    pinned : bool
        Whether the start is held.
    gravity : (float, float)
        Acceleration.
    force : ((float, float), function)
        Dead force at the start, and its factor over time.
    torque : (float, function)
        The same for a torque.
    order : int
        Highest polynomial.

    Examples
    --------
    >>> rod = MovingRod(length=1.0, EA=1e3, EI=1.0, mass=1.0, gravity=(0.0, -2.0), order=6)
    >>> rod.run((0.0, 0.5)).position(0.5, 1.0).round(9).tolist()
    [1.0, -0.25]
    """

    length: float
    EA: float
    EI: float
    mass: float
    rotary: float = 0.0
    start: tuple[float, float] = (0.0, 0.0)
    direction: tuple[float, float] = (1.0, 0.0)
    pinned: bool = False
    gravity: tuple[float, float] = (0.0, 0.0)
    force: tuple[tuple[float, float], History] | None = None
    torque: tuple[float, History] | None = None
    order: int = 24

    def run(self, times: tuple[float, ...], breaks: tuple[float, ...] = (), tolerance: float = 1e-10) -> RodMotion:
        """Integrate to these ascending times, the first of which is the start; ``breaks``: kinks of the loads."""
        discrete = _Discrete(self)
        state = np.concatenate([discrete.rest.ravel(), np.zeros(discrete.rest.size)])
        found = [state]
        now = times[0]
        for then in times[1:]:
            for end in [*(b for b in breaks if now < b < then), then]:
                piece = solve_ivp(discrete.rates, (now, end), state, "DOP853", rtol=tolerance, atol=tolerance)
                if piece.status != 0:
                    raise ConvergenceError(f"reference motion of a rod: {piece.message}")
                now, state = end, piece.y[:, -1]
            found.append(state)
        return RodMotion(self, tuple(times), np.array(found).reshape(len(times), 2, -1, 2), discrete)


class RodMotion:
    """Coefficients at some times; what the rod does there."""

    def __init__(self, rod: MovingRod, times: tuple[float, ...], states: FloatArray, discrete: _Discrete) -> None:
        self.rod, self.times, self._states, self._discrete = rod, times, states, discrete

    def position(self, time: float, S: float) -> FloatArray:
        """Point (2,) of the centre line at one of the times."""
        values = self._discrete.at_points(np.array([S]), 0)
        return np.asarray((values @ self._states[self.times.index(time), 0])[0])

    def energy(self, time: float) -> float:
        """Kinetic, strain and gravitational energy together; the latter is zero at the origin."""
        return self._discrete.energy(*self._states[self.times.index(time)])

    def momentum(self, time: float) -> FloatArray:
        """Linear momentum (2,)."""
        d = self._discrete
        return np.asarray(self.rod.mass * (d.weights @ (d.B[0] @ self._states[self.times.index(time), 1])))


class _Discrete:
    """Tables of the polynomials and the equations of motion."""

    def __init__(self, rod: MovingRod) -> None:
        self.rod = rod
        points, weights = legendre.leggauss(2 * rod.order + 2)
        self.weights = weights * rod.length / 2.0
        self.B = [self.at_points((points + 1.0) / 2.0 * rod.length, d) for d in range(3)]
        self.at_start = self.at_points(np.zeros(1), 0)[0]
        self.slope_at_start = self.at_points(np.zeros(1), 1)[0]
        self.mass = rod.mass * (self.B[0].T * self.weights) @ self.B[0]
        self.factor = cho_factor(self.mass)
        t = np.asarray(rod.direction) / np.hypot(*rod.direction)
        line = np.asarray(rod.start) + np.outer((points + 1.0) / 2.0 * rod.length, t)
        self.rest = cho_solve(self.factor, rod.mass * (self.B[0].T * self.weights) @ line)
        self.weight = rod.mass * (self.B[0].T @ self.weights)[:, None] * np.asarray(rod.gravity)

    def at_points(self, S: FloatArray, derivative: int) -> FloatArray:
        """Values (n, n_k) of the basis, or of a derivative by S; with a pinned start it vanishes there."""
        rod = self.rod
        x = 2.0 * S / rod.length - 1.0
        columns = []
        for k in range(1 if rod.pinned else 0, rod.order + 1):
            c = np.zeros(k + 1)
            c[k] = np.sqrt(2.0 * k + 1.0)
            if rod.pinned:
                c[0] -= (-1.0) ** k * c[k]
            columns.append(legendre.legval(x, legendre.legder(c, derivative)) * (2.0 / rod.length) ** derivative)
        return np.column_stack([np.broadcast_to(column, x.shape) for column in columns])

    def rates(self, t: float, state: FloatArray) -> FloatArray:
        """Velocities and accelerations."""
        rod = self.rod
        q, v = state.reshape(2, -1, 2)
        a, b = self.B[1] @ q, self.B[2] @ q
        square = (a * a).sum(axis=1)
        stretch = np.sqrt(square)
        turned = np.column_stack([-a[:, 1], a[:, 0]]) / square[:, None]  # d theta/d r'
        kappa = (turned * b).sum(axis=1)
        moment = rod.EI * kappa * self.weights
        tension = rod.EA * (1.0 - 1.0 / stretch) * self.weights
        by_slope = tension[:, None] * a
        by_slope += (
            moment[:, None] * (np.column_stack([b[:, 1], -b[:, 0]]) - 2.0 * kappa[:, None] * a) / square[:, None]
        )
        push = self.weight - self.B[2].T @ (moment[:, None] * turned)
        if rod.force is not None:
            push = push + np.outer(self.at_start, np.asarray(rod.force[0]) * rod.force[1](t))
        if rod.torque is not None:
            s = self.slope_at_start @ q
            push = push + np.outer(
                self.slope_at_start, np.array([-s[1], s[0]]) / (s @ s) * rod.torque[0] * rod.torque[1](t)
            )
        if rod.rotary == 0.0:
            return np.concatenate([v.ravel(), cho_solve(self.factor, push - self.B[1].T @ by_slope).ravel()])
        rate = self.B[1] @ v
        inertia = rod.rotary * self.weights
        spin = (turned * rate).sum(axis=1)
        late = -2.0 * spin * (a * rate).sum(axis=1) / square  # of the angular acceleration, what v causes
        push = push - self.B[1].T @ (by_slope + (inertia * late)[:, None] * turned)
        n = len(q)
        matrix = np.zeros((n, 2, n, 2))
        matrix[:, 0, :, 0] = matrix[:, 1, :, 1] = self.mass
        T = self.B[1][:, :, None] * turned[:, None, :]
        T = T.reshape(len(T), -1)
        full = matrix.reshape(2 * n, 2 * n) + (T.T * inertia) @ T
        return np.concatenate([v.ravel(), cho_solve(cho_factor(full), push.ravel())])

    def energy(self, q: FloatArray, v: FloatArray) -> float:
        """All energies together."""
        rod = self.rod
        a, b, rate, speed = self.B[1] @ q, self.B[2] @ q, self.B[1] @ v, self.B[0] @ v
        square = (a * a).sum(axis=1)
        kappa = (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / square
        spin = (a[:, 0] * rate[:, 1] - a[:, 1] * rate[:, 0]) / square
        density = rod.mass * (speed * speed).sum(axis=1) + rod.rotary * spin**2
        density += rod.EA * (np.sqrt(square) - 1.0) ** 2 + rod.EI * kappa**2
        return float(0.5 * self.weights @ density - (self.weight * q).sum())
