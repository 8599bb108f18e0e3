"""Functional mock-up units without Python: how much faster than real time they step; how long writing takes.

python benchmarks/bench_fmu.py

The units are stepped by a small C program that loads them as any tool does, sets all inputs and reads all outputs at
every step. The strip is that of the galvanizing line, 50 modes, sampled at 0.5 ms.
"""

from __future__ import annotations

import subprocess
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import measure
import numpy as np

import flexmbs as fx
from flexmbs.verification.cases.reduction.galvanizing_model import MAGNETS, PERIOD, strip

WANTED = 20.0
"""Times real time, for the strip."""
WRITING = 10.0
"""Seconds for a model with 300 coordinates."""

DRIVER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words) {
    void *lib = dlopen(words[1], RTLD_NOW);
    const int n_u = atoi(words[4]), n_y = atoi(words[5]), steps = atoi(words[7]);
    const double h = atof(words[6]);
    void *callbacks[5] = {0, 0, 0, 0, 0};
    void *(*make)(const char *, int, const char *, const char *, void *, int, int) = dlsym(lib, "fmi2Instantiate");
    int (*setup)(void *, int, double, double, int, double) = dlsym(lib, "fmi2SetupExperiment");
    int (*enter)(void *) = dlsym(lib, "fmi2EnterInitializationMode");
    int (*leave)(void *) = dlsym(lib, "fmi2ExitInitializationMode");
    int (*set)(void *, const unsigned *, size_t, const double *) = dlsym(lib, "fmi2SetReal");
    int (*get)(void *, const unsigned *, size_t, double *) = dlsym(lib, "fmi2GetReal");
    int (*step)(void *, double, double, int) = dlsym(lib, "fmi2DoStep");
    void *c = make("x", 1, words[2], words[3], callbacks, 0, 0);
    unsigned *in = malloc(4 * (n_u + n_y + 1)), *out = in + n_u;
    double *u = calloc(n_u + n_y + 1, sizeof(double)), *y = u + n_u, sum = 0.0;
    clock_t began;
    int i, k, bad = c == NULL || count < 8;
    if (bad) return 1;
    for (i = 0; i < n_u; ++i) in[i] = 1 + i;
    for (i = 0; i < n_y; ++i) out[i] = 1 + n_u + i;
    /* the first step makes the propagator */
    bad |= setup(c, 0, 0, 0, 0, 0) || enter(c) || leave(c) || step(c, 0, h, 1);
    began = clock();
    for (k = 1; k <= steps; ++k) {
        for (i = 0; i < n_u; ++i) u[i] = (k * 7919 + i * 104729) % 1000 * 1e-3 - 0.5;
        bad |= set(c, in, n_u, u) || step(c, k * h, h, 1) || get(c, out, n_y, y);
        sum += y[0];
    }
    printf("%d %.9g %.17g\n", bad, (double)(clock() - began) / CLOCKS_PER_SEC / steps, sum);
    return bad;
}
"""


def stepped(path: Path, folder: Path, h: float, steps: int) -> tuple[float, int, int]:
    """Processor seconds of a step, numbers of inputs and outputs."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / path.stem)
    root = ElementTree.parse(folder / path.stem / "modelDescription.xml").getroot()
    kinds = [v.get("causality") for v in root.iter("ScalarVariable")]
    n_u, n_y = kinds.count("input"), kinds.count("output")
    [library] = (folder / path.stem / "binaries").rglob("*.*")
    resources = (folder / path.stem / "resources").as_uri()
    words = [library, root.get("guid"), resources, n_u, n_y, h, steps]
    done = subprocess.run(
        [folder / "driver", *map(str, words)], check=True, capture_output=True, text=True
    )  # fmt: skip
    return float(done.stdout.split()[1]), n_u, n_y


def main() -> None:
    print(measure.facts())
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "driver.c").write_text(DRIVER)
        subprocess.run(["gcc", "-O2", "driver.c", "-o", "driver", "-ldl"], cwd=folder, check=True)
        line = strip()
        nodes = [line.node(MAGNETS, y) for y in (0.0, 1.0)] + [line.node(2.5, y) for y in (0.0, 0.5, 1.0)]

        zones = {
            f"zone {i}": np.asarray(line.reduced.shapes)[line.reduced.dofs.of(zone, 2)].sum(axis=0) / len(zone)
            for i, zone in enumerate(line.zones)
        }

        def write(model: fx.reduction.ReducedModel, to: str, **options: object) -> tuple[Path, float]:
            path = folder / f"{model.name}_{len(rows)}.fmu"
            took = measure.cpu_time(lambda: fx.reduction.export(model, path, to, **options))
            return path, took

        big = fx.reduction.reduce(
            fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug"),
            ["ROOT", "BORE"], 288,
            progress=False,
        )  # fmt: skip
        L = np.random.default_rng(0).standard_normal((300, 300))
        places = {"fixed": line.body.fixed, "interfaces": (), "nodes": nodes, "loads": zones}
        cases = {
            "strip, modal": (line.reduced, places),
            "lug, 300 coordinates, modal": (big, {"damping": 0.01}),
            "lug, 300 coordinates, coupled damping": (replace(big, D=1e-3 * L @ L.T), {}),
        }
        for text, (model, options) in cases.items():
            path, took = write(model, "fmu2", **options)
            seconds, n_u, n_y = stepped(path, folder, PERIOD, 20_000 if model.size < 200 else 2_000)
            size = path.stat().st_size / 1e6
            rows.append(
                (text, n_u, n_y, f"{took:.2f}", f"{size:.2f}", f"{seconds * 1e6:.2f}", f"{PERIOD / seconds:.0f}")
            )
    head = ("unit", "inputs", "outputs", "writing [s]", "size [MB]", "step [us]", "times real time")
    measure.table(head, rows)
    share, slowest = 1.0 / float(rows[0][-1]), max(float(row[3]) for row in rows)
    print(f"\nstrip, part of real time: {share:.3g} (at most {1 / WANTED:g}): {measure.verdict(share, 1 / WANTED)}")
    print(f"writing: {slowest:g} s (at most {WRITING:g} s): {measure.verdict(slowest, WRITING)}")


if __name__ == "__main__":
    main()
