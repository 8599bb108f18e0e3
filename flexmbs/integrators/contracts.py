"""What an integrator is: a description with facts, and a pure step from state to state (`Stepper`)."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from flexmbs.core.contracts import FloatArray

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.stepper import Stepper

__all__ = ["Integrator", "Solves", "StepResult", "StepState", "StepStatus", "is_memory_of", "mark"]

Solves: TypeAlias = "Callable[[float, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]"
"""Accelerations (n_v,) and multipliers (n_c,) at a state t, q, v."""


class StepState(NamedTuple):
    """Everything a scheme carries from step to step; arrays are never written to once here.

    ``q (n_q,)``, ``v``, ``a`` (true acceleration), ``aux`` (auxiliary acceleration of generalized-alpha) of length n_v,
    ``lam (n_c,)`` multipliers, ``v_old``, ``h_old``: velocity and step before (for error estimates; h_old = 0 at the
    start and after a jump, and minus the step that ``aux`` belongs to after one of held forces). ``memory``: numbers
    that one scheme alone reads and writes, such as the history of a multistep method; they are kept in checkpoints, so
    a run goes on from them bitwise. They begin with the `mark` of the scheme, which treats a state with the memory of
    another as one at a start.
    """

    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    aux: FloatArray
    lam: FloatArray
    v_old: FloatArray
    h_old: float
    memory: FloatArray = np.empty(0)

    @classmethod
    def unaccelerated(cls, t: float, q: FloatArray, v: FloatArray, lam: FloatArray) -> StepState:
        """A state without accelerations."""
        zero = np.zeros(len(v))
        return cls(t, q, v, zero, zero, lam, v, 0.0)


def mark(scheme: str) -> float:
    """The number with which the memory of a scheme of this name begins."""
    return float(zlib.crc32(scheme.encode()))


def is_memory_of(scheme: str, memory: FloatArray) -> bool:
    """Whether a scheme of this name has left a memory; runs may go on from the end of those of other schemes."""
    return len(memory) > 0 and float(memory[0]) == mark(scheme)


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
    """``state`` after the step (None if it failed), its error estimate relative to the tolerance, and its cost.

    The error is c h^(1/``exponent``), from which step control finds the next step; a scheme that chooses its steps
    itself gives the ratio of the next step (or of the next attempt, if the error is above 1) to this one as ``factor``.
    """

    state: StepState | None
    error: float
    iterations: int
    status: StepStatus
    message: str = ""
    exponent: float = 1.0 / 3.0
    factor: float | None = None


class Integrator(Protocol):
    """A scheme of time integration: a frozen dataclass of its settings with these members."""

    @property
    def order(self) -> int:
        """Order of convergence in positions and velocities."""

    @property
    def index(self) -> int:
        """3: constraints on positions; 2: on velocities, positions kept by projection; 1: on accelerations."""

    @property
    def reference(self) -> str:
        """Where the scheme comes from."""

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Refuse, before the first step, what this scheme cannot treat.

        ``redundant``: names of constraints that follow from others. Raises `ModelError`, which names the item and what
        to take instead.
        """

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """A consistent state at the start of a run, or after a jump."""

    def stepper(self, dynamics: Dynamics, tolerance: float) -> Stepper:
        """What makes the steps; keeps factors between steps, and nothing that is not in the state."""
