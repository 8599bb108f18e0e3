"""Ctrl-C during long work, and a time after which it shall end: noted, and obeyed between two steps."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any

__all__ = ["Interruption", "time_limit"]

_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)
"""Reading of the monotonic clock at which motions within this context end."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Motions within that last longer end INTERRUPTED between two steps; None: as long as they take."""
    token = _DEADLINE.set(None if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


class Interruption:
    """``wanted`` becomes True at the first Ctrl-C; a second one interrupts at once.

    Outside of the main thread Ctrl-C is not looked at; a `time_limit` counts everywhere.
    """

    def __init__(self) -> None:
        self._noted = False
        self._before: Any = None
        self._deadline = _DEADLINE.get()

    @property
    def wanted(self) -> bool:
        """Whether the work shall end."""
        return self._noted or (self._deadline is not None and time.monotonic() > self._deadline)

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._noted:
            raise KeyboardInterrupt
        self._noted = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
