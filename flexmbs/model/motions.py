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
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_flag, as_number, as_time, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.differences import Slopes, slopes
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.model.joints.contracts import Motion
from flexmbs.model.motion_pieces import Pieces, Three
from flexmbs.model.motion_values import FAILURES, Counted, for_run

__all__ = ["Constant", "Function", "Linear", "Ramp", "Sine", "Spline", "Sum", "as_motion"]

SHORTEST = 1e-100
"""Least duration of a ramp [time], whose accelerations are numbers, too."""
TIME = 1e-3
"""Over this a kink of a given rate must not change the acceleration by more than its own size."""


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


@dataclass(frozen=True, eq=False)
class Function(Curve):
    """A motion by a Python function of time, with its derivatives or without.

    What is not given is found from the function (or from ``rate``, if that is given) alone: derivatives are those of
    series through its values, each for a piece of time in which it is the function to round-off
    (`flexmbs.model.motion_pieces`). The error of accelerations is below 1e-9 of their largest value for motions that
    change within 1e-4 to 10 units of time, and grows to 1e-7 for those that take 1e6. A run calls the function once for
    each time, and some 20 times for each piece, or 150 where values are round-off of larger numbers; it looks at times
    long after the run then, at which the function may fail. ``at`` makes the pieces anew each time. Where the function
    is not that smooth, extrapolated central differences are taken, about 30 calls each time, with an error near 1e-8.
    Given derivatives are compared with differences at the times ``check``.

    Parameters
    ----------
    value : function t -> float
        [length or rad]
    rate, acceleration : function t -> float, optional
        Its derivatives; ``acceleration`` only together with ``rate``.
    check : sequence of float, default (0, 0.37, 1)
        Times [time] at which the functions are tried and compared when the motion is made; empty: not at all.
    breaks : sequence of float, optional
        Times [time] at which ``acceleration`` jumps, as that of a trapezoidal profile of rates: steps end there.

    Raises
    ------
    ModelError
        If a function fails or returns anything but a finite number, if derivatives do not agree with differences, or,
        where they are not given, if the function has a kink or a jump at the time asked for.

    Examples
    --------
    >>> motion = Function(lambda t: 0.1 * math.sin(t) ** 2, rate=lambda t: 0.1 * math.sin(2 * t))
    >>> [round(x, 6) for x in motion.at(0.0)]
    [0.0, 0.0, 0.2]
    """

    value: Callable[[float], float]
    rate: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None
    check: Sequence[float] = (0.0, 0.37, 1.0)
    breaks: Sequence[float] | None = None

    def __post_init__(self) -> None:
        for name in ("value", "rate", "acceleration"):
            function = getattr(self, name)
            if not (callable(function) or (function is None and name != "value")) or isinstance(function, type):
                raise ModelError(f"Function: {name} must be a function of time, not {show(function)}.")
        if self.acceleration is not None and self.rate is None:
            raise ModelError("Function: acceleration is given, but not rate; give both, rate alone, or neither.")
        if self.breaks is not None:
            if self.acceleration is None:
                raise ModelError("Function: breaks are given, but not acceleration; give rate and acceleration, too.")
            breaks = as_array("Function", "breaks", self.breaks, (None,), unit="time").tolist()
            object.__setattr__(self, "breaks", tuple(breaks))
        times = as_array("Function", "check", self.check, (None,), unit="time").tolist()
        object.__setattr__(self, "check", tuple(times))
        for t in times:
            self._check("value", "rate", t)
            self._check("rate", "acceleration", t)

    @property
    def report(self) -> str:
        """Which derivatives are given, and which are found from what is."""
        if self.rate is None:
            return "rate and acceleration from the function"
        return "rate given, acceleration from it" if self.acceleration is None else "derivatives given"

    def in_run(self, counted: Counted) -> Motion:
        """The same as a run evaluates it, with a memory of its own (`flexmbs.model.motion_pieces`)."""
        rate = None if self.rate is None else counted(self.rate)
        acceleration = None if self.acceleration is None else counted(self.acceleration)
        own = Function(counted(self.value), rate, acceleration, check=(), breaks=self.breaks)
        return own if self.acceleration is not None else _InRun(own)

    def at(self, t: float) -> Three:
        t = as_time("Function", t)
        if self.acceleration is None:
            pieces = _InRun(self)
            here, before = pieces.at(t), pieces.at(math.nextafter(t, -math.inf))
            return here if _agree(before, here) else self.by_differences(t)
        assert self.rate is not None  # noqa: S101
        return self._call("value", t), self._call("rate", t), self._call("acceleration", t)

    def by_differences(self, t: float) -> Three:
        """The same as `at`, with what is not given by differences."""
        value = self._call("value", t)
        if self.rate is None:
            found = self._slopes("value", t)
            _refuse_kink("value", found.second_error, (found.second, found.first, value), t)
            return value, found.first, found.second
        rate, found = self._call("rate", t), self._slopes("rate", t)
        _refuse_kink("rate", found.second_error * TIME, (found.first, rate, value), t)
        return value, rate, found.first

    def _call(self, name: str, t: float) -> float:
        """One of the functions, a finite number or an error that names the time."""
        try:
            value = getattr(self, name)(t)
        except FlexmbsError:
            raise
        except FAILURES as error:
            raise ModelError(f"Function: {name}({t:g}) failed with {type(error).__name__}: {error}.") from error
        return as_number("Function", f"{name}({t:g})", value)

    def _slopes(self, name: str, t: float) -> Slopes:
        return slopes(lambda time: self._call(name, time), t)

    def _check(self, name: str, derivative: str, t: float) -> None:
        """Compare a derivative with differences, where both are given and the differences mean something."""
        if getattr(self, name) is None:
            return
        if getattr(self, derivative) is None:
            self._call(name, t)
            return
        found, given = self._slopes(name, t), self._call(derivative, t)
        size = max(abs(found.first), abs(given))
        least = 1e-9 * max(abs(self._call(derivative, other)) for other in self.check)  # where it begins from rest
        if abs(found.first - given) > 1e-4 * size + 100.0 * found.first_error + 1e-9 * abs(found.value) + least:
            raise ModelError(
                f"Function: {derivative}({t:g}) is {given:.6g}, but {name} has the derivative {found.first:.6g} there."
            )


