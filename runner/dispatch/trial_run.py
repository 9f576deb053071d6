"""The trials of one experiment on a cluster that others share: what is left of them, and what comes back."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue

from ensembles.errors import EnsembleLabError
from ensembles.experiments.records import TrialPlan, TrialResult
from runner.cluster.cluster import Cluster
from runner.cluster.hand_over import HandOver
from runner.cluster.watch import AwakeClock
from runner.dispatch.stream_desk import Streams
from runner.dispatch.trial_queue import TrialQueue
from runner.dispatch.trial_times import Kind
from runner.worker_process.tasks import ExperimentContext

__all__ = ["Completed", "TrialRun"]

_TICK_SECONDS = 0.05
_STALLED_SECONDS = 30.0  # and ten times what the longest kind of trial takes: then nobody knows how long it will be

Completed = list[tuple[TrialPlan, TrialResult]]


class TrialRun:
    """The trials of one experiment. Made by `Dispatcher.start`; who wants the results may read `seconds_left`.

    Attributes
    ----------
    under_way : int
        Chunks that are at workers.
    streams : Streams or None
        Where it is kept what streams tell, and their snapshots; None for trials that are none.
    fetching : int
        Snapshots that are on their way here.
    is_served : bool
        Whether it has had its first turn.
    is_ending : bool
        Whether no more trials are begun.
    stops_at : float or None
        When the processes that still run trials are ended; None unless they shall stop.
    problem : EnsembleLabError or None
        Why it ends before all trials have.
    seconds_left : float or None
        An estimate of the time until all trials have ended; None while nothing is known, or nothing moves.
    """

    def __init__(
        self,
        cluster: Cluster,
        context: ExperimentContext,
        plans: Sequence[TrialPlan],
        expected: Mapping[Kind, float] | None,
        end: Callable[["TrialRun", bool], None],
        streams: Streams | None = None,
    ) -> None:
        self.id = uuid.uuid4().hex
        self.seconds_left: float | None = None
        self.queue = TrialQueue(plans, context.sizes, expected=expected)
        self.hand_over = HandOver(cluster, self.id, context)
        self.under_way = self.fetching = 0
        self.streams = streams
        self.is_served = self.is_ending = False
        self.stops_at: float | None = None
        self.problem: EnsembleLabError | None = None
        self._end = end
        self._came: SimpleQueue[Completed | EnsembleLabError | None] = SimpleQueue()
        self._clock = AwakeClock()
        self._last_moved = self._clock.look()

    def results(
        self, should_stop: Callable[[], bool], should_drain: Callable[[], bool] = lambda: False
    ) -> Iterator[Completed]:
        """Yield trials as they end, and an empty list whenever a moment passes without one.

        Parameters
        ----------
        should_stop : callable
            When it says so, running trials get a moment to notice; processes that do not are ended.
        should_drain : callable
            When it says so, what runs may end, and nothing else is begun.

        Raises
        ------
        ClusterLost
            The scheduler is gone, or for a minute there was no worker.
        InvalidInput
            The data cannot be used, or no worker can take them, also not when tried again.
        """
        stopping, draining, is_over = False, False, False
        try:
            while not is_over:
                if not stopping and should_stop():
                    stopping = True
                    self._end(self, True)
                elif not draining and not stopping and should_drain():
                    draining = True
                    self._end(self, False)
                came, is_over = self._receive()
                yield came
        finally:
            if not is_over:
                self._end(self, True)

    def give(self, ended: Completed) -> None:
        """Hand trials that have ended to whoever waits for them."""
        if ended:
            self._last_moved = self._clock.look()
            self._came.put(ended)

    def hear(self, key: str, share: float) -> None:
        """Note how much of a trial that is under way is done, as a share of it."""
        self._last_moved = self._clock.look()
        self.queue.hear(key, share)

    def close(self, error: EnsembleLabError | None = None) -> None:
        """Tell whoever waits that no more will come."""
        self._came.put(error)

    def estimate(self, shared: float | None, n_threads: int) -> None:
        """Work out the time that is left, of which sharing the threads with others takes so much."""
        patience = _STALLED_SECONDS + 10 * self.queue.longest_seconds
        is_stalled = self._clock.look() - self._last_moved > patience
        alone = self.queue.seconds_left(n_threads)
        self.seconds_left = None if is_stalled or alone is None or shared is None else max(alone, shared)

    def _receive(self) -> tuple[Completed, bool]:
        """Return what has come, and whether no more will."""
        ended: Completed = []
        while True:
            try:
                came = self._came.get(timeout=0.0 if ended else _TICK_SECONDS)
            except Empty:
                return ended, False
            if isinstance(came, EnsembleLabError):
                raise came
            if came is None:
                return ended, True
            ended += came
