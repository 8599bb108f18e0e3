"""The last state of a solution as the start of another analysis."""

from __future__ import annotations

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import state_places
from flexmbs.dynamics.turns import counted_rows
from flexmbs.results.joint_history import AnglesAtEnd, names_of_rows
from flexmbs.results.states import States

__all__ = ["count_on", "equilibrium_start"]


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
    count_on(dyn, start)
    return np.array(start.q[-1])


def count_on(dyn: Dynamics, start: States) -> None:
    """Count turns on from the end of a solution, of joints, forces and sensors.

    Where its model is another one, with other springs or motors, by the names of joints and forces.
    """
    before, near = AnglesAtEnd(start), start.extra.get("near")
    fits = False
    if near is not None and len(near) == len(dyn.turns.memory()):
        dyn.turns.restore(near)
        fits = start.model is dyn.system.model
    if not fits:
        names, rows, now = names_of_rows(dyn.system.model), dyn.system.once(counted_rows), dyn.turns.counted
        own = [(id(row.a), id(row.b), row.kind) for row in rows]
        free = {key: float(angle) for key, row, angle in zip(own, rows, now, strict=True) if not row.coupled}
        apart = [angle - free[key] if key in free else 0.0 for key, angle in zip(own, now, strict=True)]  # whole turns
        found = [before.get(names.get(key), angle - more) for key, angle, more in zip(own, now, apart, strict=True)]
        dyn.turns.count_at(np.array(found) + apart)
        for readings in dyn.turns.readings:
            readings.count_from(before)
    dyn.python.viewer.before = before
