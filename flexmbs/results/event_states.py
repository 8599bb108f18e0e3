"""States at the events of a run: what `TimeSolution.at_events` gives.

Quantities that depend on what was before, such as angles over full turns, are found from the stored states and those of
the events together, and given at the events alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, unknown_name

if TYPE_CHECKING:
    from flexmbs.results.time import TimeSolution

__all__ = ["EventStates", "states_at_events"]

ASKED = (
    "acceleration", "angle", "angular_velocity", "coordinate", "coordinate_rate", "displacement", "distance",
    "multipliers", "position", "reaction", "reaction_moment", "resultant", "rotation", "shape", "slope",
    "strain_energy", "translation", "velocity",
)  # fmt: skip
"""Methods of a motion whose results have a row per state."""


class EventStates:
    """What a motion was like at its events, before their actions: the methods of the motion, a row per event.

    ``position``, ``velocity``, ``angle``, ``reaction``, ``coordinate``, ... take what those of `TimeSolution` take;
    `force` and `table` as well.

    Attributes
    ----------
    names : tuple of str
        Of the events.
    t : (n,) array
        Their times [time].

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, 2.0), name="ball")
    >>> down = fx.control.Event(lambda view: view.position(ball.centre)[1], name="landing")
    >>> run = fx.simulate(fx.Model(ball, fx.Gravity((0, -9.81))), 1.0, step=1e-2, events=[down])
    >>> run.at_events.velocity(ball)[0].round(4).tolist()
    [0.0, -6.2642, 0.0]
    """

    def __init__(self, names: tuple[str, ...], whole: TimeSolution, rows: IntArray) -> None:
        self.names, self._whole, self._rows = names, whole, rows

    def __repr__(self) -> str:
        when = ", ".join(f"{name} at {t:.6g}" for name, t in zip(self.names, self.t, strict=True))
        return f"<states at events: {when or 'none'}>"

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def t(self) -> FloatArray:
        """Times (n,)."""
        return self._whole.t[self._rows]

    def __getattr__(self, name: str) -> Callable[..., FloatArray]:
        if name.startswith("_") or name not in ASKED:
            raise AttributeError(f"states at events: {unknown_name('method', name, ASKED)}")

        def ask(*at: Any, **options: Any) -> FloatArray:
            return np.asarray(getattr(self._whole, name)(*at, **options))[self._rows]

        return ask

    def force(self, force: Any) -> Any:
        """Coordinate, rate, force and energy of a force between markers; of an actuator its power and value."""
        found = self._whole.force(force)
        return type(found)(*(part if part is None else part[self._rows] for part in found))

    def table(self, *what: Any) -> Any:
        """A row of quantities per event; as `TimeSolution.table`."""
        from flexmbs.io.history_table import HistoryTable

        found = self._whole.table(*what)
        columns = {name: values[self._rows] for name, values in found.items()}
        return HistoryTable(columns, found.units, found.frames, f"events of {self._whole.model.name}")


def states_at_events(run: TimeSolution) -> EventStates:
    """The states at the events of a run.

    Raises
    ------
    ModelError
        If the run comes from a file that has the times of its events alone.
    """
    missing = [event.name for event in run.events if event.state is None]
    if missing:
        raise ModelError(
            f"at_events: there is no state of event {missing[0]!r}; the file of the run was written by an older "
            f"version, which kept times alone. Simulate it again."
        )
    if not run.events:
        return EventStates((), run, np.zeros(0, dtype=np.int64))
    states = [event.state for event in run.events]
    t = np.concatenate((run.t, [event.t for event in run.events]))
    order = np.argsort(t, kind="stable")
    rows = np.empty(len(t), dtype=np.int64)
    rows[order] = np.arange(len(t))

    def both(name: str) -> FloatArray:
        found = np.concatenate((getattr(run, name), np.array([getattr(state, name) for state in states])))
        return np.asarray(found[order])

    extra, counted = dict(run.extra), run.counted_angles
    at_events = extra.get("counted_at_events", ())
    if counted is not None and len(at_events) == len(states):
        extra["counted"] = np.concatenate((counted, at_events))[order]
    unknown = np.full(len(t), np.nan)
    energy = type(run.energy)(**{part.name: unknown for part in fields(run.energy)})
    whole = replace(
        run, t=t[order], q=both("q"), v=both("v"), a=both("a"), lam=both("lam"), energy=energy,
        residuals=np.full((len(t), 3), np.nan), extra=extra,
    )  # fmt: skip
    return EventStates(tuple(event.name for event in run.events), whole, rows[len(run.t) :])
