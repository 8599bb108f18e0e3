"""Several fixed steps in one call of the stepper, where nothing needs Python between them."""

from __future__ import annotations

import bisect
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.integrators.step_control import ErrorControl, FixedStep, SizeLimits
from flexmbs.kernels.sensing import ACCELERATION, HELD, MULTIPLIER

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from flexmbs.integrators.compiled.made_steps import Steps

__all__ = ["CHECKPOINT", "Chunks"]

CHECKPOINT = 500
"""Steps between two checkpoints. The matrix is made anew there, with or without a file, so that resuming is bitwise."""
SECONDS = 0.1
"""Longest time in which neither Ctrl-C nor progress is seen."""
MOST_SINGLE = 64
"""Single steps at most before several are tried again, where the condition of an event stays near its level."""
JUMPING = ACCELERATION, MULTIPLIER, HELD
"""What jumps where held forces do: an event that looks at it needs the state behind the jump."""
FIRST = 20
"""Steps in the first chunk of the first run of a kind, whose time is unknown."""
_TAKEN: dict[Hashable, float] = {}
"""Seconds that a step took last, by the kind of the run; it only decides how many are made in one call."""


def _within(taken: float) -> int:
    """How many steps of so many seconds one call may make."""
    return int(max(2.0, min(CHECKPOINT, SECONDS / taken)))


