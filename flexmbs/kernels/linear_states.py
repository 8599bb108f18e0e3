"""Linear first-order states, xdot = A x + B u with held values C x + D u: filters, motors, transfer functions."""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.jit import kernel

__all__ = ["LinearLaw", "linear_block", "linear_rates"]


class LinearLaw(NamedTuple):
    """States of one item: ``places (n,)`` in v; matrices; ``read, first, offset, idle`` as in `user_laws.StateLaw`."""

    places: IntArray
    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: FloatArray
    read: FloatArray
    first: int
    offset: int
    idle: IntArray


@kernel
def linear_rates(law: LinearLaw, state: State, held: FloatArray, r: FloatArray) -> None:
    """The rates into the residual, and the held values."""
    if law.idle[0] == 1:
        return
    n, m = law.A.shape[0], law.B.shape[1]
    for i in range(n):
        value = 0.0
        for k in range(n):
            value += law.A[i, k] * state.v[law.places[k]]
        for k in range(m):
            value += law.B[i, k] * law.read[k]
        r[law.places[i]] -= value
    for i in range(law.C.shape[0]):
        value = 0.0
        for k in range(n):
            value += law.C[i, k] * state.v[law.places[k]]
        for k in range(m):
            value += law.D[i, k] * law.read[k]
        held[law.first + i] = value


@kernel
def linear_block(law: LinearLaw, B: FloatArray, weights: tuple[float, float]) -> None:
    """-wv A into the block of the states."""
    n = law.A.shape[0]
    for i in range(n):
        for k in range(n):
            B[law.offset + i * n + k] = -weights[1] * law.A[i, k]
