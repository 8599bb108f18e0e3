"""The steps that one call of a step driver has made, as whoever records them reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.integrators.contracts import StepState
from flexmbs.kernels.interpolation import states_between

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.integrators.compiled.control import ControlMemory
    from flexmbs.integrators.compiled.form import Form
    from flexmbs.integrators.compiled.step_arrays import StepArrays

__all__ = ["Steps"]

NOTHING = np.zeros(0)


@dataclass
class Steps:
    """Accepted steps: ``ends``, ``sizes``, ``errors``, ``iterations``, all (n,).

    They are to be read before the driver is called again. ``powers (n, 3)`` of prescribed motions, of forces between
    markers, and of loads, at their ends; None if they were not asked for, or are zero. ``planned``: the size of the
    next step by step control; ``rejected``: attempts that it has not accepted; ``control``: what controllers remember;
    ``powers_anew``: the powers at the beginning of steps that began anew; ``gaps (n, 2, n_pairs)``: gaps of contacts
    after each step, and their rates; ``bristles (n, 3, n_bristles)``: what bristles carry after each step; ``turns``:
    by table of `Turns.angular` the values (n, rows) of counted angles after each step; ``form``: of the scheme.
    """

    ends: FloatArray
    sizes: FloatArray
    errors: FloatArray
    iterations: IntArray
    first: StepState
    arrays: StepArrays
    powers: FloatArray | None
    planned: float
    rejected: int
    control: ControlMemory | None
    powers_anew: dict[int, FloatArray]
    gaps: FloatArray
    bristles: FloatArray
    turns: list[FloatArray]
    form: Form

    def __len__(self) -> int:
        return len(self.ends)

    def state(self, i: int, remembers: bool = True) -> StepState:
        """The state after step i, with what the scheme remembers there if that is wanted; -1: before the first."""
        if i < 0:
            return self.first
        x, row = self.arrays, i + 1
        old = self.first.v if i == 0 else x.V[i].copy()
        return StepState(
            float(self.ends[i]), x.Q[row].copy(), x.V[row].copy(), x.A[row].copy(), x.AUX[row].copy(),
            x.LAM[row].copy(), old, float(self.sizes[i]),
            self.form.memory(x, row) if remembers else NOTHING,
        )  # fmt: skip

    def columns(self) -> tuple[FloatArray, ...]:
        """Times, positions, velocities, accelerations and multipliers after all steps: t, q, v, a, lam."""
        x, rows = self.arrays, slice(1, len(self) + 1)
        return self.ends.copy(), x.Q[rows].copy(), x.V[rows].copy(), x.A[rows].copy(), x.LAM[rows].copy()

    @property
    def all_turns(self) -> FloatArray:
        """Values (n, m) of counted angles after all steps."""
        n = len(self)
        return np.concatenate([rows[:n] for rows in self.turns], axis=1) if self.turns else np.zeros((n, 0))

    def turns_after(self, i: int) -> FloatArray:
        """Values of counted angles after step i, as `Turns.count_at` takes them."""
        return np.concatenate([rows[i] for rows in self.turns]) if self.turns else NOTHING

    def between(self, times: FloatArray, n_linear: int) -> list[StepState]:
        """The states at times up to the last end, as the interpolant of the scheme has them.

        Not where steps began anew.
        """
        x, n = self.arrays, len(times)
        where = np.searchsorted(self.ends, times)
        if np.array_equal(self.ends[where], times):  # as at the end of a run: nothing lies between
            return [self.state(i) for i in where.tolist()]
        if self.form.between is not None:
            within = {
                i: self.form.between(self.state(i - 1, remembers=False), self.state(i), n_linear)
                for i in dict.fromkeys(where.tolist())
            }
            return [within[i](t) for i, t in zip(where.tolist(), times.tolist(), strict=True)]
        begins = np.concatenate(([self.first.t], self.ends[:-1]))
        rows = x.Q, x.V, x.A, x.AUX, x.LAM
        q, v, a, aux, lam = out = tuple(np.empty((n, row.shape[1])) for row in rows)
        curve, theta = np.empty((3, x.V.shape[1])), np.empty(x.V.shape[1])
        states_between(rows, where, begins, self.ends, times, n_linear, curve, theta, out)
        old = x.V[where]
        old[where == 0] = self.first.v
        return [
            StepState(t, q[k], v[k], a[k], aux[k], lam[k], old[k], 0.0) for k, t in enumerate(times.tolist())
        ]  # fmt: skip

    def start(self, i: int) -> StepState:
        """The state in which step i began: that after the step before, or, after a jump of forces, a new one."""
        before = self.state(i - 1, remembers=False)
        if self.control is None or not self.control.arrays.renewed[i]:
            return before
        y = self.control.arrays
        return StepState(
            before.t, before.q, before.v, y.A0[i].copy(), y.AUX0[i].copy(), y.LAM0[i].copy(), before.v, 0.0
        )

    @property
    def anew(self) -> bool:
        """Whether the step after the last has to begin anew."""
        return self.control is not None and bool(self.control.arrays.anew[0])
