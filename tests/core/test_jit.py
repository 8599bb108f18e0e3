"""Kernels in functions that users compile with numba themselves."""

from __future__ import annotations

import numba
import numpy as np

from flexmbs.core.jit import kernel
from flexmbs.core.triples import dot


@kernel
def length_squared(x):
    """A kernel that is called from Python and from compiled code."""
    return dot((x[0], x[1], x[2]), (x[0], x[1], x[2]))


@numba.njit
def of_a_user(x):
    """numba's own kind of compiled function, which calls a kernel."""
    return 2.0 * length_squared(x)


@kernel
def around_it(x):
    """A kernel that calls it."""
    return of_a_user(x) + 1.0


@numba.njit
def summed(rows):
    """A loop over a kernel, and over what calls one."""
    found = 0.0
    for i in range(rows.shape[0]):
        found += length_squared(rows[i]) + around_it(rows[i])
    return found


def test_kernels_and_functions_of_numba_call_each_other() -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert of_a_user(x) == 28.0
    assert around_it(x) == 29.0
    assert length_squared(x) == 14.0
    assert summed(np.array([x, 2.0 * x])) == 14.0 + 29.0 + 56.0 + 113.0


@kernel
def row(x, i):
    """A view."""
    return x[i]


@kernel
def copied(x, i):
    """A new array."""
    return x[i].copy()


@kernel
def both(x, i):
    """A view in a tuple, with a number."""
    return x[i:], x[i, 0]


def test_arrays_that_are_returned_are_what_was_asked_for() -> None:
    x = np.arange(12.0).reshape(3, 4)
    view, new, (rest, first) = row(x, 1), copied(x, 1), both(x, 1)
    assert np.array_equal(view, x[1])
    assert np.shares_memory(view, x)
    assert np.array_equal(new, x[1])
    assert not np.shares_memory(new, x)
    assert np.array_equal(rest, x[1:])
    assert first == 4.0
    assert row(x, 0) is not x


def test_kernels_without_a_file_are_compiled_and_not_kept() -> None:
    made: dict[str, object] = {"kernel": kernel}
    exec("@kernel\ndef twice(x):\n    return 2.0 * x\n\n@kernel\ndef more(x):\n    return twice(x) + 1.0\n", made)
    assert made["more"](2.0) == 5.0
    assert made["twice"](2.0) == 4.0
