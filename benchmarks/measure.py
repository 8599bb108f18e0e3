"""What the benchmarks share: one thread, process time, medians, tables, facts about the machine.

Import this module before numpy: it limits the linear-algebra libraries to one thread.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

__all__ = ["Sample", "cpu_time", "facts", "processor", "repeated", "table", "verdict"]


class Sample(NamedTuple):
    """Median, smallest and largest of several measurements."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Sample:
        return cls(statistics.median(values), min(values), max(values))

    def scaled(self, factor: float) -> Sample:
        return Sample(self.median * factor, self.low * factor, self.high * factor)


def cpu_time(call: Callable[[], object]) -> float:
    """Processor seconds of this process for one call."""
    gc.collect()
    begin = time.process_time()
    call()
    return time.process_time() - begin


def repeated(call: Callable[[], object], repetitions: int = 15, at_least: float = 0.02) -> Sample:
    """Processor seconds per call; a repetition makes as many calls as fill ``at_least`` seconds."""
    call()
    calls = 1
    while (taken := _loop(call, calls)) < at_least:
        calls = max(2 * calls, int(1.2 * calls * at_least / max(taken, 1e-6)))
    return Sample.of([_loop(call, calls) / calls for _ in range(repetitions)])


def _loop(call: Callable[[], object], calls: int) -> float:
    begin = time.process_time()
    for _ in range(calls):
        call()
    return time.process_time() - begin


def processor() -> str:
    """The processor's name, where the system tells it."""
    file = Path("/proc/cpuinfo")
    if file.exists():
        for row in file.read_text().splitlines():
            if row.startswith("model name"):
                return row.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def facts() -> str:
    """One paragraph: versions, processor, load of the machine."""
    versions = [f"{name} {_version(name)}" for name in ("flexmbs", "numpy", "scipy", "numba", "scikit-sparse")]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Python {platform.python_version()}, {', '.join(versions)}\n"
        f"{platform.system()}, {os.cpu_count()} x {processor()}{load}; one thread, processor time, medians"
    )


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def verdict(value: float, target: float) -> str:
    """Whether a value is within its upper limit."""
    return "ok" if value <= target else "MISSED"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print columns: the first one left, the others right."""
    cells = [[str(c) for c in row] for row in (head, *rows)]
    width = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for number, row in enumerate(cells):
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, width, strict=True))))
        if number == 0:
            print("  ".join("-" * w for w in width))
