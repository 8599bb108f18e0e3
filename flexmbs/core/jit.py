"""How flexmbs compiles its kernels, and how long that took.

`kernel` is numba's ``njit`` with the settings every kernel of the package shares: cached on disk, no fast-math (NaN
tests and reproducibility), division by zero as in numpy (a kernel never raises). `compile_seconds` tells how much of
this process went into compiling; the first compilation says so on standard error, once.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from numba.core import event

from flexmbs.core.kernel_cache import follow_callees

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compile_seconds", "inlined", "kernel"]

F = TypeVar("F", bound="Callable[..., Any]")


def kernel(function: F) -> F:
    """Compile a module-level function on its first call with each signature, and keep the machine code on disk."""
    return cast("F", _compiled(function))


def inlined(function: F) -> F:
    """A kernel that is always compiled into its callers.

    For functions of numbers and tuples between the reading and the writing of arrays: only then numba sees that the
    arrays live on, and leaves out counting their references, which can cost more than the function.
    """
    return cast("F", _compiled(function, forceinline=True))


def _compiled(function: Any, **options: bool) -> Any:
    """numba's function with the settings that all share."""
    dispatcher = numba.njit(cache=True, fastmath=False, error_model="numpy", **options)(function)
    follow_callees(dispatcher)
    return dispatcher


class _Stopwatch(event.Listener):  # type: ignore[misc]  # numba has no type information
    """Adds up the time between the outermost start and end of a compilation; a hit in the cache compiles nothing."""

    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.total = 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.began = time.perf_counter()
            if self.total == 0.0:
                sys.stderr.write("flexmbs: compiling kernels, once; they are kept for the next time ...\n")
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.total += time.perf_counter() - self.began


_stopwatch = _Stopwatch()
event.register("numba:compile", _stopwatch)


def compile_seconds() -> float:
    """Seconds this process has spent compiling kernels so far."""
    return _stopwatch.total
