"""Set points: numbers, functions of time, motions, or one of these per component."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.control.calling import as_values, call
from flexmbs.model.joints.contracts import Motion

__all__ = ["Reference", "References", "as_references", "is_steady", "reference_at", "reference_rate"]

Reference = float | Callable[[float], float] | Motion
"""A number, a function of time such as a `Table` or a noise, or a motion with ``at(t)``."""

References = Reference | Sequence[Reference]
"""One for all components, or one for each."""


def as_references(
    owner: str, value: object, size: int, name: str = "reference", each: str = "reading"
) -> tuple[Reference, ...]:
    """One reference for each of ``size`` components; a single number or function stands for all.

    ``name`` of the argument, and what has ``each`` of its components, for messages.
    """
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(np.asarray(value, dtype=object)) > 0:
        if len(value) != size:
            raise ModelError(f"{owner}: {name} must have {size} components, one for each {each}, not {len(value)}.")
        return tuple(_as_reference(owner, part, name) for part in value)
    return (_as_reference(owner, value, name),) * size


def reference_at(owner: str, references: tuple[Reference, ...], t: float) -> FloatArray:
    """Their values (size,) at time t."""
    what = f"the reference at t = {t:g}"
    return as_values(owner, what, [call(owner, what, _value, part, t) for part in references], len(references))


def reference_rate(owner: str, reference: Reference, t: float) -> float:
    """The rate of a motion; zero for numbers and functions."""
    if not _is_motion(reference):
        return 0.0
    what = f"the rate of the reference at t = {t:g}"
    return as_number(owner, what, call(owner, what, reference.at, t)[1])  # type: ignore[union-attr]


def is_steady(references: tuple[Reference, ...]) -> bool:
    """Whether they are numbers, the same at all times."""
    return all(isinstance(part, float) for part in references)


def _as_reference(owner: str, value: Any, name: str) -> Reference:
    """A number, a function or a motion, checked."""
    if not isinstance(value, type) and (_is_motion(value) or callable(value)):
        return value  # type: ignore[no-any-return]
    try:
        return as_number(owner, name, value)
    except ModelError:
        raise ModelError(
            f"{owner}: {name} must be a number, a function of time or a motion such as flexmbs.motions.Ramp(...), or a "
            f"sequence of these, not {show(value)}."
        ) from None


def _is_motion(value: object) -> bool:
    return callable(getattr(value, "at", None))


def _value(reference: Reference, t: float) -> Any:
    if _is_motion(reference):
        return reference.at(t)[0]  # type: ignore[union-attr]
    return reference(t) if callable(reference) else reference
