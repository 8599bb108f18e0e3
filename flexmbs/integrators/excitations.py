r"""How the matrix of a corrector follows the motions of drivers: its derivatives by u, u' and u'' of each.

After A. Fuchs, M. Arnold (Prague 2002), eq. 17: models that mostly do what drivers make them do need no new
derivatives while

.. math:: S(t) \approx S(t_0) + \sum_{i,k} \frac{\partial S}{\partial u_i^{(k)}}\,
   \bigl(u_i^{(k)}(t) - u_i^{(k)}(t_0)\bigr), \qquad k = 0, 1, 2,

holds. The derivatives are total ones: with :math:`S y + G^T \mu = 0, G y = e_i` (R left out of S) the positions are
moved along y for u, the velocities for u', the accelerations for u''; then the velocities are changed so that they
meet their constraints, accelerations and multipliers so that they meet the equations of motion and the second
derivative of the constraints. Through the multipliers, for one, u'' of a support changes the stiffness of a chain that
hangs from it. What has freedoms of its own does not follow u in this way; such derivatives foretell little and are
found out by that.

How much a matrix S + dS is missed by S is measured by the rate at which the iteration with it would converge, the
spectral radius of :math:`S^{-1} dS`, found by a few steps of the power method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.difference_matrix import moved, pose
from flexmbs.kernels.steps import norm, spread

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["Excitations", "Place", "enterable", "form", "moves", "rate_of", "values"]

SMALL = 1e-4
"""Motion of the model, in radians and lengths of it, over which the derivatives are formed."""
NEGLIGIBLE = 1e-6
"""Rate, over that motion, below which a derivative is left out."""
TELLING = 0.1
"""Rate that a derivative must account for to be judged by."""
POWERS, CORRECTIONS = 6, 3

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

    @staticmethod
    def size(dynamics: Dynamics) -> int:
        """Of the array."""
        d = dynamics
        return 2 + d.n_q + 2 * d.n_v + d.n_c + d.T.size

    @classmethod
    def unpack(cls, packed: FloatArray, dynamics: Dynamics) -> Place:
        """What `pack` took."""
        d = dynamics
        t, alpha, *_ = packed
        q, v, a, lam, T = np.split(packed[2:], np.cumsum([d.n_q, d.n_v, d.n_v, d.n_c]))
        return cls(float(t), float(alpha), q, v, a, lam, T.reshape(d.T.shape))


class Move(NamedTuple):
    """A change of derivative ``k`` of the motion of a driver by ``step``, and where it leads."""

    driver: int
    k: int
    step: float
    there: Place


class Slope(NamedTuple):
    """Of derivative ``k`` of the motion of driver ``driver``: derivatives of X and E, and the rates of both."""

    driver: int
    k: int
    X: FloatArray
    E: FloatArray
    rates: tuple[float, float]

    def rate(self, by: FloatArray, f: float) -> float:
        """That of a change of motions, with alpha smaller by f than where the slope was formed, at most."""
        return abs(float(by[self.driver, self.k])) * (self.rates[0] + f * f * self.rates[1])


@dataclass(frozen=True)
class Excitations:
    """Derivatives of a matrix by the motions of drivers, formed at a place.

    ``wanted (drivers, 3)``: which of them; ``slopes``: those of them that matter.
    """

    place: Place
    wanted: NDArray[np.bool_]
    slopes: tuple[Slope, ...]

    def pack(self) -> FloatArray:
        """As one array."""
        return np.concatenate((self.place.pack(), self.wanted.ravel()))

    @classmethod
    def unpack(cls, packed: FloatArray, dynamics: Dynamics) -> tuple[NDArray[np.bool_], Place]:
        """What of `form` makes the excitations that `pack` took."""
        size = Place.size(dynamics)
        return packed[size:].reshape(-1, 3) > 0.0, Place.unpack(packed[:size], dynamics)

    def those_that_help(self, by: FloatArray, alpha: float, missed: Callable[[Excitations], float]) -> Excitations:
        """Without the slopes with which an evaluation is foretold worse.

        ``by (drivers, 3)``: changes of the motions till there, which must be large enough for a slope to be judged;
        ``missed``: rate of an iteration whose matrix follows some of the slopes.
        """
        judged = [s for s in self.slopes if s.rate(by, self.place.alpha / alpha) > TELLING]
        if not judged:
            return self
        out = list(judged)
        least = missed(self._without(out))
        for s in sorted(judged, key=lambda s: s.k, reverse=True):
            fewer = [other for other in out if other is not s]
            left = missed(self._without(fewer))
            if left <= least:
                out, least = fewer, left
        return self._without(out)

    def _without(self, left_out: Sequence[Slope]) -> Excitations:
        wanted = self.wanted.copy()
        for s in left_out:
            wanted[s.driver, s.k] = False
        return Excitations(self.place, wanted, tuple(s for s in self.slopes if wanted[s.driver, s.k]))

    def change(self, by: FloatArray) -> tuple[FloatArray | float, FloatArray | float]:
        """Changes of X and E, at the leading coefficient of the origin, when motions (drivers, 3) change by ``by``."""
        X: FloatArray | float = 0.0
        E: FloatArray | float = 0.0
        for s in self.slopes:
            X, E = X + by[s.driver, s.k] * s.X, E + by[s.driver, s.k] * s.E
        return X, E

    def rate(self, by: FloatArray, alpha: float) -> float:
        """Rate of an iteration whose matrix does not follow this change, at most."""
        return sum(s.rate(by, self.place.alpha / alpha) for s in self.slopes)


def values(dynamics: Dynamics, t: float) -> FloatArray:
    """u, u', u'' of all drivers (drivers, 3) at t."""
    dynamics.set_time(t)
    return dynamics.motion[[i for i, _ in dynamics.prescribed.moving]]


