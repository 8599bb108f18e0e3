"""When machine code kept on disk is still that of the sources.

numba compares the file a kernel is in, not the files of the kernels that it calls and that are compiled into it: after
an update of the package it would go on with old code, or fail on classes that have gone. Here the stamp of a kernel is
made of its own file, of the kernels it calls, wherever they are, and of the numbers it reads from its module. Files
that are cut off count as gone, and are made anew.
"""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numba.core.caching import IndexDataCacheFile

__all__ = ["follow_callees"]

DAMAGE = (
    ArithmeticError, AttributeError, EOFError, ImportError, LookupError, MemoryError, TypeError, ValueError,
    pickle.UnpicklingError,
)  # fmt: skip
"""What unpickling raises from a file that is cut off, as a full disk or a loss of power leaves it."""

_files: dict[str, tuple[int, int]] = {}


def follow_callees(dispatcher: Any) -> None:
    """Let the cache of a compiled function depend on what it calls; nothing happens where numba has no such cache."""
    cache: Any = getattr(dispatcher, "_cache", None)
    if isinstance(getattr(cache, "_cache_file", None), IndexDataCacheFile):
        cache._cache_file = _Index(cache._cache_path, cache._impl.filename_base, dispatcher)


class _Index(IndexDataCacheFile):  # type: ignore[misc]  # numba has no type information
    """The list of what is kept for one kernel."""

    def __init__(self, path: str, base: str, dispatcher: Any) -> None:
        self._dispatcher, self._state = dispatcher, ""
        super().__init__(path, base, None)

    @property
    def _source_stamp(self) -> str:
        """Known from the first call on: by then all modules are complete."""
        if not self._state:
            self._state = hashlib.sha256(repr(_state(self._dispatcher.py_func, [])).encode()).hexdigest()
        return self._state

    @_source_stamp.setter
    def _source_stamp(self, value: object) -> None:
        """What numba has found, the time of one file."""

    def _load_index(self) -> dict[Any, str]:
        try:
            found: dict[Any, str] = super()._load_index()
        except DAMAGE:  # or it names a class that the package has no longer
            return {}
        return found

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)
        except DAMAGE as error:
            raise OSError(f"{name} is damaged") from error  # which numba takes for a file that has gone


def _state(function: Any, seen: list[Any]) -> list[Any]:
    """What the code of a function depends on, as plain data."""
    seen.append(function)
    names = function.__globals__
    found: list[Any] = [_file_state(function.__code__.co_filename)]
    for name in sorted(set(function.__code__.co_names)):
        value = names.get(name)
        callee = getattr(value, "py_func", None)
        if callee is not None:
            if callee not in seen:
                found.append((name, _state(callee, seen)))
        elif isinstance(value, ModuleType):
            if value.__name__.partition(".")[0] == __name__.partition(".")[0]:
                found.append((name, _file_state(value.__file__ or "")))
        elif _is_constant(value):
            found.append((name, repr(value)))
        elif isinstance(value, np.ndarray):
            found.append((name, value.dtype.str, value.shape, value.tobytes()))
    return found


def _is_constant(value: object) -> bool:
    """Whether it is compiled in as it stands, and its text says all of it."""
    if isinstance(value, tuple):
        return all(_is_constant(x) for x in value)
    return isinstance(value, bool | int | float | str)


def _file_state(path: str) -> tuple[int, int]:
    """Time of change and size of a file, as when it was first asked for."""
    if path not in _files:
        try:
            status = Path(path).stat()
            _files[path] = status.st_mtime_ns, status.st_size
        except OSError:  # from an archive or the keyboard; numba keeps nothing of these
            _files[path] = 0, 0
    return _files[path]
