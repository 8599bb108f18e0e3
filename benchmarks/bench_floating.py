"""A reduced bar in a floating frame swinging on a hinge: time per step by modes and interface nodes, and Exudyn's.

python benchmarks/bench_floating.py

The bar of 1 m x 60 mm x 60 mm has one rigid (RBE2) interface at each end and the modes of Craig-Bampton with both held:
14 and 46 shapes in the frame. Steps of 1 ms for 1 s; times are those of the whole run with its start.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import measure
import numpy as np
from peer import find_peer

import flexmbs as fx

ACROSS = (4, 9, 12)
"""Elements across the bar: 25, 100 and 169 nodes in each interface."""
ALONG = 10
MODES = (8, 40)
"""Beside the six motions of the interface that does not carry the frame."""
STEP, UNTIL, RHO = 1e-3, 1.0, 0.8
PLASTIC = fx.Elastic(youngs_modulus=2e9, poissons_ratio=0.3, density=1200.0, name="plastic")
SHARE = 0.2
"""Of Exudyn's time, at 100 nodes."""
GROWTH = 1.2
"""Most that the time per step may grow from 25 to 169 nodes."""


def part_of(across: int) -> fx.linear.Part:
    """Plain hexahedra, as Exudyn's users would take them."""
    mesh = fx.meshes.box((0, -0.03, -0.03), (1, 0.06, 0.06), (ALONG, across, across))
    region = fx.linear.Region(None, fx.elements.Hexahedron8(incompatible=False), PLASTIC)
    return fx.linear.Part(mesh, regions=[region], name="bar")


def pendulum(part: fx.linear.Part, modes: int) -> tuple[fx.System, fx.FloatingBody]:
    """The reduced bar on its hinge."""
    reduced = fx.reduction.reduce(part, ["left", "right"], modes, progress=False)
    body = fx.FloatingBody(reduced, reference="left")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    return fx.compile_model(fx.Model(body, hinge, fx.Gravity((0.0, -9.81, 0.0)))), body


def ours(part: fx.linear.Part, modes: int) -> tuple[float, int, int, Any]:
    """Seconds per step, steps, evaluations, place of the free end."""
    system, body = pendulum(part, modes)
    kept: list[fx.TimeSolution] = []

    def run() -> None:
        output = fx.Output(at=(UNTIL,), energy=False)
        kept.append(
            fx.simulate(system, UNTIL, step=STEP, integrator=fx.GeneralizedAlpha(rho_inf=RHO, index=3), output=output)
        )

    run()  # compiles
    seconds = min(measure.cpu_time(run) for _ in range(3))
    found = kept[-1]
    steps = len(found.steps)
    return seconds / steps, steps, found.counts["evaluations"], found.position(body.interface("right"))[-1]


def matrices(part: fx.linear.Part, path: Path) -> None:
    """What Exudyn is given."""
    operators = part.assemble()
    K, M = operators.K.tocsr(), operators.M.tocsr()
    np.savez(
        path,
        points=part.mesh.points, cells=part.mesh.cells[0].nodes,
        left=part.mesh.node_set("left"), right=part.mesh.node_set("right"),
        K_data=K.data, K_indices=K.indices, K_indptr=K.indptr,
        M_data=M.data, M_indices=M.indices, M_indptr=M.indptr,
    )  # fmt: skip


def main() -> None:
    """Print the table."""
    print(measure.facts(), "\n")
    peer = find_peer("exudyn_floating.py")
    rows, verdicts, per_step = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        for across in ACROSS:
            part, file = part_of(across), Path(folder) / f"{across}.npz"
            matrices(part, file)
            nodes = (across + 1) ** 2
            for modes in MODES:
                seconds, steps, evaluations, end = ours(part, modes)
                per_step[modes, nodes] = seconds
                row = [modes + 6, nodes, f"{1e3 * seconds:.3f}", f"{evaluations / steps:.2f}"]
                if peer is not None:
                    task = {"file": str(file), "modes": modes, "step": STEP, "until": UNTIL, "rho": RHO}
                    theirs = peer.solve(task)
                    ratio = seconds / theirs[0]
                    away = float(np.abs(np.array(theirs[2]) - end).max())
                    row += [f"{1e3 * theirs[0]:.3f}", f"{theirs[1]:.2f}", f"{ratio:.3f}", f"{away:.1e}"]
                    if nodes == 100:
                        verdicts.append(
                            f"{modes + 6} modes, {nodes} nodes: {ratio:.3f} of Exudyn's time, target {SHARE}: "
                            f"{measure.verdict(ratio, SHARE)}"
                        )
                rows.append(row)
    head = ["modes", "interface nodes", "flexmbs [ms/step]", "evaluations/step"]
    if peer is not None:
        print(f"Exudyn {peer.version}, fast build, sparse solver, the same mass and stiffness\n")
        head += ["Exudyn [ms/step]", "iterations/step", "ratio", "difference [m]"]
        peer.close()
    measure.table(head, rows)
    print("\n".join(verdicts))
    for modes in MODES:
        times = [per_step[modes, (across + 1) ** 2] for across in ACROSS]
        growth = times[-1] / times[0]
        verdict = measure.verdict(growth, GROWTH)
        print(f"{modes + 6} modes: time per step at 169 nodes over that at 25 nodes {growth:.2f}: {verdict}")


if __name__ == "__main__":
    main()
