"""Studies beside Exudyn's ParameterVariation: slider-cranks on two processes, and what many small statics cost.

Wall time, as several processes work; the load of the machine is printed, and should be small. Exudyn holds constraints
by positions (index 3), which is its default and its fastest; flexmbs is shown with the same, and with its own default,
stabilised index 2. What a run costs beside its steps is processor time in this process.

    python benchmarks/bench_studies.py [runs] [statics]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import measure
import numpy as np
import peer

import flexmbs as fx
from flexmbs.integrators.compiled.driver import Driver
from flexmbs.studies.outcomes import Job, Plan
from flexmbs.studies.runner import workers_of

P = {
    "rod": 0.5, "speed": 20.0, "crank_mass": 1.0, "slider_mass": 0.5, "gravity": 9.81, "until": 1.0, "steps": 1000,
    "rtol": 1e-6, "rho": 0.9,
}  # fmt: skip
TARGET = 0.35


def slider_crank(radius: float, rod_mass: float) -> fx.Model:
    """A planar slider-crank that turns on."""
    length, speed = P["rod"], P["speed"]
    wheel = fx.PlanarRigidBody(P["crank_mass"], P["crank_mass"] * radius**2 / 12, position=(radius / 2, 0),
                               velocity=(0, speed * radius / 2), angular_velocity=speed, name="crank")  # fmt: skip
    rod = fx.PlanarRigidBody(rod_mass, rod_mass * length**2 / 12, position=(radius + length / 2, 0),
                             velocity=(0, speed * radius / 2), angular_velocity=-speed * radius / length,
                             name="rod")  # fmt: skip
    slider = fx.PlanarRigidBody(P["slider_mass"], P["slider_mass"] * 1e-3, position=(radius + length, 0), name="slider")
    joints = [
        fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="axle"),
        fx.RevoluteJoint(wheel, rod, at=(radius, 0), name="pin"),
        fx.RevoluteJoint(rod, slider, at=(radius + length, 0), name="wrist"),
        fx.PrismaticJoint(fx.ground, slider, at=(radius + length, 0), axis=(1, 0), name="guide"),
    ]
    return fx.Model(wheel, rod, slider, *joints, fx.Gravity((0, -P["gravity"])), name="slider-crank")


def end_of(run: fx.TimeSolution) -> float:
    """Where the slider is at the end."""
    return float(run.position("slider", -1)[0])


def cranks(count: int, index: int = 3) -> fx.studies.Study:
    """A grid of about so many runs."""
    side = max(round(count**0.5), 2)
    family = fx.studies.Family(slider_crank, radius=fx.studies.Between(0.1, 0.2), rod_mass=fx.studies.Between(0.5, 1.2))
    scheme = fx.GeneralizedAlpha(rho_inf=P["rho"], index=index)
    analysis = fx.studies.Simulation(P["until"], step=P["until"] / P["steps"], integrator=scheme,
                                     output=fx.Output(every=P["until"], energy=False))  # fmt: skip
    return fx.studies.Study(
        family, fx.studies.Grid(radius=side, rod_mass=side), fx.studies.Measure("x", end_of), analysis
    )


def bar(stiffness: float) -> fx.Model:
    """The smallest structure: a cantilever of one element."""
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=1, element=fx.elements.LinearBeam2D(),
                                stiffness=fx.BeamStiffness(EA=1e6, EI_z=stiffness, mass_per_length=1.0))  # fmt: skip
    return fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0)))


def timed(study: fx.studies.Study, file: Path, workers: object) -> tuple[float, fx.studies.StudyResults]:
    """Wall time of a study."""
    began = time.perf_counter()
    done = study.run(file, workers=workers, anew=True, progress=False)
    return time.perf_counter() - began, done


def beside_steps(study: fx.studies.Study) -> tuple[float, float, float]:
    """Processor seconds of a run: all of it, its steps, and all but its steps; the least, and the medians."""
    inside = [0.0]
    genuine = Driver._run

    def timed_steps(*given: Any) -> int:
        began = time.thread_time()
        made = genuine(*given)
        inside[0] += time.thread_time() - began
        return made

    plan = Plan(study.family, study.analysis, study.measures, None, 1000)
    Driver._run = timed_steps  # type: ignore[method-assign]
    rows = []
    try:
        for i, values in enumerate(study.samples.draw(study.family)):
            inside[0], began = 0.0, time.thread_time()
            Job(i, values, plan).run()
            whole = time.thread_time() - began
            rows.append((inside[0], whole - inside[0]))
    finally:
        Driver._run = genuine  # type: ignore[method-assign]
    steps, rest = np.array(rows[len(rows) // 10 :]).T
    return float(np.median(steps)), float(rest.min()), float(np.median(rest))


def all_ways(runs: int, index: int, folder: Path) -> tuple[dict[int, float], fx.studies.StudyResults]:
    """Wall time here and on one and two workers."""
    study, file = cranks(runs, index), folder / "cranks.h5"
    timed(study, file, 0)  # whatever is compiled once
    walls: dict[int, float] = {}
    walls[0], done = timed(study, file, 0)
    for workers in (1, 2):
        with workers_of(workers) as client:
            timed(study, file, client)  # their imports
            walls[workers], again = timed(study, file, client)
        assert np.array_equal(again["x"], done["x"]), "the numbers differ"
    return walls, done


def main(runs: int = 256, statics: int = 1000) -> None:
    print(measure.facts())
    print(f"load: {os.getloadavg()[0]:.1f}\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        other, rows = peer.find_peer("exudyn_study.py"), []
        for index in (3, 2):
            walls, done = all_ways(runs, index, folder)
            count, ratio = len(done), ""
            if other is not None:
                side = round(count**0.5)
                problem = P | {"ranges": {"radius": [0.1, 0.2, side], "rod_mass": [0.5, 1.2, side]}, "workers": 2}
                other.solve(problem | {"ranges": {"radius": [0.1, 0.2, 2], "rod_mass": [0.5, 1.2, 2]}})
                wall, positions = other.solve(problem)
                apart = float(np.abs(np.sort(positions) - np.sort(done["x"])).max())
                rows.append([f"Exudyn {other.version}, 2 processes", f"{wall:.2f}", f"{1e3 * wall / count:.1f}", ""])
                ratio = f"{walls[2] / wall:.2f} (at most {TARGET}); {apart:.1e} m apart"
            for workers, taken in walls.items():
                what = f"index {index}, {workers} workers" if workers else f"index {index}, in this process"
                row = [what, f"{taken:.2f}", f"{1e3 * taken / count:.1f}", ratio if workers == 2 else ""]
                rows.append(row)
            rows.append([f"index {index}, two workers against one", "", "", f"{walls[1] / walls[2]:.2f} (1.9 wanted)"])
            steps, least, usual = beside_steps(cranks(100, index))
            rows.append([f"index {index}: {P['steps']} steps; beside them", "", f"{1e3 * steps:.1f}",
                         f"{1e3 * least:.1f} to {1e3 * usual:.1f} ms (2 wanted)"])  # fmt: skip
        if other is not None:
            other.close()
        measure.table(["what", "wall [s]", "ms a run", "ratio"], rows)
        family = fx.studies.Family(bar, stiffness=fx.studies.Between(1.0, 2.0))
        tip = fx.studies.Measure("tip", lambda s: float(s.displacement(s.model.flexible_bodies[0].end, -1)[1]))
        small = fx.studies.Study(family, fx.studies.Grid(stiffness=statics), tip, fx.studies.Statics())
        timed(small, folder / "bars.h5", 0)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        taken, _ = timed(small, folder / "bars.h5", 0)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with workers_of(2) as client:
            timed(small, folder / "bars.h5", client)
            both, _ = timed(small, folder / "bars.h5", client)
        print(f"\n{statics} statics: {1e3 * taken / statics:.2f} ms each here, {1e3 * both / statics:.2f} on two "
              f"workers (3 wanted: 1e5 of them in 5 min); peak memory + {(after - before) / 1024:.0f} MB")  # fmt: skip
    print(f"load: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
