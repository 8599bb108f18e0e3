"""Stages as calls from Python.

A call of a kernel from Python spends most of its time on finding which machine code belongs to the types of its
arguments: 3 of 4 microseconds where these are tables. The types of a stage do not change, so its machine code is looked
up once (`machine_code`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numba import typeof

from flexmbs.core.contracts import Env, FloatArray, State, owned
from flexmbs.core.given import (
    ACCELERATION,
    COORDINATES,
    ENV,
    LOADS,
    ON_RATES,
    SCALE,
    STATE,
    STIFFNESS_WEIGHT,
    VELOCITY,
    WEIGHTS,
    Given,
)

if TYPE_CHECKING:
    from flexmbs.dynamics.stages import Stage

__all__ = ["Direct", "Made", "Prepared", "machine_code", "state_of"]

Weights = tuple[float, float]
Call = Callable[[State, Env, Weights, int], Any]
Made = dict[int, tuple[Any, Call]]
"""Stages, which are kept so that no other one gets the id, and their calls."""
FLOAT = np.dtype(np.float64)


def state_of(q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> State:
    """A state of arrays of floats that are `owned`, which machine code takes them for without a look."""
    for x in (q, v, a, lam):
        if not (x.flags.carray and x.dtype is FLOAT):
            return State(*(owned(x) for x in (q, v, a, lam)))
    return State(q, v, a, lam)


@cache
def _types() -> dict[str, Any]:
    """The types that what is given has in every evaluation."""
    x = np.zeros(1)
    given = {
        STATE: State(x, x, x, x), ENV: Env(0.0, x), WEIGHTS: (0.0, 0.0), ON_RATES: 0, COORDINATES: x, VELOCITY: x,
        ACCELERATION: x, SCALE: x, STIFFNESS_WEIGHT: 0.0,
    }  # fmt: skip
    return {name: typeof(value) for name, value in given.items()}


def machine_code(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """What a kernel runs for arguments of these types, with which it has been called; `Given`: of the types of those.

    A kernel that has been compiled for one set of types only has run that code, and numba's look at each argument is
    left out; else the types are compared. What is no compiled function is returned as it is.
    """
    overloads = getattr(kernel, "entries", None)  # not all overloads: of some, only other kernels are made
    if not overloads:
        return kernel
    types = _types()
    if len(overloads) > 1:
        found = overloads.get(tuple(types[a] if isinstance(a, Given) else typeof(a) for a in arguments))
        return kernel if found is None else found.entry_point
    known = _only.get(kernel)
    if known is None:
        ((found, code),) = overloads.items()
        same = len(found) == len(arguments) and all(  # more if it has arguments by default
            t == types[a] for t, a in zip(found, arguments, strict=True) if isinstance(a, Given)
        )
        known = _only[kernel] = code.entry_point if same else kernel
    return known


_only: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""What `machine_code` has found of kernels that are compiled for one set of types."""


class Prepared:
    """Stages in their order as calls, which are made when they are first run.

    ``loads``: the array that `LOADS` stands for; ``made``: the calls that have been made of stages, by their ids, which
    lists with stages in common share.
    """

    __slots__ = ("_calls", "_loads", "_made", "_stages")

    def __init__(self, stages: tuple[Stage, ...], loads: FloatArray, made: Made | None = None) -> None:
        self._stages, self._loads = stages, loads
        self._made: Made = {} if made is None else made
        self._calls: tuple[tuple[Call, Callable[[int], None] | None], ...] | None = None

    def run(self, state: State, env: Env, weights: Weights = (0.0, 0.0), on_rates: int = 0) -> None:
        """Call all stages; ``state``: of `state_of`."""
        calls = self._calls
        if calls is None:
            calls = self._first(state, env, weights, on_rates)
        for call, refuse in calls:
            bad = call(state, env, weights, on_rates)
            if refuse is not None and bad >= 0:
                refuse(bad)

    def _first(self, *given: Any) -> tuple[Any, ...]:
        """The first run, in which kernels are compiled; the calls of further ones are kept."""
        made = []
        for stage in self._stages:
            if stage.compiled_only:
                continue
            known = self._made.get(id(stage))
            if known is None:
                first = _guarded(stage.kernel, stage.failed)
                values = tuple([self._loads if a is LOADS else a for a in stage.arguments])
                bad = first(*[_VALUES[a](*given) if type(a) is Given else a for a in values])
            else:
                bad = known[1](*given)
            if stage.refuse is not None and bad >= 0:
                stage.refuse(bad)
            if known is None:
                call = _guarded(_call(machine_code(stage.kernel, values), values), stage.failed)
                known = self._made[id(stage)] = stage, call
            made.append((known[1], stage.refuse))
        self._calls = tuple(made)
        return ()


