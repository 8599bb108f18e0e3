"""Calls of what a user wrote: whatever goes wrong is told with the name of the object and the time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_name, is_among, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError, ModelError, a_or_an
from flexmbs.core.user_functions import called, check_arguments
from flexmbs.model.forces.user_law import USER_ERRORS

__all__ = ["as_function", "as_values", "call", "called_name", "copies", "joint_coordinate", "name_of", "only_label"]

FLOAT = np.dtype(np.float64)
FEW = 50
"""Values in an array whose check is written for speed."""
ERRORS = (*USER_ERRORS, AssertionError, RuntimeError, OSError)
"""What a function of a user may raise."""


def call(owner: str, what: str, function: Callable[..., Any], *arguments: object) -> Any:
    """The result of ``function``; its failure is told as "owner: what failed with ..."."""
    try:
        return called(function, *arguments)
    except ModelError as error:
        raise ModelError(f"{owner}: {what}: {error}") from error
    except FlexmbsError:
        raise
    except ERRORS as error:
        raise ModelError(f"{owner}: {what} failed with {type(error).__name__}: {error}.") from error


def as_values(owner: str, what: str, value: object, count: int) -> FloatArray:
    """A new array (count,) of finite numbers; for a count of 1 a single number will do."""
    if type(value) is np.ndarray:
        if value.dtype == FLOAT and value.shape == (count,) and count <= FEW:  # as most are, at every sample
            for number in value.tolist():  # faster than what numpy does with few
                if not math.isfinite(number):
                    break
            else:
                return value.copy()
    elif count == 1 and isinstance(value, float) and math.isfinite(value):
        return np.array([value])
    if value is None:
        raise ModelError(f"{owner}: {what} is None; does the function lack its return?")
    if count == 1 and not shape_of(value):
        value = [value]
    return as_array(owner, what, value, (count,))


def as_function(owner: str, name: str, value: object, signature: str) -> Callable[..., Any]:
    """Something that can be called with these arguments, and is not a class."""
    if not callable(value) or isinstance(value, type):
        raise ModelError(f"{owner}: {name} must be a function of {signature}, not {show(value)}.")
    check_arguments(owner, name, value, signature)
    return value


def called_name(owner: str, what: str, value: object) -> str:
    """A name that is given as a string or by the object that has it."""
    found = value if isinstance(value, str) else getattr(value, "name", None)
    if not isinstance(found, str) or not found.strip() or isinstance(value, type):
        raise ModelError(f"{owner}: {what} must be {a_or_an(what)} of the model or its name, not {show(value)}.")
    return found


def name_of(value: Any) -> str:
    """The name that a string is, or that an object has; `called_name` has checked it."""
    return value if isinstance(value, str) else str(value.name)


def joint_coordinate(owner: str, joint: object, label: str) -> tuple[str, str]:
    """Name of a joint, and the label of one of its coordinates; checked where the joint itself is given.

    Where only its name is given and no label, the label is empty: `only_label` finds it when the model is known.
    """
    name = called_name(owner, "joint", joint)
    if isinstance(joint, str):
        return name, "" if isinstance(label, str) and not label else as_name(owner, "label", label)
    known = list(getattr(joint, "coordinates", ()))
    if isinstance(label, str) and not label and len(known) == 1:
        return name, str(known[0])
    if not is_among(label, known):
        has = f"has the coordinates {', '.join(known)}" if known else "leaves no coordinate that could be used"
        raise ModelError(f"{owner}: label is {show(label)}, but joint {name!r} {has}.")
    return name, label


def only_label(joint: Any, label: str) -> str:
    """The label as it is given; of an empty one the joint's only coordinate, or the angle of several."""
    offered = getattr(joint, "coordinates", {})
    return label or (next(iter(offered)) if len(offered) == 1 else "angle")


def copies(*arrays: Any) -> tuple[FloatArray, ...]:
    """What a user's function gets, which may write to it: some libraries refuse arrays that cannot be written to."""
    return tuple(np.array(array, dtype=np.float64) for array in arrays)
