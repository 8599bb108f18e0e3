"""Whether the steps of a run are compiled: what must not stand in the way, and when it is worth its while."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from numba.core.errors import NumbaError

from flexmbs.core.errors import ModelError
from flexmbs.core.jit import compile_seconds
from flexmbs.integrators.compiled.driver import Driver, hindrance
from flexmbs.integrators.compiled.text import Prevented

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.compiled.form import Form

__all__ = ["Choice", "runs_alike"]

LOADED = 100
"""Steps from which it is looked whether there is a driver: making its tables takes 2 ms."""
TYPICAL, CALL = 32e-6, 0.4e-6
"""Seconds of processor time that a compiled step saves, before any was made, and that one call of a kernel from Python
takes; from the table in `docs/theory/compiled_driver.md`."""
FIRST = 32
"""Steps in Python after which is known what they take."""
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

    It is taken when what it saves exceeds what it costs: loading or compiling it, as long as that took on this machine.
    What it saves is measured in the steps that Python makes; those of earlier runs, without it, count too, and of the
    rest of this run those that are planned, or, by step control, as many as were made.

    ``needed``: number of steps, made or planned, from which `expect` has something to decide.

    With ``scheme.compiled`` = True the driver is made at once, and `ModelError` names what prevents it.
    """

    def __init__(self, dynamics: Dynamics, scheme: Any, tolerance: float, form: Form) -> None:
        self.dynamics, self.scheme, self.tolerance, self.form = dynamics, scheme, tolerance, form
        self.driver: Driver | None = None
        self.reason = ""
        self._candidate: Driver | None = None
        self.needed: float = LOADED
        self._alike = _ALIKE.get()
        self._planned, self._made, self._cost = 0.0, 0, 0.0
        self._began: tuple[float, float, float, int] | None = None
        self._first = 0
        self._compiling = 0.0
        if scheme.compiled is False:
            self._refuse("compiled=False")
        elif scheme.compiled is True:
            self.needed = 0
            self._consider()

    def expect(self, steps: float) -> None:
        """Tell the number of steps that are planned."""
        self._planned = steps
        if steps * self._alike >= LOADED and self.needed < math.inf:
            self._consider()

    def count(self) -> None:
        """A step is made by Python now; what is measured begins anew behind steps in which kernels were compiled."""
        if self._began is None or self._compiling != compile_seconds():
            self._began = process_time(), perf_counter(), self._in_kernels(), self.dynamics.evaluations
            self._first, self._compiling = self._made, compile_seconds()
        self._made += 1
        if self._made >= self.needed:
            self._consider()

    def remember(self) -> None:
        """At the end of a run: what was lost in it without a driver."""
        if self.driver is None and self._candidate is not None and not self.reason and self._made >= FIRST:
            self._candidate.module.lose(self._made * self._measured())

    def _in_kernels(self) -> float:
        return float(sum(self.dynamics.seconds.values()))

    def _measured(self) -> float:
        """Seconds that a compiled step would save."""
        steps = self._made - self._first
        if self._began is None or steps < FIRST or self._compiling != compile_seconds():
            return TYPICAL
        began, at, inside, evaluations = self._began
        outside = 1.0 - (self._in_kernels() - inside) / (perf_counter() - at)  # of the time by the clock
        calls = len(self.dynamics.stages.force) * (self.dynamics.evaluations - evaluations)
        return (max(outside, 0.0) * (process_time() - began) + CALL * calls) / steps

    def _consider(self) -> None:
        """Take the driver if it is worth it."""
        try:
            if self._candidate is None:
                self.reason = hindrance(self.dynamics, self.form)
                if not self.reason and self.dynamics.system.n > LARGE and not self.scheme.compiled:
                    self.reason = f"{self.dynamics.system.n} unknowns take longer than what would be saved"
                if self.reason:
                    self._refuse(self.reason)
                    return
                self._candidate = Driver(self.dynamics, self.form, self.tolerance)
            module = self._candidate.module
            if not (self.scheme.compiled or module.loaded):
                rest = max(self._planned - self._made, self._made) * self._alike
                saved = self._measured()
                cost = module.seconds
                if saved * (rest + self._made) + module.lost < cost:
                    self.needed = max(FIRST, 2 * self._made, LOADED)
                    self._cost = cost / max(saved, 1e-9)
                    return
            module.function()
            self.driver, self.needed = self._candidate, math.inf
        except Prevented as found:
            self._refuse(str(found))
        except NumbaError as error:
            self._refuse(f"numba cannot compile them: {error}")
        except OSError as error:
            self._refuse(f"their text cannot be kept: {error}")

    @property
    def waiting(self) -> str:
        """Why there is no driver, although nothing prevents it."""
        if self._candidate is None:
            return f"compiled steps pay from {LOADED} steps on"
        return f"compiling steps pays from about {self._cost:.2g} steps on, in this run or in several"

    def _refuse(self, reason: str) -> None:
        """There will be none."""
        self.reason, self.needed = reason, math.inf
        if self.scheme.compiled:
            raise ModelError(
                f"Model {self.dynamics.system.model.name!r}: its steps cannot be compiled: {reason}. Leave "
                f"compiled=True out of the integrator, and they are made by the loop in Python."
            )
