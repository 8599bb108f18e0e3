"""Progress of long work, on standard error, with an estimate of the time left, which compiling is no part of."""

from __future__ import annotations

import sys
import time
from types import TracebackType

__all__ = ["Compiling", "Progress"]

QUIET = 1.0
"""Seconds of work before anything is shown, and between two lines where standard error is not a terminal (times 10)."""


class Compiling:
    """Says what is being compiled, and for how long already: at first, and then as often as `Progress` speaks.

    ``seconds``: spent so far in this process.
    """

    seconds = 0.0

    def __init__(self) -> None:
        self.count, self.began, self.shown, self.open = 0, 0.0, 0.0, False

    def start(self, title: str) -> None:
        """A kernel begins to be compiled; those within it are no starts of their own."""
        self.began = time.monotonic()
        if self.count == 0:
            self._say("flexmbs: compiling kernels, once; they are kept for the next time ...\n")
            self.shown = self.began
        self.count += 1
        self.name(title)

    def name(self, title: str) -> None:
        """The kernel that is at work now."""
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if now - self.shown < QUIET * (1.0 if terminal else 10.0):
            return
        self.shown = now
        line = f"flexmbs: compiling {title}; {self.count} kernels, {Compiling.seconds + now - self.began:.0f} s so far"
        self._say(f"\r{line[:78]:<78}" if terminal else f"{line}\n")
        self.open = terminal

    def stop(self) -> None:
        """It is compiled."""
        Compiling.seconds += time.monotonic() - self.began
        if self.open:
            self._say(f"\r{'':<78}\r")
            self.open = False

    def _say(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class Progress:
    """Shows a fraction done; silent for work shorter than a second.

    Examples
    --------
    >>> with Progress("static", wanted=False) as progress:
    ...     progress.show(0.5, "half way")
    """

    def __init__(self, what: str, wanted: bool = True) -> None:
        self.what, self.wanted = what, wanted
        self.shown = time.monotonic()
        self.first: tuple[float, float] | None = None
        self.terminal = sys.stderr.isatty()
        self.used = False

    def __enter__(self) -> Progress:
        return self

    def show(self, fraction: float, text: str) -> None:
        """Say how far the work is, at most once a second.

        What is left is estimated from what was done since this was asked first: what comes before, such as the set-up
        of a run and machine code that is loaded, is not done again.
        """
        now = time.monotonic()
        worked = now - Compiling.seconds
        if self.first is None:
            self.first = fraction, worked
        if not self.wanted or now - self.shown < QUIET * (1.0 if self.terminal else 10.0):
            return
        self.shown, self.used = now, True
        line = f"{self.what}: {100 * fraction:.0f} %, {text}"
        done, taken = fraction - self.first[0], worked - self.first[1]
        if done > 0.0 and taken > 0.0:
            line += f", about {taken * (1.0 - fraction) / done:.0f} s left"
        sys.stderr.write(f"\r{line:<78}" if self.terminal else f"{line}\n")
        sys.stderr.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.used and self.terminal:
            sys.stderr.write("\n")
