"""How long the linear solvers take on tangents of flexmbs: chains of cables, grids of beams, and shells.

    OMP_NUM_THREADS=1 .venv/bin/python docs/studies/solvers.py

prints milliseconds of processor time, the best of several runs, for one factorisation and one solution. SuperLU is
shown in the order that is kept, which is found once before, and in the one that it has without, of minimum degree or
of the band.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np

import flexmbs as fx
from flexmbs.core.linsolve import LinearSolver
from flexmbs.core.linsolve.band import Band
from flexmbs.core.linsolve.cholmod import Cholmod
from flexmbs.core.linsolve.superlu import SuperLU
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.contracts import StepState

STIFFNESS = fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0)
MATERIAL = fx.Elastic(youngs_modulus=2e11, poissons_ratio=0.3, density=7850.0)
WIDEST = 200
"""Half bandwidth beyond which the band solver is left out: its storage alone would be gigabytes."""


def chain(elements: int) -> fx.Model:
    """A cantilever of planar cables."""
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=fx.elements.ANCFCable2D(), stiffness=STIFFNESS
    )
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, 1.0)))


def grid(bars: int, per_bar: int) -> fx.Model:
    """A square grid of ``bars`` x ``bars`` joints, each bar of ``per_bar`` planar beams, clamped at one corner."""
    index = {}
    points: list[tuple[float, float]] = []
    cells = []

    def node(x: float, y: float) -> int:
        key = (round(x * per_bar), round(y * per_bar))
        if key not in index:
            index[key] = len(points)
            points.append((x, y))
        return index[key]

    for i in range(bars):
        for j in range(bars):
            for dx, dy in ((1, 0), (0, 1)):
                if i + dx < bars and j + dy < bars:
                    steps = np.linspace(0, 1, per_bar + 1)
                    nodes = [node(i + dx * s, j + dy * s) for s in steps]
                    cells += list(pairwise(nodes))
    mesh = fx.meshes.Mesh(points, [("line", cells)], node_sets={"corner": [index[0, 0]]})
    body = fx.FlexibleBody(mesh, fx.elements.LinearBeam2D(), stiffness=STIFFNESS)
    return fx.Model(body, fx.Clamp(body.set("corner")), fx.Gravity((0, -1.0)))


def shells(side: int, joints: int = 0) -> fx.Model:
    """A square shell with an unsymmetric tangent, clamped at one side or on spherical joints all over."""
    body = fx.FlexibleBody.plate(
        (1, 1), elements=(side, side), element=fx.elements.CorotationalShell(), section=fx.ShellSection(0.01),
        material=MATERIAL,
    )  # fmt: skip
    nodes = np.linspace(0, (side + 1) ** 2 - 1, joints).astype(int)
    held = [fx.SphericalJoint(fx.ground, body.node(int(i))) for i in nodes] or [fx.Clamp(body.set("left"))]
    return fx.Model(body, *held, fx.Gravity((0.0, 0.0, -9.81)))


class InItsOwnOrder(SuperLU):
    """Minimum degree at every factorisation, or the order of the unknowns."""

    name = "without"

    def kept_order(self) -> None:
        """None is kept."""


def best(action: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    times = []
    while sum(times) < 0.5 and len(times) < 20:
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def measure(model: fx.Model, title: str) -> None:
    """One line per solver."""
    system = fx.compile_model(model)
    dyn = Dynamics(system)
    dyn.set_time(0.0)
    n_c = len(system.multipliers)
    lin = dyn.linearise(StepState.unaccelerated(0.0, dyn.coordinates.reference, np.zeros(dyn.n_v), np.zeros(n_c)))
    K, number = lin.K.tocoo(), system.unknown[lin.free]
    rows, columns, values = number[K.row], number[K.col], K.data
    if n_c:
        G, multiplier = lin.G.tocoo(), system.multipliers
        row, column = multiplier[G.row], number[G.col]
        rows, columns = np.concatenate((rows, row, column)), np.concatenate((columns, column, row))
        values = np.concatenate((values, G.data, G.data))
    held = system.multipliers if len(system.multipliers) else None
    solvers: list[LinearSolver] = [kind(system.pattern, held is not None, held) for kind in (SuperLU, InItsOwnOrder)]
    if system.symmetric:
        solvers.insert(0, Cholmod(system.pattern))
    if system.half_band <= WIDEST and system.symmetric:
        solvers.insert(0, Band(system.n, system.half_band, True))
    for solver in solvers:
        solver.data[solver.slots(rows, columns)] = values
        solver.refactor()  # finds the order that is kept, once
        mark = "*" if solver.name == dyn.solver.name else " "
        factor, solve = best(solver.refactor), best(lambda s=solver: s.solve(np.ones(system.n)))
        sys.stdout.write(
            f"{title:18s} n {system.n:6d}  half band {system.half_band:4d}  {solver.name:12s}{mark} "
            f"factor {factor:9.2f} ms  solve {solve:7.2f} ms\n"
        )


if __name__ == "__main__":
    for elements in (100, 2_000, 20_000):
        measure(chain(elements), f"chain of {elements}")
    for bars, per_bar in ((3, 10), (8, 10), (25, 10), (80, 10)):
        measure(grid(bars, per_bar), f"grid {bars} x {bars}")
    for side, joints in ((30, 0), (60, 0), (100, 0), (40, 24), (80, 24)):
        measure(shells(side, joints), f"shells {side} x {side}" + (f", {joints} joints" if joints else ""))
