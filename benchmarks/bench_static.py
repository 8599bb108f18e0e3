"""A cantilever bent by its tip load: time of the static solution, against Exudyn where that is installed.

L = 2 m, square section of 0.1 m, E = 2.07e11 Pa, dead tip load 3 EI/L^2 across, ten equal load steps. Only the solver
call is timed; the repetitions of both programs alternate, each in its own process. Exudyn runs in its fast build (no
range checks) with the settings that suit it best here: sparse linear solver, pattern analysed once, relative tolerance
1e-6 (its default, 1e-8 of the first residual, lies below round-off for fine meshes and fails at 512 elements).

    python benchmarks/bench_static.py [repetitions]

Exudyn is imported by the interpreter in EXUDYN_PYTHON, or else by this one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import measure
from peer import find_peer

import flexmbs as fx
from flexmbs.verification.reference.rod_problems import cantilever_dead_tip

SIZES = (8, 32, 128, 512)
STEPS = 10
LENGTH, HEIGHT, MODULUS, DENSITY = 2.0, 0.1, 2.07e11, 7850.0
EI, EA, MASS = MODULUS * HEIGHT**4 / 12, MODULUS * HEIGHT**2, DENSITY * HEIGHT**2
FORCE = 3 * EI / LENGTH**2
PROBLEM = {"length": LENGTH, "EI": EI, "EA": EA, "mass": MASS, "force": FORCE, "steps": STEPS, "rtol": 1e-6}
TARGET = 0.6
"""Of Exudyn's time at 512 elements."""

ROW = Sequence[Any]  # processor seconds, iterations, displacement of the tip


def ours(elements: int) -> Callable[[], ROW]:
    """A function that solves the problem once, from the compiled model."""
    beam = fx.FlexibleBody.line(
        (0, 0),
        (LENGTH, 0),
        elements=elements,
        element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=EI, mass_per_length=MASS),
    )
    system = fx.compile_model(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -FORCE))))
    options = fx.StaticOptions(steps=STEPS)

    def solve() -> ROW:
        found: list[fx.StaticSolution] = []
        taken = measure.cpu_time(lambda: found.append(fx.solve_static(system, options)))
        if found[0].n_steps != STEPS + 1:
            raise RuntimeError(f"{found[0].n_steps - 1} load steps instead of {STEPS}")
        return taken, len(found[0].iterations), found[0].displacement(beam.end, step=-1).tolist()

    return solve


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    print(measure.facts())
    peer = find_peer("exudyn_cantilever.py")
    if peer is not None:
        print(f"Exudyn {peer.version}, fast build, EigenSparse, analysed pattern kept, relative tolerance 1e-6")
    tip = cantilever_dead_tip(-3.0, EA * LENGTH**2 / EI).tip
    exact = (LENGTH * (tip[0] - 1.0), LENGTH * tip[1])
    print(f"cantilever, dead tip load 3 EI/L^2, {STEPS} load steps, solver call only, {repetitions} repetitions")
    print(f"extensible elastica: tip displacement ({exact[0]:.10f}, {exact[1]:.10f}) m\n")
    rows, last = [], ""
    for elements in SIZES:
        solve = ours(elements)
        solve()
        pairs = [(solve(), peer.solve({**PROBLEM, "elements": elements}) if peer else None) for _ in range(repetitions)]
        rows.append(_row("flexmbs", elements, [p[0] for p in pairs], exact))
        other = [p[1] for p in pairs if p[1] is not None]
        if other:
            rows.append(_row("Exudyn", elements, other, exact))
            by_pair = measure.Sample.of([mine[0] / its[0] for mine, its in pairs if its is not None])
            ratio = measure.Sample.of([p[0][0] for p in pairs]).median / measure.Sample.of([o[0] for o in other]).median
            rows[-2][-1] = f"{ratio:.2f} ({by_pair.low:.2f}-{by_pair.high:.2f})"
            last = f"ratio at {elements} elements: {ratio:.2f}, target {TARGET}: {measure.verdict(ratio, TARGET)}"
    head = ("program", "elements", "CPU [ms]", "lowest", "highest", "iterations", "error x [m]", "error y [m]", "ratio")
    measure.table(head, rows)
    if last:
        print(f"\n{last}")
    if peer is not None:
        peer.close()


def _row(name: str, elements: int, found: list[ROW], exact: tuple[float, float]) -> list[object]:
    """A line of the table."""
    time = measure.Sample.of([row[0] for row in found]).scaled(1e3)
    _, iterations, moved = found[-1]
    return [
        name,
        elements,
        f"{time.median:.2f}",
        f"{time.low:.2f}",
        f"{time.high:.2f}",
        iterations,
        f"{moved[0] - exact[0]:.1e}",
        f"{moved[1] - exact[1]:.1e}",
        "",
    ]


if __name__ == "__main__":
    main()
