"""The worker processes: a local cluster of our own, or one that is already there, by the same code."""

import logging
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures import Future as Answers
from contextlib import suppress
from functools import partial
from threading import Event
from typing import Any

from distributed import Client

from ensembles.errors import EnsembleLabError, InvalidInput
from ensembles.experiments.kept_costs import keep_start
from runner.cluster.connection import TLSFiles, connect
from runner.cluster.delivery import Delivery
from runner.cluster.fetching import FETCHERS, Task
from runner.cluster.limits import check_limits
from runner.cluster.limits import trial_bytes as most_bytes
from runner.cluster.limits import trial_seconds as longest
from runner.cluster.processes import LocalProcesses
from runner.cluster.processors import processors
from runner.cluster.watch import AwakeClock, Silence, WallClock
from runner.worker_process.ending import end_process, leave
from runner.worker_process.tasks import ExperimentContext
from runner.worker_process.versions import misfit, versions

__all__ = ["SILENT_SECONDS", "Cluster", "ClusterLost"]

SILENT_SECONDS = 300.0
"""A worker that gives no sign of life for so long is ended. Its own threads may be busy: signs come from another one."""

_ANSWER_SECONDS = 60.0
_CHECK_SECONDS = 30.0
_CLOSE_SECONDS = 5.0
_HEARTBEAT_SECONDS = 2.0
_SET_BACK_SECONDS = 5.0

_LOST = "the connection to the Dask scheduler was lost"

_log = logging.getLogger(__name__)


class ClusterLost(EnsembleLabError):
    """The scheduler cannot be reached any more; what was not stored has to run again elsewhere."""


