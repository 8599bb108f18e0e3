"""Progress of long work, on standard error, with an estimate of the time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType

__all__ = ["Progress"]

QUIET = 1.0
"""Seconds of work before anything is shown, and between two lines where standard error is not a terminal (times 10)."""


class Progress:
    """Shows a fraction done; silent for work shorter than a second.

    Examples
    --------
    >>> with Progress("static", wanted=False) as progress:
    ...     progress.show(0.5, "half way")
    """

    def __init__(self, what: str, wanted: bool = True) -> None:
        self.what, self.wanted = what, wanted
        self.began = self.shown = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.used = False

    def __enter__(self) -> Progress:
        return self

    def show(self, fraction: float, text: str) -> None:
        """Say how far the work is, at most once a second."""
        now = time.monotonic()
        if not self.wanted or now - self.shown < QUIET * (1.0 if self.terminal else 10.0):
            return
        self.shown, self.used = now, True
        left = (now - self.began) * (1.0 - fraction) / fraction if fraction > 0.0 else float("nan")
        line = f"{self.what}: {100 * fraction:.0f} %, {text}, about {left:.0f} s left"
        sys.stderr.write(f"\r{line:<78}" if self.terminal else f"{line}\n")
        sys.stderr.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.used and self.terminal:
            sys.stderr.write("\n")
