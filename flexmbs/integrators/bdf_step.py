"""The decisions of Newton's method in a step of backward differentiation, for the loop in Python and compiled steps.

A step asks for its operations as methods of its argument. In Python these are those of `bdf`; compiled steps
(`flexmbs.integrators.compiled.backward_step`) are the text of `advance`, with their operations in the places of the
calls. What `flexmbs.integrators.implicit_step` says of increments and their rates holds here, too; but the error that
is left is compared with that of the step, which a good prediction may meet at once, and the matrix is made anew later.
"""

from __future__ import annotations

from typing import Protocol

from flexmbs.integrators.implicit_step import DIVERGED, DONE, GROWING, MET, NONE_BEFORE, PATIENT, REFUSED, SLOW, TURNED

__all__ = ["BackwardStep", "advance"]

CONVERGED = 0.02
"""Error left by the iteration, over the tolerance."""
FIXED_CONVERGED = 1e-4
"""The same for fixed steps, over the change of the positions by the iteration."""
FIRST = 0.3
"""Part of that error which the first increment may have, if it is to be the only one."""
SECOND, STALLED = 0.9, 0.6
"""Rates from which the matrix is made anew after the second iteration, which owes much to multipliers that were not
predicted, and from which round-off is reached."""
NOISE = 30.0
"""How near that is, over the round-off of the positions."""
STATES = 1e-6
"""Relative error of first-order states left by the iteration."""


class BackwardStep(Protocol):
    """What `advance` asks of a step that has been predicted.

    Attributes
    ----------
    most : int
        Iterations before it is given up.
    renew : bool
        Whether the first iteration makes the matrix anew.
    slow : float
        Rate of convergence from which another matrix pays.
    fixed : bool
        Whether steps are fixed.
    far, floor : float
        Increments from which the iteration has diverged, and that are round-off.
    closed : float
        Violation of the constraints before the last increment with which a small one is the last.
    """

    most: int
    renew: bool
    slow: float
    fixed: bool
    far: float
    floor: float
    closed: float

    def linearise(self) -> bool:
        """Residual, matrix and factors; whether compiled code could not make them (Python raises an error)."""

    def evaluate(self) -> bool:
        """The residual alone."""

    def violation(self) -> float:
        """Largest violation of the constraints on positions, as evaluated."""

    def correct(self, number: int) -> float:
        """Solve, and add the increment of iteration ``number``; its size."""

    def allowed(self) -> float:
        """Error that may be left."""

    def rates_met(self) -> bool:
        """Whether the velocities met their constraints, nearly."""

    def settled(self) -> bool:
        """Whether the increments of first-order states are small."""

    def turned(self) -> bool:
        """Whether a body has turned too far in the step."""


def advance(step: BackwardStep) -> tuple[int, int]:
    """Iterate a step that has been predicted; how it ended (`implicit_step.ENDS`), and after how many iterations."""
    status, number, last, renew, renewed = SLOW, 0, NONE_BEFORE, step.renew, False
    for number in range(1, step.most + 1):
        if renew:
            refused = step.linearise()
            renew, renewed = False, True
        else:
            refused = step.evaluate()
        if refused:
            status = REFUSED
            break
        gap = step.violation()
        size = step.correct(number)
        if not size < step.far:
            status = DIVERGED
            break
        rate = size / last if last > 0.0 else 0.0
        wanted = step.allowed()
        if number == 1:
            small = not step.fixed and size <= FIRST * wanted
        else:
            small = rate < 1.0 and size * rate <= wanted * (1.0 - rate)
        done = size <= step.floor or (small and gap <= step.closed)
        done = done or (number > 2 and rate > STALLED and size <= NOISE * step.floor)
        if done and gap <= MET and step.rates_met() and step.settled():
            status = TURNED if step.turned() else DONE
            break
        if number > PATIENT and rate > GROWING:
            status = DIVERGED
            break
        if number > 1 and rate > (SECOND if number == 2 else step.slow):
            renew = not renewed or number % 3 == 0
        last = size
    return status, number
