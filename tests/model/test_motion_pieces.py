"""Motions of Python functions in a run: few calls, derivatives near round-off, and what is not smooth is refused."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.model.motions.curves import Sine
from flexmbs.model.motions.functions import Function
from flexmbs.model.motions.pieces import Pieces
from flexmbs.model.motions.values import for_run

Smooth = Callable[[float], float]

FUNCTIONS: dict[str, tuple[Smooth, Smooth, Smooth]] = {
    "sine": (lambda t: 0.02 * math.sin(8 * t), lambda t: 0.16 * math.cos(8 * t), lambda t: -1.28 * math.sin(8 * t)),
    "fast": (math.sin, math.cos, lambda t: -math.sin(t)),
    "far from zero": (lambda t: 5.0 + math.exp(-t), lambda t: -math.exp(-t), lambda t: math.exp(-t)),
    "zero": (lambda t: 0.0, lambda t: 0.0, lambda t: 0.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_function(name: str) -> None:
    """A coefficient is known to some 1e-16 of the value, the second derivative of a series to n^4 (2/w)^2/3 of that."""
    f, rate, acceleration = FUNCTIONS[name]
    motion = for_run(Function(f))
    for t in np.random.default_rng(3).uniform(-1.0, 7.0, 300).tolist():
        value, v, a = motion.at(t)
        assert value == f(t)
        assert v == pytest.approx(rate(t), abs=1e-11 * max(1.0, abs(f(t))))
        assert a == pytest.approx(acceleration(t), abs=1e-8 * max(1.0, abs(f(t))))


def test_a_given_rate_is_used() -> None:
    motion = for_run(Function(math.sin, rate=math.cos))
    value, rate, acceleration = motion.at(0.7)
    assert (value, rate) == (math.sin(0.7), math.cos(0.7))
    assert acceleration == pytest.approx(-math.sin(0.7), abs=1e-12)


def test_cells_do_not_depend_on_the_way() -> None:
    """So a run that is resumed finds the same numbers."""
    times = np.random.default_rng(5).uniform(0.0, 4.0, 100).tolist()
    one, two = (for_run(Function(lambda t: math.sin(20 * t * t))) for _ in range(2))
    forward = {t: one.at(t) for t in sorted(times)}
    assert forward == {t: two.at(t) for t in sorted(times, reverse=True)}


def test_a_bump_between_the_nodes_is_found() -> None:
    def bump(t: float) -> float:
        return math.sin(t) + 1e-3 * math.exp(-(((t - 0.6211) / 2e-3) ** 2))

    motion = for_run(Function(bump, check=()))
    for t in np.linspace(0.6, 0.64, 41).tolist():
        x = (t - 0.6211) / 2e-3
        expected = -math.sin(t) + 1e-3 * math.exp(-x * x) * (4 * x * x - 2) / 4e-6
        assert motion.at(t)[2] == pytest.approx(expected, abs=1e-5 * 500)


def test_beside_a_kink_the_sides_are_known_and_the_kink_is_refused() -> None:
    motion = for_run(Function(lambda t: abs(t - 0.3), check=()))
    assert motion.at(0.1) == pytest.approx((0.2, -1.0, 0.0), abs=1e-9)
    assert motion.at(0.5) == pytest.approx((0.2, 1.0, 0.0), abs=1e-9)
    with pytest.raises(ModelError, match=r"no smooth derivative at t = 0\.3"):
        motion.at(0.3)


def test_what_is_random_is_refused() -> None:
    draw = random.Random(1)
    motion = for_run(Function(lambda t: draw.random(), check=()))
    with pytest.raises(ModelError, match="no smooth derivative"):
        motion.at(0.4)


def test_where_the_function_is_not_defined_nothing_is_needed_of_it() -> None:
    def root(t: float) -> float:
        if t < 0.5:
            raise ValueError("too early")
        return t * t

    assert Pieces(root).at(0.51, 0.51**2) == pytest.approx((0.51**2, 1.02, 2.0))


def plunger(motion: object) -> fx.Model:
    """A block on a spring, whose foot is driven."""
    foot = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0), name="foot")
    block = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=2.0, position=(0, 0, 1.0), name="block")
    guides = [fx.PrismaticJoint(fx.ground, b, at=(0, 0, 0), axis=(0, 0, 1), name=f"guide of {b.name}")
              for b in (foot, block)]  # fmt: skip
    return fx.Model(
        foot, block, *guides, fx.TranslationDriver(guides[0], motion, name="road"),
        fx.SpringDamper(foot.centre, block.centre, stiffness=800.0, damping=10.0, name="spring"),
    )  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
def test_a_run_calls_a_function_at_most_three_times_a_step(compiled: bool) -> None:
    calls = 0

    def road(t: float) -> float:
        nonlocal calls
        calls += 1
        return 0.05 * math.sin(2 * math.pi * 1.3 * t)

    model = plunger(road)
    calls = 0
    scheme = fx.GeneralizedAlpha(compiled=compiled)
    run = fx.simulate(model, 1.0, step=1e-3, integrator=scheme, output=fx.Output(energy=False), progress=False)
    assert calls <= 3 * 1000
    exact = fx.simulate(plunger(Sine(0.05, frequency=1.3)), 1.0, step=1e-3, integrator=scheme, progress=False)
    assert run.q == pytest.approx(exact.q, abs=1e-11)
    assert run.a == pytest.approx(exact.a, abs=1e-8)


@pytest.mark.parametrize("w", [1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 1e2, 1e4])
def test_motions_of_any_speed_are_told_from_their_start_on(w: float) -> None:
    """1 - cos wt has lost all digits at the start, where it is 1e-16 of what it was subtracted from."""
    motion = for_run(Function(lambda t: 0.1 * (1.0 - math.cos(w * t))))
    for x in np.linspace(0.0, 6.0, 31).tolist():
        _, v, a = motion.at(x / w)
        assert v == pytest.approx(0.1 * w * math.sin(x), abs=1e-9 * 0.1 * w)
        assert a == pytest.approx(0.1 * w * w * math.cos(x), abs=1e-6 * 0.1 * w * w)  # `BENT`


def test_slow_motions_do_not_depend_on_the_way() -> None:
    times = np.random.default_rng(7).uniform(0.0, 3e3, 60).tolist()
    one, two = (for_run(Function(lambda t: 1.0 - math.cos(1e-3 * t))) for _ in range(2))
    forward = {t: one.at(t) for t in sorted(times)}
    assert forward == {t: two.at(t) for t in sorted(times, reverse=True)}


@pytest.mark.parametrize("s", [0.2, 0.1, 0.05, 0.02])
def test_a_ramp_whose_begin_is_round_off(s: float) -> None:
    """1 + tanh is a few multiples of 1e-16 long before the ramp."""
    motion = for_run(Function(lambda t: 0.005 * (1.0 + math.tanh((t - 2.0) / s))))
    for t in np.linspace(0.0, 4.0, 801).tolist():
        _, v, a = motion.at(t)
        y = math.tanh((t - 2.0) / s)
        assert v == pytest.approx(0.005 * (1.0 - y * y) / s, abs=1e-9 * 0.005 / s)
        assert a == pytest.approx(-0.01 * y * (1.0 - y * y) / s**2, abs=1e-6 * 0.005 / s**2)


def test_what_is_small_beside_later_values_is_kept() -> None:
    """A kink beside later growth, a ripple beside a long way."""
    cubed = for_run(Function(lambda t: abs(t - 0.3) ** 3, check=()))
    assert cubed.at(0.1) == pytest.approx((0.008, -0.12, 1.2), abs=1e-9)
    ripple = for_run(Function(lambda t: 100.0 * t + 1e-7 * math.sin(300.0 * t)))
    for t in (0.0, 0.37, 12.0):
        error = 1e-13 * 100.0 * max(t, 0.1) * 16**4 / 3.0 * (2.0 * 64.0) ** 2  # of a cell of 1/64
        assert ripple.at(t)[2] == pytest.approx(-9e-3 * math.sin(300.0 * t), abs=error)


def test_stairs_are_no_round_off() -> None:
    for stairs, t in ((lambda t: math.floor(1e3 * t) / 1e3, 0.251), (lambda t: float(t >= 0.3), 0.3)):
        motion = for_run(Function(stairs, check=()))
        with pytest.raises(ModelError, match="no smooth derivative"):
            motion.at(t)


@pytest.mark.parametrize("width", [1e-3, 3e-4, 1e-4])
def test_a_pulse_asked_for_at_once(width: float) -> None:
    """Differences wider than the pulse would tell two times zero."""
    motion = Function(lambda t: math.exp(-(((t - 0.5) / width) ** 2)), check=())
    value, rate, _ = motion.at(0.5 - 0.3 * width)
    assert value == pytest.approx(math.exp(-0.09), rel=1e-9)
    assert rate == pytest.approx(0.6 / width * math.exp(-0.09), rel=1e-9)


@pytest.mark.parametrize("frequency", [100.0, 200.0, 300.0, 400.0, 1000.0])
def test_vibration_beside_growth(frequency: float) -> None:
    """What is small beside the values a million units of time later is no round-off."""
    w = 2.0 * math.pi * frequency
    motion = for_run(Function(lambda t: 5.0 * t * t + 1e-3 * math.sin(w * t)))
    for t in np.linspace(0.01, 1.7, 29).tolist():
        assert motion.at(t)[2] == pytest.approx(10.0 - 1e-3 * w * w * math.sin(w * t), abs=1e-6 * 1e-3 * w * w)


def test_a_ramp_and_an_exponential_with_ripples() -> None:
    ramp = for_run(Function(lambda t: 5.0 * t * t + 1e-2 * math.tanh((t - 0.505) / 0.01)))
    growth = for_run(Function(lambda t: math.exp(t) + math.sin(50.0 * t)))
    for t in np.linspace(0.01, 1.7, 29).tolist():
        y = math.tanh((t - 0.505) / 0.01)
        assert ramp.at(t)[2] == pytest.approx(10.0 - 200.0 * y * (1.0 - y * y), abs=1e-6 * 77.0)
        assert growth.at(t)[2] == pytest.approx(math.exp(t) - 2500.0 * math.sin(50.0 * t), abs=1e-6 * 2500.0)


@pytest.mark.parametrize(("spacing", "noise"), [(1e-3, 1e-3), (1e-2, 1e-5), (1e-4, 1e-6)])
def test_splines_through_measured_values(spacing: float, noise: float) -> None:
    """Far outside the data they grow without bounds, which says nothing of the data; between knots they are cubics."""
    times = np.arange(0.0, 1.0 + spacing, spacing)
    data = np.sin(times) + noise * np.random.default_rng(1).standard_normal(len(times))
    spline = CubicSpline(times, data)
    motion, size = for_run(Function(lambda t: float(spline(t)), check=())), np.abs(spline(times, 2)).max()
    for k in range(3, 900, 97):
        t = float(times[int(k / 900 * (len(times) - 2))] + 0.37 * spacing)
        assert motion.at(t)[2] == pytest.approx(float(spline(t, 2)), abs=2e-3 * size)


@pytest.mark.parametrize(
    "function",
    [lambda t: 1.0, lambda t: 1e3 * math.pi, lambda t: 3.7 * (math.cos(3 * t) ** 2 + math.sin(3 * t) ** 2)],
)
def test_what_rounded_values_cannot_tell_from_rest_is_rest(function: Callable[[float], float]) -> None:
    for t in (0.0, 0.37, 12.0):
        assert Function(function).at(t) == (function(t), 0.0, 0.0)
        assert for_run(Function(function)).at(t) == (function(t), 0.0, 0.0)


def test_a_steady_motion_has_no_acceleration_and_a_small_one_stays() -> None:
    assert Function(lambda t: 1e3 + 0.3 * t).at(0.3) == (1000.09, pytest.approx(0.3), 0.0)
    value, rate, acceleration = Function(lambda t: 1.0 + 1e-9 * math.sin(10.0 * t)).at(0.3)
    assert (rate, acceleration) == pytest.approx((1e-8 * math.cos(3.0), -1e-7 * math.sin(3.0)), rel=1e-3)
    assert value == 1.0 + 1e-9 * math.sin(3.0)
