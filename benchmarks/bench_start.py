"""Start: how long a first script takes with nothing compiled, how long the next time, and the command line's help.

A small script (import, a model of 16 elements, one static solution) runs in processes of its own: first with an empty
cache folder of numba, then with the filled one. Besides processor time the wall time of the whole process is given,
which is what a user waits for.

    python benchmarks/bench_start.py
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import measure

SCRIPT = """
import json, sys, time
clock = time.process_time
t0 = clock()
import flexmbs as fx
t1 = clock()
element = fx.elements.{element}()
stiffness = fx.BeamStiffness(EA=1e5, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
dim = element.layout.dim
beam = fx.FlexibleBody.line((0,) * dim, (1,) + (0,) * (dim - 1), elements=16, element=element, stiffness=stiffness)
model = fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -0.1) + (0,) * (dim - 2)))
t2 = clock()
fx.solve_static(model)
t3 = clock()
fx.solve_static(model)
t4 = clock()
from flexmbs.core.jit import compile_seconds
print(json.dumps(dict(imported=t1 - t0, described=t2 - t1, first=t3 - t2, second=t4 - t3, compiling=compile_seconds())))
"""

ELEMENTS = ("ANCFCable2D", "ANCFCable3D", "LinearBeam2D", "LinearBeam3D")
WARM = 5
HELP_TARGET = 0.5
"""Seconds of wall time of `flexmbs --help`; the quickest of several runs counts, since other work slows all of them."""


def run(command: list[str], cache: str) -> tuple[float, str]:
    """Wall time and output of a process with this cache folder."""
    begin = time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, "NUMBA_CACHE_DIR": cache}, capture_output=True, text=True, check=False
    )
    taken = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:3])} ... failed:\n{done.stderr}")
    return taken, done.stdout


def line(element: str, state: str, runs: list[tuple[float, dict[str, Any]]]) -> list[object]:
    """A line of the table."""
    parts = ("imported", "described", "first", "second", "compiling")
    middle = {part: statistics.median(found[part] for _, found in runs) for part in parts}
    wall = statistics.median(taken for taken, _ in runs)
    return [element, state, *(f"{middle[part]:.3f}" for part in parts), f"{wall:.2f}"]


def main() -> None:
    print(measure.facts(), end="\n\n")
    rows = []
    for element in ELEMENTS:
        with tempfile.TemporaryDirectory() as cache:
            runs = []
            for _ in range(1 + WARM):
                taken, text = run([sys.executable, "-c", SCRIPT.format(element=element)], cache)
                runs.append((taken, json.loads(text.splitlines()[-1])))
        rows += [line(element, "cold", runs[:1]), line("", "warm", runs[1:])]
    print(f"seconds; processor time but for the last two columns; warm: medians of {WARM} runs\n")
    head = (
        "element",
        "cache",
        "import",
        "model",
        "first solution",
        "second solution",
        "compiling, wall",
        "whole, wall",
    )
    measure.table(head, rows)
    with tempfile.TemporaryDirectory() as cache:
        times = [run([sys.executable, "-m", "flexmbs", "--help"], cache)[0] for _ in range(2 * WARM)]
    sample = measure.Sample.of(times)
    print(
        f"\nflexmbs --help: {sample.low:.2f} s wall time (median {sample.median:.2f}), "
        f"target {HELP_TARGET}: {measure.verdict(sample.low, HELP_TARGET)}"
    )


if __name__ == "__main__":
    main()
