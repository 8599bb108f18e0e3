"""Steps that a compiled driver makes where there is one, and the loop in Python elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from flexmbs.integrators.stepper import Stepper

if TYPE_CHECKING:
    from collections.abc import Hashable

    from flexmbs.core.contracts import FloatArray
    from flexmbs.integrators.compiled.choice import Choice
    from flexmbs.integrators.compiled.control import SamplePlan
    from flexmbs.integrators.compiled.made_steps import Steps
    from flexmbs.integrators.contracts import StepResult, StepState
    from flexmbs.integrators.step_control import SizeLimits

__all__ = ["Driven"]

Made = TypeVar("Made")


class Driven(Stepper):
    """What the steppers of schemes have in common whose steps can be compiled.

    Attributes
    ----------
    choice : Choice
        Whether there is a driver, and why not.
    prepared : tuple, optional
        The arguments of `behind_jump` that has just made the factors with which the next step begins; None if none has.
    """

    choice: Choice
    prepared: tuple[StepState, float, bool] | None = None

    def expect(self, steps: float) -> None:
        """Tell how many steps are planned."""
        self.choice.expect(steps)

    @property
    def kind(self) -> tuple[Hashable, ...] | None:
        """What runs have in common whose steps take about as long; None where Python makes them."""
        return None if self.choice.driver is None else self.choice.driver.kind

    @property
    def several(self) -> bool:
        """Whether `advance` can be asked."""
        return self.choice.driver is not None and self.choice.driver.pause == 0

    @property
    def happens(self) -> bool:
        """Whether several steps ended before one in which an event may happen."""
        return self.choice.driver is not None and self.choice.driver.happens

    def advance(
        self, state: StepState, h: float, ends: FloatArray, error_before: float, powers: bool,
        plan: SamplePlan | None = None,
    ) -> Steps | None:  # fmt: skip
        """Several steps in one call, as in `flexmbs.integrators.stepper.Stepper`; ``plan``: samples at their ends."""
        driver = self.choice.driver
        if driver is None:
            return None
        return self._kept(driver.advance(state, h, ends, error_before, powers, plan))

    def advance_controlled(
        self, state: StepState, planned: float, limits: SizeLimits, most: int, error_before: float, powers: bool
    ) -> Steps | None:  # fmt: skip
        """Several steps in one call, as in `flexmbs.integrators.stepper.Stepper`."""
        driver = self.choice.driver
        if driver is None or driver.varying:
            return None
        return self._kept(driver.advance_controlled(state, planned, limits, most, error_before, powers))

    def _kept(self, made: Made) -> Made:
        """What the driver has made; if it has made nothing, with the factors again that it has overwritten."""
        prepared, self.prepared = self.prepared, None
        if made is None and prepared is not None:
            self.behind_jump(*prepared)
        return made

    def step(self, state: StepState, h: float) -> StepResult:
        if self.choice.driver is not None:
            made = self._kept(self.choice.driver.step(state, h))
            if made is not None:
                return made
        else:
            self.choice.count()
        return super().step(state, h)
