"""The worker processes: a local cluster of our own, or one that is already there, by the same code."""

import logging
import os
import signal
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import dask
from distributed import Client, Future, LocalCluster
from distributed.comm.addressing import get_address_host_port

from ensembles.errors import EnsembleLabError, InvalidInput

__all__ = ["Cluster", "ClusterLost"]

_ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

_SETTINGS = {
    # So long after the death of a worker a local cluster looks again, and gives its place up for good if it finds it
    # empty then, be it for the second that the next one takes to start.
    "distributed.deploy.lost-worker-timeout": "1000d",
    "distributed.worker.profile.enabled": False,  # sampling costs time that trials are measured by
    "distributed.scheduler.worker-ttl": None,  # who keeps the interpreter to himself for minutes is not dead
    "distributed.nanny.pre-spawn-environ": _ONE_THREAD,  # read when NumPy is imported, so set before
    "distributed.worker.multiprocessing-method": "spawn",
}

_CONNECT_SECONDS = 15
_CLOSE_SECONDS = 5
_TASKS = "runner.tasks"  # imported by every process of ours when it starts: learners take seconds to import


class ClusterLost(EnsembleLabError):
    """The scheduler cannot be reached any more; what was not stored has to run again elsewhere."""


class Cluster:
    """Worker processes with one thread each.

    Parameters
    ----------
    n_workers : int, optional
        Processes of a cluster of our own; the number of processors when not given.
    scheduler : str, optional
        Address of a Dask scheduler that is already there, whose workers can import this package.

    Raises
    ------
    InvalidInput
        `n_workers` below one, or no scheduler at that address.
    """

    def __init__(self, *, n_workers: int | None = None, scheduler: str | None = None) -> None:
        if n_workers is not None and n_workers < 1:
            raise InvalidInput(f"workers must be at least 1, got {n_workers}")
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what happens to trials is told in our own words
        self._local: LocalCluster | None = None
        dask.config.set(_SETTINGS)  # for good: some are read when a worker dies
        self._client = _connect(scheduler) if scheduler else self._start(n_workers or _processors())
        self._background = ThreadPoolExecutor(max_workers=8, thread_name_prefix="cluster")
        self._leaving: set[str] = set()

    def threads(self) -> dict[str, int]:
        """Return the number of threads of each worker by its address; raise `ClusterLost`."""
        try:
            present: dict[str, int] = self._client.nthreads()
        except (OSError, TimeoutError, RuntimeError) as error:
            raise ClusterLost("the connection to the Dask scheduler was lost") from error
        self._leaving &= set(present)
        return {address: threads for address, threads in present.items() if address not in self._leaving}

    def submit(self, address: str, function: Callable[..., Any], *arguments: Any) -> Future:
        """Put a task into the queue of one worker."""
        return self._client.submit(function, *arguments, workers=[address], pure=False, allow_other_workers=False)

    def tell(
        self, function: Callable[..., Any], *arguments: Any, addresses: Iterable[str], seconds: float
    ) -> Collection[str]:
        """Call a function in workers beside their tasks; return those that have answered well within `seconds`.

        Raises
        ------
        InvalidInput
            A worker is there but cannot do it, as when it cannot import this package.
        """
        answer = self._background.submit(
            self._client.run, function, *arguments, workers=list(addresses), on_error="return"
        )
        try:
            answers: dict[str, Any] = answer.result(timeout=seconds)
        except (OSError, TimeoutError, CancelledError):
            return ()
        problems = {address: answer for address, answer in answers.items() if isinstance(answer, BaseException)}
        for address, problem in problems.items():
            if not isinstance(problem, OSError | TimeoutError):  # else it has just died
                raise InvalidInput(f"the Dask worker at {address} must be able to import this package, got: {problem}")
        return answers.keys() - problems.keys()

    def restart(self, addresses: Iterable[str]) -> None:
        """End worker processes whatever they do; others take their place. Does not wait."""
        ending = [address for address in addresses if address not in self._leaving]
        if ending:
            self._leaving.update(ending)
            self._background.submit(self._client.run, _end_process, workers=ending, nanny=True, on_error="ignore")

    def close(self) -> None:
        """End the connection, and the processes when they are ours."""
        self._background.shutdown(wait=False, cancel_futures=True)
        with suppress(TimeoutError, OSError):  # on a machine that is too busy; the processes end with this one anyway
            self._client.close(timeout=2)
            if self._local is not None:
                self._local.close(timeout=_CLOSE_SECONDS)

    def _start(self, n_workers: int) -> Client:
        with _deaf_to_interrupts():
            self._local = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # none is wanted, but the scheduler insists on a port
                silence_logs=logging.CRITICAL,
                env=_ONE_THREAD,
                preload=[_TASKS],
            )
        return Client(self._local, set_as_default=False)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from the threads begun here and from all their processes: a terminal sends it to each of those too.

    What this process shall do at a Ctrl-C it does when the block is over.
    """
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # else the first process would start it, and starting it lifts the ban in that thread
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_process(dask_worker: Any) -> None:
    """End the process of a worker; runs in the nanny beside it, which then starts another one.

    The nanny's own restart first asks nicely, and waits for seconds.
    """
    os.kill(dask_worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _connect(scheduler: str) -> Client:
    try:
        get_address_host_port(scheduler)  # a client made with no address at all is never closed
        return Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        wanted = "the address of a running Dask scheduler, tcp://host:port"
        raise InvalidInput(f"scheduler must be {wanted}, got {scheduler!r}") from error


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
