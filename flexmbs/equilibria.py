"""What a static analysis of a model that can move found: equilibria that can be asked like a motion."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics import Dynamics
from flexmbs.linearisation import state_places
from flexmbs.solution import Solution
from flexmbs.time_solution import TimeSolution

__all__ = ["Equilibria", "equilibrium_start"]


@dataclass(frozen=True, eq=False, repr=False)
class Equilibria(TimeSolution):
    """Equilibria of a model with joints, rigid bodies or forces between markers, at ascending load parameters.

    A `TimeSolution` whose ``t`` is the load parameter, and whose velocities and accelerations are zero (but for
    first-order states, which are velocities of their coordinates): positions, angles and reactions are asked for in the
    same way. The last one is where `simulate(..., start=...)`, `solve_modal` and `linearise` begin.

    Attributes
    ----------
    stable : (n_t,) bool array
        Whether the potential, as far as there is one, rises or is level in all directions the constraints allow; True
        where that was not asked.
    free : tuple of str
        Coordinates that nothing holds at the last equilibrium: it is one of many.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(2.0, position=(0.0, -1.0), name="ball")
    >>> spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, stiffness=100.0, name="spring")
    >>> hanging = fx.solve_static(fx.Model(ball, spring, fx.Gravity((0, -9.81))))
    >>> round(float(hanging.position(ball)[-1, 1]), 4), bool(hanging.stable[-1])
    (-1.1962, True)
    """

    stable: Any = None
    free: tuple[str, ...] = ()

    @classmethod
    def of(cls, solution: TimeSolution, stable: Any, free: tuple[str, ...]) -> Equilibria:
        """The same states, and what is known of their stability."""
        values = {f.name: getattr(solution, f.name) for f in fields(TimeSolution)}
        flags = np.array(stable, dtype=bool)
        values["extra"] = {**solution.extra, "stable": flags, "free": free}
        return cls(**values, stable=flags, free=free)

    def __repr__(self) -> str:
        state = "stable" if self.stable[-1] else "unstable"
        return (
            f"<static solution of model {self.model.name!r}: {len(self)} equilibria to parameter {self.t[-1]:g}, "
            f"{state}, {self.status.name.lower()}>"
        )


def equilibrium_start(owner: str, dyn: Dynamics, start: object, v: FloatArray) -> FloatArray:
    """Coordinates of the last state of another solution, and its first-order states into v; angles keep their turns.

    Raises
    ------
    ModelError
        If it is no solution, or of a model with other coordinates.
    """
    if not isinstance(start, Solution | TimeSolution):
        raise ModelError(f"{owner}: start must be a Solution or a TimeSolution, not {show(start)}.")
    if start.q.shape[1] != dyn.n_q:
        raise ModelError(
            f"{owner}: start belongs to model {start.model.name!r}, which has {start.q.shape[1]} coordinates, not "
            f"{dyn.n_q}."
        )
    if isinstance(start, TimeSolution):
        places = state_places(dyn)
        v[places] = start.v[-1][places]
        near = start.extra.get("near")
        if near is not None and len(near) == len(dyn.turns.memory()):
            dyn.turns.restore(near)
    return np.array(start.q[-1])
