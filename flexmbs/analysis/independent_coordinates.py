r"""Coordinates that a user chooses to describe the motion of a constrained model, and everything in terms of them.

With the velocities p of a model at a position, its independent constraints :math:`G_z \delta p = 0`, and coordinates
:math:`\delta y = E\,\delta p`, one matrix each takes motions and constraint forces apart (Fuehrer and Wallrapp):

.. math:: \begin{bmatrix} G_z \\ E \end{bmatrix} J_y = \begin{bmatrix} 0 \\ 1 \end{bmatrix}, \qquad
   G_z J_z = 1, \quad J_y^T J_z = 0.

:math:`J_y^T` condenses the equations of motion to y, :math:`J_z^T` to the constraint forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import qr

from flexmbs.analysis.operating_point import position_of, resting_at
from flexmbs.core.checks import as_array, as_number, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import ConstrainedLinearisation, moved
from flexmbs.dynamics.minimal import DENSE, RANK, Sizes, of_one_size
from flexmbs.integrators.contracts import StepState
from flexmbs.model.control.joint_sensors import JointSensor
from flexmbs.model.control.sensors import as_sensors, read_sensor
from flexmbs.model.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.system.system import System

__all__ = ["IndependentCoordinates", "independent_coordinates"]

STEP = 1e-6
"""Step of the differences of sensors, in sizes of the model and radians."""
ALONG, NESTED = 1e-5, 1e-4
"""Steps along a motion of the differences of constraints, and of those of the gradients of sensors."""
TIED = 1e-9
"""Difference of two pivots, relative to the larger, up to which the choice between them is arbitrary."""


@dataclass(frozen=True, eq=False, repr=False)
class IndependentCoordinates:
    r"""Independent coordinates y of a model at a position.

    Attributes
    ----------
    names : tuple of str
        Of the coordinates y.
    velocities : tuple of str
        Of the n_p free velocities p. Translations are inertial, rotations of bodies in body axes.
    constraints : tuple of str
        Of the n_z independent constraints; ``redundant`` are those that follow from them.
    J_y : (n_p, n_y) array
        Velocities for unit rates of y: :math:`G J_y = 0`.
    J_z : (n_p, n_z) array
        Velocities that violate one independent constraint by a unit each, across all motions that are allowed.
    G : (n_z, n_p) array
        The independent constraints.
    ties : tuple of str
        Where the choice was arbitrary: coordinates that would have done as well as the one that was picked.
    balanced : bool
        Whether the position is an equilibrium, so that it makes sense to condense the stiffness.
    rates : (n_y,) array
        Of the coordinates, at the velocities of the state.
    J_y_rate : (n_p, n_y) array
        Time derivative of J_y along the motion of the state: without prescribed motions, accelerations are
        :math:`J_y\ddot y + \dot J_y\dot y`.
    applied : (n_p,) array
        Forces at the state and its velocities, those of joints left out, less what inertia takes at no acceleration:
        :math:`J_y^T M J_y\ddot y = J_y^T(\text{applied} - M\dot J_y\dot y)`.
    """

    names: tuple[str, ...]
    velocities: tuple[str, ...]
    constraints: tuple[str, ...]
    redundant: tuple[str, ...]
    J_y: FloatArray
    J_z: FloatArray
    G: FloatArray
    ties: tuple[str, ...]
    balanced: bool
    rates: FloatArray
    J_y_rate: FloatArray
    applied: FloatArray
    model: Model
    matrices: ConstrainedLinearisation
    rows: IntArray
    multipliers: FloatArray
    origin: tuple[Dynamics, float, tuple[str, ...], tuple[Any, ...]]

    def __repr__(self) -> str:
        tied = f", {len(self.ties)} ties" if self.ties else ""
        return (
            f"<independent coordinates of model {self.model.name!r}: {', '.join(self.names) or 'none'}; "
            f"{len(self.constraints)} independent constraints of {len(self.constraints) + len(self.redundant)}{tied}>"
        )

    @property
    def rank(self) -> int:
        """Number of independent constraints."""
        return len(self.constraints)

    def at(self, q: Any, v: Any, t: float | None = None) -> IndependentCoordinates:
        """The same coordinates at another state, such as a controller reads it: ``view.q`` and ``view.v``.

        ``q (n_q,), v (n_v,)``: coordinates and velocities of the model; ``t``: left out, the same time. Nothing is
        compiled anew. Coordinates that were picked by size are picked again there.
        """
        dyn, time, redundant, wanted = self.origin
        places = as_array("at", "q", q, (dyn.n_q,))
        moving = as_array("at", "v", v, (dyn.n_v,))
        now = time if t is None else as_number("at", "t", t, unit="time")
        return _made(dyn, now, places.copy(), moving.copy(), redundant, wanted)

    def condense(self, of: Any) -> FloatArray:
        """A matrix (n_p, n_p), or forces (n_p,) or (n_p, k), in terms of y.

        Raises
        ------
        ModelError
            If its size is not that of the velocities.
        """
        array = of.toarray() if hasattr(of, "toarray") else np.asarray(of, dtype=np.float64)
        n = len(self.velocities)
        if array.shape[0] != n or array.ndim > 2:
            raise ModelError(f"condense: expected a matrix or forces on {n} velocities, not an array {array.shape}.")
        return self.J_y.T @ array @ self.J_y if array.shape == (n, n) else self.J_y.T @ array

    @property
    def M(self) -> FloatArray:
        """Mass in terms of y (n_y, n_y)."""
        return self.condense(self.matrices.M)

    @property
    def D(self) -> FloatArray:
        """Damping in terms of y (n_y, n_y)."""
        return self.condense(self.matrices.D)

    @property
    def K(self) -> FloatArray:
        """Stiffness in terms of y (n_y, n_y), with the part of loaded joints.

        Raises
        ------
        ModelError
            If the position is no equilibrium: forces would depend on the choice of y.
        """
        if not self.balanced:
            raise ModelError(
                f"independent_coordinates: model {self.model.name!r} is no equilibrium, so that there is no condensed "
                f"stiffness; take solve_static(model)."
            )
        return self.condense(self.matrices.K)

    def constraint_forces(
        self, y: Any, rates: Any, accelerations: Any, forces: Any = None
    ) -> tuple[FloatArray, FloatArray]:
        r"""Changes of the multipliers (n_z,) in a small motion, and their forces :math:`-G_z^T \lambda_z` (n_p,).

        .. math:: \lambda_z = -J_z^T (M J_y \ddot y + D J_y \dot y + K J_y y - f)

        Parameters
        ----------
        y, rates, accelerations : (n_y,) sequences
        forces : (n_p,) sequence, optional
            That act beside those of the model.
        """
        if not self.balanced:
            raise ModelError(
                f"independent_coordinates: model {self.model.name!r} is no equilibrium, so that no motion about it is "
                f"small."
            )
        n_y = len(self.names)
        moves = (as_array("constraint_forces", "the motion", x, (n_y,)) for x in (y, rates, accelerations))
        m = self.matrices
        right = sum(A @ (self.J_y @ x) for A, x in zip((m.K, m.D, m.M), moves, strict=True))
        if forces is not None:
            right = right - as_array("constraint_forces", "forces", forces, (len(self.velocities),))
        multipliers = -self.J_z.T @ right
        return multipliers, -self.G.T @ multipliers


def independent_coordinates(
    model: Model | System | StaticSolution | TimeSolution, wanted: Sequence[Any] = ()
) -> IndependentCoordinates:
    """Coordinates that describe the motion of a model near a position, chosen by the user or by size.

    Parameters
    ----------
    model : Model, System, StaticSolution or TimeSolution
        At its initial position, or at the last one of a solution.
    wanted : sequence of str, joint or sensor
        As many as the model can move in different ways: names of coordinates (those in ``velocities``), joints, which
        stand for their angle or displacement, or sensors of one number. None: those that move most are picked, in sizes
        of the model and radians.

    Returns
    -------
    IndependentCoordinates
        With the matrices J_y and J_z, condensed mass, damping and stiffness, constraint forces, J_y along the motion.
        D and K are those of rest at the position.

    Raises
    ------
    ModelError
        If a coordinate is held by the constraints or follows from others that are wanted, if they do not suffice, if a
        name is unknown, or the model has first-order states or more than 1 500 free velocities.

    Notes
    -----
    Which coordinates move most may be arbitrary, as in symmetric positions; ``ties`` tells. Sensors and joints are
    differentiated by differences (1e-10), coordinates are exact.

    Source: C. Fuehrer and O. Wallrapp, DFVLR IB 515-84/2 (1984).

    Examples
    --------
    A crank on which a rod hangs, in terms of both their angles:

    >>> import flexmbs as fx
    >>> crank = fx.PlanarRigidBody(1.0, 0.1, position=(0.0, -0.5), name="crank")
    >>> rod = fx.PlanarRigidBody(1.0, 0.1, position=(0.0, -1.5), name="rod")
    >>> joints = fx.RevoluteJoint(fx.ground, crank, at=(0, 0)), fx.RevoluteJoint(crank, rod, at=(0, -1), name="knee")
    >>> model = fx.Model(crank, rod, *joints, fx.Gravity((0, -9.81)))
    >>> y = fx.independent_coordinates(model, ["angle of body 'crank'", "angle of body 'rod'"])
    >>> y.M.round(6).tolist(), (y.K.round(6) + 0.0).tolist()
    ([[1.35, 0.5], [0.5, 0.35]], [[14.715, 0.0], [0.0, 4.905]])
    """
    if isinstance(wanted, str) or not (is_list(wanted) or is_list(wanted, 0)):
        raise ModelError(f"independent_coordinates: wanted must be a list of coordinates, not {show(wanted)}.")
    return _made(*position_of("independent_coordinates", model), tuple(wanted))


def _made(
    dyn: Dynamics, t: float, q: FloatArray, v: FloatArray, redundant: tuple[str, ...], wanted: tuple[Any, ...]
) -> IndependentCoordinates:
    """The coordinates at a state."""
    state, lin, balanced = resting_at(dyn, t, q, v, redundant)
    if lin.states.any():
        raise ModelError(
            f"independent_coordinates: model {dyn.system.model.name!r} has first-order states, which have no "
            f"constraints; take linearise."
        )
    if len(lin.free) > DENSE:
        raise ModelError(
            f"independent_coordinates: model {dyn.system.model.name!r} has {len(lin.free)} free velocities; it goes up "
            f"to {DENSE}."
        )
    found = _Choice(dyn, state._replace(v=v), lin).result(list(wanted), balanced)
    return replace(found, origin=(dyn, t, redundant, wanted))


class _Choice:
    """Constraints and motions at a position, in sizes of the model.

    ``scale (n,)``: size of each velocity; ``kept, dropped``: independent constraints and the others; ``N (n, n_y)``:
    orthonormal motions in these sizes.
    """

    def __init__(self, dyn: Dynamics, state: StepState, lin: ConstrainedLinearisation) -> None:
        self.dyn, self.state, self.lin = dyn, state, lin
        self.scale = dyn.system.increment_sizes[lin.free]
        self.names = tuple(dyn.coordinates.describe(int(k)) for k in lin.free)
        self.G = lin.G.toarray()
        n = len(lin.free)
        A, _ = of_one_size(self.G, Sizes(self.scale, dyn.equation_sizes))
        if len(A):
            Q, R, order = qr(A.T, pivoting=True)
            pivots = np.abs(np.diag(R))
            rank = int((pivots > RANK * max(pivots[0], 1e-300)).sum())
            self.kept, self.dropped = np.sort(order[:rank]), np.sort(order[rank:])
            self.N = Q[:, rank:]
        else:
            self.kept = self.dropped = np.zeros(0, dtype=np.int64)
            self.N = np.eye(n)

    def result(self, wanted: list[Any], balanced: bool) -> IndependentCoordinates:
        """Everything in terms of the wanted coordinates, or of those that move most."""
        ties: tuple[str, ...] = ()
        if wanted:
            rows, names = self._rows(wanted)
            self._check(rows, names)
        else:
            rows, names, ties = self._picked()
        N = self.scale[:, None] * self.N
        J_y = N @ np.linalg.inv(rows @ N) if len(names) else np.zeros((len(self.names), 0))
        G = self.G[self.kept]
        J_z = np.linalg.pinv(G) if len(G) else np.zeros((len(self.names), 0))
        of = self.dyn.system.mechanics.names if self.dyn.n_c else ()
        moving, nothing = self.state.v, np.zeros(self.dyn.n_v)
        r = self.dyn.residual(self.state.q, moving, nothing, np.zeros(self.dyn.n_c))
        applied = -(self.lin.directions.T @ r[: self.dyn.n_v])
        rates = rows @ (self.lin.directions.T @ moving)
        return IndependentCoordinates(
            names=names, velocities=self.names, constraints=tuple(of[i] for i in self.kept),
            redundant=tuple(of[i] for i in self.dropped), J_y=J_y, J_z=J_z, G=G, ties=ties, balanced=balanced,
            rates=rates, J_y_rate=self._rate(J_y, rows, wanted), applied=applied, origin=(self.dyn, 0.0, (), ()),
            model=self.dyn.system.model, matrices=self.lin, rows=self.kept, multipliers=self.state.lam.copy(),
        )  # fmt: skip

    def _picked(self) -> tuple[FloatArray, tuple[str, ...], tuple[str, ...]]:
        """The coordinates that move most, each across what the ones before it explain."""
        rest, chosen, ties = self.N.copy(), list[int](), list[str]()
        for _ in range(self.N.shape[1]):
            size = np.linalg.norm(rest, axis=1)
            size[chosen] = 0.0
            k = int(np.argmax(size))
            same = [i for i in np.flatnonzero(size >= (1.0 - TIED) * size[k]) if i != k]
            if same:
                ties.append(f"{self.names[k]}: as well {', '.join(self.names[i] for i in same)}")
            chosen.append(k)
            along = rest[k] / np.linalg.norm(rest[k])
            rest = rest - np.outer(rest @ along, along)
        chosen.sort()
        return np.eye(len(self.names))[chosen], tuple(self.names[k] for k in chosen), tuple(ties)

    def _check(self, rows: FloatArray, names: tuple[str, ...]) -> None:
        """Refuse coordinates that do not move, depend on each other, or do not suffice."""
        owner, n_y = f"independent_coordinates: model {self.dyn.system.model.name!r}", self.N.shape[1]
        moves = (rows * self.scale) @ self.N
        full = np.linalg.norm(rows * self.scale, axis=1)
        basis = np.zeros((0, n_y))
        for i, name in enumerate(names):
            size = float(np.linalg.norm(moves[i]))
            if not size > RANK * full[i]:
                raise ModelError(
                    f"{owner}: {name} cannot be independent, since the constraints hold it at this position. "
                    f"{self._offer()}"
                )
            rest = moves[i] - basis.T @ (basis @ moves[i])
            if not np.linalg.norm(rest) > RANK * size:
                share = np.abs(basis @ moves[i]) > RANK * size
                from_ = ", ".join(n for n, s in zip(names, share, strict=False) if s)
                raise ModelError(
                    f"{owner}: {name} cannot be independent, since it follows from {from_}. {self._offer()}"
                )
            basis = np.vstack((basis, rest / np.linalg.norm(rest)))
        if len(names) < n_y:
            left = self.N - self.N @ basis.T @ basis
            more = self.names[int(np.argmax(np.linalg.norm(left, axis=1)))]
            raise ModelError(
                f"{owner}: {len(names)} coordinates do not suffice, it moves in {n_y} ways. Want {n_y - len(names)} "
                f"more, such as {more}."
            )

    def _offer(self) -> str:
        """What moves, for messages."""
        if not self.N.shape[1]:
            return "Nothing can move there."
        order = np.argsort(-np.linalg.norm(self.N, axis=1))[:6]
        return f"What moves most: {', '.join(self.names[i] for i in order)}."

    def _rows(
        self, wanted: list[Any], q: FloatArray | None = None, step: float = STEP
    ) -> tuple[FloatArray, tuple[str, ...]]:
        """Gradients (n_y, n) of the wanted coordinates by the velocities, here or at coordinates q, and their names."""
        rows, names = [], []
        for item in wanted:
            if isinstance(item, str) and item in self.names:
                row = np.zeros(len(self.names))
                row[self.names.index(item)] = 1.0
                name = item
            elif isinstance(item, str) and item not in {x.name for x in self.dyn.system.model.joints}:
                known = [*self.names, *(x.name for x in self.dyn.system.model.joints)]
                raise ModelError(f"independent_coordinates: {unknown_name('coordinate or joint', item, known)}")
            else:
                named = isinstance(item, str) or hasattr(item, "equations")
                (sensor,) = as_sensors("independent_coordinates", [JointSensor(item) if named else item])
                if sensor.size != 1:
                    raise ModelError(
                        f"independent_coordinates: sensor {sensor.name!r} reads {sensor.size} numbers; take one of one "
                        f"number, such as a position along a direction."
                    )
                row, name = self._gradient(sensor, self.state.q if q is None else q, step), sensor.name
            rows.append(row)
            names.append(name)
        return np.array(rows), tuple(names)

    def _rate(self, J_y: FloatArray, rows: FloatArray, wanted: list[Any]) -> FloatArray:
        """Derivative of J_y along the motion: what keeps [G; E] J_y = [0; 1] while G and E change."""
        dyn, s, E = self.dyn, self.state, self.lin.directions
        if not np.any(s.v) or not J_y.size:
            return np.zeros_like(J_y)
        fast = max(float(np.abs((E.T @ s.v) / self.scale).max()), 1e-300)
        change = np.zeros((len(self.G), J_y.shape[1]))
        h = ALONG / fast
        for step in (h, -h):
            q = moved(dyn, s.q, step * s.v)
            for j, column in enumerate(J_y.T):
                dyn.place(State(q, E @ column, s.a, s.lam))
                change[:, j] += (dyn.rates() + dyn.motion[:, 1]) / (2.0 * step)
        own = np.zeros((len(rows), J_y.shape[1]))
        h = NESTED / fast
        for step in (h, -h) if any(not isinstance(x, str) or x not in self.names for x in wanted) else ():
            own += self._rows(wanted, moved(dyn, s.q, step * s.v), NESTED)[0] @ J_y / (2.0 * step)
        return -np.linalg.solve(np.vstack((self.G[self.kept], rows)), np.vstack((change[self.kept], own)))

    def _gradient(self, sensor: Any, q: FloatArray, step: float) -> FloatArray:
        """Derivative of a sensor by the free velocities (n,) at coordinates q, by central differences."""
        dyn, s, E = self.dyn, self.state, self.lin.directions.toarray()
        out = np.zeros(len(self.names))
        for k in range(len(out)):
            sides = []
            for h in (step * self.scale[k], -step * self.scale[k]):
                view = dyn.python.viewer.view(s.t, moved(dyn, q, h * E[:, k]), s.v, s.a, s.lam)
                sides.append(float(np.atleast_1d(read_sensor(sensor, view))[0]))
            out[k] = (sides[0] - sides[1]) / (2.0 * step * self.scale[k])
        out[np.abs(out * self.scale) < 1e-9 * np.abs(out * self.scale).max(initial=0.0)] = 0.0
        return out
