r"""Free flight of a straight Simo-Reissner rod in space, by one polynomial over its length: no finite element is in it.

Positions :math:`\mathbf r` and unit quaternions :math:`p` of the sections are polynomials through the Lobatto points.
With the matrix D of their derivatives and the rotation :math:`\mathbf R(p)`,

.. math::

    \boldsymbol\Gamma = \mathbf R^T\mathbf r' - \mathbf e_1, \quad (0, \boldsymbol\kappa) = 2\,\bar p\,p', \\
    \mathbf n = \mathbf R\,\mathbf C_\Gamma\boldsymbol\Gamma, \quad
    \mathbf m = \mathbf R\,\mathbf C_\kappa\boldsymbol\kappa,

and the equations of motion in their weak form, with the weights w of Lobatto's rule, are

.. math::

    w_i\,\rho A\,\ddot{\mathbf r}_i = -\sum_j w_j D_{ji}\,\mathbf n_j + \mathbf F_i, \qquad
    w_i\,\mathbf R_i(\mathbf J\dot{\boldsymbol\Omega} + \boldsymbol\Omega\times\mathbf J\boldsymbol\Omega)_i =
    -\sum_j w_j D_{ji}\,\mathbf m_j + w_i\,\mathbf r'_i\times\mathbf n_i + \mathbf T_i .

Time is integrated by the explicit Runge-Kutta method of order 8. Where the motion is smooth the error falls
exponentially with the number of points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from flexmbs.core.errors import ConvergenceError

__all__ = ["Flight", "FlyingRod"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class FlyingRod:
    """A straight free rod at rest, loaded at its start S = 0 by a force and a torque in fixed directions.

    Parameters
    ----------
    length : float
    axes : (3, 3) array
        Axes of the sections as columns, the first along the rod; its start is the origin.
    force_stiffness, moment_stiffness : (3,) array
        (EA, GA_y, GA_z) and (GJ, EI_y, EI_z).
    mass : float
        Per length.
    rotary : (3,) array
        Rotary inertia per length about the axes of the section.
    force, torque : (3,) array
        Inertial components.
    history : function
        Factor of both over time.
    order : int
        Degree of the polynomial.

    Examples
    --------
    A force along the rod moves its centre by F t^2 / (2 m):

    >>> push, none = (4.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    >>> rod = FlyingRod(1.0, np.eye(3), (1e3,) * 3, (1.0,) * 3, 2.0, (0.1,) * 3, push, none, lambda t: 1.0, 4)
    >>> round(float(rod.run((0.0, 0.5)).centre(0.5)[0]), 9)
    0.75
    """

    length: float
    axes: NDArray[np.float64]
    force_stiffness: tuple[float, float, float]
    moment_stiffness: tuple[float, float, float]
    mass: float
    rotary: tuple[float, float, float]
    force: tuple[float, float, float]
    torque: tuple[float, float, float]
    history: Callable[[float], float]
    order: int = 16

    def run(self, times: tuple[float, ...], breaks: tuple[float, ...] = (), tolerance: float = 1e-9) -> Flight:
        """Integrate to these ascending times, the first of which is the start; ``breaks``: kinks of the history."""
        discrete = _Discrete(self)
        state = discrete.rest()
        found, now = [state], times[0]
        for then in times[1:]:
            for end in [*(b for b in breaks if now < b < then), then]:
                piece = solve_ivp(discrete.rates, (now, end), state, "DOP853", rtol=tolerance, atol=tolerance)
                if piece.status != 0:
                    raise ConvergenceError(f"reference flight of a rod: {piece.message}")
                now, state = end, piece.y[:, -1]
            found.append(state)
        return Flight(tuple(times), np.array(found), discrete)


class Flight:
    """What the rod does at some times."""

    def __init__(self, times: tuple[float, ...], states: FloatArray, discrete: _Discrete) -> None:
        self.times, self._states, self._discrete = times, states, discrete

    def _at(self, time: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        return self._discrete.parts(self._states[self.times.index(time)])

    def ends(self, time: float) -> FloatArray:
        """Positions (2, 3) of start and end."""
        return self._at(time)[0][[0, -1]]

    def centre(self, time: float) -> FloatArray:
        """Centre of mass (3,)."""
        return np.asarray(self._discrete.w @ self._at(time)[0] / self._discrete.rod.length)

    def energy(self, time: float) -> float:
        """Kinetic and strain energy together."""
        return self._discrete.energy(*self._at(time))


class _Discrete:
    """Points, weights, derivatives and the equations of motion."""

    def __init__(self, rod: FlyingRod) -> None:
        self.rod, n = rod, rod.order
        last = np.zeros(n + 1)
        last[n] = 1.0
        inner = np.sort(legendre.legroots(legendre.legder(last)).real)
        x = np.concatenate(([-1.0], inner, [1.0]))
        P = legendre.legval(x, last)
        self.w = 0.5 * rod.length * 2.0 / (n * (n + 1) * P**2)
        D = np.zeros((n + 1, n + 1))
        apart = ~np.eye(n + 1, dtype=bool)
        gaps = (x[:, None] - x[None, :])[apart]
        D[apart] = (P[:, None] / P[None, :])[apart] / gaps
        D[0, 0], D[n, n] = -n * (n + 1) / 4.0, n * (n + 1) / 4.0
        self.D = D * 2.0 / rod.length
        self.Dw = self.D.T * self.w
        self.S = 0.5 * rod.length * (x + 1.0)
        self.C, self.K = np.array(rod.force_stiffness), np.array(rod.moment_stiffness)
        self.J = np.array(rod.rotary)
        self.F, self.T = np.array(rod.force, dtype=float), np.array(rod.torque, dtype=float)

    def rest(self) -> FloatArray:
        """Positions, quaternions, velocities and angular velocities (of the section's axes) at the start, flat."""
        n = len(self.S)
        p = Rotation.from_matrix(self.rod.axes).as_quat(scalar_first=True)
        return np.concatenate((np.outer(self.S, self.rod.axes[:, 0]).ravel(), np.tile(p, n), np.zeros(6 * n)))

    def parts(self, state: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """r, p, their rates v and Omega."""
        n = len(self.S)
        r, p = state[: 3 * n].reshape(n, 3), state[3 * n : 7 * n].reshape(n, 4)
        v, W = state[7 * n : 10 * n].reshape(n, 3), state[10 * n :].reshape(n, 3)
        return r, p / np.linalg.norm(p, axis=1)[:, None], v, W

    def _strains(self, r: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """R, r', Gamma, kappa."""
        R = _matrices(p)
        slope, turn = self.D @ r, self.D @ p
        gamma = np.einsum("nij,ni->nj", R, slope)
        gamma[:, 0] -= 1.0
        a, b = p[:, 1:], turn[:, 1:]
        kappa = 2.0 * (p[:, :1] * b - turn[:, :1] * a - np.cross(a, b))
        return R, slope, gamma, kappa

    def rates(self, t: float, state: FloatArray) -> FloatArray:
        """Time derivative of the state."""
        r, p, v, W = self.parts(state)
        R, slope, gamma, kappa = self._strains(r, p)
        n, m = np.einsum("nij,nj->ni", R, self.C * gamma), np.einsum("nij,nj->ni", R, self.K * kappa)
        factor = self.rod.history(t)
        f, c = -self.Dw @ n, -self.Dw @ m + self.w[:, None] * np.cross(slope, n)
        f[0] += factor * self.F
        c[0] += factor * self.T
        a = f / (self.rod.mass * self.w)[:, None]
        moment = np.einsum("nij,ni->nj", R, c) / self.w[:, None]
        turning = (moment - np.cross(W, self.J * W)) / self.J
        rate = 0.5 * np.column_stack((-(p[:, 1:] * W).sum(axis=1), p[:, :1] * W + np.cross(p[:, 1:], W)))
        return np.concatenate((v.ravel(), rate.ravel(), a.ravel(), turning.ravel()))

    def energy(self, r: FloatArray, p: FloatArray, v: FloatArray, W: FloatArray) -> float:
        """Kinetic and strain energy."""
        _, _, gamma, kappa = self._strains(r, p)
        density = self.rod.mass * (v**2).sum(axis=1) + (self.J * W**2).sum(axis=1)
        density += (self.C * gamma**2).sum(axis=1) + (self.K * kappa**2).sum(axis=1)
        return float(0.5 * self.w @ density)


def _matrices(p: FloatArray) -> FloatArray:
    """Rotation matrices (n, 3, 3) of unit quaternions, scalar first."""
    a, b, c, d = p.T
    rows = (
        (a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)),
        (2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)),
        (2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d),
    )
    return np.moveaxis(np.array(rows), -1, 0)
