"""What is read off every run: a number, or numbers along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.checks import as_name, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.studies.digest import source_digest

__all__ = ["History", "Measure"]


@dataclass(frozen=True)
class Measure:
    """A number of every run.

    Parameters
    ----------
    name : str
    value : callable
        Takes the result of the analysis and returns a number.
    unit : str
        A label.

    Examples
    --------
    >>> import numpy as np
    >>> import flexmbs as fx
    >>> height = fx.studies.Measure("lowest point", lambda run: run.position("bob")[:, 2].min(), unit="m")
    """

    name: str
    value: Callable[[Any], float]
    unit: str = ""

    def __post_init__(self) -> None:
        _check(self, self.value)

    def of(self, result: Any) -> float:
        """The number of one result.

        Raises
        ------
        ModelError
            If the function returns something else.
        """
        found = np.asarray(self.value(result))
        if found.size != 1 or found.dtype.kind not in "bif":
            raise ModelError(f"Measure {self.name!r}: its function must return a number, but returned {show(found)}.")
        return float(found.ravel()[0])


@dataclass(frozen=True)
class History:
    """Numbers along every run: one per stored time, load factor or mode.

    Parameters
    ----------
    name : str
    values : callable
        Takes the result of the analysis and returns an array (n,), n the number of stored states.
    unit : str
        A label.
    """

    name: str
    values: Callable[[Any], Any]
    unit: str = ""

    def __post_init__(self) -> None:
        _check(self, self.values)

    def of(self, result: Any, count: int) -> FloatArray:
        """The numbers of one result, which has ``count`` states.

        Raises
        ------
        ModelError
            If the function returns something else.
        """
        found = np.asarray(self.values(result))
        if found.shape != (count,) or found.dtype.kind not in "bif":
            raise ModelError(
                f"History {self.name!r}: its function must return an array ({count},), one number per stored state, "
                f"but returned {show(found)} of shape {found.shape}."
            )
        return found.astype(np.float64)


def described(item: Measure | History) -> list[str]:
    """Name, unit and digest of the function: what tells measures apart."""
    function = item.value if isinstance(item, Measure) else item.values
    return [type(item).__name__, item.name, item.unit, source_digest(function)]


def _check(item: Measure | History, function: Any) -> None:
    owner = type(item).__name__
    as_name(owner, "name", item.name)
    if "/" in item.name or "\0" in item.name or not item.name.strip("."):
        raise ModelError(f"{owner} {item.name!r}: a name has no '/', which separates groups of a file, and is not '.'.")
    if not callable(function):
        raise ModelError(f"{owner} {item.name!r}: expected a function of the result, not {show(function)}.")
    if not isinstance(item.unit, str):
        raise ModelError(f"{owner} {item.name!r}: unit must be a word, not {show(item.unit)}.")
