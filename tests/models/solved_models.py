"""Models and their results, once for all tests of results, files and pictures: fixtures for conftest.py."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import matplotlib
import pytest

import flexmbs as fx


@pytest.fixture(scope="session")
def models() -> Iterator[ModuleType]:
    """The module of models, under a name that files can hold."""
    sys.path.insert(0, str(Path(__file__).parent))
    yield importlib.import_module("output_models")
    sys.path.remove(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def solved(models: ModuleType) -> Callable[[str], fx.StaticSolution]:
    """Static solutions of the models by name, each computed once."""
    return cache(lambda name: fx.solve_static(getattr(models, name)(), fx.StaticOptions(steps=2, progress=False)))


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    """Draw without a screen, and close what was drawn."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")
