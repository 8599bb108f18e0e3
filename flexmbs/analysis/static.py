"""Static equilibrium by load stepping that adapts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.analysis import rigidity
from flexmbs.analysis.accuracy import ACCURATE, HOPELESS, estimated_accuracy, solution_error
from flexmbs.analysis.newton import Iteration, NewtonResult, Problem, Scale, equilibrate
from flexmbs.core.checks import as_array, as_count, as_flag, as_number, show
from flexmbs.core.contracts import Env, FloatArray
from flexmbs.core.errors import AccuracyWarning, ConvergenceError, ModelError, SingularError
from flexmbs.core.history import Table
from flexmbs.core.progress import Progress
from flexmbs.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.system import System, compile_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flexmbs.results.time import TimeSolution

__all__ = ["StaticOptions", "solve_static"]

EASY, HARD = 6, 10
"""Iterations up to which the next step is doubled, and from which it is shortened."""
JUMP, JUMP_SIZE = 4.0, 1e-3
"""A step goes this many times as far as expected, or as this share of the model, before it counts as a jump."""
FARTHEST = 2.0
"""Largest turn [rad] of a slope in one step: beyond, another equilibrium may have been found, such as a loop."""
TURN = 1.0
"""Largest prescribed rotation [rad] in one step: half a turn more could not be told from half a turn less."""


@dataclass(frozen=True, kw_only=True)
class StaticOptions:
    """How a static analysis steps.

    Parameters
    ----------
    steps : int, optional
        Number of equal load steps; left out, the steps adapt: they grow while they are easy and are halved when they
        fail. Equal steps are halved, too, when they fail.
    first_step, smallest_step : float
        Of the load parameter, from 0 to 1.
    at : sequence of float, optional
        Load parameters that must be met exactly, ascending, at most 1.
    rtol : float
        Error of the increments, relative to the largest; see `flexmbs.analysis.newton`.
    most_steps : int
        Steps, failed ones included, after which the analysis gives up.
    check_stability : bool
        Whether to try a Cholesky factorisation after each step of a conservative model, and warn when the equilibrium
        is unstable.
    progress : bool
        Whether to show progress on standard error when it takes longer than a second.

    Raises
    ------
    ModelError
        If a value is out of bounds.
    """

    steps: int | None = None
    first_step: float = 0.1
    smallest_step: float = 1e-5
    at: Sequence[float] = ()
    rtol: float = 1e-8
    most_steps: int = 10_000
    check_stability: bool = True
    progress: bool = True

    def __post_init__(self) -> None:
        owner = "StaticOptions"
        first = as_number(owner, "first_step", self.first_step, above=0.0, maximum=1.0)
        checked: dict[str, object] = {
            "steps": None if self.steps is None else as_count(owner, "steps", self.steps, minimum=1),
            "first_step": first,
            "smallest_step": as_number(owner, "smallest_step", self.smallest_step, above=0.0, maximum=first),
            "rtol": as_number(owner, "rtol", self.rtol, above=0.0, maximum=1e-2),
            "most_steps": as_count(owner, "most_steps", self.most_steps, minimum=1),
            "check_stability": as_flag(owner, "check_stability", self.check_stability),
            "progress": as_flag(owner, "progress", self.progress),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        at = as_array(owner, "at", self.at, (None,))
        if np.any(np.diff(at) <= 0.0) or np.any(at <= 0.0) or np.any(at > 1.0):
            raise ModelError(f"{owner}: at must ascend, above 0 and at most 1, not {show(at.tolist())}.")
        object.__setattr__(self, "at", tuple(at.tolist()))


def solve_static(
    model: Model | System,
    options: StaticOptions | None = None,
    *,
    start: StaticSolution | TimeSolution | None = None,
    throw: bool = True,
) -> StaticSolution:
    r"""Static equilibrium under loads and prescribed motions that grow from nothing to their full size.

    Solves r(q, s) = 0 for load parameters s from 0 to 1. Loads and prescribed motions without history grow in
    proportion to s; each step starts on the secant of the last two equilibria, the first one on the tangent.

    Parameters
    ----------
    model : Model or System
    options : StaticOptions, optional
    start : StaticSolution or TimeSolution, optional
        Starts from its last state instead of the initial one; it must belong to a model with the same bodies and
        hinges. Loads still grow from s = 0, so give those that are already there a `Constant` history.
    throw : bool
        Whether a failure raises; otherwise the solution is returned with its ``status``.

    Returns
    -------
    StaticSolution
        All equilibria, from s = 0 on.

    Raises
    ------
    ModelError
        If the model is not supported against rigid motions; the message names the bodies that are free. A structure
        that its load holds in place, such as a hanging chain, needs that load from the start: give it the history
        `Constant`, and a shape close to its equilibrium.
    ConvergenceError
        If no step of the smallest size succeeds; the exception carries the solution up to there.
    SingularError
        If the structure is a mechanism in its first state; the message names the coordinates that can move.

    Warns
    -----
    AccuracyWarning
        If round-off limits the displacements to less than six digits; the message gives the estimate.
    RuntimeWarning
        If the equilibrium becomes unstable.

    Notes
    -----
    At a limit point, where the structure would snap to an equilibrium far away, the analysis stops: what happens then
    is dynamics. Prescribe a displacement instead of the load to follow the equilibria beyond. With equal ``steps`` it
    takes whatever equilibrium Newton's method finds.

    Models that can move: mechanisms run down to a stable equilibrium, as a pendulum released from horizontal does, and
    one that nothing holds is refused with the coordinates that are free (`flexmbs.analysis.equilibrium`). Motions of
    drivers are taken at the time s, the rates of velocity constraints as zero; first-order states stand still; sampled
    controllers hold what they hold at the start.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=16, element=fx.elements.PlanarCable(),
    ...                             stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0))
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.Moment(beam.end, 3.141592653589793)))
    >>> abs(bent.position(beam.end, step=-1)).round(4).tolist()
    [0.0, 0.6366, 0.0]

    A pendulum released from horizontal:

    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    >>> hinge = fx.Revolute(fx.ground, bar, at=(0, 0), name="hinge")
    >>> hanging = fx.solve_static(fx.Model(bar, hinge, fx.Gravity((0, -9.81))))
    >>> abs(hanging.position(bar, step=-1)).round(6).tolist(), round(float(hanging.reaction(hinge)[-1, 1]), 6)
    ([0.0, 0.5, 0.0], 19.62)
    """
    options = StaticOptions() if options is None else options
    if not isinstance(options, StaticOptions):
        raise ModelError(f"solve_static: options must be StaticOptions(...), not {show(options)}.")
    if not isinstance(model, Model | System):
        raise ModelError(f"solve_static: expected a Model, not {show(model)}.")
    system = model if isinstance(model, System) else compile_model(model)
    if system.model.moves:
        from flexmbs.analysis.equilibrium import solve_equilibrium

        return solve_equilibrium(system, options, start, throw)
    return _Stepper(system, options, start, throw).run()


class _Stepper:
    """The state of one analysis: equilibria found so far and the size of the next step."""

    def __init__(self, system: System, options: StaticOptions, start: object, throw: bool) -> None:
        self.system, self.options, self.throw = system, options, throw
        q = system.coordinates.reference.copy() if start is None else _restart(system, start)
        self.parameters = [0.0]
        self.drives = [system.fixation.drives_at(0.0, 0.0)]
        self.scales = [system.env(0.0, 0.0).scale]
        frames = system.fixation.frames(self.drives[0])
        system.fixation.check_turn(system.model.name, q, frames, TURN)
        old = system.fixation.frames0 if start is None else frames
        self.q = [system.impose(q, old, frames, self.drives[0])]
        self.rows: list[Iteration] = []
        self.stable: list[bool] = [True]
        self.scale = Scale(options.rtol, rigidity.model_size(system))
        self.loose = rigidity.is_loose(system)
        if self.loose and not np.any(self.scales[0]):
            rigidity.refuse_loose(system)
        self.message = ""
        self.last: NewtonResult | None = None

    def run(self) -> StaticSolution:
        """All steps; every failure leaves what was found before it."""
        options = self.options
        stops = sorted(
            {*options.at, *self._kinks(), *(np.linspace(0, 1, options.steps + 1)[1:] if options.steps else ()), 1.0}
        )
        step = 1.0 if options.steps else options.first_step
        failed, status = 0, Status.DONE
        with Progress("static", options.progress) as progress:
            try:
                moved = np.any(self.scales[0]) or np.any(self.q[0] != self.system.coordinates.reference)
                if moved and not self._settle():
                    status = Status.NO_START
                while status is Status.DONE and self.parameters[-1] < 1.0 and not self.message:
                    if failed + len(self.q) > options.most_steps:
                        status = Status.TOO_MANY_STEPS
                        break
                    now = self.parameters[-1]
                    stop = next((s for s in stops if s > now * (1 + 1e-14)), 1.0)
                    target = stop if now + 1.001 * step >= stop else now + step
                    iterations = self._advance(target)
                    if iterations:
                        step = self._next(step, target - now, iterations)
                        progress.show(target, f"load parameter {target:.3g}, {len(self.q) - 1} steps")
                        continue
                    failed += 1
                    step = 0.5 * (target - now)
                    if step < options.smallest_step:
                        status = Status.STEP_TOO_SMALL
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
        if self.message:
            status = Status.SINGULAR
        return self._finish(status)

    def _kinks(self) -> list[float]:
        """Load parameters at which a table of a load or of a prescribed motion bends."""
        histories = [x.history for x in self.system.model.loads] + [x.history for x in self.system.fixation.drives]
        return [float(t) for h in histories if isinstance(h, Table) for t in h.times if 0.0 < t < 1.0]

    def _next(self, step: float, taken: float, iterations: int) -> float:
        """Size of the next step after an easy, a fair or a hard one."""
        if self.options.steps:
            return 1.0
        if iterations > HARD:
            return 0.7 * taken
        return max(step, taken) * (2.0 if iterations <= EASY else 1.2)

    def _settle(self) -> bool:
        """Equilibrium at s = 0, where loads or prescribed motions act from the start."""
        if not self._advance(0.0):
            if self.loose:
                rigidity.refuse_loose(self.system)
            return False
        for kept in (self.parameters, self.drives, self.scales, self.q, self.stable):
            del kept[0]
        return True

    def _advance(self, target: float) -> int:
        """One step; the number of its iterations, 0 if it failed."""
        system = self.system
        env, drives = system.env(target, target), system.fixation.drives_at(target, target)
        turn = system.fixation.turn(self.drives[-1], drives)
        if turn > TURN:
            self.last = NewtonResult(self.q[-1], message=f"a prescribed rotation of {turn:.3g} rad in one step")
            return 0
        old, new = system.fixation.frames(self.drives[-1]), system.fixation.frames(drives)
        start, pushed = self.q[-1], None
        if len(self.q) > 1:  # along the secant of the last two equilibria
            ahead = (target - self.parameters[-1]) / (self.parameters[-1] - self.parameters[-2])
            start, old = start + ahead * (start - self.q[-2]), new
            start = system.impose(start, new, new, drives)
        elif len(drives):
            pushed = system.impose(start, old, new, drives)
        soft = self.loose and len(self.q) == 1
        result = equilibrate(Problem(system, self.q[-1], start, pushed, env, old, new, soft), self.scale)
        self.rows += result.rows
        self.last = result
        if result.singular is not None and len(self.q) == 1 and not result.rows:
            self.message = rigidity.explain_singular(system, self.q[-1], result.singular)
            return 0
        if not result.converged:
            return 0
        if system.coordinates.largest_turn(self.q[-1], result.q) > FARTHEST:
            self.last = NewtonResult(self.q[-1], message="a node turned by more than 2 rad in one step")
            return 0
        if self._jumped(start, result.q):
            self.last = NewtonResult(
                self.q[-1], message="the next equilibrium is far away; the structure would snap to it"
            )
            return 0
        stable = self._is_stable(result)
        halved = 0.5 * (target - self.parameters[-1])
        if self.stable[-1] and not stable and halved >= self.options.smallest_step:
            # Perhaps on another branch: a smaller step stays on the stable one, if it goes on.
            return 0
        self.parameters.append(target)
        self.drives.append(drives)
        self.scales.append(env.scale)
        self.q.append(result.q)
        self.stable.append(stable)
        return len(result.rows)

    def _jumped(self, guess: FloatArray, found: FloatArray) -> bool:
        """Whether an equilibrium lies much farther away than the last two let expect, as after snapping through."""
        if len(self.q) < 2 or self.options.steps:
            return False
        places = self.system.coordinates.translations
        expected, gone = (float(np.abs((x - self.q[-1])[places]).max(initial=0.0)) for x in (guess, found))
        return gone > JUMP * max(expected, JUMP_SIZE * self.scale.model_size)

    def _is_stable(self, result: NewtonResult) -> bool:
        """Whether the tangent of the last iterate is positive definite; only asked of conservative models.

        A tangent that round-off has spoilt says nothing of stability.
        """
        if not (self.options.check_stability and self.system.symmetric):
            return True
        places = self.system.coordinates.translations
        moved = float(np.abs((result.q - self.system.coordinates.reference)[places]).max(initial=0.0))
        return self.system.solver.is_positive_definite() or result.stagnant > ACCURATE * moved

    def _acts(self) -> bool:
        """Whether a load or a prescribed motion acts at the end, so that there are displacements to be accurate."""
        reference, t = self.system.coordinates.reference, self.parameters[-1]
        loaded = self.system.residual(reference, Env(t, self.scales[-1])).copy()
        unloaded = self.system.residual(reference, Env(t, np.zeros_like(self.scales[-1])))
        return bool(np.any(self.drives[-1]) or np.any(loaded != unloaded))

    def _why(self) -> str:
        return f"Last failure: {self.last.message}. " if self.last is not None and self.last.message else ""

    def _finish(self, status: Status) -> StaticSolution:
        """The solution, with warnings and errors about it."""
        system = self.system
        accuracy, frames = np.nan, system.fixation.frames(self.drives[-1])
        if self.last is not None and self.last.converged and self._acts():
            env = Env(self.parameters[-1], self.scales[-1])
            accuracy = estimated_accuracy(system, np.array(self.q), env, frames, self.last.stagnant)
        n = len(self.q)
        solution = StaticSolution(
            system=system,
            q=np.array(self.q),
            v=np.zeros((n, system.coordinates.n_v)),
            lam=np.zeros((n, 0)),
            load_factors=np.array(self.parameters),
            scales=np.array(self.scales).reshape(len(self.q), len(system.model.loads)),
            drives=np.array(self.drives).reshape(len(self.q), len(system.fixation.drives)),
            stable=np.array(self.stable),
            iterations=np.array(self.rows, dtype=float).reshape(len(self.rows), len(Iteration._fields)),
            accuracy=accuracy,
            status=status,
            message=self.message,
            settings=self.options,
        )
        name = f"Model {system.model.name!r}"
        longest = max(len(b.cells) for b in system.coordinates.bodies)
        if accuracy > ACCURATE:
            warnings.warn(
                f"{name}: round-off limits the displacements to a relative accuracy of about {accuracy:.0e}. The "
                f"longest chain has {longest} elements; some 10 000 are finer than double precision supports.",
                AccuracyWarning,
                stacklevel=4,
            )
        if status is Status.STEP_TOO_SMALL:
            error = solution_error(system, self.q[-1], Env(self.parameters[-1], self.scales[-1]), frames)
            if error > HOPELESS:
                warnings.warn(
                    f"{name}: round-off may be why no further equilibrium was found: a solution with the stiffness "
                    f"matrix is only good to {error:.0e}, since a chain of {longest} elements is finer than double "
                    f"precision supports. Use fewer elements.",
                    AccuracyWarning,
                    stacklevel=4,
                )
        if not solution.stable.all():
            first = solution.load_factors[int(np.argmin(solution.stable))]
            warnings.warn(
                f"{name}: the equilibrium is unstable from load parameter {first:.4g} on: the structure would leave "
                f"it at the smallest disturbance. Add a small imperfection or side load to follow the stable path.",
                RuntimeWarning,
                stacklevel=4,
            )
        if status is Status.SINGULAR and self.throw:
            raise SingularError(f"{name}: {self.message}")
        if status in (Status.STEP_TOO_SMALL, Status.TOO_MANY_STEPS, Status.NO_START) and self.throw:
            raise ConvergenceError(
                f"{name}: static analysis stopped at load parameter {self.parameters[-1]:.6g} of 1: {status.value} "
                f"{self._why()}The exception's .solution holds the {len(self.q)} equilibria found.",
                solution,
            )
        return solution


def _restart(system: System, start: object) -> FloatArray:
    """Last coordinates of another solution, if they fit."""
    if not isinstance(start, StaticSolution):
        raise ModelError(f"solve_static: start must be a StaticSolution, not {show(start)}.")
    mine, its = system.coordinates.reference, start.system.coordinates.reference
    if mine.shape != its.shape or not np.array_equal(mine, its):
        raise ModelError(
            f"solve_static: start belongs to model {start.system.model.name!r}, whose bodies or hinges differ from "
            f"those of model {system.model.name!r}."
        )
    return np.array(start.q[-1])
