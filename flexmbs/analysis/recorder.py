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
    from flexmbs.dynamics.energies import Energies
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.compiled.made_steps import Steps
    from flexmbs.integrators.contracts import Solves, StepResult, StepState
    from flexmbs.io.time_files import Stream

__all__ = ["Recorder", "Work"]


class Work:
    """The work done in steps that were made together.

    ``ends``, ``sizes (n,)`` of the steps; ``done (n + 1, 3)``: the work at the beginning and after each of them;
    ``before``, ``powers (n, 3)``: at their beginnings and ends. Without powers, no work is done in them.
    """

    def __init__(self, recorder: Recorder, ends: FloatArray, sizes: FloatArray) -> None:
        self.recorder, self.ends, self.sizes = recorder, ends, sizes
        self.done: FloatArray | None = None

    def follow(self, powers: FloatArray, anew: dict[int, FloatArray]) -> None:
        """Add up the work, one step after the other, as single steps do; ``anew`` as `Recorder.several` has it."""
        last, work = self.recorder.power, self.recorder.work
        before = np.empty_like(powers)
        before[0], before[1:] = powers[0] if last is None else last, powers[:-1]
        for i, power in anew.items():
            before[i] = power
        steps = 0.5 * self.sizes[:, None] * (powers + before)
        self.done, self.before, self.powers = np.cumsum(np.vstack((work, steps)), axis=0), before, powers

    def reach(self, i: int) -> None:
        """Bring the recorder to the end of step i, for what is measured there; to be called for the last one."""
        if self.done is not None:
            end = float(self.ends[i])
            begun = end - float(self.sizes[i]), self.done[i], self.before[i]
            self.recorder.at(begun, end, self.done[i + 1], self.powers[i])

    def dues(self, turns: FloatArray) -> list[Due]:
        """What the states at the ends are measured with; ``turns (n, m)``: the values of counted angles there."""
        ends = self.ends.tolist()
        if self.done is None:
            return [Due(self.recorder.work, t, None, angles) for t, angles in zip(ends, turns, strict=True)]
        return [Due(done, t, None, row) for done, t, row in zip(self.done[1:], ends, turns, strict=True)]


