r"""How the matrix of a corrector follows the motions of drivers: its derivatives by u, u' and u'' of each.

After A. Fuchs, M. Arnold (Prague 2002), eq. 17: models that mostly do what drivers make them do need no new
derivatives while

.. math:: S(t) \approx S(t_0) + \sum_{i,k} \frac{\partial S}{\partial u_i^{(k)}}\,
   \bigl(u_i^{(k)}(t) - u_i^{(k)}(t_0)\bigr), \qquad k = 0, 1, 2,

holds. The derivatives are total ones. With :math:`S y + G^T \mu = 0, G y = e_i` the positions are moved along y for u,
the velocities for u', the accelerations for u''; one iteration of Newton's method then gives the positions,
velocities, accelerations and multipliers that meet the equations there. Through the multipliers, for one, u'' of a
support changes the stiffness of a chain that hangs from it.

How much a matrix S + dS is missed by S is measured by the rate at which the iteration with it would converge, the
spectral radius of :math:`S^{-1} dS`, found by a few steps of the power method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.difference_matrix import moved, pose
from flexmbs.mechanics.steps import norm, spread

if TYPE_CHECKING:
    from flexmbs.dynamics import Dynamics

__all__ = ["Excitations", "Place", "form", "rate_of", "values"]

SMALL = 1e-3
"""Motion of the model, in radians and lengths of it, over which the derivatives are formed."""
NEGLIGIBLE = 1e-5
"""Rate, over that motion, below which a derivative is left out."""
POWERS = 6

Parts = Callable[["Place"], tuple[FloatArray, FloatArray]]
Turn = Callable[[FloatArray], FloatArray]


class Place(NamedTuple):
    """Where a matrix was evaluated: time, leading coefficient, and the state with its metric of increments."""

    t: float
    alpha: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    T: FloatArray

    def pack(self) -> FloatArray:
        """As one array."""
        return np.concatenate(([self.t, self.alpha], self.q, self.v, self.a, self.lam, self.T.ravel()))

    @classmethod
    def unpack(cls, packed: FloatArray, dynamics: Dynamics) -> Place:
        """What `pack` took."""
        d = dynamics
        t, alpha, *_ = packed
        q, v, a, lam, T = np.split(packed[2:], np.cumsum([d.n_q, d.n_v, d.n_v, d.n_c]))
        return cls(float(t), float(alpha), q, v, a, lam, T.reshape(d.T.shape))


class Slope(NamedTuple):
    """Of derivative ``k`` of the motion of driver ``driver``: derivatives of X and E, and the rates of both."""

    driver: int
    k: int
    X: FloatArray
    E: FloatArray
    rates: tuple[float, float]


@dataclass(frozen=True)
class Excitations:
    """Derivatives of a matrix by the motions of drivers, formed at ``origin``; those that matter."""

    origin: FloatArray
    alpha: float
    slopes: tuple[Slope, ...]

    def change(self, by: FloatArray) -> tuple[FloatArray | float, FloatArray | float]:
        """Changes of X and E, at the leading coefficient of the origin, when motions (drivers, 3) change by ``by``."""
        X: FloatArray | float = 0.0
        E: FloatArray | float = 0.0
        for s in self.slopes:
            X, E = X + by[s.driver, s.k] * s.X, E + by[s.driver, s.k] * s.E
        return X, E

    def rate(self, by: FloatArray, alpha: float) -> float:
        """Rate of an iteration whose matrix does not follow this change, at most."""
        f = self.alpha / alpha
        return sum(abs(float(by[s.driver, s.k])) * (s.rates[0] + f * f * s.rates[1]) for s in self.slopes)


def values(dynamics: Dynamics, t: float) -> FloatArray:
    """u, u', u'' of all drivers (drivers, 3) at t."""
    dynamics.set_time(t)
    return dynamics.motion[[i for i, _ in dynamics._moving]]


def form(dynamics: Dynamics, place: Place, X: FloatArray, E: FloatArray, parts: Parts, turn: Turn) -> Excitations:
    """Derivatives at a place, whose matrix X + E is factorised; three evaluations and residuals for each driver."""
    dyn, wa = dynamics, place.alpha**2
    n_v, found = dyn.n_v, []
    for number, (row, _) in enumerate(dyn._moving):
        dyn.residual(place.q, place.v, place.a, place.lam)
        r0, rates0 = dyn.r[:n_v].copy(), dyn.rates()
        dyn.r[:] = 0.0
        dyn.r[n_v + row] = -1.0
        y = dyn.solve(0.0, 1.0, 1.0)[:n_v].copy()
        h = SMALL / max(dyn.size_of(y), SMALL)
        # the value of a motion that is prescribed by its rate does not enter
        for k in range(int(dyn.velocity_rows[row]), 3):
            step = h * place.alpha**k
            q, v, a = place.q, place.v, place.a
            if k == 0:
                q = moved(dyn, q, pose(dyn, step * y))
            elif k == 1:
                v = v + step * y
            else:
                a = a + step * y
            dyn.residual(q, v, a, place.lam)
            rates = dyn.rates() - rates0
            if k == 1:
                rates[row] -= step
            dyn.r[:n_v] -= r0
            dyn.r[n_v:] = rates
            x = dyn.solve(1.0 / wa, 1.0 / place.alpha, 1.0 / place.alpha).copy()
            there = place._replace(
                q=moved(dyn, q, pose(dyn, x[:n_v])), v=v + place.alpha * x[:n_v], a=a + wa * x[:n_v],
                lam=place.lam + wa * x[n_v:],
            )  # fmt: skip
            X1, E1 = parts(there)
            dX, dE = (X1 - X) / step, (E1 - E) / step
            by = rate_of(dyn, turn(dX)), rate_of(dyn, turn(dE))
            if sum(by) * step > NEGLIGIBLE:
                found.append(Slope(number, k, dX, dE, by))
    return Excitations(place.pack(), place.alpha, tuple(found))


def rate_of(dynamics: Dynamics, B: FloatArray) -> float:
    """Spectral radius of S^-1 B, S the matrix that is factorised, ``B`` blocks in nodal frames; an estimate."""
    system, n_v = dynamics.system, dynamics.n_v
    places = dynamics.matrix.entries
    row, col, entries = system._row[places], system._col[places], B[places]
    x = np.random.default_rng(1).standard_normal(system.n)
    d = np.empty(n_v + dynamics.n_c)
    before = found = 0.0
    for _ in range(POWERS):
        b = np.bincount(row, entries * x[col], system.n)
        x = dynamics.matrix.solve(b).copy()
        spread(x, system.free, dynamics._frame_dofs, dynamics._frames, d)
        size = norm(d[:n_v], dynamics.mass)
        if not 0.0 < size < np.inf:
            return 0.0
        found, before = size / before if before else 0.0, size
        x /= size
        before = 1.0
    return found
