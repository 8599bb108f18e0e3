"""Time per element of the kernels: force, force and tangent, and the scatter into the global matrix.

A chain of 2 000 elements of every type, clamped at its start and bent, once without and once with damping (which makes
the tangent unsymmetric in the general case, so that all of it is computed). The scatter is that of the chain's own
solver; next to it the rest of an iteration: factorisation and solution of the linear system.

    python benchmarks/bench_kernels.py [elements]
"""

from __future__ import annotations

import sys

import measure
import numpy as np

import flexmbs as fx
from flexmbs.core import sparsity
from flexmbs.core.contracts import Env, State, Work
from flexmbs.core.sparsity import Blocks

ELEMENTS = 2_000
TARGETS = {
    "planar cable": (0.35, 1.2, 0.2),
    "director beam": (8.0, 8.0),
    "exact beam": (6.0, 6.0),
    "exact beam, 2 nodes": (6.0, 6.0),
}
"""Upper limits in us per element: force, force and tangent, scatter."""

STIFFNESS = {
    "EA": 1e5,
    "EI_z": 1.0,
    "mass_per_length": 1.0,
    "GJ": 1.0,
    "GA_y": 1e4,
    "GA_z": 1e4,
    "rhoI_y": 1e-4,
    "rhoI_z": 1e-4,
}


def bent(system: fx.System) -> np.ndarray:
    """Coordinates of a chain near its stress-free shape, every one of them moved."""
    q = system.coordinates.reference.copy()
    q += 1e-3 * np.sin(np.arange(len(q)))
    turning = q[system.coordinates.n_linear :].reshape(-1, 7)[:, 3:]
    turning /= np.linalg.norm(turning, axis=1)[:, None]
    return q


def row(element: object, dim: int, elements: int, damped: bool) -> tuple[str, list[measure.Sample]]:
    """Name and samples [us per element] of force, tangent, scatter, factorisation, solution."""
    beam = fx.FlexibleBody.line(
        (0,) * dim,
        (1,) + (0,) * (dim - 1),
        elements=elements,
        element=element,  # type: ignore[arg-type]
        stiffness=fx.BeamStiffness(**STIFFNESS, retardation_time=1e-3 if damped else 0.0),
    )
    system = fx.compile_model(fx.Model(beam, fx.Clamp(beam.start)))
    term, group = system.terms[0], system.terms[0].group
    assert term.tangent is not None
    tangent, q, v = term.tangent, bent(system), 1e-3 * np.cos(np.arange(system.coordinates.n_v))
    work = Work(np.zeros(len(v)), np.zeros(elements * group.dofs.shape[1] ** 2))
    state, env = State(q, v, np.zeros_like(v), np.zeros(0)), Env(0.0, np.zeros(0))
    if term.force(group, state, env, work) >= 0:
        raise RuntimeError(f"{term.name}: the kernel refuses the state of this benchmark")
    weights = (1.0, 0.0)
    solver = system.workspace().solver
    blocks = [Blocks(group.dofs, group.b1)]
    slot = solver.slots(*sparsity.entries(blocks, system.unknown, len(work.B)))
    samples = [
        measure.repeated(lambda: term.force(group, state, env, work)),
        measure.repeated(lambda: tangent(group, state, env, work, weights)),
        measure.repeated(lambda: sparsity.scatter(work.B, slot, solver.data)),
    ]
    term.tangent(group, State(system.coordinates.reference, 0 * v, 0 * v, np.zeros(0)), env, work, weights)
    sparsity.scatter(work.B, slot, solver.data)
    right = np.sin(np.arange(system.n))
    samples += [measure.repeated(solver.refactor), measure.repeated(lambda: solver.solve(right))]
    short = ", 2 nodes" if getattr(element, "nodes", 3) == 2 else ""
    name = f"{element.name}{short}{', damped' if damped else ''}"  # type: ignore[attr-defined]
    return name, [s.scaled(1e6 / elements) for s in samples]


def main() -> None:
    elements = int(sys.argv[1]) if len(sys.argv) > 1 else ELEMENTS
    print(measure.facts())
    print(f"microseconds per element, chain of {elements} elements; in brackets the lowest of 15 repetitions\n")
    rooms = (
        (fx.elements.ANCFCable2D(), 2),
        (fx.elements.ANCFCable3D(), 3),
        (fx.elements.LinearBeam2D(), 2),
        (fx.elements.LinearBeam3D(), 3),
        (fx.elements.ANCFBeam(), 3),
        (fx.elements.GeometricallyExactBeam(), 3),
        (fx.elements.GeometricallyExactBeam(nodes=2), 3),
        (fx.elements.ANCFBeamFullyParameterized(), 3),
    )
    rows, lines = [], []
    for element, dim in rooms:
        for damped in (False, True):
            name, samples = row(element, dim, elements, damped)
            rows.append([name, *(f"{s.median:.3f} ({s.low:.3f})" for s in samples)])
            for what, sample, target in zip(("force", "force and tangent", "scatter"), samples, TARGETS.get(name, ()),
                                            strict=False):  # fmt: skip
                verdict = measure.verdict(sample.median, target)
                lines.append(f"{name}, {what}: {sample.median:.3f}, target {target}: {verdict}")
    measure.table(("element", "force", "force + tangent", "scatter", "factorise", "solve"), rows)
    print("", *lines, sep="\n")


if __name__ == "__main__":
    main()
