"""The folding loop of four bars as two subsystems, and chains condensed over several levels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.constraint_forces import CondensedSystem, condense
from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.constraints.ascher_projection import AscherProjection
from flexmbs.integrators.index_one import IndexOne
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.mechanisms.folding_loop import PUBLISHED, STEP, UNTIL, drift, four_bars
from flexmbs.verification.cases.moving import G

ANGLES = {0.1: -0.826372121, 1.0: -2.141791890}
"""Of the first bar [rad], by the equations of motion in two angles (relative tolerance 1e-13)."""
HALVES = [["bar 1", "bar 2"], ["bar 3", "bar 4"]]


class ByLevels:
    """Ascher's projection, with accelerations by the sweeps over subsystems."""

    def __init__(self, system: fx.System) -> None:
        self.system = system

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        AscherProjection().check(equations, redundant)

    def keeper(self, equations: IndexOne) -> Any:
        """Ascher's keeper, whose states are also solved by levels."""
        inner, condensed = AscherProjection().keeper(equations), condense(self.system, HALVES)
        at: list[Any] = []

        class Keeper:
            meets = True

            def velocity(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
                at[:] = [q.copy(), t]
                return inner.velocity(t, q, v)

            def accelerations(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
                found = condensed.solve(at[0], v, at[1])
                return found.a, found.lam

            def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
                q, v = inner.project(t, q, v)
                at[:] = [q.copy(), t]
                return q, v

        return Keeper()


def chain(bodies: int) -> tuple[fx.Model, list[fx.RigidBody]]:
    """Spatial links of different mass, hinged about oblique axes."""
    links = [
        fx.RigidBody(
            1.0 + 0.1 * i, (0.1, 0.2, 0.3), position=(i + 0.5, 0.0, 0.1 * i), name=f"link {i}",
            angular_velocity=(0.0, 0.0, 0.0),
        )
        for i in range(bodies)
    ]  # fmt: skip
    sides: list[Any] = [fx.ground, *links]
    hinges = [
        fx.RevoluteJoint(a, b, at=(i, 0.0, 0.1 * i), axis=(0.1 * i, 1.0, 0.2), name=f"hinge {i}")
        for i, (a, b) in enumerate(pairwise(sides))
    ]
    return fx.Model(*links, *hinges, fx.Gravity((0.0, 0.0, -G)), name="chain"), links


def halved(bodies: list[Any], levels: int) -> list[Any]:
    """Groups of halves of halves."""
    middle = len(bodies) // 2
    parts = [bodies[:middle], bodies[middle:]]
    return parts if levels == 1 else [halved(part, levels - 1) for part in parts]


def together(condensed: CondensedSystem) -> tuple[FloatArray, FloatArray]:
    """All equations at once at the start, dense: accelerations and multipliers, with one refinement."""
    f, rows, gamma = condensed.equations()
    mass = condensed.mass
    whole = np.block([[mass, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    right = -np.concatenate((f, gamma))
    x = np.linalg.solve(whole, right)
    x += np.linalg.solve(whole, right - whole @ x)
    return x[: len(f)], x[len(f) :]


def run(progress: Progress) -> Outcome:
    """Two subsystems of two bars; chains of sixteen links over one, two and three levels."""
    quantities = []
    model, _, _, pairs = four_bars((0.0, -G))
    system = fx.compile_model(model)
    progress("drift in ten seconds")
    found = fx.simulate(
        system, UNTIL, step=STEP, integrator=fx.RungeKutta(order=2, constraints=ByLevels(system))
    )  # fmt: skip
    quantities.append(
        measured("two subsystems: drift of the loop in 10 s", "m", drift(found, pairs), 0.0,
                 "Kasper and Vlasenko: at most 5e-15 m", atol=PUBLISHED)
    )  # fmt: skip
    progress("angles")
    fine = fx.simulate(
        system, 1.0, step=fx.ErrorControl(1e-11), integrator=fx.RungeKutta(order=5, constraints=ByLevels(system)),
        output=fx.Output(every=0.1),
    )  # fmt: skip
    bar = system.coordinates.velocities(system.model.body("bar 1"))[2]
    for time, angle in ANGLES.items():
        row = int(np.argmin(np.abs(fine.t - time)))
        quantities.append(
            measured(f"two subsystems: angle of the first bar at {time:g} s", "rad", fine.q[row, bar], angle,
                     "two angles, integrated to 1e-13", 1e-9, atol=1e-8)
        )  # fmt: skip
    model, links = chain(16)
    for levels in (1, 2, 3):
        progress(f"chain of {levels} levels")
        condensed = condense(model, halved(links, levels))
        result = condensed.solve()
        a, lam = together(condensed)
        for what, value, exact in (("accelerations", result.a, a), ("multipliers", result.lam, lam)):
            gap = float(np.abs(value - exact).max() / np.abs(exact).max())
            quantities.append(
                measured(f"chain of 16, {levels} levels: difference of the {what}, relative", "-", gap, 0.0,
                         "all equations together", atol=1e-12)
            )  # fmt: skip
    return Outcome(quantities)


LOOP = Case(
    id="condensed-loop",
    title="Subsystems condensed to their interfaces: a folding loop in two parts, a chain over three levels",
    area="mechanisms",
    summary=(
        "The loop of four bars as two subsystems of two bars each: the explicit midpoint rule takes accelerations from "
        "the sweeps over both levels. Chains over one to three levels give what all equations give together."
    ),
    run=run,
    source="R. Kasper and D. Vlasenko, Method for distributed forward dynamic simulation of constrained mechanical "
    "systems; angles by the equations of motion in two angles.",
    equations=(r"a_e = D\,Q + R, \qquad D' = D_{xx} - D_{xe} G^T (G D_{ee} G^T)^{-1} G D_{ex}",),
    slow=True,
)
