"""Functions in Python that compiled code calls."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p, cast
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

__all__ = ["Callback", "enter"]

_Function = CFUNCTYPE(c_int64, c_int64, c_double)


class Callback:
    """A function of an integer and a float whose ``address`` can be given to kernels, for `enter`.

    The address is a number among others, so that compiled code can be kept from one process to the next. It holds as
    long as this object lives. No exception passes through compiled code: one of the function is told by what `enter`
    returns, and one that is to end the process, such as `KeyboardInterrupt`, is kept for `tell`.
    """

    def __init__(self, function: Callable[[int, float], object]) -> None:
        raised: list[BaseException] = []

        def call(number: int, value: float) -> int:
            if raised:  # until it is told, nothing is called any more
                return 0
            try:
                function(number, value)
            except Exception:  # noqa: BLE001  # whoever has called the compiled code calls again, and finds it
                return 0
            except BaseException as error:  # noqa: BLE001
                raised.append(error)
                return 0
            return -1

        self._raised = raised  # no cycle of references
        self._kept = _Function(call)
        self.address = int(cast(self._kept, c_void_p).value or 0)

    def tell(self) -> None:
        """Raise what is to end the process, once."""
        if self._raised:
            error = self._raised[0]
            self._raised.clear()
            raise error


@intrinsic  # type: ignore[untyped-decorator]
def enter(typing: Any, address: Any, number: Any, value: Any) -> Any:
    """Call the function of the `Callback` with this address, from kernels: -1, or 0 where it has raised something."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64), ir.DoubleType()])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(types.int64, types.int64, types.float64), generate
