"""What a run asks of any motion: itself as one run evaluates it, and its value and derivatives at a time, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmbs.core.checks import as_array
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.model.joints.contracts import Motion
from flexmbs.model.motions.pieces import Three

__all__ = ["FAILURES", "Counted", "for_run", "motion_at"]

FAILURES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""What a function of a user may raise."""
Counted = Callable[[Callable[..., Any]], Callable[..., Any]]


def _uncounted(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def for_run(motion: Motion, counted: Counted = _uncounted) -> Motion:
    """A motion as one run evaluates it: what ``in_run`` returns, where it has that, or itself.

    ``counted(function)``: a function of a user whose calls are counted.
    """
    prepared: Callable[[Counted], Motion] | None = getattr(motion, "in_run", None)
    return motion if prepared is None else prepared(counted)


def motion_at(owner: str, motion: Motion, t: float) -> Three:
    """Value, rate and acceleration of any motion, checked; an error names the owner and the time."""
    try:
        found = motion.at(t)
    except FlexmbsError as error:
        raise ModelError(f"{owner}: {error}") from error
    except FAILURES as error:
        raise ModelError(f"{owner}: motion at t = {t:g} failed with {type(error).__name__}: {error}.") from error
    value, rate, acceleration = as_array(owner, f"the motion at t = {t:g}", found, (3,)).tolist()
    return value, rate, acceleration
