"""How loads and prescribed motions of supports depend on the load factor of a static analysis."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.history import Constant, Table, value_at
from flexmbs.system.system import System

__all__ = ["LoadPath"]


class LoadPath:
    """The loads and motions of a system over the load factor s from 0 to 1.

    ``time``: at which histories are evaluated; None where their argument is s.
    """

    def __init__(self, system: System, time: float | None) -> None:
        self._loads, self._fixation = system.model.loads, system.fixation
        self._time = time
        self._histories = [x.history for x in system.model.loads] + [x.history for x in system.fixation.drives]

    def scales(self, s: float) -> FloatArray:
        """Factors of all loads; ``s`` of those without a history."""
        t = s if self._time is None else self._time
        return np.array([value_at(load.label, load.history, t, s) for load in self._loads], dtype=float)

    def drives(self, s: float) -> FloatArray:
        """Factors of all prescribed motions of supports."""
        return self._fixation.drives_at(s if self._time is None else self._time, s)

    @property
    def kinks(self) -> list[float]:
        """Load factors at which a table of a load or of a prescribed motion bends."""
        if self._time is not None:
            return []
        return [float(t) for h in self._histories if isinstance(h, Table) for t in h.times if 0.0 < t < 1.0]

    @property
    def grows(self) -> bool:
        """Whether anything depends on the load factor."""
        return any(h is None or not (self._time is not None or isinstance(h, Constant)) for h in self._histories)
