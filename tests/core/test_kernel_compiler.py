"""Kernels translated by fewer of numba's passes: which they are, and that the code is that of numba's own way."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import typed_passes, types
from numba.core.errors import LoweringError, NumbaError
from numba.extending import intrinsic

from flexmbs.core import jit
from flexmbs.core.borrowing import borrows
from flexmbs.core.kernel_compiler import ordinary
from flexmbs.core.kernel_lowering import KernelLowering


class Pair(NamedTuple):
    """As tables of the engine."""

    x: Any
    y: Any


def swept(pair, n):
    """Loops with two ways back, tuples, items of tuples, a branch on nothing, variables that change their value."""
    total, last = 0.0, (0.0, 1.0)
    for i in range(n):
        if pair.x[i] < 0.0:
            continue
        total += np.sqrt(pair.x[i]) * last[1]
        last = (last[1], total)
        pair.y[i] = max(total, last[0])
    return total


def given(x, factor):
    """A branch that the type of an argument decides."""
    if factor is None:
        return x[0]
    return x[0] * factor[0]


@intrinsic
def unknown(typing, x):
    """An operation that fails while code is written for it."""

    def generate(context, builder, signature, args):
        raise LoweringError("no code")

    return types.float64(x), generate


def made(x):
    """Makes arrays, by a call and by an expression."""
    work = np.zeros(3)
    work[:] = 2.0 * x + x * x
    return work[0] + work[1] * work[2]


def comprehended(x):
    """A comprehension."""
    return sum([v * v for v in x])


def refused(x):
    """An exception."""
    if x[0] < 0.0:
        raise ValueError("negative")
    return x[0]


def generated(x):
    """A generator."""
    yield x[0]


def looked_at(x):
    """A ``with``."""
    with contextlib.suppress(ValueError):
        return x[0]


VECTOR = types.float64[::1]
PAIR = types.NamedTuple([VECTOR, VECTOR], Pair)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [(swept, True), (given, True), (made, True), (comprehended, False), (refused, False), (generated, False),
     (looked_at, False)],
)  # fmt: skip
def test_what_numba_has_own_passes_for_goes_its_way(function: Any, wanted: bool) -> None:
    assert ordinary(function) is wanted


KINDS: list[tuple[Any, tuple[Any, ...]]] = [
    (swept, (PAIR, types.int64)),
    (given, (VECTOR, types.none)),
    (given, (VECTOR, VECTOR)),
]


def compare() -> None:
    """What is compiled before decides whether numba declares its own functions as inlined: not for other tests.

    numba's passes are compared with our lowering, which leaves out what ends lives of variables.
    """
    for function, kinds in KINDS:
        jit.kernel(function)._typed(kinds, counting=False)  # what it calls is defined in the first that needs it
        fewer = _code(jit.kernel(function)._typed(kinds, counting=False))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(jit, "ordinary", lambda function: False)
            patched.setattr(typed_passes.NativeLowering, "lowering_class", KernelLowering.lowering_class)
            patched.setattr(typed_passes.IRLegalization, "run_pass", lambda self, state: False)
            every = _code(jit.kernel(function)._typed(kinds, counting=False))
        assert any("kernel" in line for line in fewer)
        assert fewer[1:] == every[1:], function.__name__  # behind a name of the module
    print("compared", len(KINDS))


def _code(found: Any) -> list[str]:
    text = re.sub(r"@_ZN5numba\w+", "@of_numba", str(found.library._final_module))  # in it: how many were before
    return text.replace(found.fndesc.mangled_name, "kernel").replace(found.fndesc.env_name, "environment").splitlines()


def test_the_code_is_that_of_all_passes() -> None:
    found = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "compared 3" in found.stdout


def test_variables_that_change_have_the_values_of_python() -> None:
    x = np.array([4.0, -1.0, 0.25, 9.0, -2.0, 1.0])
    ours, python = Pair(x, np.zeros(6)), Pair(x, np.zeros(6))
    assert borrows(swept)
    assert jit.kernel(swept)(ours, 6) == swept(python, 6)
    assert np.array_equal(ours.y, python.y)


def test_what_fails_while_code_is_written_is_told_with_its_place() -> None:
    def wrong(x):
        return x[0] + unknown(x)

    with pytest.raises(NumbaError, match=r"test_kernel_compiler\.py"):
        jit.kernel(wrong)(np.zeros(2))


def test_arrays_that_are_made_are_those_of_python() -> None:
    x = np.array([0.5, -1.25, 3.0])
    assert jit.kernel(made)(x) == made(x)


if __name__ == "__main__":
    compare()
