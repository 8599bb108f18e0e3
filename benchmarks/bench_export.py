"""A reduced model with 300 coordinates written in every format: time and size, and whether its matrices come back.

python benchmarks/bench_export.py

Units of simulation are written with their binary, whose compiler counts, too (time of child processes).
"""

from __future__ import annotations

import resource
import tempfile
import warnings
from pathlib import Path

import measure
import numpy as np

import flexmbs as fx
from flexmbs.reduction.export import FORMATS

WANTED = 10.0
"""Seconds for a format."""
BACK = ("hdf5", "mtx", "op4", "op4bin", "dmig", "abaqus")
"""Formats that flexmbs itself reads with their matrices; other tools that read the others are in the tests."""
OPTIONS = {"uff58": {"damping": 0.01}, "fmu2": {"damping": 0.01}, "fmu3": {"damping": 0.01}}


def children() -> float:
    """Processor seconds of finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def size_of(path: Path) -> float:
    """Megabytes of a file or folder."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files) / 1e6


def difference(model: fx.reduction.ReducedModel, path: Path) -> str:
    """Largest difference of K, M of what is read back, relative to the largest entry; "equal" for the same bits."""
    try:
        again = fx.reduction.read_reduced(path)
    except fx.ModelError as error:  # without pyNastran
        return f"not read: {str(error)[:40]}"
    pairs = [(getattr(again, role), getattr(model, role)) for role in "KM"]
    if all(np.array_equal(a, b) for a, b in pairs):
        return "equal"
    return f"{max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs):.1e}"


def main() -> None:
    print(measure.facts())
    warnings.simplefilter("ignore")
    lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    units = {"length": "m", "mass": "kg", "time": "s"}
    model = fx.reduction.reduce(lug, ["ROOT", "BORE"], 288, stresses="TIP", units=units, progress=False)
    rows, slowest = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for to in FORMATS:
            before, path = children(), Path(folder) / to
            options = OPTIONS.get(to, {})
            took = measure.cpu_time(lambda t=to, p=path, o=options: fx.reduction.export(model, p, t, **o))
            took += children() - before
            slowest = max(slowest, took)
            [path] = path.iterdir()
            rows.append((to, f"{took:.2f}", f"{size_of(path):.2f}", difference(model, path) if to in BACK else ""))
    measure.table(("format", "writing [s]", "size [MB]", "K, M read back"), rows)
    print(f"\nslowest: {slowest:.2f} s (at most {WANTED:g} s): {measure.verdict(slowest, WANTED)}")


if __name__ == "__main__":
    main()
