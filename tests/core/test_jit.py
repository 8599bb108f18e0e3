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
