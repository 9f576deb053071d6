"""Several experiments share the workers of a cluster, in turn."""

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future as Answers
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Self

from ensembles.errors import EnsembleLabError, InvalidInput
from ensembles.experiments.records import TrialPlan
from runner.cluster.cluster import Cluster, ClusterLost
from runner.cluster.watch import AwakeClock
from runner.dispatch.engine import Engine
from runner.dispatch.fair_share import weight_of
from runner.dispatch.stream_desk import Streams
from runner.dispatch.trial_run import TrialRun
from runner.dispatch.trial_times import Kind
from runner.worker_process.tasks import ExperimentContext, stop, unload

__all__ = ["Dispatcher"]

_TICK_SECONDS = 0.05
_LOOK_SECONDS = 0.25  # how often the workers are counted
_GRACE_SECONDS = 0.8  # for trials to see that they shall stop; then their process is ended
_PATIENCE_SECONDS = 60.0  # without a single worker
_UNLOAD_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Dispatcher:
    """Hands the trials of several experiments to the workers of a cluster, in a thread of its own while it is open.

    Each worker has the chunks it runs, and one more in its queue when one of them is about to end. Whenever one has room,
    the experiment whose turn it is by `FairShare` sends a chunk. Nothing that runs is interrupted for others: where long
    trials have all workers, who comes gets the next one that is free.

    Everything is done by the thread: what others want and what workers answer goes through one queue of events.

    Attributes
    ----------
    workers, busy : int
        How many trials can run at a time, and how many do; 0 before the first experiment.
    failure : EnsembleLabError or None
        Why this cluster is of no use any more.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.workers = self.busy = 0
        self.failure: EnsembleLabError | None = None
        self._cluster = cluster
        self._clock = AwakeClock()
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._engine = Engine(cluster, self._clock.look, self._events.put)
        self._runs, self._queues = self._engine.runs, self._engine.queues
        self._looked = self._last_seen = 0.0
        self._loading: set[str] = set()
        self._unloading: list[Answers[dict[str, Any]]] = []
        self._is_open = True
        self._thread = Thread(target=self._work, name="dispatcher", daemon=True)

    def start(
        self,
        context: ExperimentContext,
        plans: Sequence[TrialPlan],
        *,
        expected: Mapping[Kind, float] | None = None,
        user: int | None = None,
        priority: int = 0,
        streams: Streams | None = None,
    ) -> TrialRun:
        """Let the trials of an experiment take part; its `results` give them as they end.

        Parameters
        ----------
        expected : mapping of (int, int) to float, optional
            Seconds that a trial may be expected to take, by the positions of data set and learner.
        user : int, optional
            Whose experiment it is.
        streams : Streams, optional
            Where it is kept what streams tell, and their snapshots.
        """
        run = TrialRun(self._cluster, context, plans, expected, self._ask_to_end, streams)
        self._events.put(partial(self._join, run, user, priority))
        return run

    def set_priority(self, run: TrialRun, priority: int) -> None:
        """Let an experiment count more or less beside the others."""
        self._events.put(partial(self._set_weight, run, weight_of(priority)))

    def ask_for_snapshots(self, run: TrialRun) -> None:
        """Have the streams of an experiment take a snapshot soon."""
        self._events.put(lambda: self._engine.streams.ask_for_snapshots(run, self._at(run)))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._events.put(self._close)
        self._thread.join()

    def turn(self) -> None:
        """Wait a moment for something to happen, and do what is to be done; the thread does this all the time."""
        self._handle(_TICK_SECONDS if self._runs else None)
        if self._runs:
            self._look()
            self._end_runs()
            self._send()
        self.workers, self.busy = self._queues.n_threads, self._queues.n_running

    def _work(self) -> None:
        while self._is_open:
            try:
                self.turn()
            except EnsembleLabError as error:
                self._fail(error)
            except Exception as error:  # whatever it is, nobody shall wait for this thread for ever
                _log.exception("the dispatcher failed")
                self._fail(ClusterLost(f"an error of this program stopped all trials: {type(error).__name__}: {error}"))

    def _handle(self, seconds: float | None) -> None:
        """Handle all events that are there; wait for one at most `seconds`, or for as long as it takes."""
        try:
            event = self._events.get(timeout=seconds)
            while True:
                event()
                event = self._events.get_nowait()
        except Empty:
            return

    def _join(self, run: TrialRun, user: int | None, priority: int) -> None:
        if self.failure is not None:
            run.close(self.failure)
            return
        if not self._runs:
            self._last_seen, self._looked = self._clock.look(), -_LOOK_SECONDS
        self._runs[run.id] = run
        if run.streams is not None:
            self._engine.streams.listen()
        self._engine.share.join(run.id, user, weight_of(priority))

    def _set_weight(self, run: TrialRun, weight: float) -> None:
        if run.id in self._runs:
            self._engine.share.set_weight(run.id, weight)

    def _ask_to_end(self, run: TrialRun, at_once: bool) -> None:
        self._events.put(partial(self._stop if at_once else self._drain, run))

    def _drain(self, run: TrialRun) -> None:
        run.is_ending = True

    def _stop(self, run: TrialRun) -> None:
        """Tell the trials of an experiment to stop; those that do not hear lose their processes later."""
        if run.id not in self._runs or run.stops_at is not None:
            return
        last = 0.0 if run.streams is None else run.streams.last_snapshot_seconds()
        run.is_ending, run.stops_at = True, self._clock.look() + (last or _GRACE_SECONDS)
        if at := self._at(run):
            self._cluster.ask(stop, run.id, *(["with snapshots"] if last else []), addresses=at)

    def _at(self, run: TrialRun) -> list[str]:
        return [address for address in self._queues if self._queues.has(address, run)]

    def _end_runs(self) -> None:
        """Let go of experiments of which nothing is under way and nothing will be."""
        for run in list(self._runs.values()):
            if run.is_ending and run.streams is not None and run.streams.is_long:
                self._stop(run)  # who waits for the place would wait for hours
            if run.stops_at is not None and run.under_way and self._clock.look() >= run.stops_at:
                self._engine.end_chunks(run)
            if not run.under_way and not run.fetching and (run.is_ending or not len(run.queue)):
                self._let_go(run)
                run.close(run.problem)

    def _let_go(self, run: TrialRun) -> None:
        run.hand_over.give_up()
        del self._runs[run.id]
        self._engine.share.leave(run.id)
        self._unloading = [asked for asked in self._unloading if not asked.done()]
        if reached := run.hand_over.reached & self._queues.threads.keys():
            self._unloading.append(self._cluster.ask(unload, run.id, addresses=reached))

    def _look(self) -> None:
        """See which workers there are, and how long everything will take."""
        now = self._clock.look()
        if now - self._looked < _LOOK_SECONDS:
            return
        threads, self._looked = self._cluster.threads(), now
        self._last_seen = now if threads else self._last_seen
        if now - self._last_seen > _PATIENCE_SECONDS:
            raise ClusterLost(f"the Dask cluster must have a worker, it had none for {_PATIENCE_SECONDS:.0f} seconds")
        self._handle(0.0)  # what ended before its process died, or came just in time, is not at fault
        self._engine.look(threads)
        going_on = [run for run in self._runs.values() if not run.is_ending]
        work = {run.id: run.queue.seconds_left(1) for run in going_on}
        ends = self._engine.share.times_left(work, self._queues.n_threads)
        for run in going_on:
            run.estimate(ends[run.id], self._queues.n_threads)

    def _send(self) -> None:
        """Give work to all workers that have room, then to those that will have room in a moment."""
        holders = {run.id: self._holders(run) for run in list(self._runs.values()) if not run.is_ending}
        self._loading = {at for key, own in holders.items() for at in self._runs[key].hand_over.reached - own}
        if any(own and not self._runs[key].is_served for key, own in holders.items()):
            for address in self._queues:  # who comes shall wait for what runs, not for what could have come later
                self._engine.take_back_waiting(address)
        for key, own in holders.items():
            self._runs[key].is_served |= bool(own)
        holders = {key: own for key, own in holders.items() if own and len(self._runs[key].queue)}
        if not holders:
            return
        for address in self._queues.with_room():
            while self._queues.has_room(address) and self._send_to(address, holders):
                pass
        if not any(run.queue.has_quarantined for run in self._runs.values() if not run.is_ending):
            for address in self._queues.soon_with_room():  # else it would wait for us between two trials
                self._send_to(address, holders)

    def _holders(self, run: TrialRun) -> Set[str]:
        """Return the workers that can run trials of an experiment."""
        try:
            return run.hand_over.holders(self._queues.threads)
        except InvalidInput as error:
            run.problem = error
            self._stop(run)
            return set()

    def _send_to(self, address: str, holders: Mapping[str, Set[str]]) -> bool:
        """Give the next chunk to a worker; return whether there was one for it."""
        chunks = self._queues.chunks(address)
        if any(chunk.run.queue.is_quarantined(plan) for chunk in chunks for plan in chunk.plans):
            return False
        waiting = {key for key in holders if len(self._runs[key].queue)}
        self._engine.share.note_waiting(waiting)
        for key in self._engine.share.in_turn([key for key in waiting if address in holders[key]]):
            run = self._runs[key]
            if plans := self._next_plans(run, address, is_empty=not chunks):
                self._engine.send(address, run, plans)
                return True
        return False

    def _next_plans(self, run: TrialRun, address: str, *, is_empty: bool) -> list[TrialPlan]:
        # A worker that takes data may die of them, and what is in quarantine shall not be blamed for that.
        if is_empty and run.queue.has_quarantined and address not in self._loading:
            return run.queue.take_quarantined()
        return run.queue.take(self._queues.n_threads, len(self._runs))

    def _fail(self, error: EnsembleLabError) -> None:
        """Tell everybody that this cluster is of no use any more."""
        self.failure = error
        runs = list(self._runs.values())
        self._engine.end_all()
        for run in runs:
            self._let_go(run)
            run.close(error)

    def _close(self) -> None:
        """Leave nothing behind in the workers."""
        self._is_open = False
        self._engine.end_all()
        for run in list(self._runs.values()):
            self._let_go(run)
            run.close()
        for asked in self._unloading:
            self._cluster.answers(asked, _UNLOAD_SECONDS)
