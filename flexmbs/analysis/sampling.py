"""Sampled controllers within a run: when they act, and what they leave behind."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.control_loop import ControlLoop, ControlState
from flexmbs.dynamics.control_table import ControlTable
from flexmbs.integrators.compiled.control import SamplePlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.analysis.grid import Grid
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.compiled.control import ControlMemory
    from flexmbs.integrators.contracts import StepState

__all__ = ["Sampling"]

MANY = 1e9
"""Samples of one controller in a run: more of them are a slip of the unit of time, and would not end within days."""


class Sampling:
    """The controllers of a model; memory is replaced at sample times only, after a step was accepted."""

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dynamics
        model = dynamics.system.model
        self.loop = ControlLoop(model.controllers)
        self.loop.calls = dynamics.user_calls
        self.state = self.loop.initial()
        self.viewer = dynamics.python.viewer
        self.samples: list[FloatArray] = []  # rows of the time and what is held from then on
        self.first = np.zeros(1 + len(self.state.held))  # such a row of the start of the run
        if self.loop.controllers:
            dynamics.control = self.table

    @cached_property
    def table(self) -> ControlTable:
        """The controllers as numbers; only asked for where there are any."""
        m = self.dynamics.mechanics
        return ControlTable(
            self.dynamics.system, self.loop, tuple(a.name for a in m.actuators), m.held, self.dynamics.python_stages
        )

    def refuse_endless(self, span: float) -> None:
        """Refuse periods that are next to nothing in a run over ``span``."""
        for c in self.loop.controllers:
            if span > MANY * c.period:
                raise ModelError(
                    f"{type(c).__name__} {c.name!r}: its period of {c.period:g} makes more than {MANY:.0e} samples in "
                    f"a run of {span:g}; take a longer one, or a continuous controller such as FirstOrder."
                )

    def begin(self, t: float, q: FloatArray, v: FloatArray) -> None:
        """Values held at the start of a run: those of the first samples, which see no accelerations yet."""
        self.state = self.loop.initial(t)
        self._hold()
        if self.loop.controllers and self.loop.due_time(self.state) <= t:
            view = self.viewer.view(t, q, v, np.zeros(self.dynamics.n_v), np.zeros(self.dynamics.n_c))
            self.table.readings.count_from(self.viewer.before)
            self.table.place(view)
            before, self.state = self.state, self.loop.sample(self.state, view, self.table)
            if self.table.of_users:
                self.loop.refuse_what_differs(self.state, self.loop.sample(before, view, self.table), t)
            self._hold()
            self._remember(t)
        self.first = np.array([t, *self.state.held])

    @property
    def unlooked(self) -> bool:
        """Whether functions of users come with the first sample of the run, at which they are called twice."""
        return not self.samples and bool(self.loop.controllers) and bool(self.table.of_users)

    def next_time(self, t: float) -> float:
        """The first sample after t."""
        return self.loop.next_time(t) if self.loop.controllers else math.inf

    def sample(self, state: StepState) -> bool:
        """Let the controllers act that are due; whether a held value has changed."""
        some = bool(self.loop.controllers)
        if some and self.table.readings.turns:
            self.table.place(state)
            self.table.follow()
        if not some:
            return False
        table = self.table
        view = self.viewer.view(state.t, state.q, state.v, state.a, state.lam)
        if not table.readings.turns:
            table.place(state)
        after = self.loop.sample(self.state, view, table)
        if after is self.state:
            return False
        if self.unlooked:
            self.loop.refuse_what_differs(after, self.loop.sample(self.state, view, table), state.t)
        changed = not np.array_equal(after.held, self.state.held)
        self.state = after
        self._hold()
        self._remember(state.t)
        return changed

    def _remember(self, t: float) -> None:
        self.samples.append(np.array([[t, *self.state.held]]))

    def plan(self, state: StepState, grid: Grid, h: float, barrier: float, most: int, anew: bool) -> SamplePlan | None:
        """Whole steps of size h from a state, and their samples; None if there are none.

        They end at or before ``barrier``, which is not a sample. ``grid`` goes along.
        """
        loop, table = self.loop, self.table
        if table.told:
            ends = grid.whole(state.t, h, barrier, most)
            due = loop.due_at(self.state, ends) if len(ends) else None
            if due is not None:
                sampled_ends = np.array(due.any(axis=1), dtype=np.int64)
                rows, before = table.signals[None].copy(), self.state
                return SamplePlan(
                    ends, anew, sampled_ends, due, rows, before.x, before.pending, before.count, whole=True
                )  # fmt: skip
        ahead, t = loop.upcoming(self.state), state.t
        made: list[float] = []
        sampled: list[int] = []
        dues: list[tuple[int, list[int]]] = []
        signals: list[FloatArray] = []
        while len(made) < most:
            limit = min(barrier, ahead.next)
            size, end = grid.next(t, h, limit)
            if size != h:
                break
            now, own = ahead.passed(end)
            if now:
                try:
                    table.tell(end, now, own)
                except Exception:  # noqa: BLE001  # of whatever kind, the single step that comes there raises it again
                    break
                dues.append((len(made), now))
            if not table.steady:
                signals.append(table.signals.copy())
            grid.reached(end, limit)
            t = end
            made.append(end)
            sampled.append(int(bool(now)))
            if end >= barrier:
                break
        if not made:
            return None
        table_of_due = np.zeros((len(made), len(loop.controllers)), dtype=np.int64)
        for i, controllers in dues:
            table_of_due[i, controllers] = 1
        rows = table.signals[None].copy() if table.steady else np.array(signals)
        before = self.state
        return SamplePlan(
            np.array(made), anew, np.array(sampled, dtype=np.int64), table_of_due, rows, before.x, before.pending,
            before.count, whole=False,
        )  # fmt: skip

    def took(self, plan: SamplePlan, memory: ControlMemory, steps: int) -> Callable[[int], None]:
        """So many steps of a plan were made, with their samples.

        Returned is what sets the values that were held in a step, by its number, for whoever measures something there;
        the number of steps: those from now on.
        """
        before, y, now = self.state, memory.arrays, self.table.held
        n = len(before.held)
        self.state = ControlState(
            memory.x[: len(before.x)], now[:n], memory.pending[: len(before.pending)], memory.count,
        )  # fmt: skip
        held, numbers = y.held[:steps, :n].copy(), np.flatnonzero(plan.sampled[:steps])
        self.samples.append(np.column_stack((plan.ends[numbers], held[numbers])))

        def hold(i: int) -> None:
            k = int(np.searchsorted(numbers, i))
            now[:n] = held[numbers[k - 1]] if k else before.held

        return hold

    def history(self) -> FloatArray:
        """Times of the samples and the values held from then on (n, 1 + n_actuators)."""
        n = len(self.state.held)
        return np.concatenate((np.zeros((0, 1 + n)), *self.samples))

    def memory(self) -> dict[str, Any]:
        """What a resumed run needs."""
        turned = self.table.readings.turned() if self.loop.controllers else {}
        return {"loop": self.state, "near": self.viewer.near | turned}

    def restore(self, t: float, memory: dict[str, Any]) -> None:
        """Set what `memory` returned, at the start of the run at time t."""
        self.state = memory["loop"]
        self.first = np.array([t, *self.state.held])
        near = memory["near"]
        self.viewer.near.update(self.table.readings.restored(near) if self.loop.controllers else near)
        self._hold()

    def _hold(self) -> None:
        held = self.loop.outputs(self.state)
        self.dynamics.mechanics.held[: len(held)] = held
