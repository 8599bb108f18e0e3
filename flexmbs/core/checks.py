"""Checks at the border: turn what a user passes into clean numbers and arrays, or say what is wrong with it.

Every function takes the ``owner`` (the object being described, in words) and the ``name`` of the argument, and raises
`flexmbs.core.errors.ModelError` with the value, what was expected and, where it can be told, what to do.
"""

from __future__ import annotations

import math
import numbers
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.errors import ModelError, UnitsWarning
from flexmbs.core.field_terms import meant

__all__ = [
    "MOST",
    "as_angle",
    "as_array",
    "as_count",
    "as_counts",
    "as_direction",
    "as_flag",
    "as_limits",
    "as_name",
    "as_names",
    "as_number",
    "as_path",
    "as_turns",
    "frozen_copy",
    "has_shape",
    "is_among",
    "is_list",
    "shape_of",
    "show",
]


def show(value: object, limit: int = 80) -> str:
    """A short, one-line picture of a value for an error message."""
    own = is_dataclass(value) and type(value).__str__ is not object.__str__ and not isinstance(value, type)
    text = " ".join((str(value) if own else repr(value)).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


DEGREES = 10.0
"""From here on a whole number of radians is more likely one of degrees: a turn count is a multiple of 2 pi."""


def as_number(
    owner: str,
    name: str,
    value: object,
    *,
    minimum: float | None = None,
    above: float | None = None,
    maximum: float | None = None,
    below: float | None = None,
    unit: str = "",
) -> float:
    """A finite real number within bounds (``minimum`` and ``maximum`` included, ``above`` and ``below`` excluded)."""
    if type(value) is float and math.isfinite(value):  # as most: nothing to be put into words
        low = (minimum is None or value >= minimum) and (above is None or value > above)
        if low and (maximum is None or value <= maximum) and (below is None or value < below):
            return value
    unit = f" [{unit}]" if unit else ""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise ModelError(f"{owner}: {name} must be a number{unit}, not {show(value)}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ModelError(f"{owner}: {name} must be finite{unit}, not {number}.")
    rules = (
        (minimum is not None and number < minimum, f"at least {minimum}"),
        (above is not None and number <= above, f"greater than {above}"),
        (maximum is not None and number > maximum, f"at most {maximum}"),
        (below is not None and number >= below, f"less than {below}"),
    )
    for broken, wanted in rules:
        if broken:
            raise ModelError(f"{owner}: {name} must be {wanted}{unit}, not {number:g}.")
    return number


def as_time(owner: str, value: object, name: str = "t") -> float:
    """A finite number at which a curve is asked for; runs ask often, with numbers of Python, which pass at once."""
    if isinstance(value, float) and -math.inf < value < math.inf:
        return value
    return as_number(owner, name, value)


def as_places(owner: str, name: str, value: object) -> NDArray[np.float64]:
    """Finite numbers of any shape at which a curve is asked for."""
    return as_array(owner, name, value, (None,) * np.ndim(np.asarray(value, dtype=object)))


MOST = 10_000_000
"""No description needs more of anything; a larger number would only exhaust the memory."""


def as_angle(owner: str, name: str, value: object) -> float:
    """An angle [rad] of a turn at most: where nobody means more turns, more are degrees."""
    angle = as_number(owner, name, value, unit="rad")
    if abs(angle) > math.tau + 1e-9:
        raise ModelError(
            f"{owner}: {name} is in radians, and {angle:g} rad are more than a turn; {angle:g} degrees are "
            f"{math.radians(angle):.6g} rad (np.radians)."
        )
    return angle


def as_turns(owner: str, name: str, value: object) -> float:
    """An angle [rad] that may be many turns: 10 and more in whole or half numbers look like degrees, which is told."""
    angle = as_number(owner, name, value, unit="rad")
    if abs(angle) >= DEGREES and (2.0 * angle).is_integer():
        warn_user(
            f"{owner}: {name} is in radians, and {angle:g} rad are {angle / math.tau:.3g} turns. Is it in degrees? "
            f"{angle:g} degrees are {math.radians(angle):.6g} rad (np.radians).",
            UnitsWarning,
        )
    return angle


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user, who called the package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("flexmbs", "numba"):
        frame = frame.f_back
    warnings.warn_explicit(
        message, category, frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )  # fmt: skip


def as_count(owner: str, name: str, value: object, *, minimum: int = 0) -> int:
    """A whole number, at least ``minimum`` and at most `MOST`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise ModelError(f"{owner}: {name} must be a whole number, not {show(value)}.")
    if int(value) < minimum:
        raise ModelError(f"{owner}: {name} must be at least {minimum}, not {int(value)}.")
    if int(value) > MOST:
        raise ModelError(f"{owner}: {name} must be at most {MOST}, not {int(value)}.")
    return int(value)


def as_counts(owner: str, name: str, value: object, *, minimum: int = 0) -> NDArray[np.int64]:
    """Whole numbers (n,), of a list of them or of one; fractions, words and truth values are none."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i":
        whole = value.astype(np.int64)
        if whole.min(initial=minimum) >= minimum:
            return whole
    given = value if is_list(value) and not isinstance(value, str | bytes) else [value]
    return np.array([as_count(owner, name, n, minimum=minimum) for n in given], dtype=np.int64)


def as_flag(owner: str, name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{owner}: {name} must be True or False, not {show(value)}.")
    return bool(value)


def as_array(
    owner: str, name: str, value: object, shape: tuple[int | None, ...], *, unit: str = ""
) -> NDArray[np.float64]:
    """A new C-contiguous float64 array of the given shape (``None``: any length), every entry finite."""
    if isinstance(value, tuple | list) and len(shape) == 1 and shape[0] in (None, len(value)) and _all_finite(value):
        return np.array(value, dtype=np.float64)
    unit = f" [{unit}]" if unit else ""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "iufO":
            raise TypeError
        array = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{owner}: {name} must be an array of numbers of shape {_wanted(shape)}{unit}, not {show(value)}."
        ) from None
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise ModelError(f"{owner}: {name} must have shape {_wanted(shape)}{unit}, not {array.shape}.")
    if not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        where = f"entry {index if len(index) > 1 else index[0]}" if index else "it"
        raise ModelError(f"{owner}: {name} must be finite{unit}, but {where} is {array[index]}.")
    return array


def as_limits(owner: str, value: object) -> tuple[float, float]:
    """A pair (smallest, largest), of which either may be infinite."""
    given = value if isinstance(value, tuple | list | np.ndarray) else ()
    if len(given) != 2 or any(isinstance(x, bool) or not isinstance(x, int | float | np.number) for x in given):
        raise ModelError(f"{owner}: limits must be two numbers (smallest, largest), not {show(value)}.")
    low, high = float(given[0]), float(given[1])
    if not low < high:
        raise ModelError(f"{owner}: limits must be (smallest, largest), not ({low:g}, {high:g}).")
    return low, high


def _all_finite(values: Iterable[Any]) -> bool:
    """Whether these are finite floats or moderate whole numbers of Python, as most of what is given is."""
    return all(
        (type(x) is float and math.isfinite(x)) or (type(x) is int and -_LARGE < x < _LARGE) for x in values
    )  # fmt: skip


_LARGE = 2**53


def _wanted(shape: tuple[int | None, ...]) -> str:
    """A shape in words."""
    if not shape:
        return "() of a single number"
    return "(" + ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def is_list(value: object, length: int | None = None) -> TypeGuard[Sequence[Any]]:
    """Whether something is a sequence or an array that has a length, and this one; an array without axes has none."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and length in (None, len(value))
    return isinstance(value, Sequence) and length in (None, len(value))


def has_shape(value: object, shape: tuple[int, ...]) -> bool:
    """Whether something is a sequence or an array of this shape; ragged lists have none."""
    if isinstance(value, np.ndarray):
        return bool(value.shape == shape)
    if not isinstance(value, tuple | list):
        return False
    if all(type(x) is float or type(x) is int for x in value):
        return shape == (len(value),)
    try:
        return np.shape(value) == shape
    except ValueError:
        return False


def shape_of(value: object) -> tuple[int, ...]:
    """The shape of what is given; of a ragged list that of the list alone, whose entries then are refused.

    Empty for an object, also one with a ``shape`` of another meaning, such as a body.
    """
    try:
        return tuple(np.shape(value))  # type: ignore[call-overload]
    except ValueError:
        return (len(value),)  # type: ignore[arg-type]
    except TypeError:
        return ()


def as_direction(owner: str, name: str, value: object, dim: int) -> NDArray[np.float64]:
    """A unit vector of ``dim`` components along ``value``."""
    word = meant("axis", value)
    if word:
        raise ModelError(f"{owner}: {name} must be a vector of {dim} components.{word}")
    vector = as_array(owner, name, value, (dim,))
    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        raise ModelError(f"{owner}: {name} must not be the zero vector; give a direction such as (1, 0).")
    vector /= largest  # first, so that the norm neither overflows nor vanishes
    return np.asarray(vector / np.linalg.norm(vector))


def as_name(owner: str, name: str, value: object) -> str:
    """A non-empty string."""
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"{owner}: {name} must be a non-empty string, not {show(value)}.")
    return value


def as_names(owner: str, name: str, value: object) -> tuple[str, ...]:
    """Names, of one or of several."""
    given = value if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping) else [value]
    return tuple(as_name(owner, f"each of {name}", item) for item in given)


def as_path(owner: str, name: str, value: object) -> Path:
    """A path, of a string or of a path."""
    if not isinstance(value, str | PathLike):
        raise ModelError(f"{owner}: {name} must be a string or a path, not {show(value)}.")
    return Path(value)


def is_among(value: object, names: Iterable[str]) -> TypeGuard[str]:
    """Whether something is one of some names; arrays and lists of names are none."""
    return isinstance(value, str) and value in names


def frozen_copy(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only C-contiguous copy, for the fields of frozen descriptions."""
    copy = np.array(array, order="C", copy=True)
    copy.setflags(write=False)
    return copy


def write_protected(*arrays: NDArray[Any]) -> None:
    """Forbid writing to arrays that all share. Only where no kernel takes them: it would be compiled a second time."""
    for array in arrays:
        array.setflags(write=False)
