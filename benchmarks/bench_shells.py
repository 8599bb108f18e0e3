"""Time per element of the kernels of shells: force, force and tangent, and the rest of an iteration.

A curved panel of 40 x 40 elements, near its stress-free shape, without and with damping, which makes the tangent
unsymmetric. Factorisation and solution are those of the panel's own solver, per element, too.

Pendulum: a square, 0.3 m wide and 10 mm thick, E = 1e5 Pa, hung by a corner, falls from the horizontal, in steps of
1 ms of generalized-alpha: the problem of `bench_plates.py`, which has Exudyn's thin plate beside it (Exudyn has no
shear-deformable shell with documented equations). Statics: 100 x 100 elements, clamped, bend under their weight.

    python benchmarks/bench_shells.py [elements along a side]
"""

from __future__ import annotations

import resource
import sys

import measure
import numpy as np

import flexmbs as fx
from flexmbs.core import sparsity
from flexmbs.core.contracts import Env, State, Work
from flexmbs.core.sparsity import Blocks
from flexmbs.elements import ANCFShell

SIDE = 40
TARGETS = {"shear shell": 60.0}
"""Upper limits in us per element of force and tangent."""


def panel(side: int, element: object, viscosity: float) -> fx.FlexibleBody:
    """Part of a cylinder."""
    flat = fx.meshes.rectangle((0, 0), (1, 1), (side, side))
    u, v = flat.points.T
    points = np.stack((np.sin(u), v, np.cos(u)), axis=1)
    normals = np.stack((np.sin(u), 0.0 * u, np.cos(u)), axis=1)
    mesh = fx.meshes.Mesh(points, flat.cells, flat.node_sets, point_data={"normal": normals})
    material = fx.Elastic(youngs_modulus=2e11, poissons_ratio=0.3, density=7850.0, retardation_time=viscosity)
    return fx.FlexibleBody(mesh, element, fx.ShellSection(0.01), material, name="panel")  # type: ignore[arg-type]


def row(element: object, side: int, damped: bool) -> tuple[str, list[measure.Sample]]:
    """Name and samples [us per element] of force, tangent, scatter, factorisation, solution."""
    body = panel(side, element, 1e-4 if damped else 0.0)
    system = fx.compile_model(fx.Model(body, fx.Clamp(body.set("left"))))
    term, group = system.terms[0], system.terms[0].group
    assert term.tangent is not None
    tangent = term.tangent
    q = system.coordinates.reference + 1e-5 * np.sin(np.arange(len(system.coordinates.reference)))
    v = 1e-3 * np.cos(np.arange(system.coordinates.n_v))
    elements = len(group.dofs)
    work = Work(np.zeros(len(v)), np.zeros(elements * group.dofs.shape[1] ** 2))
    state, env = State(q, v, np.zeros_like(v), np.zeros(0)), Env(0.0, np.zeros(0))
    if term.force(group, state, env, work) >= 0:
        raise RuntimeError(f"{term.name}: the kernel refuses the state of this benchmark")
    weights = (1.0, 0.0)
    solver = system.workspace().solver
    slot = solver.slots(*sparsity.entries([Blocks(group.dofs, group.b1)], system.unknown, len(work.B)))
    samples = [
        measure.repeated(lambda: term.force(group, state, env, work)),
        measure.repeated(lambda: tangent(group, state, env, work, weights)),
        measure.repeated(lambda: sparsity.scatter(work.B, slot, solver.data)),
    ]
    tangent(group, State(system.coordinates.reference, 0 * v, 0 * v, np.zeros(0)), env, work, weights)
    sparsity.scatter(work.B, slot, solver.data)
    right = np.sin(np.arange(system.n))
    samples += [measure.repeated(solver.refactor), measure.repeated(lambda: solver.solve(right))]
    name = f"{element.name}{', damped' if damped else ''}"  # type: ignore[attr-defined]
    return name, [s.scaled(1e6 / elements) for s in samples]


def pendulum(n: int, until: float) -> list[object]:
    """A row: time per element and step, steps, iterations, tangents, position of the free corner."""
    material = fx.Elastic(youngs_modulus=1e5, poissons_ratio=0.3, density=7810.0)
    body = fx.FlexibleBody.plate(
        (0.3, 0.3), elements=(n, n), element=ANCFShell(), section=fx.ShellSection(0.01), material=material
    )
    model = fx.Model(body, fx.Pin(body.node(0)), fx.Gravity((0.0, 0.0, -9.81)))
    system, scheme = fx.compile_model(model), fx.GeneralizedAlpha(rho_inf=0.8, index=3)
    output = fx.Output(every=until, energy=False)
    runs: list[fx.TimeSolution] = []
    taken = [
        measure.cpu_time(
            lambda: runs.append(fx.simulate(system, until, step=1e-3, integrator=scheme, output=output, progress=False))
        )
        for _ in range(3)
    ]
    run, steps = runs[-1], len(runs[-1].steps)
    corner = run.position(body.node(body.mesh.n_points - 1))[-1]
    return [
        f"{n} x {n}", f"{min(taken[1:]) / steps / n**2 * 1e6:.1f}", steps, f"{run.counts['evaluations'] / steps:.1f}",
        run.counts["factorisations"], f"{run.counts['factorisation_seconds'] / run.counts['seconds']:.0%}",
        ", ".join(f"{x:.5f}" for x in corner),
    ]  # fmt: skip


def large() -> None:
    """100 x 100 elements."""
    material = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.3, density=7850.0)
    body = fx.FlexibleBody.plate(
        (20.0, 20.0), elements=(100, 100), element=ANCFShell(), section=fx.ShellSection(0.1), material=material
    )
    held = [fx.Clamp(body.set(side)) for side in ("left", "right", "bottom", "top")]
    found: list[fx.StaticSolution] = []
    model = fx.Model(body, *held, fx.Gravity((0.0, 0.0, -9.81)))
    taken = measure.cpu_time(lambda: found.append(fx.solve_static(model)))
    sag = -found[0].displacement(body.at((10.0, 10.0, 0.0)), step=-1)[2]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(
        f"\nstatics, 100 x 100 shells, {body.reference.size} coordinates: {taken:.1f} s, sag {sag:.4f} m, "
        f"{found[0].n_steps} equilibria; {measure.verdict(taken, 60.0)}\n"
        f"memory of this process at most {memory:.2f} GB; {measure.verdict(memory, 4.0)}"
    )


def main() -> None:
    side = int(sys.argv[1]) if len(sys.argv) > 1 else SIDE
    print(measure.facts())
    print(f"microseconds per element, {side} x {side} elements; in brackets the lowest of 15 repetitions\n")
    rows, lines = [], []
    for element in (ANCFShell(),):
        for damped in (False, True):
            name, samples = row(element, side, damped)
            rows.append([name, *(f"{s.median:.2f} ({s.low:.2f})" for s in samples)])
            target = TARGETS[element.name]
            verdict = measure.verdict(samples[1].median, target)
            lines.append(f"{name}, force and tangent: {samples[1].median:.2f}, target {target}: {verdict}")
    measure.table(("element", "force", "force + tangent", "scatter", "factorise", "solve"), rows)
    print("", *lines, "", sep="\n")
    head = ("pendulum", "us per element and step", "steps", "iterations", "tangents", "factorisation", "corner [m]")
    measure.table(head, [pendulum(n, until) for n, until in ((8, 0.2), (16, 0.1), (32, 0.04))])
    large()


if __name__ == "__main__":
    main()
