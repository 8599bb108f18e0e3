"""Build a wheel for x86-64 Linux that holds compiled kernels, so that who installs it waits for no compilation.

The tree is copied into build/wheel. In the copy programs are run that use every formulation, the fast verification
cases and the models of benchmarks/bench_start.py and of docs/gallery, with numba told to compile for a level of
instructions (x86-64-v3: every processor with AVX2, since about 2013 to 2015). What they compile is gathered into
flexmbs/core/shipped_kernels.bin (`flexmbs.core.shipped_kernels`), and the wheel is built from the copy. A second build
compiles only what has changed.

The wheel is tagged by the Python whose bytecode the kernels were compiled from and by manylinux_2_17_x86_64. It holds
no shared library: the code calls functions of numba's run-time library and of the C library, which numba looks up by
name. Next to it the wheel for any processor (``pip wheel .``) should be offered, for other systems; pip prefers the
one with kernels where both fit. On a processor, or with versions, that the kernels are not for, it works as the other.

    python tools/build_wheel.py [--out dist] [--jobs 2] [--models-only]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEVEL = "x86-64-v3"
FEATURES = (
    "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf", "crc32",
    "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave",
)  # fmt: skip
"""What llvm calls the instructions of the level."""
PLATFORM = "manylinux_2_17_x86_64"
LEFT_OUT = (".git", ".venv", "build", "dist", ".cache", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis")

MODEL = """
import sys; sys.path.insert(0, {benchmarks!r})
import numpy as np
import flexmbs as fx
from bench_start import MODELS
exec(MODELS[{name!r}][0])
"""

GATHER = """
import importlib, pkgutil, sys
from pathlib import Path
import flexmbs
import llvmlite.binding as llvm
from flexmbs.core import shipped_kernels
from flexmbs.core.jit import Kernel
from flexmbs.core.kernel_cache import stamp

for module in pkgutil.walk_packages(flexmbs.__path__, "flexmbs."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
found = {}
for module in [m for name, m in sys.modules.items() if name.startswith("flexmbs.")]:
    for kernel in [k for k in vars(module).values() if isinstance(k, Kernel)]:
        cache = kernel._cache
        if cache.came.name not in found and (entries := cache.entries()):
            found[cache.came.name] = stamp(kernel), entries
shipped_kernels.write(Path(sys.argv[1]), llvm.get_process_triple(), sys.argv[2].split(","), found)
entries = sum(len(e) for _, e in found.values())
print(f"{len(found)} kernels, {entries} entries, {Path(sys.argv[1]).stat().st_size / 1e6:.1f} MB")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheel (default: dist)")
    parser.add_argument("--jobs", default="2", help="processes of the verification cases (default: 2)")
    parser.add_argument("--models-only", action="store_true", help="without cases and gallery: fewer kernels, sooner")
    options = parser.parse_args()
    home = ROOT / "build" / "wheel"
    source, empty = home / "source", home / "empty"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT, source, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    empty.mkdir(parents=True, exist_ok=True)
    own = {
        "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(home / "cache"), "NUMBA_CPU_NAME": LEVEL,
        "NUMBA_CPU_FEATURES": "", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg",
    }  # fmt: skip

    def run(*arguments: str) -> None:
        print("==", *(a for a in arguments if "\n" not in a), flush=True)
        subprocess.run([sys.executable, *arguments], cwd=empty, env={**os.environ, **own}, check=True)

    names = subprocess.run(
        [sys.executable, "-c", "import bench_start; print(*bench_start.MODELS)"],
        cwd=source / "benchmarks", env={**os.environ, **own}, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    for name in names:
        print("== model", name, flush=True)
        run("-c", MODEL.format(benchmarks=str(source / "benchmarks"), name=name))
    if not options.models_only:
        for model in sorted((source / "docs" / "gallery").glob("*.py")):
            run(str(model))
        run("-m", "flexmbs", "verify", "--all", "--jobs", options.jobs)
    run("-c", GATHER, str(source / "flexmbs" / "core" / "shipped_kernels.bin"), ",".join(FEATURES))
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    (source / "setup.cfg").write_text(f"[bdist_wheel]\npython_tag = {python}\nplat_name = {PLATFORM}\n")
    options.out.mkdir(parents=True, exist_ok=True)
    run("-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(options.out.resolve()), str(source))


if __name__ == "__main__":
    main()
