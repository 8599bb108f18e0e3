"""Start of the step driver: compiling it, loading it in another process, and what a run pays each time.

Each set of types is met by three processes with a cache folder of their own: the first compiles the kernels of the loop
in Python, the second the driver, the third finds it. Processor time, without imports of the package itself.

    python benchmarks/bench_driver.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import measure

SCRIPT = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import flexmbs as fx
import bench_dynamics as b
from flexmbs.core.jit import compile_seconds
from flexmbs.dynamics.evaluation import Dynamics
make = {"crank": b.crank, "chain": lambda: b.chain(10), "cable": lambda: b.pendulum(20)}[sys.argv[2]]
system = fx.compile_model(make()[0])
compiled = sys.argv[3] == "driver"
for index in (2, 3):  # a run evaluates before it steps
    fx.simulate(system, 0.01, step=1e-3, integrator=fx.GeneralizedAlpha(index=index, compiled=False))
times = []
for _ in range(2):
    dynamics = Dynamics(system)
    began = time.process_time()
    fx.GeneralizedAlpha(index=3, compiled=compiled).stepper(dynamics, 1.0)
    times.append(time.process_time() - began)
print(json.dumps(dict(first=times[0], again=times[1], compiling=compile_seconds())))
"""

COLD, CACHED = 5.0, 0.1
"""Targets [s]: compiling the driver of a set of types, the kernels being there; taking it from the cache."""


def run(name: str, what: str, cache: str) -> dict[str, float]:
    """Times of a process with this cache folder."""
    command = [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), name, what]
    done = subprocess.run(
        command, env={**os.environ, "NUMBA_CACHE_DIR": cache}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def main() -> None:
    print(measure.facts())
    rows, verdicts = [], []
    with tempfile.TemporaryDirectory() as cache:
        for name in ("crank", "chain", "cable"):
            kernels = run(name, "loop", cache)
            cold, cached = run(name, "driver", cache), run(name, "driver", cache)
            rows.append(
                [name, f"{kernels['compiling']:.1f}", f"{cold['first']:.2f}", f"{cached['first']:.3f}",
                 f"{cached['again'] * 1e3:.1f}"]
            )  # fmt: skip
            verdicts.append(f"{name}: compiled in {cold['first']:.2f} s, target {COLD} s: "
                            f"{measure.verdict(cold['first'], COLD)}")  # fmt: skip
            verdicts.append(f"{name}: from the cache in {cached['first']:.3f} s, target {CACHED} s: "
                            f"{measure.verdict(cached['first'], CACHED)}")  # fmt: skip
    measure.table(("model", "kernels [s]", "driver, compiled [s]", "from the cache [s]", "in a later run [ms]"), rows)
    print("\n".join(verdicts))


if __name__ == "__main__":
    main()
