"""Whether the steps of a run are compiled: what must not stand in the way, and when it is worth its while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from numba.core.errors import NumbaError

from flexmbs.core.errors import ModelError
from flexmbs.integrators.compiled.driver import Driver, hindrance
from flexmbs.integrators.compiled.text import Prevented

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.generalized_alpha import GeneralizedAlpha

__all__ = ["Choice", "runs_alike"]

LOADED, CACHED, NEW = 100, 1_000, 5_000
"""Steps of a run from which a driver is taken that this process has, that is on disk, that is yet to be compiled."""
LARGE = 5_000
"""Unknowns above which Python's share of a step is too small to matter."""


_ALIKE: ContextVar[int] = ContextVar("alike", default=1)
"""Runs of models of one kind that are still to come, which share a driver."""


@contextmanager
def runs_alike(count: int) -> Iterator[None]:
    """Runs within are the first of ``count`` of their kind: whether a driver pays is told by the steps of all."""
    token = _ALIKE.set(max(count, 1))
    try:
        yield
    finally:
        _ALIKE.reset(token)


class Choice:
    """The driver of one stepper, if it is to have one; ``reason`` tells why it has none.

    ``needed``: number of steps, made or planned, from which `expect` has something to decide.

    With ``scheme.compiled`` = True the driver is made at once, and `ModelError` names what prevents it.
    """

    def __init__(self, dynamics: Dynamics, scheme: GeneralizedAlpha, tolerance: float, refresh: str) -> None:
        self.dynamics, self.scheme, self.tolerance, self.refresh = dynamics, scheme, tolerance, refresh
        self.driver: Driver | None = None
        self.reason = ""
        self._candidate: Driver | None = None
        self.needed: float = LOADED
        self._alike = _ALIKE.get()
        if scheme.compiled is False:
            self._refuse("compiled=False")
        elif scheme.compiled is True:
            self.needed = 0
            self._consider(NEW)

    def expect(self, steps: float) -> None:
        """Tell the number of steps that are planned, or were made without driver."""
        if steps * self._alike >= self.needed:
            self._consider(steps * self._alike)

    def _consider(self, steps: float) -> None:
        """Take the driver if so many steps are worth it."""
        try:
            if self._candidate is None:
                self.reason = hindrance(self.dynamics, self.scheme, self.refresh)
                if not self.reason and self.dynamics.system.n > LARGE and not self.scheme.compiled:
                    self.reason = f"{self.dynamics.system.n} unknowns take longer than what would be saved"
                if self.reason:
                    self._refuse(self.reason)
                    return
                self._candidate = Driver(
                    self.dynamics, self.scheme, self.tolerance, self.refresh == "full"
                )  # fmt: skip
            module = self._candidate.module
            needed = LOADED if module.loaded else CACHED if module.compiled else NEW
            self.needed = needed
            if steps < needed:
                return
            module.function()
            self.driver, self.needed = self._candidate, float("inf")
        except Prevented as found:
            self._refuse(str(found))
        except NumbaError as error:
            self._refuse(f"numba cannot compile them: {error}")
        except OSError as error:
            self._refuse(f"their text cannot be kept: {error}")

    def _refuse(self, reason: str) -> None:
        """There will be none."""
        self.reason, self.needed = reason, float("inf")
        if self.scheme.compiled:
            raise ModelError(
                f"Model {self.dynamics.system.model.name!r}: its steps cannot be compiled: {reason}. Leave "
                f"compiled=True out of the integrator, and they are made by the loop in Python."
            )
