"""Channel frequency classes against their gain in closed form, and the head injury criterion of known pulses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import flexmbs as fx

STEP = 1e-4


@pytest.mark.parametrize("cfc", [60.0, 180.0, 600.0, 1000.0])
@pytest.mark.parametrize("frequency", [50.0, 400.0, 1650.0])
def test_gain_and_phase(cfc: float, frequency: float) -> None:
    """Far from the ends a sine comes out in phase, with the gain of two passes."""
    t = np.arange(0.0, 0.4, STEP)
    wave = np.sin(2 * np.pi * frequency * t)
    gain = 1.0 / (1.0 + (np.tan(np.pi * frequency * STEP) / np.tan(np.pi * 2.0775 * cfc * STEP)) ** 4)
    inner = slice(1500, 2500)
    both = fx.channel_filter(t, np.column_stack((wave, 2 * wave)), cfc)
    np.testing.assert_allclose(both[inner, 0], gain * wave[inner], atol=1e-6)
    np.testing.assert_allclose(both[:, 1], 2 * both[:, 0], rtol=1e-12, atol=1e-15)


def test_class_of_heads_takes_three_decibels_at_1650_hertz() -> None:
    """SAE J211-1: -3 dB at 1.65 CFC, here with steps so small that the bilinear transform does not shift it."""
    t = np.arange(0.0, 0.04, 1e-6)
    out = fx.channel_filter(t, np.sin(2 * np.pi * 1650.0 * t), 1000.0)[15000:25000]
    assert 20 * np.log10(out.max()) == pytest.approx(-3.0, abs=0.1)


def test_injury_of_a_half_sine() -> None:
    """The best interval lies round the peak: maximum over its length of known integrals."""
    peak, length = 80.0, 0.02
    t = np.linspace(0.0, length, 4001)
    value = lambda d: -d * (2 * peak * length / np.pi * np.sin(np.pi * d / (2 * length)) / d) ** 2.5  # noqa: E731
    best = minimize_scalar(value, bounds=(1e-4, length), method="bounded")
    found = fx.head_injury_criterion(t, peak * np.sin(np.pi * t / length), longest=0.036)
    assert found == pytest.approx(-best.fun, rel=1e-5)
    short = fx.head_injury_criterion(t, peak * np.sin(np.pi * t / length), longest=0.005)
    assert short == pytest.approx(-value(0.005), rel=1e-5)
    assert short < found


def test_refusals() -> None:
    t = np.linspace(0.0, 1.0, 101)
    with pytest.raises(fx.ModelError, match="steps below"):
        fx.channel_filter(t, t, 1000.0)
    with pytest.raises(fx.ModelError, match="evenly spaced"):
        fx.channel_filter(t**2, t, 5.0)
    with pytest.raises(fx.ModelError, match="one for each time"):
        fx.channel_filter(t, t[:-1], 5.0)
    with pytest.raises(fx.ModelError, match="not negative"):
        fx.head_injury_criterion(t, -t)
    with pytest.raises(fx.ModelError, match="grow"):
        fx.head_injury_criterion(t[::-1], t)


def test_states_farther_apart_than_the_window() -> None:
    t = np.arange(0.0, 1.0, 0.02)
    with pytest.raises(fx.ModelError, match="store states more often"):
        fx.head_injury_criterion(t, np.full(len(t), 60.0))


@pytest.mark.parametrize("step", [1e-2, 7e-3, 4e-3])
def test_windows_that_are_no_multiple_of_the_step(step: float) -> None:
    """60 g for ever: T 60^2.5. A ramp of 4000 g/s: the last 15 ms have its mean 7.5 ms before the end."""
    t = step * np.arange(20)
    assert fx.head_injury_criterion(t, np.full(20, 60.0)) == pytest.approx(0.015 * 60.0**2.5, rel=1e-12)
    assert fx.head_injury_criterion(t, 4e3 * t) == pytest.approx(0.015 * (4e3 * (t[-1] - 0.0075)) ** 2.5, rel=1e-12)
