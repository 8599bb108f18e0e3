"""What is kept of a run: states at the times wanted, energies, residuals, and a line for every step."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.accounts import Account, Accounts, Due, Unsolved
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.results.time import Energy, TimeSolution

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.dynamics.energies import Energies
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import Solves, StepResult, StepState
    from flexmbs.io.time_files import Stream

__all__ = ["Recorder"]


class Recorder:
    """Collects the results of one run.

    ``energy``: whether states that are stored are measured; ``later``: when that is asked for; ``stream``: the file to
    which they go as well, with their energies.

    Attributes
    ----------
    steps : array of double
        Four numbers for every accepted step, one step after the other: end, size, iterations, error. They are all that
        a run keeps of steps whose states are not stored, 32 bytes each.
    solves : callable, optional
        Of the stepper: how accelerations and multipliers are found between steps.
    """

    solves: Solves | None = None

    def __init__(self, dynamics: Dynamics, energy: bool, later: bool = False, stream: Stream | None = None) -> None:
        self.dynamics, self.energy, self.stream = dynamics, energy, stream
        self._later = later and stream is None  # files have the energies of every state
        self.states: list[StepState] = []
        self._unsolved: list[int] = []  # of the states
        self._dues: list[Due | Account] = []
        self._angles: list[FloatArray] = []  # that turns are counted of, at the states
        self.steps = array("d")
        self.work = np.zeros(3)
        self._power: FloatArray | None = None
        self._before: tuple[float, FloatArray, FloatArray] | None = None
        self._end = np.nan

    @cached_property
    def accounts(self) -> Accounts:
        """What measures states; not made where nothing is measured."""
        return Accounts(self.dynamics)

    @property
    def energies(self) -> Energies:
        """Of the accounts."""
        return self.accounts.energies

    @property
    def n_steps(self) -> int:
        """Number of accepted steps."""
        return len(self.steps) // 4

    def step(self, state: StepState, h: float, result: StepResult) -> None:
        """An accepted step; called while the kinematics evaluated last are those of its end."""
        power = self.energies.powers(state.q, state.v, state.lam) if self.energy else None
        self.count(state.t, h, result.iterations, result.error, power)

    def count(self, t: float, h: float, iterations: int, error: float, power: FloatArray | None) -> None:
        """An accepted step with the powers (3,) at its end; without them, no work is done in it."""
        self.steps.extend((t, h, float(iterations), error))
        if power is not None:
            before = power if self._power is None else self._power
            self._before, self._end = (t - h, self.work, before), t
            self.work = self.work + 0.5 * h * (power + before)
            self._power = power

    def several(
        self, begin: float, ends: FloatArray, iterations: IntArray, errors: FloatArray, powers: FloatArray | None,
        anew: dict[int, FloatArray],
    ) -> Callable[[int], None]:  # fmt: skip
        """Accepted steps from ``begin`` on, with the powers (n, 3) at their ends; without them, no work is done.

        ``anew``: the powers at the beginning of steps before which forces have jumped. Returned is what brings the work
        done to the end of a step, by its number, for what is measured there; it is to be called for the last step.
        """
        rows = np.empty((len(ends), 4))
        rows[:, 0], rows[:, 2], rows[:, 3] = ends, iterations, errors
        rows[0, 1] = ends[0] - begin
        np.subtract(ends[1:], ends[:-1], out=rows[1:, 1])
        self.steps.frombytes(rows.tobytes())
        if powers is None:
            return lambda i: None
        before = np.empty_like(powers)
        before[0], before[1:] = powers[0] if self._power is None else self._power, powers[:-1]
        for i, power in anew.items():
            before[i] = power
        done = 0.5 * rows[:, 1, None] * (powers + before)
        work = np.cumsum(np.vstack((self.work, done)), axis=0)  # one after the other, as in single steps

        def reach(i: int) -> None:
            end = float(ends[i])
            self._before, self._end = (end - float(rows[i, 1]), work[i], before[i]), end
            self.work, self._power = work[i + 1], powers[i]

        return reach

    @property
    def evaluates(self) -> bool:
        """Whether states are evaluated as they are stored."""
        return self.energy or self.solves is not None

    def store(self, state: StepState, between: bool = False) -> None:
        """A state at a time that is wanted; ``between``: not at the end of a step."""
        if between and self.solves is not None and self._later:
            self._unsolved.append(len(self.states))
        elif between and self.solves is not None:
            a, lam = self.solves(state.t, state.q, state.v)
            state = state._replace(a=a, aux=a, lam=lam)
        account: Account = (np.nan,) * 10
        if self.energy and self._later and self._power is not None:
            self._dues.append(self._due(state.t))
        elif self.energy:
            account = self.accounts.measure(state.t, state.q, state.v, state.a, state.lam, self._due(state.t))
            self._dues.append(account)
            if self._power is None:
                self._power = self.energies.powers(state.q, state.v, state.lam)
        self.states.append(state)
        turns = self.dynamics.turns.counted
        self._angles.append(turns)
        if self.stream is not None:
            self.stream.store(
                {
                    "t": state.t, "q": state.q, "v": state.v, "a": state.a, "lam": state.lam,
                    "energy": account[:7], "residuals": account[7:], "counted": turns,
                }
            )  # fmt: skip

    def jump(self, state: StepState) -> None:
        """After a jump of forces at a state: the power from now on."""
        if self.energy:
            dyn = self.dynamics
            dyn.set_time(state.t)
            dyn.residual(state.q, state.v, state.a, state.lam)
            self._power = self.energies.powers(state.q, state.v, state.lam)

    def potential(self, state: StepState) -> float:
        """Potential of the loads at a state, with their present factors."""
        self.dynamics.set_time(state.t)
        return self.energies.potential(state.q)

    def supply(self, work: float) -> None:
        """Count work that changed loads have done at once."""
        self.work = self.work + np.array([0.0, 0.0, work])

    def memory(self) -> dict[str, Any]:
        """What a resumed run needs to go on with the work done."""
        return {"work": self.work, "power": self._power}

    def restore(self, memory: dict[str, Any]) -> None:
        """Set what `memory` returned."""
        if memory.get("work") is not None:
            self.work, self._power = np.array(memory["work"]), memory.get("power")

    def _due(self, t: float) -> Due:
        """What a state at a time is measured with."""
        turns = self.dynamics.turns.counted
        if self._before is not None and t != self._end:
            began, work, power = self._before
            return Due(work, began, power, turns)
        return Due(self.work, t, None, turns)

    def solution(self, at_events: list[FloatArray], **rest: Any) -> TimeSolution:
        """The result; ``at_events``: the angles that turns are counted of, at each event."""
        states, dues = self.states, self._dues
        n_t = len(states)
        if self.dynamics.turns.angular:
            rest["extra"]["counted"] = np.array(self._angles).reshape(n_t, -1)
            if at_events:
                rest["extra"]["counted_at_events"] = np.array(at_events)
        found = TimeSolution(
            system=self.dynamics.system,
            t=np.array([s.t for s in states]),
            q=np.array([s.q for s in states]),
            v=np.array([s.v for s in states]),
            a=np.array([s.a for s in states]),
            lam=np.array([s.lam for s in states]).reshape(n_t, self.dynamics.n_c),
            energy=Energy(*np.full((7, n_t), np.nan)),
            residuals=np.full((n_t, 3), np.nan),
            steps=np.array(self.steps, dtype=np.float64).reshape(-1, 4),
            **rest,
        )
        if self.solves is not None and self._unsolved:
            angles = [self._angles[k] for k in self._unsolved]
            found.solve_later(Unsolved(self.dynamics, self.solves, self._unsolved, angles).solve)
        if self.energy:
            accounts = self.accounts
            found.measure_later(lambda picks, *stored: accounts.several(stored, dues, picks))
            if not any(isinstance(due, Due) for due in dues):
                _ = found.energy  # which is known
        return found
