"""What tells functions of users apart: their text, and whatever it depends on.

A study goes on from its file only if its functions are the same. Their own text does not tell: a function made in a
loop or by another function has the values of that place, and one that calls others does what those do.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

__all__ = ["source_digest"]

PLAIN = (str, bytes, int, float, complex, bool, type(None), np.generic, Enum)


def source_digest(function: Any) -> str:
    """Digest of the text of a function, of its defaults, and of the values, functions and classes that it refers to.

    Functions and classes of installed packages count by their names. Of objects of foreign classes only the class
    counts, of modules the name. Without text, instructions and constants take its place.

    Examples
    --------
    >>> def power(n):
    ...     return lambda x: x**n
    >>> source_digest(power(2)) == source_digest(power(2)), source_digest(power(2)) == source_digest(power(3))
    (True, False)
    """
    found = hashlib.sha256()
    for word in _told(function, set(), own=True):
        found.update(word.encode())
        found.update(b"\0")
    return found.hexdigest()


def _told(item: Any, seen: set[int], own: bool = False) -> Iterator[str]:
    """What is told of an object, word by word; ``own``: of the user, whatever its module."""
    if isinstance(item, PLAIN):
        yield f"{type(item).__name__} {item!r}"
        return
    if isinstance(item, ModuleType):
        yield f"module {item.__name__}"
        return
    if id(item) in seen:
        yield f"again {type(item).__name__}"
        return
    seen.add(id(item))
    item = inspect.unwrap(getattr(item, "py_func", item)) if callable(item) else item  # of numba's functions
    if isinstance(item, FunctionType):
        yield f"function {item.__qualname__}"
        if own or not _installed(item):
            yield from _of_function(item, seen)
    elif isinstance(item, type):
        yield f"class {item.__module__}.{item.__qualname__}"
        if own or not _installed(item):
            yield _text(item)
            for name, member in sorted(vars(item).items()):
                member = getattr(member, "__func__", member)
                if isinstance(member, FunctionType):
                    yield name
                    yield from _told(member, seen, own=True)
    elif isinstance(item, MethodType):
        yield from _told(item.__func__, seen, own)
        yield from _told(item.__self__, seen)
    elif isinstance(item, partial):
        yield "partial"
        yield from _told(item.func, seen, own)
        yield from _each(item.args, seen)
        yield from _named(item.keywords, seen)
    else:
        yield from _of_value(item, seen)


def _of_function(item: FunctionType, seen: set[int]) -> Iterator[str]:
    """Text, defaults, and what it takes from outside."""
    yield _text(item)
    yield from _each(item.__defaults__ or (), seen)
    yield from _named(item.__kwdefaults__ or {}, seen)
    for name, cell in zip(item.__code__.co_freevars, item.__closure__ or (), strict=True):
        yield name
        try:
            yield from _told(cell.cell_contents, seen)
        except ValueError:  # not filled yet
            yield "empty"
    for name in sorted(_names(item.__code__)):
        if name in item.__globals__:
            yield name
            yield from _told(item.__globals__[name], seen)


def _of_value(item: Any, seen: set[int]) -> Iterator[str]:
    """Arrays, containers, and objects of classes."""
    if isinstance(item, np.ndarray):
        numbers = np.ascontiguousarray(item)
        content = repr(item.tolist()) if item.dtype.hasobject else hashlib.sha256(numbers.tobytes()).hexdigest()
        yield f"array {item.dtype} {item.shape} {content}"
    elif isinstance(item, tuple | list):
        yield f"{type(item).__name__} {len(item)}"
        yield from _each(item, seen)
    elif isinstance(item, set | frozenset):
        yield "set"
        yield from sorted(" ".join(_told(part, seen)) for part in item)
    elif isinstance(item, Mapping):
        yield f"mapping {len(item)}"
        for key, value in item.items():
            yield from _told(key, seen)
            yield from _told(value, seen)
    else:
        yield from _told(type(item), seen)
        if is_dataclass(item):
            yield from _named({f.name: getattr(item, f.name, None) for f in fields(item)}, seen)
        elif not _installed(type(item)):
            yield from _named(getattr(item, "__dict__", {}), seen)


def _each(items: Iterable[Any], seen: set[int]) -> Iterator[str]:
    for item in items:
        yield from _told(item, seen)


def _named(items: Mapping[str, Any], seen: set[int]) -> Iterator[str]:
    for name, item in sorted(items.items()):
        yield name
        yield from _told(item, seen)


def _names(code: CodeType) -> set[str]:
    """Names that a function may take from its module, those of functions within included."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)


def _text(item: Any) -> str:
    """The text of a function or class; of a function without one its instructions and constants."""
    try:
        return inspect.getsource(item)
    except (OSError, TypeError):
        code = getattr(item, "__code__", None)
        return _instructions(code) if isinstance(code, CodeType) else ""


def _instructions(code: CodeType) -> str:
    """Instructions, names and constants, those of functions within included."""
    constants = [
        _instructions(c) if isinstance(c, CodeType) else repr(sorted(c, key=repr) if isinstance(c, frozenset) else c)
        for c in code.co_consts
    ]
    return f"{code.co_code.hex()} {code.co_names!r} {constants!r}"


def _installed(item: Any) -> bool:
    """Whether a function or class belongs to Python or an installed package, this one included."""
    name = getattr(item, "__module__", None) or "builtins"
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return True
    if top in ("flexmbs", "numpy", "scipy"):
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return file.startswith(_PACKAGES)


_PACKAGES = tuple({sysconfig.get_paths()[name] for name in ("purelib", "platlib")})
"""Folders of installed packages."""
