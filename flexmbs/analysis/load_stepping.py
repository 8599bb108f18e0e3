"""Equilibria along growing loads: steps that adapt, what ends them, and the solution that is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis import rigidity
from flexmbs.analysis.accuracy import ACCURATE, HOPELESS, estimated_accuracy, solution_error
from flexmbs.analysis.far_drivers import FAR, FarDrivers
from flexmbs.analysis.load_path import LoadPath
from flexmbs.analysis.newton import EPS, NEAR_FLOOR, NewtonResult, Problem, Scale, equilibrate
from flexmbs.analysis.passed_contacts import PassedContacts
from flexmbs.analysis.relaxation import NOISE, relax
from flexmbs.analysis.rest import DENSE, EquationsOfRest, Point
from flexmbs.analysis.stability import Stability, stability_of
from flexmbs.analysis.static_reports import (
    raise_failure,
    refuse_memory,
    warn_of_round_off,
    warn_of_stability,
    warn_of_stiffness,
)
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.core.progress import Progress
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.control_loop import ControlLoop
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import linearise_state
from flexmbs.integrators.contracts import StepState
from flexmbs.results.records import Iteration
from flexmbs.results.start_from import equilibrium_start
from flexmbs.results.static import StaticSolution
from flexmbs.results.static_options import StaticOptions
from flexmbs.results.status import Status
from flexmbs.system.contact_pairs import contacts_of
from flexmbs.system.system import EvaluationError, System

if TYPE_CHECKING:
    pass

__all__ = ["LoadStepper"]

EASY, HARD = 6, 10
"""Iterations up to which the next step is doubled, and from which it is shortened."""
OFTEN = 300
"""Unknowns up to which stability is looked at after every step where Cholesky's method does not tell."""
JUMP, JUMP_SIZE = 4.0, 1e-3
"""A step goes this many times as far as expected, or as this share of the model, before it counts as a jump."""
FARTHEST = 2.0
"""Largest turn [rad] of a slope in one step: beyond, another equilibrium may have been found, such as a loop."""
TURN = 1.0
"""Largest prescribed rotation [rad] in one step: half a turn more could not be told from half a turn less."""


