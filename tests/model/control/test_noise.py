"""Noise: spectrum, distribution, independence, and values that depend on seed and time only."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import signal, stats

import flexmbs as fx
from flexmbs.core.errors import ModelError


def values(noise, times) -> np.ndarray:
    return np.array([noise(float(t)) for t in times])


def test_white_noise_is_normal_and_white() -> None:
    noise = fx.control.WhiteNoise(0.5, 0.01, seed=3)
    x = np.array([noise.sample(k) for k in range(8000)])
    assert stats.kstest(x, "norm", args=(0.0, 0.5)).pvalue > 1e-3
    correlation = np.array([x[: len(x) - n] @ x[n:] for n in range(1, 20)]) / (x @ x)
    assert np.abs(correlation).max() < 4.5 / math.sqrt(8000)
    _, density = signal.welch(x, fs=100.0, nperseg=256)
    assert density[1:-1].mean() == pytest.approx(2 * 0.25 * 0.01, rel=0.05)  # one-sided, 2 sigma^2 T
    first, second = density[1:64].mean(), density[64:-1].mean()
    assert first == pytest.approx(second, rel=0.1)


def test_white_noise_is_held_over_its_period() -> None:
    noise = fx.control.WhiteNoise(1.0, 0.1, seed=3)
    for k in (-3, 0, 3, 7, 12345, 123456789, 10**11 + 3):
        assert noise(k * 0.1) == noise.sample(k) == noise((k + 0.9) * 0.1)
    assert len({noise.sample(k) for k in range(-50, 50)}) == 100


def test_the_numbers_are_those_of_the_generator() -> None:
    """Philox with the seed as key and the sample as counter, and the transform of Box and Muller."""
    raw = np.random.Philox(key=42, counter=5 + 2**63).random_raw(2)
    u = [int(r) // 2**11 / 2**53 for r in raw]
    expected = 0.7 * math.sqrt(-2 * math.log(1 - u[0])) * math.cos(2 * math.pi * u[1])
    assert fx.control.WhiteNoise(0.7, 1.0, seed=42).sample(5) == pytest.approx(expected, rel=1e-15)


def test_band_noise_has_its_power_in_the_band() -> None:
    rms, low, high = 0.3, 2.0, 10.0
    noise = fx.control.BandNoise(rms, (low, high), seed=8)
    x = values(noise, np.arange(40000) * 0.01)
    assert x.mean() == pytest.approx(0.0, abs=0.01)
    assert x.std() == pytest.approx(rms, rel=0.03)
    f, density = signal.welch(x, fs=100.0, nperseg=1024, detrend=False)
    level = rms**2 / (high - low)
    inside = (f > low + 0.3) & (f < high - 0.3)
    assert density[inside].mean() == pytest.approx(level, rel=0.05)
    assert density[(f < low - 0.4) | (f > high + 0.4)].max() < 1e-3 * level
    assert abs(stats.kurtosis(x)) < 0.2  # 0 for a normal distribution


def test_seeds_give_the_same_and_other_noise() -> None:
    t = np.arange(4000) * 0.05
    one, again, other = (values(fx.control.BandNoise(1.0, (0.2, 10.0), seed=s), t) for s in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.08
    white = [np.array([fx.control.WhiteNoise(1.0, 0.1, s).sample(k) for k in range(2000)]) for s in (1, 2)]
    assert abs(np.corrcoef(*white)[0, 1]) < 0.09


def test_values_do_not_depend_on_what_was_asked_before() -> None:
    t = [0.3, 17.2, 4.4]
    for noise in (fx.control.BandNoise(1.0, (0.0, 5.0), seed=1), fx.control.WhiteNoise(1.0, 0.01, seed=1)):
        assert values(noise, t).tolist() == values(noise, t[::-1]).tolist()[::-1]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fx.control.WhiteNoise(-1.0, 0.1, 0), "rms must be at least 0"),
        (lambda: fx.control.WhiteNoise(1.0, 0.0, 0), "period must be greater than 0"),
        (lambda: fx.control.WhiteNoise(1.0, 0.1, -1), "seed must be at least 0"),
        (lambda: fx.control.WhiteNoise(1.0, 0.1, 0.5), "seed must be a whole number"),
        (lambda: fx.control.BandNoise(1.0, (5.0, 1.0), 0), r"band must be \(lowest, highest\)"),
        (lambda: fx.control.BandNoise(1.0, (-1.0, 1.0), 0), r"band must be \(lowest, highest\)"),
        (lambda: fx.control.BandNoise(1.0, 3.0, 0), r"band must have shape \(2,\)"),
        (lambda: fx.control.BandNoise(1.0, (0.0, 1.0), 0, count=2), "count must be at least 8"),
    ],
)
def test_bad_noise(make, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        make()


def test_white_noise_whose_samples_have_no_number() -> None:
    """Numbers of samples have 63 bits."""
    noise = fx.control.WhiteNoise(1.0, 1e-300, seed=1)
    assert np.isfinite(noise(0.0))
    assert np.isfinite(noise(9e-282))
    for t in (1e-280, -1.0, 1e300):
        with pytest.raises(fx.ModelError, match=r"WhiteNoise: t = .* of period 1e-300; numbers go up to 2\^63\. Give"):
            noise(t)
