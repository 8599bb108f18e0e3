r"""The position equations of a model, g(q, t) = 0, with exact first and second derivatives.

Increments :math:`\delta q` are those of the free velocities (rotations in body axes), so that
:math:`\delta g = G\,\delta q + g_t\,\delta t` with :math:`g_t = -\dot\theta(t)` of the motions of the drivers. The
second derivative is that of a combination :math:`\psi^T g`, as the multipliers have it:
:math:`H(\psi) = \partial(G^T\psi)/\partial q`.

Where equations follow from others, as those of a plane linkage with spatial joints, there are more of them, m, than
unknowns, n. Which ones could be left out changes with the position. So none is: unknowns :math:`\varepsilon` are added,
:math:`g + V\varepsilon = 0` with :math:`V^T G = 0` at a position nearby. Then the matrix :math:`[G\ V]` is square and
regular, and :math:`\varepsilon` is zero unless the equations contradict each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csc_array

from flexmbs.constraint_forces.constraint_matrix import ConstraintMatrix
from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import free_directions, ordered_blocks, state_places
from flexmbs.dynamics.minimal import Sizes, of_one_size
from flexmbs.kernels.steps import retract

__all__ = ["MET", "PositionEquations", "Values"]

MET = 1e-12
"""Violation of a position equation, relative to the size of the model, that counts as round-off."""
RANK = 1e-9
"""Pivot, relative to the largest, below which an equation follows from the others."""
MOST = 3_000
"""Equations up to which dependent ones are sought."""
SHOWN = 6
"""Names that a message holds at most."""


class Values(NamedTuple):
    """g (m,), G (m, n) and g_t (m,) of all equations."""

    g: FloatArray
    G: csc_array
    g_t: FloatArray


class PositionEquations:
    """The equations of one compiled model on its n free velocities, without those at the places ``held``.

    Attributes
    ----------
    free : (n,) int array
        Their places in v, without first-order states, which geometry does not know.
    names : tuple of str
        The equations in words.
    """

    def __init__(self, dyn: Dynamics, who: str, held: IntArray | None = None) -> None:
        self.dyn, self.who = dyn, who
        self.model = f"Model {dyn.system.model.name!r}"
        m = dyn.mechanics
        slow = [m.names[i] for i in np.flatnonzero(dyn.velocity_rows == 1)]
        if slow:
            raise ModelError(
                f"{who}: {self.model}: {', '.join(slow[:SHOWN])} prescribes a velocity, from which no position "
                f"follows. "
                f"Give drivers a motion= instead of a rate=; rolling needs flexmbs.simulate."
            )
        self.free: IntArray = np.setdiff1d(dyn.system.free[dyn.system.free < dyn.n_v], state_places(dyn))
        if held is not None:
            self.free = np.setdiff1d(self.free, held)
        self.E = free_directions(dyn, self.free)
        self.names = m.names
        self.n, self.m = len(self.free), dyn.n_c
        self._driven = np.array([e.equation.motion is not None for e in m.equations])
        self._G = ConstraintMatrix(dyn, self.free, self.E)
        self.size = dyn.system.increment_sizes[self.free]
        """What is a large increment: the length of the model, 1 rad."""
        self._sizes = dyn.equation_sizes

    def gap(self, g: FloatArray) -> float:
        """The largest of values (m,) of the equations, lengths relative to that of the model."""
        return float(np.abs(g / self._sizes).max(initial=0.0))

    def at(self, q: FloatArray, t: float) -> Values:
        """Values and first derivatives; also leaves positions of markers and G in the work arrays."""
        dyn = self.dyn
        zero = np.zeros(dyn.n_v)
        self._evaluate(q, t, State(q, zero, zero, np.zeros(dyn.n_c)), (0.0, 0.0))
        return Values(dyn.r[dyn.n_v :].copy(), self._G.read(), -dyn.motion[:, 1].copy())

    def curvature(self, q: FloatArray, t: float, psi: FloatArray) -> FloatArray:
        """H (n, n), the derivative of G^T psi by the increments, with the factors psi (m,)."""
        dyn = self.dyn
        zero = np.zeros(dyn.n_v)
        state = State(q, zero, zero, np.ascontiguousarray(psi))
        self._evaluate(q, t, state, (1.0, 0.0))
        dyn.pull(state, (1.0, 0.0))
        unknown = dyn.system.unknown[self.free].astype(np.int64)
        order = np.concatenate((unknown, np.setdiff1d(np.arange(dyn.system.n), unknown)))
        H: FloatArray = ordered_blocks(dyn, dyn.B, order)[: self.n, : self.n].toarray()
        return H

    def acceleration(self) -> FloatArray:
        """g_tt (m,) at the time of the last evaluation."""
        return -self.dyn.motion[:, 2].copy()

    def moved(self, q: FloatArray, d: FloatArray) -> FloatArray:
        """The coordinates after an increment (n,)."""
        out = np.empty_like(q)
        retract(q, np.ascontiguousarray(self.E @ d), self.dyn.n_linear, out)
        return out

    def accept(self, q: FloatArray) -> None:
        """Count turns of angles from the position evaluated last."""
        self.dyn.accept(q)

    def border(self, values: Values) -> FloatArray:
        """V (m, m - n), orthonormal with V^T G = 0: how equations follow from others at this position.

        Raises
        ------
        ModelError
            If freedoms remain; the message names them.
        """
        if self.m > MOST:
            raise ModelError(f"{self.who}: {self.model} has {self.m} equations; at most {MOST} are covered.")
        A, factor = of_one_size(values.G.toarray(), Sizes(self.size, self._sizes))
        Q, R, _ = qr(A, pivoting=True) if self.m else (A, A, None)
        rank = _rank(R)
        if rank < self.n:
            raise ModelError(
                f"{self.who}: {self.model}: the joints and drivers leave {self._freedoms(A)}. Add "
                f"drivers with a motion for them, or use flexmbs.simulate. (Where this is not so in general, the "
                f"position at the start is singular: begin a little beside it.)"
            )
        V, _ = np.linalg.qr(Q[:, rank:] * np.where(factor > 0.0, factor, 1.0)[:, None])
        return np.ascontiguousarray(V)

    def _freedoms(self, A: FloatArray) -> str:
        """The coordinates that equations with the matrix A (of one size) leave free, in words."""
        Q, R, _ = qr(A.T, pivoting=True) if self.m else (np.eye(self.n), A, None)
        N = Q[:, _rank(R) :]
        count = N.shape[1]
        _, _, order = qr(N.T, mode="economic", pivoting=True)
        named = [self.dyn.coordinates.describe(int(self.free[i])) for i in order[:count][:SHOWN]]
        more = f" and {count - SHOWN} more" if count > SHOWN else ""
        return f"{count} freedom{'s' if count > 1 else ''}: {', '.join(named)}{more}"

    def worst(self, g: FloatArray) -> str:
        """The equations that are violated most, in words."""
        size = np.abs(np.nan_to_num(g, nan=np.inf)) / self._sizes
        order = [int(i) for i in np.argsort(-size, kind="stable")[:SHOWN] if size[i] > 0.1 * size.max() > 0.0]
        return "; ".join(f"{self.names[i]} ({g[i]:.3g})" for i in order)

    def involved(self, psi: FloatArray) -> str:
        """The joints that share in a combination of equations, in words, drivers first."""
        m = self.dyn.mechanics
        share = np.abs(psi) / max(float(np.abs(psi).max(initial=0.0)), 1e-300)
        found = [int(i) for i in np.argsort(-share, kind="stable") if share[i] > 0.05]
        found.sort(key=lambda i: not self._driven[i])
        names = dict.fromkeys(repr(m.equations[i].joint.name) for i in found)
        return ", ".join(list(names)[:SHOWN])

    def _evaluate(self, q: FloatArray, t: float, state: State, weights: tuple[float, float]) -> None:
        dyn, markers = self.dyn, self.dyn.markers
        dyn.set_time(t)
        dyn.T[:] = np.eye(3)
        dyn.evaluations += 1
        dyn.B[:] = 0.0
        dyn.r[: dyn.n_v] = 0.0
        dyn.r[dyn.n_v :] = dyn.prescribed.given[dyn.n_v :]
        markers.W[:] = 0.0
        dyn.place(state, tangents=True)
        dyn.constraint_rows(state, weights)


def _rank(R: FloatArray) -> int:
    """From a triangular factor with ordered pivots."""
    pivots = np.abs(np.diag(R))
    return int((pivots > RANK * pivots.max(initial=0.0)).sum())
