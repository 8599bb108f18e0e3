"""Continuation: all positions that drivers admit, through lock-ups and bifurcations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.start import check_supports, warn_of_changes
from flexmbs.kernels.rows.rows import kind_of
from flexmbs.kinematics.branching import branch_directions
from flexmbs.kinematics.paths import KinematicPath, KinematicPaths, SingularPosition, path_of
from flexmbs.kinematics.position_equations import PositionEquations
from flexmbs.kinematics.singular_points import DENSE, SingularPoint, bifurcation_point, turning_point
from flexmbs.kinematics.tracing import SMALLEST, PathPoint, Tracer
from flexmbs.model.model import Model
from flexmbs.system.system import System, compile_model

__all__ = ["trace_kinematics"]

SAME = 1e-5
"""Scaled distance up to which two singular positions are one."""
ALONG = 0.9
"""Cosine of two directions that count as the same branch."""


def trace_kinematics(
    model: Model | System,
    times: tuple[float, float],
    *,
    start: float | None = None,
    step: float = 0.05,
    branches: int = 8,
    max_steps: int = 1_000,
    keep_initial: Sequence[Any] = (),
) -> KinematicPaths:
    r"""Curves of positions (q, t) with g(q, t) = 0, through lock-ups and the crossings of branches.

    Unlike `solve_kinematics`, which goes with time, this goes along the curve by its length: time is one more
    unknown, and may go back behind a position where the mechanism locks up. Turning points and bifurcations are noticed
    by test functions, and located to round-off; at bifurcations the other branch is followed as well.

    Parameters
    ----------
    model : Model or System
        With as many drivers with ``motion=`` as freedoms.
    times : (begin, end)
        Interval of time [time] in which curves are followed.
    start : float, optional
        Time of the described position, in this interval; default: its begin.
    step : float, default 0.05
        Largest step along a curve [rad, or lengths of the model]; it adapts to the curvature.
    branches : int, default 8
        How many more curves are followed from bifurcations.
    max_steps : int, default 1000
        On each curve.
    keep_initial : sequence of bodies
        As in `simulate`.

    Returns
    -------
    KinematicPaths

    Raises
    ------
    ModelError
        As of `solve_kinematics`; or if there are more than 600 equations.
    ConvergenceError
        If no curve begins at the start.

    Notes
    -----
    Bifurcations are noticed where two curves cross in a simple way; where more than two meet, or touch, the curve
    goes on and the position may go unnoticed. Curves that are not connected to the start are not found.

    Examples
    --------
    >>> import flexmbs as fx
    >>> crank = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="crank")
    >>> rod = fx.PlanarRigidBody.rod((1, 0), (1, 2), mass=1.0, name="rod")
    >>> pins = fx.RevoluteJoint(fx.ground, crank, at=(0, 0)), fx.RevoluteJoint(crank, rod, at=(1, 0))
    >>> guide = fx.DistanceDriver(fx.ground.marker((0, 0, 0)), rod.marker_at((1, 2)), lambda t: 5**0.5 + t, name="ram")
    >>> hold = fx.DistanceConstraint(fx.ground.marker((5, 0, 0)), rod.marker_at((1, 2)), name="arm")
    >>> paths = fx.kinematics.trace_kinematics(fx.Model(crank, rod, *pins, guide, hold), times=(0.0, 2.0))
    >>> [(p.kind, round(p.t, 9)) for p in paths.points], round(3 - 5**0.5, 9)
    ([('turning point', 0.763932023)], 0.763932023)
    """
    who = "trace_kinematics"
    if not isinstance(model, Model | System):
        raise ModelError(f"{who}: expected a Model, not {show(model)}.")
    begin, end = as_array(who, "times", times, (2,), unit="time").tolist()
    if not begin < end:
        raise ModelError(f"{who}: times must be (begin, end) with begin < end, not {show(times)}.")
    start = begin if start is None else as_number(who, "start", start, unit="time")
    if not begin <= start <= end:
        raise ModelError(f"{who}: start must lie between {begin:g} and {end:g}, not {start:g}.")
    step = as_number(who, "step", step, above=0.0)
    branches = as_count(who, "branches", branches, minimum=0)
    max_steps = as_count(who, "max_steps", max_steps, minimum=1)
    system = model if isinstance(model, System) else compile_model(model)
    return _Tracing(system, (begin, end), start, step, branches, max_steps, tuple(keep_initial)).all()


@dataclass
class _Crossing:
    """A singular position with what it takes to leave it, and the directions that have been used."""

    point: SingularPosition
    near: PathPoint
    memory: FloatArray
    path: int
    index: int
    used: list[FloatArray] = field(default_factory=list)

    def use(self, direction: FloatArray) -> bool:
        """Note a direction away from the point; False if it was used before."""
        if any(direction @ other > ALONG for other in self.used):
            return False
        self.used.append(direction)
        return True


class _Tracing:
    """One continuation."""

    def __init__(
        self,
        system: System,
        times: tuple[float, float],
        start: float,
        step: float,
        branches: int,
        max_steps: int,
        keep: tuple[Any, ...],
    ) -> None:
        self.dyn = dyn = Dynamics(system)
        self.times, self.h, self.branches, self.max_steps = times, step, branches, max_steps
        self.equations = eq = PositionEquations(dyn, "trace_kinematics")
        if eq.m > DENSE:
            raise ModelError(f"trace_kinematics: {eq.model} has {eq.m} equations; at most {DENSE} are covered.")
        dyn.start_turns(start)
        check_supports(dyn, None)
        q, v = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
        found = assemble(dyn, start, q, v, keep)
        warn_of_changes(dyn, q, v * 0.0, found.q, found.v * 0.0, kept=bool(keep))
        values = eq.at(found.q, start)
        V = eq.border(values)
        speed = float(np.linalg.norm((eq.E.T @ found.v) / eq.size))
        span = times[1] - times[0]
        self.scale = span if speed * span < 1.0 else 1.0 / speed
        self.tracer = Tracer(eq, self.scale)
        along = np.append((eq.E.T @ found.v) / eq.size, 1.0 / self.scale)
        first = self.tracer.start(start, found.q, V, along / np.linalg.norm(along))
        if first is None:
            raise ConvergenceError(f"{eq.model}: trace_kinematics: no curve begins at the position at t = {start:g}.")
        self.first = first
        self.crossings: list[_Crossing] = []

    def all(self) -> KinematicPaths:
        """The curve through the start, and those that leave it."""
        memory = self._accept(self.first)
        forth, lengths, ending = self._follow(self.first, 0)
        if self.first.t > self.times[0] and ending != "closed":
            known = len(self.crossings)
            self.dyn.turns.restore(memory)
            back, others, _ = self._follow(_reversed(self.first), 0)
            for i, crossing in enumerate(self.crossings):
                crossing.index = len(back) - 1 + (crossing.index if i < known else -crossing.index)
            forth = [_reversed(p) for p in back[:0:-1]] + forth
            lengths = [-s for s in others[:0:-1]] + lengths
        paths = [self._path(forth, [s - lengths[0] for s in lengths], ending, {})]
        while len(paths) <= self.branches:
            leaving = self._unused()
            if leaving is None:
                break
            crossing, direction = leaving
            self.dyn.turns.restore(crossing.memory)
            began = self._leave(crossing, direction)
            if began is None:
                continue
            at = PathPoint(crossing.point.t, crossing.point.q, direction, began.V, began.sign)
            points, lengths, ending = self._follow(began, len(paths), at)
            paths.append(self._path(points, lengths, ending, _angles(paths[crossing.path], crossing.index)))
        found = [
            replace(c.point, path=c.path, index=c.index, directions=self._unscaled(c.point.directions))
            for c in self.crossings
        ]
        return KinematicPaths(tuple(paths), tuple(sorted(found, key=lambda p: p.t)))

    def _unscaled(self, directions: FloatArray) -> FloatArray:
        """Directions (k, n_v + 1) in velocities and time."""
        eq = self.equations
        rows = [np.append(eq.E @ (eq.size * d[:-1]), self.scale * d[-1]) for d in directions]
        return np.array(rows).reshape(len(rows), eq.dyn.n_v + 1)

    def _path(self, points: list[PathPoint], lengths: list[float], ending: str, before: Any) -> KinematicPath:
        return path_of(self.dyn.system, points, lengths, self.scale, self.equations, ending, before)

    def _follow(
        self, now: PathPoint, number: int, origin: PathPoint | None = None
    ) -> tuple[list[PathPoint], list[float], str]:
        """Points of curve ``number`` with their lengths, and why it ends; ``origin``: the bifurcation it comes from."""
        first, tracer = now, self.tracer
        points, lengths, h = [now], [0.0], 0.1 * self.h

        def add(point: PathPoint) -> None:
            lengths.append(lengths[-1] + tracer.distance(points[-1], point.t, point.q))
            points.append(point)

        if origin is not None:
            points = [origin]
            add(now)
        for _ in range(self.max_steps):
            found = tracer.step(now, h)
            if found is None:
                h *= 0.5
                if h < SMALLEST * self.h:
                    return points, lengths, "cannot be followed further"
                continue
            ended = self._beyond(now, found)
            if ended is not None:
                add(ended)
                return points, lengths, "ends with the interval of time"
            closes = len(points) > 4 and self._closes(first, now, found)
            if closes:
                found = tracer.step(now, tracer.distance(now, first.t, first.q)) or found
            met = self._singular(now, found, number, len(points))
            self._accept(found)
            if met is not None:
                between = now.tangent + found.tangent
                add(met.near._replace(tangent=between / np.linalg.norm(between)))
            add(found)
            if met is not None and not self._passed(met, now, found):
                return points, lengths, "joins a curve that was followed before"
            if closes:
                return points, lengths, "closed"
            easy = found.tangent @ now.tangent > 0.998
            h = min(self.h, 1.5 * h if easy else h)
            now = found
        return points, lengths, "ends after the steps allowed"

    def _beyond(self, now: PathPoint, found: PathPoint) -> PathPoint | None:
        """The point at the limit of time that a step has passed."""
        limit = self.times[1] if found.t > now.t else self.times[0]
        passed = found.t >= limit if found.t > now.t else found.t <= limit
        return (self.tracer.reach(now, limit) or found) if passed else None

    def _closes(self, first: PathPoint, now: PathPoint, found: PathPoint) -> bool:
        """Whether a step passed the first point in its direction."""
        tracer = self.tracer
        size = tracer.distance(now, found.t, found.q)
        if tracer.distance(now, first.t, first.q) + tracer.distance(found, first.t, first.q) > 1.05 * size:
            return False
        return bool(found.tangent @ first.tangent > ALONG)

    def _singular(self, now: PathPoint, found: PathPoint, number: int, index: int) -> _Crossing | None:
        """The singular position within a step, located and noted; None if there is none."""
        turned = now.tangent[-1] * found.tangent[-1] < 0.0
        crossed = now.sign * found.sign < 0.0
        if not (turned or crossed):
            return None
        nearer = now if abs(now.tangent[-1]) < abs(found.tangent[-1]) else found
        locate = bifurcation_point if crossed else turning_point
        at = None
        for guess in (nearer, found if nearer is now else now):
            at = locate(self.equations, guess.V, guess.q, guess.t, self.scale)
            reach = 2.0 * self.tracer.distance(now, found.t, found.q)
            if at is not None and self.tracer.distance(now, at.t, at.q) <= reach:
                break
            at = None
        kind = "bifurcation" if crossed else "turning point"
        place = SingularPoint(nearer.t, nearer.q, np.zeros(self.equations.m), 0) if at is None else at
        for known in self.crossings:
            within = SAME if at is not None else self.h
            if known.point.kind == kind and self.tracer.distance(known.near, place.t, place.q) <= within:
                return known
        directions = [nearer.tangent]
        if crossed and at is not None:
            directions = branch_directions(self.tracer, at)
        joints = self.equations.involved(place.psi) if at is not None else ""
        point = SingularPosition(kind, place.t, place.q, joints, np.array(directions), located=at is not None)
        near = PathPoint(place.t, place.q, nearer.tangent, nearer.V, nearer.sign)
        crossing = _Crossing(point, near, self.dyn.turns.memory(), number, index)
        self.crossings.append(crossing)
        return crossing

    def _passed(self, met: _Crossing, now: PathPoint, found: PathPoint) -> bool:
        """Note the directions by which a curve passes a bifurcation; False if it goes on along one that was used."""
        if met.point.kind != "bifurcation" or not met.point.located:
            return True
        tangent = now.tangent + found.tangent
        if len(met.point.directions):
            shares = met.point.directions @ tangent
            best = int(np.argmax(np.abs(shares)))
            tangent = np.sign(shares[best]) * met.point.directions[best]
        tangent = tangent / np.linalg.norm(tangent)
        met.use(-tangent)
        return met.use(tangent)

    def _unused(self) -> tuple[_Crossing, FloatArray] | None:
        """A direction that no curve has taken yet."""
        for crossing in self.crossings:
            if crossing.point.kind != "bifurcation":
                continue
            for direction in crossing.point.directions:
                for side in (direction, -direction):
                    if crossing.use(side):
                        return crossing, side
        return None

    def _leave(self, crossing: _Crossing, direction: FloatArray) -> PathPoint | None:
        """The first point of a branch."""
        eq, point = self.equations, crossing.point
        h = 0.5 * self.h
        while h > 1e-3 * self.h:
            q = eq.moved(point.q, h * eq.size * direction[:-1])
            t = point.t + h * self.scale * float(direction[-1])
            found = self.tracer.start(t, q, crossing.near.V, direction)
            if found is not None and found.tangent @ direction > ALONG:
                self._accept(found)
                return found
            h *= 0.5
        return None

    def _accept(self, point: PathPoint) -> FloatArray:
        """Count turns up to a point; what was counted."""
        self.equations.at(point.q, point.t)
        self.equations.accept(point.q)
        return self.dyn.turns.memory()


def _reversed(point: PathPoint) -> PathPoint:
    """The same point of the curve in the other direction."""
    return point._replace(tangent=-point.tangent, sign=-point.sign)


def _angles(path: KinematicPath, index: int) -> dict[tuple[str, str], float]:
    """Angles of all joints at a position of a path, by name and label, from which a branch counts its turns."""
    found: dict[tuple[str, str], float] = {}
    for joint in path.model.joints:
        for label, pair in getattr(joint, "coordinates", {}).items():
            if kind_of(pair.rows[0].kind).counts_turns:
                found[joint.name, label] = float(path.coordinate(joint, label)[index])
    return found
