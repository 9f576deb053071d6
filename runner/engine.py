"""Run trials on a cluster: chunk by chunk, whatever dies on the way."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from distributed import Future, KilledWorker

from ensembles.errors import NotFound
from ensembles.experiments.records import TrialPlan, TrialResult
from runner.cluster import Cluster, ClusterLost
from runner.hand_over import HandOver
from runner.tasks import ExperimentContext, run_chunk, stop, unload
from runner.trial_queue import DEATHS_ALLOWED, TrialQueue
from runner.trial_times import Kind
from runner.watch import AwakeClock

__all__ = ["Completed", "TrialRun"]

_TICK_SECONDS = 0.05
_LOOK_SECONDS = 0.25  # how often the workers are counted
_FETCH_SECONDS = 2.0
_STUCK_SECONDS = 2.0  # a chunk is meant to take some tenths of one
_GRACE_SECONDS = 0.8  # for trials to see that they shall stop; then their process is ended
_PATIENCE_SECONDS = 60.0  # without a single worker
_STALLED_SECONDS = 30.0  # and ten times what the longest kind of trial takes: then nobody knows how long it will be

_DIED = f"the worker process died {DEATHS_ALLOWED} times in this trial (out of memory, or a crash in native code)"
_SILENT = f"the worker process stopped giving signs of life {DEATHS_ALLOWED} times in this trial"

Completed = list[tuple[TrialPlan, TrialResult]]


@dataclass(eq=False)
class _Chunk:
    future: Future
    plans: list[TrialPlan]
    begun: float | None = None  # when it was first seen at the head of its worker's queue


class TrialRun:
    """The trials of one experiment on a cluster.

    Each worker has the chunks it runs and one more in its queue. Chunks are addressed to a worker, so that it is known
    what ran where when a process dies, and the results of a chunk count only once they have arrived here.

    Parameters
    ----------
    expected : mapping of (int, int) to float, optional
        Seconds that a trial may be expected to take, by the positions of data set and learner.
    """

    def __init__(
        self,
        cluster: Cluster,
        context: ExperimentContext,
        plans: Sequence[TrialPlan],
        expected: Mapping[Kind, float] | None = None,
    ) -> None:
        self._cluster = cluster
        self._run = uuid.uuid4().hex
        self._queue = TrialQueue(plans, context.sizes, expected=expected)
        self._chunks: dict[str, list[_Chunk]] = {}
        self._moved: dict[str, float] = {}  # when each worker last began or ended a chunk
        self._threads: dict[str, int] = {}
        self._hand_over = HandOver(cluster, self._run, context)
        self._done: SimpleQueue[tuple[str, Future]] = SimpleQueue()
        self._looked = -_LOOK_SECONDS
        self._last_seen = time.monotonic()
        self._clock = AwakeClock()
        self._last_ended = self._clock.look()

    def results(self, should_stop: Callable[[], bool]) -> Iterator[Completed]:
        """Yield trials as they end, and an empty list whenever a moment passes without one.

        When `should_stop` says so, running trials get a moment to notice; processes that do not are ended.

        Raises
        ------
        ClusterLost
            The scheduler is gone, or for a minute there was no worker.
        InvalidInput
            The data cannot be used, or no worker can take them, also not when tried again.
        """
        try:
            while (len(self._queue) or self._chunks) and not should_stop():
                given_up = self._look()
                self._send()
                yield given_up + self._collect(_TICK_SECONDS)
            if self._chunks:
                yield self._stop()
        finally:
            self._clean_up()

    def seconds_left(self) -> float | None:
        """Return an estimate of the time until all trials have ended; None while nothing is known, or nothing moves."""
        patience = _STALLED_SECONDS + 10 * self._queue.longest_seconds
        if self._clock.look() - self._last_ended > patience:
            return None
        return self._queue.seconds_left(sum(self._threads.values()))

    def _look(self) -> Completed:
        """See which workers there are; take back what those had that are gone."""
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return []
        self._threads, self._looked = self._cluster.threads(), now
        self._last_seen = now if self._threads else self._last_seen
        if now - self._last_seen > _PATIENCE_SECONDS:
            raise ClusterLost(f"the Dask cluster must have a worker, it had none for {_PATIENCE_SECONDS:.0f} seconds")
        # What ended before its process died is not what killed it.
        ended = self._collect(0.0) if self._chunks.keys() - self._threads.keys() else []
        lost = [address for address in self._chunks if address not in self._threads]
        ended += [given_up for address in lost for given_up in self._lose(address)]
        ended += self._end_overdue()
        for address, threads in self._threads.items():
            if len(self._chunks.get(address, [])) > threads and self._is_stuck(address):
                self._take_back(address, threads)
        return ended

    def _take_back(self, address: str, threads: int) -> None:
        """Free what waits behind a trial that takes longer than its kind usually does."""
        for chunk in self._chunks[address][threads:]:
            chunk.future.cancel()
            self._drop(address, chunk)
            self._queue.put_back(chunk.plans)

    def _lose(self, address: str) -> Completed:
        """Handle the death of a worker: the chunks it was running go into quarantine, those behind them never began."""
        self._hand_over.discard(address)
        chunks = self._chunks.pop(address, [])
        for chunk in chunks:
            chunk.future.cancel()
        running = self._threads.get(address, 1)
        for chunk in chunks[running:]:
            self._queue.put_back(chunk.plans)
        sentence = _SILENT if self._cluster.was_silent(address) else _DIED
        return [ended for chunk in chunks[:running] for ended in self._record_crash(chunk.plans, sentence)]

    def _end_overdue(self) -> Completed:
        """End the processes in which a trial takes longer than any may; their other trials run again."""
        now = self._clock.look()
        for address, chunks in self._chunks.items():
            for chunk in chunks[: self._threads[address]]:
                chunk.begun = now if chunk.begun is None else chunk.begun
        limit = self._cluster.trial_seconds
        if not any(_is_overdue(chunk, now, limit) for chunks in self._chunks.values() for chunk in chunks):
            return []
        ended = self._collect(0.0)
        for address, chunks in list(self._chunks.items()):
            if any(_is_overdue(chunk, now, limit) for chunk in chunks):
                ended += self._end_at(address, now, limit)
        return ended

    def _end_at(self, address: str, now: float, limit: float) -> Completed:
        self._hand_over.discard(address)
        self._cluster.restart([address])
        given_up: Completed = []
        for chunk in self._chunks.pop(address, []):
            chunk.future.cancel()
            if not _is_overdue(chunk, now, limit):
                self._queue.put_back(chunk.plans)
            elif len(chunk.plans) > 1:  # which of them it was shows when each runs alone
                given_up += self._record_crash(chunk.plans, _too_long(limit))
            else:
                self._queue.ended(chunk.plans[0], None)
                given_up.append((chunk.plans[0], TrialResult(chunk.plans[0].key, error=_too_long(limit))))
        return given_up

    def _record_crash(self, plans: list[TrialPlan], sentence: str) -> Completed:
        hopeless = self._queue.record_crash(plans)
        for plan in hopeless:
            self._queue.ended(plan, None)
        return [(plan, TrialResult(plan.key, error=sentence)) for plan in hopeless]

    def _send(self) -> None:
        for address in self._hand_over.holders(self._threads):
            while plans := self._next_chunk(address, self._threads[address]):
                future = self._cluster.submit(address, run_chunk, self._run, plans)
                if address not in self._chunks:
                    self._chunks[address], self._moved[address] = [], time.monotonic()
                self._chunks[address].append(_Chunk(future, plans))
                future.add_done_callback(lambda done, address=address: self._done.put((address, done)))

    def _next_chunk(self, address: str, threads: int) -> list[TrialPlan]:
        chunks = self._chunks.get(address, [])
        if any(self._queue.is_quarantined(plan) for chunk in chunks for plan in chunk.plans):
            return []
        if not chunks and self._queue.has_quarantined:
            return self._queue.take_quarantined()
        room = threads + self._may_wait(address, chunks)
        return self._queue.take(sum(self._threads.values())) if len(chunks) < room else []

    def _may_wait(self, address: str, chunks: list[_Chunk]) -> bool:
        """Return whether a chunk may wait at a worker: not behind a long trial, while another runs out of work."""
        if self._queue.has_quarantined or not all(self._queue.is_short(chunk.plans) for chunk in chunks):
            return False
        return not chunks or not self._is_stuck(address)

    def _is_stuck(self, address: str) -> bool:
        return time.monotonic() - self._moved[address] > _STUCK_SECONDS

    def _collect(self, seconds: float) -> Completed:
        """Return the trials that have ended; wait for one at most `seconds`."""
        ended: Completed = []
        while True:
            try:
                address, future = self._done.get(timeout=0.0 if ended else seconds)
            except Empty:
                return ended
            seconds = 0.0
            ended += self._receive(address, future)

    def _receive(self, address: str, future: Future) -> Completed:
        chunk = next((chunk for chunk in self._chunks.get(address, []) if chunk.future is future), None)
        if chunk is None:
            return []  # of a worker that was found dead before
        try:
            timed = future.result(timeout=_FETCH_SECONDS)
        except KilledWorker:
            return self._lose(address)
        except (NotFound, CancelledError, TimeoutError, OSError):
            timed = []  # the process is a new one, or died with the results in its hands
            future.cancel()
        except Exception as error:
            self._drop(address, chunk)
            return self._record_crash(chunk.plans, f"the trial could not be run: {type(error).__name__}: {error}")
        self._drop(address, chunk)
        self._moved[address], self._last_ended = time.monotonic(), self._clock.look()
        ended = [(plan, result) for plan, (result, _) in zip(chunk.plans, timed, strict=False)]
        for plan, (_, seconds) in zip(chunk.plans, timed, strict=False):
            self._queue.ended(plan, seconds)
        if len(timed) < len(chunk.plans):
            self._hand_over.discard(address)
            self._queue.put_back(chunk.plans[len(timed) :])
        if any(seconds is None for _, seconds in timed):  # a trial goes on there beyond its limit of memory
            ended += self._end_at(address, 0.0, float("inf"))
        return ended

    def _drop(self, address: str, chunk: _Chunk) -> None:
        self._chunks[address].remove(chunk)
        if not self._chunks[address]:
            del self._chunks[address]

    def _stop(self) -> Completed:
        """Stop what is running; return what had ended until then."""
        deadline = time.monotonic() + _GRACE_SECONDS
        self._cluster.tell(stop, self._run, addresses=self._chunks, seconds=_GRACE_SECONDS)
        ended: Completed = []
        while self._chunks and time.monotonic() < deadline:
            ended += self._collect(_TICK_SECONDS)
        return ended

    def _clean_up(self) -> None:
        """Leave nothing behind in the workers, whichever way the run ended."""
        self._hand_over.give_up()
        for chunks in self._chunks.values():
            for chunk in chunks:
                chunk.future.cancel()
        self._cluster.restart(self._chunks)
        idle = self._hand_over.reached - set(self._chunks)
        self._chunks.clear()
        if idle:
            self._cluster.tell(unload, self._run, addresses=idle, seconds=1.0)


def _is_overdue(chunk: _Chunk, now: float, limit: float) -> bool:
    return chunk.begun is not None and now - chunk.begun > limit


def _too_long(seconds: float) -> str:
    amount = f"{seconds / 3600:g} hours" if seconds >= 3600 else f"{seconds:g} seconds"
    return f"the trial took longer than {amount}, the limit for one trial (ENSEMBLE_LAB_TRIAL_SECONDS, --trial-seconds)"
