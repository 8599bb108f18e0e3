"""How large the steps are: fixed, or by an estimate of the local error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.integrators.contracts import StepResult

__all__ = ["NEAR", "ErrorControl", "FixedStep", "SizeLimits", "next_end", "planned_size", "size_after", "size_again"]

NEAR = 1e-9
"""What is this near to the end of a step, relative to the step, happens at that end."""

WRONG, SUSPECT, JUMP = 2e-3, 1e-4, 50.0
"""Estimated error of a fixed step, over the size of a body, that says it went wrong; or does, if it has grown so."""


class SizeLimits(NamedTuple):
    """Between what step control chooses: largest and smallest size, and times.

    Steps end at ``barrier``, and no further one is made after one that ends at ``pause`` or later.
    """

    largest: float
    smallest: float
    barrier: float
    pause: float


@dataclass(frozen=True)
class FixedStep:
    """Steps of one size; a step that fails is made in halves, quarters, down to ``2**-max_halvings`` of it.

    Parameters
    ----------
    h : float
        Step [time].
    max_halvings : int
        0 refuses to divide a step.
    max_steps : int, optional
        After so many steps of one run it ends with the status TOO_MANY_STEPS; without limit if left out.
    """

    h: float
    max_halvings: int = 6
    max_steps: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "h", as_number("FixedStep", "h", self.h, above=0.0, unit="time"))
        if as_count("FixedStep", "max_halvings", self.max_halvings) > 50:
            raise ModelError(f"FixedStep: max_halvings must be at most 50, not {self.max_halvings}.")
        if self.max_steps is not None:
            as_count("FixedStep", "max_steps", self.max_steps, minimum=1)

    @property
    def tolerance(self) -> float:
        """Of error estimates, which are reported only."""
        return 1.0

    def first(self, span: float) -> float:
        """First step of a run over ``span``."""
        return self.h

    def smallest(self, span: float) -> float:
        """Below this the run has failed."""
        return self.h * 0.5**self.max_halvings * (1.0 - 1e-9)

    def accepts(self, error: float, before: float) -> bool:
        """Whether a step stands, by its error estimate and that of the step before.

        Newton's method may find another solution than the motion that goes on, such as a buckled rope: a step whose
        estimate is beyond `WRONG`, or jumps, is divided.
        """
        return error <= WRONG and not (error > SUSPECT and error > JUMP * before > 0.0)

    def after(self, h: float, result: StepResult) -> float:
        """Step after an accepted one."""
        return min(self.h, 2.0 * h)

    def again(self, h: float, result: StepResult) -> float:
        """Step after a failed or rejected one."""
        return 0.5 * h


@dataclass(frozen=True)
class ErrorControl:
    """Steps such that the estimated local error of the positions stays below a tolerance.

    Parameters
    ----------
    rtol : float
        Local error per step of every body: sqrt(sum m e^2) relative to sqrt(sum m s^2) over its coordinates, with s the
        size of the model for translations and 1 for rotations and slopes. Errors of many steps add up: bodies that spin
        fast need a smaller one.
    initial_step, min_step, max_step : float, optional
        [time]; by default 1e-4, 1e-10 and 1/20 of the time span.
    max_steps : int, optional
        After so many steps of one run it ends with the status TOO_MANY_STEPS; without limit if left out.

    Notes
    -----
    First-order states (controllers, circuits) do not enter the estimate, since nothing says in which unit an error of
    theirs would be small: where they are faster than the mechanism, give ``max_step``.
    """

    rtol: float = 1e-7
    initial_step: float | None = None
    min_step: float | None = None
    max_step: float | None = None
    max_steps: int | None = None

    def __post_init__(self) -> None:
        as_number("ErrorControl", "rtol", self.rtol, above=0.0, maximum=0.1)
        if self.max_steps is not None:
            as_count("ErrorControl", "max_steps", self.max_steps, minimum=1)
        for name in ("initial_step", "min_step", "max_step"):
            if getattr(self, name) is not None:
                as_number("ErrorControl", name, getattr(self, name), above=0.0, unit="time")
        steps = {name: getattr(self, name) for name in ("min_step", "initial_step", "max_step")}
        given = [(name, h) for name, h in steps.items() if h is not None]
        for (one, small), (other, large) in pairwise(given):
            if small > large:
                raise ModelError(f"ErrorControl: {one} = {small:g} must not be above {other} = {large:g}.")

    @property
    def tolerance(self) -> float:
        """Of error estimates."""
        return self.rtol

    def first(self, span: float) -> float:
        """First step of a run over ``span``."""
        return self.initial_step or 1e-4 * span

    def smallest(self, span: float) -> float:
        """Below this the run has failed."""
        return self.min_step or 1e-10 * span

    def accepts(self, error: float, before: float) -> bool:
        """Whether a step with this error estimate stands, whatever that of the step before."""
        return error <= 1.0

    def limit(self, span: float) -> float:
        """Largest step."""
        return self.max_step or span / 20.0

    def after(self, h: float, result: StepResult) -> float:
        """Step after an accepted one; small gains are not taken, since each change costs a new matrix."""
        if result.factor is not None:
            return h * result.factor
        return size_after(h, result.error, result.exponent, result.iterations)

    def again(self, h: float, result: StepResult) -> float:
        """Step after a failed (infinite error) or rejected one."""
        if result.factor is not None:
            return h * result.factor
        return size_again(h, result.error, result.exponent)


# --- decisions over numbers alone, which compiled steps take too --------------------------------------------------


def size_after(h: float, error: float, exponent: float, iterations: int) -> float:
    """Step after an accepted one of size h, by its error over the tolerance, which is c h^(1/exponent)."""
    factor = 0.9 * math.pow(max(error, 1e-8), -exponent)
    if iterations > 8:
        factor = min(factor, 0.8)
    if 0.95 <= factor <= 1.25:
        return h
    return h * min(2.0, max(0.4, factor))


def size_again(h: float, error: float, exponent: float) -> float:
    """Step after a failed (infinite error) or rejected one."""
    if not error < math.inf:
        return 0.25 * h
    return h * min(0.7, max(0.1, 0.8 * math.pow(error, -exponent)))


def next_end(t: float, h: float, barrier: float) -> tuple[float, float]:
    """Size and end of the next step from t, at most h: it does not pass the barrier, nor leave round-off before it."""
    end = t + h
    if end > barrier - NEAR * h:
        return barrier - t, barrier
    return h, end


def planned_size(planned: float, largest: float, h: float, proposed: float) -> float:
    """The next step to try: what is ``proposed`` after one of size h; one that was cut short does not lower it."""
    if h < 0.99 * min(planned, largest):
        return max(proposed, planned)
    return proposed
