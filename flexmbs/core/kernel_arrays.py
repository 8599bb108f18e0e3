"""Arrays that kernels make without an owner: on the stack, and squares in arrays of blocks.

numba counts the references to what ``np.empty`` makes and ``reshape`` returns, and everything else in the kernel with
them (`flexmbs.core.borrowing`). Whoever calls these has to know that the numbers live long enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from flexmbs.core.array_access import array_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.core.contracts import FloatArray

__all__ = ["on_stack", "square"]

TABLE, ROW = types.Array(types.float64, 2, "C"), types.Array(types.float64, 1, "C")


@intrinsic  # type: ignore[untyped-decorator]
def _on_stack(typing: Any, shape: Any) -> Any:
    kinds = tuple(shape)
    made = types.Array(types.float64, len(kinds), "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = [builder.extract_value(args[0], axis) for axis in range(len(kinds))]
        sizes = [context.cast(builder, n, kind, types.intp) for n, kind in zip(given, kinds, strict=True)]
        count = sizes[0]
        for n in sizes[1:]:
            count = builder.mul(count, n, flags=["nsw"])
        return array_of(context, builder, made, builder.alloca(ir.DoubleType(), size=count), sizes)

    return made(shape), generate


@intrinsic  # type: ignore[untyped-decorator]
def _square(typing: Any, numbers: Any, first: Any, size: Any) -> Any:
    if numbers != ROW:
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        model = context.data_model_manager[ROW]
        data = builder.extract_value(args[0], [model.get_field_position("data")])
        place, n = (
            context.cast(builder, x, kind, types.intp) for x, kind in zip(args[1:], signature.args[1:], strict=True)
        )
        return array_of(context, builder, TABLE, builder.gep(data, [place], inbounds=True), [n, n])

    return TABLE(numbers, first, size), generate


for _function in (_on_stack, _square):
    _function.makes_no_owner = True  # `flexmbs.core.borrowing`

on_stack = cast("Callable[[tuple[int, ...]], FloatArray]", _on_stack)
"""``on_stack(shape)``: an array with anything in it, on the stack, which is gone when the kernel is done.

For rows as long as the coordinates of one body or element, not for squares of those of a body, and not in loops: stacks
of threads have half a megabyte. Of a shape that is written out ``np.empty`` does the same.
"""
square = cast("Callable[[FloatArray, int, int], FloatArray]", _square)
"""``square(numbers, first, size)``: the ``size`` x ``size`` numbers from ``first`` on, row by row."""
