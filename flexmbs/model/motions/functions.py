"""Motions that are given as functions of time, and what else stands for a motion where one is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flexmbs.core.checks import as_array, as_number, as_time, show
from flexmbs.core.differences import Slopes, slopes
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.model.joints.contracts import Motion
from flexmbs.model.motions.curves import Constant, Curve
from flexmbs.model.motions.pieces import Pieces, Three
from flexmbs.model.motions.values import FAILURES, Counted

__all__ = ["Function", "as_motion"]

TIME = 1e-3
"""Over this a kink of a given rate must not change the acceleration by more than its own size."""


@dataclass(frozen=True, eq=False)
class Function(Curve):
    """A motion by a Python function of time, with its derivatives or without.

    What is not given is found from the function (or from ``rate``, if that is given) alone: derivatives are those of
    series through its values, each for a piece of time in which it is the function to round-off
    (`flexmbs.model.motions.pieces`). The error of accelerations is below 1e-9 of their largest value for motions that
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
        """The same as a run evaluates it, with a memory of its own (`flexmbs.model.motions.pieces`)."""
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
