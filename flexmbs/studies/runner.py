"""Runs of a study in this process, or on the workers of Dask.

Contract of a job (`Task`): ``run()`` returns its outcome and never raises, ``killed(message)`` is the outcome of one
whose process died. Jobs come as they are asked for, outcomes go to a sink as they come, both in this process only. A
worker that dies takes its job with it: Dask blames all tasks that the worker held, so that no worker gets more than
one, and a job that was blamed is run again alone; if its worker dies again, its outcome is KILLED.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol
from uuid import uuid4

from flexmbs.core.checks import as_count, show
from flexmbs.core.errors import FlexmbsError, ModelError

__all__ = ["Task", "run_all", "workers_of"]

Sink = Callable[[int, Any], None]
KNOWN = ("__main__", "builtins", "flexmbs", "numpy", "scipy")
"""Modules whose functions travel by name, or by value in any case."""
PATIENCE = 120.0
"""Seconds without any worker after which a study ends."""


class Task(Protocol):
    """Contract of what a runner runs; it travels to other processes."""

    @property
    def index(self) -> int:
        """Number among all."""

    def run(self) -> Any:
        """The outcome, whatever happens."""

    def killed(self, message: str) -> Any:
        """The outcome where the process died twice."""

    def functions(self) -> Sequence[Any]:
        """Functions of the user that it holds."""


def run_all(jobs: Iterator[Task], sink: Sink, workers: Any) -> None:
    """In this process (``workers=0``), on so many processes, or on the workers of a client."""
    if isinstance(workers, int) and not isinstance(workers, bool) and workers == 0:
        for job in jobs:
            sink(job.index, job.run())
        return
    with workers_of(workers) as client:
        run_on_workers(jobs, sink, client)


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


def run_on_workers(jobs: Iterator[Task], sink: Sink, client: Any) -> None:
    """On the workers of a client, one job in flight per worker."""
    from distributed import KilledWorker

    running: dict[Any, Task] = {}
    suspects: list[Task] = []
    more = True
    try:
        while more or running:
            while more and len(running) < max(_count(client), 1):
                job = next(jobs, None)
                more = job is not None
                if job is not None:
                    running[_submit(client, job)] = job
            for future in _finished(client, running):
                job = running.pop(future)
                try:
                    sink(job.index, future.result())
                except KilledWorker:
                    suspects.append(job)
        for job in suspects:
            sink(job.index, _alone(client, job))
    finally:
        client.cancel(list(running))


def _alone(client: Any, job: Task) -> Any:
    """A job that was blamed for the end of a worker, with nothing beside it."""
    from distributed import KilledWorker

    client.wait_for_workers(1, timeout=120)
    try:
        return _submit(client, job).result()
    except KilledWorker as error:
        text = f"the process that ran it died, twice; the last was {getattr(error, 'last_worker', '')}".rstrip()
        return job.killed(f"{text}. Too little memory, or a crash.")


def _submit(client: Any, job: Task) -> Any:
    """Send a job as bytes: what cannot be made of them there fails as a task, and not the worker."""
    return client.submit(_run, _packed(job), pure=False, retries=0, key=f"run-{job.index}-{uuid4().hex}")


def _run(packed: bytes) -> Any:
    import cloudpickle

    job: Task = cloudpickle.loads(packed)
    return job.run()


def _packed(job: Task) -> bytes:
    """A job with the functions of the user in full, so that workers need not find their modules."""
    import cloudpickle

    named = {getattr(function, "__module__", None) for function in job.functions()}
    modules = [sys.modules[name] for name in named if name in sys.modules and name.partition(".")[0] not in KNOWN]
    new = [module for module in modules if module.__name__ not in cloudpickle.list_registry_pickle_by_value()]
    for module in new:
        cloudpickle.register_pickle_by_value(module)
    try:
        packed: bytes = cloudpickle.dumps(job)
    finally:
        for module in new:
            cloudpickle.unregister_pickle_by_value(module)
    return packed


def _finished(client: Any, running: dict[Any, Task]) -> list[Any]:
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
            return list(wait(list(running), timeout=5.0, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            now = time.monotonic()
            if client.nthreads():
                last = now
            elif now - last > PATIENCE:
                raise FlexmbsError(
                    f"Study: there has been no worker for {PATIENCE:.0f} s. What was done is kept; look at the log of "
                    f"the workers, and run the study again."
                ) from None


def _count(client: Any) -> int:
    """Threads of all workers."""
    return int(sum(client.nthreads().values()))
