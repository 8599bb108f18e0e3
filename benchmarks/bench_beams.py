"""Beams in space: processor time of a step of a falling pendulum, against Exudyn where that is installed.

The very flexible pendulum of `bench_dynamics.py` as a beam that shears and twists. Ours: the beam with directors (3
nodes) and the exact beam (2 and 3 nodes); Exudyn's: the absolute-nodal beam with shear and the geometrically exact
beam, both of 2 nodes. Equal numbers of nodes, so that an element of 3 nodes stands against two of 2. Steps, scheme
and settings are those of `bench_dynamics.py`.

    python benchmarks/bench_beams.py [repetitions]
"""

from __future__ import annotations

import sys
from typing import Any

import bench_dynamics
import measure
from peer import find_peer

import flexmbs as fx

E, A, I, RHO = 0.7e6, 0.0018, 1.215e-8, 5540.0  # noqa: E741
LENGTH, G = 1.2, E / 2.6
STIFFNESS = (E * A, 0.85 * G * A, 0.85 * G * A, G * 2.0 * I, E * I, E * I)
SIZES = ((20, 1.0), (100, 0.5), (500, 0.1))
"""Intervals between nodes, and simulated time [s]."""
TARGET = 0.4
"""Largest fraction of Exudyn's time."""


def pendulum(element: Any, intervals: int) -> tuple[fx.Model, Any]:
    """The beam, held at the origin, which falls from the horizontal; and its tip."""
    elements = intervals if element.cell_type == "line" else intervals // 2
    EA, GA_y, GA_z, GJ, EI_y, EI_z = STIFFNESS
    beam = fx.FlexibleBody.line(
        (0, 0, 0), (LENGTH, 0, 0), elements=elements, element=element,
        stiffness=fx.BeamStiffness(EA=EA, GA_y=GA_y, GA_z=GA_z, GJ=GJ, EI_y=EI_y, EI_z=EI_z, mass_per_length=RHO * A,
                                   rhoI_y=RHO * I, rhoI_z=RHO * I),
    )  # fmt: skip
    return fx.Model(beam, fx.Pin(beam.start), fx.Gravity((0.0, -bench_dynamics.GRAVITY, 0.0))), beam.end


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(measure.facts())
    peer = find_peer("exudyn_motion.py")
    if peer is not None:
        print(f"Exudyn {peer.version}, fast build, modified Newton, relative tolerance 1e-6, analysed pattern kept")
    for title, element, variant in (
        ("beam with directors, 3 nodes, against ObjectANCFBeam", fx.elements.ANCFBeam(), "directors"),
        ("exact beam, 3 nodes, against ObjectBeamGeometricallyExact", fx.elements.GeometricallyExactBeam(), "exact"),
        (
            "exact beam, 2 nodes, against ObjectBeamGeometricallyExact",
            fx.elements.GeometricallyExactBeam(nodes=2),
            "exact",
        ),
    ):
        cases = []
        for intervals, until in SIZES:
            problem = {
                **bench_dynamics.COMMON, "kind": "beam", "variant": variant, "elements": intervals, "until": until,
                "length": LENGTH, "stiffness": STIFFNESS, "mass": RHO * A, "inertia": (2 * RHO * I, RHO * I, RHO * I),
            }  # fmt: skip
            model, place = pendulum(element, intervals)
            mine = bench_dynamics.both(model, place, until, intervals)
            cases.append((str(intervals), mine, [problem], TARGET))
        bench_dynamics.compare(title, "intervals", cases, repetitions, peer)
    if peer is not None:
        peer.close()


if __name__ == "__main__":
    main()
