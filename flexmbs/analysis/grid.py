"""Where steps end: on multiples of a fixed step, at barriers such as sample times, and where step control says."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.step_control import next_end

__all__ = ["Grid"]


class Grid:
    """Ends of the steps: multiples of a fixed step from where it began, not sums of it; barriers are met exactly."""

    def __init__(self, h: float | None, begin: float) -> None:
        self.h, self.begin, self.made = h, begin, 0

    def next(self, t: float, h: float, barrier: float) -> tuple[float, float]:
        """Size and end of the next step from t, at most h; it goes neither past a multiple nor past the barrier.

        Within round-off, 1e-9 of h: so a step that is asked for again with half of its size is smaller.
        """
        if self.h is None:
            return next_end(t, h, barrier)
        multiple = self.begin + (self.made + 1) * self.h
        end = multiple if h >= (multiple - t) * (1.0 - 1e-9) else t + h
        whole = end == multiple and t == self.begin + self.made * self.h
        if end > barrier - 1e-9 * min(h, self.h):
            if whole and end - barrier <= 1e-9 * self.h:
                return self.h, barrier
            return barrier - t, barrier
        return self.h if whole else end - t, end

    def whole(self, t: float, h: float, barrier: float, most: int, meets: bool = False) -> FloatArray:
        """Ends of the next steps from t, at most so many, that all have the fixed size and end before the barrier.

        ``meets``: also the step that ends there, if it has that size.
        """
        if self.h is None or h != self.h or t != self.begin + self.made * self.h:
            return np.empty(0)
        most = int(min(most, max((barrier - t) / self.h, 0.0) + 2.0))
        every: FloatArray = self.begin + np.arange(self.made, self.made + most + 1, dtype=np.float64) * self.h
        ends = every[1:]  # behind t itself
        fits = (ends - every[:-1]) * (1.0 - 1e-9) <= self.h
        before = fits & (ends <= barrier - 1e-9 * self.h)
        if before.all():
            return ends
        n = int(before.argmin())
        if meets and fits[n] and ends[n] - barrier <= 1e-9 * self.h:
            ends[n] = barrier
            n += 1
        return ends[:n]

    def passed(self, ends: FloatArray, barrier: float) -> None:
        """The steps to ``ends``, the first ones that `whole` told, were accepted."""
        self.made += len(ends) - 1
        self.reached(float(ends[-1]), barrier)

    def reached(self, t: float, barrier: float) -> None:
        """A step was accepted that ended at t; the series begins anew at barriers and events between multiples."""
        if self.h is None:
            return
        multiple = self.begin + (self.made + 1) * self.h
        if abs(t - multiple) <= 1e-9 * self.h:
            self.made += 1
            if t != multiple:
                self.begin, self.made = t, 0
        elif t >= barrier:
            self.begin, self.made = t, 0

    def copy(self) -> Grid:
        """The same series, to go along with."""
        other = Grid(self.h, self.begin)
        other.made = self.made
        return other

    def memory(self) -> FloatArray:
        """What `restore` takes."""
        return np.array([self.begin, float(self.made), np.nan if self.h is None else self.h])

    def restore(self, memory: FloatArray | None) -> bool:
        """Continue the series of another run, if it has the same step; whether it has."""
        same = memory is not None and memory[2] == self.h
        if memory is not None and same:
            self.begin, self.made = float(memory[0]), int(memory[1])
        return same
