"""Chains of hinged bars in joint coordinates: processor time of a step against Exudyn's kinematic tree, and its growth.

Both sides make the same constant steps of generalized-alpha with the same damping, modified Newton on Exudyn's side,
relative tolerance 1e-6; only the integration is timed, the repetitions alternate. Up to 48 joints our steps are made by
the compiled driver, beyond 100 as rigid bodies with joints (`flexmbs.conversion.long_trees`); the last column says
which.

    python benchmarks/bench_tree_motion.py [repetitions]

Exudyn is imported by the interpreter in EXUDYN_PYTHON, or else by this one.
"""

from __future__ import annotations

import sys
from typing import Any

import measure
from bench_dynamics import BAR_INERTIA, BAR_MASS, COMMON, GRAVITY, LINK, RHO, STEP
from peer import find_peer

import flexmbs as fx
from flexmbs import trees

CHAINS = ((10, 1.0, 1.5), (50, 1.0, 0.35), (200, 1.0, 0.1), (1000, 0.03, 0.04))
"""Links, simulated time [s], target: largest fraction of Exudyn's time."""
ALONE = ((400, 0.1), (2000, 0.03))
"""Links and time of chains for the growth alone."""


def chain(links: int) -> trees.Tree:
    """Bars along x that turn about z."""
    made = [
        trees.Link(
            f"bar {i}", BAR_MASS, BAR_INERTIA, (LINK / 2, 0, 0), f"bar {i - 1}" if i else None, trees.Revolute(),
            at=(LINK if i else 0.0, 0, 0),
        )
        for i in range(links)
    ]  # fmt: skip
    return trees.Tree(*made, name="chain")


def ours(tree: trees.Tree, until: float) -> tuple[float, Any]:
    """Processor seconds of the integration, and the motion."""
    model = fx.Model(tree, fx.Gravity((0, -GRAVITY, 0)))
    scheme = fx.GeneralizedAlpha(rho_inf=RHO, index=3, compiled=len(tree.links) <= 48)
    output = fx.Output(every=until, energy=False)
    run = fx.simulate(model, until=until, step=STEP, integrator=scheme, output=output, progress=False)
    return run.counts["cpu_seconds"], run


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(measure.facts())
    peer = find_peer("exudyn_motion.py")
    rows: list[list[object]] = []
    verdicts = []
    for links, until, target in [*CHAINS, *((n, t, None) for n, t in ALONE)]:
        tree = chain(links)
        problem = {"kind": "tree", "bodies": links, "link": LINK, "mass": BAR_MASS, "inertia": BAR_INERTIA,
                   "until": until, "variant": "", **COMMON}  # fmt: skip
        ours(tree, until)
        mine, theirs = [], []
        for _ in range(repetitions):
            mine.append(ours(tree, until))
            if peer is not None and target is not None:
                theirs.append(peer.solve(problem))
        run = mine[-1][1]
        steps = len(run.steps)
        taken = measure.Sample.of([t for t, _ in mine]).scaled(1e6 / steps)
        end = run.position(tree.link(f"bar {links - 1}").marker((LINK, 0, 0)))[-1]
        form = "rigid bodies" if "form" in run.extra else "joints, compiled" if links <= 48 else "joints"
        line = [
            links,
            f"{taken.median:.1f}",
            f"{taken.median / links:.2f}",
            "",
            "",
            f"{end[0]:.5f}, {end[1]:.5f}",
            form,
        ]
        rows.append(line)
        if theirs and target is not None:
            other = measure.Sample.of([row[0] / row[1] for row in theirs]).scaled(1e6)
            ratio = taken.median / other.median
            line[3:5] = [f"{other.median:.1f}", f"{ratio:.3f}"]
            there = ", ".join(f"{x:.5f}" for x in theirs[-1][4][:2])
            verdicts.append(f"{links} links: {ratio:.3f} of Exudyn's time (its end {there}), "
                            f"target {target}: {measure.verdict(ratio, target)}")  # fmt: skip
    measure.table(("links", "us per step", "per link", "Exudyn", "ratio", "end [m]", "form"), rows)
    print("\n".join(verdicts))
    if peer is not None:
        peer.close()


if __name__ == "__main__":
    main()
