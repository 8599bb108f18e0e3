r"""A bent pole on a hinge: its shape by boundary values, and a particle that it throws.

With the stress-free curvature :math:`\kappa_0`, the force F on the end, and the angle :math:`\theta` of the tangent t,

.. math:: x' = (1 + \varepsilon) t, \quad \theta' = \kappa_0 + M/EI, \quad M' = -(1 + \varepsilon)\,(t\times F)_z, \quad
   \varepsilon = F\cdot t/EA, \quad M(0) = 0 .

In a pole without mass the force N along the chord, tension positive, depends on the distance r of its ends alone, so
that a particle at its end moves by :math:`m(\ddot r - r\dot\varphi^2) = -N(r) - m g\sin\varphi`,
:math:`m(r\ddot\varphi + 2\dot r\dot\varphi) = -m g\cos\varphi`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_bvp, solve_ivp
from scipy.interpolate import CubicSpline

__all__ = ["Pole", "hinge"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Pole:
    """Length, EI, EA, and curvature without stress.

    Examples
    --------
    >>> pole = Pole(5.0, 1300.0, 9.4e6, 0.03)
    >>> r, N = pole.pull(np.array([0.0, 0.5]))
    >>> bool(abs(r[0] - 2 / 0.03 * np.sin(0.075)) < 1e-9), bool(r[1] < r[0]), bool(N[1] < -400)
    (True, True, True)
    """

    length: float
    EI: float
    EA: float
    curvature: float = 0.0

    def _rates(self, u: FloatArray, force: FloatArray) -> FloatArray:
        c, s = np.cos(u[2]), np.sin(u[2])
        longer = 1.0 + (force[0] * c + force[1] * s) / self.EA
        return np.vstack((
            longer * c, longer * s, self.curvature + u[3] / self.EI, -longer * (c * force[1] - s * force[0])
        ))  # fmt: skip

    def held(self, place: tuple[float, float], angle: float) -> tuple[FloatArray, float]:
        """Force (2,) on the end and moment there, that hold it at a place with its tangent at an angle."""
        s = np.linspace(0.0, self.length, 201)
        chord = np.arctan2(place[1], place[0])
        bow = chord + (angle - chord) * (2.0 * s / self.length - 1.0)
        x, y = (np.concatenate(([0.0], np.cumsum(0.5 * (f[1:] + f[:-1])) * s[1])) for f in (np.cos(bow), np.sin(bow)))
        push = -np.array([np.cos(chord), np.sin(chord)]) * self.EI * (np.pi / self.length) ** 2
        first = np.vstack((x, y, bow, self.EI * (2.0 * (angle - chord) / self.length - self.curvature) + 0.0 * s))

        def ends(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
            return np.array([a[0], a[1], a[3], b[0] - place[0], b[1] - place[1], b[2] - angle])

        found = solve_bvp(lambda x, u, p: self._rates(u, p), ends, s, first, p=push, tol=1e-9, max_nodes=20000)
        if not found.success:
            raise ArithmeticError(f"Pole.held: {found.message}")
        return np.asarray(found.p), float(found.y[3, -1])

    def pull(self, turned: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distances of the ends and forces between them, tension positive, as the ends turn by these angles."""
        s = np.linspace(0.0, self.length, 201)
        still = 0.5 * self.curvature * self.length
        guess = np.vstack((s, 0.0 * s, self.curvature * s - still, 0.0 * s))
        N = np.zeros(1)
        reach, forces = [], []
        for turn in turned:

            def ends(a: FloatArray, b: FloatArray, p: FloatArray, angle: float = -still - turn) -> FloatArray:
                return np.array([a[0], a[1], a[2] - angle, a[3], b[1]])  # on the chord: no moment at the end

            found = solve_bvp(lambda x, u, p: self._rates(u, np.array([p[0], 0.0])), ends, s, guess, p=N, tol=1e-8,
                              max_nodes=20000)  # fmt: skip
            if not found.success:
                raise ArithmeticError(f"Pole.pull: {found.message}")
            guess, N = found.sol(s), found.p
            reach.append(float(found.y[0, -1]))
            forces.append(float(N[0]))
        return np.array(reach), np.array(forces)

    def thrown(
        self, mass: float, gravity: float, place: FloatArray, planting: tuple[float, float], t: FloatArray, turn: float
    ) -> FloatArray:
        """Places (n_t, 2) of a particle at the end of a pole without stress, which turns by up to ``turn`` at its ends.

        ``planting``: all begin with a velocity along x, and the hinge stops within a time, `hinge`.
        """
        turned, fine = np.linspace(0.0, turn, 41), np.linspace(0.0, turn, 2001)
        r, N = (CubicSpline(turned, f)(fine) for f in self.pull(turned))
        law = CubicSpline(r[::-1], N[::-1])

        def rates(time: float, u: FloatArray) -> list[float]:
            x, y = u[0] - hinge(time, *planting), u[1]
            d = float(np.hypot(x, y))
            if d < r[-1]:
                raise ArithmeticError("Pole.thrown: the pole is bent further than the table goes")
            push = -float(law(d)) / mass
            return [u[2], u[3], push * x / d, push * y / d - gravity]

        found = solve_ivp(rates, (t[0], t[-1]), [*place, planting[0], 0.0], method="DOP853", t_eval=t, rtol=1e-11,
                          atol=1e-12)  # fmt: skip
        return np.asarray(found.y[:2].T)


def hinge(t: float, speed: float, time: float) -> float:
    """Way of a hinge whose velocity falls by a half cosine from ``speed`` to zero within ``time``."""
    if t >= time:
        return 0.5 * speed * time
    return float(0.5 * speed * (t + time / np.pi * np.sin(np.pi * t / time)))
