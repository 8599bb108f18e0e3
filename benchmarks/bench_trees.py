"""Forward dynamics of trees: growth with the number of links, Pinocchio, and where which method is the fastest.

    python benchmarks/bench_trees.py [--picture docs/_static/trees_crossover.png]

Calls of `flexmbs.trees.TreeDynamics`, as a user makes them; for short chains also loops in compiled code, where no time
goes into Python and LAPACK. Pinocchio is optional: PINOCCHIO_PYTHON names the
interpreter of an environment that has it (``pip install pin``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import measure
import numpy as np

from flexmbs import trees
from flexmbs.core.jit import kernel
from flexmbs.kernels.trees.dynamics import tree_mass
from flexmbs.kernels.trees.local import ROOM
from flexmbs.kernels.trees.summed import direct_mass
from flexmbs.kernels.trees.sweeps import forward_sweeps, inverse_sweeps

GROWTH = (50, 100, 200, 500, 1000, 2000)
LINKS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000, 2000)
JOINTS = {1: trees.Revolute((0, 1, 0)), 2: trees.Universal((0, 1, 0), (0, 0, 1)), 3: trees.Spherical()}
METHODS = ("direct", "composite", "articulated")
COMPILED_UP_TO = 50
"""Links up to which loops in compiled code are timed as well."""
LONGEST = 0.3
"""Seconds of a call after which longer chains are left out."""
THOUSAND, AGAINST_PINOCCHIO = 1e-3, 3.0
"""Targets: seconds for 1000 links; times the call of Pinocchio for 30."""


def chain(n: int, freedoms: int) -> trees.TreeDynamics:
    """Rods of length 1 that hang one on the other, bent a little and moving."""
    joint = JOINTS[freedoms]
    start = (np.cos(0.05), 0.0, np.sin(0.05), 0.0) if joint.ball else np.full(freedoms, 0.1)
    links = [
        trees.Link(
            f"rod {i}", 1.0, (0.01, 1 / 12, 1 / 12), (0.5, 0, 0), f"rod {i - 1}" if i else None, joint,
            (float(i > 0), 0, 0), start=start, rate=np.full(freedoms, 0.2),
        )
        for i in range(n)
    ]  # fmt: skip
    return trees.TreeDynamics(trees.Tree(*links), (0, 0, -9.81))


def timed(n: int) -> tuple[measure.Sample, measure.Sample, float]:
    """Of forward and inverse dynamics of a chain of hinges, and the torque left when one undoes the other."""
    d = chain(n, 1)
    q, v = d.start
    a, tau = d.forward(q, v), np.zeros(n)
    forward = measure.repeated(lambda: d.forward(q, v, tau))
    inverse = measure.repeated(lambda: d.inverse(q, v, a))
    return forward, inverse, float(np.abs(d.inverse(q, v, a)).max()) / (9.81 * n * n / 2)


def growth() -> list[str]:
    """Articulated bodies on long chains of hinges."""
    rows, found = [], {}
    for n in GROWTH:
        forward, inverse, error = timed(n)
        found[n] = forward.median
        rows.append((n, f"{forward.median * 1e6:.1f}", f"{forward.low * 1e6:.1f}", f"{forward.median / n * 1e9:.0f}",
                     f"{inverse.median * 1e6:.1f}", f"{error:.0e}"))  # fmt: skip
    head = ("links", "forward [us]", "lowest", "per link [ns]", "inverse [us]", "tau left / static")
    measure.table(head, rows)
    slope = np.log(found[2000] / found[50]) / np.log(2000 / 50)
    return [
        f"1000 links: {found[1000] * 1e3:.3f} ms, target 1 ms: {measure.verdict(found[1000], THOUSAND)}",
        f"from 50 to 2000 links the time grows with the power {slope:.2f}, target 1.05: {measure.verdict(slope, 1.05)}",
    ]


def against_pinocchio() -> list[str]:
    """The same chains in Pinocchio, each through Python."""
    sizes = (10, 30, 100, 300)
    python = os.environ.get("PINOCCHIO_PYTHON") or sys.executable
    script = str(Path(__file__).with_name("pinocchio_chain.py"))
    done = subprocess.run([python, script, *map(str, sizes)], capture_output=True, text=True, check=False)
    if done.returncode:
        return ["Pinocchio cannot be imported; PINOCCHIO_PYTHON names an interpreter that can."]
    theirs = json.loads(done.stdout.splitlines()[-1])
    rows, ratio = [], 0.0
    for n, (aba, rnea) in zip(sizes, theirs["rows"], strict=True):
        forward, inverse = (sample.median for sample in timed(n)[:2])
        ratio = forward / aba if n == 30 else ratio
        rows.append((n, *(f"{x * 1e6:.1f}" for x in (forward, aba)), f"{forward / aba:.2f}",
                     *(f"{x * 1e6:.1f}" for x in (inverse, rnea)), f"{inverse / rnea:.2f}"))  # fmt: skip
    measure.table(("links", "forward [us]", "aba", "ratio", "inverse [us]", "rnea", "ratio"), rows)
    return [
        f"30 links against Pinocchio {theirs['version']}: {ratio:.2f} times, target {AGAINST_PINOCCHIO}: "
        f"{measure.verdict(ratio, AGAINST_PINOCCHIO)}"
    ]


@kernel
def solve_in_place(M: np.ndarray, b: np.ndarray) -> None:
    """b = M^-1 b by Cholesky, M becomes its factor."""
    n = len(b)
    for i in range(n):
        for j in range(i + 1):
            s = M[i, j]
            for k in range(j):
                s -= M[i, k] * M[j, k]
            M[i, j] = np.sqrt(s) if i == j else s / M[j, j]
        s = b[i]
        for k in range(i):
            s -= M[i, k] * b[k]
        b[i] = s / M[i, i]
    for i in range(n - 1, -1, -1):
        b[i] /= M[i, i]
        for k in range(i):
            b[k] -= M[i, k] * b[i]


@kernel
def loop(method, times, group, q, v, zero, scale, links, w, M, out):
    """Forward dynamics many times; method by number in METHODS."""
    for _ in range(times):
        if method == 2:
            forward_sweeps(group, q, v, zero, scale, links, w, out)
            continue
        inverse_sweeps(group, q, v, zero, scale, links, w, out)
        if method == 0:
            direct_mass(group, q, M)
        else:
            tree_mass(group, q, M.reshape(-1))
        for i in range(len(out)):
            out[i] = -out[i]
        solve_in_place(M, out)


def compiled_seconds(d: trees.TreeDynamics, method: str, times: int = 50) -> float:
    """Of one evaluation inside compiled code; the result is checked."""
    n, (q, v) = d.n_v, d.start
    out, scale, links = np.zeros(n), np.ones(1), (d.behind, np.zeros((len(d.tree.links), 3)), np.zeros((0, 6)))
    w, M, zero = np.zeros((n, ROOM)), np.zeros((n, n)), np.zeros(n)
    number = METHODS.index(method)
    sample = measure.repeated(lambda: loop(number, times, d.group, q, v, zero, scale, links, w, M, out), 7, 0.01)
    a = d.forward(q, v)
    if np.abs(out - a).max() > 1e-6 * np.abs(a).max():
        raise RuntimeError(f"{method} is wrong for {n} coordinates")
    return sample.median / times


Times = dict[tuple[int, str], list[tuple[int, float, float]]]
"""By freedoms per joint and method: links, seconds per call, and in compiled code (nan: not measured)."""


def crossover() -> Times:
    """All methods on growing chains."""
    found: Times = {(k, m): [] for k in JOINTS for m in METHODS}
    for freedoms in JOINTS:
        rows = []
        for n in LINKS:
            d = chain(n, freedoms)
            row: list[object] = [n]
            for method in METHODS:
                kept = found[freedoms, method]
                if kept and kept[-1][1] > LONGEST:
                    row += ["-", "-"]
                    continue
                called = called_seconds(d, method)
                inside = compiled_seconds(d, method) if n <= COMPILED_UP_TO else np.nan
                kept.append((n, called, inside))
                row += [f"{called * 1e6:.1f}", "-" if np.isnan(inside) else f"{inside * 1e6:.2f}"]
            rows.append(row)
        print(f"\n{freedoms} freedoms per joint, microseconds per call, and (*) inside compiled code")
        measure.table(("links", *(head for m in METHODS for head in (m, "*"))), rows)
    return found


def called_seconds(d: trees.TreeDynamics, method: str) -> float:
    """Of one call from Python."""
    q, v = d.start
    return measure.repeated(lambda: d.forward(q, v, method=method), 7, 0.01).median


def draw(found: Times, path: str) -> None:
    """The times over the number of links, a panel for each number of freedoms."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(JOINTS), figsize=(10.5, 4.0), sharey=True, layout="constrained")
    for panel, freedoms in zip(panels, JOINTS, strict=True):
        for method, (mark, colour) in zip(METHODS, (("s", "C3"), ("^", "C1"), ("o", "C0")), strict=True):
            n, called, inside = np.array(found[freedoms, method]).T
            panel.loglog(n, called * 1e6, f"{mark}-", color=colour, markersize=4, linewidth=1.4, label=method)
            panel.loglog(n, inside * 1e6, ":", color=colour, linewidth=1.6)
        panel.set_title(f"{freedoms} freedom{'s' * (freedoms > 1)} per joint", fontsize=10)
        panel.set_xlabel("links")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("time per evaluation [µs]")
    panels[0].plot([], [], "k:", label="inside compiled code")
    panels[0].legend(frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="where to draw the crossover of the methods")
    arguments = parser.parse_args()
    print(measure.facts())
    verdicts = growth()
    print()
    verdicts += against_pinocchio()
    found = crossover()
    if arguments.picture:
        draw(found, arguments.picture)
    print("\n" + "\n".join(verdicts))


if __name__ == "__main__":
    main()
