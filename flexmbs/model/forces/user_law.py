"""A user's Python function as the law of a scalar force."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from flexmbs.core.checks import as_array, as_number, show
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.user_functions import called, check_arguments

__all__ = ["Derivatives", "ForceFunction", "UserLaw", "user_law"]

ForceFunction = Callable[[float, float, float], float]
"""(coordinate, rate, t) -> force or torque."""

Derivatives = Callable[[float, float, float], Sequence[float]]
"""(coordinate, rate, t) -> (dF/dcoordinate, dF/drate)."""

STEP = 3e-7
"""Step of the differences, relative to the larger of the argument and its size: the model's length, or 1 rad."""

USER_ERRORS = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""What a user's function may raise; told with the arguments it was called with."""


@dataclass(frozen=True, eq=False)
class UserLaw:
    """F(s, sdot, t) of a Python function and its derivatives, given or by central differences."""

    owner: str
    function: ForceFunction
    derivatives: Derivatives | None = None
    sign: float = 1.0
    unit: str = "angle"
    """Of the coordinate, as `flexmbs.kernels.rows.rows.RowKind.unit`."""
    size: float = 1.0
    """What the coordinate counts by, and its rate times one unit of time."""

    def of_unit(self, unit: str) -> UserLaw:
        """The same of a coordinate of this unit."""
        return replace(self, unit=unit)

    def in_model(self, length: float) -> UserLaw:
        """The same in a model of a length."""
        return replace(self, size=size_of(self.unit, length))

    @property
    def report(self) -> str:
        """How the derivatives are obtained."""
        return "derivatives given" if self.derivatives is not None else "derivatives by central differences"

    def __call__(self, s: float, sdot: float, t: float) -> tuple[float, float, float, float]:
        force = self._value(s, sdot, t)
        if self.derivatives is None:
            hs, hv = STEP * max(self.size, abs(s)), STEP * max(self.size, abs(sdot))
            by_s = (self._value(s + hs, sdot, t) - self._value(s - hs, sdot, t)) / (2.0 * hs)
            by_rate = (self._value(s, sdot + hv, t) - self._value(s, sdot - hv, t)) / (2.0 * hv)
        else:
            where = f"derivatives({s:g}, {sdot:g}, {t:g})"
            try:
                given = called(self.derivatives, s, sdot, t)
            except FlexmbsError:
                raise
            except USER_ERRORS as error:
                raise _failed(self.owner, where, error) from error
            by_s, by_rate = as_array(self.owner, f"the value of {where}", given, (2,)).tolist()
        return self.sign * force, self.sign * by_s, self.sign * by_rate, 0.0

    def _value(self, s: float, sdot: float, t: float) -> float:
        where = f"force({s:g}, {sdot:g}, {t:g})"
        try:
            value = called(self.function, s, sdot, t)
        except FlexmbsError:
            raise
        except USER_ERRORS as error:
            raise _failed(self.owner, where, error) from error
        return as_number(self.owner, f"the value of {where}", value)


def size_of(unit: str, length: float) -> float:
    """What a coordinate of this unit counts by in a model of a length."""
    return length if unit in ("length", "velocity") else 1.0


def _failed(owner: str, where: str, error: Exception) -> ModelError:
    return ModelError(f"{owner}: {where} failed with {type(error).__name__}: {error}.")


def user_law(owner: str, function: object, derivatives: object, sign: float = 1.0) -> UserLaw:
    """The law of a function (coordinate, rate, t), checked to be callable so."""
    for name, value in (("force", function), ("derivatives", derivatives)):
        if not (callable(value) or (name == "derivatives" and value is None)) or isinstance(value, type):
            raise ModelError(f"{owner}: {name} must be a function of (coordinate, rate, t), not {show(value)}.")
        if value is not None:
            check_arguments(owner, name, value, "(coordinate, rate, t)")
    return UserLaw(owner, cast("ForceFunction", function), cast("Derivatives | None", derivatives), sign)
