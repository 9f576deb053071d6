"""A Dask cluster of our own: the scheduler in this process, and worker processes that only it can talk to.

Whoever may connect to a Dask scheduler or worker may run code in it, so every connection is made by TLS with one
certificate, new for each cluster: both sides must show it. It goes from process to process through pipes; OpenSSL takes it
from a file that lives for a moment in a folder of this user's alone. None of the processes answers HTTP.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import Any, TypeVar

import dask
from distributed import Nanny, Scheduler, Worker

from runner.cluster.certificate import one_time_security
from runner.worker_process.scratch import scratch_folder

__all__ = ["LocalProcesses"]

_HOST = "127.0.0.1"
_ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
# What Dask does again and again by itself; sampling costs time that trials are measured by.
_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "250ms",
}
_TASKS = "runner.worker_process.tasks"  # imported by every process as it starts: learners take seconds to import
_FORKS = {"distributed.worker.multiprocessing-method": "forkserver"} if sys.platform == "linux" else {}
_START_SECONDS = 120.0

_Answer = TypeVar("_Answer")


class _SilentScheduler(Scheduler):  # type: ignore[misc]
    """A scheduler without the web server that Dask opens whatever its settings say."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Open no port."""


class _SilentWorker(Worker):  # type: ignore[misc]
    """A worker without a web server."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Open no port."""


class LocalProcesses:
    """Worker processes with one thread each, which are started again when they die.

    Parameters
    ----------
    n_workers : int
        At least one.

    Attributes
    ----------
    address : str
        Of the scheduler.
    security : Security
        What a client needs to connect to it.
    """

    def __init__(self, n_workers: int) -> None:
        self.security = one_time_security()
        self._scheduler: Scheduler | None = None
        self._nannies: list[Nanny] = []
        self._held = ExitStack()  # until the processes end: nannies ask for the settings when they start one
        self._folder = self._held.enter_context(scratch_folder())
        self._held.enter_context(dask.config.set({**_SETTINGS, **_FORKS}))
        with _deaf_to_interrupts():
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=self._loop.run_forever, name="scheduler", daemon=True)
            self._thread.start()
            try:
                if _FORKS:
                    _import_once()
                self.address: str = self._run(self._start(n_workers), _START_SECONDS)
            except BaseException:
                self.close(1.0)
                raise

    def close(self, seconds: float) -> None:
        """End the processes, whatever they do; also those that do not listen within `seconds`."""
        with suppress(TimeoutError, OSError):
            self._run(self._end(seconds), seconds)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(seconds)
        for pid in [nanny.pid for nanny in self._nannies if nanny.pid is not None]:  # nobody ends them any more
            with suppress(ProcessLookupError):
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        if not self._thread.is_alive():
            self._loop.close()
        self._held.close()

    async def _start(self, n_workers: int) -> str:
        shared = {"host": _HOST, "protocol": "tls://", "security": self.security}
        self._scheduler = await _SilentScheduler(
            port=0,
            dashboard=False,
            worker_ttl="1000d",  # who keeps the interpreter to himself is not dead; `Cluster` watches who is
            **shared,
        )
        self._nannies = [
            Nanny(
                self._scheduler.address,
                name=number,
                nthreads=1,
                memory_limit=1.0 / n_workers,
                worker_class=_SilentWorker,
                local_directory=str(self._folder),
                preload=[_TASKS],
                env={**os.environ, **_ONE_THREAD},  # as it is now, not as it was when the first process was started
                config=_SETTINGS,
                silence_logs=logging.CRITICAL,
                **shared,
            )
            for number in range(n_workers)
        ]
        await asyncio.gather(*self._nannies)
        return str(self._scheduler.address)

    async def _end(self, seconds: float) -> None:
        await asyncio.gather(*(nanny.close(timeout=seconds / 2) for nanny in self._nannies), return_exceptions=True)
        if self._scheduler is not None:
            await self._scheduler.close()

    def _run(self, task: Coroutine[Any, Any, _Answer], seconds: float) -> _Answer:
        return asyncio.run_coroutine_threadsafe(task, self._loop).result(seconds)


def _import_once() -> None:
    """Start the process from which all others are forked, with everything imported: they begin in a tenth of the time.

    It goes on until this process ends. Starting a first process of no use starts it, before Dask says what to import.

    Raises
    ------
    RuntimeError
        It died meanwhile.
    """
    from_one = multiprocessing.get_context("forkserver")
    from_one.set_forkserver_preload([_TASKS, "distributed"])
    with _environment({**dask.config.get("distributed.nanny.pre-spawn-environ"), **_ONE_THREAD}):
        first = from_one.Process(target=_do_nothing, name="first")
        try:
            first.start()
        except EOFError as error:
            raise RuntimeError("the process from which they are forked has died") from error
    first.join()


def _do_nothing() -> None:
    """Run in a process of no use."""


@contextmanager
def _environment(settings: dict[str, Any]) -> Iterator[None]:
    """Have these variables in the environment of processes that are started in the block."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update({name: str(value) for name, value in settings.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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
