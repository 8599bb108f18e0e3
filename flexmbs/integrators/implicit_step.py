"""One implicit step: all decisions of Newton's method, for every scheme that iterates increments of positions.

Increments are measured by d = sqrt(sum m_i dq_i^2) with the diagonal of the mass matrix, which is free of units. With
the rate p = (this / the last) of *this* step the error left is about d p / (1 - p), or d p^2 where the matrix is exact
in every iteration; a rate remembered from an earlier step is never believed. An increment of the size of round-off is
convergence, and so is one that has stopped falling near it. The matrix is made anew when the rate exceeds `RATE`.

`advance` takes the operations of a scheme as methods of its argument. The loop in Python calls it; the compiled steps
(`flexmbs.integrators.compiled.newton_step`) are its text, with their operations in the places of the calls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from flexmbs.core.checks import as_count, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.integrators.contracts import StepStatus

__all__ = ["ImplicitStep", "NewtonOptions", "advance", "settled"]

EPS = float(np.finfo(float).eps)
RATE = 0.3
"""Rate of convergence from which the matrix is made anew, and an increment near round-off has stopped falling."""
NOISE = 1e3
"""How near that is, over the round-off of the positions."""
PATIENT, GROWING = 4, 2.0
"""Growth of the increments from which the iteration is given up, and the number of iterations that may do so."""
FAR = 1e6
"""An increment this many times the size of all positions is divergence."""
CLOSED = 1e-9
"""Constraint violation, relative to the size of the model (rad for angles), from which one more increment leads to
round-off."""
MET, MET_RATE = 1e-7, 1e-4
"""Violation of positions over the size of the model, of velocities over the largest, with which no step is accepted.

It is the one before the last increment, which takes off some orders more; only what contradicts itself stays.
"""
NONE_BEFORE = math.inf
"""What stands for the increment before the first."""
ENDS = tuple(StepStatus)
DONE, DIVERGED, SLOW, TURNED, REFUSED = (
    ENDS.index(end)
    for end in (StepStatus.DONE, StepStatus.DIVERGED, StepStatus.SLOW, StepStatus.TURNED, StepStatus.REFUSED)
)
"""How `advance` ends, by its number in `ENDS`: compiled code knows numbers."""
POLICIES = ("auto", "step", "on_demand", "full")


@dataclass(frozen=True, kw_only=True)
class NewtonOptions:
    """Settings of the iteration in a step.

    Parameters
    ----------
    rtol : float
        Error of an increment relative to the change of the positions by the acceleration in the step.
    jacobian_update : str
        When the matrix is made: ``"step"`` once a step, ``"on_demand"`` when convergence slows down, ``"full"`` in
        every iteration (quadratic convergence), ``"auto"``: once a step if the matrix is a band of half
        width 48 at most, or has up to 600 unknowns; else on demand, since factors of surfaces cost more than what
        a fresh matrix saves.
    max_iterations : int
        Iterations before a step is given up.

    Raises
    ------
    ModelError
        If a value is out of bounds.
    """

    rtol: float = 1e-6
    jacobian_update: str = "auto"
    max_iterations: int = 10

    def __post_init__(self) -> None:
        as_number("NewtonOptions", "rtol", self.rtol, above=0.0, maximum=1e-2)
        as_count("NewtonOptions", "max_iterations", self.max_iterations, minimum=2)
        if not isinstance(self.jacobian_update, str) or self.jacobian_update not in POLICIES:
            raise ModelError(
                f"NewtonOptions: jacobian_update must be one of {POLICIES}, not {show(self.jacobian_update)}."
            )


class ImplicitStep(Protocol):
    """What `advance` asks of a step that has been predicted.

    Attributes
    ----------
    most : int
        Iterations before it is given up.
    renew, full : bool
        Whether the first iteration, or every one, makes the matrix anew.
    exact : bool
        Whether the matrix is that of the very equations in every iteration, which then converge quadratically.
    allowed : float
        Error that may be left in the increment of the step.
    floor, noise : float
        Increments that are round-off, and that may be round-off once they have stopped falling.
    far : float
        Increment from which the iteration has diverged.
    closed, met : float
        Violations of the constraints before the last increment with which a small one is the last, and any can be.
    """

    most: int
    renew: bool
    full: bool
    exact: bool
    allowed: float
    floor: float
    noise: float
    far: float
    closed: float
    met: float

    def linearise(self) -> bool:
        """Residual, matrix and factors; whether compiled code could not make them (Python raises an error)."""

    def evaluate(self) -> bool:
        """The residual alone."""

    def violation(self) -> float:
        """Largest violation of the constraints on positions, as evaluated."""

    def correct(self) -> float:
        """Solve, and add the increment; its size."""

    def rates_met(self) -> bool:
        """Whether the velocities met their constraints, nearly."""

    def turned(self) -> bool:
        """Whether a body has turned too far in the step."""

    def settled(self) -> bool:
        """Whether the increments of first-order states are small."""


def advance(step: ImplicitStep) -> tuple[int, int]:
    """Iterate a step that has been predicted; how it ended (`ENDS`), and after how many iterations."""
    status, number, last, renew = SLOW, 0, NONE_BEFORE, step.renew
    for number in range(1, step.most + 1):
        if renew or step.full:  # noqa: SIM108  # a call that is replaced by its text is a statement
            refused = step.linearise()
        else:
            refused = step.evaluate()
        if refused:
            status = REFUSED
            break
        gap = step.violation()
        size = step.correct()
        rate = size / last if last > 0.0 else 0.0
        if not size < step.far or (number > PATIENT and rate > GROWING):
            status = DIVERGED
            break
        if step.exact:
            small = rate < 1.0 and size * (rate * rate) <= step.allowed
        else:
            small = rate < 1.0 and size * rate <= step.allowed * (1.0 - rate)
        small = (small and gap <= step.closed) or (rate > RATE and size <= step.noise)
        done = (size <= step.floor or (number > 1 and small)) and gap <= step.met
        if done and step.rates_met():
            if step.turned():
                status = TURNED
                break
            if step.settled():
                status = DONE
                break
        renew = number > 1 and rate > RATE
        last = size
    return status, number


def settled(
    states: IntArray, resolutions: FloatArray, increment: FloatArray, v: FloatArray, a: FloatArray, rate: float,
    h: float, rtol: float,
) -> bool:  # fmt: skip
    """Whether the last increments of first-order states are small against the states, each in its own unit.

    ``rate`` times the increment (n_v,) is what a velocity has changed by; below its resolution (n,) it does not matter.
    """
    if not len(states):
        return True
    size = np.abs(v[states]) + np.abs(h * a[states])
    return bool(np.all(abs(rate) * np.abs(increment[states]) <= rtol * size + resolutions))
