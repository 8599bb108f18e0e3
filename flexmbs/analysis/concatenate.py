"""Two runs of which one goes on from the end of the other, as one motion."""

from __future__ import annotations

from dataclasses import fields
from numbers import Real
from typing import Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.io.model_description import describe_model, differences
from flexmbs.results.time import Energy, TimeSolution

__all__ = ["concatenate"]


def concatenate(first: TimeSolution, second: TimeSolution) -> TimeSolution:
    """One motion of two, the second of which was started from the end of the first.

    States, energies, steps, events, held values and counts follow each other; the state that both have is there once.
    Where the first stored no state at its end (a run that was interrupted or killed between two times of its output),
    the first state of the second, which is that end, is left out: the rows are those of a run without interruption.
    Status, settings and the state to go on from are those of the second, so that the result can be asked, drawn, saved
    and resumed as any other.

    Parameters
    ----------
    first, second : TimeSolution
        ``second`` from ``simulate(..., start=first)``, also with ``first`` read from a file.

    Returns
    -------
    TimeSolution
        Of the model of ``second``, whose bodies and joints it is asked for.

    Raises
    ------
    ModelError
        If the models differ, or the second does not begin in the state in which the first ended.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, 5.0), name="ball")
    >>> model = fx.Model(ball, fx.Gravity((0, -9.81)))
    >>> half = fx.simulate(model, until=0.5, step=0.1)
    >>> whole = fx.concatenate(half, fx.simulate(model, until=1.0, step=0.1, start=half))
    >>> len(half), len(whole), float(whole.t[-1])
    (6, 11, 1.0)
    """
    for name, run in (("first", first), ("second", second)):
        if not isinstance(run, TimeSolution):
            raise ModelError(f"concatenate: {name} must be a motion that simulate or load returned, not {show(run)}.")
    if first.model is not second.model:
        found = differences(describe_model(first.model)[0], describe_model(second.model)[0])
        if found:
            raise ModelError(
                f"concatenate: the runs are of different models; they differ in: "
                f"{'; '.join(found[:3]).replace('in the file', 'in first')}."
            )
    end = first.last
    if end is None or second.t[0] != end.t or not all(
        np.array_equal(getattr(second, name)[0], getattr(end, name)) for name in ("q", "v")
    ):  # fmt: skip
        when = first.t[-1] if end is None else end.t
        raise ModelError(
            f"concatenate: second, which begins at t = {second.t[0]:g}, was not started from the end of first at "
            f"t = {when:g}; compute it with simulate(..., start=first)."
        )

    def both(name: str) -> FloatArray:
        return np.concatenate((getattr(first, name), getattr(second, name)[1:]))

    energy = [
        np.concatenate((getattr(first.energy, part.name), getattr(second.energy, part.name)[1:]))
        for part in fields(Energy)
    ]
    extra = dict(second.extra) | {"before": first.extra.get("before", {})}
    extra.pop("counted", None)
    early, late = first.counted_angles, second.counted_angles
    if early is not None and late is not None:
        extra["counted"] = np.concatenate((early, late[1:]))
    changes = [run.extra.get("events", {}).get("changes", []) for run in (first, second)]
    if any(changes):
        later = [change for change in changes[1] if change[0] is not None]  # the first has the others
        extra["events"] = {**second.extra["events"], "changes": [*changes[0], *later]}
    at_events = [run.extra.get("counted_at_events", ()) for run in (first, second) if run.events]
    if at_events:
        extra["counted_at_events"] = np.concatenate(at_events)
    samples = [run.extra["samples"] for run in (first, second) if run.extra.get("samples") is not None]
    if samples:
        extra["samples"] = np.concatenate(samples)
        extra["held_first"] = first.extra.get("held_first")
    return TimeSolution(
        system=second.system, t=both("t"), q=both("q"), v=both("v"), a=both("a"), lam=both("lam"),
        energy=Energy(*energy), residuals=both("residuals"), steps=np.concatenate((first.steps, second.steps)),
        counts=_sum(first.counts, second.counts), redundant=second.redundant, status=second.status,
        settings=second.settings, last=second.last, message=second.message, events=first.events + second.events,
        extra=extra,
    )  # fmt: skip


def _sum(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Counts of both; what is no number is that of the second."""
    found = {**first, **second}
    for name in first.keys() & second.keys():
        if isinstance(first[name], Real) and isinstance(second[name], Real):
            found[name] = first[name] + second[name]
        elif isinstance(first[name], dict) and isinstance(second[name], dict):
            found[name] = _sum(first[name], second[name])
    return found
