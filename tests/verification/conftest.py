"""The artificial cases, importable by name here and in worker processes."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def samples(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of artificial cases."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "samples"))
    return importlib.import_module("sample_cases")
