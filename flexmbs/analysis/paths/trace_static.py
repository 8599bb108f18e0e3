"""Paths of equilibria through limit points and bifurcations, with their branches and the stability of every piece."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from flexmbs.analysis.linear_turns import warn_of_linear_turns
from flexmbs.analysis.paths.assembling import Found, assembled, equilibria_at, equilibria_where
from flexmbs.analysis.paths.branches import around, beside
from flexmbs.analysis.paths.critical import BIFURCATION, Critical
from flexmbs.analysis.paths.curve import Curve, PathPoint
from flexmbs.analysis.paths.following import CANNOT, FIRST, Follower, Limits, Piecewise
from flexmbs.analysis.paths.parameter import WORDS, Parameter, chosen
from flexmbs.analysis.paths.results import EquilibriumPath, EquilibriumPaths
from flexmbs.analysis.paths.varied import ParameterPath, VariedModel
from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.analysis.static import solve_static
from flexmbs.analysis.static_reports import refuse_contact, refuse_memory
from flexmbs.core.checks import as_array, as_count, as_number, show
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.core.progress import Progress
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.control_loop import ControlLoop
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.model.model import Model
from flexmbs.results.start_from import equilibrium_start
from flexmbs.results.static import StaticSolution
from flexmbs.system.system import System, compile_model

__all__ = ["trace_static"]


def trace_static(
    model: Model | System | Callable[[float], Model],
    by: Any = "load",
    until: float | tuple[float, float] = 1.0,
    *,
    start: StaticSolution | None = None,
    begin: float | None = None,
    branches: int = 0,
    stop: Callable[[StaticSolution], bool] | None = None,
    step: float = 0.3,
    most: int = 300,
    rtol: float = 1e-7,
    time: float = 0.0,
    progress: bool = True,
) -> EquilibriumPaths:
    r"""Follow equilibria through limit points, snap-back and bifurcations, and onto the branches.

    All solutions of r(q, lambda, p) = 0, g(q, p) = 0 that hang together with the one at the start, for any element,
    joint and body, by arc length: neither the load nor a displacement has to grow. Of every equilibrium the number of
    unstable directions is found; where it changes, or where the parameter turns back, the limit point or bifurcation
    is located and kept as a point of the path.

    Parameters
    ----------
    model : Model or System, or function value -> Model
        A function makes the model of each value of a number that varies: a length, an imperfection, a stiffness. Its
        models have the same bodies, joints, loads and supports by their names and order, with other numbers.
    by : "load", "displacement", "time", or loads or supports of the model
        What the parameter p multiplies: all loads and prescribed displacements without a history (as the load factor
        of `solve_static` does); all prescribed displacements of supports; or those given (one, or several in a tuple)
        while all others keep their full value. With "time" p is the time of histories and of the drivers of joints.
        Of a function any name of the number that varies, while loads keep their full value.
    until : float, or (lowest, highest)
        Paths end where p leaves this range; a single number is the end towards which the first path sets off, and of
        a function the range goes from ``begin`` to there.
    start : StaticSolution, optional
        An equilibrium from which the first path begins, by default the reference state at ``begin``.
    begin : float, optional
        Value of p at the start; by default 0, or the last load factor of ``start``. A function needs it.
    branches : int
        How many branches are followed at most, bifurcation by bifurcation in the order in which they are met, those on
        branches included. Each is one path through the bifurcation, with both its sides.
    stop : function of a StaticSolution, optional
        Called with every equilibrium (a solution that holds this one alone); a path ends where it is true.
    step : float
        Largest step, relative to how far the path has gone, in displacements and in p.
    most : int
        Equilibria on one path (one side of a branch).
    rtol : float
        Last increment of an iteration, relative to the step: the error that is left is about its square.
    time : float
        At which drivers and histories are held, unless p is the time [time].
    progress : bool
        Whether long work shows how far it is.

    Returns
    -------
    EquilibriumPaths
        The paths, each with its points, stability and why it ends; limit points and bifurcations; ``plot``; all
        equilibria ``at`` a load. From a limit point `simulate` shows what the structure snaps to. Paths over a number
        of the description are `ParameterPath`s, whose quantities are asked of each equilibrium: the objects of one
        model are not those of the next, so name them, ``lambda s: s.position(s.model.body("apex"))[:, 1]``.

    Raises
    ------
    ModelError
        If nothing depends on the parameter, a force depends on the way to the equilibrium, or there is contact.
    ConvergenceError
        If there is no equilibrium at the start; give one that `solve_static` has found.

    Warns
    -----
    AccuracyWarning
        If linear shapes turn by more than 0.25 rad.
    RuntimeWarning
        If a path cannot be followed to its end; the message and ``ending`` name the point, the residual and where it
        is largest. All points up to there are kept, as after Ctrl-C.

    Notes
    -----
    Stability is that of the potential; where forces have none (followers, states) the number counts negative real
    eigenvalues of the stiffness: flutter is not seen, ask `solve_modal` at an equilibrium. Where the kernel of a
    bifurcation has two directions, as symmetry brings about, all branches that leave are followed; where they leave in
    every direction, as of a round column, or where the kernel has more directions, these are reported with their
    vectors and no branch is followed: hold one by symmetry and trace again. Steps see what changes the number of
    unstable directions within a step; take smaller ones where two changes may undo each other. Points of bifurcation at
    which eigenvalues touch zero without crossing it are met along the branch, not along the path.

    Examples
    --------
    Two bars between hinges, pushed down at their apex; snap-through:

    >>> import flexmbs as fx
    >>> apex = fx.PointMass(1.0, position=(0.0, 0.5), name="apex")
    >>> bars = [fx.SpringDamper(fx.ground.marker((x, 0, 0)), apex, stiffness=100.0, name=str(x)) for x in (-1, 1)]
    >>> model = fx.Model(apex, *bars, fx.PointForce(apex.centre, (0.0, -1.0)))
    >>> paths = fx.trace_static(model, until=20.0)
    >>> [(p.kind, round(p.parameter, 4)) for p in paths.points]
    [('limit point', 4.2914), ('limit point', -4.2914)]
    >>> [bool(x.stable[0]) for x in paths.at(0.0)]
    [True, False, True]

    The same bars, pushed down by 1 N, as they are made flatter: below a height of 0.301 there is nothing to stand on.

    >>> def flatter(height):
    ...     apex = fx.PointMass(1.0, position=(0.0, height), name="apex")
    ...     ends = [fx.ground.marker((x, 0, 0)) for x in (-1, 1)]
    ...     bars = [fx.SpringDamper(end, apex, stiffness=100.0, name=str(i)) for i, end in enumerate(ends)]
    ...     return fx.Model(apex, *bars, fx.PointForce(apex.centre, (0.0, -1.0)))
    >>> paths = fx.trace_static(flatter, by="height", begin=0.6, until=(0.2, 0.6))
    >>> [(p.kind, round(p.parameter, 3)) for p in paths.points]
    [('limit point', 0.301)]
    """
    run = _Tracing(model, by, until, start, begin, step, most, rtol, time, stop)
    return run.paths(as_count("trace_static", "branches", branches), bool(progress))


class _Tracing:
    """One call: its curve, its limits and what it has found."""

    def __init__(
        self, model: Any, by: Any, until: Any, start: Any, begin: Any, step: float, most: int, rtol: float, time: float,
        stop: Any,
    ) -> None:  # fmt: skip
        owner = "trace_static"
        described = isinstance(model, Model | System)
        if not described and not callable(model):
            raise ModelError(f"{owner}: expected a Model, or a function value -> Model, not {show(model)}.")
        time = as_number(owner, "time", time)
        if described:
            system = model if isinstance(model, System) else compile_model(model)
            refuse_memory(system)
            refuse_contact(system)
            self.parameter: Parameter | VariedModel = chosen(system, by, time)
        elif not isinstance(by, str) or by in WORDS:
            raise ModelError(
                f"{owner}: of a function by must be the name of the number that varies, such as by='length', not "
                f"{show(by)}."
            )
        elif begin is None:
            raise ModelError(f"{owner}: begin must say at which {by} the path of a function begins.")
        self.begin = 0.0 if begin is None else as_number(owner, "begin", begin)
        if begin is None and isinstance(start, StaticSolution):
            self.begin = start.time if self.parameter.timed else float(start.load_factors[-1])
        if isinstance(until, tuple | list):
            if len(until) != 2:
                raise ModelError(f"{owner}: until must be a number or (lowest, highest), not {show(until)}.")
            low, high = (as_number(owner, "until", x) for x in until)
            self.sense, wide = 1.0 if self.begin < high else -1.0, max(high - self.begin, self.begin - low)
            if not low <= self.begin <= high:
                raise ModelError(f"{owner}: the path begins at p = {self.begin:g}, which until={until!r} leaves out.")
        else:
            end = as_number(owner, "until", until)
            self.sense, wide = float(np.sign(end - self.begin)), abs(end - self.begin)
            low, high = min(self.begin, end), max(self.begin, end)
            if described:
                low, high = (-np.inf, high) if end > self.begin else (low, np.inf)
        if not wide > 0.0:
            raise ModelError(f"{owner}: until must differ from where the path begins, p = {self.begin:g}.")
        if not described:
            self.parameter = VariedModel(model, by, low, high, self.begin, time)
            system = self.parameter.system
            start = solve_static(system) if start is None else start
        self.system = system
        self.step = as_number(owner, "step", step, above=0.0)
        most = as_count(owner, "most", most, minimum=2)
        own = self.parameter.equations(self.begin)
        self.equations = EquationsOfRest(Dynamics(system)) if own is None else own
        self.dyn = dyn = self.equations.dyn
        if system.model.controllers:
            loop = ControlLoop(system.model.controllers)
            held = loop.outputs(loop.initial())
            dyn.mechanics.held[: len(held)] = held
        self.wide, self.rtol = FIRST * wide, as_number(owner, "rtol", rtol, above=0.0)
        self.start, self.redundant = start, tuple[str, ...]()
        self.rows: list[Any] = []
        if stop is not None and not callable(stop):
            raise ModelError(f"{owner}: stop must be a function of a StaticSolution, not {show(stop)}.")
        asked = None if stop is None else (lambda point: bool(stop(self.solution(point))))
        self.limits = Limits(low, high, asked, most)

    def curve(self) -> Curve:
        """A curve with a measure of its own."""
        out = Curve(self.equations, self.parameter, self.rtol, self.wide)
        out.rows = self.rows
        return out

    def solution(self, point: PathPoint) -> StaticSolution:
        """One equilibrium as a solution."""
        eq = self.parameter.equations(point.p)
        system = self.system if eq is None else eq.system
        return assembled(system, self.parameter, [point], "", self.redundant, []).equilibrium(0)

    # --- the start ---------------------------------------------------------------------------------------------------

    def first(self, curve: Curve) -> PathPoint:
        """The equilibrium at the start, with its tangent towards the end of the range."""
        curve.forward = self.sense > 0.0
        dyn, eq, system = self.dyn, self.equations, self.system
        scales, drives, time = self.parameter.held(self.begin)
        dyn.start_turns(time)
        q, v = dyn.coordinates.reference.copy(), np.zeros(dyn.n_v)
        v[eq.states] = dyn.coordinates.velocity[eq.states]
        frames, lam = system.fixation.frames(drives), np.zeros(dyn.n_c)
        old = system.fixation.frames0
        if self.start is not None:
            q, old = equilibrium_start("trace_static", dyn, self.start, v), frames
            if self.start.lam.shape[1] == dyn.n_c:
                lam = np.array(self.start.lam[-1])
        point = eq.imposed(Point(q, v, lam), old, frames, drives)
        if dyn.n_c:
            found = assemble(dyn, time, point.q, v)
            point, self.redundant = point._replace(q=found.q), found.redundant
        dyn.hold(scales, drives, time)
        if dyn.n_c:
            eq.arrive(point)
        at = curve.correct(point, self.begin, None, 1.0, None)
        if at is None:
            raise ConvergenceError(
                f"Model {system.model.name!r}: trace_static found no equilibrium at p = {self.begin:g}, where the path "
                f"begins: {curve.message}. Give one with start=solve_static(...), of the model with the loads of that "
                f"value, and begin={self.begin:g}."
            )
        rate = at.rate if at.rate * self.sense > 0.0 else -at.rate
        tangent = at.tangent if rate == at.rate else -at.tangent
        far = float(np.sqrt((curve.measure.weight * tangent) @ tangent)) / max(abs(rate), 1e-300) * self.wide
        curve.measure.far = far if 1e-12 < far < 1e6 else 1e-3
        return at._replace(tangent=tangent, rate=rate)

    # --- all paths ---------------------------------------------------------------------------------------------------

    def paths(self, branches: int, shown: bool) -> EquilibriumPaths:
        """The first path and its branches."""
        with Progress(f"equilibria of {self.system.model.name!r}", shown) as progress:
            curve = self.curve()
            first = self.first(curve)
            follower = Follower(curve, self.limits, self.step)
            found = [Found(follower.follow(first, progress))]
            waiting = [(0, i) for i in range(len(found[0].path.critical))]
            followed = 0
            while waiting and followed < branches and not found[-1].path.interrupted:
                on, number = waiting.pop(0)
                _, critical = found[on].path.critical[number]
                if critical.kind != BIFURCATION or self._known(found, on, number):
                    continue
                size = critical.kernel.shape[1]
                if size not in (1, 2):
                    found[on].notes[number] = (
                        f"the kernel has {size} directions, and no branch was followed"
                        if size
                        else "the matrix is singular to the last digit there"
                    )
                    continue
                starts, every = self._starts(critical)
                for sides in starts[: branches - followed]:
                    branch = self._branch(found, critical, sides, progress)
                    followed += 1
                    found[on].branches.setdefault(number, []).append(len(found))
                    found.append(branch)
                    waiting += [(len(found) - 1, i) for i in range(len(branch.path.critical))]
                    if branch.path.interrupted:
                        break
                if len(starts) > len(found[on].branches.get(number, ())):
                    found[on].notes[number] = f"{len(starts)} branches leave, of which not all were followed"
                if every:
                    found[on].notes[number] = (
                        "branches leave in every direction of the kernel of 2 directions, as of what is round, and "
                        "none was followed; hold one direction by symmetry"
                    )
                elif not starts:
                    found[on].notes[number] = "no branch was found beside it"
                    warnings.warn(
                        f"Model {self.system.model.name!r}: no branch was found beside the bifurcation at p = "
                        f"{critical.at.p:.6g}, though there is one. Add a small load or imperfection in the direction "
                        f"of its kernel, and trace the path of that model.",
                        RuntimeWarning,
                        stacklevel=3,
                    )
        return self._finish(found)

    def _known(self, found: list[Found], on: int, number: int) -> bool:
        """Whether a bifurcation is one that has been met before, at which a branch begins or ends."""
        at = found[on].path.critical[number][1].at
        return any(at.p == x.p and np.array_equal(at.point.q, x.point.q) for f in found for x in f.through)

    def _starts(self, critical: Critical) -> tuple[list[tuple[PathPoint | None, PathPoint | None]], bool]:
        """The first points of branches, of both their sides, and whether branches leave in every direction."""
        if critical.kernel.shape[1] == 1:
            one, two = (beside(self.curve_like(critical), critical, sign) for sign in (-1.0, 1.0))
            return ([] if one is None and two is None else [(one, two)]), False
        return around(self.curve_like(critical), critical)

    def curve_like(self, critical: Critical) -> Curve:
        """A curve with a measure of its own, whose equations are those of a critical point."""
        out = self.curve()
        out.hold(critical.at.p)
        return out

    def _branch(
        self, found: list[Found], critical: Critical, starts: tuple[PathPoint | None, PathPoint | None],
        progress: Progress,
    ) -> Found:  # fmt: skip
        """The branch that begins at a bifurcation, with both its sides."""
        sides: list[Piecewise | None] = []
        through = [critical.at]
        for point in starts:
            if point is None:
                sides.append(None)
                continue
            curve = self.curve_like(critical)
            way = curve.between(critical.at.point, critical.at.p, point.point)
            curve.measure.far = float(np.sqrt((curve.measure.weight * way) @ way))
            follower = Follower(curve, self.limits, self.step)
            follower.known = [
                (c.at, f"joins path {i} at p = {c.at.p:.6g}")
                for i, f in enumerate(found)
                for _, c in f.path.critical
                if c.kind == BIFURCATION
            ]
            side = follower.follow(point, progress, leaving=3)
            sides.append(side)
            through += [x for x, name in follower.known if side.ending == name]
            if side.interrupted:
                break
        return Found(_joined(sides, critical.at), through=through)

    def _finish(self, found: list[Found]) -> EquilibriumPaths:
        """The result, and warnings about paths that could not go on."""
        paths = tuple(self._path(f.path, self.rows if not i else []) for i, f in enumerate(found))
        for i, path in enumerate(paths):
            if CANNOT in path.ending:
                warnings.warn(
                    f"Model {self.system.model.name!r}: path {i} {path.ending}. Its {len(path)} equilibria are kept.",
                    RuntimeWarning,
                    stacklevel=4,
                )
        for points in (f.path.points for f in found):
            places = [f"at {self.parameter.name} = {x.p:g}" for x in points]
            warn_of_linear_turns(self.system, np.array([x.point.q for x in points]), places.__getitem__)
        at = self.curve().equations_at
        special = tuple(c for i, f in enumerate(found) for c in f.critical_points(i, self.solution, at))

        def find(path: Any, value: float, of: Any = None) -> list[StaticSolution]:
            points = found[next(k for k, x in enumerate(paths) if x is path)].path.points
            if of is None:
                return [self.solution(x) for x in equilibria_at(self.curve(), points, value)]
            values = as_array("where", "what the function gives of a path", path.evaluated(of), (len(path),))
            there = equilibria_where(self.curve(), points, values, value, lambda x: float(of(self.solution(x))[0]))
            return [self.solution(x) for x in there]

        return EquilibriumPaths(paths, special, self.parameter.name, find)

    def _path(self, path: Piecewise, rows: list[Any]) -> EquilibriumPath | ParameterPath:
        """A path as a result."""
        if self.parameter.equations(self.begin) is None:
            return assembled(self.system, self.parameter, path.points, path.ending, self.redundant, rows)
        unstable = np.array([x.unstable for x in path.points], dtype=np.int64)
        values = np.array([x.p for x in path.points])
        return ParameterPath(values, unstable, unstable == 0, path.ending, lambda i: self.solution(path.points[i]))


def _joined(sides: list[Piecewise | None], at: PathPoint) -> Piecewise:
    """Both sides of a branch as one path through the bifurcation."""
    back, forth = sides[0], sides[1] if len(sides) > 1 else None
    out = Piecewise([])
    beside = [x.points[0].unstable for x in sides if x is not None]
    at = at._replace(unstable=max(beside))  # as the branch is there; on the path that it leaves it changes
    if back is not None:
        n = len(back.points)
        out.points = [x._replace(tangent=-x.tangent, rate=-x.rate) for x in reversed(back.points)]
        out.critical = [(n - 1 - i, c) for i, c in reversed(back.critical)]
    out.points.append(at)
    if forth is not None:
        shift = len(out.points)
        out.critical += [(shift + i, c) for i, c in forth.critical]
        out.points += forth.points
    out.ending = "; ".join(dict.fromkeys(x.ending if x is not None else "one side was not found" for x in sides))
    return out