class Recorder:
    """Collects the results of one run.

    ``energy``: whether states that are stored are measured; ``later``: when that is asked for; ``stream``: the file to
    which they go as well, with their energies.

    Attributes
    ----------
    n_states, last : int, float
        Number of states that are stored, and the time of the last one.
    work, power : (3,) arrays
        Done up to the last step, and at its end (None before any).
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
        self._stored: list[tuple[FloatArray, ...]] = []  # t, q, v, a, lam and the angles that turns are counted of
        self.n_states, self.last = 0, np.nan
        self._unsolved: list[int] = []  # of the states
        self._dues: list[Due | Account] = []
        self.steps = array("d")
        self.work = np.zeros(3)
        self.power: FloatArray | None = None
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
            before = power if self.power is None else self.power
            self._before, self._end = (t - h, self.work, before), t
            self.work = self.work + 0.5 * h * (power + before)
            self.power = power

    def several(
        self, begin: float, ends: FloatArray, iterations: IntArray, errors: FloatArray, powers: FloatArray | None,
        anew: dict[int, FloatArray],
    ) -> Work:  # fmt: skip
        """Accepted steps from ``begin`` on, with the powers (n, 3) at their ends; without them, no work is done.

        ``anew``: the powers at the beginning of steps before which forces have jumped.
        """
        rows = np.empty((len(ends), 4))
        rows[:, 0], rows[:, 2], rows[:, 3] = ends, iterations, errors
        rows[0, 1] = ends[0] - begin
        np.subtract(ends[1:], ends[:-1], out=rows[1:, 1])
        self.steps.frombytes(rows.tobytes())
        work = Work(self, rows[:, 0], rows[:, 1])
        if powers is not None:
            work.follow(powers, anew)
        return work

    def at(self, begun: tuple[float, FloatArray, FloatArray], end: float, work: FloatArray, power: FloatArray) -> None:
        """The end of a step that has ``begun`` at a time, with the work done up to there, and a power."""
        self._before, self._end, self.work, self.power = begun, end, work, power

    @property
    def evaluates(self) -> bool:
        """Whether states are evaluated as they are stored."""
        return self.energy or self.solves is not None

    @property
    def only_keeps(self) -> bool:
        """Whether nothing is measured or written as states are stored at the ends of steps."""
        return self.stream is None and (not self.energy or (self._later and self.power is not None))

    def store_ends(self, steps: Steps, work: Work) -> None:
        """The states at the ends of steps that were made together, where it `only_keeps` them."""
        states, turns = steps.columns(), steps.all_turns
        if self.energy:
            self._dues += work.dues(turns)
        self._keep(*states, turns)

    def _keep(self, t: FloatArray, *rest: FloatArray) -> None:
        self._stored.append((t, *rest))
        self.n_states, self.last = self.n_states + len(t), float(t[-1])

    def store(self, state: StepState, between: bool = False) -> None:
        """A state at a time that is wanted; ``between``: not at the end of a step."""
        if between and self.solves is not None and self._later:
            self._unsolved.append(self.n_states)
        elif between and self.solves is not None:
            a, lam = self.solves(state.t, state.q, state.v)
            state = state._replace(a=a, aux=a, lam=lam)
        account: Account = (np.nan,) * 10
        if self.energy and self._later and self.power is not None:
            self._dues.append(self._due(state.t))
        elif self.energy:
            account = self.accounts.measure(state.t, state.q, state.v, state.a, state.lam, self._due(state.t))
            self._dues.append(account)
            if self.power is None:
                self.power = self.energies.powers(state.q, state.v, state.lam)
        turns = self.dynamics.turns.counted
        self._keep(np.array([state.t]), state.q[None], state.v[None], state.a[None], state.lam[None], turns[None])
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
            self.power = self.energies.powers(state.q, state.v, state.lam)

    def potential(self, state: StepState) -> float:
        """Potential of the loads at a state, with their present factors."""
        self.dynamics.set_time(state.t)
        return self.energies.potential(state.q)

    def supply(self, work: float) -> None:
        """Count work that changed loads have done at once."""
        self.work = self.work + np.array([0.0, 0.0, work])

    def memory(self) -> dict[str, Any]:
        """What a resumed run needs to go on with the work done."""
        return {"work": self.work, "power": self.power}

    def restore(self, memory: dict[str, Any]) -> None:
        """Set what `memory` returned."""
        if memory.get("work") is not None:
            self.work, self.power = np.array(memory["work"]), memory.get("power")

    def _due(self, t: float) -> Due:
        """What a state at a time is measured with."""
        turns = self.dynamics.turns.counted
        if self._before is not None and t != self._end:
            began, work, power = self._before
            return Due(work, began, power, turns)
        return Due(self.work, t, None, turns)

    def solution(self, at_events: list[FloatArray], **rest: Any) -> TimeSolution:
        """The result; ``at_events``: the angles that turns are counted of, at each event."""
        dues, n_t = self._dues, self.n_states
        t, q, v, a, lam, angles = (np.concatenate(column) for column in zip(*self._stored, strict=True))
        if self.dynamics.turns.angular:
            rest["extra"]["counted"] = angles
            if at_events:
                rest["extra"]["counted_at_events"] = np.array(at_events)
        found = TimeSolution(
            system=self.dynamics.system,
            t=t,
            q=q,
            v=v,
            a=a,
            lam=lam,
            energy=Energy(*np.full((7, n_t), np.nan)),
            residuals=np.full((n_t, 3), np.nan),
            steps=np.array(self.steps, dtype=np.float64).reshape(-1, 4),
            **rest,
        )
        if self.solves is not None and self._unsolved:
            unsolved = Unsolved(self.dynamics, self.solves, self._unsolved, list(angles[self._unsolved]))
            found.solve_later(unsolved.solve)
        if self.energy:
            accounts = self.accounts
            found.measure_later(lambda picks, *stored: accounts.several(stored, dues, picks))
            if not any(isinstance(due, Due) for due in dues):
                _ = found.energy  # which is known
        return found
