"""Events: when a function of the motion passes through zero, and what is done then.

`Event` is the description, `locate` finds the first event within a step on its dense output. After an event the step is
made again to end there, and the run goes on, or stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from flexmbs.core.checks import as_count, as_flag, as_name, as_number, shape_of, show
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.model.control.calling import as_values, call
from flexmbs.model.control.sensors import Sensor, as_sensors, read_sensor

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.control.view import View

__all__ = ["Event", "Located", "locate"]

EPS = 2.0**-52
SAME_TIME = 64.0 * EPS
"""Events that are less apart, relative to the time or the step, are one."""

PROBES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
"""Parts of a piece at which a function that starts at zero is looked at, to see to which side it goes."""


@dataclass(frozen=True, eq=False)
class Event(Description):
    """A function of the motion that is watched; it happens where the function passes through zero.

    All events are recorded with their times. Those that are ``terminal`` end the run; an ``action`` changes something
    and the run goes on from there.

    Parameters
    ----------
    condition : Sensor of one number, or function (view) -> float
        Continuous in time. It must not remember anything: it is called also at times that are given up. A view has
        ``t``, ``position(marker)``, ``rotation(marker)``, ``twist(marker)`` (velocity in inertial axes, and angular
        velocity in marker axes), ``acceleration(marker)``, ``row(joint, label)`` and ``coordinate(body, index)`` (value
        and rate), ``multiplier(joint)``, ``state(name)``, ``held(actuator)``.
    level : float, default 0
        The event is where the condition passes through this level.
    direction : int, default 0
        1: upwards only, -1: downwards only, 0: both.
    terminal : bool, default False
        Whether the run ends there.
    action : function (view) -> changes, optional
        Called once, with a view of the system at the event. It returns nothing, or new factors of loads: a mapping with
        the loads themselves or their names (`Model.load_names`) as keys, such as ``{push: 0.0}``.
    pieces : int, default 1
        In how many equal pieces each step is looked at. Two passages within one piece cancel each other and are not
        seen; more pieces cost an evaluation each.
    name : str

    Raises
    ------
    ModelError
        If the condition is neither a function nor a sensor of one number, or an action is given for an event that ends
        the run.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, 0.5), name="ball")
    >>> fx.control.Event(fx.control.PositionSensor(ball, (0, 1)), direction=-1, terminal=True, name="landing").terminal
    True
    """

    condition: Sensor | Callable[[View], float]
    level: float = 0.0
    direction: int = 0
    terminal: bool = False
    action: Callable[[View], Any] | None = None
    pieces: int = 1
    name: str = "event"

    def __post_init__(self) -> None:
        owner = f"Event {as_name('Event', 'name', self.name)!r}"
        if _is_sensor(self.condition):
            (sensor,) = as_sensors(owner, self.condition)
            if sensor.size != 1:
                raise ModelError(f"{owner}: sensor {sensor.name!r} gives {sensor.size} numbers; name a direction.")
        elif not callable(self.condition) or isinstance(self.condition, type):
            raise ModelError(
                f"{owner}: condition must be a sensor or a function of (view), not {show(self.condition)}."
            )
        object.__setattr__(self, "level", as_number(owner, "level", self.level))
        if isinstance(self.direction, bool) or shape_of(self.direction) or self.direction not in (-1, 0, 1):
            raise ModelError(f"{owner}: direction must be 1 (up), -1 (down) or 0, not {show(self.direction)}.")
        object.__setattr__(self, "direction", int(self.direction))
        as_flag(owner, "terminal", self.terminal)
        if self.action is not None and (not callable(self.action) or isinstance(self.action, type)):
            raise ModelError(f"{owner}: action must be a function of (view), not {show(self.action)}.")
        if self.action is not None and self.terminal:
            raise ModelError(f"{owner}: a terminal event ends the run, so an action has no effect.")
        object.__setattr__(self, "pieces", as_count(owner, "pieces", self.pieces, minimum=1))

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Markers its sensor refers to."""
        return tuple(getattr(self.condition, "markers", ()))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of joints its sensor refers to."""
        return tuple(getattr(self.condition, "joints", ()))

    def value(self, view: View) -> float:
        """Condition minus level, checked; an error names the event and the time."""
        owner, what = f"Event {self.name!r}", f"its condition at t = {view.t:g}"
        condition: Any = self.condition
        if _is_sensor(condition):
            found = call(owner, what, read_sensor, condition, view)
        else:
            found = as_values(owner, what, call(owner, what, condition, view), 1)
        return float(found[0]) - self.level


class Located(NamedTuple):
    """What `locate` found.

    ``t``: time of the first event, None if there is none; ``events``: numbers of the events at that time; ``resting``:
    numbers of the events that must be passed to the next call, since their functions are at zero where it starts.
    """

    t: float | None
    events: tuple[int, ...]
    resting: frozenset[int]


def locate(
    events: Sequence[Event],
    interpolant: Callable[[float], View],
    t0: float,
    t1: float,
    resting: Collection[int] = (),
) -> Located:
    """The first time within (t0, t1] at which events happen.

    A passage is bracketed by the signs at the ends of each piece of the step, and located by Brent's method,
    safeguarded by bisection, to round-off of the time. Reaching zero counts as passing; zero at t1 is an event at t1.

    A function that is zero at t0, or is named in ``resting`` since its event happened there, has no sign there. Its
    sign is taken from the first probe after t0 where it is more than twice as far from zero as at t0, so that a passage
    is not found again after the step was made anew and ended there with a function that is only nearly zero, on either
    side. Until it moves away, it rests.

    Parameters
    ----------
    events : sequence of Event
    interpolant : function t -> view
        The dense output of the step.
    t0, t1 : float
        Its ends.
    resting : collection of int, default none
        From the call before.

    Returns
    -------
    Located

    Raises
    ------
    ModelError
        If a condition fails or is not finite (named, with the time).

    Notes
    -----
    Limits: an even number of passages within one piece is not seen (``Event.pieces``). An event that rests is
    not seen while it is within twice its distance from zero at t0, nor before the first probe.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import flexmbs as fx
    >>> fall = fx.control.Event(lambda view: 1.0 - view.t**2, direction=-1)
    >>> locate([fall], lambda t: SimpleNamespace(t=t), 0.0, 4.0)
    Located(t=1.0, events=(0,), resting=frozenset({0}))
    """
    if not t1 > t0:
        raise ModelError(f"locate: t1 = {t1:g} must be after t0 = {t0:g}.")
    passages: list[tuple[float, int]] = []
    rests: list[tuple[float, float]] = []
    end = t1
    for i, event in enumerate(events):
        found, rest = _first_passage(event, interpolant, t0, t1, end, i in resting)
        rests.append(rest)
        if found is not None:
            passages.append((found, i))
            end = min(end, found)
    t = min(passages)[0] if passages else None
    now = t1 if t is None else t
    same = SAME_TIME * max(abs(now), t1 - t0)
    happened = tuple(i for found, i in passages if found <= now + same)
    still = {i for i, (begin, left) in enumerate(rests) if begin <= now < left}
    return Located(t, happened, frozenset(still | set(happened)))


def _first_passage(
    event: Event, interpolant: Callable[[float], View], t0: float, t1: float, end: float, rests: bool
) -> tuple[float | None, tuple[float, float]]:
    """Time of the first passage of one event up to about ``end``, and from when to when it rested."""

    def value(t: float) -> float:
        return event.value(interpolant(t))

    a, at_a = t0, value(t0)
    rests = rests or at_a == 0.0
    rest = (t0, math.inf) if rests else (math.inf, math.inf)
    band = 2.0 * abs(at_a)
    for n in range(1, event.pieces + 1):
        b = t1 if n == event.pieces else t0 + (t1 - t0) * (n / event.pieces)
        at_b = value(b)
        for part in (*PROBES, 1.0) if rests else ():
            c = b if part == 1.0 else a + part * (b - a)
            at_c = at_b if part == 1.0 else value(c)
            if abs(at_c) > band:
                rests, a, at_a = False, c, at_c
                rest = (rest[0], c)
                break
        if not rests and a < b and (at_b == 0.0 or (at_a > 0.0) != (at_b > 0.0)):
            if event.direction in (0, -1 if at_a > 0.0 else 1):
                return (b if at_b == 0.0 else _root(value, a, b)), rest
            if at_b == 0.0:
                rests, band, rest = True, 0.0, (b, math.inf)
        a, at_a = b, at_b
        if a > end:
            break
    return None, rest


def _root(value: Callable[[float], float], a: float, b: float) -> float:
    """The zero of a function that has different signs at a and b."""
    from scipy.optimize import brentq  # slow to import, seldom needed

    found = brentq(value, a, b, xtol=2.0 * EPS * max(abs(a), abs(b)) or math.ulp(0.0), rtol=4.0 * EPS, maxiter=500)
    return min(max(float(found), a), b)


def _is_sensor(condition: object) -> bool:
    return hasattr(condition, "read") and not isinstance(condition, type)
