"""How a load or a prescribed motion varies with time, or with the load factor of a static analysis.

A history is None, a `Table` or any function of one number. None means: grow in proportion to the load factor in a
static analysis, and stay at full value in time. A function may have an attribute ``breaks``, times at which it or one
of its derivatives jumps: steps of simulations end there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from flexmbs.core.checks import as_array, as_number, as_time, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError, ModelError

__all__ = ["Constant", "History", "Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """Straight lines between points, constant outside.

    Parameters
    ----------
    times : (n,) sequence
        Ascending times [time] or load factors [-].
    values : (n,) sequence
        Factors at these.

    Raises
    ------
    ModelError
        If the lengths differ, a number is not finite, or the times do not ascend; when it is called, if the time is
        not a finite number.

    Examples
    --------
    >>> Table((0.0, 0.5, 1.0), (0.0, 1.0, 1.0))(0.25)
    0.5
    """

    times: Sequence[float] | FloatArray
    values: Sequence[float] | FloatArray

    def __post_init__(self) -> None:
        times = as_array("Table", "times", self.times, (None,))
        values = as_array("Table", "values", self.values, (len(times),))
        if not len(times) or np.any(np.diff(times) <= 0.0):
            raise ModelError(f"Table: times must ascend and there must be at least one, not {show(times.tolist())}.")
        object.__setattr__(self, "times", frozen_copy(times))
        object.__setattr__(self, "values", frozen_copy(values))

    @property
    def breaks(self) -> FloatArray:
        """Times at which its rate jumps."""
        return np.asarray(self.times)

    def __call__(self, t: float) -> float:
        return float(np.interp(as_time("Table", t), self.times, self.values))


@dataclass(frozen=True)
class Constant:
    """The same factor at all times: a load that is there from the start of a static analysis.

    Examples
    --------
    >>> Constant()(0.3)
    1.0
    """

    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_number("Constant", "value", self.value))

    def __call__(self, t: float) -> float:
        as_time("Constant", t)
        return self.value


History: TypeAlias = Callable[[float], float] | None


def check_history(owner: str, history: object, **loads: object) -> None:
    """Refuse a history that cannot be called, and numbers of a load that are a function themselves."""
    for name, value in loads.items():
        if callable(value):
            raise ModelError(
                f"{owner}: {name} must be numbers, not a function. What varies with time is its factor, "
                f"history=function; for several directions take a load for each, or a UserForce."
            )
    if history is not None and (not callable(history) or history in (Constant, Table)):
        raise ModelError(
            f"{owner}: history must be a function of time such as Table(...), or None, not {show(history)}."
        )


def value_at(owner: str, history: History, t: float, default: float) -> float:
    """The factor at t; ``default`` where there is no history."""
    if history is None:
        return default
    try:
        value = history(t)
    except FlexmbsError:
        raise
    except (
        ArithmeticError, AssertionError, AttributeError, LookupError, NameError, OSError, RuntimeError, TypeError,
        ValueError,
    ) as error:  # fmt: skip
        raise ModelError(f"{owner}: history({t:g}) failed with {type(error).__name__}: {error}.") from error
    return as_number(owner, f"the value of history({t:g})", value)
