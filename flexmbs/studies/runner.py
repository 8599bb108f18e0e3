"""Runs of a study in this process, or on the workers of Dask.

Contract: jobs come as they are asked for, outcomes go to a sink as they come, both in this process only. Every job has
one outcome. A worker that dies takes its job with it: Dask blames all tasks that the worker held, so that no worker
gets more than one, and a job that was blamed is run again alone; if its worker dies again, its outcome is KILLED.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from flexmbs.core.checks import as_count, show
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.studies.outcomes import Ended, Job, Outcome, key_of, perform

__all__ = ["run_here", "run_on_workers", "workers_of"]

Sink = Callable[[int, Outcome], None]


def run_here(jobs: Iterator[Job], sink: Sink) -> None:
    """One after the other in this process."""
    for job in jobs:
        sink(job.index, perform(job))


@contextmanager
def workers_of(workers: Any) -> Iterator[Any]:
    """A client of Dask: the given one, or one with so many processes on this machine.

    Raises
    ------
    FlexmbsError
        If dask.distributed is not installed.
    ModelError
        If ``workers`` is neither a number nor a client.
    """
    try:
        import dask
        import distributed
    except ImportError as error:
        raise FlexmbsError(
            "Study: several workers need dask.distributed, which is not installed: pip install flexmbs[studies]; "
            "workers=0 runs in this process."
        ) from error
    if isinstance(workers, distributed.Client):
        yield workers
        return
    if isinstance(workers, bool) or not isinstance(workers, int):
        raise ModelError(f"Study: workers must be a number of processes or a dask Client, not {show(workers)}.")
    count = as_count("Study", "workers", workers, minimum=1)
    quiet = {"distributed.scheduler.allowed-failures": 0, "distributed.worker.daemon": True}
    with (
        _main_left_alone(),
        dask.config.set(quiet),
        distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def _main_left_alone() -> Iterator[None]:
    """Processes that begin within do not import the user's script again, so that it needs no ``__main__`` guard.

    Its functions travel by value. multiprocessing takes the script from the ``__file__`` or ``__spec__`` of the module;
    Dask begins processes anew whenever one dies, so both are hidden all the time.
    """
    main = sys.modules["__main__"]
    kept = {name: getattr(main, name) for name in ("__file__", "__spec__") if hasattr(main, name)}
    with suppress(AttributeError):
        del main.__file__
    main.__spec__ = None
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)


def run_on_workers(jobs: Iterator[Job], sink: Sink, client: Any) -> None:
    """On the workers of a client, one job in flight per worker."""
    from distributed import KilledWorker

    running: dict[Any, Job] = {}
    suspects: list[Job] = []
    more = True
    try:
        while more or running:
            while more and len(running) < max(_count(client), 1):
                job = next(jobs, None)
                more = job is not None
                if job is not None:
                    running[_submit(client, job)] = job
            for future in _finished(running):
                job = running.pop(future)
                try:
                    sink(job.index, future.result())
                except KilledWorker:
                    suspects.append(job)
        for job in suspects:
            sink(job.index, _alone(client, job))
    finally:
        client.cancel(list(running))


def _alone(client: Any, job: Job) -> Outcome:
    """A job that was blamed for the end of a worker, with nothing beside it."""
    from distributed import KilledWorker

    _wait_for_workers(client)
    try:
        outcome: Outcome = _submit(client, job).result()
    except KilledWorker as error:
        text = f"the process that ran it died, twice; the last was {getattr(error, 'last_worker', '')}".rstrip()
        return Outcome(key_of(job.values), job.values, Ended.KILLED, f"{text}. Too little memory, or a crash.")
    return outcome


def _submit(client: Any, job: Job) -> Any:
    return client.submit(perform, job, pure=False, retries=0, key=f"run-{job.index}-{uuid4().hex}")


def _finished(running: dict[Any, Job]) -> list[Any]:
    """Futures that have come to an end, at least one."""
    from distributed import wait

    return list(wait(list(running), return_when="FIRST_COMPLETED").done)


def _count(client: Any) -> int:
    """Threads of all workers."""
    return int(sum(client.nthreads().values()))


def _wait_for_workers(client: Any) -> None:
    client.wait_for_workers(1, timeout=120)
