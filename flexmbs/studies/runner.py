"""Runs of a study in this process, or on the workers of Dask.

Contract of a job (`Task`): ``run()`` returns its outcome and never raises, ``killed(message)`` is the outcome of one
whose process died. Outcomes go to a sink as they come, in this process only. A worker that dies takes its job with it:
Dask blames all tasks that the worker held, so that no worker gets more than one, and a job that was blamed is run again
alone; if its worker dies again, its outcome is KILLED.

Runs of milliseconds would wait for their messages: then a task is several jobs, of some `BATCH` seconds together. If
its worker dies, each of them is run again, alone. What all jobs share is kept by the workers from task to task; what
they have finished and not handed over yet is in a `Spool`, if there is one.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Protocol
from uuid import uuid4

from flexmbs.core.checks import as_count, show
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.studies.spool import Spool

__all__ = ["Task", "run_all", "workers_of"]

Sink = Callable[[int, Any], None]
KNOWN = ("__main__", "builtins", "flexmbs", "numpy", "scipy")
"""Modules whose functions travel by name, or by value in any case."""
PATIENCE = 120.0
"""Seconds without any worker after which a study ends."""
BATCH = 0.5
"""Seconds that the jobs of one task take together, if one takes less."""
SHARES = 4
"""Tasks per worker into which the jobs that are left are divided at least, so that all workers end together."""


class Task(Protocol):
    """Contract of what a runner runs; it travels to other processes."""

    @property
    def index(self) -> int:
        """Number among all."""

    def run(self) -> Any:
        """The outcome, whatever happens."""

    @property
    def shared(self) -> Any:
        """What it has in common with all others, or None; ``functions()`` of it are the functions of the user."""

    def killed(self, message: str) -> Any:
        """The outcome where the process died twice."""


def run_all(jobs: Sequence[Task], sink: Sink, workers: Any, spool: Spool | None = None) -> None:
    """In this process (``workers=0``), on so many processes, or on the workers of a client.

    ``spool``: where workers write outcomes of tasks that are not handed over yet.
    """
    if isinstance(workers, int) and not isinstance(workers, bool) and workers == 0:
        for job in jobs:
            sink(job.index, job.run())
        return
    with workers_of(workers) as client:
        run_on_workers(jobs, sink, client, spool)


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
    quiet = {
        "distributed.scheduler.allowed-failures": 0,
        "distributed.worker.daemon": True,
        "distributed.worker.profile.enabled": False,
        "distributed.scheduler.work-stealing": False,
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.admin.system-monitor.interval": "10s",
    }
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


def run_on_workers(jobs: Sequence[Task], sink: Sink, client: Any, spool: Spool | None = None) -> None:
    """On the workers of a client, one task in flight per worker.

    Raises
    ------
    FlexmbsError
        If there has been no worker for a long time, or the scheduler or the client has gone.
    """
    running: dict[Any, Sequence[Task]] = {}
    try:
        _run_on_workers(jobs, sink, client, running, spool)
    except (asyncio.CancelledError, concurrent.futures.CancelledError, OSError) as error:  # of Dask's connections
        raise FlexmbsError(
            f"Study: the connection to the scheduler of Dask was lost ({type(error).__name__}: {error}). What was done "
            f"is kept; run the study again with a new client."
        ) from error
    finally:
        with suppress(Exception):  # a client that has gone has nothing to cancel
            client.cancel(list(running))


def _run_on_workers(
    jobs: Sequence[Task], sink: Sink, client: Any, running: dict[Any, Sequence[Task]], spool: Spool | None
) -> None:  # fmt: skip
    """The same; ``running`` has the tasks that are under way, by their futures."""
    from distributed import KilledWorker

    suspects: list[Task] = []
    send = _Sender(client, jobs[0].shared if jobs else None, spool)
    place, several = 0, 1
    while place < len(jobs) or running:
        workers = max(_count(client), 1) if place < len(jobs) else 0
        while place < len(jobs) and len(running) < workers:
            most = -(-(len(jobs) - place) // (SHARES * workers))
            batch = jobs[place : place + min(several, most)]
            running[send(batch)] = batch
            place += len(batch)
        for future in _finished(client, running):
            batch = running.pop(future)
            try:
                outcomes, seconds = future.result()
            except KilledWorker:
                suspects += batch
                continue
            several = max(1, min(int(BATCH * len(batch) / max(seconds, 1e-6)), 4 * several))
            for job, outcome in zip(batch, outcomes, strict=True):
                sink(job.index, outcome)
            if spool is not None and len(batch) > 1:
                spool.forget(future.key)
    for job in suspects:
        sink(job.index, _alone(client, send, job))


def _alone(client: Any, send: _Sender, job: Task) -> Any:
    """A job that was blamed for the end of a worker, with nothing beside it."""
    from distributed import KilledWorker

    _await_worker(client)
    try:
        return send([job]).result()[0][0]
    except KilledWorker as error:
        text = f"the process that ran it died, twice; the last was {getattr(error, 'last_worker', '')}".rstrip()
        return job.killed(f"{text}. Too little memory, or a crash.")


class _Sender:
    """Sends jobs as bytes: what cannot be made of them there fails as a task, and not the worker."""

    def __init__(self, client: Any, shared: Any, spool: Spool | None) -> None:
        self._client, self._spool = client, spool
        self._shared = _packed(shared)
        self._digest = hashlib.sha256(self._shared).hexdigest()

    def __call__(self, batch: Sequence[Task]) -> Any:
        """The future of the outcomes of some jobs, and how long they took."""
        import cloudpickle

        bare = [replace(job, shared=None) if job.shared is not None else job for job in batch]  # type: ignore[type-var]
        key = f"run-{batch[0].index}-{uuid4().hex}"
        packed = cloudpickle.dumps(bare)
        given = (self._digest, self._shared, packed, self._spool, key)
        return self._client.submit(_run, *given, pure=False, retries=0, key=key)


_KEPT: dict[str, Any] = {}
"""In a worker: what the jobs of the last study share, by its digest."""


def _run(digest: str, shared: bytes, packed: bytes, spool: Spool | None, key: str) -> tuple[list[Any], float]:
    """In a worker: the outcomes of some jobs, and how long they took."""
    import cloudpickle

    if digest not in _KEPT:
        _KEPT.clear()
        _KEPT[digest] = cloudpickle.loads(shared)
    common = _KEPT[digest]
    jobs = [job if common is None else replace(job, shared=common) for job in cloudpickle.loads(packed)]
    began = time.perf_counter()
    if spool is None or len(jobs) == 1:  # which is handed over at once
        return [job.run() for job in jobs], time.perf_counter() - began
    with spool.part(key) as part:
        return [part.append(job.run()) for job in jobs], time.perf_counter() - began


def _packed(shared: Any) -> bytes:
    """What jobs share with the functions of the user in full, so that workers need not find their modules."""
    import cloudpickle

    named = {getattr(function, "__module__", None) for function in shared.functions()} if shared is not None else set()
    modules = [sys.modules[name] for name in named if name in sys.modules and name.partition(".")[0] not in KNOWN]
    new = [module for module in modules if module.__name__ not in cloudpickle.list_registry_pickle_by_value()]
    for module in new:
        cloudpickle.register_pickle_by_value(module)
    try:
        packed: bytes = cloudpickle.dumps(shared)
    finally:
        for module in new:
            cloudpickle.unregister_pickle_by_value(module)
    return packed


def _finished(client: Any, running: Iterable[Any]) -> list[Any]:
    """Futures that have come to an end, at least one.

    Raises
    ------
    FlexmbsError
        If there has been no worker for a long time.
    """
    from distributed import wait

    last = time.monotonic()
    while True:
        try:
            return list(wait(list(running), timeout=min(5.0, PATIENCE), return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            if client.nthreads():
                last = time.monotonic()
            elif time.monotonic() - last > PATIENCE:
                raise _no_worker() from None


def _await_worker(client: Any) -> None:
    """Wait for a worker, but not for ever."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise _no_worker() from None


def _no_worker() -> FlexmbsError:
    return FlexmbsError(
        f"Study: there has been no worker for {PATIENCE:.0f} s. What was done is kept; look at the log of the workers, "
        f"and run the study again."
    )


def _count(client: Any) -> int:
    """Threads of all workers."""
    return int(sum(client.nthreads().values()))