class LoadStepper:
    """The state of one analysis: equilibria found so far and the size of the next step.

    ``loose``: whether bodies can move without deformation before the loads act; ``mechanism``: whether the model has
    bodies that nothing but loads may hold, which relaxation finds at rest.
    """

    def __init__(self, system: System, options: StaticOptions, start: object, time: float | None, throw: bool) -> None:
        self.system, self.options, self.throw = system, options, throw
        self.path, self.time = LoadPath(system, time), 0.0 if time is None else time
        self.dyn = dyn = Dynamics(system)
        refuse_memory(system)
        if system.model.controllers:
            loop = ControlLoop(system.model.controllers)
            held = loop.outputs(loop.initial())
            dyn.mechanics.held[: len(held)] = held
        self.equations = eq = EquationsOfRest(dyn)
        self.scale, self.contacts = Scale(options.rtol, eq.length), PassedContacts(eq)
        flexible = bool(eq.elastic.all())
        self.loose = flexible and system.once(rigidity.is_loose)
        touches = bool(contacts_of(system.model))
        self.mechanism = not flexible or (self.loose and (dyn.n_c > 0 or dyn.n_q > dyn.n_v or touches))
        self.factors = [0.0]
        self.scales, self.drives = [self.path.scales(0.0)], [self.path.drives(0.0)]
        if self.loose and not self.mechanism and not np.any(self.scales[0]):
            rigidity.refuse_loose(system)
        self.redundant: tuple[str, ...] = ()
        self.far: FarDrivers | None = None
        self.points = [self._begin(start)]
        self.angles = [dyn.turns.counted]
        self.rows: list[Iteration] = []
        self.looked: list[Stability | None] = [None]
        self.singular = ""
        self.last: NewtonResult | None = None

    def _begin(self, start: object) -> Point:
        """The first state, on the joints and where the supports are."""
        dyn, system, drives = self.dyn, self.system, self.drives[0]
        dyn.start_turns(self.time)
        q, v = dyn.coordinates.reference.copy(), np.zeros(dyn.n_v)
        v[self.equations.states] = dyn.coordinates.velocity[self.equations.states]
        frames = system.fixation.frames(drives)
        old = system.fixation.frames0
        if start is not None:
            q, old = equilibrium_start("solve_static", dyn, start, v), frames
        system.fixation.check_turn(system.model.name, q, frames, TURN)
        point = self.equations.imposed(Point(q, v, np.zeros(dyn.n_c)), old, frames, drives)
        if dyn.n_c:
            found = assemble(dyn, self.time, point.q, v)
            self.redundant = found.redundant
            dyn.hold(self.scales[0], drives, self.time)
            turn = dyn.coordinates.largest_turn(point.q, found.q)
            if turn > FAR:
                self.far = FarDrivers(self.equations, point, turn)
                return point
            point = point._replace(q=found.q)
            self.equations.arrive(point)
        else:
            dyn.hold(self.scales[0], drives, self.time)
        return point

    def run(self) -> StaticSolution:
        """All steps; every failure leaves what was found before it."""
        options = self.options
        stops = sorted(
            {*options.at, *self.path.kinks, *(np.linspace(0, 1, options.steps + 1)[1:] if options.steps else ()), 1.0}
        )
        step = 1.0 if options.steps or not self.path.grows else options.initial_step
        failed, status = 0, Status.DONE
        with Progress(f"statics of {self.system.model.name!r}", options.progress) as progress:
            try:
                if not self._approach() or (self._acts_at_start() and not self._settle()):
                    status = Status.NO_START
                while status is Status.DONE and self.factors[-1] < 1.0 and not self.singular:
                    if failed + len(self.points) > options.max_steps:
                        status = Status.TOO_MANY_STEPS
                        break
                    now = self.factors[-1]
                    stop = next((s for s in stops if s > now * (1 + 1e-14)), 1.0)
                    target = stop if now + 1.001 * step >= stop else now + step
                    iterations = self._advance(target)
                    if iterations:
                        step = self._next(step, target - now, iterations)
                        progress.show(target, f"load factor {target:.3g}, {len(self.points) - 1} steps")
                        continue
                    failed += 1
                    step = 0.5 * (target - now)
                    if step < options.min_step or not self.path.grows:
                        status = Status.STEP_TOO_SMALL
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
        if self.singular:
            status = Status.SINGULAR
        return self._finish(status)

    def _next(self, step: float, taken: float, iterations: int) -> float:
        """Size of the next step after an easy, a fair or a hard one."""
        if self.options.steps:
            return 1.0
        if iterations > HARD:
            return 0.7 * taken
        return max(step, taken) * (2.0 if iterations <= EASY else 1.2)

    def _approach(self) -> bool:
        """Go where far drivers are held; whether there is an equilibrium at every step."""
        for _ in self.far.steps() if self.far is not None else ():
            self.last, _ = self._equilibrium(0.0, self.drives[0])
            self.rows += self.last.rows
            if not self.last.converged:
                return False
            self.equations.arrive(self.last.point)
            self.points, self.angles = [self.last.point], [self.dyn.turns.counted]
        return True

    def _acts_at_start(self) -> bool:
        """Whether the first state is not at rest as it is."""
        eq, point = self.equations, self.points[0]
        if not self.mechanism:
            self.looked[0] = None if self.loose else Stability(True, ())
            if np.any(self.scales[0]) or np.any(point.q != self.dyn.coordinates.reference):
                return True
            if not (self.dyn.n_c or self.system.model.forces):
                return False
            rest, _ = eq.reduced(eq.tangent(point), self.dyn.frames)
            return bool(np.any(np.abs(rest) > NEAR_FLOOR * EPS * eq.magnitude(point)[eq.free]))
        try:
            acceleration, balanced = eq.unbalanced(point)
            if acceleration > NOISE * eq.stiffest(point):
                return True
        except (EvaluationError, SingularError):
            return True
        self.points[0] = balanced
        self.looked[0] = self._stability(None, balanced, 0.0)
        return False

    def _settle(self) -> bool:
        """Equilibrium at s = 0, where something acts from the start."""
        if not self._advance(0.0):
            if self.loose and not self.mechanism:
                rigidity.refuse_loose(self.system)
            return False
        kept: list[Any]
        for kept in (self.factors, self.drives, self.scales, self.points, self.looked, self.angles):
            del kept[0]
        return True

    def _advance(self, target: float) -> int:
        """One step; the number of its iterations, 0 if it failed."""
        eq, dyn, fixation = self.equations, self.dyn, self.system.fixation
        scales, drives = self.path.scales(target), self.path.drives(target)
        turn = fixation.turn(self.drives[-1], drives)
        if turn > TURN:
            self.last = NewtonResult(self.points[-1], message=f"a prescribed rotation of {turn:.3g} rad in one step")
            return 0
        memory = eq.memory()
        dyn.hold(scales, drives, self.time)
        result, start = self._equilibrium(target, drives)
        self.rows += result.rows
        self.last = result
        if not result.converged:
            if result.singular is not None and len(self.points) == 1 and not result.rows and not self.mechanism:
                frames = fixation.frames(self.drives[-1])
                self.singular = rigidity.explain_singular(eq, self.points[-1], frames, result.singular)
            return 0
        refused = self._far_away(result, start)
        if not (refused or result.relaxed):  # relaxation looks at its own increments
            refused = self.contacts.between(self.points[-1], result.point)
        if not refused:
            eq.arrive(result.point)
            looked = self._stability(result, result.point, target)
            halved = 0.5 * (target - self.factors[-1])
            if self._lost_stability(looked) and halved >= self.options.min_step:
                refused = "the next equilibrium is unstable"  # a smaller step stays on the stable branch, if it goes on
        if refused:
            eq.restore(memory)
            self.last = NewtonResult(self.points[-1], message=refused)
            return 0
        self.factors.append(target)
        self.drives.append(drives)
        self.scales.append(scales)
        self.points.append(eq.least(result.point))
        self.angles.append(dyn.turns.counted)
        self.looked.append(looked)
        return EASY if result.relaxed else max(1, len(result.rows))

    def _equilibrium(self, target: float, drives: FloatArray) -> tuple[NewtonResult, Point]:
        """Newton's method from where the last equilibria point, then relaxation where that may help; and the start."""
        eq, fixation, last = self.equations, self.system.fixation, self.points[-1]
        old, new = fixation.frames(self.drives[-1]), fixation.frames(drives)
        if self.mechanism:
            try:
                _, last = eq.unbalanced(last)
            except (EvaluationError, SingularError) as error:
                return NewtonResult(last, message=str(error)), last
        start, pushed = last, None
        if len(self.points) > 1:  # along the secant of the last two equilibria
            ahead = (target - self.factors[-1]) / (self.factors[-1] - self.factors[-2])
            start, old = eq.moved(self.points[-1], ahead * eq.between(*self.points[-2:])), new
            start = eq.imposed(start, new, new, drives)
        elif len(drives):
            pushed = eq.imposed(start, old, new, drives)
        soft = self.loose and len(self.points) == 1
        result = equilibrate(Problem(eq, target, last, start, pushed, old, new, soft, self.mechanism), self.scale)
        if not result.converged and (self.mechanism or self.loose):
            there = eq.imposed(last, fixation.frames(self.drives[-1]), new, drives)
            relaxed = relax(eq, target, there, new, self.options.rtol)
            relaxed.rows = result.rows + relaxed.rows
            result = relaxed
        return result, start

    def _far_away(self, result: NewtonResult, start: Point) -> str:
        """Why an equilibrium is not the next one of the path, such as after snapping through; empty if it is."""
        eq, last = self.equations, self.points[-1]
        if self.mechanism or result.relaxed:  # which run down to an equilibrium, wherever that is
            return ""
        if self.dyn.coordinates.largest_turn(last.q, result.point.q) > FARTHEST:
            return "a node turned by more than 2 rad in one step"
        if len(self.points) > 1 and not self.options.steps:
            expected, gone = (
                float(np.abs(eq.between(last, x)[eq.lengths]).max(initial=0.0)) for x in (start, result.point)
            )
            if gone > JUMP * max(expected, JUMP_SIZE * eq.length):
                return "the next equilibrium is far away; the structure would snap to it"
        return ""

    # --- stability ---------------------------------------------------------------------------------------------------

    def _stability(self, result: NewtonResult | None, point: Point, s: float) -> Stability | None:
        """Whether the point is stable, None where that is not looked at.

        A symmetric matrix is positive definite where Cholesky's method succeeded in the last iteration; one that
        round-off has spoilt says nothing.
        """
        eq, n = self.equations, self.system.n
        if not self.options.check_stability:
            return None
        if self.system.symmetric and result is not None:
            reference = point._replace(q=self.dyn.coordinates.reference)
            moved = float(np.abs(eq.between(reference, point)[eq.lengths]).max(initial=0.0))
            return Stability(eq.is_positive_definite() or result.stagnant > ACCURATE * moved, ())
        if n > (DENSE if s == 1.0 else OFTEN):
            return None
        state = StepState.unaccelerated(self.time, point.q, point.v, point.lam)
        return stability_of(self.dyn, linearise_state(self.dyn, state))

    def _lost_stability(self, looked: Stability | None) -> bool:
        """Whether a path that was stable no longer is, and another may go on; where it flutters, there is none."""
        before = self.looked[-1]
        if before is None or looked is None:
            return False
        return before.stable and not before.free and not looked.stable and looked.how != "flutter"

    # --- the result --------------------------------------------------------------------------------------------------

    def _finish(self, status: Status) -> StaticSolution:
        """The solution, with warnings and errors about it."""
        eq, name = self.equations, f"Model {self.system.model.name!r}"
        frames = self.system.fixation.frames(self.drives[-1])
        accuracy, done = np.nan, self.last is not None and self.last.converged
        self.dyn.hold(self.scales[-1], self.drives[-1], self.time)
        if done and self.last is not None and self._acts():
            accuracy = estimated_accuracy(eq, self.points, frames, self.last.stagnant)
        message = self.singular or ("" if done or self.last is None else self.last.message)
        solution = self._solution(status, message, accuracy)
        longest = max((len(b.cells) for b in self.dyn.coordinates.bodies), default=0)
        if accuracy > ACCURATE:
            warn_of_round_off(name, accuracy, longest)
        if status is Status.STEP_TOO_SMALL:
            error = solution_error(eq, self.points[-1], frames)
            if error > HOPELESS:
                warn_of_stiffness(name, error, longest)
        warn_of_stability(name, self.factors, self.looked, status)
        if self.throw:
            raise_failure(name, solution)
        return solution

    def _solution(self, status: Status, message: str, accuracy: float) -> StaticSolution:
        """What was found."""
        n, points, controllers = len(self.points), self.points, len(self.system.model.controllers)
        extra: dict[str, Any] = {"near": self.dyn.turns.memory()}
        if self.dyn.turns.angular:
            extra["counted"] = np.array(self.angles)
        if controllers:
            extra["held"] = self.dyn.mechanics.held.copy()
        return StaticSolution(
            system=self.system,
            q=np.array([p.q for p in points]),
            v=np.array([p.v for p in points]),
            lam=np.array([p.lam for p in points]).reshape(n, self.dyn.n_c),
            load_factors=np.array(self.factors),
            scales=np.array(self.scales).reshape(n, len(self.system.model.loads)),
            drives=np.array(self.drives).reshape(n, len(self.system.fixation.drives)),
            time=self.time,
            stable=self.stable,
            free=self.free,
            redundant=self.redundant,
            iterations=np.array(self.rows, dtype=float).reshape(len(self.rows), len(Iteration._fields)),
            accuracy=accuracy,
            status=status,
            message=message,
            settings=self.options,
            extra=extra,
        )

    @property
    def stable(self) -> Any:
        """Whether each equilibrium is stable; True where that was not looked at (n_s,)."""
        return np.array([x is None or x.stable for x in self.looked])

    @property
    def free(self) -> tuple[str, ...]:
        """Coordinates that nothing holds at the last equilibrium."""
        return () if self.looked[-1] is None else self.looked[-1].free

    def _acts(self) -> bool:
        """Whether a load or a prescribed motion acts at the end, so that there are displacements to be accurate."""
        if np.any(self.drives[-1]):
            return True
        eq, point = self.equations, self.points[-1]._replace(q=self.dyn.coordinates.reference)
        loaded = eq.residual(point).copy()
        self.dyn.hold(np.zeros_like(self.scales[-1]), self.drives[-1], self.time)
        unloaded = eq.residual(point).copy()
        self.dyn.hold(self.scales[-1], self.drives[-1], self.time)
        return bool(np.any(loaded != unloaded))
