"""For every pytest run: a cache folder of numba for each state of the sources, and our own warnings as errors.

Numba notices an edit of the file that holds a kernel, but not one in a jitted function imported from elsewhere: it
would go on with the old machine code. So the cache folder is named by a hash of all sources. This must happen before
numba is imported, hence here at module level; the workers of pytest-xdist inherit the variable.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
ROOMS = ("flexmbs", "elements", "meshes", "reduction", "verification")
KEEP_UNUSED = 2 * 24 * 3600.0  # seconds


def hash_of_sources() -> str:
    """A name for the present state of all Python sources of the package."""
    state = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            state.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return state.hexdigest()[:16]


def use_own_numba_cache() -> None:
    """Point numba to the folder for this state of the sources, and remove folders long unused."""
    if "numba" in sys.modules:
        raise pytest.UsageError("numba was imported before conftest.py could choose its cache; see CONTRIBUTING.md")
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or ROOT / ".cache" / "numba")
    folder = base / f"tests-{hash_of_sources()}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for old in base.glob("tests-*"):
        if old != folder and old.stat().st_mtime < time.time() - KEEP_UNUSED:
            shutil.rmtree(old, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)


if "PYTEST_XDIST_WORKER" not in os.environ:
    use_own_numba_cache()


def pytest_configure(config: pytest.Config) -> None:
    """Make our own warnings errors (not in pyproject.toml: naming the class there imports flexmbs before this file)."""
    config.addinivalue_line("filterwarnings", "error::flexmbs.core.errors.AccuracyWarning")
