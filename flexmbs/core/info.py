"""Versions, linear solvers, threads and folders: what to know, and to tell, about an installation."""

from __future__ import annotations

import importlib
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["PACKAGES", "environment", "linear_solvers", "version", "versions"]

#: The distributions flexmbs stands on, in the order they are shown.
PACKAGES = ("numpy", "scipy", "scikit-sparse", "numba", "meshio", "h5py", "matplotlib")

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def version() -> str:
    """The version of flexmbs.

    Examples
    --------
    >>> isinstance(version(), str)
    True
    """
    return _installed("flexmbs") or "unknown (not installed)"


def versions() -> dict[str, str]:
    """Versions of flexmbs, Python and the packages it stands on, by name; imports none of them.

    Examples
    --------
    >>> sorted(versions())[:3]
    ['flexmbs', 'h5py', 'matplotlib']
    """
    found = {"flexmbs": version(), "python": platform.python_version()}
    return found | {name: _installed(name) or "not installed" for name in PACKAGES}


def linear_solvers() -> dict[str, str]:
    """The sparse direct solvers that can be used here, by name, or why not; imports them.

    Examples
    --------
    >>> "SuperLU" in linear_solvers()
    True
    """
    return {
        "CHOLMOD": _try_import("sksparse.cholmod", "scikit-sparse"),
        "SuperLU": _try_import("scipy.sparse.linalg", "scipy"),
        "LAPACK band LU": _try_import("scipy.linalg.lapack", "scipy"),
    }


def environment() -> list[tuple[str, str]]:
    """What ``flexmbs info`` prints: pairs of a name and what there is to say.

    Examples
    --------
    >>> dict(environment())["flexmbs"] == version()
    True
    """
    rows = list(versions().items())
    rows += [(f"solver {name}", state) for name, state in linear_solvers().items()]
    rows += [("BLAS of CHOLMOD", name) for name in _system_blas()]
    rows.append(("platform", platform.platform()))
    rows.append(("processors", f"{_usable_processors()} usable of {os.cpu_count() or 1}"))
    limits = [f"{name}={os.environ[name]}" for name in _THREAD_VARIABLES if name in os.environ]
    rows.append(("thread limits", ", ".join(limits) or "none set"))
    rows += _numba_rows()
    return rows


def _installed(name: str) -> str | None:
    """The version of an installed distribution."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _try_import(module: str, distribution: str) -> str:
    """Whether a module can be imported, and of which version it is."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        return f"not usable: {' '.join(str(error).split())}"
    return f"found ({distribution} {_installed(distribution) or 'of unknown version'})"


def _system_blas() -> list[str]:
    """The BLAS that CHOLMOD was loaded with, where the system tells: libraries in memory outside Python's packages."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return []
    paths = {line.split()[-1] for line in maps.read_text().splitlines() if "blas" in line and "/" in line}
    found = sorted(p for p in paths if "-packages" not in p and "libblas" in p)
    slow = "reference BLAS, slow in large factorisations; install libopenblas0-pthread"
    return [f"{p} ({slow})" if "/blas/" in p else p for p in found]


def _usable_processors() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _numba_rows() -> list[tuple[str, str]]:
    """Threads and cache folder of numba."""
    try:
        config: Any = importlib.import_module("numba").config
    except ImportError as error:
        return [("numba", f"not usable: {' '.join(str(error).split())}")]
    beside = f"__pycache__ beside the sources in {Path(__file__).resolve().parents[2]}"
    return [("numba threads", str(config.NUMBA_NUM_THREADS)), ("numba cache", config.CACHE_DIR or beside)]
