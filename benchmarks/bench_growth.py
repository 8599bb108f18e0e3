"""Growth: time and memory of grids of 500, 2 000 and 20 000 elements, and the digits that a long chain keeps.

A grid is 2, 4 or 20 members along x and as many along y, each of 125, 250 or 500 planar cables, clamped at its ends and
hinged to the others where they cross. Neighbouring members are loaded against each other, across their length: each
field bends, and carries tension or thrust by that and by the reactions of the others; ten load steps. Time and memory
per element should not grow. Every size runs in a process of its own, whose peak memory is compared with that before
the model was made; the sizes take turns for three rounds, since the largest one, which does not fit into the cache of
the processor, suffers most from other work on the machine.

A chain is a cantilever under the tip load 3 EI/L^2. The error of its tip is measured against the extensible elastica
(known to 1e-12) and stands next to the estimate that `Solution.accuracy` gives, both divided by the largest
displacement. The estimate is that of round-off alone; the iteration's own tolerance, 1e-8, comes on top.

    python benchmarks/bench_growth.py [--chains-only]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tracemalloc
import warnings
from itertools import product
from typing import Any

import measure
import numpy as np

import flexmbs as fx
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

GRIDS = ((2, 125), (4, 250), (20, 500))
CHAINS = (500, 1_000, 2_000, 4_000, 8_000, 16_000)
ROUNDS, REPETITIONS = 3, 3
LINEAR = 1.5
"""Times as much per element as at 2 000 elements that the largest grid may need."""

STIFFNESS = fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0)
LINE_LOAD = 100.0
"""Across every member, in units of EI over the cubed length of a field; bends the fields by 11 % of their length."""


def grid(members: int, elements: int) -> fx.Model:
    """``members`` lines along x and as many along y, with 1 between them."""
    side = members + 1.0
    crossing = [round(elements * (i + 1) / (members + 1)) for i in range(members)]
    ends = [side * node / elements for node in crossing]
    cable = fx.elements.ANCFCable2D()

    def member(start: tuple[float, float], end: tuple[float, float], name: str) -> fx.FlexibleBody:
        return fx.FlexibleBody.line(start, end, elements=elements, element=cable, stiffness=STIFFNESS, name=name)

    rows = [member((0, y), (side, y), f"row {i}") for i, y in enumerate(ends)]
    columns = [member((x, 0), (x, side), f"column {i}") for i, x in enumerate(ends)]
    bodies = [*rows, *columns]
    return fx.Model(
        *bodies,
        *(fx.Clamp(end) for body in bodies for end in (body.start, body.end)),
        *(
            fx.Hinge(row.node(crossing[j]), column.node(crossing[i]))
            for (i, row), (j, column) in product(enumerate(rows), enumerate(columns))
        ),
        *(fx.DistributedLoad(row, (0, LINE_LOAD * (-1) ** i)) for i, row in enumerate(rows)),
        *(fx.DistributedLoad(column, (LINE_LOAD * (-1) ** i, 0)) for i, column in enumerate(columns)),
    )


def peak() -> float:
    """Largest resident memory of this process so far [MB]."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def measure_grid(members: int, elements: int) -> dict[str, Any]:
    """All figures of one size, in a process of its own."""
    options = fx.StaticOptions(steps=10, progress=False)
    fx.solve_modal(fx.solve_static(grid(2, 30), options), modes=4)  # loads the kernels
    before = peak()
    found: dict[str, Any] = {}

    def keep(name: str, call: Any) -> float:
        return measure.cpu_time(lambda: found.__setitem__(name, call()))

    out: dict[str, Any] = {"elements": 2 * members * elements, "model": keep("model", lambda: grid(members, elements))}
    model = found["model"]
    out["compile"] = min(keep("system", lambda: fx.compile_model(model)) for _ in range(3))
    system = found["system"]
    times = [keep("solution", lambda: fx.solve_static(system, options)) for _ in range(REPETITIONS)]
    solution = found["solution"]
    out["peak"] = peak() - before
    out["static"], out["iterations"], out["steps"] = float(np.median(times)), solution.iterations, solution.n_steps - 1
    out["modal"] = keep("modes", lambda: fx.solve_modal(solution, modes=10))
    out["first_frequency"] = float(found["modes"].frequencies[0])
    moved = solution.q[-1] - solution.q[0]
    out["bent"] = float(np.abs(moved[system.coordinates.translations]).max())
    out["unknowns"], out["half_band"], out["solver"] = system.n, system.half_band, system.workspace().solver.name
    tracemalloc.start()
    system = fx.compile_model(grid(members, elements))
    out["compiled_memory"], out["compile_memory"] = (x / 1e6 for x in tracemalloc.get_traced_memory())
    tracemalloc.reset_peak()
    fx.solve_static(system, options)
    out["static_memory"] = tracemalloc.get_traced_memory()[1] / 1e6
    return out


