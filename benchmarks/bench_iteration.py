"""What an iteration of Newton's method takes in models of 10 000 elements and more, and what threads could save.

    python benchmarks/bench_iteration.py

Chains of 20 000 elements and square plates of 100 x 100, near their shape without stress: microseconds per element of
forces and tangent, of scattering the blocks into the matrix, of the factorisation and of a solution. The last column is
what two threads that share the kernels of the elements, at no cost, would save of an iteration with a new tangent;
where the tangent is kept, it is less.
"""

from __future__ import annotations

import sys

import measure
import numpy as np

import flexmbs as fx
from flexmbs import elements
from flexmbs.core import sparsity
from flexmbs.core.contracts import Env, State, Work
from flexmbs.core.sparsity import Blocks

CHAIN, SIDE, REPETITIONS = 20_000, 100, 5
MATERIAL = fx.Elastic(youngs_modulus=2e9, poissons_ratio=0.3, density=1000.0)
LINES = (
    elements.ANCFCable2D(), elements.ANCFCable3D(), elements.GeometricallyExactBeam(), elements.ANCFBeam(),
    elements.ANCFBeamFullyParameterized(),
)  # fmt: skip
SURFACES = (
    elements.ANCFShell(), elements.CorotationalShell(), elements.ANCFThinPlate(),
    elements.ANCFPlateFullyParameterized(),
)  # fmt: skip


def bodies() -> list[fx.FlexibleBody]:
    """Chains along x, and plates."""
    section, found = fx.Rectangle(width=0.1, height=0.1), []
    for element in LINES:
        end = (100.0, 0.0, 0.0)[: element.layout.dim]
        found.append(
            fx.FlexibleBody.line(
                [0.0] * len(end), end, elements=CHAIN, element=element, section=section, material=MATERIAL
            )
        )
    for plate in SURFACES:
        found.append(
            fx.FlexibleBody.plate(
                (1, 1), elements=(SIDE, SIDE), element=plate, section=fx.ShellSection(0.01), material=MATERIAL
            )
        )
    return found


def row(body: fx.FlexibleBody) -> list[object]:
    """Name, elements, microseconds per element of the parts, and the share that threads could save."""
    system = fx.compile_model(fx.Model(body, fx.Gravity((0.0, -9.81, 0.0)[: body.mesh.dim])))
    term, work = system.terms[0], system.workspace().work
    group, tangent = term.group, term.tangent
    assert tangent is not None
    n = len(group.dofs)
    q = system.coordinates.reference + 1e-6 * np.sin(np.arange(len(system.coordinates.reference)))
    v = np.zeros(system.coordinates.n_v)
    state, env, blocks = State(q, v, v, np.zeros(0)), Env(0.0, np.zeros(0)), np.zeros(n * group.dofs.shape[1] ** 2)
    room = Work(work.r, blocks)
    solver = system.workspace().solver
    slot = solver.slots(*sparsity.entries([Blocks(group.dofs, group.b1)], system.unknown, len(blocks)))

    def elements_alone() -> None:
        blocks[:] = 0.0
        tangent(group, state, env, room, (1.0, 0.0))

    def scatter() -> None:
        solver.data[:] = 0.0
        sparsity.scatter(blocks, slot, solver.data)

    places = np.arange(system.n)
    diagonal = solver.slots(places, places)
    elements_alone()
    scatter()
    solver.data[diagonal] += 1e6  # in the place of mass over the square of the step: the body is free
    right = np.sin(places)
    parts = [measure.repeated(elements_alone, REPETITIONS), measure.repeated(solver.refactor, REPETITIONS),
             measure.repeated(lambda: solver.solve(right), REPETITIONS)]  # fmt: skip
    parts.insert(1, measure.repeated(scatter, REPETITIONS))
    times = [1e6 * part.median / n for part in parts]
    return [body.element.name, n, *(f"{t:.2f}" for t in times), f"{50.0 * times[0] / sum(times):.0f} %"]


def main() -> None:
    sys.stdout.write(measure.facts() + "\nmicroseconds per element\n\n")
    head = ["element", "elements", "force + tangent", "scatter", "factorise", "solve", "two threads"]
    measure.table(head, [row(body) for body in bodies()])


if __name__ == "__main__":
    main()
