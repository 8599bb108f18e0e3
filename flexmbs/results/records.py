"""What an analysis notes on its way: iterations of a static analysis, events of a motion."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Happened", "Iteration"]


class Iteration(NamedTuple):
    """A row of the history: load factor, number, energy, size, residual and its floor, step length."""

    parameter: float
    number: int
    energy: float
    size: float
    residual: float
    floor: float
    length: float


class Happened(NamedTuple):
    """An event, its time, and the state of the system there before its action; None where a file does not have it."""

    name: str
    t: float
    state: Any = None

    def __repr__(self) -> str:
        return f"Happened(name={self.name!r}, t={self.t!r})"
