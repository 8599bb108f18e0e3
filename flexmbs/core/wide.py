"""Loops over rows of a fixed, short length, W numbers at a time: what compilers do not make of loops over slices.

W is the length of the tuple ``width`` and known to the compiler, so that W numbers live in a few wide registers. The
products are rounded before they are subtracted, as in the plain loops told in each docstring.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["Wide", "back_substitute", "eliminate", "forward_substitute", "least_rows", "pointer"]


def pointer(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Address of the data of an array."""
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


class Wide:
    """Instructions on W numbers of double precision, or the ``first`` of them, in pieces of 8 or, of other W, of 4.

    In one piece of 24 numbers, say, compilers would take them apart one by one wherever they outlive a loop.
    """

    def __init__(self, builder: Any, W: int, first: int | None = None) -> None:
        self.builder = builder
        self.size = 4 if W % 8 else 8
        self.places = range(0, W if first is None else first, self.size)
        self.kind = ir.VectorType(ir.DoubleType(), self.size)

    def load(self, pointer: Any, index: Any) -> list[Any]:
        return [self.builder.load(self._where(pointer, index, i), align=8) for i in self.places]

    def store(self, x: list[Any], pointer: Any, index: Any) -> None:
        for piece, i in zip(x, self.places, strict=True):
            self.builder.store(piece, self._where(pointer, index, i), align=8)

    def one(self, x: list[Any], i: int) -> Any:
        """Number i of x."""
        return self.builder.extract_element(x[i // self.size], self._int(i % self.size))

    def shift(self, x: list[Any], new: Any, up: bool) -> list[Any]:
        """x moved by one place, ``new`` in the place that is free: the last one, or with ``up`` the first one."""
        end = [self._all(new)]
        pairs = zip(end + x[:-1], x, strict=True) if up else zip(x, x[1:] + end, strict=True)
        first = self.size - 1 if up else 1
        return [self._select(a, b, [first + i for i in range(self.size)]) for a, b in pairs]

    def times(self, x: list[Any], factor: Any) -> list[Any]:
        """x times a number."""
        every = self._all(factor)
        return [self.builder.fmul(piece, every) for piece in x]

    def less(self, x: list[Any], factor: Any, y: list[Any]) -> list[Any]:
        """x - factor y."""
        every = self._all(factor)
        return [self.builder.fsub(a, self.builder.fmul(every, b)) for a, b in zip(x, y, strict=True)]

    def variable(self, x: list[Any]) -> list[Any]:
        """Room for W numbers that change in a loop, with x in it."""
        return [cgutils.alloca_once_value(self.builder, piece) for piece in x]

    def put(self, x: list[Any], variable: list[Any]) -> None:
        """x into a variable."""
        for piece, room in zip(x, variable, strict=True):
            self.builder.store(piece, room)

    def value(self, variable: list[Any]) -> list[Any]:
        """What a variable has now."""
        return [self.builder.load(room) for room in variable]

    def _where(self, pointer: Any, index: Any, i: int) -> Any:
        place = self.builder.add(index, ir.Constant(index.type, i)) if i else index
        return self.builder.bitcast(self.builder.gep(pointer, [place]), self.kind.as_pointer())

    def _all(self, x: Any) -> Any:
        """The number x in all places of a piece."""
        first = self.builder.insert_element(ir.Constant(self.kind, ir.Undefined), x, self._int(0))
        return self._select(first, first, [0] * self.size)

    def _select(self, x: Any, y: Any, order: list[int]) -> Any:
        return self.builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(ir.IntType(32), self.size), order))

    @staticmethod
    def _int(i: int) -> Any:
        return ir.Constant(ir.IntType(32), i)


def least_rows(builder: Any, W: int, count: Any, of: Callable[[int], None]) -> None:
    """What ``of`` writes, for the first of some numbers of rows, W at most, that is not below ``count``."""

    def least(choice: list[int]) -> None:
        rows, *more = choice
        if not more:
            of(rows)
            return
        enough = builder.icmp_signed("<=", count, ir.Constant(count.type, rows))
        with builder.if_else(enough) as (few, many):
            with few:
                of(rows)
            with many:
                least(more)

    least([rows for rows in (8, 16, 32) if rows < W] + [W])


