"""Studies beside Exudyn's ParameterVariation: slider-cranks on two processes, and what many small statics cost.

Wall time, as several processes work; the load of the machine is printed, and should be small.

    python benchmarks/bench_studies.py [runs] [statics]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import measure
import numpy as np
import peer

import flexmbs as fx
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


def cranks(count: int) -> fx.studies.Study:
    """A grid of about so many runs."""
    side = max(round(count**0.5), 2)
    family = fx.studies.Family(slider_crank, radius=fx.studies.Between(0.1, 0.2), rod_mass=fx.studies.Between(0.5, 1.2))
    scheme = fx.GeneralizedAlpha(rho_inf=P["rho"])
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


def main(runs: int = 256, statics: int = 1000) -> None:
    print(measure.facts())
    print(f"load: {os.getloadavg()[0]:.1f}\n")
    study = cranks(runs)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cranks.h5"
        timed(study, file, 0)  # whatever is compiled once
        rows = []
        alone, done = timed(study, file, 0)
        count = len(done)
        rows.append(["in this process", f"{alone:.2f}", f"{1e3 * alone / count:.1f}", ""])
        walls = {}
        for workers in (1, 2):
            with workers_of(workers) as client:
                timed(study, file, client)  # their imports
                walls[workers], again = timed(study, file, client)
            assert np.array_equal(again["x"], done["x"]), "the numbers differ"
            rows.append([f"{workers} workers", f"{walls[workers]:.2f}", f"{1e3 * walls[workers] / count:.1f}", ""])
        other = peer.find_peer("exudyn_study.py")
        if other is not None:
            side = round(count**0.5)
            problem = P | {"ranges": {"radius": [0.1, 0.2, side], "rod_mass": [0.5, 1.2, side]}, "workers": 2}
            other.solve(problem | {"ranges": {"radius": [0.1, 0.2, 2], "rod_mass": [0.5, 1.2, 2]}})
            wall, positions = other.solve(problem)
            other.close()
            apart = float(np.abs(np.sort(positions) - np.sort(done["x"])).max())
            rows.append([f"Exudyn {other.version}, 2 processes", f"{wall:.2f}", f"{1e3 * wall / count:.1f}",
                         f"{walls[2] / wall:.2f} (at most {TARGET})"])  # fmt: skip
            print(f"largest difference of the slider's positions: {apart:.1e} m")
        measure.table(["what", "wall [s]", "ms a run", "ratio"], rows)
        print(f"two workers against one: {walls[1] / walls[2]:.2f} (wanted: 1.9 on a quiet machine)\n")
        family = fx.studies.Family(bar, stiffness=fx.studies.Between(1.0, 2.0))
        tip = fx.studies.Measure("tip", lambda s: float(s.displacement(s.model.flexible_bodies[0].end, -1)[1]))
        small = fx.studies.Study(family, fx.studies.Grid(stiffness=statics), tip, fx.studies.Statics())
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        taken, _ = timed(small, Path(folder) / "bars.h5", 0)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{statics} statics: {1e3 * taken / statics:.2f} ms each, peak memory + {(after - before) / 1024:.0f} MB")
    print(f"load: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
