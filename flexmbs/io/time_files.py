"""Motions to and from files: result files, and journals that grow while a run is under way.

A run with a file writes every stored state to a journal beside it (its name with the ending ``.journal``) and, every
`flexmbs.analysis.chunks.CHECKPOINT` steps, all that the run needs to go on from there. When the run ends the journal is
turned into the HDF5 file. What a killed run leaves is the journal, which `flexmbs.load` reads up to the last
checkpoint, from which the run can go on; it tells how many states stored behind that it leaves out. Checkpoints come at
fixed numbers of steps and not by the clock, since the matrix is made anew at each: its numbers would depend on the
speed of the machine. Where the journal cannot be written any longer, or has gone, the run goes on in memory with a
warning, and the file is written from there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show, warn_user
from flexmbs.core.describe import Vocabulary, from_plain, to_plain
from flexmbs.core.errors import FlexmbsError, LossWarning, ModelError, ReadError
from flexmbs.core.history import value_at
from flexmbs.core.info import versions
from flexmbs.dynamics.control_loop import ControlState
from flexmbs.integrators.contracts import StepState
from flexmbs.io.journal import JournalWriter
from flexmbs.io.journal_reader import is_journal, read_journal
from flexmbs.io.model_description import describe_model
from flexmbs.io.names_only import without_form
from flexmbs.io.time_data import Column, TimeData
from flexmbs.io.timestore import close_journal, model_of, read_time, write_time
from flexmbs.results.records import Happened, Iteration
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.results.time import Energy, TimeSolution
from flexmbs.system.system import compile_model

if TYPE_CHECKING:
    from flexmbs.model.model import Model
    from flexmbs.results.static import StaticSolution
    from flexmbs.results.time import TimeSolution

__all__ = ["Stream", "load_time", "save"]

LABEL = "checkpoint"
AT_EVENTS = ("q", "v", "a", "lam")
"""What is kept of the state at an event."""
ENERGIES = ("kinetic", "strain", "springs", "potential", "work_drivers", "work_forces", "work_loads")


def columns(n_q: int, n_v: int, n_c: int, n_turns: int) -> tuple[Column, ...]:
    """What every stored state has; ``n_turns``: how many angles turns are counted of."""
    return (
        Column("t", unit="time", meaning="time"),
        Column("q", (n_q,), unit="by coordinate", meaning="coordinates"),
        Column("v", (n_v,), unit="by coordinate", meaning="velocities"),
        Column("a", (n_v,), unit="by coordinate", meaning="accelerations"),
        Column("lam", (n_c,), unit="by constraint", meaning="multipliers"),
        Column("energy", (len(ENERGIES),), unit="force length", meaning=", ".join(ENERGIES)),
        Column("residuals", (3,), unit="by constraint", meaning="violation of positions, velocities, accelerations"),
        Column("counted", (n_turns,), unit="rad", meaning="angles of joints and forces over full turns"),
    )


def save(solution: TimeSolution, path: str | PathLike[str]) -> Path:
    """Write a motion to an HDF5 file.

    Warns
    -----
    LossWarning
        If the model has functions, which no file can hold: it can be loaded with the model beside it only.
    """
    energy = np.column_stack([getattr(solution.energy, name) for name in ENERGIES])
    angles = solution.counted_angles
    counted = np.empty((len(solution), 0)) if angles is None else angles
    arrays = {
        "t": solution.t, "q": solution.q, "v": solution.v, "a": solution.a, "lam": solution.lam, "energy": energy,
        "residuals": solution.residuals, "counted": counted,
    }  # fmt: skip
    plain, meshes = describe_model(solution.model)
    if without := without_form(plain):
        warn_user(
            f"save: no file can hold {without[0]}{' and others' if without[1:] else ''}; the file has the motion, "
            f"and is read with the model beside it: load(path, model=model).",
            LossWarning,
        )
    c = solution.system.coordinates
    data = TimeData(
        arrays, _meta(solution), plain, {**meshes, **_memory(solution), "run/steps": solution.steps},
        columns(c.n, c.n_v, solution.lam.shape[1], counted.shape[1]),
    )  # fmt: skip
    return write_time(data, path)


class Stream:
    """Writes a run to disk as it goes."""

    def __init__(self, model: Model, sizes: tuple[int, int, int, int], path: str | PathLike[str]) -> None:
        if not isinstance(path, str | PathLike):
            raise ModelError(f"simulate: file must be a path that ends in .h5, not {show(path)}.")
        self.path = Path(path)
        if self.path.suffix.lower() not in (".h5", ".hdf5"):
            raise ModelError(f"simulate: file must end in .h5, not {show(str(path))}.")
        self.journal_path = self.path.with_suffix(self.path.suffix + ".journal")
        if self.journal_path.exists():
            raise ModelError(
                f"simulate: {self.journal_path.name} was left behind by a run that did not end. Load it with "
                f"flexmbs.load({str(self.journal_path)!r}) and go on with start=..., or remove it."
            )
        if self.path.exists():
            raise ModelError(
                f"simulate: file {self.path.name} exists; remove it or take another name. To go on with the run in it, "
                f"write what follows to another file, and put both together with flexmbs.concatenate(before, after)."
            )
        plain, meshes = describe_model(model)
        self.broken = ""  # why the journal cannot be written any longer
        self.writer = JournalWriter(
            self.journal_path, columns(*sizes), meta={"versions": dict(versions())}, model=plain, constants=meshes
        )

    def store(self, values: Mapping[str, Any]) -> None:
        """A stored state."""
        self._try(lambda: self.writer.append(values))

    def checkpoint(self, last: StepState, extra: Mapping[str, Any], redundant: tuple[str, ...]) -> None:
        """All that the run needs to go on from here."""
        memory, meta = _memory_of(last, extra), _meta_of(extra, redundant)
        self._try(lambda: self.writer.put(LABEL, memory, meta))

    def close(self, solution: TimeSolution) -> None:
        """The end of the run: journal to HDF5. What is in memory is never lost by what happens to files.

        Warns
        -----
        LossWarning
            If the journal broke off or has gone, or if the file cannot be written.
        """
        memory = {**_memory(solution), "run/steps": solution.steps}
        self._try(lambda: self.writer.finish(_meta(solution), memory))
        try:
            if not self.broken and self.journal_path.exists():
                close_journal(self.journal_path, self.path)
                return
            why = self.broken or f"the journal {self.journal_path} was removed during the run"
            save(solution, self.path)
            with suppress(OSError):
                self.journal_path.unlink(missing_ok=True)
            self._warn(f"{why}; {self.path.name} is written from memory and whole.")
        except FlexmbsError as error:
            left = ""
            if self.journal_path.exists():
                part = "its beginning" if self.broken else "all of it"
                left = f", and {part} is in {self.journal_path}, which flexmbs.load reads"
            self._warn(f"{error} The motion is in memory{left}: give it to .save(...) in a place with room.")

    def _try(self, write: Callable[[], None]) -> None:
        """Write to the journal; after a failure the run goes on without."""
        if self.broken:
            return
        try:
            write()
        except ModelError:
            raise
        except FlexmbsError as error:
            self.broken = str(error)
            self._warn(f"{error} The run goes on in memory, and cannot be resumed from the journal beyond that.")

    def _warn(self, message: str) -> None:
        warnings.warn(f"simulate: {message}", LossWarning, stacklevel=4)


def load_time(
    path: str | PathLike[str], model: Model | None, classes: tuple[type, ...]
) -> TimeSolution | StaticSolution:
    """A motion from a result file or from the journal that a run left behind."""
    data = read_time(path)
    constants, meta, note = dict(data.constants), dict(data.meta), data.note
    if "run/last/q" not in constants and is_journal(path):
        journal = read_journal(path)
        if LABEL in journal.labels:
            found = journal.latest(LABEL)
            constants |= found.arrays
            meta |= found.meta
    rebuilt = model_of(data, path, model, classes)
    if note and "run/last/t" in constants:
        data, left_out = _up_to(data, float(constants["run/last/t"]))
        if left_out:
            note = f"{note}; {left_out}"
            warn_user(f"load: {path}: {note}.", LossWarning)
    return _solution(data, constants, meta, note, rebuilt)


def _up_to(data: TimeData, t: float) -> tuple[TimeData, str]:
    """The states up to the last checkpoint, from which alone the run can go on, and what that leaves out in words."""
    times = data.arrays["t"]
    kept = int(np.searchsorted(times, t, side="right"))
    if kept == len(times):
        return data, ""
    rest = len(times) - kept
    states = "1 state" if rest == 1 else f"{rest} states"
    text = (
        f"{states} stored behind the last checkpoint (t = {t:.6g}, from which start= goes on), until "
        f"t = {float(times[-1]):.6g}, {'is' if rest == 1 else 'are'} left out, which leaves {kept}"
    )
    return replace(data, arrays={name: array[:kept] for name, array in data.arrays.items()}), text


def _meta(solution: TimeSolution) -> dict[str, Any]:
    settings = {name: _plain(value) for name, value in solution.settings.items()}
    return {
        "status": solution.status.name, "message": solution.message, "settings": settings,
        "counts": {k: _plain(v) for k, v in solution.counts.items()}, "versions": dict(versions()),
        "events": [[e.name, float(e.t)] for e in solution.events], **_meta_of(solution.extra, solution.redundant),
    }  # fmt: skip


def _meta_of(extra: Mapping[str, Any], redundant: tuple[str, ...]) -> dict[str, Any]:
    """What a resumed run needs beside arrays."""
    near = extra.get("control", {}).get("near", {})
    angles = [[joint, label, value] for (joint, label), value in near.items()]
    return {
        "angles": angles,
        "before": [[j, k, x] for (j, k), x in extra.get("before", {}).items()],
        "redundant": list(redundant),
        "events_so_far": dict(extra.get("events", {})),
    }


def _plain(value: Any) -> Any:
    try:
        return to_plain("result", value)
    except FlexmbsError:
        return repr(value)


def _counted(plain: Any) -> Any:
    """What `_plain` wrote of a count; an older file may hold what cannot be read."""
    try:
        return from_plain("counts", plain, Vocabulary(()), {})
    except ReadError:
        return plain


def _memory(solution: TimeSolution) -> dict[str, Any]:
    """All that a resumed run needs, and the states at events."""
    states = [event.state for event in solution.events]
    arrays = _memory_of(solution.last, solution.extra)
    if states and all(state is not None for state in states):
        for name in AT_EVENTS:
            arrays[f"run/events/{name}"] = np.array([getattr(state, name) for state in states])
        if "counted_at_events" in solution.extra:
            arrays["run/counted_at_events"] = solution.extra["counted_at_events"]
    return arrays


def _events(meta: Mapping[str, Any], constants: Mapping[str, Any]) -> tuple[Happened, ...]:
    """Events with their states; without, from files of older versions."""
    found = meta.get("events", [])
    if any(f"run/events/{name}" not in constants for name in AT_EVENTS):
        return tuple(Happened(name, t) for name, t in found)
    q, v, a, lam = (constants[f"run/events/{name}"] for name in AT_EVENTS)
    states = [
        StepState.unaccelerated(t, q[i], v[i], lam[i])._replace(a=a[i]) for i, (_, t) in enumerate(found)
    ]  # fmt: skip
    return tuple(Happened(name, t, state) for (name, t), state in zip(found, states, strict=True))


def _memory_of(last: StepState | None, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The state of scheme, angles, controllers and step control as arrays by name."""
    arrays = {} if last is None else {f"run/last/{name}": np.asarray(getattr(last, name)) for name in last._fields}
    for name in ("near", "h", "grid", "origin", "work", "power", "samples", "held_first", "anew"):
        if extra.get(name) is not None:
            arrays[f"run/{name}"] = np.asarray(extra[name], dtype=np.float64)
    if "control" in extra:
        arrays |= {f"run/{key}": value for key, value in extra["control"]["loop"].arrays().items()}
    return arrays


