"""What an integrator is: a description with facts, and a pure step from state to state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from flexmbs.core.contracts import FloatArray

if TYPE_CHECKING:
    from flexmbs.dynamics import Dynamics

__all__ = ["Integrator", "StepResult", "StepState", "StepStatus"]


class StepState(NamedTuple):
    """Everything a scheme carries from step to step; arrays are never written to once here.

    ``q (n_q,)``, ``v``, ``a`` (true acceleration), ``aux`` (auxiliary acceleration of generalized-alpha) of length n_v,
    ``lam (n_c,)`` multipliers, ``v_old``, ``h_old``: velocity and step before (for error estimates; h_old = 0 at the
    start and after a jump).
    """

    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    aux: FloatArray
    lam: FloatArray
    v_old: FloatArray
    h_old: float


class StepStatus(Enum):
    """How a step ended."""

    DONE = "done"
    DIVERGED = "the iteration diverged"
    SLOW = "the iteration did not converge"
    TURNED = "a body would turn by more than 2.5 rad"
    REFUSED = "a force or an element could not be evaluated"
    SINGULAR = "the iteration matrix is singular"


@dataclass
class StepResult:
    """``state`` after the step (None if it failed), its error estimate relative to the tolerance, and its cost."""

    state: StepState | None
    error: float
    iterations: int
    status: StepStatus
    message: str = ""


class Integrator(Protocol):
    """A scheme of time integration."""

    @property
    def order(self) -> int:
        """Order of convergence in positions and velocities."""

    @property
    def index(self) -> int:
        """3: constraints on positions; 2: on velocities, positions kept by projection."""

    @property
    def reference(self) -> str:
        """Where the scheme comes from."""

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """A consistent state at the start of a run, or after a jump."""

    def stepper(self, dynamics: Dynamics, tolerance: float) -> Stepper:
        """What makes the steps; keeps factors between steps, and nothing that is not in the state."""


class Stepper(Protocol):
    """Makes steps of one scheme on one system."""

    def step(self, state: StepState, h: float) -> StepResult:
        """One step of size h; does not change ``state``."""

    def longest(self, state: StepState) -> float:
        """Largest step that may be tried from a state; infinite where nothing limits it."""

    def forget(self) -> None:
        """Drop the factors kept, so that what follows does not depend on what was before."""
