"""The motion of a drive with a largest rate and a largest acceleration."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.core.checks import as_number, as_time
from flexmbs.core.errors import ModelError
from flexmbs.model.motions.curves import Curve
from flexmbs.model.motions.pieces import Three

__all__ = ["Trapezoid"]


@dataclass(frozen=True)
class Trapezoid(Curve):
    r"""From ``start`` to ``end`` as fast as a largest rate and acceleration allow: a trapezoidal profile of rates.

    The acceleration is a, zero and -a: with the way :math:`s = |end - start|` it lasts :math:`t_a = \dot s / a` where
    the rate is reached, and :math:`t_a = \sqrt{s / a}` where :math:`s < \dot s^2 / a` (a triangle); the whole takes
    :math:`s / (a t_a) + t_a`. It rests before and behind.

    Parameters
    ----------
    start, end : float
        [length or rad]
    rate : float
        Largest rate [length/time or rad/time], positive.
    acceleration : float
        The acceleration, positive.
    begin : float, default 0
        [time]

    Raises
    ------
    ModelError
        If a number, or the time that it takes, is not finite, or rate or acceleration not positive.

    Notes
    -----
    At a jump the acceleration is the one behind it, so that a run may begin there. Limit: it jumps four times, at
    ``breaks``, where steps end and schemes start anew; that shakes what is flexible. `Ramp` and a quintic `Spline` do
    not.

    Examples
    --------
    >>> move = Trapezoid(0.0, 3.0, rate=1.0, acceleration=2.0)
    >>> move.duration, move.at(1.75), move.breaks
    (3.5, (1.5, 1.0, 0.0), (0.0, 0.5, 3.0, 3.5))
    """

    start: float
    end: float
    rate: float
    acceleration: float
    begin: float = 0.0

    def __post_init__(self) -> None:
        for name in ("start", "end", "begin"):
            object.__setattr__(self, name, as_number("Trapezoid", name, getattr(self, name)))
        for name in ("rate", "acceleration"):
            object.__setattr__(self, name, as_number("Trapezoid", name, getattr(self, name), above=0.0))
        if not math.isfinite(self.duration):
            raise ModelError(
                f"Trapezoid: from {self.start:g} to {self.end:g} with rate {self.rate:g} and acceleration "
                f"{self.acceleration:g} takes no finite time; check the numbers."
            )

    @property
    def duration(self) -> float:
        """Of the whole motion [time]."""
        return self._phases[0] + self._phases[1]

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which the acceleration jumps."""
        first, second = self._phases
        return tuple(sorted({self.begin + t for t in (0.0, first, second, first + second)}))

    @property
    def _phases(self) -> tuple[float, float]:
        """When the acceleration ends, and when the opposite one begins, after the begin."""
        way = abs(self.end - self.start)
        first = min(self.rate / self.acceleration, math.sqrt(way / self.acceleration))
        most = self.acceleration * first
        return (first, way / most) if most > 0.0 else (0.0, 0.0)

    def at(self, t: float) -> Three:
        first, second = self._phases
        since = as_time("Trapezoid", t) - self.begin
        left = first + second - since
        if since < 0.0:
            return self.start, 0.0, 0.0
        if left <= 0.0:
            return self.end, 0.0, 0.0
        a = math.copysign(self.acceleration, self.end - self.start)
        if since < first:
            return self.start + 0.5 * a * since * since, a * since, a
        if since < second:
            return self.start + a * first * (since - 0.5 * first), a * first, 0.0
        return self.end - 0.5 * a * left * left, a * left, -a