def _solution(
    data: TimeData, constants: Mapping[str, Any], meta: Mapping[str, Any], note: str, model: Model
) -> TimeSolution | StaticSolution:
    """The motion of the arrays of a file."""
    a = data.arrays
    last: StepState | None = None
    extra: dict[str, Any] = {}
    if "run/last/q" in constants:
        parts = {name: constants[f"run/last/{name}"] for name in StepState._fields if f"run/last/{name}" in constants}
        parts |= {name: float(parts[name]) for name in ("t", "h_old")}
        last = StepState(**parts)
        extra = {"near": constants["run/near"]}
    if "run/h" in constants:
        extra |= {
            "h": float(constants["run/h"]), "grid": constants.get("run/grid"),
            "samples": constants.get("run/samples"), "work": constants.get("run/work"),
            "power": constants.get("run/power"), "held_first": constants.get("run/held_first"),
            "events": dict(meta.get("events_so_far", {})),
            "before": {(joint, label): value for joint, label, value in meta.get("before", [])},
            "control": {
                "loop": ControlState(*(constants[f"run/control.{k}"] for k in ("x", "held", "pending", "count"))),
                "near": {(joint, label): value for joint, label, value in meta.get("angles", [])},
            },
        }  # fmt: skip
        if "run/origin" in constants:
            extra["origin"] = float(constants["run/origin"])
        if "run/anew" in constants:
            extra["anew"] = bool(constants["run/anew"])
    for name in ("counted", "counted_at_events"):  # older files have the angles of all states there
        if f"run/{name}" in constants:
            extra[name] = constants[f"run/{name}"]
    if a.get("counted", np.empty((0, 0))).shape[1]:
        extra["counted"] = a["counted"]
    status = Status[meta["status"]] if "status" in meta else Status.INTERRUPTED
    solution = TimeSolution(
        system=compile_model(model), t=a["t"], q=a["q"], v=a["v"], a=a["a"], lam=a["lam"],
        energy=Energy(*np.asarray(a["energy"]).T), residuals=a["residuals"],
        steps=constants.get("run/steps", np.zeros((0, 4))),
        counts={name: _counted(count) for name, count in meta.get("counts", {}).items()},
        redundant=tuple(meta.get("redundant", ())), status=status, settings=dict(meta.get("settings", {})), last=last,
        message=note or str(meta.get("message", "")), events=_events(meta, constants),
        extra=extra,
    )  # fmt: skip
    if "run/stable" in constants:
        return _equilibria(solution, constants["run/stable"] > 0.0, tuple(meta.get("free", ())))
    return solution


def _equilibria(run: TimeSolution, stable: Any, free: tuple[str, ...]) -> StaticSolution:
    """Equilibria of flexmbs 0.1, which kept them like motions over the load factor."""
    loads = run.model.loads
    factors = [[s if x.history is None else value_at(x.label, x.history, s, 1.0) for x in loads] for s in run.t]
    n = len(run.t)
    return StaticSolution(
        system=run.system, q=run.q, v=run.v, lam=run.lam, load_factors=run.t,
        scales=np.array(factors, dtype=np.float64).reshape(n, len(loads)),
        drives=np.zeros((n, len(run.system.fixation.drives))), time=float(run.t[-1]), stable=np.asarray(stable),
        free=free, redundant=run.redundant, iterations=np.zeros((0, len(Iteration._fields))), status=run.status,
        message=run.message, extra={name: run.extra[name] for name in ("near",) if name in run.extra},
    )  # fmt: skip
