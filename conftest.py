"""For every pytest run: a cache folder of numba for the tests, and our own warnings as errors.

What is kept there stays as long as what it depends on is the same (`flexmbs.core.kernel_cache`), and workers share it.
The folder must be named before numba is imported, hence here at module level; the workers of pytest-xdist inherit the
variable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent


def use_own_numba_cache() -> None:
    """Point numba to the folder of the tests."""
    if "numba" in sys.modules:
        raise pytest.UsageError("numba was imported before conftest.py could choose its cache; see CONTRIBUTING.md")
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or ROOT / ".cache" / "numba") / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)


if "PYTEST_XDIST_WORKER" not in os.environ:
    use_own_numba_cache()


def pytest_configure(config: pytest.Config) -> None:
    """Make our own warnings errors (not in pyproject.toml: naming the class there imports flexmbs before this file)."""
    config.addinivalue_line("filterwarnings", "error::flexmbs.core.errors.AccuracyWarning")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Leave no figure open behind a test; matplotlib warns of many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
