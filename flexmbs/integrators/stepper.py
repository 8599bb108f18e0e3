"""What makes the steps of one scheme on one system: the attempts of a step, and what its failures are called."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from flexmbs.core.contracts import State
from flexmbs.core.errors import SingularError
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.dense import Interpolant
from flexmbs.kernels.steps import largest_turn
from flexmbs.system.system import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import Solves

__all__ = ["Stepper", "turned_too_far"]

TURN, MOST_TURN = 1.5, 2.5
"""Rotations of a body in a step [rad] planned for, and accepted at most: turns of angles are counted between steps."""


def turned_too_far(dynamics: Dynamics, increment: FloatArray) -> bool:
    """Whether a body has turned too far in the increment (n_v,) of a step."""
    return largest_turn(increment, dynamics.n_linear, dynamics.angles_of_bodies) > MOST_TURN


class Stepper:
    """Makes steps of one scheme on one system; base of the steppers of all schemes.

    What it keeps between steps may only save work (factors, matrices): after `forget` a step from the same state gives
    the same numbers as in any other run.

    A scheme writes `attempt`, and where it differs from what stands here `forget`, `at_onset`, `drop`, `between` and
    `solves`. A stepper may have three more members. ``advance(state, h, ends, error_before, powers)`` makes steps of
    the fixed size h that end at the times ``ends (n,)``, as many as `FixedStep` accepts one after the other, and counts
    turns; it returns `flexmbs.integrators.compiled.made_steps.Steps`, or None to be asked for single steps.
    ``advance_controlled(state, planned, limits, most, error_before, powers)`` makes up to ``most`` steps of the sizes
    that `ErrorControl` chooses, the first ``planned``. ``several`` tells whether these can be asked now.
    ``expect(steps)`` tells it beforehand how many steps are planned.

    Attributes
    ----------
    again : tuple of StepStatus
        Ends of an attempt after which another one is made.
    most_attempts : int
    retreat : float, optional
        Size of the next try over this one, after a failure that does not tell it; left out, step control decides.
    """

    again: ClassVar[tuple[StepStatus, ...]] = (StepStatus.DIVERGED, StepStatus.SLOW, StepStatus.REFUSED)
    most_attempts: ClassVar[int] = 1
    retreat: ClassVar[float | None] = None

    def __init__(self, scheme: Any, dynamics: Dynamics, tolerance: float) -> None:
        self.scheme, self.dynamics, self.tolerance = scheme, dynamics, tolerance

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        """One attempt at a step; ``before``: the one that failed just before, if any."""
        raise NotImplementedError

    def forget(self) -> None:
        """Drop the factors kept, so that what follows does not depend on what was before."""

    def behind_jump(self, state: StepState, h: float, same_size: bool = False) -> StepState:
        """The state behind a jump of the forces that controllers hold, before a step of about h.

        ``same_size``: that is the size of the step, unless the end of something is nearer.
        """
        began: StepState = self.scheme.start(self.dynamics, state.t, state.q, state.v, h)
        return began._replace(q=state.q, v=state.v)

    def at_onset(self, state: StepState) -> StepState:
        """A state at which forces begin to act, before which steps may have been long: without what they told."""
        return state

    def drop(self) -> None:
        """Drop what a failed attempt has left."""
        self.forget()

    def step(self, state: StepState, h: float) -> StepResult:
        """One step of size h (negative: back in time); does not change ``state``.

        The time, the kinematics and the forces that `Dynamics` evaluated last are those of the new state, but for an
        increment of Newton's method: turns are counted from them, and the power of forces is read off.
        """
        result = self._attempted(state, h, None)
        for _ in range(1, self.most_attempts):
            if result.status not in self.again:
                break
            spent = result.iterations
            result = self._attempted(state, h, result)
            result.iterations += spent
        return result

    def _attempted(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        try:
            return self.attempt(state, h, before)
        except EvaluationError as error:
            return self.failed(StepStatus.REFUSED, 0, str(error))
        except SingularError as error:
            return self.failed(StepStatus.SINGULAR, 0, str(error))

    def failed(self, status: StepStatus, iterations: int, message: str = "") -> StepResult:
        """The result of an attempt that failed."""
        self.drop()
        return StepResult(None, math.inf, iterations, status, message, factor=self.retreat)

    def longest(self, state: StepState) -> float:
        """Largest step that may be tried from a state: no body turns too far for its turns to be counted.

        Nor does a shape of contacts that are searched fly through another one.
        """
        dyn = self.dynamics
        rate = largest_turn(state.v, dyn.n_linear, dyn.angles_of_bodies)
        longest = TURN / rate if rate > 0.0 else math.inf
        if dyn.candidates is None:
            return longest
        dyn.place(State(state.q, state.v, state.a, state.lam))
        return min(longest, dyn.candidates.longest())

    def between(self, old: StepState, new: StepState) -> Callable[[float], StepState]:
        """The states within an accepted step, by time, from the two states alone, both of which it meets.

        Cubic Hermite interpolation.
        """
        return Interpolant(old, new, self.dynamics.n_linear)

    @property
    def solves(self) -> Solves | None:
        """Finds a and lam at a state that `between` has found, from (t, q, v), with turns and held values as they are.

        For schemes whose steps are so long beside their errors that multipliers in between cannot be told from those
        of both ends. None where `between` has them.
        """
        return None
