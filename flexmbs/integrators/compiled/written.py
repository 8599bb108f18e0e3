"""What is written for each set of types: functions without a body, whose calls the text of a driver replaces.

`flexmbs.integrators.compiled.text` puts calls of the kernels of one system in their places.
"""

from __future__ import annotations

from flexmbs.core.contracts import Env, FloatArray, State

__all__ = [
    "account", "constraint_product", "constraint_rows", "curvature", "gamma", "masses", "rate_coupling", "rates",
    "residual", "sample", "tangent", "watch",
]  # fmt: skip


def residual(state: State, env: Env, given: FloatArray) -> bool:
    """`Dynamics.residual`; whether an item was refused."""
    raise NotImplementedError


def tangent(state: State, env: Env, given: FloatArray, weights: tuple[float, float], on_rates: int) -> bool:
    """`Dynamics.tangent`; whether an item was refused."""
    raise NotImplementedError


def constraint_rows(state: State, env: Env, weights: tuple[float, float], on_rates: int) -> bool:
    """Place the markers, and `Dynamics.constraint_rows`; whether a marker was refused."""
    raise NotImplementedError


def constraint_product(y: FloatArray, twist: FloatArray, out: FloatArray) -> None:
    """Add G y of all constraints, the markers being in place; ``twist``: scratch."""
    raise NotImplementedError


def masses(state: State) -> None:
    """`MovingMass.blocks`, without what `residual` has renewed, and into the matrix of a step."""
    raise NotImplementedError


def gamma(state: State, out: FloatArray) -> None:
    """Add to ``out`` what G a leaves of the second derivative of the constraints; the markers being in place."""
    raise NotImplementedError


def rates(rate: FloatArray) -> None:
    """Add G v of all constraints."""
    raise NotImplementedError


def rate_coupling(y: FloatArray, out: FloatArray) -> None:
    """`Dynamics.rate_coupling`."""
    raise NotImplementedError


def watch(state: State, env: Env, first: int) -> bool:
    """Whether an event may have happened since this was asked before; ``first``: it was not."""
    raise NotImplementedError


def account(i: int, state: State, env: Env) -> None:
    """After step i of a chunk: the powers of forces, if wanted, and turns."""
    raise NotImplementedError


def curvature(state: State, env: Env, out: FloatArray) -> None:
    """Place the markers; `Dynamics.gamma_here` added to ``out``."""
    raise NotImplementedError


def sample(i: int, state: State, env: Env) -> tuple[bool, int]:
    """After step i: turns that sensors count, and the controllers that are due.

    Whether a reading or an output was refused, with nothing changed; and whether a held value has changed (0 or 1).
    """
    raise NotImplementedError
