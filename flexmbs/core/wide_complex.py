"""The loops of `flexmbs.core.wide` for complex numbers, whose real and imaginary parts lie in two arrays.

A product (a + i b)(c + i d) is taken off in two steps each: first a times, then b times the other number.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from flexmbs.core.wide import Wide, least_rows, pointer

__all__ = ["eliminate_complex", "substitute_back_complex", "substitute_complex"]


def _less(wide: Wide, re: Any, im: Any, u: Any, c: Any, d: Any) -> tuple[Any, Any]:
    """re + i im - (a + i b)(c + i d), with two numbers u = (a, b)."""
    a, b = u
    minus = wide.builder.fneg(b)
    return wide.less(wide.less(re, a, c), minus, d), wide.less(wide.less(im, a, d), b, c)


def _times(builder: Any, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any]:
    """(a + i b)(c + i d) of numbers."""
    re = builder.fsub(builder.fmul(a, c), builder.fmul(b, d))
    return re, builder.fadd(builder.fmul(a, d), builder.fmul(b, c))


def _shift(wide: Wide, windows: Any, new: Any, up: bool) -> tuple[Any, Any]:
    """Both windows moved by one place."""
    re, im = (wide.shift(wide.value(window), number, up) for window, number in zip(windows, new, strict=True))
    return re, im


@intrinsic  # type: ignore[untyped-decorator]
def eliminate_complex(
    typing: Any, re: Any, im: Any, o: Any, x: Any, y: Any, step: Any, count: Any, sizes: Any, s: Any, width: Any
) -> Any:  # fmt: skip
    """`wide.eliminate` with the column of re + i im times x + i y; sizes are sums of both parts."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W = len(width)
        a, b, m = (pointer(context, builder, signature.args[k], args[k]) for k in (0, 1, 7))
        o, x, y, step, count, s = args[2], args[3], args[4], args[5], args[6], args[8]
        absolute = builder.module.declare_intrinsic("llvm.fabs", [ir.DoubleType()])

        def read(where: Any) -> tuple[Any, Any]:
            return builder.load(builder.gep(a, [where])), builder.load(builder.gep(b, [where]))

        def size(parts: tuple[Any, Any]) -> Any:
            one, other = (builder.call(absolute, [part]) for part in parts)
            return builder.fadd(one, other)

        def of(rows: int) -> None:
            """All of it, with the first rows of each column."""
            wide = Wide(builder, W, rows)
            c, d = wide.load(a, o), wide.load(b, o)
            c, d = wide.less(wide.times(c, x), y, d), wide.less(wide.times(d, x), builder.fneg(y), c)
            wide.store(c, a, o)
            wide.store(d, b, o)
            with cgutils.for_range(builder, count) as loop:
                k = loop.index
                p = builder.add(o, builder.mul(builder.add(k, ir.Constant(k.type, 1)), step))
                u = read(builder.sub(p, ir.Constant(p.type, 1)))
                new_re, new_im = _less(wide, wide.load(a, p), wide.load(b, p), u, c, d)
                wide.store(new_re, a, p)
                wide.store(new_im, b, p)
                taken = builder.fmul(size(u), size(read(builder.add(o, k))))
                where = builder.gep(m, [builder.add(s, k)])
                builder.store(builder.fadd(builder.load(where), taken), where)

        least_rows(builder, W, count, of)
        return context.get_dummy_value()

    whole, real = types.intp, types.float64
    return types.void(re, im, whole, real, real, whole, whole, sizes, whole, width), generate


@intrinsic  # type: ignore[untyped-decorator]
def substitute_complex(
    typing: Any, x: Any, y: Any, p: Any, re: Any, im: Any, o: Any, step: Any, count: Any, width: Any
) -> Any:  # fmt: skip
    """`wide.forward_substitute` of x + i y with the columns of re + i im."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W = len(width)
        wide = Wide(builder, W)
        v, w, a, b = (pointer(context, builder, signature.args[k], args[k]) for k in (0, 1, 3, 4))
        p, o, step, count = args[2], args[5], args[6], args[7]
        windows = [wide.variable(wide.load(part, p)) for part in (v, w)]
        with cgutils.for_range(builder, count) as loop:
            j = loop.index
            here = builder.add(p, j)
            behind = builder.add(here, ir.Constant(p.type, W))
            u = [wide.one(wide.value(window), 0) for window in windows]
            new = []
            for part, number in zip((v, w), u, strict=True):
                builder.store(number, builder.gep(part, [here]))
                new.append(builder.load(builder.gep(part, [behind])))
            at = builder.add(o, builder.mul(j, step))
            found = _less(wide, *_shift(wide, windows, new, up=False), u, wide.load(a, at), wide.load(b, at))
            for window, piece in zip(windows, found, strict=True):
                wide.put(piece, window)
        for part, window in zip((v, w), windows, strict=True):
            wide.store(wide.value(window), part, builder.add(p, count))
        return context.get_dummy_value()

    whole = types.intp
    return types.void(x, y, whole, re, im, whole, whole, whole, width), generate


@intrinsic  # type: ignore[untyped-decorator]
def substitute_back_complex(
    typing: Any, x: Any, y: Any, p: Any, re: Any, im: Any, o: Any, step: Any, count: Any, width: Any
) -> Any:  # fmt: skip
    """`wide.back_substitute` of x + i y with the columns of re + i im."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W = len(width)
        wide = Wide(builder, W)
        v, w, a, b = (pointer(context, builder, signature.args[k], args[k]) for k in (0, 1, 3, 4))
        p, o, step, count = args[2], args[5], args[6], args[7]
        first = builder.sub(p, ir.Constant(p.type, W - 1))
        windows = [wide.variable(wide.load(part, first)) for part in (v, w)]
        with cgutils.for_range(builder, count) as loop:
            j = loop.index
            here = builder.sub(p, j)
            before = builder.sub(here, ir.Constant(p.type, W))
            at = builder.sub(o, builder.mul(j, step))
            pivot = builder.add(at, ir.Constant(p.type, W))
            inverse = [builder.load(builder.gep(part, [pivot])) for part in (a, b)]
            u = _times(builder, *(wide.one(wide.value(window), W - 1) for window in windows), *inverse)
            new = []
            for part, number in zip((v, w), u, strict=True):
                builder.store(number, builder.gep(part, [here]))
                new.append(builder.load(builder.gep(part, [before])))
            found = _less(wide, *_shift(wide, windows, new, up=True), u, wide.load(a, at), wide.load(b, at))
            for window, piece in zip(windows, found, strict=True):
                wide.put(piece, window)
        return context.get_dummy_value()

    whole = types.intp
    return types.void(x, y, whole, re, im, whole, whole, whole, width), generate


for _loop in (eliminate_complex, substitute_complex, substitute_back_complex):
    _loop.makes_no_owner = True  # `flexmbs.core.borrowing`
