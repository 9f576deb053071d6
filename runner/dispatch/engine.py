"""Chunks of trials go to workers and come back, of several experiments, whatever dies on the way."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from functools import partial

from distributed import KilledWorker

from ensembles.errors import NotFound
from ensembles.experiments.records import TrialPlan, TrialResult
from runner.cluster.cluster import Cluster
from runner.cluster.fetching import Task
from runner.dispatch.fair_share import FairShare
from runner.dispatch.stream_desk import StreamDesk
from runner.dispatch.trial_queue import CHUNK_SECONDS, DEATHS_ALLOWED
from runner.dispatch.trial_run import TrialRun
from runner.dispatch.worker_queues import Chunk, WorkerQueues
from runner.worker_process.tasks import run_chunk

__all__ = ["Engine"]

_DIED = f"the worker process died {DEATHS_ALLOWED} times in this trial (out of memory, or a crash in native code)"
_SILENT = f"the worker process stopped giving signs of life {DEATHS_ALLOWED} times in this trial"


class Engine:
    """What the workers of a cluster have to do.

    Chunks are addressed to a worker, so that it is known what ran where when a process dies, and the results of a chunk
    count only once they have arrived here. Belongs to one thread.

    Parameters
    ----------
    post : callable
        Takes from any thread what that one shall do.

    Attributes
    ----------
    runs : dict of str to TrialRun
        Those that take part, by their ids.
    share : FairShare
        What each of them is charged for the time of workers.
    streams : StreamDesk
        Who looks after trials on streams.
    """

    def __init__(
        self, cluster: Cluster, clock: Callable[[], float], post: Callable[[Callable[[], None]], None]
    ) -> None:
        self.runs: dict[str, TrialRun] = {}
        self.share = FairShare()
        self.queues = WorkerQueues(clock)
        self.streams = StreamDesk(cluster, self.runs, post)
        self._cluster, self._post = cluster, post

    def send(self, address: str, run: TrialRun, plans: list[TrialPlan]) -> None:
        """Put trials into the queue of a worker."""
        ahead = self.streams.send_ahead(address, run, plans)
        future = self._cluster.submit(address, run_chunk, run.id, plans, *([ahead] if ahead else []))
        chunk = Chunk(run, future, plans, run.queue.expected_seconds(plans))
        self.queues.add(address, chunk)
        run.under_way += 1
        self._charge(chunk, chunk.expected or CHUNK_SECONDS)
        future.add_done_callback(lambda done: self._post(partial(self._receive, address, done)))

    def look(self, threads: dict[str, int]) -> None:
        """Take note of the workers that there are now; see to those that are gone or at one trial for too long."""
        for address in set(self.queues) - threads.keys():
            self._lose(address)
        self.queues.threads = threads
        self._end_overdue()
        is_wanted = bool(self.queues.with_room()) or any(run.queue.has_quarantined for run in self.runs.values())
        for address in self.queues:
            if is_wanted and self.queues.is_stuck(address):  # what waits there can run elsewhere
                self.take_back_waiting(address)
            for chunk in self.queues.running(address):
                chunk.expected = chunk.expected or chunk.run.queue.expected_seconds(chunk.plans)
                self._charge(chunk, max(chunk.charged, self.queues.seconds(chunk)))

    def take_back_waiting(self, address: str) -> None:
        """Take back what a worker has not begun."""
        for chunk in self.queues.waiting(address)[::-1]:
            self._take(address, chunk)
            chunk.run.queue.put_back(chunk.plans)

    def end_chunks(self, run: TrialRun) -> None:
        """End the processes that are at trials of an experiment; what others had there runs again."""
        for address in self.queues:
            if any(chunk.run is run for chunk in self.queues.running(address)):
                for chunk in self._end_process(address):
                    chunk.run.queue.put_back(chunk.plans)
            for chunk in self.queues.waiting(address):
                if chunk.run is run:
                    self._take(address, chunk)

    def end_all(self) -> None:
        """End every process that is at a trial."""
        self._cluster.restart(list(self.queues))
        for address in self.queues:
            self._forget(address)

    def _receive(self, address: str, future: Task) -> None:
        chunk = self.queues.find(address, future)
        if chunk is None:
            return  # of a worker that was found dead before
        try:
            timed = future.result(timeout=0.0)
        except KilledWorker:
            self._lose(address)
            return
        except (NotFound, CancelledError, TimeoutError, OSError):
            timed = []  # the process is a new one, or died with the results in its hands
            future.cancel()
        except Exception as error:
            self._settle(address, chunk)
            self._record_crash(chunk, f"the trial could not be run: {type(error).__name__}: {error}")
            return
        run = chunk.run
        self._settle(address, chunk)
        for plan, (_, seconds) in zip(chunk.plans, timed, strict=False):
            run.queue.ended(plan, seconds)
        run.give([(plan, result) for plan, (result, _) in zip(chunk.plans, timed, strict=False)])
        if len(timed) < len(chunk.plans):
            run.queue.put_back(chunk.plans[len(timed) :])
            if run.stops_at is None:
                run.hand_over.discard(address)
            else:
                self.streams.fetch(address, run, chunk.plans[len(timed)].key)
        if any(seconds is None for _, seconds in timed):  # a trial goes on there beyond its limit of memory
            for left in self._end_process(address):
                left.run.queue.put_back(left.plans)

    def _lose(self, address: str) -> None:
        """Handle the death of a worker: the chunks it was running go into quarantine, those behind them never began.

        A process that was ended because it had no room for data says nothing of what it ran.
        """
        running = [] if self._cluster.was_renewed(address) else self.queues.running(address)
        sentence = _SILENT if self._cluster.was_silent(address) else _DIED
        for chunk in self._forget(address):
            if chunk in running:
                self._record_crash(chunk, sentence)
            else:
                chunk.run.queue.put_back(chunk.plans)

    def _end_overdue(self) -> None:
        """End the processes in which a trial takes longer than any may; their other trials run again."""
        limit = self._cluster.trial_seconds
        for address in self.queues:
            overdue = [chunk for chunk in self.queues.running(address) if self.queues.seconds(chunk) > limit]
            for chunk in self._end_process(address) if overdue else ():
                if chunk not in overdue:
                    chunk.run.queue.put_back(chunk.plans)
                elif len(chunk.plans) > 1:  # which of them it was shows when each runs alone
                    self._record_crash(chunk, _too_long(limit))
                else:
                    self._give_up(chunk.run, chunk.plans, _too_long(limit))

    def _end_process(self, address: str) -> list[Chunk]:
        """End a worker process; return what was there."""
        self._cluster.restart([address])
        return self._forget(address)

    def _forget(self, address: str) -> list[Chunk]:
        """Note that a worker has nothing any more; return what was there, the latest first, as it is put back."""
        for run in self.runs.values():
            run.hand_over.discard(address)
        chunks = self.queues.chunks(address)[::-1]
        for chunk in chunks:
            self._take(address, chunk)
        return chunks

    def _take(self, address: str, chunk: Chunk) -> None:
        """Take a chunk from a worker, whatever becomes of it there."""
        chunk.future.cancel()
        self._settle(address, chunk)

    def _settle(self, address: str, chunk: Chunk) -> None:
        self._charge(chunk, self.queues.seconds(chunk))
        self.queues.remove(address, chunk)
        chunk.run.under_way -= 1

    def _charge(self, chunk: Chunk, seconds: float) -> None:
        """Charge an experiment so many seconds of a worker for a chunk, in the place of what it was charged before."""
        self.share.charge(chunk.run.id, seconds - chunk.charged)
        chunk.charged = seconds

    def _record_crash(self, chunk: Chunk, sentence: str) -> None:
        self._give_up(chunk.run, chunk.run.queue.record_crash(chunk.plans), sentence)

    def _give_up(self, run: TrialRun, plans: Sequence[TrialPlan], sentence: str) -> None:
        for plan in plans:
            run.queue.ended(plan, None)
        run.give([(plan, TrialResult(plan.key, error=sentence)) for plan in plans])


def _too_long(seconds: float) -> str:
    amount = f"{seconds / 3600:g} hours" if seconds >= 3600 else f"{seconds:g} seconds"
    return f"the trial took longer than {amount}, the limit for one trial (ENSEMBLE_LAB_TRIAL_SECONDS, --trial-seconds)"
