"""Weightings for whole-body vibration and the dose: closed forms, the filter in time against its gain, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx

T = np.linspace(0.0, 30.0, 30001)


@pytest.mark.parametrize("weighting", ["Wk", "Wd"])
@pytest.mark.parametrize("frequency", [0.8, 4.0, 20.0])
def test_the_filter_has_its_gain(weighting: str, frequency: float) -> None:
    felt = fx.weighted_acceleration(T, np.sin(2 * np.pi * frequency * T), weighting)
    late = T > 20.0  # when what the start has left is gone
    amplitude = np.sqrt(2.0 * np.mean(felt[late][:-1] ** 2))
    straight = (2 * np.pi * frequency * T[1]) ** 2 / 12.0  # between samples
    exact = fx.frequency_weighting(weighting, [frequency])[0]
    assert amplitude == pytest.approx(exact, rel=1e-4 + 2.0 * straight)


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
        (lambda: fx.vibration_dose([0.0, 0.0], [1.0, 2.0]), "grow"),
        (lambda: fx.vibration_dose([0.0, 1.0], [1.0, np.nan]), "acceleration"),
        (lambda: fx.vibration_dose([0.0], [1.0]), "two times"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        call()
