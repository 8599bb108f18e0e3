"""How kernels reach the numbers of arrays: in fewer operations than numba makes for anything that Python allows.

numba looks at each index whether it is negative, to count it from the end, and its results are kept in memory until
LLVM finds out that they need not be. Kernels of this package count from the beginning alone; what they read and write
is then an address of two or three operations, at which LLVM sees more: loops are a tenth to a sixth faster. Numbers of
arrays are marked by their kind, too: who writes a float changes no integer, so places that are read from tables once
need not be read again.

Arrays that a kernel makes for itself, by ``np.empty`` or ``np.zeros`` of a shape that is written out, lie on the stack
if nobody is told of them: `flexmbs.core.borrowing` finds out whether that is so.

Functions of users are compiled numba's way, negative indices included (`flexmbs.core.kernel_compiler`). With
FLEXMBS_CHECK_INDICES=1 in the environment kernels are compiled anew, and end the process (SIGILL) at an index that is
outside of its axis.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.errors import LoweringError

__all__ = ["CHECKED", "MADE", "array_of", "direct_access", "uncounted"]

CHECKED = os.environ.get("FLEXMBS_CHECK_INDICES", "") == "1"
"""Whether kernels look at every index."""
WORD = ir.IntType(64)
MADE: tuple[Any, ...] = (np.empty, np.zeros)
"""What makes arrays of a shape."""
MARKED = {types.float64: "float64", types.int64: "int64", types.int32: "int32"}
"""Kinds of numbers whose reads and writes are marked."""


def direct_access(context: Any, function: Any, signature: Any) -> Callable[[Any, Any], Any] | None:
    """What reads or writes numbers of an array, or takes a row of one; None for whatever else it is.

    ``context``: numba's, of a function of this package; called as its implementations are.
    """
    key = getattr(function, "typing_key", None)
    if key is operator.getitem:
        array, index = signature.args
        if _is_row(array, index, signature.return_type):
            return _Row(context, array, index, signature.return_type) if not context.enable_nrt else None
        return _Read(context, array, index) if _is_number(array, index) else None
    if key is operator.setitem:
        array, index, value = signature.args
        if value != array.dtype:
            return None
        if index == types.slice2_type and _is_plain(array):
            return _Fill(context, array, index)
        return _Write(context, array, index) if _is_number(array, index) else None
    if key in MADE and not context.enable_nrt and signature.return_type.dtype == types.float64:
        return _Room(context, signature.return_type, zero=key is np.zeros)
    return None


def uncounted(function: Any, args: Any) -> Any:
    """The signature of a call of these with nothing but a shape; None if it is none."""
    if getattr(function, "typing_key", None) not in MADE or len(args) != 1 or _axes(args[0]) == 0:
        return None
    return types.Array(types.float64, _axes(args[0]), "C")(args[0])


def _parts(index: Any) -> tuple[Any, ...]:
    """Types of the parts of an index, one for each axis that it is for."""
    return tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)  # type: ignore[attr-defined]


def _axes(index: Any) -> int:
    """How many axes an index is for; 0 if it is not of integers alone."""
    parts = _parts(index)
    return len(parts) if all(isinstance(part, types.Integer) for part in parts) else 0


def _is_number(array: Any, index: Any) -> bool:
    """Whether it is one number of an array in C order."""
    return _is_plain(array) and _axes(index) == array.ndim


def _is_row(array: Any, index: Any, result: Any) -> bool:
    """Whether it is what an index to the first axes leaves."""
    return _is_plain(array) and type(result) is types.Array and 0 < _axes(index) < array.ndim


def _is_plain(array: Any) -> bool:
    return type(array) is types.Array and array.layout == "C" and array.ndim > 0 and array.aligned


def _end_if(builder: Any, wrong: Any) -> None:
    """End the process where a condition holds."""
    with builder.if_then(wrong, likely=False):
        trap = builder.module.declare_intrinsic("llvm.trap", (), ir.FunctionType(ir.VoidType(), []))
        builder.call(trap, [])


class _Access:
    """Addresses in one kind of array with one kind of index."""

    def __init__(self, context: Any, array: Any, index: Any) -> None:
        self.context, self.array, self.index = context, array, index
        self.model = context.data_model_manager[array]

    def field(self, builder: Any, value: Any, name: str, *axis: int) -> Any:
        """A field of the structure that stands for an array."""
        return builder.extract_value(value, [self.model.get_field_position(name), *axis])

    def address(self, builder: Any, value: Any, index: Any) -> Any:
        """Of the number, or the first of the row."""
        kinds = _parts(self.index)
        parts = [index] if kinds == (self.index,) else [builder.extract_value(index, k) for k in range(len(kinds))]
        place = None
        for axis in range(self.array.ndim):
            if place is not None:
                place = builder.mul(place, self.field(builder, value, "shape", axis), flags=["nsw"])
            if axis < len(parts):
                part = self.context.cast(builder, parts[axis], kinds[axis], types.intp)
                if CHECKED:
                    _end_if(builder, builder.icmp_unsigned(">=", part, self.field(builder, value, "shape", axis)))
                place = part if place is None else builder.add(place, part, flags=["nsw"])
        return builder.gep(self.field(builder, value, "data"), [place], inbounds=True)

    def marked(self, builder: Any, instruction: Any) -> None:
        """Note the kind of the numbers at a read or a write."""
        name = MARKED.get(self.array.dtype)
        if name is not None:
            module = builder.module
            root = module.add_metadata(["numbers in arrays of flexmbs"])
            kind = module.add_metadata([name, root, WORD(0)])
            instruction.set_metadata("tbaa", module.add_metadata([kind, kind, WORD(0)]))


class _Read(_Access):
    """Reads a number."""

    def __call__(self, builder: Any, args: Any) -> Any:
        value, index = args
        found = self.context.unpack_value(builder, self.array.dtype, self.address(builder, value, index))
        if isinstance(found, ir.LoadInstr):
            self.marked(builder, found)
        return found


class _Write(_Access):
    """Writes a number."""

    def __call__(self, builder: Any, args: Any) -> Any:
        value, index, number = args
        stored = self.context.data_model_manager[self.array.dtype].as_data(builder, number)
        self.marked(builder, builder.store(stored, self.address(builder, value, index)))
        return self.context.get_dummy_value()


class _Fill(_Access):
    """Writes one number all over a range of the first axis, which lies in one piece."""

    def __call__(self, builder: Any, args: Any) -> Any:
        value, index, number = args
        limits = self.context.make_helper(builder, self.index, index)
        length = self.field(builder, value, "shape", 0)
        above = builder.icmp_signed(">", limits.stop, length)
        if CHECKED:
            _end_if(builder, builder.icmp_signed("<", builder.or_(limits.start, limits.stop), WORD(0)))
        first, end = limits.start, builder.select(above, length, limits.stop)
        for axis in range(1, self.array.ndim):
            width = self.field(builder, value, "shape", axis)
            first, end = (builder.mul(part, width, flags=["nsw"]) for part in (first, end))
        stored = self.context.data_model_manager[self.array.dtype].as_data(builder, number)
        data = self.field(builder, value, "data")
        with cgutils.for_range_slice(builder, first, end, WORD(1), WORD, inc=True) as (place, _):
            self.marked(builder, builder.store(stored, builder.gep(data, [place], inbounds=True)))
        return self.context.get_dummy_value()


class _Row(_Access):
    """Takes what an index to the first axes leaves, of which nothing is owned."""

    def __init__(self, context: Any, array: Any, index: Any, result: Any) -> None:
        super().__init__(context, array, index)
        self.result = result

    def __call__(self, builder: Any, args: Any) -> Any:
        value, index = args
        first = self.array.ndim - self.result.ndim
        shape, strides = (
            [self.field(builder, value, name, axis) for axis in range(first, self.array.ndim)]
            for name in ("shape", "strides")
        )
        owner = {name: self.field(builder, value, name) for name in ("meminfo", "parent", "itemsize")}
        return array_of(self.context, builder, self.result, self.address(builder, value, index), shape, strides, owner)


class _Room:
    """Makes an array on the stack, which is gone when the kernel is done."""

    def __init__(self, context: Any, kind: Any, zero: bool) -> None:
        self.context, self.kind, self.zero = context, kind, zero

    def __call__(self, builder: Any, args: Any, place: Any = None) -> Any:
        shape = _written_out(args[0])
        if shape is None:
            raise LoweringError("the shape of an array that lies on the stack must be written out")
        numbers = ir.ArrayType(self.context.get_data_type(self.kind.dtype), int(np.prod(shape)))
        there = cgutils.alloca_once(builder, numbers)
        if self.zero:
            cgutils.memset(builder, there, WORD(self.context.get_abi_sizeof(numbers)), 0)
        data = builder.gep(there, [WORD(0), WORD(0)], inbounds=True)
        return array_of(self.context, builder, self.kind, data, [WORD(n) for n in shape])


def _written_out(shape: Any) -> list[int] | None:
    """The numbers of a shape; None if they are not known."""
    if isinstance(shape, ir.Constant):
        if isinstance(shape.type, ir.IntType):
            return [int(shape.constant)]
        return None if shape.constant is ir.Undefined else [int(part.constant) for part in shape.constant]
    parts: dict[int, int] = {}
    while isinstance(shape, ir.InsertValue):
        (axis,) = shape.indices
        shape, part = shape.operands
        if not isinstance(part, ir.Constant):
            return None
        parts.setdefault(axis, int(part.constant))
    return [parts[axis] for axis in sorted(parts)] or None


def array_of(
    context: Any, builder: Any, kind: Any, data: Any, shape: list[Any], strides: list[Any] | None = None,
    owner: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """The structure that stands for the array of this kind whose numbers lie at an address.

    Without ``strides`` they lie in one piece. ``owner``: its fields ``meminfo``, ``parent`` and ``itemsize``; without,
    whoever is given the address keeps the numbers alive.
    """
    model = context.data_model_manager[kind]
    size = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    count, steps = size, []
    for n in reversed(shape):
        steps.append(count)
        count = builder.mul(count, n, flags=["nsw"])
    number = shape[0]
    for n in shape[1:]:
        number = builder.mul(number, n, flags=["nsw"])
    nobody = {
        name: ir.Constant(context.get_value_type(model.get_member_fe_type(name)), None)
        for name in ("meminfo", "parent")
    }  # fmt: skip
    fields = (nobody | {"itemsize": size} if owner is None else owner) | {"nitems": number, "data": data}
    made = ir.Constant(model.get_value_type(), ir.Undefined)
    for name, part in fields.items():
        made = builder.insert_value(made, part, model.get_field_position(name))
    for name, parts in (("shape", shape), ("strides", steps[::-1] if strides is None else strides)):
        for axis, part in enumerate(parts):
            made = builder.insert_value(made, part, [model.get_field_position(name), axis])
    return made