def _guarded(call: Callable[..., Any], failed: Callable[[Exception], Any] | None) -> Callable[..., Any]:
    """A call, after whose failure ``failed`` is called, which raises."""
    if failed is None:
        return call

    def guarded(*arguments: Any) -> Any:
        try:
            return call(*arguments)
        except Exception as error:  # noqa: BLE001  # whatever a user's function raises
            return failed(error)

    return guarded


class Direct:
    """A kernel whose first arguments stay where they are; those behind them are arrays of floats."""

    __slots__ = ("_code", "_first", "_kernel")

    def __init__(self, kernel: Any, *first: Any) -> None:
        self._kernel, self._first, self._code = kernel, first, None

    def __call__(self, *arrays: FloatArray) -> Any:
        if self._code is None:
            found = self._kernel(*self._first, *arrays)
            self._code = machine_code(self._kernel, (*self._first, *(ACCELERATION for _ in arrays)))
            return found
        return self._code(*self._first, *arrays)


_VALUES: dict[str, Call] = {
    STATE: lambda state, env, weights, on_rates: state,
    ENV: lambda state, env, weights, on_rates: env,
    WEIGHTS: lambda state, env, weights, on_rates: weights,
    ON_RATES: lambda state, env, weights, on_rates: on_rates,
    COORDINATES: lambda state, env, weights, on_rates: state.q,
    VELOCITY: lambda state, env, weights, on_rates: state.v,
    ACCELERATION: lambda state, env, weights, on_rates: state.a,
    SCALE: lambda state, env, weights, on_rates: env.scale,
    STIFFNESS_WEIGHT: lambda state, env, weights, on_rates: weights[0],
}


def _call(code: Any, values: tuple[Any, ...]) -> Call:
    """One call; the usual orders of arguments are written out, which saves half a microsecond a call."""
    shape = tuple([a if type(a) is Given else None for a in values])
    if shape == (None, STATE, ENV, None):
        group, _, _, work = values
        return lambda state, env, weights, on_rates: code(group, state, env, work)
    if shape == (None, STATE, ENV, None, WEIGHTS):
        group, _, _, work, _ = values
        return lambda state, env, weights, on_rates: code(group, state, env, work, weights)
    if shape == (None, STATE, ENV, None, WEIGHTS, ON_RATES):
        group, _, _, work, _, _ = values
        return lambda state, env, weights, on_rates: code(group, state, env, work, weights, on_rates)
    if shape == (None, None, None, ACCELERATION, None, None):
        ptr, column, mass, _, given, r = values
        return lambda state, env, weights, on_rates: code(ptr, column, mass, state.a, given, r)
    if not any(shape):
        return lambda state, env, weights, on_rates: code(*values)
    getters = [_VALUES[a] if isinstance(a, Given) else None for a in values]

    def call(state: State, env: Env, weights: Weights, on_rates: int) -> Any:
        return code(
            *[a if get is None else get(state, env, weights, on_rates) for a, get in zip(values, getters, strict=True)]
        )

    return call
