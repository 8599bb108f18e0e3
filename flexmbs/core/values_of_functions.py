"""What functions of users return, put into arrays: numbers, tuples, lists and arrays, told apart when compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import literal_unroll, types
from numba.extending import overload

from flexmbs.core.contracts import FloatArray

__all__ = ["put", "put_matrix"]

NUMBERS = types.Float, types.Integer, types.Boolean


def put(value: Any, out: FloatArray) -> bool:
    """Put a value into ``out (n,)``: n numbers, of which a single one may stand by itself; whether they are n."""
    given = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if given.shape != out.shape:
        return False
    out[:] = given
    return True


def put_matrix(value: Any, out: FloatArray) -> bool:
    """Put an array into ``out (n, m)``; whether its shape is that. A single number may stand for (1, 1)."""
    given = np.asarray(value, dtype=np.float64)
    if given.size == 1 == out.size:
        given = given.reshape(1, 1)
    if given.shape != out.shape:
        return False
    out[:] = given
    return True


@overload(put)  # type: ignore[untyped-decorator]
def _put(value: Any, out: Any) -> Any:
    if isinstance(value, NUMBERS):

        def number(value: Any, out: Any) -> Any:
            if out.shape[0] != 1:
                return False
            out[0] = value
            return True

        return number
    if isinstance(value, types.Array) and value.ndim == 1 and isinstance(value.dtype, NUMBERS):

        def array(value: Any, out: Any) -> Any:
            if value.shape[0] != out.shape[0]:
                return False
            for k in range(out.shape[0]):
                out[k] = value[k]
            return True

        return array
    if isinstance(value, types.List) and isinstance(value.dtype, NUMBERS):

        def listed(value: Any, out: Any) -> Any:
            if len(value) != out.shape[0]:
                return False
            for k in range(out.shape[0]):
                out[k] = value[k]
            return True

        return listed
    if isinstance(value, types.BaseTuple) and all(isinstance(t, NUMBERS) for t in value):

        def several(value: Any, out: Any) -> Any:
            if len(value) != out.shape[0]:
                return False
            k = 0
            for number in literal_unroll(value):
                out[k] = number
                k += 1  # noqa: SIM113  # what is unrolled cannot be enumerated
            return True

        return several
    return None


@overload(put_matrix)  # type: ignore[untyped-decorator]
def _put_matrix(value: Any, out: Any) -> Any:
    if isinstance(value, NUMBERS):

        def number(value: Any, out: Any) -> Any:
            if out.shape != (1, 1):
                return False
            out[0, 0] = value
            return True

        return number
    if isinstance(value, types.Array) and value.ndim == 2 and isinstance(value.dtype, NUMBERS):

        def array(value: Any, out: Any) -> Any:
            if value.shape != out.shape:
                return False
            for k in range(out.shape[0]):
                for m in range(out.shape[1]):
                    out[k, m] = value[k, m]
            return True

        return array
    return None
