"""Prescribed motions: values by hand, derivatives against differences, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core.differences import slopes
from flexmbs.core.errors import ModelError
from flexmbs.model.motions.curves import Constant, Linear, Ramp, Sine, Spline, Sum
from flexmbs.model.motions.functions import Function, as_motion
from flexmbs.model.motions.trapezoid import Trapezoid
from flexmbs.model.motions.values import motion_at

TIMES = (0.0, 0.3, 0.7, 1.1, 2.0)
LIFT = (0.0, 0.4, 0.1, -0.3, 0.2)
MOTIONS: dict[str, Any] = {
    "constant": Constant(0.4),
    "linear": Linear(2.0, start=-1.0),
    "sine": Sine(0.3, frequency=1.7, phase=0.4, offset=0.1),
    "ramp": Ramp(0.2, 1.5, duration=1.3, begin=0.2),
    "quintic": Spline(TIMES, LIFT),
    "free quintic": Spline(TIMES, LIFT, clamped=False),
    "cubic": Spline(TIMES, LIFT, degree=3),
    "free cubic": Spline(TIMES, LIFT, degree=3, clamped=False),
    "function": Function(math.sin, math.cos, lambda t: -math.sin(t)),
    "trapezoid": Trapezoid(1.0, 0.2, rate=0.6, acceleration=1.5, begin=0.2),
    "triangle": Trapezoid(0.0, 1.0, rate=5.0, acceleration=1.0, begin=0.7),
    "sum": Sine(1.0, frequency=0.3) + Linear(2.0) + Ramp(0.0, 1.0, duration=1.0),
}


@pytest.mark.parametrize("name", MOTIONS)
@pytest.mark.parametrize("t", [-0.5, 0.1, 0.65, 0.9, 1.45, 2.5])
def test_derivatives_are_those_of_the_value(name: str, t: float) -> None:
    motion, h = MOTIONS[name], 1e-4
    value, rate, acceleration = motion.at(t)
    left, right = motion(t - h), motion(t + h)
    assert motion(t) == value
    assert rate == pytest.approx((right - left) / (2 * h), abs=1e-5)
    assert acceleration == pytest.approx((motion.at(t + h)[1] - motion.at(t - h)[1]) / (2 * h), abs=1e-4)


@pytest.mark.parametrize("name", ["ramp", "quintic", "free quintic", "free cubic"])
def test_no_jump_anywhere(name: str) -> None:
    """Also at the ends, where the motion goes on: over a thousandth the acceleration changes by little."""
    motion = MOTIONS[name]
    fine = np.array([motion.at(t) for t in np.linspace(-0.2, 2.2, 24001)])
    assert np.abs(np.diff(fine, axis=0)).max(axis=0) == pytest.approx(0.0, abs=0.06)


def test_a_trapezoidal_profile_takes_what_its_limits_allow() -> None:
    """0.4 s up to the rate, 14/15 s at it, 0.4 s down; and a triangle where the way is too short for the rate."""
    move = MOTIONS["trapezoid"]
    assert move.duration == pytest.approx(0.8 / 0.6 + 0.4)
    assert move.breaks == pytest.approx((0.2, 0.6, 0.2 + 0.8 / 0.6, 0.6 + 0.8 / 0.6))
    assert move.at(0.6) == pytest.approx((1.0 - 0.5 * 1.5 * 0.16, -0.6, 0.0))
    assert move.at(9.0) == (0.2, 0.0, 0.0)
    short = MOTIONS["triangle"]
    assert short.duration == pytest.approx(2.0)
    assert short.breaks == pytest.approx((0.7, 1.7, 2.7))
    assert short.at(1.7)[:2] == pytest.approx((0.5, 1.0))
    assert Trapezoid(3.0, 3.0, 1.0, 1.0).duration == 0.0
    assert Trapezoid(3.0, 3.0, 1.0, 1.0).at(1.0) == (3.0, 0.0, 0.0)


@pytest.mark.parametrize("begin", [0.0, 0.0533])  # with the run, or later and between steps
def test_forces_of_a_trapezoidal_profile_are_exact(begin: float) -> None:
    """Mass times acceleration in each phase, from its first step on."""
    body = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=2.0, name="slide")
    guide = fx.PrismaticJoint(fx.ground, body, at=(0, 0, 0), axis=(1, 0, 0), name="guide")
    driver = fx.TranslationDriver(guide, Trapezoid(0.0, 0.31, rate=0.5, acceleration=2.0, begin=begin), name="drive")
    run = fx.simulate(fx.Model(body, guide, driver), 1.2, step=0.01, progress=False)
    ends = np.array(driver.motion.breaks)
    phase = np.searchsorted(ends, run.t - 1e-9)
    expected = np.array([0.0, 4.0, 0.0, -4.0, 0.0])[phase]
    force = run.reaction("drive")[:, 0]
    inside = np.abs(run.t[:, None] - ends).min(axis=1) > 1e-6
    assert force[inside] == pytest.approx(expected[inside], abs=1e-6)
    assert run.position("slide")[-1, 0] == pytest.approx(0.31, abs=1e-9)


@pytest.mark.parametrize("name", ["quintic", "free quintic", "cubic", "free cubic"])
def test_splines_pass_their_points(name: str) -> None:
    assert [MOTIONS[name](t) for t in TIMES] == pytest.approx(LIFT)


def test_splines_at_and_beyond_their_ends() -> None:
    assert MOTIONS["quintic"].at(0.0) == pytest.approx((0.0, 0.0, 0.0), abs=1e-10)
    assert MOTIONS["quintic"].at(9.0) == pytest.approx((0.2, 0.0, 0.0), abs=1e-10)
    assert MOTIONS["cubic"].at(9.0) == pytest.approx((0.2, 0.0, 0.0), abs=1e-10)
    for name in ("free quintic", "free cubic"):
        _, rate, acceleration = MOTIONS[name].at(2.0)
        assert acceleration == pytest.approx(0.0, abs=1e-9)
        assert MOTIONS[name].at(3.5) == pytest.approx((0.2 + 1.5 * rate, rate, 0.0))


@given(st.floats(-5, 5), st.floats(-5, 5))
@settings(max_examples=30, deadline=None)
def test_a_free_spline_through_a_line_is_that_line(slope: float, start: float) -> None:
    times = np.array([0.0, 0.2, 0.7, 1.0])
    for degree in (3, 5):
        line = Spline(times, start + slope * times, degree=degree, clamped=False)
        assert line.at(0.55) == pytest.approx((start + 0.55 * slope, slope, 0.0), abs=1e-9)


def test_ramp_peaks() -> None:
    ramp = Ramp(1.0, 3.0, duration=0.5, begin=1.0)
    fine = np.array([ramp.at(t) for t in np.linspace(0.9, 1.6, 70001)])
    assert fine[:, 0].min() == 1.0
    assert fine[:, 0].max() == 3.0
    assert fine[:, 1].max() == pytest.approx(15 / 8 * 2 / 0.5)
    assert fine[:, 2].max() == pytest.approx(10 / math.sqrt(3) * 2 / 0.25, rel=1e-6)


@pytest.mark.parametrize("w", [0.1, 1.0, 30.0, 2 * math.pi * 250, 2 * math.pi * 1000, 5e4])
@pytest.mark.parametrize("t", [0.0, 0.3, 17.0])
def test_derivatives_by_differences_over_all_frequencies(w: float, t: float) -> None:
    x = w * t + 0.3
    found = slopes(lambda time: math.sin(w * time + 0.3), t)
    assert found.first == pytest.approx(w * math.cos(x), abs=1e-7 * w)
    assert found.second == pytest.approx(-w * w * math.sin(x), abs=1e-5 * max(w * w, 1e-2))


def test_function_without_and_with_some_derivatives() -> None:
    def value(t: float) -> float:
        return math.exp(-t) * math.sin(5 * t)

    def rate(t: float) -> float:
        return math.exp(-t) * (5 * math.cos(5 * t) - math.sin(5 * t))

    def acceleration(t: float) -> float:
        return math.exp(-t) * (-24 * math.sin(5 * t) - 10 * math.cos(5 * t))

    for motion in (Function(value), Function(value, rate), Function(value, rate, acceleration)):
        for t in (0.0, 0.4, 2.0):
            assert motion.at(t) == pytest.approx((value(t), rate(t), acceleration(t)), rel=1e-8, abs=1e-8)
    assert Function(value).report == "rate and acceleration from the function"
    assert Function(value, rate).report == "rate given, acceleration from it"


def test_wrong_derivatives_are_found() -> None:
    with pytest.raises(ModelError, match=r"rate\(0\) is 2, but value has the derivative 1 there"):
        Function(math.sin, lambda t: 2 * math.cos(t))
    with pytest.raises(
        ModelError, match=r"acceleration\(0.37\) is 0.36\d*, but rate has the derivative -0.36\d* there"
    ):
        Function(math.sin, math.cos, math.sin)
    Function(math.sin, lambda t: 2 * math.cos(t), check=())


def test_a_kink_is_refused_where_it_is() -> None:
    kink = Function(lambda t: abs(t - 0.5))
    assert kink.at(0.2) == pytest.approx((0.3, -1.0, 0.0), abs=1e-6)
    with pytest.raises(ModelError, match=r"no smooth derivative at t = 0.5"):
        kink.at(0.5)
    with pytest.raises(ModelError, match=r"rate has no smooth derivative at t = 0.5"):
        Function(lambda t: 0.5 * (t - 0.5) * abs(t - 0.5), lambda t: abs(t - 0.5)).at(0.5)


def test_bad_values_name_the_time() -> None:
    with pytest.raises(ModelError, match=r"value\(1\) must be finite, not nan"):
        Function(lambda t: math.nan if t > 0.9 else t)
    with pytest.raises(ModelError, match=r"value\(0\) must be a number"):
        Function(lambda t: np.array([t]))
    with pytest.raises(ModelError, match=r"value\(0.37\) failed with ZeroDivisionError"):
        Function(lambda t: 1 / (t - 0.37))
    late = Function(lambda t: math.sqrt(2 - t))
    with pytest.raises(ModelError, match=r"value\(3\) failed with ValueError"):
        late.at(3.0)


class Broken:
    """A motion of a user's own."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def at(self, t: float) -> Any:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.mark.parametrize("found", [(1.0, 2.0), (1.0, math.nan, 2.0), 3.0, "abc", None, ValueError("no")])