class _InRun:
    """A `Function` whose missing derivatives are those of pieces, and of differences where these are not smooth."""

    def __init__(self, motion: Function) -> None:
        self.motion = motion
        self._known = "value" if motion.rate is None else "rate"
        self._pieces = Pieces(lambda t: motion._call(self._known, t))

    def at(self, t: float) -> Three:
        motion = self.motion
        value = motion._call("value", t)
        found = self._pieces.at(t, value if motion.rate is None else motion._call("rate", t))
        if found is None:
            return motion.by_differences(t)
        return found if motion.rate is None else (value, found[0], found[1])


def _agree(before: Three, here: Three) -> bool:
    """Whether derivatives on both sides of a time are the same; where pieces meet there may be a kink."""
    size = sum(abs(x) for x in (*before, *here))
    return abs(before[1] - here[1]) <= 1e-6 * size and abs(before[2] - here[2]) <= 1e-3 * size


def _refuse_kink(name: str, error: float, sizes: Three, t: float) -> None:
    """Refuse differences that do not settle."""
    if error > 1e-2 * abs(sizes[0]) and error > 1e-4 * (abs(sizes[1]) + abs(sizes[2])):
        raise ModelError(
            f"Function: {name} has no smooth derivative at t = {t:g}; take a smooth function, or give its derivatives."
        )


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


def as_motion(owner: str, name: str, value: object) -> Motion:
    """A motion of an object with ``at``, a number (held) or a function of time."""
    if not isinstance(value, type):
        if callable(getattr(value, "at", None)):
            return value  # type: ignore[return-value]
        if callable(value):
            try:
                return Function(value)
            except ModelError as error:
                raise ModelError(f"{owner}: {name}: {error}") from error
    try:
        return Constant(as_number(owner, name, value))
    except ModelError:
        raise ModelError(
            f"{owner}: {name} must be a motion such as flexmbs.motions.Sine(...), a function of time or a number, "
            f"not {show(value)}."
        ) from None
