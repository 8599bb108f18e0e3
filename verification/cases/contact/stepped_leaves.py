"""A pack of three leaves of stepped lengths: each presses on the next one at its end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.contact.leaf_spring import THIN, leaf, stiffness, touching

LENGTHS = (0.8, 0.6, 0.4)
"""The leaf that is loaded first."""
ELEMENT, STIFF, LOAD = 0.02, 1e9, 5.0
"""Length of an element, of which the last point of a leaf lies 0.113 before its end: 0.6 % of the shortest leaf, which
is the error of the forces; stiffness of the contact [force/length^2], and the load."""


def pack() -> tuple[fx.StaticSolution, list[Any], list[fx.Contact]]:
    """The equilibrium, leaves from the top, and the contacts between them."""
    leaves = [
        leaf(-THIN * i, length, THIN, round(length / ELEMENT), f"leaf {i + 1}") for i, length in enumerate(LENGTHS)
    ]
    contacts = [touching((b, a), THIN, STIFF) for a, b in pairwise(leaves)]
    clamps = [fx.Clamp(body.start) for body in leaves]
    push = fx.PointForce(leaves[0].end, (0, -LOAD))
    return fx.solve_static(fx.Model(*leaves, *contacts, *clamps, push)), leaves, contacts


def by_hand() -> tuple[FloatArray, FloatArray]:
    """Forces at the ends of the second and third leaf over the load, and deflections of all ends times EI/P."""
    L1, L2, L3 = LENGTHS

    def at(x: float, a: float) -> float:
        """Deflection at x of a cantilever with EI = 1 under a force 1 at a."""
        x, a = min(x, a), max(x, a)
        return x * x * (3.0 * a - x) / 6.0

    A = np.array([[2.0 * at(L2, L2), -at(L2, L3)], [-at(L3, L2), 2.0 * at(L3, L3)]])
    X = np.linalg.solve(A, [at(L2, L1), 0.0])
    ends = [at(L1, L1) - X[0] * at(L1, L2), X[0] * at(L2, L2) - X[1] * at(L2, L3), X[1] * at(L3, L3)]
    return X, np.array(ends)


def run(progress: Progress) -> Outcome:
    """One equilibrium."""
    progress("three leaves")
    found, leaves, contacts = pack()
    X, ends = by_hand()
    each = stiffness(THIN) / LOAD
    how = "beam theory, a force at the end of each shorter leaf"
    quantities = [
        measured(f"deflection of the end of {body.name} times EI/P", "m^3",
                 -each * float(found.displacement(body.end, step=-1)[1]), float(end), how, rtol=4e-3)
        for body, end in zip(leaves, ends, strict=True)
    ]  # fmt: skip
    quantities += [
        measured(f"force of {touch.name} over P", "-", float(found.contact(touch).normal[-1, 0]) / LOAD, float(x), how,
                 rtol=0.01)
        for touch, x in zip(contacts, X, strict=True)
    ]  # fmt: skip
    drawing, axes = figure(6.4, 2.6)
    for i, (colour, body) in enumerate(zip(COLOURS, leaves, strict=False)):
        at = np.array([found.position(body.node(k), step=-1) for k in range(body.mesh.n_points)])
        axes.plot(at[:, 0], each * (at[:, 1] + THIN * i), color=colour, lw=1.4, label=body.name)
    axes.set_xlabel("distance from the clamp in m")
    axes.set_ylabel("deflection times EI/P in m^3")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Deflections of the three leaves.", drawing)])


CASE = Case(
    id="stepped-leaves",
    title="A pack of three leaves of stepped lengths",
    area="contact",
    summary=(
        "Three leaves of one section and of lengths 0.8, 0.6 and 0.4 m lie on each other, clamped at one end; the "
        "longest one is pressed down at its end. Each shorter leaf bears the one above at its own end, with forces "
        "that compatibility of the deflections gives. The points of contact lie along the shorter leaf of a pair. "
        "That they touch nowhere else, as with lengths of other ratios they do beside the clamp, was found once by "
        "finite elements with unilateral contact along the whole length."
    ),
    run=run,
    source="Closed form, small deflections; the unilateral problem by finite elements and active sets, once.",
    equations=(r"w_i(L_{i+1}) = w_{i+1}(L_{i+1}), \quad i = 1, 2",),
)
