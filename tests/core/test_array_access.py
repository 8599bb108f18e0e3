"""Numbers of arrays in kernels of the package: the same as NumPy's, but that indices count from the beginning."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import flexmbs
from flexmbs.core.jit import Kernel, kernel
from flexmbs.extend import kernel as of_a_user

KINDS = [np.float64, np.int64, np.int32, np.bool_]
TEXT = """
def copied(x, i, k):
    x[i, k] = x[k, i]
    x[0, 0] += x[i, i]
    return x[k, 0]

def of_three_axes(x, i, j, k):
    row = x[i, j]
    row[k] = x[0][j, k]
    plane = x[i]
    return plane[j, 0] + row[1]

def filled(x, a, b, value):
    x[a:b] = value

def filled_all(x, value):
    x[:] = value

def filled_behind(x, a, value):
    row = x[1]
    row[a:] = value

def first_before_last(x):
    total = 0.0
    for n in range(x.shape[0]):
        k = np.int32(n)
        total += 0.5 * x[k] if n % 2 else x[k]
    return total

def placed(places, x, out):
    for n in range(places.shape[0]):
        out[places[n]] += x[n]
        places[n] += 1
"""


def ours(name):
    """A function as if it were of the package, compiled, and in Python."""
    names = {"__name__": "flexmbs.of_tests", "np": np}
    exec(TEXT, names)
    return kernel(names[name]), names[name]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [(0, 2), (2, 1), (1, 1)])
def test_single_numbers(kind, place):
    compiled, python = ours("copied")
    x = np.arange(9).reshape(3, 3).astype(kind)
    y = x.copy()
    if kind is np.bool_:
        y[place] = y[place[::-1]]
        y[0, 0] |= y[place[0], place[0]]
        assert compiled(x, *place) == y[place[1], 0]
    else:
        assert compiled(x, *place) == python(y, *place)
    assert np.array_equal(x, y)


@pytest.mark.parametrize("kind", KINDS[:3])
def test_rows(kind):
    compiled, python = ours("of_three_axes")
    x = np.arange(24).reshape(2, 3, 4).astype(kind)
    y = x.copy()
    assert compiled(x, 1, 2, 3) == python(y, 1, 2, 3)
    assert np.array_equal(x, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(6,), (6, 2), (6, 2, 3)])
@pytest.mark.parametrize("ends", [(0, 3), (2, 9), (3, 3), (4, 2), (9, 12), (0, 6)])
def test_ranges(kind, shape, ends):
    compiled, python = ours("filled")
    x = np.zeros(shape, dtype=kind)
    y = x.copy()
    compiled(x, *ends, kind(1))
    python(y, *ends, kind(1))
    assert np.array_equal(x, y)


def test_all_of_an_array_and_the_end_of_a_row():
    whole, part = ours("filled_all")[0], ours("filled_behind")[0]
    x = np.zeros((3, 4))
    whole(x, 2.0)
    part(x, 2, 5.0)
    assert x.tolist() == [[2.0] * 4, [2.0, 2.0, 5.0, 5.0], [2.0] * 4]


def test_short_integers_and_layouts_that_are_not_contiguous():
    compiled, python = ours("first_before_last")
    for x in (np.arange(7.0), np.arange(14.0)[::2]):
        assert compiled(x) == python(x)


def test_integers_that_change_while_floats_are_written():
    """Marks of kinds of numbers keep what has the same kind apart from nothing."""
    compiled, python = ours("placed")
    places, out = np.array([0, 1, 0, 2]), np.zeros(4)
    others, other = places.copy(), out.copy()
    compiled(places, np.arange(4.0), out)
    python(others, np.arange(4.0), other)
    assert np.array_equal(places, others)
    assert np.array_equal(out, other)


@of_a_user
def of_the_end(x, k):
    """A user's function, with Python's indices."""
    x[-1] = 7.0
    x[k - 4 : -1] = 3.0
    return x[k] + x[-2]


def test_functions_of_users_count_from_the_end():
    x = np.arange(5.0)
    assert of_the_end(x, -1) == 7.0 + x[3]
    y = np.arange(5.0)
    assert of_the_end.py_func(y, -1) == 7.0 + y[3]
    assert np.array_equal(x, y)


def kernels():
    """All compiled functions of the package."""
    for module in pkgutil.walk_packages(flexmbs.__path__, "flexmbs."):
        if module.name.endswith("__main__"):
            continue
        for item in vars(importlib.import_module(module.name)).values():
            if isinstance(item, Kernel) and item.py_func.__module__ == module.name:
                yield item.py_func


def test_no_kernel_counts_from_the_end():
    found, count = [], 0
    for function in kernels():
        try:
            text = textwrap.dedent(inspect.getsource(function))
        except OSError:  # made by the package from records, without literal indices
            continue
        count += 1
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Subscript) and any(map(negative, indices(node.slice))):
                found.append(f"{function.__module__}.{function.__qualname__}: {ast.unparse(node)}")
    assert count > 400
    assert not found


def indices(node):
    """The parts of an index: of tuples, and both ends of ranges."""
    for part in node.elts if isinstance(node, ast.Tuple) else [node]:
        yield from [end for end in (part.lower, part.upper) if end] if isinstance(part, ast.Slice) else [part]


def negative(node):
    """Whether it is a negative constant."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


CHECKED = """
import sys
import numpy as np
from flexmbs.core.jit import kernel
names = {"__name__": "flexmbs.of_tests"}
exec("def read(x, k):\\n    return x[k, 1]", names)
print(kernel(names["read"])(np.arange(6.0).reshape(3, 2), int(sys.argv[1])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes end otherwise")
@pytest.mark.parametrize(("index", "ends"), [(2, 0), (-1, -signal.SIGILL), (3, -signal.SIGILL)])
def test_indices_are_looked_at_on_demand(index, ends, monkeypatch):
    monkeypatch.setenv("FLEXMBS_CHECK_INDICES", "1")
    done = subprocess.run([sys.executable, "-c", CHECKED, str(index)], capture_output=True, text=True, check=False)
    assert done.returncode == ends
    assert (done.stdout.strip() == "5.0") == (ends == 0)
