"""The directions that the constraints allow about an operating point, of positions and of their rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.linearisation import moved, rolling_rows
from flexmbs.dynamics.minimal import Sizes, dependent_first, partitioned_basis

if TYPE_CHECKING:
    from flexmbs.analysis.operating_point import OperatingPoint

__all__ = ["Directions"]

STEP = 1e-5
"""Step of the differences of velocity constraints."""
ROUND_OFF = 64.0 * float(np.finfo(float).eps)
"""Change of the rate of a constraint, relative to the sum of its parts, that is none."""
RATES = 1e-8
"""Weight by which coordinates that have a rate of their own become dependent after all others."""


class Directions(NamedTuple):
    r"""The directions that the constraints allow: :math:`y = Q z`, :math:`\dot y = N u + V z`.

    z are independent coordinates, some of the y, and u the rates of those of them, or of the first of them, that
    may be chosen. About a motion with constraints on velocities (rolling) there are more z than u: such constraints
    leave positions as they are, and say how fast some of them change where others are displaced,
    :math:`V = -P(G W + \partial(G v)/\partial q) Q`. At rest those positions do not change, and are left out. V also
    tells where N changes along a motion. Accelerations are :math:`\ddot y = N\dot u + A_1 u + A_0 z` with ``slowing``
    and ``bending``.

    ``positions (n, n_z)``: Q; ``N (n, n_u)``; ``turning (n, n_z)``: V; ``independent (n_z,)``: the places of z, of
    those with rates first; ``P (n, n_c)``: the least that closes a gap.
    """

    positions: FloatArray
    N: FloatArray
    turning: FloatArray
    independent: IntArray
    P: FloatArray
    slowing: FloatArray
    bending: FloatArray

    @classmethod
    def of(cls, point: OperatingPoint) -> Directions:
        """Of an operating point."""
        dyn, lin = point.dyn, point.lin
        n, still = len(lin.free), np.flatnonzero(~lin.states)
        G, sizes = lin.G.toarray()[:, still], Sizes.of(dyn, lin.free[still])
        inner, pseudo, independent = partitioned_basis(G, sizes, dependent_first(dyn, lin)[still])
        N, P = np.zeros((n, inner.shape[1])), np.zeros((n, dyn.n_c))
        N[still], P[still] = inner, pseudo
        zero = np.zeros_like(N)
        rolls = rolling_rows(dyn)
        if point.seen_by is None or not rolls.any():
            return cls(N, N, zero, still[independent], P, zero, zero)
        last = dependent_first(dyn, lin)[still]
        last[independent] *= RATES  # what has a rate has a position
        holonomic = np.where(rolls[:, None], 0.0, G)
        wider, _, places = partitioned_basis(holonomic, sizes, last)
        order = np.argsort(~np.isin(places, independent), kind="stable")
        Q = np.zeros((n, len(places)))
        Q[still], places = wider[:, order], still[places[order]]
        turning = -P @ _rates_along(point, Q, point.matrices.W @ Q)
        return cls(Q, N, turning, places, P, turning @ N[places], turning @ turning[places])


def _rates_along(point: OperatingPoint, Q: FloatArray, V: FloatArray) -> FloatArray:
    """Central differences (n_c, m) of G v + g_t along increments Q of positions and V of velocities."""
    dyn, s, E = point.dyn, point.state, point.lin.directions
    out, unit = np.zeros((dyn.n_c, Q.shape[1])), dyn.system.increment_sizes[point.lin.free]
    noise = ROUND_OFF * (abs(point.lin.G) @ np.abs(E.T @ s.v))
    for j in range(Q.shape[1]):
        sides, sizes = [], [float((np.abs(x[:, j]) / unit).max(initial=0.0)) for x in (Q, V)]
        step = STEP / (sizes[0] or sizes[1] or 1.0)
        for h in (step, -step):
            dyn.residual(moved(dyn, s.q, h * (E @ Q[:, j])), s.v + h * (E @ V[:, j]), s.a, s.lam)
            sides.append(dyn.rates())
        change = sides[0] - sides[1]
        out[:, j] = np.where(np.abs(change) > noise, change / (2.0 * step), 0.0)
    dyn.residual(s.q, s.v, s.a, s.lam)
    return out
