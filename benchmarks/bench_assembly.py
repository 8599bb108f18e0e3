"""Assembly of solids: seconds for stiffness and mass by the number of unknowns, its parts, and what compiling takes.

Cubes of n x n x n boxes (of six tetrahedra each). The kernels are compiled once before, in a process of its own with an
empty cache folder, to see what a first use costs.

    python benchmarks/bench_assembly.py [largest number of unknowns]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import measure
import numpy as np

import flexmbs as fx
from flexmbs.linear.assembly import add_blocks, node_pattern, sparse_matrix
from flexmbs.linear.part import Part

TARGET = (150_000, 5.0)
"""Unknowns of quadratic tetrahedra and the upper limit in seconds."""


COLD = """
import time
import flexmbs as fx
from flexmbs.core.jit import compile_seconds
from flexmbs.linear.part import Part
mesh = fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1), "{linear}"){raised}
begin = time.perf_counter()
Part(mesh, material=fx.steel).assemble()
print("%.2f s, of which %.2f s compiling" % (time.perf_counter() - begin, compile_seconds()))
"""


def cube(kind: str, unknowns: int) -> Part:
    """A cube of steel with nearly that many unknowns."""
    linear, quadratic = kind.rstrip("0123456789"), kind[-1] == "0"
    nodes_per_box = {"tetra": 1, "tetra10": 8, "hexahedron": 1, "hexahedron20": 4}[kind]
    n = max(1, round((unknowns / 3 / nodes_per_box) ** (1 / 3)) - (not quadratic))
    mesh = fx.meshes.box((0, 0, 0), (1, 1, 1), (n, n, n), linear)
    return Part(mesh.quadratic() if quadratic else mesh, material=fx.steel)


def parts_of(part: Part) -> dict[str, float]:
    """Processor seconds of the parts of an assembly."""
    seconds: dict[str, float] = {}

    def timed(name: str, call: Callable[[], Any]) -> Any:
        begin = time.process_time()
        out = call()
        seconds[name] = seconds.get(name, 0.0) + time.process_time() - begin
        return out

    pattern = timed("pattern", lambda: node_pattern(part.nodes.n_dofs, [p.cells for p in part.pieces]))
    data = np.zeros(int((pattern.length * pattern.n_dofs).sum()))
    for piece, cells, group in timed("tables", lambda: list(part.groups())):
        element = piece.region.element
        for name, matrices in (("stiffness", element.stiffness), ("mass", element.mass)):
            blocks = timed(name, lambda matrices=matrices, group=group: matrices(group))
            timed("scatter", lambda cells=cells, blocks=blocks: add_blocks(pattern, cells, blocks, data))
    for _ in range(2):
        timed("matrices", lambda: sparse_matrix(pattern, data))
    return seconds


def cold(kind: str) -> str:
    """Time of a first assembly with an empty cache of numba."""
    linear, raised = kind.rstrip("0123456789"), ".quadratic()" if kind[-1] == "0" else ""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", COLD.format(linear=linear, raised=raised)],
            env={**os.environ, "NUMBA_CACHE_DIR": folder}, capture_output=True, text=True, check=True,
        )  # fmt: skip
    return done.stdout.strip()


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else TARGET[0]
    print(measure.facts())
    print(f"\nfirst assembly of all, nothing compiled: tetra10 {cold('tetra10')}; hexahedron {cold('hexahedron')}\n")
    rows, checked = [], (0, 0.0)
    for kind, unknowns in (("tetra10", 3_000), ("tetra10", 30_000), ("tetra10", largest), ("tetra", largest),
                           ("hexahedron", largest), ("hexahedron20", largest)):  # fmt: skip
        part = cube(kind, unknowns)
        part.assemble()
        sample = measure.Sample.of([measure.cpu_time(part.assemble) for _ in range(3)])
        operators = part.assemble()
        parts = parts_of(part)
        rest = max(sample.median - sum(parts.values()), 0.0)
        rows.append(
            [kind, operators.n, len(part.pieces[0].cells), f"{operators.K.nnz / 1e6:.2f}", f"{sample.median:.3f}"]
            + [f"{t:.3f}" for t in (*parts.values(), rest)]
        )
        if (kind, unknowns) == ("tetra10", largest):
            checked = (operators.n, sample.median)
    print("seconds; the rest is the checks of the operators\n")
    names = ("pattern", "tables", "stiffness", "scatter", "mass", "matrices")
    measure.table(("cells", "unknowns", "elements", "1e6 entries", "assembly", *names, "rest"), rows)
    allowed = TARGET[1] * checked[0] / TARGET[0]
    verdict = measure.verdict(checked[1], allowed)
    print(f"\n{checked[0]} unknowns of tetra10: {checked[1]:.2f} s, target {allowed:.2f} s: {verdict}")


if __name__ == "__main__":
    main()
