"""Events located on functions with known zeros, and restarts that must not find them again."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.model.control.events import Located, locate


def clock(t: float) -> SimpleNamespace:
    """A dense output whose views know the time only."""
    return SimpleNamespace(t=t)


def event(function, **options) -> fx.control.Event:
    return fx.control.Event(lambda view: function(view.t), **options)


@pytest.mark.parametrize(
    ("function", "t0", "t1", "root"),
    [
        (math.cos, 1.0, 2.0, math.pi / 2),
        (lambda t: t**3 - 2.0, 0.0, 5.0, 2.0 ** (1 / 3)),
        (lambda t: math.exp(-t) - 1e-6, 0.0, 30.0, 6 * math.log(10)),
        (lambda t: (t - 0.7) ** 5, 0.0, 1.0, 0.7),
        (lambda t: math.atan(1e6 * (t - 0.3)), 0.0, 1.0, 0.3),
        (lambda t: -1.0 if t < 0.4 else 2.0, 0.0, 1.0, 0.4),
        (lambda t: t - 1e-9, 0.0, 1.0, 1e-9),
        (lambda t: math.sin(t - 1e5), 1e5 - 1.0, 1e5 + 0.5, 1e5),
        (lambda t: 1e-200 * (0.6 - t), 0.0, 1.0, 0.6),
    ],
)
def test_zeros_to_round_off(function, t0: float, t1: float, root: float) -> None:
    found = locate([event(function)], clock, t0, t1)
    assert found.t == pytest.approx(root, rel=1e-15, abs=1e-12 if root == 0.7 else 1e-15)
    assert found.events == (0,)


def test_level_and_sensor(fake_view) -> None:
    ball = fx.PointMass(1.0, position=(0, 0), name="ball").centre
    flight = {id(ball): (lambda t: [t, 3.0 * t - 5.0 * t * t, 0.0], lambda t: np.eye(3))}
    landing = fx.control.Event(fx.control.PositionSensor(ball, (0, 1)), level=0.25, direction=-1, name="landing")
    found = locate([landing], lambda t: fake_view(t, flight), 0.3, 0.7)
    assert found.t == pytest.approx((3 + math.sqrt(9 - 5)) / 10, abs=1e-15)
    assert landing.markers == (ball,)


@pytest.mark.parametrize(("direction", "expected"), [(0, 0.25), (1, 0.75), (-1, 0.25)])
def test_direction(direction: int, expected: float) -> None:
    found = locate([event(lambda t: math.cos(2 * math.pi * t), direction=direction, pieces=4)], clock, 0.1, 0.95)
    assert found.t == pytest.approx(expected, abs=1e-15)


def test_first_of_several_and_those_at_the_same_time() -> None:
    events = [event(lambda t: t - 0.8), event(lambda t: 0.3 - t), event(lambda t: t**2 - 0.09), event(lambda t: t + 1)]
    found = locate(events, clock, 0.0, 1.0)
    assert found.t == pytest.approx(0.3, abs=1e-15)
    assert found.events == (1, 2)
    assert found.resting == {1, 2}
    after = locate(events, clock, found.t, 1.0, found.resting)
    assert (after.t, after.events) == (0.8, (0,))
    assert locate(events, clock, 0.85, 1.0) == Located(None, (), frozenset())


def test_two_passages_in_a_step_need_pieces() -> None:
    def dip(t: float) -> float:
        return (t - 0.4) * (t - 0.45)

    assert locate([event(dip)], clock, 0.0, 1.0).t is None
    assert locate([event(dip, pieces=7)], clock, 0.0, 1.0).t == pytest.approx(0.4, abs=1e-15)  # looks at 3/7


def test_zero_at_the_start_is_no_event_and_at_the_end_is_one() -> None:
    assert locate([event(lambda t: t)], clock, 0.0, 1.0).t is None
    assert locate([event(lambda t: t * (t - 0.5))], clock, 0.0, 1.0).t == pytest.approx(0.5, abs=1e-15)
    found = locate([event(lambda t: t - 1.0)], clock, 0.0, 1.0)
    assert (found.t, found.resting) == (1.0, {0})
    assert locate([event(lambda t: t - 1.0)], clock, 1.0, 2.0, found.resting).t is None
    wrong_way = locate([event(lambda t: t - 1.0, direction=-1)], clock, 0.0, 1.0)
    assert (wrong_way.t, wrong_way.resting) == (None, {0})


def test_a_function_that_stays_zero_rests() -> None:
    flat = event(lambda t: max(0.0, t - 2.5))
    resting: frozenset[int] = frozenset()
    for k in range(4):
        found = locate([flat], clock, float(k), k + 1.0, resting)
        assert found.t is None
        resting = found.resting
    assert resting == frozenset()


@pytest.mark.parametrize("offset", [-1e-7, -1e-14, 0.0, 1e-14, 1e-7])
@pytest.mark.parametrize("direction", [0, 1])
def test_a_passage_is_not_found_again_when_the_step_made_anew_ends_beside_it(offset: float, direction: int) -> None:
    """The second dense output differs from the first by ``offset``."""
    found = locate([event(math.sin, direction=direction)], clock, 6.0, 6.5)
    again = [event(lambda t: math.sin(t) + offset, direction=direction)]
    after = locate(again, clock, found.t, 6.6, found.resting)
    assert (after.t, after.resting) == (None, frozenset())
    back = locate(again, clock, 6.6, 10.0, after.resting)
    assert (back.t is None) == (direction == 1)


@pytest.mark.parametrize("offset", [-1e-9, 0.0, 1e-9])
def test_a_bouncing_ball(offset: float) -> None:
    """Height v t - g t^2/2 after each bounce at 0.8 of the speed: the times are a geometric series."""
    v, g, t, resting, times = 1.0, 10.0, 0.0, frozenset({0}), []
    h = 0.037
    begin = 0.0
    while len(times) < 6:
        up, t_up = v, begin
        ball = [event(lambda s, up=up, t_up=t_up: up * (s - t_up) - 0.5 * g * (s - t_up) ** 2 + offset)]
        found = locate(ball, clock, t, t + h, resting)
        resting = found.resting
        if found.t is None:
            t += h
            continue
        times.append(found.t)
        t = begin = found.t
        v *= 0.8
    exact = np.cumsum(0.2 * 0.8 ** np.arange(6))
    assert times == pytest.approx(exact, abs=1e-7 if offset else 1e-14)


def test_events_after_the_first_keep_resting() -> None:
    """The second event rests until 0.6, after the first one has happened at 0.5."""
    events = [event(lambda t: t - 0.5), event(lambda t: 0.0 if t < 0.6 else t - 0.6)]
    found = locate(events, clock, 0.0, 1.0)
    assert found.t == pytest.approx(0.5, abs=1e-15)
    assert found.resting == {0, 1}


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=5), st.integers(1, 40))
def test_all_zeros_of_a_polynomial_in_order(roots: list[float], steps: int) -> None:
    roots = sorted(roots)
    ends = np.linspace(0.0, 1.0, steps + 1)
    if np.min(np.diff([-1.0, *roots])) < 1e-3:
        return
    product = event(lambda t: math.prod(t - r for r in roots), pieces=1)
    count = [sum(a < r <= b for r in roots) for a, b in pairwise(ends)]
    if max(count) > 1:
        return
    found, resting = [], frozenset()
    for a, b in pairwise(ends.tolist()):
        t = a
        while (located := locate([product], clock, t, b, resting)).t is not None:
            found.append(located.t)
            resting, t = located.resting, located.t
            if t == b:
                break
        resting = located.resting
    assert found == pytest.approx(roots, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fx.control.Event(3.0), "condition must be a sensor or a function"),
        (lambda: fx.control.Event(fx.control.Event), "condition must be a sensor or a function"),
        (lambda: fx.control.Event(fx.control.PositionSensor(fx.ground.marker((0, 0, 0)))), "gives 3 numbers"),
        (lambda: event(lambda t: t, direction=2), "direction must be 1"),
        (lambda: event(lambda t: t, level=math.nan), "level must be finite"),
        (lambda: event(lambda t: t, action="stop"), "action must be a function"),
        (lambda: event(lambda t: t, action=print, terminal=True), "ends the run"),
        (lambda: event(lambda t: t, pieces=0), "pieces must be at least 1"),
        (lambda: event(lambda t: t, terminal=1), "terminal must be True or False"),
        (lambda: event(lambda t: t, name=""), "name must be a non-empty"),
        (lambda: locate([], clock, 1.0, 1.0), "t1 = 1 must be after"),
    ],
)
def test_bad_events(make, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        make()


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda t: math.nan if t > 0.5 else 1.0, r"t = 1 must be finite"),
        (lambda t: [1.0, 2.0], r"t = 0 must have shape"),
        (lambda t: {}["x"], "t = 0 failed with KeyError"),
        (lambda t: None, "lack its return"),
    ],
)
def test_failing_conditions_are_named_with_the_time(function, match: str) -> None:
    with pytest.raises(ModelError, match=rf"Event 'watch': its condition at {match}|Event 'watch'.*{match}"):
        locate([event(function, name="watch")], clock, 0.0, 1.0)