def test_motions_of_others_are_checked_at_run_time(found: Any) -> None:
    with pytest.raises(ModelError, match=r"driver 'm'.*motion at t = 0.25"):
        motion_at("driver 'm'", Broken(found), 0.25)
    assert motion_at("driver 'm'", Broken((1, 2, 3)), 0.25) == (1.0, 2.0, 3.0)
    with pytest.raises(ModelError, match=r"driver 'm': Function: value\(3\)"):
        motion_at("driver 'm'", Function(lambda t: math.sqrt(2 - t)), 3.0)


def test_what_counts_as_a_motion() -> None:
    assert as_motion("driver", "motion", 2).at(0.0) == (2.0, 0.0, 0.0)
    assert as_motion("driver", "motion", MOTIONS["sine"]) is MOTIONS["sine"]
    assert as_motion("driver", "motion", math.sin).at(0.0) == pytest.approx((0.0, 1.0, 0.0), abs=1e-8)
    for bad in ("fast", None, Sine, [1.0]):
        with pytest.raises(ModelError, match="must be a motion"):
            as_motion("driver", "motion", bad)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(math.inf), "finite"),
        (lambda: Linear("fast"), "number"),
        (lambda: Sine(1.0, frequency=-2.0), "at least 0"),
        (lambda: Ramp(0, 1, 0), "at least 1e-100"),
        (lambda: Trapezoid(0, 1, 0, 1), "rate must be greater than 0|rate must be positive|rate must be above 0"),
        (lambda: Trapezoid(0, 1, 1, math.inf), "acceleration"),
        (lambda: Trapezoid(-1e308, 1e308, 1, 1), "no finite time"),
        (lambda: Spline((0, 1), (0, 1, 2)), "shape"),
        (lambda: Spline((0, 0), (0, 1)), "ascend"),
        (lambda: Spline((0, 1), (0, 1), degree=4), "3 or 5"),
        (lambda: Spline((0, 1), (0, math.nan)), "finite"),
        (lambda: Spline((0, 1), (0, 1), clamped=1), "True or False"),
        (lambda: Function(3.0), "function of time"),
        (lambda: Function(math.sin, 2.0), "function of time"),
        (lambda: Function(math.sin, acceleration=math.sin), "but not rate"),
        (lambda: Sum(1.0), "must be a motion"),
        (lambda: Linear(1.0) + 2.0, "must be a motion"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("duration", [3.0, 5.0, 5.5, 7.0])
def test_a_function_may_begin_from_rest(duration: float) -> None:
    """Round-off of differences is not a wrong derivative where the true one is zero."""
    k = 2.0 * math.pi / duration
    motion = Function(
        lambda t: t / duration - math.sin(k * t) / (2.0 * math.pi),
        rate=lambda t: (1.0 - math.cos(k * t)) / duration,
        acceleration=lambda t: k * math.sin(k * t) / duration,
    )
    assert motion.at(0.0) == (0.0, 0.0, 0.0)
