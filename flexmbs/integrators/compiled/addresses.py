"""Arrays handed to compiled code by their addresses, rebuilt there without an owner.

A call from Python checks and unpacks every array of a group, some 0.15 us each, and compiled code counts references to
each array that it hands on, which costs small systems more than the mechanics. An array that is made from an address
has no owner, so there is nothing to count, and all tables together are one argument. Whoever hands out addresses keeps
the arrays alive and in place.
"""

from __future__ import annotations

from ctypes import c_size_t
from typing import Any

import llvmlite.ir as llvm  # type: ignore[import-untyped]
import numpy as np
from numba import types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import a_or_an

__all__ = ["REBUILDING", "Addresses", "address"]

TYPES = {"float64": types.float64, "int64": types.int64, "int32": types.int32, "bool": types.boolean}
NAMES = {np.dtype(name): name for name in TYPES}
MOST_AXES = 6
HEAD = object.__basicsize__
"""Bytes before the fields of a Python object; the first one of an array is the address of its numbers."""


def address(array: Any) -> int:
    """Where the numbers of an array are, read as compiled code reads it.

    numpy tells the same as ``array.ctypes.data``, but takes a microsecond to put together what else it tells.
    """
    return c_size_t.from_address(id(array) + HEAD).value


def _rebuilding(kind: Any, axes: int) -> Any:
    """What makes the array with this kind of numbers and axes whose address, and behind it the shape, is at a place.

    One operation in place of the dozen of ``numba.carray``: a driver has up to two hundred arrays, and numba takes its
    time for each operation.
    """
    made = types.Array(kind, axes, "C")

    @intrinsic  # type: ignore[untyped-decorator]
    def rebuilt(typing: Any, at: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            numbers = make_array(signature.args[0])(context, builder, args[0])
            whole = context.get_value_type(types.intp)

            def read(behind: int) -> Any:
                where = builder.add(args[1], llvm.Constant(whole, behind))
                return builder.load(builder.gep(numbers.data, [where]))

            array = make_array(made)(context, builder)
            item = context.get_data_type(kind)
            shape, strides = [read(1 + axis) for axis in range(axes)], [context.get_constant(types.intp, 0)] * axes
            size = context.get_constant(types.intp, context.get_abi_sizeof(item))
            stride = size
            for axis in reversed(range(axes)):
                strides[axis] = stride
                stride = builder.mul(stride, shape[axis])
            data = builder.inttoptr(read(0), item.as_pointer())
            populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
            return impl_ret_borrowed(context, builder, made, array._getvalue())

        return made(types.Array(types.int64, 1, "C"), types.intp), generate

    rebuilt.makes_no_owner = True  # nothing to be counted, `flexmbs.core.borrowing`
    return rebuilt


REBUILDING = {f"{name}_{axes}d": _rebuilding(kind, axes) for name, kind in TYPES.items() for axes in range(1, 7)}
"""By their names in the text of a driver, for all kinds of numbers and numbers of axes."""
globals().update(REBUILDING)  # a driver imports them by name


class Addresses:
    """Collects arrays and numbers, and tells the text that rebuilds each from ``at``, ``whole`` and ``real``."""

    def __init__(self) -> None:
        self._at: list[int] = []
        self._whole: list[int] = []
        self._real: list[float] = []
        self.kept: list[Any] = []

    def array(self, array: Any) -> str:
        """An array in place; ValueError with what is wrong if it cannot be rebuilt from its address."""
        kind, shape, at = NAMES.get(array.dtype), array.shape, self._at
        axes = len(shape)
        if kind is None or not array.flags.c_contiguous or not 1 <= axes <= MOST_AXES:
            raise ValueError(f"an array of {array.dtype} with {axes} axes that is not contiguous or not of numbers")
        place = len(at)
        at.append(address(array))
        at += shape
        self.kept.append(array)
        return f"{kind}_{axes}d(at, {place})"

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
        raise ValueError(a_or_an(type(value).__name__))

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
