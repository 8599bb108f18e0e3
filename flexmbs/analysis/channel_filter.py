r"""Signals of crash tests: the channel frequency classes of SAE J211, and the head injury criterion."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.core.checks import as_array, as_number, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

__all__ = ["channel_filter", "head_injury_criterion"]

DESIGN = 2.0775
"""Frequency of each pass, where it takes off 3 dB, by the class [Hz]; both together take off 3 dB at 1.65 times it."""
SLOWEST = 1e-8
"""Least share of the sampling rate at which a filter of two poles is still one in floating point."""
EVEN = 1e-6
"""Part of a step by which times may be uneven."""


def channel_filter(t: ArrayLike, values: ArrayLike, frequency_class: float) -> FloatArray:
    r"""A signal without what lies above its channel frequency class (CFC), and without a shift in time.

    A Butterworth filter of second order runs over the signal forwards and backwards. With the step T and
    :math:`\omega = \tan(\pi\, 2.0775\,\mathrm{CFC}\, T)` its gain at the frequency f is

    .. math:: |H| = \frac{1}{1 + (\tan(\pi f T) / \omega)^4} .

    Parameters
    ----------
    t : (n,) array
        Times [s], evenly spaced.
    values : (n,) or (n, m) array
        Signals, of any unit.
    frequency_class : float
        60, 180, 600 or 1000 by SAE J211-1 (head accelerations: 1000); any other positive number is taken as well.

    Returns
    -------
    ndarray
        Of the shape of ``values``.

    Raises
    ------
    ModelError
        If times are not even, arrays do not fit, or the class needs shorter steps.

    Notes
    -----
    Limits: at the ends the signal is continued by its own point reflection.

    Source: SAE J211-1:2014, Appendix C.

    Examples
    --------
    >>> import numpy as np, flexmbs as fx
    >>> t = np.arange(0.0, 0.2, 1e-4)
    >>> hum = fx.channel_filter(t, np.sin(2 * np.pi * 100.0 * t), 60.0)
    >>> round(float(hum[500:1500].max()), 3), round(1 / (1 + (100 / (2.0775 * 60)) ** 4), 3)
    (0.707, 0.707)
    """
    from scipy.signal import butter, filtfilt  # of 0.3 s, for this alone

    owner = "channel_filter"
    times, signal = _signal(owner, t, values)
    cfc = as_number(owner, "frequency_class", frequency_class, above=0.0, unit="1/time")
    steps = np.diff(times)
    if len(steps) < 12 or np.ptp(steps) > EVEN * steps.mean():
        raise ModelError(f"{owner}: it needs 13 evenly spaced times or more; use output=fx.Output(every=...).")
    step = float(steps.mean())
    if DESIGN * cfc * step >= 0.5:
        raise ModelError(f"{owner}: class {show(cfc)} needs steps below {0.5 / (DESIGN * cfc):.3g}, not {step:.3g}.")
    if DESIGN * cfc * step < SLOWEST:
        raise ModelError(
            f"{owner}: class {show(cfc)} passes less than {SLOWEST:g} periods in a step of {step:.3g}; is its unit one "
            f"over that of t?"
        )
    above, below = butter(2, DESIGN * cfc, fs=1.0 / step)
    return np.asarray(filtfilt(above, below, signal, axis=0))


def head_injury_criterion(t: ArrayLike, acceleration: ArrayLike, longest: float = 0.015) -> float:
    r"""Head injury criterion of the resultant acceleration of a head, which is given in multiples of g, not in m/s^2.

    .. math:: \mathrm{HIC} = \max_{t_1 < t_2 \le t_1 + T}\;(t_2 - t_1)
       \Big(\frac{1}{t_2 - t_1}\int_{t_1}^{t_2} a\, dt\Big)^{2.5}

    Parameters
    ----------
    t : (n,) array
        Times [s], growing.
    acceleration : (n,) array
        Resultant, in multiples of g, not negative; straight between the times.
    longest : float, default 0.015
        T [s]: 15 ms, or 36 ms.

    Returns
    -------
    float
        [s], as it is usually quoted without unit.

    Raises
    ------
    ModelError
        If times do not grow or are farther apart than ``longest``, or accelerations are negative or do not fit.

    Notes
    -----
    Limits: one of the two times is among those given, so steps must be small against the pulse.

    Source: Federal Motor Vehicle Safety Standard 208, S6.2.

    Examples
    --------
    >>> import numpy as np, flexmbs as fx
    >>> t = np.linspace(0.0, 0.1, 1001)
    >>> round(fx.head_injury_criterion(t, np.full(1001, 60.0)), 3), round(0.015 * 60**2.5, 3)
    (418.282, 418.282)
    """
    owner = "head_injury_criterion"
    times, a = _signal(owner, t, acceleration)
    most = as_number(owner, "longest", longest, above=0.0, unit="time")
    if a.ndim != 1 or (a < 0.0).any():
        raise ModelError(f"{owner}: expected resultant accelerations (n,), which are not negative.")
    widest = float(np.diff(times).max())
    if widest > most * (1.0 + 1e-9):
        raise ModelError(
            f"{owner}: times are up to {widest:.3g} apart, more than the window of {most:.3g}, within which the "
            f"acceleration is then unknown; store states more often, with output=fx.Output(every=...)."
        )
    speed = np.concatenate(([0.0], np.cumsum(0.5 * (a[1:] + a[:-1]) * np.diff(times))))
    best = 0.0
    for i in range(len(times) - 1):
        last = int(np.searchsorted(times, times[i] + most * (1.0 + 1e-9), side="right"))
        length = times[i + 1 : last] - times[i]
        best = max(best, float((length * ((speed[i + 1 : last] - speed[i]) / length) ** 2.5).max()))
    # Windows of the full length end between the times: 15 ms are no multiple of 10 ms.
    for first in (times[times + most <= times[-1]], times[times - most >= times[0]] - most):
        gained = _speed(times, a, speed, first + most) - _speed(times, a, speed, first)
        best = max(best, float((most * (gained / most) ** 2.5).max(initial=0.0)))
    return best if math.isfinite(best) else math.inf


def _speed(times: FloatArray, a: FloatArray, speed: FloatArray, at: FloatArray) -> FloatArray:
    """Integral of a straight acceleration up to times between those given."""
    i = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    after = at - times[i]
    slope = (a[i + 1] - a[i]) / (times[i + 1] - times[i])
    return np.asarray(speed[i] + after * (a[i] + 0.5 * after * slope))


def _signal(owner: str, t: ArrayLike, values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Times that grow, and as many finite values."""
    times = as_array(owner, "t", t, (None,), unit="time")
    signal = as_array(owner, "the signal", values, (None,) * max(1, len(shape_of(values))))
    if len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise ModelError(f"{owner}: expected two times or more that grow.")
    if signal.shape[:1] != times.shape:
        raise ModelError(f"{owner}: expected {len(times)} finite values, one for each time, not {signal.shape}.")
    return times, signal
