"""Runs with error control of models without a size: watched from step to step, and told after the run."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import AccuracyWarning

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.compiled.made_steps import Steps
    from flexmbs.integrators.contracts import StepState

__all__ = ["SinglePoint"]

SMALL = 0.02
"""Motion, beside the length that errors are compared with, below which they may be large parts of it."""
LEAST = 1e-13
"""Tolerance that steps can meet."""


class SinglePoint:
    """How far a model moves whose points all lie at one place at the start.

    Errors of steps are relative to the size of the model, which is then taken as one unit of length: whatever that is,
    a motion that is small beside it is not resolved.
    """

    def __init__(self, dynamics: Dynamics, tolerance: float | None) -> None:
        c = dynamics.coordinates
        self._name, self._tolerance = dynamics.system.model.name, tolerance
        self.looks = tolerance is not None and dynamics.system.extent == 0.0
        if self.looks:
            self._places = c.displacements[c.displacements < c.n_linear]
        self._first: FloatArray | None = None
        self._far = 0.0

    def step(self, old: StepState, new: StepState) -> None:
        """A step has been made."""
        if self.looks:
            self._look(old.q, new.q[None])

    def chunk(self, steps: Steps) -> None:
        """Several steps have been made in one call."""
        if self.looks:
            self._look(steps.first.q, steps.arrays.Q[1 : len(steps) + 1])

    def _look(self, before: FloatArray, states: FloatArray) -> None:
        if self._first is None:
            self._first = before[self._places].copy()
        self._far = max(self._far, float(np.abs(states[:, self._places] - self._first).max(initial=0.0)))

    def warn(self) -> None:
        """Warn of a motion that is small beside one unit of length."""
        if self._tolerance is None or not 0.0 < self._far < SMALL:
            return
        needed = self._tolerance * self._far
        smaller = f"step=ErrorControl(rtol={needed:.1g}), or " if needed > LEAST else ""
        warnings.warn(
            f"Model {self._name!r}: all its points lie at one place at the start, so that errors of steps are compared "
            f"with one unit of length, beside which the motion of {self._far:.3g} is small. Take {smaller}fixed steps, "
            f"or a unit of length of about this motion.",
            AccuracyWarning,
            stacklevel=3,
        )
