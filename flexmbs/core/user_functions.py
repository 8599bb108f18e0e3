"""Functions that a user has compiled with numba, as they are compiled into the kernels of a model.

A function decorated with ``numba.njit`` can be called from kernels, so steps that call it need no Python. What is
compiled is a copy of it, made when a model is evaluated first: with the variables of its module and of the functions
around it as they are then, and likewise for the compiled functions that it calls. So neither code that numba has made
earlier, with other values, nor code on disk that belongs to an older text of it can be met. The copy is named by a
digest of its instructions and of all these values (`flexmbs.core.kernel_cache.stamp`); kernels into which it is
compiled import it by that name.

Of the user's settings ``error_model`` and ``boundscheck`` are kept. ``fastmath`` is not: with it a result depends on
what a function is compiled into.
"""

from __future__ import annotations

import hashlib
import inspect
import types
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numba import typeof
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher

from flexmbs.core.checks import warn_user
from flexmbs.core.errors import CompilationWarning, ModelError
from flexmbs.core.jit import Kernel
from flexmbs.core.kernel_cache import Unkept, stamp

__all__ = [
    "as_python",
    "called",
    "can_be_compiled",
    "check_arguments",
    "frozen",
    "name_of",
    "refuse_writing",
    "warn_not_compiled",
]

KEPT = "error_model", "boundscheck"
FIRM = {"nopython": True, "fastmath": False}
PREFIX = "function_"
CELL = "cell "

_found: dict[str, Kernel] = {}
"""All copies by their names."""
_last: WeakKeyDictionary[Any, tuple[dict[str, Any], Kernel]] = WeakKeyDictionary()
"""By function of a user the values that its last copy was made with, and that copy."""


def can_be_compiled(function: object) -> bool:
    """Whether a function was decorated by numba (``njit``, or `flexmbs.extend.kernel`)."""
    return type(function) is not types.FunctionType and isinstance(function, CPUDispatcher)  # the former is fast


def as_python(function: Any) -> Any:
    """The Python function of a compiled one; of others the same."""
    return function.py_func if can_be_compiled(function) else function


def check_arguments(owner: str, name: str, function: Any, given: str) -> None:
    """Refuse a function that cannot be called with these arguments, such as "(x, u, t)"."""
    try:
        signature = inspect.signature(as_python(function))
    except (TypeError, ValueError):  # some that are written in C tell none
        return
    try:
        signature.bind(*given.split(","))
    except TypeError:
        raise ModelError(
            f"{owner}: {name} must be a function of {given}, and what is given takes {signature}."
        ) from None


def called(function: Any, *arguments: Any) -> Any:
    """The value of a function of a user's, called from Python.

    One that is compiled gets copies of arrays, since it has been compiled for arrays that can be written to; where
    numba cannot compile it for what it gets, it is called as a Python function.
    """
    if not can_be_compiled(function):
        return function(*arguments)
    try:
        return function(*(np.array(a) if isinstance(a, np.ndarray) else a for a in arguments))
    except (NumbaError, TypeError):  # the latter: no code for these arguments, where their types were given
        return function.py_func(*arguments)


def frozen(function: Any) -> Kernel:
    """The copy of a user's compiled function as it is now; the same object while nothing has changed."""
    return _frozen(function, {})


def name_of(copy: Kernel) -> str:
    """The name by which written modules import a copy from this one."""
    digest = hashlib.sha256("\0".join([stamp(copy), *_attributes(copy.py_func)]).encode()).hexdigest()
    name = f"{PREFIX}{digest[:24]}"
    _found[name] = copy
    return name


def refuse_writing(what: str, function: Any, *arguments: Any) -> None:
    """Refuse a function that writes to its arguments; called as a Python function."""
    own = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    try:
        as_python(function)(*own)
    except Exception:  # noqa: BLE001  # told elsewhere
        return
    for a, b in zip(arguments, own, strict=True):
        if not np.array_equal(a, b, equal_nan=True):
            raise ModelError(f"{what} has changed its arguments; it must work on copies.")