@intrinsic  # type: ignore[untyped-decorator]
def eliminate(typing: Any, data: Any, o: Any, f: Any, step: Any, count: Any, sizes: Any, s: Any, width: Any) -> Any:
    """Scale a column, subtract its multiples from the next ``count``, and add up what is taken from diagonals.

    ``data[o : o + W] *= f; for c in range(count): p = o + (c + 1) * step; u = data[p - 1]; data[p : p + W] -= u *
    data[o : o + W]; sizes[s + c] += abs(u * data[o + c])``. Behind the first ``count`` numbers the column is zero, and
    left out by eights. It stays in registers: what was written number by number could not be read again as one without
    waiting.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W = len(width)
        a = pointer(context, builder, signature.args[0], args[0])
        m = pointer(context, builder, signature.args[5], args[5])
        o, f, step, count, s = args[1], args[2], args[3], args[4], args[6]
        size = builder.module.declare_intrinsic("llvm.fabs", [ir.DoubleType()])

        def of(rows: int) -> None:
            """All of it, with the first rows of each column."""
            wide = Wide(builder, W, rows)
            column = wide.times(wide.load(a, o), f)
            wide.store(column, a, o)
            with cgutils.for_range(builder, count) as loop:
                c = loop.index
                p = builder.add(o, builder.mul(builder.add(c, ir.Constant(c.type, 1)), step))
                u = builder.load(builder.gep(a, [builder.sub(p, ir.Constant(p.type, 1))]))
                wide.store(wide.less(wide.load(a, p), u, column), a, p)
                taken = builder.fmul(u, builder.load(builder.gep(a, [builder.add(o, c)])))
                where = builder.gep(m, [builder.add(s, c)])
                builder.store(builder.fadd(builder.load(where), builder.call(size, [taken])), where)

        least_rows(builder, W, count, of)
        return context.get_dummy_value()

    return types.void(data, types.intp, types.float64, types.intp, types.intp, sizes, types.intp, width), generate


@intrinsic  # type: ignore[untyped-decorator]
def forward_substitute(typing: Any, x: Any, p: Any, data: Any, o: Any, step: Any, count: Any, width: Any) -> Any:
    """Subtract multiples of columns in turn.

    ``for j in range(count): x[p + j + 1 : p + j + 1 + W] -= x[p + j] * data[o + j * step : o + j * step + W]``
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W = len(width)
        wide = Wide(builder, W)
        v = pointer(context, builder, signature.args[0], args[0])
        a = pointer(context, builder, signature.args[2], args[2])
        p, o, step, count = args[1], args[3], args[4], args[5]
        window = wide.variable(wide.load(v, p))
        with cgutils.for_range(builder, count) as loop:
            j = loop.index
            now = wide.value(window)
            here = builder.add(p, j)
            u = wide.one(now, 0)
            builder.store(u, builder.gep(v, [here]))
            new = builder.load(builder.gep(v, [builder.add(here, ir.Constant(p.type, W))]))
            column = wide.load(a, builder.add(o, builder.mul(j, step)))
            wide.put(wide.less(wide.shift(now, new, up=False), u, column), window)
        wide.store(wide.value(window), v, builder.add(p, count))
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
        wide = Wide(builder, W)
        v = pointer(context, builder, signature.args[0], args[0])
        a = pointer(context, builder, signature.args[2], args[2])
        p, o, step, count = args[1], args[3], args[4], args[5]
        first = builder.sub(p, ir.Constant(p.type, W - 1))
        window = wide.variable(wide.load(v, first))
        with cgutils.for_range(builder, count) as loop:
            j = loop.index
            now = wide.value(window)
            here = builder.sub(p, j)
            k = builder.sub(o, builder.mul(j, step))
            u = builder.fmul(
                wide.one(now, W - 1), builder.load(builder.gep(a, [builder.add(k, ir.Constant(k.type, W))]))
            )
            builder.store(u, builder.gep(v, [here]))
            new = builder.load(builder.gep(v, [builder.sub(here, ir.Constant(p.type, W))]))
            wide.put(wide.less(wide.shift(now, new, up=True), u, wide.load(a, k)), window)
        return context.get_dummy_value()

    return types.void(x, types.intp, data, types.intp, types.intp, types.intp, width), generate


for _loop in (eliminate, forward_substitute, back_substitute):
    _loop.makes_no_owner = True  # `flexmbs.core.borrowing`
