"""One evaluation of the equations of motion as a list of stages: what Python runs, and what the compiler prints.

A stage is a kernel with its arguments: tables and arrays that stay where they are for a run, and names of what differs
from evaluation to evaluation (`Given`). The residual is one tuple of stages, the residual with its blocks another; both
are made once per run, in `flexmbs.dynamics.evaluation`. `flexmbs.integrators.compiled.text` writes the same tuples as
calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from flexmbs.core.contracts import Env, FloatArray, State

__all__ = [
    "ACCELERATION", "COORDINATES", "ENV", "LOADS", "ON_RATES", "SCALE", "STATE", "STIFFNESS_WEIGHT", "VELOCITY",
    "WEIGHTS", "Given", "Prepared", "Stage", "prepared", "run",
]  # fmt: skip


class Given(str):
    """An argument that differs from evaluation to evaluation; the text is its name in a compiled step."""

    __slots__ = ()


STATE, ENV = Given("state"), Given("env")
WEIGHTS, ON_RATES = Given("weights"), Given("on_rates")
LOADS = Given("given")
"""Minus the dead loads and the prescribed values behind them, `flexmbs.dynamics.prescribed.Prescribed.given`."""
COORDINATES, VELOCITY, ACCELERATION = Given("state.q"), Given("state.v"), Given("state.a")
SCALE, STIFFNESS_WEIGHT = Given("env.scale"), Given("weights[0]")

Weights = tuple[float, float]
Call = Callable[[State, Env, Weights, int], Any]
Prepared = tuple[tuple[Call, "Callable[[int], None] | None"], ...]


class Stage(NamedTuple):
    """A kernel with its arguments.

    ``owner``: whose it is, for messages; ``refuse(item)`` raises for an item that the kernel returned as one it cannot
    treat (-1: none); without it nothing is refused. ``compiled_only``: in Python this is done where it is asked for.
    """

    owner: str
    kernel: Any
    arguments: tuple[Any, ...]
    refuse: Callable[[int], None] | None = None
    compiled_only: bool = False


def prepared(stages: Iterable[Stage], loads: FloatArray) -> Prepared:
    """The stages as calls with (state, env, weights, on_rates); ``loads``: the array that `LOADS` stands for."""
    return tuple((_call(s.kernel, s.arguments, loads), s.refuse) for s in stages if not s.compiled_only)


def run(stages: Prepared, state: State, env: Env, weights: Weights = (0.0, 0.0), on_rates: int = 0) -> None:
    """Call all stages in their order."""
    for call, refuse in stages:
        bad = call(state, env, weights, on_rates)
        if refuse is not None and bad >= 0:
            refuse(bad)


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


def _call(kernel: Any, arguments: tuple[Any, ...], loads: FloatArray) -> Call:
    """One call; the usual orders of arguments are written out, which saves half a microsecond a call."""
    values = tuple(loads if isinstance(a, Given) and a == LOADS else a for a in arguments)
    shape = tuple(a if isinstance(a, Given) else None for a in values)
    if shape == (None, STATE, ENV, None):
        group, _, _, work = values
        return lambda state, env, weights, on_rates: kernel(group, state, env, work)
    if shape == (None, STATE, ENV, None, WEIGHTS):
        group, _, _, work, _ = values
        return lambda state, env, weights, on_rates: kernel(group, state, env, work, weights)
    if shape == (None, None, None, ACCELERATION, None, None):
        ptr, column, mass, _, given, r = values
        return lambda state, env, weights, on_rates: kernel(ptr, column, mass, state.a, given, r)
    if not any(shape):
        return lambda state, env, weights, on_rates: kernel(*values)
    getters = [_VALUES[a] if isinstance(a, Given) else None for a in values]

    def call(state: State, env: Env, weights: Weights, on_rates: int) -> Any:
        return kernel(
            *[a if get is None else get(state, env, weights, on_rates) for a, get in zip(values, getters, strict=True)]
        )

    return call
