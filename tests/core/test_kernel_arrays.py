"""Arrays without an owner: on the stack, by a shape that is written out or not, and squares in other arrays."""

from __future__ import annotations

import ast
import glob
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import flexmbs
from flexmbs.core import jit
from flexmbs.core.borrowing import borrows
from flexmbs.core.kernel_arrays import on_stack, square


def of_package(function: Any) -> Any:
    """A kernel as those of the package."""
    own = FunctionType(function.__code__, function.__globals__, function.__name__)
    own.__module__ = "flexmbs.of_a_test"
    return jit.kernel(own)


def written_out(x):
    """Numbers of rows, columns and layers, zeros that are renewed in each turn, and one axis."""
    room, sums, total = np.empty((2, 3)), np.zeros(4), np.zeros((2, 2, 3))
    for i in range(3):
        turn = np.zeros(2)
        turn[0] += x[i]
        room[0, i], room[1, i] = turn[0], turn[1]
        total[1, 1, i] = turn[0]
        sums[i] += turn[0]
    return room[0, 2] + 10.0 * room[1, 2] + 100.0 * sums[3] + total[1, 1, 1] + 1000.0 * total[0, 1, 1] + total.shape[2]


def handed_on(x):
    """Rows that other kernels write to."""
    room = np.empty((3, 2))
    for i in range(3):
        twice(x[i], room[i])
    return room[0, 1] + room[1, 1] + room[2, 1]


@jit.kernel
def twice(value, row):
    row[0], row[1] = value, 2.0 * value


def returned(x):
    """What is given back has an owner."""
    made = np.zeros(3)
    made[1] = x[0]
    return made


def of_any_size(x):
    """Shapes that are not written out."""
    n = x.shape[0]
    row, table = on_stack((n,)), on_stack((2, n, n))
    for i in range(n):
        row[i] = x[i]
        for j in range(n):
            table[1, i, j] = row[i] * x[j]
    return table[1, n - 1, 0] + table.shape[0] + 10 * table.shape[2]


def in_blocks(x):
    """Writes to the second block of two by two."""
    block = square(x, 4, 2)
    block[1, 0] = 7.0
    block[0, 1] = block.shape[0]
    return 0


@pytest.mark.parametrize(("function", "wanted"), [(written_out, 8.0), (handed_on, 12.0)])
def test_arrays_of_a_shape_that_is_written_out(function: Any, wanted: float) -> None:
    compiled, x = of_package(function), np.array([1.0, 2.0, 3.0])
    assert borrows(compiled.py_func)
    assert not borrows(function)  # a user's may keep them in a loop
    assert compiled(x) == function_of_python(function)(x) == wanted
    assert jit.kernel(function)(x) == wanted


def function_of_python(function: Any) -> Any:
    """The function with the plain functions of the kernels that it calls."""
    names = {name: getattr(value, "py_func", value) for name, value in function.__globals__.items()}
    return FunctionType(function.__code__, names)


def test_an_array_that_is_given_back_has_an_owner() -> None:
    compiled = of_package(returned)
    first, second = compiled(np.array([2.0])), compiled(np.array([3.0]))
    assert first.tolist() == [0.0, 2.0, 0.0]
    assert second.tolist() == [0.0, 3.0, 0.0]


def test_shapes_that_are_not_written_out() -> None:
    compiled = of_package(of_any_size)
    assert borrows(compiled.py_func)
    assert compiled(np.array([2.0, 5.0, 7.0])) == 14.0 + 2 + 30
    assert compiled(np.array([3.0])) == 9.0 + 2 + 10


def test_squares_are_places_in_the_array() -> None:
    x = np.arange(10.0)
    of_package(in_blocks)(x)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 2.0, 7.0, 7.0, 8.0, 9.0]


def test_no_kernel_of_the_package_makes_arrays_in_a_loop() -> None:
    """On the stack they would be one and the same."""
    found, seen = [], 0
    package = str(Path(flexmbs.__file__).parent)
    for name in sorted(glob.glob(f"{package}/**/*.py", recursive=True)):  # noqa: PTH207  # goes into mapped folders
        path = Path(name)
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(d, ast.Name) and d.id in ("kernel", "inlined", "driver") for d in function.decorator_list
            ):
                seen += 1
                loops = [part for part in ast.walk(function) if isinstance(part, ast.For | ast.While)]
                found += [
                    f"{path.name}: {ast.unparse(call)}" for loop in loops for call in ast.walk(loop)
                    if isinstance(call, ast.Call)
                    and ast.unparse(call.func) in ("np.empty", "np.zeros", "on_stack")
                ]  # fmt: skip
    assert not found
    assert seen > 500
