"""How often a run has called the functions of users, and how long that took, by the names of their items."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

__all__ = ["UserCalls", "of_the_package"]


def of_the_package(item: object) -> bool:
    """Whether an object is of a class that comes with flexmbs: kernels do not know what one derived from it does."""
    return type(item).__module__.partition(".")[0] == "flexmbs"


class UserCalls:
    """Calls and seconds by name.

    Examples
    --------
    >>> calls = UserCalls()
    >>> road = calls.counted("road", lambda t: 2.0 * t)
    >>> road(1.0) + road(2.0), calls.numbers["road"]
    (6.0, 2)
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.seconds: dict[str, float] = {}

    def add(self, name: str, began: float) -> None:
        """A call that began at a time of `time.perf_counter`, and has just ended."""
        self.numbers[name] = self.numbers.get(name, 0) + 1
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - began

    def counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose calls are counted."""

        def call(*arguments: Any) -> Any:
            began = perf_counter()
            try:
                return function(*arguments)
            finally:
                self.add(name, began)

        return call
