"""Sampled controllers within a run: when they act, and what they leave behind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.control_loop import ControlLoop
from flexmbs.dynamics.control_table import ControlTable

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
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
        self.state = self.loop.initial()
        self.viewer = dynamics.python.viewer
        m = dynamics.mechanics
        self.table = ControlTable(dynamics.system, self.loop, tuple(a.name for a in m.actuators), m.held)
        self.samples: list[tuple[float, FloatArray]] = []

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
            self.table.place(view)
            self.state = self.loop.sample(self.state, view, self.table)
            self._hold()
            self.samples.append((t, self.state.held))

    def next_time(self, t: float) -> float:
        """The first sample after t."""
        return self.loop.next_time(t) if self.loop.controllers else math.inf

    def sample(self, state: StepState) -> bool:
        """Let the controllers act that are due; whether a held value has changed."""
        view, table = None, self.table
        if table.readings.turns:
            table.place(state)
            table.follow()
        if self.viewer.near:
            view = self.viewer.view(state.t, state.q, state.v, state.a, state.lam)
            self.viewer.accept(view)
        if not self.loop.controllers:
            return False
        view = view or self.viewer.view(state.t, state.q, state.v, state.a, state.lam)
        if not table.readings.turns:
            table.place(state)
        after = self.loop.sample(self.state, view, table)
        if after is self.state:
            return False
        changed = not np.array_equal(after.held, self.state.held)
        self.state = after
        self._hold()
        self.samples.append((state.t, after.held))
        return changed

    def history(self) -> FloatArray:
        """Times of the samples and the values held from then on (n, 1 + n_actuators)."""
        n = len(self.state.held)
        return np.array([(t, *held) for t, held in self.samples]).reshape(len(self.samples), 1 + n)

    def memory(self) -> dict[str, Any]:
        """What a resumed run needs."""
        return {"loop": self.state, "near": self.viewer.near | self.table.readings.turned()}

    def restore(self, memory: dict[str, Any]) -> None:
        """Set what `memory` returned."""
        self.state = memory["loop"]
        self.viewer.near.update(self.table.readings.restored(memory["near"]))
        self._hold()

    def _hold(self) -> None:
        held = self.loop.outputs(self.state)
        self.dynamics.mechanics.held[: len(held)] = held
