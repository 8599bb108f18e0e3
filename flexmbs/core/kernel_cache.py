"""When machine code kept on disk is still that of the sources, and who makes it when several processes need it.

numba compares the file a kernel is in, not the files of the kernels that it calls and that are compiled into it: after
an update of the package it would go on with old code, or fail on classes that have gone; and it drops the code of all
kernels of a file when one of them changes. Here the stamp of a kernel is made of what its code depends on, wherever it
is: its own instructions, those of the kernels that it calls, the numbers that they read from their modules, the fields
of the named tuples that they make and are given, the sources of whatever else they use, and what compiles them. Times
of files do not matter.

What came with the package (`flexmbs.core.shipped_kernels`) is looked at first, by the same stamps. Files that are cut
off count as gone, and are made anew. A kernel is compiled by one process at a time: others wait for
it, and load it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import time
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core import config, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache
from numba.core.compiler import CompileResult

from flexmbs.core.array_access import CHECKED
from flexmbs.core.kernel_library import CalledLibrary, library_from
from flexmbs.core.shipped_kernels import entry_name, shipped

try:
    import fcntl
except ImportError:  # Windows: processes do not wait for each other there, and may compile the same twice
    fcntl = None  # type: ignore[assignment]

__all__ = ["KernelCache", "Unkept", "stamp"]

DAMAGE = (
    ArithmeticError, AttributeError, EOFError, ImportError, LookupError, MemoryError, TypeError, ValueError,
    pickle.UnpicklingError,
)  # fmt: skip
"""What unpickling raises from a file that is cut off, as a full disk or a loss of power leaves it."""

PATIENCE = 120.0
"""Seconds to wait for another process that compiles the same function; one that was stopped may keep it for ever."""
LOOK = 0.05
"""Seconds between two looks whether it is done."""


class _Storage(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no type information
    """What is kept of a compiled function, under which name."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Without the line, which changes when something above does; but for functions made within functions."""
        if "<locals>" in fullname:
            return str(super().get_filename_base(fullname, abiflags))
        return f"{fullname}.py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"

    def reduce(self, data: Any) -> tuple[Any, ...]:
        """What is put on disk."""
        return (*super().reduce(data), list(data.environment.consts))

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The compiled function, as `flexmbs.core.kernel_library` makes it."""
        return _rebuilt(target_context, payload)


def _rebuilt(target_context: Any, payload: Any) -> Any:
    """A compiled function from what is kept of it."""
    stored, fndesc, env, signature, objectmode, lifted, typeann, reload_init, referenced, constants = payload
    # A kernel has one environment in a process, that of what was loaded first. Its entry for Python has further
    # constants behind those of its code (types of what is returned), without which it would read beyond them.
    env.consts.extend(constants[len(env.consts) :])
    library = library_from(target_context.codegen(), stored)
    called = isinstance(library, CalledLibrary)
    entry = target_context.get_executable(library, fndesc, env) if called else object()
    if called:
        for environment in referenced:
            library.codegen.set_env(environment.env_name, environment)
    return CompileResult(
        typing_context=target_context.typing_context, target_context=target_context, entry_point=entry,
        typing_error=None, type_annotation=typeann, library=library, call_helper=None, signature=signature,
        objectmode=objectmode, lifted=lifted, fndesc=fndesc, environment=env, metadata=None,
        reload_init=reload_init, referenced_envs=referenced,
    )  # fmt: skip


@cache
def _initialise(target_context: Any) -> None:
    """Let numba know the types that come with it."""
    target_context.refresh()


class _Came:
    """What came with the package of one kernel."""

    def __init__(self, dispatcher: Any) -> None:
        function = dispatcher.py_func
        self.dispatcher, self.name = dispatcher, f"{function.__module__}.{function.__qualname__}"

    def holds(self, sig: Any) -> bool:
        """Whether it has code for these arguments."""
        kernels = shipped()
        return (
            kernels is not None
            and self.name in kernels
            and kernels.holds(self.name, stamp(self.dispatcher), entry_name(sig, _fields_of(sig[0])))
        )

    def load(self, sig: Any, target_context: Any) -> Any:
        """The code for these arguments; None if there is none."""
        kernels = shipped()
        if kernels is None or not self.holds(sig):
            return None
        _initialise(target_context)
        with contextlib.suppress(OSError, *DAMAGE):
            data = kernels.read(self.name, entry_name(sig, _fields_of(sig[0])))
            return _rebuilt(target_context, pickle.loads(data))  # noqa: S301  # as trusted as the sources
        return None


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The cache of one kernel; its keys are pairs of argument types and "called" or "linked"."""

    _impl_class = _Storage

    def __init__(self, dispatcher: Any) -> None:
        super().__init__(dispatcher.py_func)
        self.came = _Came(dispatcher)
        self._cache_file = _Index(self._cache_path, self._impl.filename_base, dispatcher)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return sig, codegen.magic_tuple(), _fields_of(sig[0])

    def holds(self, sig: Any, codegen: Any) -> bool:
        """Whether code for these arguments is there."""
        return self.came.holds(sig) or self._index_key(sig, codegen) in self._cache_file._load_index()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What came with the package, else what is on disk; None if there is neither.

        numba looks for new extensions before each, which took a tenth of a first run; once is enough to read code.
        """
        if not self.holds(sig, target_context.codegen()):
            return None
        found = self.came.load(sig, target_context)
        if found is None:
            _initialise(target_context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(sig, target_context)
        return found

    def entries(self) -> dict[str, bytes]:
        """All that is on disk for the present sources, by what `entry_name` makes of the arguments."""
        folder, found = Path(self._cache_path), self._cache_file._load_index()
        return {entry_name(sig, fields): (folder / file).read_bytes() for (sig, _, fields), file in found.items()}

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """While no other process compiles this function into the same folder."""
        try:
            self._impl.locator.ensure_cache_path()
            place = _place(self._cache_path)
        except OSError:  # what cannot be kept is not waited for
            place = None
        byte = zlib.crc32(self._impl.filename_base.encode()) & 0x7FFFFFFF
        held = place is not None and _acquired(place, byte)
        try:
            yield
        finally:
            if held and place is not None:
                _release(place, byte)


class Unkept(NullCache):  # type: ignore[misc]
    """In place of a cache, for kernels that have no file, and where no folder can be written to."""

    def __init__(self, dispatcher: Any) -> None:
        self.came = _Came(dispatcher)

    def holds(self, sig: Any, codegen: Any) -> bool:
        """Whether code for these arguments came with the package."""
        return self.came.holds(sig)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What came with the package."""
        return self.came.load(sig, target_context)

    def alone(self) -> contextlib.AbstractContextManager[None]:
        """Nobody waits."""
        return contextlib.nullcontext()