def in_process(members: int, elements: int) -> dict[str, Any]:
    """`measure_grid` in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--grid", str(members), str(elements)], stdout=subprocess.PIPE, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def grids() -> None:
    rounds = [[in_process(members, elements) for members, elements in GRIDS] for _ in range(ROUNDS)]
    results = [
        {key: float(np.median([r[key] for r in same])) if isinstance(value, float) else value
         for key, value in same[0].items()}
        for same in zip(*rounds, strict=True)
    ]  # fmt: skip
    rows = []
    for (members, elements), r in zip(GRIDS, results, strict=True):
        n = r["elements"]
        rows.append((
            f"{members}+{members} of {elements}", n, r["unknowns"], r["half_band"], r["solver"], r["iterations"],
            *(f"{1e6 * r[what] / n:.1f}" for what in ("model", "compile")),
            f"{1e6 * r['static'] / r['iterations'] / n:.2f}", f"{1e6 * r['static'] / n:.0f}", f"{r['static']:.3f}",
            f"{1e6 * r['modal'] / n:.0f}", f"{r['bent']:.3f}",
        ))  # fmt: skip
    print("grids: processor time, in us per element unless said otherwise\n")
    measure.table(
        ("members", "elements", "unknowns", "band", "solver", "iterations", "model", "compile", "iteration", "static",
         "static [s]", "10 modes", "bent by"), rows,
    )  # fmt: skip
    print("\ngrids: memory; Python and numpy in kB per element, peak of the process over its start in MB\n")
    measure.table(
        ("members", "system", "peak compiling", "peak static", "process [MB]", "process [kB/element]"),
        [
            (f"{m}+{m} of {e}", *(f"{1e3 * r[w] / r['elements']:.2f}" for w in ("compiled_memory", "compile_memory",
             "static_memory")), f"{r['peak']:.1f}", f"{1e3 * r['peak'] / r['elements']:.2f}")
            for (m, e), r in zip(GRIDS, results, strict=True)
        ],
    )  # fmt: skip
    print()
    for what, name in (("compile", "compiling"), ("static", "statics"), ("static_memory", "memory of statics")):
        growth = measure.Sample.of(
            [(last[what] / last["elements"]) / (middle[what] / middle["elements"]) for *_, middle, last in rounds]
        )
        print(
            f"{name}: {growth.median:.2f} times as much per element at {results[-1]['elements']} as at "
            f"{results[-2]['elements']} ({growth.low:.2f}-{growth.high:.2f}); "
            f"linear, that is at most {LINEAR}: {measure.verdict(growth.median, LINEAR)}"
        )


def chain(elements: int, exact: np.ndarray) -> list[object]:
    """A line of the table of chains."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=fx.elements.ANCFCable2D(), stiffness=STIFFNESS
    )
    system = fx.compile_model(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -3.0))))
    options = fx.StaticOptions(steps=10, progress=False)
    found: list[fx.StaticSolution] = []
    times: list[float] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while len(times) < 3 and (not times or times[0] < 5.0):
            times.append(measure.cpu_time(lambda: found.append(fx.solve_static(system, options, throw=False))))
    solution, time = found[-1], float(np.median(times))
    done = solution.status is fx.Status.DONE
    error = float(np.abs(solution.displacement(beam.end) - exact).max()) / float(np.abs(exact).max())
    return [
        elements,
        solution.n_steps - 1,
        len(solution.iterations),
        f"{1e3 * time:.1f}",
        f"{1e3 * time / len(solution.iterations):.3f}",
        f"{1e6 * time / len(solution.iterations) / elements:.2f}",
        f"{error:.1e}" if done else "-",
        f"{solution.accuracy:.1e}",
        "yes" if any(issubclass(w.category, fx.AccuracyWarning) for w in caught) else "no",
        solution.status.name.lower().replace("_", " "),
    ]


def chains() -> None:
    tip = cantilever_dead_tip(-3.0, STIFFNESS.EA / STIFFNESS.EI_z).tip
    exact = np.array([tip[0] - 1.0, tip[1]])
    chain(50, exact)  # loads the kernels
    print("single chains: a cantilever under its tip load, 10 load steps; the error is that of the tip\n")
    head = ("elements", "steps", "iterations", "static [ms]", "iteration [ms]", "[us/element]", "error", "estimate")
    measure.table((*head, "warns", "status"), [chain(elements, exact) for elements in CHAINS])


def main() -> None:
    if "--grid" in sys.argv:
        at = sys.argv.index("--grid")
        print(json.dumps(measure_grid(int(sys.argv[at + 1]), int(sys.argv[at + 2]))))
        return
    print(measure.facts(), end="\n\n")
    if "--chains-only" not in sys.argv:
        grids()
        print()
    chains()


if __name__ == "__main__":
    main()
