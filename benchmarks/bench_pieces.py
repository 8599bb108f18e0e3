"""A part in one go, and the same part region by region on two workers: peak memory of each process, ten frequencies.

    python benchmarks/bench_pieces.py [elements along the bar] [elements across]

880 15 makes a part of 676 000 unknowns, which takes minutes and some gigabytes.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import measure
import numpy as np

import flexmbs as fx
from flexmbs.studies.runner import workers_of

PIECES, MODES, PIECE_MODES = 4, 20, 30
FACES = ["left", "right"]


def bar(along: int, across: int) -> fx.linear.Part:
    """A slender bar in four regions."""
    length = along / across
    mesh = fx.meshes.box((0, 0, 0), (length, 1.0, 0.9), (along, across, across))
    edges = np.linspace(0.0, length, PIECES + 1)
    for i, (a, b) in enumerate(itertools.pairwise(edges)):
        mesh = mesh.with_cell_set(f"piece {i}", lambda c, a=a, b=b: (c[:, 0] > a) & (c[:, 0] < b))
    regions = [fx.linear.Region(f"piece {i}", fx.elements.Hexahedron8(), fx.steel) for i in range(PIECES)]
    return fx.linear.Part(mesh, regions=regions, name="bar")


def peak() -> float:
    """Largest memory of this process so far [MB]; of its own, not of the process that started it."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024.0
    return float("nan")


def once(how: str, along: int, across: int) -> dict[str, Any]:
    """One road, in this process."""
    part = bar(along, across)
    began, workers = time.perf_counter(), []
    if how == "whole":
        model = fx.reduction.reduce(part, FACES, MODES, progress=False)
    else:
        with workers_of(2) as client:
            model = fx.studies.reduce_by_regions(
                part, FACES, MODES, piece_modes=PIECE_MODES, workers=client, progress=False
            )
            workers = list(client.run(peak).values())
    frequencies = (model.frequencies[model.n_interface :] / (2.0 * np.pi))[:10]
    return {"seconds": time.perf_counter() - began, "peaks": [peak(), *workers], "f": frequencies.tolist()}


def main(along: int = 120, across: int = 8) -> None:
    print(measure.facts())
    print(f"{3 * (along + 1) * (across + 1) ** 2} unknowns, {PIECES} regions; load {os.getloadavg()[0]:.1f}\n")
    found = {}
    for how in ("whole", "regions"):
        command = [sys.executable, __file__, "--once", how, str(along), str(across)]
        found[how] = json.loads(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
        )
    rows = [[how, f"{run['seconds']:.1f}", ", ".join(f"{mb:.0f}" for mb in run["peaks"])] for how, run in found.items()]
    measure.table(["how", "wall [s]", "peak of each process [MB]"], rows)
    ratio = np.array(found["regions"]["f"]) / np.array(found["whole"]["f"]) - 1.0
    print(f"\nten frequencies against the whole: {ratio.min():+.1e} to {ratio.max():+.1e} (wanted: 0 to 1e-3)")
    share = max(found["regions"]["peaks"]) / found["whole"]["peaks"][0]
    print(f"largest peak over that of the whole: {share:.2f} (at most 0.5)")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(once(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        main(*(int(word) for word in sys.argv[1:]))
