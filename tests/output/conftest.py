"""The models and their results, once for all tests of output."""

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

SAMPLES = str(Path(__file__).parent / "samples")


@pytest.fixture(scope="session")
def models() -> Iterator[ModuleType]:
    """The module of models."""
    sys.path.insert(0, SAMPLES)
    yield importlib.import_module("output_models")
    sys.path.remove(SAMPLES)


@pytest.fixture(scope="session")
def solved(models: ModuleType) -> Callable[[str], fx.StaticSolution]:
    """Static solutions of the models by name, each computed once."""
    return cache(lambda name: fx.solve_static(getattr(models, name)(), fx.StaticOptions(steps=2, progress=False)))


@pytest.fixture(autouse=True)
def _no_windows() -> Iterator[None]:
    """Draw without a screen, and close what was drawn."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")
