"""What a path of equilibria is followed over: loads, prescribed displacements, or time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.history import Table, value_at
from flexmbs.model.forces.items import DEAD

if TYPE_CHECKING:
    from flexmbs.analysis.rest import Point
    from flexmbs.system.system import System

__all__ = ["WORDS", "Parameter", "chosen"]

WORDS = ("load", "displacement", "time")


class Parameter(NamedTuple):
    """How loads and prescribed motions of supports depend on the parameter p of a path.

    ``name``: what p is called in diagrams. ``loads (n_loads,)``, ``drives (n_drives,)``: those that p multiplies.
    ``time``: at which histories and drivers of joints are held, unless p is the time (``timed``).
    """

    system: System
    name: str
    loads: FloatArray
    drives: FloatArray
    time: float
    timed: bool

    def held(self, p: float) -> tuple[FloatArray, FloatArray, float]:
        """Factors of all loads, of all prescribed motions, and the time."""
        t = p if self.timed else self.time
        loads, drives = self.system.model.loads, self.system.fixation.drives
        scales = [value_at(x.label, x.history, t, 1.0) for x in loads]
        motions = [value_at(x.owner, x.history, t, 1.0) for x in drives]
        return (
            np.where(self.loads, p, 1.0) * np.array(scales, dtype=float),
            np.where(self.drives, p, 1.0) * np.array(motions, dtype=float),
            t,
        )

    def equations(self, p: float) -> None:
        """One system serves all values."""

    def placed(self, point: Point, p: float) -> Point:
        """Supports hold at all values what they hold at one, but for motions that are prescribed."""
        return point

    def dead(self) -> bool:
        """Whether p multiplies forces that do not depend on the state, so that the derivative by p is constant."""
        if self.timed or self.drives.any():
            return False
        growing = np.flatnonzero(self.loads)
        groups = [t.group for t in self.system.terms if t.force is not DEAD.force]
        wrenches = getattr(self.system.mechanics, "wrenches", None)
        others = [getattr(g, "load", None) for g in (*groups, *(() if wrenches is None else (wrenches,)))]
        return not any(x is not None and np.isin(x, growing).any() for x in others)

    def kinks(self) -> list[float]:
        """Times at which a table bends, ascending; paths over time stop there and set off anew."""
        if not self.timed:
            return []
        histories = [x.history for x in self.system.model.loads] + [x.history for x in self.system.fixation.drives]
        return sorted({float(t) for h in histories if isinstance(h, Table) for t in h.times})

    def difference(self, p: float, forward: bool) -> float:
        """Step of the difference by which the derivative by p is taken: any where p enters linearly."""
        straight = not self.timed and not self.drives.any()
        return max(1.0, abs(p)) * (1.0 if straight else 1e-6) * (1.0 if forward else -1.0)


def chosen(system: System, by: Any, time: float) -> Parameter:
    """The parameter that a user asked for.

    Raises
    ------
    ModelError
        If ``by`` is neither a word nor loads or supports of the model, or nothing depends on it.
    """
    model, fixation = system.model, system.fixation
    free_loads = np.array([x.history is None for x in model.loads], dtype=bool)
    free_drives = np.array([x.history is None for x in fixation.drives], dtype=bool)
    none_of = np.zeros_like(free_loads), np.zeros_like(free_drives)
    name, owner = "", f"Model {model.name!r}: trace_static:"
    if isinstance(by, str):
        if by not in WORDS:
            raise ModelError(f"{owner} by must be 'load', 'displacement', 'time', or loads or supports, not {by!r}.")
        if by == "load":
            name, loads, drives = "load factor", free_loads, free_drives
        elif by == "displacement":
            name, loads, drives = "displacement factor", none_of[0], free_drives
        else:
            return Parameter(system, "time", *none_of, time, True)
        if not loads.any() and not drives.any():
            what = "load or prescribed displacement" if by == "load" else "support with a prescribed displacement"
            raise ModelError(
                f"{owner} nothing grows with the {name}: the model has no {what} without a history of its own. Leave "
                f"the history of what is to grow out, or take by='time'."
            )
        return Parameter(system, name, loads, drives, time, False)
    items = tuple(by) if isinstance(by, tuple | list) else (by,)
    loads, drives = none_of
    for item in items:
        mine = np.array([x is item for x in model.loads], dtype=bool)
        own = (
            [f"{type(item).__name__} {c.at}" for c in item.conditions()]
            if any(x is item for x in model.supports)
            else []
        )
        moved = np.array([x.owner in own for x in fixation.drives], dtype=bool)
        if not mine.any() and not moved.any():
            raise ModelError(
                f"{owner} by must name loads or supports with a prescribed displacement of this model, and "
                f"{show(item)} is none. Loads: {[x.label for x in model.loads]}; moved supports: "
                f"{[x.owner for x in fixation.drives]}."
            )
        loads, drives = loads | mine, drives | moved
    if (loads & ~free_loads).any() or (drives & ~free_drives).any():
        raise ModelError(f"{owner} what is followed must have no history of its own, which the parameter replaces.")
    return Parameter(system, "load factor" if loads.any() else "displacement factor", loads, drives, time, False)
