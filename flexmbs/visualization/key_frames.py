"""Key frames of a run: stored states about as far apart as the frames of a film, and states half way between them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.io.stored_states import StoredStates
from flexmbs.visualization.frames import film_speed, frame_rows

__all__ = ["KeyFrames"]

PIECE = 1 << 24
"""Bytes of coordinates that are read at a time, about."""


class KeyFrames:
    """Chosen states of a run.

    Parameters
    ----------
    owner : str
        For messages.
    stored : StoredStates
    fps : float
        Wanted key frames per second of film.
    speed : float, optional
        Time of the model per second of film; chosen by `flexmbs.visualization.frames.film_speed` if left out.

    Attributes
    ----------
    speed : float
        [time]
    rows : (n_f,) int array
        Numbers of the key frames among the stored states: those nearest to regular times, and the last one.
    times : (n_f,) array
        [time]
    between : int array
        Numbers of stored states nearest to the middle between two key frames, where there are any in between.

    Raises
    ------
    ModelError
        If the run has no states, they are not in the order of time, or there would be too many frames.
    """

    def __init__(self, owner: str, stored: StoredStates, fps: float, speed: float | None) -> None:
        if not stored.n:
            raise ModelError(f"{owner}: the run has no stored states.")
        self._owner, self._stored, t = owner, stored, stored.times()
        if (np.diff(t) < 0.0).any():
            raise ModelError(f"{owner}: the states do not follow each other in time, so there is no motion to show.")
        self.speed = film_speed(float(t[-1] - t[0])) if speed is None else speed
        rows = np.unique(np.append(frame_rows(owner, t, self.speed / fps), stored.n - 1))
        self.rows = rows[np.append(True, np.diff(t[rows]) > 0.0)]
        self.times = t[self.rows]
        middle = 0.5 * (self.times[1:] + self.times[:-1])
        after = np.clip(np.searchsorted(t, middle), 1, max(stored.n - 1, 1))
        before = np.abs(t[after - 1] - middle) <= np.abs(t[np.minimum(after, stored.n - 1)] - middle)
        nearest = np.where(before, after - 1, after)
        inside = (nearest > self.rows[:-1]) & (nearest < self.rows[1:])
        self.between: IntArray = nearest[inside].astype(np.int64)

    def read(self, rows: IntArray, most: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Times (n,) and coordinates (n, n_q) of ascending states, ``most`` at a time."""
        n_q = self._stored.rows(0, 1)[1].shape[1]
        reach = max(1, PIECE // (8 * max(1, n_q)))
        start = 0
        while start < len(rows):
            stop = int(np.searchsorted(rows, rows[start] + reach))
            stop = min(max(stop, start + 1), start + most)
            first = int(rows[start])
            t, q = self._stored.rows(first, int(rows[stop - 1]) + 1)
            chosen = rows[start:stop] - first
            if not np.isfinite(q[chosen]).all():
                raise ModelError(f"{self._owner}: a state between t = {t[0]:g} and {t[-1]:g} is not finite.")
            yield t[chosen], q[chosen]
            start = stop

    def spread(self, count: int) -> FloatArray:
        """Coordinates (n, n_q) at some key frames over the whole run."""
        rows = self.rows[np.unique(np.linspace(0, len(self.rows) - 1, count).astype(int))]
        return np.vstack([q for row in rows for _, q in self.read(np.array([row]), 1)])