class Cluster:
    """Worker processes with one thread each.

    Only processes that have this program's sources get work; those that come later and have others are left out. A
    process from which nothing is heard any more is ended, and another one takes its place.

    Parameters
    ----------
    n_workers : int, optional
        Processes of a cluster of our own; the number of processors when not given.
    scheduler : str, optional
        Address of a Dask scheduler that is already there, whose workers can import this package.
    tls, is_insecure
        As `runner.cluster.connection.connect` takes them.
    trial_seconds : float, optional
        Longest time that a trial may take; else `ENSEMBLE_LAB_TRIAL_SECONDS`, else six hours.
    trial_memory : float, optional
        MiB that a trial may take; else `ENSEMBLE_LAB_TRIAL_MEMORY`, else a share of what its worker may take.
    silent_seconds : float
        Longest time that a worker may give no sign of life.

    Raises
    ------
    InvalidInput
        `n_workers` below one, a limit that is none, no scheduler at that address, or one with other sources.
    """

    def __init__(
        self,
        *,
        n_workers: int | None = None,
        scheduler: str | None = None,
        tls: TLSFiles | None = None,
        is_insecure: bool = False,
        trial_seconds: float | None = None,
        trial_memory: float | None = None,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:
        check_limits(n_workers, trial_seconds, trial_memory)
        self.trial_seconds, self.trial_bytes = longest(trial_seconds), most_bytes(trial_memory)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what happens to trials is told in our own words
        self._local: LocalProcesses | None = None
        self._client = connect(scheduler, tls, is_insecure=is_insecure) if scheduler else self._start(n_workers)
        self._background = ThreadPoolExecutor(max_workers=8, thread_name_prefix="cluster")
        # All of the others may wait for a process that does not answer, until it is ended.
        self._enders = ThreadPoolExecutor(max_workers=8, thread_name_prefix="end")
        self._deliverers = ThreadPoolExecutor(max_workers=8, thread_name_prefix="delivery")
        self._fetchers = ThreadPoolExecutor(max_workers=FETCHERS, thread_name_prefix="fetch")
        self._delivery = Delivery(self._ask_and_wait)
        self._leaving: set[str] = set()
        self._renewed: set[str] = set()
        self._fit: set[str] = set()
        self._unfit: dict[str, str] = {}
        self._checking: Answers[dict[str, Any]] | None = None
        self._clock, self._silence, self._silent = AwakeClock(), Silence(silent_seconds), set[str]()
        self._listened, self._wall_clock = 0.0, WallClock()
        try:
            self._check_at_start(scheduler)
        except BaseException:
            self.close()
            raise

    def threads(self) -> dict[str, int]:
        """Return the number of threads of each worker by its address; raise `ClusterLost`."""
        if (seconds := self._wall_clock.set_back()) > _SET_BACK_SECONDS:
            raise ClusterLost(
                f"the clock of this machine was set back by {seconds:.0f} seconds, which stops Dask's timers"
            )
        present: dict[str, int] = self._ask_scheduler("ncores")
        self._leaving &= present.keys()
        self._listen()
        self._check(present)
        return {
            address: threads
            for address, threads in present.items()
            if address in self._fit and address not in self._leaving
        }

    def was_silent(self, address: str) -> bool:
        """Return whether a worker was ended as it gave no sign of life."""
        return address in self._silent

    def was_renewed(self, address: str) -> bool:
        """Return whether a worker was ended by `renew`, for no fault of what it ran."""
        return address in self._renewed

    def submit(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Put a task into the queue of one worker and return it, as a `Task`; raise `ClusterLost`."""
        try:
            sent = self._client.submit(function, *arguments, workers=[address], pure=False, allow_other_workers=False)
            return Task(sent, self._fetchers)
        except Exception as error:
            if self._client.status == "running":
                raise
            raise ClusterLost(_LOST) from error

    def ask(self, function: Callable[..., Any], *arguments: Any, addresses: Iterable[str]) -> "Answers[dict[str, Any]]":
        """Call a function in workers beside their tasks; `answers` gives what they say. Does not wait."""
        return self._background.submit(
            self._client.run, function, *arguments, workers=list(addresses), on_error="return"
        )

    def answers(self, asked: "Answers[dict[str, Any]]", seconds: float | None = 0.0) -> dict[str, Any]:
        """Return answers or errors by worker, without those that have died; nothing when they take over `seconds`.

        With None the answers are waited for.
        """
        try:
            answers = asked.result(timeout=seconds)
        except (OSError, TimeoutError, CancelledError):
            return {}
        except Exception:
            if self._client.status == "running":
                raise
            return {}  # `threads` will say that the connection is lost
        return {name: answer for name, answer in answers.items() if not isinstance(answer, OSError | TimeoutError)}

    def give(
        self, run: str, context: ExperimentContext, addresses: Iterable[str], given_up: Event
    ) -> "Answers[dict[str, Any]]":
        """Give workers what the trials of `run` need; `answers` tells of whom it is known. Does not wait.

        Parameters
        ----------
        given_up : Event
            Set when nobody wants this any more.
        """
        give = partial(self._delivery.give, trial_bytes=self.trial_bytes, given_up=given_up)
        return self._deliverers.submit(give, run, context, set(addresses))

    def tell(
        self, function: Callable[..., Any], *arguments: Any, addresses: Iterable[str], seconds: float
    ) -> Collection[str]:
        """Call a function in workers beside their tasks; return those that have answered within `seconds`."""
        return self.answers(self.ask(function, *arguments, addresses=addresses), seconds).keys()

    def listen(self, topic: str, hear: Callable[[Any], None]) -> None:
        """Have `hear` called with whatever workers tell under a topic; in a thread that must not wait."""
        self._client.subscribe_topic(topic, lambda event: hear(event[1]))

    def deliver(self, function: Callable[..., Any], *arguments: Any) -> "Answers[Any]":
        """Call a function with a way to ask workers and wait for them, as it takes, and arguments. Does not wait."""
        return self._deliverers.submit(function, self._ask_and_wait, *arguments)

    def _ask_and_wait(self, function: Callable[..., Any], *arguments: Any, addresses: Iterable[str]) -> dict[str, Any]:
        return self.answers(self.ask(function, *arguments, addresses=addresses), None)

    def restart(self, addresses: Iterable[str]) -> None:
        """End worker processes whatever they do; others take their place where a nanny is beside them. Does not wait.

        One without a nanny ends itself, if it can: who started it may start another one.
        """
        for address in set(addresses) - self._leaving:  # one by one: who has gone already must not save the others
            self._leaving.add(address)
            self._enders.submit(self._end, address)

    def renew(self, addresses: Iterable[str]) -> None:
        """End those worker processes in whose place others are started, and leave the rest alone. Does not wait."""
        workers = self._ask_scheduler("identity", n_workers=-1)["workers"]
        renewed = {address for address in addresses if workers.get(address, {}).get("nanny")}
        self._renewed |= renewed
        self.restart(renewed)

    def _end(self, address: str) -> None:
        if not self._client.run(end_process, workers=[address], nanny=True, on_error="ignore"):
            self._client.run(leave, workers=[address], on_error="ignore", wait=False)

    def close(self) -> None:
        """End the connection, and the processes when they are ours."""
        for threads in (self._fetchers, self._deliverers, self._enders, self._background):
            threads.shutdown(wait=False, cancel_futures=True)
        with suppress(TimeoutError, OSError):  # on a machine that is too busy; the processes end with this one anyway
            self._client.close(timeout=2)
        if self._local is not None:
            self._local.close(_CLOSE_SECONDS)

    def _start(self, n_workers: int | None) -> Client:
        begun = time.monotonic()
        try:
            self._local = LocalProcesses(n_workers or processors())
        except TimeoutError as error:
            raise ClusterLost("the worker processes of this machine did not start in time") from error
        except (OSError, RuntimeError) as error:  # no room on the disk; of Dask, the latter
            raise ClusterLost(f"the worker processes of this machine could not start: {error}") from error
        keep_start(time.monotonic() - begun)  # estimates are told from it
        try:
            return Client(self._local.address, security=self._local.security, set_as_default=False)
        except OSError as error:  # on a machine that is too busy
            self._local.close(_CLOSE_SECONDS)
            raise ClusterLost(f"the worker processes of this machine cannot be reached: {error}") from error

    def _ask_scheduler(self, question: str, **arguments: Any) -> Any:
        if self._client.status == "closed":  # it has tried for a while to come back
            raise ClusterLost(_LOST)
        try:
            asked = getattr(self._client.scheduler, question)
            return self._client.sync(asked, callback_timeout=_ANSWER_SECONDS, **arguments)
        except TimeoutError as error:
            raise ClusterLost(f"the Dask scheduler has not answered for {_ANSWER_SECONDS:.0f} seconds") from error
        except (OSError, RuntimeError, AttributeError) as error:  # the last: closed since we looked
            raise ClusterLost(_LOST) from error

    def _listen(self) -> None:
        """End workers that have given no sign of life for too long."""
        now = self._clock.look()
        if now - self._listened < _HEARTBEAT_SECONDS:
            return
        workers = self._ask_scheduler("identity", n_workers=-1)["workers"]
        silent = self._silence.note({address: worker["last_seen"] for address, worker in workers.items()}, now)
        self._listened, self._silent = now, (self._silent & workers.keys()) | silent
        for address in silent - self._leaving:
            _log.warning("the worker at %s gives no sign of life and is ended", address)
        self.restart(silent)

    def _check_at_start(self, scheduler: str | None) -> None:
        """Refuse a cluster that cannot do what this program means."""
        if scheduler is not None:  # it unpacks what goes to the workers
            try:
                found = self._background.submit(self._client.run_on_scheduler, versions).result(_CHECK_SECONDS)
            except Exception as error:
                found = error
            if problem := misfit("scheduler", scheduler, found):
                raise InvalidInput(problem)
        present = self._ask_scheduler("ncores")
        self._check(present, _CHECK_SECONDS)
        if self._unfit:
            raise InvalidInput(next(iter(self._unfit.values())))

    def _check(self, present: Collection[str], seconds: float = 0.0) -> None:
        """Ask those who are new for their version; it is known when they answer."""
        self._fit &= set(present)
        self._unfit = {address: problem for address, problem in self._unfit.items() if address in present}
        new = set(present) - self._fit - self._unfit.keys() - self._leaving
        if new and self._checking is None:
            self._checking = self.ask(versions, addresses=new)
        if self._checking is not None and (seconds or self._checking.done()):
            for address, found in self.answers(self._checking, seconds).items():
                if problem := misfit("worker", address, found, ours=self._local is not None):
                    self._unfit[address] = problem
                    _log.warning("%s; it gets no work", problem)
                else:
                    self._fit.add(address)
            self._checking = None
        if self._unfit and not seconds and self._unfit.keys() >= set(present):
            raise ClusterLost(next(iter(self._unfit.values())))
