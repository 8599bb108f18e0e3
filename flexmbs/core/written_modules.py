"""Where written modules live, and how they are loaded: each once, with machine code that outlives the process.

Written are steps (`flexmbs.integrators.compiled`) and kernels around functions of users
(`flexmbs.dynamics.written_laws`). A module is named by the hash of its text. Its function is a kernel as all others
are, so its machine code is taken from the disk as long as the kernels in it are the same (`flexmbs.core.kernel_cache`).
It lies in the folder NUMBA_CACHE_DIR, or else in the user's cache; where neither can be written, in a temporary folder
that goes with the process. Files there that are cut off are made anew, and those that nobody has used for a month are
removed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import types

__all__ = ["LAWS", "STEPS", "Module", "folder"]

STEPS, LAWS = "flexmbs_steps_", "flexmbs_laws_"
"""How names of modules begin, by what is in them."""
DAY = 24 * 3600.0  # seconds
KEEP_UNUSED = 30 * DAY
LOADING, COMPILING = 0.1, 4.0
"""Seconds of processor time to load steps from the disk, and to compile them, before this was measured here."""
ARGUMENTS = types.int64[::1], types.int64[::1], types.float64[::1]


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
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


class Module:
    """A written module with this text, whose steps are its function ``drive``."""

    def __init__(self, text: str, prefix: str = STEPS) -> None:
        self.text = text
        self.name = prefix + _digest(text)

    @property
    def loaded(self) -> bool:
        """Whether this process has it."""
        return self.name in sys.modules and bool(self._drive().ready(ARGUMENTS))

    @property
    def compiled(self) -> bool:
        """Whether its machine code is at hand, or on disk."""
        return (folder() / f"{self.name}.py").exists() and bool(self._drive().kept(ARGUMENTS))

    def function(self) -> Any:
        """Its function ``drive``."""
        drive = self._drive()
        if not drive.ready(ARGUMENTS):
            what, began = "load" if self.compiled else "compile", time.process_time()
            drive.compile(ARGUMENTS)
            _keep(f"flexmbs_{what}.seconds", time.process_time() - began)
        return drive

    @property
    def seconds(self) -> float:
        """Processor time that it takes to get its function: what that took last for any module, on this machine."""
        if self.loaded:
            return 0.0
        return _kept("flexmbs_load.seconds", LOADING) if self.compiled else _kept("flexmbs_compile.seconds", COMPILING)

    @property
    def lost(self) -> float:
        """Seconds that runs have lost so far without it."""
        return _kept(f"{self.name}.lost", 0.0)

    def lose(self, seconds: float) -> None:
        """A run has lost some seconds without it."""
        _keep(f"{self.name}.lost", self.lost + seconds)

    def member(self, name: str) -> Any:
        """A kernel of the module, whether it is compiled or not."""
        if self.name not in sys.modules:
            self._load()
        return getattr(sys.modules[self.name], name)

    def _drive(self) -> Any:
        return self.member("drive")

    def _load(self) -> None:
        place = folder()
        path = place / f"{self.name}.py"
        if not path.exists() or path.read_text(encoding="utf-8") != self.text:
            _forget_unused(place)
            with tempfile.NamedTemporaryFile("w", dir=place, suffix=".tmp", delete=False, encoding="utf-8") as file:
                file.write(self.text)
            Path(file.name).replace(path)
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - DAY:
                os.utime(path)
        try:
            self._execute(path)
        except (EOFError, TypeError, ValueError):  # Python's own file of it is cut off
            for cut in (place / "__pycache__").glob(f"{self.name}.*.pyc"):
                cut.unlink(missing_ok=True)
            self._execute(path)

    def _execute(self, path: Path) -> None:
        """Import the module."""
        spec = importlib.util.spec_from_file_location(self.name, path)
        assert spec is not None  # noqa: S101
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        sys.modules[self.name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[self.name]
            raise


def _kept(name: str, otherwise: float) -> float:
    """A number that was kept, of whatever process."""
    try:
        return max(float((folder() / name).read_text(encoding="ascii")), 0.0)
    except (OSError, ValueError):
        return otherwise


def _keep(name: str, number: float) -> None:
    """Keep a number; what cannot be written is not kept."""
    with suppress(OSError):
        (folder() / name).write_text(f"{number:.6g}", encoding="ascii")


def _forget_unused(place: Path) -> None:
    """Remove modules that nobody has used for long."""
    for path in (p for prefix in (STEPS, LAWS) for end in ("py", "lost") for p in place.glob(f"{prefix}*.{end}")):
        with suppress(OSError):  # another process may hold it
            if path.stat().st_mtime < time.time() - KEEP_UNUSED:
                for part in [*(place / "__pycache__").glob(f"{path.stem}.*"), path]:
                    part.unlink()
