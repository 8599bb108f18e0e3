"""Arrays handed to compiled code by their addresses, rebuilt there without an owner.

A call from Python checks and unpacks every array of a group, some 0.15 us each, and compiled code counts references to
each array that it hands on, which costs small systems more than the mechanics. An array that is made from an address
has no owner, so there is nothing to count, and all tables together are one argument. Whoever hands out addresses keeps
the arrays alive and in place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["Addresses", "pointer"]

TYPES = {np.dtype(name): name for name in ("float64", "int64", "int32", "bool")}
MOST_AXES = 6


@intrinsic  # type: ignore[untyped-decorator]
def pointer(typing: Any, address: Any) -> Any:
    """An integer as a pointer, for ``numba.carray``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), generate


@lru_cache(maxsize=4096)
def _rebuilt(place: int, axes: int, kind: str) -> str:
    """What rebuilds the array whose address is at a place; systems of one structure ask for the same ones."""
    shape = ", ".join(f"at[{place + 1 + i}]" for i in range(axes))
    return f"carray(pointer(at[{place}]), ({shape},), {kind})"


class Addresses:
    """Collects arrays and numbers, and tells the text that rebuilds each from ``at``, ``whole`` and ``real``."""

    def __init__(self) -> None:
        self._at: list[int] = []
        self._whole: list[int] = []
        self._real: list[float] = []
        self.kept: list[Any] = []

    def array(self, array: Any) -> str:
        """An array in place; ValueError with what is wrong if it cannot be rebuilt from its address."""
        kind, shape, at = TYPES.get(array.dtype), array.shape, self._at
        axes = len(shape)
        if kind is None or not array.flags.c_contiguous or not 1 <= axes <= MOST_AXES:
            raise ValueError(f"an array of {array.dtype} with {axes} axes that is not contiguous or not of numbers")
        place = len(at)
        at.append(array.__array_interface__["data"][0])
        at += shape
        self.kept.append(array)
        return _rebuilt(place, axes, kind)

    def value(self, value: Any) -> str:
        """An array, an int or a float."""
        if isinstance(value, np.ndarray):
            return self.array(value)
        if isinstance(value, int | np.integer) and not isinstance(value, bool):
            self._whole.append(int(value))
            return f"whole[{len(self._whole) - 1}]"
        if isinstance(value, float | np.floating):
            self._real.append(float(value))
            return f"real[{len(self._real) - 1}]"
        raise ValueError(f"a {type(value).__name__}")

    def group(self, group: Any, name: str) -> str:
        """A flat NamedTuple, which has this name in the text."""
        try:
            return f"{name}({', '.join([self.value(field) for field in group])})"
        except ValueError as error:
            raise ValueError(f"its table {type(group).__name__} holds {error}") from None

    @property
    def size(self) -> int:
        """Length of ``at`` so far: where the next address will lie."""
        return len(self._at)

    @property
    def counts(self) -> tuple[int, int]:
        """Lengths of ``real`` and ``whole`` so far."""
        return len(self._real), len(self._whole)

    def packed(self) -> tuple[IntArray, IntArray, FloatArray]:
        """``at``, ``whole`` and ``real``."""
        return (
            np.array(self._at, dtype=np.int64),
            np.array(self._whole, dtype=np.int64),
            np.array(self._real, dtype=np.float64),
        )
