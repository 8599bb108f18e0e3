"""Weightings for whole-body vibration and the dose: closed forms, the filter in time against its gain, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import flexmbs as fx

T = np.linspace(0.0, 30.0, 30001)


@pytest.mark.parametrize("weighting", ["Wk", "Wd"])
@pytest.mark.parametrize("frequency", [0.8, 4.0, 20.0])
def test_the_filter_has_its_gain(weighting: str, frequency: float) -> None:
    felt = fx.weighted_acceleration(T, np.sin(2 * np.pi * frequency * T), weighting)
    late = T > 20.0  # when what the start has left is gone
    amplitude = np.sqrt(2.0 * np.mean(felt[late][:-1] ** 2))
    exact = fx.frequency_weighting(weighting, [frequency])[0]
    assert amplitude == pytest.approx(exact, rel=1e-4)  # the mean over 10 s, without one state


@pytest.mark.parametrize("weighting", ["Wk", "Wd"])
@pytest.mark.parametrize("frequency", [4.0, 20.0, 60.0])
@pytest.mark.parametrize("states", [5.03, 10.07, 20.1])
def test_a_sine_with_few_states_a_period(weighting: str, frequency: float, states: float) -> None:
    """A cubic spline through a sine of the frequency x, in units of the sampling frequency, is a sine and its images.

    The nearest two, of sizes (x / (1 -+ x))^4, take as much from the sine. The filter may double what they leave.
    """
    t = np.arange(0.0, 40.0, 1.0 / (states * frequency))
    felt = fx.weighted_acceleration(t, np.sin(2 * np.pi * frequency * t), weighting)
    late = t > 20.0
    waves = np.column_stack((np.sin(2 * np.pi * frequency * t), np.cos(2 * np.pi * frequency * t)))[late]
    amplitude = np.linalg.norm(np.linalg.lstsq(waves, felt[late], rcond=None)[0])
    x = 1.0 / states
    bound = 2.0 * ((x / (1.0 - x)) ** 4 + (x / (1.0 + x)) ** 4)
    assert amplitude == pytest.approx(fx.frequency_weighting(weighting, [frequency])[0], rel=bound)


@pytest.mark.parametrize("weighting", ["Wk", "Wd"])
def test_cubics_are_filtered_exactly(weighting: str) -> None:
    """a = t^3, of the transform 6 / s^4: the residues of 6 H(s) / s^4 at the poles, with s^2 cancelled."""
    w = 2.0 * np.pi * np.array([0.4, 100.0, 12.5 if weighting == "Wk" else 2.0, 2.37, 3.35])
    over = 6.0 * Polynomial([w[1] ** 2, w[1] ** 2 / w[2]])
    under = Polynomial([w[0] ** 2, np.sqrt(2.0) * w[0], 1.0]) * Polynomial([w[1] ** 2, np.sqrt(2.0) * w[1], 1.0])
    under *= Polynomial([1.0, 1.0 / (0.63 * w[2]), 1.0 / w[2] ** 2])
    if weighting == "Wk":
        over *= Polynomial([1.0, 1.0 / (0.91 * w[3]), 1.0 / w[3] ** 2]) * (w[3] / w[4]) ** 2
        under *= Polynomial([1.0, 1.0 / (0.91 * w[4]), 1.0 / w[4] ** 2])
    t = np.linspace(0.0, 2.0, 41)
    poles, slope = under.roots(), under.deriv()
    at_zero = over(0.0) / under(0.0)
    exact = at_zero * t + (over.deriv()(0.0) - at_zero * slope(0.0)) / under(0.0)
    exact = exact + sum(over(p) / (slope(p) * p**2) * np.exp(p * t) for p in poles).real
    found = fx.weighted_acceleration(t, np.column_stack((t**3, -2.0 * t**3, 0.0 * t)), weighting)
    assert np.abs(found[:, 0] - exact).max() < 1e-9 * np.abs(exact).max()
    assert found[:, 1] == pytest.approx(-2.0 * found[:, 0], rel=1e-12)
    assert np.all(found[:, 2] == 0.0)


def test_the_weighting_falls_off_on_both_sides() -> None:
    """By the band: with f^2 below 0.4 Hz, and steeper than 1/f above 100 Hz."""
    low = fx.frequency_weighting("Wk", [0.01, 0.02])
    high = fx.frequency_weighting("Wk", [1000.0, 2000.0])
    assert low[1] / low[0] == pytest.approx(4.0, rel=1e-2)
    assert high[0] / high[1] == pytest.approx(8.0, rel=1e-2)


def test_the_dose_of_straight_pieces_is_exact() -> None:
    """A ramp from 0 to 2 in 5 s: 5 * 2^4 / 5."""
    assert fx.vibration_dose([0.0, 1.0, 5.0], [0.0, 0.4, 2.0]) == pytest.approx(16.0**0.25, rel=1e-14)


def test_the_total_is_of_fourth_powers() -> None:
    a = np.column_stack([np.ones(3), 2.0 * np.ones(3)])
    assert fx.vibration_dose([0.0, 0.5, 1.0], a) == pytest.approx(17.0**0.25, rel=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fx.frequency_weighting("Wb", [1.0]), r"one of \['Wd', 'Wk'\], not 'Wb'"),
        (lambda: fx.frequency_weighting("Wk", [1.0, 0.0]), "greater than 0"),
        (lambda: fx.weighted_acceleration([0.0, 1.0, 3.0], [1.0, 2.0, 3.0], "Wk"), "evenly spaced"),
        (lambda: fx.weighted_acceleration([0.0, 1.0], [1.0, 2.0, 3.0], "Wk"), "acceleration"),
        (lambda: fx.weighted_acceleration([0.0, 1.0], np.ones((2, 3, 3)), "Wk"), r"\(n,\) or \(n, m\)"),
        (lambda: fx.vibration_dose([0.0, 0.0], [1.0, 2.0]), "grow"),
        (lambda: fx.vibration_dose([0.0, 1.0], [1.0, np.nan]), "acceleration"),
        (lambda: fx.vibration_dose([0.0], [1.0]), "two times"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        call()
