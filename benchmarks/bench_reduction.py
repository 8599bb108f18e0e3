"""Craig-Bampton reduction of a bar of hexahedra by size: time of each step, memory, and Exudyn's at the same matrices.

python benchmarks/bench_reduction.py                 # 3 000 to 154 000 unknowns, Exudyn up to 30 000
python benchmarks/bench_reduction.py --peer 77000    # Exudyn up to 77 000 (two minutes)
python benchmarks/bench_reduction.py --large         # 600 000 unknowns as well
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import measure
import numpy as np
from peer import Peer, find_peer

import flexmbs as fx
from flexmbs.core.linsolve.definite import Definite

BARS = {3_000: (40, 4), 30_000: (100, 9), 77_000: (150, 12), 154_000: (200, 15), 600_000: (330, 24)}
"""Elements along and across a bar of 1 m x 60 mm x 60 mm, by about how many unknowns it has."""
PLASTIC = fx.Elastic(youngs_modulus=2e9, poissons_ratio=0.3, density=1200.0, name="plastic")
FACTOR_LIMIT, MEMORY_LIMIT = 4.0, 3000.0
PEER_LIMIT = {30_000: 1 / 3, 77_000: 1 / 20}


def bar(size: int) -> fx.linear.Part:
    """The part; plain hexahedra, as Exudyn's users would take them."""
    along, across = BARS[size]
    mesh = fx.meshes.box((0, -0.03, -0.03), (1, 0.06, 0.06), (along, across, across))
    return fx.linear.Part(
        mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(incompatible=False), PLASTIC)], name="bar"
    )


def measured(size: int, modes: int) -> dict[str, Any]:
    """Processor seconds of assembly, of the reduction, and of one factorisation and fifty solutions."""
    fx.reduction.reduce(bar(3_000), ["left", "right"], 4, progress=False)  # compiles
    part = bar(size)
    began = time.process_time()
    operators = part.assemble()
    assembled = time.process_time() - began
    began = time.process_time()
    model = fx.reduction.reduce(operators, ["left", "right"], modes, progress=False)
    reduced = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert model.source is not None
    attached = model.source.attached
    inside = np.setdiff1d(np.arange(attached.operators.n), attached.boundary)
    K = attached.operators.K.tocsr()[inside].tocsc()[:, inside]
    began = time.process_time()
    factor = Definite(K)
    factorised = time.process_time() - began
    b = np.random.default_rng(0).standard_normal(len(inside))
    began = time.process_time()
    for _ in range(50):
        factor.solve(b)
    solved = time.process_time() - began
    return {
        "n": operators.n,
        "assembly": assembled,
        "reduction": reduced,
        "factor": factorised,
        "solves": solved,
        "peak": peak,
        "modes": (model.frequencies[12:16] / (2 * np.pi)).tolist(),
        "steps": {k: v for k, v in model.provenance.items() if "[s]" in k or k == "solves"},
    }


def matrices(size: int, path: Path) -> None:
    """What Exudyn is given."""
    part = bar(size)
    operators = part.assemble()
    K, M = operators.K.tocsr(), operators.M.tocsr()
    np.savez(
        path,
        points=part.mesh.points, cells=part.mesh.cells[0].nodes,
        left=part.mesh.node_set("left"), right=part.mesh.node_set("right"),
        K_data=K.data, K_indices=K.indices, K_indptr=K.indptr,
        M_data=M.data, M_indices=M.indices, M_indptr=M.indptr,
    )  # fmt: skip


def in_own_process(size: int, modes: int) -> dict[str, Any]:
    """A size in a process of its own, for its peak of memory."""
    command = [sys.executable, __file__, "--one", str(size), str(modes)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": "."})
    row: dict[str, Any] = json.loads(out.stdout.splitlines()[-1])
    return row


def compare(peer: Peer, sizes: list[int], folder: Path) -> None:
    """Both sides on the same matrices."""
    rows, verdicts = [], []
    for size in sizes:
        file = folder / f"{size}.npz"
        matrices(size, file)
        for modes in (8, 40) if size <= 30_000 else (8,):
            ours = in_own_process(size, modes)
            theirs = peer.solve({"file": str(file), "modes": modes})
            total = theirs[0] + theirs[1]
            ratio = ours["reduction"] / total
            difference = max(abs(a / b - 1) for a, b in zip(ours["modes"], theirs[3], strict=True))
            rows.append(
                (ours["n"], modes, f"{ours['reduction']:.2f}", f"{theirs[0]:.2f} + {theirs[1]:.2f}", f"{ratio:.4f}",
                 f"{theirs[2]:.0f}", f"{difference:.1e}")
            )  # fmt: skip
            if size in PEER_LIMIT:
                limit = PEER_LIMIT[size]
                verdicts.append(
                    f"{ours['n']} unknowns, {modes} modes: {ratio:.4f} of Exudyn's time, target {limit:.3f}: "
                    f"{measure.verdict(ratio, limit)}"
                )
    print(f"\nExudyn {peer.version}: Hurty-Craig-Bampton, two rigid (RBE2) interfaces, the same matrices")
    measure.table(
        ("unknowns", "modes", "flexmbs [s]", "modes + inertia [s]", "ratio", "its peak [MB]", "difference [-]"), rows
    )
    print("\n".join(verdicts))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=2, type=int, metavar=("SIZE", "MODES"), help=argparse.SUPPRESS)
    parser.add_argument("--large", action="store_true", help="600 000 unknowns as well")
    parser.add_argument("--peer", type=int, default=30_000, metavar="N", help="Exudyn up to this size")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(*options.one)))
        return
    print(measure.facts(), "\n")
    rows, verdicts = [], []
    for size in [s for s in BARS if options.large or s < 600_000]:
        row = in_own_process(size, 40)
        limit = FACTOR_LIMIT * (row["factor"] + row["solves"])
        rows.append(
            (row["n"], f"{row['assembly']:.2f}", f"{row['reduction']:.2f}", f"{row['factor']:.2f}",
             f"{row['solves']:.2f}", f"{row['reduction'] / (row['factor'] + row['solves']):.2f}", f"{row['peak']:.0f}")
        )  # fmt: skip
        if size == 154_000:
            verdicts = [
                f"{row['n']} unknowns: {row['reduction']:.1f} s, target {limit:.1f} s (4 times one factorisation and "
                f"fifty solutions): {measure.verdict(row['reduction'], limit)}",
                f"{row['n']} unknowns: peak {row['peak']:.0f} MB, target {MEMORY_LIMIT:.0f}: "
                f"{measure.verdict(row['peak'], MEMORY_LIMIT)}",
                f"steps: {row['steps']}",
            ]
    measure.table(
        ("unknowns", "assembly [s]", "reduction [s]", "factorisation [s]", "50 solutions [s]", "ratio", "peak [MB]"),
        rows,
    )
    print("\n".join(verdicts))
    peer = find_peer("exudyn_reduction.py")
    if peer is not None:
        with tempfile.TemporaryDirectory() as folder:
            compare(peer, [s for s in BARS if s <= options.peer], Path(folder))
        peer.close()


if __name__ == "__main__":
    main()
