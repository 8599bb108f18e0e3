r"""Inverse dynamics: the forces of drives that a given motion needs.

With the forces :math:`\tau` of the drives along their coordinates, whose gradients are the columns of B, and the
multipliers of the passive joints,

.. math:: M a + f(q, v, t) + G_p^T \lambda = B\,\tau, \qquad G_p N = 0 \;\Rightarrow\; N^T B\,\tau = N^T (M a + f).

Among more drives than freedoms, those of least :math:`\sum (\tau_i / w_i)^2` are taken; :math:`\lambda` follows with
the least norm.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import make_interp_spline

from flexmbs.analysis.half_turns import warn_of_half_turns
from flexmbs.core.checks import as_array, as_flag, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError, unknown_name
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.dynamics.compliance import constraint_rows
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import free_directions, state_places
from flexmbs.dynamics.minimal import DENSE, Sizes, orthonormal_basis, pseudo_inverse
from flexmbs.kinematics.measured import MeasuredRows
from flexmbs.model.forces.coordinate import coordinate
from flexmbs.model.forces.joint_force import JointForce
from flexmbs.model.trees.coordinate import TreeCoordinate
from flexmbs.results.time import TimeSolution

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Row

__all__ = ["DriveForces", "inverse_dynamics"]

SAME_TIME = 1e-12
"""By how much times may differ that are meant to be the same, relative to the length of the motion."""

UNMET = 1e-6
"""Forces that the drives leave over, relative to the largest needed, that are no round-off."""


@dataclass(frozen=True, eq=False, repr=False)
class DriveForces:
    """Forces of drives over a motion.

    Attributes
    ----------
    t : (n_t,) array
    names : tuple of str
    force : (n_t, k) array
        Positive where it drives the coordinate up: on side b, along or about the axis [force, for angles force length].
    rate : (n_t, k) array
        Rates of the coordinates [1/time]; ``force * rate`` is the power that a drive supplies.
    unmet : (n_t,) array
        What the drives cannot supply: norm of the rest of the equations, relative to the largest force needed.
    motion : TimeSolution
        The same motion with the multipliers of the passive joints beside these drives: ask it for their reactions.
    """

    t: FloatArray
    names: tuple[str, ...]
    force: FloatArray
    rate: FloatArray
    unmet: FloatArray
    motion: TimeSolution

    def __repr__(self) -> str:
        peak = ", ".join(f"{n} {p:.4g}" for n, p in zip(self.names, np.abs(self.force).max(axis=0), strict=True))
        return f"<drive forces over {len(self.t)} states; largest: {peak}>"

    def __getitem__(self, name: str) -> FloatArray:
        """The force (n_t,) of a drive by its name."""
        return self.force[:, self._number(name)]

    @property
    def power(self) -> FloatArray:
        """Power (n_t, k) that the drives supply [force length/time]."""
        return np.asarray(self.force * self.rate)

    def function(self, name: str) -> Callable[[float], float]:
        """The force of a drive as a function of time, cubic splines: to be fed to a `JointForce`.

        Each spline ends at one of the ``breaks`` of prescribed motions, where the force may jump; there it is that
        behind the jump.
        """
        t, force, first, last = self.t, self[name], float(self.t[0]), float(self.t[-1])
        same = SAME_TIME * (last - first)
        motions = [active.equation.motion for active in self.motion.system.mechanics.equations]
        breaks = {float(at) for motion in motions for at in getattr(motion, "breaks", None) or ()}
        starts, splines = [], []
        for start, end in pairwise([first, *sorted(at for at in breaks if first < at <= last), np.inf]):
            own = (t >= start - same) & (t < end - same)
            if own.any():
                starts.append(start)
                splines.append(make_interp_spline(t[own], force[own], k=min(3, np.count_nonzero(own) - 1)))

        def at(time: float) -> float:
            time = min(max(time, first), last)
            return float(splines[bisect_right(starts, time) - 1](time))

        return at

    def plot(self, ax: Any = None) -> Any:
        """Draw the forces over time."""
        from flexmbs.visualization.time_plots import plot_histories

        units = self.motion.model.units
        histories = {as_drawn(name): force for name, force in zip(self.names, self.force.T, strict=True)}
        title = as_drawn(self.motion.model.name)
        return plot_histories(self.t, histories, "drive force or torque", title=title, time_unit=units.time, ax=ax)

    def _number(self, name: str) -> int:
        if name not in self.names:
            raise ModelError(unknown_name("drive", name, self.names))
        return self.names.index(name)


def inverse_dynamics(
    motion: TimeSolution, drives: Sequence[Any] | None = None, *, weights: Any = None, throw: bool = True
) -> DriveForces:
    """The forces that drives need to bring about a motion.

    Parameters
    ----------
    motion : TimeSolution
        What `solve_kinematics` found; or `simulate`, with drivers. All forces of the model count as given.
    drives : sequence, optional
        Drivers, joints with one free coordinate, those of trees, `JointForce` objects (what they say of the force
        does not matter; they name a coordinate of a joint, or of two markers), or names. The drivers of the model
        that are not among them prescribe the motion, but give no force: so a motion prescribed at a tool becomes
        torques at joints. Default: all drivers of the model.
    weights : (k,) sequence, optional
        Where there are more drives than freedoms, the forces over their weights have the least norm; such as the
        largest forces of the motors. Default: equal.
    throw : bool
        Whether it raises if the drives cannot bring about the motion; otherwise see ``unmet``.

    Returns
    -------
    DriveForces

    Raises
    ------
    ModelError
        If a drive has no single coordinate, is no part of the model, or there is none.
    ConvergenceError
        If a freedom needs a force that no drive gives; the message says when and which coordinate. The exception
        carries the `DriveForces`.

    Warns
    -----
    AccuracyWarning
        If a `Bushing` turns by more than half a turn about an axis that it holds.

    Notes
    -----
    The freedoms of the passive joints are found by a dense factorisation at every stored time, for at most 1 500 free
    velocities. The forces are as exact as the accelerations of the motion.

    Examples
    --------
    >>> import flexmbs as fx
    >>> arm = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0), name="arm")
    >>> hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="hinge")
    >>> motor = fx.RotationDriver(hinge, fx.motions.Ramp(0.0, 1.0, duration=1.0), name="motor")
    >>> motion = fx.kinematics.solve_kinematics(fx.Model(arm, hinge, motor, fx.Gravity((0, -9.81))), until=1.0)
    >>> [round(float(x), 6) for x in fx.kinematics.inverse_dynamics(motion)["motor"][[0, -1]]]  # m g cos(angle) / 2
    [9.81, 5.300366]
    """
    who = "inverse_dynamics"
    if not isinstance(motion, TimeSolution):
        raise ModelError(f"{who}: motion must be what solve_kinematics or simulate returned, not {show(motion)}.")
    throw = as_flag(who, "throw", throw)
    work = _Inverse(motion, drives, weights)
    found = work.over_time()
    warn_of_half_turns(motion)
    worst = int(np.argmax(found.unmet))
    if throw and found.unmet[worst] > UNMET:
        raise ConvergenceError(
            f"Model {motion.model.name!r}: the drives {', '.join(map(repr, found.names))} cannot bring about the "
            f"motion: at t = {found.t[worst]:.6g}, {work.missing(worst)} needs a force that none of them gives, "
            f"{found.unmet[worst]:.2g} of the largest of all. Add a drive there, or leave the motion of that "
            f"coordinate free. In what simulate found the accelerations may be off by as much, above all at its start: "
            f"take shorter steps or RadauIIA; throw=False returns the forces all the same.",
            found,
        )
    return found


class _Inverse:
    """The equations of one motion and one choice of drives."""

    def __init__(self, motion: TimeSolution, drives: Sequence[Any] | None, weights: Any) -> None:
        self.motion = motion
        self.dyn = dyn = Dynamics(motion.system)
        m = dyn.mechanics
        if not (m.equations or motion.model.trees or motion.model.rigid_bodies):
            raise ModelError(f"inverse_dynamics: model {motion.model.name!r} has no joints.")
        if motion.model.controllers or len(state_places(dyn)):
            raise ModelError(
                f"inverse_dynamics: model {motion.model.name!r} has controllers or first-order states, whose forces "
                f"are "
                f"not told by positions and velocities. Leave them out."
            )
        self.free = dyn.system.free[dyn.system.free < dyn.n_v]
        if len(self.free) > DENSE:
            raise ModelError(
                f"inverse_dynamics: model {motion.model.name!r} has {len(self.free)} free velocities; at most {DENSE} "
                f"are covered."
            )
        self.E = free_directions(dyn, self.free)
        driven = [i for i, e in enumerate(m.equations) if e.equation.motion is not None]
        self.passive = np.setdiff1d(np.arange(dyn.n_c), driven)
        self.passive_sizes = Sizes(dyn.system.increment_sizes[self.free], dyn.equation_sizes[self.passive])
        model = motion.model
        wanted = list(dict.fromkeys(m.equations[i].joint for i in driven)) if drives is None else _as_list(drives)
        if not wanted:
            raise ModelError(
                f"inverse_dynamics: model {model.name!r} has no drivers; name drives, such as drives=('hinge',)."
            )
        self.names: list[str] = []
        self.columns: list[tuple[bool, int]] = []
        rows: list[tuple[Marker, Marker, Row]] = []
        for item in wanted:
            found = _in_model(model, item)
            own = [i for i in driven if m.equations[i].joint is found]
            if own:
                for i in own:
                    self.names.append(found.name if len(own) == 1 else m.names[i])
                    self.columns.append((True, i))
                continue
            if isinstance(found, JointForce):
                row = found.row_forces[0]
                place = row.a, row.b, row.rows[0]
            else:
                at = coordinate("inverse_dynamics", found, None)
                place = at.a, at.b, at.row
            self.names.append(found.name)
            self.columns.append((False, len(rows)))
            rows.append(place)
        if len(set(self.names)) < len(self.names):
            raise ModelError(f"inverse_dynamics: the names of drives must differ, not {show(self.names)}.")
        self.measured = MeasuredRows(dyn.coordinates, rows) if rows else None
        k = len(self.names)
        self.weights = np.ones(k) if weights is None else as_array("inverse_dynamics", "weights", weights, (k,))
        if not (self.weights > 0.0).all():
            raise ModelError(f"inverse_dynamics: weights must be positive, not {show(self.weights.tolist())}.")
        dyn.start_turns(float(motion.t[0]))

    def over_time(self) -> DriveForces:
        """Forces at all stored times."""
        motion, n_t, k = self.motion, len(self.motion), len(self.names)
        force, rate, unmet = np.zeros((n_t, k)), np.zeros((n_t, k)), np.zeros(n_t)
        lam, need = np.zeros_like(motion.lam), np.zeros(n_t)
        for i in range(n_t):
            r, G, B = self._equations(i)
            N = orthonormal_basis(G, self.passive_sizes)
            A, b = (N.T @ B) * self.weights, N.T @ r
            x = np.linalg.lstsq(A, b, rcond=1e-10)[0]
            force[i], rate[i] = x * self.weights, B.T @ (self.E.T @ motion.v[i])
            unmet[i], need[i] = np.linalg.norm(A @ x - b), np.linalg.norm(b)
            lam[i, self.passive] = pseudo_inverse(G, self.passive_sizes).T @ (B @ force[i] - r)
            for column, (driver, equation) in enumerate(self.columns):
                if driver:
                    lam[i, equation] = -force[i, column]
        unmet /= max(float(need.max()), 1e-300)
        return DriveForces(motion.t, tuple(self.names), force, rate, unmet, replace(motion, lam=lam))

    def missing(self, i: int) -> str:
        """The coordinate in which the largest force is left over at a stored time."""
        r, G, B = self._equations(i)
        N = orthonormal_basis(G, self.passive_sizes)
        left = N.T @ r - N.T @ B @ np.linalg.lstsq(N.T @ B, N.T @ r, rcond=1e-10)[0]
        worst = int(np.argmax(np.abs(N @ left)))
        return self.dyn.coordinates.describe(int(self.free[worst]))

    def _equations(self, i: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """M a + f (n,), G (m, n) of the passive joints and B (n, k) on the free velocities."""
        dyn, motion, E = self.dyn, self.motion, self.E
        q, v, a = (np.array(x[i]) for x in (motion.q, motion.v, motion.a))
        motion.set_loads(dyn, i)
        dyn.T[:] = np.eye(3)
        r = E.T @ dyn.tangent(q, v, a, np.zeros(dyn.n_c), (0.0, 0.0))[: dyn.n_v]
        whole = (constraint_rows(dyn.mechanics, dyn.B, dyn.n_v) @ E).toarray()
        dyn.accept(q)
        other = self.measured.at(q, v)[2] @ E if self.measured is not None else np.zeros((0, E.shape[1]))
        B = [whole[number] if driver else other[number] for driver, number in self.columns]
        return r, whole[self.passive], np.column_stack(B)


def _as_list(drives: object) -> list[Any]:
    if isinstance(drives, str) or not isinstance(drives, Sequence):
        raise ModelError(f"inverse_dynamics: drives must be a sequence of joints or names, not {show(drives)}.")
    return list(drives)


def _in_model(model: Any, item: object) -> Any:
    """The joint of that name, or an object that is checked to be in the model; `JointForce` objects need not be."""
    if isinstance(item, str):
        return model.joint(item)
    if isinstance(item, JointForce):
        return item
    if isinstance(item, TreeCoordinate) and any(item.tree is tree for tree in model.trees):
        return item
    if not any(item is joint for joint in model.joints):
        raise ModelError(
            f"inverse_dynamics: {show(item)} is no joint or driver of model {model.name!r}; drives are those, "
            f"JointForce objects, or names."
        )
    return item
