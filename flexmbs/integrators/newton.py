"""How the nonlinear equations of a step are iterated: when a matrix is made anew, and when to stop.

Increments are measured by d = sqrt(sum m_i dq_i^2) with the diagonal of the mass matrix, which is free of units. With
the rate p = (this / the last) of *this* step the error left is about d p / (1 - p); a rate remembered from an earlier
step is never believed. Round-off floor: 8 eps sqrt(sum m_i q_i^2). An increment that has stopped falling near it counts
as converged. The matrix is renewed when the rate exceeds 0.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmbs.core.checks import as_count, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.integrators.contracts import StepResult, StepStatus

__all__ = ["NewtonOptions", "attempts", "settled"]

AGAIN = (StepStatus.DIVERGED, StepStatus.SLOW, StepStatus.REFUSED)
"""Ends of an attempt after which another is made."""
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


def attempts(attempt: Callable[[FloatArray, bool], StepResult], a: FloatArray) -> StepResult:
    """A step from the accelerations ``a`` as a guess of the new ones and, where that fails, from another guess.

    ``attempt(guess, second)`` makes it.
    """
    result = attempt(a, False)
    if result.status not in AGAIN:
        return result
    # Noisy accelerations of stiff bodies are a bad guess of the new ones; zero is the robust one.
    second = attempt(np.zeros_like(a), True)
    second.iterations += result.iterations
    return second


def settled(
    states: IntArray, increment: FloatArray, v: FloatArray, a: FloatArray, rate: float, h: float, rtol: float
) -> bool:  # fmt: skip
    """Whether the last increments of first-order states are small against the states, each in its own unit.

    ``rate`` times the increment (n_v,) is what a velocity has changed by.
    """
    if not len(states):
        return True
    size = np.abs(v[states]) + np.abs(h * a[states])
    return bool(np.all(abs(rate) * np.abs(increment[states]) <= rtol * size))
