"""Stored states of a run, read piece by piece from a solution, a result file or a journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.core.renamed import present_plain
from flexmbs.io.journal_reader import is_journal, read_journal
from flexmbs.io.sealed import opened
from flexmbs.io.store import load
from flexmbs.io.time_data import TimeData
from flexmbs.io.timestore import holds_time, model_of
from flexmbs.model.model import Model
from flexmbs.results.states import States
from flexmbs.results.static import StaticSolution
from flexmbs.system.system import System, compile_model

__all__ = ["Rows", "StoredStates", "stored_states"]

Rows = Callable[[int, int], tuple[FloatArray, FloatArray]]
BATCH = 256
"""States of a journal whose times are read together."""


class StoredStates(NamedTuple):
    """The compiled system, the number of stored states, and what reads (t, q) of those from one to before another.

    ``times`` reads all times (n,) alone.
    """

    system: System
    n: int
    rows: Rows
    times: Callable[[], FloatArray]


@contextmanager
def stored_states(
    owner: str, run: States | str | PathLike[str], model: Model | None = None, classes: Iterable[type] = ()
) -> Iterator[StoredStates]:
    """States of a run that lies in memory or in a file, which is left open meanwhile.

    Parameters
    ----------
    owner : str
        For messages.
    run : TimeSolution, StaticSolution or path
    model : Model, optional
        That of a file which holds Python functions.
    classes : iterable of type
        Of elements and the like, from which models of files are made.

    Raises
    ------
    ModelError
        If ``run`` is neither.
    ReadError
        If the file cannot be read, or holds no run.
    """
    if isinstance(run, States):
        yield StoredStates(run.system, len(run.t), lambda a, b: (run.t[a:b], run.q[a:b]), lambda: run.t)
        return
    if not isinstance(run, str | PathLike):
        raise ModelError(f"{owner}: expected a TimeSolution or the path of a run, not {show(run)}.")
    if is_journal(run):
        journal = read_journal(run)

        def from_journal(a: int, b: int) -> tuple[FloatArray, FloatArray]:
            found = journal.rows(a, b)
            return found["t"], found["q"]

        def times() -> FloatArray:
            pieces = [from_journal(a, a + BATCH)[0] for a in range(0, journal.n_rows, BATCH)]
            return np.concatenate([np.empty(0), *pieces])

        yield StoredStates(compile_model(model_of(journal, run, model, classes)), journal.n_rows, from_journal, times)
        return
    if not holds_time(run):
        found = load(run, classes, model=model)
        if isinstance(found, StaticSolution):
            yield StoredStates(found.system, len(found), lambda a, b: (found.t[a:b], found.q[a:b]), lambda: found.t)
            return
        raise ReadError(f"{owner}: {run} holds no run but modes; write a motion of one: modes.motion(mode, amplitude).")
    with opened(run) as file:
        constants: dict[str, NDArray[Any]] = {}

        def collect(name: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset) and not name.startswith("run/"):
                constants[name] = item[()]

        file["constants"].visititems(collect)
        about = TimeData({"t": np.empty(0)}, {}, present_plain(json.loads(file["model"].asstr()[()])), constants)
        system, steps = compile_model(model_of(about, run, model, classes)), file["steps"]
        yield StoredStates(
            system, len(steps["t"]), lambda a, b: (steps["t"][a:b], steps["q"][a:b]), lambda: steps["t"][()]
        )
