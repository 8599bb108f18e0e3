"""Kernels that do not count references: which they are, and that those which hand arrays on still do."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from flexmbs.core.borrowing import borrows
from flexmbs.core.jit import kernel


class Pair(NamedTuple):
    """As tables of the engine."""

    x: Any
    y: Any


@kernel
def added(x, y):
    """Writes."""
    for i in range(x.shape[0]):
        x[i] += y[i]


@kernel
def of_pair(pair, factor):
    """Hands arrays of a named tuple, and parts of them, to another kernel; branches that assign different arrays."""
    chosen = pair.x if factor > 0.0 else pair.y
    added(pair.x[1:], pair.y[1:])
    total = 0.0
    for value in chosen:
        total += factor * np.sqrt(value)
    return total, len(chosen)


@kernel
def slice_of(x, i):
    """Returns a part of what it was given."""
    return x[i:]


@kernel
def same(pair):
    """Returns what it was given, in a tuple."""
    return pair.x, 1.0


@kernel
def sum_of_slice(x, i):
    """Is handed an array by a kernel."""
    part = slice_of(x, i)
    total = 0.0
    for value in part:
        total += value
    return total


@kernel
def by_arithmetic(x, y):
    """Its names do not tell that it makes an array."""
    z = x + y
    return z[0]


@kernel
def with_room(n):
    """Makes an array."""
    room = np.zeros(n)
    room[0] = 2.0
    return room[0]


@numba.njit
def of_a_user(x):
    """numba's own kind."""
    return x[1:]


class Load(NamedTuple):
    """Fields that have names of functions of numpy, too, and of what transposes an array."""

    T: Any
    load: Any
    ones: Any


@kernel
def of_fields(pair):
    """Reads them."""
    return pair.T[0] + pair.load[0] * pair.ones[0]


@kernel
def made_by_numpy(n):
    """The same name, of numpy."""
    return np.ones(n)[0]


@kernel
def copied(pair):
    """Makes an array by a method."""
    return pair.T.copy()[0]


@kernel
def asks_a_user(x):
    """Is handed an array by a function that is no kernel."""
    return of_a_user(x)[0]


def counts(function: Any, *arguments: Any) -> bool:
    """Whether the code of a kernel for these arguments counts references, compiled now even where it is kept."""
    function(*arguments)
    found = function._translated(tuple(numba.typeof(a) for a in arguments))
    text = str(found.library._final_module)
    return any("call" in line and f"@NRT_{word}ref" in line for line in text.splitlines() for word in ("inc", "dec"))


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (added, True),
        (of_pair, True),
        (sum_of_slice, True),
        (by_arithmetic, True),
        (of_fields, True),
        (with_room, False),
        (made_by_numpy, False),
        (copied, False),
        (asks_a_user, False),
    ],
)
def test_names_tell_which_kernels_may_borrow(function: Any, wanted: bool) -> None:
    assert borrows(function.py_func) is wanted


def test_kernels_that_read_and_write_do_not_count() -> None:
    x, y = np.array([1.0, 4.0]), np.array([1.0, 5.0])
    assert not counts(added, x, y)
    assert x.tolist() == [2.0, 9.0]
    assert not counts(of_pair, Pair(x, y), 2.0)
    assert x.tolist() == [2.0, 14.0]
    assert of_pair(Pair(x, y), -1.0) == (-(1.0 + np.sqrt(5.0)), 2)
    assert not counts(of_fields, Load(x, x, y))
    assert of_fields(Load(x, x, y)) == 4.0


def test_kernels_that_hand_arrays_on_count() -> None:
    x = np.array([1.0, 4.0])
    assert counts(with_room, 3)
    assert counts(copied, Load(x, x, x))
    assert counts(by_arithmetic, x, x)
    assert by_arithmetic(x, x) == 2.0
    assert sum_of_slice(x, 1) == 4.0
    assert asks_a_user(x) == 4.0


@pytest.mark.parametrize("call", [
    lambda x: slice_of(x, 1), lambda x: same(Pair(x, x)), lambda x: sum_of_slice(x, 1), lambda x: added(x, x),
    lambda x: of_pair(Pair(x, x), 1.0), lambda x: by_arithmetic(x, x), asks_a_user,
])  # fmt: skip
def test_arrays_live_as_long_as_someone_has_them(call: Any) -> None:
    x = np.arange(1000.0)
    call(x)
    before = sys.getrefcount(x)
    for _ in range(100):
        call(x)
    gc.collect()
    assert sys.getrefcount(x) == before
    kept, gone = call(x), weakref.ref(x)
    part = kept[0] if isinstance(kept, tuple) else kept
    if isinstance(part, np.ndarray):  # it holds what it is a part of
        del x, kept
        gc.collect()
        assert gone() is not None
        assert part[-1] == 999.0
        del part
    else:
        del x
    gc.collect()
    assert gone() is None
