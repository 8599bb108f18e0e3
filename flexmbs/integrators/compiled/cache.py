"""Where generated modules live, and how they are loaded: each once, with machine code that outlives the process.

A module is named by the hash of its text, of the versions of everything that compiles it, and of the state of all
sources of the package and of the kernels' modules: numba does not see when a function changes that it has compiled into
another. It lies in the folder NUMBA_CACHE_DIR, or else in the user's cache; where neither can be written, in a
temporary folder that goes with the process. Files there that are cut off are made anew.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

from flexmbs.core.jit import compile_seconds

__all__ = ["Module", "folder"]

PREFIX = "flexmbs_steps_"
PACKAGE = Path(__file__).resolve().parents[2]
SECONDS = 4
"""What compiling a driver takes, about; the kernels being there."""


@cache
def folder() -> Path:
    """A folder that can be written to; never the working directory."""
    places = [os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")]
    candidates = [Path(p).absolute() for p in places if p]
    if os.environ.get("HOME") or os.name == "nt":
        candidates.append(Path.home() / ".cache")
    for candidate in candidates:
        place = candidate / "flexmbs"
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                return place
        except OSError:
            continue
    return _temporary()


def _temporary() -> Path:
    """A folder that is removed when the process ends; machine code for others to run is not left in public places."""
    held = tempfile.TemporaryDirectory(prefix="flexmbs_steps_")
    _HELD.append(held)
    return Path(held.name)


_HELD: list[Any] = []


@cache
def _sources() -> str:
    """State of the package: names, sizes and times of all its files."""
    lines, roots = [], [PACKAGE]
    for room in ("flexmbs.elements", "flexmbs.reduction"):  # which lie beside the package
        if room in sys.modules:
            roots.append(Path(str(sys.modules[room].__file__)).resolve().parent)
    for root in roots:
        lines += [_state(path) for path in sorted(root.rglob("*.py"))]
    return "\n".join(lines)


def _state(path: Path) -> str:
    found = path.stat()
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Module:
    """A generated module: ``text``, with kernels from the ``modules`` named; ``title`` tells what it is for."""

    def __init__(self, text: str, modules: Iterable[str], title: str) -> None:
        self.text, self.title = text, title
        files = [Path(str(sys.modules[m].__file__)) for m in modules if getattr(sys.modules[m], "__file__", None)]
        versions = f"{sys.version} numba {numba.__version__} numpy {np.__version__}"
        kind = _digest(text, versions, str(PACKAGE))
        self._family = f"{PREFIX}{kind}_"
        self.name = self._family + _digest(_sources(), *(_state(f) for f in files if f.exists()))

    @property
    def loaded(self) -> bool:
        """Whether this process has it."""
        return self.name in sys.modules

    @property
    def compiled(self) -> bool:
        """Whether its machine code is on disk."""
        return self.loaded or any((folder() / "__pycache__").glob(f"{self.name}.*.nbi"))

    def function(self) -> Any:
        """Its function ``drive``."""
        if not self.loaded:
            self._load()
        return sys.modules[self.name].drive

    def _load(self) -> None:
        place = folder()
        path = place / f"{self.name}.py"
        if not path.exists() or path.read_text(encoding="utf-8") != self.text:
            self._forget_older(place)
            with tempfile.NamedTemporaryFile("w", dir=place, suffix=".tmp", delete=False, encoding="utf-8") as file:
                file.write(self.text)
            Path(file.name).replace(path)
        if not self.compiled:
            sys.stderr.write(f"flexmbs: compiling the steps of {self.title} (about {SECONDS} s, once) ...\n")
        try:
            self._execute(path)
        except (EOFError, TypeError, ValueError):  # Python's own file of it is cut off
            for cut in (place / "__pycache__").glob(f"{self.name}.*.pyc"):
                cut.unlink(missing_ok=True)
            self._execute(path)

    def _execute(self, path: Path) -> None:
        """Import the module and compile its function."""
        spec = importlib.util.spec_from_file_location(self.name, path)
        assert spec is not None  # noqa: S101
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        sys.modules[self.name] = module
        try:
            spec.loader.exec_module(module)
            began, before = time.perf_counter(), compile_seconds()
            module.drive.compile((types.int64[::1], types.int64[::1], types.float64[::1]))
            self.seconds = time.perf_counter() - began, compile_seconds() - before
        except BaseException:
            del sys.modules[self.name]
            raise

    def _forget_older(self, place: Path) -> None:
        """Remove what was compiled for earlier sources."""
        for path in [*place.glob(f"{self._family}*.py"), *(place / "__pycache__").glob(f"{self._family}*")]:
            with suppress(OSError):  # another process may hold it
                path.unlink()
