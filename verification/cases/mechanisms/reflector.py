"""A deployable truss: tetrahedral cells whose rods are spread by springs and locked by latches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.integrate import quad
from scipy.linalg import null_space

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import CONSERVED, energy_change, orders, over_time

SIDE, DIAGONAL, MASS, PACKED = 1.0, 0.75, 0.2, 0.2
"""Rod when spread and rigid diagonal [m], node [kg], part of the width when packed."""
STIFFNESS, FREE = 4.0, 1.4
"""Of the springs [N/m, m]."""
LOCK, LOSS, CLOSING = 2e4, 40.0, 2e-3
"""Stiffness [N/m], damping [N s/m] and closing time [s] of the latches."""
CELL = [(0, 0), (1, 0), (0, 1)]
GRID = np.array([(1.0, 0.0), (0.5, math.sqrt(0.75))])
BY_HAND = "energy: three nodes in a plane and one on their axis"


def hexagon(rings: int) -> list[tuple[int, int]]:
    """Places of a triangular grid up to so many rings about the middle."""
    ring = range(-rings, rings + 1)
    return [(i, j) for i in ring for j in ring if abs(i + j) <= rings]


def truss(
    above: list[tuple[int, int]], rods: str, packed: float = PACKED, scatter: Iterator[float] | None = None
) -> fx.Model:
    """Nodes of two layers; ``rods`` that fold are 'springs', 'latches' too, 'closed' ones alone, or 'rigid'.

    ``scatter``: by what part the stiffness of each spring differs from that of the others, in the order of the rods.
    """
    below = [(i + 1 / 3, j + 1 / 3) for i, j in above if {(i + 1, j), (i, j + 1)} <= set(above)]
    height = math.sqrt(DIAGONAL**2 - (packed * SIDE) ** 2 / 3)
    flat = np.array([*above, *below]) @ GRID
    nodes = [
        fx.PointMass(MASS, position=(*(packed * SIDE * place), 0.0 if n < len(above) else -height), name=f"node {n}")
        for n, place in enumerate(flat)
    ]
    items: list[object] = []
    for a, b in itertools.combinations(range(len(nodes)), 2):
        ends, apart = (nodes[a].centre, nodes[b].centre), float(np.linalg.norm(flat[a] - flat[b]))
        same = (a < len(above)) == (b < len(above))
        if not same and apart < 0.6:
            items.append(fx.DistanceConstraint(*ends, name=f"diagonal {a}-{b}"))
        elif same and apart < 1.1:
            name = f"{a}-{b}"
            if rods == "rigid":
                items.append(fx.DistanceConstraint(*ends, name=f"rod {name}"))
            if rods in ("springs", "latches"):
                k = STIFFNESS * (1.0 if scatter is None else 1.0 + next(scatter))
                items.append(fx.SpringDamper(*ends, stiffness=k, free_length=FREE, name=f"spring {name}"))
            if rods in ("latches", "closed"):
                closed = rods == "closed"
                items.append(
                    fx.Latch(
                        ends, SIDE, LOCK, 0.0 if closed else LOSS, CLOSING, closed=closed, coordinate="distance",
                        name=f"latch {name}",
                    )
                )  # fmt: skip
    return fx.Model(*nodes, *items, name=f"truss of {len(nodes)} nodes, {rods}")


def bars(model: fx.Model, ends: list[tuple[int, int]]) -> FloatArray:
    """Directions of bars between nodes (n, 3 nodes): the equilibrium matrix of pin-jointed frames, turned."""
    places = np.array([node.position for node in model.rigid_bodies])
    matrix = np.zeros((len(ends), 3 * len(places)))
    for row, (a, b) in zip(matrix, ends, strict=True):
        unit = (places[b] - places[a]) / np.linalg.norm(places[b] - places[a])
        row[3 * a : 3 * a + 3], row[3 * b : 3 * b + 3] = -unit, unit
    return matrix


def rigidity(model: fx.Model, ends: list[tuple[int, int]]) -> int:
    """How many bars hold independently."""
    return int(np.linalg.matrix_rank(bars(model, ends), tol=1e-9))


def stiffest(model: fx.Model, rigid: list[tuple[int, int]], elastic: list[tuple[int, int]]) -> float:
    """Highest angular frequency of equal masses between rigid and elastic bars, by the null space of the rigid ones."""
    free = null_space(bars(model, rigid))
    stretch = bars(model, elastic) @ free
    return float(np.linalg.norm(stretch, 2)) * math.sqrt(LOCK / MASS)


def _ends(model: fx.Model, word: str) -> list[tuple[int, int]]:
    names = [item.name for item in (*model.joints, *model.forces) if item.name.startswith(word)]
    return [tuple(map(int, name.split()[1].split("-"))) for name in names]  # type: ignore[misc]


def time_to_spread() -> float:
    """Of a cell, from rest to rods of full length: 3/2 m r'^2 (1 + r^2/(4 h^2)) = what three springs gave.

    Three nodes at the radius r, the fourth at the height h = sqrt(d^2 - r^2) over them: with the centre of mass at rest
    the relative motion along the axis has the mass 3/4 m, and h' = -r r'/h. With r = r0 + (r1 - r0) x^2 the root at the
    start is gone.
    """
    r0, r1 = PACKED * SIDE / math.sqrt(3), SIDE / math.sqrt(3)

    def rate(r: float) -> float:
        mass = 3.0 * MASS * (1.0 + r * r / (4.0 * (DIAGONAL**2 - r * r)))
        given = 1.5 * STIFFNESS * ((math.sqrt(3) * r0 - FREE) ** 2 - (math.sqrt(3) * r - FREE) ** 2)
        return math.sqrt(2.0 * given / mass)

    return float(quad(lambda x: 2.0 * x * (r1 - r0) / rate(r0 + (r1 - r0) * x * x), 0.0, 1.0, epsabs=1e-13)[0])


def _spreading(progress: Progress) -> tuple[Measured, ConvergenceStudy, float]:
    """A cell without latches: length of the rods after the time in which they spread."""
    exact, sizes, errors = time_to_spread(), [], []
    for n in (100, 200, 400, 800):
        progress(f"one cell, {n} steps")
        run = fx.simulate(truss(CELL, "springs"), exact, step=exact / n, progress=False)
        sizes.append(exact / n)
        errors.append(abs(run.force("spring 0-1").coordinate[-1] - SIDE))
    last = measured("one cell: rods after the time in which they spread", "m", SIDE + errors[-1], SIDE, BY_HAND, 1e-12,
                    atol=2.0 * errors[-2] / 4.0)  # fmt: skip
    return last, orders("Length of the rods of a cell", sizes, errors), exact


def _caught(progress: Progress, exact: float) -> tuple[list[Measured], FloatArray, FloatArray]:
    """A cell with latches, until it rests: all its kinetic energy is lost."""
    progress("one cell with latches")
    run = fx.simulate(truss(CELL, "latches"), 4.0 * exact, step=fx.ErrorControl(rtol=1e-8), progress=False)
    given = 1.5 * STIFFNESS * ((PACKED * SIDE - FREE) ** 2 - (SIDE - FREE) ** 2)
    length = run.force("latch 0-1").coordinate
    rest = (LOCK * SIDE + STIFFNESS * FREE) / (LOCK + STIFFNESS)
    passed = float(
        np.interp(SIDE, length[: int(np.argmax(length > SIDE)) + 1], run.t[: int(np.argmax(length > SIDE)) + 1])
    )
    lost = 1.5 * (STIFFNESS * ((PACKED * SIDE - FREE) ** 2 - (rest - FREE) ** 2) - LOCK * (rest - SIDE) ** 2)
    momentum = MASS * sum(run.velocity(node)[-1] for node in run.model.rigid_bodies)
    return [
        measured("one cell with latches: when they catch", "s", passed, exact, BY_HAND, 1e-12, rtol=1e-4),
        measured("energy lost when they catch", "J", run.energy.dissipated[-1], lost, BY_HAND, 1e-12, rtol=2e-3),
        measured("rods at rest, held by springs and latches", "m", length[-1], rest, "two springs against each other",
                 atol=1e-7),
        measured("momentum", "kg m/s", float(np.abs(momentum).max()), 0.0, CONSERVED, atol=1e-10),
        energy_change(run, given, 2e-3, "one cell with latches: "),
    ], run.t, length  # fmt: skip


def run(progress: Progress) -> Outcome:
    """A cell against energy; one and two rings against the statics of pin-jointed frames, and how they spread."""
    spread, order, exact = _spreading(progress)
    caught, t, length = _caught(progress, exact)
    quantities, rows, curves = [spread, *caught], [], [("one cell", t, length)]
    for rings in (1, 2):
        progress(f"{rings} rings")
        above = hexagon(rings)
        folded, open_, stiff = truss(above, "springs"), truss(above, "rigid", 1.0), truss(above, "closed", 1.0)
        n = 3 * len(folded.rigid_bodies)
        diagonals, rods = _ends(open_, "diagonal"), _ends(open_, "rod")
        free = n - rigidity(folded, diagonals)
        locked = n - rigidity(open_, diagonals + rods)
        source, label = "rank of the matrix of bars", f"{rings} ring{'s' * (rings > 1)}: "
        modes = fx.solve_modal(stiff, modes=n - len(diagonals))
        scale = math.sqrt(LOCK / MASS)
        quantities += [
            measured(f"{label}freedoms when packed", "-", fx.topology(folded).degrees_of_freedom, free, source,
                     atol=0.5),
            measured(f"{label}freedoms with rigid rods", "-", fx.topology(open_).degrees_of_freedom, locked, source,
                     atol=0.5),
            measured(f"{label}modes of no stiffness when all latches are closed", "-",
                     int(np.sum(np.abs(modes.angular_frequencies) < 1e-4 * scale)), locked, source, atol=0.5),
        ]  # fmt: skip
        quantities.append(
            measured(f"{label}highest frequency when all latches are closed", "rad/s", modes.angular_frequencies.max(),
                     stiffest(open_, diagonals, rods), "null space of the diagonals", rtol=1e-9)
        )  # fmt: skip
        motion = fx.simulate(truss(above, "latches"), 4.0 * exact, step=fx.ErrorControl(rtol=1e-7), progress=False)
        locks = [motion.force(f"latch {a}-{b}").coordinate for a, b in rods]
        times = [float(motion.t[int(np.argmax(x > SIDE))]) for x in locks]
        given = 0.5 * STIFFNESS * len(rods) * ((PACKED * SIDE - FREE) ** 2 - (SIDE - FREE) ** 2)
        quantities.append(energy_change(motion, given, 2e-3, label))
        quantities.append(
            measured(f"{label}shortest rod at the end", "m", min(float(x[-1]) for x in locks), SIDE,
                     "every latch has caught, and gives way by less than its springs push", atol=1e-3)
        )  # fmt: skip
        rows.append((rings, len(folded.rigid_bodies), len(diagonals), len(rods), min(times), max(times)))
        curves.append((f"{rings} ring{'s' * (rings > 1)}, last rod", motion.t, locks[int(np.argmax(times))]))
    table = Table(
        "Trusses", ("rings", "nodes", "rigid diagonals", "rods that lock", "first latch [s]", "last latch [s]"), rows
    )
    return Outcome(
        quantities, [order], [table], [("Length of rods while they spread.", over_time(curves, "length in m"))]
    )


CASE = Case(
    id="reflector",
    title="Deployable reflector of tetrahedral cells with latches",
    area="mechanisms",
    summary=(
        "Nodes of two layers, rigid diagonals between the layers, rods within each that are spread by springs and lock "
        "at their full length. One cell against its energy; one and two rings of cells count as many freedoms as the "
        "statics of pin-jointed frames says, packed, spread, and locked."
    ),
    run=run,
    source="After S. N. Sayapin's deployable antennas, whose data are not given: own dimensions, masses and springs.",
    limits=("Rods are springs and latches between nodes, their mass in the nodes; no mesh, no friction, no heating.",),
    equations=(
        r"\frac{3}{2} m\,\dot r^2\left(1 + \frac{r^2}{4(d^2 - r^2)}\right)"
        r" = \frac{3}{2} k\left((\sqrt{3} r_0 - l_0)^2 - (\sqrt{3} r - l_0)^2\right)",
    ),
)
