"""Loops over rows of a fixed, short length, W numbers at a time: what compilers do not make of loops over slices.

W is the length of the tuple ``width`` and known to the compiler, so that W numbers live in a few wide registers. The
products are rounded before they are subtracted, as in the plain loops told in each docstring.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["back_substitute", "eliminate", "forward_substitute"]


def _pointer(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Address of the data of an array."""
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


class _Wide:
    """Instructions on W numbers of double precision."""

    def __init__(self, builder: Any, W: int) -> None:
        self.builder, self.W = builder, W
        self.kind = ir.VectorType(ir.DoubleType(), W)

    def load(self, pointer: Any, index: Any) -> Any:
        where = self.builder.bitcast(self.builder.gep(pointer, [index]), self.kind.as_pointer())
        return self.builder.load(where, align=8)

    def store(self, value: Any, pointer: Any, index: Any) -> None:
        where = self.builder.bitcast(self.builder.gep(pointer, [index]), self.kind.as_pointer())
        self.builder.store(value, where, align=8)

    def all(self, x: Any) -> Any:
        """W times the number x."""
        first = self.builder.insert_element(ir.Constant(self.kind, ir.Undefined), x, self._int(0))
        return self._select(first, first, [0] * self.W)

    def one(self, x: Any, i: int) -> Any:
        """Number i of x."""
        return self.builder.extract_element(x, self._int(i))

    def shift(self, x: Any, new: Any, up: bool) -> Any:
        """x moved by one place, ``new`` in the place that is free: the last one, or with ``up`` the first one."""
        W = self.W
        order = [W, *range(W - 1)] if up else [*range(1, W), W]
        return self._select(x, self.all(new), order)

    def less(self, x: Any, factor: Any, y: Any) -> Any:
        """x - factor y."""
        return self.builder.fsub(x, self.builder.fmul(self.all(factor), y))

    def _select(self, x: Any, y: Any, order: list[int]) -> Any:
        return self.builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(ir.IntType(32), self.W), order))

    @staticmethod
    def _int(i: int) -> Any:
        return ir.Constant(ir.IntType(32), i)


@intrinsic  # type: ignore[untyped-decorator]
def eliminate(typing: Any, data: Any, o: Any, f: Any, step: Any, count: Any, sizes: Any, s: Any, width: Any) -> Any:
    """Scale a column, subtract its multiples from the next ``count``, and add up what is taken from diagonals.

    ``data[o : o + W] *= f; for c in range(count): p = o + (c + 1) * step; u = data[p - 1]; data[p : p + W] -= u *
    data[o : o + W]; sizes[s + c] += abs(u * data[o + c])``. The column stays in registers: what was written number by
    number could not be read again as one without waiting.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = _Wide(builder, len(width))
        a = _pointer(context, builder, signature.args[0], args[0])
        m = _pointer(context, builder, signature.args[5], args[5])
        o, f, step, count, s = args[1], args[2], args[3], args[4], args[6]
        column = builder.fmul(wide.load(a, o), wide.all(f))
        wide.store(column, a, o)
        size = builder.module.declare_intrinsic("llvm.fabs", [ir.DoubleType()])
        with cgutils.for_range(builder, count) as loop:
            c = loop.index
            p = builder.add(o, builder.mul(builder.add(c, ir.Constant(c.type, 1)), step))
            u = builder.load(builder.gep(a, [builder.sub(p, ir.Constant(p.type, 1))]))
            wide.store(wide.less(wide.load(a, p), u, column), a, p)
            taken = builder.fmul(u, builder.load(builder.gep(a, [builder.add(o, c)])))
            where = builder.gep(m, [builder.add(s, c)])
            builder.store(builder.fadd(builder.load(where), builder.call(size, [taken])), where)
        return context.get_dummy_value()

    return types.void(data, types.intp, types.float64, types.intp, types.intp, sizes, types.intp, width), generate


@intrinsic  # type: ignore[untyped-decorator]
def forward_substitute(typing: Any, x: Any, p: Any, data: Any, o: Any, step: Any, count: Any, width: Any) -> Any:
    """Subtract multiples of columns in turn.

    ``for j in range(count): x[p + j + 1 : p + j + 1 + W] -= x[p + j] * data[o + j * step : o + j * step + W]``
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W = len(width)
        wide = _Wide(builder, W)
        v = _pointer(context, builder, signature.args[0], args[0])
        a = _pointer(context, builder, signature.args[2], args[2])
        p, o, step, count = args[1], args[3], args[4], args[5]
        window = cgutils.alloca_once_value(builder, wide.load(v, p))
        with cgutils.for_range(builder, count) as loop:
            j = loop.index
            now = builder.load(window)
            here = builder.add(p, j)
            u = wide.one(now, 0)
            builder.store(u, builder.gep(v, [here]))
            new = builder.load(builder.gep(v, [builder.add(here, ir.Constant(p.type, W))]))
            column = wide.load(a, builder.add(o, builder.mul(j, step)))
            builder.store(wide.less(wide.shift(now, new, up=False), u, column), window)
        wide.store(builder.load(window), v, builder.add(p, count))
        return context.get_dummy_value()

    return types.void(x, types.intp, data, types.intp, types.intp, types.intp, width), generate


@intrinsic  # type: ignore[untyped-decorator]
def back_substitute(typing: Any, x: Any, p: Any, data: Any, o: Any, step: Any, count: Any, width: Any) -> Any:
    """The columns backwards, with the reciprocals of the diagonal behind their W numbers.

    ``for j in range(count): k = o - j * step; u = x[p - j] * data[k + W]; x[p - j - W : p - j] -= u * data[k : k + W];
    x[p - j] = u``
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W = len(width)
        wide = _Wide(builder, W)
        v = _pointer(context, builder, signature.args[0], args[0])
        a = _pointer(context, builder, signature.args[2], args[2])
        p, o, step, count = args[1], args[3], args[4], args[5]
        first = builder.sub(p, ir.Constant(p.type, W - 1))
        window = cgutils.alloca_once_value(builder, wide.load(v, first))
        with cgutils.for_range(builder, count) as loop:
            j = loop.index
            now = builder.load(window)
            here = builder.sub(p, j)
            k = builder.sub(o, builder.mul(j, step))
            u = builder.fmul(
                wide.one(now, W - 1), builder.load(builder.gep(a, [builder.add(k, ir.Constant(k.type, W))]))
            )
            builder.store(u, builder.gep(v, [here]))
            new = builder.load(builder.gep(v, [builder.sub(here, ir.Constant(p.type, W))]))
            builder.store(wide.less(wide.shift(now, new, up=True), u, wide.load(a, k)), window)
        return context.get_dummy_value()

    return types.void(x, types.intp, data, types.intp, types.intp, types.intp, width), generate


for _loop in (eliminate, forward_substitute, back_substitute):
    _loop.makes_no_owner = True  # `flexmbs.core.borrowing`
