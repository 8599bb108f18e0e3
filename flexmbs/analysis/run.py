"""One run from its consistent start to its end: steps, barriers, events, what is stored, what a resumed run needs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.accounts import found_later
from flexmbs.analysis.breakaway import EarlySlip
from flexmbs.analysis.chunks import CHECKPOINT, Chunks
from flexmbs.analysis.few_points import FewPoints
from flexmbs.analysis.first_touch import FirstTouch
from flexmbs.analysis.grid import Grid
from flexmbs.analysis.interruption import Interruption
from flexmbs.analysis.load_jumps import LoadJumps
from flexmbs.analysis.output import Output
from flexmbs.analysis.recorder import Recorder
from flexmbs.analysis.sampling import Sampling
from flexmbs.analysis.short_contacts import ShortContacts
from flexmbs.analysis.single_points import SinglePoint
from flexmbs.analysis.softening import warn_of_softening
from flexmbs.analysis.watch import Watch
from flexmbs.core.contracts import FloatArray
from flexmbs.core.describe import to_plain
from flexmbs.core.errors import FlexmbsError
from flexmbs.core.progress import Progress
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.start import carry_velocities, check_supports, warn_of_changes
from flexmbs.dynamics.turns import Angle
from flexmbs.integrators.contracts import StepState, StepStatus
from flexmbs.integrators.step_control import NEAR, ErrorControl, FixedStep, planned_size
from flexmbs.results.joint_history import angles_at_end
from flexmbs.results.pose import Pose
from flexmbs.results.start_from import equilibrium_start
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.results.time import TimeSolution

if TYPE_CHECKING:
    from flexmbs.integrators.stepper import Stepper
    from flexmbs.io.time_files import Stream
    from flexmbs.model.control.events import Event

__all__ = ["Run"]


class Run:
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
        self.sampled.refuse_endless(until - begin)
        chosen = not isinstance(control, FixedStep)
        self.jumps = LoadJumps(dynamics, chosen or scheme.order > 2, begin, until)
        self.events = Watch(dynamics, self.sampled.viewer, events)
        self.t0, self.until, self.origin = begin, until, begin
        output.refuse_outside(begin, until)
        self.wanted = output.times(begin, until)
        self.status, self.message = Status.DONE, ""
        self.touch = None
        self.short = ShortContacts(dynamics) if isinstance(control, FixedStep) else None
        self.early = EarlySlip(dynamics)
        self.few = FewPoints(dynamics.system)
        self.single = SinglePoint(dynamics, control.tolerance if chosen else None)
        if isinstance(control, ErrorControl):
            self.touch = FirstTouch(dynamics, control.tolerance * dynamics.length)
        self.rejected, self.jump = 0, ""
        self.pending = False
        self.turned: dict[tuple[str, str], float] = {}
        self.redundant: tuple[str, ...] = ()
        self.wall = time.perf_counter()
        self.cpu = time.process_time()

    def begin(
        self, start: StaticSolution | TimeSolution | None, stream: Stream | None, keep: tuple[Any, ...],
        begins: Iterable[Angle] = (),
    ) -> None:  # fmt: skip
        """A consistent state at the start, where angles count from ``begins``, and the recorder."""
        dyn = self.dynamics
        span = self.until - self.t0
        self.h = min(self.control.first(span), span or np.inf)
        acts = any(event.action is not None for event in self.events.events)
        self.recorder = Recorder(dyn, self.output.energy, later=not acts and found_later(dyn), stream=stream)
        self.grid = Grid(self.control.h if isinstance(self.control, FixedStep) else None, self.t0)
        if start is None or isinstance(start, StaticSolution | Pose):
            dyn.start_turns(self.t0, begins)
            q, v = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
            if start is not None:
                q = equilibrium_start("simulate", dyn, start, v)
                self.turned = angles_at_end(start)
                carry_velocities(dyn, q, v)
            self.events.count_from(dyn.python.viewer.before)
            check_supports(dyn, None if start is None else q, "start=solve_static(model)")
            found = assemble(dyn, self.t0, q, v, keep)
            warn_of_changes(dyn, q, v, found.q, found.v, kept=bool(keep))
            warn_of_softening(dyn.system, found.q, found.v)
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
            self.sampled.restore(self.t0, start.extra["control"])
            self.recorder.restore(start.extra)
            self.pending = bool(start.extra.get("anew", False))
            if not _same(start.settings.get("integrator"), self.scheme):
                found = assemble(dyn, self.t0, self.state.q, self.state.v)  # another scheme may keep joints less well
                self.state = self.scheme.start(dyn, self.t0, found.q, found.v, self.h)
                self.pending = False
        dyn.laws.refuse_what_differs(self.state)
        self.few.begin(self.state.q, self.state.v)
        self.stepper: Stepper = self.scheme.stepper(dyn, self.control.tolerance)
        self.recorder.solves = self.stepper.solves
        self.recorder.store(self.state)
        self._checkpoint()
        self.next = 0

    def integrate(self, progress: Progress) -> None:
        """Steps up to the end, an interruption, or a failure; what was made is kept."""
        with Interruption() as interruption:
            self._steps(progress, interruption)

    def fail(self, error: FlexmbsError) -> None:
        """What was made is kept, although something could not be evaluated."""
        self.status, self.message = Status.FAILED, str(error)

    def _steps(self, progress: Progress, interruption: Interruption) -> None:
        dyn, control, grid = self.dynamics, self.control, self.grid
        span = self.until - self.origin  # of the whole motion, so that a resumed run has the same limits
        smallest = control.smallest(span)
        largest = control.limit(span) if isinstance(control, ErrorControl) else np.inf
        self.sizes = smallest, largest
        most = np.inf if control.max_steps is None else control.max_steps
        chunks = Chunks(self)  # which knows the run: a run that knew them would be a cycle, and wait for the collector
        error_before = 0.0
        while self.state.t < self.until:
            if interruption.wanted:
                self.status = Status.INTERRUPTED
                self.message = f"interrupted at t = {self.state.t:g}."
                return
            if self.recorder.n_steps >= most:
                self.status = Status.TOO_MANY_STEPS
                self.message = f"stopped at t = {self.state.t:.6g} after {most} steps, the last of size {self.h:.3g}."
                return
            jump = self.jumps.next_time(self.state.t)
            if jump - self.state.t <= NEAR * self.h:  # now, but for round-off
                self.settle(jump)
                self.state = self.state._replace(t=jump)
                if self.jumps.is_jump(jump):
                    self._restart()
                continue
            barrier = min(self.until, self.sampled.next_time(self.state.t), jump)
            if not isinstance(control, FixedStep) and self.jumps.is_known(self.state.t):
                self.state = self.stepper.at_onset(self.state)
            error = chunks.advance(barrier, error_before)
            if error is not None:
                error_before = error
                self._passed(progress, span, show=True)
                continue
            self.settle(barrier)
            h, end = grid.next(self.state.t, min(self.h, largest, self.stepper.longest(self.state)), barrier)
            to = self.jumps.left(end) if self.jumps.is_jump(end) else end
            if self.jumps.look(self.state.t, to) is not None:
                continue  # with the jump as a barrier
            result = self.stepper.step(self.state, h if to == end else to - self.state.t)
            if result.state is None or not control.accepts(result.error, error_before):
                again = control.again(h, result)
                if again >= smallest:
                    self.rejected, self.h = self.rejected + 1, again
                    continue
                # The smallest of fixed steps stands whatever its estimate: a force may jump there.
                if result.state is None or not isinstance(control, FixedStep):
                    self.rejected += 1
                    self.status = Status.STEP_TOO_SMALL
                    self.message = self._failure(h, result)
                    return
            new = result.state._replace(t=end)
            touch = None if self.touch is None else self.touch.shorter(self.state, new)
            if touch is not None and touch >= smallest:
                self.rejected, self.h = self.rejected + 1, touch
                continue
            happened = self.events.first(self.state, new, self.stepper.between)
            if happened.t is not None and happened.t <= self.state.t + NEAR * h:  # now; a step would be round-off alone
                if self._react(happened.events):
                    return
                continue
            if happened.t is not None and happened.t < end - NEAR * h:
                result = self.stepper.step(self.state, happened.t - self.state.t)
                if result.state is None:
                    self.status, self.message = Status.STEP_TOO_SMALL, self._failure(h, result)
                    return
                new = result.state._replace(t=happened.t)
                barrier = happened.t
            grid.reached(new.t, barrier)
            error_before = result.error
            self.recorder.step(new, new.t - self.state.t, result)
            self.jumps.steps = self.recorder.n_steps
            dyn.accept(new.q)
            self.events.accept(new)
            if self.short is not None:  # behind what counts turns by what was placed last: it may place other states
                self.short.step(self.state, new)
            self.early.step(new)
            self.single.step(self.state, new)
            self.few.step(new, self.short.now if self.touch is None and self.short is not None else None)
            self.store(self.state, new)
            self.state = self.stepper.at_onset(new) if self.touch is not None and self.touch.closed else new
            self.h = planned_size(self.h, largest, h, control.after(h, result))
            if happened.t is not None and self._react(happened.events):
                return
            self.pending = self.sampled.sample(self.state)
            if self.jumps.is_jump(self.state.t):
                self.pending = False
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
        acts = any(self.events.events[i].action is not None for i in numbers)
        before = self.recorder.potential(self.state) if acts else 0.0
        for i in numbers:
            stop |= self.events.happen(i, self.state)
        if self.events.changed:
            self.recorder.supply(self.recorder.potential(self.state) - before)
        if stop:
            self.status = Status.STOPPED
            if self.recorder.last != self.state.t:
                self.recorder.store(self.state)
        elif self.events.changed:
            self._restart()
        return stop

    def settle(self, barrier: float) -> None:
        """Begin anew now, if the next step has to, which ends at the barrier at the latest."""
        if self.pending:
            self.pending = False
            h = self.grid.next(self.state.t, self.h, barrier)[0] if barrier > self.state.t else self.h
            self.state = self.stepper.behind_jump(self.state, h, isinstance(self.control, FixedStep))
            self.recorder.jump(self.state)

    def _restart(self) -> None:
        """After a jump: new accelerations and multipliers; the state of the scheme starts afresh."""
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
                self.recorder.store(between(t), between=True)
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
            name = dyn.coordinates.describe(worst) if worst < dyn.n_v else dyn.mechanics.names[worst - dyn.n_v]
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
            self.recorder.stream.checkpoint(self.state, self._extra(), self.redundant)

    def _extra(self) -> dict[str, Any]:
        """What a resumed run needs beside the state."""
        memory = {"near": self.dynamics.turns.memory(), "h": self.h, "grid": self.grid.memory(), "origin": self.origin}
        memory |= {"control": self.sampled.memory(), "samples": self.sampled.history(), "events": self.events.memory()}
        memory |= {"before": self.turned, "held_first": self.sampled.first, "anew": self.pending}
        return memory | self.recorder.memory()

    def _kept_in_python(self) -> tuple[str, ...]:
        """What of the model is evaluated in Python, or kept steps there, by the names of the items."""
        found = []
        choice: Any = getattr(self.stepper, "choice", None)
        reason = f"the scheme is {type(self.scheme).__name__}" if choice is None else choice.reason
        if not reason and choice.driver is None:
            reason = choice.waiting
        if reason:
            found.append(f"all steps: {reason}")
        elif self.sampled.viewer.near:
            joint, label = next(iter(self.sampled.viewer.near))
            found.append(f"several steps at a time: turns of {label or 'a coordinate'} of joint {joint!r} are counted")
        elif choice.driver.failed and 2 * self.dynamics.compiled_steps < self.recorder.n_steps:
            found.append(
                f"most steps: compiled ones failed {choice.driver.failed} times, by a matrix that needs pivots, or "
                f"since Newton's method did not converge"
            )
        if self.dynamics.laws.in_python:
            found.append(f"every evaluation: {self.dynamics.laws.in_python}")
        if self.events.hindrance:
            found.append(f"several steps at a time: {self.events.hindrance}")
        if self.sampled.loop.controllers and self.sampled.table.in_python:
            found.append(f"samples: {self.sampled.table.in_python} is evaluated in Python")
        return tuple(found)

    def solution(self) -> TimeSolution:
        """Everything so far."""
        dyn = self.dynamics
        if hasattr(self.stepper, "choice"):
            self.stepper.choice.remember()
        counts: dict[str, Any] = {
            "evaluations": dyn.evaluations, "factorisations": dyn.factorisations, "rejected": self.rejected,
            "cpu_seconds": time.process_time() - self.cpu, "seconds": time.perf_counter() - self.wall,
        }  # fmt: skip
        counts |= {f"{part}_seconds": seconds for part, seconds in dyn.seconds.items()}
        counts["python_seconds"] = dyn.python.seconds
        counts["steps"], counts["compiled_steps"] = self.recorder.n_steps, dyn.compiled_steps
        counts["calls"], counts["call_seconds"] = dict(dyn.user_calls.numbers), dict(dyn.user_calls.seconds)
        counts["kept_in_python"] = self._kept_in_python()
        counts |= getattr(self.stepper, "counts", {})
        return self.recorder.solution(
            self.events.angles,
            counts=counts, redundant=self.redundant, status=self.status, message=self.message, last=self.state,
            settings={"integrator": self.scheme, "step": self.control, "output": self.output, "until": self.until},
            events=tuple(self.events.record),
            extra=self._extra(),
        )  # fmt: skip


def _same(before: Any, scheme: Any) -> bool:
    """Whether a scheme, or its description in a file, and another one are of one class and keep constraints alike."""
    if before is None:  # a journal does not say
        return True
    try:
        found: list[Any] = [x if isinstance(x, dict) else to_plain("integrator", x) for x in (before, scheme)]
    except FlexmbsError:  # a user's own, whose repr is all that a file has
        return type(scheme).__name__ in (before if isinstance(before, str) else type(before).__name__)
    if not all(isinstance(x, dict) for x in found):
        return False
    kinds = [(x["class"], (x.get("constraints") or {}).get("class")) for x in found]
    return bool(kinds[0] == kinds[1])
