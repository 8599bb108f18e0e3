"""Cost of a point of a path beside a load step of solve_static, and of chains of growing length: processor time.

python benchmarks/bench_paths.py
"""

from __future__ import annotations

import math
import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import flexmbs as fx
from flexmbs.elements import ANCFCable2D, CableStrain
from flexmbs.verification.cases.statics.equilibrium_paths import lee
from flexmbs.verification.cases.statics.snapping_roof import roof

REPEATS = 5


def timed(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """Median processor time [s], and the last result; once before for what is compiled."""
    result, seconds = work(), []
    for _ in range(repeats):
        begin = time.process_time()
        result = work()
        seconds.append(time.process_time() - begin)
    return statistics.median(seconds), result


def arch(elements: int = 48) -> fx.Model:
    """The two-hinged half circle."""
    rod = fx.FlexibleBody(
        fx.meshes.arc((0, 0), radius=100.0, start_angle=math.pi, end_angle=0.0, elements=elements),
        ANCFCable2D(strain=CableStrain.MATERIAL),
        stiffness=fx.BeamStiffness(EA=1e8, EI_z=1e6, mass_per_length=1.0),
        name="arch",
    )
    push = fx.PointForce(rod.at((0.0, 100.0)), (0.0, -1.0))
    return fx.Model(rod, fx.Pin(rod.start), fx.Pin(rod.end), push, name="arch")


def chain(elements: int) -> fx.System:
    """A cantilever bent far by a force at its end, four unknowns a node."""
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0), name="rod",
    )  # fmt: skip
    return fx.compile_model(fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0.0, -1.0)), name="chain"))


def beside_statics(name: str, model: fx.Model, until: float, safe: float) -> None:
    """A path, and load steps of the same model up to a load below its first critical one."""
    system = fx.compile_model(model)
    options = fx.StaticOptions(steps=10)
    scaled = [load for load in model.loads if isinstance(load, fx.PointForce)]
    heavier = fx.compile_model(
        fx.Model(*model.flexible_bodies, *model.joints, *model.supports,
                 *(fx.PointForce(x.at, tuple(safe * f for f in x.force)) for x in scaled), name=name)
    )  # fmt: skip
    path_seconds, paths = timed(lambda: fx.trace_static(system, until=until, progress=False))
    step_seconds, _ = timed(lambda: fx.solve_static(heavier, options))
    point, step = path_seconds / len(paths[0]), step_seconds / 10
    print(
        f"{name:6s} {system.n:6d} unknowns: {len(paths[0]):3d} points, {1e3 * point:7.2f} ms a point, "
        f"{1e3 * step:7.2f} ms a load step, ratio {point / step:.2f}"
    )


def main() -> None:
    """All rows."""
    warnings.simplefilter("ignore")
    print(f"median of {REPEATS} runs, processor time, one thread; a point with its stability and what is critical")
    beside_statics("arch", arch(), 900.0, 550.0)
    beside_statics("Lee", lee()[1], 20000.0, 15000.0)
    beside_statics("roof", roof(6.35)[2], 600.0, 500.0)
    before = None
    for elements in (625, 1250, 2500, 5000):
        system = chain(elements)
        seconds, paths = timed(lambda s=system: fx.trace_static(s, until=20.0, progress=False), 3)  # type: ignore[misc]
        point = seconds / len(paths[0])
        growth = f", {point / before:.2f} times the row before" if before else ""
        print(f"chain  {system.n:6d} unknowns: {len(paths[0]):3d} points, {1e3 * point:7.2f} ms a point{growth}")
        before = point


if __name__ == "__main__":
    main()
