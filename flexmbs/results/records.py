"""What an analysis notes on its way: iterations of a static analysis, events of a motion."""

from __future__ import annotations

from typing import NamedTuple

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
    """An event and its time."""

    name: str
    t: float
