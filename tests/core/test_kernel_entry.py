"""Entering machine code from Python: what a kernel is given is what Python has."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import NumbaError

from flexmbs.core import kernel_entry
from flexmbs.core.jit import kernel


class Group(NamedTuple):
    values: np.ndarray
    places: np.ndarray
    matrix: np.ndarray
    weight: float


@kernel
def summed(group, inner, x, flag, count, nothing):
    """All that it is given, each with another weight."""
    total = group.weight * group.values.sum()
    for k in range(group.places.shape[0]):
        total += group.places[k] * x[k]
    for i in range(group.matrix.shape[0]):
        for j in range(group.matrix.shape[1]):
            total += (i + 2 * j) * group.matrix[i, j]
    first, (second, cube) = inner
    for i in range(cube.shape[0]):
        for j in range(cube.shape[1]):
            for k in range(cube.shape[2]):
                total += cube[i, j, k] * (1 + i + 3 * j + 7 * k)
    total += first + 3.0 * second
    if flag and nothing is None:
        total += count
    x[0] = -1.0
    return total, count, flag


@kernel
def part_of(x, k):
    """A view, which has to own what it shows."""
    return x[k:]


MATRIX = np.arange(12.0).reshape(3, 4)
CUBE = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("matrix", [MATRIX, np.asfortranarray(MATRIX), MATRIX[::2, ::3], MATRIX.T, MATRIX[:0]])
@pytest.mark.parametrize("cube", [CUBE, CUBE[:, ::2], CUBE.transpose(2, 0, 1)])
@pytest.mark.parametrize("x", [np.arange(5.0), np.arange(10.0)[::2], np.arange(5.0)[::-1]])
def test_arguments_are_those_of_python(matrix, cube, x) -> None:
    """Contiguous or not, by numbers of either kind, in tables within tables."""
    group = Group(np.array([0.5, -2.0]), np.array([3, 1, 2]), matrix, 1.5)
    for first, count, flag in ((2, 7, True), (np.float64(0.25), np.int64(-3), np.bool_(False))):
        one, other = x.copy(), x.copy()
        one, other = (x[...] if x.flags.c_contiguous else np.repeat(x, 2)[::2] for x in (one, other))
        found = summed(group, (first, (0.1, cube)), one, flag, count, None)
        expected = summed.py_func(group, (first, (0.1, cube)), other, flag, count, None)
        assert found == pytest.approx(expected, rel=1e-14)
        assert type(found[0]) is float
        assert np.array_equal(one, other)
        assert one[0] == -1.0


def test_other_interpreters_get_the_entry_of_numba(monkeypatch) -> None:
    """The same results where arrays are kept otherwise."""
    monkeypatch.setattr(kernel_entry, "_is_as_expected", lambda: False)

    @kernel
    def doubled(x, factor):
        for k in range(x.shape[0]):
            x[k] *= factor
        return x[0]

    x = np.array([1.5, 2.0])
    assert doubled(x, 2.0) == 3.0
    assert x.tolist() == [3.0, 4.0]


def test_nothing_is_kept_of_what_is_given() -> None:
    group = Group(np.array([0.5, -2.0]), np.array([3, 1, 2]), MATRIX.copy(), 1.5)
    inner, x = (2.0, (0.1, CUBE)), np.arange(5.0)
    before = [sys.getrefcount(part) for part in (*group, *inner, x)]
    for _ in range(50):
        summed(group, inner, x, True, 7, None)
    assert [sys.getrefcount(part) for part in (*group, *inner, x)] == before


def test_an_array_that_is_returned_owns_its_numbers() -> None:
    x = np.arange(1000.0)
    tail = part_of(x, 990)
    del x
    again = [np.full(1000, -5.0) for _ in range(20)]
    assert tail.tolist() == list(range(990, 1000))
    assert len(again) == 20


def test_wrong_types_are_refused() -> None:
    with pytest.raises(NumbaError):
        summed("group", (1.0, (2.0, CUBE)), np.zeros(3), True, 1, None)
