"""The decisions of a step of Radau IIA, for the loop in Python and compiled steps.

A step asks for its operations as methods of its argument. In Python these are those of `radau_newton`; compiled steps
(`flexmbs.integrators.compiled.collocated_step`) are the text of `advance`, with their operations in the places of the
calls. What sums or compares is a kernel that both call (`radau_stages`), so both find the same bits.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from flexmbs.integrators.implicit_step import DIVERGED, DONE, NONE_BEFORE, REFUSED, SLOW, TURNED

__all__ = ["RadauStep", "advance"]

FLOOR = 16.0 * float(np.finfo(float).eps)
UNSURE = 0.05
"""Rate that is assumed after two iterations at least: the first increment has parts that vanish at once."""
FAR = 1e6
"""An increment this many times the size of a body is divergence."""
STALLED, NOISE = 0.5, 100.0
"""Rate from which an increment has stopped falling, and over how much round-off that may be."""
QUIET = 0.01
"""Part of the limit below which increments that have stopped falling say nothing of how fast a longer step converges.

They are round-off of what little inertia resists: the links of Bricard's loop about their own axes.
"""
CLOSINGS = 6
"""Evaluations at the end of a step that look how its constraints are met, and corrections between these."""
HALF = 0.5
"""The next size over this one after a failure that tells no other."""
BACK, MUCH = 0.8, 20.0
"""After slow convergence: part of the size with which it would do, and the largest error over the limit that counts."""


class RadauStep(Protocol):
    """What `advance` asks of a step.

    Attributes
    ----------
    most : int
        Iterations of an attempt before it is given up.
    limit : float
        Error of Newton's method that is left, over the size of a body.
    """

    most: int
    limit: float

    def prepare(self, attempt: int, status: int) -> bool:
        """Guess the stages, and make the matrices; whether compiled code could not (Python raises an error).

        ``attempt`` 1 is the second, after one that ended with ``status``: behind slow convergence with the Jacobian of
        where it was going, else from rest, as extrapolation may be what was wrong.
        """

    def evaluate(self) -> bool:
        """Residuals in the stages; whether compiled code could not."""

    def correct(self) -> float:
        """Solve, and add the increments; the size of the largest."""

    def settled(self) -> bool:
        """Whether the increments of first-order states are small."""

    def conclude(self) -> float:
        """Accelerations and positions of the stages found, and the end of the step; the estimate of its error."""

    def arrive(self) -> bool:
        """Evaluate at the end; whether compiled code could not."""

    def closed(self) -> bool:
        """Whether the constraints are met there but for round-off."""

    def met(self) -> bool:
        """Whether they are met well enough for the step to be accepted."""

    def close(self) -> bool:
        """Take off what is left of them; always true, as a call has to be assigned."""

    def turned(self) -> bool:
        """Whether a body has turned too far in the step."""


def advance(step: RadauStep) -> tuple[int, int, int, float, float, float]:
    """A step, and where it fails another one.

    How it ended (`implicit_step.ENDS`), iterations of the last attempt and of all, its rate of convergence, its
    error, and the size to take after a failure, over this one.
    """
    status, number, spent, rate, error, back = DIVERGED, 0, 0, 0.0, 0.0, HALF
    for attempt in range(2):
        refused = step.prepare(attempt, status)
        if refused:
            status = REFUSED
            break
        status, number, rate, last, back = SLOW, 0, 0.0, NONE_BEFORE, HALF
        for number in range(1, step.most + 1):
            refused = step.evaluate()
            if refused:
                status = REFUSED
                break
            size = step.correct()
            if not size < FAR:
                status = DIVERGED
                break
            p = size / last if last > 0.0 else 0.0
            last = size
            if number > 1 or size <= FLOOR:
                stalled = p >= STALLED
                if not (stalled and size <= max(NOISE * FLOOR, QUIET * step.limit)):
                    rate = max(p, rate) if number < 4 else p
                sure = max(p, UNSURE) if number == 2 else p
                done = size <= FLOOR or (stalled and size <= NOISE * FLOOR)
                if not done and sure < 1.0 and size * sure <= step.limit * (1.0 - sure):
                    done = step.settled()
                if done:
                    status = DONE
                    break
                if number > 2:
                    if p >= 1.0:
                        status = DIVERGED
                        break
                    left = step.most - 1.0 - number
                    expected = size * math.pow(p, left + 1.0) / ((1.0 - p) * step.limit)
                    if expected >= 1.0:
                        back = BACK * math.pow(min(MUCH, expected), -1.0 / (4.0 + left))
                        break
        spent += number
        if status == DONE:
            status = SLOW
            error = step.conclude()
            for closing in range(CLOSINGS):
                refused = step.arrive()
                if refused:
                    status = REFUSED
                    break
                if step.closed():
                    status = DONE
                    break
                if closing < CLOSINGS - 1:
                    taken = step.close()  # noqa: F841
            if status == SLOW and step.met():
                status = DONE
            if status == DONE and step.turned():
                status = TURNED
        if status != SLOW and status != DIVERGED:
            break
    return status, number, spent, rate, error, back
