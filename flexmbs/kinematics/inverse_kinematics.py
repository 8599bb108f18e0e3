"""Inverse kinematics: positions of a model in which markers are where they shall be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.checks import as_count, as_flag, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.core.rotations import tangent, to_vector
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.start import check_supports
from flexmbs.kinematics.limited_steps import limited_step
from flexmbs.kinematics.measured import MeasuredMarkers, MeasuredRows
from flexmbs.kinematics.position_equations import MET, PositionEquations
from flexmbs.model.model import Model
from flexmbs.results.pose import JointLimit, Pose, PoseTarget, errors_of
from flexmbs.results.start_from import equilibrium_start
from flexmbs.results.status import Status
from flexmbs.results.time import Energy, TimeSolution
from flexmbs.system.system import System, compile_model

__all__ = ["JointLimit", "Pose", "PoseTarget", "inverse_kinematics"]

RANK = 1e-9
STILL = 1e-10
"""Step [rad, or lengths of the model] that counts as none, and decrease of the squares, relative, that counts as
none."""
LONGEST = 0.5
"""Longest step [rad, or lengths of the model]."""
AT = 1e-6
"""How near to a limit a coordinate counts as held by it."""


def inverse_kinematics(
    model: Model | System,
    targets: PoseTarget | Sequence[PoseTarget],
    *,
    limits: Sequence[JointLimit] = (),
    start: TimeSolution | None = None,
    t: float = 0.0,
    tolerance: float = 1e-9,
    max_iterations: int = 100,
    n_starts: int = 1,
    throw: bool = True,
) -> Pose:
    r"""Place markers at targets, by moving what the joints leave free.

    The weighted squares of the errors of position and orientation are made least, with :math:`g(q, t) = 0` and the
    limits of joints kept, by damped Gauss-Newton steps :math:`\delta q = d_0 + N z`, :math:`G N = 0`,
    :math:`G d_0 = -g`:

    .. math:: \min_z |J (d_0 + N z) + e|^2 + \mu^2 |z|^2 \quad \text{with}\quad
       l \le c + C (d_0 + N z) \le u .

    The damping goes to zero at a solution, which is then reached quadratically. Loops are constraints like others; of
    several solutions the one near the start is found, and of redundant arms a position that is near it.

    Parameters
    ----------
    model : Model or System
        Rigid bodies and joints, in any loops; drivers hold their coordinates at time ``t``. Floating bodies keep their
        shape as described.
    targets : PoseTarget or sequence
    limits : sequence of JointLimit
        Angles count from the described position (whole turns as they come on the way).
    start : TimeSolution, optional
        Begin at the end of a motion, or at another pose; default: as described.
    t : float, default 0
        Time at which drivers are evaluated [time].
    tolerance : float
        Error of position, by the length of the model, and of orientation [rad] that counts as reached.
    max_iterations : int
    n_starts : int, default 1
        Starts; those after the first are moved at random (always the same), if the first does not reach the targets.
    throw : bool
        Whether it raises if the targets are not reached; otherwise the nearest position is returned, ``reached=False``.

    Returns
    -------
    Pose

    Raises
    ------
    ModelError
        If a target or limit is not of the model, joints cannot be assembled, nothing is free, drivers give rates only,
        or there are bodies of absolute coordinates, which have no shape without forces.
    ConvergenceError
        If the targets are not reached; the message says by how much and which limits hold. The exception carries the
        nearest `Pose`.

    Notes
    -----
    The nearest position is a local one. Near a stretched arm, and where targets are out of reach, steps are damped and
    convergence is linear. Matrices are dense: for at most some hundred bodies.

    Examples
    --------
    >>> import flexmbs as fx
    >>> arm = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="arm")
    >>> hand = fx.PlanarRigidBody.rod((1, 0), (1, 1), mass=1.0, name="hand")
    >>> shoulder = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="shoulder")
    >>> elbow = fx.RevoluteJoint(arm, hand, at=(1, 0), name="elbow")
    >>> tip = fx.kinematics.PoseTarget(hand.marker_at((1, 1)), position=(0.5, 0.5))
    >>> pose = fx.kinematics.inverse_kinematics(fx.Model(arm, hand, shoulder, elbow), tip)
    >>> bool(pose.reached), pose.position(hand.marker_at((1, 1)))[0, :2].round(6).tolist()
    (True, [0.5, 0.5])
    """
    who = "inverse_kinematics"
    if not isinstance(model, Model | System):
        raise ModelError(f"{who}: expected a Model, not {show(model)}.")
    given = (targets,) if isinstance(targets, PoseTarget) else targets
    chosen = _all_of(who, "targets", given, PoseTarget)
    if not chosen:
        raise ModelError(f"{who}: give at least one PoseTarget.")
    bounds = _all_of(who, "limits", limits, JointLimit)
    t = as_number(who, "t", t, unit="time")
    tolerance = as_number(who, "tolerance", tolerance, above=0.0)
    max_iterations = as_count(who, "max_iterations", max_iterations, minimum=1)
    n_starts = as_count(who, "n_starts", n_starts, minimum=1)
    throw = as_flag(who, "throw", throw)
    system = model if isinstance(model, System) else compile_model(model)
    search = _Search(system, chosen, bounds, t, tolerance, max_iterations)
    pose = search.run(start, n_starts)
    if throw and not pose.reached:
        worst = int(np.argmax(pose.errors.max(axis=1)))
        held = f"; held by the limits of {', '.join(map(repr, pose.limited))}" if pose.limited else ""
        raise ConvergenceError(
            f"Model {system.model.name!r}: the targets cannot be reached from here: {chosen[worst].marker} is off by "
            f"{pose.errors[worst, 0]:.4g} and {pose.errors[worst, 1]:.4g} rad{held}. Give targets within reach, "
            f"another start, or "
            f"more n_starts; throw=False returns the nearest position.",
            pose,
        )
    return pose


class _Place(NamedTuple):
    """A position on the constraints: errors e (k,) with J (k, n), limited coordinates c with C; all scaled."""

    q: FloatArray
    e: FloatArray
    J: FloatArray
    c: FloatArray
    C: FloatArray
    errors: FloatArray

    def cost(self, lower: FloatArray, upper: FloatArray) -> float:
        """Squares of the errors, and of what limits are passed by, which counts much."""
        over = np.maximum(self.c - upper, 0.0) + np.maximum(lower - self.c, 0.0)
        return float(self.e @ self.e + 1e4 * over @ over)


class _Search:
    """One problem of inverse kinematics."""

    def __init__(
        self, system: System, targets: tuple[Any, ...], limits: tuple[Any, ...], t: float, tolerance: float, most: int
    ) -> None:
        self.dyn = dyn = Dynamics(system)
        self.targets, self.limits, self.t, self.tolerance, self.most = targets, limits, t, tolerance, most
        self.equations = PositionEquations(dyn, "inverse_kinematics", _shapes(dyn))
        _check_bodies(system.model, [x.marker for x in targets] + [m for x in limits for m in (x.place.a, x.place.b)])
        self.markers = MeasuredMarkers(dyn.coordinates, [x.marker for x in targets])
        places = [(x.place.a, x.place.b, x.place.row) for x in limits]
        self.rows = MeasuredRows(dyn.coordinates, places) if places else None
        self.lower = np.array([x.lower for x in limits])
        self.upper = np.array([x.upper for x in limits])
        self.zero = np.zeros(dyn.n_v)

    def run(self, start: TimeSolution | None, tries: int) -> Pose:
        """The best of some tries."""
        dyn = self.dyn
        dyn.start_turns(self.t)
        q, v = dyn.coordinates.reference.copy(), np.zeros(dyn.n_v)
        if start is None:
            check_supports(dyn, None, "start=solve_static(model)")
        else:
            q = equilibrium_start("inverse_kinematics", dyn, start, v)
        q = assemble(dyn, self.t, q, v * 0.0).q
        rng = np.random.default_rng(0)
        best: tuple[float, _Place, int] | None = None
        iterations = 0
        for k in range(tries):
            begin = q if k == 0 else self._shaken(q, rng)
            if self.rows is not None:
                self.rows.near[:] = 0.0
            found, used = self._descend(begin)
            iterations += used
            cost = found.cost(self.lower, self.upper)
            if best is None or cost < best[0]:
                best = cost, found, iterations
            if self._reached(best[1]):
                break
        assert best is not None  # noqa: S101
        return self._pose(best[1], iterations)

    def _descend(self, q: FloatArray) -> tuple[_Place, int]:
        """Damped Gauss-Newton steps from a position that meets the joints."""
        damping = 1e-3
        here = self._look(q)
        for iteration in range(self.most):
            if self._reached(here):
                return here, iteration
            _, G = self._joints(here.q)
            N = self._free(G)
            cost = here.cost(self.lower, self.upper)
            while True:
                z = self._step(here, N, damping * np.sqrt(min(1.0, cost)))
                size = float(np.abs(N @ z).max(initial=0.0))
                if size <= STILL:
                    return here, iteration
                z *= min(1.0, LONGEST / size)
                near = None if self.rows is None else self.rows.near.copy()
                moved = self._closed(self.equations.moved(here.q, self.equations.size * (N @ z)))
                there = None if moved is None else self._look(moved)
                gain = -np.inf if there is None else cost - there.cost(self.lower, self.upper)
                if there is not None and gain > 0.0:
                    here, damping = there, max(0.2 * damping, 1e-9)
                    break
                if near is not None and self.rows is not None:
                    self.rows.near[:] = near
                damping *= 5.0
                if damping > 1e6:
                    return here, iteration
            if gain <= STILL**2 * cost or (gain <= 1e-13 * cost and not self._reached(here)):
                return here, iteration
        return here, self.most

    def _step(self, here: _Place, N: FloatArray, mu: float) -> FloatArray:
        """z of least squares within the limits; towards the limits where none is within."""
        f = N.shape[1]
        A = np.vstack((here.J @ N, mu * np.eye(f)))
        b = np.append(-here.e, np.zeros(f))
        if not len(self.limits):
            return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0])
        CN = here.C @ N
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        C = np.vstack((CN[low], -CN[high]))
        d = np.append((self.lower - here.c)[low], (here.c - self.upper)[high])
        A = np.vstack((A, 1e-10 * np.eye(f)))
        z = limited_step(A, np.append(b, np.zeros(f)), C, d)
        if z is None:
            over = np.maximum(self.lower - here.c, 0.0) - np.maximum(here.c - self.upper, 0.0)
            z = np.linalg.lstsq(CN, over, rcond=RANK)[0]
        return z

    def _look(self, q: FloatArray) -> _Place:
        """Errors of the targets and limited coordinates at a position."""
        eq, dyn = self.equations, self.dyn
        poses = self.markers.at(q, self.zero)
        S = np.asarray(eq.E.toarray() * eq.size)
        e: list[FloatArray] = []
        J: list[FloatArray] = []
        turns = []
        for i, target in enumerate(self.targets):
            turn = np.zeros(3)
            if target.position is not None:
                w = target.weight / dyn.length
                for k, wanted in enumerate(target.position):
                    if wanted is not None:
                        e.append(np.array([w * (poses.p[i, k] - wanted)]))
                        J.append(w * poses.J[i, k : k + 1] @ S)
            if target.rotation is not None:
                turn = to_vector(target.rotation.T @ poses.R[i])
                e.append(target.turn_weight * turn)
                J.append(target.turn_weight * tangent(turn, inverse=True) @ poses.J[i, 3:] @ S)
            turns.append(turn)
        c, C = np.zeros(0), np.zeros((0, eq.n))
        if self.rows is not None:
            c, _, C = self.rows.at(q, self.zero)
            C = C @ S
        return _Place(q, np.concatenate(e), np.vstack(J), c, C, errors_of(self.targets, poses.p, turns))

    def _joints(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        values = self.equations.at(q, self.t)
        self.equations.accept(q)
        sizes = self.dyn.equation_sizes
        return values.g / sizes, values.G.toarray() * self.equations.size / sizes[:, None]

    def _free(self, G: FloatArray) -> FloatArray:
        """Orthonormal basis (n, f) of what the joints leave free."""
        _, sigma, W = np.linalg.svd(G)
        N = W[int((sigma > RANK * sigma.max(initial=0.0)).sum()) :].T
        if not N.shape[1]:
            raise ModelError(
                f"inverse_kinematics: {self.equations.model}: joints and drivers leave nothing free. Leave out drivers."
            )
        return np.ascontiguousarray(N)

    def _closed(self, q: FloatArray) -> FloatArray | None:
        """The position drawn onto the joints by the least change; None if that fails."""
        for _ in range(12):
            g, G = self._joints(q)
            if not np.isfinite(g).all():
                return None
            if np.abs(g).max(initial=0.0) <= 10.0 * MET:
                return q
            d = -np.linalg.lstsq(G, g, rcond=RANK)[0]
            if np.abs(d).max() > 2.0 * LONGEST:
                return None
            q = self.equations.moved(q, self.equations.size * d)
        return None

    def _shaken(self, q: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Another position: some steps at random."""
        for _ in range(6):
            _, G = self._joints(q)
            N = self._free(G)
            z = rng.standard_normal(N.shape[1])
            moved = self._closed(self.equations.moved(q, self.equations.size * (N @ z) * (0.4 / np.abs(N @ z).max())))
            q = q if moved is None else moved
        return q

    def _reached(self, here: _Place) -> bool:
        over = np.maximum(here.c - self.upper, 0.0) + np.maximum(self.lower - here.c, 0.0)
        far = here.errors / np.array([self.dyn.length, 1.0])
        return bool(far.max() <= self.tolerance and over.max(initial=0.0) <= AT)

    def _pose(self, here: _Place, iterations: int) -> Pose:
        dyn = self.dyn
        self._joints(here.q)
        reached = self._reached(here)
        at = (here.c <= self.lower + AT) | (here.c >= self.upper - AT)
        none = np.full(1, np.nan)
        return Pose(
            system=dyn.system, t=np.array([self.t]), q=here.q[None], v=np.zeros((1, dyn.n_v)),
            a=np.full((1, dyn.n_v), np.nan), lam=np.full((1, dyn.n_c), np.nan), energy=Energy(*([none] * 7)),
            residuals=np.full((1, 3), np.nan), steps=np.zeros((0, 4)), counts={}, redundant=(),
            status=Status.DONE, settings={"analysis": "inverse kinematics"},
            extra={"near": dyn.turns.memory()}, reached=reached, errors=here.errors, iterations=iterations,
            limited=tuple(limit.name for limit, on in zip(self.limits, at, strict=True) if on),
        )  # fmt: skip