def enterable(dynamics: Dynamics) -> NDArray[np.bool_]:
    """Which of u, u', u'' of each driver (drivers, 3) enter; the value of a motion given by its rate does not."""
    levels = dynamics.velocity_rows[[i for i, _ in dynamics.prescribed.moving]]
    return np.arange(3) >= levels[:, None]


def moves(dynamics: Dynamics, place: Place, wanted: NDArray[np.bool_]) -> list[Move]:
    """Changes of the ``wanted`` derivatives of motions, and where they lead, with the matrix factorised without R."""
    dyn, n_v = dynamics, dynamics.n_v
    r0, rates0 = _residual(dyn, place)
    second0 = _second(dyn, place)
    found = []
    for number, k in np.argwhere(wanted):
        row = dyn.prescribed.moving[number][0]
        dyn.r[:] = 0.0
        dyn.r[n_v + row] = -1.0
        y = dyn.solve(0.0, 1.0, 1.0)[:n_v].copy()
        step = SMALL / max(dyn.size_of(y), SMALL) * place.alpha**k
        if k == 0:
            there = place._replace(q=moved(dyn, place.q, pose(dyn, step * y)))
            _, rates = _residual(dyn, there)
            dyn.r[:n_v] = 0.0
            dyn.r[n_v:] = rates - rates0
            there = there._replace(v=place.v + dyn.solve(0.0, 1.0, 1.0)[:n_v])
        elif k == 1:
            there = place._replace(v=place.v + step * y)
        else:
            there = place._replace(a=place.a + step * y)
        for _ in range(CORRECTIONS):  # S holds K and D, which keep stiff parts from darting off, besides the mass
            second = _second(dyn, there) - second0
            if k == 2:
                second[row] -= step
            r, _ = _residual(dyn, there)
            dyn.r[:n_v] = r - r0
            dyn.r[n_v:] = second
            x = dyn.solve(1.0, 1.0, 1.0)
            there = there._replace(a=there.a + x[:n_v], lam=there.lam + x[n_v:])
        found.append(Move(int(number), int(k), step, there))
    return found


def form(
    dynamics: Dynamics, place: Place, X: FloatArray, E: FloatArray, moves: Sequence[Move], parts: Parts, turn: Turn
) -> Excitations:
    """Derivatives at a place with the matrix X + E, which is factorised: an evaluation for each of the ``moves``.

    ``parts``: X and E at a place; ``turn``: a copy of blocks in nodal frames.
    """
    mattering = np.zeros((len(dynamics.prescribed.moving), 3), dtype=bool)
    found = []
    for move in moves:
        X1, E1 = parts(move.there)
        dX, dE = (X1 - X) / move.step, (E1 - E) / move.step
        rates = rate_of(dynamics, turn(dX)), rate_of(dynamics, turn(dE))
        if sum(rates) * move.step > NEGLIGIBLE:
            found.append(Slope(move.driver, move.k, dX, dE, rates))
            mattering[move.driver, move.k] = True
    return Excitations(place, mattering, tuple(found))


def _residual(dyn: Dynamics, at: Place) -> tuple[FloatArray, FloatArray]:
    """Forces M a + f + G^T lam, and rates of constraints."""
    dyn.residual(at.q, at.v, at.a, at.lam)
    return dyn.r[: dyn.n_v].copy(), dyn.rates()


def _second(dyn: Dynamics, at: Place) -> FloatArray:
    """Second derivatives of the constraints, but for the motions of drivers."""
    none = np.zeros(dyn.n_v)
    dyn.residual(at.q, at.a, none, at.lam)
    by_accelerations = dyn.rates()
    dyn.residual(at.q, none, none, at.lam)
    by_accelerations -= dyn.rates()
    found = by_accelerations + dyn.gamma(at.q, at.v)
    dyn.T[:] = at.T
    return found


def rate_of(dynamics: Dynamics, B: FloatArray) -> float:
    """Spectral radius of S^-1 B, S the matrix that is factorised, ``B`` blocks in nodal frames; an estimate."""
    system, n_v = dynamics.system, dynamics.n_v
    places = dynamics.matrix.entries
    row, col, entries = system.entry_rows[places], system.entry_columns[places], B[places]
    x = np.random.default_rng(1).standard_normal(system.n)
    d = np.empty(n_v + dynamics.n_c)
    before = found = 0.0
    for _ in range(POWERS):
        b = np.bincount(row, entries * x[col], system.n).astype(np.float64)
        x = dynamics.matrix.solve(b).copy()
        spread(x, system.free, dynamics.frame_dofs, dynamics.frames, d)
        size = norm(d[:n_v], dynamics.mass)
        if not 0.0 < size < np.inf:
            return 0.0
        found, before = size / before if before else 0.0, size
        x /= size
        before = 1.0
    return found
