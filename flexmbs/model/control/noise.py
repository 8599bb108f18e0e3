r"""Noise that can be repeated: functions of time whose values depend on the seed and the time only.

There is no generator whose state would have to be kept: numbers come from the counter-based generator Philox, with the
seed as its key and the number of the sample as its counter (Salmon and others, Parallel random numbers: as easy as
1, 2, 3). So a resumed run has the same noise to the last bit, and so has one with other output times.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_number, as_time, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

__all__ = ["BandNoise", "WhiteNoise"]

HALF = 2**63
"""Added to sample numbers, so that negative ones are possible."""

ROUND_OFF = 1e-9
"""A time that is this part of a period before a sample, or 1e-15 of itself, counts as the sample."""


@dataclass(frozen=True)
class WhiteNoise:
    r"""Normally distributed numbers that do not depend on each other, a new one each period, held in between.

    The number of sample k, from t = k T on, is :math:`\sigma \sqrt{-2 \ln U_1} \cos 2 \pi U_2` with two uniform numbers
    of Philox (seed, k). Its one-sided power spectral density is :math:`2 \sigma^2 T` far below the frequency 1/T.

    Parameters
    ----------
    rms : float
        Standard deviation :math:`\sigma`, in the unit of what it is added to.
    period : float
        T [time]; for a sensor the period of its controller, or a part of it.
    seed : int
        Not negative. Different seeds give independent noise.

    Raises
    ------
    ModelError
        If ``rms`` is negative, or the period is not positive; when it is asked for a value, if the time is not a
        finite number.

    Examples
    --------
    >>> noise = WhiteNoise(0.1, period=0.01, seed=7)
    >>> noise(0.5) == noise(0.509) == noise.sample(50), noise(0.5) == noise(0.51)
    (True, False)
    """

    rms: float
    period: float
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "rms", as_number("WhiteNoise", "rms", self.rms, minimum=0.0))
        object.__setattr__(self, "period", as_number("WhiteNoise", "period", self.period, above=0.0, unit="time"))
        object.__setattr__(self, "seed", as_count("WhiteNoise", "seed", self.seed))

    def __call__(self, t: float) -> float:
        t = as_time("WhiteNoise", t)
        number = t / self.period
        if not abs(number) < HALF:
            raise ModelError(
                f"WhiteNoise: t = {t:g} is sample number {number:.3g} of period {self.period:g}; numbers go up to "
                f"2^63. Give a period of the order of the steps of the model."
            )
        return self.sample(math.floor(number + ROUND_OFF * max(1.0, 1e-6 * abs(number))))

    def sample(self, number: int) -> float:
        """The number of sample ``number``, a whole number between -2^63 and 2^63."""
        whole = isinstance(number, numbers.Integral) and not isinstance(number, bool)
        if not whole or not -HALF <= number < HALF:
            raise ModelError(
                f"WhiteNoise: number must be a whole number between -2^63 and 2^63, not {show(number)}; call the "
                f"noise itself with a time."
            )
        u = _uniform(self.seed, int(number) + HALF, 2)
        return float(self.rms * math.sqrt(-2.0 * math.log(1.0 - u[0])) * math.cos(2.0 * math.pi * u[1]))


@dataclass(frozen=True, eq=False)
class BandNoise:
    r"""Noise of constant power between two frequencies, and none outside: a smooth function of time.

    .. math:: n(t) = \sigma \sqrt{2/N} \sum_{i=1}^{N} \cos(2 \pi f_i t + \varphi_i)

    The band is cut into N equal parts, each with one frequency f_i anywhere in it and a phase, both from Philox. The
    values are nearly normally distributed, and never repeat.

    Parameters
    ----------
    rms : float
        :math:`\sigma`, in the unit of what it drives. Over a long time the mean square is its square.
    band : (2,) sequence
        Lowest and highest frequency [1/time].
    seed : int
        Not negative. Different seeds give independent noise.
    count : int, default 256
        N. Over times longer than N / (width of the band) single lines of the spectrum can be told apart.

    Raises
    ------
    ModelError
        If the band is empty or negative, or there are fewer than 8 parts; when it is asked for a value, if the time is
        not a finite number.

    Examples
    --------
    >>> noise = BandNoise(0.1, band=(0.2, 10.0), seed=7)
    >>> noise(0.25) == BandNoise(0.1, band=(0.2, 10.0), seed=7)(0.25)
    True
    """

    rms: float
    band: Sequence[float] | FloatArray
    seed: int
    count: int = 256
    frequencies: FloatArray = field(init=False, repr=False)
    phases: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rms", as_number("BandNoise", "rms", self.rms, minimum=0.0))
        low, high = as_array("BandNoise", "band", self.band, (2,), unit="1/time").tolist()
        if not 0.0 <= low < high:
            raise ModelError(f"BandNoise: band must be (lowest, highest) frequency, not ({low:g}, {high:g}).")
        object.__setattr__(self, "band", (low, high))
        object.__setattr__(self, "seed", as_count("BandNoise", "seed", self.seed))
        object.__setattr__(self, "count", as_count("BandNoise", "count", self.count, minimum=8))
        u = _uniform(self.seed, 0, 2 * self.count)
        places = (np.arange(self.count) + u[: self.count]) / self.count
        object.__setattr__(self, "frequencies", frozen_copy(low + (high - low) * places))
        object.__setattr__(self, "phases", frozen_copy(2.0 * np.pi * u[self.count :]))

    def __call__(self, t: float) -> float:
        waves = np.cos(2.0 * np.pi * (self.frequencies * as_time("BandNoise", t)) + self.phases)
        return float(self.rms * math.sqrt(2.0 / self.count) * waves.sum())


def _uniform(seed: int, counter: int, count: int) -> FloatArray:
    """Numbers in [0, 1), the same on every machine."""
    raw = np.random.Philox(key=seed, counter=counter).random_raw(count)
    return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53
