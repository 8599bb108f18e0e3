"""Neighbours among 2 000 spheres that fly through each other, and how the search for them grows."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.kernels.neighbours import neighbours
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import figure
from flexmbs.verification.cases.contact.beside import beside
from flexmbs.verification.reference.data import load_reference

NUMBER = 2000
TIMES = (0.0, 0.05, 0.1, 0.2, 0.4)
SIZES = (2_000, 20_000, 200_000)


def numbers(count: int) -> FloatArray:
    """The generator of the case: x -> (1664525 x + 1013904223) mod 2^32 from 12345, as (x + 1/2)/2^32."""
    x, out = 12345, np.empty(count)
    for i in range(count):
        x = (1664525 * x + 1013904223) % 2**32
        out[i] = (x + 0.5) / 2**32
    return out


def spheres() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Positions, velocities and radii."""
    u = numbers(7 * NUMBER).reshape(NUMBER, 7)
    return u[:, :3], 2.0 * u[:, 3:6] - 1.0, 0.004 * 5.0 ** u[:, 6]


def run(progress: Progress) -> Outcome:
    """The pairs at five times, and the effort of the search from 2 000 to 200 000 spheres."""
    figures = load_reference("neighbours-of-many-spheres")
    p0, v, radius = spheres()
    boxes, pairs, sums = [], [], []
    for t in TIMES:
        progress(f"t = {t}")
        x = np.abs((p0 + v * t + 1.0) % 2.0 - 1.0)
        boxes.append(len(neighbours(x, radius, boxes=True)))
        found: IntArray = neighbours(x, radius)
        pairs.append(len(found))
        sums.append(int((7919 * found[:, 0] + found[:, 1]).sum() % 1_000_003))
    work = []
    for n in SIZES:
        progress(f"{n} spheres")
        u = np.random.default_rng(1).random((n, 4))
        effort = np.zeros(2, dtype=np.int64)
        neighbours(u[:, :3] * (n / NUMBER) ** (1 / 3), 0.004 * 5.0 ** u[:, 3], effort=effort)
        work.append(float(effort.sum()))
    exponent = float(np.polyfit(np.log(SIZES), np.log(work), 1)[0])
    quantities = [
        *beside(figures, "pairs of overlapping boxes", np.array(boxes), atol=0.5),
        *beside(figures, "pairs of overlapping spheres", np.array(pairs), atol=0.5),
        *beside(figures, "check sum of the pairs", np.array(sums), atol=0.5),
        *beside(figures, "exponent of the time of the search against n, n = 2e3 to 2e5 at the same density", exponent,
                atol=0.15),
    ]  # fmt: skip
    drawing, axes = figure()
    axes.loglog(SIZES, work, "o-", linewidth=1.2, label="runs of cells and spheres looked at")
    axes.loglog(SIZES, [0.5 * n * (n - 1.0) for n in SIZES], "--", linewidth=1.2, label="all pairs")
    axes.set_xlabel("number of spheres")
    axes.set_ylabel("looked at")
    axes.legend()
    return Outcome(quantities, [], [], [("What the search looks at.", drawing)])


CASE = Case(
    id="neighbours-of-many-spheres",
    title="Neighbours among 2 000 spheres that move",
    area="contact",
    summary=(
        "Spheres of radii 1:5 fly through each other in a unit cube. At five times the pairs whose boxes and that "
        "themselves overlap are those that a look at all pairs finds. The effort of the search, runs of cells read "
        "and spheres looked at in them, grows as the number of spheres; benchmarks/bench_contact.py measures the time."
    ),
    run=run,
    source="All pairs, counted by a program of its own.",
    equations=(r"|x_i - x_j| < r_i + r_j",),
)
