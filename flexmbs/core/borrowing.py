"""Kernels that do not make arrays, and need not count who uses those that they are given.

numba counts references to each array where it is assigned, in particular to all arrays of a named tuple. Whoever calls
a kernel keeps its arrays alive, so a kernel that only reads and writes them, and returns numbers, gets the same code
without: a fifth less to be compiled. `borrows` goes by the names in the code of a function; what is not known there
counts. What it cannot see (an array made by arithmetic, or returned) `flexmbs.core.jit` finds while compiling.

In kernels of this package arrays of a shape that is written out, ``np.empty((3, 3))``, are none that have to be
counted: they lie on the stack (`flexmbs.core.array_access`), once for each place in the code, and are gone when the
kernel is done. A loop that made some and kept them would find the last one everywhere; none does.
"""

from __future__ import annotations

import builtins
import dis
import math
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from flexmbs.core.array_access import MADE
from flexmbs.core.written_modules import LAWS, STEPS

__all__ = ["borrows", "is_ours"]

OURS = ("flexmbs.", STEPS, LAWS)
"""How names of modules begin whose functions count indices from the beginning alone, and keep no array of a loop."""

OF_PYTHON = {abs, bool, divmod, enumerate, float, int, len, max, min, pow, range, round, zip}
OF_NUMPY = {
    "abs", "arccos", "arcsin", "arctan", "arctan2", "cos", "cosh", "exp", "float64", "floor", "hypot", "inf", "int32",
    "int64", "isfinite", "isnan", "log", "nan", "pi", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
}  # fmt: skip
"""What makes a number of numbers."""
NAMES_MADE = {function.__name__ for function in MADE}
CALLS = {"CALL", "PRECALL"}
"""What follows the argument of a call that has one."""
OF_ARRAYS = {name for name in dir(np.ndarray) if not name.startswith("_")} - {"shape", "size", "ndim", "T", "data"}
"""What makes arrays of arrays; a transposed one only looks at the same numbers, as a part of one does."""


def borrows(function: Any) -> bool:
    """Whether the function, as far as its names tell, makes no arrays, and hands none on."""
    made = NAMES_MADE if is_ours(function) else set()
    return _only_borrows(function.__code__, function.__globals__, made) and not function.__closure__


def is_ours(function: Any) -> bool:
    """Whether it is a function of this package, and none of a user."""
    return str(function.__module__).startswith(OURS)


def _only_borrows(code: CodeType, variables: dict[str, Any], made: set[str]) -> bool:
    """Of a code object; one with functions or comprehensions in it may do anything."""
    if any(isinstance(constant, CodeType) for constant in code.co_consts):
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    of_numpy = {
        step.argval for before, step, given, call in zip(steps, steps[1:], steps[2:], steps[3:], strict=False)
        if before.opname == "LOAD_GLOBAL" and variables.get(before.argval) is np
        and not (step.argval in made and given.opname == "LOAD_CONST" and call.opname in CALLS)
    }  # fmt: skip
    if not of_numpy <= OF_NUMPY:
        return False
    for name in code.co_names:
        if name in variables:
            known = _is_known(variables[name])
        elif hasattr(builtins, name):
            known = getattr(builtins, name) in OF_PYTHON
        else:  # an attribute
            known = name in of_numpy or name in made or name not in OF_ARRAYS
        if not known:
            return False
    return True


def _is_known(value: Any) -> bool:
    """Whether a variable of the module is a kernel, a number or several, or a module of functions of numbers."""
    if isinstance(value, ModuleType):
        return value in (np, math)
    if isinstance(value, tuple):
        return all(_is_known(part) for part in value)
    if isinstance(value, type):
        return hasattr(value, "_fields")
    kernels = getattr(value, "alternatives", (value,))
    return (
        all(hasattr(k, "tells_what_it_returns") for k in kernels)
        or hasattr(value, "makes_no_owner")
        or isinstance(value, bool | int | float | np.ndarray | np.generic)
    )
