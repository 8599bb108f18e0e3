"""The last state of a solution as the start of another analysis."""

from __future__ import annotations

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import state_places
from flexmbs.results.states import States

__all__ = ["equilibrium_start"]


def equilibrium_start(owner: str, dyn: Dynamics, start: object, v: FloatArray) -> FloatArray:
    """Coordinates of the last state of another solution, and its first-order states into v; angles keep their turns.

    Raises
    ------
    ModelError
        If it is no solution, or of a model with other coordinates.
    """
    if not isinstance(start, States):
        raise ModelError(f"{owner}: start must be a StaticSolution or a TimeSolution, not {show(start)}.")
    if start.q.shape[1] != dyn.n_q:
        raise ModelError(
            f"{owner}: start belongs to model {start.model.name!r}, which has {start.q.shape[1]} coordinates, not "
            f"{dyn.n_q}."
        )
    places = state_places(dyn)
    v[places] = start.v[-1][places]
    near = start.extra.get("near")
    if near is not None and len(near) == len(dyn.turns.memory()):
        dyn.turns.restore(near)
    return np.array(start.q[-1])