def _all_of(who: str, name: str, values: object, kind: type) -> tuple[Any, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ModelError(f"{who}: {name} must be a sequence of {kind.__name__}, not {show(values)}.")
    for value in values:
        if not isinstance(value, kind):
            raise ModelError(f"{who}: {name} must be {kind.__name__} objects, not {show(value)}.")
    return tuple(values)


def _check_bodies(model: Model, markers: list[Any]) -> None:
    """Refuse markers on bodies that are not in the model."""
    for marker in markers:
        known = (*model.bodies, *model.tree_links)
        if not marker.body.is_ground and not any(marker.body is body for body in known):
            raise ModelError(f"inverse_kinematics: {marker}: its body is not in model {model.name!r}; use the object "
                             f"that the model was made of.")  # fmt: skip


def _shapes(dyn: Dynamics) -> IntArray:
    """Places in v of the shapes of floating and linear bodies, which keep theirs."""
    model, c = dyn.system.model, dyn.coordinates
    if model.flexible_bodies:
        raise ModelError(
            f"inverse_kinematics: Model {model.name!r}: flexible body {model.flexible_bodies[0].name!r} has no shape "
            f"without forces. Use rigid or floating bodies, or find the shape with solve_static."
        )
    found = [c.shapes(body) for body in model.bodies]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found]).astype(np.int64)
