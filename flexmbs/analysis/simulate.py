"""Motion over time: a consistent start, steps, what is stored, and runs that always leave what they had."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.chunks import Chunks
from flexmbs.analysis.grid import Grid
from flexmbs.analysis.interruption import Interruption
from flexmbs.analysis.output import Output
from flexmbs.analysis.recorder import Recorder
from flexmbs.analysis.sampling import Sampling
from flexmbs.analysis.watch import Watch, as_events
from flexmbs.assembly import assemble
from flexmbs.core.checks import as_flag, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, ConvergenceError, ModelError
from flexmbs.core.progress import Progress
from flexmbs.dynamics import Dynamics
from flexmbs.equilibria import Equilibria, equilibrium_start
from flexmbs.integrators.contracts import StepState, StepStatus
from flexmbs.integrators.generalized_alpha import GeneralizedAlpha
from flexmbs.integrators.step_control import ErrorControl, FixedStep
from flexmbs.model import Model
from flexmbs.output.model_description import describe_model, differences
from flexmbs.output.time_files import CHECKPOINT, Stream, memory_of, meta_of
from flexmbs.solution import Solution
from flexmbs.start import carry_velocities, check_supports, warn_of_changes
from flexmbs.system import System, compile_model
from flexmbs.time_solution import TimeSolution, TimeStatus, angles_at_end

if TYPE_CHECKING:
    from os import PathLike

    from flexmbs.control.events import Event
    from flexmbs.integrators.contracts import Integrator, Stepper

__all__ = ["Output", "simulate"]

NEAR = 1e-9
"""An event this near to an end of a step, relative to the step, happens at that end."""


def simulate(
    model: Model | System,
    until: float,
    *,
    step: float | FixedStep | ErrorControl | None = None,
    integrator: Integrator | None = None,
    output: Output | None = None,
    start: Solution | TimeSolution | None = None,
    events: Sequence[Event] = (),
    keep: Sequence[Any] = (),
    file: str | PathLike[str] | None = None,
    progress: bool = True,
    throw: bool = True,
) -> TimeSolution:
    r"""Motion of a model from its initial state, or from the end of another run.

    Positions and velocities are first moved onto the constraints by the least change in the metric of the mass; then
    the equations :math:`M a + f(q, v, t) + G^T \lambda = 0`, :math:`g(q, t) = 0` are integrated implicitly.

    Parameters
    ----------
    model : Model or System
    until : float
        End time; runs begin at 0, or at the end of ``start``. A run of no length returns the consistent state there.
    step : float, FixedStep or ErrorControl, optional
        A number means steps of that size; left out, steps are chosen by `ErrorControl()`.
    integrator : Integrator, optional
        Default: `GeneralizedAlpha()`, stabilised index 2 with spectral radius 0.9.
    output : Output, optional
        Default: every step.
    start : TimeSolution or Solution, optional
        A motion: resumes from its end, bitwise as if the run had not been interrupted; the model must be the same. What
        `solve_static` found: begins at t = 0 in its last equilibrium; the model must have the same coordinates, and may
        have other loads. The bodies have their initial velocities: fields of flexible bodies are evaluated there, rigid
        bodies that spin about a point keep spinning about it, others keep their velocity in inertial axes.
    events : sequence of Event
        Watched on the interpolant of every step; where one happens, the step is made again to end there.
    keep : sequence of bodies
        That stay where they are described, and move as described, while the others are moved onto the constraints.
    file : path-like, optional
        An HDF5 file (.h5) for the result. While the run is under way every stored state goes to a journal beside it,
        which even a killed process leaves readable: load it with `flexmbs.load`, and go on with ``start=`` and another
        file; `flexmbs.joined` puts both together.
    progress : bool
        Whether to show progress on standard error when it takes longer than a second.
    throw : bool
        Whether a failure raises; otherwise the solution is returned with its ``status``. Ctrl-C does not raise: a line
        on standard error says when it came, what was computed is returned with the status INTERRUPTED, and a script
        goes on; a second Ctrl-C, before the step ends, raises KeyboardInterrupt.

    Raises
    ------
    ModelError
        If the joints cannot be assembled, or velocities contradict each other; the message names the joints. If
        supports prescribe displacements that the start does not have, or rotations.
    ConvergenceError
        If the step became too small, or the steps allowed were used up; the exception carries the solution up to there.

    Warns
    -----
    AccuracyWarning
        If the motion gains energy from nowhere (more than 5 % of the largest).
    RuntimeWarning
        If bodies are moved by more than 1e-3 (of the size of the model, or rad) to meet the joints and ``keep`` names
        none, or if the joints change the velocity of a moving body by more than 1 %.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bar = fx.RigidBody.box((1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    >>> hinge = fx.Revolute(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    >>> run = fx.simulate(fx.Model(bar, hinge, fx.Gravity((0, 0, -9.81))), until=0.5, step=1e-2)
    >>> len(run), bool(abs(run.energy.balance).max() < 1e-2)
    (51, True)
    """
    if not isinstance(model, Model | System):
        raise ModelError(f"simulate: expected a Model, not {show(model)}.")
    system = model if isinstance(model, System) else compile_model(model)
    begin = 0.0
    if start is not None and not isinstance(start, Solution | Equilibria):
        _check_start(start, system)
        begin = float(start.last.t)
    until = as_number("simulate", "until", until, minimum=begin, unit="time")
    scheme = GeneralizedAlpha() if integrator is None else integrator
    members = ("check", "start", "stepper")
    if isinstance(scheme, type) or not all(callable(getattr(scheme, name, None)) for name in members):
        raise ModelError(f"simulate: integrator must be one such as GeneralizedAlpha(rho=0.8), not {show(integrator)}.")
    control = _control(step, until - begin)
    output = Output() if output is None else output
    if not isinstance(output, Output):
        raise ModelError(f"simulate: output must be an Output such as Output(every=0.01), not {show(output)}.")
    throw = as_flag("simulate", "throw", throw)
    run = _Run(Dynamics(system), scheme, control, output, begin, until, as_events(events))
    stream = None
    if file is not None:
        dyn = run.dynamics
        stream = Stream(system.model, (dyn.n_q, dyn.n_v, dyn.n_c), file)
    run.begin(start, stream, tuple(keep))
    with Progress(f"motion of {system.model.name!r}", wanted=as_flag("simulate", "progress", progress)) as shown:
        run.integrate(shown)
    if run.status is TimeStatus.INTERRUPTED:
        sys.stderr.write(f"simulate: {system.model.name!r} {run.message[:-1]}; what was computed is returned.\n")
    solution = run.solution()
    if stream is not None:
        stream.close(solution)
    if until > begin:
        _warn_of_gain(solution, (run.dynamics.position_size / (until - begin)) ** 2)
    if throw and run.status in (TimeStatus.STEP_TOO_SMALL, TimeStatus.TOO_MANY_STEPS):
        raise ConvergenceError(f"Model {system.model.name!r}: {run.message} {run.status.value}", solution)
    return solution


def _check_start(start: object, system: System) -> None:
    """Refuse what cannot be gone on from."""
    if not isinstance(start, TimeSolution):
        raise ModelError(f"simulate: start must be what simulate returned or flexmbs.load read, not {show(start)}.")
    if start.last is None:
        raise ModelError("simulate: start does not hold the state of its end; take one that simulate or load returned.")
    if start.model is not system.model:
        found = differences(describe_model(start.model)[0], describe_model(system.model)[0])
        if found:
            raise ModelError(
                f"simulate: start belongs to another model than {system.model.name!r}. It differs in: "
                f"{'; '.join(found[:3]).replace('in the file', 'in start')}. Pass the model that it was computed with."
            )


def _warn_of_gain(solution: TimeSolution, usual: float) -> None:
    """Energy from nowhere: steps too large for an impact, or Newton's method has found another solution.

    ``usual``: energy of a motion over the size of the model in the time of the run; far below that all is round-off.
    Passive forces between markers cannot have dissipated less than nothing.
    """
    energy = solution.energy
    moving = energy.kinetic + energy.strain + energy.springs
    gained = np.nan_to_num(energy.balance)
    mechanics = solution.system.mechanics
    if mechanics is not None and not mechanics.given:
        gained = gained - np.minimum(np.nan_to_num(energy.dissipated), 0.0)
    gain, most = float(gained.max()), float(np.nan_to_num(moving).max())
    if gain > GAIN * most and most > 1e-12 * usual:
        at = solution.t[int(np.argmax(np.diff(gained, prepend=gained[0])))]
        warnings.warn(
            f"Model {solution.model.name!r}: the motion has gained {gain:.3g} of energy from nowhere, most of it about "
            f"t = {at:.4g}; the largest energy is {most:.3g}. Take smaller steps, or step=None for error control.",
            AccuracyWarning,
            stacklevel=3,
        )


def _control(step: object, span: float) -> Any:
    """What chooses the steps, such that they are neither lost in the round-off of time nor without end."""
    if step is None:
        return ErrorControl()
    if isinstance(step, ErrorControl):
        return step
    if not isinstance(step, FixedStep):
        if isinstance(step, bool) or not isinstance(step, Real):
            raise ModelError(
                f"simulate: step must be a number, FixedStep(...), ErrorControl(...) or None, not {show(step)}."
            )
        step = FixedStep(as_number("simulate", "step", step, above=0.0, unit="time"))
    as_number("simulate", "step", step.h, above=1e-12 * span, unit="time")
    return step


GAIN = 0.05
"""Energy gained, over the largest, that is no longer an error of the integration to be expected."""


class _Run:
    """One run from begin to end."""

    def __init__(
        self,
        dynamics: Dynamics,
        scheme: Any,
        control: Any,
        output: Output,
        begin: float,
        until: float,
        events: tuple[Event, ...],
    ) -> None:
        self.dynamics, self.scheme, self.control, self.output = dynamics, scheme, control, output
        self.sampled = Sampling(dynamics)
        self.events = Watch(dynamics, self.sampled.viewer, events)
        self.t0, self.until, self.origin = begin, until, begin
        self.wanted = output.times(begin, until)
        self.status, self.message = TimeStatus.DONE, ""
        self.rejected, self.jump = 0, ""
        self.turned: dict[tuple[str, str], float] = {}
        self.redundant: tuple[str, ...] = ()
        self.wall = time.perf_counter()
        self.cpu = time.process_time()

    def begin(self, start: Solution | TimeSolution | None, stream: Stream | None, keep: tuple[Any, ...]) -> None:
        """A consistent state at the start, and the recorder."""
        dyn = self.dynamics
        span = self.until - self.t0
        self.h = min(self.control.first(span), span or np.inf)
        self.recorder = Recorder(dyn, self.output.energy)
        self.grid = Grid(self.control.h if isinstance(self.control, FixedStep) else None, self.t0)
        if start is None or isinstance(start, Solution | Equilibria):
            dyn.start_turns(self.t0)
            q, v = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
            if start is not None:
                q = equilibrium_start("simulate", dyn, start, v)
                carry_velocities(dyn, q, v)
            check_supports(dyn, None if start is None else q)
            found = assemble(dyn, self.t0, q, v, keep)
            warn_of_changes(dyn, q, v, found.q, found.v, kept=bool(keep))
            self.redundant = found.redundant
            self.scheme.check(dyn, found.redundant)
            self.jump = self._jump(v, found.v)
            self.sampled.begin(self.t0, found.q, found.v)
            self.state: StepState = self.scheme.start(dyn, self.t0, found.q, found.v, self.h)
        else:
            self.redundant = start.redundant
            self.scheme.check(dyn, start.redundant)
            self.turned = angles_at_end(start)
            dyn.compliance(len(self.redundant) > 0)
            dyn.turns.restore(start.extra["near"])
            self.state, self.h = start.last, start.extra["h"] or self.h
            if not self.grid.restore(start.extra.get("grid")) and isinstance(self.control, FixedStep):
                self.h = self.control.h
            self.origin = start.extra.get("origin", self.t0)
            self.events.restore(start.extra.get("events", {}))
            self.sampled.restore(start.extra["control"])
            self.recorder.restore(start.extra)
        self.stepper: Stepper = self.scheme.stepper(dyn, self.control.tolerance)
        self.recorder.stream = stream
        self.recorder.store(self.state)
        self._checkpoint()
        self.next = 0
        self.chunks = Chunks(self)

    def integrate(self, progress: Progress) -> None:
        """Steps up to the end, an interruption, or a failure; what was made is kept."""
        with Interruption() as interruption:
            self._steps(progress, interruption)

    def _steps(self, progress: Progress, interruption: Interruption) -> None:
        dyn, control, grid = self.dynamics, self.control, self.grid
        span = self.until - self.origin  # of the whole motion, so that a resumed run has the same limits
        smallest = control.smallest(span)
        largest = control.limit(span) if isinstance(control, ErrorControl) else np.inf
        most = np.inf if control.most_steps is None else control.most_steps
        error_before = 0.0
        while self.state.t < self.until:
            if interruption.wanted:
                self.status = TimeStatus.INTERRUPTED
                self.message = f"interrupted at t = {self.state.t:g}."
                return
            if self.recorder.n_steps >= most:
                self.status = TimeStatus.TOO_MANY_STEPS
                self.message = f"stopped at t = {self.state.t:.6g} after {most} steps, the last of size {self.h:.3g}."
                return
            barrier = min(self.until, self.sampled.next_time(self.state.t))
            error = self.chunks.advance(barrier, error_before)
            if error is not None:
                error_before = error
                self._passed(progress, span, show=True)
                continue
            h, end = grid.next(self.state.t, min(self.h, largest, self.stepper.longest(self.state)), barrier)
            result = self.stepper.step(self.state, h)
            if result.state is None or not control.accepts(result.error, error_before):
                again = control.again(h, result)
                if again >= smallest:
                    self.rejected, self.h = self.rejected + 1, again
                    continue
                # The smallest of fixed steps stands whatever its estimate: a force may jump there.
                if result.state is None or not isinstance(control, FixedStep):
                    self.rejected += 1
                    self.status = TimeStatus.STEP_TOO_SMALL
                    self.message = self._failure(h, result)
                    return
            new = result.state._replace(t=end)
            happened = self.events.first(self.state, new, self.stepper.between)
            if happened.t is not None and happened.t <= self.state.t + NEAR * h:  # now; a step would be round-off alone
                if self._react(happened.events):
                    return
                continue
            if happened.t is not None and happened.t < end - NEAR * h:
                result = self.stepper.step(self.state, happened.t - self.state.t)
                if result.state is None:
                    self.status, self.message = TimeStatus.STEP_TOO_SMALL, self._failure(h, result)
                    return
                new = result.state._replace(t=happened.t)
                barrier = happened.t
            grid.reached(new.t, barrier)
            error_before = result.error
            self.recorder.step(new, new.t - self.state.t, result)
            dyn.accept(new.q)
            self.store(self.state, new)
            self.state = new
            proposed = control.after(h, result)
            shortened = h < 0.99 * min(self.h, largest)
            self.h = max(proposed, self.h) if shortened else proposed
            if happened.t is not None and self._react(happened.events):
                return
            changed = self.sampled.sample(self.state)
            if changed:
                self._restart()
            self._passed(progress, span, show=self.recorder.n_steps % 20 == 0)

    def _passed(self, progress: Progress, span: float, show: bool) -> None:
        """After accepted steps: checkpoints at fixed numbers of steps, and progress."""
        if self.recorder.n_steps % CHECKPOINT == 0:
            self.stepper.forget()
            self._checkpoint()
        if show:
            progress.show((self.state.t - self.origin) / span, f"t = {self.state.t:.4g}")

    def _react(self, numbers: tuple[int, ...]) -> bool:
        """Record events and do what they ask for; whether the run ends."""
        stop = self.events.changed = False
        before = self.recorder.potential(self.state)
        for i in numbers:
            stop |= self.events.happen(i, self.state)
        if self.events.changed:
            self.recorder.supply(self.recorder.potential(self.state) - before)
        if stop:
            self.status = TimeStatus.STOPPED
            if self.recorder.states[-1].t != self.state.t:
                self.recorder.store(self.state)
        elif self.events.changed:
            self._restart()
        return stop

    def _restart(self) -> None:
        """After a jump of forces: new accelerations and multipliers; the state of the scheme starts afresh."""
        s = self.state
        began = self.scheme.start(self.dynamics, s.t, s.q, s.v, self.h)
        self.state = began._replace(q=s.q, v=s.v)
        self.recorder.jump(self.state)

    def store(self, old: StepState, new: StepState) -> None:
        """The states wanted within the step."""
        if self.wanted is None:
            self.recorder.store(new)
            return
        between = None
        while self.next < len(self.wanted) and self.wanted[self.next] <= new.t:
            t = self.wanted[self.next]
            if t == new.t:
                self.recorder.store(new)
            else:
                between = between or self.stepper.between(old, new)
                self.recorder.store(between(t))
            self.next += 1

    def _failure(self, h: float, result: Any) -> str:
        dyn = self.dynamics
        reason = result.status.value
        if result.status is StepStatus.DONE:
            reason = f"the estimated error is {result.error:.3g} times the tolerance"
        text = f"stopped at t = {self.state.t:.6g}: with a step of {h:.3g} {reason}"
        text += f" ({result.message})." if result.message else "."
        if result.status in (StepStatus.SLOW, StepStatus.DIVERGED):
            worst = int(np.argmax(np.abs(np.nan_to_num(dyn.r, nan=np.inf))))
            name = dyn.coordinates.describe(worst) if worst < dyn.n_v else dyn.mechanics.names[worst - dyn.n_v]  # type: ignore[union-attr]
            text += f" The largest residual is {dyn.r[worst]:.3g} on {name}."
        if self.redundant:
            text += f" Redundant are: {', '.join(self.redundant[:5])}; a motion prescribed there cannot be followed."
        if self.jump:
            text += f" At the start the joints changed velocities, most that of {self.jump}."
        return text

    def _jump(self, given: FloatArray, met: FloatArray) -> str:
        """The coordinate whose velocity the joints have changed most at the start; empty if none."""
        change = np.abs(met - given)
        if not len(change) or change.max() <= 1e-6 * max(float(np.abs(met).max()), 1e-300):
            return ""
        worst = int(np.argmax(change))
        return f"{self.dynamics.coordinates.describe(worst)}, from {given[worst]:.3g} to {met[worst]:.3g}"

    def _checkpoint(self) -> None:
        """Write all that the run needs to go on from here, if it has a file."""
        if self.recorder.stream is not None:
            extra = self._extra()
            self.recorder.stream.checkpoint(memory_of(self.state, extra), meta_of(extra, self.redundant))

    def _extra(self) -> dict[str, Any]:
        """What a resumed run needs beside the state."""
        memory = {"near": self.dynamics.turns.memory(), "h": self.h, "grid": self.grid.memory(), "origin": self.origin}
        memory |= {"control": self.sampled.memory(), "samples": self.sampled.history(), "events": self.events.memory()}
        return memory | {"before": self.turned} | self.recorder.memory()

    def solution(self) -> TimeSolution:
        """Everything so far."""
        dyn = self.dynamics
        counts = {
            "evaluations": dyn.evaluations, "factorisations": dyn.factorisations, "rejected": self.rejected,
            "cpu_seconds": time.process_time() - self.cpu, "seconds": time.perf_counter() - self.wall,
        }  # fmt: skip
        counts |= {f"{part}_seconds": seconds for part, seconds in dyn.seconds.items()}
        if dyn.mechanics is not None:
            counts["python_seconds"] = dyn.python.seconds
        counts |= getattr(self.stepper, "counts", {})
        return self.recorder.solution(
            counts=counts, redundant=self.redundant, status=self.status, message=self.message, last=self.state,
            settings={"integrator": self.scheme, "step": self.control, "output": self.output, "until": self.until},
            events=tuple(self.events.record),
            extra=self._extra(),
        )  # fmt: skip
