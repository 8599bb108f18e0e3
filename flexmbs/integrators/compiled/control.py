"""Sampled controllers in compiled steps: what they remember, and what is told of the steps of a call beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.integrators.compiled.step_arrays import ControlArrays

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.dynamics.control_table import ControlTable

__all__ = ["ControlMemory", "SamplePlan"]


class SamplePlan(NamedTuple):
    """Steps of one size that end at ``ends (n,)``, and the samples among these ends.

    ``anew``: whether the first begins after a jump of held forces; ``sampled (n,)``; where controllers are compiled
    ``due (n, n_controllers)``, ``signals (n, n_s)`` (one row where they never change), and the states ``x``, waiting
    outputs ``pending`` and ``numbers`` of the next samples before the first. ``whole``: they end at multiples of a
    fixed step, one after the other.
    """

    ends: FloatArray
    anew: bool
    sampled: IntArray
    due: IntArray
    signals: FloatArray
    x: FloatArray
    pending: FloatArray
    numbers: IntArray
    whole: bool


class ControlMemory:
    """The arrays of `ControlArrays`, and those of all controllers, for calls of at most ``most`` steps.

    ``given``: the arrays in which loads and motions at the present time are; of these a row is kept for each step where
    they are ``varying``.
    """

    def __init__(
        self, table: ControlTable, most: int, n_v: int, n_c: int, given: tuple[FloatArray, ...], varying: bool
    ) -> None:  # fmt: skip
        loop = table.loop
        start = loop.initial()
        self.table = table
        self.due = np.zeros((most, max(1, len(loop.controllers))), dtype=np.int64)
        self.signals = np.zeros((1 if table.steady else most, max(1, len(table.signals))))
        self.x, self.pending = np.zeros(max(1, len(start.x))), np.zeros(max(1, len(start.pending)))
        self.count = start.count.copy()
        rows = tuple(np.zeros((most, *part.shape[1:])) for part in given) if varying else given
        self.arrays = ControlArrays(
            starts=np.zeros(most), given=rows[0], motion=rows[1], scale=rows[2], A0=np.zeros((most, n_v)),
            AUX0=np.zeros((most, n_v)), LAM0=np.zeros((most, n_c)), renewed=np.zeros(most, dtype=np.int64),
            anew=np.zeros(1, dtype=np.int64), sampled=np.zeros(most, dtype=np.int64),
            held=np.zeros((most, max(1, len(loop.actuators)))),
        )  # fmt: skip

    def idle(self) -> None:
        """A call whose samples are left to Python."""
        self.arrays.anew[0] = 0
        self.arrays.sampled[:] = 0

    def take(self, plan: SamplePlan, n: int) -> None:
        """A call of n steps with samples as planned."""
        self.arrays.anew[0] = plan.anew
        self.arrays.sampled[:n] = plan.sampled[:n]
        self.due[:n, : plan.due.shape[1]] = plan.due[:n]
        rows = min(len(plan.signals), len(self.signals))
        self.signals[:rows, : plan.signals.shape[1]] = plan.signals[:rows]
        self.x[: len(plan.x)], self.pending[: len(plan.pending)] = plan.x, plan.pending
        self.count[:] = plan.numbers
