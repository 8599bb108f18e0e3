"""Stages whose functions are in Python, entered from compiled steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.callbacks import Callback
from flexmbs.core.contracts import Env, State
from flexmbs.kernels.python_calls import PythonCalls

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.system.python_items import Evaluate
    from flexmbs.system.view import Viewer

__all__ = ["PythonStages"]


class PythonStages:
    """Functions (state, env, weights) of one `Dynamics` by number, and the table with which kernels call them.

    A function that fails makes the step fail, and the loop in Python, which makes it anew, tells what is wrong.
    ``viewer``: makes views of the system, for sensors.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        n_q, n_v, n_c = dynamics.n_q, dynamics.n_v, dynamics.n_c
        self.calls = PythonCalls(
            np.zeros(1, dtype=np.int64), np.zeros(n_q), np.zeros(n_v), np.zeros(n_v), np.zeros(n_c),
            np.zeros(len(dynamics.prescribed.scale)), np.zeros(2),
        )  # fmt: skip
        self.viewer = dynamics.python.viewer
        self._functions: list[Callable[[float], object]] = []
        self._callback: Callback | None = None

    def number(self, function: Evaluate) -> int:
        """The number by which compiled steps call a function of the state at which they are."""
        return self.entry(_at_state(function, self.calls, self.viewer))

    def entry(self, function: Callable[[float], object]) -> int:
        """The number by which they call a function of time."""
        if self._callback is None:
            self._callback = Callback(_caller(self._functions))
            self.calls.address[0] = self._callback.address
        self._functions.append(function)
        return len(self._functions) - 1

    def tell(self) -> None:
        """Raise what a function has raised to end the process."""
        if self._callback is not None:
            self._callback.tell()


def _caller(functions: list[Callable[[float], object]]) -> Callable[[int, float], None]:
    """What calls a function by its number, at a time."""

    def call(number: int, t: float) -> None:
        functions[number](t)

    return call


def _at_state(function: Evaluate, calls: PythonCalls, viewer: Viewer) -> Callable[[float], None]:
    """What calls a function at the state in the table."""
    state, scale, weights = State(calls.q, calls.v, calls.a, calls.lam), calls.scale, calls.weights

    def call(t: float) -> None:
        counted = len(viewer.near)
        wq, wv = weights.tolist()
        function(state, Env(t, scale), (wq, wv))
        if len(viewer.near) > counted:
            raise RuntimeError("an angle was asked for whose turns have to be counted after every step from here on")

    return call
