"""Functions in Python that are stages of an evaluation, as compiled steps call them."""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.callbacks import enter
from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.jit import kernel

__all__ = ["PythonCalls", "call_python"]


class PythonCalls(NamedTuple):
    """``address (1,)`` of a `flexmbs.core.callbacks.Callback`, and what its function finds when it is entered.

    ``q, v, a, lam`` of the state; ``scale``: factors of loads, which the function may change; ``weights (2,)``.
    """

    address: IntArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    scale: FloatArray
    weights: FloatArray


@kernel
def call_python(calls: PythonCalls, number: int, state: State, env: Env, weights: tuple[float, float]) -> int:
    """Call a function by its number at a state; -1, or 0 where it has failed."""
    _copy(state.q, calls.q)
    _copy(state.v, calls.v)
    _copy(state.a, calls.a)
    _copy(state.lam, calls.lam)
    _copy(env.scale, calls.scale)
    calls.weights[0], calls.weights[1] = weights
    found: int = enter(calls.address[0], number, env.t)
    _copy(calls.scale, env.scale)
    return found


@kernel
def _copy(source: FloatArray, into: FloatArray) -> None:
    for k in range(into.shape[0]):
        into[k] = source[k]