class Chunks:
    """What of a run is made in chunks: steps between samples and checkpoints, up to the first event.

    Contacts under error control, sensors that count turns and conditions of events that only Python knows look at
    every step: such runs make single steps. So does an event that has just happened, until its condition has moved away
    from its level.
    """

    def __init__(self, run: Any) -> None:
        self.run = run
        dyn, fixed = run.dynamics, isinstance(run.control, FixedStep)
        self._advance: Any = getattr(run.stepper, "advance" if fixed else "advance_controlled", None)
        if fixed and hasattr(run.stepper, "expect"):
            run.stepper.expect((run.until - run.t0) / run.control.h)
        self._fixed = fixed
        looks = run.touch is not None and run.touch.looks  # at the gaps of contacts, from step to step
        chosen = fixed or (type(run.control) is ErrorControl and not looks)
        self._possible = chosen and self._advance is not None and not run.events.hindrance
        # Energies are measured with frames as they are: those of the end of a chunk.
        self._ends_at_output = run.recorder.evaluates and bool(dyn.turns.based)
        self._most = _within(_TAKEN[self._kind]) if self._kind in _TAKEN else FIRST
        self._hold: Callable[[int], None] = lambda i: None
        self._single = 0
        self._wait = 1

    @property
    def _kind(self) -> Hashable | None:
        """That of the steps, once there is a driver that makes them."""
        return getattr(self.run.stepper, "kind", None)

    def advance(self, barrier: float, error_before: float) -> float | None:
        """Make a chunk and record it; the last error estimate, or None where single steps are needed."""
        run = self.run
        if not self._possible or not run.stepper.several or run.sampled.viewer.near or run.events.resting:
            return None
        if self._single > 0:
            self._single -= 1
            return None
        state, recorder = run.state, run.recorder
        most = min(self._most, CHECKPOINT - recorder.n_steps % CHECKPOINT)
        if run.control.max_steps is not None:
            most = min(most, run.control.max_steps - recorder.n_steps)
        if not self._fixed:
            run.settle(barrier)
            return self._controlled(barrier, error_before, most)
        if run.sampled.loop.controllers:
            return self._sampled(error_before, most)
        last = barrier == run.until and not run.jumps.is_jump(barrier)
        ends = run.grid.whole(state.t, run.h, barrier, most, meets=last)
        if self._ends_at_output and len(ends):
            output = -np.inf if run.wanted is None else run.wanted[run.next]
            ends = ends[: int(np.searchsorted(ends, output)) + 1]
        ends = run.jumps.clear(state.t, ends)
        if len(ends) < 2:
            return None
        began = time.perf_counter()
        steps: Steps | None = self._advance(state, run.h, ends, error_before, recorder.energy)
        self._await_event(steps)
        if steps is None:
            return None
        run.grid.passed(steps.ends, barrier)
        return self._accept(steps, began)

    def _controlled(self, barrier: float, error_before: float, most: int) -> float | None:
        """Steps of sizes that are chosen by their errors, up to the barrier."""
        run, recorder = self.run, self.run.recorder
        smallest, largest = run.sizes
        pause = np.inf
        if self._ends_at_output:
            pause = -np.inf if run.wanted is None else run.wanted[run.next]
        began = time.perf_counter()
        limits = SizeLimits(largest, smallest, barrier, pause)
        steps: Steps | None = self._advance(run.state, run.h, limits, most, error_before, recorder.energy)
        self._await_event(steps)
        if steps is None:
            return None
        run.h = steps.planned
        run.rejected += steps.rejected
        error = self._accept(steps, began)
        run.pending = run.state.t >= barrier and run.sampled.sample(run.state)
        return error

    def _sampled(self, error_before: float, most: int) -> float | None:
        """Steps of one size with the samples of controllers at their ends."""
        run, sampled, watched = self.run, self.run.sampled, self.run.dynamics.watched
        if watched is not None and np.isin(watched.readings.group.what, JUMPING).any():
            return None
        state, jump = run.state, run.jumps.next_time(run.state.t)
        barrier = min(run.until, jump)
        if jump == barrier and run.jumps.is_jump(jump):
            barrier = jump - 2e-9 * run.h  # the step to a jump is made in Python
        if sampled.unlooked:
            barrier = min(barrier, sampled.next_time(state.t) - 2e-9 * run.h)  # and that to the first sample
        plan = sampled.plan(state, run.grid.copy(), run.h, barrier, most, run.pending)
        if plan is None:
            return None
        ends = run.jumps.clear(state.t, plan.ends)
        if self._ends_at_output and len(ends):
            output = -np.inf if run.wanted is None else run.wanted[run.next]
            ends = ends[: int(np.searchsorted(ends, output)) + 1]
        if not len(ends):
            return None
        began = time.perf_counter()
        steps: Steps | None = self._advance(state, run.h, ends, error_before, run.recorder.energy, plan)
        self._await_event(steps)
        if steps is None:
            return None
        n = len(steps)
        if plan.whole:
            run.grid.passed(steps.ends, np.inf)
        else:
            for end in steps.ends.tolist():
                run.grid.reached(end, end)
        assert steps.control is not None  # noqa: S101
        self._hold = sampled.took(plan, steps.control, n)
        run.pending = steps.anew
        error = self._accept(steps, began)
        self._hold(n)
        return error

    def _await_event(self, steps: Steps | None) -> None:
        """How many single steps come next, since an event may happen; more of them while its condition stays near."""
        if not self.run.stepper.happens:
            self._wait = 1
        elif steps is None:
            self._single, self._wait = self._wait - 1, min(2 * self._wait, MOST_SINGLE)
        else:
            self._single = self._wait = 1

    def _accept(self, steps: Steps, began: float) -> float:
        """Record steps and go on from the last; its error estimate."""
        run, n = self.run, len(steps)
        taken = (time.perf_counter() - began) / n
        self._most = _within(taken)
        if self._kind is not None:
            _TAKEN[self._kind] = taken
        self._record(steps)
        if run.short is not None:
            run.short.chunk(steps)
        run.early.chunk(steps)
        run.few.chunk(steps)
        run.single.chunk(steps)
        run.state = steps.state(n - 1)
        return float(steps.errors[-1])

    def _store(self, steps: Steps, i: int) -> None:
        """The states wanted within step i, whose energies are measured with the forces that were held there."""
        run = self.run
        run.dynamics.turns.count_at(steps.turns_after(i))
        if run.recorder.evaluates:
            self._hold(i)
        if run.wanted is None:
            run.recorder.store(steps.state(i, remembers=False))
        else:
            run.store(steps.start(i), steps.state(i))

    def _record(self, steps: Steps) -> None:
        """A line for every step, its work, and the states wanted."""
        run, recorder = self.run, self.run.recorder
        wanted, end = run.wanted, float(steps.ends[-1])
        work = recorder.several(
            run.state.t, steps.ends, steps.iterations, steps.errors, steps.powers, steps.powers_anew
        )  # fmt: skip
        if wanted is None and recorder.only_keeps:
            recorder.store_ends(steps, work)
        elif wanted is None:
            for i in range(len(steps)):
                work.reach(i)
                self._store(steps, i)
        elif steps.powers is None and steps.control is None:
            last = bisect.bisect_right(wanted, end)
            if last > run.next:
                times = np.array(wanted[run.next : last])
                where = np.searchsorted(steps.ends, times)
                states, between = steps.between(times, run.dynamics.n_linear), steps.ends[where] != times
                for state, i, inside in zip(states, where.tolist(), between.tolist(), strict=True):
                    run.dynamics.turns.count_at(steps.turns_after(i))
                    recorder.store(state, inside)
                run.next = last
        else:
            while run.next < len(wanted) and wanted[run.next] <= end:
                i = int(np.searchsorted(steps.ends, wanted[run.next]))
                work.reach(i)
                self._store(steps, i)
        work.reach(len(steps) - 1)
        run.dynamics.turns.count_at(steps.turns_after(len(steps) - 1))