class _Index(IndexDataCacheFile):  # type: ignore[misc]
    """The list of what is kept for one kernel."""

    def __init__(self, path: str, base: str, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        super().__init__(path, base, None)

    @property
    def _source_stamp(self) -> str:
        """Asked for from the first call on: by then all modules are complete."""
        return stamp(self._dispatcher)

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


_stamps: dict[Any, str] = {}
_own: dict[Any, tuple[str, tuple[Any, ...]]] = {}


def stamp(dispatcher: Any) -> str:
    """Digest of all that the code of a compiled function depends on but for its arguments."""
    if dispatcher not in _stamps:
        open_, seen = [dispatcher], {dispatcher}
        states = []
        while open_:
            state, callees = _state(open_.pop())
            states.append(state)
            for callee in callees:
                if callee not in seen:
                    seen.add(callee)
                    open_.append(callee)
        _stamps[dispatcher] = _digest(_compiler(), *sorted(states))
    return _stamps[dispatcher]


def _state(dispatcher: Any) -> tuple[str, tuple[Any, ...]]:
    """Digest of what one function brings itself, and the compiled functions that it calls."""
    if dispatcher not in _own:
        function = dispatcher.py_func
        names = function.__globals__
        parts = [function.__qualname__, repr(sorted(dispatcher.targetoptions.items())), repr(function.__defaults__)]
        parts += _instructions(function.__code__, function.__doc__)
        cells = function.__closure__ or ()
        used = {name: names[name] for name in _names(function.__code__) if name in names}
        used |= {f"cell {n}": cell.cell_contents for n, cell in enumerate(cells)}
        callees: list[Any] = []
        for name in sorted(used):
            callees += _kernels(used[name])
            parts.append(f"{name} {_value(used[name])}")
        _own[dispatcher] = _digest(*parts), tuple(callees)
    return _own[dispatcher]


def _kernels(value: Any) -> tuple[Any, ...]:
    """The compiled functions behind a variable: one, or those of a `flexmbs.core.jit.Choice`."""
    return getattr(value, "alternatives", (value,) if hasattr(value, "py_func") else ())


def _instructions(code: CodeType, doc: str | None) -> list[str]:
    """A code object and those within it, without places in the file and without the documentation."""
    constants = [c for c in code.co_consts if not isinstance(c, CodeType)]
    if constants and constants[0] == doc:
        constants[0] = None
    found = [code.co_code.hex(), repr(constants), repr((code.co_names, code.co_varnames, code.co_freevars,
                                                          code.co_argcount, code.co_kwonlyargcount))]  # fmt: skip
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found += _instructions(inner, None)
    return found


def _names(code: CodeType) -> set[str]:
    """Names of variables of the module, and of attributes, that the code reads."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*(_names(c) for c in inner))


def _value(value: Any) -> str:
    """What a variable of the module means for the code that reads it."""
    if kernels := _kernels(value):  # their instructions come in `stamp`
        return f"kernels {[f'{k.py_func.__module__}.{k.py_func.__qualname__}' for k in kernels]}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__} {_source(value.__name__)}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.str} {value.shape} {_digest(value.tobytes().hex())}"
    if isinstance(value, type) and hasattr(value, "_fields"):
        return f"tuple {value.__module__}.{value.__qualname__} {value._fields}"
    if isinstance(value, tuple):
        return f"({', '.join(_value(x) for x in value)})"
    if isinstance(value, bool | int | float | str | bytes | complex | None):
        return repr(value)
    defined = getattr(value, "_defn", value)  # what generates code of its own, as numba's intrinsics
    module = str(getattr(defined, "__module__", type(value).__module__))
    return f"{getattr(defined, '__qualname__', type(value).__qualname__)} of {module} {_source(module)}"


OTHERS = frozenset((*sys.stdlib_module_names, "numba", "numpy", "llvmlite", "scipy"))
"""Packages that are told by their versions."""


@cache
def _source(module: str) -> str:
    """Digest of the file of a module, if it is neither Python's own nor one of the libraries."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if module.partition(".")[0] in OTHERS or not file:
        return ""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:  # from an archive; numba keeps nothing of these
        return ""


@cache
def _compiler() -> str:
    """What compiles: versions and our own part of it.

    Of Python and numpy the first two numbers: bytecode, layout of objects and what numba makes of either hang on these.
    """
    ours = ("jit", "borrowing", "array_access", "kernel_compiler", "kernel_lowering", "kernel_entry",
            "kernel_library", "kernel_cache")  # fmt: skip
    numpy = ".".join(np.__version__.split(".")[:2])
    versions = f"{sys.implementation.cache_tag} numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {numpy}"
    settings = f"optimised {config.OPT}, indices checked {CHECKED}"
    return _digest(versions, settings, *(_source(f"flexmbs.core.{name}") for name in ours))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


NAMED, TUPLE = types.BaseNamedTuple, types.BaseTuple  # type: ignore[attr-defined]


def _fields_of(arguments: Any) -> tuple[Any, ...]:
    """Names of the fields of all named tuples among the types of arguments, which pickle by the names of classes."""
    return tuple(
        (t.fields, _fields_of(t.types)) if isinstance(t, NAMED) else _fields_of(tuple(t))
        for t in arguments
        if isinstance(t, TUPLE)
    )


_places: dict[str, int] = {}
_held: dict[tuple[int, int], int] = {}


def _place(folder: str) -> int:
    """The open file of a folder whose bytes are locked; open as long as the process lives, lest its locks be lost."""
    if folder not in _places:
        _places[folder] = os.open(Path(folder, "flexmbs.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    return _places[folder]


def _acquired(place: int, byte: int) -> bool:
    """Lock one byte of a file, waiting for those who have it; whether it could be done in time."""
    key = place, byte
    if key in _held:  # another signature of the same function, while it is compiled
        _held[key] += 1
        return True
    if fcntl is None:
        return False
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.lockf(place, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            if time.monotonic() > until:
                return False
            time.sleep(LOOK)
        except OSError:  # file systems without locks
            return False
        else:
            _held[key] = 1
            return True


def _release(place: int, byte: int) -> None:
    key = place, byte
    _held[key] -= 1
    if _held[key] == 0:
        del _held[key]
        with contextlib.suppress(OSError):
            fcntl.lockf(place, fcntl.LOCK_UN, 1, byte)
