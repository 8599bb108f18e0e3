"""What a driver of compiled steps is told of a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from flexmbs.integrators.contracts import StepState

__all__ = ["Form"]


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
    between : callable, optional
        ``between(old, new, n_linear)(t)``: the states within a step; left out, cubic Hermite interpolation.
    """

    module: ClassVar[ModuleType]
    written: ClassVar[tuple[str, ...]]
    exponent: float
    nodes: tuple[float, ...]
    between: Callable[[StepState, StepState, int], Callable[[float], StepState]] | None = None

    def hindrance(self) -> str:
        """What of scheme and system prevents a driver; empty if nothing does."""
        raise NotImplementedError

    def table(self) -> Any:
        """Numbers, choices and arrays of the operations, beside those of all schemes: a flat NamedTuple."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Before a call: makes what it expects to be there; whether it can be made."""
        return True
