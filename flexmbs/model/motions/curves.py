"""Prescribed motions: functions of time with two derivatives, for joints that are driven.

A motion is any object with ``at(t) -> (value, rate, acceleration)``. Those here can also be called like a history of a
load (the value alone) and be added; a time that is not a finite number is refused by a `ModelError`. Two derivatives
are needed because a driven joint prescribes the acceleration; a motion that jumps in its rate would need an infinite
force, and one that jumps in its acceleration shakes what is flexible. Generalized-alpha answers a jump of which it does
not know with accelerations and forces of drivers that swing about the right ones: with the default ``rho_inf=0.9`` by
half of the jump after ten steps, whatever their size. A motion tells its jumps by an attribute ``breaks`` (times), as
`Spline` does and `Function` is told; steps end there, and the scheme starts anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_flag, as_number, as_time, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.joints.contracts import Motion
from flexmbs.model.motions.pieces import Three
from flexmbs.model.motions.values import Counted, for_run

__all__ = ["Constant", "Curve", "Linear", "Ramp", "Sine", "Spline", "Sum"]

SHORTEST = 1e-100
"""Least duration of a ramp [time], whose accelerations are numbers, too."""


class Curve:
    """What all motions here share."""

    def at(self, t: float) -> Three:
        raise NotImplementedError

    def __call__(self, t: float) -> float:
        return self.at(t)[0]

    def __add__(self, other: Motion) -> Sum:
        return Sum(self, other)


@dataclass(frozen=True)
class Constant(Curve):
    """A coordinate that is held.

    Parameters
    ----------
    value : float
        [length or rad]

    Examples
    --------
    >>> Constant(0.3).at(1.0)
    (0.3, 0.0, 0.0)
    """

    value: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_number("Constant", "value", self.value))

    def at(self, t: float) -> Three:
        as_time("Constant", t)
        return self.value, 0.0, 0.0


@dataclass(frozen=True)
class Linear(Curve):
    """A constant rate: start + rate t.

    Parameters
    ----------
    rate : float
        [length/time or rad/time]
    start : float, default 0
        Value at t = 0.

    Examples
    --------
    >>> Linear(2.0, start=1.0).at(0.5)
    (2.0, 2.0, 0.0)
    """

    rate: float
    start: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rate", "start"):
            object.__setattr__(self, name, as_number("Linear", name, getattr(self, name)))

    def at(self, t: float) -> Three:
        return self.start + self.rate * as_time("Linear", t), self.rate, 0.0


@dataclass(frozen=True)
class Sine(Curve):
    """A harmonic motion: offset + amplitude sin(2 pi frequency t + phase).

    Parameters
    ----------
    amplitude : float
        [length or rad]
    frequency : float
        [1/time], not negative.
    phase : float, default 0
        [rad]; pi/2 starts at rest at the crest.
    offset : float, default 0

    Examples
    --------
    >>> value, rate, acceleration = Sine(0.1, frequency=0.5).at(1.0)
    >>> round(value, 12), round(rate / (0.1 * math.pi), 12)
    (0.0, -1.0)
    """

    amplitude: float
    _: KW_ONLY
    frequency: float
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "phase", "offset"):
            object.__setattr__(self, name, as_number("Sine", name, getattr(self, name)))
        object.__setattr__(self, "frequency", as_number("Sine", "frequency", self.frequency, minimum=0.0))

    def at(self, t: float) -> Three:
        w, t = 2.0 * math.pi * self.frequency, as_time("Sine", t)
        s, c = self.amplitude * math.sin(w * t + self.phase), self.amplitude * math.cos(w * t + self.phase)
        return self.offset + s, w * c, -w * w * s


@dataclass(frozen=True)
class Ramp(Curve):
    """A smooth step: from ``start`` to ``end`` by the polynomial of fifth order, with rest and no acceleration at both.

    With x = (t - begin) / duration the value is start + (end - start) (10 x^3 - 15 x^4 + 6 x^5). The largest rate is
    15/8 (end - start) / duration, the largest acceleration 10/sqrt(3) (end - start) / duration^2.

    Parameters
    ----------
    start, end : float
        [length or rad]
    duration : float
        [time], positive.
    begin : float, default 0
        [time]

    Examples
    --------
    >>> Ramp(0.0, 1.0, duration=2.0).at(1.0)
    (0.5, 0.9375, 0.0)
    """

    start: float
    end: float
    duration: float
    begin: float = 0.0

    def __post_init__(self) -> None:
        for name in ("start", "end", "begin"):
            object.__setattr__(self, name, as_number("Ramp", name, getattr(self, name)))
        object.__setattr__(
            self, "duration", as_number("Ramp", "duration", self.duration, minimum=SHORTEST, unit="time")
        )

    @property
    def breaks(self) -> tuple[float, float]:
        """Times at which its third derivative jumps."""
        return self.begin, self.begin + self.duration

    def at(self, t: float) -> Three:
        x = min(max((as_time("Ramp", t) - self.begin) / self.duration, 0.0), 1.0)
        rise = self.end - self.start
        return (
            self.start + rise * x**3 * (10.0 - 15.0 * x + 6.0 * x * x),
            rise * 30.0 * (x * (1.0 - x)) ** 2 / self.duration,
            rise * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / self.duration**2,
        )


@dataclass(frozen=True, eq=False)
class Spline(Curve):
    """A smooth curve through the points of a table, with continuous second derivative; straight on beyond its ends.

    Parameters
    ----------
    times : (n,) sequence
        Ascending [time], at least two.
    values : (n,) sequence
        [length or rad]
    degree : 5 or 3, default 5
        Quintic or cubic.
    clamped : bool, default True
        Whether it rests at both ends (rate zero, with degree 5 also the acceleration), constant beyond. With False
        the acceleration is zero at both ends (with degree 5 also its rate), and beyond it goes on at constant rate.

    Raises
    ------
    ModelError
        If the lengths differ, a number is not finite, or the times do not ascend.

    Notes
    -----
    Limit: a clamped cubic jumps in its acceleration at both ends. A spline overshoots where the table has a kink.

    Examples
    --------
    >>> lift = Spline((0.0, 0.5, 1.0), (0.0, 0.2, 0.1))
    >>> [round(x, 9) for x in lift.at(2.0)]
    [0.1, 0.0, 0.0]
    """

    times: Sequence[float] | FloatArray
    values: Sequence[float] | FloatArray
    degree: int = 5
    clamped: bool = True
    _curves: tuple[Any, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        times = as_array("Spline", "times", self.times, (None,), unit="time")
        values = as_array("Spline", "values", self.values, (len(times),))
        if len(times) < 2 or np.any(np.diff(times) <= 0.0):
            raise ModelError(f"Spline: times must ascend and there must be at least two, not {show(times.tolist())}.")
        if isinstance(self.degree, bool) or self.degree not in (3, 5):
            raise ModelError(f"Spline: degree must be 3 or 5, not {show(self.degree)}.")
        first = 1 if as_flag("Spline", "clamped", self.clamped) else 2
        ends = [(first, 0.0)] if self.degree == 3 else [(first, 0.0), (first + 1, 0.0)]
        from scipy.interpolate import make_interp_spline  # slow to import, seldom needed

        curve = make_interp_spline(times, values, k=self.degree, bc_type=(ends, ends))
        object.__setattr__(self, "times", frozen_copy(times))
        object.__setattr__(self, "values", frozen_copy(values))
        object.__setattr__(self, "_curves", (curve, curve.derivative(1), curve.derivative(2)))

    @property
    def breaks(self) -> tuple[float, float]:
        """Times at which it ends, and with it one of its derivatives."""
        return float(self.times[0]), float(self.times[-1])

    def at(self, t: float) -> Three:
        t = as_time("Spline", t)
        inside = min(max(t, float(self.times[0])), float(self.times[-1]))
        value, rate, acceleration = (float(curve(inside)) for curve in self._curves)
        if inside != t:
            return value + rate * (t - inside), rate, 0.0
        return value, rate, acceleration


@dataclass(frozen=True, eq=False, init=False)
class Sum(Curve):
    """Several motions added up; ``a + b`` of two motions is one.

    Examples
    --------
    >>> (Linear(2.0) + Constant(1.0)).at(3.0)
    (7.0, 2.0, 0.0)
    """

    terms: tuple[Motion, ...]

    def __init__(self, *terms: Motion) -> None:
        for term in terms:
            if isinstance(term, type) or not callable(getattr(term, "at", None)):
                raise ModelError(f"Sum: every term must be a motion such as Sine(...), not {show(term)}.")
        object.__setattr__(self, "terms", terms)

    def in_run(self, counted: Counted) -> Motion:
        """The sum of the terms as a run evaluates them."""
        return Sum(*(for_run(term, counted) for term in self.terms))

    @property
    def breaks(self) -> tuple[float, ...] | None:
        """Times at which one of its derivatives jumps; None where a term does not tell its own."""
        found: set[float] = set()
        for term in self.terms:
            own = () if isinstance(term, Constant | Linear | Sine) else getattr(term, "breaks", None)
            if own is None:
                return None
            found |= {float(t) for t in own}
        return tuple(sorted(found))

    def at(self, t: float) -> Three:
        t = as_time("Sum", t)
        parts = [term.at(t) for term in self.terms]
        return sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts)