def warn_not_compiled(owner: str, functions: dict[str, Any], given: tuple[Any, ...], error: Exception) -> None:
    """Warn that functions are evaluated in Python, with what numba says of the first that it cannot compile.

    ``given``: arguments as they get them; ``error``: of the kernel around them.
    """
    told, said = next(iter(functions)), _first_lines(error)
    for name, function in functions.items():
        told, copy = name, frozen(function)
        try:
            copy.compile(tuple(typeof(a) for a in given))
        except Exception as own:  # noqa: BLE001  # numba raises much more than its own errors
            said = _first_lines(own)
            break
        returned = copy.nopython_signatures[-1].return_type
        said = f"it returns {returned}"
    warn_user(
        f"{owner}: {told} is decorated by numba, but cannot be compiled into the steps, and is called in every "
        f"iteration. numba says: {said}",
        CompilationWarning,
    )


def _first_lines(error: Exception) -> str:
    """What is said first, without the stage at which numba says it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith("Failed in nopython mode")]
    return (told or lines or [type(error).__name__])[0]


def __getattr__(name: str) -> Kernel:
    """The copy of that name."""
    if name in _found:
        return _found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _frozen(function: Any, open_: dict[Any, Kernel]) -> Kernel:
    """The copy; ``open_``: functions of which one is being made, which call each other."""
    known = _last.get(function)
    values = _values(function.py_func)
    if known is not None and _same(values, known[0], {function}):
        return known[1]
    source = function.py_func
    kept = {name: _kept(value) for name, value in values.items()}
    names = {"__builtins__": source.__globals__.get("__builtins__"), "__name__": source.__module__}
    cells = tuple(types.CellType() for _ in source.__closure__ or ())
    copy = types.FunctionType(source.__code__, names, source.__name__, source.__defaults__, cells or None)
    copy.__module__, copy.__qualname__, copy.__doc__ = source.__module__, source.__qualname__, source.__doc__
    options = {key: value for key, value in function.targetoptions.items() if key in KEPT}
    made = Kernel(copy, targetoptions={**options, **FIRM})
    made._kept = Unkept(made)  # what it is compiled into is kept
    open_ = open_ | {function: made}
    for name, value in values.items():
        if name.startswith(CELL):
            cells[int(name.removeprefix(CELL))].cell_contents = _copied(value, open_)
        else:
            names[name] = _copied(value, open_)
    _last[function] = kept, made
    return made


def _copied(value: Any, open_: dict[Any, Kernel]) -> Any:
    """What stands in a copy for a variable: copies of arrays and of compiled functions."""
    if can_be_compiled(value) and type(value) is not Kernel:
        return open_[value] if value in open_ else _frozen(value, open_)
    return _kept(value)


def _kept(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _values(source: types.FunctionType) -> dict[str, Any]:
    """The variables that a function reads, by name: of its module, of the functions around it, and its defaults."""
    names = source.__globals__
    used = {name: names[name] for name in sorted(_read(source.__code__)) if name in names}
    used |= {f"{CELL}{n}": cell.cell_contents for n, cell in enumerate(source.__closure__ or ())}
    return used


def _read(code: types.CodeType) -> set[str]:
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*(_read(c) for c in inner))


def _same(one: dict[str, Any], other: dict[str, Any], open_: set[Any]) -> bool:
    """Whether variables have the values that they had, those of compiled functions among them included."""
    return one.keys() == other.keys() and all(_alike(one[name], other[name], open_) for name in one)


def _alike(a: Any, b: Any, open_: set[Any]) -> bool:
    if isinstance(a, np.ndarray):
        same = isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape
        return same and a.tobytes() == b.tobytes()
    if can_be_compiled(a) and type(a) is not Kernel:
        if a is not b or a in open_:
            return a is b
        known = _last.get(a)
        return known is not None and _same(_values(a.py_func), known[0], open_ | {a})
    if isinstance(a, bool | int | float | str | complex | tuple):
        return type(a) is type(b) and repr(a) == repr(b)
    return a is b


def _attributes(source: types.FunctionType) -> list[str]:
    """Numbers that a function reads as attributes of modules, as text: numba takes them when it compiles."""
    found = []
    read = _read(source.__code__)
    for name, value in _values(source).items():
        if not isinstance(value, types.ModuleType):
            continue
        for attribute in sorted(read):
            number = getattr(value, attribute, None)
            if isinstance(number, bool | int | float | complex | str | tuple):
                found.append(f"{name}.{attribute} = {number!r}")
            elif isinstance(number, np.ndarray):
                found.append(f"{name}.{attribute} = {number.dtype} {number.shape} {number.tobytes().hex()}")
    return found
