"""Dry friction that lets go before its static limit: watched from step to step, and told after the run."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import AccuracyWarning
from flexmbs.dynamics.bristles import Bristles
from flexmbs.kernels.early_slip import ENTRIES, FAST_CREEP, FAST_PEAK, LARGEST, SLOW_CREEP, SLOW_PEAK, end, follow

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.compiled.made_steps import Steps
    from flexmbs.integrators.contracts import StepState

__all__ = ["EarlySlip"]

EARLY = 0.01
"""Part of the static limit that may be missing when sliding starts."""
SLOW = 0.05
"""Rate, relative to the largest of the run, below which a bristle that does not slip holds."""
APART = 800.0
"""Times by which ``falling`` should exceed the rate of the coordinate while the bristle is bent."""


class EarlySlip:
    """Follows the bristles of a run, whatever is stored of it.

    Attributes
    ----------
    looks : bool
        Whether there is dry friction with a static limit above that of sliding.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.bristles = Bristles(dynamics)
        self.looks = self.bristles.exist
        if not self.looks:
            return
        friction = self.bristles.friction
        self._least = np.where(friction.static > friction.slide, (1.0 - EARLY) * friction.static, 0.0)
        self._memory = np.zeros((ENTRIES, len(self._least)))
        self._memory[[SLOW_PEAK, FAST_CREEP]] = np.inf

    def step(self, new: StepState) -> None:
        """A step has been made."""
        if self.looks:
            self._follow(self.bristles.read(new))

    def chunk(self, steps: Steps) -> None:
        """Several steps have been made in one call, which told what bristles carried."""
        if self.looks:
            self._follow(steps.bristles)

    def _follow(self, rows: FloatArray) -> None:
        friction = self.bristles.friction
        follow(rows, friction.begin, friction.falling, self._least, self._memory)

    def warn(self) -> None:
        """Warn of each force, and of each contact by its pair that let go earliest."""
        if not self.looks:
            return
        memory, friction = self._memory, self.bristles.friction
        end(friction.falling, self._least, memory)
        slow = memory[FAST_CREEP] < SLOW * memory[LARGEST]  # then the bristle held, although faster than falling
        fast = slow & (memory[FAST_PEAK] < memory[SLOW_PEAK])
        peak = np.where(fast, memory[FAST_PEAK], memory[SLOW_PEAK])
        creep = np.where(fast, memory[FAST_CREEP], memory[SLOW_CREEP])
        yields = np.isfinite(peak) & (APART * creep > friction.falling)  # otherwise something pushed it past its limit
        told = set[str]()
        for k in sorted(map(int, np.flatnonzero(yields)), key=lambda k: peak[k] / friction.static[k]):
            owner, ends = self.bristles.name(k)
            if owner not in told:
                told.add(owner)
                self._tell(k, owner, ends, float(peak[k]), float(creep[k]))

    def _tell(self, k: int, owner: str, ends: str, peak: float, creep: float) -> None:
        k0, _, static, falling, _ = (float(x[k]) for x in self.bristles.friction)
        since = f"yields while it is bent at {creep:.3g}, and this is not small beside falling = {falling:g}"
        if ends:
            text = (
                f"Contact {owner!r}: {ends} let go at a friction of {peak:.4g} instead of static = {static:g}, since "
                f"the bristle {since}. Take a BristleLaw of stiffness {k0 * APART * creep / falling:.2g} or more, or a "
                "larger falling."
            )
        else:
            slide = float(self.bristles.friction.slide[k])
            wanted = slide / k0 * falling / max(APART * creep, 1e-300)
            text = (
                f"BristleFriction {owner!r}: it lets go at {peak:.4g} instead of its static limit of {static:.4g}, "
                f"since its bristle {since}. Take a deflection of {wanted:.2g} or less, or a larger falling."
            )
        warnings.warn(text, AccuracyWarning, stacklevel=3)
