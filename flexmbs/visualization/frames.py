"""Frames of films: which stored states they show."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError

__all__ = ["frame_rows"]

MOST_FRAMES = 20_000


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
