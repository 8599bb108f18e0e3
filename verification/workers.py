"""Worker processes for the runner: started afresh, one BLAS thread each, replaced when they die.

Each worker holds one end of a pipe, takes a case, sends messages while it works and its result at the end. Workers
ignore interruptions from the keyboard: the parent hears them and ends the workers.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from flexmbs.verification.case import Case, CaseEntry
    from flexmbs.verification.runner import CaseResult

__all__ = ["Lost", "run_in_workers", "single_threaded"]

_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}


@dataclass(frozen=True)
class Lost:
    """Why a case could not be run in a worker, or was lost with it."""

    reason: str


def run_in_workers(
    cases: Sequence[Case | CaseEntry], jobs: int, draw: bool
) -> Iterator[tuple[int, CaseResult | Lost | str | None]]:
    """Events of cases as they happen: None at the beginning, texts of progress, and the result or why there is none."""
    waiting = deque(enumerate(cases))
    idle: list[_Worker] = []
    busy: dict[Connection, _Worker] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                index, case = waiting.popleft()
                worker = idle.pop() if idle else _Worker(draw)
                yield index, None
                try:
                    worker.give(index, case)
                except (pickle.PicklingError, AttributeError, TypeError) as error:
                    idle.append(worker)
                    yield (
                        index,
                        Lost(f"the case cannot be sent to a process ({error}); make run a module-level function."),
                    )
                except OSError:
                    yield index, Lost(worker.farewell())
                else:
                    busy[worker.pipe] = worker
            for pipe in connection.wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                try:
                    event = worker.pipe.recv()
                except (EOFError, OSError):
                    del busy[worker.pipe]
                    yield worker.index, Lost(worker.farewell())
                    continue
                if not isinstance(event, str):
                    del busy[worker.pipe]
                    idle.append(worker)
                yield worker.index, event
    finally:
        for worker in [*idle, *busy.values()]:
            worker.stop()


class _Worker:
    """A process and our end of its pipe."""

    def __init__(self, draw: bool) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.index = -1
        self.process = context.Process(target=_serve, args=(theirs, draw), daemon=True)
        with single_threaded():
            self.process.start()
        theirs.close()

    def give(self, index: int, case: Case | CaseEntry) -> None:
        """Send a case."""
        self.index = index
        self.pipe.send(case)

    def farewell(self) -> str:
        """What to say of a worker that is gone."""
        self.process.join(5.0)
        code = self.process.exitcode
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
        self.stop()
        return f"the process running the case {how} before the case was done."

    def stop(self) -> None:
        """End the process."""
        if self.process.is_alive():
            self.process.terminate()
        self.process.join(5.0)
        self.pipe.close()


def _serve(pipe: Connection, draw: bool) -> None:
    """Run cases from the pipe until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from flexmbs.verification.runner import run_case

    while True:
        try:
            case = pipe.recv()
        except EOFError:
            return
        pipe.send(run_case(case, draw=draw, progress=pipe.send))


@contextmanager
def single_threaded() -> Iterator[None]:
    """Processes started inside use one BLAS thread and draw to files; the user's own settings are put back."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
