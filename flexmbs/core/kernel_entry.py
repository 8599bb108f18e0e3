"""How Python enters machine code: a function that takes the arguments of a call apart.

numba's looks at each array through a function of its runtime, counts references to it, tests what it finds and takes
care of what fails half way. With tables of some twenty arrays that is more code than the kernel has, and a fifth of the
time of compiling goes into it. The types have been compared before, by numba's dispatcher or by whoever has looked the
machine code up (`flexmbs.dynamics.stage_calls`), and the arrays live as long as the call: here their addresses, shapes
and strides are read where NumPy keeps them, and nothing is counted. The numbers are the same.

Kernels that return arrays, which have to own them, or take what is no array, number or tuple of these get numba's.
"""

from __future__ import annotations

import sys
from ctypes import c_int64
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.callwrapper import PyCallWrapper

__all__ = ["add_entry", "is_number"]

WORD, WHOLE = ir.IntType(64), ir.IntType(32)
NDARRAY = ir.LiteralStructType(
    [WORD, WORD.as_pointer(), ir.IntType(8).as_pointer(), WORD, WORD.as_pointer(), WORD.as_pointer()]
)
"""What is read of an object of ``numpy.ndarray``, by NumPy's binary interface.

Its references, type, the address of its numbers, how many axes it has, shape and strides.
"""
DATA, DIMENSIONS, STRIDES = 2, 4, 5


@cache
def _is_as_expected() -> bool:
    """Whether arrays of this interpreter have these fields there; builds that count references otherwise may not."""
    if sys.implementation.name != "cpython":
        return False
    probe = np.zeros((3, 8))[:, ::2]
    fields = (c_int64 * 6).from_address(id(probe))
    if fields[DATA] != probe.ctypes.data:
        return False
    lists = (DIMENSIONS, probe.shape), (STRIDES, probe.strides)
    return all(tuple((c_int64 * 2).from_address(fields[k])) == numbers for k, numbers in lists)


def add_entry(context: Any, library: Any, fndesc: Any, env: Any) -> None:
    """Add to a library the function by which Python calls that of ``fndesc``, as numba's contexts do."""
    plain = _is_as_expected() and all(map(_is_read, fndesc.argtypes)) and is_number(fndesc.restype)
    module = context.create_module("wrapper")
    kind = context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
    function = ir.Function(module, kind, fndesc.llvm_func_name)
    wrapper = _Entry if plain else PyCallWrapper
    wrapper(context, module, function, fndesc, env, call_helper=None, release_gil=False).build()
    library.add_ir_module(module)


def is_number(kind: Any) -> bool:
    """Whether it is a number, nothing, or a tuple of these."""
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        return all(map(is_number, kind))
    return kind == types.none or kind == types.float64 or isinstance(kind, types.Integer | types.Boolean)


def _is_read(kind: Any) -> bool:
    """Whether an argument of this kind is read here."""
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        return all(map(_is_read, kind))
    return type(kind) is types.Array or is_number(kind)


class _Entry(PyCallWrapper):  # type: ignore[misc]  # numba has no type information
    """The function for one kernel."""

    def build_wrapper(self, api: Any, builder: Any, closure: Any, args: Any, kws: Any) -> None:
        """Take the arguments apart, call, and make an object of what is returned."""
        count = len(self.fndesc.argtypes)
        places = [api.alloca_obj() for _ in range(count)]
        unpacked = api.unpack_tuple(args, self.fndesc.qualname, count, count, *places)
        with cgutils.if_unlikely(builder, builder.icmp_unsigned("==", unpacked, ir.Constant(unpacked.type, None))):
            builder.ret(api.get_null_object())
        env_manager = self.get_env(api, builder)
        pairs = zip(places, self.fndesc.argtypes, strict=True)
        values = [self._read(api, builder, builder.load(place), kind) for place, kind in pairs]
        status, result = self.context.call_conv.call_function(
            builder, self.func, self.fndesc.restype, self.fndesc.argtypes, values, attrs=("noinline",)
        )
        with builder.if_then(status.is_ok, likely=True):
            with builder.if_then(status.is_none):
                api.return_none()
            builder.ret(api.from_native_return(self._simplified_return_type(), result, env_manager))
        self.context.call_conv.raise_error(builder, api, status)
        builder.ret(api.get_null_object())

    def _read(self, api: Any, builder: Any, obj: Any, kind: Any) -> Any:
        """The value of one argument, of which nothing is owned."""
        if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
            items = [
                self._read(api, builder, api.tuple_getitem(obj, i), part) for i, part in enumerate(kind)
            ]  # fmt: skip
            return self.context.make_tuple(builder, kind, items)
        if isinstance(kind, types.Array):
            return self._array(builder, obj, kind)
        if isinstance(kind, types.Float):
            return api.float_as_double(obj)
        if isinstance(kind, types.Boolean):
            return builder.icmp_signed("!=", api.object_istrue(obj), WHOLE(0))
        if isinstance(kind, types.Integer):
            whole = api.long_as_longlong(obj)
            own = self.context.get_value_type(kind)
            return builder.trunc(whole, own) if own.width < WORD.width else whole
        return self.context.get_dummy_value()

    def _array(self, builder: Any, obj: Any, kind: Any) -> Any:
        """The numbers of an array, as numba has them."""
        context = self.context
        model = context.data_model_manager[kind]
        ndarray = builder.bitcast(obj, NDARRAY.as_pointer())

        def read(field: int) -> Any:
            return builder.load(builder.gep(ndarray, [WHOLE(0), WHOLE(field)]))

        def numbers(field: int) -> list[Any]:
            first = read(field)
            return [builder.load(builder.gep(first, [WORD(k)])) for k in range(kind.ndim)]

        size = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        shape = numbers(DIMENSIONS)
        strides = [size] if kind.layout == "C" and kind.ndim == 1 else numbers(STRIDES)
        count = shape[0] if shape else WORD(1)
        for n in shape[1:]:
            count = builder.mul(count, n)
        fields = {
            "nitems": count, "itemsize": size,
            "data": builder.bitcast(read(DATA), context.get_data_type(kind.dtype).as_pointer()),
            "shape": cgutils.pack_array(builder, shape, WORD), "strides": cgutils.pack_array(builder, strides, WORD),
        }  # fmt: skip
        value = ir.Constant(model.get_value_type(), None)
        for name, part in fields.items():
            value = builder.insert_value(value, part, model.get_field_position(name))
        return value
