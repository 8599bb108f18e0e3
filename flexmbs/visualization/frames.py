"""Frames of films: how fast the time of the model goes by, and which stored states they show."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError

__all__ = ["film_speed", "frame_rows"]

MOST_FRAMES = 20_000
SHORT, LONG = 2.0, 30.0
"""Seconds of film from and up to which real time is watched."""


def film_speed(span: float) -> float:
    """Time of the model per second of film: real time where that takes 2 s to 30 s.

    Otherwise 1, 2 or 5 times a power of ten with which the film takes 10 to 25 s.

    Examples
    --------
    >>> film_speed(10.0), film_speed(0.03), film_speed(86400.0)
    (1.0, 0.002, 5000.0)
    """
    if SHORT <= span <= LONG or span == 0.0:
        return 1.0
    wanted = span / 10.0
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= wanted * (1.0 + 1e-12)))


def frame_rows(owner: str, times: FloatArray, interval: float) -> IntArray:
    """Numbers of the states nearest to the times of frames that are ``interval`` apart [time].

    Raises
    ------
    ModelError
        If there are more than 20 000.
    """
    count = 1 + int(min((times[-1] - times[0]) / interval + 1e-9, 1e9))
    if count > MOST_FRAMES:
        raise ModelError(
            f"{owner}: there would be {count} frames, more than {MOST_FRAMES}; raise speed, or lower fps. One unit of "
            f"time is taken as one second of film."
        )
    wanted = times[0] + interval * np.arange(count)
    after = np.clip(np.searchsorted(times, wanted), 1, max(len(times) - 1, 1)) if len(times) > 1 else np.zeros(1, int)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(times[before] - wanted) <= np.abs(times[after] - wanted), before, after).astype(np.int64)
