"""What a driver of compiled steps is told of a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from flexmbs.core.contracts import FloatArray
    from flexmbs.integrators.compiled.step_arrays import StepArrays
    from flexmbs.integrators.contracts import StepState

__all__ = ["Form"]

NOTHING = np.empty(0)


class Form:
    """The steps of one scheme on one system; base of those of all schemes.

    Attributes
    ----------
    module : module
        Holds ``operations``, which are written into the loop over steps, and names ``DECISIONS``, the module whose
        ``advance`` is written into them.
    written : tuple of str
        Which functions of `flexmbs.integrators.compiled.written` its operations call.
    exponent : float
        1 / (order of the local error that the estimate of a step sees).
    nodes : tuple of float
        Times at which a step is evaluated, the end last, as parts of the step.
    kept : tuple of str
        Which of the conditions in `flexmbs.integrators.compiled.inline` hold of the scheme.
    between : callable, optional
        ``between(old, new, n_linear)(t)``: the states within a step; left out, cubic Hermite interpolation.
    """

    module: ClassVar[ModuleType]
    written: ClassVar[tuple[str, ...]]
    kept: ClassVar[tuple[str, ...]] = ()
    exponent: float
    nodes: tuple[float, ...]
    between: Callable[[StepState, StepState, int], Callable[[float], StepState]] | None = None

    def hindrance(self) -> str:
        """What of scheme and system prevents a driver; empty if nothing does."""
        raise NotImplementedError

    def table(self, most: int) -> Any:
        """Numbers, choices and arrays of the operations, beside those of all schemes: a flat NamedTuple.

        ``most``: steps of a call at most.
        """
        raise NotImplementedError

    def further(self) -> dict[str, Any]:
        """More of such tables, by the names that the operations have for them."""
        return {}

    def ready(self) -> bool:
        """Before a call: makes what it expects to be there; whether it can be made."""
        return True

    def several(self, state: StepState, h: float, anew: bool) -> bool:
        """Whether steps of size h can be made in one call from a state; ``anew``: forces have jumped there."""
        return True

    def begin(self, state: StepState, h: float) -> None:
        """Before a call from a state, with a first step of about h: what the scheme remembers, into its table."""

    def made(self, x: StepArrays, n: int) -> None:
        """After a call: n steps were made."""

    def ended(self, x: StepArrays, made: int) -> None:
        """After a call, also one whose last step was not accepted, which Python makes again: ``made`` were."""

    def memory(self, x: StepArrays, row: int) -> FloatArray:
        """What the scheme remembers with the state in a row of the arrays, one of those that the last call made."""
        return NOTHING

    def factor(self) -> float | None:
        """Ratio of the next step, or of the next attempt, to the single one just made; None leaves it to its error."""
        return None
